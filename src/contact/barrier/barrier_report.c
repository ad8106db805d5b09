// See barrier_report.h.
// SPDX-License-Identifier: MIT
#include "contact/barrier/barrier_report.h"
#include "contact/barrier/lagged_friction.h"
#include "contact/barrier/rolling_resistance.h"

#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"

// --- loads of parts ---

static struct contact_load *load_of_point(const struct barrier_contact *c, uint32_t point,
                                          struct contact_report *r) {
    return &r->loads[c->mesh.part[point]];
}

static double fraction_of(const struct barrier_contact *c, const struct contact_stage *stage,
                          uint32_t wall, enum pair_kind kind, const uint32_t *points) {
    uint32_t nodes[2];
    barrier_contact_nodes(c, wall, kind, points, nodes);
    return contact_pair_fraction(stage->node_fractions, stage->impulse_fraction, nodes[0],
                                 nodes[1]);
}

static void add_contact(const struct barrier_contact *c, double impulse_fraction,
                        const struct active_contact *contact, struct contact_report *r,
                        double on_first[3]) {
    double forces[CONTACT_POINTS][3] = {{0.0}};
    barrier_contact_forces(c, contact, forces);
    const int first_count = pair_first_count(contact->kind);
    for (int k = 0; k < contact->point_count; k++) {
        const uint32_t point = contact->points[k];
        struct contact_load *load = load_of_point(c, point, r);
        scale3(impulse_fraction, forces[k], forces[k]);
        contact_load_add(load, load->force, c->points + 3 * (size_t)point, forces[k]);
        add3(r->point_forces + 3 * (size_t)point, forces[k], r->point_forces + 3 * (size_t)point);
        if (k < first_count) {
            add3(on_first, forces[k], on_first);
        }
    }
    if (contact->wall != CONTACT_NO_WALL) {
        struct contact_load *load = &r->loads[c->walls[contact->wall].part];
        double opposite[3];
        scale3(-1.0, forces[0], opposite);
        contact_load_add(load, load->force, c->points + 3 * (size_t)contact->points[0], opposite);
    }
}

/// Adds the friction of one contact. On bodies it acts at their points. The obstacle gets the
/// opposite force and torque at the same positions, because its own points may lie deep below its
/// surface, as the centre of a ball does.
static void add_friction(const struct barrier_contact *c, double impulse_fraction,
                         const struct lagged_friction *friction, struct contact_report *r,
                         double on_first[3]) {
    double force[3];
    double torque[3] = {0.0, 0.0, 0.0};
    struct contact_load *obstacle = friction->wall != CONTACT_NO_WALL
                                        ? &r->loads[c->walls[friction->wall].part]
                                        : NULL;
    lagged_friction_force(c, friction, force);
    scale3(impulse_fraction, force, force);
    add3(on_first, force, on_first);
    for (int k = 0; k < friction->point_count; k++) {
        const uint32_t point = friction->points[k];
        struct contact_load *load = load_of_point(c, point, r);
        double own[3];
        double own_torque[3];
        scale3(friction->weight[k], force, own);
        if (c->mesh.kind[point] == POINT_OBSTACLE) {
            obstacle = load;
            continue;
        }
        cross3(c->points + 3 * (size_t)point, own, own_torque);
        contact_load_add(load, load->friction, c->points + 3 * (size_t)point, own);
        add3(torque, own_torque, torque);
    }
    for (int side = 0; side < 2; side++) {
        if (friction->rotation[side] != COLLISION_NO_ROTATION) {
            double moment[3];
            struct contact_load *load = load_of_point(c, friction->points[side], r);
            lagged_friction_moment(c, friction, force, side, moment);
            add3(load->torque, moment, load->torque);
            add3(torque, moment, torque);
        }
    }
    if (obstacle != NULL) {
        // The sign depends on which side the obstacle is.
        const bool is_first = c->mesh.kind[friction->points[0]] == POINT_OBSTACLE;
        add_scaled3(obstacle->friction, is_first ? 1.0 : -1.0, force, obstacle->friction);
        subtract3(obstacle->torque, torque, obstacle->torque);
    }
}

/// Adds the equal and opposite moments of rolling resistance.
static void add_rolling(const struct barrier_contact *c, double impulse_fraction,
                        const struct lagged_rolling *rolling, struct contact_report *r) {
    const int first = pair_first_count(rolling->kind);
    struct rolling_load load;
    rolling_resistance_load(c, rolling, &load);
    struct contact_load *own = load_of_point(c, rolling->points[0], r);
    struct contact_load *other = rolling->wall != CONTACT_NO_WALL
                                     ? &r->loads[c->walls[rolling->wall].part]
                                     : load_of_point(c, rolling->points[first], r);
    add_scaled3(own->torque, impulse_fraction, load.moment, own->torque);
    add_scaled3(other->torque, -impulse_fraction, load.moment, other->torque);
}

// --- records ---

static struct contact_record record_of_contact(const struct active_contact *contact,
                                               uint32_t owner) {
    struct contact_record out = {.contact = owner,
                                 .kind = contact->kind,
                                 .point_count = contact->point_count,
                                 .wall = contact->wall,
                                 .first = contact->first,
                                 .second = contact->second};
    memcpy(out.points, contact->points, sizeof out.points);
    return out;
}

static struct contact_record record_of_friction(const struct lagged_friction *friction,
                                                uint32_t owner) {
    struct contact_record out = {.contact = owner,
                                 .kind = friction->kind,
                                 .point_count = friction->point_count,
                                 .wall = friction->wall,
                                 .first = friction->first,
                                 .second = friction->second};
    memcpy(out.points, friction->points, sizeof out.points);
    return out;
}

pbs_status barrier_report_add(const struct barrier_contact *c, const struct contact_stage *stage) {
    struct contact_report *const r = stage->report;
    const bool is_listed_only = stage->impulse_fraction == 0.0;
    struct contact_merging merging;
    RETURN_IF_FAILED(contact_merge_begin(stage->memory, c->contact_count, r, &merging));
    for (size_t i = 0; i < c->contact_count; i++) {
        struct contact_record record = record_of_contact(&c->contacts[i], stage->contact);
        if (!is_listed_only) {
            const double fraction = fraction_of(c, stage, record.wall, record.kind, record.points);
            add_contact(c, fraction, &c->contacts[i], r, record.force);
        }
        contact_merge_next(&merging, &record);
    }
    contact_merge_end(&merging);
    const size_t frictions = is_listed_only ? 0 : c->friction_count;
    RETURN_IF_FAILED(contact_merge_begin(stage->memory, frictions, r, &merging));
    for (size_t i = 0; i < frictions; i++) {
        struct contact_record record = record_of_friction(&c->frictions[i], stage->contact);
        const double fraction = fraction_of(c, stage, record.wall, record.kind, record.points);
        add_friction(c, fraction, &c->frictions[i], r, record.friction);
        contact_merge_next(&merging, &record);
    }
    contact_merge_end(&merging);
    for (size_t i = 0; !is_listed_only && i < c->rolling_count; i++) {
        const struct lagged_rolling *const rolling = &c->rollings[i];
        add_rolling(c, fraction_of(c, stage, rolling->wall, rolling->kind, rolling->points),
                    rolling, r);
    }
    return PBS_OK;
}

// --- geometry ---

static void geometry_at_wall(const struct barrier_contact *c, const struct contact_record *record,
                             struct contact_geometry *out) {
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

static void geometry_of_pair(const struct barrier_contact *c, const struct contact_record *record,
                             struct contact_geometry *out) {
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

void barrier_report_geometry(const struct barrier_contact *c, const struct contact_record *record,
                             struct contact_geometry *out) {
    *out = (struct contact_geometry){
        .part = {c->mesh.part[record->points[0]]},
        .count = {record->wall == CONTACT_NO_WALL ? pair_first_count(record->kind) : 1}};
    if (record->wall != CONTACT_NO_WALL) {
        geometry_at_wall(c, record, out);
    } else {
        geometry_of_pair(c, record, out);
    }
    for (int k = 0; k < record->point_count; k++) {
        out->vertex[k] = c->mesh.vertex[record->points[k]];
    }
    add_scaled3(out->point[1], out->gap, out->normal, out->point[0]);
}
