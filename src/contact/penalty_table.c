// Contact of spheres by penalties as explicit steps see it: see contact_table.h. Its forces are a
// term's of the objective.
#include "contact/penalty_contact.h"

/// Forces are those at one state: obstacles are at the target.
static void place(void *self, const struct obstacle *now, const struct obstacle *target) {
    struct penalty_contact *c = self;
    (void)now;
    for (size_t i = 0; i < c->obstacle_count; i++) {
        c->obstacles[i].obstacle = target[i];
    }
    penalty_contact_place(c);
}

static pbs_status find(void *self, struct tasks *tasks, const double *x) {
    return penalty_contact_find(self, tasks, x);
}

static double rate(const void *self, const double *mass) {
    return penalty_contact_rate(self, mass);
}

static double rub(void *self, const struct contact_rubbing *rubbing) {
    const struct penalty_motion motion = {.mass = rubbing->mass,
                                          .held = rubbing->held,
                                          .h = rubbing->h,
                                          .velocity = rubbing->velocity};
    const double heat = penalty_contact_rub(self, &motion);
    penalty_contact_report(self, rubbing->h, rubbing->report);
    return heat;
}

static size_t count(const void *self) {
    const struct penalty_contact *c = self;
    return c->touch_count;
}

const struct contact_table penalty_contact_table = {
    .name = "penalty",
    .place = place,
    .find = find,
    .rate = rate,
    .count = count,
    .rub = rub,
};
