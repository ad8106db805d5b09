// Creates the scenes of brittle_fall.h.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/brittle_fall.h"

#include <stdlib.h>

static double or_default(double value, double otherwise) {
    return value > 0.0 ? value : otherwise;
}

static pbs_status make_world(const struct brittle_fall_desc *d, pbs_world **out) {
    pbs_world_desc settings;
    pbs_expert_desc expert;
    pbs_status status = pbs_world_desc_init(&settings, sizeof settings);
    pbs_expert_desc_init(&expert, sizeof expert);
    settings.expert = &expert;
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.gravity[0] = settings.gravity[2] = 0.0;
    settings.gravity[1] = -9.81;
    // The force-error estimate also omits the transverse stiffness of compressed bonds.
    expert.project_hessian = PBS_HESSIAN_SEMIDEFINITE;
    expert.preconditioner = d->preconditioner;
    settings.threads = d->threads > 0 ? (int32_t)d->threads : 1;
    settings.divisions = 8;
    return status < 0 ? status : pbs_world_create(&settings, out);
}

/// Adds the obstacle: a ball below the plate's middle, or a cylinder below the bar's middle. Its
/// highest point is the origin.
static pbs_status add_obstacle(const struct brittle_fall_desc *d, pbs_world *world) {
    const double radius = d->kind == BRITTLE_BAR ? 0.05 : 0.03;
    pbs_collider_desc c;
    pbs_collider collider;
    pbs_status status = pbs_collider_desc_init(&c, sizeof c);
    c.shape = PBS_SHAPE_SPHERE;
    c.size[0] = radius;
    c.position[1] = -radius;
    return status < 0 ? status : pbs_collider_create(world, &c, &collider);
}

static pbs_status push(const struct brittle_fall_desc *d, const struct brittle_fall *fall) {
    double *velocities = calloc(3 * fall->particle_count, sizeof *velocities);
    if (velocities == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < fall->particle_count; i++) {
        velocities[3 * i + 1] = -d->speed;
    }
    const pbs_status status = pbs_body_set_velocities(fall->world, fall->body, velocities,
                                                      fall->particle_count);
    free(velocities);
    return status;
}

static pbs_status add_body(const struct brittle_fall_desc *d, struct brittle_fall *out) {
    const double height = or_default(d->height, 0.02);
    const bool is_bar = d->kind == BRITTLE_BAR;
    const double boxes[2][6] = {{-0.24, height, 0.0, 0.24, height + 0.12, 0.0},
                                {-0.12, height, -0.12, 0.12, height + 0.03, 0.12}};
    pbs_peridynamic_desc p;
    pbs_status status = pbs_peridynamic_desc_init(&p, sizeof p);
    p.dimension = is_bar ? PBS_PERIDYNAMIC_PLANE_STRESS : PBS_PERIDYNAMIC_SOLID;
    p.box = boxes[is_bar ? 0 : 1];
    p.spacing = or_default(d->spacing, 0.01);
    p.horizon = or_default(d->horizon, 3.0 * p.spacing);
    p.section = is_bar ? 0.01 : 0.0;
    p.young = or_default(d->young, 7e7);
    p.density = or_default(d->density, 1000.0);
    p.damping = d->damping;
    p.fracture_energy = or_default(d->fracture_energy, is_bar ? 2.0 : 20.0);
    status = status < 0 ? status : pbs_body_create_peridynamic(out->world, &p, &out->body);
    if (status < 0) {
        return status;
    }
    const uint32_t *pairs = NULL;
    out->particle_count = pbs_body_vertex_count(out->world, out->body);
    status = pbs_body_bonds(out->world, out->body, &pairs, &out->bond_count);
    return status < 0 ? status : push(d, out);
}

pbs_status brittle_fall_make(const struct brittle_fall_desc *d, struct brittle_fall *out) {
    *out = (struct brittle_fall){0};
    pbs_status status = make_world(d, &out->world);
    status = status < 0 ? status : add_obstacle(d, out->world);
    return status < 0 ? status : add_body(d, out);
}
