// The strain of affine bodies: how large it is, and how stiff a body is to be so that it stays
// small (docs/theory/affine_bodies.md section 4). Their energy keeps them nearly rigid, but does
// not bound the strain.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BODIES_AFFINE_STRAIN_H
#define PBS_WORLD_BODIES_AFFINE_STRAIN_H

#include "world/objects/scene.h"

/// Above this strain an affine body no longer behaves as a rigid one, and a warning is logged.
#define AFFINE_STRAIN_NOTABLE 0.1

/// Pa: how stiff the body is to be so that it looks rigid under its weight and when it falls.
/// gravity: the world's, m/s^2.
double affine_strain_stiffness(const struct body *body, const double gravity[3]);

/// Changes the stiffness of a body whose host has set none towards what gravity and the contact
/// forces on it ask for, so that a strained body is not set in motion: stiffer at once, with the
/// stress that it has, under a load; otherwise at once where that changes next to no energy, and as
/// far as `seconds` let it where not. Where the load has gone, the strain at rest that it has left
/// goes back. Returns whether anything changed. x: of the nodes.
bool affine_strain_follow(struct body *body, const double *x, const double gravity[3],
                          double seconds);

/// Makes a body stiffer whose host has set no stiffness, and that a step has strained so much that
/// the step has to be repeated. It keeps the stress that it has at the start. Returns whether it
/// did. start, end: of the nodes, where the step began, and where it ended or failed.
bool affine_strain_relieve(struct body *body, const double *start, const double *end);
/// To be called when a run ends. Returns whether the body became again what it was before the run,
/// as that has failed.
bool affine_strain_end_relief(struct body *body, bool has_failed);

/// Returns |E|_F of the most strained affine body, E = (A^T A - 1) / 2; 0 if there is none.
/// @param body  null, or set to that body; to null if there is none
double affine_strain_largest(const struct scene *scene, const struct body **body);

#endif
