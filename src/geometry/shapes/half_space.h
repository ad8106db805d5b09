// Half-spaces as the flat walls of other shapes.
#ifndef PBS_GEOMETRY_SHAPES_HALF_SPACE_H
#define PBS_GEOMETRY_SHAPES_HALF_SPACE_H

#include "geometry/shape_table.h"

/// The half-space of a hollow shape's flat wall: the shape's local axis times `sign`, at `distance`
/// from its centre. What is solid is below y = 0, so y points inwards.
void half_space_wall(const struct pose *pose, int axis, double sign, double distance,
                     struct shape_piece *out);

#endif
