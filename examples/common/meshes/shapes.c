// Shapes made in code: the structured box, solids from a signed distance, and surfaces to draw
// obstacles with.
// SPDX-License-Identifier: MIT

#include "common/meshes/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// --- Solids ---

static void grid_positions(const size_t n[3], const double size[3], double *positions) {
    for (size_t k = 0; k <= n[2]; k++) {
        for (size_t j = 0; j <= n[1]; j++) {
            for (size_t i = 0; i <= n[0]; i++) {
                *positions++ = (double)i / (double)n[0] * size[0];
                *positions++ = (double)j / (double)n[1] * size[1];
                *positions++ = (double)k / (double)n[2] * size[2];
            }
        }
    }
}

// Kuhn's six tetrahedra of one cell walk from its lowest to its highest corner along the axes in
// each order; for odd orders the middle of the list is swapped so that the volume stays positive.
static uint32_t *kuhn_cell(size_t lowest, const size_t stride[3], uint32_t *tets) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const bool odd[6] = {false, true, true, false, false, true};
    for (int p = 0; p < 6; p++) {
        size_t one = lowest + stride[orders[p][0]];
        size_t two = one + stride[orders[p][1]];
        size_t three = two + stride[orders[p][2]];
        *tets++ = (uint32_t)lowest;
        *tets++ = (uint32_t)one;
        *tets++ = (uint32_t)(odd[p] ? three : two);
        *tets++ = (uint32_t)(odd[p] ? two : three);
    }
    return tets;
}

bool shape_box_grid(size_t nx, size_t ny, size_t nz, double size_x, double size_y, double size_z,
                    struct tet_mesh *out) {
    *out = (struct tet_mesh){0};
    const size_t limit = 1000;
    if (nx == 0 || ny == 0 || nz == 0 || nx > limit || ny > limit || nz > limit) {
        return false;
    }
    if (!(size_x > 0.0) || !(size_y > 0.0) || !(size_z > 0.0)) {
        return false;
    }
    out->vertex_count = (nx + 1) * (ny + 1) * (nz + 1);
    out->tet_count = 6 * nx * ny * nz;
    out->positions = malloc(out->vertex_count * 3 * sizeof *out->positions);
    out->tets = malloc(out->tet_count * 4 * sizeof *out->tets);
    if (out->positions == NULL || out->tets == NULL) {
        tet_mesh_free(out);
        return false;
    }
    grid_positions((size_t[3]){nx, ny, nz}, (double[3]){size_x, size_y, size_z}, out->positions);
    const size_t stride[3] = {1, nx + 1, (nx + 1) * (ny + 1)};
    uint32_t *tets = out->tets;
    for (size_t k = 0; k < nz; k++) {
        for (size_t j = 0; j < ny; j++) {
            for (size_t i = 0; i < nx; i++) {
                tets = kuhn_cell(i + j * stride[1] + k * stride[2], stride, tets);
            }
        }
    }
    return true;
}

bool shape_cube_grid(size_t n, struct tet_mesh *out) {
    return shape_box_grid(n, n, n, 1.0, 1.0, 1.0, out);
}

static double ball_distance(const void *user, const double p[3]) {
    const double *radius = user;
    return hypot(hypot(p[0], p[1]), p[2]) - *radius;
}

bool shape_ball(double radius, double spacing, struct tet_mesh *out) {
    const double corner[3] = {radius, radius, radius};
    const double lower[3] = {-radius, -radius, -radius};
    return shape_stuff(ball_distance, &radius, lower, corner, spacing, out);
}

static double torus_distance(const void *user, const double p[3]) {
    const double *size = user;
    return hypot(hypot(p[0], p[2]) - size[0], p[1]) - size[1];
}

bool shape_torus(double radius, double tube, double spacing, struct tet_mesh *out) {
    const double size[2] = {radius, tube};
    const double upper[3] = {radius + tube, tube, radius + tube};
    const double lower[3] = {-upper[0], -upper[1], -upper[2]};
    return shape_stuff(torus_distance, size, lower, upper, spacing, out);
}

static double link_distance(const void *user, const double p[3]) {
    const double *size = user;
    double x = fmax(fabs(p[0]) - size[1] / 2.0, 0.0);
    return hypot(hypot(x, p[1]) - size[0], p[2]) - size[2];
}

bool shape_chain_link(double radius, double straight, double tube, double spacing,
                      struct tet_mesh *out) {
    const double size[3] = {radius, straight, tube};
    const double upper[3] = {radius + straight / 2.0 + tube, radius + tube, tube};
    const double lower[3] = {-upper[0], -upper[1], -upper[2]};
    return shape_stuff(link_distance, size, lower, upper, spacing, out);
}

static double cylinder_distance(const void *user, const double p[3]) {
    const double *size = user;
    double side = hypot(p[0], p[2]) - size[0];
    double lid = fabs(p[1]) - size[1] / 2.0;
    double outside = hypot(fmax(side, 0.0), fmax(lid, 0.0));
    return outside + fmin(fmax(side, lid), 0.0);
}

bool shape_cylinder(double radius, double height, double spacing, struct tet_mesh *out) {
    const double size[2] = {radius, height};
    const double upper[3] = {radius, height / 2.0, radius};
    const double lower[3] = {-upper[0], -upper[1], -upper[2]};
    return shape_stuff(cylinder_distance, size, lower, upper, spacing, out);
}

// --- Surfaces ---

static bool surface_create(size_t vertex_count, size_t triangle_count, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    const size_t limit = (size_t)1 << 26;
    if (vertex_count == 0 || triangle_count == 0 || vertex_count > limit ||
        triangle_count > limit) {
        return false;
    }
    out->vertex_count = vertex_count;
    out->triangle_count = triangle_count;
    out->positions = malloc(vertex_count * 3 * sizeof *out->positions);
    out->triangles = malloc(triangle_count * 3 * sizeof *out->triangles);
    if (out->positions == NULL || out->triangles == NULL) {
        surface_mesh_free(out);
        return false;
    }
    return true;
}

static void set_point(struct surface_mesh *mesh, size_t vertex, double x, double y, double z) {
    mesh->positions[3 * vertex] = x;
    mesh->positions[3 * vertex + 1] = y;
    mesh->positions[3 * vertex + 2] = z;
}

static uint32_t *put_triangle(uint32_t *at, size_t a, size_t b, size_t c) {
    at[0] = (uint32_t)a;
    at[1] = (uint32_t)b;
    at[2] = (uint32_t)c;
    return at + 3;
}

bool surface_sheet(size_t nx, size_t nz, double size_x, double size_z, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    if (nx == 0 || nz == 0 || nx > 4096 || nz > 4096 ||
        !surface_create((nx + 1) * (nz + 1), 2 * nx * nz, out)) {
        return false;
    }
    for (size_t v = 0; v < out->vertex_count; v++) {
        double x = (double)(v % (nx + 1)) / (double)nx - 0.5;
        double z = (double)(v / (nx + 1)) / (double)nz - 0.5;
        set_point(out, v, x * size_x, 0.0, z * size_z);
    }
    uint32_t *at = out->triangles;
    for (size_t cell = 0; cell < nx * nz; cell++) {
        size_t a = cell / nx * (nx + 1) + cell % nx;
        size_t b = a + nx + 1;
        at = put_triangle(at, a, b, a + 1);
        at = put_triangle(at, a + 1, b, b + 1);
    }
    return true;
}

// A profile (radius, height) turned about y. Points on the axis become one vertex each; the profile
// runs so that its left side, seen with the radius to the right and the height up, is the inside:
// outside, bottom to top.
static bool revolve(const double (*profile)[2], size_t count, size_t segments,
                    struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    if (segments < 3 || segments > 8192 || count < 2) {
        return false;
    }
    size_t *first = malloc(count * sizeof *first);
    if (first == NULL) {
        return false;
    }
    size_t vertices = 0;
    size_t triangles = 0;
    for (size_t i = 0; i < count; i++) {
        first[i] = vertices;
        vertices += profile[i][0] > 0.0 ? segments : 1;
        triangles += i == 0
                         ? 0
                         : segments * (size_t)((profile[i][0] > 0.0) + (profile[i - 1][0] > 0.0));
    }
    if (!surface_create(vertices, triangles, out)) {
        free(first);
        return false;
    }
    uint32_t *at = out->triangles;
    for (size_t i = 0; i < count; i++) {
        size_t around = profile[i][0] > 0.0 ? segments : 1;
        for (size_t s = 0; s < around; s++) {
            double angle = 2.0 * PI * (double)s / (double)segments;
            set_point(out, first[i] + s, profile[i][0] * cos(angle), profile[i][1],
                      profile[i][0] * sin(angle));
        }
        for (size_t s = 0; i > 0 && s < segments; s++) {
            size_t next = (s + 1) % segments;
            bool below = profile[i - 1][0] > 0.0;
            bool above = profile[i][0] > 0.0;
            size_t a = first[i - 1] + (below ? s : 0);
            size_t b = first[i - 1] + (below ? next : 0);
            size_t c = first[i] + (above ? s : 0);
            size_t d = first[i] + (above ? next : 0);
            at = above ? put_triangle(at, a, c, d) : at;
            at = below ? put_triangle(at, a, d, b) : at;
        }
    }
    free(first);
    return true;
}

bool surface_disc(double radius, size_t rings, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    if (rings == 0 || rings > 1000) {
        return false;
    }
    double(*profile)[2] = malloc((rings + 1) * sizeof *profile);
    if (profile == NULL) {
        return false;
    }
    // From the rim to the middle, so that the disc faces up.
    for (size_t i = 0; i <= rings; i++) {
        profile[i][0] = radius * (double)(rings - i) / (double)rings;
        profile[i][1] = 0.0;
    }
    bool done = revolve((const double(*)[2])profile, rings + 1, 6 * rings, out);
    free(profile);
    return done;
}

bool surface_box(double size_x, double size_y, double size_z, struct surface_mesh *out) {
    static const uint8_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!surface_create(8, 12, out)) {
        return false;
    }
    for (size_t v = 0; v < 8; v++) {
        set_point(out, v, ((v & 1) != 0 ? 0.5 : -0.5) * size_x,
                  ((v & 2) != 0 ? 0.5 : -0.5) * size_y, ((v & 4) != 0 ? 0.5 : -0.5) * size_z);
    }
    uint32_t *at = out->triangles;
    for (int q = 0; q < 6; q++) {
        at = put_triangle(at, quads[q][0], quads[q][1], quads[q][2]);
        at = put_triangle(at, quads[q][0], quads[q][2], quads[q][3]);
    }
    return true;
}

bool surface_capsule(double radius, double height, size_t segments, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    size_t steps = segments / 4 + 1;
    if (segments < 3 || segments > 8192) {
        return false;
    }
    double(*profile)[2] = malloc(2 * (steps + 1) * sizeof *profile);
    if (profile == NULL) {
        return false;
    }
    size_t count = 0;
    for (size_t half = 0; half < 2; half++) {
        // Without a straight part both halves would share their widest ring.
        for (size_t i = half == 1 && !(height > 0.0) ? 1 : 0; i <= steps; i++) {
            double angle = PI / 2.0 * (double)i / (double)steps - (half == 0 ? PI / 2.0 : 0.0);
            bool pole = (half == 0 && i == 0) || (half == 1 && i == steps);
            profile[count][0] = pole ? 0.0 : radius * cos(angle);
            profile[count++][1] = radius * sin(angle) + (half == 0 ? -0.5 : 0.5) * height;
        }
    }
    bool done = revolve((const double(*)[2])profile, count, segments, out);
    free(profile);
    return done;
}

bool surface_ball(double radius, size_t segments, struct surface_mesh *out) {
    return surface_capsule(radius, 0.0, segments, out);
}

bool surface_cylinder(double radius, double height, size_t segments, struct surface_mesh *out) {
    const double profile[4][2] = {
        {0.0, -height / 2.0}, {radius, -height / 2.0}, {radius, height / 2.0}, {0.0, height / 2.0}};
    return revolve(profile, 4, segments, out);
}

bool surface_torus(double radius, double tube, size_t segments, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    if (segments < 3 || segments > 1024 || !(tube > 0.0 && tube < radius) ||
        !surface_create(segments * segments, 2 * segments * segments, out)) {
        return false;
    }
    uint32_t *at = out->triangles;
    for (size_t i = 0; i < segments; i++) {
        double around = 2.0 * PI * (double)i / (double)segments;
        for (size_t j = 0; j < segments; j++) {
            double up = 2.0 * PI * (double)j / (double)segments;
            double rho = radius + tube * cos(up);
            size_t a = segments * i + j;
            size_t b = segments * i + (j + 1) % segments;
            size_t c = segments * ((i + 1) % segments) + j;
            size_t d = segments * ((i + 1) % segments) + (j + 1) % segments;
            set_point(out, a, rho * cos(around), tube * sin(up), rho * sin(around));
            at = put_triangle(at, a, b, c);
            at = put_triangle(at, c, b, d);
        }
    }
    return true;
}

bool surface_bowl(double radius, double thickness, double rim_height, size_t segments,
                  struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    if (segments < 3 || segments > 8192 || !(fabs(rim_height) < radius) || !(thickness > 0.0)) {
        return false;
    }
    size_t steps = segments / 3 + 1;
    double(*profile)[2] = malloc(2 * (steps + 1) * sizeof *profile);
    if (profile == NULL) {
        return false;
    }
    double rim_angle = PI / 2.0 + asin(rim_height / radius);
    // Up along the outside of the wall, over the rim, down along the inside.
    for (size_t i = 0; i <= steps; i++) {
        double angle = rim_angle * (double)i / (double)steps;
        double outside = radius + thickness;
        profile[i][0] = outside * sin(angle);
        profile[i][1] = -outside * cos(angle);
        profile[2 * steps + 1 - i][0] = radius * sin(angle);
        profile[2 * steps + 1 - i][1] = -radius * cos(angle);
    }
    bool done = revolve((const double(*)[2])profile, 2 * (steps + 1), segments, out);
    free(profile);
    return done;
}

bool surface_stairs(size_t steps, double rise, double run, double width, struct surface_mesh *out) {
    *out = (struct surface_mesh){0};
    if (steps == 0 || steps > 10000) {
        return false;
    }
    // Outline in the x-y plane: two points per step along the top, and a foot below each, once for
    // each side of z.
    size_t tops = 2 * steps;
    if (!surface_create(2 * (tops + steps + 1), 4 * tops + 6 * steps + 2 * steps, out)) {
        return false;
    }
    size_t side = tops + steps + 1;
    for (size_t v = 0; v < 2 * side; v++) {
        size_t i = v < side ? v : v - side;
        double z = v < side ? -width / 2.0 : width / 2.0;
        if (i < tops) {
            set_point(out, v, (double)((i + 1) / 2) * run, (double)(steps - i / 2) * rise, z);
        } else {
            set_point(out, v, (double)(i - tops) * run, 0.0, z);
        }
    }
    uint32_t *at = out->triangles;
    for (size_t s = 0; s < steps; s++) {
        // The side walls: a column under each step, with the foot of the next riser on its edge.
        size_t a = 2 * s;
        size_t left = tops + s;
        size_t next = s + 1 < steps ? 2 * s + 2 : left + 1;
        at = put_triangle(at, left, a, a + 1);
        at = put_triangle(at, side + left, side + a + 1, side + a);
        if (s + 1 < steps) {
            at = put_triangle(at, left, a + 1, next);
            at = put_triangle(at, side + left, side + next, side + a + 1);
            at = put_triangle(at, left, next, left + 1);
            at = put_triangle(at, side + left, side + left + 1, side + next);
        } else {
            at = put_triangle(at, left, a + 1, left + 1);
            at = put_triangle(at, side + left, side + left + 1, side + a + 1);
        }
        // Tread, riser and floor.
        at = put_triangle(at, a, side + a, side + a + 1);
        at = put_triangle(at, a, side + a + 1, a + 1);
        at = put_triangle(at, a + 1, side + a + 1, side + next);
        at = put_triangle(at, a + 1, side + next, next);
        at = put_triangle(at, left, left + 1, side + left + 1);
        at = put_triangle(at, left, side + left + 1, side + left);
    }
    // The tall wall behind the first step.
    at = put_triangle(at, tops, side + tops, side);
    at = put_triangle(at, tops, side, 0);
    out->triangle_count = (size_t)(at - out->triangles) / 3;
    return true;
}
