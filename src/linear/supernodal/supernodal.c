// Buffers of the supernodal factorisation, and dispatch to the precision.
// SPDX-License-Identifier: MIT
#include "linear/supernodal/supernodal.h"

#include "base/runtime/arithmetic.h"
#include "linear/supernodal/supernodal_parts.h"
#include "sparse/matrices/nested_dissection.h"

pbs_status supernodal_create(struct memory *memory, enum supernodal_precision precision,
                             struct supernodal **out) {
    struct supernodal *s = memory_allocate(memory, 1, sizeof *s);
    if (s == NULL) {
        return PBS_ERROR_MEMORY;
    }
    s->memory = memory;
    s->precision = precision;
    *out = s;
    return PBS_OK;
}

void supernodal_destroy(struct supernodal *s) {
    if (s == NULL) {
        return;
    }
    memory_release(s->memory, s->words);
    memory_release(s->memory, s->structure);
    memory_release(s->memory, s->scratch);
    memory_release(s->memory, s->sizes);
    memory_release(s->memory, s->factor);
    memory_release(s->memory, s->updates);
    memory_release(s->memory, s->solution);
    memory_release(s->memory, s);
}

static size_t entry_size(const struct supernodal *s) {
    return s->precision == SUPERNODAL_FLOAT ? sizeof(float) : sizeof(double);
}

pbs_status supernodal_plan(struct supernodal *s, const struct bsr *pattern, const uint32_t *order) {
    return supernodal_symbolic(s, pattern, order);
}

pbs_status supernodal_reserve(struct supernodal *s) {
    const size_t size = entry_size(s);
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->factor, &s->factor_bytes,
                                    s->factor_start[s->count] * size, 1));
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->updates, &s->update_bytes,
                                    (s->shared_size + s->worker_count * s->local_size) * size, 1));
    return memory_reserve(s->memory, &s->solution, &s->solution_bytes,
                          3 * (s->row_count + s->row_start[s->count]) * size, 1);
}

pbs_status supernodal_analyze(struct supernodal *s, const struct bsr *pattern,
                              const uint32_t *order) {
    if (order != NULL) {
        RETURN_IF_FAILED(supernodal_plan(s, pattern, order));
        return supernodal_reserve(s);
    }
    uint32_t *dissection = memory_allocate(s->memory, pattern->row_count, sizeof *dissection);
    if (dissection == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_status status = nested_dissection_order_all(s->memory, pattern, dissection);
    if (status == PBS_OK) {
        status = supernodal_plan(s, pattern, dissection);
    }
    memory_release(s->memory, dissection);
    return status == PBS_OK ? supernodal_reserve(s) : status;
}

void supernodal_set_precision(struct supernodal *s, enum supernodal_precision precision) {
    s->precision = precision;
}

/// Returns the supernode of the first bad pivot in elimination order.
static uint32_t first_bad(const struct supernodal *s) {
    uint32_t k = 0;
    while (s->bad[k] == NO_INDEX) {
        k++;
    }
    return k;
}

double supernodal_bad_pivot(const struct supernodal *s) {
    const uint32_t k = first_bad(s);
    return s->precision == SUPERNODAL_FLOAT ? supernodal_pivot_float(s, k)
                                            : supernodal_pivot_double(s, k);
}

static pbs_status report_bad_pivot(const struct supernodal *s) {
    const uint32_t k = first_bad(s);
    return status_fail(PBS_ERROR_CONVERGENCE,
                       "Cholesky factorisation: the pivot of row %u is not a positive number; the "
                       "matrix is not positive definite",
                       s->order[s->first[k] + s->bad[k] / 3]);
}

static bool factor_flushing(struct supernodal *s, struct tasks *tasks, const double *values,
                            double shift) {
    FLUSH_DENORMALS_SCOPE();
    return supernodal_factor_float(s, tasks, values, shift);
}

pbs_status supernodal_factor(struct supernodal *s, struct tasks *tasks, const struct bsr *a,
                             double shift) {
    const bool good = s->precision == SUPERNODAL_FLOAT
                          ? factor_flushing(s, tasks, a->values, shift)
                          : supernodal_factor_double(s, tasks, a->values, shift);
    return good ? PBS_OK : report_bad_pivot(s);
}

void supernodal_solve(struct supernodal *s, struct tasks *tasks, const double *b, double *x) {
    if (s->precision == SUPERNODAL_FLOAT) {
        FLUSH_DENORMALS_SCOPE();
        supernodal_solve_float(s, tasks, b, x);
    } else {
        supernodal_solve_double(s, tasks, b, x);
    }
}

size_t supernodal_factor_entries(const struct supernodal *s) {
    return s->entries;
}

double supernodal_flops(const struct supernodal *s) {
    return s->flops;
}

size_t supernodal_bytes(const struct supernodal *s) {
    return sizeof *s +
           (s->word_capacity + s->structure_capacity + s->scratch_capacity) * sizeof(uint32_t) +
           s->size_capacity * sizeof(size_t) + s->factor_bytes + s->update_bytes +
           s->solution_bytes;
}
