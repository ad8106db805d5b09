// See merged_factor.h. Rows of H0 and of C are sorted, so each row of the sum is a merge of two
// sorted lists. The merge records the source of each block. While the patterns stay the same, later
// factorisations reuse these records.
// SPDX-License-Identifier: MIT
#include "linear/exact/merged_factor.h"

#include <math.h>
#include <string.h>

#include "base/config.h"
#include "sparse/ordering/minimum_degree.h"
#include "sparse/matrices/nested_dissection.h"

// If contact multiplies the flops of H0's factor by more than this, another order is tried.
#define MOST_FILL 1.5

// A negative float pivot of smaller magnitude than this fraction of the diagonal entry may be
// positive in double. For definite matrices all such pivots that were observed were within 1 ulp of
// the diagonal; this is 100 ulp.
#define ROUNDING 1.2e-5

// With contact stiffer than this relative to the mesh, float leaves less than two digits of the
// mesh's stiffness.
#define FLOAT_CONTRAST 1e5

enum {
    ROWS_OF_PIECE = 256, ///< at least
    MOST_PIECES = 64
};

#define NO_BLOCK UINT32_MAX

/// Source block indices in H0 and C of one block of the sum; NO_BLOCK: none.
struct origin {
    uint32_t mesh, contact;
};

struct merged_factor {
    struct memory *memory;
    const struct bsr *pattern;
    enum supernodal_precision precision;
    struct supernodal *factor;
    struct bsr matrix;     ///< the sum; only row_count, row_start, column and values are used
    struct origin *origin; ///< per block of the sum
    struct contact_matrix contact; ///< pattern that the sum was made for
    uint32_t *mesh_order;          ///< from nested dissection of H0
    uint32_t *order;               ///< minimum degree order of the sum
    struct minimum_degree ordering;
    double *scale;  ///< per row, a power of two; scale and vector are used in float precision only
    double *vector; ///< scaled right-hand side and solution
    double mesh_flops;
    size_t mesh_entries;
    size_t column_capacity, origin_capacity, order_capacity, value_capacity, scale_capacity,
        vector_capacity;
    enum supernodal_precision made_in;
    bool is_prepared, is_new;
};

// --- the pattern ---

/// Merges a row of H0 with the blocks `at` to `end` of C, those of the row's upper triangle.
static void merge_row(struct merged_factor *f, const struct contact_matrix *c, uint32_t row,
                      uint32_t at, uint32_t end) {
    const struct bsr *a = f->pattern;
    uint32_t filled = f->matrix.row_start[row];
    uint32_t k = a->row_start[row];
    while (k < a->row_start[row + 1] || at < end) {
        const uint32_t mesh = k < a->row_start[row + 1] ? a->column[k] : NO_BLOCK;
        const uint32_t contact = at < end ? c->column[at] : NO_BLOCK;
        const uint32_t column = mesh < contact ? mesh : contact;
        f->matrix.column[filled] = column;
        f->origin[filled++] = (struct origin){mesh == column ? k++ : NO_BLOCK,
                                              contact == column ? at++ : NO_BLOCK};
    }
    f->matrix.row_start[row + 1] = filled;
}

static void merge_rows(struct merged_factor *f, const struct contact_matrix *c) {
    const uint32_t contacts = c ? c->row_count : 0;
    uint32_t i = 0;
    for (uint32_t row = 0; row < f->matrix.row_count; row++) {
        if (i == contacts || c->row[i] != row) {
            merge_row(f, c, row, 0, 0);
            continue;
        }
        uint32_t at = c->start[i];
        while (at < c->start[i + 1] && c->column[at] < row) {
            at++;
        }
        merge_row(f, c, row, at, c->start[i + 1]);
        i++;
    }
    f->matrix.block_count = f->matrix.row_start[f->matrix.row_count];
}

static pbs_status merge_patterns(struct merged_factor *f, const struct contact_matrix *c) {
    size_t most = f->pattern->block_count;
    if (c && c->row_count > 0) {
        // C stores both triangles and every diagonal block.
        most += ((size_t)c->start[c->row_count] + c->row_count) / 2;
    }
    if (most >= NO_BLOCK) {
        return status_fail(PBS_ERROR_ARGUMENT, "a matrix of %zu blocks with contact, at most %u",
                           most, NO_BLOCK - 1);
    }
    RETURN_IF_FAILED(memory_reserve(f->memory, &f->matrix.column, &f->column_capacity, most,
                                    sizeof *f->matrix.column));
    RETURN_IF_FAILED(
        memory_reserve(f->memory, &f->origin, &f->origin_capacity, most, sizeof *f->origin));
    merge_rows(f, c);
    return PBS_OK;
}

/// Plans the factor with H0's order. If that causes too much fill, tries minimum degree and takes
/// the better of the two.
static pbs_status plan(struct merged_factor *f) {
    RETURN_IF_FAILED(supernodal_plan(f->factor, &f->matrix, f->mesh_order));
    const double flops = supernodal_flops(f->factor);
    if (flops <= MOST_FILL * f->mesh_flops) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(memory_reserve(f->memory, &f->order, &f->order_capacity, f->matrix.row_count,
                                    sizeof *f->order));
    RETURN_IF_FAILED(minimum_degree_order(f->memory, f->matrix.row_count, f->matrix.row_start,
                                          f->matrix.column, NULL, &f->ordering, f->order));
    RETURN_IF_FAILED(supernodal_plan(f->factor, &f->matrix, f->order));
    return supernodal_flops(f->factor) <= flops
               ? PBS_OK
               : supernodal_plan(f->factor, &f->matrix, f->mesh_order);
}

pbs_status merged_factor_prepare(struct merged_factor *f, const struct linear_problem *problem) {
    f->is_new = !f->is_prepared || !contact_matrix_same_pattern(&f->contact, problem->c);
    if (!f->is_new) {
        return PBS_OK;
    }
    f->is_prepared = false;
    RETURN_IF_FAILED(merge_patterns(f, problem->c));
    RETURN_IF_FAILED(plan(f));
    RETURN_IF_FAILED(contact_matrix_copy_pattern(f->memory, problem->c, &f->contact));
    f->is_prepared = true;
    return PBS_OK;
}

// --- creation and destruction ---

static pbs_status prepare_mesh(struct merged_factor *f) {
    const uint32_t rows = f->pattern->row_count;
    f->matrix.row_count = rows;
    f->matrix.row_start = memory_allocate(f->memory, rows + (size_t)1, sizeof(uint32_t));
    f->mesh_order = memory_allocate(f->memory, rows, sizeof *f->mesh_order);
    if (!f->matrix.row_start || !f->mesh_order) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(supernodal_create(f->memory, f->precision, &f->factor));
    RETURN_IF_FAILED(nested_dissection_order_all(f->memory, f->pattern, f->mesh_order));
    f->mesh_flops = INFINITY;
    RETURN_IF_FAILED(merged_factor_prepare(f, &(struct linear_problem){.a = f->pattern}));
    f->mesh_flops = supernodal_flops(f->factor);
    f->mesh_entries = supernodal_factor_entries(f->factor);
    return PBS_OK;
}

pbs_status merged_factor_create(struct memory *memory, enum supernodal_precision precision,
                                const struct bsr *pattern, struct merged_factor **out) {
    struct merged_factor *f = memory_allocate(memory, 1, sizeof *f);
    if (!f) {
        return PBS_ERROR_MEMORY;
    }
    f->memory = memory;
    f->precision = precision;
    f->pattern = pattern;
    const pbs_status status = prepare_mesh(f);
    if (status != PBS_OK) {
        merged_factor_destroy(f);
        return status;
    }
    *out = f;
    return PBS_OK;
}

void merged_factor_destroy(struct merged_factor *f) {
    if (!f) {
        return;
    }
    supernodal_destroy(f->factor);
    contact_matrix_free(f->memory, &f->contact);
    minimum_degree_free(f->memory, &f->ordering);
    memory_release(f->memory, f->matrix.row_start);
    memory_release(f->memory, f->matrix.column);
    memory_release(f->memory, f->matrix.values);
    memory_release(f->memory, f->origin);
    memory_release(f->memory, f->mesh_order);
    memory_release(f->memory, f->order);
    memory_release(f->memory, f->scale);
    memory_release(f->memory, f->vector);
    memory_release(f->memory, f);
}

// --- the numbers ---

struct merging {
    struct merged_factor *f;
    const struct linear_problem *problem;
    size_t piece_count;
};

/// sum = block k of H0 + C. At least one of the two sources exists.
ALWAYS_INLINE void sum_block(const struct merging *m, size_t k, double sum[9]) {
    const struct origin from = m->f->origin[k];
    if (from.mesh == NO_BLOCK) {
        memcpy(sum, m->problem->c->values + 9 * (size_t)from.contact, 9 * sizeof *sum);
        return;
    }
    memcpy(sum, m->problem->a->values + 9 * (size_t)from.mesh, 9 * sizeof *sum);
    if (from.contact != NO_BLOCK) {
        const double *contact = m->problem->c->values + 9 * (size_t)from.contact;
        for (int e = 0; e < 9; e++) {
            sum[e] += contact[e];
        }
    }
}

/// Returns the scale of a row. After scaling from both sides the largest diagonal entry of each row
/// is between 1/4 and 2, and no off-diagonal entry of a definite matrix is larger than that. Powers
/// of two do not round.
static double scale_of(const double diagonal[9]) {
    const double largest = fmax(diagonal[0], fmax(diagonal[4], diagonal[8]));
    int exponent = 0;
    if (largest > 0.0 && isfinite(largest)) {
        frexp(largest, &exponent);
    }
    return ldexp(1.0, -(exponent / 2));
}

static size_t first_row(const struct merging *m, size_t piece) {
    return m->f->matrix.row_count * piece / m->piece_count;
}

static void scale_piece(void *context, size_t piece) {
    const struct merging *m = context;
    for (size_t row = first_row(m, piece); row < first_row(m, piece + 1); row++) {
        double block[9];
        sum_block(m, m->f->matrix.row_start[row], block);
        m->f->scale[row] = scale_of(block);
    }
}

static void merge_piece(void *context, size_t piece) {
    const struct merging *m = context;
    const struct bsr *sum = &m->f->matrix;
    for (size_t row = first_row(m, piece); row < first_row(m, piece + 1); row++) {
        for (size_t k = sum->row_start[row]; k < sum->row_start[row + 1]; k++) {
            sum_block(m, k, sum->values + 9 * k);
        }
    }
}

static void merge_scaled_piece(void *context, size_t piece) {
    const struct merging *m = context;
    const struct bsr *sum = &m->f->matrix;
    const double *scale = m->f->scale;
    for (size_t row = first_row(m, piece); row < first_row(m, piece + 1); row++) {
        for (size_t k = sum->row_start[row]; k < sum->row_start[row + 1]; k++) {
            double block[9];
            sum_block(m, k, block);
            for (size_t e = 0; e < 9; e++) {
                sum->values[9 * k + e] = block[e] * scale[row] * scale[sum->column[k]];
            }
        }
    }
}

static bool is_scaled(const struct merged_factor *f) {
    return f->precision == SUPERNODAL_FLOAT;
}

static pbs_status reserve_numbers(struct merged_factor *f) {
    const size_t rows = f->matrix.row_count;
    RETURN_IF_FAILED(memory_reserve(f->memory, &f->matrix.values, &f->value_capacity,
                                    9 * f->matrix.block_count + BSR_VALUE_PADDING,
                                    sizeof *f->matrix.values));
    if (is_scaled(f)) {
        RETURN_IF_FAILED(
            memory_reserve(f->memory, &f->scale, &f->scale_capacity, rows, sizeof *f->scale));
        RETURN_IF_FAILED(memory_reserve(f->memory, &f->vector, &f->vector_capacity, 3 * rows,
                                        sizeof *f->vector));
    }
    return PBS_OK;
}

pbs_status merged_factor_reserve(struct merged_factor *f) {
    RETURN_IF_FAILED(reserve_numbers(f));
    return supernodal_reserve(f->factor);
}

static void merge_values(struct merged_factor *f, struct tasks *tasks,
                         const struct linear_problem *problem) {
    const size_t pieces = f->matrix.row_count / ROWS_OF_PIECE + 1;
    struct merging m = {f, problem, pieces < MOST_PIECES ? pieces : MOST_PIECES};
    if (is_scaled(f)) {
        tasks_for(tasks, m.piece_count, scale_piece, &m);
    }
    tasks_for(tasks, m.piece_count, is_scaled(f) ? merge_scaled_piece : merge_piece, &m);
}

static pbs_status factor_in(struct merged_factor *f, struct tasks *tasks,
                            enum supernodal_precision precision) {
    f->made_in = precision;
    supernodal_set_precision(f->factor, precision);
    RETURN_IF_FAILED(supernodal_reserve(f->factor));
    return supernodal_factor(f->factor, tasks, &f->matrix, 0.0);
}

/// With contact 1e6 times stiffer than the mesh, the mesh's entries are below the rounding error of
/// float, and so the pivots are dominated by rounding. In that case, or after a slightly negative
/// pivot, the factor is made in double. A pivot that is negative in double means that the matrix is
/// indefinite.
pbs_status merged_factor_make(struct merged_factor *f, struct tasks *tasks,
                              const struct linear_problem *problem) {
    RETURN_IF_FAILED(merged_factor_prepare(f, problem));
    RETURN_IF_FAILED(reserve_numbers(f));
    merge_values(f, tasks, problem);
    const bool float_does = f->precision == SUPERNODAL_FLOAT &&
                            problem_contrast(problem) < FLOAT_CONTRAST;
    const pbs_status status = factor_in(f, tasks,
                                        float_does ? SUPERNODAL_FLOAT : SUPERNODAL_DOUBLE);
    if (status == PBS_ERROR_CONVERGENCE && float_does &&
        supernodal_bad_pivot(f->factor) > -ROUNDING) {
        return factor_in(f, tasks, SUPERNODAL_DOUBLE);
    }
    return status;
}

/// vector = 2^-e S b with its largest entry near 1. Returns 2^e.
static double scale_right_hand_side(struct merged_factor *f, const double *b) {
    double largest = 0.0;
    for (size_t i = 0; i < f->matrix.row_count; i++) {
        for (size_t e = 3 * i; e < 3 * i + 3; e++) {
            f->vector[e] = f->scale[i] * b[e];
            const double size = fabs(f->vector[e]);
            largest = size > largest ? size : largest;
        }
    }
    int exponent = 0;
    if (largest > 0.0 && isfinite(largest)) {
        frexp(largest, &exponent);
    }
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    const double unit = ldexp(1.0, -exponent);
    for (size_t e = 0; e < 3 * (size_t)f->matrix.row_count; e++) {
        f->vector[e] *= unit;
    }
    return ldexp(1.0, exponent);
}

void merged_factor_solve(struct merged_factor *f, struct tasks *tasks, const double *b, double *x) {
    if (!is_scaled(f)) {
        supernodal_solve(f->factor, tasks, b, x);
        return;
    }
    const double unit = scale_right_hand_side(f, b);
    supernodal_solve(f->factor, tasks, f->vector, f->vector);
    for (size_t i = 0; i < f->matrix.row_count; i++) {
        for (size_t e = 3 * i; e < 3 * i + 3; e++) {
            x[e] = unit * f->scale[i] * f->vector[e];
        }
    }
}

// --- size of the factor ---

double merged_factor_flops(const struct merged_factor *f) {
    return supernodal_flops(f->factor);
}

size_t merged_factor_entries(const struct merged_factor *f) {
    return supernodal_factor_entries(f->factor);
}

size_t merged_factor_blocks(const struct merged_factor *f) {
    return f->matrix.block_count;
}

enum supernodal_precision merged_factor_precision(const struct merged_factor *f) {
    return f->made_in;
}

bool merged_factor_is_new(const struct merged_factor *f) {
    return f->is_new;
}

double merged_factor_mesh_flops(const struct merged_factor *f) {
    return f->mesh_flops;
}

size_t merged_factor_mesh_entries(const struct merged_factor *f) {
    return f->mesh_entries;
}

size_t merged_factor_bytes(const struct merged_factor *f) {
    return sizeof *f + supernodal_bytes(f->factor) +
           (f->column_capacity + f->order_capacity + f->contact.row_capacity +
            f->contact.start_capacity + f->contact.block_capacity + f->ordering.word_capacity +
            f->ordering.pool_capacity + 2 * (size_t)f->matrix.row_count + 1) *
               sizeof(uint32_t) +
           f->ordering.wide_capacity * sizeof(uint64_t) + f->origin_capacity * sizeof *f->origin +
           (f->value_capacity + f->scale_capacity + f->vector_capacity) * sizeof(double);
}
