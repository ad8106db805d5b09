// OPT figures 8 and 9 at growing size, with the linear solves per step beside OPT's figure 11 (its
// cubes have 65^3 points).
//     bench opt-cube guess=paper start=random points=33 young=1e+05 steps=.. solves_per_step=..
//     opt_solves_per_step=109.6 seconds=.. recovered=1
// Arguments: largest number of points along an edge (17; 33 and 65 take minutes and hours),
// smallest (9), and `paper`: OPT's guesses alone, not that of a rigid motion.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/opt_cubes.h"

enum { STEP_LIMIT = 400 };

int main(int argc, char **argv) {
    // OPT figure 11, rows 8 top, lt, rt and 9 top, lt, rt: averages over 100, 40, 1 and 120, 5, 1
    // steps.
    static const double published[2][3] = {{12.3, 236.8, 109.6}, {10.7, 155.9, 88.8}};
    static const char *const names[2] = {"random", "point"};
    static const size_t points[] = {9, 17, 33, 65};
    const size_t largest = argc > 1 ? (size_t)atoi(argv[1]) : 17;
    const size_t smallest = argc > 2 ? (size_t)atoi(argv[2]) : 9;
    const bool is_paper = argc > 3 && strcmp(argv[3], "paper") == 0;
    for (size_t i = 0; i < sizeof points / sizeof *points && points[i] <= largest; i++) {
        if (points[i] < smallest) {
            continue;
        }
        for (int start = 0; start < 2; start++) {
            for (int k = 0; k < 3; k++) {
                const struct opt_cube cube = {points[i], opt_cube_stiffness[k],
                                              (enum opt_cube_start)start,
                                              is_paper ? PBS_GUESS_OPT : PBS_GUESS_BEST};
                const struct opt_cube_result r = opt_cube_run(&cube, STEP_LIMIT, 0);
                printf("bench opt-cube guess=%s start=%s points=%zu young=%g steps=%d "
                       "solves_per_step=%.1f "
                       "opt_solves_per_step=%.1f seconds=%.2f edge_strain=%.2e inverted=%zu "
                       "recovered=%d "
                       "status=%s\n",
                       is_paper ? "paper" : "default", names[start], points[i], cube.young, r.steps,
                       r.linear_solves / r.steps, published[start][k], r.seconds, r.edge_strain,
                       r.inverted, r.inverted == 0 && r.edge_strain < 0.01,
                       pbs_status_name(r.status));
                fflush(stdout);
            }
        }
    }
    return 0;
}
