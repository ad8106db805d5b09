// The rows of the table that two levels serve: what each makes of matrices with and without
// contact, and that it says so.
// SPDX-License-Identifier: MIT
#include "linear/problem_cases.h"
#include "scenes/linear/linear_scene.h"

static struct memory memory;

enum { CELLS = 10, LIMIT = 300 };

/// In place, since its problem points into it.
static void build(const char *name, struct linear_scene *scene) {
    assert_non_null(linear_case_find(name));
    assert_int_equal(linear_scene_build(&memory, linear_case_find(name), CELLS, "", scene), PBS_OK);
}

struct solution {
    struct preconditioner_report report;
    struct pcg_result result;
    size_t size;
    double *x;
};

static void factor_and_solve(const struct linear_scene *scene, struct preconditioner *p,
                             struct solution *out) {
    struct pcg_workspace w = {0};
    const uint32_t rows = scene->problem.a->row_count;
    const struct pcg_options options = {1e-6, LIMIT, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    assert_int_equal(p->table->factor(p->state, NULL, &scene->problem), PBS_OK);
    assert_int_equal(pcg_reserve(&memory, &w, rows), PBS_OK);
    out->size = 3 * (size_t)rows;
    out->x = random_vector(&memory, out->size, 1);
    out->result = pcg_solve(NULL, &scene->problem, p, scene->fixture.rhs, &options, &w, out->x);
    out->report = preconditioner_describe(p);
    pcg_free(&memory, &w);
}

static struct solution solve_with(int32_t id, const struct linear_scene *scene) {
    struct preconditioner p;
    struct solution s;
    assert_int_equal(preconditioner_create(&memory, id, scene->problem.a, ORDER_NATURAL, &p),
                     PBS_OK);
    factor_and_solve(scene, &p, &s);
    preconditioner_destroy(&memory, &p);
    return s;
}

static void free_solution(struct solution *s) {
    memory_release(&memory, s->x);
}

/// To the tolerance, or as far as rounding lets it.
static void assert_solved(const struct linear_scene *scene, const struct solution *s) {
    assert_true(s->result.outcome == PCG_CONVERGED || s->result.outcome == PCG_STAGNATED);
    const double rounding = residual_rounding(&memory, &scene->problem, scene->fixture.rhs, s->x);
    // That is for sums of 1000; rows here have some 81.
    assert_true(problem_residual(&memory, &scene->problem, scene->fixture.rhs, s->x) <=
                (s->result.outcome == PCG_CONVERGED ? 1e-6 + 0.1 * rounding : rounding));
}

/// Whatever the stiffness of contact.
static void multigrid_takes_contact(void **state) {
    (void)state;
    static const char *const scenes[] = {"hard-contact-2", "hard-contact-2-stiff",
                                         "hard-contact-10"};
    struct linear_scene alone;
    build("hard", &alone);
    struct solution without = solve_with(PBS_PRECONDITIONER_MULTIGRID, &alone);
    assert_solved(&alone, &without);
    assert_int_equal(without.report.used, PBS_PRECONDITIONER_MULTIGRID);
    assert_int_equal(without.report.coarse_unknowns, 0);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct linear_scene scene;
        build(scenes[i], &scene);
        struct solution s = solve_with(PBS_PRECONDITIONER_MULTIGRID, &scene);
        assert_solved(&scene, &s);
        assert_int_equal(s.report.used, PBS_PRECONDITIONER_MULTIGRID);
        assert_true(s.report.coarse_unknowns > 0);
        free_solution(&s);
        linear_scene_free(&memory, &scene);
    }
    free_solution(&without);
    linear_scene_free(&memory, &alone);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multigrid_takes_contact),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
