// See contact_table.h. Contacts are called in the order in which the world lists them.
// SPDX-License-Identifier: MIT
#include "contact/contact_report.h"

#include <string.h>

void contact_set_add(struct contact_set *set, const struct contact_table *table, void *self) {
    set->contacts[set->count++] = (struct contact){table, self};
}

void contact_set_begin_step(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->begin_step != NULL) {
            c->table->begin_step(c->self);
        }
    }
}

pbs_status contact_set_lag_friction(const struct contact_set *set, struct tasks *tasks,
                                    const double *x, bool is_start, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->lag_friction != NULL) {
            RETURN_IF_FAILED(c->table->lag_friction(c->self, tasks, x, is_start, count));
        }
    }
    return PBS_OK;
}

void contact_set_restore_friction(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->restore_friction != NULL) {
            c->table->restore_friction(c->self);
        }
    }
}

void contact_set_begin_motion(const struct contact_set *set, const struct obstacle *now,
                              const struct obstacle *target) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->begin_motion != NULL) {
            c->table->begin_motion(c->self, now, target);
        }
    }
}

void contact_set_begin_stage(const struct contact_set *set, const double *origin, double length) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->begin_stage != NULL) {
            c->table->begin_stage(c->self, origin, length);
        }
    }
}

pbs_status contact_set_evaluate(const struct contact_set *set, struct tasks *tasks, const double *x,
                                bool with_friction, double *gradient, struct contact_energy *out) {
    *out = (struct contact_energy){0.0, 0.0};
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->evaluate != NULL) {
            struct contact_energy own;
            RETURN_IF_FAILED(c->table->evaluate(c->self, tasks, x, with_friction, gradient, &own));
            out->potential += own.potential;
            out->friction += own.friction;
        }
    }
    return PBS_OK;
}

pbs_status contact_set_linearize(const struct contact_set *set, struct tasks *tasks,
                                 const struct contact_linearization *options, const double *x,
                                 struct contact_stencils sets[CONTACT_STENCIL_SETS],
                                 size_t *count) {
    *count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        const struct contact_blocks *blocks = NULL;
        if (c->table->linearize != NULL) {
            RETURN_IF_FAILED(c->table->linearize(c->self, tasks, options, x, &blocks));
            memcpy(sets + *count, blocks->sets, sizeof blocks->sets);
            *count += CONTACT_STENCIL_LIMIT;
        }
    }
    return PBS_OK;
}

void contact_set_add_motion(const struct contact_set *set, struct tasks *tasks,
                            const double *motion, double *gradient) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->add_motion != NULL) {
            c->table->add_motion(c->self, tasks, motion, gradient);
        }
    }
}

void contact_set_follow(const struct contact_set *set, const double *direction) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->follow != NULL) {
            c->table->follow(c->self, direction);
        }
    }
}

bool contact_set_is_settled(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->is_settled != NULL && !c->table->is_settled(c->self)) {
            return false;
        }
    }
    return true;
}

/// Returns the contact that bounds steps, or null if none does.
static const struct contact *bounding(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->contacts[i].table->bound != NULL) {
            return &set->contacts[i];
        }
    }
    return NULL;
}

pbs_status contact_set_bound(const struct contact_set *set, struct tasks *tasks, const double *x,
                             const double *direction, double limit, double *step) {
    const struct contact *c = bounding(set);
    *step = limit;
    return c == NULL ? PBS_OK : c->table->bound(c->self, tasks, x, direction, limit, step);
}

bool contact_set_bounds(const struct contact_set *set) {
    return bounding(set) != NULL;
}

double contact_set_reach(const struct contact_set *set) {
    const struct contact *c = bounding(set);
    return c == NULL ? 0.0 : c->table->reach(c->self);
}

bool contact_set_has_motion(const struct contact_set *set) {
    const struct contact *c = bounding(set);
    return c != NULL && c->table->has_motion(c->self);
}

void contact_set_advance_motion(const struct contact_set *set, double step) {
    const struct contact *c = bounding(set);
    if (c != NULL) {
        c->table->advance_motion(c->self, step);
    }
}

void contact_set_halt_motion(const struct contact_set *set, bool halted) {
    const struct contact *c = bounding(set);
    if (c != NULL) {
        c->table->halt_motion(c->self, halted);
    }
}

void contact_set_leave_gaps(const struct contact_set *set, double fraction) {
    const struct contact *c = bounding(set);
    if (c != NULL && c->table->leave_gaps != NULL) {
        c->table->leave_gaps(c->self, fraction);
    }
}

bool contact_set_has_potential(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->contacts[i].table->evaluate != NULL) {
            return true;
        }
    }
    return false;
}

const struct collision_mesh *contact_set_mesh(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->contacts[i].table->mesh != NULL) {
            return set->contacts[i].table->mesh(set->contacts[i].self);
        }
    }
    return NULL;
}

void contact_set_geometry(const struct contact_set *set, const struct contact_report *report,
                          const struct contact_record *record, const double *x,
                          struct contact_geometry *out) {
    const struct contact *c = &set->contacts[record->contact];
    c->table->geometry(c->self, report, record, x, out);
}

bool contact_set_has_forces(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->contacts[i].table->prepare_forces != NULL) {
            return true;
        }
    }
    return false;
}

double contact_set_release(const struct contact_set *set, const struct contact_bond *bond,
                           double distance) {
    double before = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->release != NULL) {
            before = c->table->release(c->self, bond, distance);
        }
    }
    return before;
}

void contact_set_hold(const struct contact_set *set, const struct contact_bond *bond,
                      double before) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->hold != NULL) {
            c->table->hold(c->self, bond, before);
        }
    }
}

static size_t count_of(const struct contact *c) {
    return c->table->count != NULL ? c->table->count(c->self) : 0;
}

pbs_status contact_set_report(const struct contact_set *set, struct tasks *tasks,
                              const struct contact_stage *stage, size_t counts[CONTACT_SET_LIMIT]) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->report != NULL) {
            struct contact_stage own = *stage;
            own.contact = (uint32_t)i;
            RETURN_IF_FAILED(c->table->report(c->self, tasks, &own));
            counts[i] = count_of(c);
        }
    }
    return PBS_OK;
}

pbs_status contact_set_report_end(const struct contact_set *set, struct tasks *tasks,
                                  const struct contact_stage *stage, double *push,
                                  size_t counts[CONTACT_SET_LIMIT]) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->report_end != NULL) {
            struct contact_stage own = *stage;
            own.contact = (uint32_t)i;
            RETURN_IF_FAILED(c->table->report_end(c->self, tasks, &own, push));
        }
        if (c->table->report_end != NULL || c->table->report == NULL) {
            counts[i] = count_of(c);
        }
    }
    return PBS_OK;
}

double contact_set_friction_power(const struct contact_set *set, struct tasks *tasks,
                                  const double *x, double length) {
    double power = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->friction_power != NULL) {
            power += c->table->friction_power(c->self, tasks, x, length);
        }
    }
    return power;
}

void contact_set_visit(const struct contact_set *set, const struct contact_motion *motion,
                       const struct contact_visitor *visitor) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->visit != NULL) {
            c->table->visit(c->self, motion, visitor);
        }
    }
}

void contact_set_accumulate_impulses(const struct contact_set *set, double time, bool first) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->accumulate_impulses != NULL) {
            c->table->accumulate_impulses(c->self, time, first);
        }
    }
}

void contact_set_project_acceleration(const struct contact_set *set, struct tasks *tasks,
                                      const double *x, const double *velocity, double h,
                                      double *gradient, double *acceleration) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->project_acceleration != NULL) {
            c->table->project_acceleration(c->self, tasks, x, velocity, h, gradient, acceleration);
        }
    }
}

double contact_set_apply_friction(const struct contact_set *set,
                                  const struct friction_input *input) {
    double heat = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->apply_friction != NULL) {
            struct friction_input own = *input;
            own.contact = (uint32_t)i;
            heat += c->table->apply_friction(c->self, &own);
        }
    }
    return heat;
}

void contact_set_end_step(const struct contact_set *set, const struct contact_report *report,
                          double *node_forces) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->end_step != NULL) {
            c->table->end_step(c->self, report, node_forces);
        }
    }
}

pbs_status contact_set_prepare_forces(const struct contact_set *set, struct tasks *tasks,
                                      const double *x) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->prepare_forces != NULL) {
            RETURN_IF_FAILED(c->table->prepare_forces(c->self, tasks, x));
        }
    }
    return PBS_OK;
}

double contact_set_squared_frequency(const struct contact_set *set, const double *mass) {
    double rate = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->squared_frequency != NULL) {
            rate += c->table->squared_frequency(c->self, mass);
        }
    }
    return rate;
}

size_t contact_set_count(const struct contact_set *set) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        count += count_of(c);
    }
    return count;
}

void contact_set_find_failed_pair(const struct contact_set *set, struct tasks *tasks,
                                  const double *x, const struct contact_pair_query *query,
                                  struct contact_pair *out) {
    *out = (struct contact_pair){.is_known = false};
    for (size_t i = 0; i < set->count && !out->is_known; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->find_failed_pair != NULL) {
            c->table->find_failed_pair(c->self, tasks, x, query, out);
        }
    }
}
