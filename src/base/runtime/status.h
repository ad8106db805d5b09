// The calling thread's last error message. Every failure calls status_fail, whose message says what
// was expected and what was found.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_RUNTIME_STATUS_H
#define PBS_BASE_RUNTIME_STATUS_H

#include "pbs/base.h"

enum { STATUS_MESSAGE_SIZE = 1024 };

/// Sets the calling thread's message (printf format; numbers are formatted in the C locale) and
/// returns status.
pbs_status status_fail(pbs_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A copy of the thread's message. Code whose internal failures are recovered saves and restores
/// the message, because a call that returns PBS_OK must not change it.
struct status_message {
    char text[STATUS_MESSAGE_SIZE];
};

void status_save(struct status_message *out);
void status_restore(const struct status_message *message);

/// Returns from the function if the expression's status is an error.
#define RETURN_IF_FAILED(expression)                                                               \
    do {                                                                                           \
        const pbs_status status_ = (expression);                                                   \
        if (status_ < 0) {                                                                         \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

#endif
