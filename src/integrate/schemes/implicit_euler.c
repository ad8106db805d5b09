// Implicit Euler: x = x_n + h v, v = v_n + h a(x, v). docs/theory/schemes.md section 2, first row.
// SPDX-License-Identifier: MIT
#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

static void stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    recipe_implicit_euler(step, out);
}

const struct scheme_table scheme_implicit_euler = {
    .id = PBS_SCHEME_IMPLICIT_EULER,
    .name = "implicit-euler",
    .history = 1,
    .order = 1,
    .stage_limit = 1,
    .may_be_linearized = true,
    .stage_count = recipe_one_stage,
    .stage = stage,
    .finish = recipe_finish_first,
};
