// See separation.h. Along a fixed direction, the gap between two sides with straight paths is never
// less than at one of the ends. Three directions are tried. The line between the centres of the
// sides separates neighbours on one surface. The normal of both edges, or of the triangle,
// separates a long edge from one that it crosses and a large triangle from a point above it. The
// line between the closest points half way separates the rest; for a triangle it ends on the
// boundary.
// SPDX-License-Identifier: MIT
#include "contact/search/separation.h"

#include <float.h>
#include <math.h>

#include "broad_phase/box_lanes.h"

// Rounding errors: a coordinate has half an epsilon, a difference of two as much again, and a
// product with a direction three times that. For both sides the sum is less than 35 half epsilons
// of the pair's largest coordinate. Above LARGEST nothing is separated, as products may overflow.
static const float ROUNDINGS = 64.0F;
static const float LARGEST = 1e12F;
// The first is the least square of a direction that is accurate enough; the second, the relative
// rounding error of a length.
static const float SHORTEST_SQUARE = 1e-30F;
static const float LENGTH_ROUNDING = 1e-6F;

/// Eight pairs, one per lane. Points are relative to the last point of the pair.
struct swept_pairs {
    floats8 first[PAIR_NODES][3], last[PAIR_NODES][3];
    floats8 middle[PAIR_NODES][3]; ///< twice the positions half way
    floats8 least_distance;
};

// --- lanes ---

ALWAYS_INLINE floats8 eight(float a) {
    return a - (floats8){0.0F};
}

/// Mask of the lanes where both masks are set; see lanes_both of base/lanes/lanes.h.
ALWAYS_INLINE ints8 both(ints8 a, ints8 b) {
    ints8 r;
    for (int i = 0; i < SEPARATION_PAIRS; i++) {
        r[i] = a[i] & b[i];
    }
    return r;
}

ALWAYS_INLINE ints8 either(ints8 a, ints8 b) {
    ints8 r;
    for (int i = 0; i < SEPARATION_PAIRS; i++) {
        r[i] = a[i] | b[i];
    }
    return r;
}

ALWAYS_INLINE floats8 choose(ints8 mask, floats8 a, floats8 b) {
    return (floats8)((mask & (ints8)a) | (~mask & (ints8)b));
}

/// Returns the smaller of a and b, or b if a is not a number.
ALWAYS_INLINE floats8 lesser(floats8 a, floats8 b) {
    return choose(a < b, a, b);
}

ALWAYS_INLINE floats8 greater(floats8 a, floats8 b) {
    return choose(a > b, a, b);
}

ALWAYS_INLINE floats8 absolute(floats8 a) {
    return (floats8)((ints8)a & INT32_MAX);
}

ALWAYS_INLINE floats8 square_root(floats8 a) {
    floats8 root;
    for (int i = 0; i < SEPARATION_PAIRS; i++) {
        root[i] = sqrtf(a[i]);
    }
    return root;
}

ALWAYS_INLINE floats8 dot(const floats8 a[3], const floats8 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE void subtract(const floats8 a[3], const floats8 b[3], floats8 out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

ALWAYS_INLINE void add_scaled(const floats8 a[3], floats8 s, const floats8 b[3], floats8 out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] + s * b[k];
    }
}

ALWAYS_INLINE void cross(const floats8 a[3], const floats8 b[3], floats8 out[3]) {
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        const int last = (k + 2) % 3;
        out[k] = a[next] * b[last] - a[last] * b[next];
    }
}

/// Clamps a quotient to [0, 1]; 0 if it is not a number.
ALWAYS_INLINE floats8 clamp_to_unit(floats8 a) {
    return lesser(greater(a, eight(0.0F)), eight(1.0F));
}

/// Returns a mask of bits, bit i for lane i.
ALWAYS_INLINE uint32_t bits_of(ints8 mask) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < SEPARATION_PAIRS; i++) {
        bits |= (uint32_t)mask[i] & 1U << i;
    }
    return bits;
}

ALWAYS_INLINE floats8 join(floats4 low, floats4 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Loads the first three numbers of eight rows, one row per lane. Returns the fourth ones.
ALWAYS_INLINE floats8 load_rows(const float *const row[SEPARATION_PAIRS], floats8 out[3]) {
    floats4 low[4], high[4];
    transpose_four(row, low);
    transpose_four(row + 4, high);
    for (int k = 0; k < 3; k++) {
        out[k] = join(low[k], high[k]);
    }
    return join(low[3], high[3]);
}

ALWAYS_INLINE void load_pairs(const struct separation *s, int first_count,
                              uint32_t points[SEPARATION_PAIRS][PAIR_NODES],
                              struct swept_pairs *out) {
    floats8 radius[PAIR_NODES];
    floats8 largest = eight(0.0F);
    for (int n = 0; n < PAIR_NODES; n++) {
        const float *first[SEPARATION_PAIRS], *last[SEPARATION_PAIRS];
        for (int i = 0; i < SEPARATION_PAIRS; i++) {
            first[i] = s->swept[points[i][n]].first;
            last[i] = s->swept[points[i][n]].last;
        }
        radius[n] = load_rows(first, out->first[n]);
        load_rows(last, out->last[n]);
        for (int k = 0; k < 3; k++) {
            largest = greater(absolute(out->first[n][k]), largest);
            largest = greater(absolute(out->last[n][k]), largest);
        }
    }
    for (int n = 0; n < PAIR_NODES; n++) {
        subtract(out->first[n], out->first[PAIR_NODES - 1], out->first[n]);
        subtract(out->last[n], out->last[PAIR_NODES - 1], out->last[n]);
        add_scaled(out->first[n], eight(1.0F), out->last[n], out->middle[n]);
    }
    out->least_distance = (eight(s->reach) + radius[0] + radius[first_count]) *
                              eight(1.0F + LENGTH_ROUNDING) +
                          choose(largest < eight(LARGEST),
                                 eight(ROUNDINGS * 0.5F * FLT_EPSILON) * largest, eight(INFINITY));
}

// --- directions ---

/// Returns the distance, along a direction, of the first side beyond the second: the smaller one of
/// both ends of the paths.
ALWAYS_INLINE floats8 distance_along(const struct swept_pairs *pairs, int first_count,
                                     const floats8 normal[3]) {
    floats8 low_first = eight(INFINITY), low_last = low_first;
    floats8 high_first = -low_first, high_last = -low_first;
    for (int n = 0; n < PAIR_NODES; n++) {
        const floats8 first = dot(pairs->first[n], normal);
        const floats8 last = dot(pairs->last[n], normal);
        if (n < first_count) {
            low_first = lesser(low_first, first);
            low_last = lesser(low_last, last);
        } else {
            high_first = greater(high_first, first);
            high_last = greater(high_last, last);
        }
    }
    return lesser(low_first - high_first, low_last - high_last);
}

/// Returns the mask of lanes that a plane with this normal separates.
ALWAYS_INLINE ints8 separates(const struct swept_pairs *pairs, int first_count,
                              const floats8 normal[3]) {
    const floats8 square = dot(normal, normal);
    const floats8 least = pairs->least_distance * square_root(square) *
                          eight(1.0F + LENGTH_ROUNDING);
    return both(distance_along(pairs, first_count, normal) > least,
                square > eight(SHORTEST_SQUARE));
}

/// Returns the gap along a direction, m; 0 if the direction is too inaccurate.
ALWAYS_INLINE floats8 gap_along(const struct swept_pairs *pairs, int first_count,
                                const floats8 normal[3]) {
    const floats8 square = dot(normal, normal);
    const floats8 length = square_root(square) * eight(1.0F + LENGTH_ROUNDING);
    const floats8 gap = distance_along(pairs, first_count, normal) / length - pairs->least_distance;
    return choose(square > eight(SHORTEST_SQUARE), gap, eight(0.0F));
}

ALWAYS_INLINE void between_middles(const struct swept_pairs *pairs, int first_count,
                                   floats8 normal[3]) {
    const floats8 first = eight(1.0F / (float)first_count);
    const floats8 second = eight(-1.0F / (float)(PAIR_NODES - first_count));
    for (int k = 0; k < 3; k++) {
        normal[k] = eight(0.0F);
        for (int n = 0; n < PAIR_NODES; n++) {
            normal[k] += (n < first_count ? first : second) * pairs->middle[n][k];
        }
    }
}

/// normal = the normal of both edges, or of the triangle, on the side of `between`.
ALWAYS_INLINE void across(const struct swept_pairs *pairs, int first_count,
                          const floats8 between[3], floats8 normal[3]) {
    floats8 u[3], v[3];
    subtract(pairs->middle[first_count == 1 ? 2 : 1], pairs->middle[first_count == 1 ? 1 : 0], u);
    subtract(pairs->middle[3], pairs->middle[first_count == 1 ? 1 : 2], v);
    cross(u, v, normal);
    const ints8 flipped = dot(normal, between) < eight(0.0F);
    for (int k = 0; k < 3; k++) {
        normal[k] = choose(flipped, -normal[k], normal[k]);
    }
}

/// normal = the vector from the closest point of a triangle's boundary to the point.
ALWAYS_INLINE void from_rim(const struct swept_pairs *pairs, floats8 normal[3]) {
    floats8 least = eight(INFINITY);
    for (int n = 1; n < PAIR_NODES; n++) {
        floats8 edge[3], to[3];
        subtract(pairs->middle[n % 3 + 1], pairs->middle[n], edge);
        subtract(pairs->middle[0], pairs->middle[n], to);
        const floats8 fraction = clamp_to_unit(dot(to, edge) / dot(edge, edge));
        add_scaled(to, -fraction, edge, to);
        const floats8 square = dot(to, to);
        const ints8 closer = square < least;
        least = choose(closer, square, least);
        for (int k = 0; k < 3; k++) {
            normal[k] = n == 1 ? to[k] : choose(closer, to[k], normal[k]);
        }
    }
}

/// normal = the vector between the closest points of two edges (Ericson, Real-Time Collision
/// Detection, 2005, section 5.1.9).
ALWAYS_INLINE void between_edges(const struct swept_pairs *pairs, floats8 normal[3]) {
    floats8 u[3], v[3], r[3];
    subtract(pairs->middle[1], pairs->middle[0], u);
    subtract(pairs->middle[3], pairs->middle[2], v);
    subtract(pairs->middle[0], pairs->middle[2], r);
    const floats8 uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
    const floats8 ur = dot(u, r), vr = dot(v, r);
    const floats8 s = clamp_to_unit((uv * vr - ur * vv) / (uu * vv - uv * uv));
    const floats8 t = clamp_to_unit((uv * s + vr) / vv);
    const floats8 again = clamp_to_unit((uv * t - ur) / uu);
    add_scaled(r, again, u, normal);
    add_scaled(normal, -t, v, normal);
}

ALWAYS_INLINE void between_closest(const struct swept_pairs *pairs, int first_count,
                                   floats8 normal[3]) {
    if (first_count == 1) {
        from_rim(pairs, normal);
    } else {
        between_edges(pairs, normal);
    }
}

/// Mask of lanes without NaN: a NaN in any point is one in the line between the centres too.
ALWAYS_INLINE ints8 is_number(const floats8 between[3]) {
    return between[0] + between[1] + between[2] == between[0] + between[1] + between[2];
}

ALWAYS_INLINE uint32_t lanes_that_meet(const struct separation *s, int first_count,
                                       uint32_t points[SEPARATION_PAIRS][PAIR_NODES]) {
    struct swept_pairs pairs;
    floats8 between[3], normal[3];
    load_pairs(s, first_count, points, &pairs);
    between_middles(&pairs, first_count, between);
    ints8 separated = separates(&pairs, first_count, between);
    if (bits_of(~separated) == 0) {
        return 0;
    }
    const ints8 known = is_number(between);
    across(&pairs, first_count, between, normal);
    separated = either(separated, separates(&pairs, first_count, normal));
    between_closest(&pairs, first_count, normal);
    separated = either(separated, separates(&pairs, first_count, normal));
    return bits_of(~both(separated, known));
}

ALWAYS_INLINE void gap_of_lanes(const struct separation *s, int first_count,
                                uint32_t points[SEPARATION_PAIRS][PAIR_NODES], float *min_gap) {
    struct swept_pairs pairs;
    floats8 between[3], normal[3];
    load_pairs(s, first_count, points, &pairs);
    between_middles(&pairs, first_count, between);
    floats8 gap = greater(gap_along(&pairs, first_count, between), eight(0.0F));
    across(&pairs, first_count, between, normal);
    gap = greater(gap_along(&pairs, first_count, normal), gap);
    between_closest(&pairs, first_count, normal);
    gap = greater(gap_along(&pairs, first_count, normal), gap);
    gap = choose(is_number(between), gap, eight(0.0F));
    memcpy(min_gap, &gap, sizeof gap);
}

static PBS_MULTIVERSION uint32_t
points_meet_triangles(const struct separation *s, uint32_t points[SEPARATION_PAIRS][PAIR_NODES]) {
    return lanes_that_meet(s, 1, points);
}

static PBS_MULTIVERSION uint32_t edges_meet(const struct separation *s,
                                            uint32_t points[SEPARATION_PAIRS][PAIR_NODES]) {
    return lanes_that_meet(s, 2, points);
}

uint32_t separation_fails(const struct separation *separation, enum pair_kind kind,
                          uint32_t points[SEPARATION_PAIRS][PAIR_NODES]) {
    return kind == PAIR_POINT_TRIANGLE ? points_meet_triangles(separation, points)
                                       : edges_meet(separation, points);
}

static PBS_MULTIVERSION void gap_of_points_and_triangles(
    const struct separation *s, uint32_t points[SEPARATION_PAIRS][PAIR_NODES], float *min_gap) {
    gap_of_lanes(s, 1, points, min_gap);
}

static PBS_MULTIVERSION void gap_of_edges(const struct separation *s,
                                          uint32_t points[SEPARATION_PAIRS][PAIR_NODES],
                                          float *min_gap) {
    gap_of_lanes(s, 2, points, min_gap);
}

void separation_gap(const struct separation *separation, enum pair_kind kind,
                    uint32_t points[SEPARATION_PAIRS][PAIR_NODES],
                    float min_gap[SEPARATION_PAIRS]) {
    if (kind == PAIR_POINT_TRIANGLE) {
        gap_of_points_and_triangles(separation, points, min_gap);
    } else {
        gap_of_edges(separation, points, min_gap);
    }
}
