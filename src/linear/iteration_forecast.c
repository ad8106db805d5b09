// Preconditioned iterations grow with the root of the condition number, which is stiffness over
// mass as long as a step is too short for waves to cross the body, and the square of the body's
// width in elements when it is not.
#include "linear/iteration_forecast.h"

#include <math.h>

// Iterations to 1e-6 on bodies that are cut into domains: this over the root of mass over
// stiffness, as long as waves do not cross the body in a step; this per row along an edge of the
// body, if they do. Cubes of 10k and 105k unknowns take 15, 29 with little stiffness and 111, 302
// with much.
#define ITERATIONS_BY_MASS 7.0
#define ITERATIONS_BY_SIZE 9.0
// What one domain saves, into which nothing is cut: 14 and 92 become 7 and 54 at 7k unknowns.
#define UNCUT 0.5
// Rows that mass and stiffness are looked up at.
#define SAMPLES 511

static double trace(const struct bsr *a, uint32_t block) {
    const double *m = a->values + 9 * (size_t)block;
    return m[0] + m[4] + m[8];
}

/// Mass over stiffness of a row: moved as one, the body has inertia alone, so that the row's blocks
/// add up to it.
static double inertia_part(const struct bsr *a, const struct block_columns *columns, uint32_t row) {
    double sum = 0.0;
    for (uint32_t k = a->row_start[row]; k < a->row_start[row + 1]; k++) {
        sum += trace(a, k);
    }
    for (uint32_t k = columns->start[row]; k < columns->start[row + 1]; k++) {
        sum += trace(a, columns->block[k]);
    }
    return sum / trace(a, a->row_start[row]);
}

/// Of the first `count` values (Shell's sort); at least one.
static double median(double *value, uint32_t count) {
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < count; i++) {
            const double v = value[i];
            uint32_t j = i;
            for (; j >= gap && value[j - gap] > v; j -= gap) {
                value[j] = value[j - gap];
            }
            value[j] = v;
        }
    }
    return value[count / 2];
}

/// The median is deaf to rows at held ones, which lack what couples them.
static double mass_over_stiffness(const struct bsr *a, const struct block_columns *columns) {
    const uint32_t count = a->row_count < SAMPLES ? a->row_count : SAMPLES;
    double parts[SAMPLES] = {0.0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = (uint32_t)((uint64_t)i * a->row_count / count);
        const double part = inertia_part(a, columns, row);
        parts[i] = part > 0.0 ? part : 0.0;
    }
    return median(parts, count);
}

/// The least eigenvalue is mass and the body's slowest motion together; so the squares of both
/// limits add, inverted.
double iteration_forecast(const struct bsr *a, const struct block_columns *columns) {
    if (a->row_count == 0) {
        return 0.0;
    }
    const double slowest = ITERATIONS_BY_MASS / (ITERATIONS_BY_SIZE * cbrt(a->row_count));
    const double least = mass_over_stiffness(a, columns) + slowest * slowest;
    return (a->layout->domain_count > 1 ? 1.0 : UNCUT) * ITERATIONS_BY_MASS / sqrt(least);
}
