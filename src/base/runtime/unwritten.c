#include "base/runtime/unwritten.h"

#include <stdint.h>
#include <string.h>

/// A quiet NaN; arithmetic makes those whose low bits are zero, or passes on what it was given.
static const uint64_t mark = UINT64_C(0x7ff8756e77726974);

void unwritten_fill(double *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i, &mark, sizeof mark);
    }
}

size_t unwritten_find(const double *values, size_t count) {
    // By their bytes: the mark is no number, which is not equal to itself.
    const unsigned char *const bytes = (const unsigned char *)values;
    const unsigned char *const wanted = (const unsigned char *)&mark;
    size_t i = 0;
    while (i < count && memcmp(bytes + i * sizeof mark, wanted, sizeof mark) != 0) {
        i++;
    }
    return i;
}
