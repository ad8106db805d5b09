// What the compiler and the processor offer: inlining, alignment, function multiversioning.
#ifndef PBS_BASE_CONFIG_H
#define PBS_BASE_CONFIG_H

// Cache line and widest vector; every array that a kernel streams starts on such a boundary.
#define CACHE_LINE 64

// Metres, of either sign: see include/pbs/base.h, where hosts read it.
#define COORDINATE_LIMIT 1e30

#include <stddef.h>
#include <stdint.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PBS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define PBS_SANITIZED 1
#endif
#endif

// A kernel marked so is compiled for plain x86-64, AVX2 and AVX-512 and chosen when the library is
// loaded. Sanitizers instrument the loader's resolver before their runtime is up, hence the
// exception. clang refuses to inline a helper that takes 64-byte vectors into a function of another
// target, so what it builds has the plain version only (or what -march asks for).
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(PBS_SANITIZED) && !defined(PBS_SINGLE_VERSION)
#define PBS_HAS_CLONES   1
#define PBS_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PBS_MULTIVERSION
#endif

/// Asks for what lies that many bytes ahead of p. It may lie behind the end of the array, where no
/// pointer may point: hence the detour over a number.
ALWAYS_INLINE void prefetch_ahead(const void *p, size_t bytes) {
    __builtin_prefetch((const void *)((uintptr_t)p + bytes)); // NOLINT(performance-no-int-to-ptr)
}

#endif
