// See energy_control.h. Sums over nodes are taken in their order, island by island at once, so that
// neither threads nor other islands change a bit.
#include "integrate/energy_control.h"

#include <math.h>

#include "base/math3.h"
#include "pbs/integrator.h"

struct energy_sums {
    double kinetic_now, potential_now;
    double kinetic, potential; ///< of the candidate, then of the end of the step
    double loss, work;
    double square;   ///< A = |dv|_M^2 / 2
    double product;  ///< B = -<w, dv>_M, less what the correction's reaction does
    double reaction; ///< J of work for each unit of alpha: what holds nodes takes their correction
    double alpha;
    double kinetic_before; ///< friction
    // Blending: the bracket of alpha with the energy's error at both ends.
    double low, high, low_error, high_error;
    bool is_open;
};

// --- arrays ---

pbs_status energy_control_reserve(struct energy_control *control, struct memory *memory,
                                  size_t node_count, uint32_t island_count) {
    energy_control_free(control, memory);
    control->island_count = island_count;
    control->island = memory_allocate(memory, node_count, sizeof *control->island);
    control->accounts = memory_allocate(memory, island_count, sizeof *control->accounts);
    control->next = memory_allocate(memory, island_count, sizeof *control->next);
    control->aside = memory_allocate(memory, island_count, sizeof *control->aside);
    control->sums = memory_allocate(memory, island_count, sizeof *control->sums);
    control->node_values = memory_allocate(memory, node_count, sizeof *control->node_values);
    if (control->island == NULL || control->accounts == NULL || control->next == NULL ||
        control->aside == NULL || control->sums == NULL || control->node_values == NULL) {
        energy_control_free(control, memory);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void energy_control_free(struct energy_control *control, struct memory *memory) {
    memory_release(memory, control->island);
    memory_release(memory, control->accounts);
    memory_release(memory, control->next);
    memory_release(memory, control->aside);
    memory_release(memory, control->sums);
    memory_release(memory, control->node_values);
    *control = (struct energy_control){0};
}

void energy_begin(struct energy_control *control) {
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i] = (struct energy_sums){0};
    }
}

void energy_accept(struct energy_control *control) {
    struct energy_account *const before = control->accounts;
    control->accounts = control->next;
    control->next = before;
}

static void copy_accounts(const struct energy_control *control, const struct energy_account *source,
                          struct energy_account *out) {
    for (uint32_t i = 0; i < control->island_count; i++) {
        out[i] = source[i];
    }
}

void energy_put_aside(struct energy_control *control) {
    copy_accounts(control, control->accounts, control->aside);
}

void energy_take_back(struct energy_control *control) {
    copy_accounts(control, control->aside, control->accounts);
}

struct energy_report energy_report_empty(void) {
    return (struct energy_report){.alpha_low = INFINITY, .alpha_high = -INFINITY};
}

void energy_report_add(struct energy_report *sum, const struct energy_report *part) {
    const struct energy_report before = *sum;
    *sum = *part;
    sum->work += before.work;
    sum->alpha_low = fmin(sum->alpha_low, before.alpha_low);
    sum->alpha_high = fmax(sum->alpha_high, before.alpha_high);
}

static size_t node_count(const struct energy_step *step) {
    return step->objective->assembly->layout.node_count;
}

static struct energy_sums *sums_of(const struct energy_control *control, size_t node) {
    return &control->sums[control->island[node]];
}

static bool is_held(const struct energy_step *step, size_t at) {
    return ((uint32_t)step->held[at / 3] >> at % 3 & 1u) != 0;
}

// --- work from outside ---
//
// What holds or pushes a node does the work of its impulse in the step times the mean of its
// velocities before and after. For a constant velocity that is what a frame that moves along says;
// for a changing one it is exact for the node's own inertia, and its sum over steps is the
// trapezoidal rule of the forces.

static double held_mean(const struct energy_step *step, size_t at) {
    return 0.5 * (step->velocity_now[at] + step->held_velocity[at]);
}

void energy_add_damping(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *gradient, const double *v) {
    for (size_t at = 0; at < 3 * node_count(step); at++) {
        struct energy_sums *sums = sums_of(control, at / 3);
        sums->loss += seconds * gradient[at] * v[at];
        if (is_held(step, at)) {
            sums->work += seconds * gradient[at] * held_mean(step, at);
        }
    }
}

void energy_add_outside(struct energy_control *control, double loss, double work) {
    control->sums[0].loss += loss;
    control->sums[0].work += work;
}

void energy_add_contact(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *x) {
    const struct projection *p = step->projection;
    for (size_t i = 0; i < p->active_count; i++) {
        const struct projection_slot *slot = &p->slots[p->active[i].slot];
        for (size_t k = 0; k < slot->active_count; k++) {
            double v[3];
            obstacle_mean_velocity(projection_obstacle(p, slot, k), step->is_continued,
                                   x + 3 * (size_t)slot->node, v);
            sums_of(control, slot->node)->work += seconds * slot->multiplier[k] *
                                                  dot3(slot->normal[k], v);
        }
    }
}

// --- energies ---

static double kinetic_at(const struct energy_step *step, size_t node, const double *v) {
    return 0.5 * step->objective->mass[node] * dot3(v + 3 * node, v + 3 * node);
}

/// The barrier's part of it, of the one island that there is then.
static int add_barrier(struct energy_control *control, const struct objective *o, const double *x,
                       double *gradient) {
    struct contact_energy energy;
    if (barrier_contact_evaluate(o->contact, o->tasks, x, false, gradient, &energy) < 0) {
        return EVALUATE_STOP;
    }
    control->sums[0].potential += energy.barrier;
    return isfinite(energy.barrier) ? EVALUATE_OK : EVALUATE_RECOVERABLE;
}

/// Potentials of the islands into sums->potential, and the gradient where it is not null.
static int evaluate(struct energy_control *control, const struct energy_step *step, const double *x,
                    double *gradient) {
    const struct objective *o = step->objective;
    const struct evaluation evaluation = {.what = EVALUATE_VALUE |
                                                  (gradient != NULL ? EVALUATE_GRADIENT : 0U),
                                          .x = x,
                                          .stage = {.origin = x, .length = 1.0}};
    struct terms_result result = {
        .gradient = gradient, .node_values = control->node_values, .scratch = o->scratch};
    const int answer = terms_evaluate(o->tasks, o->assembly, o->terms, step->conservative_count,
                                      &evaluation, &result);
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].potential = answer == EVALUATE_OK ? 0.0 : INFINITY;
    }
    for (size_t i = 0; answer == EVALUATE_OK && i < node_count(step); i++) {
        sums_of(control, i)->potential += control->node_values[i];
    }
    return answer == EVALUATE_OK && o->contact != NULL ? add_barrier(control, o, x, gradient)
                                                       : answer;
}

static pbs_status fail_at_end(int answer) {
    return answer == EVALUATE_STOP
               ? status_fail(
                     PBS_ERROR_HOST,
                     "an energy callback of the host asked to stop, or left a result unwritten")
               : status_fail(PBS_ERROR_INADMISSIBLE,
                             "the potential is infinite at an end of the step");
}

static pbs_status evaluate_end(struct energy_control *control, const struct energy_step *step,
                               const double *x, double *gradient) {
    const int answer = evaluate(control, step, x, gradient);
    return answer == EVALUATE_OK ? PBS_OK : fail_at_end(answer);
}

// --- the correction ---

/// dv from the forces at both ends, and the work that goes with the impulses on held axes.
static void complete_correction(struct energy_control *control, const struct energy_step *step,
                                const struct energy_candidate *c) {
    // Where the recipe takes dv from the forces, w has seen those at the end, and alpha takes those
    // at x_n instead; else the forces of the whole step count with its own velocity.
    const bool from_forces = c->weight_next != 0.0;
    for (size_t at = 0; at < 3 * node_count(step); at++) {
        const double m = step->objective->mass[at / 3];
        struct energy_sums *sums = sums_of(control, at / 3);
        double *dv = &c->correction[at];
        *dv += (c->weight_now * c->gradient_now[at] + c->weight_next * c->gradient_next[at]) / m;
        if (is_held(step, at)) {
            const double mean = held_mean(step, at);
            sums->work += m * (c->v[at] - step->velocity_now[at]) * mean;
            if (from_forces) {
                sums->work += step->h * c->gradient_next[at] * mean;
                sums->reaction += m * *dv * mean;
            } else {
                sums->work += 0.5 * step->h * (c->gradient_now[at] + c->gradient_next[at]) *
                              step->held_velocity[at];
            }
            *dv = 0.0;
        }
    }
}

/// Nodes that touch keep to the surface: the normal part of dv is the obstacle's to carry.
static void constrain_correction(struct energy_control *control, const struct energy_step *step,
                                 const struct energy_candidate *c) {
    const struct projection *p = step->projection;
    for (size_t i = 0; i < p->active_count; i++) {
        const struct projection_slot *slot = &p->slots[p->active[i].slot];
        if (slot->active_count > 0) {
            double *dv = c->correction + 3 * (size_t)slot->node;
            double kept[3], removed[3], velocity[3];
            multiply3(p->active[i].tangent, dv, kept);
            subtract3(dv, kept, removed);
            copy3(kept, dv);
            obstacle_mean_velocity(projection_obstacle(p, slot, 0), step->is_continued,
                                   c->x + 3 * (size_t)slot->node, velocity);
            sums_of(control, slot->node)->reaction += step->objective->mass[slot->node] *
                                                      dot3(removed, velocity);
        }
    }
}

static void add_up(struct energy_control *control, const struct energy_step *step,
                   const struct energy_candidate *c) {
    for (size_t i = 0; i < node_count(step); i++) {
        struct energy_sums *sums = sums_of(control, i);
        const double *dv = c->correction + 3 * i;
        sums->kinetic_now += kinetic_at(step, i, step->velocity_now);
        sums->kinetic += kinetic_at(step, i, c->v);
        sums->square += kinetic_at(step, i, c->correction);
        sums->product -= step->objective->mass[i] * dot3(c->v + 3 * i, dv);
    }
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].product -= control->sums[i].reaction;
    }
}

// --- the target ---

/// T_{n+1} but for the reaction's work (docs/integrators.md, "Energy control").
static void set_target(const struct energy_step *step, const struct energy_account *now,
                       struct energy_sums *sums, struct energy_account *next) {
    const struct energy_settings *s = step->settings;
    *next = *now;
    next->is_known = true;
    if (!now->is_known) {
        const double energy = sums->kinetic_now + sums->potential_now;
        next->errors = 0;
        next->target = s->fraction == 1.0 ? energy : s->ground + s->fraction * (energy - s->ground);
    } else {
        // The host changed gravity or its own energy since the last step.
        sums->work += sums->potential_now - now->potential;
    }
    next->target -= sums->loss;
    if (s->decay_time > 0.0) {
        const double left = exp(-step->h / s->decay_time) * (next->target - s->ground);
        next->target = s->ground + fmax(left, 0.0);
    }
    next->target += sums->work;
}

// --- alpha of v = w - alpha dv ---

/// Where a alpha^2 + b alpha + c = 0, of two roots the one closer to 1; without any, where it is
/// closest. a > 0.
static double root_near_one(double a, double b, double c) {
    const double discriminant = b * b - 4.0 * a * c;
    if (!(discriminant >= 0.0)) {
        return -b / (2.0 * a);
    }
    const double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    const double first = q / a;
    const double second = q != 0.0 ? c / q : first;
    const double difference = fabs(first - 1.0) - fabs(second - 1.0);
    return difference < 0.0 || (difference == 0.0 && first > second) ? first : second;
}

static double search(const struct energy_step *step, const struct energy_sums *sums, double error) {
    const struct energy_settings *s = step->settings;
    return fmin(fmax(root_near_one(sums->square, sums->product, error), s->alpha_min),
                s->alpha_max);
}

/// 1, unless the energy's error would have the same sign for the third time.
static double search_sparsely(const struct energy_step *step, const struct energy_sums *sums,
                              double error, int32_t *errors) {
    const double end = sums->square + sums->product + error;
    const int32_t sign = (end > 0.0) - (end < 0.0);
    *errors = *errors * sign > 0 ? *errors + sign : sign;
    if (*errors < 3 && *errors > -3) {
        return 1.0;
    }
    *errors = 0;
    return search(step, sums, error);
}

static double choose(const struct energy_step *step, const struct energy_sums *sums,
                     struct energy_account *next) {
    const struct energy_settings *s = step->settings;
    if (s->choice == PBS_ALPHA_FIXED) {
        return s->alpha;
    }
    // Without a correction alpha means nothing; the energy is what it is.
    const double size = fabs(sums->potential) + 2.0 * sums->kinetic + fabs(next->target);
    if (!(sums->square > 1e-24 * size)) {
        return 1.0;
    }
    const double error = sums->potential + sums->kinetic - next->target;
    return s->choice == PBS_ALPHA_SEARCH ? search(step, sums, error)
                                         : search_sparsely(step, sums, error, &next->errors);
}

static void correct_velocity(struct energy_control *control, const struct energy_step *step,
                             const struct energy_candidate *c) {
    for (uint32_t i = 0; i < control->island_count; i++) {
        struct energy_sums *sums = &control->sums[i];
        sums->alpha = choose(step, sums, &control->next[i]);
        control->next[i].target += sums->alpha * sums->reaction;
        sums->work += sums->alpha * sums->reaction;
    }
    for (size_t at = 0; at < 3 * node_count(step); at++) {
        c->v[at] -= sums_of(control, at / 3)->alpha * c->correction[at];
    }
}

// --- alpha of both positions and velocities ---

/// Potential and kinetic energy of all islands at their alpha.
static int evaluate_blend(struct energy_control *control, const struct energy_step *step,
                          const struct energy_candidate *c) {
    for (size_t at = 0; at < 3 * node_count(step); at++) {
        c->trial[at] = c->x[at] - sums_of(control, at / 3)->alpha * c->position_correction[at];
    }
    const int answer = evaluate(control, step, c->trial, NULL);
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].kinetic = 0.0;
    }
    for (size_t i = 0; i < node_count(step); i++) {
        struct energy_sums *sums = sums_of(control, i);
        double v[3];
        copy3(c->v + 3 * i, v);
        add_scaled3(v, -sums->alpha, c->correction + 3 * i, v);
        sums->kinetic += 0.5 * step->objective->mass[i] * dot3(v, v);
    }
    return answer;
}

static double error_of(const struct energy_sums *sums, const struct energy_account *next) {
    return sums->potential + sums->kinetic - next->target;
}

/// False position with halved weights, bisection where that leads nowhere.
static double next_trial(const struct energy_sums *sums) {
    const double trial = sums->low + (sums->high - sums->low) * sums->low_error /
                                         (sums->low_error - sums->high_error);
    return trial > sums->low && trial < sums->high ? trial : 0.5 * (sums->low + sums->high);
}

/// alpha was tried: narrows the bracket, or ends the search.
static void narrow(struct energy_sums *sums, const struct energy_account *next) {
    const double error = error_of(sums, next);
    const double size = fabs(sums->potential) + sums->kinetic + fabs(next->target);
    if ((isfinite(error) && fabs(error) <= 1e-14 * size) || sums->high - sums->low < 1e-15) {
        sums->is_open = false;
    } else if (error > 0.0) {
        sums->high = sums->alpha;
        sums->high_error = error;
        sums->low_error *= 0.5;
    } else {
        sums->low = sums->alpha;
        sums->low_error = error;
        sums->high_error *= 0.5;
    }
}

enum { TRIAL_LIMIT = 60 };

/// The candidate is alpha = 0, which dissipates; alpha = 1 may have too much energy.
static pbs_status blend(struct energy_control *control, const struct energy_step *step,
                        const struct energy_candidate *c) {
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].low_error = error_of(&control->sums[i], &control->next[i]);
        control->sums[i].alpha = 1.0;
    }
    int answer = evaluate_blend(control, step, c);
    uint32_t open = 0;
    for (uint32_t i = 0; i < control->island_count && answer != EVALUATE_STOP; i++) {
        struct energy_sums *sums = &control->sums[i];
        sums->high = 1.0;
        sums->high_error = error_of(sums, &control->next[i]);
        sums->is_open = sums->high_error > 0.0 && sums->low_error < 0.0;
        // Where both have too much, the one that has less: with strong drag not implicit Euler.
        sums->alpha = sums->high_error > 0.0 && sums->low_error < sums->high_error ? 0.0 : 1.0;
        open += sums->is_open;
    }
    for (int trial = 0; trial < TRIAL_LIMIT && open > 0 && answer != EVALUATE_STOP; trial++) {
        for (uint32_t i = 0; i < control->island_count; i++) {
            struct energy_sums *sums = &control->sums[i];
            sums->alpha = sums->is_open ? next_trial(sums) : sums->alpha;
        }
        answer = evaluate_blend(control, step, c);
        open = 0;
        for (uint32_t i = 0; i < control->island_count; i++) {
            if (control->sums[i].is_open) {
                narrow(&control->sums[i], &control->next[i]);
            }
            open += control->sums[i].is_open;
        }
    }
    if (answer == EVALUATE_STOP) {
        return fail_at_end(answer);
    }
    // At the limit the end that was admissible last is the answer.
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].alpha = control->sums[i].is_open ? control->sums[i].low
                                                          : control->sums[i].alpha;
    }
    for (size_t at = 0; at < 3 * node_count(step); at++) {
        const double alpha = sums_of(control, at / 3)->alpha;
        c->x[at] -= alpha * c->position_correction[at];
        c->v[at] -= alpha * c->correction[at];
    }
    return evaluate_end(control, step, c->x, NULL);
}

// --- all together ---

static void hold_position(const struct energy_step *step, double *position_correction) {
    for (size_t at = 0; at < 3 * node_count(step); at++) {
        position_correction[at] = is_held(step, at) ? 0.0 : position_correction[at];
    }
}

pbs_status energy_choose(struct energy_control *control, const struct energy_step *step,
                         struct energy_candidate *candidate) {
    const struct energy_candidate *c = candidate;
    RETURN_IF_FAILED(evaluate_end(control, step, c->x_now, c->gradient_now));
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].potential_now = control->sums[i].potential;
    }
    RETURN_IF_FAILED(evaluate_end(control, step, c->x, c->gradient_next));
    complete_correction(control, step, c);
    if (c->position_correction == NULL) {
        constrain_correction(control, step, c);
    }
    add_up(control, step, c);
    for (uint32_t i = 0; i < control->island_count; i++) {
        set_target(step, &control->accounts[i], &control->sums[i], &control->next[i]);
    }
    if (c->position_correction != NULL) {
        hold_position(step, c->position_correction);
        RETURN_IF_FAILED(blend(control, step, c));
    } else {
        correct_velocity(control, step, c);
    }
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->next[i].potential = control->sums[i].potential;
    }
    return PBS_OK;
}

// --- after the choice ---

static void sum_kinetic(struct energy_control *control, const struct energy_step *step,
                        const double *v) {
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].kinetic = 0.0;
    }
    for (size_t i = 0; i < node_count(step); i++) {
        sums_of(control, i)->kinetic += kinetic_at(step, i, v);
    }
}

void energy_before_friction(struct energy_control *control, const struct energy_step *step,
                            const double *v) {
    sum_kinetic(control, step, v);
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->sums[i].kinetic_before = control->sums[i].kinetic;
    }
}

void energy_after_friction(struct energy_control *control, const struct energy_step *step,
                           const double *v, double heat) {
    sum_kinetic(control, step, v);
    for (uint32_t i = 0; i < control->island_count; i++) {
        struct energy_sums *sums = &control->sums[i];
        const double change = sums->kinetic - sums->kinetic_before;
        control->next[i].target += change;
        sums->work += change;
    }
    // Heat is the loss relative to the obstacles; the rest of the change is their work.
    control->sums[0].work += heat;
}

pbs_status energy_moved(struct energy_control *control, const struct energy_step *step,
                        const double *x) {
    RETURN_IF_FAILED(evaluate_end(control, step, x, NULL));
    for (uint32_t i = 0; i < control->island_count; i++) {
        control->next[i].potential = control->sums[i].potential;
    }
    return PBS_OK;
}

double energy_loss(const struct energy_control *control) {
    double loss = 0.0;
    for (uint32_t i = 0; i < control->island_count; i++) {
        loss += control->sums[i].loss;
    }
    return loss;
}

struct energy_report energy_report(const struct energy_control *control,
                                   const struct energy_step *step, const double *v) {
    struct energy_report report = energy_report_empty();
    for (uint32_t i = 0; i < control->island_count; i++) {
        const struct energy_sums *sums = &control->sums[i];
        report.alpha_low = fmin(report.alpha_low, sums->alpha);
        report.alpha_high = fmax(report.alpha_high, sums->alpha);
        report.target += control->next[i].target;
        report.energy += control->next[i].potential;
        report.work += sums->work;
    }
    for (size_t i = 0; i < node_count(step); i++) {
        report.energy += kinetic_at(step, i, v);
    }
    return report;
}

double energy_deviation(const struct energy_control *control, size_t node_count,
                        const double *correction) {
    double most = 0.0;
    for (size_t i = 0; i < node_count; i++) {
        const double excess = fabs(sums_of(control, i)->alpha - 1.0);
        most = fmax(most, excess * norm3(correction + 3 * i));
    }
    return most;
}
