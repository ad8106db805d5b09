// The list of status codes with their texts, and the thread's last message.
// SPDX-License-Identifier: MIT
#include "base/runtime/status.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STATUS_LIST(ROW)                                                                           \
    ROW(PBS_OK, "done")                                                                            \
    ROW(PBS_NOT_CONVERGED, "done, but the tolerance was not reached, which the host allowed")      \
    ROW(PBS_DIVIDED, "done, but the step had to be divided into smaller ones")                     \
    ROW(PBS_WEAK_BONDS, "done, but the bonds hardly bear the body's own weight")                   \
    ROW(PBS_ERROR_ARGUMENT, "an argument is null, out of its range, or does not match another")    \
    ROW(PBS_ERROR_MEMORY, "the allocator returned null")                                           \
    ROW(PBS_ERROR_HANDLE, "the body or collider was destroyed or belongs to another world")        \
    ROW(PBS_ERROR_MESH,                                                                            \
        "the mesh has a wrong index, an inverted or flat element, or an unused vertex")            \
    ROW(PBS_ERROR_STRUCT_SIZE, "struct_size is not one that this library knows")                   \
    ROW(PBS_ERROR_CONVERGENCE, "the minimisation of the step did not reach its tolerance")         \
    ROW(PBS_ERROR_INADMISSIBLE, "there is no admissible state to start the step from")             \
    ROW(PBS_ERROR_HOST, "a callback of the host asked to stop")                                    \
    ROW(PBS_ERROR_FORMAT, "the bytes are damaged, or of another version or endianness")            \
    ROW(PBS_ERROR_CAPACITY, "the buffer is too small; the message says what is needed")            \
    ROW(PBS_ERROR_MISSING_CALLBACK,                                                                \
        "the restored world needs a callback that was not registered again")                       \
    ROW(PBS_ERROR_THREAD, "the system refused to start a thread")

static _Thread_local char last_message[STATUS_MESSAGE_SIZE];

const char *pbs_status_name(pbs_status status) {
    switch (status) {
#define ROW(code, text)                                                                            \
    case code: return #code;
        STATUS_LIST(ROW)
#undef ROW
    default: return "unknown status";
    }
}

const char *pbs_status_text(pbs_status status) {
    switch (status) {
#define ROW(code, text)                                                                            \
    case code: return text;
        STATUS_LIST(ROW)
#undef ROW
    default: return "this library knows no such status";
    }
}

const char *pbs_last_error(void) {
    return last_message;
}

uint32_t pbs_version(void) {
    return PBS_VERSION_MAJOR * 1000000 + PBS_VERSION_MINOR * 1000 + PBS_VERSION_PATCH;
}

pbs_status status_fail(pbs_status status, const char *format, ...) {
    // Messages use the decimal point also under a locale with a decimal comma. The locale is
    // switched for this thread and this call only. newlocale returns the C library's built-in C
    // locale here, so nothing is allocated.
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    // A second buffer, because an argument may be the last message itself.
    char message[sizeof last_message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    uselocale(before);
    if (plain != (locale_t)0) {
        freelocale(plain);
    }
    memcpy(last_message, message, sizeof message);
    return status;
}

void status_save(struct status_message *out) {
    memcpy(out->text, last_message, sizeof last_message);
}

void status_restore(const struct status_message *message) {
    memcpy(last_message, message->text, sizeof last_message);
}
