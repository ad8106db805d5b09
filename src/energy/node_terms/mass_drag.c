// Evaluates mass drag by a loop over the nodes of a domain. The term has no stencils; its Hessian
// is a multiple of the identity in each diagonal block.
// SPDX-License-Identifier: MIT
#include "energy/node_terms/mass_drag.h"

#include "base/matrix3/math3.h"

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct mass_drag *drag = self;
    const struct layout *layout = &assembly->layout;
    (void)groups;
    for (uint32_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1];
         row++) {
        const size_t node = layout->node[row];
        const double stiffness = drag->rate[node] * drag->mass[node] / evaluation->stage.length;
        double moved[3];
        subtract3(evaluation->x + 3 * node, evaluation->stage.origin + 3 * node, moved);
        if (evaluation->what & EVALUATE_VALUE) {
            const double value = 0.5 * stiffness * dot3(moved, moved);
            sums->value += value;
            if (sums->node_values != NULL) {
                sums->node_values[node] += value;
            }
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            double *gradient = sums->gradient + 3 * node;
            add_scaled3(gradient, stiffness, moved, gradient);
        }
        if (evaluation->what & EVALUATE_HESSIAN) {
            double *block = sums->blocks + 9 * assembly->pattern.row_start[row];
            block[0] += stiffness;
            block[4] += stiffness;
            block[8] += stiffness;
        }
    }
    return EVALUATE_OK;
}

static const struct term_table table = {
    .name = "mass-drag",
    .kind = ENERGY_DISSIPATED,
    .evaluate = evaluate,
};

struct term mass_drag_term(struct mass_drag *drag) {
    return (struct term){.table = &table, .self = drag};
}
