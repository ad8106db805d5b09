// Parallel loops, run by the library's own threads or by the host's job system. Callers divide a
// loop into pieces by the problem's size, so that results never depend on the number of threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_RUNTIME_TASKS_H
#define PBS_BASE_RUNTIME_TASKS_H

#include "base/runtime/memory.h"

struct tasks;

/// threads: the number of threads that run a loop, the calling one included; 0: one per processor.
/// If the host gives a parallel_for (may be null), it is used and no thread is started.
pbs_status tasks_create(struct memory *memory, const pbs_tasks *host, int32_t threads,
                        struct tasks **out);

/// The host's loop that tasks were made with; all zero: none.
pbs_tasks tasks_host(const struct tasks *tasks);

/// How many threads run a loop, the calling one included. 1 where the host runs it.
int32_t tasks_thread_count(const struct tasks *tasks);

/// Sets whether kernels may use fused multiply-add on processors that have it. The default is true,
/// also for null tasks. If false, results have the same bits as on processors without it.
void tasks_set_fusing(struct tasks *tasks, bool may_fuse);
bool tasks_may_fuse(const struct tasks *tasks);

/// Joins and frees the threads. Does nothing for null.
void tasks_destroy(struct memory *memory, struct tasks *tasks);

/// Runs work(context, i) for every i < count, in any order, and returns when all are done. With
/// null tasks or a single piece everything runs on the calling thread. A loop inside a piece runs
/// serially.
void tasks_for(struct tasks *tasks, size_t count, pbs_work_fn work, void *context);

/// Same as tasks_for, with denormal numbers flushed to zero in every piece on whichever thread runs
/// it (base/runtime/arithmetic.h). A host's parallel_for itself is called without flushing.
void tasks_for_flushing(struct tasks *tasks, size_t count, pbs_work_fn work, void *context);

#endif
