// Macros for inlining, alignment, prefetching and functions compiled for several instruction sets.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_CONFIG_H
#define PBS_BASE_CONFIG_H

// Size in bytes of a cache line and of the widest vector register. Every array that a kernel
// streams is aligned to it.
#define CACHE_LINE 64

// Largest absolute value of a coordinate, m. Defined for hosts in include/pbs/base.h.
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

// PBS_MULTIVERSION compiles a kernel for plain x86-64, AVX2 and AVX-512; the loader chooses a
// version. Sanitizer builds cannot use it, because they instrument the loader's resolver before
// their runtime is initialised. clang cannot use it, because it refuses to inline a helper that
// takes 64-byte vectors into a function of another target. Both compile the plain version only (or
// the one that -march selects).
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(PBS_SANITIZED) && !defined(PBS_SINGLE_VERSION)
#define PBS_HAS_CLONES   1
#define PBS_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PBS_MULTIVERSION
#endif

/// Prefetches the cache line that lies `bytes` after p. The address may be past the end of the
/// array, where a pointer would be undefined behaviour; it is therefore computed as an integer.
ALWAYS_INLINE void prefetch_ahead(const void *p, size_t bytes) {
    __builtin_prefetch((const void *)((uintptr_t)p + bytes)); // NOLINT(performance-no-int-to-ptr)
}

#endif
