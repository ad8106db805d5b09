// From bodies with damping to the terms that damp by the rate of strain.
#ifndef PBS_WORLD_MODEL_STRAIN_DAMPING_TERMS_H
#define PBS_WORLD_MODEL_STRAIN_DAMPING_TERMS_H

#include "world/objects/body_terms.h"

/// Of all bodies that have damping; notes those of bonds.
pbs_status add_strain_damping(const struct scene *scene, struct memory *memory,
                              struct body_terms *out);

#endif
