// One implicit Euler step of a bonded body whose ends are twisted against each other, minimised
// with each of the formulations of the constraint |q| = 1 that BDEM's figure 3 compares. Linear
// systems are solved directly, by LAPACK.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_QUATERNION_STEP_H
#define PBS_BENCH_QUATERNION_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "scenes/bonds/quaternion_bond.h"

/// Particles are sorted by height. x has 7 entries per particle: position and quaternion.
struct quaternion_step {
    size_t particle_count, bond_count;
    uint32_t *ends; ///< bond_count x 2
    struct quaternion_bond *bonds;
    double *mass, *radius; ///< r = sqrt(J / m) of each particle
    uint8_t *held;
    double *start; ///< the twisted ends at their targets, all other particles at rest
    double *predicted;
    double time; ///< step size, s
    size_t span; ///< largest index difference of the two particles of a bond
};

/// Creates a body of cells[0] x cells[1] x cells[2] cells of 62.5 mm (scenes/bonds/cubic_tets.h),
/// with its ends rotated by plus and minus half of `twist` radians about the last axis. Returns
/// false if memory is short.
bool quaternion_step_make(const size_t cells[3], double twist, struct quaternion_step *out);
void quaternion_step_free(struct quaternion_step *step);

enum quaternion_form {
    QUATERNION_MANIFOLD,    ///< Newton's method in rotation vectors: 6 unknowns per particle
    QUATERNION_FIRST_ORDER, ///< steepest descent in rotation vectors, scaled by the Hessian's
                            ///< diagonal
    QUATERNION_PENALTY,     ///< penalty 1/2 kappa C^2 with C = |q|^2 - 1: 7 unknowns
    QUATERNION_AUGMENTED,   ///< penalty plus lambda C: augmented Lagrangian method
    QUATERNION_LAGRANGE     ///< Newton's method on the optimality conditions with multipliers: 8
                            ///< unknowns
};

struct quaternion_method {
    enum quaternion_form form;
    bool semidefinite; ///< clamp negative eigenvalues of each bond's Hessian
    double kappa;      ///< relative to the largest bending stiffness of a bond
    double tolerance;  ///< of the gradient, relative to the initial one
};

struct quaternion_result {
    bool is_converged;
    int iterations; ///< Newton iterations, or steepest-descent steps
    int indefinite; ///< iterations whose direction was no descent direction and was recomputed with
                    ///< a semidefinite Hessian
    double drift;   ///< max |C|
    double value;   ///< incremental potential, J, without normalising the quaternions
};

/// Minimises. x: in, the initial guess; out, the solution. Returns false if memory is short.
bool quaternion_step_minimize(const struct quaternion_step *step,
                              const struct quaternion_method *method, double *x,
                              struct quaternion_result *result);

#endif
