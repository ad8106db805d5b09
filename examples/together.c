// Stiff, soft and thin bodies in one world: a cloth that hangs by its corners catches a soft ring,
// three stiff dice, a soft ball and a smaller cloth. All settings except gravity are defaults.
// Writes NAME.html, .png, _sheet.png, .glb and _energy.csv.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <stdio.h>
#include <string.h>

#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "common/program/interrupt.h"
#include "common/recording/stage.h"

struct settings {
    const char *out, *name;
    int64_t frames, threads;
};

static const double FRAME = 1.0 / 60.0; // s, one step each

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"frames", COMMAND_COUNT, &s->frames, "N", "60 a second, a step each"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads; 0 is one per processor"},
        {"out", COMMAND_TEXT, &s->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &s->name, "NAME", "first part of the files' names"},
    };
    return command_line_or_exit(argc, argv, "Stiff, soft and thin bodies in one world.", options,
                                sizeof options / sizeof *options, exit_status);
}

// Bodies
// ----------------------------------------------------------------------------------------------

/// Adds a square cloth of `size` metres; hung: its corners are fixed.
static pbs_status add_cloth(pbs_world *world, size_t cells, double size, const double at[3],
                            bool hung, pbs_body *out) {
    struct surface_mesh sheet;
    if (!surface_sheet(cells, cells, size, size, &sheet)) {
        return PBS_ERROR_MEMORY;
    }
    positions_translate(sheet.positions, sheet.vertex_count, at[0], at[1], at[2]);
    pbs_shell_desc d;
    pbs_status status = pbs_shell_desc_init(&d, sizeof d);
    d.positions = sheet.positions;
    d.vertex_count = sheet.vertex_count;
    d.triangles = sheet.triangles;
    d.triangle_count = sheet.triangle_count;
    d.thickness = 5e-4;
    d.young = 2e6;
    d.bending_young = 2e7;
    d.density = 600.0;
    status = status >= 0 ? pbs_body_create_shell(world, &d, out) : status;
    const uint32_t side = (uint32_t)cells, last = (uint32_t)sheet.vertex_count - 1;
    const uint32_t corners[4] = {0, side, last - side, last};
    if (status >= 0 && hung) {
        status = pbs_body_pin(world, *out, corners, 4, PBS_AXIS_ALL);
    }
    surface_mesh_free(&sheet);
    return status;
}

static pbs_status add_soft(pbs_world *world, struct tet_mesh *mesh, const double at[3],
                           double young, pbs_body *out) {
    positions_translate(mesh->positions, mesh->vertex_count, at[0], at[1], at[2]);
    pbs_solid_desc d;
    pbs_status status = pbs_solid_desc_init(&d, sizeof d);
    d.positions = mesh->positions;
    d.vertex_count = mesh->vertex_count;
    d.tets = mesh->tets;
    d.tet_count = mesh->tet_count;
    d.young = young;
    status = status >= 0 ? pbs_body_create_solid(world, &d, out) : status;
    tet_mesh_free(mesh);
    return status;
}

static pbs_status add_die(pbs_world *world, const double at[3], const double spin[3],
                          pbs_body *out) {
    struct surface_mesh box;
    if (!surface_box(0.08, 0.08, 0.08, &box)) {
        return PBS_ERROR_MEMORY;
    }
    pbs_affine_desc d;
    pbs_status status = pbs_affine_desc_init(&d, sizeof d);
    d.positions = box.positions;
    d.vertex_count = box.vertex_count;
    d.triangles = box.triangles;
    d.triangle_count = box.triangle_count;
    memcpy(d.position, at, sizeof d.position);
    memcpy(d.angular_velocity, spin, sizeof d.angular_velocity);
    status = status >= 0 ? pbs_body_create_affine(world, &d, out) : status;
    surface_mesh_free(&box);
    return status;
}

// The scene
// ----------------------------------------------------------------------------------------------

enum { BODIES = 7 };

static pbs_status fill(pbs_world *world, pbs_body bodies[BODIES]) {
    static const double dice[3][3] = {{-0.06, 0.75, 0.16}, {0.16, 0.8, 0.02}, {0.05, 0.9, 0.12}};
    static const double spins[3][3] = {{2.0, 1.0, 0.5}, {-1.0, 2.0, 1.0}, {0.5, -1.0, 2.0}};
    static const double ring_at[3] = {0.0, 0.62, 0.0}, ball_at[3] = {0.02, 1.1, 0.13};
    static const double hammock_at[3] = {0.0, 0.5, 0.0}, cover_at[3] = {-0.22, 1.0, -0.16};
    struct tet_mesh ring, ball;
    if (!shape_torus(0.16, 0.05, 0.04, &ring)) {
        return PBS_ERROR_MEMORY;
    }
    if (!shape_ball(0.1, 0.045, &ball)) {
        tet_mesh_free(&ring);
        return PBS_ERROR_MEMORY;
    }
    pbs_collider_desc ground;
    pbs_collider id;
    pbs_status status = pbs_collider_desc_init(&ground, sizeof ground);
    status = status >= 0 ? pbs_collider_create(world, &ground, &id) : status;
    status = status >= 0 ? add_cloth(world, 24, 1.0, hammock_at, true, &bodies[0]) : status;
    const pbs_status ring_status = add_soft(world, &ring, ring_at, 5e4, &bodies[1]);
    const pbs_status ball_status = add_soft(world, &ball, ball_at, 2e4, &bodies[2]);
    status = status < 0 ? status : ring_status < 0 ? ring_status : ball_status;
    for (size_t i = 0; i < 3 && status >= 0; i++) {
        status = add_die(world, dice[i], spins[i], &bodies[3 + i]);
    }
    return status >= 0 ? add_cloth(world, 14, 0.36, cover_at, false, &bodies[6]) : status;
}

static bool play(const struct settings *s, pbs_world *world, struct stage *stage,
                 struct recording *recording, struct message *message) {
    bool done = stage_add_frame(stage, world, recording, message);
    interrupt_catch();
    for (int64_t frame = 1; frame <= s->frames && done && !interrupt_was_requested(); frame++) {
        if (pbs_world_step(world, FRAME) < 0) {
            return message_fail(message, "%g s: %s", pbs_world_time(world), pbs_last_error());
        }
        pbs_stats stats = {.struct_size = sizeof stats};
        pbs_world_stats(world, &stats);
        printf("frame %3lld  step %7.2f ms  newton %2u  contacts %4u\n", (long long)frame,
               1e3 * stats.time.total, stats.newton.iterations, stats.contact.active);
        done = stage_add_frame(stage, world, recording, message);
    }
    return done;
}

static bool record(const struct settings *s, pbs_world *world, struct message *message) {
    pbs_body bodies[BODIES];
    struct stage stage = {.has_ground = true};
    if (fill(world, bodies) < 0) {
        return message_fail(message, "%s", pbs_last_error());
    }
    bool done = true;
    for (size_t i = 0; i < BODIES && done; i++) {
        done = stage_add_body(&stage, world, bodies[i], message);
    }
    struct recording *recording = done ? stage_record(&stage, s->name, 1.0 / FRAME, message) : NULL;
    struct message written = {{0}};
    const bool played = recording != NULL && play(s, world, &stage, recording, message);
    const bool saved = recording != NULL && recording_write(recording, s->out, s->name, &written);
    if (played && !saved) {
        *message = written;
    }
    recording_destroy(recording);
    stage_free(&stage);
    return played && saved;
}

int main(int argc, char **argv) {
    struct settings s = {.out = "demo", .name = "together", .frames = 90};
    int exit_status = 0;
    if (!read_settings(argc, argv, &s, &exit_status)) {
        return exit_status;
    }
    struct message message = {{0}};
    pbs_world_desc d;
    pbs_world *world = NULL;
    pbs_world_desc_init(&d, sizeof d);
    d.gravity[1] = -9.81;
    d.threads = (int32_t)s.threads;
    const bool done = pbs_world_create(&d, &world) >= 0
                          ? record(&s, world, &message)
                          : message_fail(&message, "%s", pbs_last_error());
    pbs_world_destroy(world);
    if (done) {
        printf("wrote %s/%s.html, .png, _sheet.png, .glb and _energy.csv\n", s.out, s.name);
    } else {
        fprintf(stderr, "together: %s\n", message.text);
    }
    return done ? 0 : 1;
}
