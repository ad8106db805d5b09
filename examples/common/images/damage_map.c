// See damage_map.h.
// SPDX-License-Identifier: MIT

#include "common/images/damage_map.h"

#include <math.h>

static const unsigned char NOTCH[3] = {120, 120, 120};

static void colour(double damage, unsigned char out[3]) {
    static const double stops[4][3] = {
        {246.0, 246.0, 244.0}, {253.0, 190.0, 110.0}, {215.0, 48.0, 39.0}, {103.0, 0.0, 31.0}};
    // A clean crack takes about half of the bonds of a particle at its side.
    const double place = 3.0 * fmin(1.0, damage / 0.6);
    const int k = (int)fmin(2.0, place);
    for (int c = 0; c < 3; c++) {
        out[c] = (unsigned char)lround(stops[k][c] + (place - k) * (stops[k + 1][c] - stops[k][c]));
    }
}

/// Damage knows of what broke, and nothing of cuts.
static bool is_notch(const struct cracked_plate *plate, size_t particle) {
    const double *x = plate->places + 3 * particle;
    return x[0] < 0.05 && fabs(fabs(x[1]) - plate->notch_y) < plate->desc.spacing;
}

bool damage_map_draw(const struct cracked_plate *plate, size_t width, struct image *image) {
    const float *damage = pbs_body_damage(plate->world, plate->body);
    const size_t height = (size_t)lround((double)width * plate->size[1] / plate->size[0]);
    if (damage == NULL || !image_create(image, width, height)) {
        return false;
    }
    for (size_t p = 0; p < width * height; p++) {
        const size_t column = p % width * plate->columns / width;
        const size_t row = plate->rows - 1 - p / width * plate->rows / height;
        const size_t particle = row * plate->columns + column;
        unsigned char *pixel = image->pixels + 3 * p;
        colour((double)damage[particle], pixel);
        for (int c = 0; c < 3 && is_notch(plate, particle); c++) {
            pixel[c] = NOTCH[c];
        }
    }
    return true;
}
