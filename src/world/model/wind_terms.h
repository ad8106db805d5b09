// The wind on all bodies, as terms.
#ifndef PBS_WORLD_MODEL_WIND_TERMS_H
#define PBS_WORLD_MODEL_WIND_TERMS_H

#include "world/model/topology.h"

/// Adds terms for the bodies with wind, if there are any, and makes model->wind.
pbs_status add_wind(const struct scene *scene, struct memory *memory, struct body_terms *terms,
                    struct model *model);

/// A body that has wind has another one.
void model_set_wind(struct model *model, const struct scene *scene, const struct body *body);

#endif
