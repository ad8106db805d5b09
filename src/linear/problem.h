// What a solver is given: H = H0 + C, and what is known about where it comes from.
#ifndef PBS_LINEAR_PROBLEM_H
#define PBS_LINEAR_PROBLEM_H

#include "sparse/bsr.h"
#include "sparse/contact_matrix.h"

/// A row whose unknowns are held in some directions: H has nothing but a multiple of the identity
/// there.
struct row_restriction {
    uint32_t row;
    double tangent[9]; ///< the projection onto what is free
};

struct linear_problem {
    const struct bsr *a;            ///< H0
    const struct contact_matrix *c; ///< C; null: none
    const double *positions;        ///< row order, 3 per row, m: where the nodes are; null: unknown
    const double *turns; ///< row order, 9 per row: of rows that are no places, what a turn of all
                         ///< makes of them (row_turns.h); null: nothing
    const uint8_t *coupled; ///< per block of a: 0 where it is zero and stays so for as long as
                            ///< `coupling` is the same; null: all couple
    uint64_t coupling;      ///< a hash of those; 0: all couple
    const struct row_restriction *restrictions; ///< in any order
    size_t restriction_count;
    double tolerance; ///< relative residual that the next solve is to reach; 0: not known
};

/// y = H x; as bsr_multiply.
void problem_multiply(struct tasks *tasks, const struct linear_problem *problem, const double *x,
                      double *y);
/// The rows of y = H x that one domain owns.
void problem_multiply_domain(const struct linear_problem *problem, uint32_t domain, const double *x,
                             double *y);

/// How many times as stiff as what it touches contact is: the largest trace of a diagonal block of
/// C over that of H0; 0: nothing touches.
double problem_contrast(const struct linear_problem *problem);

#endif
