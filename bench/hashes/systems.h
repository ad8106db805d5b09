// Dense systems (pbs/system.h) for bench/hashes.c: every scheme that moves them, unknowns, step
// controls, and one that is saved and restored on its way.
#ifndef PBS_BENCH_HASHES_SYSTEMS_H
#define PBS_BENCH_HASHES_SYSTEMS_H

#include "hashes/lines.h"

void hash_systems(struct hash_lines *lines);

#endif
