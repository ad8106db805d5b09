// The table of schemes. A new scheme is one row here and one file.
// SPDX-License-Identifier: MIT
#include "integrate/scheme.h"

const struct scheme_table *const scheme_tables[] = {
    &scheme_implicit_euler,
    &scheme_trapezoidal,
    &scheme_implicit_midpoint,
    &scheme_inner_theta,
    &scheme_outer_theta,
    &scheme_first_order_theta,
    &scheme_second_order_theta,
    &scheme_bdf2,
    &scheme_newmark,
    &scheme_generalized_alpha,
    &scheme_sdirk2,
    &scheme_tr_bdf2,
    &scheme_symplectic_euler,
    &scheme_variational_midpoint,
    &scheme_variational_right_point,
    &scheme_a_1,
    &scheme_a_search,
    &scheme_sparse_a_search,
    &scheme_decoupled_sdirk2,
    &scheme_energy_blending,
    &scheme_velocity_verlet,
    &scheme_quasi_static,
    NULL,
};

const struct scheme_table *scheme_find(int32_t id) {
    for (const struct scheme_table *const *table = scheme_tables; *table != NULL; table++) {
        if ((*table)->id == id) {
            return *table;
        }
    }
    return NULL;
}

bool scheme_stores_acceleration(const struct scheme_table *scheme) {
    return scheme->acceleration == ACCELERATION_STORED ||
           scheme->acceleration == ACCELERATION_SHIFTED;
}

bool scheme_resolves_acceleration(double h, double h_before) {
    return h <= 100.0 * h_before;
}
