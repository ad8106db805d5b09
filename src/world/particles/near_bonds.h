// Chooses the bonds of peridynamic bodies that are assembled if not all are
// (docs/theory/linear_solvers.md section 4).
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_PARTICLES_NEAR_BONDS_H
#define PBS_WORLD_PARTICLES_NEAR_BONDS_H

#include "world/objects/scene.h"

/// Whether only near bonds are assembled, by the settings and the size of the scene.
bool near_bonds_are_enabled(const struct scene *scene);

/// Computes near_length and factor, per node, for struct springs_near. Only the nodes of
/// peridynamic bodies are written.
void near_bonds_measure(const struct scene *scene, double *near_length, double *factor);

#endif
