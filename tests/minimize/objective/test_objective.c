// The objective beside its formula: inertia and terms, value with gradient with Hessian, on several
// domains.
// SPDX-License-Identifier: MIT
#include "minimize/fixture.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"
#include "support/testing.h"

enum { NODES = 10, COORDINATES = 3 * NODES };

/// Quartic springs between neighbours: (|b - a|^2 - 1)^2.
static int32_t quartic(void *user, size_t stencil, const double *x, int32_t project, double *value,
                       double *gradient, double *hessian) {
    (void)user;
    (void)stencil;
    (void)project;
    const double d[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
    const double excess = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1.0;
    if (value != NULL) {
        *value = excess * excess;
    }
    for (int i = 0; i < 3; i++) {
        if (gradient != NULL) {
            gradient[3 + i] = 4.0 * excess * d[i];
            gradient[i] = -gradient[3 + i];
        }
        for (int j = 0; j < 3 && hessian != NULL; j++) {
            const double k = 8.0 * d[i] * d[j] + (i == j ? 4.0 * excess : 0.0);
            hessian[6 * i + j] = hessian[6 * (3 + i) + 3 + j] = k;
            hessian[6 * i + 3 + j] = hessian[6 * (3 + i) + j] = -k;
        }
    }
    return 0;
}

struct problem {
    struct fixture f;
    double *gradient, *blocks;
};

static void create(struct problem *p, uint32_t domains) {
    uint32_t stencils[2 * (NODES - 1)];
    for (uint32_t i = 0; i + 1 < NODES; i++) {
        stencils[2 * i] = i;
        stencils[2 * i + 1] = i + 1;
    }
    fixture_create(&p->f, &(struct fixture_input){.node_count = NODES,
                                                  .width = 2,
                                                  .stencil_count = NODES - 1,
                                                  .stencils = stencils,
                                                  .evaluate = quartic,
                                                  .domains = domains});
    struct random random = random_seed(7);
    random_fill(&random, 0.5, 2.0, p->f.mass, NODES);
    random_fill(&random, -1.0, 1.0, p->f.predictor, COORDINATES);
    p->f.objective.weight = 0.01;
    p->gradient = memory_allocate(&p->f.memory, 3 * p->f.assembly.vector_slot_count,
                                  sizeof(double));
    p->blocks = memory_allocate(&p->f.memory, 9 * p->f.assembly.block_slot_count, sizeof(double));
}

/// The same, and a random state.
static void create_at_random(struct problem *p, uint32_t domains, uint64_t seed,
                             double x[COORDINATES]) {
    struct random random = random_seed(seed);
    create(p, domains);
    random_fill(&random, -1.0, 1.0, x, COORDINATES);
}

static void destroy(struct problem *p) {
    memory_release(&p->f.memory, p->gradient);
    memory_release(&p->f.memory, p->blocks);
    fixture_destroy(&p->f);
}

static double value(void *context, const double *x) {
    struct problem *const p = context;
    return objective_evaluate(&p->f.objective, x, true, NULL, NULL).value;
}

static void gradient(void *context, const double *x, double *out) {
    struct problem *const p = context;
    objective_evaluate(&p->f.objective, x, false, p->gradient, NULL);
    memcpy(out, p->gradient, COORDINATES * sizeof *out);
}

/// The assembled matrix as a dense one in node order.
static void hessian(void *context, const double *x, double *out) {
    struct problem *const p = context;
    const struct layout *const layout = &p->f.assembly.layout;
    objective_evaluate(&p->f.objective, x, false, NULL, p->blocks);
    memset(out, 0, COORDINATES * COORDINATES * sizeof *out);
    for (uint32_t r = 0; r < NODES; r++) {
        for (size_t k = p->f.assembly.pattern.row_start[r];
             k < p->f.assembly.pattern.row_start[r + 1]; k++) {
            const size_t a = 3 * layout->node[r];
            const size_t b = 3 * layout->node[p->f.assembly.pattern.column[k]];
            for (size_t ij = 0; ij < 9; ij++) {
                const double entry = p->blocks[9 * k + ij];
                out[(a + ij / 3) * COORDINATES + b + ij % 3] = entry;
                out[(b + ij % 3) * COORDINATES + a + ij / 3] = entry;
            }
        }
    }
}

static void test_derivatives(void **state) {
    (void)state;
    for (uint32_t domains = 1; domains < 4; domains++) {
        struct problem p;
        create(&p, domains);
        struct random random = random_seed(domains);
        double x[COORDINATES];
        random_fill(&random, -1.0, 1.0, x, COORDINATES);
        const struct derivatives_function function = {COORDINATES, value, gradient, hessian, &p};
        // Fourth-order differences of quartics are exact; what is left is epsilon E / step with E
        // about 1e4, beside gradients of 1e2.
        assert_small(derivatives_gradient_error(&function, x, 1e-2), 1e-11, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 1e-2), 1e-11, "Hessian");
        destroy(&p);
    }
}

static void test_value_is_inertia_plus_terms(void **state) {
    (void)state;
    struct problem p;
    double x[COORDINATES];
    create_at_random(&p, 2, 9, x);
    double inertia = 0.0;
    double terms = 0.0;
    for (size_t i = 0; i < NODES; i++) {
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            inertia += p.f.mass[i] * (x[k] - p.f.predictor[k]) * (x[k] - p.f.predictor[k]) / 0.02;
        }
        double part = 0.0;
        if (i + 1 < NODES) {
            quartic(NULL, 0, x + 3 * i, 0, &part, NULL, NULL);
        }
        terms += part;
    }
    struct objective_result result = objective_evaluate(&p.f.objective, x, true, NULL, NULL);
    assert_near(result.value, inertia + terms, 1e-12 * (inertia + terms), "E");
    assert_near(result.by_kind[ENERGY_HOST], terms, 1e-12 * terms, "terms");
    assert_near(objective_magnitude(&result), result.value, 1e-12 * result.value, "all positive");
    p.f.objective.weight = INFINITY;
    result = objective_evaluate(&p.f.objective, x, true, NULL, NULL);
    assert_near(result.value, terms, 1e-12 * terms, "an infinite weight leaves inertia out");
    destroy(&p);
}

// --- values up to a ceiling ---

static const double DEPTH_ENERGY = 3.0; // J

/// Contact of constant energy that counts its evaluations.
static pbs_status evaluate_counted(void *self, struct tasks *tasks, const double *x,
                                   bool with_friction, double *gradient_out,
                                   struct contact_energy *out) {
    (void)tasks;
    (void)x;
    (void)with_friction;
    (void)gradient_out;
    ++*(int *)self;
    *out = (struct contact_energy){.potential = DEPTH_ENERGY};
    return PBS_OK;
}

static pbs_status bound_nothing(void *self, struct tasks *tasks, const double *x,
                                const double *direction, double limit, double *step) {
    (void)self;
    (void)tasks;
    (void)x;
    (void)direction;
    *step = limit;
    return PBS_OK;
}

// OPT section 3.3: the energy of contact is not negative, so where all else is too high already
// it is spared, with the search for it: by penalties and by barriers.
static void test_contact_is_not_evaluated_above_the_ceiling(void **state) {
    (void)state;
    static const struct contact_table penalty = {.evaluate = evaluate_counted};
    static const struct contact_table barrier = {.evaluate = evaluate_counted,
                                                 .bound = bound_nothing};
    struct problem p;
    double x[COORDINATES];
    create_at_random(&p, 1, 11, x);
    const double rest = value(&p, x);
    const struct contact_table *const kinds[] = {&penalty, &barrier};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        int evaluations = 0;
        p.f.objective.contacts.count = 0;
        contact_set_add(&p.f.objective.contacts, kinds[i], &evaluations);
        struct objective_result result = objective_evaluate_below(&p.f.objective, x, 0.5 * rest,
                                                                  p.gradient, NULL);
        assert_true(result.is_partial && result.value == rest && evaluations == 0);
        result = objective_evaluate_below(&p.f.objective, x, rest, p.gradient, NULL);
        assert_true(!result.is_partial && evaluations == 1);
        assert_near(result.value, rest + DEPTH_ENERGY, 1e-12 * rest, "all of E");
        result = objective_evaluate(&p.f.objective, x, true, NULL, NULL);
        assert_true(!result.is_partial && evaluations == 2);
    }
    destroy(&p);
}

/// What rows of joints and contact add to the energy of their kind does not hide one another.
static void test_joints_and_contact_add_up(void **state) {
    (void)state;
    static const struct contact_table searched = {.evaluate = evaluate_counted};
    struct problem p;
    double x[COORDINATES];
    create_at_random(&p, 1, 13, x);
    const double rest = value(&p, x);
    struct joint rod = {.node_count = 2,
                        .node = {0, 1},
                        .row_count = 1,
                        .rows = {{.form = JOINT_COMPONENT,
                                  .use = JOINT_EQUAL,
                                  .scale = 1.0,
                                  .multiplier = 5.0,
                                  .penalty = 4.0}}};
    rod.vectors[0].weight[0] = -1.0;
    rod.vectors[0].weight[1] = 1.0;
    struct joint_set joints = {.count = 1, .joints = &rod};
    struct constraint_set constraints = {.joints = &joints, .row_count = 1};
    p.f.objective.constraints = &constraints;
    const double gap = x[3] - x[0];
    const double joint = 5.0 * gap + 2.0 * gap * gap;
    int evaluations = 0;
    contact_set_add(&p.f.objective.contacts, &searched, &evaluations);
    const struct objective_result result = objective_evaluate(&p.f.objective, x, true, NULL, NULL);
    assert_near(result.by_kind[ENERGY_CONTACT], joint + DEPTH_ENERGY, 1e-12 * rest, "both");
    assert_true(result.contact == DEPTH_ENERGY);
    assert_near(result.value, rest + joint + DEPTH_ENERGY, 1e-12 * rest, "all of E");
    destroy(&p);
}

/// Two bodies in one stencil pattern: what acts on each is the norm over its own nodes of the
/// gradient of the terms, found without inertia, and of m (x - x~) / c.
static void forces_are_those_on_each_body(void **state) {
    (void)state;
    struct problem p;
    double x[COORDINATES], terms[COORDINATES], before[COORDINATES];
    uint32_t bodies[NODES];
    create_at_random(&p, 1, 17, x);
    for (uint32_t i = 0; i < NODES; i++) {
        bodies[i] = i < 2 ? 0 : 1;
    }
    struct body_ranges ranges;
    assert_ok(body_ranges_build(&p.f.memory, bodies, NODES, &ranges));
    assert_int_equal(ranges.body_count, 2);
    struct objective without_inertia = p.f.objective;
    without_inertia.weight = INFINITY;
    objective_evaluate(&without_inertia, x, false, p.gradient, NULL);
    memcpy(terms, p.gradient, sizeof terms);
    double sums[3][2];
    const struct body_forces_output out = {
        .ranges = &ranges,
        .forces = {.terms = sums[0], .inertia = sums[1], .coupling = sums[2]},
        .before = before};
    objective_evaluate_below(&p.f.objective, x, INFINITY, p.gradient, &out);
    double expected[2][2] = {{0.0}};
    for (size_t k = 0; k < COORDINATES; k++) {
        const double inertia = p.f.mass[k / 3] * (x[k] - p.f.predictor[k]) / p.f.objective.weight;
        expected[0][bodies[k / 3]] += terms[k] * terms[k];
        expected[1][bodies[k / 3]] += inertia * inertia;
    }
    for (uint32_t b = 0; b < 2; b++) {
        assert_near(sums[0][b], expected[0][b], 1e-12 * expected[0][b], "terms");
        assert_near(sums[1][b], expected[1][b], 1e-12 * expected[1][b], "inertia");
        assert_true(sums[2][b] == 0.0);
        assert_near(body_forces_acting(&out.forces, b), sqrt(fmax(expected[0][b], expected[1][b])),
                    1e-12 * sqrt(sums[0][b] + sums[1][b]), "the largest");
    }
    body_ranges_free(&p.f.memory, &ranges);
    destroy(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_value_is_inertia_plus_terms),
        cmocka_unit_test(test_contact_is_not_evaluated_above_the_ceiling),
        cmocka_unit_test(test_joints_and_contact_add_up),
        cmocka_unit_test(forces_are_those_on_each_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
