// The forces and lengths that tolerances are relative to.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"
#include "world/stepping/reference.h"

static const double origin[3] = {0.0, 0.0, 0.0};

/// Without weight and moduli the reference force is measured once, and again after bodies have
/// changed. Here it is first |M v / h| of a relaxed moving spring. Then a stretched spring is
/// added, which pulls with F at both ends: sqrt(2) F.
static void reference_forces_are_measured_once(void **state) {
    (void)state;
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    pbs_world *world = new_world_from(&d);
    double positions[6] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0};
    const double masses[2] = {1.0, 1.0}, velocities[6] = {0.0, 3e-3, 0.0, 0.0, 4e-3, 0.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc springs;
    springs_describe(&springs, 2, positions, masses, 1, stencil);
    springs.velocities = velocities;
    pbs_body body;
    assert_ok(pbs_body_create_custom(world, &springs, &body));
    assert_ok(pbs_world_step(world, 0.01));
    const double first = stats_of(world).newton.reference_force;
    assert_near(first, 5e-3 / 0.01, 1e-12, "measured");
    assert_ok(pbs_world_step(world, 0.01));
    assert_true(stats_of(world).newton.reference_force == first);
    positions[3] = 1.1;
    assert_ok(pbs_body_create_custom(world, &springs, &body));
    assert_ok(pbs_world_step(world, 0.01));
    // Both springs have |M v / h| of 0.5 N besides.
    assert_near(stats_of(world).newton.reference_force, sqrt(2.0) * 400.0, 1.0, "measured again");
    pbs_world_destroy(world);
}

/// sqrt(sum of weights squared), of what gravity acts on.
static void weights_count_where_gravity_acts(void **state) {
    (void)state;
    pbs_world *world = new_world();
    assert_ok(pbs_world_set_gravity(world, (const double[3]){6.0, 0.0, 8.0}));
    const double positions[6] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0}, masses[2] = {3.0, 4.0};
    const double velocities[6] = {0.0, 1.0, 0.0, 0.0, 1.0, 0.0};
    const uint32_t stencil[2] = {0, 1};
    pbs_custom_desc springs;
    springs_describe(&springs, 2, positions, masses, 1, stencil);
    pbs_body body;
    springs.velocities = velocities; // which a measured force would see
    assert_ok(pbs_body_create_custom(world, &springs, &body));
    springs.no_gravity = 1;
    assert_ok(pbs_body_create_custom(world, &springs, &body));
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(stats_of(world).newton.reference_force, 50.0, 1e-13, "10 m/s^2 times 5 kg");
    pbs_world_destroy(world);
}

/// 0 stands for what the header says it does, to the bit; moduli count by tetrahedron.
static void defaults_are_what_they_stand_for(void **state) {
    (void)state;
    uint64_t hashes[4], linear[4];
    double forcing = 0.0, tolerance = 0.0, young[48], reference[4];
    for (int i = 0; i < 4; i++) {
        pbs_world_desc d;
        pbs_expert_desc expert;
        scene_settings(&d);
        expert_settings(&expert, &d);
        // Its iterations are what the forcing changes.
        expert.preconditioner = PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY;
        expert.forcing = i == 2 ? 1e-6 * forcing : forcing;
        d.tolerance = tolerance;
        pbs_world *world = new_world_from(&d);
        pbs_solid_desc solid;
        assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
        for (int t = 0; t < 48; t++) {
            young[t] = solid.young;
        }
        solid.young = i == 3 ? 7.0 : solid.young;
        solid.tet_young = i == 3 ? young : NULL;
        add_cube(world, 2, 0.4, origin, &solid);
        pbs_collider_desc floor;
        assert_ok(pbs_collider_desc_init(&floor, sizeof floor));
        pbs_collider collider;
        floor.position[1] = -0.01;
        assert_ok(pbs_collider_create(world, &floor, &collider));
        assert_ok(scene_step(world, 8));
        hashes[i] = pbs_world_hash(world);
        linear[i] = stats_of(world).total.linear_iterations;
        reference[i] = stats_of(world).newton.reference_force;
        forcing = 1.0 / sqrt(reference[i]);
        tolerance = 1e-6 * reference[i];
        pbs_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(linear[2] > linear[0]); // directions solved a million times better
    assert_true(hashes[3] == hashes[0] && reference[3] == reference[0]);
}

/// What rounding is relative to: the largest coordinate of bodies and colliders. A crumpled solid
/// is still measured by its rest shape.
static void lengths_see_everything(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube(world, 1, 2.0, origin, NULL);
    const double diagonal = 2.0 * sqrt(3.0);
    assert_near(reference_lengths(&world->scene).diagonal, diagonal, 1e-15, "diagonal");
    assert_near(reference_lengths(&world->scene).scale, diagonal, 1e-15, "scale");
    double x[24];
    for (int i = 0; i < 24; i++) {
        x[i] = -700.0 + 1e-3 * i;
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
    assert_near(reference_lengths(&world->scene).diagonal, diagonal, 1e-15, "crumpled");
    assert_near(reference_lengths(&world->scene).scale, 700.0, 1e-12, "far away");
    pbs_collider_desc d;
    assert_ok(pbs_collider_desc_init(&d, sizeof d));
    d.position[2] = -5000.0;
    pbs_collider collider;
    assert_ok(pbs_collider_create(world, &d, &collider));
    assert_near(reference_lengths(&world->scene).scale, 5000.0, 1e-12, "a collider farther away");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_forces_are_measured_once),
        cmocka_unit_test(weights_count_where_gravity_acts),
        cmocka_unit_test(defaults_are_what_they_stand_for),
        cmocka_unit_test(lengths_see_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
