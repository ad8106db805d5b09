// The table of kinds of contact in runs; see contact_run.h.
#include "world/stepping/contact_run.h"

#include "world/objects/motion.h"

enum { ROW_COUNT = 3 };

static const struct run_contact *const ROWS[ROW_COUNT] = {
    &run_contact_projection, &run_contact_barrier, &run_contact_penalty};

const struct run_contact *run_contact_of(const struct scene *scene) {
    size_t i = ROW_COUNT - 1;
    while (i > 0 && ROWS[i]->id != scene->settings.contact) {
        i--;
    }
    return ROWS[i];
}

void run_contact_set_obstacles(struct run *run, double now, double target) {
    pbs_world *w = run->w;
    struct topology *t = &w->topology;
    for (size_t i = 0; i < w->scene.colliders.count; i++) {
        const struct collider *collider = scene_collider(&w->scene, i);
        motion_obstacle_at(collider, now, run->h, &t->obstacles_now[i]);
        motion_obstacle_at(collider, target, run->h, &t->obstacles[i]);
    }
    contact_set_begin_motion(&t->contacts, t->obstacles_now, t->obstacles);
}

void run_contact_commit(struct run *run) {
    const struct run_contact *contact = run_contact_of(&run->w->scene);
    if (contact->commit != NULL) {
        contact->commit(run);
    }
}

void run_contact_write_stats(const struct run *run, pbs_stats *stats) {
    const struct run_contact *contact = run_contact_of(&run->w->scene);
    if (contact->write_stats != NULL) {
        contact->write_stats(run, stats);
    }
}
