// libpbs: what a host reads of bodies and colliders that exist, and what it changes of them without
// making them anew. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_PROPERTIES_H
#define PBS_PROPERTIES_H

#include "body.h"
#include "collider.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- parameters ---

/// Values of a body's description that can be changed later. Young's modulus, density and Poisson's
/// ratio of a solid may be different in each tetrahedron, stiffness and rest length of springs in
/// each spring, masses at each vertex; other parameters are one value of the body.
typedef enum pbs_parameter {
    PBS_PARAMETER_DAMPING = 0,       ///< s: all bodies but bonded ones
    PBS_PARAMETER_DRAG = 1,          ///< 1/s: all bodies but custom ones
    PBS_PARAMETER_DENSITY = 2,       ///< kg/m^3: solids, shells, affine bodies
    PBS_PARAMETER_YOUNG = 3,         ///< Pa: solids, shells
    PBS_PARAMETER_POISSON = 4,       ///< solids, shells
    PBS_PARAMETER_BENDING_YOUNG = 5, ///< Pa, 0: as PBS_PARAMETER_YOUNG: shells
    PBS_PARAMETER_THICKNESS = 6,     ///< metres, of mass and stiffness: shells
    PBS_PARAMETER_STIFFNESS = 7,     ///< N/m of springs, Pa of affine bodies (there 0: chosen by
                                     ///< gravity; what is read is what is in use)
    PBS_PARAMETER_REST_LENGTH = 8,   ///< metres: springs
    PBS_PARAMETER_MASS = 9,          ///< kg: springs and custom bodies
    PBS_PARAMETER_STRETCH_LIMIT = 10 ///< 0 (none) or > 1: shells
} pbs_parameter;

/// How many values of this parameter the body has: 1, or the number of its tetrahedra, springs or
/// vertices. 0 where it has no such parameter, or the body is not valid.
PBS_API size_t pbs_body_parameter_count(const pbs_world *w, pbs_body b, int32_t parameter);

/// The present values of a parameter.
/// @param values  becomes pbs_body_parameter_count numbers
/// @param capacity  how many numbers `values` can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer, a parameter that the body has not),
/// PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_parameter(const pbs_world *w, pbs_body b, int32_t parameter,
                                      double *values, size_t capacity);

/// Changes a parameter from the next step on. The change is written into what the library has
/// prepared for the body, and costs about as much as evaluating the body's energy once; only where
/// damping, drag or a limit of stretch become zero, or stop being zero, the next step prepares its
/// matrices anew. It allocates nothing when the same parameter is set again with as many values.
///
/// What a change adds to the elastic energy counts as external work. Where forces change, what the
/// scheme remembers of earlier accelerations is forgotten; where masses change (density, thickness,
/// mass), velocities stay, and the energy target of the body starts from the energy that the next
/// step finds. Friction, offsets, groups and surface materials are pbs_body_set_contact's,
/// strengths of bonds pbs_body_set_critical_stretches'.
/// @param parameter  pbs_parameter
/// @param values  count numbers, in the ranges of the body's description; copied
/// @param count  1: the same value everywhere; or pbs_body_parameter_count
/// @return PBS_ERROR_ARGUMENT (a null pointer, a parameter that the body has not, another count, a
/// number that is not finite or out of its range; masses or stiffnesses that are not positive and
/// finite together with the other parameters), PBS_ERROR_INADMISSIBLE (a triangle is stretched to
/// that limit or beyond), PBS_ERROR_HANDLE, PBS_ERROR_MEMORY; nothing is changed then
PBS_API pbs_status pbs_body_set_parameter(pbs_world *w, pbs_body b, int32_t parameter,
                                          const double *values, size_t count);

// --- what a body is ---

/// Kinds of bodies, by the call that makes them.
typedef enum pbs_body_kind {
    PBS_BODY_NONE = 0,        ///< the id names no body
    PBS_BODY_SOLID = 1,       ///< pbs_body_create_solid
    PBS_BODY_SHELL = 2,       ///< pbs_body_create_shell
    PBS_BODY_SPRINGS = 3,     ///< pbs_body_create_springs
    PBS_BODY_AFFINE = 4,      ///< pbs_body_create_affine
    PBS_BODY_BONDED = 5,      ///< pbs_body_create_bonded
    PBS_BODY_PERIDYNAMIC = 6, ///< pbs_body_create_peridynamic
    PBS_BODY_CUSTOM = 7       ///< pbs_body_create_custom
} pbs_body_kind;

/// pbs_body_kind; PBS_BODY_NONE for a body that is not valid.
PBS_API int32_t pbs_body_kind_of(const pbs_world *w, pbs_body b);

/// A number of the host's own with the body, such as an index or an address: the library never
/// reads it. It is saved with the world, where an address means nothing to another process. Names
/// are the host's, in a table that this number leads to.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_user_data(pbs_world *w, pbs_body b, uint64_t user_data);

/// That number; 0 before any was set, and for a body that is not valid.
PBS_API uint64_t pbs_body_user_data(const pbs_world *w, pbs_body b);

/// The vertices at rest: vertex_count x 3, metres; of an affine body in its own coordinates. The
/// world's own array, valid until the body is destroyed or the world restored. Null for springs and
/// custom bodies, which have no rest positions, and for a body that is not valid.
PBS_API const double *pbs_body_rest_positions(const pbs_world *w, pbs_body b);

/// The tetrahedra of a solid, as given.
/// @param indices  becomes tet_count x 4 vertex indices, the world's, valid until the body is
/// destroyed or the world restored; null for other bodies
/// @param tet_count  becomes their number
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_tets(const pbs_world *w, pbs_body b, const uint32_t **indices,
                                 size_t *tet_count);

/// The springs of a body of pbs_body_create_springs, as given.
/// @param indices  becomes spring_count x 2 vertex indices; otherwise as in pbs_body_tets
/// @param spring_count  becomes their number
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_springs(const pbs_world *w, pbs_body b, const uint32_t **indices,
                                    size_t *spring_count);

/// The strains of springs, (length - rest length) / rest length; infinite where the rest length is
/// 0 and the length is not. Nothing is written for other bodies.
/// @param dst  spring_count
/// @param capacity  how many numbers dst can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_spring_strains(const pbs_world *w, pbs_body b, double *dst,
                                           size_t capacity);

// --- how a body moves ---

/// A body's motion as a whole. The angular velocity is that of a rigid body with the same inertia
/// and angular momentum; about an axis without inertia, as along a straight line of particles, it
/// is 0.
typedef struct pbs_motion {
    uint32_t struct_size;       ///< set by the caller, not changed by the call
    uint32_t reserved;          ///< becomes 0
    double mass;                ///< kg
    double center[3];           ///< metres: of mass
    double velocity[3];         ///< m/s, of the centre of mass
    double angular_velocity[3]; ///< 1/s, axes of the world
    double momentum[3];         ///< N s
    double angular_momentum[3]; ///< N m s, about the centre of mass, spins of particles included
    double inertia[9];          ///< kg m^2, 3 x 3, about the centre of mass, axes of the world
} pbs_motion;

/// The present motion of a body of any kind.
/// @param out  struct_size set by the caller
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE
/// @see docs/theory/affine_bodies.md section 2: the moments of an affine body are those of its
/// handles
PBS_API pbs_status pbs_body_motion(const pbs_world *w, pbs_body b, pbs_motion *out);

/// Changes the motion of a body of any kind as a whole: afterwards pbs_body_motion gives these
/// velocities. Motion within the body, as of a soft one that swings, stays. Held axes do not move,
/// so that of a body with pinned vertices pbs_body_motion may differ. What the scheme remembers of
/// the body's earlier steps is forgotten, as after pbs_body_set_velocities.
/// @param velocity  3, m/s, of the centre of mass; null: as it is
/// @param angular_velocity  3, 1/s, axes of the world; null: as it is. Of a body on a straight line
/// the part along it does nothing
/// @return PBS_ERROR_ARGUMENT (w is null, a number that is not finite or would lead to one; of a
/// peridynamic body in a plane or a bar, a motion out of it), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_motion(pbs_world *w, pbs_body b, const double velocity[3],
                                       const double angular_velocity[3]);

#ifdef __cplusplus
}
#endif
#endif
