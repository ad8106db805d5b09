// libpbs: bodies, what is simulated. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_BODY_H
#define PBS_BODY_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Hyperelastic materials. All take the small-strain Young modulus and Poisson ratio.
enum {
    PBS_MATERIAL_FIXED_COROTATED = 0, ///< Stomakhin et al. 2012, eq. 8; finite under inversion
    PBS_MATERIAL_NEO_HOOKEAN = 1, ///< with logarithm; infinite at det F <= 0, so no element ever
                                  ///< inverts
    PBS_MATERIAL_STABLE_NEO_HOOKEAN = 2, ///< Smith, de Goes, Kim 2018, eq. 14; finite under
                                         ///< inversion
    PBS_MATERIAL_ST_VENANT_KIRCHHOFF = 3 ///< for small strains: it gives way under strong
                                         ///< compression
};

/// A deformable solid of linear tetrahedra. The arrays are read during the call only.
typedef struct pbs_solid_desc {
    uint32_t struct_size; ///< set by pbs_solid_desc_init
    int32_t material;     ///< PBS_MATERIAL_*
    size_t vertex_count;
    const double *positions; ///< vertex_count x 3, metres: the rest shape, and the initial one
    size_t tet_count;
    const uint32_t *tets;      ///< tet_count x 4, det(b - a, c - a, d - a) > 0
    double density;            ///< kg/m^3, > 0
    double young;              ///< Pa, > 0
    double poisson;            ///< in (-1, 0.5)
    double damping;            ///< Rayleigh stiffness damping, seconds, >= 0 (OPT section 4.2)
    double drag;               ///< mass drag, 1/s, >= 0
    const double *tet_density; ///< null, or tet_count values that take the place of density
    const double *tet_young;   ///< null, or tet_count values that take the place of young
    const double *tet_poisson; ///< null, or tet_count values that take the place of poisson
    const double *initial_positions;  ///< null (the rest shape), or vertex_count x 3, metres
    const double *initial_velocities; ///< null (at rest), or vertex_count x 3, m/s
} pbs_solid_desc;

/// Fills *d: stable Neo-Hookean, density 1000, young 1e5, poisson 0.3, no damping, no mesh.
/// @param struct_size  sizeof(pbs_solid_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_solid_desc_init(pbs_solid_desc *d, size_t struct_size);

/// Adds a deformable solid with masses lumped at the vertices. Copies all its input; the body is
/// the world's, until pbs_body_destroy or the end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a wrong index, an inverted or flat tetrahedron, an unused vertex; which
/// one is in the message), PBS_ERROR_ARGUMENT (a null pointer; a number that is not finite or out
/// of its range; more vertices than a world can have), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see OPT section 4.1
PBS_API pbs_status pbs_body_create_solid(pbs_world *w, const pbs_solid_desc *d, pbs_body *out);

/// One evaluation of a host's energy: of stencil `stencil`, whose nodes are at x (width x 3,
/// metres), a function of x alone. Write *value (J), gradient (width * 3, N) and hessian ((width *
/// 3)^2, row-major, N/m) where these are not null. The Hessian must be the exact one; where
/// `project` is nonzero it may be made positive semidefinite, otherwise the library does that. x
/// and the outputs are valid during the call only; the callback must not call into the world that
/// called it.
/// @return 0: ok. > 0: this state is not admissible, shorten the step; a result that is not finite
/// says the same. < 0: stop, the call into the library fails with PBS_ERROR_HOST.
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
    void *user;               ///< handed to evaluate; must live as long as the body
    int32_t concurrent; ///< 0: evaluate is called only on the thread that steps the world; 1: on
                        ///< any of its threads, at the same time
    int32_t no_gravity; ///< 1: gravity does not act on this body
    uint64_t tag;       ///< the host's name for evaluate and user, by which a restored world finds
                        ///< them again (pbs_world_register_callback); not 0
    double damping;     ///< s, stiffness-proportional Rayleigh damping: the force -damping H v, H
                        ///< the Hessian of evaluate at the start of the step (for schemes that
                        ///< can be of order 2 where the step is expected to lead), made positive
                        ///< semidefinite
} pbs_custom_desc;

/// Fills *d with width 2 and nothing else.
/// @param struct_size  sizeof(pbs_custom_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_custom_desc_init(pbs_custom_desc *d, size_t struct_size);

/// Adds particles moved by an energy of the host's own: the sum of evaluate over all stencils.
/// Copies its input; the body is the world's, until pbs_body_destroy or the end of the world.
/// @param out  its id; written only on success
/// @return PBS_ERROR_MESH (a stencil's wrong or repeated index; which one is in the message),
/// PBS_ERROR_ARGUMENT (a null pointer; a number that is not finite or out of its range; more
/// vertices than a world can have), PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see docs/architecture.md, eq. (1): a host's energy is one of the P_k
PBS_API pbs_status pbs_body_create_custom(pbs_world *w, const pbs_custom_desc *d, pbs_body *out);

/// Gives the callback named `tag` to the custom bodies of this world that carry this tag, and to
/// those that a later pbs_world_restore brings back: restored bodies have none until their tag is
/// registered, before or after the restore. Registering a tag again replaces what it named.
/// Creating a body registers nothing.
/// @param user  handed to evaluate; must live as long as the world
/// @return PBS_ERROR_ARGUMENT (w or evaluate is null, tag is 0), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_register_callback(pbs_world *w, uint64_t tag, pbs_custom_fn evaluate,
                                               void *user);

/// Removes the body; its id is never valid again. A null id is fine.
/// @return PBS_ERROR_ARGUMENT (w is null), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_destroy(pbs_world *w, pbs_body b);

/// Whether the id names a body of this world that was not destroyed. False where w is null.
PBS_API bool pbs_body_is_valid(const pbs_world *w, pbs_body b);

/// How many vertices the body has; 0 for one that is not valid.
PBS_API size_t pbs_body_vertex_count(const pbs_world *w, pbs_body b);

/// How many tetrahedra the body has; 0 for custom bodies and for one that is not valid.
PBS_API size_t pbs_body_tet_count(const pbs_world *w, pbs_body b);

/// Where the vertices are: vertex_count x 3, metres, in the order in which they were given. The
/// world's own array: valid until the next call that takes this world without const, also where
/// that call fails. Null for a body that is not valid.
PBS_API const double *pbs_body_positions(const pbs_world *w, pbs_body b);

/// How the vertices move: vertex_count x 3, m/s; otherwise as pbs_body_positions.
PBS_API const double *pbs_body_velocities(const pbs_world *w, pbs_body b);

/// The lumped masses: vertex_count, kg; otherwise as pbs_body_positions.
PBS_API const double *pbs_body_masses(const pbs_world *w, pbs_body b);

/// The boundary triangles of a solid, outward.
/// @param indices  becomes triangle_count x 3 vertex indices, the world's, valid until the body is
/// destroyed or the world restored; null for a body without surface
/// @param triangle_count  becomes their number
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_surface(const pbs_world *w, pbs_body b, const uint32_t **indices,
                                    size_t *triangle_count);

/// Replaces all positions. Held vertices are held at their new places; targets that were pending
/// are dropped. What the scheme remembers of earlier steps is forgotten.
/// @param xyz  vertex_count x 3, metres; copied
/// @param vertex_count  must be the body's
/// @return PBS_ERROR_ARGUMENT (a null pointer, another count, a number that is not finite),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_positions(pbs_world *w, pbs_body b, const double *xyz,
                                          size_t vertex_count);

/// Replaces all velocities. What the scheme remembers of earlier steps is forgotten.
/// @param xyz  vertex_count x 3, m/s; copied
/// @param vertex_count  must be the body's
/// @return as pbs_body_set_positions
PBS_API pbs_status pbs_body_set_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                           size_t vertex_count);

/// Axes of the world, as bits.
enum { PBS_AXIS_X = 1, PBS_AXIS_Y = 2, PBS_AXIS_Z = 4, PBS_AXIS_ALL = 7 };

/// Holds axes of vertices where they are now, until unpinned. Other axes of these vertices stay as
/// they were. Where this holds an axis that was free, multi-step schemes start afresh.
/// @param vertices  count vertex indices of the body; copied; may be null where count is 0
/// @param axes  PBS_AXIS_* bits, not 0
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index out of range, unknown bits or none),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                uint32_t axes);

/// Lets axes of vertices go; otherwise as pbs_body_pin.
PBS_API pbs_status pbs_body_unpin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                  uint32_t axes);

/// Scripts vertices: at the end of the next step (for pbs_world_advance: at the end of the advance)
/// the pinned axes are at these positions, moving there at constant velocity, and stay there.
/// Vertices not pinned before are pinned on all axes.
/// @param vertices  count vertex indices of the body; copied; may be null where count is 0
/// @param targets  count x 3, metres; copied
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index out of range, a number that is not finite),
/// PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_targets(pbs_world *w, pbs_body b, const uint32_t *vertices,
                                        size_t count, const double *targets);

/// What pbs_body_read_f32 reads, three floats a vertex.
enum {
    PBS_CHANNEL_POSITION = 0,     ///< metres
    PBS_CHANNEL_VELOCITY = 1,     ///< m/s
    PBS_CHANNEL_NORMAL = 2,       ///< unit, outward, area weighted; zero off the surface
    PBS_CHANNEL_CONTACT_FORCE = 3 ///< newtons, of obstacles on the vertex at the end of the last
                                  ///< step (mean of its stages), frictionless part; zero without
                                  ///< contact
};

/// Copies one channel in single precision into the host's buffer, such as a vertex buffer; vertex i
/// starts stride_bytes * i bytes after dst, and the bytes between vertices are not touched.
/// @param channel  PBS_CHANNEL_*
/// @param stride_bytes  a multiple of 4, at least 12
/// @param capacity  how many vertices dst can hold; vertex_count are written
/// @return PBS_ERROR_ARGUMENT (a null pointer, dst not aligned to 4 bytes, unknown channel,
/// stride), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                                     size_t stride_bytes, size_t capacity);

/// The elastic Cauchy stress of each tetrahedron at the present positions, damping left out: 3 x 3,
/// row-major, Pa, tension positive. Not a number in a tetrahedron that is flat or inverted, which
/// has no volume that a force per area could belong to. Nothing is written for a custom body.
/// @param dst  tet_count x 9
/// @param capacity  how many tetrahedra dst can hold (pbs_body_tet_count)
/// @return PBS_ERROR_ARGUMENT (a null pointer), PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
/// @see sigma = P F^T / det F, P the first Piola stress of the papers that PBS_MATERIAL_* name
PBS_API pbs_status pbs_body_element_stress(const pbs_world *w, pbs_body b, double *dst,
                                           size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
