// libpbs: a host's own linear solver. Part of <pbs/pbs.h>.
//
// Each Newton iteration solves H d = -g, H symmetric, of 3x3 blocks. A host that has a solver of
// its own (sparse Cholesky, multigrid over many machines, a graphics processor) hands a world a
// table of functions, and gets H as the sparse matrix that such solvers take.
//
// The host's solve is the preconditioner of the library's conjugate gradients, whose products with
// H and residuals are the library's own. So a direct solver costs one application and two products.
// An approximate one (single precision, one cycle of multigrid, an iteration that ends early and
// differs from call to call) costs a few more, and the solution still meets its tolerance. A wrong
// one shows up in the iteration counts of pbs_stats, never in the results.
//
// SPDX-License-Identifier: MIT
#ifndef PBS_SOLVER_H
#define PBS_SOLVER_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The storage of a matrix.
typedef enum pbs_matrix_form {
    PBS_MATRIX_CSR = 0,      ///< compressed rows of numbers, three rows to a node
    PBS_MATRIX_BLOCK_CSR = 1 ///< compressed rows of 3x3 blocks, one row to a node
} pbs_matrix_form;

/// The part of a matrix that is stored. As it is symmetric, the upper triangle by rows is the lower
/// one by columns.
typedef enum pbs_matrix_triangle {
    PBS_TRIANGLE_BOTH = 0,
    PBS_TRIANGLE_UPPER = 1, ///< columns from the diagonal on; a block on the diagonal is whole
    PBS_TRIANGLE_LOWER = 2  ///< columns up to the diagonal; a block on the diagonal is whole
} pbs_matrix_triangle;

/// The matrix of one Newton iteration, contacts included. Rows are in the order of nodes: the
/// vertices of the first body that was created, then those of the next, as pbs_world_body_at counts
/// them; x, y and z of a node follow one another. Columns ascend within a row, and every row has
/// its diagonal entry. Constrained degrees of freedom have a positive diagonal and zeros beside it,
/// so that the matrix needs no boundary conditions. Indices are 32 bits wide: a step that would
/// need larger ones is refused.
typedef struct pbs_matrix {
    uint32_t struct_size; ///< of the library that runs, which may know more members than the host
    int32_t form;         ///< pbs_matrix_form, as asked for
    int32_t triangle;     ///< pbs_matrix_triangle, as asked for
    int32_t node_count;
    int32_t row_count;        ///< 3 x node_count, or of blocks node_count
    int32_t entry_count;      ///< numbers, or blocks
    const int32_t *row_start; ///< row_count + 1: where each row begins in column and values
    const int32_t *column;    ///< entry_count
    const double *values;     ///< entry_count, or entry_count x 9 row-major; N/m. Null in analyze
    const double *positions;  ///< node_count x 3, metres: positions of the nodes, from which rigid
                             ///< motions follow for multigrid; three of the four nodes of an affine
                             ///< body are vectors along its axes instead
} pbs_matrix;

/// A host's linear solver. All functions are called on the thread that called the library, one at a
/// time; they may use threads and processes of their own. They must not call into the world that
/// called them, nor leave by an exception or longjmp. Each answers 0: done. > 0: not possible; the
/// world's own preconditioner takes over until the next matrix, and pbs_stats counts that. < 0:
/// stop; the call into the library fails with PBS_ERROR_HOST.
typedef struct pbs_linear_solver {
    uint32_t struct_size; ///< set by pbs_linear_solver_init
    int32_t form;         ///< pbs_matrix_form
    int32_t triangle;     ///< pbs_matrix_triangle
    int32_t reserved;     ///< 0
    void *user;           ///< handed to all three; must live until the last step, or until the
                          ///< world has another solver
    /// Called before the first factor of each pattern: after bodies have changed, and when contacts
    /// couple other nodes than before. row_start and column keep address and contents for the
    /// factors that follow. May be null. > 0: factor and solve are not called until the pattern
    /// changes.
    int32_t (*analyze)(void *user, const pbs_matrix *pattern);
    /// Called once for every matrix. What `matrix` points to stays readable through all calls of
    /// solve before the next one of analyze or factor. > 0: the matrix is not positive definite, as
    /// is to be expected far from the solution (see project_hessian in pbs_expert_desc), or cannot
    /// be factored. Not null.
    int32_t (*factor)(void *user, const pbs_matrix *matrix);
    /// x = H^-1 b (N to metres), both 3 x node_count, in the order of nodes, not overlapping. The
    /// contents of x before are no initial guess. Where |b - H x| <= relative_tolerance |b|, with a
    /// tolerance between 0 and 1, no further call follows for this system; otherwise further calls
    /// refine the solution. The map from b to x should be close to a symmetric positive definite
    /// one. An answer of 0 with an x that is not finite, or that was not written, is
    /// PBS_ERROR_HOST. Not null.
    int32_t (*solve)(void *user, const double *b, double *x, double relative_tolerance);
} pbs_linear_solver;

/// Fills *s: full CSR, no functions.
/// @param struct_size  sizeof(pbs_linear_solver) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (s is null), PBS_ERROR_STRUCT_SIZE (larger than this library's)
PBS_API pbs_status pbs_linear_solver_init(pbs_linear_solver *s, size_t struct_size);

/// The world's steps use a copy of this table from now on; null: the library's own solver again. It
/// is not saved with the world, and pbs_world_restore keeps it. Nothing is called before the next
/// step. Whether equal calls give equal bits is then up to the host. PBS_METHOD_PLAIN_NEWTON, whose
/// matrices may be indefinite, does not use it. Call this with null before what `user` points to
/// goes away.
/// @return PBS_ERROR_ARGUMENT (w is null, factor or solve is null, an unknown form or triangle),
/// PBS_ERROR_STRUCT_SIZE
/// @see Golub and Ye 1999 for conjugate gradients around a solver that is not exact
PBS_API pbs_status pbs_world_set_linear_solver(pbs_world *w, const pbs_linear_solver *s);

/// The table that pbs_world_set_linear_solver has set. Its functions are null where the library
/// solves.
/// @param out  struct_size set by the caller, as pbs_linear_solver_init does
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_world_linear_solver(const pbs_world *w, pbs_linear_solver *out);

#ifdef __cplusplus
}
#endif
#endif
