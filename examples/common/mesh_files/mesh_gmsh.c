// Gmsh .msh: 1.0 ($NOD), 2.x ASCII and binary of both byte orders, 4.0 and 4.1 ASCII. Sections that
// are not nodes or elements are passed over. Elements stand one to a line, so that a wrong tag
// count is seen where it happens.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

#include <string.h>

struct gmsh {
    int version; ///< 10, 22, 40, 41
    bool binary;
    bool big_endian;
    bool has_nodes;
    bool has_elements;
};

// What Gmsh's type numbers mean: dimension, nodes and a name, for the types met in files.
struct element_type {
    int number;
    int dimension;
    int nodes;
    const char *name;
};

static const struct element_type element_types[] = {
    {1, 1, 2, "2-node line"},
    {2, 2, 3, "3-node triangle"},
    {3, 2, 4, "4-node quadrangle"},
    {4, 3, 4, "4-node tetrahedron"},
    {5, 3, 8, "8-node hexahedron"},
    {6, 3, 6, "6-node prism"},
    {7, 3, 5, "5-node pyramid"},
    {8, 1, 3, "3-node line"},
    {9, 2, 6, "6-node triangle"},
    {10, 2, 9, "9-node quadrangle"},
    {11, 3, 10, "10-node tet"},
    {12, 3, 27, "27-node hexahedron"},
    {13, 3, 18, "18-node prism"},
    {14, 3, 14, "14-node pyramid"},
    {15, 0, 1, "point"},
    {16, 2, 8, "8-node quadrangle"},
    {17, 3, 20, "20-node hexahedron"},
    {18, 3, 15, "15-node prism"},
    {19, 3, 13, "13-node pyramid"},
    {20, 2, 9, "9-node triangle"},
    {21, 2, 10, "10-node triangle"},
    {22, 2, 12, "12-node triangle"},
    {23, 2, 15, "15-node triangle"},
    {24, 2, 15, "15-node triangle"},
    {25, 2, 21, "21-node triangle"},
    {26, 1, 4, "4-node line"},
    {27, 1, 5, "5-node line"},
    {28, 1, 6, "6-node line"},
    {29, 3, 20, "20-node tet"},
    {30, 3, 35, "35-node tet"},
    {31, 3, 56, "56-node tet"},
    {92, 3, 64, "64-node hexahedron"},
    {93, 3, 125, "125-node hexahedron"},
};

// Only 4-node tetrahedra and whatever has a lower dimension may stand in a file.
static const struct element_type *find_type(struct mesh_scan *scan, int64_t number) {
    for (size_t i = 0; i < sizeof element_types / sizeof element_types[0]; i++) {
        const struct element_type *type = &element_types[i];
        if (type->number == number && (type->dimension < 3 || number == 4)) {
            return type;
        }
        if (type->number == number) {
            scan_fail(scan, "type %d (%s) not supported, only the 4-node tetrahedron (type 4) is",
                      type->number, type->name);
            return NULL;
        }
    }
    scan_fail(scan, "type %lld is no element type known here", (long long)number);
    return NULL;
}

static bool read_format(struct mesh_scan *scan, struct gmsh *file) {
    static const char *const names[] = {"Gmsh 2.2 ASCII", "Gmsh 2.2 binary", "Gmsh 4.0 ASCII",
                                        "Gmsh 4.1 ASCII"};
    double version = 0.0;
    int64_t binary = 0;
    int64_t size = 0;
    if (!scan_number(scan, "the format version", &version) ||
        !scan_integer(scan, "the file type (0 ASCII, 1 binary)", &binary) ||
        !scan_integer(scan, "the data size", &size)) {
        return false;
    }
    if ((binary != 0 && binary != 1) || size != 8) {
        return scan_fail(scan,
                         "file type %lld with data size %lld not supported, expected 0 or 1, and 8",
                         (long long)binary, (long long)size);
    }
    file->binary = binary == 1;
    file->version = version >= 2.0 && version < 3.0 ? 22 : 0;
    file->version = version >= 4.0 && version < 4.05 ? 40 : file->version;
    file->version = version >= 4.05 && version < 4.15 ? 41 : file->version;
    if (file->version == 0 || (file->binary && file->version != 22)) {
        return scan_fail(
            scan, "Gmsh %.3g %s not supported: expected 2.2 ASCII or binary, or 4.0 or 4.1 ASCII",
            version, file->binary ? "binary" : "ASCII");
    }
    int name = file->version == 22 ? (file->binary ? 1 : 0) : file->version - 38;
    text_print(scan->report->format, sizeof scan->report->format, "%s", names[name]);
    if (!scan_line_ends(scan, "the data size")) {
        return false;
    }
    if (file->binary) {
        // The integer 1 in the byte order of the file.
        if (scan->end - scan->at < 4) {
            return scan_fail_binary(scan, "the file ends where its byte order was expected");
        }
        file->big_endian = memcmp(scan->at, "\0\0\0\1", 4) == 0;
        if (!file->big_endian && memcmp(scan->at, "\1\0\0\0", 4) != 0) {
            return scan_fail_binary(scan, "expected the integer 1 as a mark of the byte order");
        }
        scan->at += 4;
    }
    return true;
}

static bool check_section_end(struct mesh_scan *scan, const char *name) {
    struct mesh_token token;
    char room[64];
    struct mesh_scan before = *scan;
    if (scan_word(scan, &token) && token_is(&token, name)) {
        return true;
    }
    if (token.length > 0 && token.text[0] != '$') {
        return scan_fail(scan, "expected %s, found '%s'", name, token_show(&token, room));
    }
    text_print(scan->report->warning, sizeof scan->report->warning, "line %zu: %s is missing",
               scan->line, name);
    *scan = before;
    return true;
}

// The count line of binary data ends in exactly one line end, which may be \r\n.
static bool end_count_line(struct mesh_scan *scan, bool binary) {
    if (!binary) {
        return true;
    }
    if (!scan_skip_line(scan)) {
        return scan_fail(scan, "the file ends where binary data was expected");
    }
    return true;
}

static bool read_position(struct mesh_scan *scan, int64_t id, double position[3]) {
    static const char axes[3] = {'x', 'y', 'z'};
    for (int axis = 0; axis < 3; axis++) {
        char what[64];
        text_print(what, sizeof what, "coordinate %c of node %lld", axes[axis], (long long)id);
        if (!scan_number_in_line(scan, what, &position[axis])) {
            return false;
        }
    }
    return true;
}

// Formats 1.0 and 2.x: a line "id x y z" for each node.
static bool read_nodes_22(struct mesh_scan *scan, const struct gmsh *file, struct raw_mesh *raw) {
    size_t count = 0;
    if (!scan_count(scan, "nodes", file->binary ? 28 : 8, &count) ||
        !end_count_line(scan, file->binary)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t id = 0;
        double position[3];
        bool read = true;
        if (file->binary) {
            read = scan_int32(scan, file->big_endian, &id) &&
                   scan_float64(scan, file->big_endian, &position[0]) &&
                   scan_float64(scan, file->big_endian, &position[1]) &&
                   scan_float64(scan, file->big_endian, &position[2]);
        } else {
            read = scan_integer(scan, "the number of a node", &id) &&
                   read_position(scan, id, position) &&
                   scan_line_ends(scan, "the node's coordinates");
        }
        if (!read || !raw_add_vertex(scan, raw, id, position)) {
            return false;
        }
    }
    return true;
}

static bool read_node_block(struct mesh_scan *scan, const struct gmsh *file, struct raw_mesh *raw,
                            size_t count, size_t parameters) {
    // 4.1 lists all numbers of the block first; 4.0 puts each before its coordinates.
    size_t first = raw->vertex_count;
    const double nowhere[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count && file->version == 41; i++) {
        int64_t id = 0;
        if (!scan_integer(scan, "the number of a node", &id) ||
            !raw_add_vertex(scan, raw, id, nowhere)) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int64_t id = 0;
        if (file->version == 41) {
            id = raw->vertex_ids[first + i];
            if (i == 0 && !scan_line_ends(scan, "the last node number")) {
                return false;
            }
        } else if (!scan_integer(scan, "the number of a node", &id) ||
                   !raw_add_vertex(scan, raw, id, nowhere)) {
            return false;
        }
        double parameter = 0.0;
        if (!read_position(scan, id, raw->positions + 3 * (first + i))) {
            return false;
        }
        for (size_t p = 0; p < parameters; p++) {
            if (!scan_number_in_line(scan, "a parametric coordinate", &parameter)) {
                return false;
            }
        }
        if (!scan_line_ends(scan, "the node's coordinates")) {
            return false;
        }
    }
    return true;
}

static bool read_section_head(struct mesh_scan *scan, const struct gmsh *file, const char *what,
                              size_t *blocks, size_t *total) {
    int64_t bound = 0;
    if (!scan_count(scan, "blocks", 4, blocks) || !scan_count(scan, what, 4, total)) {
        return false;
    }
    return file->version == 40 || (scan_integer(scan, "the smallest number", &bound) &&
                                   scan_integer(scan, "the largest number", &bound));
}

static bool read_nodes_4(struct mesh_scan *scan, const struct gmsh *file, struct raw_mesh *raw) {
    size_t blocks = 0;
    size_t total = 0;
    if (!read_section_head(scan, file, "nodes", &blocks, &total)) {
        return false;
    }
    for (size_t b = 0; b < blocks; b++) {
        int64_t first = 0;
        int64_t second = 0;
        int64_t parametric = 0;
        size_t count = 0;
        if (!scan_integer(scan, "the dimension or tag of an entity", &first) ||
            !scan_integer(scan, "the dimension or tag of an entity", &second) ||
            !scan_integer(scan, "0 or 1 (parametric)", &parametric) ||
            !scan_count(scan, "nodes in this block", 8, &count)) {
            return false;
        }
        int64_t dimension = file->version == 41 ? first : second;
        if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
            return scan_fail(
                scan, "expected a dimension of 0 to 3 and parametric 0 or 1, found %lld and %lld",
                (long long)dimension, (long long)parametric);
        }
        if (!read_node_block(scan, file, raw, count, parametric == 1 ? (size_t)dimension : 0)) {
            return false;
        }
    }
    if (raw->vertex_count != total) {
        return scan_fail(scan, "%zu nodes are declared, but the blocks hold %zu", total,
                         raw->vertex_count);
    }
    return true;
}

enum { LINE_NUMBERS = 160 };

// All integers of the line that the scan stands in; its end is not passed.
static bool read_line_integers(struct mesh_scan *scan, int64_t *numbers, size_t *count) {
    struct mesh_token token;
    char room[64];
    for (*count = 0; scan_word_in_line(scan, &token); ++*count) {
        if (*count == LINE_NUMBERS) {
            return scan_fail(scan, "more than %d numbers in an element's line", LINE_NUMBERS);
        }
        if (!text_parse_integer(token.text, token.length, &numbers[*count])) {
            return scan_fail(scan, "expected an integer of an element, found '%s'",
                             token_show(&token, room));
        }
    }
    return true;
}

static bool take_element(struct mesh_scan *scan, struct raw_mesh *raw,
                         const struct element_type *type, int64_t id, const int64_t *nodes) {
    if (type->number == 4) {
        return raw_add_tet_by_ids(scan, raw, id, nodes);
    }
    scan->report->ignored_elements++;
    return true;
}

// Where the nodes of an element begin in its line, which must hold exactly what its type and tags
// say.
static bool find_nodes(struct mesh_scan *scan, const struct gmsh *file,
                       const struct element_type *type, const int64_t *numbers, size_t count,
                       size_t *head) {
    size_t nodes = (size_t)type->nodes;
    int64_t tags = file->version == 10 ? 2 : count > 2 ? numbers[2] : 0;
    if (tags < 0 || tags > LINE_NUMBERS) {
        return scan_fail(scan, "element %lld declares %lld tags", (long long)numbers[0],
                         (long long)tags);
    }
    *head = 3 + (size_t)tags;
    if (count == *head + nodes) {
        return true;
    }
    if (!scan->options->lenient || count != 3 + nodes) {
        return scan_fail(
            scan, "element %lld has %zu numbers in its line, expected %zu for a %s with %lld tags",
            (long long)numbers[0], count, *head + nodes, type->name, (long long)tags);
    }
    text_print(scan->report->warning, sizeof scan->report->warning,
               "line %zu: element %lld declares %lld tags and has none", scan->line,
               (long long)numbers[0], (long long)tags);
    *head = 3;
    return true;
}

// 1.0: "id type physical elementary count nodes"; 2.x: "id type tags tag... nodes".
static bool read_element_line(struct mesh_scan *scan, const struct gmsh *file,
                              struct raw_mesh *raw) {
    int64_t numbers[LINE_NUMBERS];
    size_t count = 0;
    size_t head = 0;
    struct mesh_token first;
    if (!scan_word(scan, &first)) {
        return scan_fail(scan, "the file ends where an element was expected");
    }
    scan->at = first.text;
    if (!read_line_integers(scan, numbers, &count)) {
        return false;
    }
    if (count < 2) {
        return scan_fail(scan, "the line ends before the type of an element");
    }
    const struct element_type *type = find_type(scan, numbers[1]);
    return type != NULL && find_nodes(scan, file, type, numbers, count, &head) &&
           take_element(scan, raw, type, numbers[0], numbers + head);
}

static bool read_binary_elements(struct mesh_scan *scan, const struct gmsh *file,
                                 struct raw_mesh *raw, size_t total) {
    size_t done = 0;
    while (done < total) {
        int64_t number = 0;
        int64_t count = 0;
        int64_t tags = 0;
        if (!scan_int32(scan, file->big_endian, &number) ||
            !scan_int32(scan, file->big_endian, &count) ||
            !scan_int32(scan, file->big_endian, &tags)) {
            return false;
        }
        const struct element_type *type = find_type(scan, number);
        if (type == NULL) {
            return false;
        }
        if (count < 1 || (size_t)count > total - done || tags < 0 || tags > LINE_NUMBERS) {
            return scan_fail_binary(scan,
                                    "a block of %lld elements with %lld tags is not possible here",
                                    (long long)count, (long long)tags);
        }
        for (int64_t i = 0; i < count; i++) {
            int64_t id = 0;
            int64_t tag = 0;
            int64_t nodes[32] = {0};
            bool read = scan_int32(scan, file->big_endian, &id);
            for (int64_t t = 0; read && t < tags; t++) {
                read = scan_int32(scan, file->big_endian, &tag);
            }
            for (int n = 0; read && n < type->nodes; n++) {
                read = scan_int32(scan, file->big_endian, &nodes[n]);
            }
            if (!read || !take_element(scan, raw, type, id, nodes)) {
                return false;
            }
        }
        done += (size_t)count;
    }
    return true;
}

static bool read_elements_22(struct mesh_scan *scan, const struct gmsh *file,
                             struct raw_mesh *raw) {
    size_t count = 0;
    // The shortest element is a point without tags: "1 15 0 1".
    if (!scan_count(scan, "elements", 8, &count) || !end_count_line(scan, file->binary)) {
        return false;
    }
    if (file->binary) {
        return read_binary_elements(scan, file, raw, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_element_line(scan, file, raw)) {
            return false;
        }
    }
    return true;
}

static bool read_element_block(struct mesh_scan *scan, struct raw_mesh *raw,
                               const struct element_type *type, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int64_t id = 0;
        int64_t nodes[32] = {0};
        if (!scan_integer(scan, "the number of an element", &id)) {
            return false;
        }
        for (int n = 0; n < type->nodes; n++) {
            if (!scan_integer_in_line(scan, "a node of the element", &nodes[n])) {
                return false;
            }
        }
        if (!take_element(scan, raw, type, id, nodes) ||
            !scan_line_ends(scan, "the element's nodes")) {
            return false;
        }
    }
    return true;
}

static bool read_elements_4(struct mesh_scan *scan, const struct gmsh *file, struct raw_mesh *raw) {
    size_t blocks = 0;
    size_t total = 0;
    size_t sum = 0;
    if (!read_section_head(scan, file, "elements", &blocks, &total)) {
        return false;
    }
    for (size_t b = 0; b < blocks; b++) {
        int64_t entity = 0;
        int64_t number = 0;
        size_t count = 0;
        if (!scan_integer(scan, "the dimension or tag of an entity", &entity) ||
            !scan_integer(scan, "the dimension or tag of an entity", &entity) ||
            !scan_integer(scan, "the type of elements", &number)) {
            return false;
        }
        const struct element_type *type = find_type(scan, number);
        if (type == NULL || !scan_count(scan, "elements in this block", 4, &count) ||
            !read_element_block(scan, raw, type, count)) {
            return false;
        }
        sum += count;
    }
    if (sum != total) {
        return scan_fail(scan, "%zu elements are declared, but the blocks hold %zu", total, sum);
    }
    return true;
}

static bool read_nodes(struct mesh_scan *scan, struct gmsh *file, struct raw_mesh *raw) {
    if (file->version == 0) {
        return scan_fail(scan, "$Nodes before $MeshFormat");
    }
    if (file->has_nodes) {
        return scan_fail(scan, "a second section of nodes");
    }
    file->has_nodes = true;
    bool read = file->version >= 40 ? read_nodes_4(scan, file, raw)
                                    : read_nodes_22(scan, file, raw);
    return read && check_section_end(scan, file->version == 10 ? "$ENDNOD" : "$EndNodes") &&
           raw_index_vertices(scan, raw);
}

static bool read_elements(struct mesh_scan *scan, struct gmsh *file, struct raw_mesh *raw) {
    if (!file->has_nodes) {
        return scan_fail(scan, "elements before the nodes that they name");
    }
    if (file->has_elements) {
        return scan_fail(scan, "a second section of elements");
    }
    file->has_elements = true;
    bool read = file->version >= 40 ? read_elements_4(scan, file, raw)
                                    : read_elements_22(scan, file, raw);
    return read && check_section_end(scan, file->version == 10 ? "$ENDELM" : "$EndElements");
}

// Passes everything up to a line that begins with $End and the section's name.
static bool skip_section(struct mesh_scan *scan, const struct mesh_token *name) {
    char room[64];
    size_t opened = scan->line;
    while (scan_skip_line(scan)) {
        size_t left = (size_t)(scan->end - scan->at);
        if (left >= 3 + name->length && memcmp(scan->at, "$End", 4) == 0 &&
            memcmp(scan->at + 4, name->text + 1, name->length - 1) == 0) {
            scan->at += 3 + name->length;
            return true;
        }
    }
    scan->line = opened;
    return scan_fail(scan, "section %s never ends", token_show(name, room));
}

static bool read_section(struct mesh_scan *scan, struct gmsh *file, const struct mesh_token *name,
                         struct raw_mesh *raw) {
    char room[64];
    if (name->text[0] != '$') {
        return scan_fail(scan, "expected a section like $Nodes, found '%s'",
                         token_show(name, room));
    }
    if (token_is(name, "$MeshFormat")) {
        return read_format(scan, file) && check_section_end(scan, "$EndMeshFormat");
    }
    if (token_is(name, "$NOD")) {
        file->version = 10;
        text_print(scan->report->format, sizeof scan->report->format, "Gmsh 1.0");
        return read_nodes(scan, file, raw);
    }
    if (token_is(name, "$Nodes")) {
        return read_nodes(scan, file, raw);
    }
    if (token_is(name, "$Elements") || token_is(name, "$ELM")) {
        return read_elements(scan, file, raw);
    }
    return skip_section(scan, name);
}

bool read_gmsh(struct mesh_scan *scan, struct raw_mesh *raw) {
    struct gmsh file = {0};
    struct mesh_token name;
    while (scan_word(scan, &name)) {
        if (!read_section(scan, &file, &name, raw)) {
            return false;
        }
    }
    if (!file.has_nodes || !file.has_elements) {
        return scan_fail(scan, "the file ends without a section of %s",
                         file.has_nodes ? "elements" : "nodes");
    }
    return true;
}
