// Step-size control (docs/theory/step_control.md):
// which step to try, and what follows from what was measured at its end. Pure arithmetic on step
// lengths and numbers that others measure; knows no states, so that worlds and systems share it.
#ifndef PBS_INTEGRATE_STEP_CONTROL_STEP_CONTROL_H
#define PBS_INTEGRATE_STEP_CONTROL_STEP_CONTROL_H

#include <stdint.h>

#include "base/runtime/status.h"
#include "pbs/integrator.h"

/// Settings without defaults left open.
struct step_control {
    int32_t kind; ///< PBS_STEP_*
    int32_t rule; ///< PBS_STEP_RULE_*
    double tolerance, initial, min, max;
    double exponent, safety, growth;
    double fracture; ///< s, the longest step while bonds break; 0: what the bodies say
    uint32_t quiet;  ///< steps without a break after which they may be longer again
    /// Steps are 1/2 to 2 of the previous one. Two-step schemes keep their order and stability
    /// without it (two_step.c), but not their accuracy: on a hardening spring, error times the
    /// square of the solves is 1.2 to 5 times larger under a speed limit whose steps may grow at
    /// once, and up to 1.15 times where advances end with shorter ones.
    bool limits_step_ratio;
};

/// What stays from step to step. All zero after a fresh start.
struct step_memory {
    double next;    ///< s; 0: the initial step
    bool rejected;  ///< the last try was
    double crack;   ///< s, no step is longer as long as bonds break; 0: none do
    uint32_t quiet; ///< accepted steps since the last that broke some
};

/// What a control did.
struct step_counts {
    uint32_t accepted, rejected;
    uint32_t forced;          ///< of the accepted ones
    double shortest, longest; ///< s, of the accepted ones
    double measured;          ///< at the last accepted one
    uint32_t cracked;         ///< of the accepted ones: kept short as bonds break
    double crack;             ///< s, how short, the least; 0: no bond broke
};

/// A step to try.
struct step_plan {
    double h;
    bool clipped; ///< shorter than the control wants, to land at the end
    bool last;    ///< lands there
    bool cracked; ///< kept short as bonds break
};

enum step_verdict {
    STEP_ACCEPTED,
    STEP_FORCED, ///< accepted, as it is at the minimum, though above the tolerance
    STEP_REJECTED,
    STEP_FAILED ///< there is no state to accept, and no shorter step to try
};

/// d: checked. history: states that the scheme wants.
struct step_control step_control_of(const pbs_step_control *c, uint32_t history);

/// What a duration asks of the control: PBS_ERROR_ARGUMENT where it would take more than 1e9 of its
/// longest steps; otherwise the shortest ones are long enough to be seen in the time.
pbs_status step_control_fit(struct step_control *control, double duration);

/// PBS_STEP_FIXED: how many equal steps there are in a duration.
double step_control_count(const struct step_control *control, double duration);

/// Whether the control compares what was measured with its tolerance after the step;
/// PBS_STEP_SPEED_LIMIT does before.
bool step_control_judges(const struct step_control *control);

/// The next try, with `remaining` > 0 seconds to go. h_before: the step before, 0 where it is of no
/// importance; speed: of PBS_STEP_SPEED_LIMIT, m/s.
struct step_plan step_control_plan(const struct step_control *control,
                                   const struct step_memory *memory, double remaining,
                                   double h_before, double speed);

/// Takes what was measured, not finite where the step failed, and updates the memory.
enum step_verdict step_control_judge(const struct step_control *control, struct step_memory *memory,
                                     const struct step_plan *plan, double measured);

/// After each accepted step. crack: s, the longest step in which the cracks of bodies whose bonds
/// broke in it are followed; 0: nothing broke.
void step_control_follow_cracks(const struct step_control *control, struct step_memory *memory,
                                double crack);

/// One more accepted step.
void step_counts_add(struct step_counts *counts, double h, double measured);

#endif
