// The floating-point environment that results are promised in: rounding to nearest, no exception
// trapped, denormal numbers as IEEE 754 has them. Public calls that compute open a scope of it on
// the calling thread; the host's own environment, its raised flags included, is back when they
// return.
#ifndef PBS_BASE_ARITHMETIC_H
#define PBS_BASE_ARITHMETIC_H

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

#endif
