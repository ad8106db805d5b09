// See saved_collider.h.
#include "world/snapshots/saved_collider.h"

#include "world/contact_scenes/contact_kind.h"
#include "world/interface/check.h"

void saved_load_write(struct byte_writer *out, const struct contact_load *load) {
    write_doubles(out, load->force, 3);
    write_doubles(out, load->friction, 3);
    write_doubles(out, load->torque, 3);
    write_doubles(out, load->impulse, 3);
    write_doubles(out, load->angular_impulse, 3);
}

static void write_grid(struct byte_writer *out, const pbs_collider_desc *d) {
    if (d->shape != PBS_SHAPE_GRID) {
        return;
    }
    write_u32(out, (uint32_t)d->grid_interpolation);
    write_doubles(out, d->grid_origin, 3);
    write_f64(out, d->grid_cell);
    for (int k = 0; k < 3; k++) {
        write_u32(out, d->grid_counts[k]);
    }
    write_u64(out, collider_sample_count(d));
    write_bytes(out, d->grid_samples, collider_sample_count(d) * sizeof *d->grid_samples);
}

void saved_collider_write(struct byte_writer *out, const struct collider *collider) {
    const pbs_collider_desc *d = &collider->desc;
    write_u32(out, collider->slot);
    write_u32(out, (uint32_t)d->shape);
    write_u32(out, (uint32_t)d->hollow);
    write_doubles(out, d->size, 3);
    write_f64(out, d->friction);
    write_u32(out, d->surface_material);
    write_u32(out, d->group);
    write_u32(out, d->mask);
    write_u64(out, d->vertex_count);
    write_doubles(out, d->vertices, 3 * d->vertex_count);
    write_u64(out, d->triangle_count);
    write_bytes(out, d->triangles, 3 * d->triangle_count * sizeof *d->triangles);
    write_u64(out, d->edge_count);
    write_bytes(out, d->edges, 2 * d->edge_count * sizeof *d->edges);
    write_u32(out, (uint32_t)d->collision);
    write_f64(out, d->penalty_stiffness);
    write_grid(out, d);
}

void saved_collider_write_state(struct byte_writer *out, const struct collider *collider) {
    write_u64(out, collider->user_data);
    write_doubles(out, collider->desc.position, 3);
    write_doubles(out, collider->desc.orientation, 4);
    write_u32(out, collider->moving);
    write_doubles(out, collider->target_position, 3);
    write_doubles(out, collider->target_orientation, 4);
    saved_load_write(out, &collider->load);
    write_doubles(out, collider->velocity, 3);
    write_doubles(out, collider->angular_velocity, 3);
    saved_move_write(out, collider->moved_by);
}

void saved_move_write(struct byte_writer *out, const char *moved_by) {
    write_u32(out, moved_by != NULL);
}

pbs_status saved_move_read(struct byte_reader *in, const char **moved_by) {
    bool moved = false;
    RETURN_IF_FAILED(read_flag(in, &moved));
    *moved_by = moved ? "placed before the world was saved" : NULL;
    return PBS_OK;
}

pbs_status saved_load_read(struct byte_reader *in, struct contact_load *load) {
    double *const sums[] = {load->force, load->friction, load->torque, load->impulse,
                            load->angular_impulse};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        read_doubles(in, sums[i], 3);
        if (!read_are_finite(sums[i], 3)) {
            return status_fail(PBS_ERROR_FORMAT, "a contact force is not finite");
        }
    }
    return PBS_OK;
}

static pbs_status read_collider_mesh(struct byte_reader *in, struct memory *memory,
                                     pbs_collider_desc *d) {
    double *vertices = NULL;
    uint32_t *indices = NULL;
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &d->vertex_count));
    RETURN_IF_FAILED(read_block(in, memory, d->vertex_count, 3 * sizeof(double), &vertices));
    d->vertices = vertices;
    RETURN_IF_FAILED(read_count(in, "triangles", 3 * sizeof(uint32_t), &d->triangle_count));
    RETURN_IF_FAILED(read_block(in, memory, d->triangle_count, 3 * sizeof(uint32_t), &indices));
    d->triangles = indices;
    indices = NULL;
    RETURN_IF_FAILED(read_count(in, "edges", 2 * sizeof(uint32_t), &d->edge_count));
    RETURN_IF_FAILED(read_block(in, memory, d->edge_count, 2 * sizeof(uint32_t), &indices));
    d->edges = indices;
    return PBS_OK;
}

static pbs_status read_grid(struct byte_reader *in, struct memory *memory, pbs_collider_desc *d) {
    float *samples = NULL;
    size_t count = 0;
    if (d->shape != PBS_SHAPE_GRID) {
        return PBS_OK;
    }
    d->grid_interpolation = (int32_t)read_u32(in);
    read_doubles(in, d->grid_origin, 3);
    d->grid_cell = read_f64(in);
    for (int k = 0; k < 3; k++) {
        d->grid_counts[k] = read_u32(in);
    }
    RETURN_IF_FAILED(read_count(in, "samples", sizeof *samples, &count));
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof *samples, &samples));
    d->grid_samples = samples;
    double product = 1.0;
    for (int k = 0; k < 3; k++) {
        product *= d->grid_counts[k];
    }
    return product == (double)count
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "%zu samples, must be %u x %u x %u", count,
                             (unsigned)d->grid_counts[0], (unsigned)d->grid_counts[1],
                             (unsigned)d->grid_counts[2]);
}

pbs_status saved_collider_read(struct byte_reader *in, struct memory *memory,
                               const pbs_world_desc *settings, struct collider *collider) {
    pbs_collider_desc *d = &collider->desc;
    // The pose is part of the state.
    *d = (pbs_collider_desc){.struct_size = sizeof *d, .orientation = {0.0, 0.0, 0.0, 1.0}};
    d->shape = (int32_t)read_u32(in);
    d->hollow = (int32_t)read_u32(in);
    read_doubles(in, d->size, 3);
    d->friction = read_f64(in);
    d->surface_material = read_u32(in);
    d->group = read_u32(in);
    d->mask = read_u32(in);
    RETURN_IF_FAILED(read_collider_mesh(in, memory, d));
    d->collision = (int32_t)read_u32(in);
    d->penalty_stiffness = read_f64(in);
    RETURN_IF_FAILED(read_grid(in, memory, d));
    double unit[4];
    RETURN_IF_FAILED(contact_kind_check_collider(settings, d));
    RETURN_IF_FAILED(collider_check(d, unit));
    collider->grid = collider_grid(d);
    return PBS_OK;
}

pbs_status saved_collider_read_state(struct byte_reader *in, struct collider *collider) {
    pbs_collider_desc *const d = &collider->desc;
    collider->user_data = read_u64(in);
    read_doubles(in, d->position, 3);
    read_doubles(in, d->orientation, 4);
    RETURN_IF_FAILED(read_flag(in, &collider->moving));
    read_doubles(in, collider->target_position, 3);
    read_doubles(in, collider->target_orientation, 4);
    RETURN_IF_FAILED(saved_load_read(in, &collider->load));
    read_doubles(in, collider->velocity, 3);
    read_doubles(in, collider->angular_velocity, 3);
    RETURN_IF_FAILED(saved_move_read(in, &collider->moved_by));
    // Orientations are not normalised again, which could change their last bits.
    double unit[4];
    RETURN_IF_FAILED(check_point(d->position, "position"));
    RETURN_IF_FAILED(check_quaternion(d->orientation, "orientation", unit));
    RETURN_IF_FAILED(check_point(collider->target_position, "target position"));
    if (!read_are_finite(collider->velocity, 3) ||
        !read_are_finite(collider->angular_velocity, 3)) {
        return status_fail(PBS_ERROR_FORMAT, "motion is not finite");
    }
    return collider->moving ? check_quaternion(collider->target_orientation, "target", unit)
                            : PBS_OK;
}
