// Small worlds for bench/hashes.c: all contents of bodies.h with default settings, and some of them
// with every scheme, step control, preconditioner and setting of a world. Some worlds are saved and
// restored between two steps. Some lines also hash what hosts read back.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_SETTINGS_H
#define PBS_BENCH_HASHES_SETTINGS_H

#include "hashes/lines.h"

void hash_settings(struct hash_lines *lines);

#endif
