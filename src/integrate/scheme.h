// Schemes as recipes (docs/theory/schemes.md section 1). A stage is x = p_x + b v, v = p_v + (c /
// b) a(x, v), where the histories p_x, p_v are linear combinations of known states. It minimises
// eq. (1) of docs/architecture.md with predictor p_x + b p_v and weight c (b^2 except for
// generalised-alpha). Afterwards v = (x - p_x) / b and a = (x - predictor) / c. A scheme defines
// the combinations for each stage and for the new state; the generic code in stepping/ does the
// rest. A new scheme is one file with these functions and one row in scheme_tables.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_SCHEME_H
#define PBS_INTEGRATE_SCHEME_H

#include "base/runtime/tasks.h"

/// States that a recipe can combine. Each is a triple (x, v, a).
enum scheme_state {
    STATE_NOW,     ///< z_n
    STATE_BEFORE,  ///< z_{n-1}, without acceleration; only for schemes with history 2
    STATE_STAGE_1, ///< (X, V, A) of the first stage
    STATE_STAGE_2,
    STATE_STAGE_3,
    STATE_COUNT
};

enum { SCHEME_STAGE_LIMIT = 3, SCHEME_PARAMETERS = 4 };

/// Source of a_n, the total acceleration at z_n. If it is not stored yet, it is computed from the
/// forces at z_n.
enum acceleration_use {
    ACCELERATION_UNUSED,
    ACCELERATION_STORED,  ///< computed by the recipe of the state, and stored with it
    ACCELERATION_SHIFTED, ///< stored, but valid at a time proportional to the step; rescaled if the
                          ///< step changes (docs/theory/schemes.md section 2)
    ACCELERATION_COMPUTED ///< computed from the forces in every step
};

/// What energy control (energy_control.h) changes at the end of a step.
enum control_use {
    CONTROL_NONE,
    CONTROL_VELOCITY, ///< v = w - alpha dv
    CONTROL_STATE     ///< also x = x' - alpha dx, with alpha in 0 .. 1
};

/// sum over states of x[s] * x_s + v[s] * v_s + a[s] * a_s. The coefficients include the powers of
/// h.
struct combination {
    double x[STATE_COUNT], v[STATE_COUNT], a[STATE_COUNT];
};

struct stage_recipe {
    double length; ///< b, seconds
    double weight; ///< c, seconds squared
    double time;   ///< time of the stage's position in the step, 0 .. 1; for prescribed nodes and
                   ///< colliders
    double share;  ///< fraction of the step for which energy control counts the stage's forces.
                   ///< Initialised to 1. Equal to that of contact_shares unless the scheme blends
                   ///< states
    double since;  ///< s, from the stage before, of stages that go on from that: bodies that were
                   ///< struck in it take another past (docs/theory/schemes.md section 2.2). 0:
                   ///< of others
    struct combination position_history; ///< p_x
    struct combination velocity_history; ///< p_v
};

struct state_recipe {
    struct combination position, velocity, acceleration; ///< x_{n+1}, v_{n+1}, a_{n+1}
    /// s. If > 0, the angular velocity of rotation nodes is v_n plus this time times the first
    /// stage's moment over mass. Used by schemes that end beyond their stage or correct velocities
    /// by forces (docs/theory/bonds.md section 2.4). 0: it is v_{n+1} as above.
    double moment_time;
    /// For schemes with energy control; position and velocity above are then x' and w. The
    /// correction dv is this combination plus M^-1 (gradient_now grad P(x_n) + gradient_next grad
    /// P(x')), with the conservative forces only.
    struct combination correction;
    /// s, for schemes with energy control: w is v_n plus these times the accelerations of the
    /// stages. All zero: angular momentum is not balanced.
    double impulse[SCHEME_STAGE_LIMIT];
    double gradient_now, gradient_next; ///< s
    /// s. For schemes that end with a kick. The velocity above is the one that damping uses at
    /// x_{n+1}; the forces there give a_{n+1}. The new velocity is the one above plus kick (a_{n+1}
    /// - a_n).
    double kick;
    struct combination position_correction; ///< dx, of CONTROL_STATE
};

/// Inputs from which a scheme computes a recipe.
struct step_view {
    double h;                 ///< s
    double h_before;          ///< s, the step that led to z_n; 0: none
    uint32_t known;           ///< number of known states: 1 (z_n) or 2
    const double *parameters; ///< the integrator's SCHEME_PARAMETERS values: theta, rho, ...
    int32_t start;            ///< PBS_START_*
};

/// A parameter of a scheme: default value and range.
struct scheme_parameter {
    const char *name; ///< "theta"; null: none
    double value, low, high;
};

struct scheme_table {
    int32_t id; ///< PBS_SCHEME_*
    const char *name;
    uint32_t history; ///< number of states used: 1 or 2. With fewer known states the recipes must
                      ///< provide a starting step
    uint32_t order;   ///< order of accuracy with the default parameters
    bool damps_ahead; ///< lagged damping is evaluated at the predictor, as in schemes of order 2,
                      ///< whose order requires it (docs/theory/schemes.md section 1.1); for schemes
                      ///< that some parameters make second order
    uint32_t stage_limit; ///< maximum number of stages, at most SCHEME_STAGE_LIMIT; 0: explicit
    enum acceleration_use acceleration;
    bool keeps_impacts; ///< has stages that hardly damp: where barriers press at x_n, a_n is found
                        ///< anew in each step (docs/theory/schemes.md section 2.1)
    bool forgets_impacts; ///< bodies that were struck do not go on with the change of velocity of
                          ///< the hit (section 2.2)
    bool leaves_feasible; ///< x_{n+1} is not the last stage's solution, so it may violate an
                          ///< obstacle or have infinite energy
    bool keeps_normal_velocity; ///< velocities across the equations of joints, which the stages'
                                ///< solutions do not have, would go on from step to step
    bool restarts_when_divided; ///< the first half of a divided step is a starting step, and the
                                ///< states at its ends are the known ones afterwards (GAT
                                ///< section 2.3.2)
    enum control_use control;
    bool is_static; ///< ends in static equilibrium: stages have no inertia, damping or drag
    bool kicks;     ///< explicit; ends with a kick by the forces at x_{n+1}
    double free_fall_defect; ///< sigma, for schemes with energy control: under a constant
                             ///< acceleration a a step moves by h v + (1/2 + sigma) h^2 a
                             ///< (docs/theory/energy_control.md section 4)
    bool may_be_linearized;  ///< one Newton step per stage gives a method of ATS
    int32_t start;           ///< PBS_START_*, the default
    int32_t alpha_choice;    ///< PBS_ALPHA_*, the default
    struct scheme_parameter parameters[SCHEME_PARAMETERS];
    uint32_t (*stage_count)(const struct step_view *step);
    void (*stage)(const struct step_view *step, uint32_t stage, struct stage_recipe *out);
    void (*finish)(const struct step_view *step, struct state_recipe *out);
};

/// Whether joints and held volumes hold, exactly or to second order where steps end beyond their
/// stages. Explicit schemes solve no stage, and blending moves the state after its stage is solved.
static inline bool scheme_meets_constraints(const struct scheme_table *scheme) {
    return scheme->stage_limit > 0 && scheme->control != CONTROL_STATE;
}

extern const struct scheme_table *const scheme_tables[]; ///< ended by null

// The rows.
extern const struct scheme_table scheme_implicit_euler, scheme_trapezoidal,
    scheme_implicit_midpoint, scheme_inner_theta, scheme_outer_theta, scheme_first_order_theta,
    scheme_second_order_theta, scheme_bdf2, scheme_newmark, scheme_generalized_alpha, scheme_sdirk2,
    scheme_tr_bdf2, scheme_symplectic_euler, scheme_variational_midpoint,
    scheme_variational_right_point, scheme_a_1, scheme_a_search, scheme_sparse_a_search,
    scheme_decoupled_sdirk2, scheme_energy_blending, scheme_velocity_verlet, scheme_quasi_static;

/// Returns whether a_n is part of the state.
bool scheme_stores_acceleration(const struct scheme_table *scheme);

/// Returns whether a_n from a step of h_before is accurate enough for a step of h. It is a second
/// difference with rounding error eps |x| / h_before^2, which is multiplied by h^2, or by h^3 if it
/// is shifted. Beyond a ratio of 100, computing it from the forces at z_n is more accurate.
bool scheme_resolves_acceleration(double h, double h_before);

/// Returns null if no scheme has this id.
const struct scheme_table *scheme_find(int32_t id);

#endif
