// What contact has to do with the correction of energy control where that is no difference of
// forces (docs/theory/energy_control.md section 1.1).
// SPDX-License-Identifier: MIT
#include "integrate/stepping/step_state.h"

#include "base/lanes/vector.h"
#include "base/matrix3/math3.h"

static bool counts_contact(const struct step *step) {
    return step->w->contact_change != NULL &&
           contact_set_bounds(&step->problem->objective.contacts);
}

void step_begin_contact_change(struct step *step) {
    if (counts_contact(step)) {
        vector_zero(step->tasks, step->count, step->w->contact_change);
    }
}

const double *step_contact_change(const struct step *step) {
    return counts_contact(step) ? step->w->contact_change : NULL;
}

/// Returns the forces of contact at x, with friction, or null if the step fails: vector slots.
static const double *find_contact_forces(struct step *step, const double *x) {
    const struct objective *const o = &step->problem->objective;
    double *const force = step->w->gradient_next;
    struct contact_energy energy;
    vector_zero(step->tasks, 3 * o->assembly->vector_slot_count, force);
    const pbs_status status = contact_set_evaluate(&o->contacts, step->tasks, x, true, force,
                                                   &energy);
    step->result.status = status < 0 ? status : step->result.status;
    return status < 0 ? NULL : force;
}

void step_add_contact_change(struct step *step, const struct stage_recipe *stage, const double *x) {
    const struct struck_bodies *const struck = &step->w->struck;
    struct state_recipe recipe = {0};
    if (!counts_contact(step)) {
        return;
    }
    const double *const gradient = find_contact_forces(step, x);
    if (gradient == NULL) {
        return;
    }
    step->problem->scheme->finish(&step->view, &recipe);
    const double correction = recipe.correction.a[STATE_STAGE_1 + step->stage];
    const double all = recipe.impulse[step->stage] + correction;
    const bool is_last = step->stage + 1 == step->stage_count;
    for (size_t i = 0; i < step->w->node_count; i++) {
        const bool forgets = !is_last && struck->any_struck && struck->is_struck[i];
        double *const sum = step->w->contact_change + 3 * i;
        add_scaled3(sum, -(forgets ? stage->length + correction : all), gradient + 3 * i, sum);
    }
}
