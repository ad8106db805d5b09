// Energy control (ECI sections 4.4 and 4.5; docs/theory/energy_control.md and docs/integrators.md,
// "Energy control"). A step ends at x = x' - alpha dx, v = w - alpha dv, where (x', w) and the
// corrections come from the recipe and alpha is such that the conservative energy is on its target.
// The target changes by what the step takes out (damping, drag, friction), by its decay, and by
// work from outside. Each island, a set of bodies that no energy joins with others, has its own
// target and alpha. The target is one of the shifted energy, which a fall under constant forces
// keeps (docs/theory/energy_control.md section 4).
#ifndef PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_H
#define PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_H

#include "contact/projection/projection.h"
#include "integrate/states/combination.h"
#include "integrate/states/rotations.h"
#include "minimize/objective/objective.h"

/// The integrator's settings, as pbs_integrator_desc says.
struct energy_settings {
    int32_t choice; ///< PBS_ALPHA_*
    double alpha, alpha_min, alpha_max;
    double fraction, ground, decay_time;
};

/// What stays with the state, for each body. Of a world that is one island, the first body has the
/// target of all.
struct energy_account {
    bool is_known;    ///< false: the target starts from the energy that the next step finds
    bool in_contact;  ///< something, in the last step
    int32_t errors;   ///< steps in a row in which alpha = 1 ended above (> 0) or below (< 0) the
                      ///< target, since the last correction
    double target;    ///< J, of the shifted energy
    double potential; ///< J, P(x_n) as the last step left it: what it has changed by since is work
    double shift;     ///< J, as the last step left it
    double step;      ///< s, the length of the last step; 0: there was none
};

struct energy_sums; ///< of one step, for each island
struct energy_body; ///< of one step, for each body

/// The arrays of control. All zero is a valid empty one. What an island has is kept at its first
/// body.
struct energy_control {
    uint32_t body_count;
    uint32_t *body;                         ///< per node; the owner fills it in
    bool by_body;                           ///< bodies that do not touch are islands of their own
    uint32_t *island;                       ///< per body: the first body of its island,
    bool is_gathered;                       ///< of this step, which stays as it is
    struct energy_account *accounts, *next; ///< before and after the step
    struct energy_account *saved;
    struct energy_sums *sums;
    struct energy_body *bodies;
    double *node_values; ///< potential by node, J
    double *force;       ///< f, N: a vector slot of the assembly each; null where nothing needs it
};

/// What all of it needs to know of one step.
struct energy_step {
    const struct energy_settings *settings;
    const struct objective *objective; ///< its conservative_count first terms are used, without
                                       ///< inertia
    size_t conservative_count;
    const struct projection *projection;
    const struct rotations *rotations; ///< null: no node is one
    const uint8_t *constrained_axes;   ///< per node, PBS_AXIS_* bits
    const double *prescribed_velocity; ///< per node, 3, m/s
    const double *velocity_now;        ///< v_n
    double h;
    double free_fall_defect; ///< sigma, the scheme's
    bool is_continued; ///< the part before this one belongs to the same motion of the obstacles
};

/// x' and w with their corrections; arrays of 3 per node.
struct energy_candidate {
    const double *x_now;
    double *x, *v;                        ///< in: x', w; out: the end of the step
    double *correction;                   ///< dv
    double *position_correction;          ///< dx; null: none, so that P is the same for all alpha
    double *trial;                        ///< scratch, with position_correction
    double *gradient_now, *gradient_next; ///< scratch, vector slots of the assembly
    double weight_now, weight_next; ///< s: M^-1 (weight_now grad P(x_n) + weight_next grad P(x'))
                                    ///< is added to dv
};

/// Of one step, over all islands.
struct energy_report {
    double alpha_low, alpha_high;
    double target, energy; ///< J, at the end
    double work;           ///< J
};

/// @param has_forces  the scheme's free_fall_defect is not 0, or it blends positions
pbs_status energy_control_reserve(struct energy_control *control, struct memory *memory,
                                  const struct assembly *assembly, uint32_t body_count,
                                  bool has_forces);
void energy_control_free(struct energy_control *control, struct memory *memory);

/// A step begins: islands without contact, the constant forces f. PBS_ERROR_HOST,
/// PBS_ERROR_INADMISSIBLE.
pbs_status energy_begin_step(struct energy_control *control, const struct energy_step *step,
                             const double *x);

/// Where the length of the step has changed, bodies that fall and touched nothing get the impulse
/// f (h_before + h) / 2 instead of h f, so that they stay on one parabola: by predictor += h M^-1 f
/// (h_before - h) / 2.
void energy_correct_free_fall(struct energy_control *control, const struct energy_step *step,
                              double *predictor);

/// What a force -gradient of damping and drag, that acts `seconds` while nodes reach velocities v,
/// takes out.
void energy_add_damping(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *gradient, const double *v);

/// What contact and its friction do in `seconds` at a stage's solution x, which it reported last,
/// while nodes reach velocities v: friction takes out, moving obstacles put in.
void energy_add_contact(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *x, const double *v);

/// Chooses alpha and moves the candidate to where it ends. PBS_ERROR_INADMISSIBLE where P is not
/// finite at an end of the step, PBS_ERROR_HOST.
pbs_status energy_choose_alpha(struct energy_control *control, const struct energy_step *step,
                               struct energy_candidate *candidate);

/// Friction acts between these two: the target changes by as much as the kinetic energy and the
/// shift.
void energy_before_friction(struct energy_control *control, const struct energy_step *step,
                            const double *v);
void energy_after_friction(struct energy_control *control, const struct energy_step *step,
                           const double *v, double heat);

/// Where something moved x afterwards: P there becomes the account's.
pbs_status energy_update_potential(struct energy_control *control, const struct energy_step *step,
                                   const double *x);

/// What energy_add_damping and energy_add_contact have counted, over all islands, J.
double energy_loss(const struct energy_control *control);

/// The step's end has been reached with velocities v: what the accounts will be, and what is to be
/// told.
struct energy_report energy_end_step(struct energy_control *control, const struct energy_step *step,
                                     const double *v);

/// How far the alphas of the last energy_choose_alpha have taken a velocity from where alpha = 1
/// would have, of the node where that is most, m/s. correction: the candidate's.
double energy_deviation(const struct energy_control *control, size_t node_count,
                        const double *correction);

/// The report of nothing, and that of a part after others: energies are the last part's, work adds
/// up, alphas are the least and the largest.
struct energy_report energy_report_empty(void);
void energy_report_add(struct energy_report *sum, const struct energy_report *part);

/// The step is taken.
void energy_accept(struct energy_control *control);

/// Remembers the accounts for a step that may be taken back.
void energy_save(struct energy_control *control);
void energy_restore(struct energy_control *control);

#endif
