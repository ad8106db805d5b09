// Distances in closed form in a shape's own frame, shared by several shapes. Outside, the distance
// of the nearest point on a face, edge or corner; inside, that of the nearest face. Let d be the
// vector from the nearest point on an edge or corner. Then phi = |d|, g = d / |d|, Hess = (I_S - g
// g^T) / |d|, where S is the space in which d varies.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_SHAPES_LOCAL_DISTANCE_H
#define PBS_GEOMETRY_SHAPES_LOCAL_DISTANCE_H

#include "geometry/shape_table.h"

/// Computes the distance |d| to a point, where d varies in the given axes (bits 1, 2, 4 for x, y,
/// z). At d = 0 the gradient is the axis `fallback`.
void distance_to_point(const double d[3], unsigned axes, int fallback, struct local_distance *out);

/// Computes the unit vectors away from the y axis and around it. Returns the distance from the
/// axis.
double radial_frame(const double p[3], double radial[3], double around[3]);

/// Converts the derivatives of a function of (rho, y), its gradient g and Hessian (I - g g^T) *
/// curvature, to three dimensions.
void revolve(double rho, const double radial[3], const double around[3], double g_rho, double g_y,
             double curvature, struct local_distance *out);

/// Returns a bound of the rounding error of a position, m, with a margin.
double position_resolution(const struct shape_point *at);

#endif
