// Detection of numbers that a host's callback has not written. The array is filled with a NaN whose
// bits no arithmetic produces, and searched for it afterwards.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_RUNTIME_UNWRITTEN_H
#define PBS_BASE_RUNTIME_UNWRITTEN_H

#include <stddef.h>

void unwritten_fill(double *out, size_t count);

/// Returns the index of the first number that is still unwritten, or count if there is none.
size_t unwritten_find(const double *values, size_t count);

#endif
