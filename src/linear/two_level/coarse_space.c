// See coarse_space.h. For a position row at offset d from the cluster's centre, the cluster's
// columns of Z are the identity (translations) and w -> w x d (rotations). A block B of H0 maps
// them to B and to the rows d x b, for the rows b of B. For a row that is not a position they are 0
// and w -> M w, and B maps them to 0 and B M. All loops run over clusters, and clusters belong to
// domains, so the order of summation does not depend on the number of threads.
// SPDX-License-Identifier: MIT
#include "linear/two_level/coarse_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/lanes/lanes.h"
#include "sparse/matrices/block3.h"

// E is only semidefinite if the rigid motions of a cluster are linearly dependent: one row,
// collinear rows, constrained rows. The right-hand side has no component in those motions, so the
// value of the added diagonal does not matter.
#define REGULARIZATION 1e-10

// A cluster whose size is below this fraction of its distance from the origin counts as a single
// point.
#define ROUNDING 1e-12

// Layout of a row of a cluster's six columns: three translations, one unused, three rotations, one
// unused.
enum { WIDE = 8, ENTRY = 3 * WIDE, PAIR = 6 * WIDE };

/// Allocates what depends on the clusters, which s owns already.
static pbs_status allocate_clusters(struct coarse_space *s) {
    struct memory *memory = s->memory;
    RETURN_IF_FAILED(coarse_matrix_create(memory, &s->clusters, &s->matrix));
    s->scratch_size = ENTRY * (size_t)s->clusters.most_entries +
                      PAIR * (size_t)s->clusters.most_neighbors;
    s->product = memory_allocate(
        memory, 18 * (size_t)s->clusters.entry_start[s->clusters.count] + WIDE, sizeof *s->product);
    s->unit = memory_allocate(memory, s->clusters.count, sizeof *s->unit);
    s->scratch = memory_allocate(memory, s->layout->domain_count * s->scratch_size,
                                 sizeof *s->scratch);
    return s->product && s->unit && s->scratch
               ? memory_reserve(memory, &s->coarse, &s->coarse_capacity,
                                3 * (size_t)s->matrix.matrix.row_count, sizeof *s->coarse)
               : PBS_ERROR_MEMORY;
}

static void free_buffers(struct coarse_space *s) {
    if (s->clusters.of_row != s->whole.of_row) {
        rigid_clusters_free(s->memory, &s->clusters);
    }
    coarse_matrix_destroy(s->memory, &s->matrix);
    memory_release(s->memory, s->product);
    memory_release(s->memory, s->unit);
    memory_release(s->memory, s->coarse);
    memory_release(s->memory, s->scratch);
}

/// Allocates what depends on the rows.
static pbs_status allocate_rows(struct coarse_space *s) {
    const size_t rows = s->pattern->row_count;
    const bool has_others = s->layout->kind != NULL;
    s->offset = memory_allocate(s->memory, 3 * rows, sizeof *s->offset);
    if (has_others) {
        s->rotation_modes = memory_allocate(s->memory, 9 * rows, sizeof *s->rotation_modes);
    }
    s->restricted = memory_allocate(s->memory, rows, sizeof *s->restricted);
    s->contact = memory_allocate(s->memory, rows, sizeof *s->contact);
    s->marked = memory_allocate(s->memory, 2 * rows, sizeof *s->marked);
    return s->offset && (s->rotation_modes || !has_others) && s->restricted && s->contact &&
                   s->marked
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

pbs_status coarse_space_create(struct memory *memory, const struct bsr *pattern, uint32_t size,
                               struct coarse_space *out) {
    *out = (struct coarse_space){0};
    struct coarse_space s = {.memory = memory, .pattern = pattern, .layout = pattern->layout};
    pbs_status status = rigid_clusters_build(memory, pattern, size, &s.whole);
    if (status == PBS_OK) {
        s.clusters = s.whole;
        status = allocate_rows(&s);
    }
    if (status == PBS_OK) {
        status = allocate_clusters(&s);
    }
    if (status != PBS_OK) {
        coarse_space_destroy(memory, &s);
        return status;
    }
    *out = s;
    return PBS_OK;
}

/// Rebuilds the clusters for the blocks that couple now, if these have changed. On failure nothing
/// changes.
static pbs_status couple(struct coarse_space *s, const struct linear_problem *problem) {
    if (problem->coupling == s->coupling) {
        return PBS_OK;
    }
    struct coarse_space fresh = {.memory = s->memory,
                                 .pattern = s->pattern,
                                 .layout = s->layout,
                                 .whole = s->whole,
                                 .clusters = s->whole,
                                 .coupling = problem->coupling};
    pbs_status status = problem->coupled ? rigid_clusters_split(s->memory, s->pattern, &s->whole,
                                                                problem->coupled, &fresh.clusters)
                                         : PBS_OK;
    if (status == PBS_OK) {
        status = allocate_clusters(&fresh);
    }
    if (status != PBS_OK) {
        free_buffers(&fresh);
        return status;
    }
    free_buffers(s);
    fresh.offset = s->offset;
    fresh.rotation_modes = s->rotation_modes;
    fresh.restricted = s->restricted;
    fresh.contact = s->contact;
    fresh.marked = s->marked;
    fresh.marked_count = s->marked_count;
    *s = fresh;
    return PBS_OK;
}

void coarse_space_destroy(struct memory *memory, struct coarse_space *s) {
    s->memory = memory;
    free_buffers(s);
    rigid_clusters_free(memory, &s->whole);
    memory_release(memory, s->offset);
    memory_release(memory, s->rotation_modes);
    memory_release(memory, s->restricted);
    memory_release(memory, s->contact);
    memory_release(memory, s->marked);
    *s = (struct coarse_space){0};
}

// --- set-up ---

static void mark_rows(struct coarse_space *s, const struct linear_problem *problem) {
    for (size_t i = 0; i < s->marked_count; i++) {
        s->restricted[s->marked[i]] = 0;
        s->contact[s->marked[i]] = 0;
    }
    s->marked_count = 0;
    for (size_t i = 0; i < problem->restriction_count; i++) {
        s->restricted[problem->restrictions[i].row] = (uint32_t)i + 1;
        s->marked[s->marked_count++] = problem->restrictions[i].row;
    }
    for (uint32_t i = 0; problem->c && i < problem->c->row_count; i++) {
        s->contact[problem->c->row[i]] = i + 1;
        s->marked[s->marked_count++] = problem->c->row[i];
    }
}

static bool is_position(const struct coarse_space *s, uint32_t row) {
    return layout_is_position(s->layout, row);
}

/// Scales the problem's rotation modes by the cluster's radius or, if all its positions coincide,
/// by the modes' own size.
static void build_rotation_modes(const struct coarse_space *s, uint32_t k, double radius) {
    const struct rigid_clusters *c = &s->clusters;
    const double *modes = s->problem.rotation_modes;
    double square = 0.0;
    uint32_t count = 0;
    for (uint32_t m = c->member_start[k]; modes && m < c->member_start[k + 1]; m++) {
        const double *mode = modes + 9 * (size_t)c->member[m];
        count += !is_position(s, c->member[m]);
        for (int i = 0; i < 9 && !is_position(s, c->member[m]); i++) {
            square += mode[i] * mode[i];
        }
    }
    const double unit = radius > 0.0 ? radius : sqrt(square / fmax(1.0, count));
    for (uint32_t m = c->member_start[k]; m < c->member_start[k + 1]; m++) {
        const size_t at = 9 * (size_t)c->member[m];
        for (size_t i = 0; i < 9 && !is_position(s, c->member[m]); i++) {
            s->rotation_modes[at + i] = modes && unit > 0.0 ? modes[at + i] / unit : 0.0;
        }
    }
}

/// Sets the offsets from the cluster's centre in units of its radius of gyration; only positions
/// count. The offsets are zero, so that the cluster only translates, if positions are unknown,
/// coincide or are not finite.
static void measure_offsets(const struct coarse_space *s, uint32_t k) {
    const struct rigid_clusters *c = &s->clusters;
    const double *x = s->problem.positions;
    const uint32_t first = c->member_start[k];
    const uint32_t end = c->member_start[k + 1];
    uint32_t count = 0;
    double middle[3] = {0};
    double square = 0.0;
    double largest = 0.0;
    for (uint32_t m = first; m < end; m++) {
        count += is_position(s, c->member[m]);
    }
    for (uint32_t m = first; x && m < end; m++) {
        for (int i = 0; i < 3 && is_position(s, c->member[m]); i++) {
            const double xi = x[3 * (size_t)c->member[m] + (size_t)i];
            middle[i] += xi / count;
            largest = fmax(largest, fabs(xi));
        }
    }
    for (uint32_t m = first; m < end; m++) {
        double *d = s->offset + 3 * (size_t)c->member[m];
        for (int i = 0; i < 3; i++) {
            d[i] = x ? x[3 * (size_t)c->member[m] + (size_t)i] - middle[i] : 0.0;
            square += is_position(s, c->member[m]) ? d[i] * d[i] / count : 0.0;
        }
    }
    const double radius = sqrt(square);
    const bool is_wide = radius > ROUNDING * largest;
    for (uint32_t m = first; m < end; m++) {
        double *d = s->offset + 3 * (size_t)c->member[m];
        for (int i = 0; i < 3; i++) {
            d[i] = is_wide ? d[i] / radius : 0.0;
        }
    }
    if (s->rotation_modes) {
        build_rotation_modes(s, k, is_wide ? radius : 0.0);
    }
}

ALWAYS_INLINE quad next_axis(quad v) {
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

ALWAYS_INLINE quad cross(quad a, quad b) {
    return next_axis(a * next_axis(b) - next_axis(a) * b);
}

/// The rows of Z at one row: an offset for positions, a 3 x 3 rotation mode for others.
struct mode {
    bool moves;
    quad offset;
    quad mode[3];
};

ALWAYS_INLINE struct mode mode_of(const struct coarse_space *s, uint32_t row, bool moves) {
    struct mode z = {.moves = moves};
    if (moves) {
        z.offset = quad_load3(s->offset + 3 * (size_t)row);
        return z;
    }
    for (size_t i = 0; i < 3; i++) {
        z.mode[i] = quad_load3(s->rotation_modes + 9 * (size_t)row + 3 * i);
    }
    return z;
}

ALWAYS_INLINE void add_row(double *to, quad row, const struct mode *z) {
    if (z->moves) {
        quad_store(to, quad_load(to) + row);
        quad_store(to + 4, quad_load(to + 4) + cross(z->offset, row));
    } else {
        quad_store(to + 4, quad_load(to + 4) + quad_set(row[0]) * z->mode[0] +
                               quad_set(row[1]) * z->mode[1] + quad_set(row[2]) * z->mode[2]);
    }
}

/// to += B Z_j for B = block
ALWAYS_INLINE void add_block(double *to, const double *block, const struct mode *z) {
    for (int r = 0; r < 3; r++) {
        add_row(to + WIDE * r, (quad){block[3 * r], block[3 * r + 1], block[3 * r + 2], 0.0}, z);
    }
}

/// to += B Z_j for B = block^T
ALWAYS_INLINE void add_transposed(double *to, const double *block, const struct mode *z) {
    for (int r = 0; r < 3; r++) {
        add_row(to + WIDE * r, (quad){block[r], block[r + 3], block[r + 6], 0.0}, z);
    }
}

/// out = the diagonal block of H0 times the projection onto the row's free directions.
static void diagonal_of(const struct coarse_space *s, uint32_t row, double out[9]) {
    const double *block = s->problem.a->values + 9 * (size_t)s->problem.a->row_start[row];
    memcpy(out, block, 9 * sizeof *out);
    if (s->restricted[row]) {
        const double *q = s->problem.restrictions[s->restricted[row] - 1].tangent;
        for (int i = 0; i < 9; i++) {
            const double *b = block + i / 3 * 3;
            out[i] = b[0] * q[i % 3] + b[1] * q[3 + i % 3] + b[2] * q[6 + i % 3];
        }
    }
}

/// Adds the product of H0 with a row of Z to the entries of the row's cluster.
ALWAYS_INLINE void multiply_row(const struct coarse_space *s, uint32_t row, bool moves,
                                double *entries) {
    const struct rigid_clusters *c = &s->clusters;
    const struct bsr *a = s->problem.a;
    const struct mode z = mode_of(s, row, moves);
    const uint32_t *slot = c->slot + c->slot_start[row];
    double diagonal[9];
    diagonal_of(s, row, diagonal);
    add_block(entries + ENTRY * (size_t)*slot++, diagonal, &z);
    for (uint32_t b = a->row_start[row] + 1; b < a->row_start[row + 1]; b++) {
        add_transposed(entries + ENTRY * (size_t)*slot++, a->values + 9 * (size_t)b, &z);
    }
    for (uint32_t b = c->columns.start[row]; b < c->columns.start[row + 1]; b++) {
        add_block(entries + ENTRY * (size_t)*slot++, a->values + 9 * (size_t)c->columns.block[b],
                  &z);
    }
}

/// Computes H0 Z of cluster k: ENTRY doubles per entry.
PBS_MULTIVERSION
static void multiply_modes(const struct coarse_space *s, uint32_t k, double *entries) {
    const struct rigid_clusters *c = &s->clusters;
    memset(entries, 0,
           ENTRY * (size_t)(c->entry_start[k + 1] - c->entry_start[k]) * sizeof *entries);
    for (uint32_t m = c->member_start[k]; m < c->member_start[k + 1]; m++) {
        const uint32_t row = c->member[m];
        if (s->contact[row]) {
            continue;
        }
        if (is_position(s, row)) {
            multiply_row(s, row, true, entries);
        } else {
            multiply_row(s, row, false, entries);
        }
    }
}

/// to += Z_i^T X; X: the three rows of an entry; d: the offset of row i.
ALWAYS_INLINE void add_pair(double *to, const double *x, const double *d) {
    const lanes8 x0 = lanes_load(x);
    const lanes8 x1 = lanes_load(x + WIDE);
    const lanes8 x2 = lanes_load(x + 2 * WIDE);
    const lanes8 rows[6] = {
        x0, x1, x2, d[1] * x2 - d[2] * x1, d[2] * x0 - d[0] * x2, d[0] * x1 - d[1] * x0};
    for (int r = 0; r < 6; r++) {
        lanes_store(to + WIDE * r, lanes_load(to + WIDE * r) + rows[r]);
    }
}

/// The same for a row that is not a position.
ALWAYS_INLINE void add_rotation_pair(double *to, const double *x, const double *mode) {
    const lanes8 x0 = lanes_load(x);
    const lanes8 x1 = lanes_load(x + WIDE);
    const lanes8 x2 = lanes_load(x + 2 * WIDE);
    for (int r = 0; r < 3; r++) {
        double *row = to + WIDE * (3 + r);
        lanes_store(row, lanes_load(row) + mode[r] * x0 + mode[3 + r] * x1 + mode[6 + r] * x2);
    }
}

/// Returns the translation part (0) or rotation part (1) of a padded row or matrix.
static const double *part(const double *wide, uint32_t row, uint32_t column) {
    return wide + 3 * WIDE * row + 4 * column;
}

static void store_pair(const struct coarse_space *s, uint32_t k, uint32_t l, const double *sums) {
    const uint32_t row = s->matrix.cluster_position[k];
    const uint32_t column = s->matrix.cluster_position[l];
    for (uint32_t i = 0; i < 4; i++) {
        // The cluster's own 6 x 6 block is symmetric: its lower part is not stored.
        if (k != l || i != 2) {
            coarse_matrix_add(&s->matrix, row + i / 2, column + i % 2, part(sums, i / 2, i % 2),
                              WIDE);
        }
    }
}

static void sum_pairs(const struct coarse_space *s, uint32_t l, const double *entries,
                      double *pairs) {
    const struct rigid_clusters *c = &s->clusters;
    const uint32_t first = c->entry_start[l];
    memset(pairs, 0,
           PAIR * (size_t)(c->neighbor_start[l + 1] - c->neighbor_start[l]) * sizeof *pairs);
    for (uint32_t e = first; e < c->entry_start[l + 1]; e++) {
        const uint32_t row = c->entry_row[e];
        const double *x = entries + ENTRY * (size_t)(e - first);
        double *sum = pairs + PAIR * (size_t)c->entry_neighbor[e];
        if (!s->contact[row] && is_position(s, row)) {
            add_pair(sum, x, s->offset + 3 * (size_t)row);
            continue;
        }
        if (!s->contact[row]) {
            add_rotation_pair(sum, x, s->rotation_modes + 9 * (size_t)row);
            continue;
        }
        const uint32_t position = s->matrix.contact_position[s->contact[row] - 1];
        for (uint32_t p = 0; p < 2; p++) {
            coarse_matrix_add(&s->matrix, position, s->matrix.cluster_position[l] + p,
                              part(x, 0, p), WIDE);
        }
    }
    for (uint32_t n = c->neighbor_start[l]; n < c->neighbor_start[l + 1]; n++) {
        const uint32_t k = c->neighbor[n];
        if (s->matrix.cluster_position[k] <= s->matrix.cluster_position[l]) {
            store_pair(s, k, l, pairs + PAIR * (size_t)(n - c->neighbor_start[l]));
        }
    }
}

/// Stores the product in float, scaled by a power of two so that no matrix exceeds the range of
/// float.
static void store_product(const struct coarse_space *s, uint32_t k, const double *entries) {
    const uint32_t first = s->clusters.entry_start[k];
    const uint32_t count = s->clusters.entry_start[k + 1] - first;
    double column[WIDE] = {0.0};
    for (size_t i = 0; i < ENTRY * (size_t)count; i += WIDE) {
        for (size_t lane = 0; lane < WIDE; lane++) {
            const double size = fabs(entries[i + lane]);
            column[lane] = size > column[lane] ? size : column[lane];
        }
    }
    double largest = 0.0;
    for (size_t lane = 0; lane < WIDE; lane++) {
        largest = fmax(largest, column[lane]);
    }
    int exponent = 0;
    if (largest > 0.0 && largest <= DBL_MAX) {
        frexp(largest, &exponent);
    }
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    const double inverse = ldexp(1.0, -exponent);
    s->unit[k] = ldexp(1.0, exponent);
    for (uint32_t e = 0; e < count; e++) {
        const double *x = entries + ENTRY * (size_t)e;
        float *to = s->product + 18 * (size_t)(first + e);
        for (int i = 0; i < 18; i++) {
            to[i] = (float)(inverse * x[WIDE * (i / 6) + i % 6 + (i % 6 > 2)]);
        }
    }
}

/// Adds the blocks of H between two rows that contact touches, row <= column in H0.
static void add_contact_rows(const struct coarse_space *s, uint32_t domain) {
    const struct contact_matrix *c = s->problem.c;
    const struct bsr *a = s->problem.a;
    for (uint32_t i = c->domain_start[domain]; i < c->domain_start[domain + 1]; i++) {
        const uint32_t row = c->row[i];
        const uint32_t position = s->matrix.contact_position[i];
        for (uint32_t k = a->row_start[row]; k < a->row_start[row + 1]; k++) {
            const uint32_t index = s->contact[a->column[k]];
            if (index > 0) {
                coarse_matrix_add(&s->matrix, position, s->matrix.contact_position[index - 1],
                                  a->values + 9 * (size_t)k, 3);
            }
        }
        for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            if (c->column[k] >= row) {
                coarse_matrix_add(&s->matrix, position,
                                  s->matrix.contact_position[s->contact[c->column[k]] - 1],
                                  c->values + 9 * (size_t)k, 3);
            }
        }
    }
}

static void measure_piece(void *context, size_t domain) {
    const struct coarse_space *s = context;
    for (uint32_t k = s->clusters.domain_start[domain]; k < s->clusters.domain_start[domain + 1];
         k++) {
        measure_offsets(s, k);
    }
}

static void multiply_piece(void *context, size_t domain) {
    const struct coarse_space *s = context;
    double *entries = s->scratch + domain * s->scratch_size;
    double *pairs = entries + ENTRY * (size_t)s->clusters.most_entries;
    for (uint32_t k = s->clusters.domain_start[domain]; k < s->clusters.domain_start[domain + 1];
         k++) {
        multiply_modes(s, k, entries);
        sum_pairs(s, k, entries, pairs);
        store_product(s, k, entries);
    }
    if (s->problem.c && s->problem.c->row_count > 0) {
        add_contact_rows(s, (uint32_t)domain);
    }
}

/// Adds a small diagonal to the motions of clusters, so that E is definite even if no row takes
/// part in a motion. Contact rows do not need it; relative to their stiff diagonal the addition
/// would be too large.
static void regularize(const struct coarse_space *s) {
    const struct bsr *e = &s->matrix.matrix;
    for (uint32_t c = 0; c < s->clusters.count; c++) {
        for (uint32_t i = 0; i < 2; i++) {
            double *block = e->values + 9 * (size_t)e->row_start[s->matrix.cluster_position[c] + i];
            for (int k = 0; k < 9; k += 4) {
                block[k] = block[k] == 0.0 ? 1.0 : block[k] * (1.0 + REGULARIZATION);
            }
        }
    }
}

pbs_status coarse_space_factor(struct coarse_space *s, struct tasks *tasks,
                               const struct linear_problem *problem) {
    RETURN_IF_FAILED(couple(s, problem));
    s->problem = *problem;
    mark_rows(s, problem);
    tasks_for(tasks, s->layout->domain_count, measure_piece, s);
    RETURN_IF_FAILED(
        coarse_matrix_prepare(s->memory, &s->clusters, problem, s->contact, &s->matrix));
    RETURN_IF_FAILED(memory_reserve(s->memory, &s->coarse, &s->coarse_capacity,
                                    3 * (size_t)s->matrix.matrix.row_count, sizeof *s->coarse));
    tasks_for(tasks, s->layout->domain_count, multiply_piece, s);
    regularize(s);
    return supernodal_factor(s->matrix.factor, tasks, &s->matrix.matrix, 0.0);
}

// --- application ---

struct correction {
    const struct coarse_space *space;
    const double *r;
    double *z;
    bool start; ///< true: z is zero on entry
};

static void restrain(const struct coarse_space *s, uint32_t row, double u[3]) {
    const double *q = s->problem.restrictions[s->restricted[row] - 1].tangent;
    const double v[3] = {u[0], u[1], u[2]};
    for (int i = 0; i < 3; i++) {
        u[i] = q[3 * i] * v[0] + q[3 * i + 1] * v[1] + q[3 * i + 2] * v[2];
    }
}

/// Adds Z^T r of cluster k to out.
static void restrict_cluster(const struct coarse_space *s, uint32_t k, const double *r,
                             double out[6]) {
    for (uint32_t m = s->clusters.member_start[k]; m < s->clusters.member_start[k + 1]; m++) {
        const uint32_t row = s->clusters.member[m];
        if (s->contact[row]) {
            continue;
        }
        double v[3];
        memcpy(v, r + 3 * (size_t)row, sizeof v);
        if (s->restricted[row]) {
            restrain(s, row, v);
        }
        if (!is_position(s, row)) {
            const double *mode = s->rotation_modes + 9 * (size_t)row;
            for (int i = 0; i < 3; i++) {
                out[3 + i] += mode[i] * v[0] + mode[3 + i] * v[1] + mode[6 + i] * v[2];
            }
            continue;
        }
        const double *d = s->offset + 3 * (size_t)row;
        out[0] += v[0];
        out[1] += v[1];
        out[2] += v[2];
        out[3] += d[1] * v[2] - d[2] * v[1];
        out[4] += d[2] * v[0] - d[0] * v[2];
        out[5] += d[0] * v[1] - d[1] * v[0];
    }
}

typedef float floats8 __attribute__((vector_size(32)));

ALWAYS_INLINE lanes8 widen8(const float *p) {
    floats8 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, lanes8);
}

/// out -= (H0 Z)^T z of cluster k
PBS_MULTIVERSION
static void subtract_product(const struct coarse_space *s, uint32_t k, const double *z,
                             double out[6]) {
    lanes8 sum = lanes_set(0.0);
    for (uint32_t e = s->clusters.entry_start[k]; e < s->clusters.entry_start[k + 1]; e++) {
        const float *x = s->product + 18 * (size_t)e;
        const double *v = z + 3 * (size_t)s->clusters.entry_row[e];
        sum += v[0] * widen8(x) + v[1] * widen8(x + 6) + v[2] * widen8(x + 12);
    }
    for (int i = 0; i < 6; i++) {
        out[i] -= s->unit[k] * sum[i];
    }
}

/// out -= the row of H z
static void subtract_row(const struct coarse_space *s, uint32_t row, const double *z,
                         double out[3]) {
    const struct rigid_clusters *clusters = &s->clusters;
    const struct bsr *a = s->problem.a;
    const uint32_t *slot = clusters->slot + clusters->slot_start[row];
    const uint32_t *entry = clusters->entry_row + clusters->entry_start[clusters->of_row[row]];
    for (uint32_t k = a->row_start[row]; k < a->row_start[row + 1]; k++) {
        const double *b = a->values + 9 * (size_t)k;
        const double *v = z + 3 * (size_t)entry[*slot++];
        for (int i = 0; i < 3; i++) {
            out[i] -= b[3 * i] * v[0] + b[3 * i + 1] * v[1] + b[3 * i + 2] * v[2];
        }
    }
    for (uint32_t k = clusters->columns.start[row]; k < clusters->columns.start[row + 1]; k++) {
        const double *b = a->values + 9 * (size_t)clusters->columns.block[k];
        const double *v = z + 3 * (size_t)entry[*slot++];
        for (int i = 0; i < 3; i++) {
            out[i] -= b[i] * v[0] + b[i + 3] * v[1] + b[i + 6] * v[2];
        }
    }
    const struct contact_matrix *c = s->problem.c;
    const uint32_t index = s->contact[row] - 1;
    for (uint32_t k = c->start[index]; k < c->start[index + 1]; k++) {
        const double *b = c->values + 9 * (size_t)k;
        const double *v = z + 3 * (size_t)c->column[k];
        for (int i = 0; i < 3; i++) {
            out[i] -= b[3 * i] * v[0] + b[3 * i + 1] * v[1] + b[3 * i + 2] * v[2];
        }
    }
}

/// coarse = Z^T (r - H z)
static void restrict_piece(void *context, size_t domain) {
    const struct correction *a = context;
    const struct coarse_space *s = a->space;
    for (uint32_t k = s->clusters.domain_start[domain]; k < s->clusters.domain_start[domain + 1];
         k++) {
        double *out = s->coarse + 3 * (size_t)s->matrix.cluster_position[k];
        memset(out, 0, 6 * sizeof *out);
        restrict_cluster(s, k, a->r, out);
        if (!a->start) {
            subtract_product(s, k, a->z, out);
        }
    }
    const struct contact_matrix *c = s->problem.c;
    if (!c || c->row_count == 0) {
        return;
    }
    for (uint32_t i = c->domain_start[domain]; i < c->domain_start[domain + 1]; i++) {
        double *out = s->coarse + 3 * (size_t)s->matrix.contact_position[i];
        memcpy(out, a->r + 3 * (size_t)c->row[i], 3 * sizeof *out);
        if (!a->start) {
            subtract_row(s, c->row[i], a->z, out);
        }
    }
}

/// u = the displacement of a row by the motion y of its cluster.
static void move_row(const struct coarse_space *s, uint32_t row, const double y[6], double u[3]) {
    if (!is_position(s, row)) {
        const double *mode = s->rotation_modes + 9 * (size_t)row;
        for (int i = 0; i < 3; i++) {
            u[i] = mode[3 * i] * y[3] + mode[3 * i + 1] * y[4] + mode[3 * i + 2] * y[5];
        }
        return;
    }
    const double *d = s->offset + 3 * (size_t)row;
    u[0] = y[0] + y[4] * d[2] - y[5] * d[1];
    u[1] = y[1] + y[5] * d[0] - y[3] * d[2];
    u[2] = y[2] + y[3] * d[1] - y[4] * d[0];
}

/// z += Z coarse
static void prolong_piece(void *context, size_t domain) {
    const struct correction *a = context;
    const struct coarse_space *s = a->space;
    const uint32_t end = s->layout->domain_start[domain + 1];
    for (uint32_t row = s->layout->domain_start[domain]; row < end; row++) {
        double *z = a->z + 3 * (size_t)row;
        double u[3];
        if (s->contact[row]) {
            memcpy(u, s->coarse + 3 * (size_t)s->matrix.contact_position[s->contact[row] - 1],
                   sizeof u);
        } else {
            const double *y = s->coarse +
                              3 * (size_t)s->matrix.cluster_position[s->clusters.of_row[row]];
            move_row(s, row, y, u);
            if (s->restricted[row]) {
                restrain(s, row, u);
            }
        }
        for (int i = 0; i < 3; i++) {
            z[i] = a->start ? u[i] : z[i] + u[i];
        }
    }
}

static void correct(struct correction *a, struct tasks *tasks) {
    const struct coarse_space *s = a->space;
    tasks_for(tasks, s->layout->domain_count, restrict_piece, a);
    supernodal_solve(s->matrix.factor, tasks, s->coarse, s->coarse);
    tasks_for(tasks, s->layout->domain_count, prolong_piece, a);
}

void coarse_space_solve(const struct coarse_space *s, struct tasks *tasks, const double *b,
                        double *x) {
    struct correction a = {s, b, x, true};
    correct(&a, tasks);
}

void coarse_space_correct(const struct coarse_space *s, struct tasks *tasks, const double *r,
                          double *z) {
    struct correction a = {s, r, z, false};
    correct(&a, tasks);
}
