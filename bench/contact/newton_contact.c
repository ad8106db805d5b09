// Cost and quality of contact with the default settings of a world: only gravity and the options
// given as arguments are set. Prints a line for each scene:
//     bench newton_contact scene=wall20 steps=20 failed=0 not_ok=0 newton=319 worst=60 linear=...
//     energy=... kinetic=... least_gap=... highest=... spread=... seconds=... gap=... stiffness=...
//   steps              steps that succeeded; the scene ends at the first step that fails
//   not_ok             how many of these steps landed with a warning, as PBS_DIVIDED
//   newton, linear     iterations of all steps
//   worst              Newton iterations of the step that took most
//   least_gap, gap     smallest gap in the last step: in metres, and over the contact distance
//   highest            largest height of any vertex at the end of any step, over that at the start
//   spread             largest change of a vertex coordinate in the last tenth of the steps, over
//                      the size of the smallest body (1 m in ECI's scenes)
//   seconds            processor time
// Steps are 1/60 s, except in ECI's scenes. The scenes:
//   cube1mm .. cube100m  a soft cube falls from a height of 0.3 edge lengths
//   wall5 .. wall200     5 x 5 affine boxes of 62.5 kg are hit by a ball of 2 t at 5 .. 200 m/s
//   wall3d               3 x 3 x 3 such boxes are hit at 20 m/s
//   dice1mm              9 dice of 1 mm fall on each other
//   tower                10 affine boxes; the one on top is 1000 times as heavy
//   boxes27, boxes125    affine boxes in a pile
//   pair1, pair25        a tilted box falls on another: one pair, and 25 separate pairs
//   soft8                8 soft cubes in a pile
//   cloth24              cloth falls on a ball
//   cards                a house of cards, two storeys of shells
//   net, splash, tramp, stairs, dice   ECI's small scenes, with their own contact, by BDF2
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "scenes/eci/eci_contact.h"

static const double FRAME = 1.0 / 60.0;

static struct settings {
    const char *only;
    double distance, stiffness, tolerance, young, iterations;
    int64_t divisions, adaptive, semidefinite, steps;
    bool each_step;
} chosen = {.distance = -1.0,
            .stiffness = -1.0,
            .tolerance = NAN,
            .divisions = INT64_MAX,
            .adaptive = INT64_MAX,
            .semidefinite = INT64_MAX};

struct scene {
    pbs_world *world;
    struct eci_contact eci; ///< of ECI's scenes: it owns the world
    bool is_eci;
    int steps;
    double step;
    double size; ///< m, size of the smallest body
};

static void check(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

static void choose(pbs_world_desc *d, pbs_expert_desc *expert) {
    if (chosen.distance >= 0.0) {
        d->contact_distance = chosen.distance;
    }
    if (chosen.stiffness >= 0.0) {
        d->contact_stiffness = chosen.stiffness;
    }
    if (!isnan(chosen.tolerance)) {
        d->velocity_tolerance = chosen.tolerance;
    }
    if (chosen.divisions != INT64_MAX) {
        d->divisions = (uint32_t)chosen.divisions;
    }
    if (chosen.adaptive != INT64_MAX) {
        expert->adaptive_stiffness = (int32_t)chosen.adaptive;
    }
    if (chosen.semidefinite != INT64_MAX) {
        expert->project_hessian = (int32_t)chosen.semidefinite;
    }
}

static void begin(struct scene *scene, int steps, double size) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    check(pbs_world_desc_init(&d, sizeof d));
    check(pbs_expert_desc_init(&expert, sizeof expert));
    d.expert = &expert;
    d.gravity[1] = -9.81;
    // The default, but not in older versions of the library.
    d.contact = PBS_CONTACT_BARRIER;
    choose(&d, &expert);
    check(pbs_world_create(&d, &scene->world));
    scene->steps = steps;
    scene->size = size;
    scene->step = FRAME;
}

static void add_ground(const struct scene *scene) {
    pbs_collider_desc d;
    pbs_collider ground;
    check(pbs_collider_desc_init(&d, sizeof d));
    d.friction = 0.5;
    check(pbs_collider_create(scene->world, &d, &ground));
}

static void add_friction(const struct scene *scene, pbs_body body) {
    pbs_contact_desc d;
    check(pbs_contact_desc_init(&d, sizeof d));
    d.friction = 0.5;
    check(pbs_body_set_contact(scene->world, body, &d));
}

static pbs_body add_affine(const struct scene *scene, const struct surface_mesh *mesh,
                           double density, const double position[3], const double velocity[3]) {
    pbs_affine_desc d;
    pbs_body body;
    check(pbs_affine_desc_init(&d, sizeof d));
    d.positions = mesh->positions;
    d.vertex_count = mesh->vertex_count;
    d.triangles = mesh->triangles;
    d.triangle_count = mesh->triangle_count;
    d.density = density;
    memcpy(d.position, position, sizeof d.position);
    memcpy(d.velocity, velocity, sizeof d.velocity);
    check(pbs_body_create_affine(scene->world, &d, &body));
    add_friction(scene, body);
    return body;
}

static const double at_rest[3] = {0.0, 0.0, 0.0};

/// Adds an affine box. position: of its centre.
static pbs_body add_box(const struct scene *scene, double edge, double density,
                        const double position[3]) {
    struct surface_mesh mesh = {0};
    if (!surface_box(edge, edge, edge, &mesh)) {
        exit(1);
    }
    const double half = -0.5 * edge;
    double lower[3], upper[3];
    positions_bounds(mesh.positions, mesh.vertex_count, lower, upper);
    positions_translate(mesh.positions, mesh.vertex_count, half - lower[0], half - lower[1],
                        half - lower[2]);
    const pbs_body body = add_affine(scene, &mesh, density, position, at_rest);
    surface_mesh_free(&mesh);
    return body;
}

static void add_ball(const struct scene *scene, double radius, double density,
                     const double position[3], const double velocity[3]) {
    struct surface_mesh mesh = {0};
    if (!surface_ball(radius, 16, &mesh)) {
        exit(1);
    }
    double lower[3], upper[3];
    positions_bounds(mesh.positions, mesh.vertex_count, lower, upper);
    positions_translate(mesh.positions, mesh.vertex_count, -0.5 * (lower[0] + upper[0]),
                        -0.5 * (lower[1] + upper[1]), -0.5 * (lower[2] + upper[2]));
    add_affine(scene, &mesh, density, position, velocity);
    surface_mesh_free(&mesh);
}

/// Adds a soft cube. corner: the one with the smallest coordinates.
static void add_soft(const struct scene *scene, double edge, size_t cells, const double corner[3],
                     double young) {
    struct tet_mesh mesh = {0};
    pbs_solid_desc d;
    pbs_body body;
    check(pbs_solid_desc_init(&d, sizeof d));
    if (!shape_box_grid(cells, cells, cells, edge, edge, edge, &mesh)) {
        exit(1);
    }
    positions_translate(mesh.positions, mesh.vertex_count, corner[0], corner[1], corner[2]);
    d.positions = mesh.positions;
    d.vertex_count = mesh.vertex_count;
    d.tets = mesh.tets;
    d.tet_count = mesh.tet_count;
    d.young = young;
    check(pbs_body_create_solid(scene->world, &d, &body));
    add_friction(scene, body);
    tet_mesh_free(&mesh);
}

// --- scenes ---

/// Returns a Young's modulus with which its own weight compresses a cube by at most 0.1 %. A softer
/// large cube would oscillate for minutes.
static double soft_young(double edge) {
    return fmax(1e5, 1e3 * 1000.0 * 9.81 * edge);
}

static void make_cube(struct scene *scene, double edge) {
    begin(scene, 900, edge);
    add_ground(scene);
    add_soft(scene, edge, 3, (double[3]){-0.5 * edge, 0.3 * edge, -0.5 * edge}, soft_young(edge));
}

static void make_wall(struct scene *scene, double speed, size_t layers) {
    const double edge = 0.5, spacing = edge + 2e-3;
    begin(scene, 60, edge);
    add_ground(scene);
    const size_t width = layers == 1 ? 5 : 3;
    for (size_t i = 0; i < width * width * layers; i++) {
        const double x = (double)(i % width) - 0.5 * (double)(width - 1);
        const double y = (double)(i / width % width), z = (double)(i / width / width);
        add_box(scene, edge, 500.0,
                (double[3]){spacing * x, 0.5 * edge + 2e-3 + spacing * y, spacing * z});
    }
    add_ball(scene, 0.4, 7800.0, (double[3]){0.07, width == 5 ? 1.3 : 0.8, -3.0},
             (double[3]){0.0, 0.0, speed});
}

static void make_dice(struct scene *scene) {
    const double edge = 1e-3;
    begin(scene, 300, edge);
    add_ground(scene);
    for (int i = 0; i < 9; i++) {
        add_box(scene, edge, 1000.0,
                (double[3]){1.1 * edge * (i % 3 - 1) + 0.3 * edge * (i / 3),
                            edge * (0.8 + 1.2 * (i / 3)), 0.2 * edge * (i / 3)});
    }
}

static void make_tower(struct scene *scene) {
    begin(scene, 600, 0.2);
    add_ground(scene);
    for (int i = 0; i < 10; i++) {
        add_box(scene, 0.2, i == 9 ? 1e6 : 1e3, (double[3]){0.0, 0.102 + 0.202 * i, 0.0});
    }
}

static void make_pile(struct scene *scene, size_t side) {
    const double edge = 0.2;
    begin(scene, side == 3 ? 60 : 20, edge);
    add_ground(scene);
    for (size_t i = 0; i < side * side * side; i++) {
        const double k = (double)(i / side / side), bump = i % 2 == 0 ? 0.01 : 0.0;
        add_box(scene, edge, 500.0,
                (double[3]){1.1 * edge * (double)(i % side) + bump, 0.12 + 1.1 * edge * k,
                            1.1 * edge * (double)(i / side % side) + 0.5 * bump});
    }
}

static void make_pairs(struct scene *scene, int count) {
    const double edge = 0.2;
    begin(scene, 40, edge);
    add_ground(scene);
    for (int i = 0; i < count; i++) {
        const double x = 1.0 * (i % 5), z = 1.0 * (i / 5);
        add_box(scene, edge, 500.0, (double[3]){x, 0.102, z});
        const pbs_body top = add_box(scene, edge, 500.0, (double[3]){x + 0.05, 0.4, z + 0.03});
        const double turn = 0.3 + 0.1 * i;
        double q[4] = {sin(turn) * 0.6, 0.0, sin(turn) * 0.8, cos(turn)};
        check(pbs_body_set_pose(scene->world, top, (double[3]){x + 0.05, 0.4, z + 0.03}, q));
    }
}

static void make_soft_pile(struct scene *scene) {
    begin(scene, 40, 0.2);
    add_ground(scene);
    for (int i = 0; i < 8; i++) {
        add_soft(
            scene, 0.2, 3,
            (double[3]){0.22 * (i % 2) + 0.03 * (i / 4), 0.03 + 0.22 * (i / 4), 0.22 * (i / 2 % 2)},
            1e5);
    }
}

static void add_sheet(const struct scene *scene, size_t cells, double size, double thickness,
                      double young, const double axis[3], double angle, const double position[3]) {
    struct surface_mesh mesh = {0};
    pbs_shell_desc d;
    pbs_body body;
    check(pbs_shell_desc_init(&d, sizeof d));
    if (!surface_sheet(cells, cells, size, size, &mesh)) {
        exit(1);
    }
    double lower[3], upper[3];
    positions_bounds(mesh.positions, mesh.vertex_count, lower, upper);
    positions_translate(mesh.positions, mesh.vertex_count, -0.5 * (lower[0] + upper[0]),
                        -0.5 * (lower[1] + upper[1]), -0.5 * (lower[2] + upper[2]));
    positions_rotate(mesh.positions, mesh.vertex_count, axis, angle);
    positions_translate(mesh.positions, mesh.vertex_count, position[0], position[1], position[2]);
    d.positions = mesh.positions;
    d.vertex_count = mesh.vertex_count;
    d.triangles = mesh.triangles;
    d.triangle_count = mesh.triangle_count;
    d.thickness = thickness;
    d.young = young;
    check(pbs_body_create_shell(scene->world, &d, &body));
    add_friction(scene, body);
    surface_mesh_free(&mesh);
}

static void make_cloth(struct scene *scene) {
    begin(scene, 60, 1.0);
    pbs_collider_desc d;
    pbs_collider ball;
    check(pbs_collider_desc_init(&d, sizeof d));
    d.shape = PBS_SHAPE_SPHERE;
    d.size[0] = 0.25;
    d.friction = 0.3;
    check(pbs_collider_create(scene->world, &d, &ball));
    add_sheet(scene, 24, 1.0, 1e-3, 1e6, (double[3]){0.0, 1.0, 0.0}, 0.2,
              (double[3]){0.02, 0.4, 0.01});
}

static void make_cards(struct scene *scene) {
    begin(scene, 30, 0.09);
    add_ground(scene);
    for (int storey = 0; storey < 2; storey++) {
        const double y = 0.0435 + 0.089 * storey;
        for (int i = 0; i < 4 - 2 * storey; i++) {
            const double x = 0.028 * (i + storey) + 0.026 * (i / 2),
                         lean = i % 2 == 0 ? 0.26 : -0.26;
            add_sheet(scene, 4, 0.09, 3e-4, 1e9, (double[3]){0.0, 0.0, 1.0},
                      1.5707963267948966 - lean, (double[3]){x, y + 0.001, 0.0});
        }
    }
}

// --- running ---

struct scene_row {
    const char *name;
    void (*make)(struct scene *scene, double value, size_t count);
    double value;
    size_t count;
};

static void cube(struct scene *s, double value, size_t count) {
    (void)count;
    make_cube(s, value);
}
static void wall(struct scene *s, double value, size_t count) {
    make_wall(s, value, count);
}
static void dice(struct scene *s, double value, size_t count) {
    (void)value;
    (void)count;
    make_dice(s);
}
static void tower(struct scene *s, double value, size_t count) {
    (void)value;
    (void)count;
    make_tower(s);
}
static void pile(struct scene *s, double value, size_t count) {
    (void)value;
    make_pile(s, count);
}
static void pairs(struct scene *s, double value, size_t count) {
    (void)value;
    make_pairs(s, (int)count);
}
static void soft(struct scene *s, double value, size_t count) {
    (void)value;
    (void)count;
    make_soft_pile(s);
}
static void cloth(struct scene *s, double value, size_t count) {
    (void)value;
    (void)count;
    make_cloth(s);
}
static void cards(struct scene *s, double value, size_t count) {
    (void)value;
    (void)count;
    make_cards(s);
}
static void eci(struct scene *s, double value, size_t count) {
    (void)value;
    struct eci_contact_options options;
    eci_contact_options_init(&options);
    options.scheme = PBS_SCHEME_BDF2;
    choose(&options.world, &options.expert);
    check(eci_contact_create((enum eci_contact_kind)count, &options, &s->eci));
    s->world = s->eci.world;
    s->step = s->eci.step;
    s->steps = (int)fmin(60.0, s->eci.duration / s->eci.step);
    s->size = 1.0;
    s->is_eci = true;
}

static const struct scene_row scene_rows[] = {
    {"cube1mm", cube, 1e-3, 0},       {"cube1cm", cube, 1e-2, 0},
    {"cube1m", cube, 1.0, 0},         {"cube10m", cube, 10.0, 0},
    {"cube100m", cube, 100.0, 0},     {"wall5", wall, 5.0, 1},
    {"wall10", wall, 10.0, 1},        {"wall20", wall, 20.0, 1},
    {"wall50", wall, 50.0, 1},        {"wall100", wall, 100.0, 1},
    {"wall200", wall, 200.0, 1},      {"wall3d", wall, 20.0, 3},
    {"dice1mm", dice, 0.0, 0},        {"tower", tower, 0.0, 0},
    {"boxes27", pile, 0.0, 3},        {"boxes125", pile, 0.0, 5},
    {"pair1", pairs, 0.0, 1},         {"pair25", pairs, 0.0, 25},
    {"soft8", soft, 0.0, 0},          {"cloth24", cloth, 0.0, 0},
    {"cards", cards, 0.0, 0},         {"net", eci, 0.0, ECI_CHAIN},
    {"splash", eci, 0.0, ECI_SPLASH}, {"tramp", eci, 0.0, ECI_TRAMPOLINE},
    {"stairs", eci, 0.0, ECI_STAIRS}, {"dice", eci, 0.0, ECI_DICE},
};

/// Returns the largest height of a vertex, m.
static double highest(const pbs_world *world) {
    double most = -INFINITY;
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_body body = pbs_world_body_at(world, b);
        const double *x = pbs_body_positions(world, body);
        for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
            most = fmax(most, x[3 * i + 1]);
        }
    }
    return most;
}

/// Returns the largest difference of a vertex coordinate from `saved`, m, and then copies all
/// coordinates to `saved`.
static double largest_change(const pbs_world *world, double *saved) {
    double most = 0.0;
    for (size_t b = 0; b < pbs_world_body_count(world); b++) {
        const pbs_body body = pbs_world_body_at(world, b);
        const double *x = pbs_body_positions(world, body);
        for (size_t i = 0; i < 3 * pbs_body_vertex_count(world, body); i++, saved++) {
            most = fmax(most, fabs(x[i] - *saved));
            *saved = x[i];
        }
    }
    return most;
}

static void run(const struct scene_row *row) {
    struct scene scene = {0};
    row->make(&scene, row->value, row->count);
    const int steps = chosen.steps > 0 ? (int)chosen.steps : scene.steps;
    size_t vertices = 0;
    for (size_t b = 0; b < pbs_world_body_count(scene.world); b++) {
        vertices += pbs_body_vertex_count(scene.world, pbs_world_body_at(scene.world, b));
    }
    double *const saved = calloc(3 * vertices + 1, sizeof *saved);
    const double start = highest(scene.world);
    double newton = 0.0, linear = 0.0, worst = 0.0, top = -INFINITY;
    int failed = 0, not_ok = 0, accepted = 0;
    pbs_stats stats = {.struct_size = sizeof stats};
    const clock_t start_clock = clock();
    while (accepted < steps && failed == 0 && saved != NULL) {
        const pbs_status status = pbs_world_step(scene.world, scene.step);
        if (status < 0) {
            fprintf(stderr, "%s: %s\n", row->name, pbs_last_error());
        }
        check(pbs_world_stats(scene.world, &stats));
        failed += status < 0;
        not_ok += status > 0;
        accepted += status >= 0;
        newton += stats.newton.iterations;
        linear += stats.linear.iterations;
        worst = fmax(worst, stats.newton.iterations);
        top = fmax(top, highest(scene.world));
        if (chosen.each_step) {
            printf("bench newton_contact scene=%s step=%d status=%d newton=%u linear=%u gap=%.3g "
                   "contacts=%u divisions=%u stiffness=%.3g\n",
                   row->name, accepted, (int)status, stats.newton.iterations,
                   stats.linear.iterations, stats.contact.least_gap, stats.contact.active,
                   stats.step.divisions, stats.contact.stiffness);
        }
        if (accepted == steps - steps / 10) {
            largest_change(scene.world, saved);
        }
    }
    pbs_energy energy = {.struct_size = sizeof energy};
    check(pbs_world_energy(scene.world, &energy));
    printf("bench newton_contact scene=%s steps=%d failed=%d not_ok=%d newton=%.0f worst=%.0f "
           "linear=%.0f energy=%.6g kinetic=%.3g least_gap=%.3g highest=%.4f spread=%.3g "
           "seconds=%.3f",
           row->name, accepted, failed, not_ok, newton, worst, linear, energy.total, energy.kinetic,
           stats.contact.least_gap, top / start, largest_change(scene.world, saved) / scene.size,
           (double)(clock() - start_clock) / CLOCKS_PER_SEC);
    // For versions of the library without these statistics.
#ifndef WITHOUT_AUTOMATIC_CONTACT
    printf(" gap=%.3f stiffness=%.3g", stats.contact.least_gap / stats.contact.distance,
           stats.contact.stiffness);
#endif
    printf("\n");
    fflush(stdout);
    free(saved);
    if (scene.is_eci) {
        eci_contact_free(&scene.eci);
    } else {
        pbs_world_destroy(scene.world);
    }
}

int main(int argc, char **argv) {
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &chosen.only, "NAME", "only scenes whose name begins so"},
        {"distance", COMMAND_NUMBER, &chosen.distance, "M", "contact_distance"},
        {"stiffness", COMMAND_NUMBER, &chosen.stiffness, "K", "contact_stiffness"},
        {"tolerance", COMMAND_NUMBER, &chosen.tolerance, "V", "velocity_tolerance"},
        {"divisions", COMMAND_COUNT, &chosen.divisions, "N", "divisions"},
        {"adaptive", COMMAND_COUNT, &chosen.adaptive, "N", "adaptive_stiffness"},
        {"hessian", COMMAND_COUNT, &chosen.semidefinite, "N", "project_hessian"},
        {"steps", COMMAND_COUNT, &chosen.steps, "N", "instead of each scene's own"},
        {"each-step", COMMAND_FLAG, &chosen.each_step, NULL, "a line for each step too"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "what contact costs at defaults", options,
                              sizeof options / sizeof *options, &status)) {
        return status;
    }
    for (size_t i = 0; i < sizeof scene_rows / sizeof *scene_rows; i++) {
        const struct scene_row *row = &scene_rows[i];
        if (chosen.only == NULL || strncmp(row->name, chosen.only, strlen(chosen.only)) == 0) {
            run(row);
        }
    }
    return 0;
}
