// See fracture_surface.h. Union-find joins corners across the faces of intact bonds.
// SPDX-License-Identifier: MIT
#include "fracture/fracture_surface.h"

#include "base/disjoint_sets.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"

static const uint32_t NONE = UINT32_MAX;

/// The bits of a tetrahedron's faces: bit f is set if face f has an intact bond, bit 4 + f if it
/// has a broken one.
static uint8_t face_bit(int face, bool broken) {
    return (uint8_t)(1U << (broken ? 4 + face : face));
}

/// Returns the index in b of vertex i of tetrahedron a, or 4 if b does not have that vertex.
static uint32_t corner_in(const struct tet_mesh_view *mesh, uint32_t a, uint32_t i, uint32_t b) {
    uint32_t j = 0;
    while (j < 4 && mesh->tets[4 * (size_t)b + j] != mesh->tets[4 * (size_t)a + i]) {
        j++;
    }
    return j;
}

/// Returns the vertex of a that is not in b, or 4 unless a and b have exactly three vertices in
/// common.
static uint32_t vertex_opposite(const struct tet_mesh_view *mesh, uint32_t a, uint32_t b) {
    uint32_t opposite = 4;
    int alone = 0;
    for (uint32_t i = 0; i < 4; i++) {
        if (corner_in(mesh, a, i, b) == 4) {
            opposite = i;
            alone++;
        }
    }
    return alone == 1 ? opposite : 4;
}

static pbs_status check_bonds(const struct tet_mesh_view *mesh, const struct bond_list *bonds) {
    for (size_t b = 0; b < bonds->count; b++) {
        const uint32_t *pair = bonds->pairs + 2 * b;
        if (pair[0] >= mesh->tet_count || pair[1] >= mesh->tet_count ||
            vertex_opposite(mesh, pair[0], pair[1]) == 4) {
            return status_fail(PBS_ERROR_MESH,
                               "bond %zu: tetrahedra %u and %u have no face in common", b,
                               (unsigned)pair[0], (unsigned)pair[1]);
        }
    }
    return PBS_OK;
}

void fracture_surface_free(struct fracture_surface *s, struct memory *memory) {
    memory_release(memory, (void *)s->mesh.positions);
    memory_release(memory, (void *)s->mesh.tets);
    memory_release(memory, s->triangles);
    memory_release(memory, s->origins);
    memory_release(memory, s->tets);
    memory_release(memory, s->cracked);
    memory_release(memory, s->first);
    memory_release(memory, s->corners);
    memory_release(memory, s->root);
    memory_release(memory, s->number);
    memory_release(memory, s->faces);
    *s = (struct fracture_surface){0};
}

pbs_status fracture_surface_begin(struct fracture_surface *s, struct memory *memory,
                                  const struct tet_mesh_view *mesh, const struct bond_list *bonds) {
    const size_t corners = 4 * mesh->tet_count;
    *s = (struct fracture_surface){0};
    RETURN_IF_FAILED(check_bonds(mesh, bonds));
    s->mesh = (struct tet_mesh_view){
        .vertex_count = mesh->vertex_count,
        .positions = memory_copy(memory, mesh->positions, mesh->vertex_count, 3 * sizeof(double)),
        .tet_count = mesh->tet_count,
        .tets = memory_copy(memory, mesh->tets, mesh->tet_count, 4 * sizeof *mesh->tets)};
    s->triangles = memory_allocate(memory, corners, 3 * sizeof *s->triangles);
    s->origins = memory_allocate(memory, corners, 3 * sizeof *s->origins);
    s->tets = memory_allocate(memory, corners, sizeof *s->tets);
    s->cracked = memory_allocate(memory, corners, sizeof *s->cracked);
    s->first = memory_allocate(memory, corners + 1, sizeof *s->first);
    s->corners = memory_allocate(memory, corners, sizeof *s->corners);
    s->root = memory_allocate(memory, corners, sizeof *s->root);
    s->number = memory_allocate(memory, corners, sizeof *s->number);
    s->faces = memory_allocate(memory, mesh->tet_count, sizeof *s->faces);
    if (s->mesh.positions == NULL || s->mesh.tets == NULL || s->triangles == NULL ||
        s->origins == NULL || s->tets == NULL || s->cracked == NULL || s->first == NULL ||
        s->corners == NULL || s->root == NULL || s->number == NULL || s->faces == NULL) {
        return PBS_ERROR_MEMORY;
    }
    fracture_surface_update(s, bonds);
    return PBS_OK;
}

// --- update ---

static void join_corners(struct fracture_surface *s, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t j = corner_in(&s->mesh, a, i, b);
        if (j < 4) {
            disjoint_sets_join(s->root, 4 * a + i, 4 * b + j);
        }
    }
}

/// Joins the corners that are one vertex, and sets the bits of all faces.
static void read_bonds(struct fracture_surface *s, const struct bond_list *bonds) {
    disjoint_sets_begin(s->root, 4 * s->mesh.tet_count);
    for (size_t t = 0; t < s->mesh.tet_count; t++) {
        s->faces[t] = 0;
    }
    for (size_t k = 0; k < bonds->count; k++) {
        const uint32_t a = bonds->pairs[2 * k];
        const uint32_t b = bonds->pairs[2 * k + 1];
        const bool broken = bonds->broken[k] != 0;
        s->faces[a] |= face_bit(tet_face_opposite(vertex_opposite(&s->mesh, a, b)), broken);
        s->faces[b] |= face_bit(tet_face_opposite(vertex_opposite(&s->mesh, b, a)), broken);
        if (!broken) {
            join_corners(s, a, b);
        }
    }
    disjoint_sets_flatten(s->root, 4 * s->mesh.tet_count);
}

/// Returns the vertex of a corner. Vertices are numbered in the order of first use.
static uint32_t number_of(struct fracture_surface *s, uint32_t corner) {
    uint32_t *number = &s->number[s->root[corner]];
    if (*number == NONE) {
        *number = (uint32_t)s->vertex_count++;
    }
    return *number;
}

static void list_triangles(struct fracture_surface *s) {
    s->triangle_count = 0;
    s->vertex_count = 0;
    for (size_t c = 0; c < 4 * s->mesh.tet_count; c++) {
        s->number[c] = NONE;
    }
    for (uint32_t t = 0; t < s->mesh.tet_count; t++) {
        for (int face = 0; face < 4; face++) {
            if ((s->faces[t] & face_bit(face, false)) == 0) {
                for (size_t i = 0; i < 3; i++) {
                    const uint32_t corner = 4 * t + tet_face_vertices[face][i];
                    s->triangles[3 * s->triangle_count + i] = number_of(s, corner);
                    s->origins[3 * s->triangle_count + i] = s->mesh.tets[corner];
                }
                s->tets[s->triangle_count] = t;
                s->cracked[s->triangle_count++] = (s->faces[t] & face_bit(face, true)) != 0;
            }
        }
    }
}

static void list_corners(struct fracture_surface *s) {
    const size_t count = 4 * s->mesh.tet_count;
    for (size_t v = 0; v <= s->vertex_count; v++) {
        s->first[v] = 0;
    }
    for (size_t c = 0; c < count; c++) {
        if (s->number[s->root[c]] != NONE) {
            s->first[s->number[s->root[c]]]++;
        }
    }
    uint32_t begin = 0;
    for (size_t v = 0; v <= s->vertex_count; v++) {
        const uint32_t next = begin + s->first[v];
        s->first[v] = begin;
        begin = next;
    }
    for (size_t c = 0; c < count; c++) {
        const uint32_t vertex = s->number[s->root[c]];
        if (vertex != NONE) {
            s->corners[s->first[vertex]++] = (uint32_t)c;
        }
    }
    // Each offset has advanced to the next one: shift them back.
    for (size_t v = s->vertex_count; v > 0; v--) {
        s->first[v] = s->first[v - 1];
    }
    s->first[0] = 0;
}

void fracture_surface_update(struct fracture_surface *s, const struct bond_list *bonds) {
    read_bonds(s, bonds);
    list_triangles(s);
    list_corners(s);
}

// --- positions and velocities ---

/// arm = the vector from a corner's particle to the corner.
static void arm_of(const struct tet_mesh_view *mesh, const struct particle_frames *frames,
                   uint32_t corner, double arm[3]) {
    const size_t tet = corner / 4;
    double rest[3];
    double rotation[9];
    subtract3(mesh->positions + 3 * (size_t)mesh->tets[corner], frames->rest + 3 * tet, rest);
    rotation_of(frames->orientations + 4 * tet, rotation);
    multiply3(rotation, rest, arm);
}

void fracture_surface_position(const struct fracture_surface *s,
                               const struct particle_frames *frames, size_t vertex, double x[3]) {
    const size_t count = s->first[vertex + 1] - s->first[vertex];
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        const uint32_t corner = s->corners[s->first[vertex] + i];
        double position[3];
        arm_of(&s->mesh, frames, corner, position);
        add3(frames->positions + 3 * (size_t)(corner / 4), position, position);
        add3(sum, position, sum);
    }
    scale3(1.0 / (double)count, sum, x);
}

void fracture_surface_velocity(const struct fracture_surface *s,
                               const struct particle_frames *frames, const double *velocities,
                               const double *spins, size_t vertex, double v[3]) {
    const size_t count = s->first[vertex + 1] - s->first[vertex];
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        const uint32_t corner = s->corners[s->first[vertex] + i];
        const size_t tet = corner / 4;
        double arm[3], rotational[3];
        arm_of(&s->mesh, frames, corner, arm);
        cross3(spins + 3 * tet, arm, rotational);
        add3(sum, velocities + 3 * tet, sum);
        add3(sum, rotational, sum);
    }
    scale3(1.0 / (double)count, sum, v);
}
