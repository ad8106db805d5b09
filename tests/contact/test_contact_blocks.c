// Contacts' Hessians folded to the nodes that their points are sums of.
// SPDX-License-Identifier: MIT
#include "contact/contact_blocks.h"

#include "touching_scene.h"

/// Points of all kinds: each node comes once, fully held ones and obstacles' not at all, and shares
/// say what each point takes; the block is symmetric to the bit and its quadratic form that of the
/// vectors over the points as the free nodes move them.
static void blocks_are_the_vectors_over_nodes(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct random numbers = random_seed(2);
    struct touching_scene s;
    touching_scene_make(&memory, &s, PBS_SHAPE_BOX, 0.1);
    const struct collision_mesh *mesh = &s.contact.mesh;
    uint32_t row[SCENE_NODES];
    for (uint32_t i = 0; i < SCENE_NODES; i++) {
        row[i] = SCENE_NODES - 1 - i;
    }
    const struct layout layout = {.node_count = SCENE_NODES, .row = row};
    size_t widths[CONTACT_STENCIL_LIMIT + 1] = {0};
    struct contact_blocks blocks = {0};
    for (int round = 0; round < 500; round++) {
        uint8_t held[SCENE_NODES];
        uint32_t points[4];
        struct contact_nodes stencil;
        struct contact_hessian rank = {.count = 1 + (int)random_index(&numbers, CONTACT_RANK)};
        const int count = 1 + (int)random_index(&numbers, 4);
        // Two sides, and so two affine bodies at the most.
        const uint32_t sides[2] = {(uint32_t)random_index(&numbers, mesh->point_count),
                                   (uint32_t)random_index(&numbers, mesh->point_count)};
        for (int i = 0; i < SCENE_NODES; i++) {
            const size_t choice = random_index(&numbers, 3);
            held[i] = (uint8_t)(choice == 0 ? 0 : choice == 1 ? 7 : random_index(&numbers, 7));
        }
        for (int p = 0; p < count; p++) {
            do {
                points[p] = (uint32_t)random_index(&numbers, mesh->point_count);
            } while (mesh->part[points[p]] != mesh->part[sides[p % 2]]);
        }
        for (int k = 0; k < rank.count; k++) {
            rank.coefficient[k] = random_uniform(&numbers, 0.0, 2.0);
            random_fill(&numbers, -1.0, 1.0, rank.vector[k][0], 3 * (size_t)count);
        }
        const struct contact_blocks_scene scene = {
            .mesh = mesh, .layout = &layout, .constrained_axes = round % 4 == 0 ? NULL : held};
        contact_nodes_of_points(&scene, points, count, &stencil);
        contact_blocks_clear(&blocks);
        const struct contact_block_index before = contact_blocks_count(&blocks, stencil.node_count);
        const struct contact_block_index place = contact_blocks_count(&blocks, stencil.node_count);
        assert_ok(contact_blocks_reserve(&memory, NULL, &blocks));
        contact_blocks_write(&scene, &stencil, &rank, NULL, before, &blocks);
        contact_blocks_write(&scene, &stencil, &rank, NULL, place, &blocks);
        widths[stencil.node_count]++;
        assert_int_equal(place.width, stencil.node_count);

        // Every node moves; the free axes of those that the points are sums of, the points.
        double motion[SCENE_COORDINATES];
        random_fill(&numbers, -1.0, 1.0, motion, SCENE_COORDINATES);
        double expected = 0.0;
        uint32_t seen = 0;
        for (int k = 0; k < rank.count; k++) {
            double along = 0.0;
            for (int p = 0; p < count; p++) {
                uint32_t nodes[4];
                double weights[4];
                const int node_count = collision_mesh_nodes(mesh, points[p], nodes, weights);
                for (int n = 0; n < node_count; n++) {
                    const uint8_t bits = scene.constrained_axes != NULL ? held[nodes[n]] : 0;
                    seen |= bits != 7 ? 1u << nodes[n] : 0u;
                    for (int axis = 0; axis < 3; axis++) {
                        along += (bits >> axis & 1) != 0
                                     ? 0.0
                                     : rank.vector[k][p][axis] * weights[n] *
                                           motion[3 * nodes[n] + (uint32_t)axis];
                    }
                }
            }
            expected += rank.coefficient[k] * along * along;
        }
        uint32_t listed = 0;
        for (uint32_t i = 0; i < stencil.node_count; i++) {
            assert_true((listed >> stencil.node[i] & 1) == 0);
            listed |= 1u << stencil.node[i];
        }
        assert_int_equal(listed, seen);
        if (stencil.node_count == 0) {
            assert_true(expected == 0.0);
            continue;
        }
        const struct contact_stencils *set = &blocks.sets[stencil.node_count - 1];
        const size_t size = 3 * (size_t)stencil.node_count;
        const double *block = set->blocks + place.index * size * size;
        assert_int_equal(set->count, 2);
        assert_same_bits(block, set->blocks, size * size);
        double found = 0.0;
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(set->rows[place.index * stencil.node_count + i / 3],
                             row[stencil.node[i / 3]]);
            for (size_t j = 0; j < size; j++) {
                // What is below the diagonal blocks is not written.
                const double entry = i / 3 <= j / 3 ? block[i * size + j] : block[j * size + i];
                assert_true(i / 3 != j / 3 || entry == block[j * size + i]);
                found += motion[3 * stencil.node[i / 3] + i % 3] * entry *
                         motion[3 * stencil.node[j / 3] + j % 3];
            }
        }
        // 4 vectors of 12 numbers, squared: some hundred roundings of numbers up to a thousand.
        assert_near(found, expected, 1e5 * 0x1p-52, "quadratic form");
    }
    assert_true(widths[0] > 5 && widths[1] > 5 && widths[4] > 5 && widths[5] > 5);
    contact_blocks_free(&memory, &blocks);
    barrier_contact_free(&s.contact);
    assert_int_equal(memory.bytes_in_use, 0);
}

/// Sorted nodes are ascending and keep their weights, so that the contacts of two bodies have equal
/// nodes whichever body is named first.
static void nodes_take_their_weights_along(void **state) {
    (void)state;
    struct random numbers = random_seed(3);
    for (int round = 0; round < 200; round++) {
        struct contact_nodes nodes = {
            .node_count = (uint32_t)random_index(&numbers, CONTACT_STENCIL_LIMIT + 1)};
        for (uint32_t i = 0; i < nodes.node_count; i++) {
            // Different ones, in some order.
            nodes.node[i] = (uint32_t)(7 * i + (size_t)round) % 11;
            for (int p = 0; p < CONTACT_POINTS; p++) {
                nodes.weight[i][p] = 10.0 * nodes.node[i] + p;
            }
        }
        contact_nodes_sort(&nodes);
        for (uint32_t i = 0; i < nodes.node_count; i++) {
            assert_true(i == 0 || nodes.node[i] > nodes.node[i - 1]);
            for (int p = 0; p < CONTACT_POINTS; p++) {
                assert_true(nodes.weight[i][p] == 10.0 * nodes.node[i] + p);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_take_their_weights_along),
        cmocka_unit_test(blocks_are_the_vectors_over_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
