// Nested dissection gives a permutation of the given rows, with less fill than the natural order of
// a grid.
// SPDX-License-Identifier: MIT
#include "scenes/linear/matrix_fixture.h"
#include "sparse/matrices/nested_dissection.h"
#include "support/testing.h"

static struct memory memory;

static struct fixture make_fixture(uint32_t cells, uint32_t domain_count) {
    const struct fixture_desc desc = {.cells = cells,
                                      .young = 1e5,
                                      .poisson = 0.3,
                                      .density = 1e3,
                                      .dt = 0.01,
                                      .domain_count = domain_count};
    struct fixture f;
    assert_ok(fixture_build(&memory, &desc, &f));
    return f;
}

static void check_permutation(const uint32_t *order, uint32_t first, uint32_t end) {
    uint8_t *seen = memory_allocate(&memory, end, 1);
    for (uint32_t i = 0; i < end - first; i++) {
        assert_in_range(order[i], first, end - 1);
        assert_int_equal(seen[order[i]]++, 0);
    }
    memory_release(&memory, seen);
}

/// Counts the blocks of the complete Cholesky factor by elimination in a dense table of flags.
static size_t count_fill(const struct bsr *a, const uint32_t *order) {
    const uint32_t n = a->row_count;
    uint8_t *table = memory_allocate(&memory, (size_t)n * n, 1);
    uint32_t *place = memory_allocate(&memory, n, sizeof *place);
    for (uint32_t i = 0; i < n; i++) {
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const size_t p = place[i];
            const size_t q = place[a->column[k]];
            table[p * n + q] = table[q * n + p] = 1;
        }
    }
    size_t count = 0;
    for (size_t p = 0; p < n; p++) {
        for (size_t q = p + 1; q < n; q++) {
            if (table[p * n + q]) {
                count++;
                for (size_t r = p + 1; r < n; r++) {
                    table[q * n + r] |= table[p * n + r];
                }
            }
        }
    }
    memory_release(&memory, table);
    memory_release(&memory, place);
    return count;
}

static void fill_is_less_than_in_banded_order(void **state) {
    (void)state;
    struct fixture f = make_fixture(8, 1);
    const uint32_t n = f.matrix.row_count;
    uint32_t *order = memory_allocate(&memory, n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    const size_t banded = count_fill(&f.matrix, order);
    assert_ok(nested_dissection_order_all(&memory, &f.matrix, order));
    check_permutation(order, 0, n);
    assert_true(count_fill(&f.matrix, order) < banded);
    memory_release(&memory, order);
    fixture_free(&memory, &f);
}

static void ranges_and_small_matrices(void **state) {
    (void)state;
    struct fixture f = make_fixture(5, 7);
    const uint32_t n = f.matrix.row_count;
    uint32_t *order = memory_allocate(&memory, n, sizeof *order);
    struct known_orders known = {0};
    for (uint32_t d = 0; d < 7; d++) {
        const uint32_t first = f.assembly.layout.domain_start[d];
        const uint32_t end = f.assembly.layout.domain_start[d + 1];
        assert_ok(nested_dissection_order(&memory, &f.matrix, first, end, &known, order));
        check_permutation(order, first, end);
    }
    for (uint32_t size = 0; size < 6; size++) {
        assert_ok(nested_dissection_order(&memory, &f.matrix, 3, 3 + size, &known, order));
        check_permutation(order, 3, 3 + size);
    }
    known_orders_free(&memory, &known);
    memory_release(&memory, order);
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_is_less_than_in_banded_order),
        cmocka_unit_test(ranges_and_small_matrices),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
