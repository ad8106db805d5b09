// Converts coefficients of positions, velocities and accelerations to coefficients of strains and
// of their first and second time derivatives. For stages the strain rates computed by the recipes
// are used.
// SPDX-License-Identifier: MIT
#include "integrate/states/strain_rates.h"

_Static_assert(SCHEME_STAGE_LIMIT <= STRAIN_RATE_COUNT + 1, "a rate for all stages but the last");
_Static_assert((int)STATE_COUNT <= (int)STRAIN_PART_LIMIT, "a part for each state");

/// Adds a state. The second time derivative of a strain e is e'(a) + e''(v, v); by_curvature is the
/// coefficient of the second part.
static void add_state(struct strain_stage *stage, const struct kinematics *state, double by_x,
                      double by_v, double by_a, double by_curvature) {
    const bool turns = by_v != 0.0 || by_a != 0.0 || by_curvature != 0.0;
    if (by_x != 0.0 || turns) {
        stage->parts[stage->part_count] = (struct strain_part){.x = state->x,
                                                               .v = turns ? state->v : NULL,
                                                               .a = by_a != 0.0 ? state->a : NULL,
                                                               .strain = by_x,
                                                               .rate = by_v,
                                                               .acceleration = by_a,
                                                               .curvature = by_a + by_curvature};
        stage->part_count++;
    }
}

/// A stage at x_n + s (x_{n+1} - x_n), with s its time, lies on the chord of a motion that may
/// rotate. The strain there is below the mean of both ends by s (1 - s) / 2 times the second
/// derivative along the chord, which is approximated with h v_n. The history is reduced by the same
/// amount, so that the rate is the one between the ends.
static double chord_curvature(const struct stage_recipe *recipe, double h) {
    return -0.5 * recipe->time * (1.0 - recipe->time) * h * h;
}

struct strain_stage strain_stage_of(const struct stage_recipe *recipe,
                                    const struct kinematics states[STATE_COUNT], double h,
                                    bool extrapolates) {
    const struct combination *history = &recipe->position_history;
    struct strain_stage stage = {0};
    for (int s = 0; s < STATE_COUNT; s++) {
        const bool solved = s >= STATE_STAGE_1;
        const double curvature = s == STATE_NOW && extrapolates ? chord_curvature(recipe, h) : 0.0;
        add_state(&stage, &states[s], history->x[s], solved ? 0.0 : history->v[s],
                  solved ? 0.0 : history->a[s], curvature);
    }
    for (int r = 0; r < STRAIN_RATE_COUNT; r++) {
        stage.by_rate[r] = history->v[STATE_STAGE_1 + r];
    }
    return stage;
}

struct strain_stage strain_stage_now(const struct kinematics *now, double h) {
    struct strain_stage stage = {0};
    add_state(&stage, now, 1.0, -h, 0.0, 0.0);
    return stage;
}
