// See dense_newton.h. In units of position the residual is r = x - x~ - c M^-1 f. Divided by b or c
// it is the residual of velocity or acceleration (docs/theory/schemes.md section 1). So the three
// choices of the unknown differ only by a factor and the first guess.
// SPDX-License-Identifier: MIT
#include "minimize/dense/dense_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/runtime/unwritten.h"

// A correction below this many rounding errors of the position counts as noise.
#define NOISE 16.0

// GAT section 2.1: Newton's method has failed after this many iterations without a decrease.
enum { PATIENCE = 3 };

// --- creation and destruction ---

static bool reserve(struct memory *memory, size_t count, double **array) {
    *array = memory_allocate(memory, count, sizeof **array);
    return *array != NULL;
}

pbs_status dense_newton_create(struct memory *memory, size_t size, struct dense_newton *out) {
    struct dense_newton newton = {0};
    const bool done = dense_lu_create(memory, size, &newton.lu) >= 0 &&
                      reserve(memory, size * size, &newton.force_by_x) &&
                      reserve(memory, size * size, &newton.force_by_v) &&
                      reserve(memory, size, &newton.velocity) &&
                      reserve(memory, size, &newton.force) &&
                      reserve(memory, size, &newton.residual) &&
                      reserve(memory, size, &newton.probe) &&
                      reserve(memory, size, &newton.other_force);
    if (!done) {
        dense_newton_free(&newton, memory);
        return PBS_ERROR_MEMORY;
    }
    *out = newton;
    return PBS_OK;
}

void dense_newton_free(struct dense_newton *newton, struct memory *memory) {
    dense_lu_free(&newton->lu, memory);
    memory_release(memory, newton->force_by_x);
    memory_release(memory, newton->force_by_v);
    memory_release(memory, newton->velocity);
    memory_release(memory, newton->force);
    memory_release(memory, newton->residual);
    memory_release(memory, newton->probe);
    memory_release(memory, newton->other_force);
    *newton = (struct dense_newton){0};
}

// --- vectors and matrices ---

static double largest(size_t count, const double *x) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static bool is_finite(size_t count, const double *x) {
    // 0 * infinity and 0 * NaN are NaN.
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += 0.0 * x[i];
    }
    return sum == 0.0;
}

/// Returns the 2-norm, scaled so that squares neither overflow nor underflow.
static double norm(size_t count, const double *x) {
    const double scale = largest(count, x);
    double sum = 0.0;
    for (size_t i = 0; i < count && scale > 0.0; i++) {
        sum += x[i] / scale * (x[i] / scale);
    }
    return is_finite(count, x) ? scale * sqrt(sum) : NAN;
}

/// out += factor A x; null A: zero.
static void add_product(size_t size, double factor, const double *matrix, const double *x,
                        double *out) {
    for (size_t i = 0; i < size && matrix != NULL; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < size; j++) {
            sum += matrix[i * size + j] * x[j];
        }
        out[i] += factor * sum;
    }
}

// --- forces ---

static pbs_status stopped(int32_t answer) {
    return status_fail(PBS_ERROR_HOST, "the host's callback asked to stop: it returned %d",
                       (int)answer);
}

/// out = F(t, x, v) only. Hosts never get numbers that are not finite.
static pbs_status host_force(const struct dense_equation *equation, double time, const double *x,
                             const double *v, double *out) {
    memset(out, 0, equation->size * sizeof *out);
    if (!is_finite(equation->size, x) || !is_finite(equation->size, v)) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "positions or velocities are not finite at time %g", time);
    }
    if (equation->force == NULL) {
        return PBS_OK;
    }
    unwritten_fill(out, equation->size);
    const int32_t answer = equation->force(equation->user, time, x, v, out);
    if (answer < 0) {
        return stopped(answer);
    }
    if (answer > 0) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "the host has no forces at time %g: its callback returned %d", time,
                           (int)answer);
    }
    const size_t unwritten = unwritten_find(out, equation->size);
    if (unwritten < equation->size) {
        return status_fail(PBS_ERROR_HOST,
                           "the host's callback returned 0 at time %g without writing force %zu",
                           time, unwritten);
    }
    for (size_t i = 0; i < equation->size; i++) {
        if (!isfinite(out[i])) {
            return status_fail(PBS_ERROR_INADMISSIBLE, "force %zu is %g at time %g, must be finite",
                               i, out[i], time);
        }
    }
    return PBS_OK;
}

pbs_status dense_acceleration(const struct dense_equation *equation, double time, const double *x,
                              const double *v, double *out) {
    const size_t n = equation->size;
    RETURN_IF_FAILED(host_force(equation, time, x, v, out));
    add_product(n, -1.0, equation->damping, v, out);
    add_product(n, -1.0, equation->stiffness, x, out);
    if (equation->mass != NULL) {
        dense_lu_solve(equation->mass_factors, out);
    }
    return PBS_OK;
}

pbs_status dense_rest_acceleration(struct dense_newton *newton,
                                   const struct dense_equation *equation, double time,
                                   const double *x, double *out) {
    memset(newton->velocity, 0, equation->size * sizeof(double));
    return dense_acceleration(equation, time, x, newton->velocity, out);
}

// --- one solve ---

struct solve {
    struct dense_newton *newton;
    const struct dense_equation *equation;
    const struct dense_stage *stage;
    const struct dense_options *options;
    double unit;    ///< one unit of the unknown in units of position: 1, b or c
    bool about_now; ///< derivatives are taken at a velocity other than the stage's
    struct dense_result result;
};

/// newton->residual = x - x~ - c a(x), newton->velocity = (x - p_x) / b.
static pbs_status evaluate(struct solve *solve, const double *x) {
    struct dense_newton *newton = solve->newton;
    const struct dense_stage *stage = solve->stage;
    const size_t n = solve->equation->size;
    for (size_t i = 0; i < n; i++) {
        newton->velocity[i] = (x[i] - stage->origin[i]) / stage->length;
    }
    solve->result.force_evaluations++;
    RETURN_IF_FAILED(
        dense_acceleration(solve->equation, stage->time, x, newton->velocity, newton->force));
    for (size_t i = 0; i < n; i++) {
        newton->residual[i] = x[i] - stage->predictor[i] - stage->weight * newton->force[i];
    }
    solve->result.residual = norm(n, newton->residual) / solve->unit;
    return PBS_OK;
}

/// out = the unknown at x, in its own units.
static void unknown_at(const struct solve *solve, const double *x, double *out) {
    const struct dense_stage *stage = solve->stage;
    const int32_t unknown = solve->options->unknown;
    for (size_t i = 0; i < solve->equation->size; i++) {
        const double origin = unknown == PBS_UNKNOWN_POSITION   ? 0.0
                              : unknown == PBS_UNKNOWN_VELOCITY ? stage->origin[i]
                                                                : stage->predictor[i];
        out[i] = (x[i] - origin) / solve->unit;
    }
}

/// Evaluates the force with one position, and the velocity that follows from it, changed.
static pbs_status probe_force(struct solve *solve, const double *x, size_t column, double value,
                              double *out) {
    struct dense_newton *newton = solve->newton;
    const struct dense_stage *stage = solve->stage;
    const double velocity = newton->velocity[column];
    memcpy(newton->probe, x, solve->equation->size * sizeof *x);
    newton->probe[column] = value;
    newton->velocity[column] = solve->about_now ? velocity + (value - x[column]) / stage->length
                                                : (value - stage->origin[column]) / stage->length;
    solve->result.force_evaluations++;
    const pbs_status status = host_force(solve->equation, stage->time, newton->probe,
                                         newton->velocity, out);
    newton->velocity[column] = velocity;
    return status;
}

/// Computes dF/dx + (dF/dv) / b by the three-point rule of GAT section 2.1.1: in the unknown's
/// units, with a stencil that does not vanish at zero (docs/theory/scenes.md section 1.1).
static pbs_status difference(struct solve *solve, const double *x) {
    struct dense_newton *newton = solve->newton;
    const size_t n = solve->equation->size;
    unknown_at(solve, x, newton->probe);
    const double stencil = sqrt(DBL_EPSILON) * fmax(1.0, largest(n, newton->probe)) * solve->unit;
    for (size_t j = 0; j < n; j++) {
        const double width = fmax(stencil, 4.0 * DBL_EPSILON * fabs(x[j]));
        const double high = x[j] + width, low = x[j] - width;
        RETURN_IF_FAILED(probe_force(solve, x, j, high, newton->force));
        RETURN_IF_FAILED(probe_force(solve, x, j, low, newton->other_force));
        for (size_t i = 0; i < n; i++) {
            newton->force_by_x[i * n + j] = (newton->force[i] - newton->other_force[i]) /
                                            (high - low);
        }
    }
    return PBS_OK;
}

/// Computes dF/dx and dF/dv. With finite differences force_by_x holds their sum dF/dx + (dF/dv) /
/// b.
static pbs_status differentiate(struct solve *solve, const double *x) {
    struct dense_newton *newton = solve->newton;
    const struct dense_equation *equation = solve->equation;
    const size_t n = equation->size;
    memset(newton->force_by_x, 0, n * n * sizeof(double));
    memset(newton->force_by_v, 0, n * n * sizeof(double));
    if (equation->force == NULL) {
        return PBS_OK;
    }
    solve->result.jacobian_evaluations++;
    if (equation->jacobian == NULL) {
        return difference(solve, x);
    }
    const int32_t answer = equation->jacobian(equation->user, solve->stage->time, x,
                                              newton->velocity, newton->force_by_x,
                                              newton->force_by_v);
    if (answer < 0) {
        return stopped(answer);
    }
    if (answer > 0 || !is_finite(n * n, newton->force_by_x) ||
        !is_finite(n * n, newton->force_by_v)) {
        return status_fail(PBS_ERROR_INADMISSIBLE,
                           "the host has no finite derivatives of its forces at time %g",
                           solve->stage->time);
    }
    return PBS_OK;
}

/// Computes and factors A = M - c (dF/dx - K + (dF/dv - D) / b).
static pbs_status factor(struct solve *solve) {
    struct dense_newton *newton = solve->newton;
    const struct dense_equation *equation = solve->equation;
    const double c = solve->stage->weight, c_by_b = c / solve->stage->length;
    const size_t n = equation->size;
    double *matrix = newton->lu.matrix;
    for (size_t k = 0; k < n * n; k++) {
        const double mass = equation->mass != NULL ? equation->mass[k] : k % (n + 1) == 0;
        const double stiffness = equation->stiffness != NULL ? equation->stiffness[k] : 0.0;
        const double damping = equation->damping != NULL ? equation->damping[k] : 0.0;
        matrix[k] = mass - c * (newton->force_by_x[k] - stiffness) -
                    c_by_b * (newton->force_by_v[k] - damping);
    }
    if (!is_finite(n * n, matrix) || !dense_lu_factor(&newton->lu)) {
        newton->lu.is_usable = false;
        return status_fail(PBS_ERROR_CONVERGENCE, "the Newton matrix at time %g is singular",
                           solve->stage->time);
    }
    return PBS_OK;
}

/// Adds the correction -A^-1 M r to x. *noise: the correction is a rounding error.
static void correct(struct solve *solve, double *x, bool *noise) {
    struct dense_newton *newton = solve->newton;
    const size_t n = solve->equation->size;
    double *correction = newton->residual;
    if (solve->equation->mass != NULL) {
        memset(newton->force, 0, n * sizeof(double));
        add_product(n, 1.0, solve->equation->mass, newton->residual, newton->force);
        correction = newton->force;
    }
    dense_lu_solve(&newton->lu, correction);
    *noise = largest(n, correction) <= NOISE * DBL_EPSILON * largest(n, x);
    for (size_t i = 0; i < n; i++) {
        x[i] -= correction[i];
    }
}

static bool has_converged(const struct dense_result *result) {
    return isfinite(result->residual) && result->residual <= result->tolerance;
}

static pbs_status iterate(struct solve *solve, double *x) {
    struct dense_result *result = &solve->result;
    RETURN_IF_FAILED(evaluate(solve, x));
    const double first = result->residual;
    bool has_decreased = false;
    while (!has_converged(result)) {
        if (result->newton_iterations == solve->options->newton_limit) {
            return status_fail(
                PBS_ERROR_CONVERGENCE,
                "not converged after %u Newton iterations: residual %g, tolerance %g",
                (unsigned)result->newton_iterations, result->residual, result->tolerance);
        }
        if (result->newton_iterations == PATIENCE && !has_decreased) {
            return status_fail(PBS_ERROR_CONVERGENCE,
                               "the residual did not fall below %g in %d Newton iterations", first,
                               PATIENCE);
        }
        RETURN_IF_FAILED(differentiate(solve, x));
        RETURN_IF_FAILED(factor(solve));
        bool noise = false;
        correct(solve, x, &noise);
        result->newton_iterations++;
        RETURN_IF_FAILED(evaluate(solve, x));
        has_decreased = has_decreased || result->residual < first;
        if (noise && !has_converged(result)) {
            result->roundoff_accepts++;
            break;
        }
    }
    return PBS_OK;
}

struct dense_result dense_newton_solve(struct dense_newton *newton,
                                       const struct dense_equation *equation,
                                       const struct dense_stage *stage,
                                       const struct dense_options *options, double *x) {
    const double units[] = {1.0, stage->length, stage->weight};
    struct solve solve = {.newton = newton,
                          .equation = equation,
                          .stage = stage,
                          .options = options,
                          .unit = units[options->unknown]};
    unknown_at(&solve, x, newton->probe);
    solve.result.tolerance = options->tolerance +
                             options->relative_tolerance * norm(equation->size, newton->probe);
    solve.result.status = iterate(&solve, x);
    return solve.result;
}

// --- the linearly implicit step ---

/// out = (dF/dv) w at (x_n, v_n). Finite differences are along x and v together, so this takes one
/// more difference.
static pbs_status force_change(struct solve *solve, const double *x_now, const double *v_now,
                               const double *w, double *out) {
    struct dense_newton *newton = solve->newton;
    const struct dense_equation *equation = solve->equation;
    const size_t n = equation->size;
    memset(out, 0, n * sizeof *out);
    add_product(n, 1.0, newton->force_by_v, w, out);
    const double size = largest(n, w);
    if (equation->force == NULL || equation->jacobian != NULL || size == 0.0) {
        return PBS_OK;
    }
    const double width = sqrt(DBL_EPSILON) * fmax(1.0, largest(n, v_now)) / size;
    for (int side = 1; side >= -1; side -= 2) {
        for (size_t i = 0; i < n; i++) {
            newton->probe[i] = v_now[i] + side * width * w[i];
        }
        solve->result.force_evaluations++;
        RETURN_IF_FAILED(
            host_force(equation, solve->stage->time, x_now, newton->probe, newton->other_force));
        for (size_t i = 0; i < n; i++) {
            out[i] += side * newton->other_force[i] / (2.0 * width);
        }
    }
    return PBS_OK;
}

/// newton->residual = x_n - x~ - c M^-1 [F_n + (dF/dv - D) w]. F_n includes -K x_n - D v_n; w =
/// (x_n - p_x) / b - v_n is the stage's velocity at x_n minus v_n. The result equals -M^-1 A (x -
/// x_n).
static pbs_status linear_residual(struct solve *solve, const double *x_now, const double *v_now) {
    struct dense_newton *newton = solve->newton;
    const struct dense_equation *equation = solve->equation;
    const struct dense_stage *stage = solve->stage;
    const size_t n = equation->size;
    double *const w = newton->velocity, *const change = newton->residual;
    for (size_t i = 0; i < n; i++) {
        w[i] = (x_now[i] - stage->origin[i]) / stage->length - v_now[i];
    }
    RETURN_IF_FAILED(force_change(solve, x_now, v_now, w, change));
    add_product(n, -1.0, equation->damping, w, change);
    if (equation->mass != NULL) {
        dense_lu_solve(equation->mass_factors, change);
    }
    solve->result.force_evaluations++;
    RETURN_IF_FAILED(dense_acceleration(equation, stage->time, x_now, v_now, newton->force));
    for (size_t i = 0; i < n; i++) {
        newton->residual[i] = x_now[i] - stage->predictor[i] -
                              stage->weight * (newton->force[i] + change[i]);
    }
    return PBS_OK;
}

static pbs_status linear_step(struct solve *solve, const double *x_now, const double *v_now,
                              double *x) {
    struct dense_newton *newton = solve->newton;
    const size_t n = solve->equation->size;
    memcpy(newton->velocity, v_now, n * sizeof *v_now);
    RETURN_IF_FAILED(differentiate(solve, x_now));
    RETURN_IF_FAILED(linear_residual(solve, x_now, v_now));
    RETURN_IF_FAILED(factor(solve));
    memcpy(x, x_now, n * sizeof *x);
    bool noise = false;
    correct(solve, x, &noise);
    solve->result.newton_iterations = 1;
    // M (x - x~) / c is F~, so the residual of the stage's equation is the force error.
    RETURN_IF_FAILED(evaluate(solve, x));
    solve->result.force_error = largest(n, newton->residual);
    return PBS_OK;
}

struct dense_result dense_linear_solve(struct dense_newton *newton,
                                       const struct dense_equation *equation,
                                       const struct dense_stage *stage, const double *x_now,
                                       const double *v_now, double *x) {
    const struct dense_options options = {.unknown = PBS_UNKNOWN_POSITION};
    struct solve solve = {.newton = newton,
                          .equation = equation,
                          .stage = stage,
                          .options = &options,
                          .unit = 1.0,
                          .about_now = true};
    solve.result.status = linear_step(&solve, x_now, v_now, x);
    return solve.result;
}

void dense_result_add(struct dense_result *sum, const struct dense_result *one) {
    sum->newton_iterations += one->newton_iterations;
    sum->force_evaluations += one->force_evaluations;
    sum->jacobian_evaluations += one->jacobian_evaluations;
    sum->roundoff_accepts += one->roundoff_accepts;
    sum->residual = one->residual;
    sum->tolerance = one->tolerance;
    sum->force_error = fmax(sum->force_error, one->force_error);
}
