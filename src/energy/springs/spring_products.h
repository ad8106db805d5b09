// Products with the Hessian of very many springs, none of which is stored: that of a spring follows
// from where its ends are. Of short springs a part may be in a block matrix as well, the near
// matrix that preconditioners are made of (docs/theory/linear_solvers.md section 4); it is left out
// here.
#ifndef PBS_ENERGY_SPRINGS_SPRING_PRODUCTS_H
#define PBS_ENERGY_SPRINGS_SPRING_PRODUCTS_H

#include "energy/springs/pair_layout.h"
#include "linear/problem.h"

/// All arrays belong to the caller.
struct spring_products_input {
    const struct pair_layout *layout;
    const double *stiffness, *rest; ///< by the layout's lanes; 0 where there is no spring
    /// By the layout's nodes: springs from there (their lower end) that are shorter than the reach
    /// have so many times their stiffness in the matrix.
    const double *near_length, *factor;
};

struct spring_products;

/// room for vectors of the layout's nodes, in rows of `rows`.
pbs_status spring_products_create(struct memory *memory, const struct spring_products_input *input,
                                  const struct layout *rows, struct spring_products **out);
/// Null is fine.
void spring_products_destroy(struct spring_products *products, struct memory *memory);

/// Products from now on are with the Hessian at x (node order, copied), of each spring projected
/// where `project` says so.
const struct product_operator *spring_products_linearize(struct spring_products *products,
                                                         struct tasks *tasks, const double *x,
                                                         bool project);

#endif
