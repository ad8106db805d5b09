// Worlds and plates for tests of wind.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_WIND_SCENE_H
#define PBS_TESTS_WIND_SCENE_H

#include <string.h>

#include "base/matrix3/math3.h"
#include "support/world_testing.h"

static const double SIDE = 0.5;       // m, of a plate
static const double THICKNESS = 2e-3; // m
static const double DENSITY = 100.0;  // kg/m^3; a plate has 0.05 kg

/// Gravity along -y.
static inline pbs_world *wind_world(int32_t scheme, double gravity) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-9;
    settings.newton_limit = 2000;
    settings.gravity[0] = settings.gravity[2] = 0.0;
    settings.gravity[1] = -gravity;
    pbs_world *world = new_world_from(&settings);
    use_scheme(world, scheme);
    return world;
}

/// A square in the plane y = 0 from the origin, of 18 triangles.
static inline pbs_body add_plate(pbs_world *world) {
    static const double origin[3] = {0.0, 0.0, 0.0};
    pbs_shell_desc like;
    assert_ok(pbs_shell_desc_init(&like, sizeof like));
    like.thickness = THICKNESS;
    like.density = DENSITY;
    like.young = 1e7;
    return add_sheet(world, 3, SIDE, origin, &like);
}

static inline double plate_area(void) {
    return SIDE * SIDE;
}

static inline double plate_mass(void) {
    return DENSITY * THICKNESS * plate_area();
}

static inline pbs_wind_desc wind_of(double x, double y, double z) {
    pbs_wind_desc d;
    assert_ok(pbs_wind_desc_init(&d, sizeof d));
    d.velocity[0] = x;
    d.velocity[1] = y;
    d.velocity[2] = z;
    return d;
}

/// What a surface across the wind bears of 1 m/s: density c A / 2.
static inline double drag_of(const pbs_wind_desc *d, double area) {
    return 0.5 * d->density * d->normal_coefficient * area;
}

static inline void set_velocity(pbs_world *world, pbs_body body, const double v[3]) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *const all = malloc((3 * count + 1) * sizeof *all);
    assert_non_null(all);
    for (size_t k = 0; k < 3 * count; k++) {
        all[k] = v[k % 3];
    }
    assert_ok(pbs_body_set_velocities(world, body, all, count));
    free(all);
}

static inline pbs_motion motion_of(const pbs_world *world, pbs_body body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    assert_ok(pbs_body_motion(world, body, &motion));
    return motion;
}

static inline void force_of_wind(const pbs_world *world, pbs_body body, double force[3]) {
    assert_ok(pbs_body_wind(world, body, NULL, force));
}

#endif
