// Processes strains domain by domain; each domain writes the strains of its own elements.
// SPDX-License-Identifier: MIT
#include "energy/damping/strain_history.h"

pbs_status strain_history_reserve(struct memory *memory, struct strain_history *history,
                                  size_t count) {
    const size_t arrays = 1 + STRAIN_RATE_COUNT;
    RETURN_IF_FAILED(memory_reserve(memory, &history->origin, &history->capacity, arrays * count,
                                    sizeof(double)));
    for (size_t i = 0; i < STRAIN_RATE_COUNT; i++) {
        history->rates[i] = history->origin + (i + 1) * count;
    }
    history->count = count;
    for (size_t i = 0; i < arrays * count; i++) {
        history->origin[i] = 0.0;
    }
    return PBS_OK;
}

void strain_history_release(struct memory *memory, struct strain_history *history) {
    memory_release(memory, history->origin);
    *history = (struct strain_history){0};
}

bool strains_are_measured(const struct term *terms, size_t term_count) {
    for (size_t k = 0; k < term_count; k++) {
        if (terms[k].table->measure != NULL) {
            return true;
        }
    }
    return false;
}

/// Arguments of one pass over the strains of all terms.
struct strain_pass {
    const struct assembly *assembly;
    const struct term *terms;
    size_t term_count;
    const struct strain_stage *stage; ///< of strains_begin_stage; else null
    size_t index;                     ///< arguments of strains_end_stage, as x and length are
    const double *x;
    double length;
};

/// The range [begin, end) of a domain's strains in the history's arrays.
struct strain_range {
    size_t begin, end;
};

static struct strain_range domain_strains(const struct strain_history *history,
                                          const struct stencil_groups *groups, uint32_t domain) {
    const size_t per_group = groups->group_count > 0 ? history->count / groups->group_count : 0;
    return (struct strain_range){per_group * groups->domain_group[domain],
                                 per_group * groups->domain_group[domain + 1]};
}

static void begin_stage(const struct strain_pass *pass, const struct term *term,
                        const struct stencil_groups *groups, uint32_t domain) {
    struct strain_history *const history = term->table->strains(term->self);
    const struct strain_range range = domain_strains(history, groups, domain);
    for (size_t i = range.begin; i < range.end; i++) {
        history->origin[i] = 0.0;
        for (size_t r = 0; r < STRAIN_RATE_COUNT; r++) {
            if (pass->stage->by_rate[r] != 0.0) {
                history->origin[i] += pass->stage->by_rate[r] * history->rates[r][i];
            }
        }
    }
    for (size_t k = 0; k < pass->stage->part_count; k++) {
        term->table->measure(term->self, groups, domain, &pass->stage->parts[k], history->origin);
    }
}

static void end_stage(const struct strain_pass *pass, const struct term *term,
                      const struct stencil_groups *groups, uint32_t domain) {
    struct strain_history *const history = term->table->strains(term->self);
    const struct strain_range range = domain_strains(history, groups, domain);
    const double inverse = 1.0 / pass->length;
    const struct strain_part part = {.x = pass->x, .strain = inverse};
    double *const rate = history->rates[pass->index];
    for (size_t i = range.begin; i < range.end; i++) {
        rate[i] = -inverse * history->origin[i];
    }
    term->table->measure(term->self, groups, domain, &part, rate);
}

static void strain_piece(void *context, size_t domain) {
    const struct strain_pass *pass = context;
    const struct stencil_groups *groups = pass->assembly->terms;
    for (size_t k = 0; k < pass->term_count; k++) {
        const struct term *term = &pass->terms[k];
        const struct stencil_groups *own = term->has_stencils ? groups++ : NULL;
        if (term->table->measure == NULL || own == NULL) {
            continue;
        }
        if (pass->stage != NULL) {
            begin_stage(pass, term, own, (uint32_t)domain);
        } else {
            end_stage(pass, term, own, (uint32_t)domain);
        }
    }
}

void strains_begin_stage(struct tasks *tasks, const struct assembly *assembly,
                         const struct term *terms, size_t term_count,
                         const struct strain_stage *stage) {
    struct strain_pass pass = {
        .assembly = assembly, .terms = terms, .term_count = term_count, .stage = stage};
    tasks_for(tasks, assembly->layout.domain_count, strain_piece, &pass);
}

void strains_end_stage(struct tasks *tasks, const struct assembly *assembly,
                       const struct term *terms, size_t term_count, size_t index, const double *x,
                       double length) {
    struct strain_pass pass = {.assembly = assembly,
                               .terms = terms,
                               .term_count = term_count,
                               .index = index,
                               .x = x,
                               .length = length};
    tasks_for(tasks, assembly->layout.domain_count, strain_piece, &pass);
}
