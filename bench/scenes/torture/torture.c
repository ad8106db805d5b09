// The rows of torture.h, and functions to run them.
// SPDX-License-Identifier: MIT
#include "scenes/torture/torture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"
#include "scenes/torture/torture_parts.h"

static const double GRAVITY = 9.8;
static const double UNIT = 0.05; // m, unit of the sharp meshes
static const double PI = 3.14159265358979323846;
static const double UP[3] = {0.0, 1.0, 0.0};
static const double ALONG_Z[3] = {0.0, 0.0, 1.0};

void torture_options_init(struct torture_options *options) {
    *options = (struct torture_options){.step = 0.01, .thickness = 1e-3};
    options->scheme = PBS_SCHEME_IMPLICIT_EULER;
    pbs_world_desc_init(&options->world, sizeof options->world);
    options->world.contact = PBS_CONTACT_BARRIER;
    options->world.contact_distance = 1e-3;
    options->world.contact_stiffness = 1e5;
    options->world.slip_velocity = 1e-2;
    options->world.velocity_tolerance = 0.01;
    options->world.divisions = 0;
}

// --- twists ---

static void no_gravity(struct torture *s) {
    torture_note(s, pbs_world_set_gravity(s->world, (double[]){0.0, 0.0, 0.0}));
}

/// Twists both ends about x in opposite directions; the speed is that at distance `radius` from the
/// axis.
static void twist(struct torture *s, struct tet_mesh *mesh, double depth, double radius) {
    const struct torture_matter matter = {.young = 2e4};
    no_gravity(s);
    const pbs_body body = torture_add_solid(s, mesh, TORTURE_SOFT, &matter);
    torture_turn_end(s, body, 1, depth, s->speed / radius);
    torture_turn_end(s, body, -1, depth, -s->speed / radius);
    tet_mesh_free(mesh);
}

static void fill_mat_twist(struct torture *s) {
    struct tet_mesh mesh;
    if (torture_load(s, "mat_2k", &mesh)) {
        torture_fit(mesh.positions, mesh.vertex_count, 0.3);
    } else {
        const size_t n = s->options.full ? 16 : 6;
        if (!torture_made(s, shape_box_grid(n, 1, n, 0.3, 0.008, 0.3, &mesh))) {
            return;
        }
    }
    twist(s, &mesh, 0.005, 0.15);
}

static void fill_rod_twist(struct torture *s) {
    struct tet_mesh mesh;
    if (torture_load(s, "rod_2k", &mesh)) {
        torture_fit(mesh.positions, mesh.vertex_count, 0.5);
    } else if (!torture_made(
                   s, shape_box_grid(s->options.full ? 25 : 12, 2, 2, 0.5, 0.02, 0.02, &mesh))) {
        return;
    }
    twist(s, &mesh, 0.005, 0.01);
}

// --- squeezes ---

/// Creates a ball of 10 cm at the origin.
static bool ball(struct torture *s, struct tet_mesh *out) {
    if (torture_load(s, "sphere_7k", out)) {
        torture_fit(out->positions, out->vertex_count, 0.1);
        return true;
    }
    return torture_made(s, shape_ball(0.05, s->options.full ? 0.01 : 0.02, out));
}

/// A piston pushes a ball through a ring two thirds as wide.
static void fill_ring_squeeze(struct torture *s) {
    const struct torture_matter matter = {.young = 5e4, .friction = 0.1};
    struct tet_mesh mesh = {0}, ring = {0};
    struct surface_mesh rim = {0}, piston = {0};
    no_gravity(s);
    if (ball(s, &mesh)) {
        torture_stand(mesh.positions, mesh.vertex_count, 0.0, 0.0, 0.0);
        torture_add_solid(s, &mesh, TORTURE_SOFT, &matter);
    }
    if (torture_made(s, shape_torus(0.045, 0.01, 0.008, &ring) && torture_boundary(&ring, &rim))) {
        torture_add_obstacle(s, &rim, NULL, 0.1);
    }
    if (torture_made(s, surface_cylinder(0.02, 0.04, 16, &piston))) {
        const double above[3] = {0.0, 0.15, 0.0};
        const pbs_collider id = torture_add_obstacle(s, &piston, above, 0.1);
        torture_move_collider(s, id, (double[]){0.0, -s->speed, 0.0}, 0.22, UP, 0.0);
    }
    tet_mesh_free(&mesh);
    tet_mesh_free(&ring);
    surface_mesh_free(&rim);
    surface_mesh_free(&piston);
}

/// Two rough rollers draw a ball into a gap of a third of its width.
static void fill_rollers(struct torture *s) {
    static const double x_axis[3] = {1.0, 0.0, 0.0}, still[3] = {0.0, 0.0, 0.0};
    const struct torture_matter matter = {.young = 5e4, .friction = 0.8};
    struct tet_mesh mesh = {0};
    struct surface_mesh roller = {0};
    if (ball(s, &mesh)) {
        torture_stand(mesh.positions, mesh.vertex_count, 0.0, 0.0, 0.0);
        torture_add_solid(s, &mesh, TORTURE_SOFT, &matter);
    }
    if (torture_made(s, surface_cylinder(0.05, 0.2, s->options.full ? 48 : 24, &roller))) {
        positions_rotate(roller.positions, roller.vertex_count, x_axis, 0.5 * PI);
        for (int side = -1; side <= 1; side += 2) {
            const double place[3] = {0.067 * side, -0.03, 0.0};
            const pbs_collider id = torture_add_obstacle(s, &roller, place, 0.8);
            torture_move_collider(s, id, still, 0.0, ALONG_Z, side * s->speed / 0.05);
        }
    }
    tet_mesh_free(&mesh);
    surface_mesh_free(&roller);
}

/// Adds one plate above and one below, 6.3 cm from the origin, which move towards each other by
/// `travel` m each.
static void add_plates(struct torture *s, double travel) {
    struct surface_mesh plate = {0};
    if (torture_made(s, surface_box(0.4, 0.02, 0.4, &plate))) {
        torture_stand(plate.positions, plate.vertex_count, 0.0, -0.01, 0.0);
        for (int side = -1; side <= 1; side += 2) {
            const double place[3] = {0.0, 0.063 * side, 0.0};
            const pbs_collider id = torture_add_obstacle(s, &plate, place, 0.3);
            torture_move_collider(s, id, (double[]){0.0, -side * s->speed, 0.0}, travel, UP, 0.0);
        }
    }
    surface_mesh_free(&plate);
}

/// Two plates compress a soft cube to half its height at the given speed.
static void fill_press(struct torture *s) {
    const struct torture_matter matter = {.young = 1e5, .friction = 0.3};
    struct tet_mesh cube = {0};
    no_gravity(s);
    if (torture_made(s, shape_cube_grid(s->options.full ? 6 : 3, &cube))) {
        positions_scale(cube.positions, cube.vertex_count, 0.1);
        torture_stand(cube.positions, cube.vertex_count, 0.0, -0.05, 0.0);
        torture_add_solid(s, &cube, TORTURE_SOFT, &matter);
    }
    add_plates(s, 0.028);
    tet_mesh_free(&cube);
}

/// Two plates with a stiff cube between them pass through one another, which must end in a failed
/// step with any method.
static void fill_crush(struct torture *s) {
    const struct torture_matter matter = {.friction = 0.3};
    struct tet_mesh cube = {0};
    no_gravity(s);
    if (torture_made(s, shape_cube_grid(1, &cube))) {
        positions_scale(cube.positions, cube.vertex_count, 0.1);
        torture_stand(cube.positions, cube.vertex_count, 0.0, -0.05, 0.0);
        torture_add_solid(s, &cube, TORTURE_AFFINE, &matter);
    }
    add_plates(s, 0.1);
    tet_mesh_free(&cube);
}

/// An affine plate with prescribed motion pushes a body over 1 m against a wall, with two others in
/// between.
static void fill_ram(struct torture *s) {
    const struct torture_matter matter = {.young = 1e5, .friction = 0.3};
    struct tet_mesh cube = {0}, plate = {0};
    no_gravity(s);
    if (torture_made(s, shape_cube_grid(2, &cube))) {
        positions_scale(cube.positions, cube.vertex_count, 0.1);
        for (int i = 0; i < 3; i++) {
            torture_stand(cube.positions, cube.vertex_count, 0.2 * i, 0.01 * i, 0.02 * i);
            torture_add_solid(s, &cube, i == 1 ? TORTURE_AFFINE : TORTURE_SOFT, &matter);
        }
    }
    if (torture_made(s, shape_box_grid(1, 1, 1, 0.02, 0.4, 0.4, &plate))) {
        torture_stand(plate.positions, plate.vertex_count, -0.1, -0.15, 0.0);
        const pbs_body ram = torture_add_solid(s, &plate, TORTURE_AFFINE, &matter);
        // The three bodies together are 30 cm long; slightly more space is left at the end.
        torture_move_affine(s, ram, (double[]){s->speed, 0.0, 0.0}, 0.75);
    }
    torture_add_plane(s, (double[]){1.0, 0.0, 0.0}, (double[]){-1.0, 0.0, 0.0}, 0.3);
    tet_mesh_free(&cube);
    tet_mesh_free(&plate);
}

// --- piles ---

/// Creates a bed of side x side pyramids, three times as high as wide, with the apices up at y = 0.
static bool spikes(size_t side, double width, struct surface_mesh *out) {
    static const double corners[5][3] = {{-0.5, -3.0, -0.5},
                                         {-0.5, -3.0, 0.5},
                                         {0.5, -3.0, 0.5},
                                         {0.5, -3.0, -0.5},
                                         {0.0, 0.0, 0.0}};
    static const uint32_t faces[6][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4},
                                         {3, 0, 4}, {0, 2, 1}, {0, 3, 2}};
    *out = (struct surface_mesh){.vertex_count = 5 * side * side,
                                 .triangle_count = 6 * side * side};
    out->positions = malloc(3 * out->vertex_count * sizeof *out->positions);
    out->triangles = malloc(3 * out->triangle_count * sizeof *out->triangles);
    if (out->positions == NULL || out->triangles == NULL) {
        surface_mesh_free(out);
        return false;
    }
    for (size_t i = 0; i < side * side; i++) {
        // The pyramids are slightly apart, so that they can be told apart in pictures.
        const double place[3] = {(double)(i % side) - 0.5 * (double)(side - 1), 0.0,
                                 (double)(i / side) - 0.5 * (double)(side - 1)};
        for (size_t k = 0; k < 15; k++) {
            out->positions[15 * i + k] = width * (corners[k / 3][k % 3] + 1.01 * place[k % 3]);
        }
        for (size_t k = 0; k < 18; k++) {
            out->triangles[18 * i + k] = (uint32_t)(5 * i) + faces[k / 3][k % 3];
        }
    }
    return true;
}

static void add_spikes(struct torture *s) {
    struct surface_mesh bed = {0};
    if (torture_made(s, spikes(s->options.full ? 7 : 5, 0.03, &bed))) {
        torture_add_obstacle(s, &bed, NULL, 0.2);
    }
    surface_mesh_free(&bed);
}

static void drop_ball(struct torture *s, enum torture_kind kind, double height) {
    const struct torture_matter matter = {
        .young = 1e5, .friction = 0.2, .velocity = {0.0, -s->speed, 0.0}};
    struct tet_mesh mesh = {0};
    if (ball(s, &mesh)) {
        torture_stand(mesh.positions, mesh.vertex_count, 0.0, height, 0.0);
        torture_add_solid(s, &mesh, kind, &matter);
    }
    tet_mesh_free(&mesh);
}

static void fill_spikes(struct torture *s) {
    add_spikes(s);
    drop_ball(s, s->row->kind, 0.005);
}

/// A tower onto which its uppermost body is thrown. Mixed: every other body is affine.
static void fill_stack(struct torture *s) {
    const int count = s->options.full ? 10 : 4;
    struct tet_mesh cube = {0};
    torture_add_plane(s, (double[]){0.0, 0.0, 0.0}, UP, 0.4);
    if (torture_made(s, shape_cube_grid(2, &cube))) {
        positions_scale(cube.positions, cube.vertex_count, 0.1);
        for (int i = 0; i < count; i++) {
            struct torture_matter matter = {.young = 1e5, .friction = 0.4};
            matter.velocity[1] = i == count - 1 ? -s->speed : 0.0;
            torture_stand(cube.positions, cube.vertex_count, 0.0, 0.0015 + 0.102 * i, 0.0);
            torture_add_solid(s, &cube, i % 2 == 0 ? TORTURE_AFFINE : s->row->kind, &matter);
        }
    }
    tet_mesh_free(&cube);
}

/// Adds a ground, and walls around a square with the given half width.
static void add_room(struct torture *s, double half) {
    static const double axes[4][3] = {
        {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}};
    torture_add_plane(s, (double[]){0.0, 0.0, 0.0}, UP, 0.3);
    for (int i = 0; i < 4; i++) {
        const double origin[3] = {-half * axes[i][0], 0.0, -half * axes[i][2]};
        torture_add_plane(s, origin, axes[i], 0.3);
    }
}

/// Layers of bodies of 8 cm with different orientations fall into a narrow room.
static void rain(struct torture *s, const struct tet_mesh *mesh, size_t count) {
    const struct torture_matter matter = {
        .young = 2e5, .friction = 0.3, .velocity = {0.0, -s->speed, 0.0}};
    const size_t side = 2;
    const double pitch = 0.084;
    add_room(s, 0.5 * pitch * (double)side + 0.01);
    for (size_t i = 0; i < count && s->status >= 0; i++) {
        struct tet_mesh copy = {0};
        if (torture_made(s, tet_mesh_append(&copy, mesh))) {
            const double axis[3] = {1.0, 0.3 * (double)(i % 3), 0.4 * (double)(i % 5) - 0.5};
            positions_rotate(copy.positions, copy.vertex_count, axis, 0.7 * (double)i);
            const size_t layer = i / (side * side);
            const double column = (double)(i % side) - 0.5 * (double)(side - 1);
            const double row = (double)(i / side % side) - 0.5 * (double)(side - 1);
            torture_stand(copy.positions, copy.vertex_count, pitch * column,
                          0.01 + 0.084 * (double)layer, pitch * row);
            torture_add_solid(s, &copy, s->row->kind, &matter);
        }
        tet_mesh_free(&copy);
    }
}

static void fill_rings(struct torture *s) {
    struct tet_mesh mesh;
    if (torture_load(s, "ring_1k", &mesh) ||
        torture_made(s, shape_torus(0.5, 0.12, s->options.full ? 0.09 : 0.15, &mesh))) {
        torture_fit(mesh.positions, mesh.vertex_count, 0.08);
        rain(s, &mesh, s->options.full ? 12 : 6);
        tet_mesh_free(&mesh);
    }
}

/// Creates a chain link, 8 cm long, around x.
static bool link(struct torture *s, struct tet_mesh *out) {
    return torture_made(s,
                        shape_chain_link(0.02, 0.03, 0.005, s->options.full ? 0.006 : 0.008, out));
}

static void fill_links(struct torture *s) {
    struct tet_mesh mesh;
    if (link(s, &mesh)) {
        rain(s, &mesh, s->options.full ? 12 : 6);
        tet_mesh_free(&mesh);
    }
}

/// Adds a square of cloth, 7 cm wide, in the pose of the i-th body of `rain`.
static void add_patch(struct torture *s, const struct torture_matter *matter, size_t i,
                      const double place[3]) {
    const size_t cells = s->options.full ? 6 : 3;
    struct surface_mesh patch = {0};
    if (torture_made(s, surface_sheet(cells, cells, 0.07, 0.07, &patch))) {
        positions_rotate(patch.positions, patch.vertex_count, ALONG_Z, 0.3 * (double)i);
        torture_stand(patch.positions, patch.vertex_count, place[0], place[1], place[2]);
        torture_add_shell(s, &patch, matter);
    }
    surface_mesh_free(&patch);
}

/// Affine rings, soft cubes and cloth fall alternately into a narrow room.
static void fill_mixed(struct torture *s) {
    const struct torture_matter matter = {
        .young = 2e5, .friction = 0.3, .velocity = {0.0, -s->speed, 0.0}};
    const size_t count = s->options.full ? 18 : 6;
    struct tet_mesh ring = {0}, cube = {0};
    add_room(s, 0.1);
    if (torture_made(s, shape_torus(0.5, 0.15, 0.15, &ring) && shape_cube_grid(2, &cube))) {
        torture_fit(ring.positions, ring.vertex_count, 0.07);
        torture_fit(cube.positions, cube.vertex_count, 0.05);
    }
    for (size_t i = 0; i < count && s->status >= 0; i++) {
        const double place[3] = {i % 2 == 0 ? -0.045 : 0.045, 0.01 + 0.084 * (double)(i / 4),
                                 i / 2 % 2 == 0 ? -0.045 : 0.045};
        if (i % 3 == 2) {
            add_patch(s, &matter, i, place);
        } else {
            struct tet_mesh *const mesh = i % 3 == 0 ? &ring : &cube;
            torture_stand(mesh->positions, mesh->vertex_count, place[0], place[1], place[2]);
            torture_add_solid(s, mesh, i % 3 == 0 ? TORTURE_AFFINE : TORTURE_SOFT, &matter);
        }
    }
    tet_mesh_free(&ring);
    tet_mesh_free(&cube);
}

/// A chain hangs from its first link; the last link is thrown down.
static void fill_chain(struct torture *s) {
    const size_t count = s->options.full ? 12 : 4;
    struct tet_mesh mesh = {0};
    if (!link(s, &mesh)) {
        return;
    }
    positions_rotate(mesh.positions, mesh.vertex_count, ALONG_Z, 0.5 * PI);
    for (size_t i = 0; i < count && s->status >= 0; i++) {
        struct torture_matter matter = {.young = 1e6, .friction = 0.3};
        matter.velocity[1] = i == count - 1 ? -s->speed : 0.0;
        // The gap between the tubes of adjacent links is 1.5 mm.
        positions_translate(mesh.positions, mesh.vertex_count, 0.0, i > 0 ? -0.0585 : 0.0, 0.0);
        positions_rotate(mesh.positions, mesh.vertex_count, UP, 0.5 * PI);
        const pbs_body id = torture_add_solid(s, &mesh, s->row->kind, &matter);
        if (i == 0 && s->status >= 0) {
            torture_note(s, pbs_body_pin_all(s->world, id));
        }
    }
    tet_mesh_free(&mesh);
}

// --- cloth ---

/// Adds a square sheet of 30 cm in the plane of the given y.
static void add_cloth(struct torture *s, double y, double speed) {
    const struct torture_matter matter = {
        .young = 1e5, .friction = 0.3, .velocity = {0.0, -speed, 0.0}};
    const size_t cells = s->options.full ? 24 : 10;
    struct surface_mesh sheet = {0};
    if (torture_made(s, surface_sheet(cells, cells, 0.3, 0.3, &sheet))) {
        torture_stand(sheet.positions, sheet.vertex_count, 0.013, y, 0.007);
        torture_add_shell(s, &sheet, &matter);
    }
    surface_mesh_free(&sheet);
}

/// Returns the smallest initial distance between the mid-surfaces of two sheets, or of a sheet and
/// another surface.
static double room_for_cloth(const struct torture *s) {
    return s->options.thickness + 1.5 * s->options.world.contact_distance;
}

static void fill_cloth_on_spikes(struct torture *s) {
    add_spikes(s);
    add_cloth(s, room_for_cloth(s), s->speed);
}

static void fill_cloth_between(struct torture *s) {
    add_spikes(s);
    add_cloth(s, room_for_cloth(s), 0.0);
    drop_ball(s, TORTURE_AFFINE, 0.01 + 2.0 * room_for_cloth(s));
}

static void fill_cloth_layers(struct torture *s) {
    struct surface_mesh box = {0};
    if (torture_made(s, surface_box(0.1, 0.1, 0.1, &box))) {
        torture_stand(box.positions, box.vertex_count, 0.0, -0.1, 0.0);
        torture_add_obstacle(s, &box, NULL, 0.3);
    }
    surface_mesh_free(&box);
    torture_add_plane(s, (double[]){0.0, -0.1, 0.0}, UP, 0.3);
    const int count = s->options.full ? 4 : 2;
    for (int i = 0; i < count; i++) {
        add_cloth(s, room_for_cloth(s) * (i + 1), s->speed);
    }
}

// --- sharp ---

static bool read_sharp(const struct torture_options *o, const char *name, const char *kind,
                       char *path, size_t size) {
    snprintf(path, size, "%s/%s.%s", o->meshes != NULL ? o->meshes : "", name, kind);
    FILE *const file = fopen(path, "r");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

/// Loads the body's mesh and turns it upside down, as its tip points up; a cube if the row names no
/// mesh.
static bool sharp_body(struct torture *s, struct tet_mesh *out) {
    char path[512];
    struct mesh_report report;
    *out = (struct tet_mesh){0};
    if (s->row->body == NULL) {
        return torture_made(s, shape_cube_grid(2, out));
    }
    if (!torture_made(s, read_sharp(&s->options, s->row->body, "msh", path, sizeof path) &&
                             mesh_read_tets(path, NULL, out, &report))) {
        return false;
    }
    for (size_t v = 0; v < out->vertex_count; v++) {
        // Rotate by 180 degrees about x, and by 90 about y if `across` is set, without rounding.
        double *const x = out->positions + 3 * v;
        const double turned[3] = {x[0], -x[1], -x[2]};
        x[0] = s->row->across ? turned[2] : turned[0];
        x[1] = turned[1];
        x[2] = s->row->across ? -turned[0] : turned[2];
    }
    return true;
}

static bool sharp_obstacle(struct torture *s, struct surface_mesh *out) {
    char path[512];
    struct mesh_report report;
    *out = (struct surface_mesh){0};
    const bool solid = read_sharp(&s->options, s->row->obstacle, "msh", path, sizeof path);
    const bool there = solid || read_sharp(&s->options, s->row->obstacle, "obj", path, sizeof path);
    // hole.obj has non-manifold vertices, which the reader reports and accepts.
    return torture_made(s, there && mesh_read_surface(path, NULL, out, &report));
}

/// Lowers the row's body onto its obstacle, or slides it over the obstacle.
static void fill_sharp(struct torture *s) {
    struct surface_mesh below = {0};
    double lower[3], upper[3];
    if (!sharp_obstacle(s, &below)) {
        return;
    }
    positions_scale(below.positions, below.vertex_count, UNIT);
    positions_bounds(below.positions, below.vertex_count, lower, upper);
    positions_translate(below.positions, below.vertex_count, 0.0, -upper[1], 0.0);
    const double ground = lower[1] - upper[1] - 1.5 * s->options.world.contact_distance;
    torture_add_plane(s, (double[]){0.0, ground, 0.0}, UP, 0.3);
    const struct torture_matter still = {.friction = 0.3};
    if (s->row->loose) {
        torture_add_hull(s, &below, &still);
    } else {
        torture_add_obstacle(s, &below, NULL, 0.3);
    }
    surface_mesh_free(&below);
    if (s->row->kind == TORTURE_SHELL) {
        add_cloth(s, room_for_cloth(s), s->speed);
        return;
    }
    struct tet_mesh mesh = {0};
    if (sharp_body(s, &mesh)) {
        struct torture_matter matter = {.young = 5e5, .friction = 0.3};
        matter.velocity[s->row->slides ? 0 : 1] = s->row->slides ? s->speed : -s->speed;
        positions_scale(mesh.positions, mesh.vertex_count, UNIT);
        const double gap = s->row->slides ? 0.5 * s->options.world.contact_distance : 0.005;
        torture_stand(mesh.positions, mesh.vertex_count, UNIT * s->row->x, gap, 0.0);
        torture_add_solid(s, &mesh, s->row->kind, &matter);
    }
    tet_mesh_free(&mesh);
}

/// A tip is lowered exactly onto the middle of a slit half as wide as the contact distance.
static void fill_slit(struct torture *s) {
    const double width = 0.5 * s->options.world.contact_distance;
    for (int side = -1; side <= 1; side += 2) {
        struct surface_mesh box = {0};
        if (torture_made(s, surface_box(0.1, 0.1, 0.2, &box))) {
            torture_stand(box.positions, box.vertex_count, side * (0.05 + 0.5 * width), -0.1, 0.0);
            torture_add_obstacle(s, &box, NULL, 0.3);
        }
        surface_mesh_free(&box);
    }
    struct tet_mesh mesh = {0};
    if (sharp_body(s, &mesh)) {
        const struct torture_matter matter = {
            .young = 5e5, .friction = 0.3, .velocity = {0.0, -s->speed, 0.0}};
        positions_scale(mesh.positions, mesh.vertex_count, UNIT);
        torture_stand(mesh.positions, mesh.vertex_count, 0.0, 0.005, 0.0);
        torture_add_solid(s, &mesh, s->row->kind, &matter);
    }
    tet_mesh_free(&mesh);
}

// --- the table ---

#define SHARP(text, what, mesh, other, ...)                                                        \
    {                                                                                              \
        .name = text, .fill = fill_sharp, .seconds = 0.3, .speed = 1.0, .kind = what,              \
        .body = mesh, .obstacle = other, __VA_ARGS__                                               \
    }

const struct torture_row torture_rows[] = {
    {.name = "mat_twist", .fill = fill_mat_twist, .seconds = 1.5, .speed = 0.4},
    {.name = "rod_twist", .fill = fill_rod_twist, .seconds = 1.5, .speed = 0.1},
    {.name = "ring_squeeze", .fill = fill_ring_squeeze, .seconds = 0.5, .speed = 0.5},
    {.name = "rollers", .fill = fill_rollers, .seconds = 1.0, .speed = 0.3},
    {.name = "press", .fill = fill_press, .seconds = 0.2, .speed = 0.3},
    {.name = "crush", .fill = fill_crush, .seconds = 0.5, .speed = 0.3, .impossible = true},
    {.name = "ram", .fill = fill_ram, .seconds = 0.3, .speed = 5.0},
    {.name = "spikes_soft", .fill = fill_spikes, .seconds = 0.5, .speed = 1.0},
    {.name = "spikes_affine",
     .fill = fill_spikes,
     .seconds = 0.5,
     .speed = 1.0,
     .kind = TORTURE_AFFINE},
    {.name = "stack_affine",
     .fill = fill_stack,
     .seconds = 0.5,
     .speed = 1.0,
     .kind = TORTURE_AFFINE},
    {.name = "stack_mixed", .fill = fill_stack, .seconds = 0.5, .speed = 1.0},
    {.name = "rings_affine",
     .fill = fill_rings,
     .seconds = 0.5,
     .speed = 2.0,
     .kind = TORTURE_AFFINE},
    {.name = "rings_soft", .fill = fill_rings, .seconds = 0.5, .speed = 2.0},
    {.name = "links_affine",
     .fill = fill_links,
     .seconds = 0.5,
     .speed = 2.0,
     .kind = TORTURE_AFFINE},
    {.name = "links_soft", .fill = fill_links, .seconds = 0.5, .speed = 2.0},
    {.name = "mixed", .fill = fill_mixed, .seconds = 0.5, .speed = 2.0},
    {.name = "chain_affine",
     .fill = fill_chain,
     .seconds = 0.5,
     .speed = 2.0,
     .kind = TORTURE_AFFINE},
    {.name = "chain_soft", .fill = fill_chain, .seconds = 0.5, .speed = 2.0},
    {.name = "cloth_on_spikes", .fill = fill_cloth_on_spikes, .seconds = 0.5, .speed = 1.0},
    {.name = "cloth_between", .fill = fill_cloth_between, .seconds = 0.5, .speed = 2.0},
    {.name = "cloth_layers", .fill = fill_cloth_layers, .seconds = 0.5, .speed = 0.5},
    {.name = "slit_soft", .fill = fill_slit, .seconds = 0.3, .speed = 1.0, .body = "spike_tet"},
    {.name = "slit_affine",
     .fill = fill_slit,
     .seconds = 0.3,
     .speed = 1.0,
     .kind = TORTURE_AFFINE,
     .body = "spike_tet"},
    SHARP("point_on_point_soft", TORTURE_SOFT, "spike_tet", "spike_tet", .x = 0.0),
    SHARP("point_on_point_affine", TORTURE_AFFINE, "spike_tet", "spike_tet", .x = 0.0),
    SHARP("point_on_edge_soft", TORTURE_SOFT, "spike_tet", "wedge_tet", .x = 0.0),
    SHARP("point_on_edge_affine", TORTURE_AFFINE, "spike_tet", "wedge_tet", .x = 0.0),
    SHARP("edge_on_edge_soft", TORTURE_SOFT, "wedge_tet", "wedge_tet", .x = 0.0),
    SHARP("edge_on_edge_affine", TORTURE_AFFINE, "wedge_tet", "wedge_tet", .x = 0.0),
    SHARP("edge_across_edge_soft", TORTURE_SOFT, "wedge_tet", "wedge_tet", .across = true),
    SHARP("edge_across_edge_affine", TORTURE_AFFINE, "wedge_tet", "wedge_tet", .across = true),
    SHARP("edge_on_cliff_soft", TORTURE_SOFT, "wedge_tet", "cliff", .x = 0.5),
    SHARP("edge_on_cliff_affine", TORTURE_AFFINE, "wedge_tet", "cliff", .x = 0.5),
    SHARP("point_on_cliff_soft", TORTURE_SOFT, "spike_tet", "cliff", .x = 0.5),
    SHARP("cube_on_cliff_affine", TORTURE_AFFINE, NULL, "cliff", .x = 0.5),
    SHARP("point_in_crack_soft", TORTURE_SOFT, "spike_tet", "crack", .x = 0.0),
    SHARP("point_in_crack_affine", TORTURE_AFFINE, "spike_tet", "crack", .x = 0.0),
    SHARP("edge_in_crack_soft", TORTURE_SOFT, "wedge_tet", "crack", .x = 0.0),
    SHARP("edge_in_crack_affine", TORTURE_AFFINE, "wedge_tet", "crack", .x = 0.0),
    SHARP("point_in_hole_soft", TORTURE_SOFT, "spike_tet", "hole", .x = 0.0),
    SHARP("edge_in_hole_affine", TORTURE_AFFINE, "wedge_tet", "hole", .across = true),
    SHARP("cube_in_hole_soft", TORTURE_SOFT, NULL, "hole", .x = 0.0),
    SHARP("slide_soft", TORTURE_SOFT, NULL, "internal_edges", .x = -0.6, .slides = true),
    SHARP("slide_affine", TORTURE_AFFINE, NULL, "internal_edges", .x = -0.6, .slides = true),
    SHARP("edge_slides_affine", TORTURE_AFFINE, "wedge_tet", "internal_edges", .x = -0.6,
          .slides = true),
    SHARP("loose_point_affine", TORTURE_AFFINE, "spike_tet", "spike_tet", .loose = true),
    SHARP("loose_edge_affine", TORTURE_AFFINE, "wedge_tet", "wedge_tet", .loose = true),
    SHARP("loose_cliff_soft", TORTURE_SOFT, "wedge_tet", "cliff", .x = 0.5, .loose = true),
    SHARP("loose_crack_soft", TORTURE_SOFT, "wedge_tet", "crack", .loose = true),
    SHARP("loose_plate_affine", TORTURE_AFFINE, NULL, "internal_edges", .x = -0.6, .slides = true,
          .loose = true),
    SHARP("cloth_on_point", TORTURE_SHELL, NULL, "spike_tet", .x = 0.0),
    SHARP("cloth_on_edge", TORTURE_SHELL, NULL, "wedge_tet", .x = 0.0),
    SHARP("cloth_on_cliff", TORTURE_SHELL, NULL, "cliff", .x = 0.0),
    SHARP("cloth_on_crack", TORTURE_SHELL, NULL, "crack", .x = 0.0),
    SHARP("cloth_on_hole", TORTURE_SHELL, NULL, "hole", .x = 0.0),
    SHARP("cloth_on_internal_edges", TORTURE_SHELL, NULL, "internal_edges", .x = 0.0),
};
const size_t torture_row_count = sizeof torture_rows / sizeof *torture_rows;

bool torture_find(const char *name, const struct torture_row **row) {
    for (size_t i = 0; i < torture_row_count; i++) {
        if (strcmp(torture_rows[i].name, name) == 0) {
            *row = &torture_rows[i];
            return true;
        }
    }
    return false;
}

bool torture_can(const struct torture_row *row, const struct torture_options *options) {
    char path[512];
    const bool needs_body = row->body != NULL;
    const bool needs_obstacle = row->obstacle != NULL;
    return (!needs_body || read_sharp(options, row->body, "msh", path, sizeof path)) &&
           (!needs_obstacle || read_sharp(options, row->obstacle, "msh", path, sizeof path) ||
            read_sharp(options, row->obstacle, "obj", path, sizeof path));
}

// --- running ---

static pbs_status use_scheme(struct torture *s) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    pbs_status status = pbs_integrator_desc_init(&d, sizeof d, s->options.scheme);
    status = status >= 0 ? pbs_integrator_create(&d, &integrator) : status;
    status = status >= 0 ? pbs_world_set_integrator(s->world, integrator) : status;
    pbs_integrator_destroy(integrator);
    return status;
}

pbs_status torture_create(const struct torture_row *row, const struct torture_options *options,
                          struct torture *out) {
    *out = (struct torture){.row = row, .options = *options};
    out->speed = options->speed > 0.0 ? options->speed : row->speed;
    pbs_world_desc d = options->world;
    d.gravity[1] = -GRAVITY;
    torture_note(out, pbs_world_create(&d, &out->world));
    if (out->status >= 0) {
        torture_note(out, use_scheme(out));
        row->fill(out);
    }
    return out->status;
}

void torture_free(struct torture *scene) {
    pbs_world_destroy(scene->world);
    for (size_t i = 0; i < scene->body_count; i++) {
        tet_mesh_free(&scene->bodies[i].rest);
    }
    for (size_t i = 0; i < scene->obstacle_count; i++) {
        surface_mesh_free(&scene->obstacles[i].surface);
    }
    for (size_t i = 0; i < scene->mover_count; i++) {
        free(scene->movers[i].vertices);
        free(scene->movers[i].start);
        free(scene->movers[i].targets);
    }
    free(scene->bodies);
    free(scene->obstacles);
    free(scene->movers);
    *scene = (struct torture){0};
}

/// Rotates the initial positions about the x axis through the centre.
static pbs_status turn_vertices(struct torture *s, const struct torture_mover *m, double angle) {
    const double cosine = cos(angle), sine = sin(angle);
    for (size_t v = 0; v < m->count; v++) {
        const double *const x = m->start + 3 * v;
        const double y = x[1] - m->centre[1], z = x[2] - m->centre[2];
        m->targets[3 * v] = x[0];
        m->targets[3 * v + 1] = m->centre[1] + cosine * y - sine * z;
        m->targets[3 * v + 2] = m->centre[2] + sine * y + cosine * z;
    }
    return pbs_body_set_targets(s->world, m->body, m->vertices, m->count, m->targets);
}

static pbs_status apply(struct torture *s, const struct torture_mover *m, double time) {
    const double t = fmin(time, m->end);
    const double half = 0.5 * m->rate * t;
    if (m->count > 0) {
        return turn_vertices(s, m, 2.0 * half);
    }
    double place[3], orientation[4];
    for (int k = 0; k < 3; k++) {
        place[k] = m->place[k] + t * m->velocity[k];
        orientation[k] = sin(half) * m->axis[k];
    }
    orientation[3] = cos(half);
    return m->body.id != 0 ? pbs_body_set_target_pose(s->world, m->body, place, orientation)
                           : pbs_collider_set_motion(s->world, m->collider, place, orientation);
}

pbs_status torture_kick(struct torture *scene, size_t index, const double velocity[3]) {
    const pbs_body id = scene->bodies[index].id;
    const size_t count = pbs_body_vertex_count(scene->world, id);
    double *const velocities = malloc(3 * count * sizeof *velocities);
    if (velocities == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t k = 0; k < 3 * count; k++) {
        velocities[k] = velocity[k % 3];
    }
    const pbs_status status = pbs_body_set_velocities(scene->world, id, velocities, count);
    free(velocities);
    return status;
}

pbs_status torture_step(struct torture *scene) {
    const double time = pbs_world_time(scene->world) + scene->options.step;
    for (size_t i = 0; i < scene->mover_count; i++) {
        const pbs_status status = apply(scene, &scene->movers[i], time);
        if (status < 0) {
            return status;
        }
    }
    return pbs_world_step(scene->world, scene->options.step);
}
