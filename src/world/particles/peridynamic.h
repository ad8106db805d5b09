// What the world's parts need of peridynamic bodies besides their creation.
#ifndef PBS_WORLD_PARTICLES_PERIDYNAMIC_H
#define PBS_WORLD_PARTICLES_PERIDYNAMIC_H

#include "fracture/peridynamic.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "world/objects/scene.h"

/// The lattice that fills a box or tetrahedra: positions, to be released. PBS_ERROR_MESH where no
/// point of it lies inside.
struct peridynamic_filling {
    double *positions; ///< particle_count x 3
    size_t particle_count;
};
pbs_status peridynamic_fill(struct memory *memory, const pbs_peridynamic_desc *d,
                            struct peridynamic_filling *out);

/// Of a pbs_peridynamic_desc: struct body_table.
pbs_status peridynamic_body_create(struct scene *scene, struct memory *memory,
                                   const void *description, struct body **out);
/// Makes a body of particles, which are not to be filled any more. masses: null (density times
/// volume), or as they are.
pbs_status peridynamic_body_make(struct scene *scene, struct memory *memory,
                                 const pbs_peridynamic_desc *d, const double *masses,
                                 struct body **out);

/// Strains at which bonds break, of as many bonds as the body has.
pbs_status peridynamic_check_stretches(const struct body *body, const double *stretches);
void peridynamic_set_stretches(struct body *body, const double *stretches);

/// Room for bonds that soften: at first none does, and all are whole.
pbs_status peridynamic_reserve_softening(struct body *body, struct memory *memory,
                                         const struct softening_shape *shape);
bool peridynamic_softens(const struct body *body);
/// Of a bond of such a body, m.
struct softening_law peridynamic_law(const struct body *body, size_t bond);

/// Of a bond between two particles: theirs in series, Pa.
double peridynamic_young(const struct peridynamic_body *own, const uint32_t ends[2]);

/// PBS_WEAK_BONDS where no bond bears what the body weighs.
pbs_status peridynamic_check_weight(const struct nodes *nodes, const struct body *body,
                                    const double gravity[3]);

// As struct body_table has them.
void peridynamic_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                            size_t count, pbs_bond_load *loads, double *energies);
struct bond_excess peridynamic_measure_excess(const struct body *body, size_t bond,
                                              const pbs_bond_load *load);
double peridynamic_crack_step(const struct nodes *nodes, const struct body *body);
pbs_status peridynamic_add_terms(const struct scene *scene, struct memory *memory,
                                 struct body_terms *out);
extern const struct damped_elements peridynamic_damped;

#endif
