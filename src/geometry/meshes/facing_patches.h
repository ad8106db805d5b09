// Where two closed surfaces face each other at no distance or nearly so: pieces of triangles whose
// planes are parallel within ANGLE, cut to what both cover, gathered to plane patches. Each has
// the numbers by which beams are measured: area, centroid, second moments.
// Theory: docs/theory/joints.md section 6.1.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_FACING_PATCHES_H
#define PBS_GEOMETRY_MESHES_FACING_PATCHES_H

#include "geometry/meshes/mass_properties.h"

struct facing_patch {
    double area;      ///< m^2
    double center[3]; ///< m, midway between the two surfaces
    double normal[3]; ///< unit, out of the first surface
    double bending;   ///< m^3: the smaller section modulus, of the two principal axes
    double torsion;   ///< m^3: the polar moment over the largest distance from the centroid
};

/// What two triangles both cover: a hexagon at most, and some room for corners that rounding
/// doubles.
enum { FACING_CORNERS = 9 };
struct facing_piece {
    uint32_t patch, count;
    double corners[FACING_CORNERS][3];
};

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct facing_patches {
    struct facing_patch *rows; ///< in the order of the first surface's triangles
    size_t count;
    struct facing_piece *pieces;
    size_t piece_count, row_capacity, piece_capacity;
};

/// Replaces the rows by those of two surfaces. distance: m, > 0, how far apart they may be, on
/// either side; patches of one plane within it are one. PBS_ERROR_MEMORY.
pbs_status facing_patches_find(struct memory *memory, const struct surface_view *first,
                               const struct surface_view *second, double distance,
                               struct facing_patches *out);
void facing_patches_free(struct memory *memory, struct facing_patches *patches);

#endif
