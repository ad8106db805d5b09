// Clusters and what couples to them against a search through the whole matrix.
// SPDX-License-Identifier: MIT
#include "linear/two_level/rigid_clusters.h"

#include "linear/linear_cases.h"

static struct memory memory;

static bool is_coupled(const struct bsr *a, uint32_t i, uint32_t j) {
    return bsr_find(a, i < j ? i : j, i < j ? j : i) != SIZE_MAX;
}

/// Every row in one cluster, ascending, inside one domain; clusters of a domain are consecutive.
static void check_partition(const struct bsr *a, const struct rigid_clusters *c) {
    const struct layout *layout = a->layout;
    assert_int_equal(c->member_start[0], 0);
    assert_int_equal(c->member_start[c->count], a->row_count);
    assert_int_equal(c->domain_start[0], 0);
    assert_int_equal(c->domain_start[layout->domain_count], c->count);
    for (uint32_t d = 0; d < layout->domain_count; d++) {
        for (uint32_t k = c->domain_start[d]; k < c->domain_start[d + 1]; k++) {
            for (uint32_t m = c->member_start[k]; m < c->member_start[k + 1]; m++) {
                const uint32_t row = c->member[m];
                assert_int_equal(c->of_row[row], k);
                assert_true(m == c->member_start[k] || c->member[m - 1] < row);
                assert_true(row >= layout->domain_start[d] && row < layout->domain_start[d + 1]);
            }
        }
    }
}

/// Whether any row of cluster k couples to the row.
static bool cluster_touches(const struct bsr *a, const struct rigid_clusters *c, uint32_t k,
                            uint32_t row) {
    for (uint32_t m = c->member_start[k]; m < c->member_start[k + 1]; m++) {
        if (is_coupled(a, c->member[m], row)) {
            return true;
        }
    }
    return false;
}

static uint32_t count_of(const uint32_t *list, uint32_t first, uint32_t end, uint32_t value) {
    uint32_t found = 0;
    for (uint32_t i = first; i < end; i++) {
        found += list[i] == value;
    }
    return found;
}

/// Entries are the rows that couple to a cluster, each once; neighbours their clusters.
static void check_entries(const struct bsr *a, const struct rigid_clusters *c) {
    assert_int_equal(c->entry_start[0], 0);
    assert_int_equal(c->neighbor_start[0], 0);
    uint32_t most_entries = 0;
    uint32_t most_neighbors = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const uint32_t first = c->entry_start[k];
        const uint32_t end = c->entry_start[k + 1];
        for (uint32_t row = 0; row < a->row_count; row++) {
            assert_int_equal(count_of(c->entry_row, first, end, row),
                             cluster_touches(a, c, k, row) ? 1 : 0);
        }
        const uint32_t neighbors = c->neighbor_start[k + 1] - c->neighbor_start[k];
        const uint32_t *neighbor = c->neighbor + c->neighbor_start[k];
        bool seen[1024] = {false};
        for (uint32_t e = first; e < end; e++) {
            assert_true(c->entry_neighbor[e] < neighbors);
            assert_int_equal(neighbor[c->entry_neighbor[e]], c->of_row[c->entry_row[e]]);
            seen[c->entry_neighbor[e]] = true;
        }
        for (uint32_t n = 0; n < neighbors; n++) {
            assert_true(seen[n]);
            assert_int_equal(count_of(neighbor, 0, neighbors, neighbor[n]), 1);
        }
        assert_true(neighbors == 0 || neighbor[0] == k);
        most_entries = end - first > most_entries ? end - first : most_entries;
        most_neighbors = neighbors > most_neighbors ? neighbors : most_neighbors;
    }
    assert_int_equal(c->most_entries, most_entries);
    assert_int_equal(c->most_neighbors, most_neighbors);
}

/// The slots of a row name, block by block, the entry at the other end.
static void check_slots(const struct bsr *a, const struct rigid_clusters *c) {
    for (uint32_t row = 0; row < a->row_count; row++) {
        const uint32_t *entry = c->entry_row + c->entry_start[c->of_row[row]];
        uint32_t at = c->slot_start[row];
        for (uint32_t b = a->row_start[row]; b < a->row_start[row + 1]; b++) {
            assert_int_equal(entry[c->slot[at++]], a->column[b]);
        }
        for (uint32_t other = 0; other < row; other++) {
            if (is_coupled(a, other, row)) {
                assert_int_equal(entry[c->slot[at++]], other);
            }
        }
        assert_int_equal(at, c->slot_start[row + 1]);
    }
}

static void check_order(const struct rigid_clusters *c) {
    for (uint32_t k = 0; k < c->count; k++) {
        assert_int_equal(count_of(c->order, 0, c->count, k), 1);
    }
}

static struct rigid_clusters check_all(const struct bsr *a, uint32_t size) {
    struct rigid_clusters c;
    assert_int_equal(rigid_clusters_build(&memory, a, size, &c), PBS_OK);
    check_partition(a, &c);
    check_entries(a, &c);
    check_slots(a, &c);
    check_order(&c);
    return c;
}

static void clusters_and_what_couples_to_them(void **state) {
    (void)state;
    const uint32_t sizes[] = {1, 2, 10, 50, 1000};
    for (size_t i = 0; i < 5; i++) {
        for (uint32_t domains = 1; domains <= 7; domains += 3) {
            struct fixture f = make_fixture(&memory, 5, domains);
            struct rigid_clusters c = check_all(&f.matrix, sizes[i]);
            // About as large as asked for.
            const uint32_t rows = f.matrix.row_count;
            assert_true(c.count >= rows / sizes[i] && c.count <= rows / sizes[i] + domains);
            rigid_clusters_free(&memory, &c);
            fixture_free(&memory, &f);
        }
    }
}

/// No couplings at all, two bodies, one row.
static void bodies_apart(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 9; n += 4) {
        struct small_matrix m = small_create(&memory, n, n > 3 ? 2 : 1, NULL, 0);
        for (uint32_t size = 1; size <= 5; size += 2) {
            struct rigid_clusters c = check_all(&m.a, size);
            rigid_clusters_free(&memory, &c);
        }
        small_free(&memory, &m);
    }
    uint32_t pairs[2 * 38];
    for (uint32_t i = 0; i < 38; i++) {
        pairs[2 * i] = i < 19 ? i : i + 1;
        pairs[2 * i + 1] = pairs[2 * i] + 1;
    }
    struct small_matrix m = small_create(&memory, 40, 2, pairs, 38);
    struct rigid_clusters c = check_all(&m.a, 6);
    rigid_clusters_free(&memory, &c);
    small_free(&memory, &m);
}

static void equal_patterns_give_equal_clusters(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 6, 3);
    struct rigid_clusters c = check_all(&f.matrix, 20);
    struct rigid_clusters again = check_all(&f.matrix, 20);
    assert_int_equal(c.count, again.count);
    assert_memory_equal(c.of_row, again.of_row, f.matrix.row_count * sizeof *c.of_row);
    assert_memory_equal(c.order, again.order, c.count * sizeof *c.order);
    rigid_clusters_free(&memory, &c);
    rigid_clusters_free(&memory, &again);
    fixture_free(&memory, &f);
}

static void every_failing_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    struct fixture f = make_fixture(&memory, 4, 3);
    pbs_status status = PBS_ERROR_MEMORY;
    for (size_t k = 0; status != PBS_OK; k++) {
        struct failing failing = {.fail_at = k};
        const pbs_allocator allocator = {failing_allocate, failing_release, &failing};
        struct memory limited;
        memory_init(&limited, &allocator);
        struct rigid_clusters c;
        status = rigid_clusters_build(&limited, &f.matrix, 10, &c);
        assert_true(status == PBS_OK || (status == PBS_ERROR_MEMORY && c.count == 0));
        rigid_clusters_free(&limited, &c);
        assert_int_equal(failing.alive, 0);
        assert_true(k < 1000);
    }
    fixture_free(&memory, &f);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_and_what_couples_to_them),
        cmocka_unit_test(bodies_apart),
        cmocka_unit_test(equal_patterns_give_equal_clusters),
        cmocka_unit_test(every_failing_allocation_leaves_nothing_behind),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (memory.bytes_in_use != 0);
}
