// Dipoles of the tree's blocks, and the sum of solid angles.
// SPDX-License-Identifier: MIT
#include "geometry/grids/winding.h"

#include <math.h>
#include <stdlib.h>

#include "base/matrix3/math3.h"
#include "geometry/meshes/solid_angle.h"

static const double PI = 3.14159265358979323846;

// A block farther than this many of its radii is evaluated as a dipole. The error of the sum stays
// below 0.01.
static const double FAR = 3.0;

struct dipole {
    double area[3];   ///< m^2: sum of the triangles' area vectors
    double center[3]; ///< m: area-weighted mean of the triangles' centroids
    double size;      ///< m^2: sum of the triangles' areas
    double radius;    ///< m: largest distance of a corner from the centre, or a bound of it
};

// --- dipoles ---

static double distance(const double a[3], const double b[3]) {
    double offset[3];
    subtract3(a, b, offset);
    return norm3(offset);
}

static const double *corner(const struct triangle_mesh *mesh, uint32_t triangle, int i) {
    return mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)i];
}

static struct dipole dipole_of_triangle(const struct triangle_mesh *mesh, uint32_t triangle) {
    const double *const a = corner(mesh, triangle, 0);
    const double *const b = corner(mesh, triangle, 1);
    const double *const c = corner(mesh, triangle, 2);
    struct dipole dipole = {.radius = 0.0};
    double ab[3], ac[3];
    subtract3(b, a, ab);
    subtract3(c, a, ac);
    cross3(ab, ac, dipole.area);
    scale3(0.5, dipole.area, dipole.area);
    dipole.size = norm3(dipole.area);
    for (int k = 0; k < 3; k++) {
        dipole.center[k] = (a[k] + b[k] + c[k]) / 3.0;
    }
    for (int i = 0; i < 3; i++) {
        dipole.radius = fmax(dipole.radius, distance(corner(mesh, triangle, i), dipole.center));
    }
    return dipole;
}

/// Returns the dipole of all parts. If their total area is zero, its centre is the mean of their
/// centres.
static struct dipole merge_dipoles(const struct dipole *parts, int count) {
    struct dipole whole = {.radius = 0.0};
    for (int i = 0; i < count; i++) {
        add3(whole.area, parts[i].area, whole.area);
        whole.size += parts[i].size;
    }
    for (int i = 0; i < count; i++) {
        const double share = whole.size > 0.0 ? parts[i].size / whole.size : 1.0 / count;
        add_scaled3(whole.center, share, parts[i].center, whole.center);
    }
    for (int i = 0; i < count; i++) {
        const double away = distance(parts[i].center, whole.center) + parts[i].radius;
        whole.radius = fmax(whole.radius, away);
    }
    return whole;
}

/// Returns the dipole of a block. The parts of a block at level 0 are triangles, those of other
/// blocks are blocks of the level below.
static struct dipole dipole_of_block(const struct winding *w, uint32_t level, size_t index) {
    const struct bounding_tree *tree = w->tree;
    struct dipole parts[8];
    int count = 0;
    for (size_t i = 0; i < 8; i++) {
        if (level == 0 && tree->primitive[8 * index + i] >= 0) {
            parts[count++] = dipole_of_triangle(w->mesh, (uint32_t)tree->primitive[8 * index + i]);
        }
        if (level > 0 && 8 * index + i < tree->level_start[level] - tree->level_start[level - 1]) {
            parts[count++] = w->dipoles[tree->level_start[level - 1] + 8 * index + i];
        }
    }
    return merge_dipoles(parts, count);
}

pbs_status winding_build(struct memory *memory, const struct triangle_mesh *mesh,
                         const struct bounding_tree *tree, struct winding *winding) {
    *winding = (struct winding){.mesh = mesh, .tree = tree};
    const size_t blocks = tree->level_count > 0 ? tree->level_start[tree->level_count] : 0;
    winding->dipoles = memory_allocate(memory, blocks, sizeof *winding->dipoles);
    if (winding->dipoles == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (uint32_t level = 0; level < tree->level_count; level++) {
        const size_t count = tree->level_start[level + 1] - tree->level_start[level];
        for (size_t index = 0; index < count; index++) {
            winding->dipoles[tree->level_start[level] + index] = dipole_of_block(winding, level,
                                                                                 index);
        }
    }
    return PBS_OK;
}

void winding_free(struct memory *memory, struct winding *winding) {
    memory_release(memory, winding->dipoles);
    winding->dipoles = NULL;
}

// --- sums ---

static double angle_of(const struct triangle_mesh *mesh, uint32_t triangle, const double point[3]) {
    const double *const corners[3] = {corner(mesh, triangle, 0), corner(mesh, triangle, 1),
                                      corner(mesh, triangle, 2)};
    return solid_angle(corners, point);
}

static double leaf_angle(const struct winding *w, size_t index, const double from[3]) {
    double angle = 0.0;
    for (size_t i = 0; i < 8; i++) {
        const int32_t triangle = w->tree->primitive[8 * index + i];
        angle += triangle >= 0 ? angle_of(w->mesh, (uint32_t)triangle, from) : 0.0;
    }
    return angle;
}

struct winding_block {
    uint32_t level;
    size_t index;
};

double winding_number(const struct winding *winding, const double point[3]) {
    const struct bounding_tree *tree = winding->tree;
    struct winding_block stack[8 * TREE_LEVELS];
    size_t depth = 0;
    double angle = 0.0;
    if (tree->level_count > 0) {
        stack[depth++] = (struct winding_block){tree->level_count - 1, 0};
    }
    while (depth > 0) {
        const struct winding_block at = stack[--depth];
        const struct dipole *dipole = &winding->dipoles[tree->level_start[at.level] + at.index];
        double offset[3];
        subtract3(dipole->center, point, offset);
        const double length = norm3(offset);
        if (length > FAR * dipole->radius) {
            angle += dot3(dipole->area, offset) / (length * length * length);
        } else if (at.level == 0) {
            angle += leaf_angle(winding, at.index, point);
        } else {
            const size_t size = tree->level_start[at.level] - tree->level_start[at.level - 1];
            for (size_t i = 0; i < 8 && 8 * at.index + i < size; i++) {
                stack[depth++] = (struct winding_block){at.level - 1, 8 * at.index + i};
            }
        }
    }
    return angle / (4.0 * PI);
}

// --- edges ---

/// An edge's two vertices, the lower first; direction: 1 from low to high, -1 from high to low.
struct directed_edge {
    uint32_t low, high;
    int32_t direction;
};

static int compare_edges(const void *a, const void *b) {
    const struct directed_edge *left = a, *right = b;
    if (left->low != right->low) {
        return left->low < right->low ? -1 : 1;
    }
    return (left->high > right->high) - (left->high < right->high);
}

pbs_status winding_is_closed(struct memory *memory, const struct triangle_mesh *mesh,
                             bool *closed) {
    const size_t count = 3 * mesh->triangle_count;
    struct directed_edge *edges = memory_allocate(memory, count, sizeof *edges);
    if (edges == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = mesh->triangles[i];
        const uint32_t b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a < b ? (struct directed_edge){a, b, 1} : (struct directed_edge){b, a, -1};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    int32_t sum = 0;
    *closed = true;
    for (size_t i = 0; i < count; i++) {
        sum += edges[i].direction;
        if (i + 1 == count || compare_edges(&edges[i], &edges[i + 1]) != 0) {
            *closed = *closed && sum == 0;
            sum = 0;
        }
    }
    memory_release(memory, edges);
    return PBS_OK;
}
