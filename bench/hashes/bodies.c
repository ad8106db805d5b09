// See bodies.h. Functions add to a world until a call fails, and return the status of that call.
// SPDX-License-Identifier: MIT
#include "hashes/bodies.h"

#include <stdlib.h>

#include "scenes/bonds/cubic_tets.h"
#include "common/meshes/shapes.h"
#include "support/scenes/world_scenes.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// --- parts ---

static pbs_status add_collider(pbs_world *world, int32_t shape, double size, double y,
                               double friction) {
    pbs_collider_desc d;
    pbs_collider collider;
    const pbs_status status = pbs_collider_desc_init(&d, sizeof d);
    d.shape = shape;
    d.size[0] = size;
    d.position[1] = y;
    d.friction = friction;
    return status < 0 ? status : pbs_collider_create(world, &d, &collider);
}

static pbs_status add_ground(pbs_world *world) {
    return add_collider(world, PBS_SHAPE_HALF_SPACE, 0.0, 0.0, 0.4);
}

/// A cube of 0.2 m and 2 x 2 x 2 cells.
static pbs_status add_cube(pbs_world *world, int32_t material, double x, double y, double young,
                           pbs_body *body) {
    const double corner[3] = {x - 0.1, y, -0.09};
    pbs_solid_desc d;
    const pbs_status status = pbs_solid_desc_init(&d, sizeof d);
    d.material = material;
    d.young = young;
    d.damping = 1e-3;
    return status < 0 ? status : cube_create(world, 2, 0.2, corner, &d, body);
}

/// A tilted box that turns.
static pbs_status add_box(pbs_world *world, double x, double y, double friction, pbs_body *body) {
    static const double sides[3] = {0.2, 0.08, 0.15};
    struct box_surface box;
    pbs_affine_desc d;
    pbs_contact_desc contact;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.position[0] = x;
    d.position[1] = y;
    d.orientation[2] = 0.28;
    d.orientation[3] = 0.96;
    d.velocity[1] = -0.5;
    d.angular_velocity[1] = 2.0;
    pbs_status status = pbs_body_create_affine(world, &d, body);
    status = status < 0 ? status : pbs_contact_desc_init(&contact, sizeof contact);
    contact.friction = friction;
    return status < 0 ? status : pbs_body_set_contact(world, *body, &contact);
}

/// Square, 0.4 m, horizontal.
static pbs_status add_sheet(pbs_world *world, double y, int32_t bending, pbs_body *body) {
    const double corner[3] = {-0.21, y, -0.2};
    pbs_shell_desc d;
    const pbs_status status = pbs_shell_desc_init(&d, sizeof d);
    d.young = 1e6;
    d.bending = bending;
    d.damping = 1e-3;
    return status < 0 ? status : sheet_create(world, 6, 0.4, corner, &d, body);
}

/// Gives all vertices the same velocity.
static pbs_status throw_body(pbs_world *world, pbs_body body, double x, double y) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *v = calloc(3 * count + 1, sizeof *v);
    if (v == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        v[3 * i] = x;
        v[3 * i + 1] = y;
    }
    const pbs_status status = pbs_body_set_velocities(world, body, v, count);
    free(v);
    return status;
}

/// Pins what is left of the vertices' middle.
static pbs_status pin_left(pbs_world *world, pbs_body body, double middle) {
    const double *x = pbs_body_positions(world, body);
    pbs_status status = PBS_OK;
    for (uint32_t i = 0; i < pbs_body_vertex_count(world, body) && status >= 0; i++) {
        if (x[3 * (size_t)i] < middle) {
            status = pbs_body_pin(world, body, &i, 1, PBS_AXIS_ALL);
            x = pbs_body_positions(world, body);
        }
    }
    return status;
}

// --- by projection ---

static pbs_status fill_drop(pbs_world *world) {
    return scene_fill(world, 0);
}

static pbs_status fill_springs(pbs_world *world) {
    return scene_fill(world, 1);
}

static pbs_status fill_bowl(pbs_world *world) {
    return scene_fill(world, 2);
}

static pbs_status fill_sheet(pbs_world *world) {
    return scene_fill(world, 3);
}

static pbs_status fill_stiff(pbs_world *world) {
    return scene_fill(world, 4);
}

static pbs_status fill_cantilever(pbs_world *world) {
    static const double corner[3] = {0.0, 0.0, 0.0};
    pbs_body body;
    const pbs_status status = cube_create(world, 6, 1.0, corner, NULL, &body);
    return status < 0 ? status : pin_left(world, body, 0.1);
}

/// Springs over a square whose corners are held.
static pbs_status add_net(pbs_world *world) {
    static const double positions[15] = {0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0.5, 1, 0.5};
    static const double masses[5] = {0.1, 0.1, 0.1, 0.1, 0.3};
    static const uint32_t springs[8] = {0, 4, 1, 4, 2, 4, 3, 4}, held[4] = {0, 1, 2, 3};
    static const double lengths[4] = {0.5, 0.6, 0.5, 0.6};
    pbs_springs_desc d;
    pbs_body body;
    pbs_status status = pbs_springs_desc_init(&d, sizeof d);
    d.vertex_count = 5;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = 4;
    d.springs = springs;
    d.rest_lengths = lengths;
    status = status < 0 ? status : pbs_body_create_springs(world, &d, &body);
    return status < 0 ? status : pbs_body_pin(world, body, held, 4, PBS_AXIS_ALL);
}

/// A sheet whose border at the least x is clamped, level, by its direction.
static pbs_status add_clamped_sheet(pbs_world *world) {
    enum { CELLS = 4 };
    static const double corner[3] = {2.0, 1.0, 0.0};
    uint32_t edges[2 * CELLS];
    double directions[3 * CELLS] = {0.0};
    struct sheet_mesh mesh;
    pbs_shell_desc d;
    pbs_body body;
    if (!sheet_mesh_make(&mesh, CELLS, 0.5, corner)) {
        return PBS_ERROR_MEMORY;
    }
    sheet_mesh_describe(&mesh, &d);
    for (uint32_t i = 0; i < CELLS; i++) {
        edges[2 * i] = i * (CELLS + 1);
        edges[2 * i + 1] = (i + 1) * (CELLS + 1);
        directions[3 * i] = -1.0;
    }
    d.young = 1e8;
    d.thickness = 5e-3;
    d.clamped_edge_count = CELLS;
    d.clamped_edges = edges;
    d.clamped_directions = directions;
    pbs_status status = pbs_body_create_shell(world, &d, &body);
    status = status < 0 ? status : pin_left(world, body, 2.05);
    sheet_mesh_free(&mesh);
    return status;
}

static pbs_status fill_clamped(pbs_world *world) {
    pbs_body body;
    pbs_status status = add_cube(world, PBS_MATERIAL_STABLE_NEO_HOOKEAN, 0.0, 0.0, 1e5, &body);
    status = status < 0 ? status : pin_left(world, body, -0.05);
    status = status < 0 ? status : add_sheet(world, 0.5, PBS_BENDING_HINGE, &body);
    status = status < 0 ? status : pin_left(world, body, -0.1);
    status = status < 0 ? status : add_net(world);
    return status < 0 ? status : add_clamped_sheet(world);
}

static pbs_status fill_materials(pbs_world *world) {
    pbs_status status = add_ground(world);
    for (int32_t material = 0; material <= PBS_MATERIAL_ST_VENANT_KIRCHHOFF && status >= 0;
         material++) {
        pbs_body body;
        status = add_cube(world, material, 0.02 * material, 0.01 + 0.21 * material, 1e5, &body);
        status = status < 0 ? status : throw_body(world, body, 0.3, -1.0);
    }
    return status;
}

// --- bonds ---

/// A block of body-centred cubic tetrahedra, a particle each, its lowest at y; strength: Pa, 0 for
/// bonds that hold.
static pbs_status add_bonded(pbs_world *world, double y, double strength, pbs_body *body) {
    static const size_t cells[3] = {2, 3, 2};
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    if (!cubic_tets_make(&mesh, cells, 0.05, 0.1)) {
        return PBS_ERROR_MEMORY;
    }
    positions_translate(mesh.vertices, mesh.vertex_count, 0.0, y, 0.0);
    pbs_status status = pbs_bonded_desc_init(&d, sizeof d);
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.macro_young = 1e7;
    d.macro_poisson = 0.25;
    d.tensile_strength = strength;
    d.shear_strength = 2.0 * strength;
    d.weibull_modulus = strength > 0.0 ? 10.0 : 0.0;
    d.seed = 3;
    status = status < 0 ? status : pbs_body_create_bonded(world, &d, body);
    cubic_tets_free(&mesh);
    return status;
}

static pbs_status add_peridynamic(pbs_world *world, int32_t dimension, const double box[6],
                                  double tensile_strength, pbs_body *body) {
    pbs_peridynamic_desc d;
    const pbs_status status = pbs_peridynamic_desc_init(&d, sizeof d);
    d.dimension = dimension;
    d.box = box;
    d.spacing = 0.05;
    d.section = dimension == PBS_PERIDYNAMIC_SOLID ? 0.0 : 0.01;
    d.young = 1e7;
    d.fracture_energy = 5.0;
    d.tensile_strength = tensile_strength;
    return status < 0 ? status : pbs_body_create_peridynamic(world, &d, body);
}

/// Bends and shears while it turns.
static pbs_status fill_bonded(pbs_world *world) {
    pbs_body body;
    pbs_status status = add_ground(world);
    status = status < 0 ? status : add_bonded(world, 0.02, 0.0, &body);
    status = status < 0 ? status : throw_body(world, body, 0.5, -1.0);
    const uint32_t held[2] = {0, 1};
    const double turned[8] = {0.0, 0.0, 0.28, 0.96, 0.0, 0.0, 0.28, 0.96};
    status = status < 0 ? status : pbs_body_pin(world, body, held, 2, PBS_AXIS_ALL);
    return status < 0 ? status : pbs_body_set_target_orientations(world, body, held, 2, turned);
}

static pbs_status fill_peridynamic(pbs_world *world) {
    static const double box[6] = {0.0, 0.01, 0.0, 0.25, 0.26, 0.2};
    pbs_body body;
    pbs_status status = add_ground(world);
    status = status < 0 ? status : add_peridynamic(world, PBS_PERIDYNAMIC_SOLID, box, 2e4, &body);
    return status < 0 ? status : throw_body(world, body, 0.0, -3.0);
}

static pbs_status fill_planes(pbs_world *world) {
    static const double plate[6] = {0.0, 0.1, 0.0, 0.5, 0.4, 0.0};
    static const double slice[6] = {1.0, 0.1, 0.0, 1.5, 0.4, 0.0};
    static const double bar[6] = {2.0, 0.1, 0.0, 3.0, 0.1, 0.0};
    static const double point[3] = {0.26, 0.3, 0.0}, normal[3] = {1.0, 0.0, 0.0};
    pbs_body body;
    pbs_status status = add_collider(world, PBS_SHAPE_SPHERE, 0.3, -0.25, 0.2);
    status = status < 0 ? status
                        : add_peridynamic(world, PBS_PERIDYNAMIC_PLANE_STRESS, plate, 0.0, &body);
    status = status < 0 ? status : pbs_body_cut_plane(world, body, point, normal, NULL);
    status = status < 0 ? status
                        : add_peridynamic(world, PBS_PERIDYNAMIC_PLANE_STRAIN, slice, 0.0, &body);
    status = status < 0 ? status : pin_left(world, body, 1.1);
    status = status < 0 ? status : add_peridynamic(world, PBS_PERIDYNAMIC_BAR, bar, 0.0, &body);
    return status < 0 ? status : throw_body(world, body, 1.0, 0.0);
}

/// Breaks where it lands.
static pbs_status fill_falling(pbs_world *world) {
    static const double box[6] = {0.5, 0.01, 0.0, 0.75, 0.21, 0.2};
    pbs_body body;
    pbs_status status = add_ground(world);
    status = status < 0 ? status : add_bonded(world, 0.01, 2e4, &body);
    status = status < 0 ? status : throw_body(world, body, 0.0, -5.0);
    status = status < 0 ? status : add_peridynamic(world, PBS_PERIDYNAMIC_SOLID, box, 0.0, &body);
    return status < 0 ? status : throw_body(world, body, 0.0, -5.0);
}

// --- by barriers ---

static pbs_status fill_pile(pbs_world *world) {
    pbs_body body;
    pbs_status status = add_ground(world);
    for (int i = 0; i < 3 && status >= 0; i++) {
        status = add_box(world, 0.03 * i, 0.09 + 0.15 * i, 0.1 * i, &body);
    }
    status = status < 0 ? status
                        : add_cube(world, PBS_MATERIAL_NEO_HOOKEAN, 0.32, 0.004, 1e5, &body);
    status = status < 0 ? status : throw_body(world, body, -0.5, -0.5);
    status = status < 0 ? status : add_sheet(world, 0.5, PBS_BENDING_PLATE, &body);
    return status < 0 ? status : throw_body(world, body, 0.0, -2.0);
}

/// A closed shell.
static pbs_status add_ball(pbs_world *world, double x, double velocity) {
    struct surface_mesh mesh;
    pbs_shell_desc d;
    pbs_body body;
    if (!surface_ball(0.1, 12, &mesh)) {
        return PBS_ERROR_MEMORY;
    }
    positions_translate(mesh.positions, mesh.vertex_count, x, 0.3, 0.0);
    pbs_status status = pbs_shell_desc_init(&d, sizeof d);
    d.vertex_count = mesh.vertex_count;
    d.positions = mesh.positions;
    d.triangle_count = mesh.triangle_count;
    d.triangles = mesh.triangles;
    d.young = 1e6;
    status = status < 0 ? status : pbs_body_create_shell(world, &d, &body);
    surface_mesh_free(&mesh);
    return status < 0 ? status : throw_body(world, body, velocity, 0.0);
}

static pbs_status fill_shells(pbs_world *world) {
    pbs_body body;
    pbs_status status = add_collider(world, PBS_SHAPE_SPHERE, 0.15, 0.0, 0.3);
    status = status < 0 ? status : add_sheet(world, 0.16, PBS_BENDING_HINGE, &body);
    status = status < 0 ? status : throw_body(world, body, 0.0, -1.0);
    status = status < 0 ? status : add_sheet(world, 0.17, PBS_BENDING_PLATE, &body);
    status = status < 0 ? status : add_ball(world, 0.5, 1.0);
    return status < 0 ? status : add_ball(world, 0.72, -1.0);
}

/// A solid whose left side is moved and whose right side a force pulls, and a box that is carried.
static pbs_status fill_scripted(pbs_world *world) {
    static const double to[3] = {0.0, 0.45, 0.0}, turned[4] = {0.0, 0.0, 0.28, 0.96};
    const uint32_t moved[2] = {0, 1}, guided[1] = {26};
    const double targets[6] = {-0.12, 0.02, -0.09, -0.12, 0.02, 0.01};
    double forces[81] = {0.0};
    pbs_body body;
    pbs_status status = add_ground(world);
    status = status < 0 ? status
                        : add_cube(world, PBS_MATERIAL_FIXED_COROTATED, 0.0, 0.01, 1e5, &body);
    for (int i = 54; i < 81; i += 3) {
        forces[i] = 2.0;
    }
    status = status < 0 ? status : pbs_body_set_targets(world, body, moved, 2, targets);
    status = status < 0 ? status : pbs_body_pin(world, body, guided, 1, PBS_AXIS_Z);
    status = status < 0 ? status : pbs_body_set_forces(world, body, forces, 27);
    status = status < 0 ? status : add_box(world, 0.0, 0.4, 0.5, &body);
    status = status < 0 ? status : pbs_body_set_target_pose(world, body, to, turned);
    return status < 0 ? status : add_box(world, 0.05, 0.56, 0.5, &body);
}

// --- by penalties between particles ---

static pbs_status fill_spheres(pbs_world *world) {
    static const double box[6] = {0.5, 0.01, 0.0, 0.7, 0.21, 0.2};
    pbs_contact_desc contact;
    pbs_body body;
    pbs_status status = add_ground(world);
    status = status < 0 ? status : add_bonded(world, 0.01, 2e4, &body);
    status = status < 0 ? status : pbs_contact_desc_init(&contact, sizeof contact);
    contact.friction = 0.4;
    contact.rolling_friction = 0.1;
    contact.spinning_friction = 0.1;
    status = status < 0 ? status : pbs_body_set_contact(world, body, &contact);
    status = status < 0 ? status : throw_body(world, body, 0.3, -5.0);
    status = status < 0 ? status : add_peridynamic(world, PBS_PERIDYNAMIC_SOLID, box, 0.0, &body);
    return status < 0 ? status : throw_body(world, body, 0.0, -5.0);
}

// --- the table ---

static const struct {
    const char *name;
    pbs_status (*fill)(pbs_world *world);
    int32_t contact, scheme;
} table[HASH_BODIES_COUNT] = {
    [HASH_DROP] = {"drop", fill_drop, PBS_CONTACT_PROJECTION, 0},
    [HASH_SPRINGS] = {"springs", fill_springs, PBS_CONTACT_PROJECTION, 0},
    [HASH_BOWL] = {"bowl", fill_bowl, PBS_CONTACT_PROJECTION, 0},
    [HASH_SHEET] = {"sheet", fill_sheet, PBS_CONTACT_PROJECTION, 0},
    [HASH_STIFF] = {"stiff", fill_stiff, PBS_CONTACT_PROJECTION, 0},
    [HASH_CANTILEVER] = {"cantilever", fill_cantilever, PBS_CONTACT_PROJECTION, 0},
    [HASH_CLAMPED] = {"clamped", fill_clamped, PBS_CONTACT_PROJECTION, 0},
    [HASH_MATERIALS] = {"materials", fill_materials, PBS_CONTACT_PROJECTION, 0},
    [HASH_BONDED] = {"bonded", fill_bonded, PBS_CONTACT_PROJECTION, 0},
    [HASH_PERIDYNAMIC] = {"peridynamic", fill_peridynamic, PBS_CONTACT_PROJECTION, 0},
    [HASH_PLANES] = {"planes", fill_planes, PBS_CONTACT_PROJECTION, 0},
    [HASH_PILE] = {"pile", fill_pile, PBS_CONTACT_BARRIER, 0},
    [HASH_SHELLS] = {"shells", fill_shells, PBS_CONTACT_BARRIER, 0},
    [HASH_SCRIPTED] = {"scripted", fill_scripted, PBS_CONTACT_BARRIER, 0},
    [HASH_FALLING] = {"falling", fill_falling, PBS_CONTACT_BARRIER, 0},
    [HASH_SPHERES] = {"spheres", fill_spheres, PBS_CONTACT_PENALTY, PBS_SCHEME_VELOCITY_VERLET},
};

const char *hash_bodies_name(enum hash_bodies bodies) {
    return table[bodies].name;
}

int32_t hash_bodies_contact(enum hash_bodies bodies) {
    return table[bodies].contact;
}

int32_t hash_bodies_scheme(enum hash_bodies bodies) {
    return table[bodies].scheme;
}

pbs_status hash_bodies_fill(enum hash_bodies bodies, pbs_world *world) {
    return table[bodies].fill(world);
}
