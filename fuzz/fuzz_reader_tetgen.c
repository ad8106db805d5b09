// Any bytes as a TetGen pair: the first line "@" parts .node from .ele.

#include "common/mesh_reader.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tet_mesh mesh;
    struct mesh_report report;
    struct mesh_read_options options = {.merge_duplicates = size % 2 == 1, .allow_flat = true};
    const uint8_t *cut = size > 0 ? memchr(data, '@', size) : NULL;
    size_t first = cut != NULL ? (size_t)(cut - data) : size;
    const uint8_t *second = cut != NULL ? cut + 1 : NULL;
    size_t second_size = cut != NULL ? size - first - 1 : 0;
    if (mesh_read_tets_from_memory(data, first, second, second_size, &options, &mesh, &report)) {
        tet_mesh_free(&mesh);
    }
    return 0;
}
