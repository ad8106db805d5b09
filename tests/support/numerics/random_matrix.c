// Sparse symmetric matrices of random values; see random_matrix.h.
// SPDX-License-Identifier: MIT
#include "support/numerics/random_matrix.h"

#include "support/testing.h"

void random_matrix_create(struct random_matrix *m, struct random *random, uint32_t node_count,
                          uint32_t domain_count, const struct stencils *set) {
    memory_init(&m->memory, &(pbs_allocator){0});
    assert_ok(assembly_build(&m->memory, node_count, domain_count, set, 1, &m->assembly));
    m->a = m->assembly.pattern;
    m->a.values = memory_allocate(&m->memory, 9 * m->assembly.block_slot_count, sizeof(double));
    assert_non_null(m->a.values);
    random_fill(random, -1.0, 1.0, m->a.values, 9 * m->a.block_count);
    for (uint32_t r = 0; r < node_count; r++) {
        double *const d = m->a.values + 9 * m->a.row_start[r];
        d[3] = d[1];
        d[6] = d[2];
        d[7] = d[5];
    }
}

void random_matrix_destroy(struct random_matrix *m) {
    memory_release(&m->memory, m->a.values);
    assembly_free(&m->memory, &m->assembly);
    assert_int_equal(m->memory.bytes_in_use, 0);
}
