// The rotation in the correction of energy control. Internal forces exert no torque where they are
// evaluated, but those at x_n, applied at x', do. That torque is an error of the step and no part
// of the vibration whose energy is to be restored. Scaled by alpha it would turn one into the
// other, step by step. Theory: docs/theory/energy_control.md section 1.1.
// SPDX-License-Identifier: MIT
#include "integrate/energy_control/energy_control_sums.h"

#include <math.h>

#include "base/disjoint_sets.h"
#include "base/matrix3/svd3.h"
#include "base/node_kind.h"
#include "pbs/integrator.h"

static enum node_kind kind_of(const struct energy_step *step, size_t node) {
    const struct layout *const layout = &step->objective->assembly->layout;
    return layout->kind == NULL ? NODE_POSITION : (enum node_kind)layout->kind[layout->row[node]];
}

static struct energy_group *group_of(const struct energy_control *control, size_t node) {
    return &control->groups[control->group[control->body[node]]];
}

// --- pieces ---

/// Joins the rows of the matrix that have a block in common, and nodes with the position that they
/// belong to: the energy of an affine body has its centre alone.
static void join_rows(const struct layout *layout, const struct bsr *pattern, uint32_t *piece) {
    disjoint_sets_begin(piece, pattern->row_count);
    for (uint32_t row = 0; row < pattern->row_count; row++) {
        for (uint32_t k = pattern->row_start[row]; k < pattern->row_start[row + 1]; k++) {
            disjoint_sets_join(piece, row, pattern->column[k]);
        }
        if (!layout_is_position(layout, row)) {
            disjoint_sets_join(piece, row, row - 1);
        }
    }
    disjoint_sets_flatten(piece, pattern->row_count);
}

pbs_status energy_find_whole(struct energy_control *control, struct memory *memory,
                             const struct assembly *assembly) {
    const uint32_t count = assembly->layout.node_count;
    uint32_t *const piece = memory_allocate(memory, count, sizeof *piece);
    uint32_t *const first = control->group;
    if (piece == NULL) {
        return PBS_ERROR_MEMORY;
    }
    join_rows(&assembly->layout, &assembly->pattern, piece);
    for (uint32_t b = 0; b < control->body_count; b++) {
        first[b] = UINT32_MAX;
        control->is_whole[b] = true;
        control->is_torn[b] = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t b = control->body[i], own = piece[assembly->layout.row[i]];
        first[b] = first[b] == UINT32_MAX ? own : first[b];
        control->is_whole[b] = control->is_whole[b] && own == first[b];
    }
    memory_release(memory, piece);
    return PBS_OK;
}

// --- groups ---

/// Whether a joint moves along with its bodies when they move together: none of its sides is a
/// point of space. Then the weights of the nodes in x_b - x_a cancel.
static bool moves_along(const struct energy_step *step, const struct joint *joint) {
    double sum = 0.0;
    for (uint32_t k = 0; k < joint->node_count; k++) {
        sum += kind_of(step, joint->node[k]) == NODE_POSITION ? joint->vectors[JOINT_GAP].weight[k]
                                                              : 0.0;
    }
    return fabs(sum) < 0.5;
}

static void join_groups(struct energy_control *control, const struct energy_step *step) {
    const struct constraint_set *const constraints = step->objective->constraints;
    const struct joint_set *const joints = constraints != NULL ? constraints->joints : NULL;
    disjoint_sets_begin(control->group, control->body_count);
    for (size_t i = 0; joints != NULL && i < joints->count; i++) {
        const struct joint *const joint = &joints->joints[i];
        for (uint32_t k = 1; k < joint->node_count && joint->row_count > 0; k++) {
            disjoint_sets_join(control->group, control->body[joint->node[0]],
                               control->body[joint->node[k]]);
        }
    }
    disjoint_sets_flatten(control->group, control->body_count);
}

/// Only the rotation of a group that nothing holds is an error: pins and joints to space exert
/// torques of their own. Pieces of a body do not turn together. knows_contact: what contact has to
/// do with the correction is known.
static void find_free_groups(struct energy_control *control, const struct energy_step *step,
                             bool knows_contact) {
    const struct constraint_set *const constraints = step->objective->constraints;
    const struct joint_set *const joints = constraints != NULL ? constraints->joints : NULL;
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->groups[b] = (struct energy_group){.turns = true};
    }
    for (uint32_t b = 0; b < control->body_count; b++) {
        const struct energy_body *const body = &control->bodies[b];
        if (!body->falls || !control->is_whole[b] || control->is_torn[b] ||
            (!knows_contact && body->in_contact)) {
            control->groups[control->group[b]].turns = false;
        }
    }
    for (size_t i = 0; joints != NULL && i < joints->count; i++) {
        const struct joint *const joint = &joints->joints[i];
        if (joint->row_count > 0 && !moves_along(step, joint)) {
            group_of(control, joint->node[0])->turns = false;
        }
    }
}

// --- rotations ---

static void find_centers(struct energy_control *control, const struct energy_step *step,
                         const double *x) {
    for (uint32_t b = 0; b < control->body_count; b++) {
        control->groups[b].mass = 0.0;
        scale3(0.0, control->groups[b].center, control->groups[b].center);
    }
    for (size_t i = 0; i < energy_node_count(step); i++) {
        if (kind_of(step, i) == NODE_POSITION) {
            struct energy_group *const group = group_of(control, i);
            add_scaled3(group->center, step->objective->mass[i], x + 3 * i, group->center);
            group->mass += step->objective->mass[i];
        }
    }
    for (uint32_t b = 0; b < control->body_count; b++) {
        struct energy_group *const group = &control->groups[b];
        if (group->mass > 0.0) {
            scale3(1.0 / group->mass, group->center, group->center);
        }
    }
}

/// A node of a group, and how it moves with the group: by omega x arm, or by omega times its radius
/// if it is a rotation.
struct member {
    bool is_rotation;
    double arm[3], radius;
};

static struct member member_at(const struct energy_control *control, const struct energy_step *step,
                               size_t node, const double *x, size_t *rotation) {
    const enum node_kind kind = kind_of(step, node);
    struct member member = {.is_rotation = kind == NODE_ROTATION};
    if (kind == NODE_ROTATION) {
        member.radius = step->rotations->radius[(*rotation)++];
    } else if (kind == NODE_HANDLE) {
        copy3(x + 3 * node, member.arm);
    } else {
        subtract3(x + 3 * node, group_of(control, node)->center, member.arm);
    }
    return member;
}

/// sum += factor times the angular momentum of a node's momentum. That of a rotation is its angular
/// momentum over its radius.
static void add_moment(const struct member *member, double factor, const double momentum[3],
                       double sum[3]) {
    double moment[3];
    if (member->is_rotation) {
        add_scaled3(sum, factor * member->radius, momentum, sum);
    } else {
        cross3(member->arm, momentum, moment);
        add_scaled3(sum, factor, moment, sum);
    }
}

static void add_inertia(const struct member *member, double mass, double inertia[9]) {
    const double square = member->is_rotation ? member->radius * member->radius
                                              : dot3(member->arm, member->arm);
    for (int k = 0; k < 9; k++) {
        inertia[k] += mass *
                      ((k % 4 == 0 ? square : 0.0) - member->arm[k / 3] * member->arm[k % 3]);
    }
}

/// What is added of nodes' momentum: all of them alike, but for those that forget.
struct node_factor {
    double all;
    const bool *forgets; ///< null: none
    double of_those;
};

/// Adds factor times the angular momentum of the velocities v at x to what is missing.
static void add_momentum(struct energy_control *control, const struct energy_step *step,
                         const struct node_factor *factor, const double *x, const double *v) {
    find_centers(control, step, x);
    for (size_t i = 0, r = 0; i < energy_node_count(step); i++) {
        const struct member member = member_at(control, step, i, x, &r);
        const bool forgets = factor->forgets != NULL && factor->forgets[i];
        add_moment(&member, (forgets ? factor->of_those : factor->all) * step->objective->mass[i],
                   v + 3 * i, group_of(control, i)->missing);
    }
}

static void add_momentum_of_stage(struct energy_control *control, const struct energy_step *step,
                                  const struct energy_candidate *c, uint32_t stage) {
    const bool is_forgotten = stage + 2 == c->stage_count;
    const struct node_factor factor = {.all = c->impulse[stage],
                                       .forgets = is_forgotten ? c->forgets : NULL,
                                       .of_those = c->forgotten_impulse};
    if (factor.all != 0.0) {
        add_momentum(control, step, &factor, c->stages[stage].x, c->stages[stage].a);
    }
}

/// The correction's impulse on a node that is not of contact.
static void find_push(const struct energy_control *control, const struct energy_candidate *c,
                      const double *own_next, double mass, size_t node, double push[3]) {
    const double *const own_now = control->own_gradient + 3 * node;
    if (c->weight_next != 0.0) {
        scale3(c->weight_now, own_now, push);
        add_scaled3(push, c->weight_next, own_next + 3 * node, push);
        return;
    }
    scale3(mass, c->correction + 3 * node, push);
    if (c->contact_change != NULL) {
        double force[3];
        subtract3(own_now, c->gradient_now + 3 * node, force);
        subtract3(push, c->contact_change + 3 * node, push);
        add_scaled3(push, -c->correction_now, force, push);
    }
}

/// Adds the torque of the correction, and inertia, at x'.
static void add_torques(struct energy_control *control, const struct energy_step *step,
                        const struct energy_candidate *c, const double *own_next) {
    for (size_t i = 0, r = 0; i < energy_node_count(step); i++) {
        const double mass = step->objective->mass[i];
        const struct member member = member_at(control, step, i, c->x, &r);
        struct energy_group *const group = group_of(control, i);
        double push[3];
        find_push(control, c, own_next, mass, i, push);
        add_moment(&member, 1.0, push, group->torque);
        add_inertia(&member, mass, group->inertia);
    }
}

// Of the largest moment of inertia, and of the distance from the origin, an arm: what is less is
// rounding, of a line or a point.
static const double LEAST_INERTIA = 1e-12, LEAST_ARM = 1e-10;

/// Solves inertia spin = torque. A line of nodes does not turn about itself.
static void find_spin(const struct energy_group *group, const double torque[3], double spin[3]) {
    double u[9], v[9], sigma[3];
    const double arm = LEAST_ARM * norm3(group->center);
    svd3(group->inertia, u, sigma, v);
    const double least = fmax(LEAST_INERTIA * sigma[0], group->mass * arm * arm);
    for (int k = 0; k < 3; k++) {
        const double left[3] = {u[k], u[3 + k], u[6 + k]};
        const double right[3] = {v[k], v[3 + k], v[6 + k]};
        if (fabs(sigma[k]) > least) {
            add_scaled3(spin, dot3(left, torque) / sigma[k], right, spin);
        }
    }
}

static void find_spins(struct energy_control *control, const struct energy_step *step,
                       const struct energy_candidate *c, const double *own_next) {
    add_momentum(control, step, &(struct node_factor){.all = 1.0}, c->x_now, step->velocity_now);
    for (uint32_t i = 0; i < c->stage_count; i++) {
        add_momentum_of_stage(control, step, c, i);
    }
    add_momentum(control, step, &(struct node_factor){.all = -1.0}, c->x, c->v);
    add_torques(control, step, c, own_next);
    for (uint32_t b = 0; b < control->body_count; b++) {
        struct energy_group *const group = &control->groups[b];
        if (control->group[b] == b && group->turns) {
            find_spin(group, group->torque, group->spin);
            find_spin(group, group->missing, group->restored);
        }
    }
}

/// The velocity of a node in a rotation of its group.
static void turn(const struct member *member, const double spin[3], double out[3]) {
    if (member->is_rotation) {
        scale3(member->radius, spin, out);
    } else {
        cross3(spin, member->arm, out);
    }
}

/// Removes from two changes of velocity at a node that touches obstacles what those do not allow.
/// Of an obstacle that moves, the impulses that go with the correction no longer work with alpha.
static void keep_to_obstacle(struct energy_control *control, const struct energy_step *step,
                             size_t active, const struct energy_candidate *c, size_t node,
                             double *correction, double *restored) {
    double removed[3];
    struct energy_sums *const sums = energy_sums_of(control, node);
    sums->reaction -= energy_normal_part(step, active, c->x, correction, removed);
    subtract3(correction, removed, correction);
    sums->work -= energy_normal_part(step, active, c->x, restored, removed);
    subtract3(restored, removed, restored);
}

void energy_separate_rotation(struct energy_control *control, const struct energy_step *step,
                              const struct energy_candidate *c, const double *own_next) {
    const struct projection *const p = step->projection;
    // A-1 is as its paper has it: there the rotation is that of alpha = 1.
    const bool is_fixed = step->settings->choice == PBS_ALPHA_FIXED;
    join_groups(control, step);
    find_free_groups(control, step, c->weight_next != 0.0 || c->contact_change != NULL);
    find_spins(control, step, c, own_next);
    for (size_t i = 0, r = 0, active = 0; i < energy_node_count(step); i++) {
        const struct energy_group *const group = group_of(control, i);
        const struct member member = member_at(control, step, i, c->x, &r);
        double correction[3], restored[3];
        turn(&member, group->spin, correction);
        turn(&member, group->restored, restored);
        if (is_fixed) {
            scale3(-1.0, correction, restored);
        }
        while (active < p->active_count && p->active[active].node < i) {
            active++;
        }
        if (active < p->active_count && p->active[active].node == i &&
            p->slots[p->active[active].slot].active_count > 0) {
            keep_to_obstacle(control, step, active, c, i, correction, restored);
        }
        add3(c->v + 3 * i, restored, c->v + 3 * i);
        subtract3(c->correction + 3 * i, correction, c->correction + 3 * i);
    }
}
