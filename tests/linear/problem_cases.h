// Linear problems with contacts, restrictions and positions, and what they are as dense matrices.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_LINEAR_PROBLEM_CASES_H
#define PBS_TESTS_LINEAR_PROBLEM_CASES_H

#include "linear_cases.h"

#include <float.h>

#include "linear/dense/dense_lu.h"
#include "minimize/newton/constrained_hessian.h"
#include "scenes/linear/contact_fixture.h"

struct problem_desc {
    uint32_t cells;
    uint32_t domain_count; ///< 0: what the library chooses
    bool shuffled;
    struct contact_fixture_desc contacts; ///< density 0: none
    uint32_t every; ///< restrict each row whose number this divides; 0: those of the held face
                    ///< alone
};

struct problem_case {
    struct fixture fixture;
    struct contact_fixture contacts;
    struct row_restriction *restrictions;
    struct linear_problem problem;
    size_t size; ///< unknowns
};

/// A projection onto a plane, a line or nothing, and a curvature in its range.
static inline void fill_active(uint32_t index, struct projection_active *active) {
    const double n[3] = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};
    const int kind = (int)(index % 3); // what is free: a plane, a line, nothing
    double *q = active->tangent;
    for (int i = 0; i < 9; i++) {
        const double plane = (i % 4 == 0 ? 1.0 : 0.0) - n[i / 3] * n[i % 3];
        q[i] = kind == 0 ? plane : kind == 1 ? n[i / 3] * n[i % 3] : 0.0;
    }
    for (int i = 0; i < 9; i++) {
        active->curvature[i] = 1e-2 * q[i];
    }
}

/// Restricts rows of H0 as the minimiser does.
static inline void restrict_problem(struct memory *memory, uint32_t every, struct problem_case *p) {
    struct bsr *a = &p->fixture.matrix;
    const struct layout *layout = a->layout;
    p->restrictions = memory_allocate(memory, a->row_count, sizeof *p->restrictions);
    struct projection_active *active = memory_allocate(memory, a->row_count, sizeof *active);
    assert_true(p->restrictions && active);
    size_t count = 0;
    size_t chosen = 0;
    for (uint32_t row = a->row_count; row-- > 0;) {
        if (p->fixture.held[row]) {
            p->restrictions[count++].row = row;
        } else if (every > 0 && row % every == 0) {
            active[chosen].node = layout->node[row];
            fill_active(row / every, &active[chosen]);
            p->restrictions[count].row = row;
            memcpy(p->restrictions[count++].tangent, active[chosen++].tangent, 9 * sizeof(double));
        }
    }
    struct block_columns columns;
    assert_int_equal(block_columns_build(memory, a, &columns), PBS_OK);
    constrain_hessian(NULL, layout, &columns, active, chosen, a);
    block_columns_free(memory, &columns);
    memory_release(memory, active);
    p->problem.restrictions = p->restrictions;
    p->problem.restriction_count = count;
}

static inline void make_problem_case(struct memory *memory, const struct problem_desc *desc,
                                     struct problem_case *p) {
    *p = (struct problem_case){.size = 0};
    struct fixture_desc f = fixture_hard(desc->cells);
    f.domain_count = desc->domain_count;
    f.shuffled = desc->shuffled;
    assert_int_equal(fixture_build(memory, &f, &p->fixture), PBS_OK);
    restrict_problem(memory, desc->every, p);
    p->problem.a = &p->fixture.matrix;
    p->problem.positions = p->fixture.positions;
    p->size = 3 * (size_t)p->fixture.matrix.row_count;
    if (desc->contacts.density > 0.0) {
        assert_int_equal(contact_fixture_build(memory, &p->fixture, &desc->contacts, &p->contacts),
                         PBS_OK);
        p->problem.c = &p->contacts.matrix;
    }
}

static inline void free_problem_case(struct memory *memory, struct problem_case *p) {
    contact_fixture_free(memory, &p->contacts);
    memory_release(memory, p->restrictions);
    fixture_free(memory, &p->fixture);
}

/// y = H x, block by block.
static inline void multiply_plainly(const struct linear_problem *problem, const double *x,
                                    double *y) {
    fixture_multiply(problem->a, x, y);
    const struct contact_matrix *c = problem->c;
    for (uint32_t i = 0; c && i < c->row_count; i++) {
        for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            for (size_t e = 0; e < 9; e++) {
                y[3 * (size_t)c->row[i] + e / 3] += c->values[9 * (size_t)k + e] *
                                                    x[3 * (size_t)c->column[k] + e % 3];
            }
        }
    }
}

/// H, size x size, row-major.
static inline double *dense_matrix(struct memory *memory, const struct linear_problem *problem) {
    const size_t n = 3 * (size_t)problem->a->row_count;
    double *h = memory_allocate(memory, n * n, sizeof *h);
    double *unit = memory_allocate(memory, n, sizeof *unit);
    double *column = memory_allocate(memory, n, sizeof *column);
    assert_true(h && unit && column);
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1.0;
        multiply_plainly(problem, unit, column);
        unit[j] = 0.0;
        for (size_t i = 0; i < n; i++) {
            h[i * n + j] = column[i];
        }
    }
    memory_release(memory, unit);
    memory_release(memory, column);
    return h;
}

/// |b - H x| / |b|, by the plain product.
static inline double problem_residual(struct memory *memory, const struct linear_problem *problem,
                                      const double *b, const double *x) {
    const size_t n = 3 * (size_t)problem->a->row_count;
    double *r = memory_allocate(memory, n, sizeof *r);
    multiply_plainly(problem, x, r);
    for (size_t i = 0; i < n; i++) {
        r[i] = b[i] - r[i];
    }
    const double residual = sqrt(dot(n, r, r) / dot(n, b, b));
    memory_release(memory, r);
    return residual;
}

/// What rounding may do to each row of H x, a sum of fewer than 1000 products: 1000 eps |H| |x|
/// (Higham, Accuracy and Stability, section 3.1).
static inline double *product_rounding(struct memory *memory, const struct linear_problem *problem,
                                       const double *x) {
    const size_t n = 3 * (size_t)problem->a->row_count;
    double *bound = memory_allocate(memory, n, sizeof *bound);
    const struct bsr *a = problem->a;
    for (uint32_t row = 0; row < a->row_count; row++) {
        for (size_t k = 9 * (size_t)a->row_start[row]; k < 9 * (size_t)a->row_start[row + 1]; k++) {
            const uint32_t column = a->column[k / 9];
            const size_t i = 3 * (size_t)row + k % 9 / 3;
            const size_t j = 3 * (size_t)column + k % 3;
            bound[i] += fabs(a->values[k] * x[j]);
            bound[j] += column != row ? fabs(a->values[k] * x[i]) : 0.0;
        }
    }
    const struct contact_matrix *c = problem->c;
    for (uint32_t i = 0; c && i < c->row_count; i++) {
        for (size_t k = 9 * (size_t)c->start[i]; k < 9 * (size_t)c->start[i + 1]; k++) {
            bound[3 * (size_t)c->row[i] + k % 9 / 3] += fabs(
                c->values[k] * x[3 * (size_t)c->column[k / 9] + k % 3]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        bound[i] *= 1000.0 * DBL_EPSILON;
    }
    return bound;
}

/// The same relative to |b|.
static inline double residual_rounding(struct memory *memory, const struct linear_problem *problem,
                                       const double *b, const double *x) {
    const size_t n = 3 * (size_t)problem->a->row_count;
    double *bound = product_rounding(memory, problem, x);
    const double rounding = sqrt(dot(n, bound, bound) / dot(n, b, b));
    memory_release(memory, bound);
    return rounding;
}

#endif
