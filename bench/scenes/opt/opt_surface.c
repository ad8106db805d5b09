// Builds the surfaces of opt_surface.h.
// SPDX-License-Identifier: MIT
#include "scenes/opt/opt_surface.h"

#include <math.h>
#include <string.h>

#include "common/meshes/shapes.h"

enum { SEGMENTS = 48 }; // segments around a ball or a torus

bool opt_surface(const struct opt_obstacle *obstacle, struct surface_mesh *out) {
    const double *size = obstacle->desc.size;
    *out = (struct surface_mesh){0};
    switch (obstacle->desc.shape) {
    case PBS_SHAPE_SPHERE: return surface_ball(size[0], SEGMENTS, out);
    case PBS_SHAPE_BOX: return surface_box(2.0 * size[0], 2.0 * size[1], 2.0 * size[2], out);
    case PBS_SHAPE_TORUS: return surface_torus(size[0], size[1], SEGMENTS, out);
    case PBS_SHAPE_GRID: return surface_mesh_append(out, &obstacle->surface);
    default: return true;
    }
}

void opt_surface_place(const struct opt_obstacle *obstacle, const struct surface_mesh *surface,
                       double *positions) {
    const double *q = obstacle->orientation, *p = obstacle->position;
    const double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    memcpy(positions, surface->positions, 3 * surface->vertex_count * sizeof *positions);
    if (sine > 0.0) {
        positions_rotate(positions, surface->vertex_count, q, 2.0 * atan2(sine, q[3]));
    }
    positions_translate(positions, surface->vertex_count, p[0], p[1], p[2]);
}
