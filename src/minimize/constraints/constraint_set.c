// See constraint_set.h.
// SPDX-License-Identifier: MIT
#include "minimize/constraints/constraint_set.h"

#include <math.h>

static size_t joint_count(const struct constraint_set *set) {
    return set->joints != NULL ? set->joints->count : 0;
}

static bool allocate(struct memory *memory, size_t node_count, struct constraint_set *set) {
    set->rows = memory_allocate(memory, set->row_count, sizeof *set->rows);
    set->residual = memory_allocate(memory, set->row_count, sizeof *set->residual);
    set->direction = memory_allocate(memory, set->row_count, sizeof *set->direction);
    set->product = memory_allocate(memory, set->row_count, sizeof *set->product);
    set->impulse = memory_allocate(memory, set->row_count, sizeof *set->impulse);
    set->node_product = memory_allocate(memory, node_count, 3 * sizeof *set->node_product);
    return set->rows != NULL && set->residual != NULL && set->direction != NULL &&
           set->product != NULL && set->impulse != NULL && set->node_product != NULL;
}

pbs_status constraint_set_build(struct memory *memory, size_t node_count, struct joint_set *joints,
                                struct pressure *volumes, struct constraint_set *set) {
    *set = (struct constraint_set){.joints = joints, .volumes = volumes};
    set->row_count = JOINT_ROWS * joint_count(set) + held_volumes_count(volumes);
    if (set->row_count > 0 && !allocate(memory, node_count, set)) {
        constraint_set_free(memory, set);
        return PBS_ERROR_MEMORY;
    }
    return PBS_OK;
}

void constraint_set_free(struct memory *memory, struct constraint_set *set) {
    memory_release(memory, set->rows);
    memory_release(memory, set->residual);
    memory_release(memory, set->direction);
    memory_release(memory, set->product);
    memory_release(memory, set->impulse);
    memory_release(memory, set->node_product);
    *set = (struct constraint_set){0};
}

bool constraint_set_is_empty(const struct constraint_set *set) {
    return set == NULL || set->row_count == 0;
}

// --- steps and stages ---

void constraint_set_begin_step(struct constraint_set *set, const double *x, double h,
                               double share) {
    if (joint_count(set) > 0) {
        joint_set_begin_step(set->joints, x);
    }
    held_volumes_begin_step(set->volumes, x, h, share);
}

void constraint_set_begin_stage(struct constraint_set *set, const struct stage_nodes *nodes,
                                double time) {
    if (joint_count(set) > 0) {
        joint_set_begin_stage(set->joints, nodes, time);
    }
    held_volumes_begin_stage(set->volumes, nodes, time);
}

void constraint_set_restore(struct constraint_set *set) {
    if (joint_count(set) > 0) {
        joint_set_restore(set->joints);
    }
    held_volumes_restore(set->volumes);
}

void constraint_set_keep(struct constraint_set *set) {
    if (joint_count(set) > 0) {
        joint_set_keep(set->joints);
    }
    held_volumes_keep(set->volumes);
}

void constraint_set_bring_back(struct constraint_set *set) {
    if (joint_count(set) > 0) {
        joint_set_bring_back(set->joints);
    }
    held_volumes_bring_back(set->volumes);
}

// --- multipliers ---

double constraint_set_joint_gap(const struct constraint_set *set, const struct joint_step *step,
                                const double *x, bool motors) {
    return joint_count(set) > 0 ? joint_set_gap(set->joints, step, x, motors) : 0.0;
}

struct joint_miss constraint_set_widest_joint(const struct constraint_set *set, const double *x) {
    return set != NULL && joint_count(set) > 0 ? joint_set_widest(set->joints, x)
                                               : (struct joint_miss){0};
}

bool constraint_set_foresee(struct constraint_set *set, const struct joint_step *step,
                            double share) {
    return set != NULL && joint_count(set) > 0 && joint_set_foresee(set->joints, step, share);
}

void constraint_set_forget_taut(struct constraint_set *set) {
    if (set != NULL && joint_count(set) > 0) {
        joint_set_forget_taut(set->joints);
    }
}

bool constraint_set_agrees(const struct constraint_set *set, const struct joint_step *step) {
    return joint_count(set) == 0 || joint_set_agrees(set->joints, step);
}

double constraint_set_update(struct constraint_set *set, const struct joint_step *step,
                             const double *x, double *gradient) {
    const double joints = joint_count(set) > 0 ? joint_set_update(set->joints, step, x, gradient)
                                               : 0.0;
    return joints + held_volumes_update(set->volumes, step != NULL ? step->from : NULL,
                                        step != NULL ? step->direction : NULL, x, gradient);
}

void constraint_set_remove_penalties(struct constraint_set *set, const double *x,
                                     double *gradient) {
    if (joint_count(set) > 0) {
        joint_set_remove_penalties(set->joints, x, gradient);
    }
    held_volumes_remove_penalties(set->volumes, x, gradient);
}

double constraint_set_miss(const struct constraint_set *set, const double *x) {
    const double joints = joint_count(set) > 0 ? joint_set_miss(set->joints, x) : 0.0;
    return fmax(joints, held_volumes_miss(set->volumes, x));
}

double constraint_set_dissipated_power(const struct constraint_set *set, const double *x) {
    double power = 0.0;
    for (size_t i = 0; i < joint_count(set); i++) {
        power += joint_set_power(set->joints, i, x).dissipated;
    }
    return power;
}

// --- velocities ---

void constraint_set_add_start_forces(const struct constraint_set *set, const double *x,
                                     double *gradient) {
    if (joint_count(set) > 0) {
        joint_set_add_start_forces(set->joints, x, gradient);
    }
    held_volumes_add_start_forces(set->volumes, x, gradient);
}

/// count: of the set's first rows.
static struct row_projection project_with(const struct constraint_set *set, size_t count,
                                          size_t active, const double *mass) {
    return (struct row_projection){.rows = set->rows,
                                   .count = count,
                                   .active_count = active,
                                   .mass = mass,
                                   .residual = set->residual,
                                   .direction = set->direction,
                                   .product = set->product,
                                   .impulse = set->impulse,
                                   .node_product = set->node_product};
}

// Along J(x) gaps shrink quadratically, along J at the stage by the angle between both. A state
// that is far off ends as it is.
enum { RETURNS = 30, RETURNS_ALONG_STAGE = 20 };

double constraint_set_return(struct constraint_set *set, const struct stage_nodes *nodes,
                             double time, double *x) {
    double widest = 0.0;
    for (int i = 0; i <= RETURNS && joint_count(set) > 0; i++) {
        struct stage_nodes at = *nodes;
        at.x = i < RETURNS_ALONG_STAGE ? nodes->x : x;
        const size_t active = joint_set_write_gaps(set->joints, &at, x, time, set->rows,
                                                   set->residual, &widest);
        if (active == 0 || widest <= 0.1 || i == RETURNS) {
            break;
        }
        struct row_projection projection = project_with(set, JOINT_ROWS * joint_count(set), active,
                                                        nodes->mass);
        row_projection_apply(&projection, x);
    }
    return widest;
}

struct joint_miss constraint_set_end_gap(struct constraint_set *set,
                                         const struct stage_nodes *nodes, double time) {
    struct joint_miss most = {0};
    double widest = 0.0;
    if (joint_count(set) > 0) {
        joint_set_write_gaps(set->joints, nodes, nodes->x, time, set->rows, set->residual, &widest);
    }
    for (size_t r = 0; r < JOINT_ROWS * joint_count(set); r++) {
        const struct joint *const joint = &set->joints->joints[r / JOINT_ROWS];
        const double gap = fabs(set->residual[r]);
        if (gap > most.share * joint->tolerance) {
            most = (struct joint_miss){joint->number, gap, gap / joint->tolerance};
        }
    }
    return most;
}

void constraint_set_project_velocity(struct constraint_set *set, const struct stage_nodes *nodes,
                                     double time, double *v) {
    if (joint_count(set) == 0) {
        return;
    }
    const size_t active = joint_set_write_rates(set->joints, nodes, time, v, set->rows,
                                                set->residual);
    if (active > 0) {
        struct row_projection projection = project_with(set, JOINT_ROWS * joint_count(set), active,
                                                        nodes->mass);
        row_projection_apply(&projection, v);
    }
}

/// Adds dJ/dt v to the residuals of all rows.
static void add_velocity_terms(struct constraint_set *set, const struct stage_nodes *nodes,
                               enum joint_acting acting, const double *v) {
    const size_t joint_rows = JOINT_ROWS * joint_count(set);
    if (joint_rows > 0) {
        joint_set_add_velocity_terms(set->joints, v, nodes->x, acting, set->residual);
    }
    held_volumes_add_velocity_terms(set->volumes, v, nodes->x, set->residual + joint_rows);
}

/// Writes the rows of joints and of volumes. Returns how many act.
static size_t write_rows(struct constraint_set *set, const struct stage_nodes *nodes,
                         enum joint_acting acting) {
    const size_t joint_rows = JOINT_ROWS * joint_count(set);
    const size_t active = joint_rows > 0
                              ? joint_set_write_rows(set->joints, nodes, acting, set->rows)
                              : 0;
    return active + held_volumes_write_rows(set->volumes, nodes, set->rows + joint_rows);
}

/// a -= M^-1 J^T (J M^-1 J^T)^-1 residual
static void project_residual(const struct constraint_set *set, size_t active, const double *mass,
                             double *a) {
    struct row_projection projection = project_with(set, set->row_count, active, mass);
    row_projection_apply(&projection, a);
}

void constraint_set_project(struct constraint_set *set, const struct stage_nodes *nodes,
                            const double *v, double *a) {
    const size_t active = write_rows(set, nodes, JOINT_BEARS);
    if (active == 0) {
        return;
    }
    node_rows_multiply(set->rows, set->row_count, a, set->residual);
    if (v != NULL) {
        add_velocity_terms(set, nodes, JOINT_BEARS, v);
    }
    project_residual(set, active, nodes->mass, a);
}

void constraint_set_bend(struct constraint_set *set, const struct stage_nodes *nodes,
                         const double *v, const struct path_acceleration *a, double *out) {
    const size_t joint_rows = JOINT_ROWS * joint_count(set);
    const size_t active = write_rows(set, nodes, JOINT_IS_MET);
    if (active > 0) {
        node_rows_multiply(set->rows, joint_rows, a->mean, set->residual);
        node_rows_multiply(set->rows + joint_rows, set->row_count - joint_rows, a->first,
                           set->residual + joint_rows);
        add_velocity_terms(set, nodes, JOINT_IS_MET, v);
        project_residual(set, active, nodes->mass, out);
    }
}
