// What arrays hold that a host's callback is to fill, so that numbers it did not write are told
// from those it did: a NaN of bits that no arithmetic makes.
#ifndef PBS_BASE_RUNTIME_UNWRITTEN_H
#define PBS_BASE_RUNTIME_UNWRITTEN_H

#include <stddef.h>

void unwritten_fill(double *out, size_t count);

/// The first number that is as unwritten_fill left it; count: none.
size_t unwritten_find(const double *values, size_t count);

#endif
