// Two-step schemes whose coefficients depend on the step ratio om = h / h_before: BDF2, and GAT's
// second-order theta method, which lies between the trapezoidal rule (theta = 0) and BDF2 (1). They
// are zero-stable for theta q < 1, q = om^2 / (1 + 2 om) (docs/theory/schemes.md section 2), and of
// second order for any theta. A starting step is used only if z_{n-1} is unusable.
// SPDX-License-Identifier: MIT
#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

// Beyond this om theta is reduced, so that the weight of z_{n-1} stays that at RATIO_LIMIT. Steps
// may then grow by any factor, repeatedly, without losing order or stability.
#define RATIO_LIMIT 2.0
// Theta of starting steps by the first-order theta method, for schemes without theta: GAT's
// recommendation.
#define START_THETA 0.07

static double back_weight(double om) {
    return om * om / (1.0 + 2.0 * om);
}

/// b = h ((1 - th) / 2 + th (1 + om) / (1 + 2 om)), p = z_n + th q (z_n - z_{n-1}) + (1 - th) (h /
/// 2) z'_n, q = om^2 / (1 + 2 om).
static void set_stage(const struct step_view *step, double theta, struct stage_recipe *out) {
    const double om = step->h / step->h_before;
    if (om > RATIO_LIMIT) {
        theta *= back_weight(RATIO_LIMIT) / back_weight(om);
    }
    const double back = theta * back_weight(om);
    recipe_length(out, step->h * ((1.0 - theta) / 2.0 + theta * (1.0 + om) / (1.0 + 2.0 * om)),
                  1.0);
    recipe_add_state(out, STATE_NOW, 1.0 + back);
    recipe_add_state(out, STATE_BEFORE, -back);
    recipe_add_rate(out, STATE_NOW, (1.0 - theta) * step->h / 2.0);
}

static void bdf2_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    if (step->known > 1) {
        set_stage(step, 1.0, out);
    } else {
        recipe_start(step, START_THETA, out);
    }
}

static void theta_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    if (step->known > 1) {
        set_stage(step, step->parameters[0], out);
    } else {
        recipe_start(step, step->parameters[0], out);
    }
}

const struct scheme_table scheme_bdf2 = {
    .id = PBS_SCHEME_BDF2,
    .name = "bdf2",
    .history = 2,
    .order = 2,
    .stage_limit = 1,
    .acceleration = ACCELERATION_STORED,
    .forgets_impacts = true,
    .start = PBS_START_IMPLICIT_EULER,
    .stage_count = recipe_one_stage,
    .stage = bdf2_stage,
    .finish = recipe_finish_first,
};

const struct scheme_table scheme_second_order_theta = {
    .id = PBS_SCHEME_SECOND_ORDER_THETA,
    .name = "second-order-theta",
    .history = 2,
    .order = 2,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .acceleration = ACCELERATION_STORED,
    .keeps_impacts = true,
    .restarts_when_divided = true,
    .start = PBS_START_FIRST_ORDER_THETA,
    .parameters = {{"theta", 0.07, 0.0, 1.0}},
    .stage_count = recipe_one_stage,
    .stage = theta_stage,
    .finish = recipe_finish_first,
};
