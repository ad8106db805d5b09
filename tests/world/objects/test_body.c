// Bodies and colliders refuse bad input with a message that names the bad value, and change
// nothing.
// SPDX-License-Identifier: MIT
#include "energy/material.h"
#include "support/world_testing.h"
#include "world/refusal.h"

static const double origin[3] = {0.0, 0.0, 0.0};

// --- solids ---

/// A description and its arrays, which a case may spoil.
struct solid_case {
    struct cube_mesh mesh;
    pbs_solid_desc d;
    double values[6];
    double state[24];
};

#define SOLID(name, ...) SPOIL(solid_##name, struct solid_case *c, __VA_ARGS__)

SOLID(positions_null, c->d.positions = NULL)
SOLID(tets_null, c->d.tets = NULL)
SOLID(no_vertices, c->d.vertex_count = 0)
SOLID(no_tets, c->d.tet_count = 0)
SOLID(many_vertices, c->d.vertex_count = SIZE_MAX / 8)
SOLID(many_tets, c->d.tet_count = SIZE_MAX)
SOLID(position_nan, c->mesh.positions[5] = NAN)
SOLID(position_infinite, c->mesh.positions[3] = -INFINITY)
SOLID(index, c->mesh.tets[6] = 8)
SOLID(repeated, c->mesh.tets[1] = c->mesh.tets[0])
SOLID(inverted, c->mesh.tets[0] = 1; c->mesh.tets[1] = 0)
SOLID(flat, for (int k = 0; k < 3; k++) c->mesh.positions[21 + k] = c->mesh.positions[k])
SOLID(unused, c->d.tet_count = 1)
SOLID(density_zero, c->d.density = 0.0)
SOLID(density_negative, c->d.density = -3.0)
SOLID(density_nan, c->d.density = NAN)
SOLID(density_tiny, c->d.density = 1e-320)
SOLID(young_negative, c->d.young = -1.0)
SOLID(young_infinite, c->d.young = INFINITY)
SOLID(poisson_half, c->d.poisson = 0.5)
SOLID(poisson_low, c->d.poisson = -1.0)
SOLID(poisson_nan, c->d.poisson = NAN)
SOLID(poisson_fixed_corotated, c->d.material = PBS_MATERIAL_FIXED_COROTATED; c->d.poisson = -0.1)
SOLID(poisson_neo_hookean, c->d.material = PBS_MATERIAL_NEO_HOOKEAN; c->d.poisson = -0.1)
SOLID(tet_poisson_neo_hookean, c->d.material = PBS_MATERIAL_NEO_HOOKEAN; c->values[2] = -1e-9;
      c->d.tet_poisson = c->values)
SOLID(damping, c->d.damping = -0.5)
SOLID(drag, c->d.drag = NAN)
SOLID(material, c->d.material = 17)
SOLID(tet_density, c->values[2] = -7.0; c->d.tet_density = c->values)
SOLID(tet_young, c->values[4] = NAN; c->d.tet_young = c->values)
SOLID(tet_poisson, c->values[0] = 0.5; c->d.tet_poisson = c->values)
SOLID(state, c->state[7] = NAN; c->d.initial_positions = c->state)
SOLID(velocity, c->state[23] = INFINITY; c->d.initial_velocities = c->state)
SOLID(size_zero, c->d.struct_size = 0)
SOLID(size_small, c->d.struct_size = 40)
SOLID(size_huge, c->d.struct_size = UINT32_MAX)

static const struct refusal solid_rows[] = {
    {solid_positions_null, PBS_ERROR_ARGUMENT, "positions is null"},
    {solid_tets_null, PBS_ERROR_ARGUMENT, "tets is null"},
    {solid_no_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 0"},
    {solid_no_tets, PBS_ERROR_ARGUMENT, "tet_count is 0"},
    {solid_many_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 2305843009213693951"},
    {solid_many_tets, PBS_ERROR_ARGUMENT, "tet_count is 18446744073709551615"},
    {solid_position_nan, PBS_ERROR_ARGUMENT, "positions of vertex 1: z is nan"},
    {solid_position_infinite, PBS_ERROR_ARGUMENT, "positions of vertex 1: x is -inf"},
    {solid_index, PBS_ERROR_MESH, "tetrahedron 1"},
    {solid_repeated, PBS_ERROR_MESH, "tetrahedron 0"},
    {solid_inverted, PBS_ERROR_MESH, "tetrahedron 0"},
    {solid_flat, PBS_ERROR_MESH, "tetrahedron 0"},
    {solid_unused, PBS_ERROR_MESH, "vertex"},
    {solid_density_zero, PBS_ERROR_ARGUMENT, "density is 0"},
    {solid_density_negative, PBS_ERROR_ARGUMENT, "density is -3"},
    {solid_density_nan, PBS_ERROR_ARGUMENT, "density is nan"},
    {solid_density_tiny, PBS_ERROR_ARGUMENT, "mass"},
    {solid_young_negative, PBS_ERROR_ARGUMENT, "young is -1"},
    {solid_young_infinite, PBS_ERROR_ARGUMENT, "young is inf"},
    {solid_poisson_half, PBS_ERROR_ARGUMENT, "poisson is 0.5"},
    {solid_poisson_low, PBS_ERROR_ARGUMENT, "poisson is -1"},
    {solid_poisson_nan, PBS_ERROR_ARGUMENT, "poisson is nan"},
    {solid_poisson_fixed_corotated, PBS_ERROR_ARGUMENT,
     "poisson is -0.1, must not be negative: the energy of material fixed-corotated would have no "
     "lower bound in expansion"},
    {solid_poisson_neo_hookean, PBS_ERROR_ARGUMENT, "no lower bound in compression"},
    {solid_tet_poisson_neo_hookean, PBS_ERROR_ARGUMENT, "tet_poisson of tetrahedron 2 is -1e-09"},
    {solid_damping, PBS_ERROR_ARGUMENT, "damping is -0.5"},
    {solid_drag, PBS_ERROR_ARGUMENT, "drag is nan"},
    {solid_material, PBS_ERROR_ARGUMENT, "material is 17"},
    {solid_tet_density, PBS_ERROR_ARGUMENT, "tet_density of tetrahedron 2 is -7"},
    {solid_tet_young, PBS_ERROR_ARGUMENT, "tet_young of tetrahedron 4 is nan"},
    {solid_tet_poisson, PBS_ERROR_ARGUMENT, "tet_poisson of tetrahedron 0 is 0.5"},
    {solid_state, PBS_ERROR_ARGUMENT, "initial_positions of vertex 2: y is nan"},
    {solid_velocity, PBS_ERROR_ARGUMENT, "initial_velocities of vertex 7: z is inf"},
    {solid_size_zero, PBS_ERROR_STRUCT_SIZE, "struct_size is 0"},
    {solid_size_small, PBS_ERROR_STRUCT_SIZE, "struct_size is 40"},
    {solid_size_huge, PBS_ERROR_STRUCT_SIZE, "struct_size is 4294967295"},
};

static void solids_refuse_bad_descriptions(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const uint64_t before = pbs_world_hash(world);
    for (size_t i = 0; i < COUNT_OF(solid_rows); i++) {
        struct solid_case c = {.values = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}};
        assert_true(cube_mesh_make(&c.mesh, 1, 1.0, origin));
        cube_mesh_describe(&c.mesh, &c.d);
        solid_rows[i].spoil(&c);
        pbs_body body = {99};
        assert_status(pbs_body_create_solid(world, &c.d, &body), solid_rows[i].status);
        assert_message(solid_rows[i].words);
        assert_true(body.id == 99);
        cube_mesh_free(&c.mesh);
    }
    assert_true(pbs_world_hash(world) == before);
    assert_int_equal(pbs_world_body_count(world), 1);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

/// What a negative ratio does no harm to takes it; so does any material zero, and ratios by
/// tetrahedron stand in for a common one that would be refused.
static void solids_take_ratios_that_leave_a_bound(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (int32_t material = 0; material < 4; material++) {
        const bool bounded = material_find(material)->unbounded == NULL;
        struct solid_case c = {.values = {0.1, 0.0, 0.1, 0.1, 0.1, 0.1}};
        assert_true(cube_mesh_make(&c.mesh, 1, 1.0, origin));
        cube_mesh_describe(&c.mesh, &c.d);
        c.d.material = material;
        c.d.poisson = bounded ? -0.9 : 0.0;
        pbs_body body;
        assert_ok(pbs_body_create_solid(world, &c.d, &body));
        c.d.poisson = -0.5;
        c.d.tet_poisson = c.values;
        assert_ok(pbs_body_create_solid(world, &c.d, &body));
        cube_mesh_free(&c.mesh);
    }
    pbs_world_destroy(world);
}

// --- custom bodies ---

struct custom_case {
    pbs_custom_desc d;
    double positions[9], masses[3];
    uint32_t stencils[4];
};

static void custom_describe(struct custom_case *c) {
    *c = (struct custom_case){.positions = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 0},
                              .masses = {1, 2, 3},
                              .stencils = {0, 1, 1, 2}};
    springs_describe(&c->d, 3, c->positions, c->masses, 2, c->stencils);
}

#define CUSTOM(name, ...) SPOIL(custom_##name, struct custom_case *c, __VA_ARGS__)

CUSTOM(positions_null, c->d.positions = NULL)
CUSTOM(masses_null, c->d.masses = NULL)
CUSTOM(stencils_null, c->d.stencils = NULL)
CUSTOM(evaluate_null, c->d.evaluate = NULL)
CUSTOM(width_zero, c->d.width = 0)
CUSTOM(width_nine, c->d.width = 9)
CUSTOM(index, c->stencils[3] = 3)
CUSTOM(repeated, c->stencils[2] = 2)
CUSTOM(mass_zero, c->masses[1] = 0.0)
CUSTOM(mass_nan, c->masses[2] = NAN)
CUSTOM(position, c->positions[4] = INFINITY)
CUSTOM(velocity, c->masses[0] = 1; c->positions[8] = NAN; c->d.velocities = c->positions)
CUSTOM(tag, c->d.tag = 0)
CUSTOM(concurrent, c->d.concurrent = 2)
CUSTOM(gravity, c->d.no_gravity = -1)
CUSTOM(no_vertices, c->d.vertex_count = 0)
CUSTOM(many, c->d.stencil_count = SIZE_MAX)

static const struct refusal custom_rows[] = {
    {custom_positions_null, PBS_ERROR_ARGUMENT, "positions is null"},
    {custom_masses_null, PBS_ERROR_ARGUMENT, "masses is null"},
    {custom_stencils_null, PBS_ERROR_ARGUMENT, "stencils is null"},
    {custom_evaluate_null, PBS_ERROR_ARGUMENT, "evaluate is null"},
    {custom_width_zero, PBS_ERROR_ARGUMENT, "width is 0"},
    {custom_width_nine, PBS_ERROR_ARGUMENT, "width is 9"},
    {custom_index, PBS_ERROR_MESH, "stencil 1: vertex 3"},
    {custom_repeated, PBS_ERROR_MESH, "stencil 1: vertex 2 twice"},
    {custom_mass_zero, PBS_ERROR_ARGUMENT, "masses of vertex 1: 0"},
    {custom_mass_nan, PBS_ERROR_ARGUMENT, "masses of vertex 2: nan"},
    {custom_position, PBS_ERROR_ARGUMENT, "positions of vertex 1: y is inf"},
    {custom_velocity, PBS_ERROR_ARGUMENT, "vertex 2: z is nan"},
    {custom_tag, PBS_ERROR_ARGUMENT, "tag is 0"},
    {custom_concurrent, PBS_ERROR_ARGUMENT, "concurrent is 2"},
    {custom_gravity, PBS_ERROR_ARGUMENT, "no_gravity is -1"},
    {custom_no_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 0"},
    {custom_many, PBS_ERROR_ARGUMENT, "stencil_count is 18446744073709551615"},
};

static void custom_bodies_refuse_bad_descriptions(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(custom_rows); i++) {
        struct custom_case c;
        custom_describe(&c);
        custom_rows[i].spoil(&c);
        pbs_body body = {0};
        assert_status(pbs_body_create_custom(world, &c.d, &body), custom_rows[i].status);
        assert_message(custom_rows[i].words);
    }
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

// --- colliders ---

#define COLLIDER(name, ...) SPOIL(collider_##name, pbs_collider_desc *d, __VA_ARGS__)

COLLIDER(shape, d->shape = 9)
COLLIDER(radius_zero, d->shape = PBS_SHAPE_SPHERE)
COLLIDER(radius_nan, d->shape = PBS_SHAPE_SPHERE; d->size[0] = NAN)
COLLIDER(box, d->shape = PBS_SHAPE_BOX; d->size[0] = d->size[1] = 1; d->size[2] = -1)
COLLIDER(hollow, d->hollow = 2)
COLLIDER(surface_material, d->surface_material = PBS_SURFACE_MATERIALS)
COLLIDER(position, d->position[1] = NAN)
COLLIDER(orientation, d->orientation[0] = 0.5)
COLLIDER(orientation_nan, d->orientation[3] = NAN)
COLLIDER(friction, d->friction = -0.1)
COLLIDER(size, d->struct_size = 7)

static const struct refusal collider_rows[] = {
    {collider_shape, PBS_ERROR_ARGUMENT, "9"},
    {collider_radius_zero, PBS_ERROR_ARGUMENT, "0"},
    {collider_radius_nan, PBS_ERROR_ARGUMENT, "nan"},
    {collider_box, PBS_ERROR_ARGUMENT, "-1"},
    {collider_hollow, PBS_ERROR_ARGUMENT, "hollow is 2"},
    {collider_surface_material, PBS_ERROR_ARGUMENT, "surface_material is 32"},
    {collider_position, PBS_ERROR_ARGUMENT, "position[1] is nan"},
    {collider_orientation, PBS_ERROR_ARGUMENT, "orientation is (0.5, 0, 0, 1)"},
    {collider_orientation_nan, PBS_ERROR_ARGUMENT, "unit quaternion"},
    {collider_friction, PBS_ERROR_ARGUMENT, "friction is -0.1"},
    {collider_size, PBS_ERROR_STRUCT_SIZE, "struct_size is 7"},
};

static void colliders_refuse_bad_descriptions(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(collider_rows); i++) {
        pbs_collider_desc d;
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        collider_rows[i].spoil(&d);
        pbs_collider collider = {0};
        assert_status(pbs_collider_create(world, &d, &collider), collider_rows[i].status);
        assert_message(collider_rows[i].words);
    }
    assert_int_equal(pbs_world_collider_count(world), 0);
    pbs_world_destroy(world);
}

// --- calls on a body ---

static void state_calls_refuse_bad_arguments(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    const uint64_t before = pbs_world_hash(world);
    double xyz[24] = {0.0};
    uint32_t vertices[3] = {0, 7, 8};
    assert_status(pbs_body_set_positions(world, body, xyz, 7), PBS_ERROR_ARGUMENT);
    assert_message("vertex_count is 7, but the body has 8");
    assert_status(pbs_body_set_positions(world, body, NULL, 8), PBS_ERROR_ARGUMENT);
    assert_message("positions is null");
    xyz[22] = NAN;
    assert_status(pbs_body_set_velocities(world, body, xyz, 8), PBS_ERROR_ARGUMENT);
    assert_message("velocities of vertex 7: y is nan");
    assert_status(pbs_body_pin(world, body, vertices, 3, PBS_AXIS_ALL), PBS_ERROR_ARGUMENT);
    assert_message("vertices[2] is 8, but the body has 8");
    assert_status(pbs_body_pin(world, body, vertices, 2, 8), PBS_ERROR_ARGUMENT);
    assert_message("axes is 0x8");
    assert_status(pbs_body_pin(world, body, vertices, 2, 0), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_unpin(world, body, vertices, 2, 0xff), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_pin(world, body, NULL, 2, PBS_AXIS_X), PBS_ERROR_ARGUMENT);
    assert_message("vertices is null");
    xyz[4] = INFINITY;
    assert_status(pbs_body_set_targets(world, body, vertices, 2, xyz), PBS_ERROR_ARGUMENT);
    assert_message("targets[1], of vertex 7: y is inf");
    assert_status(pbs_body_set_targets(world, body, vertices, 2, NULL), PBS_ERROR_ARGUMENT);
    assert_ok(pbs_body_pin(world, body, NULL, 0, PBS_AXIS_X));
    assert_true(pbs_world_hash(world) == before);
    pbs_world_destroy(world);
}

static void read_f32_refuses_bad_arguments(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    float buffer[64];
    assert_status(pbs_body_read_f32(world, body, 99, buffer, 12, 8), PBS_ERROR_ARGUMENT);
    assert_message("channel is 99");
    assert_status(pbs_body_read_f32(world, body, 0, NULL, 12, 8), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_read_f32(world, body, 0, buffer, 8, 8), PBS_ERROR_ARGUMENT);
    assert_message("stride_bytes is 8");
    assert_status(pbs_body_read_f32(world, body, 0, buffer, 14, 8), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_read_f32(world, body, 0, buffer, 12, 7), PBS_ERROR_CAPACITY);
    assert_message("capacity is 7 vertices, but the body has 8");
    pbs_world_destroy(world);
}

/// Vertex i lies at stride * i; what is between is not touched.
static void read_f32_keeps_to_its_stride(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    assert_ok(pbs_world_step(world, 0.01));
    const double *const sources[] = {pbs_body_positions(world, body),
                                     pbs_body_velocities(world, body)};
    for (size_t stride = 3; stride <= 8; stride++) {
        for (int32_t channel = PBS_CHANNEL_POSITION; channel <= PBS_CHANNEL_VELOCITY; channel++) {
            float buffer[64];
            for (size_t i = 0; i < 64; i++) {
                buffer[i] = -77.0f;
            }
            assert_ok(pbs_body_read_f32(world, body, channel, buffer, 4 * stride, 8));
            for (size_t i = 0; i < 8 * stride; i++) {
                const size_t k = i % stride;
                const float expected = k < 3 ? (float)sources[channel][3 * (i / stride) + k]
                                             : -77.0f;
                assert_true(buffer[i] == expected);
            }
        }
    }
    pbs_world_destroy(world);
}

/// At a corner of a cube, by symmetry of area, along the diagonal; here every corner's three faces
/// meet in one to two triangles of equal area each, so components are 1 : 1 : 2 or 1 : 1 : 1 and
/// point outward.
static void normals_are_unit_and_outward(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    float normals[24];
    assert_ok(pbs_body_read_f32(world, body, PBS_CHANNEL_NORMAL, normals, 12, 8));
    const double *x = pbs_body_positions(world, body);
    for (size_t v = 0; v < 8; v++) {
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            const double n = (double)normals[3 * v + k];
            square += n * n;
            assert_true(n * (x[3 * v + k] - 0.5) > 0.0);
        }
        assert_near(square, 1.0, 4e-7, "a unit vector in floats");
    }
    pbs_world_destroy(world);
}

static void surfaces_are_those_of_a_cube(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 1.0, origin, NULL);
    const uint32_t *indices = NULL;
    size_t count = 0;
    assert_ok(pbs_body_surface(world, body, &indices, &count));
    assert_int_equal(count, 12);
    assert_status(pbs_body_surface(world, body, NULL, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_surface(world, body, &indices, NULL), PBS_ERROR_ARGUMENT);
    struct custom_case c;
    custom_describe(&c);
    pbs_body custom;
    assert_ok(pbs_body_create_custom(world, &c.d, &custom));
    assert_ok(pbs_body_surface(world, custom, &indices, &count));
    assert_true(indices == NULL && count == 0);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_refuse_bad_descriptions),
        cmocka_unit_test(solids_take_ratios_that_leave_a_bound),
        cmocka_unit_test(custom_bodies_refuse_bad_descriptions),
        cmocka_unit_test(colliders_refuse_bad_descriptions),
        cmocka_unit_test(state_calls_refuse_bad_arguments),
        cmocka_unit_test(read_f32_refuses_bad_arguments),
        cmocka_unit_test(read_f32_keeps_to_its_stride),
        cmocka_unit_test(normals_are_unit_and_outward),
        cmocka_unit_test(surfaces_are_those_of_a_cube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
