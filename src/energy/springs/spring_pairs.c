// Arranges springs in lanes and runs the pass of spring_pairs_kernel.h over them.
// SPDX-License-Identifier: MIT
#include "energy/springs/spring_pairs.h"

#include <math.h>
#include <string.h>

#include "base/config.h"
#include "base/matrix3/matrix3_widths.h"
#include "energy/springs/spring_pairs_widths.h"

/// Sums are exact only if the products of stiffness and rest length of all springs differ by at
/// most this factor.
static const double ONE_KIND = 0x1p12;

/// The quantum of forces, relative to the product of stiffness and rest length of the strongest
/// spring. Rounding of the length alone changes a force by 2^-53 of this product. Sums are exact up
/// to four times this product.
static const double QUANTUM = 0x1p-51;

// --- creation ---

void spring_pairs_free(struct spring_pairs *springs, struct memory *memory) {
    pair_layout_free(&springs->layout, memory);
    memory_release(memory, springs->stiffness);
    memory_release(memory, springs->rest);
    memory_release(memory, springs->least);
    memory_release(memory, springs->suspected);
    memory_release(memory, springs->marked);
    memory_release(memory, springs->overloaded);
    memory_release(memory, springs->x);
    memory_release(memory, springs->gradient);
    memory_release(memory, springs->values);
    *springs = (struct spring_pairs){0};
}

static bool allocate(struct spring_pairs *s, struct memory *memory) {
    const struct pair_layout *layout = &s->layout;
    const size_t lanes = layout->group_count * PAIR_LANES;
    s->stiffness = memory_allocate(memory, lanes, sizeof(double));
    s->rest = memory_allocate(memory, lanes, sizeof(double));
    s->suspected = memory_allocate(memory, layout->slice_count, sizeof *s->suspected);
    s->marked = memory_allocate(memory, layout->slice_count, sizeof *s->marked);
    s->x = memory_allocate(memory, 3 * layout->stride, sizeof(double));
    s->gradient = memory_allocate(memory, 3 * layout->stride, sizeof(double));
    s->values = memory_allocate(memory, layout->slab_count, sizeof(double));
    if (s->limits != NULL) {
        s->least = memory_allocate(memory, layout->group_count, sizeof(double));
        s->overloaded = memory_allocate(memory, layout->group_count, sizeof *s->overloaded);
    }
    return s->stiffness != NULL && s->rest != NULL && s->suspected != NULL && s->marked != NULL &&
           s->x != NULL && s->gradient != NULL && s->values != NULL &&
           (s->limits == NULL || (s->least != NULL && s->overloaded != NULL));
}

/// Returns the constant whose addition and subtraction rounds a force to the quantum; 0 if springs
/// differ too much for exact sums.
static double choose_rounder(size_t count, const double *stiffness, const double *rest_lengths) {
    double least = INFINITY;
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double strength = stiffness[i] * rest_lengths[i];
        least = strength < least ? strength : least;
        most = strength > most ? strength : most;
    }
    if (!(most <= ONE_KIND * least) || most > 0x1p900 || most < 0x1p-900) {
        return 0.0;
    }
    int exponent;
    (void)frexp(most, &exponent);
    return ldexp(1.5 * 0x1p52 * QUANTUM, exponent);
}

/// Finds the lowest limit of the springs with stiffness in a group.
static void find_least(const struct spring_pairs *s, size_t group) {
    s->least[group] = INFINITY;
    for (size_t lane = group * PAIR_LANES; lane < (group + 1) * PAIR_LANES; lane++) {
        if (s->rest[lane] < SPRING_PAIRS_NO_REST) {
            s->least[group] = fmin(s->least[group], s->limits[s->layout.pair[lane]]);
        }
    }
}

static void fill(struct spring_pairs *s, const struct spring_pairs_input *input) {
    for (size_t lane = 0; lane < s->layout.group_count * PAIR_LANES; lane++) {
        const uint32_t spring = s->layout.pair[lane];
        const bool is_there = spring != UINT32_MAX && input->broken[spring] == 0;
        s->stiffness[lane] = is_there ? input->stiffness[spring] : 0.0;
        s->rest[lane] = is_there ? input->rest_lengths[spring] : SPRING_PAIRS_NO_REST;
    }
    for (size_t group = 0; group < s->layout.group_count && s->limits != NULL; group++) {
        find_least(s, group);
    }
}

pbs_status spring_pairs_create(struct memory *memory, const struct spring_pairs_input *input,
                               struct spring_pairs *out) {
    *out = (struct spring_pairs){
        .limits = input->limits,
        .rounder = choose_rounder(input->count, input->stiffness, input->rest_lengths)};
    RETURN_IF_FAILED(
        pair_layout_build(memory, input->nodes, input->count, input->order, &out->layout));
    if (!allocate(out, memory)) {
        spring_pairs_free(out, memory);
        return PBS_ERROR_MEMORY;
    }
    fill(out, input);
    return PBS_OK;
}

void spring_pairs_choose_rounder(struct spring_pairs *springs, size_t count,
                                 const double *stiffness, const double *rest_lengths) {
    springs->rounder = choose_rounder(count, stiffness, rest_lengths);
}

void spring_pairs_set(struct spring_pairs *s, uint32_t spring, double stiffness,
                      double rest_length) {
    const uint32_t lane = s->layout.lane[spring];
    s->stiffness[lane] = stiffness;
    s->rest[lane] = stiffness > 0.0 ? rest_length : SPRING_PAIRS_NO_REST;
    if (s->limits != NULL) {
        find_least(s, lane / PAIR_LANES);
    }
}

// --- passes ---

struct spring_pass {
    struct spring_pairs *springs;
    bool with_gradient, marks;
    void (*run)(const struct spring_pairs *springs, size_t slab, bool with_gradient,
                bool with_limits);
    double *node_values;
};

/// Returns the partner (layout index) of a lane.
static uint32_t partner_of(const struct pair_layout *layout, uint32_t slice, uint32_t group,
                           uint32_t lane) {
    const uint32_t first = layout->first[group];
    return group < layout->slice_scattered[slice] ? first + lane : layout->partner[first + lane];
}

/// Computes a lane's extension with the same bits as the kernel.
static double find_extension(const struct spring_pairs *s, uint32_t slice, uint32_t group,
                             uint32_t lane) {
    const double *p = s->x + (size_t)slice * PAIR_LANES + lane;
    const double *q = s->x + partner_of(&s->layout, slice, group, lane);
    const size_t y = s->layout.stride;
    const size_t z = 2 * y;
    const double d[3] = {q[0] - p[0], q[y] - p[y], q[z] - p[z]};
    const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return sqrt(squared + 1e-300) - s->rest[(size_t)group * PAIR_LANES + lane];
}

/// Marks the lanes of a slice that are above their limits.
static void mark_slice(const struct spring_pairs *s, uint32_t slice) {
    for (uint32_t g = s->layout.slice_group[slice]; g < s->layout.slice_group[slice + 1]; g++) {
        uint32_t bits = 0;
        for (uint32_t l = 0; l < PAIR_LANES; l++) {
            const size_t lane = (size_t)g * PAIR_LANES + l;
            if (s->rest[lane] < SPRING_PAIRS_NO_REST) {
                const double most = s->limits[s->layout.pair[lane]] * s->rest[lane];
                bits |= (find_extension(s, slice, g, l) > most ? 1u : 0u) << l;
            }
        }
        s->overloaded[g] = (uint8_t)bits;
        s->marked[slice] |= bits != 0;
    }
}

static void run_slab(void *context, size_t slab) {
    const struct spring_pass *pass = context;
    const struct spring_pairs *s = pass->springs;
    pass->run(s, slab, pass->with_gradient, pass->marks);
    for (uint32_t slice = s->layout.slab_slice[slab];
         pass->marks && slice < s->layout.slab_slice[slab + 1]; slice++) {
        s->marked[slice] = 0;
        if (s->suspected[slice] != 0) {
            mark_slice(s, slice);
        }
    }
}

/// Adds each spring's value at its lower node, which belongs to the slab.
static void add_node_values(void *context, size_t slab) {
    const struct spring_pass *pass = context;
    const struct spring_pairs *s = pass->springs;
    const struct pair_layout *layout = &s->layout;
    for (uint32_t i = layout->slab_slice[slab]; i < layout->slab_slice[slab + 1]; i++) {
        for (uint32_t g = layout->slice_group[i]; g < layout->slice_group[i + 1]; g++) {
            for (uint32_t l = 0; l < PAIR_LANES; l++) {
                const double stiffness = s->stiffness[(size_t)g * PAIR_LANES + l];
                const double extension = find_extension(s, i, g, l);
                if (stiffness > 0.0) {
                    pass->node_values[layout->node[i * PAIR_LANES + l]] += 0.5 * stiffness *
                                                                           extension * extension;
                }
            }
        }
    }
}

static void choose_width(struct spring_pass *pass) {
    pass->run = spring_pairs_two;
#if defined(PBS_HAS_CLONES)
    pass->run = has_avx2() ? spring_pairs_four : spring_pairs_two;
#endif
}

void spring_pairs_evaluate(struct spring_pairs *s, struct tasks *tasks,
                           const struct evaluation *evaluation, bool marks,
                           struct evaluation_sums *sums) {
    const struct pair_layout *layout = &s->layout;
    struct spring_pass pass = {.springs = s,
                               .with_gradient = (evaluation->what & EVALUATE_GRADIENT) != 0,
                               .marks = marks && s->limits != NULL,
                               .node_values = sums->node_values};
    choose_width(&pass);
    pair_layout_gather(tasks, layout, evaluation->x, s->x);
    if (pass.with_gradient) {
        pair_layout_gather(tasks, layout, NULL, s->gradient);
    }
    pair_layout_run(tasks, layout, run_slab, &pass);
    for (uint32_t slab = 0; slab < layout->slab_count; slab++) {
        sums->value += s->values[slab];
    }
    if (pass.with_gradient) {
        pair_layout_add(tasks, layout, s->gradient, sums->gradient);
    }
    if ((evaluation->what & EVALUATE_VALUE) != 0 && sums->node_values != NULL) {
        tasks_for(tasks, layout->slab_count, add_node_values, &pass);
    }
}

void spring_pairs_remove_gradient(const struct spring_pairs *s, const uint32_t nodes[2],
                                  double stiffness, double rest_length, const double *x,
                                  double *gradient) {
    const double *p = x + 3 * (size_t)nodes[0];
    const double *q = x + 3 * (size_t)nodes[1];
    const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-300);
    const double force = stiffness * (length - rest_length);
    for (size_t k = 0; k < 3; k++) {
        const double pull = (force / length * d[k] + s->rounder) - s->rounder;
        gradient[3 * (size_t)nodes[0] + k] += pull;
        gradient[3 * (size_t)nodes[1] + k] -= pull;
    }
}

void spring_pairs_each_marked(const struct spring_pairs *s,
                              void (*found)(void *context, uint32_t spring), void *context) {
    const struct pair_layout *layout = &s->layout;
    for (uint32_t slice = 0; slice < layout->slice_count; slice++) {
        if (s->marked[slice] == 0) {
            continue;
        }
        for (uint32_t g = layout->slice_group[slice]; g < layout->slice_group[slice + 1]; g++) {
            for (uint32_t l = 0; l < PAIR_LANES; l++) {
                if ((s->overloaded[g] >> l & 1u) != 0) {
                    found(context, layout->pair[(size_t)g * PAIR_LANES + l]);
                }
            }
        }
    }
}
