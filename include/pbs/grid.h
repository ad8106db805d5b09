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
    PBS_GRID_CUBIC = 0, ///< cubic polynomials through the samples (Catmull and Rom). Gradients are
                        ///< continuous
    PBS_GRID_LINEAR = 1 ///< trilinear, as in OPT section 5.2. Gradients jump between cells. Where
                        ///< the solid is concave, a sixth to a fifth of all minimisations do not
                        ///< converge (bench/README.md), and steps fail with PBS_ERROR_CONVERGENCE
} pbs_grid_interpolation;

/// A surface of triangles, and the settings of the grid around it.
typedef struct pbs_grid_desc {
    uint32_t struct_size;  ///< set by pbs_grid_desc_init
    int32_t interpolation; ///< pbs_grid_interpolation that the grid will be used with; for
                           ///< PBS_GRID_CUBIC it is one cell wider
    size_t vertex_count;
    const double *vertices; ///< vertex_count x 3, metres
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 vertex indices, of one orientation
    double cell;               ///< m, spacing of the samples; 0: chosen from resolution
    uint32_t resolution; ///< if cell is 0: number of cells along the longest side of the mesh's
                         ///< bounding box, 2 to 4096
    int32_t threads;     ///< number of the library's threads, including the calling one; 0: one per
                         ///< processor. Ignored if tasks is given
    pbs_allocator allocator; ///< all zero: the C library's allocator. All memory is released before
                             ///< the call returns
    pbs_log log;     ///< all zero: no log. It receives progress messages and defects of the mesh
    pbs_tasks tasks; ///< all zero: the library's own threads
} pbs_grid_desc;

/// Fills *d with cubic interpolation, 64 cells, one thread and no triangles.
/// @param struct_size  sizeof(pbs_grid_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_grid_desc_init(pbs_grid_desc *d, size_t struct_size);

/// A grid, and the defects of the mesh. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_grid) and nothing else.
typedef struct pbs_grid {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t counts[3];   ///< samples along x, y and z
    double origin[3];     ///< m, position of the first sample, in the frame of the vertices
    double cell;          ///< m
    size_t sample_count;  ///< counts[0] counts[1] counts[2]
    // 0 if `samples` was null:
    size_t inside_count; ///< number of samples inside
    size_t sign_count;   ///< number of samples for which winding numbers were computed
    size_t open_count;   ///< how many of these are undecided because of holes
    size_t thin_count;   ///< number of triangles without an inside sample near their middle. They
                         ///< belong to parts that are too thin for the grid
    int32_t is_closed;   ///< 1: the mesh is closed: along every edge (a pair of vertex indices)
                         ///< equally many triangles run in either direction
    int32_t is_inverted; ///< 1: some triangles face inwards. They are treated as if they faced
                         ///< outwards
} pbs_grid;

/// Computes the signed distances of a surface of triangles at the samples of a grid around it,
/// negative inside, for a collider of PBS_SHAPE_GRID. A sample is inside if the absolute winding
/// number of the surface is above one half. So the mesh may have holes, parts that overlap or
/// contain each other, duplicate triangles, triangles of zero area, and separate vertices for each
/// triangle. Inside, and up to four cells outside, the distances are the exact ones to the nearest
/// triangle; farther outside their error is of first order in the cell size. The samples at the
/// border of the grid are outside. The call uses 17 bytes per sample and some hundreds per
/// triangle. Results are bit-identical for any number of threads.
/// @param samples  output: capacity floats, metres, along x first, then y. Null: only the size of
/// the grid is computed, which takes hardly any time, and none of the mesh's defects
/// @param capacity  out->sample_count at least; ignored if samples is null
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
