// An exact factor of H0 + C as a preconditioner, in double or in float. Conjugate gradients
// converge after one iteration in double, and after one to four in float, or ten if contact is 1e5
// times stiffer than the mesh. If the matrix is not positive definite, block Jacobi is used until
// the next matrix, and conjugate gradients detect the negative curvature.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "linear/exact/merged_factor.h"
#include "linear/preconditioner.h"
#include "pbs/world.h"

struct exact {
    struct merged_factor *factor;
    struct preconditioner jacobi;
    bool is_exact; ///< the last matrix was positive definite
};

static pbs_status analyze(struct exact *s, struct memory *memory, const struct bsr *pattern,
                          enum supernodal_precision precision) {
    RETURN_IF_FAILED(
        preconditioner_create_from(memory, &block_jacobi, pattern, ORDER_NATURAL, &s->jacobi));
    return merged_factor_create(memory, precision, pattern, &s->factor);
}

static pbs_status analyze_double(void *state, struct memory *memory, const struct bsr *pattern,
                                 enum preconditioner_order order) {
    (void)order;
    return analyze(state, memory, pattern, SUPERNODAL_DOUBLE);
}

static pbs_status analyze_float(void *state, struct memory *memory, const struct bsr *pattern,
                                enum preconditioner_order order) {
    (void)order;
    return analyze(state, memory, pattern, SUPERNODAL_FLOAT);
}

static void exact_release(void *state, struct memory *memory) {
    struct exact *s = state;
    preconditioner_destroy(memory, &s->jacobi);
    merged_factor_destroy(s->factor);
}

static pbs_status exact_factor(void *state, struct tasks *tasks,
                               const struct linear_problem *problem) {
    struct exact *s = state;
    const pbs_status status = merged_factor_make(s->factor, tasks, problem);
    s->is_exact = status == PBS_OK;
    if (status == PBS_ERROR_CONVERGENCE) {
        return s->jacobi.table->factor(s->jacobi.state, tasks, problem);
    }
    return status;
}

static void exact_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct exact *s = state;
    if (s->is_exact) {
        merged_factor_solve(s->factor, tasks, r, z);
    } else {
        s->jacobi.table->apply(s->jacobi.state, tasks, r, z);
    }
}

static double exact_shift(const void *state) {
    const struct exact *s = state;
    return s->is_exact ? 0.0 : INFINITY;
}

static double exact_contrast(const void *state) {
    const struct exact *s = state;
    return s->is_exact ? 0.0 : s->jacobi.table->contrast(s->jacobi.state);
}

static void exact_report(const void *state, struct preconditioner_report *out) {
    const struct exact *s = state;
    out->used = !s->is_exact ? PBS_PRECONDITIONER_BLOCK_JACOBI
                : merged_factor_precision(s->factor) == SUPERNODAL_FLOAT
                    ? PBS_PRECONDITIONER_CHOLESKY_FLOAT
                    : PBS_PRECONDITIONER_CHOLESKY;
}

#define TABLE(number, label, analysis)                                                             \
    {                                                                                              \
        .id = (number), .name = (label), .state_size = sizeof(struct exact),                       \
        .analyze = (analysis), .factor = exact_factor, .apply = exact_apply,                       \
        .release = exact_release, .shift = exact_shift, .report = exact_report,                    \
        .contrast = exact_contrast                                                                 \
    }

const struct preconditioner_table cholesky = TABLE(PBS_PRECONDITIONER_CHOLESKY, "cholesky",
                                                   analyze_double);
const struct preconditioner_table cholesky_float = TABLE(PBS_PRECONDITIONER_CHOLESKY_FLOAT,
                                                         "cholesky-float", analyze_float);
