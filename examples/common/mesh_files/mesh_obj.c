// Wavefront .obj: vertices, faces (polygons become fans) and lines. Texture, normals, groups and
// colours are passed over. Two passes, since faces may name vertices that come later, and since
// lies are best found at their line.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

static bool read_vertex(struct mesh_scan *scan, struct raw_mesh *raw) {
    double position[3];
    return scan_number_in_line(scan, "coordinate x of a vertex", &position[0]) &&
           scan_number_in_line(scan, "coordinate y of a vertex", &position[1]) &&
           scan_number_in_line(scan, "coordinate z of a vertex", &position[2]) &&
           raw_add_vertex(scan, raw, (int64_t)raw->vertex_count + 1, position);
}

// "7", "7/1", "7//3" or "-1": from 1, or back from the last vertex so far.
static bool read_corner(struct mesh_scan *scan, const struct raw_mesh *raw,
                        const struct mesh_token *token, size_t vertices_so_far, uint32_t *corner) {
    size_t length = 0;
    char room[64];
    int64_t number = 0;
    while (length < token->length && token->text[length] != '/') {
        length++;
    }
    if (!text_parse_integer(token->text, length, &number) || number == 0) {
        return scan_fail(scan, "expected the number of a vertex, found '%s'",
                         token_show(token, room));
    }
    int64_t index = number > 0 ? number - 1 : (int64_t)vertices_so_far + number;
    if (index < 0 || index >= (int64_t)raw->vertex_count) {
        return scan_fail(scan, "vertex %lld does not exist, there are %zu", (long long)number,
                         number > 0 ? raw->vertex_count : vertices_so_far);
    }
    *corner = (uint32_t)index;
    return true;
}

static bool read_face(struct mesh_scan *scan, struct raw_mesh *raw, size_t vertices_so_far,
                      int64_t id) {
    struct mesh_token token;
    uint32_t corners[3] = {0, 0, 0};
    size_t count = 0;
    while (scan_word_in_line(scan, &token)) {
        uint32_t corner = 0;
        if (!read_corner(scan, raw, &token, vertices_so_far, &corner)) {
            return false;
        }
        corners[count < 3 ? count : 2] = corner;
        count++;
        if (count >= 3) {
            if (!raw_add_element(scan, raw, id, corners)) {
                return false;
            }
            corners[1] = corners[2];
        }
    }
    return count >= 3 || scan_fail(scan, "a face of %zu vertices, expected 3 or more", count);
}

static bool read_line(struct mesh_scan *scan, struct raw_mesh *raw, size_t vertices_so_far) {
    struct mesh_token token;
    uint32_t last = 0;
    for (size_t count = 0; scan_word_in_line(scan, &token); count++) {
        uint32_t corner = 0;
        if (!read_corner(scan, raw, &token, vertices_so_far, &corner) ||
            (count > 0 && !raw_add_segment(scan, raw, last, corner))) {
            return false;
        }
        last = corner;
    }
    return true;
}

static bool is_keyword(const struct mesh_token *token) {
    for (size_t i = 0; i < token->length; i++) {
        char c = token->text[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_') {
            return false;
        }
    }
    return true;
}

// To the end of a line that backslashes may have made long.
static void skip_statement(struct mesh_scan *scan) {
    struct mesh_token token;
    while (scan_word_in_line(scan, &token)) {
    }
}

static bool read_statements(struct mesh_scan *scan, struct raw_mesh *raw, bool vertices) {
    struct mesh_token keyword;
    char room[64];
    size_t vertices_so_far = 0;
    int64_t faces = 0;
    while (scan_word(scan, &keyword)) {
        bool read = true;
        if (token_is(&keyword, "v")) {
            vertices_so_far++;
            read = !vertices || read_vertex(scan, raw);
        } else if (token_is(&keyword, "f") && !vertices) {
            read = read_face(scan, raw, vertices_so_far, ++faces);
        } else if (token_is(&keyword, "l") && !vertices) {
            read = read_line(scan, raw, vertices_so_far);
        } else if (!is_keyword(&keyword)) {
            read = scan_fail(scan, "expected a statement like v or f, found '%s'",
                             token_show(&keyword, room));
        }
        if (!read) {
            return false;
        }
        skip_statement(scan);
    }
    return true;
}

bool read_obj(struct mesh_scan *scan, struct raw_mesh *raw) {
    text_print(scan->report->format, sizeof scan->report->format, "Wavefront obj");
    scan->hash_comment = true;
    scan->continuation = true;
    struct mesh_scan again = *scan;
    if (!read_statements(scan, raw, true)) {
        return false;
    }
    if (raw->vertex_count == 0) {
        return scan_fail(scan, "the file ends without a vertex");
    }
    return read_statements(&again, raw, false);
}
