// Limits of the stretch of shells: what is refused, and their term.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BODIES_SHELL_STRETCH_H
#define PBS_WORLD_BODIES_SHELL_STRETCH_H

#include "world/objects/body_terms.h"

/// PBS_ERROR_ARGUMENT unless it is 0 or above 1, and finite.
pbs_status shell_check_stretch_limit(double limit);

/// `check_positions` of struct body_table.
pbs_status shell_check_stretch(const struct body *body, const double *x);

/// Adds the term of all shells with a limit, if there are any. rest: as body_terms_rest gives it.
pbs_status shell_add_stretch_limits(const struct scene *scene, struct memory *memory,
                                    const double *rest, struct body_terms *out);

/// `write_values` of struct body_table for that term. Returns false if it is another one.
bool shell_write_stretch_limits(const struct body *body, const struct term_part *part);

#endif
