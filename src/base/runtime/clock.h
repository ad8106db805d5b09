// A monotonic clock for the times in the statistics. No decision may depend on it.
#ifndef PBS_BASE_RUNTIME_CLOCK_H
#define PBS_BASE_RUNTIME_CLOCK_H

double clock_seconds(void);

#endif
