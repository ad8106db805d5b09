// Newmark's family, and the generalised-alpha method of Chung and Hulbert (1993), which contains
// Newmark as am = af = 0. docs/theory/schemes.md section 2.
// SPDX-License-Identifier: MIT
#include "integrate/schemes/recipe.h"
#include "pbs/integrator.h"

struct weights {
    double am, af, beta, gamma;
};

static struct weights newmark_weights(const struct step_view *step) {
    return (struct weights){0.0, 0.0, step->parameters[0], step->parameters[1]};
}

static struct weights alpha_weights(const struct step_view *step) {
    const double rho = step->parameters[0];
    const double am = (2.0 * rho - 1.0) / (rho + 1.0);
    const double af = rho / (rho + 1.0);
    return (struct weights){am, af, 0.25 * (1.0 - am + af) * (1.0 - am + af), 0.5 - am + af};
}

/// The unknown is y = x_{n+1-af}. Its velocity is (y - q_y) / b, b = beta h / gamma, and its
/// predictor x_n + (1 - af) (h v_n + h^2 (1/2 - beta / (1 - am)) a_n).
static void set_stage(const struct weights *w, double h, struct stage_recipe *out) {
    const double t = 1.0 - w->af;
    const double b = w->beta * h / w->gamma;
    out->length = b;
    out->weight = h * h * w->beta * t / (1.0 - w->am);
    out->time = t;
    out->position_history.x[STATE_NOW] = 1.0;
    out->position_history.v[STATE_NOW] = t * h - b;
    out->position_history.a[STATE_NOW] = t * h * h * (0.5 - w->beta) - b * t * h * (1.0 - w->gamma);
    out->velocity_history.v[STATE_NOW] = 1.0;
    out->velocity_history.a[STATE_NOW] = (t * h * h * (0.5 - w->beta / (1.0 - w->am)) -
                                          out->position_history.a[STATE_NOW]) /
                                         b;
}

/// a_{n+1} = (a_y - am a_n) / (1 - am); x and v by Newmark's formulas.
static void set_finish(const struct weights *w, double h, struct state_recipe *out) {
    const double old = -w->am / (1.0 - w->am);
    const double new = 1.0 / (1.0 - w->am);
    out->acceleration.a[STATE_NOW] = old;
    out->acceleration.a[STATE_STAGE_1] = new;
    out->position.x[STATE_NOW] = 1.0;
    out->position.v[STATE_NOW] = h;
    out->position.a[STATE_NOW] = h * h * (0.5 - w->beta + w->beta * old);
    out->position.a[STATE_STAGE_1] = h * h * w->beta * new;
    out->velocity.v[STATE_NOW] = 1.0;
    out->velocity.a[STATE_NOW] = h * (1.0 - w->gamma + w->gamma * old);
    out->velocity.a[STATE_STAGE_1] = h * w->gamma * new;
}

static void newmark_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    const struct weights w = newmark_weights(step);
    set_stage(&w, step->h, out);
}

/// x_{n+1} is exactly the stage's solution, which satisfies obstacles and constrained axes.
static void newmark_finish(const struct step_view *step, struct state_recipe *out) {
    const struct weights w = newmark_weights(step);
    set_finish(&w, step->h, out);
    out->position = (struct combination){.x[STATE_STAGE_1] = 1.0};
}

static void alpha_stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    const struct weights w = alpha_weights(step);
    set_stage(&w, step->h, out);
}

static void alpha_finish(const struct step_view *step, struct state_recipe *out) {
    const struct weights w = alpha_weights(step);
    set_finish(&w, step->h, out);
}

const struct scheme_table scheme_newmark = {
    .id = PBS_SCHEME_NEWMARK,
    .name = "newmark",
    .history = 1,
    .order = 2,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .may_be_linearized = true,
    .acceleration = ACCELERATION_STORED,
    .keeps_impacts = true,
    .parameters = {{"beta", 0.25, 1e-3, 1.0}, {"gamma", 0.5, 0.5, 1.0}},
    .stage_count = recipe_one_stage,
    .stage = newmark_stage,
    .finish = newmark_finish,
};

const struct scheme_table scheme_generalized_alpha = {
    .id = PBS_SCHEME_GENERALIZED_ALPHA,
    .name = "generalized-alpha",
    .history = 1,
    .order = 2,
    .keeps_normal_velocity = true,
    .stage_limit = 1,
    .acceleration = ACCELERATION_SHIFTED,
    .leaves_feasible = true,
    .parameters = {{"rho", 0.6, 0.0, 1.0}},
    .stage_count = recipe_one_stage,
    .stage = alpha_stage,
    .finish = alpha_finish,
};
