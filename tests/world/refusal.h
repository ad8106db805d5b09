// Tables of refusals: how a description is spoilt, and what the library says to that.
#ifndef PBS_TESTS_WORLD_REFUSAL_H
#define PBS_TESTS_WORLD_REFUSAL_H

#include "pbs/base.h"

struct refusal {
    void (*spoil)(void *description);
    pbs_status status;
    const char *words; ///< some of those in the message
};

/// A function for such a row; `parameter` declares the pointer by which the rest spoils.
#define SPOIL(name, parameter, ...)                                                                \
    static void name(void *description) {                                                          \
        parameter = description;                                                                   \
        __VA_ARGS__;                                                                               \
    }

#endif
