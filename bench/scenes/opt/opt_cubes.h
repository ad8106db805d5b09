// The scenes of OPT figures 8 and 9: an elastic cube starts with its nodes at random positions, or
// all at one point, and recovers its rest shape. For tests and benches; uses the public API only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_OPT_CUBES_H
#define PBS_BENCH_OPT_CUBES_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"

enum opt_cube_start { OPT_CUBE_RANDOM, OPT_CUBE_POINT };

struct opt_cube {
    size_t points; ///< nodes along an edge: 9, 17, 33 or 65
    double young;  ///< Pa
    enum opt_cube_start start;
    int32_t guess;          ///< PBS_GUESS_*
    bool plain;             ///< OPT's method: exact Hessians, no alignment of the guess
    double tolerance;       ///< relative_tolerance of the world; 0: the default
    int frames;             ///< minimum number of steps
    bool progress;          ///< print a line to standard error for each step
    const char *checkpoint; ///< file to continue from, if it is there, and to write after each
                            ///< step; null: none
};

struct opt_cube_result {
    pbs_status status;    ///< of the last step
    int steps;            ///< number of steps until recovered, or the limit
    double edge_strain;   ///< largest |length / rest length - 1| of all edges after these steps
    size_t inverted;      ///< inverted tetrahedra after these steps
    double linear_solves; ///< total of these steps
    double seconds;
    double first_step_solves, first_step_products; ///< linear solves and CG products of the first
                                                   ///< step
    double energy;   ///< J: the first step's objective |x - x0|_M^2 / (2 h^2) + elastic energy, at
                     ///< its end
    double gradient; ///< N: norm of the objective's gradient there
    double mean_solves; ///< mean linear solves per step, over `frames` steps or until recovered,
                        ///< whichever is longer
};

/// Young's moduli of the figures: low, medium, high.
extern const double opt_cube_stiffness[3];

/// Runs steps of 1/24 s until no tetrahedron is inverted and every edge is within 1 % of its rest
/// length, or up to step_limit; then continues to cube->frames steps.
struct opt_cube_result opt_cube_run(const struct opt_cube *cube, int step_limit, int32_t threads);

#endif
