// Contacts, forces and sums; see contact_report.h. Both what a state lists and what was collected
// are in the order of the pairs' numbers, which a new search does not change, so that two lists
// become one by merging, and no bit depends on when searches were made.
#include "contact/contact_report.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

// --- life ---

/// Both lists, as they change places.
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
    contact_report_begin(r);
    return PBS_OK;
}

void contact_report_free(struct memory *memory, struct contact_report *r) {
    memory_release(memory, r->records);
    memory_release(memory, r->merged);
    memory_release(memory, r->loads);
    memory_release(memory, r->point_forces);
    *r = (struct contact_report){0};
}

void contact_report_begin(struct contact_report *r) {
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

void contact_report_put_aside(struct contact_report *r) {
    for (size_t i = 0; i < r->part_count; i++) {
        copy3(r->loads[i].impulse, r->loads[i].aside);
        copy3(r->loads[i].angular_impulse, r->loads[i].aside + 3);
    }
}

void contact_report_take_back(struct contact_report *r) {
    for (size_t i = 0; i < r->part_count; i++) {
        copy3(r->loads[i].aside, r->loads[i].impulse);
        copy3(r->loads[i].aside + 3, r->loads[i].angular_impulse);
    }
}

// --- sums ---

/// sum += force at x; the torque of it too.
static void add_load(struct contact_load *load, double sum[3], const double x[3],
                     const double force[3]) {
    double torque[3];
    cross3(x, force, torque);
    add3(load->torque, torque, load->torque);
    add3(sum, force, sum);
}

static struct contact_load *load_of_point(const struct barrier_contact *c, uint32_t point,
                                          struct contact_report *r) {
    return &r->loads[c->mesh.part[point]];
}

static void add_contact(const struct barrier_contact *c, double share,
                        const struct active_contact *contact, struct contact_report *r,
                        double on_first[3]) {
    double forces[CONTACT_POINTS][3] = {{0.0}};
    barrier_contact_forces(c, contact, forces);
    const int first_count = pair_first_count(contact->kind);
    for (int k = 0; k < contact->point_count; k++) {
        const uint32_t point = contact->points[k];
        struct contact_load *load = load_of_point(c, point, r);
        scale3(share, forces[k], forces[k]);
        add_load(load, load->force, c->points + 3 * (size_t)point, forces[k]);
        add3(r->point_forces + 3 * (size_t)point, forces[k], r->point_forces + 3 * (size_t)point);
        if (k < first_count) {
            add3(on_first, forces[k], on_first);
        }
    }
    if (contact->wall != CONTACT_NO_WALL) {
        struct contact_load *load = &r->loads[c->walls[contact->wall].part];
        double opposite[3];
        scale3(-1.0, forces[0], opposite);
        add_load(load, load->force, c->points + 3 * (size_t)contact->points[0], opposite);
    }
}

/// Friction on bodies acts at their points. What an obstacle feels is the opposite at the same
/// place: its own points may lie deep below its surface, as the centre of a ball does.
static void add_friction(const struct barrier_contact *c, double share,
                         const struct lagged_friction *friction, struct contact_report *r,
                         double on_first[3]) {
    double force[3];
    double torque[3] = {0.0, 0.0, 0.0};
    struct contact_load *obstacle = friction->wall != CONTACT_NO_WALL
                                        ? &r->loads[c->walls[friction->wall].part]
                                        : NULL;
    barrier_contact_friction(c, friction, force);
    scale3(share, force, force);
    add3(on_first, force, on_first);
    for (int k = 0; k < friction->point_count; k++) {
        const uint32_t point = friction->points[k];
        struct contact_load *load = load_of_point(c, point, r);
        double own[3];
        double turning[3];
        scale3(friction->weight[k], force, own);
        if (c->mesh.kind[point] == POINT_OBSTACLE) {
            obstacle = load;
            continue;
        }
        cross3(c->points + 3 * (size_t)point, own, turning);
        add_load(load, load->friction, c->points + 3 * (size_t)point, own);
        add3(torque, turning, torque);
    }
    for (int side = 0; side < 2; side++) {
        if (friction->turn[side] != COLLISION_NO_ROTATION) {
            double moment[3];
            struct contact_load *load = load_of_point(c, friction->points[side], r);
            barrier_contact_friction_moment(c, friction, force, side, moment);
            add3(load->torque, moment, load->torque);
            add3(torque, moment, torque);
        }
    }
    if (obstacle != NULL) {
        // Which side it is decides the sign.
        const bool is_first = c->mesh.kind[friction->points[0]] == POINT_OBSTACLE;
        add_scaled3(obstacle->friction, is_first ? 1.0 : -1.0, force, obstacle->friction);
        subtract3(obstacle->torque, torque, obstacle->torque);
    }
}

/// Moments of pure rotation, equal and opposite.
static void add_rolling(const struct barrier_contact *c, double share,
                        const struct lagged_rolling *rolling, struct contact_report *r) {
    const int first = pair_first_count(rolling->kind);
    struct rolling_load load;
    barrier_contact_rolling(c, rolling, &load);
    struct contact_load *own = load_of_point(c, rolling->points[0], r);
    struct contact_load *other = rolling->wall != CONTACT_NO_WALL
                                     ? &r->loads[c->walls[rolling->wall].part]
                                     : load_of_point(c, rolling->points[first], r);
    add_scaled3(own->torque, share, load.moment, own->torque);
    add_scaled3(other->torque, -share, load.moment, other->torque);
}

// --- records ---

/// Before 0, the same 0, after: > 0: in the order in which a state lists its contacts.
static int compare(const struct contact_record *a, const struct contact_record *b) {
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

static struct contact_record record_of_contact(const struct active_contact *contact) {
    struct contact_record out = {.kind = contact->kind,
                                 .point_count = contact->point_count,
                                 .wall = contact->wall,
                                 .first = contact->first,
                                 .second = contact->second};
    memcpy(out.points, contact->points, sizeof out.points);
    return out;
}

static struct contact_record record_of_friction(const struct lagged_friction *friction) {
    struct contact_record out = {.kind = friction->kind,
                                 .point_count = friction->point_count,
                                 .wall = friction->wall,
                                 .first = friction->first,
                                 .second = friction->second};
    memcpy(out.points, friction->points, sizeof out.points);
    return out;
}

/// Records on their way into the list, in its order: one run of them at a time.
struct merging {
    struct contact_report *report;
    size_t kept; ///< of the list that were passed
    size_t out;
};

static pbs_status merge_begin(struct memory *memory, size_t count, struct contact_report *r,
                              struct merging *merging) {
    *merging = (struct merging){.report = r};
    return reserve_records(memory, r->record_count + count, r);
}

static void merge_next(struct merging *merging, const struct contact_record *record) {
    struct contact_report *r = merging->report;
    while (merging->kept < r->record_count && compare(&r->records[merging->kept], record) < 0) {
        r->merged[merging->out++] = r->records[merging->kept++];
    }
    struct contact_record *out = &r->merged[merging->out++];
    *out = *record;
    if (merging->kept < r->record_count && compare(&r->records[merging->kept], record) == 0) {
        const struct contact_record *before = &r->records[merging->kept++];
        add3(before->force, record->force, out->force);
        add3(before->friction, record->friction, out->friction);
    }
}

static void merge_end(struct merging *merging) {
    struct contact_report *r = merging->report;
    while (merging->kept < r->record_count) {
        r->merged[merging->out++] = r->records[merging->kept++];
    }
    struct contact_record *const records = r->records;
    const size_t capacity = r->record_capacity;
    r->records = r->merged;
    r->record_capacity = r->merged_capacity;
    r->merged = records;
    r->merged_capacity = capacity;
    r->record_count = merging->out;
}

pbs_status contact_report_add(const struct barrier_contact *c, double share,
                              struct contact_report *r) {
    struct merging merging;
    RETURN_IF_FAILED(merge_begin(c->memory, c->contact_count, r, &merging));
    for (size_t i = 0; i < c->contact_count; i++) {
        struct contact_record record = record_of_contact(&c->contacts[i]);
        if (share != 0.0) {
            add_contact(c, share, &c->contacts[i], r, record.force);
        }
        merge_next(&merging, &record);
    }
    merge_end(&merging);
    const size_t frictions = share != 0.0 ? c->friction_count : 0;
    RETURN_IF_FAILED(merge_begin(c->memory, frictions, r, &merging));
    for (size_t i = 0; i < frictions; i++) {
        struct contact_record record = record_of_friction(&c->frictions[i]);
        add_friction(c, share, &c->frictions[i], r, record.friction);
        merge_next(&merging, &record);
    }
    merge_end(&merging);
    for (size_t i = 0; share != 0.0 && i < c->rolling_count; i++) {
        add_rolling(c, share, &c->rollings[i], r);
    }
    return PBS_OK;
}

// --- projection ---

static struct contact_record record_of_slot(const struct projection_slot *slot, uint32_t surface) {
    return (struct contact_record){.kind = PAIR_POINT_POINT,
                                   .point_count = 1,
                                   .wall = surface,
                                   .first = slot->node,
                                   .second = surface,
                                   .points = {slot->node}};
}

/// The loads of a node's part and of an obstacle's.
static void add_opposite(const struct projection *p, const struct contact_record *record,
                         const double *x, const double force[3], bool is_friction,
                         struct contact_report *r) {
    struct contact_load *own = &r->loads[r->node_parts[record->first]];
    struct contact_load *other = &r->loads[r->first_obstacle + p->surfaces[record->wall].obstacle];
    double opposite[3];
    scale3(-1.0, force, opposite);
    add_load(own, is_friction ? own->friction : own->force, x + 3 * (size_t)record->first, force);
    add_load(other, is_friction ? other->friction : other->force, x + 3 * (size_t)record->first,
             opposite);
}

static size_t pair_count(const struct projection *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        count += p->slots[i].active_count;
    }
    return count;
}

pbs_status contact_report_add_projection(struct memory *memory, const struct projection *p,
                                         const double *x, double share, struct contact_report *r) {
    struct merging merging;
    RETURN_IF_FAILED(merge_begin(memory, pair_count(p), r, &merging));
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = &p->slots[i];
        for (uint32_t k = 0; k < slot->active_count; k++) {
            struct contact_record record = record_of_slot(slot, slot->active[k]);
            scale3(share * slot->multiplier[k], slot->normal[k], record.force);
            add_opposite(p, &record, x, record.force, false, r);
            merge_next(&merging, &record);
        }
    }
    merge_end(&merging);
    return PBS_OK;
}

/// Adds to a record there is, at or after *at.
static void rub(const struct projection *p, const struct contact_record *record, const double *x,
                struct contact_report *r, size_t *at) {
    while (*at < r->record_count && compare(&r->records[*at], record) < 0) {
        (*at)++;
    }
    if (*at < r->record_count && compare(&r->records[*at], record) == 0) {
        add3(r->records[*at].friction, record->friction, r->records[*at].friction);
        add_opposite(p, record, x, record->friction, true, r);
    }
}

void contact_report_add_rubbing(const struct projection *p, const double *x, const double *mass,
                                double time, struct contact_report *r) {
    size_t at = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = &p->slots[i];
        const double per_speed = mass[slot->node] / time;
        for (uint32_t k = 0; k < slot->active_count; k++) {
            struct contact_record record = record_of_slot(slot, slot->active[k]);
            scale3(per_speed, slot->rubbed[k], record.friction);
            rub(p, &record, x, r, &at);
        }
        if (slot->active_count == 0 && p->has_earlier && norm3(p->earlier[i].push) > 0.0) {
            struct contact_record record = record_of_slot(slot, p->earlier[i].surface);
            scale3(per_speed, p->earlier[i].rubbed, record.friction);
            rub(p, &record, x, r, &at);
        }
    }
}

void contact_report_projection_shape(const struct projection *p, const struct contact_report *r,
                                     const struct contact_record *record, const double *x,
                                     struct contact_shape *out) {
    const struct contact_surface *surface = &p->surfaces[record->wall];
    *out = (struct contact_shape){
        .part = {r->node_parts[record->first], r->first_obstacle + surface->obstacle},
        .count = {1, 0},
        .weight = {1.0}};
    out->gap = shape_distance(&surface->shape, &surface->pose, x, out->normal, NULL);
    copy3(x, out->point[0]);
    add_scaled3(x, -out->gap, out->normal, out->point[1]);
}

// --- reading ---

void contact_report_add_node_forces(const struct barrier_contact *c, const struct contact_report *r,
                                    double *node_forces) {
    for (uint32_t i = 0; i < c->mesh.point_count; i++) {
        uint32_t nodes[4];
        double weights[4];
        const int count = collision_mesh_nodes(&c->mesh, i, nodes, weights);
        for (int k = 0; k < count; k++) {
            double *to = node_forces + 3 * (size_t)nodes[k];
            add_scaled3(to, weights[k], r->point_forces + 3 * (size_t)i, to);
        }
    }
}

static void shape_at_wall(const struct barrier_contact *c, const struct contact_record *record,
                          struct contact_shape *out) {
    const struct contact_wall *wall = &c->walls[record->wall];
    const double *x = c->points + 3 * (size_t)record->points[0];
    const double distance = shape_distance(&wall->surface.shape, &wall->surface.pose, x,
                                           out->normal, NULL);
    out->part[1] = wall->part;
    out->count[1] = 0;
    out->weight[0] = 1.0;
    out->gap = distance - collision_mesh_offset(&c->mesh, record->points[0]);
    add_scaled3(x, -distance, out->normal, out->point[1]);
}

static void shape_of_pair(const struct barrier_contact *c, const struct contact_record *record,
                          struct contact_shape *out) {
    const double *x[PAIR_NODES] = {NULL};
    for (int k = 0; k < record->point_count; k++) {
        x[k] = c->points + 3 * (size_t)record->points[k];
    }
    const struct closest closest = closest_points(record->kind, x);
    const double distance = sqrt(closest.squared);
    const uint32_t other = record->points[out->count[0]];
    const double own = collision_mesh_offset(&c->mesh, other);
    const double both = own + collision_mesh_offset(&c->mesh, record->points[0]);
    const double offset = collision_mesh_pair_offset(&c->mesh, record->points[0], other);
    scale3(1.0 / distance, closest.r, out->normal);
    out->part[1] = c->mesh.part[other];
    out->count[1] = record->point_count - out->count[0];
    out->gap = distance - offset;
    scale3(offset < both ? own * (offset / both) : own, out->normal, out->point[1]);
    for (int k = 0; k < record->point_count; k++) {
        out->weight[k] = fabs(closest.weight[k]);
        if (k >= out->count[0]) {
            add_scaled3(out->point[1], out->weight[k], x[k], out->point[1]);
        }
    }
}

void contact_report_shape(const struct barrier_contact *c, const struct contact_record *record,
                          struct contact_shape *out) {
    *out = (struct contact_shape){
        .part = {c->mesh.part[record->points[0]]},
        .count = {record->wall == CONTACT_NO_WALL ? pair_first_count(record->kind) : 1}};
    if (record->wall != CONTACT_NO_WALL) {
        shape_at_wall(c, record, out);
    } else {
        shape_of_pair(c, record, out);
    }
    add_scaled3(out->point[1], out->gap, out->normal, out->point[0]);
}
