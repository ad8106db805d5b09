// Signed distances of a mesh of triangles at the samples of a grid (distance_grid.h).
#ifndef PBS_GEOMETRY_GRIDS_DISTANCE_SAMPLING_H
#define PBS_GEOMETRY_GRIDS_DISTANCE_SAMPLING_H

#include "geometry/grids/distance_grid.h"
#include "geometry/grids/winding.h"

/// What a mesh is like, for who has to say so.
struct distance_sampling_report {
    bool is_closed;
    bool is_inverted;    ///< it winds the other way around what lies inside
    size_t inside_count; ///< samples inside
    size_t open_count; ///< samples that are farther than a cell from the surface, and for which it
                       ///< is open whether they lie inside: of a mesh with holes
    size_t sign_count; ///< samples whose side was looked for
    size_t thin_count; ///< triangles around whose middle none of the 4 x 4 x 4 samples is inside
};

/// Writes the samples of the grid (its own pointer is not used), m. Distances are exact inside and
/// within four cells of the surface, by the nearest triangle; farther out they are those that solve
/// |grad phi| = 1 to first order (Zhao 2005). Inside is where the mesh winds around the sample by
/// more than a half, one way or the other: holes, parts that overlap or that are there twice, and a
/// mesh turned inside out do no harm. The same bits for any number of threads.
/// @return PBS_ERROR_MEMORY; PBS_ERROR_MESH where it is open for more than a hundredth of the
/// samples whose side was looked for, at a cell from the surface and more, whether they lie inside;
/// or where the grid is far from all of it
pbs_status distance_sampling_fill(struct memory *memory, struct tasks *tasks,
                                  const struct triangle_mesh *mesh,
                                  const struct distance_grid *grid, float *samples,
                                  struct distance_sampling_report *report);

#endif
