// Numbers that are not finite or out of their range, in every call that takes numbers. Each is
// refused with a message that names the member, the index and the value, and nothing changes.
// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "support/world_testing.h"

static const double origin[3] = {0.0, 0.0, 0.0};
static const double not_finite[] = {NAN, INFINITY, -INFINITY};

/// Asserts that the message of the last error contains the formatted text.
static void assert_says(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void assert_says(const char *format, ...) {
    char words[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    assert_message(words);
}

// --- numbers of a description ---

/// A member of a description and values it must not have, besides those that are not finite.
struct number_row {
    const char *name;
    size_t offset;
    size_t bad_count;
    double bad[3];
};

#define NUMBER(type, member, count, ...)                                                           \
    {                                                                                              \
#member, offsetof(type, member), count, {                                                  \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/// The bad value of this index of a row, then those that are not finite; false beyond the last.
static bool bad_value(const struct number_row *row, size_t index, double *value) {
    if (index < row->bad_count) {
        *value = row->bad[index];
        return true;
    }
    if (index < row->bad_count + COUNT_OF(not_finite)) {
        *value = not_finite[index - row->bad_count];
        return true;
    }
    return false;
}

/// Every bad value of every row is refused by a call that writes it into a description.
static void assert_numbers_are_named(const struct number_row *rows, size_t row_count,
                                     pbs_status (*create)(size_t offset, double value)) {
    for (size_t r = 0; r < row_count; r++) {
        double value;
        for (size_t i = 0; bad_value(&rows[r], i, &value); i++) {
            assert_status(create(rows[r].offset, value), PBS_ERROR_ARGUMENT);
            assert_says("%s is %g", rows[r].name, value);
        }
    }
}

static pbs_status create_world(size_t offset, double value) {
    pbs_world_desc d;
    scene_settings(&d);
    memcpy((char *)&d + offset, &value, sizeof value);
    pbs_world *world = NULL;
    const pbs_status status = pbs_world_create(&d, &world);
    assert_null(world);
    return status;
}

static pbs_status create_world_expertly(size_t offset, double value) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    memcpy((char *)&expert + offset, &value, sizeof value);
    pbs_world *world = NULL;
    const pbs_status status = pbs_world_create(&d, &world);
    assert_null(world);
    return status;
}

static void worlds_name_the_number(void **state) {
    (void)state;
    static const struct number_row rows[] = {
        NUMBER(pbs_world_desc, tolerance, 1, -1.0),
        NUMBER(pbs_world_desc, relative_tolerance, 1, -1e-9),
        NUMBER(pbs_world_desc, gravity[0], 0, 0.0),
        NUMBER(pbs_world_desc, gravity[1], 0, 0.0),
        NUMBER(pbs_world_desc, gravity[2], 0, 0.0),
    };
    static const struct number_row expert_rows[] = {
        NUMBER(pbs_expert_desc, forcing, 1, -0.5),
        NUMBER(pbs_expert_desc, step_length_limit, 1, -2.0),
    };
    assert_numbers_are_named(rows, COUNT_OF(rows), create_world);
    assert_numbers_are_named(expert_rows, COUNT_OF(expert_rows), create_world_expertly);
}

static pbs_status create_solid(size_t offset, double value) {
    pbs_world *world = new_world();
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    memcpy((char *)&d + offset, &value, sizeof value);
    pbs_body body = {0};
    const pbs_status status = cube_create(world, 1, 1.0, origin, &d, &body);
    assert_true(body.id == 0);
    pbs_world_destroy(world);
    return status;
}

static void solids_name_the_number(void **state) {
    (void)state;
    static const struct number_row rows[] = {
        NUMBER(pbs_solid_desc, density, 2, 0.0, -3.0),
        NUMBER(pbs_solid_desc, young, 2, 0.0, -1.0),
        NUMBER(pbs_solid_desc, poisson, 3, -1.0, 0.5, 7.0),
        NUMBER(pbs_solid_desc, damping, 1, -0.5),
        NUMBER(pbs_solid_desc, drag, 1, -0.5),
    };
    assert_numbers_are_named(rows, COUNT_OF(rows), create_solid);
}

static pbs_status create_custom(size_t offset, double value) {
    pbs_world *world = new_world();
    const double positions[3] = {0.0, 0.0, 0.0}, mass = 1.0;
    pbs_custom_desc d;
    springs_describe(&d, 1, positions, &mass, 0, NULL);
    memcpy((char *)&d + offset, &value, sizeof value);
    pbs_body body = {0};
    const pbs_status status = pbs_body_create_custom(world, &d, &body);
    assert_true(body.id == 0);
    pbs_world_destroy(world);
    return status;
}

static void custom_bodies_name_the_number(void **state) {
    (void)state;
    static const struct number_row rows[] = {NUMBER(pbs_custom_desc, damping, 1, -0.5)};
    assert_numbers_are_named(rows, COUNT_OF(rows), create_custom);
}

/// Arrays of a solid by tetrahedron, spoilt at each place in turn.
static void solids_name_the_tetrahedron(void **state) {
    (void)state;
    static const struct number_row rows[] = {
        NUMBER(pbs_solid_desc, tet_density, 2, 0.0, -3.0),
        NUMBER(pbs_solid_desc, tet_young, 2, 0.0, -1.0),
        NUMBER(pbs_solid_desc, tet_poisson, 3, -1.0, 0.5, 7.0),
    };
    pbs_world *world = new_world();
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        double value;
        for (size_t i = 0; bad_value(&rows[r], i, &value); i++) {
            double values[6] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
            const double *array = values;
            const size_t tet = (r + i) % 6;
            values[tet] = value;
            pbs_solid_desc d;
            assert_ok(pbs_solid_desc_init(&d, sizeof d));
            memcpy((char *)&d + rows[r].offset, &array, sizeof array);
            pbs_body body = {0};
            assert_status(cube_create(world, 1, 1.0, origin, &d, &body), PBS_ERROR_ARGUMENT);
            assert_says("%s of tetrahedron %zu is %g", rows[r].name, tet, value);
        }
    }
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

/// Three numbers a vertex, of solids and of custom bodies, spoilt at each place in turn.
static void bodies_name_the_vertex(void **state) {
    (void)state;
    static const char *const solid_names[] = {"positions", "initial_positions",
                                              "initial_velocities"};
    static const char *const custom_names[] = {"positions", "velocities"};
    pbs_world *world = new_world();
    struct cube_mesh mesh;
    assert_true(cube_mesh_make(&mesh, 1, 1.0, origin));
    for (size_t i = 0; i < 24 * COUNT_OF(not_finite); i++) {
        const size_t at = i / COUNT_OF(not_finite);
        const double value = not_finite[i % COUNT_OF(not_finite)];
        double state_of[24], masses[8];
        memcpy(state_of, mesh.positions, sizeof state_of);
        state_of[at] = value;
        for (int k = 0; k < 8; k++) {
            masses[k] = 1.0;
        }
        for (size_t member = 0; member < COUNT_OF(solid_names); member++) {
            pbs_solid_desc d;
            cube_mesh_describe(&mesh, &d);
            const double **const arrays[] = {&d.positions, &d.initial_positions,
                                             &d.initial_velocities};
            *arrays[member] = state_of;
            pbs_body body = {0};
            assert_status(pbs_body_create_solid(world, &d, &body), PBS_ERROR_ARGUMENT);
            assert_says("%s of vertex %zu: %c is %g", solid_names[member], at / 3, "xyz"[at % 3],
                        value);
        }
        for (size_t member = 0; member < COUNT_OF(custom_names); member++) {
            pbs_custom_desc d;
            springs_describe(&d, 8, mesh.positions, masses, 0, NULL);
            *(member == 0 ? &d.positions : &d.velocities) = state_of;
            pbs_body body = {0};
            assert_status(pbs_body_create_custom(world, &d, &body), PBS_ERROR_ARGUMENT);
            assert_says("%s of vertex %zu: %c is %g", custom_names[member], at / 3, "xyz"[at % 3],
                        value);
        }
    }
    cube_mesh_free(&mesh);
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

static void custom_bodies_name_the_mass(void **state) {
    (void)state;
    static const double bad[] = {0.0, -2.0, 1e-320, NAN, INFINITY, -INFINITY};
    pbs_world *world = new_world();
    for (size_t i = 0; i < 3 * COUNT_OF(bad); i++) {
        const double positions[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0};
        double masses[3] = {1.0, 2.0, 3.0};
        const double value = bad[i / 3];
        masses[i % 3] = value;
        pbs_custom_desc d;
        springs_describe(&d, 3, positions, masses, 0, NULL);
        pbs_body body = {0};
        assert_status(pbs_body_create_custom(world, &d, &body), PBS_ERROR_ARGUMENT);
        assert_says("masses of vertex %zu: %g", i % 3, value);
    }
    pbs_world_destroy(world);
}

// --- elements ---

/// Each tetrahedron of a cube spoilt in each way; the message names it and what is wrong with it.
static void solids_name_the_bad_element(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t i = 0; i < 6 * 4; i++) {
        const size_t tet = i / 4;
        struct cube_mesh mesh;
        pbs_solid_desc d;
        assert_true(cube_mesh_make(&mesh, 1, 1.0, origin));
        cube_mesh_describe(&mesh, &d);
        uint32_t *v = mesh.tets + 4 * tet;
        const uint32_t first = v[0];
        pbs_body body = {0};

        v[i % 4] = UINT32_MAX;
        assert_status(pbs_body_create_solid(world, &d, &body), PBS_ERROR_MESH);
        assert_says("tetrahedron %zu: vertex index %u, must be below 8", tet, UINT32_MAX);
        v[i % 4] = v[(i + 1) % 4];
        assert_status(pbs_body_create_solid(world, &d, &body), PBS_ERROR_MESH);
        assert_says("tetrahedron %zu: vertex %u twice", tet, v[i % 4]);
        cube_mesh_free(&mesh);

        // Two vertices exchanged turn it inside out: minus a sixth of the cube's volume.
        assert_true(cube_mesh_make(&mesh, 1, 1.0, origin));
        cube_mesh_describe(&mesh, &d);
        v = mesh.tets + 4 * tet;
        v[0] = v[1];
        v[1] = first;
        assert_status(pbs_body_create_solid(world, &d, &body), PBS_ERROR_MESH);
        assert_says("tetrahedron %zu: rest volume -0.166667 m^3", tet);
        cube_mesh_free(&mesh);
    }
    // All in one plane: the first one found is flat.
    struct cube_mesh mesh;
    pbs_solid_desc d;
    pbs_body body = {0};
    assert_true(cube_mesh_make(&mesh, 1, 1.0, origin));
    cube_mesh_describe(&mesh, &d);
    for (int v = 0; v < 8; v++) {
        mesh.positions[3 * v + 2] = mesh.positions[3 * v];
    }
    assert_status(pbs_body_create_solid(world, &d, &body), PBS_ERROR_MESH);
    assert_message("tetrahedron 0: rest volume 0 m^3");
    cube_mesh_free(&mesh);
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

// --- colliders ---

static void colliders_name_the_number(void **state) {
    (void)state;
    static const struct number_row rows[] = {
        NUMBER(pbs_collider_desc, size[0], 2, 0.0, -1.0),
        NUMBER(pbs_collider_desc, size[1], 2, 0.0, -1.0),
        NUMBER(pbs_collider_desc, size[2], 2, 0.0, -1.0),
        NUMBER(pbs_collider_desc, position[0], 0, 0.0),
        NUMBER(pbs_collider_desc, position[1], 0, 0.0),
        NUMBER(pbs_collider_desc, position[2], 0, 0.0),
        NUMBER(pbs_collider_desc, friction, 1, -0.1),
    };
    // How many sizes each shape has.
    static const size_t size_count[] = {0, 1, 3, 2, 2};
    pbs_world *world = new_world();
    for (size_t r = 0; r < COUNT_OF(rows) * COUNT_OF(size_count); r++) {
        const struct number_row *row = &rows[r % COUNT_OF(rows)];
        const size_t shape = r / COUNT_OF(rows);
        double value;
        for (size_t i = 0; bad_value(row, i, &value); i++) {
            pbs_collider_desc d;
            assert_ok(pbs_collider_desc_init(&d, sizeof d));
            d.shape = (int32_t)shape;
            d.size[0] = d.size[1] = d.size[2] = 1.0;
            memcpy((char *)&d + row->offset, &value, sizeof value);
            pbs_collider collider = {0};
            // Sizes that a shape does not have are not read.
            const bool read = r % COUNT_OF(rows) >= 3 || r % COUNT_OF(rows) < size_count[shape];
            assert_status(pbs_collider_create(world, &d, &collider),
                          read ? PBS_ERROR_ARGUMENT : PBS_OK);
            if (read) {
                assert_says("%s is %g", row->name, value);
            }
        }
    }
    pbs_world_destroy(world);
}

static void poses_name_the_number(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const pbs_collider collider = pbs_world_collider_at(world, 0);
    static const double unit[4] = {0.0, 0.0, 0.0, 1.0};
    double before[4], after[4];
    assert_ok(pbs_collider_pose(world, collider, NULL, before));
    for (size_t i = 0; i < 4 * COUNT_OF(not_finite); i++) {
        const double value = not_finite[i / 4];
        double position[3] = {0.0}, orientation[4] = {0.0, 0.0, 0.0, 1.0};
        pbs_collider_desc d;
        pbs_collider made = {0};
        assert_ok(pbs_collider_desc_init(&d, sizeof d));
        orientation[i % 4] = d.orientation[i % 4] = value;
        assert_status(pbs_collider_create(world, &d, &made), PBS_ERROR_ARGUMENT);
        assert_says("%g", value);
        assert_status(pbs_collider_set_motion(world, collider, origin, orientation),
                      PBS_ERROR_ARGUMENT);
        assert_message("orientation is (");
        assert_says("%g", value);
        if (i % 4 < 3) {
            position[i % 4] = value;
            assert_status(pbs_collider_set_motion(world, collider, position, unit),
                          PBS_ERROR_ARGUMENT);
            assert_says("position[%zu] is %g", i % 4, value);
        }
    }
    // None of them left a motion behind.
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_collider_pose(world, collider, NULL, after));
    assert_same_bits(before, after, 4);
    pbs_world_destroy(world);
}

// --- state and time ---

static void state_calls_name_the_number(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const pbs_body body = pbs_world_body_at(world, 0);
    const uint64_t hash = pbs_world_hash(world);
    static const uint32_t vertices[3] = {7, 5, 110};
    for (size_t i = 0; i < 9 * COUNT_OF(not_finite); i++) {
        const size_t at = i / COUNT_OF(not_finite);
        const double value = not_finite[i % COUNT_OF(not_finite)];
        double xyz[375] = {0.0}, targets[9] = {0.0}, gravity[3] = {0.0};
        xyz[40 * at] = value;
        targets[at] = value;
        gravity[at % 3] = value;
        const size_t vertex = 40 * at / 3;
        const char axis = "xyz"[40 * at % 3];
        assert_status(pbs_body_set_positions(world, body, xyz, 125), PBS_ERROR_ARGUMENT);
        assert_says("positions of vertex %zu: %c is %g", vertex, axis, value);
        assert_status(pbs_body_set_velocities(world, body, xyz, 125), PBS_ERROR_ARGUMENT);
        assert_says("velocities of vertex %zu: %c is %g", vertex, axis, value);
        assert_status(pbs_body_set_targets(world, body, vertices, 3, targets), PBS_ERROR_ARGUMENT);
        assert_says("targets[%zu], of vertex %u: %c is %g", at / 3, (unsigned)vertices[at / 3],
                    "xyz"[at % 3], value);
        assert_status(pbs_world_set_gravity(world, gravity), PBS_ERROR_ARGUMENT);
        assert_says("gravity[%zu] is %g", at % 3, value);
    }
    static const double steps[] = {0.0, -0.0, -0.25, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        assert_status(pbs_world_step(world, steps[i]), PBS_ERROR_ARGUMENT);
        assert_says("the step's length is %g", steps[i]);
        assert_status(pbs_world_advance(world, steps[i]), PBS_ERROR_ARGUMENT);
        assert_says("duration is %g", steps[i]);
    }
    assert_true(pbs_world_hash(world) == hash);
    assert_int_equal(stats_of(world).total.failed_steps, 0);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

/// Seconds add up to a number, as what is saved is to be restored.
static void time_stays_finite(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(pbs_world_step(world, 1e308));
    assert_status(pbs_world_step(world, 1e308), PBS_ERROR_ARGUMENT);
    assert_message("the step's length is 1e+308 s, after 1e+308 s");
    assert_status(pbs_world_advance(world, 1e308), PBS_ERROR_ARGUMENT);
    assert_message("duration is 1e+308 s, after 1e+308 s");
    assert_true(pbs_world_time(world) == 1e308);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    free(saved.data);
    pbs_world_destroy(world);
}

/// A step so long that what it loses is no number fails, also where it may land unconverged in a
/// state that is finite.
static void what_is_lost_stays_finite(void **state) {
    (void)state;
    const double corner[3] = {0.0, 0.0, 0.0};
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    d.newton_limit = 4;
    expert.linear_limit = 20;
    expert.allow_unconverged = 1;
    pbs_world *world = new_world_from(&d);
    add_cube(world, 1, 0.4, corner, NULL);
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_world_step(world, 1e308), PBS_ERROR_INADMISSIBLE);
    assert_message("the step of 1e+308 s dissipates");
    assert_true(pbs_world_hash(world) == hash);
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

/// Counts and indices of calls on a body, one off and far off.
static void state_calls_name_the_count_and_the_index(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const pbs_body body = pbs_world_body_at(world, 0);
    static const size_t counts[] = {0, 124, 126, SIZE_MAX};
    const double xyz[3] = {0.0};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        assert_status(pbs_body_set_positions(world, body, xyz, counts[i]), PBS_ERROR_ARGUMENT);
        assert_says("vertex_count is %zu, but the body has 125", counts[i]);
        assert_status(pbs_body_set_velocities(world, body, xyz, counts[i]), PBS_ERROR_ARGUMENT);
        assert_says("vertex_count is %zu, but the body has 125", counts[i]);
    }
    static const uint32_t bad[] = {125, UINT32_MAX};
    const double targets[9] = {0.0};
    for (size_t i = 0; i < 3 * COUNT_OF(bad); i++) {
        uint32_t vertices[3] = {0, 1, 2};
        vertices[i % 3] = bad[i / 3];
        const pbs_status answers[] = {
            pbs_body_pin(world, body, vertices, 3, PBS_AXIS_ALL),
            pbs_body_unpin(world, body, vertices, 3, PBS_AXIS_ALL),
            pbs_body_set_targets(world, body, vertices, 3, targets),
        };
        for (size_t k = 0; k < COUNT_OF(answers); k++) {
            assert_int_equal(answers[k], PBS_ERROR_ARGUMENT);
        }
        assert_says("vertices[%zu] is %u, but the body has 125", i % 3, (unsigned)bad[i / 3]);
    }
    // Nothing was pinned by a call that was refused: the whole body falls.
    assert_ok(pbs_world_step(world, 0.01));
    const double *v = pbs_body_velocities(world, body);
    for (size_t i = 0; i < 3; i++) {
        assert_true(v[3 * i + 1] < 0.0);
    }
    pbs_world_destroy(world);
}

/// Counts that no array has: where they are multiplied by what an element needs they are small
/// again, so that few elements were checked and many read. Nothing but the count is looked at.
static void counts_that_no_array_has_are_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(scene_fill(world, 0));
    const pbs_body body = pbs_world_body_at(world, 0);
    static const size_t counts[] = {SIZE_MAX,         SIZE_MAX / 2 + 1,  SIZE_MAX / 3 + 1,
                                    SIZE_MAX / 9 + 1, SIZE_MAX / 24 + 1, SIZE_MAX / 8 + 2};
    const double positions[12] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1};
    const double radii[4] = {0.02, 0.02, 0.02, 0.02};
    const uint32_t bonds[2] = {0, 1}, vertices[12] = {0};
    pbs_bonded_desc chain;
    pbs_body particles;
    assert_ok(pbs_bonded_desc_init(&chain, sizeof chain));
    chain.particle_count = 4;
    chain.positions = positions;
    chain.radii = radii;
    chain.bond_count = 1;
    chain.bonds = bonds;
    chain.bond_radius = 0.01;
    assert_ok(pbs_body_create_bonded(world, &chain, &particles));
    const uint64_t hash = pbs_world_hash(world);
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        const size_t count = counts[i];
        pbs_point point;
        size_t cut = 7;
        pbs_embedding *embedding = NULL;
        pbs_embedding_desc d;
        pbs_overlap_desc query;
        size_t rows = 0;
        assert_ok(pbs_embedding_desc_init(&d, sizeof d));
        d.body = body;
        d.point_count = 4;
        d.positions = positions;
        d.triangle_count = count;
        d.triangles = vertices;
        assert_ok(pbs_overlap_desc_init(&query, sizeof query));
        query.vertex_count = 4;
        query.positions = positions;
        query.triangle_count = count;
        query.triangles = vertices;
        const pbs_status answers[] = {
            pbs_body_pin(world, body, vertices, count, PBS_AXIS_ALL),
            pbs_body_unpin(world, body, vertices, count, PBS_AXIS_ALL),
            pbs_body_set_targets(world, body, vertices, count, positions),
            pbs_body_break_bonds(world, particles, vertices, count),
            pbs_body_cut_triangles(world, particles, positions, count, &cut),
            pbs_body_pin_orientations(world, particles, vertices, count),
            pbs_body_unpin_orientations(world, particles, vertices, count),
            pbs_body_set_target_orientations(world, particles, vertices, count, positions),
            pbs_body_set_orientations(world, particles, positions, count),
            pbs_body_set_angular_velocities(world, particles, positions, count),
            pbs_body_set_critical_stretches(world, particles, positions, count),
            pbs_body_set_forces(world, body, positions, count),
            pbs_body_set_parameter(world, body, PBS_PARAMETER_YOUNG, positions, count),
            pbs_body_set_rest_angles(world, body, positions, count),
            pbs_world_locate(world, body, positions, count, &point, sizeof point, NULL),
            pbs_world_overlaps(world, &query, NULL, sizeof(pbs_overlap), &rows),
            pbs_embedding_create(world, &d, &embedding),
        };
        for (size_t k = 0; k < COUNT_OF(answers); k++) {
            assert_int_equal(answers[k], PBS_ERROR_ARGUMENT);
        }
        assert_says("triangle_count is %zu", count);
        assert_true(cut == 7 && embedding == NULL && rows == 0);
    }
    assert_true(pbs_world_hash(world) == hash);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_name_the_number),
        cmocka_unit_test(solids_name_the_number),
        cmocka_unit_test(solids_name_the_tetrahedron),
        cmocka_unit_test(custom_bodies_name_the_number),
        cmocka_unit_test(bodies_name_the_vertex),
        cmocka_unit_test(custom_bodies_name_the_mass),
        cmocka_unit_test(solids_name_the_bad_element),
        cmocka_unit_test(colliders_name_the_number),
        cmocka_unit_test(poses_name_the_number),
        cmocka_unit_test(state_calls_name_the_number),
        cmocka_unit_test(time_stays_finite),
        cmocka_unit_test(what_is_lost_stays_finite),
        cmocka_unit_test(state_calls_name_the_count_and_the_index),
        cmocka_unit_test(counts_that_no_array_has_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
