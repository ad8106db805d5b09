// The factorisation's buffers, and which precision does the work.
#include "linear/supernodal.h"

#include "linear/supernodal_parts.h"
#include "sparse/nested_dissection.h"

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

static pbs_status reserve_numbers(struct supernodal *s) {
    const size_t size = entry_size(s);
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->factor, &s->factor_capacity,
                                    s->factor_start[s->count], size));
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->updates, &s->update_capacity,
                                    s->shared_size + s->worker_count * s->local_size, size));
    return memory_reserve(s->memory, &s->solution, &s->solution_capacity,
                          3 * (s->row_count + s->row_start[s->count]), size);
}

pbs_status supernodal_analyze(struct supernodal *s, const struct bsr *pattern,
                              const uint32_t *order) {
    if (order != NULL) {
        RETURN_IF_FAILED(supernodal_symbolic(s, pattern, order));
        return reserve_numbers(s);
    }
    uint32_t *dissection = memory_allocate(s->memory, pattern->row_count, sizeof *dissection);
    if (dissection == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_status status = nested_dissection_order(s->memory, pattern, 0, pattern->row_count,
                                                dissection);
    if (status == PBS_OK) {
        status = supernodal_symbolic(s, pattern, dissection);
    }
    memory_release(s->memory, dissection);
    return status == PBS_OK ? reserve_numbers(s) : status;
}

/// The row to name is the first in the order of elimination.
static pbs_status tell_bad_pivot(const struct supernodal *s) {
    uint32_t k = 0;
    while (s->bad[k] == NOBODY) {
        k++;
    }
    return status_fail(PBS_ERROR_CONVERGENCE,
                       "Cholesky factorisation: the pivot of row %u is not a positive number; the "
                       "matrix is not positive definite",
                       s->order[s->first[k] + s->bad[k]]);
}

pbs_status supernodal_factor(struct supernodal *s, struct tasks *tasks, const struct bsr *a,
                             double shift) {
    const bool good = s->precision == SUPERNODAL_FLOAT
                          ? supernodal_factor_float(s, tasks, a->values, shift)
                          : supernodal_factor_double(s, tasks, a->values, shift);
    return good ? PBS_OK : tell_bad_pivot(s);
}

void supernodal_solve(struct supernodal *s, struct tasks *tasks, const double *b, double *x) {
    if (s->precision == SUPERNODAL_FLOAT) {
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
           s->size_capacity * sizeof(size_t) +
           (s->factor_capacity + s->update_capacity + s->solution_capacity) * entry_size(s);
}
