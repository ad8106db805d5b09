// Evaluates the sum of all terms over all domains.
// SPDX-License-Identifier: MIT
#include "energy/evaluate.h"

#include <math.h>
#include <string.h>

#include "base/config.h"
#include "base/lanes/lanes.h"

/// The results of one domain, aligned so that no two share a cache line.
struct domain_result {
    _Alignas(CACHE_LINE) double by_kind[ENERGY_KIND_COUNT];
    double step;
    int answer;
};

struct pass {
    const struct assembly *assembly;
    const struct term *terms;
    size_t term_count;
    const struct evaluation *evaluation;
    const struct terms_result *result;
    const double *x, *direction; ///< arguments of terms_max_step, as limit is
    double limit;
    struct domain_result *domain_results;
};

pbs_status terms_fail_stopped(void) {
    return status_fail(PBS_ERROR_HOST, "an energy callback of the host asked to stop, or left a "
                                       "result unwritten");
}

pbs_status terms_reserve(struct memory *memory, const struct assembly *assembly,
                         struct terms_scratch *scratch) {
    return memory_reserve(memory, &scratch->domain_results, &scratch->capacity,
                          assembly->layout.domain_count, sizeof *scratch->domain_results);
}

void terms_release(struct memory *memory, struct terms_scratch *scratch) {
    memory_release(memory, scratch->domain_results);
    *scratch = (struct terms_scratch){0};
}

static void clear(const struct pass *pass, uint32_t domain) {
    pass->domain_results[domain] = (struct domain_result){.step = pass->limit};
    if (pass->result->gradient != NULL) {
        assembly_clear_vector(pass->assembly, domain, pass->result->gradient);
    }
    if (pass->result->blocks != NULL) {
        assembly_clear_blocks(pass->assembly, domain, pass->result->blocks);
    }
    const struct layout *layout = &pass->assembly->layout;
    for (uint32_t row = layout->domain_start[domain];
         pass->result->node_values != NULL && row < layout->domain_start[domain + 1]; row++) {
        pass->result->node_values[layout->node[row]] = 0.0;
    }
}

static bool is_included(const struct term_table *table, const struct evaluation *evaluation) {
    return (table->has_damping || !evaluation->damping_weights) &&
           (table->is_linear || !evaluation->constant_forces) &&
           (table->is_load || !evaluation->loads_only) &&
           (table->kind == ENERGY_DISSIPATED || table->kind == ENERGY_WIND ||
            !evaluation->dissipative_only);
}

/// Evaluates one domain for the terms whose on_calling_thread equals the argument. Stops at the
/// first term that does not return EVALUATE_OK.
static void evaluate_domain(const struct pass *pass, uint32_t domain, bool on_calling_thread) {
    struct domain_result *domain_result = &pass->domain_results[domain];
    const struct stencil_groups *groups = pass->assembly->terms;
    for (size_t k = 0; k < pass->term_count && domain_result->answer == EVALUATE_OK; k++) {
        const struct term_table *table = pass->terms[k].table;
        const struct stencil_groups *own = pass->terms[k].has_stencils ? groups++ : NULL;
        if (table->on_calling_thread != on_calling_thread ||
            !is_included(table, pass->evaluation)) {
            continue;
        }
        struct evaluation_sums sums = {.gradient = pass->result->gradient,
                                       .blocks = pass->result->blocks,
                                       .node_values = pass->result->node_values};
        struct evaluation evaluation = *pass->evaluation;
        evaluation.what &= pass->terms[k].has_own_order ? EVALUATE_HESSIAN : ~0u;
        domain_result->answer = table->evaluate(pass->terms[k].self, pass->assembly, own, domain,
                                                &evaluation, &sums);
        domain_result->by_kind[table->kind] += sums.value;
    }
}

static void evaluate_piece(void *context, size_t domain) {
    const struct pass *pass = context;
    clear(pass, (uint32_t)domain);
    evaluate_domain(pass, (uint32_t)domain, false);
}

static void gather_piece(void *context, size_t domain) {
    const struct pass *pass = context;
    if (pass->result->gradient != NULL) {
        assembly_gather_vector(pass->assembly, (uint32_t)domain, pass->result->gradient);
    }
    if (pass->result->blocks != NULL) {
        assembly_gather_blocks(pass->assembly, (uint32_t)domain, pass->result->blocks);
    }
}

/// EVALUATE_STOP takes precedence over EVALUATE_RECOVERABLE, and that over EVALUATE_OK.
static int worse(int a, int b) {
    if (a < 0 || b < 0) {
        return EVALUATE_STOP;
    }
    return a > 0 || b > 0 ? EVALUATE_RECOVERABLE : EVALUATE_OK;
}

static int collect_answers(const struct pass *pass) {
    int answer = EVALUATE_OK;
    for (uint32_t d = 0; d < pass->assembly->layout.domain_count; d++) {
        answer = worse(answer, pass->domain_results[d].answer);
    }
    return answer;
}

/// Does not call the host for a state that a built-in term or an earlier domain has rejected.
static int evaluate_on_calling_thread(const struct pass *pass) {
    int answer = collect_answers(pass);
    for (uint32_t d = 0; d < pass->assembly->layout.domain_count && answer == EVALUATE_OK; d++) {
        evaluate_domain(pass, d, true);
        answer = worse(answer, pass->domain_results[d].answer);
    }
    return answer;
}

/// Evaluates the terms with has_own_order, all domains at once.
static int evaluate_whole(const struct pass *pass, struct tasks *tasks,
                          double whole[ENERGY_KIND_COUNT]) {
    int answer = EVALUATE_OK;
    for (size_t k = 0; k < pass->term_count && answer == EVALUATE_OK; k++) {
        const struct term_table *table = pass->terms[k].table;
        if (pass->terms[k].has_own_order && is_included(table, pass->evaluation)) {
            struct evaluation_sums sums = {.gradient = pass->result->gradient,
                                           .node_values = pass->result->node_values};
            answer = table->evaluate_whole(pass->terms[k].self, tasks, pass->evaluation, &sums);
            whole[table->kind] += sums.value;
        }
    }
    return answer;
}

static void prepare(const struct pass *pass, struct tasks *tasks) {
    for (size_t k = 0; k < pass->term_count; k++) {
        const struct term_table *table = pass->terms[k].table;
        if (table->prepare != NULL && is_included(table, pass->evaluation)) {
            table->prepare(pass->terms[k].self, tasks, pass->evaluation);
        }
    }
}

static void collect_values(const struct pass *pass, const double whole[ENERGY_KIND_COUNT],
                           struct terms_result *result) {
    result->value = 0.0;
    for (int kind = 0; kind < ENERGY_KIND_COUNT; kind++) {
        result->by_kind[kind] = whole[kind];
        for (uint32_t d = 0; d < pass->assembly->layout.domain_count; d++) {
            result->by_kind[kind] += pass->domain_results[d].by_kind[kind];
        }
        result->value += result->by_kind[kind];
    }
}

int terms_evaluate(struct tasks *tasks, const struct assembly *assembly, const struct term *terms,
                   size_t term_count, const struct evaluation *evaluation,
                   struct terms_result *result) {
    struct terms_result requested = *result;
    requested.gradient = evaluation->what & EVALUATE_GRADIENT ? result->gradient : NULL;
    requested.blocks = evaluation->what & EVALUATE_HESSIAN ? result->blocks : NULL;
    requested.node_values = evaluation->what & EVALUATE_VALUE ? result->node_values : NULL;
    struct pass pass = {.assembly = assembly,
                        .terms = terms,
                        .term_count = term_count,
                        .evaluation = evaluation,
                        .result = &requested,
                        .domain_results = result->scratch->domain_results};
    prepare(&pass, tasks);
    tasks_for(tasks, assembly->layout.domain_count, evaluate_piece, &pass);
    double whole[ENERGY_KIND_COUNT] = {0.0};
    int answer = evaluate_on_calling_thread(&pass);
    if (answer == EVALUATE_OK) {
        answer = evaluate_whole(&pass, tasks, whole);
    }
    collect_values(&pass, whole, result);
    if (answer == EVALUATE_OK && !isfinite(result->value)) {
        answer = EVALUATE_RECOVERABLE;
    }
    if (answer != EVALUATE_OK) {
        result->value = INFINITY;
        return answer;
    }
    tasks_for(tasks, assembly->layout.domain_count, gather_piece, &pass);
    return EVALUATE_OK;
}

static void max_step_piece(void *context, size_t domain) {
    const struct pass *pass = context;
    const struct stencil_groups *groups = pass->assembly->terms;
    double step = pass->limit;
    for (size_t k = 0; k < pass->term_count; k++) {
        const struct term *term = &pass->terms[k];
        const struct stencil_groups *own = term->has_stencils ? groups++ : NULL;
        if (term->table->max_step != NULL) {
            step = term->table->max_step(term->self, pass->assembly, own, (uint32_t)domain, pass->x,
                                         pass->direction, step);
        }
    }
    pass->domain_results[domain].step = step;
}

double terms_max_step(struct tasks *tasks, const struct assembly *assembly,
                      const struct term *terms, size_t term_count, const double *x,
                      const double *direction, double limit, struct terms_scratch *scratch) {
    struct pass pass = {.assembly = assembly,
                        .terms = terms,
                        .term_count = term_count,
                        .x = x,
                        .direction = direction,
                        .limit = limit,
                        .domain_results = scratch->domain_results};
    tasks_for(tasks, assembly->layout.domain_count, max_step_piece, &pass);
    double step = limit;
    for (uint32_t d = 0; d < assembly->layout.domain_count; d++) {
        step = fmin(step, scratch->domain_results[d].step);
    }
    return step;
}

// --- the unassembled part of the Hessian ---

const struct product_operator *terms_products(struct tasks *tasks, const struct term *terms,
                                              size_t term_count,
                                              const struct evaluation *evaluation) {
    struct product_operator *first = NULL;
    struct product_operator **end = &first;
    for (size_t t = 0; t < term_count; t++) {
        const struct term_table *table = terms[t].table;
        if (table->products != NULL && is_included(table, evaluation)) {
            struct product_operator *products = table->products(terms[t].self, tasks, evaluation);
            if (products != NULL) {
                products->next = NULL;
                *end = products;
                end = &products->next;
            }
        }
    }
    return first;
}

// --- coupling ---

uint64_t terms_count_changes(const struct term *terms, size_t term_count) {
    uint64_t sum = 0;
    for (size_t t = 0; t < term_count; t++) {
        uint64_t changes = 0;
        if (terms[t].table->uncoupled != NULL) {
            terms[t].table->uncoupled(terms[t].self, &changes);
        }
        sum += changes;
    }
    return sum;
}

static void mark_stencils(const struct stencil_groups *groups, const uint8_t *uncoupled,
                          uint8_t *coupled) {
    for (size_t g = 0; g < groups->group_count; g++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const uint32_t stencil = groups->stencil[g * LANES + lane];
            if (stencil == UINT32_MAX || (uncoupled != NULL && uncoupled[stencil] != 0)) {
                continue;
            }
            for (size_t p = 0; p < groups->pair_count; p++) {
                coupled[groups->block_slot[(g * groups->pair_count + p) * LANES + lane]] = 1;
            }
        }
    }
}

void terms_mark_coupled(const struct assembly *assembly, const struct term *terms,
                        size_t term_count, uint8_t *coupled) {
    memset(coupled, 0, assembly->block_slot_count);
    const struct stencil_groups *groups = assembly->terms;
    for (size_t t = 0; t < term_count; t++) {
        if (terms[t].has_stencils) {
            uint64_t changes = 0;
            mark_stencils(groups++,
                          terms[t].table->uncoupled == NULL
                              ? NULL
                              : terms[t].table->uncoupled(terms[t].self, &changes),
                          coupled);
        }
    }
    const uint32_t count = assembly->block_gather_start[assembly->layout.domain_count];
    for (uint32_t s = 0; s < count; s++) {
        coupled[assembly->block_gather_target[s]] |= coupled[assembly->block_gather_slot[s]];
    }
    for (uint32_t row = 0; row < assembly->pattern.row_count; row++) {
        coupled[assembly->pattern.row_start[row]] = 1;
    }
}
