// See affine_strain.h. The handles are the columns of A times the body's radius.
// SPDX-License-Identifier: MIT
#include "world/bodies/affine_strain.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/objects/body_table.h"

/// Pa
static const double LEAST_STIFFNESS = 1e7;
/// Stiffness over density times acceleration times diameter: a body that falls from its own height
/// is strained by sqrt(2 / (8 * 200)), 3.5 %, when it lands, and by 1/3200 when it lies.
static const double RIGIDITY = 200.0;
/// J: what stiffness times volume is at most, so that energies stay finite next to any gravity.
static const double LARGEST_ENERGY = 1e100;
/// Least |A^T A - 1|^2 at which stiffness is changed little by little: half of it times the change
/// is kinetic energy of 1e-3 sqrt(acceleration times diameter).
static const double NEGLIGIBLE_STRAIN = 2.5e-9;

/// A body that a step leaves strained by more than this is made stiffer, whatever presses it, and
/// one that was made stiffer becomes softer again below a quarter of it.
static const double CARRIED_STRAIN = 0.05;
/// A step is repeated if it ends, or fails, with more strain than this.
static const double LARGEST_STRAIN = 0.1;
/// How many times as stiff a body is in the step that is taken again.
static const double STIFFER = 16.0;
/// The strain at rest that a load has left goes back where what is left of a load strains the body
/// by less than this share of it, and in this many times the load's time.
static const double UNLOADED = 0.1;
static const double RECOVERY = 10.0;
/// |A^T A - 1|^2 below which it is over.
static const double RECOVERED = 1e-16;

static double diameter(const struct body *body) {
    return 2.0 * body->affine.radius;
}

/// m/s^2: what pulls the body or, where gravity leaves it alone, what falls on it.
static double acceleration(const struct body *body, const double gravity[3]) {
    double own[3];
    body_gravity(body, gravity, own);
    return fmax(norm3(own), norm3(gravity));
}

double affine_strain_stiffness(const struct body *body, const double gravity[3]) {
    const struct affine_body *affine = &body->affine;
    const double wanted = RIGIDITY * affine->density * acceleration(body, gravity) * diameter(body);
    return fmax(LEAST_STIFFNESS, fmin(wanted, LARGEST_ENERGY / affine->volume));
}

/// out = A^T A - 1
static void strains_of(const struct body *body, const double *x, double out[9]) {
    const double *handles = x + 3 * (body->node_start + 1);
    const double inverse = 1.0 / (body->affine.radius * body->affine.radius);
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            const double product = inverse * dot3(handles + 3 * i, handles + 3 * j);
            out[3 * i + j] = i == j ? product - 1.0 : product;
        }
    }
}

static double square_of(const double matrix[9]) {
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        sum += matrix[k] * matrix[k];
    }
    return sum;
}

/// |E|_F
static double strain_of(const struct body *body, const double *x) {
    double strain[9];
    strains_of(body, x, strain);
    return 0.5 * sqrt(square_of(strain));
}

/// |E - E_0|_F, E_0 at rest: what the stress is of.
static double stressed_strain(const struct body *body, const double *x) {
    double strain[9];
    strains_of(body, x, strain);
    for (int k = 0; k < 9; k++) {
        strain[k] -= body->affine.rest_strain[k];
    }
    return 0.5 * sqrt(square_of(strain));
}

double affine_strain_largest(const struct scene *scene, const struct body **body) {
    const struct body *worst = NULL;
    double largest = 0.0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *at = scene_body(scene, i);
        const double strain = at->table == &body_table_affine ? strain_of(at, scene->nodes.x) : 0.0;
        if (at->table == &body_table_affine && (worst == NULL || strain > largest)) {
            worst = at;
            largest = strain;
        }
    }
    if (body != NULL) {
        *body = worst;
    }
    return largest;
}

/// s: in which a body falls as far as it is long under the gravity that asks for this stiffness.
/// That is 40 times as long as a wave takes through the body, so a change over it is slow.
static double fall_time(const struct body *body, double stiffness) {
    return diameter(body) * sqrt(RIGIDITY * body->affine.density / stiffness);
}

/// s: the same under the gravity that there is, in which what lies on a body falls.
static double load_time(const struct body *body, double stiffness, const double gravity[3]) {
    const double pull = acceleration(body, gravity);
    const double fall = fall_time(body, stiffness);
    return pull > 0.0 ? fmax(fall, sqrt(diameter(body) / pull)) : fall;
}

/// Pa: what carries the stress in the body with little strain. One in between stays as it is.
static double stiffness_of_load(const struct body *body, double strain) {
    const double stiffness = body->affine.stiffness;
    const double share = strain / CARRIED_STRAIN;
    return stiffness * (share > 1.0 ? share : fmin(1.0, 4.0 * share));
}

/// Changes the stiffness towards what is wanted by the factor `ratio` at most.
static bool approach(struct affine_body *affine, double wanted, double ratio) {
    const double before = affine->stiffness;
    affine->stiffness = fmin(fmax(wanted, before / ratio), before * ratio);
    return affine->stiffness != before;
}

/// Whether a strain stores so little that stiffness may change without regard to it.
static bool is_negligible(double strain, double change, double stiffness) {
    return fabs(change) * 4.0 * strain * strain <= NEGLIGIBLE_STRAIN * stiffness;
}

/// Makes a body at x stiffer, at the same stress: the strain at rest takes what the stress then
/// does without, so that nothing is set in motion and the energy becomes less.
static void harden(struct body *body, const double *x, double stiffness) {
    struct affine_body *affine = &body->affine;
    const double share = affine->stiffness / stiffness;
    double strain[9];
    strains_of(body, x, strain);
    if (!is_negligible(stressed_strain(body, x), stiffness - affine->stiffness, stiffness)) {
        for (int k = 0; k < 9; k++) {
            affine->rest_strain[k] = strain[k] - share * (strain[k] - affine->rest_strain[k]);
        }
    }
    affine->stiffness = stiffness;
}

/// The strain at rest goes back when the load has gone and the body is no stiffer than it was.
/// Returns whether it changed.
static bool recover(struct body *body, const double *x, const double gravity[3], double seconds) {
    struct affine_body *affine = &body->affine;
    const double square = square_of(affine->rest_strain);
    const double strain = stressed_strain(body, x);
    if (square == 0.0 || 4.0 * strain * strain > UNLOADED * UNLOADED * square) {
        return false;
    }
    const double time = RECOVERY * load_time(body, affine->stiffness, gravity);
    const double left = square <= RECOVERED ? 0.0 : exp(-seconds / time);
    for (int k = 0; k < 9; k++) {
        affine->rest_strain[k] *= left;
    }
    return true;
}

bool affine_strain_follow(struct body *body, const double *x, const double gravity[3],
                          double seconds) {
    struct affine_body *affine = &body->affine;
    const double before = affine->stiffness;
    const double least = affine->given_stiffness > 0.0 ? affine->given_stiffness
                                                       : affine_strain_stiffness(body, gravity);
    const double strain = stressed_strain(body, x);
    const double load = affine->given_stiffness > 0.0 ? 0.0 : stiffness_of_load(body, strain);
    const double wanted = fmax(least, fmin(load, LARGEST_ENERGY / affine->volume));
    // The length of a vector that only turns differs by rounding.
    if (fabs(wanted - before) <= 1e-12 * before) {
        return wanted == least && recover(body, x, gravity, seconds);
    }
    if (wanted > before && wanted > least) {
        harden(body, x, wanted);
        return true;
    }
    const double larger = fmax(wanted, before);
    // What a load has made stiff stays so for a while, as the load may come back.
    const bool may_jump = wanted > before || seconds == 0.0;
    if (affine->given_stiffness > 0.0 ||
        (may_jump && is_negligible(strain, wanted - before, larger))) {
        affine->stiffness = wanted;
        return true;
    }
    const double time = before > least ? load_time(body, larger, gravity) : fall_time(body, larger);
    return approach(affine, wanted, exp(seconds / time));
}

bool affine_strain_relieve(struct body *body, const double *start, const double *end) {
    struct affine_body *affine = &body->affine;
    const double most = LARGEST_ENERGY / affine->volume;
    if (affine->given_stiffness > 0.0 || !(stressed_strain(body, end) > LARGEST_STRAIN) ||
        !(affine->stiffness < most)) {
        return false;
    }
    if (affine->stiffness_before == 0.0) {
        affine->stiffness_before = affine->stiffness;
        memcpy(affine->rest_strain_before, affine->rest_strain, sizeof affine->rest_strain);
    }
    harden(body, start, fmin(STIFFER * affine->stiffness, most));
    return true;
}

bool affine_strain_end_relief(struct body *body, bool has_failed) {
    struct affine_body *affine = &body->affine;
    const double before = affine->stiffness_before;
    affine->stiffness_before = 0.0;
    if (before == 0.0 || !has_failed) {
        return false;
    }
    affine->stiffness = before;
    memcpy(affine->rest_strain, affine->rest_strain_before, sizeof affine->rest_strain);
    return true;
}
