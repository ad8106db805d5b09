// Integrators' settings: defaults, checks, and what worlds copy of them.
#ifndef PBS_WORLD_OBJECTS_INTEGRATOR_H
#define PBS_WORLD_OBJECTS_INTEGRATOR_H

#include "world/objects/scene.h"

/// scheme: one that exists.
pbs_integrator_desc integrator_defaults(int32_t scheme);

/// All but the allocator.
pbs_status integrator_check(const pbs_integrator_desc *d);

/// d: checked.
struct scheme_choice integrator_choice(const pbs_integrator_desc *d);

#endif
