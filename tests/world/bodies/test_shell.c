// Shells in a world: refusals, read-back, free fall, hanging, collisions, saving, and failing
// allocations.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"
#include "world/refusal.h"

#include "base/matrix3/math3.h"

static const double origin[3] = {0.0, 0.0, 0.0};

// --- refusals ---

/// A description and its arrays, which a case may spoil.
struct shell_case {
    struct sheet_mesh mesh;
    pbs_shell_desc d;
    double state[12], sides[6], out[6], along[3];
    uint32_t edge[4];
};

/// Clamps one edge, in a direction that is fine.
static void clamp(struct shell_case *c, uint32_t from, uint32_t to) {
    const double out[6] = {-1.0, 0.2, -1.0, -1.0, 0.2, -1.0};
    memcpy(c->out, out, sizeof out);
    for (int k = 0; k < 3; k++) {
        c->along[k] = c->mesh.positions[3 + k] - c->mesh.positions[k];
    }
    c->edge[0] = from;
    c->edge[1] = to;
    c->d.clamped_edge_count = 1;
    c->d.clamped_edges = c->edge;
    c->d.clamped_directions = c->out;
}

#define SHELL(name, ...) SPOIL(shell_##name, struct shell_case *c, __VA_ARGS__)

SHELL(positions_null, c->d.positions = NULL)
SHELL(triangles_null, c->d.triangles = NULL)
SHELL(no_vertices, c->d.vertex_count = 0)
SHELL(no_triangles, c->d.triangle_count = 0)
SHELL(many_vertices, c->d.vertex_count = SIZE_MAX / 8)
SHELL(many_triangles, c->d.triangle_count = SIZE_MAX)
SHELL(position_nan, c->mesh.positions[5] = NAN)
SHELL(index, c->mesh.triangles[4] = 4)
SHELL(repeated, c->mesh.triangles[1] = c->mesh.triangles[0])
SHELL(degenerate, for (int k = 0; k < 3; k++) c->mesh.positions[9 + k] = c->mesh.positions[k])
SHELL(unused, c->d.triangle_count = 1)
SHELL(orientation, c->mesh.triangles[4] = 1; c->mesh.triangles[5] = 3)
SHELL(flat_rest, c->d.flat_rest = 2)
SHELL(thickness_zero, c->d.thickness = 0.0)
SHELL(thickness_nan, c->d.thickness = NAN)
SHELL(density_negative, c->d.density = -3.0)
SHELL(density_tiny, c->d.density = 1e-307)
SHELL(young_zero, c->d.young = 0.0)
SHELL(young_infinite, c->d.young = INFINITY)
SHELL(young_tiny, c->d.young = 1e-300)
SHELL(poisson_low, c->d.poisson = -0.1)
SHELL(poisson_high, c->d.poisson = 0.51)
SHELL(poisson_nan, c->d.poisson = NAN)
SHELL(bending, c->d.bending_young = -1.0)
SHELL(bending_kind, c->d.bending = 2)
SHELL(reserved, c->d.reserved = 1)
SHELL(bending_below, c->d.bending = -1)
SHELL(rest_angle_nan, c->sides[4] = NAN; c->d.rest_angles = c->sides)
SHELL(rest_angles_differ, c->sides[0] = 0.1; c->sides[1] = 0.2; c->sides[2] = 0.3;
      c->d.rest_angles = c->sides)
SHELL(clamp_null, c->d.clamped_edge_count = 1; c->d.clamped_directions = c->out)
SHELL(clamp_directions_null, c->d.clamped_edge_count = 1; c->d.clamped_edges = c->edge)
SHELL(clamp_inner, clamp(c, 0, 3))
SHELL(clamp_index, clamp(c, 0, 7))
SHELL(clamp_nan, clamp(c, 0, 1); c->out[1] = NAN)
SHELL(clamp_zero, clamp(c, 0, 1); memset(c->out, 0, sizeof c->out))
SHELL(clamp_along, clamp(c, 0, 1); memcpy(c->out, c->along, sizeof c->along))
SHELL(clamp_twice, clamp(c, 0, 1); c->edge[2] = 1; c->edge[3] = 0; c->d.clamped_edge_count = 2)
SHELL(clamp_hinges, clamp(c, 0, 1); c->d.bending = PBS_BENDING_HINGE)
SHELL(clamp_many, clamp(c, 0, 1); c->d.clamped_edge_count = SIZE_MAX / 2)
SHELL(damping, c->d.damping = -0.5)
SHELL(drag, c->d.drag = NAN)
SHELL(state, c->state[7] = NAN; c->d.initial_positions = c->state)
SHELL(velocity, c->state[11] = INFINITY; c->d.initial_velocities = c->state)
SHELL(size_zero, c->d.struct_size = 0)
SHELL(size_small, c->d.struct_size = 40)
SHELL(size_huge, c->d.struct_size = UINT32_MAX)

static const struct refusal shell_rows[] = {
    {shell_positions_null, PBS_ERROR_ARGUMENT, "positions is null"},
    {shell_triangles_null, PBS_ERROR_ARGUMENT, "triangles is null"},
    {shell_no_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 0"},
    {shell_no_triangles, PBS_ERROR_ARGUMENT, "triangle_count is 0"},
    {shell_many_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 2305843009213693951"},
    {shell_many_triangles, PBS_ERROR_ARGUMENT, "triangle_count is 18446744073709551615"},
    {shell_position_nan, PBS_ERROR_ARGUMENT, "positions of vertex 1: z is nan"},
    {shell_index, PBS_ERROR_MESH, "triangle 1: vertex index 4, must be below 4"},
    {shell_repeated, PBS_ERROR_MESH, "triangle 0: vertex 0 twice"},
    {shell_degenerate, PBS_ERROR_MESH, "triangle 0: rest area 0 m^2 is degenerate"},
    {shell_unused, PBS_ERROR_MESH, "vertex 1: in no triangle"},
    {shell_orientation, PBS_ERROR_MESH, "neighbours must have it in opposite senses"},
    {shell_flat_rest, PBS_ERROR_ARGUMENT, "flat_rest is 2"},
    {shell_thickness_zero, PBS_ERROR_ARGUMENT, "thickness is 0"},
    {shell_thickness_nan, PBS_ERROR_ARGUMENT, "thickness is nan"},
    {shell_density_negative, PBS_ERROR_ARGUMENT, "density is -3"},
    {shell_density_tiny, PBS_ERROR_ARGUMENT, "mass"},
    {shell_young_zero, PBS_ERROR_ARGUMENT, "young is 0"},
    {shell_young_infinite, PBS_ERROR_ARGUMENT, "young is inf"},
    {shell_young_tiny, PBS_ERROR_ARGUMENT, "rigidity over length"},
    {shell_poisson_low, PBS_ERROR_ARGUMENT,
     "poisson is -0.1, must be 0 to 0.5: the membrane's energy"},
    {shell_poisson_high, PBS_ERROR_ARGUMENT, "poisson is 0.51"},
    {shell_poisson_nan, PBS_ERROR_ARGUMENT, "poisson is nan"},
    {shell_bending, PBS_ERROR_ARGUMENT, "bending_young is -1"},
    {shell_bending_kind, PBS_ERROR_ARGUMENT, "bending is 2, must be 0 to 1"},
    {shell_reserved, PBS_ERROR_ARGUMENT, "reserved is 1"},
    {shell_bending_below, PBS_ERROR_ARGUMENT, "bending is -1"},
    {shell_rest_angle_nan, PBS_ERROR_ARGUMENT, "rest_angles"},
    {shell_rest_angles_differ, PBS_ERROR_ARGUMENT, "both are for the edge"},
    {shell_clamp_null, PBS_ERROR_ARGUMENT, "clamped_edges is null"},
    {shell_clamp_directions_null, PBS_ERROR_ARGUMENT, "clamped_directions is null"},
    {shell_clamp_inner, PBS_ERROR_ARGUMENT, "must be those of a border edge"},
    {shell_clamp_index, PBS_ERROR_ARGUMENT, "clamped edge 0: vertices 0 and 7"},
    {shell_clamp_nan, PBS_ERROR_ARGUMENT, "clamped_directions"},
    {shell_clamp_zero, PBS_ERROR_ARGUMENT, "must point across the edge"},
    {shell_clamp_along, PBS_ERROR_ARGUMENT, "must point across the edge"},
    {shell_clamp_twice, PBS_ERROR_ARGUMENT, "clamped edge 1: is clamped twice"},
    {shell_clamp_hinges, PBS_ERROR_ARGUMENT, "must be 0 with PBS_BENDING_HINGE"},
    {shell_clamp_many, PBS_ERROR_ARGUMENT, "clamped_edge_count"},
    {shell_damping, PBS_ERROR_ARGUMENT, "damping is -0.5"},
    {shell_drag, PBS_ERROR_ARGUMENT, "drag is nan"},
    {shell_state, PBS_ERROR_ARGUMENT, "initial_positions of vertex 2: y is nan"},
    {shell_velocity, PBS_ERROR_ARGUMENT, "initial_velocities of vertex 3: z is inf"},
    {shell_size_zero, PBS_ERROR_STRUCT_SIZE, "struct_size is 0"},
    {shell_size_small, PBS_ERROR_STRUCT_SIZE, "struct_size is 40"},
    {shell_size_huge, PBS_ERROR_STRUCT_SIZE, "struct_size is 4294967295"},
};

static void shells_refuse_bad_descriptions(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 3));
    const uint64_t before = pbs_world_hash(world);
    for (size_t i = 0; i < COUNT_OF(shell_rows); i++) {
        struct shell_case c = {0};
        assert_true(sheet_mesh_make(&c.mesh, 1, 1.0, origin));
        sheet_mesh_describe(&c.mesh, &c.d);
        shell_rows[i].spoil(&c);
        pbs_body body = {99};
        assert_status(pbs_body_create_shell(world, &c.d, &body), shell_rows[i].status);
        assert_message(shell_rows[i].words);
        assert_true(body.id == 99);
        sheet_mesh_free(&c.mesh);
    }
    assert_true(pbs_world_hash(world) == before);
    assert_int_equal(pbs_world_body_count(world), 1);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_body body;
    pbs_shell_desc d;
    assert_status(pbs_body_create_shell(world, NULL, &body), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    assert_status(pbs_body_create_shell(world, &d, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_create_shell(NULL, &d, &body), PBS_ERROR_ARGUMENT);
    assert_status(pbs_shell_desc_init(NULL, sizeof d), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

// --- reading ---

/// Masses are a third of rho h A of the triangles around; the surface is what was given; normals
/// point to the front; elements are triangles and inner edges.
static void shells_are_read_back(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.thickness = 2e-3;
    d.density = 500.0;
    const pbs_body body = add_sheet(world, 2, 2.0, origin, &d);
    struct sheet_mesh mesh;
    assert_true(sheet_mesh_make(&mesh, 2, 2.0, origin));
    assert_int_equal(pbs_body_vertex_count(world, body), 9);
    assert_int_equal(pbs_body_tet_count(world, body), 0);
    double areas[9] = {0};
    for (size_t i = 0; i < 3 * mesh.triangle_count; i++) {
        areas[mesh.triangles[i]] += 0.5 / 3.0;
    }
    for (size_t i = 0; i < 9; i++) {
        assert_near(pbs_body_masses(world, body)[i], areas[i], 1e-15, "mass");
    }
    const uint32_t *indices = NULL;
    size_t count = 0;
    assert_ok(pbs_body_surface(world, body, &indices, &count));
    assert_int_equal(count, mesh.triangle_count);
    assert_memory_equal(indices, mesh.triangles, 3 * count * sizeof *indices);
    float normals[27];
    assert_ok(pbs_body_read_f32(world, body, PBS_CHANNEL_NORMAL, normals, 12, 9));
    for (size_t i = 0; i < 27; i++) {
        assert_true(normals[i] == (i % 3 == 1 ? 1.0f : 0.0f));
    }
    double stress[1];
    assert_status(pbs_body_element_stress(world, body, stress, 0), PBS_ERROR_CAPACITY);
    assert_int_equal(stats_of(world).scene.elements, 8 + 8);
    sheet_mesh_free(&mesh);
    pbs_world_destroy(world);
}

// --- moving ---

/// Implicit Euler falls by g h^2 n (n + 1) / 2; nothing bends or stretches.
static void free_shells_fall(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    const pbs_body body = add_sheet(world, 3, 1.0, origin, &d);
    const double h = 1.0 / 60.0;
    assert_ok(scene_step(world, 10));
    pbs_world_desc settings;
    scene_settings(&settings);
    const double fall = settings.gravity[1] * h * h * 55.0;
    for (size_t i = 0; i < 16; i++) {
        assert_near(pbs_body_positions(world, body)[3 * i + 1], fall, 1e-10, "height");
    }
    assert_small(energy_of(world).elastic, 1e-18, "elastic energy");
    pbs_world_destroy(world);
}

/// A strip hung by one edge: its membrane carries its weight, so that it is longer by rho g L^2 /
/// (2 E), which is small beside L, within a tenth of that.
static void hanging_shells_stretch(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct sheet_mesh mesh;
    pbs_shell_desc d;
    pbs_body body;
    assert_true(sheet_mesh_make(&mesh, 8, 1.0, origin));
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        mesh.positions[3 * i + 1] = -mesh.positions[3 * i + 2];
        mesh.positions[3 * i + 2] = 0.0;
    }
    sheet_mesh_describe(&mesh, &d);
    d.thickness = 1e-2;
    d.poisson = 0.0;
    d.drag = 30.0;
    assert_ok(pbs_body_create_shell(world, &d, &body));
    for (uint32_t i = 0; i < 9; i++) {
        assert_ok(pbs_body_pin(world, body, &i, 1, PBS_AXIS_ALL));
    }
    assert_ok(scene_step(world, 120));
    pbs_world_desc settings;
    scene_settings(&settings);
    const double stretch = -0.5 * settings.gravity[1] * d.density / d.young;
    assert_near(-pbs_body_positions(world, body)[3 * 76 + 1] - 1.0, stretch, 0.1 * stretch,
                "stretch by its own weight");
    for (size_t i = 0; i < 9; i++) {
        assert_true(pbs_body_positions(world, body)[3 * i + 1] == 0.0);
    }
    sheet_mesh_free(&mesh);
    pbs_world_destroy(world);
}

/// A sheet dropped on a ball lies on it and hangs down around it; no vertex is inside.
static void shells_collide(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 3));
    double lowest = INFINITY;
    for (int n = 0; n < 60; n++) {
        assert_ok(scene_step(world, 1));
        const pbs_body body = {pbs_world_body_at(world, 0).id};
        const double *x = pbs_body_positions(world, body);
        for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
            lowest = fmin(lowest, sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] +
                                       x[3 * i + 2] * x[3 * i + 2]));
        }
    }
    assert_true(lowest > 0.2 - 1e-9 && lowest < 0.2 + 1e-3);
    pbs_world_destroy(world);
}

/// A rest shape that is bent keeps its bend; with flat_rest it unfolds.
static void rest_shapes_are_as_given_or_flat(void **state) {
    (void)state;
    for (int flat = 0; flat <= 1; flat++) {
        pbs_world_desc settings;
        scene_settings(&settings);
        settings.gravity[1] = 0.0;
        pbs_world *world = new_world_from(&settings);
        struct sheet_mesh mesh;
        pbs_shell_desc d;
        pbs_body body;
        assert_true(sheet_mesh_make(&mesh, 2, 2.0, origin));
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            const double s = mesh.positions[3 * i] - 1.0;
            mesh.positions[3 * i] = 0.8 * s;
            mesh.positions[3 * i + 1] = 0.6 * fabs(s);
        }
        sheet_mesh_describe(&mesh, &d);
        d.flat_rest = flat;
        d.thickness = 0.1;
        d.young = 1e8;
        d.drag = 10.0;
        assert_ok(pbs_body_create_shell(world, &d, &body));
        assert_ok(scene_step(world, 240));
        const double *x = pbs_body_positions(world, body);
        const double height = 0.5 * (x[3 * 3 + 1] + x[3 * 5 + 1]) - x[3 * 4 + 1];
        assert_near(height, flat ? 0.0 : 0.6, 1e-3, "height of the fold");
        sheet_mesh_free(&mesh);
        pbs_world_destroy(world);
    }
}

/// The angle between two triangles, positive away from their front.
static double fold_of(const double *x, const uint32_t *triangles) {
    double normal[2][3];
    double center[2][3] = {{0}};
    for (int t = 0; t < 2; t++) {
        const uint32_t *v = triangles + 3 * t;
        double edge[2][3];
        for (int k = 0; k < 3; k++) {
            edge[0][k] = x[3 * v[1] + (uint32_t)k] - x[3 * v[0] + (uint32_t)k];
            edge[1][k] = x[3 * v[2] + (uint32_t)k] - x[3 * v[0] + (uint32_t)k];
            for (int a = 0; a < 3; a++) {
                center[t][k] += x[3 * v[a] + (uint32_t)k] / 3.0;
            }
        }
        cross3(edge[0], edge[1], normal[t]);
    }
    double between[3];
    double across[3];
    subtract3(center[1], center[0], between);
    cross3(normal[0], normal[1], across);
    const double angle = atan2(norm3(across), dot3(normal[0], normal[1]));
    return dot3(normal[0], between) < 0.0 ? angle : -angle;
}

/// Angles by side, all of them this.
static double *equal_angles(size_t triangle_count, double angle) {
    double *angles = calloc(triangle_count, 3 * sizeof *angles);
    assert_non_null(angles);
    for (size_t k = 0; k < 3 * triangle_count; k++) {
        angles[k] = angle;
    }
    return angles;
}

/// Two triangles fold to the angle that is theirs at rest, from the start or since it was set, away
/// from the front; without one they unfold.
static void shells_fold_to_their_rest_angles(void **state) {
    (void)state;
    for (int32_t bending = PBS_BENDING_PLATE; bending <= PBS_BENDING_HINGE; bending++) {
        pbs_world_desc settings;
        scene_settings(&settings);
        settings.gravity[1] = 0.0;
        pbs_world *world = new_world_from(&settings);
        double *angles = equal_angles(2, 0.5);
        pbs_shell_desc d;
        assert_ok(pbs_shell_desc_init(&d, sizeof d));
        d.bending = bending;
        d.thickness = 0.1;
        d.young = 1e8;
        d.drag = 10.0;
        d.rest_angles = angles;
        const pbs_body body = add_sheet(world, 1, 1.0, origin, &d);
        const double wanted[] = {0.5, -0.3, 0.0};
        for (size_t k = 0; k < COUNT_OF(wanted); k++) {
            if (k == 1) {
                free(angles);
                angles = equal_angles(2, wanted[k]);
                assert_ok(pbs_body_set_rest_angles(world, body, angles, 2));
            } else if (k == 2) {
                assert_ok(pbs_body_set_rest_angles(world, body, NULL, 2));
            }
            assert_true(energy_of(world).elastic > 1.0);
            assert_ok(scene_step(world, 120));
            assert_small(energy_of(world).elastic, 1e-6, "elastic energy");
            const uint32_t *triangles = NULL;
            size_t count = 0;
            assert_ok(pbs_body_surface(world, body, &triangles, &count));
            assert_near(fold_of(pbs_body_positions(world, body), triangles), wanted[k], 1e-3,
                        "angle");
        }
        free(angles);
        pbs_world_destroy(world);
    }
}

static void rest_angles_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, origin, NULL);
    const pbs_body body = add_sheet(world, 1, 1.0, origin, NULL);
    double angles[6] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    assert_ok(pbs_body_set_rest_angles(world, body, angles, 2));
    assert_ok(scene_step(world, 1));
    const uint64_t before = pbs_world_hash(world);
    assert_status(pbs_body_set_rest_angles(NULL, body, angles, 2), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_rest_angles(world, (pbs_body){0}, angles, 2), PBS_ERROR_HANDLE);
    assert_status(pbs_body_set_rest_angles(world, cube, angles, 2), PBS_ERROR_ARGUMENT);
    assert_message("no shell");
    assert_status(pbs_body_set_rest_angles(world, body, angles, 3), PBS_ERROR_ARGUMENT);
    assert_message("triangle_count is 3, the body has 2");
    angles[5] = INFINITY;
    assert_status(pbs_body_set_rest_angles(world, body, angles, 2), PBS_ERROR_ARGUMENT);
    assert_message("rest_angles");
    for (int k = 0; k < 6; k++) {
        angles[k] = 0.1 * k;
    }
    assert_status(pbs_body_set_rest_angles(world, body, angles, 2), PBS_ERROR_ARGUMENT);
    assert_message("both are for the edge of vertices");
    assert_true(pbs_world_hash(world) == before);
    pbs_world *other = new_world();
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_ok(scene_step(world, 3));
    assert_ok(scene_step(other, 3));
    assert_true(pbs_world_hash(other) == pbs_world_hash(world));
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

// --- transactions, memory, threads ---

static pbs_status create_sheet(pbs_world *world, void *context) {
    const double corner[3] = {0.0, 1.0, 0.0};
    return sheet_create(world, 3, 1.0, corner, context, &(pbs_body){0});
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(scene_fill(world, 0));
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, create_sheet, NULL, &refused));
    assert_true(refused >= 8);
    assert_ok(scene_step(world, 2));
    pbs_world_destroy(world);
    assert_true(allocator.bytes_in_use == 0);
}

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1.0 / 60.0);
}

static void steps_may_run_out_of_memory(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(scene_fill(world, 3));
    uint64_t refused = 0;
    assert_ok(refuse_until_success(&allocator, world, step, NULL, &refused));
    assert_true(refused > 20);
    pbs_world_destroy(world);
    assert_true(allocator.bytes_in_use == 0);
}

static void steady_state_allocates_nothing(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(scene_fill(world, 3));
    assert_ok(scene_step(world, 2));
    const uint64_t before = allocator.allocate_count;
    assert_ok(scene_step(world, 40));
    assert_true(allocator.allocate_count == before);
    pbs_world_destroy(world);
}

/// Enough nodes for several domains.
static void threads_change_no_bit(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int32_t run = 0; run < 6; run++) {
        const int32_t threads = 1 + run % 3;
        pbs_world_desc settings;
        scene_settings(&settings);
        settings.threads = threads;
        pbs_world *world = new_world_from(&settings);
        pbs_shell_desc d;
        assert_ok(pbs_shell_desc_init(&d, sizeof d));
        d.damping = 1e-3;
        d.bending = run / 3;
        const double corner[3] = {-0.5, 0.05, -0.5};
        add_ground(world);
        add_sheet(world, 40, 1.0, corner, &d);
        assert_ok(scene_step(world, 8));
        expected = threads == 1 ? pbs_world_hash(world) : expected;
        assert_true(pbs_world_hash(world) == expected);
        pbs_world_destroy(world);
    }
}

/// A clamp's direction may be of any length, beyond what can be squared twice: by powers of two,
/// which round nothing, no bit changes.
static void lengths_of_clamps_do_not_count(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t edge[2] = {0, 1};
        const double scale = ldexp(1.0, k == 0 ? 0 : k == 1 ? -300 : 300);
        const double out[3] = {-3.0 * scale, 0.5 * scale, -4.0 * scale};
        pbs_world *world = new_world();
        pbs_shell_desc d;
        assert_ok(pbs_shell_desc_init(&d, sizeof d));
        d.clamped_edge_count = 1;
        d.clamped_edges = edge;
        d.clamped_directions = out;
        add_sheet(world, 3, 0.6, origin, &d);
        assert_ok(scene_step(world, 4));
        expected = k == 0 ? pbs_world_hash(world) : expected;
        assert_true(pbs_world_hash(world) == expected);
        pbs_world_destroy(world);
    }
}

/// Every member of the description, and a second body of another kind behind it.
static void a_restored_shell_goes_on_with_the_same_bits(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.flat_rest = 1;
    d.thickness = 3e-3;
    d.density = 700.0;
    d.young = 2e5;
    d.poisson = 0.2;
    d.bending_young = 4e5;
    d.damping = 1e-3;
    d.drag = 0.7;
    const uint32_t edge[2] = {0, 1};
    const double out[3] = {-3.0, 0.2, -4.0};
    double *angles = equal_angles(32, 0.05);
    d.rest_angles = angles;
    d.clamped_edge_count = 1;
    d.clamped_edges = edge;
    d.clamped_directions = out;
    const double above[3] = {0.0, 0.4, 0.0};
    assert_ok(scene_fill(world, 3));
    add_sheet(world, 4, 0.6, above, &d);
    d.clamped_edge_count = 0;
    d.bending = PBS_BENDING_HINGE;
    const double higher[3] = {0.0, 0.8, 0.0};
    add_sheet(world, 4, 0.6, higher, &d);
    free(angles);
    add_cube(world, 1, 0.2, origin, NULL);
    assert_ok(scene_step(world, 3));
    const struct saved_world saved = save_world(world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    assert_true(pbs_world_hash(other) == pbs_world_hash(world));
    const struct saved_world again = save_world(other);
    assert_int_equal(again.size, saved.size);
    assert_memory_equal(again.data, saved.data, saved.size);
    assert_ok(scene_step(world, 5));
    assert_ok(scene_step(other, 5));
    assert_true(pbs_world_hash(other) == pbs_world_hash(world));
    free(saved.data);
    free(again.data);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

// --- whose Hessians are made semidefinite ---

/// What four steps of a body pressed together to half its size come to.
static uint64_t crushed(int32_t hessian, int32_t method, int32_t linearized, bool is_shell) {
    pbs_world_desc w;
    pbs_expert_desc expert;
    assert_ok(pbs_world_desc_init(&w, sizeof w));
    expert_settings(&expert, &w);
    w.contact = PBS_CONTACT_PROJECTION;
    assert_int_equal(expert.project_hessian, PBS_HESSIAN_AUTOMATIC);
    expert.project_hessian = hessian;
    expert.method = method;
    pbs_world *world = new_world_from(&w);
    const pbs_body body = is_shell ? add_sheet(world, 4, 1.0, origin, NULL)
                                   : add_cube(world, 2, 1.0, origin, NULL);
    double x[3 * 27];
    const size_t count = pbs_body_vertex_count(world, body);
    assert_true(count <= 27);
    const double *rest = pbs_body_positions(world, body);
    for (size_t k = 0; k < 3 * count; k++) {
        x[k] = rest[k] * (0.5 + 0.01 * (double)(k * k % 7));
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
    pbs_integrator *integrator = NULL;
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
    d.linearized = linearized;
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    for (int i = 0; i < 4; i++) {
        assert_ok(pbs_world_step(world, 1e-4));
    }
    const uint64_t hash = pbs_world_hash(world);
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
    return hash;
}

/// The automatic choice is one of the other two, which differ.
static void the_automatic_choice_is(int32_t chosen, int32_t method, int32_t linearized,
                                    bool is_shell) {
    const uint64_t automatic = crushed(PBS_HESSIAN_AUTOMATIC, method, linearized, is_shell);
    for (int32_t hessian = PBS_HESSIAN_EXACT; hessian <= PBS_HESSIAN_SEMIDEFINITE; hessian++) {
        assert_true((crushed(hessian, method, linearized, is_shell) == automatic) ==
                    (hessian == chosen));
    }
}

static void hessians_of_shells_are_semidefinite(void **state) {
    (void)state;
    the_automatic_choice_is(PBS_HESSIAN_SEMIDEFINITE, PBS_METHOD_STABILIZED_NEWTON, 0, true);
    the_automatic_choice_is(PBS_HESSIAN_EXACT, PBS_METHOD_STABILIZED_NEWTON, 0, false);
    the_automatic_choice_is(PBS_HESSIAN_EXACT, PBS_METHOD_STABILIZED_NEWTON, 1, true);
    the_automatic_choice_is(PBS_HESSIAN_EXACT, PBS_METHOD_PLAIN_NEWTON, 0, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_refuse_bad_descriptions),
        cmocka_unit_test(shells_are_read_back),
        cmocka_unit_test(free_shells_fall),
        cmocka_unit_test(hanging_shells_stretch),
        cmocka_unit_test(shells_collide),
        cmocka_unit_test(rest_shapes_are_as_given_or_flat),
        cmocka_unit_test(shells_fold_to_their_rest_angles),
        cmocka_unit_test(rest_angles_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(steps_may_run_out_of_memory),
        cmocka_unit_test(steady_state_allocates_nothing),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(lengths_of_clamps_do_not_count),
        cmocka_unit_test(a_restored_shell_goes_on_with_the_same_bits),
        cmocka_unit_test(hessians_of_shells_are_semidefinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
