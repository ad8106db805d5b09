// Legacy VTK: an UNSTRUCTURED_GRID of version 1 to 4 ("4 a b c d" cells) or 5 (offsets and
// connectivity), ASCII or binary (always big-endian). Data that follows the cells is not read.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

#include <stdlib.h>
#include <string.h>

struct integers {
    size_t count;
    int64_t *values;
};

struct vtk {
    bool binary;
    bool split; ///< version 5: offsets and connectivity apart
    struct integers offsets;
    struct integers cells;
    size_t cell_count;
    struct integers types;
    size_t cells_line;
    size_t types_line;
};

static bool expect(struct mesh_scan *scan, const char *word) {
    struct mesh_token token;
    char room[64];
    if (scan_word(scan, &token) && token_is(&token, word)) {
        return true;
    }
    return scan_fail(scan, "expected %s, found '%s'", word, token_show(&token, room));
}

static bool read_head(struct mesh_scan *scan, struct vtk *file) {
    struct mesh_token token;
    char room[64];
    if (!scan_skip_line(scan) || !scan_skip_line(scan) || !scan_word(scan, &token)) {
        return scan_fail(scan, "the file ends within its first three lines");
    }
    file->binary = token_is(&token, "BINARY");
    if (!file->binary && !token_is(&token, "ASCII")) {
        return scan_fail(scan, "expected ASCII or BINARY, found '%s'", token_show(&token, room));
    }
    text_print(scan->report->format, sizeof scan->report->format, "VTK legacy %s",
               file->binary ? "binary" : "ASCII");
    if (!expect(scan, "DATASET") || !scan_word(scan, &token)) {
        return scan->report->error[0] == 0 ? scan_fail(scan, "the file ends after DATASET") : false;
    }
    if (!token_is(&token, "UNSTRUCTURED_GRID")) {
        return scan_fail(scan, "DATASET %s holds no tetrahedra, expected UNSTRUCTURED_GRID",
                         token_show(&token, room));
    }
    return true;
}

static bool read_points(struct mesh_scan *scan, const struct vtk *file, struct raw_mesh *raw) {
    size_t count = 0;
    struct mesh_token type;
    char room[64];
    if (raw->vertex_count > 0) {
        return scan_fail(scan, "a second list of points");
    }
    if (!scan_count(scan, "points", 6, &count) || !scan_word_in_line(scan, &type)) {
        return scan->report->error[0] == 0 ? scan_fail(scan, "the type of the points is missing")
                                           : false;
    }
    bool single = token_is(&type, "float");
    if (!single && !token_is(&type, "double") && file->binary) {
        return scan_fail(scan, "points of type '%s', expected float or double",
                         token_show(&type, room));
    }
    if (file->binary) {
        scan_skip_line(scan);
    }
    for (size_t i = 0; i < count; i++) {
        double position[3];
        for (int axis = 0; axis < 3; axis++) {
            bool read = !file->binary ? scan_number(scan, "a coordinate", &position[axis])
                        : single      ? scan_float32(scan, true, &position[axis])
                                      : scan_float64(scan, true, &position[axis]);
            if (!read) {
                return false;
            }
        }
        if (!raw_add_vertex(scan, raw, (int64_t)i, position)) {
            return false;
        }
    }
    return raw_index_vertices(scan, raw);
}

// `count` was checked against the bytes that are left.
static bool read_integers(struct mesh_scan *scan, bool binary, bool wide, size_t count,
                          const char *what, struct integers *out) {
    free(out->values);
    out->count = count;
    out->values = malloc((count + 1) * sizeof *out->values);
    if (out->values == NULL) {
        return scan_fail_memory(scan);
    }
    if (binary) {
        scan_skip_line(scan);
    }
    for (size_t i = 0; i < count; i++) {
        bool read = !binary ? scan_integer(scan, what, &out->values[i])
                    : wide  ? scan_int64(scan, true, &out->values[i])
                            : scan_int32(scan, true, &out->values[i]);
        if (!read) {
            return false;
        }
    }
    return true;
}

static bool read_wide(struct mesh_scan *scan, const struct vtk *file, const char *keyword,
                      size_t count, struct integers *out) {
    struct mesh_token type;
    char room[64];
    if (!expect(scan, keyword)) {
        return false;
    }
    scan_word_in_line(scan, &type);
    bool wide = token_is(&type, "vtktypeint64");
    if (!wide && !token_is(&type, "vtktypeint32") && !token_is(&type, "int")) {
        return scan_fail(scan, "%s of type '%s', expected vtktypeint64", keyword,
                         token_show(&type, room));
    }
    return read_integers(scan, file->binary, wide, count, "an integer of the cells", out);
}

static bool read_cells(struct mesh_scan *scan, struct vtk *file) {
    size_t count = 0;
    size_t size = 0;
    size_t smallest = file->binary ? 4 : 2;
    if (!scan_count(scan, "cells", smallest, &count) ||
        !scan_count(scan, "integers of cells", smallest, &size)) {
        return false;
    }
    file->cells_line = scan->line;
    struct mesh_scan ahead = *scan;
    struct mesh_token token;
    scan_skip_line(&ahead);
    file->split = scan_word(&ahead, &token) && token_is(&token, "OFFSETS");
    if (file->split) {
        file->cell_count = count > 0 ? count - 1 : 0;
        return read_wide(scan, file, "OFFSETS", count, &file->offsets) &&
               read_wide(scan, file, "CONNECTIVITY", size, &file->cells);
    }
    file->cell_count = count;
    return read_integers(scan, file->binary, false, size, "an integer of the cells", &file->cells);
}

static bool check_type(struct mesh_scan *scan, const struct vtk *file, size_t cell, int64_t type) {
    static const struct {
        int64_t type;
        const char *name;
    } refused[] = {{11, "voxel"},
                   {12, "hexahedron"},
                   {13, "wedge"},
                   {14, "pyramid"},
                   {24, "10-node tet"},
                   {25, "20-node hexahedron"},
                   {71, "higher-order tet"},
                   {78, "higher-order tet"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (type == refused[i].type) {
            scan->line = file->types_line;
            return scan_fail(scan,
                             "cell %zu has type %lld (%s), not supported, only tetrahedra (10) are",
                             cell, (long long)type, refused[i].name);
        }
    }
    if (type < 1 || type > 35) {
        scan->line = file->types_line;
        return scan_fail(scan, "cell %zu has type %lld, which is not known here", cell,
                         (long long)type);
    }
    return true;
}

// Vertex, line, triangle, pixel, quad and tetrahedron have fixed numbers of points; others are not
// looked at.
static bool count_fits(int64_t type, size_t count) {
    static const uint8_t points[11] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4};
    return type > 10 || points[type] == 0 || points[type] == count;
}

static bool fail_cell(struct mesh_scan *scan, const struct vtk *file, size_t cell) {
    scan->line = file->cells_line;
    return scan_fail(scan, "cell %zu has no fitting number of points in the list of cells", cell);
}

// Where the points of a cell begin, and how many they are.
static bool find_cell(struct mesh_scan *scan, const struct vtk *file, size_t cell, size_t *cursor,
                      const int64_t **points, size_t *count) {
    size_t end = file->cells.count;
    int64_t size = 0;
    if (file->split) {
        int64_t from = file->offsets.values[cell];
        int64_t to = file->offsets.values[cell + 1];
        if (from < 0 || to < from || (uint64_t)to > end) {
            return fail_cell(scan, file, cell);
        }
        *cursor = (size_t)from;
        size = to - from;
    } else {
        if (*cursor >= end) {
            return fail_cell(scan, file, cell);
        }
        size = file->cells.values[(*cursor)++];
        if (size < 0 || (uint64_t)size > end - *cursor) {
            return fail_cell(scan, file, cell);
        }
    }
    *points = file->cells.values + *cursor;
    *count = (size_t)size;
    *cursor += (size_t)size;
    return true;
}

static bool take_cells(struct mesh_scan *scan, const struct vtk *file, struct raw_mesh *raw) {
    if (file->types.count != file->cell_count) {
        return scan_fail(scan, "%zu cells, but %zu types of cells", file->cell_count,
                         file->types.count);
    }
    size_t cursor = 0;
    for (size_t cell = 0; cell < file->cell_count; cell++) {
        const int64_t *points = NULL;
        size_t count = 0;
        int64_t type = file->types.values[cell];
        if (!find_cell(scan, file, cell, &cursor, &points, &count) ||
            !check_type(scan, file, cell, type)) {
            return false;
        }
        if (!count_fits(type, count)) {
            return fail_cell(scan, file, cell);
        }
        if (type != 10) {
            scan->report->ignored_elements++;
            continue;
        }
        scan->line = file->cells_line;
        if (!raw_add_tet_by_ids(scan, raw, (int64_t)cell, points)) {
            return false;
        }
    }
    return true;
}

// METADATA and FIELD may stand between the parts that are read; both end at an empty line.
static bool skip_to_empty_line(struct mesh_scan *scan) {
    struct mesh_token token;
    while (scan_skip_line(scan)) {
        if (!scan_word_in_line(scan, &token)) {
            break;
        }
    }
    return true;
}

static bool read_parts(struct mesh_scan *scan, struct vtk *file, struct raw_mesh *raw) {
    struct mesh_token keyword;
    char room[64];
    size_t count = 0;
    while (scan_word(scan, &keyword)) {
        bool read = false;
        if (token_is(&keyword, "POINTS")) {
            read = read_points(scan, file, raw);
        } else if (token_is(&keyword, "CELLS")) {
            read = read_cells(scan, file);
        } else if (token_is(&keyword, "CELL_TYPES")) {
            file->types_line = scan->line;
            read = scan_count(scan, "types of cells", file->binary ? 4 : 2, &count) &&
                   read_integers(scan, file->binary, false, count, "the type of a cell",
                                 &file->types);
        } else if (token_is(&keyword, "METADATA") || token_is(&keyword, "FIELD")) {
            read = skip_to_empty_line(scan);
        } else if (token_is(&keyword, "POINT_DATA") || token_is(&keyword, "CELL_DATA")) {
            return true;
        } else {
            return scan_fail(scan, "expected POINTS, CELLS or CELL_TYPES, found '%s'",
                             token_show(&keyword, room));
        }
        if (!read) {
            return false;
        }
    }
    return true;
}

bool read_vtk(struct mesh_scan *scan, struct raw_mesh *raw) {
    struct vtk file = {0};
    bool read = read_head(scan, &file) && read_parts(scan, &file, raw);
    if (read && (file.cells.values == NULL || file.types.values == NULL)) {
        read = scan_fail(scan, "the file ends without %s",
                         file.cells.values == NULL ? "CELLS" : "CELL_TYPES");
    }
    read = read && take_cells(scan, &file, raw);
    free(file.offsets.values);
    free(file.cells.values);
    free(file.types.values);
    return read;
}
