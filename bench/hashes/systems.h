// Dense systems (pbs/system.h) for bench/hashes.c: every scheme that supports them, every choice of
// the unknown, every step control, and a system that is saved and restored between two steps.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_SYSTEMS_H
#define PBS_BENCH_HASHES_SYSTEMS_H

#include "hashes/lines.h"

void hash_systems(struct hash_lines *lines);

#endif
