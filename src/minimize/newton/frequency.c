// The largest eigenvalue of M^-1 H by power iteration on M^-1/2 H M^-1/2.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/lanes/vector.h"
#include "minimize/newton/newton.h"
#include "minimize/newton/state.h"

enum { ITERATIONS = 20, PIECES = 64 };

struct scaling {
    const struct newton *newton;
    const double *mass;
    double *rows; ///< row order
};

static void divide_piece(void *context, size_t piece) {
    const struct scaling *s = context;
    const struct layout *layout = &s->newton->assembly->layout;
    const size_t end = layout->node_count * (piece + 1) / PIECES;
    for (size_t row = layout->node_count * piece / PIECES; row < end; row++) {
        const double factor = 1.0 / sqrt(s->mass[layout->node[row]]);
        for (size_t k = 3 * row; k < 3 * row + 3; k++) {
            s->rows[k] *= factor;
        }
    }
}

/// rows <- M^-1/2 rows
static void divide(const struct newton *newton, const struct objective *o, double *rows) {
    struct scaling scaling = {newton, o->mass, rows};
    tasks_for(o->tasks, PIECES, divide_piece, &scaling);
}

/// Fills a pseudo-random vector in [-1, 1), by hashing the index: a start vector that very likely
/// contains every mode.
static void fill(double *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rows[i] = (double)(z >> 11) * 0x1p-52 - 1.0;
    }
}

int newton_largest_eigenvalue(struct newton *newton, const struct objective *objective,
                              const double *x, double *largest) {
    double *const vector = newton->direction_rows;
    double *const product = newton->position_rows;
    const size_t count = newton_coordinate_count(newton);
    const struct objective_result answer = objective_evaluate(objective, x, false, NULL,
                                                              newton->hessian.values);
    *largest = 0.0;
    if (answer.answer != EVALUATE_OK) {
        return answer.answer;
    }
    const struct linear_problem h = {.a = &newton->hessian, .f = objective_products(objective, x)};
    fill(vector, count);
    double norm = vector_norm(objective->tasks, count, vector);
    for (int i = 0; i < ITERATIONS && norm > 0.0; i++) {
        vector_scale(objective->tasks, count, 1.0 / norm, vector);
        divide(newton, objective, vector);
        problem_multiply(objective->tasks, &h, vector, product);
        divide(newton, objective, product);
        vector_copy(objective->tasks, count, product, vector);
        norm = vector_norm(objective->tasks, count, vector);
        *largest = norm;
    }
    return isfinite(*largest) ? EVALUATE_OK : EVALUATE_RECOVERABLE;
}
