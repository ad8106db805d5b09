// See capsule_cast.h. Solid convex shapes and flat ones are met by Newton's iteration, as triangles
// are. The inside of a hollow shape of a radius, as of a sphere, is met where an end of the axis
// meets the parallel surface. Other distances are followed by small steps and bisected.
// SPDX-License-Identifier: MIT
#include "geometry/capsule_cast.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/exact/intersection.h"
#include "geometry/ray.h"
#include "geometry/shape_table.h"

enum {
    ITERATION_LIMIT = 200, ///< of Newton's iteration; grazing paths halve the gap each time
    SECTIONS = 60,         ///< of a golden-section search: 0.618^60 = 3e-13
    PIECES = 8,            ///< of an axis, for distances with several minima along it
    PATH_PIECES = 20000    ///< most steps of a march
};

// Relative to the radius: gaps that count as touching, and the least step of a march.
static const double TOUCHING = 1e-10;
static const double SHORTEST_STEP = 1e-3;

void capsule_cast_make(const double centre[3], const double axis[3], double radius,
                       const double direction[3], double extent, struct capsule_cast *out) {
    add_scaled3(centre, -1.0, axis, out->ends[0]);
    add3(centre, axis, out->ends[1]);
    out->radius = radius;
    copy3(direction, out->direction);
    out->resolution = fmax(TOUCHING * radius, 0x1p-46 * extent);
}

static bool is_sphere(const struct capsule_cast *cast) {
    return cast->ends[0][0] == cast->ends[1][0] && cast->ends[0][1] == cast->ends[1][1] &&
           cast->ends[0][2] == cast->ends[1][2];
}

/// The ends of the axis after a path of t metres.
static void ends_at(const struct capsule_cast *cast, double t, double ends[2][3]) {
    for (int k = 0; k < 2; k++) {
        add_scaled3(cast->ends[k], t, cast->direction, ends[k]);
    }
}

// --- Newton's iteration ---

/// An obstacle, and the closest point to the axis that was found last.
struct obstacle_of_cast {
    const struct capsule_cast *cast;
    const double *const *corners; ///< of a triangle; null: a shape
    const struct shape *shape;
    const struct pose *pose;
    struct capsule_hit *hit;
    double weights[3];
};

/// Returns the gap, m, and sets point and normal.
typedef double gap_function(struct obstacle_of_cast *obstacle, double t);

/// Finds the zero of a convex gap. A plane through the obstacle's point, perpendicular to the
/// normal, separates both; a capsule that does not approach that plane never touches.
static bool find_impact(struct obstacle_of_cast *obstacle, gap_function *gap_at, double limit) {
    const struct capsule_cast *cast = obstacle->cast;
    double t = 0.0;
    for (int i = 0; i < ITERATION_LIMIT; i++) {
        const double gap = gap_at(obstacle, t);
        obstacle->hit->distance = t;
        if (!(gap > cast->resolution)) {
            return gap == gap;
        }
        const double closing = -dot3(obstacle->hit->normal, cast->direction);
        if (!(closing > 0.0)) {
            return false;
        }
        t += gap / closing;
        if (!(t <= limit)) {
            return false;
        }
    }
    return true;
}

// --- triangles ---

/// Takes over the closest points of a pair if they are closer than those before.
static void keep_closest(const struct closest *closest, const int corner[PAIR_NODES], int first,
                         int count, double *squared, struct closest *best, double weights[3]) {
    if (closest->squared < *squared) {
        *squared = closest->squared;
        *best = *closest;
        weights[0] = weights[1] = weights[2] = 0.0;
        for (int i = first; i < count; i++) {
            weights[corner[i]] = -closest->weight[i];
        }
    }
}

/// The closest points of the axis and a triangle that it does not intersect: of an end and the
/// triangle, or of the axis and a side.
static void closest_to_axis(double ends[2][3], const double *const corners[3], bool sphere,
                            struct closest *best, double weights[3]) {
    double squared = INFINITY;
    *best = (struct closest){.squared = INFINITY};
    for (int e = 0; e < (sphere ? 1 : 2); e++) {
        const double *const nodes[PAIR_NODES] = {ends[e], corners[0], corners[1], corners[2]};
        const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, nodes);
        keep_closest(&closest, (const int[PAIR_NODES]){0, 0, 1, 2}, 1, 4, &squared, best, weights);
    }
    for (int i = 0; i < (sphere ? 0 : 3); i++) {
        const int j = (i + 1) % 3;
        const double *const nodes[PAIR_NODES] = {ends[0], ends[1], corners[i], corners[j]};
        const struct closest closest = closest_points(PAIR_EDGE_EDGE, nodes);
        keep_closest(&closest, (const int[PAIR_NODES]){0, 0, i, j}, 2, 4, &squared, best, weights);
    }
}

static double triangle_gap(struct obstacle_of_cast *obstacle, double t) {
    const double *const *x = obstacle->corners;
    struct capsule_hit *hit = obstacle->hit;
    double ends[2][3];
    struct closest closest;
    ends_at(obstacle->cast, t, ends);
    closest_to_axis(ends, x, is_sphere(obstacle->cast), &closest, obstacle->weights);
    const double distance = sqrt(closest.squared);
    for (int k = 0; k < 3; k++) {
        hit->point[k] = obstacle->weights[0] * x[0][k] + obstacle->weights[1] * x[1][k] +
                        obstacle->weights[2] * x[2][k];
        hit->normal[k] = distance > 0.0 ? closest.r[k] / distance : 0.0;
    }
    return distance - obstacle->cast->radius;
}

/// Where the axis intersects the triangle the closest points say nothing, and the normal is the
/// triangle's, against the motion.
static void use_face_normal(const struct capsule_cast *cast, const double *const x[3],
                            struct capsule_hit *hit) {
    double a[3], b[3];
    subtract3(x[1], x[0], a);
    subtract3(x[2], x[0], b);
    cross3(a, b, hit->normal);
    const double area = norm3(hit->normal);
    const double side = dot3(hit->normal, cast->direction) > 0.0 ? -1.0 : 1.0;
    scale3(area > 0.0 ? side / area : 0.0, hit->normal, hit->normal);
}

bool capsule_hits_triangle(const struct capsule_cast *cast, const double *const corners[3],
                           double limit, struct capsule_hit *hit, double weights[3]) {
    struct obstacle_of_cast obstacle = {.cast = cast, .corners = corners, .hit = hit};
    const bool intersects = segment_intersects_triangle(cast->ends[0], cast->ends[1], corners);
    if (intersects) {
        triangle_gap(&obstacle, 0.0);
        use_face_normal(cast, corners, hit);
        hit->distance = 0.0;
    } else if (!find_impact(&obstacle, triangle_gap, limit)) {
        return false;
    }
    copy3(obstacle.weights, weights);
    return true;
}

// --- shapes ---

/// Returns the signed distance of a point of the axis, at s in 0 .. 1.
static double distance_on_axis(const struct obstacle_of_cast *obstacle, double ends[2][3], double s,
                               double point[3], double gradient[3]) {
    for (int k = 0; k < 3; k++) {
        point[k] = (1.0 - s) * ends[0][k] + s * ends[1][k];
    }
    return shape_distance(obstacle->shape, obstacle->pose, point, gradient, NULL);
}

/// Returns where the distance is least in an interval of the axis in which it has one minimum, by
/// golden sections (Kiefer 1953).
static double golden_section(const struct obstacle_of_cast *obstacle, double ends[2][3], double low,
                             double high) {
    const double ratio = 0.61803398874989485;
    double point[3];
    double inner[2] = {high - ratio * (high - low), low + ratio * (high - low)};
    double value[2] = {distance_on_axis(obstacle, ends, inner[0], point, NULL),
                       distance_on_axis(obstacle, ends, inner[1], point, NULL)};
    for (int i = 0; i < SECTIONS; i++) {
        if (value[0] <= value[1]) {
            high = inner[1];
            inner[1] = inner[0];
            value[1] = value[0];
            inner[0] = high - ratio * (high - low);
            value[0] = distance_on_axis(obstacle, ends, inner[0], point, NULL);
        } else {
            low = inner[0];
            inner[0] = inner[1];
            value[0] = value[1];
            inner[1] = low + ratio * (high - low);
            value[1] = distance_on_axis(obstacle, ends, inner[1], point, NULL);
        }
    }
    return 0.5 * (low + high);
}

/// Returns the place on the axis where the distance is least. Ends are tried as well, since
/// sections only come close to them.
static double lowest_on_axis(const struct obstacle_of_cast *obstacle, double ends[2][3]) {
    const int pieces = shape_is_convex(obstacle->shape) ? 1 : PIECES;
    double best = 0.0;
    double point[3];
    double least = distance_on_axis(obstacle, ends, 0.0, point, NULL);
    for (int i = 0; i < pieces; i++) {
        const double end = (i + 1.0) / pieces;
        const double tried[2] = {golden_section(obstacle, ends, (double)i / pieces, end), end};
        for (int k = 0; k < 2; k++) {
            const double value = distance_on_axis(obstacle, ends, tried[k], point, NULL);
            best = value < least ? tried[k] : best;
            least = fmin(value, least);
        }
    }
    return best;
}

static double shape_gap(struct obstacle_of_cast *obstacle, double t) {
    struct capsule_hit *hit = obstacle->hit;
    double ends[2][3], point[3];
    ends_at(obstacle->cast, t, ends);
    const double s = is_sphere(obstacle->cast) ? 0.0 : lowest_on_axis(obstacle, ends);
    const double distance = distance_on_axis(obstacle, ends, s, point, hit->normal);
    add_scaled3(point, -distance, hit->normal, hit->point);
    return distance - obstacle->cast->radius;
}

/// Follows the gap in steps that it allows, but not shorter than a small part of the radius, and
/// bisects the first step across zero. Shorter crossings may be missed.
static bool march(struct obstacle_of_cast *obstacle, double limit) {
    const struct capsule_cast *cast = obstacle->cast;
    const double shortest = fmax(SHORTEST_STEP * cast->radius, limit / PATH_PIECES);
    double outside = 0.0;
    double t = 0.0;
    double gap = shape_gap(obstacle, t);
    while (gap > cast->resolution && t < limit) {
        outside = t;
        t = fmin(t + fmax(gap, shortest), limit);
        gap = shape_gap(obstacle, t);
    }
    if (!(gap <= cast->resolution)) {
        return false;
    }
    for (double middle = 0.5 * (outside + t); middle > outside && middle < t;
         middle = 0.5 * (outside + t)) {
        if (shape_gap(obstacle, middle) > cast->resolution) {
            outside = middle;
        } else {
            t = middle;
        }
    }
    shape_gap(obstacle, t);
    obstacle->hit->distance = t;
    return true;
}

/// Finds where an end of the axis meets the surface parallel to the wall of a hollow shape of a
/// radius: the distance to such a wall is least at an end.
static bool meet_wall(struct obstacle_of_cast *obstacle, double limit) {
    const struct capsule_cast *cast = obstacle->cast;
    struct shape parallel = *obstacle->shape;
    double nearest = INFINITY;
    parallel.size[0] -= cast->radius;
    for (int e = 0; e < 2; e++) {
        struct ray ray;
        double distance = 0.0;
        double normal[3];
        ray_make(cast->ends[e], cast->direction, &ray);
        if (ray_hits_shape(&ray, &parallel, obstacle->pose, limit, &distance, normal)) {
            nearest = fmin(nearest, distance);
        }
    }
    if (!isfinite(nearest)) {
        return false;
    }
    shape_gap(obstacle, nearest);
    obstacle->hit->distance = nearest;
    return true;
}

/// Writes the bounds of the solid, or of the free space inside it.
static bool bounds_of(const struct shape *shape, const struct pose *pose, double low[3],
                      double high[3]) {
    struct shape other = *shape;
    shape_bounds(shape, pose, 0.0, low, high);
    const bool is_bounded = isfinite(low[0]) && isfinite(high[0]);
    if (!is_bounded) {
        other.hollow = !shape->hollow;
        shape_bounds(&other, pose, 0.0, low, high);
    }
    return is_bounded;
}

/// Clips the end of the path to where the capsule leaves the bounds of the solid, or of the free
/// space, which it cannot leave without touching. Returns false if it never meets a bounded solid.
static bool clip_path(const struct capsule_cast *cast, const struct shape *shape,
                      const struct pose *pose, double *limit) {
    double low[3], high[3];
    double begin = 0.0;
    double end = INFINITY;
    if (shape_is_flat(shape)) {
        return true;
    }
    const bool is_bounded = bounds_of(shape, pose, low, high);
    const double reach = cast->radius + cast->resolution;
    for (int k = 0; k < 3; k++) {
        const double ahead = fmax(cast->ends[0][k], cast->ends[1][k]) + reach - low[k];
        const double behind = fmin(cast->ends[0][k], cast->ends[1][k]) - reach - high[k];
        const double d = cast->direction[k];
        if (d == 0.0 && (ahead < 0.0 || behind > 0.0)) {
            return !is_bounded;
        }
        if (d != 0.0) {
            begin = fmax(begin, d > 0.0 ? -ahead / d : -behind / d);
            end = fmin(end, d > 0.0 ? -behind / d : -ahead / d);
        }
    }
    // The bounds are rounded.
    end = fmax(0.0, end + cast->resolution);
    *limit = fmin(*limit, end);
    return !is_bounded || begin <= *limit;
}

static bool hits_piece(const struct capsule_cast *cast, const struct shape_piece *piece,
                       double limit, struct capsule_hit *hit) {
    struct obstacle_of_cast obstacle = {
        .cast = cast, .shape = &piece->shape, .pose = &piece->pose, .hit = hit};
    if (!clip_path(cast, &piece->shape, &piece->pose, &limit)) {
        return false;
    }
    if (shape_is_convex(&piece->shape)) {
        return find_impact(&obstacle, shape_gap, limit);
    }
    if (!shape_table_of(&piece->shape)->has_radius) {
        return march(&obstacle, limit);
    }
    hit->distance = 0.0;
    return shape_gap(&obstacle, 0.0) <= cast->resolution || meet_wall(&obstacle, limit);
}

bool capsule_hits_shape(const struct capsule_cast *cast, const struct shape *shape,
                        const struct pose *pose, double limit, struct capsule_hit *hit) {
    struct shape_piece pieces[SHAPE_PIECES];
    const size_t count = shape_pieces(shape, pose, pieces);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        struct capsule_hit other;
        if (hits_piece(cast, &pieces[i], limit, &other) &&
            (!found || other.distance < hit->distance)) {
            *hit = other;
            limit = other.distance;
            found = true;
        }
    }
    return found;
}
