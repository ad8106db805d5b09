// Coulomb coefficients of pairs of surface materials. Where the table has none, the larger of the
// two surfaces' own counts. All zero is an empty one.
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

/// One side of a contact.
struct surface {
    double friction; ///< Coulomb coefficient of its own
    uint32_t material;
    double rolling, spinning; ///< coefficients of spheres' resistance to that
};

static inline void friction_table_set(struct friction_table *table, uint32_t a, uint32_t b,
                                      double friction) {
    table->is_set[a][b] = table->is_set[b][a] = true;
    table->friction[a][b] = table->friction[b][a] = friction;
}

/// table: null: an empty one.
static inline double friction_between(const struct friction_table *table, const struct surface *a,
                                      const struct surface *b) {
    return table != NULL && table->is_set[a->material][b->material]
               ? table->friction[a->material][b->material]
               : fmax(a->friction, b->friction);
}

#endif
