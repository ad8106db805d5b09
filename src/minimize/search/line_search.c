// See line_search.h. The strong Wolfe search is algorithms 3.5 and 3.6 of Nocedal and Wright,
// Numerical Optimization (2006), made robust against infinite values, kinks and rounding. The other
// search is backtracking by halves. OPT section 3.1, "Line search"; docs/theory/minimization.md
// section 1, item 7.
// SPDX-License-Identifier: MIT
#include "minimize/search/line_search.h"

#include <math.h>
#include <stddef.h>

#include "pbs/world.h"

// A trial step that is closer to an end of the interval than this fraction of its width is replaced
// by the midpoint.
static const double END_MARGIN = 0.1;
// The zoom ends if the slope at the better end times the width of the interval is less than this
// fraction of the decrease so far.
static const double WORTHWHILE = 1e-2;
// It also ends if the width of the interval is less than this fraction of its larger end.
static const double SMALLEST_INTERVAL = 1e-12;
// A step that is at least this fraction of the limit is not expanded any more.
static const double LIMIT_REACHED = 0.99;

struct search {
    const struct line_function *function;
    const struct line_search_options *options;
    struct line_sample origin;
    struct line_result result;
};

static void store(struct search *s, enum line_outcome outcome, struct line_sample sample) {
    s->result.outcome = outcome;
    s->result.sample = sample;
    if (s->function->accept != NULL) {
        s->function->accept(s->function->context);
    }
}

static bool decreases_enough(const struct search *s, struct line_sample a) {
    return a.value <= s->origin.value + s->options->decrease * a.step * s->origin.slope;
}

static bool is_flat_enough(const struct search *s, struct line_sample a) {
    return fabs(a.slope) <= -s->options->curvature * s->origin.slope;
}

/// Accepts the latest sample if it satisfies both conditions, or else stores it if it is the lowest
/// so far. Returns true if it was accepted, which ends the search.
static bool judge(struct search *s, struct line_sample a) {
    if (decreases_enough(s, a) && is_flat_enough(s, a)) {
        store(s, LINE_ACCEPTED, a);
        return true;
    }
    if (a.value < s->result.sample.value) {
        store(s, LINE_BEST, a);
    }
    return false;
}

/// Evaluates and judges one more trial. Returns false if the search is over.
static bool try_step(struct search *s, double step, struct line_sample *out) {
    if (s->result.evaluations >= s->options->trial_limit) {
        return false;
    }
    *out = (struct line_sample){.step = step, .value = INFINITY, .slope = 0.0};
    s->result.evaluations++;
    if (!s->function->evaluate(s->function->context, out)) {
        s->result.outcome = LINE_STOPPED;
        return false;
    }
    return !judge(s, *out);
}

/// Returns the minimiser of the cubic through values and slopes at both ends (Nocedal and Wright,
/// eq. 3.59); NaN if there is none.
static double cubic_minimum(struct line_sample a, struct line_sample b) {
    const double d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
    const double d2 = copysign(sqrt(d1 * d1 - a.slope * b.slope), b.step - a.step);
    return b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
}

/// Returns the minimiser of the parabola with these values at a and b and the slope at a.
static double parabola_minimum(struct line_sample a, struct line_sample b) {
    const double width = b.step - a.step;
    return a.step - 0.5 * a.slope * width * width / (b.value - a.value - a.slope * width);
}

static double interpolate(struct line_sample low, struct line_sample high) {
    const double middle = 0.5 * (low.step + high.step);
    const double margin = END_MARGIN * fabs(high.step - low.step);
    const double left = fmin(low.step, high.step) + margin;
    const double right = fmax(low.step, high.step) - margin;
    double step = cubic_minimum(low, high);
    if (!(step >= left && step <= right)) {
        step = parabola_minimum(low, high);
    }
    return step >= left && step <= right ? step : middle;
}

static bool worth_going_on(const struct search *s, struct line_sample low,
                           struct line_sample high) {
    const double width = fabs(high.step - low.step);
    if (!(width > SMALLEST_INTERVAL * fmax(low.step, high.step))) {
        return false;
    }
    const double decrease = s->origin.value - low.value;
    return !(decrease > 0.0 && decreases_enough(s, low) &&
             fabs(low.slope) * width < WORTHWHILE * decrease);
}

/// Algorithm 3.6. low is the end with the lower value; the slope there descends towards high.
static void zoom(struct search *s, struct line_sample low, struct line_sample high) {
    struct line_sample a;
    while (worth_going_on(s, low, high) && try_step(s, interpolate(low, high), &a)) {
        if (!decreases_enough(s, a) || !(a.value < low.value)) {
            high = a;
        } else {
            if (a.slope * (high.step - low.step) >= 0.0) {
                high = low;
            }
            low = a;
        }
    }
}

static double expanded(const struct search *s, double step) {
    const double limit = s->options->limit;
    return 2.0 * step < limit ? 2.0 * step : step + 0.9 * (limit - step);
}

static struct search begin(const struct line_function *function,
                           const struct line_search_options *options, struct line_sample origin) {
    return (struct search){.function = function,
                           .options = options,
                           .origin = origin,
                           .result = {.outcome = LINE_NONE, .sample = origin}};
}

/// Algorithm 3.5, which doubles the step until a minimum is bracketed.
static struct line_result search_wolfe(const struct line_function *function,
                                       const struct line_search_options *options,
                                       struct line_sample origin, struct line_sample first) {
    struct search s = begin(function, options, origin);
    struct line_sample before = origin;
    struct line_sample a = first;
    bool going = !judge(&s, a);
    while (going) {
        if (!decreases_enough(&s, a) || (before.step > 0.0 && a.value >= before.value)) {
            zoom(&s, before, a);
            break;
        }
        if (!(a.slope < 0.0)) {
            zoom(&s, a, before);
            break;
        }
        before = a;
        going = before.step < LIMIT_REACHED * options->limit &&
                try_step(&s, expanded(&s, before.step), &a);
    }
    return s.result;
}

static struct line_result search_backtracking(const struct line_function *function,
                                              const struct line_search_options *options,
                                              struct line_sample origin, struct line_sample first) {
    struct search s = begin(function, options, origin);
    struct line_sample a = first;
    while (!decreases_enough(&s, a)) {
        if (a.value < s.result.sample.value) {
            store(&s, LINE_BEST, a);
        }
        if (s.result.evaluations >= options->trial_limit) {
            return s.result;
        }
        a = (struct line_sample){.step = 0.5 * a.step, .value = INFINITY, .slope = 0.0};
        s.result.evaluations++;
        if (!function->evaluate(function->context, &a)) {
            s.result.outcome = LINE_STOPPED;
            return s.result;
        }
    }
    store(&s, LINE_ACCEPTED, a);
    return s.result;
}

static const struct line_search_table wolfe = {PBS_LINE_SEARCH_WOLFE, "wolfe", search_wolfe};
static const struct line_search_table backtracking = {PBS_LINE_SEARCH_BACKTRACKING, "backtracking",
                                                      search_backtracking};

const struct line_search_table *const line_search_tables[] = {&wolfe, &backtracking, NULL};

const struct line_search_table *line_search_find(int32_t id) {
    for (size_t i = 0; line_search_tables[i] != NULL; i++) {
        if (line_search_tables[i]->id == id) {
            return line_search_tables[i];
        }
    }
    return NULL;
}
