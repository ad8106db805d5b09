// The generalised winding number of a triangle surface around a point (Jacobson, Kavan and
// Sorkine-Hornung 2013). For a closed, outward oriented surface it is 1 inside and 0 outside; it is
// 2 where two such surfaces overlap, and fractional near holes. Distant parts of the surface are
// approximated by one dipole each (Barill et al. 2018).
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GRIDS_WINDING_H
#define PBS_GEOMETRY_GRIDS_WINDING_H

#include "broad_phase/bounding_tree.h"

struct triangle_mesh {
    const double *positions;   ///< vertex_count x 3, m
    const uint32_t *triangles; ///< triangle_count x 3
    size_t vertex_count, triangle_count;
};

struct dipole;

/// The dipoles of a tree over the mesh's triangles. Owns neither the mesh nor the tree.
struct winding {
    const struct triangle_mesh *mesh;
    const struct bounding_tree *tree;
    struct dipole *dipoles; ///< one per block of the tree
};

pbs_status winding_build(struct memory *memory, const struct triangle_mesh *mesh,
                         const struct bounding_tree *tree, struct winding *winding);
void winding_free(struct memory *memory, struct winding *winding);

/// Returns the winding number, with an error below 0.01. The error is smaller near the surface,
/// where triangles are evaluated one by one.
double winding_number(const struct winding *winding, const double point[3]);

/// Tests whether the mesh is closed: every edge, identified by its vertex indices, is used equally
/// often in both directions. Then the winding number is an integer off the surface and changes only
/// across it.
pbs_status winding_is_closed(struct memory *memory, const struct triangle_mesh *mesh, bool *closed);

#endif
