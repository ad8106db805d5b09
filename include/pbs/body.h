// libpbs: bodies, what is simulated. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_BODY_H
#define PBS_BODY_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Hyperelastic materials. All take the small-strain Young modulus and Poisson ratio.
typedef enum pbs_material {
    PBS_MATERIAL_FIXED_COROTATED = 0, ///< Stomakhin et al. 2012, eq. 8; finite under inversion
    PBS_MATERIAL_NEO_HOOKEAN = 1, ///< its energy has a logarithm and is infinite at det F <= 0, so
                                  ///< that no element ever inverts
    PBS_MATERIAL_STABLE_NEO_HOOKEAN = 2, ///< Smith, de Goes, Kim 2018, eq. 14; finite under
                                         ///< inversion. An element that has collapsed to one point
                                         ///< is in equilibrium, so that a step leaves it collapsed
    PBS_MATERIAL_ST_VENANT_KIRCHHOFF = 3 ///< for small strains only: it loses its stiffness under
                                         ///< strong compression
} pbs_material;

// Bodies in one call, with friction: their coefficient is 0.5, as if pbs_body_set_contact had set
// it, and all other settings are the defaults. `position` is where the centre is. With young == 0 a
// body is nearly rigid: affine, of the library's own stiffness (pbs_affine_desc, which says what
// such bodies touch), and its own coordinates have their origin in the centre, so that
// pbs_body_pose gives that. With young > 0 it is a soft solid, stable Neo-Hookean of Poisson ratio
// 0.3. Other shapes and settings: pbs_mesh and the descriptions below.

/// Adds a box. A soft one has some 64 cells of six tetrahedra that are nearly cubes, 4 x 4 x 4 of a
/// cube, and 1 to 32 along each edge.
/// @param size  3, m, > 0: the lengths of the edges along x, y and z
/// @param position  3, m: of the centre
/// @param density  kg/m^3, > 0
/// @param young  Pa; 0: nearly rigid
/// @param out  its id; written only on success
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or out of its range),
/// PBS_ERROR_MESH (a body so thin that rounding flattens it), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_body_create_box(pbs_world *w, const double size[3], const double position[3],
                                       double density, double young, pbs_body *out);

/// Adds a ball; otherwise as pbs_body_create_box. It is pbs_mesh_ball with 4 cells (24 edges around
/// it) where it is nearly rigid, with 3 cells (324 tetrahedra) where it is soft, and has 6 or 10 %
/// less volume and mass than the sphere.
/// @param radius  m, > 0
PBS_API pbs_status pbs_body_create_ball(pbs_world *w, double radius, const double position[3],
                                        double density, double young, pbs_body *out);

/// Adds a capsule along y; otherwise as pbs_body_create_box. A soft one has 3 cells along its
/// radius, and along its cylinder as many of about that length, 1 to 32.
/// @param radius  m, > 0
/// @param height  m, > 0: of the cylinder, without the caps
PBS_API pbs_status pbs_body_create_capsule(pbs_world *w, double radius, double height,
                                           const double position[3], double density, double young,
                                           pbs_body *out);

/// Adds a cylinder along y, as pbs_body_create_capsule without the caps.
PBS_API pbs_status pbs_body_create_cylinder(pbs_world *w, double radius, double height,
                                            const double position[3], double density, double young,
                                            pbs_body *out);

/// Adds a horizontal sheet of cloth, a shell with PBS_BENDING_HINGE and Poisson ratio 0.3, of some
/// 256 nearly square cells, 16 x 16 of a square, and 1 to 64 along each edge; otherwise as
/// pbs_body_create_box. Vertices are in the order of pbs_mesh_sheet. It touches at its middle
/// surface: pbs_contact_desc.offset can give it half of its thickness.
/// @param size  2, m, > 0: the lengths of the edges along x and z
/// @param density  kg/m^3, > 0, of the material: times thickness it is the mass of a square metre
/// @param thickness  m, > 0
/// @param young  Pa, > 0
PBS_API pbs_status pbs_body_create_cloth(pbs_world *w, const double size[2],
                                         const double position[3], double density, double thickness,
                                         double young, pbs_body *out);

/// Adds a straight rope of 32 springs that resist stretching and not bending; otherwise as
/// pbs_body_create_box. It touches bodies and colliders with spheres of its radius around its
/// vertices, and not in between, so that what is thinner than a spring is long may pass through.
/// @param from, to  3, m: the ends, not at one place; the first and the last vertex
/// @param radius  m, > 0
/// @param young  Pa, > 0
PBS_API pbs_status pbs_body_create_rope(pbs_world *w, const double from[3], const double to[3],
                                        double radius, double density, double young, pbs_body *out);

// Damping is given by a time tau. The damping stress is tau C E', with the elasticity C at small
// strain and the rate E' of Green's strain. Springs are damped by the rate of their length. A rigid
// motion has no rate of strain, so damping does not slow rotation and exerts no torque. Bending of
// shells is damped by the rates of its angles, linearised at the start of the step; to first order
// in the angle by which a step turns the body, this does not slow rotation either. At small strain
// damping is stiffness-proportional Rayleigh damping: the amplitude of a vibration of w radians per
// second falls as exp(-tau w^2 t / 2). docs/theory/schemes.md, section 1.1.

/// A deformable solid of linear tetrahedra. The arrays are read during the call only.
typedef struct pbs_solid_desc {
    uint32_t struct_size; ///< set by pbs_solid_desc_init
    int32_t material;     ///< pbs_material
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3, metres: the rest shape, and the initial one
    size_t tet_count;
    const uint32_t *tets;             ///< tet_count x 4, det(b - a, c - a, d - a) > 0
    double density;                   ///< kg/m^3, > 0
    double young;                     ///< Pa, > 0
    double poisson;                   ///< in (-1, 0.5); >= 0 for fixed corotated and Neo-Hookean
                                      ///< solids, whose energy has no lower bound otherwise
    double damping;                   ///< s, >= 0: tau of "Damping" above
    double drag;                      ///< mass drag, 1/s, >= 0
    const double *tet_density;        ///< null, or tet_count values that take the place of density
    const double *tet_young;          ///< null, or tet_count values that take the place of young
    const double *tet_poisson;        ///< null, or tet_count values that take the place of poisson
    const double *initial_positions;  ///< null (the rest shape), or vertex_count x 3, metres
    const double *initial_velocities; ///< null (at rest), or vertex_count x 3, m/s
    double yield_stress; ///< Pa, >= 0: the solid flows where its von Mises stress is above this,
                         ///< see "Plasticity" below; 0: it never flows
    double hardening;    ///< Pa, >= 0: increase of the yield stress per plastic strain
    double plastic_viscosity; ///< Pa s, >= 0: stress in excess of the yield stress, per rate of
                              ///< plastic strain; 0: flow leaves no excess
    double plastic_limit; ///< >= 0: a tetrahedron whose plastic strain has reached this flows no
                          ///< more; 0: no limit
} pbs_solid_desc;

// Plasticity: a tetrahedron flows where its von Mises stress is above yield_stress + hardening *
// plastic strain, that is, its rest shape follows its deformation. The von Mises stress is sqrt(6)
// G |dev e|, with the logarithmic elastic strain e and the shear modulus G = young / (2 (1 +
// poisson)); in uniaxial tension it is the stress itself. Flow keeps the volume. It is computed at
// the end of each step, and of each part of a divided one. The step itself is solved with the rest
// shapes of its start, so the step size matters as in an explicit method. The elastic energy that
// flow removes counts as dissipated. Damping and tolerances use the rest shape that the solid was
// created with. docs/theory/plasticity.md.

/// Fills *d: stable Neo-Hookean, density 1000, young 1e5, poisson 0.3, no damping, no mesh.
/// @param struct_size  sizeof(pbs_solid_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_solid_desc_init(pbs_solid_desc *d, size_t struct_size);

/// Adds a deformable solid with masses lumped at the vertices. Copies all its input. The body
/// exists until pbs_body_destroy or the end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a wrong index, an inverted or flat tetrahedron, an unused vertex; which
/// one is in the message), PBS_ERROR_ARGUMENT (a null pointer; a number that is not finite or out
/// of its range; more vertices than a world can have), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see OPT section 4.1
PBS_API pbs_status pbs_body_create_solid(pbs_world *w, const pbs_solid_desc *d, pbs_body *out);

/// A description that makes the solid again, with the parameters and the motion that it has now:
/// initial_positions and initial_velocities are the present ones. What has flowed is not in it, nor
/// what other calls have set (contact, gravity, pins, forces). Arrays are the world's, valid until
/// the next call that changes the world.
/// @param out  struct_size set by the caller, as pbs_solid_desc_init does
/// @return PBS_ERROR_ARGUMENT (a null pointer, a body of another kind), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_solid_settings(const pbs_world *w, pbs_body b, pbs_solid_desc *out);

/// Energies of bending. Their discretisation errors: docs/theory/shells.md section 5.
typedef enum pbs_bending {
    PBS_BENDING_PLATE = 0, ///< converges to a Kirchhoff plate on any mesh; the curvature of a
                           ///< triangle is computed from the triangle and its neighbours
    PBS_BENDING_HINGE = 1 ///< each inner edge by itself (Grinspun et al. 2003): cheaper, for cloth.
                          ///< Its stiffness depends on the mesh and on the direction, and does not
                          ///< converge to that of a plate as the mesh gets finer
} pbs_bending;

/// A thin sheet of triangles that resists stretching in its own plane and bending across its inner
/// edges. The arrays are read during the call only.
///
/// Across an edge, angles are positive where the sheet is folded away from its front.
typedef struct pbs_shell_desc {
    uint32_t struct_size; ///< set by pbs_shell_desc_init
    int32_t flat_rest;    ///< 0: positions give the rest angles; 1: flat across every inner edge
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3, metres: the rest shape, and the initial one
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3; the two triangles of an edge have its
                               ///< vertices in opposite order; the front is the side from which the
                               ///< vertices are counterclockwise
    double thickness;          ///< metres, > 0; determines mass and stiffness
    double density;            ///< kg/m^3, > 0
    double young;              ///< Pa, > 0
    double poisson;            ///< 0 to 0.5; below 0 the energy would have no lower bound
    double bending_young;      ///< Pa, Young's modulus for bending; 0: young
    double damping;            ///< s, >= 0: tau of "Damping" above, for stretching and bending
    double drag;               ///< mass drag, 1/s, >= 0
    const double *initial_positions;  ///< null (the rest shape), or vertex_count x 3, metres
    const double *initial_velocities; ///< null (at rest), or vertex_count x 3, m/s
    const double *rest_angles; ///< null (flat_rest decides), or triangle_count x 3, rad: the rest
                               ///< angle across the edge from vertex i of a triangle to the next
                               ///< vertex. Both triangles of an edge must give the same angle. That
                               ///< of a border edge is used only where the edge is clamped
    size_t clamped_edge_count; ///< 0 with PBS_BENDING_HINGE
    const uint32_t *clamped_edges; ///< clamped_edge_count x 2 vertex indices of border edges, at
                                   ///< which bending is measured relative to a prescribed direction
    const double *clamped_directions; ///< clamped_edge_count x 3, world coordinates: the direction
                                      ///< in which the clamp continues the sheet, across the edge
                                      ///< and away from the sheet. The rest angle is the angle
                                      ///< between the rest shape and this direction, or 0 with
                                      ///< flat_rest
    int32_t bending;                  ///< pbs_bending
    uint32_t reserved;                ///< must be 0
    double yield_curvature; ///< 1/m, >= 0: where the curvature at an inner edge is above this, the
                            ///< rest angle of the edge follows, so that a crease stays; 0: never.
                            ///< Must be 0 unless bending is PBS_BENDING_HINGE. The curvature is
                            ///< (angle - rest angle) * length of the edge / area of its two
                            ///< triangles. docs/theory/plasticity.md section 4
    double stretch_limit; ///< 0: none; otherwise > 1, length over length at rest: the stretch of a
                          ///< triangle stays below this in every direction; 1.1 is 10 %. See below
} pbs_shell_desc;

// Limits of stretch: a barrier keeps the stretch of each triangle below the limit, however soft the
// material and however large the load. It begins half way to the limit and is infinite at the
// limit. Its stiffness follows from young, poisson and thickness. It counts as elastic energy and
// stress, and is not damped. Scripted vertices whose targets would stretch the sheet to its limit
// are blocked (PBS_ERROR_CONVERGENCE). With schemes whose steps do not end feasible (pbs_scheme),
// explicit ones among them, a step that would end beyond a limit fails. docs/theory/shells.md
// section 8.

/// Fills *d: thickness 1 mm, density 1000, young 1e5, poisson 0.3, the bending energy of plates
/// with the same young, no damping, no mesh.
/// @param struct_size  sizeof(pbs_shell_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_shell_desc_init(pbs_shell_desc *d, size_t struct_size);

/// Adds a thin shell with masses lumped at the vertices. Its membrane is Neo-Hookean in plane
/// stress, with an energy that is infinite where a triangle loses its area; its bending rigidity is
/// that of a plate, E h^3 / (12 (1 - nu^2)). Copies all its input. The body exists until
/// pbs_body_destroy or the end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a wrong index, a degenerate triangle, an edge of more than two
/// triangles, neighbours of opposite orientation, an unused vertex; which one is in the message),
/// PBS_ERROR_ARGUMENT (a null pointer; a number that is not finite or out of its range; rest angles
/// of an edge that differ; a clamped edge that is no border or is clamped twice; more vertices than
/// a world can have), PBS_ERROR_INADMISSIBLE (initial_positions stretch a triangle to stretch_limit
/// or beyond; which one and how far is in the message), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see docs/theory/shells.md; Grinspun et al. 2003, "Discrete shells"
PBS_API pbs_status pbs_body_create_shell(pbs_world *w, const pbs_shell_desc *d, pbs_body *out);

/// A description that makes the shell again, otherwise as pbs_body_solid_settings. Creases that
/// steps have left are not in it.
PBS_API pbs_status pbs_body_shell_settings(const pbs_world *w, pbs_body b, pbs_shell_desc *out);

/// The rest angles of a shell, triangle_count x 3 as in pbs_shell_desc, including the creases that
/// steps have left. Valid until the next call that changes the world. Null if the angles are those
/// of flat_rest, if the body is no shell, or if the id is not valid.
PBS_API const double *pbs_body_rest_angles(const pbs_world *w, pbs_body b);

/// Replaces the rest angles of a shell, as growth or drying do. With a yield_curvature this also
/// replaces the creases that steps have left. The change of the elastic energy counts as external
/// work. The next step prepares its matrices anew, as after a new body.
/// @param rest_angles  as pbs_shell_desc.rest_angles; copied; null: those of flat_rest
/// @param triangle_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (not a shell; another count; a number that is not finite; angles of
/// an edge that differ), PBS_ERROR_HANDLE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_body_set_rest_angles(pbs_world *w, pbs_body b, const double *rest_angles,
                                            size_t triangle_count);

/// Particles joined by springs of the energy 1/2 stiffness (length - rest length)^2. The arrays are
/// read during the call only.
typedef struct pbs_springs_desc {
    uint32_t struct_size; ///< set by pbs_springs_desc_init
    int32_t no_gravity;   ///< 1: gravity does not act on this body
    size_t vertex_count;
    const double *positions;  ///< vertex_count x 3, metres
    const double *velocities; ///< null (at rest), or vertex_count x 3, m/s
    const double *masses;     ///< vertex_count, kg, > 0
    size_t spring_count;      ///< 0: free particles
    const uint32_t *springs;  ///< spring_count x 2 vertex indices, distinct within a spring
    double stiffness;         ///< N/m, > 0
    double damping; ///< s, >= 0: each spring also exerts, along itself, the force damping *
                    ///< stiffness * the rate of its length
    double drag;    ///< mass drag, 1/s, >= 0
    const double *spring_stiffness; ///< null, or spring_count values that take the place of
                                    ///< stiffness
    const double *rest_lengths;     ///< null (the lengths in positions), or spring_count, metres,
                                    ///< >= 0
} pbs_springs_desc;

/// Fills *d: stiffness 1000, no damping, no particles.
/// @param struct_size  sizeof(pbs_springs_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_springs_desc_init(pbs_springs_desc *d, size_t struct_size);

/// Adds particles and springs. Copies all its input. The body exists until pbs_body_destroy or the
/// end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a spring's wrong or repeated index; which one is in the message),
/// PBS_ERROR_ARGUMENT (a null pointer; a number that is not finite or out of its range; more
/// vertices than a world can have), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_body_create_springs(pbs_world *w, const pbs_springs_desc *d, pbs_body *out);

/// A description that makes the particles and springs again, otherwise as pbs_body_solid_settings;
/// stiffness and rest length are given by spring. no_gravity is 1 where the body's scale of gravity
/// is 0.
PBS_API pbs_status pbs_body_springs_settings(const pbs_world *w, pbs_body b, pbs_springs_desc *out);

/// A stiff body with twelve degrees of freedom, whatever its mesh: an affine motion, with a stiff
/// energy of stretch and shear. Vertices are those of its surface (or of its tetrahedra), in the
/// body's own coordinates. Its mass is that of the volume inside the surface. Affine bodies touch
/// other bodies and colliders in worlds with PBS_CONTACT_BARRIER; colliders that act by projection
/// (PBS_COLLISION_CONSTRAINT) do not act on them. Feasible schemes that damp stiff motion, and the
/// A_* ones, keep a body rigid however fast it turns. Other schemes strain it in each step in which
/// it turns by more than a few degrees (docs/integrators.md). The arrays are read during the call
/// only.
typedef struct pbs_affine_desc {
    uint32_t struct_size; ///< set by pbs_affine_desc_init
    int32_t no_gravity;   ///< 1: gravity does not act on this body
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3, metres, in the body's own coordinates
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3, a closed surface, counterclockwise seen from
                               ///< outside; cavities are surfaces turned inward
    size_t tet_count;
    const uint32_t *tets; ///< null; or tet_count x 4 as in pbs_solid_desc, in place of triangles
    double density;       ///< kg/m^3, > 0
    double stiffness;   ///< Pa, >= 0: of the energy stiffness * volume * |A^T A - 1|^2, where A is
                        ///< the deformation of the body. 0, the default: what looks rigid under
                        ///< gravity, the larger of 1e7 and 200 * density * gravity * the body's
                        ///< diameter, the larger gravity of the body's own and the world's; it
                        ///< follows them when they change (pbs_body_parameter has what is in use).
                        ///< Larger values take more Newton iterations where bodies turn fast;
                        ///< bodies that are hit faster than a fall of their own size, or loaded
                        ///< with fifty of their like, need one (docs/theory/affine_bodies.md)
    double damping;     ///< s, >= 0: tau of "Damping" above
    double drag;        ///< mass drag, 1/s, >= 0
    double position[3]; ///< metres: initial position of the origin of the body's own coordinates
    double orientation[4];      ///< unit quaternion x, y, z, w; of norm 1 within 1e-6
    double velocity[3];         ///< m/s, of the centre of mass
    double angular_velocity[3]; ///< 1/s, about the centre of mass, axes of the world
} pbs_affine_desc;

/// Fills *d: density 1000, stiffness 0 (chosen), at rest at the origin, orientation (0, 0, 0, 1),
/// no damping, no mesh.
/// @param struct_size  sizeof(pbs_affine_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_affine_desc_init(pbs_affine_desc *d, size_t struct_size);

/// Adds an affine body. Copies all its input. The body exists until pbs_body_destroy or the end of
/// the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a wrong index, a surface that is open, wrongly oriented or encloses
/// nothing; an inverted or flat tetrahedron; which one is in the message), PBS_ERROR_ARGUMENT (a
/// null pointer; triangles and tets, or neither; a number that is not finite or out of its range; a
/// quaternion that is not unit), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see Lan et al. 2022, "Affine Body Dynamics"
PBS_API pbs_status pbs_body_create_affine(pbs_world *w, const pbs_affine_desc *d, pbs_body *out);

/// A description that makes the affine body again, otherwise as pbs_body_solid_settings: as its
/// surface, also where tetrahedra were given, and without its present strain. no_gravity is 1 where
/// the body's scale of gravity is 0.
PBS_API pbs_status pbs_body_affine_settings(const pbs_world *w, pbs_body b, pbs_affine_desc *out);

/// Evaluates a host's energy of one stencil, whose nodes are at x (width x 3, metres). It must
/// depend on x alone. The callback writes *value (J), gradient (width * 3, N) and hessian ((width *
/// 3)^2, row-major, N/m) where these are not null, every number of them. The Hessian must be exact.
/// Where `project` is nonzero the callback may make it positive semidefinite; otherwise the library
/// does so. x and the outputs are valid during the call only. The callback must not call into the
/// world that called it.
/// @return 0: done. > 0: the state x is not admissible, and the step must be shortened; a result
/// that is not finite means the same. < 0: stop; the call into the library fails with
/// PBS_ERROR_HOST. It also fails with that if the callback returns 0 but has not written every
/// number (as after an exception in a language that has them).
typedef int32_t (*pbs_custom_fn)(void *user, size_t stencil, const double *x, int32_t project,
                                 double *value, double *gradient, double *hessian);

/// Particles under a host's own energy. The arrays are read during the call only.
typedef struct pbs_custom_desc {
    uint32_t struct_size; ///< set by pbs_custom_desc_init
    uint32_t width;       ///< nodes per stencil, 1 to 8
    size_t vertex_count;
    const double *positions;  ///< vertex_count x 3, metres
    const double *velocities; ///< null (at rest), or vertex_count x 3, m/s
    const double *masses;     ///< vertex_count, kg, > 0
    size_t stencil_count;     ///< 0: free particles
    const uint32_t *stencils; ///< stencil_count x width vertex indices, distinct within a stencil
    pbs_custom_fn evaluate;   ///< not null
    void *user;               ///< passed to evaluate; must live as long as the body
    int32_t concurrent; ///< 0: evaluate is called only on the thread that steps the world; 1: it
                        ///< may be called on any of the world's threads, on several at the same
                        ///< time
    int32_t no_gravity; ///< 1: gravity does not act on this body
    uint64_t tag;       ///< the host's name for evaluate and user, by which a restored world finds
                        ///< them again (pbs_world_register_callback); not 0
    double damping; ///< s, stiffness-proportional Rayleigh damping: the force -damping H v. H is
                    ///< the Hessian of evaluate at the start of the step, made positive
                    ///< semidefinite. With schemes that can be of order 2, H is evaluated where the
                    ///< velocities at the start of the step lead instead
    int32_t is_linear; ///< 1: evaluate is linear in x, so that its force is constant. Energy
                       ///< control then treats it as it does gravity. Not checked
    int32_t reserved;  ///< 0
} pbs_custom_desc;

/// Fills *d with width 2 and nothing else.
/// @param struct_size  sizeof(pbs_custom_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_custom_desc_init(pbs_custom_desc *d, size_t struct_size);

/// Adds particles moved by an energy of the host's own: the sum of evaluate over all stencils.
/// Copies all its input. The body exists until pbs_body_destroy or the end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a stencil's wrong or repeated index; which one is in the message),
/// PBS_ERROR_ARGUMENT (a null pointer; a number that is not finite or out of its range; more
/// vertices than a world can have), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see docs/architecture.md, eq. (1): a host's energy is one of the P_k
PBS_API pbs_status pbs_body_create_custom(pbs_world *w, const pbs_custom_desc *d, pbs_body *out);

/// A description that makes the body again, otherwise as pbs_body_solid_settings. evaluate is null
/// in a restored world where the tag is not registered. no_gravity is 1 where the body's scale of
/// gravity is 0.
PBS_API pbs_status pbs_body_custom_settings(const pbs_world *w, pbs_body b, pbs_custom_desc *out);

/// Registers a callback for the custom bodies of this world that have this tag, and for those that
/// a later pbs_world_restore creates. Restored bodies have none until their tag is registered,
/// before or after the restore. Registering a tag again replaces its callback. Creating a body
/// registers nothing.
/// @param user  passed to evaluate; must live as long as the world
/// @return PBS_ERROR_ARGUMENT (w or evaluate is null, tag is 0), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_register_callback(pbs_world *w, uint64_t tag, pbs_custom_fn evaluate,
                                               void *user);

/// What pbs_world_register_callback has registered under a tag.
/// @param evaluate  may be null
/// @param user  may be null
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_MISSING_CALLBACK (nothing is registered under
/// this tag)
PBS_API pbs_status pbs_world_callback(const pbs_world *w, uint64_t tag, pbs_custom_fn *evaluate,
                                      void **user);

/// Removes the body; its id is never valid again. A null id is fine. The scheme's history of the
/// other bodies stays, and so do their energy targets where islands have their own. The other
/// bodies then move as in a world without the removed body, up to rounding and the solver's
/// tolerance: all bodies of a world share the iterations of a step and the order of its sums.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_destroy(pbs_world *w, pbs_body b);

/// Whether the id names a body of this world that was not destroyed. False where w is null.
PBS_API bool pbs_body_is_valid(const pbs_world *w, pbs_body b);

/// How many vertices the body has; 0 for one that is not valid.
PBS_API size_t pbs_body_vertex_count(const pbs_world *w, pbs_body b);

/// How many tetrahedra a solid has; 0 for other bodies and for one that is not valid.
PBS_API size_t pbs_body_tet_count(const pbs_world *w, pbs_body b);

/// Where the vertices are: vertex_count x 3, metres, in the order in which they were given. The
/// world's own array: valid until the next call that takes this world without const, also where
/// that call fails. Null for a body that is not valid.
PBS_API const double *pbs_body_positions(const pbs_world *w, pbs_body b);

/// How the vertices move: vertex_count x 3, m/s; otherwise as pbs_body_positions.
PBS_API const double *pbs_body_velocities(const pbs_world *w, pbs_body b);

/// The lumped masses: vertex_count, kg; otherwise as pbs_body_positions. Those of an affine body
/// are its mass distributed by surface area: their sum is its mass, their centre only close to its
/// centre of mass.
PBS_API const double *pbs_body_masses(const pbs_world *w, pbs_body b);

/// The boundary triangles of a solid or an affine body, outward; the triangles of a shell, as
/// given.
/// @param indices  becomes a pointer to triangle_count x 3 vertex indices, which belong to the
/// world and are valid until the body is destroyed or the world restored; null for a body without
/// surface
/// @param triangle_count  becomes their number
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_surface(const pbs_world *w, pbs_body b, const uint32_t **indices,
                                    size_t *triangle_count);

/// Replaces all positions. Pinned vertices stay pinned, at their new places; pending targets are
/// dropped. The scheme's history of earlier steps is discarded. An affine body takes the closest
/// affine motion (see pbs_body_set_pose for a rigid one).
/// @param xyz  vertex_count x 3, metres; copied
/// @param vertex_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (a null pointer, another count, a number that is not finite; of a
/// peridynamic body in a plane or a bar, a position outside of that; of an affine body, a position
/// that differs from the closest affine motion by more than 1e-6 times the sum of the body's size
/// and the largest coordinate, or a motion that flattens or reflects the body),
/// PBS_ERROR_INADMISSIBLE (a triangle of a shell is stretched to its stretch_limit or beyond),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_positions(pbs_world *w, pbs_body b, const double *xyz,
                                          size_t vertex_count);

/// Replaces all velocities. The scheme's history of earlier steps is discarded.
/// @param xyz  vertex_count x 3, m/s; copied. Of an affine body they must be an affine function of
/// the position, as those of rigid motions are, within 1e-6 of the largest
/// @param vertex_count  must be the body's
/// @return PBS_ERROR_ARGUMENT as pbs_body_set_positions, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                           size_t vertex_count);

/// Replaces the host's forces on all vertices, which are zero at first. They are dead loads:
/// magnitude and direction do not change while the body moves, until they are set anew. Their
/// potential, - force . (position - initial position), is `external` of pbs_energy. Where forces
/// change, the scheme's history of accelerations is discarded.
/// @param xyz  vertex_count x 3, N; copied
/// @param vertex_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (a null pointer, another count, a number that is not finite or beyond
/// 1e140), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_forces(pbs_world *w, pbs_body b, const double *xyz,
                                       size_t vertex_count);

/// Axes of the world, as bits that may be combined.
typedef enum pbs_axis { PBS_AXIS_X = 1, PBS_AXIS_Y = 2, PBS_AXIS_Z = 4, PBS_AXIS_ALL = 7 } pbs_axis;

/// Constrains axes of vertices to where they are now, until unpinned. Other axes of these vertices
/// stay as they were. If an axis was free before, multi-step schemes start afresh. Vertices of
/// affine bodies cannot be constrained one by one: pbs_body_pin_all constrains the body.
/// @param vertices  count vertex indices of the body; copied; may be null where count is 0
/// @param axes  pbs_axis bits, not 0
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index out of range, unknown bits or none, an
/// affine body), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                uint32_t axes);

/// Frees axes of vertices; otherwise as pbs_body_pin.
PBS_API pbs_status pbs_body_unpin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                  uint32_t axes);

/// Prescribes the motion of vertices: their pinned axes move at constant velocity, reach these
/// positions at the end of the next step (for pbs_world_advance: of the advance), and stay there.
/// Vertices not pinned before are pinned on all axes.
/// @param vertices  count vertex indices of the body; copied; may be null where count is 0
/// @param targets  count x 3, metres; copied
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index out of range, a number that is not finite,
/// a place out of a peridynamic body's plane, an affine body), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_targets(pbs_world *w, pbs_body b, const uint32_t *vertices,
                                        size_t count, const double *targets);

/// Constrains a whole body of any kind to where it is now, until it is unpinned; otherwise as
/// pbs_body_pin of all axes of all vertices.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pin_all(pbs_world *w, pbs_body b);

/// Frees a whole body, also where it was pinned vertex by vertex.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_unpin_all(pbs_world *w, pbs_body b);

/// On which axes each vertex is constrained: those of pbs_body_pin and its relatives, and of
/// targets. Of a peridynamic body in a plane or a bar those that it never leaves are among them.
/// @param axes  becomes vertex_count values, pbs_axis bits; of an affine body all of them or none
/// @param capacity  how many vertices `axes` can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pinned_axes(const pbs_world *w, pbs_body b, uint32_t *axes,
                                        size_t capacity);

/// Where each vertex is to be at the end of the next step as far as that is prescribed: on
/// constrained axes its target or, once that is reached or where there was none, its place; on free
/// axes where it is now.
/// @param targets  becomes vertex_count x 3, metres
/// @param capacity  how many vertices `targets` can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer, an affine body: pbs_body_target_pose),
/// PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_targets(const pbs_world *w, pbs_body b, double *targets,
                                    size_t capacity);

/// The affine map from the body's own coordinates X to those of the world, x = matrix X + position,
/// stretch and shear included: what a renderer needs for the body's mesh, or for a finer one.
/// @param position  becomes 3 numbers, metres; may be null
/// @param matrix  becomes 3 x 3 numbers, row-major; may be null
/// @return PBS_ERROR_ARGUMENT (w is null, the body is not affine), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_transform(const pbs_world *w, pbs_body b, double position[3],
                                      double matrix[9]);

/// The rigid motion nearest to pbs_body_transform, with the same centre of mass.
/// @param position  becomes 3 numbers, metres: where the origin of the body's own coordinates is;
/// may be null
/// @param orientation  becomes a unit quaternion x, y, z, w, w >= 0; may be null
/// @return as pbs_body_transform
PBS_API pbs_status pbs_body_pose(const pbs_world *w, pbs_body b, double position[3],
                                 double orientation[4]);

/// Places an affine body, without strain. It keeps its velocity and its angular velocity. A pinned
/// body stays pinned, at its new place; a pending target is dropped. The scheme's history of
/// earlier steps is discarded.
/// @param position  3, metres: of the origin of the body's own coordinates
/// @param orientation  unit quaternion x, y, z, w; of norm 1 within 1e-6
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite, a quaternion that is
/// not unit, the body is not affine), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_pose(pbs_world *w, pbs_body b, const double position[3],
                                     const double orientation[4]);

/// Prescribes the motion of an affine body: it is pinned, is at this pose at the end of the next
/// step (for pbs_world_advance: of the advance), and stays there. Its vertices move on straight
/// lines, so turns of a quarter of a circle and more need several steps: half a turn at once would
/// flatten it.
/// @return as pbs_body_set_pose
PBS_API pbs_status pbs_body_set_target_pose(pbs_world *w, pbs_body b, const double position[3],
                                            const double orientation[4]);

/// Where an affine body is to be at the end of the next step: the pose of pbs_body_set_target_pose
/// where that is not reached yet, otherwise that of pbs_body_pose.
/// @param position  becomes 3 numbers, metres; may be null
/// @param orientation  becomes a unit quaternion x, y, z, w, w >= 0; may be null
/// @return as pbs_body_transform
PBS_API pbs_status pbs_body_target_pose(const pbs_world *w, pbs_body b, double position[3],
                                        double orientation[4]);

/// Contact settings of a body. With PBS_CONTACT_PROJECTION they apply to penalties alone
/// (PBS_BODY_CONTACT_PENALTY, PBS_COLLISION_PENALTY).
typedef struct pbs_contact_desc {
    uint32_t struct_size;   ///< set by pbs_contact_desc_init
    int32_t touches_itself; ///< 1: contact acts between parts of the body's own surface, but never
                            ///< on an affine body's
    double friction; ///< Coulomb coefficient, >= 0; between two bodies the larger coefficient
                     ///< applies, unless pbs_world_set_friction says otherwise
    double offset;   ///< m, >= 0: with barriers the contact surface lies that far outside the
                     ///< triangles (half the thickness of a shell)
    uint32_t group;  ///< bits: the groups that the body is in
    uint32_t mask; ///< bits: the groups that it touches. Two bodies touch if the mask of each has a
                   ///< bit of the other's group
    uint32_t surface_material; ///< below PBS_SURFACE_MATERIALS: row of pbs_world_set_friction
    uint32_t reserved;         ///< must be 0
    // For particles of bonded bodies; between two particles the larger coefficient applies:
    double rolling_friction;  ///< >= 0: a moment of up to rolling_friction * normal force * radius
                              ///< resists rolling; the radius of two spheres is r1 r2 / (r1 + r2)
    double spinning_friction; ///< >= 0: likewise, about the normal
    double penalty_stiffness; ///< Pa, >= 0: k of penalties on depth; between two bodies the
                              ///< harmonic mean applies. 0: the default, which is Young's modulus
                              ///< of the body's stiffest material, the stiffness of an affine body,
                              ///< or the largest stiffness over length of springs. A body with a
                              ///< host's energy, and one of particles without springs or with
                              ///< springs of no length alone, has no default: with 0 penalties do
                              ///< not act on it (bodies_without_contact of pbs_scene_stats)
} pbs_contact_desc;

/// Fills *d: touches everything, itself included; no friction, no offset, group 1,
/// surface material 0.
/// @param struct_size  sizeof(pbs_contact_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_contact_desc_init(pbs_contact_desc *d, size_t struct_size);

/// Sets how the body touches from the next step on. Without this call it has the settings of
/// pbs_contact_desc_init. Copied.
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite or negative, a
/// surface_material that is not below PBS_SURFACE_MATERIALS), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_contact(pbs_world *w, pbs_body b, const pbs_contact_desc *d);

/// How the body touches: what pbs_body_set_contact has set, or the defaults.
/// @param out  struct_size set by the caller, as pbs_contact_desc_init does
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_contact_settings(const pbs_world *w, pbs_body b, pbs_contact_desc *out);

/// What the rows of a channel belong to, and which call counts and lists them.
typedef enum pbs_item {
    PBS_ITEM_VERTEX = 0,   ///< pbs_body_vertex_count; of bonded and peridynamic bodies, particles
    PBS_ITEM_TET = 1,      ///< pbs_body_tets
    PBS_ITEM_TRIANGLE = 2, ///< pbs_body_surface
    PBS_ITEM_SPRING = 3,   ///< pbs_body_springs
    PBS_ITEM_BOND = 4      ///< pbs_body_bonds
} pbs_item;

/// What pbs_body_read_f32 and pbs_body_read_f64 read: a row of numbers for each vertex, element or
/// bond of a body. The first number in each comment below is the length of a row.
typedef enum pbs_channel {
    // By vertex, of all bodies:
    PBS_CHANNEL_POSITION = 0,      ///< 3: metres
    PBS_CHANNEL_VELOCITY = 1,      ///< 3: m/s
    PBS_CHANNEL_NORMAL = 2,        ///< 3: unit, outward (of a shell: to its front), area weighted;
                                   ///< zero off the surface
    PBS_CHANNEL_CONTACT_FORCE = 3, ///< 3: N, of all contacts on the vertex in the last step (mean
                                   ///< of its stages), without friction; zero without contact
    // By particle:
    PBS_CHANNEL_ORIENTATION = 4,      ///< 4: of bonded bodies, as pbs_body_orientations
    PBS_CHANNEL_ANGULAR_VELOCITY = 5, ///< 3: rad/s, likewise, as pbs_body_angular_velocities
    PBS_CHANNEL_DAMAGE = 6,           ///< 1: 0 to 1, of bodies with bonds, as pbs_body_damage
    // By tetrahedron of a solid or triangle of a shell:
    PBS_CHANNEL_STRESS = 7,         ///< 9: Pa, as pbs_body_element_stress
    PBS_CHANNEL_VON_MISES = 8,      ///< 1: Pa, sqrt(3/2 s : s) with the deviator s of that stress
    PBS_CHANNEL_PLASTIC_STRAIN = 9, ///< 1: of solids, as pbs_body_element_plastic_strain
    // By spring:
    PBS_CHANNEL_SPRING_STRAIN = 10, ///< 1: as pbs_body_spring_strains
    // By bond, as the members of pbs_bond_load:
    PBS_CHANNEL_BOND_LOAD = 11,    ///< 4: normal, N; shear, N; torsion, N m; bending, N m
    PBS_CHANNEL_BOND_STRESS = 12,  ///< 2: normal_stress, Pa; shear_stress, Pa
    PBS_CHANNEL_BOND_STRETCH = 13, ///< 1: stretch
    // By bond:
    PBS_CHANNEL_BOND_BROKEN = 14,     ///< 1: 0, 1 or 2, as pbs_body_broken
    PBS_CHANNEL_BOND_STRENGTH = 15,   ///< 2: Pa, of bonded bodies, as pbs_body_tensile_strengths
                                      ///< and pbs_body_shear_strengths
    PBS_CHANNEL_CRITICAL_STRETCH = 16 ///< 1: of peridynamic bodies, as pbs_body_critical_stretches
} pbs_channel;

/// The shape of a channel, for buffers and for wrappers that need not know each one.
/// @param channel  pbs_channel
/// @param item  becomes what its rows belong to, pbs_item
/// @param width  becomes how many numbers a row has, 9 at most
/// @param count  becomes how many rows the body has, the same until it is destroyed
/// @return PBS_ERROR_ARGUMENT (a null pointer, an unknown channel, one that bodies of this kind do
/// not have), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_channel(const pbs_world *w, pbs_body b, int32_t channel, int32_t *item,
                                    size_t *width, size_t *count);

/// Copies one channel in single precision into the host's buffer, such as a vertex buffer; row i
/// starts stride_bytes * i bytes after dst, and the bytes between rows are not touched. Numbers
/// beyond the range of floats become infinite. If the call fails, nothing is written.
/// @param channel  pbs_channel
/// @param dst  width x 4 bytes of each row are written (pbs_body_channel)
/// @param stride_bytes  a multiple of 4, at least 4 * width, at most 2^30
/// @param capacity  how many rows dst can hold; as many are written as the body has items
/// @return PBS_ERROR_ARGUMENT (a null pointer, dst not aligned to 4 bytes, an unknown channel, one
/// that bodies of this kind do not have, a stride_bytes that is too small or no multiple of 4),
/// PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                                     size_t stride_bytes, size_t capacity);

/// The same in double precision: dst is aligned to 8 bytes, and stride_bytes is a multiple of 8, at
/// least 8 * width.
PBS_API pbs_status pbs_body_read_f64(const pbs_world *w, pbs_body b, int32_t channel, double *dst,
                                     size_t stride_bytes, size_t capacity);

/// The constraint forces on pinned and scripted vertices, as a testing machine reads them: on each
/// constrained axis the force that balances elasticity, gravity, pressure, barriers, joints with
/// their dampers, wind, a host's energies and its forces (pbs_body_set_forces) at the present
/// state; 0 on free axes. In equilibrium (PBS_SCHEME_QUASI_STATIC) these are the complete
/// constraint forces. In motion, the inertia of constrained vertices and the damping of bodies are
/// left out. Friction on these vertices is always left out; pbs_body_contact_force includes it.
/// @param forces  becomes vertex_count x 3, N
/// @param moments  becomes vertex_count x 3, N m: the constraint moments on pinned orientations of
/// bonded particles, 0 of all others; may be null
/// @param capacity  how many vertices the arrays can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer, an affine body), PBS_ERROR_CAPACITY,
/// PBS_ERROR_HANDLE, PBS_ERROR_MEMORY, PBS_ERROR_INADMISSIBLE (an element of infinite energy, in a
/// state that the host has set), PBS_ERROR_HOST, PBS_ERROR_MISSING_CALLBACK
/// @see docs/integrators.md, Statics
PBS_API pbs_status pbs_body_constraint_forces(const pbs_world *w, pbs_body b, double *forces,
                                              double *moments, size_t capacity);

/// The elastic Cauchy stress of each tetrahedron of a solid, or each triangle of a shell, at the
/// present positions, without damping: 3 x 3, row-major, axes of the world, Pa, tension positive.
/// The stress of a shell is that of its membrane in the plane of the triangle, without bending: the
/// force per present length, divided by the thickness in the description. Not a number in a
/// tetrahedron that is flat or inverted, where det F <= 0, and in a triangle without area. Of a
/// solid that flows plastically, F is the elastic part of the deformation. Nothing is written for
/// other bodies.
/// @param dst  tet_count x 9, or triangle_count x 9
/// @param capacity  how many elements dst can hold (pbs_body_tet_count, pbs_body_surface)
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
/// @see sigma = P F^T / det F, P the first Piola stress of the papers that pbs_material names; of
/// shells docs/theory/shells.md section 7
PBS_API pbs_status pbs_body_element_stress(const pbs_world *w, pbs_body b, double *dst,
                                           size_t capacity);

/// The accumulated plastic strain of each tetrahedron: the integral of the rate sqrt(2/3) |D|, D
/// the plastic part of the rate of strain. In uniaxial tension that is the logarithmic plastic
/// strain. 0 where nothing has flowed. Nothing is written for a body that is not a solid.
/// @param dst  tet_count
/// @param capacity  how many tetrahedra dst can hold (pbs_body_tet_count)
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
/// @see docs/theory/plasticity.md section 2
PBS_API pbs_status pbs_body_element_plastic_strain(const pbs_world *w, pbs_body b, double *dst,
                                                   size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
