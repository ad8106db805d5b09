// Builds the scenes of eci_contact.h: meshes, bodies with their masses, and positions. Used by
// eci_contact.c only.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_ECI_CONTACT_BUILD_H
#define PBS_BENCH_ECI_CONTACT_BUILD_H

#include "scenes/eci/eci_contact.h"

static const double ECI_GRAVITY = 9.8; // m/s^2
static const double ECI_PI = 3.14159265358979323846;

// --- meshes ---

/// Reads the file NAME.msh, or generates a shape of about its size. Returns false if memory is
/// short.
bool eci_load(const struct eci_contact_options *o, struct eci_contact *scene, const char *file,
              struct tet_mesh *out);
/// Scales the mesh to an extent, its largest one or its height, and moves the centre of its
/// bounding box to the origin.
void eci_fit(struct tet_mesh *mesh, double extent, bool height);
/// Moves the centre of the bounding box to (x, ., z) and the lowest point to y.
void eci_stand(struct tet_mesh *mesh, double x, double y, double z);

// --- bodies ---

/// Appends a body at positions x, with memory for its masses. Returns null if memory is short.
struct eci_contact_body *eci_append(struct eci_contact *scene, size_t vertex_count,
                                    const double *x);
/// Adds the body's gravity potential to the scene's height_energy.
void eci_weigh(struct eci_contact *scene, const struct eci_contact_body *body);
double eci_mass(const struct eci_contact_body *body);

pbs_solid_desc eci_neo_hookean(double young);
pbs_status eci_add_solid(struct eci_contact *scene, const struct tet_mesh *mesh,
                         const pbs_solid_desc *like, double friction);
pbs_status eci_add_affine(struct eci_contact *scene, const struct tet_mesh *mesh, double stiffness,
                          bool held);
/// Adds the half-space below y = 0.
pbs_status eci_add_ground(struct eci_contact *scene);

// --- scenes ---

/// Adds bodies, colliders, energy settings and duration to a scene whose world exists.
pbs_status eci_fill(struct eci_contact *scene, enum eci_contact_kind kind,
                    const struct eci_contact_options *o);
/// Returns the membrane's mode, normalised to maximum 1, at a point of the stretched disc.
double eci_mode_at(const double *x);

#endif
