// The bonds of a body's particles, whatever they are made of, and what comes of their breaking.
#ifndef PBS_WORLD_PARTICLES_BODY_BONDS_H
#define PBS_WORLD_PARTICLES_BODY_BONDS_H

#include "world/objects/body.h"

/// Rayleigh's wave over that of shear: 0.87 to 0.95, the larger the Poisson ratio.
#define RAYLEIGH_SHARE 0.92

/// Bonds as what comes of their breaking wants them.
struct bond_list body_bond_list(const struct body *body);
/// Their memory.
void body_bonds_free(struct body *body, struct memory *memory);
/// After the last of several breaks: fragments and surface.
void body_update_fragments(struct body *body);

#endif
