// See contact_run.h.
// SPDX-License-Identifier: MIT
#include "world/stepping/contact_run.h"

#include "world/objects/motion.h"

const struct contact_run *contact_run_of(const struct scene *scene) {
    return contact_kind_of(scene)->run;
}

void contact_run_set_obstacles(struct run *run, double now, double target) {
    pbs_world *w = run->w;
    struct solver *t = &w->solver;
    for (size_t i = 0; i < w->scene.colliders.count; i++) {
        const struct collider *collider = scene_collider(&w->scene, i);
        motion_obstacle_at(collider, now, run->h, &t->obstacles_now[i]);
        motion_obstacle_at(collider, target, run->h, &t->obstacles[i]);
    }
    contact_set_begin_motion(&t->contacts, t->obstacles_now, t->obstacles);
}

void contact_run_begin_step(struct run *run) {
    const struct contact_run *contact = contact_run_of(&run->w->scene);
    if (contact->begin_step != NULL) {
        contact->begin_step(run);
    }
}

bool contact_run_relieve(struct run *run, const struct step_span *span, bool has_landed) {
    const struct contact_run *contact = contact_run_of(&run->w->scene);
    return contact->relieve != NULL && contact->relieve(run, span, has_landed);
}

void contact_run_commit(struct run *run) {
    const struct contact_run *contact = contact_run_of(&run->w->scene);
    if (contact->commit != NULL) {
        contact->commit(run);
    }
}

void contact_run_write_stats(const struct run *run, pbs_stats *stats) {
    const struct contact_run *contact = contact_run_of(&run->w->scene);
    if (contact->write_stats != NULL) {
        contact->write_stats(run, stats);
    }
}
