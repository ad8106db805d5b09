// Which bonds of peridynamic bodies are assembled where not all are
// (docs/theory/linear_solvers.md section 4).
#ifndef PBS_WORLD_PARTICLES_NEAR_BONDS_H
#define PBS_WORLD_PARTICLES_NEAR_BONDS_H

#include "world/objects/scene.h"

/// Whether the scene's settings and size want near bonds alone.
bool near_bonds_are_enabled(const struct scene *scene);

/// near_length, factor: by node, as struct springs_near has them. Written for nodes of peridynamic
/// bodies.
void near_bonds_measure(const struct scene *scene, double *near_length, double *factor);

#endif
