// Helpers to write recipes. z = (x, v), z' = (v, a).
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_SCHEMES_RECIPE_H
#define PBS_INTEGRATE_SCHEMES_RECIPE_H

#include "integrate/scheme.h"

/// Sets b = length, c = length^2, and the time as a fraction of the step.
void recipe_length(struct stage_recipe *out, double length, double time);

/// Adds factor * z_s to the histories.
void recipe_add_state(struct stage_recipe *out, enum scheme_state s, double factor);

/// Adds factor * z'_s to the histories; factor in seconds.
void recipe_add_rate(struct stage_recipe *out, enum scheme_state s, double factor);

/// Sets z_{n+1}, a_{n+1} to those of a stage.
void recipe_end_with(struct state_recipe *out, enum scheme_state s);

/// Complete recipes of an implicit Euler stage, z_n + h z', and of the outer theta method, z_n + (1
/// - theta) h z'_n + theta h z', which is the trapezoidal rule at theta = 1/2.
void recipe_implicit_euler(const struct step_view *step, struct stage_recipe *out);
void recipe_outer_theta(const struct step_view *step, double theta, struct stage_recipe *out);

/// Returns the outer theta of GAT's first-order method: 1/2 + theta / 50.
double recipe_first_order_theta(double theta);

/// Starting step of a two-step scheme, chosen by step->start. theta: used by
/// PBS_START_FIRST_ORDER_THETA.
void recipe_start(const struct step_view *step, double theta, struct stage_recipe *out);

// Functions that most scheme tables share: a fixed number of stages, and a step that ends at one of
// them.
uint32_t recipe_one_stage(const struct step_view *step);
uint32_t recipe_two_stages(const struct step_view *step);
void recipe_finish_first(const struct step_view *step, struct state_recipe *out);
void recipe_finish_second(const struct step_view *step, struct state_recipe *out);

#endif
