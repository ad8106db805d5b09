// See coarse_matrix.h. Contact changes the pattern from one matrix to the next. The pattern is then
// rebuilt by sorting pairs: first pairs of units, which give the elimination order, then pairs of
// rows. The order depends on the current matrix only, so that results are repeatable.
// SPDX-License-Identifier: MIT
#include "linear/two_level/coarse_matrix.h"

#include <string.h>

static bool has_contacts(const struct linear_problem *problem) {
    return problem->c && problem->c->row_count > 0;
}

static void add_pair(struct coarse_matrix *e, uint32_t a, uint32_t b) {
    pairs_add(&e->pairs, a > b ? b : a, a > b ? a : b);
}

static void list_clusters(const struct rigid_clusters *clusters, struct coarse_matrix *e) {
    for (uint32_t l = 0; l < clusters->count; l++) {
        pairs_add(&e->pairs, l, l);
        for (uint32_t n = clusters->neighbor_start[l]; n < clusters->neighbor_start[l + 1]; n++) {
            add_pair(e, clusters->neighbor[n], l);
        }
    }
}

/// Lists the pairs that contact causes: contact rows with clusters, with each other in H0, and in
/// C.
static void list_contacts(const struct rigid_clusters *clusters,
                          const struct linear_problem *problem, const uint32_t *contact,
                          struct coarse_matrix *e) {
    const uint32_t base = clusters->count - 1;
    for (uint32_t l = 0; l < clusters->count; l++) {
        for (uint32_t i = clusters->entry_start[l]; i < clusters->entry_start[l + 1]; i++) {
            const uint32_t index = contact[clusters->entry_row[i]];
            if (index > 0) {
                add_pair(e, base + index, l);
            }
        }
    }
    const struct contact_matrix *c = problem->c;
    for (uint32_t i = 0; i < c->row_count; i++) {
        const uint32_t row = c->row[i];
        for (uint32_t k = problem->a->row_start[row]; k < problem->a->row_start[row + 1]; k++) {
            const uint32_t index = contact[problem->a->column[k]];
            if (index > 0) {
                add_pair(e, base + 1 + i, base + index);
            }
        }
        for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            add_pair(e, base + 1 + i, base + contact[c->column[k]]);
        }
    }
}

static size_t count_pairs(const struct rigid_clusters *clusters,
                          const struct linear_problem *problem, const uint32_t *contact) {
    size_t count = clusters->count + (size_t)clusters->neighbor_start[clusters->count];
    if (!has_contacts(problem)) {
        return count;
    }
    for (uint32_t i = 0; i < clusters->entry_start[clusters->count]; i++) {
        count += contact[clusters->entry_row[i]] > 0;
    }
    const struct contact_matrix *c = problem->c;
    for (uint32_t i = 0; i < c->row_count; i++) {
        const uint32_t row = c->row[i];
        count += problem->a->row_start[row + 1] - problem->a->row_start[row];
    }
    return count + c->start[c->row_count];
}

static pbs_status reserve_units(struct memory *memory, uint32_t units, struct coarse_matrix *e) {
    RETURN_IF_FAILED(memory_reserve(memory, &e->unit_start, &e->unit_start_capacity,
                                    (size_t)units + 1, sizeof(uint32_t)));
    RETURN_IF_FAILED(memory_reserve(memory, &e->unit_neighbor, &e->unit_neighbor_capacity,
                                    e->pairs.count, sizeof(uint32_t)));
    RETURN_IF_FAILED(
        memory_reserve(memory, &e->unit_order, &e->unit_order_capacity, units, sizeof(uint32_t)));
    RETURN_IF_FAILED(
        memory_reserve(memory, &e->unit_row, &e->unit_row_capacity, units, sizeof(uint32_t)));
    return memory_reserve(memory, &e->unit_height, &e->unit_height_capacity, units,
                          sizeof(uint32_t));
}

/// Orders the units. Without contact this is the order that METIS found for the clusters, once.
static pbs_status order_units(struct memory *memory, const struct rigid_clusters *clusters,
                              const struct linear_problem *problem, uint32_t units,
                              struct coarse_matrix *e) {
    for (uint32_t i = 0; i < units; i++) {
        e->unit_height[i] = i < clusters->count ? 2 : 1;
    }
    if (!has_contacts(problem)) {
        memcpy(e->unit_order, clusters->order, units * sizeof *e->unit_order);
        return PBS_OK;
    }
    return minimum_degree_order(memory, units, e->unit_start, e->unit_neighbor, e->unit_height,
                                &e->ordering, e->unit_order);
}

static void number_rows(uint32_t units, const struct rigid_clusters *clusters,
                        struct coarse_matrix *e) {
    uint32_t row = 0;
    for (uint32_t i = 0; i < units; i++) {
        const uint32_t unit = e->unit_order[i];
        e->unit_row[unit] = row;
        row += e->unit_height[unit];
    }
    e->matrix.row_count = row;
    e->cluster_position = e->unit_row;
    e->contact_position = e->unit_row + clusters->count;
}

/// Lists the pairs of rows of all pairs of units.
static pbs_status list_rows(struct memory *memory, uint32_t units, struct coarse_matrix *e) {
    RETURN_IF_FAILED(pairs_reserve(memory, 4 * (size_t)e->unit_start[units], &e->pairs));
    e->pairs.count = 0;
    for (uint32_t u = 0; u < units; u++) {
        for (uint32_t k = e->unit_start[u]; k < e->unit_start[u + 1]; k++) {
            const uint32_t v = e->unit_neighbor[k];
            const uint32_t columns = e->unit_height[v];
            for (uint32_t b = 0; b < e->unit_height[u] * columns; b++) {
                add_pair(e, e->unit_row[u] + b / columns, e->unit_row[v] + b % columns);
            }
        }
    }
    pairs_sort(&e->pairs);
    return PBS_OK;
}

static pbs_status reserve_pattern(struct memory *memory, struct coarse_matrix *e) {
    const size_t blocks = e->pairs.count;
    RETURN_IF_FAILED(memory_reserve(memory, &e->matrix.row_start, &e->start_capacity,
                                    (size_t)e->matrix.row_count + 1, sizeof(uint32_t)));
    RETURN_IF_FAILED(
        memory_reserve(memory, &e->matrix.column, &e->column_capacity, blocks, sizeof(uint32_t)));
    return memory_reserve(memory, &e->matrix.values, &e->value_capacity,
                          9 * blocks + BSR_VALUE_PADDING, sizeof(double));
}

static pbs_status make_pattern(struct memory *memory, const struct rigid_clusters *clusters,
                               const struct linear_problem *problem, const uint32_t *contact,
                               struct coarse_matrix *e) {
    const uint32_t units = clusters->count + (has_contacts(problem) ? problem->c->row_count : 0);
    RETURN_IF_FAILED(pairs_reserve(memory, count_pairs(clusters, problem, contact), &e->pairs));
    e->pairs.count = 0;
    list_clusters(clusters, e);
    if (has_contacts(problem)) {
        list_contacts(clusters, problem, contact, e);
    }
    pairs_sort(&e->pairs);
    RETURN_IF_FAILED(reserve_units(memory, units, e));
    pairs_compress(&e->pairs, units, e->unit_start, e->unit_neighbor);
    RETURN_IF_FAILED(order_units(memory, clusters, problem, units, e));
    number_rows(units, clusters, e);
    RETURN_IF_FAILED(list_rows(memory, units, e));
    RETURN_IF_FAILED(reserve_pattern(memory, e));
    pairs_compress(&e->pairs, e->matrix.row_count, e->matrix.row_start, e->matrix.column);
    e->matrix.block_count = e->pairs.count;
    return PBS_OK;
}

/// Analyses the factor. The matrix is already in elimination order.
static pbs_status analyze(struct memory *memory, struct coarse_matrix *e) {
    RETURN_IF_FAILED(pairs_reserve(memory, e->matrix.row_count, &e->pairs));
    uint32_t *order = (uint32_t *)e->pairs.scratch;
    for (uint32_t i = 0; i < e->matrix.row_count; i++) {
        order[i] = i;
    }
    return supernodal_analyze(e->factor, &e->matrix, order);
}

pbs_status coarse_matrix_create(struct memory *memory, const struct rigid_clusters *clusters,
                                struct coarse_matrix *out) {
    *out = (struct coarse_matrix){0};
    struct coarse_matrix e = {0};
    const struct linear_problem no_contact = {0};
    pbs_status status = supernodal_create(memory, SUPERNODAL_DOUBLE, &e.factor);
    if (status == PBS_OK) {
        status = make_pattern(memory, clusters, &no_contact, NULL, &e);
    }
    if (status == PBS_OK) {
        status = analyze(memory, &e);
    }
    e.is_made = status == PBS_OK;
    if (status != PBS_OK) {
        coarse_matrix_destroy(memory, &e);
        return status;
    }
    *out = e;
    return PBS_OK;
}

void coarse_matrix_destroy(struct memory *memory, struct coarse_matrix *e) {
    memory_release(memory, e->matrix.row_start);
    memory_release(memory, e->matrix.column);
    memory_release(memory, e->matrix.values);
    memory_release(memory, e->unit_start);
    memory_release(memory, e->unit_neighbor);
    memory_release(memory, e->unit_order);
    memory_release(memory, e->unit_row);
    memory_release(memory, e->unit_height);
    minimum_degree_free(memory, &e->ordering);
    contact_matrix_free(memory, &e->made_for);
    supernodal_destroy(e->factor);
    pairs_free(memory, &e->pairs);
    *e = (struct coarse_matrix){0};
}

pbs_status coarse_matrix_prepare(struct memory *memory, const struct rigid_clusters *clusters,
                                 const struct linear_problem *problem, const uint32_t *contact,
                                 struct coarse_matrix *e) {
    if (!e->is_made || !contact_matrix_same_pattern(&e->made_for, problem->c)) {
        // If anything below fails, there is no usable pattern.
        e->is_made = false;
        RETURN_IF_FAILED(make_pattern(memory, clusters, problem, contact, e));
        RETURN_IF_FAILED(analyze(memory, e));
        RETURN_IF_FAILED(contact_matrix_copy_pattern(memory, problem->c, &e->made_for));
        e->is_made = true;
    }
    memset(e->matrix.values, 0, 9 * e->matrix.block_count * sizeof *e->matrix.values);
    return PBS_OK;
}

void coarse_matrix_add(const struct coarse_matrix *e, uint32_t row, uint32_t column,
                       const double *block, size_t stride) {
    const bool transposed = row > column;
    const size_t at = transposed ? bsr_find(&e->matrix, column, row)
                                 : bsr_find(&e->matrix, row, column);
    double *to = e->matrix.values + 9 * at;
    for (size_t i = 0; i < 9; i++) {
        to[i] += transposed ? block[i % 3 * stride + i / 3] : block[i / 3 * stride + i % 3];
    }
}
