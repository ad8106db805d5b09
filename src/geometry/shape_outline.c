// See shape_outline.h. Everything is drawn in the shape's frame, whose y axis is that of capsules,
// cylinders, tori and half-spaces.
#include "geometry/shape_outline.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "pbs/collider.h"

enum { CIRCLE = 32, PLANE_LINES = 11 };
static const double TURN = 6.283185307179586477;

struct outline {
    const struct pose *pose;
    shape_outline_line *line;
    void *self;
};

static void add_line(const struct outline *out, const double a[3], const double b[3]) {
    double ends[2][3];
    multiply3(out->pose->rotation, a, ends[0]);
    multiply3(out->pose->rotation, b, ends[1]);
    add3(ends[0], out->pose->translation, ends[0]);
    add3(ends[1], out->pose->translation, ends[1]);
    out->line(out->self, ends[0], ends[1]);
}

/// Adds `sides` of the 32 sides of a circle about a centre. It begins on the axis `first` and turns
/// to the axis `second`.
static void add_arc(const struct outline *out, const double centre[3], double radius, int first,
                    int second, int sides) {
    double from[3], to[3];
    for (int i = 0; i <= sides; i++) {
        copy3(centre, to);
        to[first] += radius * cos(TURN * i / CIRCLE);
        to[second] += radius * sin(TURN * i / CIRCLE);
        if (i > 0) {
            add_line(out, from, to);
        }
        copy3(to, from);
    }
}

static void add_box(const struct outline *out, const double low[3], const double high[3]) {
    for (int axis = 0; axis < 3; axis++) {
        const int a = (axis + 1) % 3;
        const int b = (axis + 2) % 3;
        for (int corner = 0; corner < 4; corner++) {
            double from[3], to[3];
            from[a] = to[a] = (corner & 1) != 0 ? high[a] : low[a];
            from[b] = to[b] = (corner & 2) != 0 ? high[b] : low[b];
            from[axis] = low[axis];
            to[axis] = high[axis];
            add_line(out, from, to);
        }
    }
}

/// Circles at both ends of a cylinder, and four lines along it.
static void add_side(const struct outline *out, double radius, double half_length) {
    for (int end = -1; end <= 1; end += 2) {
        add_arc(out, (double[3]){0.0, end * half_length, 0.0}, radius, 0, 2, CIRCLE);
    }
    for (int i = 0; i < 4; i++) {
        const double x = i % 2 == 0 ? radius * (1 - i) : 0.0;
        const double z = i % 2 == 0 ? 0.0 : radius * (2 - i);
        add_line(out, (double[3]){x, -half_length, z}, (double[3]){x, half_length, z});
    }
}

static void add_caps(const struct outline *out, double radius, double half_length) {
    for (int end = -1; end <= 1; end += 2) {
        const double centre[3] = {0.0, end * half_length, 0.0};
        // From one side over the pole to the other one.
        add_arc(out, centre, end * radius, 0, 1, CIRCLE / 2);
        add_arc(out, centre, end * radius, 2, 1, CIRCLE / 2);
    }
}

static void add_plane(const struct outline *out, double half) {
    for (int i = 0; i < PLANE_LINES; i++) {
        const double at = half * (2.0 * i / (PLANE_LINES - 1) - 1.0);
        add_line(out, (double[3]){at, 0.0, -half}, (double[3]){at, 0.0, half});
        add_line(out, (double[3]){-half, 0.0, at}, (double[3]){half, 0.0, at});
    }
}

static void add_torus(const struct outline *out, const double size[3]) {
    const double centre[3] = {0.0, 0.0, 0.0};
    add_arc(out, centre, size[0] + size[1], 0, 2, CIRCLE);
    add_arc(out, centre, size[0] - size[1], 0, 2, CIRCLE);
    for (int i = 0; i < 4; i++) {
        const int axis = i % 2 == 0 ? 0 : 2;
        double tube[3] = {0.0, 0.0, 0.0};
        tube[axis] = i < 2 ? size[0] : -size[0];
        add_arc(out, tube, size[1], axis, 1, CIRCLE);
    }
}

static void add_grid(const struct outline *out, const struct distance_grid *grid) {
    double high[3];
    for (int k = 0; k < 3; k++) {
        high[k] = grid->origin[k] + grid->cell * (grid->counts[k] - 1.0);
    }
    add_box(out, grid->origin, high);
}

void shape_outline(const struct shape *shape, const struct pose *pose, double plane_half_size,
                   shape_outline_line *line, void *self) {
    const struct outline out = {.pose = pose, .line = line, .self = self};
    const double *size = shape->size;
    const double origin[3] = {0.0, 0.0, 0.0};
    double low[3];
    switch (shape->kind) {
    case PBS_SHAPE_HALF_SPACE: add_plane(&out, plane_half_size); break;
    case PBS_SHAPE_SPHERE:
        for (int k = 0; k < 3; k++) {
            add_arc(&out, origin, size[0], k, (k + 1) % 3, CIRCLE);
        }
        break;
    case PBS_SHAPE_BOX:
        scale3(-1.0, size, low);
        add_box(&out, low, size);
        break;
    case PBS_SHAPE_CAPSULE:
        add_caps(&out, size[0], size[1]);
        add_side(&out, size[0], size[1]);
        break;
    case PBS_SHAPE_CYLINDER: add_side(&out, size[0], size[1]); break;
    case PBS_SHAPE_TORUS: add_torus(&out, size); break;
    default: add_grid(&out, shape->grid); break;
    }
}
