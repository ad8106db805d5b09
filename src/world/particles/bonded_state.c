// Orientations and angular velocities of bonded bodies: the copies that steps compute with, and the
// signs of quaternions.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "pbs/bonded.h"
#include "world/particles/bonded.h"
#include "world/interface/check.h"

// --- copies for steps ---

static size_t count_rotations(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body_has_orientations(body) ? body->vertex_count : 0;
    }
    return count;
}

static void fill_rotations(const struct scene *scene, const struct rotation_arrays *arrays) {
    size_t at = 0;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        const size_t count = body_has_orientations(body) ? body->vertex_count : 0;
        for (size_t i = 0; i < count; i++, at++) {
            arrays->node[at] = (uint32_t)(body->node_start + count + i);
            arrays->radius[at] = bonded_radius_of_gyration(body->bonded.radii[i]);
        }
    }
}

pbs_status bonded_list_rotations(const struct scene *scene, struct memory *memory,
                                 struct rotation_arrays *arrays, struct rotations *out) {
    const size_t count = count_rotations(scene);
    *out = (struct rotations){0};
    if (count == 0) {
        return PBS_OK;
    }
    arrays->node = memory_allocate(memory, count, sizeof *arrays->node);
    arrays->radius = memory_allocate(memory, count, sizeof(double));
    arrays->orientation = memory_allocate(memory, count, 4 * sizeof(double));
    if (arrays->node == NULL || arrays->radius == NULL || arrays->orientation == NULL) {
        return PBS_ERROR_MEMORY;
    }
    fill_rotations(scene, arrays);
    *out = (struct rotations){.count = count,
                              .node = arrays->node,
                              .radius = arrays->radius,
                              .orientation = arrays->orientation};
    bonded_load_orientations(scene, out);
    return PBS_OK;
}

void bonded_load_orientations(const struct scene *scene, struct rotations *rotations) {
    double *to = rotations->orientation;
    for (size_t b = 0; b < scene->bodies.count && rotations->count > 0; b++) {
        const struct body *body = scene_body(scene, b);
        if (body_has_orientations(body)) {
            memcpy(to, body->bonded.orientations, 4 * body->vertex_count * sizeof *to);
            to += 4 * body->vertex_count;
        }
    }
    rotations->begin = 0.0;
}

void bonded_update_angular_velocities(struct body *body, const struct nodes *nodes) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        const double *v = nodes->v + 3 * (body->node_start + body->vertex_count + i);
        const double radius = bonded_radius_of_gyration(body->bonded.radii[i]);
        for (size_t k = 0; k < 3; k++) {
            body->bonded.angular_velocities[3 * i + k] = v[k] / radius;
        }
    }
}

void scene_update_angular_velocities(const struct scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        struct body *body = scene_body(scene, b);
        if (body_has_orientations(body)) {
            bonded_update_angular_velocities(body, &scene->nodes);
        }
    }
}

void bonded_reset_targets(struct nodes *nodes, const struct body *body) {
    const size_t first = body->node_start + body->vertex_count;
    memset(nodes->target + 3 * first, 0, 3 * body->vertex_count * sizeof *nodes->target);
}

void bonded_commit_orientations(struct scene *scene, const struct rotations *rotations) {
    const double *from = rotations->orientation;
    for (size_t b = 0; b < scene->bodies.count && rotations->count > 0; b++) {
        struct body *body = scene_body(scene, b);
        if (body_has_orientations(body)) {
            memcpy(body->bonded.orientations, from, 4 * body->vertex_count * sizeof *from);
            from += 4 * body->vertex_count;
            bonded_update_angular_velocities(body, &scene->nodes);
            bonded_reset_targets(&scene->nodes, body);
        }
    }
}

// --- setting ---

/// A quaternion and its negative are the same orientation. Bonds need neighbours that differ by
/// less than half a turn to have quaternions with a positive product. The signs are therefore
/// propagated along a spanning tree of the bonds.
struct sign_forest {
    uint32_t *parent;
    uint8_t *flipped; ///< 1: the opposite sign of the parent
};

/// Returns the root. *flipped: the particle has the opposite sign of the root. Halves the path to
/// the root.
static uint32_t find_root(const struct sign_forest *forest, uint32_t particle, uint8_t *flipped) {
    *flipped = 0;
    while (forest->parent[particle] != particle) {
        const uint32_t above = forest->parent[particle];
        forest->flipped[particle] ^= forest->flipped[above];
        forest->parent[particle] = forest->parent[above];
        *flipped ^= forest->flipped[particle];
        particle = forest->parent[particle];
    }
    return particle;
}

static double product_of(const double *a, const double *b) {
    return dot3(a, b) + a[3] * b[3];
}

static void grow_forest(const struct body *body, const double *xyzw,
                        const struct sign_forest *forest) {
    for (size_t bond = 0; bond < body->bonds.count; bond++) {
        const uint32_t *end = body->bonds.pairs + 2 * bond;
        uint8_t flipped[2];
        const uint32_t first = find_root(forest, end[0], &flipped[0]);
        const uint32_t second = find_root(forest, end[1], &flipped[1]);
        if (first != second) {
            const bool differ = product_of(xyzw + 4 * (size_t)end[0], xyzw + 4 * (size_t)end[1]) <
                                0.0;
            // The lower index becomes the root, so that roots do not depend on the order of bonds.
            const uint32_t below = first < second ? second : first;
            forest->parent[below] = first < second ? first : second;
            forest->flipped[below] = (uint8_t)(flipped[0] ^ flipped[1] ^ differ);
        }
    }
}

/// Sets the quaternions. Each root, the first particle of its tree, gets the sign closest to its
/// former quaternion.
static void choose_signs(const struct body *body, const double *xyzw,
                         const struct sign_forest *forest) {
    double *q = body->bonded.orientations;
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        uint8_t flipped = 0;
        double unit[4];
        const size_t root = find_root(forest, i, &flipped);
        // If the root has been set already, this gives the same answer.
        const bool negated = product_of(q + 4 * root, xyzw + 4 * root) < 0.0;
        check_quaternion(xyzw + 4 * (size_t)i, "orientation", unit);
        for (size_t k = 0; k < 4; k++) {
            q[4 * (size_t)i + k] = negated != (flipped != 0) ? -unit[k] : unit[k];
        }
    }
}

pbs_status bonded_set_orientations(struct body *body, struct memory *memory, const double *xyzw) {
    struct sign_forest forest = {
        .parent = memory_allocate(memory, body->vertex_count, sizeof *forest.parent),
        .flipped = memory_allocate(memory, body->vertex_count, sizeof *forest.flipped)};
    pbs_status status = PBS_ERROR_MEMORY;
    if (forest.parent != NULL && forest.flipped != NULL) {
        for (uint32_t i = 0; i < body->vertex_count; i++) {
            forest.parent[i] = i;
        }
        grow_forest(body, xyzw, &forest);
        choose_signs(body, xyzw, &forest);
        status = PBS_OK;
    }
    memory_release(memory, forest.parent);
    memory_release(memory, forest.flipped);
    return status;
}
