// See step_control.h. ATS eqs. 12 and 14 with the limits of docs/theory/step_control.md section 2.
// SPDX-License-Identifier: MIT
#include "integrate/step_control/step_control.h"

#include <float.h>
#include <math.h>

// A rejected step shrinks at least by LEAST_SHRINK and, if growth is limited, at most by
// MOST_SHRINK. A failed step shrinks by FAILURE_SHRINK.
static const double LEAST_SHRINK = 0.9;
static const double MOST_SHRINK = 0.1;
static const double FAILURE_SHRINK = 0.25;

// A remainder before the end that is shorter than this fraction of the step is not made a step of
// its own.
static const double SLIVER = 0.1;

// More steps than this in one advance indicate a mistake in units.
static const double STEP_LIMIT = 1e9;

// A crack counts as stopped after this many accepted steps without a broken bond.
static const uint32_t QUIET_STEPS = 10;

/// Defaults per kind, for members of pbs_step_control that are 0.
struct control_defaults {
    int32_t rule;
    double exponent, safety;
    double halving_growth; ///< with PBS_STEP_RULE_HALVING
};

static const struct control_defaults defaults[] = {
    [PBS_STEP_FIXED] = {PBS_STEP_RULE_PROPORTIONAL, 1.0, 0.5, 2.0},
    [PBS_STEP_FORCE_ERROR] = {PBS_STEP_RULE_PROPORTIONAL, 3.0, 0.5, 2.0},
    [PBS_STEP_SPEED_LIMIT] = {PBS_STEP_RULE_PROPORTIONAL, 1.0, 0.5, 2.0},
    [PBS_STEP_STRETCH_LIMIT] = {PBS_STEP_RULE_PROPORTIONAL, 1.0, 0.8, 1.2},
    [PBS_STEP_DOUBLING] = {PBS_STEP_RULE_HALVING, 2.0, 0.5, 2.0},
    [PBS_STEP_ALPHA] = {PBS_STEP_RULE_PROPORTIONAL, 3.0, 0.5, 1.2},
};

static double or_default(double value, double otherwise) {
    return value > 0.0 ? value : otherwise;
}

struct step_control step_control_of(const pbs_step_control *c, uint32_t history) {
    const struct control_defaults *const k = &defaults[c->kind];
    const int32_t rule = c->rule != PBS_STEP_RULE_DEFAULT ? c->rule : k->rule;
    return (struct step_control){
        .kind = c->kind,
        .rule = rule,
        .tolerance = c->tolerance,
        .initial = or_default(c->initial, 0.01 * c->max),
        .min = or_default(c->min, 1e-6 * c->max),
        .max = c->max,
        .exponent = or_default(c->exponent, k->exponent),
        .safety = or_default(c->safety, k->safety),
        .growth = or_default(c->growth, rule == PBS_STEP_RULE_HALVING ? k->halving_growth : 2.0),
        .fracture = c->fracture_step,
        .quiet = c->fracture_quiet_steps > 0 ? c->fracture_quiet_steps : QUIET_STEPS,
        .limits_step_ratio = history > 1,
    };
}

pbs_status step_control_fit(struct step_control *control, double duration) {
    if (control->max > 0.0 && duration / control->max > STEP_LIMIT) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%g s take more than %g steps of at most step_control.max = %g s",
                           duration, STEP_LIMIT, control->max);
    }
    control->min = fmin(fmax(control->min, 4.0 * DBL_EPSILON * duration), control->max);
    return PBS_OK;
}

double step_control_count(const struct step_control *control, double duration) {
    // Absorbs the rounding error of a quotient that should be an integer.
    return control->max > 0.0 ? fmax(ceil(duration / control->max * (1.0 - 1e-12)), 1.0) : 1.0;
}

bool step_control_judges(const struct step_control *control) {
    return control->kind != PBS_STEP_FIXED && control->kind != PBS_STEP_SPEED_LIMIT;
}

static double within(const struct step_control *control, double h) {
    return fmin(fmax(h, control->min), control->max);
}

struct step_plan step_control_plan(const struct step_control *control,
                                   const struct step_memory *memory, double remaining,
                                   double h_before, double speed) {
    double h = within(control, memory->next > 0.0 ? memory->next : control->initial);
    if (control->kind == PBS_STEP_SPEED_LIMIT && speed > 0.0) {
        h = within(control, fmin(h, control->tolerance / speed));
    }
    if (control->limits_step_ratio && h_before > 0.0) {
        h = fmin(h, 2.0 * h_before);
    }
    const double crack = memory->crack > 0.0 ? within(control, memory->crack) : INFINITY;
    const bool cracked = h >= crack && remaining > crack;
    h = fmin(h, crack);
    if (h >= remaining) {
        return (struct step_plan){.h = remaining, .clipped = h > remaining, .last = true};
    }
    // If a single step would leave a short remainder, two equal steps go to the end: in a very
    // short step rounding errors dominate the forces.
    const double sliver = fmax(control->limits_step_ratio ? h : SLIVER * h, control->min);
    if (remaining - h < sliver) {
        return (struct step_plan){.h = 0.5 * remaining, .clipped = true, .cracked = cracked};
    }
    return (struct step_plan){.h = h, .cracked = cracked};
}

/// Returns the next step by the rule, before the limits min and max.
static double follow_rule(const struct step_control *control, const struct step_memory *memory,
                          double h, double measured, bool accepted) {
    if (control->rule == PBS_STEP_RULE_HALVING) {
        return accepted ? h * control->growth : 0.5 * h;
    }
    // Infinite if nothing was measured.
    double factor = pow(control->safety * control->tolerance / measured, 1.0 / control->exponent);
    if (isfinite(control->growth)) {
        factor = fmin(fmax(factor, MOST_SHRINK), memory->rejected ? 1.0 : control->growth);
    }
    return h * (accepted ? factor : fmin(factor, LEAST_SHRINK));
}

enum step_verdict step_control_judge(const struct step_control *control, struct step_memory *memory,
                                     const struct step_plan *plan, double measured) {
    const bool at_minimum = plan->h <= control->min;
    if (!isfinite(measured)) {
        memory->next = within(control, FAILURE_SHRINK * plan->h);
        memory->rejected = true;
        return at_minimum ? STEP_FAILED : STEP_REJECTED;
    }
    const bool judges = step_control_judges(control);
    // Controls that measure before the step exceed the tolerance only if `min` prevents a shorter
    // step.
    const bool small = judges || at_minimum ? measured <= control->tolerance : true;
    const bool accepted = small || at_minimum;
    double next = judges ? follow_rule(control, memory, plan->h, measured, accepted) : control->max;
    if (accepted && plan->clipped) {
        next = fmax(next, memory->next > 0.0 ? memory->next : control->initial);
    }
    memory->next = within(control, next);
    memory->rejected = !accepted;
    return accepted ? (small ? STEP_ACCEPTED : STEP_FORCED) : STEP_REJECTED;
}

void step_control_follow_cracks(const struct step_control *control, struct step_memory *memory,
                                double crack) {
    if (crack > 0.0) {
        memory->crack = memory->crack > 0.0 ? fmin(memory->crack, crack) : crack;
        memory->quiet = 0;
        // The following steps grow from this one.
        memory->next = fmin(memory->next, within(control, memory->crack));
    } else if (memory->crack > 0.0 && ++memory->quiet >= control->quiet) {
        memory->crack = 0.0;
        memory->quiet = 0;
    }
}

void step_counts_add(struct step_counts *counts, double h, double measured) {
    counts->shortest = counts->accepted == 0 ? h : fmin(counts->shortest, h);
    counts->longest = fmax(counts->longest, h);
    counts->measured = measured;
    counts->accepted++;
}
