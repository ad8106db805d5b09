// What the renderer draws, made ready: one list of triangles with corner normals and colours, the
// camera that sees all frames, and maps of what each light reaches.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_RENDER_SCENE_H
#define PBS_COMMON_RENDER_SCENE_H

#include "common/pictures/scene_picture.h"

/// A corner of a triangle in world space.
struct render_corner {
    float position[3];
    float normal[3];
};

struct render_triangle {
    struct render_corner corners[3];
    float color[3];
    bool two_sided; ///< obstacles may be open sheets
};

struct render_camera {
    float eye[3];
    float right[3], up[3], forward[3]; ///< orthonormal
    float focal;                       ///< half a picture's height is 1 at this distance
};

enum { LIGHT_MAP_SIZE = 768 };

/// A distant light with the depth of the first triangle along its rays.
struct render_light {
    float towards[3]; ///< unit vector to the light
    float right[3], up[3];
    float color[3];
    float centre[3];
    float half_size;   ///< of the mapped square
    float softness;    ///< radius of the blur, in cells of the map
    float blur[36][2]; ///< a disc of that radius, covered evenly
    float *depth;      ///< [LIGHT_MAP_SIZE^2] along `towards`, the greater the nearer to the light
};

struct render_scene {
    size_t triangle_count;
    struct render_triangle *triangles;
    struct render_camera camera;
    struct render_light lights[2];
    float lower[3], upper[3]; ///< around all frames and obstacles
    float ground_height;
    float grid; ///< distance of the lines on the floor: 1, 2 or 5 times a power of ten
};

/// The frame's triangles; camera and floor are the same for every frame of a recording.
bool render_scene_create(const struct scene_picture *picture, size_t frame, double aspect,
                         struct render_scene *out);
void render_scene_free(struct render_scene *scene);
/// How much of a light reaches a point, 0 to 1, from four samples; `jitter` (0 to 8) selects which.
float render_light_reaches(const struct render_light *light, const float point[3], unsigned jitter);

#endif
