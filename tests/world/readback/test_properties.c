// Properties that hosts read of existing bodies and colliders: kind, motion as a rigid body, stress
// of shells, strain of springs, descriptions, and the host's own number.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"
#include "support/world_testing.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"

static const double origin[3] = {0.0, 0.0, 0.0};

static pbs_motion motion_of(const pbs_world *world, pbs_body body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    return motion;
}

/// v + w x (x - c) of all vertices.
static void set_rigid_velocities(pbs_world *world, pbs_body body, const double v[3],
                                 const double w[3], const double c[3]) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    double *own = calloc(3 * count, sizeof *own);
    assert_non_null(own);
    for (size_t i = 0; i < count; i++) {
        double arm[3], turn[3];
        subtract3(x + 3 * i, c, arm);
        cross3(w, arm, turn);
        add3(v, turn, own + 3 * i);
    }
    assert_ok(pbs_body_set_velocities(world, body, own, count));
    free(own);
}

static pbs_body add_brick(pbs_world *world, const double sides[3], const double place[3],
                          const double orientation[4]) {
    struct box_surface box;
    pbs_affine_desc d;
    pbs_body body;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    memcpy(d.position, place, sizeof d.position);
    memcpy(d.orientation, orientation, sizeof d.orientation);
    d.density = 500.0;
    d.velocity[0] = 2.0;
    d.velocity[2] = -1.0;
    d.angular_velocity[0] = 0.3;
    d.angular_velocity[1] = -4.0;
    d.angular_velocity[2] = 1.5;
    assert_ok(pbs_body_create_affine(world, &d, &body));
    return body;
}

/// Mass, moments of a box about its centre, and the velocities that it was given. Rounding of some
/// ten operations on numbers of the sizes given: 1e-13 of them.
static void a_brick_has_the_moments_of_a_box(void **state) {
    (void)state;
    static const double sides[3] = {0.2, 0.3, 0.5}, place[3] = {3.0, -7.0, 11.0};
    static const double orientation[4] = {0.0, 0.6, 0.0, 0.8};
    pbs_world *world = new_world();
    const pbs_body body = add_brick(world, sides, place, orientation);
    const pbs_motion motion = motion_of(world, body);
    const double mass = 500.0 * 0.2 * 0.3 * 0.5;
    const double given[3] = {2.0, 0.0, -1.0}, spin[3] = {0.3, -4.0, 1.5};
    double rotation[9], angular[3];
    rotation_of(orientation, rotation);
    assert_near(motion.mass, mass, 1e-13 * mass, "mass");
    for (int i = 0; i < 3; i++) {
        assert_near(motion.center[i], place[i], 1e-13 * 11.0, "centre");
        assert_near(motion.velocity[i], given[i], 1e-13 * 2.0, "velocity");
        assert_near(motion.momentum[i], mass * given[i], 1e-13 * mass * 2.0, "momentum");
        assert_near(motion.angular_velocity[i], spin[i], 1e-12 * 4.0, "spin");
        for (int j = 0; j < 3; j++) {
            double inertia = 0.0;
            for (int k = 0; k < 3; k++) {
                const double a = sides[(k + 1) % 3], b = sides[(k + 2) % 3];
                inertia += rotation[3 * i + k] * rotation[3 * j + k] * mass / 12.0 *
                           (a * a + b * b);
            }
            assert_near(motion.inertia[3 * i + j], inertia, 1e-13 * mass, "inertia");
        }
    }
    multiply3(motion.inertia, spin, angular);
    for (int i = 0; i < 3; i++) {
        assert_near(motion.angular_momentum[i], angular[i], 1e-12 * mass, "angular momentum");
    }
    pbs_world_destroy(world);
}

/// Bodies of nodes that move rigidly: the motion is found whatever the masses are.
static void rigid_motions_are_found(void **state) {
    (void)state;
    static const double v[3] = {1.0, 2.0, 3.0}, w[3] = {-0.5, 0.25, 2.0};
    static const double far[3] = {1000.0, 0.0, 0.0};
    pbs_world *world = new_world();
    const pbs_body bodies[2] = {add_cube(world, 3, 0.5, far, NULL),
                                add_sheet(world, 4, 0.7, origin, NULL)};
    const int32_t kinds[2] = {PBS_BODY_SOLID, PBS_BODY_SHELL};
    for (int b = 0; b < 2; b++) {
        const pbs_motion still = motion_of(world, bodies[b]);
        double mass = 0.0;
        assert_int_equal(pbs_body_kind_of(world, bodies[b]), kinds[b]);
        for (size_t i = 0; i < pbs_body_vertex_count(world, bodies[b]); i++) {
            mass += pbs_body_masses(world, bodies[b])[i];
        }
        assert_near(still.mass, mass, 1e-13 * mass, "mass");
        assert_true(norm3(still.momentum) == 0.0 && norm3(still.angular_momentum) == 0.0);
        set_rigid_velocities(world, bodies[b], v, w, still.center);
        const pbs_motion moving = motion_of(world, bodies[b]);
        // Velocities are rounded at 1e-16 of 4 m/s, over a radius of 0.5 m.
        for (int k = 0; k < 3; k++) {
            assert_near(moving.velocity[k], v[k], 1e-13, "velocity");
            assert_near(moving.angular_velocity[k], w[k], 1e-12, "spin");
        }
    }
    pbs_world_destroy(world);
}

/// Spheres that turn with the block: their own inertia and angular momentum are in the sums.
static void spins_of_particles_count(void **state) {
    (void)state;
    static const double spin[3] = {0.5, -1.0, 2.0};
    struct bonded_parts *parts = malloc(sizeof *parts);
    assert_non_null(parts);
    bonded_block(parts, 4, 3, 2, spin);
    pbs_world *world = new_world();
    pbs_body body;
    double angular[3];
    assert_ok(pbs_body_create_bonded(world, &parts->d, &body));
    bonded_angular_momentum(world, body, parts, angular);
    const pbs_motion motion = motion_of(world, body);
    assert_int_equal(pbs_body_kind_of(world, body), PBS_BODY_BONDED);
    for (int k = 0; k < 3; k++) {
        assert_near(motion.angular_momentum[k], angular[k], 1e-13 * norm3(angular),
                    "angular momentum");
        assert_near(motion.angular_velocity[k], spin[k], 1e-12, "spin");
    }
    pbs_world_destroy(world);
    free(parts);
}

/// Velocity and spin become what they are set to, within 1e-12 of them, each without the other;
/// what else the body does stays: the velocities relative to the rigid motion are the same.
static void motions_are_set(void **state) {
    (void)state;
    static const double v[3] = {1.0, 2.0, 3.0}, w[3] = {-0.5, 0.25, 2.0}, spin[3] = {0.5, 0.0, 2.0};
    static const double sides[3] = {0.2, 0.3, 0.5}, place[3] = {3.0, -7.0, 1.0};
    static const double orientation[4] = {0.0, 0.6, 0.0, 0.8};
    struct bonded_parts *parts = malloc(sizeof *parts);
    assert_non_null(parts);
    bonded_block(parts, 4, 3, 2, spin);
    pbs_world *world = new_world();
    pbs_body bodies[3] = {add_cube(world, 1, 0.5, origin, NULL),
                          add_brick(world, sides, place, orientation)};
    assert_ok(pbs_body_create_bonded(world, &parts->d, &bodies[2]));
    const double stretch[24] = {[0] = 1.0, [21] = 0.5, [10] = -0.25};
    assert_ok(pbs_body_set_velocities(world, bodies[0], stretch, 8));
    for (int b = 0; b < 3; b++) {
        const pbs_motion before = motion_of(world, bodies[b]);
        assert_ok(pbs_body_set_motion(world, bodies[b], v, NULL));
        const pbs_motion moved = motion_of(world, bodies[b]);
        assert_small(testing_max_difference(moved.velocity, v, 3), 1e-12, "velocity");
        assert_small(testing_max_difference(moved.angular_velocity, before.angular_velocity, 3),
                     1e-11, "spin that stays");
        assert_ok(pbs_body_set_motion(world, bodies[b], NULL, w));
        const pbs_motion turned = motion_of(world, bodies[b]);
        assert_small(testing_max_difference(turned.velocity, v, 3), 1e-12, "velocity that stays");
        assert_small(testing_max_difference(turned.angular_velocity, w, 3), 1e-11, "spin");
        // All of it back: the velocities that it had.
        assert_ok(pbs_body_set_motion(world, bodies[b], before.velocity, before.angular_velocity));
        if (b == 0) {
            assert_small(testing_max_difference(pbs_body_velocities(world, bodies[0]), stretch, 24),
                         1e-11, "velocities within the body");
        }
    }
    pbs_world_destroy(world);
    free(parts);
}

/// Pinned vertices stay; bad numbers change nothing.
static void motions_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const double v[3] = {1.0, 2.0, 3.0}, fast[3] = {0.0, 1e308, 1e308};
    static const double not [3] = {0.0, NAN, 0.0};
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 5.0, origin, NULL);
    const uint32_t pinned = 7;
    assert_status(pbs_body_set_motion(world, body, not, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_motion(world, body, v, not ), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_motion(world, body, v, fast), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_motion(NULL, body, v, v), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_motion(world, (pbs_body){0}, v, v), PBS_ERROR_HANDLE);
    assert_true(norm3(motion_of(world, body).velocity) == 0.0);
    assert_ok(pbs_body_pin(world, body, &pinned, 1, PBS_AXIS_ALL));
    assert_ok(pbs_body_set_motion(world, body, v, NULL));
    assert_true(norm3(pbs_body_velocities(world, body) + 3 * (size_t)pinned) == 0.0);
    assert_true(pbs_body_velocities(world, body)[0] == v[0]);
    pbs_world_destroy(world);
}

static pbs_body add_springs(pbs_world *world, size_t count, const double *x, const double *v,
                            double rest) {
    static const double masses[3] = {1.0, 2.0, 3.0};
    static const uint32_t springs[4] = {0, 1, 1, 2};
    const double lengths[2] = {rest, rest};
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = count;
    d.positions = x;
    d.velocities = v;
    d.masses = masses;
    d.spring_count = count - 1;
    d.springs = springs;
    d.rest_lengths = lengths;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    return body;
}

/// A particle does not turn, and a line of them does not about itself.
static void lines_have_no_spin_along_them(void **state) {
    (void)state;
    static const double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.0};
    static const double v[9] = {0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 6.0, 0.0};
    pbs_world *world = new_world();
    const pbs_motion point = motion_of(world, add_springs(world, 1, x, NULL, 1.0));
    const pbs_motion line = motion_of(world, add_springs(world, 3, x, v, 1.0));
    assert_true(norm3(point.angular_velocity) == 0.0 && point.mass == 1.0);
    assert_true(line.angular_velocity[0] == 0.0);
    assert_near(line.angular_velocity[1], 0.0, 1e-15, "spin");
    assert_near(line.angular_velocity[2], 2.0, 1e-14, "spin");
    pbs_world_destroy(world);
}

/// A sheet stretched along x by s and turned: P = mu s + (lambda ln s - mu) / s along x, and
/// lambda ln s across, with J = s; in the turned frame.
static void shells_bear_what_their_energy_says(void **state) {
    (void)state;
    static const double orientation[4] = {0.0, 0.0, 0.6, 0.8};
    const double s = 1.25, mu = 0.5 * 1e5 / 1.3, lambda = 1e5 * 0.3 / (1.0 - 0.09);
    const double along = mu * s + (lambda * log(s) - mu) / s, across = lambda * log(s) / s;
    pbs_world *world = new_world();
    const pbs_body sheet = add_sheet(world, 2, 1.0, origin, NULL);
    const size_t count = pbs_body_vertex_count(world, sheet);
    double rotation[9], x[27], stress[9 * 8];
    rotation_of(orientation, rotation);
    assert_int_equal(count, 9);
    for (size_t i = 0; i < count; i++) {
        double stretched[3];
        copy3(pbs_body_rest_positions(world, sheet) + 3 * i, stretched);
        stretched[0] *= s;
        multiply3(rotation, stretched, x + 3 * i);
    }
    assert_ok(pbs_body_set_positions(world, sheet, x, count));
    assert_status(pbs_body_element_stress(world, sheet, stress, 7), PBS_ERROR_CAPACITY);
    assert_ok(pbs_body_element_stress(world, sheet, stress, 8));
    for (int k = 0; k < 9 * 8; k++) {
        const int i = k % 9 / 3, j = k % 3;
        const double expected = along * rotation[3 * i] * rotation[3 * j] +
                                across * rotation[3 * i + 2] * rotation[3 * j + 2];
        assert_near(stress[k], expected, 1e-10 * mu, "stress");
    }
    // The work of stretching on by ds is area x thickness x P ds. Central differences of 1e-5: an
    // error of 1e-10 of the third derivative, and rounding of 1e-16 / 1e-5 of an energy like mu.
    double energy[2];
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++) {
            copy3(pbs_body_rest_positions(world, sheet) + 3 * i, x + 3 * i);
            x[3 * i] *= s + (side == 0 ? -1e-5 : 1e-5);
        }
        assert_ok(pbs_body_set_positions(world, sheet, x, count));
        energy[side] = energy_of(world).elastic;
    }
    assert_near((energy[1] - energy[0]) / 2e-5, 1e-3 * along, 1e-3 * mu * 1e-8, "work");
    // Without area nothing is left to say.
    memset(x, 0, sizeof x);
    assert_ok(pbs_body_set_positions(world, sheet, x, count));
    assert_ok(pbs_body_element_stress(world, sheet, stress, 8));
    assert_true(isnan(stress[0]) && isnan(stress[71]));
    pbs_world_destroy(world);
}

static void springs_say_their_strain(void **state) {
    (void)state;
    static const double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 3.0, 0.0};
    pbs_world *world = new_world();
    const pbs_body body = add_springs(world, 3, x, NULL, 2.0);
    const pbs_body loose = add_springs(world, 3, x, NULL, 0.0);
    const uint32_t *ends = NULL;
    size_t count = 0;
    double strain[2] = {7.0, 7.0};
    assert_ok(pbs_body_springs(world, body, &ends, &count));
    assert_int_equal(count, 2);
    assert_true(ends[0] == 0 && ends[1] == 1 && ends[2] == 1 && ends[3] == 2);
    assert_status(pbs_body_spring_strains(world, body, strain, 1), PBS_ERROR_CAPACITY);
    assert_true(strain[0] == 7.0);
    assert_ok(pbs_body_spring_strains(world, body, strain, 2));
    assert_true(strain[0] == -0.5 && strain[1] == 0.5);
    assert_ok(pbs_body_spring_strains(world, loose, strain, 2));
    assert_true(isinf(strain[0]) && strain[0] > 0.0);
    assert_null(pbs_body_rest_positions(world, body));
    // Others have none.
    const pbs_body cube = add_cube(world, 1, 1.0, origin, NULL);
    assert_ok(pbs_body_springs(world, cube, &ends, &count));
    assert_true(count == 0 && ends == NULL);
    assert_ok(pbs_body_spring_strains(world, cube, strain, 0));
    pbs_world_destroy(world);
}

static void meshes_come_back_as_they_were_given(void **state) {
    (void)state;
    struct cube_mesh mesh;
    pbs_solid_desc d;
    pbs_body cube;
    const uint32_t *tets = NULL;
    size_t count = 0;
    pbs_world *world = new_world();
    assert_true(cube_mesh_make(&mesh, 2, 1.0, origin));
    cube_mesh_describe(&mesh, &d);
    assert_ok(pbs_body_create_solid(world, &d, &cube));
    assert_ok(scene_step(world, 2));
    assert_ok(pbs_body_tets(world, cube, &tets, &count));
    assert_int_equal(count, mesh.tet_count);
    assert_memory_equal(tets, mesh.tets, 4 * count * sizeof *tets);
    assert_same_bits(pbs_body_rest_positions(world, cube), mesh.positions, 3 * mesh.vertex_count);
    const pbs_body sheet = add_sheet(world, 1, 1.0, origin, NULL);
    assert_ok(pbs_body_tets(world, sheet, &tets, &count));
    assert_true(count == 0 && tets == NULL);
    cube_mesh_free(&mesh);
    pbs_world_destroy(world);
}

/// The host's numbers are saved, and belong to the body or the collider that they were given to.
static void user_data_is_the_hosts(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_world *other = new_world();
    const pbs_body first = add_cube(world, 1, 1.0, origin, NULL);
    const pbs_body second = add_cube(world, 1, 1.0, origin, NULL);
    const pbs_collider ground = add_ground(world);
    assert_true(pbs_body_user_data(world, first) == 0);
    assert_ok(pbs_body_set_user_data(world, second, UINT64_MAX));
    assert_ok(pbs_collider_set_user_data(world, ground, 12345));
    assert_ok(pbs_body_destroy(world, first));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    free(saved.data);
    assert_true(pbs_body_user_data(other, second) == UINT64_MAX);
    assert_true(pbs_collider_user_data(other, ground) == 12345);
    const pbs_body third = add_cube(world, 1, 1.0, origin, NULL);
    assert_true(pbs_body_user_data(world, third) == 0 && pbs_body_user_data(world, first) == 0);
    assert_true(pbs_body_user_data(NULL, third) == 0 && pbs_collider_user_data(NULL, ground) == 0);
    assert_int_equal(pbs_body_kind_of(world, first), PBS_BODY_NONE);
    assert_status(pbs_body_set_user_data(world, first, 1), PBS_ERROR_HANDLE);
    assert_status(pbs_body_set_user_data(NULL, third, 1), PBS_ERROR_ARGUMENT);
    const pbs_collider nothing = {0};
    assert_status(pbs_collider_set_user_data(world, nothing, 1), PBS_ERROR_HANDLE);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static double lowest(const pbs_world *world, pbs_body body) {
    double low = INFINITY;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        low = fmin(low, pbs_body_positions(world, body)[3 * i + 1]);
    }
    return low;
}

/// A floor that no longer touches the cube on it lets it fall; all else of its description stays.
static void colliders_change_what_they_touch(void **state) {
    (void)state;
    static const double above[3] = {0.0, 0.01, 0.0};
    for (int32_t contact = PBS_CONTACT_PROJECTION; contact <= PBS_CONTACT_BARRIER; contact++) {
        pbs_world_desc settings;
        pbs_collider_desc d = {.struct_size = sizeof d};
        scene_settings(&settings);
        settings.contact = contact;
        pbs_world *world = new_world_from(&settings);
        const pbs_collider ground = add_ground(world);
        const pbs_body cube = add_cube(world, 1, 0.5, above, NULL);
        assert_ok(scene_step(world, 20));
        assert_true(lowest(world, cube) > -1e-3);
        assert_ok(pbs_collider_description(world, ground, &d));
        assert_int_equal(d.shape, PBS_SHAPE_HALF_SPACE);
        d.friction = 0.75;
        d.surface_material = 3;
        d.mask = 0;
        assert_ok(pbs_collider_set_description(world, ground, &d));
        d = (pbs_collider_desc){.struct_size = sizeof d};
        assert_ok(pbs_collider_description(world, ground, &d));
        assert_true(d.friction == 0.75 && d.surface_material == 3 && d.mask == 0);
        assert_ok(scene_step(world, 20));
        // Free fall of a third of a second is 0.5 m; projection knows no masks.
        assert_true((lowest(world, cube) < -0.3) == (contact == PBS_CONTACT_BARRIER));
        const pbs_collider_desc before = d;
        d.size[0] = 2.0;
        assert_status(pbs_collider_set_description(world, ground, &d), PBS_ERROR_ARGUMENT);
        assert_message("as pbs_collider_description gave it");
        d = before;
        d.friction = -1.0;
        assert_status(pbs_collider_set_description(world, ground, &d), PBS_ERROR_ARGUMENT);
        assert_status(pbs_collider_set_description(world, ground, NULL), PBS_ERROR_ARGUMENT);
        d = (pbs_collider_desc){.struct_size = sizeof d};
        assert_ok(pbs_collider_description(world, ground, &d));
        assert_memory_equal(&d, &before, sizeof d);
        d.struct_size = 4;
        assert_status(pbs_collider_description(world, ground, &d), PBS_ERROR_STRUCT_SIZE);
        pbs_world_destroy(world);
    }
}

/// Friction of a body and of a collider that change while they touch: the world that is restored
/// from what was saved then, whose contact is built anew, goes on with the same bits.
static void friction_changes_in_mid_run(void **state) {
    (void)state;
    static const double above[3] = {0.0, 0.01, 0.0};
    for (int of_collider = 0; of_collider < 2; of_collider++) {
        pbs_world_desc settings;
        scene_settings(&settings);
        settings.gravity[0] = 3.0;
        settings.contact = PBS_CONTACT_BARRIER;
        pbs_world *world = new_world_from(&settings);
        pbs_world *smooth = new_world_from(&settings);
        pbs_world *other = new_world_from(&settings);
        const pbs_collider ground = add_ground(world);
        const pbs_body cube = add_cube(world, 1, 0.5, above, NULL);
        add_ground(smooth);
        add_cube(smooth, 1, 0.5, above, NULL);
        assert_ok(scene_step(world, 10));
        assert_ok(scene_step(smooth, 10));
        assert_true(pbs_world_hash(world) == pbs_world_hash(smooth));
        if (of_collider != 0) {
            pbs_collider_desc d = {.struct_size = sizeof d};
            assert_ok(pbs_collider_description(world, ground, &d));
            d.friction = 0.9;
            assert_ok(pbs_collider_set_description(world, ground, &d));
        } else {
            pbs_contact_desc d = {.struct_size = sizeof d};
            assert_ok(pbs_body_contact_settings(world, cube, &d));
            d.friction = 0.9;
            assert_ok(pbs_body_set_contact(world, cube, &d));
        }
        const struct saved_world saved = save_world(world);
        assert_ok(pbs_world_restore(other, saved.data, saved.size));
        free(saved.data);
        assert_ok(scene_step(world, 10));
        assert_ok(scene_step(other, 10));
        assert_ok(scene_step(smooth, 10));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
        assert_true(pbs_world_hash(world) != pbs_world_hash(smooth));
        pbs_world_destroy(world);
        pbs_world_destroy(smooth);
        pbs_world_destroy(other);
    }
}

static void what_was_set_is_read(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body cube = add_cube(world, 1, 1.0, origin, NULL);
    pbs_contact_desc d, read = {.struct_size = sizeof read};
    double friction = 0.0;
    assert_ok(pbs_contact_desc_init(&d, sizeof d));
    assert_ok(pbs_body_contact_settings(world, cube, &read));
    assert_memory_equal(&read, &d, sizeof d);
    d.friction = 0.3;
    d.group = 6;
    assert_ok(pbs_body_set_contact(world, cube, &d));
    assert_ok(pbs_body_contact_settings(world, cube, &read));
    assert_memory_equal(&read, &d, sizeof d);
    assert_ok(pbs_world_friction(world, 2, 3, &friction));
    assert_true(friction == -1.0);
    assert_ok(pbs_world_set_friction(world, 3, 2, 0.25));
    assert_ok(pbs_world_friction(world, 2, 3, &friction));
    assert_true(friction == 0.25);
    assert_status(pbs_world_friction(world, 32, 0, &friction), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_friction(world, 0, 0, NULL), PBS_ERROR_ARGUMENT);
    pbs_world_destroy(world);
}

/// Threads come and go between steps, and change no bit.
static void threads_change_in_mid_run(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_world *other = new_world();
    assert_ok(scene_fill(world, 2));
    assert_ok(scene_fill(other, 2));
    for (int32_t threads = 3; threads >= 0; threads--) {
        assert_ok(pbs_world_set_threads(world, threads));
        assert_int_equal(settings_of(world).threads, threads);
        assert_ok(scene_step(world, 2));
        assert_ok(scene_step(other, 2));
        assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    }
    assert_status(pbs_world_set_threads(world, -1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_threads(world, 1025), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_threads(NULL, 1), PBS_ERROR_ARGUMENT);
    test_allocator_fail_after(&allocator, 0);
    assert_status(pbs_world_set_threads(world, 2), PBS_ERROR_MEMORY);
    test_allocator_fail_after(&allocator, ALLOCATOR_NEVER);
    assert_int_equal(settings_of(world).threads, 0);
    assert_ok(scene_step(world, 1));
    pbs_world_destroy(world);
    pbs_world_destroy(other);
    assert_int_equal(atomic_load(&allocator.blocks_in_use), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brick_has_the_moments_of_a_box),
        cmocka_unit_test(rigid_motions_are_found),
        cmocka_unit_test(spins_of_particles_count),
        cmocka_unit_test(motions_are_set),
        cmocka_unit_test(motions_that_cannot_be_are_refused),
        cmocka_unit_test(lines_have_no_spin_along_them),
        cmocka_unit_test(shells_bear_what_their_energy_says),
        cmocka_unit_test(springs_say_their_strain),
        cmocka_unit_test(meshes_come_back_as_they_were_given),
        cmocka_unit_test(user_data_is_the_hosts),
        cmocka_unit_test(colliders_change_what_they_touch),
        cmocka_unit_test(friction_changes_in_mid_run),
        cmocka_unit_test(what_was_set_is_read),
        cmocka_unit_test(threads_change_in_mid_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
