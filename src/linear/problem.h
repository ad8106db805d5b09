// What a solver is given: H = H0 + C + F, and what is known about where it comes from.
#ifndef PBS_LINEAR_PROBLEM_H
#define PBS_LINEAR_PROBLEM_H

#include "sparse/matrices/bsr.h"
#include "sparse/matrices/contact_matrix.h"

/// A row whose unknowns are held in some directions: H has nothing but a multiple of the identity
/// there.
struct row_restriction {
    uint32_t row;
    double tangent[9]; ///< the projection onto what is free
};

/// F, a symmetric matrix of which there are products alone (docs/theory/linear_solvers.md section
/// 3). Preconditioners are of H0 + C, which is to be near H.
struct product_operator {
    void *self;
    /// F x, kept until the next product; x in row order, zero where it is held.
    void (*multiply)(void *self, struct tasks *tasks, const double *x);
    /// Adds the rows of one domain of it to y.
    void (*add_domain)(const void *self, uint32_t domain, double *y);
    double blocks; ///< what a product takes, in blocks of H0
};

struct linear_problem {
    const struct bsr *a;              ///< H0
    const struct contact_matrix *c;   ///< C; null: none
    const struct product_operator *f; ///< F, without restrictions; null: none
    const double *positions;      ///< row order, 3 per row, m: where the nodes are; null: unknown
    const double *rotation_modes; ///< row order, 9 per row: of rows that are no places, what a turn
                                  ///< of all makes of them (rotation_modes.h); null: nothing
    const uint8_t *coupled; ///< per block of a: 0 where it is zero and stays so for as long as
                            ///< `coupling` is the same; null: all couple
    uint64_t coupling;      ///< a hash of those; 0: all couple
    const struct row_restriction *restrictions; ///< in any order
    size_t restriction_count;
    double tolerance; ///< relative residual that the next solve is to reach; 0: not known
};

/// Before the domains of a product with x.
void problem_begin_product(struct tasks *tasks, const struct linear_problem *problem,
                           const double *x);
/// y = H x; as bsr_multiply. Where there is an F, x has to be free of what is restricted.
void problem_multiply(struct tasks *tasks, const struct linear_problem *problem, const double *x,
                      double *y);
/// The rows of y = H x that one domain owns, after problem_begin_product for the same x.
void problem_multiply_domain(const struct linear_problem *problem, uint32_t domain, const double *x,
                             double *y);

/// y = (H0 + C) x.
void problem_multiply_assembled(struct tasks *tasks, const struct linear_problem *problem,
                                const double *x, double *y);

/// How many times as stiff as what it touches contact is: the largest trace of a diagonal block of
/// C over that of H0; 0: nothing touches.
double problem_contrast(const struct linear_problem *problem);

#endif
