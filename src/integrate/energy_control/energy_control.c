// See energy_control.h. Sums run over the nodes in their order, for all islands at once, so that
// neither the number of threads nor other islands change the result. Theory:
// docs/theory/energy_control.md sections 1 to 3 and 6.
// SPDX-License-Identifier: MIT
#include "integrate/energy_control/energy_control.h"

#include <float.h>
#include <math.h>

#include "base/lanes/vector.h"
#include "integrate/energy_control/energy_control_sums.h"
#include "pbs/integrator.h"

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

static bool is_constrained(const struct energy_step *step, size_t at) {
    return ((uint32_t)step->constrained_axes[at / 3] >> at % 3 & 1u) != 0;
}

// --- work of external forces ---
//  A constraint or contact force on a node does the work of its impulse in the step times the mean
//  of the node's prescribed velocities before and after. For a constant velocity this agrees with a
//  frame that moves along. For a changing one it is exact for the node's own inertia, and its sum
//  over steps is the trapezoidal rule of the forces.

static double mean_prescribed_velocity(const struct energy_step *step, size_t at) {
    return 0.5 * (step->velocity_now[at] + step->prescribed_velocity[at]);
}

/// Returns the velocity with which a force over the step does work on a node that reaches v. With
/// implicit Euler the kinetic energy changes by F times the mean velocity; with F v alone the
/// correction would have to compensate h F (w - v_n) / 2.
static double working_velocity(const struct energy_step *step, const double *v, size_t at) {
    return step->free_fall_defect > 0.0 ? 0.5 * (step->velocity_now[at] + v[at]) : v[at];
}

void energy_add_damping(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *gradient, const double *v) {
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        struct energy_sums *sums = energy_sums_of(control, at / 3);
        sums->loss += seconds * gradient[at] * working_velocity(step, v, at);
        if (is_constrained(step, at)) {
            sums->work += seconds * gradient[at] * mean_prescribed_velocity(step, at);
        }
    }
}

void energy_add_supply(struct energy_control *control, uint32_t node, double work) {
    struct energy_sums *const sums = energy_sums_of(control, node);
    sums->loss += work;
    sums->work += work;
}

// --- contact ---

#define NO_BODY UINT32_MAX

static uint32_t body_of(const struct energy_control *control, uint32_t node) {
    return node == CONTACT_NO_NODE ? NO_BODY : control->body[node];
}

/// Marks the bodies of a contact as in contact and joins their islands. Returns one of them, the
/// first if there is one.
static uint32_t join_bodies(struct energy_control *control, const struct contact_power *power) {
    const uint32_t first = body_of(control, power->nodes[0]);
    const uint32_t second = body_of(control, power->nodes[1]);
    if (first != NO_BODY) {
        control->bodies[first].in_contact = true;
    }
    if (second != NO_BODY) {
        control->bodies[second].in_contact = true;
    }
    if (first != NO_BODY && second != NO_BODY && !control->is_gathered) {
        energy_join(control, first, second);
    }
    return first != NO_BODY ? first : second;
}

struct stage_work {
    struct energy_control *control;
    double seconds, h;
    const double *node_fractions;
};

static double seconds_of(const struct stage_work *stage, const struct contact_power *power) {
    return stage->node_fractions != NULL
               ? stage->h * contact_pair_fraction(stage->node_fractions, stage->seconds / stage->h,
                                                  power->nodes[0], power->nodes[1])
               : stage->seconds;
}

static void add_contact_work(void *context, const struct contact_power *power) {
    const struct stage_work *stage = context;
    const uint32_t body = join_bodies(stage->control, power);
    struct energy_sums *const sums = &stage->control->sums[body];
    const double seconds = seconds_of(stage, power);
    sums->loss += seconds * power->dissipation;
    sums->work += seconds * power->obstacle_power;
}

void energy_add_contact(struct energy_control *control, const struct energy_step *step,
                        double seconds, const double *node_fractions, const double *x,
                        const double *v) {
    struct stage_work stage = {control, seconds, step->h, node_fractions};
    const struct contact_motion motion = {.x = x,
                                          .v = v,
                                          .v_now = step->free_fall_defect > 0.0 ? step->velocity_now
                                                                                : NULL,
                                          .is_continued = step->is_continued};
    const struct contact_visitor visitor = {add_contact_work, &stage};
    contact_set_visit(&step->objective->contacts, &motion, &visitor);
}

// --- energies ---

static void add_potential(void *context, const struct contact_power *power) {
    struct energy_control *const control = context;
    control->bodies[join_bodies(control, power)].potential += power->potential;
}

/// Adds the contact potential. That between two bodies is counted for the first one.
static int evaluate_contact(struct energy_control *control, const struct objective *o,
                            const double *x, double *gradient) {
    struct contact_energy energy;
    const struct contact_visitor visitor = {add_potential, control};
    if (contact_set_evaluate(&o->contacts, o->tasks, x, false, gradient, &energy) < 0) {
        return EVALUATE_STOP;
    }
    contact_set_visit(&o->contacts, NULL, &visitor);
    return isfinite(energy.potential) ? EVALUATE_OK : EVALUATE_RECOVERABLE;
}

/// The bodies of a joint are one island, unless it broke. Returns one of them.
static uint32_t join_joint(struct energy_control *control, const struct joint *joint) {
    const uint32_t first = control->body[joint->node[0]];
    for (uint32_t k = 1; k < joint->node_count && joint->row_count > 0; k++) {
        energy_join(control, first, control->body[joint->node[k]]);
    }
    return first;
}

static const struct joint_set *joints_of(const struct objective *o) {
    return o->constraints != NULL ? o->constraints->joints : NULL;
}

/// Adds the springs of joints; joints that are constraints have no energy.
static void evaluate_joints(struct energy_control *control, const struct objective *o,
                            const double *x, double *gradient) {
    const struct joint_set *const joints = joints_of(o);
    for (size_t i = 0; joints != NULL && i < joints->count; i++) {
        const uint32_t body = join_joint(control, &joints->joints[i]);
        control->bodies[body].potential += joint_set_evaluate_joint(joints, i, x, true, gradient)
                                               .elastic;
    }
}

void energy_add_constraints(struct energy_control *control, const struct energy_step *step,
                            double seconds, const double *x) {
    const struct constraint_set *const constraints = step->objective->constraints;
    const struct joint_set *const joints = joints_of(step->objective);
    for (size_t i = 0; joints != NULL && i < joints->count; i++) {
        const struct joint_power power = joint_set_power(joints, i, x);
        struct energy_sums *const sums = &control->sums[join_joint(control, &joints->joints[i])];
        sums->loss += seconds * power.dissipated;
        sums->work += seconds * power.supplied;
    }
    const struct pressure *const volumes = constraints != NULL ? constraints->volumes : NULL;
    for (size_t s = held_volumes_next(volumes, 0); s != SIZE_MAX;
         s = held_volumes_next(volumes, s + 1)) {
        const struct held_volume_power power = held_volumes_power(volumes, s);
        energy_sums_of(control, power.node)->work += seconds * power.supplied;
    }
}

/// Computes the potentials of bodies and islands, and the gradient if it is not null. own: per
/// node, 3, the part of the gradient that is not of contact; may be null.
static int evaluate(struct energy_control *control, const struct energy_step *step, const double *x,
                    double *gradient, double *own) {
    const struct objective *o = step->objective;
    const struct evaluation evaluation = {.what = EVALUATE_VALUE |
                                                  (gradient != NULL ? EVALUATE_GRADIENT : 0U),
                                          .x = x,
                                          .stage = {.origin = x, .length = 1.0},
                                          .without_constraints = true};
    struct terms_result result = {
        .gradient = gradient, .node_values = control->node_values, .scratch = o->scratch};
    int answer = terms_evaluate(o->tasks, o->assembly, o->terms, step->conservative_count,
                                &evaluation, &result);
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->bodies[b].potential = answer == EVALUATE_OK ? 0.0 : INFINITY;
    }
    for (size_t i = 0; answer == EVALUATE_OK && i < energy_node_count(step); i++) {
        control->bodies[control->body[i]].potential += control->node_values[i];
    }
    if (answer == EVALUATE_OK) {
        evaluate_joints(control, o, x, gradient);
    }
    if (answer == EVALUATE_OK && own != NULL) {
        vector_copy(o->tasks, 3 * energy_node_count(step), gradient, own);
    }
    if (answer == EVALUATE_OK) {
        answer = evaluate_contact(control, o, x, gradient);
    }
    energy_sum_potentials(control);
    return answer;
}

static pbs_status fail_at_state(int answer) {
    return answer == EVALUATE_STOP
               ? terms_fail_stopped()
               : status_fail(PBS_ERROR_INADMISSIBLE,
                             "the potential is infinite at the start or the end of the step");
}

static pbs_status evaluate_state(struct energy_control *control, const struct energy_step *step,
                                 const double *x, double *gradient, double *own) {
    const int answer = evaluate(control, step, x, gradient, own);
    return answer == EVALUATE_OK ? PBS_OK : fail_at_state(answer);
}

// --- the correction ---

/// Completes dv by the forces at both ends, and adds the work of the corresponding impulses on
/// constrained axes.
static void complete_correction(struct energy_control *control, const struct energy_step *step,
                                const struct energy_candidate *c) {
    // If the recipe computes dv from forces, w results from the forces at the end, and alpha
    // replaces them by those at x_n. Otherwise the forces of the whole step do work with the step's
    // own velocity.
    const bool from_forces = c->weight_next != 0.0;
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        const double m = step->objective->mass[at / 3];
        struct energy_sums *sums = energy_sums_of(control, at / 3);
        double *dv = &c->correction[at];
        *dv += (c->weight_now * c->gradient_now[at] + c->weight_next * c->gradient_next[at]) / m;
        if (is_constrained(step, at)) {
            const double mean = mean_prescribed_velocity(step, at);
            sums->work += m * (c->v[at] - step->velocity_now[at]) * mean;
            if (from_forces) {
                sums->work += step->h * c->gradient_next[at] * mean;
                sums->reaction += m * *dv * mean;
            } else {
                sums->work += 0.5 * step->h * (c->gradient_now[at] + c->gradient_next[at]) *
                              step->prescribed_velocity[at];
            }
            *dv = 0.0;
        }
    }
}

double energy_normal_part(const struct energy_step *step, size_t active, const double *x,
                          const double *dv, double removed[3]) {
    const struct projection *const p = step->projection;
    const struct projection_slot *const slot = &p->slots[p->active[active].slot];
    double kept[3], velocity[3];
    multiply3(p->active[active].tangent, dv, kept);
    subtract3(dv, kept, removed);
    obstacle_mean_velocity(projection_obstacle(p, slot, 0), step->is_continued,
                           x + 3 * (size_t)slot->node, velocity);
    return step->objective->mass[slot->node] * dot3(removed, velocity);
}

/// Removes the normal part of dv at nodes in contact: it is transferred to the obstacle.
static void constrain_correction(struct energy_control *control, const struct energy_step *step,
                                 const struct energy_candidate *c) {
    const struct projection *p = step->projection;
    for (size_t i = 0; i < p->active_count; i++) {
        const struct projection_slot *slot = &p->slots[p->active[i].slot];
        if (slot->active_count > 0) {
            double *dv = c->correction + 3 * (size_t)slot->node;
            double removed[3];
            const double work = energy_normal_part(step, i, c->x, dv, removed);
            subtract3(dv, removed, dv);
            energy_sums_of(control, slot->node)->reaction += work;
        }
    }
}

/// Removes from dv what joints and held volumes do not allow: their forces do no work on the rest.
static void constrain_by_equations(const struct energy_step *step,
                                   const struct energy_candidate *c) {
    struct constraint_set *const constraints = step->objective->constraints;
    if (!constraint_set_is_empty(constraints)) {
        const struct stage_nodes stage = {
            .mass = step->objective->mass, .constrained_axes = step->constrained_axes, .x = c->x};
        constraint_set_project(constraints, &stage, NULL, c->correction);
    }
}

/// Adds a node to what kinetic_in_frame needs.
static void add_to_frame(const struct energy_step *step, size_t node, const double *v,
                         const double *dv, struct energy_sums *sums) {
    const double m = step->objective->mass[node];
    sums->mass += m;
    sums->kinetic_now += energy_kinetic_at(step, node, step->velocity_now);
    add_scaled3(sums->momentum_now, m, step->velocity_now + 3 * node, sums->momentum_now);
    add_scaled3(sums->momentum, m, v, sums->momentum);
    add_scaled3(sums->correction, m, dv, sums->correction);
    for (size_t k = 0; k < 3; k++) {
        if (is_constrained(step, 3 * node + k)) {
            sums->scripted_mass[k] += m;
            sums->scripted[k] += m * step->prescribed_velocity[3 * node + k];
        }
    }
}

static void add_up(struct energy_control *control, const struct energy_step *step,
                   const struct energy_candidate *c) {
    for (size_t i = 0; i < energy_node_count(step); i++) {
        struct energy_body *const body = &control->bodies[control->body[i]];
        struct energy_sums *const sums = energy_sums_of(control, i);
        const double *dv = c->correction + 3 * i;
        const double square = energy_kinetic_at(step, i, c->correction);
        body->kinetic_now += energy_kinetic_at(step, i, step->velocity_now);
        body->shift_now += energy_shift_at(control, step, i, step->velocity_now);
        body->square += square;
        sums->kinetic += energy_kinetic_at(step, i, c->v);
        sums->shift += energy_shift_at(control, step, i, c->v);
        sums->square += square;
        sums->product -= step->objective->mass[i] * dot3(c->v + 3 * i, dv);
        sums->product -= energy_shift_at(control, step, i, c->correction);
        add_to_frame(step, i, c->v + 3 * i, dv, sums);
    }
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[b].product -= control->sums[b].reaction;
    }
}

/// Returns the energy minus its target.
static double error_of(const struct energy_sums *sums) {
    return sums->potential + sums->kinetic + sums->shift - sums->target;
}

// --- alpha of v = w - alpha dv ---

/// Solves a alpha^2 + b alpha + c = 0, a > 0 (docs/theory/energy_control.md section 2). Returns the
/// root closer to 1 or, without real roots, the minimum.
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

// Of the error at alpha = 1, what a correction may leave.
static const double CORRECTED = 1e-6;

/// Returns 1, unless the energy error at alpha = 1 has had the same sign three times in a row. If
/// the target cannot be reached, the next step searches again: stiff modes grow by up to a tenth if
/// two steps with alpha = 1 follow each one with alpha = 0 (docs/theory/energy_control.md section
/// 2).
static double search_sparsely(const struct energy_step *step, struct energy_sums *sums,
                              double error) {
    const double end = sums->square + sums->product + error;
    const int32_t sign = (end > 0.0) - (end < 0.0);
    sums->errors = sums->errors * sign > 0 ? sums->errors + sign : sign;
    if (sums->errors < 3 && sums->errors > -3) {
        return 1.0;
    }
    const double alpha = search(step, sums, error);
    const double left = (sums->square * alpha + sums->product) * alpha + error;
    sums->errors = fabs(left) <= CORRECTED * fabs(end) ? 0 : 2 * sign;
    return alpha;
}

/// A kinetic energy in the frame of what moves the island as a whole, so that it is the same seen
/// from a train: scripted axes or, where the correction has no momentum, because only bodies of the
/// island push each other, its own center of mass. Otherwise the frame is space.
static double kinetic_in_frame(const struct energy_sums *sums, double kinetic,
                               const double momentum[3]) {
    const double small = 1e-6 * sqrt(2.0 * sums->square * sums->mass);
    for (int k = 0; k < 3 && sums->mass > 0.0; k++) {
        const double mean = momentum[k] / sums->mass;
        double frame = fabs(sums->correction[k]) <= small ? mean : 0.0;
        if (sums->scripted_mass[k] > 0.0) {
            frame = sums->scripted[k] / sums->scripted_mass[k];
        }
        kinetic += sums->mass * frame * (0.5 * frame - mean);
    }
    return kinetic;
}

// Of the kinetic energy, what a correction that is applied whole may have and add (section 2).
static const double RESOLVED = 0.25;

/// Whether the island may take the whole correction.
static bool is_resolved(const struct energy_sums *sums) {
    const double now = kinetic_in_frame(sums, sums->kinetic_now, sums->momentum_now);
    const double end = kinetic_in_frame(sums, sums->kinetic, sums->momentum);
    return sums->square <= RESOLVED * end ||
           sums->square + sums->product + error_of(sums) <= RESOLVED * now;
}

static double choose(const struct energy_step *step, struct energy_sums *sums) {
    const struct energy_settings *s = step->settings;
    const bool takes_whole = s->choice != PBS_ALPHA_SEARCH && is_resolved(sums);
    if (s->choice == PBS_ALPHA_FIXED && (takes_whole || s->alpha != 1.0)) {
        return s->alpha;
    }
    // Without a correction alpha has no effect.
    const double size = fabs(sums->potential) + 2.0 * sums->kinetic + fabs(sums->target);
    if (!(sums->square > 1e-24 * size)) {
        return 1.0;
    }
    const double error = error_of(sums);
    // An error below rounding is ignored: in free fall the energy is a sum of much larger terms.
    if (fabs(sums->square + sums->product + error) <= 2.0 * DBL_EPSILON * size) {
        return 1.0;
    }
    return takes_whole ? search_sparsely(step, sums, error) : search(step, sums, error);
}

static void correct_velocity(struct energy_control *control, const struct energy_step *step,
                             const struct energy_candidate *c) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        struct energy_sums *sums = &control->sums[b];
        if (energy_is_island(control, b)) {
            sums->alpha = choose(step, sums);
            sums->target += sums->alpha * sums->reaction;
            sums->work += sums->alpha * sums->reaction;
        }
    }
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        c->v[at] -= energy_sums_of(control, at / 3)->alpha * c->correction[at];
    }
}

// --- alpha of both positions and velocities ---

/// Computes the potential and kinetic energy of all islands at their alpha.
static int evaluate_blend(struct energy_control *control, const struct energy_step *step,
                          const struct energy_candidate *c) {
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        c->trial[at] = c->x[at] -
                       energy_sums_of(control, at / 3)->alpha * c->position_correction[at];
    }
    const int answer = evaluate(control, step, c->trial, NULL, NULL);
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[b].kinetic = 0.0;
    }
    for (size_t i = 0; i < energy_node_count(step); i++) {
        struct energy_sums *sums = energy_sums_of(control, i);
        double v[3];
        copy3(c->v + 3 * i, v);
        add_scaled3(v, -sums->alpha, c->correction + 3 * i, v);
        sums->kinetic += 0.5 * step->objective->mass[i] * dot3(v, v);
    }
    return answer;
}

/// Returns the next trial: regula falsi with halved weights, or bisection if that leaves the
/// bracket.
static double next_trial(const struct energy_sums *sums) {
    const double trial = sums->low + (sums->high - sums->low) * sums->low_error /
                                         (sums->low_error - sums->high_error);
    return trial > sums->low && trial < sums->high ? trial : 0.5 * (sums->low + sums->high);
}

/// Narrows the bracket with the energy error at alpha, or ends the search.
static void narrow(struct energy_sums *sums) {
    const double error = error_of(sums);
    const double size = fabs(sums->potential) + sums->kinetic + fabs(sums->target);
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

/// Blending, docs/theory/energy_control.md section 6. The candidate is alpha = 0, which dissipates;
/// alpha = 1 may have too much energy.
static pbs_status blend(struct energy_control *control, const struct energy_step *step,
                        const struct energy_candidate *c) {
    for (uint32_t i = 0; i < control->body_count; i++) {
        control->sums[i].low_error = error_of(&control->sums[i]);
        control->sums[i].alpha = 1.0;
    }
    int answer = evaluate_blend(control, step, c);
    uint32_t open = 0;
    for (uint32_t i = 0; i < control->body_count && answer != EVALUATE_STOP; i++) {
        struct energy_sums *sums = &control->sums[i];
        sums->high = 1.0;
        sums->high_error = error_of(sums);
        sums->is_open = sums->high_error > 0.0 && sums->low_error < 0.0;
        // If both ends have too much energy, the lower one is chosen. With strong drag that is not
        // implicit Euler.
        sums->alpha = sums->high_error > 0.0 && sums->low_error < sums->high_error ? 0.0 : 1.0;
        open += sums->is_open;
    }
    for (int trial = 0; trial < TRIAL_LIMIT && open > 0 && answer != EVALUATE_STOP; trial++) {
        for (uint32_t i = 0; i < control->body_count; i++) {
            struct energy_sums *sums = &control->sums[i];
            sums->alpha = sums->is_open ? next_trial(sums) : sums->alpha;
        }
        answer = evaluate_blend(control, step, c);
        open = 0;
        for (uint32_t i = 0; i < control->body_count; i++) {
            if (control->sums[i].is_open) {
                narrow(&control->sums[i]);
            }
            open += control->sums[i].is_open;
        }
    }
    if (answer == EVALUATE_STOP) {
        return fail_at_state(answer);
    }
    // At the trial limit the lower end is used, which was admissible.
    for (uint32_t i = 0; i < control->body_count; i++) {
        control->sums[i].alpha = control->sums[i].is_open ? control->sums[i].low
                                                          : control->sums[i].alpha;
    }
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        const double alpha = energy_sums_of(control, at / 3)->alpha;
        c->x[at] -= alpha * c->position_correction[at];
        c->v[at] -= alpha * c->correction[at];
    }
    return evaluate_state(control, step, c->x, NULL, NULL);
}

// --- the whole choice ---

static void constrain_position(const struct energy_step *step, double *position_correction) {
    for (size_t at = 0; at < 3 * energy_node_count(step); at++) {
        position_correction[at] = is_constrained(step, at) ? 0.0 : position_correction[at];
    }
}

/// Implicit Euler, alpha = 0, falls too far by h^2 M^-1 f / 2, which blending would count as
/// dissipation. Bodies without contact are moved to the exact parabola for every alpha.
static void correct_end_of_fall(struct energy_control *control, const struct energy_step *step,
                                const struct energy_candidate *c) {
    for (size_t i = 0; i < energy_node_count(step); i++) {
        if (!control->bodies[control->body[i]].in_contact) {
            const double defect = -0.5 * step->h * step->h / step->objective->mass[i];
            const double *f = control->force + 3 * i;
            add_scaled3(c->x + 3 * i, defect, f, c->x + 3 * i);
            add_scaled3(c->position_correction + 3 * i, defect, f, c->position_correction + 3 * i);
        }
    }
}

pbs_status energy_measure_start(struct energy_control *control, const struct energy_step *step,
                                const double *x, double *gradient) {
    RETURN_IF_FAILED(evaluate_state(control, step, x, gradient, control->own_gradient));
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->bodies[b].potential_now = control->bodies[b].potential;
    }
    return PBS_OK;
}

pbs_status energy_choose_alpha(struct energy_control *control, const struct energy_step *step,
                               struct energy_candidate *candidate) {
    const struct energy_candidate *c = candidate;
    double *const own_next = c->position_correction == NULL ? c->trial : NULL;
    if (!constraint_set_is_empty(step->objective->constraints)) {
        // Those at x' are normal to what they allow, and drop out of dv with its projection.
        constraint_set_add_start_forces(step->objective->constraints, c->x_now, c->gradient_now);
        constraint_set_add_start_forces(step->objective->constraints, c->x_now,
                                        control->own_gradient);
    }
    if (c->position_correction != NULL) {
        correct_end_of_fall(control, step, c);
    }
    RETURN_IF_FAILED(evaluate_state(control, step, c->x, c->gradient_next, own_next));
    if (step->rotations != NULL) {
        // Those at x_n are at the chart's origin already.
        rotations_gradient_to_moments(step->rotations, step->objective->tasks, c->x,
                                      c->gradient_next);
    }
    if (step->rotations != NULL && own_next != NULL) {
        rotations_gradient_to_moments(step->rotations, step->objective->tasks, c->x, own_next);
    }
    energy_gather(control);
    energy_sum_potentials(control);
    complete_correction(control, step, c);
    if (c->position_correction == NULL) {
        constrain_correction(control, step, c);
        constrain_by_equations(step, c);
        if (step->settings->choice != PBS_ALPHA_FIXED || step->settings->alpha == 1.0) {
            energy_separate_rotation(control, step, c, own_next);
        }
    }
    add_up(control, step, c);
    energy_set_targets(control, step);
    if (c->position_correction != NULL) {
        constrain_position(step, c->position_correction);
        return blend(control, step, c);
    }
    correct_velocity(control, step, c);
    return PBS_OK;
}

// --- after the choice ---

static void sum_motion(struct energy_control *control, const struct energy_step *step,
                       const double *v) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[b].kinetic = control->sums[b].shift = 0.0;
    }
    for (size_t i = 0; i < energy_node_count(step); i++) {
        energy_sums_of(control, i)->kinetic += energy_kinetic_at(step, i, v);
        energy_sums_of(control, i)->shift += energy_shift_at(control, step, i, v);
    }
}

void energy_before_friction(struct energy_control *control, const struct energy_step *step,
                            const double *v) {
    sum_motion(control, step, v);
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->sums[b].kinetic_before = control->sums[b].kinetic;
        control->sums[b].shift_before = control->sums[b].shift;
    }
}

void energy_after_friction(struct energy_control *control, const struct energy_step *step,
                           const double *v, double heat) {
    sum_motion(control, step, v);
    for (uint32_t b = 0; b < control->body_count; b++) {
        struct energy_sums *sums = &control->sums[b];
        const double change = sums->kinetic - sums->kinetic_before + sums->shift -
                              sums->shift_before;
        sums->target += change;
        sums->work += change;
    }
    const struct projection *p = step->projection;
    for (size_t i = 0; i < p->active_count; i++) {
        const struct projection_slot *slot = &p->slots[p->active[i].slot];
        struct energy_body *const body = &control->bodies[control->body[slot->node]];
        body->in_contact = body->in_contact || slot->active_count > 0;
    }
    // Heat is the loss relative to the obstacles. The rest of the change is their work.
    control->sums[0].work += heat;
}

pbs_status energy_update_potential(struct energy_control *control, const struct energy_step *step,
                                   const double *x) {
    return evaluate_state(control, step, x, NULL, NULL);
}

double energy_loss(const struct energy_control *control) {
    double loss = 0.0;
    for (uint32_t b = 0; b < control->body_count; b++) {
        loss += energy_is_island(control, b) ? control->sums[b].loss : 0.0;
    }
    return loss;
}

double energy_deviation(const struct energy_control *control, size_t node_count,
                        const double *correction) {
    double most = 0.0;
    for (size_t i = 0; i < node_count; i++) {
        const double excess = fabs(energy_sums_of(control, i)->alpha - 1.0);
        most = fmax(most, excess * norm3(correction + 3 * i));
    }
    return most;
}
