// One number for many, to compare states to the bit: FNV-1a, 64 bits.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_HASH_H
#define PBS_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_EMPTY UINT64_C(0xcbf29ce484222325)

/// Continues a hash, begun with HASH_EMPTY, over some bytes.
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

/// Over numbers; 0.0 and -0.0 differ.
uint64_t hash_doubles(uint64_t hash, const double *x, size_t count);

#endif
