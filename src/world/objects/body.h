// A body: a range of the world's nodes, and the data of its kind. Data are stored as the host's
// description gave them. A saved world is restored through the same creation functions, so with the
// same checks and bit-identical results.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_BODY_H
#define PBS_WORLD_OBJECTS_BODY_H

#include "base/runtime/memory.h"
#include "contact/contact_report.h"
#include "energy/pressure/pressure_law.h"
#include "energy/springs/softening_law.h"
#include "fracture/fracture_surface.h"
#include "integrate/energy_control/energy_control.h"
#include "pbs/bonded.h"
#include "pbs/force.h"
#include "pbs/peridynamic.h"
#include "world/nodes/vertex_arrays.h"

/// The values are part of the saved format.
enum body_kind {
    BODY_SOLID,
    BODY_CUSTOM,
    BODY_SHELL,
    BODY_SPRINGS,
    BODY_AFFINE,
    BODY_BONDED,
    BODY_PERIDYNAMIC
};

/// One value for all tetrahedra, or one per tetrahedron.
struct tet_values {
    double value;
    double *per_tet; ///< null: `value` applies to all
};

/// When a solid flows; see pbs_solid_desc. All zero: it is elastic.
struct solid_yield {
    double stress, hardening; ///< Pa
    double viscosity;         ///< Pa s
    double limit;             ///< 0: none
};

struct solid_body {
    int32_t material;
    size_t tet_count;
    uint32_t *tets; ///< tet_count x 4, vertex indices within the body
    double *rest;   ///< node_count x 3
    struct tet_values density, young, poisson;
    struct solid_yield yield;
    double *plastic; ///< tet_count x PLASTIC_VALUES (energy/materials/solid_plasticity.h): what has
                     ///< flowed; null: nothing can
};

/// The triangles of a shell are the body's surface.
struct shell_body {
    double *rest;    ///< node_count x 3
    uint32_t *sides; ///< hinge_count x 2: side 3 t + i goes from vertex i of triangle t to the next
    size_t hinge_count;
    double *rest_angles; ///< per side, rad; null: 0 if flat_rest, otherwise those of the rest
                         ///< positions. Never null if the shell creases
    double *creases;     ///< rest_angles of a shell that creases, whose state they are; else null
    double yield_curvature; ///< 1/m; 0: the shell never creases
    double stretch_limit;   ///< 0: none
    size_t clamp_count;     ///< number of clamped border edges
    uint32_t *clamp_sides;  ///< clamp_count
    uint32_t *clamp_edges;  ///< clamp_count x 2, vertices as the host gave them
    double *clamps;         ///< clamp_count x 3, unit
    bool flat_rest;
    int32_t bending;                                          ///< PBS_BENDING_*
    double thickness, density, young, poisson, bending_young; ///< bending_young as the host gave
                                                              ///< it: 0 means young
};

/// Four nodes: the centre of mass, then for each principal axis a handle, the vector radius * axis.
/// So all four have coordinates in metres. Their masses are m and, for handles, moment / radius^2,
/// in kilograms.
struct affine_body {
    double *rest;            ///< vertex_count x 3, in the body's own coordinates
    double density;          ///< kg/m^3
    double stiffness;        ///< Pa, in use
    double given_stiffness;  ///< Pa, the host's; 0: it follows forces (affine_strain.h)
    double rest_strain[9];   ///< A^T A - 1 where the body is at rest: not 0 where it was made
                             ///< stiffer under load (affine_strain.h)
    double stiffness_before; ///< Pa, before the present run raised it; 0: it did not
    double rest_strain_before[9];
    double volume;    ///< m^3
    double center[3]; ///< centre of mass, in the body's own coordinates
    double axes[9];   ///< columns: the principal axes in these coordinates
    double radius;    ///< metres: distance of the farthest vertex from the centre
};

enum { AFFINE_NODES = 4 };

/// The bonds between particles of a body, which may break.
struct body_bonds {
    size_t count;
    uint32_t *pairs; ///< count x 2, particle indices within the body
    double *rest;    ///< vertex_count x 3
    uint8_t *broken; ///< count, BOND_INTACT ..
    double *release; ///< count, m: distance below which the particles of a broken bond are in
                     ///< contact
    bool breaks;     ///< some bond can break
    bool fragments_outdated; ///< fragments and fracture surface do not include the latest broken
                             ///< bonds
    bool softened;           ///< `damage` does not include the latest softening
    double *contact_radii;   ///< vertex_count
    double rest_gap; ///< m: smallest distance at rest between surfaces of particles that are
                     ///< not bonded; 0: unknown
    /// Weights of bonds in the damage: per bond, the fraction of a particle's volume that the other
    /// one covers. Null: all bonds have the same weight.
    float *volume_fractions;
    struct fragments fragments;
};

/// Nodes: the positions of the particles, then their rotations.
struct bonded_body {
    double *radii;                             ///< vertex_count, of the particles
    double *bond_radii, *young, *shear_moduli; ///< by bond
    double *tensile, *shearing;      ///< per bond, Pa: strengths; infinite: the bond never breaks
    struct fracture_surface surface; ///< fracture surface of a body made of tetrahedra
    double shear_factor;
    int32_t shear;              ///< PBS_BOND_SHEAR_*
    double *orientations;       ///< vertex_count x 4
    double *angular_velocities; ///< vertex_count x 3: velocities of the rotation nodes divided by
                                ///< their radii
};

/// The bonds of a peridynamic body are springs.
struct peridynamic_body {
    int32_t dimension; ///< PBS_PERIDYNAMIC_*
    bool whole_volumes, no_calibration, no_surface_correction;
    double spacing, horizon, section; ///< section is 1 for solids
    double *volumes, *young;          ///< vertex_count
    double *lengths, *stiffness;      ///< by bond
    double *critical; ///< per bond: strain at which it breaks; infinite: it never breaks
    /// Of bonds that soften (energy/springs/softening_law.h); null: brittle bonds. Per bond: the
    /// strain at which softening starts, and the remaining fraction of its stiffness in the current
    /// state.
    double *onset, *remaining;
    struct softening_shape softening;
};

struct custom_body {
    uint32_t width;
    size_t stencil_count;
    uint32_t *stencils;     ///< stencil_count x width, vertex indices within the body
    pbs_custom_fn evaluate; ///< null after a restore until the host registers it again
    void *user;
    bool concurrent;
    bool is_linear;
    uint64_t tag;
};

/// The barriers at the body's surface, if their stiffness is chosen body by body
/// (docs/theory/contact.md section 2.4). All zero: not chosen yet.
struct body_barrier {
    double stiffness; ///< N/m, in the last step
    double load;      ///< N, in the last step: their stiffness times their reach is at least this
    double next_load; ///< N, required in the next step by the forces of the last one
};

/// Waves of stress in a material.
struct body_waves {
    double impedance; ///< kg/(m^2 s): density times speed
    double speed;     ///< m/s, sqrt(E / density)
    double strength;  ///< Pa, the mean of what breaks; infinite: nothing does
};

/// The worst hit of the last call that its steps did not resolve (breaking/impact.h).
struct body_impact {
    struct body_waves waves;
    double wave_time; ///< s: in which a wave goes through the body
    double speed;     ///< m/s
    double stress;    ///< Pa; 0: there was none
    double step;      ///< s
    bool is_measured; ///< waves and wave_time are known
    bool is_told;     ///< the log has been told of it, or of one in the call before
};

/// What gravity is for one body: scale times the world's, and an acceleration besides.
struct body_gravity {
    double scale;
    double added[3]; ///< m/s^2
};

struct body_table;

struct body {
    const struct body_table *table; ///< of its kind
    uint32_t slot;
    bool has_pressure, has_wind;
    bool has_forces_once; ///< forces of the next run alone act on its nodes, or such a torque
    uint8_t flat; ///< PBS_AXIS_*: axes on which all its vertices stay constrained, whatever the
                  ///< host pins or unpins
    size_t node_start, node_count; ///< in the world's nodes
    size_t vertex_count;
    struct vertices vertices; ///< all null if the vertices are the nodes
    uint32_t *triangles;      ///< triangle_count x 3 vertex indices: the surface; null: none
    size_t triangle_count;
    const double *rest; ///< vertex_count x 3, m, in coordinates of the kind: positions at rest;
                        ///< null: the body has no rest shape
    double extent; ///< metres: diagonal of the rest shape's bounding box, or the longest spring; 0:
                   ///< no rest shape
    double least_stiffness; ///< 1/s^2: see struct objective; 0: unknown
    double damping;         ///< s: of the rate of strain, or Rayleigh's of kinds that have that
    double drag;            ///< 1/s
    struct body_gravity gravity;
    struct pressure_law pressure; ///< in its surface, which is closed then
    pbs_wind_desc wind;           ///< on its triangles; all zero without
    uint64_t user_data;           ///< the host's
    pbs_contact_desc contact;
    double contact_inset; ///< m: its surface for contact lies so far inside; of affine bodies
    struct body_barrier barrier;
    struct energy_account account; ///< of energy control, see struct history
    bool was_struck;               ///< in the last step, see struct history
    struct contact_load load;      ///< of the last step
    struct body_impact impact;     ///< not saved: of the last call
    double torque[3];      ///< N m, about the centre of mass: the host's, until it clears it
    double torque_once[3]; ///< N m, likewise, in the next run alone
    size_t joint_count;    ///< of the joints that one of its points belongs to
    const char *moved_by; ///< how the host has moved it since the last check for overlaps, in words
                          ///< for messages; null: not moved, or unknown
    void *own;            ///< data that only the file of its kind uses; null: none
    struct solid_body solid;
    struct shell_body shell;
    struct affine_body affine;
    struct body_bonds bonds; ///< all zero if the body has no particles
    struct bonded_body bonded;
    struct peridynamic_body peridynamic;
    struct custom_body custom;
};

struct scene;
struct nodes;

/// The flexural rigidity E h^3 / (12 (1 - nu^2)), N m.
double shell_rigidity(const struct shell_body *shell);

/// Computes the nodes of an affine body in a rigid pose: its own coordinates are rotated (row-major
/// matrix), then translated by position.
void affine_body_nodes_at(const struct affine_body *affine, const double position[3],
                          const double rotation[9], double nodes[12]);

/// The contact settings of a new body.
pbs_contact_desc body_default_contact(void);
pbs_status body_check_contact(const pbs_contact_desc *d);

/// Plane bodies and bars must stay in their plane or line. PBS_ERROR_ARGUMENT if a vertex's vector
/// differs from `plane` on an axis of body->flat.
/// @param name  "positions", for the message
pbs_status body_check_plane(const struct body *body, const double vector[3], const double plane[3],
                            size_t vertex, const char *name);

/// Whether the particles have orientations. If so, the last vertex_count nodes are their rotations.
bool body_has_orientations(const struct body *body);
/// Whether the vertices are spheres in contact.
bool body_has_spheres(const struct body *body);

/// m/s^2: of a world's gravity, what acts on the body.
void body_gravity(const struct body *body, const double world[3], double out[3]);

/// The mass, kg: the sum over nodes that are positions (of an affine body its centre alone).
double body_mass(const struct nodes *nodes, const struct body *body);

/// The diagonal of the bounding box of vertex_count positions.
double body_extent(size_t vertex_count, const double *positions);

double tet_value(const struct tet_values *values, size_t tet);

#endif
