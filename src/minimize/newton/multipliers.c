// Constraints in the minimisation: an augmented Lagrangian whose multipliers change at every full
// Newton step, not only at solutions. Theory: docs/theory/joints.md section 3.
// SPDX-License-Identifier: MIT
#include "minimize/newton/state.h"

#include <math.h>

// If an update leaves more than this of the gap that the update before it left, the penalties are
// too small: what pulls at the joint is much heavier or stiffer than the nodes beside it, and the
// gap shrinks by the same factor with every update. A gap that grows says nothing, for then it is
// the motion that is not found yet.
static const double SLOW = 0.2;
static const double STIFFER = 10.0;
// Updates at solutions. Joints that contradict each other never close.
enum { UPDATE_LIMIT = 30 };

// The same where motors alone miss their velocities. Near its limit a motor's force changes by
// little while friction that it works against reverses, and what it misses harms nothing.
enum { MOTOR_UPDATE_LIMIT = 5 };

static bool has_constraints(const struct minimization *m) {
    return !constraint_set_is_empty(m->objective->constraints);
}

/// What an update changes, also of volumes, is booked with contact: only sums of magnitudes see it.
static void change_objective(struct minimization *m, double change) {
    struct objective_result *const now = &m->newton->current.objective;
    now->value += change;
    now->by_kind[ENERGY_CONTACT] += change;
}

bool minimization_update_multipliers(struct minimization *m, const struct joint_step *step) {
    if (!has_constraints(m)) {
        return true;
    }
    struct constraint_set *const constraints = m->objective->constraints;
    struct iterate *const current = &m->newton->current;
    const double joints = constraint_set_joint_gap(constraints, NULL, current->x, false);
    const double volumes = held_volumes_gap(constraints->volumes, current->x);
    const double expected = step != NULL
                                ? constraint_set_joint_gap(constraints, step, current->x, false)
                                : joints;
    const bool joints_are_slow = expected > SLOW * m->joint_gap && expected < m->joint_gap;
    m->joint_gap = joints;
    m->result.constraint_gap = fmax(joints, volumes);
    if (m->result.constraint_gap <= 1.0 &&
        (m->constraint_updates > MOTOR_UPDATE_LIMIT ||
         constraint_set_joint_gap(constraints, NULL, current->x, true) <= 1.0)) {
        return true;
    }
    // Forces of a step that reckoned with other ropes than those that are taut now are of no use.
    if (step != NULL && m->constraint_updates == 0 && !constraint_set_agrees(constraints, step)) {
        return false;
    }
    change_objective(m, constraint_set_update(constraints, step, current->x, current->gradient));
    if (joints_are_slow) {
        change_objective(
            m, joint_set_stiffen(constraints->joints, current->x, STIFFER, current->gradient));
    }
    return false;
}

bool minimization_close_constraints(struct minimization *m, const struct joint_step *step) {
    if (!has_constraints(m)) {
        return true;
    }
    m->constraint_updates++;
    if (m->constraint_updates <= UPDATE_LIMIT && !minimization_update_multipliers(m, step)) {
        return false;
    }
    // The multipliers become what constraints bear at the current state.
    (void)constraint_set_update(m->objective->constraints, step, m->newton->current.x, NULL);
    return true;
}
