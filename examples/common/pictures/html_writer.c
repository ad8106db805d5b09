// Puts the page together: style, the scene as JSON, frames and triangles as deflated base64, the
// viewer.
// SPDX-License-Identifier: MIT

#include "common/pictures/html_writer.h"

#include "common/pictures/render_scene.h"
#include "common/pictures/viewer_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_lines(struct text_buffer *page, const char *const *lines) {
    for (; *lines != NULL; lines++) {
        text_buffer_add(page, *lines);
    }
}

static void put_triple(struct text_buffer *page, const char *name, const float v[3]) {
    text_buffer_print(page, "\"%s\":[%.9g,%.9g,%.9g],\n", name, (double)v[0], (double)v[1],
                      (double)v[2]);
}

static void frame_bounds(const struct scene_picture *scene, float lower[3], float upper[3]) {
    for (int axis = 0; axis < 3; axis++) {
        lower[axis] = INFINITY;
        upper[axis] = -INFINITY;
    }
    for (size_t f = 0; f < scene->frame_count; f++) {
        for (size_t i = 0; i < 3 * scene->vertex_count; i++) {
            lower[i % 3] = fminf(lower[i % 3], scene->frames[f][i]);
            upper[i % 3] = fmaxf(upper[i % 3], scene->frames[f][i]);
        }
    }
}

// 16 bits within the bounds, as differences to the frame before, all low bytes ahead of all high
// bytes: most high bytes are then 0 or 255, which deflate likes.
static void pack_frames(const struct scene_picture *scene, const float lower[3],
                        const float upper[3], unsigned char *out) {
    size_t count = 3 * scene->vertex_count;
    for (size_t f = 0; f < scene->frame_count; f++) {
        for (size_t i = 0; i < count; i++) {
            float range = upper[i % 3] - lower[i % 3];
            float scale = range > 0.0F ? 65535.0F / range : 0.0F;
            long now = lrintf((scene->frames[f][i] - lower[i % 3]) * scale);
            long before = f > 0 ? lrintf((scene->frames[f - 1][i] - lower[i % 3]) * scale) : 0;
            unsigned difference = (unsigned)(now - before);
            out[2 * f * count + i] = (unsigned char)(difference & 255);
            out[(2 * f + 1) * count + i] = (unsigned char)(difference >> 8 & 255);
        }
    }
}

static void put_little_endian(unsigned char *out, const uint32_t *values, size_t count) {
    for (size_t i = 0; i < 4 * count; i++) {
        out[i] = (unsigned char)(values[i / 4] >> 8 * (i % 4));
    }
}

static bool put_data(struct text_buffer *page, const struct scene_picture *scene,
                     const float lower[3], const float upper[3]) {
    size_t frames_size = 6 * scene->vertex_count * scene->frame_count;
    size_t size = frames_size + 12 * scene->triangle_count;
    unsigned char *raw = malloc(size + 1);
    if (raw == NULL) {
        return false;
    }
    pack_frames(scene, lower, upper, raw);
    put_little_endian(raw + frames_size, scene->triangles, 3 * scene->triangle_count);
    size_t compressed = 0;
    unsigned char *deflated = deflate_encode(raw, size, &compressed);
    free(raw);
    text_buffer_add(page, "const data = '");
    text_buffer_add_base64(page, deflated, compressed);
    text_buffer_add(page, "';\n");
    free(deflated);
    return compressed > 0;
}

static void put_obstacles(struct text_buffer *page, const struct surface_mesh *obstacles) {
    size_t numbers = 3 * obstacles->vertex_count;
    size_t corners = 3 * obstacles->triangle_count;
    size_t room = numbers > corners ? numbers : corners;
    unsigned char *bytes = malloc(4 * room + 4);
    uint32_t *bits = malloc((numbers + 1) * sizeof *bits);
    if (bytes == NULL || bits == NULL) {
        page->failed = true;
    } else {
        for (size_t i = 0; i < numbers; i++) {
            float value = (float)obstacles->positions[i];
            memcpy(&bits[i], &value, sizeof value);
        }
        put_little_endian(bytes, bits, numbers);
        text_buffer_add(page, "\"obstaclePositions\":\"");
        text_buffer_add_base64(page, bytes, 4 * numbers);
        put_little_endian(bytes, obstacles->triangles, corners);
        text_buffer_add(page, "\",\n\"obstacleTriangles\":\"");
        text_buffer_add_base64(page, bytes, 4 * corners);
        text_buffer_add(page, "\",\n");
    }
    free(bytes);
    free(bits);
}

static void put_parts(struct text_buffer *page, const struct scene_picture *scene) {
    text_buffer_add(page, "\"parts\":[");
    for (size_t p = 0; p < scene->part_count; p++) {
        const struct picture_part *part = &scene->parts[p];
        text_buffer_print(page, "%s{\"first\":%zu,\"count\":%zu,\"color\":[%.4g,%.4g,%.4g]}",
                          p > 0 ? "," : "", part->first_triangle, part->triangle_count,
                          (double)part->color[0], (double)part->color[1], (double)part->color[2]);
    }
    text_buffer_add(page, "],\n");
}

// "#rrggbb" of a curve: of the bodies where it belongs to one, as bright as the picture shows it in
// the light, else one that its neighbours do not have.
static void curve_color(const struct scene_picture *scene, size_t energy, char text[8]) {
    static const char *const own[] = {"#c8502d", "#2878b5", "#3a923a", "#8a5fb8",
                                      "#b58a1f", "#2f3a44", "#d0559b", "#1fa3a3"};
    if (scene->energy_colors == NULL) {
        text_print(text, 8, "%s", own[energy % (sizeof own / sizeof *own)]);
        return;
    }
    unsigned channels[3];
    for (int c = 0; c < 3; c++) {
        const float linear = fminf(fmaxf(scene->energy_colors[energy][c], 0.0F), 1.0F);
        channels[c] = (unsigned)lroundf(255.0F * powf(linear, 1.0F / 2.2F));
    }
    text_print(text, 8, "#%02x%02x%02x", channels[0], channels[1], channels[2]);
}

static void put_energies(struct text_buffer *page, const struct scene_picture *scene) {
    text_buffer_print(page, "\"countColumns\":%zu,\n\"energyNames\":[", scene->count_columns);
    for (size_t e = 0; e < scene->energy_count; e++) {
        text_buffer_add(page, e > 0 ? "," : "");
        text_buffer_add_json_string(page, scene->energy_names[e]);
    }
    text_buffer_add(page, "],\n\"energyColors\":[");
    for (size_t e = 0; e < scene->energy_count; e++) {
        char color[8];
        curve_color(scene, e, color);
        text_buffer_print(page, "%s\"%s\"", e > 0 ? "," : "", color);
    }
    text_buffer_add(page, "],\n\"energies\":[");
    for (size_t i = 0; i < scene->energy_count * scene->frame_count; i++) {
        text_buffer_print(page, "%s%.6g", i > 0 ? "," : "", scene->energies[i]);
    }
    text_buffer_add(page, "]");
}

static bool put_scene(struct text_buffer *page, const struct scene_picture *scene) {
    float lower[3];
    float upper[3];
    struct render_scene view = {0};
    frame_bounds(scene, lower, upper);
    if (!render_scene_create(scene, 0, 4.0 / 3.0, &view)) {
        return false;
    }
    text_buffer_add(page, "<script>\nconst scene = {\"title\":");
    text_buffer_add_json_string(page, scene->title);
    text_buffer_print(
        page, ",\n\"frames\":%zu,\"vertices\":%zu,\"rate\":%.9g,\"ground\":%.9g,\"grid\":%g,\n",
        scene->frame_count, scene->vertex_count, scene->frame_rate, scene->ground_height,
        (double)view.grid);
    put_triple(page, "lower", lower);
    put_triple(page, "upper", upper);
    put_triple(page, "viewLower", view.lower);
    put_triple(page, "viewUpper", view.upper);
    render_scene_free(&view);
    put_obstacles(page, &scene->obstacles);
    put_parts(page, scene);
    put_energies(page, scene);
    text_buffer_add(page, "};\n");
    return put_data(page, scene, lower, upper);
}

// The fallback with 32 levels a channel, which still looks right and halves its size.
static void put_sheet(struct text_buffer *page, const struct image *sheet) {
    struct image coarse;
    size_t size = 0;
    if (!image_create(&coarse, sheet->width, sheet->height)) {
        page->failed = true;
        return;
    }
    for (size_t i = 0; i < 3 * sheet->width * sheet->height; i++) {
        coarse.pixels[i] = (unsigned char)((sheet->pixels[i] & 0xf8) | sheet->pixels[i] >> 5);
    }
    unsigned char *png = png_encode(&coarse, &size);
    page->failed = page->failed || png == NULL;
    text_buffer_add(page, "const sheet = '");
    text_buffer_add_base64(page, png, size);
    text_buffer_add(page, "';\n");
    free(png);
    image_free(&coarse);
}

bool html_write(const char *path, const struct scene_picture *scene, const struct image *sheet,
                struct message *message) {
    struct text_buffer page = {0};
    put_lines(&page, viewer_head);
    bool complete = put_scene(&page, scene);
    put_sheet(&page, sheet);
    put_lines(&page, viewer_script);
    text_buffer_add(&page, "</script></body></html>\n");
    page.failed = page.failed || !complete;
    bool done = text_buffer_write(&page, path, message);
    text_buffer_free(&page);
    return done;
}
