// Calls that read contacts back: rows and arrays of other sizes, bad arguments, torques about a
// point, contact by projection, failed steps, and failing allocations.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

static const double GRAVITY = 9.8;

static pbs_world_desc settings(int32_t contact) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -GRAVITY;
    fixed_barrier(&d);
    d.contact = contact;
    return d;
}

/// A cube of 1 kg in 27 vertices, just over the ground and falling on it.
static pbs_world *make_world(const pbs_world_desc *d, double gap) {
    pbs_world *world = new_world_from(d);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.material = PBS_MATERIAL_NEO_HOOKEAN;
    add_ground(world);
    add_cube(world, 2, 0.1, (double[3]){0.0, gap, 0.0}, &solid);
    return world;
}

static size_t count_of(const pbs_world *world) {
    size_t count = 7;
    assert_ok(pbs_world_contacts(world, NULL, sizeof(pbs_contact), &count));
    return count;
}

static pbs_contact_force load_of_body(const pbs_world *world) {
    pbs_contact_force out = {.struct_size = sizeof out};
    assert_ok(pbs_body_contact_force(world, pbs_world_body_at(world, 0), NULL, &out));
    return out;
}

static void steps(pbs_world *world, int count) {
    for (int s = 0; s < count; s++) {
        assert_ok(pbs_world_step(world, 1.0 / 100.0));
    }
}

// --- answers ---

/// What a host says of a body's contact counts from the next step on: one that rests and may touch
/// nothing any more falls from then on, h^2 g (n + 1) n / 2 in n steps of implicit Euler. By how
/// little its weight has pressed it together, less than a millimetre, it springs back meanwhile.
static void a_change_of_contact_counts_at_once(void **state) {
    (void)state;
    const pbs_world_desc d = settings(PBS_CONTACT_BARRIER);
    pbs_world *world = make_world(&d, 0.0008);
    const pbs_body cube = pbs_world_body_at(world, 0);
    steps(world, 100);
    assert_true(count_of(world) > 0);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.mask = 0;
    assert_ok(pbs_body_set_contact(world, cube, &contact));
    const double before = pbs_body_positions(world, cube)[1];
    steps(world, 10);
    assert_int_equal(count_of(world), 0);
    assert_near(before - pbs_body_positions(world, cube)[1], 55.0 * GRAVITY / 1e4, 1e-3, "fall, m");
    pbs_world_destroy(world);
}

static void rows_are_written_as_far_as_they_are_known(void **state) {
    (void)state;
    enum { WIDE = sizeof(pbs_contact) + 24 };
    const pbs_world_desc d = settings(PBS_CONTACT_BARRIER);
    pbs_world *world = make_world(&d, 0.0008);
    assert_int_equal(count_of(world), 0);
    steps(world, 20);
    size_t count = count_of(world);
    assert_true(count >= 4);
    const size_t needed = count;
    pbs_contact *rows = malloc(count * sizeof *rows);
    assert_ok(pbs_world_contacts(world, rows, sizeof *rows, &count));
    // A host of a later library: what this one does not know is zero.
    unsigned char *wide = malloc(count * WIDE);
    memset(wide, 0xa5, count * WIDE);
    assert_ok(pbs_world_contacts(world, (pbs_contact *)(void *)wide, WIDE, &count));
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(wide + WIDE * i, &rows[i], sizeof *rows);
        for (size_t k = sizeof *rows; k < WIDE; k++) {
            assert_int_equal(wide[WIDE * i + k], 0);
        }
    }
    count = needed - 1;
    memset(wide, 0xa5, WIDE);
    assert_status(pbs_world_contacts(world, (pbs_contact *)(void *)wide, WIDE, &count),
                  PBS_ERROR_CAPACITY);
    assert_message("contacts");
    assert_int_equal(count, needed);
    assert_int_equal(wide[0], 0xa5);
    free(wide);
    free(rows);
    pbs_world_destroy(world);
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    const pbs_world_desc d = settings(PBS_CONTACT_BARRIER);
    pbs_world *world = make_world(&d, 0.0008);
    pbs_world *other = make_world(&d, 0.0008);
    const pbs_body body = pbs_world_body_at(world, 0);
    const pbs_collider ground = pbs_world_collider_at(world, 0);
    const double spoilt[3] = {0.0, NAN, 0.0};
    size_t count = 0;
    pbs_contact row;
    assert_status(pbs_world_contacts(NULL, &row, sizeof row, &count), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_contacts(world, &row, sizeof row, NULL), PBS_ERROR_ARGUMENT);
    assert_message("count");
    assert_status(pbs_world_contacts(world, &row, sizeof row - 8, &count), PBS_ERROR_STRUCT_SIZE);
    assert_message("pbs_contact");
    assert_status(pbs_world_contacts(world, &row, 1 << 20, &count), PBS_ERROR_STRUCT_SIZE);

    pbs_contact_force load = {.struct_size = sizeof load};
    assert_status(pbs_body_contact_force(NULL, body, NULL, &load), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_contact_force(world, body, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_contact_force(world, body, spoilt, &load), PBS_ERROR_ARGUMENT);
    assert_message("about");
    assert_status(pbs_body_contact_force(other, body, NULL, &load), PBS_ERROR_HANDLE);
    assert_status(pbs_body_contact_force(world, (pbs_body){ground.id}, NULL, &load),
                  PBS_ERROR_HANDLE);
    assert_status(pbs_collider_contact_force(NULL, ground, NULL, &load), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_contact_force(world, ground, NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_contact_force(world, ground, spoilt, &load), PBS_ERROR_ARGUMENT);
    assert_status(pbs_collider_contact_force(world, (pbs_collider){body.id}, NULL, &load),
                  PBS_ERROR_HANDLE);
    load.struct_size = 8;
    assert_status(pbs_body_contact_force(world, body, NULL, &load), PBS_ERROR_STRUCT_SIZE);
    assert_status(pbs_collider_contact_force(world, ground, NULL, &load), PBS_ERROR_STRUCT_SIZE);
    pbs_world_destroy(other);
    pbs_world_destroy(world);
}

/// A torque about another point differs by the arm times the force.
static void torques_are_about_the_point_asked_for(void **state) {
    (void)state;
    const pbs_world_desc d = settings(PBS_CONTACT_BARRIER);
    pbs_world *world = make_world(&d, 0.0008);
    steps(world, 20);
    const pbs_collider ground = pbs_world_collider_at(world, 0);
    const double there[3] = {0.3, -0.2, 0.7};
    pbs_contact_force at_origin = {.struct_size = sizeof at_origin};
    pbs_contact_force at_there = {.struct_size = sizeof at_there};
    pbs_contact_force at_position = {.struct_size = sizeof at_position};
    assert_ok(pbs_collider_contact_force(world, ground, (double[3]){0.0}, &at_origin));
    assert_ok(pbs_collider_contact_force(world, ground, there, &at_there));
    assert_ok(pbs_collider_contact_force(world, ground, NULL, &at_position));
    double moved[3];
    cross3(there, at_origin.force, moved);
    assert_true(norm3(moved) > 1.0);
    for (int k = 0; k < 3; k++) {
        assert_near(at_there.torque[k], at_origin.torque[k] - moved[k], 1e-13, "torque, N m");
        // The ground's position is the origin.
        assert_true(at_position.torque[k] == at_origin.torque[k]);
        assert_near(at_origin.impulse[k], at_origin.force[k] / 100.0, 1e-15, "impulse, N s");
        assert_near(at_origin.angular_impulse[k], at_origin.torque[k] / 100.0, 1e-15,
                    "angular impulse, N m s");
    }
    pbs_world_destroy(world);
}

// --- when ---

/// A step that fails leaves what was read; what is made or destroyed afterwards too; a step without
/// contact, and a restore, leave no contacts.
static void contacts_are_of_the_last_step_that_landed(void **state) {
    (void)state;
    const pbs_world_desc d = settings(PBS_CONTACT_BARRIER);
    pbs_world *world = make_world(&d, 0.0008);
    steps(world, 20);
    size_t count = count_of(world);
    pbs_contact *before = malloc(count * sizeof *before);
    pbs_contact *after = malloc(count * sizeof *after);
    assert_ok(pbs_world_contacts(world, before, sizeof *before, &count));
    const pbs_contact_force load = load_of_body(world);
    assert_true(load.force[1] > 1.0);

    struct saved_world saved = save_world(world);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    const pbs_body wrong = add_cube(world, 1, 0.1, (double[3]){0.0, 0.05, 0.0}, &solid);
    assert_status(pbs_world_step(world, 1.0 / 100.0), PBS_ERROR_INADMISSIBLE);
    assert_ok(pbs_world_contacts(world, after, sizeof *after, &count));
    assert_memory_equal(before, after, count * sizeof *before);
    const pbs_contact_force still = load_of_body(world);
    assert_memory_equal(&load, &still, sizeof load);
    assert_ok(pbs_body_destroy(world, wrong));
    assert_ok(pbs_world_contacts(world, after, sizeof *after, &count));
    assert_memory_equal(before, after, count * sizeof *before);

    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_int_equal(count_of(world), 0);
    const pbs_contact_force restored = load_of_body(world);
    // The centre of mass is summed anew, the sums are those that were saved.
    assert_memory_equal(load.force, restored.force, sizeof load.force);
    assert_memory_equal(load.angular_impulse, restored.angular_impulse, sizeof load.torque);
    const size_t vertices = pbs_body_vertex_count(world, pbs_world_body_at(world, 0));
    double *x = malloc(3 * vertices * sizeof *x);
    memcpy(x, pbs_body_positions(world, pbs_world_body_at(world, 0)), 3 * vertices * sizeof *x);
    for (size_t i = 0; i < vertices; i++) {
        x[3 * i + 1] += 1.0;
    }
    steps(world, 1);
    assert_true(count_of(world) > 0);
    assert_ok(pbs_body_set_positions(world, pbs_world_body_at(world, 0), x, vertices));
    steps(world, 1);
    assert_int_equal(count_of(world), 0);
    assert_true(load_of_body(world).force[1] == 0.0);
    assert_ok(pbs_body_destroy(world, pbs_world_body_at(world, 0)));
    steps(world, 1);
    assert_int_equal(count_of(world), 0);
    free(x);
    free(saved.data);
    free(before);
    free(after);
    pbs_world_destroy(world);
}

// --- projection ---

/// By projection too: contacts add up to the sums, the sums to the change of momentum, and both
/// sides are opposite. The cube slides over a rough floor against a bowl.
static void projected_contacts_add_up(void **state) {
    (void)state;
    const double h = 1.0 / 100.0;
    const pbs_world_desc d = settings(PBS_CONTACT_PROJECTION);
    pbs_world *world = new_world_from(&d);
    pbs_collider_desc floor;
    pbs_collider ids[2];
    assert_ok(pbs_collider_desc_init(&floor, sizeof floor));
    floor.friction = 0.4;
    assert_ok(pbs_collider_create(world, &floor, &ids[0]));
    floor.shape = PBS_SHAPE_BOX;
    floor.size[0] = floor.size[1] = floor.size[2] = 0.2;
    floor.position[0] = 0.32;
    assert_ok(pbs_collider_create(world, &floor, &ids[1]));
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    const pbs_body cube = add_cube(world, 2, 0.1, (double[3]){0.0, 0.001, 0.0}, &solid);
    double v[81];
    for (size_t k = 0; k < 81; k++) {
        v[k] = k % 3 == 0 ? 0.8 : 0.0;
    }
    assert_ok(pbs_body_set_velocities(world, cube, v, 27));
    double rubbed = 0.0;
    bool touched[2] = {false, false};
    for (int s = 0; s < 25; s++) {
        double before[3] = {0.0};
        double after[3] = {0.0};
        for (size_t i = 0; i < 27; i++) {
            add_scaled3(before, pbs_body_masses(world, cube)[i],
                        pbs_body_velocities(world, cube) + 3 * i, before);
        }
        assert_ok(pbs_world_step(world, h));
        for (size_t i = 0; i < 27; i++) {
            add_scaled3(after, pbs_body_masses(world, cube)[i],
                        pbs_body_velocities(world, cube) + 3 * i, after);
        }
        size_t count = count_of(world);
        pbs_contact rows[64];
        double force[3] = {0.0};
        double friction[3] = {0.0};
        assert_true(count <= 64);
        assert_ok(pbs_world_contacts(world, rows, sizeof rows[0], &count));
        const double *x = pbs_body_positions(world, cube);
        for (size_t i = 0; i < count; i++) {
            assert_true(rows[i].first.body.id == cube.id && rows[i].first.vertex_count == 1);
            assert_true(rows[i].second.vertex_count == 0 && rows[i].second.body.id == 0);
            assert_same_bits(rows[i].first.point, x + 3 * (size_t)rows[i].first.vertices[0], 3);
            assert_small(fabs(rows[i].gap), 1e-12, "gap, m");
            add3(force, rows[i].force, force);
            add3(friction, rows[i].friction, friction);
            touched[0] = touched[0] || rows[i].second.collider.id == ids[0].id;
            touched[1] = touched[1] || rows[i].second.collider.id == ids[1].id;
        }
        const pbs_contact_force load = load_of_body(world);
        const pbs_stats stats = stats_of(world);
        const double allowed = h * sqrt(27.0) *
                                   fmax(stats.newton.tolerance, stats.newton.gradient_norm) +
                               1e-12;
        double others[3] = {0.0};
        for (int c = 0; c < 2; c++) {
            pbs_contact_force other = {.struct_size = sizeof other};
            assert_ok(pbs_collider_contact_force(world, ids[c], NULL, &other));
            add3(others, other.force, others);
        }
        for (int k = 0; k < 3; k++) {
            assert_near(load.force[k], force[k] + friction[k], 1e-12, "sum of contacts, N");
            assert_near(load.friction[k], friction[k], 1e-12, "sum of friction, N");
            assert_near(others[k], -load.force[k], 1e-12, "the other side, N");
            assert_near(after[k] - before[k], load.impulse[k] - (k == 1 ? GRAVITY * h : 0.0),
                        allowed, "change of momentum, N s");
        }
        rubbed = fmax(rubbed, norm3(friction));
    }
    assert_true(touched[0] && touched[1] && rubbed > 1.0);
    pbs_world_destroy(world);
}

// --- memory ---

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1.0 / 100.0);
}

/// The first step with contact, whatever is refused in it; afterwards reading takes no memory, and
/// steps that have as many contacts as those before none either.
static void memory_is_the_hosts(void **state) {
    (void)state;
    for (int32_t contact = PBS_CONTACT_PROJECTION; contact <= PBS_CONTACT_BARRIER; contact++) {
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        pbs_world_desc d = settings(contact);
        d.allocator = test_allocator_hooks(&allocator);
        pbs_world *world = make_world(&d, contact == PBS_CONTACT_BARRIER ? 1e-4 : 0.0);
        uint64_t refused = 0;
        assert_ok(refuse_until_success(&allocator, world, step, NULL, &refused));
        assert_true(refused > 50);
        assert_true(count_of(world) > 0);
        steps(world, 40);
        const uint64_t before = allocator.allocate_count + allocator.release_count;
        for (int s = 0; s < 20; s++) {
            steps(world, 1);
            size_t count = count_of(world);
            pbs_contact rows[64];
            assert_true(count > 0 && count <= 64);
            assert_ok(pbs_world_contacts(world, rows, sizeof rows[0], &count));
            assert_true(load_of_body(world).force[1] > 0.0);
        }
        assert_true(allocator.allocate_count + allocator.release_count == before);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
        assert_false(allocator.was_misused);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_contact_counts_at_once),
        cmocka_unit_test(rows_are_written_as_far_as_they_are_known),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(torques_are_about_the_point_asked_for),
        cmocka_unit_test(contacts_are_of_the_last_step_that_landed),
        cmocka_unit_test(projected_contacts_add_up),
        cmocka_unit_test(memory_is_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
