// libpbs: colliders, the obstacles that are not simulated. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_COLLIDER_H
#define PBS_COLLIDER_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Shapes in their own frame.
enum {
    PBS_SHAPE_HALF_SPACE = 0, ///< solid below the plane y = 0; size unused
    PBS_SHAPE_SPHERE = 1,     ///< size[0]: radius
    PBS_SHAPE_BOX = 2,        ///< size[0..2]: half extents along x, y, z
    PBS_SHAPE_CAPSULE = 3, ///< size[0]: radius, size[1]: half length of the axis along y, without
                           ///< the caps
    PBS_SHAPE_CYLINDER = 4 ///< size[0]: radius, size[1]: half length along y
};

typedef struct pbs_collider_desc {
    uint32_t struct_size;
    int32_t shape;         ///< PBS_SHAPE_*
    double size[3];        ///< metres, see the shapes
    int32_t hollow;        ///< 1: the outside is solid (a sphere becomes a bowl, a box a room)
    int32_t reserved;      ///< must be 0
    double position[3];    ///< metres
    double orientation[4]; ///< unit quaternion x, y, z, w
    double friction;       ///< Coulomb coefficient, >= 0
} pbs_collider_desc;

/// Fills *d: a half-space at the origin, orientation (0, 0, 0, 1), friction 0.
/// @return PBS_ERROR_ARGUMENT (null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_collider_desc_init(pbs_collider_desc *d, size_t struct_size);

/// Adds an obstacle. Vertices inside it are moved out at the start of the next step.
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// Source: OPT section 5.1, object collisions as constraints.
PBS_API pbs_status pbs_collider_create(pbs_world *w, const pbs_collider_desc *d, pbs_collider *out);

/// @return PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_destroy(pbs_world *w, pbs_collider c);

/// Whether the id names a collider of this world that was not destroyed.
PBS_API bool pbs_collider_is_valid(const pbs_world *w, pbs_collider c);

/// Scripts the motion: the collider is at this pose at the end of the next step; during the step it
/// moves there at constant linear and angular velocity, and it rests afterwards until it is told
/// otherwise. For pbs_world_advance the pose holds at the end of the advance.
/// @param position  metres, 3       @param orientation  unit quaternion x, y, z, w
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_set_motion(pbs_world *w, pbs_collider c, const double position[3],
                                           const double orientation[4]);

/// Where the collider is now. position: 3, orientation: 4; either may be null.
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_pose(const pbs_world *w, pbs_collider c, double position[3],
                                     double orientation[4]);

/// The contact force (newtons, 3) that bodies exerted on the collider at the end of the last step,
/// frictionless part.
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_force(const pbs_world *w, pbs_collider c, double force[3]);

#ifdef __cplusplus
}
#endif
#endif
