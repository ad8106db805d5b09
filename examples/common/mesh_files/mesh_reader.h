// Reads tetrahedra and surfaces from files, deciding by content: Gmsh .msh (1.0, 2.2 ASCII and
// binary of both byte orders, 4.0 and 4.1 ASCII), TetGen .node/.ele, Medit .mesh, legacy .vtk,
// Wavefront .obj. A file that is not right is refused with its line; what is odd but usable is
// reported by name.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_MESH_READER_H
#define PBS_COMMON_MESH_READER_H

#include "common/meshes/mesh.h"

#include <stdio.h>

/// All false is the strict default.
struct mesh_read_options {
    bool flip_inverted;    ///< swap two corners of tetrahedra of negative volume
    bool merge_duplicates; ///< one vertex for points at exactly the same place
    bool drop_unused;      ///< leave out vertices that no element uses (they would have no mass)
    bool allow_flat; ///< keep tetrahedra of zero volume (reported) instead of refusing the file
    bool lenient;    ///< accept element lines that miss the tags they declare
};

enum mesh_finding_kind {
    MESH_DUPLICATE_VERTEX,  ///< first: the vertex, second: the earlier vertex at the same place
    MESH_UNUSED_VERTEX,     ///< first: the vertex
    MESH_INVERTED_TET,      ///< first: the element
    MESH_FLAT_TET,          ///< first: the element
    MESH_DUPLICATE_ELEMENT, ///< first: the element, second: the earlier one with the same corners
    MESH_NON_MANIFOLD_EDGE, ///< first, second: the ends of an edge with more than two triangles
    MESH_INCONSISTENT_EDGE, ///< first, second: the ends of an edge run twice in one direction
    MESH_FINDING_KINDS
};

enum { MESH_FINDINGS_NAMED = 8 };

/// How many oddities of one kind, and the first few by the numbers that the file itself uses.
struct mesh_findings {
    size_t count;
    int64_t first[MESH_FINDINGS_NAMED];
    int64_t second[MESH_FINDINGS_NAMED];
};

struct mesh_report {
    char error[512];   ///< why the file was refused, with its line; empty on success
    char warning[256]; ///< the last thing passed over (an end marker that is missing); empty if
                       ///< none
    size_t line;       ///< line of the error, from 1; 0 where a line means nothing
    char format[32];   ///< "Gmsh 2.2 ASCII" and so on; empty if unknown
    size_t ignored_elements; ///< points, lines and triangles passed over in a volume mesh
    struct mesh_findings findings[MESH_FINDING_KINDS];
};

/// Tetrahedra from a file. For TetGen name either file of the pair: the other one lies beside it.
/// `options` may be null. On failure `out` is empty and report->error says why.
bool mesh_read_tets(const char *path, const struct mesh_read_options *options, struct tet_mesh *out,
                    struct mesh_report *report);
/// Triangles from a Wavefront .obj, or the boundary of the tetrahedra of any other format.
bool mesh_read_surface(const char *path, const struct mesh_read_options *options,
                       struct surface_mesh *out, struct mesh_report *report);

/// The same from memory. `second` is the other file of a TetGen pair, else null and 0.
bool mesh_read_tets_from_memory(const void *data, size_t size, const void *second,
                                size_t second_size, const struct mesh_read_options *options,
                                struct tet_mesh *out, struct mesh_report *report);
bool mesh_read_surface_from_memory(const void *data, size_t size,
                                   const struct mesh_read_options *options,
                                   struct surface_mesh *out, struct mesh_report *report);

/// One sentence about one kind of finding ("2 unused vertices: 6, 9"), empty when there is none.
void mesh_report_sentence(const struct mesh_report *report, enum mesh_finding_kind kind, char *text,
                          size_t size);
/// The error or all findings, a line each.
void mesh_report_print(const struct mesh_report *report, FILE *stream);

#endif
