// One step of any scheme for a dense system (minimize/dense/dense_newton.h): turns the scheme's
// recipes into stages, solves each, and forms the new state. Failed substeps are halved. Works on
// copies of the state in a workspace. Allocates only in the create functions.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEPPING_DENSE_STEP_H
#define PBS_INTEGRATE_STEPPING_DENSE_STEP_H

#include "integrate/states/combination.h"
#include "integrate/stepping/step.h"
#include "minimize/dense/dense_newton.h"

/// A state and what the scheme stores in addition; arrays of the system's size.
struct dense_state {
    struct kinematics now;    ///< x, v, and a if memory.has_acceleration
    struct kinematics before; ///< x, v if memory.known is 2
    struct scheme_memory memory;
    double time;
};

struct dense_workspace {
    size_t size;
    struct dense_state state; ///< in: state at the start; out: state at the end
    struct kinematics next, stages[SCHEME_STAGE_LIMIT];
    double *position_history, *velocity_history, *predictor;
    double *acceleration;      ///< a_n, if it had to be computed
    double *correction;        ///< dv of A-1
    struct kinematics *starts; ///< saved states, one per depth of division
    uint32_t divisions;        ///< number of `starts`
};

struct dense_problem {
    const struct scheme_table *scheme;
    const double *parameters;
    int32_t start;      ///< PBS_START_*
    bool linearized;    ///< one linear solve per stage
    uint32_t divisions; ///< maximum depth of halving, at most the workspace's
    double alpha;       ///< of v = w - alpha dv, for schemes with a correction
    struct dense_equation equation;
    struct dense_options options;
    struct dense_newton *newton;
};

struct dense_step_result {
    pbs_status status; ///< PBS_OK, or why the step failed, with the thread's message set
    uint32_t stages, divisions, substeps;
    struct dense_result newton; ///< sums; residual and tolerance of the last stage
};

/// Arrays of a state; zero-initialised: valid and empty.
pbs_status dense_state_create(struct memory *memory, size_t size, struct dense_state *out);
void dense_state_free(struct dense_state *state, struct memory *memory);
void dense_state_copy(size_t size, const struct dense_state *source, struct dense_state *out);

pbs_status dense_workspace_create(struct memory *memory, size_t size, uint32_t divisions,
                                  struct dense_workspace *out);
void dense_workspace_free(struct dense_workspace *workspace, struct memory *memory);

/// Does a step of length h from workspace->state, in substeps if necessary. On failure
/// workspace->state is undefined.
struct dense_step_result dense_step_solve(const struct dense_problem *problem, double h,
                                          struct dense_workspace *workspace);

#endif
