// What a collider's description must satisfy, for creation and for restored ones.
#ifndef PBS_WORLD_COLLIDER_H
#define PBS_WORLD_COLLIDER_H

#include "world/world.h"

/// Writes the orientation normalised.
pbs_status collider_check(const pbs_world_desc *world, const pbs_collider_desc *d, double unit[4]);

/// Makes the arrays of a description its own, or frees them.
pbs_status collider_copy_arrays(struct memory *memory, pbs_collider_desc *d);
void collider_free_arrays(struct memory *memory, pbs_collider_desc *d);

#endif
