// A collider: its description with arrays of its own, and where its script takes it. Descriptions
// are checked here, of new colliders and of restored ones.
#ifndef PBS_WORLD_OBJECTS_COLLIDER_H
#define PBS_WORLD_OBJECTS_COLLIDER_H

#include "contact/contact_report.h"
#include "geometry/grids/distance_grid.h"
#include "pbs/collider.h"
#include "pbs/world.h"

struct collider {
    uint32_t slot;
    pbs_collider_desc desc; ///< shape, friction; position and orientation are where it is now; its
                            ///< arrays are the collider's own
    struct distance_grid grid; ///< of PBS_SHAPE_GRID; its samples are the description's
    bool moving;               ///< the pose below holds at the end of the next step
    double target_position[3], target_orientation[4];
    struct contact_load load;                ///< of the last step
    double velocity[3], angular_velocity[3]; ///< in the last step
    const char *moved_by;                    ///< as that of bodies
};

/// Writes the orientation normalised.
pbs_status collider_check(const pbs_collider_desc *d, double unit[4]);

/// Whether it keeps vertices out by a penalty.
static inline bool collider_is_penalty(const pbs_collider_desc *d) {
    return d->shape == PBS_SHAPE_GRID || d->collision == PBS_COLLISION_PENALTY;
}

/// Samples of a grid; 0 of other shapes.
static inline size_t collider_sample_count(const pbs_collider_desc *d) {
    return d->shape == PBS_SHAPE_GRID
               ? (size_t)d->grid_counts[0] * d->grid_counts[1] * d->grid_counts[2]
               : 0;
}

/// The shape of a description, but for meshes and for the samples of a grid.
struct shape collider_shape(const pbs_collider_desc *d);

/// The grid of a description that has been checked; zero where it has none.
struct distance_grid collider_grid(const pbs_collider_desc *d);

/// Makes the arrays of a description its own, or frees them.
pbs_status collider_copy_arrays(struct memory *memory, pbs_collider_desc *d);
void collider_free_arrays(struct memory *memory, pbs_collider_desc *d);

#endif
