// Runs the scenes of opt_cubes.h.
// SPDX-License-Identifier: MIT
#include "scenes/opt/opt_cubes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/meshes/shapes.h"
#include "scenes/checkpoint.h"

static const double DENSITY = 1000.0;
static const double STEP = 1.0 / 24.0;

const double opt_cube_stiffness[3] = {1e4, 1e5, 1e9};

/// Knuth's 64-bit linear congruential generator; returns the upper bits as a number in [0, 1).
static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void scramble(const struct opt_cube *cube, size_t count, double *positions) {
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        positions[i] = cube->start == OPT_CUBE_RANDOM ? next_random(&state) : 0.5;
    }
}

static double edge_length(const double *positions, uint32_t a, uint32_t b) {
    const double *p = positions + 3 * (size_t)a, *q = positions + 3 * (size_t)b;
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

/// Returns the largest |length / rest length - 1| of all edges.
static double edge_strain(const struct tet_mesh *mesh, const double *positions) {
    static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    double largest = 0.0;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const uint32_t *v = mesh->tets + 4 * t;
        for (int e = 0; e < 6; e++) {
            const uint32_t a = v[edges[e][0]], b = v[edges[e][1]];
            const double rest = edge_length(mesh->positions, a, b);
            largest = fmax(largest, fabs(edge_length(positions, a, b) - rest) / rest);
        }
    }
    return largest;
}

static size_t count_inverted(const struct tet_mesh *mesh, const double *positions) {
    const struct tet_mesh moved = {mesh->vertex_count, (double *)(uintptr_t)positions,
                                   mesh->tet_count, mesh->tets};
    size_t count = 0;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        count += tet_volume(&moved, t) <= 0.0;
    }
    return count;
}

/// Returns the initial positions of all nodes, to be freed; null if memory is short.
static double *start_places(const struct opt_cube *cube, const struct tet_mesh *mesh) {
    double *start = malloc(3 * mesh->vertex_count * sizeof *start);
    if (start != NULL) {
        scramble(cube, 3 * mesh->vertex_count, start);
    }
    return start;
}

static pbs_status create_cube(const struct opt_cube *cube, int32_t threads,
                              const struct tet_mesh *mesh, const double *start, pbs_world **world,
                              pbs_body *body) {
    pbs_world_desc world_desc;
    pbs_expert_desc expert;
    pbs_world_desc_init(&world_desc, sizeof world_desc);
    pbs_expert_desc_init(&expert, sizeof expert);
    world_desc.expert = &expert;
    world_desc.contact = PBS_CONTACT_PROJECTION;
    world_desc.divisions = 0;
    world_desc.threads = threads;
    world_desc.newton_limit = 5000;
    if (cube->tolerance > 0.0) {
        world_desc.relative_tolerance = cube->tolerance;
    }
    expert.initial_guess = cube->guess;
    if (cube->plain) {
        expert.project_hessian = PBS_HESSIAN_EXACT;
        expert.alignment = PBS_ALIGNMENT_NEVER;
    }
    pbs_solid_desc desc;
    pbs_solid_desc_init(&desc, sizeof desc);
    desc.material = PBS_MATERIAL_FIXED_COROTATED;
    desc.vertex_count = mesh->vertex_count;
    desc.positions = mesh->positions;
    desc.initial_positions = start;
    desc.tet_count = mesh->tet_count;
    desc.tets = mesh->tets;
    desc.density = DENSITY;
    desc.young = cube->young;
    desc.poisson = 0.3;
    const pbs_status status = pbs_world_create(&world_desc, world);
    return status == PBS_OK ? pbs_body_create_solid(*world, &desc, body) : status;
}

static bool has_recovered(const struct tet_mesh *mesh, const double *positions,
                          struct opt_cube_result *result) {
    result->edge_strain = edge_strain(mesh, positions);
    result->inverted = count_inverted(mesh, positions);
    return result->inverted == 0 && result->edge_strain < 0.01;
}

/// Returns |x - start|_M^2 / (2 h^2) with lumped masses: the inertia term of the first step from
/// rest.
static double inertia(const struct tet_mesh *mesh, const double *start, const double *x) {
    double sum = 0.0;
    for (size_t t = 0; t < mesh->tet_count; t++) {
        const double share = DENSITY * tet_volume(mesh, t) / 4.0;
        for (size_t a = 0; a < 4; a++) {
            const size_t node = mesh->tets[4 * t + a];
            for (size_t k = 3 * node; k < 3 * node + 3; k++) {
                sum += share * (x[k] - start[k]) * (x[k] - start[k]);
            }
        }
    }
    return 0.5 * sum / (STEP * STEP);
}

static void note_first_step(const struct tet_mesh *mesh, const double *start,
                            const pbs_world *world, pbs_body body, const pbs_stats *stats,
                            struct opt_cube_result *result) {
    pbs_energy energy = {.struct_size = sizeof energy};
    pbs_world_energy(world, &energy);
    result->first_step_solves = stats->linear.solves;
    result->first_step_products = stats->linear.iterations;
    result->gradient = stats->newton.gradient_norm;
    result->energy = energy.elastic + inertia(mesh, start, pbs_body_positions(world, body));
}

/// What a run knows besides the world.
struct record {
    struct opt_cube_result result;
    double solves; ///< of all steps
    int steps;
    bool recovered;
};

static void take_step(const struct tet_mesh *mesh, const double *start, pbs_world *world,
                      pbs_body body, struct record *record) {
    struct opt_cube_result *result = &record->result;
    result->status = pbs_world_step(world, STEP);
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(world, &stats);
    record->steps++;
    record->solves += stats.linear.solves;
    result->seconds += stats.time.total;
    if (record->steps == 1) {
        note_first_step(mesh, start, world, body, &stats, result);
    }
    if (!record->recovered) {
        record->recovered = has_recovered(mesh, pbs_body_positions(world, body), result);
        result->steps = record->steps;
        result->linear_solves = record->solves;
    }
    result->mean_solves = record->solves / record->steps;
}

/// Prints a step to standard error; the largest cubes take hours.
static void tell_progress(const struct opt_cube *cube, const struct record *record) {
    const struct opt_cube_result *result = &record->result;
    fprintf(stderr,
            "%zu points, %g Pa: step %d, %.0f solves, %.0f in the first, %.0f s, edge strain %.3g, "
            "inverted %zu\n",
            cube->points, cube->young, record->steps, record->solves, result->first_step_solves,
            result->seconds, result->edge_strain, result->inverted);
}

static void run(const struct opt_cube *cube, int step_limit, const struct tet_mesh *mesh,
                const double *start, pbs_world *world, pbs_body body,
                struct opt_cube_result *result) {
    struct record record = {.result = {.status = result->status}};
    if (cube->checkpoint != NULL && result->status == PBS_OK) {
        bool found = false;
        const pbs_status status = checkpoint_read(cube->checkpoint, &record, sizeof record, world,
                                                  &found);
        record = found && status == PBS_OK ? record : (struct record){.result = {.status = status}};
    }
    body = pbs_world_body_at(world, 0); // ids of a world that was read are those it was saved with
    while (record.result.status == PBS_OK &&
           (record.recovered ? record.steps < cube->frames : record.steps < step_limit)) {
        take_step(mesh, start, world, body, &record);
        if (cube->progress) {
            tell_progress(cube, &record);
        }
        if (cube->checkpoint != NULL && record.result.status == PBS_OK) {
            checkpoint_write(cube->checkpoint, &record, sizeof record, world);
        }
    }
    *result = record.result;
}

struct opt_cube_result opt_cube_run(const struct opt_cube *cube, int step_limit, int32_t threads) {
    struct opt_cube_result result = {.status = PBS_ERROR_MEMORY};
    struct tet_mesh mesh = {0};
    pbs_world *world = NULL;
    pbs_body body = {0};
    double *start = shape_cube_grid(cube->points - 1, &mesh) ? start_places(cube, &mesh) : NULL;
    if (start != NULL) {
        result.status = create_cube(cube, threads, &mesh, start, &world, &body);
        run(cube, step_limit, &mesh, start, world, body, &result);
    }
    free(start);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
    return result;
}
