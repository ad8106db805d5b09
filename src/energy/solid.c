// Arranges tetrahedra in lanes as the assembly grouped them, and bounds the step of materials that
// do not invert.
#include "energy/solid.h"

#include <float.h>
#include <math.h>

#include "base/math3.h"
#include "energy/element.h"
#include "energy/strain.h"

struct solid {
    const struct material_table *material;
    size_t tet_count;
    uint32_t *tets;
    double *gradients; ///< tet_count x 9: shape gradients of nodes 1, 2, 3, the rows of Dm^-1
    double *volume;    ///< tet_count
    double *mu, *lambda, *damping;
    bool has_damping;
    struct solid_elements elements;
    double *lanes; ///< what elements points into
    size_t lanes_capacity;
};

static pbs_status measure_tet(const struct solid_input *input, size_t t, struct solid *solid) {
    const uint32_t *node = input->tets + 4 * t;
    double edges[9];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) {
            edges[3 * i + a] = input->rest[3 * (size_t)node[a + 1] + (size_t)i] -
                               input->rest[3 * (size_t)node[0] + (size_t)i];
        }
    }
    const double volume = determinant3(edges) / 6.0;
    if (!(volume > 0.0) || !isfinite(volume)) {
        return status_fail(PBS_ERROR_MESH, "tetrahedron %zu: rest volume %g m^3, must be positive",
                           t, volume);
    }
    invert33(edges, solid->gradients + 9 * t);
    solid->volume[t] = volume;
    return PBS_OK;
}

static pbs_status fill_tets(const struct solid_input *input, struct solid *solid) {
    for (size_t t = 0; t < input->tet_count; t++) {
        RETURN_IF_FAILED(measure_tet(input, t, solid));
        solid->material->parameters(input->young[t], input->poisson[t], &solid->mu[t],
                                    &solid->lambda[t]);
        solid->damping[t] = input->damping[t];
        solid->has_damping |= input->damping[t] > 0.0;
    }
    memcpy(solid->tets, input->tets, 4 * input->tet_count * sizeof *input->tets);
    return PBS_OK;
}

static bool allocate_tets(struct memory *memory, struct solid *solid) {
    const size_t count = solid->tet_count;
    solid->tets = memory_allocate(memory, count, 4 * sizeof *solid->tets);
    solid->gradients = memory_allocate(memory, count, 9 * sizeof(double));
    solid->volume = memory_allocate(memory, count, sizeof(double));
    solid->mu = memory_allocate(memory, count, sizeof(double));
    solid->lambda = memory_allocate(memory, count, sizeof(double));
    solid->damping = memory_allocate(memory, count, sizeof(double));
    return solid->tets && solid->gradients && solid->volume && solid->mu && solid->lambda &&
           solid->damping;
}

pbs_status solid_create(struct memory *memory, const struct solid_input *input,
                        struct solid **out) {
    struct solid *solid = memory_allocate(memory, 1, sizeof *solid);
    if (solid == NULL) {
        return PBS_ERROR_MEMORY;
    }
    solid->material = input->material;
    solid->tet_count = input->tet_count;
    const pbs_status status = allocate_tets(memory, solid) ? fill_tets(input, solid)
                                                           : PBS_ERROR_MEMORY;
    if (status < 0) {
        solid_destroy(solid, memory);
        return status;
    }
    *out = solid;
    return PBS_OK;
}

void solid_destroy(struct solid *solid, struct memory *memory) {
    if (solid == NULL) {
        return;
    }
    memory_release(memory, solid->tets);
    memory_release(memory, solid->gradients);
    memory_release(memory, solid->volume);
    memory_release(memory, solid->mu);
    memory_release(memory, solid->lambda);
    memory_release(memory, solid->damping);
    memory_release(memory, solid->lanes);
    memory_release(memory, solid);
}

/// The gradient of a node's barycentric coordinate, whichever order the nodes are taken in; those
/// of all four add to zero.
static void shape_gradient(const double rows[9], int node, double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = node == 0 ? -(rows[i] + rows[3 + i] + rows[6 + i]) : rows[3 * (node - 1) + i];
    }
}

// Lanes of one group: 9 of the gradients, then volume, mu, lambda, damping, each in an array of its
// own.
enum { DOUBLES_PER_LANE = 13 };

pbs_status solid_bind(struct solid *solid, struct memory *memory,
                      const struct stencil_groups *groups) {
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &solid->lanes, &solid->lanes_capacity,
                                    DOUBLES_PER_LANE * lane_count, sizeof(double)));
    double *gradients = solid->lanes;
    double *volume = gradients + 9 * lane_count;
    double *mu = volume + lane_count;
    double *lambda = mu + lane_count;
    double *damping = lambda + lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        const size_t group = i / LANES;
        const size_t lane = i % LANES;
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t t = padding ? 0 : groups->stencil[i];
        for (size_t a = 0; a < 3; a++) {
            const uint8_t local = groups->local[(group * 4 + a + 1) * LANES + lane];
            double gradient[3] = {0.0, 0.0, 0.0};
            if (!padding) {
                shape_gradient(solid->gradients + 9 * t, local, gradient);
            }
            for (size_t j = 0; j < 3; j++) {
                gradients[(group * 9 + 3 * a + j) * LANES + lane] = gradient[j];
            }
        }
        volume[i] = padding ? 0.0 : solid->volume[t];
        damping[i] = padding ? 0.0 : solid->damping[t];
        mu[i] = solid->mu[t]; // padding computes with finite moduli and a weight of zero
        lambda[i] = solid->lambda[t];
    }
    solid->elements = (struct solid_elements){gradients, volume, mu, lambda, damping};
    return PBS_OK;
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct solid *solid = self;
    (void)assembly;
    if (evaluation->damping_weights && !solid->has_damping) {
        return EVALUATE_OK;
    }
    return solid->material->evaluate(&solid->elements, groups, groups->domain_group[domain],
                                     groups->domain_group[domain + 1], evaluation, sums);
}

// --- the largest step: J(t) = det(F + t dF) must stay positive ---

static double cubic(const double c[4], double t) {
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

/// The roots of the derivative c1 + 2 c2 t + 3 c3 t^2, ascending; returns how many.
static int turning_points(const double c[4], double out[2]) {
    const double discriminant = c[2] * c[2] - 3.0 * c[3] * c[1];
    if (discriminant < 0.0) {
        return 0;
    }
    const double q = -(c[2] + copysign(sqrt(discriminant), c[2]));
    const double first = q / (3.0 * c[3]);
    const double second = c[1] / q;
    int count = 0;
    if (isfinite(first)) {
        out[count++] = first;
    }
    if (isfinite(second)) {
        out[count++] = second;
    }
    if (count == 2 && out[0] > out[1]) {
        const double swap = out[0];
        out[0] = out[1];
        out[1] = swap;
    }
    return count;
}

/// The sign change between low (positive) and high (not), from below, to the last bit.
static double bisect(const double c[4], double low, double high) {
    for (;;) {
        const double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) {
            return low;
        }
        if (cubic(c, middle) > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The first t in (0, limit] at which the cubic, positive at 0, is no longer above rounding; limit
/// if there is none. Between turning points it is monotone, so that looking at these and at the end
/// misses nothing.
static double first_root(const double c[4], double limit) {
    double stops[3];
    int count = turning_points(c, stops);
    stops[count++] = limit;
    double low = 0.0;
    for (int i = 0; i < count; i++) {
        const double t = fmin(stops[i], limit);
        if (!(t > low)) {
            continue;
        }
        const double size = fabs(c[0]) + t * (fabs(c[1]) + t * (fabs(c[2]) + t * fabs(c[3])));
        const double value = cubic(c, t);
        if (value <= 0.0) {
            return bisect(c, low, t);
        }
        // A double root that rounding lifted off zero; the state there is as good as flat.
        if (t < limit && value <= 4.0 * DBL_EPSILON * size && value < 0.5 * cubic(c, low)) {
            return t;
        }
        low = t;
    }
    return limit;
}

ALWAYS_INLINE lanes8 contract(const lanes8 a[9], const lanes8 b[9]) {
    lanes8 sum = a[0] * b[0];
    for (int i = 1; i < 9; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// The coefficients of J(t) for a group; in padding lanes J = 1.
ALWAYS_INLINE void determinant_cubic(const struct solid_elements *elements,
                                     const struct stencil_groups *groups, size_t g, const double *x,
                                     const double *direction, lanes8 c[4]) {
    struct element_lanes e;
    lanes8 d[9];
    lanes8 cofactor_f[9];
    lanes8 cofactor_d[9];
    element_load(elements, groups, g, x, &e);
    element_gradient(groups->node + g * 4 * LANES, direction, e.b, d);
    cofactor_lanes(e.f, cofactor_f);
    cofactor_lanes(d, cofactor_d);
    c[0] = determinant_lanes(e.f, cofactor_f);
    c[1] = contract(cofactor_f, d);
    c[2] = contract(e.f, cofactor_d);
    c[3] = determinant_lanes(d, cofactor_d);
}

/// Lanes in which some coefficient could bring J down to zero before the limit. J(0) <= 0 has no
/// bound to give.
ALWAYS_INLINE mask8 may_collapse(const lanes8 c[4], double limit) {
    const lanes8 zero = lanes_set(0.0);
    const lanes8 lowest = c[0] +
                          limit * (lanes_min(c[1], zero) +
                                   limit * (lanes_min(c[2], zero) + limit * lanes_min(c[3], zero)));
    return (c[0] > 0.0) & ~(lowest > 0.0);
}

static PBS_MULTIVERSION double bound_step(const struct solid_elements *elements,
                                          const struct stencil_groups *groups, size_t begin,
                                          size_t end, const double *x, const double *direction,
                                          double limit) {
    for (size_t g = begin; g < end; g++) {
        lanes8 c[4];
        determinant_cubic(elements, groups, g, x, direction, c);
        const mask8 suspects = may_collapse(c, limit);
        for (int l = 0; lanes_any(suspects) && l < LANES; l++) {
            if (suspects[l]) {
                const double coefficients[4] = {c[0][l], c[1][l], c[2][l], c[3][l]};
                limit = first_root(coefficients, limit);
            }
        }
    }
    return limit;
}

static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    const struct solid *solid = self;
    (void)assembly;
    // An infinite limit leaves nothing to bisect: the cubic is looked at where it is finite.
    const double far = fmin(limit, 1e12);
    const double bound = bound_step(&solid->elements, groups, groups->domain_group[domain],
                                    groups->domain_group[domain + 1], x, direction, far);
    return bound < far ? bound : limit;
}

static const struct term_table table_finite = {
    .name = "solid",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .has_damping = true,
};

static const struct term_table table_bounded = {
    .name = "solid",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .max_step = max_step,
    .has_damping = true,
};

struct term solid_term(struct solid *solid) {
    return (struct term){
        .table = solid->material->inversion_is_infinite ? &table_bounded : &table_finite,
        .self = solid,
        .has_stencils = true,
        .stencils = {.count = solid->tet_count, .width = 4, .nodes = solid->tets},
    };
}
