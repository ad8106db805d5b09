// The terms of peridynamic bodies: their bonds are springs that break. Springs that soften are a
// separate term.
// SPDX-License-Identifier: MIT
#include "energy/springs/springs.h"
#include "geometry/meshes/grid_order.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "world/particles/near_bonds.h"
#include "world/particles/peridynamic.h"

// --- breaking ---

static bool has_limits(const void *self) {
    return springs_have_limits(self);
}

static void mark_overloaded(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                            const double *orientations) {
    (void)orientations;
    springs_mark_overloaded(self, tasks, domain_count, x);
}

static const uint8_t *overloaded(void *self) {
    return springs_overloaded(self);
}

static bool is_broken(const void *self, size_t bond) {
    return springs_is_broken(self, bond);
}

static void set_broken(void *self, size_t bond, bool broken) {
    springs_set_broken(self, bond, broken);
}

static bool remove_gradient(const void *self, size_t bond, const uint32_t nodes[2], const double *x,
                            double *gradient) {
    return springs_remove_gradient(self, bond, nodes, x, gradient);
}

static const struct bond_term_table BRITTLE = {
    .has_limits = has_limits,
    .mark_overloaded = mark_overloaded,
    .overloaded = overloaded,
    .is_broken = is_broken,
    .set_broken = set_broken,
    .remove_gradient = remove_gradient,
};

static const struct bond_term_table SOFTENING = {
    .has_limits = has_limits,
    .mark_overloaded = mark_overloaded,
    .overloaded = overloaded,
    .is_broken = is_broken,
    .set_broken = set_broken,
    .remove_gradient = remove_gradient,
    .softens = true,
};

// --- the terms ---

static bool is_of(const struct body *body, bool softens) {
    return body->table == &body_table_peridynamic && peridynamic_softens(body) == softens;
}

// --- softening ---

static size_t count_softening(const void *self, const struct body *body) {
    (void)self;
    return is_of(body, true) ? body->bonds.count : 0;
}

static double update_softening(void *self, struct tasks *tasks, size_t domain_count,
                               const double *x, double h) {
    (void)h;
    return springs_update_history(self, tasks, domain_count, x);
}

static void read_remaining(const void *self, size_t first, struct body *body) {
    springs_read_remaining(self, first, body->bonds.count, body->peridynamic.remaining);
    body->bonds.softened = true;
}

static void write_remaining(void *self, size_t first, const struct body *body) {
    springs_write_remaining(self, first, body->bonds.count, body->peridynamic.remaining);
}

static void save_softening(void *self) {
    springs_save_history(self);
}

static void restore_softening(void *self) {
    springs_restore_history(self);
}

/// The secant meets the softening law where the bond is, so an update changes no force.
static const struct history_table SOFTENING_HISTORY = {
    .count = count_softening,
    .update = update_softening,
    .read = read_remaining,
    .write = write_remaining,
    .save = save_softening,
    .restore = restore_softening,
};

// --- arrays of the terms ---

/// Arrays of all softening bonds, or of all others, in the order of bodies.
struct gathered {
    uint32_t *nodes;
    double *stiffness, *rest_lengths, *damping, *limits;
    uint8_t *broken;
    struct softening_law *laws; ///< of bonds that soften
    double *remaining;          ///< likewise
    bool breaks;                ///< some bond can break
};

static void gather_body(const struct body *body, size_t at, const struct gathered *out) {
    const struct peridynamic_body *own = &body->peridynamic;
    for (size_t b = 0; b < body->bonds.count; b++, at++) {
        out->nodes[2 * at] = (uint32_t)body->node_start + body->bonds.pairs[2 * b];
        out->nodes[2 * at + 1] = (uint32_t)body->node_start + body->bonds.pairs[2 * b + 1];
        out->stiffness[at] = own->stiffness[b];
        out->rest_lengths[at] = own->lengths[b];
        out->limits[at] = own->critical[b];
        out->broken[at] = body->bonds.broken[b];
        if (peridynamic_softens(body)) {
            out->laws[at] = peridynamic_law(body, b);
            out->remaining[at] = own->remaining[b];
        }
    }
}

static void gather(const struct scene *scene, bool softens, struct gathered *out) {
    size_t at = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (is_of(body, softens)) {
            gather_body(body, at, out);
            at += body->bonds.count;
            out->breaks |= body->bonds.breaks;
        }
    }
}

static pbs_status make_springs(struct memory *memory, bool softens, size_t count,
                               const struct gathered *g, const struct springs_near *near,
                               const struct pair_order *order, struct body_terms *out) {
    const struct springs_input input = {.count = count,
                                        .nodes = g->nodes,
                                        .stiffness = g->stiffness,
                                        .rest_lengths = g->rest_lengths,
                                        .damping = g->damping,
                                        .broken = g->broken,
                                        .limits = g->breaks ? g->limits : NULL,
                                        .near = near,
                                        .order = order,
                                        .laws = softens ? g->laws : NULL,
                                        .remaining = g->remaining};
    struct springs *springs = NULL;
    RETURN_IF_FAILED(springs_create(memory, &input, &springs));
    RETURN_IF_FAILED(body_terms_add(out, springs_term(springs)));
    out->bonds[out->bond_count++] = (struct bond_term){.table = softens ? &SOFTENING : &BRITTLE,
                                                       .self = springs,
                                                       .kind = &body_table_peridynamic,
                                                       .form = softens};
    if (softens) {
        out->histories[out->history_count++] = (struct history_term){&SOFTENING_HISTORY, springs};
    }
    return PBS_OK;
}

/// Orders the particles of all brittle bodies by their rest positions. Steps do not change these,
/// so a restored world has the same order.
static pbs_status order_particles(const struct scene *scene, struct memory *memory, uint32_t *nodes,
                                  size_t *count) {
    *count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (!is_of(body, false)) {
            continue;
        }
        uint32_t *own = nodes + *count;
        RETURN_IF_FAILED(
            grid_order(memory, body->bonds.rest, body->node_count, body->peridynamic.spacing, own));
        for (size_t k = 0; k < body->node_count; k++) {
            own[k] += (uint32_t)body->node_start;
        }
        *count += body->node_count;
    }
    return PBS_OK;
}

static pbs_status make_brittle(const struct scene *scene, struct memory *memory, size_t count,
                               const struct gathered *g, struct body_terms *out) {
    uint32_t *nodes = memory_allocate(memory, scene->nodes.count, sizeof *nodes);
    double *numbers = memory_allocate(memory, 2 * scene->nodes.count, sizeof *numbers);
    const struct springs_near near = {numbers, numbers + scene->nodes.count};
    struct pair_order order = {.nodes = nodes};
    pbs_status status = nodes != NULL && numbers != NULL ? PBS_OK : PBS_ERROR_MEMORY;
    if (status >= 0) {
        status = order_particles(scene, memory, nodes, &order.count);
    }
    if (status >= 0) {
        const bool is_assembled = !near_bonds_are_enabled(scene);
        if (!is_assembled) {
            near_bonds_measure(scene, numbers, numbers + scene->nodes.count);
        }
        status = make_springs(memory, false, count, g, is_assembled ? NULL : &near, &order, out);
    }
    memory_release(memory, nodes);
    memory_release(memory, numbers);
    return status;
}

static pbs_status add_springs(const struct scene *scene, struct memory *memory, bool softens,
                              struct body_terms *out) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += is_of(body, softens) ? body->bonds.count : 0;
    }
    if (count == 0) {
        return PBS_OK;
    }
    const size_t softening = softens ? count : 0;
    struct gathered g = {.nodes = memory_allocate(memory, count, 2 * sizeof(uint32_t)),
                         .stiffness = memory_allocate(memory, count, sizeof(double)),
                         .rest_lengths = memory_allocate(memory, count, sizeof(double)),
                         .damping = memory_allocate(memory, count, sizeof(double)),
                         .limits = memory_allocate(memory, count, sizeof(double)),
                         .broken = memory_allocate(memory, count, sizeof(uint8_t)),
                         .laws = memory_allocate(memory, softening, sizeof(struct softening_law)),
                         .remaining = memory_allocate(memory, softening, sizeof(double))};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.nodes != NULL && g.stiffness != NULL && g.rest_lengths != NULL && g.damping != NULL &&
        g.limits != NULL && g.broken != NULL && g.laws != NULL && g.remaining != NULL) {
        gather(scene, softens, &g);
        status = softens ? make_springs(memory, true, count, &g, NULL, NULL, out)
                         : make_brittle(scene, memory, count, &g, out);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.rest_lengths);
    memory_release(memory, g.damping);
    memory_release(memory, g.limits);
    memory_release(memory, g.broken);
    memory_release(memory, g.laws);
    memory_release(memory, g.remaining);
    return status;
}

pbs_status peridynamic_add_terms(const struct scene *scene, struct memory *memory,
                                 struct body_terms *out) {
    RETURN_IF_FAILED(add_springs(scene, memory, false, out));
    return add_springs(scene, memory, true, out);
}

// --- damping ---

static void gather_bond(const struct body *body, size_t b, size_t at, const struct damped *out) {
    damped_put_nodes(body, body->bonds.pairs + 2 * b, at, out);
    out->mu[at] = body->peridynamic.stiffness[b] * body->damping;
    out->broken[at] = body->bonds.broken[b];
}

static size_t count_damped(const struct body *body) {
    return body->bonds.count;
}

const struct damped_elements peridynamic_damped = {
    .shape = STRAIN_LINE, .width = 2, .count = count_damped, .gather = gather_bond};
