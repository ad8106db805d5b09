// See shape_outline.h.
// SPDX-License-Identifier: MIT
#include "geometry/shape_outline.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/shape_table.h"

static const double TURN = 6.283185307179586477;

void outline_line(const struct outline *out, const double a[3], const double b[3]) {
    double ends[2][3];
    multiply3(out->pose->rotation, a, ends[0]);
    multiply3(out->pose->rotation, b, ends[1]);
    add3(ends[0], out->pose->translation, ends[0]);
    add3(ends[1], out->pose->translation, ends[1]);
    out->line(out->self, ends[0], ends[1]);
}

void outline_arc(const struct outline *out, const double centre[3], double radius, int first,
                 int second, int sides) {
    double from[3], to[3];
    for (int i = 0; i <= sides; i++) {
        copy3(centre, to);
        to[first] += radius * cos(TURN * i / OUTLINE_CIRCLE);
        to[second] += radius * sin(TURN * i / OUTLINE_CIRCLE);
        if (i > 0) {
            outline_line(out, from, to);
        }
        copy3(to, from);
    }
}

void outline_box(const struct outline *out, const double low[3], const double high[3]) {
    for (int axis = 0; axis < 3; axis++) {
        const int a = (axis + 1) % 3;
        const int b = (axis + 2) % 3;
        for (int corner = 0; corner < 4; corner++) {
            double from[3], to[3];
            from[a] = to[a] = (corner & 1) != 0 ? high[a] : low[a];
            from[b] = to[b] = (corner & 2) != 0 ? high[b] : low[b];
            from[axis] = low[axis];
            to[axis] = high[axis];
            outline_line(out, from, to);
        }
    }
}

void outline_side(const struct outline *out, double radius, double half_length) {
    for (int end = -1; end <= 1; end += 2) {
        outline_arc(out, (double[3]){0.0, end * half_length, 0.0}, radius, 0, 2, OUTLINE_CIRCLE);
    }
    for (int i = 0; i < 4; i++) {
        const double x = i % 2 == 0 ? radius * (1 - i) : 0.0;
        const double z = i % 2 == 0 ? 0.0 : radius * (2 - i);
        outline_line(out, (double[3]){x, -half_length, z}, (double[3]){x, half_length, z});
    }
}

void shape_outline(const struct shape *shape, const struct pose *pose, double plane_half_size,
                   shape_outline_line *line, void *self) {
    const struct outline out = {
        .pose = pose, .plane_half_size = plane_half_size, .line = line, .self = self};
    shape_table_of(shape)->outline(shape, &out);
}
