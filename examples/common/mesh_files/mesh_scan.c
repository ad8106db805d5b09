// The cursor of the mesh readers and the growing raw mesh. Arrays grow by what was read, never by
// what a file claims.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scan_start(struct mesh_scan *scan, const void *data, size_t size,
                const struct mesh_read_options *options, struct mesh_report *report) {
    static const struct mesh_read_options strict = {0};
    static const char nothing[1] = "";
    *scan = (struct mesh_scan){.begin = size > 0 ? data : nothing,
                               .line = 1,
                               .options = options != NULL ? options : &strict,
                               .report = report};
    // A byte order mark of UTF-8 is no content.
    if (size >= 3 && memcmp(scan->begin, "\xEF\xBB\xBF", 3) == 0) {
        scan->begin += 3;
        size -= 3;
    }
    scan->at = scan->begin;
    scan->end = scan->begin + size;
}

static void set_error(struct mesh_scan *scan, const char *where, size_t number, const char *format,
                      va_list arguments) {
    char *text = scan->report->error;
    size_t size = sizeof scan->report->error;
    int length = text_print(text, size, "%s %zu: ", where, number);
    text_vprint(text + length, size - (size_t)length, format, arguments);
}

bool scan_fail(struct mesh_scan *scan, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(scan, "line", scan->line, format, arguments);
    va_end(arguments);
    scan->report->line = scan->line;
    return false;
}

bool scan_fail_binary(struct mesh_scan *scan, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(scan, "byte", (size_t)(scan->at - scan->begin), format, arguments);
    va_end(arguments);
    scan->report->line = 0;
    return false;
}

bool scan_fail_memory(struct mesh_scan *scan) {
    text_print(scan->report->error, sizeof scan->report->error, "memory ran out");
    scan->report->line = 0;
    return false;
}

static size_t joined_line_end(const struct mesh_scan *scan) {
    if (!scan->continuation || *scan->at != '\\') {
        return 0;
    }
    size_t left = (size_t)(scan->end - scan->at);
    if (left > 1 && scan->at[1] == '\n') {
        return 2;
    }
    return left > 2 && scan->at[1] == '\r' && scan->at[2] == '\n' ? 3 : 0;
}

// Passes blanks and comments; line ends too where asked.
static void skip_blanks(struct mesh_scan *scan, bool over_lines) {
    while (scan->at < scan->end) {
        char c = *scan->at;
        size_t joined = joined_line_end(scan);
        if (joined > 0) {
            scan->at += joined;
            scan->line++;
        } else if (c == '\n' && over_lines) {
            scan->at++;
            scan->line++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            scan->at++;
        } else if (c == '#' && scan->hash_comment) {
            while (scan->at < scan->end && *scan->at != '\n') {
                scan->at++;
            }
        } else {
            return;
        }
    }
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool take_word(struct mesh_scan *scan, struct mesh_token *token) {
    token->text = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at) && joined_line_end(scan) == 0 &&
           !(*scan->at == '#' && scan->hash_comment)) {
        scan->at++;
    }
    token->length = (size_t)(scan->at - token->text);
    return token->length > 0;
}

bool scan_word(struct mesh_scan *scan, struct mesh_token *token) {
    skip_blanks(scan, true);
    return take_word(scan, token);
}

bool scan_word_in_line(struct mesh_scan *scan, struct mesh_token *token) {
    skip_blanks(scan, false);
    return take_word(scan, token);
}

bool scan_skip_line(struct mesh_scan *scan) {
    const char *end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    if (end == NULL) {
        scan->at = scan->end;
        return false;
    }
    scan->at = end + 1;
    scan->line++;
    return true;
}

bool token_is(const struct mesh_token *token, const char *word) {
    return token->length == strlen(word) && memcmp(token->text, word, token->length) == 0;
}

const char *token_show(const struct mesh_token *token, char room[64]) {
    size_t length = token->length < 40 ? token->length : 40;
    for (size_t i = 0; i < length; i++) {
        char c = token->text[i];
        room[i] = (char)(c >= 32 && c < 127 ? c : '?');
    }
    text_print(room + length, 64 - length, "%s", token->length > length ? "..." : "");
    return room;
}

static bool fail_expected(struct mesh_scan *scan, const char *what,
                          const struct mesh_token *token) {
    char room[64];
    if (token->length > 0) {
        return scan_fail(scan, "expected %s, found '%s'", what, token_show(token, room));
    }
    const char *end = scan->at < scan->end ? "line" : "file";
    return scan_fail(scan, "the %s ends where %s was expected", end, what);
}

static bool integer_of(struct mesh_scan *scan, const char *what, const struct mesh_token *token,
                       int64_t *value) {
    return text_parse_integer(token->text, token->length, value) ||
           fail_expected(scan, what, token);
}

static bool number_of(struct mesh_scan *scan, const char *what, const struct mesh_token *token,
                      double *value) {
    bool parsed = text_parse_double(token->text, token->length, value);
    if (parsed && isfinite(*value)) {
        return true;
    }
    if (!parsed && token->length == 0) {
        return fail_expected(scan, what, token);
    }
    char room[64];
    return scan_fail(scan, "expected %s, a finite number, found '%s'", what,
                     token_show(token, room));
}

bool scan_integer(struct mesh_scan *scan, const char *what, int64_t *value) {
    struct mesh_token token;
    scan_word(scan, &token);
    return integer_of(scan, what, &token, value);
}

bool scan_integer_in_line(struct mesh_scan *scan, const char *what, int64_t *value) {
    struct mesh_token token;
    scan_word_in_line(scan, &token);
    return integer_of(scan, what, &token, value);
}

bool scan_number(struct mesh_scan *scan, const char *what, double *value) {
    struct mesh_token token;
    scan_word(scan, &token);
    return number_of(scan, what, &token, value);
}

bool scan_number_in_line(struct mesh_scan *scan, const char *what, double *value) {
    struct mesh_token token;
    scan_word_in_line(scan, &token);
    return number_of(scan, what, &token, value);
}

bool scan_check_count(struct mesh_scan *scan, const char *what, int64_t count, size_t smallest) {
    size_t left = (size_t)(scan->end - scan->at);
    if (count < 0 || count >= (int64_t)UINT32_MAX) {
        return scan_fail(scan, "%lld is no possible number of %s", (long long)count, what);
    }
    if ((size_t)count > left / smallest + 1) {
        return scan_fail(scan, "%lld %s are declared, but only %zu bytes follow", (long long)count,
                         what, left);
    }
    return true;
}

bool scan_count(struct mesh_scan *scan, const char *what, size_t smallest, size_t *count) {
    char expected[96];
    int64_t value = 0;
    text_print(expected, sizeof expected, "the number of %s", what);
    if (!scan_integer(scan, expected, &value) || !scan_check_count(scan, what, value, smallest)) {
        return false;
    }
    *count = (size_t)value;
    return true;
}

bool scan_line_ends(struct mesh_scan *scan, const char *what) {
    struct mesh_token token;
    char room[64];
    if (scan_word_in_line(scan, &token)) {
        return scan_fail(scan, "'%s' follows %s, where the line should end",
                         token_show(&token, room), what);
    }
    scan_skip_line(scan);
    return true;
}

// --- Binary numbers ---

static bool take_bytes(struct mesh_scan *scan, size_t size, bool big_endian, uint64_t *bits) {
    if ((size_t)(scan->end - scan->at) < size) {
        return scan_fail_binary(scan, "the file ends in the middle of its binary data");
    }
    *bits = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)scan->at[big_endian ? i : size - 1 - i];
        *bits = *bits << 8 | byte;
    }
    scan->at += size;
    return true;
}

bool scan_int32(struct mesh_scan *scan, bool big_endian, int64_t *value) {
    uint64_t bits = 0;
    if (!take_bytes(scan, 4, big_endian, &bits)) {
        return false;
    }
    *value = (int64_t)(bits & 0x7fffffffU) - (int64_t)(bits & 0x80000000U);
    return true;
}

bool scan_int64(struct mesh_scan *scan, bool big_endian, int64_t *value) {
    uint64_t bits = 0;
    if (!take_bytes(scan, 8, big_endian, &bits)) {
        return false;
    }
    memcpy(value, &bits, sizeof *value);
    return true;
}

static bool check_finite(struct mesh_scan *scan, double value) {
    return isfinite(value) || scan_fail_binary(scan, "a coordinate is not a finite number");
}

bool scan_float32(struct mesh_scan *scan, bool big_endian, double *value) {
    uint64_t bits = 0;
    if (!take_bytes(scan, 4, big_endian, &bits)) {
        return false;
    }
    uint32_t half = (uint32_t)bits;
    float number = 0.0F;
    memcpy(&number, &half, sizeof number);
    *value = (double)number;
    return check_finite(scan, *value);
}

bool scan_float64(struct mesh_scan *scan, bool big_endian, double *value) {
    uint64_t bits = 0;
    if (!take_bytes(scan, 8, big_endian, &bits)) {
        return false;
    }
    memcpy(value, &bits, sizeof *value);
    return check_finite(scan, *value);
}

// --- The raw mesh ---

void raw_mesh_free(struct raw_mesh *raw) {
    free(raw->positions);
    free(raw->vertex_ids);
    free(raw->elements);
    free(raw->element_ids);
    free(raw->segments);
    free(raw->order);
    *raw = (struct raw_mesh){.corners = raw->corners};
}

// Memory for `room` more or less things; the old array stays where it is when memory ran out.
#define GROW(array, room) grow((array), (room), sizeof *(array))

static void *grow(void *array, size_t room, size_t size) {
    return room <= SIZE_MAX / size ? realloc(array, room * size) : NULL;
}

bool raw_add_vertex(struct mesh_scan *scan, struct raw_mesh *raw, int64_t id,
                    const double position[3]) {
    if (raw->vertex_count == raw->vertex_room) {
        size_t room = 2 * raw->vertex_room + 64;
        double *positions = GROW(raw->positions, 3 * room);
        raw->positions = positions != NULL ? positions : raw->positions;
        int64_t *ids = GROW(raw->vertex_ids, room);
        raw->vertex_ids = ids != NULL ? ids : raw->vertex_ids;
        if (positions == NULL || ids == NULL) {
            return scan_fail_memory(scan);
        }
        raw->vertex_room = room;
    }
    memcpy(raw->positions + 3 * raw->vertex_count, position, 3 * sizeof *position);
    raw->vertex_ids[raw->vertex_count++] = id;
    return true;
}

bool raw_add_element(struct mesh_scan *scan, struct raw_mesh *raw, int64_t id,
                     const uint32_t *corners) {
    if (raw->element_count == raw->element_room) {
        size_t room = 2 * raw->element_room + 64;
        uint32_t *elements = GROW(raw->elements, raw->corners * room);
        raw->elements = elements != NULL ? elements : raw->elements;
        int64_t *ids = GROW(raw->element_ids, room);
        raw->element_ids = ids != NULL ? ids : raw->element_ids;
        if (elements == NULL || ids == NULL) {
            return scan_fail_memory(scan);
        }
        raw->element_room = room;
    }
    memcpy(raw->elements + raw->corners * raw->element_count, corners,
           raw->corners * sizeof *corners);
    raw->element_ids[raw->element_count++] = id;
    return true;
}

bool raw_add_segment(struct mesh_scan *scan, struct raw_mesh *raw, uint32_t a, uint32_t b) {
    if (raw->segment_count == raw->segment_room) {
        size_t room = 2 * raw->segment_room + 64;
        uint32_t *segments = GROW(raw->segments, 2 * room);
        if (segments == NULL) {
            return scan_fail_memory(scan);
        }
        raw->segments = segments;
        raw->segment_room = room;
    }
    raw->segments[2 * raw->segment_count] = a;
    raw->segments[2 * raw->segment_count + 1] = b;
    raw->segment_count++;
    return true;
}

struct id_entry {
    int64_t id;
    size_t vertex;
};

static int compare_ids(const void *left, const void *right) {
    const struct id_entry *a = left;
    const struct id_entry *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool ids_run_up(const struct raw_mesh *raw) {
    for (size_t v = 1; v < raw->vertex_count; v++) {
        if (raw->vertex_ids[v] != raw->vertex_ids[v - 1] + 1) {
            return false;
        }
    }
    return true;
}

bool raw_index_vertices(struct mesh_scan *scan, struct raw_mesh *raw) {
    free(raw->order);
    raw->order = NULL;
    if (ids_run_up(raw)) {
        return true;
    }
    struct id_entry *entries = malloc(raw->vertex_count * sizeof *entries);
    raw->order = malloc(raw->vertex_count * sizeof *raw->order);
    if (entries == NULL || raw->order == NULL) {
        free(entries);
        return scan_fail_memory(scan);
    }
    for (size_t v = 0; v < raw->vertex_count; v++) {
        entries[v] = (struct id_entry){raw->vertex_ids[v], v};
    }
    qsort(entries, raw->vertex_count, sizeof *entries, compare_ids);
    bool unique = true;
    for (size_t v = 0; v < raw->vertex_count && unique; v++) {
        raw->order[v] = entries[v].vertex;
        unique = v == 0 || entries[v].id != entries[v - 1].id ||
                 scan_fail(scan, "two vertices above have the number %lld",
                           (long long)entries[v].id);
    }
    free(entries);
    return unique;
}

bool raw_find_vertex(struct mesh_scan *scan, const struct raw_mesh *raw, int64_t id,
                     int64_t element, uint32_t *index) {
    size_t low = 0;
    size_t high = raw->vertex_count;
    if (raw->order == NULL) {
        if (high > 0 && id >= raw->vertex_ids[0] && id <= raw->vertex_ids[high - 1]) {
            *index = (uint32_t)(id - raw->vertex_ids[0]);
            return true;
        }
        low = high;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t found = raw->vertex_ids[raw->order[middle]];
        if (found == id) {
            *index = (uint32_t)raw->order[middle];
            return true;
        }
        low = found < id ? middle + 1 : low;
        high = found < id ? high : middle;
    }
    return scan_fail(scan, "element %lld names vertex %lld, which does not exist",
                     (long long)element, (long long)id);
}

bool raw_add_tet_by_ids(struct mesh_scan *scan, struct raw_mesh *raw, int64_t id,
                        const int64_t ids[4]) {
    uint32_t corners[4];
    for (int i = 0; i < 4; i++) {
        if (!raw_find_vertex(scan, raw, ids[i], id, &corners[i])) {
            return false;
        }
    }
    return raw_add_element(scan, raw, id, corners);
}
