// The ground in one call.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "pbs/collider.h"
#include "world/interface/check.h"
#include "world/simple_objects/simple_objects.h"
#include "world/world.h"

/// Opposite to gravity, of length 1; y where there is none.
static void find_up(const double gravity[3], double up[3]) {
    const double largest = fmax(fabs(gravity[0]), fmax(fabs(gravity[1]), fabs(gravity[2])));
    const double along_y[3] = {0.0, 1.0, 0.0};
    if (!(largest > 0.0)) {
        copy3(along_y, up);
        return;
    }
    // Divided first, as the squares of a tiny gravity are zero.
    for (int k = 0; k < 3; k++) {
        up[k] = (0.0 - gravity[k]) / largest;
    }
    scale3(1.0 / norm3(up), up, up);
}

/// The shortest turn that takes y to a direction of length 1: (axis sin, cos) of half its angle,
/// which is along y x up, 1 + y . up before it is normalised.
static void turn_y_to(const double up[3], double orientation[4]) {
    double turn[4] = {up[2], 0.0, 0.0 - up[0], 1.0 + up[1]};
    const double norm = sqrt(turn[0] * turn[0] + turn[2] * turn[2] + turn[3] * turn[3]);
    for (int k = 0; k < 4; k++) {
        orientation[k] = turn[k] / norm;
    }
    // Half a turn has no shortest axis: x.
    if (norm < 1e-8) {
        const double half[4] = {1.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 4; k++) {
            orientation[k] = half[k];
        }
    }
}

pbs_status pbs_collider_create_ground(pbs_world *w, double height, pbs_collider *out) {
    ARITHMETIC_SCOPE();
    pbs_collider_desc d;
    double up[3];
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_finite(height, "height"));
    RETURN_IF_FAILED(pbs_collider_desc_init(&d, sizeof d));
    find_up(w->scene.settings.gravity, up);
    scale3(height, up, d.position);
    turn_y_to(up, d.orientation);
    d.friction = SIMPLE_FRICTION;
    return pbs_collider_create(w, &d, out);
}
