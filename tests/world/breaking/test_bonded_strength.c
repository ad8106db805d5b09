// Strengths of bonds: given directly or by the fracture energy, their scatter, and bodies that
// hardly carry their own weight.
// SPDX-License-Identifier: MIT
#include "support/scenes/bonded_bodies.h"

#include "base/matrix3/math3.h"
#include "world/refusal.h"

static const double NONE[3] = {0.0, 0.0, 0.0};

static void describe_row(struct bonded_parts *p, size_t count) {
    bonded_block(p, count, 1, 1, NONE);
}

static pbs_world *weightless_world(void) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    memcpy(settings.gravity, NONE, sizeof NONE);
    settings.contact = PBS_CONTACT_PROJECTION;
    return new_world_from(&settings);
}

/// 1/2 sigma^2 / E A l, all that the bond holds when it breaks, is G A.
static void a_crack_takes_its_energy(void **state) {
    (void)state;
    static struct bonded_parts p;
    const double energies[2] = {3.0, 0.0};
    pbs_world *world = weightless_world();
    pbs_body body;
    describe_row(&p, 3);
    p.d.fracture_energy = 7.0;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    const double *tensile = pbs_body_tensile_strengths(world, body);
    const double *shear = pbs_body_shear_strengths(world, body);
    for (size_t i = 0; i < 2; i++) {
        assert_near(0.5 * tensile[i] * tensile[i] / 1e7 * 0.1 / 7.0, 1.0, 1e-14, "tension");
        assert_near(0.5 * shear[i] * shear[i] / 4e6 * 0.1 / 7.0, 1.0, 1e-14, "shear");
    }
    // Pulled apart a little further than it bears, the event's energy is that.
    p.d.bond_fracture_energies = energies;
    p.velocities[0] = -5.0;
    assert_ok(pbs_body_create_bonded(world, &p.d, &body));
    assert_true(isinf(pbs_body_tensile_strengths(world, body)[1]));
    pbs_broken_bond event;
    size_t count = 0;
    for (int n = 0; n < 1000 && count == 0; n++) {
        count = 1;
        assert_ok(pbs_world_step(world, 1e-5));
        assert_ok(pbs_world_broken_bonds(world, &event, sizeof event, &count));
    }
    assert_int_equal(count, 1);
    const double area = acos(-1.0) * 0.0025;
    const double over = event.normal_stress / pbs_body_tensile_strengths(world, body)[0];
    assert_near(event.energy / (3.0 * area * over * over), 1.0, 1e-9, "energy");
    assert_true(over >= 1.0 && over < 1.02);
    pbs_world_destroy(world);
}

/// Weibull's distribution with modulus m and mean 1: deviation and share below the mean are
/// sqrt(gamma(1 + 2/m) / gamma(1 + 1/m)^2 - 1) and 1 - exp(-gamma(1 + 1/m)^m).
static void scatter_is_that_of_weibull(void **state) {
    (void)state;
    enum { ROWS = 60, BONDS = 255 };
    static struct bonded_parts p;
    const double m = 5.0;
    const double first = tgamma(1.0 + 1.0 / m);
    pbs_world *world = weightless_world();
    double sum = 0.0, square = 0.0, below = 0.0;
    for (uint64_t row = 0; row < ROWS; row++) {
        pbs_body body;
        describe_row(&p, BONDS + 1);
        p.d.tensile_strength = 1e5;
        p.d.shear_strength = 2e5;
        p.d.weibull_modulus = m;
        p.d.seed = row;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body));
        const double *tensile = pbs_body_tensile_strengths(world, body);
        for (size_t i = 0; i < BONDS; i++) {
            const double x = tensile[i] / 1e5;
            assert_near(pbs_body_shear_strengths(world, body)[i] / 2e5, x, 1e-15, "same flaw");
            sum += x;
            square += x * x;
            below += x < 1.0;
        }
        assert_ok(pbs_body_destroy(world, body));
    }
    // 15,300 draws: three times the deviation of a mean of so many.
    const double n = (double)ROWS * BONDS;
    const double deviation = sqrt(tgamma(1.0 + 2.0 / m) / (first * first) - 1.0);
    assert_near(sum / n, 1.0, 3.0 * deviation / sqrt(n), "mean");
    assert_near(sqrt(square / n - sum / n * sum / n) / deviation, 1.0, 3.0 / sqrt(2.0 * n),
                "width");
    assert_near(below / n, 1.0 - exp(-pow(first, m)), 3.0 * 0.5 / sqrt(n), "share below the mean");
    pbs_world_destroy(world);
}

/// By seed and number alone: the same again, not another seed's, and kept by a saved world.
static void a_seed_draws_the_same_strengths(void **state) {
    (void)state;
    static struct bonded_parts p;
    pbs_world *world = weightless_world();
    pbs_body body[3];
    describe_row(&p, 33);
    p.d.tensile_strength = 1e5;
    p.d.weibull_modulus = 10.0;
    for (size_t i = 0; i < 3; i++) {
        p.d.seed = i / 2;
        assert_ok(pbs_body_create_bonded(world, &p.d, &body[i]));
    }
    const double *a = pbs_body_tensile_strengths(world, body[0]);
    assert_same_bits(a, pbs_body_tensile_strengths(world, body[1]), 32);
    assert_true(fabs(a[0] - pbs_body_tensile_strengths(world, body[2])[0]) > 1.0);
    assert_true(isinf(pbs_body_shear_strengths(world, body[0])[5]));
    double before[32];
    memcpy(before, a, sizeof before);
    const struct saved_world saved = save_world(world);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    free(saved.data);
    assert_same_bits(before, pbs_body_tensile_strengths(world, body[0]), 32);
    pbs_world_destroy(world);
}

/// A standing column of ten spheres of 1000 kg/m^3, 1 m high: 1000 x 9.81 x 1 = 9810 Pa.
static void whoever_cannot_bear_itself_is_named(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        static struct bonded_parts p;
        pbs_world *world = i == 3 ? weightless_world() : new_world();
        pbs_body body;
        bonded_block(&p, 1, 10, 1, NONE);
        p.d.tensile_strength = i == 1 ? 9900.0 : 9700.0;
        p.d.no_gravity = i == 2;
        const pbs_status status = pbs_body_create_bonded(world, &p.d, &body);
        assert_int_equal(status, i == 0 ? PBS_WEAK_BONDS : PBS_OK);
        assert_true(pbs_body_is_valid(world, body));
        if (i == 0) {
            assert_message(
                "breaks at 9700 Pa, but the weight of a column as high as the body is 9810 Pa");
        }
        pbs_world_destroy(world);
    }
}

static const double BAD[2] = {1.0, -1.0};

SPOIL(negative_energy, pbs_bonded_desc *d, d->fracture_energy = -1.0)
SPOIL(infinite_energy, pbs_bonded_desc *d, d->fracture_energy = INFINITY)
SPOIL(bad_energies, pbs_bonded_desc *d, d->bond_fracture_energies = BAD)
SPOIL(narrow, pbs_bonded_desc *d, d->weibull_modulus = 0.5)
SPOIL(no_modulus, pbs_bonded_desc *d, d->weibull_modulus = NAN)
SPOIL(both, pbs_bonded_desc *d, d->fracture_energy = 1.0; d->tensile_strength = 1.0)
SPOIL(both_of_bonds, pbs_bonded_desc *d, static const double one[2] = {1.0, 1.0};
      d->bond_fracture_energies = one; d->bond_shear_strengths = one)
SPOIL(vanishing, pbs_bonded_desc *d, d->tensile_strength = 5e-324; d->weibull_modulus = 1.0)

static const struct refusal refusals[] = {
    {negative_energy, PBS_ERROR_ARGUMENT, "fracture_energy is -1"},
    {infinite_energy, PBS_ERROR_ARGUMENT, "fracture_energy is inf"},
    {bad_energies, PBS_ERROR_ARGUMENT, "bond_fracture_energies of bond 1 is -1"},
    {narrow, PBS_ERROR_ARGUMENT, "weibull_modulus is 0.5"},
    {no_modulus, PBS_ERROR_ARGUMENT, "weibull_modulus is nan"},
    {both, PBS_ERROR_ARGUMENT, "give one of them"},
    {both_of_bonds, PBS_ERROR_ARGUMENT, "give one of them"},
    {vanishing, PBS_ERROR_ARGUMENT, "must be positive"},
};

static void wrong_strengths_are_refused_in_words(void **state) {
    (void)state;
    pbs_world *world = weightless_world();
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        static struct bonded_parts p;
        pbs_body body = {0};
        describe_row(&p, 3);
        refusals[i].spoil(&p.d);
        assert_status(pbs_body_create_bonded(world, &p.d, &body), refusals[i].status);
        assert_message(refusals[i].words);
        assert_true(body.id == 0);
    }
    pbs_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crack_takes_its_energy),
        cmocka_unit_test(scatter_is_that_of_weibull),
        cmocka_unit_test(a_seed_draws_the_same_strengths),
        cmocka_unit_test(whoever_cannot_bear_itself_is_named),
        cmocka_unit_test(wrong_strengths_are_refused_in_words),
    };
    return cmocka_run_group_tests_name("world/bonded_strength", tests, NULL, NULL);
}
