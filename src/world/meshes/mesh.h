// Meshes of the public interface, which belong to no world: how a generated one is handed out.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_MESHES_MESH_H
#define PBS_WORLD_MESHES_MESH_H

#include "base/runtime/memory.h"
#include "pbs/mesh.h"

/// What every call begins with that makes a mesh: checks allocator and `out`, and makes *memory of
/// the allocator, which may be null.
pbs_status mesh_begin(const pbs_allocator *allocator, const pbs_mesh *out, struct memory *memory);

/// Frees what the host's mesh holds and puts the generated one, whose arrays come from the
/// allocator, in its place.
pbs_status mesh_replace(const pbs_mesh *made, const pbs_allocator *allocator, pbs_mesh *out);

#endif
