// Values of a body that a host has changed, on their way into terms that exist.
#include "world/model/topology.h"
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
    if (part->term->table->strains != NULL) {
        write_damping(body, part);
    } else if (body->table->write_values != NULL) {
        body->table->write_values(body, part);
    }
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
        model->free_bodies[low].drag = body->drag;
    }
}

/// Masses and drag by node.
static void write_nodes(struct model *model, const struct nodes *nodes, const struct body *body) {
    const size_t end = body->node_start + body->node_count;
    for (size_t i = body->node_start; i < end && model->drag_rate != NULL; i++) {
        model->drag_rate[i] = body->drag;
    }
    const bool weighs = model->gravity_mass != NULL && !body->no_gravity;
    for (size_t i = body->node_start; i < end && weighs; i++) {
        model->gravity_mass[i] = nodes->kind[i] == NODE_POSITION ? nodes->mass[i] : 0.0;
    }
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
