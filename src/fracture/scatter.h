// Strengths that are scattered as flaws make them: by Weibull's distribution.
// Theory: docs/theory/fracture.md section 4.
#ifndef PBS_FRACTURE_SCATTER_H
#define PBS_FRACTURE_SCATTER_H

#include <stdint.h>

/// What multiplies the strength of bond `bond`: of Weibull's distribution with that modulus, at
/// least 1, and mean 1; the same for the same seed and bond, whatever others there are. 1 where the
/// modulus is 0.
double scatter_factor(double weibull_modulus, uint64_t seed, uint64_t bond);

#endif
