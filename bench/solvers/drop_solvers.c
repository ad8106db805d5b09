// Compares linear solvers in whole steps: a tetrahedral mesh hits the ground at 2 m/s, with each
// solver in turn and the same steps and tolerances. A cube with as many tetrahedra replaces a
// missing mesh file. Prints lines
//     bench drop_solvers dt=0.0417 threads=1 preconditioner=automatic seconds_per_step=...
//     newton=... linear=... over_incomplete_cholesky=...
// seconds_per_step omits the first step, which builds the pattern. over_incomplete_cholesky: ratio
// to the time with incomplete Cholesky.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pbs/pbs.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"
#include "common/program/command_line.h"

struct settings {
    const char *mesh;
    double young;
    int64_t steps;
};

static const struct solver {
    const char *name;
    int32_t id;
} solvers[] = {
    {"incomplete-cholesky", PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY},
    {"automatic", PBS_PRECONDITIONER_AUTOMATIC},
    {"two-level", PBS_PRECONDITIONER_TWO_LEVEL},
    {"multigrid", PBS_PRECONDITIONER_MULTIGRID},
    {"block-jacobi", PBS_PRECONDITIONER_BLOCK_JACOBI},
    {"cholesky", PBS_PRECONDITIONER_CHOLESKY},
    {"cholesky-float", PBS_PRECONDITIONER_CHOLESKY_FLOAT},
};

static void check(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "drop_solvers: %s\n", pbs_last_error());
        exit(1);
    }
}

/// Scales the mesh to a largest extent of one metre, and places it a millimetre above the ground.
static void place(struct tet_mesh *mesh) {
    double lower[3];
    double upper[3];
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    const double size = fmax(upper[0] - lower[0], fmax(upper[1] - lower[1], upper[2] - lower[2]));
    positions_translate(mesh->positions, mesh->vertex_count, -lower[0], -lower[1], -lower[2]);
    positions_scale(mesh->positions, mesh->vertex_count, 1.0 / size);
    positions_translate(mesh->positions, mesh->vertex_count, 0.0, 1e-3, 0.0);
}

static pbs_world *create_world(const struct tet_mesh *mesh, double young, int32_t threads,
                               int32_t preconditioner) {
    pbs_world_desc world_desc;
    pbs_expert_desc expert;
    check(pbs_world_desc_init(&world_desc, sizeof world_desc));
    pbs_expert_desc_init(&expert, sizeof expert);
    world_desc.expert = &expert;
    world_desc.contact = PBS_CONTACT_PROJECTION;
    world_desc.gravity[1] = -9.81;
    world_desc.threads = threads;
    expert.preconditioner = preconditioner;
    pbs_world *world = NULL;
    check(pbs_world_create(&world_desc, &world));
    pbs_collider_desc ground;
    check(pbs_collider_desc_init(&ground, sizeof ground));
    pbs_collider collider;
    check(pbs_collider_create(world, &ground, &collider));
    pbs_solid_desc desc;
    check(pbs_solid_desc_init(&desc, sizeof desc));
    desc.vertex_count = mesh->vertex_count;
    desc.positions = mesh->positions;
    desc.tet_count = mesh->tet_count;
    desc.tets = mesh->tets;
    desc.young = young;
    desc.poisson = 0.4;
    desc.density = 1000.0;
    double *velocities = calloc(3 * mesh->vertex_count, sizeof *velocities);
    for (size_t i = 0; velocities && i < mesh->vertex_count; i++) {
        velocities[3 * i + 1] = -2.0;
    }
    desc.initial_velocities = velocities;
    pbs_body body;
    check(pbs_body_create_solid(world, &desc, &body));
    free(velocities);
    return world;
}

struct cost {
    double seconds, newton, linear;
    pbs_stats last;
};

static struct cost run(const struct tet_mesh *mesh, const struct settings *s, double dt,
                       int32_t threads, const struct solver *solver) {
    pbs_world *world = create_world(mesh, s->young, threads, solver->id);
    const double steps = (double)s->steps;
    struct cost cost = {.last.struct_size = sizeof cost.last};
    for (int64_t step = 0; step <= s->steps; step++) {
        check(pbs_world_step(world, dt));
        check(pbs_world_stats(world, &cost.last));
        if (step > 0) {
            cost.seconds += cost.last.time.total / steps;
            cost.newton += cost.last.newton.iterations / steps;
            cost.linear += cost.last.linear.iterations / steps;
        }
    }
    pbs_world_destroy(world);
    return cost;
}

static void compare(const struct tet_mesh *mesh, const struct settings *s, double dt,
                    int32_t threads) {
    double before = 0.0;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const struct cost cost = run(mesh, s, dt, threads, &solvers[i]);
        before = i == 0 ? cost.seconds : before;
        printf("bench drop_solvers dt=%.5f threads=%d preconditioner=%s seconds_per_step=%.4f "
               "newton=%.2f linear=%.1f used=%d coarse_unknowns=%u predicted=%.1f "
               "over_incomplete_cholesky=%.3f\n",
               dt, threads, solvers[i].name, cost.seconds, cost.newton, cost.linear,
               cost.last.linear.preconditioner, cost.last.linear.coarse_unknowns,
               cost.last.linear.predicted_iterations, cost.seconds / before);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    struct settings s = {
        .mesh = "../shared/data/meshes/armadillo_55k.msh", .young = 1e6, .steps = 8};
    const struct command_option options[] = {
        {"mesh", COMMAND_TEXT, &s.mesh, "FILE", "tetrahedra to drop"},
        {"young", COMMAND_NUMBER, &s.young, "E", "Young's modulus, Pa"},
        {"steps", COMMAND_COUNT, &s.steps, "N", "steps per measurement"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "compares solvers in whole steps", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    struct tet_mesh mesh;
    struct mesh_report report;
    const struct mesh_read_options reading = {.drop_unused = true};
    if (!mesh_read_tets(s.mesh, &reading, &mesh, &report)) {
        printf("bench drop_solvers mesh=%s present=0\n", s.mesh);
        if (!shape_cube_grid(20, &mesh)) {
            return 1;
        }
    }
    place(&mesh);
    printf("bench drop_solvers vertices=%zu tets=%zu young=%g\n", mesh.vertex_count, mesh.tet_count,
           s.young);
    for (int32_t threads = 1; threads <= 2; threads++) {
        compare(&mesh, &s, 1.0 / 24.0, threads);
        compare(&mesh, &s, 1.0 / 240.0, threads);
    }
    tet_mesh_free(&mesh);
    return 0;
}
