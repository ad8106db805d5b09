// Fragments against a flood fill, and their numbers: who keeps one, who gets the next, what is kept
// over a pause, and that the order of bonds says nothing.
// SPDX-License-Identifier: MIT
#include "fracture/fragments.h"
#include "support/random.h"
#include "support/testing.h"

enum { PARTICLES = 60, BONDS = 90 };

struct broken_graph {
    struct memory memory;
    uint32_t pairs[2 * BONDS];
    uint8_t broken[BONDS];
    struct bond_list bonds;
    struct fragments fragments;
};

static void begin(struct broken_graph *g, size_t particles, size_t bonds) {
    memory_init(&g->memory, NULL);
    memset(g->broken, 0, sizeof g->broken);
    g->bonds = (struct bond_list){.count = bonds, .pairs = g->pairs, .broken = g->broken};
    assert_ok(fragments_begin(&g->fragments, &g->memory, particles, &g->bonds));
}

static void begin_chain(struct broken_graph *g, size_t particles) {
    for (uint32_t i = 0; i + 1 < particles; i++) {
        g->pairs[2 * i] = i;
        g->pairs[2 * i + 1] = i + 1;
    }
    begin(g, particles, particles - 1);
}

static void break_bond(struct broken_graph *g, size_t bond) {
    g->broken[bond] = 1;
    fragments_update(&g->fragments, &g->bonds);
}

static void assert_numbers(const struct broken_graph *g, const uint32_t *expected) {
    for (size_t i = 0; i < g->fragments.particle_count; i++) {
        assert_int_equal(g->fragments.fragment[i], expected[i]);
    }
}

static void the_largest_part_keeps_the_number(void **state) {
    (void)state;
    struct broken_graph g;
    begin_chain(&g, 8);
    assert_int_equal(g.fragments.count, 1);
    assert_int_equal(g.fragments.parent[0], 0);
    break_bond(&g, 2); // 012 34567
    assert_numbers(&g, (const uint32_t[]){1, 1, 1, 0, 0, 0, 0, 0});
    assert_int_equal(g.fragments.parent[1], 0);
    break_bond(&g, 0); // 0 12 34567
    assert_numbers(&g, (const uint32_t[]){2, 1, 1, 0, 0, 0, 0, 0});
    assert_int_equal(g.fragments.parent[2], 1);
    fragments_free(&g.fragments, &g.memory);
}

/// Of equal parts the first keeps it; several new ones follow by fragment and first particle.
static void ties_and_several_parts(void **state) {
    (void)state;
    struct broken_graph g;
    begin_chain(&g, 8);
    break_bond(&g, 3); // 0123 4567
    assert_numbers(&g, (const uint32_t[]){0, 0, 0, 0, 1, 1, 1, 1});
    g.broken[0] = 1;
    g.broken[4] = 1;
    g.broken[5] = 1;
    fragments_update(&g.fragments, &g.bonds); // 0 123 4 5 67
    assert_numbers(&g, (const uint32_t[]){2, 0, 0, 0, 3, 4, 1, 1});
    assert_int_equal(g.fragments.count, 5);
    assert_int_equal(g.fragments.parent[2], 0);
    assert_int_equal(g.fragments.parent[3], 1);
    assert_int_equal(g.fragments.parent[4], 1);
    // Members by fragment, ascending.
    assert_memory_equal(g.fragments.members, ((const uint32_t[]){1, 2, 3, 6, 7, 0, 4, 5}),
                        8 * sizeof(uint32_t));
    assert_memory_equal(g.fragments.first, ((const uint32_t[]){0, 3, 5, 6, 7, 8}),
                        6 * sizeof(uint32_t));
    fragments_free(&g.fragments, &g.memory);
}

static void particles_without_bonds_are_fragments_from_the_start(void **state) {
    (void)state;
    struct broken_graph g;
    begin(&g, 3, 0);
    assert_numbers(&g, (const uint32_t[]){0, 1, 2});
    assert_int_equal(g.fragments.parent[2], 2);
    fragments_free(&g.fragments, &g.memory);
}

/// Which particles hang together, by passing labels along bonds until nothing changes.
static void flood(const struct broken_graph *g, uint32_t label[PARTICLES]) {
    for (uint32_t i = 0; i < PARTICLES; i++) {
        label[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < g->bonds.count; b++) {
            uint32_t *x = &label[g->pairs[2 * b]];
            uint32_t *y = &label[g->pairs[2 * b + 1]];
            if (g->broken[b] == 0 && *x != *y) {
                *x = *y = *x < *y ? *x : *y;
                changed = true;
            }
        }
    }
}

static void assert_as_flooded(const struct broken_graph *g) {
    uint32_t label[PARTICLES];
    size_t parts = 0;
    flood(g, label);
    for (size_t i = 0; i < PARTICLES; i++) {
        parts += label[i] == i;
        for (size_t j = 0; j < PARTICLES; j++) {
            const bool together = g->fragments.fragment[i] == g->fragments.fragment[j];
            assert_true(together == (label[i] == label[j]));
        }
    }
    assert_int_equal(g->fragments.count, parts);
}

static void draw_graph(struct random *random, struct broken_graph *g) {
    for (size_t b = 0; b < BONDS; b++) {
        g->pairs[2 * b] = (uint32_t)random_index(random, PARTICLES);
        g->pairs[2 * b + 1] = (g->pairs[2 * b] + 1 +
                               (uint32_t)random_index(random, PARTICLES - 1)) %
                              PARTICLES;
    }
    begin(g, PARTICLES, BONDS);
}

static void fragments_are_those_of_a_flood_fill(void **state) {
    (void)state;
    struct random random = random_seed(5);
    for (int n = 0; n < 20; n++) {
        struct broken_graph g;
        draw_graph(&random, &g);
        assert_as_flooded(&g);
        for (int k = 0; k < 12; k++) {
            g.broken[random_index(&random, BONDS)] = 1;
            g.broken[random_index(&random, BONDS)] = 1;
            fragments_update(&g.fragments, &g.bonds);
            assert_as_flooded(&g);
        }
        fragments_free(&g.fragments, &g.memory);
    }
}

static void the_order_of_bonds_says_nothing(void **state) {
    (void)state;
    struct random random = random_seed(6);
    struct broken_graph g;
    struct broken_graph turned;
    draw_graph(&random, &g);
    for (size_t b = 0; b < BONDS; b++) {
        turned.pairs[2 * b] = g.pairs[2 * (BONDS - 1 - b) + 1];
        turned.pairs[2 * b + 1] = g.pairs[2 * (BONDS - 1 - b)];
    }
    begin(&turned, PARTICLES, BONDS);
    for (int k = 0; k < 30; k++) {
        const size_t b = random_index(&random, BONDS);
        break_bond(&g, b);
        break_bond(&turned, BONDS - 1 - b);
        assert_numbers(&turned, g.fragments.fragment);
        assert_memory_equal(turned.fragments.parent, g.fragments.parent,
                            g.fragments.count * sizeof(uint32_t));
    }
    fragments_free(&g.fragments, &g.memory);
    fragments_free(&turned.fragments, &turned.memory);
}

static void what_was_kept_goes_on(void **state) {
    (void)state;
    struct random random = random_seed(7);
    struct broken_graph g;
    draw_graph(&random, &g);
    for (int k = 0; k < 40; k++) {
        break_bond(&g, random_index(&random, BONDS));
    }
    struct fragments again;
    assert_ok(fragments_begin(&again, &g.memory, PARTICLES, &g.bonds));
    assert_true(fragments_restore(&again, &g.bonds, g.fragments.fragment, g.fragments.parent,
                                  g.fragments.count));
    assert_numbers(&g, again.fragment);
    assert_memory_equal(again.members, g.fragments.members, sizeof(uint32_t) * PARTICLES);
    fragments_free(&again, &g.memory);
    fragments_free(&g.fragments, &g.memory);
}

static void what_was_forged_does_not(void **state) {
    (void)state;
    struct broken_graph g;
    const uint32_t parents[4] = {0, 0, 0, 0};
    begin_chain(&g, 4);
    break_bond(&g, 1); // 01 23
    struct fragments *f = &g.fragments;
    const uint32_t own[4] = {0, 0, 1, 1};
    assert_true(fragments_restore(f, &g.bonds, own, parents, 2));
    const uint32_t beyond[4] = {0, 0, 2, 2};
    const uint32_t split[4] = {0, 2, 1, 1};
    const uint32_t joined[4] = {0, 0, 0, 0};
    assert_false(fragments_restore(f, &g.bonds, beyond, parents, 2));
    assert_false(fragments_restore(f, &g.bonds, beyond, parents, 3));
    assert_false(fragments_restore(f, &g.bonds, split, parents, 3));
    assert_false(fragments_restore(f, &g.bonds, joined, parents, 1));
    assert_false(fragments_restore(f, &g.bonds, own, parents, 3));
    assert_false(fragments_restore(f, &g.bonds, own, parents, 5));
    assert_false(fragments_restore(f, &g.bonds, own, (const uint32_t[]){1, 0}, 2));
    assert_numbers(&g, own);
    fragments_free(f, &g.memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_part_keeps_the_number),
        cmocka_unit_test(ties_and_several_parts),
        cmocka_unit_test(particles_without_bonds_are_fragments_from_the_start),
        cmocka_unit_test(fragments_are_those_of_a_flood_fill),
        cmocka_unit_test(the_order_of_bonds_says_nothing),
        cmocka_unit_test(what_was_kept_goes_on),
        cmocka_unit_test(what_was_forged_does_not),
    };
    return cmocka_run_group_tests_name("fracture/fragments", tests, NULL, NULL);
}
