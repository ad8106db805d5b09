// A crumpled sheet of n x n cells, two triangles each, with its hinges and assembly: what the tests
// of membrane and bending evaluate on.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_ENERGY_SHEET_FIXTURE_H
#define PBS_TESTS_ENERGY_SHEET_FIXTURE_H

#include "support/testing.h"

#include "base/matrix3/math3.h"
#include "energy/evaluate.h"
#include "support/host/allocator.h"
#include "support/numerics/derivatives.h"
#include "support/random.h"

struct sheet {
    struct memory memory;
    size_t node_count, triangle_count, hinge_count;
    double *rest;
    uint32_t *triangles;   ///< triangle_count x 3
    uint32_t *hinges;      ///< hinge_count x 4: edge, left, right
    struct term terms[10]; ///< what is evaluated
    size_t term_count;
    struct assembly assembly;
    struct terms_scratch scratch;
    struct terms_result result;
    struct evaluation evaluation; ///< project and damping_weights are the test's to set
};

/// The third node of the triangle that has the edge from a to b in this sense; UINT32_MAX: none.
static inline uint32_t sheet_opposite(const struct sheet *sheet, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < 3 * sheet->triangle_count; i++) {
        const uint32_t *t = sheet->triangles + i / 3 * 3;
        if (t[i % 3] == a && t[(i + 1) % 3] == b) {
            return t[(i + 2) % 3];
        }
    }
    return UINT32_MAX;
}

static inline void sheet_list_hinges(struct sheet *sheet) {
    sheet->hinges = memory_allocate(&sheet->memory, 3 * sheet->triangle_count,
                                    4 * sizeof(uint32_t));
    for (size_t i = 0; i < 3 * sheet->triangle_count; i++) {
        const uint32_t *t = sheet->triangles + i / 3 * 3;
        const uint32_t a = t[i % 3];
        const uint32_t b = t[(i + 1) % 3];
        const uint32_t right = sheet_opposite(sheet, b, a);
        if (right != UINT32_MAX && a < b) {
            const uint32_t hinge[4] = {a, b, t[(i + 2) % 3], right};
            memcpy(sheet->hinges + 4 * sheet->hinge_count, hinge, sizeof hinge);
            sheet->hinge_count++;
        }
    }
}

/// Vertices off a unit grid by up to `crumple` in all directions; diagonals alternate.
static inline void sheet_make(struct sheet *sheet, uint32_t n, double crumple) {
    struct random random = random_seed(n);
    *sheet = (struct sheet){.node_count = (size_t)(n + 1) * (n + 1)};
    memory_init(&sheet->memory, NULL);
    sheet->rest = memory_allocate(&sheet->memory, sheet->node_count, 3 * sizeof(double));
    sheet->triangles = memory_allocate(&sheet->memory, 6 * (size_t)n * n, sizeof(uint32_t));
    random_fill(&random, -crumple, crumple, sheet->rest, 3 * sheet->node_count);
    for (uint32_t i = 0; i < sheet->node_count; i++) {
        sheet->rest[3 * i] += i % (n + 1);
        sheet->rest[3 * i + 1] += i / (n + 1);
    }
    for (uint32_t cell = 0; cell < n * n; cell++) {
        const uint32_t a = cell / n * (n + 1) + cell % n;
        const uint32_t corner[4] = {a, a + 1, a + n + 2, a + n + 1};
        const uint32_t turn = (cell / n + cell % n) % 2;
        for (uint32_t k = 0; k < 6; k++) {
            static const uint32_t order[6] = {0, 1, 2, 0, 2, 3};
            sheet->triangles[6 * cell + k] = corner[(order[k] + turn) % 4];
        }
    }
    sheet->triangle_count = 2 * (size_t)n * n;
    sheet_list_hinges(sheet);
}

/// Assembly of the stencils of sheet->terms and all arrays of an evaluation. Binding is the
/// caller's.
static inline void sheet_assemble_terms(struct sheet *sheet, uint32_t domain_count) {
    struct stencils sets[COUNT_OF(sheet->terms)];
    for (size_t i = 0; i < sheet->term_count; i++) {
        sets[i] = sheet->terms[i].stencils;
    }
    assert_ok(assembly_build(&sheet->memory, (uint32_t)sheet->node_count, domain_count, sets,
                             sheet->term_count, &sheet->assembly));
    assert_ok(terms_reserve(&sheet->memory, &sheet->assembly, &sheet->scratch));
    sheet->result.scratch = &sheet->scratch;
    sheet->result.gradient = memory_allocate(&sheet->memory, sheet->assembly.vector_slot_count,
                                             3 * sizeof(double));
    sheet->result.blocks = memory_allocate(&sheet->memory, sheet->assembly.block_slot_count,
                                           9 * sizeof(double));
}

static inline void sheet_assemble(struct sheet *sheet, struct term term, uint32_t domain_count) {
    sheet->terms[0] = term;
    sheet->term_count = 1;
    sheet_assemble_terms(sheet, domain_count);
}

static inline void sheet_free(struct sheet *sheet) {
    memory_release(&sheet->memory, sheet->result.gradient);
    memory_release(&sheet->memory, sheet->result.blocks);
    terms_release(&sheet->memory, &sheet->scratch);
    assembly_free(&sheet->memory, &sheet->assembly);
    memory_release(&sheet->memory, sheet->rest);
    memory_release(&sheet->memory, sheet->triangles);
    memory_release(&sheet->memory, sheet->hinges);
    assert_int_equal(sheet->memory.bytes_in_use, 0);
}

/// A term over a sheet's stencils: made from an input, bound to its domains, given back.
struct sheet_maker {
    pbs_status (*create)(struct memory *memory, const void *input, void **out);
    pbs_status (*bind)(void *term, struct memory *memory, const struct stencil_groups *groups);
    void (*destroy)(void *term, struct memory *memory);
};

/// Whichever allocation fails, of `least` or more, says so and leaves nothing behind.
static inline void sheet_assert_allocations_may_fail(const struct sheet *sheet,
                                                     const struct sheet_maker *maker,
                                                     const void *input, uint64_t least) {
    struct test_allocator allocator;
    struct memory memory;
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    memory_init(&memory, &hooks);
    bool failed = true;
    for (uint64_t k = 0; failed; k++) {
        void *term = NULL;
        test_allocator_fail_after(&allocator, k);
        pbs_status status = maker->create(&memory, input, &term);
        if (status == PBS_OK) {
            status = maker->bind(term, &memory, &sheet->assembly.terms[0]);
        }
        failed = test_allocator_has_failed(&allocator);
        assert_status(status, failed ? PBS_ERROR_MEMORY : PBS_OK);
        maker->destroy(term, &memory);
        assert_int_equal(memory.bytes_in_use, 0);
        assert_true(failed || k >= least);
    }
}

static inline double sheet_value(void *context, const double *x) {
    struct sheet *sheet = context;
    sheet->evaluation.what = EVALUATE_VALUE;
    sheet->evaluation.x = x;
    terms_evaluate(NULL, &sheet->assembly, sheet->terms, sheet->term_count, &sheet->evaluation,
                   &sheet->result);
    return sheet->result.value;
}

static inline void sheet_gradient(void *context, const double *x, double *gradient) {
    struct sheet *sheet = context;
    sheet->evaluation.what = EVALUATE_GRADIENT;
    sheet->evaluation.x = x;
    terms_evaluate(NULL, &sheet->assembly, sheet->terms, sheet->term_count, &sheet->evaluation,
                   &sheet->result);
    memcpy(gradient, sheet->result.gradient, 3 * sheet->node_count * sizeof *gradient);
}

/// Dense, row-major, in node order.
static inline void sheet_hessian(void *context, const double *x, double *hessian) {
    struct sheet *sheet = context;
    const size_t size = 3 * sheet->node_count;
    const struct bsr *pattern = &sheet->assembly.pattern;
    sheet->evaluation.what = EVALUATE_HESSIAN;
    sheet->evaluation.x = x;
    terms_evaluate(NULL, &sheet->assembly, sheet->terms, sheet->term_count, &sheet->evaluation,
                   &sheet->result);
    memset(hessian, 0, size * size * sizeof *hessian);
    for (uint32_t row = 0; row < pattern->row_count; row++) {
        for (size_t b = pattern->row_start[row]; b < pattern->row_start[row + 1]; b++) {
            const size_t i = sheet->assembly.layout.node[row];
            const size_t j = sheet->assembly.layout.node[pattern->column[b]];
            for (size_t k = 0; k < 9; k++) {
                const double entry = sheet->result.blocks[9 * b + k];
                hessian[size * (3 * i + k / 3) + 3 * j + k % 3] = entry;
                hessian[size * (3 * j + k % 3) + 3 * i + k / 3] = entry;
            }
        }
    }
}

static inline struct derivatives_function sheet_function(struct sheet *sheet) {
    return (struct derivatives_function){3 * sheet->node_count, sheet_value, sheet_gradient,
                                         sheet_hessian, sheet};
}

/// x = rest, each coordinate moved by up to `amount`.
static inline void sheet_positions(const struct sheet *sheet, struct random *random, double amount,
                                   double *x) {
    for (size_t i = 0; i < 3 * sheet->node_count; i++) {
        x[i] = sheet->rest[i] + random_uniform(random, -amount, amount);
    }
}

/// x turned and shifted.
static inline void sheet_move(const struct sheet *sheet, const double rotation[9],
                              const double shift[3], const double *x, double *moved) {
    for (size_t i = 0; i < sheet->node_count; i++) {
        multiply3(rotation, x + 3 * i, moved + 3 * i);
        add3(moved + 3 * i, shift, moved + 3 * i);
    }
}

#endif
