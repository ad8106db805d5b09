// Functions of peridynamic bodies for other parts of src/world.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_PARTICLES_PERIDYNAMIC_H
#define PBS_WORLD_PARTICLES_PERIDYNAMIC_H

#include "fracture/peridynamic.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "world/objects/scene.h"

/// The lattice of particles that fills a box or tetrahedra; positions are to be released.
/// PBS_ERROR_MESH if no lattice point lies inside.
struct peridynamic_filling {
    double *positions; ///< particle_count x 3
    size_t particle_count;
};
pbs_status peridynamic_fill(struct memory *memory, const pbs_peridynamic_desc *d,
                            struct peridynamic_filling *out);

/// `create` of struct body_table; description: a pbs_peridynamic_desc.
pbs_status peridynamic_body_create(struct scene *scene, struct memory *memory,
                                   const void *description, struct body **out);
/// Makes a body of given particles, without filling a shape. masses: null: density times volume.
pbs_status peridynamic_body_make(struct scene *scene, struct memory *memory,
                                 const pbs_peridynamic_desc *d, const double *masses,
                                 struct body **out);

/// Check and set the strains at which bonds break, one per bond of the body.
pbs_status peridynamic_check_stretches(const struct body *body, const double *stretches);
void peridynamic_set_stretches(struct body *body, const double *stretches);

/// Allocates the arrays of softening bonds. At first no bond has softened.
pbs_status peridynamic_reserve_softening(struct body *body, struct memory *memory,
                                         const struct softening_shape *shape);
bool peridynamic_softens(const struct body *body);
/// The softening law of a bond of such a body; lengths in m.
struct softening_law peridynamic_law(const struct body *body, size_t bond);

/// Young's modulus of a bond, Pa: those of its two particles in series.
double peridynamic_young(const struct peridynamic_body *own, const uint32_t ends[2]);

/// Returns PBS_WEAK_BONDS if no bond can carry the weight of the body.
pbs_status peridynamic_check_weight(const struct nodes *nodes, const struct body *body,
                                    const double gravity[3]);

// Functions of struct body_table.
void peridynamic_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                            size_t count, pbs_bond_load *loads, double *energies);
struct bond_excess peridynamic_measure_excess(const struct body *body, size_t bond,
                                              const pbs_bond_load *load);
double peridynamic_crack_step(const struct nodes *nodes, const struct body *body);
struct body_waves peridynamic_measure_waves(const struct nodes *nodes, const struct body *body);
pbs_status peridynamic_add_terms(const struct scene *scene, struct memory *memory,
                                 struct body_terms *out);
extern const struct damped_elements peridynamic_damped;

#endif
