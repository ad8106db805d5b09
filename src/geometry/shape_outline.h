// Line drawings of shapes: edges, circles, and a square grid for a half-space. Has no state.
#ifndef PBS_GEOMETRY_SHAPE_OUTLINE_H
#define PBS_GEOMETRY_SHAPE_OUTLINE_H

#include "geometry/shape.h"

/// Receives one line, from a to b in the world frame.
typedef void shape_outline_line(void *self, const double a[3], const double b[3]);

/// Draws the outline of a shape. A distance grid is drawn as the box of its samples.
/// plane_half_size: m, half the side of the square that shows a half-space.
void shape_outline(const struct shape *shape, const struct pose *pose, double plane_half_size,
                   shape_outline_line *line, void *self);

#endif
