// The floating-point environment that results are promised in: rounding to nearest, no exception
// trapped, denormal numbers as IEEE 754 has them. Public calls that compute open a scope of it on
// the calling thread; the host's own environment, its raised flags included, is back when they
// return.
#ifndef PBS_BASE_RUNTIME_ARITHMETIC_H
#define PBS_BASE_RUNTIME_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(__x86_64__)
#include <fenv.h>
#endif

/// A host's environment.
struct arithmetic {
#if defined(__x86_64__)
    uint32_t vector;                      ///< MXCSR
    uint16_t x87_control, x87_exceptions; ///< of code that computes in long double
#else
    fenv_t all;
#endif
};

/// Never inlined, so that the compiler moves no arithmetic across them.
void arithmetic_enter(struct arithmetic *host);
void arithmetic_leave(const struct arithmetic *host);

/// From here to the end of the block.
#define ARITHMETIC_SCOPE()                                                                         \
    struct arithmetic host_arithmetic_ __attribute__((cleanup(arithmetic_leave)));                 \
    arithmetic_enter(&host_arithmetic_)

/// Whether this thread takes denormal numbers for zero from here on, as operands and as results, in
/// the registers that float and double are computed in; returns whether it did so far. Raised flags
/// stay. Processors that cannot be told go on as they are. Never inlined either.
bool arithmetic_flush_denormals(bool flushes);

static inline void arithmetic_restore_flush(const bool *flushed) {
    arithmetic_flush_denormals(*flushed);
}

/// Denormal numbers count as zero to the end of the block, for work whose small numbers do not
/// matter and would each take a hundred cycles. The work itself belongs in a function of its own,
/// called from the block.
#define FLUSH_DENORMALS_SCOPE()                                                                    \
    bool flushed_before_ __attribute__((cleanup(arithmetic_restore_flush)));                       \
    flushed_before_ = arithmetic_flush_denormals(true)

#endif
