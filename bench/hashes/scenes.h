// The scenes of bench/scenes and examples/common at the size of tests, for bench/hashes.c.
#ifndef PBS_BENCH_HASHES_SCENES_H
#define PBS_BENCH_HASHES_SCENES_H

#include "hashes/lines.h"

/// meshes: the folder of meshes; null: other shapes take their place, or scenes are left out.
void hash_scenes(struct hash_lines *lines, const char *meshes);

#endif
