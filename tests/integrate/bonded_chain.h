// Spheres in a chain of bonds, stepped by any scheme without a world around: terms, matrix,
// minimiser and workspace, and a reference that knows nothing of charts or schemes.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_INTEGRATE_BONDED_CHAIN_H
#define PBS_TESTS_INTEGRATE_BONDED_CHAIN_H

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "energy/bonds/bonds.h"
#include "integrate/stepping/step.h"
#include "pbs/integrator.h"
#include "pbs/world.h"
#include "support/random.h"
#include "support/testing.h"

enum { CHAIN = 4, CHAIN_BONDS = CHAIN - 1, CHAIN_NODES = 2 * CHAIN };

/// Positions, velocities, orientations, angular velocities.
struct chain_state {
    double p[3 * CHAIN], v[3 * CHAIN], q[4 * CHAIN], w[3 * CHAIN];
};

/// Node 2 k is the position of sphere k, node 2 k + 1 its rotation.
struct chain {
    struct memory memory;
    struct term term;
    struct assembly assembly;
    struct terms_scratch scratch;
    struct newton *newton;
    struct projection projection;
    struct step_workspace workspace;
    struct contact_report report;
    struct step_problem problem;
    struct rotations rotations;
    uint32_t rotation_node[CHAIN];
    double radius[CHAIN], orientation[4 * CHAIN], mass[CHAIN_NODES], parameters[SCHEME_PARAMETERS];
    uint8_t held[CHAIN_NODES];
    double targets[3 * CHAIN_NODES], none[3];
};

static const double CHAIN_MASS = 1.0, CHAIN_LENGTH = 0.1, CHAIN_SPHERE = 0.05;

/// r = sqrt(J / m) of a sphere.
static inline double chain_radius(void) {
    return CHAIN_SPHERE * sqrt(0.4);
}

/// Bent, twisted and turning about several axes by some six radians a second, so that torques do
/// not commute.
static inline struct chain_state chain_start(void) {
    struct chain_state s;
    struct random random = random_seed(17);
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    const double spin[3] = {3.0, -4.0, 3.5};
    for (size_t k = 0; k < CHAIN; k++) {
        double turn[3];
        double off[3];
        random_unit(&random, turn);
        scale3(0.25, turn, turn);
        rotate_by(turn, 1.0, none, s.q + 4 * k);
        const double rest[3] = {CHAIN_LENGTH * (double)k, 0.0, 0.0};
        random_fill(&random, -0.012, 0.012, off, 3);
        add3(rest, off, s.p + 3 * k);
        cross3(spin, s.p + 3 * k, s.v + 3 * k);
        random_fill(&random, -2.0, 2.0, off, 3);
        add3(spin, off, s.w + 3 * k);
    }
    return s;
}

static inline void chain_place_held(void *self, double fraction) {
    (void)self;
    (void)fraction;
}

static inline pbs_status chain_place_obstacles(void *self, double fraction) {
    struct chain *c = self;
    (void)fraction;
    const struct projection_scene scene = {.node_count = CHAIN_NODES, .scale = 1.0};
    return projection_begin(&c->memory, &scene, &c->projection);
}

/// stiffness: 1, or 0 for spheres that are free.
static inline void chain_make_term(struct chain *c, double stiffness) {
    uint32_t nodes[4 * CHAIN_BONDS];
    uint32_t rotations[2 * CHAIN_BONDS];
    double radii[2 * CHAIN_BONDS];
    double rest[3 * CHAIN_BONDS];
    double damping[CHAIN_BONDS];
    struct bond_stiffness stiffnesses[CHAIN_BONDS];
    for (uint32_t b = 0; b < CHAIN_BONDS; b++) {
        for (uint32_t end = 0; end < 2; end++) {
            nodes[4 * b + 2 * end] = 2 * (b + end);
            nodes[4 * b + 2 * end + 1] = 2 * (b + end) + 1;
            rotations[2 * b + end] = b + end;
            radii[2 * b + end] = chain_radius();
        }
        rest[3 * b] = CHAIN_LENGTH;
        rest[3 * b + 1] = rest[3 * b + 2] = damping[b] = 0.0;
        stiffnesses[b] = bond_stiffness_of_beam(3e4 * stiffness, 1.2e4 * stiffness, 1.0, 0.03,
                                                CHAIN_LENGTH);
    }
    const struct bonds_input input = {.count = CHAIN_BONDS,
                                      .nodes = nodes,
                                      .rotations = rotations,
                                      .radii = radii,
                                      .rest = rest,
                                      .stiffness = stiffnesses,
                                      .damping = damping,
                                      .orientations = c->orientation};
    struct bonds *bonds = NULL;
    assert_ok(bonds_create(&c->memory, &input, &bonds));
    c->term = bonds_term(bonds);
    assert_ok(assembly_build(&c->memory, CHAIN_NODES, 1, &c->term.stencils, 1, &c->assembly));
    assert_ok(c->term.table->bind(c->term.self, &c->memory, &c->assembly.terms[0]));
}

static inline void chain_fill_problem(struct chain *c, const struct scheme_table *scheme) {
    for (int i = 0; i < SCHEME_PARAMETERS; i++) {
        c->parameters[i] = scheme->parameters[i].value;
    }
    c->problem = (struct step_problem){
        .scheme = scheme,
        .parameters = c->parameters,
        .start = PBS_START_TRAPEZOIDAL,
        .objective = {.assembly = &c->assembly,
                      .terms = &c->term,
                      .term_count = 1,
                      .mass = c->mass,
                      .constrained_axes = c->held,
                      .scratch = &c->scratch},
        .conservative_count = 1,
        .newton = c->newton,
        .projection = &c->projection,
        .memory = &c->memory,
        .report = &c->report,
        .options = {.newton_limit = 100,
                    .linear_limit = 1000,
                    .tolerance = 1e-11,
                    .forcing = 1.0,
                    .step_length_limit = 1e3},
        .energy = {.choice = scheme->alpha_choice, .alpha = 1.0, .alpha_max = 1.1, .fraction = 1.0},
        .gravity = c->none,
        .scripts = {.set_prescribed_targets = chain_place_held,
                    .set_obstacles = chain_place_obstacles,
                    .self = c,
                    .constrained_axes = c->held,
                    .targets = c->targets,
                    .velocity = c->targets},
    };
}

static inline void chain_create(struct chain *c, const struct scheme_table *scheme,
                                double stiffness) {
    *c = (struct chain){0};
    memory_init(&c->memory, NULL);
    for (uint32_t k = 0; k < CHAIN; k++) {
        c->rotation_node[k] = 2 * k + 1;
        c->radius[k] = chain_radius();
        c->mass[2 * k] = c->mass[2 * k + 1] = CHAIN_MASS;
    }
    c->rotations = (struct rotations){CHAIN, c->rotation_node, c->radius, c->orientation, 0.0};
    chain_make_term(c, stiffness);
    assert_ok(terms_reserve(&c->memory, &c->assembly, &c->scratch));
    assert_ok(newton_create(&c->memory, &c->assembly, NULL, PBS_PRECONDITIONER_CHOLESKY,
                            ORDER_NATURAL, &c->newton));
    assert_ok(step_workspace_reserve(&c->workspace, &c->memory, scheme, &c->assembly,
                                     scheme->control != CONTROL_NONE));
    c->workspace.rotations = &c->rotations;
    const struct contact_report_size size = {.parts = 1};
    assert_ok(contact_report_start(&c->memory, &size, &c->report));
    chain_fill_problem(c, scheme);
}

static inline void chain_destroy(struct chain *c) {
    contact_report_free(&c->memory, &c->report);
    step_workspace_free(&c->workspace, &c->memory);
    projection_free(&c->memory, &c->projection);
    newton_destroy(c->newton, &c->memory);
    terms_release(&c->memory, &c->scratch);
    c->term.table->destroy(c->term.self, &c->memory);
    assembly_free(&c->memory, &c->assembly);
    assert_int_equal(c->memory.bytes_in_use, 0);
}

static inline void chain_set(struct chain *c, const struct chain_state *s) {
    double *const x = c->workspace.now.x;
    double *const v = c->workspace.now.v;
    for (size_t k = 0; k < CHAIN; k++) {
        copy3(s->p + 3 * k, x + 6 * k);
        copy3(s->v + 3 * k, v + 6 * k);
        scale3(0.0, s->w, x + 6 * k + 3);
        scale3(chain_radius(), s->w + 3 * k, v + 6 * k + 3);
    }
    memcpy(c->orientation, s->q, sizeof s->q);
}

static inline struct chain_state chain_get(const struct chain *c) {
    struct chain_state s;
    for (size_t k = 0; k < CHAIN; k++) {
        copy3(c->workspace.now.x + 6 * k, s.p + 3 * k);
        copy3(c->workspace.now.v + 6 * k, s.v + 3 * k);
        scale3(1.0 / chain_radius(), c->workspace.now.v + 6 * k + 3, s.w + 3 * k);
    }
    memcpy(s.q, c->orientation, sizeof s.q);
    return s;
}

static inline void chain_step(struct chain *c, double h) {
    const struct step_span span = {.h = h, .begin = 0.0, .end = 1.0};
    const struct step_result result = step_solve(&c->problem, &span, &c->workspace);
    assert_ok(result.status);
    step_accept(&c->workspace, NULL, h);
}

// --- the reference ---

/// Energy, forces and torques of the bonds at a state.
static inline double chain_forces(struct chain *c, const struct chain_state *s, double *force,
                                  double *torque) {
    double x[3 * CHAIN_NODES] = {0.0};
    double gradient[3 * CHAIN_NODES + 3];
    for (size_t k = 0; k < CHAIN; k++) {
        copy3(s->p + 3 * k, x + 6 * k);
    }
    memcpy(c->orientation, s->q, sizeof s->q);
    const struct evaluation evaluation = {.what = EVALUATE_VALUE | EVALUATE_GRADIENT, .x = x};
    struct terms_result result = {.gradient = gradient, .scratch = &c->scratch};
    assert_int_equal(terms_evaluate(NULL, &c->assembly, &c->term, 1, &evaluation, &result),
                     EVALUATE_OK);
    for (size_t k = 0; k < CHAIN; k++) {
        scale3(-1.0, gradient + 6 * k, force + 3 * k);
        scale3(-chain_radius(), gradient + 6 * k + 3, torque + 3 * k);
    }
    return result.value;
}

static inline struct chain_state chain_rate(struct chain *c, const struct chain_state *s) {
    struct chain_state rate;
    const double inertia = CHAIN_MASS * chain_radius() * chain_radius();
    chain_forces(c, s, rate.v, rate.w);
    memcpy(rate.p, s->v, sizeof rate.p);
    for (size_t k = 0; k < CHAIN; k++) {
        const double *w = s->w + 3 * k;
        const double *q = s->q + 4 * k;
        double swirl[3];
        // q' = (w, 0) q / 2.
        cross3(w, q, swirl);
        for (size_t i = 0; i < 3; i++) {
            rate.q[4 * k + i] = 0.5 * (q[3] * w[i] + swirl[i]);
            rate.v[3 * k + i] /= CHAIN_MASS;
            rate.w[3 * k + i] /= inertia;
        }
        rate.q[4 * k + 3] = -0.5 * dot3(w, q);
    }
    return rate;
}

static inline void chain_add(const struct chain_state *a, double factor,
                             const struct chain_state *b, struct chain_state *out) {
    const double *from = (const double *)a;
    const double *step = (const double *)b;
    double *to = (double *)out;
    for (size_t i = 0; i < sizeof *a / sizeof *to; i++) {
        to[i] = from[i] + factor * step[i];
    }
}

/// Runge and Kutta's classical method.
static inline struct chain_state chain_reference(const struct chain_state *start, double duration,
                                                 int steps) {
    struct chain c;
    struct chain_state s = *start;
    const double h = duration / steps;
    chain_create(&c, scheme_find(PBS_SCHEME_IMPLICIT_EULER), 1.0);
    for (int n = 0; n < steps; n++) {
        struct chain_state k[4];
        struct chain_state at;
        k[0] = chain_rate(&c, &s);
        for (int i = 1; i < 4; i++) {
            chain_add(&s, i < 3 ? 0.5 * h : h, &k[i - 1], &at);
            k[i] = chain_rate(&c, &at);
        }
        for (int i = 0; i < 4; i++) {
            chain_add(&s, h / (i == 0 || i == 3 ? 6.0 : 3.0), &k[i], &s);
        }
    }
    chain_destroy(&c);
    return s;
}

/// The largest of the differences of positions over the distance of two spheres, of velocities,
/// angles, and angular velocities over 10 rad/s.
static inline double chain_distance(const struct chain_state *a, const struct chain_state *b) {
    double worst = 0.0;
    for (size_t k = 0; k < CHAIN; k++) {
        double angle[3];
        double difference[3];
        subtract3(a->p + 3 * k, b->p + 3 * k, difference);
        worst = testing_greater(worst, norm3(difference) / CHAIN_LENGTH);
        subtract3(a->v + 3 * k, b->v + 3 * k, difference);
        worst = testing_greater(worst, norm3(difference));
        subtract3(a->w + 3 * k, b->w + 3 * k, difference);
        worst = testing_greater(worst, norm3(difference) / 10.0);
        rotation_between(a->q + 4 * k, b->q + 4 * k, angle);
        worst = testing_greater(worst, norm3(angle));
    }
    return worst;
}

/// About the origin.
static inline void chain_angular_momentum(const struct chain_state *s, double out[3]) {
    const double inertia = CHAIN_MASS * chain_radius() * chain_radius();
    memset(out, 0, 3 * sizeof *out);
    for (size_t k = 0; k < CHAIN; k++) {
        double orbital[3];
        cross3(s->p + 3 * k, s->v + 3 * k, orbital);
        add_scaled3(out, CHAIN_MASS, orbital, out);
        add_scaled3(out, inertia, s->w + 3 * k, out);
    }
}

#endif
