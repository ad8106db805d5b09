// Schemes of two stages, where the second has the first in its history: SDIRK2 with g = 1 -
// 1/sqrt(2), and TR-BDF2 with g = 2 - sqrt(2), whose stages have the same weight. Both end at the
// second stage.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

static void sdirk2_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    const double g = 1.0 - sqrt(0.5);
    recipe_length(out, g * step->h, index == 0 ? g : 1.0);
    recipe_add_state(out, STATE_NOW, 1.0);
    if (index == 1) {
        recipe_add_rate(out, STATE_STAGE_1, (1.0 - g) * step->h);
        out->since = (1.0 - g) * step->h;
    }
}

static void tr_bdf2_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    const double g = 2.0 - sqrt(2.0);
    recipe_length(out, 0.5 * g * step->h, index == 0 ? g : 1.0);
    if (index == 0) {
        recipe_add_state(out, STATE_NOW, 1.0);
        recipe_add_rate(out, STATE_NOW, 0.5 * g * step->h);
    } else {
        recipe_add_state(out, STATE_STAGE_1, 1.0 / (g * (2.0 - g)));
        recipe_add_state(out, STATE_NOW, -(1.0 - g) * (1.0 - g) / (g * (2.0 - g)));
        out->since = (1.0 - g) * step->h;
    }
}

const struct scheme_table scheme_sdirk2 = {
    .id = PBS_SCHEME_SDIRK2,
    .name = "sdirk2",
    .history = 1,
    .order = 2,
    .stage_limit = 2,
    .forgets_impacts = true,
    .stage_count = recipe_two_stages,
    .stage = sdirk2_stage,
    .finish = recipe_finish_second,
};

const struct scheme_table scheme_tr_bdf2 = {
    .id = PBS_SCHEME_TR_BDF2,
    .name = "tr-bdf2",
    .history = 1,
    .order = 2,
    .stage_limit = 2,
    .acceleration = ACCELERATION_STORED,
    .keeps_impacts = true,
    .forgets_impacts = true,
    .stage_count = recipe_two_stages,
    .stage = tr_bdf2_stage,
    .finish = recipe_finish_second,
};
