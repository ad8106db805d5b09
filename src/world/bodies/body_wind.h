// The wind on one body, without a model: what a host and reaction forces read of it.
#ifndef PBS_WORLD_BODIES_BODY_WIND_H
#define PBS_WORLD_BODIES_BODY_WIND_H

#include "energy/wind/wind_law.h"
#include "world/nodes/nodes.h"
#include "world/objects/body.h"

struct wind_law body_wind_law(const struct body *body);

/// Computes what the wind exerts on the body at its present state, N. vertex_forces: null, or
/// vertex_count x 3, to which `factor` times each vertex's part is added.
void body_wind_force(const struct nodes *nodes, const struct body *body, double factor,
                     double *vertex_forces, double force[3]);

#endif
