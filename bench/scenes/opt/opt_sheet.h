// OPT's smallest stress test (docs/theory/minimization.md section 4): a plane 1.0 x 0.4 m sheet of
// 6 x 3 nodes (36 degrees of freedom), fixed corotated. The sheet is a custom energy with stencils
// of three nodes whose z is fixed. Uses the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OPT_SHEET_H
#define PBS_BENCH_OPT_SHEET_H

#include <pbs/pbs.h>

enum {
    OPT_SHEET_COLUMNS = 6,
    OPT_SHEET_ROWS = 3,
    OPT_SHEET_NODES = OPT_SHEET_COLUMNS * OPT_SHEET_ROWS,
    OPT_SHEET_TRIANGLES = 2 * (OPT_SHEET_COLUMNS - 1) * (OPT_SHEET_ROWS - 1),
    OPT_SHEET_ITERATIONS = 500 ///< iteration limit of a step
};

#define OPT_SHEET_SPACING 0.2 // m
#define OPT_SHEET_YOUNG   1e6 // Pa

struct opt_sheet {
    uint32_t triangles[OPT_SHEET_TRIANGLES][3];
    double rest_inverse[OPT_SHEET_TRIANGLES][4]; ///< row-major
    double area[OPT_SHEET_TRIANGLES];
    double masses[OPT_SHEET_NODES];
    double rest[OPT_SHEET_NODES][3];
};

void opt_sheet_make(struct opt_sheet *sheet);

/// Evaluates one triangle: a pbs_evaluate_fn, whose user pointer is the sheet.
int32_t opt_sheet_evaluate(void *user, size_t stencil, const double *x, int32_t project,
                           double *value, double *gradient, double *hessian);

/// Creates a world that contains only the sheet. The sheet must outlive the world. *world must be
/// destroyed, also after a failure.
pbs_status opt_sheet_world(struct opt_sheet *sheet, int32_t method, pbs_world **world,
                           pbs_body *body);

/// Takes one step from positions x (3 per node) with zero velocity.
/// @return the step's status: PBS_ERROR_CONVERGENCE if it did not converge within the iteration
/// limit
pbs_status opt_sheet_step(pbs_world *world, pbs_body body, const double *x, double h,
                          uint32_t *iterations);

#endif
