// Functions of bonded bodies that other parts of src/world call: checks, loads of bonds, and
// orientations. Orientations belong to the bodies; a step computes with copies of them.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_PARTICLES_BONDED_H
#define PBS_WORLD_PARTICLES_BONDED_H

#include "energy/bonds/bonds.h"
#include "integrate/states/rotations.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "world/objects/scene.h"

/// PBS_ERROR_ARGUMENT with the reason if the scheme cannot move bonded bodies.
pbs_status bonded_check_scheme(const struct scheme_table *scheme);

/// Particles and bonds made from tetrahedra.
struct bonded_arrays {
    double *positions, *radii, *masses, *contact_radii, *bond_radii;
    uint32_t *bonds;
    size_t bond_count;
    double rest_gap; ///< see struct body_bonds
};

/// Checks the strengths and fracture energies of a description. PBS_ERROR_ARGUMENT.
pbs_status bonded_check_strengths(const pbs_bonded_desc *d);
/// Computes the strengths of all bonds of a body, with scatter. PBS_ERROR_ARGUMENT if one of them
/// is not positive.
pbs_status bonded_fill_strengths(const pbs_bonded_desc *d, struct body *body);
/// Returns PBS_WEAK_BONDS if every bond is weaker than the stress at the foot of a column, of the
/// body's material, that is as high as the body.
pbs_status bonded_check_weight(const struct nodes *nodes, const struct body *body,
                               const double gravity[3]);

/// `create` of struct body_table; description: a pbs_bonded_desc.
pbs_status bonded_body_create(struct scene *scene, struct memory *memory, const void *description,
                              struct body **out);
/// Makes a body of particles and bonds. mesh: the tetrahedra that they were made from, for the
/// fracture surface; empty: there are none.
pbs_status bonded_body_make(struct scene *scene, struct memory *memory, const pbs_bonded_desc *d,
                            const struct tet_mesh_view *mesh, struct body **out);

/// Replaces the tetrahedra of d by particles and bonds, so that d points to the arrays in *out. The
/// caller frees these arrays, also after a failure.
pbs_status bonded_from_tets(struct memory *memory, pbs_bonded_desc *d, struct bonded_arrays *out);
void bonded_arrays_free(struct bonded_arrays *arrays, struct memory *memory);

/// Returns the stiffness of a bond. Writes to `rest` the vector from its first particle to its
/// second at rest.
struct bond_stiffness bonded_stiffness(const struct body *body, size_t bond, double rest[3]);

/// The radius of gyration r = sqrt(J / m) of a sphere. The coordinates of rotation nodes are
/// rotation vectors times r.
double bonded_radius_of_gyration(double radius);

/// Sets the body's orientations to the normalised quaternions xyzw, vertex_count x 4. Some are
/// stored negated, so that signs agree along a spanning tree of the bonds. PBS_ERROR_MEMORY.
pbs_status bonded_set_orientations(struct body *body, struct memory *memory, const double *xyzw);
/// Sets the targets of the body's rotation nodes to 0. That is the current orientation, because
/// their coordinates are rotations from it.
void bonded_reset_targets(struct nodes *nodes, const struct body *body);

/// Compute angular_velocities of one bonded body, or of all of them, from the nodes' velocities.
void bonded_update_angular_velocities(struct body *body, const struct nodes *nodes);
void scene_update_angular_velocities(const struct scene *scene);

/// Lists the rotations of all bonded bodies, and loads their orientations. Allocates the arrays,
/// which the caller releases. PBS_ERROR_MEMORY.
pbs_status bonded_list_rotations(const struct scene *scene, struct memory *memory,
                                 struct rotation_arrays *arrays, struct rotations *out);

/// Copies the bodies' orientations to `rotations`, with which a step computes. The bodies must be
/// those that bonded_list_rotations listed.
void bonded_load_orientations(const struct scene *scene, struct rotations *rotations);
/// Copies the orientations back to the bodies when the step is committed. The nodes must have their
/// new state already: angular velocities are computed from it, and targets are reset.
void bonded_commit_orientations(struct scene *scene, const struct rotations *rotations);

// Functions of struct body_table.
void bonded_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                       size_t count, pbs_bond_load *loads, double *energies);
struct bond_excess bonded_measure_excess(const struct body *body, size_t bond,
                                         const pbs_bond_load *load);
extern const struct damped_elements bonded_damped;
double bonded_crack_step(const struct nodes *nodes, const struct body *body);
struct body_waves bonded_measure_waves(const struct nodes *nodes, const struct body *body);
pbs_status bonded_add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *out);

#endif
