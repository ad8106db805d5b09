// A triangle surface on its way through one step: its points, edges and triangles, for what finds
// and measures pairs that come close. Ends the program with a message where memory is short.
#ifndef PBS_SCENES_MOVING_SURFACE_H
#define PBS_SCENES_MOVING_SURFACE_H

#include "mesh.h"

struct moving_surface {
    size_t point_count, edge_count, triangle_count;
    double *x;           ///< point_count x 3
    double *step;        ///< point_count x 3; zero until somebody moves it
    uint32_t *edges;     ///< edge_count x 2, the lesser point first; ascending
    uint32_t *triangles; ///< triangle_count x 3
    double mean_edge;    ///< length
};

/// Points that no triangle names are left out.
void moving_surface_make(const struct surface_mesh *mesh, struct moving_surface *out);
void moving_surface_free(struct moving_surface *surface);

/// Takes a file's surface and frees the rest. False when the file is not there or not readable.
bool moving_surface_read(const char *path, struct moving_surface *out);

/// Every point moves by `mean_edges` mean lengths of edges, in a direction of its own.
void moving_surface_shake(struct moving_surface *surface, double mean_edges, uint64_t seed);

#endif
