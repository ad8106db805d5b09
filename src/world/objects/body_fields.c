// See body_fields.h.
// SPDX-License-Identifier: MIT
#include "world/objects/body_fields.h"

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(struct body, contact.touches_itself, FIELD_ANY),
    FIELD_VALUE(struct body, contact.friction, FIELD_ANY),
    FIELD_VALUE(struct body, contact.offset, FIELD_ANY),
    FIELD_VALUE(struct body, contact.surface_material, FIELD_ANY),
    FIELD_VALUE(struct body, contact.group, FIELD_ANY),
    FIELD_VALUE(struct body, contact.mask, FIELD_ANY),
    FIELD_VALUE(struct body, contact.rolling_friction, FIELD_ANY),
    FIELD_VALUE(struct body, contact.spinning_friction, FIELD_ANY),
    FIELD_VALUE(struct body, contact.penalty_stiffness, FIELD_ANY),
    FIELD_VALUE(struct body, contact_inset, FIELD_NOT_NEGATIVE),
};
const struct field_list body_description_fields = FIELD_LIST(struct body, DESCRIPTION_FIELDS);

static const struct field LOAD_FIELDS[] = {
    FIELD_VALUES(struct contact_load, force, FIELD_FINITE),
    FIELD_VALUES(struct contact_load, friction, FIELD_FINITE),
    FIELD_VALUES(struct contact_load, torque, FIELD_FINITE),
    FIELD_VALUES(struct contact_load, impulse, FIELD_FINITE),
    FIELD_VALUES(struct contact_load, angular_impulse, FIELD_FINITE),
};
const struct field_list contact_load_fields = FIELD_LIST(struct contact_load, LOAD_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_VALUE(struct body, user_data, FIELD_ANY),
    FIELD_VALUE(struct body, barrier.stiffness, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct body, barrier.load, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct body, barrier.next_load, FIELD_NOT_NEGATIVE),
};
const struct field_list body_state_fields = FIELD_LIST(struct body, STATE_FIELDS);
