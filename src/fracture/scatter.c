// See scatter.h.
// SPDX-License-Identifier: MIT
#include "fracture/scatter.h"

#include <math.h>

/// Returns a 64-bit hash of seed and bond: the finaliser of SplitMix64 (Steele, Lea and Flood
/// 2014).
static uint64_t mix(uint64_t seed, uint64_t bond) {
    uint64_t z = seed + (bond + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double scatter_factor(double weibull_modulus, uint64_t seed, uint64_t bond) {
    if (weibull_modulus == 0.0) {
        return 1.0;
    }
    // In the open interval (0, 1).
    const double u = ((double)(mix(seed, bond) >> 11) + 0.5) * 0x1p-53;
    return pow(-log(u), 1.0 / weibull_modulus) / tgamma(1.0 + 1.0 / weibull_modulus);
}
