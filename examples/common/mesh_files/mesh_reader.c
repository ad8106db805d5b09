// Loads a file, finds out by content what it is, and hands it to the reader of that format.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_reader.h"

#include "common/mesh_files/mesh_scan.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
    char *data;
    size_t size;
};

static bool load_file(const char *path, struct bytes *out, struct mesh_report *report) {
    struct text_buffer buffer = {0};
    struct message message = {0};
    *out = (struct bytes){0};
    if (!text_buffer_read(&buffer, path, &message)) {
        text_print(report->error, sizeof report->error, "%s", message.text);
        return false;
    }
    *out = (struct bytes){buffer.data, buffer.length};
    return true;
}

// --- What it is ---

enum mesh_format {
    FORMAT_NONE,
    FORMAT_GMSH,
    FORMAT_VTK,
    FORMAT_MEDIT,
    FORMAT_NODE,
    FORMAT_ELE,
    FORMAT_OBJ
};

static bool starts_with(const struct mesh_scan *scan, const char *text) {
    size_t length = strlen(text);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

static bool is_text(const struct mesh_scan *scan) {
    size_t size = (size_t)(scan->end - scan->begin);
    return memchr(scan->begin, 0, size < 64 ? size : 64) == NULL;
}

// A first line of integers: "5 3 0 0" heads nodes, "2 4 0" heads tetrahedra.
static enum mesh_format tetgen_part(struct mesh_scan scan, const struct mesh_token *first) {
    struct mesh_token second;
    int64_t number = 0;
    if (!text_parse_integer(first->text, first->length, &number) ||
        !scan_word_in_line(&scan, &second) ||
        !text_parse_integer(second.text, second.length, &number)) {
        return FORMAT_NONE;
    }
    return number == 4 || number == 10 ? FORMAT_ELE : FORMAT_NODE;
}

static bool is_obj_keyword(const struct mesh_token *token) {
    static const char *const words[] = {"v", "vt", "vn", "vp", "f",      "l",     "p",
                                        "o", "g",  "s",  "mg", "mtllib", "usemtl"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (token_is(token, words[i])) {
            return true;
        }
    }
    return false;
}

static enum mesh_format detect_format(struct mesh_scan scan) {
    struct mesh_token first;
    if (starts_with(&scan, "# vtk DataFile")) {
        return FORMAT_VTK;
    }
    scan.hash_comment = true;
    if (!scan_word(&scan, &first)) {
        return FORMAT_NONE;
    }
    if (first.text[0] == '$') {
        return FORMAT_GMSH;
    }
    if (!is_text(&scan)) {
        return FORMAT_NONE;
    }
    if (token_is(&first, "MeshVersionFormatted")) {
        return FORMAT_MEDIT;
    }
    return is_obj_keyword(&first) ? FORMAT_OBJ : tetgen_part(scan, &first);
}

static bool fail_format(struct mesh_scan *scan, bool surface) {
    struct mesh_scan words = *scan;
    struct mesh_token first = {0};
    char room[64];
    words.hash_comment = true;
    if (!is_text(scan)) {
        return scan_fail(scan, "binary data of no mesh format known here");
    }
    if (!scan_word(&words, &first)) {
        return scan_fail(scan, "the file is empty: 0 vertices");
    }
    return scan_fail(
        &words, "begins with '%s' like none of the formats known here (Gmsh, TetGen, Medit, VTK%s)",
        token_show(&first, room), surface ? ", Wavefront obj" : "");
}

// --- Reading ---

static bool read_tetgen_pair(struct mesh_scan *scan, enum mesh_format format, const void *second,
                             size_t second_size, struct raw_mesh *raw) {
    if (second == NULL) {
        return scan_fail(scan, "half of a TetGen mesh: the %s file is missing",
                         format == FORMAT_NODE ? ".ele" : ".node");
    }
    struct mesh_scan other;
    scan_start(&other, second, second_size, scan->options, scan->report);
    return format == FORMAT_NODE ? read_tetgen(scan, &other, raw) : read_tetgen(&other, scan, raw);
}

static bool read_tets(struct mesh_scan *scan, enum mesh_format format, const void *second,
                      size_t second_size, struct raw_mesh *raw) {
    bool read = false;
    switch (format) {
    case FORMAT_GMSH: read = read_gmsh(scan, raw); break;
    case FORMAT_VTK: read = read_vtk(scan, raw); break;
    case FORMAT_MEDIT: read = read_medit(scan, raw); break;
    case FORMAT_NODE:
    case FORMAT_ELE: read = read_tetgen_pair(scan, format, second, second_size, raw); break;
    case FORMAT_OBJ: return scan_fail(scan, "a Wavefront obj holds a surface, expected tetrahedra");
    case FORMAT_NONE: return fail_format(scan, false);
    }
    if (read && raw->element_count == 0) {
        return scan_fail(scan, "the file holds no tetrahedra (%zu vertices, %zu other elements)",
                         raw->vertex_count, scan->report->ignored_elements);
    }
    return read;
}

static void hand_over_tets(struct raw_mesh *raw, struct tet_mesh *out) {
    *out = (struct tet_mesh){raw->vertex_count, raw->positions, raw->element_count, raw->elements};
    raw->positions = NULL;
    raw->elements = NULL;
}

static void hand_over_surface(struct raw_mesh *raw, struct surface_mesh *out) {
    *out = (struct surface_mesh){raw->vertex_count, raw->positions,     raw->element_count,
                                 raw->elements,     raw->segment_count, raw->segments};
    raw->positions = NULL;
    raw->elements = NULL;
    raw->segments = NULL;
}

bool mesh_read_tets_from_memory(const void *data, size_t size, const void *second,
                                size_t second_size, const struct mesh_read_options *options,
                                struct tet_mesh *out, struct mesh_report *report) {
    struct mesh_scan scan;
    struct raw_mesh raw = {.corners = 4};
    *out = (struct tet_mesh){0};
    *report = (struct mesh_report){0};
    scan_start(&scan, data, size, options, report);
    bool read = read_tets(&scan, detect_format(scan), second, second_size, &raw) &&
                check_raw_mesh(&scan, &raw);
    if (read) {
        hand_over_tets(&raw, out);
    }
    raw_mesh_free(&raw);
    return read;
}

// The boundary with only the vertices that it uses.
static bool take_boundary(struct tet_mesh *tets, struct surface_mesh *out) {
    uint32_t *name = malloc((tets->vertex_count + 1) * sizeof *name);
    bool done = name != NULL && tet_mesh_boundary(tets, &out->triangles, &out->triangle_count);
    if (done) {
        memset(name, 0xff, tets->vertex_count * sizeof *name);
        for (size_t i = 0; i < 3 * out->triangle_count; i++) {
            name[out->triangles[i]] = 0;
        }
        for (size_t v = 0; v < tets->vertex_count; v++) {
            if (name[v] == 0) {
                memmove(tets->positions + 3 * out->vertex_count, tets->positions + 3 * v,
                        3 * sizeof *tets->positions);
                name[v] = (uint32_t)out->vertex_count++;
            }
        }
        for (size_t i = 0; i < 3 * out->triangle_count; i++) {
            out->triangles[i] = name[out->triangles[i]];
        }
        out->positions = tets->positions;
        tets->positions = NULL;
    }
    free(name);
    return done;
}

static bool read_boundary(const void *data, size_t size, const void *second, size_t second_size,
                          const struct mesh_read_options *options, struct surface_mesh *out,
                          struct mesh_report *report) {
    struct tet_mesh tets;
    if (!mesh_read_tets_from_memory(data, size, second, second_size, options, &tets, report)) {
        return false;
    }
    bool done = take_boundary(&tets, out);
    if (!done) {
        text_print(report->error, sizeof report->error, "memory ran out");
    }
    tet_mesh_free(&tets);
    return done;
}

static bool read_surface(const struct bytes *file, const struct bytes *second,
                         const struct mesh_read_options *options, struct surface_mesh *out,
                         struct mesh_report *report) {
    struct mesh_scan scan;
    struct raw_mesh raw = {.corners = 3};
    *out = (struct surface_mesh){0};
    *report = (struct mesh_report){0};
    scan_start(&scan, file->data, file->size, options, report);
    enum mesh_format format = detect_format(scan);
    if (format == FORMAT_NONE) {
        return fail_format(&scan, true);
    }
    if (format != FORMAT_OBJ) {
        return read_boundary(file->data, file->size, second->data, second->size, options, out,
                             report);
    }
    bool read = read_obj(&scan, &raw) && check_raw_mesh(&scan, &raw);
    if (read) {
        hand_over_surface(&raw, out);
    }
    raw_mesh_free(&raw);
    return read;
}

bool mesh_read_surface_from_memory(const void *data, size_t size,
                                   const struct mesh_read_options *options,
                                   struct surface_mesh *out, struct mesh_report *report) {
    const struct bytes none = {0};
    struct bytes file = {NULL, size};
    // Only read, never changed; the struct serves loaded files too.
    memcpy(&file.data, &data, sizeof file.data);
    return read_surface(&file, &none, options, out, report);
}

// --- Files ---

// "beam.node" lies beside "beam.ele"; any other ending is replaced as well.
static bool load_other_half(const char *path, enum mesh_format format, struct bytes *out,
                            struct mesh_report *report) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(path, '.');
    size_t stem = dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - path)
                                                                : strlen(path);
    const char *ending = format == FORMAT_NODE ? ".ele" : ".node";
    const size_t size = stem + strlen(ending) + 1;
    char *other = malloc(size);
    if (other == NULL) {
        text_print(report->error, sizeof report->error, "memory ran out");
        return false;
    }
    text_print(other, size, "%.*s%s", (int)stem, path, ending);
    bool loaded = load_file(other, out, report);
    if (!loaded) {
        char reason[200];
        text_print(reason, sizeof reason, "%.199s", report->error);
        text_print(report->error, sizeof report->error, "half of a TetGen mesh: %s %s", other,
                   reason);
    }
    free(other);
    return loaded;
}

static bool load_mesh(const char *path, struct bytes *file, struct bytes *second,
                      struct mesh_report *report) {
    *report = (struct mesh_report){0};
    *second = (struct bytes){0};
    if (!load_file(path, file, report)) {
        return false;
    }
    struct mesh_scan scan;
    scan_start(&scan, file->data, file->size, NULL, report);
    enum mesh_format format = detect_format(scan);
    if ((format == FORMAT_NODE || format == FORMAT_ELE) &&
        !load_other_half(path, format, second, report)) {
        free(file->data);
        return false;
    }
    return true;
}

// Puts the path before the error.
static bool name_path(const char *path, bool done, struct mesh_report *report) {
    if (!done) {
        char text[sizeof report->error];
        text_print(text, sizeof text, "%s", report->error);
        text_print(report->error, sizeof report->error, "%s: %s", path, text);
    }
    return done;
}

bool mesh_read_tets(const char *path, const struct mesh_read_options *options, struct tet_mesh *out,
                    struct mesh_report *report) {
    struct bytes file;
    struct bytes second;
    *out = (struct tet_mesh){0};
    if (!load_mesh(path, &file, &second, report)) {
        return name_path(path, false, report);
    }
    bool done = mesh_read_tets_from_memory(file.data, file.size, second.data, second.size, options,
                                           out, report);
    free(file.data);
    free(second.data);
    return name_path(path, done, report);
}

bool mesh_read_surface(const char *path, const struct mesh_read_options *options,
                       struct surface_mesh *out, struct mesh_report *report) {
    struct bytes file;
    struct bytes second;
    *out = (struct surface_mesh){0};
    if (!load_mesh(path, &file, &second, report)) {
        return name_path(path, false, report);
    }
    bool done = read_surface(&file, &second, options, out, report);
    free(file.data);
    free(second.data);
    return name_path(path, done, report);
}

// --- Reports ---

static const struct {
    const char *name;
    bool pair;
} finding_names[MESH_FINDING_KINDS] = {
    [MESH_DUPLICATE_VERTEX] = {"vertices at the place of an earlier one", true},
    [MESH_UNUSED_VERTEX] = {"unused vertices", false},
    [MESH_INVERTED_TET] = {"inverted tetrahedra", false},
    [MESH_FLAT_TET] = {"tetrahedra without volume", false},
    [MESH_DUPLICATE_ELEMENT] = {"elements given before", true},
    [MESH_NON_MANIFOLD_EDGE] = {"edges with more than two triangles", true},
    [MESH_INCONSISTENT_EDGE] = {"edges run twice in one direction", true},
};

void mesh_report_sentence(const struct mesh_report *report, enum mesh_finding_kind kind, char *text,
                          size_t size) {
    const struct mesh_findings *findings = &report->findings[kind];
    struct text_buffer buffer = {0};
    if (findings->count > 0) {
        text_buffer_print(&buffer, "%s, %zu:", finding_names[kind].name, findings->count);
    }
    for (size_t i = 0; i < findings->count && i < MESH_FINDINGS_NAMED; i++) {
        text_buffer_print(&buffer, "%s %lld", i == 0 ? "" : ",", (long long)findings->first[i]);
        if (finding_names[kind].pair) {
            text_buffer_print(&buffer, "-%lld", (long long)findings->second[i]);
        }
    }
    text_print(text, size, "%s%s", buffer.data != NULL ? buffer.data : "",
               findings->count > MESH_FINDINGS_NAMED ? ", ..." : "");
    text_buffer_free(&buffer);
}

void mesh_report_print(const struct mesh_report *report, FILE *stream) {
    if (report->error[0] != 0) {
        fprintf(stream, "%s\n", report->error);
    }
    if (report->warning[0] != 0) {
        fprintf(stream, "%s\n", report->warning);
    }
    for (int kind = 0; kind < MESH_FINDING_KINDS; kind++) {
        char text[400];
        mesh_report_sentence(report, (enum mesh_finding_kind)kind, text, sizeof text);
        if (text[0] != 0) {
            fprintf(stream, "%s\n", text);
        }
    }
}
