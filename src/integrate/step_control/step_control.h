// Step-size control (docs/theory/step_control.md): the length of the next step, and the decision on
// a step from what was measured at its end. Pure arithmetic on lengths and measured numbers,
// without states, so that worlds and systems share it.
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_STEP_CONTROL_STEP_CONTROL_H
#define PBS_INTEGRATE_STEP_CONTROL_STEP_CONTROL_H

#include <stdint.h>

#include "base/runtime/status.h"
#include "pbs/integrator.h"

/// Settings with all defaults filled in.
struct step_control {
    int32_t kind; ///< PBS_STEP_*
    int32_t rule; ///< PBS_STEP_RULE_*
    double tolerance, initial, min, max;
    double exponent, safety, growth;
    double fracture; ///< s, maximum step while bonds break; 0: derived from the bodies
    uint32_t quiet;  ///< accepted steps without a broken bond until this limit is lifted
    /// Limits steps to 1/2 to 2 times the previous one. Two-step schemes keep their order and
    /// stability without this (two_step.c), but lose accuracy. On a hardening spring, error times
    /// the square of the solves is 1.2 to 5 times larger with a speed limit and unlimited growth,
    /// and up to 1.15 times if advances end with shorter steps.
    bool limits_step_ratio;
};

/// State from step to step; zero-initialised for a start.
struct step_memory {
    double next;    ///< s; 0: the initial step
    bool rejected;  ///< the last step was rejected
    double crack;   ///< s, maximum step while bonds break; 0: no bonds break
    uint32_t quiet; ///< accepted steps since bonds last broke
};

/// Statistics of a control.
struct step_counts {
    uint32_t accepted, rejected;
    uint32_t forced;          ///< accepted at the minimum step although above the tolerance
    double shortest, longest; ///< s, of accepted steps
    double measured;          ///< at the last accepted step
    uint32_t cracked;         ///< accepted steps that were limited because bonds break
    double crack;             ///< s, the smallest such limit; 0: no bond broke
};

/// The next step to try.
struct step_plan {
    double h;
    bool clipped; ///< shortened to reach the end of the duration
    bool last;    ///< ends exactly at the end of the duration
    bool cracked; ///< limited because bonds break
};

enum step_verdict {
    STEP_ACCEPTED,
    STEP_FORCED, ///< accepted above the tolerance, at the minimum step
    STEP_REJECTED,
    STEP_FAILED ///< the step failed, and no shorter one is allowed
};

/// c: checked. history: number of states that the scheme uses.
struct step_control step_control_of(const pbs_step_control *c, uint32_t history);

/// Adapts the control to a duration. PBS_ERROR_ARGUMENT: more than 1e9 steps of maximum length
/// would be needed. Raises the minimum step so that it is resolved in the time.
pbs_status step_control_fit(struct step_control *control, double duration);

/// Returns the number of equal steps in a duration, for PBS_STEP_FIXED.
double step_control_count(const struct step_control *control, double duration);

/// Returns whether the control compares a measurement after the step with its tolerance.
/// PBS_STEP_SPEED_LIMIT measures before the step.
bool step_control_judges(const struct step_control *control);

/// Returns the next step. remaining: seconds to go, > 0. h_before: the previous step; 0: does not
/// matter. speed: m/s, for PBS_STEP_SPEED_LIMIT.
struct step_plan step_control_plan(const struct step_control *control,
                                   const struct step_memory *memory, double remaining,
                                   double h_before, double speed);

/// Judges a step by what was measured (not finite: the step failed), and updates the memory.
enum step_verdict step_control_judge(const struct step_control *control, struct step_memory *memory,
                                     const struct step_plan *plan, double measured);

/// Updates the crack limit after each accepted step. crack: s, the longest step that resolves the
/// cracks of bodies whose bonds broke in it; 0: no bond broke.
void step_control_follow_cracks(const struct step_control *control, struct step_memory *memory,
                                double crack);

/// Counts one more accepted step.
void step_counts_add(struct step_counts *counts, double h, double measured);

#endif
