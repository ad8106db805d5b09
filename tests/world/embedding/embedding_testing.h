// Shared by the tests of render meshes: affine motions of bodies, and calls of embeddings that must
// succeed.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_EMBEDDING_TESTING_H
#define PBS_WORLD_EMBEDDING_TESTING_H

#include "support/random.h"
#include "support/world_testing.h"

#include "base/matrix3/math3.h"

enum { POINTS = 300 };

/// x -> matrix x + shift.
struct motion {
    double matrix[9], shift[3];
};

static const struct motion sheared = {{1.1, 0.3, 0.0, -0.2, 0.9, 0.4, 0.1, 0.0, 1.2},
                                      {0.5, -0.7, 0.3}};

static inline void move(const struct motion *motion, const double x[3], double out[3]) {
    double turned[3];
    multiply3(motion->matrix, x, turned);
    add3(turned, motion->shift, out);
}

/// Puts all vertices where the motion takes them from their present places.
static inline void move_body(pbs_world *world, pbs_body body, const struct motion *motion) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *x = calloc(3 * count, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) {
        move(motion, pbs_body_positions(world, body) + 3 * i, x + 3 * i);
    }
    assert_ok(pbs_body_set_positions(world, body, x, count));
    free(x);
}

static inline pbs_embedding_desc describe(pbs_body body, const double *positions, size_t count) {
    pbs_embedding_desc d;
    assert_ok(pbs_embedding_desc_init(&d, sizeof d));
    d.body = body;
    d.positions = positions;
    d.point_count = count;
    return d;
}

static inline pbs_embedding *bind(const pbs_world *world, const pbs_embedding_desc *d) {
    pbs_embedding *e = NULL;
    assert_ok(pbs_embedding_create(world, d, &e));
    return e;
}

static inline void read_all(const pbs_embedding *e, int32_t channel, double fraction, double *out) {
    assert_ok(pbs_embedding_read_f64(e, channel, fraction, 0, pbs_embedding_point_count(e), out,
                                     3 * sizeof *out));
}

#endif
