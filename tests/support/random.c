// Deterministic random numbers, rotations and permutations.
// SPDX-License-Identifier: MIT
#include "support/random.h"

#include <math.h>

struct random random_seed(uint64_t seed) {
    // Multiplied out so that neighbouring seeds give unrelated numbers; the state must not be zero.
    struct random random = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    if (random.state == 0) {
        random.state = 1;
    }
    for (int i = 0; i < 8; i++) {
        random_bits(&random);
    }
    return random;
}

uint64_t random_bits(struct random *random) {
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

size_t random_index(struct random *random, size_t count) {
    return (size_t)(random_bits(random) >> 11) % count;
}

double random_uniform(struct random *random, double low, double high) {
    const double unit = (double)(random_bits(random) >> 11) * 0x1p-53;
    return low + unit * (high - low);
}

double random_normal(struct random *random) {
    const double radius = sqrt(-2.0 * log(1.0 - random_uniform(random, 0.0, 1.0)));
    return radius * cos(6.283185307179586 * random_uniform(random, 0.0, 1.0));
}

void random_fill(struct random *random, double low, double high, double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        x[i] = random_uniform(random, low, high);
    }
}

void random_unit(struct random *random, double a[3]) {
    double length;
    do {
        random_fill(random, -1.0, 1.0, a, 3);
        length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    } while (length < 0.1);
    for (int i = 0; i < 3; i++) {
        a[i] *= 1.0 / length;
    }
}

void random_rotation(struct random *random, double r[9]) {
    double w = random_normal(random);
    double x = random_normal(random);
    double y = random_normal(random);
    double z = random_normal(random);
    const double scale = 1.0 / sqrt(w * w + x * x + y * y + z * z);
    w *= scale;
    x *= scale;
    y *= scale;
    z *= scale;
    r[0] = 1.0 - 2.0 * (y * y + z * z);
    r[1] = 2.0 * (x * y - w * z);
    r[2] = 2.0 * (x * z + w * y);
    r[3] = 2.0 * (x * y + w * z);
    r[4] = 1.0 - 2.0 * (x * x + z * z);
    r[5] = 2.0 * (y * z - w * x);
    r[6] = 2.0 * (x * z - w * y);
    r[7] = 2.0 * (y * z + w * x);
    r[8] = 1.0 - 2.0 * (x * x + y * y);
}

void random_stretched(struct random *random, const double s[3], double f[9]) {
    double u[9];
    double v[9];
    random_rotation(random, u);
    random_rotation(random, v);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            f[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) {
                f[3 * i + j] += u[3 * i + k] * s[k] * v[3 * j + k];
            }
        }
    }
}

void random_permutation(struct random *random, size_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const size_t j = random_index(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
