// See region.h.
// SPDX-License-Identifier: MIT
#include "geometry/region.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/shape_table.h"

enum {
    TRIANGLE_DEPTH = 30, ///< halvings of a triangle: 2^-30 = 1e-9
    BOX_DEPTH = 90,      ///< halvings of a box along one axis each
    COARSE_DEPTH = 24,   ///< for shapes that are not convex: 2^-8
};

bool region_takes(int32_t kind) {
    const struct shape_table *table = shape_table_find(kind);
    return table != NULL && table->is_convex && !table->is_flat;
}

void region_make(const struct shape *shape, const struct pose *pose, struct region *out) {
    out->shape = *shape;
    out->pose = *pose;
    shape_bounds(shape, pose, 0.0, out->low, out->high);
}

bool region_meets_box(const struct region *region, const double low[3], const double high[3]) {
    bool meets = true;
    for (int k = 0; k < 3; k++) {
        meets = meets && low[k] <= region->high[k] && high[k] >= region->low[k];
    }
    return meets;
}

bool region_touches_ball(const struct region *region, const double centre[3], double radius) {
    return shape_distance(&region->shape, &region->pose, centre, NULL, NULL) <= radius;
}

// --- triangles ---

struct part_of_triangle {
    double x[3][3];
    int depth;
};

/// Whether the function's tangent plane at the centre is above zero at all corners.
static bool is_apart(const struct part_of_triangle *part, const double centre[3], double value,
                     const double gradient[3]) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        double arm[3];
        subtract3(part->x[i], centre, arm);
        least = fmin(least, value + dot3(gradient, arm));
    }
    return least > 0.0;
}

/// Appends the four triangles between corners and midpoints.
static void split(const struct part_of_triangle *part, struct part_of_triangle out[4]) {
    double middle[3][3]; // of the side opposite to each corner
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            middle[i][k] = 0.5 * (part->x[(i + 1) % 3][k] + part->x[(i + 2) % 3][k]);
        }
    }
    for (int i = 0; i < 3; i++) {
        copy3(part->x[i], out[i].x[0]);
        copy3(middle[(i + 2) % 3], out[i].x[1]);
        copy3(middle[(i + 1) % 3], out[i].x[2]);
        copy3(middle[i], out[3].x[i]);
    }
    for (int i = 0; i < 4; i++) {
        out[i].depth = part->depth + 1;
    }
}

bool region_touches_triangle(const struct region *region, const double *const corners[3]) {
    struct part_of_triangle stack[3 * TRIANGLE_DEPTH + 4];
    size_t count = 1;
    stack[0].depth = 0;
    for (int i = 0; i < 3; i++) {
        copy3(corners[i], stack[0].x[i]);
        if (region_touches_ball(region, corners[i], 0.0)) {
            return true;
        }
    }
    while (count > 0) {
        const struct part_of_triangle part = stack[--count];
        double centre[3], gradient[3];
        for (int k = 0; k < 3; k++) {
            centre[k] = (part.x[0][k] + part.x[1][k] + part.x[2][k]) / 3.0;
        }
        const double value = shape_distance(&region->shape, &region->pose, centre, gradient, NULL);
        if (value <= 0.0) {
            return true;
        }
        if (is_apart(&part, centre, value, gradient)) {
            continue;
        }
        if (part.depth == TRIANGLE_DEPTH) {
            return true;
        }
        split(&part, stack + count);
        count += 4;
    }
    return false;
}

// --- shapes ---

/// A box that may contain a point of both solids.
struct part_of_box {
    double centre[3], half[3];
    int depth;
};

/// The signed distance of a solid at the centre of a box, and its gradient.
struct solid_at {
    double value, gradient[3];
};

static struct solid_at solid_at(const struct shape *shape, const struct pose *pose,
                                const struct part_of_box *box) {
    struct solid_at out;
    out.value = shape_distance(shape, pose, box->centre, out.gradient, NULL);
    return out;
}

/// A lower bound in the box of a value with this gradient at the centre, where it is convex.
static double convex_bound(const struct part_of_box *box, double value, const double gradient[3]) {
    double sum = value;
    for (int k = 0; k < 3; k++) {
        sum -= fabs(gradient[k]) * box->half[k];
    }
    return sum;
}

/// Whether no point of the box is in both solids. If one distance is above zero, or half of the sum
/// of both, then so is the larger one of them. The sum tells parallel faces apart.
static bool excludes(const struct part_of_box *box, const struct solid_at *a,
                     const struct solid_at *b, bool b_is_convex) {
    if (convex_bound(box, a->value, a->gradient) > 0.0) {
        return true;
    }
    if (!b_is_convex) {
        return b->value > norm3(box->half);
    }
    double sum[3];
    add3(a->gradient, b->gradient, sum);
    return convex_bound(box, b->value, b->gradient) > 0.0 ||
           convex_bound(box, a->value + b->value, sum) > 0.0;
}

/// Halves a box across its longest side.
static void halve(const struct part_of_box *box, struct part_of_box out[2]) {
    int longest = box->half[1] > box->half[0] ? 1 : 0;
    longest = box->half[2] > box->half[longest] ? 2 : longest;
    for (int i = 0; i < 2; i++) {
        out[i] = *box;
        out[i].depth++;
        out[i].half[longest] *= 0.5;
        out[i].centre[longest] += i == 0 ? -out[i].half[longest] : out[i].half[longest];
    }
}

static double larger_value(const struct region *region, const struct shape_piece *other,
                           const double at[3]) {
    return fmax(shape_distance(&region->shape, &region->pose, at, NULL, NULL),
                shape_distance(&other->shape, &other->pose, at, NULL, NULL));
}

/// The box in which both bounding boxes overlap.
static bool common_box(const struct region *region, const struct shape_piece *other,
                       struct part_of_box *out) {
    double low[3], high[3];
    shape_bounds(&other->shape, &other->pose, 0.0, low, high);
    out->depth = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = fmax(low[k], region->low[k]);
        high[k] = fmin(high[k], region->high[k]);
        out->centre[k] = 0.5 * (low[k] + high[k]);
        out->half[k] = 0.5 * (high[k] - low[k]);
    }
    return out->half[0] >= 0.0 && out->half[1] >= 0.0 && out->half[2] >= 0.0;
}

/// Boxes with lesser values at their centres are searched first.
static bool touches_piece(const struct region *region, const struct shape_piece *other) {
    const bool is_convex = shape_is_convex(&other->shape);
    const int depth_limit = is_convex ? BOX_DEPTH : COARSE_DEPTH;
    struct part_of_box stack[BOX_DEPTH + 2];
    size_t count = common_box(region, other, &stack[0]) ? 1 : 0;
    while (count > 0) {
        const struct part_of_box box = stack[--count];
        const struct solid_at a = solid_at(&region->shape, &region->pose, &box);
        const struct solid_at b = solid_at(&other->shape, &other->pose, &box);
        if (a.value <= 0.0 && b.value <= 0.0) {
            return true;
        }
        if (excludes(&box, &a, &b, is_convex)) {
            continue;
        }
        if (box.depth == depth_limit) {
            return true;
        }
        halve(&box, stack + count);
        if (larger_value(region, other, stack[count].centre) <
            larger_value(region, other, stack[count + 1].centre)) {
            const struct part_of_box nearer = stack[count];
            stack[count] = stack[count + 1];
            stack[count + 1] = nearer;
        }
        count += 2;
    }
    return false;
}

bool region_touches_shape(const struct region *region, const struct shape *shape,
                          const struct pose *pose) {
    struct shape_piece pieces[SHAPE_PIECES];
    const size_t count = shape_pieces(shape, pose, pieces);
    for (size_t i = 0; i < count; i++) {
        if (touches_piece(region, &pieces[i])) {
            return true;
        }
    }
    return false;
}
