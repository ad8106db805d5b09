// See simplex_search.h.
// SPDX-License-Identifier: MIT
#include "geometry/embedding/simplex_search.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "broad_phase/tree_search.h"
#include "geometry/distances/distance.h"
#include "geometry/meshes/tet_inclusion.h"
#include "geometry/meshes/tet_mesh.h"

static void make_boxes(const struct simplex_mesh *mesh, struct box *of_points, struct box *boxes) {
    const struct point_sweep sweep = {.count = mesh->vertex_count, .x = mesh->x};
    boxes_of_points(NULL, &sweep, of_points);
    if (boxes != of_points) {
        boxes_of_primitives(NULL, of_points, mesh->corners, (uint32_t)mesh->width, mesh->count,
                            boxes);
    }
}

pbs_status simplex_search_build(struct memory *memory, const struct simplex_mesh *mesh,
                                struct simplex_search *search) {
    *search = (struct simplex_search){.mesh = *mesh};
    struct box *of_points = memory_allocate(memory, mesh->vertex_count, sizeof *of_points);
    struct box *boxes = mesh->corners == NULL ? of_points
                                              : memory_allocate(memory, mesh->count, sizeof *boxes);
    pbs_status status = PBS_ERROR_MEMORY;
    if (of_points != NULL && boxes != NULL) {
        make_boxes(mesh, of_points, boxes);
        status = bounding_tree_build(memory, NULL, boxes, mesh->count, NULL, 0, &search->tree);
    }
    if (boxes != of_points) {
        memory_release(memory, boxes);
    }
    memory_release(memory, of_points);
    if (status < 0) {
        simplex_search_free(memory, search);
    }
    return status;
}

void simplex_search_free(struct memory *memory, struct simplex_search *search) {
    bounding_tree_free(memory, &search->tree);
    *search = (struct simplex_search){0};
}

/// A search on its way.
struct nearest {
    const struct simplex_mesh *mesh;
    const double *place;
    struct simplex_hit *hit; ///< the best so far
};

static bool is_better(const struct nearest *n, double squared, uint32_t index) {
    return squared < n->hit->squared || (squared == n->hit->squared && index < n->hit->index);
}

static void keep(struct nearest *n, uint32_t index, double squared,
                 const double weight[SIMPLEX_CORNERS]) {
    n->hit->index = index;
    n->hit->squared = squared;
    memcpy(n->hit->weight, weight, sizeof n->hit->weight);
}

static void try_point(struct nearest *n, uint32_t index, const double *corner) {
    static const double weight[SIMPLEX_CORNERS] = {1.0};
    double arm[3];
    subtract3(n->place, corner, arm);
    const double squared = dot3(arm, arm);
    if (is_better(n, squared, index)) {
        keep(n, index, squared, weight);
    }
}

/// The triangle of these corners of simplex `index`.
static void try_triangle(struct nearest *n, uint32_t index,
                         const double *const corners[SIMPLEX_CORNERS], const uint8_t face[3]) {
    const double *const nodes[PAIR_NODES] = {n->place, corners[face[0]], corners[face[1]],
                                             corners[face[2]]};
    if (is_better(n, closest_squared(PAIR_POINT_TRIANGLE, nodes), index)) {
        const struct closest closest = closest_points(PAIR_POINT_TRIANGLE, nodes);
        double weight[SIMPLEX_CORNERS] = {0.0};
        for (int k = 0; k < 3; k++) {
            weight[face[k]] = -closest.weight[k + 1];
        }
        keep(n, index, closest.squared, weight);
    }
}

static void find_corners(const struct nearest *n, uint32_t index,
                         const double *corners[SIMPLEX_CORNERS]) {
    uint32_t vertices[SIMPLEX_CORNERS];
    simplex_corners(n->mesh, index, vertices);
    for (int k = 0; k < n->mesh->width; k++) {
        corners[k] = n->mesh->x + 3 * (size_t)vertices[k];
    }
}

/// A tetrahedron around the place.
static double try_inside(void *self, uint32_t index, double limit) {
    struct nearest *const n = self;
    const double *corners[SIMPLEX_CORNERS];
    double weight[SIMPLEX_CORNERS];
    find_corners(n, index, corners);
    if (is_better(n, 0.0, index) && tet_contains(corners, n->place, weight)) {
        keep(n, index, 0.0, weight);
    }
    return limit;
}

static double try_nearest(void *self, uint32_t index, double limit) {
    static const uint8_t whole[3] = {0, 1, 2};
    struct nearest *const n = self;
    const double *corners[SIMPLEX_CORNERS];
    find_corners(n, index, corners);
    switch (n->mesh->width) {
    case 1: try_point(n, index, corners[0]); break;
    case 3: try_triangle(n, index, corners, whole); break;
    default:
        for (int f = 0; f < 4; f++) {
            try_triangle(n, index, corners, tet_face_vertices[f]);
        }
        break;
    }
    return fmin(limit, n->hit->squared);
}

/// Most places are inside of some tetrahedron, which is a matter of the few boxes around the place;
/// faces matter only where no tetrahedron is.
void simplex_search_nearest(const struct simplex_search *search, const double place[3],
                            struct simplex_hit *hit) {
    *hit = (struct simplex_hit){.index = SIMPLEX_NONE, .squared = INFINITY};
    struct nearest nearest = {.mesh = &search->mesh, .place = place, .hit = hit};
    if (search->mesh.width == 4) {
        tree_search_nearest(&search->tree, place, 0.0, try_inside, &nearest);
    }
    if (hit->index == SIMPLEX_NONE) {
        tree_search_nearest(&search->tree, place, INFINITY, try_nearest, &nearest);
    }
}
