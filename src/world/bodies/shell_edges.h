// What a shell's description says of single edges: angles at rest, and directions in which borders
// are clamped.
#ifndef PBS_WORLD_BODIES_SHELL_EDGES_H
#define PBS_WORLD_BODIES_SHELL_EDGES_H

#include "pbs/body.h"
#include "world/objects/body.h"

/// The vertices of a side, in the sense of its triangle.
void shell_side_vertices(const struct body *body, uint32_t side, uint32_t vertices[2]);

/// Copies rest_angles (by side; null: none) into the shell, whose inner edges are known; changes
/// nothing where it fails.
pbs_status shell_set_rest_angles(struct body *body, struct memory *memory,
                                 const double *rest_angles);

/// Copies the clamped edges of a description into a shell that has none.
pbs_status shell_set_clamps(struct body *body, struct memory *memory, const pbs_shell_desc *d);

#endif
