// See recipe.h.
// SPDX-License-Identifier: MIT
#include "integrate/schemes/recipe.h"

#include "pbs/integrator.h"

void recipe_length(struct stage_recipe *out, double length, double time) {
    out->length = length;
    out->weight = length * length;
    out->time = time;
}

void recipe_add_state(struct stage_recipe *out, enum scheme_state s, double factor) {
    out->position_history.x[s] += factor;
    out->velocity_history.v[s] += factor;
}

void recipe_add_rate(struct stage_recipe *out, enum scheme_state s, double factor) {
    out->position_history.v[s] += factor;
    out->velocity_history.a[s] += factor;
}

void recipe_end_with(struct state_recipe *out, enum scheme_state s) {
    out->position.x[s] = 1.0;
    out->velocity.v[s] = 1.0;
    out->acceleration.a[s] = 1.0;
}

void recipe_implicit_euler(const struct step_view *step, struct stage_recipe *out) {
    recipe_length(out, step->h, 1.0);
    recipe_add_state(out, STATE_NOW, 1.0);
}

void recipe_outer_theta(const struct step_view *step, double theta, struct stage_recipe *out) {
    recipe_length(out, theta * step->h, 1.0);
    recipe_add_state(out, STATE_NOW, 1.0);
    recipe_add_rate(out, STATE_NOW, (1.0 - theta) * step->h);
}

double recipe_first_order_theta(double theta) {
    return 0.5 + theta / 50.0;
}

void recipe_start(const struct step_view *step, double theta, struct stage_recipe *out) {
    if (step->start == PBS_START_IMPLICIT_EULER) {
        recipe_implicit_euler(step, out);
    } else if (step->start == PBS_START_TRAPEZOIDAL) {
        recipe_outer_theta(step, 0.5, out);
    } else {
        recipe_outer_theta(step, recipe_first_order_theta(theta), out);
    }
}

uint32_t recipe_one_stage(const struct step_view *step) {
    (void)step;
    return 1;
}

uint32_t recipe_two_stages(const struct step_view *step) {
    (void)step;
    return 2;
}

void recipe_finish_first(const struct step_view *step, struct state_recipe *out) {
    (void)step;
    recipe_end_with(out, STATE_STAGE_1);
}

void recipe_finish_second(const struct step_view *step, struct state_recipe *out) {
    (void)step;
    recipe_end_with(out, STATE_STAGE_2);
}
