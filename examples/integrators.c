// Shows one elastic body with several integrators side by side at the same step, to compare how
// much of the motion each preserves. Writes NAME.html, .png, _sheet.png, .glb and _energy.csv, with
// a column of total energy for each integrator.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/program/command_line.h"
#include "common/program/interrupt.h"
#include "common/recording/recording.h"
#include "scenes/eci/elastic_motion.h"

/// The integrators, from left to right.
static const struct {
    const char *name;
    int32_t scheme;
    float color[3];
} columns[] = {
    {"implicit Euler", PBS_SCHEME_IMPLICIT_EULER, {0.35f, 0.35f, 0.40f}},
    {"BDF2", PBS_SCHEME_BDF2, {0.15f, 0.35f, 0.75f}},
    {"SDIRK2", PBS_SCHEME_SDIRK2, {0.10f, 0.55f, 0.60f}},
    {"A-1", PBS_SCHEME_A_1, {0.80f, 0.45f, 0.10f}},
    {"A-search", PBS_SCHEME_A_SEARCH, {0.80f, 0.12f, 0.12f}},
    {"blending", PBS_SCHEME_ENERGY_BLENDING, {0.45f, 0.20f, 0.60f}},
    {"generalised-alpha", PBS_SCHEME_GENERALIZED_ALPHA, {0.20f, 0.55f, 0.15f}},
};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

struct settings {
    const char *scene, *out, *name;
    double dt;
    int64_t frames, cells, threads;
};

struct gallery {
    struct elastic_motion motions[COLUMN_COUNT];
    bool failed[COLUMN_COUNT];
    size_t vertex_count;   ///< of one body
    double *positions;     ///< of all bodies
    uint32_t *triangles;   ///< of all bodies
    size_t triangle_count; ///< of one body
};

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &s->scene, "NAME", "soft-cube, stiff-cube or twisted-bar"},
        {"dt", COMMAND_NUMBER, &s->dt, "H", "seconds per step, which is a frame"},
        {"frames", COMMAND_COUNT, &s->frames, "N", "how many frames"},
        {"cells", COMMAND_COUNT, &s->cells, "N", "cells along the shortest edge"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads; 0 is one per processor"},
        {"out", COMMAND_TEXT, &s->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &s->name, "NAME", "first part of the files' names"},
    };
    return command_line_or_exit(argc, argv,
                                "Moves one elastic body with several integrators, side by side.",
                                options, sizeof options / sizeof *options, exit_status);
}

static bool find_scene(const char *name, enum elastic_motion_kind *kind) {
    for (int i = 0; i < MOTION_COUNT; i++) {
        if (strcmp(elastic_motion_names[i], name) == 0) {
            *kind = (enum elastic_motion_kind)i;
            return true;
        }
    }
    return false;
}

// The gallery
// ---------------------------------------------------------------------------------------------

static bool create_motion(enum elastic_motion_kind kind, const struct settings *s, int32_t scheme,
                          struct elastic_motion *motion, struct message *message) {
    pbs_integrator_desc desc;
    pbs_integrator *integrator = NULL;
    pbs_status status = pbs_integrator_desc_init(&desc, sizeof desc, scheme);
    if (status >= 0) {
        status = pbs_integrator_create(&desc, &integrator);
    }
    if (status >= 0) {
        status = elastic_motion_create(kind, (size_t)s->cells, (int32_t)s->threads, integrator,
                                       motion);
    }
    pbs_integrator_destroy(integrator);
    return status >= 0 || message_fail(message, "%s", pbs_last_error());
}

static bool copy_triangles(struct gallery *gallery, struct message *message) {
    const uint32_t *triangles;
    const struct elastic_motion *first = &gallery->motions[0];
    if (pbs_body_surface(first->world, first->body, &triangles, &gallery->triangle_count) < 0) {
        return message_fail(message, "surface: %s", pbs_last_error());
    }
    const size_t count = 3 * gallery->triangle_count;
    gallery->vertex_count = first->mesh.vertex_count;
    gallery->triangles = calloc(COLUMN_COUNT * count, sizeof *gallery->triangles);
    gallery->positions = calloc(3 * COLUMN_COUNT * gallery->vertex_count,
                                sizeof *gallery->positions);
    if (gallery->triangles == NULL || gallery->positions == NULL) {
        return message_fail(message, "out of memory");
    }
    for (size_t i = 0; i < COLUMN_COUNT * count; i++) {
        gallery->triangles[i] = triangles[i % count] +
                                (uint32_t)(i / count * gallery->vertex_count);
    }
    return true;
}

static bool gallery_make(enum elastic_motion_kind kind, const struct settings *s,
                         struct gallery *gallery, struct message *message) {
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        if (!create_motion(kind, s, columns[c].scheme, &gallery->motions[c], message)) {
            return false;
        }
    }
    return copy_triangles(gallery, message);
}

static void gallery_free(struct gallery *gallery) {
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        elastic_motion_free(&gallery->motions[c]);
    }
    free(gallery->positions);
    free(gallery->triangles);
}

// The run
// ---------------------------------------------------------------------------------------------

static const double SPACING = 0.32; // metres between columns

static bool add_frame(struct gallery *gallery, struct recording *recording,
                      struct message *message) {
    double energies[COLUMN_COUNT];
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        const struct elastic_motion *motion = &gallery->motions[c];
        double *to = gallery->positions + 3 * c * gallery->vertex_count;
        memcpy(to, pbs_body_positions(motion->world, motion->body),
               3 * gallery->vertex_count * sizeof *to);
        positions_translate(to, gallery->vertex_count, SPACING * (double)c, 0.0, 0.0);
        energies[c] = elastic_motion_energy(motion);
    }
    const struct recording_frame frame = {.positions = gallery->positions, .energies = energies};
    return recording_add_frame(recording, &frame, message);
}

/// Steps all bodies. If a scheme's step fails, its body stays unchanged.
static void step_all(struct gallery *gallery, double dt) {
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        if (!gallery->failed[c] && pbs_world_step(gallery->motions[c].world, dt) < 0) {
            printf("%s stops at %g s: %s\n", columns[c].name,
                   pbs_world_time(gallery->motions[c].world), pbs_last_error());
            gallery->failed[c] = true;
        }
    }
}

static struct recording *create_recording(const struct settings *s, const struct gallery *gallery,
                                          struct message *message) {
    struct picture_part parts[COLUMN_COUNT] = {{0}};
    const char *names[COLUMN_COUNT];
    float colors[COLUMN_COUNT][3];
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        names[c] = columns[c].name;
        parts[c].first_triangle = c * gallery->triangle_count;
        parts[c].triangle_count = gallery->triangle_count;
        memcpy(parts[c].color, columns[c].color, sizeof parts[c].color);
        memcpy(colors[c], columns[c].color, sizeof colors[c]);
    }
    const struct recording_desc desc = {
        .title = s->name,
        .frame_rate = 1.0 / s->dt,
        .vertex_count = COLUMN_COUNT * gallery->vertex_count,
        .triangles = gallery->triangles,
        .triangle_count = COLUMN_COUNT * gallery->triangle_count,
        .parts = parts,
        .part_count = COLUMN_COUNT,
        .energy_names = names,
        .energy_count = COLUMN_COUNT,
        .energy_colors = (const float(*)[3])colors,
    };
    return recording_create(&desc, message);
}

static bool run(const struct settings *s, struct gallery *gallery, struct message *message) {
    struct recording *recording = create_recording(s, gallery, message);
    bool done = recording != NULL && add_frame(gallery, recording, message);
    interrupt_catch();
    for (int64_t frame = 1; frame <= s->frames && done && !interrupt_was_requested(); frame++) {
        step_all(gallery, s->dt);
        done = add_frame(gallery, recording, message);
    }
    for (size_t c = 0; c < COLUMN_COUNT && done; c++) {
        printf("%-18s energy %8.4f J after %g s\n", columns[c].name,
               elastic_motion_energy(&gallery->motions[c]),
               pbs_world_time(gallery->motions[c].world));
    }
    done = done && recording_write(recording, s->out, s->name, message);
    recording_destroy(recording);
    return done;
}

int main(int argc, char **argv) {
    struct settings s = {.scene = "soft-cube",
                         .out = "demo",
                         .name = "integrators",
                         .dt = 1.0 / 30.0,
                         .frames = 300,
                         .cells = 5};
    int exit_status;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct message message = {{0}};
    struct gallery gallery = {0};
    enum elastic_motion_kind kind;
    bool done = false;
    if (!find_scene(s.scene, &kind)) {
        message_fail(&message, "--scene: there is no \"%s\"", s.scene);
    } else if (!(s.dt > 0.0) || s.cells < 1) {
        message_fail(&message, "--dt and --cells: must be positive");
    } else {
        done = gallery_make(kind, &s, &gallery, &message) && run(&s, &gallery, &message);
    }
    gallery_free(&gallery);
    if (done) {
        printf("wrote %s/%s.html, .png, _sheet.png, .glb and _energy.csv\n", s.out, s.name);
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "integrators: %s\n", message.text);
    return EXIT_FAILURE;
}
