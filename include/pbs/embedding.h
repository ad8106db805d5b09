// libpbs: render meshes that bodies carry along. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_EMBEDDING_H
#define PBS_EMBEDDING_H

#include "point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Points, such as the vertices of a render mesh, bound to the rest shape of a body. It is the
/// host's own object and belongs to no world: it keeps the two states of its body that
/// pbs_embedding_update took last, and is read from them. So any number of threads may read it,
/// during a step of the world too, and it outlives the body and the world. While
/// pbs_embedding_update or pbs_embedding_destroy runs no other call may use it. It is not saved
/// with worlds.
typedef struct pbs_embedding pbs_embedding;

/// Points and the body that carries them. Arrays are read during the call only. Exactly one of
/// positions and positions_f32 is set.
typedef struct pbs_embedding_desc {
    uint32_t struct_size;    ///< set by pbs_embedding_desc_init
    int32_t reserved;        ///< must be 0
    pbs_body body;           ///< a solid, a shell, an affine or a bonded body
    pbs_allocator allocator; ///< all zero: the C library's; must outlive the embedding
    size_t point_count;      ///< > 0
    /// point_count x 3, metres, in the coordinates of the body's rest shape: of the `positions` (of
    /// bonded bodies of tetrahedra, the `vertices`) in its description. Inside or outside of it.
    const double *positions;
    const float *positions_f32; ///< the same in single precision
    size_t position_stride;     ///< bytes from point to point in positions_f32: 0 (12), or a
                                ///< multiple of 4, at least 12
    const float *normals_f32;   ///< null, or point_count x 3, normals there, of any length
    size_t normal_stride;       ///< as position_stride, of normals_f32
    size_t triangle_count;
    const uint32_t *triangles; ///< null, or triangle_count x 3 points: without normals_f32, normals
                               ///< are those of the triangles about a point, area weighted
} pbs_embedding_desc;

/// Fills *d: no points, no body.
/// @param struct_size  sizeof(pbs_embedding_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_embedding_desc_init(pbs_embedding_desc *d, size_t struct_size);

/// Binds points to the rest shape of a body: in a solid to the tetrahedron around them, in a shell
/// to the nearest triangle, in an affine body to its own frame, and in a bonded body to the nearest
/// particle (of tetrahedra, to the tetrahedron around them), which takes them along as a rigid body
/// does, so that they go with its fragment. A point outside is bound to the nearest place of the
/// nearest tetrahedron or triangle, and keeps its offset from there in the deformed material.
/// Affine motions of solids and affine bodies carry points exactly. Both states are the present
/// one at first.
/// @param out  written only on success; pbs_embedding_destroy frees it
/// @return PBS_ERROR_ARGUMENT (a null pointer, a number that is not finite, a stride, no positions
/// or two, an index out of range, a body of another kind), PBS_ERROR_HANDLE,
/// PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY
/// @see docs/theory/embedding.md
PBS_API pbs_status pbs_embedding_create(const pbs_world *w, const pbs_embedding_desc *d,
                                        pbs_embedding **out);

/// Frees an embedding. Null is fine.
PBS_API void pbs_embedding_destroy(pbs_embedding *e);

/// What was the current state becomes the previous one, and the present state of the body the
/// current one. A host that interpolates calls it after each pbs_world_step (or pbs_world_advance).
/// Where the body was put elsewhere, by pbs_body_set_positions or pbs_world_restore, it calls it
/// twice, so that nothing is drawn in between. Allocates nothing.
/// @param w  the world of the body, or one that was restored from it
/// @return PBS_ERROR_ARGUMENT (a null pointer, a body that is not like the one that the points were
/// bound to), PBS_ERROR_HANDLE (the body was destroyed); both states stay then
PBS_API pbs_status pbs_embedding_update(pbs_embedding *e, const pbs_world *w);

/// How many points there are; 0 for null.
PBS_API size_t pbs_embedding_point_count(const pbs_embedding *e);

/// Where a point is bound, for forces, joints and other calls that take a pbs_point: in a
/// tetrahedron, on a triangle, in an affine body's own coordinates, or at a particle. Of a point
/// outside it is the place that it keeps its offset from.
/// @param out  all of it is written; its struct_size must be set
/// @return PBS_ERROR_ARGUMENT (a null pointer, an index beyond the points), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_embedding_point(const pbs_embedding *e, size_t index, pbs_point *out);

/// Copies a channel of some points in single precision into the host's buffer, such as a vertex
/// buffer; the i-th of them starts stride_bytes * i bytes after dst, and the bytes between are not
/// touched. Threads may share the points of one read among them.
/// @param channel  PBS_CHANNEL_POSITION (m), PBS_CHANNEL_NORMAL (unit, or zero where a body is
/// crushed flat; only where normals or triangles were given), or PBS_CHANNEL_VELOCITY: the mean
/// between both states, m/s, whatever the fraction is; zero where no time has passed
/// @param fraction  0 (the previous state) to 1 (the current one): between them, places and
/// deformation gradients are interpolated linearly
/// @param first, count  of the points; none with count 0
/// @param stride_bytes  a multiple of 4, at least 12, at most 2^30
/// @return PBS_ERROR_ARGUMENT (a null pointer, dst not aligned to 4 bytes, another channel, a
/// fraction out of its range, stride, points beyond the last)
PBS_API pbs_status pbs_embedding_read_f32(const pbs_embedding *e, int32_t channel, double fraction,
                                          size_t first, size_t count, float *dst,
                                          size_t stride_bytes);

/// The same in double precision: dst is aligned to 8 bytes, and stride_bytes is a multiple of 8, at
/// least 24.
PBS_API pbs_status pbs_embedding_read_f64(const pbs_embedding *e, int32_t channel, double fraction,
                                          size_t first, size_t count, double *dst,
                                          size_t stride_bytes);

#ifdef __cplusplus
}
#endif
#endif
