// See scenes.h.
// SPDX-License-Identifier: MIT
#include "hashes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/scenes/fracture_scene.h"
#include "hashes/integrators.h"
#include "scenes/fracture/bonded_specimen.h"
#include "scenes/linear/bonded_system.h"
#include "scenes/fracture/brittle_fall.h"
#include "scenes/fracture/concrete_beam.h"
#include "scenes/fracture/cracked_plate.h"
#include "scenes/eci/eci_chain.h"
#include "scenes/eci/eci_contact.h"
#include "scenes/eci/elastic_motion.h"
#include "scenes/engine_scenes.h"
#include "scenes/contact/moving_surface.h"
#include "scenes/opt/opt_cubes.h"
#include "scenes/opt/opt_figures.h"
#include "scenes/opt/opt_sheet.h"
#include "scenes/contact/particle_in_bowl.h"
#include "scenes/torture/torture.h"
#include "common/meshes/shapes.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static pbs_status made_or_not(bool made) {
    return made ? PBS_OK : PBS_ERROR_MEMORY;
}

// --- cubes ---

static void hash_cube(struct hash_lines *lines, const char *name, bool clamped, int32_t contact) {
    const struct cube_scene scene = {
        .cells = 4, .young = 1e6, .clamped = clamped, .ground = !clamped};
    pbs_world_desc desc;
    pbs_world *world = NULL;
    pbs_body body;
    struct tet_mesh mesh = {0};
    if (!hash_begin(lines, "engine/%s", name)) {
        return;
    }
    pbs_status made = pbs_world_desc_init(&desc, sizeof desc);
    desc.contact = contact;
    made = made < 0 ? made : cube_scene_create(&scene, &desc, &world, &body, &mesh);
    hash_steps(lines, made, world, 1.0 / 60.0, 40);
    pbs_world_destroy(world);
    tet_mesh_free(&mesh);
}

static void hash_engine(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    hash_cube(lines, "cantilever", true, PBS_CONTACT_PROJECTION);
    hash_cube(lines, "drop-projection", false, PBS_CONTACT_PROJECTION);
    hash_cube(lines, "drop-barrier", false, PBS_CONTACT_BARRIER);
}

static void hash_motion(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    static const struct {
        const char *name;
        int32_t scheme;
    } schemes[] = {{"bdf2", PBS_SCHEME_BDF2},
                   {"a-search", PBS_SCHEME_A_SEARCH},
                   {"energy-blending", PBS_SCHEME_ENERGY_BLENDING}};
    for (size_t i = 0; i < MOTION_COUNT * COUNT_OF(schemes); i++) {
        const enum elastic_motion_kind kind = (enum elastic_motion_kind)(i % MOTION_COUNT);
        const size_t s = i / MOTION_COUNT;
        pbs_integrator_desc d;
        pbs_integrator *integrator = NULL;
        struct elastic_motion motion = {0};
        if (!hash_begin(lines, "motion/%s/%s", elastic_motion_names[kind], schemes[s].name)) {
            continue;
        }
        pbs_status made = pbs_integrator_desc_init(&d, sizeof d, schemes[s].scheme);
        made = made < 0 ? made : pbs_integrator_create(&d, &integrator);
        made = made < 0 ? made : elastic_motion_create(kind, 2, 1, integrator, &motion);
        hash_steps(lines, made, motion.world, 1.0 / MOTION_FRAME_RATE, 10);
        elastic_motion_free(&motion);
        pbs_integrator_destroy(integrator);
    }
}

// --- OPT ---

static pbs_status step_opt(void *scene) {
    return opt_step(scene);
}

static void hash_figure(struct hash_lines *lines, const struct opt_row *row, const char *name,
                        const struct opt_options *options) {
    if (hash_begin(lines, "opt/%s", name)) {
        struct opt_scene scene;
        const pbs_status made = opt_create(row, options, &scene);
        hash_scene(lines, made, scene.world, step_opt, &scene, 40);
        opt_free(&scene);
    }
}

static void hash_figures(struct hash_lines *lines, const char *meshes) {
    (void)meshes; // the small ones read none
    for (size_t i = 0; i < opt_row_count; i++) {
        const struct opt_row *row = &opt_rows[i];
        struct opt_options options;
        opt_options_init(&options);
        hash_figure(lines, row, row->name, &options);
        if (strcmp(row->name, "10") == 0) {
            options.penalty = true;
            hash_figure(lines, row, "10-penalty", &options);
            options.penalty = false;
            options.post_step = true;
            hash_figure(lines, row, "10-moved-out", &options);
        }
    }
}

/// What a run of the cube ends with, as its world is not to be had.
static void hash_opt_cube(struct hash_lines *lines, size_t which) {
    const struct opt_cube cube = {.points = 9,
                                  .young = opt_cube_stiffness[which % 3],
                                  .start = which / 3 % 2 == 0 ? OPT_CUBE_RANDOM : OPT_CUBE_POINT,
                                  .guess = which < 6 ? PBS_GUESS_BEST : PBS_GUESS_OPT,
                                  .plain = which >= 6};
    if (hash_begin(lines, "opt-cubes/%s/%g%s", cube.start == OPT_CUBE_RANDOM ? "random" : "point",
                   cube.young, cube.plain ? "/plain" : "")) {
        const struct opt_cube_result r = opt_cube_run(&cube, 1, 1);
        hash_numbers(lines, (const double[]){r.edge_strain, r.energy, r.gradient}, 3);
        hash_end(lines, (double)r.steps / 24.0, r.status);
    }
}

static void hash_opt_cubes(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    for (size_t which = 0; which < 12; which++) {
        hash_opt_cube(lines, which);
    }
}

/// Steps from tangles, as tests/papers/test_opt_36dof.c draws them; some have no end.
static void hash_sheet(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    static const char *const names[] = {
        [PBS_METHOD_STABILIZED_NEWTON] = "stabilized", [PBS_METHOD_PLAIN_NEWTON] = "plain"};
    for (int32_t method = 0; method < 2; method++) {
        struct opt_sheet sheet;
        pbs_world *world = NULL;
        pbs_body body;
        uint64_t state = 1;
        if (!hash_begin(lines, "opt-sheet/%s", names[method])) {
            continue;
        }
        opt_sheet_make(&sheet);
        pbs_status status = opt_sheet_world(&sheet, method, &world, &body);
        for (int trial = 0; trial < 8 && status >= 0; trial++) {
            double x[3 * OPT_SHEET_NODES];
            uint32_t iterations = 0;
            for (size_t i = 0; i < COUNT_OF(x); i++) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                x[i] = i % 3 == 2 ? 0.0
                                  : (i % 3 == 1 ? 0.4 : 1.0) * (double)(state >> 11) * 0x1p-53;
            }
            opt_sheet_step(world, body, x, 0.1, &iterations);
            hash_world(lines, world);
        }
        hash_end(lines, pbs_world_time(world), status);
        pbs_world_destroy(world);
    }
}

// --- ECI ---

static pbs_status step_eci(void *scene) {
    return eci_contact_step(scene);
}

/// Until something touches.
static const int eci_steps[ECI_CONTACT_KINDS] = {
    [ECI_BALL_SOFT] = 62, [ECI_BALL_MEDIUM] = 62, [ECI_BALL_STIFF] = 62, [ECI_BALL_AFFINE] = 62,
    [ECI_DICE] = 30,      [ECI_STAIRS] = 45,      [ECI_TRAMPOLINE] = 30, [ECI_CHAIN] = 8,
    [ECI_SPLASH] = 4,     [ECI_MEMBRANE] = 8};

static void hash_eci(struct hash_lines *lines, const char *meshes) {
    static const int32_t schemes[] = {PBS_SCHEME_A_SEARCH, PBS_SCHEME_BDF2};
    static const char *const names[] = {"a-search", "bdf2"};
    for (int i = 0; i < 2 * ECI_CONTACT_KINDS; i++) {
        const enum eci_contact_kind kind = (enum eci_contact_kind)(i % ECI_CONTACT_KINDS);
        struct eci_contact_options options;
        struct eci_contact scene;
        if (!hash_begin(lines, "eci/%s/%s", eci_contact_name(kind), names[i / ECI_CONTACT_KINDS])) {
            continue;
        }
        eci_contact_options_init(&options);
        options.meshes = meshes;
        options.scheme = schemes[i / ECI_CONTACT_KINDS];
        const pbs_status made = eci_contact_create(kind, &options, &scene);
        hash_scene(lines, made, scene.world, step_eci, &scene, eci_steps[kind]);
        eci_contact_free(&scene);
    }
}

/// What a run of the chain ends with, as its world is not to be had. Up to 1000 steps.
static void hash_chains(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    for (size_t i = 0; i < ECI_TABLE_ROWS; i++) {
        const struct eci_table_row *row = &eci_table[i];
        struct eci_chain chain;
        if (hash_begin(lines, "eci-chain/%d/%g/%s%s", row->steps_per_second, row->sound,
                       hash_scheme_name(row->scheme), row->damped ? "/damped" : "")) {
            struct eci_chain_result r = {.status = eci_table_chain(row, &chain)};
            const double time = fmin(2.0, 600.0 / row->steps_per_second);
            if (r.status >= 0) {
                r = eci_chain_run(&chain, time, INFINITY);
                hash_numbers(lines, (const double[]){r.velocity, r.energy, r.least, r.most}, 4);
            }
            hash_end(lines, r.steps / (double)row->steps_per_second, r.status);
        }
    }
}

// --- torture ---

static pbs_status step_torture(void *scene) {
    return torture_step(scene);
}

static void hash_torture_row(struct hash_lines *lines, const char *name,
                             const struct torture_row *row, const struct torture_options *options,
                             int steps) {
    if (hash_begin(lines, name, row->name)) {
        struct torture scene;
        const pbs_status made = torture_create(row, options, &scene);
        hash_scene(lines, made, scene.world, step_torture, &scene, steps);
        torture_free(&scene);
    }
}

/// At their own speed, and thrown at 10 m/s with steps of a thirtieth.
static void hash_torture(struct hash_lines *lines, const char *meshes) {
    for (size_t i = 0; i < torture_row_count; i++) {
        struct torture_options options;
        torture_options_init(&options);
        options.meshes = meshes;
        if (torture_can(&torture_rows[i], &options)) {
            hash_torture_row(lines, "torture/%s", &torture_rows[i], &options, 12);
            options.step = 1.0 / 30.0;
            options.speed = 10.0;
            hash_torture_row(lines, "torture-fast/%s", &torture_rows[i], &options, 3);
        }
    }
}

// --- what breaks ---

static pbs_status step_fracture(void *scene) {
    return fracture_scene_step(scene);
}

static void hash_fracture(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    struct tet_mesh ball;
    if (!shape_ball(0.2, 0.08, &ball)) {
        return;
    }
    for (size_t i = 0; fracture_scene_name(i) != NULL; i++) {
        const struct fracture_setup setup = {.scene = fracture_scene_name(i),
                                             .mesh = &ball,
                                             .detail = i == 5 ? 0.002 : 0.02,
                                             .threads = 1};
        struct fracture_scene scene;
        struct message message;
        if (hash_begin(lines, "fracture/%s", setup.scene)) {
            const bool made = fracture_scene_make(&setup, &scene, &message);
            hash_scene(lines, made_or_not(made), scene.world, step_fracture, &scene, 10);
            fracture_scene_free(&scene);
        }
    }
    tet_mesh_free(&ball);
}

static void hash_brittle(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    static const char *const names[] = {[BRITTLE_BAR] = "bar", [BRITTLE_PLATE] = "plate"};
    for (int kind = BRITTLE_BAR; kind <= BRITTLE_PLATE; kind++) {
        const struct brittle_fall_desc d = {.kind = (enum brittle_kind)kind,
                                            .spacing = kind == BRITTLE_BAR ? 0.01 : 0.015,
                                            .height = 0.002,
                                            .speed = 4.0};
        struct brittle_fall fall;
        if (hash_begin(lines, "brittle-fall/%s", names[kind])) {
            const pbs_status made = brittle_fall_make(&d, &fall);
            hash_steps(lines, made, fall.world, 5e-4, 10);
            pbs_world_destroy(fall.world);
        }
    }
}

static pbs_status step_plate(void *scene) {
    return cracked_plate_step(scene, 10e-6);
}

static void hash_plates(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    static const char *const names[PLATE_KIND_COUNT] = {"glass", "soda-lime", "steel"};
    for (int kind = 0; kind < PLATE_KIND_COUNT; kind++) {
        const struct cracked_plate_desc d = {.kind = (enum cracked_plate_kind)kind,
                                             .spacing = kind == PLATE_STEEL ? 2e-3 : 1e-3,
                                             .horizon = 3.0};
        struct cracked_plate plate;
        if (hash_begin(lines, "cracked-plate/%s", names[kind])) {
            const pbs_status made = cracked_plate_make(&d, &plate);
            hash_scene(lines, made, plate.world, step_plate, &plate, 5);
            cracked_plate_free(&plate);
        }
    }
}

static pbs_status push_beam(void *scene) {
    struct beam_state state;
    return concrete_beam_push(scene, &state);
}

static void hash_concrete(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    static const double spacings[CONCRETE_BEAMS] = {0.00625, 0.01};
    for (int i = 0; i < CONCRETE_BEAMS; i++) {
        struct concrete_beam beam;
        pbs_peridynamic_desc d;
        if (hash_begin(lines, "concrete-beam/%s", concrete_beam_cases[i].name)) {
            bool made = pbs_peridynamic_desc_init(&d, sizeof d) >= 0;
            made = made && concrete_beam_make(&concrete_beam_cases[i], spacings[i], 1, &d, &beam);
            hash_scene(lines, made_or_not(made), beam.world, push_beam, &beam, 25);
            concrete_beam_free(&beam);
        }
    }
}

static pbs_status push_specimen(void *scene) {
    struct specimen *s = scene;
    return specimen_push(s, s->push + 1.5e-6);
}

static void hash_specimens(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    const struct specimen_material concrete = {.young = 37e9,
                                               .poisson = 0.2,
                                               .density = 2346.0,
                                               .tensile_strength = 3.9e6,
                                               .weibull_modulus = 10.0};
    const struct specimen_material rock = {.young = 50e9, .poisson = 0.2, .density = 2400.0};
    struct specimen s;
    if (hash_begin(lines, "specimen/beam")) {
        const bool made = specimen_beam(&concrete, 1.0, 0.0125, 1, true, &s);
        hash_scene(lines, made_or_not(made), s.world, push_specimen, &s, 5);
        specimen_free(&s);
    }
    if (hash_begin(lines, "specimen/disc")) {
        const bool made = specimen_disc(&rock, 0.005, 1, 0.3, &s);
        hash_scene(lines, made_or_not(made), s.world, push_specimen, &s, 2);
        specimen_free(&s);
    }
}

static void hash_bonded_system(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    const struct bonded_system_desc d = {
        .cells = {2, 2, 4}, .side = 0.0625, .young = 1e7, .step = 0.01, .broken = 0.2};
    struct bonded_system s = {0};
    if (hash_begin(lines, "bonded-system")) {
        const pbs_status made = bonded_system_make(&d, &s);
        hash_numbers(lines, s.a.values, made < 0 ? 0 : 9 * s.a.block_count);
        hash_end(lines, pbs_world_time(s.world), made);
        bonded_system_free(&s);
    }
}

// --- a particle, and a surface ---

static void hash_bowls(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    for (int kind = 0; kind < 4; kind++) {
        const struct bowl_trial trial = {.is_bowl = kind / 2 == 1,
                                         .is_linear = kind % 2 == 0,
                                         .radius_cells = 5.3,
                                         .targets = 50};
        struct bowl_result r;
        if (hash_begin(lines, "particle-in-bowl/%s-%s", trial.is_bowl ? "bowl" : "ball",
                       trial.is_linear ? "linear" : "cubic")) {
            const bool made = particle_in_bowl(&trial, &r);
            hash_numbers(lines, (const double[]){r.mean_iterations, r.largest}, 2);
            hash_end(lines, 0.0, made_or_not(made));
        }
    }
}

/// A ball as a shell whose vertices fly apart, as the broad phase's benches shake it.
static void hash_moving_surface(struct hash_lines *lines, const char *meshes) {
    (void)meshes;
    struct surface_mesh ball;
    struct moving_surface moving;
    pbs_world_desc d;
    pbs_shell_desc shell;
    pbs_world *world = NULL;
    pbs_body body;
    if (!hash_begin(lines, "moving-surface") || !surface_ball(0.1, 16, &ball)) {
        return;
    }
    moving_surface_make(&ball, &moving);
    moving_surface_shake(&moving, 20.0, 7);
    pbs_status made = pbs_world_desc_init(&d, sizeof d);
    made = made < 0 ? made : pbs_shell_desc_init(&shell, sizeof shell);
    shell.vertex_count = moving.point_count;
    shell.positions = moving.x;
    shell.initial_velocities = moving.step; // m in a second
    shell.triangle_count = ball.triangle_count;
    shell.triangles = moving.triangles;
    made = made < 0 ? made : pbs_world_create(&d, &world);
    made = made < 0 ? made : pbs_body_create_shell(world, &shell, &body);
    hash_steps(lines, made, world, 0.01, 6);
    pbs_world_destroy(world);
    moving_surface_free(&moving);
    surface_mesh_free(&ball);
}

void hash_scenes(struct hash_lines *lines, const char *meshes) {
    static void (*const groups[])(struct hash_lines *, const char *) = {
        hash_engine,    hash_motion,        hash_figures, hash_opt_cubes,
        hash_sheet,     hash_eci,           hash_chains,  hash_torture,
        hash_fracture,  hash_brittle,       hash_plates,  hash_concrete,
        hash_specimens, hash_bonded_system, hash_bowls,   hash_moving_surface};
    for (size_t i = 0; i < COUNT_OF(groups); i++) {
        groups[i](lines, meshes);
    }
}
