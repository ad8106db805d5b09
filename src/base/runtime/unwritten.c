// SPDX-License-Identifier: MIT
#include "base/runtime/unwritten.h"

#include <stdint.h>
#include <string.h>

/// A quiet NaN with a payload. Arithmetic produces NaNs whose low bits are zero, or passes on the
/// payload of an operand.
static const uint64_t mark = UINT64_C(0x7ff8756e77726974);

void unwritten_fill(double *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i, &mark, sizeof mark);
    }
}

size_t unwritten_find(const double *values, size_t count) {
    // Compares bytes, because a NaN is not equal to itself.
    const unsigned char *const bytes = (const unsigned char *)values;
    const unsigned char *const wanted = (const unsigned char *)&mark;
    size_t i = 0;
    while (i < count && memcmp(bytes + i * sizeof mark, wanted, sizeof mark) != 0) {
        i++;
    }
    return i;
}
