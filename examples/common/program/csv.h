// A table of numbers as comma-separated values, with the point as decimal sign in every locale.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_CSV_H
#define PBS_COMMON_CSV_H

#include "common/program/text.h"

/// `values` is row after row: [row_count * column_count]. Numbers are printed so that they read
/// back the same.
bool csv_write(const char *path, const char *const *column_names, size_t column_count,
               const double *values, size_t row_count, struct message *message);

#endif
