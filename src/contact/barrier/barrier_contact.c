// Energy, gradient and Hessian of barrier contact; see barrier_contact.h. Distances of the
// candidates are computed in parallel pieces. The few pairs within reach are listed in the order of
// the candidates and summed serially, so no bit of a result depends on threads.
#include "contact/barrier/barrier_contact.h"

#include <math.h>
#include <string.h>

#include "base/runtime/clock.h"
#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"
#include "contact/barrier/lagged_friction.h"
#include "contact/barrier/mollified_edges.h"
#include "contact/barrier/rolling_resistance.h"

enum { CANDIDATES_PER_PIECE = 512, CONTACTS_PER_PIECE = 64 };

// Margin of the candidate lists, relative to the reach. The trial states of a line search lie on
// the paths that the lists are made for; the next direction seldom stays near them. A larger margin
// would add pairs whose distance is computed in every trial.
static const double CANDIDATE_MARGIN = 0.2;

// Threshold of IPC's mollifier, relative to the product of the squared rest lengths.
static const double PARALLEL_THRESHOLD = 1e-3;

// --- memory ---

pbs_status barrier_contact_reset(struct barrier_contact *c) {
    const size_t count = 3 * (size_t)c->mesh.point_count;
    c->mean_edge = collision_mesh_mean_edge(&c->mesh);
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->obstacle_points, &c->obstacle_point_capacity,
                                    count, sizeof *c->obstacle_points));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->points, &c->point_capacity, count, sizeof *c->points));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->rotations, &c->rotation_capacity,
                                    3 * (size_t)c->mesh.rotation_count, sizeof *c->rotations));
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->motion, &c->motion_capacity, count, sizeof *c->motion));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->velocity, &c->obstacle_velocity_capacity, count,
                                    sizeof *c->velocity));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->leg, &c->leg_capacity, count, sizeof *c->leg));
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->found_points, &c->found_point_capacity, count,
                                    sizeof *c->found_points));
    c->is_found = false;
    c->contact_count = 0;
    c->friction_count = c->rolling_count = 0;
    return candidates_begin(c->memory, &c->mesh, &c->candidates);
}

void barrier_contact_free(struct barrier_contact *c) {
    struct memory *memory = c->memory;
    if (memory == NULL) {
        return;
    }
    collision_mesh_free(memory, &c->mesh);
    candidates_free(memory, &c->candidates);
    contact_blocks_free(memory, &c->blocks);
    intersection_search_free(memory, &c->intersections);
    memory_release(memory, c->walls);
    memory_release(memory, c->points);
    memory_release(memory, c->rotations);
    memory_release(memory, c->obstacle_points);
    memory_release(memory, c->motion);
    memory_release(memory, c->velocity);
    memory_release(memory, c->leg);
    memory_release(memory, c->found_points);
    memory_release(memory, c->contacts);
    memory_release(memory, c->frictions);
    memory_release(memory, c->rollings);
    memory_release(memory, c->near);
    memory_release(memory, c->pieces);
    memory_release(memory, c->block_indices);
    *c = (struct barrier_contact){0};
}

// --- candidates within reach ---

struct contact_pass {
    struct barrier_contact *contact;
    size_t count;      ///< of candidate pairs, plus points times walls
    size_t pair_count; ///< indices below it are candidate pairs, the others points at walls
    const struct contact_blocks_scene *scene;
};

static void locate(const struct barrier_contact *c, const struct candidate *candidate,
                   const double *x[PAIR_NODES]) {
    for (int k = 0; k < candidate->point_count; k++) {
        x[k] = c->points + 3 * (size_t)candidate->points[k];
    }
}

static bool pair_is_near(const struct barrier_contact *c, size_t index) {
    const struct candidate candidate = candidates_at(&c->candidates, &c->mesh, index);
    const double *x[PAIR_NODES] = {NULL};
    locate(c, &candidate, x);
    const double reach = c->settings.barrier.reach + candidate_offset(&c->mesh, &candidate);
    return !(closest_squared(candidate.kind, x) >= reach * reach);
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
    if (!contact_wall_touches(c, wall, point)) {
        return false;
    }
    const double distance = shape_distance(&wall->surface.shape, &wall->surface.pose,
                                           c->points + 3 * (size_t)point, NULL, NULL);
    return !(distance >= c->settings.barrier.reach + collision_mesh_offset(&c->mesh, point));
}

static void find_near_piece(void *context, size_t piece) {
    struct contact_pass *pass = context;
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
    struct contact_pass pass = {.contact = c, .pair_count = candidates_count(&c->candidates)};
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

/// Returns the barrier of a pair: the common one, or one with the stiffness of the softer part.
static struct barrier barrier_between(const struct barrier_contact *c, uint32_t first,
                                      uint32_t second, double offset) {
    struct barrier barrier = c->settings.barrier;
    if (barrier.stiffness == 0.0) {
        const double least = fmin(c->mesh.parts[first].stiffness, c->mesh.parts[second].stiffness);
        barrier.stiffness = barrier_form_stiffness(&barrier, least, offset);
    }
    return barrier;
}

static void mollify(const struct barrier_contact *c, const struct candidate *candidate,
                    const double *const x[PAIR_NODES], struct active_contact *out) {
    out->mollifier = 1.0;
    out->threshold = 0.0;
    if (candidate->kind == PAIR_EDGE_EDGE) {
        out->threshold = PARALLEL_THRESHOLD * c->mesh.edge_squares[candidate->first] *
                         c->mesh.edge_squares[candidate->second];
        out->mollifier = mollifier_evaluate(edges_cross_squared(x, NULL), out->threshold).value;
    }
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
    const struct barrier barrier = barrier_between(
        c, c->mesh.part[candidate.points[0]],
        c->mesh.part[candidate.points[pair_first_count(candidate.kind)]], offset);
    out->stiffness = barrier.stiffness;
    out->barrier = barrier_evaluate(&barrier, out->distance, offset);
    mollify(c, &candidate, x, out);
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
                                   .mollifier = 1.0};
    out->distance = shape_distance(&surface->shape, &surface->pose, c->points + 3 * (size_t)point,
                                   out->normal, NULL);
    const double offset = collision_mesh_offset(&c->mesh, point);
    const struct barrier barrier = barrier_between(c, c->mesh.part[point], c->walls[w].part,
                                                   offset);
    out->stiffness = barrier.stiffness;
    out->barrier = barrier_evaluate(&barrier, out->distance, offset);
}

static void make_contacts_piece(void *context, size_t piece) {
    struct contact_pass *pass = context;
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
    struct contact_pass pass = {.contact = c, .pair_count = candidates_count(&c->candidates)};
    tasks_for(tasks, (count + CONTACTS_PER_PIECE - 1) / CONTACTS_PER_PIECE, make_contacts_piece,
              &pass);
    return PBS_OK;
}

pbs_status barrier_contact_search(struct barrier_contact *c, struct tasks *tasks,
                                  const double *motion) {
    const double start = clock_seconds();
    const double reach = c->settings.barrier.reach;
    const pbs_status status = candidates_gather(c->memory, tasks, &c->mesh, c->points, motion,
                                                reach, CANDIDATE_MARGIN * reach, &c->candidates);
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

// --- energy and gradient ---

/// gradient = the gradient of a contact's potential with respect to each of its points.
static void gradient_of(const struct barrier_contact *c, const struct active_contact *contact,
                        double gradient[CONTACT_POINTS][3]) {
    for (int k = 0; k < contact->point_count; k++) {
        scale3(contact->mollifier * contact->barrier.first * contact->weight[k], contact->normal,
               gradient[k]);
    }
    if (contact->mollifier == 1.0) {
        return;
    }
    const double *x[4];
    double cross[4][3];
    for (int k = 0; k < 4; k++) {
        x[k] = c->points + 3 * (size_t)contact->points[k];
    }
    const double slope = mollifier_evaluate(edges_cross_squared(x, cross), contact->threshold)
                             .first;
    for (int k = 0; k < 4; k++) {
        add_scaled3(gradient[k], contact->barrier.value * slope, cross[k], gradient[k]);
    }
}

static void add_barrier_gradient(const struct barrier_contact *c,
                                 const struct active_contact *contact, double *gradient) {
    double by_point[CONTACT_POINTS][3];
    gradient_of(c, contact, by_point);
    for (int k = 0; k < contact->point_count; k++) {
        collision_mesh_add_to_nodes(&c->mesh, contact->points[k], 1.0, by_point[k], gradient);
    }
}

/// The energy of touching edges is infinite even if the mollifier is zero.
double barrier_contact_energy(const struct active_contact *contact) {
    const double value = contact->barrier.value;
    return isinf(value) ? value : contact->mollifier * value;
}

pbs_status barrier_contact_evaluate(struct barrier_contact *c, struct tasks *tasks, const double *x,
                                    bool with_friction, double *gradient,
                                    struct contact_energy *out) {
    const double start = clock_seconds() - c->counters.seconds_search;
    *out = (struct contact_energy){0.0, 0.0};
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    for (size_t i = 0; i < c->contact_count; i++) {
        out->potential += barrier_contact_energy(&c->contacts[i]);
    }
    for (size_t i = 0; gradient != NULL && isfinite(out->potential) && i < c->contact_count; i++) {
        add_barrier_gradient(c, &c->contacts[i], gradient);
    }
    for (size_t i = 0; with_friction && i < c->friction_count; i++) {
        out->friction += lagged_friction_evaluate(c, &c->frictions[i], gradient);
    }
    for (size_t i = 0; with_friction && i < c->rolling_count; i++) {
        out->friction += rolling_resistance_evaluate(c, &c->rollings[i], gradient);
    }
    c->counters.seconds_evaluate += clock_seconds() - c->counters.seconds_search - start;
    return PBS_OK;
}

double barrier_contact_gap(const struct barrier_contact *c, const struct active_contact *contact) {
    const uint32_t *points = contact->points;
    return contact->distance -
           (contact->wall == CONTACT_NO_WALL
                ? collision_mesh_pair_offset(&c->mesh, points[0],
                                             points[pair_first_count(contact->kind)])
                : collision_mesh_offset(&c->mesh, points[0]));
}

double barrier_contact_least_gap(const struct barrier_contact *c) {
    double least = INFINITY;
    for (size_t i = 0; i < c->contact_count; i++) {
        least = fmin(least, barrier_contact_gap(c, &c->contacts[i]));
    }
    return least;
}

void barrier_contact_set_stiffness(struct barrier_contact *c, uint32_t part, double stiffness) {
    c->is_found = c->is_found && c->mesh.parts[part].stiffness == stiffness;
    c->mesh.parts[part].stiffness = stiffness;
}

// --- friction ---

pbs_status barrier_contact_lag_friction(struct barrier_contact *c, struct tasks *tasks,
                                        const double *x) {
    c->friction_count = c->rolling_count = 0;
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    RETURN_IF_FAILED(lagged_friction_lag(c));
    return rolling_resistance_lag(c);
}

void barrier_contact_begin_stage(struct barrier_contact *c, const double *origin, double length) {
    c->slip_width = c->settings.slip_velocity * length;
    lagged_friction_begin_stage(c, origin, length);
    rolling_resistance_begin_stage(c, origin, length);
}

double barrier_contact_friction_power(struct barrier_contact *c, struct tasks *tasks,
                                      const double *x, double length) {
    barrier_contact_locate(c, tasks, x);
    double power = 0.0;
    for (size_t i = 0; i < c->friction_count; i++) {
        power += lagged_friction_power(c, &c->frictions[i], length);
    }
    for (size_t i = 0; i < c->rolling_count; i++) {
        power += rolling_resistance_power(c, &c->rollings[i], length);
    }
    return power;
}

// --- Hessian ---

static void hessian_of_pair(const struct barrier_contact *c, const struct active_contact *contact,
                            struct contact_hessian *hessian) {
    const double *x[PAIR_NODES] = {NULL};
    for (int k = 0; k < contact->point_count; k++) {
        x[k] = c->points + 3 * (size_t)contact->points[k];
    }
    if (contact->mollifier < 1.0) {
        mollified_edges_hessian(contact, x, hessian);
    } else {
        for (int k = 0; k < contact->point_count; k++) {
            scale3(contact->weight[k], contact->normal, hessian->vector[0][k]);
        }
        contact_hessian_add(hessian, contact->barrier.second);
    }
    struct closest_bending bending;
    const struct closest closest = closest_points(contact->kind, x);
    closest_bending(contact->kind, x, &closest, &bending);
    for (int k = 0; k < bending.count; k++) {
        memcpy(hessian->vector[hessian->count], bending.vector[k], sizeof bending.vector[k]);
        contact_hessian_add(hessian,
                            -contact->mollifier * contact->barrier.first * bending.coefficient[k]);
    }
}

/// Walls are convex towards the points, so minus the Hessian of their distance is positive
/// semidefinite.
static void hessian_of_wall(const struct barrier_contact *c, const struct active_contact *contact,
                            struct contact_hessian *hessian) {
    const struct contact_surface *surface = &c->walls[contact->wall].surface;
    double normal[3];
    double curvature[9];
    double lambda[3];
    double q[9];
    shape_distance(&surface->shape, &surface->pose, c->points + 3 * (size_t)contact->points[0],
                   normal, curvature);
    copy3(normal, hessian->vector[0][0]);
    contact_hessian_add(hessian, contact->barrier.second);
    eigen3(curvature, lambda, q);
    for (int k = 0; k < 2; k++) {
        if (lambda[k] < 0.0) {
            for (int i = 0; i < 3; i++) {
                hessian->vector[hessian->count][0][i] = q[3 * i + k];
            }
            contact_hessian_add(hessian, contact->barrier.first * lambda[k]);
        }
    }
}

/// Returns the rolling resistance of an index. Indices run over contacts, then frictions, then
/// rollings.
static const struct lagged_rolling *rolling_at(const struct barrier_contact *c, size_t index) {
    return &c->rollings[index - c->contact_count - c->linearized_frictions];
}

/// Computes the Hessian of a contact, a friction or a rolling resistance. Returns how many points
/// it has.
static int hessian_of(const struct barrier_contact *c, size_t index, const uint32_t **points,
                      struct contact_hessian *hessian, struct contact_rotations *rotations) {
    *hessian = (struct contact_hessian){0};
    rotations->count = 0;
    if (index >= c->contact_count + c->linearized_frictions) {
        const struct lagged_rolling *rolling = rolling_at(c, index);
        rolling_resistance_hessian(c, rolling, hessian, rotations);
        *points = rolling->points;
        return rolling->point_count;
    }
    if (index >= c->contact_count) {
        const struct lagged_friction *friction = &c->frictions[index - c->contact_count];
        lagged_friction_hessian(c, friction, hessian, rotations);
        *points = friction->points;
        return friction->point_count;
    }
    const struct active_contact *contact = &c->contacts[index];
    if (contact->wall == CONTACT_NO_WALL) {
        hessian_of_pair(c, contact, hessian);
    } else {
        hessian_of_wall(c, contact, hessian);
    }
    *points = contact->points;
    return contact->point_count;
}

static size_t linearized_count(const struct barrier_contact *c) {
    return c->contact_count + c->linearized_frictions + c->linearized_rollings;
}

static void write_block(const struct contact_pass *pass, size_t index) {
    struct barrier_contact *c = pass->contact;
    struct contact_hessian hessian;
    struct contact_rotations rotations;
    struct contact_nodes stencil;
    const uint32_t *points = NULL;
    const int count = hessian_of(c, index, &points, &hessian, &rotations);
    contact_nodes_of_points(pass->scene, points, count, &stencil);
    for (int t = 0; t < rotations.count; t++) {
        contact_nodes_add(pass->scene, rotations.node[t], &stencil);
    }
    contact_blocks_write(pass->scene, &stencil, &hessian, rotations.count > 0 ? &rotations : NULL,
                         c->block_indices[index], &c->blocks);
}

static void write_blocks_piece(void *context, size_t piece) {
    const struct contact_pass *pass = context;
    const size_t begin = piece * CONTACTS_PER_PIECE;
    for (size_t i = begin; i < begin + CONTACTS_PER_PIECE && i < pass->count; i++) {
        write_block(pass, i);
    }
}

static void nodes_with_rotations(const struct contact_blocks_scene *scene, const uint32_t *points,
                                 int count, const uint32_t *nodes, int rotations,
                                 struct contact_nodes *stencil) {
    contact_nodes_of_points(scene, points, count, stencil);
    for (int t = 0; t < rotations; t++) {
        contact_nodes_add(scene, nodes[t], stencil);
    }
}

static void count_blocks(const struct contact_blocks_scene *scene, struct barrier_contact *c) {
    contact_blocks_clear(&c->blocks);
    for (size_t i = 0; i < linearized_count(c); i++) {
        struct contact_nodes stencil;
        uint32_t nodes[2];
        if (i < c->contact_count) {
            contact_nodes_of_points(scene, c->contacts[i].points, c->contacts[i].point_count,
                                    &stencil);
        } else if (i < c->contact_count + c->linearized_frictions) {
            const struct lagged_friction *friction = &c->frictions[i - c->contact_count];
            const int rotations = lagged_friction_rotation_nodes(c, friction, nodes);
            nodes_with_rotations(scene, friction->points, friction->point_count, nodes, rotations,
                                 &stencil);
        } else {
            const struct lagged_rolling *rolling = rolling_at(c, i);
            const int rotations = rolling_resistance_rotation_nodes(c, rolling, nodes);
            nodes_with_rotations(scene, rolling->points, rolling->point_count, nodes, rotations,
                                 &stencil);
        }
        c->block_indices[i] = contact_blocks_count(&c->blocks, stencil.node_count);
    }
}

pbs_status barrier_contact_linearize(struct barrier_contact *c, struct tasks *tasks,
                                     const struct layout *layout, const uint8_t *constrained_axes,
                                     const double *x, bool with_friction) {
    const double start = clock_seconds() - c->counters.seconds_search;
    RETURN_IF_FAILED(barrier_contact_find(c, tasks, x));
    c->linearized_frictions = with_friction ? c->friction_count : 0;
    c->linearized_rollings = with_friction ? c->rolling_count : 0;
    const struct contact_blocks_scene scene = {
        .mesh = &c->mesh, .layout = layout, .constrained_axes = constrained_axes};
    const size_t count = linearized_count(c);
    RETURN_IF_FAILED(memory_reserve(c->memory, &c->block_indices, &c->block_index_capacity, count,
                                    sizeof *c->block_indices));
    count_blocks(&scene, c);
    RETURN_IF_FAILED(contact_blocks_reserve(c->memory, &c->blocks));
    struct contact_pass pass = {.contact = c, .count = count, .scene = &scene};
    tasks_for(tasks, (count + CONTACTS_PER_PIECE - 1) / CONTACTS_PER_PIECE, write_blocks_piece,
              &pass);
    c->counters.seconds_linearize += clock_seconds() - c->counters.seconds_search - start;
    return PBS_OK;
}

/// Subtracts the remaining motion of a wall at x from a point's motion.
static void subtract_wall_motion(const struct contact_wall *wall, const double x[3],
                                 double motion[3]) {
    double arm[3];
    double rotated[3];
    subtract3(x, wall->origin, arm);
    cross3(wall->rotation, arm, rotated);
    subtract3(motion, wall->translation, motion);
    subtract3(motion, rotated, motion);
}

/// Adds the change of the force that is due to the rotation of the wall and its normal.
static void add_rotated_force(const struct barrier_contact *c, const struct active_contact *contact,
                              double *gradient) {
    double rotated[3];
    cross3(c->walls[contact->wall].rotation, contact->normal, rotated);
    collision_mesh_add_to_nodes(&c->mesh, contact->points[0], contact->barrier.first, rotated,
                                gradient);
}

/// Whether the remaining motion of a point changes the gradient of this contact. Friction depends
/// on the whole motion of obstacles in the stage, so their remaining motion does not change it.
static bool moves_in_stage(const struct barrier_contact *c, size_t index, uint32_t point) {
    return index < c->contact_count || c->mesh.kind[point] != POINT_OBSTACLE;
}

static void add_motion_of(struct barrier_contact *c, size_t index, const double *node_motion,
                          double *gradient) {
    struct contact_hessian hessian;
    struct contact_rotations rotations;
    const uint32_t *points = NULL;
    const int count = hessian_of(c, index, &points, &hessian, &rotations);
    // Friction does not depend on the remaining motion of walls either.
    const uint32_t wall = index < c->contact_count ? c->contacts[index].wall : CONTACT_NO_WALL;
    for (int k = 0; k < hessian.count; k++) {
        double along = 0.0;
        for (int p = 0; p < count; p++) {
            double motion[3];
            if (!moves_in_stage(c, index, points[p])) {
                continue;
            }
            copy3(c->motion + 3 * (size_t)points[p], motion);
            if (wall != CONTACT_NO_WALL) {
                subtract_wall_motion(&c->walls[wall], c->points + 3 * (size_t)points[p], motion);
            }
            along += dot3(hessian.vector[k][p], motion);
        }
        for (int t = 0; t < rotations.count; t++) {
            along += dot3(rotations.vector[k][t], node_motion + 3 * (size_t)rotations.node[t]);
        }
        for (int p = 0; p < count && along != 0.0; p++) {
            collision_mesh_add_to_nodes(&c->mesh, points[p], hessian.coefficient[k] * along,
                                        hessian.vector[k][p], gradient);
        }
        for (int t = 0; t < rotations.count && along != 0.0; t++) {
            double *to = gradient + 3 * (size_t)rotations.node[t];
            add_scaled3(to, hessian.coefficient[k] * along, rotations.vector[k][t], to);
        }
    }
    if (wall != CONTACT_NO_WALL) {
        add_rotated_force(c, &c->contacts[index], gradient);
    }
}

void barrier_contact_add_motion(struct barrier_contact *c, struct tasks *tasks,
                                const double *motion, double *gradient) {
    collision_mesh_compute_points(tasks, &c->mesh, motion, c->motion);
    for (size_t i = 0; i < linearized_count(c); i++) {
        add_motion_of(c, i, motion, gradient);
    }
}

// --- forces ---

void barrier_contact_forces(const struct barrier_contact *c, const struct active_contact *active,
                            double forces[CONTACT_POINTS][3]) {
    gradient_of(c, active, forces);
    for (int k = 0; k < active->point_count; k++) {
        scale3(-1.0, forces[k], forces[k]);
    }
}

double barrier_contact_obstacle_power(const struct barrier_contact *c,
                                      const struct active_contact *contact) {
    double power = 0.0;
    double gradient[CONTACT_POINTS][3] = {{0.0}};
    gradient_of(c, contact, gradient);
    if (contact->wall != CONTACT_NO_WALL) {
        double v[3];
        obstacle_velocity(&c->walls[contact->wall].target,
                          c->points + 3 * (size_t)contact->points[0], v);
        power -= dot3(gradient[0], v);
    }
    for (int k = 0; k < contact->point_count; k++) {
        const uint32_t point = contact->points[k];
        if (c->mesh.kind[point] == POINT_OBSTACLE) {
            power += dot3(gradient[k], c->velocity + 3 * (size_t)point);
        }
    }
    return power;
}
