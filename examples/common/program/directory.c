// See directory.h.
// SPDX-License-Identifier: MIT

#include "common/program/directory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool directory_make(const char *path, struct message *message) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return message_fail(message, "%s: cannot be made: %s", path, strerror(errno));
    }
    return true;
}
