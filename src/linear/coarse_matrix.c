// Contacts change the pattern from one matrix to the next, so it is made anew by sorting whenever
// there are any. A contact row couples to rows and clusters near its own, hence it is eliminated
// right before its cluster: the order found for the clusters alone serves both.
#include "linear/coarse_matrix.h"

#include <string.h>

static void number_rows(const struct rigid_clusters *clusters, const struct contact_matrix *c,
                        const uint32_t *contact, struct coarse_matrix *e) {
    uint32_t position = 0;
    for (uint32_t i = 0; i < clusters->count; i++) {
        const uint32_t k = clusters->order[i];
        for (uint32_t m = clusters->member_start[k];
             c && c->row_count > 0 && m < clusters->member_start[k + 1]; m++) {
            const uint32_t index = contact[clusters->member[m]];
            if (index > 0) {
                e->contact_position[index - 1] = position++;
            }
        }
        e->cluster_position[k] = position;
        position += 2;
    }
    e->matrix.row_count = position;
}

static void add_pair(struct coarse_matrix *e, uint32_t a, uint32_t b) {
    pairs_add(&e->pairs, a < b ? a : b, a < b ? b : a);
}

static void list_clusters(const struct rigid_clusters *clusters, struct coarse_matrix *e) {
    for (uint32_t l = 0; l < clusters->count; l++) {
        const uint32_t at = e->cluster_position[l];
        add_pair(e, at, at);
        add_pair(e, at, at + 1);
        add_pair(e, at + 1, at + 1);
        for (uint32_t n = clusters->neighbor_start[l]; n < clusters->neighbor_start[l + 1]; n++) {
            const uint32_t other = e->cluster_position[clusters->neighbor[n]];
            for (uint32_t s = 0; s < 4 && other < at; s++) {
                add_pair(e, other + s / 2, at + s % 2);
            }
        }
    }
}

/// What contact rows share with clusters, with each other in H0, and in C.
static void list_contacts(const struct rigid_clusters *clusters,
                          const struct linear_problem *problem, const uint32_t *contact,
                          struct coarse_matrix *e) {
    for (uint32_t l = 0; l < clusters->count; l++) {
        for (uint32_t i = clusters->entry_start[l]; i < clusters->entry_start[l + 1]; i++) {
            const uint32_t index = contact[clusters->entry_row[i]];
            if (index > 0) {
                add_pair(e, e->contact_position[index - 1], e->cluster_position[l]);
                add_pair(e, e->contact_position[index - 1], e->cluster_position[l] + 1);
            }
        }
    }
    const struct contact_matrix *c = problem->c;
    for (uint32_t i = 0; i < c->row_count; i++) {
        const uint32_t row = c->row[i];
        for (uint32_t k = problem->a->row_start[row]; k < problem->a->row_start[row + 1]; k++) {
            const uint32_t index = contact[problem->a->column[k]];
            if (index > 0) {
                add_pair(e, e->contact_position[i], e->contact_position[index - 1]);
            }
        }
        for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            add_pair(e, e->contact_position[i], e->contact_position[contact[c->column[k]] - 1]);
        }
    }
}

static size_t count_pairs(const struct rigid_clusters *clusters,
                          const struct linear_problem *problem, const uint32_t *contact) {
    size_t count = 7 * (size_t)clusters->count +
                   4 * (size_t)clusters->neighbor_start[clusters->count];
    const struct contact_matrix *c = problem ? problem->c : NULL;
    if (!c || c->row_count == 0) {
        return count;
    }
    for (uint32_t i = 0; i < clusters->entry_start[clusters->count]; i++) {
        count += contact[clusters->entry_row[i]] > 0 ? 2 : 0;
    }
    for (uint32_t i = 0; i < c->row_count; i++) {
        const uint32_t row = c->row[i];
        count += problem->a->row_start[row + 1] - problem->a->row_start[row];
    }
    return count + c->start[c->row_count];
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
    const bool has_contacts = problem && problem->c && problem->c->row_count > 0;
    if (has_contacts) {
        RETURN_IF_FAILED(memory_reserve(memory, &e->contact_position, &e->contact_capacity,
                                        problem->c->row_count, sizeof *e->contact_position));
    }
    number_rows(clusters, has_contacts ? problem->c : NULL, contact, e);
    RETURN_IF_FAILED(pairs_reserve(memory, count_pairs(clusters, problem, contact), &e->pairs));
    e->pairs.count = 0;
    list_clusters(clusters, e);
    if (has_contacts) {
        list_contacts(clusters, problem, contact, e);
    }
    pairs_sort(&e->pairs);
    RETURN_IF_FAILED(reserve_pattern(memory, e));
    pairs_compress(&e->pairs, e->matrix.row_count, e->matrix.row_start, e->matrix.column);
    e->matrix.block_count = e->pairs.count;
    return PBS_OK;
}

/// The matrix is in the order of elimination already.
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
    e.cluster_position = memory_allocate(memory, clusters->count, sizeof *e.cluster_position);
    pbs_status status = e.cluster_position ? PBS_OK : PBS_ERROR_MEMORY;
    if (status == PBS_OK) {
        status = supernodal_create(memory, SUPERNODAL_DOUBLE, &e.factor);
    }
    if (status == PBS_OK) {
        status = make_pattern(memory, clusters, NULL, NULL, &e);
    }
    if (status == PBS_OK) {
        status = analyze(memory, &e);
    }
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
    memory_release(memory, e->cluster_position);
    memory_release(memory, e->contact_position);
    supernodal_destroy(e->factor);
    pairs_free(memory, &e->pairs);
    *e = (struct coarse_matrix){0};
}

pbs_status coarse_matrix_prepare(struct memory *memory, const struct rigid_clusters *clusters,
                                 const struct linear_problem *problem, const uint32_t *contact,
                                 struct coarse_matrix *e) {
    const uint32_t contacts = problem->c ? problem->c->row_count : 0;
    if (contacts > 0 || e->contact_count > 0) {
        // Whatever fails below leaves no usable pattern.
        e->contact_count = UINT32_MAX;
        RETURN_IF_FAILED(make_pattern(memory, clusters, problem, contact, e));
        RETURN_IF_FAILED(analyze(memory, e));
        e->contact_count = contacts;
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
