// Measures crack paths; see crack_path.h.
// SPDX-License-Identifier: MIT
#include "scenes/fracture/crack_path.h"

#include <math.h>

static const float CRACKED = 0.35F;
static const double PI = 3.14159265358979323846;

static bool is_symmetric(const struct cracked_plate *plate) {
    const double *x = pbs_body_positions(plate->world, plate->body);
    for (size_t i = 0; i < plate->count / 2; i++) {
        const size_t row = i / plate->columns;
        const double *low = x + 3 * i;
        const double *high = x +
                             3 * ((plate->rows - 1 - row) * plate->columns + i % plate->columns);
        if (low[0] != high[0] || low[1] != -high[1] || low[2] != high[2]) {
            return false;
        }
    }
    return true;
}

/// Returns the number of branches in a column: groups of cracked particles separated by at least
/// one intact particle.
static size_t count_arms(const struct cracked_plate *plate, const float *damage, size_t column) {
    size_t arms = 0;
    bool inside = false;
    for (size_t row = 0; row < plate->rows; row++) {
        const bool cracked = damage[row * plate->columns + column] > CRACKED;
        arms += cracked && !inside;
        inside = cracked;
    }
    return arms;
}

struct crack_path crack_path_of(const struct cracked_plate *plate) {
    const float *damage = pbs_body_damage(plate->world, plate->body);
    struct crack_path path = {.branch = INFINITY, .is_symmetric = is_symmetric(plate)};
    const size_t first = (size_t)(0.05 / plate->desc.spacing);
    for (size_t column = plate->columns; column-- > first;) {
        const double x = plate->places[3 * column];
        const size_t arms = count_arms(plate, damage, column);
        path.tip = arms > 0 ? fmax(path.tip, x) : path.tip;
        if (arms == 1 && path.tip > 0.0) {
            break;
        }
        path.branch = arms > 1 ? x : path.branch;
    }
    return path;
}

double crack_path_height(const struct cracked_plate *plate) {
    const float *damage = pbs_body_damage(plate->world, plate->body);
    double height = 0.0;
    for (size_t i = 0; i < plate->count; i++) {
        height = damage[i] > CRACKED ? fmax(height, plate->places[3 * i + 1]) : height;
    }
    return height;
}

double crack_path_angle(const struct cracked_plate *plate) {
    const float *damage = pbs_body_damage(plate->world, plate->body);
    double n = 0.0, x = 0.0, y = 0.0, xy = 0.0, yy = 0.0;
    for (size_t i = 0; i < plate->count; i++) {
        const double across = plate->places[3 * i] - 0.05;
        const double along = plate->places[3 * i + 1] - plate->notch_y;
        if (damage[i] > CRACKED && along > 3e-3 && along < 0.07 && fabs(across) < 0.035) {
            n += 1.0;
            x += across;
            y += along;
            xy += across * along;
            yy += along * along;
        }
    }
    return n > 0.0 ? atan2(n * yy - y * y, n * xy - x * y) * 180.0 / PI : NAN;
}
