// Creates directories for output files.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_DIRECTORY_H
#define PBS_COMMON_DIRECTORY_H

#include "common/program/text.h"

/// Creates one directory level. Succeeds if the directory exists already.
bool directory_make(const char *path, struct message *message);

#endif
