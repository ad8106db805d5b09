// Bonds and what they bear, as hosts read them.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/world.h"
#include "world/objects/body_table.h"

pbs_status pbs_body_bonds(const pbs_world *w, pbs_body b, const uint32_t **pairs,
                          size_t *bond_count) {
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "nothing of it bears a load", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(pairs, "pairs"));
    RETURN_IF_FAILED(check_pointer(bond_count, "bond_count"));
    *pairs = body->bonds.count > 0 ? body->bonds.pairs : NULL;
    *bond_count = body->bonds.count;
    return PBS_OK;
}

void breaking_read_loads(const struct nodes *nodes, const struct body *body, size_t first,
                         size_t count, pbs_bond_load *loads) {
    const struct particle_view view = {vertices_positions(nodes, body), body->bonded.orientations};
    double energies[BOND_BATCH];
    body->table->read_loads(body, &view, first, count, loads, energies);
    for (size_t i = 0; i < count; i++) {
        if (body->bonds.broken[first + i] != 0) {
            loads[i] = (pbs_bond_load){0};
        }
    }
}

pbs_status pbs_body_bond_loads(const pbs_world *w, pbs_body b, pbs_bond_load *dst,
                               size_t struct_size, size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "nothing of it bears a load", &status);
    RETURN_IF_FAILED(status);
    const size_t bonds = body->bonds.count;
    RETURN_IF_FAILED(rows_begin(&settings_bond_load, struct_size, dst, count, bonds, "bonds"));
    for (size_t i = 0; dst != NULL && i < bonds; i += BOND_BATCH) {
        const size_t some = bonds - i < BOND_BATCH ? bonds - i : BOND_BATCH;
        pbs_bond_load loads[BOND_BATCH];
        breaking_read_loads(&w->scene.nodes, body, i, some, loads);
        for (size_t k = 0; k < some; k++) {
            row_write(&settings_bond_load, &loads[k], struct_size,
                      (char *)dst + (i + k) * struct_size);
        }
    }
    return PBS_OK;
}
