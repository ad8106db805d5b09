// Evaluates the sum of terms: gradient and Hessian blocks into the assembly's arrays, values by
// kind, and the largest step. Domains in parallel, then the terms of the host on the calling
// thread, then what domains wrote for each other is gathered. Every sum has a fixed order (domain
// by domain, in each term by term), so threads do not change a bit. Allocates nothing.
#ifndef PBS_ENERGY_EVALUATE_H
#define PBS_ENERGY_EVALUATE_H

#include "base/runtime/memory.h"
#include "energy/term.h"

struct domain_result;

/// Scratch of all evaluations over one assembly; zero at first.
struct terms_scratch {
    struct domain_result *domain_results; ///< one for each domain
    size_t capacity;
};

/// Where an evaluation goes. The arrays are the caller's: null when not asked for.
struct terms_result {
    double *gradient; ///< vector_slot_count x 3, of which the first node_count x 3 are the result,
                      ///< in node order
    double *blocks;   ///< block_slot_count x 9, of which the first block_count x 9 are the result
    double *node_values; ///< node_count, J: values by node, see evaluation_sums
    struct terms_scratch *scratch;
    double value; ///< J; infinity where the state is not admissible
    double by_kind[ENERGY_KIND_COUNT];
};

/// Makes scratch large enough for this assembly. The only function here that allocates.
pbs_status terms_reserve(struct memory *memory, const struct assembly *assembly,
                         struct terms_scratch *scratch);
void terms_release(struct memory *memory, struct terms_scratch *scratch);

/// Overwrites what evaluation->what asks for. Terms with stencils must be in the order of
/// assembly->terms.
/// @return EVALUATE_OK; EVALUATE_RECOVERABLE: the state is not admissible (value is infinity, the
/// arrays are of no use); EVALUATE_STOP
int terms_evaluate(struct tasks *tasks, const struct assembly *assembly, const struct term *terms,
                   size_t term_count, const struct evaluation *evaluation,
                   struct terms_result *result);

/// Products with what of the Hessian is in no block, at evaluation->x and until the next call;
/// null: there is nothing.
const struct product_operator *terms_products(struct tasks *tasks, const struct term *terms,
                                              size_t term_count,
                                              const struct evaluation *evaluation);

/// How often what terms couple has changed.
uint64_t terms_count_changes(const struct term *terms, size_t term_count);
/// coupled: block_slot_count, of which the first block_count become 1 where some stencil has a part
/// in the block, and on the diagonal.
void terms_mark_coupled(const struct assembly *assembly, const struct term *terms,
                        size_t term_count, uint8_t *coupled);

/// The largest step in (0, limit] along direction from x that keeps every term finite: the energy
/// may be infinite at a bound below limit.
double terms_max_step(struct tasks *tasks, const struct assembly *assembly,
                      const struct term *terms, size_t term_count, const double *x,
                      const double *direction, double limit, struct terms_scratch *scratch);

#endif
