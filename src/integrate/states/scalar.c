// See scalar.h.
// SPDX-License-Identifier: MIT
#include "integrate/states/scalar.h"

#include <math.h>

static double combine(const struct combination *combination,
                      const struct scalar_state states[STATE_COUNT]) {
    double sum = 0.0;
    for (int i = 0; i < STATE_COUNT; i++) {
        sum += combination->x[i] * states[i].x + combination->v[i] * states[i].v +
               combination->a[i] * states[i].a;
    }
    return sum;
}

void scalar_run_stage(const struct stage_recipe *recipe, uint32_t index, double a,
                      struct scalar_state states[STATE_COUNT]) {
    const double history = combine(&recipe->position_history, states);
    const double rate = combine(&recipe->velocity_history, states);
    const double moved = recipe->length * rate + recipe->weight * a;
    states[STATE_STAGE_1 + index] = (struct scalar_state){history + moved, moved / recipe->length,
                                                          a};
}

struct scalar_state scalar_end(const struct state_recipe *recipe,
                               const struct scalar_state states[STATE_COUNT]) {
    return (struct scalar_state){combine(&recipe->position, states),
                                 combine(&recipe->velocity, states),
                                 combine(&recipe->acceleration, states)};
}

/// One step of a scheme applied to a scalar.
struct scalar_step {
    const struct scheme_table *scheme;
    const struct step_view *view;
    uint32_t stage_count;
};

/// Returns z_{n+1} of a scalar with the given states and an acceleration of 1 at stage `pushed`, 0
/// at the others.
static struct scalar_state respond(const struct scalar_step *step, struct scalar_state now,
                                   struct scalar_state before, uint32_t pushed) {
    struct scalar_state states[STATE_COUNT] = {[STATE_NOW] = now, [STATE_BEFORE] = before};
    for (uint32_t i = 0; i < step->stage_count; i++) {
        struct stage_recipe recipe = {0};
        step->scheme->stage(step->view, i, &recipe);
        scalar_run_stage(&recipe, i, i == pushed ? 1.0 : 0.0, states);
    }
    struct state_recipe end = {0};
    step->scheme->finish(step->view, &end);
    return scalar_end(&end, states);
}

struct contact_shares contact_shares(const struct scheme_table *scheme,
                                     const struct step_view *view, uint32_t stage_count,
                                     bool finds_start) {
    const struct scalar_step step = {scheme, view, stage_count};
    const struct scalar_state none = {0.0, 0.0, 0.0}, moving = {0.0, 1.0, 0.0},
                              pushed = {0.0, 0.0, 1.0};
    const struct scalar_state kept = respond(&step, pushed, none, stage_count);
    const double through_stored = finds_start ? 0.0 : kept.v / (1.0 - kept.a);
    struct contact_shares out = {.start = finds_start ? kept.v : 0.0};
    double sum = out.start;
    for (uint32_t i = 0; i < stage_count; i++) {
        const struct scalar_state r = respond(&step, none, none, i);
        out.stage[i] = fmax(0.0, r.v + through_stored * r.a);
        sum += out.stage[i];
    }
    out.start = sum > 0.0 ? out.start / sum : 0.0;
    for (uint32_t i = 0; i < stage_count; i++) {
        out.stage[i] = sum > 0.0 ? out.stage[i] / sum : 1.0 / stage_count;
    }
    const struct scalar_state echo = respond(&step, none, moving, stage_count);
    out.friction_time = view->h + view->h_before * echo.v;
    return out;
}
