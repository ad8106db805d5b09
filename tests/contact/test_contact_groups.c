// Stencils grouped by their nodes.
// SPDX-License-Identifier: MIT
#include "contact/contact_groups.h"

#include <string.h>

#include "support/host/refusals.h"
#include "support/random.h"
#include "support/testing.h"

static struct contact_nodes draw(struct random *numbers) {
    struct contact_nodes nodes = {.node_count = (uint32_t)random_index(numbers, 5)};
    uint32_t node = 0;
    for (uint32_t i = 0; i < nodes.node_count; i++) {
        node += 1 + (uint32_t)random_index(numbers, 3);
        nodes.node[i] = node;
    }
    return nodes;
}

static bool are_equal(const struct contact_nodes *a, const struct contact_nodes *b) {
    return a->node_count == b->node_count &&
           memcmp(a->node, b->node, a->node_count * sizeof *a->node) == 0;
}

/// Every item is in the group of its nodes, once, and so is everything equal; groups come in the
/// order of their first items, items in order in each.
static void items_of_equal_nodes_share_a_group(void **state) {
    (void)state;
    struct memory memory;
    struct contact_groups groups = {0};
    struct random numbers = random_seed(5);
    memory_init(&memory, NULL);
    for (size_t count = 0; count < 300; count += 23) {
        struct contact_nodes items[300];
        assert_ok(contact_groups_begin(&memory, count, &groups));
        for (size_t i = 0; i < count; i++) {
            items[i] = draw(&numbers);
            contact_groups_add(&groups, &items[i]);
        }
        contact_groups_finish(&groups);
        assert_int_equal(groups.start[0], 0);
        assert_int_equal(groups.start[groups.count], count);
        uint32_t before = 0;
        for (size_t k = 0; k < groups.count; k++) {
            const uint32_t *const first = groups.items + groups.start[k];
            const uint32_t size = groups.start[k + 1] - groups.start[k];
            assert_true(size > 0 && (k == 0 || *first > before));
            before = *first;
            assert_int_equal(groups.width[k], items[*first].node_count);
            assert_memory_equal(groups.nodes + CONTACT_STENCIL_LIMIT * k, items[*first].node,
                                groups.width[k] * sizeof *groups.nodes);
            for (uint32_t i = 1; i < size; i++) {
                assert_true(first[i] > first[i - 1] && are_equal(&items[*first], &items[first[i]]));
            }
            for (size_t other = 0; other < k; other++) {
                assert_false(are_equal(&items[*first], &items[groups.items[groups.start[other]]]));
            }
        }
    }
    contact_groups_free(&memory, &groups);
    assert_int_equal(memory.bytes_in_use, 0);
}

static pbs_status begin_and_free(struct memory *own, const void *context) {
    (void)context;
    struct contact_groups groups = {0};
    const pbs_status status = contact_groups_begin(own, 40, &groups);
    contact_groups_free(own, &groups);
    return status;
}

static void refused_memory_is_a_status(void **state) {
    (void)state;
    assert_refusals_are_statuses(begin_and_free, NULL, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_equal_nodes_share_a_group),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
