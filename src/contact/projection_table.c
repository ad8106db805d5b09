// Obstacles as constraints as steps see them: see contact_table.h. The minimiser keeps to them by
// the projection itself, which it has for held axes too, so they need no energy here.
#include "base/math3.h"
#include "contact/contact_report.h"

static void begin_step(void *self) {
    projection_forget_impulses(self);
}

/// Multipliers are newtons, as the objective is divided by its weight.
static pbs_status report(void *self, struct tasks *tasks, const struct contact_moment *moment) {
    (void)tasks;
    if (moment->share > 0.0) {
        projection_node_forces(self, 1.0 / moment->share, moment->node_forces);
    }
    return contact_report_add_projection(moment->memory, self, moment->x, moment->share,
                                         moment->report);
}

static size_t count(const void *self) {
    const struct projection *p = self;
    size_t sum = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        sum += p->slots[i].active_count;
    }
    return sum;
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
            const struct contact_exchange exchange = {.nodes = {slot->node, CONTACT_NO_NODE},
                                                      .work = slot->multiplier[k] *
                                                              dot3(slot->normal[k], v)};
            visitor->take(visitor->context, &exchange);
        }
    }
}

static void keep(void *self, double time, bool first) {
    projection_keep_impulses(self, time, first);
}

static void press(void *self, struct tasks *tasks, const double *x, const double *velocity,
                  double h, double *gradient, double *acceleration) {
    projection_activate(tasks, self, x, gradient);
    projection_press(self, x, velocity, h, acceleration);
}

static pbs_status push(void *self, struct tasks *tasks, const struct contact_moment *moment,
                       double *push_on) {
    projection_activate(tasks, self, moment->x, push_on);
    return report(self, tasks, moment);
}

/// Two-step schemes repeat part of a change of velocity in the steps that follow, so that the time
/// is not the step's.
static double rub(void *self, const struct contact_rubbing *rubbing) {
    const double loss = projection_friction(self, rubbing->x, rubbing->mass, 1.0,
                                            rubbing->share * rubbing->time, rubbing->velocity);
    contact_report_add_rubbing(self, rubbing->x, rubbing->mass, rubbing->time, rubbing->report);
    projection_forget_impulses(self);
    return loss * rubbing->h / rubbing->time;
}

const struct contact_table projection_table = {
    .name = "projection",
    .begin_step = begin_step,
    .report = report,
    .count = count,
    .visit = visit,
    .keep = keep,
    .press = press,
    .push = push,
    .rub = rub,
};
