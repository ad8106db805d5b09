// Springs between pairs of nodes: the sum of 1/2 k (|l| - l0)^2, where l is the vector from one end
// to the other. A spring may break when it is stretched beyond its limit, as peridynamic bonds do,
// and may soften before it breaks.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_SPRINGS_SPRINGS_H
#define PBS_ENERGY_SPRINGS_SPRINGS_H

#include "base/runtime/memory.h"
#include "base/runtime/tasks.h"
#include "energy/springs/pair_layout.h"
#include "energy/springs/softening_law.h"
#include "energy/term.h"

/// Selects the springs that are assembled for preconditioners if the Hessian is otherwise
/// matrix-free (docs/theory/linear_solvers.md section 4). The values of a spring's lower node
/// apply.
struct springs_near {
    const double *near_length; ///< by node, metres: springs with a shorter rest length are
                               ///< assembled
    const double *factor;      ///< by node, positive: multiplies the stiffness of assembled springs
};

/// Input of springs_create, which copies it.
struct springs_input {
    size_t count;
    const uint32_t *nodes;      ///< count x 2
    const double *stiffness;    ///< count, N/m
    const double *rest_lengths; ///< count, metres, >= 0
    const double *damping;      ///< count, s, Rayleigh damping time
    const uint8_t *broken;      ///< null (none is), or count: 1 if broken
    const double *limits; ///< null (nothing breaks), or count: largest strain (|l| - l0) / l0,
                          ///< infinite for an unbreakable spring
    const struct springs_near *near;  ///< null: all of the Hessian is assembled
    const struct pair_order *order;   ///< for very many springs, see pair_layout_build; may be null
    const struct softening_law *laws; ///< null (nothing softens), or count; not together with near
    const double *remaining; ///< with laws: count, in [0, 1]: remaining fraction of the stiffness
};

struct springs; ///< self of the term

pbs_status springs_create(struct memory *memory, const struct springs_input *input,
                          struct springs **out);
struct term springs_term(struct springs *springs);

/// Marks each spring above its limit at positions x. An evaluation with at_chart_origin set marks
/// springs itself, so this call is then not needed. Springs must have limits.
void springs_mark_overloaded(struct springs *springs, struct tasks *tasks, size_t domain_count,
                             const double *x);
/// Returns whether springs can break.
bool springs_have_limits(const struct springs *springs);
/// Returns flags by spring, 1 if the last marking has marked it; null if it has marked none.
const uint8_t *springs_overloaded(struct springs *springs);

/// Sets whether a spring is broken; a broken one keeps its stencil and has no stiffness. The term
/// must be bound.
void springs_set_broken(struct springs *springs, size_t spring, bool broken);
/// Subtracts the contribution of a spring that has just broken from the gradient at x, in node
/// order. Returns false and changes nothing if there are so few springs that a new evaluation is
/// cheap.
bool springs_remove_gradient(const struct springs *springs, size_t spring, const uint32_t nodes[2],
                             const double *x, double *gradient);
bool springs_is_broken(const struct springs *springs, size_t spring);

/// Sets stiffness and rest length of `count` springs starting with spring `first`, of a term all
/// of whose springs are assembled and do not soften. The term must be bound.
void springs_set_values(struct springs *springs, size_t first, size_t count,
                        const double *stiffness, const double *rest_lengths);

/// Updates the softening history to the accepted state x. Returns the energy, J, that this
/// dissipates. The term must be bound.
double springs_update_history(struct springs *springs, struct tasks *tasks, size_t domain_count,
                              const double *x);
/// Reads, or writes, the remaining stiffness fraction of `count` springs starting with spring
/// `first`.
void springs_read_remaining(const struct springs *springs, size_t first, size_t count,
                            double *remaining);
void springs_write_remaining(struct springs *springs, size_t first, size_t count,
                             const double *remaining);
/// Saves a copy of the softening history of all springs; restore returns to it.
void springs_save_history(struct springs *springs);
void springs_restore_history(struct springs *springs);

#endif
