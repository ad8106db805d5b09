// Joints in the minimisation: an augmented Lagrangian whose multipliers change at every full Newton
// step, not only at solutions. Theory: docs/theory/joints.md section 3.
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

static bool has_joints(const struct minimization *m) {
    return m->objective->joints != NULL && m->objective->joints->count > 0;
}

static void change_objective(struct minimization *m, double change) {
    struct objective_result *const now = &m->newton->current.objective;
    now->value += change;
    now->by_kind[ENERGY_CONTACT] += change;
}

bool minimization_update_joints(struct minimization *m, const struct joint_step *step) {
    if (!has_joints(m)) {
        return true;
    }
    struct joint_set *const joints = m->objective->joints;
    struct iterate *const current = &m->newton->current;
    const double gap = joint_set_gap(joints, NULL, current->x, false);
    const double expected = step != NULL ? joint_set_gap(joints, step, current->x, false) : gap;
    const bool is_slow = expected > SLOW * m->joint_gap && expected < m->joint_gap;
    m->joint_gap = gap;
    m->result.joint_gap = gap;
    if (gap <= 1.0 && (m->joint_updates > MOTOR_UPDATE_LIMIT ||
                       joint_set_gap(joints, NULL, current->x, true) <= 1.0)) {
        return true;
    }
    // Forces of a step that reckoned with other ropes than those that are taut now are of no use.
    if (step != NULL && m->joint_updates == 0 && !joint_set_agrees(joints, step)) {
        return false;
    }
    change_objective(m, joint_set_update(joints, step, current->x, current->gradient));
    if (is_slow) {
        change_objective(m, joint_set_stiffen(joints, current->x, STIFFER, current->gradient));
    }
    return false;
}

bool minimization_close_joints(struct minimization *m, const struct joint_step *step) {
    if (!has_joints(m)) {
        return true;
    }
    m->joint_updates++;
    if (m->joint_updates <= UPDATE_LIMIT && !minimization_update_joints(m, step)) {
        return false;
    }
    minimization_finish_joints(m, step);
    return true;
}

void minimization_finish_joints(struct minimization *m, const struct joint_step *step) {
    if (has_joints(m)) {
        (void)joint_set_update(m->objective->joints, step, m->newton->current.x, NULL);
    }
}
