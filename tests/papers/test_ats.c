// ATS figure 1 (docs/theory/step_control.md section 3): a hardening spring by linearly implicit
// steps, as many linear solves for each way to choose the step; who is closest to the exact motion?
// SPDX-License-Identifier: MIT
#include "integrate/step_control/step_control.h"
#include "support/schemes/hardening_spring.h"
#include "support/testing.h"

static const struct hardening_spring spring = {100.0, 1.0};

enum { SAMPLES = 20001, SOLVES = 200, POINT_LIMIT = 100000 };
static const double END = 2.0;
static const double LONGEST = 0.2;

// --- the exact motion ---

static void derivative(const double state[2], double out[2]) {
    out[0] = state[1];
    out[1] = spring_force(&spring, state[0], state[1]);
}

/// The classical Runge-Kutta method: at these steps its error is below 1e-9.
static void runge_kutta(double state[2], double h) {
    static const double where[3] = {0.5, 0.5, 1.0}, weights[4] = {1.0, 2.0, 2.0, 1.0};
    double k[4][2], at[2];
    derivative(state, k[0]);
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 2; i++) {
            at[i] = state[i] + where[s] * h * k[s][i];
        }
        derivative(at, k[s + 1]);
    }
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2; i++) {
            state[i] += h / 6.0 * weights[s] * k[s][i];
        }
    }
}

static void solve_exactly(double start, double *samples) {
    enum { SUBSTEPS = 4 };
    double state[2] = {start, 0.0};
    samples[0] = start;
    for (int i = 1; i < SAMPLES; i++) {
        for (int k = 0; k < SUBSTEPS; k++) {
            runge_kutta(state, END / (SAMPLES - 1) / SUBSTEPS);
        }
        samples[i] = state[0];
    }
}

// --- a run ---

struct run {
    bool newmark;
    double start;
    double *t, *x; ///< the places reached, POINT_LIMIT
    int points, solves;
    double state_x, state_v;
};

static void land(struct run *run, double t, const struct spring_step *step) {
    run->state_x = step->x;
    run->state_v = step->v;
    run->t[run->points] = t;
    run->x[run->points] = step->x;
    run->points++;
}

static struct spring_step step_from(struct run *run, double x, double v, double h) {
    run->solves++;
    return spring_linear_step(&spring, run->newmark, x, v, h);
}

/// One try of a control at time t; true when it landed.
static bool try_step(struct run *run, const struct step_control *control,
                     struct step_memory *memory, const struct step_plan *plan, double t) {
    const double h = plan->h;
    const struct spring_step whole = step_from(run, run->state_x, run->state_v, h);
    struct spring_step half = whole, end = whole;
    double measured = whole.force_error;
    if (control->kind == PBS_STEP_STRETCH_LIMIT) {
        measured = fabs(whole.x - run->state_x);
    } else if (control->kind == PBS_STEP_DOUBLING) {
        half = step_from(run, run->state_x, run->state_v, 0.5 * h);
        end = step_from(run, half.x, half.v, 0.5 * h);
        measured = fabs(whole.x - end.x);
    }
    const enum step_verdict verdict = step_control_judge(control, memory, plan, measured);
    if (verdict == STEP_REJECTED || verdict == STEP_FAILED) {
        return false;
    }
    if (control->kind == PBS_STEP_DOUBLING) {
        land(run, t + 0.5 * h, &half);
    }
    land(run, plan->last ? END : t + h, &end);
    return true;
}

/// More solves than four times SOLVES are not of interest, and end the run.
static void take_steps(struct run *run, const struct step_control *control) {
    struct step_memory memory = {0};
    run->points = run->solves = 0;
    const struct spring_step origin = {.x = run->start, .v = 0.0};
    land(run, 0.0, &origin);
    double t = 0.0;
    while (t < END && run->solves < 4 * SOLVES) {
        const struct step_plan plan = step_control_plan(control, &memory, END - t, 0.0,
                                                        fabs(run->state_v));
        if (try_step(run, control, &memory, &plan, t)) {
            t = plan.last ? END : t + plan.h;
        }
    }
}

static void take_fixed_steps(struct run *run) {
    run->points = run->solves = 0;
    const struct spring_step origin = {.x = run->start, .v = 0.0};
    land(run, 0.0, &origin);
    for (int i = 1; i <= SOLVES; i++) {
        const struct spring_step step = step_from(run, run->state_x, run->state_v, END / SOLVES);
        land(run, END * i / SOLVES, &step);
    }
}

// --- errors ---

struct errors {
    double root_mean_square, largest;
};

/// Of the polygon through the points.
static struct errors errors_of(const struct run *run, const double *exact) {
    struct errors errors = {0.0, 0.0};
    int k = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double t = END * i / (SAMPLES - 1);
        while (k + 2 < run->points && run->t[k + 1] < t) {
            k++;
        }
        const double s = (t - run->t[k]) / (run->t[k + 1] - run->t[k]);
        const double error = fabs((1.0 - s) * run->x[k] + s * run->x[k + 1] - exact[i]);
        errors.root_mean_square += error * error / SAMPLES;
        errors.largest = fmax(errors.largest, error);
    }
    errors.root_mean_square = sqrt(errors.root_mean_square);
    return errors;
}

// --- the competition ---

/// Ways to choose a step, the first one ATS's.
struct entry {
    const char *name;
    int32_t kind, rule;
    double growth;  ///< infinity: as ATS prints it
    double initial; ///< s
};

static const struct entry entries[] = {
    {"force error", PBS_STEP_FORCE_ERROR, PBS_STEP_RULE_PROPORTIONAL, INFINITY, 1e-3},
    {"speed", PBS_STEP_SPEED_LIMIT, PBS_STEP_RULE_PROPORTIONAL, INFINITY, 0.2},
    {"stretch, halving", PBS_STEP_STRETCH_LIMIT, PBS_STEP_RULE_HALVING, 1.2, 1e-3},
    {"stretch, proportional", PBS_STEP_STRETCH_LIMIT, PBS_STEP_RULE_PROPORTIONAL, 2.0, 1e-3},
    {"doubling", PBS_STEP_DOUBLING, PBS_STEP_RULE_HALVING, 2.0, 1e-3},
};

static struct step_control control_of(const struct entry *entry, double tolerance) {
    const pbs_integrator_desc d = {.step_control.kind = entry->kind,
                                   .step_control.rule = entry->rule,
                                   .step_control.tolerance = tolerance,
                                   .step_control.initial = entry->initial,
                                   .step_control.max = LONGEST,
                                   .step_control.min = 1e-9,
                                   .step_control.growth = entry->growth};
    return step_control_of(&d.step_control, 1);
}

static bool takes_solves(struct run *run, const struct entry *entry, double tolerance) {
    const struct step_control control = control_of(entry, tolerance);
    take_steps(run, &control);
    // Halving makes the number jump.
    return abs(run->solves - SOLVES) <= (entry->rule == PBS_STEP_RULE_HALVING ? 6 : 2);
}

/// The errors with the tolerance that takes SOLVES solves, give or take two (six with halving): by
/// bisection,
/// and as the number of solves is not monotone, by looking around where that ends.
static struct errors tuned(struct run *run, const struct entry *entry, const double *exact) {
    double low = 1e-14, high = 10.0, tolerance = sqrt(low * high);
    bool found = takes_solves(run, entry, tolerance);
    for (int i = 0; i < 30 && !found; i++) {
        *(run->solves > SOLVES ? &low : &high) = tolerance;
        tolerance = sqrt(low * high);
        found = takes_solves(run, entry, tolerance);
    }
    for (int i = 1; i < 1000 && !found; i++) {
        found = takes_solves(run, entry, tolerance * exp((i % 2 == 0 ? 5e-4 : -5e-4) * i));
    }
    assert_true(found);
    return errors_of(run, exact);
}

static struct errors smaller(struct errors a, struct errors b) {
    return (struct errors){fmin(a.root_mean_square, b.root_mean_square),
                           fmin(a.largest, b.largest)};
}

/// The bounds of section 2.2: best competitor over ATS, fixed steps over ATS (0: none).
static void compete(bool newmark, double start, double least_ratio, double least_fixed) {
    double *memory = malloc((SAMPLES + 2 * POINT_LIMIT) * sizeof *memory);
    assert_non_null(memory);
    double *exact = memory;
    struct run run = {.newmark = newmark,
                      .start = start,
                      .t = memory + SAMPLES,
                      .x = memory + SAMPLES + POINT_LIMIT};
    solve_exactly(start, exact);
    const struct errors ours = tuned(&run, &entries[0], exact);
    struct errors best = {INFINITY, INFINITY};
    for (size_t i = 1; i < COUNT_OF(entries); i++) {
        const struct errors one = tuned(&run, &entries[i], exact);
        best = smaller(best, one);
    }
    take_fixed_steps(&run);
    const struct errors fixed = errors_of(&run, exact);
    assert_small(least_ratio * ours.root_mean_square / best.root_mean_square, 1.0, "mean error");
    assert_small(least_ratio * ours.largest / best.largest, 1.0, "largest error");
    assert_small(least_fixed * ours.root_mean_square / fixed.root_mean_square, 1.0,
                 "mean error, fixed steps");
    assert_small(least_fixed * ours.largest / fixed.largest, 1.0, "largest error, fixed steps");
    free(memory);
}

static void the_force_error_beats_its_competitors(void **state) {
    (void)state;
    compete(false, -1.0, 1.15, 0.0);
    compete(true, -1.0, 1.6, 0.0);
}

/// Where forces range over 900 : 1, equal steps are no match either.
static void stiff_starts_need_adaptive_steps(void **state) {
    (void)state;
    compete(false, -3.0, 1.4, 1.7);
    compete(true, -3.0, 2.5, 10.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_error_beats_its_competitors),
        cmocka_unit_test(stiff_starts_need_adaptive_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
