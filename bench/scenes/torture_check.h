// What must hold after each step of a scene of torture, measured without the contact code: exact
// tests of all edges against all triangles, volumes, sides of planes. Links the library's inside.
#ifndef PBS_BENCH_TORTURE_CHECK_H
#define PBS_BENCH_TORTURE_CHECK_H

#include "scenes/surface_check.h"
#include "scenes/torture.h"

struct torture_findings {
    size_t intersections;  ///< edges that meet triangles, those of obstacles among themselves left
                           ///< out
    double least_jacobian; ///< det F of tetrahedra and det A of affine bodies; infinite without any
    double least_height;   ///< m, of vertices above planes; infinite without any
};

pbs_status torture_check_run(struct surface_check *check, const struct torture *scene,
                             struct torture_findings *out);

/// Whether the findings are what they must be.
bool torture_findings_are_clean(const struct torture_findings *findings);

#endif
