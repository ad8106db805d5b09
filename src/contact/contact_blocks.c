// SPDX-License-Identifier: MIT
#include "contact/contact_blocks.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "pbs/body.h"

static uint32_t find_node(struct contact_nodes *nodes, uint32_t node) {
    uint32_t i = 0;
    while (i < nodes->node_count && nodes->node[i] != node) {
        i++;
    }
    if (i == nodes->node_count) {
        nodes->node[i] = node;
        for (int p = 0; p < CONTACT_POINTS; p++) {
            nodes->weight[i][p] = 0.0;
        }
        nodes->node_count++;
    }
    return i;
}

void contact_nodes_of_points(const struct contact_blocks_scene *scene, const uint32_t *points,
                             int point_count, struct contact_nodes *nodes) {
    nodes->node_count = 0;
    for (int p = 0; p < point_count; p++) {
        uint32_t point_nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(scene->mesh, points[p], point_nodes, weights);
        for (int k = 0; k < count; k++) {
            if (scene->constrained_axes == NULL ||
                scene->constrained_axes[point_nodes[k]] != PBS_AXIS_ALL) {
                nodes->weight[find_node(nodes, point_nodes[k])][p] = weights[k];
            }
        }
    }
}

void contact_nodes_add(const struct contact_blocks_scene *scene, uint32_t node,
                       struct contact_nodes *nodes) {
    if (scene->constrained_axes == NULL || scene->constrained_axes[node] != PBS_AXIS_ALL) {
        find_node(nodes, node);
    }
}

void contact_nodes_sort(struct contact_nodes *nodes) {
    for (uint32_t i = 1; i < nodes->node_count; i++) {
        const uint32_t node = nodes->node[i];
        double weight[CONTACT_POINTS];
        memcpy(weight, nodes->weight[i], sizeof weight);
        uint32_t k = i;
        for (; k > 0 && nodes->node[k - 1] > node; k--) {
            nodes->node[k] = nodes->node[k - 1];
            memcpy(nodes->weight[k], nodes->weight[k - 1], sizeof weight);
        }
        nodes->node[k] = node;
        memcpy(nodes->weight[k], weight, sizeof weight);
    }
}

void contact_blocks_clear(struct contact_blocks *blocks) {
    for (uint32_t w = 0; w < CONTACT_STENCIL_LIMIT; w++) {
        blocks->sets[w] = (struct contact_stencils){.width = w + 1};
    }
}

void contact_blocks_free(struct memory *memory, struct contact_blocks *blocks) {
    for (uint32_t w = 0; w < CONTACT_STENCIL_LIMIT; w++) {
        memory_release(memory, blocks->rows[w]);
        memory_release(memory, blocks->blocks[w]);
    }
    *blocks = (struct contact_blocks){0};
}

struct contact_block_index contact_blocks_count(struct contact_blocks *blocks, uint32_t width) {
    const struct contact_block_index location = {
        width, width == 0 ? 0 : (uint32_t)blocks->sets[width - 1].count++};
    return location;
}

pbs_status contact_blocks_reserve(struct memory *memory, const size_t room[CONTACT_STENCIL_LIMIT],
                                  struct contact_blocks *blocks) {
    for (size_t w = 0; w < CONTACT_STENCIL_LIMIT; w++) {
        struct contact_stencils *set = &blocks->sets[w];
        const size_t width = w + 1;
        const size_t count = room != NULL && set->count < room[w] ? room[w] : set->count;
        RETURN_IF_FAILED(memory_reserve(memory, &blocks->rows[w], &blocks->row_capacity[w],
                                        count * width, sizeof *blocks->rows[w]));
        RETURN_IF_FAILED(memory_reserve(memory, &blocks->blocks[w], &blocks->block_capacity[w],
                                        count * 9 * width * width, sizeof *blocks->blocks[w]));
        set->rows = blocks->rows[w];
        set->blocks = blocks->blocks[w];
    }
    return PBS_OK;
}

static bool is_constrained(const struct contact_blocks_scene *scene, uint32_t node, int axis) {
    return scene->constrained_axes != NULL && (scene->constrained_axes[node] >> axis & 1) != 0;
}

/// out = the vector over the nodes that corresponds to a vector over the points, with zeros at
/// constrained axes.
static void vector_over_nodes(const struct contact_blocks_scene *scene,
                              const struct contact_nodes *nodes, const double (*vector)[3],
                              double *out) {
    for (uint32_t i = 0; i < nodes->node_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0.0;
            for (int p = 0; p < CONTACT_POINTS; p++) {
                sum += nodes->weight[i][p] * vector[p][axis];
            }
            out[3 * i + (uint32_t)axis] = is_constrained(scene, nodes->node[i], axis) ? 0.0 : sum;
        }
    }
}

/// Copies the entries of rotation nodes. Such a node has either all of its axes constrained or
/// none.
static void add_rotations(const struct contact_nodes *nodes,
                          const struct contact_rotations *rotations, int k, double *out) {
    for (uint32_t i = 0; i < nodes->node_count; i++) {
        for (int t = 0; t < rotations->count; t++) {
            if (nodes->node[i] == rotations->node[t]) {
                copy3(rotations->vector[k][t], out + 3 * (size_t)i);
            }
        }
    }
}

/// The upper triangle of block += coefficient vector vector^T.
static void add_square(size_t size, double coefficient, const double *vector, double *block) {
    for (size_t i = 0; i < size; i++) {
        const double scaled = coefficient * vector[i];
        for (size_t j = i; j < size; j++) {
            block[i * size + j] += scaled * vector[j];
        }
    }
}

/// The block of a stencil with at least one node.
static double *block_at(const struct contact_blocks *blocks, struct contact_block_index location) {
    const size_t size = 3 * (size_t)location.width;
    return blocks->blocks[location.width - 1] + location.index * size * size;
}

void contact_blocks_open(const struct contact_blocks_scene *scene,
                         const struct contact_nodes *nodes, struct contact_block_index location,
                         struct contact_blocks *blocks) {
    const size_t width = location.width;
    if (width == 0) {
        return;
    }
    uint32_t *rows = blocks->rows[width - 1] + location.index * width;
    for (size_t i = 0; i < width; i++) {
        rows[i] = scene->layout->row[nodes->node[i]];
    }
    memset(block_at(blocks, location), 0, 9 * width * width * sizeof(double));
}

void contact_blocks_add(const struct contact_blocks_scene *scene, const struct contact_nodes *nodes,
                        const struct contact_hessian *hessian,
                        const struct contact_rotations *rotations,
                        struct contact_block_index location, struct contact_blocks *blocks) {
    const size_t size = 3 * (size_t)location.width;
    for (int k = 0; k < hessian->count && size > 0; k++) {
        double vector[3 * CONTACT_STENCIL_LIMIT] = {0.0};
        vector_over_nodes(scene, nodes, hessian->vector[k], vector);
        if (rotations != NULL) {
            add_rotations(nodes, rotations, k, vector);
        }
        add_square(size, hessian->coefficient[k], vector, block_at(blocks, location));
    }
}

void contact_blocks_close(struct contact_block_index location, struct contact_blocks *blocks) {
    if (location.width == 0) {
        return;
    }
    const size_t size = 3 * (size_t)location.width;
    double *const block = block_at(blocks, location);
    // The sums fill the upper triangle only; diagonal blocks are stored in full.
    for (size_t i = 0; i < size; i++) {
        for (size_t j = i - i % 3; j < i; j++) {
            block[i * size + j] = block[j * size + i];
        }
    }
}

void contact_blocks_write(const struct contact_blocks_scene *scene,
                          const struct contact_nodes *nodes, const struct contact_hessian *hessian,
                          const struct contact_rotations *rotations,
                          struct contact_block_index location, struct contact_blocks *blocks) {
    contact_blocks_open(scene, nodes, location, blocks);
    contact_blocks_add(scene, nodes, hessian, rotations, location, blocks);
    contact_blocks_close(location, blocks);
}
