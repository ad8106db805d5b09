// The thread's last error message, and the one way to fail: status_fail says what was expected and
// found.
#ifndef PBS_BASE_RUNTIME_STATUS_H
#define PBS_BASE_RUNTIME_STATUS_H

#include "pbs/base.h"

enum { STATUS_MESSAGE_SIZE = 1024 };

/// Sets the calling thread's message (printf format, C locale for numbers) and returns status.
pbs_status status_fail(pbs_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A thread's message, kept while work goes on that may fail inside and succeed as a whole: a call
/// that answers PBS_OK leaves the message as it was.
struct status_message {
    char text[STATUS_MESSAGE_SIZE];
};

void status_save(struct status_message *out);
void status_restore(const struct status_message *message);

/// Leaves the function with the status of an expression that failed.
#define RETURN_IF_FAILED(expression)                                                               \
    do {                                                                                           \
        const pbs_status status_ = (expression);                                                   \
        if (status_ < 0) {                                                                         \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

#endif
