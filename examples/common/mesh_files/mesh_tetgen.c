// TetGen: a .node file of "id x y z [attributes] [marker]" and an .ele file of "id a b c d
// [attributes]".
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

static bool read_nodes(struct mesh_scan *scan, struct raw_mesh *raw) {
    size_t count = 0;
    int64_t dimension = 0;
    // "0 0 0 0" and its line end.
    if (!scan_count(scan, "nodes", 8, &count) ||
        !scan_integer_in_line(scan, "the dimension", &dimension)) {
        return false;
    }
    if (dimension != 3) {
        return scan_fail(scan, "nodes of dimension %lld, expected 3", (long long)dimension);
    }
    scan_skip_line(scan);
    for (size_t i = 0; i < count; i++) {
        int64_t id = 0;
        double position[3];
        if (!scan_integer(scan, "the number of a node", &id) ||
            !scan_number_in_line(scan, "coordinate x", &position[0]) ||
            !scan_number_in_line(scan, "coordinate y", &position[1]) ||
            !scan_number_in_line(scan, "coordinate z", &position[2]) ||
            !raw_add_vertex(scan, raw, id, position)) {
            return false;
        }
        scan_skip_line(scan);
    }
    return true;
}

static bool read_elements(struct mesh_scan *scan, struct raw_mesh *raw) {
    size_t count = 0;
    int64_t corners = 0;
    if (!scan_count(scan, "tetrahedra", 10, &count) ||
        !scan_integer_in_line(scan, "the number of nodes per tetrahedron", &corners)) {
        return false;
    }
    if (corners != 4) {
        return scan_fail(scan, "%lld-node tetrahedra not supported, expected 4 nodes",
                         (long long)corners);
    }
    scan_skip_line(scan);
    for (size_t i = 0; i < count; i++) {
        int64_t id = 0;
        int64_t nodes[4];
        bool read = scan_integer(scan, "the number of a tetrahedron", &id);
        for (int n = 0; read && n < 4; n++) {
            read = scan_integer_in_line(scan, "a node of the tetrahedron", &nodes[n]);
        }
        if (!read || !raw_add_tet_by_ids(scan, raw, id, nodes)) {
            return false;
        }
        scan_skip_line(scan);
    }
    return true;
}

static bool check_end(struct mesh_scan *scan, const char *what) {
    struct mesh_token token;
    char room[64];
    return !scan_word(scan, &token) || scan_fail(scan, "'%s' follows the last of the %s declared",
                                                 token_show(&token, room), what);
}

// Messages about one of two files say which.
static bool name_file(struct mesh_scan *scan, const char *name, bool read) {
    if (!read) {
        char text[sizeof scan->report->error];
        text_print(text, sizeof text, "%.480s", scan->report->error);
        text_print(scan->report->error, sizeof scan->report->error, "%s file, %s", name, text);
    }
    return read;
}

bool read_tetgen(struct mesh_scan *nodes, struct mesh_scan *elements, struct raw_mesh *raw) {
    text_print(nodes->report->format, sizeof nodes->report->format, "TetGen");
    nodes->hash_comment = true;
    elements->hash_comment = true;
    return name_file(nodes, ".node",
                     read_nodes(nodes, raw) && check_end(nodes, "nodes") &&
                         raw_index_vertices(nodes, raw)) &&
           name_file(elements, ".ele",
                     read_elements(elements, raw) && check_end(elements, "tetrahedra"));
}
