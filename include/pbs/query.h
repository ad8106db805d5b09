// libpbs: rays, closest points, moving shapes, overlaps, regions and sensors among the surfaces of
// a world. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_QUERY_H
#define PBS_QUERY_H

#include "body.h"
#include "collider.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A ray, and the groups of surfaces that it can hit.
typedef struct pbs_ray_desc {
    uint32_t struct_size; ///< set by pbs_ray_desc_init
    int32_t reserved;     ///< must be 0
    double origin[3];     ///< metres
    double direction[3];  ///< of any length except 0
    double distance;      ///< m, >= 0: length of the ray; may be infinite
    uint32_t group; ///< bits: groups that the ray belongs to; the masks of bodies and colliders are
                    ///< tested against them
    uint32_t mask;  ///< bits: groups that the ray can hit. A hit needs both: this mask contains a
                    ///< group of the surface, and the surface's mask contains a group of the ray
} pbs_ray_desc;

/// Fills *d with a ray from the origin straight down (-y), infinitely long, of all groups, that can
/// hit all groups.
/// @param struct_size  sizeof(pbs_ray_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_ray_desc_init(pbs_ray_desc *d, size_t struct_size);

/// A point, for which the closest point of all surfaces is to be found.
typedef struct pbs_closest_desc {
    uint32_t struct_size; ///< set by pbs_closest_desc_init
    int32_t reserved;     ///< must be 0
    double point[3];      ///< metres
    double distance;      ///< m, >= 0: surfaces farther away are ignored; may be infinite
    uint32_t group;       ///< bits, as those of pbs_ray_desc
    uint32_t mask;        ///< bits, as those of pbs_ray_desc
} pbs_closest_desc;

/// Fills *d with the origin, at any distance, of all groups, that can find all groups.
/// @param struct_size  sizeof(pbs_closest_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_closest_desc_init(pbs_closest_desc *d, size_t struct_size);

/// A point of a surface. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_surface_point) and nothing else.
typedef struct pbs_surface_point {
    uint32_t struct_size;  ///< set by the caller, not changed by the call
    uint32_t triangle;     ///< index in pbs_body_surface, or in the description of a mesh collider;
                           ///< UINT32_MAX on other shapes
    pbs_body body;         ///< null: the point is on a collider, or nothing was found
    pbs_collider collider; ///< null: the point is on a body, or nothing was found
    uint32_t vertices[3];  ///< of the triangle
    uint32_t inside;       ///< of pbs_world_closest: 1: the given point is inside the closest body
                           ///< or collider, whose surface is closed; 0 otherwise
    double weights[3];     ///< barycentric, >= 0, sum 1; 0 on shapes without triangles
    double point[3];       ///< m
    double normal[3];      ///< unit: of the triangle's front side, or outward from a solid shape
    double distance; ///< m, from the ray's origin or from the given point; infinity: nothing was
                     ///< found
} pbs_surface_point;

/// Finds the first surface that a ray hits in the current state, from either side. Surfaces are the
/// triangles of solids, shells, affine bodies and mesh colliders, and the exact shapes of other
/// colliders (a cylinder is round here), all without the offsets of pbs_contact_desc. Particles,
/// and edges that belong to no triangle, have no surface. A ray cannot pass between adjacent
/// triangles. If several surfaces are hit at the same distance, the result is the triangle that was
/// created first; triangles come before shapes. The call also returns PBS_OK if the ray hits
/// nothing.
///
/// The first query after a change of the scene or its state updates a tree of boxes and may
/// allocate; further queries only read. Until the next change any number of threads may query at
/// the same time. (The host's own allocator or tasks are called by one of these threads; with them,
/// the first query must have returned before other threads query.) Saved and restored worlds give
/// the same answers.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range, a
/// direction of length 0), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection"
PBS_API pbs_status pbs_world_ray(const pbs_world *w, const pbs_ray_desc *d, pbs_surface_point *out);

/// Lists what a ray hits in the current state, sorted by distance: every triangle that
/// pbs_world_ray could hit, and the first hit of each collider of another shape. A ray through a
/// common edge hits both triangles. Of hits at the same distance triangles come first, in order of
/// creation, then colliders. The call allocates as pbs_world_ray does; threads may call it under
/// the same conditions.
/// @param dst  null: only *count is set. After PBS_ERROR_CAPACITY its contents are unspecified
/// @param struct_size  sizeof(pbs_surface_point) as the caller was compiled: consecutive rows are
/// struct_size bytes apart in dst, and it becomes the struct_size of each
/// @param count  capacity of dst in rows on entry; number of rows written, or needed, on return
/// @return as pbs_world_ray; PBS_ERROR_CAPACITY (*count is the number needed)
PBS_API pbs_status pbs_world_ray_hits(const pbs_world *w, const pbs_ray_desc *d,
                                      pbs_surface_point *dst, size_t struct_size, size_t *count);

/// Finds the point closest to a given point on the surfaces that pbs_world_ray can hit, from either
/// side; so also if the surface encloses the given point. The normal is that of the surface at the
/// closest point, not the direction to the given point. `inside` is the sign of the distance. It is
/// 1 where the point is in a solid shape, outside a hollow one, or enclosed by the triangles of the
/// body or mesh: their winding number about the point is then a whole number other than 0. Sheets
/// with a border enclose nothing. For closed bodies the call takes time in proportion to the
/// triangles of the closest one.
/// @return as pbs_world_ray
PBS_API pbs_status pbs_world_closest(const pbs_world *w, const pbs_closest_desc *d,
                                     pbs_surface_point *out);

/// A sphere or a capsule that moves in a straight line without turning, and the groups of surfaces
/// that it can hit.
typedef struct pbs_cast_desc {
    uint32_t struct_size;  ///< set by pbs_cast_desc_init
    int32_t reserved;      ///< must be 0
    double radius;         ///< m, > 0
    double half_length;    ///< m, >= 0: of the capsule's axis, without the caps; 0: a sphere
    double origin[3];      ///< m: its centre at the start
    double orientation[4]; ///< unit quaternion x, y, z, w; the axis is y in the capsule's frame
    double direction[3];   ///< of any length except 0
    double distance;       ///< m, >= 0: how far it moves; may be infinite
    uint32_t group;        ///< bits, as those of pbs_ray_desc
    uint32_t mask;         ///< bits, as those of pbs_ray_desc
} pbs_cast_desc;

/// Fills *d with a sphere of radius 0.5 m at the origin that moves straight down (-y) without end,
/// of all groups, that can hit all groups.
/// @param struct_size  sizeof(pbs_cast_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_cast_desc_init(pbs_cast_desc *d, size_t struct_size);

/// Finds the first surface that a moving sphere or capsule touches in the current state, among
/// those that pbs_world_ray can hit. In `out`, distance is how far it has moved then, 0 where it
/// touches at the start or is inside a solid shape; point is the surface's point; and normal points
/// from there to the axis of the moving shape. The time of impact is distance over the speed. Gaps
/// up to 1e-10 of the radius, or the rounding of coordinates, count as touching. Tori and grids
/// that are touched over less than a thousandth of the radius, or a 20000th of the path, may be
/// missed. Threads may call it at the same time, under the conditions of pbs_world_ray.
/// @return as pbs_world_ray
/// @see docs/architecture.md, Queries
PBS_API pbs_status pbs_world_cast(const pbs_world *w, const pbs_cast_desc *d,
                                  pbs_surface_point *out);

/// How close two bodies, or a body and a collider, are. Larger values mean a worse overlap.
typedef enum pbs_overlap_kind {
    PBS_OVERLAP_CLOSE = 0,    ///< the gap is above 0 and below the distance
    PBS_OVERLAP_TOUCHING = 1, ///< the gap, reduced by the offsets, is 0 or less. Any overlap with a
                              ///< half-space or a hollow collider is of this kind
    PBS_OVERLAP_INTERSECTING = 2, ///< an edge goes through a triangle
    PBS_OVERLAP_INSIDE = 3 ///< the first lies inside the second, which is solid, and their surfaces
                           ///< do not intersect. Steps accept that
} pbs_overlap_kind;

/// What pbs_world_overlaps tests against a world, and up to which distance.
typedef struct pbs_overlap_desc {
    uint32_t struct_size; ///< set by pbs_overlap_desc_init
    int32_t solid;   ///< for a surface that is not in the world: 1: closed and solid inside, 0: a
                     ///< sheet. For a body it must be 0
    double distance; ///< pairs closer than this are listed. 0: only pairs that touch or overlap,
                     ///< from which no step with PBS_CONTACT_BARRIER can start
    pbs_body body;   ///< null: no body of the world. Otherwise only the pairs of this body are
                     ///< listed, with the body at the position given by the following members
    size_t vertex_count; ///< 0: the body, or without a body the whole world, in its current state.
                         ///< Otherwise the number of vertices of the body, or of a surface that is
                         ///< not in the world
    const double *positions; ///< vertex_count x 3, metres; read during the call only
    size_t triangle_count; ///< of that surface; 0: the vertices are particles. It must be 0 if body
                           ///< is set
    const uint32_t *triangles; ///< triangle_count x 3 vertex indices, of either orientation
    double position[3]; ///< m: positions (null: the current positions of the body) are rotated by
                        ///< orientation and then translated by position
    double orientation[4];           ///< unit quaternion x, y, z, w
    const pbs_contact_desc *contact; ///< contact settings of the surface or the body (offset,
                                     ///< groups). null: the body's own, or those of
                                     ///< pbs_contact_desc_init
} pbs_overlap_desc;

/// Fills *d with the whole world in its current state, distance 0.
/// @param struct_size  sizeof(pbs_overlap_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_overlap_desc_init(pbs_overlap_desc *d, size_t struct_size);

/// A pair of two bodies, of a body and a collider, or of a body and itself. The first side is the
/// body or the surface of pbs_overlap_desc; for PBS_OVERLAP_INSIDE it is the one that lies inside.
typedef struct pbs_overlap {
    pbs_body bodies[2];        ///< null: a collider, or a surface that is in no world
    pbs_collider colliders[2]; ///< null: a body, or a surface that is in no world
    uint32_t vertex_counts[2]; ///< 1: a vertex, 2: an edge, 3: a triangle; 0: of a collider that
                               ///< was given no vertices
    uint32_t vertices[6]; ///< three entries for each side: the closest primitives, or an edge and a
                          ///< triangle that intersect
    int32_t kind;         ///< pbs_overlap_kind
    uint32_t reserved;    ///< 0
    double gap; ///< m: the smallest gap, 0 or less if they touch; 0 if they intersect or one lies
                ///< inside the other
    double normal[3]; ///< unit, from the closest point of the second to that of the first; 0 if
                      ///< they intersect or one lies inside the other
} pbs_overlap;

/// Lists pairs that touch, overlap or are closer than a distance: in the current state of the
/// world, with one of its bodies at another position, or with a surface that is not in the world.
/// So a host can test a position before it creates or moves a body. There is one row for each pair
/// that may touch (groups and masks). A step with PBS_CONTACT_BARRIER can start if all rows are
/// PBS_OVERLAP_CLOSE or PBS_OVERLAP_INSIDE. Surfaces are those of contact: a cylinder is a prism of
/// 64 sides. Pending targets and motions are ignored. The call changes nothing, and takes time in
/// proportion to the surfaces of the whole world. Threads may call it at the same time, under the
/// conditions of pbs_world_ray.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_overlap) as the caller was compiled: consecutive rows are
/// struct_size bytes apart in dst
/// @param count  capacity of dst in rows on entry; number of rows written, or needed, on return
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range,
/// another vertex count than the body's, a wrong index), PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_CAPACITY (*count is the number needed), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_overlaps(const pbs_world *w, const pbs_overlap_desc *d,
                                      pbs_overlap *dst, size_t struct_size, size_t *count);

/// How far bodies may be pushed apart.
typedef struct pbs_separate_desc {
    uint32_t struct_size;     ///< set by pbs_separate_desc_init
    uint32_t iteration_limit; ///< largest number of searches for overlaps
    double distance;          ///< m, >= 0: the gaps afterwards; 0: the contact distance
    double move_limit; ///< m, >= 0: no body moves farther than this; 0: twice the size of the body
} pbs_separate_desc;

/// Fills *d with gaps of the contact distance, motions of at most twice the size of a body, and 200
/// searches.
/// @param struct_size  sizeof(pbs_separate_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_separate_desc_init(pbs_separate_desc *d, size_t struct_size);

/// Result of pbs_world_separate. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_separation) and nothing else.
typedef struct pbs_separation {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t iterations;  ///< number of searches for overlaps
    size_t moved_count;   ///< number of bodies that moved; 0 on failure
    double longest_move;  ///< m: largest motion of a body; 0 on failure
    pbs_overlap overlap;  ///< on PBS_ERROR_INADMISSIBLE the pair that could not be separated;
                          ///< otherwise null ids
} pbs_separation;

/// Moves bodies apart that touch, overlap or are closer than the distance, so that a step can
/// start. Each body is translated as a whole, without rotation or strain; the translations are
/// about the smallest possible, and lighter bodies move farther. Velocities are kept, and the
/// history of multi-step schemes is discarded. Colliders do not move, nor do bodies with a pinned
/// or scripted vertex. The call separates bodies that overlap a little, and nearly convex bodies
/// that overlap deeply. It cannot separate bodies that are hooked into each other, have no free
/// space or intersect themselves: then nothing has moved, and `out` and the message name the pair.
/// Results are bit-identical for any number of threads. Call it before the first step, not before
/// each step: bodies at rest are closer than the contact distance, and would be lifted.
/// @param d  null: the defaults of pbs_separate_desc_init
/// @param out  may be null
/// @return PBS_ERROR_ARGUMENT (w is null, a number that is not finite or out of its range),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY, PBS_ERROR_INADMISSIBLE
PBS_API pbs_status pbs_world_separate(pbs_world *w, const pbs_separate_desc *d,
                                      pbs_separation *out);

/// A region of space, and the groups of bodies and colliders that it can find.
typedef struct pbs_region_desc {
    uint32_t struct_size;  ///< set by pbs_region_desc_init
    int32_t shape;         ///< pbs_shape: a sphere, a box, a capsule or a cylinder
    double size[3];        ///< m, see pbs_shape
    double position[3];    ///< m
    double orientation[4]; ///< unit quaternion x, y, z, w
    uint32_t group;        ///< bits, as those of pbs_ray_desc
    uint32_t mask;         ///< bits, as those of pbs_ray_desc
} pbs_region_desc;

/// Fills *d with a box of half extents 0.5 m about the origin, of all groups, that can find all
/// groups.
/// @param struct_size  sizeof(pbs_region_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_region_desc_init(pbs_region_desc *d, size_t struct_size);

/// What pbs_world_region lists.
typedef enum pbs_region_list {
    PBS_REGION_OBJECTS = 0,  ///< one row for each body and each collider
    PBS_REGION_TRIANGLES = 1 ///< one row for each triangle of bodies and mesh colliders
} pbs_region_list;

/// What is in a region.
typedef struct pbs_region_row {
    pbs_body body;         ///< null: a collider
    pbs_collider collider; ///< null: a body
    uint32_t triangle;     ///< as in pbs_surface_point; UINT32_MAX with PBS_REGION_OBJECTS
    uint32_t reserved;     ///< 0
} pbs_region_row;

/// Lists what touches a region in the current state, or lies in it, in order of creation, bodies
/// before colliders. A body touches if one of its triangles does or, if it has none, one of its
/// vertices (of particles their spheres); or if its surface encloses the region's centre. A mesh
/// collider touches as a surface does, another one if its solid does; hollow spheres, capsules and
/// cylinders, tori and grids within a 256th of the region's size. Offsets of pbs_contact_desc are
/// left out. The call allocates nothing after the first query; it takes time in proportion to the
/// number of bodies and colliders, and to the triangles of those whose bounding boxes meet that of
/// the region. Threads may call it at the same time, under the conditions of pbs_world_ray.
/// @param list  pbs_region_list
/// @param dst  null: only *count is set. After PBS_ERROR_CAPACITY its contents are unspecified
/// @param struct_size  sizeof(pbs_region_row) as the caller was compiled: consecutive rows are
/// struct_size bytes apart in dst
/// @param count  capacity of dst in rows on entry; number of rows written, or needed, on return
/// @return PBS_ERROR_ARGUMENT (a null pointer, another shape, a number that is not finite or out of
/// its range), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_CAPACITY (*count is the number needed),
/// PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_region(const pbs_world *w, const pbs_region_desc *d, int32_t list,
                                    pbs_region_row *dst, size_t struct_size, size_t *count);

/// The id of a sensor, made as that of a body is.
typedef struct pbs_sensor {
    uint64_t id; ///< opaque
} pbs_sensor;

/// Adds a sensor: a region that reports which bodies enter and leave it, and exerts no force. It
/// exists until pbs_sensor_destroy or the end of the world, and is saved with it. With sensors a
/// step takes more time in proportion to all vertices, and to the triangles of bodies near them.
/// @param out  its id; written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, another shape, a number that is not finite or out of
/// its range), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_sensor_create(pbs_world *w, const pbs_region_desc *d, pbs_sensor *out);

/// Removes the sensor; its id is never valid again. Bodies that were in it leave it in the next
/// step. A null id is fine.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_sensor_destroy(pbs_world *w, pbs_sensor s);

/// Whether the id names a sensor of this world that was not destroyed. False where w is null.
PBS_API bool pbs_sensor_is_valid(const pbs_world *w, pbs_sensor s);

/// Changes shape, place and groups from the next step on.
/// @return as pbs_sensor_create; PBS_ERROR_HANDLE; nothing is changed then
PBS_API pbs_status pbs_sensor_set_region(pbs_world *w, pbs_sensor s, const pbs_region_desc *d);

/// The sensor's present region, with which pbs_world_region tells what is in it.
/// @param out  struct_size set by the caller, as pbs_region_desc_init does
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE, PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_sensor_region(const pbs_world *w, pbs_sensor s, pbs_region_desc *out);

/// How many sensors there are; 0 for null.
PBS_API size_t pbs_world_sensor_count(const pbs_world *w);

/// The id of the index-th sensor in order of creation; a null id beyond the end, or where w is
/// null.
PBS_API pbs_sensor pbs_world_sensor_at(const pbs_world *w, size_t index);

/// A body that entered or left a sensor.
typedef struct pbs_sensor_event {
    pbs_sensor sensor;
    pbs_body body;
    int32_t kind;      ///< pbs_pair_kind
    uint32_t reserved; ///< 0
} pbs_sensor_event;

/// Reads which bodies entered and left sensors in the last pbs_world_step or pbs_world_advance that
/// landed: those that touch the region where the call ends, as pbs_world_region says, and did not
/// before, and the reverse. What passes through a sensor within one call is not noticed.
///
/// Events are those of the last call only, and there are none after a restore. Which bodies are in
/// sensors is saved with the world: the first step after a restore lists what the saved world's
/// would. A body or a sensor that was destroyed leaves in the next step; its id is then no longer
/// valid. Bodies that broke in this call touch with the surface that they had before.
/// @param dst  rows in an order that depends only on the scene; null: only *count is set
/// @param struct_size  sizeof(pbs_sensor_event) as the caller was compiled: consecutive rows are
/// struct_size bytes apart in dst
/// @param count  capacity of dst in rows on entry; number of rows written, or needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_CAPACITY
/// (*count is the number needed)
PBS_API pbs_status pbs_world_sensor_events(const pbs_world *w, pbs_sensor_event *dst,
                                           size_t struct_size, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
