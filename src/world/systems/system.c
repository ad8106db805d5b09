// Systems of the public interface: a small dense equation of motion with forces of the host, its
// state, and the scheme's history. Steps are in system_step.c.
// SPDX-License-Identifier: MIT
#include "world/systems/system.h"

#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/integrators/integrator.h"
#include "world/interface/settings.h"

// Largest number of unknowns; the matrices of larger systems would not fit into memory.
enum { SIZE_LIMIT = 10000 };

// --- settings ---

pbs_status system_enter(const pbs_system *s) {
    return check_pointer(s, "the system");
}

pbs_status pbs_system_desc_init(pbs_system_desc *d, size_t struct_size) {
    const pbs_system_desc defaults = {.struct_size = sizeof defaults,
                                      .size = 1,
                                      .tolerance = 1e-10,
                                      .relative_tolerance = 1e-12,
                                      .newton_limit = 50,
                                      .divisions = 20};
    return settings_init(&settings_system, d, struct_size, &defaults);
}

static pbs_status check_optional(const double *values, size_t count, const char *name) {
    return values != NULL ? check_numbers(values, count, name) : PBS_OK;
}

static pbs_status check_settings(const pbs_system_desc *d) {
    RETURN_IF_FAILED(
        check_choice(d->unknown, PBS_UNKNOWN_POSITION, PBS_UNKNOWN_ACCELERATION, "unknown"));
    if (d->size < 1 || d->size > SIZE_LIMIT) {
        return status_fail(PBS_ERROR_ARGUMENT, "size is %zu, must be 1 to %d", d->size, SIZE_LIMIT);
    }
    RETURN_IF_FAILED(check_optional(d->mass, d->size * d->size, "mass"));
    RETURN_IF_FAILED(check_optional(d->damping, d->size * d->size, "damping"));
    RETURN_IF_FAILED(check_optional(d->stiffness, d->size * d->size, "stiffness"));
    RETURN_IF_FAILED(check_optional(d->positions, d->size, "positions"));
    RETURN_IF_FAILED(check_optional(d->velocities, d->size, "velocities"));
    RETURN_IF_FAILED(check_finite(d->time, "time"));
    RETURN_IF_FAILED(check_not_negative(d->tolerance, "tolerance"));
    RETURN_IF_FAILED(check_not_negative(d->relative_tolerance, "relative_tolerance"));
    if (d->tolerance == 0.0 && d->relative_tolerance == 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "tolerance and relative_tolerance are both 0, one must be positive");
    }
    RETURN_IF_FAILED(check_choice(d->newton_limit, 1, UINT32_MAX, "newton_limit"));
    RETURN_IF_FAILED(check_choice(d->divisions, 0, 30, "divisions"));
    return check_allocator(&d->allocator);
}

// --- creation ---

/// *out = a copy; null if there is nothing to copy.
static pbs_status copy_numbers(struct memory *memory, const double *values, size_t count,
                               double **out) {
    if (values == NULL) {
        return PBS_OK;
    }
    *out = memory_allocate(memory, count, sizeof **out);
    if (*out == NULL) {
        return PBS_ERROR_MEMORY;
    }
    memcpy(*out, values, count * sizeof *values);
    return PBS_OK;
}

static pbs_status factor_mass(pbs_system *s) {
    if (s->mass == NULL) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(dense_lu_create(&s->memory, s->size, &s->mass_factors));
    memcpy(s->mass_factors.matrix, s->mass, s->size * s->size * sizeof *s->mass);
    dense_lu_factor(&s->mass_factors);
    const double condition = dense_lu_condition(&s->mass_factors);
    return condition < 1e15 ? PBS_OK
                            : status_fail(PBS_ERROR_ARGUMENT,
                                          "mass is singular (condition number %g)", condition);
}

static pbs_status fill(pbs_system *s, const pbs_system_desc *d) {
    const size_t n = d->size;
    s->size = n;
    RETURN_IF_FAILED(copy_numbers(&s->memory, d->mass, n * n, &s->mass));
    RETURN_IF_FAILED(copy_numbers(&s->memory, d->damping, n * n, &s->damping));
    RETURN_IF_FAILED(copy_numbers(&s->memory, d->stiffness, n * n, &s->stiffness));
    RETURN_IF_FAILED(factor_mass(s));
    RETURN_IF_FAILED(dense_newton_create(&s->memory, n, &s->newton));
    RETURN_IF_FAILED(dense_state_create(&s->memory, n, &s->state));
    RETURN_IF_FAILED(dense_state_create(&s->memory, n, &s->saved));
    s->whole = memory_allocate(&s->memory, n, sizeof *s->whole);
    if (s->whole == NULL) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(dense_workspace_create(&s->memory, n, d->divisions, &s->workspace));
    if (d->positions != NULL) {
        memcpy(s->state.now.x, d->positions, n * sizeof(double));
    }
    if (d->velocities != NULL) {
        memcpy(s->state.now.v, d->velocities, n * sizeof(double));
    }
    s->state.time = d->time;
    s->force = d->force;
    s->jacobian = d->jacobian;
    s->user = d->user;
    s->options = (struct dense_options){.unknown = d->unknown,
                                        .tolerance = d->tolerance,
                                        .relative_tolerance = d->relative_tolerance,
                                        .newton_limit = d->newton_limit};
    return PBS_OK;
}

static void destroy(pbs_system *s) {
    memory_release(&s->memory, s->mass);
    memory_release(&s->memory, s->damping);
    memory_release(&s->memory, s->stiffness);
    dense_lu_free(&s->mass_factors, &s->memory);
    dense_newton_free(&s->newton, &s->memory);
    dense_state_free(&s->state, &s->memory);
    dense_state_free(&s->saved, &s->memory);
    memory_release(&s->memory, s->whole);
    dense_workspace_free(&s->workspace, &s->memory);
    struct memory memory = s->memory;
    memory_release(&memory, s);
}

pbs_status pbs_system_create(const pbs_system_desc *d, pbs_system **out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_system_desc settings = {0};
    RETURN_IF_FAILED(settings_read(&settings_system, d, &settings));
    RETURN_IF_FAILED(check_settings(&settings));
    struct memory memory;
    memory_init(&memory, &settings.allocator);
    pbs_system *s = memory_allocate(&memory, 1, sizeof *s);
    if (s == NULL) {
        return PBS_ERROR_MEMORY;
    }
    s->memory = memory;
    const pbs_status status = fill(s, &settings);
    if (status < 0) {
        destroy(s);
        return status;
    }
    *out = s;
    return PBS_OK;
}

void pbs_system_destroy(pbs_system *s) {
    if (s != NULL) {
        destroy(s);
    }
}

// --- state ---

size_t pbs_system_size(const pbs_system *s) {
    return s != NULL ? s->size : 0;
}

const double *pbs_system_positions(const pbs_system *s) {
    return s != NULL ? s->state.now.x : NULL;
}

const double *pbs_system_velocities(const pbs_system *s) {
    return s != NULL ? s->state.now.v : NULL;
}

double pbs_system_time(const pbs_system *s) {
    return s != NULL ? s->state.time : 0.0;
}

pbs_status pbs_system_set_state(pbs_system *s, double time, const double *positions,
                                const double *velocities, size_t count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(system_enter(s));
    if (count != s->size) {
        return status_fail(PBS_ERROR_ARGUMENT, "count is %zu, must be %zu as the system's size",
                           count, s->size);
    }
    RETURN_IF_FAILED(check_finite(time, "time"));
    RETURN_IF_FAILED(check_optional(positions, count, "positions"));
    RETURN_IF_FAILED(check_optional(velocities, count, "velocities"));
    // The arrays may be those that the host has read, so they may overlap the state.
    if (positions != NULL) {
        memmove(s->state.now.x, positions, count * sizeof(double));
    }
    if (velocities != NULL) {
        memmove(s->state.now.v, velocities, count * sizeof(double));
    }
    s->state.time = time;
    system_forget_history(&s->state);
    return PBS_OK;
}

pbs_status pbs_system_settings(const pbs_system *s, pbs_system_desc *out) {
    RETURN_IF_FAILED(system_enter(s));
    const pbs_system_desc own = {.struct_size = sizeof own,
                                 .unknown = s->options.unknown,
                                 .size = s->size,
                                 .mass = s->mass,
                                 .damping = s->damping,
                                 .stiffness = s->stiffness,
                                 .positions = s->state.now.x,
                                 .velocities = s->state.now.v,
                                 .time = s->state.time,
                                 .force = s->force,
                                 .jacobian = s->jacobian,
                                 .user = s->user,
                                 .tolerance = s->options.tolerance,
                                 .relative_tolerance = s->options.relative_tolerance,
                                 .newton_limit = s->options.newton_limit,
                                 .divisions = s->workspace.divisions};
    return results_write(&settings_system, &own, out);
}

pbs_status pbs_system_stats(const pbs_system *s, pbs_dense_stats *out) {
    RETURN_IF_FAILED(system_enter(s));
    pbs_dense_stats stats = s->stats;
    stats.step_control.next = s->step_memory.next;
    stats.memory.allocator_calls = s->memory.call_count;
    stats.memory.bytes_in_use = s->memory.bytes_in_use;
    return results_write(&settings_dense_stats, &stats, out);
}

pbs_status pbs_system_condition_number(const pbs_system *s, double *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(system_enter(s));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    *out = dense_lu_condition(&s->newton.lu);
    return PBS_OK;
}
