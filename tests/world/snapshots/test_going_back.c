// A world that goes back to a state of its own keeps what it has built, and goes on to the same
// bits as one that is restored anew, whatever it did meanwhile. What cannot be read leaves it as it
// was.
// SPDX-License-Identifier: MIT
#include <string.h>

#include "scenes/league/league.h"
#include "support/joint_testing.h"
#include "support/schemes/scheme_rows.h"
#include "world/interface/byte_stream.h"
#include "world/snapshots/snapshot.h"

enum { AHEAD = 8 };

/// Takes AHEAD steps, goes back, and takes them again.
static void go_back(pbs_world *world, double h) {
    const struct saved_world saved = save_world(world);
    const uint64_t before = pbs_world_hash(world);
    const double energy = energy_of(world).total;
    uint64_t hashes[AHEAD];
    pbs_status answers[AHEAD];
    for (int n = 0; n < AHEAD; n++) {
        answers[n] = pbs_world_step(world, h);
        hashes[n] = pbs_world_hash(world);
    }
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_true(pbs_world_hash(world) == before);
    // Sums of contacts in another order differ by rounding.
    assert_near(energy_of(world).total, energy, 1e-9 * fabs(energy), "energy, J");
    for (int n = 0; n < AHEAD; n++) {
        assert_int_equal(pbs_world_step(world, h), answers[n]);
        assert_true(pbs_world_hash(world) == hashes[n]);
    }
    free(saved.data);
}

static void worlds_go_back_to_the_same_bits(void **state) {
    (void)state;
    static const int32_t kinds[] = {PBS_CONTACT_PROJECTION, PBS_CONTACT_BARRIER};
    for (int scene = 0; scene < SCENE_COUNT; scene++) {
        for (size_t k = 0; k < COUNT_OF(kinds); k++) {
            int built = 0;
            pbs_world *world = new_counting_world(kinds[k], &built);
            // Affine bodies touch by barriers only.
            if (scene_fill(world, scene) >= 0) {
                assert_ok(scene_step(world, 5));
                go_back(world, 0.01);
                assert_int_equal(built, 1);
                // Before the first step, too: what was built since is of the same descriptions.
                go_back(world, 0.003);
            }
            pbs_world_destroy(world);
        }
    }
}

static void go_back_by(const struct scheme_row *row, int32_t contact) {
    static const double corner[3] = {0.0, 0.02, 0.0}, above[3] = {0.1, 0.36, 0.1};
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -9.81;
    d.contact = contact;
    pbs_world *world = new_world_from(&d);
    pbs_integrator *integrator = scheme_row_integrator(row);
    assert_ok(pbs_world_set_integrator(world, integrator));
    (void)add_ground(world);
    (void)add_cube(world, 2, 0.3, corner, NULL);
    (void)add_cube(world, 1, 0.1, above, NULL);
    for (int n = 0; n < 12; n++) {
        assert_true(pbs_world_step(world, 0.001) >= 0);
    }
    go_back(world, 0.001);
    pbs_integrator_destroy(integrator);
    pbs_world_destroy(world);
}

/// With their histories: states before, accelerations, targets of energies, who was struck. No
/// explicit scheme takes barriers.
static void schemes_go_back_with_their_history(void **state) {
    (void)state;
    for (size_t i = 0; i < scheme_row_count; i++) {
        const int32_t scheme = scheme_rows[i].scheme;
        go_back_by(&scheme_rows[i], PBS_CONTACT_PROJECTION);
        if (scheme != PBS_SCHEME_VELOCITY_VERLET && scheme != PBS_SCHEME_SYMPLECTIC_EULER) {
            go_back_by(&scheme_rows[i], PBS_CONTACT_BARRIER);
        }
    }
}

/// Bodies of all kinds, joints, pressure, pins, colliders that move.
static void worlds_of_all_kinds_go_back(void **state) {
    (void)state;
    static const struct league_options coarse = {.small = true};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct league league;
        assert_ok(league_create(seed, &coarse, &league));
        for (int n = 0; n < 4; n++) {
            (void)pbs_world_step(league.world, league.step);
        }
        go_back(league.world, league.step);
        league_free(&league);
    }
}

static pbs_world *heavy_world(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.gravity[1] = -9.81;
    return new_world_from(&d);
}

/// A box of 2 mm is made stiffer while one of 54 kg lands on it; the restore brings the old
/// stiffness back.
static void stiffness_that_follows_loads_goes_back(void **state) {
    (void)state;
    pbs_world *world = heavy_world();
    (void)add_ground(world);
    static const double small[3] = {2e-3, 2e-3, 2e-3}, large[3] = {0.3, 0.3, 0.3};
    static const double low[3] = {0.0, 1.1e-3, 0.0}, high[3] = {0.0, 0.1541, 0.0};
    const pbs_body lowest = add_box(world, small, 8e-6, low, 0.0);
    (void)add_box(world, large, 54.0, high, 0.0);
    double before = 0.0, after = 0.0;
    for (int n = 0; n < 2; n++) {
        assert_true(pbs_world_step(world, 1.0 / 240.0) >= 0);
    }
    assert_ok(pbs_body_parameter(world, lowest, PBS_PARAMETER_STIFFNESS, &before, 1));
    go_back(world, 1.0 / 240.0);
    assert_ok(pbs_body_parameter(world, lowest, PBS_PARAMETER_STIFFNESS, &after, 1));
    assert_true(after > 1.5 * before);
    pbs_world_destroy(world);
}

/// A joint that has broken holds again, and its bodies, which touched after that, do not.
static void joints_that_broke_hold_again(void **state) {
    (void)state;
    pbs_world *world = heavy_world();
    static const double sides[3] = {0.1, 0.1, 0.1}, down[3] = {0.0, -30.0, 0.0};
    static const double high[3] = {0.0, 0.5, 0.0}, low[3] = {0.0, 0.42, 0.0};
    const pbs_body upper = add_box(world, sides, 1.0, high, 0.0);
    const pbs_body lower = add_box(world, sides, 1.0, low, 0.0);
    assert_ok(pbs_body_pin_all(world, upper));
    pbs_joint_desc d = describe_joint(PBS_JOINT_BALL, on_body(upper, 0.0, -0.04, 0.0),
                                      on_body(lower, 0.0, 0.04, 0.0));
    // Of twice the weight, which the host's force exceeds.
    d.break_force = 20.0;
    pbs_joint joint;
    assert_ok(pbs_joint_create(world, &d, &joint));
    for (int n = 0; n < 4; n++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
    const struct saved_world saved = save_world(world);
    uint64_t hashes[2];
    for (int turn = 0; turn < 2; turn++) {
        assert_ok(pbs_body_apply_wrench(world, lower, down, NULL, PBS_FORCE_LASTING));
        for (int n = 0; n < AHEAD; n++) {
            assert_ok(pbs_world_step(world, 0.01));
        }
        hashes[turn] = pbs_world_hash(world);
        assert_int_equal(joint_state_of(world, joint).broken, 1);
        assert_ok(pbs_world_restore(world, saved.data, saved.size));
        assert_int_equal(joint_state_of(world, joint).broken, 0);
    }
    assert_true(hashes[0] == hashes[1]);
    free(saved.data);
    pbs_world_destroy(world);
}

/// Forces that lasted when it was saved act again, though none does at present.
static void forces_act_again(void **state) {
    (void)state;
    static const double corner[3] = {0.0, 0.0, 0.0}, up[3] = {0.0, 30.0, 0.0};
    pbs_world *world = heavy_world();
    const pbs_body cube = add_cube(world, 2, 0.1, corner, NULL);
    assert_ok(pbs_body_apply_wrench(world, cube, up, NULL, PBS_FORCE_LASTING));
    assert_ok(pbs_world_step(world, 0.01));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_step(world, 0.01));
    const uint64_t expected = pbs_world_hash(world);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    const double external = energy_of(world).external;
    assert_ok(pbs_body_clear_forces(world, cube));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_near(energy_of(world).external, external, 0.0, "energy of forces, J");
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(pbs_world_hash(world) == expected);
    free(saved.data);
    pbs_world_destroy(world);
}

/// Bodies that a joint let overlap do so without it in a saved world that has not seen them yet.
static void what_a_joint_let_overlap_is_found(void **state) {
    (void)state;
    static const double sides[3] = {0.1, 0.1, 0.1}, identity[4] = {0.0, 0.0, 0.0, 1.0};
    static const double high[3] = {0.0, 0.5, 0.0}, low[3] = {0.0, 0.45, 0.0},
                        far[3] = {1.0, 0.0, 0.0};
    pbs_world *world = heavy_world();
    const pbs_body upper = add_box(world, sides, 1.0, high, 0.0);
    const pbs_body lower = add_box(world, sides, 1.0, low, 0.0);
    const pbs_joint joint = join(world, PBS_JOINT_BALL, on_body(upper, 0.0, -0.025, 0.0),
                                 on_body(lower, 0.0, 0.025, 0.0));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_joint_destroy(world, joint));
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_body_set_pose(world, lower, far, identity));
    assert_ok(pbs_world_step(world, 0.01));
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_status(pbs_world_step(world, 0.01), PBS_ERROR_INADMISSIBLE);
    free(saved.data);
    pbs_world_destroy(world);
}

/// What the host has done meanwhile is undone: forces, motion, pins, and a pose with an overlap.
static void what_the_host_did_is_undone(void **state) {
    (void)state;
    int built = 0;
    pbs_world *world = new_counting_world(PBS_CONTACT_BARRIER, &built);
    assert_ok(scene_fill(world, 2));
    assert_ok(scene_step(world, 3));
    const struct saved_world saved = save_world(world);
    assert_ok(scene_step(world, 3));
    const uint64_t expected = pbs_world_hash(world);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    const pbs_body body = pbs_world_body_at(world, 0);
    const double velocity[3] = {0.0, 1.0, 0.0};
    assert_ok(pbs_body_set_motion(world, body, velocity, NULL));
    assert_ok(pbs_body_pin_all(world, body));
    assert_ok(scene_step(world, 2));
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_ok(scene_step(world, 3));
    assert_true(pbs_world_hash(world) == expected);
    assert_int_equal(built, 1);
    free(saved.data);
    pbs_world_destroy(world);
}

static void fill_and_step(pbs_world *world) {
    assert_ok(scene_fill(world, 2));
    assert_ok(scene_step(world, 3));
}

static void write_checksum(unsigned char *data, size_t size) {
    struct snapshot_header header;
    memcpy(&header, data, sizeof header);
    header.checksum = checksum(data + sizeof header, size - sizeof header);
    memcpy(data, &header, sizeof header);
}

/// Bytes with a right checksum and the right descriptions, and a number in the state that none is.
static void forged_states_leave_the_world_as_it_was(void **state) {
    (void)state;
    pbs_world *world = new_world(), *other = new_world();
    fill_and_step(world);
    fill_and_step(other);
    struct saved_world saved = save_world(world);
    assert_ok(scene_step(world, 2));
    assert_ok(scene_step(other, 2));
    const uint64_t before = pbs_world_hash(world);
    int refused = 0;
    for (size_t at = saved.size - 8; at > saved.size / 2; at -= 56) {
        unsigned char kept[8];
        memcpy(kept, saved.data + at, sizeof kept);
        memset(saved.data + at, 0xFF, sizeof kept);
        write_checksum(saved.data, saved.size);
        const pbs_status status = pbs_world_restore(world, saved.data, saved.size);
        memcpy(saved.data + at, kept, sizeof kept);
        if (status == PBS_OK) {
            // A number that may be anything.
            write_checksum(saved.data, saved.size);
            assert_ok(pbs_world_restore(world, saved.data, saved.size));
            assert_ok(scene_step(world, 2));
        } else {
            assert_status(status, PBS_ERROR_FORMAT);
            refused++;
        }
        assert_true(pbs_world_hash(world) == before);
    }
    assert_true(refused > 10);
    assert_ok(scene_step(world, 3));
    assert_ok(scene_step(other, 3));
    assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
}

static pbs_status restore(pbs_world *world, void *context) {
    const struct saved_world *const saved = context;
    return pbs_world_restore(world, saved->data, saved->size);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_world *other = new_world();
    fill_and_step(world);
    fill_and_step(other);
    struct saved_world saved = save_world(world);
    assert_ok(scene_step(world, 3));
    assert_ok(scene_step(other, 3));
    assert_ok(refuse_until_success(&allocator, world, restore, &saved, NULL));
    assert_ok(scene_step(world, 3));
    assert_true(pbs_world_hash(world) == pbs_world_hash(other));
    free(saved.data);
    pbs_world_destroy(world);
    pbs_world_destroy(other);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_go_back_to_the_same_bits),
        cmocka_unit_test(schemes_go_back_with_their_history),
        cmocka_unit_test(worlds_of_all_kinds_go_back),
        cmocka_unit_test(stiffness_that_follows_loads_goes_back),
        cmocka_unit_test(joints_that_broke_hold_again),
        cmocka_unit_test(forces_act_again),
        cmocka_unit_test(what_a_joint_let_overlap_is_found),
        cmocka_unit_test(what_the_host_did_is_undone),
        cmocka_unit_test(forged_states_leave_the_world_as_it_was),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("world/going_back", tests, NULL, NULL);
}
