// How often a surface of triangles winds around a point: 1 inside of a closed one that is oriented
// outward, 0 outside, 2 where two such overlap, and in between near holes (Jacobson, Kavan and
// Sorkine-Hornung 2013). Far parts of the surface count as one dipole each (Barill et al. 2018).
#ifndef PBS_GEOMETRY_GRIDS_WINDING_H
#define PBS_GEOMETRY_GRIDS_WINDING_H

#include "broad_phase/bounding_tree.h"

struct triangle_mesh {
    const double *positions;   ///< vertex_count x 3, m
    const uint32_t *triangles; ///< triangle_count x 3
    size_t vertex_count, triangle_count;
};

struct dipole;

/// Over a tree of the mesh's triangles; neither is owned.
struct winding {
    const struct triangle_mesh *mesh;
    const struct bounding_tree *tree;
    struct dipole *dipoles; ///< by block of the tree
};

pbs_status winding_build(struct memory *memory, const struct triangle_mesh *mesh,
                         const struct bounding_tree *tree, struct winding *winding);
void winding_free(struct memory *memory, struct winding *winding);

/// Off by less than a hundredth, and by less near the surface, whose triangles count one by one.
double winding_number(const struct winding *winding, const double point[3]);

/// *closed: every edge is gone along as often one way as the other, by the numbers of its vertices.
/// Then the winding number is whole everywhere off the surface, and changes nowhere else.
pbs_status winding_is_closed(struct memory *memory, const struct triangle_mesh *mesh, bool *closed);

#endif
