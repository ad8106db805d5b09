// The watertight triangle test. Shapes are intersected by their table of functions (shape_table.h).
// SPDX-License-Identifier: MIT
#include "geometry/ray.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/shape_table.h"

void ray_make(const double origin[3], const double direction[3], struct ray *out) {
    // Scaled by the largest component first, so that no square overflows or underflows.
    int longest = fabs(direction[1]) > fabs(direction[0]) ? 1 : 0;
    longest = fabs(direction[2]) > fabs(direction[longest]) ? 2 : longest;
    double scaled[3];
    for (int k = 0; k < 3; k++) {
        scaled[k] = direction[k] / fabs(direction[longest]);
    }
    copy3(origin, out->origin);
    scale3(1.0 / norm3(scaled), scaled, out->direction);
    const double *d = out->direction;
    for (int k = 0; k < 3; k++) {
        out->axis[k] = (longest + 1 + k) % 3;
    }
    out->shear[0] = d[out->axis[0]] / d[longest];
    out->shear[1] = d[out->axis[1]] / d[longest];
    out->shear[2] = 1.0 / d[longest];
}

// --- triangles ---

/// Returns a b - c d to 8 roundings, short of underflow, with the exact sign. Exchanging (a, b) and
/// (c, d) gives exactly the opposite. So the ray hits at least one of two triangles at a common
/// edge, and the weights of a triangle seen nearly from its edge are those of a point on the ray.
static double difference_of_products(double a, double b, double c, double d) {
    const double p = a * b;
    const double q = c * d;
    const double difference = p - q;
    if (fabs(difference) > 0.125 * (fabs(p) + fabs(q))) {
        return difference;
    }
    // p and q are so close that their difference is exact. The rounding errors of the products
    // remain.
    return difference + (fma(a, b, -p) - fma(c, d, -q));
}

bool ray_hits_triangle(const struct ray *ray, const double *const corners[3], double limit,
                       double *distance, double weight[3]) {
    // The corners in coordinates of the ray: x and y perpendicular to it, z along it. Each depends
    // on the corner alone, so triangles that share a corner get the same coordinates.
    double x[3];
    double y[3];
    double z[3];
    for (int i = 0; i < 3; i++) {
        double arm[3];
        subtract3(corners[i], ray->origin, arm);
        z[i] = arm[ray->axis[2]];
        x[i] = arm[ray->axis[0]] - ray->shear[0] * z[i];
        y[i] = arm[ray->axis[1]] - ray->shear[1] * z[i];
    }
    const double u = difference_of_products(x[2], y[1], y[2], x[1]);
    const double v = difference_of_products(x[0], y[2], y[0], x[2]);
    const double w = difference_of_products(x[1], y[0], y[1], x[0]);
    const bool is_outside = (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0);
    const double sum = u + v + w;
    if (is_outside || sum == 0.0) {
        return false;
    }
    weight[0] = u / sum;
    weight[1] = v / sum;
    weight[2] = w / sum;
    *distance = ray->shear[2] * (weight[0] * z[0] + weight[1] * z[1] + weight[2] * z[2]);
    return *distance >= 0.0 && *distance <= limit && isfinite(*distance);
}

// --- shapes ---

bool ray_hits_shape(const struct ray *ray, const struct shape *shape, const struct pose *pose,
                    double limit, double *distance, double normal[3]) {
    struct shape_hit hit = {.limit = limit};
    double o[3];
    double d[3];
    pose_to_frame(pose, ray->origin, o);
    multiply_transposed3(pose->rotation, ray->direction, d);
    shape_table_of(shape)->ray(shape, o, d, &hit);
    if (!hit.found) {
        return false;
    }
    *distance = hit.distance;
    multiply3(pose->rotation, hit.normal, normal);
    scale3((shape->hollow ? -1.0 : 1.0) / norm3(normal), normal, normal);
    return true;
}
