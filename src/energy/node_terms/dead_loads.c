// Evaluates dead loads by a loop over the nodes of a domain; the term has no stencils.
// SPDX-License-Identifier: MIT
#include "energy/node_terms/dead_loads.h"

#include "base/matrix3/math3.h"

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct dead_loads *loads = self;
    const struct layout *layout = &assembly->layout;
    (void)groups;
    if (!loads->any) {
        return EVALUATE_OK;
    }
    for (uint32_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1];
         row++) {
        const size_t node = layout->node[row];
        const double *force = loads->force + 3 * node;
        if ((evaluation->what & EVALUATE_VALUE) != 0 && !evaluation->at_chart_origin) {
            double moved[3];
            subtract3(evaluation->x + 3 * node, loads->reference + 3 * node, moved);
            const double value = -dot3(force, moved);
            sums->value += value;
            if (sums->node_values != NULL) {
                sums->node_values[node] += value;
            }
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            subtract3(sums->gradient + 3 * node, force, sums->gradient + 3 * node);
        }
    }
    return EVALUATE_OK;
}

static const struct term_table table = {
    .name = "dead loads",
    .kind = ENERGY_EXTERNAL,
    .evaluate = evaluate,
    .is_linear = true,
};

struct term dead_loads_term(struct dead_loads *loads) {
    return (struct term){.table = &table, .self = loads};
}
