// See solid_plasticity.h. The radial return is that of Simo (1992) for logarithmic strains
// (docs/theory/plasticity.md section 2).
// SPDX-License-Identifier: MIT
#include "energy/materials/solid_plasticity.h"

#include <string.h>

#include "base/lanes/exponential.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/svd3.h"
#include "energy/element.h"

/// The values of a law, stored as one array of lanes per value.
enum { LAW_SHEAR, LAW_YIELD, LAW_HARDENING, LAW_VISCOSITY, LAW_LIMIT, LAW_VALUES };

struct solid_plasticity {
    size_t count;
    struct plastic_law *laws; ///< by tetrahedron
    double *initial;          ///< by tetrahedron: the history at creation
    struct stencil_groups groups;
    double *gradients;       ///< [g][9][8]: Dm^-1 F_p^-1, what the elements use
    double *lanes;           ///< storage of the next four
    double *rest;            ///< [g][9][8]: Dm^-1
    double *law;             ///< [g][LAW_VALUES][8]
    double *history, *saved; ///< [g][PLASTIC_VALUES][8]
    double *dissipated;      ///< by group, J, of the last update
    size_t lanes_capacity, dissipated_capacity;
};

// --- memory ---

struct solid_plasticity *solid_plasticity_create(struct memory *memory, size_t count,
                                                 const struct plastic_law *laws,
                                                 const double *history) {
    struct solid_plasticity *plasticity = memory_allocate(memory, 1, sizeof *plasticity);
    if (plasticity == NULL) {
        return NULL;
    }
    plasticity->count = count;
    plasticity->laws = memory_copy(memory, laws, count, sizeof *laws);
    plasticity->initial = memory_copy(memory, history, count, PLASTIC_VALUES * sizeof *history);
    if (!plasticity->laws || !plasticity->initial) {
        solid_plasticity_destroy(plasticity, memory);
        return NULL;
    }
    return plasticity;
}

void solid_plasticity_destroy(struct solid_plasticity *plasticity, struct memory *memory) {
    if (plasticity == NULL) {
        return;
    }
    memory_release(memory, plasticity->laws);
    memory_release(memory, plasticity->initial);
    memory_release(memory, plasticity->lanes);
    memory_release(memory, plasticity->dissipated);
    memory_release(memory, plasticity);
}

/// Returns the place of a lane's first value, of `width` values; the next one is LANES further.
static size_t place_of(size_t lane, size_t width) {
    return lane / LANES * width * LANES + lane % LANES;
}

static void write_history(struct solid_plasticity *plasticity, size_t lane, const double *values) {
    double *to = plasticity->history + place_of(lane, PLASTIC_VALUES);
    for (size_t k = 0; k < PLASTIC_VALUES; k++) {
        to[k * LANES] = values[k];
    }
}

/// Writes Dm^-1 F_p^-1 of a lane. This is the only function that does, so that a restored world has
/// the same bits.
static void set_gradients(struct solid_plasticity *plasticity, size_t lane) {
    const double *rest = plasticity->rest + place_of(lane, 9);
    const double *inverse = plasticity->history + place_of(lane, PLASTIC_VALUES);
    double *to = plasticity->gradients + place_of(lane, 9);
    for (size_t a = 0; a < 3; a++) {
        for (size_t j = 0; j < 3; j++) {
            to[(3 * a + j) * LANES] = rest[3 * a * LANES] * inverse[j * LANES] +
                                      rest[(3 * a + 1) * LANES] * inverse[(3 + j) * LANES] +
                                      rest[(3 * a + 2) * LANES] * inverse[(6 + j) * LANES];
        }
    }
}

static void set_law(struct solid_plasticity *plasticity, size_t lane,
                    const struct plastic_law *law) {
    const double values[LAW_VALUES] = {law->shear_modulus, law->yield_stress, law->hardening,
                                       law->viscosity, law->limit};
    for (size_t k = 0; k < LAW_VALUES; k++) {
        plasticity->law[place_of(lane, LAW_VALUES) + k * LANES] = values[k];
    }
}

const struct plastic_law plastic_law_none = {1.0, INFINITY, 0.0, 0.0, INFINITY};
const double plastic_undeformed[PLASTIC_VALUES] = {1.0, 0.0, 0.0, 0.0, 1.0,
                                                   0.0, 0.0, 0.0, 1.0, 0.0};

pbs_status solid_plasticity_bind(struct solid_plasticity *plasticity, struct memory *memory,
                                 const struct stencil_groups *groups, double *gradients) {
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &plasticity->lanes, &plasticity->lanes_capacity,
                                    (9 + LAW_VALUES + 2 * PLASTIC_VALUES) * lane_count,
                                    sizeof(double)));
    RETURN_IF_FAILED(memory_reserve(memory, &plasticity->dissipated,
                                    &plasticity->dissipated_capacity, groups->group_count,
                                    sizeof(double)));
    plasticity->groups = *groups;
    plasticity->gradients = gradients;
    plasticity->rest = plasticity->lanes;
    plasticity->law = plasticity->rest + 9 * lane_count;
    plasticity->history = plasticity->law + LAW_VALUES * lane_count;
    plasticity->saved = plasticity->history + PLASTIC_VALUES * lane_count;
    memcpy(plasticity->rest, gradients, 9 * lane_count * sizeof *gradients);
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t t = padding ? 0 : groups->stencil[i];
        set_law(plasticity, i, padding ? &plastic_law_none : &plasticity->laws[t]);
        write_history(plasticity, i,
                      padding ? plastic_undeformed : plasticity->initial + PLASTIC_VALUES * t);
        set_gradients(plasticity, i);
    }
    solid_plasticity_save(plasticity);
    return PBS_OK;
}

void solid_plasticity_set_shear_modulus(struct solid_plasticity *plasticity, size_t tet,
                                        double shear_modulus) {
    const size_t lane = plasticity->groups.lane[tet];
    plasticity->laws[tet].shear_modulus = shear_modulus;
    plasticity->law[place_of(lane, LAW_VALUES) + LAW_SHEAR * LANES] = shear_modulus;
}

void solid_plasticity_read(const struct solid_plasticity *plasticity, size_t first, size_t count,
                           double *history) {
    for (size_t t = 0; t < count; t++) {
        const double *from = plasticity->history +
                             place_of(plasticity->groups.lane[first + t], PLASTIC_VALUES);
        for (size_t k = 0; k < PLASTIC_VALUES; k++) {
            history[PLASTIC_VALUES * t + k] = from[k * LANES];
        }
    }
}

void solid_plasticity_write(struct solid_plasticity *plasticity, size_t first, size_t count,
                            const double *history) {
    for (size_t t = 0; t < count; t++) {
        const size_t lane = plasticity->groups.lane[first + t];
        write_history(plasticity, lane, history + PLASTIC_VALUES * t);
        set_gradients(plasticity, lane);
    }
}

static size_t history_size(const struct solid_plasticity *plasticity) {
    return PLASTIC_VALUES * LANES * plasticity->groups.group_count * sizeof(double);
}

void solid_plasticity_save(struct solid_plasticity *plasticity) {
    memcpy(plasticity->saved, plasticity->history, history_size(plasticity));
}

void solid_plasticity_restore(struct solid_plasticity *plasticity) {
    memcpy(plasticity->history, plasticity->saved, history_size(plasticity));
    for (size_t i = 0; i < plasticity->groups.group_count * LANES; i++) {
        set_gradients(plasticity, i);
    }
}

// --- the return ---

// A stress above the yield stress by no more than this fraction counts as on the yield surface. The
// strains of a return that is exact but for rounding are below it.
#define YIELD_TOLERANCE 1e-9

/// The plastic increments of eight tetrahedra; of lanes that do not flow, the identity and 0.
struct plastic_flow {
    double inverse[9][LANES]; ///< exp(-gamma N), N the direction of flow in the rest shape's axes
    double strain[LANES];     ///< gamma
};

/// Computes gamma of each lane from the deviator of the logarithmic strains
/// (docs/theory/plasticity.md eq. 4), and 0 where the stress is below the yield stress. norm: of
/// the deviator.
ALWAYS_INLINE lanes8 return_strain(const double *law, lanes8 accumulated, lanes8 norm, double h) {
    const lanes8 none = lanes_set(0.0);
    const lanes8 shear = lanes_load(law + LAW_SHEAR * LANES);
    const lanes8 hardening = lanes_load(law + LAW_HARDENING * LANES);
    const lanes8 yield = lanes_load(law + LAW_YIELD * LANES) + hardening * accumulated;
    const lanes8 over = 2.44948974278317810 * shear * norm - yield;
    const lanes8 rate = 3.0 * shear + hardening + lanes_load(law + LAW_VISCOSITY * LANES) / h;
    const lanes8 left = lanes_load(law + LAW_LIMIT * LANES) - accumulated;
    return lanes_select(over > YIELD_TOLERANCE * yield,
                        lanes_max(lanes_min(over / rate, left), none), none);
}

/// Computes the flow of group g at x. Returns false if no lane flows. Inverted and flat tetrahedra,
/// which have no logarithmic strain, do not flow.
static PBS_MULTIVERSION bool measure_flow(const struct solid_plasticity *plasticity,
                                          const struct solid_elements *elements, size_t g,
                                          const double *x, double h, struct plastic_flow *flow) {
    struct element_lanes e;
    lanes8 u[9];
    lanes8 v[9];
    lanes8 sigma[3];
    lanes8 strain[3];
    element_load(elements, &plasticity->groups, g, x, &e);
    svd3_lanes(e.f, u, sigma, v);
    const mask8 upright = lanes_min(lanes_min(sigma[0], sigma[1]), sigma[2]) > 0.0;
    for (int i = 0; i < 3; i++) {
        strain[i] = log_lanes(lanes_select(upright, sigma[i], lanes_set(1.0)));
    }
    const lanes8 mean = (strain[0] + strain[1] + strain[2]) / 3.0;
    for (int i = 0; i < 3; i++) {
        strain[i] -= mean;
    }
    const lanes8 norm = lanes_sqrt(strain[0] * strain[0] + strain[1] * strain[1] +
                                   strain[2] * strain[2]);
    const lanes8 accumulated = lanes_load(plasticity->history +
                                          (g * PLASTIC_VALUES + PLASTIC_STRAIN) * LANES);
    const lanes8 gamma = return_strain(plasticity->law + g * LAW_VALUES * LANES, accumulated, norm,
                                       h);
    const mask8 flows = gamma > 0.0;
    if (!lanes_any(flows)) {
        return false;
    }
    const lanes8 scale = lanes_select(
        flows, 1.22474487139158905 * gamma / lanes_select(flows, norm, lanes_set(1.0)),
        lanes_set(0.0));
    lanes8 factor[3];
    for (int i = 0; i < 3; i++) {
        factor[i] = exp_lanes(-scale * strain[i]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const lanes8 entry = v[3 * i] * factor[0] * v[3 * j] +
                                 v[3 * i + 1] * factor[1] * v[3 * j + 1] +
                                 v[3 * i + 2] * factor[2] * v[3 * j + 2];
            const lanes8 identity = lanes_set(i == j ? 1.0 : 0.0);
            lanes_store(flow->inverse[3 * i + j], lanes_select(flows, entry, identity));
        }
    }
    lanes_store(flow->strain, lanes_select(flows, gamma, lanes_set(0.0)));
    return true;
}

/// Multiplies F_p^-1 of a lane by its increment. Scaling by the determinant keeps that at 1, which
/// rounding would otherwise move away from it step by step.
static void apply_flow(struct solid_plasticity *plasticity, size_t lane,
                       const struct plastic_flow *flow) {
    double *history = plasticity->history + place_of(lane, PLASTIC_VALUES);
    double old[9];
    double by[9];
    double now[9];
    for (size_t k = 0; k < 9; k++) {
        old[k] = history[k * LANES];
        by[k] = flow->inverse[k][lane % LANES];
    }
    multiply33(old, by, now);
    const double scale = 1.0 - (determinant3(now) - 1.0) / 3.0;
    for (size_t k = 0; k < 9; k++) {
        history[k * LANES] = scale * now[k];
    }
    history[(size_t)PLASTIC_STRAIN * LANES] += flow->strain[lane % LANES];
    set_gradients(plasticity, lane);
}

struct update_job {
    struct solid_plasticity *plasticity;
    const struct material_table *material;
    const struct solid_elements *elements;
    const double *x;
    double h;
};

static double group_energy(const struct update_job *job, size_t g) {
    const struct evaluation evaluation = {.what = EVALUATE_VALUE, .x = job->x};
    struct evaluation_sums sums = {0};
    job->material->evaluate(job->elements, &job->plasticity->groups, g, g + 1, &evaluation, &sums);
    return sums.value;
}

static void update_group(const struct update_job *job, size_t g) {
    struct solid_plasticity *plasticity = job->plasticity;
    struct plastic_flow flow;
    plasticity->dissipated[g] = 0.0;
    if (!measure_flow(plasticity, job->elements, g, job->x, job->h, &flow)) {
        return;
    }
    const double before = group_energy(job, g);
    for (size_t l = 0; l < LANES; l++) {
        if (flow.strain[l] > 0.0) {
            apply_flow(plasticity, g * LANES + l, &flow);
        }
    }
    plasticity->dissipated[g] = before - group_energy(job, g);
}

static void update_piece(void *context, size_t domain) {
    const struct update_job *job = context;
    const uint32_t *range = job->plasticity->groups.domain_group + domain;
    for (size_t g = range[0]; g < range[1]; g++) {
        update_group(job, g);
    }
}

double solid_plasticity_update(struct solid_plasticity *plasticity,
                               const struct material_table *material,
                               const struct solid_elements *elements, struct tasks *tasks,
                               size_t domain_count, const double *x, double h) {
    struct update_job job = {plasticity, material, elements, x, h};
    double dissipated = 0.0;
    tasks_for(tasks, domain_count, update_piece, &job);
    for (size_t g = 0; g < plasticity->groups.group_count; g++) {
        dissipated += plasticity->dissipated[g];
    }
    return dissipated;
}
