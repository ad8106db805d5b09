// What the fuzz targets of the readers of tetrahedra share: any bytes are refused with a message or
// read, never more. One target a format, so that each has a corpus of its own.
// SPDX-License-Identifier: MIT
#ifndef PBS_FUZZ_READ_TETS_H
#define PBS_FUZZ_READ_TETS_H

#include "common/mesh_files/mesh_reader.h"
#include "target.h"

/// `second` is the second file of a format that has two, or null.
static inline void read_tets(const uint8_t *data, size_t size, const uint8_t *second,
                             size_t second_size, const struct mesh_read_options *options) {
    struct tet_mesh mesh;
    struct mesh_report report;
    if (mesh_read_tets_from_memory(data, size, second, second_size, options, &mesh, &report)) {
        tet_mesh_free(&mesh);
    }
}

/// The options follow from the size, so that a corpus file always means the same.
static inline void read_tets_with_any_options(const uint8_t *data, size_t size) {
    const struct mesh_read_options options = {.flip_inverted = size % 2 == 1,
                                              .merge_duplicates = size % 3 == 1,
                                              .drop_unused = size % 5 == 1,
                                              .allow_flat = size % 7 != 1,
                                              .lenient = size % 11 == 1};
    read_tets(data, size, NULL, 0, &options);
}

#endif
