// Schemes with energy control: the alpha-method with implicit Euler and with SDIRK2 (ECI
// sections 4.3 and 4.4), and blending of implicit Euler with the implicit midpoint rule (Dinev et
// al. 2018). The choice of alpha is a setting of the integrator, the same for all
// (energy_control.c). Theory: docs/theory/energy_control.md sections 1 and 6.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

static uint32_t three_stages(const struct step_view *step) {
    (void)step;
    return 3;
}

// --- with implicit Euler ---

static void euler_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    recipe_implicit_euler(step, out);
}

/// w = v of implicit Euler, dv = h M^-1 (grad P(x_n) - grad P(x_{n+1})): with alpha = 1 the
/// velocity results from the forces at x_n.
static void euler_finish(const struct step_view *step, struct state_recipe *out) {
    recipe_end_with(out, STATE_STAGE_1);
    out->gradient_now = step->h;
    out->gradient_next = -step->h;
    out->moment_time = step->h;
    out->impulse[0] = step->h;
}

// --- with SDIRK2 ---

/// First the stage of the adjoint, z_n + g h z'_n + (1 - 2 g) h z'*; then the two of SDIRK2, so
/// that the step ends at the last stage's solution.
static void sdirk2_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    const double g = 1.0 - sqrt(0.5);
    recipe_add_state(out, STATE_NOW, 1.0);
    if (index == 0) {
        recipe_length(out, (1.0 - 2.0 * g) * step->h, 1.0 - g);
        recipe_add_rate(out, STATE_NOW, g * step->h);
        out->share = 0.0;
    } else if (index == 1) {
        recipe_length(out, g * step->h, g);
        out->share = 1.0 - g;
    } else {
        recipe_length(out, g * step->h, 1.0);
        recipe_add_rate(out, STATE_STAGE_2, (1.0 - g) * step->h);
        out->since = (1.0 - g) * step->h;
        out->share = g;
    }
}

/// w = v of SDIRK2; w - dv = v* = v_n + h ((1 - g) A* + g a_n), the adjoint's velocity.
static void sdirk2_finish(const struct step_view *step, struct state_recipe *out) {
    const double g = 1.0 - sqrt(0.5);
    recipe_end_with(out, STATE_STAGE_3);
    out->correction.v[STATE_STAGE_3] = 1.0;
    out->correction.v[STATE_NOW] = -1.0;
    out->correction.a[STATE_STAGE_1] = -(1.0 - g) * step->h;
    out->correction.a[STATE_NOW] = -g * step->h;
    out->impulse[1] = (1.0 - g) * step->h;
    out->impulse[2] = g * step->h;
}

// --- blending ---

/// First implicit midpoint, which measures dissipation to second order; then implicit Euler, whose
/// contact forces are used for the step.
static void blending_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    recipe_length(out, index == 0 ? 0.5 * step->h : step->h, index == 0 ? 0.5 : 1.0);
    out->share = index == 0 ? 1.0 : 0.0;
    recipe_add_state(out, STATE_NOW, 1.0);
}

/// alpha = 0: implicit Euler; alpha = 1: midpoint, z_n + 2 (Z - z_n).
static void blending_finish(const struct step_view *step, struct state_recipe *out) {
    (void)step;
    recipe_end_with(out, STATE_STAGE_2);
    out->position_correction.x[STATE_STAGE_2] = out->correction.v[STATE_STAGE_2] = 1.0;
    out->position_correction.x[STATE_STAGE_1] = out->correction.v[STATE_STAGE_1] = -2.0;
    out->position_correction.x[STATE_NOW] = out->correction.v[STATE_NOW] = 1.0;
}

// --- rows ---

const struct scheme_table scheme_a_1 = {
    .id = PBS_SCHEME_A_1,
    .name = "a-1",
    .history = 1,
    .order = 1,
    .stage_limit = 1,
    .control = CONTROL_VELOCITY,
    .free_fall_defect = 0.5,
    .alpha_choice = PBS_ALPHA_FIXED,
    .stage_count = recipe_one_stage,
    .stage = euler_stage,
    .finish = euler_finish,
};

const struct scheme_table scheme_a_search = {
    .id = PBS_SCHEME_A_SEARCH,
    .name = "a-search",
    .history = 1,
    .order = 1,
    .stage_limit = 1,
    .control = CONTROL_VELOCITY,
    .free_fall_defect = 0.5,
    .alpha_choice = PBS_ALPHA_SEARCH,
    .stage_count = recipe_one_stage,
    .stage = euler_stage,
    .finish = euler_finish,
};

const struct scheme_table scheme_sparse_a_search = {
    .id = PBS_SCHEME_SPARSE_A_SEARCH,
    .name = "sparse-a-search",
    .history = 1,
    .order = 1,
    .stage_limit = 1,
    .control = CONTROL_VELOCITY,
    .free_fall_defect = 0.5,
    .alpha_choice = PBS_ALPHA_SPARSE_SEARCH,
    .stage_count = recipe_one_stage,
    .stage = euler_stage,
    .finish = euler_finish,
};

const struct scheme_table scheme_decoupled_sdirk2 = {
    .id = PBS_SCHEME_DECOUPLED_SDIRK2,
    .name = "decoupled-sdirk2",
    .history = 1,
    .order = 2,
    .stage_limit = 3,
    .forgets_impacts = true,
    .acceleration = ACCELERATION_STORED,
    .control = CONTROL_VELOCITY,
    .alpha_choice = PBS_ALPHA_SEARCH,
    .stage_count = three_stages,
    .stage = sdirk2_stage,
    .finish = sdirk2_finish,
};

const struct scheme_table scheme_energy_blending = {
    .id = PBS_SCHEME_ENERGY_BLENDING,
    .name = "energy-blending",
    .history = 1,
    .order = 2,
    .stage_limit = 2,
    .leaves_feasible = true,
    .control = CONTROL_STATE,
    .alpha_choice = PBS_ALPHA_SEARCH,
    .stage_count = recipe_two_stages,
    .stage = blending_stage,
    .finish = blending_finish,
};
