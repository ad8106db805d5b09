#include "contact/contact_blocks.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "pbs/body.h"

static uint32_t find_node(struct contact_fold *fold, uint32_t node) {
    uint32_t i = 0;
    while (i < fold->node_count && fold->node[i] != node) {
        i++;
    }
    if (i == fold->node_count) {
        fold->node[i] = node;
        for (int p = 0; p < CONTACT_POINTS; p++) {
            fold->share[i][p] = 0.0;
        }
        fold->node_count++;
    }
    return i;
}

void contact_fold_points(const struct contact_blocks_scene *scene, const uint32_t *points,
                         int point_count, struct contact_fold *fold) {
    fold->node_count = 0;
    for (int p = 0; p < point_count; p++) {
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(scene->mesh, points[p], nodes, weights);
        for (int k = 0; k < count; k++) {
            if (scene->held == NULL || scene->held[nodes[k]] != PBS_AXIS_ALL) {
                fold->share[find_node(fold, nodes[k])][p] = weights[k];
            }
        }
    }
}

void contact_fold_node(const struct contact_blocks_scene *scene, uint32_t node,
                       struct contact_fold *fold) {
    if (scene->held == NULL || scene->held[node] != PBS_AXIS_ALL) {
        find_node(fold, node);
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

struct contact_place contact_blocks_count(struct contact_blocks *blocks, uint32_t width) {
    const struct contact_place place = {width,
                                        width == 0 ? 0 : (uint32_t)blocks->sets[width - 1].count++};
    return place;
}

pbs_status contact_blocks_reserve(struct memory *memory, struct contact_blocks *blocks) {
    for (size_t w = 0; w < CONTACT_STENCIL_LIMIT; w++) {
        struct contact_stencils *set = &blocks->sets[w];
        const size_t width = w + 1;
        RETURN_IF_FAILED(memory_reserve(memory, &blocks->rows[w], &blocks->row_capacity[w],
                                        set->count * width, sizeof *blocks->rows[w]));
        RETURN_IF_FAILED(memory_reserve(memory, &blocks->blocks[w], &blocks->block_capacity[w],
                                        set->count * 9 * width * width, sizeof *blocks->blocks[w]));
        set->rows = blocks->rows[w];
        set->blocks = blocks->blocks[w];
    }
    return PBS_OK;
}

static bool is_held(const struct contact_blocks_scene *scene, uint32_t node, int axis) {
    return scene->held != NULL && (scene->held[node] >> axis & 1) != 0;
}

/// A vector over the points as one over the nodes, without what is held.
static void fold_vector(const struct contact_blocks_scene *scene, const struct contact_fold *fold,
                        const double (*vector)[3], double *out) {
    for (uint32_t i = 0; i < fold->node_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0.0;
            for (int p = 0; p < CONTACT_POINTS; p++) {
                sum += fold->share[i][p] * vector[p][axis];
            }
            out[3 * i + (uint32_t)axis] = is_held(scene, fold->node[i], axis) ? 0.0 : sum;
        }
    }
}

/// The parts in rotations, of which all axes are held or none.
static void add_turns(const struct contact_fold *fold, const struct contact_turns *turns, int k,
                      double *out) {
    for (uint32_t i = 0; i < fold->node_count; i++) {
        for (int t = 0; t < turns->count; t++) {
            if (fold->node[i] == turns->node[t]) {
                copy3(turns->vector[k][t], out + 3 * (size_t)i);
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

void contact_blocks_write(const struct contact_blocks_scene *scene, const struct contact_fold *fold,
                          const struct contact_rank *rank, const struct contact_turns *turns,
                          struct contact_place place, struct contact_blocks *blocks) {
    const size_t width = place.width;
    if (width == 0) {
        return;
    }
    const size_t size = 3 * width;
    uint32_t *rows = blocks->rows[width - 1] + place.index * width;
    double *block = blocks->blocks[width - 1] + place.index * size * size;
    for (size_t i = 0; i < width; i++) {
        rows[i] = scene->layout->row[fold->node[i]];
    }
    memset(block, 0, size * size * sizeof *block);
    for (int k = 0; k < rank->count; k++) {
        double vector[3 * CONTACT_STENCIL_LIMIT] = {0.0};
        fold_vector(scene, fold, rank->vector[k], vector);
        if (turns != NULL) {
            add_turns(fold, turns, k, vector);
        }
        add_square(size, rank->coefficient[k], vector, block);
    }
    // Of the diagonal blocks the lower one too, to the same bits.
    for (size_t i = 0; i < size; i++) {
        for (size_t j = i - i % 3; j < i; j++) {
            block[i * size + j] = block[j * size + i];
        }
    }
}
