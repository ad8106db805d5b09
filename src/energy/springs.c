// Springs, eight at a time. With n = l / |l| and t = 1 - l0 / |l| the Hessian of one is
// k (n n^T + t (1 - n n^T)): k along the spring and k t across, which is negative where the spring
// is compressed; there it is projected by t = 0.
#include "energy/springs.h"

#include "energy/element.h"
#include "energy/scatter.h"

struct springs {
    size_t count;
    uint32_t *nodes;
    double *stiffness, *rest_length, *damping; ///< count
    bool has_damping;
    double *lanes; ///< stiffness, rest length, damping of each lane, in arrays of their own
    size_t lanes_capacity, lane_count;
};

enum { DOUBLES_PER_LANE = 3, WIDTH = 2, PAIR_COUNT = 3 };

// --- life ---

static void destroy(void *self, struct memory *memory) {
    struct springs *springs = self;
    if (springs == NULL) {
        return;
    }
    memory_release(memory, springs->nodes);
    memory_release(memory, springs->stiffness);
    memory_release(memory, springs->rest_length);
    memory_release(memory, springs->damping);
    memory_release(memory, springs->lanes);
    memory_release(memory, springs);
}

pbs_status springs_create(struct memory *memory, const struct springs_input *input,
                          struct springs **out) {
    struct springs *springs = memory_allocate(memory, 1, sizeof *springs);
    if (springs == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = input->count;
    springs->count = count;
    springs->nodes = memory_allocate(memory, count, WIDTH * sizeof *springs->nodes);
    springs->stiffness = memory_allocate(memory, count, sizeof(double));
    springs->rest_length = memory_allocate(memory, count, sizeof(double));
    springs->damping = memory_allocate(memory, count, sizeof(double));
    if (springs->nodes == NULL || springs->stiffness == NULL || springs->rest_length == NULL ||
        springs->damping == NULL) {
        destroy(springs, memory);
        return PBS_ERROR_MEMORY;
    }
    memcpy(springs->nodes, input->nodes, WIDTH * count * sizeof *springs->nodes);
    memcpy(springs->stiffness, input->stiffness, count * sizeof(double));
    memcpy(springs->rest_length, input->rest_lengths, count * sizeof(double));
    memcpy(springs->damping, input->damping, count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        springs->has_damping |= input->damping[i] > 0.0;
    }
    *out = springs;
    return PBS_OK;
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    struct springs *springs = self;
    const size_t lane_count = groups->group_count * LANES;
    RETURN_IF_FAILED(memory_reserve(memory, &springs->lanes, &springs->lanes_capacity,
                                    DOUBLES_PER_LANE * lane_count, sizeof(double)));
    springs->lane_count = lane_count;
    double *stiffness = springs->lanes;
    double *rest_length = stiffness + lane_count;
    double *damping = rest_length + lane_count;
    for (size_t i = 0; i < lane_count; i++) {
        // Padding is a spring without stiffness.
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t s = padding ? 0 : groups->stencil[i];
        stiffness[i] = padding ? 0.0 : springs->stiffness[s];
        rest_length[i] = padding ? 0.0 : springs->rest_length[s];
        damping[i] = padding ? 0.0 : springs->damping[s];
    }
    return PBS_OK;
}

// --- kernels ---

struct spring_lanes {
    lanes8 stiffness, rest_length;
    lanes8 l[3]; ///< from node 0 to node 1
    lanes8 length;
    lanes8 inverse; ///< 1 / length; 0 where that is 0: a spring without length pulls nowhere
};

ALWAYS_INLINE void load(const struct springs *springs, const struct stencil_groups *groups,
                        size_t g, const double *x, struct spring_lanes *s) {
    const uint32_t *node = groups->node + g * WIDTH * LANES;
    lanes8 end[3];
    load_nodes(x, node, s->l);
    load_nodes(x, node + LANES, end);
    for (int i = 0; i < 3; i++) {
        s->l[i] = end[i] - s->l[i];
    }
    s->stiffness = lanes_load(springs->lanes + g * LANES);
    s->rest_length = lanes_load(springs->lanes + springs->lane_count + g * LANES);
    s->length = lanes_sqrt(s->l[0] * s->l[0] + s->l[1] * s->l[1] + s->l[2] * s->l[2]);
    s->inverse = lanes_select(s->length > 0.0, 1.0 / s->length, lanes_set(0.0));
}

static PBS_MULTIVERSION void add_first_order(const struct springs *springs,
                                             const struct stencil_groups *groups, size_t begin,
                                             size_t end, const struct evaluation *evaluation,
                                             struct evaluation_sums *sums) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        load(springs, groups, g, evaluation->x, &s);
        const lanes8 extension = s.length - s.rest_length;
        const lanes8 value = 0.5 * s.stiffness * extension * extension;
        sum += value;
        if ((evaluation->what & EVALUATE_VALUE) && sums->node_values != NULL) {
            scatter_values(value, groups->node + g * WIDTH * LANES, sums->node_values);
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            const lanes8 pull = s.stiffness * extension * s.inverse;
            lanes8 first[3];
            lanes8 last[3];
            for (int i = 0; i < 3; i++) {
                last[i] = pull * s.l[i];
                first[i] = -last[i];
            }
            const uint32_t *slot = groups->vector_slot + g * WIDTH * LANES;
            scatter_vector(first, slot, sums->gradient);
            scatter_vector(last, slot + LANES, sums->gradient);
        }
    }
    sums->value += lanes_sum(sum);
}

static PBS_MULTIVERSION void add_hessian(const struct springs *springs,
                                         const struct stencil_groups *groups, size_t begin,
                                         size_t end, const struct evaluation *evaluation,
                                         double *blocks) {
    const double *damping = springs->lanes + 2 * springs->lane_count;
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        load(springs, groups, g, evaluation->x, &s);
        lanes8 across = 1.0 - s.rest_length * s.inverse;
        if (evaluation->project) {
            across = lanes_max(across, lanes_set(0.0));
        }
        lanes8 weight = s.stiffness;
        if (evaluation->damping_weights) {
            weight *= lanes_load(damping + g * LANES);
        }
        const lanes8 along = weight * (1.0 - across) * s.inverse * s.inverse;
        lanes8 same[9];
        lanes8 mixed[9];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                same[3 * i + j] = along * s.l[i] * s.l[j];
            }
            same[4 * i] += weight * across;
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
    const struct springs *springs = self;
    const size_t begin = groups->domain_group[domain];
    const size_t end = groups->domain_group[domain + 1];
    (void)assembly;
    if (evaluation->damping_weights && !springs->has_damping) {
        return EVALUATE_OK;
    }
    if (evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT)) {
        add_first_order(springs, groups, begin, end, evaluation, sums);
    }
    if (evaluation->what & EVALUATE_HESSIAN) {
        add_hessian(springs, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

static const struct term_table table = {
    .name = "springs",
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .bind = bind_elements,
    .destroy = destroy,
    .has_damping = true,
};

struct term springs_term(struct springs *springs) {
    return (struct term){
        .table = &table,
        .self = springs,
        .has_stencils = true,
        .stencils = {.count = springs->count, .width = WIDTH, .nodes = springs->nodes},
    };
}
