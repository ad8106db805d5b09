// Builds the mesh of cubic_tets.h.
// SPDX-License-Identifier: MIT
#include "scenes/bonds/cubic_tets.h"

#include "common/meshes/shapes.h"

bool cubic_tets_make(struct cubic_tets *mesh, const size_t cells[3], double h, double jitter) {
    struct tet_mesh made;
    const bool is_made = shape_box_lattice(cells, h, jitter, 0, &made);
    *mesh = (struct cubic_tets){made.vertex_count, made.tet_count, made.positions, made.tets};
    return is_made;
}

void cubic_tets_free(struct cubic_tets *mesh) {
    struct tet_mesh made = {mesh->vertex_count, mesh->vertices, mesh->tet_count, mesh->tets};
    tet_mesh_free(&made);
    *mesh = (struct cubic_tets){0};
}
