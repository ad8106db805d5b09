// Matrix-free products with the Hessian of very many springs, computed from the positions of their
// ends. A fraction of the stiffness of short springs may be assembled in a block matrix, the near
// matrix from which preconditioners are built (docs/theory/linear_solvers.md section 4). The
// products here omit the assembled fraction.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SPRING_PRODUCTS_H
#define PBS_ENERGY_SPRINGS_SPRING_PRODUCTS_H

#include "energy/springs/pair_layout.h"
#include "linear/problem.h"

/// The caller owns all arrays.
struct spring_products_input {
    const struct pair_layout *layout;
    const double *stiffness, *rest; ///< by the layout's lanes; 0 if the lane has no spring
    /// By layout index of a spring's lower node: if the spring's rest length is below near_length,
    /// the near matrix holds `factor` times its stiffness.
    const double *near_length, *factor;
};

struct spring_products;

/// Creates the operator. rows: maps nodes to the rows of the vectors that are multiplied.
pbs_status spring_products_create(struct memory *memory, const struct spring_products_input *input,
                                  const struct layout *rows, struct spring_products **out);
/// Does nothing if products is null.
void spring_products_destroy(struct spring_products *products, struct memory *memory);

/// Sets the state x (node order, copied) at which the Hessian is taken, and whether each spring's
/// Hessian is made positive semidefinite. Returns the operator.
struct product_operator *spring_products_linearize(struct spring_products *products,
                                                   struct tasks *tasks, const double *x,
                                                   bool project);

#endif
