// Writes the seeds that depend on the format of what is saved, and those that name every scheme:
//     make_seeds FOLDER           (fuzz/corpus; make seeds)
//     make_seeds --check FOLDER   fails where one is missing or does not restore any more
// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes/world_scenes.h"
#include "target.h"
#include "world/snapshots/snapshot.h"
#include "world/world.h"

enum { SEED_MOST = 16384 };

struct bytes {
    uint8_t data[SEED_MOST];
    size_t size;
};

static void put(struct bytes *out, const uint8_t *values, size_t count) {
    require(out->size + count <= SEED_MOST);
    memcpy(out->data + out->size, values, count);
    out->size += count;
}

enum { NEWTON_LIMIT = 4 };

#define PUT(out, ...)                                                                              \
    put(out, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

// --- saved worlds ---

static pbs_world *new_world(void) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    // What fuzz_restore.c limits these to; 4 iterations are to be enough.
    d.relative_tolerance = 1e-3;
    d.newton_limit = NEWTON_LIMIT;
    expert.linear_limit = 20;
    d.divisions = 2;
    expert.allow_unconverged = 0;
    pbs_world *world = NULL;
    require(pbs_world_create(&d, &world) == PBS_OK);
    world->scene.stamp = 1; // another one each time, and seeds are to be the same
    require(pbs_world_register_callback(world, SPRING_TAG, spring_energy, NULL) == PBS_OK);
    return world;
}

static void add_springs(pbs_world *world) {
    static const double positions[9] = {0.0, 0.3, 0.0, 0.15, 0.3, 0.0, 0.3, 0.35, 0.02};
    static const double masses[3] = {0.02, 0.03, 0.02};
    static const uint32_t stencils[4] = {0, 1, 1, 2}, pinned[1] = {0};
    pbs_custom_desc d;
    pbs_body body;
    springs_describe(&d, 3, positions, masses, 2, stencils);
    d.damping = 0.001;
    require(pbs_body_create_custom(world, &d, &body) == PBS_OK);
    require(pbs_body_pin(world, body, pinned, 1, PBS_AXIS_ALL) == PBS_OK);
}

static void add_cube(pbs_world *world) {
    static const double corner[3] = {0.0, 0.02, 0.0};
    pbs_solid_desc d;
    pbs_body body;
    pbs_solid_desc_init(&d, sizeof d);
    d.damping = 0.002;
    d.drag = 0.1;
    require(cube_create(world, 1, 0.4, corner, &d, &body) == PBS_OK);
}

static void add_ground(pbs_world *world, bool moves) {
    static const double position[3] = {0.0, 0.05, 0.0}, orientation[4] = {0.0, 0.0, 0.0, 1.0};
    pbs_collider_desc d;
    pbs_collider collider;
    pbs_collider_desc_init(&d, sizeof d);
    d.friction = 0.3;
    require(pbs_collider_create(world, &d, &collider) == PBS_OK);
    require(!moves || pbs_collider_set_motion(world, collider, position, orientation) == PBS_OK);
}

/// @param control  PBS_STEP_*
static pbs_integrator *new_integrator(int32_t scheme, int32_t control) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    require(pbs_integrator_desc_init(&d, sizeof d, scheme) == PBS_OK);
    if (control != PBS_STEP_FIXED) {
        d.step_control.kind = control;
        d.step_control.max = 0.25;
        d.step_control.min = 0.0625; // choices.h bounds it to that
        d.step_control.tolerance = 0.01;
    }
    require(pbs_integrator_create(&d, &integrator) == PBS_OK);
    return integrator;
}

static void set_integrator(pbs_world *world, int32_t scheme, int32_t control) {
    pbs_integrator *integrator = new_integrator(scheme, control);
    require(pbs_world_set_integrator(world, integrator) == PBS_OK);
    pbs_integrator_destroy(integrator);
}

static void fill_empty(pbs_world *world) {
    (void)world;
}

static void fill_solid(pbs_world *world) {
    add_cube(world);
    add_ground(world, false);
    require(scene_step(world, 4) >= 0);
}

/// A motion that the next step would make.
static void fill_moving(pbs_world *world) {
    add_cube(world);
    require(scene_step(world, 2) >= 0);
    add_ground(world, true);
}

static void fill_springs(pbs_world *world) {
    add_springs(world);
    require(scene_step(world, 2) >= 0);
}

static void fill_two_step(pbs_world *world) {
    add_springs(world);
    set_integrator(world, PBS_SCHEME_BDF2, PBS_STEP_FIXED);
    require(scene_step(world, 2) >= 0);
}

static void fill_acceleration(pbs_world *world) {
    add_cube(world);
    set_integrator(world, PBS_SCHEME_GENERALIZED_ALPHA, PBS_STEP_FIXED);
    require(scene_step(world, 2) >= 0);
}

static void fill_targets(pbs_world *world) {
    add_springs(world);
    add_cube(world);
    set_integrator(world, PBS_SCHEME_A_SEARCH, PBS_STEP_FIXED);
    require(scene_step(world, 2) >= 0);
}

/// Springs of the library's, and a box that spins.
static void fill_stiff(pbs_world *world) {
    static const double positions[9] = {0.0, 0.3, 0.0, 0.15, 0.3, 0.0, 0.3, 0.35, 0.02};
    static const double masses[3] = {0.02, 0.03, 0.02}, sides[3] = {0.1, 0.06, 0.03};
    static const uint32_t springs[4] = {0, 1, 1, 2};
    pbs_springs_desc s;
    pbs_affine_desc d;
    struct box_surface box;
    pbs_body body;
    pbs_springs_desc_init(&s, sizeof s);
    s.vertex_count = 3;
    s.positions = positions;
    s.masses = masses;
    s.spring_count = 2;
    s.springs = springs;
    s.drag = 0.1;
    require(pbs_body_create_springs(world, &s, &body) == PBS_OK);
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.angular_velocity[1] = 2.0;
    d.damping = 0.001;
    require(pbs_body_create_affine(world, &d, &body) == PBS_OK);
    require(pbs_world_set_friction(world, 1, 2, 0.3) == PBS_OK);
    require(pbs_world_set_friction(world, 1, 1, 0.2) == PBS_OK);
    require(scene_step(world, 2) >= 0);
}

/// Three spheres in a row that spin, one of them scripted, between two steps of BDF2.
static void fill_bonded(pbs_world *world) {
    static const double positions[9] = {0.0, 0.3, 0.0, 0.1, 0.3, 0.0, 0.2, 0.3, 0.02};
    static const double radii[3] = {0.05, 0.04, 0.05}, spins[9] = {1.0, 2.0, 0.0, 0.0, 3.0};
    static const double turned[4] = {0.0, 0.6, 0.0, 0.8};
    static const uint32_t bonds[4] = {0, 1, 2, 1}, first = 0;
    pbs_bonded_desc d;
    pbs_body body;
    pbs_bonded_desc_init(&d, sizeof d);
    d.particle_count = 3;
    d.positions = positions;
    d.angular_velocities = spins;
    d.radii = radii;
    d.bond_count = 2;
    d.bonds = bonds;
    d.bond_radius = 0.03;
    d.tensile_strength = 1e6;
    require(pbs_body_create_bonded(world, &d, &body) == PBS_OK);
    require(pbs_body_break_bonds(world, body, &first, 1) == PBS_OK);
    set_integrator(world, PBS_SCHEME_BDF2, PBS_STEP_FIXED);
    require(scene_step(world, 2) >= 0);
    require(pbs_body_set_target_orientations(world, body, &first, 1, turned) == PBS_OK);
}

/// A notched square whose upper row is pulled, in explicit steps.
static void fill_peridynamic(pbs_world *world) {
    static const double box[6] = {0.0, 0.0, 0.0, 0.5, 0.4, 0.0};
    static const double point[3] = {0.25, 0.2, 0.0}, normal[3] = {1.0, 0.0, 0.0};
    static const uint32_t pulled[1] = {19};
    static const double target[3] = {0.45, 0.351, 0.0};
    pbs_peridynamic_desc d;
    pbs_body body;
    pbs_peridynamic_desc_init(&d, sizeof d);
    d.dimension = PBS_PERIDYNAMIC_PLANE_STRESS;
    d.box = box;
    d.spacing = 0.1;
    d.horizon = 0.15;
    d.section = 0.1;
    d.young = 1e6;
    d.critical_stretch = 1e-3;
    d.weibull_modulus = 5.0;
    d.damping = 1e-4;
    require(pbs_body_create_peridynamic(world, &d, &body) >= 0);
    require(pbs_body_cut_plane(world, body, point, normal, NULL) == PBS_OK);
    set_integrator(world, PBS_SCHEME_VELOCITY_VERLET, PBS_STEP_FIXED);
    require(pbs_body_set_targets(world, body, pulled, 1, target) == PBS_OK);
    require(pbs_world_step(world, 0.01) >= 0);
}

/// A row of particles pulled apart in explicit steps, some of whose bonds have softened.
static void fill_softening(pbs_world *world) {
    static const double box[6] = {0.0, 0.0, 0.0, 0.05, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
    static const double targets[6] = {0.0025, 0.0, 0.0, 0.04751, 0.0, 0.0};
    static const uint32_t ends[2] = {0, 9};
    pbs_peridynamic_desc d;
    pbs_body body;
    pbs_peridynamic_desc_init(&d, sizeof d);
    d.dimension = PBS_PERIDYNAMIC_BAR;
    d.box = box;
    d.spacing = 0.005;
    d.section = 0.02;
    d.young = 3e10;
    d.fracture_energy = 100.0;
    d.tensile_strength = 3e6;
    require(pbs_world_set_gravity(world, none) == PBS_OK);
    require(pbs_body_create_peridynamic(world, &d, &body) >= 0);
    set_integrator(world, PBS_SCHEME_VELOCITY_VERLET, PBS_STEP_FIXED);
    require(pbs_body_set_targets(world, body, ends, 2, targets) == PBS_OK);
    require(pbs_world_step(world, 3e-5) >= 0);
    float most = 0.0F;
    for (size_t i = 0; i < 10; i++) {
        most = fmaxf(most, pbs_body_damage(world, body)[i]);
    }
    require(most > 0.0F && most < 1.0F);
}

static void set_newton_limit(pbs_world *world, uint32_t limit) {
    pbs_world_desc d = {.struct_size = sizeof d};
    require(pbs_world_settings(world, &d) == PBS_OK);
    d.newton_limit = limit;
    require(pbs_world_set_settings(world, &d) == PBS_OK);
}

/// A cube whose corner is taken somewhere else, at rest.
static void fill_static(pbs_world *world) {
    static const double none[3] = {0.0, 0.0, 0.0}, target[3] = {0.1, 0.12, 0.0};
    static const uint32_t corner[1] = {0};
    add_cube(world);
    require(pbs_world_set_gravity(world, none) == PBS_OK);
    set_integrator(world, PBS_SCHEME_QUASI_STATIC, PBS_STEP_FIXED);
    require(pbs_body_set_targets(world, pbs_world_body_at(world, 0), corner, 1, target) == PBS_OK);
    // The rest of the cube, which nothing holds, follows by a rotation, to the rounding of forces.
    set_newton_limit(world, 40);
    require(pbs_world_step(world, 1.0) >= 0);
    set_newton_limit(world, NEWTON_LIMIT);
}

/// A cube falls into a ball that is distances on a grid, beside a sphere that is a penalty too.
static void fill_grid(pbs_world *world) {
    enum { SIDE = 9 };
    static float samples[SIDE * SIDE * SIDE];
    pbs_collider_desc d;
    pbs_collider collider;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const double x = i % SIDE - 4.0, y = i / SIDE % SIDE - 4.0, z = i / (SIDE * SIDE) - 4.0;
        // A quarter of a metre in cells of 0.2 m.
        samples[i] = (float)(0.2 * sqrt(x * x + y * y + z * z) - 0.25);
    }
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = PBS_SHAPE_GRID;
    d.grid_cell = 0.2;
    d.grid_samples = samples;
    for (int k = 0; k < 3; k++) {
        d.grid_counts[k] = SIDE;
        d.grid_origin[k] = -0.8;
    }
    d.position[1] = -0.2;
    d.friction = 0.3;
    require(pbs_collider_create(world, &d, &collider) == PBS_OK);
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = PBS_SHAPE_SPHERE;
    d.size[0] = 0.3;
    d.position[0] = 0.4;
    d.position[1] = -0.3;
    d.collision = PBS_COLLISION_PENALTY;
    d.penalty_stiffness = 3e4;
    require(pbs_collider_create(world, &d, &collider) == PBS_OK);
    add_cube(world);
    require(scene_step(world, 2) >= 0);
}

/// A cube whose volume is held.
static void fill_liquid(pbs_world *world) {
    pbs_pressure_desc water;
    add_cube(world);
    require(pbs_pressure_desc_init(&water, sizeof water) == PBS_OK);
    water.kind = PBS_PRESSURE_VOLUME;
    water.outside = 1e3;
    require(pbs_body_set_pressure(world, pbs_world_body_at(world, 0), &water) == PBS_OK);
    require(scene_step(world, 2) >= 0);
}

/// A cube full of gas in wind, on a breakable hinge with a spring, a motor and a limit and a ball
/// with limited swing and twist, under a lasting torque, a force that waits for the next step and a
/// gravity of its own; a sensor around it.
static void fill_joined(pbs_world *world) {
    static const double push[3] = {1.0, 0.0, 0.0}, turn[3] = {0.0, 0.5, 0.0}, up[3] = {0.0, 1.0};
    pbs_pressure_desc gas;
    pbs_wind_desc wind;
    pbs_joint_desc d;
    pbs_joint joint;
    pbs_region_desc region;
    pbs_sensor sensor;
    add_cube(world);
    const pbs_body cube = pbs_world_body_at(world, 0);
    require(pbs_pressure_desc_init(&gas, sizeof gas) == PBS_OK);
    gas.kind = PBS_PRESSURE_GAS;
    gas.pressure = 50.0;
    require(pbs_body_set_pressure(world, cube, &gas) == PBS_OK);
    require(pbs_wind_desc_init(&wind, sizeof wind) == PBS_OK);
    wind.velocity[2] = 3.0;
    require(pbs_body_set_wind(world, cube, &wind) == PBS_OK);
    require(pbs_joint_desc_init(&d, sizeof d) == PBS_OK);
    d.kind = PBS_JOINT_HINGE;
    d.b = (pbs_point){.struct_size = sizeof d.b,
                      .kind = PBS_POINT_TET,
                      .body = cube,
                      .weights = {0.25, 0.25, 0.25, 0.25}};
    require(pbs_world_point_position(world, &d.b, d.a.place) == PBS_OK);
    d.axis[0] = 1.0;
    d.upper = 0.3;
    d.motor_velocity = 0.5;
    d.motor_force = 0.1;
    d.spring_stiffness = 0.2;
    d.spring_damping = 0.01;
    d.break_force = 1e4;
    require(pbs_joint_create(world, &d, &joint) == PBS_OK);
    const pbs_point at = d.b, place = d.a;
    require(pbs_joint_desc_init(&d, sizeof d) == PBS_OK);
    d.a = place;
    d.b = at;
    d.swing_limit = 0.1;
    d.twist_upper = 0.2;
    require(pbs_joint_create(world, &d, &joint) == PBS_OK);
    require(pbs_region_desc_init(&region, sizeof region) == PBS_OK);
    require(pbs_sensor_create(world, &region, &sensor) == PBS_OK);
    require(pbs_body_set_gravity(world, cube, 0.5, up) == PBS_OK);
    require(pbs_body_apply_wrench(world, cube, NULL, turn, PBS_FORCE_LASTING) == PBS_OK);
    require(scene_step(world, 2) >= 0);
    require(pbs_body_apply_wrench(world, cube, push, turn, PBS_FORCE_ONCE) == PBS_OK);
}

/// A cube that flows and a creased sheet with a limit of stretch, both pinned, soft enough to yield
/// under their weight.
static void fill_plastic(pbs_world *world) {
    static const double corner[3] = {0.0, 0.02, 0.0};
    static const double sheet[12] = {1.0, 0.3, 0.0, 1.1, 0.3, 0.0, 1.0, 0.3, 0.1, 1.1, 0.3, 0.1};
    static const uint32_t triangles[6] = {0, 2, 1, 1, 2, 3}, pinned[4] = {0, 1, 2, 4};
    pbs_solid_desc d;
    pbs_shell_desc s;
    pbs_body body;
    pbs_solid_desc_init(&d, sizeof d);
    d.young = 1e5;
    d.yield_stress = 10.0;
    d.hardening = 100.0;
    require(cube_create(world, 1, 0.4, corner, &d, &body) == PBS_OK);
    require(pbs_body_pin(world, body, pinned, 4, PBS_AXIS_ALL) == PBS_OK);
    require(pbs_shell_desc_init(&s, sizeof s) == PBS_OK);
    s.vertex_count = 4;
    s.positions = sheet;
    s.triangle_count = 2;
    s.triangles = triangles;
    s.young = 1e5;
    s.bending = PBS_BENDING_HINGE;
    s.yield_curvature = 1e-3;
    s.stretch_limit = 1.1;
    require(pbs_body_create_shell(world, &s, &body) == PBS_OK);
    require(pbs_body_pin(world, body, pinned, 3, PBS_AXIS_ALL) == PBS_OK);
    require(scene_step(world, 2) >= 0);
}

static void fill_control(pbs_world *world) {
    add_springs(world);
    set_integrator(world, PBS_SCHEME_IMPLICIT_EULER, PBS_STEP_DOUBLING);
    require(pbs_world_advance(world, 0.02) >= 0);
}

static void save_world(struct bytes *out, void (*fill)(pbs_world *world)) {
    pbs_world *world = new_world();
    fill(world);
    size_t size = SEED_MOST;
    require(pbs_world_save(world, out->data, &size) == PBS_OK);
    out->size = size;
    pbs_world_destroy(world);
}

// --- inputs of fuzz_system.c: settings, a saved system, calls ---

static pbs_system *new_system(size_t size) {
    static const double positions[4] = {0.5, -0.25, 0.75, 0.125};
    static const double stiffness[16] = {9.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0,
                                         0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 5.0};
    pbs_system_desc d;
    pbs_system *system = NULL;
    require(pbs_system_desc_init(&d, sizeof d) == PBS_OK);
    d.size = size;
    d.positions = positions;
    d.stiffness = size == 4 ? stiffness : NULL;
    require(pbs_system_create(&d, &system) == PBS_OK);
    return system;
}

static void put_system(struct bytes *out, size_t size, int32_t scheme, int32_t control) {
    pbs_system *system = new_system(size);
    pbs_integrator *integrator = new_integrator(scheme, control);
    for (int i = 0; i < 2; i++) {
        require((control == PBS_STEP_FIXED ? pbs_system_step(system, integrator, 0.05)
                                           : pbs_system_advance(system, integrator, 0.2)) >= 0);
    }
    // Forces 0 of stiffness 1 below 1.5, no matrices, forces and derivatives, 12 iterations, 4
    // halvings, memory for everything.
    PUT(out, (uint8_t)(size - 1), 0, 164, 196, 0, 0, 0, 12, 0, 12, 4, 0);
    size_t saved = SEED_MOST - out->size;
    require(pbs_system_save(system, out->data + out->size, &saved) == PBS_OK);
    out->size += saved;
    // The integrator again, as above: its choices, two steps, an advance, a look.
    const bool fixed = control == PBS_STEP_FIXED;
    PUT(out, 0, (uint8_t)scheme, fixed ? 0 : 8);
    if (!fixed) {
        PUT(out, (uint8_t)control, 0, 101, 116);
    }
    PUT(out, 3, 103, 7, 104, 2, 116, 5, 96, 6, 1, 8, 64, 3, 103);
    pbs_integrator_destroy(integrator);
    pbs_system_destroy(system);
}

// --- inputs of fuzz_api.c ---

/// Two worlds, springs in the first.
static void put_worlds(struct bytes *out) {
    PUT(out, 2, 0, 0, 1, 2, 0, 0, 1);
    PUT(out, 0, 0, 1, 100, 120, 100, 110, 120, 100, 120, 122, 100, 102, 102, 102, 0, 1, 1, 2, 0, 1,
        0);
}

/// Every scheme in turn, a step of 1/256 s each.
static void put_schemes(struct bytes *out) {
    put_worlds(out);
    for (uint8_t scheme = 0; scheme <= PBS_SCHEME_QUASI_STATIC; scheme++) {
        PUT(out, 0, 0, 13, scheme, 0);
        PUT(out, 0, 0, 12, 255);
    }
}

/// Every step control with a scheme that may have it, an advance of 0.25 s each; then a save and a
/// restore into the other world.
static void put_controls(struct bytes *out) {
    static const uint8_t schemes[] = {
        [PBS_STEP_FIXED] = PBS_SCHEME_BDF2,
        [PBS_STEP_FORCE_ERROR] = PBS_SCHEME_NEWMARK,
        [PBS_STEP_SPEED_LIMIT] = PBS_SCHEME_SDIRK2,
        [PBS_STEP_STRETCH_LIMIT] = PBS_SCHEME_SECOND_ORDER_THETA,
        [PBS_STEP_DOUBLING] = PBS_SCHEME_TRAPEZOIDAL,
        [PBS_STEP_ALPHA] = PBS_SCHEME_A_SEARCH,
    };
    put_worlds(out);
    for (uint8_t control = PBS_STEP_FIXED; control <= PBS_STEP_ALPHA; control++) {
        const uint8_t search = control == PBS_STEP_ALPHA ? PBS_ALPHA_SEARCH : 0;
        PUT(out, 0, 0, 13, schemes[control], 10, 0, search, 0, control == PBS_STEP_FORCE_ERROR,
            control, 0, 101, 108);
        PUT(out, 0, 0, 11, 116);
    }
    PUT(out, 0, 0, 7, 1, 0, 8, 1, 0, 11, 116);
}

/// Springs and a box that is moved by a script, then let go; a save and a restore.
static void put_stiff(struct bytes *out) {
    PUT(out, 2, 0, 0, 1, 2, 0, 0, 1);
    PUT(out, 0, 0, 224, 0, 100, 120, 100, 110, 120, 100, 120, 122, 100, 102, 102, 102, 104, 101,
        101, 101, 0, 1, 1, 2, 2, 0);
    PUT(out, 0, 0, 224, 1, 101, 102, 103, 8, 100, 104, 100, 101, 102, 103, 104, 105, 106, 1);
    PUT(out, 0, 0, 12, 59);
    PUT(out, 0, 0, 224, 2, 1, 101, 102, 103, 19);
    PUT(out, 0, 0, 12, 59);
    PUT(out, 0, 0, 224, 2, 1, 101, 102, 103, 51);
    PUT(out, 0, 0, 7, 1, 0, 8, 0, 0, 12, 59, 0, 0, 224, 2, 1, 101, 102, 103, 80);
}

/// A box of particles in explicit steps, in implicit ones whose products know no matrix, and at
/// rest; cut, read, with stretches of its own.
static void put_peridynamic(struct bytes *out) {
    static const uint8_t schemes[] = {PBS_SCHEME_VELOCITY_VERLET, PBS_SCHEME_IMPLICIT_EULER,
                                      PBS_SCHEME_QUASI_STATIC};
    PUT(out, 2, 0, 0, 129, 2, 0, 0, 1);
    // The other world has one of tetrahedra.
    PUT(out, 1, 0, 224, 6, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100);
    PUT(out, 100, 100, 100, 100, 100, 100, 100, 100, 0, 192, 0, 0, 1, 0, 12, 255);
    PUT(out, 0, 0, 224, 6);
    // From the origin to 0.5, then the rest of the positions and all numbers; a box of two
    // particles each way, fracture energy.
    PUT(out, 100, 100, 100, 132, 132, 132, 100, 100, 100, 100, 100, 100);
    PUT(out, 100, 100, 100, 100, 100, 101, 100, 100, 0, 96, 4, 0);
    PUT(out, 0, 0, 4, 0, 0, 1, 2, 3, 100, 100, 100, 100, 100, 100, 100, 100, 100, 7, 0);
    for (size_t i = 0; i < sizeof schemes; i++) {
        PUT(out, 0, 0, 13, schemes[i], 0);
        PUT(out, 0, 0, 10, 100, 100, 100);
        PUT(out, 0, 0, 12, 255);
        PUT(out, 0, 0, 224, 5, 0, (uint8_t)(16 * (4 + i)), 0, 0, 224, 5, 0, 128);
    }
    PUT(out, 0, 0, 7, 1, 0, 8, 0, 0, 12, 255);
}

/// By barriers: a cube falls on the ground, slides there, and is read back; a ray, a closest point,
/// a save and a restore.
static void put_contact(struct bytes *out) {
    PUT(out, 0, 1, 2, 0, 0, 1, 2, 0);
    PUT(out, 0, 0, 2, 0, 1, 100, 100, 100, 100, 100, 100, 1, 120, 0);
    PUT(out, 0, 0, 0, 100, 101, 100, 0, 0, PBS_MATERIAL_NEO_HOOKEAN, 0);
    PUT(out, 0, 0, 210, 2, 0, 120, 100, 1, 1, 1);
    PUT(out, 0, 0, 210, 3, 0, 1, 101);
    for (int i = 0; i < 10; i++) {
        PUT(out, 0, 0, 12, 59);
    }
    PUT(out, 0, 0, 210, 0, 0, 3, 100, 110, 120, 0);
    PUT(out, 0, 0, 210, 0, 0, 9, 100, 110, 120, 0);
    PUT(out, 0, 0, 210, 1, 0, 110, 240, 110, 101, 40, 99);
    PUT(out, 0, 0, 7, 1, 0, 8, 1, 0, 12, 59, 1, 0, 210, 0, 0, 9, 100, 110, 120, 0);
}

// --- the list ---

struct seed {
    const char *folder, *name;
    void (*fill)(pbs_world *world);   ///< of restore
    void (*write)(struct bytes *out); ///< of api
    size_t size;                      ///< of system
    int32_t scheme, control;
};

static const struct seed seeds[] = {
    {"restore", "empty", .fill = fill_empty},
    {"restore", "solid", .fill = fill_solid},
    {"restore", "moving", .fill = fill_moving},
    {"restore", "springs", .fill = fill_springs},
    {"restore", "two_step", .fill = fill_two_step},
    {"restore", "acceleration", .fill = fill_acceleration},
    {"restore", "targets", .fill = fill_targets},
    {"restore", "control", .fill = fill_control},
    {"restore", "stiff", .fill = fill_stiff},
    {"restore", "bonded", .fill = fill_bonded},
    {"restore", "peridynamic", .fill = fill_peridynamic},
    {"restore", "softening", .fill = fill_softening},
    {"restore", "static", .fill = fill_static},
    {"restore", "grid", .fill = fill_grid},
    {"restore", "joined", .fill = fill_joined},
    {"restore", "liquid", .fill = fill_liquid},
    {"restore", "plastic", .fill = fill_plastic},
    {"system", "implicit_euler", .size = 1},
    {"system", "two_step", .size = 2, .scheme = PBS_SCHEME_BDF2},
    {"system", "acceleration", .size = 3, .scheme = PBS_SCHEME_GENERALIZED_ALPHA},
    {"system", "control", .size = 4, .scheme = PBS_SCHEME_SDIRK2, .control = PBS_STEP_DOUBLING},
    {"api", "schemes", .write = put_schemes},
    {"api", "controls", .write = put_controls},
    {"api", "stiff", .write = put_stiff},
    {"api", "contact", .write = put_contact},
    {"api", "peridynamic", .write = put_peridynamic},
};
enum { SEED_COUNT = sizeof seeds / sizeof seeds[0] };

static int write_seed(const char *corpus, const struct seed *seed) {
    struct bytes bytes = {.size = 0};
    if (seed->fill != NULL) {
        save_world(&bytes, seed->fill);
    } else if (seed->write != NULL) {
        seed->write(&bytes);
    } else {
        put_system(&bytes, seed->size, seed->scheme, seed->control);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", corpus, seed->folder, seed->name);
    FILE *file = fopen(path, "wb");
    const bool written = file != NULL && fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
    if (file == NULL || fclose(file) != 0 || !written) {
        fprintf(stderr, "%s: cannot be written\n", path);
        return 1;
    }
    return 0;
}

// --- the check ---

static pbs_status restore_world(const uint8_t *bytes, size_t size) {
    pbs_world *world = new_world();
    const pbs_status status = pbs_world_restore(world, bytes, size);
    pbs_world_destroy(world);
    return status;
}

/// The saved system begins with its magic, somewhere after the settings.
static pbs_status restore_system(const struct bytes *seed) {
    pbs_system *system = new_system(1 + seed->data[0] % 4u);
    size_t size = 0, at = 0;
    require(pbs_system_save(system, NULL, &size) == PBS_OK);
    while (at + size < seed->size && memcmp(seed->data + at, SNAPSHOT_SYSTEM_MAGIC, 8) != 0) {
        at++;
    }
    const size_t rest = seed->size > at ? seed->size - at : 0;
    const pbs_status status = pbs_system_restore(system, seed->data + at,
                                                 rest < size ? rest : size);
    pbs_system_destroy(system);
    return status;
}

static int check_file(const char *path, bool is_system) {
    struct bytes seed = {.size = 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    seed.size = fread(seed.data, 1, SEED_MOST, file);
    fclose(file);
    const pbs_status status = is_system ? restore_system(&seed)
                                        : restore_world(seed.data, seed.size);
    if (status != PBS_OK) {
        fprintf(stderr, "%s: %s; make seeds writes it anew\n", path, pbs_last_error());
    }
    return status != PBS_OK;
}

/// Every file there, whoever wrote it.
static int check_folder(const char *corpus, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    DIR *folder = opendir(path);
    int failures = folder == NULL;
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s/%s", corpus, name, e->d_name);
        failures += e->d_name[0] != '.' && check_file(path, strcmp(name, "system") == 0);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return failures;
}

static int check_seeds(const char *corpus) {
    int failures = check_folder(corpus, "restore") + check_folder(corpus, "system");
    for (size_t i = 0; i < SEED_COUNT; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s/%s", corpus, seeds[i].folder, seeds[i].name);
        FILE *file = fopen(path, "rb");
        if (file == NULL) {
            fprintf(stderr, "%s is missing; make seeds writes it\n", path);
            failures++;
        } else {
            fclose(file);
        }
    }
    return failures;
}

int main(int argc, char **argv) {
    int failures = 0;
    if (argc == 3 && strcmp(argv[1], "--check") == 0) {
        failures = check_seeds(argv[2]);
    } else if (argc == 2) {
        for (size_t i = 0; i < SEED_COUNT; i++) {
            failures += write_seed(argv[1], &seeds[i]);
        }
    } else {
        fprintf(stderr, "make_seeds [--check] FOLDER\n");
        failures = 1;
    }
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
