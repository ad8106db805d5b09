// Adds precomputed forces by a loop over the nodes of a domain; the term has no stencils.
// SPDX-License-Identifier: MIT
#include "energy/node_terms/precomputed_forces.h"

#include "base/matrix3/math3.h"

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct precomputed_forces *forces = self;
    const struct layout *layout = &assembly->layout;
    (void)groups;
    if (*forces->value == 0.0) {
        return EVALUATE_OK;
    }
    if (domain == 0 && (evaluation->what & EVALUATE_VALUE) != 0) {
        sums->value += *forces->value;
    }
    for (uint32_t row = layout->domain_start[domain];
         (evaluation->what & EVALUATE_GRADIENT) != 0 && row < layout->domain_start[domain + 1];
         row++) {
        const size_t node = layout->node[row];
        double *gradient = sums->gradient + 3 * node;
        subtract3(gradient, forces->force + 3 * node, gradient);
    }
    return EVALUATE_OK;
}

static const struct term_table table = {
    .name = "forces of contact",
    .kind = ENERGY_CONTACT,
    .evaluate = evaluate,
};

struct term precomputed_forces_term(struct precomputed_forces *forces) {
    return (struct term){.table = &table, .self = forces};
}
