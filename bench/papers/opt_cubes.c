// OPT figures 8 and 9 at increasing size; linear solves are printed with those of OPT's figure 11
// (whose cubes have 65^3 points):
//     bench opt-cube guess=paper iterations=default start=random points=33 young=1e+09 tolerance=0
//     steps=1 solves_per_step=.. first_step_solves=.. cg_products=.. average=..
//     opt_solves_per_step=109.6 energy=.. gradient=.. seconds=.. edge_strain=.. inverted=0
//     recovered=1 status=..
// cg_products, energy and gradient are those of the first step; `average` is the mean over --frames
// steps. OPT's value is a mean over all frames of a scene, in most of which the cube is at rest.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "common/program/command_line.h"
#include "scenes/opt/opt_cubes.h"

enum { STEP_LIMIT = 400 };

// OPT figure 11, rows 8 top, lt, rt and 9 top, lt, rt: averages over 100, 40, 1 and 120, 5, 1
// steps.
static const double published[2][3] = {{12.3, 236.8, 109.6}, {10.7, 155.9, 88.8}};

static const char *const names[2] = {"random", "point"};

static void measure(const struct opt_cube *cube, double opt, int32_t threads) {
    const struct opt_cube_result r = opt_cube_run(cube, STEP_LIMIT, threads);
    printf(
        "bench opt-cube guess=%s iterations=%s start=%s points=%zu young=%g tolerance=%g steps=%d "
        "solves_per_step=%.1f first_step_solves=%.0f cg_products=%.0f average=%.1f "
        "opt_solves_per_step=%.1f energy=%.9e gradient=%.1e seconds=%.2f edge_strain=%.2e "
        "inverted=%zu recovered=%d status=%s\n",
        cube->guess == PBS_GUESS_OPT ? "paper" : "default", cube->plain ? "plain" : "default",
        names[cube->start], cube->points, cube->young, cube->tolerance, r.steps,
        r.linear_solves / r.steps, r.first_step_solves, r.first_step_products, r.mean_solves, opt,
        r.energy, r.gradient, r.seconds, r.edge_strain, r.inverted,
        r.inverted == 0 && r.edge_strain < 0.01, pbs_status_name(r.status));
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const size_t points[] = {9, 17, 33, 65};
    const char *guess = "default", *start = "", *checkpoint = NULL;
    int64_t largest = 17, smallest = 9, frames = 0, threads = 1;
    double young = 0.0, tolerance = 0.0;
    bool plain = false, progress = false;
    const struct command_option options[] = {
        {"guess", COMMAND_TEXT, &guess, "NAME", "paper: OPT's alone; default: a rigid one too"},
        {"plain", COMMAND_FLAG, &plain, NULL, "OPT's iterations: exact Hessians, no alignment"},
        {"largest", COMMAND_COUNT, &largest, "N", "points along an edge: 9, 17, 33 or 65"},
        {"smallest", COMMAND_COUNT, &smallest, "N", "likewise"},
        {"young", COMMAND_NUMBER, &young, "E", "1e4, 1e5 or 1e9 Pa alone; 0: all three"},
        {"start", COMMAND_TEXT, &start, "NAME", "random or point alone"},
        {"tolerance", COMMAND_NUMBER, &tolerance, "T", "of the reference force; 0: the default"},
        {"frames", COMMAND_COUNT, &frames, "N", "steps to take at least, for the average"},
        {"threads", COMMAND_COUNT, &threads, "N", "0: all"},
        {"progress", COMMAND_FLAG, &progress, NULL, "a line on standard error for each step"},
        {"checkpoint", COMMAND_TEXT, &checkpoint, "FILE", "of one cube: continue here, write here"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "OPT's cubes from random places or a single point.",
                              options, sizeof options / sizeof *options, &status)) {
        return status;
    }
    const int32_t kind = strcmp(guess, "paper") == 0 ? PBS_GUESS_OPT : PBS_GUESS_BEST;
    for (size_t row = 0; row < 6 * sizeof points / sizeof *points; row++) {
        const size_t k = row % 3, from = row / 3 % 2;
        const struct opt_cube cube = {.points = points[row / 6],
                                      .young = opt_cube_stiffness[k],
                                      .start = (enum opt_cube_start)from,
                                      .guess = kind,
                                      .plain = plain,
                                      .tolerance = tolerance,
                                      .frames = (int)frames,
                                      .progress = progress,
                                      .checkpoint = checkpoint};
        if ((int64_t)cube.points <= largest && (int64_t)cube.points >= smallest &&
            (young == 0.0 || young == cube.young) &&
            (start[0] == 0 || strcmp(start, names[from]) == 0)) {
            measure(&cube, published[from][k], (int32_t)threads);
        }
    }
    return 0;
}
