// The table of materials, and Lame's parameters.
// SPDX-License-Identifier: MIT
#include "energy/material.h"

const struct material_table *const material_tables[] = {
    &material_fixed_corotated,
    &material_neo_hookean,
    &material_stable_neo_hookean,
    &material_st_venant_kirchhoff,
    NULL,
};

const struct material_table *material_find(int32_t id) {
    for (size_t i = 0; material_tables[i] != NULL; i++) {
        if (material_tables[i]->id == id) {
            return material_tables[i];
        }
    }
    return NULL;
}

void material_lame(double young, double poisson, double *mu, double *lambda) {
    *mu = young / (2.0 * (1.0 + poisson));
    *lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
}
