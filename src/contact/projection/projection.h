// Contact with obstacles as constraints phi_b(x_p) >= 0, together with constrained axes: the
// gradient projection of OPT sections 3.2 and 5.1. The map P takes every constrained node to the
// closest admissible point, and the minimiser works on E(x) = E'(P(x)). Applies only to points that
// are single nodes. Knows no energies and no linear algebra beyond 3x3, and does not choose step
// lengths.
//
// Call order of a minimiser:
//
// Once per stage, projection_begin sets the scene; then no pair is active.
//
// For each initial guess, projection_apply makes it admissible.
//
// Once per iteration, at an admissible x with g' = grad E'(x), projection_activate fixes the active
// set until the next call. It turns g' into grad E, and lists the nodes whose rows of the Hessian
// change to
//     H = Q^T H' Q + C + s (I - Q),
// where off-diagonal blocks become Q_a H'_ab Q_b, and the minimiser chooses s > 0 so that the block
// is regular. grad E lies in the range of Q, and so does every search direction of CG.
//
// For each line-search trial y = x + a d, projection_apply computes P(y), where E' and g' are
// evaluated. If it fails, E is infinite at this a. projection_pull_back turns g'(P(y)) into grad
// E(y) = J^T g', so that phi'(a) = grad E(y) . d.
//
// At the end, projection_activate is called once more at the solution with its g'. Then
// projection_node_forces gives forces, and projection_friction changes velocities.
//
// The active set: OPT's rule is "touching and g'.n >= 0", which is used here for a node that
// touches one surface. Applied one by one to several surfaces, that rule holds nodes that could
// slide off, and misses surfaces that the others push the node into. So for several surfaces the
// active set is the support of the multipliers lambda >= 0 that minimise |g' - sum lambda n|. Then
// grad E = 0 is equivalent to the Karush-Kuhn-Tucker conditions.
//
// P(y) is the closest point to y with constrained axes at their targets, phi = 0 for active pairs
// and phi >= 0 for all others; see closest_point.h. A hollow box or hollow cylinder counts as
// several smooth surfaces. Constrained axes take precedence: an obstacle that the other axes cannot
// leave is ignored.
// Theory: docs/theory/contact.md section 9.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_PROJECTION_PROJECTION_H
#define PBS_CONTACT_PROJECTION_PROJECTION_H

#include "base/runtime/tasks.h"
#include "contact/contact_table.h"

/// The scene to project. Borrowed until the next projection_begin. All arrays are in node order.
struct projection_scene {
    size_t obstacle_count;
    const struct obstacle *obstacles;
    size_t node_count;
    const uint8_t *colliding; ///< node_count: nonzero for nodes that obstacles act on; null: none
    const uint8_t *constrained_axes; ///< node_count: PBS_AXIS_* bits; null: none
    const double *targets; ///< node_count x 3, m: positions of constrained axes; may be null if
                           ///< constrained_axes is
    double scale; ///< m: the diagonal of the scene, of the order of its largest coordinate. A
                  ///< surface is touched if |phi| <= 1e-12 scale, and violated if phi < -1e-13
                  ///< scale
};

/// The data that the Hessian needs for a node with an active pair or a constrained axis.
struct projection_active {
    uint32_t node;
    uint32_t slot;       ///< index into projection.slots
    double tangent[9];   ///< Q: the symmetric projector onto the tangent space of the node's
                         ///< constraints
    double curvature[9]; ///< C = -Q (sum lambda Hess(phi)) Q, units of E' per m^2
};

/// A node that obstacles act on or that has constrained axes.
struct projection_slot {
    uint32_t node;
    uint8_t constrained_axes;
    uint8_t colliding;
    uint8_t active_count;
    uint8_t moved;  ///< J of the last projection_apply is not the identity
    uint8_t failed; ///< the last projection_apply found no admissible point
    uint32_t worst; ///< after a failure: a surface that is still violated
    uint32_t active[CLOSEST_POINT_MAX_ACTIVE];   ///< indices into projection.surfaces, ascending;
                                                 ///< their normals are independent
    double multiplier[CLOSEST_POINT_MAX_ACTIVE]; ///< lambda, units of E' per m, >= 0
    double normal[CLOSEST_POINT_MAX_ACTIVE][3];  ///< of the active surfaces, unit
    double friction_velocity[CLOSEST_POINT_MAX_ACTIVE][3]; ///< m/s: change of velocity by the last
                                                           ///< projection_friction, per active
                                                           ///< surface
    double curvature[9];                                   ///< -sum lambda Hess(phi)
    double jacobian[9];                                    ///< J, symmetric
};

/// The normal impulse on a slot in earlier stages of a step.
struct projection_impulse {
    double push[3];              ///< N s: sum of lambda n times its duration
    uint32_t surface;            ///< the surface that pushed last
    double friction_velocity[3]; ///< m/s: change of velocity by the last projection_friction, if
                                 ///< the node is no longer in contact
};

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct projection {
    struct projection_scene scene;
    size_t slot_count, slot_capacity;
    struct projection_slot *slots; ///< ascending by node
    size_t surface_count, surface_capacity;
    struct contact_surface *surfaces;
    size_t active_count, active_capacity;
    struct projection_active *active; ///< ascending by node; written by projection_activate
    const double *x;                  ///< valid only within projection_activate
    bool has_earlier;                 ///< friction includes the impulses in `earlier`
    size_t earlier_capacity;
    struct projection_impulse *earlier; ///< per slot
};

/// The interface through which steps use a projection.
extern const struct contact_table projection_table;

/// Sets the scene and empties the active set. Allocates only if the scene has outgrown the buffers.
/// PBS_ERROR_MEMORY, PBS_ERROR_ARGUMENT (scale not positive and finite).
pbs_status projection_begin(struct memory *memory, const struct projection_scene *scene,
                            struct projection *projection);

void projection_free(struct memory *memory, struct projection *projection);

/// x = P(y); y may be x. PBS_ERROR_INADMISSIBLE (node and obstacle in the message) if a node has no
/// admissible point, or if y is not finite at a constrained node; x is then undefined.
pbs_status projection_apply(struct tasks *tasks, struct projection *projection, const double *y,
                            double *x);

/// gradient = J^T gradient, with J at the y of the last projection_apply.
void projection_pull_back(struct tasks *tasks, struct projection *projection, double *gradient);

/// Determines active sets and multipliers at an admissible x, and fills projection->active.
/// gradient: in g', out grad E = Q g'.
void projection_activate(struct tasks *tasks, struct projection *projection, const double *x,
                         double *gradient);

/// Adds lambda n / weight of every active pair to the forces of its node (node_count x 3, N).
/// weight: c of docs/architecture.md eq. (1), s^2. contact_report.h lists forces by contact and by
/// obstacle.
void projection_node_forces(const struct projection *projection, double weight, double *forces);

/// Returns the obstacle of a slot's active pair.
const struct obstacle *projection_obstacle(const struct projection *projection,
                                           const struct projection_slot *slot, size_t pair);

/// Counts the nodes whose constrained axes have put them inside an obstacle at x.
size_t projection_count_constrained_inside(const struct projection *projection, const double *x);

/// Removes the normal component from the accelerations of nodes that are active at the last
/// projection_activate, except for nodes that leave their obstacle within h seconds.
void projection_project_acceleration(const struct projection *projection, const double *x,
                                     const double *velocity, double h, double *acceleration);

/// Adds the impulses lambda n time of active pairs to those that projection_friction uses in
/// addition. first: starts a new sum. For steps of several stages with the same scene.
void projection_accumulate_impulses(struct projection *projection, double time, bool first);
/// Discards the accumulated impulses.
void projection_forget_impulses(struct projection *projection);

/// Coulomb friction after the solve. Reduces each active node's velocity relative to the obstacle's
/// surface, within the node's tangent space, by at most mu lambda / weight * h / mass plus mu /
/// mass times the accumulated impulse, and never beyond zero. Positions do not change. Returns the
/// loss of kinetic energy relative to the obstacles, J, >= 0.
double projection_friction(const struct projection *projection, const double *x, const double *mass,
                           double weight, double h, double *velocity);

#endif
