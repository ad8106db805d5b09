// Collisions with obstacles as constraints phi_b(x_p) >= 0, and held degrees of freedom: the
// gradient projection of OPT sections 3.2 and 5.1. The map P takes every constrained node to the
// closest admissible point; the minimiser works on E(x) = E'(P(x)). Only for points that are single
// nodes. Knows no energies, no linear algebra beyond 3x3, and never decides a step length.
//
// What a minimiser does, and when:
//
// Once per stage: projection_begin takes the scene; afterwards no pair is active.
//
// Each initial guess: projection_apply makes it admissible.
//
// Once per iteration, at an admissible x with g' = grad E'(x): projection_activate fixes the active
// set until the next call, turns g' into grad E and lists the nodes whose rows of the Hessian
// change,
//     H = Q^T H' Q + C + s (I - Q)
// where off-diagonal blocks become Q_a H'_ab Q_b and s > 0, the minimiser's to choose, keeps the
// block regular. grad E lies in the range of Q, and so does every direction that CG finds.
//
// Each line-search trial y = x + a d: projection_apply gives P(y), where E' and g' are evaluated; a
// failure means that E is infinite at this a. projection_pull_back turns g'(P(y)) into
// grad E(y) = J^T g', so that phi'(a) = grad E(y) . d.
//
// At the end: projection_activate once more at the solution with its g', then
// projection_node_forces and, on velocities, projection_friction.
//
// Which pairs are active: OPT's rule is "touching and g'.n >= 0". For a node that touches one
// surface this is what happens here. Where a node touches several, the rule taken one by one holds
// nodes that could slide off, and misses surfaces that the others push the node into; so the active
// set is there the support of the multipliers lambda >= 0 for which |g' - sum lambda n| is least.
// Then grad E = 0 is the same as the Karush-Kuhn-Tucker conditions.
//
// P(y) is the closest point to y at which held axes are at their targets, phi = 0 for active pairs
// and phi >= 0 for all others; see closest_point.h. A room or a hollow cylinder counts as several
// smooth surfaces. Held axes win: an obstacle that the other axes cannot leave is ignored.
// Theory: docs/theory/contact.md section 9.
#ifndef PBS_CONTACT_PROJECTION_PROJECTION_H
#define PBS_CONTACT_PROJECTION_PROJECTION_H

#include "base/runtime/tasks.h"
#include "contact/contact_table.h"

/// What is projected. Borrowed until the next projection_begin; all arrays in node order.
struct projection_scene {
    size_t obstacle_count;
    const struct obstacle *obstacles;
    size_t node_count;
    const uint8_t *colliding;        ///< node_count: nonzero where obstacles act; null: nowhere
    const uint8_t *constrained_axes; ///< node_count: PBS_AXIS_* bits that are held; null: none
    const double *targets; ///< node_count x 3: where held axes are put; may be null with held
    double scale; ///< metres: the diagonal of the scene, of the order of its largest coordinate.
                  ///< Touching means |phi| <= 1e-12 scale, violated phi < -1e-13 scale
};

/// A node with an active pair or a held axis, as the Hessian needs it.
struct projection_active {
    uint32_t node;
    uint32_t slot;       ///< index into projection.slots
    double tangent[9];   ///< Q: the symmetric projector onto the directions in which the node may
                         ///< move to first order
    double curvature[9]; ///< C = -Q (sum lambda Hess(phi)) Q, units of E' per square metre
};

/// A node that obstacles or held axes act on.
struct projection_slot {
    uint32_t node;
    uint8_t constrained_axes;
    uint8_t colliding;
    uint8_t active_count;
    uint8_t moved;  ///< the last projection_apply gave this node a J that is not the identity
    uint8_t failed; ///< the last projection_apply found no admissible point
    uint32_t worst; ///< where it failed: a surface that is still violated
    uint32_t active[CLOSEST_POINT_MAX_ACTIVE]; ///< indices into projection.surfaces, ascending, of
                                               ///< independent normals
    double multiplier[CLOSEST_POINT_MAX_ACTIVE];           ///< lambda, units of E' per metre, >= 0
    double normal[CLOSEST_POINT_MAX_ACTIVE][3];            ///< of the active surfaces, unit
    double friction_velocity[CLOSEST_POINT_MAX_ACTIVE][3]; ///< m/s: what the last
                                                           ///< projection_friction added to the
                                                           ///< velocity, for each of them
    double curvature[9]; ///< -sum lambda Hess(phi)
    double jacobian[9];  ///< J, symmetric
};

/// What a slot was pushed with in earlier stages of a step.
struct projection_impulse {
    double push[3];              ///< sum of lambda n times the time that it counts for, N s
    uint32_t surface;            ///< of the last of them
    double friction_velocity[3]; ///< m/s: what the last projection_friction added to the velocity
                                 ///< of a node that touches no more
};

/// Zero is a valid empty one. Buffers grow and stay.
struct projection {
    struct projection_scene scene;
    size_t slot_count, slot_capacity;
    struct projection_slot *slots; ///< ascending by node
    size_t surface_count, surface_capacity;
    struct contact_surface *surfaces;
    size_t active_count, active_capacity;
    struct projection_active *active; ///< ascending by node; written by projection_activate
    const double *x;                  ///< only within projection_activate
    bool has_earlier;                 ///< friction counts what is in earlier
    size_t earlier_capacity;
    struct projection_impulse *earlier; ///< per slot
};

/// How steps see the obstacles of a projection.
extern const struct contact_table projection_table;

/// Takes the scene, empties the active set. Allocates only when the scene has outgrown the buffers.
/// PBS_ERROR_MEMORY, PBS_ERROR_ARGUMENT (scale not positive and finite).
pbs_status projection_begin(struct memory *memory, const struct projection_scene *scene,
                            struct projection *projection);

void projection_free(struct memory *memory, struct projection *projection);

/// x = P(y); y may be x. PBS_ERROR_INADMISSIBLE (node and obstacle in the message) when some node
/// found no admissible point, or y is not finite at a constrained node; x is then meaningless.
pbs_status projection_apply(struct tasks *tasks, struct projection *projection, const double *y,
                            double *x);

/// gradient = J^T gradient, J at the y last given to projection_apply.
void projection_pull_back(struct tasks *tasks, struct projection *projection, double *gradient);

/// x: admissible; gradient: g' in, grad E = Q g' out. Fixes active sets and multipliers, fills
/// projection->active.
void projection_activate(struct tasks *tasks, struct projection *projection, const double *x,
                         double *gradient);

/// Adds lambda n / weight over the active pairs of each node to forces, node_count x 3, newtons.
/// weight: c of docs/architecture.md eq. (1), s^2. By contact and by obstacle: contact_report.h.
void projection_node_forces(const struct projection *projection, double weight, double *forces);

/// The obstacle of a slot's active pair.
const struct obstacle *projection_obstacle(const struct projection *projection,
                                           const struct projection_slot *slot, size_t pair);

/// How many nodes with held axes are inside an obstacle at x, where those axes have put them.
size_t projection_count_constrained_inside(const struct projection *projection, const double *x);

/// Takes out of accelerations what the obstacles do not let happen: of nodes active at the last
/// projection_activate, all but those that leave their obstacle within h seconds, the normal part.
void projection_project_acceleration(const struct projection *projection, const double *x,
                                     const double *velocity, double h, double *acceleration);

/// Adds the impulses lambda n time of what is active to those that projection_friction will count
/// too; first: they are the first of the step. For steps of several stages over the same scene.
void projection_accumulate_impulses(struct projection *projection, double time, bool first);
void projection_forget_impulses(struct projection *projection);

/// Coulomb friction after the solve: reduces each active node's velocity relative to the obstacle's
/// surface, within the node's tangent space, by at most mu lambda / weight * h / mass, plus mu
/// times the impulses kept, and never beyond zero. Positions are not touched. Returns the loss of
/// kinetic energy relative to the obstacles, joules, >= 0.
double projection_friction(const struct projection *projection, const double *x, const double *mass,
                           double weight, double h, double *velocity);

#endif
