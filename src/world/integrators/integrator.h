// Settings of integrators: defaults, checks, and the part that worlds copy.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTEGRATORS_INTEGRATOR_H
#define PBS_WORLD_INTEGRATORS_INTEGRATOR_H

#include "world/interface/fields.h"
#include "world/objects/scene.h"

/// What saved worlds contain of an integrator's settings.
extern const struct field_list integrator_fields;

/// scheme: a valid PBS_SCHEME_*.
pbs_integrator_desc integrator_defaults(int32_t scheme);

/// Checks all settings except the allocator.
pbs_status integrator_check(const pbs_integrator_desc *d);

/// d: settings that have been checked.
struct scheme_choice integrator_choice(const pbs_integrator_desc *d);

#endif
