// One step of implicit Euler of a bonded body whose ends are turned against each other, minimised
// by each of the formulations of the constraint |q| = 1 that BDEM's figure 3 compares. Linear
// systems are solved exactly, by LAPACK.
#ifndef PBS_BENCH_QUATERNION_STEP_H
#define PBS_BENCH_QUATERNION_STEP_H

#include <stddef.h>
#include <stdint.h>

#include "scenes/quaternion_bond.h"

/// Particles are in the order of their heights; x is 7 for each: position and quaternion.
struct quaternion_step {
    size_t particle_count, bond_count;
    uint32_t *ends; ///< bond_count x 2
    struct quaternion_bond *bonds;
    double *mass, *radius; ///< r = sqrt(J / m) of each particle
    uint8_t *held;
    double *start; ///< ends in place, all else at rest
    double *predicted;
    double time; ///< of the step, s
    size_t span; ///< most that both ends of a bond are apart in the order
};

/// A body of cells cells (scenes/cubic_tets.h, 62.5 mm), both ends turned by half of `twist`
/// radians about the last axis, one forward and one backward. False without memory.
bool quaternion_step_make(const size_t cells[3], double twist, struct quaternion_step *out);
void quaternion_step_free(struct quaternion_step *step);

enum quaternion_form {
    QUATERNION_MANIFOLD,    ///< Newton's method along rotation vectors: 6 unknowns a particle
    QUATERNION_FIRST_ORDER, ///< steepest descent along them, scaled by the Hessian's diagonal
    QUATERNION_PENALTY,     ///< 1/2 kappa C^2 more, C = |q|^2 - 1: 7 unknowns
    QUATERNION_AUGMENTED,   ///< and lambda C, lambda by the method of multipliers
    QUATERNION_LAGRANGE     ///< Newton's method on the conditions for a constrained minimum: 8
};

struct quaternion_method {
    enum quaternion_form form;
    bool semidefinite; ///< each bond's Hessian without its negative eigenvalues
    double kappa;      ///< in the largest bending stiffness of a bond
    double tolerance;  ///< of the gradient, relative to the first
};

struct quaternion_result {
    bool is_converged;
    int iterations; ///< of Newton's method, or gradients descended
    int indefinite; ///< of these, with a direction that led up and was found anew, semidefinite
    double drift;   ///< max |C|
    double value;   ///< of the incremental potential, J; at quaternions as they are
};

/// x: the step's start, and what it led to. False without memory.
bool quaternion_step_minimize(const struct quaternion_step *step,
                              const struct quaternion_method *method, double *x,
                              struct quaternion_result *result);

#endif
