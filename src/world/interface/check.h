// Checks of what a host passes in. Each refusal names the value, what it must be and what was
// found.
#ifndef PBS_WORLD_INTERFACE_CHECK_H
#define PBS_WORLD_INTERFACE_CHECK_H

#include "base/config.h"
#include "base/runtime/status.h"

/// More nodes or elements than this in one world are refused: indices are 32 bits wide.
#define CHECK_COUNT_LIMIT ((size_t)1 << 28)

pbs_status check_pointer(const void *pointer, const char *name);
pbs_status check_finite(double value, const char *name);
pbs_status check_positive(double value, const char *name);
/// Positive, and finite seconds after `time`.
pbs_status check_duration(double seconds, double time, const char *name);
pbs_status check_not_negative(double value, const char *name);
/// low < value < high
pbs_status check_between(double value, double low, double high, const char *name);
/// low <= value <= high
pbs_status check_choice(int64_t value, int64_t low, int64_t high, const char *name);
/// The same of sizes, which may be beyond what int64_t holds.
pbs_status check_size(size_t value, size_t low, size_t high, const char *name);
/// 1 .. CHECK_COUNT_LIMIT
pbs_status check_count(size_t count, const char *name);

/// Each below there_are, of which the body has so many `things`; null is refused unless count is 0.
pbs_status check_indices(const uint32_t *indices, size_t count, size_t there_are, const char *name,
                         const char *things);

/// Finite numbers; null is refused unless count is 0.
pbs_status check_numbers(const double *values, size_t count, const char *name);

/// Three finite numbers; null is refused.
pbs_status check_vector(const double values[3], const char *name);

/// Three finite numbers each; null is refused unless count is 0.
pbs_status check_vectors(const double *values, size_t count, const char *name);

/// Coordinates in metres, up to COORDINATE_LIMIT: any number of them, three, three each, and a
/// positive length. Null as above.
pbs_status check_coordinates(const double *values, size_t count, const char *name);
pbs_status check_point(const double values[3], const char *name);
pbs_status check_points(const double *values, size_t count, const char *name);
pbs_status check_length(double value, const char *name);

/// Positive, finite masses by vertex, not so small that arithmetic loses them; null is refused.
pbs_status check_masses(const double *masses, size_t count);

/// 0 (no scatter), or 1 to 1e6.
pbs_status check_weibull_modulus(double modulus);

/// Both functions or none.
pbs_status check_allocator(const pbs_allocator *allocator);

/// Four numbers of norm 1 within 1e-6; writes them normalised.
pbs_status check_quaternion(const double orientation[4], const char *name, double unit[4]);

#endif
