// The order of pairs: each is in one lane, at its lower node, and finds its partner; slabs of one
// parity never meet; sums over pairs are those by hand, for any number of threads; nodes come in
// the order that serves better. Lattices, random pairs, pairs that are there twice, nodes without
// any.
// SPDX-License-Identifier: MIT
#include "energy/springs/pair_layout.h"
#include "fracture/peridynamic.h"
#include "support/host/allocator.h"
#include "support/random.h"
#include "support/testing.h"

/// The partner of a lane, by own number.
static uint32_t partner_of(const struct pair_layout *layout, uint32_t slice, uint32_t group,
                           uint32_t lane) {
    return group < layout->slice_scattered[slice] ? layout->first[group] + lane
                                                  : layout->partner[layout->first[group] + lane];
}

/// Every lane of every group holds what the layout says, and every pair is in one.
static void assert_complete(const struct pair_layout *layout, const uint32_t *pairs) {
    size_t found = 0;
    for (uint32_t s = 0; s < layout->slice_count; s++) {
        for (uint32_t g = layout->slice_group[s]; g < layout->slice_group[s + 1]; g++) {
            for (uint32_t l = 0; l < PAIR_LANES; l++) {
                const uint32_t pair = layout->pair[PAIR_LANES * g + l];
                const uint32_t node = PAIR_LANES * s + l;
                const uint32_t partner = partner_of(layout, s, g, l);
                assert_true(partner < layout->stride);
                if (pair == UINT32_MAX) {
                    assert_true(g < layout->slice_scattered[s] || partner == node);
                    continue;
                }
                found++;
                const uint32_t *ends = pairs + 2 * (size_t)pair;
                assert_int_equal(layout->lane[pair], PAIR_LANES * g + l);
                assert_true(node < partner);
                assert_true(partner < layout->node_count);
                assert_true((layout->node[node] == ends[0] && layout->node[partner] == ends[1]) ||
                            (layout->node[node] == ends[1] && layout->node[partner] == ends[0]));
            }
        }
    }
    assert_int_equal(found, layout->pair_count);
}

/// Slab k touches nothing behind the end of slab k + 1, lanes without a pair included.
static void assert_slabs_keep_apart(const struct pair_layout *layout) {
    const uint32_t count = layout->slab_count;
    assert_int_equal(layout->slab_slice[0], 0);
    assert_int_equal(layout->slab_slice[count], layout->slice_count);
    for (uint32_t k = 0; k + 2 < count; k++) {
        assert_true(layout->slab_slice[k] < layout->slab_slice[k + 1]);
        for (uint32_t s = layout->slab_slice[k]; s < layout->slab_slice[k + 1]; s++) {
            for (uint32_t g = layout->slice_group[s]; g < layout->slice_group[s + 1]; g++) {
                for (uint32_t l = 0; l < PAIR_LANES; l++) {
                    assert_true(partner_of(layout, s, g, l) <
                                PAIR_LANES * layout->slab_slice[k + 2]);
                }
            }
        }
    }
}

static void assert_good(const uint32_t *pairs, size_t count) {
    struct memory memory;
    struct pair_layout layout;
    memory_init(&memory, NULL);
    assert_ok(pair_layout_build(&memory, pairs, count, NULL, &layout));
    assert_complete(&layout, pairs);
    assert_slabs_keep_apart(&layout);
    pair_layout_free(&layout, &memory);
    assert_int_equal(memory.bytes_in_use, 0);
}

enum { NODES = 300, PAIRS = 4000 };

/// Also between one another again and again, and with most nodes left out.
static void random_pairs(void **state) {
    (void)state;
    struct random random = random_seed(1);
    uint32_t pairs[2 * PAIRS];
    for (int round = 0; round < testing_rounds(60); round++) {
        const size_t nodes = 2 + random_index(&random, NODES - 1);
        const size_t count = random_index(&random, PAIRS + 1);
        for (size_t p = 0; p < count; p++) {
            pairs[2 * p] = (uint32_t)random_index(&random, nodes);
            pairs[2 * p + 1] = (uint32_t)random_index(&random, nodes - 1);
            pairs[2 * p + 1] += pairs[2 * p + 1] >= pairs[2 * p];
            pairs[2 * p] *= round % 3 == 0 ? 1000 : 1;
            pairs[2 * p + 1] *= round % 3 == 0 ? 1000 : 1;
        }
        assert_good(pairs, count);
    }
}

struct lattice {
    struct memory memory;
    struct peridynamic_bonds bonds;
    size_t side, count;
    double *positions;
};

static void make_lattice(struct lattice *lattice, size_t side) {
    const size_t count = side * side * side;
    double *numbers = calloc(count, 5 * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[3 * i] = (double)(i % side);
        numbers[3 * i + 1] = (double)(i / side % side);
        numbers[3 * i + 2] = (double)(i / side / side);
        numbers[3 * count + i] = 1.0;
        numbers[4 * count + i] = 1.0;
    }
    const struct peridynamic_input input = {.particle_count = count,
                                            .positions = numbers,
                                            .volumes = numbers + 3 * count,
                                            .young = numbers + 4 * count,
                                            .spacing = 1.0,
                                            .horizon = 3.0,
                                            .section = 1.0};
    memory_init(&lattice->memory, NULL);
    assert_ok(peridynamic_make(&lattice->memory, &input, &lattice->bonds));
    lattice->count = count;
    lattice->positions = numbers;
}

static void free_lattice(struct lattice *lattice) {
    peridynamic_free(&lattice->bonds, &lattice->memory);
    assert_int_equal(lattice->memory.bytes_in_use, 0);
    free(lattice->positions);
}

/// Nearly all pairs of a block of peridynamics lie in runs, with few lanes empty; and there are
/// slabs enough for several threads.
static void a_lattice_is_made_of_runs(void **state) {
    (void)state;
    struct lattice lattice;
    struct pair_layout layout;
    size_t scattered = 0;
    make_lattice(&lattice, 21);
    assert_good(lattice.bonds.pairs, lattice.bonds.count);
    assert_ok(pair_layout_build(&lattice.memory, lattice.bonds.pairs, lattice.bonds.count, NULL,
                                &layout));
    for (uint32_t s = 0; s < layout.slice_count; s++) {
        scattered += layout.slice_group[s + 1] - layout.slice_scattered[s];
    }
    assert_true(100 * scattered < layout.group_count);
    assert_true(PAIR_LANES * layout.group_count < lattice.bonds.count * 107 / 100);
    assert_true(layout.slab_count >= 7);
    pair_layout_free(&layout, &lattice.memory);
    free_lattice(&lattice);
}

/// Numbers of nodes as they come in a random order, each once.
static uint32_t *shuffled(size_t count) {
    struct random random = random_seed(11);
    uint32_t *numbers = calloc(count, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++) {
        const size_t other = random_index(&random, i + 1);
        numbers[i] = numbers[other];
        numbers[other] = (uint32_t)i;
    }
    return numbers;
}

/// The lattice numbered at random: in the order that it is told it is what it would have been. And
/// an order that serves worse than the nodes' numbers is left alone.
static void the_better_order_is_taken(void **state) {
    (void)state;
    struct lattice lattice;
    struct pair_layout natural;
    struct pair_layout layout;
    make_lattice(&lattice, 21);
    const struct peridynamic_bonds *bonds = &lattice.bonds;
    uint32_t *number = shuffled(lattice.count);
    uint32_t *pairs = calloc(2 * bonds->count, sizeof *pairs);
    assert_non_null(pairs);
    for (size_t i = 0; i < 2 * bonds->count; i++) {
        pairs[i] = number[bonds->pairs[i]];
    }
    const struct pair_order order = {lattice.count, number};
    struct memory *memory = &lattice.memory;
    assert_ok(pair_layout_build(memory, bonds->pairs, bonds->count, NULL, &natural));
    assert_ok(pair_layout_build(memory, pairs, bonds->count, NULL, &layout));
    assert_true(layout.slab_count < 3);
    pair_layout_free(&layout, memory);
    assert_ok(pair_layout_build(memory, pairs, bonds->count, &order, &layout));
    assert_complete(&layout, pairs);
    assert_slabs_keep_apart(&layout);
    assert_int_equal(layout.group_count, natural.group_count);
    assert_int_equal(layout.slab_count, natural.slab_count);
    assert_memory_equal(layout.node, number, lattice.count * sizeof *number);
    pair_layout_free(&layout, memory);
    assert_ok(pair_layout_build(memory, bonds->pairs, bonds->count, &order, &layout));
    assert_memory_equal(layout.node, natural.node, lattice.count * sizeof *natural.node);
    pair_layout_free(&layout, memory);
    pair_layout_free(&natural, memory);
    free(pairs);
    free(number);
    free_lattice(&lattice);
}

struct sums {
    const struct pair_layout *layout;
    const double *x;
    double *sums;
};

/// Adds 1 / (1 + |x_i - x_j|) along each axis at both ends, in whatever order lanes come.
static void add_slab(void *context, size_t slab) {
    const struct sums *c = context;
    const struct pair_layout *layout = c->layout;
    for (uint32_t s = layout->slab_slice[slab]; s < layout->slab_slice[slab + 1]; s++) {
        for (uint32_t g = layout->slice_group[s]; g < layout->slice_group[s + 1]; g++) {
            for (uint32_t l = 0; l < PAIR_LANES; l++) {
                if (layout->pair[PAIR_LANES * g + l] == UINT32_MAX) {
                    continue;
                }
                for (size_t axis = 0; axis < 3; axis++) {
                    const size_t i = axis * layout->stride + PAIR_LANES * s + l;
                    const size_t j = axis * layout->stride + partner_of(layout, s, g, l);
                    const double value = 1.0 / (1.0 + fabs(c->x[i] - c->x[j]));
                    c->sums[i] += value;
                    c->sums[j] += value;
                }
            }
        }
    }
}

static void add_pairs(const struct lattice *lattice, struct pair_layout *layout,
                      struct memory *memory, int32_t threads, double *by_node) {
    struct tasks *tasks = NULL;
    assert_ok(tasks_create(memory, NULL, threads, &tasks));
    double *x = memory_allocate(memory, 3 * layout->stride, sizeof *x);
    double *sums = memory_allocate(memory, 3 * layout->stride, sizeof *sums);
    struct sums context = {layout, x, sums};
    pair_layout_gather(tasks, layout, lattice->positions, x);
    pair_layout_gather(tasks, layout, NULL, sums);
    pair_layout_run(tasks, layout, add_slab, &context);
    pair_layout_add(tasks, layout, sums, by_node);
    memory_release(memory, x);
    memory_release(memory, sums);
    tasks_destroy(memory, tasks);
}

/// 61 pairs a node: 1e-13 is a thousand times what rounding can make.
static void threads_sum_the_same_bits(void **state) {
    (void)state;
    struct lattice lattice;
    struct pair_layout layout;
    make_lattice(&lattice, 21);
    const size_t size = 3 * lattice.count;
    double *sums = calloc(3 * size, sizeof *sums);
    assert_non_null(sums);
    for (size_t p = 0; p < 2 * lattice.bonds.count; p++) {
        for (size_t axis = 0; axis < 3; axis++) {
            const double *x = lattice.positions + axis;
            const size_t i = 3 * (size_t)lattice.bonds.pairs[p];
            sums[i + axis] += 1.0 / (1.0 + fabs(x[i] - x[3 * (size_t)lattice.bonds.pairs[p ^ 1u]]));
        }
    }
    assert_ok(pair_layout_build(&lattice.memory, lattice.bonds.pairs, lattice.bonds.count, NULL,
                                &layout));
    add_pairs(&lattice, &layout, &lattice.memory, 1, sums + size);
    add_pairs(&lattice, &layout, &lattice.memory, 3, sums + 2 * size);
    assert_same_bits(sums + size, sums + 2 * size, size);
    for (size_t i = 0; i < size; i++) {
        assert_near(sums[size + i], sums[i], 1e-13 * sums[i], "sum over pairs");
    }
    pair_layout_free(&layout, &lattice.memory);
    free(sums);
    free_lattice(&lattice);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const uint32_t pairs[] = {0, 1, 1, 2, 5, 3};
    const uint32_t numbers[] = {5, 3, 0, 1, 2, 4};
    const struct pair_order order = {6, numbers};
    for (uint64_t k = 0;; k++) {
        struct test_allocator allocator;
        struct memory memory;
        struct pair_layout layout;
        test_allocator_init(&allocator);
        const pbs_allocator hooks = test_allocator_hooks(&allocator);
        memory_init(&memory, &hooks);
        test_allocator_fail_after(&allocator, k);
        const pbs_status status = pair_layout_build(&memory, pairs, 3, &order, &layout);
        const bool has_failed = test_allocator_has_failed(&allocator);
        assert_int_equal(status, has_failed ? PBS_ERROR_MEMORY : PBS_OK);
        assert_true(has_failed == (layout.node == NULL));
        pair_layout_free(&layout, &memory);
        assert_int_equal(memory.bytes_in_use, 0);
        if (!has_failed) {
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(a_lattice_is_made_of_runs),
        cmocka_unit_test(the_better_order_is_taken),
        cmocka_unit_test(threads_sum_the_same_bits),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
