// Shells with a limited stretch: stretches stay below the limit under any load. Also balance of
// forces, independence of scale, saving and refusals.
// SPDX-License-Identifier: MIT
#include <float.h>

#include "support/world_testing.h"

#include "energy/shells/stretch_limit.h"
#include "support/schemes/scheme_rows.h"
#include "world/refusal.h"

static const double LIMIT = 1.1;

// --- strips ---

enum { ACROSS = 3, DOWN = 12, ROWS = DOWN + 1, COLUMNS = ACROSS + 1, VERTICES = ROWS * COLUMNS };

/// A strip that hangs along -y, four times as long as wide; diagonals alternate.
struct strip {
    double positions[3 * VERTICES];
    uint32_t triangles[6 * ACROSS * DOWN];
    pbs_shell_desc d;
    double length; ///< metres
    pbs_world *world;
    pbs_body body;
};

static void make_mesh(struct strip *strip) {
    const double cell = strip->length / DOWN;
    for (uint32_t v = 0; v < VERTICES; v++) {
        strip->positions[3 * v] = cell * (v % COLUMNS);
        strip->positions[3 * v + 1] = -cell * (v / COLUMNS);
        strip->positions[3 * v + 2] = 0.0;
    }
    for (uint32_t c = 0; c < ACROSS * DOWN; c++) {
        static const uint32_t order[2][6] = {{0, 1, 2, 0, 2, 3}, {1, 2, 3, 1, 3, 0}};
        const uint32_t a = c / ACROSS * COLUMNS + c % ACROSS;
        const uint32_t corner[4] = {a, a + COLUMNS, a + COLUMNS + 1, a + 1};
        for (uint32_t k = 0; k < 6; k++) {
            strip->triangles[6 * c + k] = corner[order[(c / ACROSS + c % ACROSS) % 2][k]];
        }
    }
}

/// Weighs `load` times what Young's modulus bears at a strain of one, at its upper end.
static void describe(struct strip *strip, double length, double load, double limit) {
    *strip = (struct strip){.length = length};
    make_mesh(strip);
    assert_ok(pbs_shell_desc_init(&strip->d, sizeof strip->d));
    strip->d.vertex_count = VERTICES;
    strip->d.positions = strip->positions;
    strip->d.triangle_count = 2 * (size_t)ACROSS * DOWN;
    strip->d.triangles = strip->triangles;
    strip->d.thickness = 1e-3 * length;
    strip->d.density = 500.0;
    strip->d.young = strip->d.density * 9.81 * length / load;
    strip->d.poisson = 0.3;
    strip->d.bending = PBS_BENDING_HINGE;
    strip->d.stretch_limit = limit;
}

static void set_scheme(pbs_world *world, int32_t scheme) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
}

static pbs_world_desc settings(void) {
    pbs_world_desc d;
    assert_ok(pbs_world_desc_init(&d, sizeof d));
    d.contact = PBS_CONTACT_PROJECTION;
    d.gravity[1] = -9.81;
    d.threads = 1;
    d.relative_tolerance = 1e-9;
    return d;
}

/// Hangs the strip by its upper row.
static void hang(struct strip *strip, const pbs_world_desc *d, int32_t scheme) {
    static const uint32_t upper[COLUMNS] = {0, 1, 2, 3};
    strip->world = new_world_from(d);
    set_scheme(strip->world, scheme);
    assert_ok(pbs_body_create_shell(strip->world, &strip->d, &strip->body));
    assert_ok(pbs_body_pin(strip->world, strip->body, upper, COLUMNS, PBS_AXIS_ALL));
}

/// The largest stretch of a triangle in any direction, by the singular values of F.
static double stretch_of(const struct strip *strip) {
    const double *x = pbs_body_positions(strip->world, strip->body);
    double largest = 0.0;
    for (size_t t = 0; t < strip->d.triangle_count; t++) {
        const uint32_t *v = strip->triangles + 3 * t;
        // F = Ds Dm^-1 by Cramer's rule: at rest the strip lies in the plane z = 0.
        double rest[2][3], now[2][3], f[6], s[2], axis[2];
        for (size_t k = 0; k < 6; k++) {
            const size_t to = 3 * (size_t)v[1 + k / 3] + k % 3, from = 3 * (size_t)v[0] + k % 3;
            rest[k / 3][k % 3] = strip->positions[to] - strip->positions[from];
            now[k / 3][k % 3] = x[to] - x[from];
        }
        const double area = rest[0][0] * rest[1][1] - rest[0][1] * rest[1][0];
        for (int i = 0; i < 3; i++) {
            f[i] = (now[0][i] * rest[1][1] - now[1][i] * rest[0][1]) / area;
            f[3 + i] = (now[1][i] * rest[0][0] - now[0][i] * rest[1][0]) / area;
        }
        stretch_limit_measure(f, s, axis);
        largest = fmax(largest, s[0]);
    }
    return largest;
}

static double weight_of(const struct strip *strip) {
    return strip->d.density * strip->d.thickness * 0.25 * strip->length * strip->length * 9.81;
}

/// The force along y on the pinned vertices.
static double reaction(const struct strip *strip) {
    double forces[3 * VERTICES], sum = 0.0;
    assert_ok(pbs_body_constraint_forces(strip->world, strip->body, forces, NULL, VERTICES));
    for (size_t v = 0; v < VERTICES; v++) {
        sum += forces[3 * v + 1];
    }
    return sum;
}

// --- what a limit is for ---

/// A hundred times what its modulus would bear: without a limit the strip is several times as long.
/// Each step of a fall, which ends in a jerk, stays below the limit; then the pins bear the weight.
static void a_heavy_strip_stays_below_its_limit(void **state) {
    (void)state;
    struct strip strip;
    const pbs_world_desc d = settings();
    describe(&strip, 1.0, 100.0, LIMIT);
    hang(&strip, &d, PBS_SCHEME_IMPLICIT_EULER);
    for (int n = 0; n < 60; n++) {
        assert_status(pbs_world_step(strip.world, 1.0 / 60.0), PBS_OK);
        assert_true(stretch_of(&strip) < LIMIT);
    }
    set_scheme(strip.world, PBS_SCHEME_QUASI_STATIC);
    assert_status(pbs_world_step(strip.world, 1.0), PBS_OK);
    const double stretch = stretch_of(&strip);
    assert_true(stretch < LIMIT && stretch > 1.07);
    assert_near(reaction(&strip) / weight_of(&strip), 1.0, 1e-6, "reaction over weight");
    pbs_world_destroy(strip.world);
}

/// Without a limit the same strip is stretched far, so that the test above tests something.
static void without_a_limit_it_is_stretched_far(void **state) {
    (void)state;
    struct strip strip;
    const pbs_world_desc d = settings();
    describe(&strip, 1.0, 100.0, 0.0);
    hang(&strip, &d, PBS_SCHEME_IMPLICIT_EULER);
    for (int n = 0; n < 60; n++) {
        assert_status(pbs_world_step(strip.world, 1.0 / 60.0), PBS_OK);
    }
    assert_true(stretch_of(&strip) > 5.0);
    pbs_world_destroy(strip.world);
}

/// Lengths, moduli and thickness scaled such that nothing but units changes: equilibria are the
/// same to the tolerance of statics. One default stiffness serves all, and limits and loads a
/// thousand times apart too.
static void equilibria_do_not_depend_on_scale(void **state) {
    (void)state;
    static const double lengths[] = {1.0, 1e-3, 100.0};
    static const double loads[] = {3.0, 100.0, 3000.0};
    static const double limits[] = {1.01, 1.1, 2.0};
    for (size_t l = 0; l < 9; l++) {
        double first = 0.0;
        for (size_t k = 0; k < COUNT_OF(lengths); k++) {
            struct strip strip;
            const pbs_world_desc d = settings();
            const double limit = limits[l / 3];
            describe(&strip, lengths[k], loads[l % 3], limit);
            hang(&strip, &d, PBS_SCHEME_QUASI_STATIC);
            assert_status(pbs_world_step(strip.world, 1.0), PBS_OK);
            const double stretch = stretch_of(&strip);
            assert_true(stretch > 0.5 * (1.0 + limit) && stretch < limit);
            assert_near(reaction(&strip) / weight_of(&strip), 1.0, 1e-6, "reaction over weight");
            first = k == 0 ? stretch : first;
            assert_near((stretch - first) / (limit - first), 0.0, 1e-3, "distance from the limit");
            pbs_world_destroy(strip.world);
        }
    }
}

// --- one square ---

static const double square[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};
static const double THICKNESS = 0.01, YOUNG = 3000.0;

static pbs_shell_desc describe_square(void) {
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.vertex_count = 4;
    d.positions = square;
    d.triangle_count = 2;
    d.triangles = halves;
    d.thickness = THICKNESS;
    d.young = YOUNG;
    d.poisson = 0.0;
    d.stretch_limit = LIMIT;
    return d;
}

/// All vertices are held, so that positions are what the host says.
static pbs_body add_square(pbs_world *world, const pbs_shell_desc *d) {
    pbs_body body;
    assert_ok(pbs_body_create_shell(world, d, &body));
    assert_ok(pbs_body_pin_all(world, body));
    return body;
}

/// Stretches the square along x to `stretch` at x = 1.
static void stretched(double stretch, double x[12]) {
    memcpy(x, square, sizeof square);
    x[3] = x[6] = stretch;
}

static double elastic_at(pbs_world *world, pbs_body body, double stretch) {
    double x[12];
    stretched(stretch, x);
    assert_ok(pbs_body_set_positions(world, body, x, 4));
    return energy_of(world).elastic;
}

/// With a Poisson ratio of 0 the membrane has E/4 (s^2 - 1 - 2 ln s) per volume, and K is 100 E.
/// The pins' force is the derivative of the energy, and that of the stress on the present width.
static void force_is_the_derivative_of_the_energy(void **state) {
    (void)state;
    static const double stretches[] = {1.04, 1.0501, 1.06, 1.08, 1.095, 1.0999};
    const pbs_shell_desc d = describe_square();
    pbs_world_desc own = settings();
    memset(own.gravity, 0, sizeof own.gravity);
    pbs_world *world = new_world_from(&own);
    const pbs_body body = add_square(world, &d);
    for (size_t k = 0; k < COUNT_OF(stretches); k++) {
        const double s = stretches[k], width = 0.5 * (LIMIT - 1.0);
        const double u = fmax(0.0, (s - LIMIT + width) / width), step = 1e-5 * (LIMIT - s);
        const double membrane = 0.25 * YOUNG * (s * s - 1.0 - 2.0 * log(s));
        const double barrier = -100.0 * YOUNG * width * u * u * log(1.0 - u);
        const double slope = (elastic_at(world, body, s + step) -
                              elastic_at(world, body, s - step)) /
                             (2.0 * step);
        double forces[12], stress[18];
        assert_near(elastic_at(world, body, s) / (THICKNESS * (membrane + barrier)), 1.0, 1e-12,
                    "energy");
        assert_ok(pbs_body_constraint_forces(world, body, forces, NULL, 4));
        assert_ok(pbs_body_element_stress(world, body, stress, 2));
        assert_near((forces[3] + forces[6]) / slope, 1.0, 1e-6, "force over derivative");
        assert_near(THICKNESS * stress[0] / slope, 1.0, 1e-6, "stress over derivative");
        assert_near(stress[0], stress[9], 1e-9 * stress[0], "stress of both triangles");
        assert_near(stress[4], 0.0, 1e-9 * stress[0], "stress across");
    }
    pbs_world_destroy(world);
}

// --- refusals ---

SPOIL(negative, pbs_shell_desc *d, d->stretch_limit = -1.1)
SPOIL(one, pbs_shell_desc *d, d->stretch_limit = 1.0)
SPOIL(half, pbs_shell_desc *d, d->stretch_limit = 0.5)
SPOIL(infinite, pbs_shell_desc *d, d->stretch_limit = INFINITY)
SPOIL(no_number, pbs_shell_desc *d, d->stretch_limit = NAN)

static void what_is_refused(void **state) {
    (void)state;
    static const struct refusal rows[] = {
        {negative, PBS_ERROR_ARGUMENT, "stretch_limit is -1.1, must be 0 for none, or above 1"},
        {one, PBS_ERROR_ARGUMENT, "stretch_limit is 1,"},
        {half, PBS_ERROR_ARGUMENT, "stretch_limit is 0.5,"},
        {infinite, PBS_ERROR_ARGUMENT, "stretch_limit is inf,"},
        {no_number, PBS_ERROR_ARGUMENT, "stretch_limit is "},
    };
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pbs_shell_desc d = describe_square();
        pbs_body body;
        rows[i].spoil(&d);
        assert_status(pbs_body_create_shell(world, &d, &body), rows[i].status);
        assert_non_null(strstr(pbs_last_error(), rows[i].words));
    }
    pbs_world_destroy(world);
}

/// A shell beyond its limit is refused wherever a host can put it there, with what and by how much,
/// and the world is as before.
static void states_beyond_the_limit_are_refused(void **state) {
    (void)state;
    double x[12], far[12];
    pbs_shell_desc d = describe_square();
    pbs_world *world = new_world();
    const pbs_body body = add_square(world, &d);
    stretched(1.15, far);
    far[3] = 1.0; // The first triangle is sheared, by less.
    assert_status(pbs_body_set_positions(world, body, far, 4), PBS_ERROR_INADMISSIBLE);
    assert_message("triangle 1 is stretched to 1.15 times");
    assert_message("the stretch_limit of 1.1");
    assert_same_bits(pbs_body_positions(world, body), square, 12);
    d.initial_positions = far;
    pbs_body other;
    const uint64_t hash = pbs_world_hash(world);
    assert_status(pbs_body_create_shell(world, &d, &other), PBS_ERROR_INADMISSIBLE);
    assert_message("triangle 1 is stretched to 1.15 times");
    assert_true(pbs_world_hash(world) == hash);
    stretched(1.099, x);
    assert_ok(pbs_body_set_positions(world, body, x, 4));
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

/// A limit is a parameter: it comes, changes and goes, but not below what is stretched already.
static void a_limit_is_a_parameter(void **state) {
    (void)state;
    const int32_t parameter = PBS_PARAMETER_STRETCH_LIMIT;
    double x[12], value = -1.0;
    pbs_world *world = new_world();
    pbs_shell_desc d = describe_square();
    d.stretch_limit = 0.0;
    const pbs_body body = add_square(world, &d);
    assert_true(pbs_body_parameter_count(world, body, parameter) == 1);
    const double elastic = elastic_at(world, body, 1.19);
    static const double bad[] = {-1.0, 0.9, 1.0, INFINITY, NAN};
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        assert_status(pbs_body_set_parameter(world, body, parameter, &bad[k], 1),
                      PBS_ERROR_ARGUMENT);
        assert_message("stretch_limit: values[0] is ");
    }
    value = 1.18;
    assert_status(pbs_body_set_parameter(world, body, parameter, &value, 1),
                  PBS_ERROR_INADMISSIBLE);
    assert_message("triangle 0 is stretched to 1.19");
    assert_ok(pbs_body_parameter(world, body, parameter, &value, 1));
    assert_true(value == 0.0);
    double before = elastic;
    static const double limits[] = {2.0, 1.3, 1.2};
    for (size_t k = 0; k < COUNT_OF(limits); k++) {
        assert_ok(pbs_body_set_parameter(world, body, parameter, &limits[k], 1));
        assert_ok(pbs_body_parameter(world, body, parameter, &value, 1));
        assert_true(value == limits[k]);
        const double now = energy_of(world).elastic;
        assert_true(k == 0 ? now == elastic : now > before);
        before = now;
        assert_ok(pbs_world_step(world, 0.01));
    }
    // The barrier follows the modulus: with a Poisson ratio of 0 all of the energy does.
    const double young = 2.0 * YOUNG;
    assert_ok(pbs_body_set_parameter(world, body, PBS_PARAMETER_YOUNG, &young, 1));
    assert_near(energy_of(world).elastic, 2.0 * before, 1e-9 * before, "twice the modulus");
    value = 0.0;
    assert_ok(pbs_body_set_parameter(world, body, parameter, &value, 1));
    assert_near(energy_of(world).elastic, 2.0 * elastic, 1e-12, "without a limit");
    stretched(3.0, x);
    assert_ok(pbs_body_set_positions(world, body, x, 4));
    assert_ok(pbs_world_step(world, 0.01));
    pbs_world_destroy(world);
}

// --- motion ---

static void swing(struct strip *strip, const pbs_world_desc *d, int32_t scheme) {
    double v[3 * VERTICES] = {0.0};
    describe(strip, 1.0, 100.0, LIMIT);
    strip->d.damping = 0.01;
    strip->d.yield_curvature = 0.1;
    hang(strip, d, scheme);
    for (size_t k = 0; k < VERTICES; k++) {
        const double y = strip->positions[3 * k + 1];
        v[3 * k + 2] = 8.0 * y * (y + 0.4);
    }
    assert_ok(pbs_body_set_velocities(strip->world, strip->body, v, VERTICES));
}

static int32_t feasible[] = {PBS_SCHEME_IMPLICIT_EULER,
                             PBS_SCHEME_TRAPEZOIDAL,
                             PBS_SCHEME_OUTER_THETA,
                             PBS_SCHEME_FIRST_ORDER_THETA,
                             PBS_SCHEME_BDF2,
                             PBS_SCHEME_SECOND_ORDER_THETA,
                             PBS_SCHEME_NEWMARK,
                             PBS_SCHEME_SDIRK2,
                             PBS_SCHEME_TR_BDF2,
                             PBS_SCHEME_VARIATIONAL_RIGHT_POINT,
                             PBS_SCHEME_A_1,
                             PBS_SCHEME_A_SEARCH,
                             PBS_SCHEME_SPARSE_A_SEARCH,
                             PBS_SCHEME_QUASI_STATIC,
                             PBS_SCHEME_DECOUPLED_SDIRK2};

/// A strip that swings, is damped and creases, by every scheme whose steps end feasible.
static void schemes_that_end_feasible_stay_below(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT_OF(feasible); k++) {
        struct strip strip;
        const pbs_world_desc d = settings();
        swing(&strip, &d, feasible[k]);
        for (int n = 0; n < 20; n++) {
            assert_status(pbs_world_step(strip.world, 5e-3), PBS_OK);
            assert_true(stretch_of(&strip) < LIMIT);
        }
        pbs_world_destroy(strip.world);
    }
}

static int32_t others[] = {PBS_SCHEME_IMPLICIT_MIDPOINT, PBS_SCHEME_INNER_THETA,
                           PBS_SCHEME_GENERALIZED_ALPHA, PBS_SCHEME_VARIATIONAL_MIDPOINT,
                           PBS_SCHEME_ENERGY_BLENDING,   PBS_SCHEME_SYMPLECTIC_EULER,
                           PBS_SCHEME_VELOCITY_VERLET};

/// The others land below the limit, or refuse the step and leave the world as it was: where it
/// would end beyond, or where the last one ended so close to the limit that no direction leads away
/// from there within rounding.
static void other_schemes_refuse_steps_beyond(void **state) {
    (void)state;
    int landed = 0, refused = 0;
    for (size_t k = 0; k < COUNT_OF(others); k++) {
        struct strip strip;
        pbs_world_desc d = settings();
        d.divisions = 0;
        swing(&strip, &d, others[k]);
        for (int n = 0; n < 20; n++) {
            const uint64_t hash = pbs_world_hash(strip.world);
            const pbs_status status = pbs_world_step(strip.world, 2e-2);
            // So close to the limit the limit's own rounding error may be that of its force.
            assert_true(status == PBS_OK || status == PBS_NOT_CONVERGED ||
                        status == PBS_ERROR_INADMISSIBLE || status == PBS_ERROR_CONVERGENCE);
            assert_true(status >= PBS_OK || pbs_world_hash(strip.world) == hash);
            // Both singular values here and those of the library are rounded.
            assert_true(stretch_of(&strip) <= LIMIT * (1.0 + 4.0 * DBL_EPSILON));
            landed += status >= PBS_OK;
            refused += status < PBS_OK;
        }
        pbs_world_destroy(strip.world);
    }
    assert_true(landed > 0 && refused > 0);
}

/// With damping and creases: elastic and dissipated energies are accounts, and the sum falls.
static void creases_and_damping_dissipate_alone(void **state) {
    (void)state;
    struct strip strip;
    const pbs_world_desc d = settings();
    swing(&strip, &d, PBS_SCHEME_IMPLICIT_EULER);
    double total = energy_of(strip.world).total;
    for (int n = 0; n < 40; n++) {
        const double dissipated = energy_of(strip.world).dissipated;
        assert_status(pbs_world_step(strip.world, 5e-3), PBS_OK);
        const pbs_energy now = energy_of(strip.world);
        assert_true(now.dissipated >= dissipated && now.total <= total);
        total = now.total;
    }
    assert_true(energy_of(strip.world).dissipated > 0.0);
    const double *angles = pbs_body_rest_angles(strip.world, strip.body);
    double largest = 0.0;
    for (size_t k = 0; k < 3 * strip.d.triangle_count; k++) {
        largest = fmax(largest, fabs(angles[k]));
    }
    assert_true(largest > 0.01);
    pbs_world_destroy(strip.world);
}

/// Saved under load, a world goes on with the same bits, with any number of threads.
static void restored_worlds_go_on_to_the_bit(void **state) {
    (void)state;
    struct strip strip;
    pbs_world_desc d = settings();
    swing(&strip, &d, PBS_SCHEME_BDF2);
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(strip.world, 5e-3));
    }
    assert_true(stretch_of(&strip) > 1.05);
    struct saved_world saved = save_world(strip.world);
    d.threads = 3;
    pbs_world *other = new_world_from(&d);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    for (int n = 0; n < 10; n++) {
        assert_ok(pbs_world_step(strip.world, 5e-3));
        assert_ok(pbs_world_step(other, 5e-3));
        assert_true(pbs_world_hash(other) == pbs_world_hash(strip.world));
    }
    double limit = 0.0;
    assert_ok(pbs_body_parameter(other, pbs_world_body_at(other, 0), PBS_PARAMETER_STRETCH_LIMIT,
                                 &limit, 1));
    assert_true(limit == LIMIT);
    free(saved.data);
    pbs_world_destroy(other);
    pbs_world_destroy(strip.world);
}

/// A handle that moves farther in one step than its triangles could be stretched takes the cloth
/// along, as far as nothing holds that: pulled against its pins, it is blocked.
static void handles_take_the_cloth_along(void **state) {
    (void)state;
    static const uint32_t lower[COLUMNS] = {VERTICES - 4, VERTICES - 3, VERTICES - 2, VERTICES - 1};
    struct strip strip;
    pbs_world_desc d = settings();
    memset(d.gravity, 0, sizeof d.gravity);
    describe(&strip, 1.0, 100.0, LIMIT);
    hang(&strip, &d, PBS_SCHEME_IMPLICIT_EULER);
    assert_ok(pbs_body_pin(strip.world, strip.body, lower, COLUMNS, PBS_AXIS_ALL));
    for (int n = 1; n <= 2; n++) {
        double targets[3 * COLUMNS];
        for (size_t k = 0; k < COLUMNS; k++) {
            memcpy(targets + 3 * k, strip.positions + 3 * lower[k], 3 * sizeof *targets);
            targets[3 * k + 1] -= 0.06 * n;
        }
        assert_ok(pbs_body_set_targets(strip.world, strip.body, lower, COLUMNS, targets));
        const uint64_t hash = pbs_world_hash(strip.world);
        const pbs_status status = pbs_world_step(strip.world, 0.05);
        assert_status(status, n == 1 ? PBS_OK : PBS_ERROR_CONVERGENCE);
        assert_true(n == 1 || pbs_world_hash(strip.world) == hash);
        assert_true(stretch_of(&strip) < LIMIT && stretch_of(&strip) > 1.05);
    }
    assert_message("blocked");
    pbs_world_destroy(strip.world);
}

// --- memory ---

static void steps_do_not_allocate(void **state) {
    (void)state;
    struct test_allocator allocator;
    struct strip strip;
    pbs_world_desc d = settings();
    test_allocator_init(&allocator);
    d.allocator = test_allocator_hooks(&allocator);
    swing(&strip, &d, PBS_SCHEME_IMPLICIT_EULER);
    uint64_t calls = 0;
    for (int n = 0; n < 30; n++) {
        const double limit = LIMIT + 0.2 + 0.01 * (n % 4);
        calls = n == 10 ? allocator.allocate_count : calls;
        assert_ok(pbs_world_step(strip.world, 5e-3));
        if (n % 2 == 0) {
            assert_ok(pbs_body_set_parameter(strip.world, strip.body, PBS_PARAMETER_STRETCH_LIMIT,
                                             &limit, 1));
        }
    }
    assert_true(allocator.allocate_count == calls);
    pbs_world_destroy(strip.world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

static pbs_status create(pbs_world *world, void *context) {
    pbs_body body;
    return pbs_body_create_shell(world, context, &body);
}

static pbs_status one_step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 1e-3);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    pbs_shell_desc d = describe_square();
    assert_ok(refuse_until_success(&allocator, world, create, &d, &refused));
    assert_ok(refuse_until_success(&allocator, world, one_step, NULL, &refused));
    assert_true(refused > 30);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_strip_stays_below_its_limit),
        cmocka_unit_test(without_a_limit_it_is_stretched_far),
        cmocka_unit_test(equilibria_do_not_depend_on_scale),
        cmocka_unit_test(force_is_the_derivative_of_the_energy),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(states_beyond_the_limit_are_refused),
        cmocka_unit_test(a_limit_is_a_parameter),
        cmocka_unit_test(schemes_that_end_feasible_stay_below),
        cmocka_unit_test(other_schemes_refuse_steps_beyond),
        cmocka_unit_test(creases_and_damping_dissipate_alone),
        cmocka_unit_test(restored_worlds_go_on_to_the_bit),
        cmocka_unit_test(handles_take_the_cloth_along),
        cmocka_unit_test(steps_do_not_allocate),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests_name("world/stretch_limit", tests, NULL, NULL);
}
