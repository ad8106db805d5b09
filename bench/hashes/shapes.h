// Colliders of every shape for bench/hashes.c, as constraints, as penalties and with barriers: one
// that moves, and a solid that falls on it.
#ifndef PBS_BENCH_HASHES_SHAPES_H
#define PBS_BENCH_HASHES_SHAPES_H

#include "hashes/lines.h"

void hash_shapes(struct hash_lines *lines);

#endif
