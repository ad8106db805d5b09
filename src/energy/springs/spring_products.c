// With n = l / |l| and t = 1 - l0 / |l|, the Hessian of a spring maps the difference d of its ends'
// vectors to k (n (n . d) (1 - t) + t d), which is added at one end and subtracted at the other.
// SPDX-License-Identifier: MIT
#define LANES 4 // must equal PAIR_LANES
#include "energy/springs/spring_products.h"

#include <string.h>

#include "base/lanes/lanes.h"

#define NO_NODE UINT32_MAX

struct spring_products {
    struct product_operator table;
    struct spring_products_input input;
    const struct layout *rows;
    uint32_t *row;   ///< layout index -> row
    uint32_t *local; ///< row -> layout index, or NO_NODE
    // Vectors in layout order, 3 x stride.
    double *positions; ///< positions at which the Hessian is taken
    double *x, *y;     ///< input and output of the last product
    bool project;
};

// --- creation ---

void spring_products_destroy(struct spring_products *products, struct memory *memory) {
    if (products == NULL) {
        return;
    }
    memory_release(memory, products->row);
    memory_release(memory, products->local);
    memory_release(memory, products->positions);
    memory_release(memory, products->x);
    memory_release(memory, products->y);
    memory_release(memory, products);
}

static pbs_status allocate_buffers(struct memory *memory, struct spring_products *p) {
    const size_t count = 3 * p->input.layout->stride;
    p->row = memory_allocate(memory, p->input.layout->node_count, sizeof *p->row);
    p->local = memory_allocate(memory, p->rows->node_count, sizeof *p->local);
    p->positions = memory_allocate(memory, count, sizeof *p->positions);
    p->x = memory_allocate(memory, count, sizeof *p->x);
    p->y = memory_allocate(memory, count, sizeof *p->y);
    return p->row != NULL && p->local != NULL && p->positions != NULL && p->x != NULL &&
                   p->y != NULL
               ? PBS_OK
               : PBS_ERROR_MEMORY;
}

static void number_rows(struct spring_products *p) {
    memset(p->local, 0xff, p->rows->node_count * sizeof *p->local);
    for (uint32_t i = 0; i < p->input.layout->node_count; i++) {
        p->row[i] = p->rows->row[p->input.layout->node[i]];
        p->local[p->row[i]] = i;
    }
}

static void multiply(void *self, struct tasks *tasks, const double *x);
static void add_domain(const void *self, uint32_t domain, double *y);

pbs_status spring_products_create(struct memory *memory, const struct spring_products_input *input,
                                  const struct layout *rows, struct spring_products **out) {
    struct spring_products *p = memory_allocate(memory, 1, sizeof *p);
    if (p == NULL) {
        return PBS_ERROR_MEMORY;
    }
    p->input = *input;
    p->rows = rows;
    p->table = (struct product_operator){.self = p,
                                         .multiply = multiply,
                                         .add_domain = add_domain,
                                         .blocks = 3.0 * (double)input->layout->group_count};
    if (allocate_buffers(memory, p) != PBS_OK) {
        spring_products_destroy(p, memory);
        return PBS_ERROR_MEMORY;
    }
    number_rows(p);
    *out = p;
    return PBS_OK;
}

struct product_operator *spring_products_linearize(struct spring_products *products,
                                                   struct tasks *tasks, const double *x,
                                                   bool project) {
    pair_layout_gather(tasks, products->input.layout, x, products->positions);
    products->project = project;
    return &products->table;
}

// --- kernels ---

/// Positions and vector x of LANES nodes.
struct ends {
    lanes8 position[3], x[3];
};

/// Computes the Hessian's product at the higher ends of LANES springs.
ALWAYS_INLINE void spring_force(const struct ends *low, const struct ends *high, lanes8 stiffness,
                                lanes8 rest, bool project, lanes8 force[3]) {
    lanes8 l[3];
    lanes8 d[3];
    for (int i = 0; i < 3; i++) {
        l[i] = high->position[i] - low->position[i];
        d[i] = high->x[i] - low->x[i];
    }
    const lanes8 length = lanes_sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
    const lanes8 inverse = lanes_select(length > 0.0, 1.0 / length, lanes_set(0.0));
    lanes8 across = 1.0 - rest * inverse;
    if (project) {
        across = lanes_max(across, lanes_set(0.0));
    }
    const lanes8 moved = l[0] * d[0] + l[1] * d[1] + l[2] * d[2];
    const lanes8 along = stiffness * (1.0 - across) * inverse * inverse * moved;
    const lanes8 transverse = stiffness * across;
    for (int i = 0; i < 3; i++) {
        force[i] = along * l[i] + transverse * d[i];
    }
}

ALWAYS_INLINE void load_ends(const struct spring_products *p, size_t at, size_t stride,
                             struct ends *out) {
    for (size_t i = 0; i < 3; i++) {
        out->position[i] = lanes_load(p->positions + i * stride + at);
        out->x[i] = lanes_load(p->x + i * stride + at);
    }
}

ALWAYS_INLINE void gather_ends(const struct spring_products *p, const uint32_t *at, size_t stride,
                               struct ends *out) {
    for (size_t i = 0; i < 3; i++) {
        for (int l = 0; l < LANES; l++) {
            out->position[i][l] = p->positions[i * stride + at[l]];
            out->x[i][l] = p->x[i * stride + at[l]];
        }
    }
}

/// The lower ends of a slice's springs, what is needed to tell which of the springs are assembled
/// in the near matrix, and the sums of the product at the lower ends.
struct slice {
    struct ends low;
    lanes8 near_length, unassembled_fraction; ///< unassembled_fraction: 1 - factor, for springs
                                              ///< shorter than near_length
    lanes8 sum[3];
};

ALWAYS_INLINE void add_group(const struct spring_products *p, struct slice *slice, size_t group,
                             const struct ends *high, bool project, lanes8 force[3]) {
    const lanes8 rest = lanes_load(p->input.rest + group * LANES);
    const lanes8 stiffness = lanes_load(p->input.stiffness + group * LANES);
    const lanes8 weight = stiffness * lanes_select(rest < slice->near_length,
                                                   slice->unassembled_fraction, lanes_set(1.0));
    spring_force(&slice->low, high, weight, rest, project, force);
    for (int i = 0; i < 3; i++) {
        slice->sum[i] -= force[i];
    }
}

ALWAYS_INLINE void run_slice(const struct spring_products *products, uint32_t s, bool project) {
    const struct spring_products copy = *products; // a local copy: the compiler then knows that
                                                   // stores do not change it
    const struct spring_products *p = &copy;
    const struct pair_layout *layout = p->input.layout;
    const size_t stride = layout->stride;
    const size_t local = (size_t)s * LANES;
    const uint32_t *first = layout->first;
    struct slice slice = {.near_length = lanes_load(p->input.near_length + local),
                          .unassembled_fraction = 1.0 - lanes_load(p->input.factor + local)};
    struct ends high = {0};
    lanes8 force[3];
    load_ends(p, local, stride, &slice.low);
    size_t g = layout->slice_group[s];
    const size_t scattered = layout->slice_scattered[s];
    for (; g < scattered; g++) {
        const size_t at = first[g];
        load_ends(p, at, stride, &high);
        add_group(p, &slice, g, &high, project, force);
        for (size_t i = 0; i < 3; i++) {
            double *y = p->y + i * stride + at;
            lanes_store(y, lanes_load(y) + force[i]);
        }
    }
    const size_t end = layout->slice_group[s + 1];
    for (; g < end; g++) {
        const uint32_t *at = layout->partner + first[g];
        gather_ends(p, at, stride, &high);
        add_group(p, &slice, g, &high, project, force);
        for (size_t i = 0; i < 3; i++) {
            for (int l = 0; l < LANES; l++) {
                p->y[i * stride + at[l]] += force[i][l];
            }
        }
    }
    for (size_t i = 0; i < 3; i++) {
        double *y = p->y + i * stride + local;
        lanes_store(y, lanes_load(y) + slice.sum[i]);
    }
}

PBS_MULTIVERSION
static void run_projected(const struct spring_products *p, uint32_t begin, uint32_t end) {
    for (uint32_t s = begin; s < end; s++) {
        run_slice(p, s, true);
    }
}

PBS_MULTIVERSION
static void run_exact(const struct spring_products *p, uint32_t begin, uint32_t end) {
    for (uint32_t s = begin; s < end; s++) {
        run_slice(p, s, false);
    }
}

static void run_slab(void *context, size_t slab) {
    const struct spring_products *p = context;
    const uint32_t *slice = p->input.layout->slab_slice;
    if (p->project) {
        run_projected(p, slice[slab], slice[slab + 1]);
    } else {
        run_exact(p, slice[slab], slice[slab + 1]);
    }
}

// --- the operator ---

struct gather_job {
    const struct spring_products *p;
    const double *x;
};

/// Copies x to layout order, and sets y to 0.
static void gather_slab(void *context, size_t slab) {
    const struct gather_job *gather_job = context;
    const struct spring_products *p = gather_job->p;
    const struct pair_layout *layout = p->input.layout;
    const size_t begin = (size_t)layout->slab_slice[slab] * LANES;
    const size_t last = (size_t)layout->slab_slice[slab + 1] * LANES;
    const size_t end = last < layout->node_count ? last : layout->node_count;
    for (size_t axis = 0; axis < 3; axis++) {
        double *to = p->x + axis * layout->stride;
        for (size_t i = begin; i < end; i++) {
            to[i] = gather_job->x[3 * (size_t)p->row[i] + axis];
        }
        memset(p->y + axis * layout->stride + begin, 0, (end - begin) * sizeof *p->y);
    }
}

static void multiply(void *self, struct tasks *tasks, const double *x) {
    struct spring_products *p = self;
    struct gather_job gather_job = {p, x};
    tasks_for(tasks, p->input.layout->slab_count, gather_slab, &gather_job);
    pair_layout_run(tasks, p->input.layout, run_slab, p);
}

static void add_domain(const void *self, uint32_t domain, double *y) {
    const struct spring_products *p = self;
    const size_t stride = p->input.layout->stride;
    for (uint32_t row = p->rows->domain_start[domain]; row < p->rows->domain_start[domain + 1];
         row++) {
        const uint32_t local = p->local[row];
        for (size_t i = 0; i < 3 && local != NO_NODE; i++) {
            y[3 * (size_t)row + i] += p->y[i * stride + local];
        }
    }
}
