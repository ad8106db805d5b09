// Contact without interpenetration: a barrier potential between all pairs of a collision mesh and
// between its points and walls, with lagged friction (ECI section 4.5; IPC, Li et al. 2020). It is
// a term of docs/architecture.md eq. (1), but its stencils change, so it is kept apart from the
// other terms: its gradient is added node by node, and its Hessian is the contact matrix C. A wall
// is the boundary of a convex space: a half-space, or a hollow shape seen from inside. In a convex
// space it suffices to test points.
//
// Call order in a stage: barrier_contact_begin_motion sets the motion of obstacles,
// barrier_contact_lag_friction fixes the friction at the start of the step, and
// barrier_contact_begin_stage sets the stage's history. Then evaluations, sweeps and Hessians
// follow in any order and number; they search for pairs when needed. Steps and the minimiser call
// all of this through barrier_contact_table.
#ifndef PBS_CONTACT_BARRIER_BARRIER_CONTACT_H
#define PBS_CONTACT_BARRIER_BARRIER_CONTACT_H

#include "contact/barrier/barrier.h"
#include "contact/search/candidates.h"
#include "contact/contact_blocks.h"
#include "contact/contact_table.h"
#include "contact/surfaces/obstacle.h"
#include "geometry/exact/intersection.h"

struct contact_settings {
    struct barrier barrier; ///< stiffness 0: every pair uses the smaller of its parts' stiffnesses
    double slip_velocity;   ///< m/s: friction is smoothed below this slip velocity (eps_v in IPC)
    const struct friction_table *frictions; ///< null: none
};

/// A surface of an obstacle that bounds a convex space, which all points stay in.
struct contact_wall {
    struct contact_surface surface;
    uint32_t part;                      ///< the obstacle's part of the mesh
    struct obstacle target;             ///< the obstacle at the end of the stage's motion
    double origin[3];                   ///< m: current origin of the obstacle
    double translation[3], rotation[3]; ///< m, rad: its remaining motion; the rotation vector is
                                        ///< about its origin
    bool moves;
};

/// A pair of primitives, or a point and a wall, at a gap below the barrier's reach.
struct active_contact {
    enum pair_kind kind;
    int point_count;
    uint32_t wall;          ///< CONTACT_NO_WALL for a pair of the mesh
    uint32_t first, second; ///< as in struct candidate; for walls: wall index, point
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS]; ///< closest points, as in struct closest
    double normal[3];              ///< from the second side to the first
    double distance;               ///< m, without subtracting offsets
    double mollifier;              ///< 1 except for nearly parallel edges
    double threshold;              ///< of the mollifier, m^4
    double stiffness;              ///< of the barrier, in its form's unit
    struct barrier_value barrier;  ///< without the mollifier
};

/// Friction of one contact, with the normal force and the geometry of the state at which it was
/// lagged.
struct lagged_friction {
    enum pair_kind kind;
    int point_count;
    uint32_t first, second; ///< as in the contact
    uint32_t points[CONTACT_POINTS];
    double weight[CONTACT_POINTS];
    double tangent[2][3];
    double force;     ///< N: Coulomb coefficient times normal force
    double anchor[3]; ///< m: the slip is sum weight_i x_i over the points, plus the contributions
                      ///< of rotations, minus this
    uint32_t wall;
    uint32_t rotation[2]; ///< of each side's sphere: its rotation in the mesh, or
                          ///< COLLISION_NO_ROTATION
    /// The cross product of a rotation's coordinates with this is its contribution to the slip. It
    /// is the arm from the sphere's centre to the contact over the rotation's length, negated for
    /// the second side.
    double lever[2][3];
};

enum { LAGGED_ROLLING_ROWS = 3 };

/// Resistance of spheres to rolling and spinning, lagged as friction is. Its rows are the relative
/// angles of the two sides about two tangents and about the normal, each times a radius.
struct lagged_rolling {
    enum pair_kind kind;
    int point_count;
    uint32_t points[CONTACT_POINTS];
    uint32_t wall;
    uint32_t rotation[2]; ///< of each side's sphere: its rotation in the mesh, or
                          ///< COLLISION_NO_ROTATION
    double factor[2];     ///< factor of the rotations' coordinates in the rows
    double force[2];      ///< N: the coefficients of rolling and of spinning times the normal force
    double radius;        ///< m
    double direction[LAGGED_ROLLING_ROWS][3];
    double vector[LAGGED_ROLLING_ROWS][CONTACT_POINTS][3]; ///< derivatives of the rows with respect
                                                           ///< to a triangle's corners
    double anchor[LAGGED_ROLLING_ROWS];                    ///< m: values of the rows at zero slip
};

/// The load of rolling resistance at the state evaluated last.
struct rolling_load {
    double along[LAGGED_ROLLING_ROWS]; ///< N
    double moment[3];      ///< N m: on the first side; the second side gets the opposite
    double obstacle_power; ///< W: power supplied by rotating obstacles
};

/// Counts and times since the owner last cleared them.
struct contact_counters {
    uint32_t searches, sweeps;
    double seconds_search, seconds_sweep;       ///< s
    double seconds_evaluate, seconds_linearize; ///< s, without the searches they cause
};

/// The result of one piece of a parallel loop.
struct contact_piece {
    size_t begin, count; ///< range in barrier_contact.near
    double step;         ///< of a sweep: the largest free step
};

/// A zero-initialised one is empty and valid. Buffers grow and never shrink.
struct barrier_contact {
    struct memory *memory; ///< for all buffers
    struct contact_settings settings;
    struct collision_mesh mesh;
    struct candidates candidates;
    struct contact_wall *walls;
    size_t wall_count, wall_capacity;
    bool halted;         ///< sweeps leave obstacles at rest
    bool step_has_begun; ///< a step has begun since the last search
    double *points;      ///< point_count x 3, m: positions at the state evaluated last
    double *rotations;   ///< rotation_count x 3: coordinates of the mesh's rotations at that state
    double *obstacle_points; ///< point_count x 3, m: current positions of obstacles' points
    double *motion; ///< point_count x 3, m: motion of a sweep; for obstacles: the remaining motion
    double *velocity; ///< point_count x 3, m/s: velocities of obstacles' points in this step
    double *leg;      ///< scratch: the current leg of a sweep
    size_t point_capacity, rotation_capacity, obstacle_point_capacity, motion_capacity,
        obstacle_velocity_capacity, leg_capacity;
    struct active_contact *contacts;
    size_t contact_count, contact_capacity;
    double *found_points;         ///< point_count x 3, m: positions that the contacts belong to
    struct barrier found_barrier; ///< the barrier that they were evaluated with
    bool is_found; ///< the contacts are valid for found_points: no search and no motion of
                   ///< obstacles since
    size_t found_point_capacity;
    struct lagged_friction *frictions;
    size_t friction_count, friction_capacity;
    struct lagged_rolling *rollings;
    size_t rolling_count, rolling_capacity;
    size_t linearized_frictions, linearized_rollings; ///< counts at the last linearize
    double slip_width; ///< m: width of the smoothing of friction in this stage
    double mean_edge;  ///< m: mean rest length of the mesh's edges; infinity without edges
    uint32_t *near;    ///< scratch: indices of candidates within reach
    size_t near_capacity;
    struct contact_piece *pieces; ///< scratch: results of a parallel loop
    size_t piece_capacity;
    struct contact_block_index *block_indices;
    size_t block_index_capacity;
    struct contact_blocks blocks;
    struct intersection_search intersections;
    struct contact_matrix matrix; ///< C, built by the last barrier_contact_linearize
    struct contact_counters counters;
};

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

/// halted: sweeps leave obstacles at rest, even if they have remaining motion.
void barrier_contact_halt_motion(struct barrier_contact *contact, bool halted);

/// *step = the largest step in [0, limit] along direction from x without a collision, while
/// obstacles move by the same fraction of their remaining motion. x must be free of contact. Every
/// gap retains at least a tenth of itself or half the reach. A sweep longer than a mean edge is
/// split into legs of that length; the tenth then refers to the gap at the start of the last leg.
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

/// contacts = all pairs and points at walls within reach at x.
pbs_status barrier_contact_find(struct barrier_contact *contact, struct tasks *tasks,
                                const double *x);

/// points = the positions of the points for nodes at x; rotations likewise.
void barrier_contact_locate(struct barrier_contact *contact, struct tasks *tasks, const double *x);

/// Whether collision filters let a point touch a wall.
bool contact_wall_touches(const struct barrier_contact *contact, const struct contact_wall *wall,
                          uint32_t point);

/// contact->matrix = the Hessian at x, made positive semidefinite contact by contact, without the
/// rows and columns of constrained axes (PBS_AXIS_* bits per node; null: none).
pbs_status barrier_contact_linearize(struct barrier_contact *contact, struct tasks *tasks,
                                     const struct layout *layout, const uint8_t *constrained_axes,
                                     const double *x, bool with_friction);

/// gradient += H motion with the Hessian of the last linearize, including constrained axes and the
/// remaining motion of obstacles: the change of the gradient when these move. motion: node order.
void barrier_contact_add_motion(struct barrier_contact *contact, struct tasks *tasks,
                                const double *motion, double *gradient);

/// forces: N, of an active contact on each of its points, without friction. The force on a wall is
/// minus their sum.
void barrier_contact_forces(const struct barrier_contact *contact,
                            const struct active_contact *active, double forces[CONTACT_POINTS][3]);

/// moment: N m, of friction on the sphere of a side, about its centre; 0 if that side has no
/// rotation. force: on the first side.
void barrier_contact_friction_moment(const struct barrier_contact *contact,
                                     const struct lagged_friction *friction, const double force[3],
                                     int side, double moment[3]);

/// force: N, of friction on the first side at the state evaluated last. It is distributed over the
/// points by their weights; a wall gets the opposite force.
void barrier_contact_friction(const struct barrier_contact *contact,
                              const struct lagged_friction *friction, double force[3]);

/// Evaluates the load of rolling resistance at the state evaluated last.
void barrier_contact_rolling(const struct barrier_contact *contact,
                             const struct lagged_rolling *rolling, struct rolling_load *out);

/// Returns the rate of a row in m/s for node velocities v (node order), without the obstacles'
/// part.
double barrier_contact_rolling_rate(const struct barrier_contact *contact,
                                    const struct lagged_rolling *rolling, int row, const double *v);

/// Starts a step. Candidates of earlier steps may be reused, since no result depends on the list.
/// But candidates that were listed for a motion are discarded after one step, because bodies at
/// rest need fewer.
void barrier_contact_begin_step(struct barrier_contact *contact);

/// Fixes the friction of the contacts at x, with obstacles at their current positions, until the
/// next call. Called at the start of a step, or at the solution of a stage that is solved again.
/// barrier_contact_begin_stage must follow.
pbs_status barrier_contact_lag_friction(struct barrier_contact *contact, struct tasks *tasks,
                                        const double *x);

/// Starts a stage whose velocities are (x - origin) / length; sets the anchors that slip is
/// measured from.
void barrier_contact_begin_stage(struct barrier_contact *contact, const double *origin,
                                 double length);

/// Returns the power that friction dissipates at x in a stage of this length, W.
double barrier_contact_friction_power(struct barrier_contact *contact, struct tasks *tasks,
                                      const double *x, double length);

/// Returns the power that moving obstacles supply through a friction whose force on the first side
/// is `force`, W.
double barrier_contact_obstacle_friction_power(const struct barrier_contact *contact,
                                               const struct lagged_friction *friction,
                                               const double force[3]);

/// Returns the potential of one contact, J; infinity if it touches.
double barrier_contact_energy(const struct active_contact *contact);

/// Returns the power that obstacles supply through the barrier force of one active contact, W.
double barrier_contact_obstacle_power(const struct barrier_contact *c,
                                      const struct active_contact *contact);

/// Whether any obstacle has remaining motion.
bool barrier_contact_has_motion(const struct barrier_contact *contact);

/// Returns the largest remaining displacement of a point of an obstacle, m. For walls, it is taken
/// at the mesh's points of the state evaluated last.
double barrier_contact_remaining_motion(const struct barrier_contact *contact);

/// Sets the barrier stiffness of a part, for use when stiffness is chosen per body. Must not be
/// called during a minimisation.
void barrier_contact_set_stiffness(struct barrier_contact *contact, uint32_t part,
                                   double stiffness);

/// Returns the gap of an active contact, m.
double barrier_contact_gap(const struct barrier_contact *c, const struct active_contact *contact);

/// Returns the smallest gap of the active contacts, m; infinity if there are none.
double barrier_contact_least_gap(const struct barrier_contact *contact);

#endif
