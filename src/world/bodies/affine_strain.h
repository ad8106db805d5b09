// Measures the strain of affine bodies. Their energy keeps them nearly rigid, but does not bound
// the strain.
#ifndef PBS_WORLD_BODIES_AFFINE_STRAIN_H
#define PBS_WORLD_BODIES_AFFINE_STRAIN_H

#include "world/objects/scene.h"

/// Above this strain an affine body no longer behaves as a rigid one, and a warning is logged.
#define AFFINE_STRAIN_NOTABLE 0.1

/// Returns |E|_F of the most strained affine body, E = (A^T A - 1) / 2; 0 if there is none.
/// @param body  null, or set to that body; to null if there is none
double affine_strain_largest(const struct scene *scene, const struct body **body);

#endif
