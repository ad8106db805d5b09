// Job systems of a host, for tests: pieces in random order, and pieces on threads of its own in
// random order.
#ifndef PBS_SUPPORT_JOBS_H
#define PBS_SUPPORT_JOBS_H

#include "pbs/base.h"
#include "support/random.h"

struct test_jobs {
    struct random random;
    size_t loop_count;  ///< how often parallel_for was called
    size_t piece_count; ///< how many pieces it ran
    size_t threads;     ///< 1: everything on the calling thread
};

/// Hooks for a world's description; jobs must outlive it.
pbs_tasks test_jobs_hooks(struct test_jobs *jobs, uint64_t seed, size_t threads);

#endif
