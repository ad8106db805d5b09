// pbs_grid_from_mesh: chooses the grid around a mesh, checks its arguments, and logs. It uses no
// world. Distances are computed in geometry/grids/distance_sampling.c.
// SPDX-License-Identifier: MIT
#include "pbs/grid.h"

#include <math.h>
#include <stdio.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "geometry/grids/distance_sampling.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"

// Number of samples outside the mesh's box on each side: as many as the interpolation needs with
// one sign, and one more, so that the surface does not touch the last of them.
enum { BORDER_CUBIC = 4, BORDER_LINEAR = 3 };

/// The data of one call.
struct gridding {
    pbs_grid_desc desc;
    struct memory memory;
    struct tasks *tasks;
    struct distance_grid grid;
    struct distance_sampling_report report;
};

pbs_status pbs_grid_desc_init(pbs_grid_desc *d, size_t struct_size) {
    const pbs_grid_desc defaults = {.resolution = 64, .threads = 1};
    return settings_init(&settings_grid_desc, d, struct_size, &defaults);
}

// --- checks ---

static pbs_status check_mesh(const pbs_grid_desc *d) {
    RETURN_IF_FAILED(check_size(d->vertex_count, 1, UINT32_MAX / 8, "vertex_count"));
    RETURN_IF_FAILED(check_size(d->triangle_count, 1, UINT32_MAX / 8, "triangle_count"));
    RETURN_IF_FAILED(check_pointer(d->vertices, "vertices"));
    RETURN_IF_FAILED(check_pointer(d->triangles, "triangles"));
    RETURN_IF_FAILED(check_points(d->vertices, d->vertex_count, "vertices: position"));
    for (size_t k = 0; k < 3 * d->triangle_count; k++) {
        if (d->triangles[k] >= d->vertex_count) {
            return status_fail(PBS_ERROR_MESH, "triangles[%zu] is %u; there are %zu vertices", k,
                               (unsigned)d->triangles[k], d->vertex_count);
        }
    }
    return PBS_OK;
}

static pbs_status check_settings(const pbs_grid_desc *d) {
    RETURN_IF_FAILED(
        check_choice(d->interpolation, PBS_GRID_CUBIC, PBS_GRID_LINEAR, "interpolation"));
    RETURN_IF_FAILED(check_not_negative(d->cell, "cell"));
    if (d->cell == 0.0) {
        RETURN_IF_FAILED(check_choice(d->resolution, 2, 4096, "resolution"));
    }
    RETURN_IF_FAILED(check_choice(d->threads, 0, 1024, "threads"));
    RETURN_IF_FAILED(check_allocator(&d->allocator));
    return check_mesh(d);
}

// --- the grid ---

static void find_box(const pbs_grid_desc *d, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * d->triangle_count; i++) {
        const double *x = d->vertices + 3 * (size_t)d->triangles[i];
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
}

static pbs_status choose_cell(const pbs_grid_desc *d, const double extent[3], double *cell) {
    const double longest = fmax(extent[0], fmax(extent[1], extent[2]));
    *cell = d->cell > 0.0 ? d->cell : longest / d->resolution;
    return *cell > 0.0 ? PBS_OK
                       : status_fail(PBS_ERROR_ARGUMENT,
                                     "all triangles are at one point: cell must be given");
}

/// Centres the grid on the mesh.
static pbs_status lay_grid(struct gridding *g) {
    const pbs_grid_desc *d = &g->desc;
    double low[3];
    double high[3];
    double extent[3];
    double cell = 0.0;
    double product = 1.0;
    find_box(d, low, high);
    subtract3(high, low, extent);
    RETURN_IF_FAILED(choose_cell(d, extent, &cell));
    const double border = d->interpolation == PBS_GRID_LINEAR ? BORDER_LINEAR : BORDER_CUBIC;
    double counts[3];
    for (int k = 0; k < 3; k++) {
        counts[k] = ceil(extent[k] / cell) + 1.0 + 2.0 * border;
        product *= counts[k];
    }
    if (!(product <= (double)CHECK_COUNT_LIMIT)) {
        return status_fail(
            PBS_ERROR_ARGUMENT,
            "cells of %g m around a mesh of %g x %g x %g m are %.10g x %.10g x %.10g "
            "samples, must be %zu in all at most",
            cell, extent[0], extent[1], extent[2], counts[0], counts[1], counts[2],
            CHECK_COUNT_LIMIT);
    }
    g->grid = (struct distance_grid){.cell = cell,
                                     .is_linear = d->interpolation == PBS_GRID_LINEAR};
    for (int k = 0; k < 3; k++) {
        g->grid.counts[k] = (uint32_t)counts[k];
        g->grid.origin[k] = low[k] + 0.5 * extent[k] - 0.5 * cell * (counts[k] - 1.0);
        const double end = g->grid.origin[k] + cell * counts[k];
        if (!(g->grid.origin[k] >= -COORDINATE_LIMIT && end <= COORDINATE_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "the grid reaches from %g to %g m, must lie within %g",
                               g->grid.origin[k], end, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

static size_t count_samples(const struct distance_grid *grid) {
    return (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2];
}

// --- log ---

static void log_message(const pbs_grid_desc *d, int32_t level, const char *message) {
    if (d->log.write != NULL) {
        d->log.write(d->log.user, level, message);
    }
}

static void log_start(const struct gridding *g) {
    char message[200];
    snprintf(message, sizeof message, "grid: %u x %u x %u samples %g m apart, %zu triangles",
             (unsigned)g->grid.counts[0], (unsigned)g->grid.counts[1], (unsigned)g->grid.counts[2],
             g->grid.cell, g->desc.triangle_count);
    log_message(&g->desc, PBS_LOG_INFO, message);
}

static void log_result(const struct gridding *g) {
    const struct distance_sampling_report *report = &g->report;
    char message[200];
    if (report->open_count > 0) {
        snprintf(message, sizeof message,
                 "grid: the mesh has holes; for %zu of %zu samples it is open whether they are "
                 "inside",
                 report->open_count, report->sign_count);
        log_message(&g->desc, PBS_LOG_WARNING, message);
    }
    if (report->is_inverted) {
        log_message(&g->desc, PBS_LOG_WARNING,
                    "grid: triangles face inwards; they are taken as if they faced outwards");
    }
    if (report->thin_count > 0) {
        snprintf(message, sizeof message,
                 "grid: %zu of %zu triangles are of parts thinner than cells of %g m resolve: no "
                 "sample near them is inside",
                 report->thin_count, g->desc.triangle_count, g->grid.cell);
        log_message(&g->desc, PBS_LOG_WARNING, message);
    }
    snprintf(message, sizeof message, "grid: %zu of %zu samples are inside", report->inside_count,
             count_samples(&g->grid));
    log_message(&g->desc, PBS_LOG_INFO, message);
}

// --- the call ---

static pbs_status sample(struct gridding *g, float *samples, size_t capacity) {
    const pbs_grid_desc *d = &g->desc;
    const size_t count = count_samples(&g->grid);
    if (capacity < count) {
        return status_fail(PBS_ERROR_CAPACITY,
                           "capacity is %zu samples, but the grid has %u x %u x %u = %zu", capacity,
                           (unsigned)g->grid.counts[0], (unsigned)g->grid.counts[1],
                           (unsigned)g->grid.counts[2], count);
    }
    log_start(g);
    const struct triangle_mesh mesh = {.positions = d->vertices,
                                       .triangles = d->triangles,
                                       .vertex_count = d->vertex_count,
                                       .triangle_count = d->triangle_count};
    memory_init(&g->memory, &d->allocator);
    pbs_status status = tasks_create(&g->memory, &d->tasks, d->threads, &g->tasks);
    if (status >= 0) {
        status = distance_sampling_fill(&g->memory, g->tasks, &mesh, &g->grid, samples, &g->report);
    }
    tasks_destroy(&g->memory, g->tasks);
    RETURN_IF_FAILED(status);
    log_result(g);
    return PBS_OK;
}

pbs_status pbs_grid_from_mesh(const pbs_grid_desc *d, float *samples, size_t capacity,
                              pbs_grid *out) {
    ARITHMETIC_SCOPE();
    struct gridding g = {.tasks = NULL};
    RETURN_IF_FAILED(results_check(&settings_grid, out));
    RETURN_IF_FAILED(settings_read(&settings_grid_desc, d, &g.desc));
    RETURN_IF_FAILED(check_settings(&g.desc));
    RETURN_IF_FAILED(lay_grid(&g));
    if (samples != NULL) {
        RETURN_IF_FAILED(sample(&g, samples, capacity));
    }
    pbs_grid own = {.struct_size = sizeof own,
                    .cell = g.grid.cell,
                    .sample_count = count_samples(&g.grid),
                    .inside_count = g.report.inside_count,
                    .sign_count = g.report.sign_count,
                    .open_count = g.report.open_count,
                    .thin_count = g.report.thin_count,
                    .is_closed = g.report.is_closed,
                    .is_inverted = g.report.is_inverted};
    for (int k = 0; k < 3; k++) {
        own.counts[k] = g.grid.counts[k];
        own.origin[k] = g.grid.origin[k];
    }
    return results_write(&settings_grid, &own, out);
}
