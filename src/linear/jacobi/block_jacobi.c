// Block Jacobi: the inverses of the diagonal 3x3 blocks.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "linear/jacobi/diagonal_block.h"
#include "linear/preconditioner.h"
#include "pbs/world.h"
#include "sparse/matrices/block3.h"

struct jacobi {
    const struct layout *layout;
    double *inverse;   ///< 9 per row, symmetric; padded for quad_load
    uint32_t *bad_row; ///< per domain: a row that is not finite, or UINT32_MAX
    double contrast;
};

static pbs_status jacobi_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                                 enum preconditioner_order order) {
    (void)order;
    struct jacobi *s = state;
    s->layout = pattern->layout;
    s->inverse = memory_allocate(memory, 9 * (size_t)pattern->row_count + BSR_VALUE_PADDING,
                                 sizeof *s->inverse);
    s->bad_row = memory_allocate(memory, s->layout->domain_count, sizeof *s->bad_row);
    return s->inverse && s->bad_row ? PBS_OK : PBS_ERROR_MEMORY;
}

static void jacobi_release(void *state, struct memory *memory) {
    struct jacobi *s = state;
    memory_release(memory, s->inverse);
    memory_release(memory, s->bad_row);
}

struct factorisation {
    struct jacobi *state;
    const struct linear_problem *problem;
};

/// out = the row's diagonal block of H0 + C. *at: index into the rows of C, in: not beyond `row`;
/// out: advanced past it if C has that row.
static void diagonal_block(const struct linear_problem *problem, uint32_t row, uint32_t *at,
                           double out[9]) {
    memcpy(out, problem->a->values + 9 * (size_t)problem->a->row_start[row], 9 * sizeof *out);
    const struct contact_matrix *c = problem->c;
    if (c && *at < c->row_count && c->row[*at] == row) {
        const double *block = contact_matrix_diagonal(c, (*at)++);
        for (int i = 0; i < 9; i++) {
            out[i] += block[i];
        }
    }
}

static void factor_piece(void *context, size_t domain) {
    const struct factorisation *f = context;
    struct jacobi *s = f->state;
    const struct contact_matrix *c = f->problem->c;
    uint32_t contact = c && c->row_count > 0 ? c->domain_start[domain] : 0;
    s->bad_row[domain] = UINT32_MAX;
    for (uint32_t i = s->layout->domain_start[domain]; i < s->layout->domain_start[domain + 1];
         i++) {
        double block[9];
        diagonal_block(f->problem, i, &contact, block);
        if (!diagonal_block_invert(block, s->inverse + 9 * (size_t)i)) {
            s->bad_row[domain] = i;
            return;
        }
    }
}

static pbs_status jacobi_factor(void *state, struct tasks *tasks,
                                const struct linear_problem *problem) {
    struct jacobi *s = state;
    struct factorisation f = {s, problem};
    s->contrast = problem_contrast(problem);
    tasks_for(tasks, s->layout->domain_count, factor_piece, &f);
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        if (s->bad_row[d] != UINT32_MAX) {
            return status_fail(PBS_ERROR_CONVERGENCE,
                               "node %u: the diagonal block of the matrix is not finite",
                               s->layout->node[s->bad_row[d]]);
        }
    }
    return PBS_OK;
}

PBS_MULTIVERSION
static void jacobi_apply_domain(const void *state, uint32_t domain, const double *r, double *z) {
    const struct jacobi *s = state;
    const size_t end = s->layout->domain_start[domain + 1];
    for (size_t i = s->layout->domain_start[domain]; i < end; i++) {
        const double *m = s->inverse + 9 * i;
        const double *v = r + 3 * i;
        quad_store3(z + 3 * i, quad_load(m) * quad_set(v[0]) + quad_load(m + 3) * quad_set(v[1]) +
                                   quad_load(m + 6) * quad_set(v[2]));
    }
}

static void jacobi_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct jacobi *s = state;
    preconditioner_apply_domains(&block_jacobi, state, s->layout->domain_count, tasks, r, z);
}

/// The joint motion of two bodies in contact is soft in H, but the diagonal blocks see it as stiff
/// as the contact.
static double jacobi_contrast(const void *state) {
    return fmax(1.0, ((const struct jacobi *)state)->contrast);
}

static double jacobi_shift(const void *state) {
    (void)state;
    return 0.0;
}

const struct preconditioner_table block_jacobi = {
    .id = PBS_PRECONDITIONER_BLOCK_JACOBI,
    .name = "block-jacobi",
    .state_size = sizeof(struct jacobi),
    .analyze = jacobi_analyze,
    .factor = jacobi_factor,
    .apply = jacobi_apply,
    .apply_domain = jacobi_apply_domain,
    .release = jacobi_release,
    .shift = jacobi_shift,
    .contrast = jacobi_contrast,
};
