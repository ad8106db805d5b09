// OPT's smallest stress test, section 3 of docs/theory/minimization.md: a 1.0 x 0.4 sheet of 6 x 3
// nodes in the plane (36 degrees of freedom), fixed corotated. The sheet is a host's own energy:
// stencils of three nodes with z held. Uses the public API alone.
#ifndef PBS_BENCH_OPT_SHEET_H
#define PBS_BENCH_OPT_SHEET_H

#include <pbs/pbs.h>

enum {
    OPT_SHEET_COLUMNS = 6,
    OPT_SHEET_ROWS = 3,
    OPT_SHEET_NODES = OPT_SHEET_COLUMNS * OPT_SHEET_ROWS,
    OPT_SHEET_TRIANGLES = 2 * (OPT_SHEET_COLUMNS - 1) * (OPT_SHEET_ROWS - 1),
    OPT_SHEET_ITERATIONS = 500 ///< a step has failed then
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

/// Of one triangle: pbs_evaluate_fn, whose user is the sheet.
int32_t opt_sheet_evaluate(void *user, size_t stencil, const double *x, int32_t project,
                           double *value, double *gradient, double *hessian);

/// A world with the sheet alone, which must outlive it. *world is to be destroyed, also where this
/// failed.
pbs_status opt_sheet_world(struct opt_sheet *sheet, int32_t method, pbs_world **world,
                           pbs_body *body);

/// One step from these places (3 a node), at rest before.
/// @return of the step: PBS_ERROR_CONVERGENCE where all iterations were not enough
pbs_status opt_sheet_step(pbs_world *world, pbs_body body, const double *x, double h,
                          uint32_t *iterations);

#endif
