// See body_region.h.
// SPDX-License-Identifier: MIT
#include "world/regions/body_region.h"

#include <math.h>

#include "broad_phase/boxes.h"
#include "geometry/meshes/solid_angle.h"

/// Compares the bounding boxes first, as most triangles of a body that meets the region do not.
static bool touches_triangle(const struct region *region, const double *const corners[3]) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(corners[0][k], fmin(corners[1][k], corners[2][k]));
        high[k] = fmax(corners[0][k], fmax(corners[1][k], corners[2][k]));
    }
    return region_meets_box(region, low, high) && region_touches_triangle(region, corners);
}

size_t region_next_triangle(const struct region *region, const double *x, const uint32_t *triangles,
                            size_t triangle_count, size_t from) {
    for (size_t t = from; t < triangle_count; t++) {
        const uint32_t *v = triangles + 3 * t;
        const double *const corners[3] = {x + 3 * (size_t)v[0], x + 3 * (size_t)v[1],
                                          x + 3 * (size_t)v[2]};
        if (touches_triangle(region, corners)) {
            return t;
        }
    }
    return triangle_count;
}

bool region_touches_surface(const struct region *region, const double *x, const uint32_t *triangles,
                            size_t triangle_count) {
    return region_next_triangle(region, x, triangles, triangle_count, 0) < triangle_count ||
           solid_angle_encloses(x, triangles, triangle_count, region->pose.translation);
}

static double radius_of(const struct body *body, size_t vertex) {
    return body_has_spheres(body) ? body->bonds.contact_radii[vertex] : 0.0;
}

bool region_touches_body(const struct region *region, const struct body *body, const double *x) {
    if (body->triangle_count > 0) {
        return region_touches_surface(region, x, body->triangles, body->triangle_count);
    }
    for (size_t i = 0; i < body->vertex_count; i++) {
        if (region_touches_ball(region, x + 3 * i, radius_of(body, i))) {
            return true;
        }
    }
    return false;
}

void body_box(const struct body *body, const double *x, double low[3], double high[3]) {
    double largest = 0.0;
    for (size_t i = 0; body->triangle_count == 0 && i < body->vertex_count; i++) {
        largest = fmax(largest, radius_of(body, i));
    }
    box_of_points(x, body->vertex_count, low, high);
    for (int k = 0; k < 3; k++) {
        low[k] -= largest;
        high[k] += largest;
    }
}
