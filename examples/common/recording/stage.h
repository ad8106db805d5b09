// Collects what the page of a world shows: bodies in different colours, surfaces with prescribed
// motion, obstacles, and energies. Fills a recording frame by frame.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_STAGE_H
#define PBS_COMMON_STAGE_H

#include <pbs/pbs.h>

#include "common/meshes/mesh.h"
#include "common/recording/recording.h"

/// A zero-initialised struct is an empty stage.
struct stage {
    size_t piece_count;
    struct stage_piece *pieces;
    struct surface_mesh obstacles; ///< do not move
    bool has_ground;               ///< a floor at ground_height
    double ground_height;          ///< m
    double *positions;             ///< of all pieces, one after the other
};

/// Adds the surface of a body of the world.
bool stage_add_body(struct stage *stage, const pbs_world *world, pbs_body body,
                    struct message *message);
/// Adds a surface whose positions (vertex_count x 3, metres) are read again for each frame.
bool stage_add_scripted(struct stage *stage, size_t vertex_count, const double *positions,
                        size_t triangle_count, const uint32_t *triangles, struct message *message);
bool stage_add_obstacle(struct stage *stage, const struct surface_mesh *mesh,
                        struct message *message);
/// Adds an obstacle whose positions are read again for each frame.
bool stage_add_moving_obstacle(struct stage *stage, const struct surface_mesh *mesh,
                               struct message *message);
void stage_free(struct stage *stage);

/// Creates a recording of everything added, without frames. Returns null on failure.
struct recording *stage_record(struct stage *stage, const char *title, double frame_rate,
                               struct message *message);
/// Adds a frame of the world's present state.
bool stage_add_frame(struct stage *stage, const pbs_world *world, struct recording *recording,
                     struct message *message);

#endif
