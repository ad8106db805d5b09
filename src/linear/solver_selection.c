// See solver_selection.h. The cost model is a fit with 25 % error to meshes of 2,000 to 118,000
// tetrahedra, cloth of 441 to 10,201 vertices, soft cubes and piles of boxes. Its constants decide
// the result, so they are the same on all machines.
// SPDX-License-Identifier: MIT
#include "linear/solver_selection.h"

#include <math.h>

#include "pbs/stats.h"

// Nanoseconds on the machine of the fit, per block of H, per row, per flop and per entry of the
// factor, and per unknown of the coarse matrix that contact adds.
static const double JACOBI_SETUP_BLOCK = 1.5;
static const double JACOBI_BLOCK = 1.3;
static const double JACOBI_ROW = 6.0;
static const double FLOP = 0.0079;
static const double ENTRY = 3.5;
static const double MERGED_BLOCK = 20.0;
static const double SYMBOLIC_BLOCK = 80.0;
static const double SOLVED_ENTRY = 0.5;
static const double COARSE_SETUP_BLOCK = 55.0;
static const double COARSE_SETUP_ROW = 250.0;
static const double COARSE_SETUP_UNKNOWN = 800.0;
static const double COARSE_BLOCK = 5.5;
static const double COARSE_ROW = 18.0;
static const double COARSE_UNKNOWN = 60.0;
// Computing the start vector and the checks of two-level cost this many iterations.
static const double COARSE_BEGINNING = 2.0;
// With this many rows vectors no longer fit the inner caches, and vector operations cost twice as
// much.
static const double CACHED_ROWS = 1e4;

// Assumed iterations of solvers that were never used, for tolerances down to LOOSE, to MIDDLE and
// below. For two-level this is the fewest observed, so that it is tried whenever it may be worth
// it.
static const double LOOSE = 1e-2;
static const double MIDDLE = 1e-4;
static const double COARSE_ITERATIONS[] = {4.0, 8.0, 16.0};
static const double FACTOR_ITERATIONS[] = {1.0, 1.0, 2.0};
// With an F, which no preconditioner includes, every solver needs at least this many.
static const double OPERATOR_ITERATIONS[] = {4.0, 8.0, 16.0};

// Larger factors take more than a second or half a gigabyte.
static const double MOST_FLOPS = 3e10;
static const double MOST_ENTRIES = 1.5e8;
// With more rows than this the flops of the factor are not even counted.
static const double MOST_ROWS = 2e5;
// Factor entries per block of H0, the fewest observed on meshes: a lower bound of the factor's
// work, before it is counted.
static const double LEAST_FILL = 20.0;

// If contact is stiffer than this relative to the mesh, block Jacobi overestimates the stiffness of
// the joint motion of two bodies in contact.
static const double MOST_CONTRAST = 1e4;

// Block Jacobi may use this many times the work of the next best solver before that one takes over.
// This limits the loss if it fails, and measures its mean if it nearly wins. BUDGET_FACTOR_AGAIN
// applies when it is tried again.
static const double BUDGET_FACTOR = 2.0;
static const double BUDGET_FACTOR_AGAIN = 1.0;
static const double LEAST_ITERATION_BUDGET = 8.0;
// Solves until block Jacobi is tried again; doubled each time it loses.
enum { FIRST_WAIT = 4, LONGEST_WAIT = 32 };
// Forgetting rates per solve. FORGOTTEN: of pattern_reuse_rate and, while other solvers are used,
// of contact's share of the factor. FORGOTTEN_ITERATIONS: of two-level's mean, so that it is tried
// again after a while.
static const double FORGOTTEN = 0.125;
static const double FORGOTTEN_ITERATIONS = 1.0 / 64.0;
// Estimate of two-level's total iterations over those it did before a factor took over.
static const double LEFT_TO_DO = 2.0;

// --- the model of work ---

static double all_blocks(const struct selection_system *system) {
    return system->own_blocks + system->contact_blocks;
}

static double by_tolerance(const double assumed[3], double tolerance) {
    return assumed[tolerance >= LOOSE ? 0 : tolerance >= MIDDLE ? 1 : 2];
}

/// Vector operations of one iteration; `work`: nanoseconds per row.
static double row_work(const struct selection_system *system, double work) {
    return work * system->rows * (1.0 + fmin(1.0, system->rows / CACHED_ROWS));
}

static double iteration_work(const struct selection_history *memory,
                             const struct selection_system *system, enum solver_kind kind) {
    const double blocks = all_blocks(system);
    const double beyond = JACOBI_BLOCK * system->product_blocks;
    if (kind == SOLVER_KIND_TWO_LEVEL) {
        return COARSE_BLOCK * blocks + row_work(system, COARSE_ROW) +
               COARSE_UNKNOWN * system->contact_unknowns + beyond;
    }
    const double product = JACOBI_BLOCK * blocks + row_work(system, JACOBI_ROW) + beyond;
    return kind == SOLVER_KIND_FACTOR
               ? product + SOLVED_ENTRY * (memory->entries + memory->more_entries)
               : product;
}

static double set_up_work(const struct selection_history *memory,
                          const struct selection_system *system, enum solver_kind kind) {
    const double blocks = all_blocks(system);
    if (kind == SOLVER_KIND_BLOCK_JACOBI) {
        return JACOBI_SETUP_BLOCK * blocks;
    }
    if (kind == SOLVER_KIND_TWO_LEVEL) {
        return COARSE_SETUP_BLOCK * blocks + row_work(system, COARSE_SETUP_ROW) +
               COARSE_SETUP_UNKNOWN * system->contact_unknowns +
               COARSE_BEGINNING * iteration_work(memory, system, kind);
    }
    // A changed contact pattern needs a new symbolic factor.
    const double symbolic = system->contact_blocks > 0.0
                                ? SYMBOLIC_BLOCK * blocks * (1.0 - memory->pattern_reuse_rate)
                                : 0.0;
    // The solve that computes the start vector is included.
    return FLOP * (memory->flops + memory->more_flops) +
           (ENTRY + SOLVED_ENTRY) * (memory->entries + memory->more_entries) +
           MERGED_BLOCK * blocks + symbolic;
}

static double total_work(const struct selection_history *memory,
                         const struct selection_system *system, enum solver_kind kind,
                         double iterations) {
    return set_up_work(memory, system, kind) + iterations * iteration_work(memory, system, kind);
}

// --- statistics ---

static uint32_t decade_of(double tolerance) {
    uint32_t decade = 0;
    for (double limit = 0.3; tolerance < limit && decade < SELECTION_DECADES - 1; limit *= 0.1) {
        decade++;
    }
    return decade;
}

/// Returns the expected iterations of block Jacobi. They grow as the tolerance tightens, so this is
/// the largest mean of this decade and the looser ones. Without any, the mean of the next tighter
/// decade is scaled by the number of digits. 0: no data.
static double expected_of_jacobi(const struct selection_history *memory, double tolerance) {
    const uint32_t decade = decade_of(tolerance);
    double most = 0.0;
    for (uint32_t d = 0; d <= decade; d++) {
        most = fmax(most, memory->decades[d].iterations[SOLVER_KIND_BLOCK_JACOBI]);
    }
    for (uint32_t d = decade + 1; most == 0.0 && d < SELECTION_DECADES; d++) {
        most = memory->decades[d].iterations[SOLVER_KIND_BLOCK_JACOBI] * (decade + 1.0) / (d + 1.0);
    }
    return most;
}

double selection_expected_iterations(const struct selection_history *memory,
                                     const struct selection_system *system, enum solver_kind kind) {
    if (kind == SOLVER_KIND_BLOCK_JACOBI) {
        return expected_of_jacobi(memory, system->tolerance);
    }
    const double counted = memory->decades[decade_of(system->tolerance)].iterations[kind];
    if (counted > 0.0) {
        return counted;
    }
    const double *const assumed = kind != SOLVER_KIND_FACTOR     ? COARSE_ITERATIONS
                                  : system->product_blocks > 0.0 ? OPERATOR_ITERATIONS
                                                                 : FACTOR_ITERATIONS;
    return by_tolerance(assumed, system->tolerance);
}

static bool is_counted(const struct selection_history *memory) {
    return memory->flops > 0.0;
}

/// Returns whether a factor is within the limits, as far as is known.
static bool may_factor(const struct selection_history *memory,
                       const struct selection_system *system) {
    return system->rows <= MOST_ROWS && memory->refusal_wait == 0 &&
           memory->flops + memory->more_flops <= MOST_FLOPS &&
           memory->entries + memory->more_entries <= MOST_ENTRIES;
}

double selection_work(const struct selection_history *memory, const struct selection_system *system,
                      enum solver_kind kind) {
    const bool is_option = kind != SOLVER_KIND_FACTOR ||
                           (is_counted(memory) && may_factor(memory, system));
    const double iterations = selection_expected_iterations(memory, system, kind);
    return is_option && iterations > 0.0 ? total_work(memory, system, kind, iterations) : 0.0;
}

/// Returns the cheaper of factor and two-level, and its work.
static enum solver_kind best_other(const struct selection_history *memory,
                                   const struct selection_system *system, double *work) {
    const double factor = selection_work(memory, system, SOLVER_KIND_FACTOR);
    const double coarse = selection_work(memory, system, SOLVER_KIND_TWO_LEVEL);
    const bool factors = factor > 0.0 && factor <= coarse;
    *work = factors ? factor : coarse;
    return factors ? SOLVER_KIND_FACTOR : SOLVER_KIND_TWO_LEVEL;
}

// --- the choice ---

void selection_set_system(struct selection_history *memory, const struct selection_system *system) {
    if (memory->rows != system->rows || memory->blocks != system->own_blocks) {
        *memory = (struct selection_history){.rows = system->rows, .blocks = system->own_blocks};
    }
    const double is_same = system->contact_pattern == memory->contact_pattern ? 1.0 : 0.0;
    memory->pattern_reuse_rate += FORGOTTEN * (is_same - memory->pattern_reuse_rate);
    memory->contact_pattern = system->contact_pattern;
}

/// Returns the number of iterations that cost `work`.
static uint32_t iteration_budget_for(const struct selection_history *memory,
                                     const struct selection_system *system, enum solver_kind kind,
                                     double work) {
    const double iterations = work / iteration_work(memory, system, kind);
    return iterations < (double)UINT32_MAX ? (uint32_t)fmax(iterations, LEAST_ITERATION_BUDGET)
                                           : UINT32_MAX;
}

/// Returns the work of the other solvers, bounded from below while the factor's flops have not been
/// counted.
static double least_other_work(const struct selection_history *memory,
                               const struct selection_system *system, double known) {
    if (is_counted(memory) || !may_factor(memory, system)) {
        return known;
    }
    const double blocks = all_blocks(system);
    return fmin(known, (MERGED_BLOCK + LEAST_FILL * ENTRY) * blocks);
}

static double budget_factor(int32_t reason) {
    return reason == PBS_SOLVER_RETRIED ? BUDGET_FACTOR_AGAIN : BUDGET_FACTOR;
}

static struct selection_plan try_jacobi(const struct selection_history *memory,
                                        const struct selection_system *system, double other,
                                        int32_t reason) {
    const double work = budget_factor(reason) * least_other_work(memory, system, other);
    return (struct selection_plan){
        SOLVER_KIND_BLOCK_JACOBI,
        iteration_budget_for(memory, system, SOLVER_KIND_BLOCK_JACOBI, work), reason};
}

/// Chooses between factor and two-level. Two-level gets a budget equal to the factor's work.
static struct selection_plan choose_other(const struct selection_history *memory,
                                          const struct selection_system *system, int32_t reason) {
    double work = 0.0;
    const enum solver_kind other = best_other(memory, system, &work);
    const double factor = selection_work(memory, system, SOLVER_KIND_FACTOR);
    const uint32_t iteration_budget = other == SOLVER_KIND_TWO_LEVEL && factor > 0.0
                                          ? iteration_budget_for(memory, system, other, factor)
                                          : UINT32_MAX;
    return (struct selection_plan){other, iteration_budget, reason};
}

struct selection_plan selection_choose(const struct selection_history *memory,
                                       const struct selection_system *system) {
    const struct selection_decade *record = &memory->decades[decade_of(system->tolerance)];
    double other_work = 0.0;
    best_other(memory, system, &other_work);
    const double jacobi = selection_work(memory, system, SOLVER_KIND_BLOCK_JACOBI);
    if (system->rows <= SELECTION_FEW_ROWS &&
        selection_work(memory, system, SOLVER_KIND_FACTOR) > 0.0) {
        return (struct selection_plan){SOLVER_KIND_FACTOR, UINT32_MAX, PBS_SOLVER_FEW_NODES};
    }
    if (system->contrast > MOST_CONTRAST) {
        return choose_other(memory, system, PBS_SOLVER_STIFF_CONTACT);
    }
    if (jacobi == 0.0) {
        return try_jacobi(memory, system, other_work, PBS_SOLVER_FIRST);
    }
    if (jacobi <= other_work) {
        return try_jacobi(memory, system, other_work, PBS_SOLVER_CHEAPEST);
    }
    if (record->interval > 0 && record->wait == 0) {
        return try_jacobi(memory, system, other_work, PBS_SOLVER_RETRIED);
    }
    return choose_other(memory, system, PBS_SOLVER_CHEAPEST);
}

bool selection_needs_flops(const struct selection_history *memory,
                           const struct selection_system *system) {
    return !is_counted(memory) && may_factor(memory, system);
}

void selection_set_flops(struct selection_history *memory, double flops, double entries,
                         double all_flops, double all_entries) {
    memory->flops = flops;
    memory->entries = entries;
    memory->more_flops = fmax(0.0, all_flops - flops);
    memory->more_entries = fmax(0.0, all_entries - entries);
}

struct selection_plan selection_update(const struct selection_history *memory,
                                       const struct selection_system *system,
                                       const struct selection_plan *initial,
                                       enum solver_kind worker, uint32_t iterations) {
    if (worker == SOLVER_KIND_TWO_LEVEL) {
        return (struct selection_plan){SOLVER_KIND_FACTOR, UINT32_MAX, PBS_SOLVER_SWITCHED};
    }
    double work = 0.0;
    best_other(memory, system, &work);
    const uint32_t iteration_budget = iteration_budget_for(memory, system, SOLVER_KIND_BLOCK_JACOBI,
                                                           budget_factor(initial->reason) * work);
    if (iteration_budget > iterations) {
        return (struct selection_plan){SOLVER_KIND_BLOCK_JACOBI, iteration_budget - iterations,
                                       PBS_SOLVER_CHEAPEST};
    }
    return choose_other(memory, system, PBS_SOLVER_SWITCHED);
}

// --- recording results ---

static uint32_t next_wait(uint32_t interval) {
    return interval == 0 ? FIRST_WAIT : interval < LONGEST_WAIT ? 2 * interval : LONGEST_WAIT;
}

void selection_record_indefinite(struct selection_history *memory,
                                 const struct selection_system *system) {
    if (system->rows <= SELECTION_FEW_ROWS) {
        return; // a small factor is cheap: the next matrix may be definite
    }
    memory->refusal_interval = next_wait(memory->refusal_interval);
    memory->refusal_wait = memory->refusal_interval;
}

static void update_mean(struct selection_decade *record, enum solver_kind kind, double iterations) {
    double *mean = &record->iterations[kind];
    const double count = fmax(iterations, 1.0);
    *mean = *mean > 0.0 ? 0.5 * (*mean + count) : count;
}

/// Updates two-level's mean when a factor finished: raises it if two-level was tried first, else
/// lowers it a little.
static void record_two_level(struct selection_decade *record,
                             const struct selection_result *result) {
    if (result->coarse_iterations > 0) {
        update_mean(record, SOLVER_KIND_TWO_LEVEL, LEFT_TO_DO * result->coarse_iterations);
    } else {
        record->iterations[SOLVER_KIND_TWO_LEVEL] *= 1.0 - FORGOTTEN_ITERATIONS;
    }
}

/// Looser tolerances need no more iterations, and the mean of this one must not exceed the count
/// that has just won.
static void lower_expectations(struct selection_history *memory, double tolerance,
                               double iterations) {
    for (uint32_t d = 0; d <= decade_of(tolerance); d++) {
        double *mean = &memory->decades[d].iterations[SOLVER_KIND_BLOCK_JACOBI];
        *mean = fmin(*mean, iterations);
    }
}

/// Updates the statistics of block Jacobi after it was used, alone or until another solver took
/// over.
static void record_block_jacobi(struct selection_history *memory,
                                const struct selection_system *system,
                                const struct selection_result *result) {
    struct selection_decade *record = &memory->decades[decade_of(system->tolerance)];
    double other = 0.0;
    best_other(memory, system, &other);
    const double work = total_work(memory, system, SOLVER_KIND_BLOCK_JACOBI,
                                   result->jacobi_iterations);
    const bool wins = result->finisher == SOLVER_KIND_BLOCK_JACOBI && work <= other;
    update_mean(record, SOLVER_KIND_BLOCK_JACOBI, result->jacobi_iterations);
    if (wins) {
        lower_expectations(memory, system->tolerance, result->jacobi_iterations);
        record->interval = 0;
    } else if (result->initial.reason == PBS_SOLVER_RETRIED ||
               result->finisher != SOLVER_KIND_BLOCK_JACOBI) {
        record->interval = next_wait(record->interval);
        record->wait = record->interval;
    }
}

void selection_record(struct selection_history *memory, const struct selection_system *system,
                      const struct selection_result *result) {
    struct selection_decade *record = &memory->decades[decade_of(system->tolerance)];
    if (memory->refusal_wait > 0) {
        memory->refusal_wait--;
    }
    if (result->finisher != SOLVER_KIND_FACTOR) {
        memory->more_flops -= FORGOTTEN * memory->more_flops;
        memory->more_entries -= FORGOTTEN * memory->more_entries;
    }
    if (result->is_complete && result->finisher != SOLVER_KIND_BLOCK_JACOBI) {
        update_mean(record, result->finisher, result->iterations);
    }
    if (result->finisher == SOLVER_KIND_FACTOR) {
        record_two_level(record, result);
    }
    if (result->jacobi_iterations > 0 &&
        (result->is_complete || result->finisher != SOLVER_KIND_BLOCK_JACOBI)) {
        record_block_jacobi(memory, system, result);
    } else if (record->interval == 0) {
        record->interval = FIRST_WAIT;
        record->wait = FIRST_WAIT;
    } else if (record->wait > 0) {
        record->wait--;
    }
}
