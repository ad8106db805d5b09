// Coulomb coefficients of pairs of surface materials. A pair without an entry uses the larger of
// the two surfaces' coefficients. A zero-initialised table is empty.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SURFACES_FRICTION_TABLE_H
#define PBS_CONTACT_SURFACES_FRICTION_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "pbs/world.h"

struct friction_table {
    bool is_set[PBS_SURFACE_MATERIALS][PBS_SURFACE_MATERIALS];
    double friction[PBS_SURFACE_MATERIALS][PBS_SURFACE_MATERIALS]; ///< symmetric
};

/// The surface properties of one side of a contact.
struct surface {
    double friction; ///< Coulomb coefficient for pairs without an entry
    uint32_t material;
    double rolling, spinning; ///< coefficients of rolling and spinning resistance of spheres
};

static inline void friction_table_set(struct friction_table *table, uint32_t a, uint32_t b,
                                      double friction) {
    table->is_set[a][b] = table->is_set[b][a] = true;
    table->friction[a][b] = table->friction[b][a] = friction;
}

/// Returns the Coulomb coefficient of two surfaces. table may be null, which is an empty table.
static inline double friction_between(const struct friction_table *table, const struct surface *a,
                                      const struct surface *b) {
    return table != NULL && table->is_set[a->material][b->material]
               ? table->friction[a->material][b->material]
               : fmax(a->friction, b->friction);
}

#endif
