// A tube of radius size[1] around the circle of radius size[0] in the plane y = 0. Barrier contact
// represents it by quadrilaterals, from both sides.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/shape_outline.h"
#include "geometry/shapes/local_distance.h"
#include "geometry/shapes/ray_hits.h"

// Numbers of quadrilaterals around the axis and around the tube.
enum { RING_SIDES = 64, TUBE_SIDES = 32 };

static pbs_status check(const struct shape *shape) {
    // Otherwise the tube intersects itself at the axis, and the formula is not the distance.
    return shape->size[1] < shape->size[0]
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "torus: size[1], the radius of the tube, is %g m, must be less than "
                             "size[0], the radius of the ring, %g m",
                             shape->size[1], shape->size[0]);
}

/// On the circle itself the gradient points away from the axis.
static void local(const struct shape_point *at, struct local_distance *out) {
    const double *p = at->p;
    const double *size = at->shape->size;
    double radial[3], around[3];
    const double rho = radial_frame(p, radial, around);
    const double off = rho - size[0];
    const double length = sqrt(off * off + p[1] * p[1]);
    out->value = length - size[1];
    if (length > 0.0) {
        revolve(rho, radial, around, off / length, p[1] / length, 1.0 / length, out);
    } else {
        revolve(rho, radial, around, 1.0, 0.0, 0.0, out);
    }
}

static double half_extent(const double size[3], const double row[3]) {
    const double across = sqrt(fmax(0.0, 1.0 - row[1] * row[1]));
    return across * size[0] + size[1];
}

/// A ray in the torus's frame, with s = 0 at the point closest to the centre. It meets the torus in
/// up to four points, the roots of the quartic (s^2 + K)^2 - 4 R^2 |(x, z)|^2. Between neighbouring
/// roots of its derivative, the cubic s^3 + linear s + constant, the quartic is monotonic. Likewise
/// the cubic between the roots of its own derivative.
struct torus_ray {
    const double *size;
    double point[3]; ///< the point at s = 0
    double direction[3];
    double linear, constant;
};

static double torus_slope(const struct torus_ray *ray, double s) {
    return (s * s + ray->linear) * s + ray->constant;
}

/// Returns the signed distance of the torus, which has the sign of the quartic without its
/// cancellation.
static double torus_distance(const struct torus_ray *ray, double s) {
    double at[3];
    add_scaled3(ray->point, s, ray->direction, at);
    const double off = sqrt(at[0] * at[0] + at[2] * at[2]) - ray->size[0];
    return sqrt(off * off + at[1] * at[1]) - ray->size[1];
}

/// Finds a zero in an interval by bisection to the last bit. Without one, returns false and sets
/// *zero to the lower end.
static bool find_zero(double (*value)(const struct torus_ray *, double),
                      const struct torus_ray *ray, double low, double high, double *zero) {
    const bool is_negative = value(ray, low) < 0.0;
    if (is_negative == (value(ray, high) < 0.0)) {
        *zero = low;
        return false;
    }
    for (;;) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) {
            *zero = high;
            return true;
        }
        if ((value(ray, middle) < 0.0) == is_negative) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

static void hit_tube(const struct torus_ray *ray, double low, double high, double middle,
                     struct shape_hit *hit) {
    double s = 0.0;
    if (!find_zero(torus_distance, ray, low, high, &s)) {
        return;
    }
    double at[3];
    add_scaled3(ray->point, s, ray->direction, at);
    const double rho = sqrt(at[0] * at[0] + at[2] * at[2]);
    const double part = (rho - ray->size[0]) / rho;
    shape_hit_record(hit, middle + s, (double[3]){part * at[0], at[1], part * at[2]});
}

static void ray(const struct shape *shape, const double o[3], const double d[3],
                struct shape_hit *hit) {
    const double *size = shape->size;
    double ends[2];
    if (!ray_roots(o, d, 7, (1.0 + RAY_SEAM) * (size[0] + size[1]), ends)) {
        return;
    }
    struct torus_ray quartic = {.size = size};
    const double middle = 0.5 * (ends[0] + ends[1]);
    const double half = 0.5 * (ends[1] - ends[0]);
    add_scaled3(o, middle, d, quartic.point);
    copy3(d, quartic.direction);
    const double *p = quartic.point;
    const double square = size[0] * size[0];
    quartic.linear = dot3(p, p) + square - size[1] * size[1] -
                     2.0 * square * (d[0] * d[0] + d[2] * d[2]);
    quartic.constant = -2.0 * square * (p[0] * d[0] + p[2] * d[2]);
    const double extremum = fmin(sqrt(fmax(0.0, -quartic.linear / 3.0)), half);
    const double extrema[4] = {-half, -extremum, extremum, half};
    double from = -half;
    for (int i = 0; i < 3; i++) {
        double to = 0.0;
        if (find_zero(torus_slope, &quartic, extrema[i], extrema[i + 1], &to)) {
            hit_tube(&quartic, from, to, middle, hit);
            from = to;
        }
    }
    hit_tube(&quartic, from, half, middle, hit);
}

static void outline(const struct shape *shape, const struct outline *out) {
    const double *size = shape->size;
    const double centre[3] = {0.0, 0.0, 0.0};
    outline_arc(out, centre, size[0] + size[1], 0, 2, OUTLINE_CIRCLE);
    outline_arc(out, centre, size[0] - size[1], 0, 2, OUTLINE_CIRCLE);
    for (int i = 0; i < 4; i++) {
        const int axis = i % 2 == 0 ? 0 : 2;
        double tube[3] = {0.0, 0.0, 0.0};
        tube[axis] = i < 2 ? size[0] : -size[0];
        outline_arc(out, tube, size[1], axis, 1, OUTLINE_CIRCLE);
    }
}

/// Two triangles per quadrilateral, with corners on the torus. The surface has two sides, so it
/// also represents the hollow torus.
static void surface(const double size[3], struct shape_surface *out) {
    double *points = out->points;
    const double whole = 6.283185307179586477;
    for (uint32_t i = 0; i < RING_SIDES; i++) {
        for (uint32_t j = 0; j < TUBE_SIDES; j++) {
            const uint32_t own = TUBE_SIDES * i + j;
            const double rho = size[0] + size[1] * cos(whole * j / TUBE_SIDES);
            points[3 * own] = rho * cos(whole * i / RING_SIDES);
            points[3 * own + 1] = size[1] * sin(whole * j / TUBE_SIDES);
            points[3 * own + 2] = rho * sin(whole * i / RING_SIDES);
            const uint32_t next_ring = TUBE_SIDES * ((i + 1) % RING_SIDES);
            const uint32_t next_tube = (j + 1) % TUBE_SIDES;
            const uint32_t corners[6] = {
                own,           TUBE_SIDES * i + next_tube, next_ring + j,
                next_ring + j, TUBE_SIDES * i + next_tube, next_ring + next_tube};
            memcpy(out->triangles + 6 * (size_t)own, corners, sizeof corners);
        }
    }
}

const struct shape_table torus_shape = {.name = "torus",
                                        .size_count = 2,
                                        .check = check,
                                        .local = local,
                                        .half_extent = half_extent,
                                        .ray = ray,
                                        .outline = outline,
                                        .contact = {SHAPE_SURFACE, SHAPE_SURFACE},
                                        .point_count = RING_SIDES * TUBE_SIDES,
                                        .triangle_count = 2 * RING_SIDES * TUBE_SIDES,
                                        .surface = surface};
