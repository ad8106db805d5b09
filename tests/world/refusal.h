// Tables of refusals: how a test spoils a description, and how the library refuses it.
// SPDX-License-Identifier: MIT
#ifndef PBS_TESTS_WORLD_REFUSAL_H
#define PBS_TESTS_WORLD_REFUSAL_H

#include "pbs/base.h"

struct refusal {
    void (*spoil)(void *description);
    pbs_status status;
    const char *words; ///< part of the message
};

/// Defines the function `spoil` of a row. parameter: declares the pointer to the description. The
/// remaining arguments are statements that change it.
#define SPOIL(name, parameter, ...)                                                                \
    static void name(void *description) {                                                          \
        parameter = description;                                                                   \
        __VA_ARGS__;                                                                               \
    }

#endif
