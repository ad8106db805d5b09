// Random pairs, many of them nearly or fully degenerate.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_GEOMETRY_RANDOM_PAIRS_H
#define PBS_TESTS_GEOMETRY_RANDOM_PAIRS_H

#include <math.h>

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "support/random.h"

static inline double log_uniform(struct random *random, double low, double high) {
    return exp(random_uniform(random, log(low), log(high)));
}

// Nearly parallel edges, slivers and similar pairs: every node is moved towards a degenerate
// position, fully with probability 1/8, otherwise to a distance between `nearest` and 1.
static inline double towards(struct random *random, double nearest) {
    return random_index(random, 8) == 0 ? 0.0 : log_uniform(random, nearest, 1.0);
}

static inline void blend(double s, const double *a, const double *b, double *out) {
    for (int k = 0; k < 3; k++) {
        out[k] = s * a[k] + (1.0 - s) * b[k];
    }
}

static inline void random_pair(struct random *random, enum pair_kind kind, double nearest,
                               double (*x)[3]) {
    double on_line[3], offset[3];
    random_fill(random, -1.0, 1.0, x[0], 12);
    const int first = kind == PAIR_EDGE_EDGE ? 0 : 1;
    switch (random_index(random, 5)) {
    case 0: break;
    case 1: // the last node on the line (parallel to the line) through the first two of a side
        subtract3(x[first + 1], x[first], offset);
        add_scaled3(x[kind == PAIR_EDGE_EDGE ? 2 : first], random_uniform(random, -2.0, 2.0),
                    offset, on_line);
        blend(towards(random, nearest), x[3], on_line, x[3]);
        break;
    case 2: // a short edge
        blend(towards(random, nearest), x[3], x[2], x[3]);
        break;
    case 3: // both sides close to each other
        for (int k = 0; k < 3; k++) {
            offset[k] = kind == PAIR_EDGE_EDGE ? 0.5 * (x[2][k] + x[3][k] - x[0][k] - x[1][k])
                                               : (x[1][k] + x[2][k] + x[3][k]) / 3.0 - x[0][k];
        }
        for (int i = 0; i <= (kind == PAIR_EDGE_EDGE); i++) {
            add_scaled3(x[i], 1.0 - towards(random, nearest), offset, x[i]);
        }
        break;
    default: // everything near a line
        for (int i = 0; i < 4; i++) {
            scale3(x[i][0], (const double[3]){0.6, -0.3, 0.9}, on_line);
            blend(towards(random, nearest), x[i], on_line, x[i]);
        }
    }
}

#endif
