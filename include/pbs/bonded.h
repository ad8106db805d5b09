// libpbs: bonded bodies, particles with orientation that short beams join, and what bodies break
// into. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_BONDED_H
#define PBS_BONDED_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The shear energy of a bond as a function of the angle theta between its direction and the rest
/// direction, turned with each of its particles.
typedef enum pbs_bond_shear {
    PBS_BOND_SHEAR_CHORD = 0, ///< proportional to 2 (1 - cos theta), the square of a chord
    PBS_BOND_SHEAR_ANGLE = 1  ///< proportional to theta^2
} pbs_bond_shear;

/// Spheres joined by bonds, each a round beam that resists stretching, shear, bending and torsion.
/// All bonds are at rest in the given positions. A particle is a vertex of the body. Its
/// orientation, a unit quaternion, is (0, 0, 0, 1) at first. The arrays are read during the call
/// only.
typedef struct pbs_bonded_desc {
    uint32_t struct_size; ///< set by pbs_bonded_desc_init
    int32_t no_gravity;   ///< 1: gravity does not act on this body
    size_t particle_count;
    const double *positions;          ///< particle_count x 3, metres
    const double *velocities;         ///< null (at rest), or particle_count x 3, m/s
    const double *angular_velocities; ///< null (none), or particle_count x 3, rad/s, axes of the
                                      ///< world
    const double *radii;   ///< particle_count, metres, > 0: a particle's moment of inertia is 2/5
                           ///< mass radius^2 about any axis
    const double *masses;  ///< null (spheres of density), or particle_count, kg, > 0
    size_t bond_count;     ///< 0: free particles
    const uint32_t *bonds; ///< bond_count x 2 particles, distinct within a bond and not at one
                           ///< place
    double density;        ///< kg/m^3, > 0
    double bond_radius;    ///< metres, > 0: of the cross-section of all bonds
    double young;          ///< Pa, > 0: for stretching and bending
    double shear_modulus;  ///< Pa, > 0: for shear and torsion
    double shear_factor;   ///< > 0: shear area over area of the cross-section
    double drag;           ///< mass drag, 1/s, >= 0, also of spin
    const double *bond_radii;        ///< null, or bond_count values in place of bond_radius
    const double *bond_young;        ///< null, or bond_count values in place of young
    const double *bond_shear_moduli; ///< null, or bond_count values in place of shear_modulus
    int32_t shear;                   ///< pbs_bond_shear
    int32_t reserved;                ///< 0
    size_t vertex_count;             ///< of tets
    const double *vertices;          ///< null, or vertex_count x 3, metres
    size_t tet_count;
    /// Null; or tet_count x 4 vertex indices as in pbs_solid_desc, in place of particles and bonds.
    /// Each tetrahedron is a particle, a sphere of its volume at its centroid; each face between
    /// two is a bond, a beam with that cross-section. particle_count is tet_count or 0; positions,
    /// radii, masses, bonds and bond_* are null.
    const uint32_t *tets;
    double macro_young;   ///< 0 (young and shear_modulus are those of bonds), or with tets, Pa:
                          ///< Young's modulus of the body as a whole
    double macro_poisson; ///< with macro_young, 0 to 0.42: Poisson's ratio of the body as a whole
    double tensile_strength; ///< Pa, >= 0: a bond breaks above that normal_stress (pbs_bond_load);
                             ///< 0: never. Compression is negative and breaks no bond
    double shear_strength;   ///< Pa, >= 0: likewise of shear_stress; 0: never
    const double *bond_tensile_strengths; ///< null, or bond_count values in place of
                                          ///< tensile_strength
    const double *bond_shear_strengths;   ///< null, or bond_count values in place of shear_strength
    // With PBS_CONTACT_BARRIER and PBS_CONTACT_PENALTY particles touch as spheres of contact radii,
    // which are not those of their inertia, enlarged by pbs_contact_desc.offset:
    /// > 0: contact radii over `radii` (of tets, over the radius of a sphere of the same volume).
    /// 0: automatic, such that no two particles touch at first. Contact radii are then `radii`, but
    /// no more than 0.45 of the distance to a particle that is bonded to it, or to a common
    /// neighbour; of tets 0.9 of the largest sphere about the centroid that lies inside, and less
    /// in slivers.
    double contact_scale;
    const double *contact_radii; ///< null; or particle_count (of tets, tet_count), metres, >= 0, in
                                 ///< place of contact_scale; 0: a point
    double fracture_energy; ///< J/m^2, >= 0, in place of strengths: the energy of each square metre
                            ///< of crack. The strengths of a bond of length l are then
                            ///< sqrt(2 young fracture_energy / l) in tension and
                            ///< sqrt(2 shear_modulus fracture_energy / l) in shear
    const double *bond_fracture_energies; ///< null, or bond_count values in place of
                                          ///< fracture_energy
    double weibull_modulus; ///< 0 (no scatter), or 1 to 1e6: strengths have Weibull's distribution
                            ///< with this modulus about the same means, as flaws give them; glass
                            ///< and concrete have 5 to 20
    uint64_t seed;          ///< of the scatter: the same seed gives the same strengths
    double damping; ///< s, >= 0: along each bond acts a dashpot of damping times its stiffness in
                    ///< stretching, which conserves momenta and leaves rigid motions alone. A
                    ///< vibration of stretch of w radians per second has the damping ratio damping
                    ///< w / 2. The shear, the bending and the torsion of a bond itself are not
                    ///< damped
} pbs_bonded_desc;

/// Fills *d: density 1000, young 1e7, shear_modulus 4e6, shear_factor 1, bond_radius 0 (to be set),
/// shear by the chord, no drag, no particles.
/// @param struct_size  sizeof(pbs_bonded_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_bonded_desc_init(pbs_bonded_desc *d, size_t struct_size);

/// The moduli of bonds between tetrahedra that give the body as a whole the wanted ones. They are
/// interpolated in a table of stretched blocks of body-centred cubic tetrahedra, 6 x 6 x 12 cells;
/// larger blocks are up to a tenth softer, smaller ones stiffer.
/// @param macro_young  Pa, > 0
/// @param macro_poisson  0 to 0.42
/// @param young  becomes that of the bonds, Pa
/// @param shear_modulus  becomes that of the bonds, Pa
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number out of its range)
/// @see docs/theory/bonds.md section 3
PBS_API pbs_status pbs_bonded_moduli(double macro_young, double macro_poisson, double *young,
                                     double *shear_modulus);

/// Adds particles and bonds. Copies all its input. The body exists until pbs_body_destroy or the
/// end of the world. A bond whose stress is above its strength at the end of a step breaks, for
/// good (pbs_world_broken_bonds). Particles touch as spheres all that no bond joins them to, and
/// friction turns them. Where spheres of a body overlap that no bond joins, the first step says so.
/// PBS_SCHEME_ENERGY_BLENDING does not move bonded bodies. Of the other schemes BDF2 and TR-BDF2
/// keep most of their spin and damp what is too stiff for the step; in impacts shorter than the
/// step they lose energy, on average (docs/integrators.md).
/// @param out  its id; written only on success
/// @return PBS_WEAK_BONDS (done; under gravity, a column of its material as high as the body weighs
/// more than its strongest bond carries; both are in the message), PBS_ERROR_MESH (a bond to a
/// missing particle, of a particle with itself, or without length; an inverted or flat tetrahedron,
/// a face of more than two; which one is in the message), PBS_ERROR_ARGUMENT (a null pointer; a
/// number that is not finite or out of its range, as the radius of a section is where it is 0; more
/// particles than a world can have; a scheme that blends states), PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_MEMORY
/// @see docs/theory/bonds.md; BDEM section 4.2
PBS_API pbs_status pbs_body_create_bonded(pbs_world *w, const pbs_bonded_desc *d, pbs_body *out);

/// The orientations of the particles: particle_count x 4, unit quaternions x, y, z, w. A quaternion
/// and its negative are the same orientation; the sign does not jump while the body moves.
/// Otherwise as pbs_body_positions; null for a body that is not bonded.
PBS_API const double *pbs_body_orientations(const pbs_world *w, pbs_body b);

/// The angular velocities of the particles: particle_count x 3, rad/s, axes of the world; otherwise
/// as pbs_body_orientations.
PBS_API const double *pbs_body_angular_velocities(const pbs_world *w, pbs_body b);

/// The particles that a body's bonds join, as they were given or as tetrahedra made them.
/// @param pairs  becomes bond_count x 2 indices of particles, the world's, valid until the body is
/// destroyed or the world restored; null for a body without bonds
/// @return PBS_ERROR_ARGUMENT (a null pointer, a body without bonds),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_bonds(const pbs_world *w, pbs_body b, const uint32_t **pairs,
                                  size_t *bond_count);

/// The normal stress at which each bond breaks, as it was given or follows from fracture_energy,
/// scatter included: bond_count values, Pa, infinite for a bond that never breaks; the world's own
/// array, as that of pbs_body_bonds. Null for a body that is not bonded or has no bonds.
PBS_API const double *pbs_body_tensile_strengths(const pbs_world *w, pbs_body b);

/// Likewise the shear stress.
PBS_API const double *pbs_body_shear_strengths(const pbs_world *w, pbs_body b);

/// Forces, moments and stresses at the middle of a bond. Stresses are those of a round beam: normal
/// / area + bending radius / I, where the tension is largest, and shear / area + |torsion| radius /
/// J.
typedef struct pbs_bond_load {
    double normal;        ///< N, tension positive
    double shear;         ///< N
    double torsion;       ///< N m, signed about the bond's direction
    double bending;       ///< N m
    double normal_stress; ///< Pa, tension positive
    double shear_stress;  ///< Pa
    double stretch;       ///< the strain (l - l0) / l0
} pbs_bond_load;

/// Forces, moments and stresses of all bonds in the present state.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_bond_load) as the caller was compiled: bond i starts struct_size
/// * i bytes after dst
/// @param count  how many dst can hold on entry; how many were written, or are needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null, a body without bonds),
/// PBS_ERROR_STRUCT_SIZE (not one that this library knows), PBS_ERROR_CAPACITY (*count is what is
/// needed), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_bond_loads(const pbs_world *w, pbs_body b, pbs_bond_load *dst,
                                       size_t struct_size, size_t *count);

/// Which bonds are broken: bond_count bytes, 0 for an intact bond, 1 for one that broke, 2 for one
/// that the host broke; the world's own array, as that of pbs_body_positions. Null for a body
/// without bonds.
PBS_API const uint8_t *pbs_body_broken(const pbs_world *w, pbs_body b);

/// Breaks bonds, as a cut does. Bonds that are broken stay so. The energy that was stored in the
/// others counts as external work.
/// @param bonds  count indices of bonds of the body; copied; may be null where count is 0
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index out of range, a body without bonds),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_break_bonds(pbs_world *w, pbs_body b, const uint32_t *bonds,
                                        size_t count);

/// Breaks the bonds between particles that are now on different sides of a plane; otherwise as
/// pbs_body_break_bonds.
/// @param point  of the plane, metres
/// @param normal  of any length but 0
/// @param cut  null, or becomes how many intact bonds it broke
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite, a normal of length 0, a
/// body without bonds), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_cut_plane(pbs_world *w, pbs_body b, const double point[3],
                                      const double normal[3], size_t *cut);

/// Breaks the bonds whose segment from particle to particle now meets one of the triangles,
/// touching included, by exact arithmetic; otherwise as pbs_body_break_bonds. It takes time in
/// proportion to bonds times triangles.
/// @param corners  triangle_count x 9, metres; read during the call only
/// @param cut  null, or becomes how many intact bonds it broke
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite, a body without
/// bonds), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_cut_triangles(pbs_world *w, pbs_body b, const double *corners,
                                          size_t triangle_count, size_t *cut);

/// A bond that broke in a step.
typedef struct pbs_broken_bond {
    pbs_body body;
    uint32_t bond;        ///< in the order of pbs_body_bonds
    uint32_t reserved;    ///< 0
    double time;          ///< s: the end of the step, or of the part of a divided one
    double normal_stress; ///< Pa, at that time; with fracture_passes at the end of the pass
    double shear_stress;  ///< Pa, likewise
    double energy;  ///< J, of the bond, which is dissipated (pbs_energy); of a bond that broke
                    ///< in a pass of fracture_passes but the last, at the start of the step
    double stretch; ///< the strain, in the same state as the stresses
} pbs_broken_bond;

/// The bonds that broke in the last pbs_world_step or pbs_world_advance that landed, in the order
/// of time, bodies and bonds; with fracture_passes those of each pass before those of the next.
/// None before the first step, and after a restore. Stresses are compared with strengths at the end
/// of a step, of each step of an advance and of each part of a divided one, of all bonds before any
/// breaks.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_broken_bond) as the caller was compiled: row i starts struct_size
/// * i bytes after dst
/// @param count  how many dst can hold on entry; how many were written, or are needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null), PBS_ERROR_STRUCT_SIZE (not one that this
/// library knows), PBS_ERROR_CAPACITY (*count is what is needed)
PBS_API pbs_status pbs_world_broken_bonds(const pbs_world *w, pbs_broken_bond *dst,
                                          size_t struct_size, size_t *count);

/// A connected component of the particles and intact bonds of a body, after the last call that
/// broke some.
typedef struct pbs_fragment {
    uint32_t parent;       ///< the fragment that it broke off; itself where it was there at first
    uint32_t reserved;     ///< 0
    size_t particle_count; ///< > 0
    double mass;           ///< kg
    double center[3];      ///< of mass, metres
    double velocity[3];    ///< m/s: momentum over mass
    double angular_velocity[3]; ///< rad/s: that of a rigid body with its angular momentum
    double inertia[9]; ///< kg m^2, about the centre in axes of the world, row-major, with that of
                       ///< the spheres themselves
} pbs_fragment;

/// The fragments of a body, whose numbers are stable. Where one breaks up, the part with the most
/// particles (of equal ones that with the first particle) keeps the number. The others get the next
/// numbers, in the order of the fragments that broke up and of first particles. So every number
/// below the count belongs to a fragment.
/// @param dst  null: only *count is set
/// @param struct_size  sizeof(pbs_fragment) as the caller was compiled: fragment i starts
/// struct_size * i bytes after dst
/// @param count  how many dst can hold on entry; how many were written, or are needed, on return
/// @return PBS_ERROR_ARGUMENT (w or count is null, a body without bonds),
/// PBS_ERROR_STRUCT_SIZE (not one that this library knows), PBS_ERROR_CAPACITY (*count is what is
/// needed), PBS_ERROR_HANDLE
/// @see docs/theory/bonds.md section 5.1
PBS_API pbs_status pbs_body_fragments(const pbs_world *w, pbs_body b, pbs_fragment *dst,
                                      size_t struct_size, size_t *count);

/// Which fragment each particle belongs to: particle_count numbers; the world's own array, as that
/// of pbs_body_positions. Null for a body without bonds.
PBS_API const uint32_t *pbs_body_particle_fragments(const pbs_world *w, pbs_body b);

/// Damage, the part of each particle's bonds that broke, 0 to 1: particle_count numbers; the
/// world's own array, as that of pbs_body_positions. Bonds that the host broke are left out, so
/// that damage is 0 after a cut. In a body of tetrahedra it is about a quarter at a face of a
/// crack. Null for a body without bonds.
PBS_API const float *pbs_body_damage(const pbs_world *w, pbs_body b);

/// The surface of a body that was made of tetrahedra, with the faces where bonds are broken; it is
/// closed around each fragment, and changes where bonds break. Arrays are the world's, valid until
/// the next call that changes it.
typedef struct pbs_fracture_surface {
    uint32_t struct_size;      ///< set by the caller
    uint32_t reserved;         ///< 0
    size_t vertex_count;       ///< those of triangles: pbs_body_read_fracture_surface
    size_t triangle_count;     ///< 0 for a body that was not made of tetrahedra
    const uint32_t *triangles; ///< triangle_count x 3 vertices, outward
    const uint32_t *origins;   ///< triangle_count x 3: the vertex of the description that each
                               ///< corner comes from, for textures
    const uint32_t *particles; ///< triangle_count: the tetrahedron that each is a face of
    const uint8_t *cracked; ///< triangle_count: 1 on both faces of a crack, where a bond broke; 0
                            ///< on the surface that the body always had
} pbs_fracture_surface;

/// The present surface of a body that may break.
/// @param out  its struct_size must be set
/// @return PBS_ERROR_ARGUMENT (a null pointer, a body without bonds),
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_HANDLE
/// @see docs/theory/bonds.md section 5.2
PBS_API pbs_status pbs_body_fracture_surface(const pbs_world *w, pbs_body b,
                                             pbs_fracture_surface *out);

/// Copies a channel of that surface's vertices, otherwise as pbs_body_read_f32.
/// @param channel  PBS_CHANNEL_POSITION, PBS_CHANNEL_VELOCITY or PBS_CHANNEL_NORMAL; normals are
/// those of the triangles about a vertex, area weighted
/// @param capacity  how many vertices dst can hold; vertex_count are written
/// @return PBS_ERROR_ARGUMENT (a null pointer, dst not aligned to 4 bytes, another channel, stride,
/// a body without bonds), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_read_fracture_surface(const pbs_world *w, pbs_body b, int32_t channel,
                                                  float *dst, size_t stride_bytes, size_t capacity);

/// Replaces all orientations. A bond is at rest where both of its particles have turned by as much
/// as its direction since creation. Pinned orientations stay pinned, at their new values; pending
/// targets are dropped. What the scheme remembers of earlier steps is forgotten.
/// @param xyzw  particle_count x 4, of norm 1 within 1e-6 and either sign; copied
/// @param particle_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (a null pointer, another count, a quaternion that is not unit, a body
/// that is not bonded), PBS_ERROR_HANDLE, PBS_ERROR_MEMORY
PBS_API pbs_status pbs_body_set_orientations(pbs_world *w, pbs_body b, const double *xyzw,
                                             size_t particle_count);

/// Replaces all angular velocities. What the scheme remembers of earlier steps is forgotten.
/// @param xyz  particle_count x 3, rad/s; copied
/// @param particle_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (a null pointer, another count, a number that is not finite, a body
/// that is not bonded), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_angular_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                                   size_t particle_count);

/// Constrains orientations of particles to what they are now, until unpinned; with pbs_body_pin of
/// the same particles that is a clamp. pbs_body_pin_all constrains them too.
/// @param particles  count indices of particles of the body; copied; may be null where count is 0
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index out of range, a body that is not bonded),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pin_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                             size_t count);

/// Frees orientations; otherwise as pbs_body_pin_orientations.
PBS_API pbs_status pbs_body_unpin_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                               size_t count);

/// Prescribes the motion of orientations: they are pinned, turn about a fixed axis at constant
/// speed by the shorter way, and are these at the end of the next step (for pbs_world_advance: of
/// the advance).
/// @param particles  count indices of particles of the body; copied; may be null where count is 0
/// @param xyzw  count x 4, of norm 1 within 1e-6; copied
/// @return as pbs_body_pin_orientations; PBS_ERROR_ARGUMENT for a quaternion that is not unit
PBS_API pbs_status pbs_body_set_target_orientations(pbs_world *w, pbs_body b,
                                                    const uint32_t *particles, size_t count,
                                                    const double *xyzw);

/// Which orientations are pinned, by whatever call.
/// @param pinned  becomes particle_count values: 1, or 0 where the orientation is free
/// @param capacity  how many particles `pinned` can hold
/// @return PBS_ERROR_ARGUMENT (a null pointer, a body that is not bonded), PBS_ERROR_CAPACITY,
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pinned_orientations(const pbs_world *w, pbs_body b, uint8_t *pinned,
                                                size_t capacity);

/// What the orientations are to be at the end of the next step: the targets of pinned ones where
/// these are not reached yet, otherwise what they are now.
/// @param xyzw  becomes particle_count x 4, unit quaternions of either sign
/// @param capacity  how many particles `xyzw` can hold
/// @return as pbs_body_pinned_orientations
PBS_API pbs_status pbs_body_target_orientations(const pbs_world *w, pbs_body b, double *xyzw,
                                                size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
