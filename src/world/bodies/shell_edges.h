// Data of single edges in a shell's description: rest angles, and directions of clamped borders.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BODIES_SHELL_EDGES_H
#define PBS_WORLD_BODIES_SHELL_EDGES_H

#include "pbs/body.h"
#include "world/objects/body.h"

/// Returns the vertices of a side, in the orientation of its triangle.
void shell_side_vertices(const struct body *body, uint32_t side, uint32_t vertices[2]);

/// PBS_ERROR_ARGUMENT where an angle is not finite, or the two sides of an edge have different
/// ones.
pbs_status shell_check_rest_angles(const struct body *body, const double *rest_angles);

/// Copies rest_angles (per side; null: none) into a shell whose hinges are listed. Rest angles of a
/// shell that creases are its state; none stand for those of its rest shape. On failure nothing has
/// changed.
pbs_status shell_set_rest_angles(struct body *body, struct memory *memory,
                                 const double *rest_angles);

/// Copies the clamped edges of a description into a shell without any.
pbs_status shell_set_clamps(struct body *body, struct memory *memory, const pbs_shell_desc *d);

#endif
