// libpbs: integrators, how time is discretised. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATOR_H
#define PBS_INTEGRATOR_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Time integration schemes.
enum {
    PBS_SCHEME_IMPLICIT_EULER = 0 ///< first order, stable at any step, damps fast motion
};

/// A scheme and its parameters.
typedef struct pbs_integrator_desc {
    uint32_t struct_size;    ///< set by pbs_integrator_desc_init
    int32_t scheme;          ///< PBS_SCHEME_*
    pbs_allocator allocator; ///< all zero: the C library's; must outlive the integrator
} pbs_integrator_desc;

/// Fills *d with the scheme's defaults.
/// @param struct_size  sizeof(pbs_integrator_desc) as the caller was compiled
/// @param scheme  PBS_SCHEME_*
/// @return PBS_ERROR_ARGUMENT (d is null, unknown scheme), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_integrator_desc_init(pbs_integrator_desc *d, size_t struct_size,
                                            int32_t scheme);

/// Makes an integrator, independent of any world; to be given back with pbs_integrator_destroy.
/// @param out  written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, unknown scheme, half an allocator),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_integrator_create(const pbs_integrator_desc *d, pbs_integrator **out);

/// Frees an integrator; worlds that were given it keep their copy. Null is fine.
PBS_API void pbs_integrator_destroy(pbs_integrator *i);

#ifdef __cplusplus
}
#endif
#endif
