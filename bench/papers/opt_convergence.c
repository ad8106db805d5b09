// Reproduces OPT figure 2, a picture of the initial states for which a step converges. A sheet of
// 36 degrees of freedom (scenes/opt/opt_sheet.h) is deformed before one step with zero velocity:
// its upper right corner is moved to the position of the pixel, the sides x = 0 and y = 0 are
// unchanged, and positions between are interpolated bilinearly. A map is two metres wide; the pixel
// at (3/5, 1/2) of it is the rest state. Columns: 170, 40, 20, 10 and 1 steps per 1/24 s, and one
// step of a second. Upper row: plain Newton; lower row: the library's method. Black: 0 iterations,
// blue: 15, cyan: 30 or more, red: not converged after 500.
//     bench opt-convergence method=newton step=0.0416667 starts=1024 failed=0.52 median=..
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/images/png.h"
#include "common/program/command_line.h"
#include "scenes/opt/opt_sheet.h"

enum { STEPS = 6, METHODS = 2, BETWEEN = 4 };

static const double per_frame[STEPS] = {170.0, 40.0, 20.0, 10.0, 1.0, 1.0 / 24.0};
static const struct {
    const char *name;
    int32_t method;
} methods[METHODS] = {{"newton", PBS_METHOD_PLAIN_NEWTON},
                      {"stabilized", PBS_METHOD_STABILIZED_NEWTON}};

/// Computes node positions for a pixel; (u, v) are fractions of the picture's side, v upwards.
static void place(const struct opt_sheet *sheet, double u, double v, double *x) {
    const double *corner = sheet->rest[OPT_SHEET_NODES - 1]; // the first node is the origin
    for (size_t i = 0; i < OPT_SHEET_NODES; i++) {
        const double *rest = sheet->rest[i];
        const double share = rest[0] / corner[0] * rest[1] / corner[1];
        x[3 * i] = rest[0] + 2.0 * (u - 0.6) * share;
        x[3 * i + 1] = rest[1] + 2.0 * (v - 0.5) * share;
        x[3 * i + 2] = 0.0;
    }
}

static void colour(bool converged, uint32_t iterations, unsigned char out[3]) {
    const double blue = fmin((double)iterations / 15.0, 1.0);
    const double green = fmin(fmax((double)iterations / 15.0 - 1.0, 0.0), 1.0);
    out[0] = converged ? 0 : 255;
    out[1] = converged ? (unsigned char)lround(255.0 * green) : 0;
    out[2] = converged ? (unsigned char)lround(255.0 * blue) : 0;
}

static int compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/// Draws a map of size x size pixels with its upper left corner at (left, top). Stores the
/// iterations of converged steps in counts[size^2] and their number in *converged.
static pbs_status draw_map(struct opt_sheet *sheet, int32_t method, double h, size_t size,
                           struct image *image, size_t left, size_t top, uint32_t *counts,
                           size_t *converged) {
    pbs_world *world;
    pbs_body body;
    pbs_status status = opt_sheet_world(sheet, method, &world, &body);
    *converged = 0;
    for (size_t p = 0; p < size * size && status >= 0; p++) {
        double x[3 * OPT_SHEET_NODES];
        uint32_t iterations;
        const size_t column = p % size, row = p / size;
        place(sheet, ((double)column + 0.5) / (double)size,
              1.0 - ((double)row + 0.5) / (double)size, x);
        status = opt_sheet_step(world, body, x, h, &iterations);
        const bool done = status >= 0;
        colour(done, iterations, image->pixels + 3 * ((top + row) * image->width + left + column));
        if (done) {
            counts[(*converged)++] = iterations;
        }
        status = status == PBS_ERROR_CONVERGENCE ? PBS_OK : status;
    }
    pbs_world_destroy(world);
    return status;
}

static void report(const char *name, double h, size_t starts, uint32_t *counts, size_t converged) {
    qsort(counts, converged, sizeof *counts, compare);
    printf("bench opt-convergence method=%s step=%g starts=%zu failed=%.4f median=%u most=%u\n",
           name, h, starts, 1.0 - (double)converged / (double)starts,
           converged > 0 ? counts[converged / 2] : 0, converged > 0 ? counts[converged - 1] : 0);
    fflush(stdout);
}

static bool draw(size_t size, struct image *image, uint32_t *counts, struct message *message) {
    static struct opt_sheet sheet;
    opt_sheet_make(&sheet);
    memset(image->pixels, 255, 3 * image->width * image->height);
    for (size_t m = 0; m < METHODS * STEPS; m++) {
        const size_t row = m / STEPS, column = m % STEPS;
        const double h = 1.0 / (24.0 * per_frame[column]);
        size_t converged;
        if (draw_map(&sheet, methods[row].method, h, size, image, column * (size + BETWEEN),
                     row * (size + BETWEEN), counts, &converged) < 0) {
            return message_fail(message, "%s", pbs_last_error());
        }
        report(methods[row].name, h, size * size, counts, converged);
    }
    return true;
}

int main(int argc, char **argv) {
    int64_t size = 32;
    const char *out = "opt_convergence.png";
    const struct command_option options[] = {
        {"size", COMMAND_COUNT, &size, "N", "pixels along a side of each map; 256 in the paper"},
        {"out", COMMAND_TEXT, &out, "FILE", "where the picture goes"},
    };
    int status = 0;
    if (!command_line_or_exit(argc, argv, "Of which starts a step converges, as a picture.",
                              options, sizeof options / sizeof *options, &status)) {
        return status;
    }
    if (size < 1 || size > 1024) {
        fprintf(stderr, "opt_convergence: --size: between 1 and 1024\n");
        return 2;
    }
    const size_t side = (size_t)size;
    struct image image = {0};
    struct message message = {{0}};
    uint32_t *counts = malloc(side * side * sizeof *counts);
    bool done = counts != NULL && image_create(&image, STEPS * (side + BETWEEN) - BETWEEN,
                                               METHODS * (side + BETWEEN) - BETWEEN);
    done = done ? draw(side, &image, counts, &message) && png_write(out, &image, &message)
                : message_fail(&message, "out of memory");
    if (!done) {
        fprintf(stderr, "opt_convergence: %s\n", message.text);
    }
    free(counts);
    image_free(&image);
    return done ? 0 : 1;
}
