// The forecast of iterations from matrices whose mass and stiffness are known, and beside what
// conjugate gradients take.
#include "linear/iteration_forecast.h"

#include "linear_cases.h"

static struct memory memory;

enum { NODES = 512 };

/// A closed chain of springs; every node has two of stiffness k and the mass m over the weight.
static struct small_matrix make_chain(double m, double k, uint32_t held) {
    uint32_t pairs[2 * NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = (i + 1) % NODES;
    }
    struct small_matrix chain = small_create(&memory, NODES, 0, pairs, NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t next = (i + 1) % NODES;
        small_set_scalar(&chain, i, i, i < held ? 1e3 * k : m + 2.0 * k);
        small_set_scalar(&chain, i, next, i < held || next < held ? 0.0 : -k);
    }
    return chain;
}

static double forecast(const struct bsr *a) {
    struct block_columns columns;
    assert_int_equal(block_columns_build(&memory, a, &columns), PBS_OK);
    const double iterations = iteration_forecast(a, &columns);
    block_columns_free(&memory, &columns);
    return iterations;
}

/// 3.5 over the root of the row sum over the diagonal where that is large, 4.5 for each of the 8
/// nodes along an edge of a cube of 512 where it is nothing (the constants, for one domain). Held
/// rows change nothing while they are fewer than half.
static void chains_are_forecast_by_mass_over_stiffness(void **state) {
    (void)state;
    const double stiffness[] = {0.0, 0.5, 4.0, 12.0, 1e3, 1e9};
    for (size_t i = 0; i < sizeof stiffness / sizeof *stiffness; i++) {
        for (uint32_t held = 0; held <= NODES / 3; held += NODES / 3) {
            struct small_matrix chain = make_chain(1.0, stiffness[i], held);
            const double by_mass = 3.5 * sqrt(1.0 + 2.0 * stiffness[i]);
            const double expected = 1.0 / sqrt(1.0 / (by_mass * by_mass) + 1.0 / (36.0 * 36.0));
            // Row sum over diagonal has the error of a rounding unit or two, beside at least 0.009.
            assert_true(fabs(forecast(&chain.a) - expected) <= expected * 200.0 * 0x1p-52);
            small_free(&memory, &chain);
        }
    }
}

static void spoilt_matrices_are_forecast_by_size(void **state) {
    (void)state;
    const double spoilt[] = {NAN, 0.0};
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        struct small_matrix chain = make_chain(1.0, 1.0, 0);
        for (uint32_t n = 0; n < NODES; n++) {
            small_set_scalar(&chain, n, n, spoilt[i]);
        }
        assert_true(fabs(forecast(&chain.a) - 4.5 * 8.0) <= 1e-12);
        small_free(&memory, &chain);
    }
}

static void no_rows_take_no_iterations(void **state) {
    (void)state;
    struct small_matrix nothing = small_create(&memory, 0, 0, NULL, 0);
    assert_true(forecast(&nothing.a) == 0.0);
    small_free(&memory, &nothing);
}

static uint32_t count_iterations(const struct fixture *f) {
    struct preconditioner p;
    struct pcg_workspace w = {0};
    double *x = random_vector(&memory, 3 * (size_t)f->matrix.row_count, 1);
    assert_int_equal(preconditioner_create(&memory, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY,
                                           &f->matrix, ORDER_NATURAL, &p),
                     PBS_OK);
    assert_int_equal(p.table->factor(p.state, NULL, PROBLEM(&f->matrix)), PBS_OK);
    assert_int_equal(pcg_reserve(&memory, &w, f->matrix.row_count), PBS_OK);
    const struct pcg_options options = {1e-6, 5000};
    const struct pcg_result result = pcg_solve(NULL, PROBLEM(&f->matrix), &p, f->rhs, &options, &w,
                                               x);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    pcg_free(&memory, &w);
    preconditioner_destroy(&memory, &p);
    memory_release(&memory, x);
    return result.iterations;
}

static void compare(const struct fixture_desc *desc) {
    struct fixture f;
    assert_int_equal(fixture_build(&memory, desc, &f), PBS_OK);
    const double found = count_iterations(&f);
    const double told = forecast(&f.matrix);
    if (!(told < 2.0 * found && found < 2.0 * told)) {
        print_error("E %g nu %g dt %g, %u cells in %u domains: %g iterations, told %g\n",
                    desc->young, desc->poisson, desc->dt, desc->cells,
                    f.matrix.layout->domain_count, found, told);
        fail();
    }
    fixture_free(&memory, &f);
}

/// Within the factor of two that the header promises, from easy to hard, whole and cut.
static void forecasts_come_true(void **state) {
    (void)state;
    const double materials[][3] = {{1e5, 0.45, 1.0 / 240.0}, {1e5, 0.49, 1.0 / 240.0},
                                   {1e5, 0.45, 1.0 / 30.0},  {1e7, 0.45, 1.0 / 240.0},
                                   {1e7, 0.3, 1.0 / 30.0},   {1e7, 0.45, 1.0 / 30.0}};
    for (uint32_t cells = 6; cells <= 12; cells += 6) {
        for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
            for (uint32_t domains = 1; domains <= 4; domains *= 2) {
                struct fixture_desc desc = fixture_hard(cells);
                desc.domain_count = domains;
                desc.young = materials[i][0];
                desc.poisson = materials[i][1];
                desc.dt = materials[i][2];
                compare(&desc);
            }
        }
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_forecast_by_mass_over_stiffness),
        cmocka_unit_test(spoilt_matrices_are_forecast_by_size),
        cmocka_unit_test(no_rows_take_no_iterations),
        cmocka_unit_test(forecasts_come_true),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
