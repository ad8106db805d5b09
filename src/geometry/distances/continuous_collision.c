// Every step evaluates positions as x + t dx from the start of the motion, so that no rounding
// accumulates.
// SPDX-License-Identifier: MIT
#include "geometry/distances/continuous_collision.h"

#include <stdbool.h>

#include "base/matrix3/math3.h"

// Relative to the largest distance between nodes: a gap below `touching_gap` counts as rounding, so
// the pair touches; `projection_rounding` bounds the rounding error of projections of nodes.
static const double touching_gap = 1e-15, projection_rounding = 2e-15;
// Relative to the gap that must be left: a step aims at `target_factor`, which is above 1 by more
// than rounding; the search ends below `stop_factor`.
static const double target_factor = 1.02, stop_factor = 1.1;

struct motion {
    enum pair_kind kind;
    int first, nodes; // number of nodes of the first side, and of both
    const double *const *x, *const *dx;
    double speed;        // m per unit time: upper bound of the closing speed of two points
    double rounding;     // m: rounding error of projections
    double min_distance; // m: the distance may not fall below this in a step
};

// Returns the largest |a_i - a_j| over pairs of nodes of different sides. NaN is propagated.
static double largest_difference(const struct motion *motion, const double *const a[]) {
    double largest = 0.0;
    for (int i = 0; i < motion->first; i++) {
        for (int j = motion->first; j < motion->nodes; j++) {
            double difference[3];
            subtract3(a[i], a[j], difference);
            const double squared = dot3(difference, difference);
            largest = squared > largest || isnan(squared) ? squared : largest;
        }
    }
    return sqrt(largest);
}

// Returns a time until which the sides stay min_distance apart along the direction of r. Along any
// direction, the separation of two convex hulls is the smallest separation of their nodes, which is
// linear in time. A result that is not positive means that no bound was found.
static double separated_until(const struct motion *motion, const double *const x[],
                              const double r[3]) {
    const double least = (motion->min_distance + motion->rounding) * norm3(r);
    double projection[PAIR_NODES] = {0.0}, speed[PAIR_NODES] = {0.0}, longest = (double)INFINITY;
    for (int i = 1; i < motion->nodes; i++) {
        double from[3];
        subtract3(x[i], x[0], from);
        projection[i] = dot3(from, r);
        subtract3(motion->dx[i], motion->dx[0], from);
        speed[i] = dot3(from, r);
    }
    for (int i = 0; i < motion->first; i++) {
        for (int j = motion->first; j < motion->nodes; j++) {
            const double gap = projection[i] - projection[j] - least,
                         closing_speed = speed[j] - speed[i];
            if (!(gap > 0.0) || isnan(closing_speed)) {
                return 0.0;
            }
            if (closing_speed > 0.0) {
                longest = fmin(longest, gap / closing_speed);
            }
        }
    }
    return longest;
}

// --- volume spanned by the four nodes ---

// Computes three vectors whose triple product is the volume: the vector from a node of one side to
// a node of the other, and two edges (of the triangle, or one of each side).
static void spanning(const struct motion *motion, const double *const a[], double (*out)[3]) {
    const bool edges = motion->kind == PAIR_EDGE_EDGE;
    subtract3(a[0], a[edges ? 2 : 1], out[0]);
    subtract3(a[edges ? 1 : 2], a[edges ? 0 : 1], out[1]);
    subtract3(a[3], a[edges ? 2 : 1], out[2]);
}

// h -= share times the product of three linear polynomials.
static void subtract_product(double (*linear)[2], double share, double *h) {
    double product[4] = {share, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        for (int k = i + 1; k > 0; k--) {
            product[k] = product[k] * linear[i][0] + product[k - 1] * linear[i][1];
        }
        product[0] *= linear[i][0];
    }
    for (int k = 0; k < 4; k++) {
        h[k] -= product[k];
    }
}

// Returns a lower bound of the roots in (0, end) of a cubic that is positive at 0: the first point
// where the convex hull of its Bezier control points meets zero. Infinite if it does not meet zero.
// NaN is propagated.
static double root_lower_bound(const double *h, double end) {
    const double one = h[1] * end, two = h[2] * end * end, three = h[3] * end * end * end;
    const double control[4] = {h[0], h[0] + one / 3.0, h[0] + (2.0 * one + two) / 3.0,
                               h[0] + one + two + three};
    double least = (double)INFINITY;
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 4 && control[i] > 0.0; j++) {
            if (!(control[j] > 0.0)) {
                const double share = control[i] / (control[i] - control[j]);
                const double root = end / 3.0 * (i + (j - i) * share);
                least = root < least || isnan(root) ? root : least;
            }
        }
    }
    return least;
}

// Returns a time until which the lines through two edges, or the point and the plane, stay
// min_distance apart. Their distance is the volume (a cubic in time) divided by the area spanned by
// the two edges (bounded by a quadratic). For sides that rotate together, which no fixed plane
// separates for long. A result that is not positive means that no bound was found.
static double volume_positive_until(const struct motion *motion, const double *const x[],
                                    double t_max) {
    double at[3][3], by[3][3], area[3][3], part[3], size[3][2];
    spanning(motion, x, at);
    spanning(motion, motion->dx, by);
    cross3(at[1], at[2], area[0]);
    cross3(at[1], by[2], area[1]);
    cross3(by[1], at[2], part);
    add3(area[1], part, area[1]);
    cross3(by[1], by[2], area[2]);
    double h[4] = {0.0};
    for (int k = 0; k < 3; k++) {
        h[k] += dot3(at[0], area[k]);
        h[k + 1] += dot3(by[0], area[k]);
        size[k][0] = norm3(at[k]);
        size[k][1] = norm3(by[k]);
    }
    const double sign = h[0] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 4; k++) {
        h[k] *= sign;
        h[k] -= k < 3 ? motion->min_distance * norm3(area[k]) : 0.0;
    }
    subtract_product(size, projection_rounding, h);
    if (!(h[0] > 0.0)) {
        return 0.0;
    }
    // The bound is tightest if the root is close to the end of the interval, so the interval is
    // shortened.
    double end = t_max, lower_bound = root_lower_bound(h, end);
    for (int i = 0; i < 8 && lower_bound < 0.25 * end; i++) {
        end = 4.0 * lower_bound;
        lower_bound = fmin(root_lower_bound(h, end), end);
    }
    return lower_bound;
}

// Returns a safe step. use_volume: also try the volume bound.
static double safe_step(const struct motion *motion, const double *const x[],
                        const struct closest *closest, bool use_volume, double t_max) {
    const double by_speed = (sqrt(closest->squared) - motion->min_distance) / motion->speed;
    double step = fmax(by_speed, separated_until(motion, x, closest->r));
    if (use_volume && step < t_max && closest_parameter_count(closest) == 2) {
        step = fmax(step, volume_positive_until(motion, x, t_max));
    }
    return step;
}

static struct closest closest_at(const struct motion *motion, double t, double (*moved)[3],
                                 const double *const x[]) {
    for (int i = 0; i < motion->nodes; i++) {
        add_scaled3(motion->x[i], t, motion->dx[i], moved[i]);
    }
    return closest_points(motion->kind, x);
}

static void count(struct collision_statistics *statistics, int distances) {
    if (statistics != NULL) {
        statistics->distances += (uint64_t)distances;
        statistics->capped += distances > COLLISION_STEPS;
    }
}

double collision_least_gap(double gap, double gap_fraction, double required_gap) {
    const double fraction = gap_fraction > 0.0 ? gap_fraction : COLLISION_GAP_FRACTION;
    return fmin(fraction * gap, required_gap);
}

static double least_gap_of(double gap, const struct collision_limits *limits) {
    return collision_least_gap(gap, limits->gap_fraction, limits->required_gap);
}

// Advances from the closest points at the start, whose gap is positive.
static double advance(const struct motion *motion, struct closest closest, double least_gap,
                      const struct collision_limits *limits,
                      struct collision_statistics *statistics) {
    double moved[PAIR_NODES][3] = {{0.0}};
    const double *const nodes[PAIR_NODES] = {moved[0], moved[1], moved[2], moved[3]};
    const double *const *x = motion->x;
    double t = 0.0;
    int step = 0;
    while (step++ < COLLISION_STEPS) {
        const double next = t + safe_step(motion, x, &closest, step > 2, limits->t_max - t);
        if (next >= limits->t_max || next >= limits->bound) {
            t = fmin(next, limits->t_max);
            break;
        }
        x = nodes;
        closest = closest_at(motion, next, moved, x);
        const double left = sqrt(closest.squared) - limits->separation;
        if (!(left >= least_gap)) {
            break;
        }
        t = next;
        if (left <= stop_factor * least_gap) {
            break;
        }
    }
    count(statistics, step);
    return t;
}

// Returns whether a plane perpendicular to the line between the sides' centres keeps them apart
// until `time` by more than any gap at which the search would end. The initial gap is at most the
// length of that line. This test settles most pairs of the broad phase without computing their
// distance.
static bool stays_separated(const struct motion *motion, const struct collision_limits *limits,
                            double time) {
    const double *const *x = motion->x, *const *dx = motion->dx;
    double from[PAIR_NODES][3], by[PAIR_NODES][3], between[3];
    double extent = 0.0, drift = 0.0, projection[PAIR_NODES], change[PAIR_NODES];
    const double first = 1.0 / motion->first, second = -1.0 / (motion->nodes - motion->first);
    scale3(0.0, x[0], between);
    for (int i = 1; i < motion->nodes; i++) {
        subtract3(x[i], x[0], from[i]);
        subtract3(dx[i], dx[0], by[i]);
        extent += dot3(from[i], from[i]);
        drift += dot3(by[i], by[i]);
        add_scaled3(between, i < motion->first ? first : second, from[i], between);
    }
    projection[0] = change[0] = 0.0;
    for (int i = 1; i < motion->nodes; i++) {
        projection[i] = dot3(from[i], between);
        change[i] = dot3(by[i], between);
    }
    const double length = norm3(between);
    const double rounding = projection_rounding * (sqrt(extent) + time * sqrt(drift));
    const double least_gap = least_gap_of(length - limits->separation, limits);
    const double least = length * (limits->separation + stop_factor * least_gap + 2.0 * rounding);
    bool separated = length > limits->separation;
    for (int i = 0; i < motion->first; i++) {
        for (int j = motion->first; j < motion->nodes; j++) {
            const double gap = projection[i] - projection[j] - least;
            separated = separated && gap > 0.0 && gap >= time * (change[j] - change[i]);
        }
    }
    return separated;
}

double collision_free_time(enum pair_kind kind, const double *const x[PAIR_NODES],
                           const double *const dx[PAIR_NODES],
                           const struct collision_limits *limits,
                           struct collision_statistics *statistics) {
    struct motion motion = {.kind = kind,
                            .first = pair_first_count(kind),
                            .nodes = pair_node_count(kind),
                            .x = x,
                            .dx = dx};
    const double time = fmin(limits->t_max, limits->bound);
    if (stays_separated(&motion, limits, time)) {
        return time;
    }
    const struct closest closest = closest_points(kind, x);
    const double gap = sqrt(closest.squared) - limits->separation;
    const double extent = largest_difference(&motion, x);
    motion.speed = largest_difference(&motion, dx);
    if (!(gap > touching_gap * extent) || !(motion.speed < (double)INFINITY)) {
        count(statistics, 1);
        return 0.0;
    }
    const double least_gap = least_gap_of(gap, limits);
    if (gap - stop_factor * least_gap >= motion.speed * time) {
        count(statistics, 1);
        return time;
    }
    motion.rounding = projection_rounding * (extent + motion.speed * limits->t_max);
    motion.min_distance = limits->separation + target_factor * least_gap;
    return advance(&motion, closest, least_gap, limits, statistics);
}
