// Rasterises triangles band by band with nine samples a pixel, then shades every sample: two lights
// with soft shadows, light from the sky, and a floor with a metric grid that fades into the
// background.
// SPDX-License-Identifier: MIT

#include "common/pictures/render.h"

#include "common/images/label.h"
#include "common/pictures/render_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 3, BAND = 24 };

struct sample {
    float inverse_depth; ///< 0 where nothing was hit
    float normal[3];
    uint32_t triangle;
};

// Corners in the grid of samples, with the inverse depth that is linear on the picture.
struct screen_triangle {
    float x[3], y[3], inverse_depth[3];
    bool visible;
};

struct canvas {
    const struct render_scene *scene;
    size_t width, height; ///< in samples
    struct screen_triangle *triangles;
    struct sample *band; ///< [BAND * SAMPLES * width]
    unsigned char gamma[4096];
};

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// --- Geometry ---

static void project(const struct canvas *canvas) {
    const struct render_camera *camera = &canvas->scene->camera;
    float half = 0.5F * (float)canvas->height;
    for (size_t t = 0; t < canvas->scene->triangle_count; t++) {
        const struct render_triangle *triangle = &canvas->scene->triangles[t];
        struct screen_triangle *out = &canvas->triangles[t];
        out->visible = true;
        for (int c = 0; c < 3; c++) {
            float offset[3];
            for (int axis = 0; axis < 3; axis++) {
                offset[axis] = triangle->corners[c].position[axis] - camera->eye[axis];
            }
            float depth = dot(offset, camera->forward);
            out->visible = out->visible && depth > 1e-6F;
            out->inverse_depth[c] = 1.0F / depth;
            float scale = camera->focal * half / depth;
            out->x[c] = 0.5F * (float)canvas->width + scale * dot(offset, camera->right);
            out->y[c] = half - scale * dot(offset, camera->up);
        }
    }
}

static int clamp_int(float value, int low, int high) {
    return value < (float)low ? low : value > (float)high ? high : (int)value;
}

// The part of a triangle within the rows first_row to last_row of samples.
static void draw_triangle(const struct canvas *canvas, uint32_t index, int first_row,
                          int last_row) {
    const struct screen_triangle *s = &canvas->triangles[index];
    const struct render_corner *corners = canvas->scene->triangles[index].corners;
    float area = (s->x[1] - s->x[0]) * (s->y[2] - s->y[0]) -
                 (s->y[1] - s->y[0]) * (s->x[2] - s->x[0]);
    float y_low = fminf(s->y[0], fminf(s->y[1], s->y[2]));
    float y_high = fmaxf(s->y[0], fmaxf(s->y[1], s->y[2]));
    if (!s->visible || area == 0.0F || !(y_high >= (float)first_row) ||
        !(y_low <= (float)last_row + 1.0F)) {
        return;
    }
    int x0 = clamp_int(fminf(s->x[0], fminf(s->x[1], s->x[2])), 0, (int)canvas->width - 1);
    int x1 = clamp_int(fmaxf(s->x[0], fmaxf(s->x[1], s->x[2])), 0, (int)canvas->width - 1);
    int y0 = clamp_int(y_low, first_row, last_row);
    int y1 = clamp_int(y_high, first_row, last_row);
    for (int y = y0; y <= y1; y++) {
        struct sample *row = canvas->band + (size_t)(y - first_row) * canvas->width;
        float cy = (float)y + 0.5F;
        for (int x = x0; x <= x1; x++) {
            float cx = (float)x + 0.5F;
            float u = ((s->x[1] - cx) * (s->y[2] - cy) - (s->y[1] - cy) * (s->x[2] - cx)) / area;
            float v = ((s->x[2] - cx) * (s->y[0] - cy) - (s->y[2] - cy) * (s->x[0] - cx)) / area;
            float w = 1.0F - u - v;
            if (u < 0.0F || v < 0.0F || w < 0.0F) {
                continue;
            }
            float weight[3] = {u * s->inverse_depth[0], v * s->inverse_depth[1],
                               w * s->inverse_depth[2]};
            float inverse_depth = weight[0] + weight[1] + weight[2];
            if (inverse_depth <= row[x].inverse_depth) {
                continue;
            }
            row[x].inverse_depth = inverse_depth;
            row[x].triangle = index;
            for (int axis = 0; axis < 3; axis++) {
                row[x].normal[axis] = weight[0] * corners[0].normal[axis] +
                                      weight[1] * corners[1].normal[axis] +
                                      weight[2] * corners[2].normal[axis];
            }
        }
    }
}

// --- Light ---

static void light_surface(const struct render_scene *scene, const float point[3],
                          const float normal[3], const float view[3], const float color[3],
                          float gloss, unsigned jitter, float out[3]) {
    // The sky above is bright, what comes back from the floor is warm and weak.
    float sky = 0.5F + 0.5F * normal[1];
    const float ambient[3] = {0.10F + 0.16F * sky, 0.10F + 0.17F * sky, 0.10F + 0.19F * sky};
    for (int i = 0; i < 3; i++) {
        out[i] = color[i] * ambient[i];
    }
    for (int l = 0; l < 2; l++) {
        const struct render_light *light = &scene->lights[l];
        float facing = dot(normal, light->towards);
        if (facing <= 0.0F) {
            continue;
        }
        float reached = render_light_reaches(light, point, jitter);
        float half[3] = {light->towards[0] - view[0], light->towards[1] - view[1],
                         light->towards[2] - view[2]};
        float shine = fmaxf(dot(half, normal), 0.0F) / sqrtf(dot(half, half) + 1e-20F);
        // Below 0.85 the power is less than a thousandth.
        shine = l == 0 && gloss > 0.0F && shine > 0.85F ? gloss * powf(shine, 48.0F) : 0.0F;
        for (int i = 0; i < 3; i++) {
            out[i] += reached * light->color[i] * (facing * color[i] + shine);
        }
    }
}

static void background(const float ray[3], float out[3]) {
    float height = fminf(fmaxf(0.5F + 1.4F * ray[1], 0.0F), 1.0F);
    const float low[3] = {0.70F, 0.73F, 0.77F};
    const float high[3] = {0.42F, 0.50F, 0.60F};
    for (int i = 0; i < 3; i++) {
        out[i] = low[i] + (high[i] - low[i]) * height;
    }
}

// How near a coordinate lies to a line of the grid, as darkness 0 to 1.
static float grid_line(float coordinate, float grid, float width) {
    float cells = fabsf(coordinate) / grid;
    if (!(cells < 1e6F)) {
        return 0.0F;
    }
    float offset = fabsf(cells - (float)(int)(cells + 0.5F)) * grid;
    return offset < 0.5F * width ? 1.0F : 0.0F;
}

static void shade_floor(const struct render_scene *scene, const float ray[3], float distance,
                        unsigned jitter, float out[3]) {
    const float up[3] = {0.0F, 1.0F, 0.0F};
    float point[3];
    float centre_offset = 0.0F;
    float size = 0.0F;
    for (int i = 0; i < 3; i++) {
        float middle = 0.5F * (scene->lower[i] + scene->upper[i]);
        point[i] = scene->camera.eye[i] + distance * ray[i];
        centre_offset += i == 1 ? 0.0F : (point[i] - middle) * (point[i] - middle);
        size = fmaxf(size, scene->upper[i] - scene->lower[i]);
    }
    float line = fmaxf(grid_line(point[0], scene->grid, 0.025F * scene->grid),
                       grid_line(point[2], scene->grid, 0.025F * scene->grid));
    float tone = 0.44F - 0.13F * line;
    const float color[3] = {tone, tone, tone * 1.01F};
    float lit[3];
    float far[3];
    light_surface(scene, point, up, ray, color, 0.0F, jitter, lit);
    background(ray, far);
    float fade = fminf(sqrtf(centre_offset) / (5.0F * size), 1.0F);
    fade = fade * fade;
    for (int i = 0; i < 3; i++) {
        out[i] = lit[i] + (far[i] - lit[i]) * fade;
    }
}

static void shade_triangle(const struct render_scene *scene, const struct sample *sample,
                           const float ray[3], float distance, unsigned jitter, float out[3]) {
    const struct render_triangle *triangle = &scene->triangles[sample->triangle];
    float normal[3];
    float point[3];
    float length = sqrtf(dot(sample->normal, sample->normal)) + 1e-30F;
    for (int i = 0; i < 3; i++) {
        normal[i] = sample->normal[i] / length;
        point[i] = scene->camera.eye[i] + distance * ray[i];
    }
    float sign = triangle->two_sided && dot(normal, ray) > 0.0F ? -1.0F : 1.0F;
    for (int i = 0; i < 3; i++) {
        normal[i] *= sign;
        point[i] += 0.004F * scene->lights[0].half_size * normal[i];
    }
    light_surface(scene, point, normal, ray, triangle->color, triangle->two_sided ? 0.04F : 0.22F,
                  jitter, out);
}

static void shade_sample(const struct canvas *canvas, size_t x, size_t y, size_t row,
                         float out[3]) {
    const struct render_scene *scene = canvas->scene;
    const struct render_camera *camera = &scene->camera;
    float half = 0.5F * (float)canvas->height;
    float sx = ((float)x + 0.5F - 0.5F * (float)canvas->width) / half / camera->focal;
    float sy = (half - (float)y - 0.5F) / half / camera->focal;
    float ray[3];
    for (int i = 0; i < 3; i++) {
        ray[i] = camera->forward[i] + sx * camera->right[i] + sy * camera->up[i];
    }
    float length = sqrtf(dot(ray, ray));
    for (int i = 0; i < 3; i++) {
        ray[i] /= length;
    }
    unsigned jitter = (unsigned)(x % SAMPLES + SAMPLES * (y % SAMPLES));
    const struct sample *sample = &canvas->band[row * canvas->width + x];
    float hit = sample->inverse_depth > 0.0F ? length / sample->inverse_depth : INFINITY;
    float floor_hit = ray[1] < 0.0F ? (scene->ground_height - camera->eye[1]) / ray[1] : INFINITY;
    // What lies in the floor's own plane, such as the underside of a resting body, wins over the
    // floor.
    if (hit < INFINITY && (floor_hit <= 0.0F || hit <= floor_hit * 1.0005F)) {
        shade_triangle(scene, sample, ray, hit, jitter, out);
    } else if (floor_hit > 0.0F && floor_hit < INFINITY) {
        shade_floor(scene, ray, floor_hit, jitter, out);
    } else {
        background(ray, out);
    }
}

// --- Pictures ---

static void fill_gamma(struct canvas *canvas) {
    for (int i = 0; i < 4096; i++) {
        double value = pow((double)i / 4095.0, 1.0 / 2.2);
        canvas->gamma[i] = (unsigned char)(255.0 * value + 0.5);
    }
}

static void resolve_band(const struct canvas *canvas, size_t first_row, struct image *image) {
    size_t first_pixel = first_row / SAMPLES;
    for (size_t y = first_pixel; y < first_pixel + BAND && y < image->height; y++) {
        for (size_t x = 0; x < image->width; x++) {
            float sum[3] = {0.0F, 0.0F, 0.0F};
            for (size_t s = 0; s < SAMPLES * SAMPLES; s++) {
                size_t sx = SAMPLES * x + s % SAMPLES;
                size_t sy = SAMPLES * y + s / SAMPLES;
                float color[3];
                shade_sample(canvas, sx, sy, sy - first_row, color);
                for (int i = 0; i < 3; i++) {
                    sum[i] += fminf(color[i], 1.0F);
                }
            }
            for (size_t i = 0; i < 3; i++) {
                float level = sum[i] / (float)(SAMPLES * SAMPLES);
                image->pixels[3 * (y * image->width + x) +
                              i] = canvas->gamma[clamp_int(4095.0F * level, 0, 4095)];
            }
        }
    }
}

static void draw_bands(const struct canvas *canvas, struct image *image) {
    for (size_t row = 0; row < canvas->height; row += BAND * SAMPLES) {
        size_t rows = canvas->height - row < BAND * SAMPLES ? canvas->height - row : BAND * SAMPLES;
        memset(canvas->band, 0, rows * canvas->width * sizeof *canvas->band);
        for (size_t t = 0; t < canvas->scene->triangle_count; t++) {
            draw_triangle(canvas, (uint32_t)t, (int)row, (int)(row + rows - 1));
        }
        resolve_band(canvas, row, image);
    }
}

static bool draw_scene(const struct render_scene *scene, struct image *image) {
    struct canvas canvas = {
        .scene = scene, .width = SAMPLES * image->width, .height = SAMPLES * image->height};
    canvas.triangles = malloc((scene->triangle_count + 1) * sizeof *canvas.triangles);
    canvas.band = malloc(BAND * SAMPLES * canvas.width * sizeof *canvas.band);
    bool done = canvas.triangles != NULL && canvas.band != NULL;
    if (done) {
        fill_gamma(&canvas);
        project(&canvas);
        draw_bands(&canvas, image);
    }
    free(canvas.triangles);
    free(canvas.band);
    return done;
}

bool render_frame(const struct scene_picture *scene, size_t frame, size_t width, size_t height,
                  struct image *out, struct message *message) {
    static const unsigned char ink[3] = {70, 76, 84};
    struct render_scene prepared;
    *out = (struct image){0};
    if (frame >= scene->frame_count) {
        return message_fail(message, "frame %zu of %zu cannot be drawn", frame, scene->frame_count);
    }
    if (!image_create(out, width, height) ||
        !render_scene_create(scene, frame, (double)width / (double)height, &prepared)) {
        image_free(out);
        return message_fail(message, "memory ran out while drawing %zu by %zu pixels", width,
                            height);
    }
    bool done = draw_scene(&prepared, out);
    char text[64];
    text_print(text, sizeof text, "t = %.3f s   grid %g m",
               scene->start_time + (double)frame / scene->frame_rate, (double)prepared.grid);
    size_t scale = height >= 480 ? 2 : 1;
    if (done && height > 40) {
        label_draw(out, 6 * scale, height - 12 * scale, scale, ink, text);
    }
    render_scene_free(&prepared);
    return done ||
           message_fail(message, "memory ran out while drawing %zu by %zu pixels", width, height);
}

static void paste(struct image *sheet, const struct image *tile, size_t x, size_t y) {
    for (size_t row = 0; row < tile->height; row++) {
        memcpy(sheet->pixels + 3 * ((y + row) * sheet->width + x),
               tile->pixels + 3 * row * tile->width, 3 * tile->width);
    }
}

// How far the vertices moved from one frame to the next, on average.
static double mean_motion(const struct scene_picture *scene, size_t frame) {
    const float *a = scene->frames[frame];
    const float *b = scene->frames[frame + 1];
    double sum = 0.0;
    for (size_t v = 0; v < scene->vertex_count; v++) {
        const double d[3] = {(double)b[3 * v] - (double)a[3 * v],
                             (double)b[3 * v + 1] - (double)a[3 * v + 1],
                             (double)b[3 * v + 2] - (double)a[3 * v + 2]};
        sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    return sum / (double)scene->vertex_count;
}

// Frames that are equally far apart in how much has happened: a quarter of that is time, the rest
// is motion, as most of a run shows things that have come to rest.
static bool choose_frames(const struct scene_picture *scene, size_t count, size_t *chosen) {
    const size_t last = scene->frame_count - 1;
    double *happened = calloc(scene->frame_count, sizeof *happened);
    if (happened == NULL) {
        return false;
    }
    for (size_t f = 0; f < last; f++) {
        happened[f + 1] = happened[f] + mean_motion(scene, f);
    }
    const double motion = happened[last];
    for (size_t f = 1; f <= last; f++) {
        const double moved = motion > 0.0 ? happened[f] / motion : 0.0;
        happened[f] = 0.25 * (double)f / (double)last + 0.75 * moved;
    }
    // Never one frame twice, and enough frames left for the tiles that follow.
    size_t frame = 0;
    for (size_t i = 0; i < count; i++) {
        const double wanted = count > 1 ? (double)i / (double)(count - 1) * happened[last] : 0.0;
        while (frame < last - (count - 1 - i) && happened[frame] < wanted * (1.0 - 1e-12)) {
            frame++;
        }
        chosen[i] = frame++;
    }
    free(happened);
    return true;
}

bool render_contact_sheet(const struct scene_picture *scene, struct image *out,
                          struct message *message) {
    enum { COLUMNS = 4, TILE_WIDTH = 320, TILE_HEIGHT = 240, GAP = 4, MOST = 12 };
    size_t count = scene->frame_count < MOST ? scene->frame_count : MOST;
    size_t rows = (count + COLUMNS - 1) / COLUMNS;
    size_t chosen[MOST];
    if (count == 0 || !choose_frames(scene, count, chosen) ||
        !image_create(out, COLUMNS * (TILE_WIDTH + GAP) - GAP, rows * (TILE_HEIGHT + GAP) - GAP)) {
        *out = (struct image){0};
        return message_fail(message, "no room or no frames for a contact sheet");
    }
    memset(out->pixels, 255, 3 * out->width * out->height);
    for (size_t i = 0; i < count; i++) {
        struct image tile;
        if (!render_frame(scene, chosen[i], TILE_WIDTH, TILE_HEIGHT, &tile, message)) {
            image_free(out);
            return false;
        }
        paste(out, &tile, i % COLUMNS * (TILE_WIDTH + GAP), i / COLUMNS * (TILE_HEIGHT + GAP));
        image_free(&tile);
    }
    return true;
}
