// Lines that show a world, as pairs of points in the host's array. Whoever draws sets a colour and
// adds lines.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_READBACK_DEBUG_LINES_H
#define PBS_WORLD_READBACK_DEBUG_LINES_H

#include "pbs/readback.h"

struct debug_lines {
    const pbs_world *world;
    double length; ///< m, of normals and axes
    uint8_t color[4];
    unsigned char *dst; ///< null: points are only counted
    size_t row_size, capacity;
    size_t count; ///< of points; may exceed the capacity
};

/// Sets the colour of the lines that follow.
void debug_lines_color(struct debug_lines *lines, uint8_t red, uint8_t green, uint8_t blue);

/// Adds a line from a to b, m. lines: a struct debug_lines, as shape_outline calls it.
void debug_lines_add(void *lines, const double a[3], const double b[3]);

/// Adds a line of lines->length from a point along a unit vector.
void debug_lines_add_arrow(struct debug_lines *lines, const double from[3],
                           const double direction[3]);

#endif
