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

typedef struct pbs_solid_desc {
    uint32_t struct_size;
    int32_t material; ///< PBS_MATERIAL_*
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
/// @return PBS_ERROR_ARGUMENT (null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_solid_desc_init(pbs_solid_desc *d, size_t struct_size);

/// Adds a deformable solid made of linear tetrahedra with masses lumped at the vertices. Copies all
/// its input.
/// @return PBS_ERROR_MESH (index and reason in the message), PBS_ERROR_ARGUMENT,
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY Source: OPT section 4.1; DESIGN eq. (1).
PBS_API pbs_status pbs_body_create_solid(pbs_world *w, const pbs_solid_desc *d, pbs_body *out);

/// One evaluation of a host's energy: stencil `stencil`, its nodes' positions x (width x 3,
/// metres). Write *value (J), gradient (width * 3, N) and hessian (width * 3 squared, row-major,
/// N/m) where not null. The Hessian must be exact and symmetric; if `project` is nonzero it should
/// be positive semidefinite. Answer 0: ok. > 0: this state is not admissible, shorten the step. <
/// 0: stop, the step fails.
typedef int32_t (*pbs_custom_fn)(void *user, size_t stencil, const double *x, int32_t project,
                                 double *value, double *gradient, double *hessian);

typedef struct pbs_custom_desc {
    uint32_t struct_size;
    uint32_t width; ///< nodes per stencil, 1 to 8
    size_t vertex_count;
    const double *positions;  ///< vertex_count x 3, metres
    const double *velocities; ///< null (at rest), or vertex_count x 3, m/s
    const double *masses;     ///< vertex_count, kg, > 0
    size_t stencil_count;
    const uint32_t *stencils; ///< stencil_count x width vertex indices, distinct within a stencil
    pbs_custom_fn evaluate;
    void *user;
    int32_t concurrent; ///< 0: evaluate is called only on the thread that steps the world; 1: on
                        ///< any of its threads, at the same time
    int32_t no_gravity; ///< 1: gravity does not act on this body
    uint64_t tag;       ///< the host's name for this callback, by which it is found again after
                        ///< pbs_world_restore; not 0
} pbs_custom_desc;

/// Fills *d with width 2 and nothing else. @return PBS_ERROR_ARGUMENT (null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_custom_desc_init(pbs_custom_desc *d, size_t struct_size);

/// Adds particles moved by an energy of the host's own: the sum of evaluate over all stencils.
/// Copies its input; `user` must live as long as the body.
/// @return PBS_ERROR_MESH (stencil indices), PBS_ERROR_ARGUMENT, PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_MEMORY
PBS_API pbs_status pbs_body_create_custom(pbs_world *w, const pbs_custom_desc *d, pbs_body *out);

/// Gives the callback named `tag` to the custom bodies of this world that carry this tag, and to
/// those that a later pbs_world_restore brings back: restored bodies have none until their tag is
/// registered, before or after the restore.
/// @return PBS_ERROR_ARGUMENT (null, tag 0), PBS_ERROR_MEMORY
PBS_API pbs_status pbs_world_register_callback(pbs_world *w, uint64_t tag, pbs_custom_fn evaluate,
                                               void *user);

/// Removes the body; its id is never valid again. @return PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_destroy(pbs_world *w, pbs_body b);
/// Whether the id names a body of this world that was not destroyed.
PBS_API bool pbs_body_is_valid(const pbs_world *w, pbs_body b);

/// 0 for a body that is not valid.
PBS_API size_t pbs_body_vertex_count(const pbs_world *w, pbs_body b);
/// vertex_count x 3, metres; valid until the next call that changes the world. Null for a body that
/// is not valid.
PBS_API const double *pbs_body_positions(const pbs_world *w, pbs_body b);
/// vertex_count x 3, m/s; as above.
PBS_API const double *pbs_body_velocities(const pbs_world *w, pbs_body b);
/// vertex_count, kg; as above.
PBS_API const double *pbs_body_masses(const pbs_world *w, pbs_body b);
/// The boundary triangles of a solid, outward: *indices (null for a body without surface) has 3 per
/// triangle; valid until the body is destroyed.
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_surface(const pbs_world *w, pbs_body b, const uint32_t **indices,
                                    size_t *triangle_count);

/// Replaces all positions (metres) or velocities (m/s); vertex_count must be the body's.
/// Held vertices are held at their new places; targets that were pending are dropped.
/// @return PBS_ERROR_ARGUMENT (count, not finite), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_positions(pbs_world *w, pbs_body b, const double *xyz,
                                          size_t vertex_count);
PBS_API pbs_status pbs_body_set_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                           size_t vertex_count);

enum { PBS_AXIS_X = 1, PBS_AXIS_Y = 2, PBS_AXIS_Z = 4, PBS_AXIS_ALL = 7 };

/// Holds the axes (PBS_AXIS_* bits) of vertices where they are now, until unpinned. Other axes of
/// these vertices stay as they were.
/// @return PBS_ERROR_ARGUMENT (index out of range, unknown bits), PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_pin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                uint32_t axes);
PBS_API pbs_status pbs_body_unpin(pbs_world *w, pbs_body b, const uint32_t *vertices, size_t count,
                                  uint32_t axes);

/// Scripts vertices: at the end of the next step (for pbs_world_advance: at the end of the advance)
/// the pinned axes are at these positions, moving there at constant velocity. Vertices not pinned
/// before are pinned on all axes. targets: count x 3, metres.
/// @return PBS_ERROR_ARGUMENT, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_set_targets(pbs_world *w, pbs_body b, const uint32_t *vertices,
                                        size_t count, const double *targets);

enum { PBS_CHANNEL_POSITION = 0, PBS_CHANNEL_VELOCITY = 1, PBS_CHANNEL_NORMAL = 2 };

/// Copies one channel (PBS_CHANNEL_*) as 3 floats a vertex into the host's buffer; vertex i starts
/// stride_bytes * i bytes after dst. Normals are unit, area weighted, zero off the surface.
/// @param capacity  how many vertices dst can hold
/// @return PBS_ERROR_ARGUMENT (stride below 12 bytes or no multiple of 4, unknown channel),
/// PBS_ERROR_CAPACITY, PBS_ERROR_HANDLE
PBS_API pbs_status pbs_body_read_f32(const pbs_world *w, pbs_body b, int32_t channel, float *dst,
                                     size_t stride_bytes, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
