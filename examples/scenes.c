// Runs ECI's contact scenes by name, the scenes of OPT's figures by name, or a scene from a text
// file. Writes NAME.html, .png, _sheet.png, .glb and _energy.csv.
//
//     scenes stairs --meshes DIR --full        a scene, with real meshes, at the paper's size
//     scenes opt_12_hole                       a torus is pushed through a hole
//     scenes my_scene.txt                      a scene file, see common/scenes/scene_file.h
// SPDX-License-Identifier: MIT
#include <pbs/pbs.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/meshes/shapes.h"
#include "common/program/command_line.h"
#include "common/program/interrupt.h"
#include "common/recording/stage.h"
#include "common/scenes/scene_world.h"
#include "scenes/eci/eci_contact.h"
#include "scenes/opt/opt_surface.h"

// Options
// --------------------------------------------------------------------------------------------

struct settings {
    const char *scene, *file, *scheme, *meshes, *out, *name;
    double step, decay;
    int64_t frames, threads;
    bool full;
};

#define SCENE_NAMES                                                                                \
    "ball_soft, ball_medium, ball_stiff, ball_affine, dice, stairs, trampoline, chain, splash, "   \
    "membrane, opt_1_bowl, opt_3_stretched, opt_4_pressed, opt_6_torus, opt_7_balls, "             \
    "opt_10_ball, opt_10_penalty, opt_10_moved_out, opt_12_hole, opt_13_squeezed and opt_14_stack"
#define SCHEME_NAMES "a-search, a-1, bdf2, implicit-euler, sdirk2, tr-bdf2 and blending"

static const struct {
    const char *name;
    int32_t id;
} schemes[] = {{"a-search", PBS_SCHEME_A_SEARCH},
               {"a-1", PBS_SCHEME_A_1},
               {"bdf2", PBS_SCHEME_BDF2},
               {"implicit-euler", PBS_SCHEME_IMPLICIT_EULER},
               {"sdirk2", PBS_SCHEME_SDIRK2},
               {"tr-bdf2", PBS_SCHEME_TR_BDF2},
               {"blending", PBS_SCHEME_ENERGY_BLENDING}};

static bool find_scheme(const char *name, int32_t *id) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (strcmp(schemes[i].name, name) == 0) {
            *id = schemes[i].id;
            return true;
        }
    }
    return false;
}

/// The scenes of OPT's figures, with their names here.
struct opt_name {
    const char *name, *row;
    bool penalty;   ///< obstacles are penalties instead of constraints
    bool post_step; ///< vertices are moved out of obstacles after each step instead
    int frames; ///< 0: as defined by the row; after 84 frames the torus only falls below the hole
};

static const struct opt_name opt_names[] = {
    {"opt_1_bowl", "1", false, false, 0},     {"opt_3_stretched", "3", false, false, 0},
    {"opt_4_pressed", "4", false, false, 0},  {"opt_6_torus", "6", false, false, 0},
    {"opt_7_balls", "7", false, false, 0},    {"opt_10_ball", "10", false, false, 0},
    {"opt_10_penalty", "10", true, false, 0}, {"opt_10_moved_out", "10", false, true, 0},
    {"opt_12_hole", "12", false, false, 84},  {"opt_13_squeezed", "13", false, false, 0},
    {"opt_14_stack", "14", false, false, 0}};

/// Returns null if no scene has this name.
static const struct opt_name *find_opt(const char *name) {
    for (size_t i = 0; i < sizeof opt_names / sizeof *opt_names; i++) {
        if (strcmp(opt_names[i].name, name) == 0) {
            return &opt_names[i];
        }
    }
    return NULL;
}

static bool read_settings(int argc, char **argv, struct settings *s, int *exit_status) {
    const struct command_option options[] = {
        {"scene", COMMAND_TEXT, &s->scene, "NAME", SCENE_NAMES "; also as the first argument"},
        {"file", COMMAND_TEXT, &s->file, "FILE",
         "a scene of one text file instead; also as the first argument"},
        {"meshes", COMMAND_TEXT, &s->meshes, "DIR",
         "bunny_7k.msh and the like; without them other shapes are made"},
        {"full", COMMAND_FLAG, &s->full, NULL, "the paper's size instead of a small one"},
        {"scheme", COMMAND_TEXT, &s->scheme, "NAME",
         SCHEME_NAMES "; a file and OPT's scenes have their own"},
        {"step", COMMAND_NUMBER, &s->step, "H",
         "seconds, 0 for 1/120; a file and OPT's scenes have their own"},
        {"decay", COMMAND_NUMBER, &s->decay, "TAU",
         "seconds, of the energy's target; 0 for the scene's own"},
        {"frames", COMMAND_COUNT, &s->frames, "N",
         "60 a second, or one a step where steps are longer; 0 for the whole scene"},
        {"threads", COMMAND_COUNT, &s->threads, "N", "threads; 0 is one per processor"},
        {"out", COMMAND_TEXT, &s->out, "DIR", "where the pictures go"},
        {"name", COMMAND_TEXT, &s->name, "NAME", "first part of the files' names"},
    };
    return command_line_or_exit(argc, argv, "Plays a scene in which bodies touch.", options,
                                sizeof options / sizeof *options, exit_status);
}

/// If the first argument is no option, it is the name of a scene or a file.
static void take_first(int *argc, char ***argv, struct settings *s) {
    enum eci_contact_kind kind;
    if (*argc < 2 || strncmp((*argv)[1], "--", 2) == 0) {
        return;
    }
    if (eci_contact_find((*argv)[1], &kind) || find_opt((*argv)[1]) != NULL) {
        s->scene = (*argv)[1];
    } else {
        s->file = (*argv)[1];
    }
    (*argv)[1] = (*argv)[0];
    (*argv)++;
    (*argc)--;
}

// The run
// ---------------------------------------------------------------------------------------------

/// A scene of any kind.
struct show {
    const char *name;
    pbs_world *world;
    double step;
    int64_t step_count; ///< number of steps of the whole scene
    pbs_status (*take_step)(void *scene);
    void *scene;
    struct stage stage;
};

static void print_progress(const struct show *show, int64_t frame, int64_t frames) {
    pbs_stats stats = {.struct_size = sizeof stats};
    pbs_world_stats(show->world, &stats);
    printf("frame %4lld/%lld  t %6.3f s  step %8.2f ms  newton %3u  contacts %5u  gap %.2g mm\n",
           (long long)frame, (long long)frames, pbs_world_time(show->world), 1e3 * stats.time.total,
           stats.newton.iterations, stats.contact.active,
           isfinite(stats.contact.least_gap) ? 1e3 * stats.contact.least_gap : 0.0);
    fflush(stdout);
}

static bool play(const struct settings *s, struct show *show, int64_t stride,
                 struct recording *recording, struct message *message) {
    const int64_t all = show->step_count / stride;
    const int64_t frames = s->frames > 0 ? s->frames : all;
    if (frames == 0) {
        return message_fail(message, "how long? neither --frames nor steps_total of the file");
    }
    if (!stage_add_frame(&show->stage, show->world, recording, message)) {
        // The energy is undefined if bodies overlap initially; the message of a step then names
        // them.
        return show->take_step(show->scene) < 0 && message_fail(message, "%s", pbs_last_error());
    }
    interrupt_catch();
    for (int64_t frame = 1; frame <= frames && !interrupt_was_requested(); frame++) {
        for (int64_t i = 0; i < stride; i++) {
            if (show->take_step(show->scene) < 0) {
                return message_fail(message, "%g s: %s", pbs_world_time(show->world),
                                    pbs_last_error());
            }
        }
        print_progress(show, frame, frames);
        if (!stage_add_frame(&show->stage, show->world, recording, message)) {
            return false;
        }
    }
    return true;
}

/// Runs a scene. A run that fails still writes the frames that it has recorded.
static bool run(const struct settings *s, struct show *show, struct message *message) {
    const double steps = round(1.0 / (60.0 * show->step));
    const int64_t stride = steps > 1.0 ? (int64_t)steps : 1;
    const char *name = s->name != NULL ? s->name : show->name;
    struct message written = {{0}};
    struct recording *recording = stage_record(&show->stage, name,
                                               1.0 / (show->step * (double)stride), message);
    if (recording == NULL) {
        return false;
    }
    const bool played = play(s, show, stride, recording, message);
    const bool saved = recording_write(recording, s->out, name, &written);
    if (saved) {
        printf("wrote %s/%s.html, .png, _sheet.png, .glb and _energy.csv\n", s->out, name);
    } else if (played) {
        *message = written;
    }
    recording_destroy(recording);
    return played && saved;
}

// ECI's scenes
// ----------------------------------------------------------------------------------------------

static pbs_status step_contact(void *scene) {
    return eci_contact_step(scene);
}

static bool show_contact(const struct settings *s, struct eci_contact *scene,
                         struct message *message) {
    enum eci_contact_kind kind;
    struct eci_contact_options options;
    eci_contact_options_init(&options);
    if (!eci_contact_find(s->scene, &kind)) {
        return message_fail(message, "--scene: there is no \"%.60s\", there are %s", s->scene,
                            SCENE_NAMES);
    }
    if (!find_scheme(s->scheme, &options.scheme)) {
        return message_fail(message, "--scheme: there is no \"%.60s\", there are %s", s->scheme,
                            SCHEME_NAMES);
    }
    if (s->step < 0.0 || s->decay < 0.0) {
        return message_fail(message, "--%s: must not be negative",
                            s->step < 0.0 ? "step" : "decay");
    }
    options.meshes = s->meshes;
    options.full = s->full;
    options.step = s->step;
    options.decay = s->decay;
    options.world.threads = (int32_t)s->threads;
    if (eci_contact_create(kind, &options, scene) < 0) {
        return message_fail(message, "%s", pbs_last_error());
    }
    struct show show = {.name = s->scene,
                        .world = scene->world,
                        .step = scene->step,
                        .step_count = (int64_t)round(scene->duration / scene->step),
                        .take_step = step_contact,
                        .scene = scene,
                        .stage = {.has_ground = scene->ground}};
    bool done = scene->obstacle.vertex_count == 0 ||
                stage_add_obstacle(&show.stage, &scene->obstacle, message);
    for (size_t b = 0; b < scene->body_count && done; b++) {
        done = stage_add_body(&show.stage, scene->world, scene->bodies[b].id, message);
    }
    if (scene->generated) {
        printf("without --meshes: shapes that are made here\n");
    }
    done = done && run(s, &show, message);
    stage_free(&show.stage);
    return done;
}

static bool play_contact(const struct settings *s, struct message *message) {
    struct eci_contact scene = {0};
    const bool done = show_contact(s, &scene, message);
    eci_contact_free(&scene);
    return done;
}

// OPT's scenes
// ----------------------------------------------------------------------------------------------

struct opt_show {
    struct opt_scene scene;
    struct surface_mesh rest[OPT_OBSTACLES]; ///< rest surface of each obstacle, in its frame
    struct surface_mesh now[OPT_OBSTACLES];  ///< present surface of each obstacle
};

static pbs_status step_opt(void *show) {
    struct opt_show *o = show;
    const pbs_status status = opt_step(&o->scene);
    for (size_t i = 0; i < o->scene.obstacle_count; i++) {
        opt_surface_place(&o->scene.obstacles[i], &o->rest[i], o->now[i].positions);
    }
    return status;
}

/// Adds an obstacle. Half-spaces are horizontal in all of these scenes, and drawn as the ground.
static bool add_opt_obstacle(struct stage *stage, struct opt_show *o, size_t i,
                             struct message *message) {
    const struct opt_obstacle *obstacle = &o->scene.obstacles[i];
    if (obstacle->desc.shape == PBS_SHAPE_HALF_SPACE) {
        stage->has_ground = true;
        stage->ground_height = obstacle->position[1];
        return true;
    }
    if (!opt_surface(obstacle, &o->rest[i]) || !surface_mesh_append(&o->now[i], &o->rest[i])) {
        return message_fail(message, "out of memory");
    }
    opt_surface_place(obstacle, &o->rest[i], o->now[i].positions);
    return stage_add_moving_obstacle(stage, &o->now[i], message);
}

static bool show_opt(const struct settings *s, const struct opt_name *name, struct opt_show *o,
                     struct message *message) {
    const struct opt_row *row;
    struct opt_options options;
    opt_options_init(&options);
    options.full = s->full;
    options.meshes = s->meshes;
    options.threads = (int32_t)s->threads;
    options.penalty = name->penalty;
    options.post_step = name->post_step;
    if (!opt_find(name->row, &row) || opt_create(row, &options, &o->scene) < 0) {
        const char *why = pbs_last_error();
        return message_fail(message, "%s cannot be made%s%s", name->name, *why != '\0' ? ": " : "",
                            why);
    }
    const int all = s->full ? row->frames : row->small_frames;
    const int frames = name->frames > 0 ? name->frames : all;
    struct show show = {.name = name->name,
                        .world = o->scene.world,
                        .step = 1.0 / (24.0 * o->scene.steps_per_frame),
                        .step_count = (int64_t)frames * o->scene.steps_per_frame,
                        .take_step = step_opt,
                        .scene = o};
    bool done = true;
    for (size_t b = 0; b < o->scene.body_count && done; b++) {
        done = stage_add_body(&show.stage, o->scene.world, o->scene.bodies[b].id, message);
    }
    for (size_t i = 0; i < o->scene.obstacle_count && done; i++) {
        done = add_opt_obstacle(&show.stage, o, i, message);
    }
    if (row->has_mesh && s->meshes == NULL) {
        printf("without --meshes: shapes that are made here\n");
    }
    done = done && run(s, &show, message);
    stage_free(&show.stage);
    return done;
}

static bool play_opt(const struct settings *s, const struct opt_name *name,
                     struct message *message) {
    struct opt_show *o = calloc(1, sizeof *o);
    if (o == NULL) {
        return message_fail(message, "out of memory");
    }
    const bool done = show_opt(s, name, o, message);
    for (size_t i = 0; i < o->scene.obstacle_count; i++) {
        surface_mesh_free(&o->rest[i]);
        surface_mesh_free(&o->now[i]);
    }
    opt_free(&o->scene);
    free(o);
    return done;
}

// A scene from a file
// --------------------------------------------------------------------------------------

static pbs_status step_file(void *scene) {
    return scene_world_step(scene);
}

/// Adds a half-space: a floor if it is horizontal, otherwise a square of the scene's size.
static bool add_half_space(struct stage *stage, const struct scene_half_space *half_space,
                           double size, struct message *message) {
    static const double up[3] = {0.0, 1.0, 0.0};
    const double *n = half_space->normal;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (n[1] > 0.9999 * length && !stage->has_ground) {
        stage->has_ground = true;
        stage->ground_height = half_space->origin[1];
        return true;
    }
    struct surface_mesh square = {0};
    if (!surface_sheet(1, 1, 2.0 * size, 2.0 * size, &square)) {
        return message_fail(message, "out of memory");
    }
    const double axis[3] = {up[1] * n[2] - up[2] * n[1], up[2] * n[0] - up[0] * n[2],
                            up[0] * n[1] - up[1] * n[0]};
    if (fabs(axis[0]) + fabs(axis[2]) > 0.0) {
        positions_rotate(square.positions, square.vertex_count, axis, acos(n[1] / length));
    }
    positions_translate(square.positions, square.vertex_count, half_space->origin[0],
                        half_space->origin[1], half_space->origin[2]);
    const bool added = stage_add_obstacle(stage, &square, message);
    surface_mesh_free(&square);
    return added;
}

/// Adds a component with prescribed motion: its triangles, with indices relative to its first node.
static bool add_scripted(struct stage *stage, const struct scene_world *w,
                         const struct scene_component *c, struct message *message) {
    const struct scene_file *scene = w->scene;
    uint32_t *own = malloc((3 * scene->triangle_count + 1) * sizeof *own);
    size_t count = 0;
    if (own == NULL) {
        return message_fail(message, "out of memory");
    }
    for (size_t t = 0; t < scene->triangle_count; t++) {
        const uint32_t *corners = scene->triangles + 3 * t;
        bool inside = true;
        for (size_t k = 0; k < 3; k++) {
            inside = inside && corners[k] >= c->node_begin && corners[k] < c->node_end;
        }
        for (size_t k = 0; k < 3 && inside; k++) {
            own[3 * count + k] = corners[k] - (uint32_t)c->node_begin;
        }
        count += inside;
    }
    const bool added = stage_add_scripted(stage, c->node_end - c->node_begin,
                                          w->scripted + 3 * c->node_begin, count, own, message);
    free(own);
    return added;
}

static bool set_stage(struct stage *stage, const struct scene_world *w, struct message *message) {
    const struct scene_file *scene = w->scene;
    bool done = true;
    for (size_t i = 0; i < scene->half_space_count && done; i++) {
        done = add_half_space(stage, &scene->half_spaces[i], scene->diagonal, message);
    }
    for (size_t i = 0; i < scene->mesh_count && done; i++) {
        const struct scene_mesh *mesh = &scene->meshes[i];
        const struct surface_mesh surface = {.vertex_count = mesh->vertex_count,
                                             .positions = mesh->vertices,
                                             .triangle_count = mesh->triangle_count,
                                             .triangles = mesh->triangles};
        done = stage_add_obstacle(stage, &surface, message);
    }
    for (size_t i = 0; i < scene->component_count && done; i++) {
        done = scene->components[i].codimension == 3
                   ? stage_add_body(stage, w->world, w->bodies[i], message)
                   : add_scripted(stage, w, &scene->components[i], message);
    }
    return done;
}

static bool show_file(const struct settings *s, const struct scene_file *scene,
                      struct message *message) {
    pbs_world_desc d;
    pbs_expert_desc expert;
    struct scene_world w = {0};
    pbs_status status = scene_world_settings(scene, &d, &expert);
    d.threads = (int32_t)s->threads;
    status = status >= 0 ? scene_world_create(scene, &d, &w) : status;
    if (status < 0) {
        return message_fail(message, "%s", pbs_last_error());
    }
    struct show show = {.name = scene->name[0] != '\0' ? scene->name : "scene",
                        .world = w.world,
                        .step = scene->step,
                        .step_count = (int64_t)scene->step_count,
                        .take_step = step_file,
                        .scene = &w};
    const bool done = set_stage(&show.stage, &w, message) && run(s, &show, message);
    stage_free(&show.stage);
    scene_world_destroy(&w);
    return done;
}

static bool play_file(const struct settings *s, struct message *message) {
    struct scene_file scene;
    if (!scene_file_read(s->file, &scene, message)) {
        return false;
    }
    const bool done = show_file(s, &scene, message);
    scene_file_free(&scene);
    return done;
}

int main(int argc, char **argv) {
    struct settings settings = {.scene = "ball_soft", .scheme = "a-search", .out = "demo"};
    int exit_status = 0;
    take_first(&argc, &argv, &settings);
    if (!read_settings(argc, argv, &settings, &exit_status)) {
        return exit_status;
    }
    struct message message = {{0}};
    // A name that is neither a scene nor looks like a file path was probably meant as a scene.
    if (settings.file != NULL && strpbrk(settings.file, "./") == NULL &&
        access(settings.file, F_OK) != 0) {
        settings.scene = settings.file;
        settings.file = NULL;
    }
    const struct opt_name *opt = find_opt(settings.scene);
    const bool done = settings.file != NULL ? play_file(&settings, &message)
                      : opt != NULL         ? play_opt(&settings, opt, &message)
                                            : play_contact(&settings, &message);
    if (!done) {
        fprintf(stderr, "scenes: %s\n", message.text);
    }
    return done ? 0 : 1;
}
