// What a world tells of its state besides positions, for bench/hashes.c: energies, contacts, forces
// that hold vertices, stresses, loads and damage of bonds, what rays meet, what is close.
#ifndef PBS_BENCH_HASHES_TOLD_H
#define PBS_BENCH_HASHES_TOLD_H

#include "hashes/lines.h"

/// Adds all of it to the step before.
pbs_status hash_told(struct hash_lines *lines, const pbs_world *world);

#endif
