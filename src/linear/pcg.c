// Three parallel loops an iteration when the preconditioner works domain by domain: the product
// with p . A p; the new iterate, its residual and preconditioned residual; the new direction. Sums
// are kept per domain and added in order. The recurrence drifts from the true residual b - A x,
// which therefore replaces it now and then (van der Vorst and Ye, "Residual replacement strategies
// for Krylov subspace iterative methods", SISC 22, 2000, argue how often is safe). Where the
// preconditioner is a solver of its own, which may differ from one application to the next, each
// direction is made conjugate to the one before from scratch (Golub and Ye, "Inexact preconditioned
// conjugate gradient method with inner-outer iteration", SISC 21, 1999; Notay, "Flexible conjugate
// gradients", SISC 22, 2000, who finds one direction back to be enough).
#include "linear/pcg.h"

#include <float.h>
#include <math.h>

#include "base/lanes.h"

#define CHECK_INTERVAL 50
// When the true residual and the recurrence's differ by more than this part, in squares, directions
// made from it are conjugate to nothing any more.
#define DRIFT 0.01
// From one check that finds such a drift to the next, the square must have fallen to this part, or
// rounding has won.
#define PROGRESS 0.25

struct solve {
    struct tasks *tasks;
    const struct linear_problem *problem;
    const struct layout *layout;
    const struct preconditioner *m;
    const double *b;
    double *x, *r, *z, *p, *ap;
    double goal; ///< square of the residual norm to reach
    double alpha, beta;
    double steepest; ///< the largest 1 / alpha so far, an eigenvalue of M^-1 A or a little less
    double pap[LAYOUT_DOMAIN_LIMIT];
    double rr[LAYOUT_DOMAIN_LIMIT];
    double rz[LAYOUT_DOMAIN_LIMIT];
    double zap[LAYOUT_DOMAIN_LIMIT];
    double drift[LAYOUT_DOMAIN_LIMIT]; ///< square of what the last check changed r by
    double fall[LAYOUT_DOMAIN_LIMIT];  ///< x . b at the end
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

/// z = M^-1 r and r . z, if M works domain by domain.
static void precondition_piece(struct solve *s, size_t domain) {
    if (s->m->table->apply_domain) {
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

/// r = b - A x; A p stays, as z is not in use.
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

/// z = M^-1 r and *rz = r . z, as far as the piece that left r has not done so. Fails when the
/// preconditioner does.
static pbs_status precondition(struct solve *s, double *rz) {
    const struct preconditioner_table *table = s->m->table;
    const double rr = sum(s, s->rr);
    if (table->solve) {
        if (!isfinite(rr)) {
            *rz = NAN;
            return PBS_OK;
        }
        RETURN_IF_FAILED(table->solve(s->m->state, s->tasks, s->r, sqrt(s->goal / rr), s->z));
        run(s, dot_piece);
    } else if (!table->apply_domain) {
        table->apply(s->m->state, s->tasks, s->r, s->z);
        run(s, dot_piece);
    }
    *rz = sum(s, s->rz);
    return PBS_OK;
}

/// The part of p that the next direction holds, which makes them conjugate.
static double next_beta(struct solve *s, double curvature, double rz, double rz_before) {
    if (!s->m->table->solve) {
        return rz / rz_before;
    }
    run(s, flexible_piece);
    return -sum(s, s->zap) / curvature;
}

/// Replaces the residual by the true one. True when the recurrence was right about it: below the
/// goal if it claimed so, nearly the same if not.
static bool check_residual(struct solve *s, bool claims) {
    run(s, residual_piece);
    const double found = sum(s, s->rr);
    return claims ? found <= s->goal : sum(s, s->drift) <= DRIFT * found;
}

/// The next direction: the product, and the curvature p . A p along it.
static double follow_direction(struct solve *s) {
    run(s, direction_piece);
    run(s, product_piece);
    return sum(s, s->pap);
}

/// Rounding rules: the iteration is to start again from where it is, with a residual as the
/// preconditioner wants it. `drifted`: its square the last time. False where that has not become
/// less.
static bool start_again(struct solve *s, double *drifted, struct pcg_result *result) {
    if (preconditioner_start(s->m, s->tasks, s->r, s->z)) {
        add_entries(s, s->z, s->x);
        run(s, residual_piece);
        result->checks++;
    }
    const double rr = sum(s, s->rr);
    const bool progresses = rr <= PROGRESS * *drifted;
    *drifted = rr;
    result->relative_residual = sqrt(rr);
    return progresses;
}

/// Whether there is more curvature than what rounding makes of none: 1 / alpha is no less than the
/// least eigenvalue of M^-1 A.
static bool is_curved(struct solve *s, double rz, double curvature) {
    if (!(rz > 0.0 && curvature > DBL_EPSILON * s->steepest * rz)) {
        return false;
    }
    s->steepest = fmax(s->steepest, curvature / rz);
    return true;
}

/// What follows a direction without curvature, or a residual that the preconditioner, not being
/// definite, finds nothing for. At first there is no iterate to return: the direction itself is the
/// way down, or else b.
static enum pcg_outcome end_indefinite(struct solve *s, double rz, uint32_t iterations) {
    if (iterations == 1) {
        add_entries(s, rz > 0.0 ? s->p : s->b, s->x);
        return PCG_INDEFINITE;
    }
    return rz <= 0.0 ? PCG_STAGNATED : PCG_INDEFINITE;
}

/// The iteration from a residual that is not zero.
static enum pcg_outcome iterate(struct solve *s, uint32_t limit, struct pcg_result *result) {
    double drifted = INFINITY;
    double rz = 0.0;
    result->status = limit > 0 ? precondition(s, &rz) : PBS_OK;
    if (result->status != PBS_OK) {
        return PCG_GIVEN_UP;
    }
    while (result->iterations < limit) {
        const double curvature = rz > 0.0 ? follow_direction(s) : -1.0;
        result->iterations++;
        if (!is_curved(s, rz, curvature)) {
            return end_indefinite(s, rz, result->iterations);
        }
        s->alpha = rz / curvature;
        run(s, advance_piece);
        bool right = true;
        const bool claims = sum(s, s->rr) <= s->goal;
        if (claims || result->iterations % CHECK_INTERVAL == 0) {
            right = check_residual(s, claims);
            result->checks++;
        }
        result->relative_residual = sqrt(sum(s, s->rr));
        if (!right && !start_again(s, &drifted, result)) {
            return PCG_STAGNATED;
        }
        if (claims && sum(s, s->rr) <= s->goal) {
            return PCG_CONVERGED;
        }
        const double rz_before = rz;
        if (result->iterations < limit) {
            result->status = precondition(s, &rz);
            if (result->status != PBS_OK) {
                return PCG_GIVEN_UP;
            }
        }
        // After a drift the old directions are conjugate to nothing any more.
        s->beta = right ? next_beta(s, curvature, rz, rz_before) : 0.0;
    }
    return PCG_ITERATION_LIMIT;
}

/// For a b whose square is 0, too large, or not a number: x = b.
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

static void descent_piece(void *context, size_t domain) {
    struct solve *s = context;
    s->fall[domain] = dot(s->x, s->b, entries_before(s, domain), entries_before(s, domain + 1));
}

static bool goes_down(struct solve *s) {
    run(s, descent_piece);
    const double descent = sum(s, s->fall);
    return descent > 0.0 && descent < INFINITY;
}

/// Once, with what the preconditioner is at present.
static struct pcg_result solve_once(struct solve *s, const struct pcg_options *options) {
    struct pcg_result result = {.outcome = PCG_CONVERGED};
    run(s, start_piece);
    const double bb = sum(s, s->rr);
    if (!(bb > 0.0 && bb < INFINITY)) {
        return solve_without_norm(s);
    }
    s->goal = options->relative_tolerance * options->relative_tolerance * bb;
    s->beta = 0.0;
    s->steepest = 0.0;
    if (options->iteration_limit > 0 && preconditioner_start(s->m, s->tasks, s->b, s->x)) {
        run(s, residual_piece);
        result.checks++;
    }
    result.relative_residual = sqrt(sum(s, s->rr));
    if (!(result.relative_residual <= sqrt(s->goal))) {
        result.outcome = iterate(s, options->iteration_limit, &result);
    }
    result.relative_residual /= sqrt(bb);
    if (options->iteration_limit > 0 && result.outcome != PCG_GIVEN_UP && !goes_down(s)) {
        // Where the matrix is as good as singular, rounding may leave nothing else.
        copy_entries(s, s->b, s->x);
        result.outcome = PCG_INDEFINITE;
    }
    return result;
}

struct pcg_result pcg_solve(struct tasks *tasks, const struct linear_problem *problem,
                            const struct preconditioner *m, const double *b,
                            const struct pcg_options *options, struct pcg_workspace *w, double *x) {
    struct solve s = {.tasks = tasks,
                      .problem = problem,
                      .layout = problem->a->layout,
                      .m = m,
                      .b = b,
                      .x = x,
                      .r = w->r,
                      .z = w->z,
                      .p = w->p,
                      .ap = w->ap};
    const struct pcg_result first = solve_once(&s, options);
    if (first.status != PBS_ERROR_CONVERGENCE) {
        return first;
    }
    // Something else stands in from now on.
    struct pcg_result result = solve_once(&s, options);
    result.iterations += first.iterations;
    result.checks += first.checks;
    return result;
}
