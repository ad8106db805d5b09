// What tests ask of a mesh.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_WORLD_MESHES_MESH_TESTING_H
#define PBS_TESTS_WORLD_MESHES_MESH_TESTING_H

#include "base/matrix3/math3.h"
#include "pbs/mesh.h"
#include "support/testing.h"

static inline pbs_mesh empty_mesh(void) {
    pbs_mesh mesh;
    assert_ok(pbs_mesh_init(&mesh, sizeof mesh));
    return mesh;
}

static inline const double *mesh_corner(const pbs_mesh *mesh, size_t triangle, size_t corner) {
    return mesh->positions + 3 * (size_t)mesh->triangles[3 * triangle + corner];
}

/// Half of the cross product of two edges.
static inline void mesh_triangle_area(const pbs_mesh *mesh, size_t triangle, double area[3]) {
    double a[3], b[3];
    subtract3(mesh_corner(mesh, triangle, 1), mesh_corner(mesh, triangle, 0), a);
    subtract3(mesh_corner(mesh, triangle, 2), mesh_corner(mesh, triangle, 0), b);
    cross3(a, b, area);
    scale3(0.5, area, area);
}

static inline double mesh_area(const pbs_mesh *mesh) {
    double sum = 0.0, area[3];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        mesh_triangle_area(mesh, t, area);
        sum += norm3(area);
    }
    return sum;
}

/// Inside the surface, by the divergence theorem; positive where it faces outward.
static inline double mesh_volume(const pbs_mesh *mesh) {
    double sum = 0.0, area[3];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        mesh_triangle_area(mesh, t, area);
        sum += dot3(area, mesh_corner(mesh, t, 0)) / 3.0;
    }
    return sum;
}

/// Sum of the tetrahedra; *least becomes the least of them.
static inline double mesh_tet_volume(const pbs_mesh *mesh, double *least) {
    double sum = 0.0;
    *least = INFINITY;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const uint32_t *v = mesh->tets + 4 * t;
        double edges[9];
        for (size_t i = 0; i < 3; i++) {
            subtract3(mesh->positions + 3 * (size_t)v[i + 1], mesh->positions + 3 * (size_t)v[0],
                      edges + 3 * i);
        }
        const double volume = determinant3(edges) / 6.0;
        sum += volume;
        *least = fmin(*least, volume);
    }
    return sum;
}

/// Fails unless each edge of a triangle is that of one other triangle, in the opposite direction.
static inline void assert_closed(const pbs_mesh *mesh) {
    const uint32_t *v = mesh->triangles;
    const size_t count = 3 * mesh->triangle_count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = v[i], to = v[i / 3 * 3 + (i + 1) % 3];
        int along = 0, against = 0;
        for (size_t j = 0; j < count; j++) {
            const uint32_t start = v[j], end = v[j / 3 * 3 + (j + 1) % 3];
            along += start == from && end == to;
            against += start == to && end == from;
        }
        assert_int_equal(along, 1);
        assert_int_equal(against, 1);
    }
}

/// How far a vertex is outside of the plane of a triangle, at most; 0 of a convex surface.
static inline double mesh_concavity(const pbs_mesh *mesh) {
    double deepest = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double normal[3], arm[3];
        mesh_triangle_area(mesh, t, normal);
        scale3(1.0 / norm3(normal), normal, normal);
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            subtract3(mesh->positions + 3 * v, mesh_corner(mesh, t, 0), arm);
            deepest = fmax(deepest, dot3(normal, arm));
        }
    }
    return deepest;
}

#endif
