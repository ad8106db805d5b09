// Uses hypre's BoomerAMG over MPI ranks as a world's linear solver, for systems that are too large
// for one machine. Rank 0 steps the world. All ranks hold a part of the matrix's rows and take part
// in its solves, conjugate gradients with algebraic multigrid, until they receive TASK_LEAVE.
//     mpirun -n 2 build/examples/hosts/hypre
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/linear/solver_trial.h"

_Static_assert(sizeof(HYPRE_BigInt) == sizeof(int32_t), "hypre was built with large indices");

enum { ITERATION_LIMIT = 200 };

/// Tasks that rank 0 starts on all ranks, including itself.
enum task { TASK_PATTERN, TASK_VALUES, TASK_SOLVE, TASK_LEAVE };

/// The part of one rank: rows first .. first + count - 1.
struct share {
    int rank, ranks;
    int first, count, entries;
    HYPRE_Int *row_sizes;
    HYPRE_BigInt *rows, *columns;
    double *values, *b, *x;
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector b_vector, x_vector;
    HYPRE_Solver multigrid, gradients;
};

/// The data that rank 0 distributes.
struct whole {
    const pbs_matrix *matrix; ///< during analyze and factor
    const double *b;          ///< during solve
    double *x;
    double tolerance;
    // By rank:
    int *first_row, *row_count, *first_entry, *entry_count;
};

struct host {
    struct share share;
    struct whole whole;
};

static void *allocate(size_t count, size_t size) {
    void *memory = malloc(count > 0 ? count * size : 1);
    if (memory == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1); // the other ranks wait for this one
    }
    return memory;
}

// --- the pattern ---

static void destroy_solver(struct share *s) {
    if (s->gradients != NULL) {
        HYPRE_ParCSRPCGDestroy(s->gradients);
        HYPRE_BoomerAMGDestroy(s->multigrid);
    }
    s->gradients = s->multigrid = NULL;
}

static void destroy_pattern(struct share *s) {
    destroy_solver(s);
    if (s->matrix != NULL) {
        HYPRE_IJMatrixDestroy(s->matrix);
        HYPRE_IJVectorDestroy(s->b_vector);
        HYPRE_IJVectorDestroy(s->x_vector);
    }
    free(s->row_sizes);
    free(s->rows);
    free(s->columns);
    free(s->values);
    free(s->b);
    free(s->x);
    *s = (struct share){.rank = s->rank, .ranks = s->ranks};
}

/// Distributes whole nodes evenly, so that the three rows of a node stay together.
static void deal_rows(const struct share *s, struct whole *w) {
    const int64_t nodes = w->matrix->node_count;
    for (int r = 0; r < s->ranks; r++) {
        w->first_row[r] = 3 * (int)(nodes * r / s->ranks);
        w->row_count[r] = 3 * (int)(nodes * (r + 1) / s->ranks) - w->first_row[r];
        w->first_entry[r] = w->matrix->row_start[w->first_row[r]];
        w->entry_count[r] = w->matrix->row_start[w->first_row[r] + w->row_count[r]] -
                            w->first_entry[r];
    }
}

static HYPRE_IJVector create_vector(const struct share *s) {
    HYPRE_IJVector vector = NULL;
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, s->first, s->first + s->count - 1, &vector);
    HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vector);
    HYPRE_IJVectorAssemble(vector);
    return vector;
}

static void share_pattern(struct share *s, struct whole *w) {
    destroy_pattern(s);
    int *all_sizes = NULL;
    if (s->rank == 0) {
        deal_rows(s, w);
        all_sizes = allocate((size_t)w->matrix->row_count, sizeof *all_sizes);
        for (int i = 0; i < w->matrix->row_count; i++) {
            all_sizes[i] = w->matrix->row_start[i + 1] - w->matrix->row_start[i];
        }
    }
    MPI_Scatter(w->first_row, 1, MPI_INT, &s->first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(w->row_count, 1, MPI_INT, &s->count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(w->entry_count, 1, MPI_INT, &s->entries, 1, MPI_INT, 0, MPI_COMM_WORLD);
    const size_t count = (size_t)s->count, entries = (size_t)s->entries;
    s->row_sizes = allocate(count, sizeof *s->row_sizes);
    s->rows = allocate(count, sizeof *s->rows);
    s->columns = allocate(entries, sizeof *s->columns);
    s->values = allocate(entries, sizeof *s->values);
    s->b = allocate(count, sizeof *s->b);
    s->x = allocate(count, sizeof *s->x);
    for (int i = 0; i < s->count; i++) {
        s->rows[i] = s->first + i;
    }
    MPI_Scatterv(all_sizes, w->row_count, w->first_row, MPI_INT, s->row_sizes, s->count, MPI_INT, 0,
                 MPI_COMM_WORLD);
    MPI_Scatterv(s->rank == 0 ? w->matrix->column : NULL, w->entry_count, w->first_entry, MPI_INT,
                 s->columns, s->entries, MPI_INT, 0, MPI_COMM_WORLD);
    free(all_sizes);
    const int last = s->first + s->count - 1;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, s->first, last, s->first, last, &s->matrix);
    HYPRE_IJMatrixSetObjectType(s->matrix, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(s->matrix, s->row_sizes);
    s->b_vector = create_vector(s);
    s->x_vector = create_vector(s);
}

// --- the values ---

/// PMIS coarsening, extended+i interpolation, l1 symmetric Gauss-Seidel, three unknowns a node:
/// hypre's recommendation for systems in three dimensions.
static void create_multigrid(struct share *s) {
    HYPRE_BoomerAMGCreate(&s->multigrid);
    HYPRE_BoomerAMGSetPrintLevel(s->multigrid, 0);
    HYPRE_BoomerAMGSetTol(s->multigrid, 0.0);
    HYPRE_BoomerAMGSetMaxIter(s->multigrid, 1);
    HYPRE_BoomerAMGSetCoarsenType(s->multigrid, 8);
    HYPRE_BoomerAMGSetInterpType(s->multigrid, 6);
    HYPRE_BoomerAMGSetPMaxElmts(s->multigrid, 4);
    HYPRE_BoomerAMGSetRelaxType(s->multigrid, 8);
    HYPRE_BoomerAMGSetStrongThreshold(s->multigrid, 0.25);
    HYPRE_BoomerAMGSetNumFunctions(s->multigrid, 3);
}

static void get_objects(const struct share *s, HYPRE_ParCSRMatrix *a, HYPRE_ParVector *b,
                        HYPRE_ParVector *x) {
    void *objects[3] = {0};
    HYPRE_IJMatrixGetObject(s->matrix, &objects[0]);
    HYPRE_IJVectorGetObject(s->b_vector, &objects[1]);
    HYPRE_IJVectorGetObject(s->x_vector, &objects[2]);
    *a = objects[0];
    *b = objects[1];
    *x = objects[2];
}

/// Returns the same result on all ranks: whether the setup succeeded on each of them.
static int32_t agree(int failed) {
    int any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0 ? 1 : 0;
}

static int32_t share_values(struct share *s, const struct whole *w) {
    MPI_Scatterv(s->rank == 0 ? w->matrix->values : NULL, w->entry_count, w->first_entry,
                 MPI_DOUBLE, s->values, s->entries, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    HYPRE_ClearAllErrors();
    destroy_solver(s);
    HYPRE_IJMatrixInitialize(s->matrix);
    HYPRE_IJMatrixSetValues(s->matrix, s->count, s->row_sizes, s->rows, s->columns, s->values);
    HYPRE_IJMatrixAssemble(s->matrix);
    HYPRE_ParCSRMatrix a = NULL;
    HYPRE_ParVector b = NULL, x = NULL;
    get_objects(s, &a, &b, &x);
    create_multigrid(s);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &s->gradients);
    HYPRE_PCGSetTwoNorm(s->gradients, 1);
    HYPRE_PCGSetMaxIter(s->gradients, ITERATION_LIMIT);
    HYPRE_PCGSetPrecond(s->gradients, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, s->multigrid);
    HYPRE_ParCSRPCGSetup(s->gradients, a, b, x);
    return agree(HYPRE_GetError() != 0);
}

// --- the solve ---

/// Solves to the requested tolerance, which is loose in most Newton iterations. If it is not
/// reached, the library falls back to its own solver.
static int32_t share_solve(struct share *s, struct whole *w) {
    MPI_Bcast(&w->tolerance, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatterv(w->b, w->row_count, w->first_row, MPI_DOUBLE, s->b, s->count, MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
    memset(s->x, 0, (size_t)s->count * sizeof *s->x);
    HYPRE_ClearAllErrors();
    HYPRE_IJVectorSetValues(s->b_vector, s->count, s->rows, s->b);
    HYPRE_IJVectorSetValues(s->x_vector, s->count, s->rows, s->x);
    HYPRE_ParCSRMatrix a = NULL;
    HYPRE_ParVector b = NULL, x = NULL;
    get_objects(s, &a, &b, &x);
    HYPRE_PCGSetTol(s->gradients, w->tolerance);
    HYPRE_ParCSRPCGSolve(s->gradients, a, b, x);
    HYPRE_Int iterations = 0;
    HYPRE_PCGGetNumIterations(s->gradients, &iterations);
    HYPRE_IJVectorGetValues(s->x_vector, s->count, s->rows, s->x);
    MPI_Gatherv(s->x, s->count, MPI_DOUBLE, w->x, w->row_count, w->first_row, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    return agree(HYPRE_GetError() != 0 || iterations >= ITERATION_LIMIT);
}

// --- rank 0 asks, all do ---

static int32_t perform(struct host *host, enum task task) {
    switch (task) {
    case TASK_PATTERN: share_pattern(&host->share, &host->whole); return 0;
    case TASK_VALUES: return share_values(&host->share, &host->whole);
    case TASK_SOLVE: return share_solve(&host->share, &host->whole);
    default: destroy_pattern(&host->share); return 0;
    }
}

static int32_t ask_all(struct host *host, enum task task) {
    int number = (int)task;
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return perform(host, task);
}

static void serve(struct host *host) {
    int number = TASK_PATTERN;
    while (number != TASK_LEAVE) {
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
        perform(host, (enum task)number);
    }
}

static int32_t analyze(void *user, const pbs_matrix *pattern) {
    struct host *host = user;
    host->whole.matrix = pattern;
    return ask_all(host, TASK_PATTERN);
}

static int32_t factor(void *user, const pbs_matrix *matrix) {
    struct host *host = user;
    host->whole.matrix = matrix;
    return ask_all(host, TASK_VALUES);
}

static int32_t solve(void *user, const double *b, double *x, double relative_tolerance) {
    struct host *host = user;
    host->whole.b = b;
    host->whole.x = x;
    host->whole.tolerance = relative_tolerance;
    return ask_all(host, TASK_SOLVE);
}

static int step_world(struct host *host, int argc, char **argv) {
    struct solver_trial trial = solver_trial_defaults();
    int status = 0;
    if (!solver_trial_read(argc, argv, "Steps a beam with hypre over MPI as the linear solver.",
                           &trial, &status)) {
        return status;
    }
    int *const shares = allocate(4 * (size_t)host->share.ranks, sizeof *shares);
    host->whole.first_row = shares;
    host->whole.row_count = shares + host->share.ranks;
    host->whole.first_entry = shares + 2 * host->share.ranks;
    host->whole.entry_count = shares + 3 * host->share.ranks;

    pbs_linear_solver solver;
    pbs_linear_solver_init(&solver, sizeof solver);
    solver.form = PBS_MATRIX_CSR;
    solver.user = host;
    solver.analyze = analyze;
    solver.factor = factor;
    solver.solve = solve;
    status = solver_trial_run(&trial, &solver);
    free(shares);
    return status;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    HYPRE_Init();
    struct host host = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &host.share.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &host.share.ranks);
    int status = 0;
    if (host.share.rank == 0) {
        status = step_world(&host, argc, argv);
        ask_all(&host, TASK_LEAVE);
    } else {
        serve(&host);
    }
    HYPRE_Finalize();
    MPI_Finalize();
    return status;
}
