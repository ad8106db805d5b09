// Lines that show a shape: edges, circles, a square of a plane. Has no state.
#ifndef PBS_GEOMETRY_SHAPE_OUTLINE_H
#define PBS_GEOMETRY_SHAPE_OUTLINE_H

#include "geometry/shape.h"

/// Takes a line from a to b, in the world frame.
typedef void shape_outline_line(void *self, const double a[3], const double b[3]);

/// Draws the outline of a shape. plane: m, half the side of the square that shows a half-space. Of
/// a grid the box of its samples is drawn.
void shape_outline(const struct shape *shape, const struct pose *pose, double plane,
                   shape_outline_line *line, void *self);

#endif
