// Parameters of bodies that a host changes between steps. To the bit, each change has the same
// effect as creating the body with the new value, and nothing is rebuilt.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "support/world_testing.h"

enum { BODIES = 6, TET_COUNT = 48 };
enum { SOLID, PLATE, CLOTH, NET, BRICK, CUSTOM };

static const double origin[3] = {0.0, 0.0, 0.0};

/// A world with one body of each kind, with damping and drag, far from each other. In the world
/// `changed` one parameter of one body has another value.
struct world_of_all {
    pbs_world *world;
    pbs_body bodies[BODIES];
    struct test_allocator allocator;
    int built; ///< how often the library said that it prepared its matrices
};

/// Parameters by body, those of the description first.
struct change {
    int body;
    int32_t parameter;
    double value;
};

static const struct change changes[] = {
    {SOLID, PBS_PARAMETER_DAMPING, 0.03},
    {SOLID, PBS_PARAMETER_DRAG, 0.7},
    {SOLID, PBS_PARAMETER_DENSITY, 400.0},
    {SOLID, PBS_PARAMETER_YOUNG, 3e4},
    {SOLID, PBS_PARAMETER_POISSON, 0.45},
    {PLATE, PBS_PARAMETER_DAMPING, 0.02},
    {PLATE, PBS_PARAMETER_DRAG, 0.3},
    {PLATE, PBS_PARAMETER_DENSITY, 700.0},
    {PLATE, PBS_PARAMETER_YOUNG, 2e6},
    {PLATE, PBS_PARAMETER_POISSON, 0.1},
    {PLATE, PBS_PARAMETER_BENDING_YOUNG, 4e6},
    {PLATE, PBS_PARAMETER_THICKNESS, 4e-3},
    {CLOTH, PBS_PARAMETER_DAMPING, 0.02},
    {CLOTH, PBS_PARAMETER_YOUNG, 2e6},
    {CLOTH, PBS_PARAMETER_POISSON, 0.1},
    {CLOTH, PBS_PARAMETER_BENDING_YOUNG, 4e6},
    {CLOTH, PBS_PARAMETER_THICKNESS, 4e-3},
    {NET, PBS_PARAMETER_DAMPING, 0.05},
    {NET, PBS_PARAMETER_DRAG, 0.4},
    {NET, PBS_PARAMETER_STIFFNESS, 350.0},
    {NET, PBS_PARAMETER_REST_LENGTH, 0.13},
    {NET, PBS_PARAMETER_MASS, 0.2},
    {BRICK, PBS_PARAMETER_DAMPING, 0.01},
    {BRICK, PBS_PARAMETER_DRAG, 0.2},
    {BRICK, PBS_PARAMETER_DENSITY, 333.0},
    {BRICK, PBS_PARAMETER_STIFFNESS, 3e5},
    {CUSTOM, PBS_PARAMETER_DAMPING, 0.02},
    {CUSTOM, PBS_PARAMETER_MASS, 0.7},
};

/// The value of a body's parameter in its description, where `change` says no other one.
static double value_of(const struct change *change, int body, int32_t parameter, double usual) {
    return change != NULL && change->body == body && change->parameter == parameter ? change->value
                                                                                    : usual;
}

static void count_builds(void *user, int32_t level, const char *message) {
    (void)level;
    *(int *)user += strstr(message, "solver built") != NULL;
}

static pbs_status add_solid(struct world_of_all *w, const struct change *change) {
    pbs_solid_desc d;
    assert_ok(pbs_solid_desc_init(&d, sizeof d));
    d.damping = value_of(change, SOLID, PBS_PARAMETER_DAMPING, 0.01);
    d.drag = value_of(change, SOLID, PBS_PARAMETER_DRAG, 0.1);
    d.density = value_of(change, SOLID, PBS_PARAMETER_DENSITY, d.density);
    d.young = value_of(change, SOLID, PBS_PARAMETER_YOUNG, d.young);
    d.poisson = value_of(change, SOLID, PBS_PARAMETER_POISSON, d.poisson);
    return cube_create(w->world, 2, 0.5, origin, &d, &w->bodies[SOLID]);
}

static pbs_status add_shell(struct world_of_all *w, int which, const struct change *change) {
    const double corner[3] = {3.0 * which, 0.0, 0.0};
    pbs_shell_desc d;
    assert_ok(pbs_shell_desc_init(&d, sizeof d));
    d.bending = which == CLOTH ? PBS_BENDING_HINGE : PBS_BENDING_PLATE;
    d.damping = value_of(change, which, PBS_PARAMETER_DAMPING, 0.01);
    d.drag = value_of(change, which, PBS_PARAMETER_DRAG, 0.1);
    d.density = value_of(change, which, PBS_PARAMETER_DENSITY, d.density);
    d.young = value_of(change, which, PBS_PARAMETER_YOUNG, 1e6);
    d.poisson = value_of(change, which, PBS_PARAMETER_POISSON, d.poisson);
    d.bending_young = value_of(change, which, PBS_PARAMETER_BENDING_YOUNG, 0.0);
    d.thickness = value_of(change, which, PBS_PARAMETER_THICKNESS, 2e-3);
    return sheet_create(w->world, 4, 1.0, corner, &d, &w->bodies[which]);
}

static pbs_status add_net(struct world_of_all *w, const struct change *change) {
    static const double x[9] = {9.0, 0.0, 0.0, 9.1, 0.0, 0.0, 9.1, 0.1, 0.02};
    static const uint32_t springs[6] = {0, 1, 1, 2, 2, 0};
    double masses[3], stiffness[3], lengths[3];
    pbs_springs_desc d;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    for (int i = 0; i < 3; i++) {
        masses[i] = value_of(change, NET, PBS_PARAMETER_MASS, 0.1);
        stiffness[i] = value_of(change, NET, PBS_PARAMETER_STIFFNESS, 100.0 + i);
        lengths[i] = value_of(change, NET, PBS_PARAMETER_REST_LENGTH, 0.09 + 0.01 * i);
    }
    d.vertex_count = 3;
    d.positions = x;
    d.masses = masses;
    d.spring_count = 3;
    d.springs = springs;
    d.spring_stiffness = stiffness;
    d.rest_lengths = lengths;
    d.damping = value_of(change, NET, PBS_PARAMETER_DAMPING, 0.01);
    d.drag = value_of(change, NET, PBS_PARAMETER_DRAG, 0.1);
    return pbs_body_create_springs(w->world, &d, &w->bodies[NET]);
}

static pbs_status add_brick(struct world_of_all *w, const struct change *change) {
    static const double sides[3] = {0.2, 0.3, 0.4};
    struct box_surface box;
    pbs_affine_desc d;
    box_surface_make(&box, sides);
    box_surface_describe(&box, &d);
    d.position[0] = 12.0;
    d.angular_velocity[1] = 3.0;
    d.stiffness = value_of(change, BRICK, PBS_PARAMETER_STIFFNESS, 1e5);
    d.density = value_of(change, BRICK, PBS_PARAMETER_DENSITY, d.density);
    d.damping = value_of(change, BRICK, PBS_PARAMETER_DAMPING, 0.001);
    d.drag = value_of(change, BRICK, PBS_PARAMETER_DRAG, 0.1);
    return pbs_body_create_affine(w->world, &d, &w->bodies[BRICK]);
}

static pbs_status add_custom(struct world_of_all *w, const struct change *change) {
    static const double x[6] = {15.0, 0.0, 0.0, 15.15, 0.0, 0.0};
    static const uint32_t stencil[2] = {0, 1};
    double masses[2];
    pbs_custom_desc d;
    masses[0] = masses[1] = value_of(change, CUSTOM, PBS_PARAMETER_MASS, 0.5);
    springs_describe(&d, 2, x, masses, 1, stencil);
    d.damping = value_of(change, CUSTOM, PBS_PARAMETER_DAMPING, 0.01);
    return pbs_body_create_custom(w->world, &d, &w->bodies[CUSTOM]);
}

static pbs_status add_body(struct world_of_all *w, int body, const struct change *change) {
    switch (body) {
    case SOLID: return add_solid(w, change);
    case NET: return add_net(w, change);
    case BRICK: return add_brick(w, change);
    case CUSTOM: return add_custom(w, change);
    default: return add_shell(w, body, change);
    }
}

/// Vertex 0 of each body is held, so that all of them are strained; affine bodies turn.
static void setup(struct world_of_all *w, int32_t scheme, const struct change *change) {
    pbs_world_desc d;
    *w = (struct world_of_all){.built = 0};
    test_allocator_init(&w->allocator);
    scene_settings(&d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.allocator = test_allocator_hooks(&w->allocator);
    d.log = (pbs_log){.write = count_builds, .user = &w->built};
    w->world = new_world_from(&d);
    for (int b = 0; b < BODIES; b++) {
        assert_ok(add_body(w, b, change));
    }
    for (int b = 0; b < BODIES; b++) {
        const uint32_t vertex = 0;
        if (b != BRICK) {
            assert_ok(pbs_body_pin(w->world, w->bodies[b], &vertex, 1, PBS_AXIS_ALL));
        }
    }
    pbs_integrator_desc i;
    assert_ok(pbs_integrator_desc_init(&i, sizeof i, scheme));
    use_integrator(w->world, &i);
}

static void step(pbs_world *world, int count) {
    for (int i = 0; i < count; i++) {
        assert_ok(pbs_world_step(world, 0.01));
    }
}

static void assert_same_places(const struct world_of_all *a, const struct world_of_all *b) {
    for (int k = 0; k < BODIES; k++) {
        const size_t count = 3 * pbs_body_vertex_count(a->world, a->bodies[k]);
        assert_same_bits(pbs_body_positions(a->world, a->bodies[k]),
                         pbs_body_positions(b->world, b->bodies[k]), count);
        assert_same_bits(pbs_body_velocities(a->world, a->bodies[k]),
                         pbs_body_velocities(b->world, b->bodies[k]), count);
        assert_same_bits(pbs_body_masses(a->world, a->bodies[k]),
                         pbs_body_masses(b->world, b->bodies[k]), count / 3);
    }
}

/// Puts all bodies where they are in `like`, so that nothing is left of steps but what was built.
static void go_back(const struct world_of_all *w, const struct world_of_all *like) {
    for (int b = 0; b < BODIES; b++) {
        const size_t count = pbs_body_vertex_count(w->world, w->bodies[b]);
        double x[3 * 32], v[3 * 32];
        assert_true(count <= 32);
        memcpy(x, pbs_body_positions(like->world, like->bodies[b]), 3 * count * sizeof *x);
        memcpy(v, pbs_body_velocities(like->world, like->bodies[b]), 3 * count * sizeof *v);
        assert_ok(pbs_body_set_positions(w->world, w->bodies[b], x, count));
        assert_ok(pbs_body_set_velocities(w->world, w->bodies[b], v, count));
    }
}

static const int32_t schemes[] = {PBS_SCHEME_IMPLICIT_EULER, PBS_SCHEME_NEWMARK};

/// A changed world goes on as one that was made with the new value, from the same state. Neither
/// has memory of earlier steps then.
static void a_changed_body_is_one_that_was_made_so(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (size_t c = 0; c < COUNT_OF(changes); c++) {
            const struct change *change = &changes[c];
            struct world_of_all changed, made, start;
            setup(&start, schemes[s], change);
            setup(&made, schemes[s], change);
            setup(&changed, schemes[s], NULL);
            step(made.world, 2);
            step(changed.world, 2);
            go_back(&made, &start);
            go_back(&changed, &start);
            assert_ok(pbs_body_set_parameter(changed.world, changed.bodies[change->body],
                                             change->parameter, &change->value, 1));
            assert_true(energy_of(changed.world).elastic == energy_of(made.world).elastic);
            step(made.world, 3);
            step(changed.world, 3);
            assert_same_places(&changed, &made);
            assert_int_equal(changed.built, 1);
            pbs_world_destroy(start.world);
            pbs_world_destroy(made.world);
            pbs_world_destroy(changed.world);
        }
    }
}

/// In the middle of a motion: what is saved after the change, and built anew from that, goes on
/// with the same bits.
static void a_changed_world_is_saved_as_it_is(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        for (size_t c = 0; c < COUNT_OF(changes); c++) {
            const struct change *change = &changes[c];
            struct world_of_all changed, other;
            setup(&changed, schemes[s], NULL);
            setup(&other, schemes[s], NULL);
            step(changed.world, 3);
            assert_ok(pbs_body_set_parameter(changed.world, changed.bodies[change->body],
                                             change->parameter, &change->value, 1));
            const struct saved_world saved = save_world(changed.world);
            assert_ok(pbs_world_register_callback(other.world, SPRING_TAG, spring_energy, NULL));
            assert_ok(pbs_world_restore(other.world, saved.data, saved.size));
            free(saved.data);
            step(changed.world, 3);
            step(other.world, 3);
            assert_true(pbs_world_hash(changed.world) == pbs_world_hash(other.world));
            const pbs_body body = pbs_world_body_at(other.world, (size_t)change->body);
            double values[TET_COUNT];
            assert_ok(pbs_body_parameter(other.world, body, change->parameter, values, TET_COUNT));
            assert_true(values[0] == change->value);
            assert_int_equal(changed.built, 1);
            pbs_world_destroy(changed.world);
            pbs_world_destroy(other.world);
        }
    }
}

/// Joints stiffen with what they join, and measure by its size.
static void joined_bodies_change_too(void **state) {
    (void)state;
    static const struct change joined[] = {{SOLID, PBS_PARAMETER_YOUNG, 3e4},
                                           {SOLID, PBS_PARAMETER_DENSITY, 500.0},
                                           {NET, PBS_PARAMETER_STIFFNESS, 300.0},
                                           {NET, PBS_PARAMETER_REST_LENGTH, 0.15}};
    for (size_t c = 0; c < COUNT_OF(joined); c++) {
        struct world_of_all changed, other;
        pbs_joint_desc d;
        pbs_joint joint;
        setup(&changed, PBS_SCHEME_IMPLICIT_EULER, NULL);
        setup(&other, PBS_SCHEME_IMPLICIT_EULER, NULL);
        assert_ok(pbs_joint_desc_init(&d, sizeof d));
        d.kind = PBS_JOINT_DISTANCE;
        d.lower = d.upper = 8.63; // they are 8.629 m apart
        d.a = (pbs_point){.struct_size = sizeof d.a,
                          .kind = PBS_POINT_VERTEX,
                          .body = changed.bodies[SOLID],
                          .index = 26};
        d.b = (pbs_point){.struct_size = sizeof d.b,
                          .kind = PBS_POINT_VERTEX,
                          .body = changed.bodies[NET],
                          .index = 1};
        assert_ok(pbs_joint_create(changed.world, &d, &joint));
        step(changed.world, 2);
        assert_ok(pbs_body_set_parameter(changed.world, changed.bodies[joined[c].body],
                                         joined[c].parameter, &joined[c].value, 1));
        const struct saved_world saved = save_world(changed.world);
        assert_ok(pbs_world_register_callback(other.world, SPRING_TAG, spring_energy, NULL));
        assert_ok(pbs_world_restore(other.world, saved.data, saved.size));
        free(saved.data);
        step(changed.world, 2);
        step(other.world, 2);
        assert_true(pbs_world_hash(changed.world) == pbs_world_hash(other.world));
        pbs_world_destroy(changed.world);
        pbs_world_destroy(other.world);
    }
}

/// Values element by element: an array that a solid did not have, and one of springs.
static void elements_have_values_of_their_own(void **state) {
    (void)state;
    struct world_of_all w, other;
    double young[TET_COUNT], read[TET_COUNT];
    const double lengths[3] = {0.1, 0.11, 0.12};
    setup(&w, PBS_SCHEME_IMPLICIT_EULER, NULL);
    step(w.world, 2);
    assert_int_equal(pbs_body_parameter_count(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG),
                     TET_COUNT);
    for (int t = 0; t < TET_COUNT; t++) {
        young[t] = 1e5 * (1.0 + 0.1 * t);
    }
    assert_ok(
        pbs_body_set_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG, young, TET_COUNT));
    assert_ok(pbs_body_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG, read, TET_COUNT));
    assert_same_bits(read, young, TET_COUNT);
    assert_ok(
        pbs_body_set_parameter(w.world, w.bodies[NET], PBS_PARAMETER_REST_LENGTH, lengths, 3));
    assert_ok(pbs_body_parameter(w.world, w.bodies[NET], PBS_PARAMETER_REST_LENGTH, read, 3));
    assert_same_bits(read, lengths, 3);
    const struct saved_world saved = save_world(w.world);
    setup(&other, PBS_SCHEME_IMPLICIT_EULER, NULL);
    assert_ok(pbs_world_register_callback(other.world, SPRING_TAG, spring_energy, NULL));
    assert_ok(pbs_world_restore(other.world, saved.data, saved.size));
    free(saved.data);
    step(w.world, 2);
    step(other.world, 2);
    assert_true(pbs_world_hash(w.world) == pbs_world_hash(other.world));
    // One value for all of them again.
    assert_ok(pbs_body_set_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG, young + 3, 1));
    assert_ok(pbs_body_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG, read, TET_COUNT));
    for (int t = 0; t < TET_COUNT; t++) {
        assert_true(read[t] == young[3]);
    }
    assert_int_equal(w.built, 1);
    pbs_world_destroy(w.world);
    pbs_world_destroy(other.world);
}

/// All energies of the library are proportional to Young's modulus, and a factor of two changes no
/// bit of what is added up.
static void twice_as_stiff_is_twice_the_energy(void **state) {
    (void)state;
    static const struct change doubled[] = {{SOLID, PBS_PARAMETER_YOUNG, 2.0},
                                            {PLATE, PBS_PARAMETER_YOUNG, 2.0},
                                            {CLOTH, PBS_PARAMETER_YOUNG, 2.0},
                                            {NET, PBS_PARAMETER_STIFFNESS, 2.0},
                                            {BRICK, PBS_PARAMETER_STIFFNESS, 2.0}};
    struct world_of_all w;
    setup(&w, PBS_SCHEME_IMPLICIT_EULER, NULL);
    step(w.world, 5);
    const double before = energy_of(w.world).elastic;
    for (size_t i = 0; i < COUNT_OF(doubled); i++) {
        const pbs_body body = w.bodies[doubled[i].body];
        double values[TET_COUNT];
        const size_t count = pbs_body_parameter_count(w.world, body, doubled[i].parameter);
        assert_ok(pbs_body_parameter(w.world, body, doubled[i].parameter, values, TET_COUNT));
        for (size_t k = 0; k < count; k++) {
            values[k] *= 2.0;
        }
        assert_ok(pbs_body_set_parameter(w.world, body, doubled[i].parameter, values, count));
    }
    assert_true(before > 0.0);
    assert_true(energy_of(w.world).elastic == 2.0 * before);
    pbs_world_destroy(w.world);
}

/// A host that drives stiffness, as muscles do, in each step: no allocation.
static void values_that_change_in_each_step_allocate_nothing(void **state) {
    (void)state;
    struct world_of_all w;
    uint64_t before = 0;
    setup(&w, PBS_SCHEME_IMPLICIT_EULER, NULL);
    for (int i = 0; i < 20; i++) {
        double young[TET_COUNT];
        for (int t = 0; t < TET_COUNT; t++) {
            young[t] = 1e5 * (2.0 + 0.01 * (i + t));
        }
        before = i == 5 ? atomic_load(&w.allocator.allocate_count) : before;
        assert_ok(pbs_body_set_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG, young,
                                         TET_COUNT));
        step(w.world, 1);
    }
    assert_int_equal(atomic_load(&w.allocator.allocate_count), before);
    assert_int_equal(w.built, 1);
    pbs_world_destroy(w.world);
}

enum { LINKS = 2500 };

static pbs_body add_chain(pbs_world *world, double stiffness) {
    static double x[3 * (LINKS + 1)], masses[LINKS + 1];
    static uint32_t springs[2 * LINKS];
    pbs_springs_desc d;
    pbs_body body;
    assert_ok(pbs_springs_desc_init(&d, sizeof d));
    for (uint32_t i = 0; i <= LINKS; i++) {
        x[3 * i] = 0.1 * i;
        x[3 * i + 1] = 0.01 * (i % 7);
        masses[i] = 0.1;
        if (i < LINKS) {
            springs[2 * i] = i;
            springs[2 * i + 1] = i + 1;
        }
    }
    d.vertex_count = LINKS + 1;
    d.positions = x;
    d.masses = masses;
    d.spring_count = LINKS;
    d.springs = springs;
    d.stiffness = stiffness;
    d.damping = 0.01;
    assert_ok(pbs_body_create_springs(world, &d, &body));
    const uint32_t first = 0;
    assert_ok(pbs_body_pin(world, body, &first, 1, PBS_AXIS_ALL));
    return body;
}

/// So many that they are evaluated in an order of their own, with sums that are exact to a quantum
/// of the strongest.
static void many_springs_change_too(void **state) {
    (void)state;
    pbs_world_desc d;
    scene_settings(&d);
    d.contact = PBS_CONTACT_PROJECTION;
    pbs_world *changed = new_world_from(&d);
    pbs_world *other = new_world_from(&d);
    const pbs_body body = add_chain(changed, 1000.0);
    const double stiffness = 31.7;
    step(changed, 1);
    assert_ok(pbs_body_set_parameter(changed, body, PBS_PARAMETER_STIFFNESS, &stiffness, 1));
    const struct saved_world saved = save_world(changed);
    assert_ok(pbs_world_restore(other, saved.data, saved.size));
    free(saved.data);
    step(changed, 2);
    step(other, 2);
    assert_true(pbs_world_hash(changed) == pbs_world_hash(other));
    pbs_world_destroy(changed);
    pbs_world_destroy(other);
}

/// Terms of damping and drag have no elements of bodies without: these are built anew.
static void damping_comes_and_goes(void **state) {
    (void)state;
    for (int32_t parameter = PBS_PARAMETER_DAMPING; parameter <= PBS_PARAMETER_DRAG; parameter++) {
        for (int b = 0; b < BODIES; b++) {
            if (b == CUSTOM && parameter == PBS_PARAMETER_DRAG) {
                continue;
            }
            const struct change none = {b, parameter, 0.0};
            const double value = 0.02;
            struct world_of_all w, other;
            setup(&w, PBS_SCHEME_IMPLICIT_EULER, &none);
            setup(&other, PBS_SCHEME_IMPLICIT_EULER, &none);
            step(w.world, 2);
            assert_ok(pbs_body_set_parameter(w.world, w.bodies[b], parameter, &value, 1));
            const struct saved_world saved = save_world(w.world);
            assert_ok(pbs_world_register_callback(other.world, SPRING_TAG, spring_energy, NULL));
            assert_ok(pbs_world_restore(other.world, saved.data, saved.size));
            free(saved.data);
            step(w.world, 2);
            step(other.world, 2);
            assert_true(pbs_world_hash(w.world) == pbs_world_hash(other.world));
            assert_int_equal(w.built, 2);
            pbs_world_destroy(w.world);
            pbs_world_destroy(other.world);
        }
    }
}

struct refused {
    int body;
    int32_t parameter;
    double value;
    size_t count;
    pbs_status status;
    const char *words;
};

static const struct refused refusals[] = {
    {SOLID, PBS_PARAMETER_YOUNG, 0.0, 1, PBS_ERROR_ARGUMENT, "young: values[0] is 0"},
    {SOLID, PBS_PARAMETER_YOUNG, NAN, 1, PBS_ERROR_ARGUMENT, "young: values[0] is nan"},
    {SOLID, PBS_PARAMETER_YOUNG, INFINITY, 1, PBS_ERROR_ARGUMENT, "positive and finite"},
    {SOLID, PBS_PARAMETER_YOUNG, 1e300, 1, PBS_ERROR_ARGUMENT, "at most 1e30"},
    {SOLID, PBS_PARAMETER_YOUNG, 1e-320, 1, PBS_ERROR_ARGUMENT, "modulus times area"},
    {SOLID, PBS_PARAMETER_DENSITY, 1e-310, 1, PBS_ERROR_ARGUMENT, "mass"},
    {SOLID, PBS_PARAMETER_YOUNG, 1e5, 7, PBS_ERROR_ARGUMENT, "count is 7, must be 1 or 48"},
    {SOLID, PBS_PARAMETER_POISSON, 0.5, 1, PBS_ERROR_ARGUMENT, "above -1 and below 0.5"},
    {SOLID, PBS_PARAMETER_THICKNESS, 1.0, 1, PBS_ERROR_ARGUMENT, "no parameter 6"},
    {SOLID, 11, 1.0, 1, PBS_ERROR_ARGUMENT, "parameter is 11"},
    {SOLID, -1, 1.0, 1, PBS_ERROR_ARGUMENT, "parameter is -1"},
    {PLATE, PBS_PARAMETER_POISSON, 0.51, 1, PBS_ERROR_ARGUMENT, "0 to 0.5"},
    {PLATE, PBS_PARAMETER_THICKNESS, 1e-200, 1, PBS_ERROR_ARGUMENT, "rigidity over length"},
    {PLATE, PBS_PARAMETER_BENDING_YOUNG, -1.0, 1, PBS_ERROR_ARGUMENT, "zero or positive"},
    {NET, PBS_PARAMETER_STIFFNESS, 1e30, 1, PBS_OK, NULL},
    {NET, PBS_PARAMETER_STIFFNESS, 1e308, 1, PBS_ERROR_ARGUMENT, "at most 1e30"},
    {NET, PBS_PARAMETER_MASS, 0.0, 1, PBS_ERROR_ARGUMENT, "mass: values[0] is 0"},
    {BRICK, PBS_PARAMETER_DENSITY, 1e-320, 1, PBS_ERROR_ARGUMENT, "the body's mass"},
    {BRICK, PBS_PARAMETER_STIFFNESS, 1e-320, 1, PBS_ERROR_ARGUMENT, "stiffness times volume"},
    {CUSTOM, PBS_PARAMETER_DRAG, 1.0, 1, PBS_ERROR_ARGUMENT, "no parameter 1"},
    {CUSTOM, PBS_PARAMETER_DAMPING, -1.0, 1, PBS_ERROR_ARGUMENT, "damping: values[0] is -1"},
};

/// What is refused changes nothing.
static void impossible_values_are_refused(void **state) {
    (void)state;
    struct world_of_all w;
    setup(&w, PBS_SCHEME_IMPLICIT_EULER, NULL);
    step(w.world, 1);
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        const struct refused *r = &refusals[i];
        const struct saved_world before = save_world(w.world);
        const double values[7] = {r->value, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
        assert_status(
            pbs_body_set_parameter(w.world, w.bodies[r->body], r->parameter, values, r->count),
            r->status);
        if (r->status < 0) {
            assert_message(r->words);
            const struct saved_world after = save_world(w.world);
            assert_int_equal(after.size, before.size);
            assert_memory_equal(after.data, before.data, before.size);
            free(after.data);
        }
        free(before.data);
    }
    double value = 1.0;
    const pbs_body nothing = {0};
    assert_status(pbs_body_set_parameter(NULL, nothing, 0, &value, 1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_set_parameter(w.world, nothing, 0, &value, 1), PBS_ERROR_HANDLE);
    assert_status(pbs_body_set_parameter(w.world, w.bodies[SOLID], 0, NULL, 1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_parameter(w.world, w.bodies[SOLID], 0, NULL, 1), PBS_ERROR_ARGUMENT);
    assert_status(pbs_body_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_YOUNG, &value, 1),
                  PBS_ERROR_CAPACITY);
    assert_true(value == 1.0);
    assert_int_equal(pbs_body_parameter_count(w.world, nothing, 0), 0);
    assert_int_equal(pbs_body_parameter_count(NULL, nothing, 0), 0);
    assert_int_equal(pbs_body_parameter_count(w.world, w.bodies[NET], PBS_PARAMETER_YOUNG), 0);
    assert_int_equal(pbs_body_parameter_count(w.world, w.bodies[NET], 99), 0);
    pbs_world_destroy(w.world);
}

static const double extremes[] = {NAN,       -INFINITY,
                                  -1e300,    -1.0,
                                  -1e-3,     -0.0,
                                  0.0,       0x0.1p-1022,
                                  0x1p-1022, 1e-30,
                                  0.1,       0.49,
                                  0.499,     0.5,
                                  0.51,      0.999,
                                  1.0,       1.5,
                                  1e9,       1e20,
                                  1e30,      0x1.93e5939a08cebp+99,
                                  1e31,      1e160,
                                  1e300,     1e308,
                                  INFINITY};

/// What a description of a new body refuses is refused later too, and what it takes is taken: at
/// both ends of all ranges, and beyond.
static void limits_are_those_of_new_bodies(void **state) {
    (void)state;
    struct world_of_all old;
    int taken = 0;
    setup(&old, PBS_SCHEME_IMPLICIT_EULER, NULL);
    for (size_t c = 0; c < COUNT_OF(changes); c++) {
        for (size_t v = 0; v < COUNT_OF(extremes); v++) {
            struct change change = changes[c];
            struct world_of_all made = {.built = 0};
            change.value = extremes[v];
            made.world = new_world();
            const pbs_body body = old.bodies[change.body];
            const size_t count = pbs_body_parameter_count(old.world, body, change.parameter);
            double before[TET_COUNT];
            assert_ok(pbs_body_parameter(old.world, body, change.parameter, before, TET_COUNT));
            const pbs_status later = pbs_body_set_parameter(old.world, body, change.parameter,
                                                            &change.value, 1);
            assert_true((add_body(&made, change.body, &change) < 0) == (later < 0));
            assert_true(later == PBS_OK || later == PBS_ERROR_ARGUMENT);
            if (later == PBS_OK) {
                assert_ok(pbs_body_set_parameter(old.world, body, change.parameter, before, count));
                taken++;
            }
            pbs_world_destroy(made.world);
        }
    }
    // Each parameter takes some of the values, and refuses some.
    assert_true(taken > (int)(3 * COUNT_OF(changes)));
    assert_true(taken < (int)(20 * COUNT_OF(changes)));
    pbs_world_destroy(old.world);
}

/// Three particles in a row. Their bonds have no parameters.
static pbs_status add_row(pbs_world *world, bool is_bonded, double damping, double drag,
                          pbs_body *body) {
    static const double x[9] = {0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0};
    static const double radii[3] = {0.05, 0.05, 0.05};
    static const uint32_t bonds[4] = {0, 1, 1, 2};
    pbs_bonded_desc b;
    pbs_peridynamic_desc p;
    assert_ok(pbs_bonded_desc_init(&b, sizeof b));
    assert_ok(pbs_peridynamic_desc_init(&p, sizeof p));
    b.particle_count = p.particle_count = 3;
    b.positions = p.positions = x;
    b.radii = radii;
    b.bond_count = 2;
    b.bonds = bonds;
    b.bond_radius = 0.02;
    b.drag = p.drag = drag;
    p.damping = damping;
    p.dimension = PBS_PERIDYNAMIC_BAR;
    p.spacing = 0.1;
    p.section = 0.01;
    return is_bonded ? pbs_body_create_bonded(world, &b, body)
                     : pbs_body_create_peridynamic(world, &p, body);
}

static void limits_of_particles_are_those_of_new_ones(void **state) {
    (void)state;
    pbs_world *world = new_world();
    pbs_body rows[2], other;
    assert_ok(add_row(world, false, 0.0, 0.0, &rows[0]));
    assert_ok(add_row(world, true, 0.0, 0.0, &rows[1]));
    for (size_t v = 0; v < 3 * COUNT_OF(extremes); v++) {
        const double value = extremes[v / 3];
        const bool is_bonded = v % 3 == 0, is_damping = v % 3 == 1;
        const int32_t parameter = is_damping ? PBS_PARAMETER_DAMPING : PBS_PARAMETER_DRAG;
        const pbs_status made = add_row(world, is_bonded, is_damping ? value : 0.0,
                                        is_damping ? 0.0 : value, &other);
        assert_int_equal(pbs_body_set_parameter(world, rows[is_bonded], parameter, &value, 1),
                         made);
        assert_true(made == (value >= 0.0 && value <= 1e30 ? PBS_OK : PBS_ERROR_ARGUMENT));
        if (made == PBS_OK) {
            assert_ok(pbs_body_destroy(world, other));
        }
    }
    pbs_world_destroy(world);
}

static pbs_status set_densities(pbs_world *world, void *context) {
    double densities[TET_COUNT];
    (void)context;
    for (int t = 0; t < TET_COUNT; t++) {
        densities[t] = 500.0 + t;
    }
    return pbs_body_set_parameter(world, pbs_world_body_at(world, SOLID), PBS_PARAMETER_DENSITY,
                                  densities, TET_COUNT);
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    struct world_of_all w;
    uint64_t refused = 0;
    setup(&w, PBS_SCHEME_IMPLICIT_EULER, NULL);
    const double mass = pbs_body_masses(w.world, w.bodies[SOLID])[3];
    double densities[TET_COUNT];
    test_allocator_fail_after(&w.allocator, 1);
    assert_status(set_densities(w.world, NULL), PBS_ERROR_MEMORY);
    test_allocator_fail_after(&w.allocator, ALLOCATOR_NEVER);
    assert_true(pbs_body_masses(w.world, w.bodies[SOLID])[3] == mass);
    assert_ok(
        pbs_body_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_DENSITY, densities, TET_COUNT));
    assert_true(densities[7] == 1000.0);
    assert_ok(refuse_until_success(&w.allocator, w.world, set_densities, NULL, &refused));
    assert_int_equal(refused, 1);
    assert_ok(
        pbs_body_parameter(w.world, w.bodies[SOLID], PBS_PARAMETER_DENSITY, densities, TET_COUNT));
    assert_true(densities[7] == 507.0);
    pbs_world_destroy(w.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_body_is_one_that_was_made_so),
        cmocka_unit_test(a_changed_world_is_saved_as_it_is),
        cmocka_unit_test(joined_bodies_change_too),
        cmocka_unit_test(elements_have_values_of_their_own),
        cmocka_unit_test(twice_as_stiff_is_twice_the_energy),
        cmocka_unit_test(values_that_change_in_each_step_allocate_nothing),
        cmocka_unit_test(many_springs_change_too),
        cmocka_unit_test(damping_comes_and_goes),
        cmocka_unit_test(impossible_values_are_refused),
        cmocka_unit_test(limits_are_those_of_new_bodies),
        cmocka_unit_test(limits_of_particles_are_those_of_new_ones),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
