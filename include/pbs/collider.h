// libpbs: colliders, obstacles that are not simulated. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_COLLIDER_H
#define PBS_COLLIDER_H

#include "grid.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Shapes of colliders, in their own frame.
typedef enum pbs_shape {
    PBS_SHAPE_HALF_SPACE = 0, ///< solid below the plane y = 0; size unused
    PBS_SHAPE_SPHERE = 1,     ///< size[0]: radius
    PBS_SHAPE_BOX = 2,        ///< size[0..2]: half extents along x, y, z
    PBS_SHAPE_CAPSULE = 3,  ///< size[0]: radius, size[1]: half length of the axis along y, without
                            ///< the caps
    PBS_SHAPE_CYLINDER = 4, ///< size[0]: radius, size[1]: half length along y; with
                            ///< PBS_CONTACT_BARRIER a prism of 64 sides whose edges lie on it
    PBS_SHAPE_MESH = 5,     ///< vertices, triangles and edges of the description; size unused; with
                            ///< PBS_CONTACT_BARRIER only
    PBS_SHAPE_TORUS = 6, ///< size[0]: radius of the ring around y, size[1]: the smaller radius of
                         ///< its tube. With PBS_CONTACT_BARRIER, hollow or not, a surface with
                         ///< two sides: 64 x 32 quadrilaterals whose corners lie on it
    PBS_SHAPE_GRID = 7   ///< signed distances at the samples of a grid, as pbs_grid_from_mesh
                         ///< makes them; size unused. Always a penalty, whatever `collision`
                         ///< says, and so with PBS_CONTACT_PROJECTION only. pbs_world_overlaps
                         ///< ignores it
} pbs_shape;

/// How a collider keeps vertices out in worlds with PBS_CONTACT_PROJECTION.
typedef enum pbs_collision {
    PBS_COLLISION_CONSTRAINT = 0, ///< exactly, by projection, which affine bodies do not feel (OPT
                                  ///< section 5.1)
    PBS_COLLISION_PENALTY = 1     ///< by the energy -k phi^3 of each vertex of any body at a signed
                                  ///< distance phi < 0 (OPT section 5.2). A load F penetrates by
                                  ///< sqrt(F / (3 k)), a mass m of speed v by cbrt(m v^2 / (2 k))
} pbs_collision;

/// A collider: a shape, its place and its friction.
typedef struct pbs_collider_desc {
    uint32_t struct_size;      ///< set by pbs_collider_desc_init
    int32_t shape;             ///< pbs_shape
    double size[3];            ///< metres, see the shapes
    int32_t hollow;            ///< 1: the outside is solid (a sphere becomes a bowl, a box a room)
    uint32_t surface_material; ///< below PBS_SURFACE_MATERIALS: row of pbs_world_set_friction
    double position[3];        ///< metres
    double orientation[4];     ///< unit quaternion x, y, z, w; of norm 1 within 1e-6
    double friction;           ///< Coulomb coefficient, >= 0
    // Of PBS_SHAPE_MESH, in its own frame; read during the call only:
    size_t vertex_count;
    const double *vertices; ///< vertex_count x 3, metres; those of no triangle or edge are points
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 vertex indices, of either orientation: a
                               ///< surface has two sides
    size_t edge_count;
    const uint32_t *edges; ///< edge_count x 2 vertex indices: edges of no triangle
    // With PBS_CONTACT_BARRIER, and with penalties:
    uint32_t group; ///< bits: what the collider is, for the masks of bodies
    uint32_t mask;  ///< bits: the groups of bodies that it touches
    // With PBS_CONTACT_PROJECTION:
    int32_t collision;          ///< pbs_collision
    int32_t grid_interpolation; ///< pbs_grid_interpolation
    double penalty_stiffness;   ///< k of PBS_COLLISION_PENALTY, Pa; 0: penalty_stiffness in the
                                ///< pbs_contact_desc of the body that is inside
    // Of PBS_SHAPE_GRID, in its own frame; read during the call only:
    double grid_origin[3];     ///< m: of the first sample
    double grid_cell;          ///< m: between neighbouring samples
    uint32_t grid_counts[3];   ///< along x, y and z; 4 at least
    uint32_t reserved;         ///< must be 0
    const float *grid_samples; ///< grid_counts[0] grid_counts[1] grid_counts[2], m, along x first,
                               ///< then y; negative inside what is solid. The outermost three
                               ///< layers, with linear interpolation two, have one sign: where that
                               ///< is negative all beyond the grid is solid, as around a room
} pbs_collider_desc;

/// Fills *d: a half-space at the origin, orientation (0, 0, 0, 1), friction 0; of all groups, it
/// touches all.
/// @param struct_size  sizeof(pbs_collider_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_collider_desc_init(pbs_collider_desc *d, size_t struct_size);

/// Adds a collider. Vertices inside it are moved out in the next step. It exists until
/// pbs_collider_destroy or the end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range, a
/// quaternion that is not unit, a mesh without PBS_CONTACT_BARRIER, a grid or a penalty without
/// PBS_CONTACT_PROJECTION, or with PBS_SCHEME_VELOCITY_VERLET), PBS_ERROR_MESH (an index out of
/// range or twice in one triangle or edge, a grid whose outermost samples have both signs),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see OPT sections 5.1, object collisions as constraints, and 5.2, as penalties
PBS_API pbs_status pbs_collider_create(pbs_world *w, const pbs_collider_desc *d, pbs_collider *out);

/// Adds level ground with friction: a half-space whose normal is opposite to the world's gravity,
/// or y where there is none, and whose coefficient is 0.5. It stays where it is if gravity changes.
/// @param height  m: of its surface along the normal, from the origin
/// @param out  its id; written only on success
/// @return as pbs_collider_create
PBS_API pbs_status pbs_collider_create_ground(pbs_world *w, double height, pbs_collider *out);

/// Removes the collider; its id is never valid again. A null id is fine.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_destroy(pbs_world *w, pbs_collider c);

/// Whether the id names a collider of this world that was not destroyed. False where w is null.
PBS_API bool pbs_collider_is_valid(const pbs_world *w, pbs_collider c);

/// Prescribes the motion: the collider moves at constant linear and angular velocity and is at this
/// pose at the end of the next step (for pbs_world_advance: of the advance). It rests there until
/// the next call.
/// @param position  3, metres
/// @param orientation  unit quaternion x, y, z, w; of the two ways around, the shorter one is taken
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite, a quaternion that is
/// not unit), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_set_motion(pbs_world *w, pbs_collider c, const double position[3],
                                           const double orientation[4]);

/// Where the collider is at the end of the next step: the pose of pbs_collider_set_motion where
/// that is not reached yet, otherwise that of pbs_collider_pose.
/// @param position  becomes 3 numbers, metres; may be null
/// @param orientation  becomes a unit quaternion x, y, z, w; may be null
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_motion(const pbs_world *w, pbs_collider c, double position[3],
                                       double orientation[4]);

/// The collider's description as it is now: its pose, and what pbs_collider_set_description has
/// changed.
/// @param out  struct_size set by the caller, as pbs_collider_desc_init does; its arrays are the
/// world's, valid until the collider is destroyed or the world restored
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_description(const pbs_world *w, pbs_collider c,
                                            pbs_collider_desc *out);

/// Changes friction, surface_material, group, mask and penalty_stiffness from the next step on. A
/// host changes these in what pbs_collider_description gave, and hands it back.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// anything else that is not as it was), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE; nothing is
/// changed then
PBS_API pbs_status pbs_collider_set_description(pbs_world *w, pbs_collider c,
                                                const pbs_collider_desc *d);

/// A number of the host's own with the collider; see pbs_body_set_user_data.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_set_user_data(pbs_world *w, pbs_collider c, uint64_t user_data);

/// That number; 0 before any was set, and for a collider that is not valid.
PBS_API uint64_t pbs_collider_user_data(const pbs_world *w, pbs_collider c);

/// Where the collider is now.
/// @param position  becomes 3 numbers, metres; may be null
/// @param orientation  becomes a unit quaternion x, y, z, w; may be null
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_collider_pose(const pbs_world *w, pbs_collider c, double position[3],
                                     double orientation[4]);

#ifdef __cplusplus
}
#endif
#endif
