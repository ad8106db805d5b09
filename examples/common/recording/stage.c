// See stage.h.
// SPDX-License-Identifier: MIT

#include "common/recording/stage.h"

#include <stdlib.h>
#include <string.h>

struct stage_piece {
    pbs_body body;
    const double *scripted; ///< null for a body
    size_t vertex_count, triangle_count;
    uint32_t *triangles; ///< triangle_count x 3, of the piece's own vertices
    bool is_obstacle;
};

static const char *const energy_names[] = {"kinetic", "elastic", "gravity", "contact", "total"};

enum { ENERGY_COUNT = sizeof energy_names / sizeof *energy_names };

// That of obstacles that stand still, in render_scene.c.
static const float obstacle_color[3] = {0.42f, 0.45f, 0.50f};

// Neighbours in the list differ.
static const float colors[][3] = {
    {0.80f, 0.12f, 0.12f}, {0.15f, 0.35f, 0.75f}, {0.80f, 0.45f, 0.10f}, {0.10f, 0.55f, 0.60f},
    {0.45f, 0.20f, 0.60f}, {0.20f, 0.55f, 0.15f}, {0.70f, 0.55f, 0.10f}};

static bool add_piece(struct stage *stage, const struct stage_piece *like,
                      const uint32_t *triangles, struct message *message) {
    struct stage_piece *pieces = realloc(stage->pieces, (stage->piece_count + 1) * sizeof *pieces);
    if (pieces == NULL) {
        return message_fail(message, "out of memory");
    }
    stage->pieces = pieces;
    struct stage_piece *piece = pieces + stage->piece_count;
    *piece = *like;
    piece->triangles = malloc((3 * piece->triangle_count + 1) * sizeof *piece->triangles);
    if (piece->triangles == NULL) {
        return message_fail(message, "out of memory");
    }
    stage->piece_count++;
    memcpy(piece->triangles, triangles, 3 * piece->triangle_count * sizeof *triangles);
    return true;
}

bool stage_add_body(struct stage *stage, const pbs_world *world, pbs_body body,
                    struct message *message) {
    const uint32_t *triangles = NULL;
    struct stage_piece piece = {.body = body, .vertex_count = pbs_body_vertex_count(world, body)};
    if (pbs_body_surface(world, body, &triangles, &piece.triangle_count) < 0) {
        return message_fail(message, "surface: %s", pbs_last_error());
    }
    return add_piece(stage, &piece, triangles, message);
}

bool stage_add_scripted(struct stage *stage, size_t vertex_count, const double *positions,
                        size_t triangle_count, const uint32_t *triangles, struct message *message) {
    const struct stage_piece piece = {
        .scripted = positions, .vertex_count = vertex_count, .triangle_count = triangle_count};
    return add_piece(stage, &piece, triangles, message);
}

bool stage_add_moving_obstacle(struct stage *stage, const struct surface_mesh *mesh,
                               struct message *message) {
    const struct stage_piece piece = {.scripted = mesh->positions,
                                      .vertex_count = mesh->vertex_count,
                                      .triangle_count = mesh->triangle_count,
                                      .is_obstacle = true};
    return add_piece(stage, &piece, mesh->triangles, message);
}

bool stage_add_obstacle(struct stage *stage, const struct surface_mesh *mesh,
                        struct message *message) {
    return surface_mesh_append(&stage->obstacles, mesh) || message_fail(message, "out of memory");
}

void stage_free(struct stage *stage) {
    for (size_t i = 0; i < stage->piece_count; i++) {
        free(stage->pieces[i].triangles);
    }
    free(stage->pieces);
    free(stage->positions);
    surface_mesh_free(&stage->obstacles);
    *stage = (struct stage){0};
}

// --- the recording ---

/// Triangles and colours of all pieces; numbers of vertices count on from piece to piece.
static void fill_parts(const struct stage *stage, uint32_t *triangles, struct picture_part *parts) {
    size_t vertices = 0, count = 0;
    for (size_t i = 0; i < stage->piece_count; i++) {
        const struct stage_piece *piece = &stage->pieces[i];
        parts[i].first_triangle = count;
        parts[i].triangle_count = piece->triangle_count;
        parts[i].is_obstacle = piece->is_obstacle;
        memcpy(parts[i].color,
               piece->is_obstacle ? obstacle_color : colors[i % (sizeof colors / sizeof *colors)],
               sizeof *colors);
        for (size_t k = 0; k < 3 * piece->triangle_count; k++) {
            triangles[3 * count + k] = piece->triangles[k] + (uint32_t)vertices;
        }
        vertices += piece->vertex_count;
        count += piece->triangle_count;
    }
}

struct recording *stage_record(struct stage *stage, const char *title, double frame_rate,
                               struct message *message) {
    struct recording_desc desc = {.title = title,
                                  .frame_rate = frame_rate,
                                  .part_count = stage->piece_count,
                                  .obstacles = &stage->obstacles,
                                  .has_ground = stage->has_ground,
                                  .ground_height = stage->ground_height,
                                  .energy_names = energy_names,
                                  .energy_count = ENERGY_COUNT};
    for (size_t i = 0; i < stage->piece_count; i++) {
        desc.vertex_count += stage->pieces[i].vertex_count;
        desc.triangle_count += stage->pieces[i].triangle_count;
    }
    uint32_t *triangles = malloc((3 * desc.triangle_count + 1) * sizeof *triangles);
    struct picture_part *parts = calloc(stage->piece_count + 1, sizeof *parts);
    double *positions = malloc((3 * desc.vertex_count + 1) * sizeof *positions);
    struct recording *recording = NULL;
    if (triangles == NULL || parts == NULL || positions == NULL) {
        message_fail(message, "out of memory");
    } else {
        fill_parts(stage, triangles, parts);
        desc.triangles = triangles;
        desc.parts = parts;
        recording = recording_create(&desc, message);
    }
    free(triangles);
    free(parts);
    free(stage->positions);
    stage->positions = positions;
    return recording;
}

bool stage_add_frame(struct stage *stage, const pbs_world *world, struct recording *recording,
                     struct message *message) {
    pbs_energy energy = {.struct_size = sizeof energy};
    if (pbs_world_energy(world, &energy) < 0) {
        return message_fail(message, "energy: %s", pbs_last_error());
    }
    const double energies[ENERGY_COUNT] = {energy.kinetic, energy.elastic, energy.gravity,
                                           energy.contact, energy.total};
    double *to = stage->positions;
    for (size_t i = 0; i < stage->piece_count; i++) {
        const struct stage_piece *piece = &stage->pieces[i];
        const double *from = piece->scripted != NULL ? piece->scripted
                                                     : pbs_body_positions(world, piece->body);
        memcpy(to, from, 3 * piece->vertex_count * sizeof *to);
        to += 3 * piece->vertex_count;
    }
    const struct recording_frame frame = {.positions = stage->positions, .energies = energies};
    return recording_add_frame(recording, &frame, message);
}
