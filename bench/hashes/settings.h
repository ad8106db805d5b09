// Small worlds for bench/hashes.c: all bodies of bodies.h by themselves, and some of them under
// every scheme, step control, preconditioner and setting of a world; worlds that are saved and
// restored on their way; what a world tells about its state.
#ifndef PBS_BENCH_HASHES_SETTINGS_H
#define PBS_BENCH_HASHES_SETTINGS_H

#include "hashes/lines.h"

void hash_settings(struct hash_lines *lines);

#endif
