// What must hold after each step of a scene of torture, measured without the contact code: exact
// tests of all edges against all triangles, volumes, sides of planes. Links the library's inside.
#ifndef PBS_BENCH_TORTURE_CHECK_H
#define PBS_BENCH_TORTURE_CHECK_H

#include "geometry/intersection.h"
#include "scenes/torture.h"

struct torture_findings {
    size_t intersections;  ///< edges that meet triangles, those of obstacles among themselves left
                           ///< out
    double least_jacobian; ///< det F of tetrahedra and det A of affine bodies; infinite without any
    double least_height;   ///< m, of vertices above planes; infinite without any
};

/// Memory that a check leaves for the next.
struct torture_check {
    struct memory memory;
    struct intersection_search search;
    size_t point_count, triangle_count;
    size_t free_edge_count, free_triangle_count; ///< those of bodies come first
    double *x;
    uint32_t *triangles, *edges; ///< each triangle's sides are edges
    size_t x_capacity, triangle_capacity, edge_capacity;
};

void torture_check_init(struct torture_check *check);
pbs_status torture_check_run(struct torture_check *check, const struct torture *scene,
                             struct torture_findings *out);
void torture_check_free(struct torture_check *check);

/// Whether the findings are what they must be.
bool torture_findings_are_clean(const struct torture_findings *findings);

#endif
