// Read-back of results other than the state: contact forces by vertex, stress by tetrahedron.
// SPDX-License-Identifier: MIT
#include "support/random.h"
#include "support/world_testing.h"

static const double origin[3] = {0.0, 0.0, 0.0};

// --- contact forces ---

struct momentum {
    double contact[3], velocity[3], mass;
    size_t touched;
};

static struct momentum momentum_of(const pbs_world *world, pbs_body body) {
    struct momentum sum = {.mass = 0.0};
    float forces[3 * 125];
    assert_ok(pbs_body_read_f32(world, body, PBS_CHANNEL_CONTACT_FORCE, forces, 12, 125));
    const double *mass = pbs_body_masses(world, body);
    const double *v = pbs_body_velocities(world, body);
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            const double force = (double)forces[3 * i + k];
            sum.contact[k] += force;
            sum.velocity[k] += mass[i] * v[3 * i + k];
            square += force * force;
        }
        sum.mass += mass[i];
        sum.touched += square > 0.0;
    }
    return sum;
}

/// At every step the contact forces are what changes the momentum besides weight, and the obstacle
/// feels their opposite. With strong drag the cube comes to rest, where they carry its weight.
/// Tolerances: gradients below the step's tolerance at each of n nodes add up to at most
/// sqrt(n) times it; floats have 24 bits.
static void contact_forces_carry_the_body(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_solid_desc d;
    const double corner[3] = {0.0, 0.02, 0.0};
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.drag = 20.0;
    const pbs_body body = add_cube(world, 4, 0.4, corner, &d);
    const pbs_collider ground = add_ground(world);

    struct momentum sum = momentum_of(world, body);
    assert_true(sum.touched == 0);
    const double h = 1.0 / 60.0, weight = sum.mass * 9.81;
    for (int i = 0; i < 240; i++) {
        const double before = sum.velocity[1];
        assert_ok(pbs_world_step(world, h));
        sum = momentum_of(world, body);
        const pbs_stats stats = stats_of(world);
        assert_int_equal(sum.touched, stats.contact.active);
        const double drag = d.drag * sum.velocity[1];
        const double rounding = 6e-8 * fabs(sum.contact[1]) + 1e-9;
        const double tolerance = sqrt(125.0) * stats.newton.tolerance + rounding;
        assert_near(sum.contact[1], weight + drag + (sum.velocity[1] - before) / h, tolerance,
                    "change of momentum");
        const pbs_contact_force felt = contact_force_on(world, ground);
        for (int k = 0; k < 3; k++) {
            assert_near(felt.force[k], -sum.contact[k], rounding, "force on the ground");
        }
    }
    assert_true(sum.touched >= 9);
    assert_near(sum.contact[1], weight, 1e-4 * weight, "the weight of a body at rest");
    assert_near(sum.contact[0], 0.0, 1e-4 * weight, "no force along the ground");

    // The forces travel with a saved world, and go when contact does.
    const struct saved_world saved = save_world(world);
    pbs_world *other = new_world();
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    const struct momentum restored = momentum_of(other, body);
    assert_memory_equal(&restored, &sum, sizeof sum);
    free(saved.data);
    pbs_world_destroy(other);
    assert_ok(pbs_collider_destroy(world, ground));
    assert_ok(pbs_world_step(world, h));
    assert_int_equal(momentum_of(world, body).touched, 0);
    pbs_world_destroy(world);
}

// --- stress ---

enum { TETS = 6 };
static const double young = 2e5, poisson = 0.3;

/// The principal Cauchy stresses of uniaxial stretch F = diag(s, 1, 1): along and across it.
struct stress_row {
    int32_t material;
    void (*principal)(double s, double mu, double lambda, double *along, double *across);
};

static void fixed_corotated(double s, double mu, double lambda, double *along, double *across) {
    // P = 2 mu (F - R) + lambda (J - 1) J F^-T
    *along = (2.0 * mu + lambda) * (s - 1.0);
    *across = lambda * (s - 1.0);
}

static void neo_hookean(double s, double mu, double lambda, double *along, double *across) {
    // J sigma = mu (F F^T - 1) + lambda ln J
    *along = (mu * (s * s - 1.0) + lambda * log(s)) / s;
    *across = lambda * log(s) / s;
}

static void stable_neo_hookean(double s, double mu, double lambda, double *along, double *across) {
    // Smith et al. 2018, eq. 14, with their own moduli; J sigma = m (1 - 1 / (I + 1)) F F^T +
    // l (J - a) J
    const double m = 4.0 / 3.0 * mu, l = lambda + 5.0 / 6.0 * mu, a = 1.0 + 0.75 * m / l;
    const double shear = m * (1.0 - 1.0 / (s * s + 3.0));
    *along = shear * s + l * (s - a);
    *across = shear / s + l * (s - a);
}

static void st_venant_kirchhoff(double s, double mu, double lambda, double *along, double *across) {
    // J sigma = F S F^T, S = lambda tr E + 2 mu E
    const double e = 0.5 * (s * s - 1.0);
    *along = (lambda + 2.0 * mu) * e * s;
    *across = lambda * e / s;
}

static const struct stress_row stress_rows[] = {
    {PBS_MATERIAL_FIXED_COROTATED, fixed_corotated},
    {PBS_MATERIAL_NEO_HOOKEAN, neo_hookean},
    {PBS_MATERIAL_STABLE_NEO_HOOKEAN, stable_neo_hookean},
    {PBS_MATERIAL_ST_VENANT_KIRCHHOFF, st_venant_kirchhoff},
};

static pbs_body add_cube_of(pbs_world *world, int32_t material) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.material = material;
    d.young = young;
    d.poisson = poisson;
    return add_cube(world, 1, 0.7, origin, &d);
}

/// x becomes R diag(s, 1, 1) x.
static void stretch(pbs_world *world, pbs_body body, double s, const double r[9]) {
    double x[24];
    memcpy(x, pbs_body_positions(world, body), sizeof x);
    for (int i = 0; i < 8; i++) {
        const double y[3] = {s * x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] = r[3 * k] * y[0] + r[3 * k + 1] * y[1] + r[3 * k + 2] * y[2];
        }
    }
    assert_ok(pbs_body_set_positions(world, body, x, 8));
}

/// sigma = across 1 + (along - across) n n^T with n = R e_x, in every tetrahedron, and von Mises'
/// stress is |along - across|. 1e-12 of the modulus is a few thousand roundings.
static void uniaxial_stretch_has_the_analytic_stress(void **state) {
    (void)state;
    const double mu = young / (2.0 * (1.0 + poisson));
    const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    static const double ratios[] = {1.0, 1.3, 0.6, 2.5};
    struct random random = random_seed(3);
    for (size_t i = 0; i < COUNT_OF(stress_rows) * COUNT_OF(ratios); i++) {
        const struct stress_row *row = &stress_rows[i / COUNT_OF(ratios)];
        const double s = ratios[i % COUNT_OF(ratios)];
        double r[9], along, across, stress[9 * TETS], von_mises[TETS];
        random_rotation(&random, r);
        pbs_world *world = new_world();
        const pbs_body body = add_cube_of(world, row->material);
        assert_int_equal(pbs_body_tet_count(world, body), TETS);
        stretch(world, body, s, r);
        row->principal(s, mu, lambda, &along, &across);
        assert_ok(pbs_body_element_stress(world, body, stress, TETS));
        for (int k = 0; k < 9 * TETS; k++) {
            const double n = r[k % 9 / 3 * 3] * r[k % 3 * 3];
            const double expected = (k % 9 % 4 == 0 ? across : 0.0) + (along - across) * n;
            assert_near(stress[k], expected, 1e-12 * young, "stress of uniaxial stretch");
        }
        assert_ok(
            pbs_body_read_f64(world, body, PBS_CHANNEL_VON_MISES, von_mises, sizeof(double), TETS));
        for (int t = 0; t < TETS; t++) {
            assert_near(von_mises[t], fabs(along - across), 1e-12 * young, "von Mises' stress");
        }
        pbs_world_destroy(world);
    }
}

static void stress_without_volume_is_no_number(void **state) {
    (void)state;
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double ratios[] = {0.0, -1.0};
    for (size_t i = 0; i < COUNT_OF(ratios); i++) {
        pbs_world *world = new_world();
        const pbs_body body = add_cube_of(world, PBS_MATERIAL_FIXED_COROTATED);
        stretch(world, body, ratios[i], identity);
        double stress[9 * TETS];
        assert_ok(pbs_body_element_stress(world, body, stress, TETS));
        for (int k = 0; k < 9 * TETS; k++) {
            assert_true(isnan(stress[k]));
        }
        float von_mises[TETS];
        assert_ok(
            pbs_body_read_f32(world, body, PBS_CHANNEL_VON_MISES, von_mises, sizeof(float), TETS));
        for (int t = 0; t < TETS; t++) {
            assert_true(isnan(von_mises[t]));
        }
        pbs_world_destroy(world);
    }
}

static void element_stress_refuses_bad_arguments(void **state) {
    (void)state;
    pbs_world *world = new_world();
    const pbs_body body = add_cube_of(world, PBS_MATERIAL_NEO_HOOKEAN);
    double stress[9 * TETS];
    assert_status(pbs_body_element_stress(NULL, body, stress, TETS), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_element_stress(world, body, NULL, TETS), PBS_ERROR_ARGUMENT);
    assert_message("dst is null");
    assert_status(pbs_body_element_stress(world, body, stress, TETS - 1), PBS_ERROR_CAPACITY);
    assert_message("capacity is 5 tetrahedra, but the body has 6");
    assert_ok(scene_fill(world, 1));
    const pbs_body springs = pbs_world_body_at(world, 1);
    assert_int_equal(pbs_body_tet_count(world, springs), 0);
    stress[0] = -77.0;
    assert_ok(pbs_body_element_stress(world, springs, stress, 0));
    assert_true(stress[0] == -77.0);
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_forces_carry_the_body),
        cmocka_unit_test(uniaxial_stretch_has_the_analytic_stress),
        cmocka_unit_test(stress_without_volume_is_no_number),
        cmocka_unit_test(element_stress_refuses_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
