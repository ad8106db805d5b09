// Quality of the automatic choice of the linear solver: runs each scene with it and with every
// solver of the library, on one thread, and compares processor times. Prints lines
//     bench solver_choice scene=cloth-hang-40 unknowns=5043 solver=automatic ms=11.9 newton=8.1
//     linear=210.3 used=1 reason=2 over_automatic=1.000
//     bench solver_choice scene=cloth-hang-40 best=block-jacobi automatic_over_best=1.04
// ms, newton, linear: per step, without the first, which builds shared data. A solver that has
// taken --patience times as long as the automatic choice is stopped: `steps` is the number of its
// completed steps, and over_automatic is a lower bound.
//   cloth-KIND-N   N x N squares: `sphere` falls on a ball, `hang` by two corners, `crumple` on its
//                  side upon the ground, `edge` half over the edge of a table
//   cubes27        soft cubes in a pile
//   boxes27, boxes125   affine boxes in a pile
//   goblet         a thin bowl on a stem, dropped
//   mesh-NAME-soft, -hard, -soft-contact, -hard-contact   a mesh, one metre large: clamped by its
//                  lowest tenth under gravity, or dropped on the ground
// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pbs/pbs.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"
#include "common/program/command_line.h"

static const double FRAME = 1.0 / 60.0;

static struct settings {
    const char *scene, *solver, *meshes;
    int64_t steps;
    double patience;
    bool each_step, hinges;
} chosen = {.meshes = "../shared/data/meshes", .patience = 2.0};

static const struct solver {
    const char *name;
    int32_t id;
} solvers[] = {
    {"automatic", PBS_PRECONDITIONER_AUTOMATIC},
    {"block-jacobi", PBS_PRECONDITIONER_BLOCK_JACOBI},
#ifndef WITHOUT_CHOLESKY_FLOAT
    {"cholesky-float", PBS_PRECONDITIONER_CHOLESKY_FLOAT},
#endif
    {"two-level", PBS_PRECONDITIONER_TWO_LEVEL},
    {"incomplete-cholesky", PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY},
    {"multigrid", PBS_PRECONDITIONER_MULTIGRID},
    {"cholesky", PBS_PRECONDITIONER_CHOLESKY},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

struct scene {
    char name[96];
    void (*make)(const struct scene *scene, pbs_world *world);
    size_t size; ///< cells of a cloth, or bodies along an edge of a pile
    double young;
    bool touches;
    struct tet_mesh mesh;
    int steps;
};

static void check(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "solver_choice: %s\n", pbs_last_error());
        exit(1);
    }
}

static void need(bool there) {
    if (!there) {
        fprintf(stderr, "solver_choice: out of memory\n");
        exit(1);
    }
}

// --- scenes ---

static pbs_world *create_world(int32_t preconditioner) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_world *world = NULL;
    check(pbs_world_desc_init(&d, sizeof d));
    pbs_expert_desc_init(&expert, sizeof expert);
    d.expert = &expert;
    d.gravity[1] = -9.81;
    expert.preconditioner = preconditioner;
    // Settings that older and newer versions of the library interpret alike.
    d.contact = PBS_CONTACT_BARRIER;
    d.contact_distance = 2e-3;
    d.contact_stiffness = 1e5;
    d.velocity_tolerance = 0.01;
    check(pbs_world_create(&d, &world));
    return world;
}

static void add_collider(pbs_world *world, int32_t shape, const double size[3],
                         const double position[3]) {
    pbs_collider_desc d;
    pbs_collider collider;
    check(pbs_collider_desc_init(&d, sizeof d));
    d.shape = shape;
    d.friction = 0.3;
    memcpy(d.size, size, sizeof d.size);
    memcpy(d.position, position, sizeof d.position);
    check(pbs_collider_create(world, &d, &collider));
}

static void add_ground(pbs_world *world) {
    add_collider(world, PBS_SHAPE_HALF_SPACE, (double[3]){0.0, 0.0, 0.0},
                 (double[3]){0.0, 0.0, 0.0});
}

static void rub(pbs_world *world, pbs_body body) {
    pbs_contact_desc d;
    check(pbs_contact_desc_init(&d, sizeof d));
    d.friction = 0.3;
    check(pbs_body_set_contact(world, body, &d));
}

static void centre(double *positions, size_t count, const double to[3]) {
    double low[3], high[3];
    positions_bounds(positions, count, low, high);
    positions_translate(positions, count, to[0] - 0.5 * (low[0] + high[0]),
                        to[1] - 0.5 * (low[1] + high[1]), to[2] - 0.5 * (low[2] + high[2]));
}

/// Adds a cloth, a metre wide, rotated about an axis through its centre.
static pbs_body add_cloth(pbs_world *world, size_t cells, const double axis[3], double angle,
                          const double position[3]) {
    struct surface_mesh mesh = {0};
    pbs_shell_desc d;
    pbs_body body;
    check(pbs_shell_desc_init(&d, sizeof d));
    need(surface_sheet(cells, cells, 1.0, 1.0, &mesh));
    centre(mesh.positions, mesh.vertex_count, (double[3]){0.0, 0.0, 0.0});
    positions_rotate(mesh.positions, mesh.vertex_count, axis, angle);
    positions_translate(mesh.positions, mesh.vertex_count, position[0], position[1], position[2]);
    d.positions = mesh.positions;
    d.vertex_count = mesh.vertex_count;
    d.triangles = mesh.triangles;
    d.triangle_count = mesh.triangle_count;
    d.thickness = 2e-4;
    d.density = 500.0;
    d.young = 1e7;
#ifndef WITHOUT_CHOLESKY_FLOAT
    d.bending = chosen.hinges ? PBS_BENDING_HINGE : d.bending;
#endif
    check(pbs_body_create_shell(world, &d, &body));
    rub(world, body);
    surface_mesh_free(&mesh);
    return body;
}

static void make_sphere(const struct scene *scene, pbs_world *world) {
    add_collider(world, PBS_SHAPE_SPHERE, (double[3]){0.25, 0.0, 0.0}, (double[3]){0.0, 0.0, 0.0});
    add_ground(world);
    add_cloth(world, scene->size, (double[3]){0.0, 1.0, 0.0}, 0.2, (double[3]){0.02, 0.45, 0.01});
}

static void make_hang(const struct scene *scene, pbs_world *world) {
    const pbs_body cloth = add_cloth(world, scene->size, (double[3]){1.0, 0.0, 0.0}, 0.0,
                                     (double[3]){0.0, 1.0, 0.0});
    const uint32_t corners[] = {0, (uint32_t)scene->size};
    check(pbs_body_pin(world, cloth, corners, 2, PBS_AXIS_ALL));
}

static void make_crumple(const struct scene *scene, pbs_world *world) {
    add_ground(world);
    add_cloth(world, scene->size, (double[3]){0.6, 0.1, 0.8}, 1.4, (double[3]){0.0, 0.72, 0.0});
}

static void make_edge(const struct scene *scene, pbs_world *world) {
    add_collider(world, PBS_SHAPE_BOX, (double[3]){0.5, 0.1, 0.5}, (double[3]){-0.5, 0.4, 0.0});
    add_ground(world);
    add_cloth(world, scene->size, (double[3]){0.0, 1.0, 0.0}, 0.3, (double[3]){0.0, 0.55, 0.0});
}

static void add_solid(pbs_world *world, const struct tet_mesh *mesh, double young, double density,
                      bool clamps) {
    pbs_solid_desc d;
    pbs_body body;
    check(pbs_solid_desc_init(&d, sizeof d));
    d.positions = mesh->positions;
    d.vertex_count = mesh->vertex_count;
    d.tets = mesh->tets;
    d.tet_count = mesh->tet_count;
    d.young = young;
    d.poisson = 0.4;
    d.density = density;
    check(pbs_body_create_solid(world, &d, &body));
    rub(world, body);
    double low[3], high[3];
    positions_bounds(mesh->positions, mesh->vertex_count, low, high);
    for (size_t i = 0; clamps && i < mesh->vertex_count; i++) {
        if (mesh->positions[3 * i + 1] < low[1] + 0.1 * (high[1] - low[1])) {
            const uint32_t vertex = (uint32_t)i;
            check(pbs_body_pin(world, body, &vertex, 1, PBS_AXIS_ALL));
        }
    }
}

static void make_cubes(const struct scene *scene, pbs_world *world) {
    add_ground(world);
    struct tet_mesh mesh = {0};
    for (size_t i = 0; i < scene->size * scene->size * scene->size; i++) {
        const double x = (double)(i % scene->size);
        const double y = (double)(i / scene->size / scene->size);
        const double z = (double)(i / scene->size % scene->size);
        need(shape_box_grid(4, 4, 4, 0.2, 0.2, 0.2, &mesh));
        positions_translate(mesh.positions, mesh.vertex_count, 0.22 * x + 0.03 * y, 0.01 + 0.22 * y,
                            0.22 * z + 0.02 * y);
        add_solid(world, &mesh, scene->young, 1000.0, false);
        tet_mesh_free(&mesh);
    }
}

static void make_boxes(const struct scene *scene, pbs_world *world) {
    add_ground(world);
    struct surface_mesh mesh = {0};
    need(surface_box(0.2, 0.2, 0.2, &mesh));
    for (size_t i = 0; i < scene->size * scene->size * scene->size; i++) {
        pbs_affine_desc d;
        pbs_body body;
        check(pbs_affine_desc_init(&d, sizeof d));
        d.positions = mesh.positions;
        d.vertex_count = mesh.vertex_count;
        d.triangles = mesh.triangles;
        d.triangle_count = mesh.triangle_count;
        d.density = 500.0;
        const double y = (double)(i / scene->size / scene->size);
        d.position[0] = 0.22 * (double)(i % scene->size) + 0.01 * (double)(i % 2);
        d.position[1] = 0.12 + 0.22 * y;
        d.position[2] = 0.22 * (double)(i / scene->size % scene->size) + 0.005 * (double)(i % 2);
        check(pbs_body_create_affine(world, &d, &body));
        rub(world, body);
    }
    surface_mesh_free(&mesh);
}

static void make_mesh(const struct scene *scene, pbs_world *world) {
    if (scene->touches) {
        add_ground(world);
    }
    add_solid(world, &scene->mesh, scene->young, 1000.0, !scene->touches);
}

/// Scales the mesh to a largest extent of a metre, and places it a millimetre above the distance at
/// which contact starts.
static void place(struct tet_mesh *mesh) {
    double low[3], high[3];
    positions_bounds(mesh->positions, mesh->vertex_count, low, high);
    const double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    positions_translate(mesh->positions, mesh->vertex_count, -low[0], -low[1], -low[2]);
    positions_scale(mesh->positions, mesh->vertex_count, 1.0 / size);
    positions_translate(mesh->positions, mesh->vertex_count, 0.0, 3e-3, 0.0);
}

/// Half a ball's shell on a stem on a foot, 1.6 wall thicknesses of .05.
static double goblet_distance(const void *user, const double p[3]) {
    (void)user;
    const double radius = hypot(p[0], p[2]);
    const double bowl = fmax(fabs(hypot(radius, p[1] - 1.1) - 0.4) - 0.025, p[1] - 1.3);
    const double stem = fmax(radius - 0.05, fabs(p[1] - 0.38) - 0.36);
    const double foot = fmax(radius - 0.35, fabs(p[1] - 0.03) - 0.03);
    return fmin(bowl, fmin(stem, foot));
}

// --- running ---

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct cost {
    double seconds, newton, linear; ///< a step
    int steps;
    size_t nodes;
    pbs_stats last;
};

static struct cost run_solver(const struct scene *scene, const struct solver *solver,
                              double budget) {
    pbs_world *world = create_world(solver->id);
    scene->make(scene, world);
    const int steps = chosen.steps > 0 ? (int)chosen.steps : scene->steps;
    struct cost cost = {.last.struct_size = sizeof cost.last};
    check(pbs_world_step(world, FRAME));
    while (cost.steps < steps && cost.seconds < budget) {
        const double start = processor_seconds();
        const pbs_status status = pbs_world_step(world, FRAME);
        cost.seconds += processor_seconds() - start;
        if (status < 0) {
            fprintf(stderr, "%s, %s: %s\n", scene->name, solver->name, pbs_last_error());
            break;
        }
        check(pbs_world_stats(world, &cost.last));
        cost.steps++;
        cost.newton += cost.last.newton.iterations;
        cost.linear += cost.last.linear.iterations;
        if (chosen.each_step) {
            printf("bench solver_choice scene=%s solver=%s step=%d blocks=%zu newton=%u linear=%u "
                   "used=%d cpu_ms=%.3f "
                   "ms=%.3f solve_ms=%.3f factor_ms=%.3f hessian_ms=%.3f search_ms=%.3f "
                   "contact_ms=%.3f",
                   scene->name, solver->name, cost.steps, cost.last.scene.blocks,
                   cost.last.newton.iterations, cost.last.linear.iterations,
                   cost.last.linear.preconditioner, 1e3 * (processor_seconds() - start),
                   1e3 * cost.last.time.total, 1e3 * cost.last.time.solve,
                   1e3 * cost.last.time.factor, 1e3 * cost.last.time.hessian,
                   1e3 * cost.last.time.search,
                   1e3 * (cost.last.time.contact_search + cost.last.time.contact_sweep));
#ifndef WITHOUT_CHOLESKY_FLOAT
            printf(" reason=%d work=%.3g,%.3g,%.3g expected=%.3g", cost.last.linear.reason,
                   cost.last.linear.block_jacobi_work, cost.last.linear.factor_work,
                   cost.last.linear.two_level_work, cost.last.linear.predicted_iterations);
#endif
            printf("\n");
        }
    }
    cost.nodes = cost.last.scene.nodes;
    pbs_world_destroy(world);
    const double landed = fmax(1.0, cost.steps);
    cost.newton /= landed;
    cost.linear /= landed;
    return cost;
}

/// `steps` of the automatic choice.
static void print_cost(const struct scene *scene, const struct solver *solver,
                       const struct cost *cost, double over) {
    printf("bench solver_choice scene=%s unknowns=%zu solver=%s steps=%d ms=%.3f newton=%.2f "
           "linear=%.1f used=%d over_automatic=%.3f\n",
           scene->name, 3 * cost->nodes, solver->name, cost->steps,
           1e3 * cost->seconds / fmax(1.0, cost->steps), cost->newton, cost->linear,
           cost->last.linear.preconditioner, over);
    fflush(stdout);
}

/// Compares solvers on a scene. For a stopped solver the cost of the remaining steps is unknown, so
/// only a bound is printed.
static void compare(const struct scene *scene) {
    if (chosen.scene != NULL && strstr(scene->name, chosen.scene) == NULL) {
        return;
    }
    double automatic = 0.0, best = INFINITY;
    const char *name = "";
    for (size_t i = 0; i < SOLVERS; i++) {
        if (chosen.solver != NULL && strcmp(chosen.solver, solvers[i].name) != 0) {
            continue;
        }
        const struct cost cost = run_solver(
            scene, &solvers[i], automatic > 0.0 ? chosen.patience * automatic : INFINITY);
        automatic = i == 0 ? cost.seconds : automatic;
        print_cost(scene, &solvers[i], &cost, cost.seconds / automatic);
        const bool landed = cost.steps >= (chosen.steps > 0 ? chosen.steps : scene->steps);
        if (landed && cost.seconds < best) {
            best = cost.seconds;
            name = solvers[i].name;
        }
    }
    printf("bench solver_choice scene=%s best=%s automatic_over_best=%.3f\n", scene->name, name,
           automatic / best);
    fflush(stdout);
}

static void compare_mesh(const char *name, struct tet_mesh *mesh) {
    place(mesh);
    for (int kind = 0; kind < 4; kind++) {
        struct scene scene = {.make = make_mesh,
                              .young = kind % 2 == 0 ? 1e5 : 1e7,
                              .touches = kind >= 2,
                              .mesh = *mesh,
                              .steps = mesh->vertex_count > 10000 ? 8 : 20};
        snprintf(scene.name, sizeof scene.name, "mesh-%.48s-%s%s", name,
                 kind % 2 == 0 ? "soft" : "hard", kind >= 2 ? "-contact" : "");
        compare(&scene);
    }
}

static int is_mesh(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".msh") == 0;
}

static void compare_meshes(void) {
    struct dirent **list = NULL;
    const int count = scandir(chosen.meshes, &list, is_mesh, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", chosen.meshes, list[i]->d_name);
        struct tet_mesh mesh;
        struct mesh_report report;
        const struct mesh_read_options reading = {.drop_unused = true};
        *strrchr(list[i]->d_name, '.') = '\0';
        if (mesh_read_tets(path, &reading, &mesh, &report) && mesh.vertex_count > 20) {
            compare_mesh(list[i]->d_name, &mesh);
            tet_mesh_free(&mesh);
        }
        free(list[i]);
    }
    free(list);
}

static void compare_goblet(void) {
    struct tet_mesh mesh = {0};
    need(shape_stuff(goblet_distance, NULL, (double[3]){-0.5, -0.05, -0.5},
                     (double[3]){0.5, 1.4, 0.5}, 0.03, &mesh));
    compare_mesh("goblet", &mesh);
    tet_mesh_free(&mesh);
}

static void compare_cloths(void) {
    static const struct {
        const char *name;
        void (*make)(const struct scene *scene, pbs_world *world);
    } kinds[] = {{"sphere", make_sphere},
                 {"hang", make_hang},
                 {"crumple", make_crumple},
                 {"edge", make_edge}};
    static const size_t sizes[] = {10, 20, 40, 100};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct scene scene = {
                .make = kinds[k].make, .size = sizes[n], .steps = sizes[n] == 100 ? 30 : 60};
            snprintf(scene.name, sizeof scene.name, "cloth-%s-%zu", kinds[k].name, sizes[n]);
            compare(&scene);
        }
    }
}

int main(int argc, char **argv) {
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &chosen.scene, "NAME", "only scenes with that in their names"},
        {"solver", COMMAND_TEXT, &chosen.solver, "NAME", "only that one"},
        {"meshes", COMMAND_TEXT, &chosen.meshes, "FOLDER", "of .msh files"},
        {"steps", COMMAND_COUNT, &chosen.steps, "N", "steps measured; 0: as each scene has"},
        {"patience", COMMAND_NUMBER, &chosen.patience, "P",
         "a solver is stopped after so many times the automatic choice's time"},
        {"hinges", COMMAND_FLAG, &chosen.hinges, NULL, "cloth bends by hinges, as before plates"},
        {"each-step", COMMAND_FLAG, &chosen.each_step, NULL, "a line for each step"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "compares the choice of solver with every solver",
                              options, sizeof options / sizeof *options, &status)) {
        return status;
    }
    compare_cloths();
    compare(&(struct scene){
        .name = "cubes27", .make = make_cubes, .size = 3, .young = 1e5, .steps = 60});
    compare(&(struct scene){.name = "boxes27", .make = make_boxes, .size = 3, .steps = 60});
    compare(&(struct scene){.name = "boxes125", .make = make_boxes, .size = 5, .steps = 40});
    compare_goblet();
    compare_meshes();
    return 0;
}
