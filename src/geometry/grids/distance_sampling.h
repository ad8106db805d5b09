// Computes the signed distances of a triangle mesh at the samples of a grid (distance_grid.h).
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_GRIDS_DISTANCE_SAMPLING_H
#define PBS_GEOMETRY_GRIDS_DISTANCE_SAMPLING_H

#include "geometry/grids/distance_grid.h"
#include "geometry/grids/winding.h"

/// Properties of the mesh and of its sampling, for messages to the host.
struct distance_sampling_report {
    bool is_closed;
    bool is_inverted;    ///< the triangles are oriented inward
    size_t inside_count; ///< samples inside
    size_t open_count;   ///< samples farther than a cell from the surface whose side is undecided,
                         ///< because the mesh has holes
    size_t sign_count;   ///< samples whose winding number was computed
    size_t thin_count;   ///< triangles with none of the 4 x 4 x 4 samples around their centroid
                         ///< inside
};

/// Writes the samples, m; grid->samples is not used. Distances are exact inside and within four
/// cells of the surface, measured to the nearest triangle. Farther out they solve |grad phi| = 1 to
/// first order (Zhao 2005).
///
/// A sample is inside if the absolute winding number is above one half. Holes, overlapping or
/// duplicate parts and an inverted orientation do no harm. The bits are the same for any number of
/// threads.
/// @return PBS_ERROR_MEMORY; PBS_ERROR_MESH if the side is undecided for more than a hundredth of
/// the samples whose winding number was computed (report->open_count), or if no sample is near the
/// mesh
pbs_status distance_sampling_fill(struct memory *memory, struct tasks *tasks,
                                  const struct triangle_mesh *mesh,
                                  const struct distance_grid *grid, float *samples,
                                  struct distance_sampling_report *report);

#endif
