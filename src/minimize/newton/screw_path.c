// The screws of bodies and paths along them (docs/theory/minimization.md section 1.1).
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "minimize/newton/state.h"

// A body whose inertia about some axis is less than this share of that about the others, such as a
// row of particles, has no angular velocity about it.
static const double LEAST_INERTIA = 1e-6;

/// Whether a node is a place, which turns about the centre; handles of affine bodies turn as
/// vectors.
static bool is_place(const struct minimization *m, size_t node) {
    const struct layout *const layout = &m->objective->assembly->layout;
    return layout_is_position(layout, layout->row[node]);
}

/// A rotation is no vector; nodes with constrained axes stay on their lines.
static bool may_turn(const struct minimization *m, size_t node) {
    const struct objective *const o = m->objective;
    const struct layout *const layout = &o->assembly->layout;
    return (o->constrained_axes == NULL || o->constrained_axes[node] == 0) &&
           (layout->kind == NULL || layout->kind[layout->row[node]] != NODE_ROTATION);
}

pbs_status screws_reserve(struct memory *memory, struct newton *newton) {
    const struct layout *const layout = &newton->assembly->layout;
    const struct body_ranges *const bodies = &newton->rule.bodies;
    newton->screws = memory_allocate(memory, bodies->body_count, sizeof *newton->screws);
    if (newton->screws == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < bodies->count; i++) {
        const struct body_range *const range = &bodies->ranges[i];
        newton->screws[range->body].is_affine = layout->kind != NULL &&
                                                range->begin + 1 < range->end &&
                                                layout->kind[layout->row[range->begin + 1]] ==
                                                    NODE_HANDLE;
    }
    return PBS_OK;
}

void screws_mark_joined(struct minimization *m) {
    const struct objective *const o = m->objective;
    const struct joint_set *const joints = o->constraints != NULL ? o->constraints->joints : NULL;
    for (size_t b = 0; b < m->newton->rule.bodies.body_count; b++) {
        m->newton->screws[b].is_joined = false;
    }
    for (size_t i = 0; joints != NULL && o->node_parts != NULL && i < joints->count; i++) {
        const struct joint *const joint = &joints->joints[i];
        for (uint32_t k = 0; joint->row_count > 0 && k < joint->node_count; k++) {
            m->newton->screws[o->node_parts[joint->node[k]]].is_joined = true;
        }
    }
}

/// Sums over the nodes of a body.
struct motion_sums {
    double mass, place[3], move[3], momentum[3], inertia[9];
    bool turns; ///< no axis is constrained, and all nodes turn as vectors do
};

static void add_centre(const struct minimization *m, const struct body_range *range,
                       struct motion_sums *sums) {
    for (size_t node = range->begin; node < range->end; node++) {
        const double mass = is_place(m, node) ? m->objective->mass[node] : 0.0;
        sums->turns = sums->turns && may_turn(m, node);
        sums->mass += mass;
        for (size_t k = 0; k < 3; k++) {
            sums->place[k] += mass * m->newton->current.x[3 * node + k];
            sums->move[k] += mass * m->newton->direction[3 * node + k];
        }
    }
}

static void add_turning(const struct minimization *m, const struct body_range *range,
                        const struct screw *screw, struct motion_sums *sums) {
    for (size_t node = range->begin; node < range->end; node++) {
        const double mass = m->objective->mass[node];
        double arm[3], move[3], turn[3];
        copy3(m->newton->current.x + 3 * node, arm);
        copy3(m->newton->direction + 3 * node, move);
        if (is_place(m, node)) {
            subtract3(arm, screw->centre, arm);
            subtract3(move, screw->move, move);
        }
        cross3(arm, move, turn);
        const double square = dot3(arm, arm);
        for (size_t k = 0; k < 3; k++) {
            sums->momentum[k] += mass * turn[k];
            for (size_t l = 0; l < 3; l++) {
                sums->inertia[3 * k + l] += mass * ((k == l ? square : 0.0) - arm[k] * arm[l]);
            }
        }
    }
}

/// The ranges of one body begin at `first`; returns where those of the next begin.
static size_t ranges_end(const struct body_ranges *bodies, size_t first) {
    size_t end = first + 1;
    while (end < bodies->count && bodies->ranges[end].body == bodies->ranges[first].body) {
        end++;
    }
    return end;
}

/// Fits the screw of the body that has these ranges.
static void fit_screw(const struct minimization *m, const struct body_range *ranges, size_t count,
                      struct screw *screw) {
    struct motion_sums sums = {.turns = true};
    for (size_t i = 0; i < count; i++) {
        add_centre(m, &ranges[i], &sums);
    }
    screw->turns = sums.turns && sums.mass > 0.0;
    if (!screw->turns) {
        return;
    }
    scale3(1.0 / sums.mass, sums.place, screw->centre);
    scale3(1.0 / sums.mass, sums.move, screw->move);
    for (size_t i = 0; i < count; i++) {
        add_turning(m, &ranges[i], screw, &sums);
    }
    double inverse[9] = {0.0};
    const double trace = sums.inertia[0] + sums.inertia[4] + sums.inertia[8];
    screw->turns = invert33(sums.inertia, inverse) > LEAST_INERTIA * trace * trace * trace;
    if (screw->turns) {
        multiply3(inverse, sums.momentum, screw->turn);
        screw->turns = isfinite(norm3(screw->turn));
    }
}

double screws_fit(struct minimization *m) {
    const struct body_ranges *const bodies = &m->newton->rule.bodies;
    double largest = 0.0;
    for (size_t first = 0, end; first < bodies->count; first = end) {
        struct screw *const screw = &m->newton->screws[bodies->ranges[first].body];
        end = ranges_end(bodies, first);
        fit_screw(m, &bodies->ranges[first], end - first, screw);
        largest = screw->turns ? fmax(largest, norm3(screw->turn)) : largest;
    }
    return largest;
}

double screws_fit_affine(struct minimization *m, double farthest) {
    const struct body_ranges *const bodies = &m->newton->rule.bodies;
    double largest = 0.0;
    for (size_t i = 0; i < bodies->count; i++) {
        struct screw *const screw = &m->newton->screws[bodies->ranges[i].body];
        if (!screw->is_affine || screw->is_joined) {
            screw->turns = false;
            continue;
        }
        fit_screw(m, &bodies->ranges[i], 1, screw);
        const double turn = screw->turns ? norm3(screw->turn) : 0.0;
        screw->turns = screw->turns && turn <= farthest;
        largest = screw->turns ? fmax(largest, turn) : largest;
    }
    return largest;
}

/// What a screw comes to at a step along the path, and the derivatives of that. The rotation is
/// Cayley's of half the rotation vector, which has its derivative at 0 and needs no angles.
struct turned_screw {
    double rotation[9], turn[3]; ///< turn: the angular velocity
    double move[3], velocity[3]; ///< of the centre
};

/// The centre goes round the screw's axis, so that a point at rest stays: with u = step turn / 2
/// and q = |turn|^2 / 4, by step / (1 + |u|^2) [v + u x v + u (u.v)].
static void move_centre(const struct screw *screw, double step, struct turned_screw *out) {
    const double q = 0.25 * dot3(screw->turn, screw->turn);
    const double scale = 1.0 / (1.0 + q * step * step);
    const double along = 0.25 * dot3(screw->turn, screw->move);
    double across[3];
    cross3(screw->turn, screw->move, across);
    for (size_t k = 0; k < 3; k++) {
        const double first = 0.5 * across[k];
        const double second = along * screw->turn[k];
        const double sum = screw->move[k] + step * (first + step * second);
        out->move[k] = step * scale * sum;
        out->velocity[k] = scale * ((1.0 - q * step * step) * scale * sum +
                                    step * (first + 2.0 * step * second));
    }
}

static struct turned_screw turn_screw(const struct screw *screw, double step) {
    struct turned_screw out;
    double u[3];
    scale3(0.5 * step, screw->turn, u);
    const double scale = 1.0 / (1.0 + dot3(u, u));
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        out.rotation[4 * i] = 1.0 - 2.0 * scale * (u[j] * u[j] + u[k] * u[k]);
        out.rotation[3 * i + j] = 2.0 * scale * (u[i] * u[j] - u[k]);
        out.rotation[3 * i + k] = 2.0 * scale * (u[i] * u[k] + u[j]);
    }
    scale3(scale, screw->turn, out.turn);
    move_centre(screw, step, &out);
    return out;
}

static void place_node(const struct minimization *m, size_t node, double step,
                       const struct screw *screw, const struct turned_screw *turned, double *place,
                       double *tangent) {
    const double is_position = is_place(m, node) ? 1.0 : 0.0;
    double arm[3], rest[3], end[3], change[3];
    add_scaled3(m->newton->current.x + 3 * node, -is_position, screw->centre, arm);
    cross3(screw->turn, arm, change);
    add_scaled3(m->newton->direction + 3 * node, -is_position, screw->move, rest);
    subtract3(rest, change, rest);
    add_scaled3(arm, step, rest, arm);
    multiply3(turned->rotation, arm, end);
    multiply3(turned->rotation, rest, change);
    cross3(turned->turn, end, tangent);
    add3(tangent, change, tangent);
    add_scaled3(tangent, is_position, turned->velocity, tangent);
    add_scaled3(end, is_position, screw->centre, place);
    add_scaled3(place, is_position, turned->move, place);
}

void screws_place(const struct minimization *m, double step, double *place, double *tangent) {
    const struct body_ranges *const bodies = &m->newton->rule.bodies;
    for (size_t i = 0; i < bodies->count; i++) {
        const struct body_range *const range = &bodies->ranges[i];
        const struct screw *const screw = &m->newton->screws[range->body];
        const struct turned_screw turned = turn_screw(screw, step);
        for (size_t node = range->begin; node < range->end; node++) {
            if (screw->turns) {
                place_node(m, node, step, screw, &turned, place + 3 * node, tangent + 3 * node);
                continue;
            }
            for (size_t k = 3 * node; k < 3 * node + 3; k++) {
                place[k] = m->newton->current.x[k] + step * m->newton->direction[k];
                tangent[k] = m->newton->direction[k];
            }
        }
    }
}
