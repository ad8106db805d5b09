// Functions of bonds that bonded and peridynamic bodies share: fragments, and memory.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_PARTICLES_BODY_BONDS_H
#define PBS_WORLD_PARTICLES_BODY_BONDS_H

#include "world/objects/body.h"

/// Speed of Rayleigh waves over that of shear waves. It grows with Poisson's ratio from 0.87 to
/// 0.95.
#define RAYLEIGH_OVER_SHEAR 0.92

/// The bonds of a body in the form that struct fragments uses.
struct bond_list body_bond_list(const struct body *body);
/// Frees the memory of the body's bonds.
void body_bonds_free(struct body *body, struct memory *memory);
/// Updates fragments and fracture surface; to be called once after several breaks.
void body_update_fragments(struct body *body);

#endif
