// Whether surfaces of a world meet, measured without the contact code: exact tests of all edges
// against all triangles. Links the library's inside.
#ifndef PBS_BENCH_SURFACE_CHECK_H
#define PBS_BENCH_SURFACE_CHECK_H

#include <pbs/pbs.h>

#include "geometry/exact/intersection.h"
#include "mesh.h"

/// Memory that a check leaves for the next.
struct surface_check {
    struct memory memory;
    struct intersection_search search;
    size_t point_count, triangle_count;
    size_t free_triangle_count; ///< those of bodies; they come first
    double *x;
    uint32_t *triangles, *edges; ///< each triangle's sides are edges
    size_t x_capacity, triangle_capacity, edge_capacity;
};

void surface_check_init(struct surface_check *check);
/// Forgets the surfaces, keeps the memory.
void surface_check_begin(struct surface_check *check);
/// A body as it is now. Bodies come before obstacles.
pbs_status surface_check_add_body(struct surface_check *check, const pbs_world *world,
                                  pbs_body body);
/// A mesh, turned by the matrix (row by row) and moved; null: where it is.
pbs_status surface_check_add_obstacle(struct surface_check *check, const struct surface_mesh *mesh,
                                      const double rotation[9], const double position[3]);
/// How many edges meet triangles with which they share no vertex, those of obstacles among
/// themselves left out.
pbs_status surface_check_count(struct surface_check *check, size_t *count);
void surface_check_free(struct surface_check *check);

#endif
