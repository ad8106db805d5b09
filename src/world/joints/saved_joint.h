// Joints in a saved world.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_JOINTS_SAVED_JOINT_H
#define PBS_WORLD_JOINTS_SAVED_JOINT_H

#include "world/interface/fields.h"
#include "world/joints/joint.h"

/// All that are written of a joint; the last entry is null.
extern const struct field_list *const saved_joint_lists[];

/// The joint as it was made, but for the slot.
void saved_joint_write(struct byte_writer *out, const struct world_joint *joint);

/// PBS_ERROR_FORMAT, PBS_ERROR_ARGUMENT or PBS_ERROR_HANDLE for what no joint of the scene's bodies
/// can be.
pbs_status saved_joint_read(struct byte_reader *in, const struct scene *scene,
                            struct world_joint *joint);

/// What steps change, and where the host holds its points of space.
void saved_joint_write_state(struct byte_writer *out, const struct world_joint *joint);
pbs_status saved_joint_read_state(struct byte_reader *in, struct world_joint *joint);

#endif
