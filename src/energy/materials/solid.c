// Arranges tetrahedra in lanes in the assembly's groups, evaluates them with the material's kernel,
// and bounds the step if the energy is infinite under inversion.
// SPDX-License-Identifier: MIT
#include "energy/materials/solid.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/element.h"
#include "energy/deformation/inversion.h"

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
    struct solid_plasticity *plasticity; ///< null: none flows
};

double solid_rest_gradients(const double *rest, const uint32_t node[4], double rows[9]) {
    double edges[9];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) {
            edges[3 * i + a] = rest[3 * (size_t)node[a + 1] + (size_t)i] -
                               rest[3 * (size_t)node[0] + (size_t)i];
        }
    }
    invert33(edges, rows);
    return determinant3(edges) / 6.0;
}

static pbs_status measure_tet(const struct solid_input *input, size_t t, struct solid *solid) {
    const double volume = solid_rest_gradients(input->rest, input->tets + 4 * t,
                                               solid->gradients + 9 * t);
    if (!(volume > 0.0) || !isfinite(volume)) {
        return status_fail(PBS_ERROR_MESH, "tetrahedron %zu: rest volume %g m^3, must be positive",
                           t, volume);
    }
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

static pbs_status add_plasticity(struct memory *memory, const struct solid_input *input,
                                 struct solid *solid) {
    if (input->laws != NULL) {
        solid->plasticity = solid_plasticity_create(memory, input->tet_count, input->laws,
                                                    input->history);
    }
    return input->laws == NULL || solid->plasticity != NULL ? PBS_OK : PBS_ERROR_MEMORY;
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
    pbs_status status = allocate_tets(memory, solid) ? fill_tets(input, solid) : PBS_ERROR_MEMORY;
    if (status >= 0) {
        status = add_plasticity(memory, input, solid);
    }
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
    solid_plasticity_destroy(solid->plasticity, memory);
    memory_release(memory, solid);
}

/// Computes the shape gradient of any of the four nodes, given those of nodes 1, 2, 3. The four
/// gradients add up to zero.
static void shape_gradient(const double rows[9], int node, double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = node == 0 ? -(rows[i] + rows[3 + i] + rows[6 + i]) : rows[3 * (node - 1) + i];
    }
}

// Doubles per lane: 9 of the gradients, then volume, mu, lambda and damping, which have an array
// each.
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
        mu[i] = solid->mu[t]; // padding lanes have finite moduli and zero volume
        lambda[i] = solid->lambda[t];
    }
    solid->elements = (struct solid_elements){gradients, volume, mu, lambda, damping};
    return solid->plasticity == NULL
               ? PBS_OK
               : solid_plasticity_bind(solid->plasticity, memory, groups, gradients);
}

const struct material_table *solid_material(const struct solid *solid) {
    return solid->material;
}

struct solid_plasticity *solid_plasticity_of(const struct solid *solid) {
    return solid->plasticity;
}

double solid_flow(struct solid *solid, struct tasks *tasks, size_t domain_count, const double *x,
                  double h) {
    return solid_plasticity_update(solid->plasticity, solid->material, &solid->elements, tasks,
                                   domain_count, x, h);
}

void solid_set_moduli(struct solid *solid, const struct stencil_groups *groups, size_t tet,
                      double young, double poisson) {
    const size_t lane_count = groups->group_count * LANES;
    double *mu = solid->lanes + 10 * lane_count; // after nine numbers of the gradients and volume
    double *lambda = mu + lane_count;
    const size_t lane = groups->lane[tet];
    solid->material->parameters(young, poisson, &solid->mu[tet], &solid->lambda[tet]);
    mu[lane] = solid->mu[tet];
    lambda[lane] = solid->lambda[tet];
    if (solid->plasticity != NULL) {
        double small_mu;
        double small_lambda;
        material_lame(young, poisson, &small_mu, &small_lambda);
        solid_plasticity_set_shear_modulus(solid->plasticity, tet, small_mu);
    }
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

static PBS_MULTIVERSION double bound_step(const struct solid_elements *elements,
                                          const struct stencil_groups *groups, size_t begin,
                                          size_t end, const double *x, const double *direction,
                                          double limit) {
    for (size_t g = begin; g < end; g++) {
        struct element_lanes e;
        lanes8 d[9];
        element_load(elements, groups, g, x, &e);
        element_gradient(groups->node + g * 4 * LANES, direction, e.b, d);
        limit = inversion_bound_lanes(e.f, d, limit);
    }
    return limit;
}

static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    const struct solid *solid = self;
    (void)assembly;
    return inversion_within(
        limit, bound_step(&solid->elements, groups, groups->domain_group[domain],
                          groups->domain_group[domain + 1], x, direction, inversion_far(limit)));
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    return solid_bind(self, memory, groups);
}

static void destroy(void *self, struct memory *memory) {
    solid_destroy(self, memory);
}

static const struct term_table table_finite = {
    .name = "solid",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .bind = bind_elements,
    .destroy = destroy,
    .has_damping = true,
};

static const struct term_table table_bounded = {
    .name = "solid",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .max_step = max_step,
    .bind = bind_elements,
    .destroy = destroy,
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
