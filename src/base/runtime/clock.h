// Seconds on a monotonic clock, for the times in the statistics. Never used to decide anything.
#ifndef PBS_BASE_RUNTIME_CLOCK_H
#define PBS_BASE_RUNTIME_CLOCK_H

double clock_seconds(void);

#endif
