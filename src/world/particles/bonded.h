// What the world's parts need of bonded bodies besides their creation: the orientations, which
// belong to the bodies and are copied for a step.
#ifndef PBS_WORLD_PARTICLES_BONDED_H
#define PBS_WORLD_PARTICLES_BONDED_H

#include "energy/bonds/bonds.h"
#include "integrate/states/rotations.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "world/objects/scene.h"

/// PBS_ERROR_ARGUMENT with the reason where a scheme moves no bonded bodies.
pbs_status bonded_check_scheme(const struct scheme_table *scheme);

/// Particles and bonds that are made of something else.
struct bonded_arrays {
    double *positions, *radii, *masses, *contact_radii, *bond_radii;
    uint32_t *bonds;
    size_t bond_count;
    double contact_space; ///< see struct body_bonds
};

/// Of a description, with an array for each bond where there is one.
pbs_status bonded_check_strengths(const pbs_bonded_desc *d);
pbs_status bonded_fill_strengths(const pbs_bonded_desc *d, struct body *body);
/// PBS_WEAK_BONDS where no bond bears what the body weighs.
pbs_status bonded_check_weight(const struct nodes *nodes, const struct body *body,
                               const double gravity[3]);

/// Of a pbs_bonded_desc: struct body_table.
pbs_status bonded_body_create(struct scene *scene, struct memory *memory, const void *description,
                              struct body **out);
/// Makes a body of particles and bonds, which knows of the mesh that they were made of, empty where
/// there was none.
pbs_status bonded_body_make(struct scene *scene, struct memory *memory, const pbs_bonded_desc *d,
                            const struct tet_mesh_view *mesh, struct body **out);

/// Puts particles and bonds in the place of d's tetrahedra. The arrays, which d then points into,
/// are to be freed, also after a failure.
pbs_status bonded_from_tets(struct memory *memory, pbs_bonded_desc *d, struct bonded_arrays *out);
void bonded_arrays_free(struct bonded_arrays *arrays, struct memory *memory);

/// Stiffness of a bond, and its way from one particle to the other at rest.
struct bond_stiffness bonded_stiffness(const struct body *body, size_t bond, double rest[3]);

/// r = sqrt(J / m) of a sphere, the length that makes rotations of it coordinates.
double bonded_radius_of_gyration(double radius);

/// Unit quaternions, vertex_count x 4, become the body's; PBS_ERROR_MEMORY.
pbs_status bonded_set_orientations(struct body *body, struct memory *memory, const double *xyzw);
/// Rotations are held where they are: at the origins of their charts.
void bonded_reset_targets(struct nodes *nodes, const struct body *body);

/// angular_velocities from the nodes.
void bonded_update_angular_velocities(struct body *body, const struct nodes *nodes);
void scene_update_angular_velocities(const struct scene *scene);

/// To be released; orientations are loaded.
pbs_status bonded_list_rotations(const struct scene *scene, struct memory *memory,
                                 struct rotation_arrays *arrays, struct rotations *out);

/// From the bodies, which must be those of the list, to a step's copies, and back once it lands,
/// when the nodes have their new state.
void bonded_load_orientations(const struct scene *scene, struct rotations *rotations);
void bonded_commit_orientations(struct scene *scene, const struct rotations *rotations);

// As struct body_table has them.
void bonded_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                       size_t count, pbs_bond_load *loads, double *energies);
struct bond_excess bonded_measure_excess(const struct body *body, size_t bond,
                                         const pbs_bond_load *load);
double bonded_crack_step(const struct nodes *nodes, const struct body *body);
pbs_status bonded_add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *out);

#endif
