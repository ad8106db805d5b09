// See joint_table.h.
// SPDX-License-Identifier: MIT
#include "joints/joint_table.h"

static const struct joint_table *const TABLES[] = {
    &joint_table_ball,   &joint_table_weld,     &joint_table_hinge,
    &joint_table_slider, &joint_table_cylinder, &joint_table_distance,
};

const struct joint_table *joint_table_find(int32_t id) {
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) {
        if (TABLES[i]->id == id) {
            return TABLES[i];
        }
    }
    return NULL;
}

void joint_add_components(struct joint *joint, enum joint_vector_name vector) {
    for (int axis = 0; axis < 3; axis++) {
        joint->rows[joint->row_count++] = (struct joint_row){
            .form = JOINT_COMPONENT, .first = vector, .axis = axis, .scale = 1.0};
    }
}

void joint_add_product(struct joint *joint, enum joint_vector_name first,
                       enum joint_vector_name second, double scale) {
    joint->rows[joint->row_count++] = (struct joint_row){
        .form = JOINT_PRODUCT, .first = first, .second = second, .scale = scale};
}

void joint_add_parallel_axes(struct joint *joint) {
    joint_add_product(joint, JOINT_B_T, JOINT_A_U, joint->arm);
    joint_add_product(joint, JOINT_B_T, JOINT_A_V, joint->arm);
}

void joint_add_orientation(struct joint *joint) {
    joint_add_parallel_axes(joint);
    joint_add_product(joint, JOINT_B_U, JOINT_A_V, joint->arm);
}

void joint_add_line(struct joint *joint) {
    joint_add_product(joint, JOINT_GAP, JOINT_A_U, 1.0);
    joint_add_product(joint, JOINT_GAP, JOINT_A_V, 1.0);
}

void joint_slide(const struct joint *joint, struct joint_row *out) {
    (void)joint;
    out->form = JOINT_PRODUCT;
    out->first = JOINT_GAP;
    out->second = JOINT_A_T;
    out->scale = 1.0;
}
