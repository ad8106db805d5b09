// The three variational integrators of BDEM section 4.1: the action's quadrature at the left point
// (explicit: symplectic Euler), at the midpoint, and at the right point (implicit Euler).
#include "integrate/recipe.h"
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

/// BDEM eq. 22 in terms of y = (x_n + x_{n+1}) / 2: predictor y~ = x_n + (x_n - x_{n-1}) / 2 + (h^2
/// / 4) a_{n-1/2}, weight h^2 / 4. The first step, and one of another length, has the velocity
/// instead.
static void midpoint_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    const double h = step->h;
    recipe_length(out, 0.5 * h, 0.5);
    out->position_history.x[STATE_NOW] = 1.0;
    if (step->known > 1 && step->h == step->h_before) {
        out->velocity_history.x[STATE_NOW] = 1.0 / h;
        out->velocity_history.x[STATE_BEFORE] = -1.0 / h;
        out->velocity_history.a[STATE_NOW] = 0.5 * h;
    } else {
        out->velocity_history.v[STATE_NOW] = 1.0;
    }
}

/// x_{n+1} = 2 y - x_n, v_{n+1} = (x_{n+1} - x_n) / h + (h / 2) a_{n+1/2}; a_{n+1/2} is kept.
static void midpoint_finish(const struct step_view *step, struct state_recipe *out) {
    const double h = step->h;
    out->position.x[STATE_STAGE_1] = 2.0;
    out->position.x[STATE_NOW] = -1.0;
    out->velocity.x[STATE_STAGE_1] = 2.0 / h;
    out->velocity.x[STATE_NOW] = -2.0 / h;
    out->velocity.a[STATE_STAGE_1] = 0.5 * h;
    out->acceleration.a[STATE_STAGE_1] = 1.0;
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
    .history = 2,
    .order = 2,
    .stage_limit = 1,
    .acceleration = ACCELERATION_KEPT,
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
