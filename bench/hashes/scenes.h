// The scenes of bench/scenes and examples/common in small sizes, for bench/hashes.c.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_SCENES_H
#define PBS_BENCH_HASHES_SCENES_H

#include "hashes/lines.h"

/// Prints the lines of all scenes. meshes: the folder of mesh files. If it is null, other shapes
/// replace the meshes, and scenes that need them are left out.
void hash_scenes(struct hash_lines *lines, const char *meshes);

#endif
