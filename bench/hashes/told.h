// Hashes what hosts read back besides positions, for bench/hashes.c: energies, contacts, forces of
// constraints on vertices, stresses, loads and damage of bonds, hits of rays, closest points and
// overlaps.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_TOLD_H
#define PBS_BENCH_HASHES_TOLD_H

#include "hashes/lines.h"

/// Adds all of it to the hash of the last step.
pbs_status hash_told(struct hash_lines *lines, const pbs_world *world);

#endif
