// A run of hours that can be stopped and continued: the bytes of a world after those of a struct of
// the bench, in a file. A continued run goes on to the same bits (pbs_world_save). For benches.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_CHECKPOINT_H
#define PBS_BENCH_CHECKPOINT_H

#include <pbs/pbs.h>

#include <stdbool.h>
#include <stddef.h>

/// Replaces the file; what it held stays until the new one is complete. Returns whether it was
/// written.
bool checkpoint_write(const char *path, const void *record, size_t record_size,
                      const pbs_world *world);

/// Reads what checkpoint_write wrote with a record of the same size, into a world created with the
/// same settings. *found: whether the file is there; if not, nothing is read. A file that is there
/// but cannot be read, as one of another version of the library, is PBS_ERROR_FORMAT, so that hours
/// of work are not overwritten; *record is unspecified then.
pbs_status checkpoint_read(const char *path, void *record, size_t record_size, pbs_world *world,
                           bool *found);

#endif
