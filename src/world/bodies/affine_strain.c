// See affine_strain.h. The handles are the columns of A times the body's radius.
#include "world/bodies/affine_strain.h"

#include <math.h>

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
static const double LEAST_STIFFER = 2.0;
/// What that may add to its energy at the start, as a share of what the step would store in it.
static const double ADDED_ENERGY = 0.1;

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

static double strain_of(const struct body *body, const double *x) {
    const double *handles = x + 3 * (body->node_start + 1);
    const double inverse = 1.0 / (body->affine.radius * body->affine.radius);
    double sum = 0.0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            const double product = inverse * dot3(handles + 3 * i, handles + 3 * j);
            const double strain = 0.5 * (i == j ? product - 1.0 : product);
            sum += strain * strain;
        }
    }
    return sqrt(sum);
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

bool affine_strain_follow(struct body *body, const double *x, const double gravity[3],
                          double seconds) {
    struct affine_body *affine = &body->affine;
    const double before = affine->stiffness;
    const double least = affine->given_stiffness > 0.0 ? affine->given_stiffness
                                                       : affine_strain_stiffness(body, gravity);
    const double strain = strain_of(body, x);
    const double load = affine->given_stiffness > 0.0 ? 0.0 : stiffness_of_load(body, strain);
    const double wanted = fmax(least, fmin(load, LARGEST_ENERGY / affine->volume));
    // The length of a vector that only turns differs by rounding.
    if (fabs(wanted - before) <= 1e-12 * before) {
        return false;
    }
    const double larger = fmax(wanted, before);
    const double square = 4.0 * strain * strain;
    // What a load has made stiff stays so for a while, as the load may come back.
    const bool may_jump = wanted > before || seconds == 0.0;
    if (affine->given_stiffness > 0.0 ||
        (may_jump && fabs(wanted - before) * square <= NEGLIGIBLE_STRAIN * larger)) {
        affine->stiffness = wanted;
        return true;
    }
    const double time = wanted > least || before > least ? load_time(body, larger, gravity)
                                                         : fall_time(body, larger);
    return approach(affine, wanted, exp(seconds / time));
}

bool affine_strain_relieve(struct body *body, const double *start, const double *end) {
    struct affine_body *affine = &body->affine;
    const double strain = strain_of(body, end);
    if (affine->given_stiffness > 0.0 || !(strain > LARGEST_STRAIN)) {
        return false;
    }
    const double share = strain / strain_of(body, start);
    const double ratio = fmin(STIFFER, ADDED_ENERGY * share * share);
    const double stiffness = fmin(ratio * affine->stiffness, LARGEST_ENERGY / affine->volume);
    if (!(stiffness >= LEAST_STIFFER * affine->stiffness)) {
        return false;
    }
    if (affine->stiffness_before == 0.0) {
        affine->stiffness_before = affine->stiffness;
    }
    affine->stiffness = stiffness;
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
    return true;
}
