// Runs the trials of particle_in_bowl.h.
// SPDX-License-Identifier: MIT
#include "scenes/contact/particle_in_bowl.h"

#include <math.h>
#include <stdlib.h>

#include "base/matrix3/math3.h"
#include "contact/penetration/level_set_penalty.h"
#include "pbs/collider.h"
#include "scenes/random.h"

static const double SPRING = 5760.0;   // N/m: m / h^2 of 10 kg in steps of 1/24 s
static const double STIFFNESS = 1e6;   // Pa
static const double TOLERANCE = 1e-6;  // m: of the gradient divided by the spring's stiffness
static const double DEEPEST = 0.3;     // m: largest depth of targets
static const double SUFFICIENT = 1e-4; // fraction of the slope in Armijo's condition

struct particle {
    struct obstacle obstacle;
    struct distance_grid grid;
    double target[3];
};

/// Samples the ball's distance; null if memory is short. The ball's centre is offset from the grid
/// by fractions of a cell, so that no symmetry favours the result.
static float *make_grid(const struct bowl_trial *trial, struct distance_grid *grid) {
    static const double off[3] = {0.31, 0.17, 0.43};
    const double cell = 1.0 / trial->radius_cells;
    const uint32_t side = (uint32_t)ceil(2.0 * (1.0 + DEEPEST) / cell) + 9;
    float *samples = malloc((size_t)side * side * side * sizeof *samples);
    *grid = (struct distance_grid){.cell = cell,
                                   .counts = {side, side, side},
                                   .samples = samples,
                                   .is_linear = trial->is_linear};
    for (int k = 0; k < 3; k++) {
        grid->origin[k] = -cell * (0.5 * (side - 1) + off[k]);
    }
    for (size_t i = 0; samples != NULL && i < (size_t)side * side * side; i++) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = grid->origin[k] + cell * (double)at[k];
        }
        const double distance = norm3(x) - 1.0;
        samples[i] = (float)(trial->is_bowl ? -distance : distance);
    }
    if (samples != NULL && distance_grid_check(grid) < 0) {
        free(samples);
        return NULL;
    }
    return samples;
}

static double evaluate(const struct particle *p, const double x[3], double gradient[3],
                       double hessian[9]) {
    double way[3];
    double value = level_set_penalty(&p->obstacle, STIFFNESS, true, x, gradient, hessian);
    subtract3(x, p->target, way);
    value += 0.5 * SPRING * dot3(way, way);
    if (gradient != NULL) {
        add_scaled3(gradient, SPRING, way, gradient);
    }
    for (int k = 0; hessian != NULL && k < 3; k++) {
        hessian[4 * k] += SPRING;
    }
    return value;
}

/// Halves the step until Armijo's condition holds. Returns false if it never does.
static bool search_line(const struct particle *p, double value, double slope, const double step[3],
                        double x[3]) {
    for (double part = 1.0; part > 1e-12; part *= 0.5) {
        double tried[3];
        add_scaled3(x, part, step, tried);
        if (evaluate(p, tried, NULL, NULL) <= value + SUFFICIENT * part * slope) {
            copy3(tried, x);
            return true;
        }
    }
    return false;
}

/// Minimises from the target as initial guess. Returns the number of iterations; *left: final
/// gradient divided by the spring's stiffness, m.
static int minimize(const struct particle *p, double *left) {
    double x[3];
    copy3(p->target, x);
    for (int iteration = 0;; iteration++) {
        double gradient[3];
        double hessian[9];
        double inverse[9] = {0.0};
        double step[3];
        const double value = evaluate(p, x, gradient, hessian);
        *left = norm3(gradient) / SPRING;
        if (*left < TOLERANCE || iteration == BOWL_ITERATIONS) {
            return iteration;
        }
        invert33(hessian, inverse);
        multiply3(inverse, gradient, step);
        scale3(-1.0, step, step);
        if (!search_line(p, value, dot3(gradient, step), step, x)) {
            return iteration;
        }
    }
}

static void choose_target(const struct bowl_trial *trial, size_t i, double target[3]) {
    const uint64_t first = 100 * (uint64_t)i;
    double length = 0.0;
    for (uint64_t k = 0; !(length > 0.1 && length <= 1.0) && k < 32; k++) {
        for (uint64_t axis = 0; axis < 3; axis++) {
            target[axis] = noise(first + 3 * k + axis);
        }
        length = norm3(target);
    }
    const double depth = DEEPEST * 0.5 * (1.0 + noise(first + 99));
    scale3((trial->is_bowl ? 1.0 + depth : 1.0 - depth) / length, target, target);
}

bool particle_in_bowl(const struct bowl_trial *trial, struct bowl_result *out) {
    struct particle p = {.obstacle = {.shape = {.kind = PBS_SHAPE_GRID},
                                      .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
    float *samples = make_grid(trial, &p.grid);
    p.obstacle.shape.grid = &p.grid;
    *out = (struct bowl_result){.failures = 0};
    for (size_t i = 0; samples != NULL && i < trial->targets; i++) {
        double left = 0.0;
        choose_target(trial, i, p.target);
        const int iterations = minimize(&p, &left);
        out->mean_iterations += (double)iterations / (double)trial->targets;
        out->most_iterations = iterations > out->most_iterations ? iterations
                                                                 : out->most_iterations;
        out->failures += left < TOLERANCE ? 0 : 1;
        out->largest = fmax(out->largest, left);
    }
    free(samples);
    return samples != NULL;
}
