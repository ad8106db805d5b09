// Tetrahedra of the inside of a closed surface of triangles. See shapes.h. What is inside is told
// by the triangles that a ray crosses, counted with their orientation, so that parts may overlap.
// Rays go along a direction that no modeller draws edges in.
// SPDX-License-Identifier: MIT

#include "common/meshes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Triangles seen along the ray: their corners turned so that it is the third axis, and for each
/// cell of a grid across it those whose box meets the cell.
struct seen_surface {
    size_t triangle_count;
    double *corners; ///< triangle_count x 9
    size_t side;     ///< cells in each direction
    double low[2], cell[2];
    size_t *first; ///< side^2 + 1
    uint32_t *listed;
};

static void turn(const double p[3], double out[3]) {
    // Two rotations by angles that are no simple part of a circle.
    static const double a[2] = {0.8269973458, 0.5622076743}, b[2] = {0.9130321297, 0.4078873427};
    const double x = a[0] * p[0] - a[1] * p[1], y = a[1] * p[0] + a[0] * p[1];
    out[0] = x;
    out[1] = b[0] * y - b[1] * p[2];
    out[2] = b[1] * y + b[0] * p[2];
}

static size_t cell_of(const struct seen_surface *s, int axis, double value) {
    const double at = (value - s->low[axis]) / s->cell[axis];
    return at <= 0.0 ? 0 : at >= (double)s->side ? s->side - 1 : (size_t)at;
}

/// Calls for each cell that a triangle's box meets: counts, or lists.
static void visit_cells(struct seen_surface *s, size_t triangle, bool lists) {
    const double *c = s->corners + 9 * triangle;
    size_t range[2][2];
    for (int axis = 0; axis < 2; axis++) {
        range[axis][0] = cell_of(s, axis, fmin(c[axis], fmin(c[3 + axis], c[6 + axis])));
        range[axis][1] = cell_of(s, axis, fmax(c[axis], fmax(c[3 + axis], c[6 + axis])));
    }
    for (size_t j = range[1][0]; j <= range[1][1]; j++) {
        for (size_t i = range[0][0]; i <= range[0][1]; i++) {
            size_t *at = &s->first[s->side * j + i];
            if (lists) {
                s->listed[(*at)++] = (uint32_t)triangle;
            } else {
                at[1]++;
            }
        }
    }
}

static bool list_triangles(struct seen_surface *s) {
    const size_t cells = s->side * s->side;
    for (size_t t = 0; t < s->triangle_count; t++) {
        visit_cells(s, t, false);
    }
    for (size_t i = 0; i < cells; i++) {
        s->first[i + 1] += s->first[i];
    }
    s->listed = malloc((s->first[cells] + 1) * sizeof *s->listed);
    for (size_t t = 0; t < s->triangle_count && s->listed != NULL; t++) {
        visit_cells(s, t, true);
    }
    // Each beginning has moved on to the next one.
    memmove(s->first + 1, s->first, cells * sizeof *s->first);
    s->first[0] = 0;
    return s->listed != NULL;
}

static bool see(const struct surface_mesh *surface, struct seen_surface *s) {
    double high[2] = {-INFINITY, -INFINITY};
    s->triangle_count = surface->triangle_count;
    s->side = (size_t)ceil(sqrt((double)s->triangle_count));
    s->low[0] = s->low[1] = INFINITY;
    s->corners = calloc(9 * s->triangle_count + 1, sizeof *s->corners);
    s->first = calloc(s->side * s->side + 2, sizeof *s->first);
    if (s->corners == NULL || s->first == NULL) {
        return false;
    }
    for (size_t i = 0; i < 3 * s->triangle_count; i++) {
        turn(surface->positions + 3 * (size_t)surface->triangles[i], s->corners + 3 * i);
        for (int axis = 0; axis < 2; axis++) {
            s->low[axis] = fmin(s->low[axis], s->corners[3 * i + (size_t)axis]);
            high[axis] = fmax(high[axis], s->corners[3 * i + (size_t)axis]);
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        s->cell[axis] = fmax((high[axis] - s->low[axis]) / (double)s->side, 1e-300);
    }
    return list_triangles(s);
}

/// Twice the area of a, b and p, seen along the ray.
static double area(const double *a, const double *b, const double *p) {
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

/// 1 or -1 where the ray from p goes through the triangle, by its orientation.
static int crossing(const double *c, const double *p) {
    const double w[3] = {area(c + 3, c + 6, p), area(c + 6, c, p), area(c, c + 3, p)};
    const double sum = w[0] + w[1] + w[2];
    const bool through = (w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) ||
                         (w[0] <= 0.0 && w[1] <= 0.0 && w[2] <= 0.0);
    if (!through || sum == 0.0 || (w[0] * c[2] + w[1] * c[5] + w[2] * c[8]) / sum <= p[2]) {
        return 0;
    }
    return sum > 0.0 ? 1 : -1;
}

static double side_of(const void *user, const double point[3]) {
    const struct seen_surface *s = user;
    double p[3];
    int crossings = 0;
    turn(point, p);
    const size_t cell = s->side * cell_of(s, 1, p[1]) + cell_of(s, 0, p[0]);
    for (size_t i = s->first[cell]; i < s->first[cell + 1]; i++) {
        crossings += crossing(s->corners + 9 * (size_t)s->listed[i], p);
    }
    return crossings > 0 ? -1.0 : 1.0;
}

bool shape_fill(const struct surface_mesh *surface, double spacing, struct tet_mesh *out) {
    struct seen_surface s = {0};
    double lower[3], upper[3];
    *out = (struct tet_mesh){0};
    positions_bounds(surface->positions, surface->vertex_count, lower, upper);
    const bool made = surface->triangle_count > 0 && see(surface, &s) &&
                      shape_stuff(side_of, &s, lower, upper, spacing, out);
    free(s.corners);
    free(s.first);
    free(s.listed);
    return made;
}
