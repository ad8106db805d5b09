// Arranges hinges in lanes and evaluates them. The angle depends on the order of a hinge's nodes,
// which the assembly may permute. Index arrays map positions and forces to the hinge's own order;
// Hessian blocks are permuted into the assembly's order lane by lane.
// SPDX-License-Identifier: MIT
#include "energy/shells/bending.h"

#include <math.h>

#include "energy/element.h"
#include "energy/shells/hinge_functions.h"
#include "energy/scatter.h"

/// Element data by groups of eight lanes; every array is [group][...][8].
struct bending_elements {
    const uint32_t *node, *slot; ///< [g][4][8]: the groups' node and vector_slot, in the hinge's
                                 ///< own order
    const double *stiffness;     ///< [g][8]: k, J; 0 in padding lanes
    const double *cosine, *sine; ///< [g][8]: cosine and sine of the rest angle
    const double *damping;       ///< [g][8], s
};

struct bending {
    size_t hinge_count;
    uint32_t *hinges;
    double *stiffness, *cosine, *sine, *damping; ///< hinge_count
    bool has_damping;
    struct bending_elements elements;
    double *lanes;     ///< storage of elements' doubles
    uint32_t *indices; ///< storage of elements' indices
    size_t lanes_capacity, indices_capacity;
    struct hinge_creases *creases; ///< null: all hinges are elastic
};

// --- creation ---

/// Returns k of a hinge whose nodes are at x at rest, and writes the areas of its triangles.
static double measure_stiffness(const double x[12], double rigidity, double area[2]) {
    double edge[3][3];
    double left[3];
    double right[3];
    for (int a = 0; a < 3; a++) {
        subtract3(x + 3 * (a + 1), x, edge[a]);
    }
    cross3(edge[0], edge[1], left);
    cross3(edge[2], edge[0], right);
    area[0] = 0.5 * norm3(left);
    area[1] = 0.5 * norm3(right);
    const double areas = 0.5 * (norm3(left) + norm3(right));
    return 0.5 * rigidity * dot3(edge[0], edge[0]) / areas;
}

static pbs_status measure_hinge(const struct bending_input *input, size_t h,
                                struct bending *bending) {
    const uint32_t *node = input->hinges + 4 * h;
    double x[12];
    double area[2];
    double cosine = 1.0;
    double sine = 0.0;
    for (int a = 0; a < 4; a++) {
        copy3(input->rest + 3 * (size_t)node[a], x + 3 * a);
    }
    const double stiffness = measure_stiffness(x, input->rigidity[h], area);
    if (!hinge_rest(x, &cosine, &sine) || !isfinite(stiffness)) {
        return status_fail(PBS_ERROR_MESH,
                           "hinge %zu on the edge of nodes %u and %u: rest areas %g and %g m^2, "
                           "must be positive",
                           h, (unsigned)node[0], (unsigned)node[1], area[0], area[1]);
    }
    bending->stiffness[h] = stiffness;
    const double given = input->rest_angles[h];
    bending->cosine[h] = isnan(given) ? cosine : cos(given);
    bending->sine[h] = isnan(given) ? sine : sin(given);
    return PBS_OK;
}

static pbs_status fill_hinges(const struct bending_input *input, struct bending *bending) {
    for (size_t h = 0; h < input->hinge_count; h++) {
        RETURN_IF_FAILED(measure_hinge(input, h, bending));
        bending->damping[h] = input->damping[h];
        bending->has_damping |= input->damping[h] > 0.0;
    }
    memcpy(bending->hinges, input->hinges, 4 * input->hinge_count * sizeof *input->hinges);
    return PBS_OK;
}

/// The angle of a hinge at its yield curvature: the curvature times (A1 + A2) / l, which is 1/2 D l
/// / k.
static double yield_angle(const struct bending_input *input, const struct bending *bending,
                          size_t h) {
    double edge[3];
    subtract3(input->rest + 3 * (size_t)input->hinges[4 * h + 1],
              input->rest + 3 * (size_t)input->hinges[4 * h], edge);
    return input->yield_curvatures[h] * 0.5 * input->rigidity[h] * norm3(edge) /
           bending->stiffness[h];
}

static pbs_status add_creases(struct memory *memory, const struct bending_input *input,
                              struct bending *bending) {
    if (input->yield_curvatures == NULL) {
        return PBS_OK;
    }
    const size_t count = input->hinge_count;
    double *yields = memory_allocate(memory, 2 * count, sizeof *yields);
    if (yields == NULL) {
        return PBS_ERROR_MEMORY;
    }
    double *angles = yields + count;
    for (size_t h = 0; h < count; h++) {
        const double given = input->rest_angles[h];
        yields[h] = yield_angle(input, bending, h);
        angles[h] = isnan(given) ? atan2(bending->sine[h], bending->cosine[h]) : given;
    }
    bending->creases = hinge_creases_create(memory, count, yields, angles);
    memory_release(memory, yields);
    return bending->creases != NULL ? PBS_OK : PBS_ERROR_MEMORY;
}

static bool allocate_hinges(struct memory *memory, struct bending *bending) {
    const size_t count = bending->hinge_count;
    bending->hinges = memory_allocate(memory, count, 4 * sizeof *bending->hinges);
    bending->stiffness = memory_allocate(memory, count, sizeof(double));
    bending->cosine = memory_allocate(memory, count, sizeof(double));
    bending->sine = memory_allocate(memory, count, sizeof(double));
    bending->damping = memory_allocate(memory, count, sizeof(double));
    return bending->hinges && bending->stiffness && bending->cosine && bending->sine &&
           bending->damping;
}

pbs_status bending_create(struct memory *memory, const struct bending_input *input,
                          struct bending **out) {
    struct bending *bending = memory_allocate(memory, 1, sizeof *bending);
    if (bending == NULL) {
        return PBS_ERROR_MEMORY;
    }
    bending->hinge_count = input->hinge_count;
    pbs_status status = allocate_hinges(memory, bending) ? fill_hinges(input, bending)
                                                         : PBS_ERROR_MEMORY;
    if (status >= 0) {
        status = add_creases(memory, input, bending);
    }
    if (status < 0) {
        bending_destroy(bending, memory);
        return status;
    }
    *out = bending;
    return PBS_OK;
}

void bending_destroy(struct bending *bending, struct memory *memory) {
    if (bending == NULL) {
        return;
    }
    memory_release(memory, bending->hinges);
    memory_release(memory, bending->stiffness);
    memory_release(memory, bending->cosine);
    memory_release(memory, bending->sine);
    memory_release(memory, bending->damping);
    memory_release(memory, bending->lanes);
    memory_release(memory, bending->indices);
    hinge_creases_destroy(bending->creases, memory);
    memory_release(memory, bending);
}

/// Writes node and vector slot of lane i in the hinge's own order.
static void order_lane(const struct stencil_groups *groups, size_t i, bool padding, uint32_t *node,
                       uint32_t *slot) {
    const size_t start = i / LANES * 4 * LANES + i % LANES;
    for (size_t a = 0; a < 4; a++) {
        const size_t own = padding ? a : groups->local[start + a * LANES];
        node[start + own * LANES] = groups->node[start + a * LANES];
        slot[start + own * LANES] = groups->vector_slot[start + a * LANES];
    }
}

pbs_status bending_bind(struct bending *bending, struct memory *memory,
                        const struct stencil_groups *groups) {
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &bending->lanes, &bending->lanes_capacity,
                                    4 * lane_count, sizeof(double)));
    RETURN_IF_FAILED(memory_reserve(memory, &bending->indices, &bending->indices_capacity,
                                    8 * lane_count, sizeof(uint32_t)));
    double *stiffness = bending->lanes;
    double *cosine = stiffness + lane_count;
    double *sine = cosine + lane_count;
    double *damping = sine + lane_count;
    uint32_t *node = bending->indices;
    uint32_t *slot = node + 4 * lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t h = padding ? 0 : groups->stencil[i];
        stiffness[i] = padding ? 0.0 : bending->stiffness[h];
        damping[i] = padding ? 0.0 : bending->damping[h];
        cosine[i] = bending->cosine[h];
        sine[i] = bending->sine[h];
        order_lane(groups, i, padding, node, slot);
    }
    bending->elements = (struct bending_elements){node, slot, stiffness, cosine, sine, damping};
    const struct hinge_lane_arrays arrays = {node, stiffness, cosine, sine};
    return bending->creases == NULL ? PBS_OK
                                    : hinge_creases_bind(bending->creases, memory, groups, &arrays);
}

struct hinge_creases *bending_creases(const struct bending *bending) {
    return bending->creases;
}

void bending_set_values(struct bending *bending, const struct stencil_groups *groups, size_t hinge,
                        const double rest[12], double rigidity, double damping) {
    const size_t lane_count = groups->group_count * LANES;
    const size_t lane = groups->lane[hinge];
    double area[2];
    bending->stiffness[hinge] = measure_stiffness(rest, rigidity, area);
    bending->damping[hinge] = damping;
    bending->lanes[lane] = bending->stiffness[hinge];
    bending->lanes[3 * lane_count + lane] = damping; // after stiffness, cosines and sines
}

// --- eight hinges ---

ALWAYS_INLINE void hinge_load(const double *x, const uint32_t *node, lanes8 side[3][3]) {
    lanes8 origin[3];
    load_nodes(x, node, origin);
    for (int a = 0; a < 3; a++) {
        load_nodes(x, node + (a + 1) * LANES, side[a]);
        for (int i = 0; i < 3; i++) {
            side[a][i] -= origin[i];
        }
    }
}

/// Returns what is added to the squares of the angles of group g where hinges are nearly closed.
ALWAYS_INLINE struct hinge_function hinge_excess(const struct bending_elements *elements, size_t g,
                                                 const struct hinge_lanes *h, lanes8 angle) {
    const lanes8 none = lanes_set(0.0);
    struct hinge_function excess = {none, none, none};
    if (lanes_any(hinge_is_closing(h, lanes_load(elements->sine + g * LANES)))) {
        hinge_close(&angle, elements->cosine + g * LANES, elements->sine + g * LANES, &excess);
    }
    return excess;
}

ALWAYS_INLINE lanes8 hinge_energy(const struct hinge_lanes *h, lanes8 stiffness, lanes8 angle,
                                  lanes8 excess) {
    const lanes8 none = lanes_select(stiffness > 0.0, lanes_set(INFINITY), lanes_set(0.0));
    return lanes_select(h->degenerate, none, stiffness * angle * angle + stiffness * excess);
}

/// Adds value, gradient and values by node; those that are null are skipped. first_order_passes.h
/// specialises this kernel.
ALWAYS_INLINE void add_first_order(const struct bending_elements *elements,
                                   const struct stencil_groups *groups, size_t begin, size_t end,
                                   const double *x, double *value, double *gradient,
                                   double *node_values) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        lanes8 side[3][3];
        struct hinge_lanes h;
        const lanes8 stiffness = lanes_load(elements->stiffness + g * LANES);
        hinge_load(x, elements->node + g * 4 * LANES, side);
        hinge_measure(side, &h);
        const lanes8 angle = hinge_angle(&h, lanes_load(elements->cosine + g * LANES),
                                         lanes_load(elements->sine + g * LANES));
        const struct hinge_function excess = hinge_excess(elements, g, &h, angle);
        if (value != NULL) {
            const lanes8 energy = hinge_energy(&h, stiffness, angle, excess.value);
            sum += energy;
            if (node_values != NULL) {
                scatter_values(energy, groups->node + g * 4 * LANES, node_values);
            }
        }
        if (gradient != NULL) {
            lanes8 force[4][3];
            angle_gradient(&h, force);
            for (size_t a = 0; a < 4; a++) {
                scale_lanes(stiffness * (2.0 * angle + excess.slope), force[a], force[a]);
                scatter_vector(force[a], elements->slot + (g * 4 + a) * LANES, gradient);
            }
        }
    }
    if (value != NULL) {
        *value += lanes_sum(sum);
    }
}

#define FIRST_ORDER_ELEMENTS bending_elements
#include "energy/first_order_passes.h"

// --- Hessians ---

enum { PAIR_COUNT = 10 };

ALWAYS_INLINE lanes8 hinge_weight(const struct bending_elements *elements, size_t g, bool damping) {
    const lanes8 stiffness = 2.0 * lanes_load(elements->stiffness + g * LANES);
    return damping ? stiffness * lanes_load(elements->damping + g * LANES) : stiffness;
}

/// Returns by what 2 k is multiplied in the semidefinite Hessian: 1, and more where the excess
/// curves up.
ALWAYS_INLINE lanes8 projected_share(const struct bending_elements *elements, size_t g,
                                     const struct hinge_lanes *h) {
    const lanes8 sine = lanes_load(elements->sine + g * LANES);
    const lanes8 angle = hinge_angle(h, lanes_load(elements->cosine + g * LANES), sine);
    const struct hinge_function excess = hinge_excess(elements, g, h, angle);
    return 1.0 + 0.5 * lanes_max(excess.bend, lanes_set(0.0));
}

/// Adds 2 k g g^T: the Hessian at the rest angle, which is positive semidefinite for every state.
static PBS_MULTIVERSION void add_projected_hessian(const struct bending_elements *elements,
                                                   const struct stencil_groups *groups,
                                                   size_t begin, size_t end,
                                                   const struct evaluation *evaluation,
                                                   double *blocks) {
    for (size_t g = begin; g < end; g++) {
        lanes8 side[3][3];
        lanes8 own[4][3];
        double ordered[4][3][LANES];
        struct hinge_lanes h;
        const uint8_t *local = groups->local + g * 4 * LANES;
        const uint32_t *slot = groups->block_slot + g * PAIR_COUNT * LANES;
        lanes8 weight = hinge_weight(elements, g, evaluation->damping_weights);
        hinge_load(evaluation->x, elements->node + g * 4 * LANES, side);
        hinge_measure(side, &h);
        const mask8 closing = hinge_is_closing(&h, lanes_load(elements->sine + g * LANES));
        if (lanes_any(closing) && !evaluation->damping_weights) {
            weight *= projected_share(elements, g, &h);
        }
        angle_gradient(&h, own);
        for (int al = 0; al < 4 * LANES; al++) {
            for (int i = 0; i < 3; i++) {
                ordered[al / LANES][i][al % LANES] = own[local[al] % 4][i][al % LANES];
            }
        }
        for (int a = 0; a < 4; a++) {
            for (int b = a; b < 4; b++, slot += LANES) {
                lanes8 k[9];
                for (int ij = 0; ij < 9; ij++) {
                    k[ij] = weight * lanes_load(ordered[a][ij / 3]) *
                            lanes_load(ordered[b][ij % 3]);
                }
                scatter_block(k, slot, blocks);
            }
        }
    }
}

ALWAYS_INLINE void scatter_ordered(lanes8 own[4][4][9], const uint8_t *local, const uint32_t *slot,
                                   double *blocks) {
    for (int a = 0; a < 4; a++) {
        for (int b = a; b < 4; b++) {
            for (int l = 0; l < LANES; l++, slot++) {
                const lanes8 *from = own[local[a * LANES + l] % 4][local[b * LANES + l] % 4];
                double *to = blocks + 9 * (size_t)*slot;
                for (int ij = 0; ij < 9; ij++) {
                    to[ij] += from[ij][l];
                }
            }
        }
    }
}

static PBS_MULTIVERSION void add_exact_hessian(const struct bending_elements *elements,
                                               const struct stencil_groups *groups, size_t begin,
                                               size_t end, const struct evaluation *evaluation,
                                               double *blocks) {
    for (size_t g = begin; g < end; g++) {
        lanes8 side[3][3];
        lanes8 first[4][3];
        lanes8 k[4][4][9];
        struct hinge_lanes h;
        const lanes8 weight = hinge_weight(elements, g, evaluation->damping_weights);
        hinge_load(evaluation->x, elements->node + g * 4 * LANES, side);
        hinge_measure(side, &h);
        const lanes8 angle = hinge_angle(&h, lanes_load(elements->cosine + g * LANES),
                                         lanes_load(elements->sine + g * LANES));
        const struct hinge_function excess = hinge_excess(elements, g, &h, angle);
        const lanes8 half = angle + 0.5 * excess.slope;
        const lanes8 bend = 1.0 + 0.5 * excess.bend;
        angle_gradient(&h, first);
        angle_hessian(&h, k);
        for (int a = 1; a < 4; a++) {
            for (int b = a; b < 4; b++) {
                for (int ij = 0; ij < 9; ij++) {
                    k[a][b][ij] = weight *
                                  (half * k[a][b][ij] + bend * first[a][ij / 3] * first[b][ij % 3]);
                }
            }
        }
        complete_blocks(k);
        scatter_ordered(k, groups->local + g * 4 * LANES,
                        groups->block_slot + g * PAIR_COUNT * LANES, blocks);
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct bending *bending = self;
    const struct bending_elements *elements = &bending->elements;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->damping_weights && !bending->has_damping) {
        return EVALUATE_OK;
    }
    add_requested(elements, groups, begin, end, evaluation, sums);
    if ((evaluation->what & EVALUATE_HESSIAN) &&
        (evaluation->project || evaluation->project_shells)) {
        add_projected_hessian(elements, groups, begin, end, evaluation, sums->blocks);
    } else if (evaluation->what & EVALUATE_HESSIAN) {
        add_exact_hessian(elements, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

double bending_angle(const double x[12], double gradient[12]) {
    lanes8 side[3][3];
    lanes8 g[4][3];
    struct hinge_lanes h;
    for (int k = 0; k < 9; k++) {
        side[k / 3][k % 3] = lanes_set(x[3 + k] - x[k % 3]);
    }
    hinge_measure(side, &h);
    angle_gradient(&h, g);
    for (int k = 0; k < 12 && gradient != NULL; k++) {
        gradient[k] = g[k / 3][k % 3][0];
    }
    return hinge_angle(&h, lanes_set(1.0), lanes_set(0.0))[0];
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    return bending_bind(self, memory, groups);
}

static void destroy(void *self, struct memory *memory) {
    bending_destroy(self, memory);
}

static const struct term_table table = {
    .name = "bending",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .has_damping = true,
    .bind = bind_elements,
    .destroy = destroy,
};

struct term bending_term(struct bending *bending) {
    return (struct term){
        .table = &table,
        .self = bending,
        .has_stencils = true,
        .stencils = {.count = bending->hinge_count, .width = 4, .nodes = bending->hinges},
    };
}

struct bending *bending_of(const struct term *term) {
    return term->table == &table ? term->self : NULL;
}
