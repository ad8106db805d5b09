// Volumes that are held: each closed surface whose law is PRESSURE_HELD adds
//     -(p - p_e) C + rho C^2 / 2,   C = V - V0,
// to the objective, and after a full Newton step p becomes p - rho C, as the multipliers of joints
// do. A volume that is not V0 yet goes there evenly during the host's call. Theory:
// docs/theory/materials.md section 7.1, docs/theory/joints.md section 3. `pressure` may be null,
// then nothing is held. Nothing allocates.
#ifndef PBS_ENERGY_PRESSURE_HELD_VOLUMES_H
#define PBS_ENERGY_PRESSURE_HELD_VOLUMES_H

#include "base/stage_nodes.h"
#include "energy/pressure/pressure.h"
#include "linear/krylov/row_projection.h"

size_t held_volumes_count(const struct pressure *pressure);

/// Starts a step of h seconds at x. share: that of the step in what is left of the host's call.
void held_volumes_begin_step(struct pressure *pressure, const double *x, double h, double share);

/// Starts a stage that ends `time` seconds after the start of the step: chooses rho. Pressures
/// stay.
void held_volumes_begin_stage(struct pressure *pressure, const struct stage_nodes *nodes,
                              double time);

/// The largest |C| at x relative to its tolerance, 1e-10 V0. 0 where nothing is held.
double held_volumes_gap(struct pressure *pressure, const double *x);

/// The volume that is farthest from holding at x relative to its tolerance.
struct held_volume_miss {
    uint32_t node; ///< of its surface
    double gap;    ///< m^3
    double share;  ///< gap / tolerance; 0 if all hold exactly
};
struct held_volume_miss held_volumes_widest(struct pressure *pressure, const double *x);

/// p = p - rho C with C at x or, if `direction` is not null, at the end of the Newton step from
/// `from` as it reckons. Returns the change of the objective at x, J, and adds that of its
/// gradient, which may be null.
double held_volumes_update(struct pressure *pressure, const double *from, const double *direction,
                           const double *x, double *gradient);

/// Takes rho C from a gradient at x, so that what p exerts is left.
void held_volumes_remove_penalties(struct pressure *pressure, const double *x, double *gradient);

/// m: how far the nodes of the surface that misses most would have to move, each by the same, for
/// it to hold.
double held_volumes_miss(struct pressure *pressure, const double *x);

/// Pressures are again those of held_volumes_begin_step.
void held_volumes_restore(struct pressure *pressure);

/// Keeps pressures, and brings them back.
void held_volumes_keep(struct pressure *pressure);
void held_volumes_bring_back(struct pressure *pressure);

/// Adds the gradient at x, the state at the start of the step, with the pressures of that state.
void held_volumes_add_start_forces(struct pressure *pressure, const double *x, double *gradient);

/// Writes the gradients of all held volumes at nodes->x, without constrained axes, scaled to unit
/// length. Returns how many.
size_t held_volumes_write_rows(struct pressure *pressure, const struct stage_nodes *nodes,
                               struct node_row *rows);

/// out += d^2V/dt^2 of each held volume at x while its nodes move with v, scaled as its row.
void held_volumes_add_turning(const struct pressure *pressure, const double *v, const double *x,
                              double *out);

/// The first held surface from `surface` on; SIZE_MAX: none.
size_t held_volumes_next(const struct pressure *pressure, size_t surface);

/// W: what a volume that changes during the step does to the body, and a node of its surface.
struct held_volume_power {
    uint32_t node;
    double supplied;
};
struct held_volume_power held_volumes_power(const struct pressure *pressure, size_t surface);

#endif
