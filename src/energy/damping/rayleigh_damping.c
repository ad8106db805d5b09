// Assembles D like any Hessian, and evaluates its quadratic form by one product with the matrix.
// SPDX-License-Identifier: MIT
#include "energy/damping/rayleigh_damping.h"

#include "base/lanes/vector.h"

pbs_status rayleigh_reserve(struct memory *memory, const struct assembly *assembly,
                            struct rayleigh *rayleigh) {
    const size_t count = 3 * (size_t)assembly->layout.node_count;
    rayleigh->is_active = false;
    RETURN_IF_FAILED(memory_reserve(memory, &rayleigh->blocks, &rayleigh->block_capacity,
                                    9 * assembly->block_slot_count, sizeof(double)));
    RETURN_IF_FAILED(
        memory_reserve(memory, &rayleigh->moved, &rayleigh->moved_capacity, count, sizeof(double)));
    return memory_reserve(memory, &rayleigh->force, &rayleigh->force_capacity, count,
                          sizeof(double));
}

void rayleigh_release(struct memory *memory, struct rayleigh *rayleigh) {
    memory_release(memory, rayleigh->blocks);
    memory_release(memory, rayleigh->moved);
    memory_release(memory, rayleigh->force);
    *rayleigh = (struct rayleigh){0};
}

int rayleigh_begin(struct rayleigh *rayleigh, struct tasks *tasks, const struct assembly *assembly,
                   const struct term *terms, size_t term_count, const double *x, bool is_needed,
                   struct terms_scratch *scratch) {
    rayleigh->is_active = is_needed;
    if (!is_needed) {
        return EVALUATE_OK;
    }
    const struct evaluation evaluation = {
        .what = EVALUATE_HESSIAN, .x = x, .project = true, .damping_weights = true};
    struct terms_result result = {.blocks = rayleigh->blocks, .scratch = scratch};
    return terms_evaluate(tasks, assembly, terms, term_count, &evaluation, &result);
}

struct piece {
    const struct assembly *assembly;
    const struct evaluation *evaluation;
    const struct rayleigh *rayleigh;
    double *to;
};

static void moved_piece(void *context, size_t domain) {
    const struct piece *piece = context;
    const struct layout *layout = &piece->assembly->layout;
    for (uint32_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1];
         row++) {
        for (size_t i = 0; i < 3; i++) {
            const size_t at = 3 * (size_t)layout->node[row] + i;
            piece->rayleigh->moved[3 * (size_t)row + i] = piece->evaluation->x[at] -
                                                          piece->evaluation->stage.origin[at];
        }
    }
}

static void gradient_piece(void *context, size_t domain) {
    const struct piece *piece = context;
    const struct layout *layout = &piece->assembly->layout;
    for (uint32_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1];
         row++) {
        for (size_t i = 0; i < 3; i++) {
            piece->to[3 * (size_t)layout->node[row] + i] += piece->rayleigh
                                                                ->force[3 * (size_t)row + i];
        }
    }
}

static void blocks_piece(void *context, size_t domain) {
    const struct piece *piece = context;
    const struct layout *layout = &piece->assembly->layout;
    const double inverse = 1.0 / piece->evaluation->stage.length;
    const size_t begin = piece->assembly->pattern.row_start[layout->domain_start[domain]];
    const size_t end = piece->assembly->pattern.row_start[layout->domain_start[domain + 1]];
    for (size_t i = 9 * begin; i < 9 * end; i++) {
        piece->to[i] += inverse * piece->rayleigh->blocks[i];
    }
}

void rayleigh_add(const struct rayleigh *rayleigh, struct tasks *tasks,
                  const struct assembly *assembly, const struct evaluation *evaluation,
                  struct terms_result *result) {
    if (!rayleigh->is_active) {
        return;
    }
    const size_t count = 3 * (size_t)assembly->layout.node_count;
    const uint32_t domains = assembly->layout.domain_count;
    struct piece piece = {assembly, evaluation, rayleigh, NULL};
    if (evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT)) {
        struct bsr matrix = assembly->pattern;
        matrix.values = rayleigh->blocks;
        tasks_for(tasks, domains, moved_piece, &piece);
        bsr_multiply(tasks, &matrix, rayleigh->moved, rayleigh->force);
        vector_scale(tasks, count, 1.0 / evaluation->stage.length, rayleigh->force);
    }
    if (evaluation->what & EVALUATE_VALUE) {
        const double value = 0.5 * vector_dot(tasks, count, rayleigh->moved, rayleigh->force);
        result->by_kind[ENERGY_DISSIPATED] += value;
        result->value += value;
    }
    if (evaluation->what & EVALUATE_GRADIENT) {
        piece.to = result->gradient;
        tasks_for(tasks, domains, gradient_piece, &piece);
    }
    if (evaluation->what & EVALUATE_HESSIAN) {
        piece.to = result->blocks;
        tasks_for(tasks, domains, blocks_piece, &piece);
    }
}
