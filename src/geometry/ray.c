// Rays and triangles, rays and shapes; see ray.h.
#include "geometry/ray.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/grids/grid_ray.h"
#include "pbs/collider.h"

void ray_make(const double origin[3], const double direction[3], struct ray *out) {
    // Divided by the largest component first, so that no square overflows or is lost.
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

/// a b - c d to 8 roundings, short of underflow, its sign with it; the opposite
/// exactly when a, b and c, d are exchanged. So of two triangles at an edge one has the ray, and
/// the weights of one that is seen nearly from its edge are those of a point on the ray.
static double difference_of_products(double a, double b, double c, double d) {
    const double p = a * b;
    const double q = c * d;
    const double difference = p - q;
    if (fabs(difference) > 0.125 * (fabs(p) + fabs(q))) {
        return difference;
    }
    // Numbers so near each other have an exact difference; what they were rounded by remains.
    return difference + (fma(a, b, -p) - fma(c, d, -q));
}

bool ray_meets_triangle(const struct ray *ray, const double *const corners[3], double limit,
                        double *distance, double weight[3]) {
    // The corners, seen along the ray: x and y across it, z along it. Each depends on the corner
    // alone, so triangles that share one see it at the same place.
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
    return *distance >= 0.0 && *distance <= limit;
}

// --- shapes ---

// Pieces of a boundary end where others begin; so little of each other they cover, relative to
// their size, that no ray slips through between them.
static const double SEAM = 1e-12;

/// The nearest place so far, in the shape's frame.
struct nearest {
    double limit;
    bool found;
    double distance;
    double normal[3]; ///< of any length
};

static void offer(struct nearest *nearest, double distance, const double normal[3]) {
    if (distance >= 0.0 && distance <= nearest->limit) {
        nearest->found = true;
        nearest->limit = nearest->distance = distance;
        copy3(normal, nearest->normal);
    }
}

static void point_at(const double o[3], const double d[3], double t, double out[3]) {
    add_scaled3(o, t, d, out);
}

/// Where |o + t d - centre| over these axes (bits) is `radius`: two distances, or none. The middle
/// between them comes first, as the distance from there is small and loses no digits.
static bool roots(const double o[3], const double d[3], unsigned axes, double radius,
                  double out[2]) {
    double along = 0.0;
    double square = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        if ((axes >> k & 1U) != 0) {
            along += o[k] * d[k];
            square += d[k] * d[k];
        }
    }
    if (square == 0.0) {
        return false;
    }
    const double middle = -along / square;
    double beside = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        if ((axes >> k & 1U) != 0) {
            const double at = o[k] + middle * d[k];
            beside += at * at;
        }
    }
    const double left = radius * radius - beside;
    if (!(left >= 0.0)) {
        return false;
    }
    const double half = sqrt(left / square);
    out[0] = middle - half;
    out[1] = middle + half;
    return true;
}

/// The part of a sphere about (0, y, 0) that lies beyond |y| in the sense of y; all of it for 0.
static void offer_sphere(const double o[3], const double d[3], double y, double radius,
                         struct nearest *nearest) {
    const double from[3] = {o[0], o[1] - y, o[2]};
    double t[2];
    if (!roots(from, d, 7, radius, t)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        double at[3];
        point_at(from, d, t[i], at);
        if (y == 0.0 || at[1] * copysign(1.0, y) >= -SEAM * (radius + fabs(y))) {
            offer(nearest, t[i], at);
        }
    }
}

/// The side of a cylinder about the y axis.
static void offer_side(const double o[3], const double d[3], const double size[3],
                       struct nearest *nearest) {
    double t[2];
    if (!roots(o, d, 5, size[0], t)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        double at[3];
        point_at(o, d, t[i], at);
        if (fabs(at[1]) <= size[1] + SEAM * (size[0] + size[1])) {
            offer(nearest, t[i], (double[3]){at[0], 0.0, at[2]});
        }
    }
}

static void offer_discs(const double o[3], const double d[3], const double size[3],
                        struct nearest *nearest) {
    for (int i = 0; i < 2 && d[1] != 0.0; i++) {
        const double side = i == 0 ? -1.0 : 1.0;
        const double t = (side * size[1] - o[1]) / d[1];
        double at[3];
        point_at(o, d, t, at);
        if (sqrt(at[0] * at[0] + at[2] * at[2]) <= size[0] + SEAM * (size[0] + size[1])) {
            offer(nearest, t, (double[3]){0.0, side, 0.0});
        }
    }
}

static void offer_box(const double o[3], const double d[3], const double size[3],
                      struct nearest *nearest) {
    const double seam = SEAM * (size[0] + size[1] + size[2]);
    for (int face = 0; face < 6; face++) {
        const int k = face / 2;
        const double side = face % 2 == 0 ? -1.0 : 1.0;
        if (d[k] == 0.0) {
            continue;
        }
        const double t = (side * size[k] - o[k]) / d[k];
        const int a = (k + 1) % 3;
        const int b = (k + 2) % 3;
        if (fabs(o[a] + t * d[a]) <= size[a] + seam && fabs(o[b] + t * d[b]) <= size[b] + seam) {
            double normal[3] = {0.0, 0.0, 0.0};
            normal[k] = side;
            offer(nearest, t, normal);
        }
    }
}

/// Along a ray that is closest to the centre of a torus at s = 0 there are up to four places on it,
/// where the quartic (s^2 + K)^2 - 4 R^2 |(x, z)|^2 is zero. It goes one way between neighbouring
/// roots of its derivative, a cubic without a square, s^3 + linear s + constant, and that one way
/// between neighbouring roots of its own derivative.
struct torus_ray {
    const double *size;
    double point[3]; ///< where s = 0
    double direction[3];
    double linear, constant;
};

static double torus_slope(const struct torus_ray *ray, double s) {
    return (s * s + ray->linear) * s + ray->constant;
}

/// The signed distance has the sign of the quartic, without its cancellations.
static double torus_distance(const struct torus_ray *ray, double s) {
    double at[3];
    point_at(ray->point, ray->direction, s, at);
    const double off = sqrt(at[0] * at[0] + at[2] * at[2]) - ray->size[0];
    return sqrt(off * off + at[1] * at[1]) - ray->size[1];
}

/// Cuts the interval at what zero it has, to the last bit; without one *zero is an end of it.
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

static void offer_tube(const struct torus_ray *ray, double low, double high, double middle,
                       struct nearest *nearest) {
    double s = 0.0;
    if (!find_zero(torus_distance, ray, low, high, &s)) {
        return;
    }
    double at[3];
    point_at(ray->point, ray->direction, s, at);
    const double rho = sqrt(at[0] * at[0] + at[2] * at[2]);
    const double part = (rho - ray->size[0]) / rho;
    offer(nearest, middle + s, (double[3]){part * at[0], at[1], part * at[2]});
}

static void offer_torus(const double o[3], const double d[3], const double size[3],
                        struct nearest *nearest) {
    double ends[2];
    if (!roots(o, d, 7, (1.0 + SEAM) * (size[0] + size[1]), ends)) {
        return;
    }
    struct torus_ray ray = {.size = size};
    const double middle = 0.5 * (ends[0] + ends[1]);
    const double half = 0.5 * (ends[1] - ends[0]);
    point_at(o, d, middle, ray.point);
    copy3(d, ray.direction);
    const double *p = ray.point;
    const double square = size[0] * size[0];
    ray.linear = dot3(p, p) + square - size[1] * size[1] -
                 2.0 * square * (d[0] * d[0] + d[2] * d[2]);
    ray.constant = -2.0 * square * (p[0] * d[0] + p[2] * d[2]);
    const double turn = fmin(sqrt(fmax(0.0, -ray.linear / 3.0)), half);
    const double turns[4] = {-half, -turn, turn, half};
    double from = -half;
    for (int i = 0; i < 3; i++) {
        double to = 0.0;
        if (find_zero(torus_slope, &ray, turns[i], turns[i + 1], &to)) {
            offer_tube(&ray, from, to, middle, nearest);
            from = to;
        }
    }
    offer_tube(&ray, from, half, middle, nearest);
}

static void offer_grid(const double o[3], const double d[3], const struct distance_grid *grid,
                       struct nearest *nearest) {
    double distance = 0.0;
    double gradient[3];
    if (grid_ray_meets(grid, o, d, nearest->limit, &distance, gradient)) {
        offer(nearest, distance, gradient);
    }
}

static void offer_plane(const double o[3], const double d[3], struct nearest *nearest) {
    if (d[1] != 0.0) {
        offer(nearest, -o[1] / d[1], (double[3]){0.0, 1.0, 0.0});
    }
}

bool ray_meets_shape(const struct ray *ray, const struct shape *shape, const struct pose *pose,
                     double limit, double *distance, double normal[3]) {
    struct nearest nearest = {.limit = limit};
    double offset[3];
    double o[3];
    double d[3];
    subtract3(ray->origin, pose->translation, offset);
    multiply_transposed3(pose->rotation, offset, o);
    multiply_transposed3(pose->rotation, ray->direction, d);
    switch (shape->kind) {
    case PBS_SHAPE_SPHERE: offer_sphere(o, d, 0.0, shape->size[0], &nearest); break;
    case PBS_SHAPE_BOX: offer_box(o, d, shape->size, &nearest); break;
    case PBS_SHAPE_CAPSULE:
        offer_side(o, d, shape->size, &nearest);
        offer_sphere(o, d, shape->size[1], shape->size[0], &nearest);
        offer_sphere(o, d, -shape->size[1], shape->size[0], &nearest);
        break;
    case PBS_SHAPE_CYLINDER:
        offer_side(o, d, shape->size, &nearest);
        offer_discs(o, d, shape->size, &nearest);
        break;
    case PBS_SHAPE_TORUS: offer_torus(o, d, shape->size, &nearest); break;
    case PBS_SHAPE_GRID: offer_grid(o, d, shape->grid, &nearest); break;
    default: offer_plane(o, d, &nearest); break;
    }
    if (!nearest.found) {
        return false;
    }
    *distance = nearest.distance;
    multiply3(pose->rotation, nearest.normal, normal);
    scale3((shape->hollow ? -1.0 : 1.0) / norm3(normal), normal, normal);
    return true;
}
