// Medit ASCII .mesh: keyword, count, then numbers in free form. What is not a vertex or tetrahedron
// is passed over.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

static bool is_keyword(const struct mesh_token *token) {
    char c = token->text[0];
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool read_vertices(struct mesh_scan *scan, struct raw_mesh *raw) {
    size_t count = 0;
    if (raw->vertex_count > 0) {
        return scan_fail(scan, "a second list of vertices");
    }
    if (!scan_count(scan, "vertices", 8, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        double position[3];
        double reference = 0.0;
        if (!scan_number(scan, "coordinate x of a vertex", &position[0]) ||
            !scan_number(scan, "coordinate y of a vertex", &position[1]) ||
            !scan_number(scan, "coordinate z of a vertex", &position[2]) ||
            !scan_number(scan, "the reference of a vertex", &reference) ||
            !raw_add_vertex(scan, raw, (int64_t)i + 1, position)) {
            return false;
        }
    }
    return raw_index_vertices(scan, raw);
}

static bool read_tetrahedra(struct mesh_scan *scan, struct raw_mesh *raw) {
    size_t count = 0;
    if (!scan_count(scan, "tetrahedra", 10, &count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t nodes[4];
        int64_t reference = 0;
        int64_t id = (int64_t)raw->element_count + 1;
        for (int n = 0; n < 4; n++) {
            if (!scan_integer(scan, "a vertex of a tetrahedron", &nodes[n])) {
                return false;
            }
        }
        if (!scan_integer(scan, "the reference of a tetrahedron", &reference) ||
            !raw_add_tet_by_ids(scan, raw, id, nodes)) {
            return false;
        }
    }
    return true;
}

// A list of something else: a count, then numbers up to the next keyword.
static bool skip_list(struct mesh_scan *scan, const struct mesh_token *keyword) {
    bool counted = false;
    for (;;) {
        struct mesh_scan before = *scan;
        struct mesh_token token;
        if (!scan_word(scan, &token) || is_keyword(&token)) {
            *scan = before;
            return true;
        }
        int64_t count = 0;
        if (!counted && text_parse_integer(token.text, token.length, &count) &&
            (token_is(keyword, "Triangles") || token_is(keyword, "Edges") ||
             token_is(keyword, "Quadrilaterals"))) {
            scan->report->ignored_elements += count > 0 ? (size_t)count : 0;
        }
        counted = true;
    }
}

static bool refuse_elements(struct mesh_scan *scan, const struct mesh_token *keyword) {
    char room[64];
    int64_t count = 0;
    if (!scan_integer(scan, "a number of elements", &count)) {
        return false;
    }
    return count == 0 || scan_fail(scan, "%s not supported, only 4-node tetrahedra are",
                                   token_show(keyword, room));
}

static bool read_list(struct mesh_scan *scan, const struct mesh_token *keyword,
                      struct raw_mesh *raw) {
    static const char *const refused[] = {"Hexahedra",    "Prisms",       "Pyramids",
                                          "TetrahedraP2", "TetrahedraP3", "TetrahedraP4",
                                          "HexahedraQ2"};
    int64_t number = 0;
    if (token_is(keyword, "MeshVersionFormatted")) {
        return scan_integer(scan, "the format version", &number);
    }
    if (token_is(keyword, "Dimension")) {
        return scan_integer(scan, "the dimension", &number) &&
               (number == 3 ||
                scan_fail(scan, "a mesh of dimension %lld, expected 3", (long long)number));
    }
    if (token_is(keyword, "Vertices")) {
        return read_vertices(scan, raw);
    }
    if (token_is(keyword, "Tetrahedra")) {
        return read_tetrahedra(scan, raw);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (token_is(keyword, refused[i])) {
            return refuse_elements(scan, keyword);
        }
    }
    return skip_list(scan, keyword);
}

bool read_medit(struct mesh_scan *scan, struct raw_mesh *raw) {
    struct mesh_token keyword;
    char room[64];
    scan->hash_comment = true;
    text_print(scan->report->format, sizeof scan->report->format, "Medit");
    while (scan_word(scan, &keyword)) {
        if (token_is(&keyword, "End")) {
            return true;
        }
        if (!is_keyword(&keyword)) {
            return scan_fail(scan, "expected a keyword like Vertices, found '%s'",
                             token_show(&keyword, room));
        }
        if (!read_list(scan, &keyword, raw)) {
            return false;
        }
    }
    text_print(scan->report->warning, sizeof scan->report->warning, "line %zu: End is missing",
               scan->line);
    return true;
}
