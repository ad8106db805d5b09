// Implicit Euler: x = x_n + h v, v = v_n + h a(x, v). integrators.md section 1.2, first row.
#include "integrate/scheme.h"
#include "pbs/integrator.h"

static uint32_t one_stage(const struct step_view *step) {
    (void)step;
    return 1;
}

static void stage(const struct step_view *step, uint32_t index, struct stage_recipe *out) {
    (void)index;
    out->length = step->h;
    out->weight = step->h * step->h;
    out->time = 1.0;
    out->position_history.x[STATE_NOW] = 1.0;
    out->velocity_history.v[STATE_NOW] = 1.0;
}

static void finish(const struct step_view *step, struct state_recipe *out) {
    (void)step;
    out->position.x[STATE_STAGE_1] = 1.0;
    out->velocity.v[STATE_STAGE_1] = 1.0;
    out->acceleration.a[STATE_STAGE_1] = 1.0;
}

const struct scheme_table scheme_implicit_euler = {
    .id = PBS_SCHEME_IMPLICIT_EULER,
    .name = "implicit-euler",
    .history = 1,
    .order = 1,
    .stage_limit = 1,
    .stage_count = one_stage,
    .stage = stage,
    .finish = finish,
};
