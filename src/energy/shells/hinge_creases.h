// Creases of hinges: the rest angle follows the angle where the two differ by more than a yield
// angle. It changes only when a state is accepted, so the moment has a potential during a step.
// Theory: docs/theory/plasticity.md section 4.
#ifndef PBS_ENERGY_SHELLS_HINGE_CREASES_H
#define PBS_ENERGY_SHELLS_HINGE_CREASES_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "sparse/assembly.h"

struct hinge_creases;

/// Copies yield angles (infinite: elastic) and rest angles of `count` hinges, rad; those of elastic
/// hinges are not used. Returns null if
/// memory is short.
struct hinge_creases *hinge_creases_create(struct memory *memory, size_t count,
                                           const double *yield_angles, const double *rest_angles);
void hinge_creases_destroy(struct hinge_creases *creases, struct memory *memory);

/// The lane arrays of the hinges' energy; see struct bending_elements.
struct hinge_lane_arrays {
    const uint32_t *node;    ///< [g][4][8]
    const double *stiffness; ///< [g][8], J
    double *cosine, *sine;   ///< [g][8]: of the rest angle; change with it
};

pbs_status hinge_creases_bind(struct hinge_creases *creases, struct memory *memory,
                              const struct stencil_groups *groups,
                              const struct hinge_lane_arrays *arrays);

/// Moves the rest angles at the accepted state x. Returns the decrease of the elastic energy, J.
double hinge_creases_update(struct hinge_creases *creases, struct tasks *tasks, size_t domain_count,
                            const double *x);

/// Read, or write, the rest angles of `count` hinges from `first` on.
void hinge_creases_read(const struct hinge_creases *creases, size_t first, size_t count,
                        double *rest_angles);
void hinge_creases_write(struct hinge_creases *creases, size_t first, size_t count,
                         const double *rest_angles);
/// Save a copy of all rest angles; return to it.
void hinge_creases_save(struct hinge_creases *creases);
void hinge_creases_restore(struct hinge_creases *creases);

#endif
