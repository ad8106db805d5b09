// A recording leaves every file that it promises, and each is what its format says.
// SPDX-License-Identifier: MIT

#include "comma_locale.h"
#include "common/images/png.h"
#include "common/meshes/shapes.h"
#include "common/pictures/glb_writer.h"
#include "common/pictures/render.h"
#include "common/pictures/render_scene.h"
#include "common/pictures/scene_picture.h"
#include "common/recording/recording.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#include <stb/stb_image.h>

enum { FRAMES = 9 };

struct file {
    char *data; ///< ends in a 0 byte
    size_t size;
};

static struct file load(const char *directory, const char *name) {
    char path[512];
    struct file file = {NULL, 0};
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL || fstat(fileno(stream), &about) != 0) {
        fail_msg("%s is not there", path);
        return file;
    }
    file.data = calloc((size_t)about.st_size + 1, 1);
    file.size = fread(file.data, 1, (size_t)about.st_size, stream);
    fclose(stream);
    return file;
}

// A ball that falls to the floor beside a box, 9 frames.
static struct recording *record(const char *directory, size_t *triangle_count,
                                struct message *message) {
    static const char *const names[] = {"kinetic", "elastic<>\"", "total"};
    struct tet_mesh ball;
    struct surface_mesh box;
    uint32_t *boundary = NULL;
    assert_true(shape_ball(0.5, 0.2, &ball));
    assert_true(surface_box(0.5, 0.5, 0.5, &box));
    positions_translate(box.positions, box.vertex_count, 1.0, 0.25, 0.0);
    assert_true(tet_mesh_boundary(&ball, &boundary, triangle_count));
    // The tetrahedra must outlive the recording; one static copy serves all tests.
    static uint32_t tets[40000];
    assert_true(4 * ball.tet_count <= sizeof tets / sizeof tets[0]);
    memcpy(tets, ball.tets, 4 * ball.tet_count * sizeof *tets);
    const struct picture_part parts[] = {{.triangle_count = 100, .color = {0.8F, 0.3F, 0.1F}},
                                         {.first_triangle = 100,
                                          .triangle_count = *triangle_count - 100,
                                          .color = {0.1F, 0.4F, 0.7F}}};
    const struct recording_desc desc = {.title = "ball </script>",
                                        .frame_rate = 24.0,
                                        .vertex_count = ball.vertex_count,
                                        .triangles = boundary,
                                        .triangle_count = *triangle_count,
                                        .parts = parts,
                                        .part_count = 2,
                                        .obstacles = &box,
                                        .has_ground = true,
                                        .energy_names = names,
                                        .energy_count = 3,
                                        .vtu_directory = directory,
                                        .vtu_name = "ball",
                                        .tets = tets,
                                        .tet_count = ball.tet_count};
    struct recording *recording = recording_create(&desc, message);
    assert_non_null(recording);
    positions_translate(ball.positions, ball.vertex_count, 0.0, 1.5, 0.0);
    for (int f = 0; f < FRAMES; f++) {
        const double energies[3] = {0.25 * f, 1.0 - 0.1 * f, 1.0 + 0.15 * f};
        const struct vtu_field fields[2] = {{"velocity", 3, false, ball.positions},
                                            {"density", 1, true, ball.positions}};
        const struct recording_frame frame = {ball.positions, energies, fields, 2};
        if (!recording_add_frame(recording, &frame, message)) {
            fail_msg("%s", message->text);
        }
        positions_translate(ball.positions, ball.vertex_count, 0.0, -0.125, 0.0);
    }
    tet_mesh_free(&ball);
    surface_mesh_free(&box);
    free(boundary);
    return recording;
}

static char directory[] = "/tmp/pbs_pictures_XXXXXX";
static size_t triangles_drawn;

// Written once, under a comma locale where one can be had; the tests look at the files.
static int write_files(void **state) {
    (void)state;
    struct message message = {{0}};
    assert_non_null(mkdtemp(directory));
    enter_comma_locale();
    struct recording *recording = record(directory, &triangles_drawn, &message);
    bool written = recording_write(recording, directory, "ball", &message);
    leave_comma_locale();
    if (!written) {
        fail_msg("%s", message.text);
    }
    recording_destroy(recording);
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

// Decodes a picture and says how many different colours it has, up to 256.
static size_t colours_of(const struct file *file, int *width, int *height) {
    int components = 0;
    unsigned char *pixels = stbi_load_from_memory((const unsigned char *)file->data,
                                                  (int)file->size, width, height, &components, 3);
    assert_non_null(pixels);
    uint32_t seen[256];
    size_t count = 0;
    for (size_t i = 0; i < (size_t)(*width) * (size_t)(*height) && count < 256; i++) {
        uint32_t color = (uint32_t)pixels[3 * i] << 16 | (uint32_t)pixels[3 * i + 1] << 8 |
                         pixels[3 * i + 2];
        size_t known = 0;
        while (known < count && seen[known] != color) {
            known++;
        }
        if (known == count) {
            seen[count++] = color;
        }
    }
    free(pixels);
    return count;
}

static void pictures_decode_and_show_something(void **state) {
    (void)state;
    int width = 0;
    int height = 0;
    struct file still = load(directory, "ball.png");
    struct file sheet = load(directory, "ball_sheet.png");
    assert_int_equal(colours_of(&still, &width, &height), 256);
    assert_int_equal(width, 960);
    assert_int_equal(height, 720);
    assert_int_equal(colours_of(&sheet, &width, &height), 256);
    assert_int_equal(width, 1292);
    free(still.data);
    free(sheet.data);
}

static void energies_are_a_table_with_points(void **state) {
    (void)state;
    struct file csv = load(directory, "ball_energy.csv");
    const char head[] = "time,kinetic,elastic<>\",total\n0,0,1,1\n0.041666666666666664,0.25,0."
                        "90000000000000002,1.";
    assert_memory_equal(csv.data, head, sizeof head - 1);
    size_t lines = 0;
    for (size_t i = 0; i < csv.size; i++) {
        lines += csv.data[i] == '\n' ? 1 : 0;
    }
    assert_int_equal(lines, FRAMES + 1);
    free(csv.data);
}

static uint32_t word_at(const char *bytes) {
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) {
        value = value << 8 | (unsigned char)bytes[i];
    }
    return value;
}

static size_t occurrences(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        count++;
    }
    return count;
}

static void the_glb_is_made_of_its_chunks(void **state) {
    (void)state;
    struct file glb = load(directory, "ball.glb");
    assert_memory_equal(glb.data, "glTF", 4);
    assert_int_equal(word_at(glb.data + 4), 2);
    assert_int_equal(word_at(glb.data + 8), glb.size);
    uint32_t json_size = word_at(glb.data + 12);
    assert_memory_equal(glb.data + 16, "JSON", 4);
    assert_int_equal(json_size % 4, 0);
    uint32_t binary_size = word_at(glb.data + 20 + json_size);
    assert_memory_equal(glb.data + 24 + json_size, "BIN\0", 4);
    assert_int_equal(28 + json_size + binary_size, glb.size);
    char *json = calloc(json_size + 1, 1);
    memcpy(json, glb.data + 20, json_size);
    // Each of two bodies is a node with a mesh of its own, a target per frame after the first and
    // none with a normal, and the animation moves both; the obstacle is the third.
    assert_int_equal(occurrences(json, "{\"POSITION\":"), 2 * (FRAMES - 1) + 3);
    assert_int_equal(occurrences(json, "\"path\":\"weights\""), 2);
    assert_int_equal(occurrences(json, "\"mesh\":"), 3);
    assert_int_equal(occurrences(json, "\"primitives\":"), 3);
    assert_int_equal(occurrences(json, "\"name\":\"body 1\""), 2);
    assert_int_equal(occurrences(json, "NORMAL"), 0);
    assert_int_equal(occurrences(json, "\"material\":"), 3);
    free(json);
    free(glb.data);
}

static void the_page_stands_alone(void **state) {
    (void)state;
    struct file page = load(directory, "ball.html");
    char words[64];
    assert_memory_equal(page.data, "<!DOCTYPE html>", 15);
    snprintf(words, sizeof words, "\"frames\":%d,", FRAMES);
    assert_non_null(strstr(page.data, words));
    assert_non_null(strstr(page.data, "'ready ' + frames + ' frames'"));
    assert_non_null(
        strstr(page.data, "\"energyNames\":[\"kinetic\",\"elastic\\u003c>\\u0022\",\"total\"]"));
    assert_non_null(strstr(page.data, "\"energies\":[0,1,1,0.25,0.9,1.15,"));
    // Curves are in colours of their own unless the recording says whose they are.
    assert_non_null(strstr(page.data, "\"energyColors\":[\"#c8502d\",\"#2878b5\",\"#3a923a\"]"));
    assert_non_null(strstr(page.data, "webgl2"));
    assert_non_null(strstr(page.data, "DecompressionStream"));
    assert_non_null(strstr(page.data, "const sheet = 'iVBORw0KGgo"));
    // Nothing is fetched, and the title did not end the script.
    assert_null(strstr(page.data, "http:"));
    assert_null(strstr(page.data, "https:"));
    assert_null(strstr(page.data, "src="));
    assert_int_equal(occurrences(page.data, "</script>"), 1);
    free(page.data);
}

/// Seven bodies and seven curves: each curve has its body's colour, linear 0.25 shown as
/// 255 * 0.25^(1 / 2.2) = 0x88.
static void curves_have_the_colours_of_their_bodies(void **state) {
    (void)state;
    const uint32_t triangle[3] = {0, 1, 2};
    const char *const names[7] = {"a", "b", "c", "d", "e", "f", "g"};
    const float colors[7][3] = {[6] = {1.0F, 0.25F, 0.0F}};
    const double energies[7] = {0};
    const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const struct recording_desc desc = {.frame_rate = 24.0,
                                        .vertex_count = 3,
                                        .triangles = triangle,
                                        .triangle_count = 1,
                                        .energy_names = names,
                                        .energy_colors = colors,
                                        .energy_count = 7};
    const struct recording_frame frame = {.positions = positions, .energies = energies};
    struct message message = {{0}};
    struct recording *recording = recording_create(&desc, &message);
    assert_non_null(recording);
    assert_true(recording_add_frame(recording, &frame, &message));
    assert_true(recording_write(recording, directory, "curves", &message));
    recording_destroy(recording);
    struct file page = load(directory, "curves.html");
    assert_non_null(strstr(page.data, "\"#000000\",\"#ff8800\"]"));
    free(page.data);
}

/// A triangle that falls for a tenth of the run and then lies still: eight of ten pictures between
/// the first and the last show the fall (by time alone it would be one).
static void the_contact_sheet_shows_what_moves(void **state) {
    (void)state;
    enum { LONG = 201, FALL = 20, TILE = 320, ROW = 240, STRIDE = 324 };
    static float points[LONG][9];
    const float *frames[LONG];
    const uint32_t triangle[3] = {0, 1, 2};
    const struct picture_part part = {.triangle_count = 1, .color = {1.0F, 0.0F, 0.0F}};
    for (int f = 0; f < LONG; f++) {
        const float y = f < FALL ? 2.0F * (float)(FALL - f) / FALL : 0.0F;
        const float shape[9] = {0, y, 0, 1, y, 0, 0, y, 1};
        memcpy(points[f], shape, sizeof shape);
        frames[f] = points[f];
    }
    const struct scene_picture scene = {.title = "t",
                                        .frame_rate = 24.0,
                                        .frame_count = LONG,
                                        .vertex_count = 3,
                                        .frames = frames,
                                        .triangle_count = 1,
                                        .triangles = triangle,
                                        .part_count = 1,
                                        .parts = &part};
    struct image sheet;
    struct message message = {{0}};
    assert_true(render_contact_sheet(&scene, &sheet, &message));
    // Tiles that differ from the one before, but for the line with the time at the bottom.
    size_t changes = 0;
    for (size_t i = 1; i < 12; i++) {
        bool differs = false;
        for (size_t y = 0; y < ROW - 20 && !differs; y++) {
            const unsigned char *a = sheet.pixels +
                                     3 * (((i - 1) / 4 * (ROW + 4) + y) * sheet.width +
                                          (i - 1) % 4 * STRIDE);
            const unsigned char *b = sheet.pixels +
                                     3 * ((i / 4 * (ROW + 4) + y) * sheet.width + i % 4 * STRIDE);
            differs = memcmp(a, b, (size_t)3 * TILE) != 0;
        }
        changes += differs;
    }
    image_free(&sheet);
    assert_true(changes >= 8);
}

/// A body of one metre and an obstacle that is beside it in one frame, a kilometre off in the
/// other: the camera looks at both where they are near.
static void the_camera_follows_no_obstacle(void **state) {
    (void)state;
    static const float points[2][18] = {
        {0, 0, 0, 1, 0, 0, 0, 0, 1, 1000, 0, 0, 1001, 0, 0, 1000, 0, 1},
        {0, 0, 0, 1, 0, 0, 0, 0, 1, 1.25F, 0, 0, 1.5F, 0, 0, 1.25F, 0, 1}};
    const float *frames[2] = {points[0], points[1]};
    const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};
    struct picture_part parts[2] = {
        {.triangle_count = 1}, {.first_triangle = 1, .triangle_count = 1, .is_obstacle = true}};
    const struct scene_picture picture = {.title = "t",
                                          .frame_rate = 24.0,
                                          .frame_count = 2,
                                          .vertex_count = 6,
                                          .frames = frames,
                                          .triangle_count = 2,
                                          .triangles = triangles,
                                          .part_count = 2,
                                          .parts = parts};
    struct render_scene scene;
    assert_true(render_scene_create(&picture, 0, 1.0, &scene));
    assert_float_equal(scene.lower[0], 0.0F, 0.0F);
    assert_float_equal(scene.upper[0], 1.5F, 0.0F);
    render_scene_free(&scene);
    parts[1].is_obstacle = false;
    assert_true(render_scene_create(&picture, 0, 1.0, &scene));
    assert_float_equal(scene.upper[0], 1001.0F, 0.0F);
    render_scene_free(&scene);
}

static void paraview_files_name_their_arrays(void **state) {
    (void)state;
    struct file first = load(directory, "ball_0000.vtu");
    struct file last = load(directory, "ball_0008.vtu");
    struct file series = load(directory, "ball.pvd");
    assert_non_null(strstr(
        first.data, "Name=\"velocity\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\""));
    assert_non_null(strstr(first.data, "Name=\"density\" NumberOfComponents=\"1\""));
    assert_non_null(strstr(first.data, "Name=\"connectivity\""));
    assert_int_equal(occurrences(series.data, "<DataSet "), FRAMES);
    assert_non_null(strstr(series.data, "timestep=\"0.333333333333\" file=\"ball_0008.vtu\""));
    free(first.data);
    free(last.data);
    free(series.data);
}

static void wrong_recordings_are_refused(void **state) {
    (void)state;
    const uint32_t triangle[3] = {0, 1, 3};
    struct message message = {{0}};
    struct recording_desc desc = {
        .frame_rate = 24.0, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    assert_null(recording_create(&desc, &message));
    assert_non_null(strstr(message.text, "triangle 0 names vertex 3"));
    desc.vertex_count = 4;
    desc.frame_rate = 0.0;
    assert_null(recording_create(&desc, &message));
    assert_non_null(strstr(message.text, "frame_rate"));
    desc.frame_rate = 24.0;
    struct recording *recording = recording_create(&desc, &message);
    assert_non_null(recording);
    const double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
    const struct recording_frame frame = {.positions = positions};
    assert_false(recording_write(recording, "/tmp", "nothing", &message));
    assert_false(recording_add_frame(recording, &frame, &message));
    assert_non_null(strstr(message.text, "frame 0: vertex 3"));
    recording_destroy(recording);
}

static void long_runs_are_thinned_for_glb(void **state) {
    (void)state;
    enum { LONG = 701 };
    static float points[LONG][9];
    const float *frames[LONG];
    const uint32_t triangle[3] = {0, 1, 2};
    const struct picture_part part = {.triangle_count = 1, .color = {1.0F, 0.0F, 0.0F}};
    for (int f = 0; f < LONG; f++) {
        const float shape[9] = {0, (float)f, 0, 1, (float)f, 0, 0, (float)f, 1};
        memcpy(points[f], shape, sizeof shape);
        frames[f] = points[f];
    }
    const struct scene_picture scene = {.title = "t",
                                        .frame_rate = 24.0,
                                        .frame_count = LONG,
                                        .vertex_count = 3,
                                        .frames = frames,
                                        .triangle_count = 1,
                                        .triangles = triangle,
                                        .part_count = 1,
                                        .parts = &part};
    struct text_buffer glb = {0};
    assert_true(glb_encode(&scene, &glb, NULL));
    // Every third of 701 frames: 234, so 233 targets and the base.
    assert_int_equal(occurrences(glb.data + 20, "{\"POSITION\":"), 234);
    text_buffer_free(&glb);
}

static void a_single_frame_makes_all_files(void **state) {
    (void)state;
    const uint32_t triangle[3] = {0, 1, 2};
    const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const struct recording_desc desc = {
        .frame_rate = 24.0, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    const struct recording_frame frame = {.positions = positions};
    struct message message = {{0}};
    struct recording *recording = recording_create(&desc, &message);
    assert_non_null(recording);
    assert_true(recording_add_frame(recording, &frame, &message));
    assert_true(recording_write(recording, directory, "single", &message));
    recording_destroy(recording);
    struct file glb = load(directory, "single.glb");
    assert_null(strstr(glb.data + 20, "animations"));
    free(glb.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_decode_and_show_something),
        cmocka_unit_test(energies_are_a_table_with_points),
        cmocka_unit_test(the_glb_is_made_of_its_chunks),
        cmocka_unit_test(the_page_stands_alone),
        cmocka_unit_test(curves_have_the_colours_of_their_bodies),
        cmocka_unit_test(the_contact_sheet_shows_what_moves),
        cmocka_unit_test(the_camera_follows_no_obstacle),
        cmocka_unit_test(paraview_files_name_their_arrays),
        cmocka_unit_test(wrong_recordings_are_refused),
        cmocka_unit_test(long_runs_are_thinned_for_glb),
        cmocka_unit_test(a_single_frame_makes_all_files),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
