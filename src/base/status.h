// The thread's last error message, and the one way to fail: status_fail says what was expected and
// found.
#ifndef PBS_BASE_STATUS_H
#define PBS_BASE_STATUS_H

#include "pbs/base.h"

/// Sets the calling thread's message (printf format, C locale for numbers) and returns status.
pbs_status status_fail(pbs_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Forgets the thread's message.
void status_clear(void);

/// Leaves the function with the status of an expression that failed.
#define RETURN_IF_FAILED(expression)                                                               \
    do {                                                                                           \
        const pbs_status status_ = (expression);                                                   \
        if (status_ < 0) {                                                                         \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

#endif
