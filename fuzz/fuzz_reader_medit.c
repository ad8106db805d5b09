// Any bytes as a Medit file: refused with a message or read, never more. The options follow from
// the size, so that a corpus file always means the same.

#include "common/mesh_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tet_mesh mesh;
    struct mesh_report report;
    struct mesh_read_options options = {.flip_inverted = size % 2 == 1,
                                        .merge_duplicates = size % 3 == 1,
                                        .drop_unused = size % 5 == 1,
                                        .allow_flat = size % 7 != 1,
                                        .lenient = size % 11 == 1};
    if (mesh_read_tets_from_memory(data, size, NULL, 0, &options, &mesh, &report)) {
        tet_mesh_free(&mesh);
    }
    return 0;
}
