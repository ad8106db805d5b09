// Moves bodies rigidly between iterations (docs/theory/minimization.md section 1). A line search
// rotates a stiff body by a fraction of a degree per iteration, because straight paths stretch it
// by half the square of the angle. If all of its nodes move along circles, the elastic energy does
// not change, and E falls by the gain of inertia.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/clock.h"
#include "base/matrix3/math3.h"
#include "base/lanes/vector.h"
#include "minimize/newton/state.h"

// Minimum gain relative to the body's inertial energy, so that rounding errors move nothing.
static const double GAIN = 1e-8;

// Minimum total gain relative to the energy's parts, so that values can resolve it.
static const double RESOLVED = 1e-12;

// Minimum total gain relative to the decrease of the last iteration, so that no evaluation is spent
// while Newton's method progresses.
static const double SHARE = 0.1;

/// Returns, in J, how much higher inertia and constant forces make E of a body at x than at the
/// free-fall state `free_fall`.
static double deviation(const struct objective *o, const struct rest_shape *shape, const double *x,
                        const double *free_fall) {
    double sum = 0.0;
    for (size_t i = shape->node_start; i < shape->node_start + shape->node_count; i++) {
        double away[3];
        subtract3(x + 3 * i, free_fall + 3 * i, away);
        sum += o->mass[i] * dot3(away, away);
    }
    return 0.5 * sum / o->weight;
}

/// Returns whether there is neither contact nor friction energy: bodies in contact cannot rotate
/// freely.
static bool is_untouched(const struct minimization *m) {
    const struct objective_result *const now = &m->newton->current.objective;
    return now->by_kind[ENERGY_CONTACT] == 0.0 && now->by_kind[ENERGY_FRICTION] == 0.0;
}

/// Returns whether a node of the body is in the active set. Active nodes are in ascending order.
static bool is_pushed(const struct projection *projection, const struct rest_shape *shape) {
    size_t begin = 0, end = projection->active_count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (projection->active[middle].node < shape->node_start) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < projection->active_count &&
           projection->active[begin].node < shape->node_start + shape->node_count;
}

static void restore_nodes(struct minimization *m, const struct rest_shape *shape, double *moved) {
    vector_copy(m->objective->tasks, 3 * shape->node_count,
                m->newton->current.x + 3 * shape->node_start, moved + 3 * shape->node_start);
}

/// Aligns one body that can rotate freely, if that gains enough. Returns the gain, J.
static double align_body(struct minimization *m, const struct rest_shape *shape,
                         const double *free_fall, double *moved) {
    const struct objective *const o = m->objective;
    const double *const x = m->newton->current.x;
    if (!shape->is_rotation_invariant || is_pushed(m->projection, shape) ||
        !rigid_align(shape, o->mass, o->constrained_axes, free_fall, x, moved)) {
        return 0.0;
    }
    const double before = deviation(o, shape, x, free_fall);
    const double gain = before - deviation(o, shape, moved, free_fall);
    if (gain > GAIN * before) {
        return gain;
    }
    restore_nodes(m, shape, moved);
    return 0.0;
}

static bool are_same(const double *a, const double *b, const struct rest_shape *shape) {
    const size_t end = 3 * (shape->node_start + shape->node_count);
    bool same = true;
    for (size_t k = 3 * shape->node_start; k < end && same; k++) {
        same = a[k] == b[k];
    }
    return same;
}

/// Restores bodies that would collide with obstacles. Returns false if no moved body is left. Uses
/// newton->trial.x as scratch.
static bool exclude_colliding(struct minimization *m, double *moved) {
    double *const clear = m->newton->trial.x;
    const bool found = projection_apply(m->objective->tasks, m->projection, moved, clear) == PBS_OK;
    bool any = false;
    for (size_t i = 0; i < m->objective->rest_shape_count && found; i++) {
        const struct rest_shape *const shape = &m->objective->rest_shapes[i];
        if (!are_same(clear, moved, shape)) {
            restore_nodes(m, shape, moved);
        }
        any = any || !are_same(m->newton->current.x, moved, shape);
    }
    return any;
}

/// Returns whether the path to `moved` is free of contact.
static bool is_path_free(struct minimization *m, const double *moved) {
    double *const path = m->newton->direction;
    if (!contact_set_bounds(&m->objective->contacts)) {
        return true;
    }
    vector_combine(m->objective->tasks, newton_coordinate_count(m->newton), moved, -1.0,
                   m->newton->current.x, path);
    return minimization_free_step(m, m->newton->current.x, path, 1.0) == 1.0;
}

static bool align(struct minimization *m) {
    struct newton *const newton = m->newton;
    const struct objective *const o = m->objective;
    double *const free_fall = newton->direction;
    double *const moved = newton->position_rows;
    const double fallen = m->value_before - newton->current.objective.value;
    double gain = 0.0;
    minimization_guess_free_fall(m, newton->current.x, free_fall);
    vector_copy(o->tasks, newton_coordinate_count(newton), newton->current.x, moved);
    for (size_t i = 0; i < o->rest_shape_count; i++) {
        gain += align_body(m, &o->rest_shapes[i], free_fall, moved);
    }
    const double magnitude = objective_magnitude(&newton->current.objective);
    if (!(gain > SHARE * fallen && gain > RESOLVED * magnitude)) {
        return false;
    }
    if (!exclude_colliding(m, moved) || !is_path_free(m, moved) || m->stopped ||
        !minimization_evaluate(m, moved) ||
        !(newton->trial.objective.value < newton->current.objective.value)) {
        return false;
    }
    iterate_swap(&newton->trial, &newton->current);
    m->result.alignments++;
    return true;
}

bool minimization_align(struct minimization *m) {
    if (!m->options->aligns || m->result.newton_iterations == 0 ||
        m->objective->rest_shape_count == 0 || !isfinite(m->objective->weight) ||
        !is_untouched(m)) {
        return false;
    }
    const double start = clock_seconds();
    const bool aligned = align(m);
    m->result.time_evaluate += clock_seconds() - start;
    return aligned;
}
