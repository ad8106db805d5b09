// Schemes as recipes (integrators.md section 1.1). A stage is x = p_x + b v, v = p_v + b a(x, v) with histories p_x, p_v that are linear combinations
// of known states; it minimises DESIGN eq. (1) with predictor p_x + b p_v and weight b^2. Afterwards v = (x - p_x) / b and a = (v - p_v) / b.
// A scheme says which combinations, for each stage and for the new state; the generic code in step.c does the rest. A new scheme is
// one file with these functions and one row in scheme_tables.
#ifndef PBS_INTEGRATE_SCHEME_H
#define PBS_INTEGRATE_SCHEME_H

#include "base/status.h"

/// States that a recipe may combine. Each is a pair or triple (x, v, a).
enum scheme_state {
    STATE_NOW,      ///< z_n
    STATE_BEFORE,   ///< z_{n-1}; only for schemes with history 2
    STATE_STAGE_1,  ///< (X, V, A) of the first stage
    STATE_STAGE_2,
    STATE_STAGE_3,
    STATE_COUNT
};

/// sum over states of x[s] * x_s + v[s] * v_s + a[s] * a_s: the coefficients carry the powers of h.
struct combination {
    double x[STATE_COUNT], v[STATE_COUNT], a[STATE_COUNT];
};

struct stage_recipe {
    double length;                    ///< b, seconds
    double time;                      ///< where in the step the stage's position lies, 0 .. 1 (scripted nodes and colliders)
    struct combination position_history; ///< p_x
    struct combination velocity_history; ///< p_v
};

struct state_recipe {
    struct combination position, velocity, acceleration; ///< x_{n+1}, v_{n+1}, a_{n+1}
};

/// What a scheme may know when it writes a recipe.
struct step_view {
    double h;          ///< s
    double h_before;   ///< the step that led to z_n; 0 when there is none
    uint32_t history;  ///< states known: 1 (z_n) or 2
    const double *parameters; ///< the integrator's, e.g. theta or rho
};

struct scheme_table {
    int32_t id; ///< PBS_SCHEME_*
    const char *name;
    uint32_t history;         ///< states wanted: 1 or 2; with fewer known, the scheme's recipes must start by themselves
    bool keeps_acceleration;  ///< a_n is part of the state
    uint32_t (*stage_count)(const struct step_view *step);
    void (*stage)(const struct step_view *step, uint32_t stage, struct stage_recipe *out);
    void (*finish)(const struct step_view *step, struct state_recipe *out);
    // Energy control (A-1, A-search) enters here later as one more hook, called with conservative forces at x_n and x_{n+1}; null means none.
};

extern const struct scheme_table *const scheme_tables[]; ///< ended by null
const struct scheme_table *scheme_find(int32_t id);

#endif
