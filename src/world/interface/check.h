// Checks of arguments of public functions. The message of each refusal names the value, the
// permitted range and the value found.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_INTERFACE_CHECK_H
#define PBS_WORLD_INTERFACE_CHECK_H

#include <stdbool.h>

#include "base/config.h"
#include "base/runtime/status.h"

/// Largest number of nodes or elements in a world, because indices are 32 bits wide.
#define CHECK_COUNT_LIMIT ((size_t)1 << 28)

pbs_status check_pointer(const void *pointer, const char *name);
pbs_status check_finite(double value, const char *name);
pbs_status check_positive(double value, const char *name);

/// Largest value of a body or a material, in SI units: stiffnesses, densities, masses, times,
/// rates. Together with COORDINATE_LIMIT it keeps forces, energies and the squares of forces from
/// overflowing. Defined for hosts in include/pbs/base.h.
#define VALUE_LIMIT 1e30

/// Checks such a value: positive, or zero as well.
pbs_status check_value(double value, const char *name);
pbs_status check_value_or_zero(double value, const char *name);

/// Checks that seconds is positive and that time + seconds is finite.
pbs_status check_duration(double seconds, double time, const char *name);
pbs_status check_not_negative(double value, const char *name);
/// low < value < high
pbs_status check_between(double value, double low, double high, const char *name);
/// low <= value <= high
pbs_status check_choice(int64_t value, int64_t low, int64_t high, const char *name);
/// The same for sizes, which may be larger than int64_t can hold.
pbs_status check_size(size_t value, size_t low, size_t high, const char *name);
/// 1 .. CHECK_COUNT_LIMIT
pbs_status check_count(size_t count, const char *name);

/// The same for arrays that the host gives, and that the checks below read: 0 .. 4
/// CHECK_COUNT_LIMIT, beyond which an array has no more elements than a mistaken count says.
/// Numbers of vertices and triangles are to be checked before they are multiplied.
pbs_status check_array_size(size_t count, const char *name);

/// Checks that each index is below there_are, the number of `things` in the body. Null is refused
/// unless count is 0.
pbs_status check_indices(const uint32_t *indices, size_t count, size_t there_are, const char *name,
                         const char *things);

/// Checks that all values are finite. Null is refused unless count is 0.
pbs_status check_numbers(const double *values, size_t count, const char *name);

/// Checks three finite numbers; null is refused.
pbs_status check_vector(const double values[3], const char *name);

/// Checks count vectors of three finite numbers. Null is refused unless count is 0.
pbs_status check_vectors(const double *values, size_t count, const char *name);

/// Checks of coordinates, m, with magnitudes up to COORDINATE_LIMIT: `count` numbers, one position,
/// `count` positions, and a positive length. Null is refused as above.
pbs_status check_coordinates(const double *values, size_t count, const char *name);
pbs_status check_point(const double values[3], const char *name);
pbs_status check_points(const double *values, size_t count, const char *name);
pbs_status check_length(double value, const char *name);

/// Largest distance between rows in a host's buffer, bytes. Rows farther apart than that are a
/// mistake, and the product with their number could overflow.
#define CHECK_STRIDE_LIMIT ((size_t)1 << 30)

/// Checks where rows of `width` doubles, or else floats, are to be written: dst is aligned, the
/// rows do not overlap and are at most CHECK_STRIDE_LIMIT apart. Null is refused.
pbs_status check_rows(const void *dst, size_t stride_bytes, size_t width, bool doubles);

/// Checks one mass per vertex: positive, not subnormal, and at most VALUE_LIMIT. Null is refused.
pbs_status check_masses(const double *masses, size_t count);

/// Checks that the modulus is 0 (no scatter) or between 1 and 1e6.
pbs_status check_weibull_modulus(double modulus);

/// Checks that either both functions are set or neither.
pbs_status check_allocator(const pbs_allocator *allocator);

/// Checks four numbers of norm 1 within 1e-6, and writes them normalised to `unit`.
pbs_status check_quaternion(const double orientation[4], const char *name, double unit[4]);

#endif
