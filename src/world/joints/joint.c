// See joint.h.
// SPDX-License-Identifier: MIT
#include "world/joints/joint.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"

// The arm of a joint, in extents of the smaller body: it makes lengths of angles.
static const double ARM = 0.5;
// Of the larger body's extent: how far points may be apart unless the host says otherwise.
static const double TOLERANCE = 1e-8;
// Axes of a frame whose volume is smaller than this, relative to its lengths, are those of a flat
// element.
static const double FLAT = 1e-6;
// rad: no direction is farther from another.
static const double HALF_TURN = 3.141592653589793;

// --- what a host says ---

bool world_joint_has_directed_strengths(const pbs_joint_desc *d) {
    return isfinite(d->break_tension) || isfinite(d->break_shear) || isfinite(d->break_bending) ||
           isfinite(d->break_torsion);
}

static pbs_status check_limits(double lower, double upper, const char *prefix) {
    if (isnan(lower) || isnan(upper) || lower > upper || lower == INFINITY || upper == -INFINITY) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%slower is %g and %supper %g, must be in ascending order, -infinity "
                           "and infinity for none",
                           prefix, lower, prefix, upper);
    }
    return PBS_OK;
}

static pbs_status check_strength(double value, const char *name) {
    return value > 0.0
               ? PBS_OK
               : status_fail(
                     PBS_ERROR_ARGUMENT,
                     "%s is %g, must be positive, or infinity for a joint that never breaks", name,
                     value);
}

static pbs_status check_directed_strengths(const struct joint_table *table,
                                           const pbs_joint_desc *d) {
    RETURN_IF_FAILED(check_strength(d->break_tension, "break_tension"));
    RETURN_IF_FAILED(check_strength(d->break_shear, "break_shear"));
    RETURN_IF_FAILED(check_strength(d->break_bending, "break_bending"));
    RETURN_IF_FAILED(check_strength(d->break_torsion, "break_torsion"));
    return table->has_frames || !world_joint_has_directed_strengths(d)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "a %s joint has no axis: break_tension, break_shear, break_bending "
                             "and break_torsion must be infinite",
                             table->name);
}

static pbs_status check_use(const struct joint_table *table, const pbs_joint_desc *d) {
    const bool limits = isfinite(d->lower) || isfinite(d->upper);
    const bool drives = d->motor_force > 0.0 || d->spring_stiffness > 0.0 ||
                        d->spring_damping > 0.0;
    const bool is_soft_ball = table->coordinate == NULL && table->closes && !limits &&
                              d->motor_force == 0.0 && d->spring_stiffness > 0.0;
    return (limits || drives) && table->coordinate == NULL && !is_soft_ball
               ? status_fail(
                     PBS_ERROR_ARGUMENT,
                     "a %s joint has no coordinate on which limits, a motor or a spring could act",
                     table->name)
               : PBS_OK;
}

/// Whether the angle between the main axes has a limit.
static bool limits_swing(const pbs_joint_desc *d) {
    return d->swing_limit < HALF_TURN;
}

static bool limits_twist(const pbs_joint_desc *d) {
    return isfinite(d->twist_lower) || isfinite(d->twist_upper);
}

/// Whether limits need axes that the kind does without.
static bool limits_turns(const pbs_joint_desc *d) {
    return limits_swing(d) || limits_twist(d);
}

static pbs_status check_turns(const struct joint_table *table, const pbs_joint_desc *d) {
    if (!(d->swing_limit > 0.0) || (d->swing_limit > HALF_TURN && isfinite(d->swing_limit))) {
        return status_fail(
            PBS_ERROR_ARGUMENT,
            "swing_limit is %g, must be above 0 and at most pi, or infinity for none",
            d->swing_limit);
    }
    if (limits_swing(d) && table->limit_swing == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "a %s joint has no swing: swing_limit must be infinite", table->name);
    }
    return table->twist != NULL || !limits_twist(d)
               ? PBS_OK
               : status_fail(
                     PBS_ERROR_ARGUMENT,
                     "a %s joint has no twist: twist_lower and twist_upper must be infinite",
                     table->name);
}

pbs_status world_joint_check(const struct joint_table *table, const pbs_joint_desc *d) {
    RETURN_IF_FAILED(check_limits(d->lower, d->upper, ""));
    RETURN_IF_FAILED(check_limits(d->twist_lower, d->twist_upper, "twist_"));
    RETURN_IF_FAILED(check_turns(table, d));
    RETURN_IF_FAILED(check_finite(d->motor_velocity, "motor_velocity"));
    RETURN_IF_FAILED(check_not_negative(d->motor_force, "motor_force"));
    RETURN_IF_FAILED(check_not_negative(d->spring_stiffness, "spring_stiffness"));
    RETURN_IF_FAILED(check_not_negative(d->spring_damping, "spring_damping"));
    RETURN_IF_FAILED(check_finite(d->spring_target, "spring_target"));
    RETURN_IF_FAILED(check_strength(d->break_force, "break_force"));
    RETURN_IF_FAILED(check_strength(d->break_torque, "break_torque"));
    RETURN_IF_FAILED(check_directed_strengths(table, d));
    RETURN_IF_FAILED(check_choice(d->touching, 0, 1, "touching"));
    RETURN_IF_FAILED(check_not_negative(d->tolerance, "tolerance"));
    return check_use(table, d);
}

// --- axes ---

/// Three columns that are linear in the side's nodes: handles, or edges of a tetrahedron. False if
/// it has none.
static bool frame_of(const struct nodes *nodes, const struct anchor *anchor, bool *is_handles,
                     double columns[9]) {
    const struct point *p = &anchor->point;
    if (p->count != POINT_NODES) {
        return false;
    }
    *is_handles = nodes->kind[p->node[1]] == NODE_HANDLE;
    for (int k = 0; k < 3; k++) {
        double column[3];
        copy3(nodes->x + 3 * (size_t)p->node[k + 1], column);
        if (!*is_handles) {
            subtract3(column, nodes->x + 3 * (size_t)p->node[0], column);
        }
        for (int i = 0; i < 3; i++) {
            columns[3 * i + k] = column[i];
        }
    }
    return true;
}

/// Weights of the nodes whose sum is each axis. False if the point has no frame, or a flat one.
static bool weigh_axes(const struct nodes *nodes, const struct anchor *anchor,
                       const double axes[JOINT_AXES][3], struct joint_side *side) {
    double columns[9], inverse[9] = {0.0};
    bool is_handles = false;
    if (!frame_of(nodes, anchor, &is_handles, columns)) {
        return false;
    }
    double length = 0.0;
    for (int k = 0; k < 9; k++) {
        length = fmax(length, fabs(columns[k]));
    }
    if (!(fabs(determinant3(columns)) > FLAT * length * length * length)) {
        return false;
    }
    invert33(columns, inverse);
    for (int a = 0; a < JOINT_AXES; a++) {
        double c[3];
        multiply3(inverse, axes[a], c);
        side->axis_weight[a][0] = is_handles ? 0.0 : -(c[0] + c[1] + c[2]);
        memcpy(side->axis_weight[a] + 1, c, sizeof c);
    }
    return true;
}

static pbs_status refuse_axes(const struct anchor *anchor, const char *name) {
    return anchor->point.count == POINT_NODES
               ? status_fail(PBS_ERROR_ARGUMENT, "point %s is in a flat element, which has no axes",
                             name)
               : status_fail(PBS_ERROR_ARGUMENT,
                             "point %s has no orientation: this joint needs points of affine "
                             "bodies, in tetrahedra or in space (PBS_POINT_WORLD)",
                             name);
}

/// Right-handed unit vectors, the last along the main axis.
static void make_axes(const double main_axis[3], double axes[JOINT_AXES][3]) {
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    int least = 0;
    scale3(1.0 / norm3(main_axis), main_axis, axes[2]);
    for (int k = 1; k < 3; k++) {
        least = fabs(axes[2][k]) < fabs(axes[2][least]) ? k : least;
    }
    cross3(axes[2], unit[least], axes[0]);
    scale3(1.0 / norm3(axes[0]), axes[0], axes[0]);
    cross3(axes[2], axes[0], axes[1]);
}

static pbs_status check_axis(const double axis[3]) {
    RETURN_IF_FAILED(check_vector(axis, "axis"));
    const double length = norm3(axis);
    return length > 0.0 && isfinite(length)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "axis is (%g, %g, %g), its length must be positive and finite",
                             axis[0], axis[1], axis[2]);
}

// --- the joint ---

/// What a description asks of the axes of both sides.
struct axes_use {
    const double (*axes)[3]; ///< null: none
    bool needed;             ///< false: a side may have none
};

static pbs_status make_side(const struct scene *scene, const pbs_point *point, const char *name,
                            const struct axes_use *use, struct joint_side *side) {
    struct anchor anchor;
    RETURN_IF_FAILED(anchor_resolve(scene, point, name, &anchor));
    *side = (struct joint_side){.body = anchor.body, .count = anchor.point.count};
    copy3(anchor.place, side->place);
    copy3(anchor.place, side->target);
    for (uint32_t k = 0; k < side->count; k++) {
        side->node[k] = anchor.point.node[k] - (uint32_t)anchor.body->node_start;
        side->weight[k] = anchor.point.weight[k];
    }
    if (use->axes == NULL) {
        return PBS_OK;
    }
    if (anchor.body == NULL) {
        memcpy(side->axis, use->axes, sizeof side->axis);
        return PBS_OK;
    }
    return weigh_axes(&scene->nodes, &anchor, use->axes, side) || !use->needed
               ? PBS_OK
               : refuse_axes(&anchor, name);
}

static void position_of(const struct scene *scene, const struct joint_side *side, double out[3]) {
    copy3(side->place, out);
    for (uint32_t k = 0; k < side->count; k++) {
        add_scaled3(out, side->weight[k],
                    scene->nodes.x + 3 * (side->body->node_start + side->node[k]), out);
    }
}

static double extent_of(const struct joint_side *side) {
    return side->body != NULL && side->body->extent > 0.0 ? side->body->extent : 0.0;
}

void world_joint_measure(struct world_joint *joint) {
    const double a = extent_of(&joint->sides[0]), b = extent_of(&joint->sides[1]);
    const double smaller = a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
    joint->arm = smaller > 0.0 ? ARM * smaller : 1.0;
    const double larger = fmax(a, b) > 0.0 ? fmax(a, b) : 1.0;
    joint->tolerance = joint->desc.tolerance > 0.0 ? joint->desc.tolerance : TOLERANCE * larger;
}

static pbs_status check_sides(const struct world_joint *joint) {
    const struct joint_side *a = &joint->sides[0], *b = &joint->sides[1];
    if (a->body == NULL && b->body == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "both points are in space (PBS_POINT_WORLD), one must be on a body");
    }
    if (a->body == b->body && (a->count > 1 || b->count > 1 || a->node[0] == b->node[0])) {
        return status_fail(
            PBS_ERROR_ARGUMENT,
            "both points are on one body, where only two different vertices can be joined");
    }
    return PBS_OK;
}

pbs_status world_joint_make(const struct scene *scene, const pbs_joint_desc *d,
                            struct world_joint *out) {
    const struct joint_table *table = joint_table_find(d->kind);
    if (table == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "kind is %d, which is no PBS_JOINT_*", (int)d->kind);
    }
    RETURN_IF_FAILED(world_joint_check(table, d));
    double axes[JOINT_AXES][3];
    RETURN_IF_FAILED(check_axis(d->axis));
    make_axes(d->axis, axes);
    // A ball has axes where its sides can tell them, as it may be limited later.
    const struct axes_use use = {
        .axes = table->has_frames || table->limit_swing != NULL ? (const double(*)[3])axes : NULL,
        .needed = table->has_frames || limits_turns(d)};
    *out = (struct world_joint){
        .table = table, .desc = *d, .stiffening = 1.0, .contact_distance = -1.0};
    RETURN_IF_FAILED(make_side(scene, &d->a, "a", &use, &out->sides[0]));
    RETURN_IF_FAILED(make_side(scene, &d->b, "b", &use, &out->sides[1]));
    RETURN_IF_FAILED(check_sides(out));
    world_joint_measure(out);
    double a[3], b[3], gap[3];
    position_of(scene, &out->sides[0], a);
    position_of(scene, &out->sides[1], b);
    subtract3(b, a, gap);
    for (int k = 0; k < 3 && table->has_frames; k++) {
        out->offset[k] = dot3(axes[k], gap);
    }
    if (!table->closes && table->has_frames) {
        // Sliders keep the distance from their line that they are made with.
        const struct joint joint = world_joint_rows(out);
        struct joint_values values = {.vector = {{0.0}}};
        copy3(gap, values.vector[JOINT_GAP]);
        for (int k = 0; k < JOINT_AXES; k++) {
            copy3(axes[k], values.vector[JOINT_A_U + k]);
            copy3(axes[k], values.vector[JOINT_B_U + k]);
        }
        for (uint32_t r = 0; r < joint.row_count; r++) {
            out->targets[r] = joint_quantity(&joint, &joint.rows[r], &values);
        }
    }
    return PBS_OK;
}

bool world_joint_uses_axes(const struct world_joint *joint) {
    return joint->table->has_frames || limits_turns(&joint->desc);
}

static bool has_axes(const struct joint_side *side) {
    bool has = norm3(side->axis[JOINT_AXES - 1]) > 0.0;
    for (uint32_t k = 0; k < side->count; k++) {
        has = has || side->axis_weight[JOINT_AXES - 1][k] != 0.0;
    }
    return has;
}

pbs_status world_joint_check_axes(const struct world_joint *joint, const pbs_joint_desc *d) {
    return !limits_turns(d) || (has_axes(&joint->sides[0]) && has_axes(&joint->sides[1]))
               ? PBS_OK
               : status_fail(
                     PBS_ERROR_ARGUMENT,
                     "swing or twist has a limit, but a point of the joint has no orientation");
}

/// Whether the point or an axis that is used of the side depends on its k-th node.
static bool depends_on(const struct joint_side *side, uint32_t k, bool axes) {
    bool depends = side->weight[k] != 0.0;
    for (int a = 0; a < JOINT_AXES && axes; a++) {
        depends = depends || side->axis_weight[a][k] != 0.0;
    }
    return depends;
}

static bool can_move(const struct scene *scene, const struct joint_side *side, bool axes) {
    for (uint32_t k = 0; k < side->count; k++) {
        const size_t node = side->body->node_start + side->node[k];
        if (scene->nodes.constrained_axes[node] != PBS_AXIS_ALL && depends_on(side, k, axes)) {
            return true;
        }
    }
    return false;
}

pbs_status world_joint_check_free(const struct scene *scene, const struct world_joint *joint) {
    const bool axes = world_joint_uses_axes(joint);
    return can_move(scene, &joint->sides[0], axes) || can_move(scene, &joint->sides[1], axes)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "nothing can move the joint: both its points are in space, pinned or "
                             "scripted, and one must be free when it is created");
}

// --- rows ---

static void add_row(struct joint *joint, struct joint_row row, enum joint_use use, double scale,
                    double target) {
    row.use = use;
    row.scale *= scale;
    row.target = target;
    joint->rows[joint->row_count++] = row;
}

static void add_limits(double lower, double upper, const struct joint_row *coordinate,
                       struct joint *joint) {
    if (lower == upper) {
        add_row(joint, *coordinate, JOINT_EQUAL, 1.0, lower);
        return;
    }
    if (isfinite(lower)) {
        add_row(joint, *coordinate, JOINT_AT_MOST, -1.0, lower);
    }
    if (isfinite(upper)) {
        add_row(joint, *coordinate, JOINT_AT_MOST, 1.0, upper);
    }
}

/// Forces, stiffnesses and damping are of the coordinate; those of rows are of metres.
static void add_drives(const pbs_joint_desc *d, const struct joint_row *coordinate,
                       struct joint *joint) {
    const double scale = coordinate->scale;
    if (d->motor_force > 0.0) {
        struct joint_row row = *coordinate;
        row.rate = d->motor_velocity;
        row.limit = d->motor_force / scale;
        add_row(joint, row, JOINT_LIMITED, 1.0, 0.0);
    }
    if (d->spring_stiffness > 0.0 || d->spring_damping > 0.0) {
        struct joint_row row = *coordinate;
        row.stiffness = d->spring_stiffness / (scale * scale);
        row.damping = d->spring_damping / (scale * scale);
        add_row(joint, row, JOINT_SPRING, 1.0, d->spring_target);
    }
}

/// A ball with a stiffness is no constraint.
static void soften(const pbs_joint_desc *d, struct joint *joint) {
    for (uint32_t r = 0; r < joint->row_count; r++) {
        joint->rows[r].use = JOINT_SPRING;
        joint->rows[r].stiffness = d->spring_stiffness;
        joint->rows[r].damping = d->spring_damping;
    }
}

struct joint world_joint_rows(const struct world_joint *joint) {
    const pbs_joint_desc *d = &joint->desc;
    struct joint out = {.arm = joint->arm,
                        .tolerance = joint->tolerance,
                        .stiffening = joint->stiffening,
                        .angle_start = joint->angle};
    joint->table->add_rows(&out);
    for (uint32_t r = 0; r < out.row_count; r++) {
        out.rows[r].target = joint->targets[r];
    }
    if (joint->table->coordinate != NULL) {
        struct joint_row coordinate = {.scale = 1.0};
        joint->table->coordinate(&out, &coordinate);
        out.counted = coordinate.form;
        add_limits(d->lower, d->upper, &coordinate, &out);
        add_drives(d, &coordinate, &out);
    } else if (d->spring_stiffness > 0.0) {
        soften(d, &out);
    }
    if (limits_swing(d)) {
        joint->table->limit_swing(&out, d->swing_limit, &out.rows[out.row_count++]);
    }
    if (limits_twist(d)) {
        struct joint_row twist = {.scale = 1.0};
        joint->table->twist(&out, &twist);
        out.counted = twist.form;
        add_limits(d->twist_lower, d->twist_upper, &twist, &out);
    }
    for (uint32_t r = 0; r < out.row_count; r++) {
        out.rows[r].multiplier = joint->multiplier[r];
    }
    return out;
}

pbs_status world_joint_check_scheme(const struct scheme_table *scheme) {
    return scheme_meets_constraints(scheme)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s does not support joints, which need a scheme with implicit stages "
                             "and without blending",
                             scheme->name);
}

/// Rows of limits and drives that stay keep their forces, so that a host that steers a motor in
/// each step reads its torque, and the next step starts from it.
void world_joint_change(struct world_joint *joint, const pbs_joint_desc *d) {
    const struct joint before = world_joint_rows(joint);
    joint->desc = *d;
    world_joint_measure(joint);
    const struct joint after = world_joint_rows(joint);
    // Turns are counted while there is something that they matter for.
    joint->angle = joint_has_angle(&after) ? joint->angle : 0.0;
    for (uint32_t r = 0; r < JOINT_ROWS; r++) {
        const struct joint_row *was = &before.rows[r], *is = &after.rows[r];
        const bool stays = r < before.row_count && r < after.row_count && was->use == is->use &&
                           was->form == is->form && was->scale == is->scale;
        joint->multiplier[r] = stays ? joint->multiplier[r] : 0.0;
    }
}

bool world_joint_is_apart(const struct world_joint *joint) {
    return joint->desc.touching == 0 && joint->sides[0].body != NULL &&
           joint->sides[1].body != NULL && joint->sides[0].body != joint->sides[1].body;
}

bool world_joint_has(const struct world_joint *joint, const struct body *body) {
    return joint->sides[0].body == body || joint->sides[1].body == body;
}
