// What every fuzz target has: the function that a fuzzer or driver.c calls, and a way to say that
// something must hold.
// SPDX-License-Identifier: MIT
#ifndef PBS_FUZZ_TARGET_H
#define PBS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// A fact that is false is a finding.
static inline void require(bool fact) {
    if (!fact) {
        abort();
    }
}

#endif
