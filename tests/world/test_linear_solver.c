// A host's own linear solver: when and with what it is called, and the effect of its answers. The
// world moves as without it.
// SPDX-License-Identifier: MIT
#include <lapacke.h>

#include "pbs/solver.h"
#include "support/world_testing.h"
#include "world/refusal.h"

// --- a host with a dense Cholesky factorisation ---

enum kind {
    HOST_DENSE,     ///< exact
    HOST_FLOAT,     ///< exact, rounded to float
    HOST_JACOBI,    ///< the diagonal only
    HOST_VARYING,   ///< exact times a factor that changes from call to call
    HOST_WRONG,     ///< off by a factor of a million
    HOST_BACKWARDS, ///< the wrong sign
    HOST_ZERO,
};

enum spoilt { SPOILT_NOT, SPOILT_NAN, SPOILT_INFINITE, SPOILT_UNWRITTEN };

struct host {
    enum kind kind;
    int32_t form, triangle;
    // What it is to answer, from the call on that makes the countdown 0:
    int32_t analyze_answer, factor_answer, solve_answer;
    int countdown;
    enum spoilt spoilt;
    // What it has seen:
    int analyze_calls, factor_calls, solve_calls, out_of_turn;
    int32_t node_count, entry_count;
    double least_tolerance;
    double *first_positions; ///< of the first matrix
    bool knows_pattern, has_factor;
    double *dense; ///< the matrix, then its factor
    double *diagonal;
    const int32_t *row_start, *column;
};

static void host_free(struct host *host) {
    free(host->first_positions);
    free(host->dense);
    free(host->diagonal);
    *host = (struct host){0};
}

static int32_t host_analyze(void *user, const pbs_matrix *pattern) {
    struct host *host = user;
    host->analyze_calls++;
    host->knows_pattern = true;
    host->has_factor = false;
    assert_int_equal(pattern->struct_size, sizeof *pattern);
    assert_int_equal(pattern->form, host->form);
    assert_int_equal(pattern->triangle, host->triangle);
    assert_null(pattern->values);
    assert_non_null(pattern->positions);
    host->node_count = pattern->node_count;
    host->entry_count = pattern->entry_count;
    host->row_start = pattern->row_start;
    host->column = pattern->column;
    const size_t n = 3 * (size_t)pattern->node_count;
    host->dense = realloc(host->dense, n * n * sizeof(double));
    host->diagonal = realloc(host->diagonal, n * sizeof(double));
    assert_true(host->dense != NULL && host->diagonal != NULL);
    return host->analyze_answer;
}

/// Both triangles of the dense matrix from what is handed over, whatever of it that is.
static void expand(const struct host *host, const pbs_matrix *m) {
    const size_t n = 3 * (size_t)m->node_count;
    const size_t width = m->form == PBS_MATRIX_CSR ? 1 : 3;
    memset(host->dense, 0, n * n * sizeof(double));
    for (size_t i = 0; i < (size_t)m->row_count; i++) {
        for (size_t k = (size_t)m->row_start[i]; k < (size_t)m->row_start[i + 1]; k++) {
            for (size_t e = 0; e < width * width; e++) {
                const size_t row = width * i + e / width;
                const size_t column = width * (size_t)m->column[k] + e % width;
                const double value = m->values[width * width * k + e];
                host->dense[n * row + column] = value;
                host->dense[n * column + row] = value;
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        host->diagonal[i] = host->dense[n * i + i];
    }
}

static int32_t host_factor(void *user, const pbs_matrix *matrix) {
    struct host *host = user;
    host->factor_calls++;
    host->out_of_turn += !host->knows_pattern || host->analyze_answer != 0;
    // The pattern is what it was at analyze, to the address.
    host->out_of_turn += matrix->node_count != host->node_count ||
                         matrix->entry_count != host->entry_count ||
                         matrix->row_start != host->row_start || matrix->column != host->column;
    assert_non_null(matrix->values);
    if (host->factor_answer != 0 && host->countdown-- <= 0) {
        return host->factor_answer;
    }
    const size_t n = 3 * (size_t)matrix->node_count;
    if (host->first_positions == NULL) {
        host->first_positions = malloc(n * sizeof(double));
        assert_non_null(host->first_positions);
        memcpy(host->first_positions, matrix->positions, n * sizeof(double));
    }
    expand(host, matrix);
    const int info = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', (int)n, host->dense, (int)n);
    host->has_factor = info == 0;
    return info > 0 ? 1 : 0;
}

static void apply(const struct host *host, const double *b, double *x) {
    const size_t n = 3 * (size_t)host->node_count;
    memcpy(x, b, n * sizeof *x);
    if (host->kind != HOST_JACOBI) {
        LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'U', (int)n, 1, host->dense, (int)n, x, 1);
    }
    for (size_t i = 0; i < n; i++) {
        switch (host->kind) {
        case HOST_FLOAT: x[i] = (double)(float)x[i]; break;
        case HOST_JACOBI: x[i] /= host->diagonal[i]; break;
        case HOST_VARYING: x[i] *= 0.6 + 0.1 * (host->solve_calls % 5); break;
        case HOST_WRONG: x[i] *= 1e6; break;
        case HOST_BACKWARDS: x[i] = -x[i]; break;
        case HOST_ZERO: x[i] = 0.0; break;
        default: break;
        }
    }
}

static int32_t host_solve(void *user, const double *b, double *x, double relative_tolerance) {
    struct host *host = user;
    host->solve_calls++;
    host->out_of_turn += !host->has_factor;
    host->least_tolerance = host->solve_calls == 1
                                ? relative_tolerance
                                : fmin(host->least_tolerance, relative_tolerance);
    if (host->solve_answer != 0 && host->countdown-- <= 0) {
        return host->solve_answer;
    }
    if (host->spoilt == SPOILT_UNWRITTEN) {
        x[0] = 1.0;
        return 0;
    }
    apply(host, b, x);
    const size_t last = 3 * (size_t)host->node_count - 1;
    x[last] = host->spoilt == SPOILT_NAN        ? NAN
              : host->spoilt == SPOILT_INFINITE ? -INFINITY
                                                : x[last];
    return 0;
}

static pbs_linear_solver solver_of(struct host *host) {
    pbs_linear_solver s;
    assert_ok(pbs_linear_solver_init(&s, sizeof s));
    s.form = host->form;
    s.triangle = host->triangle;
    s.user = host;
    s.analyze = host_analyze;
    s.factor = host_factor;
    s.solve = host_solve;
    return s;
}

static void use_host(pbs_world *world, struct host *host) {
    const pbs_linear_solver s = solver_of(host);
    assert_ok(pbs_world_set_linear_solver(world, &s));
}

// --- worlds ---

/// Solved so far that what is left moves no node by more than rounding does.
static pbs_world *tight_world(int scene) {
    pbs_world_desc d;
    scene_settings(&d);
    d.relative_tolerance = 1e-11;
    pbs_world *world = new_world_from(&d);
    assert_ok(scene_fill(world, scene));
    return world;
}

/// A cube of 27 vertices hanging by one of its corners.
static pbs_world *hanging_cube(double relative_tolerance) {
    pbs_world_desc d;
    scene_settings(&d);
    d.relative_tolerance = relative_tolerance;
    pbs_world *world = new_world_from(&d);
    pbs_solid_desc solid;
    assert_ok(pbs_solid_desc_init(&solid, sizeof solid));
    solid.young = 2e4;
    const pbs_body body = add_cube(world, 2, 0.4, (double[]){0.0, 0.0, 0.0}, &solid);
    const uint32_t corner = 0;
    assert_ok(pbs_body_pin(world, body, &corner, 1, PBS_AXIS_ALL));
    return world;
}

/// max |x_a - x_b| over all bodies, m.
static double distance(const pbs_world *a, const pbs_world *b) {
    double worst = 0.0;
    for (size_t i = 0; i < pbs_world_body_count(a); i++) {
        const pbs_body p = pbs_world_body_at(a, i), q = pbs_world_body_at(b, i);
        worst = testing_greater(worst, testing_max_difference(pbs_body_positions(a, p),
                                                              pbs_body_positions(b, q),
                                                              3 * pbs_body_vertex_count(a, p)));
    }
    return worst;
}

// --- tests ---

enum { SHEET_SCENE = 3 }; ///< of scene_fill

/// Solids, a host's springs, contacts that come and go: with the host's solver the world is where
/// it is with its own. What Newton's tolerance leaves is h^2 tolerance / least mass a step, here
/// some 1e-12 m, which contacts that are lost a little earlier or later may multiply. The sheet is
/// followed until it buckles over the ball: from there on a step has more than one minimum, and
/// which one is met depends on the way (1.3 cm apart in the 14th step, 1e-9 m before).
static void a_dense_host_gives_what_the_library_gives(void **state) {
    (void)state;
    for (int scene = 0; scene < SCENE_COUNT; scene++) {
        const int steps = scene == SHEET_SCENE ? 10 : 25;
        pbs_world *own = tight_world(scene);
        assert_ok(scene_step(own, steps));
        for (int variant = scene; variant < 6; variant += SCENE_COUNT) {
            struct host host = {.form = variant % 2, .triangle = variant / 2};
            pbs_world *world = tight_world(scene);
            use_host(world, &host);
            uint32_t solves = 0, refusals = 0, iterations = 0;
            for (int i = 0; i < steps; i++) {
                assert_ok(scene_step(world, 1));
                const pbs_stats stats = stats_of(world);
                solves += stats.linear.host_solves;
                refusals += stats.linear.host_fallbacks;
                iterations += stats.linear.iterations;
            }
            assert_small(distance(own, world), 1e-8, "distance, m");
            assert_int_equal(solves, host.solve_calls);
            assert_true(solves >= 25 && refusals < solves);
            assert_true(refusals > 0 || iterations == solves);
            assert_int_equal(host.analyze_calls, 1);
            assert_int_equal(host.out_of_turn, 0);
            assert_true(host.least_tolerance > 0.0 && host.least_tolerance < 1.0);
            pbs_world_destroy(world);
            host_free(&host);
        }
        pbs_world_destroy(own);
    }
}

/// Less than exact costs calls, not accuracy.
static void hosts_that_are_nearly_right(void **state) {
    (void)state;
    static const struct {
        enum kind kind;
        double calls_per_solve; ///< at most
    } cases[] = {{HOST_FLOAT, 2.0}, {HOST_JACOBI, 60.0}, {HOST_VARYING, 1.0}, {HOST_WRONG, 1.0}};
    pbs_world *own = hanging_cube(1e-10);
    assert_ok(scene_step(own, 10));
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        struct host host = {.kind = cases[k].kind};
        pbs_world *world = hanging_cube(1e-10);
        use_host(world, &host);
        uint32_t solves = 0;
        for (int i = 0; i < 10; i++) {
            assert_ok(scene_step(world, 1));
            solves += stats_of(world).linear.solves;
        }
        assert_small(distance(own, world), 1e-9, "distance, m");
        assert_true(host.solve_calls <= cases[k].calls_per_solve * solves);
        assert_int_equal(host.out_of_turn, 0);
        pbs_world_destroy(world);
        host_free(&host);
    }
    pbs_world_destroy(own);
}

/// The wrong sign, or nothing: said in the statistics, and no step lands elsewhere.
static void hosts_that_are_quite_wrong(void **state) {
    (void)state;
    pbs_world *own = hanging_cube(1e-4);
    assert_ok(scene_step(own, 3));
    for (enum kind kind = HOST_BACKWARDS; kind <= HOST_ZERO; kind++) {
        struct host host = {.kind = kind};
        pbs_world *world = hanging_cube(1e-4);
        use_host(world, &host);
        for (int i = 0; i < 3; i++) {
            const pbs_status status = pbs_world_step(world, 1.0 / 60.0);
            assert_true(status == PBS_OK || status == PBS_ERROR_CONVERGENCE);
            const pbs_stats stats = stats_of(world);
            assert_int_equal(stats.linear.indefinite_solves, stats.linear.solves);
        }
        if (pbs_world_time(world) == pbs_world_time(own)) {
            assert_small(distance(own, world), 1e-3, "distance, m");
        }
        pbs_world_destroy(world);
        host_free(&host);
    }
    pbs_world_destroy(own);
}

/// The vertices of the bodies in order of creation, whatever was destroyed in between.
static void nodes_are_bodies_in_order(void **state) {
    (void)state;
    struct host host = {0};
    pbs_world *world = hanging_cube(1e-6);
    const pbs_body gone = add_cube(world, 1, 0.2, (double[]){1.0, 0.0, 0.0}, NULL);
    add_cube(world, 1, 0.3, (double[]){2.0, 0.0, 0.0}, NULL);
    assert_ok(pbs_body_destroy(world, gone));
    add_cube(world, 1, 0.1, (double[]){3.0, 0.0, 0.0}, NULL);
    double before[3 * 43];
    size_t filled = 0;
    for (size_t i = 0; i < 3; i++) {
        const pbs_body body = pbs_world_body_at(world, i);
        const size_t count = 3 * pbs_body_vertex_count(world, body);
        memcpy(before + filled, pbs_body_positions(world, body), count * sizeof *before);
        filled += count;
    }
    assert_int_equal(filled, 3 * 43);
    use_host(world, &host);
    assert_ok(pbs_world_step(world, 1.0 / 60.0));
    assert_int_equal(host.node_count, 43);
    // At the first matrix everything has fallen a little; no two nodes are nearer than 0.1 m.
    assert_small(testing_max_difference(before, host.first_positions, 3 * 43), 0.01, "places, m");
    pbs_world_destroy(world);
    host_free(&host);
}

static void analyze_follows_the_pattern(void **state) {
    (void)state;
    struct host host = {0};
    pbs_world *world = hanging_cube(1e-6);
    use_host(world, &host);
    assert_int_equal(host.analyze_calls, 0);
    assert_ok(scene_step(world, 5));
    assert_int_equal(host.analyze_calls, 1);
    assert_true(host.factor_calls >= 5);
    const pbs_body more = add_cube(world, 1, 0.2, (double[]){1.0, 0.0, 0.0}, NULL);
    assert_ok(scene_step(world, 2));
    assert_int_equal(host.analyze_calls, 2);
    assert_int_equal(host.node_count, 35);
    assert_ok(pbs_body_destroy(world, more));
    assert_ok(scene_step(world, 2));
    assert_int_equal(host.analyze_calls, 3);
    assert_int_equal(host.node_count, 27);
    // Pins and colliders change no pattern.
    const uint32_t vertex = 20;
    assert_ok(pbs_body_pin(world, pbs_world_body_at(world, 0), &vertex, 1, PBS_AXIS_X));
    add_ground(world);
    assert_ok(scene_step(world, 2));
    assert_int_equal(host.analyze_calls, 3);
    assert_int_equal(host.out_of_turn, 0);
    // A table without analyze.
    pbs_linear_solver s = solver_of(&host);
    s.analyze = NULL;
    assert_ok(pbs_world_set_linear_solver(world, &s));
    host.countdown = 0;
    host.factor_answer = 7;
    assert_ok(scene_step(world, 1));
    assert_int_equal(host.analyze_calls, 3);
    assert_int_equal(stats_of(world).linear.host_fallbacks, stats_of(world).linear.solves);
    pbs_world_destroy(world);
    host_free(&host);
}

/// A host that refuses patterns, matrices or right-hand sides, from the first or a later call on:
/// the world's own preconditioner takes over, counted.
static void refusals_are_made_up_for(void **state) {
    (void)state;
    pbs_world *own = hanging_cube(1e-10);
    assert_ok(scene_step(own, 5));
    for (int k = 0; k < 9; k++) {
        struct host host = {.kind = HOST_JACOBI, .countdown = 3 * (k / 3)};
        *(int32_t *[]){&host.analyze_answer, &host.factor_answer, &host.solve_answer}[k % 3] = 3;
        pbs_world *world = hanging_cube(1e-10);
        use_host(world, &host);
        uint32_t refusals = 0, solves = 0, linear_solves = 0;
        for (int i = 0; i < 5; i++) {
            assert_ok(scene_step(world, 1));
            const pbs_stats stats = stats_of(world);
            refusals += stats.linear.host_fallbacks;
            solves += stats.linear.host_solves;
            linear_solves += stats.linear.solves;
        }
        assert_small(distance(own, world), 1e-9, "distance, m");
        assert_int_equal(host.out_of_turn, 0);
        assert_true(refusals > 0 && (k % 3 == 0 || host.countdown < 0));
        if (k % 3 == 0) {
            assert_int_equal(refusals, linear_solves);
            assert_int_equal(host.factor_calls + host.solve_calls, 0);
        } else if (k % 3 == 1) {
            assert_int_equal(host.factor_calls, linear_solves);
            assert_int_equal(refusals, linear_solves - (uint32_t)(k / 3 * 3));
        } else {
            assert_int_equal(solves + refusals, host.solve_calls);
        }
        pbs_world_destroy(world);
        host_free(&host);
    }
    pbs_world_destroy(own);
}

/// The statistics tell the host from what stands in for it, even where the host gives way when
/// the matrix is factored already.
static void what_is_used_is_told(void **state) {
    (void)state;
    pbs_world *world = hanging_cube(1e-6);
    struct host host = {0};
    use_host(world, &host);
    assert_ok(scene_step(world, 1));
    assert_int_equal(stats_of(world).linear.preconditioner, -1);
    assert_int_equal(stats_of(world).linear.coarse_unknowns, 0);
    int32_t *const answers[3] = {&host.solve_answer, &host.factor_answer, &host.analyze_answer};
    for (int k = 0; k < 3; k++) {
        *answers[k] = 1;
        host.countdown = 0;
        use_host(world, &host);
        assert_ok(scene_step(world, 1));
        assert_true(stats_of(world).linear.host_fallbacks > 0);
        assert_int_equal(stats_of(world).linear.preconditioner, PBS_PRECONDITIONER_CHOLESKY);
        assert_int_equal(stats_of(world).linear.reason, PBS_SOLVER_FEW_NODES);
        *answers[k] = 0;
        use_host(world, &host);
        assert_ok(scene_step(world, 1));
        assert_int_equal(stats_of(world).linear.preconditioner, -1);
    }
    pbs_world_destroy(world);
    host_free(&host);
}

/// Each way to stop, in full and in linearized steps: the status, words that name the function, a
/// world that is as it was, and goes on once the host does.
static void stopping_is_an_error(void **state) {
    (void)state;
    static const char *const words[6] = {"analyze returned -5",
                                         "factor returned -5",
                                         "solve returned -5",
                                         "entry 80 of x (of 81) is nan",
                                         "is -inf",
                                         "entry 1 of x"};
    for (int k = 0; k < 12; k++) {
        struct host host = {0};
        int32_t *const answers[3] = {&host.analyze_answer, &host.factor_answer, &host.solve_answer};
        pbs_world *world = hanging_cube(1e-6), *own = hanging_cube(1e-6);
        pbs_world *const worlds[2] = {world, own};
        for (int i = 0; i < 2 && k >= 6; i++) {
            pbs_integrator_desc d;
            assert_ok(pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_IMPLICIT_EULER));
            d.linearized = 1;
            use_integrator(worlds[i], &d);
        }
        assert_ok(scene_step(world, 2));
        use_host(world, &host);
        if (k % 6 < 3) {
            *answers[k % 6] = -5;
        } else {
            host.spoilt = (enum spoilt)(k % 6 - 3 + SPOILT_NAN);
        }
        const uint64_t before = pbs_world_hash(world);
        for (int again = 0; again < 2; again++) {
            assert_status(pbs_world_step(world, 1.0 / 60.0), PBS_ERROR_HOST);
            assert_message(words[k % 6]);
            assert_message("linear solver");
            assert_message("Newton iteration");
            assert_true(pbs_world_hash(world) == before);
            assert_int_equal(stats_of(world).status, PBS_ERROR_HOST);
        }
        // An advance and a world that may divide its steps stop as well.
        assert_status(pbs_world_advance(world, 0.1), PBS_ERROR_HOST);
        *answers[0] = *answers[1] = *answers[2] = 0;
        host.spoilt = SPOILT_NOT;
        assert_ok(scene_step(world, 3));
        assert_ok(scene_step(own, 5));
        assert_small(distance(own, world), 1e-6, "distance, m");
        assert_int_equal(host.out_of_turn, 0);
        pbs_world_destroy(own);
        pbs_world_destroy(world);
        host_free(&host);
    }
}

// --- what is refused ---

SPOIL(unknown_form, pbs_linear_solver *s, s->form = 2)
SPOIL(negative_form, pbs_linear_solver *s, s->form = -1)
SPOIL(unknown_triangle, pbs_linear_solver *s, s->triangle = 3)
SPOIL(negative_triangle, pbs_linear_solver *s, s->triangle = -1)
SPOIL(reserved_in_use, pbs_linear_solver *s, s->reserved = 1)
SPOIL(no_factor, pbs_linear_solver *s, s->factor = NULL)
SPOIL(no_solve, pbs_linear_solver *s, s->solve = NULL)
SPOIL(no_size, pbs_linear_solver *s, s->struct_size = 0)
SPOIL(short_size, pbs_linear_solver *s, s->struct_size = sizeof *s - 8)
SPOIL(huge_size, pbs_linear_solver *s, s->struct_size = UINT32_MAX)

static const struct refusal refusals[] = {
    {unknown_form, PBS_ERROR_ARGUMENT, "form"},
    {negative_form, PBS_ERROR_ARGUMENT, "form"},
    {unknown_triangle, PBS_ERROR_ARGUMENT, "triangle"},
    {negative_triangle, PBS_ERROR_ARGUMENT, "triangle"},
    {reserved_in_use, PBS_ERROR_ARGUMENT, "reserved"},
    {no_factor, PBS_ERROR_ARGUMENT, "factor of the linear solver is null"},
    {no_solve, PBS_ERROR_ARGUMENT, "solve of the linear solver is null"},
    {no_size, PBS_ERROR_STRUCT_SIZE, "pbs_linear_solver.struct_size is 0"},
    {short_size, PBS_ERROR_STRUCT_SIZE, "pbs_linear_solver.struct_size"},
    {huge_size, PBS_ERROR_STRUCT_SIZE, "pbs_linear_solver.struct_size"},
};

/// A table that is refused leaves the one before in use.
static void bad_tables_are_refused(void **state) {
    (void)state;
    struct host host = {0}, never = {0};
    pbs_world *world = hanging_cube(1e-6);
    use_host(world, &host);
    for (size_t k = 0; k < COUNT_OF(refusals); k++) {
        pbs_linear_solver s = solver_of(&never);
        refusals[k].spoil(&s);
        assert_status(pbs_world_set_linear_solver(world, &s), refusals[k].status);
        assert_message(refusals[k].words);
    }
    struct {
        pbs_linear_solver known;
        uint64_t later;
    } grown = {.known = solver_of(&never), .later = 1};
    grown.known.struct_size = sizeof grown;
    assert_status(pbs_world_set_linear_solver(world, &grown.known), PBS_ERROR_STRUCT_SIZE);
    pbs_linear_solver s = solver_of(&never);
    assert_status(pbs_world_set_linear_solver(NULL, &s), PBS_ERROR_ARGUMENT);
    assert_status(pbs_world_set_linear_solver(NULL, NULL), PBS_ERROR_ARGUMENT);
    assert_status(pbs_linear_solver_init(NULL, sizeof s), PBS_ERROR_ARGUMENT);
    assert_status(pbs_linear_solver_init(&s, sizeof s + 8), PBS_ERROR_STRUCT_SIZE);
    assert_ok(scene_step(world, 1));
    assert_true(host.solve_calls > 0 && never.solve_calls == 0);
    // Unknown bytes that are zero mean "as before".
    grown.known = solver_of(&host);
    grown.known.struct_size = sizeof grown;
    grown.later = 0;
    assert_ok(pbs_world_set_linear_solver(world, &grown.known));
    assert_ok(scene_step(world, 1));
    assert_int_equal(host.analyze_calls, 2);
    pbs_world_destroy(world);
    host_free(&host);
}

// --- when it is not used ---

/// Taken back, the world has the bits of one that never had any; what is saved knows nothing of it,
/// and restoring keeps it.
static void taken_back_it_leaves_no_trace(void **state) {
    (void)state;
    struct host host = {0};
    pbs_world *plain = hanging_cube(1e-6), *world = hanging_cube(1e-6);
    use_host(world, &host);
    assert_ok(pbs_world_set_linear_solver(world, NULL));
    assert_ok(scene_step(plain, 5));
    assert_ok(scene_step(world, 5));
    assert_int_equal(host.factor_calls, 0);
    assert_true(pbs_world_hash(world) == pbs_world_hash(plain));
    const struct saved_world saved = save_world(world);
    use_host(world, &host);
    const struct saved_world with = save_world(world);
    assert_int_equal(saved.size, with.size);
    assert_memory_equal(saved.data, with.data, saved.size);
    assert_ok(scene_step(world, 2));
    const int calls = host.factor_calls;
    assert_true(calls > 0);
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_ok(scene_step(world, 2));
    assert_true(host.factor_calls > calls);
    assert_ok(pbs_world_set_linear_solver(world, NULL));
    assert_ok(pbs_world_restore(world, saved.data, saved.size));
    assert_ok(scene_step(world, 5));
    assert_ok(scene_step(plain, 5));
    assert_true(pbs_world_hash(world) == pbs_world_hash(plain));
    assert_int_equal(stats_of(world).linear.host_solves, 0);
    free(saved.data);
    free(with.data);
    pbs_world_destroy(plain);
    pbs_world_destroy(world);
    host_free(&host);
}

static void plain_newton_does_without(void **state) {
    (void)state;
    struct host host = {0};
    pbs_world_desc d;
    pbs_expert_desc expert;
    scene_settings(&d);
    expert_settings(&expert, &d);
    expert.method = PBS_METHOD_PLAIN_NEWTON;
    pbs_world *world = new_world_from(&d);
    add_cube(world, 2, 0.4, (double[]){0.0, 0.0, 0.0}, NULL);
    use_host(world, &host);
    assert_ok(scene_step(world, 2));
    assert_int_equal(host.factor_calls, 0);
    pbs_world_destroy(world);
}

/// Crushed to a plane and less, stable materials have indefinite Hessians: a host with a Cholesky
/// factorisation refuses those, and the step lands all the same.
static void indefinite_matrices_are_refused_by_the_host(void **state) {
    (void)state;
    struct host host = {0};
    pbs_world *world = hanging_cube(1e-6);
    const pbs_body body = pbs_world_body_at(world, 0);
    double x[81];
    memcpy(x, pbs_body_positions(world, body), sizeof x);
    for (size_t i = 3; i < 81; i++) {
        x[i] *= i % 3 == 1 ? -0.5 : 0.2 + 0.1 * (double)(i % 7);
    }
    assert_ok(pbs_body_set_positions(world, body, x, 27));
    use_host(world, &host);
    assert_ok(pbs_world_step(world, 0.1));
    const pbs_stats stats = stats_of(world);
    assert_true(stats.linear.host_fallbacks > 0 && stats.linear.host_solves > 0);
    assert_int_equal(stats.linear.host_solves, host.solve_calls);
    assert_int_equal(host.out_of_turn, 0);
    pbs_world_destroy(world);
    host_free(&host);
}

// --- memory and threads ---

static pbs_status set_and_step(pbs_world *world, void *context) {
    const pbs_linear_solver s = solver_of(context);
    const pbs_status status = pbs_world_set_linear_solver(world, &s);
    return status < 0 ? status : pbs_world_step(world, 1.0 / 60.0);
}

static void refused_memory_and_steady_state(void **state) {
    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        struct host host = {.form = variant % 2, .triangle = variant / 2};
        struct test_allocator allocator;
        test_allocator_init(&allocator);
        allocator.fails_from_there = variant % 3 == 1;
        pbs_world *world = new_world_with(&allocator);
        add_cube(world, 1, 0.4, (double[]){0.0, 0.1, 0.0}, NULL);
        add_ground(world);
        uint64_t refused = 0;
        assert_ok(refuse_until_success(&allocator, world, set_and_step, &host, &refused));
        assert_true(refused > 20);
        const uint64_t calls = allocator.allocate_count + allocator.release_count;
        assert_ok(scene_step(world, 20));
        assert_true(allocator.allocate_count + allocator.release_count == calls);
        assert_int_equal(host.out_of_turn, 0);
        pbs_world_destroy(world);
        assert_int_equal(allocator.blocks_in_use, 0);
        host_free(&host);
    }
}

/// With a host that gives equal bits for equal calls, threads change none.
static void threads_change_no_bit(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        struct host host = {.kind = HOST_JACOBI};
        pbs_world_desc d;
        scene_settings(&d);
        d.threads = k == 0 ? 1 : 3;
        pbs_world *world = new_world_from(&d);
        assert_ok(scene_fill(world, 2));
        use_host(world, &host);
        assert_ok(scene_step(world, 8));
        hashes[k] = pbs_world_hash(world);
        pbs_world_destroy(world);
        host_free(&host);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dense_host_gives_what_the_library_gives),
        cmocka_unit_test(hosts_that_are_nearly_right),
        cmocka_unit_test(hosts_that_are_quite_wrong),
        cmocka_unit_test(nodes_are_bodies_in_order),
        cmocka_unit_test(analyze_follows_the_pattern),
        cmocka_unit_test(refusals_are_made_up_for),
        cmocka_unit_test(what_is_used_is_told),
        cmocka_unit_test(stopping_is_an_error),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(taken_back_it_leaves_no_trace),
        cmocka_unit_test(plain_newton_does_without),
        cmocka_unit_test(indefinite_matrices_are_refused_by_the_host),
        cmocka_unit_test(refused_memory_and_steady_state),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
