// Stress of a body's elements at any positions of its nodes, as pbs_body_element_stress has it.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BODIES_ELEMENT_STRESS_H
#define PBS_WORLD_BODIES_ELEMENT_STRESS_H

#include "world/objects/body_table.h"

struct element_stress {
    int32_t item; ///< PBS_ITEM_TET or PBS_ITEM_TRIANGLE
    size_t (*count)(const struct body *body);
    /// Computes the stress (3 x 3, Pa) with the body's nodes at x; NaN if the element has no volume
    /// or area left.
    void (*measure)(const struct body *body, const double *x, size_t element, double stress[9]);
};

extern const struct element_stress solid_stress, shell_stress;

#endif
