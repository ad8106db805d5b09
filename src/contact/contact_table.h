// The seam of all kinds of contact, as term.h is that of energies: a kind is a table of functions
// over an object of its own, and nobody outside asks which kind it is. A world lists the contacts
// that it has in a contact_set; steps, the minimiser and reports ask the set, which asks each of
// them that has an answer. A new kind is one file with a table, and one line where a world lists
// them.
//
// What a step does: begin_step and lag at its start. In each stage: place takes obstacles from
// where they are at its start to where they are wanted, begin tells the stage's history; any number
// of evaluate, linearize, bound and advance in any order; report at the stage's solution. At the
// end of the step: rub.
#ifndef PBS_CONTACT_CONTACT_TABLE_H
#define PBS_CONTACT_CONTACT_TABLE_H

#include "base/runtime/tasks.h"
#include "contact/surfaces/obstacle.h"
#include "sparse/matrices/contact_matrix.h"

/// What an evaluation found.
struct contact_energy {
    double potential; ///< J; infinity where something touches that must not
    double friction;  ///< J: value of the lagged potential, which is no energy that could be had
                      ///< back
};

/// Of an edge and a triangle.
enum { CONTACT_PAIR_POINTS = 5 };

/// Two primitives that a message names.
struct contact_pair {
    bool is_known;    ///< false: there is none, and all else is 0
    bool intersects;  ///< the first, an edge, goes through the second, a triangle
    uint32_t part[2]; ///< of the mesh
    int count[2];     ///< points of each side; 0 of a wall
    uint32_t points[CONTACT_PAIR_POINTS]; ///< of the mesh, the first side's first
    double gap;                           ///< m, offsets taken off; 0 where it intersects
    double stiffness;                     ///< of the barrier
    double force;                         ///< N, of the barrier
};

/// What a Hessian is wanted for.
struct contact_linearization {
    const struct layout *layout;
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits, whose rows and columns are left
                                     ///< out; null: none
    bool with_friction;
    bool semidefinite; ///< positive semidefinite, contact by contact
};

/// Which pair a message about a failure is to name.
struct contact_pair_query {
    uint32_t node;                   ///< the one that is pushed most; UINT32_MAX: none
    const uint32_t *parts;           ///< of each node; may be null
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    bool is_blocked;                 ///< what pushes against obstacles or held axes instead
};

/// A stage's solution, or the end of a step.
struct contact_stage {
    const double *x;
    double impulse_fraction; ///< of the step's impulse
    struct memory *memory;   ///< of the report
    struct contact_report *report;
    double *node_forces; ///< N: on nodes, added to; null: contacts are listed, and no more
    uint32_t contact;    ///< whose it is, of the set; the set fills it in
};

/// Velocities that friction acts on after the solve.
struct friction_input {
    const double *x, *mass;          ///< mass: per node, kg
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    double h;                        ///< s: of the step,
    double time;             ///< s: for which the forces of one solution act on velocities, in all,
    double impulse_fraction; ///< and the part of it that belongs to the solution reported last
    double *velocity;        ///< in, out
    struct contact_report *report;
    uint32_t contact; ///< as in contact_stage
};

/// How things move while contact does work.
struct contact_motion {
    const double *x, *v; ///< at a stage
    const double *v_now; ///< at the start of the step: forces meet the mean of both; null: v alone
    bool is_continued;   ///< the part of a step before this one belongs to the same motion of the
                         ///< obstacles
};

/// In place of a wall: there is none.
#define CONTACT_NO_WALL UINT32_MAX
/// In place of a node: an obstacle.
#define CONTACT_NO_NODE UINT32_MAX

/// What one contact keeps, puts in and takes out.
struct contact_power {
    uint32_t nodes[2];     ///< one of each side
    double potential;      ///< J
    double obstacle_power; ///< W: what obstacles put in
    double dissipation;    ///< W: what friction takes out
};

struct contact_visitor {
    void (*visit)(void *context, const struct contact_power *power);
    void *context;
};

struct contact_report;
struct contact_record;
struct contact_geometry;

/// Whatever is null has nothing to do. Coordinates are in node order.
struct contact_table {
    const char *name;
    // --- at the start of a step ---
    /// A step begins.
    void (*begin_step)(void *self);
    /// What is taken from a known state until the next call: friction of the contacts at x,
    /// obstacles where they are. To be followed by `begin`. *count += how many there are.
    pbs_status (*lag_friction)(void *self, struct tasks *tasks, const double *x, size_t *count);
    // --- in a stage ---
    /// Obstacles are at `now`, on their way to `target` (one for each obstacle of the world; the
    /// same: they stay).
    void (*begin_motion)(void *self, const struct obstacle *now, const struct obstacle *target);
    /// Velocities of the stage are (x - origin) / length.
    void (*begin_stage)(void *self, const double *origin, double length);
    /// gradient: null, or added to; in newtons.
    pbs_status (*evaluate)(void *self, struct tasks *tasks, const double *x, bool with_friction,
                           double *gradient, struct contact_energy *out);
    /// *matrix = the Hessian at x, until the next call.
    pbs_status (*linearize)(void *self, struct tasks *tasks,
                            const struct contact_linearization *wanted, const double *x,
                            const struct contact_matrix **matrix);
    /// gradient += Hessian times motion, as at the last linearize, held axes included and what is
    /// left of the way of obstacles.
    void (*add_motion)(void *self, struct tasks *tasks, const double *motion, double *gradient);
    /// The largest step in [0, limit] along direction from x on whose way nothing touches that must
    /// not, obstacles moving along. Of what is bounded so, forces change within `reach`.
    pbs_status (*bound)(void *self, struct tasks *tasks, const double *x, const double *direction,
                        double limit, double *step);
    double (*reach)(const void *self); ///< m, > 0; with `bound`
    // --- the way of obstacles, with `bound` ---
    bool (*has_motion)(const void *self);         ///< any has a way to go
    double (*remaining_motion)(const void *self); ///< m: what is left of it, of any of their points
    void (*advance_motion)(void *self, double step); ///< they go that part of what is left
    void (*halt_motion)(void *self, bool halted);    ///< bounds leave them where they are
    // --- at a stage's solution ---
    /// Evaluates there; forces and friction become part of the report.
    pbs_status (*report)(void *self, struct tasks *tasks, const struct contact_stage *stage);
    size_t (*count)(const void *self); ///< contacts that are active at the state looked at last
    /// The points that its records count; null: those are nodes.
    const struct collision_mesh *(*mesh)(const void *self);
    /// A record's contact at the state looked at last, with nodes at x.
    void (*geometry)(const void *self, const struct contact_report *report,
                     const struct contact_record *record, const double *x,
                     struct contact_geometry *out);
    /// W: what friction takes out there in a stage of that length.
    double (*friction_power)(void *self, struct tasks *tasks, const double *x, double length);
    /// All contacts of the state reported last, with what friction does there; of the state
    /// evaluated last without motion (null), potentials alone.
    void (*visit)(const void *self, const struct contact_motion *motion,
                  const struct contact_visitor *visitor);
    /// The solution reported last is not the step's end: its impulses in `time` seconds count for
    /// the friction of the end. first: they are the first of the step.
    void (*accumulate_impulses)(void *self, double time, bool first);
    // --- at the end of a step ---
    /// Takes out of accelerations what obstacles do not let happen to what is at x, pushed by
    /// -gradient, in h seconds.
    void (*project_acceleration)(void *self, struct tasks *tasks, const double *x,
                                 const double *velocity, double h, double *gradient,
                                 double *acceleration);
    /// The step ends where push (newtons; changed) has taken it: a report as of a stage.
    pbs_status (*report_end)(void *self, struct tasks *tasks, const struct contact_stage *stage,
                             double *push);
    /// Friction after the solve. Returns what it takes out, J, relative to obstacles.
    double (*apply_friction)(void *self, const struct friction_input *input);
    /// Adds to nodes what their points bear in the whole step, N, if no report has.
    void (*end_step)(const void *self, const struct contact_report *report, double *node_forces);
    // --- in explicit steps, where forces are a term of their own ---
    /// Makes ready the forces at x.
    pbs_status (*prepare_forces)(void *self, struct tasks *tasks, const double *x);
    /// 1/s^2: how much it may add to the square of the highest frequency.
    double (*squared_frequency)(const void *self, const double *mass);
    // --- when something failed ---
    /// The contact at x that a message is to name; is_known is false: there is none.
    void (*find_failed_pair)(void *self, struct tasks *tasks, const double *x,
                             const struct contact_pair_query *query, struct contact_pair *out);
};

struct contact {
    const struct contact_table *table;
    void *self;
};

enum { CONTACT_SET_LIMIT = 4 };

/// All contacts of a world. One of them at most has a Hessian, or bounds. All zero is a valid empty
/// one.
struct contact_set {
    size_t count;
    struct contact contacts[CONTACT_SET_LIMIT];
};

void contact_set_add(struct contact_set *set, const struct contact_table *table, void *self);

// As the table has them, for all contacts; energies add up, and the smallest step counts.
void contact_set_begin_step(const struct contact_set *set);
pbs_status contact_set_lag_friction(const struct contact_set *set, struct tasks *tasks,
                                    const double *x, size_t *count);
void contact_set_begin_motion(const struct contact_set *set, const struct obstacle *now,
                              const struct obstacle *target);
void contact_set_begin_stage(const struct contact_set *set, const double *origin, double length);
pbs_status contact_set_evaluate(const struct contact_set *set, struct tasks *tasks, const double *x,
                                bool with_friction, double *gradient, struct contact_energy *out);
/// *matrix: null where nothing has a Hessian.
pbs_status contact_set_linearize(const struct contact_set *set, struct tasks *tasks,
                                 const struct contact_linearization *wanted, const double *x,
                                 const struct contact_matrix **matrix);
void contact_set_add_motion(const struct contact_set *set, struct tasks *tasks,
                            const double *motion, double *gradient);
pbs_status contact_set_bound(const struct contact_set *set, struct tasks *tasks, const double *x,
                             const double *direction, double limit, double *step);
/// Whether any of them bounds steps.
bool contact_set_bounds(const struct contact_set *set);
double contact_set_reach(const struct contact_set *set); ///< 0: nothing bounds steps
bool contact_set_has_motion(const struct contact_set *set);
double contact_set_remaining_motion(const struct contact_set *set);
void contact_set_advance_motion(const struct contact_set *set, double step);
void contact_set_halt_motion(const struct contact_set *set, bool halted);
/// Whether any of them has a potential.
bool contact_set_has_potential(const struct contact_set *set);
/// counts: of those that report it becomes how many are active, contact by contact.
pbs_status contact_set_report(const struct contact_set *set, struct tasks *tasks,
                              const struct contact_stage *stage, size_t counts[CONTACT_SET_LIMIT]);
/// That of the one that has any; null: none.
const struct collision_mesh *contact_set_mesh(const struct contact_set *set);
void contact_set_geometry(const struct contact_set *set, const struct contact_report *report,
                          const struct contact_record *record, const double *x,
                          struct contact_geometry *out);
/// counts: likewise, of all that are pushed, and of those that never report.
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
void contact_set_find_failed_pair(const struct contact_set *set, struct tasks *tasks,
                                  const double *x, const struct contact_pair_query *query,
                                  struct contact_pair *out);

#endif
