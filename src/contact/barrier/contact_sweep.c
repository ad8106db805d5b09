// Finds how far all points may move without touching: additive continuous collision detection over
// all candidates, and the same method for points at walls. Long motions are split into legs,
// because the boxes of a long sweep overlap nearly everywhere.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/lanes/vector.h"
#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "contact/barrier/barrier_contact.h"
#include "geometry/distances/continuous_collision.h"

enum { PAIRS_PER_PIECE = 512, ADVANCES = 256 };

// Longest leg, in mean edges of the mesh. Beyond that the number of overlapping pairs grows tenfold
// when the length grows fourfold (docs/theory/contact.md section 3.3).
static const double LEG_EDGES = 1.0;

// Largest number of legs of a sweep, so that a sweep ends at any speed.
static const double LEG_LIMIT = 1024.0;

// --- motion of obstacles ---

static const double IDENTITY_ROTATION[4] = {0.0, 0.0, 0.0, 1.0};

static void rotation_matrix(const double angle[3], double out[9]) {
    double orientation[4];
    rotate_by(angle, 1.0, IDENTITY_ROTATION, orientation);
    rotation_of(orientation, out);
}

static void rotation_vector(const double rotation[9], double angle[3]) {
    double orientation[4];
    quaternion_of(rotation, orientation);
    rotation_between(IDENTITY_ROTATION, orientation, angle);
}

static void set_point_motion(struct barrier_contact *c, uint32_t point, const struct obstacle *now,
                             const struct obstacle *target) {
    const double *local = c->mesh.local + 3 * (size_t)point;
    double *x = c->obstacle_points + 3 * (size_t)point;
    double *motion = c->motion + 3 * (size_t)point;
    double end[3];
    multiply3(now->pose.rotation, local, x);
    add3(x, now->pose.translation, x);
    multiply3(target->pose.rotation, local, end);
    add3(end, target->pose.translation, end);
    subtract3(end, x, motion);
    obstacle_velocity(target, end, c->velocity + 3 * (size_t)point);
}

static void set_wall_motion(struct contact_wall *wall, const struct obstacle *now,
                            const struct obstacle *target) {
    double inverse[9];
    double between[9];
    for (int i = 0; i < 9; i++) {
        inverse[i] = now->pose.rotation[3 * (i % 3) + i / 3];
    }
    multiply33(target->pose.rotation, inverse, between);
    rotation_vector(between, wall->rotation);
    // Rounding must not rotate an obstacle that does not rotate.
    bool rotates = false;
    for (int i = 0; i < 9; i++) {
        rotates = rotates || now->pose.rotation[i] != target->pose.rotation[i];
    }
    scale3(rotates ? 1.0 : 0.0, wall->rotation, wall->rotation);
    wall->target = *target;
    copy3(now->pose.translation, wall->origin);
    subtract3(target->pose.translation, now->pose.translation, wall->translation);
    wall->moves = norm3(wall->translation) > 0.0 || norm3(wall->rotation) > 0.0;
}

/// Whether a wall is where the piece is, and as large.
static bool is_at(const struct contact_surface *surface, const struct shape_piece *piece) {
    const struct shape *const a = &surface->shape;
    const struct shape *const b = &piece->shape;
    return a->kind == b->kind && a->hollow == b->hollow && a->grid == b->grid &&
           vector_equals(3, a->size, b->size) &&
           vector_equals(9, surface->pose.rotation, piece->pose.rotation) &&
           vector_equals(3, surface->pose.translation, piece->pose.translation);
}

void barrier_contact_begin_motion(struct barrier_contact *c, const struct obstacle *now,
                                  const struct obstacle *target) {
    for (uint32_t i = 0; i < c->mesh.point_count; i++) {
        if (c->mesh.kind[i] == POINT_OBSTACLE) {
            const uint32_t obstacle = c->mesh.parts[c->mesh.part[i]].obstacle;
            set_point_motion(c, i, &now[obstacle], &target[obstacle]);
        }
    }
    // The walls of a part are the pieces of its shape, in their order, however the collider acts.
    struct shape_piece pieces[SHAPE_PIECES];
    for (size_t w = 0, piece = 0; w < c->wall_count; w++, piece++) {
        struct contact_wall *wall = &c->walls[w];
        const uint32_t obstacle = c->mesh.parts[wall->part].obstacle;
        if (w == 0 || wall->part != c->walls[w - 1].part) {
            (void)shape_pieces(&now[obstacle].shape, &now[obstacle].pose, pieces);
            piece = 0;
        }
        // Contacts that are known stay so while the walls are where they were; has_found looks at
        // all points.
        c->is_found = c->is_found && is_at(&wall->surface, &pieces[piece]);
        wall->surface = (struct contact_surface){.shape = pieces[piece].shape,
                                                 .pose = pieces[piece].pose};
        set_wall_motion(wall, &now[obstacle], &target[obstacle]);
    }
}

/// Returns the pose of a wall's surface after the fraction `step` of its remaining motion.
static struct pose wall_pose(const struct contact_wall *wall, double step) {
    struct pose out = wall->surface.pose;
    double angle[3];
    double rotation[9];
    double arm[3];
    scale3(step, wall->rotation, angle);
    rotation_matrix(angle, rotation);
    multiply33(rotation, wall->surface.pose.rotation, out.rotation);
    subtract3(wall->surface.pose.translation, wall->origin, arm);
    multiply3(rotation, arm, out.translation);
    add3(out.translation, wall->origin, out.translation);
    add_scaled3(out.translation, step, wall->translation, out.translation);
    return out;
}

void barrier_contact_advance_motion(struct barrier_contact *c, double step) {
    c->is_found = false;
    for (size_t i = 0; i < c->mesh.point_count; i++) {
        if (c->mesh.kind[i] == POINT_OBSTACLE) {
            double *motion = c->motion + 3 * i;
            add_scaled3(c->obstacle_points + 3 * i, step, motion, c->obstacle_points + 3 * i);
            scale3(1.0 - step, motion, motion);
        }
    }
    for (size_t w = 0; w < c->wall_count; w++) {
        struct contact_wall *wall = &c->walls[w];
        if (wall->moves) {
            wall->surface.pose = wall_pose(wall, step);
            add_scaled3(wall->origin, step, wall->translation, wall->origin);
            scale3(1.0 - step, wall->translation, wall->translation);
            scale3(1.0 - step, wall->rotation, wall->rotation);
            wall->moves = step < 1.0;
        }
    }
}

void barrier_contact_halt_motion(struct barrier_contact *c, bool halted) {
    c->halted = halted;
}

void barrier_contact_leave_gaps(struct barrier_contact *c, double fraction) {
    c->gap_fraction = fraction;
}

bool barrier_contact_has_motion(const struct barrier_contact *c) {
    bool any = false;
    for (size_t i = 0; i < c->mesh.point_count && !any; i++) {
        const double *motion = c->motion + 3 * i;
        any = c->mesh.kind[i] == POINT_OBSTACLE &&
              (motion[0] != 0.0 || motion[1] != 0.0 || motion[2] != 0.0);
    }
    for (size_t w = 0; w < c->wall_count && !any; w++) {
        any = c->walls[w].moves;
    }
    return any;
}

// --- one pair, or one point and one wall ---

struct sweep_pass {
    struct barrier_contact *contact;
    size_t pair_count, count;
    double begin, span; ///< the leg, as fractions of the sweep
};

/// Returns the remaining gap, m, that suffices for pairs with a large gap. Pairs that stay beyond
/// the reach need not be candidates. They then never limit the step, so the step does not depend on
/// whether an earlier search has listed them.
static double minimum_gap(const struct barrier_contact *c, uint32_t a, uint32_t b) {
    return 0.5 * barrier_contact_reach(c, a, b);
}

static double pair_time(const struct barrier_contact *c, size_t index, double bound) {
    const struct candidate candidate = candidates_at(&c->candidates, &c->mesh, index);
    const double *x[PAIR_NODES] = {NULL};
    const double *leg[PAIR_NODES] = {NULL};
    for (int k = 0; k < candidate.point_count; k++) {
        x[k] = c->points + 3 * (size_t)candidate.points[k];
        leg[k] = c->leg + 3 * (size_t)candidate.points[k];
    }
    const uint32_t first = c->mesh.part[candidate.points[0]];
    const uint32_t second = c->mesh.part[candidate.points[pair_first_count(candidate.kind)]];
    const struct collision_limits limits = {.separation = candidate_offset(&c->mesh, &candidate),
                                            .required_gap = minimum_gap(c, first, second),
                                            .t_max = 1.0,
                                            .bound = bound,
                                            .gap_fraction = c->gap_fraction};
    return collision_free_time(candidate.kind, x, leg, &limits, NULL);
}

/// Returns a bound of how fast the distance from a point to a wall decreases during the leg, m per
/// leg.
static double closing_speed(const struct contact_wall *wall, const double x[3], const double leg[3],
                            double span) {
    double relative[3];
    double arm[3];
    double normal[3];
    add_scaled3(leg, -span, wall->translation, relative);
    subtract3(x, wall->origin, arm);
    const double angle = wall->moves ? span * norm3(wall->rotation) : 0.0;
    if (angle == 0.0 && shape_is_flat(&wall->surface.shape)) {
        shape_distance(&wall->surface.shape, &wall->surface.pose, x, normal, NULL);
        return fmax(0.0, -dot3(normal, relative));
    }
    const double speed = norm3(relative);
    return speed + angle * (norm3(arm) + norm3(wall->translation) + speed);
}

/// The motion of one point relative to one wall during a leg.
struct wall_sweep {
    const struct sweep_pass *pass;
    const struct contact_wall *wall;
    const double *x, *leg;
    double offset;
    // m: the smallest allowed gap; the gap that a step aims at, slightly larger; the gap at which
    // the iteration stops.
    double least, aim, enough;
};

static double gap_at(const struct wall_sweep *f, double time) {
    const struct contact_surface *surface = &f->wall->surface;
    const struct pose pose = f->wall->moves && !f->pass->contact->halted
                                 ? wall_pose(f->wall, f->pass->begin + time * f->pass->span)
                                 : surface->pose;
    double y[3];
    add_scaled3(f->x, time, f->leg, y);
    return shape_distance(&surface->shape, &pose, y, NULL, NULL) - f->offset;
}

/// Advances by steps that a bound of the closing speed allows.
static double time_by_speed(const struct wall_sweep *f, double gap, double speed, double bound) {
    double time = 0.0;
    for (int i = 0; i < ADVANCES && gap > f->enough && time < bound; i++) {
        const double next = time + (gap - f->aim) / speed;
        if (next >= 1.0) {
            return 1.0;
        }
        gap = gap_at(f, next);
        if (!(gap >= f->least)) {
            return time;
        }
        time = next;
    }
    return time;
}

/// Advances by chords. Inside a convex space the distance to its boundary is concave along a line,
/// so between two times it is at least the linear interpolation. A point that slides along a wall
/// thus costs only two distances.
static double time_by_chords(const struct wall_sweep *f, double gap, double bound) {
    double time = 0.0;
    double late = 1.0;
    double then = gap_at(f, late);
    if (then >= f->least) {
        return 1.0;
    }
    for (int i = 0; i < ADVANCES && gap > f->enough && time < bound; i++) {
        const double next = time + (late - time) * (gap - f->aim) / (gap - then);
        const double found = gap_at(f, next);
        if (!(found >= f->least)) {
            return time;
        }
        time = next;
        gap = found;
        const double middle = 0.5 * (time + late);
        const double there = gap_at(f, middle);
        if (there >= f->aim) {
            time = middle;
            gap = there;
        } else {
            late = middle;
            then = there;
        }
    }
    return time;
}

/// Computes the collision-free time for a point and a wall, as collision_free_time does for pairs.
static double wall_time(const struct sweep_pass *pass, size_t index, double bound) {
    const struct barrier_contact *c = pass->contact;
    const uint32_t point = (uint32_t)(index % c->mesh.point_count);
    const struct contact_wall *wall = &c->walls[index / c->mesh.point_count];
    if (!contact_wall_touches(c, wall, point)) {
        return 1.0;
    }
    struct wall_sweep f = {.pass = pass,
                           .wall = wall,
                           .x = c->points + 3 * (size_t)point,
                           .leg = c->leg + 3 * (size_t)point,
                           .offset = collision_mesh_offset(&c->mesh, point)};
    const double gap = gap_at(&f, 0.0);
    if (!(gap > 0.0)) {
        return 0.0;
    }
    f.least = collision_least_gap(gap, c->gap_fraction,
                                  minimum_gap(c, c->mesh.part[point], wall->part));
    f.aim = 1.02 * f.least;
    f.enough = 1.1 * f.least;
    const double speed = closing_speed(wall, f.x, f.leg, pass->span);
    if (!(gap - f.enough < bound * speed)) {
        return bound;
    }
    return norm3(wall->rotation) > 0.0 ? time_by_speed(&f, gap, speed, bound)
                                       : time_by_chords(&f, gap, bound);
}

// --- all pairs ---

static void sweep_piece(void *context, size_t piece) {
    const struct sweep_pass *pass = context;
    const size_t begin = piece * PAIRS_PER_PIECE;
    const size_t end = begin + PAIRS_PER_PIECE < pass->count ? begin + PAIRS_PER_PIECE
                                                             : pass->count;
    double time = 1.0;
    for (size_t i = begin; i < end && time > 0.0; i++) {
        time = fmin(time, i < pass->pair_count ? pair_time(pass->contact, i, time)
                                               : wall_time(pass, i - pass->pair_count, time));
    }
    pass->contact->pieces[piece].step = time;
}

/// *time = the collision-free fraction of the leg.
static pbs_status sweep_leg(struct barrier_contact *c, struct tasks *tasks, struct sweep_pass *pass,
                            double *time) {
    if (!candidates_cover(tasks, &c->candidates, &c->mesh, c->points, c->leg)) {
        RETURN_IF_FAILED(barrier_contact_search(c, tasks, c->leg));
    }
    pass->pair_count = candidates_count(&c->candidates);
    pass->count = pass->pair_count + c->wall_count * c->mesh.point_count;
    const size_t pieces = (pass->count + PAIRS_PER_PIECE - 1) / PAIRS_PER_PIECE;
    RETURN_IF_FAILED(
        memory_reserve(c->memory, &c->pieces, &c->piece_capacity, pieces, sizeof *c->pieces));
    const double start = clock_seconds();
    tasks_for(tasks, pieces, sweep_piece, pass);
    *time = 1.0;
    for (size_t i = 0; i < pieces; i++) {
        *time = fmin(*time, c->pieces[i].step);
    }
    c->counters.seconds_sweep += clock_seconds() - start;
    return PBS_OK;
}

/// Returns the largest displacement of a point relative to the mean, which is what candidates
/// depend on.
static double largest_displacement(const struct barrier_contact *c) {
    double mean[3];
    double longest = 0.0;
    point_paths_mean_position(&c->mesh, c->motion, mean);
    for (size_t i = 0; i < c->mesh.point_count; i++) {
        double relative[3];
        subtract3(c->motion + 3 * i, mean, relative);
        longest = fmax(longest, dot3(relative, relative));
    }
    return sqrt(longest);
}

pbs_status barrier_contact_sweep(struct barrier_contact *c, struct tasks *tasks, const double *x,
                                 const double *direction, double limit, double *step) {
    barrier_contact_locate(c, tasks, x);
    collision_mesh_compute_points(tasks, &c->mesh, direction, c->motion);
    c->counters.sweeps++;
    const size_t count = 3 * (size_t)c->mesh.point_count;
    const double longest = largest_displacement(c);
    const double leg = longest > 0.0
                           ? fmax(fmax(LEG_EDGES * c->mean_edge, barrier_contact_least_reach(c)) /
                                      longest,
                                  limit / LEG_LIMIT)
                           : INFINITY;
    struct sweep_pass pass = {.contact = c};
    double reached = 0.0;
    double time = 1.0;
    while (reached < limit && time == 1.0) {
        pass.begin = reached;
        pass.span = fmin(limit - reached, leg);
        for (size_t k = 0; k < count; k++) {
            const bool waits = c->halted && c->mesh.kind[k / 3] == POINT_OBSTACLE;
            c->leg[k] = waits ? 0.0 : pass.span * c->motion[k];
        }
        RETURN_IF_FAILED(sweep_leg(c, tasks, &pass, &time));
        reached = time == 1.0 && pass.span == limit - reached ? limit : reached + time * pass.span;
        for (size_t k = 0; k < count; k++) {
            c->points[k] += time * c->leg[k];
        }
    }
    *step = reached;
    return PBS_OK;
}
