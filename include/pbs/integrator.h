// libpbs: integrators, how time is discretised. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATOR_H
#define PBS_INTEGRATOR_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PBS_SCHEME_IMPLICIT_EULER = 0 ///< first order, stable at any step, damps fast motion
};

typedef struct pbs_integrator_desc {
    uint32_t struct_size;
    int32_t scheme; ///< PBS_SCHEME_*
} pbs_integrator_desc;

/// Fills *d with the scheme's defaults.
/// @return PBS_ERROR_ARGUMENT (null, unknown scheme), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_integrator_desc_init(pbs_integrator_desc *d, size_t struct_size,
                                            int32_t scheme);

/// Makes an integrator, independent of any world; memory from the C library.
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_integrator_create(const pbs_integrator_desc *d, pbs_integrator **out);

/// Null is fine; worlds that were given it keep their copy.
PBS_API void pbs_integrator_destroy(pbs_integrator *i);

#ifdef __cplusplus
}
#endif
#endif
