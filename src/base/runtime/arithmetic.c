// On x86-64 the control registers are read and written directly. fegetenv and fesetenv store and
// load the whole x87 state, which takes ten times as long and is rarely needed.
// SPDX-License-Identifier: MIT
#include "base/runtime/arithmetic.h"

#if defined(__x86_64__)

#define VECTOR_EXCEPTIONS UINT32_C(0x3f)   // MXCSR: raised exceptions
#define VECTOR_FLUSHES    UINT32_C(0x8040) // MXCSR: flush denormal results and operands to zero

enum {
    VECTOR_DEFAULT = 0x1f80, ///< MXCSR: all exceptions masked, none raised, round to nearest
    X87_DEFAULT = 0x037f,    ///< control word: the same, extended precision
    X87_EXCEPTIONS = 0x003f, ///< status word: raised exceptions
    X87_SUMMARY = 0x8080     ///< status word: an unmasked exception is pending
};

static uint16_t x87_control(void) {
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control;
}

static uint16_t x87_exceptions(void) {
    uint16_t status;
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return status & X87_EXCEPTIONS;
}

static void set_x87_control(uint16_t control) {
    __asm__ volatile("fldcw %0" : : "m"(control));
}

/// The status word can be written only with the whole x87 state.
static void set_x87_exceptions(uint16_t exceptions) {
    uint32_t state[7];
    __asm__ volatile("fnstenv %0" : "=m"(state));
    state[1] = (state[1] & ~(uint32_t)(X87_EXCEPTIONS | X87_SUMMARY)) | exceptions;
    __asm__ volatile("fldenv %0" : : "m"(state));
}

void arithmetic_enter(struct arithmetic *host) {
    host->vector = __builtin_ia32_stmxcsr();
    host->x87_control = x87_control();
    host->x87_exceptions = x87_exceptions();
    if (host->x87_control != X87_DEFAULT) {
        set_x87_control(X87_DEFAULT);
    }
    // Writing MXCSR is slower than reading it, and exceptions that are already raised do no harm.
    if ((host->vector & ~VECTOR_EXCEPTIONS) != VECTOR_DEFAULT) {
        __builtin_ia32_ldmxcsr(VECTOR_DEFAULT);
    }
}

void arithmetic_leave(const struct arithmetic *host) {
    if (x87_exceptions() != host->x87_exceptions) {
        set_x87_exceptions(host->x87_exceptions);
    }
    if (host->x87_control != X87_DEFAULT) {
        set_x87_control(host->x87_control);
    }
    if (__builtin_ia32_stmxcsr() != host->vector) {
        __builtin_ia32_ldmxcsr(host->vector);
    }
}

bool arithmetic_flush_denormals(bool flushes) {
    const uint32_t before = __builtin_ia32_stmxcsr();
    const uint32_t after = flushes ? before | VECTOR_FLUSHES : before & ~VECTOR_FLUSHES;
    if (after != before) {
        __builtin_ia32_ldmxcsr(after);
    }
    return (before & VECTOR_FLUSHES) != 0;
}

#else

void arithmetic_enter(struct arithmetic *host) {
    fegetenv(&host->all);
    fesetenv(FE_DFL_ENV);
}

void arithmetic_leave(const struct arithmetic *host) {
    fesetenv(&host->all);
}

#if defined(__aarch64__)

#define CONTROL_FLUSHES (UINT64_C(1) << 24) // FPCR: flush denormal results and operands to zero

bool arithmetic_flush_denormals(bool flushes) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    const uint64_t after = flushes ? before | CONTROL_FLUSHES : before & ~CONTROL_FLUSHES;
    if (after != before) {
        __asm__ volatile("msr fpcr, %0" : : "r"(after));
    }
    return (before & CONTROL_FLUSHES) != 0;
}

#else

bool arithmetic_flush_denormals(bool flushes) {
    (void)flushes;
    return false;
}

#endif

#endif
