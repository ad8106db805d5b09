// Solid angles of triangles, and whether a surface of triangles is closed around a point. Has no
// state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_MESHES_SOLID_ANGLE_H
#define PBS_GEOMETRY_MESHES_SOLID_ANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the signed solid angle of a triangle seen from a point (van Oosterom and Strackee 1983,
/// eq. 8), in -2 pi .. 2 pi.
double solid_angle(const double *const corners[3], const double point[3]);

/// Returns the winding number of a surface about a point: the sum of the solid angles over 4 pi. It
/// is a whole number for a closed surface, 0 outside, and a fraction for an open one.
/// @param x  points, 3 each
/// @param triangles  triangle_count x 3 points
double solid_angle_turns(const double *x, const uint32_t *triangles, size_t triangle_count,
                         const double point[3]);

/// Whether the winding number is within 1e-3 of a whole number other than 0.
bool solid_angle_encloses(const double *x, const uint32_t *triangles, size_t triangle_count,
                          const double point[3]);

#endif
