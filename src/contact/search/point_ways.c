#include "contact/search/point_ways.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// Points compared in one piece of a parallel loop.
enum { POINTS_PER_PIECE = 4096, PIECE_LIMIT = 1024 };

// What rounding may do to a state, as a part of how far it is from the origin: ways hold so much
// beyond their margin, and lists are made for it.
static const double ROUNDING = 1e-12;

pbs_status point_ways_reserve(struct memory *memory, const struct collision_mesh *mesh,
                              struct point_ways *ways) {
    const size_t count = 3 * (size_t)mesh->point_count;
    RETURN_IF_FAILED(
        memory_reserve(memory, &ways->start, &ways->start_capacity, count, sizeof *ways->start));
    return memory_reserve(memory, &ways->motion, &ways->motion_capacity, count,
                          sizeof *ways->motion);
}

void point_ways_free(struct memory *memory, struct point_ways *ways) {
    memory_release(memory, ways->start);
    memory_release(memory, ways->motion);
    *ways = (struct point_ways){0};
}

void point_ways_mean(const struct collision_mesh *mesh, const double *x, double mean[3]) {
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

void point_ways_set(const struct collision_mesh *mesh, const double *x, const double *motion,
                    double margin, double rounding_limit, struct point_ways *ways) {
    double mean[3];
    double largest = 0.0;
    double longest = 0.0;
    point_ways_mean(mesh, x, ways->mean);
    point_ways_mean(mesh, motion, mean);
    ways->is_valid = false;
    ways->margin = margin;
    ways->motion_square = 0.0;
    for (size_t i = 0; i < mesh->point_count; i++) {
        double *const start = ways->start + 3 * i;
        double *const way = ways->motion + 3 * i;
        double end[3];
        copy3(x + 3 * i, start);
        copy3(x + 3 * i, end);
        memset(way, 0, 3 * sizeof *way);
        if (motion != NULL) {
            subtract3(motion + 3 * i, mean, way);
            add3(end, motion + 3 * i, end);
        }
        const double square = dot3(way, way);
        ways->motion_square += square;
        longest = fmax(longest, square);
        largest = fmax(largest, dot3(start, start) + dot3(end, end));
    }
    ways->longest = sqrt(longest);
    // Of what is so far away that rounding takes the limit, they hold for no other place.
    ways->rounding = fmin(ROUNDING * sqrt(largest), rounding_limit);
}

// --- what they cover ---

/// A state of all points beside the ways.
struct place_pass {
    const struct collision_mesh *mesh;
    const struct point_ways *ways;
    const double *x, *motion; ///< the state is x + motion; null: x
    double shift[3];          ///< taken off it
    double time;              ///< when it is looked for on the ways
    size_t pieces;
    double *along, *farthest; ///< per piece
};

static size_t piece_count(const struct collision_mesh *mesh) {
    const size_t count = mesh->point_count / POINTS_PER_PIECE + 1;
    return count < PIECE_LIMIT ? count : PIECE_LIMIT;
}

static size_t piece_begin(const struct place_pass *pass, size_t piece) {
    return pass->mesh->point_count * piece / pass->pieces;
}

/// Of a point from where its way begins.
ALWAYS_INLINE void way_to(const struct place_pass *pass, size_t i, double out[3]) {
    subtract3(pass->x + 3 * i, pass->shift, out);
    if (pass->motion != NULL) {
        add3(out, pass->motion + 3 * i, out);
    }
    subtract3(out, pass->ways->start + 3 * i, out);
}

static void add_along(void *context, size_t piece) {
    struct place_pass *pass = context;
    double sum = 0.0;
    for (size_t i = piece_begin(pass, piece); i < piece_begin(pass, piece + 1); i++) {
        double way[3];
        way_to(pass, i, way);
        sum += dot3(way, pass->ways->motion + 3 * i);
    }
    pass->along[piece] = sum;
}

static void compare_places(void *context, size_t piece) {
    struct place_pass *pass = context;
    double farthest = 0.0;
    for (size_t i = piece_begin(pass, piece); i < piece_begin(pass, piece + 1); i++) {
        double way[3];
        way_to(pass, i, way);
        add_scaled3(way, -pass->time, pass->ways->motion + 3 * i, way);
        const double square = dot3(way, way);
        if (!(square <= farthest)) {
            farthest = isnan(square) ? INFINITY : square;
        }
    }
    pass->farthest[piece] = farthest;
}

/// How far any point of the state is from where its way has it, at the time that fits all of them
/// best.
static double distance_at_best(struct tasks *tasks, struct place_pass *pass) {
    if (pass->ways->motion_square > 0.0) {
        double along = 0.0;
        tasks_for(tasks, pass->pieces, add_along, pass);
        for (size_t i = 0; i < pass->pieces; i++) {
            along += pass->along[i];
        }
        pass->time = fmax(0.0, fmin(along / pass->ways->motion_square, 1.0));
    }
    tasks_for(tasks, pass->pieces, compare_places, pass);
    double farthest = 0.0;
    for (size_t i = 0; i < pass->pieces; i++) {
        farthest = fmax(farthest, pass->farthest[i]);
    }
    // What all are moved together rounds like the places themselves.
    const double distance = sqrt(farthest) + ROUNDING * norm3(pass->shift);
    return isnan(distance) ? INFINITY : distance;
}

double point_ways_distance(struct tasks *tasks, const struct point_ways *ways,
                           const struct collision_mesh *mesh, const double *x,
                           const double *motion) {
    if (!ways->is_valid) {
        return INFINITY;
    }
    double along[PIECE_LIMIT];
    double farthest[PIECE_LIMIT];
    struct place_pass pass = {.mesh = mesh,
                              .ways = ways,
                              .x = x,
                              .pieces = piece_count(mesh),
                              .along = along,
                              .farthest = farthest};
    double mean[3];
    point_ways_mean(mesh, x, mean);
    subtract3(mean, ways->mean, pass.shift);
    const double begin = distance_at_best(tasks, &pass);
    if (motion == NULL || !point_ways_hold(ways, begin)) {
        return begin;
    }
    // What lies between two states at two times that are near is as near: times and places by which
    // no point is farther from its way are a convex set.
    point_ways_mean(mesh, motion, mean);
    add3(pass.shift, mean, pass.shift);
    pass.motion = motion;
    const double end = distance_at_best(tasks, &pass);
    return fmax(begin, end);
}
