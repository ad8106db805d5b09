// Counts the work of some scenes: conjugate gradient iterations of each preconditioner on one
// matrix, and Newton iterations, products with the Hessian, evaluations and contact searches of
// short runs. No times are measured, so the same build prints the same lines.
//     name,count
// `counts --check bench/counts.csv` compares instead, and prints a line for each count that has
// changed. A change is not a failure; if it is intended, `make counts` updates the record.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "linear/krylov/pcg.h"
#include "scenes/engine_scenes.h"
#include "scenes/linear/linear_scene.h"
#include "scenes/opt/opt_cubes.h"
#include "scenes/torture/torture.h"

struct count {
    char name[96];
    unsigned long long value;
};

struct counts {
    size_t count, capacity;
    struct count *entries;
};

static void fail(const char *what) {
    fprintf(stderr, "counts: %s: %s\n", what, pbs_last_error());
    exit(1);
}

static void require(pbs_status status, const char *what) {
    if (status < 0) {
        fail(what);
    }
}

static void add(struct counts *all, const char *scene, const char *what, unsigned long long value) {
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        struct count *more = realloc(all->entries, all->capacity * sizeof *more);
        if (more == NULL) {
            fail("memory");
        }
        all->entries = more;
    }
    struct count *entry = &all->entries[all->count++];
    snprintf(entry->name, sizeof entry->name, "%.63s%s%.31s", scene, what[0] == 0 ? "" : " ", what);
    entry->value = value;
}

// --- linear systems: iterations of the cube of ten cells along each edge ---

enum { CELLS = 10, LIMIT = 600 };

struct linear_count {
    const char *name;
    double tolerance;
};

static void count_solve(struct counts *all, struct memory *memory, const struct linear_scene *scene,
                        const struct linear_count *count, int32_t id, const char *preconditioner) {
    const char *const name = count->name;
    const uint32_t rows = scene->problem.a->row_count;
    const struct pcg_options options = {count->tolerance, LIMIT, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    struct preconditioner p;
    struct pcg_workspace w = {0};
    double *x = memory_allocate(memory, 3 * (size_t)rows, sizeof *x);
    if (x == NULL) {
        fail(name);
    }
    require(preconditioner_create(memory, id, scene->problem.a, ORDER_NATURAL, &p), name);
    require(p.table->factor(p.state, NULL, &scene->problem), name);
    require(pcg_reserve(memory, &w, rows), name);
    const struct pcg_result result = pcg_solve(NULL, &scene->problem, &p, scene->fixture.rhs,
                                               &options, &w, x);
    char what[64];
    snprintf(what, sizeof what, "%s iterations", preconditioner);
    add(all, name, what, result.iterations);
    pcg_free(memory, &w);
    preconditioner_destroy(memory, &p);
    memory_release(memory, x);
}

static void count_linear(struct counts *all) {
    // Contacts of 1e9 N/m leave residuals of 2e-6 by rounding, which differs by processor.
    static const struct linear_count rows[] = {{"easy", 1e-6},
                                               {"hard", 1e-6},
                                               {"hard-random", 1e-6},
                                               {"hard-nu49", 1e-6},
                                               {"hard-contact-2", 1e-6},
                                               {"hard-contact-2-stiff", 1e-4},
                                               {"hard-contact-10", 1e-6},
                                               {"hard-contact-50", 1e-6}};
    static const struct {
        int32_t id;
        const char *name;
    } solvers[] = {{PBS_PRECONDITIONER_BLOCK_JACOBI, "block-jacobi"},
                   {PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, "incomplete-cholesky"},
                   {PBS_PRECONDITIONER_TWO_LEVEL, "two-level"},
                   {PBS_PRECONDITIONER_MULTIGRID, "multigrid"}};
    struct memory memory;
    memory_init(&memory, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct linear_scene scene;
        require(linear_scene_build(&memory, linear_case_find(rows[i].name), CELLS, "", &scene),
                rows[i].name);
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
            count_solve(all, &memory, &scene, &rows[i], solvers[s].id, solvers[s].name);
        }
        linear_scene_free(&memory, &scene);
    }
}

// --- worlds: totals over all steps of a short run ---

struct work {
    unsigned long long newton, linear, evaluations, searches, sweeps;
};

static void add_step(struct work *work, const pbs_world *world) {
    pbs_stats stats = {.struct_size = sizeof stats};
    require(pbs_world_stats(world, &stats), "stats");
    work->newton += stats.newton.iterations;
    work->linear += stats.linear.iterations;
    work->evaluations += stats.newton.evaluations;
    work->searches += stats.contact.searches;
    work->sweeps += stats.contact.sweeps;
}

static void add_work(struct counts *all, const char *scene, const struct work *work) {
    add(all, scene, "newton", work->newton);
    add(all, scene, "linear", work->linear);
    add(all, scene, "evaluations", work->evaluations);
    if (work->sweeps > 0) {
        add(all, scene, "contact searches", work->searches);
        add(all, scene, "contact sweeps", work->sweeps);
    }
}

static void count_cube(struct counts *all, const char *name, bool clamped, int32_t contact) {
    const struct cube_scene scene = {
        .cells = 5, .young = 1e6, .clamped = clamped, .ground = !clamped};
    pbs_world_desc desc;
    require(pbs_world_desc_init(&desc, sizeof desc), name);
    desc.contact = contact;
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    require(cube_scene_create(&scene, &desc, &world, &body, &mesh), name);
    struct work work = {0};
    for (int step = 0; step < 60; step++) {
        require(pbs_world_step(world, 1.0 / 60.0), name);
        add_step(&work, world);
    }
    add_work(all, name, &work);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

/// Counts a scene of torture.h at the size of the tests, with generated shapes instead of meshes.
static void count_torture(struct counts *all, const char *name) {
    const struct torture_row *row = NULL;
    struct torture_options options;
    struct torture scene;
    torture_options_init(&options);
    if (!torture_find(name, &row)) {
        fail(name);
    }
    require(torture_create(row, &options, &scene), name);
    struct work work = {0};
    for (int step = 0; step < 30; step++) {
        require(torture_step(&scene), name);
        add_step(&work, scene.world);
    }
    add_work(all, name, &work);
    torture_free(&scene);
}

/// Adds a cube of six tetrahedra around a diagonal.
static pbs_status add_block(pbs_world *world, const double corner[3], double edge, double young) {
    static const uint32_t tets[] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                                    0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
    double positions[24];
    for (int i = 0; i < 24; i++) {
        positions[i] = corner[i % 3] + edge * (double)(i / 3 >> (i % 3) & 1);
    }
    pbs_solid_desc solid;
    pbs_contact_desc contact;
    require(pbs_solid_desc_init(&solid, sizeof solid), "block");
    require(pbs_contact_desc_init(&contact, sizeof contact), "block");
    solid.material = PBS_MATERIAL_NEO_HOOKEAN;
    solid.young = young;
    solid.positions = positions;
    solid.vertex_count = 8;
    solid.tets = tets;
    solid.tet_count = 6;
    contact.friction = 0.4;
    pbs_body body;
    const pbs_status status = pbs_body_create_solid(world, &solid, &body);
    return status < 0 ? status : pbs_body_set_contact(world, body, &contact);
}

/// Five elastic blocks fall obliquely on each other and slide to rest. Friction changes its sign
/// within slip velocity times step: 0.1 micrometres in the narrower case.
static void count_heap(struct counts *all, const char *name, double slip_velocity) {
    pbs_world_desc desc;
    pbs_expert_desc expert;
    pbs_collider_desc ground;
    pbs_collider collider;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&desc, sizeof desc), name);
    pbs_expert_desc_init(&expert, sizeof expert);
    desc.expert = &expert;
    require(pbs_collider_desc_init(&ground, sizeof ground), name);
    desc.gravity[1] = -9.81;
    desc.contact = PBS_CONTACT_BARRIER;
    expert.project_hessian = 1;
    desc.slip_velocity = slip_velocity;
    desc.velocity_tolerance = 1e-3;
    ground.friction = 0.4;
    require(pbs_world_create(&desc, &world), name);
    require(pbs_collider_create(world, &ground, &collider), name);
    for (int i = 0; i < 5; i++) {
        const double corner[3] = {0.037 * i, 0.002 + 0.102 * i, 0.021 * (i % 2)};
        require(add_block(world, corner, 0.1, 1e6), name);
    }
    struct work work = {0};
    for (int step = 0; step < 60; step++) {
        require(pbs_world_step(world, 1.0 / 100.0), name);
        add_step(&work, world);
    }
    add_work(all, name, &work);
    pbs_world_destroy(world);
}

// --- stiff solids whose Hessians are indefinite ---

/// The first step of OPT's stiff cube with 9 nodes along an edge, from a tangled state with OPT's
/// initial guesses.
static void count_tangle(struct counts *all, const char *name, enum opt_cube_start start) {
    const struct opt_cube cube = {
        .points = 9, .young = 1e9, .start = start, .guess = PBS_GUESS_OPT};
    const struct opt_cube_result result = opt_cube_run(&cube, 1, 1);
    require(result.status, name);
    add(all, name, "newton", (unsigned long long)result.first_step_solves);
    add(all, name, "linear", (unsigned long long)result.first_step_products);
}

/// Computes the position of a node at an end of the unit cube at a time: both ends move inwards,
/// and the right one rotates about the axis.
static void place_end(const double rest[3], double time, double out[3]) {
    const double angle = rest[0] > 0.5 ? 3.0 * time : 0.0;
    const double y = rest[1] - 0.5, z = rest[2] - 0.5;
    out[0] = rest[0] + (rest[0] > 0.5 ? -0.45 : 0.45) * time;
    out[1] = 0.5 + y * cos(angle) - z * sin(angle);
    out[2] = 0.5 + y * sin(angle) + z * cos(angle);
}

/// A stiff cube whose ends compress it to a tenth of its length and twist it by 3 rad within a
/// second. It buckles repeatedly but does not tangle.
static void count_wrung(struct counts *all, const char *name) {
    struct tet_mesh mesh = {0};
    pbs_world_desc desc;
    pbs_solid_desc solid;
    pbs_world *world = NULL;
    pbs_body body;
    require(pbs_world_desc_init(&desc, sizeof desc), name);
    require(pbs_solid_desc_init(&solid, sizeof solid), name);
    desc.contact = PBS_CONTACT_PROJECTION;
    require(pbs_world_create(&desc, &world), name);
    require(shape_cube_grid(8, &mesh) ? PBS_OK : PBS_ERROR_MEMORY, name);
    solid.material = PBS_MATERIAL_FIXED_COROTATED;
    solid.vertex_count = mesh.vertex_count;
    solid.positions = mesh.positions;
    solid.tet_count = mesh.tet_count;
    solid.tets = mesh.tets;
    solid.young = 1e7;
    solid.poisson = 0.3;
    require(pbs_body_create_solid(world, &solid, &body), name);
    struct work work = {0};
    for (int step = 1; step <= 24; step++) {
        for (uint32_t i = 0; i < mesh.vertex_count; i++) {
            const double *rest = mesh.positions + 3 * (size_t)i;
            double target[3];
            place_end(rest, step / 24.0, target);
            if (rest[0] == 0.0 || rest[0] == 1.0) {
                require(pbs_body_set_targets(world, body, &i, 1, target), name);
            }
        }
        require(pbs_world_step(world, 1.0 / 24.0), name);
        add_step(&work, world);
    }
    add_work(all, name, &work);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

// --- joints and limits, at the settings that a host gets ---

static pbs_world *host_world(const char *name) {
    pbs_world_desc desc;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&desc, sizeof desc), name);
    desc.gravity[1] = -9.81;
    require(pbs_world_create(&desc, &world), name);
    return world;
}

/// Steps of 1/60 s, and the end of the world.
static void count_steps(struct counts *all, const char *name, pbs_world *world, int count) {
    struct work work = {0};
    for (int step = 0; step < count; step++) {
        require(pbs_world_step(world, 1.0 / 60.0), name);
        add_step(&work, world);
    }
    add_work(all, name, &work);
    pbs_world_destroy(world);
}

enum { SIDE = 8 };

static void add_rope(pbs_world *world, pbs_body knots, uint32_t from, uint32_t to, double length) {
    pbs_joint_desc desc;
    pbs_joint joint;
    require(pbs_joint_desc_init(&desc, sizeof desc), "rope");
    desc.kind = PBS_JOINT_DISTANCE;
    desc.a = (pbs_point){
        .struct_size = sizeof desc.a, .kind = PBS_POINT_VERTEX, .body = knots, .index = from};
    desc.b = (pbs_point){
        .struct_size = sizeof desc.b, .kind = PBS_POINT_VERTEX, .body = knots, .index = to};
    desc.upper = length;
    require(pbs_joint_create(world, &desc, &joint), "rope");
}

/// A net of 112 ropes between knots of 0.1 kg, with a thousandth of slack, falls into them. Its
/// corners are held.
static void count_net(struct counts *all, const char *name) {
    static const uint32_t corners[] = {0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1};
    double positions[3 * SIDE * SIDE], masses[SIDE * SIDE];
    pbs_world *const world = host_world(name);
    pbs_springs_desc desc;
    pbs_body knots;
    for (int i = 0; i < SIDE * SIDE; i++) {
        positions[3 * i] = 0.2 * (i / SIDE);
        positions[3 * i + 1] = 0.0;
        positions[3 * i + 2] = 0.2 * (i % SIDE);
        masses[i] = 0.1;
    }
    require(pbs_springs_desc_init(&desc, sizeof desc), name);
    desc.vertex_count = SIDE * SIDE;
    desc.positions = positions;
    desc.masses = masses;
    require(pbs_body_create_springs(world, &desc, &knots), name);
    require(pbs_body_pin(world, knots, corners, 4, PBS_AXIS_ALL), name);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        if (i >= SIDE) {
            add_rope(world, knots, i - SIDE, i, 0.2002);
        }
        if (i % SIDE > 0) {
            add_rope(world, knots, i - 1, i, 0.2002);
        }
    }
    count_steps(all, name, world, 60);
}

/// A cloth of 1 m that weighs what its modulus bears hangs at two corners and may stretch by 1 %.
static void count_limited_cloth(struct counts *all, const char *name) {
    enum { CELLS_ALONG = 12, ROW = CELLS_ALONG + 1 };
    static const uint32_t corners[] = {0, CELLS_ALONG};
    double positions[3 * ROW * ROW];
    uint32_t triangles[6 * CELLS_ALONG * CELLS_ALONG], *next = triangles;
    pbs_world *const world = host_world(name);
    pbs_shell_desc desc;
    pbs_body cloth;
    for (int i = 0; i < ROW * ROW; i++) {
        positions[3 * i] = (double)(i % ROW) / CELLS_ALONG;
        positions[3 * i + 1] = 0.0;
        positions[3 * i + 2] = (double)(i / ROW) / CELLS_ALONG;
    }
    for (uint32_t i = 0; i < CELLS_ALONG * CELLS_ALONG; i++) {
        const uint32_t at = i / CELLS_ALONG * ROW + i % CELLS_ALONG;
        const uint32_t two[6] = {at, at + ROW, at + 1, at + 1, at + ROW, at + ROW + 1};
        memcpy(next, two, sizeof two);
        next += 6;
    }
    require(pbs_shell_desc_init(&desc, sizeof desc), name);
    desc.vertex_count = ROW * ROW;
    desc.positions = positions;
    desc.triangle_count = 2 * CELLS_ALONG * CELLS_ALONG;
    desc.triangles = triangles;
    desc.density = 500.0;
    desc.young = 500.0 * 9.81;
    desc.stretch_limit = 1.01;
    require(pbs_body_create_shell(world, &desc, &cloth), name);
    require(pbs_body_pin(world, cloth, corners, 2, PBS_AXIS_ALL), name);
    count_steps(all, name, world, 30);
}

/// A balloon of 1 m, as heavy as if it were full of water, whose volume is held, falls on the
/// ground.
static void count_balloon(struct counts *all, const char *name) {
    struct surface_mesh mesh;
    pbs_world *const world = host_world(name);
    pbs_collider_desc ground;
    pbs_collider collider;
    pbs_shell_desc desc;
    pbs_pressure_desc water;
    pbs_body balloon;
    if (!surface_ball(1.0, 12, &mesh)) {
        require(PBS_ERROR_MEMORY, name);
    }
    positions_translate(mesh.positions, mesh.vertex_count, 0.0, 1.1, 0.0);
    require(pbs_collider_desc_init(&ground, sizeof ground), name);
    require(pbs_collider_create(world, &ground, &collider), name);
    require(pbs_shell_desc_init(&desc, sizeof desc), name);
    desc.vertex_count = mesh.vertex_count;
    desc.positions = mesh.positions;
    desc.triangle_count = mesh.triangle_count;
    desc.triangles = mesh.triangles;
    desc.thickness = 0.01;
    desc.density = 33000.0;
    desc.young = 1e7;
    require(pbs_body_create_shell(world, &desc, &balloon), name);
    surface_mesh_free(&mesh);
    require(pbs_pressure_desc_init(&water, sizeof water), name);
    water.kind = PBS_PRESSURE_VOLUME;
    require(pbs_body_set_pressure(world, balloon, &water), name);
    count_steps(all, name, world, 60);
}

static void count_worlds(struct counts *all) {
    count_cube(all, "cantilever", true, PBS_CONTACT_PROJECTION);
    count_cube(all, "drop-projection", false, PBS_CONTACT_PROJECTION);
    count_cube(all, "drop-barrier", false, PBS_CONTACT_BARRIER);
    count_tangle(all, "tangle-random", OPT_CUBE_RANDOM);
    count_tangle(all, "tangle-point", OPT_CUBE_POINT);
    count_wrung(all, "wrung");
    count_net(all, "net-of-ropes");
    count_limited_cloth(all, "cloth-stretch-limit");
    count_balloon(all, "water-balloon");
    count_heap(all, "heap-slip-1e-4", 1e-4);
    count_heap(all, "heap-slip-1e-5", 1e-5);
    static const char *const rows[] = {"mat_twist",   "rollers",      "spikes_affine",
                                       "stack_mixed", "links_affine", "cloth_layers",
                                       "mixed"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        count_torture(all, rows[i]);
    }
}

// --- output ---

static void print(const struct counts *all) {
    printf("name,count\n");
    for (size_t i = 0; i < all->count; i++) {
        printf("%s,%llu\n", all->entries[i].name, all->entries[i].value);
    }
}

static const struct count *find(const struct counts *all, const char *name) {
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->entries[i].name, name) == 0) {
            return &all->entries[i];
        }
    }
    return NULL;
}

static void read_record(const char *path, struct counts *record) {
    FILE *file = fopen(path, "r");
    char line[256];
    if (file == NULL || fgets(line, sizeof line, file) == NULL) {
        fprintf(stderr, "counts: %s cannot be read\n", path);
        exit(1);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *comma = strrchr(line, ',');
        if (comma != NULL) {
            *comma = 0;
            add(record, line, "", strtoull(comma + 1, NULL, 10));
        }
    }
    fclose(file);
}

static void compare(const struct counts *all, const struct counts *record) {
    size_t same = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct count *now = &all->entries[i];
        const struct count *then = find(record, now->name);
        if (then == NULL) {
            printf("note - %s: %llu, not recorded\n", now->name, now->value);
        } else if (then->value != now->value) {
            printf("note - %s: %llu, was %llu (%+.1f %%)\n", now->name, now->value, then->value,
                   100.0 * ((double)now->value / (double)then->value - 1.0));
        } else {
            same++;
        }
    }
    for (size_t i = 0; i < record->count; i++) {
        if (find(all, record->entries[i].name) == NULL) {
            printf("note - %s: no longer counted\n", record->entries[i].name);
        }
    }
    printf("%zu of %zu counts are those recorded\n", same, all->count);
}

int main(int argc, char **argv) {
    const char *path = NULL;
    const struct command_option options[] = {
        {"check", COMMAND_TEXT, &path, "FILE", "compare with this record"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv,
                              "Counts of work, which do not depend on the machine's speed.",
                              options, sizeof options / sizeof *options, &status)) {
        return status;
    }
    struct counts all = {0}, record = {0};
    count_linear(&all);
    count_worlds(&all);
    if (path == NULL) {
        print(&all);
    } else {
        read_record(path, &record);
        compare(&all, &record);
    }
    free(all.entries);
    free(record.entries);
    return 0;
}
