// Creates and loads the beams of concrete_beam.h. A support or a load acts on the two particles
// next to it. Supports are free to move along the beam, the load is not.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/concrete_beam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct concrete_beam_case concrete_beam_cases[CONCRETE_BEAMS] = {
    {.name = "half_notched",
     .length = 0.175,
     .depth = 0.05,
     .width = 0.05,
     .notch = 0.0875,
     .notch_depth = 0.025,
     .supports = {0.025, 0.15},
     .load = 0.0875,
     .gauge = 0.01,
     .young = 37e9,
     .fracture_energy = 143.2,
     .strength = 3.9e6,
     .initial = 0.22,
     .push = 1e-6,
     .last = 1.5e-4,
     .peak = {0.0, 933.0, 1114.0},
     .peak_opening = {0.018, 0.023},
     .after = {{0.05, 637.0, 896.0}, {0.1, 383.0, 644.0}}},
    {.name = "offset_notch",
     .length = 0.25,
     .depth = 0.08,
     .width = 0.05,
     .notch = 0.075,
     .notch_depth = 0.02,
     .supports = {0.025, 0.225},
     .load = 0.125,
     .gauge = 0.01,
     .young = 33.8e9,
     .fracture_energy = 125.2,
     .strength = 3.5e6,
     .initial = 0.4,
     .push = 1e-6,
     .last = 1.2e-4,
     .peak = {0.0, 4894.0, 5405.0},
     .peak_opening = {0.0186, 0.0211},
     .after = {{0.05, 3025.0, 3692.0}, {0.1, 1342.0, 2226.0}}}};

static pbs_world *make_world(int32_t threads) {
    pbs_world_desc settings;
    pbs_integrator_desc d;
    pbs_integrator *statics = NULL;
    pbs_world *world = NULL;
    if (pbs_world_desc_init(&settings, sizeof settings) < 0 ||
        pbs_integrator_desc_init(&d, sizeof d, PBS_SCHEME_QUASI_STATIC) < 0) {
        return NULL;
    }
    memset(settings.gravity, 0, sizeof settings.gravity);
    settings.contact = PBS_CONTACT_PROJECTION;
    settings.threads = threads;
    if (pbs_integrator_create(&d, &statics) < 0) {
        return NULL;
    }
    if (pbs_world_create(&settings, &world) < 0 || pbs_world_set_integrator(world, statics) < 0) {
        pbs_world_destroy(world);
        world = NULL;
    }
    pbs_integrator_destroy(statics);
    return world;
}

static pbs_status add_body(struct concrete_beam *beam, double spacing,
                           const pbs_peridynamic_desc *given) {
    const struct concrete_beam_case *of = beam->of;
    const double box[6] = {0.0, 0.0, 0.0, of->length, of->depth, 0.0};
    // Slightly shorter, so that bonds through the notch tip stay intact independently of rounding.
    const double x = of->notch, y = of->notch_depth * (1.0 - 1e-9);
    const double notch[18] = {x, -1.0, -1.0, x, y, -1.0, x, y,    1.0,
                              x, -1.0, -1.0, x, y, 1.0,  x, -1.0, 1.0};
    pbs_peridynamic_desc d = *given;
    d.dimension = PBS_PERIDYNAMIC_PLANE_STRESS;
    d.box = box;
    d.spacing = spacing;
    d.section = of->width;
    d.density = 2346.0;
    d.young = of->young;
    d.fracture_energy = of->fracture_energy;
    d.tensile_strength = of->strength;
    d.softening_initial = d.softening_initial > 0.0 ? d.softening_initial : of->initial;
    const pbs_status status = pbs_body_create_peridynamic(beam->world, &d, &beam->body);
    return status < 0 ? status : pbs_body_cut_triangles(beam->world, beam->body, notch, 2, NULL);
}

/// Finds the two particles of a row next to x.
static void next_to(const struct concrete_beam *beam, double x, size_t row, uint32_t out[2]) {
    const double column = floor(x / beam->of->length * (double)beam->columns - 0.5 + 1e-9);
    out[0] = (uint32_t)(row * beam->columns + (size_t)column);
    out[1] = out[0] + 1;
}

static pbs_status hold(struct concrete_beam *beam) {
    next_to(beam, beam->of->supports[0], 0, beam->held);
    next_to(beam, beam->of->supports[1], 0, beam->held + 2);
    next_to(beam, beam->of->load, beam->rows - 1, beam->pushed);
    const pbs_status status = pbs_body_pin(beam->world, beam->body, beam->held, 4, PBS_AXIS_Y);
    return status < 0 ? status
                      : pbs_body_pin(beam->world, beam->body, beam->pushed, 2, PBS_AXIS_ALL);
}

bool concrete_beam_make(const struct concrete_beam_case *of, double spacing, int32_t threads,
                        const pbs_peridynamic_desc *d, struct concrete_beam *out) {
    *out = (struct concrete_beam){.of = of, .world = make_world(threads)};
    out->columns = (size_t)lround(of->length / spacing);
    out->rows = (size_t)lround(of->depth / spacing);
    out->forces = calloc(3 * out->columns * out->rows, sizeof *out->forces);
    if (out->world == NULL || out->forces == NULL || add_body(out, spacing, d) < 0 ||
        hold(out) < 0) {
        concrete_beam_free(out);
        return false;
    }
    return true;
}

/// Returns the displacement along the beam of the bottom at x.
static double moved(const struct concrete_beam *beam, double x) {
    const double spacing = beam->of->length / (double)beam->columns;
    const double *now = pbs_body_positions(beam->world, beam->body);
    uint32_t near[2];
    next_to(beam, x, 0, near);
    const double first = spacing * (near[0] + 0.5), share = (x - first) / spacing;
    return (1.0 - share) * (now[3 * (size_t)near[0]] - first) +
           share * (now[3 * (size_t)near[1]] - first - spacing);
}

pbs_status concrete_beam_push(struct concrete_beam *beam, struct beam_state *out) {
    const struct concrete_beam_case *of = beam->of;
    const size_t count = beam->columns * beam->rows;
    double targets[6];
    for (size_t i = 0; i < 2; i++) {
        memcpy(targets + 3 * i,
               pbs_body_positions(beam->world, beam->body) + 3 * (size_t)beam->pushed[i],
               3 * sizeof *targets);
        targets[3 * i + 1] -= of->push;
    }
    pbs_status status = pbs_body_set_targets(beam->world, beam->body, beam->pushed, 2, targets);
    status = status < 0 ? status : pbs_world_step(beam->world, 1.0);
    if (status >= 0) {
        status = pbs_body_constraint_forces(beam->world, beam->body, beam->forces, NULL, count);
    }
    if (status < 0) {
        return status;
    }
    beam->pushed_by += of->push;
    out->opening = moved(beam, of->notch + of->gauge) - moved(beam, of->notch - of->gauge);
    out->load = 0.0;
    for (size_t i = 0; i < 2; i++) {
        out->load -= beam->forces[3 * (size_t)beam->pushed[i] + 1];
    }
    return PBS_OK;
}

void concrete_beam_free(struct concrete_beam *beam) {
    pbs_world_destroy(beam->world);
    free(beam->forces);
    *beam = (struct concrete_beam){0};
}
