// Render meshes follow the bodies that carry them: exactly, if the motion is affine or rigid.
// SPDX-License-Identifier: MIT
#include "world/embedding/embedding_testing.h"
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/quaternion.h"

static struct motion random_rigid(struct random *random) {
    struct motion motion;
    random_rotation(random, motion.matrix);
    random_fill(random, -1.0, 1.0, motion.shift, 3);
    return motion;
}

/// Updates the embedding, and asserts that its points are the images of `rest` under the motion.
static void assert_carried(pbs_embedding *e, const pbs_world *world, const struct motion *motion,
                           const double *rest, double tolerance) {
    double *out = calloc(pbs_embedding_point_count(e), 3 * sizeof *out);
    assert_non_null(out);
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    for (size_t i = 0; i < pbs_embedding_point_count(e); i++) {
        double expected[3];
        move(motion, rest + 3 * i, expected);
        assert_small(testing_max_difference(out + 3 * i, expected, 3), tolerance, "place");
    }
    free(out);
}

// --- solids ---

/// Half of the points are up to an edge of the cube outside of it. Places of 1 m, and offsets of
/// 0.7 m times gradients whose rounding is a few epsilon: 1e-14 m.
static void solids_carry_affine_motions_exactly(void **state) {
    (void)state;
    static const double corner[3] = {0.2, 0.1, -0.3};
    double rest[3 * POINTS];
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 3, 0.5, corner, NULL);
    struct random random = random_seed(1);
    for (size_t i = 0; i < POINTS; i++) {
        const double beyond = i % 2 == 0 ? 0.0 : 0.5;
        random_fill(&random, -beyond, 0.5 + beyond, rest + 3 * i, 3);
        add3(rest + 3 * i, corner, rest + 3 * i);
    }
    const pbs_embedding_desc d = describe(cube, rest, POINTS);
    pbs_embedding *e = bind(world, &d);
    move_body(world, cube, &sheared);
    assert_carried(e, world, &sheared, rest, 1e-14);
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// Neighbours on both sides of a face stay neighbours in a bent body, inside and outside.
static void bent_solids_tear_nothing(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    enum { ROW = 2000 };
    double *rest = calloc(2 * ROW, 3 * sizeof *rest);
    double *out = calloc(2 * ROW, 3 * sizeof *out);
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 1.0, corner, NULL);
    assert_non_null(rest);
    assert_non_null(out);
    for (size_t i = 0; i < 2 * ROW; i++) { // two lines, one through the cube, one beside it
        rest[3 * i] = (double)(i % ROW) / ROW;
        rest[3 * i + 1] = i < ROW ? 0.6 * rest[3 * i] : 1.3;
        rest[3 * i + 2] = 0.37;
    }
    const pbs_embedding_desc d = describe(cube, rest, 2 * ROW);
    pbs_embedding *e = bind(world, &d);
    const size_t count = pbs_body_vertex_count(world, cube);
    double *x = calloc(3 * count, sizeof *x);
    assert_non_null(x);
    memcpy(x, pbs_body_positions(world, cube), 3 * count * sizeof *x);
    for (size_t i = 0; i < count; i++) {
        x[3 * i + 1] += 0.8 * x[3 * i] * x[3 * i];
    }
    assert_ok(pbs_body_set_positions(world, cube, x, count));
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    for (size_t i = 1; i < 2 * ROW; i++) {
        // No gradient is larger than that of the bending, |F| < 1 + 1.6, anywhere.
        double gap[3];
        subtract3(out + 3 * i, out + 3 * (i - 1), gap);
        assert_true(i == ROW || norm3(gap) < 2.6 * 1.2 / ROW);
    }
    free(x);
    free(rest);
    free(out);
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// The mesh that a host gives in floats comes back in floats.
static void the_rest_shape_is_the_input(void **state) {
    (void)state;
    static const double corner[3] = {0.2, 0.1, -0.3}, sheet_corner[3] = {0.0, 0.3, 0.0};
    enum { STRIDE = 5 };
    float given[STRIDE * POINTS], out[4 * POINTS];
    pbs_world *world = new_world();
    const pbs_body bodies[2] = {add_cube(world, 3, 0.5, corner, NULL),
                                add_sheet(world, 3, 0.5, sheet_corner, NULL)};
    struct random random = random_seed(2);
    for (size_t i = 0; i < STRIDE * POINTS; i++) {
        given[i] = (float)random_uniform(&random, -0.5, 1.0);
    }
    for (int b = 0; b < 2; b++) {
        pbs_embedding_desc d = describe(bodies[b], NULL, POINTS);
        d.positions_f32 = given;
        d.position_stride = STRIDE * sizeof *given;
        pbs_embedding *e = bind(world, &d);
        for (size_t i = 0; i < 4 * POINTS; i++) {
            out[i] = 77.0F;
        }
        assert_ok(
            pbs_embedding_read_f32(e, PBS_CHANNEL_POSITION, 1.0, 0, POINTS, out, 4 * sizeof *out));
        for (size_t i = 0; i < POINTS; i++) {
            for (size_t k = 0; k < 3; k++) {
                // An ulp of the largest coordinates, which all others are sums of.
                assert_near((double)out[4 * i + k], (double)given[STRIDE * i + k], 0x1p-24,
                            "coordinate");
            }
            assert_true(out[4 * i + 3] == 77.0F);
        }
        pbs_embedding_destroy(e);
    }
    pbs_world_destroy(world);
}

/// Corners of a cube, one for each face, so that normals are those of faces.
static void make_faces(double *x, float *normals, uint32_t *triangles) {
    for (uint32_t f = 0; f < 6; f++) {
        const uint32_t axis = f / 2;
        const bool is_high = f % 2 == 1;
        for (uint32_t i = 0; i < 4; i++) {
            double *at = x + 3 * (4 * f + i);
            at[axis] = is_high ? 0.5 : 0.0;
            at[(axis + 1) % 3] = i % 2 == 0 ? 0.0 : 0.5;
            at[(axis + 2) % 3] = i / 2 == 0 ? 0.0 : 0.5;
            for (uint32_t k = 0; k < 3; k++) {
                normals[3 * (4 * f + i) + k] = k != axis ? 0.0F : is_high ? 1.0F : -1.0F;
            }
        }
        const uint32_t outward[6] = {0, 1, 2, 2, 1, 3};
        for (uint32_t k = 0; k < 6; k++) {
            triangles[6 * f + k] = 4 * f + outward[is_high ? k : 5 - k];
        }
    }
}

/// A face's normal is the cross product of its sheared edges, given or made of the triangles.
static void normals_of_a_sheared_cube_are_exact(void **state) {
    (void)state;
    static const double corner[3] = {0.0};
    double x[72], out[72];
    float normals[72];
    uint32_t triangles[36];
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 2, 0.5, corner, NULL);
    make_faces(x, normals, triangles);
    pbs_embedding_desc d = describe(cube, x, 24);
    d.triangles = triangles;
    d.triangle_count = 12;
    pbs_embedding *made = bind(world, &d);
    d.normals_f32 = normals;
    pbs_embedding *given = bind(world, &d);
    move_body(world, cube, &sheared);
    pbs_embedding *const both[2] = {made, given};
    for (int e = 0; e < 2; e++) {
        assert_ok(pbs_embedding_update(both[e], world));
        read_all(both[e], PBS_CHANNEL_NORMAL, 1.0, out);
        for (size_t i = 0; i < 24; i++) {
            double edges[2][3], expected[3];
            const uint32_t *v = triangles + 6 * (i / 4);
            for (size_t k = 0; k < 2; k++) {
                subtract3(x + 3 * v[k + 1], x + 3 * v[0], expected);
                multiply3(sheared.matrix, expected, edges[k]);
            }
            cross3(edges[0], edges[1], expected);
            scale3(1.0 / norm3(expected), expected, expected);
            assert_small(testing_max_difference(out + 3 * i, expected, 3), 1e-14, "normal");
        }
        pbs_embedding_destroy(both[e]);
    }
    pbs_world_destroy(world);
}

// --- other bodies ---

static void affine_bodies_carry_their_own_coordinates(void **state) {
    (void)state;
    static const double sides[3] = {0.4, 0.2, 0.3};
    double rest[3 * POINTS], out[3 * POINTS];
    float normals[3 * POINTS];
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body brick;
    pbs_world *world = new_world();
    struct random random = random_seed(4);
    struct motion motion;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.orientation[1] = 0.6;
    d.orientation[3] = 0.8;
    assert_ok(pbs_body_create_affine(world, &d, &brick));
    move_body(world, brick, &sheared);
    random_fill(&random, -1.0, 1.0, rest, 3 * POINTS);
    for (size_t i = 0; i < 3 * POINTS; i++) {
        normals[i] = (float)random_uniform(&random, -1.0, 1.0);
    }
    pbs_embedding_desc ed = describe(brick, rest, POINTS);
    ed.normals_f32 = normals;
    pbs_embedding *e = bind(world, &ed);
    assert_ok(pbs_body_transform(world, brick, motion.shift, motion.matrix));
    assert_carried(e, world, &motion, rest, 1e-14);
    read_all(e, PBS_CHANNEL_NORMAL, 1.0, out);
    for (size_t i = 0; i < POINTS; i++) {
        // A normal is what stays perpendicular to what is carried along: n . A t = 0 where
        // n0 . t = 0.
        const double n0[3] = {(double)normals[3 * i], (double)normals[3 * i + 1],
                              (double)normals[3 * i + 2]};
        double tangents[2][3], carried[3], unit[3];
        scale3(1.0 / norm3(n0), n0, unit);
        tangents3(unit, tangents);
        for (int k = 0; k < 2; k++) {
            multiply3(motion.matrix, tangents[k], carried);
            assert_small(fabs(dot3(carried, out + 3 * i)), 1e-14, "angle to a tangent");
        }
        multiply3(motion.matrix, unit, carried);
        assert_true(dot3(carried, out + 3 * i) > 0.0);
        assert_near(norm3(out + 3 * i), 1.0, 1e-15, "length");
    }
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// Rigid motions carry everything; stretching takes along what lies on the sheet and leaves
/// distances from it.
static void shells_carry_rigid_motions_exactly(void **state) {
    (void)state;
    static const double corner[3] = {0.1, 0.2, 0.3};
    double rest[3 * POINTS], out[3 * POINTS], normals[3 * POINTS];
    float upward[3 * POINTS];
    pbs_world *world = new_world();
    const pbs_body sheet = add_sheet(world, 4, 1.0, corner, NULL);
    struct random random = random_seed(6);
    for (size_t i = 0; i < POINTS; i++) {
        random_fill(&random, 0.0, 1.0, rest + 3 * i, 3);
        rest[3 * i + 1] *= i % 2 == 0 ? 0.2 : 0.0;
        add3(rest + 3 * i, corner, rest + 3 * i);
        upward[3 * i] = upward[3 * i + 2] = 0.0F;
        upward[3 * i + 1] = 1.0F;
    }
    pbs_embedding_desc d = describe(sheet, rest, POINTS);
    d.normals_f32 = upward;
    pbs_embedding *e = bind(world, &d);
    static const struct motion wider = {{1.5, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0, 0.0, 0.8}, {0.0}};
    move_body(world, sheet, &wider);
    const struct motion up = {{1.5, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0, 0.0, 0.8}, {0.0, 0.0, 0.0}};
    assert_carried(e, world, &up, rest, 1e-14);
    const struct motion turn = random_rigid(&random);
    double moved[3 * POINTS];
    read_all(e, PBS_CHANNEL_POSITION, 1.0, moved);
    move_body(world, sheet, &turn);
    assert_carried(e, world, &turn, moved, 1e-14);
    read_all(e, PBS_CHANNEL_NORMAL, 1.0, normals);
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    for (size_t i = 0; i < POINTS; i++) {
        const double expected[3] = {turn.matrix[1], turn.matrix[4], turn.matrix[7]};
        assert_small(testing_max_difference(normals + 3 * i, expected, 3), 1e-14, "normal");
    }
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// Each particle takes along what is nearest to it, wherever its fragment goes.
static void particles_carry_as_rigid_bodies(void **state) {
    (void)state;
    static const double spin[3] = {0.0};
    double rest[3 * POINTS], out[3 * POINTS], x[3 * 27], q[4 * 27];
    struct bonded_parts parts;
    pbs_world *world = new_world();
    pbs_body block;
    struct random random = random_seed(8);
    bonded_block(&parts, 3, 3, 3, spin);
    assert_true(pbs_body_create_bonded(world, &parts.d, &block) >= 0);
    random_fill(&random, -0.2, 0.2, rest, 3 * POINTS);
    const pbs_embedding_desc d = describe(block, rest, POINTS);
    pbs_embedding *e = bind(world, &d);
    random_fill(&random, -2.0, 2.0, x, 3 * 27);
    for (size_t i = 0; i < 27; i++) {
        double rotation[9];
        random_rotation(&random, rotation);
        quaternion_of(rotation, q + 4 * i);
    }
    assert_ok(pbs_body_set_positions(world, block, x, 27));
    assert_ok(pbs_body_set_orientations(world, block, q, 27));
    assert_ok(pbs_embedding_update(e, world));
    read_all(e, PBS_CHANNEL_POSITION, 1.0, out);
    for (size_t i = 0; i < POINTS; i++) {
        pbs_point point = {.struct_size = sizeof point};
        double arm[3], rotation[9], expected[3];
        assert_ok(pbs_embedding_point(e, i, &point));
        assert_int_equal(point.kind, PBS_POINT_VERTEX);
        const double *from = parts.positions + 3 * (size_t)point.index;
        subtract3(rest + 3 * i, from, arm);
        assert_true(fmax(fabs(arm[0]), fmax(fabs(arm[1]), fabs(arm[2]))) <= 0.1);
        rotation_of(q + 4 * (size_t)point.index, rotation);
        multiply3(rotation, arm, expected);
        add3(expected, x + 3 * (size_t)point.index, expected);
        assert_small(testing_max_difference(out + 3 * i, expected, 3), 1e-14, "place");
    }
    pbs_embedding_destroy(e);
    pbs_world_destroy(world);
}

/// The tetrahedron around a point is its particle, though the centre of another may be nearer.
static void tetrahedra_of_bonded_bodies_carry_what_is_inside(void **state) {
    (void)state;
    static const size_t cells[3] = {2, 1, 1};
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_world *world = new_world();
    pbs_body body;
    assert_true(cubic_tets_make(&mesh, cells, 0.1, 0.0));
    bonded_describe_tets(&mesh, &d);
    assert_true(pbs_body_create_bonded(world, &d, &body) >= 0);
    double *rest = calloc(mesh.tet_count, 3 * sizeof *rest);
    assert_non_null(rest);
    for (size_t t = 0; t < mesh.tet_count; t++) { // close to a corner of each
        for (size_t k = 0; k < 4; k++) {
            add_scaled3(rest + 3 * t, k == 0 ? 0.94 : 0.02,
                        mesh.vertices + 3 * (size_t)mesh.tets[4 * t + k], rest + 3 * t);
        }
    }
    const pbs_embedding_desc ed = describe(body, rest, mesh.tet_count);
    pbs_embedding *e = bind(world, &ed);
    for (size_t t = 0; t < mesh.tet_count; t++) {
        pbs_point point = {.struct_size = sizeof point};
        assert_ok(pbs_embedding_point(e, t, &point));
        assert_int_equal(point.index, t);
    }
    pbs_embedding_destroy(e);
    free(rest);
    cubic_tets_free(&mesh);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_carry_affine_motions_exactly),
        cmocka_unit_test(bent_solids_tear_nothing),
        cmocka_unit_test(the_rest_shape_is_the_input),
        cmocka_unit_test(normals_of_a_sheared_cube_are_exact),
        cmocka_unit_test(affine_bodies_carry_their_own_coordinates),
        cmocka_unit_test(shells_carry_rigid_motions_exactly),
        cmocka_unit_test(particles_carry_as_rigid_bodies),
        cmocka_unit_test(tetrahedra_of_bonded_bodies_carry_what_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
