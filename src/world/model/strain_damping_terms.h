// Builds the terms that damp bodies by the rate of strain.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_MODEL_STRAIN_DAMPING_TERMS_H
#define PBS_WORLD_MODEL_STRAIN_DAMPING_TERMS_H

#include "world/objects/body_terms.h"

/// Adds terms for all bodies with damping. Sets out->bond_damping to the dashpots of bonds.
pbs_status add_strain_damping(const struct scene *scene, struct memory *memory,
                              struct body_terms *out);

#endif
