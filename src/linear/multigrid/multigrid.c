// Smoothed-aggregation multigrid for H0, whose coarse spaces contain the six rigid motions of every
// aggregate. The finest grid is smoothed once before and once after the coarse correction, by
// incomplete Cholesky of each domain, damped according to its largest eigenvalue. The correction is
// two cycles over the grids below: a symmetric W-cycle, positive definite whether or not the matrix
// is (multigrid_cycle.c). Contact is not included: C has low rank and changes often, and no
// smoother handles it; two_level.c solves it exactly. Theory: docs/theory/linear_solvers.md
// section 9.
// SPDX-License-Identifier: MIT
#include "linear/multigrid/multigrid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/jacobi/diagonal_block.h"
#include "linear/multigrid/multigrid_kernels.h"
#include "pbs/world.h"

// Steps of the estimate of the smoother's largest eigenvalue.
#define SMOOTHER_STEPS 6
// Compensation of dropped fill in the smoother's factor. Sliver elements cause incomplete factors
// with a few large eigenvalues, which would force strong damping, or no factor at all. Compensation
// removes these and, unlike a shift of all rows, leaves the other rows unchanged. Less compensation
// smooths better (dolphin_36k: 29 iterations with 0.3 and 0.4, 31 with 0.5, 36 with 1). If the
// factor fails or an eigenvalue exceeds TOO_LARGE, full compensation is used. LARGEST: the
// eigenvalue after damping; it must stay below 2, at which the smoother would amplify errors.
#define COMPENSATION 0.4
#define TOO_LARGE    3.0
#define LARGEST      1.8

struct piece {
    const struct multigrid *m;
    const struct linear_problem *problem;
    const double *r;
    double *z;
    double largest[LAYOUT_DOMAIN_LIMIT];
};

// --- the finest grid ---

static void largest_piece(void *context, size_t domain) {
    struct piece *p = context;
    const struct bsr *a = p->problem->a;
    double largest = 0.0;
    for (uint32_t i = p->m->layout->domain_start[domain];
         i < p->m->layout->domain_start[domain + 1]; i++) {
        const double *block = a->values + 9 * (size_t)a->row_start[i];
        largest = fmax(largest, fmax(fabs(block[0]), fmax(fabs(block[4]), fabs(block[8]))));
    }
    p->largest[domain] = largest;
}

/// Returns the binary exponent of the largest diagonal entry.
static int find_exponent(struct piece *p, struct tasks *tasks) {
    tasks_for(tasks, p->m->layout->domain_count, largest_piece, p);
    double largest = 0.0;
    for (uint32_t d = 0; d < p->m->layout->domain_count; d++) {
        largest = fmax(largest, p->largest[d]);
    }
    int exponent = 0;
    if (largest > 0.0 && largest <= DBL_MAX) {
        frexp(largest, &exponent);
    }
    return exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
}

/// Copies a row of the matrix to float, times 2^-exponent. Returns false if it is not finite.
ALWAYS_INLINE bool copy_row(const struct grid *g, const struct bsr *a, uint32_t i, quad unit) {
    quad sum = quad_set(0.0);
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
        const double *from = a->values + 9 * (size_t)(g->source[k] / 2);
        quad r0 = quad_load(from) * unit;
        quad r1 = quad_load(from + 3) * unit;
        quad r2 = quad_load(from + 6) * unit;
        if (g->source[k] % 2 == 0) {
            const quad c0 = {r0[0], r1[0], r2[0], 0.0};
            const quad c1 = {r0[1], r1[1], r2[1], 0.0};
            const quad c2 = {r0[2], r1[2], r2[2], 0.0};
            r0 = c0;
            r1 = c1;
            r2 = c2;
            sum += (r0 + r1 + r2) * quad_set(0.0);
        }
        float block[12];
        quad_float_store(block, quad_narrow(r0));
        quad_float_store(block + 3, quad_narrow(r1));
        quad_float_store(block + 6, quad_narrow(r2));
        memcpy(g->values + 9 * (size_t)k, block, 9 * sizeof *block);
    }
    return quad_sum3(sum) == 0.0;
}

PBS_MULTIVERSION
static void copy_piece(void *context, size_t domain) {
    const struct piece *p = context;
    const struct grid *g = p->m->grid;
    const quad unit = quad_set(ldexp(1.0, -p->m->exponent));
    p->m->bad_row[domain] = UINT32_MAX;
    for (uint32_t i = g->chunk_start[domain]; i < g->chunk_start[domain + 1]; i++) {
        if (!copy_row(g, p->problem->a, i, unit)) {
            p->m->bad_row[domain] = i;
            return;
        }
        const float *block = g->values + 9 * (size_t)g->diagonal[i];
        double diagonal[9];
        double inverse[9];
        for (int e = 0; e < 9; e++) {
            diagonal[e] = (double)block[e];
        }
        diagonal_block_invert(diagonal, inverse);
        for (int e = 0; e < 9; e++) {
            g->inverse[9 * (size_t)i + (size_t)e] = (float)inverse[e];
        }
    }
}

static pbs_status copy_matrix(struct multigrid *m, struct piece *p, struct tasks *tasks) {
    const struct layout *layout = m->layout;
    m->exponent = find_exponent(p, tasks);
    tasks_for(tasks, layout->domain_count, copy_piece, p);
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        if (m->bad_row[d] != UINT32_MAX) {
            return status_fail(PBS_ERROR_CONVERGENCE,
                               "node %u: its row of the matrix is not finite",
                               layout->node[m->bad_row[d]]);
        }
    }
    return PBS_OK;
}

/// Sets node positions and the restrictions of rows.
static void place_nodes(struct multigrid *m, const struct linear_problem *problem) {
    struct grid *g = m->grid;
    const size_t n = g->node_count;
    if (problem->positions) {
        memcpy(g->center, problem->positions, 3 * n * sizeof *g->center);
    } else {
        memset(g->center, 0, 3 * n * sizeof *g->center);
    }
    memset(m->restriction, 0xff, n * sizeof *m->restriction);
    for (size_t i = 0; i < problem->restriction_count; i++) {
        m->restriction[problem->restrictions[i].row] = (uint32_t)i;
    }
}

// --- set-up ---

static void smooth_domain(const void *context, uint32_t domain, const double *r, double *z) {
    incomplete_cholesky.apply_domain(context, domain, r, z);
}

/// Estimates the smoother's largest eigenvalue. Grid 0 stores the matrix times 2^-exponent.
static double largest_eigenvalue(const struct multigrid *m, struct tasks *tasks) {
    const double bound = grid_spectral_bound(tasks, m->grid, smooth_domain, &m->smoother,
                                             SMOOTHER_STEPS);
    return ldexp(bound, m->exponent);
}

/// Factors the smoother and chooses its damping.
static pbs_status factor_smoother(struct multigrid *m, struct tasks *tasks,
                                  const struct linear_problem *problem) {
    double largest = 0.0;
    m->smoother.compensation = COMPENSATION;
    for (int attempt = 0; attempt < 2; attempt++) {
        RETURN_IF_FAILED(incomplete_cholesky.factor(&m->smoother, tasks, problem));
        const double shift = incomplete_cholesky.shift(&m->smoother);
        largest = shift < INFINITY ? largest_eigenvalue(m, tasks) : INFINITY;
        if (shift == 0.0 && largest < TOO_LARGE) {
            break;
        }
        m->smoother.compensation = 1.0;
    }
    m->has_grids = largest < INFINITY;
    m->damping = largest > LARGEST ? LARGEST / largest : 1.0;
    return PBS_OK;
}

static pbs_status multigrid_factor(void *state, struct tasks *tasks,
                                   const struct linear_problem *problem) {
    struct multigrid *m = state;
    struct piece p = {.m = m, .problem = problem};
    RETURN_IF_FAILED(multigrid_couple(m, problem));
    m->has_grids = false;
    RETURN_IF_FAILED(copy_matrix(m, &p, tasks));
    RETURN_IF_FAILED(factor_smoother(m, tasks, problem));
    place_nodes(m, problem);
    m->has_grids = m->has_grids && multigrid_build_grids(m, tasks, problem);
    return PBS_OK;
}

// --- application ---

/// x = w M^-1 r
static void before_piece(void *context, size_t domain) {
    const struct piece *p = context;
    const struct grid *g = p->m->grid;
    incomplete_cholesky.apply_domain(&p->m->smoother, (uint32_t)domain, p->r, g->x);
    for (size_t i = 3 * (size_t)g->chunk_start[domain]; i < 3 * (size_t)g->chunk_start[domain + 1];
         i++) {
        g->x[i] *= p->m->damping;
    }
}

static void residual_piece(void *context, size_t domain) {
    const struct piece *p = context;
    const struct grid *g = p->m->grid;
    grid_residual(g, (uint32_t)domain, ldexp(1.0, p->m->exponent), p->r, g->x, g->t);
    grid_restrict(g, (uint32_t)domain, g->t, g[1].b);
}

static void outer_piece(void *context, size_t domain) {
    const struct piece *p = context;
    const struct grid *g = p->m->grid;
    grid_restrict_outer(g, (uint32_t)domain, g->t, g[1].b);
}

static void prolong_piece(void *context, size_t domain) {
    const struct piece *p = context;
    const struct grid *g = p->m->grid;
    grid_prolong(g, (uint32_t)domain, ldexp(1.0, -p->m->exponent), g[1].t, g->x);
}

/// z = x + w M^-1 (r - A x)
static void after_piece(void *context, size_t index) {
    const struct piece *p = context;
    const struct grid *g = p->m->grid;
    const uint32_t domain = (uint32_t)index;
    grid_residual(g, domain, ldexp(1.0, p->m->exponent), p->r, g->x, g->t);
    incomplete_cholesky.apply_domain(&p->m->smoother, domain, g->t, p->z);
    for (size_t i = 3 * (size_t)g->chunk_start[domain]; i < 3 * (size_t)g->chunk_start[domain + 1];
         i++) {
        p->z[i] = g->x[i] + p->m->damping * p->z[i];
    }
}

static void multigrid_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct multigrid *m = state;
    struct piece p = {.m = m, .r = r, .z = z};
    const uint32_t domains = m->layout->domain_count;
    if (!m->has_grids) {
        incomplete_cholesky.apply(&m->smoother, tasks, r, z);
        return;
    }
    tasks_for(tasks, domains, before_piece, &p);
    if (m->grid_count > 1) {
        tasks_for(tasks, domains, residual_piece, &p);
        tasks_for(tasks, domains, outer_piece, &p);
        multigrid_correct(m, tasks);
        tasks_for(tasks, domains, prolong_piece, &p);
    }
    tasks_for(tasks, domains, after_piece, &p);
}

static double multigrid_shift(const void *state) {
    const struct multigrid *m = state;
    return m->has_grids ? incomplete_cholesky.shift(&m->smoother) : INFINITY;
}

const struct preconditioner_table smoothed_aggregation = {
    .id = PBS_PRECONDITIONER_MULTIGRID,
    .name = "multigrid",
    .state_size = sizeof(struct multigrid),
    .analyze = multigrid_analyze,
    .factor = multigrid_factor,
    .apply = multigrid_apply,
    .release = multigrid_release,
    .shift = multigrid_shift,
};
