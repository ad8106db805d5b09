// See contact_report.h. The contacts of a state and the collected records are both sorted by the
// indices of the pairs, which do not depend on when the broad phase ran. So a merge of the two
// lists gives the same bits whenever the searches were made.
// SPDX-License-Identifier: MIT
#include "contact/contact_report.h"

#include <string.h>

#include "base/matrix3/math3.h"

// --- memory ---

/// Reserves both lists of records, since a merge swaps them.
static pbs_status reserve_records(struct memory *memory, size_t count, struct contact_report *r) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &r->records, &r->record_capacity, count, sizeof *r->records));
    return memory_reserve(memory, &r->merged, &r->merged_capacity, count, sizeof *r->merged);
}

pbs_status contact_report_start(struct memory *memory, const struct contact_report_size *size,
                                struct contact_report *r) {
    RETURN_IF_FAILED(
        memory_reserve(memory, &r->loads, &r->load_capacity, size->parts, sizeof *r->loads));
    RETURN_IF_FAILED(memory_reserve(memory, &r->point_forces, &r->point_force_capacity,
                                    3 * size->points, sizeof *r->point_forces));
    RETURN_IF_FAILED(reserve_records(memory, size->contacts, r));
    r->part_count = size->parts;
    r->point_count = size->points;
    if (size->parts > 0) {
        memset(r->loads, 0, size->parts * sizeof *r->loads);
    }
    contact_report_begin_step(r);
    return PBS_OK;
}

void contact_report_free(struct memory *memory, struct contact_report *r) {
    memory_release(memory, r->records);
    memory_release(memory, r->merged);
    memory_release(memory, r->loads);
    memory_release(memory, r->point_forces);
    *r = (struct contact_report){0};
}

void contact_report_begin_step(struct contact_report *r) {
    r->record_count = 0;
    for (size_t i = 0; i < r->part_count; i++) {
        struct contact_load *load = &r->loads[i];
        for (int k = 0; k < 3; k++) {
            load->force[k] = load->friction[k] = load->torque[k] = 0.0;
        }
    }
    for (size_t i = 0; i < 3 * r->point_count; i++) {
        r->point_forces[i] = 0.0;
    }
}

void contact_report_accept(struct contact_report *r, double h) {
    for (size_t i = 0; i < r->part_count; i++) {
        struct contact_load *load = &r->loads[i];
        add_scaled3(load->impulse, h, load->force, load->impulse);
        add_scaled3(load->impulse, h, load->friction, load->impulse);
        add_scaled3(load->angular_impulse, h, load->torque, load->angular_impulse);
    }
}

void contact_report_save(struct contact_report *r) {
    for (size_t i = 0; i < r->part_count; i++) {
        copy3(r->loads[i].impulse, r->loads[i].saved_impulses);
        copy3(r->loads[i].angular_impulse, r->loads[i].saved_impulses + 3);
    }
}

void contact_report_restore(struct contact_report *r) {
    for (size_t i = 0; i < r->part_count; i++) {
        copy3(r->loads[i].saved_impulses, r->loads[i].impulse);
        copy3(r->loads[i].saved_impulses + 3, r->loads[i].angular_impulse);
    }
}

// --- sums ---

void contact_load_add(struct contact_load *load, double sum[3], const double x[3],
                      const double force[3]) {
    double torque[3];
    cross3(x, force, torque);
    add3(load->torque, torque, load->torque);
    add3(sum, force, sum);
}

// --- records ---

/// Compares by the order of the list: < 0 if a comes first, 0 for the same contact, > 0 if b does.
static int compare(const struct contact_record *a, const struct contact_record *b) {
    if (a->contact != b->contact) {
        return a->contact < b->contact ? -1 : 1;
    }
    const bool walls[2] = {a->wall != CONTACT_NO_WALL, b->wall != CONTACT_NO_WALL};
    if (walls[0] != walls[1]) {
        return walls[0] ? 1 : -1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return a->second == b->second ? 0 : a->second < b->second ? -1 : 1;
}

pbs_status contact_merge_begin(struct memory *memory, size_t count, struct contact_report *r,
                               struct contact_merging *merging) {
    *merging = (struct contact_merging){.report = r};
    return reserve_records(memory, r->record_count + count, r);
}

void contact_merge_next(struct contact_merging *merging, const struct contact_record *record) {
    struct contact_report *r = merging->report;
    while (merging->passed < r->record_count && compare(&r->records[merging->passed], record) < 0) {
        r->merged[merging->out++] = r->records[merging->passed++];
    }
    struct contact_record *out = &r->merged[merging->out++];
    *out = *record;
    if (merging->passed < r->record_count && compare(&r->records[merging->passed], record) == 0) {
        const struct contact_record *before = &r->records[merging->passed++];
        add3(before->force, record->force, out->force);
        add3(before->friction, record->friction, out->friction);
    }
}

void contact_merge_end(struct contact_merging *merging) {
    struct contact_report *r = merging->report;
    while (merging->passed < r->record_count) {
        r->merged[merging->out++] = r->records[merging->passed++];
    }
    struct contact_record *const records = r->records;
    const size_t capacity = r->record_capacity;
    r->records = r->merged;
    r->record_capacity = r->merged_capacity;
    r->merged = records;
    r->merged_capacity = capacity;
    r->record_count = merging->out;
}

struct contact_record *contact_report_find(struct contact_report *r,
                                           const struct contact_record *record, size_t *at) {
    while (*at < r->record_count && compare(&r->records[*at], record) < 0) {
        (*at)++;
    }
    return *at < r->record_count && compare(&r->records[*at], record) == 0 ? &r->records[*at]
                                                                           : NULL;
}

void contact_report_add_node_forces(const struct collision_mesh *mesh,
                                    const struct contact_report *r, double *node_forces) {
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(mesh, i, nodes, weights);
        for (int k = 0; k < count; k++) {
            double *to = node_forces + 3 * (size_t)nodes[k];
            add_scaled3(to, weights[k], r->point_forces + 3 * (size_t)i, to);
        }
    }
}
