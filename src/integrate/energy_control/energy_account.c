// Energy accounts: finds islands, computes their targets, and distributes the targets to the bodies
// at the end of a step. See energy_control.h and docs/theory/energy_control.md sections 3 to 5. The
// index of an island is that of its first body.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/disjoint_sets.h"
#include "integrate/energy_control/energy_control_sums.h"

// --- arrays ---

pbs_status energy_control_reserve(struct energy_control *control, struct memory *memory,
                                  const struct assembly *assembly, uint32_t body_count,
                                  bool has_forces) {
    energy_control_free(control, memory);
    const size_t node_count = assembly->layout.node_count;
    control->body_count = body_count;
    control->body = memory_allocate(memory, node_count, sizeof *control->body);
    control->island = memory_allocate(memory, body_count, sizeof *control->island);
    control->accounts = memory_allocate(memory, body_count, sizeof *control->accounts);
    control->next = memory_allocate(memory, body_count, sizeof *control->next);
    control->saved = memory_allocate(memory, body_count, sizeof *control->saved);
    control->sums = memory_allocate(memory, body_count, sizeof *control->sums);
    control->bodies = memory_allocate(memory, body_count, sizeof *control->bodies);
    control->node_values = memory_allocate(memory, node_count, sizeof *control->node_values);
    control->is_whole = memory_allocate(memory, body_count, sizeof *control->is_whole);
    control->is_torn = memory_allocate(memory, body_count, sizeof *control->is_torn);
    control->group = memory_allocate(memory, body_count, sizeof *control->group);
    control->groups = memory_allocate(memory, body_count, sizeof *control->groups);
    control->own_gradient = memory_allocate(memory, node_count, 3 * sizeof *control->own_gradient);
    if (has_forces) {
        control->force = memory_allocate(memory, assembly->vector_slot_count,
                                         3 * sizeof *control->force);
    }
    if (control->body == NULL || control->island == NULL || control->accounts == NULL ||
        control->next == NULL || control->saved == NULL || control->sums == NULL ||
        control->bodies == NULL || control->node_values == NULL || control->group == NULL ||
        control->is_whole == NULL || control->is_torn == NULL || control->groups == NULL ||
        control->own_gradient == NULL || (has_forces && control->force == NULL)) {
        energy_control_free(control, memory);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void energy_control_free(struct energy_control *control, struct memory *memory) {
    memory_release(memory, control->body);
    memory_release(memory, control->island);
    memory_release(memory, control->accounts);
    memory_release(memory, control->next);
    memory_release(memory, control->saved);
    memory_release(memory, control->sums);
    memory_release(memory, control->bodies);
    memory_release(memory, control->node_values);
    memory_release(memory, control->is_whole);
    memory_release(memory, control->is_torn);
    memory_release(memory, control->group);
    memory_release(memory, control->groups);
    memory_release(memory, control->own_gradient);
    memory_release(memory, control->force);
    *control = (struct energy_control){0};
}

void energy_accept(struct energy_control *control) {
    struct energy_account *const before = control->accounts;
    control->accounts = control->next;
    control->next = before;
}

static void copy_accounts(const struct energy_control *control, const struct energy_account *source,
                          struct energy_account *out) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        out[b] = source[b];
    }
}

void energy_save(struct energy_control *control) {
    copy_accounts(control, control->accounts, control->saved);
}

void energy_restore(struct energy_control *control) {
    copy_accounts(control, control->saved, control->accounts);
}

// --- islands ---

void energy_join(struct energy_control *control, uint32_t a, uint32_t b) {
    disjoint_sets_join(control->island, a, b);
}

void energy_gather(struct energy_control *control) {
    control->is_gathered = true;
    disjoint_sets_flatten(control->island, control->body_count);
    for (uint32_t b = 0; b < control->body_count; b++) {
        if (!energy_is_island(control, b)) {
            struct energy_sums *const sums = &control->sums[control->island[b]];
            sums->loss += control->sums[b].loss;
            sums->work += control->sums[b].work;
        }
    }
}

void energy_sum_potentials(struct energy_control *control) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[b].potential = 0.0;
    }
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[control->island[b]].potential += control->bodies[b].potential;
    }
}

// --- the start of a step ---

/// Computes f: constant forces on bodies without constraints; 0 for others.
static pbs_status find_forces(struct energy_control *control, const struct energy_step *step,
                              const double *x) {
    const struct objective *o = step->objective;
    const struct evaluation evaluation = {.what = EVALUATE_GRADIENT,
                                          .x = x,
                                          .stage = {.origin = x, .length = 1.0},
                                          .constant_forces = true};
    struct terms_result result = {.gradient = control->force, .scratch = o->scratch};
    const int answer = terms_evaluate(o->tasks, o->assembly, o->terms, step->conservative_count,
                                      &evaluation, &result);
    if (answer != EVALUATE_OK) {
        return answer == EVALUATE_STOP
                   ? terms_fail_stopped()
                   : status_fail(PBS_ERROR_INADMISSIBLE,
                                 "the constant forces at the start of the step cannot be "
                                 "evaluated");
    }
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        const bool falls = control->bodies[control->body[at / 3]].falls;
        control->force[at] = falls ? -control->force[at] : 0.0;
    }
    return PBS_OK;
}

pbs_status energy_begin_step(struct energy_control *control, const struct energy_step *step,
                             const double *x) {
    control->is_gathered = false;
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->island[b] = control->by_body ? b : 0;
        control->sums[b] = (struct energy_sums){0};
        control->bodies[b] = (struct energy_body){.falls = true};
    }
    for (size_t i = 0; i < energy_node_count(step); i++) {
        struct energy_body *const body = &control->bodies[control->body[i]];
        body->falls = body->falls && step->constrained_axes[i] == 0;
    }
    return control->force != NULL ? find_forces(control, step, x) : PBS_OK;
}

// --- changes of the step ---

static bool needs_correction(const struct energy_control *control, const struct energy_step *step,
                             uint32_t b) {
    const struct energy_account *const account = &control->accounts[b];
    return control->bodies[b].falls && !account->in_contact && account->step > 0.0 &&
           account->step != step->h;
}

void energy_correct_free_fall(struct energy_control *control, const struct energy_step *step,
                              double *predictor) {
    if (step->free_fall_defect == 0.0) {
        return;
    }
    const double h = step->h;
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->bodies[b].is_kicked = needs_correction(control, step, b);
        control->bodies[b].kick = 0.0;
    }
    for (size_t i = 0; i < energy_node_count(step); i++) {
        struct energy_body *const body = &control->bodies[control->body[i]];
        if (body->is_kicked) {
            const double before = control->accounts[control->body[i]].step;
            const double m = step->objective->mass[i];
            const double *f = control->force + 3 * i;
            add_scaled3(predictor + 3 * i, 0.5 * h * (before - h) / m, f, predictor + 3 * i);
            body->kick += 0.25 * step->free_fall_defect * (h * h - before * before) * dot3(f, f) /
                          m;
        }
    }
}

// --- targets ---

/// Returns the energy at rest in J: for each body if bodies have their own targets, otherwise once.
static double ground_of(const struct energy_control *control, const struct energy_step *step,
                        uint32_t b) {
    return control->by_body || b == 0 ? step->settings->ground : 0.0;
}

static double first_target(const struct energy_step *step, const struct energy_body *body,
                           double ground, double shift) {
    const double fraction = step->settings->fraction;
    const double energy = body->kinetic_now + body->potential_now;
    const double height = fraction == 1.0 ? energy : ground + fraction * (energy - ground);
    return height + shift;
}

/// Adds a body's account to its island: its target, and the work done on it since the last step,
/// when the host changed gravity, its own energy or constraints. The shift is compared at the
/// length of the last step.
static void add_account(struct energy_control *control, const struct energy_step *step,
                        uint32_t b) {
    const struct energy_account *const account = &control->accounts[b];
    const struct energy_body *const body = &control->bodies[b];
    struct energy_sums *const sums = &control->sums[control->island[b]];
    sums->body_count++;
    sums->ground += ground_of(control, step, b);
    const double ratio = account->step > 0.0 ? account->step / step->h : 1.0;
    const double shift_before = ratio * body->shift_now;
    sums->target -= body->kick;
    if (account->is_known) {
        sums->target += account->target;
        sums->work += body->potential_now - account->potential;
        sums->work += shift_before - account->shift;
    } else {
        const double shift = body->is_kicked ? shift_before : body->shift_now;
        sums->target += first_target(step, body, ground_of(control, step, b), shift);
    }
}

/// Computes the target: subtracts the loss, which is never negative, then applies the decay, then
/// adds the work.
static void set_target(const struct energy_step *step, struct energy_sums *sums) {
    const struct energy_settings *s = step->settings;
    sums->loss = fmax(sums->loss, 0.0);
    sums->target -= sums->loss;
    if (s->decay_time > 0.0) {
        const double left = exp(-step->h / s->decay_time) * (sums->target - sums->ground);
        sums->target = sums->ground + fmax(left, 0.0);
    }
    sums->target += sums->work;
}

void energy_set_targets(struct energy_control *control, const struct energy_step *step) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        add_account(control, step, b);
    }
    for (uint32_t b = 0; b < control->body_count; b++) {
        if (energy_is_island(control, b)) {
            control->sums[b].errors = control->accounts[b].errors;
            set_target(step, &control->sums[b]);
        }
    }
}

// --- the end of a step ---

static void measure_bodies(struct energy_control *control, const struct energy_step *step,
                           const double *v) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->bodies[b].kinetic = control->bodies[b].shift = 0.0;
    }
    for (size_t i = 0; i < energy_node_count(step); i++) {
        struct energy_body *const body = &control->bodies[control->body[i]];
        body->kinetic += energy_kinetic_at(step, i, v);
        body->shift += energy_shift_at(control, step, i, v);
    }
}

/// Sums the energies of the bodies to their islands.
static void measure_islands(struct energy_control *control) {
    energy_sum_potentials(control);
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[b].kinetic = control->sums[b].shift = 0.0;
    }
    for (uint32_t b = 0; b < control->body_count; b++) {
        struct energy_sums *const sums = &control->sums[control->island[b]];
        sums->kinetic += control->bodies[b].kinetic;
        sums->shift += control->bodies[b].shift;
    }
}

/// Returns a body's part of its island's target. The difference between target and energy is
/// distributed in proportion to A, which measures how much the step has damped each body's motion.
/// If A is zero it goes to the first body.
static double share_of(const struct energy_control *control, uint32_t b) {
    const uint32_t island = control->island[b];
    const struct energy_sums *const sums = &control->sums[island];
    const struct energy_body *const body = &control->bodies[b];
    const double energy = sums->potential + sums->kinetic + sums->shift;
    const double share = sums->square > 0.0 ? body->square / sums->square : (b == island);
    return body->potential + body->kinetic + body->shift + share * (sums->target - energy);
}

static double next_target(const struct energy_control *control, uint32_t b) {
    if (control->by_body && control->sums[control->island[b]].body_count > 1) {
        return share_of(control, b);
    }
    return energy_is_island(control, b) ? control->sums[b].target : 0.0;
}

struct energy_report energy_end_step(struct energy_control *control, const struct energy_step *step,
                                     const double *v) {
    struct energy_report report = energy_report_empty();
    measure_bodies(control, step, v);
    measure_islands(control);
    for (uint32_t b = 0; b < control->body_count; b++) {
        const struct energy_sums *const sums = &control->sums[b];
        if (energy_is_island(control, b)) {
            report.alpha_low = fmin(report.alpha_low, sums->alpha);
            report.alpha_high = fmax(report.alpha_high, sums->alpha);
            report.target += sums->target - sums->shift;
            report.energy += sums->potential + sums->kinetic;
            report.work += sums->work;
        }
        control->next[b] = (struct energy_account){
            .is_known = true,
            .in_contact = control->bodies[b].in_contact,
            .errors = control->sums[control->island[b]].errors,
            .target = next_target(control, b),
            .potential = control->bodies[b].potential,
            .shift = control->bodies[b].shift,
            .step = step->h,
        };
    }
    return report;
}

// --- forces that end with the step ---

void energy_withdraw(struct energy_control *control, const struct energy_withdrawal *withdrawal,
                     struct energy_report *report) {
    for (size_t i = 0; i < withdrawal->node_count; i++) {
        const uint32_t b = control->body[i];
        struct energy_account *const account = &control->accounts[b];
        const double *force = withdrawal->force + 3 * i;
        double moved[3];
        subtract3(withdrawal->x + 3 * i, withdrawal->reference + 3 * i, moved);
        const double potential = dot3(force, moved);
        const double shift = control->bodies[b].falls
                                 ? withdrawal->free_fall_defect * account->step *
                                       dot3(force, withdrawal->v + 3 * i)
                                 : 0.0;
        account->potential += potential;
        account->shift -= shift;
        control->accounts[control->by_body ? b : 0].target += potential - shift;
        report->target += potential;
        report->energy += potential;
        report->work += potential - shift;
    }
}
