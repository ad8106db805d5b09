// Parallel loops: the library's own threads, or the host's job system. A loop is cut by problem
// size, so that what is computed never depends on how many threads compute it. Knows nothing of
// what the pieces do.
#ifndef PBS_BASE_RUNTIME_TASKS_H
#define PBS_BASE_RUNTIME_TASKS_H

#include "base/runtime/memory.h"

struct tasks;

/// threads: how many run at the same time, the calling one included; 0 means as many as the machine
/// has processors. A host's parallel_for (may be null) takes precedence; then no thread is started.
pbs_status tasks_create(struct memory *memory, const pbs_tasks *host, int32_t threads,
                        struct tasks **out);

/// Whether kernels may fuse multiplications and additions where the processor can, as they may
/// until something else is said, and with null tasks. Where not, results are the same bits on
/// processors that cannot.
void tasks_set_fusing(struct tasks *tasks, bool may_fuse);
bool tasks_may_fuse(const struct tasks *tasks);

/// Joins the threads. Null is fine.
void tasks_destroy(struct memory *memory, struct tasks *tasks);

/// Runs work(context, i) for every i < count, in any order, and returns when all are done.
/// With null tasks or a single piece everything runs on the calling thread. Not reentrant from
/// within a piece.
void tasks_for(struct tasks *tasks, size_t count, pbs_work_fn work, void *context);

/// The same where denormal numbers count as zero (base/runtime/arithmetic.h) in every piece,
/// whichever thread runs it; a host's parallel_for is called where they do not.
void tasks_for_flushing(struct tasks *tasks, size_t count, pbs_work_fn work, void *context);

#endif
