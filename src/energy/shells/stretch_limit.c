// Arranges triangles in lanes in the assembly's groups, and evaluates their barriers.
// SPDX-License-Identifier: MIT
#include "energy/shells/stretch_limit.h"

#include <math.h>

#include "base/lanes/logarithm.h"
#include "base/matrix3/math3.h"
#include "energy/deformation/inversion.h"
#include "energy/scatter.h"
#include "energy/shells/membrane.h"
#include "energy/shells/stretch_limit_lanes.h"

struct stretch_limit {
    size_t triangle_count;
    uint32_t *triangles;
    double *gradients; ///< triangle_count x 4: shape gradients of nodes 1, 2, in the order of the
                       ///< input
    double *volume, *modulus, *limit; ///< triangle_count
    struct stretch_limit_elements elements;
    double *lanes; ///< storage of elements' arrays
    size_t lanes_capacity;
};

// --- creation ---

static pbs_status fill_triangles(const struct stretch_limit_input *input,
                                 struct stretch_limit *limits) {
    for (size_t t = 0; t < input->triangle_count; t++) {
        const double area = membrane_rest_gradients(input->rest, input->triangles + 3 * t,
                                                    limits->gradients + 4 * t);
        if (!(area > 0.0) || !isfinite(area)) {
            return status_fail(PBS_ERROR_MESH, "triangle %zu: rest area %g m^2, must be positive",
                               t, area);
        }
        limits->volume[t] = input->thickness[t] * area;
        limits->modulus[t] = input->modulus[t];
        limits->limit[t] = input->limit[t];
    }
    memcpy(limits->triangles, input->triangles,
           3 * input->triangle_count * sizeof *input->triangles);
    return PBS_OK;
}

static bool allocate_triangles(struct memory *memory, struct stretch_limit *limits) {
    const size_t count = limits->triangle_count;
    limits->triangles = memory_allocate(memory, count, 3 * sizeof *limits->triangles);
    limits->gradients = memory_allocate(memory, count, 4 * sizeof(double));
    limits->volume = memory_allocate(memory, count, sizeof(double));
    limits->modulus = memory_allocate(memory, count, sizeof(double));
    limits->limit = memory_allocate(memory, count, sizeof(double));
    return limits->triangles && limits->gradients && limits->volume && limits->modulus &&
           limits->limit;
}

pbs_status stretch_limit_create(struct memory *memory, const struct stretch_limit_input *input,
                                struct stretch_limit **out) {
    struct stretch_limit *limits = memory_allocate(memory, 1, sizeof *limits);
    if (limits == NULL) {
        return PBS_ERROR_MEMORY;
    }
    limits->triangle_count = input->triangle_count;
    const pbs_status status = allocate_triangles(memory, limits) ? fill_triangles(input, limits)
                                                                 : PBS_ERROR_MEMORY;
    if (status < 0) {
        stretch_limit_destroy(limits, memory);
        return status;
    }
    *out = limits;
    return PBS_OK;
}

void stretch_limit_destroy(struct stretch_limit *limits, struct memory *memory) {
    if (limits == NULL) {
        return;
    }
    memory_release(memory, limits->triangles);
    memory_release(memory, limits->gradients);
    memory_release(memory, limits->volume);
    memory_release(memory, limits->modulus);
    memory_release(memory, limits->limit);
    memory_release(memory, limits->lanes);
    memory_release(memory, limits);
}

// --- lanes ---

/// The barrier takes this part of the way from the rest shape to the limit.
static const double SHARE = 0.5;

static double width_of(double limit) {
    return SHARE * (limit - 1.0);
}

// Doubles per lane: 4 of the gradients, then limit, width and force, which have an array each.
enum { DOUBLES_PER_LANE = 7 };

/// Writes limit, width and force into the lanes of which `to` is the first array's.
static void put_values(double *to, size_t lane_count, double volume, double modulus, double limit) {
    to[0] = limit;
    to[lane_count] = width_of(limit);
    to[2 * lane_count] = modulus * volume;
}

pbs_status stretch_limit_bind(struct stretch_limit *limits, struct memory *memory,
                              const struct stencil_groups *groups) {
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &limits->lanes, &limits->lanes_capacity,
                                    DOUBLES_PER_LANE * lane_count, sizeof(double)));
    double *gradients = limits->lanes;
    double *limit = gradients + 4 * lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t t = padding ? 0 : groups->stencil[i];
        membrane_put_gradients(limits->gradients + 4 * t, groups, i, gradients);
        // Padding lanes have a finite limit and no force.
        put_values(limit + i, lane_count, padding ? 0.0 : limits->volume[t], limits->modulus[t],
                   limits->limit[t]);
    }
    limits->elements = (struct stretch_limit_elements){gradients, limit, limit + lane_count,
                                                       limit + 2 * lane_count};
    return PBS_OK;
}

void stretch_limit_set_values(struct stretch_limit *limits, const struct stencil_groups *groups,
                              size_t triangle, double volume, double modulus, double limit) {
    const size_t lane_count = groups->group_count * LANES;
    limits->volume[triangle] = volume;
    limits->modulus[triangle] = modulus;
    limits->limit[triangle] = limit;
    put_values(limits->lanes + 4 * lane_count + groups->lane[triangle], lane_count, volume, modulus,
               limit);
}

// --- the barrier of one stretch ---

/// K over the modulus of a sheet that keeps its width. Newton's method takes fewest iterations
/// where K is about the largest stress, and few within a factor of 100 of that.
static const double STIFFENING = 100.0;

double stretch_limit_modulus(double young, double poisson) {
    return STIFFENING * young / (1.0 - poisson * poisson);
}

void stretch_limit_measure(const double f[6], double stretches[2], double axis[2]) {
    double cross[3];
    const double off = dot3(f, f + 3);
    const double half = 0.5 * (dot3(f, f) - dot3(f + 3, f + 3));
    const double radius = hypot(half, off);
    const double a = half >= 0.0 ? half + radius : off;
    const double b = half >= 0.0 ? off : radius - half;
    const double length = hypot(a, b);
    axis[0] = length > 0.0 ? a / length : 1.0;
    axis[1] = length > 0.0 ? b / length : 0.0;
    cross3(f, f + 3, cross);
    stretches[0] = sqrt(0.5 * (dot3(f, f) + dot3(f + 3, f + 3)) + radius);
    stretches[1] = stretches[0] > 0.0 ? norm3(cross) / stretches[0] : 0.0;
}

double stretch_limit_stress(double modulus, double limit, double stretch) {
    const double width = width_of(limit);
    const double left = (limit - stretch) / width;
    const double u = 1.0 - left;
    return u > 0.0 ? modulus * (u * u / left - 2.0 * u * log(left)) : 0.0;
}

/// How far a singular value is on the way from where the barrier begins to the limit.
struct approach {
    lanes8 u;    ///< 0 below the barrier, and where the limit is reached
    lanes8 left; ///< 1 - u, without its rounding near 0; positive
    lanes8 log;  ///< ln left
};

ALWAYS_INLINE void approach_set(const struct stretched_lanes *e, lanes8 s, struct approach *a) {
    const lanes8 one = lanes_set(1.0);
    const lanes8 left = (e->limit - s) / e->width;
    a->left = lanes_select(lanes_both(left > 0.0, left < 1.0), left, one);
    a->u = one - a->left;
    a->log = log_lanes(a->left);
}

/// Returns the energy over K w h A: -u^2 ln(1 - u).
ALWAYS_INLINE lanes8 approach_energy(const struct approach *a) {
    return -a->u * a->u * a->log;
}

/// Returns its derivative.
ALWAYS_INLINE lanes8 approach_slope(const struct approach *a) {
    return a->u * (a->u / a->left - 2.0 * a->log);
}

/// Returns its second derivative.
ALWAYS_INLINE lanes8 approach_curvature(const struct approach *a) {
    const lanes8 ratio = a->u / a->left;
    return ratio * ratio + 4.0 * ratio - 2.0 * a->log;
}

/// Returns atanh(r) / r for the r in [0, 1) of (1 + r) / (1 - r) = ratio.
ALWAYS_INLINE lanes8 atanh_over(lanes8 r, lanes8 ratio) {
    const lanes8 z = r * r;
    lanes8 series = lanes_set(1.0 / 17.0);
    for (int k = 15; k > 0; k -= 2) {
        series = 1.0 / k + z * series;
    }
    const mask8 is_near = r < 0.1; // the next term of the series is below 1e-18
    const lanes8 divisor = lanes_select(is_near, lanes_set(1.0), 2.0 * r);
    return lanes_select(is_near, series, log_lanes(ratio) / divisor);
}

/// Returns the difference of the slopes at a and b over that of u, a above b, without cancellation
/// where they are close to each other or equal. From slope(u) = 1 / l - 1 - u - 2 u ln l with l =
/// 1 - u, where ln l has the difference quotient -atanh(r) / r / mean(l), r = (l_b - l_a) / (l_b +
/// l_a).
ALWAYS_INLINE lanes8 approach_secant(const struct approach *a, const struct approach *b) {
    const lanes8 product = a->left * b->left;
    const lanes8 sum = a->left + b->left;
    const lanes8 r = (b->left - a->left) / sum;
    const lanes8 logarithm = 2.0 / sum * atanh_over(r, b->left / a->left);
    return (1.0 - product) / product - 2.0 * a->log + 2.0 * b->u * logarithm;
}

// --- value and gradient ---

/// Computes out_a = P b_a of the three nodes, P = F (p_0 v_0 v_0^T + p_1 v_1 v_1^T), p the slopes
/// over the singular values, as p_1 F + (p_0 - p_1) F v_0 v_0^T: of equal ones it is the same for
/// any v_0.
ALWAYS_INLINE void forces(const struct stretched_lanes *e, const lanes8 p[2], lanes8 out[3][3]) {
    lanes8 v[2];
    first_stretch_axis(e->f, v);
    const lanes8 difference = p[0] - p[1];
    for (int i = 0; i < 3; i++) {
        const lanes8 along = difference * (e->f[0][i] * v[0] + e->f[1][i] * v[1]);
        const lanes8 p0 = p[1] * e->f[0][i] + along * v[0];
        const lanes8 p1 = p[1] * e->f[1][i] + along * v[1];
        out[1][i] = p0 * e->b[0] + p1 * e->b[1];
        out[2][i] = p0 * e->b[2] + p1 * e->b[3];
        out[0][i] = -(out[1][i] + out[2][i]);
    }
}

/// Returns the lanes whose barrier has begun. Those of a cloth that is slack have not.
ALWAYS_INLINE mask8 begun(const struct stretched_lanes *e) {
    return lanes_both(e->s[0] > e->limit - e->width, e->force > 0.0);
}

/// Returns the energies; infinite where a limit is reached.
ALWAYS_INLINE lanes8 energies(const struct stretched_lanes *e, const struct approach a[2]) {
    const lanes8 energy = e->force * e->width * (approach_energy(&a[0]) + approach_energy(&a[1]));
    return lanes_select(lanes_both(begun(e), ~(e->s[0] < e->limit)), lanes_set(INFINITY), energy);
}

/// Adds value, gradient and values by node; those that are null are skipped. first_order_passes.h
/// specialises this kernel.
ALWAYS_INLINE void add_first_order(const struct stretch_limit_elements *elements,
                                   const struct stencil_groups *groups, size_t begin, size_t end,
                                   const double *x, double *value, double *gradient,
                                   double *node_values) {
    const lanes8 one = lanes_set(1.0);
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct stretched_lanes e;
        struct approach a[2];
        stretched_load(elements, groups, g, x, &e);
        if (!lanes_any(begun(&e))) {
            continue;
        }
        approach_set(&e, e.s[0], &a[0]);
        approach_set(&e, e.s[1], &a[1]);
        if (value != NULL) {
            const lanes8 energy = energies(&e, a);
            sum += energy;
            if (node_values != NULL) {
                scatter_values(energy, groups->node + g * 3 * LANES, node_values);
            }
        }
        if (gradient != NULL) {
            lanes8 p[2];
            lanes8 force[3][3];
            for (int i = 0; i < 2; i++) {
                p[i] = e.force * approach_slope(&a[i]) / lanes_select(a[i].u > 0.0, e.s[i], one);
            }
            forces(&e, p, force);
            for (size_t k = 0; k < 3; k++) {
                scatter_vector(force[k], groups->vector_slot + (g * 3 + k) * LANES, gradient);
            }
        }
    }
    if (value != NULL) {
        *value += lanes_sum(sum);
    }
}

#define FIRST_ORDER_ELEMENTS stretch_limit_elements
#include "energy/first_order_passes.h"

// --- Hessians ---

/// Sets the frame of F. The normal and u_1 only matter where the barrier has begun; there a
/// triangle without area, whose membrane has infinite energy, gets finite numbers.
ALWAYS_INLINE void frame_set(const struct stretched_lanes *e, struct framed_tangent *t) {
    lanes8 cross[3];
    const lanes8 one = lanes_set(1.0);
    first_stretch_axis(e->f, t->v);
    cross_lanes(e->f[0], e->f[1], cross);
    scale_lanes(1.0 / lanes_select(e->area_ratio > 0.0, e->area_ratio, one), cross, t->frame[2]);
    for (int i = 0; i < 3; i++) {
        t->frame[0][i] = e->f[0][i] * t->v[0] + e->f[1][i] * t->v[1];
    }
    scale_lanes(1.0 / lanes_select(e->s[0] > 0.0, e->s[0], one), t->frame[0], t->frame[0]);
    cross_lanes(t->frame[2], t->frame[0], t->frame[1]);
}

/// Sets dP/dF in that frame. All its eigenvalues are those of a convex function, 0 or more.
ALWAYS_INLINE void tangent_set(const struct stretched_lanes *e, struct framed_tangent *t) {
    const lanes8 one = lanes_set(1.0);
    const lanes8 stiffness = e->force / e->width;
    struct approach a[2];
    lanes8 slope[2];
    frame_set(e, t);
    for (int i = 0; i < 2; i++) {
        approach_set(e, e->s[i], &a[i]);
        slope[i] = e->force * approach_slope(&a[i]);
        t->outward[i] = slope[i] / lanes_select(a[i].u > 0.0, e->s[i], one);
    }
    t->stretch[0] = stiffness * approach_curvature(&a[0]);
    t->stretch[1] = lanes_set(0.0);
    t->stretch[2] = stiffness * approach_curvature(&a[1]);
    // Where only one of the two has begun, u differs by less than s / w.
    const mask8 both = a[1].u > 0.0;
    const lanes8 distance = e->s[0] - e->s[1];
    const lanes8 part = e->width * a[0].u / lanes_select(distance > 0.0, distance, one);
    const lanes8 symmetric = stiffness * approach_secant(&a[0], &a[1]) *
                             lanes_select(both, one, part);
    const lanes8 antisymmetric = (slope[0] + slope[1]) /
                                 lanes_select(a[0].u > 0.0, e->s[0] + e->s[1], one);
    t->straight = 0.5 * (symmetric + antisymmetric);
    t->crossed = 0.5 * (symmetric - antisymmetric);
}

static PBS_MULTIVERSION void add_hessian(const struct stretch_limit_elements *elements,
                                         const struct stencil_groups *groups, size_t begin,
                                         size_t end, const double *x, double *blocks) {
    for (size_t g = begin; g < end; g++) {
        struct stretched_lanes e;
        struct framed_tangent t;
        lanes8 k[PAIR_COUNT][9];
        stretched_load(elements, groups, g, x, &e);
        if (!lanes_any(begun(&e))) {
            continue;
        }
        tangent_set(&e, &t);
        framed_blocks(&t, e.b, k);
        for (size_t pair = 0; pair < PAIR_COUNT; pair++) {
            scatter_block(k[pair], groups->block_slot + (g * PAIR_COUNT + pair) * LANES, blocks);
        }
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct stretch_limit *limits = self;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    add_requested(&limits->elements, groups, begin, end, evaluation, sums);
    if (evaluation->what & EVALUATE_HESSIAN) {
        add_hessian(&limits->elements, groups, begin, end, evaluation->x, sums->blocks);
    }
    return EVALUATE_OK;
}

// --- the largest step ---

static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    const struct stretch_limit *limits = self;
    (void)assembly;
    return inversion_within(limit, stretch_limit_bound_step(&limits->elements, groups,
                                                            groups->domain_group[domain],
                                                            groups->domain_group[domain + 1], x,
                                                            direction, inversion_far(limit)));
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    return stretch_limit_bind(self, memory, groups);
}

static void destroy(void *self, struct memory *memory) {
    stretch_limit_destroy(self, memory);
}

static const struct term_table table = {
    .name = "stretch limit",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .max_step = max_step,
    .is_limit = true,
    .bind = bind_elements,
    .destroy = destroy,
};

struct term stretch_limit_term(struct stretch_limit *limits) {
    return (struct term){
        .table = &table,
        .self = limits,
        .has_stencils = true,
        .stencils = {.count = limits->triangle_count, .width = 3, .nodes = limits->triangles},
    };
}

struct stretch_limit *stretch_limit_of(const struct term *term) {
    return term->table == &table ? term->self : NULL;
}
