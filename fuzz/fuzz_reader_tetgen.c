// Any bytes as a TetGen pair: the first line "@" parts .node from .ele.
// SPDX-License-Identifier: MIT
#include "read_tets.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct mesh_read_options options = {.merge_duplicates = size % 2 == 1,
                                              .allow_flat = true};
    const uint8_t *cut = size > 0 ? memchr(data, '@', size) : NULL;
    size_t first = cut != NULL ? (size_t)(cut - data) : size;
    const uint8_t *second = cut != NULL ? cut + 1 : NULL;
    size_t second_size = cut != NULL ? size - first - 1 : 0;
    read_tets(data, first, second, second_size, &options);
    return 0;
}
