// A host's job system, for tests. It runs the pieces of a loop in random order, on the calling
// thread or on several threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_SUPPORT_JOBS_H
#define PBS_SUPPORT_JOBS_H

#include "pbs/base.h"
#include "support/random.h"

struct test_jobs {
    struct random random;
    size_t loop_count;  ///< number of calls of parallel_for
    size_t piece_count; ///< number of pieces run
    size_t threads;     ///< 1: everything on the calling thread
};

/// Hooks for a world's description; jobs must outlive it.
pbs_tasks test_jobs_hooks(struct test_jobs *jobs, uint64_t seed, size_t threads);

#endif
