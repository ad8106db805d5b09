// The augmented Lagrangian of all joints; see joint_set.h. Sums run over joints in order of
// creation and are not divided among threads, so that their bits do not depend on these.
// SPDX-License-Identifier: MIT
#include "joints/joint_set.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// rho over the stiffness of the nodes against the row. From 1e3 to 1e6 chains take the same number
// of iterations; less leaves gaps, more leaves fewer digits to the forces.
static const double PENALTY = 1e4;

// The least rho of a limited row, likewise: each update leaves a tenth of what its force lacks.
static const double LEAST_PENALTY = 10.0;

// A motor goes on from where it is, so that what it misses adds up; it may miss this share of the
// tolerance.
static const double MOTOR_SHARE = 0.01;

// Penalties may grow by this much: beyond, rounding of positions makes forces.
static const double STIFFEST = 1e4;

enum { BLOCK = JOINT_COORDINATES * JOINT_COORDINATES, SAVED = 2 + JOINT_ROWS };

// --- memory ---

static pbs_status allocate(struct memory *memory, void *out, size_t count, size_t size) {
    void **const pointer = out;
    *pointer = memory_allocate(memory, count > 0 ? count : 1, size);
    return *pointer != NULL ? PBS_OK : PBS_ERROR_MEMORY;
}

static void sort_by_row(const struct layout *layout, const struct joint *joint, uint32_t *order,
                        uint32_t *rows) {
    for (uint32_t i = 0; i < joint->node_count; i++) {
        const uint32_t row = layout->row[joint->node[i]];
        uint32_t at = i;
        for (; at > 0 && rows[at - 1] > row; at--) {
            rows[at] = rows[at - 1];
            order[at] = order[at - 1];
        }
        rows[at] = row;
        order[at] = i;
    }
}

static pbs_status build_stencils(struct memory *memory, const struct layout *layout,
                                 const struct joint_set *set, uint32_t width,
                                 struct joint_stencils *out) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        count += set->joints[i].node_count == width;
    }
    RETURN_IF_FAILED(allocate(memory, &out->joints, count, sizeof *out->joints));
    RETURN_IF_FAILED(allocate(memory, &out->rows, count * width, sizeof *out->rows));
    RETURN_IF_FAILED(allocate(memory, &out->order, count * width, sizeof *out->order));
    RETURN_IF_FAILED(
        allocate(memory, &out->blocks, count * 9 * width * width, sizeof *out->blocks));
    for (size_t i = 0; i < set->count; i++) {
        if (set->joints[i].node_count == width) {
            out->joints[out->count] = (uint32_t)i;
            sort_by_row(layout, &set->joints[i], out->order + out->count * width,
                        out->rows + out->count * width);
            out->count++;
        }
    }
    return PBS_OK;
}

static pbs_status build(struct memory *memory, const struct layout *layout, struct joint_set *set) {
    const size_t rows = JOINT_ROWS * set->count;
    for (uint32_t width = 1; width <= JOINT_NODES; width++) {
        RETURN_IF_FAILED(build_stencils(memory, layout, set, width, &set->stencils[width - 1]));
    }
    RETURN_IF_FAILED(allocate(memory, &set->saved, SAVED * set->count, sizeof(double)));
    RETURN_IF_FAILED(allocate(memory, &set->kept, SAVED * set->count, sizeof(double)));
    return allocate(memory, &set->jacobian, JOINT_COORDINATES * rows, sizeof(double));
}

pbs_status joint_set_build(struct memory *memory, const struct layout *layout, struct joint *joints,
                           size_t count, struct joint_set *set) {
    *set = (struct joint_set){.count = count, .joints = joints};
    const pbs_status status = count > 0 ? build(memory, layout, set) : PBS_OK;
    if (status < 0) {
        joint_set_free(memory, set);
    }
    return status;
}

void joint_set_free(struct memory *memory, struct joint_set *set) {
    for (int i = 0; i < JOINT_NODES; i++) {
        memory_release(memory, set->stencils[i].joints);
        memory_release(memory, set->stencils[i].rows);
        memory_release(memory, set->stencils[i].order);
        memory_release(memory, set->stencils[i].blocks);
    }
    memory_release(memory, set->joints);
    memory_release(memory, set->saved);
    memory_release(memory, set->kept);
    memory_release(memory, set->jacobian);
    *set = (struct joint_set){0};
}

// --- the function of one row ---

/// A row's force at C, the energy there, and the derivative of the force.
struct row_energy {
    double force, energy, stiffness;
};

static struct row_energy equality(const struct joint_row *row, double c) {
    return (struct row_energy){.force = row->multiplier + row->penalty * c,
                               .energy = (row->multiplier + 0.5 * row->penalty * c) * c,
                               .stiffness = row->penalty};
}

/// P = (max(0, lambda + rho C)^2 - lambda^2) / (2 rho).
static struct row_energy at_most(const struct joint_row *row, double c) {
    const struct row_energy equal = equality(row, c);
    const double spare = -0.5 * row->multiplier * row->multiplier / row->penalty;
    return equal.force > 0.0 ? equal : (struct row_energy){.energy = spare};
}

/// Quadratic while the force is within its limit, linear beyond.
static struct row_energy limited(const struct joint_row *row, double c) {
    const struct row_energy equal = equality(row, c);
    if (fabs(equal.force) <= row->limit) {
        return equal;
    }
    const double force = copysign(row->limit, equal.force);
    const double edge = (force - row->multiplier) / row->penalty;
    return (struct row_energy){.force = force,
                               .energy = equality(row, edge).energy + force * (c - edge)};
}

static struct row_energy spring(const struct joint_row *row, double c, double time) {
    // The damper's force is lagged: the potential of its rate, as that of drag.
    const double rate = time > 0.0 ? row->damping / time : 0.0;
    const double moved = c - row->start;
    return (struct row_energy){.force = row->stiffness * c + rate * moved,
                               .energy = 0.5 * (row->stiffness * c * c + rate * moved * moved),
                               .stiffness = row->stiffness + rate};
}

static struct row_energy evaluate_row(const struct joint_set *set, const struct joint_row *row,
                                      double c) {
    if (row->use == JOINT_SPRING) {
        return spring(row, c, set->time);
    }
    if (row->penalty == 0.0) {
        return (struct row_energy){0.0, 0.0, 0.0};
    }
    switch (row->use) {
    case JOINT_AT_MOST: return at_most(row, c);
    case JOINT_LIMITED: return limited(row, c);
    default: return equality(row, c);
    }
}

static double constraint(const struct joint_set *set, const struct joint *joint,
                         const struct joint_row *row, const struct joint_values *values) {
    return joint_constraint(joint, row, values, set->time);
}

// --- the start of a step and of a stage ---

static void save(const struct joint *joint, double *saved) {
    saved[0] = joint->angle_start;
    saved[1] = joint->stiffening;
    for (uint32_t r = 0; r < JOINT_ROWS; r++) {
        saved[2 + r] = joint->rows[r].multiplier;
    }
}

static void load(const double *saved, struct joint *joint) {
    joint->angle_start = saved[0];
    joint->stiffening = saved[1];
    for (uint32_t r = 0; r < JOINT_ROWS; r++) {
        joint->rows[r].multiplier = saved[2 + r];
    }
}

void joint_set_begin_step(struct joint_set *set, const double *x) {
    set->time = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        struct joint *const joint = &set->joints[i];
        struct joint_values values;
        save(joint, set->saved + SAVED * i);
        joint_measure(joint, x, &values);
        if (joint_has_angle(joint)) {
            const struct joint_row row = {.form = joint->counted};
            joint->angle_start = joint_quantity(joint, &row, &values);
        }
        for (uint32_t r = 0; r < joint->row_count; r++) {
            struct joint_row *const row = &joint->rows[r];
            if (row->use == JOINT_LIMITED) {
                row->target = joint_quantity(joint, row, &values);
            }
            row->start = joint_constraint(joint, row, &values, 0.0);
        }
    }
}

/// rho of a row at C. A motor's force is cut off at its limit, and there H knows no resistance of
/// the row: the next Newton step applies the whole limit, even if a hundredth of it would do. With
/// the full rho the limit is reached some nanometres from C = 0. So rho is small enough that the
/// force at C stays below the limit, and grows as C closes.
static double choose_penalty(const struct joint *joint, const struct joint_row *row, double c) {
    const double most = joint->stiffening * PENALTY * row->resistance;
    if (row->use != JOINT_LIMITED) {
        return most;
    }
    const double spare = row->limit - fabs(row->multiplier);
    return fmin(most, fmax(LEAST_PENALTY * row->resistance, 0.5 * spare / fabs(c)));
}

void joint_set_begin_stage(struct joint_set *set, const struct stage_nodes *stage, double time) {
    set->time = time;
    for (size_t i = 0; i < set->count; i++) {
        struct joint *const joint = &set->joints[i];
        struct joint_values values;
        joint_measure(joint, stage->x, &values);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            struct joint_row *const row = &joint->rows[r];
            double gradient[JOINT_COORDINATES];
            joint_gradient(joint, row, &values, gradient);
            const double soft = stage_nodes_compliance(stage, joint->node_count, joint->node,
                                                       gradient);
            row->resistance = soft > 0.0 ? 1.0 / soft : 0.0;
            row->is_taut = false;
            row->penalty = choose_penalty(joint, row, constraint(set, joint, row, &values));
        }
    }
}

// --- evaluation ---

static void scatter(const struct joint *joint, const double gradient[JOINT_COORDINATES],
                    double factor, double *out) {
    for (uint32_t k = 0; k < joint->node_count; k++) {
        double *const to = out + 3 * (size_t)joint->node[k];
        add_scaled3(to, factor, gradient + 3 * (size_t)k, to);
    }
}

struct joint_energy joint_set_evaluate_joint(const struct joint_set *set, size_t index,
                                             const double *x, bool springs_only, double *gradient) {
    const struct joint *const joint = &set->joints[index];
    struct joint_energy sum = {0.0, 0.0};
    struct joint_values values;
    joint_measure(joint, x, &values);
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *const row = &joint->rows[r];
        if (springs_only && row->use != JOINT_SPRING) {
            continue;
        }
        const struct row_energy own = evaluate_row(set, row, constraint(set, joint, row, &values));
        *(row->use == JOINT_SPRING ? &sum.elastic : &sum.constraint) += own.energy;
        if (gradient != NULL && own.force != 0.0) {
            double by_node[JOINT_COORDINATES];
            joint_gradient(joint, row, &values, by_node);
            scatter(joint, by_node, own.force, gradient);
        }
    }
    return sum;
}

struct joint_energy joint_set_evaluate(const struct joint_set *set, const double *x,
                                       bool springs_only, double *gradient) {
    struct joint_energy sum = {0.0, 0.0};
    for (size_t i = 0; i < set->count; i++) {
        const struct joint_energy own = joint_set_evaluate_joint(set, i, x, springs_only, gradient);
        sum.constraint += own.constraint;
        sum.elastic += own.elastic;
    }
    return sum;
}

// --- the Hessian ---

static void zero_constrained(const struct joint *joint, const uint8_t *constrained_axes,
                             double *gradient) {
    for (uint32_t k = 0; constrained_axes != NULL && k < 3 * joint->node_count; k++) {
        if ((constrained_axes[joint->node[k / 3]] >> k % 3 & 1) != 0) {
            gradient[k] = 0.0;
        }
    }
}

/// The upper triangle of block += factor vector vector^T.
static void add_square(const struct joint *joint, double factor, const double *vector,
                       double *block) {
    for (uint32_t i = 0; i < 3 * joint->node_count; i++) {
        const double scaled = factor * vector[i];
        for (uint32_t j = i; scaled != 0.0 && j < 3 * joint->node_count; j++) {
            block[i * JOINT_COORDINATES + j] += scaled * vector[j];
        }
    }
}

static void zero_constrained_curvature(const struct joint *joint, const uint8_t *constrained_axes,
                                       double *block) {
    for (uint32_t i = 0; constrained_axes != NULL && i < 3 * joint->node_count; i++) {
        if ((constrained_axes[joint->node[i / 3]] >> i % 3 & 1) != 0) {
            for (uint32_t j = 0; j < 3 * joint->node_count; j++) {
                block[i * JOINT_COORDINATES + j] = block[j * JOINT_COORDINATES + i] = 0.0;
            }
        }
    }
}

/// The upper triangle of the Hessian over the joint's nodes. The curvature of constraints is that
/// times lambda, not times lambda + rho C: where C is not closed yet, rho C is of another magnitude
/// than any force and would hold back what moves across it.
static void hessian_of(const struct joint_set *set, const struct joint *joint, const double *x,
                       const uint8_t *constrained_axes, bool semidefinite, double block[BLOCK]) {
    struct joint_values values;
    joint_measure(joint, x, &values);
    memset(block, 0, BLOCK * sizeof *block);
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *const row = &joint->rows[r];
        const struct row_energy own = evaluate_row(set, row, constraint(set, joint, row, &values));
        const double force = row->use == JOINT_SPRING ? own.force : row->multiplier;
        if (own.force != 0.0 && force != 0.0 && !(semidefinite && row->form == JOINT_PRODUCT)) {
            joint_add_curvature(joint, row, &values, force, block);
        }
    }
    zero_constrained_curvature(joint, constrained_axes, block);
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *const row = &joint->rows[r];
        const struct row_energy own = evaluate_row(set, row, constraint(set, joint, row, &values));
        double gradient[JOINT_COORDINATES];
        joint_gradient(joint, row, &values, gradient);
        zero_constrained(joint, constrained_axes, gradient);
        add_square(joint, row->is_taut ? row->penalty : own.stiffness, gradient, block);
    }
}

static double upper(const double *block, uint32_t i, uint32_t j) {
    return i < j ? block[i * JOINT_COORDINATES + j] : block[j * JOINT_COORDINATES + i];
}

static void write_block(const double *block, const uint32_t *order, uint32_t width, double *out) {
    for (uint32_t i = 0; i < 3 * width; i++) {
        for (uint32_t j = 0; j < 3 * width; j++) {
            out[i * 3 * width + j] = upper(block, 3 * order[i / 3] + i % 3,
                                           3 * order[j / 3] + j % 3);
        }
    }
}

void joint_set_linearize(struct joint_set *set, const double *x, const uint8_t *constrained_axes,
                         bool semidefinite, struct contact_stencils *out) {
    for (uint32_t width = 1; width <= JOINT_NODES; width++) {
        struct joint_stencils *const own = &set->stencils[width - 1];
        for (size_t i = 0; i < own->count; i++) {
            double block[BLOCK];
            hessian_of(set, &set->joints[own->joints[i]], x, constrained_axes, semidefinite, block);
            write_block(block, own->order + i * width, width, own->blocks + i * 9 * width * width);
        }
        out[width - 1] = (struct contact_stencils){
            .count = own->count, .width = width, .rows = own->rows, .blocks = own->blocks};
    }
}

void joint_set_add_motion(const struct joint_set *set, const double *x, const double *motion,
                          double *gradient) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        double block[BLOCK];
        hessian_of(set, joint, x, NULL, false, block);
        for (uint32_t a = 0; a < 3 * joint->node_count; a++) {
            double sum = 0.0;
            for (uint32_t b = 0; b < 3 * joint->node_count; b++) {
                sum += upper(block, a, b) * motion[3 * (size_t)joint->node[b / 3] + b % 3];
            }
            gradient[3 * (size_t)joint->node[a / 3] + a % 3] += sum;
        }
    }
}

// --- multipliers ---

/// Constraints are evaluated at x, or are linear from the start of a Newton step to its end.
struct constraint_evaluation {
    const struct joint_step *step; ///< null: at x
    struct joint_values values;    ///< at x, or where the step begins
};

static void begin_evaluation(const struct joint *joint, const struct joint_step *step,
                             const double *x, struct constraint_evaluation *out) {
    out->step = step;
    joint_measure(joint, step != NULL ? step->from : x, &out->values);
}

static double evaluate_constraint(const struct joint_set *set, const struct joint *joint,
                                  const struct joint_row *row,
                                  const struct constraint_evaluation *evaluation) {
    double c = constraint(set, joint, row, &evaluation->values);
    if (evaluation->step != NULL) {
        double gradient[JOINT_COORDINATES];
        joint_gradient(joint, row, &evaluation->values, gradient);
        for (uint32_t k = 0; k < joint->node_count; k++) {
            c += dot3(gradient + 3 * (size_t)k,
                      evaluation->step->direction + 3 * (size_t)joint->node[k]);
        }
    }
    return c;
}

/// The same of one joint as joint_set_gap.
static double gap_of(const struct joint_set *set, const struct joint *joint,
                     const struct constraint_evaluation *evaluation, bool motors) {
    double most = 0.0;
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *const row = &joint->rows[r];
        const bool counts = row->use != JOINT_SPRING && (motors || row->use != JOINT_LIMITED);
        if (counts && row->penalty > 0.0) {
            const double c = evaluate_constraint(set, joint, row, evaluation);
            const double change = evaluate_row(set, row, c).force - row->multiplier;
            const double share = row->use == JOINT_LIMITED ? MOTOR_SHARE : 1.0;
            most = fmax(most, fabs(change) / row->penalty / (share * joint->tolerance));
        }
    }
    return most;
}

double joint_set_gap(const struct joint_set *set, const struct joint_step *step, const double *x,
                     bool motors) {
    double most = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        struct constraint_evaluation evaluation;
        begin_evaluation(&set->joints[i], step, x, &evaluation);
        most = fmax(most, gap_of(set, &set->joints[i], &evaluation, motors));
    }
    return most;
}

struct joint_miss joint_set_widest(const struct joint_set *set, const double *x) {
    struct joint_miss most = {0};
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct constraint_evaluation evaluation;
        begin_evaluation(joint, NULL, x, &evaluation);
        const double share = gap_of(set, joint, &evaluation, false);
        if (share > most.share) {
            most = (struct joint_miss){joint->number, share * joint->tolerance, share};
        }
    }
    return most;
}

/// Changes lambda, and rho as choose_penalty says, and the objective with them.
static double change(const struct joint_set *set, const struct joint *joint, struct joint_row *row,
                     const struct joint_values *values, double multiplier, double *gradient) {
    const double c = constraint(set, joint, row, values);
    const struct row_energy before = evaluate_row(set, row, c);
    row->multiplier = multiplier;
    row->penalty = choose_penalty(joint, row, c);
    const struct row_energy after = evaluate_row(set, row, c);
    if (gradient != NULL) {
        double by_node[JOINT_COORDINATES];
        joint_gradient(joint, row, values, by_node);
        scatter(joint, by_node, after.force - before.force, gradient);
    }
    return after.energy - before.energy;
}

/// Whether a one-sided row pulls at C.
static bool acts(const struct joint_set *set, const struct joint_row *row, double c) {
    return evaluate_row(set, row, c).stiffness > 0.0;
}

bool joint_set_row_is_met(const struct joint_set *set, size_t index, uint32_t row,
                          const struct joint_values *values) {
    const struct joint *const joint = &set->joints[index];
    const struct joint_row *const own = &joint->rows[row];
    return own->is_taut || acts(set, own, constraint(set, joint, own, values));
}

/// Whether a row that does not act at C would at `share` of the way to C = end.
static bool is_met(const struct joint_set *set, const struct joint_row *row, double c, double end,
                   double share) {
    return row->use == JOINT_AT_MOST && row->penalty > 0.0 && !row->is_taut && !acts(set, row, c) &&
           acts(set, row, c + share * (end - c));
}

bool joint_set_foresee(struct joint_set *set, const struct joint_step *step, double share) {
    bool any = false;
    for (size_t i = 0; i < set->count; i++) {
        struct joint *const joint = &set->joints[i];
        struct constraint_evaluation evaluation;
        begin_evaluation(joint, step, NULL, &evaluation);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            struct joint_row *const row = &joint->rows[r];
            const double c = constraint(set, joint, row, &evaluation.values);
            if (is_met(set, row, c, evaluate_constraint(set, joint, row, &evaluation), share)) {
                row->is_taut = any = true;
            }
        }
    }
    return any;
}

void joint_set_forget_taut(struct joint_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        for (uint32_t r = 0; r < set->joints[i].row_count; r++) {
            set->joints[i].rows[r].is_taut = false;
        }
    }
}

bool joint_set_add_taut(const struct joint_set *set, const double *x, double *gradient) {
    bool any = false;
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values;
        joint_measure(joint, x, &values);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            const struct joint_row *const row = &joint->rows[r];
            if (row->is_taut) {
                double by_node[JOINT_COORDINATES];
                joint_gradient(joint, row, &values, by_node);
                scatter(joint, by_node, equality(row, constraint(set, joint, row, &values)).force,
                        gradient);
                any = true;
            }
        }
    }
    return any;
}

bool joint_set_agrees(const struct joint_set *set, const struct joint_step *step) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct constraint_evaluation evaluation;
        begin_evaluation(joint, step, NULL, &evaluation);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            const struct joint_row *const row = &joint->rows[r];
            if (row->use == JOINT_AT_MOST && row->penalty > 0.0) {
                const double before = constraint(set, joint, row, &evaluation.values);
                const double after = evaluate_constraint(set, joint, row, &evaluation);
                if ((row->is_taut || acts(set, row, before)) != acts(set, row, after)) {
                    return false;
                }
            }
        }
    }
    return true;
}

double joint_set_update(struct joint_set *set, const struct joint_step *step, const double *x,
                        double *gradient) {
    double sum = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        struct joint *const joint = &set->joints[i];
        struct joint_values values;
        struct constraint_evaluation evaluation;
        joint_measure(joint, x, &values);
        begin_evaluation(joint, step, x, &evaluation);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            struct joint_row *const row = &joint->rows[r];
            if (row->use != JOINT_SPRING && row->penalty > 0.0) {
                const double c = evaluate_constraint(set, joint, row, &evaluation);
                sum += change(set, joint, row, &values, evaluate_row(set, row, c).force, gradient);
            }
        }
    }
    return sum;
}

void joint_set_remove_penalties(const struct joint_set *set, const double *x, double *gradient) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        struct joint_values values;
        joint_measure(joint, x, &values);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            const struct joint_row *const row = &joint->rows[r];
            if (row->use == JOINT_SPRING || row->use == JOINT_LIMITED || row->penalty == 0.0) {
                continue;
            }
            const double c = constraint(set, joint, row, &values);
            double by_node[JOINT_COORDINATES];
            joint_gradient(joint, row, &values, by_node);
            scatter(joint, by_node, row->multiplier - evaluate_row(set, row, c).force, gradient);
        }
    }
}

double joint_set_miss(const struct joint_set *set, const double *x) {
    double most = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        struct constraint_evaluation evaluation;
        begin_evaluation(&set->joints[i], NULL, x, &evaluation);
        most = fmax(most,
                    gap_of(set, &set->joints[i], &evaluation, false) * set->joints[i].tolerance);
    }
    return most;
}

double joint_set_stiffen(struct joint_set *set, const double *x, double factor, double *gradient) {
    double sum = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        struct joint *const joint = &set->joints[i];
        struct constraint_evaluation evaluation;
        begin_evaluation(joint, NULL, x, &evaluation);
        if (!(gap_of(set, joint, &evaluation, false) > 1.0) || joint->stiffening >= STIFFEST) {
            continue;
        }
        joint->stiffening *= factor;
        for (uint32_t r = 0; r < joint->row_count; r++) {
            struct joint_row *const row = &joint->rows[r];
            if (row->use != JOINT_SPRING) {
                sum += change(set, joint, row, &evaluation.values, row->multiplier, gradient);
            }
        }
    }
    return sum;
}

void joint_set_restore(struct joint_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        load(set->saved + SAVED * i, &set->joints[i]);
    }
}

void joint_set_keep(struct joint_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        save(&set->joints[i], set->kept + SAVED * i);
    }
}

void joint_set_bring_back(struct joint_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        load(set->kept + SAVED * i, &set->joints[i]);
    }
}

void joint_set_break(struct joint_set *set, size_t index) {
    struct joint *const joint = &set->joints[index];
    joint->whole_row_count = joint->row_count;
    joint->row_count = 0;
}

void joint_set_mend(struct joint_set *set, size_t index) {
    set->joints[index].row_count = set->joints[index].whole_row_count;
}

void joint_set_add_start_forces(const struct joint_set *set, const double *x, double *gradient) {
    for (size_t i = 0; i < set->count; i++) {
        const struct joint *const joint = &set->joints[i];
        const double *const multipliers = set->saved + SAVED * i + 2;
        struct joint_values values;
        joint_measure(joint, x, &values);
        for (uint32_t r = 0; r < joint->row_count; r++) {
            double by_node[JOINT_COORDINATES];
            joint_gradient(joint, &joint->rows[r], &values, by_node);
            scatter(joint, by_node, multipliers[r], gradient);
        }
    }
}

// --- what joints did ---

/// The force of a row at C, where a stage has ended: of a constraint lambda.
static double force_of(const struct joint_set *set, const struct joint_row *row, double c) {
    return row->use == JOINT_SPRING ? evaluate_row(set, row, c).force : row->multiplier;
}

/// Power of one row at C. A target that moves does work on the bodies; a spring's damper and a
/// motor that does not keep up dissipate.
static struct joint_power power_of(const struct joint_set *set, const struct joint_row *row,
                                   double c) {
    const double force = force_of(set, row, c);
    struct joint_power power = {.supplied = -force * row->scale * row->rate};
    if (row->use == JOINT_LIMITED && set->time > 0.0) {
        power.dissipated = force * c / set->time;
    } else if (row->use == JOINT_SPRING && set->time > 0.0) {
        const double speed = (c - row->start) / set->time;
        power.dissipated = row->damping * speed * speed;
    }
    return power;
}

struct joint_power joint_set_power(const struct joint_set *set, size_t index, const double *x) {
    const struct joint *const joint = &set->joints[index];
    struct joint_power sum = {0.0, 0.0};
    struct joint_values values;
    joint_measure(joint, x, &values);
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *const row = &joint->rows[r];
        const struct joint_power own = power_of(set, row, constraint(set, joint, row, &values));
        sum.supplied += own.supplied;
        sum.dissipated += own.dissipated;
    }
    if (norm3(joint->gap_velocity) > 0.0) {
        const struct joint_wrench wrench = joint_set_wrench(set, index, x);
        sum.supplied -= dot3(wrench.force, joint->gap_velocity);
    }
    return sum;
}

struct joint_wrench joint_set_wrench(const struct joint_set *set, size_t index, const double *x) {
    const struct joint *const joint = &set->joints[index];
    struct joint_wrench sum = {{0.0}, {0.0}};
    struct joint_values values;
    joint_measure(joint, x, &values);
    for (uint32_t r = 0; r < joint->row_count; r++) {
        const struct joint_row *const row = &joint->rows[r];
        const double c = constraint(set, joint, row, &values);
        joint_add_wrench(joint, row, &values, force_of(set, row, c), &sum);
    }
    return sum;
}
