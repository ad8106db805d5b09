// Loads of the bonds of peridynamic bodies, and the speed of cracks.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "world/objects/body_table.h"
#include "world/particles/body_bonds.h"
#include "world/particles/peridynamic.h"

/// Returns the force over the stiffness, m.
static double pull_of(const struct body *body, size_t bond, double extension) {
    if (!peridynamic_softens(body)) {
        return extension;
    }
    const struct softening_law law = peridynamic_law(body, bond);
    return softening_force(&law, body->peridynamic.remaining[bond], extension);
}

/// The stress of a bond is that of a bar of its material with the same stretch.
void peridynamic_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                            size_t count, pbs_bond_load *loads, double *energies) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t i = 0; i < count; i++) {
        const size_t bond = first + i;
        const uint32_t *end = body->bonds.pairs + 2 * bond;
        double offset[3];
        subtract3(view->positions + 3 * (size_t)end[1], view->positions + 3 * (size_t)end[0],
                  offset);
        const double extension = norm3(offset) - own->lengths[bond];
        const double stretch = extension / own->lengths[bond];
        const double pull = pull_of(body, bond, extension);
        loads[i] = (pbs_bond_load){.normal = own->stiffness[bond] * pull,
                                   .normal_stress = peridynamic_young(own, end) *
                                                    (pull / own->lengths[bond]),
                                   .stretch = stretch};
        energies[i] = 0.5 * own->stiffness[bond] * pull * extension;
    }
}

struct bond_excess peridynamic_measure_excess(const struct body *body, size_t bond,
                                              const pbs_bond_load *load) {
    const double most = body->peridynamic.critical[bond];
    return (struct bond_excess){load->stretch > most, load->stretch / most};
}

/// Returns the mean time, s, in which a Rayleigh wave travels along the horizon, over all
/// particles.
double peridynamic_crack_step(const struct nodes *nodes, const struct body *body) {
    const struct peridynamic_body *own = &body->peridynamic;
    const double poisson = own->dimension == PBS_PERIDYNAMIC_PLANE_STRESS ? 1.0 / 3.0 : 0.25;
    double sum = 0.0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double density = nodes->mass[body->node_start + i] / own->volumes[i];
        sum += sqrt(2.0 * (1.0 + poisson) * density / own->young[i]);
    }
    return own->horizon / RAYLEIGH_OVER_SHEAR * sum / (double)body->vertex_count;
}

struct body_waves peridynamic_measure_waves(const struct nodes *nodes, const struct body *body) {
    const struct peridynamic_body *own = &body->peridynamic;
    struct body_waves waves = {0};
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double density = nodes->mass[body->node_start + i] / own->volumes[i];
        waves.impedance += sqrt(own->young[i] * density) / (double)body->vertex_count;
        waves.speed += sqrt(own->young[i] / density) / (double)body->vertex_count;
    }
    const double *limits = peridynamic_softens(body) ? own->onset : own->critical;
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (isfinite(own->critical[i])) {
            sum += limits[i] * peridynamic_young(own, body->bonds.pairs + 2 * i);
            count += 1.0;
        }
    }
    waves.strength = count > 0.0 ? sum / count : INFINITY;
    return waves;
}
