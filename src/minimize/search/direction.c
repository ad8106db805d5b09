// See direction.h: OPT section 3.1, "Conjugate gradient" and "Downhill direction".
// SPDX-License-Identifier: MIT
#include "minimize/search/direction.h"

#include <math.h>

#include "base/lanes/vector.h"

// OPT's kappa: minimum cosine of the angle between the direction and steepest descent.
static const double DOWNHILL = 1e-2;

double direction_forcing(const struct direction_options *options, double gradient_norm) {
    return fmin(options->loosest, options->forcing * sqrt(fmax(gradient_norm, options->tolerance)));
}

enum direction_kind direction_choose(double slope, double direction_norm, double gradient_norm) {
    const double bound = DOWNHILL * direction_norm * gradient_norm;
    if (slope < -bound) {
        return DIRECTION_NEWTON;
    }
    return slope > bound ? DIRECTION_REVERSED : DIRECTION_GRADIENT;
}

void direction_steepest(struct tasks *tasks, const struct linear_problem *h, const double *g,
                        double *scratch, double *d) {
    const size_t count = 3 * (size_t)h->a->row_count;
    problem_multiply(tasks, h, g, scratch);
    const double curvature = fabs(vector_dot(tasks, count, g, scratch));
    const double length = vector_dot(tasks, count, g, g) / curvature;
    vector_copy(tasks, count, g, d);
    vector_scale(tasks, count, isfinite(length) ? -length : -1.0, d);
}

/// Solves H d = g by conjugate gradients; the result is negated at the end, where that is cheapest.
static struct pcg_result solve(struct tasks *tasks, const struct linear_problem *h,
                               const struct preconditioner *m, const double *g, double tolerance,
                               const struct direction_options *options,
                               struct pcg_workspace *workspace, double *d) {
    const struct pcg_options pcg = {.relative_tolerance = tolerance,
                                    .iteration_limit = options->iteration_limit,
                                    .norm = options->norm,
                                    .small = options->small,
                                    .small_gain = options->small_gain,
                                    .small_tolerance = options->small_tolerance};
    const struct pcg_result result = pcg_solve(tasks, h, m, g, &pcg, workspace, d);
    vector_scale(tasks, 3 * (size_t)h->a->row_count, -1.0, d);
    return result;
}

struct direction_result direction_compute(struct tasks *tasks, const struct linear_problem *h,
                                          const struct preconditioner *m, const double *g,
                                          const struct direction_options *options,
                                          struct pcg_workspace *workspace, double *d) {
    const size_t count = 3 * (size_t)h->a->row_count;
    const double gradient_norm = vector_norm(tasks, count, g);
    struct direction_result result = {.kind = DIRECTION_GRADIENT};
    if (m != NULL) {
        const struct pcg_result pcg = solve(
            tasks, h, m, g, direction_forcing(options, gradient_norm), options, workspace, d);
        result.linear_iterations = pcg.iterations;
        result.indefinite = pcg.outcome == PCG_INDEFINITE;
        if (pcg.outcome == PCG_GIVEN_UP) {
            result.status = pcg.status;
            return result;
        }
        result.slope = vector_dot(tasks, count, g, d);
        result.kind = direction_choose(result.slope, vector_norm(tasks, count, d), gradient_norm);
        // Without negative curvature d . g = -d . H d < 0, and the cosine is bounded by the
        // condition number of H alone. On fine, stiff meshes the cosine may correctly be below
        // kappa, where steepest descent would be very slow.
        if (!result.indefinite && result.slope < 0.0 && isfinite(result.slope)) {
            result.kind = DIRECTION_NEWTON;
        }
    }
    if (result.kind == DIRECTION_REVERSED) {
        vector_scale(tasks, count, -1.0, d);
    } else if (result.kind == DIRECTION_GRADIENT) {
        direction_steepest(tasks, h, g, workspace->ap, d);
    }
    const double length = vector_norm(tasks, count, d);
    if (length > options->length_limit) {
        vector_scale(tasks, count, options->length_limit / length, d);
        result.clamped = true;
    }
    result.slope = vector_dot(tasks, count, g, d);
    return result;
}
