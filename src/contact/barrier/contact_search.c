// Finds the contacts of a state: which candidates and which points at walls are within reach, and
// what the barrier needs to know of each. Distances of the candidates are computed in parallel
// pieces; the few pairs within reach are listed in the order of the candidates, so no bit of a
// result depends on threads.
#include <math.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "contact/barrier/barrier_contact.h"
#include "contact/barrier/edge_factor.h"

enum { CANDIDATES_PER_PIECE = 512, CONTACTS_PER_PIECE = 64 };

// Margin of the candidate lists, relative to the least reach. The trial states of a line search lie
// on the paths that the lists are made for; the next direction seldom stays near them. A larger
// margin would add pairs whose distance is computed in every trial.
static const double CANDIDATE_MARGIN = 0.2;

// --- candidates within reach ---

struct search_pass {
    struct barrier_contact *contact;
    size_t count;      ///< of candidate pairs, plus points times walls
    size_t pair_count; ///< indices below it are candidate pairs, the others points at walls
};

static void locate(const struct barrier_contact *c, const struct candidate *candidate,
                   const double *x[PAIR_NODES]) {
    for (int k = 0; k < candidate->point_count; k++) {
        x[k] = c->points + 3 * (size_t)candidate->points[k];
    }
}

static uint32_t second_part(const struct barrier_contact *c, const struct candidate *candidate) {
    return c->mesh.part[candidate->points[pair_first_count(candidate->kind)]];
}

static bool pair_is_near(const struct barrier_contact *c, size_t index) {
    const struct candidate candidate = candidates_at(&c->candidates, &c->mesh, index);
    const double *x[PAIR_NODES] = {NULL};
    locate(c, &candidate, x);
    const double reach = barrier_contact_reach(c, c->mesh.part[candidate.points[0]],
                                               second_part(c, &candidate));
    if (candidate.kind == PAIR_EDGE_EDGE && !c->settings.keeps_whole_edges &&
        edge_factor_is_negligible(&c->mesh, candidate.first, candidate.second, reach, x)) {
        return false;
    }
    const double distance = reach + candidate_offset(&c->mesh, &candidate);
    return !(closest_squared(candidate.kind, x) >= distance * distance);
}

bool contact_wall_touches(const struct barrier_contact *c, const struct contact_wall *wall,
                          uint32_t point) {
    const struct collision_part *a = &c->mesh.parts[c->mesh.part[point]];
    const struct collision_part *b = &c->mesh.parts[wall->part];
    return !a->is_obstacle && (a->group & b->mask) != 0 && (b->group & a->mask) != 0;
}

static bool wall_is_near(const struct barrier_contact *c, size_t index) {
    const uint32_t point = (uint32_t)(index % c->mesh.point_count);
    const struct contact_wall *wall = &c->walls[index / c->mesh.point_count];
    if (c->mesh.point_is_flat[point] || !contact_wall_touches(c, wall, point)) {
        return false;
    }
    const double distance = shape_distance(&wall->surface.shape, &wall->surface.pose,
                                           c->points + 3 * (size_t)point, NULL, NULL);
    const double reach = barrier_contact_reach(c, c->mesh.part[point], wall->part);
    return !(distance >= reach + collision_mesh_offset(&c->mesh, point));
}

static void find_near_piece(void *context, size_t piece) {
    struct search_pass *pass = context;
    struct barrier_contact *c = pass->contact;
    const size_t begin = piece * CANDIDATES_PER_PIECE;
    const size_t end = begin + CANDIDATES_PER_PIECE < pass->count ? begin + CANDIDATES_PER_PIECE
                                                                  : pass->count;
    struct contact_piece *out = &c->pieces[piece];
    *out = (struct contact_piece){.begin = begin};
    for (size_t i = begin; i < end; i++) {
        const bool near = i < pass->pair_count ? pair_is_near(c, i)
                                               : wall_is_near(c, i - pass->pair_count);
        if (near) {
            c->near[begin + out->count++] = (uint32_t)i;
        }
    }
}

/// near = the indices of all pairs and points at walls within reach, ascending.
static pbs_status find_near(struct barrier_contact *c, struct tasks *tasks, size_t *count) {
    struct search_pass pass = {.contact = c, .pair_count = candidates_count(&c->candidates)};
    pass.count = pass.pair_count + c->wall_count * c->mesh.point_count;
    if (pass.count > UINT32_MAX) {
        return status_fail(PBS_ERROR_ARGUMENT, "%zu pairs that could touch, the limit is %u",
                           pass.count, UINT32_MAX);
    }
    const size_t pieces = (pass.count + CANDIDATES_PER_PIECE - 1) / CANDIDATES_PER_PIECE;
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->near, &c->near_capacity, pass.count, sizeof *c->near));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->pieces, &c->piece_capacity, pieces, sizeof *c->pieces));
    tasks_for(tasks, pieces, find_near_piece, &pass);
    size_t total = 0;
    for (size_t i = 0; i < pieces; i++) {
        memmove(c->near + total, c->near + c->pieces[i].begin,
                c->pieces[i].count * sizeof *c->near);
        total += c->pieces[i].count;
    }
    *count = total;
    return PBS_OK;
}

// --- contacts ---

/// Returns the barrier of a pair, with the lesser reach of its parts: the common stiffness, or one
/// with the stiffness of the softer part that carries the lesser load (docs/theory/contact.md
/// section 2.4).
static struct barrier barrier_between(const struct barrier_contact *c, uint32_t first,
                                      uint32_t second, double offset) {
    const struct collision_part *a = &c->mesh.parts[first], *b = &c->mesh.parts[second];
    struct barrier barrier = c->settings.barrier;
    barrier.reach = barrier_contact_reach(c, first, second);
    if (barrier.stiffness == 0.0) {
        const double softer = fmin(a->stiffness, b->stiffness);
        const double carries = fmin(a->load, b->load) / barrier.reach;
        barrier.stiffness = barrier_form_stiffness(&barrier, fmax(softer, carries), offset);
    }
    return barrier;
}

static void make_pair(const struct barrier_contact *c, size_t index, struct active_contact *out) {
    const struct candidate candidate = candidates_at(&c->candidates, &c->mesh, index);
    const double *x[PAIR_NODES] = {NULL};
    locate(c, &candidate, x);
    const struct closest closest = closest_points(candidate.kind, x);
    *out = (struct active_contact){.kind = candidate.kind,
                                   .point_count = candidate.point_count,
                                   .wall = CONTACT_NO_WALL,
                                   .first = candidate.first,
                                   .second = candidate.second,
                                   .distance = sqrt(closest.squared)};
    memcpy(out->points, candidate.points, sizeof out->points);
    memcpy(out->weight, closest.weight, sizeof out->weight);
    scale3(1.0 / out->distance, closest.r, out->normal);
    const double offset = candidate_offset(&c->mesh, &candidate);
    const struct barrier barrier = barrier_between(c, c->mesh.part[candidate.points[0]],
                                                   second_part(c, &candidate), offset);
    out->stiffness = barrier.stiffness;
    out->barrier = barrier_evaluate(&barrier, out->distance, offset);
    out->factor = 1.0;
    if (candidate.kind == PAIR_EDGE_EDGE) {
        edge_factor_set(&c->mesh, c->settings.keeps_whole_edges ? 0.0 : barrier.reach, x, out);
    }
}

static void make_wall_contact(const struct barrier_contact *c, size_t index,
                              struct active_contact *out) {
    const uint32_t point = (uint32_t)(index % c->mesh.point_count);
    const size_t w = index / c->mesh.point_count;
    const struct contact_surface *surface = &c->walls[w].surface;
    *out = (struct active_contact){.kind = PAIR_POINT_POINT,
                                   .point_count = 1,
                                   .wall = (uint32_t)w,
                                   .first = (uint32_t)w,
                                   .second = point,
                                   .points = {point},
                                   .weight = {1.0},
                                   .factor = 1.0};
    out->distance = shape_distance(&surface->shape, &surface->pose, c->points + 3 * (size_t)point,
                                   out->normal, NULL);
    const double offset = collision_mesh_offset(&c->mesh, point);
    const struct barrier barrier = barrier_between(c, c->mesh.part[point], c->walls[w].part,
                                                   offset);
    out->stiffness = barrier.stiffness;
    out->barrier = barrier_evaluate(&barrier, out->distance, offset);
}

static void make_contacts_piece(void *context, size_t piece) {
    struct search_pass *pass = context;
    struct barrier_contact *c = pass->contact;
    const size_t begin = piece * CONTACTS_PER_PIECE;
    for (size_t i = begin; i < begin + CONTACTS_PER_PIECE && i < c->contact_count; i++) {
        const size_t index = c->near[i];
        if (index < pass->pair_count) {
            make_pair(c, index, &c->contacts[i]);
        } else {
            make_wall_contact(c, index - pass->pair_count, &c->contacts[i]);
        }
    }
}

/// contacts = all contacts at c->points.
static pbs_status find_contacts(struct barrier_contact *c, struct tasks *tasks) {
    size_t count = 0;
    c->contact_count = 0;
    RETURN_IF_FAILED(find_near(c, tasks, &count));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->contacts, &c->contact_capacity, count, sizeof *c->contacts));
    c->contact_count = count;
    struct search_pass pass = {.contact = c, .pair_count = candidates_count(&c->candidates)};
    tasks_for(tasks, (count + CONTACTS_PER_PIECE - 1) / CONTACTS_PER_PIECE, make_contacts_piece,
              &pass);
    return PBS_OK;
}

pbs_status barrier_contact_search(struct barrier_contact *c, struct tasks *tasks,
                                  const double *motion) {
    const double start = clock_seconds();
    const double margin = CANDIDATE_MARGIN * barrier_contact_least_reach(c);
    const pbs_status status = candidates_gather(c->memory, tasks, &c->mesh, c->points, motion,
                                                c->settings.barrier.reach, margin, &c->candidates);
    c->step_has_begun = false;
    c->is_found = false;
    c->counters.searches++;
    c->counters.seconds_search += clock_seconds() - start;
    return status;
}

void barrier_contact_begin_step(struct barrier_contact *c) {
    if (c->step_has_begun && c->candidates.paths.motion_square > 0.0) {
        c->candidates.paths.is_valid = false;
        c->is_found = false;
    }
    c->step_has_begun = true;
}

void barrier_contact_locate(struct barrier_contact *c, struct tasks *tasks, const double *x) {
    collision_mesh_compute_points(tasks, &c->mesh, x, c->points);
    for (size_t i = 0; i < c->mesh.point_count; i++) {
        if (c->mesh.kind[i] == POINT_OBSTACLE) {
            copy3(c->obstacle_points + 3 * i, c->points + 3 * i);
        }
    }
    for (size_t i = 0; i < c->mesh.rotation_count; i++) {
        copy3(x + 3 * (size_t)c->mesh.rotation_node[i], c->rotations + 3 * i);
    }
}

void barrier_contact_forget_pairs(struct barrier_contact *c) {
    c->candidates.paths.is_valid = c->candidates.verlet.paths.is_valid = false;
    c->is_found = false;
}

/// Whether the contacts are already those of c->points. A Hessian is usually evaluated at the state
/// of the last energy.
static bool has_found(const struct barrier_contact *c) {
    const struct barrier *now = &c->settings.barrier;
    const struct barrier *then = &c->found_barrier;
    return c->is_found && now->form == then->form && now->stiffness == then->stiffness &&
           now->reach == then->reach &&
           memcmp(c->points, c->found_points,
                  3 * (size_t)c->mesh.point_count * sizeof *c->points) == 0;
}

pbs_status barrier_contact_find(struct barrier_contact *c, struct tasks *tasks, const double *x) {
    barrier_contact_locate(c, tasks, x);
    if (has_found(c)) {
        return PBS_OK;
    }
    c->is_found = false;
    if (!candidates_cover(tasks, &c->candidates, &c->mesh, c->points, NULL)) {
        RETURN_IF_FAILED(barrier_contact_search(c, tasks, NULL));
    }
    RETURN_IF_FAILED(find_contacts(c, tasks));
    c->is_found = c->mesh.point_count > 0;
    c->found_barrier = c->settings.barrier;
    if (c->is_found) {
        memcpy(c->found_points, c->points,
               3 * (size_t)c->mesh.point_count * sizeof *c->found_points);
    }
    return PBS_OK;
}
