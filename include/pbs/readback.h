// libpbs: contacts of the last step, their forces, and lines that show a world. Part of
// <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_READBACK_H
#define PBS_READBACK_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One of the two sides of a contact: a point, an edge or a triangle.
typedef struct pbs_contact_side {
    pbs_body body;         ///< null: the side is a collider
    pbs_collider collider; ///< null: the side is a body
    uint32_t vertex_count; ///< 1: a vertex, 2: an edge, 3: a triangle; 0: of a collider that was
                           ///< given no vertices
    uint32_t vertices[3];  ///< indices in the body, or in the collider's description
    double weights[3];     ///< barycentric weights of the closest point, >= 0, sum 1
    double point[3];       ///< m: the closest point of the surface, offsets included
} pbs_contact_side;

/// A contact. Forces are means over the stages of the last step; points, normal and gap are those
/// at its end: first.point = second.point + gap normal.
typedef struct pbs_contact {
    pbs_contact_side first;
    pbs_contact_side second;
    double normal[3];    ///< unit, from the second side to the first
    double gap;          ///< m
    double normal_force; ///< N: force along normal
    double force[3];     ///< N, on the first side, without friction; the opposite force acts on the
                     ///< second side. On each of two nearly parallel edges there is also a couple
                     ///< that aligns them, which the sums of pbs_body_contact_force include
    double friction[3]; ///< N, on the first side
} pbs_contact;

/// Reads the contacts of the last successful step (after pbs_world_advance, or a step that was
/// divided: of the last step or part), in an order that depends only on the scene. Which contacts
/// are listed depends on the kind of contact:
/// - PBS_CONTACT_BARRIER: every pair of primitives with a force or friction in the step, and every
///   pair closer than contact_distance at its end. Friction is that of the contacts at the start of
///   the step, or at a solution (friction_iterations of pbs_world_desc), so a pair that has
///   separated may still have friction.
/// - PBS_CONTACT_PROJECTION: every vertex and surface of a collider that touched, and every vertex
///   inside a body or a collider that penalties push it out of; its gap is below zero.
/// - PBS_CONTACT_PENALTY: all spheres that overlap each other or a collider at the end. Their gap
///   is below zero.
///
/// There are none before the first step and after a restore. Ids may be those of bodies that have
/// been destroyed since the step.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_contact) as the caller was compiled: consecutive contacts are
/// struct_size bytes apart in dst
/// @param count  capacity of dst in contacts on entry; number of contacts written, or needed, on
/// return
/// @return PBS_ERROR_ARGUMENT (w or count is null), PBS_ERROR_STRUCT_SIZE (not one that this
/// library knows), PBS_ERROR_CAPACITY (*count is the number needed)
/// @see docs/architecture.md, Contact
PBS_API pbs_status pbs_world_contacts(const pbs_world *w, pbs_contact *dst, size_t struct_size,
                                      size_t *count);

/// What became of a pair in the last step.
typedef enum pbs_pair_kind {
    PBS_PAIR_BEGAN = 0, ///< it touches, and did not after the step before
    PBS_PAIR_ENDED = 1  ///< it does not touch, and did after the step before
} pbs_pair_kind;

/// Two bodies, or a body and a collider, that began or ended to touch.
typedef struct pbs_contact_event {
    pbs_body bodies[2];
    pbs_collider colliders[2]; ///< colliders[1] is null between two bodies; colliders[0] is null
    int32_t kind;              ///< pbs_pair_kind
    uint32_t reserved;         ///< 0
} pbs_contact_event;

/// Reads which pairs began and ended to touch in the last pbs_world_step or pbs_world_advance that
/// landed. A pair touches if pbs_world_contacts lists a contact of it where the call ends; contacts
/// of a body with itself are left out. What begins and ends within one advance is not listed.
///
/// Events are those of the last call only, and there are none after a restore. Which pairs touch is
/// saved with the world: the first step after a restore lists what the saved world's would. A pair
/// whose body or collider was destroyed ends in the next step; its id is then no longer valid.
/// @param dst  rows in an order that depends only on the scene; null: only *count is set
/// @param struct_size  sizeof(pbs_contact_event) as the caller was compiled: consecutive rows are
/// struct_size bytes apart in dst
/// @param count  capacity of dst in rows on entry; number of rows written, or needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_CAPACITY
/// (*count is the number needed)
PBS_API pbs_status pbs_world_contact_events(const pbs_world *w, pbs_contact_event *dst,
                                            size_t struct_size, size_t *count);

/// The resultant of all contacts on a body or a collider. As with pbs_energy, the caller sets
/// struct_size = sizeof(pbs_contact_force) and nothing else.
typedef struct pbs_contact_force {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t reserved;    ///< becomes 0
    // Means over the stages of the last step:
    double force[3];    ///< N, friction included
    double friction[3]; ///< N, friction only
    double torque[3];   ///< N m, about the point given in the call, friction included
    // Totals of the last pbs_world_step or pbs_world_advance:
    double impulse[3];         ///< N s, friction included
    double angular_impulse[3]; ///< N m s, about that point, friction included
} pbs_contact_force;

/// Reads the resultant of a body's contacts in the last successful step: forces from all other
/// bodies and from colliders. Self-contact cancels. The forces of all bodies and colliders add up
/// to zero within rounding. So do the torques without friction; friction between two bodies acts at
/// the closest points of both, and the gap between these points leaves a torque. With implicit
/// Euler the change of momentum is the impulse; multi-step schemes distribute it over further
/// steps, and energy control scales it. All values are zero before the first step; after a restore
/// they are those of the step before the save.
/// @param about  3, metres: the reference point of the torques; null: the current centre of mass
/// @return PBS_ERROR_ARGUMENT (w or out is null, a number that is not finite), PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_body_contact_force(const pbs_world *w, pbs_body b, const double about[3],
                                          pbs_contact_force *out);

/// Reads the same resultant for a collider, for example to load a rigid body of the host. Forces at
/// single vertices, without friction, are PBS_CHANNEL_CONTACT_FORCE of pbs_body_read_f32.
/// @param about  3, metres: the reference point of the torques; null: the collider's position
/// @return as pbs_body_contact_force
PBS_API pbs_status pbs_collider_contact_force(const pbs_world *w, pbs_collider c,
                                              const double about[3], pbs_contact_force *out);

/// What pbs_world_debug_lines draws, as bits.
typedef enum pbs_debug_flags {
    PBS_DEBUG_SURFACES = 1, ///< sides of bodies' triangles; of bodies without any their springs, or
                            ///< bonds that hold: white
    PBS_DEBUG_COLLIDERS = 2, ///< outlines of shapes and sides of meshes: grey
    PBS_DEBUG_NORMALS = 4,   ///< normals of bodies' triangles: cyan
    PBS_DEBUG_CONTACTS = 8,  ///< of pbs_world_contacts, from point to point, and normals: yellow
    PBS_DEBUG_JOINTS = 16,   ///< from point to point: magenta; axes of side a: red, green, and blue
                             ///< the main one. Broken joints are left out
    PBS_DEBUG_PINS = 32,     ///< each constrained axis of each vertex; of affine bodies of the
                             ///< centre: orange
    PBS_DEBUG_SENSORS = 64,  ///< outlines: green
    PBS_DEBUG_ALL = 127
} pbs_debug_flags;

/// Which lines, and how long.
typedef struct pbs_debug_desc {
    uint32_t struct_size; ///< set by pbs_debug_desc_init
    uint32_t flags;       ///< pbs_debug_flags
    double length; ///< m, > 0: of normals and axes; pins are half as long, half-spaces are squares
                   ///< of 20 lengths
} pbs_debug_desc;

/// Fills *d: everything, 0.1 m.
/// @param struct_size  sizeof(pbs_debug_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_debug_desc_init(pbs_debug_desc *d, size_t struct_size);

/// An end of a line, as a vertex buffer takes it.
typedef struct pbs_debug_point {
    float position[3]; ///< m
    uint8_t rgba[4];   ///< 0 to 255
} pbs_debug_point;

/// Writes lines that show the current state, two points for each line, for a host to draw. Nothing
/// is allocated, and the order depends only on the scene. Sides that two triangles share are listed
/// once for solids and affine bodies, otherwise once for each triangle. Points beyond the range of
/// single precision become infinite.
/// @param d  null: the defaults of pbs_debug_desc_init
/// @param dst  null: only *count is set. After PBS_ERROR_CAPACITY its contents are unspecified
/// @param struct_size  sizeof(pbs_debug_point) as the caller was compiled: consecutive points are
/// struct_size bytes apart in dst
/// @param count  capacity of dst in points on entry; number of points written, or needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null, unknown flags, a length that is not positive and
/// finite), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_CAPACITY (*count is the number needed)
PBS_API pbs_status pbs_world_debug_lines(const pbs_world *w, const pbs_debug_desc *d,
                                         pbs_debug_point *dst, size_t struct_size, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
