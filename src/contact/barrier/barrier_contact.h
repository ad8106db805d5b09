// Contact that never interpenetrates: a barrier potential between all pairs of a collision mesh and
// between its points and walls, with lagged friction (ECI section 4.5; IPC, Li et al. 2020). A term
// of docs/architecture.md eq. (1) whose stencils come and go, and so one beside the others: its
// gradient is added node by node, its Hessian is the second matrix C. Walls are what a convex space
// is bounded by: half-spaces, and hollow shapes from inside; points inside are enough there.
//
// What a stage does: barrier_contact_begin_motion puts obstacles where they are at the start;
// barrier_contact_lag_friction takes friction from the state at the start of the step,
// barrier_contact_begin_stage tells the stage's history. Then any number of evaluations, sweeps and
// Hessians, in any order: which pairs are looked at is never the caller's concern. Steps and the
// minimiser do all this through barrier_contact_table.
#ifndef PBS_CONTACT_BARRIER_BARRIER_CONTACT_H
#define PBS_CONTACT_BARRIER_BARRIER_CONTACT_H

#include "contact/barrier/barrier.h"
#include "contact/search/candidates.h"
#include "contact/contact_blocks.h"
#include "contact/contact_table.h"
#include "contact/surfaces/obstacle.h"
#include "geometry/exact/intersection.h"

struct contact_settings {
    struct barrier barrier;                 ///< stiffness 0: of each pair the lesser of both parts'
    double slip_velocity;                   ///< m/s: friction is smoothed below (eps_v)
    const struct friction_table *frictions; ///< null: none
};

/// The boundary of a convex space that all points stay in: a surface of an obstacle.
struct contact_wall {
    struct contact_surface surface;
    uint32_t part;                      ///< of the mesh: the obstacle's
    struct obstacle target;             ///< the obstacle where a sweep is to take it
    double origin[3];                   ///< m: of the obstacle, now
    double translation[3], rotation[3]; ///< m, rad: how a sweep is to move it, about its origin
    bool moves;
};

/// A pair, or a point and a wall, within the contact distance.
struct active_contact {
    enum pair_kind kind;
    int point_count;
    uint32_t wall;          ///< CONTACT_NO_WALL: a pair of the mesh
    uint32_t first, second; ///< as struct candidate has them; of walls: the wall, the point
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS]; ///< closest points, as in struct closest
    double normal[3];              ///< from the second side to the first
    double distance;               ///< m, offsets not taken off
    double mollifier;              ///< 1 but for nearly parallel edges
    double threshold;              ///< of the mollifier, m^4
    double stiffness;              ///< of the barrier, in its form's unit
    struct barrier_value barrier;  ///< without the mollifier
};

/// Friction of one contact as it was at the start of the step.
struct lagged_friction {
    enum pair_kind kind;
    int point_count;
    uint32_t first, second; ///< as those of the contact
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS];
    double tangent[2][3];
    double force;     ///< N: Coulomb coefficient times normal force
    double anchor[3]; ///< m: slip is zero where sum weight_i x_i over what moves, and what turns
                      ///< adds to it, is here
    uint32_t wall;
    uint32_t rotation[2]; ///< of the mesh: rotations of both sides' spheres; or none
    /// Coordinates of a rotation times this (a cross product) are what it adds to the slip: the arm
    /// from the sphere's centre, over the rotation's length, negative of the second side.
    double lever[2][3];
};

enum { LAGGED_ROLLING_ROWS = 3 };

/// Resistance of spheres to rolling and spinning, as it was at the start of the step. Its rows are
/// angles of one side against the other about two tangents and the normal, times a radius.
struct lagged_rolling {
    enum pair_kind kind;
    int point_count;
    uint32_t points[CONTACT_POINTS];
    uint32_t wall;
    uint32_t rotation[2]; ///< of the mesh: rotations of both sides' spheres; or none
    double factor[2];     ///< of their coordinates in the rows
    double force[2];      ///< N: coefficients of rolling and of spinning times the normal force
    double radius;        ///< m
    double direction[LAGGED_ROLLING_ROWS][3];
    double vector[LAGGED_ROLLING_ROWS][CONTACT_POINTS][3]; ///< what a triangle's corners are in
                                                           ///< them
    double anchor[LAGGED_ROLLING_ROWS];                    ///< m: as of friction
};

/// What it does at the state looked at last.
struct rolling_load {
    double along[LAGGED_ROLLING_ROWS]; ///< N
    double moment[3];                  ///< N m: on the first side; the second feels the opposite
    double work;                       ///< W: what obstacles that turn put in
};

/// What was done since the owner last cleared it.
struct contact_counters {
    uint32_t searches, sweeps;
    double seconds_search, seconds_sweep;       ///< s
    double seconds_evaluate, seconds_linearize; ///< s, without the searches in them
};

/// What one piece of a parallel loop found.
struct contact_piece {
    size_t begin, count; ///< in barrier_contact.near
    double step;         ///< of a sweep
};

/// All zero is a valid empty one. Buffers grow, never shrink.
struct barrier_contact {
    struct memory *memory; ///< of the buffers
    struct contact_settings settings;
    struct collision_mesh mesh;
    struct candidates candidates;
    struct contact_wall *walls;
    size_t wall_count, wall_capacity;
    bool halted;             ///< obstacles wait: sweeps do not move them
    bool step_has_begun;     ///< a step has begun with the present candidates
    double *points;          ///< point_count x 3: of the state looked at last
    double *rotations;       ///< rotation_count x 3: coordinates of the mesh's rotations there
    double *obstacle_points; ///< point_count x 3: of obstacles, where they are
    double *motion;   ///< point_count x 3: of the sweep; obstacles' as a sweep is to move them
    double *velocity; ///< point_count x 3, m/s: of obstacles' points in this step
    double *leg;      ///< scratch: the part of a sweep that is looked at
    size_t point_capacity, rotation_capacity, obstacle_point_capacity, motion_capacity,
        obstacle_velocity_capacity, leg_capacity;
    struct active_contact *contacts;
    size_t contact_count, contact_capacity;
    double *found_points;         ///< point_count x 3: where the contacts were found,
    struct barrier found_barrier; ///< with what
    bool is_found;                ///< and nothing was searched or moved since
    size_t found_point_capacity;
    struct lagged_friction *frictions;
    size_t friction_count, friction_capacity;
    struct lagged_rolling *rollings;
    size_t rolling_count, rolling_capacity;
    size_t linearized_frictions, linearized_rollings; ///< of the last linearize
    double slip_width;                                ///< m: of this stage
    double mean_edge;                                 ///< m: of the mesh; infinity without edges
    uint32_t *near;                                   ///< scratch: candidates within reach
    size_t near_capacity;
    struct contact_piece *pieces; ///< scratch of parallel loops
    size_t piece_capacity;
    struct contact_block_index *block_indices;
    size_t block_index_capacity;
    struct contact_blocks blocks;
    struct intersection_search intersections;
    struct contact_matrix matrix; ///< C, of the last barrier_contact_linearize
    struct contact_counters counters;
};

extern const struct contact_table barrier_contact_table;

/// After the mesh or the walls have changed.
pbs_status barrier_contact_reset(struct barrier_contact *contact);
void barrier_contact_free(struct barrier_contact *contact);

/// Whether x is a state to start from: PBS_ERROR_INADMISSIBLE with *pair where anything touches, or
/// goes through anything. The message is the caller's, who knows what things are called.
pbs_status barrier_contact_check(struct barrier_contact *contact, struct tasks *tasks,
                                 const double *x, struct contact_pair *pair);

/// x: node order. gradient: null, or node order; added to. with_friction: the lagged friction too.
pbs_status barrier_contact_evaluate(struct barrier_contact *contact, struct tasks *tasks,
                                    const double *x, bool with_friction, double *gradient,
                                    struct contact_energy *out);

/// Obstacles where they are at `now`, on their way to `target` (one for each obstacle of the
/// host's; the same: they stay).
void barrier_contact_begin_motion(struct barrier_contact *contact, const struct obstacle *now,
                                  const struct obstacle *target);

/// Whether sweeps leave obstacles where they are, whatever is left of their way.
void barrier_contact_halt_motion(struct barrier_contact *contact, bool halted);

/// The largest step in [0, limit] along direction from x, where nothing touches, such that nothing
/// touches on the way: every gap keeps a tenth of itself or half the reach, or, on a way of several
/// legs of a mean edge, a tenth of what it is where the last one begins. Obstacles move by step
/// times their way to the target.
pbs_status barrier_contact_sweep(struct barrier_contact *contact, struct tasks *tasks,
                                 const double *x, const double *direction, double limit,
                                 double *step);

/// Obstacles move by that part of what is left of their way; 1: they are at the target.
void barrier_contact_advance_motion(struct barrier_contact *contact, double step);

/// Lists candidates for points where they are, or on their way by motion.
pbs_status barrier_contact_search(struct barrier_contact *contact, struct tasks *tasks,
                                  const double *motion);

/// After pairs may touch that might not, or the other way round.
void barrier_contact_forget_pairs(struct barrier_contact *contact);

/// contacts = all that is within reach at x.
pbs_status barrier_contact_find(struct barrier_contact *contact, struct tasks *tasks,
                                const double *x);

/// points = where they are when the nodes are at x.
void barrier_contact_locate(struct barrier_contact *contact, struct tasks *tasks, const double *x);

/// Whether a point's part and a wall's may touch.
bool contact_wall_touches(const struct barrier_contact *contact, const struct contact_wall *wall,
                          uint32_t point);

/// contact->matrix = the positive semidefinite Hessian at x, without rows and columns of held axes
/// (per node PBS_AXIS_* bits; null: none).
pbs_status barrier_contact_linearize(struct barrier_contact *contact, struct tasks *tasks,
                                     const struct layout *layout, const uint8_t *constrained_axes,
                                     const double *x, bool with_friction);

/// gradient += Hessian times motion, as at the last linearize, held axes and obstacles included:
/// what their way to their targets does to the others. motion: node order.
void barrier_contact_add_motion(struct barrier_contact *contact, struct tasks *tasks,
                                const double *motion, double *gradient);

/// N: what a contact of the state evaluated last does to each of its points, friction left out. A
/// wall feels the opposite of the sum.
void barrier_contact_forces(const struct barrier_contact *contact,
                            const struct active_contact *active, double forces[CONTACT_POINTS][3]);

/// N m: what friction does to the sphere of a side besides, about its centre; 0 where none turns.
/// force: on the first side.
void barrier_contact_friction_moment(const struct barrier_contact *contact,
                                     const struct lagged_friction *friction, const double force[3],
                                     int side, double moment[3]);

/// N: what friction does to the first side at the state looked at last; weight by weight it acts on
/// the points, and the opposite of it on a wall.
void barrier_contact_friction(const struct barrier_contact *contact,
                              const struct lagged_friction *friction, double force[3]);

void barrier_contact_rolling(const struct barrier_contact *contact,
                             const struct lagged_rolling *rolling, struct rolling_load *out);
/// m/s: of a row, obstacles left out, where nodes move at v (node order).
double barrier_contact_rolling_rate(const struct barrier_contact *contact,
                                    const struct lagged_rolling *rolling, int row, const double *v);

/// A step begins. Candidates may be older than it, as no result depends on which are listed; but
/// those of a way begin one more step at most: what has come to rest since has fewer.
void barrier_contact_begin_step(struct barrier_contact *contact);

/// Friction of the contacts at x, obstacles where they are, until the next call: where a step
/// begins, or at a solution of a stage that is to be solved again. To be followed by
/// barrier_contact_begin_stage.
pbs_status barrier_contact_lag_friction(struct barrier_contact *contact, struct tasks *tasks,
                                        const double *x);

/// A stage whose velocities are (x - origin) / length: what slip is measured from.
void barrier_contact_begin_stage(struct barrier_contact *contact, const double *origin,
                                 double length);

/// W: what friction takes out at x, in a stage of that length.
double barrier_contact_friction_power(struct barrier_contact *contact, struct tasks *tasks,
                                      const double *x, double length);

/// W: what obstacles that move put in by a friction, whose force on the first side is `force`.
double barrier_contact_friction_work(const struct barrier_contact *contact,
                                     const struct lagged_friction *friction, const double force[3]);

/// J: the potential of one contact; infinity where it touches.
double barrier_contact_energy(const struct active_contact *contact);

/// W: what obstacles put in by the force of one contact of the state evaluated last.
double barrier_contact_obstacle_power(const struct barrier_contact *c,
                                      const struct active_contact *contact);

/// Whether any obstacle has a way to go.
bool barrier_contact_has_motion(const struct barrier_contact *contact);

/// What is left of the longest way of any point of an obstacle, m; of walls, where the points of
/// the state evaluated last are.
double barrier_contact_remaining_motion(const struct barrier_contact *contact);

/// Of barriers at a part's surface, where they are chosen body by body; not during a minimisation.
void barrier_contact_set_stiffness(struct barrier_contact *contact, uint32_t part,
                                   double stiffness);

/// m: of a contact of the state evaluated last.
double barrier_contact_gap(const struct barrier_contact *c, const struct active_contact *contact);

/// The smallest gap among what is within reach at the state evaluated last, m; infinity: none.
double barrier_contact_least_gap(const struct barrier_contact *contact);

#endif
