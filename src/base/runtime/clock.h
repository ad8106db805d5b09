// A monotonic clock for the times in the statistics. No decision may depend on it.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_RUNTIME_CLOCK_H
#define PBS_BASE_RUNTIME_CLOCK_H

double clock_seconds(void);

#endif
