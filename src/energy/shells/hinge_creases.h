// Creases of hinges, the plasticity of bending: if a hinge's angle differs from its rest angle by
// more than a yield angle, the rest angle moves until the difference is the yield angle. Rest
// angles change only when a state is accepted, so the moment has a potential during a step. Theory:
// docs/theory/plasticity.md section 4.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SHELLS_HINGE_CREASES_H
#define PBS_ENERGY_SHELLS_HINGE_CREASES_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "sparse/assembly.h"

struct hinge_creases;

/// Copies the yield angles and rest angles of `count` hinges, rad. An infinite yield angle means an
/// elastic hinge; its rest angle must be that of the energy already. Returns null if memory is
/// short.
struct hinge_creases *hinge_creases_create(struct memory *memory, size_t count,
                                           const double *yield_angles, const double *rest_angles);
void hinge_creases_destroy(struct hinge_creases *creases, struct memory *memory);

/// The lane arrays of the hinges' energy, for groups g of eight hinges; see struct
/// bending_elements.
struct hinge_lane_arrays {
    const uint32_t *node;    ///< [g][4][8]
    const double *stiffness; ///< [g][8], J
    double *cosine, *sine;   ///< [g][8]: of the rest angles; updated when these change
};

/// Keeps the lane arrays, and sets the rest angles of all hinges that are not elastic to those of
/// hinge_creases_create. PBS_ERROR_MEMORY.
pbs_status hinge_creases_bind(struct hinge_creases *creases, struct memory *memory,
                              const struct stencil_groups *groups,
                              const struct hinge_lane_arrays *arrays);

/// Updates the rest angles for the accepted state x. Returns the energy that this dissipates, J:
/// the decrease of the elastic energy.
double hinge_creases_update(struct hinge_creases *creases, struct tasks *tasks, size_t domain_count,
                            const double *x);

/// Read and write the rest angles of `count` hinges from `first` on, rad.
void hinge_creases_read(const struct hinge_creases *creases, size_t first, size_t count,
                        double *rest_angles);
void hinge_creases_write(struct hinge_creases *creases, size_t first, size_t count,
                         const double *rest_angles);
/// Save a copy of all rest angles, and restore it.
void hinge_creases_save(struct hinge_creases *creases);
void hinge_creases_restore(struct hinge_creases *creases);

#endif
