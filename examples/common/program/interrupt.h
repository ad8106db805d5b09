// A run that is interrupted (Ctrl-C, a terminal that closes, a job's time limit) ends with the
// frame it is at, so that what it has recorded can still be written. A second signal ends it at
// once.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_INTERRUPT_H
#define PBS_COMMON_INTERRUPT_H

#include <stdbool.h>

/// From now on SIGINT, SIGTERM and SIGHUP are only noted, the first time.
void interrupt_catch(void);
bool interrupt_was_requested(void);

#endif
