// The contact_table of penalty contact of spheres, through which explicit steps use it. Its forces
// are a term of the objective.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/penalty/penalty_contact.h"

/// Explicit steps evaluate forces at one state only, with obstacles at the target.
static void begin_motion(void *self, const struct obstacle *now, const struct obstacle *target) {
    struct penalty_contact *c = self;
    (void)now;
    for (size_t i = 0; i < c->obstacle_count; i++) {
        c->obstacles[i].obstacle = target[i];
    }
    penalty_contact_update_obstacles(c);
}

static pbs_status prepare_forces(void *self, struct tasks *tasks, const double *x) {
    return penalty_contact_find_touches(self, tasks, x);
}

static double squared_frequency(const void *self, const double *mass) {
    return penalty_contact_squared_frequency(self, mass);
}

static double apply_friction(void *self, const struct friction_input *input) {
    const struct friction_motion motion = {.mass = input->mass,
                                           .constrained_axes = input->constrained_axes,
                                           .h = input->h,
                                           .velocity = input->velocity};
    const double heat = penalty_contact_apply_friction(self, &motion);
    penalty_contact_report(self, input->h, input->report);
    return heat;
}

static size_t count(const void *self) {
    const struct penalty_contact *c = self;
    return c->touch_count;
}

// --- reports ---
//
// Loads are added by apply_friction in each step. Records are those of the last state, and a run
// lists them once.

static uint32_t vertex_of(const struct penalty_contact *c, uint32_t sphere) {
    return sphere - (uint32_t)c->parts[c->part[sphere]].first_sphere;
}

/// The second index of a record is that of the touch, so that records have the order of touches.
static pbs_status report(void *self, struct tasks *tasks, const struct contact_stage *stage) {
    const struct penalty_contact *c = self;
    struct contact_merging merging;
    (void)tasks;
    RETURN_IF_FAILED(contact_merge_begin(stage->memory, c->touch_count, stage->report, &merging));
    for (size_t i = 0; i < c->touch_count; i++) {
        const struct penalty_touch *t = &c->touches[i];
        struct contact_record record = {.contact = stage->contact,
                                        .kind = PAIR_POINT_POINT,
                                        .point_count = t->is_wall ? 1 : 2,
                                        .wall = CONTACT_NO_WALL,
                                        .second = (uint32_t)i};
        scale3(t->force, t->normal, record.force);
        scale3(1.0 / c->friction_time, t->friction_impulse, record.friction);
        contact_merge_next(&merging, &record);
    }
    contact_merge_end(&merging);
    return PBS_OK;
}

/// The two points are on the surfaces, which overlap by the depth.
static void geometry(const void *self, const struct contact_report *r,
                     const struct contact_record *record, const double *x,
                     struct contact_geometry *out) {
    const struct penalty_contact *c = self;
    const struct penalty_touch *t = &c->touches[record->second];
    const double *centre = c->points + 3 * (size_t)t->first;
    const double own = t->is_wall ? 1.0 : 0.5;
    (void)r;
    (void)x;
    *out = (struct contact_geometry){.part = {c->part[t->first]},
                                     .count = {1, record->point_count - 1},
                                     .vertex = {vertex_of(c, t->first)},
                                     .weight = {1.0, 1.0},
                                     .gap = -t->depth};
    copy3(t->normal, out->normal);
    add_scaled3(centre, -t->arm[0] - own * t->depth, t->normal, out->point[0]);
    add_scaled3(centre, -t->arm[0] + (1.0 - own) * t->depth, t->normal, out->point[1]);
    if (t->is_wall) {
        out->part[1] = (uint32_t)c->part_count + c->walls[t->second].obstacle;
    } else {
        out->part[1] = c->part[t->second];
        out->vertex[1] = vertex_of(c, t->second);
    }
}

// --- when bonds break ---

static double release(void *self, const struct contact_bond *bond, double distance) {
    struct penalty_contact *c = self;
    const size_t at = c->parts[bond->part].first_bond + bond->bond;
    const double before = c->release[at];
    penalty_contact_release(c, at, distance);
    return before;
}

static void hold(void *self, const struct contact_bond *bond, double before) {
    struct penalty_contact *c = self;
    penalty_contact_release(c, c->parts[bond->part].first_bond + bond->bond, before);
}

const struct contact_table penalty_contact_table = {
    .name = "penalty",
    .begin_motion = begin_motion,
    .prepare_forces = prepare_forces,
    .squared_frequency = squared_frequency,
    .report = report,
    .count = count,
    .geometry = geometry,
    .apply_friction = apply_friction,
    .release = release,
    .hold = hold,
};
