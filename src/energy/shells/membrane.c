// Arranges triangles in lanes in the assembly's groups, and evaluates them.
// SPDX-License-Identifier: MIT
#include "energy/shells/membrane.h"

#include <math.h>

#include "base/lanes/logarithm.h"
#include "base/matrix3/math3.h"
#include "energy/deformation/inversion.h"
#include "energy/shells/membrane_lanes.h"
#include "energy/shells/membrane_tangent.h"
#include "energy/scatter.h"
#include "energy/deformation/tangent.h"

struct membrane {
    size_t triangle_count;
    uint32_t *triangles;
    double *gradients; ///< triangle_count x 4: shape gradients of nodes 1, 2, in the order of the
                       ///< input
    double *volume, *mu, *lambda, *damping; ///< triangle_count
    bool has_damping;
    struct membrane_elements elements;
    double *lanes; ///< storage of elements' arrays
    size_t lanes_capacity;
};

// --- creation ---

double membrane_rest_gradients(const double *rest, const uint32_t node[3], double rows[4]) {
    double edge[2][3];
    double normal[3];
    for (int a = 0; a < 2; a++) {
        subtract3(rest + 3 * (size_t)node[a + 1], rest + 3 * (size_t)node[0], edge[a]);
    }
    cross3(edge[0], edge[1], normal);
    const double area = 0.5 * norm3(normal);
    if (!(area > 0.0)) {
        return area;
    }
    const double length = norm3(edge[0]);
    const double along = dot3(edge[0], edge[1]) / length;
    const double across = 2.0 * area / length;
    // Dm = (length along; 0 across).
    rows[0] = 1.0 / length;
    rows[1] = -along / (length * across);
    rows[2] = 0.0;
    rows[3] = 1.0 / across;
    return area;
}

static pbs_status measure_triangle(const struct membrane_input *input, size_t t,
                                   struct membrane *membrane) {
    const double area = membrane_rest_gradients(input->rest, input->triangles + 3 * t,
                                                membrane->gradients + 4 * t);
    if (!(area > 0.0) || !isfinite(area)) {
        return status_fail(PBS_ERROR_MESH, "triangle %zu: rest area %g m^2, must be positive", t,
                           area);
    }
    membrane->volume[t] = input->thickness[t] * area;
    return PBS_OK;
}

void membrane_moduli(double young, double poisson, double *mu, double *lambda) {
    *mu = 0.5 * young / (1.0 + poisson);
    *lambda = young * poisson / (1.0 - poisson * poisson);
}

static pbs_status fill_triangles(const struct membrane_input *input, struct membrane *membrane) {
    for (size_t t = 0; t < input->triangle_count; t++) {
        RETURN_IF_FAILED(measure_triangle(input, t, membrane));
        membrane_moduli(input->young[t], input->poisson[t], &membrane->mu[t], &membrane->lambda[t]);
        membrane->damping[t] = input->damping[t];
        membrane->has_damping |= input->damping[t] > 0.0;
    }
    memcpy(membrane->triangles, input->triangles,
           3 * input->triangle_count * sizeof *input->triangles);
    return PBS_OK;
}

static bool allocate_triangles(struct memory *memory, struct membrane *membrane) {
    const size_t count = membrane->triangle_count;
    membrane->triangles = memory_allocate(memory, count, 3 * sizeof *membrane->triangles);
    membrane->gradients = memory_allocate(memory, count, 4 * sizeof(double));
    membrane->volume = memory_allocate(memory, count, sizeof(double));
    membrane->mu = memory_allocate(memory, count, sizeof(double));
    membrane->lambda = memory_allocate(memory, count, sizeof(double));
    membrane->damping = memory_allocate(memory, count, sizeof(double));
    return membrane->triangles && membrane->gradients && membrane->volume && membrane->mu &&
           membrane->lambda && membrane->damping;
}

pbs_status membrane_create(struct memory *memory, const struct membrane_input *input,
                           struct membrane **out) {
    struct membrane *membrane = memory_allocate(memory, 1, sizeof *membrane);
    if (membrane == NULL) {
        return PBS_ERROR_MEMORY;
    }
    membrane->triangle_count = input->triangle_count;
    const pbs_status status = allocate_triangles(memory, membrane) ? fill_triangles(input, membrane)
                                                                   : PBS_ERROR_MEMORY;
    if (status < 0) {
        membrane_destroy(membrane, memory);
        return status;
    }
    *out = membrane;
    return PBS_OK;
}

void membrane_destroy(struct membrane *membrane, struct memory *memory) {
    if (membrane == NULL) {
        return;
    }
    memory_release(memory, membrane->triangles);
    memory_release(memory, membrane->gradients);
    memory_release(memory, membrane->volume);
    memory_release(memory, membrane->mu);
    memory_release(memory, membrane->lambda);
    memory_release(memory, membrane->damping);
    memory_release(memory, membrane->lanes);
    memory_release(memory, membrane);
}

/// Returns component j of the shape gradient of a node, given those of nodes 1 and 2. The three
/// gradients add up to zero.
static double shape_gradient(const double rows[4], int node, size_t j) {
    return node == 0 ? -(rows[j] + rows[2 + j]) : rows[2 * (size_t)(node - 1) + j];
}

void membrane_put_gradients(const double rows[4], const struct stencil_groups *groups, size_t lane,
                            double *gradients) {
    const bool padding = groups->stencil[lane] == UINT32_MAX;
    const size_t group = lane / LANES;
    for (size_t k = 0; k < 4; k++) {
        const uint8_t local = groups->local[(group * 3 + k / 2 + 1) * LANES + lane % LANES];
        gradients[(group * 4 + k) * LANES + lane % LANES] = padding ? 0.0
                                                                    : shape_gradient(rows, local,
                                                                                     k % 2);
    }
}

// Doubles per lane: 4 of the gradients, then volume, mu, lambda and damping, which have an array
// each.
enum { DOUBLES_PER_LANE = 8 };

pbs_status membrane_bind(struct membrane *membrane, struct memory *memory,
                         const struct stencil_groups *groups) {
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &membrane->lanes, &membrane->lanes_capacity,
                                    DOUBLES_PER_LANE * lane_count, sizeof(double)));
    double *gradients = membrane->lanes;
    double *volume = gradients + 4 * lane_count;
    double *mu = volume + lane_count;
    double *lambda = mu + lane_count;
    double *damping = lambda + lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t t = padding ? 0 : groups->stencil[i];
        membrane_put_gradients(membrane->gradients + 4 * t, groups, i, gradients);
        volume[i] = padding ? 0.0 : membrane->volume[t];
        damping[i] = padding ? 0.0 : membrane->damping[t];
        mu[i] = membrane->mu[t]; // padding lanes have finite moduli and zero volume
        lambda[i] = membrane->lambda[t];
    }
    membrane->elements = (struct membrane_elements){gradients, volume, mu, lambda, damping};
    return PBS_OK;
}

void membrane_set_values(struct membrane *membrane, const struct stencil_groups *groups,
                         size_t triangle, double volume, double young, double poisson) {
    const size_t lane_count = groups->group_count * LANES;
    const size_t lane = groups->lane[triangle];
    double *to = membrane->lanes + 4 * lane_count + lane; // after four numbers of the gradients
    membrane->volume[triangle] = volume;
    membrane_moduli(young, poisson, &membrane->mu[triangle], &membrane->lambda[triangle]);
    to[0] = volume;
    to[lane_count] = membrane->mu[triangle];
    to[2 * lane_count] = membrane->lambda[triangle];
}

// --- value and gradient ---

// J below this counts as zero: its square is close to the smallest normal number.
#define SMALLEST_J 1e-150

/// Returns J, or 1 in lanes where J is not admissible: their energy is infinite, and the other
/// results must only be finite numbers.
ALWAYS_INLINE lanes8 admissible(lanes8 j) {
    return lanes_select(j >= SMALLEST_J, j, lanes_set(1.0));
}

/// Quantities that value, stress and tangent share.
struct surface {
    lanes8 normal[3];  ///< unit normal
    lanes8 area_ratio; ///< J, zero if the triangle is degenerate
    lanes8 j;          ///< J, or 1 if not admissible
    lanes8 dual[2][3]; ///< the columns of F C^-1: d ln J / dF
};

ALWAYS_INLINE void surface_measure(const struct triangle_lanes *e, struct surface *s) {
    lanes8 cross[3];
    cross_lanes(e->f[0], e->f[1], cross);
    s->area_ratio = lanes_sqrt(dot_lanes(cross, cross));
    s->j = admissible(s->area_ratio);
    const lanes8 inverse = 1.0 / s->j;
    scale_lanes(inverse, cross, s->normal);
    cross_lanes(e->f[1], s->normal, s->dual[0]);
    cross_lanes(s->normal, e->f[0], s->dual[1]);
    scale_lanes(inverse, s->dual[0], s->dual[0]);
    scale_lanes(inverse, s->dual[1], s->dual[1]);
}

/// psi = mu (tr E - (J-1)) + mu ((J-1) - ln J) + lambda/2 (ln J)^2, each part of second order. From
/// J^2 = 1 + 2 tr E + 4 det E follows tr E - (J-1) = (J-1)^2 / 2 - 2 det E. For large strain the
/// plain difference is more accurate.
ALWAYS_INLINE lanes8 density(const struct triangle_lanes *e, const struct surface *s,
                             lanes8 logarithm, lanes8 log_excess) {
    const lanes8 e00 = 0.5 * (dot_lanes(e->f[0], e->f[0]) - 1.0);
    const lanes8 e11 = 0.5 * (dot_lanes(e->f[1], e->f[1]) - 1.0);
    const lanes8 e01 = 0.5 * dot_lanes(e->f[0], e->f[1]);
    const lanes8 trace = e00 + e11;
    const lanes8 growth = s->j - 1.0;
    const lanes8 fine = 0.5 * growth * growth - 2.0 * (e00 * e11 - e01 * e01);
    const lanes8 excess = lanes_select(lanes_abs(trace) < 0.5, fine, trace - growth);
    const lanes8 psi = e->mu * (excess + log_excess) + 0.5 * e->lambda * logarithm * logarithm;
    return lanes_select(s->area_ratio < SMALLEST_J, lanes_set(INFINITY), psi);
}

/// Computes out_a = volume P b_a of the three nodes, with P = mu F + (lambda ln J - mu) F C^-1.
ALWAYS_INLINE void forces(const struct triangle_lanes *e, const struct surface *s, lanes8 logarithm,
                          lanes8 out[3][3]) {
    const lanes8 pressure = e->lambda * logarithm - e->mu;
    for (int i = 0; i < 3; i++) {
        const lanes8 p0 = e->volume * (e->mu * e->f[0][i] + pressure * s->dual[0][i]);
        const lanes8 p1 = e->volume * (e->mu * e->f[1][i] + pressure * s->dual[1][i]);
        out[1][i] = p0 * e->b[0] + p1 * e->b[1];
        out[2][i] = p0 * e->b[2] + p1 * e->b[3];
        out[0][i] = -(out[1][i] + out[2][i]);
    }
}

/// Adds value, gradient and values by node; those that are null are skipped. first_order_passes.h
/// specialises this kernel.
ALWAYS_INLINE void add_first_order(const struct membrane_elements *elements,
                                   const struct stencil_groups *groups, size_t begin, size_t end,
                                   const double *x, double *value, double *gradient,
                                   double *node_values) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct triangle_lanes e;
        struct surface s;
        lanes8 logarithm;
        lanes8 log_excess;
        triangle_load(elements, groups, g, x, &e);
        surface_measure(&e, &s);
        log_with_excess_lanes(s.j, &logarithm, &log_excess);
        if (value != NULL) {
            const lanes8 energy = e.volume * density(&e, &s, logarithm, log_excess);
            sum += energy;
            if (node_values != NULL) {
                scatter_values(energy, groups->node + g * 3 * LANES, node_values);
            }
        }
        if (gradient != NULL) {
            lanes8 force[3][3];
            forces(&e, &s, logarithm, force);
            for (size_t a = 0; a < 3; a++) {
                scatter_vector(force[a], groups->vector_slot + (g * 3 + a) * LANES, gradient);
            }
        }
    }
    if (value != NULL) {
        *value += lanes_sum(sum);
    }
}

#define FIRST_ORDER_ELEMENTS membrane_elements
#include "energy/first_order_passes.h"

// --- Hessians ---

/// Multiplies the moduli by the element's weight; this scales the Hessian, as the density is
/// homogeneous of degree one in them.
ALWAYS_INLINE void scale_moduli(const struct membrane_elements *elements, size_t g, bool damping,
                                struct triangle_lanes *e) {
    const lanes8 weight = damping ? e->volume * lanes_load(elements->damping + g * LANES)
                                  : e->volume;
    e->mu *= weight;
    e->lambda *= weight;
}

/// Computes the block of dP/dF between the shape gradients p and q: mu p.q 1 + lambda Gp (x) Gq -
/// pressure Gq (x) Gp + pressure (Gp.Gq) n (x) n. G = F C^-1 maps shape gradients to the deformed
/// triangle; the formula uses dG = n (n.dF) C^-1 - G dF^T G.
ALWAYS_INLINE void exact_block(const struct triangle_lanes *e, const struct surface *s,
                               lanes8 pressure, const lanes8 p[2], const lanes8 q[2], lanes8 k[9]) {
    lanes8 gp[3];
    lanes8 gq[3];
    for (int i = 0; i < 3; i++) {
        gp[i] = s->dual[0][i] * p[0] + s->dual[1][i] * p[1];
        gq[i] = s->dual[0][i] * q[0] + s->dual[1][i] * q[1];
    }
    const lanes8 outward = pressure * dot_lanes(gp, gq);
    const lanes8 diagonal = e->mu * (p[0] * q[0] + p[1] * q[1]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k[3 * i + j] = e->lambda * gp[i] * gq[j] - pressure * gq[i] * gp[j] +
                           outward * s->normal[i] * s->normal[j];
        }
        k[4 * i] += diagonal;
    }
}

static PBS_MULTIVERSION void add_exact_hessian(const struct membrane_elements *elements,
                                               const struct stencil_groups *groups, size_t begin,
                                               size_t end, const struct evaluation *evaluation,
                                               double *blocks) {
    for (size_t g = begin; g < end; g++) {
        struct triangle_lanes e;
        struct surface s;
        lanes8 k[PAIR_COUNT][9];
        triangle_load(elements, groups, g, evaluation->x, &e);
        scale_moduli(elements, g, evaluation->damping_weights, &e);
        surface_measure(&e, &s);
        const lanes8 pressure = e.lambda * log_lanes(s.j) - e.mu;
        exact_block(&e, &s, pressure, e.b, e.b, k[PAIR_11]);
        exact_block(&e, &s, pressure, e.b, e.b + 2, k[PAIR_12]);
        exact_block(&e, &s, pressure, e.b + 2, e.b + 2, k[PAIR_22]);
        complete_blocks(k);
        for (size_t pair = 0; pair < PAIR_COUNT; pair++) {
            scatter_block(k[pair], groups->block_slot + (g * PAIR_COUNT + pair) * LANES, blocks);
        }
    }
}

/// Replaces a symmetric 2x2 matrix (entries 00 01 11) by the nearest positive semidefinite one.
ALWAYS_INLINE void clamp_stretch(lanes8 a[3]) {
    const lanes8 zero = lanes_set(0.0);
    const lanes8 half = 0.5 * (a[0] - a[2]);
    const lanes8 mean = 0.5 * (a[0] + a[2]);
    const lanes8 radius = lanes_sqrt(half * half + a[1] * a[1]);
    const lanes8 low = mean - radius;
    const lanes8 high = mean + radius;
    const mask8 indefinite = low < 0.0;
    // If only `low` is negative, the projection is high (A - low 1) / (high - low); if both are, it
    // is zero.
    const lanes8 spread = lanes_select(radius > 0.0, 2.0 * radius, lanes_set(1.0));
    const lanes8 scale = lanes_max(high, zero) / spread;
    a[0] = lanes_select(indefinite, scale * (radius + half), a[0]);
    a[1] = lanes_select(indefinite, scale * a[1], a[1]);
    a[2] = lanes_select(indefinite, scale * (radius - half), a[2]);
}

ALWAYS_INLINE void clamped_set(const struct triangle_lanes *e, const struct surface *s,
                               struct framed_tangent *t) {
    const lanes8 zero = lanes_set(0.0);
    const lanes8 one = lanes_set(1.0);
    first_stretch_axis(e->f, t->v);
    for (int i = 0; i < 3; i++) {
        t->frame[0][i] = e->f[0][i] * t->v[0] + e->f[1][i] * t->v[1];
        t->frame[2][i] = s->normal[i];
    }
    const lanes8 length = lanes_sqrt(dot_lanes(t->frame[0], t->frame[0]));
    const lanes8 first = lanes_select(length > 0.0, length, one);
    scale_lanes(1.0 / first, t->frame[0], t->frame[0]);
    cross_lanes(t->frame[2], t->frame[0], t->frame[1]);
    const lanes8 product = 1.0 / s->j; // 1 / (s0 s1)
    const lanes8 inverse[2] = {1.0 / first, first * product};
    const lanes8 pressure = e->lambda * log_lanes(s->j) - e->mu;
    t->stretch[0] = e->mu + (e->lambda - pressure) * inverse[0] * inverse[0];
    t->stretch[1] = e->lambda * product;
    t->stretch[2] = e->mu + (e->lambda - pressure) * inverse[1] * inverse[1];
    clamp_stretch(t->stretch);
    const lanes8 symmetric = lanes_max(e->mu - pressure * product, zero);
    const lanes8 antisymmetric = lanes_max(e->mu + pressure * product, zero);
    t->straight = 0.5 * (symmetric + antisymmetric);
    t->crossed = 0.5 * (symmetric - antisymmetric);
    t->outward[0] = lanes_max(e->mu + pressure * inverse[0] * inverse[0], zero);
    t->outward[1] = lanes_max(e->mu + pressure * inverse[1] * inverse[1], zero);
}

static PBS_MULTIVERSION void add_clamped_hessian(const struct membrane_elements *elements,
                                                 const struct stencil_groups *groups, size_t begin,
                                                 size_t end, const struct evaluation *evaluation,
                                                 double *blocks) {
    for (size_t g = begin; g < end; g++) {
        struct triangle_lanes e;
        struct surface s;
        struct framed_tangent t;
        lanes8 k[PAIR_COUNT][9];
        triangle_load(elements, groups, g, evaluation->x, &e);
        scale_moduli(elements, g, evaluation->damping_weights, &e);
        surface_measure(&e, &s);
        clamped_set(&e, &s, &t);
        framed_blocks(&t, e.b, k);
        for (size_t pair = 0; pair < PAIR_COUNT; pair++) {
            scatter_block(k[pair], groups->block_slot + (g * PAIR_COUNT + pair) * LANES, blocks);
        }
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct membrane *membrane = self;
    const struct membrane_elements *elements = &membrane->elements;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->damping_weights && !membrane->has_damping) {
        return EVALUATE_OK;
    }
    add_requested(elements, groups, begin, end, evaluation, sums);
    if ((evaluation->what & EVALUATE_HESSIAN) &&
        (evaluation->project || evaluation->project_shells)) {
        add_clamped_hessian(elements, groups, begin, end, evaluation, sums->blocks);
    } else if (evaluation->what & EVALUATE_HESSIAN) {
        add_exact_hessian(elements, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

// --- the largest step ---

static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    const struct membrane *membrane = self;
    (void)assembly;
    return inversion_within(limit, membrane_bound_step(&membrane->elements, groups,
                                                       groups->domain_group[domain],
                                                       groups->domain_group[domain + 1], x,
                                                       direction, inversion_far(limit)));
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    return membrane_bind(self, memory, groups);
}

static void destroy(void *self, struct memory *memory) {
    membrane_destroy(self, memory);
}

static const struct term_table table = {
    .name = "membrane",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .max_step = max_step,
    .has_damping = true,
    .bind = bind_elements,
    .destroy = destroy,
};

struct term membrane_term(struct membrane *membrane) {
    return (struct term){
        .table = &table,
        .self = membrane,
        .has_stencils = true,
        .stencils = {.count = membrane->triangle_count, .width = 3, .nodes = membrane->triangles},
    };
}

struct membrane *membrane_of(const struct term *term) {
    return term->table == &table ? term->self : NULL;
}
