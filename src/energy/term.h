// The seam of all energies P_k of docs/architecture.md eq. (1): a term is a table of functions over
// one object. Terms are evaluated domain by domain (see sparse/assembly.h), write value, gradient
// and Hessian blocks where the assembly says, and bound the step. A new term is one file.
#ifndef PBS_ENERGY_TERM_H
#define PBS_ENERGY_TERM_H

#include "base/runtime/tasks.h"
#include "linear/problem.h"
#include "sparse/assembly.h"

/// What kind of energy a term accounts for, in pbs_energy.
enum energy_kind {
    ENERGY_ELASTIC,
    ENERGY_GRAVITY,
    ENERGY_EXTERNAL, ///< of the host's forces
    ENERGY_DISSIPATED,
    ENERGY_CONTACT,
    ENERGY_FRICTION, ///< the lagged potential of it
    ENERGY_HOST,
    ENERGY_KIND_COUNT
};

enum { EVALUATE_VALUE = 1, EVALUATE_GRADIENT = 2, EVALUATE_HESSIAN = 4 };

/// One stage as a term sees it. Dissipative terms take the velocity (x - origin) / length
/// (docs/theory/schemes.md section 1).
struct stage_view {
    const double *origin; ///< p_x, node order, 3 per node
    double length;        ///< b, seconds
};

struct evaluation {
    uint32_t what;   ///< EVALUATE_* bits
    const double *x; ///< node order, 3 per node
    struct stage_view stage;
    bool project;          ///< Hessians made positive semidefinite, element by element
    bool project_shells;   ///< those of shells alone
    bool project_bonds;    ///< those of bonds alone
    bool damping_weights;  ///< multiply each element's Hessian by its own damping time (Rayleigh),
                           ///< see rayleigh_damping.h
    bool at_chart_origin;  ///< coordinates of rotation nodes are zero: orientations are as they
                           ///< lie; and of the value all that counts is whether it is finite
    bool constant_forces;  ///< only terms that are linear in x
    bool dissipative_only; ///< only terms that take energy out
};

/// Where a domain's share goes. gradient and blocks are laid out as assembly.h says; what is not
/// asked for is null.
struct evaluation_sums {
    double value;     ///< joules; infinity where the state is not admissible
    double *gradient; ///< newtons
    double *blocks;   ///< newtons per metre
    /// Joules, node order: each stencil's value once more, added at its first node (the one of the
    /// lowest row, which the domain owns). For sums over groups of nodes that no stencil joins.
    double *node_values;
};

/// What an evaluation answers, as a host's callback does.
enum { EVALUATE_OK = 0, EVALUATE_RECOVERABLE = 1, EVALUATE_STOP = -1 };

struct strain_history;
struct strain_part;

struct term_table {
    const char *name;
    enum energy_kind kind;
    /// Adds domain `domain`'s share to *sums. groups: the term's own stencils in the assembly, null
    /// for terms without any (node terms loop over the nodes of the domain). Runs on any thread
    /// unless on_calling_thread is set. Returns EVALUATE_*.
    int (*evaluate)(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums);
    /// Of terms that have an order of their own (struct term): adds value and gradient, and values
    /// by node, of all domains at once, the gradient in node order. Called on the thread that steps
    /// the world, which shares the work out. `evaluate` can do the same, and needs no scratch.
    int (*evaluate_whole)(const void *self, struct tasks *tasks,
                          const struct evaluation *evaluation, struct evaluation_sums *sums);
    /// The largest step in (0, limit] along direction from x that keeps the value finite (exclusive
    /// bound: the energy is infinite at it). Null: no bound.
    double (*max_step)(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit);
    /// Arranges the elements as the assembly, built from the terms' stencils, has grouped them.
    /// Null: there is nothing to arrange.
    pbs_status (*bind)(void *self, struct memory *memory, const struct stencil_groups *groups);
    /// Damping by the rate of strain (strain_history.h); null for all other terms: where the term
    /// keeps its strains, and what adds one state's part of domain `domain` to them.
    struct strain_history *(*strains)(void *self);
    void (*measure)(const void *self, const struct stencil_groups *groups, uint32_t domain,
                    const struct strain_part *part, double *strains);
    /// Strains are measured from those at x from now on. Null: they are the same from everywhere.
    void (*set_reference)(void *self, const struct stencil_groups *groups, uint32_t domain,
                          const double *x);
    /// Stencils that have no part in any Hessian until that changes, as broken bonds: 1 for each in
    /// the order of the term's list. *changes grows with each change. Null: there never are any.
    const uint8_t *(*uncoupled)(const void *self, uint64_t *changes);
    /// Where some of the Hessian is in no block: products with that, at evaluation->x and as
    /// evaluation projects it, until the next call. Null, or null from it: all of it is in blocks.
    /// One term at most has any.
    const struct product_operator *(*products)(void *self, struct tasks *tasks,
                                               const struct evaluation *evaluation);
    /// Null: self belongs to somebody else.
    void (*destroy)(void *self, struct memory *memory);
    bool has_damping; ///< evaluate heeds damping_weights; terms without are left out of such an
                      ///< evaluation
    bool is_linear;   ///< in x: the force is the same everywhere
    bool on_calling_thread; ///< evaluate is run on the thread that steps the world (a host's
                            ///< callbacks)
};

struct term {
    const struct term_table *table;
    void *self;
    bool has_stencils;  ///< takes the next stencil set of the assembly
    bool has_own_order; ///< in steps evaluate_whole serves value and gradient (pair_layout.h), and
                        ///< `evaluate` the Hessian
    struct stencils stencils;
};

#endif
