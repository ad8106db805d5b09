// See hardening_spring.h.
// SPDX-License-Identifier: MIT
#include "support/schemes/hardening_spring.h"

#include <math.h>

double spring_force(const struct hardening_spring *s, double x, double v) {
    return -s->kx * (x + x * x * x) - s->kv * (v + v * v * v);
}

struct spring_step spring_linear_step(const struct hardening_spring *s, bool newmark, double x,
                                      double v, double h) {
    const double f = spring_force(s, x, v);
    const double fx = -s->kx * (1.0 + 3.0 * x * x), fv = -s->kv * (1.0 + 3.0 * v * v);
    struct spring_step step;
    if (newmark) {
        step.dv = (h * f + h * h / 2.0 * fx * v) / (1.0 - h / 2.0 * fv - h * h / 4.0 * fx);
        step.x = x + h * (v + 0.5 * step.dv);
        step.linearized = 2.0 * step.dv / h - f;
    } else {
        step.dv = h * (f + h * fx * v) / (1.0 - h * fv - h * h * fx);
        step.x = x + h * (v + step.dv);
        step.linearized = step.dv / h;
    }
    step.v = v + step.dv;
    step.force = spring_force(s, step.x, step.v);
    step.force_error = (newmark ? h * h / 4.0 : h * h) * fabs(step.force - step.linearized);
    return step;
}
