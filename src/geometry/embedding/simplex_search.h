// Which point, triangle or tetrahedron of a mesh is nearest to a place, and where on it. A tree of
// boxes over all of them, which is built once and then only read, by any number of threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_EMBEDDING_SIMPLEX_SEARCH_H
#define PBS_GEOMETRY_EMBEDDING_SIMPLEX_SEARCH_H

#include "broad_phase/bounding_tree.h"

enum { SIMPLEX_CORNERS = 4 };

#define SIMPLEX_NONE UINT32_MAX

/// Points (width 1), triangles (3) or tetrahedra (4).
struct simplex_mesh {
    size_t vertex_count;
    const double *x; ///< vertex_count x 3, m
    int width;
    size_t count;
    const uint32_t *corners; ///< count x width; null with width 1: simplex i is vertex i
};

struct simplex_search {
    struct simplex_mesh mesh; ///< its arrays stay the caller's
    struct bounding_tree tree;
};

struct simplex_hit {
    uint32_t index;                 ///< SIMPLEX_NONE: nothing is as near as 1e154 m
    double weight[SIMPLEX_CORNERS]; ///< of the corners, >= 0, sum 1; 0 beyond the width
    double squared;                 ///< m^2: of the distance; 0 inside of a tetrahedron
};

/// Writes the vertices of a simplex.
static inline void simplex_corners(const struct simplex_mesh *mesh, uint32_t index,
                                   uint32_t corners[SIMPLEX_CORNERS]) {
    for (int k = 0; k < mesh->width; k++) {
        corners[k] = mesh->corners == NULL ? index
                                           : mesh->corners[(size_t)mesh->width * index + (size_t)k];
    }
}

/// PBS_ERROR_MEMORY, with nothing to be freed.
pbs_status simplex_search_build(struct memory *memory, const struct simplex_mesh *mesh,
                                struct simplex_search *search);
void simplex_search_free(struct memory *memory, struct simplex_search *search);

/// The nearest simplex; of equally near ones that of the lowest index. Places on a face between
/// two tetrahedra are inside of at least one of them, whatever rounding does. A tetrahedron that
/// is inverted or flat has no inside, but faces.
void simplex_search_nearest(const struct simplex_search *search, const double place[3],
                            struct simplex_hit *hit);

#endif
