// Integrators for bench/hashes.c: every scheme, and the other settings of an integrator. Only
// integrators.c writes members of pbs_integrator_desc.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_HASHES_INTEGRATORS_H
#define PBS_BENCH_HASHES_INTEGRATORS_H

#include <pbs/pbs.h>

enum { HASH_SCHEMES = PBS_SCHEME_QUASI_STATIC + 1 };

/// Returns the name of a scheme: "bdf2".
const char *hash_scheme_name(int32_t scheme);

enum hash_control {
    HASH_NO_CONTROL,
    HASH_PARAMETERS, ///< other parameters than the scheme's defaults
    HASH_START_EULER,
    HASH_START_TRAPEZOIDAL,
    HASH_START_THETA,
    HASH_ALPHA_FIXED,
    HASH_ALPHA_SEARCH,
    HASH_ALPHA_SPARSE,
    HASH_ENERGY_BY_ISLAND,
    HASH_ENERGY_FRACTION,
    HASH_ENERGY_DECAY,
    HASH_LINEARIZED,
    // Of advances:
    HASH_EQUAL_STEPS,
    HASH_FORCE_ERROR,
    HASH_SPEED_LIMIT,
    HASH_STRETCH_LIMIT,
    HASH_DOUBLING,
    HASH_DOUBLING_PROPORTIONAL,
    HASH_ALPHA_STEPS,
    HASH_FRACTURE_STEPS,
    HASH_CONTROL_COUNT
};

/// Returns the name of a control: "energy-decay".
const char *hash_control_name(enum hash_control control);
/// Whether it is for pbs_world_advance, not pbs_world_step.
bool hash_control_advances(enum hash_control control);

pbs_status hash_integrator(int32_t scheme, enum hash_control control, pbs_integrator **out);
pbs_status hash_use_integrator(pbs_world *world, int32_t scheme, enum hash_control control);

#endif
