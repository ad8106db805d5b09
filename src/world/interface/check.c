// See check.h. Comparisons are written such that NaN fails them.
// SPDX-License-Identifier: MIT
#include "world/interface/check.h"

#include <math.h>

pbs_status check_pointer(const void *pointer, const char *name) {
    return pointer != NULL ? PBS_OK : status_fail(PBS_ERROR_ARGUMENT, "%s is null", name);
}

pbs_status check_finite(double value, const char *name) {
    return isfinite(value)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be finite", name, value);
}

pbs_status check_positive(double value, const char *name) {
    return isfinite(value) && value > 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be positive and finite", name,
                             value);
}

pbs_status check_value(double value, const char *name) {
    return value > 0.0 && value <= VALUE_LIMIT
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s is %g, must be positive and finite, at most %g", name, value,
                             VALUE_LIMIT);
}

pbs_status check_value_or_zero(double value, const char *name) {
    return value >= 0.0 && value <= VALUE_LIMIT
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s is %g, must be zero or positive, and finite, at most %g", name,
                             value, VALUE_LIMIT);
}

pbs_status check_duration(double seconds, double time, const char *name) {
    RETURN_IF_FAILED(check_positive(seconds, name));
    return isfinite(time + seconds)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g s, after %g s; time must stay finite",
                             name, seconds, time);
}

pbs_status check_not_negative(double value, const char *name) {
    return isfinite(value) && value >= 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be zero or positive, and finite",
                             name, value);
}

pbs_status check_between(double value, double low, double high, const char *name) {
    return value > low && value < high
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be above %g and below %g", name,
                             value, low, high);
}

pbs_status check_choice(int64_t value, int64_t low, int64_t high, const char *name) {
    return value >= low && value <= high
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %lld, must be %lld to %lld", name,
                             (long long)value, (long long)low, (long long)high);
}

pbs_status check_size(size_t value, size_t low, size_t high, const char *name) {
    return value >= low && value <= high
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %zu, must be %zu to %zu", name, value, low,
                             high);
}

pbs_status check_count(size_t count, const char *name) {
    return count >= 1 && count <= CHECK_COUNT_LIMIT
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %zu, must be 1 to %zu", name, count,
                             CHECK_COUNT_LIMIT);
}

pbs_status check_array_size(size_t count, const char *name) {
    return count <= 4 * CHECK_COUNT_LIMIT
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "the number of %s is %zu, must be at most %zu",
                             name, count, 4 * CHECK_COUNT_LIMIT);
}

pbs_status check_indices(const uint32_t *indices, size_t count, size_t there_are, const char *name,
                         const char *things) {
    RETURN_IF_FAILED(check_array_size(count, name));
    if (count > 0) {
        RETURN_IF_FAILED(check_pointer(indices, name));
    }
    for (size_t i = 0; i < count; i++) {
        if (indices[i] >= there_are) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s[%zu] is %u, but the body has %zu %s", name,
                               i, (unsigned)indices[i], there_are, things);
        }
    }
    return PBS_OK;
}

pbs_status check_numbers(const double *values, size_t count, const char *name) {
    if (count > 0) {
        RETURN_IF_FAILED(check_pointer(values, name));
    }
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s[%zu] is %g, must be finite", name, i,
                               values[i]);
        }
    }
    return PBS_OK;
}

pbs_status check_vector(const double values[3], const char *name) {
    return check_numbers(values, 3, name);
}

/// Checks three numbers per vertex with magnitudes up to `limit`.
static pbs_status check_by_vertex(const double *values, size_t count, double limit,
                                  const char *name) {
    RETURN_IF_FAILED(check_array_size(count, name));
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(values, name));
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(values[i])) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s of vertex %zu: %c is %g, must be finite",
                               name, i / 3, "xyz"[i % 3], values[i]);
        }
        if (fabs(values[i]) > limit) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of vertex %zu: %c is %g m, must be between %g and %g", name,
                               i / 3, "xyz"[i % 3], values[i], -limit, limit);
        }
    }
    return PBS_OK;
}

pbs_status check_vectors(const double *values, size_t count, const char *name) {
    return check_by_vertex(values, count, INFINITY, name);
}

pbs_status check_points(const double *values, size_t count, const char *name) {
    return check_by_vertex(values, count, COORDINATE_LIMIT, name);
}

pbs_status check_coordinates(const double *values, size_t count, const char *name) {
    RETURN_IF_FAILED(check_numbers(values, count, name));
    for (size_t i = 0; i < count; i++) {
        if (fabs(values[i]) > COORDINATE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s[%zu] is %g m, must be between %g and %g",
                               name, i, values[i], -COORDINATE_LIMIT, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

pbs_status check_point(const double values[3], const char *name) {
    return check_coordinates(values, 3, name);
}

pbs_status check_length(double value, const char *name) {
    RETURN_IF_FAILED(check_positive(value, name));
    return value <= COORDINATE_LIMIT
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g m, must be at most %g", name, value,
                             COORDINATE_LIMIT);
}

pbs_status check_rows(const void *dst, size_t stride_bytes, size_t width, bool doubles) {
    const size_t number = doubles ? sizeof(double) : sizeof(float);
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    if ((uintptr_t)dst % number != 0) {
        return status_fail(PBS_ERROR_ARGUMENT, "dst is %p, must be aligned to %zu bytes", dst,
                           number);
    }
    if (stride_bytes < width * number || stride_bytes % number != 0 ||
        stride_bytes > CHECK_STRIDE_LIMIT) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "stride_bytes is %zu, must be a multiple of %zu and at least %zu, at "
                           "most %zu",
                           stride_bytes, number, width * number, CHECK_STRIDE_LIMIT);
    }
    return PBS_OK;
}

pbs_status check_masses(const double *masses, size_t count) {
    RETURN_IF_FAILED(check_pointer(masses, "masses"));
    for (size_t i = 0; i < count; i++) {
        if (!(isnormal(masses[i]) && masses[i] > 0.0 && masses[i] <= VALUE_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "masses of vertex %zu: %g kg, must be positive and finite, at most "
                               "%g",
                               i, masses[i], VALUE_LIMIT);
        }
    }
    return PBS_OK;
}

pbs_status check_allocator(const pbs_allocator *allocator) {
    if ((allocator->allocate == NULL) == (allocator->release == NULL)) {
        return PBS_OK;
    }
    return status_fail(PBS_ERROR_ARGUMENT, "allocator.%s is null, must be set as the other is",
                       allocator->allocate == NULL ? "allocate" : "release");
}

pbs_status check_quaternion(const double orientation[4], const char *name, double unit[4]) {
    const double *q = orientation;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(norm - 1.0) <= 1e-6)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%s is (%g, %g, %g, %g) of norm %g, must be a unit quaternion", name,
                           q[0], q[1], q[2], q[3], norm);
    }
    for (int i = 0; i < 4; i++) {
        unit[i] = orientation[i] / norm;
    }
    return PBS_OK;
}

pbs_status check_weibull_modulus(double modulus) {
    // Below 1 some bonds would have almost no strength, and the mean would be meaningless.
    if (modulus != 0.0 && !(modulus >= 1.0 && modulus <= 1e6)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "weibull_modulus is %g, must be 0 (no scatter) or between 1 and 1e6",
                           modulus);
    }
    return PBS_OK;
}
