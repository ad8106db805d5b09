// Velocity Verlet: explicit, of second order, reversible in time (Hairer, Lubich and Wanner,
// "Geometric numerical integration illustrated by the Stoermer-Verlet method", Acta Numerica 12,
// 2003).
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

/// x = x_n + h (v_n + h / 2 a_n), v = v_n + h / 2 (a_n + a(x)). Velocity-dependent forces are
/// evaluated with v_n + h a_n, which preserves the order.
static void verlet_finish(const struct step_view *step, struct state_recipe *out) {
    const double h = step->h;
    out->position.x[STATE_NOW] = 1.0;
    out->position.v[STATE_NOW] = h;
    out->position.a[STATE_NOW] = 0.5 * h * h;
    out->velocity.v[STATE_NOW] = 1.0;
    out->velocity.a[STATE_NOW] = h;
    out->kick = 0.5 * h;
}

const struct scheme_table scheme_velocity_verlet = {
    .id = PBS_SCHEME_VELOCITY_VERLET,
    .name = "velocity-verlet",
    .history = 1,
    .order = 2,
    .stage_limit = 0,
    .acceleration = ACCELERATION_STORED,
    .leaves_feasible = true,
    .kicks = true,
    .parameters = {{"share", 0.8, 0.01, 1.0}},
    .stage_count = no_stage,
    .stage = no_recipe,
    .finish = verlet_finish,
};
