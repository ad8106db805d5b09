// A triangle surface with the motion of one step: points, edges and triangles, as input of broad
// phase and collision detection. Exits with a message if memory is short.
// SPDX-License-Identifier: MIT
#ifndef PBS_SCENES_MOVING_SURFACE_H
#define PBS_SCENES_MOVING_SURFACE_H

#include "common/meshes/mesh.h"

struct moving_surface {
    size_t point_count, edge_count, triangle_count;
    double *x;           ///< point_count x 3
    double *step;        ///< point_count x 3: displacement; initially zero
    uint32_t *edges;     ///< edge_count x 2, lower point first, sorted
    uint32_t *triangles; ///< triangle_count x 3
    double mean_edge;    ///< length
};

/// Builds the surface from a mesh, without unreferenced points.
void moving_surface_make(const struct surface_mesh *mesh, struct moving_surface *out);
void moving_surface_free(struct moving_surface *surface);

/// Reads the surface of a mesh file. Returns false if the file is missing or cannot be read.
bool moving_surface_read(const char *path, struct moving_surface *out);

/// Sets the displacement of each point to `mean_edges` mean edge lengths in a random direction.
void moving_surface_shake(struct moving_surface *surface, double mean_edges, uint64_t seed);

#endif
