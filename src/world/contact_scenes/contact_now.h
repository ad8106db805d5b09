// Contact at the present state of a scene, made for the moment: for questions between steps.
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_NOW_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_NOW_H

#include "contact/contact_table.h"
#include "world/objects/scene.h"

/// Potential and, where it is not null, gradient (node order; added to) without friction.
pbs_status contact_now_evaluate(const struct scene *scene, struct memory *memory, double *gradient,
                                struct contact_energy *out);

#endif
