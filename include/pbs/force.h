// libpbs: forces of the host on points and on whole bodies. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_FORCE_H
#define PBS_FORCE_H

#include "point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How long an applied force acts.
typedef enum pbs_force_duration {
    PBS_FORCE_ONCE = 0,   ///< during the next pbs_world_step or pbs_world_advance that lands. A
                          ///< force that waits for it is part of a saved world. What it did is work
                          ///< (`work` of pbs_energy_control_stats) and no potential
    PBS_FORCE_LASTING = 1 ///< until pbs_body_clear_forces
} pbs_force_duration;

/// Adds a force on a point of a body to those that act already. Its size and direction stay while
/// the body moves. A lasting force is one more of those of pbs_body_set_forces, which replaces them
/// all; its potential is `external` of pbs_energy. What the scheme remembers of earlier
/// accelerations is forgotten.
/// @param point  of a body, not of space
/// @param force  3, N; copied
/// @param duration  pbs_force_duration
/// @return PBS_ERROR_ARGUMENT (a null pointer, an unknown duration, a point of space, a number that
/// is not finite, a sum of forces beyond 1e140), otherwise as pbs_world_point_position
/// @see docs/theory/materials.md, section 7
PBS_API pbs_status pbs_body_apply_force(pbs_world *w, const pbs_point *point, const double *force,
                                        int32_t duration);

/// Adds a force on a body's centre of mass, distributed as its masses are, and a torque about it.
/// The force is a dead load as those of pbs_body_apply_force. The torque stays the same vector
/// while the body turns: its forces are those that give the body an angular acceleration as a rigid
/// one. They are computed for each step, from where the body is expected in the middle of it. They
/// have no potential, so that their change is work. Where all of a body's vertices lie on a line,
/// a torque about that line does nothing.
/// @param force  3, N; copied; null: none
/// @param torque  3, N m; copied; null: none
/// @param duration  pbs_force_duration
/// @return PBS_ERROR_ARGUMENT (w is null, an unknown duration, a number that is not finite, a sum
/// beyond 1e140), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_apply_wrench(pbs_world *w, pbs_body b, const double *force,
                                         const double *torque, int32_t duration);

/// Changes the velocities of a point's vertices (of an affine body: its motion) at once, as a force
/// of very short duration would. Held axes do not move. What the scheme remembers of the body's
/// earlier steps is forgotten, as after pbs_body_set_velocities.
/// @param impulse  3, N s; copied
/// @return as pbs_body_apply_force; PBS_ERROR_ARGUMENT also where a velocity would not be finite
PBS_API pbs_status pbs_body_apply_impulse(pbs_world *w, const pbs_point *point,
                                          const double *impulse);

/// Makes gravity another one for this body, from the next step on: scale times the world's, and an
/// acceleration besides. Without this call the scale is 1 (0 where its description says
/// no_gravity) and the acceleration 0. All of it is `gravity` of pbs_energy. A change is work, as
/// one of pbs_world_set_gravity is.
/// @param scale  of any sign, up to 1e100
/// @param acceleration  3, m/s^2, up to 1e100 each; copied; null: none
/// @return PBS_ERROR_ARGUMENT (w is null, a number that is not finite or beyond its bound),
/// PBS_ERROR_HANDLE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_body_set_gravity(pbs_world *w, pbs_body b, double scale,
                                        const double *acceleration);

/// What pbs_body_set_gravity has set.
/// @param scale  may be null
/// @param acceleration  becomes 3 numbers, m/s^2; may be null
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_gravity(const pbs_world *w, pbs_body b, double *scale,
                                    double *acceleration);

/// Removes all forces and torques of the host from a body: those of pbs_body_set_forces, lasting
/// ones, and those that wait for the next step.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_clear_forces(pbs_world *w, pbs_body b);

/// The forces of the host on a body's vertices: those of pbs_body_set_forces and of
/// pbs_body_apply_force and the like, summed. Torques are not among them.
/// @param duration  pbs_force_duration: those that last, or those that wait for the next step
/// @param dst  vertex_count x 3, N
/// @param capacity  how many vertices dst can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer, an unknown duration, an affine body, whose forces
/// are known by their sum alone: pbs_body_wrench), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_forces(const pbs_world *w, pbs_body b, int32_t duration, double *dst,
                                   size_t capacity);

/// All that the host exerts on a body of any kind, as one force and one torque about its present
/// centre of mass: the sum of the forces on its points, their moments, and the torques of
/// pbs_body_apply_wrench.
/// @param duration  as of pbs_body_forces
/// @param force  becomes 3 numbers, N; may be null
/// @param torque  becomes 3 numbers, N m, axes of the world; may be null
/// @return PBS_ERROR_ARGUMENT (w is null, an unknown duration), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_wrench(const pbs_world *w, pbs_body b, int32_t duration, double *force,
                                   double *torque);

/// What is inside of a closed surface.
typedef enum pbs_pressure_kind {
    PBS_PRESSURE_CONSTANT = 0, ///< whatever the volume is
    PBS_PRESSURE_GAS = 1,      ///< pressure volume^exponent is constant
    PBS_PRESSURE_VOLUME = 2    ///< a liquid that cannot be compressed: whatever holds the volume
} pbs_pressure_kind;

/// Pressure in a closed surface.
typedef struct pbs_pressure_desc {
    uint32_t struct_size; ///< set by pbs_pressure_desc_init
    int32_t kind;         ///< pbs_pressure_kind
    double pressure;      ///< Pa, inside; of a gas at `volume`, > 0; 0 where a volume is held
    double outside;       ///< Pa
    double exponent;      ///< of a gas, 1 to 10: 1 where it keeps its temperature, 1.4 for air that
                          ///< exchanges no heat
    double volume;        ///< m^3, at which the potential is 0, or which is held; 0: that of the
                          ///< surface now
} pbs_pressure_desc;

/// Fills *d: constant, without pressure, exponent 1.4.
/// @param struct_size  sizeof(pbs_pressure_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_pressure_desc_init(pbs_pressure_desc *d, size_t struct_size);

/// Sets the pressure in a solid's boundary or a closed shell from the next step on. Its potential
/// is part of `external` of pbs_energy; a change, as of the amount of gas (pressure times volume),
/// is work. A volume that is held is exact, to 1e-10 of itself where a stage of a step is solved,
/// and needs no stiffness; steps that end beyond their stage, as the midpoint rule's, and
/// linearized ones hold it to second order. If it is another one than the surface has, the next
/// call that steps goes there evenly, which is work too. Copied. A surface of several closed parts
/// has one volume, their sum. What the scheme remembers of earlier accelerations is forgotten.
/// @param d  null: none any more
/// @return PBS_ERROR_ARGUMENT (w is null; the body is no solid or shell; a number that is not
/// finite or out of its range; a gas or a volume where triangles point inward, so that the volume
/// is not positive; a pressure other than 0 with PBS_PRESSURE_VOLUME, or a scheme that holds no
/// volumes), PBS_ERROR_MESH (the surface is not closed; which edge is in the message),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE, PBS_ERROR_MEMORY
/// @see docs/theory/materials.md, section 7.1
PBS_API pbs_status pbs_body_set_pressure(pbs_world *w, pbs_body b, const pbs_pressure_desc *d);

/// What pbs_body_set_pressure has set; `volume` is that of the surface then where it was 0.
/// @param out  struct_size set by the caller, as pbs_pressure_desc_init does
/// @return PBS_ERROR_ARGUMENT (a null pointer, the body has no pressure), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pressure_settings(const pbs_world *w, pbs_body b,
                                              pbs_pressure_desc *out);

/// The pressure inside and the volume of a body that has a pressure, now. Of a volume that is held
/// the pressure is what held it in the latest step.
/// @param pressure  Pa; may be null
/// @param volume  m^3; may be null
/// @return PBS_ERROR_ARGUMENT (w is null, the body has no pressure), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pressure(const pbs_world *w, pbs_body b, double *pressure,
                                     double *volume);

/// Which sides of a body's triangles the air meets. Triangles' outer sides are those from which
/// their corners are seen counterclockwise.
typedef enum pbs_wind_sides {
    PBS_WIND_SIDES_OF_BODY = 0, ///< both of a shell, the outer ones of other bodies
    PBS_WIND_SIDES_BOTH = 1,    ///< what meets either side pushes
    PBS_WIND_SIDES_OUTER = 2    ///< only what meets the outer side pushes, as on a closed surface
} pbs_wind_sides;

/// Wind, or air at rest, that acts on each triangle of a body by its area. With the velocity u of
/// the air less that of the triangle's centre, its parts u_n along the normal n and u_t in the
/// plane, and the area A the force is
///     1/2 density A (normal_coefficient |u_n| u_n n + tangential_coefficient sides |u_t| u_t)
/// One triangle knows nothing of another, neither of its lee nor of the flow around it.
typedef struct pbs_wind_desc {
    uint32_t struct_size;          ///< set by pbs_wind_desc_init
    int32_t sides;                 ///< pbs_wind_sides; `sides` above is 2 with both, otherwise 1
    double velocity[3];            ///< m/s, of the air, in space
    double density;                ///< kg/m^3, of the air
    double normal_coefficient;     ///< of a plate across the flow: 1.1 to 1.3 where it is about as
                                   ///< wide as long, 2 where it is a strip
    double tangential_coefficient; ///< of friction on one side of a plate along the flow: 0.001 to
                                   ///< 0.01 where it is smooth
} pbs_wind_desc;

/// Fills *d: air at rest of 1.2 kg/m^3, coefficients of 1.2 and 0.01, sides of the body.
/// @param struct_size  sizeof(pbs_wind_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_wind_desc_init(pbs_wind_desc *d, size_t struct_size);

/// Sets the wind on a shell, a solid or an affine body from the next step on, until another call. A
/// wind that changes is set before each step; only the first call for a body makes steps prepare
/// anew. The wind has no potential. Its force times the air's velocity is work (`work` of
/// pbs_energy_control_stats), its force times u, which is never negative, is dissipated. Normals
/// and areas stay during a step. In statics the wind is that on a body at rest. Copied, and
/// part of a saved world. What the scheme remembers of earlier accelerations is forgotten.
/// @param d  null: none any more
/// @return PBS_ERROR_ARGUMENT (w is null; the body is of another kind; an unknown choice; a number
/// that is not finite, a velocity beyond 1e10 m/s, a density or coefficient that is negative or
/// beyond 1e10), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE
/// @see docs/theory/materials.md, section 7.2. Source: Wejchert and Haumann 1991
PBS_API pbs_status pbs_body_set_wind(pbs_world *w, pbs_body b, const pbs_wind_desc *d);

/// The wind that acts on a body, and what it exerts on the body at its present place and velocity.
/// @param d  may be null; otherwise its struct_size is set by the caller
/// @param force  becomes 3 numbers, N; may be null
/// @return PBS_ERROR_ARGUMENT (w is null, no wind acts on the body), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_wind(const pbs_world *w, pbs_body b, pbs_wind_desc *d, double *force);

#ifdef __cplusplus
}
#endif

#endif
