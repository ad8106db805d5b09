// METIS's changes to the process are undone: signal handlers with their flags and masks, the
// alternate stack, the thread's signal mask, rand(). Orders are correct while signals arrive.
// SPDX-License-Identifier: MIT
#include "sparse/ordering/metis_bridge.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "support/testing.h"

static struct memory memory;
static const int caught[] = {SIGABRT, SIGTERM};
static atomic_int handled;

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    (void)context;
    atomic_fetch_add(&handled, 1);
}

/// A square grid of nodes that are coupled to their neighbours.
static struct graph make_grid(uint32_t side) {
    const size_t count = 2 * (size_t)side * (side - 1);
    uint32_t *pairs = memory_allocate(&memory, 2 * count, sizeof *pairs);
    size_t n = 0;
    for (uint32_t i = 0; i < side * side; i++) {
        for (int axis = 0; axis < 2; axis++) {
            if (axis == 0 ? i % side + 1 < side : i + side < side * side) {
                pairs[n++] = i;
                pairs[n++] = i + (axis == 0 ? 1 : side);
            }
        }
    }
    const struct stencils set = {.count = count, .width = 2, .nodes = pairs};
    struct graph graph;
    assert_ok(graph_build(&memory, side * side, &set, 1, &graph));
    memory_release(&memory, pairs);
    return graph;
}

static void install(struct sigaction before[COUNT_OF(caught)]) {
    for (size_t i = 0; i < COUNT_OF(caught); i++) {
        struct sigaction action = {.sa_sigaction = on_signal,
                                   .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaddset(&action.sa_mask, SIGUSR1);
        assert_int_equal(sigaction(caught[i], &action, &before[i]), 0);
    }
}

static void assert_installed(void) {
    for (size_t i = 0; i < COUNT_OF(caught); i++) {
        struct sigaction now;
        assert_int_equal(sigaction(caught[i], NULL, &now), 0);
        assert_true(now.sa_sigaction == on_signal);
        assert_true((now.sa_flags & SA_SIGINFO) != 0 && (now.sa_flags & SA_RESTART) != 0);
        assert_true((now.sa_flags & SA_ONSTACK) != 0);
        assert_true((now.sa_flags & (int)SA_RESETHAND) == 0 && (now.sa_flags & SA_NODEFER) == 0);
        assert_int_equal(sigismember(&now.sa_mask, SIGUSR1), 1);
        assert_int_equal(sigismember(&now.sa_mask, SIGUSR2), 0);
    }
}

static void restore(const struct sigaction before[COUNT_OF(caught)]) {
    for (size_t i = 0; i < COUNT_OF(caught); i++) {
        sigaction(caught[i], &before[i], NULL);
    }
}

static void the_process_is_as_before(void **state) {
    (void)state;
    struct sigaction before[COUNT_OF(caught)];
    static char room[65536];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct graph graph = make_grid(20);
    uint32_t out[400];
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    sigset_t usual, mask;
    sigemptyset(&usual);
    sigaddset(&usual, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &usual, NULL);
    install(before);
    srand(5);
    const int first = rand();
    const int second = rand();
    srand(5);
    assert_int_equal(rand(), first);
    assert_ok(metis_partition(&memory, &graph, 4, out));
    assert_installed();
    assert_ok(metis_dissect(&memory, &graph, out));
    assert_installed();
    assert_int_equal(rand(), second);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGTERM), 0);
    assert_int_equal(sigismember(&mask, SIGUSR2), 1);
    stack_t now;
    assert_int_equal(sigaltstack(NULL, &now), 0);
    assert_true(now.ss_sp == room && now.ss_flags == 0);
    restore(before);
    pthread_sigmask(SIG_UNBLOCK, &usual, NULL);
    graph_free(&memory, &graph);
}

// --- signals during a call ---

struct sender {
    pthread_t receiver;
    atomic_bool stop;
};

static void *send_signals(void *argument) {
    struct sender *sender = argument;
    while (!atomic_load(&sender->stop)) {
        pthread_kill(sender->receiver, SIGTERM);
    }
    return NULL;
}

/// A thread that receives SIGTERM continuously computes the same orders as one that does not, and
/// its own handler receives the signals.
static void signals_wait_for_the_order(void **state) {
    (void)state;
    struct sigaction before[COUNT_OF(caught)];
    struct graph graph = make_grid(40);
    uint32_t undisturbed[1600], out[1600];
    assert_ok(metis_dissect(&memory, &graph, undisturbed));
    install(before);
    struct sender sender = {.receiver = pthread_self()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_signals, &sender), 0);
    for (int i = 0; i < 50; i++) {
        assert_ok(metis_dissect(&memory, &graph, out));
        assert_memory_equal(out, undisturbed, sizeof out);
    }
    atomic_store(&sender.stop, true);
    pthread_join(thread, NULL);
    assert_true(atomic_load(&handled) > 0);
    restore(before);
    graph_free(&memory, &graph);
}

int main(void) {
    memory_init(&memory, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_is_as_before),
        cmocka_unit_test(signals_wait_for_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
