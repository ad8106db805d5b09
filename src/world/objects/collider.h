// A collider: its description with copies of the host's arrays, and its prescribed motion.
// Descriptions of new and of restored colliders are checked here.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_COLLIDER_H
#define PBS_WORLD_OBJECTS_COLLIDER_H

#include "contact/contact_report.h"
#include "geometry/grids/distance_grid.h"
#include "pbs/collider.h"
#include "pbs/world.h"

struct collider {
    uint32_t slot;
    pbs_collider_desc desc; ///< shape, friction; position and orientation are the current ones; the
                            ///< arrays are copies
    struct distance_grid grid; ///< for PBS_SHAPE_GRID; the samples are those of the description
    uint64_t user_data;        ///< the host's
    bool moving;               ///< the pose below is prescribed for the end of the next step
    double target_position[3], target_orientation[4];
    struct contact_load load;                ///< of the last step
    double velocity[3], angular_velocity[3]; ///< m/s and rad/s in the last step
    const char *moved_by;                    ///< see struct body
};

/// Checks a description. unit: the normalised orientation.
pbs_status collider_check(const pbs_collider_desc *d, double unit[4]);

/// Whether the collider pushes vertices out by a penalty.
static inline bool collider_is_penalty(const pbs_collider_desc *d) {
    return d->shape == PBS_SHAPE_GRID || d->collision == PBS_COLLISION_PENALTY;
}

/// Number of samples of a grid; 0 for other shapes.
static inline size_t collider_sample_count(const pbs_collider_desc *d) {
    return d->shape == PBS_SHAPE_GRID
               ? (size_t)d->grid_counts[0] * d->grid_counts[1] * d->grid_counts[2]
               : 0;
}

/// The shape of a description, without the arrays of meshes and the samples of grids.
struct shape collider_shape(const pbs_collider_desc *d);

/// The grid of a checked description; zero if it has none.
struct distance_grid collider_grid(const pbs_collider_desc *d);

/// Replaces the arrays of a description by copies; frees such copies.
pbs_status collider_copy_arrays(struct memory *memory, pbs_collider_desc *d);
void collider_free_arrays(struct memory *memory, pbs_collider_desc *d);

#endif
