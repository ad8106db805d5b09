// One suite over all solvers: conjugate gradients and MINRES under every preconditioner, in both
// orders of elimination, on matrices of all kinds. Nothing fails silently: what is claimed is what
// a plain product finds, a direction goes down whatever the outcome, and anything else has a name.
// SPDX-License-Identifier: MIT
#include "linear/krylov/minres.h"

#include "linear/problem_cases.h"

static struct memory memory;

enum { SIDE = 4, LIMIT = 3000 };
#define TOLERANCE 1e-8
#define EMPTY     1e-300 // for springs.all: no springs at all

/// What conjugate gradients must find. Bodies of springs are so small that hundreds of iterations
/// are exact.
enum expectation {
    SOLVED,        ///< the tolerance is reached
    SOLVED_ALMOST, ///< or rounding alone is more than the tolerance, and that is said
    NOT_SOLVED,    ///< there is no solution: convergence would be a lie
    INDEFINITE,    ///< said so
    HONEST         ///< whatever it is, it is true
};

/// Springs between the nodes of a grid, diagonals of its cells included: bodies side by side.
struct springs {
    uint32_t bodies;
    double mass;         ///< on every diagonal entry; springs are of the order of 1
    bool one_floats;     ///< the second body has no mass
    double stiff;        ///< factor for springs within the upper half
    double row_scales;   ///< unknowns are scaled at random by this much, up or down
    double all;          ///< factor for everything
    bool unknown_places; ///< no positions
};

struct sample {
    const char *name;
    enum expectation expected;
    struct springs springs;      ///< bodies 0: `problem` instead
    struct problem_desc problem; ///< cells 0: `diagonal` instead
    uint32_t diagonal;           ///< nodes without couplings
    bool consistent;             ///< b in the range of H
    bool zero;                   ///< b
    double spoil;                ///< put into an entry, where it is not 0
    uint32_t spoiled;            ///< the block, counted from the last
};

static const struct sample samples[] = {
    {.name = "springs", .springs = {.bodies = 1, .mass = 1.0}},
    {.name = "hard springs", .springs = {.bodies = 1, .mass = 1e-5}},
    {.name = "springs of unknown places", .springs = {1, 1e-3, .unknown_places = true}},
    {.name = "two bodies", .springs = {.bodies = 2, .mass = 1e-3}},
    {.name = "tiny entries", .springs = {1, 1e-2, .all = 1e-120}},
    {.name = "huge entries", .springs = {1, 1e-2, .all = 1e120}},
    {.name = "singular", .springs = {.bodies = 1}, .consistent = true},
    {.name = "one of two singular", .springs = {2, 1e-2, .one_floats = true}, .consistent = true},
    {.name = "singular, inconsistent", NOT_SOLVED, .springs = {.bodies = 1}},
    {.name = "one of two inconsistent", NOT_SOLVED, .springs = {2, 1e-2, .one_floats = true}},
    {.name = "mildly indefinite", HONEST, .springs = {.bodies = 1, .mass = -1e-3}},
    {.name = "indefinite", INDEFINITE, .springs = {.bodies = 1, .mass = -0.3}},
    {.name = "strongly indefinite", INDEFINITE, .springs = {.bodies = 2, .mass = -3.0}},
    {.name = "negative definite", INDEFINITE, .springs = {1, 1.0, .all = -1.0}},
    {.name = "halves 1e12 apart", SOLVED_ALMOST, .springs = {1, 1e-2, .stiff = 1e12}},
    {.name = "halves 1e6 apart", SOLVED_ALMOST, .springs = {1, 1e-2, .stiff = 1e6}},
    {.name = "rows 1e12 apart", HONEST, .springs = {1, 1.0, .row_scales = 1e6}},
    {.name = "rows 1e4 apart", SOLVED_ALMOST, .springs = {1, 1.0, .row_scales = 1e2}},
    {.name = "not a number on the diagonal",
     INDEFINITE,
     .springs = {.bodies = 1, .mass = 1.0},
     .spoil = NAN},
    {.name = "not a number",
     INDEFINITE,
     .springs = {.bodies = 1, .mass = 1.0},
     .spoil = NAN,
     .spoiled = 99},
    {.name = "infinite",
     INDEFINITE,
     .springs = {.bodies = 1, .mass = 1.0},
     .spoil = INFINITY,
     .spoiled = 40},
    {.name = "minus infinity",
     INDEFINITE,
     .springs = {.bodies = 1, .mass = 1.0},
     .spoil = -INFINITY,
     .spoiled = 9},
    {.name = "zero right-hand side", .springs = {.bodies = 1, .mass = 1.0}, .zero = true},
    {.name = "zero matrix", INDEFINITE, .springs = {1, .all = EMPTY}, .spoil = 0.0},
    {.name = "one node", .diagonal = 1},
    {.name = "nodes apart", .diagonal = 30},
    {.name = "fixture", .problem = {.cells = 4}},
    {.name = "fixture of three domains, shuffled",
     .problem = {.cells = 5, .domain_count = 3, .shuffled = true}},
    {.name = "restricted rows", .problem = {.cells = 4, .domain_count = 2, .every = 3}},
    {.name = "everything restricted", .problem = {.cells = 3, .domain_count = 2, .every = 1}},
    {.name = "soft contacts",
     SOLVED_ALMOST,
     .problem = {.cells = 4, .domain_count = 2, .contacts = {0.1, 1e-2, 1.0}}},
    {.name = "stiff contacts",
     SOLVED_ALMOST,
     .problem = {.cells = 4, .domain_count = 2, .contacts = {0.1, 1e3, 1e6}}},
    {.name = "very stiff contacts",
     HONEST,
     .problem = {.cells = 4, .domain_count = 2, .contacts = {0.3, 1e6, 1e9}}},
    {.name = "contacts on restricted rows",
     HONEST,
     .problem = {.cells = 4, .domain_count = 3, .every = 4, .contacts = {0.3, 1.0, 1e3}}},
};

// --- the systems ---

struct system {
    const struct sample *sample;
    struct small_matrix small;
    struct problem_case fixture;
    double *positions;
    struct linear_problem problem;
    double *b;
    size_t size;
};

/// Node -> place in its grid.
static void place_of(uint32_t node, int at[3]) {
    at[0] = (int)(node % SIDE);
    at[1] = (int)(node / SIDE % SIDE);
    at[2] = (int)(node / SIDE / SIDE % SIDE);
}

/// Pairs of nodes no further than one apart on each axis; null: count them.
static size_t list_springs(uint32_t bodies, uint32_t *pairs) {
    size_t count = 0;
    const uint32_t nodes = bodies * SIDE * SIDE * SIDE;
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = i + 1; j < nodes; j++) {
            int p[3];
            int q[3];
            place_of(i, p);
            place_of(j, q);
            if (i / (SIDE * SIDE * SIDE) == j / (SIDE * SIDE * SIDE) && abs(p[0] - q[0]) <= 1 &&
                abs(p[1] - q[1]) <= 1 && abs(p[2] - q[2]) <= 1) {
                if (pairs) {
                    pairs[2 * count] = i;
                    pairs[2 * count + 1] = j;
                }
                count++;
            }
        }
    }
    return count;
}

static double *values_of(struct small_matrix *m, uint32_t i, uint32_t j, bool *transposed) {
    const uint32_t row = m->assembly.layout.row[i];
    const uint32_t column = m->assembly.layout.row[j];
    *transposed = row > column;
    return m->a.values +
           9 * (row <= column ? bsr_find(&m->a, row, column) : bsr_find(&m->a, column, row));
}

/// Adds k d d^T, d from node to node in row order of positions.
static void add_spring(struct system *s, uint32_t i, uint32_t j, double k) {
    const uint32_t *row = s->small.assembly.layout.row;
    double d[3];
    for (size_t e = 0; e < 3; e++) {
        d[e] = s->positions[3 * (size_t)row[i] + e] - s->positions[3 * (size_t)row[j] + e];
    }
    for (int e = 0; e < 9; e++) {
        bool transposed;
        const double entry = k * d[e / 3] * d[e % 3];
        values_of(&s->small, i, i, &transposed)[e] += entry;
        values_of(&s->small, j, j, &transposed)[e] += entry;
        values_of(&s->small, i, j, &transposed)[e] -= entry;
    }
}

static void scale_unknowns(const struct bsr *a, double by) {
    double *exponent = random_vector(&memory, 3 * (size_t)a->row_count, 77);
    for (uint32_t row = 0; row < a->row_count; row++) {
        for (uint32_t k = a->row_start[row]; k < a->row_start[row + 1]; k++) {
            for (size_t e = 0; e < 9; e++) {
                a->values[9 * (size_t)k + e] *= pow(by,
                                                    exponent[3 * (size_t)row + e / 3] +
                                                        exponent[3 * (size_t)a->column[k] + e % 3]);
            }
        }
    }
    memory_release(&memory, exponent);
}

static void make_springs(const struct springs *desc, struct system *s) {
    const uint32_t nodes = desc->bodies * SIDE * SIDE * SIDE;
    const size_t count = list_springs(desc->bodies, NULL);
    uint32_t *pairs = memory_allocate(&memory, 2 * count, sizeof *pairs);
    list_springs(desc->bodies, pairs);
    s->small = small_create(&memory, nodes, 2, pairs, count);
    s->size = 3 * (size_t)nodes;
    s->positions = random_vector(&memory, s->size, 5);
    for (uint32_t node = 0; node < nodes; node++) {
        int at[3];
        place_of(node, at);
        double *x = s->positions + 3 * (size_t)s->small.assembly.layout.row[node];
        for (int e = 0; e < 3; e++) {
            x[e] = 0.1 * x[e] + at[e] + (e == 0 ? 2.0 * SIDE * (node / (SIDE * SIDE * SIDE)) : 0);
        }
    }
    for (size_t k = 0; k < count; k++) {
        const bool upper = pairs[2 * k] / (SIDE * SIDE) % SIDE >= SIDE / 2 &&
                           pairs[2 * k + 1] / (SIDE * SIDE) % SIDE >= SIDE / 2;
        add_spring(s, pairs[2 * k], pairs[2 * k + 1],
                   upper && desc->stiff > 0.0 ? desc->stiff : 1.0);
    }
    memory_release(&memory, pairs);
    const uint32_t heavy = desc->one_floats ? nodes / 2 : nodes;
    for (uint32_t node = 0; node < heavy; node++) {
        for (int e = 0; e < 9; e += 4) {
            bool transposed;
            values_of(&s->small, node, node, &transposed)[e] += desc->mass;
        }
    }
    if (desc->row_scales > 0.0) {
        scale_unknowns(&s->small.a, desc->row_scales);
    }
    for (size_t k = 0; k < 9 * s->small.a.block_count && desc->all != 0.0; k++) {
        s->small.a.values[k] *= desc->all;
    }
    s->problem = (struct linear_problem){.a = &s->small.a, .positions = s->positions};
    if (desc->unknown_places) {
        s->problem.positions = NULL;
    }
}

static void make_diagonal(uint32_t nodes, struct system *s) {
    const double block[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2};
    s->small = small_create(&memory, nodes, nodes > 9 ? 3 : 1, NULL, 0);
    for (uint32_t node = 0; node < nodes; node++) {
        small_set(&s->small, node, node, block);
    }
    s->size = 3 * (size_t)nodes;
    s->positions = random_vector(&memory, s->size, 5);
    s->problem = (struct linear_problem){.a = &s->small.a, .positions = s->positions};
}

static void spoil(const struct sample *sample, const struct bsr *a) {
    if (sample->spoil != 0.0) {
        const size_t block = sample->spoiled == 0 ? a->row_start[a->row_count / 2]
                                                  : a->block_count - sample->spoiled;
        a->values[9 * block + 4] = sample->spoil;
    } else if (sample->springs.all == EMPTY) {
        memset(a->values, 0, 9 * a->block_count * sizeof *a->values);
    }
}

static void make_system(const struct sample *sample, struct system *s) {
    *s = (struct system){.sample = sample};
    if (sample->springs.bodies > 0) {
        make_springs(&sample->springs, s);
        spoil(sample, &s->small.a);
    } else if (sample->diagonal > 0) {
        make_diagonal(sample->diagonal, s);
    } else {
        make_problem_case(&memory, &sample->problem, &s->fixture);
        s->problem = s->fixture.problem;
        s->size = s->fixture.size;
    }
    s->b = random_vector(&memory, s->size, 3);
    if (sample->zero) {
        memset(s->b, 0, s->size * sizeof *s->b);
    } else if (sample->consistent) {
        double *x = random_vector(&memory, s->size, 4);
        multiply_plainly(&s->problem, x, s->b);
        memory_release(&memory, x);
    }
}

static void free_system(struct system *s) {
    if (s->fixture.size > 0) {
        free_problem_case(&memory, &s->fixture);
    } else {
        small_free(&memory, &s->small);
    }
    memory_release(&memory, s->positions);
    memory_release(&memory, s->b);
}

// --- the solvers ---

struct label {
    const struct sample *sample;
    const struct preconditioner_table *table;
    enum preconditioner_order order;
};

static void demand(bool fact, const struct label *at, const char *what, const struct pcg_result *r,
                   double residual, double rounding) {
    if (!fact) {
        print_error(
            "%s, %s, order %d: %s; outcome %d after %u, claimed %g, found %g, rounding %g\n",
            at->sample->name, at->table->name, (int)at->order, what, (int)r->outcome, r->iterations,
            r->relative_residual, residual, rounding);
        fail();
    }
}

/// The claim is true within a factor, or within rounding.
static bool is_true(double claimed, double found, double rounding) {
    return found <= 4.0 * claimed + rounding && claimed <= 4.0 * found + rounding;
}

static void check_outcome(const struct label *at, const struct system *s,
                          const struct pcg_result *result, const double *x) {
    const double residual = problem_residual(&memory, &s->problem, s->b, x);
    // A thousand times eps |H| |x|: for what is claimed. A tenth of that is what a solver may need.
    const double rounding = residual_rounding(&memory, &s->problem, s->b, x);
    const enum pcg_outcome outcome = result->outcome;
#define DEMAND(fact, what) demand((fact), at, (what), result, residual, rounding)
    DEMAND(isfinite(dot(s->size, x, x)), "x is not finite");
    DEMAND(dot(s->size, x, s->b) > 0.0, "x does not go down");
    DEMAND(outcome != PCG_GIVEN_UP && result->status == PBS_OK, "given up");
    if (outcome != PCG_INDEFINITE) {
        DEMAND(is_true(result->relative_residual, residual, rounding), "a false claim");
    }
    if (outcome == PCG_CONVERGED) {
        DEMAND(result->relative_residual <= TOLERANCE, "not the tolerance");
    } else {
        DEMAND(at->sample->expected != SOLVED, "not solved");
    }
    if (at->sample->expected == INDEFINITE) {
        DEMAND(outcome == PCG_INDEFINITE, "not found to be indefinite");
    } else if (at->sample->expected == NOT_SOLVED) {
        DEMAND(outcome != PCG_CONVERGED, "no solution, but it converged");
    } else if (at->sample->expected == SOLVED_ALMOST && outcome != PCG_CONVERGED) {
        DEMAND(at->table->id == PBS_PRECONDITIONER_NONE || rounding > TOLERANCE,
               "neither solved nor rounding");
    }
#undef DEMAND
}

static void check_zero(const struct system *s, const struct pcg_result *result, const double *x) {
    assert_int_equal(result->outcome, PCG_CONVERGED);
    assert_int_equal(result->iterations, 0);
    for (size_t i = 0; i < s->size; i++) {
        assert_true(x[i] == 0.0);
    }
}

/// False where there is no factor, which only a matrix with an entry that is not finite may lack.
static bool make_preconditioner(const struct label *at, const struct system *s,
                                struct preconditioner *m) {
    assert_int_equal(preconditioner_create(&memory, at->table->id, s->problem.a, at->order, m),
                     PBS_OK);
    const pbs_status status = m->table->factor(m->state, NULL, &s->problem);
    if (status != PBS_OK) {
        assert_int_equal(status, PBS_ERROR_CONVERGENCE);
        assert_non_null(strstr(pbs_last_error(), "not finite"));
        assert_true(!isfinite(at->sample->spoil));
    }
    return status == PBS_OK;
}

static void run_gradients(const struct label *at, const struct system *s) {
    struct preconditioner m;
    if (make_preconditioner(at, s, &m)) {
        struct pcg_workspace w = {0};
        assert_int_equal(pcg_reserve(&memory, &w, s->problem.a->row_count), PBS_OK);
        double *x = random_vector(&memory, s->size, 1);
        const struct pcg_options options = {TOLERANCE, LIMIT, PCG_EUCLIDEAN, 0.0, 0.0, 0.0};
        const struct pcg_result result = pcg_solve(NULL, &s->problem, &m, s->b, &options, &w, x);
        if (at->sample->zero) {
            check_zero(s, &result, x);
        } else {
            check_outcome(at, s, &result, x);
        }
        memory_release(&memory, x);
        pcg_free(&memory, &w);
    }
    preconditioner_destroy(&memory, &m);
}

// --- MINRES ---

static double inverse_norm(const struct preconditioner *m, size_t n, const double *r) {
    double *z = memory_allocate(&memory, n, sizeof *z);
    m->table->apply(m->state, NULL, r, z);
    const double square = dot(n, r, z);
    memory_release(&memory, z);
    return sqrt(fabs(square));
}

/// |b| in the norm of M^-1, of which the start has a part.
static double right_hand_norm(const struct system *s, const struct preconditioner *m) {
    double *x = memory_allocate(&memory, s->size, sizeof *x);
    double *r = memory_allocate(&memory, s->size, sizeof *r);
    if (preconditioner_start(m, NULL, s->b, x)) {
        multiply_plainly(&s->problem, x, r);
    }
    for (size_t i = 0; i < s->size; i++) {
        r[i] = s->b[i] - r[i];
    }
    const double rest = inverse_norm(m, s->size, r);
    const double norm = sqrt(rest * rest + dot(s->size, x, s->b));
    memory_release(&memory, x);
    memory_release(&memory, r);
    return norm;
}

static void check_minimum(const struct label *at, const struct system *s,
                          const struct preconditioner *m, const struct minres_result *result,
                          const double *x) {
    double *r = memory_allocate(&memory, s->size, sizeof *r);
    double *bound = product_rounding(&memory, &s->problem, x);
    multiply_plainly(&s->problem, x, r);
    for (size_t i = 0; i < s->size; i++) {
        r[i] = s->b[i] - r[i];
    }
    const double norm = right_hand_norm(s, m);
    const double residual = inverse_norm(m, s->size, r) / norm;
    const double rounding = inverse_norm(m, s->size, bound) / norm;
    const struct pcg_result shown = {.outcome = result->converged ? PCG_CONVERGED : PCG_STAGNATED,
                                     .iterations = result->iterations,
                                     .relative_residual = result->relative_residual};
#define DEMAND(fact, what) demand((fact), at, "MINRES, " what, &shown, residual, rounding)
    DEMAND(isfinite(dot(s->size, x, x)), "x is not finite");
    DEMAND(!result->converged || result->relative_residual <= TOLERANCE, "not the tolerance");
    if (isfinite(at->sample->spoil)) {
        DEMAND(is_true(result->relative_residual, residual, rounding), "a false claim");
    }
    const bool is_singular = at->sample->expected == NOT_SOLVED || !isfinite(at->sample->spoil) ||
                             at->sample->springs.all == EMPTY;
    DEMAND(!is_singular || !result->converged, "no solution, but it converged");
    const bool may_take_long = at->sample->expected != SOLVED && result->iterations == LIMIT;
    DEMAND(is_singular || result->converged || rounding > TOLERANCE || may_take_long,
           "neither solved nor rounding");
#undef DEMAND
    memory_release(&memory, r);
    memory_release(&memory, bound);
}

static void run_minres(const struct label *at, const struct system *s) {
    struct preconditioner m;
    if (make_preconditioner(at, s, &m)) {
        double *storage = random_vector(&memory, 8 * s->size, 9);
        struct minres_workspace w;
        for (size_t i = 0; i < 3; i++) {
            w.v[i] = storage + i * s->size;
            w.w[i] = storage + (3 + i) * s->size;
        }
        w.z[0] = storage + 6 * s->size;
        w.z[1] = storage + 7 * s->size;
        double *x = random_vector(&memory, s->size, 1);
        const struct minres_options options = {TOLERANCE, LIMIT};
        const struct minres_result result = minres_solve(NULL, &s->problem, &m, s->b, &options, &w,
                                                         x);
        if (at->sample->zero) {
            assert_true(result.converged && result.iterations == 0 && dot(s->size, x, x) == 0.0);
        } else {
            check_minimum(at, s, &m, &result, x);
        }
        memory_release(&memory, x);
        memory_release(&memory, storage);
    }
    preconditioner_destroy(&memory, &m);
}

static void for_all(void (*check)(const struct label *, const struct system *)) {
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct system s;
        make_system(&samples[i], &s);
        for (size_t k = 0; preconditioner_tables[k]; k++) {
            check(&(struct label){&samples[i], preconditioner_tables[k], ORDER_NATURAL}, &s);
            check(&(struct label){&samples[i], preconditioner_tables[k], ORDER_NESTED_DISSECTION},
                  &s);
        }
        free_system(&s);
    }
}

static void conjugate_gradients_tell_the_truth(void **state) {
    (void)state;
    for_all(run_gradients);
}

static void minres_tells_the_truth(void **state) {
    (void)state;
    for_all(run_minres);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjugate_gradients_tell_the_truth),
        cmocka_unit_test(minres_tells_the_truth),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
