// Settings of integrators: defaults, checks, and the part that worlds copy.
#ifndef PBS_WORLD_INTEGRATORS_INTEGRATOR_H
#define PBS_WORLD_INTEGRATORS_INTEGRATOR_H

#include "world/objects/scene.h"

/// scheme: a valid PBS_SCHEME_*.
pbs_integrator_desc integrator_defaults(int32_t scheme);

/// Checks all settings except the allocator.
pbs_status integrator_check(const pbs_integrator_desc *d);

/// d: settings that have been checked.
struct scheme_choice integrator_choice(const pbs_integrator_desc *d);

#endif
