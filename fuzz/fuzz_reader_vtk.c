// Any bytes as a legacy VTK file.
// SPDX-License-Identifier: MIT
#include "read_tets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_tets_with_any_options(data, size);
    return 0;
}
