// See pcg.h. With a preconditioner that works by domain one iteration has three parallel loops: the
// product and p . A p; the new iterate, its residual and preconditioned residual; the new
// direction. Sums are stored per domain and added in a fixed order. The recurrence drifts from the
// true residual b - A x, which replaces it at intervals (van der Vorst and Ye, "Residual
// replacement strategies for Krylov subspace iterative methods", SISC 22, 2000, derive how often is
// safe). If the preconditioner is itself a solver and may differ between applications, each
// direction is explicitly made conjugate to the one before (Golub and Ye, "Inexact preconditioned
// conjugate gradient method with inner-outer iteration", SISC 21, 1999; Notay, "Flexible conjugate
// gradients", SISC 22, 2000, who finds one previous direction sufficient).
// SPDX-License-Identifier: MIT
#include "linear/krylov/pcg.h"

#include <float.h>
#include <math.h>

#include "base/lanes/lanes.h"

#define CHECK_INTERVAL 50
// If the true residual and the recurrence's differ by more than this fraction, in squares, new
// directions are no longer conjugate to the old ones.
#define DRIFT 0.01
// From one check that finds such a drift to the next, the squared residual must fall to this
// fraction; otherwise rounding prevents further progress.
#define PROGRESS 0.25

// Upper bound of the last direction's gain at convergence, relative to the mean gain (Nash and
// Sofer, "Assessing a search direction within a truncated-Newton method", Oper. Res. Lett. 9,
// 1990).
#define LAST_GAIN 0.1
// Bounds of visible_part. Meshes have stiff and soft parts of their own, so the tolerance is
// tightened at least by LEAST_HIDING.
#define MOST_HIDING  0.03
#define LEAST_HIDING 0.3
// If M is as stiff as A everywhere and |r| is below this fraction of the tolerance, relative to
// |b|, r . M^-1 r is below its goal for condition numbers up to 1 / NEGLIGIBLE^2.
#define NEGLIGIBLE 1e-7

struct solve {
    struct tasks *tasks;
    const struct linear_problem *problem;
    const struct layout *layout;
    const struct preconditioner *chosen; ///< the preconditioner that the caller passed
    const struct preconditioner *m;      ///< the one that does its work now
    const double *b;
    double *x, *r, *z, *p, *ap;
    enum pcg_norm norm;
    bool deflates;     ///< some part of F has a deflation
    double tolerance;  ///< relative
    double goal;       ///< square of the residual norm to reach
    double negligible; ///< a square of |r| that is below any goal, see NEGLIGIBLE
    double visible;    ///< see visible_part
    double alpha, beta;
    uint32_t worker_iterations; ///< since m took over
    // Decrease of x . A x / 2 - x . b, times two: by the last direction, and in total.
    double gain, gained;
    double directions;                         ///< number of directions so far
    double start_gain;                         ///< part of `gained` that is due to the start vector
    double small, small_gain, small_tolerance; ///< small: 0 after the goal has been tightened for a
                                               ///< small x
    double steepest; ///< largest 1 / alpha so far: a lower bound of the largest eigenvalue of M^-1
                     ///< A
    double pap[LAYOUT_DOMAIN_LIMIT];
    double rr[LAYOUT_DOMAIN_LIMIT];
    double rz[LAYOUT_DOMAIN_LIMIT];
    double zap[LAYOUT_DOMAIN_LIMIT];
    double drift[LAYOUT_DOMAIN_LIMIT]; ///< square of the change of r in the last check
    double fall[LAYOUT_DOMAIN_LIMIT];  ///< x . b at the end; before that r . r where r is deflated
};

pbs_status pcg_reserve(struct memory *memory, struct pcg_workspace *w, size_t row_count) {
    if (w->capacity >= row_count && w->r) {
        return PBS_OK;
    }
    struct pcg_workspace grown = {.capacity = row_count};
    grown.r = memory_allocate(memory, 3 * row_count, sizeof(double));
    grown.z = memory_allocate(memory, 3 * row_count, sizeof(double));
    grown.p = memory_allocate(memory, 3 * row_count, sizeof(double));
    grown.ap = memory_allocate(memory, 3 * row_count, sizeof(double));
    if (!grown.r || !grown.z || !grown.p || !grown.ap) {
        pcg_free(memory, &grown);
        return PBS_ERROR_MEMORY;
    }
    pcg_free(memory, w);
    *w = grown;
    return PBS_OK;
}

void pcg_free(struct memory *memory, struct pcg_workspace *w) {
    memory_release(memory, w->r);
    memory_release(memory, w->z);
    memory_release(memory, w->p);
    memory_release(memory, w->ap);
    *w = (struct pcg_workspace){0};
}

// --- kernels on entries first .. end - 1 ---

PBS_MULTIVERSION
static double dot(const double *x, const double *y, size_t first, size_t end) {
    lanes8 sums = lanes_set(0.0);
    size_t i = first;
    for (; i + LANES <= end; i += LANES) {
        sums += lanes_load(x + i) * lanes_load(y + i);
    }
    double rest = 0.0;
    for (; i < end; i++) {
        rest += x[i] * y[i];
    }
    return lanes_sum(sums) + rest;
}

/// x += alpha p, r -= alpha ap; returns the new r . r.
PBS_MULTIVERSION
static double advance(const struct solve *s, size_t first, size_t end) {
    lanes8 sums = lanes_set(0.0);
    size_t i = first;
    for (; i + LANES <= end; i += LANES) {
        const lanes8 r = lanes_load(s->r + i) - s->alpha * lanes_load(s->ap + i);
        lanes_store(s->x + i, lanes_load(s->x + i) + s->alpha * lanes_load(s->p + i));
        lanes_store(s->r + i, r);
        sums += r * r;
    }
    double rest = 0.0;
    for (; i < end; i++) {
        s->x[i] += s->alpha * s->p[i];
        s->r[i] -= s->alpha * s->ap[i];
        rest += s->r[i] * s->r[i];
    }
    return lanes_sum(sums) + rest;
}

// --- pieces, one domain each ---

static size_t entries_before(const struct solve *s, size_t domain) {
    return 3 * (size_t)s->layout->domain_start[domain];
}

/// z = M^-1 r and r . z, if M works by domain and what it works on is r itself.
static void precondition_piece(struct solve *s, size_t domain) {
    if (s->m->table->apply_domain && !s->deflates) {
        s->m->table->apply_domain(s->m->state, (uint32_t)domain, s->r, s->z);
        s->rz[domain] = dot(s->r, s->z, entries_before(s, domain), entries_before(s, domain + 1));
    }
}

static void product_piece(void *context, size_t domain) {
    struct solve *s = context;
    problem_multiply_domain(s->problem, (uint32_t)domain, s->p, s->ap);
    s->pap[domain] = dot(s->p, s->ap, entries_before(s, domain), entries_before(s, domain + 1));
}

static void advance_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->rr[domain] = advance(s, entries_before(s, domain), entries_before(s, domain + 1));
    precondition_piece(s, domain);
}

/// x = 0, r = b
static void start_piece(void *context, size_t domain) {
    struct solve *s = context;
    const size_t end = entries_before(s, domain + 1);
    for (size_t i = entries_before(s, domain); i < end; i++) {
        s->x[i] = 0.0;
        s->p[i] = 0.0;
        s->r[i] = s->b[i];
    }
    s->rr[domain] = dot(s->r, s->r, entries_before(s, domain), end);
    precondition_piece(s, domain);
}

/// r = b - A x. Uses z as scratch, so that A p is not overwritten.
static void residual_piece(void *context, size_t domain) {
    struct solve *s = context;
    const size_t end = entries_before(s, domain + 1);
    double drift = 0.0;
    problem_multiply_domain(s->problem, (uint32_t)domain, s->x, s->z);
    for (size_t i = entries_before(s, domain); i < end; i++) {
        const double r = s->b[i] - s->z[i];
        drift += (r - s->r[i]) * (r - s->r[i]);
        s->r[i] = r;
    }
    s->drift[domain] = drift;
    s->rr[domain] = dot(s->r, s->r, entries_before(s, domain), end);
    precondition_piece(s, domain);
}

/// p = z + beta p
static void direction_piece(void *context, size_t domain) {
    struct solve *s = context;
    const size_t end = entries_before(s, domain + 1);
    for (size_t i = entries_before(s, domain); i < end; i++) {
        s->p[i] = s->z[i] + s->beta * s->p[i];
    }
}

static void dot_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->rz[domain] = dot(s->r, s->z, entries_before(s, domain), entries_before(s, domain + 1));
}

static void apply_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->m->table->apply_domain(s->m->state, (uint32_t)domain, s->r, s->z);
}

static void square_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->fall[domain] = dot(s->r, s->r, entries_before(s, domain), entries_before(s, domain + 1));
}

static void flexible_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->zap[domain] = dot(s->z, s->ap, entries_before(s, domain), entries_before(s, domain + 1));
}

// --- the iteration ---

static void run(struct solve *s, pbs_work_fn piece) {
    tasks_for(s->tasks, s->layout->domain_count, piece, s);
}

static double sum(const struct solve *s, const double *parts) {
    double total = 0.0;
    for (uint32_t d = 0; d < s->layout->domain_count; d++) {
        total += parts[d];
    }
    return total;
}

static void copy_entries(const struct solve *s, const double *from, double *to) {
    for (size_t i = 0; i < 3 * (size_t)s->layout->node_count; i++) {
        to[i] = from[i];
    }
}

static void add_entries(const struct solve *s, const double *from, double *to) {
    for (size_t i = 0; i < 3 * (size_t)s->layout->node_count; i++) {
        to[i] += from[i];
    }
}

// --- operators that are stiffer than what is preconditioned ---

static bool begin_deflation(struct solve *s) {
    bool any = false;
    for (const struct product_operator *f = s->problem->f; f != NULL; f = f->next) {
        if (f->deflation != NULL) {
            f->deflation->begin(f->self, s->problem);
            any = true;
        }
    }
    return any;
}

static void deflate(struct solve *s) {
    for (const struct product_operator *f = s->problem->f; f != NULL; f = f->next) {
        if (f->deflation != NULL) {
            f->deflation->deflate(f->self, s->r);
        }
    }
}

/// r as it was before.
static void inflate(struct solve *s) {
    for (const struct product_operator *f = s->problem->f; f != NULL; f = f->next) {
        if (f->deflation != NULL) {
            f->deflation->inflate(f->self, s->r);
        }
    }
}

static void correct(struct solve *s) {
    for (const struct product_operator *f = s->problem->f; f != NULL; f = f->next) {
        if (f->deflation != NULL) {
            f->deflation->correct(f->self, s->z);
        }
    }
}

/// Returns |P r|^2. What F alone resists counts little in a residual: relative to it nothing else
/// would have to be solved.
static double deflated_square(struct solve *s) {
    deflate(s);
    run(s, square_piece);
    inflate(s);
    return sum(s, s->fall);
}

/// z = M^-1 r and *rz = r . z, unless the loop that computed r has done so. Fails if the
/// preconditioner fails.
static pbs_status precondition(struct solve *s, double *rz) {
    const struct preconditioner_table *table = s->m->table;
    double rr = sum(s, s->rr);
    if (table->solve && !isfinite(rr)) {
        *rz = NAN;
        return PBS_OK;
    }
    if (s->deflates) {
        deflate(s);
        run(s, square_piece);
        rr = sum(s, s->fall);
    }
    pbs_status status = PBS_OK;
    if (table->solve) {
        status = table->solve(s->m->state, s->tasks, s->r, sqrt(s->goal / rr), s->z);
    } else if (!table->apply_domain) {
        table->apply(s->m->state, s->tasks, s->r, s->z);
    } else if (s->deflates) {
        run(s, apply_piece);
    }
    if (s->deflates) {
        inflate(s);
        correct(s);
    }
    RETURN_IF_FAILED(status);
    if (s->deflates || !table->apply_domain) {
        run(s, dot_piece);
    }
    *rz = sum(s, s->rz);
    return PBS_OK;
}

/// Returns the coefficient of p in the next direction that makes the two conjugate.
static double next_beta(struct solve *s, double curvature, double rz, double rz_before) {
    if (!s->m->table->solve) {
        return rz / rz_before;
    }
    run(s, flexible_piece);
    return -sum(s, s->zap) / curvature;
}

/// Returns the quantity that must reach the goal: |r|^2 or r . M^-1 r.
static double measure(const struct solve *s, double rz) {
    return s->norm == PCG_EUCLIDEAN ? sum(s, s->rr) : rz;
}

/// Returns the factor by which the tolerance is tightened. M overestimates the stiffness of some
/// rows by the contrast; an error of their soft motion counts too little in r . M^-1 r, by up to
/// the same factor.
static double visible_part(const struct solve *s) {
    const struct preconditioner *m = s->m;
    const double contrast = m->table->contrast ? m->table->contrast(m->state) : INFINITY;
    if (contrast == 0.0) {
        return 1.0;
    }
    return fmax(fmin(1.0 / sqrt(contrast), LEAST_HIDING), MOST_HIDING);
}

/// Returns whether |r| alone says that the goal of r . M^-1 r is reached, as it does after a solve
/// with an exact factor. M^-1 r then need not be computed. Where r is deflated the goal leaves out
/// what F resists, which may be nearly all of |b|.
static bool is_negligible(const struct solve *s) {
    return s->norm == PCG_PRECONDITIONED && s->visible == 1.0 && !s->deflates &&
           sum(s, s->rr) <= s->negligible;
}

/// Returns whether the iteration may end. An error that r . M^-1 r underestimates shows in the gain
/// of the next directions, so the last gain must be far below the mean.
static bool is_content(const struct solve *s, double rz) {
    return measure(s, rz) <= s->goal &&
           (s->visible == 1.0 || s->gain * s->directions <= LAST_GAIN * s->gained);
}

static double largest_entry(const struct solve *s) {
    double largest = 0.0;
    for (size_t i = 0; i < 3 * (size_t)s->layout->node_count; i++) {
        largest = fmax(largest, fabs(s->x[i]));
    }
    return largest;
}

/// Returns whether the iteration ends. If x is small, the goal is tightened once and tested again.
static bool is_done(struct solve *s, double rz) {
    if (!is_content(s, rz)) {
        return false;
    }
    if (s->visible < 1.0 && s->small > 0.0 && s->gained <= s->small_gain &&
        largest_entry(s) < s->small) {
        const double further = s->small_tolerance / (s->visible * s->tolerance);
        s->goal *= fmin(1.0, further * further);
        s->small = 0.0;
        return is_content(s, rz);
    }
    return true;
}

/// Computes r = b - A x and its norms from scratch.
static void find_residual(struct solve *s) {
    problem_begin_product(s->tasks, s->problem, s->x);
    run(s, residual_piece);
}

/// Computes the next direction p and A p. Returns p . A p.
static double follow_direction(struct solve *s) {
    run(s, direction_piece);
    problem_begin_product(s->tasks, s->problem, s->p);
    run(s, product_piece);
    return sum(s, s->pap);
}

static void descent_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->fall[domain] = dot(s->x, s->b, entries_before(s, domain), entries_before(s, domain + 1));
}

/// Adds the preconditioner's start vector to x, if there is one, and updates the residual. The
/// decrease that this causes counts as part of the solution's energy norm, to which the tolerance
/// is relative.
static void apply_start_vector(struct solve *s, const double *b, double *begin,
                               struct pcg_result *result) {
    s->start_gain = 0.0;
    if (preconditioner_start(s->m, s->tasks, b, begin)) {
        if (begin != s->x) {
            add_entries(s, begin, s->x);
        }
        find_residual(s);
        result->checks++;
        run(s, descent_piece);
        s->start_gain = fmax(0.0, sum(s, s->fall));
        s->gained = fmax(s->gained, s->start_gain);
        s->gain = 0.0;
    }
}

/// Returns whether the curvature is positive beyond rounding. 1 / alpha is never below the smallest
/// eigenvalue of M^-1 A.
static bool is_curved(struct solve *s, double rz, double curvature) {
    if (!(rz > 0.0 && curvature > DBL_EPSILON * s->steepest * rz)) {
        return false;
    }
    s->steepest = fmax(s->steepest, curvature / rz);
    return true;
}

/// Handles a direction without positive curvature, or a residual for which the preconditioner is
/// not definite. In the first iteration there is no iterate yet, so x becomes the direction itself
/// or, without one, b.
static enum pcg_outcome end_indefinite(struct solve *s, double rz, uint32_t iterations) {
    if (iterations == 1) {
        add_entries(s, rz > 0.0 ? s->p : s->b, s->x);
        return PCG_INDEFINITE;
    }
    return rz <= 0.0 ? PCG_STAGNATED : PCG_INDEFINITE;
}

/// State of the iteration.
struct progress {
    double rz;                 ///< r . M^-1 r, if it has been computed
    double drifted;            ///< squared residual at the last check that found a drift
    uint32_t iteration_budget; ///< iterations until switch_solver is called
    bool is_new;               ///< the next direction starts a new recurrence
};

/// Starts a new recurrence: computes the preconditioned residual and, for PCG_PRECONDITIONED, the
/// goal.
static pbs_status restart(struct solve *s, struct progress *at) {
    at->is_new = true;
    RETURN_IF_FAILED(precondition(s, &at->rz));
    if (s->norm == PCG_PRECONDITIONED) {
        s->visible = visible_part(s);
        const double tolerance = s->visible * s->tolerance;
        s->goal = tolerance * tolerance * (s->start_gain + at->rz);
    }
    return PBS_OK;
}

/// Replaces the residual by the true one. Restarts the recurrence if it was wrong: it claimed
/// convergence above the goal, or differs by more than DRIFT. *stagnates: rounding prevents further
/// progress.
static pbs_status check_residual(struct solve *s, bool claims, struct progress *at,
                                 struct pcg_result *result, bool *stagnates) {
    find_residual(s);
    result->checks++;
    if (s->norm == PCG_PRECONDITIONED) {
        RETURN_IF_FAILED(precondition(s, &at->rz));
    }
    const bool right = claims ? measure(s, at->rz) <= s->goal
                              : sum(s, s->drift) <= DRIFT * sum(s, s->rr);
    if (!right) {
        apply_start_vector(s, s->r, s->z, result);
        if (s->norm == PCG_PRECONDITIONED) {
            RETURN_IF_FAILED(precondition(s, &at->rz));
        }
        const double left = measure(s, at->rz);
        *stagnates = !(left <= PROGRESS * at->drifted);
        at->drifted = left;
        at->is_new = true;
    }
    return PBS_OK;
}

static uint32_t iteration_budget_of(const struct preconditioner *m) {
    return m->table->iteration_budget ? m->table->iteration_budget(m->state) : UINT32_MAX;
}

/// Calls switch_solver. If the worker changed, restarts with it from the current iterate.
static pbs_status check_switch(struct solve *s, struct progress *at, struct pcg_result *result) {
    bool changed = false;
    RETURN_IF_FAILED(s->chosen->table->switch_solver(s->chosen->state, s->tasks, &changed));
    at->iteration_budget = iteration_budget_of(s->chosen);
    if (!changed) {
        return PBS_OK;
    }
    s->m = preconditioner_worker(s->chosen);
    s->steepest = 0.0;
    s->worker_iterations = 0;
    at->drifted = INFINITY;
    find_residual(s);
    result->checks++;
    apply_start_vector(s, s->r, s->z, result);
    return restart(s, at);
}

/// Updates x, r and r . z for the step along p, and checks the residual at intervals. Returns false
/// at stagnation, or if the preconditioner failed (result->status).
static bool advance_iterate(struct solve *s, struct progress *at, struct pcg_result *result) {
    run(s, advance_piece);
    s->worker_iterations++;
    at->is_new = false;
    result->relative_residual = sqrt(sum(s, s->rr));
    if (is_negligible(s)) {
        at->rz = 0.0;
        return true;
    }
    if (s->norm == PCG_PRECONDITIONED) {
        result->status = precondition(s, &at->rz);
    }
    bool stagnates = false;
    const bool claims = is_content(s, at->rz);
    // Right after a computed residual there is no drift yet.
    const bool is_due = s->worker_iterations > 1 &&
                        (claims || result->iterations % CHECK_INTERVAL == 0);
    if (result->status == PBS_OK && is_due) {
        result->status = check_residual(s, claims, at, result, &stagnates);
    }
    result->relative_residual = sqrt(sum(s, s->rr));
    return result->status == PBS_OK && !stagnates;
}

/// Computes z, if the test of the residual has not, and beta for the next direction. May switch to
/// another preconditioner.
static pbs_status prepare_direction(struct solve *s, struct progress *at, double curvature,
                                    double rz_before, struct pcg_result *result) {
    at->iteration_budget--;
    if (at->iteration_budget == 0) {
        RETURN_IF_FAILED(check_switch(s, at, result));
    }
    if (s->norm == PCG_EUCLIDEAN && !(at->is_new && s->worker_iterations == 0)) {
        RETURN_IF_FAILED(precondition(s, &at->rz));
    }
    // After a drift the old directions are not conjugate to the new ones.
    s->beta = at->is_new ? 0.0 : next_beta(s, curvature, at->rz, rz_before);
    return PBS_OK;
}

/// Iterates from a nonzero residual.
static enum pcg_outcome iterate(struct solve *s, uint32_t limit, struct pcg_result *result) {
    struct progress at = {.drifted = INFINITY, .iteration_budget = iteration_budget_of(s->chosen)};
    result->status = limit > 0 ? restart(s, &at) : PBS_OK;
    if (result->status != PBS_OK) {
        return PCG_GIVEN_UP;
    }
    if (limit > 0 && s->start_gain > 0.0 && is_done(s, at.rz)) {
        return PCG_CONVERGED;
    }
    while (result->iterations < limit) {
        const double rz = at.rz;
        const double curvature = rz > 0.0 ? follow_direction(s) : -1.0;
        result->iterations++;
        if (!is_curved(s, rz, curvature)) {
            return end_indefinite(s, rz, result->iterations);
        }
        s->alpha = rz / curvature;
        s->gain = s->alpha * rz;
        s->gained += s->gain;
        s->directions += 1.0;
        if (!advance_iterate(s, &at, result)) {
            return result->status == PBS_OK ? PCG_STAGNATED : PCG_GIVEN_UP;
        }
        if (is_done(s, at.rz)) {
            return PCG_CONVERGED;
        }
        if (result->iterations < limit) {
            result->status = prepare_direction(s, &at, curvature, rz, result);
            if (result->status != PBS_OK) {
                return PCG_GIVEN_UP;
            }
        }
    }
    return PCG_ITERATION_LIMIT;
}

/// Returns x = b, for a b whose square is 0, overflows or is not a number.
static struct pcg_result solve_without_norm(const struct solve *s) {
    struct pcg_result result = {.outcome = PCG_CONVERGED};
    for (size_t i = 0; i < 3 * (size_t)s->layout->node_count; i++) {
        s->x[i] = s->b[i];
        if (s->b[i] != 0.0) {
            result.outcome = PCG_STAGNATED;
            result.relative_residual = NAN;
        }
    }
    return result;
}

static bool is_descent(struct solve *s) {
    run(s, descent_piece);
    const double descent = sum(s, s->fall);
    return descent > 0.0 && descent < INFINITY;
}

/// Returns whether the start vector already satisfies the tolerance.
static bool is_reached(const struct solve *s) {
    const double rr = sum(s, s->rr);
    return rr == 0.0 || (s->norm == PCG_EUCLIDEAN && sqrt(rr) <= sqrt(s->goal));
}

/// Solves with the preconditioner's current worker.
static struct pcg_result solve_once(struct solve *s, const struct pcg_options *options) {
    struct pcg_result result = {.outcome = PCG_CONVERGED};
    s->m = preconditioner_worker(s->chosen);
    // A preconditioner that is itself a solver is given the reduction of |r|, so the norm must be
    // Euclidean.
    s->norm = s->m->table->solve ? PCG_EUCLIDEAN : options->norm;
    s->tolerance = options->relative_tolerance;
    s->small = options->small;
    s->small_gain = options->small_gain;
    s->small_tolerance = options->small_tolerance;
    s->worker_iterations = 0;
    s->deflates = begin_deflation(s);
    run(s, start_piece);
    const double bb = sum(s, s->rr);
    if (!(bb > 0.0 && bb < INFINITY)) {
        return solve_without_norm(s);
    }
    s->goal = s->tolerance * s->tolerance *
              (s->deflates && s->norm == PCG_EUCLIDEAN ? fmax(deflated_square(s), DBL_EPSILON * bb)
                                                       : bb);
    s->negligible = NEGLIGIBLE * NEGLIGIBLE * s->tolerance * s->tolerance * bb;
    s->beta = 0.0;
    s->steepest = 0.0;
    s->gain = 0.0;
    s->gained = 0.0;
    s->directions = 0.0;
    s->start_gain = 0.0;
    s->visible = 1.0;
    if (options->iteration_limit > 0) {
        apply_start_vector(s, s->b, s->x, &result);
    }
    result.relative_residual = sqrt(sum(s, s->rr));
    if (!is_reached(s)) {
        result.outcome = iterate(s, options->iteration_limit, &result);
    }
    result.relative_residual /= sqrt(bb);
    if (options->iteration_limit > 0 && result.outcome != PCG_GIVEN_UP && !is_descent(s)) {
        // If the matrix is nearly singular, rounding may leave no descent direction but b.
        copy_entries(s, s->b, s->x);
        result.outcome = PCG_INDEFINITE;
    }
    return result;
}

/// Reports the outcome to the preconditioner.
static void report_outcome(const struct solve *s, const struct pcg_result *result) {
    if (s->chosen->table->record_outcome) {
        const struct solve_outcome outcome = {.iterations = s->worker_iterations,
                                              .is_complete = result->outcome == PCG_CONVERGED};
        s->chosen->table->record_outcome(s->chosen->state, &outcome);
    }
}

struct pcg_result pcg_solve(struct tasks *tasks, const struct linear_problem *problem,
                            const struct preconditioner *m, const double *b,
                            const struct pcg_options *options, struct pcg_workspace *w, double *x) {
    struct solve s = {.tasks = tasks,
                      .problem = problem,
                      .layout = problem->a->layout,
                      .chosen = m,
                      .b = b,
                      .x = x,
                      .r = w->r,
                      .z = w->z,
                      .p = w->p,
                      .ap = w->ap};
    const struct pcg_result first = solve_once(&s, options);
    if (first.status != PBS_ERROR_CONVERGENCE) {
        report_outcome(&s, &first);
        return first;
    }
    // The preconditioner has switched to its substitute.
    struct pcg_result result = solve_once(&s, options);
    report_outcome(&s, &result);
    result.iterations += first.iterations;
    result.checks += first.checks;
    return result;
}
