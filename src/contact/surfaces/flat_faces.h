// What of a surface that keeps its shape touches nothing that the rest of it does not touch too:
// the edges and points inside its flat faces (docs/theory/contact.md section 2.6).
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SURFACES_FLAT_FACES_H
#define PBS_CONTACT_SURFACES_FLAT_FACES_H

#include "base/runtime/memory.h"

/// The triangles of one part and their edges, each once, as lower point << 32 | higher point,
/// ascending.
struct face_surface {
    size_t point_count, triangle_count, edge_count;
    const double *points;      ///< point_count x 3, m
    const uint32_t *triangles; ///< triangle_count x 3
    const uint64_t *edges;
};

/// edge_is_flat: of each edge, whether it has two triangles in one plane, on either side of it.
/// point_is_flat: of each point, whether it has edges, all of which are flat. PBS_ERROR_MEMORY
/// changes nothing.
pbs_status flat_faces_find(struct memory *memory, const struct face_surface *surface,
                           uint8_t *edge_is_flat, uint8_t *point_is_flat);

#endif
