// Checks the state after a step of a scene of torture.h without the contact code: exact tests of
// all edges against all triangles, volumes, and positions relative to planes. Needs the library's
// internal functions.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_TORTURE_CHECK_H
#define PBS_BENCH_TORTURE_CHECK_H

#include "scenes/contact/surface_check.h"
#include "scenes/torture/torture.h"

struct torture_findings {
    size_t intersections;  ///< edges that intersect triangles, except pairs of two obstacles
    double least_jacobian; ///< smallest det F of tetrahedra and det A of affine bodies; infinite
                           ///< without any
    double least_height; ///< m, smallest height of a vertex above a plane; infinite without planes
};

pbs_status torture_check_run(struct surface_check *check, const struct torture *scene,
                             struct torture_findings *out);

/// Returns whether the findings show a valid state.
bool torture_findings_are_clean(const struct torture_findings *findings);

#endif
