// How far affine bodies are from rigid: their energy resists strain, but nothing forbids it.
#ifndef PBS_WORLD_BODIES_AFFINE_STRAIN_H
#define PBS_WORLD_BODIES_AFFINE_STRAIN_H

#include "world/objects/scene.h"

/// Above this strain a body counts as squeezed: a tenth, far beyond what stands for a rigid body.
#define AFFINE_STRAIN_NOTABLE 0.1

/// |E|_F of the most strained affine body, E = (A^T A - 1) / 2; 0 without any.
/// @param body  null, or where that body goes; null without any
double affine_strain_largest(const struct scene *scene, const struct body **body);

#endif
