// Distances in closed form, in a shape's own frame: what several shapes share. Outside, the
// distance to the nearest point of face, edge or corner; inside, to the nearest face. With d the
// vector from the nearest point of an edge or corner, phi = |d|, g = d / |d|, Hess = (I_S - g g^T)
// / |d|, where S is the space that d varies in.
#ifndef PBS_GEOMETRY_SHAPES_LOCAL_DISTANCE_H
#define PBS_GEOMETRY_SHAPES_LOCAL_DISTANCE_H

#include "geometry/shape_table.h"

/// The distance |d| to a point, where d varies in the axes of `axes` (1, 2, 4 for x, y, z). At d =
/// 0 the gradient is the axis `fallback`.
void distance_to_point(const double d[3], unsigned axes, int fallback, struct local_distance *out);

/// Unit vectors away from the y axis and around it; returns the distance from it.
double radial_frame(const double p[3], double radial[3], double around[3]);

/// A function of (rho, y): its derivatives there, g and (I - g g^T) * bend, carried to three
/// dimensions.
void revolve(double rho, const double radial[3], const double around[3], double g_rho, double g_y,
             double curvature, struct local_distance *out);

/// What rounding leaves of a position, m, with a margin.
double position_resolution(const struct shape_point *at);

#endif
