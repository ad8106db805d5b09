// The three variational integrators of BDEM section 4.1, by the quadrature of the action: left
// point (explicit: symplectic Euler), midpoint, right point (implicit Euler).
// SPDX-License-Identifier: MIT
#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

static uint32_t no_stage(const struct step_view *step) {
    (void)step;
    return 0;
}

static void no_recipe(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)step;
    (void)index;
    (void)out;
}

/// v = v_n + h a(x_n), x = x_n + h v (BDEM eq. 24).
static void left_finish(const struct step_view *step, struct state_recipe *out) {
    const double h = step->h;
    out->velocity.v[STATE_NOW] = 1.0;
    out->velocity.a[STATE_NOW] = h;
    out->position.x[STATE_NOW] = 1.0;
    out->position.v[STATE_NOW] = h;
    out->position.a[STATE_NOW] = h * h;
}

/// BDEM eq. 22 in terms of y = (x_n + x_{n+1}) / 2: weight h^2 / 4 and predictor y~ = x_n + (h / 2)
/// v_n, where v_n = (x_n - x_{n-1}) / h + (h / 2) a_{n-1/2} is momentum over mass (eq. 19). In this
/// form changes of velocity between steps, such as friction, take effect.
static void midpoint_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    recipe_length(out, 0.5 * step->h, 0.5);
    recipe_add_state(out, STATE_NOW, 1.0);
}

/// x_{n+1} = 2 y - x_n, v_{n+1} = (x_{n+1} - x_n) / h + (h / 2) a_{n+1/2} (eq. 20).
static void midpoint_finish(const struct step_view *step, struct state_recipe *out) {
    const double h = step->h;
    out->position.x[STATE_STAGE_1] = 2.0;
    out->position.x[STATE_NOW] = -1.0;
    out->velocity.x[STATE_STAGE_1] = 2.0 / h;
    out->velocity.x[STATE_NOW] = -2.0 / h;
    out->velocity.a[STATE_STAGE_1] = 0.5 * h;
    out->moment_time = h;
}

static void right_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    recipe_implicit_euler(step, out);
}

const struct scheme_table scheme_symplectic_euler = {
    .id = PBS_SCHEME_SYMPLECTIC_EULER,
    .name = "symplectic-euler",
    .history = 1,
    .order = 1,
    .stage_limit = 0,
    .acceleration = ACCELERATION_COMPUTED,
    .leaves_feasible = true,
    .stage_count = no_stage,
    .stage = no_recipe,
    .finish = left_finish,
};

const struct scheme_table scheme_variational_midpoint = {
    .id = PBS_SCHEME_VARIATIONAL_MIDPOINT,
    .name = "variational-midpoint",
    .history = 1,
    .order = 2,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .leaves_feasible = true,
    .stage_count = recipe_one_stage,
    .stage = midpoint_stage,
    .finish = midpoint_finish,
};

const struct scheme_table scheme_variational_right_point = {
    .id = PBS_SCHEME_VARIATIONAL_RIGHT_POINT,
    .name = "variational-right-point",
    .history = 1,
    .order = 1,
    .stage_limit = 1,
    .stage_count = recipe_one_stage,
    .stage = right_stage,
    .finish = recipe_finish_first,
};
