// Terms of shells: membranes, bending, and damping of membranes.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BODIES_SHELL_TERMS_H
#define PBS_WORLD_BODIES_SHELL_TERMS_H

#include "world/objects/body_terms.h"

/// `add_terms` of struct body_table.
pbs_status shell_add_terms(const struct scene *scene, struct memory *memory,
                           struct body_terms *out);

/// As struct body_table has it.
void shell_write_values(const struct body *body, const struct term_part *part);

extern const struct damped_elements shell_damped;

#endif
