// See peridynamic.h: finds pairs, then computes the numbers of each bond
// (docs/theory/peridynamics.md).
// SPDX-License-Identifier: MIT
#include "fracture/peridynamic.h"

#include <math.h>

#include "broad_phase/point_pairs.h"

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 1e-9; // relative tolerance of the horizon

/// Two particles closer than this many spacings are treated as coincident: so short a bond would be
/// stiffer than any step can resolve.
static const double COINCIDENT = 1e-6;

static const size_t MOST_BONDS = UINT32_MAX - 1;

// --- the continuum ---

static double power(double x, int exponent) {
    double result = 1.0;
    for (int i = 0; i < exponent; i++) {
        result *= x;
    }
    return result;
}

double peridynamic_micromodulus(const struct peridynamic_input *input, double young) {
    const double d = input->horizon;
    switch (input->state) {
    case PERIDYNAMIC_PLANE_STRESS: return 9.0 * young / (PI * input->section * power(d, 3));
    case PERIDYNAMIC_PLANE_STRAIN: return 48.0 * young / (5.0 * PI * input->section * power(d, 3));
    case PERIDYNAMIC_BAR: return 2.0 * young / (input->section * power(d, 2));
    default: return 12.0 * young / (PI * power(d, 4)); // 18 K / (pi d^4), K = E / (3 (1 - 2 / 4))
    }
}

double peridynamic_critical_stretch(const struct peridynamic_input *input, double young,
                                    double fracture_energy) {
    const double ratio = fracture_energy / (young * input->horizon);
    switch (input->state) {
    case PERIDYNAMIC_PLANE_STRESS: return sqrt(4.0 * PI / 9.0 * ratio);
    case PERIDYNAMIC_PLANE_STRAIN: return sqrt(5.0 * PI / 12.0 * ratio);
    case PERIDYNAMIC_BAR: return sqrt(3.0 * ratio);
    default: return sqrt(5.0 / 6.0 * ratio); // 5 G / (9 K d)
    }
}

double peridynamic_strength_stretch(enum peridynamic_state state, double young, double strength) {
    switch (state) {
    case PERIDYNAMIC_PLANE_STRESS: return 2.0 / 3.0 * (strength / young);
    case PERIDYNAMIC_PLANE_STRAIN: return 5.0 / 8.0 * (strength / young);
    case PERIDYNAMIC_BAR: return strength / young;
    default: return 0.5 * (strength / young);
    }
}

double peridynamic_partial_volume(const struct peridynamic_input *input, double length) {
    const double h = input->spacing;
    const double d = input->horizon;
    return input->partial_volumes && length > d - 0.5 * h ? (d + 0.5 * h - length) / h : 1.0;
}

// --- the lattice ---

static int dimension(enum peridynamic_state state) {
    switch (state) {
    case PERIDYNAMIC_SOLID: return 3;
    case PERIDYNAMIC_BAR: return 1;
    default: return 2;
    }
}

/// Adds the neighbour at this offset, in spacings.
static void add_offset(const struct peridynamic_input *unit, int x, int y, int z,
                       struct peridynamic_lattice *sum) {
    const double length = sqrt((double)(x * x + y * y + z * z));
    if (length == 0.0 || length > unit->horizon * (1.0 + ROUNDING)) {
        return;
    }
    const double volume = peridynamic_partial_volume(unit, length);
    sum->neighbors++;
    sum->volume += volume;
    sum->energy += volume * length;
    // The number of bonds of an offset that cross one cell of the plane is its extent across the
    // plane, x.
    sum->fracture += x > 0 ? volume * length * x : 0.0;
}

struct peridynamic_lattice peridynamic_lattice(const struct peridynamic_input *input) {
    struct peridynamic_input unit = *input;
    unit.horizon = input->horizon / input->spacing;
    unit.spacing = 1.0;
    const int dimensions = dimension(input->state);
    const int x_reach = (int)(unit.horizon * (1.0 + ROUNDING));
    const int y_reach = dimensions > 1 ? x_reach : 0;
    const int z_reach = dimensions > 2 ? x_reach : 0;
    struct peridynamic_lattice sum = {0};
    for (int z = -z_reach; z <= z_reach; z++) {
        for (int y = -y_reach; y <= y_reach; y++) {
            for (int x = -x_reach; x <= x_reach; x++) {
                add_offset(&unit, x, y, z, &sum);
            }
        }
    }
    // The corresponding integrals over the line, the disc and the ball.
    const double energy[] = {1.0, 2.0 / 3.0 * PI, PI};
    const double fracture[] = {1.0 / 3.0, 0.5, PI / 5.0};
    sum.energy /= energy[dimensions - 1] * power(unit.horizon, dimensions + 1);
    sum.fracture /= fracture[dimensions - 1] * power(unit.horizon, dimensions + 2);
    return sum;
}

// --- bonds ---

void peridynamic_free(struct peridynamic_bonds *bonds, struct memory *memory) {
    memory_release(memory, bonds->pairs);
    memory_release(memory, bonds->lengths);
    memory_release(memory, bonds->stiffness);
    memory_release(memory, bonds->critical_stretch);
    memory_release(memory, bonds->partial_volumes);
    *bonds = (struct peridynamic_bonds){0};
}

static pbs_status check_horizon(const struct peridynamic_input *input) {
    const double ratio = input->horizon / input->spacing;
    return ratio >= 1.0 - ROUNDING && ratio <= PERIDYNAMIC_REACH
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "the horizon is %g m, %g spacings of %g m; must be 1 to %d",
                             input->horizon, ratio, input->spacing, PERIDYNAMIC_REACH);
}

static pbs_status allocate_bonds(struct memory *memory, struct peridynamic_bonds *bonds) {
    bonds->lengths = memory_allocate(memory, bonds->count, sizeof(double));
    bonds->stiffness = memory_allocate(memory, bonds->count, sizeof(double));
    bonds->critical_stretch = memory_allocate(memory, bonds->count, sizeof(double));
    bonds->partial_volumes = memory_allocate(memory, bonds->count, sizeof(double));
    return bonds->lengths == NULL || bonds->stiffness == NULL || bonds->critical_stretch == NULL ||
                   bonds->partial_volumes == NULL
               ? PBS_ERROR_MEMORY
               : PBS_OK;
}

static pbs_status measure_lengths(const struct peridynamic_input *input,
                                  struct peridynamic_bonds *bonds) {
    for (size_t b = 0; b < bonds->count; b++) {
        const uint32_t *pair = bonds->pairs + 2 * b;
        const double *p = input->positions + 3 * (size_t)pair[0];
        const double *q = input->positions + 3 * (size_t)pair[1];
        const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (length < COINCIDENT * input->spacing) {
            return status_fail(PBS_ERROR_MESH,
                               "particles %u and %u are at one place, %g m apart at a spacing of "
                               "%g m",
                               pair[0], pair[1], length, input->spacing);
        }
        bonds->lengths[b] = length;
        bonds->partial_volumes[b] = peridynamic_partial_volume(input, length);
    }
    return PBS_OK;
}

/// The harmonic mean of two values. The result is symmetric to the bit, and
/// is exactly a if a = b.
static double in_series(double a, double b) {
    const double low = fmin(a, b);
    const double high = fmax(a, b);
    return 2.0 * high / (low + high) * low;
}

/// Sets stiffness and critical stretch, before the correction of surfaces.
static void set_strengths(const struct peridynamic_input *input, struct peridynamic_bonds *bonds) {
    const struct peridynamic_lattice lattice = peridynamic_lattice(input);
    const double stiffer = input->calibrates ? 1.0 / lattice.energy : 1.0;
    const double longer = input->calibrates ? sqrt(lattice.energy / lattice.fracture) : 1.0;
    const double *energies = input->fracture_energy;
    for (size_t b = 0; b < bonds->count; b++) {
        const uint32_t i = bonds->pairs[2 * b];
        const uint32_t j = bonds->pairs[2 * b + 1];
        const double young = in_series(input->young[i], input->young[j]);
        const double volumes = input->volumes[i] * input->volumes[j];
        bonds->stiffness[b] = stiffer * peridynamic_micromodulus(input, young) *
                              bonds->partial_volumes[b] * volumes / bonds->lengths[b];
        const double energy = energies != NULL ? fmin(energies[i], energies[j]) : INFINITY;
        double stretch = input->critical_stretch;
        if (stretch == 0.0) {
            stretch = longer * peridynamic_critical_stretch(input, young, energy);
        }
        bonds->critical_stretch[b] = energy > 0.0 ? stretch : INFINITY;
    }
}

/// Stiffens bonds by the volume that their particles' families lack compared with the lattice
/// (section 3). Family volumes are summed as integers in units of 2^-42 of the largest volume, so
/// that they do not depend on the order of particles and bonds: a mirror-symmetric body stays
/// symmetric to the last bit.
static pbs_status correct_surfaces(struct memory *memory, const struct peridynamic_input *input,
                                   struct peridynamic_bonds *bonds) {
    uint64_t *family = memory_allocate(memory, input->particle_count, sizeof *family);
    if (family == NULL) {
        return PBS_ERROR_MEMORY;
    }
    double largest = 0.0;
    for (size_t i = 0; i < input->particle_count; i++) {
        largest = fmax(largest, input->volumes[i]);
    }
    const double unit = largest * 0x1p-42;
    if (!isnormal(unit)) {
        memory_release(memory, family);
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the largest volume of a particle is %g m^3, too small to compare the "
                           "volumes of families",
                           largest);
    }
    for (size_t b = 0; b < bonds->count; b++) {
        const uint32_t *pair = bonds->pairs + 2 * b;
        const double part = bonds->partial_volumes[b] / unit;
        family[pair[0]] += (uint64_t)(part * input->volumes[pair[1]]);
        family[pair[1]] += (uint64_t)(part * input->volumes[pair[0]]);
    }
    const double cell = power(input->spacing, dimension(input->state)) * input->section;
    const double full = peridynamic_lattice(input).volume * cell / unit;
    for (size_t b = 0; b < bonds->count; b++) {
        const uint32_t *pair = bonds->pairs + 2 * b;
        bonds->stiffness[b] *= 2.0 * full / (double)(family[pair[0]] + family[pair[1]]);
    }
    memory_release(memory, family);
    return PBS_OK;
}

static pbs_status make(struct memory *memory, const struct peridynamic_input *input,
                       struct peridynamic_bonds *out) {
    RETURN_IF_FAILED(check_horizon(input));
    struct point_pairs pairs;
    RETURN_IF_FAILED(point_pairs_find(memory, input->positions, input->particle_count,
                                      input->horizon * (1.0 + ROUNDING), MOST_BONDS, &pairs));
    out->count = pairs.count;
    out->pairs = pairs.pairs;
    if (out->count == 0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the horizon of %g m reaches no neighbour of any of %zu particles",
                           input->horizon, input->particle_count);
    }
    RETURN_IF_FAILED(allocate_bonds(memory, out));
    RETURN_IF_FAILED(measure_lengths(input, out));
    set_strengths(input, out);
    return input->corrects_surfaces ? correct_surfaces(memory, input, out) : PBS_OK;
}

pbs_status peridynamic_make(struct memory *memory, const struct peridynamic_input *input,
                            struct peridynamic_bonds *out) {
    *out = (struct peridynamic_bonds){0};
    const pbs_status status = make(memory, input, out);
    if (status < 0) {
        peridynamic_free(out, memory);
    }
    return status;
}
