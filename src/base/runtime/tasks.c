// A pool of threads for parallel loops. Every thread owns a contiguous share of the indices; equal
// loop lengths give equal shares, so that a domain's vectors stay in one processor's cache. A
// thread that has finished its share takes indices from the shares of others. The calling thread
// participates. It waits only for threads that are running a piece, never for a thread that sleeps
// or lost its processor. Idle threads poll for some microseconds, then sleep.
// SPDX-License-Identifier: MIT
#include "base/runtime/tasks.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/runtime/arithmetic.h"
#include "base/config.h"

enum {
    MAX_THREADS = 1024,
    SPIN_COUNT = 500 ///< pauses before sleeping, about 30 microseconds: solvers start the next loop
                     ///< sooner, and waking a sleeping thread in a virtual machine takes as long
};

// `state` is OPEN while indices may be left, plus ONE_INSIDE for each worker inside the loop.
#define OPEN       1u
#define ONE_INSIDE 2u

/// A thread that runs loops: the calling thread (the first participant) or a worker.
struct participant {
    _Alignas(CACHE_LINE) atomic_size_t next; ///< next unprocessed index of its share
    struct tasks *tasks;
    int32_t index;
    pthread_t thread;
};

struct tasks {
    pbs_tasks host;
    bool never_fuses;
    atomic_bool busy; ///< a loop is running; loops started from its pieces run serially

    // The current loop. The caller writes it while no worker is inside; workers that entered read
    // it.
    pbs_work_fn work;
    void *context;
    size_t count;
    fenv_t environment; ///< the caller's rounding and flush-to-zero modes, which workers copy so
                        ///< that all threads give the same bits

    _Alignas(CACHE_LINE) atomic_uint state;

    _Alignas(CACHE_LINE) pthread_mutex_t mutex;
    pthread_cond_t loop_opened; ///< signalled when a loop is opened or the pool closes
    pthread_cond_t loop_left;   ///< signalled when the last worker leaves a closed loop
    atomic_uint sleeper_count;  ///< workers that sleep or are about to
    atomic_bool caller_sleeps;
    atomic_bool closing;

    int32_t worker_count;
    struct participant participants[]; ///< 1 + worker_count
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Returns the first index of a participant's share.
static size_t share_start(const struct tasks *tasks, int32_t participant) {
    return tasks->count * (size_t)participant / ((size_t)tasks->worker_count + 1);
}

static void run_share(struct tasks *tasks, int32_t owner) {
    const size_t end = share_start(tasks, owner + 1);
    atomic_size_t *next = &tasks->participants[owner].next;
    for (;;) {
        const size_t index = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
        if (index >= end) {
            return;
        }
        tasks->work(tasks->context, index);
    }
}

/// Runs pieces until none is left, starting with the participant's own share. Then closes the loop,
/// so that no further worker enters it.
static void run_pieces(struct tasks *tasks, int32_t participant) {
    const int32_t count = tasks->worker_count + 1;
    for (int32_t i = 0; i < count; i++) {
        run_share(tasks, (participant + i) % count);
    }
    atomic_fetch_and(&tasks->state, ~OPEN);
}

// --- workers ---

static bool may_stop_waiting(struct tasks *tasks) {
    return (atomic_load(&tasks->state) & OPEN) != 0 || atomic_load(&tasks->closing);
}

/// Waits until a loop is open or the pool closes: polls first, then sleeps.
static void wait_for_loop(struct tasks *tasks) {
    for (int i = 0; i < SPIN_COUNT; i++) {
        if (may_stop_waiting(tasks)) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add(&tasks->sleeper_count, 1);
    while (!may_stop_waiting(tasks)) {
        pthread_cond_wait(&tasks->loop_opened, &tasks->mutex);
    }
    atomic_fetch_sub(&tasks->sleeper_count, 1);
    pthread_mutex_unlock(&tasks->mutex);
}

/// Enters the open loop. Returns false if it was closed meanwhile. While a worker is inside, the
/// caller cannot start another loop.
static bool enter_loop(struct tasks *tasks) {
    unsigned state = atomic_load(&tasks->state);
    while ((state & OPEN) != 0) {
        if (atomic_compare_exchange_weak(&tasks->state, &state, state + ONE_INSIDE)) {
            return true;
        }
    }
    return false;
}

static void leave_loop(struct tasks *tasks) {
    const unsigned before = atomic_fetch_sub(&tasks->state, ONE_INSIDE);
    if (before == ONE_INSIDE && atomic_load(&tasks->caller_sleeps)) {
        pthread_mutex_lock(&tasks->mutex);
        pthread_cond_signal(&tasks->loop_left);
        pthread_mutex_unlock(&tasks->mutex);
    }
}

static void *run_worker(void *argument) {
    const struct participant *self = argument;
    struct tasks *tasks = self->tasks;
    while (!atomic_load(&tasks->closing)) {
        wait_for_loop(tasks);
        if (enter_loop(tasks)) {
            fesetenv(&tasks->environment);
            run_pieces(tasks, self->index);
            leave_loop(tasks);
        }
    }
    return NULL;
}

// --- the calling thread ---

static void open_loop(struct tasks *tasks, size_t count, pbs_work_fn work, void *context) {
    tasks->work = work;
    tasks->context = context;
    tasks->count = count;
    fegetenv(&tasks->environment);
    for (int32_t i = 0; i <= tasks->worker_count; i++) {
        atomic_store_explicit(&tasks->participants[i].next, share_start(tasks, i),
                              memory_order_relaxed);
    }
    atomic_store(&tasks->state, OPEN);
    // A worker increments sleeper_count before it reads the state for the last time. So either the
    // caller sees the sleeper or the worker sees the open loop.
    if (atomic_load(&tasks->sleeper_count) > 0) {
        pthread_mutex_lock(&tasks->mutex);
        pthread_cond_broadcast(&tasks->loop_opened);
        pthread_mutex_unlock(&tasks->mutex);
    }
}

static void wait_for_workers(struct tasks *tasks) {
    for (int i = 0; i < SPIN_COUNT; i++) {
        if (atomic_load(&tasks->state) == 0) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&tasks->mutex);
    atomic_store(&tasks->caller_sleeps, true);
    while (atomic_load(&tasks->state) != 0) {
        pthread_cond_wait(&tasks->loop_left, &tasks->mutex);
    }
    atomic_store(&tasks->caller_sleeps, false);
    pthread_mutex_unlock(&tasks->mutex);
}

static void run_serially(size_t count, pbs_work_fn work, void *context) {
    for (size_t i = 0; i < count; i++) {
        work(context, i);
    }
}

struct loop_body {
    pbs_work_fn work;
    void *context;
};

/// Runs a piece on a host's thread, whose floating-point environment is unknown.
static void run_piece_for_host(void *context, size_t index) {
    ARITHMETIC_SCOPE();
    const struct loop_body *loop = context;
    loop->work(loop->context, index);
}

void tasks_for(struct tasks *tasks, size_t count, pbs_work_fn work, void *context) {
    const bool is_parallel = tasks != NULL &&
                             (tasks->host.parallel_for != NULL || tasks->worker_count > 0);
    if (!is_parallel || count <= 1 || atomic_exchange(&tasks->busy, true)) {
        run_serially(count, work, context);
        return;
    }
    if (tasks->host.parallel_for != NULL) {
        struct loop_body loop = {work, context};
        tasks->host.parallel_for(tasks->host.user, count, run_piece_for_host, &loop);
    } else {
        open_loop(tasks, count, work, context);
        run_pieces(tasks, 0);
        wait_for_workers(tasks);
    }
    atomic_store(&tasks->busy, false);
}

static void run_piece_flushing(void *context, size_t index) {
    FLUSH_DENORMALS_SCOPE();
    const struct loop_body *loop = context;
    loop->work(loop->context, index);
}

void tasks_for_flushing(struct tasks *tasks, size_t count, pbs_work_fn work, void *context) {
    if (tasks == NULL) {
        FLUSH_DENORMALS_SCOPE();
        run_serially(count, work, context);
        return;
    }
    struct loop_body loop = {work, context};
    const bool flushed = arithmetic_flush_denormals(false);
    tasks_for(tasks, count, run_piece_flushing, &loop);
    arithmetic_flush_denormals(flushed);
}

// --- creation and destruction ---

static int32_t processor_count(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int32_t)count;
}

static void join_workers(struct tasks *tasks) {
    pthread_mutex_lock(&tasks->mutex);
    atomic_store(&tasks->closing, true);
    pthread_cond_broadcast(&tasks->loop_opened);
    pthread_mutex_unlock(&tasks->mutex);
    for (int32_t i = 0; i < tasks->worker_count; i++) {
        pthread_join(tasks->participants[i + 1].thread, NULL);
    }
}

/// Starts the workers with all signals blocked, so that the host's signal handlers run on the
/// host's threads.
static pbs_status start_workers(struct tasks *tasks, int32_t count) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = 0;
    while (tasks->worker_count < count && error == 0) {
        struct participant *worker = &tasks->participants[tasks->worker_count + 1];
        worker->tasks = tasks;
        worker->index = tasks->worker_count + 1;
        error = pthread_create(&worker->thread, NULL, run_worker, worker);
        tasks->worker_count += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        return status_fail(PBS_ERROR_THREAD, "the system started %d of %d threads (error %d)",
                           (int)tasks->worker_count, (int)count, error);
    }
    return PBS_OK;
}

pbs_status tasks_create(struct memory *memory, const pbs_tasks *host, int32_t threads,
                        struct tasks **out) {
    if (threads < 0 || threads > MAX_THREADS) {
        return status_fail(PBS_ERROR_ARGUMENT, "threads is %d, must be between 0 and %d",
                           (int)threads, MAX_THREADS);
    }
    const bool has_host_loop = host != NULL && host->parallel_for != NULL;
    const int32_t workers = has_host_loop ? 0 : (threads == 0 ? processor_count() : threads) - 1;
    struct tasks *tasks = memory_allocate(
        memory, 1, sizeof *tasks + ((size_t)workers + 1) * sizeof tasks->participants[0]);
    if (tasks == NULL) {
        return PBS_ERROR_MEMORY;
    }
    if (has_host_loop) {
        tasks->host = *host;
    }
    pthread_mutex_init(&tasks->mutex, NULL);
    pthread_cond_init(&tasks->loop_opened, NULL);
    pthread_cond_init(&tasks->loop_left, NULL);
    const pbs_status status = start_workers(tasks, workers);
    if (status < 0) {
        tasks_destroy(memory, tasks);
        return status;
    }
    *out = tasks;
    return PBS_OK;
}

pbs_tasks tasks_host(const struct tasks *tasks) {
    return tasks->host;
}

int32_t tasks_thread_count(const struct tasks *tasks) {
    return tasks->worker_count + 1;
}

void tasks_set_fusing(struct tasks *tasks, bool may_fuse) {
    tasks->never_fuses = !may_fuse;
}

bool tasks_may_fuse(const struct tasks *tasks) {
    return tasks == NULL || !tasks->never_fuses;
}

void tasks_destroy(struct memory *memory, struct tasks *tasks) {
    if (tasks == NULL) {
        return;
    }
    join_workers(tasks);
    pthread_cond_destroy(&tasks->loop_left);
    pthread_cond_destroy(&tasks->loop_opened);
    pthread_mutex_destroy(&tasks->mutex);
    memory_release(memory, tasks);
}
