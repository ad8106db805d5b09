// Numbers and sentences that do not depend on the host's locale: under de_DE the C library reads
// "0.5" as 0 and prints commas. Also a growing text buffer, and the sentence that a failed call
// leaves.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_TEXT_H
#define PBS_COMMON_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TEXT_PRINTF(text_at, first) __attribute__((format(printf, text_at, first)))
#else
#define TEXT_PRINTF(text_at, first)
#endif

/// Why a call failed, for a person.
struct message {
    char text[512];
};

/// Sets the sentence and returns false. `message` may be null.
bool message_fail(struct message *message, const char *format, ...) TEXT_PRINTF(2, 3);

/// vsnprintf in the "C" locale, whatever the thread's own is.
int text_vprint(char *text, size_t size, const char *format, va_list arguments) TEXT_PRINTF(3, 0);
int text_print(char *text, size_t size, const char *format, ...) TEXT_PRINTF(3, 4);

/// A decimal number that fills all of text[0..length), correctly rounded: optional sign, digits
/// with one optional point, optional exponent (e, E, or Fortran's d, D). No hexadecimal, no inf, no
/// nan, no blanks. A number too large for a double becomes infinite; the caller checks.
bool text_parse_double(const char *text, size_t length, double *value);
/// A decimal integer that fills all of text[0..length) and fits.
bool text_parse_integer(const char *text, size_t length, int64_t *value);

/// Bytes that grow. After memory ran out `failed` stays set and further additions do nothing.
struct text_buffer {
    char *data; ///< always ends in a 0 byte once something was added
    size_t length;
    size_t capacity;
    bool failed;
};

void text_buffer_add(struct text_buffer *buffer, const char *text);
void text_buffer_add_bytes(struct text_buffer *buffer, const void *bytes, size_t size);
void text_buffer_add_base64(struct text_buffer *buffer, const void *bytes, size_t size);
/// A JSON string with its quotes; also safe inside an HTML script.
void text_buffer_add_json_string(struct text_buffer *buffer, const char *text);
void text_buffer_print(struct text_buffer *buffer, const char *format, ...) TEXT_PRINTF(2, 3);
void text_buffer_free(struct text_buffer *buffer);
/// Adds all bytes of a file. On failure the buffer is empty; the message does not name the file.
bool text_buffer_read(struct text_buffer *buffer, const char *path, struct message *message);
/// Writes all bytes to a file. Fails also when the buffer itself failed.
bool text_buffer_write(const struct text_buffer *buffer, const char *path, struct message *message);

#endif
