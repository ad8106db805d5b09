// libpbs: rays, closest points and overlaps among the surfaces of a world. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_QUERY_H
#define PBS_QUERY_H

#include "body.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A ray, and the groups that it meets.
typedef struct pbs_ray_desc {
    uint32_t struct_size; ///< set by pbs_ray_desc_init
    int32_t reserved;     ///< must be 0
    double origin[3];     ///< metres
    double direction[3];  ///< of any length but 0
    double distance;      ///< m, >= 0: its length; infinity: without end
    uint32_t group;       ///< bits: groups of the ray, for the masks of bodies and colliders
    uint32_t mask;        ///< bits: the groups that it meets; both sides must agree
} pbs_ray_desc;

/// Fills *d: from the origin straight down (-y), without end, of all groups, meets all.
/// @param struct_size  sizeof(pbs_ray_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_ray_desc_init(pbs_ray_desc *d, size_t struct_size);

/// A point whose closest surface point is wanted.
typedef struct pbs_closest_desc {
    uint32_t struct_size; ///< set by pbs_closest_desc_init
    int32_t reserved;     ///< must be 0
    double point[3];      ///< metres
    double distance;      ///< m, >= 0: surfaces farther away are ignored; infinity: none is
    uint32_t group;       ///< bits, as those of pbs_ray_desc
    uint32_t mask;        ///< bits, as those of pbs_ray_desc
} pbs_closest_desc;

/// Fills *d: the origin, at any distance, of all groups, meets all.
/// @param struct_size  sizeof(pbs_closest_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_closest_desc_init(pbs_closest_desc *d, size_t struct_size);

/// A point of a surface. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_surface_point) and nothing else.
typedef struct pbs_surface_point {
    uint32_t struct_size;  ///< set by the caller, not changed by the call
    uint32_t triangle;     ///< of pbs_body_surface, or of a mesh collider's description; UINT32_MAX
                           ///< on another shape
    pbs_body body;         ///< null: a collider's, or nothing was found
    pbs_collider collider; ///< null: a body's, or nothing was found
    uint32_t vertices[3];  ///< of the triangle
    uint32_t reserved;     ///< becomes 0
    double weights[3];     ///< of the vertices, >= 0, sum 1; 0 on a shape
    double point[3];       ///< m
    double normal[3];      ///< unit: of the triangle's front, or outward from a solid shape
    double distance;       ///< m, from the ray's origin or the point; infinity: nothing was found
} pbs_surface_point;

/// The first surface that a ray meets in the present state, from either side: triangles of solids,
/// shells, affine bodies and mesh colliders, and the exact shapes of other colliders (a cylinder is
/// round here). Surfaces are without their offsets (pbs_contact_desc); particles and edges of no
/// triangle have none. No ray passes between triangles that join. Of several hits at the same
/// distance the first triangle in order of creation is given, triangles before shapes. It is PBS_OK
/// to meet nothing.
///
/// The first query after a change of the scene or its state updates a tree of boxes and may
/// allocate; further ones only read. Until the next change any number of threads may query at the
/// same time. (A host's own allocator or tasks are called by one of them; so with these the first
/// query must have returned before.) Saved and restored worlds give the same answers.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range, a
/// direction of length 0), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection"
PBS_API pbs_status pbs_world_ray(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *out);

/// The point closest to a given one on the surfaces that pbs_world_ray meets, from either side, so
/// also on a surface around the point. The normal is that of the surface there, not the direction
/// to the point.
/// @return as pbs_world_ray
PBS_API pbs_status pbs_world_closest(const pbs_world *w, const pbs_closest_desc *d,
                                     pbs_surface_point *out);

/// How close two bodies, or a body and a collider, are. Larger values are worse.
typedef enum pbs_overlap_kind {
    PBS_OVERLAP_CLOSE = 0,        ///< closer than the distance, with a gap
    PBS_OVERLAP_TOUCHING = 1,     ///< a gap of 0 or less, with offsets; also to half-spaces
                                  ///< and hollow colliders
    PBS_OVERLAP_INTERSECTING = 2, ///< an edge goes through a triangle
    PBS_OVERLAP_INSIDE = 3        ///< the first lies inside the second, which is solid, without
                                  ///< meeting its surface; steps accept that
} pbs_overlap_kind;

/// What is to be compared with a world, and up to which distance.
typedef struct pbs_overlap_desc {
    uint32_t struct_size; ///< set by pbs_overlap_desc_init
    int32_t solid;   ///< of a surface that is in no world: 1: closed, and solid inside; 0: a sheet.
                     ///< Of a body 0
    double distance; ///< m, >= 0: pairs closer than that are listed; 0: only what touches or
                     ///< overlaps, which no step with PBS_CONTACT_BARRIER can start from
    pbs_body body;   ///< null: no body of the world; otherwise only its pairs are listed, with the
                     ///< body where the following members place it
    size_t vertex_count;       ///< 0: the body, or without one the whole world, as it is; otherwise
                               ///< the body's, or of a surface that is in no world yet
    const double *positions;   ///< vertex_count x 3, metres; read during the call only
    size_t triangle_count;     ///< of that surface: 0: particles; where body is set it must be 0
    const uint32_t *triangles; ///< triangle_count x 3 vertex indices, of either orientation
    double position[3];        ///< m: positions (null: those of the body as it is) are turned by
                               ///< orientation and then moved by position
    double orientation[4];     ///< unit quaternion x, y, z, w
    const pbs_contact_desc *contact; ///< how the surface or the body touches (offset, groups);
                                     ///< null: as the body does, or as pbs_contact_desc_init says
} pbs_overlap_desc;

/// Fills *d: the whole world as it is, distance 0.
/// @param struct_size  sizeof(pbs_overlap_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_overlap_desc_init(pbs_overlap_desc *d, size_t struct_size);

/// Two bodies, a body and a collider, or a body and itself. By side: first is what was placed, and
/// of PBS_OVERLAP_INSIDE what lies inside.
typedef struct pbs_overlap {
    pbs_body bodies[2];        ///< null: a collider, or a surface that is in no world
    pbs_collider colliders[2]; ///< null: a body, or a surface that is in no world
    uint32_t vertex_counts[2]; ///< 1: a vertex, 2: an edge, 3: a triangle; 0: of a collider that
                               ///< was given no vertices
    uint32_t vertices[6];      ///< three places for each side: the closest primitives, or an edge
                               ///< and a triangle that meet
    int32_t kind;              ///< pbs_overlap_kind
    uint32_t reserved;         ///< 0
    double gap;                ///< m: the least, 0 or less where they touch; 0 where they
                               ///< intersect or one lies inside the other
    double normal[3];          ///< unit, from the second's closest point to the first's; 0 where
                               ///< they intersect or one lies inside the other
} pbs_overlap;

/// Pairs that touch, overlap or are closer than a distance: in the world as it is; with one of its
/// bodies placed elsewhere; or with a surface that is not in it, so that a host can test a place
/// before it creates or moves a body. There is one row for each pair that may touch (groups and
/// masks). A step with PBS_CONTACT_BARRIER can begin where only PBS_OVERLAP_CLOSE and
/// PBS_OVERLAP_INSIDE are found. Surfaces are those of contact: a cylinder is a prism of 64 sides.
/// Pending targets and motions are ignored. The call changes nothing and takes time in proportion
/// to the whole world's surfaces. Threads may call it at the same time, as pbs_world_ray says.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_overlap) as the caller was compiled: row i starts
/// struct_size * i bytes after dst
/// @param count  how many dst can hold on entry; how many were written, or are needed, on return
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// another vertex count than the body's, a wrong index), PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_CAPACITY (*count is what is needed), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_overlaps(const pbs_world *w, const pbs_overlap_desc *d,
                                      pbs_overlap *dst, size_t struct_size, size_t *count);

/// How far bodies may be pushed apart.
typedef struct pbs_separate_desc {
    uint32_t struct_size;     ///< set by pbs_separate_desc_init
    uint32_t iteration_limit; ///< most searches for overlaps
    double distance;          ///< m, >= 0: gaps to reach; 0: the contact distance
    double move_limit;        ///< m, >= 0: no body moves farther; 0: twice its own size
} pbs_separate_desc;

/// Fills *d: gaps of the contact distance, no body moves farther than twice its size, 200 searches.
/// @param struct_size  sizeof(pbs_separate_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_separate_desc_init(pbs_separate_desc *d, size_t struct_size);

/// What pushing apart did. As with pbs_energy, the caller sets struct_size = sizeof(pbs_separation)
/// and nothing else.
typedef struct pbs_separation {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t iterations;  ///< searches for overlaps
    size_t moved_count;   ///< bodies that moved; 0 on failure
    double longest_move;  ///< m; 0 on failure
    pbs_overlap overlap;  ///< on PBS_ERROR_INADMISSIBLE the pair that could not be pushed apart;
                          ///< otherwise null ids
} pbs_separation;

/// Pushes apart bodies that touch, overlap or are closer than the distance, so that a step can
/// begin. Whole bodies move, without turning and without strain, lighter ones farther, by about the
/// least translations. Their velocities stay; what the scheme remembers of earlier steps is
/// forgotten. Colliders stay, and so do bodies with a pinned or scripted vertex. Bodies that
/// overlap a little come apart, and so do about convex ones that overlap deeply. Bodies that are
/// hooked into each other, have no free space or intersect themselves do not: then nothing has
/// moved, and the pair is named. The same bits for any number of threads. Call it before the first
/// step, not before each: bodies at rest are closer than the contact distance, and would be lifted.
/// @param d  null: as pbs_separate_desc_init says
/// @param out  may be null
/// @return PBS_ERROR_ARGUMENT (w is null, a number that is not finite or out of its range),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY, PBS_ERROR_INADMISSIBLE
PBS_API pbs_status pbs_world_separate(pbs_world *w, const pbs_separate_desc *d,
                                      pbs_separation *out);

#ifdef __cplusplus
}
#endif
#endif
