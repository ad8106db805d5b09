// The interface of all energies P_k of docs/architecture.md eq. (1): a term is an object and a
// table of functions. A term computes its energy, gradient and Hessian blocks domain by domain
// (sparse/assembly.h), and may bound the step length. A new term is one file.
// SPDX-License-Identifier: MIT
#ifndef PBS_ENERGY_TERM_H
#define PBS_ENERGY_TERM_H

#include "base/runtime/tasks.h"
#include "linear/problem.h"
#include "sparse/assembly.h"

/// The kind of energy under which pbs_energy reports a term.
enum energy_kind {
    ENERGY_ELASTIC,
    ENERGY_GRAVITY,
    ENERGY_EXTERNAL, ///< the potential of forces set by the host
    ENERGY_DISSIPATED,
    ENERGY_WIND, ///< the lagged potential of wind, which dissipates and supplies
    ENERGY_CONTACT,
    ENERGY_FRICTION, ///< the lagged friction potential
    ENERGY_HOST,
    ENERGY_KIND_COUNT
};

enum { EVALUATE_VALUE = 1, EVALUATE_GRADIENT = 2, EVALUATE_HESSIAN = 4 };

/// The stage data that terms need. Dissipative terms take the velocity as (x - origin) / length
/// (docs/theory/schemes.md section 1).
struct stage_view {
    const double *origin; ///< p_x, node order, 3 per node
    double length;        ///< b, seconds
};

struct evaluation {
    uint32_t what;   ///< EVALUATE_* bits
    const double *x; ///< node order, 3 per node
    struct stage_view stage;
    bool project;         ///< make all element Hessians positive semidefinite
    bool project_shells;  ///< make those of shells positive semidefinite
    bool project_bonds;   ///< make those of bonds positive semidefinite
    bool damping_weights; ///< multiply each element's Hessian by its own damping time (Rayleigh),
                          ///< see rayleigh_damping.h
    bool at_chart_origin; ///< all rotation vectors are zero, so the orientations are those at the
                          ///< start of the step; the caller only needs to know whether the value is
                          ///< finite
    bool constant_forces; ///< evaluate only terms that are linear in x
    bool dissipative_only;    ///< evaluate only terms of kind ENERGY_DISSIPATED or ENERGY_WIND
    bool loads_only;          ///< evaluate only terms that are loads
    bool without_constraints; ///< leave out what holds volumes, which has neither value nor
                              ///< gradient then
};

/// Receives the contributions of a domain. gradient and blocks have the layout of assembly.h;
/// arrays that are not requested are null.
struct evaluation_sums {
    double value;     ///< joules; infinity where the state is not admissible
    double *gradient; ///< newtons
    double *blocks;   ///< newtons per metre
    /// Joules, node order: each stencil's value is also added at its first node (the one of the
    /// lowest row, which the domain owns). Used to sum the energy of disconnected groups of nodes.
    double *node_values;
};

/// Results of an evaluation; a host's callback returns the same values.
enum { EVALUATE_OK = 0, EVALUATE_RECOVERABLE = 1, EVALUATE_STOP = -1 };

struct strain_history;
struct strain_part;

struct term_table {
    const char *name;
    enum energy_kind kind;
    /// Adds the contributions of domain `domain` to *sums. groups: the term's stencils in the
    /// assembly, null for terms without stencils (node terms loop over the nodes of the domain).
    /// Runs on any thread unless on_calling_thread is set. Returns EVALUATE_*.
    int (*evaluate)(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums);
    /// Computes what the domains share, before any of them is evaluated at evaluation->x. Called on
    /// the thread that steps the world; distributes its work over `tasks`. Null: they share
    /// nothing.
    void (*prepare)(void *self, struct tasks *tasks, const struct evaluation *evaluation);
    /// For terms with prepare: returns the value at x without changing anything, for readers of a
    /// constant world.
    double (*value)(const void *self, const double *x);
    /// For terms with has_own_order (struct term): adds value, gradient (in node order) and values
    /// by node of all domains at once. Called on the thread that steps the world; distributes its
    /// work over `tasks`.
    int (*evaluate_whole)(const void *self, struct tasks *tasks,
                          const struct evaluation *evaluation, struct evaluation_sums *sums);
    /// The largest step in (0, limit] along direction from x that keeps the value finite. The bound
    /// is exclusive: the energy is infinite there, unless bounds_finite_values is set. Null: no
    /// bound.
    double (*max_step)(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit);
    /// Arranges the element data in the groups of the assembly, which was built from the terms'
    /// stencils. Null: no element data.
    pbs_status (*bind)(void *self, struct memory *memory, const struct stencil_groups *groups);
    /// Returns the strain history of a term that damps the strain rate (strain_history.h). Null for
    /// all other terms.
    struct strain_history *(*strains)(void *self);
    /// Adds the contribution of one known state to the strains of domain `domain`. Null as
    /// `strains`.
    void (*measure)(const void *self, const struct stencil_groups *groups, uint32_t domain,
                    const struct strain_part *part, double *strains);
    /// Returns flags in the order of the term's stencils: 1 for a stencil that contributes to no
    /// Hessian at present, such as a broken bond. *changes counts the changes of these flags. Null:
    /// all stencils contribute.
    const uint8_t *(*uncoupled)(const void *self, uint64_t *changes);
    /// Returns an operator for products with the part of the Hessian that is not assembled into
    /// blocks, at evaluation->x and projected as `evaluation` says. The operator is valid until the
    /// next call. A null function or result means that all of the Hessian is assembled.
    struct product_operator *(*products)(void *self, struct tasks *tasks,
                                         const struct evaluation *evaluation);
    /// Null: the term does not own self.
    void (*destroy)(void *self, struct memory *memory);
    bool has_damping; ///< evaluate applies damping_weights; other terms are skipped in such an
                      ///< evaluation
    bool is_linear;   ///< linear in x: the force does not depend on x
    bool is_load;     ///< acts from outside, as weight does, and is not linear in x
    bool is_limit;    ///< a barrier, as those of contact: scripted nodes do not jump across its
                      ///< bound but take the others along
    bool bounds_finite_values; ///< the value is finite beyond max_step, but not to be trusted there
    bool on_calling_thread;    ///< evaluate must run on the thread that steps the world (a host's
                               ///< callbacks)
};

struct term {
    const struct term_table *table;
    void *self;
    bool has_stencils;  ///< the assembly has a stencil set for this term
    bool has_own_order; ///< evaluate_whole computes value and gradient (in the order of
                        ///< pair_layout.h), `evaluate` only the Hessian
    struct stencils stencils;
};

#endif
