// Keeps the frames of the drawn surface as floats and writes every kind of picture from them.
// SPDX-License-Identifier: MIT

#include "common/recording/recording.h"

#include "common/images/png.h"
#include "common/pictures/glb_writer.h"
#include "common/pictures/html_writer.h"
#include "common/pictures/render.h"
#include "common/pictures/scene_picture.h"
#include "common/program/csv.h"
#include "common/program/directory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct recording {
    struct scene_picture picture; ///< its arrays belong to the recording
    char *title;
    char **energy_names;
    float (*energy_colors)[3];
    uint32_t *triangles;
    struct picture_part *parts;
    float **frames;
    size_t frame_room;
    double *energies;
    size_t body_vertex_count; ///< of the positions that frames come with
    uint32_t *drawn;          ///< [picture.vertex_count] which of them are drawn
    bool has_ground;
    char *vtu_directory;
    char *vtu_name;
    const uint32_t *tets;
    size_t tet_count;
};

// Triangles of the drawn vertices only, and the list of these.
static bool take_triangles(struct recording *recording, const struct recording_desc *desc) {
    struct scene_picture *picture = &recording->picture;
    uint32_t *name = malloc((desc->vertex_count + 1) * sizeof *name);
    recording->triangles = malloc((3 * desc->triangle_count + 1) * sizeof *recording->triangles);
    recording->drawn = malloc((desc->vertex_count + 1) * sizeof *recording->drawn);
    bool done = name != NULL && recording->triangles != NULL && recording->drawn != NULL;
    if (done) {
        memset(name, 0, desc->vertex_count * sizeof *name);
        for (size_t i = 0; i < 3 * desc->triangle_count; i++) {
            name[desc->triangles[i]] = 1;
        }
        for (size_t v = 0; v < desc->vertex_count; v++) {
            if (name[v] != 0) {
                name[v] = (uint32_t)picture->vertex_count;
                recording->drawn[picture->vertex_count++] = (uint32_t)v;
            }
        }
        for (size_t i = 0; i < 3 * desc->triangle_count; i++) {
            recording->triangles[i] = name[desc->triangles[i]];
        }
        picture->triangles = recording->triangles;
        picture->triangle_count = desc->triangle_count;
    }
    free(name);
    return done;
}

static bool take_parts(struct recording *recording, const struct recording_desc *desc) {
    const struct picture_part whole = {.triangle_count = desc->triangle_count,
                                       .color = {0.82F, 0.28F, 0.10F}};
    size_t count = desc->part_count > 0 ? desc->part_count : 1;
    recording->parts = malloc(count * sizeof *recording->parts);
    if (recording->parts == NULL) {
        return false;
    }
    memcpy(recording->parts, desc->part_count > 0 ? desc->parts : &whole,
           count * sizeof *recording->parts);
    recording->picture.parts = recording->parts;
    recording->picture.part_count = count;
    return true;
}

static bool take_texts(struct recording *recording, const struct recording_desc *desc) {
    recording->title = strdup(desc->title != NULL ? desc->title : "libpbs");
    recording->picture.title = recording->title;
    recording->energy_names = calloc(desc->energy_count + 1, sizeof *recording->energy_names);
    bool done = recording->title != NULL && recording->energy_names != NULL;
    for (size_t e = 0; done && e < desc->energy_count; e++) {
        recording->energy_names[e] = strdup(desc->energy_names[e]);
        done = recording->energy_names[e] != NULL;
        recording->picture.energy_count = e + 1;
    }
    recording->picture.energy_names = (const char *const *)recording->energy_names;
    recording->picture.count_columns = desc->count_columns;
    if (done && desc->energy_colors != NULL && desc->energy_count > 0) {
        recording->energy_colors = malloc(desc->energy_count * sizeof *recording->energy_colors);
        done = recording->energy_colors != NULL;
        if (done) {
            memcpy(recording->energy_colors, desc->energy_colors,
                   desc->energy_count * sizeof *recording->energy_colors);
        }
        recording->picture.energy_colors = (const float(*)[3])recording->energy_colors;
    }
    if (done && desc->vtu_directory != NULL) {
        recording->vtu_directory = strdup(desc->vtu_directory);
        recording->vtu_name = strdup(desc->vtu_name != NULL ? desc->vtu_name : recording->title);
        done = recording->vtu_directory != NULL && recording->vtu_name != NULL;
    }
    return done;
}

static bool check_desc(const struct recording_desc *desc, struct message *message) {
    if (desc->vertex_count == 0 || desc->triangle_count == 0 || desc->triangles == NULL) {
        return message_fail(message, "a recording needs vertices and triangles");
    }
    if (!(desc->frame_rate > 0.0) || !isfinite(desc->frame_rate)) {
        return message_fail(message, "frame_rate is %g, expected more than 0", desc->frame_rate);
    }
    for (size_t i = 0; i < 3 * desc->triangle_count; i++) {
        if (desc->triangles[i] >= desc->vertex_count) {
            return message_fail(message, "triangle %zu names vertex %u, but there are %zu", i / 3,
                                desc->triangles[i], desc->vertex_count);
        }
    }
    for (size_t p = 0; p < desc->part_count; p++) {
        const struct picture_part *part = &desc->parts[p];
        if (part->triangle_count == 0 || part->triangle_count > desc->triangle_count ||
            part->first_triangle > desc->triangle_count - part->triangle_count) {
            return message_fail(message, "part %zu does not lie within the %zu triangles", p,
                                desc->triangle_count);
        }
    }
    return true;
}

struct recording *recording_create(const struct recording_desc *desc, struct message *message) {
    if (!check_desc(desc, message)) {
        return NULL;
    }
    struct recording *recording = calloc(1, sizeof *recording);
    bool done = recording != NULL && take_texts(recording, desc) &&
                take_triangles(recording, desc) && take_parts(recording, desc) &&
                (desc->obstacles == NULL ||
                 surface_mesh_append(&recording->picture.obstacles, desc->obstacles));
    if (!done) {
        message_fail(message, "memory ran out for the recording");
        recording_destroy(recording);
        return NULL;
    }
    recording->picture.frame_rate = desc->frame_rate;
    recording->picture.ground_height = desc->ground_height;
    recording->has_ground = desc->has_ground;
    recording->body_vertex_count = desc->vertex_count;
    recording->tets = desc->tets;
    recording->tet_count = desc->tets != NULL ? desc->tet_count : 0;
    if (recording->vtu_directory != NULL && !directory_make(recording->vtu_directory, message)) {
        recording_destroy(recording);
        return NULL;
    }
    return recording;
}

void recording_destroy(struct recording *recording) {
    if (recording == NULL) {
        return;
    }
    for (size_t f = 0; f < recording->picture.frame_count; f++) {
        free(recording->frames[f]);
    }
    for (size_t e = 0; recording->energy_names != NULL && e < recording->picture.energy_count;
         e++) {
        free(recording->energy_names[e]);
    }
    surface_mesh_free(&recording->picture.obstacles);
    free(recording->frames);
    free(recording->energies);
    free(recording->energy_names);
    free(recording->energy_colors);
    free(recording->title);
    free(recording->triangles);
    free(recording->parts);
    free(recording->drawn);
    free(recording->vtu_directory);
    free(recording->vtu_name);
    free(recording);
}

// --- Frames ---

static bool make_room(struct recording *recording) {
    struct scene_picture *picture = &recording->picture;
    if (picture->frame_count < recording->frame_room) {
        return true;
    }
    size_t room = 2 * recording->frame_room + 64;
    float **frames = realloc(recording->frames, room * sizeof *frames);
    recording->frames = frames != NULL ? frames : recording->frames;
    double *energies = realloc(recording->energies,
                               (room * picture->energy_count + 1) * sizeof *energies);
    recording->energies = energies != NULL ? energies : recording->energies;
    if (frames == NULL || energies == NULL) {
        return false;
    }
    picture->frames = (const float *const *)frames;
    picture->energies = energies;
    recording->frame_room = room;
    return true;
}

static bool check_frame(const struct recording *recording, const struct recording_frame *frame,
                        struct message *message) {
    size_t number = recording->picture.frame_count;
    for (size_t i = 0; i < 3 * recording->body_vertex_count; i++) {
        if (!(fabs(frame->positions[i]) <= 1e30)) {
            return message_fail(message, "frame %zu: vertex %zu is at %g, which cannot be drawn",
                                number, i / 3, frame->positions[i]);
        }
    }
    for (size_t e = 0; e < recording->picture.energy_count; e++) {
        if (frame->energies == NULL || !isfinite(frame->energies[e])) {
            return message_fail(message, "frame %zu: the energy '%s' is missing or not finite",
                                number, recording->energy_names[e]);
        }
    }
    return true;
}

enum { PATH_ROOM = 1024 };

// DIRECTORY/NAME and what follows it; a path that is cut off would name another file.
static bool make_path(char path[PATH_ROOM], const char *directory, const char *name,
                      const char *ending, struct message *message) {
    int length = text_print(path, PATH_ROOM, "%s/%s%s", directory, name, ending);
    return (length > 0 && length < PATH_ROOM) ||
           message_fail(message, "%.200s/%.200s: the path is too long", directory, name);
}

static bool write_vtu(const struct recording *recording, const struct recording_frame *frame,
                      struct message *message) {
    char path[PATH_ROOM];
    char ending[32];
    struct vtu_grid grid = {.vertex_count = recording->body_vertex_count,
                            .positions = frame->positions,
                            .tet_count = recording->tet_count,
                            .tets = recording->tets};
    if (recording->tet_count == 0) {
        return message_fail(message, ".vtu files need the tetrahedra of the recording");
    }
    text_print(ending, sizeof ending, "_%04zu.vtu", recording->picture.frame_count);
    return make_path(path, recording->vtu_directory, recording->vtu_name, ending, message) &&
           vtu_write(path, &grid, frame->fields, frame->field_count, message);
}

bool recording_add_frame(struct recording *recording, const struct recording_frame *frame,
                         struct message *message) {
    struct scene_picture *picture = &recording->picture;
    if (!check_frame(recording, frame, message) ||
        (recording->vtu_directory != NULL && !write_vtu(recording, frame, message))) {
        return false;
    }
    float *points = malloc((3 * picture->vertex_count + 1) * sizeof *points);
    if (points == NULL || !make_room(recording)) {
        free(points);
        return message_fail(message, "memory ran out for frame %zu", picture->frame_count);
    }
    for (size_t i = 0; i < 3 * picture->vertex_count; i++) {
        points[i] = (float)frame->positions[3 * (size_t)recording->drawn[i / 3] + i % 3];
    }
    for (size_t e = 0; e < picture->energy_count; e++) {
        recording->energies[picture->frame_count * picture->energy_count + e] = frame->energies[e];
    }
    recording->frames[picture->frame_count++] = points;
    return true;
}

// --- Files ---

// Without a floor of its own the scene stands above one that its lowest point just touches.
static double lowest_point(const struct scene_picture *picture) {
    double lowest = INFINITY;
    for (size_t f = 0; f < picture->frame_count; f++) {
        for (size_t v = 0; v < picture->vertex_count; v++) {
            lowest = fmin(lowest, (double)picture->frames[f][3 * v + 1]);
        }
    }
    for (size_t v = 0; v < picture->obstacles.vertex_count; v++) {
        lowest = fmin(lowest, picture->obstacles.positions[3 * v + 1]);
    }
    return lowest;
}

// The frame in which the body is lowest from top to bottom, which is where a drop squashes most.
static size_t squashed_frame(const struct scene_picture *picture) {
    size_t best = 0;
    float least = INFINITY;
    for (size_t f = 0; f < picture->frame_count; f++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (size_t v = 0; v < picture->vertex_count; v++) {
            low = fminf(low, picture->frames[f][3 * v + 1]);
            high = fmaxf(high, picture->frames[f][3 * v + 1]);
        }
        // Rounding alone must not choose a later frame of the free fall.
        if (high - low < 0.9999F * least) {
            least = high - low;
            best = f;
        }
    }
    return best;
}

// The camera of the still fits that frame alone.
static bool write_still(const struct scene_picture *picture, const char *path,
                        struct message *message) {
    struct image still;
    struct scene_picture one = *picture;
    size_t frame = squashed_frame(picture);
    one.frames = picture->frames + frame;
    one.frame_count = 1;
    one.start_time = (double)frame / picture->frame_rate;
    if (!render_frame(&one, 0, 960, 720, &still, message)) {
        return false;
    }
    bool done = png_write(path, &still, message);
    image_free(&still);
    return done;
}

static bool write_energies(const struct scene_picture *picture, const char *path,
                           struct message *message) {
    size_t columns = picture->energy_count + 1;
    const char **names = malloc(columns * sizeof *names);
    double *table = malloc((picture->frame_count * columns + 1) * sizeof *table);
    bool done = names != NULL && table != NULL;
    if (done) {
        names[0] = "time";
        for (size_t i = 0; i < picture->frame_count * columns; i++) {
            size_t frame = i / columns;
            size_t column = i % columns;
            names[column] = column > 0 ? picture->energy_names[column - 1] : "time";
            table[i] = column > 0 ? picture->energies[frame * picture->energy_count + column - 1]
                                  : (double)frame / picture->frame_rate;
        }
        done = csv_write(path, names, columns, table, picture->frame_count, message);
    } else {
        message_fail(message, "memory ran out for the table of energies");
    }
    free(names);
    free(table);
    return done;
}

static bool write_series(const struct recording *recording, struct message *message) {
    char path[PATH_ROOM];
    if (recording->vtu_directory == NULL) {
        return true;
    }
    return make_path(path, recording->vtu_directory, recording->vtu_name, ".pvd", message) &&
           pvd_write(path, recording->vtu_name, recording->picture.frame_count,
                     1.0 / recording->picture.frame_rate, message);
}

bool recording_write(const struct recording *recording, const char *directory, const char *name,
                     struct message *message) {
    struct scene_picture picture = recording->picture;
    struct image sheet;
    char path[PATH_ROOM];
    if (picture.frame_count == 0) {
        return message_fail(message, "a recording without frames leaves no pictures");
    }
    if (!recording->has_ground) {
        picture.ground_height = lowest_point(&picture);
    }
    if (!directory_make(directory, message) || !render_contact_sheet(&picture, &sheet, message)) {
        return false;
    }
    bool done = make_path(path, directory, name, "_sheet.png", message) &&
                png_write(path, &sheet, message) &&
                make_path(path, directory, name, ".html", message) &&
                html_write(path, &picture, &sheet, message);
    image_free(&sheet);
    return done && make_path(path, directory, name, ".png", message) &&
           write_still(&picture, path, message) &&
           make_path(path, directory, name, ".glb", message) &&
           glb_write(path, &picture, message) &&
           make_path(path, directory, name, "_energy.csv", message) &&
           write_energies(&picture, path, message) && write_series(recording, message);
}
