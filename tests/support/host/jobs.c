// Runs the pieces of a loop in random order. Each loop starts threads of its own, deals the pieces
// out to them in turn, and joins them.
// SPDX-License-Identifier: MIT
#include "support/host/jobs.h"

#include <pthread.h>
#include <stdlib.h>

enum { MAX_THREADS = 16 };

struct share {
    const size_t *order;
    size_t count;
    size_t first;
    size_t stride;
    pbs_work_fn work;
    void *context;
};

static void *run_share(void *argument) {
    const struct share *share = argument;
    for (size_t i = share->first; i < share->count; i += share->stride) {
        share->work(share->context, share->order[i]);
    }
    return NULL;
}

static void parallel_for(void *user, size_t count, pbs_work_fn work, void *context) {
    struct test_jobs *jobs = user;
    struct share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    size_t *order = calloc(count + 1, sizeof *order);
    random_permutation(&jobs->random, order, count);
    for (size_t t = 0; t < jobs->threads; t++) {
        shares[t] = (struct share){order, count, t, jobs->threads, work, context};
    }
    size_t started = 1;
    while (started < jobs->threads &&
           pthread_create(&threads[started], NULL, run_share, &shares[started]) == 0) {
        started++;
    }
    run_share(&shares[0]);
    for (size_t t = 1; t < jobs->threads; t++) {
        if (t < started) {
            pthread_join(threads[t], NULL);
        } else {
            run_share(&shares[t]);
        }
    }
    free(order);
    jobs->loop_count++;
    jobs->piece_count += count;
}

pbs_tasks test_jobs_hooks(struct test_jobs *jobs, uint64_t seed, size_t threads) {
    *jobs = (struct test_jobs){.random = random_seed(seed),
                               .threads = threads < MAX_THREADS ? threads : MAX_THREADS};
    return (pbs_tasks){.parallel_for = parallel_for, .user = jobs};
}
