// What saved worlds contain of every body, whatever its kind. A setting or a state that all kinds
// have is one line in body_fields.c.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_BODY_FIELDS_H
#define PBS_WORLD_OBJECTS_BODY_FIELDS_H

#include "world/interface/fields.h"
#include "world/objects/body.h"

/// Lists of struct body: what the host has described, and what steps change.
extern const struct field_list body_description_fields, body_state_fields;

/// Of a struct contact_load.
extern const struct field_list contact_load_fields;

#endif
