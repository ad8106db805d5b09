// Strengths of bonds (docs/theory/bonds.md section 4): as given, or from the fracture energy,
// scattered as in materials with flaws; and a check of whether the body carries its own weight.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "fracture/scatter.h"
#include "world/particles/bonded.h"
#include "world/interface/check.h"

static pbs_status check_numbers_of_bonds(const double *values, size_t count, const char *name) {
    for (size_t i = 0; values != NULL && i < count; i++) {
        if (!(values[i] >= 0.0 && isfinite(values[i]))) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of bond %zu is %g, must be zero or positive, and finite", name,
                               i, values[i]);
        }
    }
    return PBS_OK;
}

static bool has_strengths(const pbs_bonded_desc *d) {
    return d->tensile_strength > 0.0 || d->shear_strength > 0.0 ||
           d->bond_tensile_strengths != NULL || d->bond_shear_strengths != NULL;
}

pbs_status bonded_check_strengths(const pbs_bonded_desc *d) {
    RETURN_IF_FAILED(check_not_negative(d->tensile_strength, "tensile_strength"));
    RETURN_IF_FAILED(check_not_negative(d->shear_strength, "shear_strength"));
    RETURN_IF_FAILED(check_not_negative(d->fracture_energy, "fracture_energy"));
    RETURN_IF_FAILED(
        check_numbers_of_bonds(d->bond_tensile_strengths, d->bond_count, "bond_tensile_strengths"));
    RETURN_IF_FAILED(
        check_numbers_of_bonds(d->bond_shear_strengths, d->bond_count, "bond_shear_strengths"));
    RETURN_IF_FAILED(
        check_numbers_of_bonds(d->bond_fracture_energies, d->bond_count, "bond_fracture_energies"));
    RETURN_IF_FAILED(check_weibull_modulus(d->weibull_modulus));
    if (has_strengths(d) && (d->fracture_energy > 0.0 || d->bond_fracture_energies != NULL)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "strengths are given, and so is the fracture energy from which they "
                           "would follow: give one of them");
    }
    return PBS_OK;
}

// --- strengths ---

static double value_of(const double *values, double value, size_t i) {
    return values != NULL ? values[i] : value;
}

/// Returns infinity for a given strength of 0: the bond never breaks.
static double strength_of(double given, double modulus, double fracture_energy, double length) {
    const double strength = fracture_energy > 0.0 ? sqrt(2.0 * modulus * fracture_energy / length)
                                                  : given;
    return strength > 0.0 ? strength : INFINITY;
}

pbs_status bonded_fill_strengths(const pbs_bonded_desc *d, struct body *body) {
    struct bonded_body *own = &body->bonded;
    for (size_t i = 0; i < body->bonds.count; i++) {
        const uint32_t *end = body->bonds.pairs + 2 * i;
        const double energy = value_of(d->bond_fracture_energies, d->fracture_energy, i);
        const double factor = scatter_factor(d->weibull_modulus, d->seed, i);
        double offset[3];
        subtract3(body->bonds.rest + 3 * (size_t)end[1], body->bonds.rest + 3 * (size_t)end[0],
                  offset);
        own->tensile[i] = factor *
                          strength_of(value_of(d->bond_tensile_strengths, d->tensile_strength, i),
                                      own->young[i], energy, norm3(offset));
        own->shearing[i] = factor *
                           strength_of(value_of(d->bond_shear_strengths, d->shear_strength, i),
                                       own->shear_moduli[i], energy, norm3(offset));
        if (!(own->tensile[i] > 0.0 && own->shearing[i] > 0.0)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "bond %zu: strengths of %g Pa and %g Pa, must be positive", i,
                               own->tensile[i], own->shearing[i]);
        }
        body->bonds.breaks |= isfinite(own->tensile[i]) || isfinite(own->shearing[i]);
    }
    return PBS_OK;
}

// --- weight ---

/// Returns the stress, Pa, at the foot of a column of the body's material that is as high as the
/// body.
static double weight_of(const struct nodes *nodes, const struct body *body,
                        const double gravity[3]) {
    const double strength = norm3(gravity);
    const double sphere = 4.0 / 3.0 * 3.14159265358979323846;
    double mass = 0.0, volume = 0.0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double r = body->bonded.radii[i];
        const double height = dot3(body->bonds.rest + 3 * i, gravity);
        mass += nodes->mass[body->node_start + i];
        volume += sphere * r * r * r;
        low = fmin(low, height - r * strength);
        high = fmax(high, height + r * strength);
    }
    // Heights are multiplied by the gravitational acceleration already.
    return body->gravity.scale == 0.0 || strength == 0.0 ? 0.0 : mass / volume * (high - low);
}

pbs_status bonded_check_weight(const struct nodes *nodes, const struct body *body,
                               const double gravity[3]) {
    const struct bonded_body *own = &body->bonded;
    double strongest = body->bonds.count > 0 ? 0.0 : INFINITY;
    for (size_t i = 0; i < body->bonds.count; i++) {
        strongest = fmax(strongest, own->tensile[i]);
    }
    const double weight = weight_of(nodes, body, gravity);
    return strongest >= weight
               ? PBS_OK
               : status_fail(PBS_WEAK_BONDS,
                             "the strongest bond breaks at %g Pa, but the weight of a column as "
                             "high as the body is %g Pa: the body may break under its own weight",
                             strongest, weight);
}
