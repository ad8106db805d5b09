// One-dimensional searches along a path. They know only values and slopes of phi(step), so that
// they can be tested on plain functions. Strong Wolfe conditions by expansion and zoom (Nocedal and
// Wright, algorithms 3.5 and 3.6), or backtracking.
// SPDX-License-Identifier: MIT
#ifndef PBS_MINIMIZE_SEARCH_LINE_SEARCH_H
#define PBS_MINIMIZE_SEARCH_LINE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/// A sample of phi. A value that is infinite or not a number counts as too high. Above phi(0) the
/// value may be a lower bound, with a slope that is not a number.
struct line_sample {
    double step, value, slope;
};

struct line_function {
    void *context;
    /// Fills value and slope at out->step. Returns false to stop the search at once.
    bool (*evaluate)(void *context, struct line_sample *out);
    /// Marks the last evaluated sample as the result, unless it is called again. May be null.
    void (*accept)(void *context);
};

struct line_search_options {
    double decrease;      ///< c1 of the sufficient decrease condition
    double curvature;     ///< c2 of the curvature condition
    double limit;         ///< upper bound of the step, exclusive; infinity: none
    uint32_t trial_limit; ///< maximum number of evaluations
};

enum line_outcome {
    LINE_ACCEPTED, ///< the conditions are satisfied
    LINE_BEST,     ///< they are not, but phi decreased: the lowest sample
    LINE_NONE,     ///< no sample was lower than phi(0)
    LINE_STOPPED   ///< evaluate returned false
};

struct line_result {
    enum line_outcome outcome;
    struct line_sample sample; ///< the last accepted one; the origin for LINE_NONE
    uint32_t evaluations;
};

struct line_search_table {
    int32_t id; ///< PBS_LINE_SEARCH_*
    const char *name;
    /// origin: phi(0) with a negative slope. first: the first trial, already evaluated but not yet
    /// accepted.
    struct line_result (*search)(const struct line_function *function,
                                 const struct line_search_options *options,
                                 struct line_sample origin, struct line_sample first);
};

extern const struct line_search_table *const line_search_tables[]; ///< ended by null
const struct line_search_table *line_search_find(int32_t id);

#endif
