// Evaluates pressure: the volumes before the domains, what triangles add domain by domain, and the
// operator of rank one for each gas and each held volume.
// SPDX-License-Identifier: MIT
#include "energy/pressure/pressure_surfaces.h"

#include <math.h>
#include <string.h>

#include "base/lanes/lanes.h"
#include "base/matrix3/math3.h"
#include "energy/pressure/volume_step.h"

// --- life ---

static pbs_status allocate(struct memory *memory, struct pressure *p) {
    p->triangles = memory_allocate(memory, 3 * p->triangle_count, sizeof *p->triangles);
    p->surface = memory_allocate(memory, p->triangle_count, sizeof *p->surface);
    p->triangle_start = memory_allocate(memory, p->surface_count + 1, sizeof *p->triangle_start);
    p->laws = memory_allocate(memory, p->surface_count, sizeof *p->laws);
    p->now = memory_allocate(memory, p->surface_count, sizeof *p->now);
    p->held = memory_allocate(memory, p->surface_count, sizeof *p->held);
    const size_t held_nodes = p->held_count > 0 ? p->node_count : 1;
    p->row_entries = memory_allocate(memory, held_nodes, 3 * sizeof *p->row_entries);
    p->held_gradient = memory_allocate(memory, held_nodes, 3 * sizeof *p->held_gradient);
    p->free_gradient = memory_allocate(memory, held_nodes, 3 * sizeof *p->free_gradient);
    p->relief = memory_allocate(memory, held_nodes, 3 * sizeof *p->relief);
    p->gradient = memory_allocate(memory, p->node_count, 3 * sizeof *p->gradient);
    p->member = memory_allocate(memory, p->node_count, sizeof *p->member);
    p->nodes = memory_allocate(memory, p->node_count, sizeof *p->nodes);
    p->node_start = memory_allocate(memory, p->surface_count + 1, sizeof *p->node_start);
    p->scale = memory_allocate(memory, p->surface_count, sizeof *p->scale);
    return p->triangles == NULL || p->surface == NULL || p->triangle_start == NULL ||
                   p->laws == NULL || p->now == NULL || p->held == NULL || p->row_entries == NULL ||
                   p->held_gradient == NULL || p->free_gradient == NULL || p->relief == NULL ||
                   p->gradient == NULL || p->member == NULL || p->nodes == NULL ||
                   p->node_start == NULL || p->scale == NULL
               ? PBS_ERROR_MEMORY
               : PBS_OK;
}

static void list_members(struct pressure *p) {
    for (size_t i = 0; i < p->node_count; i++) {
        p->member[i] = NO_MEMBER;
    }
    size_t count = 0;
    for (uint32_t s = 0; s < p->surface_count; s++) {
        p->node_start[s] = count;
        for (size_t k = 3 * p->triangle_start[s]; k < 3 * p->triangle_start[s + 1]; k++) {
            const uint32_t node = p->triangles[k];
            p->surface[k / 3] = s;
            if (p->member[node] == NO_MEMBER) {
                p->member[node] = s;
                p->nodes[count] = node;
                count++;
            }
        }
    }
    p->node_start[p->surface_count] = count;
}

pbs_status pressure_create(struct memory *memory, const struct pressure_input *input,
                           struct pressure **out) {
    struct pressure *p = memory_allocate(memory, 1, sizeof *p);
    if (p == NULL) {
        return PBS_ERROR_MEMORY;
    }
    *p = (struct pressure){.triangle_count = input->triangle_count,
                           .surface_count = input->surface_count,
                           .node_count = input->node_count};
    for (size_t i = 0; i < p->surface_count; i++) {
        p->held_count += input->laws[i].kind == PRESSURE_HELD;
    }
    if (allocate(memory, p) < 0) {
        pressure_destroy(p, memory);
        return PBS_ERROR_MEMORY;
    }
    memcpy(p->triangles, input->triangles, 3 * p->triangle_count * sizeof *p->triangles);
    memcpy(p->triangle_start, input->triangle_start,
           (p->surface_count + 1) * sizeof *p->triangle_start);
    for (size_t i = 0; i < p->surface_count; i++) {
        pressure_set_law(p, i, &input->laws[i]);
    }
    list_members(p);
    *out = p;
    return PBS_OK;
}

void pressure_destroy(struct pressure *pressure, struct memory *memory) {
    if (pressure != NULL) {
        memory_release(memory, pressure->triangles);
        memory_release(memory, pressure->surface);
        memory_release(memory, pressure->triangle_start);
        memory_release(memory, pressure->laws);
        memory_release(memory, pressure->now);
        memory_release(memory, pressure->held);
        memory_release(memory, pressure->row_entries);
        memory_release(memory, pressure->held_gradient);
        memory_release(memory, pressure->free_gradient);
        memory_release(memory, pressure->relief);
        memory_release(memory, pressure->gradient);
        memory_release(memory, pressure->member);
        memory_release(memory, pressure->nodes);
        memory_release(memory, pressure->node_start);
        memory_release(memory, pressure->scale);
        memory_release(memory, pressure);
    }
}

void pressure_set_law(struct pressure *pressure, size_t surface, const struct pressure_law *law) {
    pressure->laws[surface] = *law;
    pressure->held[surface] = (struct held_volume){.target = law->volume};
}

struct pressure_law pressure_law_of(const struct pressure *pressure, size_t surface) {
    struct pressure_law law = pressure->laws[surface];
    if (law.kind == PRESSURE_HELD) {
        law.volume = pressure->held[surface].target;
        law.penalty = 0.0;
    }
    return law;
}

// --- volumes ---

double pressure_volume(const uint32_t *triangles, size_t count, size_t offset, const double *x) {
    const double *origin = count > 0 ? x + 3 * (offset + triangles[0]) : x;
    double sum = 0.0;
    for (size_t t = 0; t < count; t++) {
        double corners[3][3], area[3];
        for (size_t a = 0; a < 3; a++) {
            subtract3(x + 3 * (offset + triangles[3 * t + a]), origin, corners[a]);
        }
        cross3(corners[1], corners[2], area);
        sum += dot3(corners[0], area);
    }
    return sum / 6.0;
}

struct measurement {
    struct pressure *pressure;
    const double *x;
    const struct evaluation *evaluation; ///< null for products
};

static const uint32_t *triangles_of(const struct pressure *p, size_t surface, size_t *count) {
    *count = p->triangle_start[surface + 1] - p->triangle_start[surface];
    return p->triangles + 3 * p->triangle_start[surface];
}

double pressure_surface_volume(const struct pressure *p, size_t surface, const double *x) {
    size_t count;
    const uint32_t *triangles = triangles_of(p, surface, &count);
    return pressure_volume(triangles, count, 0, x);
}

/// Of a held volume, without constraints nothing; as a load its pressure, without what a volume
/// that is not reached yet adds by the penalty.
static struct pressure_state hold(const struct pressure_state *whole,
                                  const struct evaluation *evaluation) {
    if (evaluation->without_constraints) {
        return (struct pressure_state){.value = 0.0};
    }
    if (evaluation->loads_only) {
        return (struct pressure_state){.excess = whole->curvature, .curvature = whole->curvature};
    }
    return *whole;
}

static void measure(void *context, size_t surface) {
    const struct measurement *m = context;
    struct pressure *p = m->pressure;
    const struct pressure_law *law = &p->laws[surface];
    const struct pressure_state whole = pressure_law_at(law,
                                                        pressure_surface_volume(p, surface, m->x));
    p->now[surface] = law->kind == PRESSURE_HELD ? hold(&whole, m->evaluation) : whole;
}

static void prepare(void *self, struct tasks *tasks, const struct evaluation *evaluation) {
    struct pressure *p = self;
    struct measurement m = {p, evaluation->x, evaluation};
    tasks_for(tasks, p->surface_count, measure, &m);
}

static double value_at(const void *self, const double *x) {
    const struct pressure *p = self;
    double sum = 0.0;
    for (size_t s = 0; s < p->surface_count; s++) {
        // What holds a volume has no energy where the volume is right.
        sum += p->laws[s].kind == PRESSURE_HELD
                   ? 0.0
                   : pressure_law_at(&p->laws[s], pressure_surface_volume(p, s, x)).value;
    }
    return sum;
}

// --- what triangles add ---

static void add_gradient(const struct stencil_groups *groups, size_t at, const double force[3],
                         double *gradient) {
    for (size_t a = 0; a < 3; a++) {
        const size_t entry = (at / LANES * 3 + a) * LANES + at % LANES;
        double *to = gradient + 3 * (size_t)groups->vector_slot[entry];
        subtract3(to, force, to);
    }
}

static void add_hessian(const struct stencil_groups *groups, size_t at, const double hessian[81],
                        double *blocks) {
    const size_t group = at / LANES, lane = at % LANES;
    const uint8_t *local = groups->local + group * 3 * LANES + lane;
    const uint32_t *slot = groups->block_slot + group * groups->pair_count * LANES + lane;
    for (size_t a = 0; a < 3; a++) {
        for (size_t b = a; b < 3; b++, slot += LANES) {
            double *to = blocks + 9 * (size_t)*slot;
            const double *corner = hessian + 27 * (size_t)local[a * LANES] +
                                   3 * (size_t)local[b * LANES];
            for (size_t i = 0; i < 9; i++) {
                to[i] += corner[9 * (i / 3) + i % 3];
            }
        }
    }
}

/// The whole of a surface's value is that of its first triangle.
static void add_value(const struct pressure *p, const struct stencil_groups *groups, size_t at,
                      struct evaluation_sums *sums) {
    const uint32_t triangle = groups->stencil[at];
    const uint32_t surface = p->surface[triangle];
    if (triangle == p->triangle_start[surface]) {
        sums->value += p->now[surface].value;
        if (sums->node_values != NULL) {
            sums->node_values[groups->node[at / LANES * 3 * LANES + at % LANES]] += p->now[surface]
                                                                                        .value;
        }
    }
}

/// A sixth of the edges' product is what each corner has of the area vector.
static void find_share(const double x[9], double share[3]) {
    double first[3], second[3];
    subtract3(x + 3, x, first);
    subtract3(x + 6, x, second);
    cross3(first, second, share);
    scale3(1.0 / 6.0, share, share);
}

static void gather(const struct pressure *p, size_t triangle, const double *x, double out[9]) {
    for (size_t a = 0; a < 3; a++) {
        copy3(x + 3 * (size_t)p->triangles[3 * triangle + a], out + 3 * a);
    }
}

double pressure_surface_area(const struct pressure *p, size_t surface, const double *x) {
    double sum = 0.0;
    for (size_t t = p->triangle_start[surface]; t < p->triangle_start[surface + 1]; t++) {
        double corners[9], share[3];
        gather(p, t, x, corners);
        find_share(corners, share);
        sum += 3.0 * norm3(share);
    }
    return sum;
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct pressure *p = self;
    const bool project = evaluation->project || evaluation->project_shells;
    (void)assembly;
    const size_t end = (size_t)groups->domain_group[domain + 1] * LANES;
    for (size_t at = (size_t)groups->domain_group[domain] * LANES; at < end; at++) {
        if (groups->stencil[at] == UINT32_MAX) {
            continue;
        }
        const struct pressure_state *now = &p->now[p->surface[groups->stencil[at]]];
        double x[9];
        if (!isfinite(now->value)) {
            return EVALUATE_RECOVERABLE;
        }
        gather(p, groups->stencil[at], evaluation->x, x);
        if (evaluation->what & EVALUATE_VALUE) {
            add_value(p, groups, at, sums);
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            double force[3];
            find_share(x, force);
            scale3(now->excess, force, force);
            add_gradient(groups, at, force, sums->gradient);
        }
        // Projected, a triangle's part would resist motions of the surface as a whole, which only
        // the sum over all triangles leaves free.
        if ((evaluation->what & EVALUATE_HESSIAN) != 0 && now->curvature != 0.0 && !project) {
            double hessian[81];
            pressure_triangle_hessian(x, now->curvature, hessian);
            add_hessian(groups, at, hessian, sums->blocks);
        }
    }
    return EVALUATE_OK;
}

size_t pressure_surface_count(const struct pressure *pressure) {
    return pressure->surface_count;
}

struct pressure_forces pressure_forces_of(const struct pressure *pressure, size_t surface,
                                          const double *x) {
    const double volume = pressure_surface_volume(pressure, surface, x);
    const struct pressure_state state = pressure_law_at(&pressure->laws[surface], volume);
    const bool is_gas = pressure->laws[surface].kind == PRESSURE_GAS;
    double sum = 0.0;
    for (size_t t = pressure->triangle_start[surface]; t < pressure->triangle_start[surface + 1];
         t++) {
        double corners[9], share[3];
        gather(pressure, t, x, corners);
        find_share(corners, share);
        sum += 3.0 * dot3(share, share);
    }
    const double excess = fabs(state.curvature);
    const double modulus = fmax(is_gas ? state.stiffness * volume : 0.0, excess);
    return (struct pressure_forces){
        .node = pressure->triangles[3 * pressure->triangle_start[surface]],
        .excess = excess * sqrt(sum),
        .scale = modulus * sqrt(sum)};
}

/// The steps of all surfaces, for the first domain: volumes are no sums over domains.
static double max_step(const void *self, const struct assembly *assembly,
                       const struct stencil_groups *groups, uint32_t domain, const double *x,
                       const double *direction, double limit) {
    const struct pressure *p = self;
    (void)assembly;
    (void)groups;
    for (size_t s = 0; domain == 0 && s < p->surface_count; s++) {
        const struct pressure_law *law = &p->laws[s];
        if (law->kind == PRESSURE_CONSTANT && law->pressure != law->outside) {
            size_t count;
            const uint32_t *triangles = triangles_of(p, s, &count);
            limit = volume_step(triangles, count, pressure_surface_area(p, s, x), x, direction,
                                limit);
        }
    }
    return limit;
}

// --- what couples all nodes of a surface: stiffness g g^T with the volume's gradient g ---

void pressure_differentiate(const struct pressure *p, size_t surface, const double *x,
                            double *gradient) {
    const size_t end = p->triangle_start[surface + 1];
    for (size_t k = p->node_start[surface]; k < p->node_start[surface + 1]; k++) {
        memset(gradient + 3 * (size_t)p->nodes[k], 0, 3 * sizeof(double));
    }
    for (size_t t = p->triangle_start[surface]; t < end; t++) {
        double corners[9], share[3];
        gather(p, t, x, corners);
        find_share(corners, share);
        for (size_t a = 0; a < 3; a++) {
            double *to = gradient + 3 * (size_t)p->triangles[3 * t + a];
            add3(to, share, to);
        }
    }
}

static void differentiate(void *context, size_t surface) {
    const struct measurement *m = context;
    pressure_differentiate(m->pressure, surface, m->x, m->pressure->gradient);
}

static void multiply_surface(void *context, size_t surface) {
    const struct measurement *m = context;
    struct pressure *p = m->pressure;
    double sum = 0.0;
    for (size_t k = p->node_start[surface]; k < p->node_start[surface + 1]; k++) {
        const size_t node = p->nodes[k];
        sum += dot3(p->gradient + 3 * node, m->x + 3 * (size_t)p->layout->row[node]);
    }
    p->scale[surface] = p->now[surface].stiffness * sum;
}

static void multiply(void *self, struct tasks *tasks, const double *x) {
    struct pressure *p = self;
    struct measurement m = {p, x, NULL};
    tasks_for(tasks, p->surface_count, multiply_surface, &m);
}

static void add_domain(const void *self, uint32_t domain, double *y) {
    const struct pressure *p = self;
    const struct layout *layout = p->layout;
    for (size_t row = layout->domain_start[domain]; row < layout->domain_start[domain + 1]; row++) {
        const uint32_t node = layout->node[row];
        if (p->member[node] != NO_MEMBER) {
            add_scaled3(y + 3 * row, p->scale[p->member[node]], p->gradient + 3 * (size_t)node,
                        y + 3 * row);
        }
    }
}

static struct product_operator *products(void *self, struct tasks *tasks,
                                         const struct evaluation *evaluation) {
    struct pressure *p = self;
    struct measurement m = {p, evaluation->x, evaluation};
    bool any = false;
    prepare(self, tasks, evaluation);
    for (size_t s = 0; s < p->surface_count; s++) {
        any = any || p->now[s].stiffness > 0.0;
    }
    if (!any) {
        return NULL;
    }
    tasks_for(tasks, p->surface_count, differentiate, &m);
    p->table = (struct product_operator){
        .self = p,
        .multiply = multiply,
        .add_domain = add_domain,
        // Two passes over vectors, where a block has nine numbers.
        .blocks = 2.0 * (double)p->node_start[p->surface_count] / 3.0,
        .deflation = p->held_count > 0 ? &held_volumes_deflation : NULL,
    };
    return &p->table;
}

static pbs_status bind(void *self, struct memory *memory, const struct stencil_groups *groups) {
    struct pressure *p = self;
    (void)memory;
    p->layout = groups->layout;
    return PBS_OK;
}

static void destroy(void *self, struct memory *memory) {
    pressure_destroy(self, memory);
}

static const struct term_table table = {
    .name = "pressure",
    .kind = ENERGY_EXTERNAL,
    .prepare = prepare,
    .value = value_at,
    .evaluate = evaluate,
    .products = products,
    .max_step = max_step,
    .bounds_finite_values = true,
    .bind = bind,
    .destroy = destroy,
    .is_load = true,
};

struct term pressure_term(struct pressure *pressure) {
    return (struct term){
        .table = &table,
        .self = pressure,
        .has_stencils = true,
        .stencils = {.count = pressure->triangle_count, .width = 3, .nodes = pressure->triangles},
    };
}
