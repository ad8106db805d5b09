// Evaluates dashpots, eight at a time. A dashpot has the energy of a spring of stiffness c / b and
// rest length l_p, so its Hessian is c / b (n n^T + t (1 - n n^T)) with n = l / |l| and t = 1 - l_p
// / |l|; the projection replaces t by max(t, 0).
// SPDX-License-Identifier: MIT
#include "energy/damping/spring_damping.h"

#include "energy/element.h"
#include "energy/scatter.h"
#include "energy/damping/strain_history.h"

struct spring_damping {
    size_t count;
    uint32_t *nodes;
    double *coefficient; ///< count
    uint8_t *broken;     ///< count
    struct strain_history history;
    double *lanes;        ///< coefficient by lane
    const uint32_t *lane; ///< array of the assembly's groups
    size_t lanes_capacity;
};

enum { WIDTH = 2, PAIR_COUNT = 3 };

// --- creation ---

static void destroy(void *self, struct memory *memory) {
    struct spring_damping *damping = self;
    if (damping == NULL) {
        return;
    }
    memory_release(memory, damping->nodes);
    memory_release(memory, damping->coefficient);
    memory_release(memory, damping->broken);
    memory_release(memory, damping->lanes);
    strain_history_release(memory, &damping->history);
    memory_release(memory, damping);
}

pbs_status spring_damping_create(struct memory *memory, const struct spring_damping_input *input,
                                 struct spring_damping **out) {
    struct spring_damping *damping = memory_allocate(memory, 1, sizeof *damping);
    if (damping == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = input->count;
    damping->count = count;
    damping->nodes = memory_allocate(memory, count, WIDTH * sizeof *damping->nodes);
    damping->coefficient = memory_allocate(memory, count, sizeof(double));
    damping->broken = memory_allocate(memory, count, sizeof *damping->broken);
    if (damping->nodes == NULL || damping->coefficient == NULL || damping->broken == NULL) {
        destroy(damping, memory);
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        damping->broken[i] = input->broken != NULL && input->broken[i] != 0;
    }
    memcpy(damping->nodes, input->nodes, WIDTH * count * sizeof *damping->nodes);
    memcpy(damping->coefficient, input->coefficient, count * sizeof(double));
    *out = damping;
    return PBS_OK;
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    struct spring_damping *damping = self;
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &damping->lanes, &damping->lanes_capacity, lane_count,
                                    sizeof(double)));
    damping->lane = groups->lane;
    for (size_t i = 0; i < lane_count; i++) {
        const uint32_t s = groups->stencil[i];
        const bool inactive = s == UINT32_MAX || damping->broken[s] != 0;
        damping->lanes[i] = inactive ? 0.0 : damping->coefficient[s];
    }
    return strain_history_reserve(memory, &damping->history, lane_count);
}

void spring_damping_set_coefficient(struct spring_damping *damping, size_t dashpot,
                                    double coefficient) {
    damping->coefficient[dashpot] = coefficient;
    damping->lanes[damping->lane[dashpot]] = damping->broken[dashpot] ? 0.0 : coefficient;
}

void spring_damping_set_broken(struct spring_damping *damping, size_t dashpot, bool broken) {
    damping->broken[dashpot] = broken;
    damping->lanes[damping->lane[dashpot]] = broken ? 0.0 : damping->coefficient[dashpot];
}

// --- kernels ---

ALWAYS_INLINE void load_difference(const uint32_t *node, const double *x, lanes8 out[3]) {
    lanes8 end[3];
    load_nodes(x, node, out);
    load_nodes(x, node + LANES, end);
    for (int i = 0; i < 3; i++) {
        out[i] = end[i] - out[i];
    }
}

ALWAYS_INLINE lanes8 dot(const lanes8 a[3], const lanes8 b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct dashpot_lanes {
    lanes8 l[3]; ///< from node 0 to node 1
    lanes8 length;
    lanes8 inverse; ///< 1 / length, or 0 if the length is 0: the dashpot then has no direction and
                    ///< no force
};

ALWAYS_INLINE void load(const uint32_t *node, const double *x, struct dashpot_lanes *d) {
    load_difference(node, x, d->l);
    d->length = lanes_sqrt(dot(d->l, d->l));
    d->inverse = lanes_select(d->length > 0.0, 1.0 / d->length, lanes_set(0.0));
}

/// The strain is the length |l|. Its first derivative along v is n . v, the second (|v|^2 - (n .
/// v)^2) / |l|.
static PBS_MULTIVERSION void measure_groups(const struct stencil_groups *groups, size_t begin,
                                            size_t end, const struct strain_part *part,
                                            double *strains) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *node = groups->node + g * WIDTH * LANES;
        struct dashpot_lanes d;
        lanes8 motion[3];
        load(node, part->x, &d);
        lanes8 sum = lanes_load(strains + g * LANES) + part->strain * d.length;
        if (part->v != NULL) {
            load_difference(node, part->v, motion);
            const lanes8 along = d.inverse * dot(d.l, motion);
            const lanes8 across = dot(motion, motion) - along * along;
            sum += part->rate * along + part->curvature * across * d.inverse;
        }
        if (part->a != NULL) {
            load_difference(node, part->a, motion);
            sum += part->acceleration * d.inverse * dot(d.l, motion);
        }
        lanes_store(strains + g * LANES, sum);
    }
}

static PBS_MULTIVERSION void add_first_order(const struct spring_damping *damping,
                                             const struct stencil_groups *groups, size_t begin,
                                             size_t end, const struct evaluation *evaluation,
                                             struct evaluation_sums *sums) {
    const double inverse_time = 1.0 / evaluation->stage.length;
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        const uint32_t *node = groups->node + g * WIDTH * LANES;
        struct dashpot_lanes d;
        load(node, evaluation->x, &d);
        const lanes8 stiffness = inverse_time * lanes_load(damping->lanes + g * LANES);
        const lanes8 extension = d.length - lanes_load(damping->history.origin + g * LANES);
        const lanes8 value = 0.5 * stiffness * extension * extension;
        sum += value;
        if ((evaluation->what & EVALUATE_VALUE) && sums->node_values != NULL) {
            scatter_values(value, node, sums->node_values);
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            const lanes8 pull = stiffness * extension * d.inverse;
            lanes8 first[3];
            lanes8 last[3];
            for (int i = 0; i < 3; i++) {
                last[i] = pull * d.l[i];
                first[i] = -last[i];
            }
            const uint32_t *slot = groups->vector_slot + g * WIDTH * LANES;
            scatter_vector(first, slot, sums->gradient);
            scatter_vector(last, slot + LANES, sums->gradient);
        }
    }
    sums->value += lanes_sum(sum);
}

static PBS_MULTIVERSION void add_hessian(const struct spring_damping *damping,
                                         const struct stencil_groups *groups, size_t begin,
                                         size_t end, const struct evaluation *evaluation,
                                         double *blocks) {
    const double inverse_time = 1.0 / evaluation->stage.length;
    for (size_t g = begin; g < end; g++) {
        struct dashpot_lanes d;
        load(groups->node + g * WIDTH * LANES, evaluation->x, &d);
        lanes8 across = 1.0 - lanes_load(damping->history.origin + g * LANES) * d.inverse;
        if (evaluation->project) {
            across = lanes_max(across, lanes_set(0.0));
        }
        const lanes8 stiffness = inverse_time * lanes_load(damping->lanes + g * LANES);
        const lanes8 along = stiffness * (1.0 - across) * d.inverse * d.inverse;
        lanes8 same[9];
        lanes8 mixed[9];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                same[3 * i + j] = along * d.l[i] * d.l[j];
            }
            same[4 * i] += stiffness * across;
        }
        for (int i = 0; i < 9; i++) {
            mixed[i] = -same[i];
        }
        const uint32_t *slot = groups->block_slot + g * PAIR_COUNT * LANES;
        scatter_block(same, slot, blocks);
        scatter_block(mixed, slot + LANES, blocks);
        scatter_block(same, slot + 2 * LANES, blocks);
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT)) {
        add_first_order(self, groups, begin, end, evaluation, sums);
    }
    if (evaluation->what & EVALUATE_HESSIAN) {
        add_hessian(self, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

static struct strain_history *strains(void *self) {
    struct spring_damping *damping = self;
    return &damping->history;
}

static void measure(const void *self, const struct stencil_groups *groups, uint32_t domain,
                    const struct strain_part *part, double *to) {
    (void)self;
    measure_groups(groups, groups->domain_group[domain], groups->domain_group[domain + 1], part,
                   to);
}

static const struct term_table table = {
    .name = "spring-damping",
    .kind = ENERGY_DISSIPATED,
    .evaluate = evaluate,
    .bind = bind_elements,
    .strains = strains,
    .measure = measure,
    .destroy = destroy,
};

struct term spring_damping_term(struct spring_damping *damping) {
    return (struct term){
        .table = &table,
        .self = damping,
        .has_stencils = true,
        .stencils = {.count = damping->count, .width = WIDTH, .nodes = damping->nodes},
    };
}
