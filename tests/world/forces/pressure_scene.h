// Pistons and weightless worlds, for tests of pressure.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_PRESSURE_SCENE_H
#define PBS_TESTS_PRESSURE_SCENE_H

#include "support/world_testing.h"

static inline pbs_world *weightless_world(int32_t scheme, double tolerance) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = tolerance;
    pbs_world *world = new_world_from(&settings);
    use_scheme(world, scheme);
    return world;
}

static inline double volume_of(const pbs_world *world, pbs_body body) {
    double volume = 0.0;
    assert_ok(pbs_body_pressure(world, body, NULL, &volume));
    return volume;
}

// --- a piston of one degree of freedom ---
//  A tetrahedron of a foil of Young's modulus `young`: its base is held, and its apex moves up
//  and down. Its volume is a third of base times height, so the piston's area is a third of the
//  base's.

enum { APEX = 3 };
static const double BASE = 0.5, HEIGHT = 1.0, AIR = 1e5;

static inline pbs_body add_piston(pbs_world *world, double young) {
    const double positions[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.25, 0.25, HEIGHT};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const uint32_t base[3] = {0, 1, 2}, apex = APEX;
    pbs_shell_desc d;
    pbs_body body;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.positions = positions;
    d.triangle_count = 4;
    d.triangles = triangles;
    d.thickness = 1e-3;
    d.young = young;
    assert_ok(pbs_body_create_shell(world, &d, &body));
    assert_ok(pbs_body_pin(world, body, base, 3, PBS_AXIS_ALL));
    assert_ok(pbs_body_pin(world, body, &apex, 1, PBS_AXIS_X | PBS_AXIS_Y));
    return body;
}

#endif
