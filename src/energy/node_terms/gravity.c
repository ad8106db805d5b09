// Evaluates gravity by a loop over the nodes of a domain; the term has no stencils.
// SPDX-License-Identifier: MIT
#include "energy/node_terms/gravity.h"

#include "base/matrix3/math3.h"

/// Adds the potential and gradient of a constant force on one node.
static void add_force(const struct gravity *gravity, const struct evaluation *evaluation,
                      size_t node, double factor, const double force[3],
                      struct evaluation_sums *sums) {
    if ((evaluation->what & EVALUATE_VALUE) != 0 && !evaluation->at_chart_origin) {
        double moved[3];
        subtract3(evaluation->x + 3 * node, gravity->reference + 3 * node, moved);
        const double value = -factor * dot3(force, moved);
        sums->value += value;
        if (sums->node_values != NULL) {
            sums->node_values[node] += value;
        }
    }
    if (evaluation->what & EVALUATE_GRADIENT) {
        double *gradient = sums->gradient + 3 * node;
        add_scaled3(gradient, -factor, force, gradient);
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct gravity *gravity = self;
    const struct layout *layout = &assembly->layout;
    const bool pulls = norm3(gravity->acceleration) > 0.0;
    (void)groups;
    if (!pulls && gravity->weight == NULL) {
        return EVALUATE_OK;
    }
    for (uint32_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1];
         row++) {
        const size_t node = layout->node[row];
        // Without mass: rotation nodes, and nodes of bodies without gravity.
        if (pulls && gravity->mass[node] != 0.0) {
            add_force(gravity, evaluation, node, gravity->mass[node], gravity->acceleration, sums);
        }
        if (gravity->weight != NULL) {
            add_force(gravity, evaluation, node, 1.0, gravity->weight + 3 * node, sums);
        }
    }
    return EVALUATE_OK;
}

static const struct term_table table = {
    .name = "gravity",
    .kind = ENERGY_GRAVITY,
    .evaluate = evaluate,
    .is_linear = true,
};

struct term gravity_term(struct gravity *gravity) {
    return (struct term){.table = &table, .self = gravity};
}
