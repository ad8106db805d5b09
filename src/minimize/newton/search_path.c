// The path of a line search: straight, but for affine bodies that turn, which move along screws
// (docs/theory/minimization.md section 1).
#include <math.h>

#include "base/lanes/vector.h"
#include "minimize/newton/state.h"

// Below this angle, rad, of all bodies a straight path costs no sweep more, and strains little.
static const double STRAIGHT = 0.01;
// Bodies that a direction turns by more than this, rad, go straight. Where much flies about,
// directions are far from what will be, and a walls' bricks that hit one another take a fifth more
// iterations with a limit of a half.
static const double FARTHEST_TURN = 0.1;
// No search leads a body farther round, rad.
static const double LARGEST_TURN = 3.0;
// How often a path that is not free is shortened, by what its chord's sweep leaves and then by at
// least a tenth, before the search goes straight.
enum { SHORTENINGS = 12, SWEPT_SHORTENINGS = 2 };
static const double SHORTENED = 0.9;

/// Whether an axis of one of the body's nodes is held: it cannot turn about its centre.
static bool has_held_axis(const struct objective *o, const struct screw *screw) {
    bool held = false;
    for (size_t k = 0; o->constrained_axes != NULL && k < 4; k++) {
        held = held || o->constrained_axes[screw->node + k] != 0;
    }
    return held;
}

/// Returns the screw of the body that a node belongs to; null for other bodies. Screws are in the
/// order of their nodes.
static struct screw *find_screw(const struct newton *newton, uint32_t node) {
    size_t begin = 0;
    size_t end = newton->screw_count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (newton->screws[middle].node + 3 < node) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < newton->screw_count && newton->screws[begin].node <= node
               ? &newton->screws[begin]
               : NULL;
}

/// The rows of most joints are linear in coordinates: straight paths close their gaps, bent ones
/// open them.
static void hold_joined(const struct newton *newton, const struct joint_set *joints) {
    for (size_t i = 0; i < joints->count; i++) {
        const struct joint *const joint = &joints->joints[i];
        for (uint32_t k = 0; joint->row_count > 0 && k < joint->node_count; k++) {
            struct screw *const screw = find_screw(newton, joint->node[k]);
            if (screw != NULL) {
                screw->is_held = true;
            }
        }
    }
}

void search_path_prepare(struct minimization *m) {
    const struct objective *const o = m->objective;
    for (size_t i = 0; i < m->newton->screw_count; i++) {
        struct screw *const screw = &m->newton->screws[i];
        screw->is_held = has_held_axis(o, screw);
    }
    if (o->constraints != NULL && o->constraints->joints != NULL) {
        hold_joined(m->newton, o->constraints->joints);
    }
}

double search_path_begin(struct minimization *m) {
    struct newton *const newton = m->newton;
    m->largest_turn = 0.0;
    for (size_t i = 0; i < newton->screw_count; i++) {
        struct screw *const screw = &newton->screws[i];
        const double turn = screw->is_held
                                ? 0.0
                                : screw_split(screw, newton->current.x, newton->direction);
        screw->turns = turn > 0.0 && turn <= FARTHEST_TURN;
        m->largest_turn = screw->turns ? fmax(m->largest_turn, turn) : m->largest_turn;
    }
    m->turns = m->largest_turn >= STRAIGHT;
    m->free_until = 0.0;
    return m->turns ? LARGEST_TURN / m->largest_turn : INFINITY;
}

void search_path_at(const struct minimization *m, double step, double *y) {
    const struct newton *const newton = m->newton;
    vector_combine(m->objective->tasks, newton_coordinate_count(newton), newton->current.x, step,
                   newton->direction, y);
    for (size_t i = 0; m->turns && i < newton->screw_count; i++) {
        if (newton->screws[i].turns) {
            screw_move(&newton->screws[i], newton->current.x, newton->direction, step, y);
        }
    }
}

double search_path_slope(const struct minimization *m, double step, const double *y) {
    const struct newton *const newton = m->newton;
    const double *const gradient = newton->gradient;
    const double *const direction = newton->direction;
    double slope = vector_dot(m->objective->tasks, newton_coordinate_count(newton), gradient,
                              direction);
    for (size_t i = 0; m->turns && i < newton->screw_count; i++) {
        const struct screw *const screw = &newton->screws[i];
        const size_t first = 3 * (size_t)screw->node;
        if (screw->turns) {
            slope += screw_slope(screw, direction, step, y, gradient);
            for (size_t k = first; k < first + 12; k++) {
                slope -= gradient[k] * direction[k];
            }
        }
    }
    return slope;
}

/// Returns the free part of the chord from the current state to `step` of the path. The chord is a
/// motion of affine bodies too: if it is free, nothing has crossed.
static double free_part(struct minimization *m, double step) {
    struct newton *const newton = m->newton;
    search_path_at(m, step, newton->chord);
    vector_add_scaled(m->objective->tasks, newton_coordinate_count(newton), -1.0, newton->current.x,
                      newton->chord);
    return minimization_free_step(m, newton->current.x, newton->chord, 1.0);
}

bool search_path_is_free(struct minimization *m, double step) {
    if (!m->turns || !contact_set_bounds(&m->objective->contacts) || step == m->free_until) {
        return true;
    }
    return free_part(m, step) == 1.0;
}

double search_path_extend(struct minimization *m, double known, double limit) {
    double step = m->turns ? limit : search_path_free_step(m, limit);
    for (int i = 0; m->turns && i < SHORTENINGS && !m->stopped && step > known; i++) {
        const double part = free_part(m, step);
        if (part == 1.0) {
            m->free_until = step;
            return step;
        }
        step *= fmin(part, SHORTENED);
    }
    return m->turns ? known : step;
}

double search_path_free_step(struct minimization *m, double limit) {
    const struct newton *const newton = m->newton;
    double step = limit;
    for (int i = 0; m->turns && i < SHORTENINGS && !m->stopped; i++) {
        const double part = free_part(m, step);
        if (part == 1.0) {
            m->free_until = step;
            return step;
        }
        step *= i < SWEPT_SHORTENINGS ? part : fmin(part, SHORTENED);
        if (step * m->largest_turn < STRAIGHT) {
            break;
        }
    }
    m->turns = false;
    return m->stopped ? 0.0
                      : minimization_free_step(m, newton->current.x, newton->direction, limit);
}
