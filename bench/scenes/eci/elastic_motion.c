// Creates and runs the scenes of elastic_motion.h.
// SPDX-License-Identifier: MIT
#include "scenes/eci/elastic_motion.h"

#include <math.h>
#include <stdlib.h>

#include "common/meshes/shapes.h"

const char *const elastic_motion_names[MOTION_COUNT] = {"soft-cube", "stiff-cube", "twisted-bar"};

static const double YOUNG[MOTION_COUNT] = {5e4, 1e6, 1e5};
static const double EDGE = 0.1;           // m, edge length of the cube
static const double ANGULAR_SPEED = 15.0; // rad/s
static const double BAR[3] = {0.2, 0.1, 0.05};
static const double TWIST = 0.8; // rad, twist of the bar's free end
static const double BEND = 0.5;  // rad, bending angle of the bar's free end

static bool make_mesh(enum elastic_motion_kind kind, size_t cells, struct tet_mesh *mesh) {
    return kind == MOTION_TWISTED_BAR
               ? shape_box_grid(4 * cells, 2 * cells, cells, BAR[0], BAR[1], BAR[2], mesh)
               : shape_box_grid(cells, cells, cells, EDGE, EDGE, EDGE, mesh);
}

static void spin(const struct tet_mesh *mesh, double *velocities) {
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        velocities[3 * i] = -ANGULAR_SPEED * mesh->positions[3 * i + 1];
        velocities[3 * i + 1] = ANGULAR_SPEED * mesh->positions[3 * i];
    }
}

/// Rotates each cross-section about the bar's axis and moves it along an arc in the x-z plane.
static void twist_and_bend(const struct tet_mesh *mesh, double *positions) {
    const double radius = BAR[0] / BEND;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const double *p = mesh->positions + 3 * i;
        const double turn = TWIST * p[0] / BAR[0], arc = BEND * p[0] / BAR[0];
        const double y = p[1] - 0.5 * BAR[1], z = p[2] - 0.5 * BAR[2];
        const double side = cos(turn) * y - sin(turn) * z, up = sin(turn) * y + cos(turn) * z;
        positions[3 * i] = (radius - up) * sin(arc);
        positions[3 * i + 1] = 0.5 * BAR[1] + side;
        positions[3 * i + 2] = 0.5 * BAR[2] + radius - (radius - up) * cos(arc);
    }
}

/// Fixes the cube's edge along z at the origin, or the bar's end at x = 0.
static pbs_status pin(enum elastic_motion_kind kind, struct elastic_motion *motion) {
    const double slack = 1e-9;
    for (size_t i = 0; i < motion->mesh.vertex_count; i++) {
        const double *p = motion->mesh.positions + 3 * i;
        const uint32_t vertex = (uint32_t)i;
        if (p[0] < slack && (kind == MOTION_TWISTED_BAR || p[1] < slack)) {
            const pbs_status status = pbs_body_pin(motion->world, motion->body, &vertex, 1,
                                                   PBS_AXIS_ALL);
            if (status < 0) {
                return status;
            }
        }
    }
    return PBS_OK;
}

static pbs_status create_body(enum elastic_motion_kind kind, double *state,
                              struct elastic_motion *motion) {
    pbs_solid_desc d;
    pbs_solid_desc_init(&d, sizeof d);
    if (kind == MOTION_TWISTED_BAR) {
        twist_and_bend(&motion->mesh, state);
        d.initial_positions = state;
    } else {
        spin(&motion->mesh, state);
        d.initial_velocities = state;
    }
    d.material = PBS_MATERIAL_FIXED_COROTATED;
    d.vertex_count = motion->mesh.vertex_count;
    d.positions = motion->mesh.positions;
    d.tet_count = motion->mesh.tet_count;
    d.tets = motion->mesh.tets;
    d.young = YOUNG[kind];
    d.poisson = 0.3;
    const pbs_status status = pbs_body_create_solid(motion->world, &d, &motion->body);
    return status < 0 ? status : pin(kind, motion);
}

static pbs_status create_world(int32_t threads, pbs_integrator *integrator, pbs_world **world) {
    pbs_world_desc d;
    pbs_world_desc_init(&d, sizeof d);
    d.contact = PBS_CONTACT_PROJECTION;
    d.divisions = 0;
    d.gravity[1] = -9.8;
    d.threads = threads;
    const pbs_status status = pbs_world_create(&d, world);
    return status < 0 ? status : pbs_world_set_integrator(*world, integrator);
}

pbs_status elastic_motion_create(enum elastic_motion_kind kind, size_t cells, int32_t threads,
                                 pbs_integrator *integrator, struct elastic_motion *out) {
    *out = (struct elastic_motion){0};
    if (!make_mesh(kind, cells, &out->mesh)) {
        return PBS_ERROR_MEMORY;
    }
    double *state = calloc(3 * out->mesh.vertex_count, sizeof *state);
    pbs_status status = state != NULL ? create_world(threads, integrator, &out->world)
                                      : PBS_ERROR_MEMORY;
    if (status >= 0) {
        status = create_body(kind, state, out);
    }
    free(state);
    if (status < 0) {
        elastic_motion_free(out);
    }
    return status;
}

void elastic_motion_free(struct elastic_motion *motion) {
    pbs_world_destroy(motion->world);
    tet_mesh_free(&motion->mesh);
    *motion = (struct elastic_motion){0};
}

double elastic_motion_angular_momentum(const struct elastic_motion *motion,
                                       enum elastic_motion_kind kind) {
    const double *x = pbs_body_positions(motion->world, motion->body);
    const double *v = pbs_body_velocities(motion->world, motion->body);
    const double *mass = pbs_body_masses(motion->world, motion->body);
    const bool bar = kind == MOTION_TWISTED_BAR;
    const size_t a = bar ? 1 : 0, b = a + 1;
    const double origin[2] = {bar ? 0.5 * BAR[1] : 0.0, bar ? 0.5 * BAR[2] : 0.0};
    double sum = 0.0;
    for (size_t i = 0; i < motion->mesh.vertex_count; i++) {
        sum += mass[i] * ((x[3 * i + a] - origin[0]) * v[3 * i + b] -
                          (x[3 * i + b] - origin[1]) * v[3 * i + a]);
    }
    return sum;
}

double elastic_motion_energy(const struct elastic_motion *motion) {
    pbs_energy energy = {.struct_size = sizeof energy};
    return pbs_world_energy(motion->world, &energy) < 0 ? NAN : energy.total;
}

// --- series ---

static void take_frame(const struct elastic_motion *motion, enum elastic_motion_kind kind,
                       struct motion_series *out) {
    out->energy[out->frames] = elastic_motion_energy(motion);
    out->momentum[out->frames] = elastic_motion_angular_momentum(motion, kind);
    out->frames++;
}

static pbs_status step_frame(const struct elastic_motion *motion, int steps,
                             struct motion_series *out) {
    for (int i = 0; i < steps; i++) {
        out->status = pbs_world_step(motion->world, 1.0 / (MOTION_FRAME_RATE * steps));
        pbs_stats stats = {.struct_size = sizeof stats};
        pbs_world_stats(motion->world, &stats);
        out->newton_iterations += stats.newton.iterations;
        if (out->status < 0) {
            break;
        }
    }
    return out->status;
}

pbs_status motion_series_run(enum elastic_motion_kind kind, size_t cells, int32_t threads,
                             const pbs_integrator_desc *d, int steps_per_frame, size_t frames,
                             struct motion_series *out) {
    *out = (struct motion_series){.energy = calloc(frames, sizeof *out->energy),
                                  .momentum = calloc(frames, sizeof *out->momentum)};
    pbs_integrator *integrator = NULL;
    struct elastic_motion motion = {0};
    pbs_status status = out->energy != NULL && out->momentum != NULL
                            ? pbs_integrator_create(d, &integrator)
                            : PBS_ERROR_MEMORY;
    if (status >= 0) {
        status = elastic_motion_create(kind, cells, threads, integrator, &motion);
    }
    pbs_integrator_destroy(integrator);
    if (status < 0) {
        motion_series_free(out);
        return status;
    }
    take_frame(&motion, kind, out);
    while (out->frames < frames && step_frame(&motion, steps_per_frame, out) >= 0) {
        take_frame(&motion, kind, out);
    }
    elastic_motion_free(&motion);
    return PBS_OK;
}

void motion_series_free(struct motion_series *series) {
    free(series->energy);
    free(series->momentum);
    *series = (struct motion_series){0};
}

double motion_series_distance(const struct motion_series *a, const struct motion_series *b) {
    double sum = 0.0, scale = 0.0;
    for (size_t i = 0; i < a->frames && i < b->frames; i++) {
        sum += (a->momentum[i] - b->momentum[i]) * (a->momentum[i] - b->momentum[i]);
        scale += b->momentum[i] * b->momentum[i];
    }
    return sqrt(sum / scale);
}
