// The automatic choice at work in conjugate gradients: it begins with block Jacobi, hands over in
// the middle of a solve, and remembers; and the norm that contact is solved in.
// SPDX-License-Identifier: MIT
#include "linear/problem_cases.h"
#include "scenes/linear/linear_scene.h"
#include "pbs/stats.h"

static struct memory memory;

enum { CELLS = 14, LIMIT = 5000 };

/// In place, since its problem points into it.
static void build(const char *name, uint32_t cells, double tolerance, struct linear_scene *scene) {
    assert_non_null(linear_case_find(name));
    assert_int_equal(linear_scene_build(&memory, linear_case_find(name), cells, "", scene), PBS_OK);
    scene->problem.tolerance = tolerance;
}

static struct preconditioner make(const struct linear_scene *scene, int32_t id) {
    struct preconditioner p;
    assert_int_equal(preconditioner_create(&memory, id, scene->problem.a, ORDER_NATURAL, &p),
                     PBS_OK);
    return p;
}

static struct pcg_result solve(const struct linear_scene *scene, struct preconditioner *p,
                               enum pcg_norm norm, double *x) {
    struct pcg_workspace w = {0};
    const struct pcg_options options = {scene->problem.tolerance, LIMIT, norm, 0.0, 0.0, 0.0};
    assert_int_equal(p->table->factor(p->state, NULL, &scene->problem), PBS_OK);
    assert_int_equal(pcg_reserve(&memory, &w, scene->problem.a->row_count), PBS_OK);
    const struct pcg_result result = pcg_solve(NULL, &scene->problem, p, scene->fixture.rhs,
                                               &options, &w, x);
    pcg_free(&memory, &w);
    return result;
}

/// The first solve of a stiff cube is too much for block Jacobi: another goes on from where it is,
/// to the same tolerance; the second solve begins with one of the others, and with what was
/// remembered in another state too, to the bit.
static void another_goes_on_and_is_remembered(void **state) {
    (void)state;
    struct linear_scene scene;
    build("hard", CELLS, 1e-8, &scene);
    const size_t size = 3 * (size_t)scene.problem.a->row_count;
    double *first = random_vector(&memory, size, 1), *again = random_vector(&memory, size, 2);
    struct preconditioner p = make(&scene, PBS_PRECONDITIONER_AUTOMATIC);
    const struct pcg_result result = solve(&scene, &p, PCG_EUCLIDEAN, first);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    assert_int_equal(preconditioner_describe(&p).reason, PBS_SOLVER_SWITCHED);
    assert_int_not_equal(preconditioner_describe(&p).used, PBS_PRECONDITIONER_BLOCK_JACOBI);
    const double rounding = residual_rounding(&memory, &scene.problem, scene.fixture.rhs, first);
    assert_true(problem_residual(&memory, &scene.problem, scene.fixture.rhs, first) <=
                1e-8 + rounding);
    struct preconditioner other = make(&scene, PBS_PRECONDITIONER_AUTOMATIC);
    *preconditioner_history(&other) = *preconditioner_history(&p);
    const struct pcg_result second = solve(&scene, &p, PCG_EUCLIDEAN, first);
    const struct pcg_result third = solve(&scene, &other, PCG_EUCLIDEAN, again);
    assert_int_not_equal(preconditioner_describe(&p).used, PBS_PRECONDITIONER_BLOCK_JACOBI);
    assert_int_equal(preconditioner_describe(&p).reason, PBS_SOLVER_CHEAPEST);
    assert_true(second.iterations < result.iterations);
    assert_int_equal(second.iterations, third.iterations);
    assert_memory_equal(first, again, size * sizeof *first);
    preconditioner_destroy(&memory, &p);
    preconditioner_destroy(&memory, &other);
    memory_release(&memory, first);
    memory_release(&memory, again);
    linear_scene_free(&memory, &scene);
}

/// A matrix that is not definite has no factor: two levels, whose incomplete one is raised, find a
/// way down. As so few rows cost nothing, the next matrix is factored again.
static void indefinite_matrices_have_a_way_down(void **state) {
    (void)state;
    struct linear_scene scene;
    build("hard", 3, 1e-8, &scene);
    double *x = random_vector(&memory, 3 * (size_t)scene.problem.a->row_count, 1);
    struct preconditioner p = make(&scene, PBS_PRECONDITIONER_AUTOMATIC);
    assert_int_equal(solve(&scene, &p, PCG_EUCLIDEAN, x).outcome, PCG_CONVERGED);
    shift_diagonal(&scene.fixture.matrix, -0.3 * mean_diagonal(&scene.fixture.matrix));
    const struct pcg_result result = solve(&scene, &p, PCG_EUCLIDEAN, x);
    assert_int_equal(result.outcome, PCG_INDEFINITE);
    assert_true(dot(3 * (size_t)scene.problem.a->row_count, x, scene.fixture.rhs) > 0.0);
    assert_int_equal(preconditioner_describe(&p).reason, PBS_SOLVER_INDEFINITE);
    shift_diagonal(&scene.fixture.matrix, 2.0 * mean_diagonal(&scene.fixture.matrix));
    assert_int_equal(solve(&scene, &p, PCG_EUCLIDEAN, x).outcome, PCG_CONVERGED);
    assert_int_equal(preconditioner_describe(&p).reason, PBS_SOLVER_FEW_NODES);
    memory_release(&memory, x);
    preconditioner_destroy(&memory, &p);
    linear_scene_free(&memory, &scene);
}

/// r . M^-1 r of block Jacobi, from scratch.
static double preconditioned_square(const struct linear_scene *scene, const double *x) {
    const size_t size = 3 * (size_t)scene->problem.a->row_count;
    double *r = random_vector(&memory, size, 1), *z = random_vector(&memory, size, 2);
    struct preconditioner p = make(scene, PBS_PRECONDITIONER_BLOCK_JACOBI);
    assert_int_equal(p.table->factor(p.state, NULL, &scene->problem), PBS_OK);
    problem_multiply(NULL, &scene->problem, x, r);
    for (size_t i = 0; i < size; i++) {
        r[i] = scene->fixture.rhs[i] - r[i];
    }
    p.table->apply(p.state, NULL, r, z);
    const double square = dot(size, r, z);
    preconditioner_destroy(&memory, &p);
    memory_release(&memory, r);
    memory_release(&memory, z);
    return square;
}

/// The norm is what it says: behind block Jacobi solved to three thousandths where a tenth is asked
/// for, and not much further.
static void the_preconditioned_norm_falls_as_far(void **state) {
    (void)state;
    struct linear_scene scene;
    build("hard-contact-2", 8, 0.1, &scene);
    const size_t size = 3 * (size_t)scene.problem.a->row_count;
    double *x = random_vector(&memory, size, 1);
    struct preconditioner p = make(&scene, PBS_PRECONDITIONER_BLOCK_JACOBI);
    const struct pcg_result result = solve(&scene, &p, PCG_PRECONDITIONED, x);
    assert_int_equal(result.outcome, PCG_CONVERGED);
    const double left = preconditioned_square(&scene, x);
    memset(x, 0, size * sizeof *x);
    const double begun = preconditioned_square(&scene, x);
    assert_true(left <= 9e-6 * begun * (1.0 + 1e-9));
    assert_true(left >= 1e-8 * begun);
    memory_release(&memory, x);
    preconditioner_destroy(&memory, &p);
    linear_scene_free(&memory, &scene);
}

/// A chain of soft springs under a load of 1 each, and a node pushed by 1e6 against a contact of
/// 1e9: the Euclidean norm is content when nothing but that node is where it belongs.
static void contact_does_not_hide_the_rest(void **state) {
    (void)state;
    enum { COUNT = 50, SIZE = 3 * COUNT };
    uint32_t edges[2 * (COUNT - 1)];
    double b[SIZE], x[SIZE];
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        edges[2 * i] = i;
        edges[2 * i + 1] = i + 1;
    }
    struct small_matrix m = small_create(&memory, COUNT, 1, edges, COUNT - 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        small_set_scalar(&m, i, i, i == 0 ? 1e9 : 2.0);
        if (i + 1 < COUNT) {
            small_set_scalar(&m, i, i + 1, -1.0);
        }
    }
    for (size_t k = 0; k < SIZE; k++) {
        b[k] = k < 3 ? 1e6 : 1.0;
    }
    const double middle = 0.5 * (COUNT - 25) * 25.0; // of a chain that hangs between two nails
    for (enum pcg_norm norm = PCG_EUCLIDEAN; norm <= PCG_PRECONDITIONED; norm++) {
        const struct linear_problem problem = {.a = &m.a};
        struct preconditioner p;
        struct pcg_workspace w = {0};
        const struct pcg_options options = {0.03, 200, norm, 0.0, 0.0, 0.0};
        assert_int_equal(preconditioner_create(&memory, PBS_PRECONDITIONER_BLOCK_JACOBI, &m.a,
                                               ORDER_NATURAL, &p),
                         PBS_OK);
        assert_int_equal(p.table->factor(p.state, NULL, &problem), PBS_OK);
        assert_int_equal(pcg_reserve(&memory, &w, COUNT), PBS_OK);
        assert_int_equal(pcg_solve(NULL, &problem, &p, b, &options, &w, x).outcome, PCG_CONVERGED);
        if (norm == PCG_EUCLIDEAN) {
            assert_true(x[3 * 25] < 0.01 * middle);
        } else {
            assert_near(x[3 * 25], middle, 0.05 * middle, "middle of the chain");
        }
        pcg_free(&memory, &w);
        preconditioner_destroy(&memory, &p);
    }
    small_free(&memory, &m);
}

/// Nodes on soft springs of stiffness 1, neighbours joined by 1e4 to 1e6: pulled apart by forces
/// that cancel, and all of them together by 1. Block Jacobi takes what they do together for stiff,
/// and an x that is small has to be known better before anyone believes it.
static void small_solutions_hide_nothing(void **state) {
    (void)state;
    enum { COUNT = 60, SIZE = 3 * COUNT };
    uint32_t edges[2 * (COUNT - 1)];
    double b[SIZE], x[SIZE], together[2];
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        edges[2 * i] = i;
        edges[2 * i + 1] = i + 1;
    }
    struct small_matrix m = small_create(&memory, COUNT, 1, edges, COUNT - 1);
    for (uint32_t i = 0; i + 1 < COUNT; i++) {
        small_set_scalar(&m, i, i + 1, -1e4 * (double)(1 + i * i % 97));
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const double left = i > 0 ? 1e4 * (double)(1 + (i - 1) * (i - 1) % 97) : 0.0;
        const double right = i + 1 < COUNT ? 1e4 * (double)(1 + i * i % 97) : 0.0;
        small_set_scalar(&m, i, i, 1.0 + left + right);
        for (uint32_t k = 3 * i; k < 3 * i + 3; k++) {
            b[k] = 1.0 + (i % 2 == 0 ? 1e4 : -1e4);
        }
    }
    const struct linear_problem problem = {.a = &m.a};
    struct preconditioner p;
    struct pcg_workspace w = {0};
    assert_int_equal(
        preconditioner_create(&memory, PBS_PRECONDITIONER_BLOCK_JACOBI, &m.a, ORDER_NATURAL, &p),
        PBS_OK);
    assert_int_equal(p.table->factor(p.state, NULL, &problem), PBS_OK);
    assert_int_equal(pcg_reserve(&memory, &w, COUNT), PBS_OK);
    for (int looks = 0; looks < 2; looks++) {
        const struct pcg_options options = {0.1,          1000,     PCG_PRECONDITIONED,
                                            looks * 10.0, INFINITY, 1e-6};
        assert_int_equal(pcg_solve(NULL, &problem, &p, b, &options, &w, x).outcome, PCG_CONVERGED);
        together[looks] = 0.0;
        for (size_t k = 0; k < SIZE; k++) {
            together[looks] += x[k] / SIZE;
        }
    }
    assert_true(fabs(together[0] - 1.0) > 0.1);
    assert_near(together[1], 1.0, 1e-2, "motion of all");
    pcg_free(&memory, &w);
    preconditioner_destroy(&memory, &p);
    small_free(&memory, &m);
}

/// Nodes on springs of stiffness 1 touch in pairs, with contacts of all stiffnesses up to c, and
/// are pushed apart by 1 and together by less: what they do together block Jacobi takes for as
/// stiff as their contact. As 1 <= A and M <= 1 + c, the energy r . A^-1 r of the error is no more
/// than (1 + c) r . M^-1 r, and so (1 + 1 / c) eps^2 of where it begins for a tolerance of eps /
/// sqrt(c).
static void hidden_motion_is_solved_by_contrast(void **state) {
    (void)state;
    enum { PAIRS = 100, SIZE = 6 * PAIRS };
    const double tolerance = 0.1;
    uint32_t rows[2 * PAIRS];
    double blocks[36 * PAIRS], b[SIZE], x[SIZE];
    struct small_matrix m = small_create(&memory, 2 * PAIRS, 1, NULL, 0);
    for (uint32_t i = 0; i < 2 * PAIRS; i++) {
        small_set_scalar(&m, i, i, 1.0);
        rows[i] = i;
    }
    for (double contrast = 16.0; contrast < 1000.0; contrast *= 2.0) {
        struct contact_matrix c = {0};
        struct preconditioner p;
        struct pcg_workspace w = {0};
        double stiffness[PAIRS];
        for (size_t i = 0; i < PAIRS; i++) {
            stiffness[i] = pow(contrast, 1.0 - (double)i / PAIRS);
            for (size_t k = 36 * i; k < 36 * i + 36; k++) {
                const size_t row = k % 36 / 6;
                const size_t column = k % 6;
                blocks[k] = row % 3 != column % 3 ? 0.0
                            : row == column       ? stiffness[i]
                                                  : -stiffness[i];
            }
        }
        for (size_t k = 0; k < SIZE; k++) {
            b[k] = (k / 3 % 2 == 0 ? 1.0 : -1.0) + 1.0 / sqrt(contrast);
        }
        const struct contact_stencils set = {PAIRS, 2, rows, blocks};
        assert_int_equal(contact_matrix_build(&memory, &m.assembly.layout, &set, 1, &c), PBS_OK);
        const struct linear_problem problem = {.a = &m.a, .c = &c};
        assert_int_equal(preconditioner_create(&memory, PBS_PRECONDITIONER_BLOCK_JACOBI, &m.a,
                                               ORDER_NATURAL, &p),
                         PBS_OK);
        assert_int_equal(p.table->factor(p.state, NULL, &problem), PBS_OK);
        assert_near(p.table->contrast(p.state), contrast, 1e-12 * contrast, "contrast");
        assert_int_equal(pcg_reserve(&memory, &w, 2 * PAIRS), PBS_OK);
        const struct pcg_options options = {tolerance, 100, PCG_PRECONDITIONED, 0.0, 0.0, 0.0};
        assert_int_equal(pcg_solve(NULL, &problem, &p, b, &options, &w, x).outcome, PCG_CONVERGED);
        double begins = 0.0;
        double left = 0.0;
        for (size_t k = 0; k < SIZE; k++) {
            const double k_pair = stiffness[k / 6];
            const size_t other = k / 3 % 2 == 0 ? k + 3 : k - 3;
            const double together = 0.5 * (b[k] + b[other]) - 0.5 * (x[k] + x[other]);
            const double apart = 0.5 * (b[k] - b[other]) / (1.0 + 2.0 * k_pair) -
                                 0.5 * (x[k] - x[other]);
            begins += b[k] * b[k] / (1.0 + k_pair);
            left += together * together + (1.0 + 2.0 * k_pair) * apart * apart;
        }
        assert_true(left <= tolerance * tolerance * (1.0 + 1.0 / contrast) * begins);
        pcg_free(&memory, &w);
        preconditioner_destroy(&memory, &p);
        contact_matrix_free(&memory, &c);
    }
    small_free(&memory, &m);
}

/// Small systems take their room with the pattern: solving allocates nothing, whoever solves.
static void nothing_is_allocated_later(void **state) {
    (void)state;
    struct linear_scene scene;
    build("hard", CELLS, 1e-8, &scene);
    const size_t size = 3 * (size_t)scene.problem.a->row_count;
    double *x = random_vector(&memory, size, 1);
    struct pcg_workspace w = {0};
    struct preconditioner p = make(&scene, PBS_PRECONDITIONER_AUTOMATIC);
    assert_int_equal(pcg_reserve(&memory, &w, scene.problem.a->row_count), PBS_OK);
    const struct pcg_options options = {1e-8, LIMIT, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const uint64_t calls = memory.call_count;
    assert_int_equal(p.table->factor(p.state, NULL, &scene.problem), PBS_OK);
    pcg_solve(NULL, &scene.problem, &p, scene.fixture.rhs, &options, &w, x);
    assert_int_equal(preconditioner_describe(&p).reason, PBS_SOLVER_SWITCHED);
    assert_int_equal(memory.call_count, calls);
    pcg_free(&memory, &w);
    memory_release(&memory, x);
    preconditioner_destroy(&memory, &p);
    linear_scene_free(&memory, &scene);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_goes_on_and_is_remembered),
        cmocka_unit_test(indefinite_matrices_have_a_way_down),
        cmocka_unit_test(the_preconditioned_norm_falls_as_far),
        cmocka_unit_test(contact_does_not_hide_the_rest),
        cmocka_unit_test(small_solutions_hide_nothing),
        cmocka_unit_test(hidden_motion_is_solved_by_contrast),
        cmocka_unit_test(nothing_is_allocated_later),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
