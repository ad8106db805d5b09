// Reads the frames, binary files of the Stanford polygon format that hold only vertices and
// triangles, and bounds their steps.
// SPDX-License-Identifier: MIT
#include "scenes/contact/collision_frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/config.h"
#include "broad_phase/box_pairs.h"

const char *const collision_frame_names[COLLISION_FRAMES] = {"armadillo-rollers", "cloth-ball",
                                                             "cloth-funnel", "rod-twist"};

struct layout {
    bool big_endian;
    size_t number_size; // size of a coordinate: 4 or 8 bytes
    unsigned long vertices, triangles;
};

static bool read_header(FILE *file, struct layout *out) {
    char line[256];
    *out = (struct layout){.number_size = 8};
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "end_header", 10) == 0) {
            return out->vertices > 0 && out->triangles > 0;
        }
        if (strncmp(line, "format binary_big_endian", 24) == 0) {
            out->big_endian = true;
        } else if (strncmp(line, "property float x", 16) == 0) {
            out->number_size = 4;
        } else if (strncmp(line, "element vertex ", 15) == 0) {
            out->vertices = strtoul(line + 15, NULL, 10);
        } else if (strncmp(line, "element face ", 13) == 0) {
            out->triangles = strtoul(line + 13, NULL, 10);
        }
    }
    return false;
}

static uint64_t read_bits(FILE *file, const struct layout *layout, size_t size, bool *ok) {
    unsigned char bytes[8] = {0};
    uint64_t bits = 0;
    *ok = *ok && fread(bytes, 1, size, file) == size;
    for (size_t i = 0; i < size; i++) {
        bits |= (uint64_t)bytes[i] << 8 * (layout->big_endian ? size - 1 - i : i);
    }
    return bits;
}

static double read_number(FILE *file, const struct layout *layout, bool *ok) {
    const uint64_t bits = read_bits(file, layout, layout->number_size, ok);
    if (layout->number_size == 4) {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_body(FILE *file, const struct layout *layout, struct surface_mesh *mesh) {
    bool ok = true;
    for (size_t i = 0; i < 3 * mesh->vertex_count && ok; i++) {
        mesh->positions[i] = read_number(file, layout, &ok);
    }
    for (size_t t = 0; t < mesh->triangle_count && ok; t++) {
        ok = read_bits(file, layout, 1, &ok) == 3;
        for (size_t k = 0; k < 3 && ok; k++) {
            mesh->triangles[3 * t + k] = (uint32_t)read_bits(file, layout, 4, &ok);
            ok = ok && mesh->triangles[3 * t + k] < mesh->vertex_count;
        }
    }
    return ok;
}

static bool read_surface(const char *path, struct surface_mesh *out, struct message *message) {
    struct layout layout;
    *out = (struct surface_mesh){0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return message_fail(message, "%s: cannot be read", path);
    }
    bool ok = read_header(file, &layout);
    if (ok) {
        out->vertex_count = layout.vertices;
        out->triangle_count = layout.triangles;
        out->positions = calloc(layout.vertices, 3 * sizeof(double));
        out->triangles = calloc(layout.triangles, 3 * sizeof(uint32_t));
        ok = out->positions != NULL && out->triangles != NULL && read_body(file, &layout, out);
    }
    fclose(file);
    if (!ok) {
        surface_mesh_free(out);
        return message_fail(message, "%s: expected a binary file of vertices and triangles", path);
    }
    return true;
}

bool collision_frame_read(const char *folder, const char *name, struct moving_surface *out,
                          struct message *message) {
    struct surface_mesh ends[2] = {{0}, {0}};
    bool ok = true;
    for (int end = 0; end < 2 && ok; end++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s_t%d.ply", folder, name, end);
        ok = read_surface(path, &ends[end], message);
    }
    if (ok && (ends[0].vertex_count != ends[1].vertex_count ||
               ends[0].triangle_count != ends[1].triangle_count)) {
        ok = message_fail(message, "%s: its two ends are different surfaces", name);
    }
    if (ok) {
        struct moving_surface after;
        moving_surface_make(&ends[0], out);
        moving_surface_make(&ends[1], &after);
        for (size_t i = 0; i < 3 * out->point_count; i++) {
            out->step[i] = after.x[i] - out->x[i];
        }
        moving_surface_free(&after);
    }
    surface_mesh_free(&ends[0]);
    surface_mesh_free(&ends[1]);
    return ok;
}

// --- step bound ---

static void require(bool ok) {
    if (!ok) {
        fprintf(stderr, "collision frames: out of memory\n");
        exit(1);
    }
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct boxes {
    struct box *points, *edges, *triangles;
};

static struct box *new_boxes(size_t count) {
    struct box *boxes = aligned_alloc(CACHE_LINE,
                                      (count * sizeof *boxes / CACHE_LINE + 1) * CACHE_LINE);
    require(boxes != NULL);
    return boxes;
}

static struct boxes swept_boxes(const struct moving_surface *s) {
    const struct boxes b = {new_boxes(s->point_count), new_boxes(s->edge_count),
                            new_boxes(s->triangle_count)};
    const struct point_sweep sweep = {.count = s->point_count, .x = s->x, .step = s->step};
    boxes_of_points(NULL, &sweep, b.points);
    boxes_of_primitives(NULL, b.points, s->edges, 2, s->edge_count, b.edges);
    boxes_of_primitives(NULL, b.points, s->triangles, 3, s->triangle_count, b.triangles);
    return b;
}

static void nodes_of(const struct moving_surface *s, enum pair_kind kind, struct box_pair pair,
                     uint32_t nodes[4]) {
    if (kind == PAIR_EDGE_EDGE) {
        memcpy(nodes, s->edges + 2 * (size_t)pair.query, 2 * sizeof *nodes);
        memcpy(nodes + 2, s->edges + 2 * (size_t)pair.primitive, 2 * sizeof *nodes);
    } else {
        nodes[0] = pair.query;
        memcpy(nodes + 1, s->triangles + 3 * (size_t)pair.primitive, 3 * sizeof *nodes);
    }
}

// Returns the least collision-free time of all pairs. Each pair is tested only up to the least time
// found before.
static double least_time(const struct moving_surface *s, enum pair_kind kind,
                         const struct box_pair_list *list, double t_max,
                         struct collision_statistics *statistics) {
    for (size_t n = 0; n < list->count; n++) {
        uint32_t nodes[4];
        const double *x[4], *dx[4];
        nodes_of(s, kind, list->pairs[n], nodes);
        for (int i = 0; i < 4; i++) {
            x[i] = s->x + 3 * (size_t)nodes[i];
            dx[i] = s->step + 3 * (size_t)nodes[i];
        }
        const struct collision_limits limits = {0.0, INFINITY, 1.0, t_max, 0.0};
        t_max = fmin(t_max, collision_free_time(kind, x, dx, &limits, statistics));
    }
    return t_max;
}

static void bound_over(struct memory *memory, const struct moving_surface *s, enum pair_kind kind,
                       const struct boxes *boxes, const uint32_t *corners,
                       struct collision_step *out) {
    const bool edges = kind == PAIR_EDGE_EDGE;
    struct bounding_tree tree = {0};
    struct box_pair_list list = {0};
    const double start = seconds();
    require(bounding_tree_build(memory, NULL, edges ? boxes->edges : boxes->triangles,
                                edges ? s->edge_count : s->triangle_count,
                                edges ? s->edges : s->triangles, edges ? 2 : 3, &tree) == PBS_OK);
    const struct box_pair_query query = {.tree = &tree,
                                         .boxes = edges ? boxes->edges : boxes->points,
                                         .count = edges ? s->edge_count : s->point_count,
                                         .is_self = edges,
                                         .points = edges ? s->edges : corners,
                                         .width = edges ? 2 : 3};
    require(box_pairs_find(memory, NULL, &query, &list) == PBS_OK);
    const double middle = seconds();
    out->time = least_time(s, kind, &list, out->time, &out->statistics);
    out->broad_seconds += middle - start;
    out->narrow_seconds += seconds() - middle;
    out->pairs += list.count;
    box_pairs_free(memory, &list);
    bounding_tree_free(memory, &tree);
}

struct collision_step collision_frame_bound(struct memory *memory,
                                            const struct moving_surface *surface) {
    struct collision_step out = {.time = 1.0};
    const struct boxes boxes = swept_boxes(surface);
    // Used to exclude pairs of a triangle and one of its own corners.
    uint32_t *corners = calloc(surface->point_count, 3 * sizeof *corners);
    require(corners != NULL);
    for (size_t i = 0; i < 3 * surface->point_count; i++) {
        corners[i] = (uint32_t)(i / 3);
    }
    bound_over(memory, surface, PAIR_POINT_TRIANGLE, &boxes, corners, &out);
    bound_over(memory, surface, PAIR_EDGE_EDGE, &boxes, corners, &out);
    free(corners);
    free(boxes.points);
    free(boxes.edges);
    free(boxes.triangles);
    return out;
}
