// libpbs: status codes, version, allocator, log and job-system hooks. Part of <pbs/pbs.h>.
// SPDX-License-Identifier: MIT
#ifndef PBS_BASE_H
#define PBS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PBS_API
#elif defined(__GNUC__)
#define PBS_API __attribute__((visibility("default")))
#else
#define PBS_API
#endif

#define PBS_VERSION_MAJOR 0
#define PBS_VERSION_MINOR 1
#define PBS_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

// Floating point: calls compute with rounding to nearest, with denormal numbers, and without traps,
// whatever the calling thread has set (rounding mode, unmasked exceptions, flush-to-zero). So
// results do not depend on its environment, which is as before when a call returns, raised flags
// included. The host's callbacks, and pieces of work on the host's threads, run in the library's
// environment too: energies are evaluated at states where they overflow or are not defined.

// Coordinates: none of a world may be beyond 1e30 m, of either sign. Bodies, targets, colliders,
// queries and saved worlds beyond are refused, and a step that would end beyond fails. The bound
// keeps exact predicates, which multiply three differences of coordinates, and single precision,
// which ends at 3e38, far from overflow. Accuracy ends earlier: at 1e30 m neighbouring doubles are
// 1e14 m apart.
//
// Values of bodies and materials (moduli, stiffnesses, densities, masses, times and rates of
// damping, in SI units) may be up to 1e30 too, in descriptions and where they are changed later.
// Larger ones are refused: their products with lengths, and squares of these, would overflow.

/// What a call answers, a pbs_status_code. Zero: done. Negative: failed, and nothing changed.
/// Positive: done, but see the message.
typedef int32_t pbs_status;

/// The values of a pbs_status.
typedef enum pbs_status_code {
    PBS_OK = 0,              ///< done
    PBS_NOT_CONVERGED = 1,   ///< done; the tolerance was not reached and the host allowed that
    PBS_DIVIDED = 2,         ///< done; the step had to be divided into smaller ones
    PBS_WEAK_BONDS = 3,      ///< done; the new body's bonds hardly carry its own weight
    PBS_ERROR_ARGUMENT = -1, ///< a null pointer, a value out of its range, a count that does not
                             ///< match
    PBS_ERROR_MEMORY = -2,   ///< the allocator returned null
    PBS_ERROR_HANDLE = -3,   ///< a body or collider that was destroyed, or belongs to another world
    PBS_ERROR_MESH = -4,     ///< a wrong index, an inverted or flat element, an unused vertex
    PBS_ERROR_STRUCT_SIZE = -5,  ///< struct_size is not one that this library knows
    PBS_ERROR_CONVERGENCE = -6,  ///< the minimisation of the step did not reach its tolerance
    PBS_ERROR_INADMISSIBLE = -7, ///< no admissible state to start from (an energy is infinite or
                                 ///< not a number)
    PBS_ERROR_HOST = -8,         ///< a callback of the host asked to stop
    PBS_ERROR_FORMAT = -9,       ///< bytes to restore from are damaged, or of another version or
                                 ///< endianness
    PBS_ERROR_CAPACITY = -10,    ///< the caller's buffer is too small; the message says what is
                                 ///< needed
    PBS_ERROR_MISSING_CALLBACK = -11, ///< a restored world needs a callback that was not registered
                                      ///< again
    PBS_ERROR_THREAD = -12            ///< the system refused to start a thread
} pbs_status_code;

/// The name of a status, such as "PBS_ERROR_MESH". Never null; a static string.
PBS_API const char *pbs_status_name(pbs_status status);

/// What a status means, in one sentence. Never null; a static string.
PBS_API const char *pbs_status_text(pbs_status status);

/// The calling thread's last message in words: what was expected and what was found. Never null;
/// ASCII; empty before the thread's first. It changes when a call of this thread answers a status
/// other than PBS_OK, and at no other time: a host may read statistics or clean up first, and read
/// the message then. It says nothing about calls that answered PBS_OK. The pointer is valid as long
/// as the thread, the text until the message changes.
PBS_API const char *pbs_last_error(void);

/// The version of the library that runs: major * 1000000 + minor * 1000 + patch.
PBS_API uint32_t pbs_version(void);

/// The host's allocator. Both functions null: the C library's. Both are called only on the thread
/// that called the library. METIS, which orders the matrix when bodies have changed, and OpenBLAS,
/// which factors the matrices of systems, have memory of their own.
typedef struct pbs_allocator {
    /// At least `size` bytes at a multiple of `alignment`, a power of two (64 at present). Null:
    /// out of memory, which the library answers with PBS_ERROR_MEMORY.
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /// Takes back what allocate gave, with the same size; pointer is never null.
    void (*release)(void *user, void *pointer, size_t size);
    void *user; ///< handed to both
} pbs_allocator;

/// How urgent a message is.
typedef enum pbs_log_level {
    PBS_LOG_ERROR = 0,
    PBS_LOG_WARNING = 1,
    PBS_LOG_INFO = 2,
    PBS_LOG_DEBUG = 3
} pbs_log_level;

/// Where messages go. Called on the thread that called the library.
typedef struct pbs_log {
    /// level: pbs_log_level; message: one line without its end, valid during the call. Null:
    /// nowhere.
    void (*write)(void *user, int32_t level, const char *message);
    void *user; ///< handed to write
} pbs_log;

/// One piece of work: piece `index` of what a parallel_for was given. Pieces may run in any order,
/// on any threads, at the same time.
typedef void (*pbs_work_fn)(void *context, size_t index);

/// The host's job system. Called only on the thread that called the library, never from inside a
/// piece of work.
typedef struct pbs_tasks {
    /// Runs work(context, i) once for every i < count and returns when all are done. Null: the
    /// library's own threads serve.
    void (*parallel_for)(void *user, size_t count, pbs_work_fn work, void *context);
    void *user; ///< handed to parallel_for
} pbs_tasks;

#ifdef __cplusplus
}
#endif
#endif
