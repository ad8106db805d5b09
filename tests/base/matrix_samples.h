// Sample matrices for tests of all 3x3 decompositions.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_BASE_MATRIX_SAMPLES_H
#define PBS_TESTS_BASE_MATRIX_SAMPLES_H

#include <math.h>

#include "base/matrix3/math3.h"
#include "support/random.h"

/// The identity plus a perturbation of random size between 1e-18 and 10; f is the same matrix
/// rotated.
static inline void sample_strained(struct random *random, double stretch[9], double f[9]) {
    const double strain = pow(10.0, random_uniform(random, -18.0, 1.0));
    double rotation[9];
    random_rotation(random, rotation);
    for (int i = 0; i < 9; i++) {
        stretch[i] = (i % 4 == 0 ? 1.0 : 0.0) + strain * random_uniform(random, -1.0, 1.0);
    }
    multiply33(rotation, stretch, f);
}

/// Entries of random size between 1e-17 and 100, for every other matrix added to the identity, so
/// that the eight lanes differ strongly.
static inline void sample_of_any_size(struct random *random, double f[9]) {
    const double strain = pow(10.0, random_uniform(random, -17.0, 2.0));
    const double diagonal = (double)random_index(random, 2);
    for (int i = 0; i < 9; i++) {
        f[i] = strain * random_uniform(random, -1.0, 1.0) + (i % 4 == 0 ? diagonal : 0.0);
    }
}

#endif
