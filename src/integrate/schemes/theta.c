// One-step theta methods. The outer method weighs the rates at z_n and z_{n+1} with 1 - theta and
// theta. The inner method evaluates the rate at the state weighted like that. The trapezoidal rule
// and implicit midpoint are the two at theta = 1/2. GAT's first-order method is the outer one near
// 1/2.
// SPDX-License-Identifier: MIT
#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

static void trapezoidal_stage(const struct step_view *step, uint32_t index,
                              struct stage_recipe *out) {
    (void)index;
    recipe_outer_theta(step, 0.5, out);
}

static void outer_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    recipe_outer_theta(step, step->parameters[0], out);
}

static void first_order_stage(const struct step_view *step, uint32_t index,
                              struct stage_recipe *out) {
    (void)index;
    recipe_outer_theta(step, recipe_first_order_theta(step->parameters[0]), out);
}

/// Y = z_n + theta h Y'.
static void set_inner_stage(const struct step_view *step, double theta, struct stage_recipe *out) {
    recipe_length(out, theta * step->h, theta);
    recipe_add_state(out, STATE_NOW, 1.0);
}

/// z_{n+1} = z_n + (Y - z_n) / theta.
static void set_inner_finish(double h, double theta, struct state_recipe *out) {
    out->moment_time = h;
    out->position.x[STATE_STAGE_1] = out->velocity.v[STATE_STAGE_1] = 1.0 / theta;
    out->position.x[STATE_NOW] = out->velocity.v[STATE_NOW] = 1.0 - 1.0 / theta;
}

static void inner_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    set_inner_stage(step, step->parameters[0], out);
}

static void inner_finish(const struct step_view *step, struct state_recipe *out) {
    set_inner_finish(step->h, step->parameters[0], out);
}

static void midpoint_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    set_inner_stage(step, 0.5, out);
}

static void midpoint_finish(const struct step_view *step, struct state_recipe *out) {
    set_inner_finish(step->h, 0.5, out);
}

const struct scheme_table scheme_trapezoidal = {
    .id = PBS_SCHEME_TRAPEZOIDAL,
    .name = "trapezoidal",
    .history = 1,
    .order = 2,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .may_be_linearized = true,
    .acceleration = ACCELERATION_STORED,
    .keeps_impacts = true,
    .stage_count = recipe_one_stage,
    .stage = trapezoidal_stage,
    .finish = recipe_finish_first,
};

const struct scheme_table scheme_outer_theta = {
    .id = PBS_SCHEME_OUTER_THETA,
    .name = "outer-theta",
    .history = 1,
    .order = 1,
    .damps_ahead = true,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .acceleration = ACCELERATION_STORED,
    .keeps_impacts = true,
    .parameters = {{"theta", 0.6, 0.5, 1.0}},
    .stage_count = recipe_one_stage,
    .stage = outer_stage,
    .finish = recipe_finish_first,
};

const struct scheme_table scheme_first_order_theta = {
    .id = PBS_SCHEME_FIRST_ORDER_THETA,
    .name = "first-order-theta",
    .history = 1,
    .order = 1,
    .damps_ahead = true,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .acceleration = ACCELERATION_STORED,
    .keeps_impacts = true,
    .parameters = {{"theta", 0.07, 0.0, 1.0}},
    .stage_count = recipe_one_stage,
    .stage = first_order_stage,
    .finish = recipe_finish_first,
};

const struct scheme_table scheme_implicit_midpoint = {
    .id = PBS_SCHEME_IMPLICIT_MIDPOINT,
    .name = "implicit-midpoint",
    .history = 1,
    .order = 2,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .leaves_feasible = true,
    .stage_count = recipe_one_stage,
    .stage = midpoint_stage,
    .finish = midpoint_finish,
};

const struct scheme_table scheme_inner_theta = {
    .id = PBS_SCHEME_INNER_THETA,
    .name = "inner-theta",
    .history = 1,
    .order = 1,
    .damps_ahead = true,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .leaves_feasible = true,
    .parameters = {{"theta", 0.6, 0.5, 1.0}},
    .stage_count = recipe_one_stage,
    .stage = inner_stage,
    .finish = inner_finish,
};
