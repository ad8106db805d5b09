// Terms of solids: the elastic energy of each material with its plastic histories, and damping.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BODIES_SOLID_TERMS_H
#define PBS_WORLD_BODIES_SOLID_TERMS_H

#include "world/objects/body_terms.h"

/// `add_terms` of struct body_table.
pbs_status solid_add_terms(const struct scene *scene, struct memory *memory,
                           struct body_terms *out);

/// `write_values` of struct body_table.
void solid_write_values(const struct body *body, const struct term_part *part);

extern const struct damped_elements solid_damped;

#endif
