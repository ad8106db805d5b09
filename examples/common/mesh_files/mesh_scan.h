// What the mesh readers share: a cursor over the bytes of a file that knows its line, and the mesh
// as the file numbers it, before checks. Every failure puts its sentence and line into the report
// and returns false.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_MESH_SCAN_H
#define PBS_COMMON_MESH_SCAN_H

#include "common/mesh_files/mesh_reader.h"
#include "common/program/text.h"

struct mesh_scan {
    const char *begin;
    const char *at;
    const char *end;
    size_t line;       ///< line of `at`, from 1
    bool hash_comment; ///< '#' hides the rest of its line
    bool continuation; ///< a backslash before a line end joins two lines
    const struct mesh_read_options *options;
    struct mesh_report *report;
};

struct mesh_token {
    const char *text;
    size_t length;
};

void scan_start(struct mesh_scan *scan, const void *data, size_t size,
                const struct mesh_read_options *options, struct mesh_report *report);

/// Fails at the current line, or at the current byte in binary data.
bool scan_fail(struct mesh_scan *scan, const char *format, ...) TEXT_PRINTF(2, 3);
bool scan_fail_binary(struct mesh_scan *scan, const char *format, ...) TEXT_PRINTF(2, 3);
bool scan_fail_memory(struct mesh_scan *scan);

/// The next word, over line ends. False at the end of the file, without a message.
bool scan_word(struct mesh_scan *scan, struct mesh_token *token);
/// The next word of this line. False at its end, without a message; the line end is not passed.
bool scan_word_in_line(struct mesh_scan *scan, struct mesh_token *token);
/// Passes the rest of this line and its end. False at the end of the file.
bool scan_skip_line(struct mesh_scan *scan);
bool token_is(const struct mesh_token *token, const char *word);
/// The token for a message: printable, cut at 40 characters.
const char *token_show(const struct mesh_token *token, char room[64]);

/// Next integer or finite number over line ends, or in this line. `what` completes "expected ...".
bool scan_integer(struct mesh_scan *scan, const char *what, int64_t *value);
bool scan_integer_in_line(struct mesh_scan *scan, const char *what, int64_t *value);
bool scan_number(struct mesh_scan *scan, const char *what, double *value);
bool scan_number_in_line(struct mesh_scan *scan, const char *what, double *value);
/// A count of things that take at least `smallest` bytes each in what is left of the file.
bool scan_count(struct mesh_scan *scan, const char *what, size_t smallest, size_t *count);
bool scan_check_count(struct mesh_scan *scan, const char *what, int64_t count, size_t smallest);
/// Nothing more than blanks in this line; passes it.
bool scan_line_ends(struct mesh_scan *scan, const char *what);

/// Numbers of either byte order; false (with a message) when the file ends before.
bool scan_int32(struct mesh_scan *scan, bool big_endian, int64_t *value);
bool scan_int64(struct mesh_scan *scan, bool big_endian, int64_t *value);
bool scan_float32(struct mesh_scan *scan, bool big_endian, double *value);
bool scan_float64(struct mesh_scan *scan, bool big_endian, double *value);

/// The mesh with the numbers that the file gives its vertices and elements.
struct raw_mesh {
    size_t vertex_count, vertex_room;
    double *positions;
    int64_t *vertex_ids;
    size_t corners; ///< per element: 4 for tetrahedra, 3 for triangles
    size_t element_count, element_room;
    uint32_t *elements; ///< indices, not ids
    int64_t *element_ids;
    size_t segment_count, segment_room;
    uint32_t *segments;
    size_t *order; ///< vertices by id, made when ids are not consecutive
};

void raw_mesh_free(struct raw_mesh *raw);
bool raw_add_vertex(struct mesh_scan *scan, struct raw_mesh *raw, int64_t id,
                    const double position[3]);
bool raw_add_element(struct mesh_scan *scan, struct raw_mesh *raw, int64_t id,
                     const uint32_t *corners);
bool raw_add_segment(struct mesh_scan *scan, struct raw_mesh *raw, uint32_t a, uint32_t b);
/// After the last vertex, before raw_find_vertex: refuses ids given twice.
bool raw_index_vertices(struct mesh_scan *scan, struct raw_mesh *raw);
/// The index of the vertex that the file calls `id`, which element `element` names.
bool raw_find_vertex(struct mesh_scan *scan, const struct raw_mesh *raw, int64_t id,
                     int64_t element, uint32_t *index);
/// Four ids at once.
bool raw_add_tet_by_ids(struct mesh_scan *scan, struct raw_mesh *raw, int64_t id,
                        const int64_t ids[4]);

// The formats, one file each. They fill `raw` from a scan at the file's start.
bool read_gmsh(struct mesh_scan *scan, struct raw_mesh *raw);
bool read_tetgen(struct mesh_scan *nodes, struct mesh_scan *elements, struct raw_mesh *raw);
bool read_medit(struct mesh_scan *scan, struct raw_mesh *raw);
bool read_vtk(struct mesh_scan *scan, struct raw_mesh *raw);
bool read_obj(struct mesh_scan *scan, struct raw_mesh *raw);

/// Findings into the report; merges, flips and drops as the options say; refuses flat tetrahedra.
bool check_raw_mesh(struct mesh_scan *scan, struct raw_mesh *raw);

#endif
