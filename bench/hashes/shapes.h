// Worlds for bench/hashes.c in which a solid falls on a moving collider. Every shape is tried as a
// constraint, as a penalty and with barriers, as far as it has these.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_SHAPES_H
#define PBS_BENCH_HASHES_SHAPES_H

#include "hashes/lines.h"

void hash_shapes(struct hash_lines *lines);

#endif
