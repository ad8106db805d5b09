// Half-spaces as flat walls of hollow shapes.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_SHAPES_HALF_SPACE_H
#define PBS_GEOMETRY_SHAPES_HALF_SPACE_H

#include "geometry/shape_table.h"

/// Writes the half-space of a hollow shape's flat wall, which is perpendicular to the local axis
/// `axis`, at `distance` times `sign` along it from the centre. The solid is below y = 0 in the
/// half-space's frame, so y points inwards.
void half_space_wall(const struct pose *pose, int axis, double sign, double distance,
                     struct shape_piece *out);

#endif
