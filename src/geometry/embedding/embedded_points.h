// Points that are carried along by at most four control points each (docs/theory/embedding.md):
//     x = sum_k w_k x_k + (sum_k w_k F_k) o,    n ~ cof(sum_k w_k F_k) n0
// x_k and F_k: place and deformation gradient of control point k. Reading is const: any number of
// threads may read.
// SPDX-License-Identifier: MIT
#ifndef PBS_GEOMETRY_EMBEDDING_EMBEDDED_POINTS_H
#define PBS_GEOMETRY_EMBEDDING_EMBEDDED_POINTS_H

#include "base/runtime/memory.h"

enum { CONTROL_POINTS = 4 };

/// What carries one point. Unused control points are 0 with weight 0.
struct binding {
    double weight[CONTROL_POINTS];
    uint32_t control[CONTROL_POINTS];
};

/// All zero is a valid one without points.
struct embedded_points {
    size_t count;
    struct binding *bindings; ///< count
    double *offsets;          ///< null: all 0; or count x 3, m, in the rest shape: o
    float *normals;           ///< null, or count x 3: n0
};

/// Places (PLACE_ROW a control point) and gradients (GRADIENT_ROW; null where no point has an
/// offset and none a normal), and how much of them counts.
struct control_state {
    const double *places, *gradients;
    double share;
};

/// Rows of three numbers in a host's buffer.
struct point_rows {
    void *dst;
    size_t stride; ///< bytes from row to row
    bool doubles;  ///< else floats
};

pbs_status embedded_points_allocate(struct memory *memory, size_t count, bool offsets, bool normals,
                                    struct embedded_points *out);
void embedded_points_free(struct memory *memory, struct embedded_points *points);

/// The sum over one or two states of share times what the points are there: their places, where
/// shares sum to 1; their mean velocities, for shares of -1/t and 1/t. Points first to first +
/// count - 1.
void embedded_points_combine(const struct embedded_points *points,
                             const struct control_state *states, int state_count, size_t first,
                             size_t count, const struct point_rows *out);

/// Unit normals; zero where the deformation leaves none.
void embedded_points_normals(const struct embedded_points *points,
                             const struct control_state *states, int state_count, size_t first,
                             size_t count, const struct point_rows *out);

#endif
