// Half-spaces by a normal and a point, as tests speak of them.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_CONTACT_PLANE_POSE_H
#define PBS_TESTS_CONTACT_PLANE_POSE_H

#include "base/matrix3/math3.h"
#include "geometry/shape.h"

/// The pose of a half-space whose surface has this normal and passes through `point`.
static inline struct pose plane_pose(const double normal[3], const double point[3]) {
    struct pose pose;
    double x[3] = {normal[1], normal[2], normal[0]}, z[3];
    add_scaled3(x, -dot3(x, normal), normal, x);
    scale3(1.0 / norm3(x), x, x);
    cross3(x, normal, z);
    for (int i = 0; i < 3; i++) {
        pose.rotation[3 * i] = x[i];
        pose.rotation[3 * i + 1] = normal[i];
        pose.rotation[3 * i + 2] = z[i];
    }
    copy3(point, pose.translation);
    return pose;
}

#endif
