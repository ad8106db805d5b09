// OPT figures 8 and 9: see opt_cubes.h.
#include "scenes/opt_cubes.h"

#include <math.h>
#include <stdlib.h>

#include "shapes.h"

const double opt_cube_stiffness[3] = {1e4, 1e5, 1e9};

/// Knuth's 64-bit linear congruence; the upper bits as a number in [0, 1).
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

/// Largest |length - rest length| over all edges, relative to the rest length.
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

static pbs_status create_cube(const struct opt_cube *cube, int32_t threads, struct tet_mesh *mesh,
                              pbs_world **world, pbs_body *body) {
    if (!shape_cube_grid(cube->points - 1, mesh)) {
        return PBS_ERROR_MEMORY;
    }
    double *start = malloc(3 * mesh->vertex_count * sizeof *start);
    if (start == NULL) {
        return PBS_ERROR_MEMORY;
    }
    scramble(cube, 3 * mesh->vertex_count, start);
    pbs_world_desc world_desc;
    pbs_world_desc_init(&world_desc, sizeof world_desc);
    world_desc.contact = PBS_CONTACT_PROJECTION;
    world_desc.threads = threads;
    world_desc.newton_limit = 5000;
    world_desc.initial_guess = cube->guess;
    pbs_solid_desc desc;
    pbs_solid_desc_init(&desc, sizeof desc);
    desc.material = PBS_MATERIAL_FIXED_COROTATED;
    desc.vertex_count = mesh->vertex_count;
    desc.positions = mesh->positions;
    desc.initial_positions = start;
    desc.tet_count = mesh->tet_count;
    desc.tets = mesh->tets;
    desc.young = cube->young;
    desc.poisson = 0.3;
    pbs_status status = pbs_world_create(&world_desc, world);
    if (status == PBS_OK) {
        status = pbs_body_create_solid(*world, &desc, body);
    }
    free(start);
    return status;
}

static bool has_recovered(const struct tet_mesh *mesh, const double *positions,
                          struct opt_cube_result *result) {
    result->edge_strain = edge_strain(mesh, positions);
    result->inverted = count_inverted(mesh, positions);
    return result->inverted == 0 && result->edge_strain < 0.01;
}

struct opt_cube_result opt_cube_run(const struct opt_cube *cube, int step_limit, int32_t threads) {
    struct opt_cube_result result = {0};
    struct tet_mesh mesh = {0};
    pbs_world *world = NULL;
    pbs_body body;
    result.status = create_cube(cube, threads, &mesh, &world, &body);
    while (result.status == PBS_OK && result.steps < step_limit) {
        result.status = pbs_world_step(world, 1.0 / 24.0);
        pbs_stats stats = {.struct_size = sizeof stats};
        pbs_world_stats(world, &stats);
        result.steps++;
        result.linear_solves += stats.linear_solves;
        result.seconds += stats.time_total;
        if (has_recovered(&mesh, pbs_body_positions(world, body), &result)) {
            break;
        }
    }
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
    return result;
}
