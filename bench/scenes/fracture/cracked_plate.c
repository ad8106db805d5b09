// Creates and steps the plates of cracked_plate.h.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/cracked_plate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NOTCH = 0.05, STRIKE = 16.5;
// Fraction of the stable step. Near the stable step the amplitude of the fastest vibrations is too
// large by 1 / sqrt(1 - share^2), which breaks bonds.
static const double SHARE = 0.5;

struct plate_kind {
    double size[2];
    double young, density, fracture_energy;
    double tension; ///< Pa
    double notch_y;
    int32_t dimension;
    double poisson; ///< Poisson's ratio of the peridynamic model
};

static const struct plate_kind kinds[PLATE_KIND_COUNT] = {
    {{0.1, 0.04}, 32e9, 2450.0, 3.0, 1e6, 0.0, PBS_PERIDYNAMIC_PLANE_STRESS, 1.0 / 3.0},
    {{0.1, 0.04}, 72e9, 2440.0, 3.8, 2e6, 0.0, PBS_PERIDYNAMIC_PLANE_STRESS, 1.0 / 3.0},
    {{0.1, 0.2}, 190e9, 8000.0, 22130.0, 0.0, 0.025, PBS_PERIDYNAMIC_PLANE_STRAIN, 0.25},
};

static pbs_status make_world(int32_t threads, pbs_world **out) {
    pbs_world_desc settings;
    pbs_integrator_desc d;
    pbs_integrator *verlet = NULL;
    pbs_status status = pbs_world_desc_init(&settings, sizeof settings);
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.threads = threads > 0 ? threads : 1;
    status = status < 0 ? status : pbs_world_create(&settings, out);
    status = status < 0 ? status
                        : pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_VELOCITY_VERLET);
    d.parameters[0] = SHARE;
    status = status < 0 ? status : pbs_integrator_create(&d, &verlet);
    status = status < 0 ? status : pbs_world_set_integrator(*out, verlet);
    pbs_integrator_destroy(verlet);
    return status;
}

static bool is_struck(const struct cracked_plate *plate, size_t particle) {
    const size_t rows = plate->desc.struck > 0 ? plate->desc.struck : 1;
    return plate->desc.kind == PLATE_STEEL && particle % plate->columns < rows &&
           fabs(plate->places[3 * particle + 1]) < plate->notch_y;
}

static void place(struct cracked_plate *plate, double *velocities) {
    const double h = plate->desc.spacing;
    for (size_t i = 0; i < plate->count; i++) {
        double *x = plate->places + 3 * i;
        x[0] = h * ((double)(i % plate->columns) + 0.5);
        // Mirror-image rows get exactly opposite coordinates.
        x[1] = 0.5 * h * (2.0 * (double)(i / plate->columns) + 1.0 - (double)plate->rows);
        x[2] = 0.0;
        if (is_struck(plate, i)) {
            velocities[3 * i] = STRIKE;
            plate->driven[plate->driven_count] = (uint32_t)i;
            plate->driven_count++;
        }
    }
}

static pbs_status cut(struct cracked_plate *plate, double y) {
    const double notch[18] = {-1.0, y, -1.0, NOTCH, y, -1.0, NOTCH, y, 1.0,
                              -1.0, y, -1.0, NOTCH, y, 1.0,  -1.0,  y, 1.0};
    return pbs_body_cut_triangles(plate->world, plate->body, notch, 2, NULL);
}

static pbs_status pull(struct cracked_plate *plate, double tension, double *forces) {
    const double force = tension * plate->desc.spacing * plate->desc.spacing;
    for (size_t i = 0; i < plate->columns; i++) {
        forces[3 * i + 1] = -force;
        forces[3 * (plate->count - plate->columns + i) + 1] = force;
    }
    return pbs_body_set_forces(plate->world, plate->body, forces, plate->count);
}

static pbs_status add_body(struct cracked_plate *plate, double *vectors) {
    const struct plate_kind *kind = &kinds[plate->desc.kind];
    pbs_peridynamic_desc d;
    pbs_status status = pbs_peridynamic_desc_init(&d, sizeof d);
    d.dimension = kind->dimension;
    d.particle_count = plate->count;
    d.positions = plate->places;
    d.velocities = vectors;
    d.spacing = plate->desc.spacing;
    d.section = plate->desc.spacing;
    d.horizon = plate->desc.horizon * plate->desc.spacing;
    d.density = kind->density;
    d.young = kind->young;
    d.fracture_energy = kind->fracture_energy;
    place(plate, vectors);
    status = status < 0 ? status : pbs_body_create_peridynamic(plate->world, &d, &plate->body);
    status = status < 0 ? status : cut(plate, kind->notch_y);
    if (plate->desc.kind == PLATE_STEEL) {
        return status < 0 ? status : cut(plate, -kind->notch_y);
    }
    return status < 0 ? status : pull(plate, kind->tension, vectors);
}

pbs_status cracked_plate_make(const struct cracked_plate_desc *desc, struct cracked_plate *plate) {
    const struct plate_kind *kind = &kinds[desc->kind];
    const double shear = kind->young / (2.0 * (1.0 + kind->poisson));
    *plate = (struct cracked_plate){.desc = *desc, .notch_y = kind->notch_y};
    memcpy(plate->size, kind->size, sizeof plate->size);
    plate->wave_of_shear = sqrt(shear / kind->density);
    // Achenbach's approximation of the root of Rayleigh's equation, with the Poisson ratio of the
    // plane model.
    const double poisson = kind->dimension == PBS_PERIDYNAMIC_PLANE_STRESS
                               ? kind->poisson / (1.0 + kind->poisson)
                               : kind->poisson;
    plate->rayleigh = plate->wave_of_shear * (0.862 + 1.14 * poisson) / (1.0 + poisson);
    plate->columns = (size_t)lround(kind->size[0] / desc->spacing);
    plate->rows = (size_t)lround(kind->size[1] / desc->spacing);
    plate->count = plate->columns * plate->rows;
    double *vectors = calloc(plate->count, 3 * sizeof *vectors);
    plate->places = calloc(plate->count, 3 * sizeof *plate->places);
    plate->driven = calloc(plate->count, sizeof *plate->driven);
    plate->targets = calloc(plate->count, 3 * sizeof *plate->targets);
    pbs_status status = PBS_ERROR_MEMORY;
    if (vectors != NULL && plate->places != NULL && plate->driven != NULL &&
        plate->targets != NULL) {
        status = make_world(desc->threads, &plate->world);
        status = status < 0 ? status : add_body(plate, vectors);
    }
    free(vectors);
    if (status < 0) {
        cracked_plate_free(plate);
    }
    return status;
}

pbs_status cracked_plate_step(struct cracked_plate *plate, double seconds) {
    const double *x = pbs_body_positions(plate->world, plate->body);
    for (size_t i = 0; i < plate->driven_count; i++) {
        memcpy(plate->targets + 3 * i, x + 3 * (size_t)plate->driven[i], 3 * sizeof *x);
        plate->targets[3 * i] += STRIKE * seconds;
    }
    const pbs_status status = pbs_body_set_targets(plate->world, plate->body, plate->driven,
                                                   plate->driven_count, plate->targets);
    return status < 0 ? status : pbs_world_step(plate->world, seconds);
}

void cracked_plate_free(struct cracked_plate *plate) {
    pbs_world_destroy(plate->world);
    free(plate->places);
    free(plate->driven);
    free(plate->targets);
    *plate = (struct cracked_plate){.world = NULL};
}
