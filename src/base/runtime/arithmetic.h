// The floating-point environment in which results are reproducible: round to nearest, no exception
// trapped, denormal numbers as in IEEE 754. Public calls that compute set it on the calling thread
// and restore the host's environment, including the raised flags, before they return.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_RUNTIME_ARITHMETIC_H
#define PBS_BASE_RUNTIME_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(__x86_64__)
#include <fenv.h>
#endif

/// A saved floating-point environment of the host.
struct arithmetic {
#if defined(__x86_64__)
    uint32_t vector;                      ///< MXCSR
    uint16_t x87_control, x87_exceptions; ///< used by code that computes in long double
#else
    fenv_t all;
#endif
};

/// Saves the host's environment and sets the library's; restores the host's. Neither function is
/// inlined, so that the compiler moves no arithmetic across the call.
void arithmetic_enter(struct arithmetic *host);
void arithmetic_leave(const struct arithmetic *host);

/// Sets the library's environment until the end of the enclosing block.
#define ARITHMETIC_SCOPE()                                                                         \
    struct arithmetic host_arithmetic_ __attribute__((cleanup(arithmetic_leave)));                 \
    arithmetic_enter(&host_arithmetic_)

/// Sets whether this thread flushes denormal operands and results to zero in float and double
/// arithmetic. Returns the previous setting. Raised flags are not changed. On processors without
/// such a mode the call has no effect. Not inlined, for the same reason.
bool arithmetic_flush_denormals(bool flushes);

static inline void arithmetic_restore_flush(const bool *flushed) {
    arithmetic_flush_denormals(*flushed);
}

/// Flushes denormal numbers to zero until the end of the enclosing block. For work whose tiny
/// numbers do not matter and would each cost a hundred cycles. The work must be in a function of
/// its own, called from the block.
#define FLUSH_DENORMALS_SCOPE()                                                                    \
    bool flushed_before_ __attribute__((cleanup(arithmetic_restore_flush)));                       \
    flushed_before_ = arithmetic_flush_denormals(true)

#endif
