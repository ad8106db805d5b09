// From bodies with damping to the terms that damp by the rate of strain.
#ifndef PBS_WORLD_MODEL_STRAIN_DAMPING_TERMS_H
#define PBS_WORLD_MODEL_STRAIN_DAMPING_TERMS_H

#include "energy/damping/spring_damping.h"
#include "world/objects/scene.h"

enum { STRAIN_DAMPING_TERMS = 5 }; // tetrahedra, triangles, affine bodies, springs, bonds

/// The terms of all bodies that have damping, appended to terms[*count]; each belongs to the caller
/// as soon as it is counted. *bonds becomes that of peridynamic bodies, where there is one.
pbs_status add_strain_damping(const struct scene *scene, struct memory *memory, struct term *terms,
                              size_t *count, struct spring_damping **bonds);

#endif
