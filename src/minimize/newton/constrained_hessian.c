// Multiplies by Q in two passes, first from the left on the rows of all listed nodes, then from the
// right on their columns. Within a pass every block belongs to one node, so nodes can be processed
// in parallel.
// SPDX-License-Identifier: MIT
#include "minimize/newton/constrained_hessian.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

enum { NODES_PER_TASK = 64 };

struct congruence {
    const struct layout *layout;
    const struct block_columns *columns;
    const struct projection_active *active;
    size_t active_count;
    struct bsr *matrix;
};

static double largest_entry(const double block[9]) {
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(block[i]));
    }
    return largest > 0.0 ? largest : 1.0;
}

/// block = Q block Q + C + s (I - Q), made exactly symmetric.
static void constrain_diagonal(const struct projection_active *a, double block[9]) {
    const double s = largest_entry(block);
    double left[9];
    double both[9];
    multiply33(a->tangent, block, left);
    multiply33(left, a->tangent, both);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double identity = i == j ? 1.0 : 0.0;
            block[3 * i + j] = 0.5 * (both[3 * i + j] + both[3 * j + i]) + a->curvature[3 * i + j] +
                               s * (identity - a->tangent[3 * i + j]);
        }
    }
}

static void constrain_row(const struct congruence *c, const struct projection_active *a) {
    const uint32_t row = c->layout->row[a->node];
    double product[9];
    constrain_diagonal(a, c->matrix->values + 9 * c->matrix->row_start[row]);
    for (size_t k = c->matrix->row_start[row] + 1; k < c->matrix->row_start[row + 1]; k++) {
        multiply33(a->tangent, c->matrix->values + 9 * k, product);
        memcpy(c->matrix->values + 9 * k, product, sizeof product);
    }
}

static void constrain_column(const struct congruence *c, const struct projection_active *a) {
    const uint32_t column = c->layout->row[a->node];
    double product[9];
    for (size_t i = c->columns->start[column]; i < c->columns->start[column + 1]; i++) {
        double *const block = c->matrix->values + 9 * (size_t)c->columns->block[i];
        multiply33(block, a->tangent, product);
        memcpy(block, product, sizeof product);
    }
}

static void constrain_rows(void *context, size_t task) {
    const struct congruence *c = context;
    const size_t end = (task + 1) * NODES_PER_TASK;
    for (size_t i = task * NODES_PER_TASK; i < end && i < c->active_count; i++) {
        constrain_row(c, &c->active[i]);
    }
}

static void constrain_columns(void *context, size_t task) {
    const struct congruence *c = context;
    const size_t end = (task + 1) * NODES_PER_TASK;
    for (size_t i = task * NODES_PER_TASK; i < end && i < c->active_count; i++) {
        constrain_column(c, &c->active[i]);
    }
}

void constrain_hessian(struct tasks *tasks, const struct layout *layout,
                       const struct block_columns *columns, const struct projection_active *active,
                       size_t active_count, struct bsr *matrix) {
    struct congruence c = {layout, columns, active, active_count, matrix};
    const size_t task_count = (active_count + NODES_PER_TASK - 1) / NODES_PER_TASK;
    tasks_for(tasks, task_count, constrain_rows, &c);
    tasks_for(tasks, task_count, constrain_columns, &c);
}

void constrain_direction(const struct layout *layout, const struct projection_active *active,
                         size_t active_count, double *direction) {
    for (size_t i = 0; i < active_count; i++) {
        double *const d = direction + 3 * (size_t)layout->row[active[i].node];
        double tangential[3];
        multiply3(active[i].tangent, d, tangential);
        copy3(tangential, d);
    }
}
