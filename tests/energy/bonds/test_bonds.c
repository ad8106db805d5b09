// Bonds: derivatives beside differences, rigid motion, balance, the beam they stand for, the
// semidefinite form, and the largest step.
// SPDX-License-Identifier: MIT
#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "base/matrix3/rotation_chart.h"
#include "energy/bonds/bonds.h"
#include "energy/cube_fixture.h"
#include "energy/custom/project.h"
#include "support/host/refusals.h"

enum { PARTICLES = 9, BONDS = 21, NODES = 2 * PARTICLES };

/// Particles at nodes 2 p (position) and 2 p + 1 (rotation).
struct assemblage {
    size_t particle_count, bond_count;
    uint32_t nodes[4 * BONDS], rotations[2 * BONDS];
    double radii[2 * BONDS], rest[3 * BONDS], damping[BONDS];
    struct bond_stiffness stiffness[BONDS];
    double place[3 * PARTICLES]; ///< at rest
    double radius[PARTICLES];    ///< r
    double start[4 * PARTICLES]; ///< orientations
    double world[4 * PARTICLES]; ///< orientations at x
    double x[3 * NODES];
    struct bonds_input input;
};

static void set_bond(struct assemblage *a, size_t bond, uint32_t i, uint32_t j) {
    const uint32_t nodes[4] = {2 * i, 2 * i + 1, 2 * j, 2 * j + 1};
    memcpy(a->nodes + 4 * bond, nodes, sizeof nodes);
    a->rotations[2 * bond] = i;
    a->rotations[2 * bond + 1] = j;
    a->radii[2 * bond] = a->radius[i];
    a->radii[2 * bond + 1] = a->radius[j];
    subtract3(a->place + 3 * (size_t)j, a->place + 3 * (size_t)i, a->rest + 3 * bond);
}

/// Every particle at x, with world orientations `world`, reached by rotation vectors of length
/// `angle` in the chart.
static void set_state(struct assemblage *a, struct random *random, const double *places,
                      double angle) {
    for (size_t p = 0; p < a->particle_count; p++) {
        double phi[3];
        double back[3];
        random_unit(random, phi);
        scale3(angle, phi, phi);
        scale3(-1.0, phi, back);
        rotate_by(back, 1.0, a->world + 4 * p, a->start + 4 * p);
        copy3(places + 3 * p, a->x + 6 * p);
        scale3(a->radius[p], phi, a->x + 6 * p + 3);
    }
}

/// The particles' rotations: one in common and up to `amount` of their own.
static void turn_particles(struct assemblage *a, struct random *random, double amount) {
    double common[9];
    double mean[4];
    random_rotation(random, common);
    quaternion_of(common, mean);
    for (size_t p = 0; p < a->particle_count; p++) {
        double own[3];
        random_unit(random, own);
        rotate_by(own, random_uniform(random, 0.0, amount), mean, a->world + 4 * p);
    }
}

static void make_assemblage(struct assemblage *a, uint64_t seed, enum bond_shear shear) {
    struct random random = random_seed(seed);
    *a = (struct assemblage){.particle_count = PARTICLES, .bond_count = BONDS};
    random_fill(&random, -1.0, 1.0, a->place, 3 * PARTICLES);
    random_fill(&random, 0.5, 2.0, a->radius, PARTICLES);
    random_fill(&random, 0.0, 0.1, a->damping, BONDS);
    for (uint32_t b = 0; b < BONDS; b++) {
        const uint32_t i = b % PARTICLES;
        const uint32_t j = (i + 1 + b / PARTICLES) % PARTICLES;
        // Both ways round.
        set_bond(a, b, b % 2 == 0 ? i : j, b % 2 == 0 ? j : i);
        a->stiffness[b] = (struct bond_stiffness){
            random_uniform(&random, 0.5, 2.0), random_uniform(&random, 0.5, 2.0),
            random_uniform(&random, 0.5, 2.0), random_uniform(&random, 0.5, 2.0)};
    }
    a->input = (struct bonds_input){BONDS,   a->nodes,     a->rotations, a->radii,
                                    a->rest, a->stiffness, a->damping,   NULL,
                                    NULL,    shear,        a->start};
}

/// Somewhere else, stretched, bent and twisted.
static void deform(struct assemblage *a, uint64_t seed, double angle) {
    struct random random = random_seed(seed);
    double places[3 * PARTICLES];
    turn_particles(a, &random, 0.7);
    for (size_t p = 0; p < a->particle_count; p++) {
        double rotation[9];
        double off[3];
        rotation_of(a->world, rotation);
        multiply3(rotation, a->place + 3 * p, places + 3 * p);
        random_fill(&random, -0.1, 0.1, off, 3);
        add3(places + 3 * p, off, places + 3 * p);
    }
    set_state(a, &random, places, angle);
}

static struct term make_term(struct cube *cube, const struct assemblage *a, uint32_t domain_count) {
    struct bonds *bonds = NULL;
    cube_make_nodes(cube, 2 * a->particle_count);
    assert_ok(bonds_create(&cube->memory, &a->input, &bonds));
    const struct term term = bonds_term(bonds);
    cube_bind(cube, &term, 1, domain_count);
    return term;
}

static void free_term(struct cube *cube, const struct term *term) {
    term->table->destroy(term->self, &cube->memory);
    cube_free(cube);
}

/// The gradient as force on each particle and torque about its place.
static void wrenches(const struct assemblage *a, const double *gradient, double *force,
                     double *torque) {
    for (size_t p = 0; p < a->particle_count; p++) {
        lanes8 phi[3];
        lanes8 k[9];
        struct chart_lanes chart;
        for (int i = 0; i < 3; i++) {
            phi[i] = lanes_set(a->x[6 * p + 3 + (size_t)i] / a->radius[p]);
        }
        chart_init(phi, &chart);
        chart_torque(&chart, k);
        for (size_t i = 0; i < 3; i++) {
            force[3 * p + i] = gradient[6 * p + i];
            torque[3 * p + i] = 0.0;
            for (size_t j = 0; j < 3; j++) {
                torque[3 * p + i] += k[3 * i + j][0] * a->radius[p] * gradient[6 * p + 3 + j];
            }
        }
    }
}

/// Differences with a step of 1e-3 leave about 1e-12 h^4 / l^4, l > 0.2 the shortest bond, times a
/// few hundred, and 1e-13 of rounding.
static void derivatives_agree_with_differences(void **state) {
    (void)state;
    const double angles[3] = {0.3, 1.5, 2.9};
    for (uint32_t k = 0; k < 6; k++) {
        struct assemblage a;
        struct cube cube;
        make_assemblage(&a, k, k < 3 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE);
        deform(&a, 10 + k, angles[k % 3]);
        const struct term term = make_term(&cube, &a, 1 + k % 3);
        struct cube_function f = {.cube = &cube, .term = &term};
        const struct derivatives_function d = cube_derivatives(&f);
        assert_small(derivatives_gradient_error(&d, a.x, 1e-3), 1e-9, "gradient");
        assert_small(derivatives_hessian_error(&d, a.x, 1e-3), 1e-8, "Hessian");
        assert_small(derivatives_asymmetry(&d, a.x), 1e-15, "asymmetry");
        free_term(&cube, &term);
    }
}

/// Value and gradient of a rigidly moved assemblage do not depend on the motion.
static void rigid_motion_changes_nothing(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        struct assemblage a;
        struct cube cube;
        struct random random = random_seed(k);
        make_assemblage(&a, k, k == 0 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE);
        deform(&a, k, 0.4);
        const struct term term = make_term(&cube, &a, 2);
        struct cube_function f = {.cube = &cube, .term = &term};
        double gradient[3 * NODES];
        double force[2][3 * PARTICLES];
        double torque[2][3 * PARTICLES];
        double turned[2][3 * PARTICLES];
        const double value = cube_function_value(&f, a.x);
        cube_function_gradient(&f, a.x, gradient);
        wrenches(&a, gradient, force[0], torque[0]);
        double rotation[9];
        double q[4];
        double places[3 * PARTICLES];
        random_rotation(&random, rotation);
        quaternion_of(rotation, q);
        const double none[4] = {0.0, 0.0, 0.0, 1.0};
        double vector[3];
        rotation_between(none, q, vector);
        for (size_t p = 0; p < PARTICLES; p++) {
            double from[4];
            memcpy(from, a.world + 4 * p, sizeof from);
            rotate_by(vector, 1.0, from, a.world + 4 * p);
            multiply3(rotation, a.x + 6 * p, places + 3 * p);
            places[3 * p] += 0.5;
            multiply3(rotation, force[0] + 3 * p, turned[0] + 3 * p);
            multiply3(rotation, torque[0] + 3 * p, turned[1] + 3 * p);
        }
        set_state(&a, &random, places, 1.7);
        assert_near(cube_function_value(&f, a.x), value, 1e-14 * value, "value");
        cube_function_gradient(&f, a.x, gradient);
        wrenches(&a, gradient, force[1], torque[1]);
        assert_small(testing_max_difference(force[1], turned[0], 3 * PARTICLES), 1e-13, "forces");
        assert_small(testing_max_difference(torque[1], turned[1], 3 * PARTICLES), 1e-13, "torques");
        free_term(&cube, &term);
    }
}

/// Forces and moments about the origin add to zero.
static void forces_and_moments_balance(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        struct assemblage a;
        struct cube cube;
        make_assemblage(&a, k, k == 0 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE);
        deform(&a, k, 1.1);
        const struct term term = make_term(&cube, &a, 1);
        struct cube_function f = {.cube = &cube, .term = &term};
        double gradient[3 * NODES];
        double force[3 * PARTICLES];
        double torque[3 * PARTICLES];
        double net[3] = {0.0, 0.0, 0.0};
        double moment[3] = {0.0, 0.0, 0.0};
        double size = 0.0;
        cube_function_gradient(&f, a.x, gradient);
        wrenches(&a, gradient, force, torque);
        for (size_t p = 0; p < PARTICLES; p++) {
            double arm[3];
            cross3(a.x + 6 * p, force + 3 * p, arm);
            add3(net, force + 3 * p, net);
            add3(moment, arm, moment);
            add3(moment, torque + 3 * p, moment);
            size += norm3(arm) + norm3(torque + 3 * p) + norm3(force + 3 * p);
        }
        assert_small(norm3(net), 1e-15 * size, "sum of forces");
        assert_small(norm3(moment), 1e-15 * size, "sum of moments");
        free_term(&cube, &term);
    }
}

/// A bond given from j to i has the same energy and the same forces, to the last bit.
static void the_order_of_ends_does_not_matter(void **state) {
    (void)state;
    double value[2];
    double gradient[2][12];
    for (uint32_t k = 0; k < 2; k++) {
        struct assemblage a;
        struct cube cube;
        make_assemblage(&a, 3, BOND_SHEAR_CHORD);
        deform(&a, 4, 0.9);
        a.particle_count = 2;
        a.input.count = 1;
        set_bond(&a, 0, k, 1 - k);
        const struct term term = make_term(&cube, &a, 1);
        struct cube_function f = {.cube = &cube, .term = &term};
        value[k] = cube_function_value(&f, a.x);
        cube_function_gradient(&f, a.x, gradient[k]);
        free_term(&cube, &term);
    }
    assert_same_bits(&value[0], &value[1], 1);
    assert_same_bits(gradient[0], gradient[1], 12);
}

// --- one bond ---

/// Two particles, the bond along `rest`.
static void make_single(struct assemblage *a, const double rest[3], struct bond_stiffness stiffness,
                        enum bond_shear shear) {
    *a = (struct assemblage){.particle_count = 2, .bond_count = 1};
    copy3(rest, a->place + 3);
    a->radius[0] = 0.5;
    a->radius[1] = 2.0;
    a->stiffness[0] = stiffness;
    set_bond(a, 0, 0, 1);
    a->start[3] = a->start[7] = 1.0;
    copy3(rest, a->x + 6);
    a->input = (struct bonds_input){1,       a->nodes,     a->rotations, a->radii,
                                    a->rest, a->stiffness, a->damping,   NULL,
                                    NULL,    shear,        a->start};
}

/// Stretching, turning about the axis and across it, and shifting by large amounts: the closed
/// forms of docs/theory/bonds.md section 1.
static void single_bonds_have_their_closed_forms(void **state) {
    (void)state;
    const double rest[3] = {2.0, 0.0, 0.0};
    const struct bond_stiffness k = {3.0, 5.0, 7.0, 11.0};
    const double turn = 0.8;
    const double theta = 0.6;
    for (int form = 0; form < 2; form++) {
        struct assemblage a;
        struct cube cube;
        make_single(&a, rest, k, form == 0 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE);
        const struct term term = make_term(&cube, &a, 1);
        struct cube_function f = {.cube = &cube, .term = &term};
        assert_near(cube_function_value(&f, a.x), 0.0, 0.0, "at rest");
        a.x[6] = 2.5;
        assert_near(cube_function_value(&f, a.x), 0.5 * 3.0 * 0.25, 1e-15, "stretched");
        a.x[6] = 2.0;
        const double torsion = 2.0 * 11.0 * pow(sin(0.5 * turn), 2.0);
        a.x[3] = -0.25 * turn * a.radius[0];
        a.x[9] = 0.75 * turn * a.radius[1];
        assert_near(cube_function_value(&f, a.x), torsion, 1e-15 * 11.0, "twisted");
        // The ends turned against each other about z: the mean stays.
        const double bending = 2.0 * 7.0 * pow(sin(0.5 * turn), 2.0);
        a.x[3] = a.x[9] = 0.0;
        a.x[5] = -0.5 * turn * a.radius[0];
        a.x[11] = 0.5 * turn * a.radius[1];
        assert_near(cube_function_value(&f, a.x), bending, 2e-15 * 7.0, "bent");
        a.x[5] = a.x[11] = 0.0;
        for (int wide = 0; wide < 2; wide++) {
            const double t = wide == 0 ? theta : 2.0;
            const double shear = 5.0 * 4.0 * (form == 0 ? 1.0 - cos(t) : 0.5 * t * t);
            a.x[6] = 2.0 * cos(t);
            a.x[8] = 2.0 * sin(t);
            assert_near(cube_function_value(&f, a.x), shear, 1e-15 * 20.0, "sheared");
        }
        free_term(&cube, &term);
    }
}

/// The stiffness matrix of a Timoshenko beam with one point of integration: l B^T D B with the
/// strains of its middle, (EA, kGA, kGA, GJ, EI, EI).
static void timoshenko(const double rest[3], const double radius[2],
                       const struct bond_stiffness *stiffness, double k[144]) {
    const double length = norm3(rest);
    double frame[3][3];
    const double helper[3] = {0.3, -0.5, 0.8};
    scale3(1.0 / length, rest, frame[0]);
    cross3(frame[0], helper, frame[1]);
    scale3(1.0 / norm3(frame[1]), frame[1], frame[1]);
    cross3(frame[0], frame[1], frame[2]);
    double strain[6][12] = {{0.0}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t s = 0; s < 3; s++) {
            strain[s][i] = -frame[s][i] / length;
            strain[s][6 + i] = frame[s][i] / length;
            strain[3 + s][3 + i] = -frame[s][i] / (length * radius[0]);
            strain[3 + s][9 + i] = frame[s][i] / (length * radius[1]);
        }
        // gamma_s = u_s' - ((theta_i + theta_j) / 2 x e0) . e_s
        for (size_t s = 1; s < 3; s++) {
            double axis[3];
            cross3(frame[0], frame[s], axis);
            strain[s][3 + i] = -0.5 * axis[i] / radius[0];
            strain[s][9 + i] = -0.5 * axis[i] / radius[1];
        }
    }
    const double d[6] = {stiffness->stretch,  stiffness->shear,   stiffness->shear,
                         stiffness->twisting, stiffness->bending, stiffness->bending};
    memset(k, 0, 144 * sizeof *k);
    for (size_t s = 0; s < 6; s++) {
        for (size_t i = 0; i < 144; i++) {
            k[i] += length * length * d[s] * strain[s][i / 12] * strain[s][i % 12];
        }
    }
}

/// At rest, wherever it points, both forms and the semidefinite one.
static void a_bond_is_a_beam(void **state) {
    (void)state;
    struct random random = random_seed(8);
    for (int round = 0; round < 8; round++) {
        struct assemblage a;
        struct cube cube;
        double rest[3];
        random_unit(&random, rest);
        scale3(0.8, rest, rest);
        const struct bond_stiffness k = bond_stiffness_of_beam(3.0, 1.1, 0.9, 0.7, 0.8);
        make_single(&a, rest, k, round % 2 == 0 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE);
        const struct term term = make_term(&cube, &a, 1);
        struct cube_function f = {.cube = &cube, .term = &term, .project = round % 4 > 1};
        double hessian[144];
        double beam[144];
        cube_function_hessian(&f, a.x, hessian);
        timoshenko(rest, a.radius, &k, beam);
        assert_small(testing_max_difference(hessian, beam, 144), 4e-15 * 10.0, "stiffness");
        free_term(&cube, &term);
    }
}

/// E A / l, k G A / l, E I / l, G J / l of a round section.
static void stiffnesses_are_those_of_a_round_beam(void **state) {
    (void)state;
    const double pi = acos(-1.0);
    const struct bond_stiffness k = bond_stiffness_of_beam(3.0, 1.25, 0.9, 0.5, 4.0);
    assert_near(k.stretch, 3.0 * pi * 0.25 / 4.0, 1e-15, "stretch");
    assert_near(k.shear, 0.9 * 1.25 * pi * 0.25 / 4.0, 1e-15, "shear");
    assert_near(k.bending, 3.0 * pi * 0.0625 / 4.0 / 4.0, 1e-15, "bending");
    assert_near(k.twisting, 1.25 * pi * 0.0625 / 2.0 / 4.0, 1e-15, "twisting");
}

static struct bond_load load_of(const struct bond_stiffness *k, enum bond_shear shear,
                                const double way[3], const double turn[3]) {
    const double rest[3] = {2.0, 0.0, 0.0};
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    struct bond_state state;
    struct bond_load load;
    double half[3];
    double back[3];
    scale3(0.5, turn, half);
    scale3(-0.5, turn, back);
    copy3(way, state.offset);
    rotate_by(back, 1.0, none, state.from);
    rotate_by(half, 1.0, none, state.to);
    bonds_compute_loads(1, rest, k, shear, &state, &load);
    return load;
}

/// Derivatives of the closed forms: k (L - l0), k_t l0 sin theta or k_t l0 theta, k_w sin phi, k_b
/// sin phi.
static void loads_are_derivatives_of_the_energy(void **state) {
    (void)state;
    const struct bond_stiffness k = {3.0, 5.0, 7.0, 11.0};
    const double none[3] = {0.0, 0.0, 0.0};
    const double longer[3] = {2.5, 0.0, 0.0};
    const double shorter[3] = {1.5, 0.0, 0.0};
    const double rest[3] = {2.0, 0.0, 0.0};
    const double theta = 0.6;
    const double sheared[3] = {2.0 * cos(theta), 0.0, -2.0 * sin(theta)};
    const double twisted[3] = {-0.8, 0.0, 0.0};
    const double bent[3] = {0.0, 0.8 * 0.6, 0.8 * 0.8};
    struct bond_load load = load_of(&k, BOND_SHEAR_CHORD, longer, none);
    assert_near(load.normal, 1.5, 1e-15, "tension");
    assert_near(load.shear + load.bending + fabs(load.torsion), 0.0, 0.0, "nothing else");
    assert_near(load_of(&k, BOND_SHEAR_CHORD, shorter, none).normal, -1.5, 1e-15, "compression");
    load = load_of(&k, BOND_SHEAR_CHORD, sheared, none);
    assert_near(load.shear, 10.0 * sin(theta), 4e-15, "shear by the chord");
    assert_near(load.normal, 0.0, 1e-15, "no tension");
    load = load_of(&k, BOND_SHEAR_ANGLE, sheared, none);
    assert_near(load.shear, 10.0 * theta, 4e-15, "shear by the angle");
    load = load_of(&k, BOND_SHEAR_CHORD, rest, twisted);
    assert_near(load.torsion, -11.0 * sin(0.8), 4e-15, "torsion");
    assert_near(load.bending, 0.0, 4e-15, "no bending");
    load = load_of(&k, BOND_SHEAR_CHORD, rest, bent);
    assert_near(load.bending, 7.0 * sin(0.8), 4e-15, "bending");
    assert_near(load.torsion, 0.0, 4e-15, "no torsion");
}

/// More than eight at once, and those past a whole eight, are as each alone.
static void loads_are_taken_one_by_one(void **state) {
    (void)state;
    enum { MANY = 19 };
    struct random random = random_seed(14);
    struct bond_state states[MANY];
    struct bond_stiffness k[MANY];
    struct bond_load all[MANY];
    double rest[3 * MANY];
    random_fill(&random, 0.5, 1.5, rest, 3 * MANY);
    for (size_t i = 0; i < MANY; i++) {
        double rotation[9];
        k[i] = (struct bond_stiffness){1.0 + (double)i, 2.0, 3.0, 4.0};
        random_fill(&random, 0.5, 1.5, states[i].offset, 3);
        random_rotation(&random, rotation);
        quaternion_of(rotation, states[i].from);
        const double turn[3] = {0.1, -0.2, 0.3};
        rotate_by(turn, 1.0, states[i].from, states[i].to);
    }
    bonds_compute_loads(MANY, rest, k, BOND_SHEAR_CHORD, states, all);
    for (size_t i = 0; i < MANY; i++) {
        struct bond_load one;
        bonds_compute_loads(1, rest + 3 * i, k + i, BOND_SHEAR_CHORD, states + i, &one);
        assert_same_bits(&all[i].normal, &one.normal, 4);
    }
}

// --- second derivatives ---

/// The semidefinite form is so for each bond, however deformed.
static void the_projected_form_is_semidefinite(void **state) {
    (void)state;
    struct random random = random_seed(11);
    for (int round = 0; round < testing_rounds(200); round++) {
        struct assemblage a;
        struct cube cube;
        const double rest[3] = {1.0, 0.0, 0.0};
        const struct bond_stiffness k = {
            random_uniform(&random, 0.1, 10.0), random_uniform(&random, 0.1, 10.0),
            random_uniform(&random, 0.1, 10.0), random_uniform(&random, 0.1, 10.0)};
        make_single(&a, rest, k, round % 2 == 0 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE);
        double places[6] = {0.0};
        turn_particles(&a, &random, 1.4);
        random_fill(&random, -1.0, 1.0, places + 3, 3);
        set_state(&a, &random, places, 2.0);
        const struct term term = make_term(&cube, &a, 1);
        struct cube_function f = {.cube = &cube, .term = &term, .project = true};
        double hessian[144];
        cube_function_hessian(&f, a.x, hessian);
        assert_true(project_is_semidefinite(12, hessian));
        free_term(&cube, &term);
    }
}

/// Of bending and torsion alone it differs from the exact one by half the energy, and by half the
/// moment's cross product off the diagonal.
static void bending_is_nearly_its_projected_form(void **state) {
    (void)state;
    struct random random = random_seed(12);
    struct assemblage a;
    struct cube cube;
    const double rest[3] = {0.3, 0.9, -0.5};
    const struct bond_stiffness k = {1e-300, 0.0, 3.0, 5.0};
    make_single(&a, rest, k, BOND_SHEAR_CHORD);
    a.radius[0] = a.radius[1] = 1.0;
    set_bond(&a, 0, 0, 1);
    turn_particles(&a, &random, 0.9);
    set_state(&a, &random, a.place, 0.0);
    const struct term term = make_term(&cube, &a, 1);
    struct cube_function f = {.cube = &cube, .term = &term};
    double exact[144];
    double projected[144];
    double gradient[12];
    const double value = cube_function_value(&f, a.x);
    cube_function_gradient(&f, a.x, gradient);
    cube_function_hessian(&f, a.x, exact);
    f.project = true;
    cube_function_hessian(&f, a.x, projected);
    const double *t = gradient + 9;
    const double cross[9] = {0.0, -t[2], t[1], t[2], 0.0, -t[0], -t[1], t[0], 0.0};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            const double same = i == j ? 0.5 * value : 0.0;
            const size_t ii = 12 * (3 + i) + 3 + j;
            const size_t jj = 12 * (9 + i) + 9 + j;
            const size_t ij = 12 * (3 + i) + 9 + j;
            assert_near(exact[ii] - projected[ii], -same, 1e-14, "i with i");
            assert_near(exact[jj] - projected[jj], -same, 1e-14, "j with j");
            assert_near(exact[ij] - projected[ij], same + 0.5 * cross[3 * i + j], 1e-14,
                        "i with j");
        }
    }
    free_term(&cube, &term);
}

/// Column `mode` of the rigid motions: translations, then rotations about the origin, x = r K^T w.
static void rigid_motion(const struct assemblage *a, size_t mode, double *z) {
    double w[3] = {0.0, 0.0, 0.0};
    w[mode % 3] = 1.0;
    memset(z, 0, 6 * a->particle_count * sizeof *z);
    for (size_t p = 0; p < a->particle_count; p++) {
        lanes8 phi[3];
        lanes8 k[9];
        struct chart_lanes chart;
        for (int i = 0; i < 3; i++) {
            phi[i] = lanes_set(a->x[6 * p + 3 + (size_t)i] / a->radius[p]);
        }
        chart_init(phi, &chart);
        chart_torque(&chart, k);
        if (mode < 3) {
            copy3(w, z + 6 * p);
            continue;
        }
        cross3(w, a->x + 6 * p, z + 6 * p);
        for (size_t i = 0; i < 3; i++) {
            z[6 * p + 3 + i] = a->radius[p] * k[3 * (mode % 3) + i][0];
        }
    }
}

/// Unstressed, turned as a whole by any rotation, reached in any chart.
static void rigid_motions_are_in_the_kernel(void **state) {
    (void)state;
    struct assemblage a;
    struct cube cube;
    struct random random = random_seed(21);
    double rotation[9];
    double places[3 * PARTICLES];
    make_assemblage(&a, 22, BOND_SHEAR_CHORD);
    turn_particles(&a, &random, 0.0);
    rotation_of(a.world, rotation);
    for (size_t p = 0; p < PARTICLES; p++) {
        multiply3(rotation, a.place + 3 * p, places + 3 * p);
    }
    set_state(&a, &random, places, 2.0);
    const struct term term = make_term(&cube, &a, 1);
    struct cube_function f = {.cube = &cube, .term = &term};
    static double hessian[9 * NODES * NODES];
    assert_small(cube_function_value(&f, a.x), 1e-29, "energy");
    cube_function_hessian(&f, a.x, hessian);
    for (size_t mode = 0; mode < 6; mode++) {
        double z[3 * NODES];
        rigid_motion(&a, mode, z);
        for (size_t i = 0; i < (size_t)3 * NODES; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < (size_t)3 * NODES; j++) {
                sum += hessian[3 * NODES * i + j] * z[j];
            }
            assert_small(fabs(sum), 2e-14, "H z");
        }
    }
    free_term(&cube, &term);
}

static void damping_weighs_each_bond(void **state) {
    (void)state;
    struct assemblage a;
    struct cube cube;
    make_assemblage(&a, 5, BOND_SHEAR_CHORD);
    deform(&a, 6, 0.5);
    for (size_t b = 0; b < BONDS; b++) {
        a.damping[b] = 0.25;
    }
    const struct term term = make_term(&cube, &a, 1);
    struct cube_function f = {.cube = &cube, .term = &term};
    static double plain[9 * NODES * NODES];
    static double weighed[9 * NODES * NODES];
    for (int project = 0; project < 2; project++) {
        f.project = project == 1;
        f.damping_weights = false;
        cube_function_hessian(&f, a.x, plain);
        f.damping_weights = true;
        cube_function_hessian(&f, a.x, weighed);
        for (size_t i = 0; i < (size_t)9 * NODES * NODES; i++) {
            plain[i] *= 0.25;
        }
        assert_small(testing_max_difference(plain, weighed, (size_t)9 * NODES * NODES), 1e-14,
                     "weighed");
    }
    free_term(&cube, &term);
}

/// A bond without stiffness is as good as none, even between particles at one place that are
/// turned by half a turn.
static void broken_bonds_do_nothing(void **state) {
    (void)state;
    struct assemblage a;
    struct cube cube;
    const double rest[3] = {1.0, 0.0, 0.0};
    make_single(&a, rest, (struct bond_stiffness){0.0, 0.0, 0.0, 0.0}, BOND_SHEAR_ANGLE);
    a.x[6] = 0.0;
    a.x[4] = 40.0; // radians, over r = 0.5: far beyond the chart
    a.start[4] = 1.0;
    a.start[7] = 0.0;
    const struct term term = make_term(&cube, &a, 1);
    struct cube_function f = {.cube = &cube, .term = &term};
    double gradient[12];
    double hessian[144];
    const double direction[12] = {0.0, 0.0, 0.0, 1.0};
    assert_near(cube_function_value(&f, a.x), 0.0, 0.0, "energy");
    cube_function_gradient(&f, a.x, gradient);
    cube_function_hessian(&f, a.x, hessian);
    for (size_t i = 0; i < 144; i++) {
        assert_near(hessian[i], 0.0, 0.0, "stiffness");
        assert_near(gradient[i % 12], 0.0, 0.0, "force");
    }
    assert_near(terms_max_step(NULL, &cube.assembly, &term, 1, a.x, direction, 1e9, &cube.scratch),
                1e9, 0.0, "bound");
    free_term(&cube, &term);
}

// --- the largest step ---

static double largest_step(struct cube *cube, const struct term *term, const double *x,
                           const double *direction) {
    return terms_max_step(NULL, &cube->assembly, term, 1, x, direction, 1e9, &cube->scratch);
}

static int answer_at(struct cube *cube, const struct term *term, const double *x,
                     const double *direction, double step) {
    double moved[12];
    for (size_t i = 0; i < 12; i++) {
        moved[i] = x[i] + step * direction[i];
    }
    const struct evaluation evaluation = {.what = EVALUATE_VALUE, .x = moved};
    return cube_evaluate(cube, term, 1, &evaluation);
}

/// Turned against each other about one axis the bound is exact, and so it is for the length and
/// for the chart's own.
static void the_largest_step_ends_where_the_energy_does(void **state) {
    (void)state;
    struct assemblage a;
    struct cube cube;
    const double pi = acos(-1.0);
    const double rest[3] = {2.0, 0.0, 0.0};
    make_single(&a, rest, (struct bond_stiffness){1.0, 1.0, 1.0, 1.0}, BOND_SHEAR_CHORD);
    const struct term term = make_term(&cube, &a, 1);
    a.x[5] = 0.2 * a.radius[0];
    a.x[11] = -0.3 * a.radius[1];
    double turn[12] = {0.0};
    turn[5] = a.radius[0];
    turn[11] = -2.0 * a.radius[1];
    const double half = largest_step(&cube, &term, a.x, turn);
    assert_near(half, (pi - 0.5) / 3.0, 1e-14, "half a turn");
    assert_int_equal(answer_at(&cube, &term, a.x, turn, half * (1.0 - 1e-12)), EVALUATE_OK);
    assert_int_equal(answer_at(&cube, &term, a.x, turn, half * (1.0 + 1e-12)),
                     EVALUATE_RECOVERABLE);
    double squeeze[12] = {0.0};
    squeeze[6] = -1.0;
    const double length = largest_step(&cube, &term, a.x, squeeze);
    // c / sqrt(least length) of rounding.
    assert_near(length, 2.0 - 2.0 * 1e-3, 1e-12, "length");
    assert_int_equal(answer_at(&cube, &term, a.x, squeeze, length * (1.0 - 1e-12)), EVALUATE_OK);
    assert_int_equal(answer_at(&cube, &term, a.x, squeeze, length * (1.0 + 1e-12)),
                     EVALUATE_RECOVERABLE);
    double both[12] = {0.0};
    both[3] = a.radius[0];
    both[9] = a.radius[1];
    assert_small(largest_step(&cube, &term, a.x, both), 3.0, "out of the chart");
    double pull[12] = {0.0};
    pull[6] = 1.0;
    assert_near(largest_step(&cube, &term, a.x, pull), 1e9, 0.0, "none");
    free_term(&cube, &term);
}

static pbs_status create_and_bind(struct memory *memory, const void *context) {
    struct bonds *bonds = NULL;
    RETURN_IF_FAILED(bonds_create(memory, context, &bonds));
    const struct term term = bonds_term(bonds);
    const struct stencils stencils = term.stencils;
    struct assembly assembly;
    pbs_status status = assembly_build(memory, NODES, 1, &stencils, 1, &assembly);
    if (status >= 0) {
        status = term.table->bind(term.self, memory, &assembly.terms[0]);
        assembly_free(memory, &assembly);
    }
    term.table->destroy(term.self, memory);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    struct assemblage a;
    make_assemblage(&a, 5, BOND_SHEAR_CHORD);
    assert_refusals_are_statuses(create_and_bind, &a.input, 200);
}

// --- what may break ---

/// Loads of an assemblage's bonds, rotation vectors being zero.
static void bear_all(const struct assemblage *a, enum bond_shear shear, struct bond_load *loads) {
    struct bond_state states[BONDS];
    for (size_t b = 0; b < BONDS; b++) {
        const uint32_t *end = a->rotations + 2 * b;
        subtract3(a->x + 6 * (size_t)end[1], a->x + 6 * (size_t)end[0], states[b].offset);
        memcpy(states[b].from, a->start + 4 * (size_t)end[0], sizeof states[b].from);
        memcpy(states[b].to, a->start + 4 * (size_t)end[1], sizeof states[b].to);
    }
    bonds_compute_loads(BONDS, a->rest, a->stiffness, shear, states, loads);
}

/// Every bond's strengths are its stresses times a factor: marks of bonds that are above one of
/// them, by as little as doubles tell, and of none that is below both by more than the slack.
static void check_marks(struct assemblage *a, enum bond_shear shear, bool in_tension, bool above) {
    struct bond_load loads[BONDS];
    struct bond_limit limits[BONDS];
    bool expected[BONDS];
    bear_all(a, shear, loads);
    for (size_t b = 0; b < BONDS; b++) {
        const double radius = 0.3 + 0.1 * (double)b;
        const double area = 3.14159265358979323846 * radius * radius;
        const double bent = 4.0 / (area * radius);
        const double stress = in_tension
                                  ? loads[b].normal / area + loads[b].bending * bent
                                  : loads[b].shear / area + fabs(loads[b].torsion) * 0.5 * bent;
        expected[b] = above && stress > 0.0;
        const double strength = stress <= 0.0 ? 1e-3
                                : above       ? nextafter(stress, 0.0)
                                              : stress * (1.0 + 1e-9);
        limits[b] = bond_limit_of(in_tension ? strength : INFINITY,
                                  in_tension ? INFINITY : strength, radius);
    }
    struct cube cube;
    a->input.limits = limits;
    const struct term term = make_term(&cube, a, 2);
    bonds_mark_overloaded(term.self, NULL, 2, a->x, a->start);
    const uint8_t *marks = bonds_overloaded(term.self);
    for (size_t b = 0; b < BONDS; b++) {
        assert_int_equal(marks != NULL && marks[b] != 0, expected[b]);
    }
    // An evaluation there marks the same.
    const struct evaluation evaluation = {
        .what = EVALUATE_VALUE | EVALUATE_GRADIENT, .x = a->x, .at_chart_origin = true};
    bonds_set_broken(term.self, 0, true);
    assert_int_equal(cube_evaluate(&cube, &term, 1, &evaluation), EVALUATE_OK);
    marks = bonds_overloaded(term.self);
    for (size_t b = 0; b < BONDS; b++) {
        assert_int_equal(marks != NULL && marks[b] != 0, b > 0 && expected[b]);
    }
    free_term(&cube, &term);
    a->input.limits = NULL;
}

/// Of bonds bent, twisted and sheared by large angles, whatever their stiffnesses.
static void no_bond_above_its_limits_is_missed(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 40; k++) {
        struct assemblage a;
        const enum bond_shear shear = k % 2 == 0 ? BOND_SHEAR_CHORD : BOND_SHEAR_ANGLE;
        make_assemblage(&a, k, shear);
        deform(&a, 50 + k, 0.0);
        for (int how = 0; how < 4; how++) {
            check_marks(&a, shear, how < 2, how % 2 == 0);
        }
    }
}

/// The state with the least energy for its stress: what each part takes goes by its stiffness.
/// Bonds with little energy are not looked at.
static void what_has_the_least_energy_is_not_missed(void **state) {
    (void)state;
    const double rest[3] = {2.0, 0.0, 0.0};
    const double radius = 0.5;
    const double lever = 4.0 / radius;
    const double area = 3.14159265358979323846 * radius * radius;
    const double amount = 1e-4;
    for (int in_tension = 0; in_tension < 2; in_tension++) {
        struct assemblage a;
        struct cube cube;
        struct bond_load load;
        struct bond_state at = {{rest[0], 0.0, 0.0}, {0.0}, {0.0}};
        make_single(&a, rest, bond_stiffness_of_beam(3.0, 1.2, 1.0, radius, rest[0]),
                    BOND_SHEAR_CHORD);
        const double turn = (in_tension ? lever : 0.5 * lever) * amount;
        const size_t axis = in_tension ? 2 : 0;
        a.start[axis] = -sin(0.25 * turn);
        a.start[4 + axis] = sin(0.25 * turn);
        a.start[3] = a.start[7] = cos(0.25 * turn);
        at.offset[in_tension ? 0 : 1] += amount;
        memcpy(at.from, a.start, sizeof at.from);
        memcpy(at.to, a.start + 4, sizeof at.to);
        copy3(at.offset, a.x + 6);
        bonds_compute_loads(1, rest, a.stiffness, BOND_SHEAR_CHORD, &at, &load);
        const double force = in_tension ? load.normal + lever * load.bending
                                        : load.shear + 0.5 * lever * fabs(load.torsion);
        const double strength = (1.0 - 1e-9) * force / area;
        const struct bond_limit limit = bond_limit_of(in_tension ? strength : INFINITY,
                                                      in_tension ? INFINITY : strength, radius);
        a.input.limits = &limit;
        const struct term term = make_term(&cube, &a, 1);
        bonds_mark_overloaded(term.self, NULL, 1, a.x, a.start);
        assert_non_null(bonds_overloaded(term.self));
        free_term(&cube, &term);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(rigid_motion_changes_nothing),
        cmocka_unit_test(forces_and_moments_balance),
        cmocka_unit_test(the_order_of_ends_does_not_matter),
        cmocka_unit_test(single_bonds_have_their_closed_forms),
        cmocka_unit_test(a_bond_is_a_beam),
        cmocka_unit_test(stiffnesses_are_those_of_a_round_beam),
        cmocka_unit_test(loads_are_derivatives_of_the_energy),
        cmocka_unit_test(loads_are_taken_one_by_one),
        cmocka_unit_test(the_projected_form_is_semidefinite),
        cmocka_unit_test(bending_is_nearly_its_projected_form),
        cmocka_unit_test(rigid_motions_are_in_the_kernel),
        cmocka_unit_test(damping_weighs_each_bond),
        cmocka_unit_test(broken_bonds_do_nothing),
        cmocka_unit_test(the_largest_step_ends_where_the_energy_does),
        cmocka_unit_test(refused_memory_is_a_status),
        cmocka_unit_test(no_bond_above_its_limits_is_missed),
        cmocka_unit_test(what_has_the_least_energy_is_not_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
