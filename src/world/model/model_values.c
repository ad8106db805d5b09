// Values of a body that a host has changed, on their way into terms that exist.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "world/model/solver.h"
#include "world/objects/body_table.h"

/// The first element of the term whose first node is not below `node`. Elements are in the order of
/// bodies, as nodes are.
static size_t first_element(const struct term *term, uint32_t node) {
    const struct stencils *stencils = &term->stencils;
    size_t low = 0;
    size_t high = stencils->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (stencils->nodes[middle * stencils->width] < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct term_part part_of(const struct body *body, const struct term *term,
                                const struct stencil_groups *groups) {
    const size_t end = body->node_start + body->node_count;
    const size_t first = first_element(term, (uint32_t)body->node_start);
    return (struct term_part){.term = term,
                              .groups = groups,
                              .first = first,
                              .count = first_element(term, (uint32_t)end) - first};
}

/// Elements as they were gathered when the term was made (strain_damping_terms.c).
static void write_damping(const struct body *body, const struct term_part *part) {
    const struct damped_elements *damped = body->table->damped;
    uint32_t nodes[4];
    double gradients[9];
    double mu, lambda;
    uint8_t broken;
    const struct damped one = {.width = damped->width,
                               .nodes = nodes,
                               .gradients = gradients,
                               .mu = &mu,
                               .lambda = &lambda,
                               .broken = &broken};
    for (size_t k = 0; k < part->count; k++) {
        damped->gather(body, k, 0, &one);
        if (damped->shape == STRAIN_LINE) {
            spring_damping_set_coefficient(part->term->self, part->first + k, mu);
        } else {
            strain_damping_set_moduli(part->term->self, part->groups, part->first + k, mu, lambda);
        }
    }
}

static void write_part(const struct body *body, const struct term_part *part) {
    const struct term_table *table = part->term->table;
    if (table->strains != NULL) {
        write_damping(body, part);
    } else if (body->table->write_values != NULL && !table->is_load) {
        body->table->write_values(body, part);
    }
}

void model_copy_free_fall(const struct body *body, struct free_body *out) {
    out->drag = body->drag;
    out->gravity_scale = body->gravity.scale;
    copy3(body->gravity.added, out->gravity);
}

/// They are in the order of nodes.
static void write_free_body(struct model *model, const struct body *body) {
    size_t low = 0;
    size_t high = model->free_body_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (model->free_bodies[middle].node_start < body->node_start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < model->free_body_count && model->free_bodies[low].node_start == body->node_start) {
        model_copy_free_fall(body, &model->free_bodies[low]);
    }
}

void model_write_gravity(struct model *model, const struct nodes *nodes, const struct body *body) {
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        const double mass = nodes->kind[i] == NODE_POSITION ? nodes->mass[i] : 0.0;
        if (model->gravity_mass != NULL) {
            model->gravity_mass[i] = body->gravity.scale * mass;
        }
        if (model->gravity_weight != NULL) {
            scale3(mass, body->gravity.added, model->gravity_weight + 3 * i);
        }
    }
}

/// Masses and drag by node.
static void write_nodes(struct model *model, const struct nodes *nodes, const struct body *body) {
    const size_t end = body->node_start + body->node_count;
    for (size_t i = body->node_start; i < end && model->drag_rate != NULL; i++) {
        model->drag_rate[i] = body->drag;
    }
    model_write_gravity(model, nodes, body);
}

void model_write_values(struct model *model, const struct nodes *nodes, const struct body *body) {
    const struct stencil_groups *groups = model->assembly.terms;
    for (size_t i = 0; i < model->term_count; i++) {
        const struct term *term = &model->terms[i];
        if (term->has_stencils) {
            const struct term_part part = part_of(body, term, groups++);
            if (part.count > 0) {
                write_part(body, &part);
            }
        }
    }
    write_nodes(model, nodes, body);
    write_free_body(model, body);
}

void model_write_free_fall(struct model *model, const struct nodes *nodes,
                           const struct body *body) {
    model_write_gravity(model, nodes, body);
    write_free_body(model, body);
}
