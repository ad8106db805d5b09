// Momentum and energy of random worlds; see league_balance.h.
// SPDX-License-Identifier: MIT
#include "scenes/league/league_balance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/league/league_parts.h"

// Of sums of what acts on a body: forces of up to 1e7 weights within it, each with 1e-16 of itself.
static const double ROUNDING = 1e-9;
// Forces of joints and pins are read back where the step ended, to the tolerance of joints; a
// damper's there is that of the velocity, in the step it is that of the change of length.
static const double READING = 1e-5, READING_OF_DAMPERS = 0.1;

static double length3(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static pbs_motion motion_of(const struct league *l, size_t body) {
    pbs_motion motion = {.struct_size = sizeof motion};
    pbs_body_motion(l->world, l->bodies[body].id, &motion);
    return motion;
}

static double energy_of(const struct league *l, double *kinetic) {
    pbs_energy e = {.struct_size = sizeof e};
    pbs_world_energy(l->world, &e);
    *kinetic = e.kinetic;
    return e.total + e.dissipated;
}

// --- groups ---

static void merge(struct league_balance *b, size_t count, int32_t one, int32_t other) {
    const int32_t least = one < other ? one : other, most = one < other ? other : one;
    for (size_t i = 0; i < count; i++) {
        b->group[i] = b->group[i] == most ? least : b->group[i];
    }
}

static void form_groups(struct league_balance *b, const struct league *l) {
    for (size_t i = 0; i < l->body_count; i++) {
        b->group[i] = (int32_t)i;
    }
    for (size_t j = 0; j < l->joint_count; j++) {
        const int32_t *const body = l->joints[j].body;
        if (body[1] >= 0) {
            merge(b, l->body_count, b->group[body[0]], b->group[body[1]]);
        }
    }
    for (size_t j = 0; j < l->joint_count; j++) {
        const int32_t *const body = l->joints[j].body;
        b->held[b->group[body[0]]] = b->held[b->group[body[0]]] || body[1] < 0;
    }
    for (size_t i = 0; i < l->body_count; i++) {
        b->held[b->group[i]] = b->held[b->group[i]] || l->bodies[i].pinned;
    }
}

void league_balance_begin(struct league_balance *b, const struct league *l) {
    double kinetic;
    *b = (struct league_balance){.closed = true};
    form_groups(b, l);
    b->least_energy = energy_of(l, &kinetic);
    b->reference = kinetic;
    for (size_t i = 0; i < l->body_count; i++) {
        const pbs_motion motion = motion_of(l, i);
        memcpy(b->momentum[i], motion.momentum, sizeof b->momentum[i]);
        b->reference += motion.mass * LEAGUE_GRAVITY * l->bodies[i].size;
    }
    for (size_t j = 0; j < l->joint_count; j++) {
        b->closed = b->closed && !l->joints[j].driven;
    }
}

void league_balance_free(struct league_balance *b) {
    free(b->contacts);
    b->contacts = NULL;
}

// --- momentum ---

/// The world's contacts; their number, or 0.
static size_t read_contacts(struct league_balance *b, const struct league *l) {
    size_t count = 0;
    pbs_world_contacts(l->world, NULL, sizeof(pbs_contact), &count);
    if (count > b->contact_capacity) {
        free(b->contacts);
        b->contacts = malloc(2 * count * sizeof *b->contacts);
        b->contact_capacity = b->contacts == NULL ? 0 : 2 * count;
    }
    count = b->contact_capacity;
    return pbs_world_contacts(l->world, b->contacts, sizeof(pbs_contact), &count) >= 0 ? count : 0;
}

static int32_t group_of(const struct league_balance *b, const struct league *l, pbs_body id) {
    for (size_t i = 0; i < l->body_count; i++) {
        if (l->bodies[i].id.id == id.id) {
            return b->group[i];
        }
    }
    return -1;
}

/// Adds h times the normal forces between each group and what is not of it.
static void add_contact_scale(struct league_balance *b, const struct league *l, double *scale) {
    const size_t count = read_contacts(b, l);
    for (size_t i = 0; i < count; i++) {
        const pbs_contact *const contact = &b->contacts[i];
        const int32_t one = group_of(b, l, contact->first.body);
        const int32_t other = group_of(b, l, contact->second.body);
        const double impulse = l->step * fabs(contact->normal_force);
        if (one >= 0 && one != other) {
            scale[one] += impulse;
        }
        if (other >= 0 && one != other) {
            scale[other] += impulse;
        }
    }
}

/// Takes the impulses of joints to space out of what is unaccounted for.
static void account_joints(const struct league_balance *b, const struct league *l,
                           double (*left)[3], double *scale) {
    for (size_t j = 0; j < l->joint_count; j++) {
        pbs_joint_state state = {.struct_size = sizeof state};
        const int32_t *const body = l->joints[j].body;
        if (body[1] >= 0 || pbs_joint_get_state(l->world, l->joints[j].id, &state) < 0) {
            continue;
        }
        // The force on side b is that on space.
        const int32_t group = b->group[body[0]];
        for (size_t k = 0; k < 3; k++) {
            left[group][k] += l->step * state.force[k];
        }
        scale[group] += l->step * length3(state.force);
    }
}

/// Likewise of pins; false where their forces are not known.
static bool account_pins(const struct league_balance *b, const struct league *l, size_t body,
                         double (*left)[3], double *scale) {
    const size_t count = pbs_body_vertex_count(l->world, l->bodies[body].id);
    double *const forces = malloc(3 * count * sizeof *forces);
    if (forces == NULL ||
        pbs_body_constraint_forces(l->world, l->bodies[body].id, forces, NULL, count) < 0) {
        free(forces);
        return false;
    }
    const int32_t group = b->group[body];
    double sum[3] = {0.0};
    for (size_t k = 0; k < 3 * count; k++) {
        sum[k % 3] += forces[k];
    }
    for (size_t k = 0; k < 3; k++) {
        left[group][k] -= l->step * sum[k];
    }
    scale[group] += l->step * length3(sum);
    free(forces);
    return true;
}

static bool was_divided(const struct league *l, double *gradient) {
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(l->world, &stats);
    *gradient = stats.newton.gradient_norm;
    return stats.step.divisions > 0 || stats.step.parts > 1;
}

/// The square root of how many nodes a group has.
static double root_of_nodes(const struct league_balance *b, const struct league *l, size_t group) {
    size_t count = 0;
    for (size_t i = 0; i < l->body_count; i++) {
        if (b->group[i] == (int32_t)group) {
            count += l->bodies[i].kind == PBS_BODY_AFFINE
                         ? 4
                         : pbs_body_vertex_count(l->world, l->bodies[i].id);
        }
    }
    return sqrt((double)count);
}

/// Adds a body's change of momentum, less its weight and contacts, to what is left of its group.
static bool account_body(struct league_balance *b, const struct league *l, size_t body,
                         double (*left)[3], double *scale) {
    const pbs_motion motion = motion_of(l, body);
    const int32_t group = b->group[body];
    pbs_contact_force contact = {.struct_size = sizeof contact};
    pbs_body_contact_force(l->world, l->bodies[body].id, NULL, &contact);
    double change[3];
    for (size_t k = 0; k < 3; k++) {
        change[k] = motion.momentum[k] - b->momentum[body][k];
        left[group][k] += change[k] - contact.impulse[k];
    }
    left[group][1] += l->step * motion.mass * LEAGUE_GRAVITY;
    scale[group] += l->step * motion.mass * LEAGUE_GRAVITY + length3(change);
    memcpy(b->momentum[body], motion.momentum, sizeof b->momentum[body]);
    return !l->bodies[body].pinned ||
           (length3(contact.friction) == 0.0 && account_pins(b, l, body, left, scale));
}

/// Which part of what acts on a group may be missing from what is read back.
static double error_of_reading(const struct league_balance *b, const struct league *l,
                               size_t group) {
    for (size_t j = 0; j < l->joint_count; j++) {
        const struct league_joint *const joint = &l->joints[j];
        if (joint->body[1] < 0 && joint->driven && b->group[joint->body[0]] == (int32_t)group) {
            return READING_OF_DAMPERS;
        }
    }
    return b->held[group] ? READING : ROUNDING;
}

static void balance_momentum(struct league_balance *b, const struct league *l) {
    double left[LEAGUE_BODIES][3] = {{0.0}}, scale[LEAGUE_BODIES] = {0.0};
    bool known[LEAGUE_BODIES];
    double gradient;
    const bool divided = was_divided(l, &gradient);
    for (size_t i = 0; i < l->body_count; i++) {
        known[i] = !(divided && b->held[i]);
    }
    for (size_t i = 0; i < l->body_count; i++) {
        known[b->group[i]] = account_body(b, l, i, left, scale) && known[b->group[i]];
    }
    add_contact_scale(b, l, scale);
    account_joints(b, l, left, scale);
    for (size_t i = 0; i < l->body_count; i++) {
        if (b->group[i] != (int32_t)i || !known[i]) {
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            b->residual[i][k] += left[i][k];
        }
        b->scale[i] += scale[i];
        if (!divided) {
            const double error = error_of_reading(b, l, i);
            const double allowed = l->step * gradient * root_of_nodes(b, l, i) + error * scale[i];
            b->excess = fmax(b->excess, length3(left[i]) / allowed);
        }
        if (length3(left[i]) > b->worst_step * scale[i]) {
            b->worst_step = length3(left[i]) / scale[i];
            b->worst_at = b->steps;
        }
    }
}

double league_momentum_error(const struct league_balance *b, const struct league *l,
                             size_t *group) {
    double worst = 0.0;
    *group = 0;
    for (size_t i = 0; i < l->body_count; i++) {
        const double error = b->scale[i] > 0.0 ? length3(b->residual[i]) / b->scale[i] : 0.0;
        if (error > worst) {
            worst = error;
            *group = i;
        }
    }
    return worst;
}

// --- energy ---

void league_balance_before(struct league_balance *b, const struct league *l) {
    for (size_t c = 0; c < l->collider_count; c++) {
        pbs_collider_pose(l->world, l->colliders[c].id, b->before_place[c], b->before_turn[c]);
    }
}

/// The rotation vector from one orientation to another.
static void turn_between(const double from[4], const double to[4], double out[3]) {
    // The vector part of to times the conjugate of from.
    const double w = to[3] * from[3] + to[0] * from[0] + to[1] * from[1] + to[2] * from[2];
    double v[3], sine = 0.0;
    for (size_t k = 0; k < 3; k++) {
        const size_t m = (k + 1) % 3, n = (k + 2) % 3;
        v[k] = to[k] * from[3] - to[3] * from[k] - (to[m] * from[n] - to[n] * from[m]);
        sine += v[k] * v[k];
    }
    sine = sqrt(sine);
    const double angle = 2.0 * atan2(sine, fabs(w));
    for (size_t k = 0; k < 3; k++) {
        out[k] = sine > 0.0 ? (w < 0.0 ? -angle : angle) * v[k] / sine : 0.0;
    }
}

/// The work that moving colliders did on bodies in a step.
static double work_of_colliders(const struct league_balance *b, const struct league *l) {
    double work = 0.0;
    for (size_t c = 0; c < l->collider_count; c++) {
        pbs_contact_force contact = {.struct_size = sizeof contact};
        double place[3], orientation[4], turn[3];
        if (!l->colliders[c].scripted) {
            continue;
        }
        pbs_collider_pose(l->world, l->colliders[c].id, place, orientation);
        pbs_collider_contact_force(l->world, l->colliders[c].id, NULL, &contact);
        turn_between(b->before_turn[c], orientation, turn);
        for (size_t k = 0; k < 3; k++) {
            work -= (contact.impulse[k] * (place[k] - b->before_place[c][k]) +
                     contact.angular_impulse[k] * turn[k]) /
                    l->step;
        }
    }
    return work;
}

static void balance_energy(struct league_balance *b, const struct league *l) {
    double kinetic;
    b->work += work_of_colliders(b, l);
    const double energy = energy_of(l, &kinetic) - b->work;
    b->reference = fmax(b->reference, kinetic);
    b->gain = fmax(b->gain, energy - b->least_energy);
    b->least_energy = fmin(b->least_energy, energy);
}

double league_energy_gain(const struct league_balance *b) {
    return b->closed && b->reference > 0.0 ? b->gain / b->reference : NAN;
}

void league_balance_after(struct league_balance *b, const struct league *l) {
    if (l->contact == PBS_CONTACT_BARRIER) {
        balance_momentum(b, l);
        balance_energy(b, l);
    }
    b->steps++;
}
