// A table of numbers as comma-separated values.
// SPDX-License-Identifier: MIT

#include "common/program/csv.h"

bool csv_write(const char *path, const char *const *column_names, size_t column_count,
               const double *values, size_t row_count, struct message *message) {
    struct text_buffer text = {0};
    for (size_t c = 0; c < column_count; c++) {
        text_buffer_add(&text, c > 0 ? "," : "");
        text_buffer_add(&text, column_names[c]);
    }
    text_buffer_add(&text, "\n");
    for (size_t i = 0; i < row_count * column_count; i++) {
        bool last = i % column_count == column_count - 1;
        text_buffer_print(&text, "%.17g%s", values[i], last ? "\n" : ",");
    }
    bool done = text_buffer_write(&text, path, message);
    text_buffer_free(&text);
    return done;
}
