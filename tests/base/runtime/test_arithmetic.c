// Denormal numbers are flushed to zero exactly in the blocks that request it.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"
#include "base/runtime/tasks.h"
#include "support/testing.h"

#include <float.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define CAN_FLUSH true
#else
#define CAN_FLUSH false
#endif

/// Half the smallest normal number, as an operand and as a result.
static bool are_flushed(void) {
    volatile float least = FLT_MIN;
    volatile float half = least * 0.5f;
    volatile double small = DBL_MIN;
    volatile double smaller = small * 0.5;
    return half == 0.0f && smaller == 0.0;
}

static bool are_flushed_in_scope(void) {
    FLUSH_DENORMALS_SCOPE();
    return are_flushed();
}

static void flushed_in_the_block_alone(void **state) {
    (void)state;
    assert_false(are_flushed());
    assert_int_equal(are_flushed_in_scope(), CAN_FLUSH);
    assert_false(are_flushed());
}

/// A flushing block inside another, and a block without flushing inside that.
static void blocks_nest(void **state) {
    (void)state;
    {
        FLUSH_DENORMALS_SCOPE();
        assert_int_equal(are_flushed_in_scope(), CAN_FLUSH);
        assert_int_equal(are_flushed(), CAN_FLUSH);
        assert_int_equal(arithmetic_flush_denormals(false), CAN_FLUSH);
        assert_false(are_flushed());
        assert_false(arithmetic_flush_denormals(true));
        assert_int_equal(are_flushed(), CAN_FLUSH);
    }
    assert_false(are_flushed());
}

/// The library's environment keeps denormal numbers, whatever the surrounding block does.
static void the_promised_environment_has_denormals(void **state) {
    (void)state;
    FLUSH_DENORMALS_SCOPE();
    {
        ARITHMETIC_SCOPE();
        assert_false(are_flushed());
    }
    assert_int_equal(are_flushed(), CAN_FLUSH);
}

enum { PIECES = 50 };

struct seen {
    bool flushed[PIECES];
    bool by_host;
};

static void look(void *context, size_t i) {
    ((struct seen *)context)->flushed[i] = are_flushed();
}

/// A host that records the environment in which it is called.
static void host_for(void *user, size_t count, pbs_work_fn work, void *context) {
    ((struct seen *)user)->by_host |= are_flushed();
    for (size_t i = count; i-- > 0;) {
        work(context, i);
        ((struct seen *)user)->by_host |= are_flushed();
    }
}

static void assert_flushed_in_pieces(struct tasks *tasks, struct seen *seen) {
    memset(seen, 0, sizeof *seen);
    tasks_for_flushing(tasks, PIECES, look, seen);
    for (size_t i = 0; i < PIECES; i++) {
        assert_int_equal(seen->flushed[i], CAN_FLUSH);
    }
    assert_false(seen->by_host);
    tasks_for(tasks, PIECES, look, seen);
    for (size_t i = 0; i < PIECES && tasks != NULL; i++) {
        // A caller's own flushing block stays in effect.
        assert_true(!seen->flushed[i] || are_flushed());
    }
}

/// Every piece flushes on every thread, whatever surrounds the loop, and the setting is restored
/// afterwards. A host's job system is called without flushing.
static void pieces_of_a_loop(void **state) {
    (void)state;
    struct memory memory;
    memory_init(&memory, NULL);
    struct seen seen;
    const pbs_tasks host = {host_for, &seen};
    for (int kind = 0; kind < 4; kind++) {
        struct tasks *tasks = NULL;
        if (kind > 0) {
            assert_int_equal(tasks_create(&memory, kind == 3 ? &host : NULL, kind, &tasks), PBS_OK);
        }
        assert_flushed_in_pieces(tasks, &seen);
        assert_false(are_flushed());
        {
            FLUSH_DENORMALS_SCOPE();
            assert_flushed_in_pieces(tasks, &seen);
            assert_int_equal(are_flushed(), CAN_FLUSH);
        }
        tasks_destroy(&memory, tasks);
    }
    assert_int_equal(memory.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flushed_in_the_block_alone),
        cmocka_unit_test(blocks_nest),
        cmocka_unit_test(pieces_of_a_loop),
        cmocka_unit_test(the_promised_environment_has_denormals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
