// The element kernels of one material, eight tetrahedra at a time. A material's .c file defines
// these inline functions over lanes and then includes this file, which defines solid_evaluate and
// solid_point:
//
//     struct measures                              quantities that density and stress share
//     measure(f, measures)
//     density(mu, lambda, measures)                psi, zero at rest, homogeneous in (mu, lambda)
//     stress(mu, lambda, measures, p)              first Piola stress P
//     principal(mu, lambda, sigma, principal)      second derivatives in the signed stretches
//
// and the exact dP/dF in closed form, unless MATERIAL_TANGENT_ROTATED is defined, in which case the
// exact Hessian is also computed in the frame of the singular value decomposition:
//
//     struct tangent, struct tangent_side
//     tangent_set(mu, lambda, weight, f, tangent)  weight * dP/dF
//     tangent_side(tangent, b, side)               products with a shape gradient b
//     tangent_block(tangent, p, q, same, k)        the block between two sides
// Theory: docs/theory/materials.md sections 1 and 3.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_MATERIALS_SOLID_KERNEL_H
#define PBS_ENERGY_MATERIALS_SOLID_KERNEL_H

#include "energy/element.h"
#include "energy/scatter.h"
#include "energy/deformation/tangent.h"

ALWAYS_INLINE void scatter_forces(const struct element_lanes *e, const lanes8 p[9],
                                  const uint32_t *slot, double *gradient) {
    lanes8 force[4][3];
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++) {
            force[a + 1][i] = e->volume * dot_lanes(p + 3 * i, e->b + 3 * a);
        }
        force[0][i] = -(force[1][i] + force[2][i] + force[3][i]);
    }
    for (int a = 0; a < 4; a++) {
        scatter_vector(force[a], slot + a * LANES, gradient);
    }
}

/// Adds value, gradient and values by node; those that are null are skipped. first_order_passes.h
/// specialises this kernel.
ALWAYS_INLINE void add_first_order(const struct solid_elements *elements,
                                   const struct stencil_groups *groups, size_t begin, size_t end,
                                   const double *x, double *value, double *gradient,
                                   double *node_values) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct element_lanes e;
        struct measures m;
        element_load(elements, groups, g, x, &e);
        measure(e.f, &m);
        if (value != NULL) {
            const lanes8 energy = e.volume * density(e.mu, e.lambda, &m);
            sum += energy;
            if (node_values != NULL) {
                scatter_values(energy, groups->node + g * 4 * LANES, node_values);
            }
        }
        if (gradient != NULL) {
            lanes8 p[9];
            stress(e.mu, e.lambda, &m, p);
            scatter_forces(&e, p, groups->vector_slot + g * 4 * LANES, gradient);
        }
    }
    if (value != NULL) {
        *value += lanes_sum(sum);
    }
}

#define FIRST_ORDER_ELEMENTS solid_elements
#include "energy/first_order_passes.h"

// Pairs of a tetrahedron's nodes in the assembly's order.
enum {
    PAIR_00,
    PAIR_01,
    PAIR_02,
    PAIR_03,
    PAIR_11,
    PAIR_12,
    PAIR_13,
    PAIR_22,
    PAIR_23,
    PAIR_33,
    PAIR_COUNT
};

/// Computes the blocks with node 0 from the others: the energy is invariant under translations.
ALWAYS_INLINE void complete_blocks(lanes8 k[PAIR_COUNT][9]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int ij = 3 * i + j;
            const int ji = 3 * j + i;
            k[PAIR_01][ij] = -(k[PAIR_11][ij] + k[PAIR_12][ji] + k[PAIR_13][ji]);
            k[PAIR_02][ij] = -(k[PAIR_12][ij] + k[PAIR_22][ij] + k[PAIR_23][ji]);
            k[PAIR_03][ij] = -(k[PAIR_13][ij] + k[PAIR_23][ij] + k[PAIR_33][ij]);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const int ij = 3 * i + j;
            k[PAIR_00][ij] = -(k[PAIR_01][ij] + k[PAIR_02][ij] + k[PAIR_03][ij]);
        }
    }
    mirror_lanes(k[PAIR_00]);
}

ALWAYS_INLINE void scatter_blocks(lanes8 k[PAIR_COUNT][9], const uint32_t *slot, double *blocks) {
    for (int pair = 0; pair < PAIR_COUNT; pair++) {
        scatter_block(k[pair], slot + pair * LANES, blocks);
    }
}

ALWAYS_INLINE void rotated_tangent_set(lanes8 mu, lanes8 lambda, lanes8 weight, const lanes8 f[9],
                                       bool project, struct rotated_tangent *t) {
    lanes8 sigma[3];
    struct principal at;
    svd3_lanes(f, t->u, sigma, t->v);
    principal(weight * mu, weight * lambda, sigma, &at);
    rotated_set(&at, project, t);
}

ALWAYS_INLINE void rotated_blocks(const struct rotated_tangent *t, const lanes8 b[9],
                                  lanes8 k[PAIR_COUNT][9]) {
    lanes8 c[9];
    for (int a = 0; a < 3; a++) {
        multiply_transposed_lanes(t->v, b + 3 * a, c + 3 * a);
    }
    rotated_block(t, c, c, true, k[PAIR_11]);
    rotated_block(t, c, c + 3, false, k[PAIR_12]);
    rotated_block(t, c, c + 6, false, k[PAIR_13]);
    rotated_block(t, c + 3, c + 3, true, k[PAIR_22]);
    rotated_block(t, c + 3, c + 6, false, k[PAIR_23]);
    rotated_block(t, c + 6, c + 6, true, k[PAIR_33]);
}

/// Returns the factor by which mu and lambda are multiplied: all densities are homogeneous of
/// degree one in (mu, lambda), so scaling the moduli scales the Hessian.
ALWAYS_INLINE lanes8 element_weight(const struct solid_elements *elements, size_t g, lanes8 volume,
                                    bool damping) {
    return damping ? volume * lanes_load(elements->damping + g * LANES) : volume;
}

static PBS_MULTIVERSION void add_rotated_hessian(const struct solid_elements *elements,
                                                 const struct stencil_groups *groups, size_t begin,
                                                 size_t end, const struct evaluation *evaluation,
                                                 double *blocks) {
    for (size_t g = begin; g < end; g++) {
        struct element_lanes e;
        struct rotated_tangent t;
        lanes8 k[PAIR_COUNT][9];
        element_load(elements, groups, g, evaluation->x, &e);
        const lanes8 weight = element_weight(elements, g, e.volume, evaluation->damping_weights);
        rotated_tangent_set(e.mu, e.lambda, weight, e.f, evaluation->project, &t);
        rotated_blocks(&t, e.b, k);
        complete_blocks(k);
        scatter_blocks(k, groups->block_slot + g * PAIR_COUNT * LANES, blocks);
    }
}

#ifndef MATERIAL_TANGENT_ROTATED
struct prepared {
    struct element_lanes e;
    struct tangent t;
};

ALWAYS_INLINE void prepare(const struct solid_elements *elements,
                           const struct stencil_groups *groups, size_t g,
                           const struct evaluation *evaluation, struct prepared *out) {
    element_load(elements, groups, g, evaluation->x, &out->e);
    const lanes8 weight = element_weight(elements, g, out->e.volume, evaluation->damping_weights);
    tangent_set(out->e.mu, out->e.lambda, weight, out->e.f, &out->t);
}

ALWAYS_INLINE void exact_blocks(const struct prepared *from, lanes8 k[PAIR_COUNT][9]) {
    struct tangent_side side[3];
    for (int a = 0; a < 3; a++) {
        tangent_side(&from->t, from->e.b + 3 * a, &side[a]);
    }
    tangent_block(&from->t, &side[0], &side[0], true, k[PAIR_11]);
    tangent_block(&from->t, &side[0], &side[1], false, k[PAIR_12]);
    tangent_block(&from->t, &side[0], &side[2], false, k[PAIR_13]);
    tangent_block(&from->t, &side[1], &side[1], true, k[PAIR_22]);
    tangent_block(&from->t, &side[1], &side[2], false, k[PAIR_23]);
    tangent_block(&from->t, &side[2], &side[2], true, k[PAIR_33]);
    complete_blocks(k);
}

/// Loads the next group before the blocks of the current one are added to memory, so that the
/// processor overlaps computation with memory access.
static PBS_MULTIVERSION void add_exact_hessian(const struct solid_elements *elements,
                                               const struct stencil_groups *groups, size_t begin,
                                               size_t end, const struct evaluation *evaluation,
                                               double *blocks) {
    struct prepared next;
    if (begin < end) {
        prepare(elements, groups, begin, evaluation, &next);
    }
    for (size_t g = begin; g < end; g++) {
        lanes8 k[PAIR_COUNT][9];
        exact_blocks(&next, k);
        prepare(elements, groups, g + 1 < end ? g + 1 : g, evaluation, &next);
        scatter_blocks(k, groups->block_slot + g * PAIR_COUNT * LANES, blocks);
    }
}
#else
#define add_exact_hessian add_rotated_hessian
#endif

static int solid_evaluate(const struct solid_elements *elements,
                          const struct stencil_groups *groups, size_t begin, size_t end,
                          const struct evaluation *evaluation, struct evaluation_sums *sums) {
    add_requested(elements, groups, begin, end, evaluation, sums);
    if ((evaluation->what & EVALUATE_HESSIAN) && evaluation->project) {
        add_rotated_hessian(elements, groups, begin, end, evaluation, sums->blocks);
    } else if (evaluation->what & EVALUATE_HESSIAN) {
        add_exact_hessian(elements, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

/// Computes the entries dP_ij / dF_kl for all i and k: the block between the unit vectors j and l.
static void point_block(lanes8 mu, lanes8 lambda, const lanes8 f[9], bool project, int j, int l,
                        lanes8 k[9]) {
    lanes8 p[3] = {lanes_set(j == 0), lanes_set(j == 1), lanes_set(j == 2)};
    lanes8 q[3] = {lanes_set(l == 0), lanes_set(l == 1), lanes_set(l == 2)};
#ifndef MATERIAL_TANGENT_ROTATED
    if (!project) {
        struct tangent t;
        struct tangent_side side[2];
        tangent_set(mu, lambda, lanes_set(1.0), f, &t);
        tangent_side(&t, p, &side[0]);
        tangent_side(&t, q, &side[1]);
        tangent_block(&t, &side[0], &side[1], j == l, k);
        return;
    }
#endif
    struct rotated_tangent t;
    lanes8 c[6];
    rotated_tangent_set(mu, lambda, lanes_set(1.0), f, project, &t);
    multiply_transposed_lanes(t.v, p, c);
    multiply_transposed_lanes(t.v, q, c + 3);
    rotated_block(&t, c, c + 3, j == l, k);
}

static double solid_point(double mu, double lambda, const double f[9], bool project, double p[9],
                          double dp[81]) {
    lanes8 lanes[9];
    lanes8 out[9];
    struct measures m;
    for (int i = 0; i < 9; i++) {
        lanes[i] = lanes_set(f[i]);
    }
    measure(lanes, &m);
    if (p != NULL) {
        stress(lanes_set(mu), lanes_set(lambda), &m, out);
        for (int i = 0; i < 9; i++) {
            p[i] = out[i][0];
        }
    }
    for (int jl = 0; dp != NULL && jl < 9; jl++) {
        point_block(lanes_set(mu), lanes_set(lambda), lanes, project, jl / 3, jl % 3, out);
        for (int ik = 0; ik < 9; ik++) {
            const int row = 3 * (ik / 3) + jl / 3;
            const int column = 3 * (ik % 3) + jl % 3;
            dp[9 * row + column] = out[ik][0];
        }
    }
    return density(lanes_set(mu), lanes_set(lambda), &m)[0];
}

#endif
