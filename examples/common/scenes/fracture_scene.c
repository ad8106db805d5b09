// See fracture_scene.h. BDEM gives neither sizes nor loads: counts of particles, moduli and steps
// are those of its table 1. A negative size is the one at which our stable step is that of the
// table, so that a frame is as many explicit steps as there.
// SPDX-License-Identifier: MIT

#include "common/scenes/fracture_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/meshes/shapes.h"

enum motion { MOTION_NONE, MOTION_STRETCH, MOTION_TWIST };

struct fracture_row {
    const char *name, *purpose;
    size_t cells[3];    ///< of the lattice, twelve particles each; 0: a mesh of the user's
    double stable_step; ///< s, of explicit steps in the paper
    double size;        ///< metres: of the largest side
    double young;       ///< Pa
    double step;        ///< s
    double strength;    ///< Pa, in tension and shear, of a material of that modulus; 0: bonds never
                        ///< break
    double speed;       ///< m/s
    enum motion motion;
    bool is_held[2]; ///< the ends at the lower and upper x
    bool drops, is_hit;
};

// Cells per side so that twelve each make 31, 17, 16, 121, 65 and 623 thousand.
static const struct fracture_row rows[] = {
    {.name = "stretch",
     .purpose = "a beam is pulled to 1.5 times its length",
     .cells = {21, 11, 11},
     .stable_step = 3.0e-6,
     .size = 1.0,
     .young = 1e7,
     .step = 0.016,
     .is_held = {true, true},
     .motion = MOTION_STRETCH},
    {.name = "twist",
     .purpose = "a beam is twisted by three degrees a frame",
     .cells = {18, 9, 9},
     .stable_step = 2.5e-6,
     .size = 1.0,
     .young = 1e7,
     .step = 0.016,
     .is_held = {true, true},
     .motion = MOTION_TWIST},
    {.name = "drape",
     .purpose = "a stiff beam held at one end",
     .cells = {37, 6, 6},
     .stable_step = 4.1e-7,
     .size = 10.0,
     .young = 1e9,
     .step = 0.016,
     .is_held = {true, false}},
    {.name = "soft-drape",
     .purpose = "a soft beam held at one end",
     .cells = {70, 12, 12},
     .stable_step = 6.4e-6,
     .size = 1.0,
     .young = 1e6,
     .step = 0.016,
     .is_held = {true, false}},
    {.name = "chocolate",
     .purpose = "a bar falls on its edge and breaks",
     .cells = {30, 6, 30},
     .stable_step = 4.4e-8,
     .size = 0.15,
     .young = 1e9,
     .step = 0.002,
     .drops = true,
     .strength = 1e6,
     .speed = 3.0},
    {.name = "plate",
     .purpose = "a thin plate of plaster falls and breaks",
     .cells = {114, 4, 114},
     .stable_step = 2.7e-8,
     .size = 0.5,
     .young = 1e9,
     .step = 0.002,
     .drops = true,
     .strength = 2e6,
     .speed = 3.0},
    {.name = "wall",
     .purpose = "a ball is thrown through a wall of aerated concrete",
     .cells = {6, 24, 36},
     .size = 1.0,
     .young = 1.5e9,
     .step = 0.004,
     .is_hit = true,
     .strength = 5e5,
     .speed = 5.0},
    {.name = "drop",
     .purpose = "a mesh of your own, of plaster, falls and breaks (--mesh)",
     .young = 1e9,
     .step = 0.004,
     .drops = true,
     .strength = 2e6,
     .speed = 4.0},
};

enum { ROWS = sizeof rows / sizeof *rows };

static const double DENSITY = 1000.0, GRAVITY = 9.81;

const char *fracture_scene_name(size_t index) {
    return index < ROWS ? rows[index].name : NULL;
}

const char *fracture_scene_purpose(size_t index) {
    return index < ROWS ? rows[index].purpose : NULL;
}

static const struct fracture_row *find_row(const char *name) {
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static double given_or(double given, double own) {
    return given != 0.0 ? given : own;
}

// --- meshes ---

static bool copy_mesh(const struct tet_mesh *mesh, struct tet_mesh *out) {
    return tet_mesh_append(out, mesh);
}

/// Table 1's stable step over the cell is 0.194 sqrt(density / young).
static bool make_box(const struct fracture_row *row, const struct fracture_setup *setup,
                     struct tet_mesh *out) {
    const double finer = cbrt(given_or(setup->detail, 1.0));
    size_t cells[3];
    size_t most = 0, largest = 0;
    for (size_t k = 0; k < 3; k++) {
        cells[k] = (size_t)fmax(2.0, round(finer * (double)row->cells[k]));
        most = row->cells[k] > most ? row->cells[k] : most;
        largest = cells[k] > largest ? cells[k] : largest;
    }
    const double tables = row->stable_step / (0.194 * sqrt(DENSITY / row->young)) * (double)most;
    const double size = setup->size < 0.0 ? tables : given_or(setup->size, row->size);
    return shape_box_lattice(cells, size / (double)largest, 0.15, setup->seed, out);
}

static double largest_side(const struct tet_mesh *mesh) {
    double lower[3], upper[3];
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    return fmax(upper[0] - lower[0], fmax(upper[1] - lower[1], upper[2] - lower[2]));
}

/// Its lowest point a hundredth of its size above the ground, the middle above the origin.
static void place_mesh(struct fracture_scene *s) {
    static const double z_axis[3] = {0.0, 0.0, 1.0};
    struct tet_mesh *mesh = &s->mesh;
    double lower[3], upper[3];
    if (s->row->drops && s->row->cells[0] > 0) {
        positions_rotate(mesh->positions, mesh->vertex_count, z_axis, 0.5);
    }
    positions_bounds(mesh->positions, mesh->vertex_count, lower, upper);
    positions_translate(mesh->positions, mesh->vertex_count, -0.5 * (lower[0] + upper[0]),
                        0.01 * s->size - lower[1], -0.5 * (lower[2] + upper[2]));
}

static bool make_mesh(const struct fracture_setup *setup, struct fracture_scene *s,
                      struct message *message) {
    const bool own = s->row->cells[0] == 0;
    if (own && (setup->mesh == NULL || setup->mesh->tet_count == 0)) {
        return message_fail(message, "the scene \"%s\" needs a mesh", s->row->name);
    }
    if (!(own ? copy_mesh(setup->mesh, &s->mesh) && tet_mesh_jitter(&s->mesh, 0.15, setup->seed)
              : make_box(s->row, setup, &s->mesh))) {
        return message_fail(message, "out of memory for the mesh");
    }
    s->size = largest_side(&s->mesh);
    if (own && setup->size > 0.0) {
        positions_scale(s->mesh.positions, s->mesh.vertex_count, setup->size / s->size);
        s->size = setup->size;
    }
    place_mesh(s);
    return true;
}

// --- worlds ---

static pbs_status make_world(const struct fracture_setup *setup, struct fracture_scene *s) {
    pbs_world_desc world;
    pbs_integrator_desc choice;
    pbs_integrator *integrator = NULL;
    pbs_status status = pbs_world_desc_init(&world, sizeof world);
    world.threads = setup->threads;
    // A frame is longer than a wave takes through what is hit, which would not break then.
    world.impact_steps = 2;
    world.gravity[1] = s->row->motion == MOTION_NONE ? -GRAVITY : 0.0;
    // Beams touch nothing.
    const bool touches = s->row->drops || s->row->is_hit;
    world.contact = !touches                                      ? PBS_CONTACT_PROJECTION
                    : setup->scheme == PBS_SCHEME_VELOCITY_VERLET ? PBS_CONTACT_PENALTY
                                                                  : PBS_CONTACT_BARRIER;
    status = status >= 0 ? pbs_world_create(&world, &s->world) : status;
    status = status >= 0 ? pbs_integrator_desc_init(&choice, sizeof choice, setup->scheme) : status;
    status = status >= 0 ? pbs_integrator_create(&choice, &integrator) : status;
    status = status >= 0 ? pbs_world_set_integrator(s->world, integrator) : status;
    pbs_integrator_destroy(integrator);
    return status;
}

static pbs_status add_body(const struct fracture_setup *setup, struct fracture_scene *s) {
    const struct fracture_row *row = s->row;
    const size_t count = s->mesh.tet_count;
    const double speed = given_or(setup->speed, row->speed);
    const double strength = given_or(setup->strength, row->strength);
    pbs_bonded_desc d;
    pbs_bonded_desc_init(&d, sizeof d);
    d.vertex_count = s->mesh.vertex_count;
    d.vertices = s->mesh.positions;
    d.tet_count = count;
    d.tets = s->mesh.tets;
    d.density = DENSITY;
    d.young = s->young;
    d.shear_modulus = 0.4 * s->young;
    d.tensile_strength = fmax(0.0, strength);
    d.shear_strength = fmax(0.0, strength);
    d.weibull_modulus = strength > 0.0 ? 10.0 : 0.0;
    d.seed = setup->seed;
    double *velocities = calloc(3 * count + 1, sizeof *velocities);
    if (velocities == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count && row->drops; i++) {
        velocities[3 * i + 1] = -speed;
    }
    d.velocities = velocities;
    const pbs_status status = pbs_body_create_bonded(s->world, &d, &s->body);
    free(velocities);
    return status;
}

static pbs_status add_ground(struct fracture_scene *s) {
    pbs_collider_desc d;
    pbs_collider ground;
    pbs_collider_desc_init(&d, sizeof d);
    d.shape = PBS_SHAPE_HALF_SPACE;
    s->has_ground = true;
    return pbs_collider_create(s->world, &d, &ground);
}

/// As large as a quarter of the wall's height, on its way to the middle.
static pbs_status add_ball(const struct fracture_setup *setup, struct fracture_scene *s) {
    const double radius = 0.12 * s->size;
    struct surface_mesh ball = {0};
    pbs_affine_desc d;
    if (!surface_ball(radius, 20, &ball)) {
        return PBS_ERROR_MEMORY;
    }
    pbs_affine_desc_init(&d, sizeof d);
    d.vertex_count = ball.vertex_count;
    d.positions = ball.positions;
    d.triangle_count = ball.triangle_count;
    d.triangles = ball.triangles;
    d.density = 3.0 * DENSITY;
    d.position[0] = -0.35 * s->size;
    d.position[1] = 0.35 * s->size;
    d.velocity[0] = given_or(setup->speed, s->row->speed);
    const pbs_status status = pbs_body_create_affine(s->world, &d, &s->ball);
    surface_mesh_free(&ball);
    return status;
}

// --- what is held ---

static bool list_ends(struct fracture_scene *s) {
    const size_t count = pbs_body_vertex_count(s->world, s->body);
    double lower[3], upper[3];
    s->rest = malloc((3 * count + 1) * sizeof *s->rest);
    s->ends[0] = malloc((count + 1) * sizeof *s->ends[0]);
    s->ends[1] = malloc((count + 1) * sizeof *s->ends[1]);
    if (s->rest == NULL || s->ends[0] == NULL || s->ends[1] == NULL) {
        return false;
    }
    memcpy(s->rest, pbs_body_positions(s->world, s->body), 3 * count * sizeof *s->rest);
    positions_bounds(s->mesh.positions, s->mesh.vertex_count, lower, upper);
    s->middle = 0.5 * (lower[1] + upper[1]);
    const double reach = 0.6 * cbrt(12.0 * tet_mesh_volume(&s->mesh) / (double)count);
    for (uint32_t i = 0; i < count; i++) {
        const double x = s->rest[3 * (size_t)i];
        if (s->row->is_held[0] && x < lower[0] + reach) {
            s->ends[0][s->end_count[0]++] = i;
        } else if (s->row->is_held[1] && x > upper[0] - reach) {
            s->ends[1][s->end_count[1]++] = i;
        }
    }
    return true;
}

static pbs_status hold_ends(struct fracture_scene *s) {
    pbs_status status = PBS_OK;
    for (int end = 0; end < 2 && status >= 0; end++) {
        status = pbs_body_pin(s->world, s->body, s->ends[end], s->end_count[end], PBS_AXIS_ALL);
        if (status >= 0) {
            status = pbs_body_pin_orientations(s->world, s->body, s->ends[end], s->end_count[end]);
        }
    }
    return status;
}

/// At one end, after `frames` steps: stretched by 0.8 % of the length a frame, until 1.5 times it
/// is reached; turned by 0.025 rad a frame against the other end.
static pbs_status move_end(struct fracture_scene *s, int end, double frames) {
    const double side = end == 0 ? -0.5 : 0.5;
    const double shift = s->row->motion == MOTION_STRETCH
                             ? side * s->size * fmin(0.008 * frames, 0.5)
                             : 0.0;
    const double angle = s->row->motion == MOTION_TWIST ? side * 0.05 * frames : 0.0;
    const double turn[4] = {sin(0.5 * angle), 0.0, 0.0, cos(0.5 * angle)};
    pbs_status status = PBS_OK;
    for (size_t i = 0; i < s->end_count[end] && status >= 0; i++) {
        const uint32_t particle = s->ends[end][i];
        const double *rest = s->rest + 3 * (size_t)particle;
        const double y = rest[1] - s->middle, z = rest[2];
        const double place[3] = {rest[0] + shift, s->middle + cos(angle) * y - sin(angle) * z,
                                 sin(angle) * y + cos(angle) * z};
        status = pbs_body_set_targets(s->world, s->body, &particle, 1, place);
        if (status >= 0 && angle != 0.0) {
            status = pbs_body_set_target_orientations(s->world, s->body, &particle, 1, turn);
        }
    }
    return status;
}

// --- scenes ---

static pbs_status fill_world(const struct fracture_setup *setup, struct fracture_scene *s) {
    const struct fracture_row *row = s->row;
    pbs_status status = make_world(setup, s);
    status = status >= 0 ? add_body(setup, s) : status;
    if (status >= 0 && (row->drops || row->is_hit)) {
        status = add_ground(s);
    }
    if (status >= 0 && row->is_hit) {
        status = add_ball(setup, s);
    }
    if (status >= 0 && (row->is_held[0] || row->is_held[1])) {
        status = list_ends(s) ? hold_ends(s) : PBS_ERROR_MEMORY;
    }
    return status;
}

bool fracture_scene_make(const struct fracture_setup *setup, struct fracture_scene *out,
                         struct message *message) {
    *out = (struct fracture_scene){.row = find_row(setup->scene)};
    if (out->row == NULL) {
        return message_fail(message, "there is no scene \"%s\"", setup->scene);
    }
    out->young = given_or(setup->young, out->row->young);
    out->step = given_or(setup->step, out->row->step);
    if (!make_mesh(setup, out, message)) {
        return false;
    }
    return fill_world(setup, out) >= 0 || message_fail(message, "%s", pbs_last_error());
}

void fracture_scene_free(struct fracture_scene *scene) {
    pbs_world_destroy(scene->world);
    tet_mesh_free(&scene->mesh);
    free(scene->rest);
    free(scene->ends[0]);
    free(scene->ends[1]);
    *scene = (struct fracture_scene){0};
}

pbs_status fracture_scene_step(struct fracture_scene *s) {
    const double frames = round(pbs_world_time(s->world) / s->step) + 1.0;
    for (int end = 0; end < 2 && s->row->motion != MOTION_NONE; end++) {
        const pbs_status status = move_end(s, end, frames);
        if (status < 0) {
            return status;
        }
    }
    return pbs_world_step(s->world, s->step);
}
