// See saved_joint.h. A joint is saved as it was made, since bodies have moved since then.
#include "world/snapshots/saved_joint.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"

static const uint32_t NO_BODY = UINT32_MAX;

// --- descriptions ---

static void write_point(struct byte_writer *out, const pbs_point *point) {
    write_u32(out, (uint32_t)point->kind);
    write_u64(out, point->body.id);
    write_u32(out, point->index);
    write_doubles(out, point->weights, 4);
    write_doubles(out, point->place, 3);
}

static void read_point(struct byte_reader *in, pbs_point *point) {
    *point = (pbs_point){.struct_size = sizeof *point};
    point->kind = (int32_t)read_u32(in);
    point->body.id = read_u64(in);
    point->index = read_u32(in);
    read_doubles(in, point->weights, 4);
    read_doubles(in, point->place, 3);
}

/// The numbers of a description in the order in which they are saved.
enum { NUMBERS = 17 };
static void list_numbers(pbs_joint_desc *d, double *out[NUMBERS]) {
    double *const all[NUMBERS] = {&d->lower,
                                  &d->upper,
                                  &d->motor_velocity,
                                  &d->motor_force,
                                  &d->spring_stiffness,
                                  &d->spring_damping,
                                  &d->spring_target,
                                  &d->break_force,
                                  &d->break_torque,
                                  &d->tolerance,
                                  &d->break_tension,
                                  &d->break_shear,
                                  &d->break_bending,
                                  &d->break_torsion,
                                  &d->swing_limit,
                                  &d->twist_lower,
                                  &d->twist_upper};
    for (int i = 0; i < NUMBERS; i++) {
        out[i] = all[i];
    }
}

static void write_description(struct byte_writer *out, const pbs_joint_desc *d) {
    pbs_joint_desc copy = *d;
    double *numbers[NUMBERS];
    list_numbers(&copy, numbers);
    write_u32(out, (uint32_t)d->kind);
    write_point(out, &d->a);
    write_point(out, &d->b);
    write_doubles(out, d->axis, 3);
    for (int i = 0; i < NUMBERS; i++) {
        write_f64(out, *numbers[i]);
    }
    write_u32(out, (uint32_t)d->touching);
}

static pbs_status read_description(struct byte_reader *in, struct world_joint *joint) {
    pbs_joint_desc *d = &joint->desc;
    double *numbers[NUMBERS];
    *d = (pbs_joint_desc){.struct_size = sizeof *d};
    list_numbers(d, numbers);
    d->kind = (int32_t)read_u32(in);
    read_point(in, &d->a);
    read_point(in, &d->b);
    read_doubles(in, d->axis, 3);
    for (int i = 0; i < NUMBERS; i++) {
        *numbers[i] = read_f64(in);
    }
    d->touching = (int32_t)read_u32(in);
    joint->table = joint_table_find(d->kind);
    return joint->table != NULL
               ? world_joint_check(joint->table, d)
               : status_fail(PBS_ERROR_FORMAT, "kind %d is not known", (int)d->kind);
}

// --- sides ---

static struct body *body_in(const struct scene *scene, uint32_t slot) {
    return slot < scene->bodies.slot_count ? scene->bodies.slots[slot].object : NULL;
}

static void write_side(struct byte_writer *out, const struct joint_side *side) {
    write_u32(out, side->body != NULL ? side->body->slot : NO_BODY);
    write_u32(out, side->count);
    for (int k = 0; k < POINT_NODES; k++) {
        write_u32(out, side->node[k]);
    }
    write_doubles(out, side->weight, POINT_NODES);
    for (int a = 0; a < JOINT_AXES; a++) {
        write_doubles(out, side->axis_weight[a], POINT_NODES);
        write_doubles(out, side->axis[a], 3);
    }
}

static pbs_status check_side(const struct joint_side *side, bool in_space) {
    bool possible = in_space ? side->count == 0
                             : side->body != NULL && side->count >= 1 && side->count <= POINT_NODES;
    for (uint32_t k = 0; possible && k < side->count; k++) {
        possible = side->node[k] < side->body->node_count;
    }
    possible = possible && read_are_finite(side->weight, POINT_NODES);
    for (int a = 0; possible && a < JOINT_AXES; a++) {
        possible = read_are_finite(side->axis_weight[a], POINT_NODES) &&
                   read_are_finite(side->axis[a], 3);
    }
    return possible ? PBS_OK
                    : status_fail(PBS_ERROR_FORMAT,
                                  "a side has %u nodes, or nodes that its body does not have, or "
                                  "weights that are not finite",
                                  (unsigned)side->count);
}

static pbs_status read_side(struct byte_reader *in, const struct scene *scene,
                            struct joint_side *side) {
    const uint32_t slot = read_u32(in);
    side->count = read_u32(in);
    for (int k = 0; k < POINT_NODES; k++) {
        side->node[k] = read_u32(in);
    }
    read_doubles(in, side->weight, POINT_NODES);
    for (int a = 0; a < JOINT_AXES; a++) {
        read_doubles(in, side->axis_weight[a], POINT_NODES);
        read_doubles(in, side->axis[a], 3);
    }
    side->body = slot == NO_BODY ? NULL : body_in(scene, slot);
    return check_side(side, slot == NO_BODY);
}

// --- all together ---

void saved_joint_write(struct byte_writer *out, const struct world_joint *joint) {
    write_description(out, &joint->desc);
    write_side(out, &joint->sides[0]);
    write_side(out, &joint->sides[1]);
    write_doubles(out, joint->offset, 3);
    write_doubles(out, joint->targets, JOINT_ROWS);
    write_f64(out, joint->arm);
}

void saved_joint_write_state(struct byte_writer *out, const struct world_joint *joint) {
    for (int s = 0; s < 2; s++) {
        write_doubles(out, joint->sides[s].place, 3);
        write_doubles(out, joint->sides[s].target, 3);
    }
    write_doubles(out, joint->multiplier, JOINT_ROWS);
    write_f64(out, joint->angle);
    write_f64(out, joint->stiffening);
    write_u32(out, joint->broken);
    write_f64(out, joint->broke_time);
    write_f64(out, joint->broke_force);
    write_f64(out, joint->broke_torque);
    write_f64(out, joint->contact_distance);
}

pbs_status saved_joint_read(struct byte_reader *in, const struct scene *scene,
                            struct world_joint *joint) {
    RETURN_IF_FAILED(read_description(in, joint));
    RETURN_IF_FAILED(read_side(in, scene, &joint->sides[0]));
    RETURN_IF_FAILED(read_side(in, scene, &joint->sides[1]));
    RETURN_IF_FAILED(world_joint_check_axes(joint, &joint->desc));
    read_doubles(in, joint->offset, 3);
    read_doubles(in, joint->targets, JOINT_ROWS);
    const double arm = read_f64(in);
    const bool joins = joint->sides[0].body != NULL || joint->sides[1].body != NULL;
    if (in->ended || !joins || !(arm > 0.0) || !read_are_finite(joint->offset, 3) ||
        !read_are_finite(joint->targets, JOINT_ROWS)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "its sides are incomplete, out of range or not finite");
    }
    // Arms follow from the extents of bodies.
    world_joint_measure(joint);
    return joint->arm == arm
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "its arm is %g m, must be %g m", arm, joint->arm);
}

pbs_status saved_joint_read_state(struct byte_reader *in, struct world_joint *joint) {
    for (int s = 0; s < 2; s++) {
        read_doubles(in, joint->sides[s].place, 3);
        read_doubles(in, joint->sides[s].target, 3);
        RETURN_IF_FAILED(check_point(joint->sides[s].place, "place"));
        RETURN_IF_FAILED(check_point(joint->sides[s].target, "target"));
    }
    read_doubles(in, joint->multiplier, JOINT_ROWS);
    joint->angle = read_f64(in);
    joint->stiffening = read_f64(in);
    RETURN_IF_FAILED(read_flag(in, &joint->broken));
    joint->broke_time = read_f64(in);
    joint->broke_force = read_f64(in);
    joint->broke_torque = read_f64(in);
    joint->contact_distance = read_f64(in);
    const double numbers[] = {joint->angle,       joint->stiffening,   joint->broke_time,
                              joint->broke_force, joint->broke_torque, joint->contact_distance};
    return !in->ended && read_are_finite(numbers, sizeof numbers / sizeof numbers[0]) &&
                   joint->stiffening >= 1.0 && read_are_finite(joint->multiplier, JOINT_ROWS)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "its state is out of range or not finite");
}
