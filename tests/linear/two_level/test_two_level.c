// The two-level preconditioner against dense matrices: its coarse matrix is Z^T H Z for a Z that is
// made here from positions and clusters, its correction leaves no residual in the range of Z, and
// neither contacts nor numbering cost iterations.
// SPDX-License-Identifier: MIT
#include "linear/two_level/coarse_space.h"

#include "linear/problem_cases.h"

static struct memory memory;

static double *allocate(size_t count) {
    double *x = memory_allocate(&memory, count, sizeof *x);
    assert_non_null(x);
    return x;
}

// --- the dense coarse space ---

struct dense_space {
    size_t rows, columns;
    double *z;           ///< rows x columns
    double *magnitude;   ///< |z|, enlarged by what rounding of the offsets may do
    double *hz;          ///< H Z
    double *h_magnitude; ///< |H| |Z|
};

static const struct row_restriction *find_restriction(const struct linear_problem *problem,
                                                      uint32_t row) {
    for (size_t i = 0; i < problem->restriction_count; i++) {
        if (problem->restrictions[i].row == row) {
            return &problem->restrictions[i];
        }
    }
    return NULL;
}

static uint32_t find_contact(const struct linear_problem *problem, uint32_t row) {
    for (uint32_t i = 0; problem->c && i < problem->c->row_count; i++) {
        if (problem->c->row[i] == row) {
            return i;
        }
    }
    return UINT32_MAX;
}

/// The three rows of Z of a row that has no contact. d: from the middle of its cluster, in radii of
/// gyration; slack: what rounding may have done to it.
static void fill_modes(struct dense_space *s, const struct linear_problem *problem, uint32_t row,
                       size_t column, const double d[3], double slack) {
    const double modes[3][6] = {
        {1, 0, 0, 0, d[2], -d[1]}, {0, 1, 0, -d[2], 0, d[0]}, {0, 0, 1, d[1], -d[0], 0}};
    const struct row_restriction *restriction = find_restriction(problem, row);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            double sum = modes[i][j];
            double size = fabs(modes[i][j]) + (j > 2 ? slack : 0.0);
            if (restriction) {
                sum = size = 0.0;
                for (int k = 0; k < 3; k++) {
                    const double q = restriction->tangent[3 * i + k];
                    sum += q * modes[k][j];
                    size += fabs(q) * (fabs(modes[k][j]) + (j > 2 ? slack : 0.0));
                }
            }
            const size_t at = (3 * (size_t)row + (size_t)i) * s->columns + column + (size_t)j;
            s->z[at] = sum;
            s->magnitude[at] = size;
        }
    }
}

static void fill_cluster(struct dense_space *s, const struct coarse_space *space,
                         const struct linear_problem *problem, uint32_t k) {
    const struct rigid_clusters *c = &space->clusters;
    const uint32_t *member = c->member + c->member_start[k];
    const uint32_t count = c->member_start[k + 1] - c->member_start[k];
    const double *x = problem->positions;
    double middle[3] = {0};
    double square = 0.0;
    double size = 0.0;
    for (uint32_t m = 0; x && m < 3 * count; m++) {
        middle[m % 3] += x[3 * (size_t)member[m / 3] + m % 3];
    }
    for (uint32_t m = 0; x && m < 3 * count; m++) {
        const double d = x[3 * (size_t)member[m / 3] + m % 3] - middle[m % 3] / count;
        size = fmax(size, fabs(x[3 * (size_t)member[m / 3] + m % 3]));
        square += d * d;
    }
    const double radius = sqrt(square / count);
    // Below: all in one place, but for rounding.
    const bool turns = radius > 1e-12 * size;
    for (uint32_t m = 0; m < count; m++) {
        double d[3] = {0};
        for (int i = 0; turns && i < 3; i++) {
            d[i] = (x[3 * (size_t)member[m] + (size_t)i] - middle[i] / count) / radius;
        }
        if (find_contact(problem, member[m]) == UINT32_MAX) {
            fill_modes(s, problem, member[m], 3 * (size_t)space->matrix.cluster_position[k], d,
                       turns ? size / radius : 0.0);
        }
    }
}

static struct dense_space make_dense(const struct coarse_space *space,
                                     const struct linear_problem *problem) {
    const struct bsr *a = problem->a;
    struct dense_space s = {3 * (size_t)a->row_count,
                            3 * (size_t)space->matrix.matrix.row_count,
                            NULL,
                            NULL,
                            NULL,
                            NULL};
    s.z = allocate(s.rows * s.columns);
    s.magnitude = allocate(s.rows * s.columns);
    s.hz = allocate(s.rows * s.columns);
    s.h_magnitude = allocate(s.rows * s.columns);
    for (uint32_t k = 0; k < space->clusters.count; k++) {
        fill_cluster(&s, space, problem, k);
    }
    for (uint32_t i = 0; problem->c && i < problem->c->row_count; i++) {
        for (size_t e = 0; e < 3; e++) {
            const size_t at = (3 * (size_t)problem->c->row[i] + e) * s.columns +
                              3 * (size_t)space->matrix.contact_position[i] + e;
            s.z[at] = s.magnitude[at] = 1.0;
        }
    }
    double *h = dense_matrix(&memory, problem);
    for (size_t i = 0; i < s.rows; i++) {
        for (size_t k = 0; k < s.rows; k++) {
            const double entry = h[i * s.rows + k];
            for (size_t j = 0; j < s.columns && entry != 0.0; j++) {
                s.hz[i * s.columns + j] += entry * s.z[k * s.columns + j];
                s.h_magnitude[i * s.columns + j] += fabs(entry) * s.magnitude[k * s.columns + j];
            }
        }
    }
    memory_release(&memory, h);
    return s;
}

static void free_dense(struct dense_space *s) {
    memory_release(&memory, s->z);
    memory_release(&memory, s->magnitude);
    memory_release(&memory, s->hz);
    memory_release(&memory, s->h_magnitude);
}

/// Entry (i, j) of what the coarse space has as E; above the diagonal.
static double coarse_entry(const struct coarse_space *space, size_t i, size_t j) {
    const size_t block = bsr_find(&space->matrix.matrix, (uint32_t)(i / 3), (uint32_t)(j / 3));
    return block == SIZE_MAX ? 0.0 : space->matrix.matrix.values[9 * block + i % 3 * 3 + j % 3];
}

/// E = Z^T H Z. Every entry is a sum of fewer than 3 rows products of products, and its rounding
/// below that many times eps |Z|^T |H| |Z|.
static void check_coarse_matrix(const struct coarse_space *space, const struct dense_space *s) {
    for (size_t i = 0; i < s->columns; i++) {
        for (size_t j = i; j < s->columns; j++) {
            double expected = 0.0;
            double bound = 0.0;
            for (size_t k = 0; k < s->rows; k++) {
                expected += s->z[k * s->columns + i] * s->hz[k * s->columns + j];
                bound += s->magnitude[k * s->columns + i] * s->h_magnitude[k * s->columns + j];
            }
            // A motion that no row takes part in stands alone.
            if (i == j && bound == 0.0) {
                assert_true(coarse_entry(space, i, j) > 0.0);
                continue;
            }
            const double error = fabs(coarse_entry(space, i, j) - expected);
            const double regularized = i == j ? 1.001e-10 * expected : 0.0;
            if (!(error <= (double)s->rows * DBL_EPSILON * bound + regularized)) {
                print_error("E(%zu, %zu) = %g, expected %g\n", i, j, coarse_entry(space, i, j),
                            expected);
                fail();
            }
        }
    }
}

/// |Z^T (r - H z)| against what keeps it from zero: H Z in float times what z was before (null:
/// nothing), regularisation of E, rounding in double.
static void check_no_residual(const struct coarse_space *space, const struct dense_space *s,
                              const double *r, const double *before, const double *z) {
    for (size_t j = 0; j < s->columns; j++) {
        double sum = 0.0;
        double bound = 0.0;
        double diagonal = 0.0;
        for (size_t k = 0; k < s->rows; k++) {
            const size_t at = k * s->columns + j;
            sum += s->z[at] * r[k] - s->hz[at] * z[k];
            bound += (double)s->rows * DBL_EPSILON *
                     (s->magnitude[at] * fabs(r[k]) + s->h_magnitude[at] * fabs(z[k]));
            bound += before ? FLT_EPSILON * fabs(s->hz[at] * before[k]) : 0.0;
            diagonal += s->z[at] * s->hz[at];
        }
        bound += 2e-10 * diagonal * fabs(space->coarse[j]);
        if (!(fabs(sum) <= bound)) {
            print_error("column %zu of %zu: %g, bound %g\n", j, s->columns, sum, bound);
            fail();
        }
    }
}

static void check_corrections(const struct coarse_space *space, const struct dense_space *s) {
    double *r = random_vector(&memory, s->rows, 5);
    double *before = random_vector(&memory, s->rows, 6);
    double *z = allocate(s->rows);
    memset(z, 0x7f, s->rows * sizeof *z);
    coarse_space_solve(space, NULL, r, z);
    check_no_residual(space, s, r, NULL, z);
    assert_true(dot(s->rows, r, z) >= 0.0);
    memcpy(z, before, s->rows * sizeof *z);
    coarse_space_correct(space, NULL, r, z);
    check_no_residual(space, s, r, before, z);
    memory_release(&memory, r);
    memory_release(&memory, before);
    memory_release(&memory, z);
}

static void check_space(struct coarse_space *space, const struct linear_problem *problem) {
    assert_int_equal(coarse_space_factor(space, NULL, problem), PBS_OK);
    struct dense_space s = make_dense(space, problem);
    check_coarse_matrix(space, &s);
    check_corrections(space, &s);
    free_dense(&s);
}

static void check_problem(const struct linear_problem *problem, uint32_t cluster_size) {
    struct coarse_space space;
    assert_int_equal(coarse_space_create(&memory, problem->a, cluster_size, &space), PBS_OK);
    check_space(&space, problem);
    coarse_space_destroy(&memory, &space);
}

static void coarse_matrix_is_the_galerkin_product(void **state) {
    (void)state;
    static const struct problem_desc descs[] = {
        {.cells = 4, .domain_count = 1},
        {.cells = 4, .domain_count = 3},
        {.cells = 4, .domain_count = 3, .contacts = {0.05, 1e-2, 1e3}},
        {.cells = 4, .domain_count = 2, .contacts = {0.5, 1.0, 1e9}},
        {.cells = 4, .domain_count = 3, .every = 4},
        {.cells = 4, .domain_count = 2, .every = 1},
        {.cells = 4, .domain_count = 3, .every = 5, .contacts = {0.2, 1.0, 1e6}},
    };
    const uint32_t sizes[] = {1, 2, 12, 60};
    const size_t stride = testing_is_small() ? 3 : 1;
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i += stride) {
        struct problem_case p;
        make_problem_case(&memory, &descs[i], &p);
        for (size_t k = i % 2; k < 4; k += 2) {
            check_problem(&p.problem, sizes[k]);
        }
        free_problem_case(&memory, &p);
    }
}

/// Positions that are not known, in one place, in a line; far from the origin; and some that are
/// not numbers.
static void places_of_all_kinds(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 3, .domain_count = 2, .contacts = {0.1, 1.0, 1e3}};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    const size_t n = p.size;
    double *moved = allocate(n);
    p.problem.positions = NULL;
    check_problem(&p.problem, 12);
    p.problem.positions = moved;
    for (size_t i = 0; i < n; i++) {
        moved[i] = 0.1 * (double)(i % 3 + 1);
    }
    check_problem(&p.problem, 12);
    for (size_t i = 0; i < n; i++) {
        moved[i] = i % 3 == 1 ? p.fixture.positions[i] : 0.7;
    }
    check_problem(&p.problem, 12);
    for (size_t i = 0; i < n; i++) {
        moved[i] = p.fixture.positions[i] + 1e4;
    }
    check_problem(&p.problem, 12);
    moved[40] = NAN;
    moved[n - 2] = INFINITY;
    check_problem(&p.problem, 12);
    memory_release(&memory, moved);
    free_problem_case(&memory, &p);
}

/// A matrix made for one set of contacts serves the next, with fewer, none, and more.
static void contacts_come_and_go(void **state) {
    (void)state;
    struct problem_desc desc = {.cells = 4, .domain_count = 2, .contacts = {0.3, 1.0, 1e3}};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    struct coarse_space space;
    assert_int_equal(coarse_space_create(&memory, p.problem.a, 12, &space), PBS_OK);
    check_space(&space, &p.problem);
    const uint64_t calls = memory.call_count;
    const size_t counts[] = {5, 0, 1, p.contacts.count, 0};
    for (size_t i = 0; i < 5; i++) {
        struct contact_stencils set = p.contacts.set;
        set.count = counts[i];
        set.rows += 4 * (p.contacts.count - counts[i]);
        set.blocks += 144 * (p.contacts.count - counts[i]);
        assert_int_equal(
            contact_matrix_build(&memory, p.problem.a->layout, &set, 1, &p.contacts.matrix),
            PBS_OK);
        assert_int_equal(coarse_space_factor(&space, NULL, &p.problem), PBS_OK);
    }
    assert_int_equal(memory.call_count, calls);
    for (size_t i = 0; i < 5; i++) {
        struct contact_stencils set = p.contacts.set;
        set.count = counts[i];
        assert_int_equal(
            contact_matrix_build(&memory, p.problem.a->layout, &set, 1, &p.contacts.matrix),
            PBS_OK);
        check_space(&space, &p.problem);
    }
    coarse_space_destroy(&memory, &space);
    free_problem_case(&memory, &p);
}

/// So do restrictions; and nothing of the rows restricted before stays behind.
static void restrictions_come_and_go(void **state) {
    (void)state;
    struct problem_case p[3];
    const uint32_t every[3] = {2, 0, 5};
    for (size_t i = 0; i < 3; i++) {
        make_problem_case(&memory,
                          &(struct problem_desc){.cells = 4, .domain_count = 2, .every = every[i]},
                          &p[i]);
    }
    struct coarse_space space;
    assert_int_equal(coarse_space_create(&memory, p[0].problem.a, 12, &space), PBS_OK);
    for (size_t i = 0; i < 6; i++) {
        check_space(&space, &p[i % 3].problem);
    }
    coarse_space_destroy(&memory, &space);
    for (size_t i = 0; i < 3; i++) {
        free_problem_case(&memory, &p[i]);
    }
}

/// C of k times the identity on the rows first .. end - 1, and couplings from each to the next.
static void touch_rows(const struct bsr *a, uint32_t first, uint32_t end, double k,
                       struct contact_matrix *c) {
    const size_t count = end - first - 1;
    uint32_t *rows = memory_allocate(&memory, 2 * count, sizeof *rows);
    double *blocks = allocate(36 * count);
    for (uint32_t i = 0; i < count; i++) {
        rows[2 * i] = first + i;
        rows[2 * i + 1] = first + i + 1;
        for (size_t e = 0; e < 6; e++) {
            for (size_t g = e % 3; g < 6; g += 3) {
                blocks[36 * (size_t)i + 6 * e + g] = e == g ? k : -0.5 * k;
            }
        }
    }
    const struct contact_stencils set = {count, 2, rows, blocks};
    assert_int_equal(contact_matrix_build(&memory, a->layout, &set, 1, c), PBS_OK);
    memory_release(&memory, rows);
    memory_release(&memory, blocks);
}

static void contact_everywhere(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 3, .domain_count = 2};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    const uint32_t rows = p.problem.a->row_count;
    struct contact_matrix c = {0};
    // Every row, one domain, nearly all.
    const uint32_t ranges[][2] = {{0, rows}, {0, p.problem.a->layout->domain_start[1]}, {3, rows}};
    for (size_t i = 0; i < 3; i++) {
        touch_rows(p.problem.a, ranges[i][0], ranges[i][1], 1e3 * mean_diagonal(p.problem.a), &c);
        p.problem.c = &c;
        check_problem(&p.problem, 12);
        check_problem(&p.problem, 1000);
    }
    contact_matrix_free(&memory, &c);
    p.problem.c = NULL;
    free_problem_case(&memory, &p);
}

/// Every degree of freedom is held, or there are bodies without couplings between them.
static void nothing_moves_or_nothing_couples(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 3, .domain_count = 2};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    const uint32_t rows = p.problem.a->row_count;
    struct row_restriction *all = memory_allocate(&memory, rows, sizeof *all);
    for (uint32_t row = 0; row < rows; row++) {
        all[row].row = row;
        for (uint32_t k = p.problem.a->row_start[row]; k < p.problem.a->row_start[row + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                p.fixture.values[9 * (size_t)k + (size_t)e] = p.problem.a->column[k] == row &&
                                                                      e % 4 == 0
                                                                  ? 3.0
                                                                  : 0.0;
            }
        }
    }
    // No couplings, but free.
    p.problem.restriction_count = 0;
    check_problem(&p.problem, 12);
    p.problem.restrictions = all;
    p.problem.restriction_count = rows;
    check_problem(&p.problem, 12);
    p.problem.restrictions = p.restrictions;
    memory_release(&memory, all);
    free_problem_case(&memory, &p);
}

/// A coarse matrix that is not definite is refused, and the next that is serves again.
static void indefinite_matrices_have_no_coarse_space(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 4, .domain_count = 2, .contacts = {0.1, 1.0, 10.0}};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    struct coarse_space space;
    assert_int_equal(coarse_space_create(&memory, p.problem.a, 12, &space), PBS_OK);
    const double amount = mean_diagonal(p.problem.a);
    shift_diagonal(p.problem.a, -amount);
    assert_int_equal(coarse_space_factor(&space, NULL, &p.problem), PBS_ERROR_CONVERGENCE);
    shift_diagonal(p.problem.a, amount);
    check_space(&space, &p.problem);
    coarse_space_destroy(&memory, &space);
    free_problem_case(&memory, &p);
}

static struct test_room {
    struct failing failing;
    struct memory memory;
} room;

static void limit_room(size_t fail_at) {
    room.failing.calls = 0;
    room.failing.fail_at = fail_at;
}

/// Every allocation of the factor fails once; it then serves without contacts as before, and with
/// them once there is memory.
static void factor_without_memory(struct coarse_space *space,
                                  const struct linear_problem *problem) {
    pbs_status status = PBS_ERROR_MEMORY;
    for (size_t k = 0; status != PBS_OK; k++) {
        limit_room(k);
        status = coarse_space_factor(space, NULL, problem);
        assert_true(status == PBS_OK || status == PBS_ERROR_MEMORY);
        assert_true(k < 1000);
        if (status != PBS_OK) {
            const struct linear_problem without = {.a = problem->a};
            limit_room(SIZE_MAX);
            check_space(space, &without);
        }
    }
    limit_room(SIZE_MAX);
    check_space(space, problem);
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 4, .domain_count = 2, .contacts = {0.3, 1.0, 1e3}};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    const pbs_allocator allocator = {failing_allocate, failing_release, &room.failing};
    memory_init(&room.memory, &allocator);
    struct coarse_space space;
    pbs_status status = PBS_ERROR_MEMORY;
    for (size_t k = 0; status != PBS_OK; k++) {
        limit_room(k);
        status = coarse_space_create(&room.memory, p.problem.a, 12, &space);
        assert_true(status == PBS_OK ||
                    (status == PBS_ERROR_MEMORY && room.failing.alive == 0 && k < 1000));
    }
    struct contact_stencils set = p.contacts.set;
    const size_t counts[] = {set.count / 8, set.count / 2, set.count};
    for (size_t i = 0; i < 3; i++) {
        set.count = counts[i];
        assert_int_equal(
            contact_matrix_build(&memory, p.problem.a->layout, &set, 1, &p.contacts.matrix),
            PBS_OK);
        factor_without_memory(&space, &p.problem);
    }
    coarse_space_destroy(&room.memory, &space);
    assert_int_equal(room.failing.alive, 0);
    free_problem_case(&memory, &p);
}

// --- the preconditioner in conjugate gradients ---

static struct preconditioner make_preconditioner(const struct linear_problem *problem, int32_t id,
                                                 struct tasks *tasks) {
    struct preconditioner m;
    assert_int_equal(preconditioner_create(&memory, id, problem->a, ORDER_NATURAL, &m), PBS_OK);
    assert_int_equal(m.table->factor(m.state, tasks, problem), PBS_OK);
    return m;
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    const struct problem_desc desc = {
        .cells = 7, .domain_count = 5, .every = 11, .contacts = {0.2, 1.0, 1e3}};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    double *r = random_vector(&memory, p.size, 1);
    double *expected = allocate(2 * p.size);
    double *found = allocate(2 * p.size);
    struct preconditioner m = make_preconditioner(&p.problem, PBS_PRECONDITIONER_TWO_LEVEL, NULL);
    m.table->start(m.state, NULL, r, expected);
    m.table->apply(m.state, NULL, r, expected + p.size);
    preconditioner_destroy(&memory, &m);
    for (int variant = 0; variant < TASK_VARIANTS; variant++) {
        struct tasks *tasks = make_tasks(&memory, variant);
        m = make_preconditioner(&p.problem, PBS_PRECONDITIONER_TWO_LEVEL, tasks);
        memset(found, 0x7f, 2 * p.size * sizeof *found);
        m.table->start(m.state, tasks, r, found);
        m.table->apply(m.state, tasks, r, found + p.size);
        assert_memory_equal(expected, found, 2 * p.size * sizeof *found);
        preconditioner_destroy(&memory, &m);
        tasks_destroy(&memory, tasks);
    }
    memory_release(&memory, r);
    memory_release(&memory, expected);
    memory_release(&memory, found);
    free_problem_case(&memory, &p);
}

/// Without a coarse space the fine preconditioner serves alone, and there is no start.
static void indefinite_matrices_are_left_to_the_fine_level(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 4, .domain_count = 2};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    shift_diagonal(p.problem.a, -mean_diagonal(p.problem.a));
    double *r = random_vector(&memory, p.size, 1);
    double *expected = allocate(p.size);
    double *found = allocate(p.size);
    struct preconditioner fine = make_preconditioner(&p.problem,
                                                     PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, NULL);
    struct preconditioner m = make_preconditioner(&p.problem, PBS_PRECONDITIONER_TWO_LEVEL, NULL);
    fine.table->apply(fine.state, NULL, r, expected);
    m.table->start(m.state, NULL, r, found);
    assert_true(dot(p.size, found, found) == 0.0);
    m.table->apply(m.state, NULL, r, found);
    assert_memory_equal(expected, found, p.size * sizeof *found);
    preconditioner_destroy(&memory, &m);
    preconditioner_destroy(&memory, &fine);
    memory_release(&memory, r);
    memory_release(&memory, expected);
    memory_release(&memory, found);
    free_problem_case(&memory, &p);
}

/// b has no part in the coarse space, so the start is rounding of nothing, and the matrix is
/// indefinite where the coarse space does not see it: the way down is the fine level's.
static void directions_go_down_where_the_start_is_nothing(void **state) {
    (void)state;
    const struct problem_desc desc = {.cells = 5, .domain_count = 2};
    struct problem_case p;
    make_problem_case(&memory, &desc, &p);
    // One row in a cluster of fifty.
    uint32_t row = 0;
    while (p.fixture.held[row]) {
        row++;
    }
    p.fixture.values[9 * (size_t)p.problem.a->row_start[row]] *= -3.0;
    struct preconditioner m = make_preconditioner(&p.problem, PBS_PRECONDITIONER_TWO_LEVEL, NULL);
    double *b = random_vector(&memory, p.size, 1);
    double *x = allocate(p.size);
    double *product = allocate(p.size);
    for (int pass = 0; pass < 4; pass++) {
        m.table->start(m.state, NULL, b, x);
        multiply_plainly(&p.problem, x, product);
        for (size_t i = 0; i < p.size; i++) {
            b[i] -= product[i];
        }
    }
    struct pcg_workspace w = {0};
    assert_int_equal(pcg_reserve(&memory, &w, p.problem.a->row_count), PBS_OK);
    const struct pcg_options options = {1e-8, 500, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, &p.problem, &m, b, &options, &w, x);
    assert_int_equal(result.outcome, PCG_INDEFINITE);
    // No less than what a step along b would give: the start alone is 1e-10 of that.
    m.table->apply(m.state, NULL, b, product);
    assert_true(dot(p.size, x, b) >= 0.1 * dot(p.size, product, b));
    pcg_free(&memory, &w);
    preconditioner_destroy(&memory, &m);
    memory_release(&memory, b);
    memory_release(&memory, x);
    memory_release(&memory, product);
    free_problem_case(&memory, &p);
}

/// Contact belongs to the diagonal blocks: H0 + C is diagonal here, hence solved at once.
static void block_jacobi_sees_contact(void **state) {
    (void)state;
    struct small_matrix s = small_create(&memory, 9, 2, NULL, 0);
    const double block[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2};
    uint32_t rows[5] = {8, 1, 3, 0, 3}; // 3 twice
    double blocks[45];
    for (uint32_t i = 0; i < 9; i++) {
        small_set(&s, i, i, block);
    }
    for (int i = 0; i < 45; i++) {
        blocks[i] = (1.0 + i / 9) * (i % 9 % 4 == 0 ? 2.0 : i % 9 == 1 || i % 9 == 3 ? -1.0 : 0.0);
    }
    const struct contact_stencils set = {5, 1, rows, blocks};
    struct contact_matrix c = {0};
    assert_int_equal(contact_matrix_build(&memory, s.a.layout, &set, 1, &c), PBS_OK);
    const struct linear_problem problem = {.a = &s.a, .c = &c};
    struct preconditioner m = make_preconditioner(&problem, PBS_PRECONDITIONER_BLOCK_JACOBI, NULL);
    double *x = random_vector(&memory, 27, 1);
    double *r = allocate(27);
    double *z = allocate(27);
    multiply_plainly(&problem, x, r);
    m.table->apply(m.state, NULL, r, z);
    for (size_t i = 0; i < 27; i++) {
        // Condition numbers of the blocks are below 30.
        assert_true(fabs(z[i] - x[i]) <= 100.0 * DBL_EPSILON * 30.0);
    }
    preconditioner_destroy(&memory, &m);
    contact_matrix_free(&memory, &c);
    memory_release(&memory, x);
    memory_release(&memory, r);
    memory_release(&memory, z);
    small_free(&memory, &s);
}

static struct pcg_result solve(const struct linear_problem *problem, int32_t id, const double *b,
                               double tolerance, double *x) {
    struct preconditioner m = make_preconditioner(problem, id, NULL);
    struct pcg_workspace w = {0};
    assert_int_equal(pcg_reserve(&memory, &w, problem->a->row_count), PBS_OK);
    const struct pcg_options options = {tolerance, 2000, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
    const struct pcg_result result = pcg_solve(NULL, problem, &m, b, &options, &w, x);
    pcg_free(&memory, &w);
    preconditioner_destroy(&memory, &m);
    return result;
}

/// The residual is what is claimed. Where rounding alone is more than the tolerance, that is said.
static void check_claims(const struct problem_desc *desc, double tolerance) {
    struct problem_case p;
    make_problem_case(&memory, desc, &p);
    double *x = allocate(p.size);
    const struct pcg_result result = solve(&p.problem, PBS_PRECONDITIONER_TWO_LEVEL, p.fixture.rhs,
                                           tolerance, x);
    const double rounding = residual_rounding(&memory, &p.problem, p.fixture.rhs, x);
    const double residual = problem_residual(&memory, &p.problem, p.fixture.rhs, x);
    assert_true(fabs(residual - result.relative_residual) <= rounding);
    if (result.outcome != PCG_CONVERGED) {
        assert_int_equal(result.outcome, PCG_STAGNATED);
        assert_true(rounding > tolerance && residual <= rounding);
    } else {
        assert_true(result.relative_residual <= tolerance);
    }
    memory_release(&memory, x);
    free_problem_case(&memory, &p);
}

/// In the order of the grid and in another; how many iterations it takes is in bench/counts.csv.
static void claims_hold_in_any_order(void **state) {
    (void)state;
    const uint32_t cells = testing_is_small() ? 7 : 14;
    const struct problem_desc plain = {.cells = cells};
    const struct problem_desc shuffled = {.cells = cells, .shuffled = true};
    check_claims(&plain, 1e-6);
    check_claims(&shuffled, 1e-6);
}

/// However many contacts there are and however stiff.
static void claims_hold_with_contacts(void **state) {
    (void)state;
    const uint32_t cells = testing_is_small() ? 5 : 10;
    const double densities[] = {0.02, 0.1, 0.5};
    for (size_t d = 0; d < 3; d++) {
        for (double k = 1e-2; k < 2e9; k *= 1e3) {
            const struct problem_desc desc = {.cells = cells,
                                              .contacts = {densities[d], k, 10.0 * k}};
            check_claims(&desc, 1e-6);
        }
    }
}

/// Against a dense factorisation: |x - x*| <= condition |b - H x| / |H|, in the 1-norm within the
/// root of n.
static void solution_is_that_of_a_dense_solver(void **state) {
    (void)state;
    static const struct problem_desc descs[] = {
        {.cells = 4, .contacts = {0.1, 1e-2, 1e2}},
        {.cells = 4, .contacts = {0.3, 1.0, 1e4}},
        {.cells = 4, .domain_count = 3, .contacts = {0.2, 1.0, 1e3}, .every = 7},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        struct problem_case p;
        make_problem_case(&memory, &descs[i], &p);
        double *x = allocate(p.size);
        double *expected = allocate(p.size);
        double *h = dense_matrix(&memory, &p.problem);
        struct dense_lu lu;
        assert_int_equal(dense_lu_create(&memory, p.size, &lu), PBS_OK);
        memcpy(lu.matrix, h, p.size * p.size * sizeof *h);
        assert_true(dense_lu_factor(&lu));
        memcpy(expected, p.fixture.rhs, p.size * sizeof *expected);
        dense_lu_solve(&lu, expected);
        const double tolerance = 1e-10;
        const struct pcg_result result = solve(&p.problem, PBS_PRECONDITIONER_TWO_LEVEL,
                                               p.fixture.rhs, tolerance, x);
        assert_int_equal(result.outcome, PCG_CONVERGED);
        double error = 0.0;
        double size = 0.0;
        double b = 0.0;
        for (size_t k = 0; k < p.size; k++) {
            error += fabs(x[k] - expected[k]);
            size += fabs(expected[k]);
            b += p.fixture.rhs[k] * p.fixture.rhs[k];
        }
        const double residual = tolerance * sqrt((double)p.size * b);
        assert_true(error <= 3.0 * dense_lu_condition(&lu) *
                                 (residual / lu.norm + (double)p.size * DBL_EPSILON * size));
        dense_lu_free(&lu, &memory);
        memory_release(&memory, h);
        memory_release(&memory, x);
        memory_release(&memory, expected);
        free_problem_case(&memory, &p);
    }
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_matrix_is_the_galerkin_product),
        cmocka_unit_test(places_of_all_kinds),
        cmocka_unit_test(contacts_come_and_go),
        cmocka_unit_test(restrictions_come_and_go),
        cmocka_unit_test(contact_everywhere),
        cmocka_unit_test(nothing_moves_or_nothing_couples),
        cmocka_unit_test(indefinite_matrices_have_no_coarse_space),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(indefinite_matrices_are_left_to_the_fine_level),
        cmocka_unit_test(directions_go_down_where_the_start_is_nothing),
        cmocka_unit_test(block_jacobi_sees_contact),
        cmocka_unit_test(claims_hold_in_any_order),
        cmocka_unit_test(claims_hold_with_contacts),
        cmocka_unit_test(solution_is_that_of_a_dense_solver),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
