// Friction of contacts that begin in a step (docs/theory/contact.md section 4.1).
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"

/// A box that lands on the ground with 4 m/s sideways loses in the step of the hit what Coulomb's
/// law takes: the coefficient times the impulse of the ground over its mass. Friction of the start
/// of the step alone took nothing.
static void a_hit_rubs_in_its_own_step(void **state) {
    (void)state;
    const double coefficient = 0.3, corner[3] = {0.0, 0.02, 0.0}, h = 1.0 / 60.0;
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.gravity[1] = -9.81;
    pbs_world *world = new_world_from(&settings);
    const pbs_collider ground = add_ground(world);
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.young = 1e7;
    const pbs_body box = add_cube(world, 1, 0.2, corner, &d);
    pbs_contact_desc contact;
    assert_ok(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = coefficient;
    assert_ok(pbs_body_set_contact(world, box, &contact));
    double velocities[3 * 8], mass = 0.0;
    for (size_t i = 0; i < 8; i++) {
        velocities[3 * i] = 4.0;
        velocities[3 * i + 1] = -2.0;
        velocities[3 * i + 2] = 0.0;
        mass += pbs_body_masses(world, box)[i];
    }
    assert_ok(pbs_body_set_velocities(world, box, velocities, 8));
    double pressed = 0.0, speed = 4.0;
    while (pressed == 0.0) {
        assert_ok(pbs_world_step(world, h));
        pressed = fabs(contact_force_on(world, ground).impulse[1]);
        speed = 0.0;
        for (size_t i = 0; i < 8; i++) {
            speed += pbs_body_masses(world, box)[i] / mass * pbs_body_velocities(world, box)[3 * i];
        }
    }
    assert_near((4.0 - speed) / (coefficient * pressed / mass), 1.0, 0.02, "speed that is lost");
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_rubs_in_its_own_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
