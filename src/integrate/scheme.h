// Schemes as recipes (docs/theory/schemes.md section 1). A stage is x = p_x + b v, v = p_v + (c /
// b) a(x, v) with histories p_x, p_v that are linear combinations of known states; it minimises eq.
// (1) of docs/architecture.md with predictor p_x + b p_v and weight c (b^2 but for
// generalised-alpha). Afterwards v = (x - p_x) / b and a = (x - predictor) / c. A scheme says which
// combinations, for each stage and for the new state; the generic code in step.c does the rest. A
// new scheme is one file with these functions and one row in scheme_tables.
#ifndef PBS_INTEGRATE_SCHEME_H
#define PBS_INTEGRATE_SCHEME_H

#include "base/runtime/tasks.h"

/// States that a recipe may combine. Each is a triple (x, v, a).
enum scheme_state {
    STATE_NOW,     ///< z_n
    STATE_BEFORE,  ///< z_{n-1}, without acceleration; only for schemes with history 2
    STATE_STAGE_1, ///< (X, V, A) of the first stage
    STATE_STAGE_2,
    STATE_STAGE_3,
    STATE_COUNT
};

enum { SCHEME_STAGE_LIMIT = 3, SCHEME_PARAMETERS = 4 };

/// How a scheme knows a_n, the total acceleration at z_n. Where it has none yet, all but UNUSED
/// take it from the forces at z_n.
enum acceleration_use {
    ACCELERATION_UNUSED,
    ACCELERATION_STORED,  ///< as the recipe of the state says
    ACCELERATION_SHIFTED, ///< kept, but of a time proportional to the step: rescaled when that
                          ///< changes (docs/theory/schemes.md section 2)
    ACCELERATION_COMPUTED ///< from the forces, in every step
};

/// What energy control (energy_control.h) may change at the end of a step.
enum control_use {
    CONTROL_NONE,
    CONTROL_VELOCITY, ///< v = w - alpha dv
    CONTROL_STATE     ///< x = x' - alpha dx too, alpha within 0 .. 1
};

/// sum over states of x[s] * x_s + v[s] * v_s + a[s] * a_s: the coefficients carry the powers of h.
struct combination {
    double x[STATE_COUNT], v[STATE_COUNT], a[STATE_COUNT];
};

struct stage_recipe {
    double length; ///< b, seconds
    double weight; ///< c, seconds squared
    double time;   ///< where in the step the stage's position lies, 0 .. 1 (scripted nodes and
                   ///< colliders)
    double share;  ///< of the step for which energy control counts the stage's forces; 1 before the
                   ///< recipe is written. As contact_shares has it, but where states are blended
    struct combination position_history; ///< p_x
    struct combination velocity_history; ///< p_v
};

struct state_recipe {
    struct combination position, velocity, acceleration; ///< x_{n+1}, v_{n+1}, a_{n+1}
    /// Where the angular velocity of rotation nodes is v_n plus this time the first stage's moments
    /// over the mass: of schemes that end beyond their stage or correct velocities by forces
    /// (docs/theory/bonds.md section 2.4); s. 0: it is v_{n+1} as above.
    double moment_time;
    /// For schemes with a control, the position and velocity above being x' and w: the correction
    /// dv is this combination plus M^-1 (gradient_now grad P(x_n) + gradient_next grad P(x')), with
    /// the conservative forces alone.
    struct combination correction;
    double gradient_now, gradient_next; ///< s
    /// For schemes that end with a kick: the velocity above is what damping sees at x_{n+1}, the
    /// forces there make a_{n+1}, and the new velocity is this time a_{n+1} - a_n more; s.
    double kick;
    struct combination position_correction; ///< dx, of CONTROL_STATE
};

/// What a scheme may know when it writes a recipe.
struct step_view {
    double h;                 ///< s
    double h_before;          ///< the step that led to z_n; 0 when there is none
    uint32_t known;           ///< states known: 1 (z_n) or 2
    const double *parameters; ///< SCHEME_PARAMETERS, the integrator's: theta, rho, ...
    int32_t start;            ///< PBS_START_*
};

/// A parameter of a scheme and what it may be.
struct scheme_parameter {
    const char *name; ///< "theta"; null: none
    double value, low, high;
};

struct scheme_table {
    int32_t id; ///< PBS_SCHEME_*
    const char *name;
    uint32_t history; ///< states wanted: 1 or 2; with fewer known, the recipes must start by
                      ///< themselves
    uint32_t order;   ///< of accuracy, with the default parameters
    bool damps_ahead; ///< lagged damping is taken at the predictor, as where the order is 2, which
                      ///< keeps it (section 1.1): some parameters give order 2
    uint32_t stage_limit; ///< most stages of a step, at most SCHEME_STAGE_LIMIT; 0: explicit
    enum acceleration_use acceleration;
    bool leaves_feasible; ///< x_{n+1} is not the last stage's solution: it may be where an obstacle
                          ///< or an energy forbids it
    bool restarts_when_divided; ///< the first half of a divided step starts afresh, and its ends
                                ///< are neighbours afterwards (GAT section 2.3.2)
    enum control_use control;
    bool is_static; ///< ends in equilibrium at rest: stages are without inertia, damping and drag
    bool kicks;     ///< explicit: ends with a kick by the forces at x_{n+1}
    double free_fall_defect; ///< sigma: a step under the acceleration a moves by h v + (1/2 +
                             ///< sigma) h^2 a (docs/theory/energy_control.md section 4); of schemes
                             ///< with a control
    bool may_be_linearized; ///< one Newton step per stage is one of ATS's methods
    int32_t start;          ///< PBS_START_*, the default
    int32_t alpha_choice;   ///< PBS_ALPHA_*, the default
    struct scheme_parameter parameters[SCHEME_PARAMETERS];
    uint32_t (*stage_count)(const struct step_view *step);
    void (*stage)(const struct step_view *step, uint32_t stage, struct stage_recipe *out);
    void (*finish)(const struct step_view *step, struct state_recipe *out);
};

extern const struct scheme_table *const scheme_tables[]; ///< ended by null

// The rows.
extern const struct scheme_table scheme_implicit_euler, scheme_trapezoidal,
    scheme_implicit_midpoint, scheme_inner_theta, scheme_outer_theta, scheme_first_order_theta,
    scheme_second_order_theta, scheme_bdf2, scheme_newmark, scheme_generalized_alpha, scheme_sdirk2,
    scheme_tr_bdf2, scheme_symplectic_euler, scheme_variational_midpoint,
    scheme_variational_right_point, scheme_a_1, scheme_a_search, scheme_sparse_a_search,
    scheme_decoupled_sdirk2, scheme_energy_blending, scheme_velocity_verlet, scheme_quasi_static;

/// Whether a_n is part of the state.
bool scheme_stores_acceleration(const struct scheme_table *scheme);

/// Whether a_n from a step of h_before is of use to one of h. It is a second difference with a
/// rounding error of eps |x| / h_before^2, which h^2, and h^3 where it is shifted, multiplies: past
/// a ratio of 100 the forces at z_n know better.
bool scheme_resolves_acceleration(double h, double h_before);

/// Null where none has this id.
const struct scheme_table *scheme_find(int32_t id);

#endif
