// Tests whether surfaces of a world intersect, without the contact code: by exact tests of all
// edges against all triangles. Needs the library's internal functions.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_SURFACE_CHECK_H
#define PBS_BENCH_SURFACE_CHECK_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"
#include "geometry/exact/intersection.h"

/// Reusable memory of checks.
struct surface_check {
    struct memory memory;
    struct intersection_search search;
    size_t point_count, triangle_count;
    size_t free_triangle_count; ///< number of triangles of bodies, which come first
    double *x;
    uint32_t *triangles, *edges; ///< all sides of all triangles are edges
    size_t x_capacity, triangle_capacity, edge_capacity;
    uint32_t *owners; ///< by triangle: which of the surfaces that were added it is of
    uint32_t surface_count;
    size_t owner_capacity;
    /// Whether two of the surfaces may intersect, by the order in which they were added; null: none
    /// may.
    bool (*may_overlap)(const void *context, uint32_t a, uint32_t b);
    const void *context; ///< handed to may_overlap
};

void surface_check_init(struct surface_check *check);
/// Removes all surfaces, but keeps the memory.
void surface_check_begin(struct surface_check *check);
/// Adds a body in its present state. Bodies must be added before obstacles.
pbs_status surface_check_add_body(struct surface_check *check, const pbs_world *world,
                                  pbs_body body);
/// Adds a mesh, rotated by a row-major matrix and translated; null: not moved.
pbs_status surface_check_add_obstacle(struct surface_check *check, const struct surface_mesh *mesh,
                                      const double rotation[9], const double position[3]);
/// Counts the edges that intersect a triangle with which they share no vertex, except pairs of two
/// obstacles, and of two surfaces that may overlap.
pbs_status surface_check_count(struct surface_check *check, size_t *count);
void surface_check_free(struct surface_check *check);

#endif
