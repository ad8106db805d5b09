// FNV-1a.
// SPDX-License-Identifier: MIT
#include "support/numerics/hash.h"

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

uint64_t hash_doubles(uint64_t hash, const double *x, size_t count) {
    return hash_bytes(hash, x, count * sizeof *x);
}
