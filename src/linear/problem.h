// The input of linear solvers: the matrix H = H0 + C + F, node positions, constraints and
// tolerance. H0 is the mesh matrix, C the contact matrix, F an operator of which only products are
// known.
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_PROBLEM_H
#define PBS_LINEAR_PROBLEM_H

#include "sparse/matrices/bsr.h"
#include "sparse/matrices/contact_matrix.h"

struct linear_problem;

/// A row whose unknowns are constrained in some directions. In these directions H is a multiple of
/// the identity and couples to nothing.
struct row_restriction {
    uint32_t row;
    double tangent[9]; ///< 3 x 3, projection onto the free directions
};

/// What preconditioners need of an F = rho u u^T, or a sum of such over disjoint rows, that is far
/// stiffer than H0 + C (docs/theory/linear_solvers.md section 3.1). With w = D^-1 u, about what
/// moves where a force along u acts, and P = 1 - u w^T / (u . w), the preconditioner M of H0 + C
/// becomes
///     P^T M^-1 P + w w^T / (u . w + rho (u . w)^2).
/// All of this without components in constrained directions. self is that of the operator.
struct product_deflation {
    /// Before a solve with the problem, of which H0 and restrictions are read.
    void (*begin)(void *self, const struct linear_problem *problem);
    /// r <- P r, and back.
    void (*deflate)(void *self, double *r);
    void (*inflate)(void *self, double *r);
    /// z <- P^T z + w w^T r / (u . w + rho (u . w)^2), for the r that was deflated.
    void (*correct)(void *self, double *z);
};

/// The operator F: a symmetric matrix of which only products are known
/// (docs/theory/linear_solvers.md section 3). Preconditioners approximate H0 + C, which should be
/// close to H.
struct product_operator {
    void *self;
    /// Computes F x and stores it until the next product. x is in row order and zero in constrained
    /// directions.
    void (*multiply)(void *self, struct tasks *tasks, const double *x);
    /// Adds the rows of F x that belong to one domain to y.
    void (*add_domain)(const void *self, uint32_t domain, double *y);
    double blocks;                             ///< cost of a product, in block products of H0
    const struct product_deflation *deflation; ///< null: preconditioners need not know of F
    struct product_operator *next; ///< F is the sum of this one and those that follow; null: none
};

struct linear_problem {
    const struct bsr *a;              ///< H0
    const struct contact_matrix *c;   ///< C; null: none
    const struct product_operator *f; ///< F, without constraints; null: none
    const double *positions;          ///< row order, 3 per row, m: node positions; null: unknown
    const double *rotation_modes; ///< row order, 9 per row: for rows that are not positions, their
                                  ///< rotational rigid modes (rotation_modes.h); null: all rows are
                                  ///< positions
    const uint8_t *coupled;       ///< per block of a: 0 if the block is zero and stays zero while
                                  ///< `coupling` is the same; null: all blocks couple
    uint64_t coupling;            ///< hash of `coupled`; 0: all blocks couple
    const struct row_restriction *restrictions; ///< in any order
    size_t restriction_count;
    double tolerance; ///< relative residual required of the next solve; 0: unknown
};

/// Computes F x. Call before problem_multiply_domain with the same x.
void problem_begin_product(struct tasks *tasks, const struct linear_problem *problem,
                           const double *x);
/// y = H x, as bsr_multiply. If there is an F, x must have no component in constrained directions.
void problem_multiply(struct tasks *tasks, const struct linear_problem *problem, const double *x,
                      double *y);
/// Computes the rows of y = H x that one domain owns. Call problem_begin_product with the same x
/// first.
void problem_multiply_domain(const struct linear_problem *problem, uint32_t domain, const double *x,
                             double *y);

/// y = (H0 + C) x.
void problem_multiply_assembled(struct tasks *tasks, const struct linear_problem *problem,
                                const double *x, double *y);

/// Returns the cost of a product with F, in block products of H0.
double problem_product_blocks(const struct linear_problem *problem);

/// Returns the stiffness ratio of contact: the maximum over rows of trace(diagonal block of C) /
/// trace(diagonal block of H0); 0: no contact.
double problem_contrast(const struct linear_problem *problem);

#endif
