// Which of three solvers is to take a system: conjugate gradients with block Jacobi, whose set-up
// is free and whose iterations are many; an exact factor in float, whose work is known before it is
// done; two levels, whose set-up is between. The choice goes by counted work and by running means
// of iterations, never by clocks, so that it is the same on all machines:
// docs/theory/linear_solvers.md section 2.
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

/// Iterations grow with the digits that are asked for; means are kept by decade of the tolerance.
enum { SELECTION_DECADES = 8 };

/// With no more rows than this a factor, in double, is work for microseconds, and leaves more
/// accurate steps than iterations to a loose tolerance do: nothing is raced.
enum { SELECTION_FEW_ROWS = 128 };

/// What is remembered of solves to one decade.
struct selection_decade {
    double iterations[SOLVER_KINDS]; ///< running means; 0: never counted
    uint32_t wait;                   ///< solves by others before block Jacobi is tried again
    uint32_t interval; ///< how long it had to wait the last time; 0: never tried again
};

/// What the choice goes by: numbers alone, which a snapshot holds.
struct selection_history {
    double rows, blocks;             ///< of the H0 that all this is about
    double flops, entries;           ///< of the factor of H0 alone; 0: not counted yet
    double more_flops, more_entries; ///< that contact added, as far as is known
    double pattern_reuse_rate; ///< mean share of the systems that contact couples as it did the one
                               ///< before
    uint64_t contact_pattern;  ///< of the last system
    uint32_t refusal_wait;     ///< solves before a factor is tried again, as H was not
                               ///< definite
    uint32_t refusal_interval;
    struct selection_decade decades[SELECTION_DECADES];
};

/// The system to solve.
struct selection_system {
    double rows;              ///< of nodes
    double own_blocks;        ///< of H0's upper triangle
    double contact_blocks;    ///< of C's
    double product_blocks;    ///< what a product with F takes beyond, in blocks; 0: there is none
    double contact_unknowns;  ///< rows that C touches, times 3
    uint64_t contact_pattern; ///< contact_matrix_pattern_hash
    double contrast;          ///< the largest of C's diagonal blocks over that of H0, by trace
    double tolerance;
};

struct selection_plan {
    enum solver_kind kind;
    uint32_t iteration_budget; ///< iterations until selection_update; UINT32_MAX: as many as it
                               ///< takes
    int32_t reason;            ///< PBS_SOLVER_*
};

/// Forgets what is about another H0. Once a system, before all others.
void selection_set_system(struct selection_history *memory, const struct selection_system *system);

/// By the running mean or, where there is none, assumed; 0: nothing is expected.
double selection_expected_iterations(const struct selection_history *memory,
                                     const struct selection_system *system, enum solver_kind kind);

/// Nanoseconds of the model, with as many iterations as are expected; 0: not known, or not an
/// option.
double selection_work(const struct selection_history *memory, const struct selection_system *system,
                      enum solver_kind kind);

/// Who is to begin.
struct selection_plan selection_choose(const struct selection_history *memory,
                                       const struct selection_system *system);

/// Whether selection_update has to know the factor's flops, and they have not been counted yet.
bool selection_needs_flops(const struct selection_history *memory,
                           const struct selection_system *system);

/// What a symbolic factor counted: of H0 alone, and of H0 + C.
void selection_set_flops(struct selection_history *memory, double flops, double entries,
                         double all_flops, double all_entries);

/// The worker, block Jacobi or two levels, has taken `iterations` since it began: it goes on, or
/// another takes over.
struct selection_plan selection_update(const struct selection_history *memory,
                                       const struct selection_system *system,
                                       const struct selection_plan *initial,
                                       enum solver_kind worker, uint32_t iterations);

/// H had no factor.
void selection_record_indefinite(struct selection_history *memory,
                                 const struct selection_system *system);

/// How a solve went.
struct selection_result {
    struct selection_plan initial;
    bool is_complete;           ///< the tolerance was reached
    uint32_t jacobi_iterations; ///< 0: it was not asked
    uint32_t coarse_iterations; ///< of two levels, before a factor took over
    enum solver_kind finisher;
    uint32_t iterations; ///< of the finisher
};
void selection_record(struct selection_history *memory, const struct selection_system *system,
                      const struct selection_result *result);

#endif
