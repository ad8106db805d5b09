// OPT's smallest stress test, as docs/theory/minimization.md section 4 measures it: a 1.0 x 0.4
// sheet of 6 x 3 nodes in the plane (36 degrees of freedom), fixed corotated, starting from random
// places inside its box. One step of several sizes, 200 random starts each, by plain Newton and by
// the stabilised minimiser. The sheet is a host's own energy: stencils of three nodes with z held.
// SPDX-License-Identifier: MIT
#include "scenes/opt/opt_sheet.h"
#include "support/numerics/derivatives.h"
#include "support/world_testing.h"

enum { NODES = OPT_SHEET_NODES, TRIALS = 200, FEW_TRIALS = 10 };

static const double SPACING = OPT_SHEET_SPACING;

static double triangle_value(void *context, const double *x) {
    double value = 0.0;
    opt_sheet_evaluate(context, 0, x, 0, &value, NULL, NULL);
    return value;
}

static void triangle_gradient(void *context, const double *x, double *gradient) {
    opt_sheet_evaluate(context, 0, x, 0, NULL, gradient, NULL);
}

static void triangle_hessian(void *context, const double *x, double *hessian) {
    opt_sheet_evaluate(context, 0, x, 0, NULL, NULL, hessian);
}

// --- one trial ---

struct generator {
    uint64_t s;
};

static double draw(struct generator *generator) {
    generator->s = generator->s * 6364136223846793005U + 1442695040888963407U;
    return (double)(generator->s >> 11) / 9007199254740992.0;
}

static void random_start(uint64_t trial, double x[3 * NODES]) {
    struct generator generator = {1000003U * (trial + 1)};
    for (int i = 0; i < 5; i++) {
        (void)draw(&generator);
    }
    for (int i = 0; i < NODES; i++) {
        x[3 * i] = draw(&generator);
        x[3 * i + 1] = 0.4 * draw(&generator);
        x[3 * i + 2] = 0.0;
    }
}

struct outcome {
    bool converged;
    uint32_t iterations;
    double x[3 * NODES];
};

static void run_trials(struct opt_sheet *sheet, int32_t method, double h, size_t trial_count,
                       struct outcome *outcomes) {
    pbs_body body = {0};
    pbs_world *world = NULL;
    assert_ok(opt_sheet_world(sheet, method, &world, &body));
    for (size_t trial = 0; trial < trial_count; trial++) {
        struct outcome *const o = &outcomes[trial];
        random_start(trial, o->x);
        const pbs_status status = opt_sheet_step(world, body, o->x, h, &o->iterations);
        assert_true(status == PBS_OK || status == PBS_ERROR_CONVERGENCE);
        o->converged = status == PBS_OK;
        memcpy(o->x, pbs_body_positions(world, body), sizeof o->x);
    }
    pbs_world_destroy(world);
}

// --- the table ---

struct summary {
    double percent;
    uint32_t median, p95, max; ///< iterations of those that converged
};

static int compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct summary summarize(const struct outcome *outcomes, size_t trial_count) {
    uint32_t iterations[TRIALS];
    size_t count = 0;
    for (size_t i = 0; i < trial_count; i++) {
        if (outcomes[i].converged) {
            iterations[count++] = outcomes[i].iterations;
        }
    }
    struct summary s = {.percent = 100.0 * (double)count / (double)trial_count};
    if (count > 0) {
        qsort(iterations, count, sizeof *iterations, compare);
        s.median = iterations[count / 2];
        s.p95 = iterations[count * 95 / 100];
        s.max = iterations[count - 1];
    }
    return s;
}

/// How many of those that both methods solved ended in the same place, in percent.
static double same_minimiser(const struct outcome *a, const struct outcome *b, size_t trial_count) {
    size_t both = 0;
    size_t same = 0;
    for (size_t i = 0; i < trial_count; i++) {
        if (a[i].converged && b[i].converged) {
            both++;
            same += testing_max_difference(a[i].x, b[i].x, 3 * NODES) < 1e-4 * SPACING;
        }
    }
    return both > 0 ? 100.0 * (double)same / (double)both : 0.0;
}

/// A row: what the reference measured, and the bounds that it sets for tests, in percent.
struct row {
    const char *name;
    double step;
    const char *expected;
    double newton_least, newton_most, stabilized_least, same_least;
};

static const struct row table[] = {
    {"1/(24*170)", 1.0 / (24 * 170), "100 (2) / 100 (9, 10, 10)", 100, 100, 100, 97},
    {"1/(24*40)", 1.0 / (24 * 40), "100 (3) / 100 (9, 10, 11)", 100, 100, 100, 97},
    {"1/(24*20)", 1.0 / (24 * 20), "100 (4) / 100 (9, 10, 21)", 100, 100, 100, 97},
    {"1/(24*10)", 1.0 / (24 * 10), "75.5 (11) / 100 (10, 13, 18)", 60, 90, 100, 0},
    {"1/24", 1.0 / 24, "15.0 (331) / 100 (23, 42, 72)", 0, 30, 98, 0},
    {"1", 1.0, "14.5 (134) / 99.5 (68, 217, 455)", 0, 30, 98, 0},
};

static void test_table(void **state) {
    (void)state;
    static struct opt_sheet sheet;
    static struct outcome newton[TRIALS], stabilized[TRIALS];
    opt_sheet_make(&sheet);
    const bool small = testing_is_small();
    const size_t trials = small ? FEW_TRIALS : TRIALS;
    print_message("step: plain Newton %% (median) / stabilised %% (median, 95%%, most)\n");
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const struct row *const row = &table[i];
        run_trials(&sheet, PBS_METHOD_PLAIN_NEWTON, row->step, trials, newton);
        run_trials(&sheet, PBS_METHOD_STABILIZED_NEWTON, row->step, trials, stabilized);
        const struct summary n = summarize(newton, trials);
        const struct summary s = summarize(stabilized, trials);
        const double same = same_minimiser(newton, stabilized, trials);
        print_message("%-10s %.1f (%u) / %.1f (%u, %u, %u)   specification %s   same %.1f%%\n",
                      row->name, n.percent, n.median, s.percent, s.median, s.p95, s.max,
                      row->expected, same);
        assert_true(s.percent >= row->stabilized_least);
        // Shares need the whole sample.
        assert_true(small || same >= row->same_least);
        assert_true(small || n.percent >= row->newton_least);
        assert_true(small || n.percent <= row->newton_most);
    }
}

static void test_derivatives(void **state) {
    (void)state;
    static struct opt_sheet sheet;
    opt_sheet_make(&sheet);
    for (uint64_t trial = 0; trial < 20; trial++) {
        double x[3 * NODES];
        random_start(trial, x);
        const struct derivatives_function function = {9, triangle_value, triangle_gradient,
                                                      triangle_hessian, &sheet};
        assert_small(derivatives_gradient_error(&function, x, 1e-4), 1e-10, "gradient");
        assert_small(derivatives_hessian_error(&function, x, 1e-4), 1e-10, "Hessian");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
