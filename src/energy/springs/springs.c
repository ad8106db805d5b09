// Evaluates springs, eight at a time. With n = l / |l| and t = 1 - l0 / |l| the Hessian of a spring
// is k (n n^T + t (1 - n n^T)): k along the spring, and k t across it. t is negative in
// compression; the projection then sets t = 0. A spring that softens (spring_softening.h) has the
// force k p and the Hessian k (p' n n^T + p / |l| (1 - n n^T)). p' is negative where the force
// decreases; the projection then replaces p' by the secant p / e. Theory: docs/theory/materials.md
// section 5.
// SPDX-License-Identifier: MIT
#include "energy/springs/springs.h"

#include "base/runtime/tasks.h"
#include "energy/element.h"
#include "energy/scatter.h"
#include "energy/springs/spring_pairs.h"
#include "energy/springs/spring_products.h"
#include "energy/springs/spring_softening.h"

/// From this number of springs on, value and gradient are computed in the order of spring_pairs.h
/// instead of by domains.
enum { SPRINGS_MANY = 2048 };

struct springs {
    size_t count;
    uint32_t *nodes;
    double *stiffness, *rest_length; ///< count
    double *damping;                 ///< count; null: no spring is damped
    double *limit;                   ///< count; null: nothing breaks
    uint8_t *broken;                 ///< count
    uint8_t *marks;                  ///< by spring, see springs_overloaded; null: nothing breaks
    bool has_marks;                  ///< some marks are set
    uint64_t changes;                ///< number of changes of `broken`
    bool has_damping;
    double *lanes; ///< arrays by lane: see enum lane_value; LANE_LIMIT only if springs can break
    uint8_t *overloaded; ///< by group: bit l: lane l is above its limit
    size_t lanes_capacity, lane_count, overloaded_capacity;
    struct stencil_groups groups;       ///< the assembly's groups of this term
    struct spring_pairs *pairs;         ///< null: there are fewer than SPRINGS_MANY
    struct near_springs *near;          ///< null: all springs are assembled
    struct spring_softening *softening; ///< null: none softens
};

/// The springs that are assembled if the Hessian is otherwise matrix-free; only these are stencils
/// of the term.
struct near_springs {
    size_t count;
    uint32_t *spring;                       ///< count, ascending
    uint32_t *nodes;                        ///< count x 2
    double *factor;                         ///< count: multiplies the stiffness
    uint8_t *broken;                        ///< count
    double *node_near_length, *node_factor; ///< by layout index of pairs->layout
    struct spring_products *products;       ///< null: not bound yet
};

enum { WIDTH = 2, PAIR_COUNT = 3 };

/// Values of each lane, stored as one array per value.
enum lane_value { LANE_STIFFNESS, LANE_REST, LANE_DAMPING, LANE_LIMIT, LANE_VALUES };

// --- creation ---

static void free_near(struct near_springs *near, struct memory *memory) {
    if (near == NULL) {
        return;
    }
    memory_release(memory, near->spring);
    memory_release(memory, near->nodes);
    memory_release(memory, near->factor);
    memory_release(memory, near->broken);
    memory_release(memory, near->node_near_length);
    memory_release(memory, near->node_factor);
    spring_products_destroy(near->products, memory);
    memory_release(memory, near);
}

static void destroy(void *self, struct memory *memory) {
    struct springs *springs = self;
    if (springs == NULL) {
        return;
    }
    memory_release(memory, springs->nodes);
    memory_release(memory, springs->stiffness);
    memory_release(memory, springs->rest_length);
    memory_release(memory, springs->damping);
    memory_release(memory, springs->limit);
    memory_release(memory, springs->broken);
    memory_release(memory, springs->marks);
    memory_release(memory, springs->lanes);
    memory_release(memory, springs->overloaded);
    if (springs->pairs != NULL) {
        spring_pairs_free(springs->pairs, memory);
        memory_release(memory, springs->pairs);
    }
    free_near(springs->near, memory);
    spring_softening_free(springs->softening, memory);
    memory_release(memory, springs);
}

/// Copies limits, and allocates marks, if springs can break.
static bool copy_limits(struct springs *springs, struct memory *memory,
                        const struct springs_input *input) {
    if (input->limits == NULL) {
        return true;
    }
    springs->limit = memory_copy(memory, input->limits, springs->count, sizeof(double));
    springs->marks = memory_allocate(memory, springs->count, sizeof *springs->marks);
    return springs->limit != NULL && springs->marks != NULL;
}

/// Creates spring_pairs if there are many springs or `always` is set, and springs do not soften.
static pbs_status create_pairs(struct springs *springs, struct memory *memory,
                               const struct pair_order *order, bool always) {
    if ((springs->count < SPRINGS_MANY && !always) || springs->softening != NULL) {
        return PBS_OK;
    }
    springs->pairs = memory_allocate(memory, 1, sizeof *springs->pairs);
    if (springs->pairs == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const struct spring_pairs_input input = {.count = springs->count,
                                             .nodes = springs->nodes,
                                             .stiffness = springs->stiffness,
                                             .rest_lengths = springs->rest_length,
                                             .broken = springs->broken,
                                             .limits = springs->limit,
                                             .order = order};
    return spring_pairs_create(memory, &input, springs->pairs);
}

static uint32_t lower_node(const struct springs *springs, size_t spring) {
    const uint32_t *ends = springs->nodes + 2 * spring;
    return ends[0] < ends[1] ? ends[0] : ends[1];
}

static bool is_near(const struct springs *springs, const struct springs_near *near_input,
                    size_t spring) {
    return springs->rest_length[spring] < near_input->near_length[lower_node(springs, spring)];
}

static void list_near(const struct springs *springs, const struct springs_near *near_input,
                      struct near_springs *near) {
    size_t at = 0;
    for (size_t i = 0; i < springs->count; i++) {
        if (is_near(springs, near_input, i)) {
            near->spring[at] = (uint32_t)i;
            near->nodes[2 * at] = springs->nodes[2 * i];
            near->nodes[2 * at + 1] = springs->nodes[2 * i + 1];
            near->factor[at] = near_input->factor[lower_node(springs, i)];
            near->broken[at] = springs->broken[i];
            at++;
        }
    }
    const struct pair_layout *layout = &springs->pairs->layout;
    for (uint32_t i = 0; i < layout->node_count; i++) {
        near->node_near_length[i] = near_input->near_length[layout->node[i]];
        near->node_factor[i] = near_input->factor[layout->node[i]];
    }
}

/// Selects the springs that are assembled.
static pbs_status choose_near(struct springs *springs, struct memory *memory,
                              const struct springs_near *near_input) {
    struct near_springs *near = springs->near = memory_allocate(memory, 1, sizeof *near);
    if (near == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < springs->count; i++) {
        near->count += is_near(springs, near_input, i);
    }
    near->spring = memory_allocate(memory, near->count, sizeof *near->spring);
    near->nodes = memory_allocate(memory, near->count, WIDTH * sizeof *near->nodes);
    near->factor = memory_allocate(memory, near->count, sizeof *near->factor);
    near->broken = memory_allocate(memory, near->count, sizeof *near->broken);
    near->node_near_length = memory_allocate(memory, springs->pairs->layout.stride, sizeof(double));
    near->node_factor = memory_allocate(memory, springs->pairs->layout.stride, sizeof(double));
    if (near->spring == NULL || near->nodes == NULL || near->factor == NULL ||
        near->broken == NULL || near->node_near_length == NULL || near->node_factor == NULL) {
        return PBS_ERROR_MEMORY;
    }
    list_near(springs, near_input, near);
    // Only the stencils' nodes are needed from now on.
    memory_release(memory, springs->nodes);
    springs->nodes = NULL;
    return PBS_OK;
}

static pbs_status arrange(struct springs *springs, struct memory *memory,
                          const struct springs_input *input) {
    const struct springs_near *near_input = input->near;
    RETURN_IF_FAILED(create_pairs(springs, memory, input->order, near_input != NULL));
    if (near_input != NULL) {
        RETURN_IF_FAILED(choose_near(springs, memory, near_input));
    }
    return PBS_OK;
}

pbs_status springs_create(struct memory *memory, const struct springs_input *input,
                          struct springs **out) {
    struct springs *springs = memory_allocate(memory, 1, sizeof *springs);
    if (springs == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = input->count;
    springs->count = count;
    springs->nodes = memory_copy(memory, input->nodes, count, WIDTH * sizeof *springs->nodes);
    springs->stiffness = memory_copy(memory, input->stiffness, count, sizeof(double));
    springs->rest_length = memory_copy(memory, input->rest_lengths, count, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        springs->has_damping |= input->damping[i] > 0.0;
    }
    if (springs->has_damping) {
        springs->damping = memory_copy(memory, input->damping, count, sizeof(double));
    }
    springs->broken = memory_allocate(memory, count, sizeof *springs->broken);
    if (input->laws != NULL) {
        springs->softening = spring_softening_create(memory, count, input->laws, input->remaining);
    }
    if ((input->laws != NULL && springs->softening == NULL) || springs->nodes == NULL ||
        springs->stiffness == NULL || springs->rest_length == NULL ||
        (springs->has_damping && springs->damping == NULL) || springs->broken == NULL ||
        !copy_limits(springs, memory, input)) {
        destroy(springs, memory);
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        springs->broken[i] = input->broken != NULL && input->broken[i] != 0;
        springs->changes += springs->broken[i];
    }
    const pbs_status status = arrange(springs, memory, input);
    if (status < 0) {
        destroy(springs, memory);
        return status;
    }
    *out = springs;
    return PBS_OK;
}

static double *lanes_of(const struct springs *springs, enum lane_value value) {
    return springs->lanes + (size_t)value * springs->lane_count;
}

/// Returns the spring of a stencil.
static size_t spring_of(const struct springs *springs, size_t stencil) {
    return springs->near != NULL ? springs->near->spring[stencil] : stencil;
}

/// Writes the values of a lane. Padding and broken springs have no stiffness and no limit.
static void fill_lane(const struct springs *springs, size_t lane, size_t stencil, bool padding) {
    const size_t spring = spring_of(springs, stencil);
    const double factor = springs->near != NULL ? springs->near->factor[stencil] : 1.0;
    const bool inactive = padding || springs->broken[spring] != 0;
    lanes_of(springs, LANE_STIFFNESS)[lane] = inactive ? 0.0 : factor * springs->stiffness[spring];
    lanes_of(springs, LANE_REST)[lane] = inactive ? 0.0 : springs->rest_length[spring];
    lanes_of(springs, LANE_DAMPING)[lane] = inactive || !springs->has_damping
                                                ? 0.0
                                                : springs->damping[spring];
    if (springs->limit != NULL) {
        const double most = springs->limit[spring] * springs->rest_length[spring];
        lanes_of(springs, LANE_LIMIT)[lane] = inactive ? INFINITY : most;
    }
}

static pbs_status bind_products(struct springs *springs, struct memory *memory,
                                const struct layout *rows) {
    struct near_springs *near = springs->near;
    const struct spring_products_input input = {.layout = &springs->pairs->layout,
                                                .stiffness = springs->pairs->stiffness,
                                                .rest = springs->pairs->rest,
                                                .near_length = near->node_near_length,
                                                .factor = near->node_factor};
    spring_products_destroy(near->products, memory);
    near->products = NULL;
    return spring_products_create(memory, &input, rows, &near->products);
}

static pbs_status bind_elements(void *self, struct memory *memory,
                                const struct stencil_groups *groups) {
    struct springs *springs = self;
    const size_t lane_count = groups->group_count * LANES;
    const size_t values = springs->limit != NULL ? LANE_VALUES : LANE_LIMIT;
    RETURN_IF_FAILED(memory_reserve(memory, &springs->lanes, &springs->lanes_capacity,
                                    values * lane_count, sizeof(double)));
    RETURN_IF_FAILED(memory_reserve(memory, &springs->overloaded, &springs->overloaded_capacity,
                                    groups->group_count, sizeof *springs->overloaded));
    if (springs->softening != NULL) {
        RETURN_IF_FAILED(spring_softening_reserve(springs->softening, memory, lane_count));
    }
    memset(springs->overloaded, 0, groups->group_count * sizeof *springs->overloaded);
    springs->lane_count = lane_count;
    springs->groups = *groups;
    for (size_t i = 0; i < lane_count; i++) {
        const bool padding = groups->stencil[i] == UINT32_MAX;
        const size_t stencil = padding ? 0 : groups->stencil[i];
        fill_lane(springs, i, stencil, padding);
        if (springs->softening != NULL) {
            spring_softening_fill(springs->softening, i, padding ? SIZE_MAX : stencil);
        }
    }
    return springs->near != NULL ? bind_products(springs, memory, groups->layout) : PBS_OK;
}

/// Returns the stencil of a spring, or SIZE_MAX if it is not assembled.
static size_t stencil_of(const struct springs *springs, size_t spring) {
    const struct near_springs *near = springs->near;
    if (near == NULL) {
        return spring;
    }
    size_t low = 0;
    size_t high = near->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (near->spring[middle] < spring) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < near->count && near->spring[low] == spring ? low : SIZE_MAX;
}

void springs_set_broken(struct springs *springs, size_t spring, bool broken) {
    const size_t stencil = stencil_of(springs, spring);
    springs->broken[spring] = broken;
    springs->changes++;
    if (stencil != SIZE_MAX) {
        fill_lane(springs, springs->groups.lane[stencil], stencil, false);
        if (springs->near != NULL) {
            springs->near->broken[stencil] = broken;
        }
    }
    if (springs->pairs != NULL) {
        spring_pairs_set(springs->pairs, (uint32_t)spring,
                         broken ? 0.0 : springs->stiffness[spring], springs->rest_length[spring]);
    }
}

void springs_set_values(struct springs *springs, size_t first, size_t count,
                        const double *stiffness, const double *rest_lengths) {
    for (size_t i = 0; i < count; i++) {
        const size_t spring = first + i;
        springs->stiffness[spring] = stiffness[i];
        springs->rest_length[spring] = rest_lengths[i];
        fill_lane(springs, springs->groups.lane[spring], spring, false);
        if (springs->pairs != NULL) {
            spring_pairs_set(springs->pairs, (uint32_t)spring,
                             springs->broken[spring] ? 0.0 : stiffness[i], rest_lengths[i]);
        }
    }
    if (springs->pairs != NULL) {
        spring_pairs_choose_rounder(springs->pairs, springs->count, springs->stiffness,
                                    springs->rest_length);
    }
}

bool springs_remove_gradient(const struct springs *springs, size_t spring, const uint32_t nodes[2],
                             const double *x, double *gradient) {
    if (springs->pairs != NULL) {
        spring_pairs_remove_gradient(springs->pairs, nodes, springs->stiffness[spring],
                                     springs->rest_length[spring], x, gradient);
    }
    return springs->pairs != NULL;
}

bool springs_is_broken(const struct springs *springs, size_t spring) {
    return springs->broken[spring] != 0;
}

bool springs_have_limits(const struct springs *springs) {
    return springs->limit != NULL;
}

// --- softening history ---

void springs_read_remaining(const struct springs *springs, size_t first, size_t count,
                            double *remaining) {
    const double *lanes = softening_lanes(springs->softening, SOFTENING_REMAINING);
    for (size_t i = 0; i < count; i++) {
        remaining[i] = lanes[springs->groups.lane[first + i]];
    }
}

void springs_write_remaining(struct springs *springs, size_t first, size_t count,
                             const double *remaining) {
    double *lanes = softening_lanes(springs->softening, SOFTENING_REMAINING);
    for (size_t i = 0; i < count; i++) {
        lanes[springs->groups.lane[first + i]] = remaining[i];
    }
}

void springs_save_history(struct springs *springs) {
    spring_softening_save(springs->softening);
}

void springs_restore_history(struct springs *springs) {
    spring_softening_restore(springs->softening);
}

// --- kernels ---

struct spring_lanes {
    lanes8 stiffness, rest_length;
    lanes8 l[3]; ///< from node 0 to node 1
    lanes8 length;
    lanes8 inverse; ///< 1 / length, or 0 if the length is 0: such a spring has no direction and no
                    ///< force
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
    s->stiffness = lanes_load(lanes_of(springs, LANE_STIFFNESS) + g * LANES);
    s->rest_length = lanes_load(lanes_of(springs, LANE_REST) + g * LANES);
    s->length = lanes_sqrt(s->l[0] * s->l[0] + s->l[1] * s->l[1] + s->l[2] * s->l[2]);
    s->inverse = lanes_select(s->length > 0.0, 1.0 / s->length, lanes_set(0.0));
}

/// Returns the force of each spring over its length, N/m, and computes its energy.
ALWAYS_INLINE lanes8 elastic_pull(const struct spring_lanes *s, lanes8 *value) {
    const lanes8 extension = s->length - s->rest_length;
    *value = 0.5 * s->stiffness * extension * extension;
    return s->stiffness * extension * s->inverse;
}

/// As elastic_pull, for springs that soften.
ALWAYS_INLINE lanes8 softening_pull_of(const struct springs *springs, size_t g,
                                       const struct spring_lanes *s, lanes8 *value) {
    const struct softening_group softening = softening_load(springs->softening, g);
    const lanes8 extension = s->length - s->rest_length;
    *value = s->stiffness * softening_potential(&softening, extension);
    return s->stiffness * softening_force_lanes(&softening, extension) * s->inverse;
}

ALWAYS_INLINE void add_group(const struct stencil_groups *groups, size_t g,
                             const struct evaluation *evaluation, const struct spring_lanes *s,
                             lanes8 pull, lanes8 value, struct evaluation_sums *sums) {
    if ((evaluation->what & EVALUATE_VALUE) && sums->node_values != NULL) {
        scatter_values(value, groups->node + g * WIDTH * LANES, sums->node_values);
    }
    if (evaluation->what & EVALUATE_GRADIENT) {
        lanes8 first[3];
        lanes8 last[3];
        for (int i = 0; i < 3; i++) {
            last[i] = pull * s->l[i];
            first[i] = -last[i];
        }
        const uint32_t *slot = groups->vector_slot + g * WIDTH * LANES;
        scatter_vector(first, slot, sums->gradient);
        scatter_vector(last, slot + LANES, sums->gradient);
    }
}

static PBS_MULTIVERSION void add_first_order(const struct springs *springs,
                                             const struct stencil_groups *groups, size_t begin,
                                             size_t end, const struct evaluation *evaluation,
                                             struct evaluation_sums *sums) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        lanes8 value;
        load(springs, groups, g, evaluation->x, &s);
        const lanes8 pull = elastic_pull(&s, &value);
        sum += value;
        add_group(groups, g, evaluation, &s, pull, value, sums);
    }
    sums->value += lanes_sum(sum);
}

static PBS_MULTIVERSION void add_softening(const struct springs *springs,
                                           const struct stencil_groups *groups, size_t begin,
                                           size_t end, const struct evaluation *evaluation,
                                           struct evaluation_sums *sums) {
    lanes8 sum = lanes_set(0.0);
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        lanes8 value;
        load(springs, groups, g, evaluation->x, &s);
        const lanes8 pull = softening_pull_of(springs, g, &s, &value);
        sum += value;
        add_group(groups, g, evaluation, &s, pull, value, sums);
    }
    sums->value += lanes_sum(sum);
}

/// Returns a bit per lane: 1 if it is above its limit.
ALWAYS_INLINE uint8_t overloaded_lanes(const struct springs *springs, size_t g, lanes8 extension) {
    const mask8 over = extension > lanes_load(lanes_of(springs, LANE_LIMIT) + g * LANES);
    uint32_t bits = 0;
    for (int l = 0; l < LANES; l++) {
        bits |= (over[l] != 0 ? 1u : 0u) << l;
    }
    return (uint8_t)bits;
}

static PBS_MULTIVERSION void mark_overloaded(const struct springs *springs,
                                             const struct stencil_groups *groups, size_t begin,
                                             size_t end, const double *x) {
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        load(springs, groups, g, x, &s);
        springs->overloaded[g] = overloaded_lanes(springs, g, s.length - s.rest_length);
    }
}

/// Updates the history variables. The dissipated energy is the decrease of the potential at fixed
/// extension; the force does not change.
static PBS_MULTIVERSION void update_history(const struct springs *springs,
                                            const struct stencil_groups *groups, size_t begin,
                                            size_t end, const double *x) {
    double *remaining = softening_lanes(springs->softening, SOFTENING_REMAINING);
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        load(springs, groups, g, x, &s);
        const struct softening_group softening = softening_load(springs->softening, g);
        const lanes8 extension = s.length - s.rest_length;
        const lanes8 remains = softening_update_remaining(&softening, extension);
        const lanes8 none = lanes_set(0.0);
        const lanes8 dissipated = softening_potential(&softening, extension) -
                                  0.5 * remains * extension * extension;
        const lanes8 fell = lanes_select(remains < softening.remaining, dissipated, none);
        springs->softening->dissipated[g] = lanes_sum(s.stiffness * lanes_max(fell, none));
        lanes_store(remaining + g * LANES, remains);
    }
}

struct state_job {
    const struct springs *springs;
    const double *x;
};

static void update_history_piece(void *context, size_t domain) {
    const struct state_job *state_job = context;
    const struct stencil_groups *groups = &state_job->springs->groups;
    update_history(state_job->springs, groups, groups->domain_group[domain],
                   groups->domain_group[domain + 1], state_job->x);
}

double springs_update_history(struct springs *springs, struct tasks *tasks, size_t domain_count,
                              const double *x) {
    struct state_job state_job = {springs, x};
    double dissipated = 0.0;
    tasks_for(tasks, domain_count, update_history_piece, &state_job);
    for (size_t g = 0; g < springs->groups.group_count; g++) {
        dissipated += springs->softening->dissipated[g];
    }
    return dissipated;
}

static void mark_piece(void *context, size_t domain) {
    const struct state_job *state_job = context;
    const struct stencil_groups *groups = &state_job->springs->groups;
    mark_overloaded(state_job->springs, groups, groups->domain_group[domain],
                    groups->domain_group[domain + 1], state_job->x);
}

void springs_mark_overloaded(struct springs *springs, struct tasks *tasks, size_t domain_count,
                             const double *x) {
    if (springs->pairs != NULL) {
        const struct evaluation evaluation = {.what = EVALUATE_VALUE, .x = x};
        struct evaluation_sums sums = {0};
        spring_pairs_evaluate(springs->pairs, tasks, &evaluation, true, &sums);
        return;
    }
    struct state_job state_job = {springs, x};
    tasks_for(tasks, domain_count, mark_piece, &state_job);
}

static void set_mark(void *context, uint32_t spring) {
    struct springs *springs = context;
    springs->marks[spring] = 1;
    springs->has_marks = true;
}

const uint8_t *springs_overloaded(struct springs *springs) {
    const struct stencil_groups *groups = &springs->groups;
    if (springs->has_marks) {
        memset(springs->marks, 0, springs->count * sizeof *springs->marks);
        springs->has_marks = false;
    }
    if (springs->pairs != NULL) {
        spring_pairs_each_marked(springs->pairs, set_mark, springs);
        return springs->has_marks ? springs->marks : NULL;
    }
    for (size_t g = 0; g < groups->group_count; g++) {
        for (uint32_t l = 0; springs->overloaded[g] >> l != 0; l++) {
            if ((springs->overloaded[g] >> l & 1u) != 0) {
                set_mark(springs, groups->stencil[g * LANES + l]);
            }
        }
    }
    return springs->has_marks ? springs->marks : NULL;
}

/// Adds the blocks of each spring. difference: stiffness along the spring minus stiffness across
/// it, over the squared length.
ALWAYS_INLINE void add_blocks(const struct stencil_groups *groups, size_t g,
                              const struct spring_lanes *s, lanes8 difference, lanes8 across,
                              double *blocks) {
    lanes8 same[9];
    lanes8 mixed[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            same[3 * i + j] = difference * s->l[i] * s->l[j];
        }
        same[4 * i] += across;
    }
    for (int i = 0; i < 9; i++) {
        mixed[i] = -same[i];
    }
    const uint32_t *slot = groups->block_slot + g * PAIR_COUNT * LANES;
    scatter_block(same, slot, blocks);
    scatter_block(mixed, slot + LANES, blocks);
    scatter_block(same, slot + 2 * LANES, blocks);
}

static PBS_MULTIVERSION void add_hessian(const struct springs *springs,
                                         const struct stencil_groups *groups, size_t begin,
                                         size_t end, const struct evaluation *evaluation,
                                         double *blocks) {
    const double *damping = lanes_of(springs, LANE_DAMPING);
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
        const lanes8 difference = weight * (1.0 - across) * s.inverse * s.inverse;
        add_blocks(groups, g, &s, difference, weight * across, blocks);
    }
}

static PBS_MULTIVERSION void add_softening_hessian(const struct springs *springs,
                                                   const struct stencil_groups *groups,
                                                   size_t begin, size_t end,
                                                   const struct evaluation *evaluation,
                                                   double *blocks) {
    const bool project = evaluation->project || evaluation->project_bonds;
    for (size_t g = begin; g < end; g++) {
        struct spring_lanes s;
        load(springs, groups, g, evaluation->x, &s);
        const struct softening_group softening = softening_load(springs->softening, g);
        const lanes8 extension = s.length - s.rest_length;
        const lanes8 pull = softening_force_lanes(&softening, extension);
        lanes8 along = softening_tangent(&softening, extension);
        lanes8 across = pull * s.inverse;
        if (project) {
            along = lanes_select(along < 0.0, pull / extension, along);
            across = lanes_max(across, lanes_set(0.0));
        }
        const lanes8 difference = s.stiffness * (along - across) * s.inverse * s.inverse;
        add_blocks(groups, g, &s, difference, s.stiffness * across, blocks);
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
    if ((evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT)) != 0) {
        (springs->softening != NULL ? add_softening : add_first_order)(springs, groups, begin, end,
                                                                       evaluation, sums);
        if (evaluation->at_chart_origin && springs->limit != NULL) {
            mark_overloaded(springs, groups, begin, end, evaluation->x);
        }
    }
    if (evaluation->what & EVALUATE_HESSIAN) {
        (springs->softening != NULL ? add_softening_hessian : add_hessian)(
            springs, groups, begin, end, evaluation, sums->blocks);
    }
    return EVALUATE_OK;
}

static int evaluate_whole(const void *self, struct tasks *tasks,
                          const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct springs *springs = self;
    if ((evaluation->what & (EVALUATE_VALUE | EVALUATE_GRADIENT)) != 0) {
        spring_pairs_evaluate(springs->pairs, tasks, evaluation, evaluation->at_chart_origin, sums);
    }
    return EVALUATE_OK;
}

static const uint8_t *uncoupled(const void *self, uint64_t *changes) {
    const struct springs *springs = self;
    *changes = springs->changes;
    const uint8_t *broken = springs->near != NULL ? springs->near->broken : springs->broken;
    return springs->changes > 0 ? broken : NULL;
}

static struct product_operator *products(void *self, struct tasks *tasks,
                                         const struct evaluation *evaluation) {
    struct springs *springs = self;
    return springs->near == NULL ? NULL
                                 : spring_products_linearize(springs->near->products, tasks,
                                                             evaluation->x, evaluation->project);
}

static const struct term_table table = {
    .name = "springs",
    .uncoupled = uncoupled,
    .kind = ENERGY_ELASTIC,
    .evaluate = evaluate,
    .evaluate_whole = evaluate_whole,
    .products = products,
    .bind = bind_elements,
    .destroy = destroy,
    .has_damping = true,
};

struct term springs_term(struct springs *springs) {
    const struct near_springs *near = springs->near;
    return (struct term){
        .table = &table,
        .self = springs,
        .has_stencils = true,
        .has_own_order = springs->pairs != NULL,
        .stencils = {.count = near != NULL ? near->count : springs->count,
                     .width = WIDTH,
                     .nodes = near != NULL ? near->nodes : springs->nodes},
    };
}
