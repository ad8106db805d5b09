// One step of any scheme: turns its recipes into stages, minimises each, and forms the new state.
// Works on copies of the state in a workspace, so that a failed step changes nothing else. Does not
// know bodies.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEPPING_STEP_H
#define PBS_INTEGRATE_STEPPING_STEP_H

#include "contact/contact_report.h"
#include "energy/wind/wind.h"
#include "integrate/states/combination.h"
#include "integrate/energy_control/energy_control.h"
#include "integrate/stepping/momentum.h"
#include "integrate/impacts/struck_memory.h"
#include "integrate/states/rotations.h"
#include "integrate/states/scalar.h"
#include "minimize/newton/newton.h"

/// What a scheme stores from step to step in addition to z_n = (x_n, v_n).
struct scheme_memory {
    uint32_t known;                  ///< number of known states: 1 (z_n) or 2
    bool has_acceleration;           ///< a_n is stored
    bool was_pressed;                ///< contact acted in the previous step; not saved, as it
                                     ///< follows from the forces (step_note_contact)
    double h_before;                 ///< s, the previous step
    double stable_step;              ///< s, see stable_step.h; 0: unknown
    uint32_t steps_since;            ///< steps since stable_step was computed
    double power;                    ///< W, dissipated at z_n; stored as a_n is
    struct scalar_state lost_before; ///< of z_{n-1}, relative to z_n
};

/// The arrays of a step, for one scheme and number of nodes. Zero-initialised: valid and empty.
struct step_workspace {
    size_t node_count;
    const struct scheme_table *scheme;
    struct kinematics now, before, next, stages[SCHEME_STAGE_LIMIT];
    struct scheme_memory memory;
    struct scalar_state lost; ///< in the last step_solve
    double *position_history, *velocity_history, *predictor;
    double *contact_force;                ///< N, of obstacles on the nodes, in the last step
    double *contact_force_before;         ///< N, likewise, in the step that led to z_n; only of
                                          ///< schemes that forget impacts
    double *stage_force;                  ///< N, likewise, of the last stage
    struct struck_bodies struck;          ///< likewise, and of schemes with keeps_impacts
    struct struck_memory struck_memory;   ///< of schemes with forgets_impacts
    double *acceleration;                 ///< a_n, if it had to be computed
    double *correction;                   ///< dv, for schemes with energy control
    double *contact_change;               ///< N s: see contact_change.c; of schemes with energy
                                          ///< control that forget impacts
    double *position_correction;          ///< dx, for schemes that blend states
    double *gradient_now, *gradient_next; ///< vector slots of the assembly; only with energy
                                          ///< control or accelerations
    struct energy_control energy;         ///< empty without energy control
    struct rotations *rotations;          ///< the caller's; null: there are no rotation nodes
    bool orientations_updated;            ///< the orientations are those of `next` already
    bool has_constraints;                 ///< explicit steps: some axis is constrained
    double potential_drop;                ///< J, static schemes: see struct static_result
};

/// Prescribed motion of nodes and obstacles. Fractions refer to the host's step, 0 .. 1.
struct scripts {
    void (*set_prescribed_targets)(void *self, double fraction); ///< fills `targets`
    pbs_status (*set_obstacles)(void *self, double fraction); ///< calls projection_begin at the end
    void (*set_contact_obstacles)(void *self, double now,
                                  double target); ///< calls contact_set_begin_motion at the end;
                                                  ///< may be null without contact
    void *self;
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    const double *targets;           ///< per node, 3: prescribed positions at the fraction last set
    const double *velocity;          ///< per node, 3: prescribed velocities during the step
};

struct step_problem {
    const struct scheme_table *scheme;
    const double *parameters;
    int32_t start;          ///< PBS_START_*
    bool linearized;        ///< one Newton step per stage
    double linear_accuracy; ///< m, accuracy of a linearized stage's solution; 0: as accurate as
                            ///< possible. Other stages are solved to options.tolerance
    double least_mass;      ///< kg, of a node; only with linear_accuracy
    double critical_step, extent; ///< of static schemes, see struct static_problem
    bool continues; ///< of static schemes: repeats the end of the same step from workspace->next,
                    ///< with all prescribed nodes at their targets
    struct energy_settings energy;
    struct objective objective; ///< predictor, weight and stage are filled in here. Conservative
                                ///< terms come first, then those of wind
    size_t conservative_count;  ///< of the objective's terms
    struct wind *wind;          ///< null: none; its terms follow the conservative ones
    struct rayleigh *damping;   ///< null: none; reassembled at the start of each step
    struct newton *newton;
    struct projection *projection;
    struct memory *memory;         ///< of the report
    struct contact_report *report; ///< filled with the contacts of the last step_solve
    struct newton_options options;
    double *host_force;             ///< N, per body: that of the options, for static schemes
    const struct free_body *bodies; ///< bodies whose momentum is balanced exactly
    size_t body_count;
    const double *gravity;              ///< m/s^2, 3
    const double *force;                ///< per node, 3, N: the host's forces
    const double *constraint_stiffness; ///< per node, N/m: see struct stage_nodes; null without
                                        ///< constraints
    uint32_t friction_iterations;       ///< of barrier contact, per stage
    bool allow_unconverged; ///< a stage that reaches the iteration limit is accepted as it is
    struct scripts scripts;
};

/// A substep: its length, and its start and end as fractions of the host's step.
struct step_span {
    double h;
    double begin, end;
};

struct step_result {
    pbs_status status; ///< PBS_OK, PBS_NOT_CONVERGED, or the reason of failure, with the thread's
                       ///< message set
    uint32_t stages;
    struct newton_result newton; ///< sums over the stages; gradient_norm of the last,
                                 ///< preconditioner_shift: the maximum
    double dissipated;           ///< J, by damping, drag and friction
    struct energy_report energy; ///< of schemes with energy control
    uint32_t active_contacts;    ///< at the end of the step
    bool is_unsupported;         ///< of static schemes, see struct static_result
    size_t constrained_inside;   ///< number of nodes inside an obstacle at the end because of their
                                 ///< constrained axes
    struct status_message unconverged; ///< the message of PBS_NOT_CONVERGED
};

/// body_count: for schemes with energy control. The caller fills in the body of each node, and
/// whether bodies are islands.
pbs_status step_workspace_reserve(struct step_workspace *workspace, struct memory *memory,
                                  const struct scheme_table *scheme,
                                  const struct assembly *assembly, uint32_t body_count);
void step_workspace_free(struct step_workspace *workspace, struct memory *memory);

/// Does one step from workspace->now (and before) to workspace->next. On failure now, before and
/// memory are unchanged.
struct step_result step_solve(const struct step_problem *problem, const struct step_span *span,
                              struct step_workspace *workspace);

/// Prepares contact whose forces belong to a term, if there is any, at x; call before its forces
/// are evaluated. Obstacles are at the given fraction of the host's step.
pbs_status step_find_contact(const struct step_problem *problem, double fraction, const double *x);

/// Notes whether contact acted in the step that has ended. contact_force: of that step, N, 3 per
/// node. step_accept does so by itself; where a state is loaded, with the forces that belong to it.
void step_note_contact(struct step_workspace *workspace, const double *contact_force);
/// Accepts the step: next becomes now, now becomes before. h: the length of the step.
void step_accept(struct step_workspace *workspace, struct tasks *tasks, double h);

#endif
