// A body: a range of the world's nodes, and what its kind keeps besides. Descriptions are kept as
// they were given, so that a saved world is made again through the same door, with the same checks
// and the same bits.
#ifndef PBS_WORLD_OBJECTS_BODY_H
#define PBS_WORLD_OBJECTS_BODY_H

#include "base/runtime/memory.h"
#include "contact/contact_report.h"
#include "energy/springs/softening_law.h"
#include "fracture/fracture_surface.h"
#include "pbs/bonded.h"
#include "pbs/peridynamic.h"
#include "world/objects/vertex_arrays.h"

/// As they are saved.
enum body_kind {
    BODY_SOLID,
    BODY_CUSTOM,
    BODY_SHELL,
    BODY_SPRINGS,
    BODY_AFFINE,
    BODY_BONDED,
    BODY_PERIDYNAMIC
};

/// A value for all tetrahedra, or one for each.
struct tet_values {
    double value;
    double *per_tet; ///< null: value serves all
};

struct solid_body {
    int32_t material;
    size_t tet_count;
    uint32_t *tets; ///< tet_count x 4, the body's own vertex indices
    double *rest;   ///< node_count x 3
    struct tet_values density, young, poisson;
};

/// Its triangles are the body's surface.
struct shell_body {
    double *rest;    ///< node_count x 3
    uint32_t *sides; ///< hinge_count x 2: side 3 t + i goes from vertex i of triangle t to the next
    size_t hinge_count;
    double *rest_angles;   ///< null, or by side, rad
    size_t clamp_count;    ///< of clamped border edges
    uint32_t *clamp_sides; ///< clamp_count
    double *clamps;        ///< clamp_count x 3, unit
    bool flat_rest;
    int32_t bending;                                          ///< PBS_BENDING_*
    double thickness, density, young, poisson, bending_young; ///< bending_young as given: 0 is
                                                              ///< young
};

/// Nodes: the centre of mass, then for each principal axis the handle radius * axis, a vector. So
/// all four are metres, and their masses m and moment / radius^2 kilograms.
struct affine_body {
    double *rest;     ///< vertex_count x 3, in the body's own coordinates
    double density;   ///< kg/m^3
    double stiffness; ///< Pa
    double volume;    ///< m^3
    double center[3]; ///< of mass, in the body's own coordinates
    double axes[9];   ///< its columns: the principal axes there
    double radius;    ///< metres: from the centre to the farthest vertex
};

enum { AFFINE_NODES = 4 };

/// What joins a body's particles and may break.
struct body_bonds {
    size_t count;
    uint32_t *pairs;         ///< count x 2, the body's own particles
    double *rest;            ///< vertex_count x 3
    uint8_t *broken;         ///< count, BOND_INTACT ..
    double *release;         ///< count, m: of broken ones, where their particles begin to touch
    bool breaks;             ///< some bond may
    bool fragments_outdated; ///< bonds broke that fragments and surface do not know of yet
    bool softened;           ///< or softened, which damage does not know of
    double *contact_radii;   ///< vertex_count
    double contact_space; ///< m: how far surfaces of particles are apart at rest at least, bonded
                          ///< ones left out; 0: not known
    /// Of damage, where bonds do not all count alike: by bond, which part of its particles' volumes
    /// they reach; null: alike.
    float *volume_fractions;
    struct fragments fragments;
};

/// Nodes: the particles' positions, then their rotations.
struct bonded_body {
    double *radii;                             ///< vertex_count, of the particles
    double *bond_radii, *young, *shear_moduli; ///< by bond
    double *tensile, *shearing;      ///< by bond, Pa: strengths; infinite where it never breaks
    struct fracture_surface surface; ///< of tetrahedra
    double shear_factor;
    int32_t shear;              ///< PBS_BOND_SHEAR_*
    double *orientations;       ///< vertex_count x 4
    double *angular_velocities; ///< vertex_count x 3: those of the rotation nodes, over their radii
};

/// Bonds are springs.
struct peridynamic_body {
    int32_t dimension; ///< PBS_PERIDYNAMIC_*
    bool whole_volumes, no_calibration, no_surface_correction;
    double spacing, horizon, section; ///< section is 1 of a solid
    double *volumes, *young;          ///< vertex_count
    double *lengths, *stiffness;      ///< by bond
    double *critical; ///< by bond: the strain at which it breaks; infinite where it never does
    /// Of bonds that soften (energy/springs/softening_law.h); null: brittle. By bond: the strain
    /// from which on it does, and what remains of its stiffness in the present state.
    double *onset, *remaining;
    struct softening_shape softening;
};

struct custom_body {
    uint32_t width;
    size_t stencil_count;
    uint32_t *stencils;     ///< stencil_count x width, the body's own vertex indices
    pbs_custom_fn evaluate; ///< null after a restore until the host registers it again
    void *user;
    bool concurrent;
    bool is_linear;
    uint64_t tag;
};

/// Of barriers at its surface, where they are chosen body by body. All zero: not chosen yet.
struct body_barrier {
    double stiffness; ///< N/m, of the last step
    double least;     ///< N/m, of the next one: what that step's forces want
};

struct body_table;

struct body {
    const struct body_table *table; ///< of its kind
    uint32_t slot;
    size_t node_start, node_count; ///< in the world's nodes
    size_t vertex_count;
    struct vertices vertices; ///< where the vertices are not the nodes
    uint32_t *triangles;      ///< triangle_count x 3 vertex indices: the surface; null: none
    size_t triangle_count;
    const double *rest; ///< vertex_count x 3, m, in coordinates of its kind: where vertices are at
                        ///< rest; null: nothing says
    double extent;  ///< metres: the diagonal of the rest shape's bounding box, the longest spring;
                    ///< 0: no rest shape
    double damping; ///< s, of Rayleigh damping
    double drag;    ///< 1/s
    bool no_gravity;
    uint8_t flat; ///< PBS_AXIS_*: axes that all its vertices are held on, whatever the host pins
    pbs_contact_desc contact;
    struct body_barrier barrier;
    struct contact_load load; ///< of the last step
    size_t joint_count;       ///< of the joints that one of its points belongs to
    const char *moved_by;     ///< what the host did to it since a step has looked for overlaps, as
                              ///< words for messages; null: nothing, or unknown
    void *own;                ///< what the file of its kind alone knows; null: nothing
    struct solid_body solid;
    struct shell_body shell;
    struct affine_body affine;
    struct body_bonds bonds; ///< of particles; all zero where there are none
    struct bonded_body bonded;
    struct peridynamic_body peridynamic;
    struct custom_body custom;
};

struct scene;
struct nodes;

/// The flexural rigidity E h^3 / (12 (1 - nu^2)), N m.
double shell_rigidity(const struct shell_body *shell);

/// The nodes of an affine body that is moved rigidly: rotation (row-major), then translation.
void affine_body_nodes_at(const struct affine_body *affine, const double position[3],
                          const double rotation[9], double nodes[12]);

/// Of a new body.
pbs_contact_desc body_default_contact(void);
pbs_status body_check_contact(const pbs_contact_desc *d);

/// Bodies in a plane, and bars, stay in it: PBS_ERROR_ARGUMENT where a vertex's vector differs from
/// `plane` on an axis that this holds.
/// @param name  "positions", for the message
pbs_status body_check_plane(const struct body *body, const double vector[3], const double plane[3],
                            size_t vertex, const char *name);

/// Whether its particles have orientations; rotations are its last vertex_count nodes then.
bool body_has_orientations(const struct body *body);
/// Whether its vertices touch as spheres of radii of their own.
bool body_has_spheres(const struct body *body);

/// The sum over the nodes that are places, kg: of an affine body that is its centre.
double body_mass(const struct nodes *nodes, const struct body *body);

/// The diagonal of the bounding box of vertex_count x 3 coordinates.
double body_extent(size_t vertex_count, const double *positions);

double tet_value(const struct tet_values *values, size_t tet);

#endif
