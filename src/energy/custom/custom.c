// Calls the host for each stencil, in the host's order of nodes, and adds the results at the
// assembly's slots. The host's Hessian is made symmetric, and positive semidefinite if that is
// requested and the host has not done it. A result that is not finite counts as
// EVALUATE_RECOVERABLE, one with an unwritten entry as EVALUATE_STOP.
// SPDX-License-Identifier: MIT
#include "energy/custom/custom.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/lanes/lanes.h"
#include "base/runtime/unwritten.h"
#include "energy/custom/project.h"

enum { MAX_WIDTH = 8, MAX_SIZE = 3 * MAX_WIDTH };

struct custom {
    struct custom_input input;
    uint32_t *nodes;
    _Atomic uint32_t *stopped; ///< lowest stencil whose callback returned a negative value;
                               ///< UINT32_MAX: none
};

/// The host's results for one stencil.
struct answer {
    double value;
    double gradient[MAX_SIZE];
    double hessian[MAX_SIZE * MAX_SIZE];
};

pbs_status custom_create(struct memory *memory, const struct custom_input *input,
                         struct custom **out) {
    struct custom *custom = memory_allocate(memory, 1, sizeof *custom);
    const size_t count = input->stencil_count * input->width;
    uint32_t *nodes = memory_allocate(memory, count, sizeof *nodes);
    _Atomic uint32_t *stopped = memory_allocate(memory, 1, sizeof *stopped);
    if (custom == NULL || nodes == NULL || stopped == NULL) {
        memory_release(memory, stopped);
        memory_release(memory, nodes);
        memory_release(memory, custom);
        return PBS_ERROR_MEMORY;
    }
    memcpy(nodes, input->nodes, count * sizeof *nodes);
    custom->input = *input;
    custom->input.nodes = nodes;
    custom->nodes = nodes;
    custom->stopped = stopped;
    atomic_init(stopped, UINT32_MAX);
    *out = custom;
    return PBS_OK;
}

void custom_set_damping(struct custom *custom, double damping) {
    custom->input.damping = damping;
}

void custom_destroy(struct custom *custom, struct memory *memory) {
    if (custom != NULL) {
        memory_release(memory, custom->stopped);
        memory_release(memory, custom->nodes);
        memory_release(memory, custom);
    }
}

/// Each domain stops at its first failing stencil. The minimum over the domains does not depend on
/// the order in which threads run.
static void note_stop(const struct custom *custom, uint32_t stencil) {
    uint32_t least = atomic_load(custom->stopped);
    while (stencil < least && !atomic_compare_exchange_weak(custom->stopped, &least, stencil)) {
    }
}

bool custom_fetch_stop(const struct custom *custom, uint32_t *stencil) {
    *stencil = atomic_exchange(custom->stopped, UINT32_MAX);
    return *stencil != UINT32_MAX;
}

static bool all_finite(size_t count, const double *x) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

static void make_symmetric(size_t size, double *a) {
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < i; j++) {
            const double mean = 0.5 * (a[size * i + j] + a[size * j + i]);
            a[size * i + j] = mean;
            a[size * j + i] = mean;
        }
    }
}

/// Numbers of entries that the host has to write.
struct answer_size {
    size_t value, gradient, hessian;
};

static struct answer_size size_of_answer(size_t width, uint32_t what) {
    return (struct answer_size){
        .value = what & EVALUATE_VALUE ? 1 : 0,
        .gradient = what & EVALUATE_GRADIENT ? 3 * width : 0,
        .hessian = what & EVALUATE_HESSIAN ? 9 * width * width : 0,
    };
}

/// Marks the requested entries as unwritten, and sets the value to 0 if it is not requested.
static void prepare(const struct answer_size *size, struct answer *answer) {
    answer->value = 0.0;
    unwritten_fill(&answer->value, size->value);
    unwritten_fill(answer->gradient, size->gradient);
    unwritten_fill(answer->hessian, size->hessian);
}

static bool is_finite(const struct answer_size *size, const struct answer *answer) {
    return isfinite(answer->value) && all_finite(size->gradient, answer->gradient) &&
           all_finite(size->hessian, answer->hessian);
}

static bool is_written(const struct answer_size *size, const struct answer *answer) {
    return unwritten_find(&answer->value, size->value) == size->value &&
           unwritten_find(answer->gradient, size->gradient) == size->gradient &&
           unwritten_find(answer->hessian, size->hessian) == size->hessian;
}

static int call_host(const struct custom_input *input, size_t stencil,
                     const struct evaluation *evaluation, struct answer *answer) {
    const uint32_t *nodes = input->nodes + stencil * input->width;
    const size_t size = 3 * (size_t)input->width;
    const uint32_t what = evaluation->what;
    const struct answer_size counts = size_of_answer(input->width, what);
    double x[MAX_SIZE];
    for (size_t a = 0; a < input->width; a++) {
        memcpy(x + 3 * a, evaluation->x + 3 * (size_t)nodes[a], 3 * sizeof *x);
    }
    prepare(&counts, answer);
    const int32_t reply = input->evaluate(input->user, stencil, x, evaluation->project,
                                          what & EVALUATE_VALUE ? &answer->value : NULL,
                                          what & EVALUATE_GRADIENT ? answer->gradient : NULL,
                                          what & EVALUATE_HESSIAN ? answer->hessian : NULL);
    if (reply != 0) {
        return reply < 0 ? EVALUATE_STOP : EVALUATE_RECOVERABLE;
    }
    if (!is_finite(&counts, answer)) {
        return is_written(&counts, answer) ? EVALUATE_RECOVERABLE : EVALUATE_STOP;
    }
    if (what & EVALUATE_HESSIAN) {
        make_symmetric(size, answer->hessian);
        if (evaluation->project && !project_is_semidefinite((int)size, answer->hessian)) {
            project_symmetric((int)size, answer->hessian);
        }
    }
    return EVALUATE_OK;
}

static uint32_t first_node(const struct stencil_groups *groups, size_t group, size_t lane) {
    return groups->node[group * groups->width * LANES + lane];
}

static void add_gradient(const struct stencil_groups *groups, size_t group, size_t lane,
                         const double *from, double *gradient) {
    for (size_t a = 0; a < groups->width; a++) {
        const size_t at = (group * groups->width + a) * LANES + lane;
        double *to = gradient + 3 * (size_t)groups->vector_slot[at];
        for (size_t i = 0; i < 3; i++) {
            to[i] += from[3 * (size_t)groups->local[at] + i];
        }
    }
}

static void add_hessian(const struct stencil_groups *groups, size_t group, size_t lane,
                        double weight, const double *from, double *blocks) {
    const size_t width = groups->width;
    const uint8_t *local = groups->local + group * width * LANES + lane;
    const uint32_t *slot = groups->block_slot + group * groups->pair_count * LANES + lane;
    for (size_t a = 0; a < width; a++) {
        for (size_t b = a; b < width; b++, slot += LANES) {
            double *to = blocks + 9 * (size_t)*slot;
            const double *corner = from + 9 * width * local[a * LANES] +
                                   3 * (size_t)local[b * LANES];
            for (size_t i = 0; i < 9; i++) {
                to[i] += weight * corner[3 * width * (i / 3) + i % 3];
            }
        }
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct custom *custom = self;
    struct answer answer;
    (void)assembly;
    if (evaluation->damping_weights && custom->input.damping == 0.0) {
        return EVALUATE_OK;
    }
    const double weight = evaluation->damping_weights ? custom->input.damping : 1.0;
    const size_t begin = (size_t)groups->domain_group[domain] * LANES;
    const size_t end = (size_t)groups->domain_group[domain + 1] * LANES;
    for (size_t at = begin; at < end; at++) {
        if (groups->stencil[at] == UINT32_MAX) {
            continue;
        }
        const int reply = call_host(&custom->input, groups->stencil[at], evaluation, &answer);
        if (reply == EVALUATE_STOP) {
            note_stop(custom, groups->stencil[at]);
        }
        if (reply != EVALUATE_OK) {
            return reply;
        }
        sums->value += answer.value;
        if (sums->node_values != NULL) {
            sums->node_values[first_node(groups, at / LANES, at % LANES)] += answer.value;
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            add_gradient(groups, at / LANES, at % LANES, answer.gradient, sums->gradient);
        }
        if (evaluation->what & EVALUATE_HESSIAN) {
            add_hessian(groups, at / LANES, at % LANES, weight, answer.hessian, sums->blocks);
        }
    }
    return EVALUATE_OK;
}

static void destroy(void *self, struct memory *memory) {
    custom_destroy(self, memory);
}

#define CUSTOM_TABLE(caller, linear)                                                               \
    {                                                                                              \
        .name = "custom", .kind = ENERGY_HOST, .evaluate = evaluate, .destroy = destroy,           \
        .has_damping = true, .is_linear = (linear), .on_calling_thread = (caller),                 \
    }

/// Indexed by whether the callback runs on the calling thread, and by whether it is linear.
static const struct term_table tables[2][2] = {
    {CUSTOM_TABLE(false, false), CUSTOM_TABLE(false, true)},
    {CUSTOM_TABLE(true, false), CUSTOM_TABLE(true, true)},
};

struct term custom_term(struct custom *custom) {
    return (struct term){
        .table = &tables[!custom->input.is_concurrent][custom->input.is_linear],
        .self = custom,
        .has_stencils = true,
        .stencils = {.count = custom->input.stencil_count,
                     .width = custom->input.width,
                     .nodes = custom->nodes},
    };
}
