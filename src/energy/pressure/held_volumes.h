// Prescribed volumes. A closed surface whose law is PRESSURE_HELD has its volume V prescribed to be
// V0; such volumes are called held. Each adds
//     -(p - p_e) C + rho C^2 / 2,   C = V - V0,
// to the objective, with the pressure p inside and p_e outside. p is the multiplier of C: after a
// full Newton step it becomes p - rho C, as the multipliers of joints do. If V differs from the
// volume that the host asks for, V0 goes there at a constant rate during the host's call. Theory:
// docs/theory/materials.md section 7.1, docs/theory/joints.md section 3. `pressure` may be null if
// nothing is held. No function allocates.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_PRESSURE_HELD_VOLUMES_H
#define PBS_ENERGY_PRESSURE_HELD_VOLUMES_H

#include "base/stage_nodes.h"
#include "energy/pressure/pressure.h"
#include "linear/krylov/row_projection.h"

/// Returns how many volumes are held.
size_t held_volumes_count(const struct pressure *pressure);

/// Starts a step of h seconds at x. share: h over the rest of the host's call.
void held_volumes_begin_step(struct pressure *pressure, const double *x, double h, double share);

/// Starts a stage that ends `time` seconds after the start of the step: sets V0 and chooses rho.
/// Pressures stay as they are.
void held_volumes_begin_stage(struct pressure *pressure, const struct stage_nodes *nodes,
                              double time);

/// Returns the largest |C| at x relative to its tolerance, which is 1e-10 of the volume that the
/// host asks for. 0 where nothing is held.
double held_volumes_gap(struct pressure *pressure, const double *x);

/// Finds the volume with the largest |C| at x relative to its tolerance.
struct held_volume_miss {
    uint32_t node; ///< one of its surface
    double gap;    ///< |C|, m^3
    double share;  ///< gap / tolerance; 0 if all hold exactly
};
struct held_volume_miss held_volumes_widest(struct pressure *pressure, const double *x);

/// Replaces each p by p - rho C, with C at x. If `direction` is not null, C is instead what a
/// Newton step from `from` along `direction` predicts at its end, where V is linear; a volume that
/// the step to x has missed by much keeps its p then. Returns the change of the objective at x, J.
/// Adds the change of its gradient to `gradient`; null: all p become what they are to be at the
/// end.
double held_volumes_update(struct pressure *pressure, const double *from, const double *direction,
                           const double *x, double *gradient);

/// Subtracts the contribution of rho C from a gradient at x, so that only the force of p remains in
/// it.
void held_volumes_remove_penalties(struct pressure *pressure, const double *x, double *gradient);

/// Returns how far, m, the surface that misses its volume most would have to move out or in
/// everywhere: the miss over the surface's area; 0 where nothing is held.
double held_volumes_miss(struct pressure *pressure, const double *x);

/// Undoes a step: pressures are again those before held_volumes_begin_step.
void held_volumes_restore(struct pressure *pressure);

/// Stores the pressures. held_volumes_bring_back restores them.
void held_volumes_keep(struct pressure *pressure);
void held_volumes_bring_back(struct pressure *pressure);

/// Adds the gradient of -(p - p_e) V at x, the state at the start of the step, with the pressures
/// of that state.
void held_volumes_add_start_forces(struct pressure *pressure, const double *x, double *gradient);

/// Writes one row for each held volume: the gradient of V at nodes->x, without constrained axes,
/// scaled to unit length. Returns how many.
size_t held_volumes_write_rows(struct pressure *pressure, const struct stage_nodes *nodes,
                               struct node_row *rows);

/// out += d^2V/dt^2 of each held volume, with the nodes at x and their constant velocities v, times
/// the scale of its row.
void held_volumes_add_velocity_terms(const struct pressure *pressure, const double *v,
                                     const double *x, double *out);

/// Returns the first surface from index `surface` on whose volume is held; SIZE_MAX if there is
/// none.
size_t held_volumes_next(const struct pressure *pressure, size_t surface);

/// The power that a change of V0 during the step supplies to the body, W, and a node of its
/// surface.
struct held_volume_power {
    uint32_t node;
    double supplied;
};
struct held_volume_power held_volumes_power(const struct pressure *pressure, size_t surface);

#endif
