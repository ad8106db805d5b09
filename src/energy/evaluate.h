// Evaluates the sum of all terms: the gradient and the Hessian blocks in the assembly's arrays, the
// values by kind, and the largest step. Domains are evaluated in parallel, then the host's
// callbacks on the calling thread, then the entries that domains share are gathered. Every sum has
// a fixed order (by domain, then by term), so results do not depend on the number of threads.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_EVALUATE_H
#define PBS_ENERGY_EVALUATE_H

#include "base/runtime/memory.h"
#include "energy/term.h"

struct domain_result;

/// Scratch memory for evaluations over one assembly. A zero-initialised struct is empty.
struct terms_scratch {
    struct domain_result *domain_results; ///< assembly->layout.domain_count
    size_t capacity;
};

/// Receives an evaluation. The caller owns the arrays; an array that is not requested may be null.
struct terms_result {
    double *gradient; ///< vector_slot_count x 3; the first node_count x 3 are the result, in node
                      ///< order
    double *blocks;   ///< block_slot_count x 9; the first block_count x 9 are the result
    double *node_values; ///< node_count, J: values by node, see evaluation_sums
    struct terms_scratch *scratch;
    double value; ///< J; infinity if the state is not admissible
    double by_kind[ENERGY_KIND_COUNT];
};

/// Makes scratch large enough for this assembly. No other function of this header allocates memory.
pbs_status terms_reserve(struct memory *memory, const struct assembly *assembly,
                         struct terms_scratch *scratch);
void terms_release(struct memory *memory, struct terms_scratch *scratch);

/// Overwrites the results that evaluation->what requests. Terms with stencils must have the order
/// of assembly->terms.
/// @return EVALUATE_OK; EVALUATE_RECOVERABLE: the state is not admissible (value is infinity, the
/// arrays are undefined); EVALUATE_STOP
int terms_evaluate(struct tasks *tasks, const struct assembly *assembly, const struct term *terms,
                   size_t term_count, const struct evaluation *evaluation,
                   struct terms_result *result);

/// Returns PBS_ERROR_HOST, with the message for EVALUATE_STOP.
pbs_status terms_fail_stopped(void);

/// Returns an operator for products with the unassembled part of the Hessian at evaluation->x,
/// valid until the next call. Null: all of the Hessian is assembled.
const struct product_operator *terms_products(struct tasks *tasks, const struct term *terms,
                                              size_t term_count,
                                              const struct evaluation *evaluation);

/// Counts how often stencils were coupled or uncoupled (term_table.uncoupled).
uint64_t terms_count_changes(const struct term *terms, size_t term_count);
/// Sets coupled[b] to 1 for each block b to which a stencil contributes, and for each diagonal
/// block; to 0 for the others. coupled: block_slot_count, of which the first block_count are the
/// result.
void terms_mark_coupled(const struct assembly *assembly, const struct term *terms,
                        size_t term_count, uint8_t *coupled);

/// Returns the largest step in (0, limit] along direction from x up to which every term is finite.
/// At a step below limit the energy may be infinite.
double terms_max_step(struct tasks *tasks, const struct assembly *assembly,
                      const struct term *terms, size_t term_count, const double *x,
                      const double *direction, double limit, struct terms_scratch *scratch);

#endif
