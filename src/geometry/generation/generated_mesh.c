// See generated_mesh.h.
// SPDX-License-Identifier: MIT
#include "geometry/generation/generated_mesh.h"

#include "geometry/meshes/tet_mesh.h"

static void *allocate(struct memory *memory, size_t count, size_t size, bool *failed) {
    if (count == 0) {
        return NULL;
    }
    void *const array = memory_allocate(memory, count, size);
    *failed = *failed || array == NULL;
    return array;
}

pbs_status generated_mesh_allocate(struct memory *memory, size_t vertex_count,
                                   size_t triangle_count, size_t tet_count, size_t edge_count,
                                   pbs_mesh *out) {
    bool failed = false;
    *out = (pbs_mesh){.struct_size = sizeof *out,
                      .vertex_count = vertex_count,
                      .triangle_count = triangle_count,
                      .tet_count = tet_count,
                      .edge_count = edge_count};
    out->positions = allocate(memory, vertex_count, 3 * sizeof *out->positions, &failed);
    out->triangles = allocate(memory, triangle_count, 3 * sizeof *out->triangles, &failed);
    out->tets = allocate(memory, tet_count, 4 * sizeof *out->tets, &failed);
    out->edges = allocate(memory, edge_count, 2 * sizeof *out->edges, &failed);
    if (failed) {
        generated_mesh_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void generated_mesh_free(struct memory *memory, pbs_mesh *mesh) {
    memory_release(memory, mesh->positions);
    memory_release(memory, mesh->triangles);
    memory_release(memory, mesh->tets);
    memory_release(memory, mesh->edges);
    *mesh = (pbs_mesh){.struct_size = mesh->struct_size};
}

pbs_status generated_mesh_add_boundary(struct memory *memory, pbs_mesh *mesh) {
    const struct tet_mesh_view view = {mesh->vertex_count, mesh->positions, mesh->tet_count,
                                       mesh->tets};
    const pbs_status status = tet_boundary(&view, memory, &mesh->triangles, &mesh->triangle_count);
    if (status < 0) {
        generated_mesh_free(memory, mesh);
    }
    return status;
}
