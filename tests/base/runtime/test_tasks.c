// Parallel loops run every index exactly once on whichever thread, and never deadlock.
// SPDX-License-Identifier: MIT
#include "base/runtime/tasks.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/host/allocator.h"
#include "support/host/jobs.h"
#include "support/testing.h"

enum { MAX_COUNT = 5000 };

static const int32_t thread_counts[] = {0, 1, 2, 3, 8};

struct tally {
    atomic_int times[MAX_COUNT];
    struct tasks *tasks;
};

static void count_once(void *context, size_t index) {
    struct tally *tally = context;
    atomic_fetch_add(&tally->times[index], 1);
}

static void assert_each_ran(struct tally *tally, size_t count, int times) {
    for (size_t i = 0; i < MAX_COUNT; i++) {
        assert_int_equal(atomic_load(&tally->times[i]), i < count ? times : 0);
    }
}

static void check_counts(struct tasks *tasks) {
    const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 100, MAX_COUNT};
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        struct tally tally = {.tasks = NULL};
        tasks_for(tasks, counts[k], count_once, &tally);
        assert_each_ran(&tally, counts[k], 1);
    }
}

static void every_index_runs_exactly_once(void **state) {
    (void)state;
    check_counts(NULL);
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
        struct memory memory;
        struct tasks *tasks;
        memory_init(&memory, NULL);
        assert_ok(tasks_create(&memory, NULL, thread_counts[t], &tasks));
        check_counts(tasks);
        tasks_destroy(&memory, tasks);
        assert_int_equal(memory.bytes_in_use, 0);
    }
}

static void many_small_loops_follow_each_other(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
        struct memory memory;
        struct tasks *tasks;
        struct tally tally = {.tasks = NULL};
        memory_init(&memory, NULL);
        assert_ok(tasks_create(&memory, NULL, thread_counts[t], &tasks));
        const uint64_t calls = memory.call_count;
        for (int i = 0; i < 3000; i++) {
            tasks_for(tasks, 5, count_once, &tally);
            if (i % 500 == 0) {
                usleep(200); // long enough for the workers to fall asleep
            }
        }
        assert_each_ran(&tally, 5, 3000);
        assert_int_equal(memory.call_count, calls);
        tasks_destroy(&memory, tasks);
    }
}

static void count_fifty(void *context, size_t index) {
    struct tally *tally = context;
    (void)index;
    tasks_for(tally->tasks, 50, count_once, tally);
}

static void loops_inside_pieces_run_too(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
        struct memory memory;
        struct tally tally = {.tasks = NULL};
        memory_init(&memory, NULL);
        assert_ok(tasks_create(&memory, NULL, thread_counts[t], &tally.tasks));
        tasks_for(tally.tasks, 20, count_fifty, &tally);
        assert_each_ran(&tally, 50, 20);
        tasks_destroy(&memory, tally.tasks);
    }
}

struct meeting {
    atomic_int arrived;
    int expected;
};

static void wait_for_the_others(void *context, size_t index) {
    struct meeting *meeting = context;
    (void)index;
    atomic_fetch_add(&meeting->arrived, 1);
    while (atomic_load(&meeting->arrived) < meeting->expected) {
        usleep(100);
    }
}

static void pieces_run_at_the_same_time(void **state) {
    (void)state;
    for (int32_t threads = 2; threads <= 4; threads++) {
        struct memory memory;
        struct tasks *tasks;
        struct meeting meeting = {.expected = threads};
        memory_init(&memory, NULL);
        assert_ok(tasks_create(&memory, NULL, threads, &tasks));
        tasks_for(tasks, (size_t)threads, wait_for_the_others, &meeting);
        assert_int_equal(atomic_load(&meeting.arrived), threads);
        tasks_destroy(&memory, tasks);
    }
}

struct identity {
    pthread_t caller;
    atomic_int elsewhere;
};

static void note_thread(void *context, size_t index) {
    struct identity *identity = context;
    (void)index;
    if (!pthread_equal(pthread_self(), identity->caller)) {
        atomic_fetch_add(&identity->elsewhere, 1);
    }
}

static void one_thread_is_the_callers(void **state) {
    (void)state;
    struct memory memory;
    struct tasks *tasks;
    struct identity identity = {.caller = pthread_self()};
    memory_init(&memory, NULL);
    assert_ok(tasks_create(&memory, NULL, 1, &tasks));
    tasks_for(tasks, 1000, note_thread, &identity);
    assert_int_equal(atomic_load(&identity.elsewhere), 0);
    tasks_destroy(&memory, tasks);
}

static void the_hosts_job_system_takes_precedence(void **state) {
    (void)state;
    for (size_t threads = 1; threads <= 4; threads += 3) {
        struct memory memory;
        struct test_jobs jobs;
        struct tally tally = {.tasks = NULL};
        const pbs_tasks hooks = test_jobs_hooks(&jobs, 1, threads);
        memory_init(&memory, NULL);
        assert_ok(tasks_create(&memory, &hooks, 8, &tally.tasks));
        tasks_for(tally.tasks, 20, count_fifty, &tally);
        assert_each_ran(&tally, 50, 20);
        assert_int_equal(jobs.loop_count, 1);
        check_counts(tally.tasks);
        tasks_destroy(&memory, tally.tasks);
    }
}

struct environment {
    int rounding;
    atomic_int others;
    struct meeting meeting;
};

static void compare_rounding(void *context, size_t index) {
    struct environment *environment = context;
    wait_for_the_others(&environment->meeting, index);
    if (fegetround() != environment->rounding) {
        atomic_fetch_add(&environment->others, 1);
    }
}

static void workers_round_as_the_caller_does(void **state) {
    (void)state;
    struct memory memory;
    struct tasks *tasks;
    memory_init(&memory, NULL);
    assert_ok(tasks_create(&memory, NULL, 3, &tasks));
    const int modes[] = {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct environment environment = {.rounding = modes[i], .meeting = {.expected = 3}};
        fesetround(modes[i]);
        tasks_for(tasks, 3, compare_rounding, &environment);
        assert_int_equal(atomic_load(&environment.others), 0);
    }
    tasks_destroy(&memory, tasks);
}

static void note_signals(void *context, size_t index) {
    struct environment *environment = context;
    sigset_t blocked;
    wait_for_the_others(&environment->meeting, index);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    if (sigismember(&blocked, SIGTERM) == 1 && sigismember(&blocked, SIGALRM) == 1) {
        atomic_fetch_add(&environment->others, 1);
    }
}

static void signals_stay_with_the_hosts_threads(void **state) {
    (void)state;
    struct memory memory;
    struct tasks *tasks;
    struct environment environment = {.meeting = {.expected = 3}};
    memory_init(&memory, NULL);
    assert_ok(tasks_create(&memory, NULL, 3, &tasks));
    tasks_for(tasks, 3, note_signals, &environment);
    assert_int_equal(atomic_load(&environment.others), 2);
    tasks_destroy(&memory, tasks);
}

static void bad_thread_counts_are_refused(void **state) {
    (void)state;
    struct memory memory;
    struct tasks *tasks = NULL;
    memory_init(&memory, NULL);
    assert_status(tasks_create(&memory, NULL, -1, &tasks), PBS_ERROR_ARGUMENT);
    assert_message("-1");
    assert_status(tasks_create(&memory, NULL, 1000000, &tasks), PBS_ERROR_ARGUMENT);
    assert_null(tasks);
    tasks_destroy(&memory, NULL);
}

static void a_refused_allocation_is_a_status(void **state) {
    (void)state;
    struct test_allocator allocator;
    struct memory memory;
    struct tasks *tasks = NULL;
    test_allocator_init(&allocator);
    const pbs_allocator hooks = test_allocator_hooks(&allocator);
    memory_init(&memory, &hooks);
    test_allocator_fail_after(&allocator, 0);
    assert_status(tasks_create(&memory, NULL, 4, &tasks), PBS_ERROR_MEMORY);
    assert_ok(tasks_create(&memory, NULL, 4, &tasks));
    tasks_destroy(&memory, tasks);
    assert_int_equal(allocator.blocks_in_use, 0);
}

static void a_refused_thread_is_a_status(void **state) {
    (void)state;
    struct memory memory;
    struct tasks *tasks = NULL;
    memory_init(&memory, NULL);
    // Stacks of a terabyte each: the first few threads fit into the address space, a thousand do
    // not.
    pthread_attr_t usual;
    pthread_attr_t huge;
    pthread_getattr_default_np(&usual);
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, (size_t)1 << 40);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    const pbs_status status = tasks_create(&memory, NULL, 1000, &tasks);
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&usual);
    assert_int_equal(status, PBS_ERROR_THREAD);
    assert_message("of 999 threads");
    assert_null(tasks);
    assert_int_equal(memory.bytes_in_use, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_runs_exactly_once),
        cmocka_unit_test(many_small_loops_follow_each_other),
        cmocka_unit_test(loops_inside_pieces_run_too),
        cmocka_unit_test(pieces_run_at_the_same_time),
        cmocka_unit_test(one_thread_is_the_callers),
        cmocka_unit_test(the_hosts_job_system_takes_precedence),
        cmocka_unit_test(workers_round_as_the_caller_does),
        cmocka_unit_test(signals_stay_with_the_hosts_threads),
        cmocka_unit_test(bad_thread_counts_are_refused),
        cmocka_unit_test(a_refused_allocation_is_a_status),
        cmocka_unit_test(a_refused_thread_is_a_status),
    };
    return cmocka_run_group_tests_name("base/tasks", tests, NULL, NULL);
}
