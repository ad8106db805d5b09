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
    PBS_GRID_CUBIC = 0, ///< by cubics through the samples (Catmull and Rom): continuous gradients
    PBS_GRID_LINEAR = 1 ///< by products of straight lines, as OPT section 5.2 has it: gradients
                        ///< jump between cells, and where the solid is concave a sixth to a fifth
                        ///< of all minimisations find no end (bench/README.md): steps then answer
                        ///< PBS_ERROR_CONVERGENCE
} pbs_grid_interpolation;

/// A surface of triangles and the grid that is to be laid around it.
typedef struct pbs_grid_desc {
    uint32_t struct_size;  ///< set by pbs_grid_desc_init
    int32_t interpolation; ///< pbs_grid_interpolation: what the grid is for; by cubics it is a cell
                           ///< wider
    size_t vertex_count;
    const double *vertices; ///< vertex_count x 3, metres
    size_t triangle_count;
    const uint32_t *triangles; ///< triangle_count x 3 vertex indices, all turned the same way
    double cell;               ///< m, between neighbouring samples; 0: as resolution says
    uint32_t resolution; ///< cells along the longest side of the mesh's box, 2 to 4096; counts
                         ///< where cell is 0
    int32_t threads;     ///< the library's, the calling one included; 0: one per processor; unused
                         ///< where tasks are given
    pbs_allocator allocator; ///< all zero: the C library's; nothing of it is kept
    pbs_log log;             ///< all zero: nowhere. What is begun and found, and what is odd about
                             ///< the mesh
    pbs_tasks tasks;         ///< all zero: the library's own threads
} pbs_grid_desc;

/// Fills *d: cubic, 64 cells, one thread, no triangles.
/// @param struct_size  sizeof(pbs_grid_desc) as the caller was compiled
/// @return PBS_ERROR_ARGUMENT (d is null), PBS_ERROR_STRUCT_SIZE
PBS_API pbs_status pbs_grid_desc_init(pbs_grid_desc *d, size_t struct_size);

/// A grid, and what its mesh is like. As with pbs_energy, the caller sets struct_size =
/// sizeof(pbs_grid) and nothing else.
typedef struct pbs_grid {
    uint32_t struct_size; ///< set by the caller, not changed by the call
    uint32_t counts[3];   ///< samples along x, y and z
    double origin[3];     ///< m, of the first sample, in the frame of the vertices
    double cell;          ///< m
    size_t sample_count;  ///< counts[0] counts[1] counts[2]
    // 0 where no samples were asked for:
    size_t inside_count; ///< samples inside
    size_t sign_count;   ///< samples whose side was looked for
    size_t open_count;   ///< of them those for which holes leave open whether they are inside
    size_t thin_count;   ///< triangles near whose middle no sample is inside: of parts thinner than
                         ///< the grid resolves
    int32_t is_closed;   ///< 1: every edge, by its vertices' numbers, is gone along both ways alike
    int32_t is_inverted; ///< 1: triangles face inwards, at least somewhere: taken as if outwards
} pbs_grid;

/// The signed distances of a surface of triangles at the samples of a grid around it, negative
/// inside: the samples of a grid that a collider may have. Inside is where the surface winds around
/// the sample by more than half a turn, one way or the other, so holes, parts that overlap or lie
/// in each other, triangles that are there twice or have no area, and corners of their own for each
/// triangle are no harm. Distances are exact, to the nearest triangle, inside and within four cells
/// outside; farther out they are of first order in the cell. The border of the grid is outside.
/// Takes 17 bytes a sample and some hundreds a triangle while it works. The same bits for any
/// number of threads.
/// @param samples  capacity floats, metres, those along x next to each other, then y; the caller's.
/// Null: only the grid is asked for, which takes no time; nothing is said then of the mesh
/// @param capacity  out->sample_count at least; not looked at where samples is null
/// @param out  the grid; written only on success, as samples are
/// @return PBS_ERROR_ARGUMENT (a null pointer, no triangle, a number that is not finite or out of
/// its range, more than 2^28 samples), PBS_ERROR_MESH (an index out of range; a mesh so open that
/// for more than a hundredth of the samples looked at it cannot be said whether they are inside),
/// PBS_ERROR_CAPACITY, PBS_ERROR_STRUCT_SIZE, PBS_ERROR_MEMORY, PBS_ERROR_THREAD
/// @see OPT section 5.2; Jacobson et al. 2013 and Barill et al. 2018 on winding numbers; Zhao 2005
PBS_API pbs_status pbs_grid_from_mesh(const pbs_grid_desc *d, float *samples, size_t capacity,
                                      pbs_grid *out);

#ifdef __cplusplus
}
#endif
#endif
