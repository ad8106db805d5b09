// The smallest plate that cracks: soda-lime glass of 100 x 40 mm, notched to its middle, is pulled
// apart, and says where its crack is. Uses installed headers only; cracks.c draws such plates.
//     cc glass.c $(pkg-config --cflags --libs pbs) -lm
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double SPACING = 1e-3, THICKNESS = 1e-3, TRACTION = 2e6; // m, m, Pa

/// Explicit steps, which follow the waves that cracks run with. Each call is divided into steps
/// that are stable; half of that is wise where bonds break.
static pbs_status use_explicit_steps(pbs_world *world) {
    pbs_integrator_desc desc;
    pbs_integrator *integrator = NULL;
    pbs_integrator_desc_init(&desc, sizeof desc, PBS_SCHEME_VELOCITY_VERLET);
    desc.parameters[0] = 0.5;
    pbs_status status = pbs_integrator_create(&desc, &integrator);
    if (status >= 0) {
        status = pbs_world_set_integrator(world, integrator);
    }
    pbs_integrator_destroy(integrator);
    return status;
}

static pbs_status add_plate(pbs_world *world, pbs_body *plate) {
    const double box[6] = {0.0, 0.0, 0.0, 0.1, 0.04, 0.0};
    pbs_peridynamic_desc desc;
    pbs_peridynamic_desc_init(&desc, sizeof desc);
    desc.dimension = PBS_PERIDYNAMIC_PLANE_STRESS;
    desc.box = box;
    desc.spacing = SPACING;
    desc.section = THICKNESS;
    desc.density = 2440.0;
    desc.young = 72e9;
    desc.fracture_energy = 3.8;
    return pbs_body_create_peridynamic(world, &desc, plate);
}

/// Along y = 20 mm, between two rows of particles, up to x = 50 mm: two triangles.
static pbs_status cut_notch(pbs_world *world, pbs_body plate) {
    const double corners[18] = {-1e-3, 0.02, -1e-3, 0.05, 0.02, -1e-3, 0.05,  0.02, 1e-3,
                                -1e-3, 0.02, -1e-3, 0.05, 0.02, 1e-3,  -1e-3, 0.02, 1e-3};
    return pbs_body_cut_triangles(world, plate, corners, 2, NULL);
}

/// The outermost rows carry the traction, times the area of a particle's side.
static pbs_status pull(pbs_world *world, pbs_body plate) {
    const size_t count = pbs_body_vertex_count(world, plate);
    const double *x = pbs_body_positions(world, plate);
    double *forces = calloc(3 * count, sizeof *forces);
    for (size_t i = 0; forces != NULL && i < count; i++) {
        const double y = x[3 * i + 1];
        const double side = y < SPACING ? -1.0 : y > 0.04 - SPACING ? 1.0 : 0.0;
        forces[3 * i + 1] = side * TRACTION * SPACING * THICKNESS;
    }
    const pbs_status status = pbs_body_set_forces(world, plate, forces, count);
    free(forces);
    return status;
}

/// m: the rightmost particle that has lost a third of the volume in its horizon, or the notch.
static double crack_tip(const pbs_world *world, pbs_body plate) {
    const double *x = pbs_body_positions(world, plate);
    const float *damage = pbs_body_damage(world, plate);
    double tip = 0.05;
    for (size_t i = 0; i < pbs_body_vertex_count(world, plate); i++) {
        tip = damage[i] > 0.33F ? fmax(tip, x[3 * i]) : tip;
    }
    return tip;
}

int main(void) {
    pbs_world_desc desc;
    pbs_world *world = NULL;
    pbs_body plate = {0};
    pbs_world_desc_init(&desc, sizeof desc);
    desc.contact = PBS_CONTACT_PENALTY; // barriers are for implicit steps
    pbs_status status = pbs_world_create(&desc, &world);
    status = status < 0 ? status : use_explicit_steps(world);
    status = status < 0 ? status : add_plate(world, &plate);
    status = status < 0 ? status : cut_notch(world, plate);
    status = status < 0 ? status : pull(world, plate);
    for (int frame = 1; frame <= 12 && status >= 0; frame++) {
        status = pbs_world_step(world, 5e-6);
        printf("%2d us: the crack is at %.1f mm\n", 5 * frame, 1e3 * crack_tip(world, plate));
    }
    if (status < 0) {
        fprintf(stderr, "glass: %s\n", pbs_last_error());
    }
    pbs_world_destroy(world);
    return status < 0 ? 1 : 0;
}
