// OPT figures 8 and 9: an elastic cube of particles starts from random positions, or with all of
// them at one point, and recovers its rest shape. For tests and benches; uses the public API alone.
#ifndef PBS_BENCH_OPT_CUBES_H
#define PBS_BENCH_OPT_CUBES_H

#include <pbs/pbs.h>

#include "mesh.h"

enum opt_cube_start { OPT_CUBE_RANDOM, OPT_CUBE_POINT };

struct opt_cube {
    size_t points; ///< along an edge: 9, 17, 33 or 65
    double young;  ///< Pa
    enum opt_cube_start start;
    int32_t guess; ///< PBS_GUESS_*
    bool plain;    ///< OPT's iterations: exact Hessians, no alignment
    int frames;    ///< steps to take at least, however soon it has recovered
};

struct opt_cube_result {
    pbs_status status;    ///< of the last step
    int steps;            ///< taken until recovered, or the limit
    double edge_strain;   ///< largest |length / rest length - 1| over all edges by then
    size_t inverted;      ///< tetrahedra then
    double linear_solves; ///< until then
    double seconds;
    double first_step_solves, first_step_products; ///< products: of conjugate gradients
    double energy;   ///< J: what the first step minimises, |x - x0|_M^2 / (2 h^2) + elastic, there
    double gradient; ///< N: its gradient
    double mean_solves; ///< per step, over `frames` steps, or those until recovered where that are
                        ///< more
};

/// Three stiffnesses of the figures: low, medium, high.
extern const double opt_cube_stiffness[3];

/// Runs at 1/24 s until every tetrahedron is upright and every edge is within 1 % of its rest
/// length, or step_limit; and on to cube->frames.
struct opt_cube_result opt_cube_run(const struct opt_cube *cube, int step_limit, int32_t threads);

#endif
