// How the scenes of eci_contact.h are put together: meshes, bodies with their masses, and what
// stands where. For eci_contact.c alone.
#ifndef PBS_BENCH_ECI_CONTACT_BUILD_H
#define PBS_BENCH_ECI_CONTACT_BUILD_H

#include "scenes/eci_contact.h"

static const double ECI_GRAVITY = 9.8; // m/s^2
static const double ECI_PI = 3.14159265358979323846;

// --- meshes ---

/// The file NAME.msh, or a generated shape of about its size; false without memory.
bool eci_load(const struct eci_contact_options *o, struct eci_contact *scene, const char *file,
              struct tet_mesh *out);
/// Scales to an extent, the largest one or the height, and puts the middle of the box at the
/// origin.
void eci_fit(struct tet_mesh *mesh, double extent, bool height);
/// The middle of the box at (x, ., z), the lowest point at y.
void eci_stand(struct tet_mesh *mesh, double x, double y, double z);

// --- bodies ---

/// A body with room for its masses, at rest at x; null without memory.
struct eci_contact_body *eci_append(struct eci_contact *scene, size_t vertex_count,
                                    const double *x);
/// Adds what gravity is for the body to the scene's height energy.
void eci_weigh(struct eci_contact *scene, const struct eci_contact_body *body);
double eci_mass(const struct eci_contact_body *body);

pbs_solid_desc eci_neo_hookean(double young);
pbs_status eci_add_solid(struct eci_contact *scene, const struct tet_mesh *mesh,
                         const pbs_solid_desc *like, double friction);
pbs_status eci_add_affine(struct eci_contact *scene, const struct tet_mesh *mesh, double stiffness,
                          bool held);
/// The half-space below y = 0.
pbs_status eci_add_ground(struct eci_contact *scene);

// --- scenes ---

/// Bodies, colliders, energy settings and duration of a scene whose world is there.
pbs_status eci_fill(struct eci_contact *scene, enum eci_contact_kind kind,
                    const struct eci_contact_options *o);
/// The membrane's mode at a place of the stretched disc; its highest value is 1.
double eci_mode_at(const double *x);

#endif
