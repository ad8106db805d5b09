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

bool affine_strain_follow_gravity(struct body *body, const double *x, const double gravity[3],
                                  double seconds) {
    struct affine_body *affine = &body->affine;
    const double before = affine->stiffness;
    const double wanted = affine->given_stiffness > 0.0 ? affine->given_stiffness
                                                        : affine_strain_stiffness(body, gravity);
    // The length of a vector that only turns differs by rounding.
    if (fabs(wanted - before) <= 1e-12 * before) {
        return false;
    }
    const double strain = 2.0 * strain_of(body, x);
    const double larger = fmax(wanted, before);
    const double ratio = exp(seconds / fall_time(body, larger));
    if (affine->given_stiffness > 0.0 ||
        fabs(wanted - before) * strain * strain <= NEGLIGIBLE_STRAIN * larger) {
        affine->stiffness = wanted;
    } else if (wanted > before) {
        affine->stiffness = fmin(wanted, before * ratio);
    } else {
        affine->stiffness = fmax(wanted, before / ratio);
    }
    return affine->stiffness != before;
}
