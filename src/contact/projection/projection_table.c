// The contact_table of obstacles as constraints, through which steps use a projection. The
// minimiser applies the projection itself, as it does for constrained axes, so the table has no
// energy.
// SPDX-License-Identifier: MIT
#include "base/matrix3/math3.h"
#include "contact/contact_report.h"
#include "contact/projection/projection.h"

static void begin_step(void *self) {
    projection_forget_impulses(self);
}

static size_t count(const void *self) {
    const struct projection *p = self;
    size_t sum = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        sum += p->slots[i].active_count;
    }
    return sum;
}

// --- reports ---

static struct contact_record record_of_slot(const struct projection_slot *slot, uint32_t surface,
                                            uint32_t owner) {
    return (struct contact_record){.contact = owner,
                                   .kind = PAIR_POINT_POINT,
                                   .point_count = 1,
                                   .wall = surface,
                                   .first = slot->node,
                                   .second = surface,
                                   .points = {slot->node}};
}

/// Adds a force to the load of a node's part, and the opposite to the obstacle's.
static void add_opposite(const struct projection *p, const struct contact_record *record,
                         const double *x, const double force[3], bool is_friction,
                         struct contact_report *r) {
    struct contact_load *own = &r->loads[r->node_parts[record->first]];
    struct contact_load *other = &r->loads[r->first_obstacle + p->surfaces[record->wall].obstacle];
    double opposite[3];
    scale3(-1.0, force, opposite);
    contact_load_add(own, is_friction ? own->friction : own->force, x + 3 * (size_t)record->first,
                     force);
    contact_load_add(other, is_friction ? other->friction : other->force,
                     x + 3 * (size_t)record->first, opposite);
}

static pbs_status add_to_report(const struct projection *p, const struct contact_stage *stage) {
    struct contact_report *const r = stage->report;
    struct contact_merging merging;
    RETURN_IF_FAILED(contact_merge_begin(stage->memory, count(p), r, &merging));
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = &p->slots[i];
        for (uint32_t k = 0; k < slot->active_count; k++) {
            struct contact_record record = record_of_slot(slot, slot->active[k], stage->contact);
            scale3(stage->impulse_fraction * slot->multiplier[k], slot->normal[k], record.force);
            add_opposite(p, &record, stage->x, record.force, false, r);
            contact_merge_next(&merging, &record);
        }
    }
    contact_merge_end(&merging);
    return PBS_OK;
}

/// Adds friction to an existing record at or after *at.
static void add_friction_to_record(const struct projection *p, const struct contact_record *record,
                                   const double *x, struct contact_report *r, size_t *at) {
    struct contact_record *const found = contact_report_find(r, record, at);
    if (found != NULL) {
        add3(found->friction, record->friction, found->friction);
        add_opposite(p, record, x, record->friction, true, r);
    }
}

/// Adds the changes of velocity by projection_friction to the report, as forces over `time`
/// seconds. Their pairs have records already.
static void add_friction_to_report(const struct projection *p, const struct friction_input *input) {
    struct contact_report *const r = input->report;
    const double *const x = input->x;
    size_t at = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct projection_slot *slot = &p->slots[i];
        const double per_speed = input->mass[slot->node] / input->time;
        for (uint32_t k = 0; k < slot->active_count; k++) {
            struct contact_record record = record_of_slot(slot, slot->active[k], input->contact);
            scale3(per_speed, slot->friction_velocity[k], record.friction);
            add_friction_to_record(p, &record, x, r, &at);
        }
        if (slot->active_count == 0 && p->has_earlier && norm3(p->earlier[i].push) > 0.0) {
            struct contact_record record = record_of_slot(slot, p->earlier[i].surface,
                                                          input->contact);
            scale3(per_speed, p->earlier[i].friction_velocity, record.friction);
            add_friction_to_record(p, &record, x, r, &at);
        }
    }
}

static void geometry(const void *self, const struct contact_report *r,
                     const struct contact_record *record, const double *x,
                     struct contact_geometry *out) {
    const struct projection *p = self;
    const double *const at = x + 3 * (size_t)record->points[0];
    const struct contact_surface *surface = &p->surfaces[record->wall];
    *out = (struct contact_geometry){
        .part = {r->node_parts[record->first], r->first_obstacle + surface->obstacle},
        .count = {1, 0},
        .vertex = {record->first},
        .has_nodes = true,
        .weight = {1.0}};
    out->gap = shape_distance(&surface->shape, &surface->pose, at, out->normal, NULL);
    copy3(at, out->point[0]);
    add_scaled3(at, -out->gap, out->normal, out->point[1]);
}

/// Multipliers are forces in N, as the objective is divided by its weight. Without node_forces
/// there is nothing to do: active pairs were reported with their stage.
static pbs_status report(void *self, struct tasks *tasks, const struct contact_stage *stage) {
    (void)tasks;
    if (stage->node_forces == NULL) {
        return PBS_OK;
    }
    if (stage->impulse_fraction > 0.0) {
        projection_node_forces(self, 1.0 / stage->impulse_fraction, stage->node_forces);
    }
    return add_to_report(self, stage);
}

static void visit(const void *self, const struct contact_motion *motion,
                  const struct contact_visitor *visitor) {
    const struct projection *p = self;
    for (size_t i = 0; motion != NULL && i < p->active_count; i++) {
        const struct projection_slot *slot = &p->slots[p->active[i].slot];
        for (size_t k = 0; k < slot->active_count; k++) {
            double v[3];
            obstacle_mean_velocity(projection_obstacle(p, slot, k), motion->is_continued,
                                   motion->x + 3 * (size_t)slot->node, v);
            const struct contact_power power = {.nodes = {slot->node, CONTACT_NO_NODE},
                                                .obstacle_power = slot->multiplier[k] *
                                                                  dot3(slot->normal[k], v)};
            visitor->visit(visitor->context, &power);
        }
    }
}

static void accumulate_impulses(void *self, double time, bool first) {
    projection_accumulate_impulses(self, time, first);
}

static void project_acceleration(void *self, struct tasks *tasks, const double *x,
                                 const double *velocity, double h, double *gradient,
                                 double *acceleration) {
    projection_activate(tasks, self, x, gradient);
    projection_project_acceleration(self, x, velocity, h, acceleration);
}

static pbs_status report_end(void *self, struct tasks *tasks, const struct contact_stage *stage,
                             double *push_on) {
    projection_activate(tasks, self, stage->x, push_on);
    return report(self, tasks, stage);
}

/// `time` differs from h for two-step schemes, which repeat part of a change of velocity in the
/// following steps.
static double apply_friction(void *self, const struct friction_input *input) {
    const double loss = projection_friction(self, input->x, input->mass, 1.0,
                                            input->impulse_fraction * input->time, input->velocity);
    add_friction_to_report(self, input);
    projection_forget_impulses(self);
    return loss * input->h / input->time;
}

const struct contact_table projection_table = {
    .name = "projection",
    .begin_step = begin_step,
    .report = report,
    .count = count,
    .geometry = geometry,
    .visit = visit,
    .accumulate_impulses = accumulate_impulses,
    .project_acceleration = project_acceleration,
    .report_end = report_end,
    .apply_friction = apply_friction,
};
