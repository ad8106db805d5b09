// Orders are permutations whose fill is that of planes through a grid.
#include "sparse/geometric_dissection.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, COUNT = SIDE * SIDE };

static struct memory memory;

/// A square grid whose vertex (i, j) is number[i * SIDE + j].
struct grid {
    uint32_t number[COUNT];
    uint32_t start[COUNT + 1];
    uint32_t neighbor[2 * COUNT];
    double positions[3 * COUNT];
};

static void make_grid(struct grid *g, bool shuffled) {
    uint64_t state = 7;
    for (uint32_t i = 0; i < COUNT; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t j = shuffled ? (uint32_t)((state >> 33) % (i + 1)) : i;
        g->number[i] = i;
        g->number[i] = g->number[j];
        g->number[j] = i;
    }
    uint32_t place[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        place[g->number[i]] = i;
    }
    uint32_t edges = 0;
    for (uint32_t v = 0; v < COUNT; v++) {
        const uint32_t i = place[v] / SIDE;
        const uint32_t j = place[v] % SIDE;
        g->start[v] = edges;
        if (i + 1 < SIDE) {
            g->neighbor[edges++] = g->number[place[v] + SIDE];
        }
        if (j + 1 < SIDE) {
            g->neighbor[edges++] = g->number[place[v] + 1];
        }
        g->positions[3 * v] = i;
        g->positions[3 * v + 1] = j;
        g->positions[3 * v + 2] = 0.0;
    }
    g->start[COUNT] = edges;
}

/// Edges between vertices after all eliminations, by carrying them out.
static size_t count_fill(const struct grid *g, const uint32_t *order) {
    bool *filled = calloc((size_t)COUNT * COUNT, sizeof *filled);
    uint32_t at[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        at[order[k]] = k;
    }
    for (uint32_t v = 0; v < COUNT; v++) {
        for (uint32_t k = g->start[v]; k < g->start[v + 1]; k++) {
            const uint32_t a = at[v];
            const uint32_t b = at[g->neighbor[k]];
            filled[(size_t)(a < b ? a : b) * COUNT + (a < b ? b : a)] = true;
        }
    }
    size_t count = 0;
    for (size_t k = 0; k < COUNT; k++) {
        uint32_t later[COUNT];
        uint32_t found = 0;
        for (uint32_t j = (uint32_t)k + 1; j < COUNT; j++) {
            later[found] = j;
            found += filled[k * COUNT + j];
        }
        count += found;
        for (uint32_t i = 0; i < found; i++) {
            for (uint32_t j = i + 1; j < found; j++) {
                filled[(size_t)later[i] * COUNT + later[j]] = true;
            }
        }
    }
    free(filled);
    return count;
}

static void check_permutation(const uint32_t *order, uint32_t count) {
    bool seen[COUNT] = {false};
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

static void grids_fill_as_theory_says(void **state) {
    (void)state;
    struct geometric_dissection d = {0};
    static struct grid g;
    uint32_t order[COUNT];
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        make_grid(&g, shuffled == 1);
        assert_int_equal(
            geometric_dissection_order(&memory, COUNT, g.start, g.neighbor, g.positions, &d, order),
            PBS_OK);
        check_permutation(order, COUNT);
        // Nested dissection of an n x n grid fills 31/4 n^2 log2(n) entries to leading order
        // (George 1973); row by row it is n^3.
        assert_true(count_fill(&g, order) < 0.5 * 7.75 * COUNT * 4.585);
    }
    geometric_dissection_free(&memory, &d);
}

static void unplaced_vertices_are_ordered(void **state) {
    (void)state;
    struct geometric_dissection d = {0};
    static struct grid g;
    uint32_t order[COUNT];
    uint32_t again[COUNT];
    make_grid(&g, true);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < 3 * COUNT; i++) {
            g.positions[i] = kind == 0 ? 1.0 : NAN;
        }
        for (uint32_t count = 1; count < COUNT; count += 100) {
            const uint32_t none[COUNT + 1] = {0};
            assert_int_equal(geometric_dissection_order(&memory, count, none, g.neighbor,
                                                        g.positions, &d, order),
                             PBS_OK);
            check_permutation(order, count);
        }
        geometric_dissection_order(&memory, COUNT, g.start, g.neighbor, g.positions, &d, order);
        const uint64_t calls = memory.call_count;
        geometric_dissection_order(&memory, COUNT, g.start, g.neighbor, g.positions, &d, again);
        assert_int_equal(memory.call_count, calls);
        assert_memory_equal(order, again, sizeof order);
    }
    geometric_dissection_free(&memory, &d);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_fill_as_theory_says),
        cmocka_unit_test(unplaced_vertices_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
