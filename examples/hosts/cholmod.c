// Uses CHOLMOD as a world's linear solver: supernodal sparse Cholesky, ordered once per pattern and
// factored in every Newton iteration. The upper triangle stored by rows is the lower one stored by
// columns, which CHOLMOD reads, so no copy is needed.
//     cc cholmod.c $(pkg-config --cflags --libs pbs) -lcholmod
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <cholmod.h>
#include <string.h>

#include "scenes/linear/solver_trial.h"

struct host {
    cholmod_common common;
    cholmod_factor *factor;
    // Vectors of solve, reused between calls:
    cholmod_dense *x, *work_y, *work_e;
};

/// Returns a view of the matrix in the library's arrays, to which CHOLMOD does not write.
static cholmod_sparse view(const pbs_matrix *m) {
    return (cholmod_sparse){.nrow = (size_t)m->row_count,
                            .ncol = (size_t)m->row_count,
                            .nzmax = (size_t)m->entry_count,
                            .p = (void *)m->row_start,
                            .i = (void *)m->column,
                            .x = (void *)m->values,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = m->values != NULL ? CHOLMOD_REAL : CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

/// Returns the result of CHOLMOD's last call; memory exhaustion is a reason to stop.
static int32_t answer(const struct host *host) {
    return host->common.status < 0 ? -1 : host->common.status > 0 ? 1 : 0;
}

static int32_t analyze(void *user, const pbs_matrix *pattern) {
    struct host *host = user;
    cholmod_sparse a = view(pattern);
    cholmod_free_factor(&host->factor, &host->common);
    host->factor = cholmod_analyze(&a, &host->common);
    return answer(host);
}

/// A matrix that is not positive definite gives CHOLMOD_NOT_POSDEF, a warning; the library then
/// falls back to its own solver.
static int32_t factor(void *user, const pbs_matrix *matrix) {
    struct host *host = user;
    cholmod_sparse a = view(matrix);
    cholmod_factorize(&a, host->factor, &host->common);
    return answer(host);
}

static int32_t solve(void *user, const double *b, double *x, double relative_tolerance) {
    struct host *host = user;
    (void)relative_tolerance; // the solve is exact up to rounding
    const size_t size = host->factor->n;
    cholmod_dense right = {.nrow = size,
                           .ncol = 1,
                           .nzmax = size,
                           .d = size,
                           .x = (void *)b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, host->factor, &right, NULL, &host->x, NULL, &host->work_y,
                        &host->work_e, &host->common)) {
        return -1;
    }
    memcpy(x, host->x->x, size * sizeof *x);
    return 0;
}

int main(int argc, char **argv) {
    struct solver_trial trial = solver_trial_defaults();
    int status = 0;
    if (!solver_trial_read(argc, argv, "Steps a beam with CHOLMOD as the linear solver.", &trial,
                           &status)) {
        return status;
    }
    struct host host = {0};
    cholmod_start(&host.common);
    host.common.print = 0;
    host.common.supernodal = CHOLMOD_SUPERNODAL;
    host.common.nmethods = 1;
    host.common.method[0].ordering = CHOLMOD_METIS;

    pbs_linear_solver solver;
    pbs_linear_solver_init(&solver, sizeof solver);
    solver.form = PBS_MATRIX_CSR;
    solver.triangle = PBS_TRIANGLE_UPPER;
    solver.user = &host;
    solver.analyze = analyze;
    solver.factor = factor;
    solver.solve = solve;
    status = solver_trial_run(&trial, &solver);

    cholmod_free_dense(&host.x, &host.common);
    cholmod_free_dense(&host.work_y, &host.common);
    cholmod_free_dense(&host.work_e, &host.common);
    cholmod_free_factor(&host.factor, &host.common);
    cholmod_finish(&host.common);
    return status;
}
