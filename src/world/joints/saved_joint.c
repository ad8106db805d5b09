// See saved_joint.h. A joint is saved as it was made, since bodies have moved since then.
// SPDX-License-Identifier: MIT
#include "world/joints/saved_joint.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"

static const uint32_t NO_BODY = UINT32_MAX;

// --- lists ---

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(pbs_joint_desc, kind, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, a.kind, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, a.body.id, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, a.index, FIELD_ANY),
    FIELD_VALUES(pbs_joint_desc, a.weights, FIELD_ANY),
    FIELD_VALUES(pbs_joint_desc, a.place, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, b.kind, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, b.body.id, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, b.index, FIELD_ANY),
    FIELD_VALUES(pbs_joint_desc, b.weights, FIELD_ANY),
    FIELD_VALUES(pbs_joint_desc, b.place, FIELD_ANY),
    FIELD_VALUES(pbs_joint_desc, axis, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, lower, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, upper, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, motor_velocity, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, motor_force, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, spring_stiffness, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, spring_damping, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, spring_target, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, break_force, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, break_torque, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, touching, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, tolerance, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, break_tension, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, break_shear, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, break_bending, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, break_torsion, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, swing_limit, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, twist_lower, FIELD_ANY),
    FIELD_VALUE(pbs_joint_desc, twist_upper, FIELD_ANY),
};
static const struct field_list description_fields = FIELD_LIST(pbs_joint_desc, DESCRIPTION_FIELDS);

static const struct field SIDE_FIELDS[] = {
    FIELD_VALUE(struct joint_side, count, FIELD_ANY),
    FIELD_VALUES(struct joint_side, node, FIELD_ANY),
    FIELD_VALUES(struct joint_side, weight, FIELD_FINITE),
    FIELD_ROWS(struct joint_side, axis_weight, FIELD_FINITE),
    FIELD_ROWS(struct joint_side, axis, FIELD_FINITE),
};
static const struct field_list side_fields = FIELD_LIST(struct joint_side, SIDE_FIELDS);

static const struct field SHAPE_FIELDS[] = {
    FIELD_VALUES(struct world_joint, offset, FIELD_FINITE),
    FIELD_VALUES(struct world_joint, targets, FIELD_FINITE),
    FIELD_VALUE(struct world_joint, arm, FIELD_POSITIVE),
};
static const struct field_list shape_fields = FIELD_LIST(struct world_joint, SHAPE_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_VALUES(struct world_joint, sides[0].place, FIELD_ANY),
    FIELD_VALUES(struct world_joint, sides[0].target, FIELD_ANY),
    FIELD_VALUES(struct world_joint, sides[1].place, FIELD_ANY),
    FIELD_VALUES(struct world_joint, sides[1].target, FIELD_ANY),
    FIELD_VALUES(struct world_joint, multiplier, FIELD_FINITE),
    FIELD_VALUE(struct world_joint, angle, FIELD_FINITE),
    FIELD_VALUE(struct world_joint, stiffening, FIELD_POSITIVE),
    FIELD_VALUE(struct world_joint, broken, FIELD_ANY),
    FIELD_VALUE(struct world_joint, broke_time, FIELD_FINITE),
    FIELD_VALUE(struct world_joint, broke_force, FIELD_FINITE),
    FIELD_VALUE(struct world_joint, broke_torque, FIELD_FINITE),
    FIELD_VALUE(struct world_joint, contact_distance, FIELD_FINITE),
};
static const struct field_list state_fields = FIELD_LIST(struct world_joint, STATE_FIELDS);

const struct field_list *const saved_joint_lists[] = {&description_fields, &side_fields,
                                                      &shape_fields, &state_fields, NULL};

// --- descriptions ---

static pbs_status read_description(struct byte_reader *in, struct world_joint *joint) {
    pbs_joint_desc *d = &joint->desc;
    *d = (pbs_joint_desc){
        .struct_size = sizeof *d, .a.struct_size = sizeof d->a, .b.struct_size = sizeof d->b};
    RETURN_IF_FAILED(fields_read_in_place(in, &description_fields, d));
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
    fields_write(out, &side_fields, side);
}

static pbs_status check_side(const struct joint_side *side, bool in_space) {
    bool possible = in_space ? side->count == 0
                             : side->body != NULL && side->count >= 1 && side->count <= POINT_NODES;
    for (uint32_t k = 0; possible && k < side->count; k++) {
        possible = side->node[k] < side->body->node_count;
    }
    return possible ? PBS_OK
                    : status_fail(PBS_ERROR_FORMAT,
                                  "a side has %u nodes, or nodes that its body does not have",
                                  (unsigned)side->count);
}

static pbs_status read_side(struct byte_reader *in, const struct scene *scene,
                            struct joint_side *side) {
    const uint32_t slot = read_u32(in);
    RETURN_IF_FAILED(fields_read_in_place(in, &side_fields, side));
    side->body = slot == NO_BODY ? NULL : body_in(scene, slot);
    return check_side(side, slot == NO_BODY);
}

// --- all together ---

void saved_joint_write(struct byte_writer *out, const struct world_joint *joint) {
    fields_write(out, &description_fields, &joint->desc);
    write_side(out, &joint->sides[0]);
    write_side(out, &joint->sides[1]);
    fields_write(out, &shape_fields, joint);
}

void saved_joint_write_state(struct byte_writer *out, const struct world_joint *joint) {
    fields_write(out, &state_fields, joint);
}

pbs_status saved_joint_read(struct byte_reader *in, const struct scene *scene,
                            struct world_joint *joint) {
    RETURN_IF_FAILED(read_description(in, joint));
    RETURN_IF_FAILED(read_side(in, scene, &joint->sides[0]));
    RETURN_IF_FAILED(read_side(in, scene, &joint->sides[1]));
    RETURN_IF_FAILED(world_joint_check_axes(joint, &joint->desc));
    RETURN_IF_FAILED(fields_read_in_place(in, &shape_fields, joint));
    const double arm = joint->arm;
    if (in->ended || (joint->sides[0].body == NULL && joint->sides[1].body == NULL)) {
        return status_fail(PBS_ERROR_FORMAT, "none of its sides is on a body");
    }
    // Arms follow from the extents of bodies.
    world_joint_measure(joint);
    return joint->arm == arm
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "its arm is %g m, must be %g m", arm, joint->arm);
}

pbs_status saved_joint_read_state(struct byte_reader *in, struct world_joint *joint) {
    RETURN_IF_FAILED(fields_read_in_place(in, &state_fields, joint));
    for (int s = 0; s < 2; s++) {
        RETURN_IF_FAILED(check_point(joint->sides[s].place, "place"));
        RETURN_IF_FAILED(check_point(joint->sides[s].target, "target"));
    }
    return !in->ended && joint->stiffening >= 1.0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "stiffening is %g, must be 1 at least",
                             joint->stiffening);
}
