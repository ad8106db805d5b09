// Explicit steps of a bonded body: 24.6 thousand tetrahedra of body-centred cubic cells of 31 mm in
// free vibration, velocity Verlet at 0.66 of the stable step, one thread. Prints lines
//     bench bonded_explicit mode=... tets=... bonds=... stable_step=... cells=... steps=...
//     mbond_steps_per_s=... best=... contacts=... energy=... linear=... angular=...
// in processor time, best of twenty calls. stable_step is in s, cells in h sqrt(rho / E). energy,
// linear and angular are the largest relative changes of energy and momenta. YADE 2023.02a
// (CohFrictMat with moments) takes 4.1 M bond-steps/s on one thread of a similar machine, LAMMPS'
// bpm/rotational 4.07 by its own log of 2026. Modes: free; with strengths that are not reached;
// with penalty contact; resting on a half-space with penalty contact and friction; the same, cut
// into slabs.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pbs/pbs.h"
#include "scenes/bonds/cubic_tets.h"

static const double YOUNG = 1e7, DENSITY = 1000.0, CELL = 0.031, SHARE = 0.66;

/// Returns processor time; there is only one thread.
static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(pbs_status status) {
    if (status < 0) {
        fprintf(stderr, "%s\n", pbs_last_error());
        exit(1);
    }
}

enum { CALLS = 20, CALL_STEPS = 100 };

/// Energy, and momenta about the origin, including the spin of particles as spheres of the same
/// volume.
struct motion {
    double energy, linear[3], angular[3];
};

static struct motion measure(const pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    const double *w = pbs_body_angular_velocities(world, body);
    const double *mass = pbs_body_masses(world, body);
    struct motion m = {0};
    pbs_energy energy = {.struct_size = sizeof energy};
    for (size_t i = 0; i < count; i++) {
        const double radius = cbrt(3.0 * mass[i] / (4.0 * 3.14159265358979323846 * DENSITY));
        for (size_t k = 0; k < 3; k++) {
            const double *p = x + 3 * i;
            const double *u = v + 3 * i;
            const size_t a = (k + 1) % 3;
            const size_t b = (k + 2) % 3;
            const double spin = 0.4 * radius * radius * w[3 * i + k];
            m.linear[k] += mass[i] * u[k];
            m.angular[k] += mass[i] * (p[a] * u[b] - p[b] * u[a] + spin);
        }
    }
    require(pbs_world_energy(world, &energy));
    m.energy = energy.total;
    return m;
}

static double distance(const double a[3], const double b[3]) {
    double difference = 0.0;
    double base = 0.0;
    for (int k = 0; k < 3; k++) {
        difference += (a[k] - b[k]) * (a[k] - b[k]);
        base += b[k] * b[k];
    }
    return sqrt(difference / base);
}

enum mode { FREE, BREAKS, PENALTY, LIES, CUT, MODES };
static const char *const names[MODES] = {"free", "breaks", "penalty", "lies", "cut"};

static pbs_world *new_world(enum mode mode) {
    pbs_world_desc d;
    pbs_integrator_desc i;
    pbs_integrator *integrator = NULL;
    pbs_world *world = NULL;
    require(pbs_world_desc_init(&d, sizeof d));
    d.threads = 1;
    d.contact = mode < PENALTY ? PBS_CONTACT_PROJECTION : PBS_CONTACT_PENALTY;
    d.gravity[1] = mode < LIES ? 0.0 : -9.81;
    require(pbs_world_create(&d, &world));
    require(pbs_integrator_desc_init(&i, sizeof i, PBS_SCHEME_VELOCITY_VERLET));
    i.parameters[0] = SHARE;
    require(pbs_integrator_create(&i, &integrator));
    require(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
    return world;
}

/// breaks: sets strengths that are not reached.
static pbs_body add_body(pbs_world *world, bool breaks) {
    const size_t cells[3] = {16, 16, 8};
    struct cubic_tets mesh;
    pbs_bonded_desc d;
    pbs_body body;
    if (!cubic_tets_make(&mesh, cells, CELL, 0.1)) {
        exit(1);
    }
    require(pbs_bonded_desc_init(&d, sizeof d));
    d.vertex_count = mesh.vertex_count;
    d.vertices = mesh.vertices;
    d.tet_count = mesh.tet_count;
    d.tets = mesh.tets;
    d.young = YOUNG;
    d.shear_modulus = 0.4 * YOUNG;
    d.density = DENSITY;
    d.tensile_strength = breaks ? YOUNG : 0.0;
    d.shear_strength = breaks ? YOUNG : 0.0;
    require(pbs_body_create_bonded(world, &d, &body));
    cubic_tets_free(&mesh);
    return body;
}

/// Sets an initial velocity: translation, rotation at 3 rad/s, and a shear rate of 1/s that excites
/// bending.
static void set_free(pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_vertex_count(world, body);
    const double *x = pbs_body_positions(world, body);
    const double length = 16.0 * CELL;
    double *v = calloc(6 * count, sizeof *v);
    if (v == NULL) {
        exit(1);
    }
    double *w = v + 3 * count;
    for (size_t k = 0; k < 3 * count; k += 3) {
        v[k] = length * sin(x[k + 2] / length) - 3.0 * x[k + 1] + 0.2;
        v[k + 1] = 3.0 * x[k];
        v[k + 2] = 0.1;
        w[k + 1] = 0.5 * cos(x[k + 2] / length);
        w[k + 2] = 3.0;
    }
    require(pbs_body_set_velocities(world, body, v, count));
    require(pbs_body_set_angular_velocities(world, body, w, count));
    free(v);
}

/// Adds a half-space that touches the lowest particles, whose contact radii are about half of those
/// of spheres of their volume.
static void lay_down(pbs_world *world, pbs_body body) {
    const double *x = pbs_body_positions(world, body);
    pbs_contact_desc contact;
    pbs_collider_desc d;
    pbs_collider ground;
    const double *mass = pbs_body_masses(world, body);
    double lowest = INFINITY;
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        const double radius = cbrt(3.0 * mass[i] / (4.0 * 3.14159265358979323846 * DENSITY));
        lowest = fmin(lowest, x[3 * i + 1] - 0.5 * radius);
    }
    require(pbs_contact_desc_init(&contact, sizeof contact));
    contact.friction = 0.5;
    require(pbs_body_set_contact(world, body, &contact));
    require(pbs_collider_desc_init(&d, sizeof d));
    d.position[1] = lowest;
    require(pbs_collider_create(world, &d, &ground));
}

static void cut_into_slabs(pbs_world *world, pbs_body body) {
    const double across[3] = {0.1, 1.0, 0.2};
    for (int i = 1; i < 8; i++) {
        const double point[3] = {8.0 * CELL, 2.0 * i * CELL, 4.0 * CELL};
        size_t count = 0;
        require(pbs_body_cut_plane(world, body, point, across, &count));
    }
}

static void measure_steps(enum mode mode) {
    pbs_world *world = new_world(mode);
    const pbs_body body = add_body(world, mode == BREAKS);
    const uint32_t *pairs = NULL;
    size_t bonds = 0;
    require(pbs_body_bonds(world, body, &pairs, &bonds));
    if (mode < LIES) {
        set_free(world, body);
    } else {
        lay_down(world, body);
    }
    if (mode == CUT) {
        cut_into_slabs(world, body);
    }
    // The first step prepares everything, and computes the stable step.
    pbs_stats stats = {.struct_size = sizeof stats};
    require(pbs_world_step(world, 1e-9));
    require(pbs_world_stats(world, &stats));
    const double stable = stats.step.stable_step;
    const struct motion start = measure(world, body);
    // A resting body has almost no initial energy, and pushes the ground, so no relative changes
    // are reported.
    const double whole = mode < LIES ? start.energy : INFINITY;
    struct motion end = start;
    double seconds = 0.0;
    double best = INFINITY;
    double drift = 0.0;
    uint64_t steps = 0;
    for (int call = 0; call < CALLS; call++) {
        const double begin = cpu_seconds();
        require(pbs_world_step(world, 0.999 * CALL_STEPS * SHARE * stable));
        const double took = cpu_seconds() - begin;
        require(pbs_world_stats(world, &stats));
        seconds += took;
        best = fmin(best, took / stats.step.explicit_steps);
        steps += stats.step.explicit_steps;
        end = measure(world, body);
        drift = fmax(drift, fabs(end.energy - start.energy));
    }
    printf(
        "bench bonded_explicit mode=%s tets=%zu bonds=%zu stable_step=%.3g cells=%.3f steps=%llu "
        "mbond_steps_per_s=%.2f best=%.2f contacts=%u energy=%.2g linear=%.2g angular=%.2g\n",
        names[mode], pbs_body_vertex_count(world, body), bonds, stable,
        stable / (CELL * sqrt(DENSITY / YOUNG)), (unsigned long long)steps,
        1e-6 * (double)bonds * (double)steps / seconds, 1e-6 * (double)bonds / best,
        (unsigned)stats.contact.active, drift / whole,
        mode < LIES ? distance(end.linear, start.linear) : 0.0,
        mode < LIES ? distance(end.angular, start.angular) : 0.0);
    pbs_world_destroy(world);
}

int main(void) {
    for (enum mode mode = FREE; mode < MODES; mode++) {
        measure_steps(mode);
    }
    return 0;
}
