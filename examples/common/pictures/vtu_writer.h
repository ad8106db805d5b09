// VTK unstructured grids (.vtu, appended base64) and the .pvd that strings them into a time series
// for ParaView.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_VTU_WRITER_H
#define PBS_COMMON_VTU_WRITER_H

#include "common/program/text.h"

/// A named array per vertex or per cell: velocity, stress, contact force.
struct vtu_field {
    const char *name;
    size_t components; ///< 1 scalar, 3 vector, 9 tensor by rows
    bool per_cell;
    const double *values; ///< [count of vertices or cells * components]
};

/// Tetrahedra when tet_count > 0, else triangles.
struct vtu_grid {
    size_t vertex_count;
    const double *positions; ///< [vertex_count * 3]
    size_t tet_count;
    const uint32_t *tets; ///< [tet_count * 4]
    size_t triangle_count;
    const uint32_t *triangles; ///< [triangle_count * 3]
};

bool vtu_write(const char *path, const struct vtu_grid *grid, const struct vtu_field *fields,
               size_t field_count, struct message *message);

/// Lists files FILE_0000.vtu ... with their times; `file_prefix` is relative to the .pvd.
bool pvd_write(const char *path, const char *file_prefix, size_t frame_count, double frame_duration,
               struct message *message);

#endif
