// The winding number of a closed mesh is an integer and changes only across the surface. It is
// computed once for each connected set of samples: two neighbours are connected if one of them is
// farther than a cell from the surface, by more than rounding: next to a sample on a flat piece of
// the surface is one at exactly a cell. For a mesh with holes the winding number changes gradually
// and is computed for every sample.
// SPDX-License-Identifier: MIT
#include "geometry/grids/distance_sampling.h"

#include <float.h>
#include <math.h>

#include "base/matrix3/math3.h"
#include "broad_phase/tree_search.h"
#include "geometry/distances/distance.h"

// Width in cells of the band outside the surface in which distances are exact. It is wider than the
// interpolation's stencil.
enum { BAND = 4 };
// Winding numbers between OPEN_LOW and OPEN_HIGH do not decide the side. OPEN_PART: largest allowed
// fraction of such samples.
static const double OPEN_LOW = 0.4, OPEN_HIGH = 0.6, OPEN_PART = 0.01;

// Distances and positions are known to this share of a cell, and to this many rounding errors of
// the largest coordinate.
static const double SHARE = 1e-6, ROUNDINGS = 64.0;

enum sample_state { UNKNOWN, OUTSIDE, INSIDE };

struct sampling {
    struct memory *memory;
    struct tasks *tasks;
    const struct triangle_mesh *mesh;
    const struct distance_grid *grid;
    size_t count, layer; ///< number of samples in total, and in a layer perpendicular to the third
                         ///< axis
    double resolution;   ///< m: distances are not known more accurately
    struct bounding_tree tree;
    struct winding winding;
    double *distances;      ///< m, unsigned; infinite beyond the band
    uint8_t *states;        ///< enum sample_state
    float *winding_numbers; ///< count; allocated for meshes with holes
    uint32_t *queue;
    struct distance_sampling_report *report;
};

static void sample_position(const struct sampling *s, size_t sample, double position[3]) {
    const struct distance_grid *grid = s->grid;
    const size_t at[3] = {sample % grid->counts[0], sample / grid->counts[0] % grid->counts[1],
                          sample / s->layer};
    for (int k = 0; k < 3; k++) {
        position[k] = grid->origin[k] + grid->cell * (double)at[k];
    }
}

// --- distances ---

struct nearest {
    const struct triangle_mesh *mesh;
    double position[3];
    double squared; ///< m^2: squared distance of the nearest triangle so far
};

static double visit(void *self, uint32_t triangle, double limit) {
    struct nearest *nearest = self;
    const uint32_t *corner = nearest->mesh->triangles + 3 * (size_t)triangle;
    const double *const x[PAIR_NODES] = {nearest->position,
                                         nearest->mesh->positions + 3 * (size_t)corner[0],
                                         nearest->mesh->positions + 3 * (size_t)corner[1],
                                         nearest->mesh->positions + 3 * (size_t)corner[2]};
    nearest->squared = fmin(nearest->squared, closest_squared(PAIR_POINT_TRIANGLE, x));
    return fmin(limit, nearest->squared);
}

/// Returns the distance of a sample, m, or infinity if no triangle is within the limit.
static double distance_within(const struct sampling *s, size_t sample, double limit) {
    struct nearest nearest = {.mesh = s->mesh, .squared = INFINITY};
    sample_position(s, sample, nearest.position);
    tree_search_nearest(&s->tree, nearest.position, limit * limit, visit, &nearest);
    return nearest.squared <= limit * limit ? sqrt(nearest.squared) : INFINITY;
}

static void band_layer(void *context, size_t layer) {
    const struct sampling *s = context;
    const double limit = BAND * s->grid->cell;
    for (size_t i = layer * s->layer; i < (layer + 1) * s->layer; i++) {
        s->distances[i] = distance_within(s, i, limit);
    }
}

/// Computes the missing distances of inner samples. The previous sample of the row is a cell away,
/// so its distance bounds the search.
static void inner_layer(void *context, size_t layer) {
    const struct sampling *s = context;
    const size_t begin = layer * s->layer;
    for (size_t i = begin; i < begin + s->layer; i++) {
        if (s->states[i] == INSIDE && isinf(s->distances[i])) {
            const double before = i > begin ? s->distances[i - 1] : INFINITY;
            const double limit = isfinite(before) ? 1.01 * before + 1.01 * s->grid->cell : INFINITY;
            s->distances[i] = distance_within(s, i, limit);
            // The previous sample in memory may belong to another row, so that the bound may be
            // wrong.
            s->distances[i] = isinf(s->distances[i]) ? distance_within(s, i, INFINITY)
                                                     : s->distances[i];
        }
    }
}

// --- sides ---

static bool is_inside(double winding) {
    return fabs(winding) > 0.5;
}

/// Whether the distance is certainly larger.
static bool is_farther(const struct sampling *s, double distance, double than) {
    return distance > than + s->resolution;
}

/// On the surface the winding number is any.
static void record_side(struct sampling *s, size_t sample, double winding) {
    struct distance_sampling_report *report = s->report;
    const double distance = s->distances[sample];
    report->sign_count++;
    report->is_inverted = report->is_inverted || (winding < -0.5 && is_farther(s, distance, 0.0));
    report->open_count += is_farther(s, distance, s->grid->cell) && fabs(winding) > OPEN_LOW &&
                          fabs(winding) < OPEN_HIGH;
}

static void winding_layer(void *context, size_t layer) {
    const struct sampling *s = context;
    for (size_t i = layer * s->layer; i < (layer + 1) * s->layer; i++) {
        double position[3];
        sample_position(s, i, position);
        s->winding_numbers[i] = (float)winding_number(&s->winding, position);
    }
}

static void find_each_side(struct sampling *s) {
    tasks_for(s->tasks, s->grid->counts[2], winding_layer, s);
    for (size_t i = 0; i < s->count; i++) {
        record_side(s, i, (double)s->winding_numbers[i]);
        s->states[i] = is_inside((double)s->winding_numbers[i]) ? INSIDE : OUTSIDE;
    }
}

/// Assigns the sample's side to its connected neighbours and appends them to the queue. Returns the
/// new length of the queue.
static size_t spread_side(struct sampling *s, uint32_t sample, size_t length) {
    const size_t strides[3] = {1, s->grid->counts[0], s->layer};
    size_t rest = sample;
    for (int k = 0; k < 3; k++) {
        const size_t at = rest % s->grid->counts[k];
        rest /= s->grid->counts[k];
        for (int up = 0; up < 2; up++) {
            if (up ? at + 1 == s->grid->counts[k] : at == 0) {
                continue;
            }
            const size_t next = up ? sample + strides[k] : sample - strides[k];
            const double farther = fmax(s->distances[sample], s->distances[next]);
            if (s->states[next] == UNKNOWN && is_farther(s, farther, s->grid->cell)) {
                s->states[next] = s->states[sample];
                s->queue[length++] = (uint32_t)next;
            }
        }
    }
    return length;
}

static void find_common_sides(struct sampling *s) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->states[i] != UNKNOWN) {
            continue;
        }
        double position[3];
        sample_position(s, i, position);
        const double winding = winding_number(&s->winding, position);
        record_side(s, i, winding);
        s->states[i] = is_inside(winding) ? INSIDE : OUTSIDE;
        size_t length = 0;
        s->queue[length++] = (uint32_t)i;
        for (size_t at = 0; at < length; at++) {
            length = spread_side(s, s->queue[at], length);
        }
    }
}

// --- far from the surface ---

/// Solves |grad phi| = 1 by Godunov's upwind scheme. lowest: smallest neighbour along each axis;
/// sorted in place.
static double solve_eikonal(double lowest[3], double cell) {
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2 - i; k++) {
            if (lowest[k] > lowest[k + 1]) {
                const double larger = lowest[k];
                lowest[k] = lowest[k + 1];
                lowest[k + 1] = larger;
            }
        }
    }
    double result = lowest[0] + cell;
    double sum = lowest[0];
    double squares = lowest[0] * lowest[0];
    for (int k = 1; k < 3 && result > lowest[k]; k++) {
        sum += lowest[k];
        squares += lowest[k] * lowest[k];
        const double n = k + 1.0;
        result = (sum + sqrt(fmax(0.0, sum * sum - n * (squares - cell * cell)))) / n;
    }
    return result;
}

static void update_far(const struct sampling *s, const size_t at[3], const uint8_t *fixed) {
    const size_t strides[3] = {1, s->grid->counts[0], s->layer};
    const size_t sample = at[0] + at[1] * strides[1] + at[2] * strides[2];
    double lowest[3];
    if (fixed[sample]) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double before = at[k] > 0 ? s->distances[sample - strides[k]] : INFINITY;
        const double after = at[k] + 1 < s->grid->counts[k] ? s->distances[sample + strides[k]]
                                                            : INFINITY;
        lowest[k] = fmin(before, after);
    }
    if (isfinite(fmin(lowest[0], fmin(lowest[1], lowest[2])))) {
        s->distances[sample] = fmin(s->distances[sample], solve_eikonal(lowest, s->grid->cell));
    }
}

/// Sweeps the grid in the eight orders of axis directions. Characteristics are straight lines from
/// the surface, and one of the sweeps follows each of them completely. Inner samples and the band
/// are fixed.
static void sweep_far(const struct sampling *s, uint8_t *fixed) {
    const uint32_t *n = s->grid->counts;
    for (size_t i = 0; i < s->count; i++) {
        fixed[i] = isfinite(s->distances[i]) ? 1 : 0;
    }
    for (unsigned corner = 0; corner < 8; corner++) {
        size_t at[3];
        for (size_t k = 0; k < n[2]; k++) {
            at[2] = corner & 4U ? n[2] - 1 - k : k;
            for (size_t j = 0; j < n[1]; j++) {
                at[1] = corner & 2U ? n[1] - 1 - j : j;
                for (size_t i = 0; i < n[0]; i++) {
                    at[0] = corner & 1U ? n[0] - 1 - i : i;
                    update_far(s, at, fixed);
                }
            }
        }
    }
}

// --- parts thinner than a cell ---

/// Returns whether a sample near the triangle's centroid is inside; false for a triangle beyond the
/// grid.
static bool is_resolved(const struct sampling *s, const uint32_t corner[3]) {
    enum { NEAR = 4 };
    const struct distance_grid *grid = s->grid;
    size_t first[3];
    for (int k = 0; k < 3; k++) {
        double middle = 0.0;
        for (int i = 0; i < 3; i++) {
            middle += s->mesh->positions[3 * (size_t)corner[i] + (size_t)k] / 3.0;
        }
        const double at = floor((middle - grid->origin[k]) / grid->cell) - 1.0;
        if (!(at >= 0.0 && at + NEAR <= (double)grid->counts[k])) {
            return false;
        }
        first[k] = (size_t)at;
    }
    for (size_t i = 0; i < (size_t)NEAR * NEAR * NEAR; i++) {
        const size_t sample = first[0] + i % NEAR + grid->counts[0] * (first[1] + i / NEAR % NEAR) +
                              s->layer * (first[2] + i / NEAR / NEAR);
        if (s->states[sample] == INSIDE) {
            return true;
        }
    }
    return false;
}

static void find_thin_parts(struct sampling *s) {
    for (size_t t = 0; t < s->mesh->triangle_count; t++) {
        s->report->thin_count += is_resolved(s, s->mesh->triangles + 3 * t) ? 0 : 1;
    }
}

// --- main function ---

static pbs_status build_tree(struct sampling *s) {
    const struct triangle_mesh *mesh = s->mesh;
    const struct point_sweep points = {.count = mesh->vertex_count, .x = mesh->positions};
    struct box *of_points = memory_allocate(s->memory, mesh->vertex_count, sizeof *of_points);
    struct box *of_triangles = memory_allocate(s->memory, mesh->triangle_count,
                                               sizeof *of_triangles);
    pbs_status status = PBS_ERROR_MEMORY;
    if (of_points != NULL && of_triangles != NULL) {
        boxes_of_points(s->tasks, &points, of_points);
        boxes_of_primitives(s->tasks, of_points, mesh->triangles, 3, mesh->triangle_count,
                            of_triangles);
        status = bounding_tree_build(s->memory, s->tasks, of_triangles, mesh->triangle_count, NULL,
                                     0, &s->tree);
    }
    memory_release(s->memory, of_points);
    memory_release(s->memory, of_triangles);
    return status < 0 ? status : winding_build(s->memory, mesh, &s->tree, &s->winding);
}

static pbs_status find_sides(struct sampling *s) {
    RETURN_IF_FAILED(winding_is_closed(s->memory, s->mesh, &s->report->is_closed));
    if (s->report->is_closed) {
        find_common_sides(s);
    } else {
        find_each_side(s);
    }
    const double limit = OPEN_PART * (double)s->report->sign_count;
    return (double)s->report->open_count <= limit
               ? PBS_OK
               : status_fail(PBS_ERROR_MESH,
                             "the mesh is open: %zu of %zu sample points are neither clearly "
                             "inside nor outside",
                             s->report->open_count, s->report->sign_count);
}

static pbs_status fill(struct sampling *s, float *samples) {
    RETURN_IF_FAILED(build_tree(s));
    tasks_for(s->tasks, s->grid->counts[2], band_layer, s);
    RETURN_IF_FAILED(find_sides(s));
    tasks_for(s->tasks, s->grid->counts[2], inner_layer, s);
    for (size_t i = 0; i < s->count; i++) {
        s->report->inside_count += s->states[i] == INSIDE;
    }
    find_thin_parts(s);
    sweep_far(s, (uint8_t *)s->queue);
    for (size_t i = 0; i < s->count; i++) {
        const double distance = s->distances[i];
        samples[i] = (float)(s->states[i] == INSIDE ? -distance : distance);
    }
    // If one sample is in the band, the sweeps reach all samples.
    return isfinite(s->distances[0])
               ? PBS_OK
               : status_fail(PBS_ERROR_MESH,
                             "no sample of the grid comes within %d cells of the mesh", BAND);
}

static double resolution_of(const struct distance_grid *grid) {
    double largest = 0.0;
    for (int k = 0; k < 3; k++) {
        const double end = grid->origin[k] + grid->cell * (double)grid->counts[k];
        largest = fmax(largest, fmax(fabs(grid->origin[k]), fabs(end)));
    }
    return SHARE * grid->cell + ROUNDINGS * DBL_EPSILON * largest;
}

pbs_status distance_sampling_fill(struct memory *memory, struct tasks *tasks,
                                  const struct triangle_mesh *mesh,
                                  const struct distance_grid *grid, float *samples,
                                  struct distance_sampling_report *report) {
    const size_t layer = (size_t)grid->counts[0] * grid->counts[1];
    struct sampling s = {.memory = memory,
                         .tasks = tasks,
                         .mesh = mesh,
                         .grid = grid,
                         .count = layer * grid->counts[2],
                         .layer = layer,
                         .resolution = resolution_of(grid),
                         .report = report};
    *report = (struct distance_sampling_report){.is_closed = false};
    s.distances = memory_allocate(memory, s.count, sizeof *s.distances);
    s.states = memory_allocate(memory, s.count, sizeof *s.states);
    s.winding_numbers = memory_allocate(memory, s.count, sizeof *s.winding_numbers);
    s.queue = memory_allocate(memory, s.count, sizeof *s.queue);
    const bool has_memory = s.distances != NULL && s.states != NULL && s.winding_numbers != NULL &&
                            s.queue != NULL;
    const pbs_status status = has_memory ? fill(&s, samples) : PBS_ERROR_MEMORY;
    memory_release(memory, s.distances);
    memory_release(memory, s.states);
    memory_release(memory, s.winding_numbers);
    memory_release(memory, s.queue);
    winding_free(memory, &s.winding);
    bounding_tree_free(memory, &s.tree);
    return status;
}
