// Binary glTF 2.0: a mesh and a node for each part, so that whoever loads it can pick bodies. Its
// base is the first frame, its morph targets are the differences of the others to it; one animation
// moves the weights of all from target to target. Obstacles are the last mesh.
// SPDX-License-Identifier: MIT

#include "common/pictures/glb_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT_TYPE = 5126, UINT_TYPE = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };

struct glb {
    const struct scene_picture *scene;
    size_t step;        ///< every step-th frame goes in
    size_t frame_count; ///< that go in
    struct text_buffer binary;
    struct text_buffer views;     ///< JSON of the buffer views, without brackets
    struct text_buffer accessors; ///< JSON of the accessors
    size_t accessor_count;
};

static void put_uint(struct text_buffer *out, uint32_t value) {
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                    (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    text_buffer_add_bytes(out, bytes, 4);
}

static void put_float(struct text_buffer *out, float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_uint(out, bits);
}

// Describes what was added to the binary since `start`; view and accessor have the same number,
// which is returned.
static size_t close_view(struct glb *glb, size_t start, int target, int component, size_t count,
                         const char *type, const char *bounds) {
    const char *comma = glb->accessor_count > 0 ? "," : "";
    text_buffer_print(&glb->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", comma,
                      start, glb->binary.length - start);
    if (target != 0) {
        text_buffer_print(&glb->views, ",\"target\":%d", target);
    }
    text_buffer_add(&glb->views, "}\n");
    text_buffer_print(
        &glb->accessors,
        "%s{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}\n", comma,
        glb->accessor_count, component, count, type, bounds);
    return glb->accessor_count++;
}

static void print_bounds(char *text, size_t size, const float lower[3], const float upper[3]) {
    text_print(text, size, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)lower[0],
               (double)lower[1], (double)lower[2], (double)upper[0], (double)upper[1],
               (double)upper[2]);
}

// The listed points, or their differences to `base`, with the bounds that glTF asks of every
// POSITION.
static size_t put_points(struct glb *glb, const float *points, const float *base,
                         const uint32_t *vertices, size_t vertex_count) {
    size_t start = glb->binary.length;
    float lower[3] = {INFINITY, INFINITY, INFINITY};
    float upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    char bounds[200];
    for (size_t i = 0; i < 3 * vertex_count; i++) {
        size_t from = 3 * (size_t)vertices[i / 3] + i % 3;
        float value = points[from] - (base != NULL ? base[from] : 0.0F);
        lower[i % 3] = fminf(lower[i % 3], value);
        upper[i % 3] = fmaxf(upper[i % 3], value);
        put_float(&glb->binary, value);
    }
    print_bounds(bounds, sizeof bounds, lower, upper);
    return close_view(glb, start, VERTEX_DATA, FLOAT_TYPE, vertex_count, "VEC3", bounds);
}

static size_t put_indices(struct glb *glb, const uint32_t *indices, size_t count) {
    size_t start = glb->binary.length;
    for (size_t i = 0; i < count; i++) {
        put_uint(&glb->binary, indices[i]);
    }
    return close_view(glb, start, INDEX_DATA, UINT_TYPE, count, "SCALAR", "");
}

static void put_material(struct text_buffer *json, const float color[3]) {
    text_buffer_print(json,
                      "{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4g,%.4g,%.4g,1],"
                      "\"metallicFactor\":0,\"roughnessFactor\":0.6},\"doubleSided\":true}",
                      (double)color[0], (double)color[1], (double)color[2]);
}

static const float *kept_frame(const struct glb *glb, size_t i) {
    return glb->scene->frames[i * glb->step];
}

// The vertices of one part, and its triangles in their numbers.
struct part_surface {
    size_t vertex_count;
    uint32_t *vertices; ///< of the scene
    uint32_t *corners;  ///< [3 * triangle_count], in places of `vertices`
};

// name: scratch, one for each vertex of the scene.
static void take_part(const struct scene_picture *scene, const struct picture_part *part,
                      uint32_t *name, struct part_surface *out) {
    const uint32_t *triangles = scene->triangles + 3 * part->first_triangle;
    memset(name, 0xff, scene->vertex_count * sizeof *name);
    out->vertex_count = 0;
    for (size_t i = 0; i < 3 * part->triangle_count; i++) {
        uint32_t *place = &name[triangles[i]];
        if (*place == UINT32_MAX) {
            *place = (uint32_t)out->vertex_count;
            out->vertices[out->vertex_count++] = triangles[i];
        }
        out->corners[i] = *place;
    }
}

static void put_part(struct glb *glb, struct text_buffer *json, size_t number,
                     const struct part_surface *surface) {
    const struct scene_picture *scene = glb->scene;
    size_t base = put_points(glb, kept_frame(glb, 0), NULL, surface->vertices,
                             surface->vertex_count);
    size_t first_target = glb->accessor_count;
    for (size_t f = 1; f < glb->frame_count; f++) {
        put_points(glb, kept_frame(glb, f), kept_frame(glb, 0), surface->vertices,
                   surface->vertex_count);
    }
    size_t indices = put_indices(glb, surface->corners, 3 * scene->parts[number].triangle_count);
    text_buffer_print(json,
                      "%s{\"name\":\"body %zu\",\"primitives\":[{\"attributes\":{\"POSITION\":%zu},"
                      "\"indices\":%zu,\"material\":%zu",
                      number > 0 ? "," : "", number, base, indices, number);
    for (size_t f = 1; f < glb->frame_count; f++) {
        text_buffer_print(json, "%s{\"POSITION\":%zu}", f == 1 ? ",\"targets\":[" : ",",
                          first_target + f - 1);
    }
    text_buffer_add(json, glb->frame_count > 1 ? "]}]}" : "}]}");
}

static void put_moving_meshes(struct glb *glb, struct text_buffer *json) {
    const struct scene_picture *scene = glb->scene;
    uint32_t *name = malloc((scene->vertex_count + 1) * sizeof *name);
    struct part_surface surface = {
        .vertices = malloc((scene->vertex_count + 1) * sizeof *surface.vertices),
        .corners = malloc((3 * scene->triangle_count + 1) * sizeof *surface.corners)};
    bool done = name != NULL && surface.vertices != NULL && surface.corners != NULL;
    for (size_t p = 0; p < scene->part_count && done; p++) {
        take_part(scene, &scene->parts[p], name, &surface);
        put_part(glb, json, p, &surface);
    }
    json->failed = json->failed || !done;
    free(name);
    free(surface.vertices);
    free(surface.corners);
}

static void put_still_mesh(struct glb *glb, struct text_buffer *json, size_t material) {
    const struct surface_mesh *still = &glb->scene->obstacles;
    size_t start = glb->binary.length;
    float lower[3] = {INFINITY, INFINITY, INFINITY};
    float upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    char bounds[200];
    for (size_t i = 0; i < 3 * still->vertex_count; i++) {
        float value = (float)still->positions[i];
        lower[i % 3] = fminf(lower[i % 3], value);
        upper[i % 3] = fmaxf(upper[i % 3], value);
        put_float(&glb->binary, value);
    }
    print_bounds(bounds, sizeof bounds, lower, upper);
    size_t points = close_view(glb, start, VERTEX_DATA, FLOAT_TYPE, still->vertex_count, "VEC3",
                               bounds);
    size_t indices = put_indices(glb, still->triangles, 3 * still->triangle_count);
    text_buffer_print(json,
                      ",{\"name\":\"obstacles\",\"primitives\":[{\"attributes\":{\"POSITION\":%zu},"
                      "\"indices\":%zu,\"material\":%zu}]}",
                      points, indices, material);
}

// At the time of frame f the weight of its target is 1 and all others are 0; between frames readers
// mix linearly. All nodes share the sampler.
static void put_animation(struct glb *glb, struct text_buffer *json) {
    size_t start = glb->binary.length;
    double frame_duration = (double)glb->step / glb->scene->frame_rate;
    char bounds[96];
    for (size_t f = 0; f < glb->frame_count; f++) {
        put_float(&glb->binary, (float)((double)f * frame_duration));
    }
    text_print(bounds, sizeof bounds, ",\"min\":[0],\"max\":[%.9g]",
               (double)(float)((double)(glb->frame_count - 1) * frame_duration));
    size_t times = close_view(glb, start, 0, FLOAT_TYPE, glb->frame_count, "SCALAR", bounds);
    start = glb->binary.length;
    size_t targets = glb->frame_count - 1;
    for (size_t i = 0; i < glb->frame_count * targets; i++) {
        put_float(&glb->binary, i / targets == i % targets + 1 ? 1.0F : 0.0F);
    }
    size_t weights = close_view(glb, start, 0, FLOAT_TYPE, glb->frame_count * targets, "SCALAR",
                                "");
    text_buffer_print(json,
                      "\"animations\":[{\"samplers\":[{\"input\":%zu,\"output\":%zu,"
                      "\"interpolation\":\"LINEAR\"}],\"channels\":[",
                      times, weights);
    for (size_t p = 0; p < glb->scene->part_count; p++) {
        text_buffer_print(json, "%s{\"sampler\":0,\"target\":{\"node\":%zu,\"path\":\"weights\"}}",
                          p > 0 ? "," : "", p);
    }
    text_buffer_add(json, "]}],\n");
}

// A node for each mesh, all of them roots.
static void put_nodes(struct text_buffer *json, const struct scene_picture *scene, size_t count) {
    text_buffer_add(json, "\"scenes\":[{\"name\":");
    text_buffer_add_json_string(json, scene->title);
    text_buffer_add(json, ",\"nodes\":[");
    for (size_t n = 0; n < count; n++) {
        text_buffer_print(json, "%s%zu", n > 0 ? "," : "", n);
    }
    text_buffer_add(json, "]}],\n\"nodes\":[");
    for (size_t n = 0; n < count; n++) {
        const char *comma = n > 0 ? "," : "";
        if (n < scene->part_count) {
            text_buffer_print(json, "%s{\"name\":\"body %zu\",\"mesh\":%zu}", comma, n, n);
        } else {
            text_buffer_print(json, "%s{\"name\":\"obstacles\",\"mesh\":%zu}", comma, n);
        }
    }
    text_buffer_add(json, "],\n");
}

static void put_json(struct glb *glb, struct text_buffer *json) {
    static const float grey[3] = {0.42F, 0.45F, 0.50F};
    const struct scene_picture *scene = glb->scene;
    bool still = scene->obstacles.triangle_count > 0;
    text_buffer_add(
        json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"libpbs examples\"},\n\"scene\":0,");
    put_nodes(json, scene, scene->part_count + (still ? 1 : 0));
    text_buffer_add(json, "\"meshes\":[");
    put_moving_meshes(glb, json);
    if (still) {
        put_still_mesh(glb, json, scene->part_count);
    }
    text_buffer_add(json, "],\n\"materials\":[");
    for (size_t p = 0; p < scene->part_count; p++) {
        text_buffer_add(json, p > 0 ? "," : "");
        put_material(json, scene->parts[p].color);
    }
    if (still) {
        text_buffer_add(json, ",");
        put_material(json, grey);
    }
    text_buffer_add(json, "],\n");
    if (glb->frame_count > 1) {
        put_animation(glb, json);
    }
    text_buffer_add(json, "\"bufferViews\":[");
    text_buffer_add_bytes(json, glb->views.data, glb->views.length);
    text_buffer_add(json, "],\n\"accessors\":[");
    text_buffer_add_bytes(json, glb->accessors.data, glb->accessors.length);
    text_buffer_print(json, "],\n\"buffers\":[{\"byteLength\":%zu}]}", glb->binary.length);
    while (json->length % 4 != 0 && !json->failed) {
        text_buffer_add(json, " ");
    }
    json->failed = json->failed || glb->views.failed || glb->accessors.failed || glb->binary.failed;
}

bool glb_encode(const struct scene_picture *scene, struct text_buffer *out,
                struct message *message) {
    if (scene->frame_count == 0 || scene->vertex_count == 0 || scene->triangle_count == 0) {
        return message_fail(message, "a glb file needs a frame and a triangle");
    }
    struct glb glb = {.scene = scene, .step = (scene->frame_count - 1) / GLB_MAX_FRAMES + 1};
    glb.frame_count = (scene->frame_count - 1) / glb.step + 1;
    struct text_buffer json = {0};
    put_json(&glb, &json);
    size_t total = 12 + 8 + json.length + 8 + glb.binary.length;
    bool fits = !json.failed && total <= UINT32_MAX;
    if (fits) {
        text_buffer_add(out, "glTF");
        put_uint(out, 2);
        put_uint(out, (uint32_t)total);
        put_uint(out, (uint32_t)json.length);
        text_buffer_add(out, "JSON");
        text_buffer_add_bytes(out, json.data, json.length);
        put_uint(out, (uint32_t)glb.binary.length);
        text_buffer_add_bytes(out, "BIN", 4);
        text_buffer_add_bytes(out, glb.binary.data, glb.binary.length);
    }
    text_buffer_free(&json);
    text_buffer_free(&glb.views);
    text_buffer_free(&glb.accessors);
    text_buffer_free(&glb.binary);
    return (fits && !out->failed) || message_fail(message, "the glb file is too large");
}

bool glb_write(const char *path, const struct scene_picture *scene, struct message *message) {
    struct text_buffer bytes = {0};
    bool done = glb_encode(scene, &bytes, message) && text_buffer_write(&bytes, path, message);
    text_buffer_free(&bytes);
    return done;
}
