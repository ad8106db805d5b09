// Loads of the bonds of bonded bodies, and the speed of cracks.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/objects/body_table.h"
#include "world/particles/body_bonds.h"
#include "world/particles/bonded.h"

#define PI 3.14159265358979323846

/// Reads the state of a bond, from its first particle to its second.
static void read_bond(const struct body *body, const struct particle_view *view, size_t bond,
                      struct bond_state *out) {
    const uint32_t *end = body->bonds.pairs + 2 * bond;
    subtract3(view->positions + 3 * (size_t)end[1], view->positions + 3 * (size_t)end[0],
              out->offset);
    memcpy(out->from, view->orientations + 4 * (size_t)end[0], sizeof out->from);
    memcpy(out->to, view->orientations + 4 * (size_t)end[1], sizeof out->to);
}

static pbs_bond_load load_of(const struct bond_load *load, double radius) {
    const double area = PI * radius * radius;
    // r / I of a circular section; r / J is half of it.
    const double bent = 4.0 / (area * radius);
    return (pbs_bond_load){.normal = load->normal,
                           .shear = load->shear,
                           .torsion = load->torsion,
                           .bending = load->bending,
                           .normal_stress = load->normal / area + load->bending * bent,
                           .shear_stress = load->shear / area + fabs(load->torsion) * 0.5 * bent};
}

void bonded_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                       size_t count, pbs_bond_load *loads, double *energies) {
    const struct bonded_body *own = &body->bonded;
    double rest[3 * BOND_BATCH] = {0.0};
    struct bond_stiffness stiffness[BOND_BATCH];
    struct bond_state states[BOND_BATCH];
    struct bond_load borne[BOND_BATCH];
    memset(stiffness, 0, sizeof stiffness);
    memset(states, 0, sizeof states);
    for (size_t i = 0; i < count; i++) {
        stiffness[i] = bonded_stiffness(body, first + i, rest + 3 * i);
        read_bond(body, view, first + i, &states[i]);
    }
    bonds_compute_loads(count, rest, stiffness,
                        own->shear == PBS_BOND_SHEAR_ANGLE ? BOND_SHEAR_ANGLE : BOND_SHEAR_CHORD,
                        states, borne);
    for (size_t i = 0; i < count; i++) {
        loads[i] = load_of(&borne[i], own->bond_radii[first + i]);
        loads[i].stretch = norm3(states[i].offset) / norm3(rest + 3 * i) - 1.0;
        energies[i] = borne[i].energy;
    }
}

struct bond_excess bonded_measure_excess(const struct body *body, size_t bond,
                                         const pbs_bond_load *load) {
    const double tensile = body->bonded.tensile[bond];
    const double shearing = body->bonded.shearing[bond];
    return (struct bond_excess){load->normal_stress > tensile || load->shear_stress > shearing,
                                fmax(load->normal_stress / tensile, load->shear_stress / shearing)};
}

/// Returns the mean time, s, in which a Rayleigh wave travels along a bond, over the bonds that may
/// break. A shear wave takes sqrt(m / k_t) per bond in a row of such bonds and particles.
double bonded_crack_step(const struct nodes *nodes, const struct body *body) {
    const struct bonded_body *own = &body->bonded;
    const struct body_bonds *bonds = &body->bonds;
    const double *mass = nodes->mass + body->node_start;
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < bonds->count; i++) {
        if (!isfinite(own->tensile[i]) && !isfinite(own->shearing[i])) {
            continue;
        }
        double rest[3];
        const struct bond_stiffness k = bonded_stiffness(body, i, rest);
        const uint32_t *end = bonds->pairs + 2 * i;
        sum += sqrt(0.5 * (mass[end[0]] + mass[end[1]]) / k.shear);
        count++;
    }
    return count > 0 ? sum / (double)count / RAYLEIGH_OVER_SHEAR : 0.0;
}

/// In a row of particles of mass m and bonds of modulus E, of section A and length l0 a wave of
/// pressure has the impedance sqrt(E m / (A l0)): the density is m / (A l0).
struct body_waves bonded_measure_waves(const struct nodes *nodes, const struct body *body) {
    const struct bonded_body *own = &body->bonded;
    const struct body_bonds *bonds = &body->bonds;
    const double *mass = nodes->mass + body->node_start;
    struct body_waves sum = {0};
    double breaking = 0.0;
    for (size_t i = 0; i < bonds->count; i++) {
        double rest[3];
        (void)bonded_stiffness(body, i, rest);
        const uint32_t *end = bonds->pairs + 2 * i;
        const double volume = PI * own->bond_radii[i] * own->bond_radii[i] * norm3(rest);
        const double density = 0.5 * (mass[end[0]] + mass[end[1]]) / volume;
        const double strength = fmin(own->tensile[i], own->shearing[i]);
        sum.impedance += sqrt(own->young[i] * density);
        sum.speed += sqrt(own->young[i] / density);
        sum.strength += isfinite(strength) ? strength : 0.0;
        breaking += isfinite(strength);
    }
    const double count = (double)bonds->count;
    if (bonds->count == 0) {
        // Loose particles hit as if they were rigid, and do not break.
        return (struct body_waves){INFINITY, INFINITY, INFINITY};
    }
    return (struct body_waves){sum.impedance / count, sum.speed / count,
                               breaking > 0.0 ? sum.strength / breaking : INFINITY};
}
