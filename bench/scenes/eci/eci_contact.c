// Runs the scenes of eci_contact.h.
// SPDX-License-Identifier: MIT
#include "scenes/eci/eci_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/eci/eci_contact_build.h"

static const char *const names[ECI_CONTACT_KINDS] = {
    "ball_soft", "ball_medium", "ball_stiff", "ball_affine", "dice",
    "stairs",    "trampoline",  "chain",      "splash",      "membrane"};

const char *eci_contact_name(enum eci_contact_kind kind) {
    return names[kind];
}

bool eci_contact_find(const char *name, enum eci_contact_kind *kind) {
    for (size_t i = 0; i < ECI_CONTACT_KINDS; i++) {
        if (strcmp(names[i], name) == 0) {
            *kind = (enum eci_contact_kind)i;
            return true;
        }
    }
    return false;
}

void eci_contact_options_init(struct eci_contact_options *options) {
    *options = (struct eci_contact_options){.scheme = PBS_SCHEME_A_SEARCH};
    pbs_world_desc_init(&options->world, sizeof options->world);
    options->world.velocity_tolerance = 0.01;
    pbs_expert_desc_init(&options->expert, sizeof options->expert);
    options->expert.project_hessian = 1;
}

// --- running ---

static pbs_status use_integrator(struct eci_contact *scene) {
    pbs_integrator *integrator = NULL;
    pbs_status status = pbs_integrator_create(&scene->integrator, &integrator);
    if (status >= 0) {
        status = pbs_world_set_integrator(scene->world, integrator);
    }
    pbs_integrator_destroy(integrator);
    return status;
}

pbs_status eci_contact_create(enum eci_contact_kind kind, const struct eci_contact_options *options,
                              struct eci_contact *out) {
    const bool fine = kind == ECI_STAIRS || kind == ECI_TRAMPOLINE || kind == ECI_SPLASH;
    const bool rough = kind == ECI_DICE || kind == ECI_SPLASH;
    pbs_world_desc d = options->world;
    d.expert = &options->expert;
    d.gravity[1] = kind == ECI_MEMBRANE ? 0.0 : -ECI_GRAVITY;
    d.contact = PBS_CONTACT_BARRIER;
    d.contact_distance = fine ? 0.5e-3 : 1e-3;
    d.contact_stiffness = 1e5;
    d.slip_velocity = 1e-2;
    d.divisions = 0;
    if (rough || kind == ECI_CHAIN) {
        // Otherwise bodies stick that should slide (docs/theory/contact.md section 4). Also, in a
        // scene of light rings and a heavy ball the energy of the mean node does not represent that
        // of a ring.
        d.velocity_tolerance = fmin(d.velocity_tolerance, 0.1 * d.slip_velocity);
    }
    *out = (struct eci_contact){.step = options->step > 0.0 ? options->step : 1.0 / 120.0,
                                .contact_distance = d.contact_distance};
    pbs_status status = pbs_integrator_desc_init(&out->integrator, sizeof out->integrator,
                                                 options->scheme);
    status = status >= 0 ? pbs_world_create(&d, &out->world) : status;
    status = status >= 0 ? eci_fill(out, kind, options) : status;
    if (options->decay > 0.0) {
        out->phase_count = 0;
        out->integrator.energy_control.decay_time = options->decay;
    }
    return status >= 0 ? use_integrator(out) : status;
}

void eci_contact_free(struct eci_contact *scene) {
    for (size_t b = 0; b < scene->body_count; b++) {
        tet_mesh_free(&scene->bodies[b].rest);
        free(scene->bodies[b].masses);
        free(scene->bodies[b].initial);
    }
    free(scene->bodies);
    surface_mesh_free(&scene->obstacle);
    pbs_world_destroy(scene->world);
    *scene = (struct eci_contact){0};
}

pbs_status eci_contact_step(struct eci_contact *scene) {
    if (scene->phase < scene->phase_count &&
        pbs_world_time(scene->world) >= scene->phases[scene->phase].begin - 0.5 * scene->step) {
        // The target restarts from the present energy.
        scene->integrator.energy_control.fraction = 1.0;
        scene->integrator.energy_control.decay_time = scene->phases[scene->phase++].decay;
        const pbs_status status = use_integrator(scene);
        if (status < 0) {
            return status;
        }
    }
    return pbs_world_step(scene->world, scene->step);
}

// --- reading ---

double eci_contact_energy(const struct eci_contact *scene) {
    pbs_energy energy = {.struct_size = sizeof energy};
    return pbs_world_energy(scene->world, &energy) < 0 ? NAN : energy.total + scene->height_energy;
}

static void mean(const struct eci_contact_body *body, const double *xyz, double out[3]) {
    double mass = 0.0;
    memset(out, 0, 3 * sizeof *out);
    for (size_t v = 0; v < body->vertex_count; v++) {
        mass += body->masses[v];
        for (size_t k = 0; k < 3; k++) {
            out[k] += body->masses[v] * xyz[3 * v + k];
        }
    }
    for (size_t k = 0; k < 3; k++) {
        out[k] /= mass;
    }
}

void eci_contact_center(const struct eci_contact *scene, size_t body, double out[3]) {
    const struct eci_contact_body *b = scene->bodies + body;
    mean(b, pbs_body_positions(scene->world, b->id), out);
}

void eci_contact_velocity(const struct eci_contact *scene, size_t body, double out[3]) {
    const struct eci_contact_body *b = scene->bodies + body;
    mean(b, pbs_body_velocities(scene->world, b->id), out);
}

double eci_contact_lowest(const struct eci_contact *scene, size_t body) {
    const struct eci_contact_body *b = scene->bodies + body;
    const double *x = pbs_body_positions(scene->world, b->id);
    double lowest = INFINITY;
    for (size_t v = 0; v < b->vertex_count; v++) {
        lowest = fmin(lowest, x[3 * v + 1]);
    }
    return lowest;
}

double eci_contact_least_jacobian(const struct eci_contact *scene) {
    double least = 1.0;
    for (size_t b = 0; b < scene->body_count; b++) {
        const struct tet_mesh *rest = &scene->bodies[b].rest;
        struct tet_mesh now = *rest;
        now.positions = (double *)(uintptr_t)pbs_body_positions(scene->world, scene->bodies[b].id);
        for (size_t t = 0; t < rest->tet_count; t++) {
            least = fmin(least, tet_volume(&now, t) / tet_volume(rest, t));
        }
    }
    return least;
}

double eci_membrane_mode(const struct eci_contact *scene, const double *xyz) {
    const struct eci_contact_body *body = scene->bodies;
    double product = 0.0, norm = 0.0;
    for (size_t v = 0; v < body->vertex_count; v++) {
        const double shape = eci_mode_at(body->initial + 3 * v);
        product += body->masses[v] * shape * xyz[3 * v + 1];
        norm += body->masses[v] * shape * shape;
    }
    return product / norm;
}
