// When a minimisation has converged, decided for each body by the forces that act on it
// (docs/theory/minimization.md section 2). Parts of the minimiser; see state.h.
#ifndef PBS_MINIMIZE_NEWTON_STOP_RULE_H
#define PBS_MINIMIZE_NEWTON_STOP_RULE_H

#include "minimize/newton/state.h"

pbs_status stop_rule_reserve(struct memory *memory, const uint32_t *node_bodies,
                             struct newton *newton);
void stop_rule_free(struct memory *memory, struct newton *newton);

/// Begins a minimisation at x: of rounding errors only those of inertia are known yet.
void stop_rule_begin(struct minimization *m, const double *x);

/// Measures rounding errors with the Hessian at the current state, before it is constrained.
void stop_rule_measure_rounding(struct minimization *m);

/// Measures newton->gradient for each body. Returns the norm over all nodes, N.
double stop_rule_measure_residual(struct minimization *m);

/// How far a body is from its limit.
struct stop_measure {
    uint32_t body;          ///< UINT32_MAX: all bodies, whose tolerance the host has set
    double residual, limit; ///< N
    double share;           ///< residual / limit; at most 1: solved
};

/// Returns that of the body with the largest share.
struct stop_measure stop_rule_measure(const struct minimization *m);

/// Returns whether a state that is solved is so because of rounding errors alone.
bool stop_rule_is_rounded(const struct minimization *m);

/// Returns whether the decrease of E that the accepted iterate's forces predicted for
/// newton->direction is small for each body, where no node moves by more than `length`, m.
bool stop_rule_gain_is_small(const struct minimization *m, double length);

/// Writes to the result what the limits of all bodies come to, and whether rounding hides forces of
/// the host.
void stop_rule_report(struct minimization *m);

#endif
