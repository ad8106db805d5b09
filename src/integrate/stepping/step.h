// One step of any scheme: turns its recipes into stages, minimises each, forms the new state. Works
// on copies of the state in a workspace, so that a step that fails has changed nothing that
// matters. Knows no bodies.
#ifndef PBS_INTEGRATE_STEPPING_STEP_H
#define PBS_INTEGRATE_STEPPING_STEP_H

#include "contact/contact_report.h"
#include "integrate/states/combination.h"
#include "integrate/energy_control/energy_control.h"
#include "integrate/stepping/momentum.h"
#include "integrate/states/rotations.h"
#include "integrate/states/scalar.h"
#include "minimize/newton/newton.h"

/// What a scheme remembers from step to step besides z_n = (x_n, v_n).
struct scheme_memory {
    uint32_t known;                  ///< states known: 1 (z_n) or 2
    bool has_acceleration;           ///< a_n is there
    double h_before;                 ///< s
    double stable_step;              ///< s, see stable_step.h; 0: not known
    uint32_t steps_since;            ///< that it was found
    double power;                    ///< W, lost at z_n, as kept as a_n is
    struct scalar_state lost_before; ///< of z_{n-1}, relative to z_n
};

/// The arrays of a step, for one scheme and number of nodes. All zero is a valid empty one.
struct step_workspace {
    size_t node_count;
    const struct scheme_table *scheme;
    struct kinematics now, before, next, stages[SCHEME_STAGE_LIMIT];
    struct scheme_memory memory;
    struct scalar_state lost; ///< in the last step_solve
    double *position_history, *velocity_history, *predictor;
    double *contact_force;                ///< N, of obstacles on the nodes, of the last step
    double *acceleration;                 ///< a_n, where it had to be computed
    double *correction;                   ///< dv of schemes with a control
    double *position_correction;          ///< dx of those that blend states
    double *gradient_now, *gradient_next; ///< vector slots of the assembly; only with a control or
                                          ///< accelerations
    struct energy_control energy;         ///< empty without a control
    struct rotations *rotations;          ///< the caller's; null: no node is one
    bool orientations_updated;            ///< orientations are those of next already
    bool has_constraints;                 ///< of explicit steps: some axis is held
    double potential_drop;                ///< J, of static ones: see struct static_result
};

/// Scripted nodes and obstacles. Fractions are of the host's step, 0 .. 1.
struct scripts {
    void (*set_prescribed_targets)(void *self, double fraction); ///< fills targets
    pbs_status (*set_obstacles)(void *self, double fraction);    ///< ends with projection_begin
    void (*set_contact_obstacles)(void *self, double now, double target); ///< ends with
                                                                          ///< contact_set_begin_motion;
                                                                          ///< may be null without
                                                                          ///< contact
    void *self;
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    const double *targets;  ///< per node, 3: where held axes are at the fraction placed last
    const double *velocity; ///< per node, 3: of held axes during the step
};

struct step_problem {
    const struct scheme_table *scheme;
    const double *parameters;
    int32_t start;          ///< PBS_START_*
    bool linearized;        ///< one Newton step per stage
    double linear_accuracy; ///< m: of a linearized stage's solution, where 0 as good as can be; any
                            ///< other is solved to options.tolerance
    double least_mass;      ///< kg, of a node; only with linear_accuracy
    double relative_tolerance, least_tolerance, critical_step,
        extent;     ///< of static schemes, see struct static_problem
    bool continues; ///< likewise: from workspace->next, where everything scripted is at its
                    ///< targets already, to the end of the same step
    struct energy_settings energy;
    struct objective objective; ///< predictor, weight and stage are filled in here; conservative
                                ///< terms come first, and the others have no stencils
    size_t conservative_count;  ///< of the objective's terms
    struct rayleigh *damping;   ///< null: none; assembled anew at the start of each step
    struct newton *newton;
    struct projection *projection;
    struct memory *memory;         ///< of the report
    struct contact_report *report; ///< becomes what contact did in the last step_solve
    struct newton_options options;
    const struct free_body *bodies; ///< whose momentum is balanced exactly
    size_t body_count;
    const double *gravity;        ///< m/s^2, 3
    const double *force;          ///< per node, 3, N: of the host
    uint32_t friction_iterations; ///< of contact by barriers, per stage
    bool allow_unconverged;       ///< a stage that hits the iteration limit lands with what it has
    struct scripts scripts;
};

/// A part of the host's step: its length and where it lies, as fractions.
struct step_span {
    double h;
    double begin, end;
};

struct step_result {
    pbs_status status; ///< PBS_OK, PBS_NOT_CONVERGED, or why it failed, with the thread's message
                       ///< set
    uint32_t stages;
    struct newton_result newton; ///< sums over the stages; gradient_norm of the last,
                                 ///< preconditioner_shift the largest
    double dissipated;           ///< J, by damping, drag and friction
    struct energy_report energy; ///< of schemes with a control
    uint32_t active_contacts;    ///< at the end
    bool is_unsupported;         ///< of static schemes, see struct static_result
    double tolerance;            ///< N, likewise
    size_t held_inside;          ///< nodes whose held axes put them inside an obstacle at the end
    struct status_message unconverged; ///< the words of PBS_NOT_CONVERGED
};

/// body_count: for schemes with a control; which node belongs to which body, and whether bodies are
/// islands, is the caller's to fill in.
pbs_status step_workspace_reserve(struct step_workspace *workspace, struct memory *memory,
                                  const struct scheme_table *scheme,
                                  const struct assembly *assembly, uint32_t body_count);
void step_workspace_free(struct step_workspace *workspace, struct memory *memory);

/// One step from workspace->now (and before) into workspace->next. On failure now, before and
/// memory are untouched.
struct step_result step_solve(const struct step_problem *problem, const struct step_span *span,
                              struct step_workspace *workspace);

/// Makes ready contact whose forces are a term's, if there is any, at x: before they are evaluated.
/// Obstacles are where they are at that fraction of the host's step.
pbs_status step_find_contact(const struct step_problem *problem, double fraction, const double *x);

/// next becomes now, now becomes before; h: the length of the step between them.
void step_accept(struct step_workspace *workspace, struct tasks *tasks, double h);

#endif
