// See contact_table.h. In the order in which a world lists its contacts.
#include "contact/contact_report.h"

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

pbs_status contact_set_lag(const struct contact_set *set, struct tasks *tasks, const double *x,
                           size_t *count) {
    *count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->lag != NULL) {
            RETURN_IF_FAILED(c->table->lag(c->self, tasks, x, count));
        }
    }
    return PBS_OK;
}

void contact_set_place(const struct contact_set *set, const struct obstacle *now,
                       const struct obstacle *target) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->place != NULL) {
            c->table->place(c->self, now, target);
        }
    }
}

void contact_set_begin(const struct contact_set *set, const double *origin, double length) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->begin != NULL) {
            c->table->begin(c->self, origin, length);
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
                                 const struct contact_linearization *wanted, const double *x,
                                 const struct contact_matrix **matrix) {
    *matrix = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->linearize != NULL) {
            return c->table->linearize(c->self, tasks, wanted, x, matrix);
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

/// The one that bounds steps; null: none does.
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

bool contact_set_moves(const struct contact_set *set) {
    const struct contact *c = bounding(set);
    return c != NULL && c->table->moves(c->self);
}

double contact_set_longest_way(const struct contact_set *set) {
    const struct contact *c = bounding(set);
    return c == NULL ? 0.0 : c->table->longest_way(c->self);
}

void contact_set_advance(const struct contact_set *set, double step) {
    const struct contact *c = bounding(set);
    if (c != NULL) {
        c->table->advance(c->self, step);
    }
}

void contact_set_halt(const struct contact_set *set, bool halted) {
    const struct contact *c = bounding(set);
    if (c != NULL) {
        c->table->halt(c->self, halted);
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

void contact_set_shape(const struct contact_set *set, const struct contact_report *report,
                       const struct contact_record *record, const double *x,
                       struct contact_shape *out) {
    const struct contact *c = &set->contacts[record->contact];
    c->table->shape(c->self, report, record, x, out);
}

bool contact_set_finds(const struct contact_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->contacts[i].table->find != NULL) {
            return true;
        }
    }
    return false;
}

static size_t count_of(const struct contact *c) {
    return c->table->count != NULL ? c->table->count(c->self) : 0;
}

pbs_status contact_set_report(const struct contact_set *set, struct tasks *tasks,
                              const struct contact_moment *moment,
                              size_t counts[CONTACT_SET_LIMIT]) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->report != NULL) {
            struct contact_moment own = *moment;
            own.contact = (uint32_t)i;
            RETURN_IF_FAILED(c->table->report(c->self, tasks, &own));
            counts[i] = count_of(c);
        }
    }
    return PBS_OK;
}

pbs_status contact_set_push(const struct contact_set *set, struct tasks *tasks,
                            const struct contact_moment *moment, double *push,
                            size_t counts[CONTACT_SET_LIMIT]) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->push != NULL) {
            struct contact_moment own = *moment;
            own.contact = (uint32_t)i;
            RETURN_IF_FAILED(c->table->push(c->self, tasks, &own, push));
        }
        if (c->table->push != NULL || c->table->report == NULL) {
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

void contact_set_keep(const struct contact_set *set, double time, bool first) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->keep != NULL) {
            c->table->keep(c->self, time, first);
        }
    }
}

void contact_set_press(const struct contact_set *set, struct tasks *tasks, const double *x,
                       const double *velocity, double h, double *gradient, double *acceleration) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->press != NULL) {
            c->table->press(c->self, tasks, x, velocity, h, gradient, acceleration);
        }
    }
}

double contact_set_rub(const struct contact_set *set, const struct contact_rubbing *rubbing) {
    double heat = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->rub != NULL) {
            struct contact_rubbing own = *rubbing;
            own.contact = (uint32_t)i;
            heat += c->table->rub(c->self, &own);
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

pbs_status contact_set_find(const struct contact_set *set, struct tasks *tasks, const double *x) {
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->find != NULL) {
            RETURN_IF_FAILED(c->table->find(c->self, tasks, x));
        }
    }
    return PBS_OK;
}

double contact_set_rate(const struct contact_set *set, const double *mass) {
    double rate = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->rate != NULL) {
            rate += c->table->rate(c->self, mass);
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

void contact_set_find_pair(const struct contact_set *set, struct tasks *tasks, const double *x,
                           const struct contact_question *question, struct contact_pair *out) {
    *out = (struct contact_pair){.is_known = false};
    for (size_t i = 0; i < set->count && !out->is_known; i++) {
        const struct contact *c = &set->contacts[i];
        if (c->table->find_pair != NULL) {
            c->table->find_pair(c->self, tasks, x, question, out);
        }
    }
}
