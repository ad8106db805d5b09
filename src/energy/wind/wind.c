// See wind.h. Nodes share in the centre of a triangle, and in the force on it, by their weights.
// SPDX-License-Identifier: MIT
#include "energy/wind/wind.h"

#include <math.h>
#include <string.h>

#include "base/lanes/lanes.h"
#include "base/matrix3/math3.h"

enum { WIDTH_MAX = 4, CHUNK = 512 };

/// Triangles of one width.
struct part {
    const struct wind *wind;
    size_t count;
    uint32_t width;
    uint32_t *nodes;    ///< count x width
    double *weights;    ///< count x 3 x width; null: corners are nodes
    uint32_t *surface;  ///< count
    double *area;       ///< count x 3, m^2, as wind_begin has found it
    double *relative;   ///< count x 3, m/s, likewise; of WIND_LINEAR
    double *dissipated; ///< count, W; of wind_measure, as the next is
    double *supplied;   ///< count, W
};

struct wind {
    struct part parts[WIND_PARTS];
    size_t surface_count;
    struct wind_law *laws;     ///< surface_count
    struct wind_power *powers; ///< surface_count
    uint32_t *surface_node;    ///< surface_count
    enum wind_mode mode;
};

// --- life ---

static void *copy_of(struct memory *memory, const void *source, size_t count, size_t size) {
    void *const copy = memory_allocate(memory, count, size);
    if (copy != NULL) {
        memcpy(copy, source, count * size);
    }
    return copy;
}

static bool create_part(struct memory *memory, const struct wind_triangles *input, uint32_t width,
                        struct part *p) {
    const size_t count = input->count;
    p->count = count;
    p->width = width;
    if (count == 0) {
        return true;
    }
    p->nodes = copy_of(memory, input->nodes, count * width, sizeof *p->nodes);
    p->surface = copy_of(memory, input->surface, count, sizeof *p->surface);
    p->area = memory_allocate(memory, 3 * count, sizeof *p->area);
    p->relative = memory_allocate(memory, 3 * count, sizeof *p->relative);
    p->dissipated = memory_allocate(memory, count, sizeof *p->dissipated);
    p->supplied = memory_allocate(memory, count, sizeof *p->supplied);
    if (input->weights != NULL) {
        p->weights = copy_of(memory, input->weights, 3 * count * width, sizeof *p->weights);
    }
    return p->nodes != NULL && p->surface != NULL && p->area != NULL && p->relative != NULL &&
           p->dissipated != NULL && p->supplied != NULL &&
           (input->weights == NULL || p->weights != NULL);
}

pbs_status wind_create(struct memory *memory, const struct wind_input *input, struct wind **out) {
    struct wind *w = memory_allocate(memory, 1, sizeof *w);
    if (w == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const size_t count = input->surface_count;
    *w = (struct wind){.surface_count = count};
    w->powers = memory_allocate(memory, count, sizeof *w->powers);
    w->surface_node = memory_allocate(memory, count, sizeof *w->surface_node);
    w->laws = copy_of(memory, input->laws, count, sizeof *w->laws);
    if (w->powers == NULL || w->surface_node == NULL || w->laws == NULL ||
        !create_part(memory, &input->parts[0], 3, &w->parts[0]) ||
        !create_part(memory, &input->parts[1], 4, &w->parts[1])) {
        wind_destroy(w, memory);
        return PBS_ERROR_MEMORY;
    }
    for (int i = 0; i < WIND_PARTS; i++) {
        struct part *p = &w->parts[i];
        p->wind = w;
        for (size_t t = 0; t < p->count; t++) {
            w->surface_node[p->surface[t]] = p->nodes[t * p->width];
        }
    }
    *out = w;
    return PBS_OK;
}

void wind_destroy(struct wind *wind, struct memory *memory) {
    if (wind == NULL) {
        return;
    }
    for (int i = 0; i < WIND_PARTS; i++) {
        memory_release(memory, wind->parts[i].nodes);
        memory_release(memory, wind->parts[i].weights);
        memory_release(memory, wind->parts[i].surface);
        memory_release(memory, wind->parts[i].area);
        memory_release(memory, wind->parts[i].relative);
        memory_release(memory, wind->parts[i].dissipated);
        memory_release(memory, wind->parts[i].supplied);
    }
    memory_release(memory, wind->laws);
    memory_release(memory, wind->powers);
    memory_release(memory, wind->surface_node);
    memory_release(memory, wind);
}

void wind_set_law(struct wind *wind, size_t surface, const struct wind_law *law) {
    wind->laws[surface] = *law;
}

size_t wind_surface_count(const struct wind *wind) {
    return wind->surface_count;
}

uint32_t wind_surface_node(const struct wind *wind, size_t surface) {
    return wind->surface_node[surface];
}

// --- one triangle ---

static const struct wind_law *law_of(const struct part *p, size_t triangle) {
    return &p->wind->laws[p->surface[triangle]];
}

/// The share of a stencil's node in the centre.
static double share_of(const struct part *p, size_t triangle, size_t node) {
    if (p->weights == NULL) {
        return 1.0 / 3.0;
    }
    const double *weights = p->weights + 12 * triangle + node;
    return (weights[0] + weights[4] + weights[8]) / 3.0;
}

static void find_corner(const struct part *p, size_t triangle, size_t corner, const double *x,
                        double out[3]) {
    const uint32_t *nodes = p->nodes + triangle * p->width;
    if (p->weights == NULL) {
        copy3(x + 3 * (size_t)nodes[corner], out);
        return;
    }
    out[0] = out[1] = out[2] = 0.0;
    for (size_t k = 0; k < 4; k++) {
        add_scaled3(out, p->weights[12 * triangle + 4 * corner + k], x + 3 * (size_t)nodes[k], out);
    }
}

static void find_area(const struct part *p, size_t triangle, const double *x, double area[3]) {
    double corners[3][3];
    for (size_t a = 0; a < 3; a++) {
        find_corner(p, triangle, a, x, corners[a]);
    }
    subtract3(corners[1], corners[0], corners[1]);
    subtract3(corners[2], corners[0], corners[2]);
    cross3(corners[1], corners[2], area);
    scale3(0.5, area, area);
}

/// Of a field of nodes, at the centre.
static void find_center(const struct part *p, size_t triangle, const double *field, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (size_t k = 0; k < p->width; k++) {
        const size_t node = p->nodes[triangle * p->width + k];
        add_scaled3(out, share_of(p, triangle, k), field + 3 * node, out);
    }
}

/// (x - p) / b at the centre.
static void find_velocity(const struct part *p, size_t triangle, const double *x,
                          const struct stage_view *stage, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (size_t k = 0; k < p->width; k++) {
        const size_t node = p->nodes[triangle * p->width + k];
        double moved[3];
        subtract3(x + 3 * node, stage->origin + 3 * node, moved);
        add_scaled3(out, share_of(p, triangle, k), moved, out);
    }
    scale3(1.0 / stage->length, out, out);
}

// --- what is known before a stage ---

struct pass {
    struct part *part;
    const double *x, *v;
    const struct stage_view *stage;
};

static size_t chunk_end(const struct pass *pass, size_t chunk) {
    const size_t end = (chunk + 1) * CHUNK;
    return end < pass->part->count ? end : pass->part->count;
}

static void run_chunks(struct wind *wind, struct tasks *tasks, struct pass *pass,
                       void (*run)(void *context, size_t chunk)) {
    for (int i = 0; i < WIND_PARTS; i++) {
        pass->part = &wind->parts[i];
        tasks_for(tasks, (pass->part->count + CHUNK - 1) / CHUNK, run, pass);
    }
}

static void begin_chunk(void *context, size_t chunk) {
    const struct pass *pass = context;
    const struct part *p = pass->part;
    for (size_t t = chunk * CHUNK; t < chunk_end(pass, chunk); t++) {
        find_area(p, t, pass->x, p->area + 3 * t);
        if (p->wind->mode == WIND_LINEAR) {
            double velocity[3];
            find_center(p, t, pass->v, velocity);
            subtract3(law_of(p, t)->velocity, velocity, p->relative + 3 * t);
        }
    }
}

void wind_begin(struct wind *wind, struct tasks *tasks, enum wind_mode mode, const double *x,
                const double *v) {
    struct pass pass = {.x = x, .v = v};
    wind->mode = mode;
    run_chunks(wind, tasks, &pass, begin_chunk);
}

// --- the stage ---

/// The air's answer to a triangle that moves.
struct answer {
    double force[3];     ///< N
    double stiffness[9]; ///< N s/m
    double value;        ///< W: the potential less that at rest
};

static void multiply_add(const double matrix[9], const double v[3], double out[3]) {
    for (size_t i = 0; i < 3; i++) {
        out[i] += dot3(matrix + 3 * i, v);
    }
}

/// The law's tangent at the known relative velocity.
static void answer_linearly(const struct wind_law *law, const double area[3], const double known[3],
                            const double velocity[3], struct answer *out) {
    double less[3], at_rest[3], product[3] = {0.0, 0.0, 0.0};
    wind_law_force(law, area, known, at_rest, out->stiffness);
    subtract3(law->velocity, known, less);
    multiply_add(out->stiffness, less, at_rest);
    multiply_add(out->stiffness, velocity, product);
    subtract3(at_rest, product, out->force);
    out->value = 0.5 * dot3(velocity, product) - dot3(at_rest, velocity);
}

static void answer_to(const struct part *p, size_t triangle, const double velocity[3],
                      struct answer *out) {
    const struct wind_law *law = law_of(p, triangle);
    const double *area = p->area + 3 * triangle;
    double relative[3];
    switch (p->wind->mode) {
    case WIND_LINEAR: answer_linearly(law, area, p->relative + 3 * triangle, velocity, out); break;
    case WIND_AT_REST:
        memset(out->stiffness, 0, sizeof out->stiffness);
        wind_law_force(law, area, law->velocity, out->force, NULL);
        out->value = -dot3(out->force, velocity);
        break;
    default:
        subtract3(law->velocity, velocity, relative);
        wind_law_force(law, area, relative, out->force, out->stiffness);
        out->value = wind_law_potential(law, area, relative, velocity);
        break;
    }
}

/// The shares of the nodes in the assembly's order.
static void list_shares(const struct part *p, const struct stencil_groups *groups, size_t at,
                        double out[WIDTH_MAX]) {
    const size_t first = at / LANES * p->width * LANES + at % LANES;
    for (size_t a = 0; a < p->width; a++) {
        out[a] = share_of(p, groups->stencil[at], groups->local[first + a * LANES]);
    }
}

static void add_gradient(const struct part *p, const struct stencil_groups *groups, size_t at,
                         const double shares[WIDTH_MAX], const double force[3], double *gradient) {
    const size_t first = at / LANES * p->width * LANES + at % LANES;
    for (size_t a = 0; a < p->width; a++) {
        double *to = gradient + 3 * (size_t)groups->vector_slot[first + a * LANES];
        add_scaled3(to, -shares[a], force, to);
    }
}

static void add_hessian(const struct part *p, const struct stencil_groups *groups, size_t at,
                        const double shares[WIDTH_MAX], const double matrix[9], double *blocks) {
    const uint32_t *slot = groups->block_slot + at / LANES * groups->pair_count * LANES +
                           at % LANES;
    for (size_t a = 0; a < p->width; a++) {
        for (size_t b = a; b < p->width; b++, slot += LANES) {
            double *to = blocks + 9 * (size_t)*slot;
            const double share = shares[a] * shares[b];
            for (size_t i = 0; i < 9; i++) {
                to[i] += share * matrix[i];
            }
        }
    }
}

static void add_value(const struct part *p, const struct stencil_groups *groups, size_t at,
                      double value, struct evaluation_sums *sums) {
    sums->value += value;
    if (sums->node_values != NULL) {
        sums->node_values[groups->node[at / LANES * p->width * LANES + at % LANES]] += value;
    }
}

static int evaluate(const void *self, const struct assembly *assembly,
                    const struct stencil_groups *groups, uint32_t domain,
                    const struct evaluation *evaluation, struct evaluation_sums *sums) {
    const struct part *p = self;
    const double length = evaluation->stage.length;
    (void)assembly;
    const size_t end = (size_t)groups->domain_group[domain + 1] * LANES;
    for (size_t at = (size_t)groups->domain_group[domain] * LANES; at < end; at++) {
        if (groups->stencil[at] == UINT32_MAX) {
            continue;
        }
        double velocity[3], shares[WIDTH_MAX];
        struct answer answer;
        find_velocity(p, groups->stencil[at], evaluation->x, &evaluation->stage, velocity);
        answer_to(p, groups->stencil[at], velocity, &answer);
        list_shares(p, groups, at, shares);
        if (evaluation->what & EVALUATE_VALUE) {
            add_value(p, groups, at, length * answer.value, sums);
        }
        if (evaluation->what & EVALUATE_GRADIENT) {
            add_gradient(p, groups, at, shares, answer.force, sums->gradient);
        }
        if (evaluation->what & EVALUATE_HESSIAN) {
            for (size_t i = 0; i < 9; i++) {
                answer.stiffness[i] /= length;
            }
            add_hessian(p, groups, at, shares, answer.stiffness, sums->blocks);
        }
    }
    return EVALUATE_OK;
}

// --- after the stage ---

static void measure_chunk(void *context, size_t chunk) {
    const struct pass *pass = context;
    const struct part *p = pass->part;
    for (size_t t = chunk * CHUNK; t < chunk_end(pass, chunk); t++) {
        const double *air = law_of(p, t)->velocity;
        double velocity[3];
        struct answer answer;
        find_velocity(p, t, pass->x, pass->stage, velocity);
        answer_to(p, t, velocity, &answer);
        subtract3(air, velocity, velocity);
        p->dissipated[t] = dot3(answer.force, velocity);
        p->supplied[t] = dot3(answer.force, air);
    }
}

const struct wind_power *wind_measure(struct wind *wind, struct tasks *tasks, const double *x,
                                      const struct stage_view *stage) {
    struct pass pass = {.x = x, .stage = stage};
    run_chunks(wind, tasks, &pass, measure_chunk);
    memset(wind->powers, 0, wind->surface_count * sizeof *wind->powers);
    for (int i = 0; i < WIND_PARTS; i++) {
        const struct part *p = &wind->parts[i];
        for (size_t t = 0; t < p->count; t++) {
            wind->powers[p->surface[t]].dissipated += p->dissipated[t];
            wind->powers[p->surface[t]].supplied += p->supplied[t];
        }
    }
    return wind->powers;
}

double wind_reference(const struct wind *wind, const double *x, const double *v) {
    double sum = 0.0;
    for (int i = 0; i < WIND_PARTS; i++) {
        const struct part *p = &wind->parts[i];
        for (size_t t = 0; t < p->count; t++) {
            double area[3], relative[3], force[3];
            find_area(p, t, x, area);
            find_center(p, t, v, relative);
            subtract3(law_of(p, t)->velocity, relative, relative);
            wind_law_force(law_of(p, t), area, relative, force, NULL);
            sum += dot3(force, force) / 3.0;
        }
    }
    return sqrt(sum);
}

static const struct term_table table = {
    .name = "wind",
    .kind = ENERGY_WIND,
    .evaluate = evaluate,
    .is_load = true,
};

size_t wind_term_count(const struct wind *wind) {
    size_t count = 0;
    for (int i = 0; i < WIND_PARTS; i++) {
        count += wind->parts[i].count > 0;
    }
    return count;
}

size_t wind_terms(struct wind *wind, struct term out[WIND_PARTS]) {
    size_t count = 0;
    for (int i = 0; i < WIND_PARTS; i++) {
        struct part *p = &wind->parts[i];
        if (p->count > 0) {
            out[count++] = (struct term){
                .table = &table,
                .self = p,
                .has_stencils = true,
                .stencils = {.count = p->count, .width = p->width, .nodes = p->nodes},
            };
        }
    }
    return count;
}
