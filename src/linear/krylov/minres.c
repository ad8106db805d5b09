// See minres.h. MINRES of Paige and Saunders (1975) with a preconditioner, in the form of Elman,
// Silvester and Wathen, Finite Elements and Fast Iterative Solvers, algorithm 6.1: Lanczos vectors
// v, preconditioned ones z, search directions w, one Givens rotation per iteration.
// SPDX-License-Identifier: MIT
#include "linear/krylov/minres.h"

#include <math.h>

#include "base/lanes/vector.h"

// From one computed residual to the next the norm must fall to this fraction; otherwise rounding
// prevents further progress.
#define PROGRESS 0.5

struct lanczos {
    struct tasks *tasks;
    const struct linear_problem *problem;
    const struct preconditioner *m;
    size_t count;
    struct minres_workspace w;  ///< rotated: index 0 is the oldest
    double gamma_before, gamma; ///< norms of the last two v in the norm of M^-1
    double cosine_before, cosine, sine_before, sine;
    double eta;   ///< signed norm of the residual
    bool is_lost; ///< the last squared norm was negative or not a number
};

static void rotate3(double *vectors[3]) {
    double *oldest = vectors[0];
    vectors[0] = vectors[1];
    vectors[1] = vectors[2];
    vectors[2] = oldest;
}

static double inner(const struct lanczos *s, const double *x, const double *y) {
    return vector_dot(s->tasks, s->count, x, y);
}

/// Returns the norm of v in M^-1, given z = M^-1 v. The square is negative only through rounding or
/// if M is not positive definite; is_lost then ends the recurrence.
static double norm(struct lanczos *s, const double *v, const double *z) {
    const double square = inner(s, v, z);
    s->is_lost = !(square >= 0.0);
    return sqrt(fabs(square));
}

/// v_1 = b - H x after the preconditioner's start vector has been added to x. Returns by how much
/// that reduced the square of b's norm.
static double residual(struct lanczos *s, const double *b, double *x) {
    problem_multiply(s->tasks, s->problem, x, s->w.v[0]);
    vector_combine(s->tasks, s->count, b, -1.0, s->w.v[0], s->w.v[1]);
    if (!preconditioner_start(s->m, s->tasks, s->w.v[1], s->w.w[0])) {
        return 0.0;
    }
    problem_multiply(s->tasks, s->problem, s->w.w[0], s->w.v[0]);
    const double reduction = inner(s, s->w.v[1], s->w.w[0]);
    vector_add_scaled(s->tasks, s->count, 1.0, s->w.w[0], x);
    vector_add_scaled(s->tasks, s->count, -1.0, s->w.v[0], s->w.v[1]);
    return reduction;
}

/// Starts the recurrence at x. Returns the norm of b - H x at the x that was passed.
static double start(struct lanczos *s, const double *b, double *x) {
    const double reduction = residual(s, b, x);
    for (int i = 0; i < 2; i++) {
        vector_zero(s->tasks, s->count, s->w.w[i]);
    }
    vector_zero(s->tasks, s->count, s->w.v[0]);
    s->m->table->apply(s->m->state, s->tasks, s->w.v[1], s->w.z[0]);
    s->gamma = norm(s, s->w.v[1], s->w.z[0]);
    s->gamma_before = 1.0;
    s->eta = s->gamma;
    s->cosine_before = s->cosine = 1.0;
    s->sine_before = s->sine = 0.0;
    return sqrt(reduction + s->gamma * s->gamma);
}

/// v_{j+1} = A z_j - (delta / gamma_j) v_j - (gamma_j / gamma_{j-1}) v_{j-1}; returns delta.
static double extend(struct lanczos *s) {
    double *const z = s->w.z[0];
    double *const next = s->w.v[2];
    vector_scale(s->tasks, s->count, 1.0 / s->gamma, z);
    problem_multiply(s->tasks, s->problem, z, next);
    const double delta = inner(s, next, z);
    vector_add_scaled(s->tasks, s->count, -delta / s->gamma, s->w.v[1], next);
    vector_add_scaled(s->tasks, s->count, -s->gamma / s->gamma_before, s->w.v[0], next);
    s->m->table->apply(s->m->state, s->tasks, next, s->w.z[1]);
    return delta;
}

/// Applies the Givens rotation and updates x. Returns false, without changes, if the rotation is
/// not defined.
static bool update(struct lanczos *s, double delta, double *x) {
    const double gamma_next = norm(s, s->w.v[2], s->w.z[1]);
    const double a0 = s->cosine * delta - s->cosine_before * s->sine * s->gamma;
    const double a1 = sqrt(a0 * a0 + gamma_next * gamma_next);
    if (!(a1 > 0.0 && a1 < INFINITY)) {
        return false;
    }
    const double a2 = s->sine * delta + s->cosine_before * s->cosine * s->gamma;
    const double a3 = s->sine_before * s->gamma;
    s->cosine_before = s->cosine;
    s->sine_before = s->sine;
    s->cosine = a0 / a1;
    s->sine = gamma_next / a1;
    double *const w = s->w.w[2];
    vector_combine(s->tasks, s->count, s->w.z[0], -a3, s->w.w[0], w);
    vector_add_scaled(s->tasks, s->count, -a2, s->w.w[1], w);
    vector_scale(s->tasks, s->count, 1.0 / a1, w);
    vector_add_scaled(s->tasks, s->count, s->cosine * s->eta, w, x);
    s->eta *= -s->sine;
    s->gamma_before = s->gamma;
    s->gamma = gamma_next;
    return true;
}

static void shift(struct lanczos *s) {
    rotate3(s->w.v);
    rotate3(s->w.w);
    double *const z = s->w.z[0];
    s->w.z[0] = s->w.z[1];
    s->w.z[1] = z;
}

/// Iterates until the estimated residual reaches `goal`, the recurrence breaks down, or `limit` is
/// reached.
static void iterate(struct lanczos *s, double goal, uint32_t limit, double *x,
                    struct minres_result *result) {
    while (result->iterations < limit && fabs(s->eta) > goal && s->gamma > 0.0 && !s->is_lost) {
        const double delta = extend(s);
        result->iterations++;
        if (!update(s, delta, x)) {
            return;
        }
        shift(s);
    }
}

struct minres_result minres_solve(struct tasks *tasks, const struct linear_problem *problem,
                                  const struct preconditioner *m, const double *b,
                                  const struct minres_options *options,
                                  const struct minres_workspace *workspace, double *x) {
    struct lanczos s = {.tasks = tasks,
                        .problem = problem,
                        .m = m,
                        .count = 3 * (size_t)problem->a->row_count,
                        .w = *workspace};
    vector_zero(tasks, s.count, x);
    const double first = start(&s, b, x);
    const double goal = options->relative_tolerance * first;
    struct minres_result result = {.converged = s.gamma <= goal};
    double before = INFINITY;
    // The residual is computed from scratch; if the recurrence was wrong, it restarts there.
    while (!result.converged && s.gamma <= PROGRESS * before &&
           result.iterations < options->iteration_limit) {
        before = s.gamma;
        iterate(&s, goal, options->iteration_limit, x, &result);
        start(&s, b, x);
        result.converged = s.gamma <= goal;
    }
    result.relative_residual = first > 0.0 ? s.gamma / first : s.gamma;
    if (m->table->record_outcome) {
        m->table->record_outcome(m->state,
                                 &(struct solve_outcome){result.iterations, result.converged});
    }
    return result;
}
