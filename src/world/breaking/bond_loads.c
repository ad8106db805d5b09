// What bonds bear, as hosts read it and as it is compared with their strengths.
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/particles/bonded.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/particles/peridynamic.h"
#include "world/interface/settings.h"
#include "world/world.h"

pbs_status pbs_body_bonds(const pbs_world *w, pbs_body b, const uint32_t **pairs,
                          size_t *bond_count) {
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "nothing of it bears a load", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(pairs, "pairs"));
    RETURN_IF_FAILED(check_pointer(bond_count, "bond_count"));
    *pairs = body->bonds.count > 0 ? body->bonds.pairs : NULL;
    *bond_count = body->bonds.count;
    return PBS_OK;
}

/// A bond as it is, from one particle to the other.
static void read_bond(const struct body *body, const struct particle_view *view, size_t bond,
                      struct bond_state *out) {
    const uint32_t *end = body->bonds.pairs + 2 * bond;
    subtract3(view->positions + 3 * (size_t)end[1], view->positions + 3 * (size_t)end[0],
              out->offset);
    memcpy(out->from, view->orientations + 4 * (size_t)end[0], sizeof out->from);
    memcpy(out->to, view->orientations + 4 * (size_t)end[1], sizeof out->to);
}

static pbs_bond_load load_of(const struct bond_load *load, double radius) {
    const double area = 3.14159265358979323846 * radius * radius;
    // r / I and r / J of a circle.
    const double bent = 4.0 / (area * radius);
    return (pbs_bond_load){.normal = load->normal,
                           .shear = load->shear,
                           .torsion = load->torsion,
                           .bending = load->bending,
                           .normal_stress = load->normal / area + load->bending * bent,
                           .shear_stress = load->shear / area + fabs(load->torsion) * 0.5 * bent};
}

static void read_beams(const struct body *body, const struct particle_view *view, size_t first,
                       size_t count, pbs_bond_load *loads, double *energies) {
    const struct bonded_body *own = &body->bonded;
    double rest[3 * BONDS_AT_ONCE] = {0.0};
    struct bond_stiffness stiffness[BONDS_AT_ONCE];
    struct bond_state states[BONDS_AT_ONCE];
    struct bond_load borne[BONDS_AT_ONCE];
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

/// m: the force over the stiffness.
static double pull_of(const struct body *body, size_t bond, double extension) {
    if (!peridynamic_softens(body)) {
        return extension;
    }
    const struct softening_law law = peridynamic_law(body, bond);
    return softening_force(&law, body->peridynamic.remaining[bond], extension);
}

/// A spring as a bar of the material would be that is stretched alike.
static void read_springs(const struct body *body, const struct particle_view *view, size_t first,
                         size_t count, pbs_bond_load *loads, double *energies) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t i = 0; i < count; i++) {
        const size_t bond = first + i;
        const uint32_t *end = body->bonds.pairs + 2 * bond;
        double way[3];
        subtract3(view->positions + 3 * (size_t)end[1], view->positions + 3 * (size_t)end[0], way);
        const double extension = norm3(way) - own->lengths[bond];
        const double stretch = extension / own->lengths[bond];
        const double pull = pull_of(body, bond, extension);
        loads[i] = (pbs_bond_load){.normal = own->stiffness[bond] * pull,
                                   .normal_stress = peridynamic_young(own, end) *
                                                    (pull / own->lengths[bond]),
                                   .stretch = stretch};
        energies[i] = 0.5 * own->stiffness[bond] * pull * extension;
    }
}

void body_read_loads(const struct body *body, const struct particle_view *view, size_t first,
                     size_t count, pbs_bond_load *loads, double *energies) {
    (body->kind == BODY_BONDED ? read_beams : read_springs)(body, view, first, count, loads,
                                                            energies);
}

pbs_status pbs_body_bond_loads(const pbs_world *w, pbs_body b, pbs_bond_load *dst,
                               size_t struct_size, size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "nothing of it bears a load", &status);
    RETURN_IF_FAILED(status);
    const size_t bonds = body->bonds.count;
    RETURN_IF_FAILED(rows_begin(&settings_bond_load, struct_size, dst, count, bonds, "bonds"));
    const struct particle_view view = {vertices_positions(&w->scene.nodes, body),
                                       body->bonded.orientations};
    for (size_t i = 0; dst != NULL && i < bonds; i += BONDS_AT_ONCE) {
        const size_t some = bonds - i < BONDS_AT_ONCE ? bonds - i : BONDS_AT_ONCE;
        pbs_bond_load loads[BONDS_AT_ONCE];
        double energies[BONDS_AT_ONCE];
        body_read_loads(body, &view, i, some, loads, energies);
        for (size_t k = 0; k < some; k++) {
            // A broken bond bears nothing.
            const pbs_bond_load none = {0};
            row_write(&settings_bond_load, body->bonds.broken[i + k] != 0 ? &none : &loads[k],
                      struct_size, (char *)dst + (i + k) * struct_size);
        }
    }
    return PBS_OK;
}
