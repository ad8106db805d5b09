// The interface of all kinds of contact, as term.h is that of energies. A kind is a table of
// functions over an object of its own. A world lists its contacts in a contact_set; steps, the
// minimiser and reports call the set, which calls every contact that implements the function. No
// caller depends on the kind. A new kind is one file with a table, and one line where a world lists
// its contacts.
//
// Call order of a step: begin_step, then lag_friction. In each stage: begin_motion with the
// obstacles at its start and at their targets; begin_stage with the stage's history; evaluate,
// linearize, bound and advance_motion in any order and number; report at the stage's solution. At
// the end of the step: apply_friction.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_CONTACT_TABLE_H
#define PBS_CONTACT_CONTACT_TABLE_H

#include "base/runtime/tasks.h"
#include "contact/contact_blocks.h"
#include "contact/surfaces/obstacle.h"
#include "sparse/matrices/contact_matrix.h"

/// The result of an evaluation.
struct contact_energy {
    double potential; ///< J; infinity if parts touch or intersect
    double friction;  ///< J: the lagged friction potential; not a recoverable energy
};

/// An edge and a triangle have the most points.
enum { CONTACT_PAIR_POINTS = 5 };

/// Two primitives that an error message names.
struct contact_pair {
    bool is_known;    ///< false: there is no such pair, and all other members are 0
    bool intersects;  ///< the first, an edge, intersects the second, a triangle
    uint32_t part[2]; ///< of the mesh
    int count[2];     ///< points of each side; 0 for a wall
    uint32_t points[CONTACT_PAIR_POINTS]; ///< of the mesh; those of the first side come first
    double gap;       ///< m, between the surfaces at their offsets; 0 if they intersect
    double reach;     ///< m, of the barrier
    double stiffness; ///< of the barrier
    double force;     ///< N, of the barrier
    double one_force; ///< N, of one of the pairs that it stands for, which have the same nearest
                      ///< points
};

/// The matrix C that the stencils of all contacts are added to, and its memory.
struct contact_coupling {
    struct memory *memory;
    struct contact_matrix matrix;
};

/// Options of a Hessian.
struct contact_linearization {
    const struct layout *layout;
    const uint8_t *constrained_axes; ///< PBS_AXIS_* bits per node: rows and columns to omit; null:
                                     ///< none
    bool with_friction;
    bool semidefinite; ///< make the Hessian of every contact positive semidefinite
    bool flat;         ///< leave out how distances of pairs curve
};

/// Selects the pair that a message about a failed step names.
struct contact_pair_query {
    uint32_t node;                   ///< the node with the largest residual; UINT32_MAX: none
    const uint32_t *parts;           ///< the part of each node; may be null
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    bool is_blocked; ///< choose the contact with the largest force on an obstacle or a constrained
                     ///< node instead
};

/// A state that is reported: a stage's solution, or the end of a step.
struct contact_stage {
    const double *x;
    double impulse_fraction;      ///< the stage's part of the step's impulse
    const double *node_fractions; ///< per node, in place of it where barriers push: see
                                  ///< contact_pair_fraction; null: none
    struct memory *memory;        ///< for the report's buffers
    struct contact_report *report;
    double *node_forces; ///< N, per node, added to; null: contacts are listed without forces
    uint32_t contact;    ///< index of the contact in its set; filled in by the set
};

/// The input of friction after the solve: an impulse that changes velocities.
struct friction_input {
    const double *x, *mass;          ///< mass: per node, kg
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    double h;                        ///< s: the step size
    double time;             ///< s: how long the forces of all stages together act on the velocity
    double impulse_fraction; ///< the part of `time` that belongs to the solution reported last
    double *velocity;        ///< in, out
    struct contact_report *report;
    uint32_t contact; ///< as in contact_stage
};

/// The motion along which the work of contact is evaluated.
struct contact_motion {
    const double *x, *v; ///< at a stage
    const double *v_now; ///< at the start of the step: power is taken at the mean of v_now and v;
                         ///< null: at v
    bool is_continued;   ///< this substep continues the obstacles' motion of the one before
};

/// Value of a wall index: no wall.
#define CONTACT_NO_WALL UINT32_MAX
/// Value of a node index: the side is an obstacle, which has no node.
#define CONTACT_NO_NODE UINT32_MAX

/// Potential and power of one contact.
struct contact_power {
    uint32_t nodes[2];     ///< one of each side
    double potential;      ///< J
    double obstacle_power; ///< W: power that moving obstacles supply
    double dissipation;    ///< W: power dissipated by friction
};

/// Returns the fraction of two nodes that touch, CONTACT_NO_NODE: none: the one of the first that
/// has any. Nodes of bodies that do not move have less than 0; those of others that touch have the
/// same.
static inline double contact_pair_fraction(const double *node_fractions, double fraction,
                                           uint32_t first, uint32_t second) {
    if (node_fractions == NULL) {
        return fraction;
    }
    if (first != CONTACT_NO_NODE && node_fractions[first] >= 0.0) {
        return node_fractions[first];
    }
    return second != CONTACT_NO_NODE && node_fractions[second] >= 0.0 ? node_fractions[second]
                                                                      : fraction;
}

struct contact_visitor {
    void (*visit)(void *context, const struct contact_power *power);
    void *context;
};

/// What joins two particles of a part and breaks.
struct contact_bond {
    uint32_t part;
    size_t bond;         ///< of the part
    const uint32_t *end; ///< 2: the part's particles
};

struct contact_report;
struct contact_record;
struct contact_geometry;

/// The functions of a kind of contact. Null members are skipped. Coordinates are in node order.
struct contact_table {
    const char *name;
    // --- at the start of a step ---
    /// Starts a step.
    void (*begin_step)(void *self);
    /// Fixes the friction of the contacts at x, with obstacles at their current positions, until
    /// the next call. begin_stage must follow. is_start: x is the start of the step. *count +=
    /// number of contacts with friction.
    pbs_status (*lag_friction)(void *self, struct tasks *tasks, const double *x, bool is_start,
                               size_t *count);
    /// Takes the last call of lag_friction back. begin_stage must follow, or have been called with
    /// that friction in this stage.
    void (*restore_friction)(void *self);
    // --- in a stage ---
    /// Sets the motion of the obstacles in this stage, from `now` to `target`, one entry for each
    /// obstacle of the world. Equal entries: the obstacle rests.
    void (*begin_motion)(void *self, const struct obstacle *now, const struct obstacle *target);
    /// Starts a stage whose velocities are (x - origin) / length.
    void (*begin_stage)(void *self, const double *origin, double length);
    /// Evaluates the energy at x. gradient: N, added to; may be null.
    pbs_status (*evaluate)(void *self, struct tasks *tasks, const double *x, bool with_friction,
                           double *gradient, struct contact_energy *out);
    /// *blocks = the stencils of the Hessian at x; valid until the next call.
    pbs_status (*linearize)(void *self, struct tasks *tasks,
                            const struct contact_linearization *options, const double *x,
                            const struct contact_blocks **blocks);
    /// gradient += H motion with the Hessian of the last linearize, but including constrained axes
    /// and the remaining motion of obstacles. So it is the change of the gradient, to first order,
    /// when constrained nodes and obstacles move to their targets.
    void (*add_motion)(void *self, struct tasks *tasks, const double *motion, double *gradient);
    /// Tells of a Newton direction that was found with the Hessian of the last linearize, before
    /// anything else is evaluated. It need not be followed to its end. Null: what earlier ones told
    /// is forgotten.
    void (*follow)(void *self, const double *direction);
    /// Whether that Hessian was, to a tenth of what friction may be, that of the energy. Otherwise
    /// a short direction says nothing about how near the solution is.
    bool (*is_settled)(const void *self);
    /// *step = the largest step in [0, limit] along direction from x without a collision, while
    /// obstacles move by the same fraction of their remaining motion.
    pbs_status (*bound)(void *self, struct tasks *tasks, const double *x, const double *direction,
                        double limit, double *step);
    double (*reach)(const void *self); ///< m, > 0: gaps from here on have no force; given together
                                       ///< with `bound`
    // --- motion of obstacles, with `bound` ---
    bool (*has_motion)(const void *self);            ///< whether any obstacle has remaining motion
    void (*advance_motion)(void *self, double step); ///< moves obstacles by this fraction of the
                                                     ///< rest
    void (*halt_motion)(void *self, bool halted);    ///< true: `bound` leaves obstacles at rest
    /// `bound` leaves this fraction of gaps; 0: what it leaves otherwise. Null: it has no gaps.
    void (*leave_gaps)(void *self, double fraction);
    // --- at a stage's solution ---
    /// Evaluates contact at the solution, and adds forces and friction to the report.
    pbs_status (*report)(void *self, struct tasks *tasks, const struct contact_stage *stage);
    size_t (*count)(const void *self); ///< active contacts of the state evaluated last
    /// The mesh whose points the records refer to; null: records refer to nodes.
    const struct collision_mesh *(*mesh)(const void *self);
    /// The geometry of a record's contact at the state evaluated last, which has the nodes at x.
    void (*geometry)(const void *self, const struct contact_report *report,
                     const struct contact_record *record, const double *x,
                     struct contact_geometry *out);
    /// W: the power that friction dissipates at x in a stage of this length.
    double (*friction_power)(void *self, struct tasks *tasks, const double *x, double length);
    /// Visits the power of every contact at the state reported last. motion null: visits only the
    /// potentials, at the state evaluated last.
    void (*visit)(const void *self, const struct contact_motion *motion,
                  const struct contact_visitor *visitor);
    /// Called when the solution reported last is not the end of the step: adds its impulse over
    /// `time` seconds to the normal impulses that limit the friction at the end. first: starts a
    /// new sum.
    void (*accumulate_impulses)(void *self, double time, bool first);
    // --- at the end of a step ---
    /// Removes from the accelerations at x the components that the obstacles prevent, for nodes
    /// that stay in contact for h seconds under the force -gradient.
    void (*project_acceleration)(void *self, struct tasks *tasks, const double *x,
                                 const double *velocity, double h, double *gradient,
                                 double *acceleration);
    /// Reports the end of a step that is no stage's solution. push: N, the force by which obstacles
    /// have brought the nodes to stage->x; overwritten.
    pbs_status (*report_end)(void *self, struct tasks *tasks, const struct contact_stage *stage,
                             double *push);
    /// Applies friction after the solve to the velocities. Returns the dissipated energy relative
    /// to the obstacles, J.
    double (*apply_friction)(void *self, const struct friction_input *input);
    /// Adds the contact forces of the whole step to the nodes, N. Null if `report` has done so or
    /// if the forces are an energy term.
    void (*end_step)(const void *self, const struct contact_report *report, double *node_forces);
    // --- in explicit steps, whose contact forces are an energy term ---
    /// Computes the forces at x for that term.
    pbs_status (*prepare_forces)(void *self, struct tasks *tasks, const double *x);
    /// 1/s^2: a bound of what contact adds to the square of the highest frequency.
    double (*squared_frequency)(const void *self, const double *mass);
    // --- when bonds break ---
    /// Particles that were bonded touch from that distance on. Returns what `hold` wants.
    double (*release)(void *self, const struct contact_bond *bond, double distance);
    /// They are bonded again. before: what `release` returned.
    void (*hold)(void *self, const struct contact_bond *bond, double before);
    // --- after a failure ---
    /// Finds the contact at x that the error message names; out->is_known is false if there is
    /// none.
    void (*find_failed_pair)(void *self, struct tasks *tasks, const double *x,
                             const struct contact_pair_query *query, struct contact_pair *out);
};

struct contact {
    const struct contact_table *table;
    void *self;
};

enum { CONTACT_SET_LIMIT = 4 };

/// All contacts of a world. At most one of them has `bound`. A zero-initialised set is empty and
/// valid.
struct contact_set {
    size_t count;
    struct contact contacts[CONTACT_SET_LIMIT];
};

void contact_set_add(struct contact_set *set, const struct contact_table *table, void *self);

// Each function calls the table's function of the same name for all contacts. Energies and counts
// are sums.
void contact_set_begin_step(const struct contact_set *set);
pbs_status contact_set_lag_friction(const struct contact_set *set, struct tasks *tasks,
                                    const double *x, bool is_start, size_t *count);
void contact_set_restore_friction(const struct contact_set *set);
void contact_set_begin_motion(const struct contact_set *set, const struct obstacle *now,
                              const struct obstacle *target);
void contact_set_begin_stage(const struct contact_set *set, const double *origin, double length);
pbs_status contact_set_evaluate(const struct contact_set *set, struct tasks *tasks, const double *x,
                                bool with_friction, double *gradient, struct contact_energy *out);
/// The largest number of sets of stencils that the contacts of a world have.
enum { CONTACT_STENCIL_SETS = CONTACT_SET_LIMIT * CONTACT_STENCIL_LIMIT };
/// Writes the stencils of all contacts to `sets`. *count: how many sets there are; 0 if no contact
/// has a Hessian.
pbs_status contact_set_linearize(const struct contact_set *set, struct tasks *tasks,
                                 const struct contact_linearization *options, const double *x,
                                 struct contact_stencils sets[CONTACT_STENCIL_SETS], size_t *count);
void contact_set_add_motion(const struct contact_set *set, struct tasks *tasks,
                            const double *motion, double *gradient);
void contact_set_follow(const struct contact_set *set, const double *direction);
bool contact_set_is_settled(const struct contact_set *set);
pbs_status contact_set_bound(const struct contact_set *set, struct tasks *tasks, const double *x,
                             const double *direction, double limit, double *step);
/// Whether any contact bounds steps.
bool contact_set_bounds(const struct contact_set *set);
double contact_set_reach(const struct contact_set *set); ///< 0 if no contact bounds steps
bool contact_set_has_motion(const struct contact_set *set);
void contact_set_advance_motion(const struct contact_set *set, double step);
void contact_set_halt_motion(const struct contact_set *set, bool halted);
void contact_set_leave_gaps(const struct contact_set *set, double fraction);
/// Whether any contact has a potential.
bool contact_set_has_potential(const struct contact_set *set);
/// counts: set to the number of active contacts for every entry that reports.
pbs_status contact_set_report(const struct contact_set *set, struct tasks *tasks,
                              const struct contact_stage *stage, size_t counts[CONTACT_SET_LIMIT]);
/// The mesh of the first contact that has one; null if none has.
const struct collision_mesh *contact_set_mesh(const struct contact_set *set);
void contact_set_geometry(const struct contact_set *set, const struct contact_report *report,
                          const struct contact_record *record, const double *x,
                          struct contact_geometry *out);
/// counts: set likewise, for the entries with report_end and for those without `report`.
pbs_status contact_set_report_end(const struct contact_set *set, struct tasks *tasks,
                                  const struct contact_stage *stage, double *push,
                                  size_t counts[CONTACT_SET_LIMIT]);
double contact_set_friction_power(const struct contact_set *set, struct tasks *tasks,
                                  const double *x, double length);
void contact_set_visit(const struct contact_set *set, const struct contact_motion *motion,
                       const struct contact_visitor *visitor);
void contact_set_accumulate_impulses(const struct contact_set *set, double time, bool first);
void contact_set_project_acceleration(const struct contact_set *set, struct tasks *tasks,
                                      const double *x, const double *velocity, double h,
                                      double *gradient, double *acceleration);
double contact_set_apply_friction(const struct contact_set *set,
                                  const struct friction_input *input);
void contact_set_end_step(const struct contact_set *set, const struct contact_report *report,
                          double *node_forces);
bool contact_set_has_forces(const struct contact_set *set);
pbs_status contact_set_prepare_forces(const struct contact_set *set, struct tasks *tasks,
                                      const double *x);
double contact_set_squared_frequency(const struct contact_set *set, const double *mass);
size_t contact_set_count(const struct contact_set *set);
/// One of them at most keeps particles that are bonded from touching.
double contact_set_release(const struct contact_set *set, const struct contact_bond *bond,
                           double distance);
void contact_set_hold(const struct contact_set *set, const struct contact_bond *bond,
                      double before);
void contact_set_find_failed_pair(const struct contact_set *set, struct tasks *tasks,
                                  const double *x, const struct contact_pair_query *query,
                                  struct contact_pair *out);

#endif
