// Builds worlds of bodies and joints, call by call, as a host's own layer over the library might.
// Nothing is set but gravity and what a call says. After a call that failed the following ones do
// nothing, so that a scene checks `failed` once, at its end; `message` says why.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_ASSEMBLY_H
#define PBS_COMMON_ASSEMBLY_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"
#include "common/program/text.h"
#include "common/recording/stage.h"

struct assembly {
    pbs_world *world;
    struct stage stage; ///< what is drawn: every body that is added, unless it is hidden
    bool failed;
    struct message message;
};

/// An empty world with gravity of 9.81 m/s^2 along -y.
void assembly_begin(struct assembly *a, int64_t threads);
void assembly_end(struct assembly *a);

/// By default a stage counts as solved where Newton's method moves nothing any more that one could
/// see. Forces are then known less well than places; for steps in which they are weighed all of
/// them are to balance.
void assembly_solve_exactly(struct assembly *a);

/// Notes the library's last error where a call answered less than 0, or `done` is false.
bool assembly_check(struct assembly *a, pbs_status status);
bool assembly_require(struct assembly *a, bool done, const char *what);

/// What a body is made of and how it touches.
struct matter {
    double density;  ///< kg/m^3
    double young;    ///< Pa; of stiff bodies it does not matter
    double yield;    ///< Pa: the stress from which on soft bodies flow; 0: they do not
    double damping;  ///< s
    double friction; ///< Coulomb coefficient
    uint32_t group;  ///< 0: 1
    uint32_t mask;   ///< 0: touches all groups
    bool untouched;  ///< touches nothing: a bone in flesh
    bool hidden;     ///< is not drawn
};

/// The half-space below y = 0, drawn as a floor.
pbs_collider assembly_add_ground(struct assembly *a, double friction);
/// An obstacle of any mesh that stands still.
pbs_collider assembly_add_obstacle(struct assembly *a, const struct surface_mesh *mesh,
                                   double friction);

/// Add bodies of meshes that are where the bodies begin (but see `at`), and free the meshes. A mesh
/// without vertices is taken for one that could not be made.
pbs_body assembly_add_soft(struct assembly *a, struct tet_mesh *mesh, const struct matter *of);
/// `at`: where the origin of the mesh, the body's own coordinates, is in space; null: the origin.
pbs_body assembly_add_stiff(struct assembly *a, struct surface_mesh *mesh, const struct matter *of,
                            const double at[3]);
pbs_body assembly_add_cloth(struct assembly *a, struct surface_mesh *mesh, const struct matter *of,
                            double thickness);

/// The point of a body that is at a place in space now; with a null body, of space.
pbs_point assembly_point(struct assembly *a, pbs_body body, const double place[3]);
pbs_point assembly_vertex(pbs_body body, uint32_t index);
/// Where a point is now.
void assembly_place(struct assembly *a, pbs_point point, double place[3]);

/// A joint of two points as pbs_joint_desc_init leaves it, to be changed and joined.
pbs_joint_desc joint_between(int32_t kind, pbs_point a, pbs_point b);
/// A joint of two bodies at a place in space where both are; a null body: space.
pbs_joint_desc assembly_joint_at(struct assembly *a, int32_t kind, pbs_body first, pbs_body second,
                                 const double place[3]);
pbs_joint assembly_join(struct assembly *a, const pbs_joint_desc *d);

/// Whether a vertex at a place is to be attached.
typedef bool (*attach_fn)(const void *user, const double place[3]);
/// Attaches vertices of a soft body to a stiff one by a ball each. Returns how many.
size_t assembly_attach(struct assembly *a, pbs_body soft, pbs_body stiff, attach_fn takes,
                       const void *user);

pbs_joint_state assembly_state(struct assembly *a, pbs_joint joint);
double assembly_mass(const struct assembly *a, pbs_body body);
/// Adds the momentum of a body, kg m/s.
void assembly_add_momentum(struct assembly *a, pbs_body body, double sum[3]);
/// m: the largest gap of all joints that are not broken, over its tolerance where that is set.
double assembly_gap(struct assembly *a);
/// How many pairs of surfaces touch or go through each other.
size_t assembly_overlaps(struct assembly *a);

#endif
