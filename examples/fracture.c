// Bonded bodies that break: the scenes of BDEM by name, a wall that is hit, or a mesh file that is
// dropped. Writes NAME.html, .png, _sheet.png and .glb, with fragments in different colours and
// crack faces in paler ones, and NAME_energy.csv with energies and the numbers of broken bonds and
// fragments over time.
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/mesh_files/mesh_reader.h"
#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "common/program/interrupt.h"
#include "common/recording/debris.h"
#include "common/scenes/fracture_scene.h"

struct settings {
    const char *mesh, *scheme, *out, *name;
    double detail, size, young, strength, speed, step;
    int64_t frames, threads, seed;
};

static const struct {
    const char *name;
    int32_t scheme;
} schemes[] = {
    {"implicit-euler", PBS_SCHEME_IMPLICIT_EULER},
    {"bdf2", PBS_SCHEME_BDF2},
    {"tr-bdf2", PBS_SCHEME_TR_BDF2},
    {"midpoint", PBS_SCHEME_IMPLICIT_MIDPOINT},
    {"a-search", PBS_SCHEME_A_SEARCH},
    {"explicit", PBS_SCHEME_VELOCITY_VERLET},
};

static bool find_scheme(const char *name, int32_t *scheme) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (strcmp(schemes[i].name, name) == 0) {
            *scheme = schemes[i].scheme;
            return true;
        }
    }
    return false;
}

static void list_scenes(void) {
    printf("Scenes:\n");
    for (size_t i = 0; fracture_scene_name(i) != NULL; i++) {
        printf("  %-12s %s\n", fracture_scene_name(i), fracture_scene_purpose(i));
    }
}

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"mesh", COMMAND_TEXT, &s->mesh, "FILE",
         "what drops and breaks: tetrahedra, or the closed surface of an .obj"},
        {"detail", COMMAND_NUMBER, &s->detail, "X",
         "particles relative to the paper's; 0 is a tenth"},
        {"size", COMMAND_NUMBER, &s->size, "S",
         "largest side in metres; 0 is the scene's own, or keeps the mesh's"},
        {"young", COMMAND_NUMBER, &s->young, "E", "Young's modulus of bonds, Pa; 0: the scene's"},
        {"strength", COMMAND_NUMBER, &s->strength, "P",
         "at which bonds break, Pa; 0: the scene's; negative: never"},
        {"speed", COMMAND_NUMBER, &s->speed, "V",
         "of the fall or of the ball, m/s; 0: the scene's"},
        {"dt", COMMAND_NUMBER, &s->step, "H", "seconds per step, which is a frame; 0: the scene's"},
        {"scheme", COMMAND_TEXT, &s->scheme, "NAME",
         "implicit-euler, bdf2, tr-bdf2, midpoint, a-search or explicit"},
        {"seed", COMMAND_COUNT, &s->seed, "N", "of the mesh's jitter and of the strengths"},
        {"frames", COMMAND_COUNT, &s->frames, "N", "how many frames"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads; 0 is one per processor"},
        {"out", COMMAND_TEXT, &s->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &s->name, "NAME", "first part of the files' names"},
    };
    return command_line_or_exit(argc, argv, "Bonded bodies that break: fracture SCENE, or --mesh.",
                                options, sizeof options / sizeof *options, exit_status);
}

static void print_progress(const struct fracture_scene *scene, const struct debris *debris,
                           int64_t frame, int64_t frames) {
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(scene->world, &stats);
    printf("frame %3lld/%lld  t %7.4f s  step %8.2f ms  newton %4u  cg %6u  broken %6zu  "
           "fragments %5zu\n",
           (long long)frame, (long long)frames, pbs_world_time(scene->world),
           1e3 * stats.time.total, stats.newton.iterations, stats.linear.iterations,
           debris_broken(debris), debris_fragments(debris));
    fflush(stdout);
}

static bool play(const struct settings *s, struct fracture_scene *scene, struct debris *debris,
                 struct message *message) {
    interrupt_catch();
    for (int64_t frame = 1; frame <= s->frames && !interrupt_was_requested(); frame++) {
        if (fracture_scene_step(scene) < 0) {
            return message_fail(message, "frame %lld: %s", (long long)frame, pbs_last_error());
        }
        if (!debris_add_frame(debris, message)) {
            return false;
        }
        print_progress(scene, debris, frame, s->frames);
    }
    return true;
}

/// Fills a surface with about `detail` times a hundred thousand tetrahedra, five per cube of the
/// spacing.
static bool fill_surface(const struct settings *s, const struct surface_mesh *surface,
                         struct tet_mesh *mesh) {
    const double share = s->detail > 0.0 ? s->detail : 0.1;
    double volume = 0.0;
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *v = surface->triangles + 3 * t;
        const double *a = surface->positions + 3 * (size_t)v[0];
        const double *b = surface->positions + 3 * (size_t)v[1];
        const double *c = surface->positions + 3 * (size_t)v[2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6.0;
    }
    return volume > 0.0 && shape_fill(surface, cbrt(12.0 * volume / (1e5 * share)), mesh) &&
           mesh->tet_count > 0;
}

/// Reads a mesh of tetrahedra, or fills the closed surface of an .obj file.
static bool read_mesh(const struct settings *s, struct tet_mesh *mesh) {
    struct mesh_report report;
    const struct mesh_read_options options = {.drop_unused = true};
    const size_t length = strlen(s->mesh);
    if (length < 4 || strcmp(s->mesh + length - 4, ".obj") != 0) {
        const bool read = mesh_read_tets(s->mesh, &options, mesh, &report);
        mesh_report_print(&report, stderr);
        return read;
    }
    struct surface_mesh surface = {0};
    const bool read = mesh_read_surface(s->mesh, &options, &surface, &report);
    mesh_report_print(&report, stderr);
    const bool filled = read && fill_surface(s, &surface, mesh);
    surface_mesh_free(&surface);
    return filled;
}

/// Runs a scene that has been created. A run that fails still writes the frames that it has
/// recorded.
static bool show(const struct settings *s, struct fracture_scene *scene, struct message *message) {
    struct message written = {{0}};
    const struct debris_bodies bodies = {.world = scene->world,
                                         .bonded = scene->body,
                                         .mesh = &scene->mesh,
                                         .other = scene->ball,
                                         .has_ground = scene->has_ground};
    struct debris *debris = debris_create(&bodies, message);
    const bool played = debris != NULL && play(s, scene, debris, message);
    const bool saved = debris != NULL &&
                       debris_write(debris, 1.0 / scene->step, s->out, s->name, &written);
    if (played && !saved) {
        *message = written;
    }
    debris_destroy(debris);
    return played && saved;
}

static bool fracture(const char *name, const struct settings *s, struct message *message) {
    struct fracture_setup setup = {.scene = name,
                                   .detail = s->detail > 0.0 ? s->detail : 0.1,
                                   .size = s->size,
                                   .young = s->young,
                                   .strength = s->strength,
                                   .speed = s->speed,
                                   .step = s->step,
                                   .threads = (int32_t)s->threads,
                                   .seed = (uint64_t)s->seed};
    struct fracture_scene scene = {0};
    struct tet_mesh mesh = {0};
    if (!find_scheme(s->scheme, &setup.scheme)) {
        return message_fail(message, "--scheme: there is no \"%s\"", s->scheme);
    }
    if (s->step < 0.0 || s->size < 0.0 || s->young < 0.0) {
        return message_fail(message, "--dt, --size and --young: must not be negative");
    }
    if (s->mesh != NULL && !read_mesh(s, &mesh)) {
        return message_fail(message, "no mesh to drop");
    }
    setup.mesh = &mesh;
    bool done = fracture_scene_make(&setup, &scene, message);
    if (done) {
        printf("%s: %zu particles, %.3g m, E = %g Pa, steps of %g s\n", name, scene.mesh.tet_count,
               scene.size, scene.young, scene.step);
        done = show(s, &scene, message);
    }
    fracture_scene_free(&scene);
    tet_mesh_free(&mesh);
    return done;
}

int main(int argc, char **argv) {
    struct settings settings = {
        .scheme = "implicit-euler", .out = "demo", .name = NULL, .frames = 60, .seed = 1};
    int exit_status = 0;
    // The first argument may be the name of a scene.
    const bool named = argc > 1 && argv[1][0] != '-';
    const char *scene = named ? argv[1] : "drop";
    if (named) {
        argv[1] = argv[0];
    }
    if (!read_settings(named ? argc - 1 : argc, named ? argv + 1 : argv, &settings, &exit_status)) {
        list_scenes();
        return exit_status;
    }
    if (!named && settings.mesh == NULL) {
        scene = "chocolate";
    }
    settings.name = settings.name != NULL ? settings.name : scene;
    struct message message = {{0}};
    const bool done = fracture(scene, &settings, &message);
    if (!done) {
        fprintf(stderr, "fracture: %s\n", message.text);
    } else {
        printf("wrote %s/%s.html, .png, _sheet.png, .glb and _energy.csv\n", settings.out,
               settings.name);
    }
    return done ? 0 : 1;
}
