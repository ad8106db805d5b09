// See joint_scene.h.
// SPDX-License-Identifier: MIT
#include "world/model/joint_scene.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/joints/joint.h"
#include "world/objects/body_table.h"

// --- nodes of a joint ---

/// The index of a world's node in the joint, added if it is new.
static uint32_t index_of(struct joint *joint, uint32_t node) {
    uint32_t i = 0;
    while (i < joint->node_count && joint->node[i] != node) {
        i++;
    }
    if (i == joint->node_count) {
        joint->node[i] = node;
        joint->node_count++;
    }
    return i;
}

static void add_to(struct joint_vector *vector, const uint32_t *at, uint32_t count, double factor,
                   const double *weights) {
    for (uint32_t k = 0; k < count; k++) {
        vector->weight[at[k]] += factor * weights[k];
    }
}

/// Adds one side's point and axes. sign: -1 of side a in the gap.
static void add_side(const struct joint_side *side, double sign, uint32_t axes,
                     struct joint *joint) {
    uint32_t at[POINT_NODES] = {0};
    for (uint32_t k = 0; k < side->count; k++) {
        at[k] = index_of(joint, (uint32_t)side->body->node_start + side->node[k]);
    }
    add_to(&joint->vectors[JOINT_GAP], at, side->count, sign, side->weight);
    for (uint32_t a = 0; a < JOINT_AXES; a++) {
        add_to(&joint->vectors[axes + a], at, side->count, 1.0, side->axis_weight[a]);
        copy3(side->axis[a], joint->vectors[axes + a].constant);
    }
}

/// x_b - x_a - sum_k offset_k axis_k of a.
static void subtract_offset(const struct world_joint *own, struct joint *joint) {
    struct joint_vector *const out = &joint->vectors[JOINT_OFFSET_GAP];
    *out = joint->vectors[JOINT_GAP];
    for (int a = 0; a < JOINT_AXES; a++) {
        const struct joint_vector *axis = &joint->vectors[JOINT_A_U + a];
        for (int k = 0; k < JOINT_NODES; k++) {
            out->weight[k] -= own->offset[a] * axis->weight[k];
        }
        add_scaled3(out->constant, -own->offset[a], axis->constant, out->constant);
    }
}

struct joint joint_scene_make(const struct world_joint *own) {
    struct joint joint = world_joint_rows(own);
    add_side(&own->sides[0], -1.0, JOINT_A_U, &joint);
    add_side(&own->sides[1], 1.0, JOINT_B_U, &joint);
    subtract3(own->sides[1].place, own->sides[0].place, joint.vectors[JOINT_GAP].constant);
    subtract_offset(own, &joint);
    return joint;
}

// --- building ---

/// N/m: a sheet that bends is stretched where it would take up another volume.
static double stretching_of(const struct body *body) {
    const bool stretches = body->table == &body_table_shell && body->has_pressure &&
                           body->pressure.kind == PRESSURE_HELD;
    return stretches ? body->shell.young * body->shell.thickness : 0.0;
}

/// About what resists the motion of a node besides inertia, N/m. Affine bodies resist nothing but
/// strain, which rows of joints do not ask for.
static void fill_body(const struct nodes *nodes, const struct body *body, double *out) {
    const double spacing = body->extent / cbrt((double)body->node_count);
    const double stretching = stretching_of(body);
    for (size_t i = body->node_start; i < body->node_start + body->node_count; i++) {
        out[i] = stretching + (spacing > 0.0 ? nodes->stiffness[i] / spacing : 0.0);
    }
}

static void fill_stiffness(const struct scene *scene, double *out) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        fill_body(&scene->nodes, scene_body(scene, b), out);
    }
}

void joint_scene_write_stiffness(struct solver *solver, const struct scene *scene,
                                 const struct body *body) {
    if (solver->constraint_stiffness != NULL) {
        fill_body(&scene->nodes, body, solver->constraint_stiffness);
    }
}

/// Free bodies are in the order of their nodes.
static void mark_body(struct model *model, const struct body *body) {
    size_t low = 0, high = model->free_body_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (model->free_bodies[middle].node_start < body->node_start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < model->free_body_count && model->free_bodies[low].node_start == body->node_start) {
        model->free_bodies[low].is_joined = true;
    }
}

static void mark_joined(struct model *model, const struct scene *scene) {
    for (size_t f = 0; f < model->free_body_count; f++) {
        model->free_bodies[f].is_joined = false;
    }
    for (size_t i = 0; i < scene->joints.count; i++) {
        const struct world_joint *joint = scene_joint(scene, i);
        for (int s = 0; s < 2 && !joint->broken; s++) {
            if (joint->sides[s].body != NULL) {
                mark_body(model, joint->sides[s].body);
            }
        }
    }
}

static size_t count_whole(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->joints.count; i++) {
        count += !scene_joint(scene, i)->broken;
    }
    return count;
}

static pbs_status build_joints(struct solver *solver, const struct scene *scene,
                               struct memory *memory, size_t count) {
    struct joint *joints = memory_allocate(memory, count, sizeof *joints);
    if (joints == NULL) {
        return PBS_ERROR_MEMORY;
    }
    struct joint_breaks *const breaks = &solver->joint_breaks;
    const pbs_status reserved = memory_reserve(memory, &breaks->rows, &breaks->capacity, count,
                                               sizeof *breaks->rows);
    if (reserved < 0) {
        memory_release(memory, joints);
        return reserved;
    }
    size_t next = 0;
    for (size_t i = 0; i < scene->joints.count; i++) {
        const struct world_joint *own = scene_joint(scene, i);
        if (!own->broken) {
            joints[next] = joint_scene_make(own);
            joints[next++].number = (uint32_t)i;
        }
    }
    return joint_set_build(memory, &solver->model.assembly.layout, joints, count, &solver->joints);
}

pbs_status joint_scene_build(struct solver *solver, const struct scene *scene,
                             struct memory *memory) {
    constraint_set_free(memory, &solver->constraints);
    joint_set_free(memory, &solver->joints);
    memory_release(memory, solver->constraint_stiffness);
    solver->constraint_stiffness = NULL;
    solver->joints_are_current = false;
    const size_t count = count_whole(scene);
    mark_joined(&solver->model, scene);
    if (count > 0) {
        RETURN_IF_FAILED(build_joints(solver, scene, memory, count));
    }
    RETURN_IF_FAILED(constraint_set_build(memory, scene->nodes.count, &solver->joints,
                                          solver->model.features[FEATURE_PRESSURE],
                                          &solver->constraints));
    if (!constraint_set_is_empty(&solver->constraints)) {
        solver->constraint_stiffness = memory_allocate(memory, scene->nodes.count,
                                                       sizeof *solver->constraint_stiffness);
        if (solver->constraint_stiffness == NULL) {
            return PBS_ERROR_MEMORY;
        }
        fill_stiffness(scene, solver->constraint_stiffness);
    }
    solver->joints_are_current = true;
    return PBS_OK;
}

// --- motion ---

static void place_in_space(const struct joint_side *side, double fraction, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = fraction == 1.0 ? side->target[k]
                                 : side->place[k] + fraction * (side->target[k] - side->place[k]);
    }
}

/// The velocity of a point in space during the host's step of h seconds; 0 of others.
static void velocity_in_space(const struct joint_side *side, double h, double out[3]) {
    subtract3(side->target, side->place, out);
    scale3(h > 0.0 ? 1.0 / h : 0.0, out, out);
}

void joint_scene_place(const struct solver *solver, const struct scene *scene, double fraction,
                       double h) {
    size_t next = 0;
    for (size_t i = 0; i < scene->joints.count && solver->joints.count > 0; i++) {
        const struct world_joint *own = scene_joint(scene, i);
        if (own->broken) {
            continue;
        }
        struct joint *const joint = &solver->joints.joints[next++];
        double a[3], b[3];
        place_in_space(&own->sides[0], fraction, a);
        place_in_space(&own->sides[1], fraction, b);
        subtract3(b, a, joint->vectors[JOINT_GAP].constant);
        subtract_offset(own, joint);
        velocity_in_space(&own->sides[0], h, a);
        velocity_in_space(&own->sides[1], h, b);
        subtract3(b, a, joint->gap_velocity);
    }
}

static void keep_state(const struct joint *joint, const double *x, struct world_joint *own) {
    struct joint_values values;
    joint_measure(joint, x, &values);
    own->stiffening = joint->stiffening;
    for (uint32_t r = 0; r < joint->row_count; r++) {
        own->multiplier[r] = joint->rows[r].multiplier;
    }
    if (joint_has_angle(joint)) {
        const struct joint_row row = {.form = joint->counted};
        own->angle = joint_quantity(joint, &row, &values);
    }
    for (int s = 0; s < 2; s++) {
        copy3(own->sides[s].target, own->sides[s].place);
    }
}

double joint_scene_rate(const struct joint *joint, const struct joint_row *row,
                        const struct joint_values *values, const double *v) {
    double gradient[JOINT_COORDINATES];
    double sum = 0.0;
    joint_gradient(joint, row, values, gradient);
    for (uint32_t k = 0; k < joint->node_count; k++) {
        sum += dot3(gradient + 3 * (size_t)k, v + 3 * (size_t)joint->node[k]);
    }
    return sum;
}

double joint_scene_force(const struct joint *joint, const struct joint_row *row,
                         const struct joint_values *values, const double *v) {
    return row->use == JOINT_SPRING ? row->stiffness * joint_constraint(joint, row, values, 0.0) +
                                          row->damping * joint_scene_rate(joint, row, values, v)
                                    : row->multiplier;
}

static void add_forces(const struct scene *scene, const struct world_joint *own, double *gradient) {
    const struct joint joint = joint_scene_make(own);
    struct joint_values values;
    joint_measure(&joint, scene->nodes.x, &values);
    for (uint32_t r = 0; r < joint.row_count; r++) {
        const struct joint_row *const row = &joint.rows[r];
        const double force = joint_scene_force(&joint, row, &values, scene->nodes.v);
        double by_node[JOINT_COORDINATES];
        joint_gradient(&joint, row, &values, by_node);
        for (uint32_t k = 0; k < joint.node_count; k++) {
            double *const to = gradient + 3 * (size_t)joint.node[k];
            add_scaled3(to, force, by_node + 3 * (size_t)k, to);
        }
    }
}

void joint_scene_add_forces(const struct scene *scene, double *gradient) {
    for (size_t i = 0; i < scene->joints.count; i++) {
        const struct world_joint *own = scene_joint(scene, i);
        if (!own->broken) {
            add_forces(scene, own, gradient);
        }
    }
}

double joint_scene_spring_energy(const struct scene *scene) {
    double sum = 0.0;
    for (size_t i = 0; i < scene->joints.count; i++) {
        const struct world_joint *own = scene_joint(scene, i);
        if (!own->broken && own->desc.spring_stiffness > 0.0) {
            struct joint joint = joint_scene_make(own);
            const struct joint_set set = {.count = 1, .joints = &joint};
            sum += joint_set_evaluate(&set, scene->nodes.x, true, NULL).elastic;
        }
    }
    return sum;
}

void joint_scene_load(const struct solver *solver, const struct scene *scene) {
    size_t next = 0;
    for (size_t i = 0; i < scene->joints.count && solver->joints.count > 0; i++) {
        const struct world_joint *own = scene_joint(scene, i);
        if (own->broken) {
            continue;
        }
        struct joint *const joint = &solver->joints.joints[next++];
        joint->angle_start = own->angle;
        joint->stiffening = own->stiffening;
        for (uint32_t r = 0; r < joint->row_count; r++) {
            joint->rows[r].multiplier = own->multiplier[r];
        }
    }
}

void joint_scene_land(struct solver *solver, struct scene *scene) {
    size_t next = 0;
    for (size_t i = 0; i < scene->joints.count && solver->joints.count > 0; i++) {
        struct world_joint *const own = scene_joint(scene, i);
        if (!own->broken) {
            keep_state(&solver->joints.joints[next++], solver->workspace.now.x, own);
        }
    }
    for (size_t i = 0; i < solver->joint_breaks.count; i++) {
        const struct joint_break *const row = &solver->joint_breaks.rows[i];
        row->joint->broken = true;
        row->joint->broke_time = row->row.time;
        row->joint->broke_force = row->row.force;
        row->joint->broke_torque = row->row.torque;
    }
    solver->joints_are_current = solver->joints_are_current && solver->joint_breaks.count == 0;
}
