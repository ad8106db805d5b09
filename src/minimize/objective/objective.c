// Sums inertia, terms and lagged damping. The pieces of the sums depend on the number of nodes
// only, so the result does not depend on the number of threads.
// SPDX-License-Identifier: MIT
#include "minimize/objective/objective.h"

#include <math.h>

#include "base/lanes/vector.h"

enum { PIECES = 64 };

// All Hessians are projected on demand from this ratio c E / (density length^2) on: the elastic
// over the inertial stiffness of an element.
static const double STIFF = 10.0;

struct inertia {
    const struct objective *objective;
    const double *x;
    double *gradient; ///< may be null
    double *blocks;   ///< may be null
    double sums[PIECES];
};

static size_t piece_start(const struct inertia *inertia, size_t piece) {
    return inertia->objective->assembly->layout.node_count * piece / PIECES;
}

/// Returns |x - predictor|_M^2 / c over the nodes of one piece, and adds the gradient.
static double add_gradient(const struct inertia *inertia, size_t begin, size_t end) {
    const struct objective *const o = inertia->objective;
    double sum = 0.0;
    for (size_t i = begin; i < end; i++) {
        const double stiffness = o->mass[i] / o->weight;
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            const double offset = inertia->x[k] - o->predictor[k];
            sum += stiffness * offset * offset;
            if (inertia->gradient != NULL) {
                inertia->gradient[k] += stiffness * offset;
            }
        }
    }
    return sum;
}

static void add_diagonal(const struct inertia *inertia, size_t begin, size_t end) {
    const struct objective *const o = inertia->objective;
    for (size_t i = begin; i < end; i++) {
        double *const block = inertia->blocks +
                              9 * o->assembly->pattern.row_start[o->assembly->layout.row[i]];
        for (int k = 0; k < 9; k += 4) {
            block[k] += o->mass[i] / o->weight;
        }
    }
}

static void add_inertia_piece(void *context, size_t piece) {
    struct inertia *const inertia = context;
    const size_t begin = piece_start(inertia, piece);
    const size_t end = piece_start(inertia, piece + 1);
    inertia->sums[piece] = add_gradient(inertia, begin, end);
    if (inertia->blocks != NULL) {
        add_diagonal(inertia, begin, end);
    }
}

static double add_inertia(const struct objective *objective, const double *x, double *gradient,
                          double *blocks) {
    struct inertia inertia = {
        .objective = objective, .x = x, .gradient = gradient, .blocks = blocks};
    tasks_for(objective->tasks, PIECES, add_inertia_piece, &inertia);
    double sum = 0.0;
    for (int i = 0; i < PIECES; i++) {
        sum += inertia.sums[i];
    }
    return 0.5 * sum;
}

static bool has_joints(const struct objective *o) {
    return o->constraints != NULL && o->constraints->joints != NULL &&
           o->constraints->joints->count > 0 && !o->dissipative_only;
}

/// Builds C from the stencils of all contacts and joints.
static void linearize_coupling(const struct objective *o, const double *x,
                               struct objective_result *result) {
    const struct contact_linearization wanted = {.layout = &o->assembly->layout,
                                                 .constrained_axes = o->constrained_axes,
                                                 .with_friction = o->with_friction,
                                                 .semidefinite = o->project_hessian,
                                                 .flat = o->flat_contact};
    struct contact_stencils sets[CONTACT_STENCIL_SETS + JOINT_NODES];
    size_t count = 0;
    result->status = contact_set_linearize(&o->contacts, o->tasks, &wanted, x, sets, &count);
    if (result->status >= 0 && has_joints(o)) {
        joint_set_linearize(o->constraints->joints, x, o->constrained_axes, o->project_hessian,
                            sets + count);
        count += JOINT_NODES;
    }
    if (result->status >= 0 && count > 0) {
        result->matrix = &o->coupling->matrix;
        result->status = contact_matrix_build(o->coupling->memory, &o->assembly->layout, sets,
                                              count, &o->coupling->matrix);
    }
}

/// Adds contact to the result of the terms.
static void add_contact(const struct objective *o, const double *x, bool value, double *gradient,
                        struct objective_result *result) {
    struct contact_energy energy = {0.0, 0.0};
    if (value || gradient != NULL) {
        result->status = contact_set_evaluate(&o->contacts, o->tasks, x, o->with_friction, gradient,
                                              &energy);
    }
    result->contact = energy.potential;
    result->by_kind[ENERGY_CONTACT] += energy.potential;
    result->by_kind[ENERGY_FRICTION] = energy.friction;
    result->value += energy.potential + energy.friction;
    if (result->status < 0) {
        result->answer = EVALUATE_STOP;
    } else if (!isfinite(energy.potential)) {
        result->answer = EVALUATE_RECOVERABLE;
    }
}

static void add_joints(const struct objective *o, const double *x, double *gradient,
                       struct objective_result *result) {
    const struct joint_energy energy = joint_set_evaluate(o->constraints->joints, x,
                                                          o->without_constraints, gradient);
    result->by_kind[ENERGY_CONTACT] += energy.constraint;
    result->by_kind[ENERGY_ELASTIC] += energy.elastic;
    result->value += energy.constraint + energy.elastic;
}

static struct evaluation evaluation_of(const struct objective *objective, const double *x,
                                       uint32_t what) {
    return (struct evaluation){.what = what,
                               .x = x,
                               .stage = objective->stage,
                               .project = objective->project_hessian,
                               .project_shells = objective->project_shells,
                               .project_bonds = objective->project_bonds,
                               .dissipative_only = objective->dissipative_only,
                               .without_constraints = objective->without_constraints};
}

const struct product_operator *objective_products(const struct objective *objective,
                                                  const double *x) {
    const struct evaluation evaluation = evaluation_of(objective, x, EVALUATE_HESSIAN);
    return terms_products(objective->tasks, objective->terms, objective->term_count, &evaluation);
}

bool objective_searches_contact(const struct objective *o) {
    return contact_set_has_potential(&o->contacts) && !contact_set_bounds(&o->contacts);
}

/// Adds joints to the result, and contact unless everything else exceeds the ceiling.
static void add_coupling(const struct objective *o, const double *x, bool value, double ceiling,
                         double *gradient, struct objective_result *result) {
    if (has_joints(o)) {
        add_joints(o, x, gradient, result);
    }
    result->is_partial = result->value > ceiling && contact_set_has_potential(&o->contacts);
    if (o->contacts.count > 0 && !result->is_partial) {
        add_contact(o, x, value, gradient, result);
    }
}

/// Adds inertia, joints and contact, and measures what each adds to the gradient of the terms.
static void add_measured(const struct objective *o, const double *x, double ceiling,
                         double *gradient, const struct body_forces_output *out,
                         struct objective_result *result) {
    const size_t count = 3 * (size_t)o->assembly->layout.node_count;
    body_dot(o->tasks, out->ranges, gradient, gradient, out->forces.terms);
    vector_copy(o->tasks, count, gradient, out->before);
    result->value += add_inertia(o, x, gradient, NULL);
    body_distance_squared(o->tasks, out->ranges, gradient, out->before, out->forces.inertia);
    vector_copy(o->tasks, count, gradient, out->before);
    add_coupling(o, x, true, ceiling, gradient, result);
    body_distance_squared(o->tasks, out->ranges, gradient, out->before, out->forces.coupling);
}

static struct objective_result evaluate(const struct objective *objective, const double *x,
                                        bool value, double ceiling, double *gradient,
                                        double *blocks, const struct body_forces_output *forces) {
    const struct evaluation evaluation = evaluation_of(
        objective, x,
        (value ? EVALUATE_VALUE : 0U) | (gradient != NULL ? EVALUATE_GRADIENT : 0U) |
            (blocks != NULL ? EVALUATE_HESSIAN : 0U));
    struct terms_result terms = {
        .gradient = gradient, .blocks = blocks, .scratch = objective->scratch};
    struct objective_result result = {.value = INFINITY};
    result.answer = terms_evaluate(objective->tasks, objective->assembly, objective->terms,
                                   objective->term_count, &evaluation, &terms);
    if (result.answer != EVALUATE_OK) {
        return result;
    }
    if (objective->damping != NULL) {
        rayleigh_add(objective->damping, objective->tasks, objective->assembly, &evaluation,
                     &terms);
    }
    for (int i = 0; i < ENERGY_KIND_COUNT; i++) {
        result.by_kind[i] = terms.by_kind[i];
    }
    result.value = terms.value;
    if (forces != NULL) {
        add_measured(objective, x, ceiling, gradient, forces, &result);
    } else {
        result.value += add_inertia(objective, x, gradient, blocks);
        add_coupling(objective, x, value, ceiling, gradient, &result);
    }
    if (blocks != NULL && result.answer == EVALUATE_OK) {
        linearize_coupling(objective, x, &result);
        result.answer = result.status < 0 ? EVALUATE_STOP : EVALUATE_OK;
    }
    return result;
}

struct objective_result objective_evaluate(const struct objective *objective, const double *x,
                                           bool value, double *gradient, double *blocks) {
    return evaluate(objective, x, value, INFINITY, gradient, blocks, NULL);
}

struct objective_result objective_evaluate_below(const struct objective *objective, const double *x,
                                                 double ceiling, double *gradient,
                                                 const struct body_forces_output *forces) {
    return evaluate(objective, x, true, ceiling, gradient, NULL, forces);
}

bool objective_projects_on_demand(const struct objective *objective) {
    return !objective->project_hessian && objective->weight * objective->least_stiffness >= STIFF;
}

struct objective objective_on_demand(const struct objective *objective) {
    struct objective result = *objective;
    result.project_bonds = result.project_bonds || result.bonds_on_demand;
    result.project_hessian = result.project_hessian || objective_projects_on_demand(objective);
    return result;
}

double objective_magnitude(const struct objective_result *result) {
    double inertia = result->value;
    double sum = 0.0;
    for (int i = 0; i < ENERGY_KIND_COUNT; i++) {
        inertia -= result->by_kind[i];
        sum += fabs(result->by_kind[i]);
    }
    return sum + fabs(inertia);
}

double objective_max_step(const struct objective *objective, const double *x,
                          const double *direction, double limit) {
    return terms_max_step(objective->tasks, objective->assembly, objective->terms,
                          objective->term_count, x, direction, limit, objective->scratch);
}

bool objective_has_limits(const struct objective *objective) {
    bool any = false;
    for (size_t i = 0; i < objective->term_count; i++) {
        any = any || objective->terms[i].table->is_limit;
    }
    return any;
}

pbs_status objective_sweep(const struct objective *objective, const double *x,
                           const double *direction, double limit, double *step) {
    return contact_set_bound(&objective->contacts, objective->tasks, x, direction, limit, step);
}
