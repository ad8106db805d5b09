// The two-level preconditioner A-DEF2 (Tang, Nabben, Vuik and Erlangga, "Comparison of two-level
// preconditioners derived from deflation, domain decomposition and multigrid methods", J. Sci.
// Comput. 39, 2009): block incomplete Cholesky M of H0 takes the high end of the spectrum, the
// rigid motions of clusters of nodes take the low end, and rows that contact touches are solved
// for exactly, so that neither the size of the mesh nor the stiffness of contact costs iterations:
//     y = M^-1 r,   z = y + Z E^-1 Z^T (r - H y),   E = Z^T H Z,   start: x = Z E^-1 Z^T b.
#include "linear/coarse_space.h"
#include "linear/preconditioner.h"
#include "pbs/world.h"

// Rows in a cluster: fewer make a better coarse space and a larger coarse matrix, whose factor must
// not outgrow the rest. Found by trying: from 9.5k to 1M unknowns nothing between 50 and 400 is
// more than a tenth faster.
#define CLUSTER_SIZE 50

struct two_level {
    struct preconditioner fine;
    struct coarse_space coarse;
    bool has_coarse; ///< the last coarse matrix could be factored
};

static uint32_t cluster_size(uint32_t row_count) {
    (void)row_count;
    return CLUSTER_SIZE;
}

static pbs_status two_level_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                                    enum preconditioner_order order) {
    struct two_level *s = state;
    RETURN_IF_FAILED(preconditioner_create(memory, PBS_PRECONDITIONER_INCOMPLETE_CHOLESKY, pattern,
                                           order, &s->fine));
    return coarse_space_create(memory, pattern, cluster_size(pattern->row_count), &s->coarse);
}

static void two_level_release(void *state, struct memory *memory) {
    struct two_level *s = state;
    preconditioner_destroy(memory, &s->fine);
    coarse_space_destroy(memory, &s->coarse);
}

static pbs_status two_level_factor(void *state, struct tasks *tasks,
                                   const struct linear_problem *problem) {
    struct two_level *s = state;
    s->has_coarse = false;
    RETURN_IF_FAILED(s->fine.table->factor(s->fine.state, tasks, problem));
    const pbs_status status = coarse_space_factor(&s->coarse, tasks, problem);
    s->has_coarse = status == PBS_OK;
    // A coarse matrix that is not definite belongs to an H that is not: conjugate gradients will
    // find that out by themselves.
    return status == PBS_ERROR_CONVERGENCE ? PBS_OK : status;
}

static void two_level_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct two_level *s = state;
    s->fine.table->apply(s->fine.state, tasks, r, z);
    if (s->has_coarse) {
        coarse_space_correct(&s->coarse, tasks, r, z);
    }
}

static void two_level_start(const void *state, struct tasks *tasks, const double *b, double *x) {
    const struct two_level *s = state;
    if (s->has_coarse) {
        coarse_space_start(&s->coarse, tasks, b, x);
    }
}

static double two_level_shift(const void *state) {
    const struct two_level *s = state;
    return s->fine.table->shift(s->fine.state);
}

const struct preconditioner_table two_level = {
    .id = PBS_PRECONDITIONER_TWO_LEVEL,
    .name = "two-level",
    .state_size = sizeof(struct two_level),
    .analyze = two_level_analyze,
    .factor = two_level_factor,
    .apply = two_level_apply,
    .start = two_level_start,
    .release = two_level_release,
    .shift = two_level_shift,
};
