// See body_bonds.h.
// SPDX-License-Identifier: MIT
#include "world/particles/body_bonds.h"

struct bond_list body_bond_list(const struct body *body) {
    return (struct bond_list){.count = body->bonds.count,
                              .pairs = body->bonds.pairs,
                              .broken = body->bonds.broken,
                              .volume_fractions = body->bonds.volume_fractions,
                              .remaining = body->peridynamic.remaining,
                              .volumes = body->peridynamic.volumes};
}

void body_update_fragments(struct body *body) {
    if (body->bonds.fragments_outdated) {
        const struct bond_list bonds = body_bond_list(body);
        fragments_update(&body->bonds.fragments, &bonds);
        if (body->bonded.surface.mesh.tet_count > 0) {
            fracture_surface_update(&body->bonded.surface, &bonds);
        }
    } else if (body->bonds.softened) {
        const struct bond_list bonds = body_bond_list(body);
        fragments_measure_damage(&body->bonds.fragments, &bonds);
    }
    body->bonds.fragments_outdated = false;
    body->bonds.softened = false;
}

void body_bonds_free(struct body *body, struct memory *memory) {
    fragments_free(&body->bonds.fragments, memory);
    memory_release(memory, body->bonds.rest);
    memory_release(memory, body->bonds.contact_radii);
    memory_release(memory, body->bonds.pairs);
    memory_release(memory, body->bonds.broken);
    memory_release(memory, body->bonds.release);
    memory_release(memory, body->bonds.volume_fractions);
}
