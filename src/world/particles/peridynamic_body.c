// Peridynamic bodies: checks of the description, bonds, contact radii, and the force scale of each
// node (docs/theory/peridynamics.md). Nodes are the particles.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "fracture/scatter.h"
#include "world/interface/check.h"
#include "world/particles/peridynamic.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"

pbs_status pbs_peridynamic_desc_init(pbs_peridynamic_desc *d, size_t struct_size) {
    const pbs_peridynamic_desc defaults = {.density = 1000.0, .young = 1e7};
    return settings_init(&settings_peridynamic, d, struct_size, &defaults);
}

// --- checks ---

static bool is_flat(int32_t dimension) {
    return dimension == PBS_PERIDYNAMIC_PLANE_STRESS || dimension == PBS_PERIDYNAMIC_PLANE_STRAIN;
}

/// Checks that values are finite and positive, or not negative. Null is permitted.
static pbs_status check_values(const double *values, size_t count, bool zero, const char *name) {
    for (size_t i = 0; values != NULL && i < count; i++) {
        if (!((values[i] > 0.0 || (zero && values[i] == 0.0)) && values[i] <= VALUE_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of particle %zu is %g, must be %s and finite, at most %g", name,
                               i, values[i], zero ? "zero or positive" : "positive", VALUE_LIMIT);
        }
    }
    return PBS_OK;
}

static pbs_status check_choices(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_choice(d->no_gravity, 0, 1, "no_gravity"));
    RETURN_IF_FAILED(
        check_choice(d->dimension, PBS_PERIDYNAMIC_SOLID, PBS_PERIDYNAMIC_BAR, "dimension"));
    RETURN_IF_FAILED(check_choice(d->whole_volumes, 0, 1, "whole_volumes"));
    RETURN_IF_FAILED(check_choice(d->no_calibration, 0, 1, "no_calibration"));
    return check_choice(d->no_surface_correction, 0, 1, "no_surface_correction");
}

static pbs_status check_lengths(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_length(d->spacing, "spacing"));
    if (d->horizon != 0.0) {
        RETURN_IF_FAILED(check_length(d->horizon, "horizon"));
    }
    if (d->dimension == PBS_PERIDYNAMIC_SOLID) {
        return d->section == 0.0
                   ? PBS_OK
                   : status_fail(PBS_ERROR_ARGUMENT,
                                 "section is %g, must be 0 of a solid, which has none", d->section);
    }
    return check_positive(d->section, is_flat(d->dimension)
                                          ? "section, the thickness of a body in a plane,"
                                          : "section, that of a bar,");
}

static pbs_status check_breaking(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_not_negative(d->fracture_energy, "fracture_energy"));
    RETURN_IF_FAILED(check_not_negative(d->critical_stretch, "critical_stretch"));
    RETURN_IF_FAILED(check_values(d->particle_fracture_energies, d->particle_count, true,
                                  "particle_fracture_energies"));
    if (d->critical_stretch > 0.0 &&
        (d->fracture_energy > 0.0 || d->particle_fracture_energies != NULL)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "critical_stretch is given, and so is the fracture energy from which it "
                           "would follow: give one of them");
    }
    return check_weibull_modulus(d->weibull_modulus);
}

static pbs_status check_softening(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_not_negative(d->tensile_strength, "tensile_strength"));
    if (!(d->softening_knee >= 0.0 && d->softening_knee < 1.0)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "softening_knee is %g, must be 0 or between 0 and 1, of the strength",
                           d->softening_knee);
    }
    if (!(d->softening_initial >= 0.0 && d->softening_initial <= 1.0)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "softening_initial is %g, must be 0 to 1, of the fracture energy",
                           d->softening_initial);
    }
    const bool breaks = d->fracture_energy > 0.0 || d->particle_fracture_energies != NULL ||
                        d->critical_stretch > 0.0;
    return d->tensile_strength == 0.0 || breaks
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "tensile_strength is %g Pa, but bonds have no fracture energy: give a "
                             "fracture_energy",
                             d->tensile_strength);
}

/// Checks that the particles of a plane or a bar lie in one.
static pbs_status check_flatness(const pbs_peridynamic_desc *d) {
    const size_t first = d->dimension == PBS_PERIDYNAMIC_SOLID ? 3
                         : d->dimension == PBS_PERIDYNAMIC_BAR ? 1
                                                               : 2;
    for (size_t i = 0; i < d->particle_count; i++) {
        for (size_t axis = first; axis < 3; axis++) {
            const double apart = d->positions[3 * i + axis] - d->positions[axis];
            if (apart != 0.0 || (d->velocities != NULL && d->velocities[3 * i + axis] != 0.0)) {
                return status_fail(
                    PBS_ERROR_MESH,
                    "particle %zu: %c differs from that of the first particle by %g m, or the "
                    "particle has a velocity along this axis; both must be 0 in this dimension",
                    i, "xyz"[axis], apart);
            }
        }
    }
    return PBS_OK;
}

static pbs_status check_particles(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_count(d->particle_count, "particle_count"));
    RETURN_IF_FAILED(check_points(d->positions, d->particle_count, "positions"));
    if (d->velocities != NULL) {
        RETURN_IF_FAILED(check_vectors(d->velocities, d->particle_count, "velocities"));
    }
    RETURN_IF_FAILED(check_flatness(d));
    RETURN_IF_FAILED(check_values(d->volumes, d->particle_count, false, "volumes"));
    RETURN_IF_FAILED(
        check_values(d->particle_densities, d->particle_count, false, "particle_densities"));
    RETURN_IF_FAILED(check_values(d->particle_young, d->particle_count, false, "particle_young"));
    return check_values(d->contact_radii, d->particle_count, true, "contact_radii");
}

static pbs_status check_description(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_choices(d));
    RETURN_IF_FAILED(check_lengths(d));
    RETURN_IF_FAILED(check_value(d->density, "density"));
    RETURN_IF_FAILED(check_value(d->young, "young"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    RETURN_IF_FAILED(check_value_or_zero(d->drag, "drag"));
    RETURN_IF_FAILED(check_not_negative(d->contact_scale, "contact_scale"));
    RETURN_IF_FAILED(check_particles(d));
    RETURN_IF_FAILED(check_softening(d));
    return check_breaking(d);
}

// --- bonds ---

double peridynamic_young(const struct peridynamic_body *own, const uint32_t ends[2]) {
    return 2.0 / (1.0 / own->young[ends[0]] + 1.0 / own->young[ends[1]]);
}

static const enum peridynamic_state states[] = {
    [PBS_PERIDYNAMIC_SOLID] = PERIDYNAMIC_SOLID,
    [PBS_PERIDYNAMIC_PLANE_STRESS] = PERIDYNAMIC_PLANE_STRESS,
    [PBS_PERIDYNAMIC_PLANE_STRAIN] = PERIDYNAMIC_PLANE_STRAIN,
    [PBS_PERIDYNAMIC_BAR] = PERIDYNAMIC_BAR};

static struct peridynamic_input input_of(const struct body *body, const pbs_peridynamic_desc *d,
                                         const double *fracture_energies) {
    const struct peridynamic_body *own = &body->peridynamic;
    return (struct peridynamic_input){.particle_count = body->vertex_count,
                                      .positions = body->bonds.rest,
                                      .volumes = own->volumes,
                                      .spacing = own->spacing,
                                      .horizon = own->horizon,
                                      .section = own->section,
                                      .state = states[own->dimension],
                                      .young = own->young,
                                      .fracture_energy = fracture_energies,
                                      .critical_stretch = d->critical_stretch,
                                      .partial_volumes = !own->whole_volumes,
                                      .calibrates = !own->no_calibration,
                                      .corrects_surfaces = !own->no_surface_correction};
}

static void scatter_stretches(const pbs_peridynamic_desc *d, struct body *body) {
    for (size_t i = 0; i < body->bonds.count && d->weibull_modulus > 0.0; i++) {
        const double factor = scatter_factor(d->weibull_modulus, d->seed, i);
        body->peridynamic.critical[i] *= factor;
        if (peridynamic_softens(body)) {
            body->peridynamic.onset[i] *= factor;
        }
    }
}

// --- softening ---

// Defaults for concrete: the stress at the knee, of the CEB-FIP Model Code 1990, and the fraction
// of the energy under the first line, of Bazant, Engineering Fracture Mechanics 69 (2002) 165-205.
static const double KNEE = 0.15;
static const double INITIAL = 0.4;

bool peridynamic_softens(const struct body *body) {
    return body->peridynamic.onset != NULL;
}

struct softening_law peridynamic_law(const struct body *body, size_t bond) {
    const struct peridynamic_body *own = &body->peridynamic;
    const double length = own->lengths[bond];
    return softening_law_of(&own->softening, length * own->onset[bond],
                            length * own->critical[bond]);
}

pbs_status peridynamic_reserve_softening(struct body *body, struct memory *memory,
                                         const struct softening_shape *shape) {
    struct peridynamic_body *own = &body->peridynamic;
    const size_t count = body->bonds.count;
    own->softening = *shape;
    own->onset = memory_allocate(memory, count, sizeof *own->onset);
    own->remaining = memory_allocate(memory, count, sizeof *own->remaining);
    if (own->onset == NULL || own->remaining == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        own->remaining[i] = 1.0;
    }
    return PBS_OK;
}

/// Turns the brittle bonds into softening bonds with the same fracture energy.
static pbs_status soften_bonds(struct body *body, struct memory *memory,
                               const pbs_peridynamic_desc *d) {
    struct peridynamic_body *own = &body->peridynamic;
    const struct softening_shape shape = softening_shape_of(
        d->softening_knee > 0.0 ? d->softening_knee : KNEE,
        d->softening_initial > 0.0 ? d->softening_initial : INITIAL);
    RETURN_IF_FAILED(peridynamic_reserve_softening(body, memory, &shape));
    for (size_t i = 0; i < body->bonds.count; i++) {
        const double young = peridynamic_young(own, body->bonds.pairs + 2 * i);
        const double brittle = own->critical[i];
        const double onset = peridynamic_strength_stretch(states[own->dimension], young,
                                                          d->tensile_strength);
        own->onset[i] = onset;
        if (isinf(brittle) || d->critical_stretch > 0.0) {
            continue;
        }
        own->critical[i] = softening_critical(&shape, onset, brittle);
        if (!softening_is_gradual(&shape, onset, own->critical[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "bond %zu: tensile_strength is %g Pa, must be less than %g, because "
                               "the bond snaps back while it softens: with this fracture energy "
                               "and modulus, a shorter horizon allows more",
                               i, d->tensile_strength,
                               d->tensile_strength *
                                   (softening_onset_limit(&shape, brittle) / onset));
        }
    }
    return PBS_OK;
}

static void note_breaking(struct body *body) {
    body->bonds.breaks = false;
    for (size_t i = 0; i < body->bonds.count && !body->bonds.breaks; i++) {
        body->bonds.breaks = isfinite(body->peridynamic.critical[i]);
    }
}

/// Checks the stiffnesses: moduli, spacings and volumes that are each permitted may together
/// overflow or underflow.
static pbs_status check_bonds(const struct body *body) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (!isnormal(own->stiffness[i]) || !isnormal(own->stiffness[i] * own->lengths[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "bond %zu: the stiffness is %g N/m, must be positive and finite", i,
                               own->stiffness[i]);
        }
    }
    return peridynamic_check_stretches(body, own->critical);
}

static pbs_status make_bonds(struct body *body, struct memory *memory,
                             const pbs_peridynamic_desc *d, const double *fracture_energies) {
    const struct peridynamic_input input = input_of(body, d, fracture_energies);
    struct peridynamic_bonds bonds = {0};
    RETURN_IF_FAILED(peridynamic_make(memory, &input, &bonds));
    body->bonds.count = bonds.count;
    body->bonds.pairs = bonds.pairs;
    body->peridynamic.lengths = bonds.lengths;
    body->peridynamic.stiffness = bonds.stiffness;
    body->peridynamic.critical = bonds.critical_stretch;
    body->bonds.volume_fractions = memory_allocate(memory, bonds.count,
                                                   sizeof *body->bonds.volume_fractions);
    for (size_t i = 0; body->bonds.volume_fractions != NULL && i < bonds.count; i++) {
        body->bonds.volume_fractions[i] = (float)bonds.partial_volumes[i];
    }
    memory_release(memory, bonds.partial_volumes);
    body->bonds.broken = memory_allocate(memory, bonds.count, sizeof *body->bonds.broken);
    body->bonds.release = memory_allocate(memory, bonds.count, sizeof *body->bonds.release);
    if (body->bonds.volume_fractions == NULL || body->bonds.broken == NULL ||
        body->bonds.release == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (d->tensile_strength > 0.0) {
        RETURN_IF_FAILED(soften_bonds(body, memory, d));
    }
    scatter_stretches(d, body);
    RETURN_IF_FAILED(check_bonds(body));
    note_breaking(body);
    const struct bond_list list = {.count = bonds.count,
                                   .pairs = bonds.pairs,
                                   .broken = body->bonds.broken,
                                   .volume_fractions = body->bonds.volume_fractions,
                                   .volumes = body->peridynamic.volumes};
    return fragments_begin(&body->bonds.fragments, memory, body->vertex_count, &list);
}

// --- contact ---

// Largest contact radius, relative to the distance to the nearest particle. The gap that is left
// avoids contact forces at rest.
static const double CONTACT_SHARE = 0.45;

static double sphere_radius(double volume) {
    return cbrt(0.75 * volume / 3.14159265358979323846);
}

static void make_contact_radii(const struct body *body, const pbs_peridynamic_desc *d,
                               double *radii) {
    const bool is_automatic = d->contact_radii == NULL && d->contact_scale == 0.0;
    const double scale = d->contact_scale > 0.0 ? d->contact_scale : 1.0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double sphere = scale * sphere_radius(body->peridynamic.volumes[i]);
        radii[i] = d->contact_radii != NULL ? d->contact_radii[i] : sphere;
    }
    for (size_t i = 0; i < 2 * body->bonds.count && is_automatic; i++) {
        double *radius = radii + body->bonds.pairs[i];
        *radius = fmin(*radius, CONTACT_SHARE * body->peridynamic.lengths[i / 2]);
    }
}

// --- creation ---

static double volume_of(const pbs_peridynamic_desc *d) {
    const double h = d->spacing;
    return d->dimension == PBS_PERIDYNAMIC_SOLID ? h * h * h
           : is_flat(d->dimension)               ? h * h * d->section
                                                 : h * d->section;
}

static void fill_or_copy(const double *values, double value, size_t count, double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = values != NULL ? values[i] : value;
    }
}

static uint8_t flat_axes(int32_t dimension) {
    const uint8_t axes[] = {
        [PBS_PERIDYNAMIC_SOLID] = 0,
        [PBS_PERIDYNAMIC_PLANE_STRESS] = PBS_AXIS_Z,
        [PBS_PERIDYNAMIC_PLANE_STRAIN] = PBS_AXIS_Z,
        [PBS_PERIDYNAMIC_BAR] = PBS_AXIS_Y | PBS_AXIS_Z,
    };
    return axes[dimension];
}

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_peridynamic_desc *d) {
    struct peridynamic_body *own = &body->peridynamic;
    const size_t count = d->particle_count;
    body->gravity.scale = d->no_gravity != 0 ? 0.0 : 1.0;
    body->drag = d->drag;
    body->flat = flat_axes(d->dimension);
    body->extent = body_extent(count, d->positions);
    own->dimension = d->dimension;
    own->whole_volumes = d->whole_volumes != 0;
    own->no_calibration = d->no_calibration != 0;
    own->no_surface_correction = d->no_surface_correction != 0;
    own->spacing = d->spacing;
    own->horizon = d->horizon > 0.0 ? d->horizon : 3.0 * d->spacing;
    own->section = d->dimension == PBS_PERIDYNAMIC_SOLID ? 1.0 : d->section;
    body->damping = d->damping;
    own->volumes = memory_allocate(memory, count, sizeof(double));
    own->young = memory_allocate(memory, count, sizeof(double));
    body->bonds.rest = memory_copy(memory, d->positions, count, 3 * sizeof(double));
    body->rest = body->bonds.rest;
    body->bonds.contact_radii = memory_allocate(memory, count, sizeof(double));
    if (own->volumes == NULL || own->young == NULL || body->bonds.rest == NULL ||
        body->bonds.contact_radii == NULL) {
        return PBS_ERROR_MEMORY;
    }
    fill_or_copy(d->volumes, volume_of(d), count, own->volumes);
    fill_or_copy(d->particle_young, d->young, count, own->young);
    return PBS_OK;
}

/// *out is null if no bond can break.
static pbs_status list_fracture_energies(struct memory *memory, const pbs_peridynamic_desc *d,
                                         double **out) {
    *out = NULL;
    if (d->particle_fracture_energies == NULL && d->fracture_energy == 0.0) {
        return PBS_OK;
    }
    *out = memory_allocate(memory, d->particle_count, sizeof(double));
    if (*out == NULL) {
        return PBS_ERROR_MEMORY;
    }
    fill_or_copy(d->particle_fracture_energies, d->fracture_energy, d->particle_count, *out);
    return PBS_OK;
}

/// Computes the force scale of each node: the force at a strain of 1 of the particle's stiffest
/// bond.
static void measure_stiffness(const struct body *body, double *stiffness) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t i = 0; i < 2 * body->bonds.count; i++) {
        double *at = stiffness + body->bonds.pairs[i];
        *at = fmax(*at, own->stiffness[i / 2] * own->lengths[i / 2]);
    }
}

static void fill_nodes(const struct body *body, const pbs_peridynamic_desc *d, const double *masses,
                       struct nodes *nodes) {
    const size_t start = body->node_start;
    nodes_set(nodes, start, body->node_count, d->positions, d->velocities);
    for (size_t i = 0; i < body->node_count; i++) {
        const double density = d->particle_densities != NULL ? d->particle_densities[i]
                                                             : d->density;
        nodes->mass[start + i] = masses != NULL ? masses[i]
                                                : density * body->peridynamic.volumes[i];
        nodes->constrained_axes[start + i] = body->flat;
    }
    measure_stiffness(body, nodes->stiffness + start);
}

static pbs_status fill(struct body *body, struct nodes *nodes, struct memory *memory,
                       const pbs_peridynamic_desc *d, const double *masses) {
    double *fracture_energies = NULL;
    RETURN_IF_FAILED(copy_description(body, memory, d));
    pbs_status status = list_fracture_energies(memory, d, &fracture_energies);
    if (status >= 0) {
        status = make_bonds(body, memory, d, fracture_energies);
    }
    memory_release(memory, fracture_energies);
    RETURN_IF_FAILED(status);
    make_contact_radii(body, d, body->bonds.contact_radii);
    RETURN_IF_FAILED(nodes_reserve(nodes, memory, body->node_count));
    body->node_start = nodes_append(nodes, body->node_count);
    fill_nodes(body, d, masses, nodes);
    status = check_masses(nodes->mass + body->node_start, body->node_count);
    if (status < 0) {
        nodes_remove(nodes, body->node_start, body->node_count);
    }
    return status;
}

pbs_status peridynamic_body_make(struct scene *scene, struct memory *memory,
                                 const pbs_peridynamic_desc *d, const double *masses,
                                 struct body **out) {
    RETURN_IF_FAILED(check_description(d));
    struct body *body = body_allocate(&body_table_peridynamic, memory, d->particle_count,
                                      d->particle_count);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = fill(body, &scene->nodes, memory, d, masses);
    return body_finish(body, memory, status, out);
}

// --- filling ---

static pbs_status check_filling(const pbs_peridynamic_desc *d) {
    RETURN_IF_FAILED(check_choices(d));
    RETURN_IF_FAILED(check_length(d->spacing, "spacing"));
    if (d->box != NULL && d->tets != NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "box and tets are given: give one of them");
    }
    if (d->tets != NULL && d->dimension != PBS_PERIDYNAMIC_SOLID) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "tets are given, but the body is not a solid: give a box or positions");
    }
    return d->positions == NULL
               ? PBS_OK
               : status_fail(
                     PBS_ERROR_ARGUMENT,
                     "positions are given, and so is a box or tets to be filled: give one of them");
}

pbs_status peridynamic_body_create(struct scene *scene, struct memory *memory,
                                   const void *description, struct body **out) {
    const pbs_peridynamic_desc *d = description;
    if (d->box == NULL && d->tets == NULL) {
        return peridynamic_body_make(scene, memory, d, NULL, out);
    }
    struct peridynamic_filling filling = {0};
    RETURN_IF_FAILED(check_filling(d));
    pbs_status status = peridynamic_fill(memory, d, &filling);
    if (status >= 0 && d->particle_count != 0 && d->particle_count != filling.particle_count) {
        status = status_fail(
            PBS_ERROR_ARGUMENT,
            "particle_count is %zu, must be 0 or %zu, the number of particles that fill the body",
            d->particle_count, filling.particle_count);
    }
    if (status >= 0) {
        pbs_peridynamic_desc made = *d;
        made.particle_count = filling.particle_count;
        made.positions = filling.positions;
        status = peridynamic_body_make(scene, memory, &made, NULL, out);
    }
    memory_release(memory, filling.positions);
    return status;
}

// --- weight ---

pbs_status peridynamic_check_weight(const struct nodes *nodes, const struct body *body,
                                    const double gravity[3]) {
    const struct peridynamic_body *own = &body->peridynamic;
    const double strength = norm3(gravity);
    double mass = 0.0, volume = 0.0, low = INFINITY, high = -INFINITY, strongest = 0.0;
    for (size_t i = 0; i < body->bonds.count; i++) {
        const double young = peridynamic_young(own, body->bonds.pairs + 2 * i);
        const bool softens = peridynamic_softens(body) && isfinite(own->critical[i]);
        strongest = fmax(strongest, young * (softens ? own->onset : own->critical)[i]);
    }
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double height = dot3(body->bonds.rest + 3 * i, gravity);
        mass += nodes->mass[body->node_start + i];
        volume += own->volumes[i];
        low = fmin(low, height);
        high = fmax(high, height);
    }
    const bool weighs = body->gravity.scale != 0.0 && strength > 0.0;
    const double weight = weighs ? mass / volume * (high - low + own->spacing * strength) : 0.0;
    return strongest >= weight
               ? PBS_OK
               : status_fail(PBS_WEAK_BONDS,
                             "the strongest bond breaks at %g Pa, but the weight of a column as "
                             "high as the body is %g Pa: the body may break under its own weight",
                             strongest, weight);
}

// --- critical stretches ---

pbs_status peridynamic_check_stretches(const struct body *body, const double *stretches) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (!(stretches[i] > 0.0)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "the critical stretch of bond %zu is %g, must be positive", i,
                               stretches[i]);
        }
        if (peridynamic_softens(body) && isfinite(stretches[i]) &&
            !softening_is_gradual(&own->softening, own->onset[i], stretches[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "the critical stretch of bond %zu is %g, too close to %g, where "
                               "softening begins: the bond snaps back",
                               i, stretches[i], own->onset[i]);
        }
    }
    return PBS_OK;
}

void peridynamic_set_stretches(struct body *body, const double *stretches) {
    if (body->bonds.count > 0) {
        memcpy(body->peridynamic.critical, stretches, body->bonds.count * sizeof *stretches);
    }
    note_breaking(body);
}
