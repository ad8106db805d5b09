// From bodies with damping to the terms that damp by the rate of strain.
#ifndef PBS_WORLD_STRAIN_DAMPING_TERMS_H
#define PBS_WORLD_STRAIN_DAMPING_TERMS_H

#include "world/scene.h"

enum { STRAIN_DAMPING_TERMS = 4 }; // tetrahedra, triangles, affine bodies, springs

/// The terms of all bodies that have damping, appended to terms[*count]; each belongs to the caller
/// as soon as it is counted.
pbs_status add_strain_damping(const struct scene *scene, struct memory *memory, struct term *terms,
                              size_t *count);

#endif
