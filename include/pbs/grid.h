// libpbs: surfaces of triangles as signed distances on a regular grid. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_GRID_H
#define PBS_GRID_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How distances are interpolated between samples.
typedef enum pbs_grid_interpolation {
    PBS_GRID_CUBIC = 0, ///< cubics through the samples (Catmull and Rom): gradients are continuous
    PBS_GRID_LINEAR = 1 ///< trilinear, as in OPT section 5.2. Gradients jump between cells: where
                        ///< the solid is concave a sixth to a fifth of all minimisations do not
                        ///< converge (bench/README.md), and steps answer PBS_ERROR_CONVERGENCE
} pbs_grid_interpolation;

/// A surface of triangles, and the grid around it that is wanted.
typedef struct pbs_grid_desc {
    uint32_t struct_size;  ///< set by pbs_grid_desc_init
    int32_t interpolation; ///< pbs_grid_interpolation that the grid is for; for cubics it is a cell
                           ///< wider
    size_t vertex_count;
    const double *vertices; ///< vertex_count x 3, metres
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 vertex indices, of one orientation
    double cell;               ///< m, between neighbouring samples; 0: from resolution
    uint32_t resolution; ///< where cell is 0: cells along the longest side of the mesh's box, 2 to
                         ///< 4096
    int32_t threads;     ///< the library's, the calling one included; 0: one per processor; unused
                         ///< where tasks are given
    pbs_allocator allocator; ///< all zero: the C library's; nothing of it is kept
    pbs_log log;             ///< all zero: none. Receives progress, and defects of the mesh
    pbs_tasks tasks;         ///< all zero: the library's own threads
} pbs_grid_desc;

/// Fills *d: cubic, 64 cells, one thread, no triangles.
/// @param struct_size  sizeof(pbs_grid_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_grid_desc_init(pbs_grid_desc *d, size_t struct_size);

/// A grid, and the defects of its mesh. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_grid) and nothing else.
typedef struct pbs_grid {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t counts[3];   ///< samples along x, y and z
    double origin[3];     ///< m, of the first sample, in the frame of the vertices
    double cell;          ///< m
    size_t sample_count;  ///< counts[0] counts[1] counts[2]
    // 0 where no samples were asked for:
    size_t inside_count; ///< samples inside
    size_t sign_count;   ///< samples for which winding numbers were computed
    size_t open_count;   ///< of these, samples that holes leave undecided
    size_t thin_count;   ///< triangles without a sample inside near their middle: of parts thinner
                         ///< than the grid resolves
    int32_t is_closed;   ///< 1: triangles run along every edge equally often in both directions, by
                         ///< their vertex indices
    int32_t is_inverted; ///< 1: triangles face inwards, at least somewhere; they count as outward
} pbs_grid;

/// The signed distances of a surface of triangles at the samples of a grid around it, negative
/// inside, for a collider of PBS_SHAPE_GRID. A sample is inside where the absolute winding number
/// of the surface is above one half. So the mesh may have holes, parts that overlap or contain each
/// other, triangles twice or without area, and separate vertices for each triangle. Distances are
/// exact, to the nearest triangle, inside and within four cells outside; farther out their error is
/// of first order in the cell. The border of the grid is outside. The call uses 17 bytes a sample
/// and some hundreds a triangle. The same bits for any number of threads.
/// @param samples  capacity floats, metres, along x first, then y; the caller's. Null: only the
/// size of the grid is computed, which takes no time, and nothing about the mesh
/// @param capacity  out->sample_count at least; ignored where samples is null
/// @param out  the grid; written only on success, as samples are
/// @return PBS_ERROR_ARGUMENT (a null pointer, no triangle, a number that is not finite or out of
/// its range, more than 2^28 samples), PBS_ERROR_MESH (an index out of range; holes that leave more
/// than a hundredth of sign_count undecided), PBS_ERROR_CAPACITY, PBS_ERROR_STRUCT_SIZE,
/// PBS_ERROR_MEMORY, PBS_ERROR_THREAD
/// @see OPT section 5.2; Jacobson et al. 2013 and Barill et al. 2018 on winding numbers; Zhao 2005
PBS_API pbs_status pbs_grid_from_mesh(const pbs_grid_desc *d, float *samples, size_t capacity,
                                      pbs_grid *out);

#ifdef __cplusplus
}
#endif
#endif
