// Evaluates affine bodies, eight at a time (docs/theory/affine_bodies.md section 3). With
// C = A^T A - 1 - S, S of bodies that do not rest as they were made:
//     value       k V |C|_F^2
//     gradient    by a_i        4 k V sum_j C_ij a_j
//     Hessian     by a_i, a_j   4 k V (a_j a_i^T + C_ij 1 + [i = j] A A^T)
// The projection uses the closed form of the Hessian's eigenvalues in the singular values of A or,
// with S, leaves C out.
// SPDX-License-Identifier: MIT
#include "energy/affine/affine.h"

#include "energy/element.h"
#include "energy/deformation/inversion.h"
#include "energy/scatter.h"
#include "energy/deformation/tangent.h"

struct affine {
    size_t count;
    uint32_t *nodes;
    double *stiffness, *inverse_radius, *damping; ///< count
    double *rest_strain;                          ///< count x 9, S by the handles in their order
    bool has_damping;
    double *lanes; ///< arrays of stiffness, inverse radius, damping and S by lane
    size_t lanes_capacity, lane_count;
};

enum { WIDTH = 3, PAIR_COUNT = 6 };
enum { LANE_STIFFNESS, LANE_INVERSE_RADIUS, LANE_DAMPING, LANE_REST_STRAIN };
enum { DOUBLES_PER_LANE = LANE_REST_STRAIN + PAIR_COUNT };

// --- creation ---

static void destroy(void *self, struct memory *memory) {
    struct affine *affine = self;
    if (affine == NULL) {
        return;
    }
    memory_release(memory, affine->nodes);
    memory_release(memory, affine->stiffness);
    memory_release(memory, affine->inverse_radius);
    memory_release(memory, affine->damping);
    memory_release(memory, affine->rest_strain);
    memory_release(memory, affine->lanes);
    memory_release(memory, affine);
}

pbs_status affine_create(struct memory *memory, const struct affine_input *input,
                         struct affine **out) {
    struct affine *affine = memory_allocate(memory, 1, sizeof *affine);
    if (affine == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = input->count;
    affine->count = count;
    affine->nodes = memory_allocate(memory, count, WIDTH * sizeof *affine->nodes);
    affine->stiffness = memory_allocate(memory, count, sizeof(double));
    affine->inverse_radius = memory_allocate(memory, count, sizeof(double));
    affine->damping = memory_allocate(memory, count, sizeof(double));
    affine->rest_strain = memory_allocate(memory, count, 9 * sizeof(double));
    if (affine->nodes == NULL || affine->stiffness == NULL || affine->inverse_radius == NULL ||
        affine->damping == NULL || affine->rest_strain == NULL) {
        destroy(affine, memory);
        return PBS_ERROR_MEMORY;
    }
    memcpy(affine->nodes, input->nodes, WIDTH * count * sizeof *affine->nodes);
    memcpy(affine->stiffness, input->stiffness, count * sizeof(double));
    memcpy(affine->damping, input->damping, count * sizeof(double));
    if (input->rest_strain != NULL) {
        memcpy(affine->rest_strain, input->rest_strain, 9 * count * sizeof(double));
    }
    for (size_t i = 0; i < count; i++) {
        affine->inverse_radius[i] = 1.0 / input->radius[i];
        affine->has_damping |= input->damping[i] > 0.0;
    }
    *out = affine;
    return PBS_OK;
}

static double *lanes_of(const struct affine *affine, int array) {
    return affine->lanes + (size_t)array * affine->lane_count;
}

/// Writes S of an element to its lane, where the assembly may have permuted the handles.
static void write_rest_strain(struct affine *affine, const struct stencil_groups *groups,
                              size_t element, size_t lane) {
    const uint32_t *const own = affine->nodes + WIDTH * element;
    const uint32_t *const node = groups->node + lane / LANES * WIDTH * LANES + lane % LANES;
    size_t handle[WIDTH];
    for (size_t j = 0; j < WIDTH; j++) {
        handle[j] = node[j * LANES] == own[0] ? 0 : node[j * LANES] == own[1] ? 1 : 2;
    }
    const double *const strain = affine->rest_strain + 9 * element;
    int pair = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        for (size_t j = i; j < WIDTH; j++, pair++) {
            double *const lanes = lanes_of(affine, LANE_REST_STRAIN + pair);
            lanes[lane] = strain[3 * handle[i] + handle[j]];
        }
    }
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    struct affine *affine = self;
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &affine->lanes, &affine->lanes_capacity,
                                    DOUBLES_PER_LANE * lane_count, sizeof(double)));
    affine->lane_count = lane_count;
    double *stiffness = lanes_of(affine, LANE_STIFFNESS);
    double *inverse_radius = lanes_of(affine, LANE_INVERSE_RADIUS);
    double *damping = lanes_of(affine, LANE_DAMPING);
    for (size_t i = 0; i < lane_count; i++) {
        // A padding lane has the nodes and the radius of lane 0, and no stiffness.
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t body = groups->stencil[padding ? i / LANES * LANES : i];
        stiffness[i] = padding ? 0.0 : affine->stiffness[body];
        inverse_radius[i] = affine->inverse_radius[body];
        damping[i] = padding ? 0.0 : affine->damping[body];
        write_rest_strain(affine, groups, body, i);
    }
    return PBS_OK;
}

void affine_set_stiffness(struct affine *affine, const struct stencil_groups *groups,
                          size_t element, double stiffness, const double rest_strain[9]) {
    affine->stiffness[element] = stiffness;
    lanes_of(affine, LANE_STIFFNESS)[groups->lane[element]] = stiffness;
    memcpy(affine->rest_strain + 9 * element, rest_strain, 9 * sizeof *rest_strain);
    write_rest_strain(affine, groups, element, groups->lane[element]);
}

// --- kernels ---

/// Loads A. The assembly may permute the handles; the energy does not depend on the order of the
/// columns.
ALWAYS_INLINE void load_handles(const uint32_t *node, lanes8 inverse_radius, const double *x,
                                lanes8 a[9]) {
    for (int j = 0; j < 3; j++) {
        lanes8 column[3];
        load_nodes(x, node + j * LANES, column);
        for (int i = 0; i < 3; i++) {
            a[3 * i + j] = inverse_radius * column[i];
        }
    }
}

struct affine_lanes {
    lanes8 stiffness, inverse_radius;
    lanes8 a[9];
    lanes8 strain[9]; ///< C
    mask8 is_set;     ///< S is not 0
};

/// C -= S
ALWAYS_INLINE void subtract_rest_strain(const struct affine *affine, size_t g,
                                        struct affine_lanes *e) {
    lanes8 largest = lanes_set(0.0);
    int pair = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, pair++) {
            const lanes8 s = lanes_load(lanes_of(affine, LANE_REST_STRAIN + pair) + g * LANES);
            largest = lanes_max(largest, s * s);
            e->strain[3 * i + j] -= s;
            if (i != j) {
                e->strain[3 * j + i] -= s;
            }
        }
    }
    e->is_set = largest > 0.0;
}

ALWAYS_INLINE void load(const struct affine *affine, const struct stencil_groups *groups, size_t g,
                        const double *x, struct affine_lanes *e) {
    e->stiffness = lanes_load(lanes_of(affine, LANE_STIFFNESS) + g * LANES);
    e->inverse_radius = lanes_load(lanes_of(affine, LANE_INVERSE_RADIUS) + g * LANES);
    load_handles(groups->node + g * WIDTH * LANES, e->inverse_radius, x, e->a);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const lanes8 sum = e->a[i] * e->a[j] + e->a[3 + i] * e->a[3 + j] +
                               e->a[6 + i] * e->a[6 + j];
            e->strain[3 * i + j] = i == j ? sum - 1.0 : sum;
        }
    }
    subtract_rest_strain(affine, g, e);
}

/// A reflection has no strain, so inverted states need an explicit infinite energy.
ALWAYS_INLINE lanes8 energy(const struct affine_lanes *e) {
    lanes8 cofactor[9];
    cofactor_lanes(e->a, cofactor);
    const mask8 inverted = ~(determinant_lanes(e->a, cofactor) > 0.0);
    return e->stiffness * squared_norm_lanes(e->strain) +
           lanes_select(lanes_both(inverted, e->stiffness > 0.0), lanes_set(INFINITY),
                        lanes_set(0.0));
}

ALWAYS_INLINE void scatter_forces(const struct affine_lanes *e, const uint32_t *slot,
                                  double *gradient) {
    const lanes8 weight = 4.0 * e->stiffness * e->inverse_radius;
    for (int i = 0; i < 3; i++) {
        lanes8 force[3];
        multiply_lanes(e->a, e->strain + 3 * i, force); // C is symmetric
        for (int k = 0; k < 3; k++) {
            force[k] *= weight;
        }
        scatter_vector(force, slot + i * LANES, gradient);
    }
}

static PBS_MULTIVERSION void add_first_order(const struct affine *affine,
                                             const struct stencil_groups *groups, size_t begin,
                                             size_t end, const struct evaluation *evaluation,
                                             struct evaluation_sums *sums) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct affine_lanes e;
        load(affine, groups, g, evaluation->x, &e);
        const lanes8 value = energy(&e);
        sum += value;
        if ((evaluation->what & EVALUATE_VALUE) && sums->node_values != NULL) {
            scatter_values(value, groups->node + g * WIDTH * LANES, sums->node_values);
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            scatter_forces(&e, groups->vector_slot + g * WIDTH * LANES, sums->gradient);
        }
    }
    sums->value += lanes_sum(sum);
}

ALWAYS_INLINE void exact_blocks(const struct affine_lanes *e, lanes8 weight,
                                lanes8 k[PAIR_COUNT][9]) {
    int pair = 0;
    for (int a = 0; a < 3; a++) {
        for (int b = a; b < 3; b++, pair++) {
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    lanes8 entry = e->a[3 * i + b] * e->a[3 * j + a];
                    if (a == b) {
                        entry += dot_lanes(e->a + 3 * i, e->a + 3 * j);
                    }
                    if (i == j) {
                        entry += e->strain[3 * a + b];
                    }
                    k[pair][3 * i + j] = weight * entry;
                }
            }
        }
    }
}

/// Clamps the eigenvalues, which divided by 4 k V are 3 s_i^2 - 1, s_i^2 + s_i s_j + s_j^2 - 1 and
/// s_i^2 - s_i s_j + s_j^2 - 1. The handles are the columns of A, so the shape gradient of handle a
/// is the unit vector a.
ALWAYS_INLINE void projected_blocks(const struct affine_lanes *e, lanes8 weight,
                                    lanes8 k[PAIR_COUNT][9]) {
    static const int diagonal[3] = {0, 3, 5};
    struct rotated_tangent t;
    struct principal p;
    lanes8 s[3];
    svd3_lanes(e->a, t.u, s, t.v);
    for (int i = 0; i < 6; i++) {
        p.hessian[i] = lanes_set(0.0);
    }
    for (int i = 0, pair = 0; i < 3; i++) {
        p.hessian[diagonal[i]] = weight * lanes_max(3.0 * s[i] * s[i] - 1.0, lanes_set(0.0));
        for (int j = i + 1; j < 3; j++, pair++) {
            const lanes8 squares = s[i] * s[i] + s[j] * s[j] - 1.0;
            const lanes8 product = s[i] * s[j];
            p.symmetric[pair] = weight * lanes_max(squares + product, lanes_set(0.0));
            p.antisymmetric[pair] = weight * lanes_max(squares - product, lanes_set(0.0));
        }
    }
    rotated_set(&p, false, &t);
    int pair = 0;
    for (int a = 0; a < 3; a++) {
        for (int b = a; b < 3; b++, pair++) {
            rotated_block(&t, t.v + 3 * a, t.v + 3 * b, a == b, k[pair]);
        }
    }
}

/// Lanes with S have no closed form. Without C their Hessian is that of |C|^2 with C linearised.
ALWAYS_INLINE void convex_blocks(const struct affine_lanes *e, lanes8 weight,
                                 lanes8 k[PAIR_COUNT][9]) {
    projected_blocks(e, weight, k);
    if (!lanes_any(e->is_set)) {
        return;
    }
    struct affine_lanes linear = *e;
    lanes8 own[PAIR_COUNT][9];
    for (int i = 0; i < 9; i++) {
        linear.strain[i] = lanes_set(0.0);
    }
    exact_blocks(&linear, weight, own);
    for (int pair = 0; pair < PAIR_COUNT; pair++) {
        for (int i = 0; i < 9; i++) {
            k[pair][i] = lanes_select(e->is_set, own[pair][i], k[pair][i]);
        }
    }
}

static PBS_MULTIVERSION void add_hessian(const struct affine *affine,
                                         const struct stencil_groups *groups, size_t begin,
                                         size_t end, const struct evaluation *evaluation,
                                         double *blocks) {
    const double *damping = lanes_of(affine, LANE_DAMPING);
    for (size_t g = begin; g < end; g++) {
        struct affine_lanes e;
        lanes8 k[PAIR_COUNT][9];
        load(affine, groups, g, evaluation->x, &e);
        lanes8 weight = 4.0 * e.stiffness * e.inverse_radius * e.inverse_radius;
        if (evaluation->damping_weights) {
            weight *= lanes_load(damping + g * LANES);
        }
        if (evaluation->project) {
            convex_blocks(&e, weight, k);
        } else {
            exact_blocks(&e, weight, k);
        }
        for (int pair = 0; pair < PAIR_COUNT; pair++) {
            scatter_block(k[pair], groups->block_slot + (g * PAIR_COUNT + (size_t)pair) * LANES,
                          blocks);
        }
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct affine *affine = self;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->damping_weights && !affine->has_damping) {
        return EVALUATE_OK;
    }
    if (evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT)) {
        add_first_order(affine, groups, begin, end, evaluation, sums);
    }
    if (evaluation->what & EVALUATE_HESSIAN) {
        add_hessian(affine, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

// --- the largest step: det A must stay positive ---

static PBS_MULTIVERSION double bound_step(const struct affine *affine,
                                          const struct stencil_groups *groups, size_t begin,
                                          size_t end, const double *x, const double *direction,
                                          double limit) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *node = groups->node + g * WIDTH * LANES;
        const lanes8 inverse_radius = lanes_load(lanes_of(affine, LANE_INVERSE_RADIUS) + g * LANES);
        lanes8 a[9];
        lanes8 d[9];
        load_handles(node, inverse_radius, x, a);
        load_handles(node, inverse_radius, direction, d);
        limit = inversion_bound_lanes(a, d, limit);
    }
    return limit;
}

static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    (void)assembly;
    return inversion_within(limit, bound_step(self, groups, groups->domain_group[domain],
                                              groups->domain_group[domain + 1], x, direction,
                                              inversion_far(limit)));
}

static const struct term_table table = {
    .name = "affine",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .max_step = max_step,
    .bind = bind_elements,
    .destroy = destroy,
    .has_damping = true,
};

struct term affine_term(struct affine *affine) {
    return (struct term){
        .table = &table,
        .self = affine,
        .has_stencils = true,
        .stencils = {.count = affine->count, .width = WIDTH, .nodes = affine->nodes},
    };
}
