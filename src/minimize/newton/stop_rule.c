// When a minimisation has converged, decided for each body by the forces that act on it
// (docs/theory/minimization.md section 2).
// SPDX-License-Identifier: MIT

#include "minimize/newton/state.h"

#include <float.h>
#include <math.h>

#include "base/lanes/vector.h"
#include "base/matrix3/math3.h"

// Coordinates are rounded to DBL_EPSILON of their size, which changes forces by at most the largest
// stiffness of the node times that. Nodes err independently, so that a body's sum is a fraction of
// the sum of the largest errors: with all of it thin shells stop 8 % short of their equilibrium,
// with a tenth none is found.
static const double ROUNDING = 0.3;
// Rounding errors of x, of the predictor, and of the sums that the predictor is computed from.
static const double INERTIAL_ROUNDING = 4.0;
// Where the residual has stopped falling rounding errors may be this many times as large.
static const double STALLED_ROUNDING = 3.0;
// Those of contact and joints count up to this fraction of the force that acts on a body. A barrier
// whose gap is a few rounding errors of coordinates is so stiff that they would excuse any
// residual.
static const double COUPLING_ROUNDING = 1e-4;

// A small step may gain this fraction of what the force that acts on a body does along it. The
// energy of a mean node alone is too little for a crumb under a heavy body.
static const double GAIN_SHARE = 1e-2;

// A small step ends a minimisation where the residual's resultant on each body is below
// RESULTANT_SHARE of inertia, or PRESSED_SHARE of contact and joints, whose forces may be much more
// than their sum, and of which a smaller share may be left elsewhere, too: a step of the body as a
// whole that is not taken is momentum that is lost, step after step. Elastic forces and pressure in
// closed surfaces, however large, have no resultant.
static const double RESULTANT_SHARE = 1e-2;
static const double PRESSED_SHARE = 1e-3;

// A search that finds nothing lower has converged if of each body the residual is below
// NOISE_TOLERANCE times its limit, or the predicted decrease is below NOISE_GAIN rounding errors of
// its energy, or the direction is shorter than NOISE_LENGTH rounding errors of its coordinates:
// stiff forces along it are not known more accurately.
static const double NOISE_TOLERANCE = 100.0;
static const double NOISE_GAIN = 4.0;
static const double NOISE_LENGTH = 16.0;

// A step answers PBS_NOT_CONVERGED if rounding hides more than this fraction of the forces that act
// on a body, its own among them.
static const double HIDDEN = 1e-2;

/// Returns scratch for one number per body and quantity.
static pbs_status allocate_sums(struct memory *memory, uint32_t count, double **out) {
    *out = memory_allocate(memory, count, sizeof **out);
    return *out == NULL ? PBS_ERROR_MEMORY : PBS_OK;
}

static pbs_status allocate_forces(struct memory *memory, uint32_t count, struct body_forces *out) {
    RETURN_IF_FAILED(allocate_sums(memory, count, &out->terms));
    RETURN_IF_FAILED(allocate_sums(memory, count, &out->inertia));
    return allocate_sums(memory, count, &out->coupling);
}

static void free_forces(struct memory *memory, struct body_forces *forces) {
    memory_release(memory, forces->terms);
    memory_release(memory, forces->inertia);
    memory_release(memory, forces->coupling);
}

pbs_status stop_rule_reserve(struct memory *memory, const uint32_t *node_bodies,
                             struct newton *newton) {
    struct stop_rule *const rule = &newton->rule;
    const size_t nodes = newton->assembly->layout.node_count;
    RETURN_IF_FAILED(body_ranges_build(memory, node_bodies, nodes, &rule->bodies));
    const uint32_t count = rule->bodies.body_count;
    RETURN_IF_FAILED(allocate_forces(memory, count, &newton->current.forces));
    RETURN_IF_FAILED(allocate_forces(memory, count, &newton->trial.forces));
    RETURN_IF_FAILED(allocate_forces(memory, count, &newton->accepted.forces));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->residual));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->rounding));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->coupling_rounding));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->elastic_rounding));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->extent));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->gain));
    RETURN_IF_FAILED(allocate_sums(memory, count, &rule->kinetic));
    rule->before = memory_allocate(memory, 3 * nodes, sizeof *rule->before);
    return rule->before == NULL ? PBS_ERROR_MEMORY : PBS_OK;
}

void stop_rule_free(struct memory *memory, struct newton *newton) {
    struct stop_rule *const rule = &newton->rule;
    free_forces(memory, &newton->current.forces);
    free_forces(memory, &newton->trial.forces);
    free_forces(memory, &newton->accepted.forces);
    memory_release(memory, rule->residual);
    memory_release(memory, rule->rounding);
    memory_release(memory, rule->coupling_rounding);
    memory_release(memory, rule->elastic_rounding);
    memory_release(memory, rule->extent);
    memory_release(memory, rule->gain);
    memory_release(memory, rule->kinetic);
    memory_release(memory, rule->before);
    body_ranges_free(memory, &rule->bodies);
}

// --- rounding ---

/// Writes the largest stiffness of each node, N/m: of inertia and elasticity to own_rows, of
/// contact and joints to coupling_rows. Constrained axes do not count.
static void measure_stiffness(const struct minimization *m, double *own_rows,
                              double *coupling_rows) {
    const struct objective *const o = m->objective;
    const struct layout *const layout = &o->assembly->layout;
    for (uint32_t i = 0; i < layout->node_count; i++) {
        const uint32_t row = layout->row[i];
        const double *const block = m->newton->hessian.values +
                                    9 * (size_t)o->assembly->pattern.row_start[row];
        const uint8_t axes = o->constrained_axes != NULL ? o->constrained_axes[i] : 0;
        own_rows[row] = coupling_rows[row] = 0.0;
        for (int k = 0; k < 3; k++) {
            const bool is_free = (axes >> k & 1) == 0;
            own_rows[row] = fmax(own_rows[row], is_free ? fabs(block[4 * k]) : 0.0);
        }
    }
    const struct contact_matrix *const c = m->newton->problem.c;
    for (uint32_t i = 0; c != NULL && i < c->row_count; i++) {
        const double *const block = contact_matrix_diagonal(c, i);
        coupling_rows[c->row[i]] = fmax(fabs(block[0]), fmax(fabs(block[4]), fabs(block[8])));
    }
}

/// Returns the size of a node's coordinates, m. Those of a rotation are measured from the
/// orientation at the start of the step, whose rounding error turns the whole radius.
static double coordinate_size(const struct newton *newton, const double *x, uint32_t node) {
    const struct layout *const layout = &newton->assembly->layout;
    const uint32_t row = layout->row[node];
    const double size = norm3(x + 3 * (size_t)node);
    return layout_is_position(layout, row) || layout->kind[row] != NODE_ROTATION
               ? size
               : fmax(size, newton->radius_rows[row]);
}

/// The largest stiffnesses of nodes; null: only inertia counts.
struct stiffness_rows {
    const double *own, *coupling; ///< N/m
};

/// Adds the squared rounding errors of the forces on a node, N^2.
static void add_errors(struct minimization *m, const double *x, const struct stiffness_rows *rows,
                       uint32_t body, uint32_t node) {
    const struct objective *const o = m->objective;
    struct stop_rule *const rule = &m->newton->rule;
    const uint32_t row = o->assembly->layout.row[node];
    const double inertia = o->mass[node] / o->weight;
    const double own = rows != NULL ? rows->own[row] : inertia;
    const double coupling = rows != NULL ? rows->coupling[row] : 0.0;
    const double size = coordinate_size(m->newton, x, node);
    const double error = DBL_EPSILON * size;
    const double by_itself = error * fmax(INERTIAL_ROUNDING * inertia, ROUNDING * own);
    const double coupled = error * ROUNDING * coupling;
    const double elastic = error * ROUNDING * fmax(own + coupling - inertia, 0.0);
    rule->extent[body] = fmax(rule->extent[body], size);
    rule->rounding[body] += by_itself * by_itself;
    rule->coupling_rounding[body] += coupled * coupled;
    rule->elastic_rounding[body] += elastic * elastic;
}

/// Computes the squared rounding errors of the forces on each body, N^2: of inertia and elasticity,
/// of contact and joints, and of all but inertia.
static void measure_errors(struct minimization *m, const double *x,
                           const struct stiffness_rows *rows) {
    struct stop_rule *const rule = &m->newton->rule;
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        rule->rounding[b] = rule->coupling_rounding[b] = 0.0;
        rule->elastic_rounding[b] = rule->extent[b] = 0.0;
    }
    for (size_t i = 0; i < rule->bodies.count; i++) {
        const struct body_range *const range = &rule->bodies.ranges[i];
        for (size_t node = range->begin; node < range->end; node++) {
            add_errors(m, x, rows, range->body, (uint32_t)node);
        }
    }
}

void stop_rule_begin(struct minimization *m, const double *x) {
    struct stop_rule *const rule = &m->newton->rule;
    measure_errors(m, x, NULL);
    double sum = 0.0;
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        sum += rule->rounding[b];
    }
    m->rounding = sqrt(sum);
    m->has_iterated = false;
    m->is_stalled = m->options->is_stalled;
    m->least_norm = INFINITY;
}

void stop_rule_measure_rounding(struct minimization *m) {
    if (m->options->tolerance > 0.0) {
        return;
    }
    double *const own = m->newton->direction_rows;
    double *const coupling = own + m->objective->assembly->layout.node_count;
    measure_stiffness(m, own, coupling);
    measure_errors(m, m->newton->current.x, &(struct stiffness_rows){own, coupling});
}

/// Returns the rounding error of the work that the forces on a body do over the rounding errors of
/// its coordinates, J. Its own energies are less than these forces times coordinates.
static double body_energy_error(const struct minimization *m, uint32_t body) {
    const struct body_forces *const forces = &m->newton->current.forces;
    return DBL_EPSILON * m->newton->rule.extent[body] *
           (sqrt(forces->terms[body]) + sqrt(forces->inertia[body]) + sqrt(forces->coupling[body]));
}

double stop_rule_energy_error(const struct minimization *m) {
    double sum = DBL_EPSILON * objective_magnitude(&m->newton->current.objective);
    for (uint32_t b = 0; b < m->newton->rule.bodies.body_count; b++) {
        sum += body_energy_error(m, b);
    }
    return sum;
}

// --- limits ---

double stop_rule_measure_residual(struct minimization *m) {
    struct newton *const newton = m->newton;
    const struct stop_rule *const rule = &newton->rule;
    double sum = 0.0;
    body_dot(m->objective->tasks, &rule->bodies, newton->gradient, newton->gradient,
             rule->residual);
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        sum += rule->residual[b];
    }
    return sqrt(sum);
}

static double force_of(const double *forces, uint32_t body) {
    return forces != NULL ? forces[body] : 0.0;
}

/// Returns the force that acts on a body, N. Its weight and loads count where they balance other
/// forces node by node, too.
static double acting_force(const struct minimization *m, const struct iterate *at, uint32_t body) {
    return fmax(body_forces_acting(&at->forces, body), force_of(m->options->host_force, body));
}

/// Returns the residual that a body may have by the forces that act on it, N.
static double acting_limit(const struct minimization *m, uint32_t body) {
    const struct newton_options *const options = m->options;
    const double acting = acting_force(m, &m->newton->current, body);
    if (!m->has_iterated) {
        return options->first_share * acting;
    }
    const double scale = fmax(acting, force_of(options->nominal_force, body));
    return fmin(options->relative_tolerance * scale, options->solved_share * acting);
}

static double rounding_of(const struct minimization *m, uint32_t body) {
    const struct stop_rule *const rule = &m->newton->rule;
    const double most = COUPLING_ROUNDING * acting_force(m, &m->newton->current, body);
    const double coupling = fmin(rule->coupling_rounding[body], most * most);
    return (m->is_stalled ? STALLED_ROUNDING : 1.0) * sqrt(rule->rounding[body] + coupling);
}

static double limit_of(const struct minimization *m, uint32_t body) {
    return fmax(acting_limit(m, body), rounding_of(m, body));
}

/// A residual of zero needs no limit. Written so that NaN counts as large.
static double share_of(double residual, double limit) {
    if (residual == 0.0) {
        return 0.0;
    }
    return residual < INFINITY && limit < INFINITY ? residual / limit : INFINITY;
}

struct stop_measure stop_rule_measure(const struct minimization *m) {
    const struct stop_rule *const rule = &m->newton->rule;
    struct stop_measure worst = {.body = UINT32_MAX};
    if (m->options->tolerance > 0.0) {
        worst.residual = m->result.gradient_norm;
        worst.limit = fmax(m->options->tolerance, m->rounding);
        worst.share = share_of(worst.residual, worst.limit);
        return worst;
    }
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        const double residual = sqrt(rule->residual[b]), limit = limit_of(m, b);
        const double share = share_of(residual, limit);
        if (share >= worst.share) {
            worst = (struct stop_measure){b, residual, limit, share};
        }
    }
    return worst;
}

bool minimization_is_solved(const struct minimization *m) {
    if (m->options->tolerance > 0.0) {
        const bool enough = !m->is_inertial_guess || m->result.newton_iterations > 0 ||
                            m->result.gradient_norm == 0.0;
        return enough && stop_rule_measure(m).share < 1.0;
    }
    return stop_rule_measure(m).share <= 1.0;
}

// --- noise ---

static double largest_component(const struct minimization *m, const struct body_range *range) {
    double largest = 0.0;
    for (size_t k = 3 * range->begin; k < 3 * range->end; k++) {
        largest = fmax(largest, fabs(m->newton->direction[k]));
    }
    return largest;
}

/// Writes the largest component of newton->direction for each body to the scratch of sums, m.
static const double *measure_lengths(const struct minimization *m) {
    const struct stop_rule *const rule = &m->newton->rule;
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        rule->kinetic[b] = 0.0;
    }
    for (size_t i = 0; i < rule->bodies.count; i++) {
        const struct body_range *const range = &rule->bodies.ranges[i];
        rule->kinetic[range->body] = fmax(rule->kinetic[range->body], largest_component(m, range));
    }
    return rule->kinetic;
}

/// With a tolerance of the host, which is for all bodies together, so is the noise.
static struct stop_noise noise_of_all(const struct minimization *m, double slope) {
    const struct stop_rule *const rule = &m->newton->rule;
    const double *const lengths = measure_lengths(m);
    double length = 0.0, extent = 0.0;
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        length = fmax(length, lengths[b]);
        extent = fmax(extent, rule->extent[b]);
    }
    const bool is_hidden = slope < 0.0 && -slope < NOISE_GAIN * stop_rule_energy_error(m);
    const bool is_rounding = slope < 0.0 && length <= NOISE_LENGTH * DBL_EPSILON * extent;
    return (struct stop_noise){is_hidden, is_hidden || is_rounding ||
                                              stop_rule_measure(m).share < NOISE_TOLERANCE};
}

struct stop_noise stop_rule_noise(const struct minimization *m, double slope) {
    const struct stop_rule *const rule = &m->newton->rule;
    if (m->options->tolerance > 0.0) {
        return noise_of_all(m, slope);
    }
    body_dot(m->objective->tasks, &rule->bodies, m->newton->gradient, m->newton->direction,
             rule->gain);
    const double *const lengths = measure_lengths(m);
    struct stop_noise noise = {slope < 0.0, true};
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        const double limit = NOISE_TOLERANCE * limit_of(m, b);
        const bool is_solved = share_of(sqrt(rule->residual[b]), limit) < 1.0;
        const bool is_hidden = fabs(rule->gain[b]) <= NOISE_GAIN * body_energy_error(m, b);
        const bool is_rounding = lengths[b] <= NOISE_LENGTH * DBL_EPSILON * rule->extent[b];
        noise.is_hidden = noise.is_hidden && is_hidden;
        noise.has_arrived = noise.has_arrived &&
                            (is_solved || (slope < 0.0 && (is_hidden || is_rounding)));
    }
    return noise;
}

// --- small steps ---

/// Returns the energy in J, as part of E, of a mean node of each body that moves by `length`.
static void mean_kinetic(const struct minimization *m, double length, double *out) {
    const struct objective *const o = m->objective;
    const struct body_ranges *const bodies = &m->newton->rule.bodies;
    double mass = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < bodies->count; i++) {
        const struct body_range *const range = &bodies->ranges[i];
        for (size_t node = range->begin; node < range->end; node++) {
            mass += o->mass[node];
        }
        count += range->end - range->begin;
        out[range->body] = length * length * mass / ((double)count * o->weight);
        if (i + 1 < bodies->count && bodies->ranges[i + 1].body != range->body) {
            mass = 0.0;
            count = 0;
        }
    }
}

bool stop_rule_gain_is_small(const struct minimization *m, double length) {
    const struct newton *const newton = m->newton;
    const struct stop_rule *const rule = &newton->rule;
    body_dot(m->objective->tasks, &rule->bodies, newton->accepted.gradient, newton->direction,
             rule->gain);
    mean_kinetic(m, length, rule->kinetic);
    for (uint32_t b = 0; b < rule->bodies.body_count; b++) {
        const double work = GAIN_SHARE * length * acting_force(m, &newton->accepted, b);
        if (!(-rule->gain[b] <= fmax(rule->kinetic[b], work))) {
            return false;
        }
    }
    return true;
}

/// The sum of a body's residual at the current state over its nodes that are positions and that no
/// obstacle of projection holds, and how large it may be.
struct resultant {
    double force[3];
    size_t nodes;
    size_t active;       ///< the next of the projection's active nodes, which ascend
    uint8_t constrained; ///< axes that some node has constrained
};

static void add_residual(const struct minimization *m, const struct body_range *range,
                         struct resultant *sum) {
    const struct objective *const o = m->objective;
    const struct layout *const layout = &o->assembly->layout;
    const struct projection *const projection = m->projection;
    for (size_t node = range->begin; node < range->end; node++) {
        while (sum->active < projection->active_count &&
               projection->active[sum->active].node < node) {
            sum->active++;
        }
        const bool is_held = sum->active < projection->active_count &&
                             projection->active[sum->active].node == node;
        if (layout_is_position(layout, layout->row[node]) && !is_held) {
            add3(sum->force, m->newton->current.gradient + 3 * node, sum->force);
            sum->nodes++;
            sum->constrained |= o->constrained_axes != NULL ? o->constrained_axes[node] : 0;
        }
    }
}

static bool resultant_is_small(const struct minimization *m, uint32_t body,
                               const struct resultant *sum) {
    const struct body_forces *const forces = &m->newton->current.forces;
    const double limit = fmax(fmax(RESULTANT_SHARE * sqrt(forces->inertia[body]),
                                   PRESSED_SHARE * sqrt(forces->coupling[body])),
                              sqrt((double)sum->nodes) * rounding_of(m, body));
    double squared = 0.0;
    for (size_t k = 0; k < 3; k++) {
        squared += (sum->constrained >> k & 1) == 0 ? sum->force[k] * sum->force[k] : 0.0;
    }
    return squared <= limit * limit;
}

bool stop_rule_resultants_are_small(const struct minimization *m) {
    const struct body_ranges *const bodies = &m->newton->rule.bodies;
    struct resultant sum = {0};
    for (size_t i = 0; i < bodies->count && m->options->tolerance == 0.0; i++) {
        add_residual(m, &bodies->ranges[i], &sum);
        if (i + 1 == bodies->count || bodies->ranges[i + 1].body != bodies->ranges[i].body) {
            if (!resultant_is_small(m, bodies->ranges[i].body, &sum)) {
                return false;
            }
            sum = (struct resultant){.active = sum.active};
        }
    }
    return true;
}

// --- report ---

/// Returns the body whose forces rounding hides most, of those that the host acts on. Rounding of
/// inertia hides nothing: it is that of coordinates, over the square of a short step.
static struct newton_hidden most_hidden(const struct minimization *m) {
    const struct newton_options *const options = m->options;
    const struct stop_rule *const rule = &m->newton->rule;
    struct newton_hidden hidden = {0};
    double largest = HIDDEN;
    for (uint32_t b = 0; b < rule->bodies.body_count && options->tolerance == 0.0; b++) {
        const double rounding = sqrt(rule->elastic_rounding[b]);
        const double force = acting_force(m, &m->newton->current, b);
        if (sqrt(rule->residual[b]) > acting_limit(m, b) &&
            force_of(options->host_force, b) > 0.0 && rounding > largest * force) {
            largest = rounding / force;
            hidden = (struct newton_hidden){.body = b, .rounding = rounding, .force = force};
        }
    }
    return hidden;
}

bool stop_rule_is_rounded(const struct minimization *m) {
    const struct stop_rule *const rule = &m->newton->rule;
    if (m->options->tolerance > 0.0) {
        return m->result.gradient_norm >= m->options->tolerance;
    }
    bool is_rounded = false;
    for (uint32_t b = 0; b < rule->bodies.body_count && !is_rounded; b++) {
        is_rounded = sqrt(rule->residual[b]) > acting_limit(m, b);
    }
    return is_rounded;
}

void stop_rule_report(struct minimization *m) {
    double sum = 0.0;
    for (uint32_t b = 0; b < m->newton->rule.bodies.body_count; b++) {
        const double limit = limit_of(m, b);
        sum += limit * limit;
    }
    m->result.tolerance = m->options->tolerance > 0.0 ? fmax(m->options->tolerance, m->rounding)
                                                      : sqrt(sum);
    m->result.hidden = most_hidden(m);
}
