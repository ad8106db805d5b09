// Evaluates elements of one shape, eight at a time. With G = E - E_p, S = (2 mu G + lambda tr G) /
// b, and g_a = F b_a for a shape gradient b_a:
//     value        S:G / 2
//     gradient     F S b_a
//     Hessian      (b_a.S b_c) 1 + (mu (b_a.b_c) F F^T + mu g_c g_a^T + lambda g_a g_c^T) / b
// The second part of the Hessian is positive semidefinite. The first is made so by projecting S.
// SPDX-License-Identifier: MIT
#include "energy/damping/strain_damping.h"

#include "base/matrix3/eigen3.h"
#include "energy/element.h"
#include "energy/scatter.h"
#include "energy/damping/strain_history.h"

/// Dimensions of a shape.
struct shape {
    uint32_t width;     ///< nodes
    uint32_t gradients; ///< number of nodes with a stored gradient
    uint32_t columns;   ///< of F
    uint32_t strains;   ///< entries of E: 00 01 02 11 12 22, or 00 01 11
};

static const struct shape shapes[] = {[STRAIN_TETRAHEDRON] = {4, 3, 3, 6},
                                      [STRAIN_TRIANGLE] = {3, 2, 2, 3},
                                      [STRAIN_HANDLES] = {3, 3, 3, 6}};

struct strain_damping {
    enum strain_shape shape;
    size_t count;
    uint32_t *nodes;
    double *gradients, *mu, *lambda;
    struct strain_history history;
    double *lanes; ///< [group][gradients, mu, lambda][8]
    size_t lanes_capacity;
};

// --- creation ---

static void destroy(void *self, struct memory *memory) {
    struct strain_damping *damping = self;
    if (damping == NULL) {
        return;
    }
    memory_release(memory, damping->nodes);
    memory_release(memory, damping->gradients);
    memory_release(memory, damping->mu);
    memory_release(memory, damping->lambda);
    memory_release(memory, damping->lanes);
    strain_history_release(memory, &damping->history);
    memory_release(memory, damping);
}

pbs_status strain_damping_create(struct memory *memory, const struct strain_damping_input *input,
                                 struct strain_damping **out) {
    const struct shape *shape = &shapes[input->shape];
    const size_t count = input->count;
    struct strain_damping *damping = memory_allocate(memory, 1, sizeof *damping);
    if (damping == NULL) {
        return PBS_ERROR_MEMORY;
    }
    damping->shape = input->shape;
    damping->count = count;
    damping->nodes = memory_copy(memory, input->nodes, count, shape->width * sizeof(uint32_t));
    damping->gradients = memory_copy(memory, input->gradients, count,
                                     shape->gradients * shape->columns * sizeof(double));
    damping->mu = memory_copy(memory, input->mu, count, sizeof(double));
    damping->lambda = memory_copy(memory, input->lambda, count, sizeof(double));
    if (damping->nodes == NULL || damping->gradients == NULL || damping->mu == NULL ||
        damping->lambda == NULL) {
        destroy(damping, memory);
        return PBS_ERROR_MEMORY;
    }
    *out = damping;
    return PBS_OK;
}

/// Returns component j of the shape gradient of node `node`, in the element's own order.
static double shape_gradient(const struct shape *shape, const double *own, uint32_t node,
                             uint32_t j) {
    const uint32_t without = shape->width - shape->gradients;
    double sum = 0.0;
    if (node >= without) {
        return own[(node - without) * shape->columns + j];
    }
    for (uint32_t a = 0; a < shape->gradients; a++) {
        sum -= own[a * shape->columns + j];
    }
    return sum;
}

static void arrange_lane(const struct strain_damping *damping, const struct stencil_groups *groups,
                         size_t group, size_t lane) {
    const struct shape *shape = &shapes[damping->shape];
    const uint32_t without = shape->width - shape->gradients;
    const uint32_t per_element = shape->gradients * shape->columns;
    const uint32_t element = groups->stencil[group * LANES + lane];
    double *to = damping->lanes + group * (per_element + 2) * LANES + lane;
    for (uint32_t k = 0; k < per_element + 2; k++) {
        to[k * LANES] = 0.0;
    }
    if (element == UINT32_MAX) {
        return;
    }
    for (uint32_t k = 0; k < per_element; k++) {
        const size_t node = without + k / shape->columns;
        const uint8_t own = groups->local[(group * shape->width + node) * LANES + lane];
        to[k * LANES] = shape_gradient(shape, damping->gradients + (size_t)per_element * element,
                                       own, k % shape->columns);
    }
    to[per_element * LANES] = damping->mu[element];
    to[(per_element + 1) * LANES] = damping->lambda[element];
}

void strain_damping_set_moduli(struct strain_damping *damping, const struct stencil_groups *groups,
                               size_t element, double mu, double lambda) {
    const struct shape *shape = &shapes[damping->shape];
    const size_t per_element = (size_t)shape->gradients * shape->columns;
    const size_t lane = groups->lane[element];
    double *to = damping->lanes + lane / LANES * (per_element + 2) * LANES + lane % LANES;
    damping->mu[element] = mu;
    damping->lambda[element] = lambda;
    to[per_element * LANES] = mu;
    to[(per_element + 1) * LANES] = lambda;
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    struct strain_damping *damping = self;
    const struct shape *shape = &shapes[damping->shape];
    const size_t lane_count = groups->group_count * LANES;
    const size_t per_lane = shape->gradients * shape->columns + 2;
    RETURN_IF_FAILED(memory_reserve(memory, &damping->lanes, &damping->lanes_capacity,
                                    per_lane * lane_count, sizeof(double)));
    for (size_t i = 0; i < lane_count; i++) {
        arrange_lane(damping, groups, i / LANES, i % LANES);
    }
    return strain_history_reserve(memory, &damping->history, shape->strains * lane_count);
}

// --- eight elements; `shape` is a compile-time constant in these inline functions, so all loops
// unroll ---

enum { WIDTH_LIMIT = 4, COLUMN_LIMIT = 3, STRAIN_LIMIT = 6 };

/// Shape gradients b_a of all nodes, and the moduli. The derivative of a nodal field x is sum x_a
/// (x) b_a.
struct gradient_lanes {
    lanes8 b[WIDTH_LIMIT][COLUMN_LIMIT];
    lanes8 mu, lambda;
};

ALWAYS_INLINE void load_gradients(struct shape shape, const double *lanes, size_t group,
                                  struct gradient_lanes *e) {
    const uint32_t without = shape.width - shape.gradients;
    const double *from = lanes + group * (shape.gradients * shape.columns + 2) * LANES;
    for (uint32_t j = 0; j < shape.columns; j++) {
        lanes8 sum = lanes_set(0.0);
        for (uint32_t a = without; a < shape.width; a++) {
            e->b[a][j] = lanes_load(from + ((a - without) * shape.columns + j) * LANES);
            sum += e->b[a][j];
        }
        if (without == 1) {
            e->b[0][j] = -sum;
        }
    }
    e->mu = lanes_load(from + shape.gradients * shape.columns * LANES);
    e->lambda = lanes_load(from + (shape.gradients * shape.columns + 1) * LANES);
}

/// Computes the derivative f of a nodal field x. Differences to node 0 are used if a translation
/// does not change f.
ALWAYS_INLINE void load_map(struct shape shape, const struct gradient_lanes *e,
                            const uint32_t *node, const double *x, lanes8 f[3][COLUMN_LIMIT]) {
    const uint32_t without = shape.width - shape.gradients;
    lanes8 origin[3] = {lanes_set(0.0), lanes_set(0.0), lanes_set(0.0)};
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < shape.columns; j++) {
            f[i][j] = lanes_set(0.0);
        }
    }
    if (without == 1) {
        load_nodes(x, node, origin);
    }
    for (uint32_t a = without; a < shape.width; a++) {
        lanes8 at[3];
        load_nodes(x, node + a * LANES, at);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t j = 0; j < shape.columns; j++) {
                f[i][j] += (at[i] - origin[i]) * e->b[a][j];
            }
        }
    }
}

/// Returns the index of entry (i, j) of a symmetric matrix stored as the rows of its upper
/// triangle.
ALWAYS_INLINE uint32_t entry(uint32_t columns, uint32_t i, uint32_t j) {
    const uint32_t low = i < j ? i : j;
    const uint32_t high = i < j ? j : i;
    return low * columns - low * (low + 1) / 2 + high;
}

/// Computes the symmetric part of P^T Q.
ALWAYS_INLINE void symmetric_product(struct shape shape, lanes8 p[3][COLUMN_LIMIT],
                                     lanes8 q[3][COLUMN_LIMIT], lanes8 out[STRAIN_LIMIT]) {
    for (uint32_t i = 0; i < shape.columns; i++) {
        for (uint32_t j = i; j < shape.columns; j++) {
            lanes8 sum = lanes_set(0.0);
            for (uint32_t k = 0; k < 3; k++) {
                sum += p[k][i] * q[k][j] + p[k][j] * q[k][i];
            }
            out[entry(shape.columns, i, j)] = 0.5 * sum;
        }
    }
}

/// E = (F^T F - 1) / 2.
ALWAYS_INLINE void green_strain(struct shape shape, lanes8 f[3][COLUMN_LIMIT],
                                lanes8 out[STRAIN_LIMIT]) {
    symmetric_product(shape, f, f, out);
    for (uint32_t k = 0; k < shape.strains; k++) {
        out[k] *= 0.5;
    }
    for (uint32_t i = 0; i < shape.columns; i++) {
        out[entry(shape.columns, i, i)] -= 0.5;
    }
}

/// Adds a known state's contribution to the strains. E is quadratic in F, so its first and second
/// derivative along v are sym(F^T V) and V^T V.
ALWAYS_INLINE void measure_group(struct shape shape, const double *lanes,
                                 const struct stencil_groups *groups, size_t g,
                                 const struct strain_part *part, double *strains) {
    const uint32_t *node = groups->node + g * shape.width * LANES;
    double *to = strains + g * shape.strains * LANES;
    struct gradient_lanes e;
    lanes8 f[3][COLUMN_LIMIT];
    lanes8 motion[3][COLUMN_LIMIT];
    lanes8 sum[STRAIN_LIMIT];
    lanes8 strain[STRAIN_LIMIT];
    load_gradients(shape, lanes, g, &e);
    load_map(shape, &e, node, part->x, f);
    green_strain(shape, f, strain);
    for (uint32_t k = 0; k < shape.strains; k++) {
        sum[k] = lanes_load(to + k * LANES) + part->strain * strain[k];
    }
    if (part->v != NULL) {
        lanes8 curvature[STRAIN_LIMIT];
        load_map(shape, &e, node, part->v, motion);
        symmetric_product(shape, f, motion, strain);
        symmetric_product(shape, motion, motion, curvature);
        for (uint32_t k = 0; k < shape.strains; k++) {
            sum[k] += part->rate * strain[k] + part->curvature * curvature[k];
        }
    }
    if (part->a != NULL) {
        load_map(shape, &e, node, part->a, motion);
        symmetric_product(shape, f, motion, strain);
        for (uint32_t k = 0; k < shape.strains; k++) {
            sum[k] += part->acceleration * strain[k];
        }
    }
    for (uint32_t k = 0; k < shape.strains; k++) {
        lanes_store(to + k * LANES, sum[k]);
    }
}

/// Quantities that value, gradient and Hessian share.
struct damped_lanes {
    struct gradient_lanes e; ///< its moduli are divided by b
    lanes8 f[3][COLUMN_LIMIT];
    lanes8 stress[STRAIN_LIMIT]; ///< S
    lanes8 value;
};

ALWAYS_INLINE void load_damped(struct shape shape, const double *lanes, const double *origin,
                               const struct stencil_groups *groups, size_t g,
                               const struct evaluation *evaluation, struct damped_lanes *d) {
    const double inverse_time = 1.0 / evaluation->stage.length;
    lanes8 strain[STRAIN_LIMIT];
    lanes8 trace = lanes_set(0.0);
    load_gradients(shape, lanes, g, &d->e);
    d->e.mu *= inverse_time;
    d->e.lambda *= inverse_time;
    load_map(shape, &d->e, groups->node + g * shape.width * LANES, evaluation->x, d->f);
    green_strain(shape, d->f, strain);
    for (uint32_t k = 0; k < shape.strains; k++) {
        strain[k] -= lanes_load(origin + (g * shape.strains + k) * LANES);
    }
    for (uint32_t i = 0; i < shape.columns; i++) {
        trace += strain[entry(shape.columns, i, i)];
    }
    d->value = lanes_set(0.0);
    for (uint32_t i = 0; i < shape.columns; i++) {
        for (uint32_t j = i; j < shape.columns; j++) {
            const uint32_t k = entry(shape.columns, i, j);
            d->stress[k] = 2.0 * d->e.mu * strain[k];
            d->stress[k] += i == j ? d->e.lambda * trace : lanes_set(0.0);
            d->value += (i == j ? 0.5 : 1.0) * d->stress[k] * strain[k];
        }
    }
}

ALWAYS_INLINE void add_forces(struct shape shape, const struct damped_lanes *d,
                              const uint32_t *slot, double *gradient) {
    lanes8 p[3][COLUMN_LIMIT];
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < shape.columns; j++) {
            p[i][j] = lanes_set(0.0);
            for (uint32_t k = 0; k < shape.columns; k++) {
                p[i][j] += d->f[i][k] * d->stress[entry(shape.columns, k, j)];
            }
        }
    }
    for (uint32_t a = 0; a < shape.width; a++) {
        lanes8 force[3];
        for (uint32_t i = 0; i < 3; i++) {
            force[i] = lanes_set(0.0);
            for (uint32_t j = 0; j < shape.columns; j++) {
                force[i] += p[i][j] * d->e.b[a][j];
            }
        }
        scatter_vector(force, slot + a * LANES, gradient);
    }
}

/// Projects s onto the positive semidefinite matrices.
ALWAYS_INLINE void project_stress(struct shape shape, lanes8 s[STRAIN_LIMIT]) {
    if (shape.columns == 3) {
        eigen3_project_lanes(s);
        return;
    }
    // Embed the 2x2 matrix in a 3x3 one with zeros.
    const lanes8 zero = lanes_set(0.0);
    lanes8 wide[6] = {s[0], s[1], zero, s[2], zero, zero};
    eigen3_project_lanes(wide);
    s[0] = wide[0];
    s[1] = wide[1];
    s[2] = wide[3];
}

struct side_lanes {
    lanes8 g[3];            ///< F b
    lanes8 s[COLUMN_LIMIT]; ///< S b
};

ALWAYS_INLINE void load_side(struct shape shape, const struct damped_lanes *d, uint32_t a,
                             struct side_lanes *side) {
    for (uint32_t i = 0; i < 3; i++) {
        side->g[i] = lanes_set(0.0);
        for (uint32_t j = 0; j < shape.columns; j++) {
            side->g[i] += d->f[i][j] * d->e.b[a][j];
        }
    }
    for (uint32_t i = 0; i < shape.columns; i++) {
        side->s[i] = lanes_set(0.0);
        for (uint32_t j = 0; j < shape.columns; j++) {
            side->s[i] += d->stress[entry(shape.columns, i, j)] * d->e.b[a][j];
        }
    }
}

ALWAYS_INLINE void add_blocks(struct shape shape, const struct damped_lanes *d,
                              const uint32_t *slot, double *blocks) {
    struct side_lanes side[WIDTH_LIMIT];
    lanes8 square[9]; // mu F F^T
    uint32_t pair = 0;
    for (uint32_t ij = 0; ij < 9; ij++) {
        square[ij] = lanes_set(0.0);
        for (uint32_t k = 0; k < shape.columns; k++) {
            square[ij] += d->e.mu * d->f[ij / 3][k] * d->f[ij % 3][k];
        }
    }
    for (uint32_t a = 0; a < shape.width; a++) {
        load_side(shape, d, a, &side[a]);
    }
    for (uint32_t a = 0; a < shape.width; a++) {
        for (uint32_t c = a; c < shape.width; c++, pair++) {
            lanes8 k[9];
            lanes8 identity = lanes_set(0.0);
            lanes8 product = lanes_set(0.0);
            for (uint32_t j = 0; j < shape.columns; j++) {
                identity += d->e.b[a][j] * side[c].s[j];
                product += d->e.b[a][j] * d->e.b[c][j];
            }
            for (uint32_t ij = 0; ij < 9; ij++) {
                k[ij] = product * square[ij] + d->e.mu * side[c].g[ij / 3] * side[a].g[ij % 3] +
                        d->e.lambda * side[a].g[ij / 3] * side[c].g[ij % 3];
            }
            k[0] += identity;
            k[4] += identity;
            k[8] += identity;
            scatter_block(k, slot + pair * LANES, blocks);
        }
    }
}

ALWAYS_INLINE void evaluate_group(struct shape shape, const double *lanes, const double *origin,
                                  const struct stencil_groups *groups, size_t g,
                                  const struct evaluation *evaluation, struct evaluation_sums *sums,
                                  lanes8 *sum) {
    const uint32_t pairs = shape.width * (shape.width + 1) / 2;
    struct damped_lanes d;
    load_damped(shape, lanes, origin, groups, g, evaluation, &d);
    *sum += d.value;
    if ((evaluation->what & EVALUATE_VALUE) && sums->node_values != NULL) {
        scatter_values(d.value, groups->node + g * shape.width * LANES, sums->node_values);
    }
    if (evaluation->what & EVALUATE_GRADIENT) {
        add_forces(shape, &d, groups->vector_slot + g * shape.width * LANES, sums->gradient);
    }
    if (evaluation->what & EVALUATE_HESSIAN) {
        if (evaluation->project || (evaluation->project_shells && shape.columns == 2)) {
            project_stress(shape, d.stress);
        }
        add_blocks(shape, &d, groups->block_slot + g * pairs * LANES, sums->blocks);
    }
}

// --- the kernels of each shape ---

#define KERNELS(name, ...)                                                                         \
    static PBS_MULTIVERSION void measure_##name(                                                   \
        const struct strain_damping *damping, const struct stencil_groups *groups, size_t begin,   \
        size_t end, const struct strain_part *part, double *strains) {                             \
        const struct shape shape = {__VA_ARGS__};                                                  \
        for (size_t g = begin; g < end; g++) {                                                     \
            measure_group(shape, damping->lanes, groups, g, part, strains);                        \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static PBS_MULTIVERSION void evaluate_##name(                                                  \
        const struct strain_damping *damping, const struct stencil_groups *groups, size_t begin,   \
        size_t end, const struct evaluation *evaluation, struct evaluation_sums *sums) {           \
        const struct shape shape = {__VA_ARGS__};                                                  \
        lanes8 sum = lanes_set(0.0);                                                               \
        for (size_t g = begin; g < end; g++) {                                                     \
            evaluate_group(shape, damping->lanes, damping->history.origin, groups, g, evaluation,  \
                           sums, &sum);                                                            \
        }                                                                                          \
        sums->value += lanes_sum(sum);                                                             \
    }

KERNELS(tetrahedra, 4, 3, 3, 6)
KERNELS(triangles, 3, 2, 2, 3)
KERNELS(handles, 3, 3, 3, 6)

#undef KERNELS

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct strain_damping *damping = self;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (damping->shape == STRAIN_TETRAHEDRON) {
        evaluate_tetrahedra(damping, groups, begin, end, evaluation, sums);
    } else if (damping->shape == STRAIN_TRIANGLE) {
        evaluate_triangles(damping, groups, begin, end, evaluation, sums);
    } else {
        evaluate_handles(damping, groups, begin, end, evaluation, sums);
    }
    return EVALUATE_OK;
}

static void measure(const void *self, const struct stencil_groups *groups, uint32_t domain,
                    const struct strain_part *part, double *to) {
    const struct strain_damping *damping = self;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    if (damping->shape == STRAIN_TETRAHEDRON) {
        measure_tetrahedra(damping, groups, begin, end, part, to);
    } else if (damping->shape == STRAIN_TRIANGLE) {
        measure_triangles(damping, groups, begin, end, part, to);
    } else {
        measure_handles(damping, groups, begin, end, part, to);
    }
}

static struct strain_history *strains(void *self) {
    struct strain_damping *damping = self;
    return &damping->history;
}

static const struct term_table table = {
    .name = "strain-damping",
    .kind = ENERGY_DISSIPATED,
    .evaluate = evaluate,
    .bind = bind_elements,
    .strains = strains,
    .measure = measure,
    .destroy = destroy,
};

struct term strain_damping_term(struct strain_damping *damping) {
    return (struct term){
        .table = &table,
        .self = damping,
        .has_stencils = true,
        .stencils = {.count = damping->count,
                     .width = shapes[damping->shape].width,
                     .nodes = damping->nodes},
    };
}
