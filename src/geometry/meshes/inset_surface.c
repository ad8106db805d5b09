// See inset_surface.h.
// SPDX-License-Identifier: MIT
#include "geometry/meshes/inset_surface.h"

#include <math.h>

#include "base/matrix3/eigen3.h"
#include "base/matrix3/math3.h"

// The distance over three times the volume over the area, which is the radius of a ball, may be as
// large as this.
static const double THICK = 0.2;
// Eigenvalues of a vertex's normals below this part of the largest are rounding.
static const double FLAT = 1e-6;
// A vertex moves so far at most, in distances; sharper corners are left out.
static const double SHARP = 10.0;

/// What the triangles around a vertex ask for, weighted by their angles: the direction d with n . d
/// = -1 for all their normals n, by least squares. Then the least of -n . d.
struct vertex_normals {
    double square[9], sum[3]; ///< of n n^T and n
    double direction[3], least;
};

static void normal_of(const struct surface_view *surface, size_t triangle, double out[3]) {
    const uint32_t *v = surface->triangles + 3 * triangle;
    double ab[3], ac[3];
    subtract3(surface->positions + 3 * (size_t)v[1], surface->positions + 3 * (size_t)v[0], ab);
    subtract3(surface->positions + 3 * (size_t)v[2], surface->positions + 3 * (size_t)v[0], ac);
    cross3(ab, ac, out);
}

static double angle_at(const struct surface_view *surface, const uint32_t *v, int corner) {
    const double *x = surface->positions + 3 * (size_t)v[corner];
    double a[3], b[3], across[3];
    subtract3(surface->positions + 3 * (size_t)v[(corner + 1) % 3], x, a);
    subtract3(surface->positions + 3 * (size_t)v[(corner + 2) % 3], x, b);
    cross3(a, b, across);
    return atan2(norm3(across), dot3(a, b));
}

/// Adds the triangles' normals to their vertices. Returns three times the volume over the area.
static double gather(const struct surface_view *surface, struct vertex_normals *vertices) {
    double volume = 0.0, area = 0.0;
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *v = surface->triangles + 3 * t;
        double normal[3], from[3];
        normal_of(surface, t, normal);
        const double length = norm3(normal);
        subtract3(surface->positions + 3 * (size_t)v[0], surface->positions, from);
        volume += dot3(normal, from) / 6.0;
        area += 0.5 * length;
        for (int i = 0; i < 3 && length > 0.0; i++) {
            const double weight = angle_at(surface, v, i) / (length * length);
            for (int k = 0; k < 9; k++) {
                vertices[v[i]].square[k] += weight * normal[k / 3] * normal[k % 3];
            }
            add_scaled3(vertices[v[i]].sum, weight * length, normal, vertices[v[i]].sum);
        }
    }
    return 3.0 * volume / area;
}

/// d = -square^+ sum.
static void solve(struct vertex_normals *vertex) {
    double lambda[3], q[9];
    eigen3(vertex->square, lambda, q);
    const double largest = fmax(lambda[0], fmax(lambda[1], lambda[2]));
    for (int k = 0; k < 3; k++) {
        const double column[3] = {q[k], q[3 + k], q[6 + k]};
        if (lambda[k] > FLAT * largest) {
            add_scaled3(vertex->direction, -dot3(column, vertex->sum) / lambda[k], column,
                        vertex->direction);
        }
    }
    vertex->least = INFINITY;
}

static void measure(const struct surface_view *surface, struct vertex_normals *vertices) {
    for (size_t t = 0; t < surface->triangle_count; t++) {
        double normal[3];
        normal_of(surface, t, normal);
        const double length = norm3(normal);
        for (int i = 0; i < 3 && length > 0.0; i++) {
            struct vertex_normals *const vertex = &vertices[surface->triangles[3 * t + (size_t)i]];
            vertex->least = fmin(vertex->least, -dot3(normal, vertex->direction) / length);
        }
    }
}

/// Vertices move so far that all triangles around them move by the distance at least.
static bool move(const struct surface_view *surface, const struct vertex_normals *vertices,
                 double distance, double *moved) {
    for (size_t i = 0; i < surface->vertex_count; i++) {
        const struct vertex_normals *const vertex = &vertices[i];
        const double *x = surface->positions + 3 * i;
        const double factor = vertex->least < 1.0 ? 1.0 / vertex->least : 1.0;
        if (!(vertex->least > 0.0) || !(factor * norm3(vertex->direction) <= SHARP)) {
            return false;
        }
        add_scaled3(x, factor * distance, vertex->direction, moved + 3 * i);
    }
    return true;
}

pbs_status inset_surface(struct memory *memory, const struct surface_view *surface, double distance,
                         double *moved, bool *possible) {
    struct vertex_normals *vertices = memory_allocate(memory, surface->vertex_count,
                                                      sizeof *vertices);
    if (vertices == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < surface->vertex_count; i++) {
        vertices[i] = (struct vertex_normals){.least = 0.0};
    }
    const double thickness = gather(surface, vertices);
    for (size_t i = 0; i < surface->vertex_count; i++) {
        solve(&vertices[i]);
    }
    measure(surface, vertices);
    *possible = distance <= THICK * thickness && move(surface, vertices, distance, moved);
    memory_release(memory, vertices);
    return PBS_OK;
}
