// Contact without interpenetration: a barrier potential between all pairs of a collision mesh and
// between its points and walls, with lagged friction (ECI section 4.5; IPC, Li et al. 2020). It is
// a term of docs/architecture.md eq. (1), but its stencils change, so it is kept apart from the
// other terms: its gradient is added node by node, and its Hessian is the contact matrix C. A wall
// is the boundary of a convex space: a half-space, or a hollow shape seen from inside. In a convex
// space it suffices to test points. The reach of the barrier is the gap below which it acts.
//
// Call order in a stage: barrier_contact_begin_motion sets the motion of obstacles,
// barrier_contact_lag_friction fixes the friction at the start of the step, and
// barrier_contact_begin_stage sets the positions that slip is measured from. Then evaluations,
// sweeps and Hessians follow in any order and number; they search for pairs when needed. Steps and
// the minimiser call all of this through barrier_contact_table.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_BARRIER_BARRIER_CONTACT_H
#define PBS_CONTACT_BARRIER_BARRIER_CONTACT_H

#include "contact/barrier/contact_state.h"

extern const struct contact_table barrier_contact_table;

/// Allocates buffers and discards all lists. Must be called after the mesh or the walls have
/// changed.
pbs_status barrier_contact_reset(struct barrier_contact *contact);
void barrier_contact_free(struct barrier_contact *contact);

/// Checks that a step can start from x. Returns PBS_ERROR_INADMISSIBLE and *pair if any primitives
/// touch or intersect. The caller writes the error message, since it knows the names of bodies.
pbs_status barrier_contact_check(struct barrier_contact *contact, struct tasks *tasks,
                                 const double *x, struct contact_pair *pair);

/// Evaluates the barrier and, with_friction, the lagged friction potential at x (node order).
/// gradient: node order, added to; may be null.
pbs_status barrier_contact_evaluate(struct barrier_contact *contact, struct tasks *tasks,
                                    const double *x, bool with_friction, double *gradient,
                                    struct contact_energy *out);

/// Sets the motion of the obstacles from `now` to `target`, one entry for each obstacle of the
/// host. Equal entries: the obstacle rests.
void barrier_contact_begin_motion(struct barrier_contact *contact, const struct obstacle *now,
                                  const struct obstacle *target);

/// While `halted` is set, sweeps treat obstacles as being at rest, even if these have remaining
/// motion.
void barrier_contact_halt_motion(struct barrier_contact *contact, bool halted);
/// Sweeps leave this fraction of gaps, below 0.9, instead of a tenth. 0: a tenth again.
void barrier_contact_leave_gaps(struct barrier_contact *contact, double fraction);

/// *step = the largest step in [0, limit] along direction from x without a collision, while
/// obstacles move by the same fraction of their remaining motion. No pair may touch at x. Each gap
/// stays above a tenth of its value at x or half the reach, whichever is less. A sweep longer than
/// a mean edge is split into legs of that length; the tenth then refers to the gap at the start of
/// the last leg.
pbs_status barrier_contact_sweep(struct barrier_contact *contact, struct tasks *tasks,
                                 const double *x, const double *direction, double limit,
                                 double *step);

/// Moves obstacles by a fraction of their remaining motion; 1 takes them to the target.
void barrier_contact_advance_motion(struct barrier_contact *contact, double step);

/// Lists candidates for the current points, or for their motion if it is not null.
pbs_status barrier_contact_search(struct barrier_contact *contact, struct tasks *tasks,
                                  const double *motion);

/// Discards all lists of pairs. Must be called after collision filters (exclusions, groups) have
/// changed.
void barrier_contact_forget_pairs(struct barrier_contact *contact);

/// contacts = all pairs, and all points at walls, whose gap at x is below the reach, but for edges
/// whose factor is negligible.
pbs_status barrier_contact_find(struct barrier_contact *contact, struct tasks *tasks,
                                const double *x);

/// points = the positions of the mesh's points with the nodes at x. rotations = the coordinates of
/// the mesh's rotations at x.
void barrier_contact_locate(struct barrier_contact *contact, struct tasks *tasks, const double *x);

/// Whether collision filters let a point touch a wall.
bool contact_wall_touches(const struct barrier_contact *contact, const struct contact_wall *wall,
                          uint32_t point);

/// contact->blocks = the stencils of the Hessian at x. Each contact's own Hessian is made positive
/// semidefinite. Rows and columns of constrained axes are left out (PBS_AXIS_* bits per node; null:
/// none).
pbs_status barrier_contact_linearize(struct barrier_contact *contact, struct tasks *tasks,
                                     const struct layout *layout, const uint8_t *constrained_axes,
                                     const double *x, bool with_friction);

/// Moves the duals of friction along with a direction (node order) that was found with the Hessian
/// of the last linearize, before anything else is evaluated. direction null: they become those of
/// the slip.
void barrier_contact_follow(struct barrier_contact *contact, const double *direction);
/// Whether the duals in that Hessian were near to those of the slip.
bool barrier_contact_is_settled(const struct barrier_contact *contact);

/// gradient += H d with the Hessian of the last linearize, including constrained axes. d is the
/// displacement of the nodes by `motion` (node order) together with that of the obstacles by their
/// remaining motion. So this is the first-order change of the gradient under both.
void barrier_contact_add_motion(struct barrier_contact *contact, struct tasks *tasks,
                                const double *motion, double *gradient);

/// forces: N, of an active contact on each of its points, without friction. The force on a wall is
/// minus their sum.
void barrier_contact_forces(const struct barrier_contact *contact,
                            const struct active_contact *active, double forces[CONTACT_POINTS][3]);

/// Starts a step. Candidates of earlier steps may be reused, since no result depends on the list.
/// Candidates that were listed for a motion are discarded after one step, because the list for
/// bodies at rest is shorter.
void barrier_contact_begin_step(struct barrier_contact *contact);

/// Fixes the normal forces and the tangents of friction at x, with obstacles at their current
/// positions, until the next call. Called at the start of a step, or at the solution of a stage
/// that is solved again. barrier_contact_begin_stage must follow.
/// @param is_start  x is the start of the step: barriers press there with the stiffness that it was
/// solved with (barrier_contact_set_solved), as they have pressed so far
pbs_status barrier_contact_lag_friction(struct barrier_contact *contact, struct tasks *tasks,
                                        const double *x, bool is_start);

/// Takes the last call of barrier_contact_lag_friction back: friction is what it was before.
void barrier_contact_restore_friction(struct barrier_contact *contact);

/// Starts a stage whose velocities are (x - origin) / length; sets the anchors that slip is
/// measured from.
void barrier_contact_begin_stage(struct barrier_contact *contact, const double *origin,
                                 double length);

/// Returns the power that friction dissipates at x in a stage of this length, W.
double barrier_contact_friction_power(struct barrier_contact *contact, struct tasks *tasks,
                                      const double *x, double length);

/// Returns the potential of one contact, J; infinity if it touches.
double barrier_contact_energy(const struct active_contact *contact);

/// Returns the power that obstacles supply through the barrier force of one active contact, W.
double barrier_contact_obstacle_power(const struct barrier_contact *c,
                                      const struct active_contact *contact);

/// Whether any obstacle has remaining motion.
bool barrier_contact_has_motion(const struct barrier_contact *contact);

/// Sets the barrier stiffness of a part of the mesh, and the load that it carries, where each body
/// has its own. Must not be called during a minimisation.
void barrier_contact_set_stiffness(struct barrier_contact *contact, uint32_t part, double stiffness,
                                   double load);

/// Sets with which of these the start of the next step was solved. Stiffness 0: with the present
/// ones, as far as is known.
void barrier_contact_set_solved(struct barrier_contact *contact, uint32_t part, double stiffness,
                                double load);

/// Return the gap below which the barrier between two parts acts, m, or the least of all parts.
double barrier_contact_reach(const struct barrier_contact *contact, uint32_t a, uint32_t b);
/// To be called after entries of mesh.close have changed, with a reach of 0 where they shall go.
void barrier_contact_forget_reaches(struct barrier_contact *contact);
double barrier_contact_least_reach(const struct barrier_contact *contact);

/// Returns the gap of an active contact, m.
double barrier_contact_gap(const struct barrier_contact *c, const struct active_contact *contact);

/// Returns the smallest gap of the active contacts, m; infinity if there are none.
double barrier_contact_least_gap(const struct barrier_contact *contact);

/// Writes a node of each side of a pair of primitives, or of a point and a wall; CONTACT_NO_NODE:
/// of an obstacle.
void barrier_contact_nodes(const struct barrier_contact *contact, uint32_t wall,
                           enum pair_kind kind, const uint32_t *points, uint32_t nodes[2]);

#endif
