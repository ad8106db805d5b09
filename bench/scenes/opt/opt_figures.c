// Runs the scenes of opt_figures.h. The rows are in opt_rows.c.
// SPDX-License-Identifier: MIT
#include "scenes/opt/opt_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes/checkpoint.h"
#include "scenes/opt/opt_distance.h"

#define FRAME (1.0 / 24.0)

void opt_options_init(struct opt_options *options) {
    *options = (struct opt_options){.method = PBS_METHOD_STABILIZED_NEWTON, .threads = 1};
}

bool opt_find(const char *name, const struct opt_row **row) {
    for (size_t i = 0; i < opt_row_count; i++) {
        if (strcmp(opt_rows[i].name, name) == 0) {
            *row = &opt_rows[i];
            return true;
        }
    }
    return false;
}

static pbs_status create_world(struct opt_scene *scene) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    pbs_world_desc_init(&d, sizeof d);
    pbs_expert_desc_init(&expert, sizeof expert);
    d.expert = &expert;
    d.contact = PBS_CONTACT_PROJECTION;
    d.divisions = 0;
    d.body_contact = scene->row->touches && !scene->options.without_self ? PBS_BODY_CONTACT_PENALTY
                                                                         : PBS_BODY_CONTACT_NONE;
    d.gravity[1] = -9.81;
    d.threads = scene->options.threads;
    expert.method = scene->options.method;
    // Plain Newton converges within a few iterations or not at all.
    d.newton_limit = expert.method == PBS_METHOD_PLAIN_NEWTON ? 60 : 500;
    return pbs_world_create(&d, &scene->world);
}

pbs_status opt_create(const struct opt_row *row, const struct opt_options *options,
                      struct opt_scene *out) {
    *out = (struct opt_scene){.row = row, .options = *options};
    out->steps_per_frame = options->steps_per_frame > 0 ? options->steps_per_frame
                                                        : row->steps_per_frame;
    out->measures.least_distance = INFINITY;
    out->status = create_world(out);
    if (out->status >= 0) {
        row->fill(out);
    }
    return out->status;
}

void opt_free(struct opt_scene *scene) {
    pbs_world_destroy(scene->world);
    for (size_t b = 0; b < scene->body_count; b++) {
        tet_mesh_free(&scene->bodies[b].rest);
    }
    for (size_t i = 0; i < OPT_OBSTACLES; i++) {
        surface_mesh_free(&scene->obstacles[i].surface);
    }
    free(scene->bodies);
    free(scene->held);
    free(scene->targets);
    free(scene->contacts);
    *scene = (struct opt_scene){0};
}

// --- measuring ---

static size_t count_inverted(const struct opt_scene *scene) {
    size_t count = 0;
    for (size_t b = 0; b < scene->body_count; b++) {
        const struct tet_mesh *rest = &scene->bodies[b].rest;
        const double *x = pbs_body_positions(scene->world, scene->bodies[b].id);
        const struct tet_mesh now = {rest->vertex_count, (double *)(uintptr_t)x, rest->tet_count,
                                     rest->tets};
        for (size_t t = 0; t < rest->tet_count; t++) {
            count += tet_volume(&now, t) <= 0.0;
        }
    }
    return count;
}

static double edge(const double *x, uint32_t a, uint32_t b) {
    const double *p = x + 3 * (size_t)a, *q = x + 3 * (size_t)b;
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

static double edge_strain(const struct opt_scene *scene) {
    static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    double most = 0.0;
    for (size_t b = 0; b < scene->body_count; b++) {
        const struct tet_mesh *rest = &scene->bodies[b].rest;
        const double *x = pbs_body_positions(scene->world, scene->bodies[b].id);
        for (size_t k = 0; k < 6 * rest->tet_count; k++) {
            const uint32_t *v = rest->tets + 4 * (k / 6);
            const uint32_t a = v[edges[k % 6][0]], c = v[edges[k % 6][1]];
            most = fmax(most, fabs(edge(x, a, c) / edge(rest->positions, a, c) - 1.0));
        }
    }
    return most;
}

static double least_distance(const struct opt_scene *scene) {
    double least = INFINITY;
    for (size_t b = 0; b < scene->body_count; b++) {
        const double *x = pbs_body_positions(scene->world, scene->bodies[b].id);
        for (size_t i = 0; i < scene->bodies[b].rest.vertex_count; i++) {
            for (size_t o = 0; o < scene->obstacle_count; o++) {
                least = fmin(least, opt_distance(&scene->obstacles[o], x + 3 * i));
            }
        }
    }
    return least;
}

/// Reads all contacts of the last step into scene->contacts. Returns their number.
static size_t read_contacts(struct opt_scene *scene) {
    size_t count = 0;
    pbs_status status = pbs_world_contacts(scene->world, NULL, sizeof(pbs_contact), &count);
    if (status >= 0 && count > scene->contact_capacity) {
        free(scene->contacts);
        scene->contact_capacity = 2 * count;
        scene->contacts = malloc(scene->contact_capacity * sizeof *scene->contacts);
        status = scene->contacts == NULL ? PBS_ERROR_MEMORY : PBS_OK;
    }
    if (status >= 0 && count > 0) {
        status = pbs_world_contacts(scene->world, scene->contacts, sizeof(pbs_contact), &count);
    }
    scene->status = status < 0 ? status : scene->status;
    return status < 0 ? 0 : count;
}

static double depth_in_colliders(struct opt_scene *scene) {
    const size_t count = read_contacts(scene);
    double depth = 0.0;
    for (size_t i = 0; i < count; i++) {
        const pbs_contact *contact = &scene->contacts[i];
        if (contact->first.collider.id != 0 || contact->second.collider.id != 0) {
            depth = fmax(depth, -contact->gap);
        }
    }
    return depth;
}

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Measures the state at the end of a frame.
static void measure(struct opt_scene *scene) {
    struct opt_measures *m = &scene->measures;
    pbs_energy energy = {.struct_size = sizeof energy};
    pbs_world_energy(scene->world, &energy);
    m->kinetic = energy.kinetic;
    m->most_kinetic = fmax(m->most_kinetic, energy.kinetic);
    m->inverted = count_inverted(scene);
    m->most_inverted = m->inverted > m->most_inverted ? m->inverted : m->most_inverted;
    if (scene->obstacle_count > 0 && !scene->options.penalty) {
        m->least_distance = fmin(m->least_distance, least_distance(scene));
    }
}

pbs_status opt_step(struct opt_scene *scene) {
    const double h = FRAME / scene->steps_per_frame;
    struct opt_measures *m = &scene->measures;
    scene->time = (m->steps + 1) * h;
    if (scene->row->script != NULL) {
        scene->row->script(scene, scene->time);
    }
    const double start = seconds_now();
    if (scene->status >= 0) {
        scene->status = pbs_world_step(scene->world, h);
    }
    m->seconds += seconds_now() - start;
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(scene->world, &stats);
    m->solves += stats.linear.solves;
    m->deepest = fmax(m->deepest, stats.contact.deepest_penetration);
    if (scene->status >= 0) {
        m->steps++;
        m->deepest_in_collider = fmax(m->deepest_in_collider, depth_in_colliders(scene));
        if (scene->row->after != NULL) {
            scene->row->after(scene);
        }
    }
    return scene->status;
}

/// Prints the progress of a frame to standard error; some scenes take hours.
static void tell_progress(const struct opt_scene *scene) {
    const struct opt_measures *m = &scene->measures;
    fprintf(
        stderr,
        "figure %s: frame %d, %.2f solves a step, %.0f s, deepest %.3g, in colliders %.3g, least "
        "distance %.2e, inverted %zu, kinetic energy %.4g J\n",
        scene->row->name, m->steps / scene->steps_per_frame, (double)m->solves / m->steps,
        m->seconds, m->deepest, m->deepest_in_collider, m->least_distance, m->inverted, m->kinetic);
}

static void take_frame(struct opt_scene *scene) {
    for (int i = 0; i < scene->steps_per_frame && scene->status >= 0; i++) {
        opt_step(scene);
    }
    if (scene->status >= 0) {
        measure(scene);
        if (scene->options.progress) {
            tell_progress(scene);
        }
    }
}

/// Continues where a checkpoint was written, if one was. Ids are those of the world that was saved.
static void read_checkpoint(struct opt_scene *scene) {
    struct opt_measures measures;
    bool found = false;
    scene->status = checkpoint_read(scene->options.checkpoint, &measures, sizeof measures,
                                    scene->world, &found);
    if (scene->status < 0 || !found) {
        return;
    }
    scene->measures = measures;
    for (size_t b = 0; b < scene->body_count; b++) {
        scene->bodies[b].id = pbs_world_body_at(scene->world, b);
    }
    for (size_t o = 0; o < scene->obstacle_count; o++) {
        scene->obstacles[o].id = pbs_world_collider_at(scene->world, o);
    }
}

pbs_status opt_run(struct opt_scene *scene) {
    const struct opt_options *options = &scene->options;
    const struct opt_measures *m = &scene->measures;
    const int own = options->full ? scene->row->frames : scene->row->small_frames;
    const int frames = options->frames > 0 ? options->frames : own;
    const double seconds = options->seconds > 0.0 ? options->seconds : INFINITY;
    if (options->checkpoint != NULL && scene->status >= 0) {
        read_checkpoint(scene);
    }
    while (m->steps < frames * scene->steps_per_frame && scene->status >= 0 &&
           m->seconds < seconds) {
        take_frame(scene);
        if (options->checkpoint != NULL && scene->status >= 0) {
            checkpoint_write(options->checkpoint, m, sizeof *m, scene->world);
        }
    }
    scene->measures.edge_strain = edge_strain(scene);
    return scene->status;
}
