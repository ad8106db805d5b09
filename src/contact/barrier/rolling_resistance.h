// Resistance of spheres to rolling, and to spinning about the normal (docs/theory/bonds.md section
// 6.4): a potential like that of lagged friction, but of relative rotations alone. Steps use it
// through barrier_contact.h; the functions here are called by barrier contact's loops over
// contacts.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_ROLLING_RESISTANCE_H
#define PBS_CONTACT_BARRIER_ROLLING_RESISTANCE_H

#include "contact/barrier/contact_state.h"

/// Lags the resistance of the active contacts; part of barrier_contact_lag_friction.
pbs_status rolling_resistance_lag(struct barrier_contact *contact, bool is_start);
/// Sets `anchor`, the values of the rows at zero slip, from a stage's history; part of
/// barrier_contact_begin_stage.
void rolling_resistance_begin_stage(struct barrier_contact *contact, const double *origin,
                                    double length);

/// Returns the potential at the state evaluated last, J. gradient: node order, added to; may be
/// null.
double rolling_resistance_evaluate(const struct barrier_contact *contact,
                                   const struct lagged_rolling *rolling, double *gradient);

/// Writes the Hessian at the state evaluated last, which is always positive semidefinite.
void rolling_resistance_hessian(const struct barrier_contact *contact,
                                const struct lagged_rolling *rolling,
                                struct contact_hessian *hessian,
                                struct contact_rotations *rotations);

/// As lagged_friction_follow, for the duals of rolling and of spinning.
double rolling_resistance_follow(const struct barrier_contact *contact,
                                 struct lagged_rolling *rolling, const double *direction);

/// Lists the rotation nodes that the resistance acts on. Returns how many there are.
int rolling_resistance_rotation_nodes(const struct barrier_contact *contact,
                                      const struct lagged_rolling *rolling, uint32_t nodes[2]);

/// Returns the dissipated power at the state evaluated last, W, in a stage of this length.
double rolling_resistance_power(const struct barrier_contact *contact,
                                const struct lagged_rolling *rolling, double length);

/// Evaluates the load of rolling resistance at the state evaluated last.
void rolling_resistance_load(const struct barrier_contact *contact,
                             const struct lagged_rolling *rolling, struct rolling_load *out);

/// Returns row `row` (rolling or spinning) of the relative velocity, m/s, for node velocities v
/// (node order). The motion of obstacles is not included.
double rolling_resistance_rate(const struct barrier_contact *contact,
                               const struct lagged_rolling *rolling, int row, const double *v);

#endif
