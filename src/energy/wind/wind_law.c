// See wind_law.h. With s = u.n, t = u - s n and the area A:
//     psi = A (k_n |s|^3 + k_t |t|^3) / 3,    force A (k_n |s| s n + k_t |t| t)
// SPDX-License-Identifier: MIT
#include "energy/wind/wind_law.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

/// The area, and the unit normal; an area of 0 has the normal 0.
static double split_area(const double area[3], double normal[3]) {
    const double size = norm3(area);
    scale3(size > 0.0 ? 1.0 / size : 0.0, area, normal);
    return size;
}

/// The part of u along the normal that pushes.
static double speed_along(const struct wind_law *law, const double u[3], const double normal[3]) {
    const double s = dot3(u, normal);
    return law->is_one_sided && s > 0.0 ? 0.0 : s;
}

static void project(const double u[3], const double normal[3], double out[3]) {
    add_scaled3(u, -dot3(u, normal), normal, out);
}

/// Adds a n n^T + b (1 - n n^T) + c t t^T.
static void add_tensor(const double normal[3], const double t[3], double a, double b, double c,
                       double *out) {
    for (int i = 0; i < 9; i++) {
        const double nn = normal[i / 3] * normal[i % 3];
        out[i] += (a - b) * nn + (i % 4 == 0 ? b : 0.0) + c * t[i / 3] * t[i % 3];
    }
}

void wind_law_force(const struct wind_law *law, const double area[3], const double relative[3],
                    double force[3], double *stiffness) {
    double n[3], t[3];
    const double size = split_area(area, n);
    const double s = speed_along(law, relative, n);
    project(relative, n, t);
    const double slip = norm3(t);
    const double along = size * law->normal * fabs(s), across = size * law->tangential * slip;
    scale3(along * s, n, force);
    add_scaled3(force, across, t, force);
    if (stiffness != NULL) {
        memset(stiffness, 0, 9 * sizeof *stiffness);
        add_tensor(n, t, 2.0 * along, across, slip > 0.0 ? across / (slip * slip) : 0.0, stiffness);
    }
}

/// (p^3 - q^3) / 3 of p, q >= 0, difference: p^2 - q^2.
static double third_of_cubes(double p, double q, double difference) {
    const double sum = p + q;
    return sum > 0.0 ? difference / sum * (p * p + p * q + q * q) / 3.0 : 0.0;
}

double wind_law_potential(const struct wind_law *law, const double area[3],
                          const double relative[3], const double velocity[3]) {
    double n[3], t[3], rest[3], t_rest[3], both[3];
    const double size = split_area(area, n);
    add3(relative, velocity, rest);
    project(relative, n, t);
    project(rest, n, t_rest);
    add3(t, t_rest, both);
    const double s = speed_along(law, relative, n), s_rest = speed_along(law, rest, n);
    // Of squares that are nearly the same the difference is a product with the velocity. One that
    // does not push is 0, and nothing cancels.
    const bool push = s != 0.0 && s_rest != 0.0;
    const double along = push ? -dot3(velocity, n) * (s + s_rest) : s * s - s_rest * s_rest;
    return size * (law->normal * third_of_cubes(fabs(s), fabs(s_rest), along) -
                   law->tangential * third_of_cubes(norm3(t), norm3(t_rest), dot3(velocity, both)));
}
