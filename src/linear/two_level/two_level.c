// The two-level preconditioner A-DEF2 (Tang, Nabben, Vuik and Erlangga, "Comparison of two-level
// preconditioners derived from deflation, domain decomposition and multigrid methods", J. Sci.
// Comput. 39, 2009). Block incomplete Cholesky M of H0 handles the upper end of the spectrum, the
// rigid motions of clusters of nodes handle the lower end, and rows that contact touches are solved
// exactly. The number of iterations then hardly depends on the mesh size or on the stiffness of
// contact:
//     y = M^-1 r,   z = y + Z E^-1 Z^T (r - H y),   E = Z^T H Z,   start: x = Z E^-1 Z^T b.
// This is symmetric for iterations with H0 + C that begin at the start vector. If there is an
// operator F, H above is H0 + C, the iteration is one with H, and the symmetric variant without
// start vector (BNN there) is used:
//     q = Z E^-1 Z^T r,   y = M^-1 (r - H q),   z = q + y + Z E^-1 Z^T (r - H q - H y).
// With multigrid in place of M the coarse space is used only when there is contact; it still
// contains the clusters. Theory: docs/theory/linear_solvers.md section 8.
// SPDX-License-Identifier: MIT
#include "linear/two_level/coarse_space.h"

#include <math.h>

#include "base/lanes/vector.h"
#include "linear/incomplete/incomplete_cholesky.h"
#include "pbs/world.h"

// Rows per cluster. Smaller clusters give a better coarse space but a larger coarse matrix, and its
// factor costs with the square of its size. So clusters grow with the mesh beyond CLUSTERS_GROW_AT
// rows. A cube of 105k, 414k unknowns takes 46, 49 iterations to 1e-6 with 50 rows, 52, 57 with
// 100.
#define CLUSTER_SIZE     50
#define CLUSTERS_GROW_AT 32768.0
// Diagonal shift of the fine level, relative. A coarse space corrects what the shift slows down: it
// saves 3 of 46 iterations at 105k unknowns, as do larger shifts up to 0.06.
#define FINE_SHIFT 0.004

enum coarse_use {
    COARSE_ALWAYS,
    COARSE_FOR_CONTACT ///< not allocated before there is contact
};

struct two_level {
    const struct bsr *pattern;
    struct memory *memory;
    struct preconditioner fine;
    struct coarse_space coarse;
    enum coarse_use use;
    bool coarse_exists;
    bool has_coarse;                      ///< the last matrix used the coarse space
    const struct linear_problem *problem; ///< the last problem, if it has an F
    double *lifted, *left;                ///< 3 per row: q and r - H q
};

static uint32_t cluster_size(uint32_t row_count) {
    return (uint32_t)(CLUSTER_SIZE * fmax(1.0, cbrt(row_count / CLUSTERS_GROW_AT)));
}

static pbs_status create_coarse(struct two_level *s) {
    RETURN_IF_FAILED(coarse_space_create(s->memory, s->pattern, cluster_size(s->pattern->row_count),
                                         &s->coarse));
    s->coarse_exists = true;
    return PBS_OK;
}

static pbs_status analyze(struct two_level *s, struct memory *memory, const struct bsr *pattern,
                          enum preconditioner_order order, const struct preconditioner_table *fine,
                          enum coarse_use use) {
    s->pattern = pattern;
    s->memory = memory;
    s->use = use;
    RETURN_IF_FAILED(preconditioner_create_from(memory, fine, pattern, order, &s->fine));
    return use == COARSE_FOR_CONTACT ? PBS_OK : create_coarse(s);
}

static pbs_status two_level_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                                    enum preconditioner_order order) {
    return analyze(state, memory, pattern, order, &incomplete_cholesky, COARSE_ALWAYS);
}

static pbs_status multigrid_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                                    enum preconditioner_order order) {
    return analyze(state, memory, pattern, order, &smoothed_aggregation, COARSE_FOR_CONTACT);
}

static void two_level_release(void *state, struct memory *memory) {
    struct two_level *s = state;
    preconditioner_destroy(memory, &s->fine);
    coarse_space_destroy(memory, &s->coarse);
    memory_release(memory, s->lifted);
    memory_release(memory, s->left);
}

// --- set-up per matrix ---

static bool uses_coarse_space(const struct two_level *s, const struct linear_problem *problem) {
    return s->use == COARSE_ALWAYS || (problem->c && problem->c->row_count > 0);
}

/// Allocates the vectors of the symmetric variant.
static pbs_status prepare_symmetric(struct two_level *s, const struct linear_problem *problem) {
    s->problem = problem->f ? problem : NULL;
    if (!problem->f || s->lifted) {
        return PBS_OK;
    }
    memory_release(s->memory, s->left);
    s->left = memory_allocate(s->memory, 3 * (size_t)s->pattern->row_count, sizeof *s->left);
    if (!s->left) {
        return PBS_ERROR_MEMORY;
    }
    s->lifted = memory_allocate(s->memory, 3 * (size_t)s->pattern->row_count, sizeof *s->lifted);
    return s->lifted ? PBS_OK : PBS_ERROR_MEMORY;
}

static pbs_status two_level_factor(void *state, struct tasks *tasks,
                                   const struct linear_problem *problem) {
    struct two_level *s = state;
    s->has_coarse = false;
    const bool with_coarse = uses_coarse_space(s, problem);
    if (s->fine.table == &incomplete_cholesky) {
        ((struct ichol *)s->fine.state)->first_shift = with_coarse ? FINE_SHIFT : 0.0;
    }
    RETURN_IF_FAILED(s->fine.table->factor(s->fine.state, tasks, problem));
    if (!with_coarse) {
        return PBS_OK;
    }
    if (!s->coarse_exists) {
        RETURN_IF_FAILED(create_coarse(s));
    }
    RETURN_IF_FAILED(prepare_symmetric(s, problem));
    const pbs_status status = coarse_space_factor(&s->coarse, tasks, problem);
    s->has_coarse = status == PBS_OK;
    // An indefinite coarse matrix means that H is indefinite: conjugate gradients detect that.
    return status == PBS_ERROR_CONVERGENCE ? PBS_OK : status;
}

static void apply_symmetric(const struct two_level *s, struct tasks *tasks, const double *r,
                            double *z) {
    const size_t count = 3 * (size_t)s->pattern->row_count;
    coarse_space_solve(&s->coarse, tasks, r, s->lifted);
    problem_multiply_assembled(tasks, s->problem, s->lifted, s->left);
    vector_combine(tasks, count, r, -1.0, s->left, s->left);
    s->fine.table->apply(s->fine.state, tasks, s->left, z);
    coarse_space_correct(&s->coarse, tasks, s->left, z);
    vector_add_scaled(tasks, count, 1.0, s->lifted, z);
}

static void two_level_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct two_level *s = state;
    if (s->has_coarse && s->problem) {
        apply_symmetric(s, tasks, r, z);
        return;
    }
    s->fine.table->apply(s->fine.state, tasks, r, z);
    if (s->has_coarse) {
        coarse_space_correct(&s->coarse, tasks, r, z);
    }
}

static bool two_level_start(const void *state, struct tasks *tasks, const double *b, double *x) {
    const struct two_level *s = state;
    const bool starts = s->has_coarse && !s->problem;
    if (starts) {
        coarse_space_solve(&s->coarse, tasks, b, x);
    }
    return starts;
}

static double two_level_contrast(const void *state) {
    return ((const struct two_level *)state)->has_coarse ? 0.0 : INFINITY;
}

static double two_level_shift(const void *state) {
    const struct two_level *s = state;
    return s->fine.table->shift(s->fine.state);
}

static void two_level_report(const void *state, struct preconditioner_report *out) {
    const struct two_level *s = state;
    const bool gave_up = two_level_shift(s) == INFINITY;
    out->used = s->fine.table == &smoothed_aggregation ? PBS_PRECONDITIONER_MULTIGRID
                : s->has_coarse                        ? PBS_PRECONDITIONER_TWO_LEVEL
                : gave_up                              ? PBS_PRECONDITIONER_BLOCK_JACOBI
                                                       : PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY;
    out->coarse_unknowns = s->has_coarse ? 3 * s->coarse.matrix.matrix.row_count : 0;
}

#define TABLE(number, label, analysis)                                                             \
    {                                                                                              \
        .id = (number), .name = (label), .state_size = sizeof(struct two_level),                   \
        .contrast = two_level_contrast, .analyze = (analysis), .factor = two_level_factor,         \
        .apply = two_level_apply, .start = two_level_start, .release = two_level_release,          \
        .shift = two_level_shift, .report = two_level_report                                       \
    }

const struct preconditioner_table two_level = TABLE(PBS_PRECONDITIONER_TWO_LEVEL, "two-level",
                                                    two_level_analyze);
const struct preconditioner_table multigrid = TABLE(PBS_PRECONDITIONER_MULTIGRID, "multigrid",
                                                    multigrid_analyze);
