// Prepares a frame for the renderer: corner normals that keep creases, a camera that fits all
// frames, light maps.
// SPDX-License-Identifier: MIT

#include "common/pictures/render_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float a[3], const float b[3], float out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(float v[3]) {
    float length = sqrtf(dot(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] = length > 0.0F ? v[i] / length : 0.0F;
    }
}

// --- Triangles with normals ---

// A surface as the renderer wants it: float points and index triples.
struct source {
    size_t vertex_count;
    const float *positions;
    size_t triangle_count;
    const uint32_t *triangles;
};

static void face_normal(const struct source *mesh, size_t triangle, float out[3]) {
    const float *p[3];
    float e[2][3];
    for (int c = 0; c < 3; c++) {
        p[c] = mesh->positions + 3 * (size_t)mesh->triangles[3 * triangle + (size_t)c];
    }
    for (int axis = 0; axis < 3; axis++) {
        e[0][axis] = p[1][axis] - p[0][axis];
        e[1][axis] = p[2][axis] - p[0][axis];
    }
    cross(e[0], e[1], out);
}

// Triangles around each vertex as lists behind each other: list v is fans[first[v]] to
// fans[first[v+1]].
static bool list_fans(const struct source *mesh, size_t **first, uint32_t **fans) {
    *first = calloc(mesh->vertex_count + 2, sizeof **first);
    *fans = malloc((3 * mesh->triangle_count + 1) * sizeof **fans);
    if (*first == NULL || *fans == NULL) {
        return false;
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        (*first)[mesh->triangles[i] + 2]++;
    }
    for (size_t v = 2; v < mesh->vertex_count + 2; v++) {
        (*first)[v] += (*first)[v - 1];
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        (*fans)[(*first)[mesh->triangles[i] + 1]++] = (uint32_t)(i / 3);
    }
    return true;
}

// The mean of the faces around a corner that lie within 45 degrees of its own, weighted by area.
static void corner_normal(const float *normals, const uint32_t *fan, size_t count, size_t own,
                          float out[3]) {
    const float *mine = normals + 3 * own;
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const float *other = normals + 3 * (size_t)fan[i];
        if (dot(mine, other) >= 0.7071F * sqrtf(dot(mine, mine) * dot(other, other))) {
            for (int axis = 0; axis < 3; axis++) {
                out[axis] += other[axis];
            }
        }
    }
    normalize(out);
}

static bool add_source(struct render_scene *scene, const struct source *mesh, bool two_sided) {
    size_t *first = NULL;
    uint32_t *fans = NULL;
    float *normals = malloc((3 * mesh->triangle_count + 1) * sizeof *normals);
    bool done = list_fans(mesh, &first, &fans) && normals != NULL;
    for (size_t t = 0; done && t < mesh->triangle_count; t++) {
        face_normal(mesh, t, normals + 3 * t);
    }
    for (size_t t = 0; done && t < mesh->triangle_count; t++) {
        struct render_triangle *out = &scene->triangles[scene->triangle_count++];
        out->two_sided = two_sided;
        for (int c = 0; c < 3; c++) {
            size_t v = mesh->triangles[3 * t + (size_t)c];
            memcpy(out->corners[c].position, mesh->positions + 3 * v,
                   sizeof out->corners[c].position);
            corner_normal(normals, fans + first[v], first[v + 1] - first[v], t,
                          out->corners[c].normal);
        }
    }
    free(first);
    free(fans);
    free(normals);
    return done;
}

static bool add_triangles(const struct scene_picture *picture, size_t frame,
                          struct render_scene *scene) {
    static const float obstacle_color[3] = {0.42F, 0.45F, 0.50F};
    const struct surface_mesh *obstacles = &picture->obstacles;
    size_t total = picture->triangle_count + obstacles->triangle_count;
    float *still = malloc((3 * obstacles->vertex_count + 1) * sizeof *still);
    scene->triangles = calloc(total + 1, sizeof *scene->triangles);
    bool done = still != NULL && scene->triangles != NULL;
    if (done) {
        for (size_t i = 0; i < 3 * obstacles->vertex_count; i++) {
            still[i] = (float)obstacles->positions[i];
        }
        struct source moving = {picture->vertex_count, picture->frames[frame],
                                picture->triangle_count, picture->triangles};
        struct source fixed = {obstacles->vertex_count, still, obstacles->triangle_count,
                               obstacles->triangles};
        done = add_source(scene, &moving, false) && add_source(scene, &fixed, true);
    }
    for (size_t p = 0; done && p < picture->part_count; p++) {
        const struct picture_part *part = &picture->parts[p];
        for (size_t t = 0; t < part->triangle_count; t++) {
            memcpy(scene->triangles[part->first_triangle + t].color, part->color,
                   sizeof part->color);
        }
    }
    for (size_t t = picture->triangle_count; done && t < total; t++) {
        memcpy(scene->triangles[t].color, obstacle_color, sizeof obstacle_color);
    }
    free(still);
    return done;
}

// --- Camera ---

typedef void (*point_visit)(const float point[3], void *user);

// Corners of the parts that are obstacles, or of those that are not, in up to 32 frames.
static void visit_parts(const struct scene_picture *picture, bool obstacles, point_visit visit,
                        void *user) {
    const size_t step = picture->frame_count / 32 + 1;
    for (size_t f = 0; f < picture->frame_count; f += step) {
        for (size_t p = 0; p < picture->part_count; p++) {
            const struct picture_part *part = &picture->parts[p];
            const uint32_t *corners = picture->triangles + 3 * part->first_triangle;
            for (size_t k = 0; k < 3 * part->triangle_count && part->is_obstacle == obstacles;
                 k++) {
                visit(picture->frames[f] + 3 * (size_t)corners[k], user);
            }
        }
    }
}

// Passes on what is within a box.
struct box_filter {
    const float *lower, *upper;
    point_visit visit;
    void *user;
};

static void visit_if_inside(const float point[3], void *user) {
    const struct box_filter *filter = user;
    for (int axis = 0; axis < 3; axis++) {
        if (!(point[axis] >= filter->lower[axis] && point[axis] <= filter->upper[axis])) {
            return;
        }
    }
    filter->visit(point, filter->user);
}

// The points of obstacles within a box, of those that move too.
static void visit_obstacles(const struct scene_picture *picture, const float lower[3],
                            const float upper[3], point_visit visit, void *user) {
    struct box_filter filter = {lower, upper, visit, user};
    visit_parts(picture, true, visit_if_inside, &filter);
    for (size_t v = 0; v < picture->obstacles.vertex_count; v++) {
        float point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = (float)picture->obstacles.positions[3 * v + (size_t)axis];
        }
        visit_if_inside(point, &filter);
    }
}

static void visit_points(const struct scene_picture *picture, const struct render_scene *scene,
                         point_visit visit, void *user) {
    visit_parts(picture, false, visit, user);
    visit_obstacles(picture, scene->lower, scene->upper, visit, user);
}

static void widen_bounds(const float point[3], void *user) {
    struct render_scene *scene = user;
    for (int axis = 0; axis < 3; axis++) {
        scene->lower[axis] = fminf(scene->lower[axis], point[axis]);
        scene->upper[axis] = fmaxf(scene->upper[axis], point[axis]);
    }
}

// Extremes of the slopes under which the points are seen from the eye.
struct view_range {
    const struct render_camera *camera;
    float low[2], high[2];
};

static void widen_view(const float point[3], void *user) {
    struct view_range *view = user;
    float offset[3];
    for (int axis = 0; axis < 3; axis++) {
        offset[axis] = point[axis] - view->camera->eye[axis];
    }
    float depth = dot(offset, view->camera->forward);
    const float slope[2] = {dot(offset, view->camera->right) / depth,
                            dot(offset, view->camera->up) / depth};
    for (int i = 0; i < 2; i++) {
        view->low[i] = fminf(view->low[i], slope[i]);
        view->high[i] = fmaxf(view->high[i], slope[i]);
    }
}

static void aim_camera(struct render_camera *camera, const float forward[3]) {
    const float world_up[3] = {0.0F, 1.0F, 0.0F};
    memcpy(camera->forward, forward, sizeof camera->forward);
    normalize(camera->forward);
    cross(camera->forward, world_up, camera->right);
    normalize(camera->right);
    cross(camera->right, camera->forward, camera->up);
}

// Looks from the front, a little from the right and above, and turns until the picture is filled
// evenly.
static void place_camera(const struct scene_picture *picture, double aspect,
                         struct render_scene *scene) {
    struct render_camera *camera = &scene->camera;
    float centre[3];
    float size = 0.0F;
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = 0.5F * (scene->lower[axis] + scene->upper[axis]);
        size += (scene->upper[axis] - scene->lower[axis]) *
                (scene->upper[axis] - scene->lower[axis]);
    }
    size = size > 0.0F ? sqrtf(size) : 1.0F;
    // A row is seen more from the front, so that its ends are about as far away.
    const float wide = scene->upper[0] - scene->lower[0];
    const float deep = scene->upper[2] - scene->lower[2];
    float forward[3] = {wide > 2.5F * deep ? -0.12F : -0.42F, -0.58F, -0.79F};
    aim_camera(camera, forward);
    for (int axis = 0; axis < 3; axis++) {
        camera->eye[axis] = centre[axis] - 2.4F * size * camera->forward[axis];
    }
    struct view_range view;
    for (int i = 0; i < 3; i++) {
        view = (struct view_range){camera, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
        visit_points(picture, scene, widen_view, &view);
        for (int axis = 0; axis < 3; axis++) {
            forward[axis] = camera->forward[axis] +
                            0.5F * (view.low[0] + view.high[0]) * camera->right[axis] +
                            0.5F * (view.low[1] + view.high[1]) * camera->up[axis];
        }
        aim_camera(camera, forward);
    }
    float half = fmaxf(0.5F * (view.high[1] - view.low[1]),
                       0.5F * (view.high[0] - view.low[0]) / (float)aspect);
    // The margin leaves room for the shadow.
    camera->focal = 1.0F / fmaxf(1.15F * half, 1e-6F);
}

// A box around what moves, and around those points of obstacles that are within half its diagonal:
// a small body on a large obstacle should fill the picture.
static void bound_scene(const struct scene_picture *picture, struct render_scene *scene) {
    float near_lower[3];
    float near_upper[3];
    float square = 0.0F;
    for (int axis = 0; axis < 3; axis++) {
        scene->lower[axis] = INFINITY;
        scene->upper[axis] = -INFINITY;
    }
    visit_parts(picture, false, widen_bounds, scene);
    for (int axis = 0; axis < 3; axis++) {
        square += powf(scene->upper[axis] - scene->lower[axis], 2.0F);
    }
    for (int axis = 0; axis < 3; axis++) {
        near_lower[axis] = scene->lower[axis] - 0.5F * sqrtf(square);
        near_upper[axis] = scene->upper[axis] + 0.5F * sqrtf(square);
    }
    visit_obstacles(picture, near_lower, near_upper, widen_bounds, scene);
}

static void frame_scene(const struct scene_picture *picture, double aspect,
                        struct render_scene *scene) {
    bound_scene(picture, scene);
    scene->ground_height = (float)picture->ground_height;
    float extent = 1e-6F;
    for (int axis = 0; axis < 3; axis++) {
        extent = fmaxf(extent, scene->upper[axis] - scene->lower[axis]);
    }
    // About six cells across the scene.
    float power = powf(10.0F, floorf(log10f(extent / 6.0F)));
    float steps = extent / 6.0F / power;
    scene->grid = power * (steps < 1.5F ? 1.0F : steps < 3.5F ? 2.0F : steps < 7.5F ? 5.0F : 10.0F);
    place_camera(picture, aspect, scene);
}

// --- Lights ---

static void to_light(const struct render_light *light, const float point[3], float out[3]) {
    float offset[3];
    for (int axis = 0; axis < 3; axis++) {
        offset[axis] = point[axis] - light->centre[axis];
    }
    float scale = 0.5F * LIGHT_MAP_SIZE / light->half_size;
    out[0] = dot(offset, light->right) * scale + 0.5F * LIGHT_MAP_SIZE;
    out[1] = dot(offset, light->up) * scale + 0.5F * LIGHT_MAP_SIZE;
    out[2] = dot(offset, light->towards);
}

// Keeps the greatest depth of the triangle in every cell that it covers.
static void draw_into_map(struct render_light *light, const struct render_triangle *triangle) {
    float p[3][3];
    for (int c = 0; c < 3; c++) {
        to_light(light, triangle->corners[c].position, p[c]);
    }
    float area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                 (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (area == 0.0F || !isfinite(area)) {
        return;
    }
    const float limit = LIGHT_MAP_SIZE - 1;
    int x0 = (int)fminf(fmaxf(floorf(fminf(p[0][0], fminf(p[1][0], p[2][0]))), 0.0F), limit);
    int x1 = (int)fminf(fmaxf(ceilf(fmaxf(p[0][0], fmaxf(p[1][0], p[2][0]))), 0.0F), limit);
    int y0 = (int)fminf(fmaxf(floorf(fminf(p[0][1], fminf(p[1][1], p[2][1]))), 0.0F), limit);
    int y1 = (int)fminf(fmaxf(ceilf(fmaxf(p[0][1], fmaxf(p[1][1], p[2][1]))), 0.0F), limit);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            float cx = (float)x + 0.5F;
            float cy = (float)y + 0.5F;
            float u = ((p[1][0] - cx) * (p[2][1] - cy) - (p[1][1] - cy) * (p[2][0] - cx)) / area;
            float v = ((p[2][0] - cx) * (p[0][1] - cy) - (p[2][1] - cy) * (p[0][0] - cx)) / area;
            float w = 1.0F - u - v;
            if (u >= 0.0F && v >= 0.0F && w >= 0.0F) {
                float depth = u * p[0][2] + v * p[1][2] + w * p[2][2];
                float *cell = &light->depth[y * LIGHT_MAP_SIZE + x];
                *cell = fmaxf(*cell, depth);
            }
        }
    }
}

static bool light_create(struct render_light *light, const struct render_scene *scene) {
    const float aside[3] = {0.0F, 0.0F, 1.0F};
    float radius = 0.0F;
    for (int axis = 0; axis < 3; axis++) {
        light->centre[axis] = 0.5F * (scene->lower[axis] + scene->upper[axis]);
        radius += powf(0.5F * (scene->upper[axis] - scene->lower[axis]), 2.0F);
    }
    light->half_size = 1.15F * fmaxf(sqrtf(radius), 1e-6F);
    normalize(light->towards);
    cross(aside, light->towards, light->right);
    normalize(light->right);
    cross(light->towards, light->right, light->up);
    for (int i = 0; i < 36; i++) {
        // A spiral that turns by the golden angle.
        float distance = light->softness * sqrtf(((float)i + 0.5F) / 36.0F);
        light->blur[i][0] = distance * cosf(2.39996F * (float)i);
        light->blur[i][1] = distance * sinf(2.39996F * (float)i);
    }
    light->depth = malloc(sizeof *light->depth * LIGHT_MAP_SIZE * LIGHT_MAP_SIZE);
    if (light->depth == NULL) {
        return false;
    }
    for (size_t i = 0; i < (size_t)LIGHT_MAP_SIZE * LIGHT_MAP_SIZE; i++) {
        light->depth[i] = -INFINITY;
    }
    for (size_t t = 0; t < scene->triangle_count; t++) {
        draw_into_map(light, &scene->triangles[t]);
    }
    return true;
}

float render_light_reaches(const struct render_light *light, const float point[3],
                           unsigned jitter) {
    float at[3];
    float reached = 0.0F;
    to_light(light, point, at);
    float slack = 0.012F * light->half_size;
    for (unsigned i = 0; i < 4; i++) {
        const float *blur = light->blur[4 * jitter + i];
        float x = at[0] + blur[0];
        float y = at[1] + blur[1];
        bool mapped = x >= 0.0F && y >= 0.0F && x < LIGHT_MAP_SIZE && y < LIGHT_MAP_SIZE;
        bool hidden = mapped && light->depth[(int)y * LIGHT_MAP_SIZE + (int)x] > at[2] + slack;
        reached += hidden ? 0.0F : 0.25F;
    }
    return reached;
}

bool render_scene_create(const struct scene_picture *picture, size_t frame, double aspect,
                         struct render_scene *out) {
    *out = (struct render_scene){
        .lights = {
            {.towards = {-0.45F, 1.0F, 0.55F}, .color = {0.98F, 0.93F, 0.84F}, .softness = 9.0F},
            {.towards = {0.02F, 1.0F, 0.0F}, .color = {0.36F, 0.41F, 0.50F}, .softness = 60.0F}}};
    if (!add_triangles(picture, frame, out)) {
        render_scene_free(out);
        return false;
    }
    frame_scene(picture, aspect, out);
    if (!light_create(&out->lights[0], out) || !light_create(&out->lights[1], out)) {
        render_scene_free(out);
        return false;
    }
    return true;
}

void render_scene_free(struct render_scene *scene) {
    free(scene->triangles);
    free(scene->lights[0].depth);
    free(scene->lights[1].depth);
    *scene = (struct render_scene){0};
}
