// The joints of a scene as the minimiser sees them, and back.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_MODEL_JOINT_SCENE_H
#define PBS_WORLD_MODEL_JOINT_SCENE_H

#include "world/model/solver.h"

/// A joint with its nodes in the world.
struct joint joint_scene_make(const struct world_joint *own);

/// Builds solver->joints of the scene's joints that are not broken, and solver->constraints,
/// and marks joined bodies in the model. Nothing else of the solver depends on joints.
/// PBS_ERROR_MEMORY.
pbs_status joint_scene_build(struct solver *solver, const struct scene *scene,
                             struct memory *memory);

/// The stiffness of a body's nodes has changed.
void joint_scene_write_stiffness(struct solver *solver, const struct scene *scene,
                                 const struct body *body);

/// dC/dt of a row: the gradient of C times the nodes' velocities v.
double joint_scene_rate(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values, const double *v);
/// N: what a row exerts along the gradient of C. Of a spring and its damper from positions and
/// velocities, of a constraint its multiplier.
double joint_scene_force(const struct joint *joint, const struct joint_row *row,
                         const struct joint_values *values, const double *v);
/// Adds to a gradient, in node order, what all joints exert in the scene's state.
void joint_scene_add_forces(const struct scene *scene, double *gradient);

/// J, of the springs of all joints, in the scene's state.
double joint_scene_spring_energy(const struct scene *scene);

/// Multipliers and angles of the scene become those of the set, before a step.
void joint_scene_load(const struct solver *solver, const struct scene *scene);

/// Places the points of space at a fraction, 0 .. 1, of the host's step of h seconds.
void joint_scene_place(const struct solver *solver, const struct scene *scene, double fraction,
                       double h);

/// The call has landed: multipliers and angles become the scene's, points of space are at their
/// targets, joints that broke are broken.
void joint_scene_land(struct solver *solver, struct scene *scene);

#endif
