// Energy control (ECI sections 4.4 and 4.5; docs/theory/energy_control.md and docs/integrators.md,
// "Energy control"). A step ends at x = x' - alpha dx, v = w - alpha dv. The recipe gives (x', w)
// and the corrections; alpha is chosen so that the conservative energy equals its target. The
// target changes by dissipation (damping, drag, friction), by its decay, and by external work. Each
// island, a set of bodies that exchange energy with each other only, has its own target and alpha.
// The target refers to the shifted energy, which is conserved in free fall under constant forces
// (docs/theory/energy_control.md section 4).
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_H
#define PBS_INTEGRATE_ENERGY_CONTROL_ENERGY_CONTROL_H

#include "contact/projection/projection.h"
#include "integrate/states/combination.h"
#include "integrate/states/rotations.h"
#include "minimize/objective/objective.h"

/// The integrator's settings; see pbs_integrator_desc.
struct energy_settings {
    int32_t choice; ///< PBS_ALPHA_*
    double alpha, alpha_min, alpha_max;
    double fraction, ground, decay_time;
};

/// Energy bookkeeping of one body; part of the saved state. If the world is a single island, the
/// first body's account stores the target of the whole world.
struct energy_account {
    bool is_known;    ///< false: the target is initialised from the energy at the next step
    bool in_contact;  ///< the body was in contact in the last step
    int32_t errors;   ///< number of consecutive steps in which the energy at alpha = 1 was above (>
                      ///< 0) or below (< 0) the target, since the last correction
    double target;    ///< J, of the shifted energy
    double potential; ///< J, P(x_n) at the end of the last step; a change before the next step is
                      ///< external work
    double shift;     ///< J, at the end of the last step
    double step;      ///< s, length of the last step; 0: none
};

struct energy_sums;  ///< sums of one step, per island
struct energy_body;  ///< sums of one step, per body
struct energy_group; ///< of energy_rotation.h

/// The arrays of energy control. Zero-initialised: valid and empty. Per-island values are stored in
/// the entry of the island's first body.
struct energy_control {
    uint32_t body_count;
    uint32_t *body;                         ///< per node: its body; filled by the owner
    bool by_body;                           ///< bodies without contact are separate islands
    uint32_t *island;                       ///< per body: the first body of its island
    bool is_gathered;                       ///< the islands of this step are final
    struct energy_account *accounts, *next; ///< before and after the step
    struct energy_account *saved;
    struct energy_sums *sums;
    struct energy_body *bodies;
    double *node_values; ///< per node: potential, J
    bool *is_whole;      ///< per body: its nodes hang together, by its mesh; from energy_find_whole
    bool *is_torn;   ///< per body: some of its bonds are broken; filled by the owner before steps
    uint32_t *group; ///< per body: the first of the bodies that joints hold together with it
    struct energy_group *groups; ///< per body; that of a group in the entry of its first body
    double *own_gradient;        ///< per node, 3, N: the part of the gradient at x_n that is not of
                                 ///< contact
    double *force; ///< constant forces f, N: vector slots of the assembly; null: no scheme needs
                   ///< them
};

/// Inputs of all functions below, fixed during one step.
struct energy_step {
    const struct energy_settings *settings;
    const struct objective *objective; ///< only its first conservative_count terms are used,
                                       ///< without inertia
    size_t conservative_count;
    const struct projection *projection;
    const struct rotations *rotations; ///< null: there are no rotation nodes
    const uint8_t *constrained_axes;   ///< per node, PBS_AXIS_* bits
    const double *prescribed_velocity; ///< per node, 3, m/s
    const double *velocity_now;        ///< v_n
    double h;
    double free_fall_defect; ///< sigma, the scheme's
    bool is_continued;       ///< the preceding substep belongs to the same prescribed motion of the
                             ///< obstacles
};

/// x' and w with their corrections; arrays of 3 per node.
struct energy_candidate {
    const double *x_now;
    double *x, *v;                   ///< in: x', w; out: state at the end of the step
    double *correction;              ///< dv
    double *position_correction;     ///< dx; null: none, so P does not depend on alpha
    double *trial;                   ///< scratch
    double *gradient_now;            ///< vector slots of the assembly: of energy_measure_start
    double *gradient_next;           ///< scratch, likewise
    double weight_now, weight_next;  ///< s: M^-1 (weight_now grad P(x_n) + weight_next grad P(x'))
                                     ///< is added to dv
    const double *impulse;           ///< s, per stage: w = v_n + sum of impulse times acceleration
    const bool *forgets;             ///< per node: has only forgotten_impulse of the stage before
                                     ///< the last one, and a translation; null: none
    double forgotten_impulse;        ///< s
    const double *contact_change;    ///< N s: what contact at the stages has to do with dv, without
                                     ///< what weight_now and weight_next add; null: not known
    double correction_now;           ///< s: of a_n in dv
    const struct kinematics *stages; ///< with accelerations in the world
    uint32_t stage_count;
};

/// Results of one step, over all islands.
struct energy_report {
    double alpha_low, alpha_high;
    double target, energy; ///< J, at the end
    double work;           ///< J, done by external forces
};

/// @param has_forces  the scheme's free_fall_defect is not 0, or it blends positions
pbs_status energy_control_reserve(struct energy_control *control, struct memory *memory,
                                  const struct assembly *assembly, uint32_t body_count,
                                  bool has_forces);
/// Finds which bodies are whole; call when the bodies of nodes are known. PBS_ERROR_MEMORY.
pbs_status energy_find_whole(struct energy_control *control, struct memory *memory,
                             const struct assembly *assembly);
void energy_control_free(struct energy_control *control, struct memory *memory);

/// Starts a step: finds the islands without contact, and computes the constant forces f.
/// PBS_ERROR_HOST, PBS_ERROR_INADMISSIBLE.
pbs_status energy_begin_step(struct energy_control *control, const struct energy_step *step,
                             const double *x);

/// Measures P(x_n), and gradient = grad P(x_n) in the vector slots of the assembly, for
/// energy_choose_alpha. Obstacles must be where they are at the start of the step: what they move
/// later is work. PBS_ERROR_INADMISSIBLE: P is not finite; PBS_ERROR_HOST.
pbs_status energy_measure_start(struct energy_control *control, const struct energy_step *step,
                                const double *x, double *gradient);

/// If the length of the step has changed, gives bodies in free fall the impulse f (h_before + h) /
/// 2 instead of h f, so that they stay on one parabola: predictor += h M^-1 f (h_before - h) / 2.
void energy_correct_free_fall(struct energy_control *control, const struct energy_step *step,
                              double *predictor);

/// Adds the energy that the damping and drag force -gradient dissipates over `seconds`. v: node
/// velocities at the end of the stage.
void energy_add_damping(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *gradient, const double *v);

/// Adds what air that moves has supplied to the body of a node, J: the work of its force on the
/// air's own velocity. energy_add_damping has counted the whole force as one that air at rest
/// exerts.
void energy_add_supply(struct energy_control *control, uint32_t node, double work);

/// Adds the work of contact over `seconds`, from the contact state last reported (at x). v: node
/// velocities at the end of the stage. Friction dissipates; moving obstacles do work on the bodies.
/// node_fractions: per node, of the step, in place of the seconds; null: none.
void energy_add_contact(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *node_fractions, const double *x,
                        const double *v);

/// Adds what joints did over `seconds`, at a stage's solution x: motors do work, dampers dissipate.
void energy_add_constraints(struct energy_control *control, const struct energy_step *step,
                            double seconds, const double *x);

/// Chooses alpha and writes the end of the step to the candidate. PBS_ERROR_INADMISSIBLE: P is not
/// finite at an end state that was tried; PBS_ERROR_HOST.
pbs_status energy_choose_alpha(struct energy_control *control, const struct energy_step *step,
                               struct energy_candidate *candidate);

/// Call before and after the friction pass: the target changes by the change of kinetic energy and
/// shift.
void energy_before_friction(struct energy_control *control, const struct energy_step *step,
                            const double *v);
void energy_after_friction(struct energy_control *control, const struct energy_step *step,
                           const double *v, double heat);

/// Call if x was changed after the choice: recomputes the stored potential P at x.
pbs_status energy_update_potential(struct energy_control *control, const struct energy_step *step,
                                   const double *x);

/// Returns the dissipation added by energy_add_damping and energy_add_contact, over all islands, J.
double energy_loss(const struct energy_control *control);

/// Computes the accounts at the end of the step with velocities v, and returns the report.
struct energy_report energy_end_step(struct energy_control *control, const struct energy_step *step,
                                     const double *v);

/// Forces that have acted as dead loads in the last step and are gone: -force . (x - reference) was
/// part of the potential.
struct energy_withdrawal {
    const double *force, *reference, *x, *v; ///< per node, 3; state at the end of the step
    size_t node_count;
    double free_fall_defect; ///< sigma, the scheme's
};

/// Call after energy_accept, instead of in the next step, so that the report has the work that the
/// forces have done: removes their potential and shift from the accounts and the report.
void energy_withdraw(struct energy_control *control, const struct energy_withdrawal *withdrawal,
                     struct energy_report *report);

/// Returns the largest |v(alpha) - v(alpha = 1)| of a node, for the alphas of the last
/// energy_choose_alpha, m/s. correction: the candidate's.
double energy_deviation(const struct energy_control *control, size_t node_count,
                        const double *correction);

/// An empty report, and the addition of a substep's report: energies are those of the last substep,
/// work is summed, alphas are the minimum and the maximum.
struct energy_report energy_report_empty(void);
void energy_report_add(struct energy_report *sum, const struct energy_report *part);

/// Accepts the step: its accounts become the current ones.
void energy_accept(struct energy_control *control);

/// Save and restore the accounts, for a step that may be undone.
void energy_save(struct energy_control *control);
void energy_restore(struct energy_control *control);

#endif
