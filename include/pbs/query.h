// libpbs: rays and closest points among the surfaces of a world. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_QUERY_H
#define PBS_QUERY_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A ray, and what it sees.
typedef struct pbs_ray_desc {
    uint32_t struct_size; ///< set by pbs_ray_desc_init
    int32_t reserved;     ///< must be 0
    double origin[3];     ///< metres
    double direction[3];  ///< of any length but 0
    double distance;      ///< m, >= 0: how far it goes; infinity: without end
    uint32_t group;       ///< bits: what the ray is, for the masks of bodies and colliders
    uint32_t mask;        ///< bits: the groups that it sees; both sides must agree
} pbs_ray_desc;

/// Fills *d: from the origin straight down (-y), without end, of all groups, sees all.
/// @param struct_size  sizeof(pbs_ray_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_ray_desc_init(pbs_ray_desc *d, size_t struct_size);

/// A point whose neighbourhood is searched.
typedef struct pbs_closest_desc {
    uint32_t struct_size; ///< set by pbs_closest_desc_init
    int32_t reserved;     ///< must be 0
    double point[3];      ///< metres
    double distance;      ///< m, >= 0: how far away surfaces are seen; infinity: however far
    uint32_t group;       ///< bits, as those of pbs_ray_desc
    uint32_t mask;        ///< bits, as those of pbs_ray_desc
} pbs_closest_desc;

/// Fills *d: the origin, however far, of all groups, sees all.
/// @param struct_size  sizeof(pbs_closest_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_closest_desc_init(pbs_closest_desc *d, size_t struct_size);

/// A point of a surface. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_surface_point) and nothing else.
typedef struct pbs_surface_point {
    uint32_t struct_size;  ///< set by the caller, not changed by the call
    uint32_t triangle;     ///< of pbs_body_surface, or of a mesh collider's description; UINT32_MAX
                           ///< on a shape
    pbs_body body;         ///< null: a collider's, or nothing was found
    pbs_collider collider; ///< null: a body's, or nothing was found
    uint32_t vertices[3];  ///< of the triangle
    uint32_t reserved;     ///< becomes 0
    double weights[3];     ///< of the vertices, >= 0, sum 1; 0 on a shape
    double point[3];       ///< m
    double normal[3];      ///< unit: of the triangle's front, or out of what is solid of a shape
    double distance;       ///< m, from the ray's origin or the point; infinity: nothing was found
} pbs_surface_point;

/// The first surface that a ray meets in the present state, from either side: triangles of solids,
/// shells, affine bodies and mesh colliders, and the true shapes of other colliders (a cylinder is
/// round here). Offsets (pbs_contact_desc) are not part of surfaces here; particles and edges of no
/// triangle have none. No ray slips through where triangles join. Of several at the same distance
/// the first triangle in order of creation is given, triangles before shapes. It is PBS_OK to meet
/// nothing.
///
/// The first query after a change of the scene or its state brings a tree of boxes up to date and
/// may allocate; further ones only read. Until the next change any number of threads may query at
/// the same time (with a host's own allocator or tasks, which are called on one of them, after the
/// first query has answered). Saved and restored worlds answer alike.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range, a
/// direction of length 0), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection"
PBS_API pbs_status pbs_world_ray(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *out);

/// The point closest to a given one on the surfaces that pbs_world_ray meets, seen from either
/// side: also of what is around the point. The normal is the surface's there, not the direction to
/// the point.
/// @return as pbs_world_ray
PBS_API pbs_status pbs_world_closest(const pbs_world *w, const pbs_closest_desc *d,
                                     pbs_surface_point *out);

#ifdef __cplusplus
}
#endif
#endif
