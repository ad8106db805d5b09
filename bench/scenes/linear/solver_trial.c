// Compares two worlds that differ only in their linear solver; see solver_trial.h.
// SPDX-License-Identifier: MIT
#include "scenes/linear/solver_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/meshes/shapes.h"
#include "common/program/command_line.h"

enum { LENGTH = 5 };
static const double STEP = 1.0 / 30.0;
static const double SIDE = 0.2; // m

/// One of the two worlds, with the cost of its steps.
struct run {
    pbs_world *world;
    pbs_body body;
    double seconds, tolerance;
    uint64_t newton_iterations, linear_iterations, host_solves, host_refusals;
};

struct solver_trial solver_trial_defaults(void) {
    return (struct solver_trial){.cells = 4, .steps = 10, .young = 1e6};
}

bool solver_trial_read(int argc, char **argv, const char *purpose, struct solver_trial *trial,
                       int *status) {
    const struct command_option options[] = {
        {"cells", COMMAND_COUNT, &trial->cells, "N", "cells across the beam"},
        {"steps", COMMAND_COUNT, &trial->steps, "N", "steps of 1/30 s"},
        {"young", COMMAND_NUMBER, &trial->young, "E", "Young's modulus in Pa"},
    };
    return command_line_or_exit(argc, argv, purpose, options, sizeof options / sizeof *options,
                                status);
}

/// Fixes the end at x = 0.
static pbs_status clamp(struct run *run, const struct solver_trial *trial) {
    const size_t n = (size_t)trial->cells + 1;
    const size_t stride = LENGTH * (size_t)trial->cells + 1;
    pbs_status status = PBS_OK;
    for (size_t i = 0; i < n * n && status >= 0; i++) {
        const uint32_t vertex = (uint32_t)(i * stride);
        status = pbs_body_pin(run->world, run->body, &vertex, 1, PBS_AXIS_ALL);
    }
    return status;
}

static pbs_status add_beam(struct run *run, const struct solver_trial *trial) {
    const size_t n = (size_t)trial->cells;
    struct tet_mesh mesh = {0};
    if (!shape_box_grid(LENGTH * n, n, n, LENGTH * SIDE, SIDE, SIDE, &mesh)) {
        return PBS_ERROR_MEMORY;
    }
    pbs_solid_desc d;
    pbs_status status = pbs_solid_desc_init(&d, sizeof d);
    d.vertex_count = mesh.vertex_count;
    d.positions = mesh.positions;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.young = trial->young;
    d.poisson = 0.4;
    status = status < 0 ? status : pbs_body_create_solid(run->world, &d, &run->body);
    tet_mesh_free(&mesh);
    return status < 0 ? status : clamp(run, trial);
}

static pbs_status create(const struct solver_trial *trial, const pbs_linear_solver *solver,
                         struct run *run) {
    pbs_world_desc d;
    pbs_status status = pbs_world_desc_init(&d, sizeof d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.divisions = 0;
    d.gravity[1] = -9.81;
    d.relative_tolerance = 1e-11;
    status = status < 0 ? status : pbs_world_create(&d, &run->world);
    status = status < 0 ? status : pbs_world_set_linear_solver(run->world, solver);
    return status < 0 ? status : add_beam(run, trial);
}

static pbs_status step(struct run *run, int64_t count) {
    pbs_status status = PBS_OK;
    for (int64_t i = 0; i < count && status >= 0; i++) {
        status = pbs_world_step(run->world, STEP);
        pbs_stats stats = {.struct_size = sizeof stats};
        if (status >= 0 && pbs_world_stats(run->world, &stats) >= 0) {
            run->seconds += stats.time.total;
            run->tolerance = fmax(run->tolerance, stats.newton.tolerance);
            run->newton_iterations += stats.newton.iterations;
            run->linear_iterations += stats.linear.iterations;
            run->host_solves += stats.linear.host_solves;
            run->host_refusals += stats.linear.host_fallbacks;
        }
    }
    return status;
}

static void print(const char *name, const struct run *run) {
    printf("%-8s %7.3f s  %llu Newton iterations, %llu products, %llu solves and %llu refusals of "
           "the host\n",
           name, run->seconds, (unsigned long long)run->newton_iterations,
           (unsigned long long)run->linear_iterations, (unsigned long long)run->host_solves,
           (unsigned long long)run->host_refusals);
}

/// Returns max |x - y| over the vertices' coordinates.
static double distance(const struct run *a, const struct run *b) {
    const double *const x = pbs_body_positions(a->world, a->body);
    const double *const y = pbs_body_positions(b->world, b->body);
    double worst = 0.0;
    for (size_t i = 0; i < 3 * pbs_body_vertex_count(a->world, a->body); i++) {
        const double apart = fabs(x[i] - y[i]);
        worst = apart <= worst ? worst : apart; // written so that a NaN is kept
    }
    return worst;
}

/// Bounds the distance. A residual force of `tolerance` moves a vertex of mass m by at most
/// tolerance h^2 / m in its step, and by as much in each later step through its velocity. The
/// factor 2 is for two worlds.
static double bound(const struct run *run, int64_t steps) {
    const double *const masses = pbs_body_masses(run->world, run->body);
    double least = masses[0];
    for (size_t i = 0; i < pbs_body_vertex_count(run->world, run->body); i++) {
        least = fmin(least, masses[i]);
    }
    const double pushes = (double)steps * ((double)steps + 1.0);
    return pushes * run->tolerance * STEP * STEP / least;
}

static int compare(const struct run *own, const struct run *host, int64_t steps) {
    print("libpbs", own);
    print("host", host);
    const double apart = distance(own, host);
    const double allowed = bound(own, steps);
    const bool agree = apart <= allowed;
    printf("after %lld steps the vertices %s: %.2g m apart, Newton's tolerance of %.2g N allows "
           "%.2g m\n",
           (long long)steps, agree ? "agree" : "DIFFER", apart, own->tolerance, allowed);
    return agree && host->host_solves > 0 ? 0 : 1;
}

int solver_trial_run(const struct solver_trial *trial, const pbs_linear_solver *solver) {
    struct run own = {0}, host = {0};
    int answer = 1;
    pbs_status status = create(trial, NULL, &own);
    status = status < 0 ? status : create(trial, solver, &host);
    status = status < 0 ? status : step(&own, trial->steps);
    status = status < 0 ? status : step(&host, trial->steps);
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", pbs_status_name(status), pbs_last_error());
    } else {
        printf("a beam of %zu vertices\n", pbs_body_vertex_count(own.world, own.body));
        answer = compare(&own, &host, trial->steps);
    }
    pbs_world_destroy(own.world);
    pbs_world_destroy(host.world);
    return answer;
}
