// What every picture writer draws: frames of moving triangles over a floor, with obstacles and an
// energy table. recording.h fills it; nothing here is owned.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_SCENE_PICTURE_H
#define PBS_COMMON_SCENE_PICTURE_H

#include "common/meshes/mesh.h"

/// Triangles of one colour (linear 0..1): a body, or a part of one.
struct picture_part {
    size_t first_triangle;
    size_t triangle_count;
    float color[3];
    bool is_obstacle; ///< moves, but the camera looks at it only where it is near the others
};

struct scene_picture {
    const char *title;
    double frame_rate;
    double start_time; ///< of the first frame
    size_t frame_count;
    size_t vertex_count;        ///< of the drawn surface only
    const float *const *frames; ///< [frame_count] of [vertex_count * 3]
    size_t triangle_count;
    const uint32_t *triangles; ///< [triangle_count * 3]
    size_t part_count;         ///< at least 1; parts cover all triangles
    const struct picture_part *parts;
    struct surface_mesh obstacles;
    double ground_height;
    size_t energy_count;
    const char *const *energy_names;
    const float (*energy_colors)[3]; ///< [energy_count]; null: colours of their own
    const double *energies;          ///< [frame_count * energy_count]
    size_t count_columns;            ///< the last ones of them are numbers, not joules
};

#endif
