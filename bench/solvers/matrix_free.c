// Implicit steps of peridynamic bodies with an assembled and with a matrix-free Hessian. A cube of
// N^3 particles with 61 bonds each, clamped at one side, bends under its weight. Implicit Euler
// with steps of 20 ms; a wave crosses the cube in 32 ms. Uses one thread. Prints lines
//     bench matrix_free particles=... bonds=... matrix=... preconditioner=... step=...
//     newton=... iterations=... cpu_s=... hessian_s=... factor_s=... solve_s=...
//     bytes_per_particle=... peak_bytes_per_particle=...
// cpu_s: processor time; step 0 includes the set-up of patterns. hessian_s, factor_s, solve_s:
// wall-clock time. bytes: memory in use of the world's allocator, and its peak.
//     matrix_free [N MATRIX PRECONDITIONER]   runs one case; PBS_MATRIX_*, PBS_PRECONDITIONER_*
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pbs/pbs.h"

enum { STEPS = 2 };
static const double STEP = 0.02, YOUNG = 1e6, DENSITY = 1000.0;

struct room {
    size_t used, peak;
};

static void *allocate(void *user, size_t size, size_t alignment) {
    struct room *room = user;
    void *p = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p != NULL) {
        room->used += size;
        room->peak = room->used > room->peak ? room->used : room->peak;
    }
    return p;
}

static void release(void *user, void *p, size_t size) {
    ((struct room *)user)->used -= size;
    free(p);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

static pbs_world *make_world(int32_t matrix, int32_t preconditioner, struct room *room) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&d, sizeof d));
    pbs_expert_desc_init(&expert, sizeof expert);
    d.expert = &expert;
    d.allocator = (pbs_allocator){allocate, release, room};
    expert.assembly = matrix;
    expert.preconditioner = preconditioner;
    expert.project_hessian = PBS_HESSIAN_SEMIDEFINITE;
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[2] = -9.81;
    require(pbs_world_create(&d, &world));
    return world;
}

/// Adds the unit cube, whose first layer along x is clamped.
static pbs_body add_cube(pbs_world *world, uint32_t side) {
    const double box[6] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0};
    pbs_peridynamic_desc d;
    pbs_body body;
    require(pbs_peridynamic_desc_init(&d, sizeof d));
    d.box = box;
    d.spacing = 1.0 / side;
    d.young = YOUNG;
    d.density = DENSITY;
    d.critical_stretch = 0.05;
    require(pbs_body_create_peridynamic(world, &d, &body));
    const uint32_t count = (uint32_t)pbs_body_vertex_count(world, body);
    for (uint32_t i = 0; i < count; i += side) {
        require(pbs_body_pin(world, body, &i, 1, PBS_AXIS_ALL));
    }
    return body;
}

static void run(uint32_t side, int32_t matrix, int32_t preconditioner) {
    struct room room = {0, 0};
    pbs_world *world = make_world(matrix, preconditioner, &room);
    const pbs_body body = add_cube(world, side);
    const double count = (double)pbs_body_vertex_count(world, body);
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    require(pbs_body_bonds(world, body, &pairs, &bonds));
    for (int step = 0; step < STEPS; step++) {
        pbs_stats stats = {.struct_size = sizeof stats};
        const double start = cpu_seconds();
        require(pbs_world_step(world, STEP));
        const double seconds = cpu_seconds() - start;
        require(pbs_world_stats(world, &stats));
        printf("bench matrix_free particles=%.0f bonds=%zu matrix=%s preconditioner=%d step=%d "
               "newton=%u iterations=%u cpu_s=%.3f hessian_s=%.3f factor_s=%.3f solve_s=%.3f "
               "bytes_per_particle=%.0f peak_bytes_per_particle=%.0f\n",
               count, bonds, matrix == PBS_ASSEMBLY_MATRIX_FREE ? "free" : "assembled",
               (int)stats.linear.preconditioner, step, stats.newton.iterations,
               stats.linear.iterations, seconds, stats.time.hessian, stats.time.factor,
               stats.time.solve, (double)room.used / count, (double)room.peak / count);
        fflush(stdout);
    }
    pbs_world_destroy(world);
}

int main(int argc, char **argv) {
    if (argc == 4) {
        run((uint32_t)strtoul(argv[1], NULL, 10), atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    const uint32_t sides[] = {16, 24, 36, 54};
    const int32_t preconditioners[] = {PBS_PRECONDITIONER_BLOCK_JACOBI,
                                       PBS_PRECONDITIONER_TWO_LEVEL, PBS_PRECONDITIONER_MULTIGRID};
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
        for (size_t p = 0; p < sizeof preconditioners / sizeof preconditioners[0]; p++) {
            run(sides[s], PBS_ASSEMBLY_FULL, preconditioners[p]);
            run(sides[s], PBS_ASSEMBLY_MATRIX_FREE, preconditioners[p]);
        }
    }
    return 0;
}
