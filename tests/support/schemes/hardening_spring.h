// The spring of ATS figure 1, x'' = F(x, v) = -kx (x + x^3) - kv (v + v^3), and the linearly
// implicit steps of docs/theory/step_control.md section 1 for it, written out.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_HARDENING_SPRING_H
#define PBS_SUPPORT_HARDENING_SPRING_H

#include <stdbool.h>

struct hardening_spring {
    double kx, kv;
};

double spring_force(const struct hardening_spring *s, double x, double v);

struct spring_step {
    double dv, x, v;    ///< at the end
    double linearized;  ///< F~
    double force;       ///< F(x, v)
    double force_error; ///< c |F - F~|
};

/// newmark: beta 1/4, gamma 1/2; else implicit Euler.
struct spring_step spring_linear_step(const struct hardening_spring *s, bool newmark, double x,
                                      double v, double h);

#endif
