// Conservation through the public API: free fall is what implicit Euler says to the last bits,
// linear momentum stays to rounding, angular momentum to first order in the step, energy never
// grows.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include <pbs/pbs.h>

#include "common/meshes/shapes.h"

struct momenta {
    double linear[3], angular[3], mass;
};

static struct momenta momenta_of(const pbs_world *world, pbs_body body) {
    struct momenta m = {0};
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    const double *mass = pbs_body_masses(world, body);
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        const double *p = x + 3 * i, *u = v + 3 * i;
        for (int k = 0; k < 3; k++) {
            const int j = (k + 1) % 3, l = (k + 2) % 3;
            m.linear[k] += mass[i] * u[k];
            m.angular[k] += mass[i] * (p[j] * u[l] - p[l] * u[j]);
        }
        m.mass += mass[i];
    }
    return m;
}

/// A ball that spins, flies and rings: velocities v = v0 + w x r + a stretching part.
static void spinning_ball(pbs_world **world, pbs_body *body, double gravity, int32_t material) {
    struct tet_mesh mesh = {0};
    assert_true(shape_ball(0.5, 0.2, &mesh));
    double *velocities = calloc(3 * mesh.vertex_count, sizeof *velocities);
    assert_non_null(velocities);
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const double *p = mesh.positions + 3 * i;
        velocities[3 * i] = 1.0 - 2.0 * p[1] + 0.5 * p[0];
        velocities[3 * i + 1] = 0.5 + 2.0 * p[0];
        velocities[3 * i + 2] = -0.25 - 0.5 * p[2];
    }
    pbs_world_desc world_desc;
    assert_ok(pbs_world_desc_init(&world_desc, sizeof world_desc));
    world_desc.contact = PBS_CONTACT_PROJECTION;
    world_desc.gravity[1] = -gravity;
    world_desc.relative_tolerance = 1e-8;
    assert_ok(pbs_world_create(&world_desc, world));
    pbs_solid_desc desc;
    assert_ok(pbs_solid_desc_init(&desc, sizeof desc));
    desc.material = material;
    desc.vertex_count = mesh.vertex_count;
    desc.positions = mesh.positions;
    desc.initial_velocities = velocities;
    desc.tet_count = mesh.tet_count;
    desc.tets = mesh.tets;
    desc.young = 1e4;
    assert_ok(pbs_body_create_solid(*world, &desc, body));
    free(velocities);
    tet_mesh_free(&mesh);
}

/// 1e-10 relative, as the project promises; the steps here keep 1e-13.
static void linear_momentum_is_conserved(void **state) {
    (void)state;
    for (int32_t material = 0; material <= PBS_MATERIAL_ST_VENANT_KIRCHHOFF; material++) {
        pbs_world *world = NULL;
        pbs_body body;
        spinning_ball(&world, &body, 0.0, material);
        const struct momenta before = momenta_of(world, body);
        for (int step = 0; step < 50; step++) {
            assert_ok(pbs_world_step(world, 1.0 / 60.0));
        }
        const struct momenta after = momenta_of(world, body);
        for (int k = 0; k < 3; k++) {
            assert_near(after.linear[k], before.linear[k], 1e-10 * before.mass, "linear momentum");
        }
        pbs_world_destroy(world);
    }
}

/// With gravity and nothing to hit, the centre falls as x_{n+1} = x_n + h v_{n+1}, v_{n+1} = v_n +
/// h g: exact to rounding.
static void centre_of_mass_falls_freely(void **state) {
    (void)state;
    pbs_world *world = NULL;
    pbs_body body;
    spinning_ball(&world, &body, 9.81, PBS_MATERIAL_STABLE_NEO_HOOKEAN);
    const struct momenta before = momenta_of(world, body);
    const double h = 1.0 / 24.0;
    const int steps = 24;
    for (int step = 0; step < steps; step++) {
        assert_ok(pbs_world_step(world, h));
    }
    const struct momenta after = momenta_of(world, body);
    const double expected = before.linear[1] - before.mass * 9.81 * h * steps;
    assert_near(after.linear[1], expected, 1e-10 * fabs(expected), "falling momentum");
    assert_near(after.linear[0], before.linear[0], 1e-10 * before.mass, "sideways momentum");
    pbs_world_destroy(world);
}

/// Change of the angular momentum about z over 0.2 s, relative.
static double angular_drift(double h) {
    pbs_world *world = NULL;
    pbs_body body;
    spinning_ball(&world, &body, 0.0, PBS_MATERIAL_STABLE_NEO_HOOKEAN);
    const struct momenta before = momenta_of(world, body);
    const int steps = (int)lround(0.2 / h);
    for (int step = 0; step < steps; step++) {
        assert_ok(pbs_world_step(world, h));
    }
    const struct momenta after = momenta_of(world, body);
    pbs_world_destroy(world);
    return (after.angular[2] - before.angular[2]) / before.angular[2];
}

/// Implicit Euler: x_{n+1} x v_{n+1} differs from x_n x v_n by O(h^2) a step, so the drift halves
/// with the step, to within what the next order leaves.
static void angular_momentum_drifts_to_first_order(void **state) {
    (void)state;
    const double coarse = angular_drift(0.2 / 32.0);
    const double fine = angular_drift(0.2 / 64.0);
    const double finest = angular_drift(0.2 / 128.0);
    assert_near(log2(fine / finest), 1.0, 0.1, "order of the angular drift");
    assert_true(fabs(log2(fine / finest) - 1.0) <= fabs(log2(coarse / fine) - 1.0) + 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_momentum_is_conserved),
        cmocka_unit_test(centre_of_mass_falls_freely),
        cmocka_unit_test(angular_momentum_drifts_to_first_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
