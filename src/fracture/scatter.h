// Random scatter of strength due to flaws, by Weibull's distribution.
// Theory: docs/theory/fracture.md section 4.
// SPDX-License-Identifier: MIT
#ifndef PBS_FRACTURE_SCATTER_H
#define PBS_FRACTURE_SCATTER_H

#include <stdint.h>

/// Returns the factor for the strength of a bond: a random number of Weibull's distribution with
/// mean 1 and with the given modulus, which is at least 1. It depends on seed and bond only. A
/// modulus of 0 gives 1.
double scatter_factor(double weibull_modulus, uint64_t seed, uint64_t bond);

#endif
