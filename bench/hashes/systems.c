// See systems.h.
// SPDX-License-Identifier: MIT
#include "hashes/systems.h"

#include <math.h>
#include <stdlib.h>

#include "hashes/integrators.h"

enum { SIZE = 3, STEPS = 20 };

/// Nonlinear forces. Each depends on the next unknown too, so the Jacobian is unsymmetric.
static int32_t force(void *user, double time, const double *x, const double *v, double *out) {
    (void)user;
    for (int i = 0; i < SIZE; i++) {
        const double drive = time * (1.0 - time);
        out[i] = drive - x[i] * x[i] * x[i] - 0.1 * v[i] * fabs(v[i]) + 0.2 * x[(i + 1) % SIZE];
    }
    return 0;
}

static int32_t jacobian(void *user, double time, const double *x, const double *v, double *by_x,
                        double *by_v) {
    (void)user;
    (void)time;
    for (int i = 0; i < SIZE; i++) {
        by_x[i * SIZE + i] = -3.0 * x[i] * x[i];
        by_x[i * SIZE + (i + 1) % SIZE] = 0.2;
        by_v[i * SIZE + i] = -0.2 * fabs(v[i]);
    }
    return 0;
}

struct choice {
    int32_t scheme;
    enum hash_control control;
    int32_t unknown;  ///< PBS_UNKNOWN_*
    bool differences; ///< derivatives are the library's
    bool restored;    ///< saved and restored after half the steps
};

static pbs_status make(const struct choice *choice, pbs_system **out) {
    static const double mass[SIZE * SIZE] = {2.0, 0.1, 0.0, 0.3, 1.0, 0.0, 0.0, -0.2, 1.5};
    static const double damping[SIZE * SIZE] = {0.1, -0.3, 0.0, 0.3, 0.1, 0.0, 0.0, 0.0, 0.2};
    static const double stiffness[SIZE * SIZE] = {3.0, -1.0, 0.0, -0.5, 2.0, -1.0, 0.0, 0.0, 1.0};
    static const double positions[SIZE] = {0.3, -0.5, 0.8}, velocities[SIZE] = {0.1, 0.4, -0.2};
    pbs_system_desc d;
    const pbs_status status = pbs_system_desc_init(&d, sizeof d);
    d.unknown = choice->unknown;
    d.size = SIZE;
    d.mass = mass;
    d.damping = damping;
    d.stiffness = stiffness;
    d.positions = positions;
    d.velocities = velocities;
    d.force = force;
    d.jacobian = choice->differences ? NULL : jacobian;
    return status < 0 ? status : pbs_system_create(&d, out);
}

/// Goes on in another system.
static pbs_status restore(const struct choice *choice, pbs_system **system) {
    pbs_system *other = NULL;
    size_t size = 0;
    pbs_status status = pbs_system_save(*system, NULL, &size);
    void *buffer = malloc(size + 1);
    status = buffer == NULL ? PBS_ERROR_MEMORY : status;
    status = status < 0 ? status : pbs_system_save(*system, buffer, &size);
    status = status < 0 ? status : make(choice, &other);
    status = status < 0 ? status : pbs_system_restore(other, buffer, size);
    free(buffer);
    pbs_system_destroy(*system);
    *system = other;
    return status;
}

static void run(struct hash_lines *lines, const struct choice *choice) {
    pbs_system *system = NULL;
    pbs_integrator *integrator = NULL;
    pbs_status status = make(choice, &system);
    status = status < 0 ? status : hash_integrator(choice->scheme, choice->control, &integrator);
    for (int i = 0; i < STEPS && status >= 0; i++) {
        if (choice->restored && i == STEPS / 2) {
            status = restore(choice, &system);
        }
        if (status >= 0) {
            status = hash_control_advances(choice->control)
                         ? pbs_system_advance(system, integrator, 0.1)
                         : pbs_system_step(system, integrator, 0.1);
        }
        hash_numbers(lines, pbs_system_positions(system), SIZE);
        hash_more(lines, pbs_system_velocities(system), SIZE);
    }
    hash_end(lines, pbs_system_time(system), status);
    pbs_integrator_destroy(integrator);
    pbs_system_destroy(system);
}

/// Energies, which searches and blending follow, are not a system's; nor is statics.
static bool moves_systems(int32_t scheme) {
    return scheme != PBS_SCHEME_ENERGY_BLENDING && scheme != PBS_SCHEME_QUASI_STATIC &&
           scheme != PBS_SCHEME_A_SEARCH && scheme != PBS_SCHEME_SPARSE_A_SEARCH;
}

void hash_systems(struct hash_lines *lines) {
    static const enum hash_control controls[] = {
        HASH_EQUAL_STEPS, HASH_FORCE_ERROR, HASH_SPEED_LIMIT, HASH_STRETCH_LIMIT, HASH_DOUBLING};
    for (int32_t scheme = 0; scheme < HASH_SCHEMES; scheme++) {
        // A fixed alpha, as there is no energy to follow.
        const struct choice choice = {
            .scheme = scheme,
            .control = scheme == PBS_SCHEME_DECOUPLED_SDIRK2 ? HASH_ALPHA_FIXED : HASH_NO_CONTROL};
        if (moves_systems(scheme) && hash_begin(lines, "system/%s", hash_scheme_name(scheme))) {
            run(lines, &choice);
        }
    }
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        const struct choice choice = {.scheme = PBS_SCHEME_TRAPEZOIDAL, .control = controls[i]};
        if (hash_begin(lines, "system/trapezoidal/%s", hash_control_name(controls[i]))) {
            run(lines, &choice);
        }
    }
    static const struct {
        const char *name;
        struct choice choice;
    } others[] = {
        {"velocity", {.scheme = PBS_SCHEME_BDF2, .unknown = PBS_UNKNOWN_VELOCITY}},
        {"acceleration", {.scheme = PBS_SCHEME_BDF2, .unknown = PBS_UNKNOWN_ACCELERATION}},
        {"differences", {.scheme = PBS_SCHEME_BDF2, .differences = true}},
        {"restored", {.scheme = PBS_SCHEME_BDF2, .restored = true}},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (hash_begin(lines, "system/bdf2/%s", others[i].name)) {
            run(lines, &others[i].choice);
        }
    }
}
