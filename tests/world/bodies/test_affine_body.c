// Affine bodies through the public API: vertices as functions of twelve degrees of freedom, poses,
// states that are set, pinned and scripted bodies, and refusals.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "support/random.h"
#include "support/world_testing.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/refusal.h"
#include "world/world.h"

static const double sides[3] = {0.4, 0.2, 0.3};

struct brick {
    struct box_surface surface;
    pbs_affine_desc d;
};

/// A box whose own coordinates are not around its centre nor along its axes.
static void make_brick(struct brick *b) {
    static const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    static const double shift[3] = {0.5, -1.0, 2.0};
    box_surface_make(&b->surface, sides);
    for (size_t v = 0; v < 8; v++) {
        double x[3];
        multiply3(turn, b->surface.positions + 3 * v, x);
        add3(x, shift, b->surface.positions + 3 * v);
    }
    box_surface_describe(&b->surface, &b->d);
    b->d.position[0] = 1.0;
    b->d.position[1] = 2.0;
    b->d.orientation[1] = 0.6;
    b->d.orientation[3] = 0.8;
}

static pbs_body add_brick(pbs_world *world, struct brick *b) {
    pbs_body body;
    make_brick(b);
    assert_ok(pbs_body_create_affine(world, &b->d, &body));
    return body;
}

/// The rotation of a unit quaternion applied to a vector.
static void turn_by(const double q[4], const double x[3], double out[3]) {
    double t[3], u[3];
    cross3(q, x, t);
    scale3(2.0, t, t);
    cross3(q, t, u);
    for (int k = 0; k < 3; k++) {
        out[k] = x[k] + q[3] * t[k] + u[k];
    }
}

static void assert_at_pose(const pbs_world *world, pbs_body body, const struct brick *b,
                           const double position[3], const double orientation[4],
                           double tolerance) {
    for (size_t v = 0; v < 8; v++) {
        double expected[3];
        turn_by(orientation, b->surface.positions + 3 * v, expected);
        add3(expected, position, expected);
        assert_small(testing_max_difference(pbs_body_positions(world, body) + 3 * v, expected, 3),
                     tolerance, "vertex");
    }
}

static void assert_pose(const pbs_world *world, pbs_body body, const double position[3],
                        const double orientation[4], double tolerance) {
    double p[3], q[4];
    assert_ok(pbs_body_pose(world, body, p, q));
    assert_small(testing_max_difference(p, position, 3), tolerance, "position");
    assert_small(testing_max_difference(q, orientation, 4), tolerance, "orientation");
}

// --- what is read ---

static void vertices_follow_the_pose(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body body = add_brick(world, &b);
    assert_int_equal(pbs_body_vertex_count(world, body), 8);
    assert_int_equal(stats_of(world).scene.nodes, 4);
    assert_at_pose(world, body, &b, b.d.position, b.d.orientation, 1e-14);
    assert_pose(world, body, b.d.position, b.d.orientation, 1e-14);
    double position[3], matrix[9], x[3];
    assert_ok(pbs_body_transform(world, body, position, matrix));
    multiply3(matrix, b.surface.positions, x);
    add3(x, position, x);
    assert_small(testing_max_difference(x, pbs_body_positions(world, body), 3), 1e-14, "transform");
    const uint32_t *triangles;
    size_t triangle_count;
    assert_ok(pbs_body_surface(world, body, &triangles, &triangle_count));
    assert_int_equal(triangle_count, 12);
    assert_memory_equal(triangles, b.surface.triangles, sizeof b.surface.triangles);
    double mass = 0.0;
    for (size_t v = 0; v < 8; v++) {
        mass += pbs_body_masses(world, body)[v];
    }
    assert_near(mass, 24.0, 1e-13, "mass");
    float f[3 * 8];
    for (int32_t channel = PBS_CHANNEL_POSITION; channel <= PBS_CHANNEL_CONTACT_FORCE; channel++) {
        assert_ok(pbs_body_read_f32(world, body, channel, f, 12, 8));
    }
    assert_status(pbs_body_read_f32(world, body, PBS_CHANNEL_POSITION, f, 12, 7),
                  PBS_ERROR_CAPACITY);
    assert_int_equal(pbs_body_tet_count(world, body), 0);
    assert_ok(pbs_body_element_stress(world, body, &mass, 0));
    pbs_world_destroy(world);
}

/// What contact sums: weights times nodes are the vertices, of every kind of body.
static void vertices_are_sums_of_nodes(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body bodies[2] = {add_cube(world, 1, 1.0, sides, NULL), add_brick(world, &b)};
    for (int k = 0; k < 2; k++) {
        const struct body *body = world_body(world, bodies[k]);
        for (size_t i = 0; i < 8; i++) {
            const struct point vertex = vertices_at(body, i);
            double sum[3];
            assert_int_equal(vertex.count, k == 0 ? 1 : 4);
            assert_near(vertex.weight[0], 1.0, 0.0, "weight of the first node");
            for (uint32_t n = 0; n < vertex.count; n++) {
                assert_true(fabs(vertex.weight[n]) <= 1.0);
            }
            point_combine(&vertex, world->scene.nodes.x, sum);
            assert_small(
                testing_max_difference(sum, pbs_body_positions(world, bodies[k]) + 3 * i, 3), 1e-15,
                "vertex");
        }
    }
    pbs_world_destroy(world);
}

/// The mollifier of parallel edges is relative to their lengths, whatever the handles'.
static void edges_have_their_rest_lengths(void **state) {
    (void)state;
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    fixed_barrier(&settings);
    pbs_world *world = new_world_from(&settings);
    struct brick b;
    add_brick(world, &b);
    struct memory memory;
    struct barrier_contact contact = {0};
    memory_init(&memory, NULL);
    assert_ok(contact_scene_build(&world->scene, &memory, &contact));
    assert_int_equal(contact.mesh.edge_count, 18);
    for (uint32_t e = 0; e < contact.mesh.edge_count; e++) {
        double side[3];
        const uint32_t *end = contact.mesh.edges + 2 * (size_t)e;
        subtract3(b.surface.positions + 3 * (size_t)end[1],
                  b.surface.positions + 3 * (size_t)end[0], side);
        assert_near(contact.mesh.edge_squares[e], dot3(side, side), 1e-14, "squared length");
    }
    barrier_contact_free(&contact);
    pbs_world_destroy(world);
}

/// Velocity of the centre and about it, at every vertex; kinetic energy of a rigid body.
static void vertices_move_as_the_body(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    pbs_body body;
    const double v[3] = {1.0, -2.0, 0.5}, w[3] = {3.0, 1.0, -2.0};
    make_brick(&b);
    copy3(v, b.d.velocity);
    copy3(w, b.d.angular_velocity);
    assert_ok(pbs_body_create_affine(world, &b.d, &body));
    const double *x = pbs_body_positions(world, body), *moving = pbs_body_velocities(world, body);
    double center[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < 8; i++) {
        add_scaled3(center, 0.125, x + 3 * i, center);
    }
    for (size_t i = 0; i < 8; i++) {
        double arm[3], expected[3];
        subtract3(x + 3 * i, center, arm);
        cross3(w, arm, expected);
        add3(expected, v, expected);
        assert_small(testing_max_difference(moving + 3 * i, expected, 3), 1e-13, "velocity");
    }
    // Axes of the box in the world: columns of R turn.
    double kinetic = 0.5 * 24.0 * dot3(v, v);
    static const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    for (size_t k = 0; k < 3; k++) {
        const double own[3] = {turn[k], turn[3 + k], turn[6 + k]};
        const double a = sides[(k + 1) % 3], c = sides[(k + 2) % 3];
        double axis[3];
        turn_by(b.d.orientation, own, axis);
        kinetic += 0.5 * 24.0 * (a * a + c * c) / 12.0 * dot3(axis, w) * dot3(axis, w);
    }
    assert_near(energy_of(world).kinetic, kinetic, 1e-13 * kinetic, "kinetic energy");
    assert_near(energy_of(world).elastic, 0.0, 1e-20, "elastic energy");
    pbs_world_destroy(world);
}

/// The same body from tetrahedra, and with damping, drag and no gravity as told.
static void bodies_of_tetrahedra_fall_alike(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const double corner[3] = {-0.5, -0.5, -0.5};
    struct cube_mesh mesh;
    pbs_affine_desc d;
    pbs_body falling, slowed, floating;
    assert_true(cube_mesh_make(&mesh, 2, 1.0, corner));
    assert_ok(pbs_affine_desc_init(&d, sizeof d));
    d.vertex_count = mesh.vertex_count;
    d.positions = mesh.positions;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    assert_ok(pbs_body_create_affine(world, &d, &falling));
    d.position[0] = 3.0;
    d.drag = 2.0;
    assert_ok(pbs_body_create_affine(world, &d, &slowed));
    d.position[0] = 6.0;
    d.drag = 0.0;
    d.no_gravity = 1;
    d.damping = 0.01;
    assert_ok(pbs_body_create_affine(world, &d, &floating));
    cube_mesh_free(&mesh);
    const uint32_t *triangles;
    size_t triangle_count;
    assert_ok(pbs_body_surface(world, falling, &triangles, &triangle_count));
    assert_int_equal(triangle_count, 48);
    double v = 0.0, u = 0.0;
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(world, 0.01));
        v -= 9.81 * 0.01;
        u = (u - 9.81 * 0.01) / 1.02;
    }
    for (size_t i = 0; i < 27; i++) {
        assert_near(pbs_body_velocities(world, falling)[3 * i + 1], v, 1e-12, "falling");
        assert_near(pbs_body_velocities(world, slowed)[3 * i + 1], u, 1e-12, "slowed down");
        // Handles of 0.87 m are known to 1e-16 m, and velocities to that over a step.
        assert_near(pbs_body_velocities(world, floating)[3 * i + 1], 0.0, 5e-14, "floating");
    }
    pbs_world_destroy(world);
}

/// Linear momentum to the last bit that sums of positions keep; colliders do not act.
static void linear_momentum_is_exact(void **state) {
    (void)state;
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&settings);
    add_ground(world);
    struct brick b;
    pbs_body body;
    make_brick(&b);
    b.d.velocity[0] = 1.0;
    b.d.velocity[1] = -20.0;
    b.d.angular_velocity[1] = 10.0;
    assert_ok(pbs_body_create_affine(world, &b.d, &body));
    for (int n = 0; n < 50; n++) {
        assert_ok(pbs_world_step(world, 0.01));
        const double *v = world->scene.nodes.v;
        assert_near(v[0], 1.0, 1e-12, "momentum along x");
        assert_near(v[1], -20.0, 1e-12, "momentum along y");
        assert_near(v[2], 0.0, 1e-12, "momentum along z");
    }
    assert_int_equal(stats_of(world).contact.active, 0);
    assert_true(pbs_body_positions(world, body)[1] < -5.0);
    pbs_world_destroy(world);
}

// --- what is set ---

static const double place[3] = {-1.0, 0.5, 3.0};
static const double facing[4] = {0.48, 0.0, 0.64, 0.6};

static void poses_are_taken_with_spin(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    pbs_body body;
    make_brick(&b);
    b.d.angular_velocity[2] = 3.0;
    b.d.velocity[0] = 1.0;
    assert_ok(pbs_body_create_affine(world, &b.d, &body));
    assert_ok(pbs_body_set_pose(world, body, place, facing));
    assert_at_pose(world, body, &b, place, facing, 1e-14);
    assert_pose(world, body, place, facing, 1e-14);
    const double *x = pbs_body_positions(world, body), *v = pbs_body_velocities(world, body);
    for (size_t i = 1; i < 8; i++) {
        assert_near(v[3 * i] - v[0], -3.0 * (x[3 * i + 1] - x[1]), 1e-13, "spin");
        assert_near(v[3 * i + 1] - v[1], 3.0 * (x[3 * i] - x[0]), 1e-13, "spin");
    }
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

static void positions_and_velocities_go_round(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body body = add_brick(world, &b);
    struct random random = random_seed(4);
    // An affine image: stretched by up to a quarter.
    double matrix[9], x[24], v[24];
    for (int i = 0; i < 9; i++) {
        matrix[i] = (i % 4 == 0 ? 1.0 : 0.0) + random_uniform(&random, -0.25, 0.25);
    }
    for (size_t i = 0; i < 8; i++) {
        multiply3(matrix, b.surface.positions + 3 * i, x + 3 * i);
        add_scaled3(place, -2.0, x + 3 * i, v + 3 * i);
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
    assert_ok(pbs_body_set_velocities(world, body, v, 8));
    assert_small(testing_max_difference(pbs_body_positions(world, body), x, 24), 1e-13, "x");
    assert_small(testing_max_difference(pbs_body_velocities(world, body), v, 24), 1e-13, "v");
    double found[9];
    assert_ok(pbs_body_transform(world, body, NULL, found));
    assert_small(testing_max_difference(found, matrix, 9), 1e-12, "matrix");
    // The world's own array, and coordinates of single precision.
    assert_ok(pbs_body_set_positions(world, body, pbs_body_positions(world, body), 8));
    for (int i = 0; i < 24; i++) {
        x[i] = (double)(float)x[i];
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
    pbs_world_destroy(world);
}

static void what_is_no_affine_motion_is_refused(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body body = add_brick(world, &b);
    const uint64_t hash = pbs_world_hash(world);
    double x[24];
    memcpy(x, b.surface.positions, sizeof x);
    x[13] += 0.001;
    assert_status(pbs_body_set_positions(world, body, x, 8), PBS_ERROR_ARGUMENT);
    assert_message("positions of vertex 0: 0.00025 from the nearest affine motion");
    assert_status(pbs_body_set_velocities(world, body, x, 8), PBS_ERROR_ARGUMENT);
    assert_message("velocities of vertex 0");
    for (int i = 0; i < 24; i++) {
        x[i] = -b.surface.positions[i];
    }
    assert_status(pbs_body_set_positions(world, body, x, 8), PBS_ERROR_ARGUMENT);
    assert_message("flat or reflected");
    assert_status(pbs_body_set_positions(world, body, x, 4), PBS_ERROR_ARGUMENT);
    assert_message("vertex_count is 4, but the body has 8 vertices");
    assert_true(pbs_world_hash(world) == hash);
    pbs_world_destroy(world);
}

// --- what is held ---

static void bodies_are_held_and_let_go(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body body = add_brick(world, &b);
    const pbs_body cube = add_cube(world, 1, 0.5, place, NULL);
    assert_ok(pbs_body_pin_all(world, body));
    assert_ok(pbs_body_pin_all(world, cube));
    const double corner = pbs_body_positions(world, cube)[1];
    for (int n = 0; n < 5; n++) {
        assert_ok(pbs_world_step(world, 0.02));
    }
    assert_at_pose(world, body, &b, b.d.position, b.d.orientation, 1e-14);
    assert_near(pbs_body_positions(world, cube)[1], corner, 0.0, "a solid is held whole");
    assert_ok(pbs_body_unpin_all(world, body));
    assert_ok(pbs_body_unpin_all(world, cube));
    assert_ok(pbs_world_step(world, 0.02));
    assert_near(pbs_body_velocities(world, body)[1], -9.81 * 0.02, 1e-12, "falls");
    assert_near(pbs_body_velocities(world, cube)[1], -9.81 * 0.02, 1e-9, "falls");
    pbs_world_destroy(world);
}

/// The body is where the script says at the end of each step, and its centre moves with the mean
/// velocity.
static void scripts_move_whole_bodies(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body body = add_brick(world, &b);
    double position[3], orientation[4] = {0.0, 0.0, 0.0, 1.0};
    assert_ok(pbs_body_set_pose(world, body, place, orientation));
    for (int n = 1; n <= 20; n++) {
        copy3(place, position);
        position[0] += 0.1 * n;
        orientation[2] = sin(0.1 * n);
        orientation[3] = cos(0.1 * n);
        assert_ok(pbs_body_set_target_pose(world, body, position, orientation));
        assert_ok(pbs_world_step(world, 0.02));
        assert_at_pose(world, body, &b, position, orientation, 1e-13);
    }
    for (int n = 0; n < 3; n++) {
        assert_ok(pbs_world_step(world, 0.02));
        assert_at_pose(world, body, &b, position, orientation, 1e-13);
    }
    assert_small(fabs(pbs_body_velocities(world, body)[0]), 1e-12, "at rest");
    pbs_world_destroy(world);
}

static void wrong_calls_are_refused_in_words(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body body = add_brick(world, &b);
    const pbs_body cube = add_cube(world, 1, 0.5, place, NULL);
    const uint32_t vertex = 0;
    double p[3], q[4], m[9];
    static const char *const one_by_one = "cannot be pinned one by one";
    assert_status(pbs_body_pin(world, body, &vertex, 1, PBS_AXIS_ALL), PBS_ERROR_ARGUMENT);
    assert_message(one_by_one);
    assert_status(pbs_body_unpin(world, body, &vertex, 1, PBS_AXIS_ALL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_targets(world, body, &vertex, 1, place), PBS_ERROR_ARGUMENT);
    assert_message(one_by_one);
    assert_status(pbs_body_pose(world, cube, p, q), PBS_ERROR_ARGUMENT);
    assert_message("the body is not affine");
    assert_status(pbs_body_transform(world, cube, p, m), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_pose(world, cube, place, facing), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_target_pose(world, cube, place, facing), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_pose(world, body, NULL, facing), PBS_ERROR_ARGUMENT);
    assert_message("position is null");
    assert_status(pbs_body_set_pose(world, body, place, NULL), PBS_ERROR_ARGUMENT);
    const double nowhere[3] = {0.0, NAN, 0.0}, zero[4] = {0.0};
    assert_status(pbs_body_set_pose(world, body, nowhere, facing), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_target_pose(world, body, place, zero), PBS_ERROR_ARGUMENT);
    assert_message("must be a unit quaternion");
    const pbs_body gone = {0};
    assert_status(pbs_body_pin_all(world, gone), PBS_ERROR_HANDLE);
    assert_status(pbs_body_unpin_all(world, gone), PBS_ERROR_HANDLE);
    assert_status(pbs_body_pose(world, gone, p, q), PBS_ERROR_HANDLE);
    assert_status(pbs_body_pin_all(NULL, body), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

// --- descriptions ---

SPOIL(no_vertices, pbs_affine_desc *d, d->vertex_count = 0)
SPOIL(no_positions, pbs_affine_desc *d, d->positions = NULL)
SPOIL(no_mesh, pbs_affine_desc *d, d->triangles = NULL)
SPOIL(two_meshes, pbs_affine_desc *d, d->tets = d->triangles)
SPOIL(no_triangles, pbs_affine_desc *d, d->triangle_count = 0)
SPOIL(open_mesh, pbs_affine_desc *d, d->triangle_count = 11)
SPOIL(no_density, pbs_affine_desc *d, d->density = 0.0)
SPOIL(tiny_density, pbs_affine_desc *d, d->density = 1e-308)
SPOIL(no_stiffness, pbs_affine_desc *d, d->stiffness = -1.0)
SPOIL(bad_damping, pbs_affine_desc *d, d->damping = -1.0)
SPOIL(bad_drag, pbs_affine_desc *d, d->drag = INFINITY)
SPOIL(bad_gravity, pbs_affine_desc *d, d->no_gravity = -1)
SPOIL(bad_position, pbs_affine_desc *d, d->position[2] = NAN)
SPOIL(bad_orientation, pbs_affine_desc *d, d->orientation[3] = 2.0)
SPOIL(bad_velocity, pbs_affine_desc *d, d->velocity[0] = NAN)
SPOIL(bad_spin, pbs_affine_desc *d, d->angular_velocity[0] = INFINITY)
SPOIL(bad_size, pbs_affine_desc *d, d->struct_size = 0)

static const struct refusal refusals[] = {
    {no_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 0"},
    {no_positions, PBS_ERROR_ARGUMENT, "positions is null"},
    {no_mesh, PBS_ERROR_ARGUMENT, "triangles and tets are both null"},
    {two_meshes, PBS_ERROR_ARGUMENT, "triangles and tets are both given"},
    {no_triangles, PBS_ERROR_ARGUMENT, "triangle_count is 0"},
    {open_mesh, PBS_ERROR_MESH, "the surface must be closed"},
    {no_density, PBS_ERROR_ARGUMENT, "density is 0"},
    {tiny_density, PBS_ERROR_ARGUMENT, "the body's mass or its second moments"},
    {no_stiffness, PBS_ERROR_ARGUMENT, "stiffness is -1"},
    {bad_damping, PBS_ERROR_ARGUMENT, "damping is -1"},
    {bad_drag, PBS_ERROR_ARGUMENT, "drag is inf"},
    {bad_gravity, PBS_ERROR_ARGUMENT, "no_gravity is -1"},
    {bad_position, PBS_ERROR_ARGUMENT, "position"},
    {bad_orientation, PBS_ERROR_ARGUMENT, "orientation"},
    {bad_velocity, PBS_ERROR_ARGUMENT, "velocity"},
    {bad_spin, PBS_ERROR_ARGUMENT, "angular_velocity"},
    {bad_size, PBS_ERROR_STRUCT_SIZE, "struct_size is 0"},
};

static void wrong_descriptions_are_refused_in_words(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        struct brick b;
        pbs_body body = {0};
        make_brick(&b);
        refusals[i].spoil(&b.d);
        assert_status(pbs_body_create_affine(world, &b.d, &body), refusals[i].status);
        assert_message(refusals[i].words);
        assert_true(body.id == 0);
    }
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

// --- memory ---

static pbs_status create(pbs_world *world, void *context) {
    struct brick b;
    make_brick(&b);
    return pbs_body_create_affine(world, &b.d, context);
}

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    pbs_body body;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(refuse_until_success(&allocator, world, create, &body, &refused));
    assert_true(refused > 8);
    assert_ok(refuse_until_success(&allocator, world, step, NULL, &refused));
    assert_true(refused > 20);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

static void warm_steps_make_no_calls(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(scene_fill(world, 4));
    assert_ok(scene_step(world, 3));
    const uint64_t before = allocator.allocate_count + allocator.release_count;
    const pbs_body held = pbs_world_body_at(world, 3);
    for (int n = 0; n < 20; n++) {
        assert_ok(pbs_body_set_target_pose(world, held, place, facing));
        assert_ok(scene_step(world, 1));
        assert_ok(pbs_body_set_positions(world, held, pbs_body_positions(world, held), 8));
    }
    assert_int_equal(allocator.allocate_count + allocator.release_count, before);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

/// Removing a body moves the nodes of those behind it, whose vertices stay.
static void other_bodies_may_go(void **state) {
    (void)state;
    pbs_world *world = new_world();
    struct brick b;
    const pbs_body cube = add_cube(world, 1, 0.5, place, NULL);
    const pbs_body body = add_brick(world, &b);
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_body_destroy(world, cube));
    const double before = pbs_body_positions(world, body)[1];
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(pbs_body_positions(world, body)[1], before - 9.81 * 2e-4, 1e-12, "fell");
    pbs_world_destroy(world);
}

// --- strain ---

struct warnings {
    int count;
    char last[512];
};

static void keep_warning(void *user, int32_t level, const char *message) {
    struct warnings *warnings = user;
    if (level == PBS_LOG_WARNING) {
        warnings->count++;
        snprintf(warnings->last, sizeof warnings->last, "%s", message);
    }
}

/// |A^T A - 1| / 2 of a body.
static double strain_of(const pbs_world *world, pbs_body body) {
    double a[9];
    double sum = 0.0;
    assert_ok(pbs_body_transform(world, body, NULL, a));
    for (int ij = 0; ij < 9; ij++) {
        const int i = ij / 3;
        const int j = ij % 3;
        const double product = a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j];
        sum += pow(0.5 * (i == j ? product - 1.0 : product), 2.0);
    }
    return sqrt(sum);
}

/// A plate comes down on a soft cube of 0.1 m on the ground, beside another one that turns freely.
/// What is told is the strain of the more strained one, as it is; the log tells once when it goes
/// beyond a tenth.
static void a_squeezed_body_is_told(void **state) {
    static const double upright[4] = {0.0, 0.0, 0.0, 1.0}, cube[3] = {0.1, 0.1, 0.1};
    struct warnings warnings = {0};
    struct box_surface box;
    pbs_world_desc settings;
    pbs_affine_desc d;
    pbs_body bodies[2];
    pbs_collider_desc plate;
    pbs_collider collider;
    (void)state;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_BARRIER;
    settings.log = (pbs_log){keep_warning, &warnings};
    pbs_world *world = new_world_from(&settings);
    assert_true(stats_of(world).scene.affine_strain == 0.0);
    assert_true(stats_of(world).scene.affine_strain_body.id == 0);
    box_surface_make(&box, cube);
    box_surface_describe(&box, &d);
    d.stiffness = 1e4;
    d.no_gravity = 1;
    for (int i = 0; i < 2; i++) {
        d.position[0] = 0.5 * i;
        d.position[1] = 0.052 + i;
        d.angular_velocity[1] = 4.0 * i;
        assert_ok(pbs_body_create_affine(world, &d, &bodies[i]));
    }
    add_ground(world);
    assert_ok(pbs_collider_desc_init(&plate, sizeof plate));
    plate.shape = PBS_SHAPE_BOX;
    plate.size[0] = plate.size[2] = 0.1;
    plate.size[1] = 0.01;
    plate.position[1] = 0.116;
    assert_ok(pbs_collider_create(world, &plate, &collider));
    bool was_other = false;
    for (int n = 1; n <= 30; n++) {
        const double down[3] = {0.0, 0.116 - 0.001 * n, 0.0};
        assert_ok(pbs_collider_set_motion(world, collider, down, upright));
        assert_ok(pbs_world_step(world, 0.01));
        const pbs_stats stats = stats_of(world);
        const double strains[2] = {strain_of(world, bodies[0]), strain_of(world, bodies[1])};
        const int worst = strains[1] > strains[0];
        assert_near(stats.scene.affine_strain, strains[worst], 1e-14, "strain");
        assert_true(stats.scene.affine_strain_body.id == bodies[worst].id);
        assert_int_equal(warnings.count, stats.scene.affine_strain > 0.1);
        was_other = was_other || worst == 1;
    }
    assert_true(was_other);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.last, "affine body 0 is strained by 0.1"));
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_follow_the_pose),
        cmocka_unit_test(vertices_are_sums_of_nodes),
        cmocka_unit_test(edges_have_their_rest_lengths),
        cmocka_unit_test(vertices_move_as_the_body),
        cmocka_unit_test(bodies_of_tetrahedra_fall_alike),
        cmocka_unit_test(linear_momentum_is_exact),
        cmocka_unit_test(poses_are_taken_with_spin),
        cmocka_unit_test(positions_and_velocities_go_round),
        cmocka_unit_test(what_is_no_affine_motion_is_refused),
        cmocka_unit_test(bodies_are_held_and_let_go),
        cmocka_unit_test(scripts_move_whole_bodies),
        cmocka_unit_test(wrong_calls_are_refused_in_words),
        cmocka_unit_test(wrong_descriptions_are_refused_in_words),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(warm_steps_make_no_calls),
        cmocka_unit_test(other_bodies_may_go),
        cmocka_unit_test(a_squeezed_body_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
