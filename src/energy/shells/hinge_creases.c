// See hinge_creases.h.
// SPDX-License-Identifier: MIT
#include "energy/shells/hinge_creases.h"

#include <math.h>
#include <string.h>

#include "energy/element.h"
#include "energy/shells/hinge_lanes.h"

struct hinge_creases {
    size_t count;
    double *yield_of, *initial; ///< by hinge
    struct stencil_groups groups;
    struct hinge_lane_arrays arrays;
    double *lanes;                 ///< storage of the next three
    double *yield, *angle, *saved; ///< [g][8], rad
    double *dissipated;            ///< by group, J, of the last update
    size_t lanes_capacity, dissipated_capacity;
};

// --- memory ---

struct hinge_creases *hinge_creases_create(struct memory *memory, size_t count,
                                           const double *yield_angles, const double *rest_angles) {
    struct hinge_creases *creases = memory_allocate(memory, 1, sizeof *creases);
    if (creases == NULL) {
        return NULL;
    }
    creases->count = count;
    creases->yield_of = memory_copy(memory, yield_angles, count, sizeof *yield_angles);
    creases->initial = memory_copy(memory, rest_angles, count, sizeof *rest_angles);
    if (!creases->yield_of || !creases->initial) {
        hinge_creases_destroy(creases, memory);
        return NULL;
    }
    return creases;
}

void hinge_creases_destroy(struct hinge_creases *creases, struct memory *memory) {
    if (creases == NULL) {
        return;
    }
    memory_release(memory, creases->yield_of);
    memory_release(memory, creases->initial);
    memory_release(memory, creases->lanes);
    memory_release(memory, creases->dissipated);
    memory_release(memory, creases);
}

/// Sets the rest angle of a lane. This is the only function that does.
static void set_angle(struct hinge_creases *creases, size_t lane, double angle) {
    creases->angle[lane] = angle;
    creases->arrays.cosine[lane] = cos(angle);
    creases->arrays.sine[lane] = sin(angle);
}

pbs_status hinge_creases_bind(struct hinge_creases *creases, struct memory *memory,
                              const struct stencil_groups *groups,
                              const struct hinge_lane_arrays *arrays) {
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &creases->lanes, &creases->lanes_capacity,
                                    3 * lane_count, sizeof(double)));
    RETURN_IF_FAILED(memory_reserve(memory, &creases->dissipated, &creases->dissipated_capacity,
                                    groups->group_count, sizeof(double)));
    creases->groups = *groups;
    creases->arrays = *arrays;
    creases->yield = creases->lanes;
    creases->angle = creases->yield + lane_count;
    creases->saved = creases->angle + lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t h = padding ? 0 : groups->stencil[i];
        creases->yield[i] = padding ? INFINITY : creases->yield_of[h];
        creases->angle[i] = creases->initial[h];
        if (isfinite(creases->yield[i])) {
            set_angle(creases, i, creases->initial[h]);
        }
    }
    hinge_creases_save(creases);
    return PBS_OK;
}

void hinge_creases_read(const struct hinge_creases *creases, size_t first, size_t count,
                        double *rest_angles) {
    for (size_t h = 0; h < count; h++) {
        rest_angles[h] = creases->angle[creases->groups.lane[first + h]];
    }
}

void hinge_creases_write(struct hinge_creases *creases, size_t first, size_t count,
                         const double *rest_angles) {
    for (size_t h = 0; h < count; h++) {
        const size_t lane = creases->groups.lane[first + h];
        if (creases->angle[lane] != rest_angles[h]) {
            set_angle(creases, lane, rest_angles[h]);
        }
    }
}

void hinge_creases_save(struct hinge_creases *creases) {
    memcpy(creases->saved, creases->angle, creases->groups.group_count * LANES * sizeof(double));
}

void hinge_creases_restore(struct hinge_creases *creases) {
    for (size_t i = 0; i < creases->groups.group_count * LANES; i++) {
        if (creases->angle[i] != creases->saved[i]) {
            set_angle(creases, i, creases->saved[i]);
        }
    }
}

// --- creases ---

// An angle above the yield angle by no more than this fraction counts as at it, as rounding of a
// rest angle that has followed leaves it.
#define YIELD_TOLERANCE 1e-9

/// Computes by how far the eight hinges' angles are beyond their yield angles, with the sign of
/// their bending; 0: not at all. bent: angle minus rest angle. Returns false if none is.
static PBS_MULTIVERSION bool measure_excess(const struct hinge_creases *creases, size_t g,
                                            const double *x, double bent[LANES],
                                            double excess[LANES]) {
    const struct hinge_lane_arrays *arrays = &creases->arrays;
    const uint32_t *node = arrays->node + g * 4 * LANES;
    const lanes8 none = lanes_set(0.0);
    lanes8 origin[3];
    lanes8 side[3][3];
    struct hinge_lanes h;
    load_nodes(x, node, origin);
    for (int a = 0; a < 3; a++) {
        load_nodes(x, node + (a + 1) * LANES, side[a]);
        for (int i = 0; i < 3; i++) {
            side[a][i] -= origin[i];
        }
    }
    hinge_measure(side, &h);
    const lanes8 angle = hinge_angle(&h, lanes_load(arrays->cosine + g * LANES),
                                     lanes_load(arrays->sine + g * LANES));
    const lanes8 yield = lanes_load(creases->yield + g * LANES);
    const lanes8 size = lanes_select(h.degenerate, none, lanes_abs(angle));
    const mask8 yields = size > (1.0 + YIELD_TOLERANCE) * yield;
    const lanes8 beyond = size - lanes_select(yields, yield, size);
    lanes_store(bent, angle);
    lanes_store(excess, lanes_select(angle < 0.0, none - beyond, beyond));
    return lanes_any(yields);
}

struct update_job {
    struct hinge_creases *creases;
    const double *x;
};

static void update_group(struct hinge_creases *creases, size_t g, const double *x) {
    double bent[LANES];
    double excess[LANES];
    double sum = 0.0;
    const bool any = measure_excess(creases, g, x, bent, excess);
    for (size_t l = 0; l < LANES && any; l++) {
        const size_t lane = g * LANES + l;
        if (excess[l] != 0.0) {
            // k bent^2 - k (bent - excess)^2
            sum += creases->arrays.stiffness[lane] * excess[l] * (2.0 * bent[l] - excess[l]);
            set_angle(creases, lane, creases->angle[lane] + excess[l]);
        }
    }
    creases->dissipated[g] = sum;
}

static void update_piece(void *context, size_t domain) {
    const struct update_job *job = context;
    const uint32_t *range = job->creases->groups.domain_group + domain;
    for (size_t g = range[0]; g < range[1]; g++) {
        update_group(job->creases, g, job->x);
    }
}

double hinge_creases_update(struct hinge_creases *creases, struct tasks *tasks, size_t domain_count,
                            const double *x) {
    struct update_job job = {creases, x};
    double dissipated = 0.0;
    tasks_for(tasks, domain_count, update_piece, &job);
    for (size_t g = 0; g < creases->groups.group_count; g++) {
        dissipated += creases->dissipated[g];
    }
    return dissipated;
}
