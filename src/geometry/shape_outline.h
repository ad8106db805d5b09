// Line drawings of shapes. Each shape's file draws its own (`outline` of its table) with the parts
// below, in the shape's frame, whose y axis is that of capsules, cylinders, tori and half-spaces.
// Has no state.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_SHAPE_OUTLINE_H
#define PBS_GEOMETRY_SHAPE_OUTLINE_H

#include "geometry/shape.h"

/// Receives one line, from a to b in the world frame.
typedef void shape_outline_line(void *self, const double a[3], const double b[3]);

/// Draws the outline of a shape. A distance grid is drawn as the box of its samples.
/// plane_half_size: m, half the side of the square that shows a half-space.
void shape_outline(const struct shape *shape, const struct pose *pose, double plane_half_size,
                   shape_outline_line *line, void *self);

// --- parts of outlines ---

enum { OUTLINE_CIRCLE = 32 }; ///< sides of a circle

/// One drawing.
struct outline {
    const struct pose *pose;
    double plane_half_size; ///< m
    shape_outline_line *line;
    void *self;
};

void outline_line(const struct outline *out, const double a[3], const double b[3]);

/// Adds `sides` of the sides of a circle about a centre. It begins on the axis `first` and turns to
/// the axis `second`.
void outline_arc(const struct outline *out, const double centre[3], double radius, int first,
                 int second, int sides);

void outline_box(const struct outline *out, const double low[3], const double high[3]);

/// Adds circles at both ends of a cylinder about the y axis, and four lines along it.
void outline_side(const struct outline *out, double radius, double half_length);

#endif
