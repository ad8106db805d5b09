// Any bytes as a Wavefront obj file: refused with a message or read, never more. The options follow
// from the size, so that a corpus file always means the same.
// SPDX-License-Identifier: MIT

#include "common/mesh_files/mesh_reader.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct surface_mesh mesh;
    struct mesh_report report;
    struct mesh_read_options options = {.merge_duplicates = size % 2 == 1,
                                        .drop_unused = size % 3 == 1};
    if (mesh_read_surface_from_memory(data, size, &options, &mesh, &report)) {
        surface_mesh_free(&mesh);
    }
    return 0;
}
