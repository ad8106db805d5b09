// Chooses one of three solvers for a linear system: conjugate gradients with block Jacobi (free
// set-up, many iterations), with an exact factor in float (work known in advance), or with the
// two-level preconditioner (intermediate set-up). The choice uses counted work and running means of
// iteration counts, never clocks, so that it is the same on all machines
// (docs/theory/linear_solvers.md section 2).
// SPDX-License-Identifier: MIT
#ifndef PBS_LINEAR_SOLVER_SELECTION_H
#define PBS_LINEAR_SOLVER_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

enum solver_kind {
    SOLVER_KIND_BLOCK_JACOBI,
    SOLVER_KIND_FACTOR,
    SOLVER_KIND_TWO_LEVEL,
    SOLVER_KINDS
};

/// Iteration counts depend on the tolerance, so there is one mean for each decade of the tolerance.
enum { SELECTION_DECADES = 8 };

/// With at most this many rows the exact factor is always chosen: it takes a millisecond at most,
/// and solves more accurately than iterations to a loose tolerance. With 128, worlds of a few
/// bodies of very different stiffness took hundreds of iterations of block Jacobi in each of
/// Newton's.
enum { SELECTION_FEW_ROWS = 512 };

/// Up to this many rows the factor is in double: in float those of stiff and soft, heavy and light
/// bodies side by side are rounded until they are not definite any more, and are refused.
enum { SELECTION_DOUBLE_ROWS = 2048 };

/// Statistics of the solves to one decade of the tolerance.
struct selection_decade {
    double iterations[SOLVER_KINDS]; ///< running means; 0: none yet
    uint32_t wait;                   ///< solves by other solvers until block Jacobi is tried again
    uint32_t interval;               ///< length of the last wait; 0: there was none
};

/// All statistics that guide the choice. Plain numbers, so that they can be saved.
struct selection_history {
    double rows, blocks;             ///< of the H0 that the statistics belong to
    double flops, entries;           ///< of the factor of H0 alone; 0: not counted yet
    double more_flops, more_entries; ///< added by contact, as last counted
    double pattern_reuse_rate; ///< running mean of whether the contact pattern equals that of the
                               ///< system before, 0 .. 1
    uint64_t contact_pattern;  ///< of the last system
    uint32_t refusal_wait;     ///< solves until a factor is tried again after H was indefinite
    uint32_t refusal_interval;
    struct selection_decade decades[SELECTION_DECADES];
};

/// Size of the system to solve.
struct selection_system {
    double rows;              ///< nodes
    double own_blocks;        ///< blocks of the upper triangle of H0
    double contact_blocks;    ///< blocks of the upper triangle of C
    double product_blocks;    ///< extra work of a product with F, in blocks; 0: no F
    double contact_unknowns;  ///< rows that C touches, times 3
    uint64_t contact_pattern; ///< contact_matrix_pattern_hash
    double contrast;          ///< problem_contrast
    double tolerance;
};

struct selection_plan {
    enum solver_kind kind;
    uint32_t iteration_budget; ///< iterations until selection_update is called; UINT32_MAX: no
                               ///< limit
    int32_t reason;            ///< PBS_SOLVER_*
};

/// Discards the statistics if they belong to another H0, and updates pattern_reuse_rate. Call once
/// per system, first.
void selection_set_system(struct selection_history *memory, const struct selection_system *system);

/// Returns the running mean of the iterations or, without one, an assumed count; 0: unknown.
double selection_expected_iterations(const struct selection_history *memory,
                                     const struct selection_system *system, enum solver_kind kind);

/// Returns the modelled work of a solve in nanoseconds, with the expected iterations; 0: unknown,
/// or the solver is not available.
double selection_work(const struct selection_history *memory, const struct selection_system *system,
                      enum solver_kind kind);

/// Returns the solver to start with.
struct selection_plan selection_choose(const struct selection_history *memory,
                                       const struct selection_system *system);

/// Returns whether selection_set_flops must be called before selection_update.
bool selection_needs_flops(const struct selection_history *memory,
                           const struct selection_system *system);

/// Stores what the symbolic factorisation counted for H0 alone and for H0 + C.
void selection_set_flops(struct selection_history *memory, double flops, double entries,
                         double all_flops, double all_entries);

/// Called when `worker`, block Jacobi or two-level, has used `iterations` iterations since it
/// started. Returns the solver that continues.
struct selection_plan selection_update(const struct selection_history *memory,
                                       const struct selection_system *system,
                                       const struct selection_plan *initial,
                                       enum solver_kind worker, uint32_t iterations);

/// Records that H was not positive definite.
void selection_record_indefinite(struct selection_history *memory,
                                 const struct selection_system *system);

/// Result of a solve.
struct selection_result {
    struct selection_plan initial;
    bool is_complete;           ///< the tolerance was reached
    uint32_t jacobi_iterations; ///< 0: block Jacobi was not used
    uint32_t coarse_iterations; ///< of two-level, before a factor took over
    enum solver_kind finisher;
    uint32_t iterations; ///< of the finisher
};
void selection_record(struct selection_history *memory, const struct selection_system *system,
                      const struct selection_result *result);

#endif
