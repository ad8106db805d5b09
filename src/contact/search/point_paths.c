// SPDX-License-Identifier: MIT
#include "contact/search/point_paths.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Points in one piece of a parallel loop.
enum { POINTS_PER_PIECE = 4096, PIECE_LIMIT = 1024 };

// Bound of rounding errors of a state, relative to its distance from the origin. It is added to the
// margin.
static const double ROUNDING = 1e-12;

static size_t piece_count(const struct collision_mesh *mesh) {
    const size_t count = mesh->point_count / POINTS_PER_PIECE + 1;
    return count < PIECE_LIMIT ? count : PIECE_LIMIT;
}

pbs_status point_paths_reserve(struct memory *memory, const struct collision_mesh *mesh,
                               struct point_paths *paths) {
    const size_t count = 3 * (size_t)mesh->point_count;
    RETURN_IF_FAILED(
        memory_reserve(memory, &paths->start, &paths->start_capacity, count, sizeof *paths->start));
    RETURN_IF_FAILED(memory_reserve(memory, &paths->motion, &paths->motion_capacity, count,
                                    sizeof *paths->motion));
    return memory_reserve(memory, &paths->pieces, &paths->piece_capacity, piece_count(mesh),
                          sizeof *paths->pieces);
}

void point_paths_free(struct memory *memory, struct point_paths *paths) {
    memory_release(memory, paths->start);
    memory_release(memory, paths->motion);
    memory_release(memory, paths->pieces);
    *paths = (struct point_paths){0};
}

void point_paths_mean_position(const struct collision_mesh *mesh, const double *x, double mean[3]) {
    double count = 0.0;
    double sum[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; x != NULL && i < mesh->point_count; i++) {
        if (mesh->kind[i] != POINT_OBSTACLE) {
            add3(sum, x + 3 * i, sum);
            count += 1.0;
        }
    }
    scale3(1.0 / fmax(count, 1.0), sum, mean);
}

void point_paths_set(const struct collision_mesh *mesh, const double *x, const double *motion,
                     double margin, double rounding_limit, struct point_paths *paths) {
    double mean[3];
    double largest = 0.0;
    double longest = 0.0;
    point_paths_mean_position(mesh, x, paths->mean);
    point_paths_mean_position(mesh, motion, mean);
    paths->is_valid = false;
    paths->margin = margin;
    paths->motion_square = 0.0;
    for (size_t i = 0; i < mesh->point_count; i++) {
        double *const start = paths->start + 3 * i;
        double *const path = paths->motion + 3 * i;
        double end[3];
        copy3(x + 3 * i, start);
        copy3(x + 3 * i, end);
        memset(path, 0, 3 * sizeof *path);
        if (motion != NULL) {
            subtract3(motion + 3 * i, mean, path);
            add3(end, motion + 3 * i, end);
        }
        const double square = dot3(path, path);
        paths->motion_square += square;
        longest = fmax(longest, square);
        largest = fmax(largest, dot3(start, start) + dot3(end, end));
    }
    paths->longest = sqrt(longest);
    // Where rounding reaches the limit, the paths cover no other state.
    paths->rounding = fmin(ROUNDING * sqrt(largest), rounding_limit);
}

// --- deviation from the paths ---

/// The comparison of one state with the paths.
struct deviation_pass {
    const struct collision_mesh *mesh;
    const struct point_paths *paths;
    const double *x, *motion; ///< the state is x + motion; null: x
    double shift[3];          ///< subtracted from the state
    double time;              ///< path parameter of the comparison
    size_t pieces;
};

static size_t piece_begin(const struct deviation_pass *pass, size_t piece) {
    return pass->mesh->point_count * piece / pass->pieces;
}

/// Computes the offset of a point from the start of its path.
ALWAYS_INLINE void offset_from_start(const struct deviation_pass *pass, size_t i, double out[3]) {
    subtract3(pass->x + 3 * i, pass->shift, out);
    if (pass->motion != NULL) {
        add3(out, pass->motion + 3 * i, out);
    }
    subtract3(out, pass->paths->start + 3 * i, out);
}

static void add_along(void *context, size_t piece) {
    struct deviation_pass *pass = context;
    double sum = 0.0;
    for (size_t i = piece_begin(pass, piece); i < piece_begin(pass, piece + 1); i++) {
        double path[3];
        offset_from_start(pass, i, path);
        sum += dot3(path, pass->paths->motion + 3 * i);
    }
    pass->paths->pieces[piece] = sum;
}

static void find_deviation(void *context, size_t piece) {
    struct deviation_pass *pass = context;
    double largest_deviation = 0.0;
    for (size_t i = piece_begin(pass, piece); i < piece_begin(pass, piece + 1); i++) {
        double path[3];
        offset_from_start(pass, i, path);
        add_scaled3(path, -pass->time, pass->paths->motion + 3 * i, path);
        const double square = dot3(path, path);
        if (!(square <= largest_deviation)) {
            largest_deviation = isnan(square) ? INFINITY : square;
        }
    }
    pass->paths->pieces[piece] = largest_deviation;
}

/// Returns the largest distance of a point of the state from its path, at the path parameter that
/// fits all points best.
static double deviation_at_best_time(struct tasks *tasks, struct deviation_pass *pass) {
    if (pass->paths->motion_square > 0.0) {
        double along = 0.0;
        tasks_for(tasks, pass->pieces, add_along, pass);
        for (size_t i = 0; i < pass->pieces; i++) {
            along += pass->paths->pieces[i];
        }
        pass->time = fmax(0.0, fmin(along / pass->paths->motion_square, 1.0));
    }
    tasks_for(tasks, pass->pieces, find_deviation, pass);
    double largest_deviation = 0.0;
    for (size_t i = 0; i < pass->pieces; i++) {
        largest_deviation = fmax(largest_deviation, pass->paths->pieces[i]);
    }
    // The common shift has rounding errors of the same relative size as positions.
    const double deviation = sqrt(largest_deviation) + ROUNDING * norm3(pass->shift);
    return isnan(deviation) ? INFINITY : deviation;
}

double point_paths_deviation(struct tasks *tasks, const struct point_paths *paths,
                             const struct collision_mesh *mesh, const double *x,
                             const double *motion) {
    if (!paths->is_valid) {
        return INFINITY;
    }
    struct deviation_pass pass = {
        .mesh = mesh, .paths = paths, .x = x, .pieces = piece_count(mesh)};
    double mean[3];
    point_paths_mean_position(mesh, x, mean);
    subtract3(mean, paths->mean, pass.shift);
    const double begin = deviation_at_best_time(tasks, &pass);
    if (motion == NULL || !point_paths_within_margin(paths, begin)) {
        return begin;
    }
    // If two states are within a distance of the paths at two parameters, so are the states between
    // them at the parameters between: the set of such parameters and states is convex.
    point_paths_mean_position(mesh, motion, mean);
    add3(pass.shift, mean, pass.shift);
    pass.motion = motion;
    const double end = deviation_at_best_time(tasks, &pass);
    return fmax(begin, end);
}
