// y = A x at memory bandwidth. Every stored block is read once (blocks between two domains twice)
// and used for both triangles. The three rows of a block are loaded four entries wide; the fourth
// entry is ignored. For y_i += A_ij x_j, three products per row are accumulated and summed once at
// the end of block row i. For y_j += A_ij^T x_i, the rows are scaled by the entries of x_i and
// added, without a horizontal sum.
// SPDX-License-Identifier: MIT
#include "sparse/matrices/bsr.h"

#include <string.h>

#include "sparse/matrices/block3.h"

// Blocks to prefetch ahead. Hardware prefetching stops at page boundaries; the explicit prefetch
// makes the product a third faster.
#define AHEAD 96

PBS_MULTIVERSION
void bsr_add_domain(const struct bsr *a, uint32_t domain, const double *x, double *y) {
    const uint32_t first = a->layout->domain_start[domain];
    const uint32_t end = a->layout->domain_start[domain + 1];
    const size_t last_entry = 3 * (size_t)(a->row_count - 1);
    const double *restrict values = a->values;
    const uint32_t *restrict column = a->column;
    for (uint32_t i = first; i < end; i++) {
        const quad xi = quad_load3(x + 3 * (size_t)i);
        const quad x0 = quad_set(xi[0]);
        const quad x1 = quad_set(xi[1]);
        const quad x2 = quad_set(xi[2]);
        uint32_t k = a->row_start[i];
        const uint32_t outer = a->outer_start[i];
        const uint32_t last = a->row_start[i + 1];
        const double *block = values + 9 * (size_t)k;
        quad y0 = quad_load(block) * xi;
        quad y1 = quad_load(block + 3) * xi;
        quad y2 = quad_load(block + 6) * xi;
        for (k++; k < outer; k++) {
            block = values + 9 * (size_t)k;
            const size_t j = 3 * (size_t)column[k];
            prefetch_ahead(block, AHEAD * 9 * sizeof *block);
            const quad r0 = quad_load(block);
            const quad r1 = quad_load(block + 3);
            const quad r2 = quad_load(block + 6);
            const quad xj = j == last_entry ? quad_load3(x + j) : quad_load(x + j);
            y0 += r0 * xj;
            y1 += r1 * xj;
            y2 += r2 * xj;
            quad_add3(y + j, r0 * x0 + r1 * x1 + r2 * x2);
        }
        for (; k < last; k++) {
            block = values + 9 * (size_t)k;
            const quad xj = quad_load3(x + 3 * (size_t)column[k]);
            y0 += quad_load(block) * xj;
            y1 += quad_load(block + 3) * xj;
            y2 += quad_load(block + 6) * xj;
        }
        quad sum = {quad_sum3(y0), quad_sum3(y1), quad_sum3(y2), 0.0};
        for (uint32_t s = a->incoming_start[i]; s < a->incoming_start[i + 1]; s++) {
            block = values + 9 * (size_t)a->incoming_block[s];
            const double *xj = x + 3 * (size_t)a->incoming_row[s];
            sum += quad_load(block) * quad_set(xj[0]) + quad_load(block + 3) * quad_set(xj[1]) +
                   quad_load(block + 6) * quad_set(xj[2]);
        }
        quad_add3(y + 3 * (size_t)i, sum);
    }
}

void bsr_multiply_domain(const struct bsr *a, uint32_t domain, const double *x, double *y) {
    const uint32_t first = a->layout->domain_start[domain];
    const uint32_t end = a->layout->domain_start[domain + 1];
    memset(y + 3 * (size_t)first, 0, 3 * (size_t)(end - first) * sizeof *y);
    bsr_add_domain(a, domain, x, y);
}

struct product {
    const struct bsr *a;
    const double *x;
    double *y;
};

static void multiply_piece(void *context, size_t index) {
    const struct product *p = context;
    bsr_multiply_domain(p->a, (uint32_t)index, p->x, p->y);
}

void bsr_multiply(struct tasks *tasks, const struct bsr *a, const double *x, double *y) {
    struct product p = {a, x, y};
    tasks_for(tasks, a->layout->domain_count, multiply_piece, &p);
}
