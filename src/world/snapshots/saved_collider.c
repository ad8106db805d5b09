// See saved_collider.h.
// SPDX-License-Identifier: MIT
#include "world/snapshots/saved_collider.h"

#include "world/contact_scenes/contact_kind.h"
#include "world/interface/check.h"
#include "world/objects/body_fields.h"

/// A description whose samples are counted. The pose is part of the state.
struct saved_collider {
    pbs_collider_desc desc;
    size_t sample_count;
};

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(struct saved_collider, desc.shape, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.hollow, FIELD_ANY),
    FIELD_VALUES(struct saved_collider, desc.size, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.friction, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.surface_material, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.group, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.mask, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.collision, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.penalty_stiffness, FIELD_ANY),
    FIELD_COUNT(struct saved_collider, desc.vertex_count),
    FIELD_ARRAY(struct saved_collider, desc.vertices, desc.vertex_count, 3, FIELD_ANY),
    FIELD_COUNT(struct saved_collider, desc.triangle_count),
    FIELD_ARRAY(struct saved_collider, desc.triangles, desc.triangle_count, 3, FIELD_ANY),
    FIELD_COUNT(struct saved_collider, desc.edge_count),
    FIELD_ARRAY(struct saved_collider, desc.edges, desc.edge_count, 2, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.grid_interpolation, FIELD_ANY),
    FIELD_VALUES(struct saved_collider, desc.grid_origin, FIELD_ANY),
    FIELD_VALUE(struct saved_collider, desc.grid_cell, FIELD_ANY),
    FIELD_VALUES(struct saved_collider, desc.grid_counts, FIELD_ANY),
    FIELD_COUNT(struct saved_collider, sample_count),
    FIELD_ARRAY(struct saved_collider, desc.grid_samples, sample_count, 1, FIELD_ANY),
};
static const struct field_list description_fields = FIELD_LIST(struct saved_collider,
                                                               DESCRIPTION_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_VALUE(struct collider, user_data, FIELD_ANY),
    FIELD_VALUES(struct collider, desc.position, FIELD_ANY),
    FIELD_VALUES(struct collider, desc.orientation, FIELD_ANY),
    FIELD_VALUE(struct collider, moving, FIELD_ANY),
    FIELD_VALUES(struct collider, target_position, FIELD_ANY),
    FIELD_VALUES(struct collider, target_orientation, FIELD_ANY),
    FIELD_VALUES(struct collider, velocity, FIELD_FINITE),
    FIELD_VALUES(struct collider, angular_velocity, FIELD_FINITE),
};
static const struct field_list state_fields = FIELD_LIST(struct collider, STATE_FIELDS);

const struct field_list *const saved_collider_lists[] = {&description_fields, &state_fields, NULL};

// --- writing ---

void saved_collider_write(struct byte_writer *out, const struct collider *collider) {
    const struct saved_collider saved = {.desc = collider->desc,
                                         .sample_count = collider_sample_count(&collider->desc)};
    write_u32(out, collider->slot);
    fields_write(out, &description_fields, &saved);
}

void saved_collider_write_state(struct byte_writer *out, const struct collider *collider) {
    fields_write(out, &state_fields, collider);
    fields_write(out, &contact_load_fields, &collider->load);
    saved_move_write(out, collider->moved_by);
}

void saved_move_write(struct byte_writer *out, const char *moved_by) {
    write_u32(out, moved_by != NULL);
}

// --- reading ---

pbs_status saved_move_read(struct byte_reader *in, const char **moved_by) {
    bool moved = false;
    RETURN_IF_FAILED(read_flag(in, &moved));
    *moved_by = moved ? "placed before the world was saved" : NULL;
    return PBS_OK;
}

static pbs_status check_mesh_arrays(const pbs_collider_desc *d) {
    return d->shape == PBS_SHAPE_MESH || d->vertex_count + d->triangle_count + d->edge_count == 0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "shape %d has a mesh", (int)d->shape);
}

static pbs_status check_grid(const struct saved_collider *saved) {
    const pbs_collider_desc *const d = &saved->desc;
    double product = d->shape == PBS_SHAPE_GRID ? 1.0 : 0.0;
    for (int k = 0; k < 3; k++) {
        product *= d->grid_counts[k];
    }
    return product == (double)saved->sample_count
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "%zu samples, must be %u x %u x %u",
                             saved->sample_count, (unsigned)d->grid_counts[0],
                             (unsigned)d->grid_counts[1], (unsigned)d->grid_counts[2]);
}

pbs_status saved_collider_read(struct byte_reader *in, struct memory *memory,
                               const pbs_world_desc *settings, struct collider *collider) {
    struct saved_collider saved = {
        .desc = {.struct_size = sizeof saved.desc, .orientation = {0.0, 0.0, 0.0, 1.0}}};
    const pbs_status status = fields_read(in, memory, &description_fields, &saved);
    collider->desc = saved.desc;
    double unit[4];
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_mesh_arrays(&saved.desc));
    RETURN_IF_FAILED(check_grid(&saved));
    RETURN_IF_FAILED(contact_kind_check_collider(settings, &collider->desc));
    RETURN_IF_FAILED(collider_check(&collider->desc, unit));
    collider->grid = collider_grid(&collider->desc);
    return PBS_OK;
}

pbs_status saved_collider_read_state(struct byte_reader *in, struct collider *collider) {
    const pbs_collider_desc *const d = &collider->desc;
    RETURN_IF_FAILED(fields_read_in_place(in, &state_fields, collider));
    RETURN_IF_FAILED(fields_read_in_place(in, &contact_load_fields, &collider->load));
    RETURN_IF_FAILED(saved_move_read(in, &collider->moved_by));
    // Orientations are not normalised again, which could change their last bits.
    double unit[4];
    RETURN_IF_FAILED(check_point(d->position, "position"));
    RETURN_IF_FAILED(check_quaternion(d->orientation, "orientation", unit));
    RETURN_IF_FAILED(check_point(collider->target_position, "target position"));
    return collider->moving ? check_quaternion(collider->target_orientation, "target", unit)
                            : PBS_OK;
}
