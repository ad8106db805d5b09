// PBS_CONTACT_PROJECTION in a run, with the penalties on penetration depth; see contact_run.h. The
// constraints are set in each stage (set_obstacles in run_problem.c).
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/penetration_scene.h"
#include "world/stepping/contact_run.h"

static pbs_status prepare(pbs_world *w) {
    struct solver *t = &w->solver;
    const bool any = penetration_scene_is_needed(&w->scene);
    if (any && !t->contact_is_current) {
        RETURN_IF_FAILED(penetration_scene_build(&w->scene, &w->memory, &t->penetration));
        t->contact_is_current = true;
    }
    t->contacts = (struct contact_set){0};
    contact_set_add(&t->contacts, &projection_table, &t->projection);
    if (any) {
        contact_set_add(&t->contacts, &penetration_table, &t->penetration);
    }
    return PBS_OK;
}

static pbs_status begin(struct run *run) {
    run->w->solver.contact_is_checked = true;
    return PBS_OK;
}

static void write_stats(const struct run *run, pbs_stats *stats) {
    stats->contact.deepest_penetration = penetration_scene_is_needed(&run->w->scene)
                                             ? penetration_deepest(&run->w->solver.penetration)
                                             : 0.0;
}

const struct contact_run contact_run_projection = {
    .prepare = prepare,
    .begin = begin,
    .write_stats = write_stats,
};
