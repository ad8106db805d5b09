// Sequences of calls into the API, read from the input: two worlds, ids old and foreign, numbers
// good and bad, every scheme and step control, memory that runs out. A call that fails must leave
// its world as it was; at the end all memory is back.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "choices.h"
#include "support/host/allocator.h"
#include "support/scenes/world_scenes.h"
#include "target.h"

enum {
    WORLDS = 2,
    IDS = 8,
    CALL_LIMIT = 48,
    BODY_LIMIT = 4,
    COLLIDER_LIMIT = 2,
    STEP_LIMIT = 32,
    FAILURE_COST = 8
};

/// A host's linear solver that answers what the input says.
struct answering_solver {
    struct choices *in;
    int32_t node_count;
};

struct session {
    struct choices in;
    struct answering_solver solvers[WORLDS];
    struct test_allocator allocator;
    pbs_world *worlds[WORLDS];
    pbs_body bodies[IDS];
    pbs_collider colliders[IDS];
    uint8_t *saved;
    size_t saved_size;
    int steps_left;   ///< what is still stepped, so that a run ends in seconds under a checker
    bool has_control; ///< some world may have such an integrator
};

// --- the input ---

static pbs_world *take_world(struct session *s) {
    const uint8_t byte = take(&s->in);
    return byte == 255 ? NULL : s->worlds[byte % WORLDS];
}

static pbs_body take_body(struct session *s) {
    const uint8_t byte = take(&s->in);
    return byte == 255 ? (pbs_body){UINT64_C(0x123456789abcdef)} : s->bodies[byte % IDS];
}

static pbs_collider take_collider(struct session *s) {
    const uint8_t byte = take(&s->in);
    return byte == 255 ? (pbs_collider){s->bodies[0].id} : s->colliders[byte % IDS];
}

// --- calls ---

static pbs_status make_solid(struct session *s, pbs_world *world) {
    double corner[3];
    take_numbers(&s->in, corner, 3);
    struct cube_mesh mesh;
    if (pbs_world_body_count(world) >= BODY_LIMIT ||
        !cube_mesh_make(&mesh, 1 + take(&s->in) % 2, 0.4, corner)) {
        return PBS_OK;
    }
    pbs_solid_desc d;
    cube_mesh_describe(&mesh, &d);
    const uint8_t spoil = take(&s->in);
    if (spoil & 1) {
        mesh.positions[take(&s->in) % (3 * mesh.vertex_count)] = take_number(&s->in);
    }
    if (spoil & 2) {
        mesh.tets[take(&s->in) % (4 * mesh.tet_count)] = take(&s->in);
    }
    if (spoil & 4) {
        d.density = take_number(&s->in);
        d.young = take_number(&s->in);
        d.poisson = take_number(&s->in);
        d.damping = take_number(&s->in);
        d.drag = take_number(&s->in);
    }
    d.material = take(&s->in) % 5;
    d.tet_young = spoil & 8 ? mesh.positions : NULL;
    d.initial_velocities = spoil & 16 ? mesh.positions : NULL;
    const pbs_status status = pbs_body_create_solid(world, spoil & 32 ? NULL : &d,
                                                    &s->bodies[take(&s->in) % IDS]);
    cube_mesh_free(&mesh);
    return status;
}

static pbs_status make_custom(struct session *s, pbs_world *world) {
    double positions[9], masses[3];
    uint32_t stencils[4];
    if (pbs_world_body_count(world) >= BODY_LIMIT) {
        return PBS_OK;
    }
    take_numbers(&s->in, positions, 9);
    take_numbers(&s->in, masses, 3);
    for (int i = 0; i < 4; i++) {
        stencils[i] = take(&s->in) % 4;
    }
    pbs_custom_desc d;
    springs_describe(&d, 3, positions, masses, 2, stencils);
    const uint8_t gravity = take(&s->in);
    d.no_gravity = gravity % 3;
    d.damping = gravity >= 128 ? take_number(&s->in) : 0.0;
    d.tag = take(&s->in) % 8 == 0 ? 0 : SPRING_TAG;
    return pbs_body_create_custom(world, &d, &s->bodies[take(&s->in) % IDS]);
}

static pbs_status make_springs(struct session *s, pbs_world *world) {
    double positions[9], masses[3], numbers[4];
    uint32_t springs[4];
    take_numbers(&s->in, positions, 9);
    take_numbers(&s->in, masses, 3);
    take_numbers(&s->in, numbers, 4);
    for (int i = 0; i < 4; i++) {
        springs[i] = take(&s->in) % 4;
    }
    pbs_springs_desc d;
    pbs_springs_desc_init(&d, sizeof d);
    d.vertex_count = 3;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = 2;
    d.springs = springs;
    const uint8_t choice = take(&s->in);
    d.stiffness = choice & 1 ? numbers[0] : d.stiffness;
    d.damping = choice & 2 ? numbers[1] : 0.0;
    d.drag = choice & 4 ? numbers[2] : 0.0;
    d.rest_lengths = choice & 8 ? numbers : NULL;
    d.spring_stiffness = choice & 16 ? numbers + 2 : NULL;
    d.velocities = choice & 32 ? positions : NULL;
    return pbs_body_create_springs(world, &d, &s->bodies[take(&s->in) % IDS]);
}

static pbs_status make_affine(struct session *s, pbs_world *world) {
    double sides[3];
    struct box_surface box;
    pbs_affine_desc d;
    take_numbers(&s->in, sides, 3);
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    const uint8_t spoil = take(&s->in);
    if (spoil & 1) {
        box.positions[take(&s->in) % 24] = take_number(&s->in);
    }
    if (spoil & 2) {
        box.triangles[take(&s->in) % 36] = take(&s->in) % 9;
    }
    if (spoil & 4) {
        d.density = take_number(&s->in);
        d.stiffness = take_number(&s->in);
        d.damping = take_number(&s->in);
        d.drag = take_number(&s->in);
    }
    if (spoil & 8) {
        take_numbers(&s->in, d.position, 3);
        take_numbers(&s->in, d.velocity, 3);
        take_numbers(&s->in, d.angular_velocity, 3);
    }
    d.no_gravity = spoil >> 6;
    return pbs_body_create_affine(world, &d, &s->bodies[take(&s->in) % IDS]);
}

/// In one call; soft ones, of hundreds of elements, are rare.
static pbs_status make_simple(struct session *s, pbs_world *world) {
    double size[3], at[3], to[3];
    take_numbers(&s->in, size, 3);
    take_numbers(&s->in, at, 3);
    take_numbers(&s->in, to, 3);
    const uint8_t choice = take(&s->in);
    const double density = choice & 16 ? take_number(&s->in) : 1000.0;
    const double young = choice >= 224 ? take_number(&s->in) : 0.0;
    pbs_body *out = &s->bodies[take(&s->in) % IDS];
    if (pbs_world_body_count(world) >= BODY_LIMIT) {
        return PBS_OK;
    }
    switch (choice % 8) {
    case 0: return pbs_body_create_ball(world, size[0], at, density, young, out);
    case 1: return pbs_body_create_capsule(world, size[0], size[1], at, density, young, out);
    case 2: return pbs_body_create_cylinder(world, size[0], size[1], at, density, young, out);
    case 3: return pbs_body_create_rope(world, at, to, size[0], density, 1e5, out);
    case 4:
        return pbs_world_collider_count(world) >= COLLIDER_LIMIT
                   ? PBS_OK
                   : pbs_collider_create_ground(world, at[1], &s->colliders[take(&s->in) % IDS]);
    case 5: return pbs_world_set_scheme(world, take(&s->in) % (PBS_SCHEME_QUASI_STATIC + 2));
    default: return pbs_body_create_box(world, size, at, density, young, out);
    }
}

static pbs_status make_bonded(struct session *s, pbs_world *world) {
    double positions[9], radii[3], numbers[6];
    uint32_t bonds[4];
    take_numbers(&s->in, positions, 9);
    take_numbers(&s->in, radii, 3);
    take_numbers(&s->in, numbers, 6);
    for (int i = 0; i < 4; i++) {
        bonds[i] = take(&s->in) % 4;
    }
    pbs_bonded_desc d;
    pbs_bonded_desc_init(&d, sizeof d);
    d.particle_count = 3;
    d.positions = positions;
    d.radii = radii;
    d.bond_count = 2;
    d.bonds = bonds;
    d.bond_radius = 0.05;
    const uint8_t choice = take(&s->in);
    d.young = choice & 1 ? numbers[0] : d.young;
    d.shear_modulus = choice & 2 ? numbers[1] : d.shear_modulus;
    d.drag = choice & 4 ? numbers[2] : 0.0;
    d.bond_radii = choice & 8 ? numbers : NULL;
    d.masses = choice & 16 ? numbers + 3 : NULL;
    d.velocities = choice & 32 ? positions : NULL;
    d.angular_velocities = choice & 64 ? positions : NULL;
    d.shear = choice >> 7;
    const uint8_t strength = take(&s->in);
    d.tensile_strength = strength & 1 ? numbers[4] : 0.0;
    d.shear_strength = strength & 2 ? numbers[5] : 0.0;
    d.bond_tensile_strengths = strength & 4 ? numbers : NULL;
    d.fracture_energy = strength & 8 ? numbers[3] : 0.0;
    d.weibull_modulus = strength & 16 ? numbers[2] : 0.0;
    d.contact_scale = strength & 32 ? numbers[1] : 0.0;
    // Two tetrahedra in place of particles.
    static const uint32_t tets[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    double vertices[15] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
                           0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0};
    if (strength & 64) {
        memcpy(vertices, positions, strength & 128 ? sizeof positions : 0);
        d.positions = d.radii = d.masses = d.bond_radii = d.bond_tensile_strengths = NULL;
        d.bonds = NULL;
        d.bond_count = d.particle_count = 0;
        d.velocities = d.angular_velocities = NULL;
        d.vertex_count = 5;
        d.vertices = vertices;
        d.tet_count = 2;
        d.tets = tets;
    }
    return pbs_body_create_bonded(world, &d, &s->bodies[take(&s->in) % IDS]);
}

/// Particles that fill a box are no more than that.
static const double MOST_PARTICLES = 200.0;

/// So that a box holds no more particles, unless they are so many that they are to be refused.
static void bound_filling(pbs_peridynamic_desc *d) {
    double cells = 1.0;
    for (int k = 0; k < 3; k++) {
        cells *= fmax(1.0, ceil((d->box[3 + k] - d->box[k]) / d->spacing));
    }
    if (cells > MOST_PARTICLES && cells < 1e12) {
        d->spacing *= cells;
    }
}

static pbs_status make_peridynamic(struct session *s, pbs_world *world) {
    static const uint32_t tets[8] = {0, 1, 2, 3, 0, 2, 1, 4};
    static const double vertices[15] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
                                        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0};
    double positions[12], numbers[8];
    take_numbers(&s->in, positions, 12);
    take_numbers(&s->in, numbers, 8);
    pbs_peridynamic_desc d;
    pbs_peridynamic_desc_init(&d, sizeof d);
    d.spacing = 0.25;
    const uint8_t choice = take(&s->in);
    d.dimension = choice % 5;
    d.whole_volumes = choice >> 3 & 1;
    d.no_calibration = choice >> 4 & 1;
    d.no_surface_correction = choice >> 5 & 1;
    d.no_gravity = choice >= 224 ? 2 : choice >> 6 & 1;
    const uint8_t source = take(&s->in);
    d.section = d.dimension == PBS_PERIDYNAMIC_SOLID ? 0.0 : 0.1;
    d.horizon = source & 1 ? numbers[0] : 0.0;
    d.spacing = source & 2 ? fabs(numbers[1]) : d.spacing;
    d.section = source & 4 ? numbers[2] : d.section;
    if (source < 96) {
        d.particle_count = 4;
        d.positions = positions;
        d.volumes = source & 8 ? numbers : NULL;
        d.particle_densities = source & 16 ? numbers + 2 : NULL;
        d.velocities = source & 32 ? positions : NULL;
    } else if (source < 192) {
        d.box = positions;
        bound_filling(&d);
    } else {
        d.spacing = fmax(d.spacing, 0.1);
        d.vertex_count = 5;
        d.vertices = vertices;
        d.tet_count = 2;
        d.tets = tets;
    }
    // Of particles these bits are volumes, densities and velocities.
    const uint8_t softening = source < 96 ? 0 : source >> 3;
    d.tensile_strength = softening & 1 ? numbers[2] : 0.0;
    d.softening_knee = softening & 2 ? numbers[3] : 0.0;
    d.softening_initial = softening & 4 ? numbers[4] : 0.0;
    const uint8_t breaking = take(&s->in);
    d.density = breaking & 1 ? numbers[3] : d.density;
    d.young = breaking & 2 ? numbers[4] : d.young;
    d.fracture_energy = breaking & 4 ? numbers[5] : 0.0;
    d.critical_stretch = breaking & 8 ? numbers[6] : 0.0;
    d.weibull_modulus = breaking & 16 ? numbers[7] : 0.0;
    d.damping = breaking & 32 ? 1e-3 * numbers[7] : 0.0;
    d.drag = breaking & 64 ? numbers[6] : 0.0;
    d.contact_scale = breaking & 128 ? numbers[5] : 0.0;
    return pbs_body_create_peridynamic(world, &d, &s->bodies[take(&s->in) % IDS]);
}

/// What a bond bears and at which strain it breaks, and what holds the body.
static pbs_status read_bonds(const pbs_world *world, pbs_body body) {
    pbs_bond_load loads[8];
    double forces[24], moments[24];
    size_t count = 8;
    pbs_body_critical_stretches(world, body);
    pbs_body_bond_loads(world, body, loads, sizeof loads[0], &count);
    return pbs_body_constraint_forces(world, body, forces, moments, 8);
}

static pbs_status set_stretches(struct session *s, pbs_world *world, pbs_body body) {
    double stretches[6]; // of the bonds between four particles
    take_numbers(&s->in, stretches, 6);
    return pbs_body_set_critical_stretches(world, body, stretches, take(&s->in) % 7);
}

static pbs_status read_fragments(const pbs_world *world, pbs_body body) {
    pbs_fragment rows[2];
    pbs_fracture_surface surface = {.struct_size = sizeof surface};
    float normals[3 * 16];
    size_t count = 2;
    pbs_body_fragments(world, body, rows, sizeof rows[0], &count);
    pbs_body_fracture_surface(world, body, &surface);
    return pbs_body_read_fracture_surface(world, body, PBS_CHANNEL_NORMAL, normals, 12, 16);
}

static pbs_status turn_body(struct session *s, pbs_world *world) {
    double turns[12] = {0.0};
    const pbs_body body = take_body(s);
    const uint8_t choice = take(&s->in);
    const uint32_t particle = choice % 4;
    for (int i = 0; i < 3; i++) {
        turns[4 * i + choice % 4] = choice & 4 ? -1.0 : 1.0;
    }
    switch (choice >> 4) {
    case 0: return pbs_body_set_orientations(world, body, turns, 3);
    case 1: return pbs_body_set_angular_velocities(world, body, turns, 3);
    case 2: return pbs_body_pin_orientations(world, body, &particle, 1);
    case 3: return pbs_body_unpin_orientations(world, body, &particle, 1);
    case 4: return pbs_body_break_bonds(world, body, &particle, 1);
    case 5: return pbs_body_cut_plane(world, body, turns, turns + 3, NULL);
    case 6: return pbs_body_cut_triangles(world, body, turns, 1, NULL);
    case 7: return read_fragments(world, body);
    case 8: return read_bonds(world, body);
    case 9: return set_stretches(s, world, body);
    default: return pbs_body_set_target_orientations(world, body, &particle, 1, turns);
    }
}

static pbs_status place_body(struct session *s, pbs_world *world) {
    double position[3], orientation[4] = {0.0, 0.0, 0.0, 1.0}, matrix[9];
    const pbs_body body = take_body(s);
    take_numbers(&s->in, position, 3);
    const uint8_t choice = take(&s->in);
    orientation[choice % 4] = choice & 4 ? -1.0 : 1.0;
    orientation[3] = choice % 4 == 3 ? orientation[3] : 0.0;
    switch (choice >> 4) {
    case 0: return pbs_body_set_pose(world, body, position, orientation);
    case 1: return pbs_body_set_target_pose(world, body, position, orientation);
    case 2: return pbs_body_pin_all(world, body);
    case 3: return pbs_body_unpin_all(world, body);
    case 4: return pbs_body_transform(world, body, position, matrix);
    default: return pbs_body_pose(world, body, position, orientation);
    }
}

static pbs_status apply_force(struct session *s, pbs_world *world) {
    double force[3], torque[3];
    pbs_point point = {.struct_size = sizeof point, .body = take_body(s)};
    take_numbers(&s->in, force, 3);
    take_numbers(&s->in, torque, 3);
    take_numbers(&s->in, point.weights, 2);
    point.weights[2] = 1.0 - point.weights[0] - point.weights[1];
    point.kind = take(&s->in) % 6;
    point.index = take(&s->in) % 30;
    const uint8_t choice = take(&s->in);
    const int32_t duration = choice >> 4;
    const pbs_pressure_desc pressure = {
        .struct_size = sizeof pressure,
        .kind = duration % 4,
        .pressure = duration % 4 == PBS_PRESSURE_VOLUME && duration > 4 ? 0.0 : force[0],
        .outside = force[1],
        .exponent = 1.4,
        .volume = torque[2]};
    const pbs_wind_desc wind = {.struct_size = sizeof wind,
                                .sides = duration % 4,
                                .velocity = {force[0], force[1], force[2]},
                                .density = torque[0],
                                .normal_coefficient = torque[1],
                                .tangential_coefficient = torque[2]};
    switch (choice % 6) {
    case 0: return pbs_body_apply_force(world, &point, force, duration % 3);
    case 1: return pbs_body_apply_wrench(world, point.body, force, torque, duration % 3);
    case 2:
        return duration < 8 ? pbs_body_apply_impulse(world, &point, force)
                            : pbs_body_set_motion(world, point.body, force, torque);
    case 3: return pbs_body_set_gravity(world, point.body, torque[0], force);
    case 4: return pbs_body_set_pressure(world, point.body, torque[0] > 1.0 ? NULL : &pressure);
    default:
        return duration < 8    ? pbs_body_set_wind(world, point.body, &wind)
               : duration < 12 ? pbs_body_set_wind(world, point.body, NULL)
                               : pbs_body_clear_forces(world, point.body);
    }
}

/// Springs, affine, bonded and peridynamic bodies and what is theirs.
static pbs_status call_stiff(struct session *s, pbs_world *world) {
    const uint8_t which = take(&s->in) % 8;
    const bool makes = which < 2 || which == 4 || which == 6;
    if (makes && pbs_world_body_count(world) >= BODY_LIMIT) {
        return PBS_OK;
    }
    switch (which) {
    case 0: return make_springs(s, world);
    case 1: return make_affine(s, world);
    case 4: return make_bonded(s, world);
    case 5: return turn_body(s, world);
    case 6: return make_peridynamic(s, world);
    case 7: return apply_force(s, world);
    default: return place_body(s, world);
    }
}

static pbs_status make_collider(struct session *s, pbs_world *world) {
    static const double vertices[12] = {0.0, 0.0, 0.0, 1.0, 0.0,  0.0,
                                        0.0, 0.0, 1.0, 0.0, -1.0, 0.0};
    static const uint32_t triangles[6] = {0, 2, 1, 0, 1, 3};
    float samples[512];
    pbs_collider_desc d;
    if (pbs_world_collider_count(world) >= COLLIDER_LIMIT) {
        return PBS_OK;
    }
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = take(&s->in) % 8;
    if (d.shape == PBS_SHAPE_GRID) {
        d.grid_samples = samples;
        d.grid_cell = 0.25;
        d.grid_counts[0] = d.grid_counts[1] = d.grid_counts[2] = 8;
        d.grid_interpolation = take(&s->in) % 8;
        d.grid_origin[0] = d.grid_origin[1] = d.grid_origin[2] = -0.875;
        for (int i = 0; i < 512; i++) {
            const bool is_inner = i % 8 / 3 == 1 && i / 8 % 8 / 3 == 1 && i / 64 / 3 == 1;
            samples[i] = is_inner ? (float)take_number(&s->in) : 0.5F;
        }
    }
    d.collision = take(&s->in) % 8 == 0;
    d.penalty_stiffness = d.collision == 1 ? take_number(&s->in) : 0.0;
    if (d.shape == PBS_SHAPE_MESH) {
        d.vertex_count = 4;
        d.vertices = vertices;
        d.triangle_count = 2;
        d.triangles = triangles;
    }
    d.hollow = take(&s->in) % 4 == 0;
    take_numbers(&s->in, d.size, 3);
    take_numbers(&s->in, d.position, 3);
    if (take(&s->in) % 4 == 0) {
        take_numbers(&s->in, d.orientation, 4);
    }
    d.friction = take_number(&s->in);
    return pbs_collider_create(world, &d, &s->colliders[take(&s->in) % IDS]);
}

static pbs_status change_state(struct session *s, pbs_world *world) {
    const pbs_body body = take_body(s);
    double xyz[81];
    const size_t count = pbs_body_vertex_count(world, body);
    for (size_t i = 0; i < 81; i++) {
        xyz[i] = i < 12 ? take_number(&s->in) : sin((double)i);
    }
    const uint8_t choice = take(&s->in);
    const size_t claimed = choice >= 250 ? choice : count <= 27 ? count : 0;
    return choice & 1 ? pbs_body_set_positions(world, body, xyz, claimed > 27 ? 0 : claimed)
                      : pbs_body_set_velocities(world, body, xyz, claimed > 27 ? 0 : claimed);
}

static pbs_status hold(struct session *s, pbs_world *world) {
    const pbs_body body = take_body(s);
    const uint32_t vertices[3] = {take(&s->in) % 9, take(&s->in) % 9, take(&s->in) % 30};
    const size_t count = take(&s->in) % 4;
    double targets[9];
    take_numbers(&s->in, targets, 9);
    const uint32_t axes = take(&s->in) % 10;
    switch (take(&s->in) % 3) {
    case 0: return pbs_body_pin(world, body, vertices, count, axes);
    case 1: return pbs_body_unpin(world, body, vertices, count, axes);
    default: return pbs_body_set_targets(world, body, vertices, count, targets);
    }
}

static pbs_status move_collider(struct session *s, pbs_world *world) {
    double position[3], orientation[4] = {0.0, 0.0, 0.0, 1.0};
    const pbs_collider collider = take_collider(s);
    take_numbers(&s->in, position, 3);
    if (take(&s->in) % 4 == 0) {
        take_numbers(&s->in, orientation, 4);
    }
    return pbs_collider_set_motion(world, collider, position, orientation);
}

/// Rows of the input's size into room for four, and sums about the input's points.
static void read_contacts(struct session *s, const pbs_world *world) {
    const pbs_body body = take_body(s);
    const uint8_t choice = take(&s->in);
    pbs_contact rows[4];
    const size_t row_size = (choice & 1) != 0 ? sizeof rows[0] : take(&s->in);
    size_t capacity = choice % 5;
    const size_t given = capacity;
    const pbs_status status = pbs_world_contacts(world, (choice & 2) != 0 ? NULL : rows, row_size,
                                                 &capacity);
    require(status != PBS_OK || (choice & 2) != 0 || capacity <= given);
    double about[3];
    take_numbers(&s->in, about, 3);
    pbs_contact_force load = {.struct_size = sizeof load};
    pbs_body_contact_force(world, body, (choice & 4) != 0 ? NULL : about, &load);
    pbs_collider_contact_force(world, take_collider(s), (choice & 8) != 0 ? NULL : about, &load);
}

/// A ray and a point; what is found is no farther than asked, and somebody's.
static void query(struct session *s, const pbs_world *world) {
    const uint8_t choice = take(&s->in);
    pbs_ray_desc ray;
    pbs_closest_desc near;
    pbs_surface_point out = {.struct_size = sizeof out};
    pbs_ray_desc_init(&ray, sizeof ray);
    pbs_closest_desc_init(&near, sizeof near);
    take_numbers(&s->in, ray.origin, 3);
    take_numbers(&s->in, ray.direction, 3);
    ray.distance = (choice & 1) != 0 ? take_number(&s->in) : ray.distance;
    ray.mask = (choice & 2) != 0 ? choice : ray.mask;
    near.distance = ray.distance;
    near.mask = ray.mask;
    for (int k = 0; k < 3; k++) {
        near.point[k] = ray.origin[k];
    }
    for (int kind = 0; kind < 2; kind++) {
        const pbs_status status = kind == 0 ? pbs_world_ray(world, &ray, &out)
                                            : pbs_world_closest(world, &near, &out);
        const bool found = out.body.id != 0 || out.collider.id != 0;
        require(status != PBS_OK || found == isfinite(out.distance));
        require(status != PBS_OK || !found || out.distance <= ray.distance);
    }
}

static pbs_status read_back(struct session *s, const pbs_world *world) {
    const pbs_body body = take_body(s);
    double buffer[288]; // more than 31 strides and a row of nine
    double stress[54];  // of one cell
    double force[3], pose[4];
    const uint32_t *indices = NULL;
    size_t count = 0;
    pbs_contact_force load = {.struct_size = sizeof load};
    pbs_energy energy = {.struct_size = sizeof energy};
    pbs_stats stats = {.struct_size = sizeof stats};
    if (take(&s->in) % 4 == 0) {
        stats.struct_size = take(&s->in) % sizeof stats; // never more than there is
    }
    pbs_world_energy(world, &energy);
    pbs_world_stats(world, &stats);
    pbs_collider_contact_force(world, take_collider(s), NULL, &load);
    pbs_collider_pose(world, take_collider(s), force, pose);
    pbs_body_surface(world, body, &indices, &count);
    pbs_body_element_stress(world, body, stress, 6);
    const double *x = pbs_body_positions(world, body);
    require((x != NULL) == pbs_body_is_valid(world, body));
    const int32_t channel = take(&s->in) % (PBS_CHANNEL_CRITICAL_STRETCH + 2);
    const size_t stride = 4 + take(&s->in) % 69;
    const uint8_t choice = take(&s->in);
    int32_t item = 0;
    size_t width = 0;
    if (pbs_body_channel(world, body, channel, &item, &width, &count) >= 0) {
        require(width >= 1 && width <= 9);
    }
    return choice < 128 ? pbs_body_read_f32(world, body, channel, (float *)(void *)buffer, stride,
                                            choice % 32)
                        : pbs_body_read_f64(world, body, channel, buffer, stride, choice % 32);
}

/// Strides that no buffer has, which all are refused.
static pbs_status lie_about_rows(struct session *s, const pbs_world *world) {
    static const size_t strides[] = {0, 1, 2, 3, SIZE_MAX, SIZE_MAX - 3, SIZE_MAX - 7};
    double row[9];
    float *const floats = (float *)(void *)row;
    const pbs_body body = take_body(s);
    const size_t stride = strides[take(&s->in) % 7];
    const uint8_t choice = take(&s->in);
    const int32_t channel = choice % 20;
    const size_t capacity = choice < 128 ? SIZE_MAX : 1;
    switch (take(&s->in) % 3) {
    case 0: return pbs_body_read_f32(world, body, channel, floats, stride, capacity);
    case 1: return pbs_body_read_f64(world, body, channel, row, stride, capacity);
    default: return pbs_body_read_fracture_surface(world, body, channel, floats, stride, capacity);
    }
}

/// Counts that no array has, which all are refused.
static pbs_status lie_about_counts(struct session *s, pbs_world *world) {
    static const size_t counts[] = {SIZE_MAX,         SIZE_MAX / 2 + 1,  SIZE_MAX / 3 + 1,
                                    SIZE_MAX / 9 + 1, SIZE_MAX / 24 + 1, SIZE_MAX / 8 + 2};
    static const uint32_t indices[4] = {0, 1, 2, 0};
    static const double numbers[12] = {0.0};
    const pbs_body body = take_body(s);
    const size_t count = counts[take(&s->in) % 6];
    const uint8_t choice = take(&s->in);
    pbs_point point;
    switch (choice % 9) {
    case 0: return pbs_body_pin(world, body, indices, count, PBS_AXIS_ALL);
    case 1: return pbs_body_unpin(world, body, indices, count, PBS_AXIS_ALL);
    case 2: return pbs_body_set_targets(world, body, indices, count, numbers);
    case 3: return pbs_body_break_bonds(world, body, indices, count);
    case 4: return pbs_body_cut_triangles(world, body, numbers, count, NULL);
    case 5: return pbs_body_set_target_orientations(world, body, indices, count, numbers);
    case 6: return pbs_body_set_positions(world, body, numbers, count);
    case 7: return pbs_world_locate(world, body, numbers, count, &point, sizeof point, NULL);
    default: return pbs_body_set_parameter(world, body, choice / 9 % 11, numbers, count);
    }
}

static pbs_status lie(struct session *s, pbs_world *world) {
    const pbs_status status = take(&s->in) % 2 == 0 ? lie_about_rows(s, world)
                                                    : lie_about_counts(s, world);
    require(status < 0);
    return status;
}

static pbs_status set_contact(struct session *s, pbs_world *world) {
    pbs_contact_desc d;
    pbs_contact_desc_init(&d, sizeof d);
    const pbs_body body = take_body(s);
    d.friction = take_number(&s->in);
    d.offset = 0.01 * take_number(&s->in);
    d.touches_itself = take(&s->in) % 3;
    d.mask = take(&s->in) % 4 == 0 ? take(&s->in) : d.mask;
    d.surface_material = take(&s->in) % 4;
    return pbs_body_set_contact(world, body, &d);
}

/// What contact did, what queries see, or how a body touches.
static pbs_status set_friction(struct session *s, pbs_world *world) {
    const uint32_t a = take(&s->in) % 34;
    const uint32_t b = take(&s->in) % 34;
    return pbs_world_set_friction(world, a, b, take_number(&s->in));
}

/// Of four vertices, in a few cells: what succeeds has finite samples of both kinds of question.
static pbs_status make_grid(struct session *s) {
    double vertices[12];
    uint32_t triangles[12];
    static float samples[32 * 32 * 32];
    pbs_grid_desc d;
    pbs_grid grid = {.struct_size = sizeof grid};
    require(pbs_grid_desc_init(&d, sizeof d) == PBS_OK);
    take_numbers(&s->in, vertices, 12);
    for (int i = 0; i < 12; i++) {
        triangles[i] = take(&s->in) % 32 < 31 ? take(&s->in) % 4 : 4;
    }
    d.vertex_count = 4;
    d.vertices = vertices;
    d.triangle_count = take(&s->in) % 5;
    d.triangles = triangles;
    d.resolution = take(&s->in) % 24;
    d.interpolation = take(&s->in) % 8;
    d.cell = take(&s->in) % 4 == 0 ? take_number(&s->in) : 0.0;
    d.allocator = test_allocator_hooks(&s->allocator);
    const pbs_status status = pbs_grid_from_mesh(&d, samples, sizeof samples / sizeof *samples,
                                                 &grid);
    for (size_t i = 0; status == PBS_OK && i < grid.sample_count; i++) {
        require(isfinite(samples[i]));
    }
    return status;
}

static pbs_status call_contact(struct session *s, pbs_world *world) {
    switch (take(&s->in) % 5) {
    case 0: read_contacts(s, world); return PBS_OK;
    case 1: query(s, world); return PBS_OK;
    case 2: return set_contact(s, world);
    case 4: return make_grid(s);
    default: return set_friction(s, world);
    }
}

static pbs_status save(struct session *s, const pbs_world *world) {
    size_t size = 0;
    const pbs_status status = pbs_world_save(world, NULL, &size);
    uint8_t *bytes = status < 0 ? NULL : malloc(size);
    if (bytes == NULL) {
        return status;
    }
    require(pbs_world_save(world, bytes, &size) == PBS_OK);
    free(s->saved);
    s->saved = bytes;
    s->saved_size = size;
    return PBS_OK;
}

static pbs_status restore(struct session *s, pbs_world *world) {
    const pbs_status status = pbs_world_restore(world, s->saved, s->saved_size);
    // What a world saved is never damaged.
    require(status == PBS_OK || status == PBS_ERROR_MEMORY || world == NULL || s->saved == NULL);
    return status;
}

static pbs_status destroy(struct session *s, pbs_world *world) {
    return take(&s->in) % 2 == 0 ? pbs_body_destroy(world, take_body(s))
                                 : pbs_collider_destroy(world, take_collider(s));
}

static pbs_status set_gravity(struct session *s, pbs_world *world) {
    double gravity[3];
    take_numbers(&s->in, gravity, 3);
    return pbs_world_set_gravity(world, gravity);
}

static pbs_status set_integrator(struct session *s, pbs_world *world) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    take_integrator(&s->in, &d);
    d.allocator = test_allocator_hooks(&s->allocator);
    const pbs_status status = pbs_integrator_create(&d, &integrator);
    if (status < 0) {
        require(integrator == NULL);
        return status;
    }
    s->has_control = s->has_control || d.step_control.max > 0.0;
    const pbs_status set = pbs_world_set_integrator(world, integrator);
    pbs_integrator_destroy(integrator);
    return set;
}

static int32_t take_answer(struct choices *in) {
    const uint8_t byte = take(in);
    return byte < 208 ? 0 : byte < 248 ? 1 : -1;
}

static int32_t analyze(void *user, const pbs_matrix *pattern) {
    struct answering_solver *solver = user;
    solver->node_count = pattern->node_count;
    return take_answer(solver->in);
}

/// Every entry is read.
static int32_t factor(void *user, const pbs_matrix *matrix) {
    struct answering_solver *solver = user;
    const int32_t width = matrix->form == PBS_MATRIX_CSR ? 1 : 9;
    require(matrix->node_count == solver->node_count);
    require(matrix->row_start[0] == 0 &&
            matrix->row_start[matrix->row_count] == matrix->entry_count);
    for (int32_t k = 0; k < matrix->entry_count; k++) {
        require(matrix->column[k] >= 0 && matrix->column[k] < matrix->row_count);
        for (int32_t e = 0; e < width; e++) {
            require(isfinite(matrix->values[(size_t)width * (size_t)k + (size_t)e]));
        }
    }
    return take_answer(solver->in);
}

/// A multiple of b, down to one that is not a number, or part of it.
static int32_t solve(void *user, const double *b, double *x, double relative_tolerance) {
    struct answering_solver *solver = user;
    const double scale = take(solver->in) % 4 == 0 ? take_number(solver->in) : 1e-3;
    const int32_t count = 3 * solver->node_count - (take(solver->in) == 255);
    require(relative_tolerance > 0.0);
    for (int32_t i = 0; i < count; i++) {
        x[i] = scale * b[i];
    }
    return take_answer(solver->in);
}

static pbs_status set_solver(struct session *s, pbs_world *world) {
    const int index = world == s->worlds[1];
    s->solvers[index].in = &s->in;
    pbs_linear_solver solver;
    require(pbs_linear_solver_init(&solver, sizeof solver) == PBS_OK);
    solver.form = take(&s->in) % 3;
    solver.triangle = take(&s->in) % 4;
    solver.user = &s->solvers[index];
    solver.analyze = analyze;
    solver.factor = factor;
    solver.solve = take(&s->in) == 255 ? NULL : solve;
    return pbs_world_set_linear_solver(world, take(&s->in) % 8 == 0 ? NULL : &solver);
}

/// A step that fails has been divided, and has looked for a way out of all obstacles each time.
static pbs_status spend(struct session *s, int steps, pbs_status status) {
    s->steps_left -= status < 0 ? steps + FAILURE_COST : steps;
    return status;
}

/// In no more than a few hundred explicit steps. A failure, before which there was a step, is dealt
/// with here.
static pbs_status move_explicit(pbs_world *world, double seconds,
                                pbs_status (*move)(pbs_world *world, double seconds)) {
    const double bounded = bound_explicit(world, seconds);
    const uint64_t hash = pbs_world_hash(world);
    const pbs_status status = move(world, bounded);
    require(status >= 0 || pbs_world_hash(world) == hash);
    return status < 0 ? PBS_OK : status;
}

static pbs_status advance(struct session *s, pbs_world *world) {
    const double wish = take_number(&s->in);
    const double duration = s->has_control ? bound_duration(wish) : wish;
    const int most = s->has_control ? (int)(LONGEST_ADVANCE / SHORTEST_STEP) : 1;
    if (s->steps_left <= 0) {
        return PBS_OK;
    }
    return spend(s, most,
                 is_explicit(world) ? move_explicit(world, duration, pbs_world_advance)
                                    : pbs_world_advance(world, duration));
}

static pbs_status step(struct session *s, pbs_world *world) {
    const double h = 1.0 / (1 + take(&s->in));
    if (s->steps_left <= 0) {
        return PBS_OK;
    }
    return spend(s, 1,
                 is_explicit(world) ? move_explicit(world, h, pbs_world_step)
                                    : pbs_world_step(world, h));
}

static pbs_status call(struct session *s, pbs_world *world) {
    const uint8_t which = take(&s->in);
    if (which >= 252) {
        return lie(s, world);
    }
    if (which >= 245) {
        return make_simple(s, world);
    }
    if (which >= 238) {
        return set_solver(s, world);
    }
    if (which >= 224) {
        return call_stiff(s, world);
    }
    if (which >= 210) {
        return call_contact(s, world);
    }
    switch (which % 14) {
    case 0: return make_solid(s, world);
    case 1: return make_custom(s, world);
    case 2: return make_collider(s, world);
    case 3: return change_state(s, world);
    case 4: return hold(s, world);
    case 5: return move_collider(s, world);
    case 6: return read_back(s, world);
    case 7: return save(s, world);
    case 8: return restore(s, world);
    case 9: return destroy(s, world);
    case 10: return set_gravity(s, world);
    case 11: return advance(s, world);
    case 12: return which > 150 ? pbs_world_prepare(world) : step(s, world);
    case 13: return set_integrator(s, world);
    default: return step(s, world);
    }
}

// --- a session ---

static void begin(struct session *s) {
    test_allocator_init(&s->allocator);
    for (int i = 0; i < WORLDS; i++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        d.allocator = test_allocator_hooks(&s->allocator);
        d.newton_limit = 4;
        expert.linear_limit = 20;
        d.divisions = take(&s->in) % 3;
        expert.allow_unconverged = take(&s->in) % 2;
        const uint8_t method = take(&s->in);
        expert.method = method % 2;
        if (method % 4 >= 2) {
            d.contact = PBS_CONTACT_BARRIER;
            expert.method = PBS_METHOD_STABILIZED_NEWTON;
            expert.adaptive_stiffness = method / 4 % 2;
        }
        if (method >= 224) {
            d.contact = PBS_CONTACT_PENALTY;
        }
        const uint8_t solver = take(&s->in);
        expert.preconditioner = solver % 3;
        expert.assembly = solver / 64 % 3;
        expert.alignment = method / 8 % 2;
        require(pbs_world_create(&d, &s->worlds[i]) == PBS_OK);
        require(pbs_world_register_callback(s->worlds[i], SPRING_TAG, spring_energy, NULL) ==
                PBS_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session s = {.in = {.data = data, .size = size}, .steps_left = STEP_LIMIT};
    begin(&s);
    for (int i = 0; i < CALL_LIMIT && s.in.position < s.in.size; i++) {
        pbs_world *world = take_world(&s);
        const uint8_t scarce = take(&s.in);
        if (scarce >= 240) {
            test_allocator_fail_after(&s.allocator, take(&s.in));
        }
        const uint64_t hash = pbs_world_hash(world);
        const size_t bodies = pbs_world_body_count(world);
        const pbs_status status = call(&s, world);
        if (status < 0) {
            require(pbs_last_error()[0] != '\0');
            require(pbs_world_hash(world) == hash && pbs_world_body_count(world) == bodies);
        }
        test_allocator_fail_after(&s.allocator, ALLOCATOR_NEVER);
    }
    for (int i = 0; i < WORLDS; i++) {
        pbs_world_destroy(s.worlds[i]);
    }
    free(s.saved);
    require(s.allocator.blocks_in_use == 0 && !s.allocator.was_misused);
    return 0;
}
