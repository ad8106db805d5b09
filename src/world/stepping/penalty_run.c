// PBS_CONTACT_PENALTY in a run; see contact_run.h. The model builds the contact, because its forces
// are one of the model's terms.
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/penalty_scene.h"
#include "world/stepping/contact_run.h"

static pbs_status prepare(pbs_world *w) {
    struct solver *t = &w->solver;
    t->contacts = (struct contact_set){0};
    contact_set_add(&t->contacts, &penalty_contact_table, &t->model.penalty);
    return PBS_OK;
}

static pbs_status begin(struct run *run) {
    struct solver *t = &run->w->solver;
    t->model.penalty.is_listed = t->model.penalty.is_listed && t->contact_is_current;
    t->contact_is_current = true;
    return penalty_scene_begin(&run->w->scene, &t->model.penalty);
}

const struct contact_run contact_run_penalty = {
    .prepare = prepare,
    .begin = begin,
};
