// Bonded bodies as tests want them: a straight beam, and a block of spheres.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_BONDED_BODIES_H
#define PBS_SUPPORT_BONDED_BODIES_H

#include "scenes/bonds/cubic_tets.h"
#include "support/random.h"
#include "support/world_testing.h"

enum { BONDED_LIMIT = 512 };

/// Arrays of a description; `d` points into them.
struct bonded_parts {
    double positions[3 * BONDED_LIMIT], velocities[3 * BONDED_LIMIT], spins[3 * BONDED_LIMIT];
    double radii[BONDED_LIMIT], masses[BONDED_LIMIT];
    uint32_t bonds[2 * 3 * BONDED_LIMIT];
    pbs_bonded_desc d;
};

static inline void bonded_point(struct bonded_parts *p) {
    p->d.positions = p->positions;
    p->d.velocities = p->velocities;
    p->d.angular_velocities = p->spins;
    p->d.radii = p->radii;
    p->d.bonds = p->bonds;
}

/// `count` bonds in a row along a direction from the origin, 1 m in all; section 0.02 m.
static inline void bonded_beam(struct bonded_parts *p, size_t count, const double direction[3]) {
    *p = (struct bonded_parts){0};
    assert_true(count < BONDED_LIMIT);
    assert_ok(pbs_bonded_desc_init(&p->d, sizeof p->d));
    for (size_t i = 0; i <= count; i++) {
        for (size_t k = 0; k < 3; k++) {
            p->positions[3 * i + k] = direction[k] * (double)i / (double)count;
        }
        p->radii[i] = 0.5 / (double)count;
        p->bonds[2 * i] = (uint32_t)i;
        p->bonds[2 * i + 1] = (uint32_t)i + 1;
    }
    bonded_point(p);
    p->d.particle_count = count + 1;
    p->d.bond_count = count;
    p->d.bond_radius = 0.02;
}

/// Spheres of a grid, 0.1 m apart and touching, bonded to their neighbours; turning about their
/// centre, at the origin, by `spin`.
static inline void bonded_block(struct bonded_parts *p, size_t nx, size_t ny, size_t nz,
                                const double spin[3]) {
    *p = (struct bonded_parts){0};
    const size_t size[3] = {nx, ny, nz};
    const size_t stride[3] = {1, nx, nx * ny};
    assert_true(nx * ny * nz <= BONDED_LIMIT);
    assert_ok(pbs_bonded_desc_init(&p->d, sizeof p->d));
    for (size_t i = 0; i < nx * ny * nz; i++) {
        double *x = p->positions + 3 * i;
        for (size_t k = 0; k < 3; k++) {
            const size_t at = i / stride[k] % size[k];
            x[k] = 0.1 * ((double)at - 0.5 * (double)(size[k] - 1));
            p->spins[3 * i + k] = spin[k];
            if (at + 1 < size[k]) {
                p->bonds[2 * p->d.bond_count] = (uint32_t)i;
                p->bonds[2 * p->d.bond_count + 1] = (uint32_t)(i + stride[k]);
                p->d.bond_count++;
            }
        }
        for (size_t k = 0; k < 3; k++) {
            p->velocities[3 * i + k] = spin[(k + 1) % 3] * x[(k + 2) % 3] -
                                       spin[(k + 2) % 3] * x[(k + 1) % 3];
        }
        p->radii[i] = 0.05;
    }
    bonded_point(p);
    p->d.particle_count = nx * ny * nz;
    p->d.bond_radius = 0.05;
}

/// A body of the mesh, which stays the caller's; the rest are the library's defaults.
static inline void bonded_describe_tets(const struct cubic_tets *mesh, pbs_bonded_desc *d) {
    assert_ok(pbs_bonded_desc_init(d, sizeof *d));
    d->vertex_count = mesh->vertex_count;
    d->vertices = mesh->vertices;
    d->tet_count = mesh->tet_count;
    d->tets = mesh->tets;
}

static inline size_t bonded_count_broken(const pbs_world *world, pbs_body body) {
    const uint32_t *pairs = NULL;
    size_t count = 0;
    size_t broken = 0;
    assert_ok(pbs_body_bonds(world, body, &pairs, &count));
    for (size_t i = 0; i < count; i++) {
        broken += pbs_body_broken(world, body)[i] != 0;
    }
    return broken;
}

/// About the origin, spins of the spheres included.
static inline void bonded_angular_momentum(const pbs_world *world, pbs_body body,
                                           const struct bonded_parts *p, double out[3]) {
    const double *x = pbs_body_positions(world, body);
    const double *v = pbs_body_velocities(world, body);
    const double *w = pbs_body_angular_velocities(world, body);
    const double *m = pbs_body_masses(world, body);
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        for (size_t k = 0; k < 3; k++) {
            const size_t a = 3 * i + (k + 1) % 3;
            const size_t b = 3 * i + (k + 2) % 3;
            out[k] += m[i] *
                      (x[a] * v[b] - x[b] * v[a] + 0.4 * p->radii[i] * p->radii[i] * w[3 * i + k]);
        }
    }
}

static inline void use_scheme_of(pbs_world *world, int32_t scheme) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    assert_ok(pbs_integrator_desc_init(&d, sizeof d, scheme));
    d.start = PBS_START_TRAPEZOIDAL;
    assert_ok(pbs_integrator_create(&d, &integrator));
    assert_ok(pbs_world_set_integrator(world, integrator));
    pbs_integrator_destroy(integrator);
}

#endif
