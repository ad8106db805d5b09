// Where programs leave their files.

#ifndef PBS_COMMON_DIRECTORY_H
#define PBS_COMMON_DIRECTORY_H

#include "text.h"

/// Makes one level; there already is as good.
bool directory_make(const char *path, struct message *message);

#endif
