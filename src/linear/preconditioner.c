// The table of preconditioners, and the identity.
// SPDX-License-Identifier: MIT
#include "linear/preconditioner.h"

#include <string.h>

#include "pbs/world.h"

const struct preconditioner_table *const preconditioner_tables[] = {
    &no_preconditioner, &block_jacobi,   &incomplete_cholesky, &two_level, &multigrid,
    &cholesky,          &cholesky_float, &automatic,           NULL};

const struct preconditioner_table *preconditioner_find(int32_t id) {
    for (size_t i = 0; preconditioner_tables[i]; i++) {
        if (preconditioner_tables[i]->id == id) {
            return preconditioner_tables[i];
        }
    }
    return NULL;
}

pbs_status preconditioner_create(struct memory *memory, int32_t id, const struct bsr *pattern,
                                 enum preconditioner_order order, struct preconditioner *out) {
    *out = (struct preconditioner){0};
    const struct preconditioner_table *table = preconditioner_find(id);
    if (!table) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "preconditioner is %d, which is no PBS_PRECONDITIONER_*", id);
    }
    return preconditioner_create_from(memory, table, pattern, order, out);
}

pbs_status preconditioner_create_from(struct memory *memory,
                                      const struct preconditioner_table *table,
                                      const struct bsr *pattern, enum preconditioner_order order,
                                      struct preconditioner *out) {
    *out = (struct preconditioner){0};
    struct preconditioner p = {table, memory_allocate(memory, 1, table->state_size)};
    if (!p.state) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = table->analyze(p.state, memory, pattern, order);
    if (status != PBS_OK) {
        preconditioner_destroy(memory, &p);
        return status;
    }
    *out = p;
    return PBS_OK;
}

void preconditioner_destroy(struct memory *memory, struct preconditioner *p) {
    if (p->table) {
        p->table->release(p->state, memory);
        memory_release(memory, p->state);
    }
    *p = (struct preconditioner){0};
}

const struct preconditioner *preconditioner_worker(const struct preconditioner *p) {
    return p->table->worker ? p->table->worker(p->state) : p;
}

struct selection_history *preconditioner_history(const struct preconditioner *p) {
    return p->table->history ? p->table->history(p->state) : NULL;
}

bool preconditioner_start(const struct preconditioner *p, struct tasks *tasks, const double *b,
                          double *x) {
    return p->table->start && p->table->start(p->state, tasks, b, x);
}

struct preconditioner_report preconditioner_describe(const struct preconditioner *p) {
    struct preconditioner_report report = {.used = p->table->id};
    if (p->table->report) {
        p->table->report(p->state, &report);
    }
    return report;
}

struct application {
    const struct preconditioner_table *table;
    const void *state;
    const double *r;
    double *z;
};

static void apply_piece(void *context, size_t domain) {
    const struct application *a = context;
    a->table->apply_domain(a->state, (uint32_t)domain, a->r, a->z);
}

void preconditioner_apply_domains(const struct preconditioner_table *table, const void *state,
                                  uint32_t domain_count, struct tasks *tasks, const double *r,
                                  double *z) {
    struct application a = {table, state, r, z};
    tasks_for(tasks, domain_count, apply_piece, &a);
}

// --- the identity ---

struct identity {
    const struct layout *layout;
};

static pbs_status identity_analyze(void *state, struct memory *memory, const struct bsr *pattern,
                                   enum preconditioner_order order) {
    (void)memory;
    (void)order;
    *(struct identity *)state = (struct identity){pattern->layout};
    return PBS_OK;
}

static pbs_status identity_factor(void *state, struct tasks *tasks,
                                  const struct linear_problem *problem) {
    (void)state;
    (void)tasks;
    (void)problem;
    return PBS_OK;
}

static void identity_apply_domain(const void *state, uint32_t domain, const double *r, double *z) {
    const struct identity *s = state;
    const size_t first = 3 * (size_t)s->layout->domain_start[domain];
    const size_t end = 3 * (size_t)s->layout->domain_start[domain + 1];
    memcpy(z + first, r + first, (end - first) * sizeof *z);
}

static void identity_apply(const void *state, struct tasks *tasks, const double *r, double *z) {
    const struct identity *s = state;
    preconditioner_apply_domains(&no_preconditioner, state, s->layout->domain_count, tasks, r, z);
}

static void identity_release(void *state, struct memory *memory) {
    (void)state;
    (void)memory;
}

static double identity_shift(const void *state) {
    (void)state;
    return 0.0;
}

const struct preconditioner_table no_preconditioner = {
    .id = PBS_PRECONDITIONER_NONE,
    .name = "none",
    .state_size = sizeof(struct identity),
    .analyze = identity_analyze,
    .factor = identity_factor,
    .apply = identity_apply,
    .apply_domain = identity_apply_domain,
    .release = identity_release,
    .shift = identity_shift,
};
