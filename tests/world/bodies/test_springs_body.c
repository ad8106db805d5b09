// Bodies of particles and springs: motion compared with closed forms, the meaning of descriptions,
// and refusals.
// SPDX-License-Identifier: MIT
#include "support/world_testing.h"
#include "world/refusal.h"

static pbs_world *weightless_world(int32_t scheme) {
    pbs_world_desc settings;
    assert_ok(pbs_world_desc_init(&settings, sizeof settings));
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.relative_tolerance = 1e-12;
    pbs_world *world = new_world_from(&settings);
    pbs_integrator_desc d;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    use_integrator(world, &d);
    return world;
}

/// Two particles and the spring between them, along x.
struct pair {
    double positions[6], masses[2], rest_length;
    uint32_t spring[2];
    pbs_springs_desc d;
};

static void make_pair(struct pair *p, double length) {
    *p = (struct pair){.positions = {0.0, 0.0, 0.0, length, 0.0, 0.0},
                       .masses = {1.0, 3.0},
                       .rest_length = 0.5,
                       .spring = {0, 1}};
    assert_ok(pbs_springs_desc_init(&p->d, sizeof p->d));
    p->d.vertex_count = 2;
    p->d.positions = p->positions;
    p->d.masses = p->masses;
    p->d.spring_count = 1;
    p->d.springs = p->spring;
    p->d.rest_lengths = &p->rest_length;
    p->d.stiffness = 30.0;
}

static double length_of(const pbs_world *world, pbs_body body) {
    const double *x = pbs_body_positions(world, body);
    return x[3] - x[0];
}

/// The length swings by w^2 = k (1/m0 + 1/m1); the midpoint rule keeps the amplitude and turns the
/// phase by 2 atan(w h / 2) a step. The energy is 1/2 k u^2 at the start. What rounding of places,
/// two units in the last place of 1.8 a step, does to velocities stays in them.
static void a_pair_swings_as_it_must(void **state) {
    (void)state;
    struct pair p;
    pbs_body body;
    make_pair(&p, 0.6);
    pbs_world *world = weightless_world(PBS_SCHEME_IMPLICIT_MIDPOINT);
    assert_ok(pbs_body_create_springs(world, &p.d, &body));
    const double omega = sqrt(30.0 * (1.0 + 1.0 / 3.0)), h = 0.01;
    assert_near(energy_of(world).elastic, 0.5 * 30.0 * 0.01, 1e-15, "elastic energy");
    for (int n = 1; n <= 200; n++) {
        assert_ok(pbs_world_step(world, h));
        const double phase = 2.0 * n * atan(0.5 * omega * h);
        assert_near(length_of(world, body), 0.5 + 0.1 * cos(phase), 1e-10, "length");
        assert_near(energy_of(world).total, 0.15, 1e-11, "energy");
        const double *x = pbs_body_positions(world, body);
        assert_near(x[0] + 3.0 * x[3], 3.0 * 0.6, n * (n + 1) / 2 * 4.4e-16, "centre of mass");
    }
    pbs_world_destroy(world);
}

/// Stiffness-proportional damping c = damping k: the amplitude falls by exp(-damping w^2 t / 2).
/// Both halves of a period of 1.2 s are resolved by steps of 1 ms to 1e-4.
static void damping_takes_out_what_it_says(void **state) {
    (void)state;
    struct pair p;
    pbs_body body;
    make_pair(&p, 0.6);
    p.d.damping = 0.02;
    pbs_world *world = weightless_world(PBS_SCHEME_TRAPEZOIDAL);
    assert_ok(pbs_body_create_springs(world, &p.d, &body));
    const double omega = sqrt(30.0 * (1.0 + 1.0 / 3.0)), rate = 0.5 * p.d.damping * omega * omega;
    const double swing = sqrt(omega * omega - rate * rate);
    for (int n = 1; n <= 1000; n++) {
        assert_ok(pbs_world_step(world, 0.001));
        const double t = 0.001 * n;
        const double u = 0.1 * exp(-rate * t) * (cos(swing * t) + rate / swing * sin(swing * t));
        assert_near(length_of(world, body), 0.5 + u, 1e-4 * 0.1, "length");
    }
    const pbs_energy e = energy_of(world);
    assert_near(e.total + e.dissipated, 0.15, 1e-4 * 0.15, "nothing is lost");
    pbs_world_destroy(world);
}

/// Rest lengths that are not given are the lengths at the start; stiffness by spring takes the
/// place of the common one; drag and no_gravity hold.
static void descriptions_mean_what_they_say(void **state) {
    (void)state;
    struct pair p;
    pbs_body first, second;
    make_pair(&p, 0.6);
    p.d.rest_lengths = NULL;
    p.d.drag = 2.0;
    pbs_world *world = new_world();
    assert_ok(pbs_body_create_springs(world, &p.d, &first));
    const double stiffness = 70.0, velocities[6] = {0.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    p.d.spring_stiffness = &stiffness;
    p.d.rest_lengths = &p.rest_length;
    p.d.no_gravity = 1;
    p.d.velocities = velocities;
    p.d.drag = 0.0;
    assert_ok(pbs_body_create_springs(world, &p.d, &second));
    assert_near(energy_of(world).elastic, 0.5 * 70.0 * 0.01, 1e-15, "only the second is stretched");
    assert_near(energy_of(world).kinetic, 2.0, 1e-15, "kinetic");
    assert_ok(pbs_world_step(world, 0.01));
    assert_near(pbs_body_velocities(world, first)[1], -9.81 * 0.01 / 1.02, 1e-9, "gravity, drag");
    assert_near(pbs_body_velocities(world, second)[1], 0.0, 1e-12, "no gravity");
    assert_near(pbs_body_velocities(world, second)[2], 1.0, 1e-12, "momentum");
    const uint32_t *triangles;
    size_t triangle_count;
    assert_ok(pbs_body_surface(world, first, &triangles, &triangle_count));
    assert_null(triangles);
    assert_int_equal(triangle_count, 0);
    assert_int_equal(pbs_body_tet_count(world, first), 0);
    assert_near(pbs_body_masses(world, first)[1], 3.0, 0.0, "mass");
    pbs_world_destroy(world);
}

/// A hanging chain ends at the sum of weights over stiffness: link k of n holds n - k masses.
static void a_chain_hangs_as_it_must(void **state) {
    (void)state;
    enum { COUNT = 6 };
    double positions[3 * COUNT] = {0.0}, masses[COUNT];
    uint32_t springs[2 * COUNT];
    const uint32_t top = 0;
    for (uint32_t v = 0; v < COUNT; v++) {
        positions[3 * v + 1] = -0.1 * v;
        masses[v] = 0.1;
        springs[2 * v] = v;
        springs[2 * v + 1] = v + 1;
    }
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    d.vertex_count = COUNT;
    d.positions = positions;
    d.masses = masses;
    d.spring_count = COUNT - 1;
    d.springs = springs;
    d.stiffness = 200.0;
    d.drag = 20.0;
    pbs_world *world = new_world();
    assert_ok(pbs_body_create_springs(world, &d, &body));
    assert_ok(pbs_body_pin(world, body, &top, 1, PBS_AXIS_ALL));
    for (int n = 0; n < 200; n++) {
        assert_ok(pbs_world_step(world, 0.05));
    }
    double y = 0.0;
    for (int v = 1; v < COUNT; v++) {
        y -= 0.1 + (COUNT - v) * 0.1 * 9.81 / 200.0;
        assert_near(pbs_body_positions(world, body)[3 * v + 1], y, 1e-6, "height");
    }
    pbs_world_destroy(world);
}

SPOIL(no_vertices, pbs_springs_desc *d, d->vertex_count = 0)
SPOIL(no_positions, pbs_springs_desc *d, d->positions = NULL)
SPOIL(no_masses, pbs_springs_desc *d, d->masses = NULL)
SPOIL(no_springs, pbs_springs_desc *d, d->springs = NULL)
SPOIL(wrong_index, pbs_springs_desc *d, static const uint32_t ends[2] = {0, 2}; d->springs = ends)
SPOIL(same_index, pbs_springs_desc *d, static const uint32_t ends[2] = {1, 1}; d->springs = ends)
SPOIL(no_mass, pbs_springs_desc *d, static const double m[2] = {1.0, 0.0}; d->masses = m)
SPOIL(no_stiffness, pbs_springs_desc *d, d->stiffness = 0.0)
SPOIL(bad_stiffness, pbs_springs_desc *d, static const double k = -1.0; d->spring_stiffness = &k)
SPOIL(bad_length, pbs_springs_desc *d, static const double l = -1.0; d->rest_lengths = &l)
SPOIL(bad_damping, pbs_springs_desc *d, d->damping = -1.0)
SPOIL(bad_drag, pbs_springs_desc *d, d->drag = NAN)
SPOIL(bad_gravity, pbs_springs_desc *d, d->no_gravity = 2)
SPOIL(bad_velocity, pbs_springs_desc *d,
      static const double v[6] = {0.0, 0.0, 0.0, 0.0, INFINITY, 0.0};
      d->velocities = v)
SPOIL(bad_size, pbs_springs_desc *d, d->struct_size = 3)

static const struct refusal refusals[] = {
    {no_vertices, PBS_ERROR_ARGUMENT, "vertex_count is 0"},
    {no_positions, PBS_ERROR_ARGUMENT, "positions is null"},
    {no_masses, PBS_ERROR_ARGUMENT, "masses is null"},
    {no_springs, PBS_ERROR_ARGUMENT, "springs is null"},
    {wrong_index, PBS_ERROR_MESH, "spring 0: vertex 2, but there are only 2"},
    {same_index, PBS_ERROR_MESH, "spring 0: vertex 1 twice"},
    {no_mass, PBS_ERROR_ARGUMENT, "masses of vertex 1: 0 kg"},
    {no_stiffness, PBS_ERROR_ARGUMENT, "stiffness is 0"},
    {bad_stiffness, PBS_ERROR_ARGUMENT, "spring_stiffness of spring 0 is -1"},
    {bad_length, PBS_ERROR_ARGUMENT, "rest_lengths of spring 0 is -1"},
    {bad_damping, PBS_ERROR_ARGUMENT, "damping is -1"},
    {bad_drag, PBS_ERROR_ARGUMENT, "drag is nan"},
    {bad_gravity, PBS_ERROR_ARGUMENT, "no_gravity is 2"},
    {bad_velocity, PBS_ERROR_ARGUMENT, "velocities of vertex 1: y is inf"},
    {bad_size, PBS_ERROR_STRUCT_SIZE, "struct_size is 3"},
};

static void wrong_descriptions_are_refused_in_words(void **state) {
    (void)state;
    pbs_world *world = new_world();
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        struct pair p;
        pbs_body body = {0};
        make_pair(&p, 0.6);
        refusals[i].spoil(&p.d);
        assert_status(pbs_body_create_springs(world, &p.d, &body), refusals[i].status);
        assert_message(refusals[i].words);
        assert_true(body.id == 0);
    }
    assert_int_equal(pbs_world_body_count(world), 0);
    pbs_world_destroy(world);
}

static pbs_status create(pbs_world *world, void *context) {
    struct pair p;
    make_pair(&p, 0.6);
    return pbs_body_create_springs(world, &p.d, context);
}

static pbs_status step(pbs_world *world, void *context) {
    (void)context;
    return pbs_world_step(world, 0.01);
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    uint64_t refused = 0;
    pbs_body body;
    test_allocator_init(&allocator);
    pbs_world *world = new_world_with(&allocator);
    assert_ok(refuse_until_success(&allocator, world, create, &body, &refused));
    assert_true(refused > 3);
    assert_ok(refuse_until_success(&allocator, world, step, NULL, &refused));
    assert_true(refused > 20);
    pbs_world_destroy(world);
    assert_int_equal(allocator.blocks_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_swings_as_it_must),
        cmocka_unit_test(damping_takes_out_what_it_says),
        cmocka_unit_test(descriptions_mean_what_they_say),
        cmocka_unit_test(a_chain_hangs_as_it_must),
        cmocka_unit_test(wrong_descriptions_are_refused_in_words),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
