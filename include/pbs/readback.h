// libpbs: contacts of the last step, and their forces. Part of <pbs/pbs.h>.
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
    uint32_t vertices[3];  ///< of the body, or of the collider's description
    double weights[3];     ///< of the closest point, >= 0, sum 1
    double point[3];       ///< m: the closest point of the surface, offsets included
} pbs_contact_side;

/// One contact. Forces are means over the stages of the last step; points, normal and gap are those
/// at its end. first.point = second.point + gap normal.
typedef struct pbs_contact {
    pbs_contact_side first;
    pbs_contact_side second;
    double normal[3];    ///< unit, from the second side to the first
    double gap;          ///< m
    double normal_force; ///< N: force along normal
    double force[3];    ///< N, on the first side, without friction; the opposite acts on the second
                        ///< side. On each of two nearly parallel edges acts a couple besides, which
                        ///< aligns them; the sums below include it
    double friction[3]; ///< N, on the first side
} pbs_contact;

/// The contacts of the last step that landed (of pbs_world_advance, and of a step that was divided:
/// of the last step or part taken), in an order that depends on the scene alone.
/// With PBS_CONTACT_BARRIER: every pair of primitives with a force or friction in the step, and
/// every one closer than contact_distance at the end. Friction is that of the contacts at the
/// step's start (with friction_iterations, at a solution), so a pair that has separated may still
/// have friction. With PBS_CONTACT_PROJECTION: every vertex and surface of a collider that touched.
/// With PBS_CONTACT_PENALTY: all spheres that overlap each other or a collider at the end; their
/// gap is below zero. None before the first step and after a restore. Ids in it may be of bodies
/// that were destroyed since.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_contact) as the caller was compiled: contact i starts
/// struct_size * i bytes after dst
/// @param count  how many dst can hold on entry; how many were written, or are needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null), PBS_ERROR_STRUCT_SIZE (not one that this
/// library knows), PBS_ERROR_CAPACITY (*count is what is needed)
/// @see docs/architecture.md, Contact
PBS_API pbs_status pbs_world_contacts(const pbs_world *w, pbs_contact *dst, size_t struct_size,
                                      size_t *count);

/// The sum of all contacts on a body or a collider. As with pbs_energy, the caller sets struct_size
/// = sizeof(pbs_contact_force) and nothing else.
typedef struct pbs_contact_force {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t reserved;    ///< becomes 0
    // In the last step (of several, the last), mean of its stages:
    double force[3];    ///< N, friction included
    double friction[3]; ///< N, of friction alone
    double torque[3];   ///< N m, about the point of the call, friction included
    // Over the whole of the last pbs_world_step or pbs_world_advance:
    double impulse[3];         ///< N s, friction included
    double angular_impulse[3]; ///< N m s, about that point, friction included
} pbs_contact_force;

/// The sums over a body's contacts in the last step that landed: forces from all other bodies and
/// colliders. Self-contact cancels. Over all bodies and colliders forces add up to zero within
/// rounding. Torques do so without friction; friction between two bodies acts at the closest points
/// of both, and the gap between these leaves a torque. With implicit Euler the change of momentum
/// is the impulse; multi-step schemes spread it over further steps, and energy control scales it.
/// Zero before the first step; after a restore as of the step before the save.
/// @param about  3, metres: the point of the torques; null: the present centre of mass
/// @return PBS_ERROR_ARGUMENT (w or out is null, a number that is not finite), PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_body_contact_force(const pbs_world *w, pbs_body b, const double about[3],
                                          pbs_contact_force *out);

/// The same sums for a collider, which a host's own rigid body may need. Vertex by vertex, without
/// friction: PBS_CHANNEL_CONTACT_FORCE of pbs_body_read_f32.
/// @param about  3, metres: the point of the torques; null: the collider's position
/// @return as pbs_body_contact_force
PBS_API pbs_status pbs_collider_contact_force(const pbs_world *w, pbs_collider c,
                                              const double about[3], pbs_contact_force *out);

#ifdef __cplusplus
}
#endif
#endif
