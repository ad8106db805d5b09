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
    PBS_PARAMETER_STIFFNESS = 7,     ///< N/m of springs, Pa of affine bodies
    PBS_PARAMETER_REST_LENGTH = 8,   ///< metres: springs
    PBS_PARAMETER_MASS = 9           ///< kg: springs and custom bodies
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
/// damping or drag become zero, or stop being zero, the next step prepares its matrices anew. It
/// allocates nothing when the same parameter is set again with as many values.
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
/// finite together with the other parameters), PBS_ERROR_HANDLE, PBS_ERROR_MEMORY; nothing is
/// changed then
PBS_API pbs_status pbs_body_set_parameter(pbs_world *w, pbs_body b, int32_t parameter,
                                          const double *values, size_t count);

#ifdef __cplusplus
}
#endif
#endif
