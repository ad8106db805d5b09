// Locale-proof numbers: parsing by an exact fast path (Clinger 1990: mantissa below 2^53, power of
// ten up to 22) and otherwise strtod in the "C" locale; printing with the "C" locale set for this
// thread only.
// SPDX-License-Identifier: MIT

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "common/program/text.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool message_fail(struct message *message, const char *format, ...) {
    if (message != NULL) {
        va_list arguments;
        va_start(arguments, format);
        text_vprint(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
    }
    return false;
}

int text_vprint(char *text, size_t size, const char *format, va_list arguments) {
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    int length = vsnprintf(text, size, format, arguments);
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    return length;
}

int text_print(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = text_vprint(text, size, format, arguments);
    va_end(arguments);
    return length;
}

// A number taken apart: mantissa * 10^exponent, where `exact` says that no digit was left out.
struct decimal {
    bool negative;
    bool exact;
    uint64_t mantissa;
    int64_t exponent;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void take_digit(struct decimal *number, char c, bool after_point) {
    if (number->mantissa < (UINT64_C(1) << 53) / 10) {
        number->mantissa = 10 * number->mantissa + (uint64_t)(c - '0');
        number->exponent -= after_point ? 1 : 0;
        return;
    }
    number->exact = number->exact && c == '0';
    number->exponent += after_point ? 0 : 1;
}

static bool scan_exponent(const char *text, size_t length, size_t at, struct decimal *number) {
    bool negative = at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+')) {
        at++;
    }
    if (at >= length) {
        return false;
    }
    int64_t exponent = 0;
    for (; at < length; at++) {
        if (!is_digit(text[at])) {
            return false;
        }
        exponent = exponent < 100000000 ? 10 * exponent + (text[at] - '0') : exponent;
    }
    number->exponent += negative ? -exponent : exponent;
    return true;
}

static bool scan_decimal(const char *text, size_t length, struct decimal *number) {
    *number = (struct decimal){.exact = true};
    size_t at = 0;
    if (at < length && (text[at] == '-' || text[at] == '+')) {
        number->negative = text[at++] == '-';
    }
    size_t digits = 0;
    bool point = false;
    for (; at < length; at++) {
        if (is_digit(text[at])) {
            take_digit(number, text[at], point);
            digits++;
        } else if (text[at] == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (digits == 0) {
        return false;
    }
    if (at == length) {
        return true;
    }
    return strchr("eEdD", text[at]) != NULL && text[at] != 0 &&
           scan_exponent(text, length, at + 1, number);
}

// The text is known to be a number, so strtod_l reads all of it once a Fortran exponent is renamed.
static bool parse_slowly(const char *text, size_t length, double *value) {
    char room[128];
    char *copy = length < sizeof room ? room : malloc(length + 1);
    if (copy == NULL) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        copy[i] = (char)(text[i] == 'd' || text[i] == 'D' ? 'e' : text[i]);
    }
    copy[length] = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain != (locale_t)0) {
        *value = strtod_l(copy, NULL, plain);
        freelocale(plain);
    }
    if (copy != room) {
        free(copy);
    }
    return plain != (locale_t)0;
}

bool text_parse_double(const char *text, size_t length, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal number;
    if (!scan_decimal(text, length, &number)) {
        return false;
    }
    if (!number.exact || number.exponent < -22 || number.exponent > 22) {
        return parse_slowly(text, length, value);
    }
    // Both factors are exact doubles, so one operation rounds once.
    double magnitude = (double)number.mantissa;
    magnitude = number.exponent < 0 ? magnitude / powers[-number.exponent]
                                    : magnitude * powers[number.exponent];
    *value = number.negative ? -magnitude : magnitude;
    return true;
}

bool text_parse_integer(const char *text, size_t length, int64_t *value) {
    size_t at = 0;
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        at++;
    }
    if (at == length) {
        return false;
    }
    uint64_t magnitude = 0;
    for (; at < length; at++) {
        if (!is_digit(text[at]) || magnitude > (UINT64_C(922337203685477580))) {
            return false;
        }
        magnitude = 10 * magnitude + (uint64_t)(text[at] - '0');
    }
    if (magnitude > (uint64_t)INT64_MAX) {
        return false;
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool reserve(struct text_buffer *buffer, size_t more) {
    size_t needed = buffer->length + more + 1;
    if (buffer->failed || needed < more) {
        buffer->failed = true;
        return false;
    }
    if (needed <= buffer->capacity) {
        return true;
    }
    size_t capacity = buffer->capacity > SIZE_MAX / 2 ? needed : 2 * buffer->capacity;
    capacity = capacity < needed ? needed : capacity;
    capacity = capacity < 256 ? 256 : capacity;
    char *grown = realloc(buffer->data, capacity);
    if (grown == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->data = grown;
    buffer->capacity = capacity;
    return true;
}

void text_buffer_add_bytes(struct text_buffer *buffer, const void *bytes, size_t size) {
    if (!reserve(buffer, size)) {
        return;
    }
    if (size > 0) {
        memcpy(buffer->data + buffer->length, bytes, size);
    }
    buffer->length += size;
    buffer->data[buffer->length] = 0;
}

void text_buffer_add(struct text_buffer *buffer, const char *text) {
    text_buffer_add_bytes(buffer, text, strlen(text));
}

void text_buffer_add_base64(struct text_buffer *buffer, const void *bytes, size_t size) {
    static const char
        digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    if (size > SIZE_MAX / 2 || !reserve(buffer, 4 * ((size + 2) / 3))) {
        buffer->failed = true;
        return;
    }
    char *out = buffer->data + buffer->length;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)in[i + 2] : 0);
        *out++ = digits[group >> 18 & 63];
        *out++ = digits[group >> 12 & 63];
        *out++ = (char)(left > 1 ? digits[group >> 6 & 63] : '=');
        *out++ = (char)(left > 2 ? digits[group & 63] : '=');
    }
    buffer->length = (size_t)(out - buffer->data);
    buffer->data[buffer->length] = 0;
}

void text_buffer_add_json_string(struct text_buffer *buffer, const char *text) {
    text_buffer_add(buffer, "\"");
    for (; *text != 0; text++) {
        unsigned char c = (unsigned char)*text;
        // '<' could end a script, the others could end a string.
        if (c < 32 || c == '"' || c == '\\' || c == '<' || c == 127) {
            text_buffer_print(buffer, "\\u%04x", (unsigned)c);
        } else {
            text_buffer_add_bytes(buffer, text, 1);
        }
    }
    text_buffer_add(buffer, "\"");
}

void text_buffer_print(struct text_buffer *buffer, const char *format, ...) {
    char room[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = text_vprint(room, sizeof room, format, arguments);
    va_end(arguments);
    if (length < 0) {
        buffer->failed = true;
    } else if ((size_t)length < sizeof room) {
        text_buffer_add_bytes(buffer, room, (size_t)length);
    } else if (reserve(buffer, (size_t)length)) {
        va_start(arguments, format);
        text_vprint(buffer->data + buffer->length, (size_t)length + 1, format, arguments);
        va_end(arguments);
        buffer->length += (size_t)length;
    }
}

void text_buffer_free(struct text_buffer *buffer) {
    free(buffer->data);
    *buffer = (struct text_buffer){0};
}

bool text_buffer_read(struct text_buffer *buffer, const char *path, struct message *message) {
    char room[1 << 14];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        text_buffer_free(buffer);
        return message_fail(message, "cannot be opened: %s", strerror(errno));
    }
    size_t got = 0;
    while ((got = fread(room, 1, sizeof room, file)) > 0) {
        text_buffer_add_bytes(buffer, room, got);
    }
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error != 0 || buffer->failed) {
        const bool failed = buffer->failed;
        text_buffer_free(buffer);
        return failed ? message_fail(message, "memory ran out")
                      : message_fail(message, "cannot be read: %s", strerror(error));
    }
    return true;
}

bool text_buffer_write(const struct text_buffer *buffer, const char *path,
                       struct message *message) {
    if (buffer->failed) {
        return message_fail(message, "%s: memory ran out before the file was complete", path);
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return message_fail(message, "%s: cannot be written: %s", path, strerror(errno));
    }
    bool complete = fwrite(buffer->data, 1, buffer->length, file) == buffer->length;
    complete = fclose(file) == 0 && complete;
    if (!complete) {
        return message_fail(message, "%s: writing stopped: %s", path, strerror(errno));
    }
    return true;
}
