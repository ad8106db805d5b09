// Finds the contacts of a state: which candidates and which points at walls are within reach, and
// what the barrier needs to know of each. Distances of the candidates are computed in parallel
// pieces; the few pairs within reach are listed in the order of the candidates, so no bit of a
// result depends on threads.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "contact/barrier/barrier_contact.h"
#include "contact/barrier/edge_factor.h"

// ALL_NODES: the feature of a nearest point inside a triangle.
enum { CANDIDATES_PER_PIECE = 512, CONTACTS_PER_PIECE = 64, ALL_NODES = (1 << PAIR_NODES) - 1 };

// Margin of the candidate lists, relative to the least reach. The trial states of a line search lie
// on the paths that the lists are made for; the next direction seldom stays near them. A larger
// margin would add pairs whose distance is computed in every trial.
static const double CANDIDATE_MARGIN = 0.2;

// A corner that moves the nearest point by less than this of the distance is not one that it
// depends on: the force turns by less than that, and the distance changes by the square of it.
static const double FEATURE_TOLERANCE = 1e-9;

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

/// The reach of the parts that were asked for last. Most candidates are of the same parts as the
/// one before.
struct reach_between {
    uint32_t part[2];
    double reach; ///< m; 0: of none yet
};

static double find_reach(const struct barrier_contact *c, uint32_t a, uint32_t b,
                         struct reach_between *last) {
    if (last->reach == 0.0 || last->part[0] != a || last->part[1] != b) {
        *last = (struct reach_between){{a, b}, barrier_contact_reach(c, a, b)};
    }
    return last->reach;
}

static bool pair_is_near(const struct barrier_contact *c, size_t index,
                         struct reach_between *last) {
    const struct candidate candidate = candidates_at(&c->candidates, &c->mesh, index);
    const double *x[PAIR_NODES] = {NULL};
    locate(c, &candidate, x);
    const double reach = find_reach(c, c->mesh.part[candidate.points[0]],
                                    second_part(c, &candidate), last);
    if (candidate.kind == PAIR_EDGE_EDGE && !c->settings.lists_every_pair &&
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

static bool wall_is_near(const struct barrier_contact *c, size_t index,
                         struct reach_between *last) {
    const uint32_t point = (uint32_t)(index % c->mesh.point_count);
    const struct contact_wall *wall = &c->walls[index / c->mesh.point_count];
    if (c->mesh.point_is_flat[point] || !contact_wall_touches(c, wall, point)) {
        return false;
    }
    const double distance = shape_distance(&wall->surface.shape, &wall->surface.pose,
                                           c->points + 3 * (size_t)point, NULL, NULL);
    const double reach = find_reach(c, c->mesh.part[point], wall->part, last);
    return !(distance >= reach + collision_mesh_offset(&c->mesh, point));
}

static void find_near_piece(void *context, size_t piece) {
    struct search_pass *pass = context;
    struct barrier_contact *c = pass->contact;
    const size_t begin = piece * CANDIDATES_PER_PIECE;
    const size_t end = begin + CANDIDATES_PER_PIECE < pass->count ? begin + CANDIDATES_PER_PIECE
                                                                  : pass->count;
    struct contact_piece *out = &c->pieces[piece];
    struct reach_between last = {.reach = 0.0};
    *out = (struct contact_piece){.begin = begin};
    for (size_t i = begin; i < end; i++) {
        const bool near = i < pass->pair_count ? pair_is_near(c, i, &last)
                                               : wall_is_near(c, i - pass->pair_count, &last);
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

/// Returns which corners a triangle's nearest point depends on: all, those of an edge, or one.
static uint32_t nearest_feature(const double *const x[PAIR_NODES],
                                const struct active_contact *contact) {
    const double least = FEATURE_TOLERANCE * contact->distance;
    uint32_t feature = 1;
    for (int k = 1; k < PAIR_NODES; k++) {
        double to_next[3];
        double to_last[3];
        subtract3(x[k % 3 + 1], x[k], to_next);
        subtract3(x[(k + 1) % 3 + 1], x[k], to_last);
        const double square = fmax(dot3(to_next, to_next), dot3(to_last, to_last));
        if (contact->weight[k] * contact->weight[k] * square > least * least) {
            feature |= 1u << k;
        }
    }
    return feature;
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
    out->support = closest.support;
    scale3(1.0 / out->distance, closest.r, out->normal);
    const double offset = candidate_offset(&c->mesh, &candidate);
    const struct barrier barrier = barrier_between(c, c->mesh.part[candidate.points[0]],
                                                   second_part(c, &candidate), offset);
    out->stiffness = barrier.stiffness;
    out->barrier = barrier_evaluate(&barrier, out->distance, offset);
    out->factor = 1.0;
    if (candidate.kind == PAIR_POINT_TRIANGLE) {
        out->feature = nearest_feature(x, out);
    }
    if (candidate.kind == PAIR_EDGE_EDGE) {
        edge_factor_set(&c->mesh, c->settings.lists_every_pair ? 0.0 : barrier.reach, x, out);
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

// --- pairs with the same nearest points ---

// Triangles that share a corner or an edge are all as far from a point that is nearest to it, and
// two corners are nearest to each other from both sides. Such pairs are one contact as often as
// there are of them: the energy and its derivatives are the same, and boxes that are stacked with
// their corners above each other have a tenth of the contacts.

enum { FEATURE_POINTS = 3 };

/// What a contact's nearest points are on: a point and a corner, ascending, or a point and an edge
/// with ascending ends.
struct contact_feature {
    uint32_t points[FEATURE_POINTS]; ///< UINT32_MAX: none
};

static void sort_two(uint32_t *a) {
    const uint32_t first = a[0];
    if (a[1] < first) {
        a[0] = a[1];
        a[1] = first;
    }
}

/// Whether it matters which of the triangles with the same nearest point is meant: what rolls turns
/// against a triangle's corners, and points of bonds have a distance of their own from each other.
static bool triangle_matters(const struct barrier_contact *c,
                             const struct active_contact *contact) {
    const uint32_t part = c->mesh.part[contact->points[0]];
    return c->mesh.rotation[contact->points[0]] != COLLISION_NO_ROTATION ||
           (c->mesh.parts[part].has_exclusions && part == c->mesh.part[contact->points[1]]);
}

/// Returns false for a contact that shares its nearest points with no other.
static bool find_feature(const struct barrier_contact *c, const struct active_contact *contact,
                         struct contact_feature *out) {
    int count = 0;
    *out = (struct contact_feature){{UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    if (contact->kind != PAIR_POINT_TRIANGLE || contact->feature == ALL_NODES ||
        triangle_matters(c, contact)) {
        return false;
    }
    for (int k = 0; k < PAIR_NODES; k++) {
        if ((contact->feature >> k & 1) != 0) {
            out->points[count++] = contact->points[k];
        }
    }
    sort_two(count == FEATURE_POINTS ? out->points + 1 : out->points);
    // A triangle that is a point to the last bit has no corner that matters.
    return count > 1;
}

static size_t feature_slot(const struct contact_feature *feature, size_t slot_count) {
    uint64_t hash = 0;
    for (int k = 0; k < FEATURE_POINTS; k++) {
        hash = (hash ^ feature->points[k]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (size_t)hash & (slot_count - 1);
}

/// Returns the slot of the contact with this feature, or the free one where it belongs.
static uint32_t *find_slot(const struct barrier_contact *c, const struct contact_feature *feature,
                           size_t slot_count) {
    size_t at = feature_slot(feature, slot_count);
    for (; c->slots[at] != UINT32_MAX; at = (at + 1) & (slot_count - 1)) {
        struct contact_feature other;
        if (find_feature(c, &c->contacts[c->slots[at]], &other) &&
            memcmp(&other, feature, sizeof other) == 0) {
            break;
        }
    }
    return &c->slots[at];
}

/// Leaves the first of the contacts with the same nearest points, in the order of before.
static pbs_status join_contacts(struct barrier_contact *c) {
    size_t slot_count = 1, count = 0;
    while (slot_count < 2 * c->contact_count) {
        slot_count *= 2;
    }
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->slots, &c->slot_capacity, slot_count, sizeof *c->slots));
    memset(c->slots, 0xFF, slot_count * sizeof *c->slots);
    for (size_t i = 0; i < c->contact_count; i++) {
        struct contact_feature feature;
        if (find_feature(c, &c->contacts[i], &feature)) {
            uint32_t *slot = find_slot(c, &feature, slot_count);
            if (*slot != UINT32_MAX) {
                c->contacts[*slot].factor += 1.0;
                continue;
            }
            *slot = (uint32_t)count;
        }
        if (count < i) {
            c->contacts[count] = c->contacts[i];
        }
        count++;
    }
    c->contact_count = count;
    return PBS_OK;
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
    return c->settings.lists_every_pair ? PBS_OK : join_contacts(c);
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
