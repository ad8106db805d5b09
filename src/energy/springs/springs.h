// Springs between pairs of nodes: the sum of 1/2 k (|l| - l0)^2, l from one end to the other. They
// may break, as bonds of peridynamics do: where they are stretched beyond their limits. Before that
// they may soften.
#ifndef PBS_ENERGY_SPRINGS_SPRINGS_H
#define PBS_ENERGY_SPRINGS_SPRINGS_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "energy/springs/pair_layout.h"
#include "energy/springs/softening_law.h"
#include "energy/term.h"

/// Of Hessians that are not assembled (docs/theory/linear_solvers.md section 4): what of them is in
/// blocks nevertheless, for preconditioners. Of a spring the lower node's count.
struct springs_near {
    const double *near_length; ///< by node, metres: springs that are shorter are in blocks,
    const double *factor;      ///< by node, positive: with so many times their stiffness
};

/// What springs_create copies and arranges in lanes.
struct springs_input {
    size_t count;
    const uint32_t *nodes;      ///< count x 2
    const double *stiffness;    ///< count, N/m
    const double *rest_lengths; ///< count, metres, >= 0
    const double *damping;      ///< count, s
    const uint8_t *broken;      ///< null (none), or count: 1 where it is
    const double *limits; ///< null (nothing breaks), or count: strains (|l| - l0) / l0, infinite
                          ///< where it never does
    const struct springs_near *near;  ///< null: all of the Hessian is in blocks
    const struct pair_order *order;   ///< of very many springs: see pair_layout_build
    const struct softening_law *laws; ///< null (nothing softens), or count; without near
    const double *remaining;          ///< with laws: count, in [0, 1]: of the stiffness
};

struct springs; ///< self of the term

pbs_status springs_create(struct memory *memory, const struct springs_input *input,
                          struct springs **out);
struct term springs_term(struct springs *springs);

/// Marks every spring above its limit with nodes at x; evaluations at such a state
/// (evaluation.at_chart_origin) have done so already. Springs must have limits.
void springs_mark_overloaded(struct springs *springs, struct tasks *tasks, size_t domain_count,
                             const double *x);
bool springs_have_limits(const struct springs *springs);
/// By spring, 1 where it was marked last; null where none was.
const uint8_t *springs_overloaded(struct springs *springs);

/// A broken spring stays where it is, without stiffness. The term must be bound.
void springs_set_broken(struct springs *springs, size_t spring, bool broken);
/// Takes what a spring that has broken had added to the gradient at x, in node order, off again.
/// False, and nothing changes, where springs are so few that evaluating them anew costs little.
bool springs_remove_gradient(const struct springs *springs, size_t spring, const uint32_t nodes[2],
                             const double *x, double *gradient);
bool springs_is_broken(const struct springs *springs, size_t spring);

/// Springs that soften remember the state x, which is accepted; returns the energy that this takes
/// out, J. The term must be bound.
double springs_update_history(struct springs *springs, struct tasks *tasks, size_t domain_count,
                              const double *x);
/// What remains of the stiffness of `count` springs from `first` on.
void springs_read_remaining(const struct springs *springs, size_t first, size_t count,
                            double *remaining);
void springs_write_remaining(struct springs *springs, size_t first, size_t count,
                             const double *remaining);
/// All that is remembered goes aside, and comes back.
void springs_save_history(struct springs *springs);
void springs_restore_history(struct springs *springs);

#endif
