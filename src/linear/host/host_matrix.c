// See host_matrix.h. Blocks are first listed by column. The columns' lists are then appended to the
// rows one after another, so every row gets its blocks in ascending order of columns. Two blocks at
// one position, of H0 and of C, arrive in a row one after the other and become one.
// SPDX-License-Identifier: MIT
#include "linear/host/host_matrix.h"

#include <math.h>
#include <string.h>

#define TRANSPOSED        (UINT32_C(1) << 31)
#define BLOCK_SOURCE_NONE UINT32_MAX
#define PIECE_LIMIT       64

static uint32_t contact_rows(const struct linear_problem *problem) {
    return problem->c ? problem->c->row_count : 0;
}

static uint32_t contact_blocks(const struct linear_problem *problem) {
    return contact_rows(problem) > 0 ? problem->c->start[problem->c->row_count] : 0;
}

// --- blocks ---

static pbs_status reserve_blocks(struct memory *memory, size_t node_count, size_t block_count,
                                 struct host_matrix *m) {
    RETURN_IF_FAILED(memory_reserve(memory, &m->block_start, &m->start_capacity, node_count + 1,
                                    sizeof *m->block_start));
    RETURN_IF_FAILED(memory_reserve(memory, &m->list_start, &m->list_start_capacity, node_count + 1,
                                    sizeof *m->list_start));
    RETURN_IF_FAILED(memory_reserve(memory, &m->block_column, &m->column_capacity, block_count,
                                    sizeof *m->block_column));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->source, &m->source_capacity, block_count, sizeof *m->source));
    RETURN_IF_FAILED(memory_reserve(memory, &m->list_row, &m->list_row_capacity, block_count,
                                    sizeof *m->list_row));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->list, &m->list_capacity, block_count, sizeof *m->list));
    return memory_reserve(memory, &m->positions, &m->position_capacity, 3 * node_count,
                          sizeof *m->positions);
}

/// Fills list_start, the start of each column's list. The matrix is symmetric, so column i has as
/// many blocks as row i.
static void count_blocks(const struct linear_problem *problem, struct host_matrix *m) {
    const struct bsr *a = problem->a;
    const uint32_t *node = a->layout->node;
    uint32_t *const count = m->list_start + 1;
    memset(m->list_start, 0, (a->row_count + (size_t)1) * sizeof *m->list_start);
    for (uint32_t i = 0; i < a->row_count; i++) {
        count[node[i]]++;
        for (uint32_t k = a->row_start[i] + 1; k < a->row_start[i + 1]; k++) {
            count[node[i]]++;
            count[node[a->column[k]]]++;
        }
    }
    for (uint32_t i = 0; i < contact_rows(problem); i++) {
        count[node[problem->c->row[i]]] += problem->c->start[i + 1] - problem->c->start[i];
    }
    for (uint32_t j = 0; j < a->row_count; j++) {
        m->list_start[j + 1] += m->list_start[j];
    }
}

static void list_block(struct host_matrix *m, uint32_t row, uint32_t column,
                       struct block_source source) {
    const uint32_t at = m->block_start[column]++;
    m->list_row[at] = (int32_t)row;
    m->list[at] = source;
}

static void list_blocks(const struct linear_problem *problem, struct host_matrix *m) {
    const struct bsr *a = problem->a;
    const uint32_t *node = a->layout->node;
    memcpy(m->block_start, m->list_start, a->row_count * sizeof *m->block_start);
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const uint32_t j = a->column[k];
            list_block(m, node[i], node[j], (struct block_source){k, BLOCK_SOURCE_NONE});
            if (i != j) {
                list_block(m, node[j], node[i],
                           (struct block_source){k | TRANSPOSED, BLOCK_SOURCE_NONE});
            }
        }
    }
    const struct contact_matrix *c = problem->c;
    for (uint32_t i = 0; i < contact_rows(problem); i++) {
        for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            list_block(m, node[c->row[i]], node[c->column[k]],
                       (struct block_source){BLOCK_SOURCE_NONE, k});
        }
    }
}

static bool is_stored(int32_t triangle, uint32_t row, uint32_t column) {
    return triangle == PBS_TRIANGLE_BOTH ||
           (triangle == PBS_TRIANGLE_UPPER ? row <= column : row >= column);
}

/// Appends the columns' lists to the rows. Row i begins at list_start[i], where it has enough
/// space, and ends at block_start[i].
static void sort_rows(uint32_t node_count, int32_t triangle, struct host_matrix *m) {
    memcpy(m->block_start, m->list_start, node_count * sizeof *m->block_start);
    for (uint32_t j = 0; j < node_count; j++) {
        for (uint32_t k = m->list_start[j]; k < m->list_start[j + 1]; k++) {
            const uint32_t i = (uint32_t)m->list_row[k];
            uint32_t *const end = &m->block_start[i];
            if (!is_stored(triangle, i, j)) {
                continue;
            }
            if (*end > m->list_start[i] && m->block_column[*end - 1] == (int32_t)j) {
                m->source[*end - 1].c = m->list[k].c;
                continue;
            }
            m->block_column[*end] = (int32_t)j;
            m->source[*end] = m->list[k];
            (*end)++;
        }
    }
}

static void close_gaps(uint32_t node_count, struct host_matrix *m) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        const uint32_t end = m->block_start[i];
        m->block_start[i] = filled;
        for (uint32_t k = m->list_start[i]; k < end; k++, filled++) {
            m->block_column[filled] = m->block_column[k];
            m->source[filled] = m->source[k];
        }
    }
    m->block_start[node_count] = filled;
}

// --- scalar entries ---

/// Row r of a block stores the columns from first_column to end_column - 1. Of a diagonal block
/// only the requested triangle is stored.
static int first_column(const struct host_matrix *m, bool diagonal, int r) {
    return diagonal && m->view.triangle == PBS_TRIANGLE_UPPER ? r : 0;
}

static int end_column(const struct host_matrix *m, bool diagonal, int r) {
    return diagonal && m->view.triangle == PBS_TRIANGLE_LOWER ? r + 1 : 3;
}

static size_t count_scalars(uint32_t node_count, const struct host_matrix *m) {
    const size_t whole = 9 * (size_t)m->block_start[node_count];
    return m->view.triangle == PBS_TRIANGLE_BOTH ? whole : whole - 3 * (size_t)node_count;
}

static void list_scalars(uint32_t node_count, struct host_matrix *m) {
    int32_t filled = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        for (int r = 0; r < 3; r++) {
            m->row_start[3 * (size_t)i + (size_t)r] = filled;
            for (uint32_t k = m->block_start[i]; k < m->block_start[i + 1]; k++) {
                const bool diagonal = m->block_column[k] == (int32_t)i;
                const int end = end_column(m, diagonal, r);
                for (int c = first_column(m, diagonal, r); c < end; c++, filled++) {
                    m->column[filled] = 3 * m->block_column[k] + c;
                }
            }
        }
    }
    m->row_start[3 * (size_t)node_count] = filled;
}

// --- the pattern ---

static pbs_status refuse_size(size_t count) {
    return status_fail(PBS_ERROR_ARGUMENT,
                       "the matrix of the host's linear solver has %zu entries, 32-bit indices "
                       "reach %d",
                       count, INT32_MAX);
}

static pbs_status build_scalars(struct memory *memory, uint32_t node_count, struct host_matrix *m) {
    const size_t count = count_scalars(node_count, m);
    if (count > INT32_MAX) {
        return refuse_size(count);
    }
    RETURN_IF_FAILED(memory_reserve(memory, &m->row_start, &m->row_start_capacity,
                                    3 * (size_t)node_count + 1, sizeof *m->row_start));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->column, &m->scalar_column_capacity, count, sizeof *m->column));
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->values, &m->value_capacity, count, sizeof *m->values));
    list_scalars(node_count, m);
    m->view.row_count = 3 * (int32_t)node_count;
    m->view.entry_count = (int32_t)count;
    m->view.row_start = m->row_start;
    m->view.column = m->column;
    return PBS_OK;
}

static pbs_status build_blocks(struct memory *memory, uint32_t node_count, struct host_matrix *m) {
    const size_t count = m->block_start[node_count];
    RETURN_IF_FAILED(
        memory_reserve(memory, &m->values, &m->value_capacity, 9 * count, sizeof *m->values));
    m->view.row_count = (int32_t)node_count;
    m->view.entry_count = (int32_t)count;
    // All values are below 2^31, so the signed type is safe.
    m->view.row_start = (const int32_t *)m->block_start;
    m->view.column = m->block_column;
    return PBS_OK;
}

static pbs_status build(struct memory *memory, const struct linear_problem *problem,
                        struct host_matrix *m) {
    const uint32_t node_count = problem->a->row_count;
    const size_t count = 2 * problem->a->block_count - node_count + contact_blocks(problem);
    if (count > INT32_MAX || 3 * (size_t)node_count > INT32_MAX) {
        return refuse_size(count);
    }
    RETURN_IF_FAILED(reserve_blocks(memory, node_count, count, m));
    count_blocks(problem, m);
    list_blocks(problem, m);
    sort_rows(node_count, m->view.triangle, m);
    close_gaps(node_count, m);
    m->view.node_count = (int32_t)node_count;
    RETURN_IF_FAILED(m->view.form == PBS_MATRIX_CSR ? build_scalars(memory, node_count, m)
                                                    : build_blocks(memory, node_count, m));
    return contact_matrix_copy_pattern(memory, problem->c, &m->contacts);
}

static void assign_nodes(const struct linear_problem *problem, struct host_matrix *m) {
    m->view.positions = problem->positions ? m->positions : NULL;
    for (size_t i = 0; problem->positions && i < problem->a->row_count; i++) {
        memcpy(m->positions + 3 * (size_t)problem->a->layout->node[i], problem->positions + 3 * i,
               3 * sizeof *m->positions);
    }
}

pbs_status host_matrix_build(struct memory *memory, const struct linear_problem *problem,
                             int32_t form, int32_t triangle, struct host_matrix *m, bool *changed) {
    *changed = !m->is_built || !contact_matrix_same_pattern(&m->contacts, problem->c);
    if (*changed) {
        m->is_built = false;
        m->view = (pbs_matrix){.struct_size = sizeof m->view, .form = form, .triangle = triangle};
        RETURN_IF_FAILED(build(memory, problem, m));
        m->is_built = true;
    }
    m->view.values = NULL;
    assign_nodes(problem, m);
    return PBS_OK;
}

void host_matrix_free(struct memory *memory, struct host_matrix *m) {
    contact_matrix_free(memory, &m->contacts);
    memory_release(memory, m->block_start);
    memory_release(memory, m->block_column);
    memory_release(memory, m->source);
    memory_release(memory, m->row_start);
    memory_release(memory, m->column);
    memory_release(memory, m->values);
    memory_release(memory, m->positions);
    memory_release(memory, m->list_start);
    memory_release(memory, m->list);
    memory_release(memory, m->list_row);
    *m = (struct host_matrix){0};
}

// --- the values ---

struct filling {
    struct host_matrix *m;
    const struct linear_problem *problem;
    size_t piece_count;
    int32_t bad_node[PIECE_LIMIT]; ///< per piece: a node whose row is not finite, or -1
};

static void gather_block(const struct linear_problem *problem, struct block_source source,
                         double block[9]) {
    memset(block, 0, 9 * sizeof *block);
    if (source.a != BLOCK_SOURCE_NONE) {
        const double *const from = problem->a->values + 9 * (size_t)(source.a & ~TRANSPOSED);
        const bool transposed = (source.a & TRANSPOSED) != 0;
        for (int e = 0; e < 9; e++) {
            block[e] = from[transposed ? 3 * (e % 3) + e / 3 : e];
        }
    }
    if (source.c != BLOCK_SOURCE_NONE) {
        const double *const from = problem->c->values + 9 * (size_t)source.c;
        for (int e = 0; e < 9; e++) {
            block[e] += from[e];
        }
    }
}

/// Returns false if an entry of the row is not finite.
static bool fill_row(struct host_matrix *m, const struct linear_problem *problem, uint32_t i) {
    const bool scalar = m->view.form == PBS_MATRIX_CSR;
    double *at[3] = {0};
    for (size_t r = 0; scalar && r < 3; r++) {
        at[r] = m->values + m->row_start[3 * (size_t)i + r];
    }
    double sum = 0.0;
    for (uint32_t k = m->block_start[i]; k < m->block_start[i + 1]; k++) {
        double block[9];
        gather_block(problem, m->source[k], block);
        // 0 * infinity and 0 * NaN are NaN.
        for (int e = 0; e < 9; e++) {
            sum += 0.0 * block[e];
        }
        if (!scalar) {
            memcpy(m->values + 9 * (size_t)k, block, sizeof block);
            continue;
        }
        const bool diagonal = m->block_column[k] == (int32_t)i;
        for (int r = 0; r < 3; r++) {
            const int end = end_column(m, diagonal, r);
            for (int c = first_column(m, diagonal, r); c < end; c++) {
                *at[r]++ = block[3 * r + c];
            }
        }
    }
    return sum == 0.0;
}

static void fill_piece(void *context, size_t piece) {
    struct filling *f = context;
    const size_t count = f->problem->a->row_count;
    f->bad_node[piece] = -1;
    const size_t end = count * (piece + 1) / f->piece_count;
    for (size_t i = count * piece / f->piece_count; i < end; i++) {
        if (!fill_row(f->m, f->problem, (uint32_t)i)) {
            f->bad_node[piece] = (int32_t)i;
        }
    }
}

pbs_status host_matrix_fill(struct host_matrix *m, struct tasks *tasks,
                            const struct linear_problem *problem) {
    const size_t pieces = (size_t)m->view.node_count / 256 + 1;
    struct filling f = {
        .m = m, .problem = problem, .piece_count = pieces < PIECE_LIMIT ? pieces : PIECE_LIMIT};
    tasks_for(tasks, f.piece_count, fill_piece, &f);
    for (size_t p = 0; p < f.piece_count; p++) {
        if (f.bad_node[p] >= 0) {
            return status_fail(PBS_ERROR_CONVERGENCE,
                               "node %d: its row of the matrix is not finite", f.bad_node[p]);
        }
    }
    m->view.values = m->values;
    return PBS_OK;
}
