// What a mesh that reads well can still have wrong: duplicates, unused vertices, inverted or flat
// tetrahedra, edges with too many triangles. All of it is found by sorting, so a hostile file costs
// no more than n log n.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_scan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note(struct mesh_scan *scan, enum mesh_finding_kind kind, int64_t first,
                 int64_t second) {
    struct mesh_findings *findings = &scan->report->findings[kind];
    if (findings->count < MESH_FINDINGS_NAMED) {
        findings->first[findings->count] = first;
        findings->second[findings->count] = second;
    }
    findings->count++;
}

// --- Vertices at one place ---

struct place {
    double position[3];
    size_t vertex;
};

static int compare_positions(const struct place *a, const struct place *b) {
    for (int axis = 0; axis < 3; axis++) {
        if (a->position[axis] != b->position[axis]) {
            return a->position[axis] < b->position[axis] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_places(const void *left, const void *right) {
    const struct place *a = left;
    const struct place *b = right;
    int order = compare_positions(a, b);
    return order != 0 ? order : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

// For each vertex the first one at its place, itself where there is no other.
static bool find_places(struct mesh_scan *scan, const struct raw_mesh *raw, uint32_t *same) {
    struct place *places = malloc((raw->vertex_count + 1) * sizeof *places);
    if (places == NULL) {
        return scan_fail_memory(scan);
    }
    for (size_t v = 0; v < raw->vertex_count; v++) {
        memcpy(places[v].position, raw->positions + 3 * v, sizeof places[v].position);
        places[v].vertex = v;
    }
    qsort(places, raw->vertex_count, sizeof *places, compare_places);
    size_t first = 0;
    for (size_t i = 0; i < raw->vertex_count; i++) {
        first = i > 0 && compare_positions(&places[i], &places[first]) == 0 ? first : i;
        same[places[i].vertex] = (uint32_t)places[first].vertex;
    }
    free(places);
    for (size_t v = 0; v < raw->vertex_count; v++) {
        if (same[v] != v) {
            note(scan, MESH_DUPLICATE_VERTEX, raw->vertex_ids[v], raw->vertex_ids[same[v]]);
        }
    }
    return true;
}

static void rename_vertices(struct raw_mesh *raw, const uint32_t *name) {
    for (size_t i = 0; i < raw->corners * raw->element_count; i++) {
        raw->elements[i] = name[raw->elements[i]];
    }
    for (size_t i = 0; i < 2 * raw->segment_count; i++) {
        raw->segments[i] = name[raw->segments[i]];
    }
}

// Leaves out the vertices that are not kept; `name` is filled with the new indices.
static void drop_vertices(struct raw_mesh *raw, const bool *keep, uint32_t *name) {
    size_t kept = 0;
    for (size_t v = 0; v < raw->vertex_count; v++) {
        name[v] = (uint32_t)kept;
        if (keep[v]) {
            memmove(raw->positions + 3 * kept, raw->positions + 3 * v, 3 * sizeof *raw->positions);
            raw->vertex_ids[kept++] = raw->vertex_ids[v];
        }
    }
    raw->vertex_count = kept;
    rename_vertices(raw, name);
}

static bool check_vertices(struct mesh_scan *scan, struct raw_mesh *raw) {
    uint32_t *name = calloc(raw->vertex_count + 1, sizeof *name);
    bool *keep = calloc(raw->vertex_count + 1, sizeof *keep);
    if (name == NULL || keep == NULL) {
        free(name);
        free(keep);
        return scan_fail_memory(scan);
    }
    const bool done = find_places(scan, raw, name);
    if (done && scan->options->merge_duplicates) {
        for (size_t v = 0; v < raw->vertex_count; v++) {
            keep[v] = name[v] == v;
        }
        rename_vertices(raw, name);
        drop_vertices(raw, keep, name);
        memset(keep, 0, raw->vertex_count * sizeof *keep);
    }
    if (done) {
        for (size_t i = 0; i < raw->corners * raw->element_count; i++) {
            keep[raw->elements[i]] = true;
        }
        for (size_t i = 0; i < 2 * raw->segment_count; i++) {
            keep[raw->segments[i]] = true;
        }
        for (size_t v = 0; v < raw->vertex_count; v++) {
            if (!keep[v]) {
                note(scan, MESH_UNUSED_VERTEX, raw->vertex_ids[v], 0);
            }
        }
        if (scan->options->drop_unused) {
            drop_vertices(raw, keep, name);
        }
    }
    free(name);
    free(keep);
    return done;
}

// --- Volumes ---

// The determinant of a tetrahedron's edges, or 0 where rounding hides its sign: the bound is that
// of Shewchuk (1997), (7 + 56 eps) eps times the sum of the absolute products, doubled.
static double sure_determinant(const struct raw_mesh *raw, size_t tet) {
    const uint32_t *corner = raw->elements + 4 * tet;
    double e[3][3];
    double scale = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int axis = 0; axis < 3; axis++) {
            e[i][axis] = raw->positions[3 * (size_t)corner[i + 1] + (size_t)axis] -
                         raw->positions[3 * (size_t)corner[0] + (size_t)axis];
            scale = fmax(scale, fabs(e[i][axis]));
        }
    }
    if (!(scale > 0.0) || !isfinite(scale)) {
        return 0.0;
    }
    // By a power of two, which is exact, so that neither tiny nor huge meshes leave the range of
    // doubles.
    int exponent = 0;
    frexp(scale, &exponent);
    for (int i = 0; i < 9; i++) {
        e[i / 3][i % 3] = ldexp(e[i / 3][i % 3], -exponent);
    }
    double value = 0.0;
    double size = 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        double plus = e[1][j] * e[2][k];
        double minus = e[1][k] * e[2][j];
        value += e[0][i] * (plus - minus);
        size += fabs(e[0][i]) * (fabs(plus) + fabs(minus));
    }
    return fabs(value) > 8.0 * DBL_EPSILON * size ? value : 0.0;
}

static bool check_volumes(struct mesh_scan *scan, struct raw_mesh *raw) {
    for (size_t t = 0; t < raw->element_count; t++) {
        double determinant = sure_determinant(raw, t);
        if (determinant == 0.0) {
            note(scan, MESH_FLAT_TET, raw->element_ids[t], 0);
        }
        if (determinant < 0.0) {
            note(scan, MESH_INVERTED_TET, raw->element_ids[t], 0);
            if (scan->options->flip_inverted) {
                uint32_t *corner = raw->elements + 4 * t;
                uint32_t keep = corner[2];
                corner[2] = corner[3];
                corner[3] = keep;
            }
        }
    }
    const struct mesh_findings *flat = &scan->report->findings[MESH_FLAT_TET];
    if (flat->count > 0 && !scan->options->allow_flat) {
        text_print(scan->report->error, sizeof scan->report->error,
                   "element %lld has no volume (%zu such in all)", (long long)flat->first[0],
                   flat->count);
        return false;
    }
    return true;
}

// --- Elements given twice ---

struct element_key {
    uint32_t corners[4]; ///< sorted
    size_t element;
};

static int compare_corners(const struct element_key *a, const struct element_key *b) {
    for (int i = 0; i < 4; i++) {
        if (a->corners[i] != b->corners[i]) {
            return a->corners[i] < b->corners[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_elements(const void *left, const void *right) {
    const struct element_key *a = left;
    const struct element_key *b = right;
    int order = compare_corners(a, b);
    return order != 0 ? order : (a->element > b->element) - (a->element < b->element);
}

static void sort_corners(uint32_t *corners, size_t count) {
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && corners[j - 1] > corners[j]; j--) {
            uint32_t keep = corners[j];
            corners[j] = corners[j - 1];
            corners[j - 1] = keep;
        }
    }
}

// Marks what repeats an earlier element.
static bool check_repeats(struct mesh_scan *scan, const struct raw_mesh *raw, bool *repeated) {
    struct element_key *keys = calloc(raw->element_count + 1, sizeof *keys);
    if (keys == NULL) {
        return scan_fail_memory(scan);
    }
    for (size_t e = 0; e < raw->element_count; e++) {
        memcpy(keys[e].corners, raw->elements + raw->corners * e, raw->corners * sizeof(uint32_t));
        sort_corners(keys[e].corners, raw->corners);
        keys[e].element = e;
    }
    qsort(keys, raw->element_count, sizeof *keys, compare_elements);
    size_t first = 0;
    for (size_t i = 0; i < raw->element_count; i++) {
        first = i > 0 && compare_corners(&keys[i], &keys[first]) == 0 ? first : i;
        if (first != i) {
            repeated[keys[i].element] = true;
            note(scan, MESH_DUPLICATE_ELEMENT, raw->element_ids[keys[i].element],
                 raw->element_ids[keys[first].element]);
        }
    }
    free(keys);
    return true;
}

// --- Edges of a surface ---

struct edge {
    uint32_t low;
    uint32_t high;
    bool upward; ///< runs from low to high
};

static int compare_edges(const void *left, const void *right) {
    const struct edge *a = left;
    const struct edge *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    return (a->high > b->high) - (a->high < b->high);
}

static void note_edges(struct mesh_scan *scan, const struct raw_mesh *raw, const struct edge *edges,
                       size_t count) {
    size_t next = 0;
    for (size_t i = 0; i < count; i = next) {
        size_t upward = 0;
        for (next = i; next < count && compare_edges(&edges[i], &edges[next]) == 0; next++) {
            upward += edges[next].upward ? 1 : 0;
        }
        int64_t low = raw->vertex_ids[edges[i].low];
        int64_t high = raw->vertex_ids[edges[i].high];
        if (next - i > 2) {
            note(scan, MESH_NON_MANIFOLD_EDGE, low, high);
        } else if (next - i == 2 && upward != 1) {
            note(scan, MESH_INCONSISTENT_EDGE, low, high);
        }
    }
}

static bool check_edges(struct mesh_scan *scan, const struct raw_mesh *raw,
                        const uint32_t *triangles, size_t triangle_count, const bool *left_out) {
    struct edge *edges = malloc((3 * triangle_count + 1) * sizeof *edges);
    if (edges == NULL) {
        return scan_fail_memory(scan);
    }
    size_t count = 0;
    for (size_t i = 0; i < 3 * triangle_count; i++) {
        uint32_t a = triangles[i];
        uint32_t b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (left_out == NULL || !left_out[i / 3]) {
            edges[count++] = a < b ? (struct edge){a, b, true} : (struct edge){b, a, false};
        }
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    note_edges(scan, raw, edges, count);
    free(edges);
    return true;
}

static bool check_boundary(struct mesh_scan *scan, const struct raw_mesh *raw) {
    struct tet_mesh mesh = {raw->vertex_count, raw->positions, raw->element_count, raw->elements};
    uint32_t *triangles = NULL;
    size_t triangle_count = 0;
    if (!tet_mesh_boundary(&mesh, &triangles, &triangle_count)) {
        return scan_fail_memory(scan);
    }
    bool done = check_edges(scan, raw, triangles, triangle_count, NULL);
    free(triangles);
    return done;
}

bool check_raw_mesh(struct mesh_scan *scan, struct raw_mesh *raw) {
    if (!check_vertices(scan, raw)) {
        return false;
    }
    bool *repeated = calloc(raw->element_count + 1, sizeof *repeated);
    if (repeated == NULL) {
        return scan_fail_memory(scan);
    }
    bool done = check_repeats(scan, raw, repeated);
    if (raw->corners == 4) {
        done = done && check_volumes(scan, raw) && check_boundary(scan, raw);
    } else {
        done = done && check_edges(scan, raw, raw->elements, raw->element_count, repeated);
    }
    free(repeated);
    return done;
}
