// See bandwidth.h. The number of pieces of the triad does not depend on the number of threads, as
// in all parallel loops of the library.
// SPDX-License-Identifier: MIT
#include "measure/bandwidth.h"

#include "base/lanes/lanes.h"

#define TRIAD_PIECES 16

pbs_status triad_create(struct memory *memory, size_t count, struct triad *out) {
    *out = (struct triad){.count = count / LANES * LANES};
    out->a = memory_allocate(memory, out->count, sizeof(double));
    out->b = memory_allocate(memory, out->count, sizeof(double));
    out->c = memory_allocate(memory, out->count, sizeof(double));
    if (!out->a || !out->b || !out->c) {
        triad_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void triad_free(struct memory *memory, struct triad *triad) {
    memory_release(memory, triad->a);
    memory_release(memory, triad->b);
    memory_release(memory, triad->c);
    *triad = (struct triad){0};
}

PBS_MULTIVERSION
static void triad_piece(void *context, size_t piece) {
    const struct triad *triad = context;
    const size_t first = triad->count * piece / TRIAD_PIECES / LANES * LANES;
    const size_t end = triad->count * (piece + 1) / TRIAD_PIECES / LANES * LANES;
    for (size_t i = first; i < end; i += LANES) {
        lanes_store(triad->a + i, lanes_load(triad->b + i) + 3.0 * lanes_load(triad->c + i));
    }
}

void triad_run(struct tasks *tasks, struct triad *triad) {
    tasks_for(tasks, TRIAD_PIECES, triad_piece, triad);
}

double triad_bytes(const struct triad *triad) {
    return 24.0 * (double)triad->count;
}

double product_bytes(const struct bsr *a) {
    const double outer = a->incoming_start[a->row_count];
    const double rows = a->row_count;
    return 76.0 * (double)a->block_count + (72.0 + 8.0) * outer + 12.0 * rows + 48.0 * rows;
}
