// PBS_CONTACT_BARRIER in a run; see contact_run.h.
#include "world/contact_scenes/contact_scene.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/contact_stiffness.h"
#include "world/stepping/failure.h"

static pbs_status prepare(pbs_world *w) {
    struct topology *t = &w->topology;
    if (!t->contact_is_current) {
        t->contact_scale = contact_scale_of(&w->scene);
        RETURN_IF_FAILED(contact_scene_build(&w->scene, &w->memory, &t->contact));
        const size_t parts = t->contact.mesh.part_count;
        RETURN_IF_FAILED(
            memory_reserve(&w->memory, &t->loads, &t->load_capacity, parts, sizeof *t->loads));
        RETURN_IF_FAILED(memory_reserve(&w->memory, &t->part_motions, &t->part_motion_capacity,
                                        parts, sizeof *t->part_motions));
        t->contact_is_current = true;
        t->contact_is_checked = false;
    }
    t->contacts = (struct contact_set){0};
    contact_set_add(&t->contacts, &barrier_contact_table, &t->contact);
    return PBS_OK;
}

/// Checks that the scene that the host has made has no overlaps.
static pbs_status check_overlaps(struct run *run) {
    struct topology *t = &run->w->topology;
    const struct scene *scene = &run->w->scene;
    struct contact_pair pair = {0};
    const pbs_status status = barrier_contact_check(&t->contact, run->w->tasks, scene->nodes.x,
                                                    &pair);
    if (status < 0) {
        return pair.is_known ? failure_overlap(run, &pair) : status;
    }
    t->contact_is_checked = true;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        scene_body(scene, i)->moved_by = NULL;
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        scene_collider(scene, i)->moved_by = NULL;
    }
    return PBS_OK;
}

static pbs_status begin(struct run *run) {
    struct topology *t = &run->w->topology;
    const bool adaptive = run->w->scene.expert.adaptive_stiffness != 0;
    if (adaptive || !t->contact_is_checked) {
        contact_run_set_obstacles(run, 0.0, 0.0);
    }
    if (!t->contact_is_checked) {
        RETURN_IF_FAILED(check_overlaps(run));
    }
    t->contact.settings.slip_velocity = contact_scale_slip_velocity(&run->w->scene,
                                                                    &t->contact_scale, run->h);
    return contact_stiffness_begin(run);
}

static double velocity_tolerance(const pbs_world *w) {
    return contact_scale_velocity_tolerance(&w->scene, &w->topology.contact_scale);
}

/// An impact that passes through several bodies costs as much in several parts as in one step, and
/// the steps succeed more often.
static uint32_t count_parts(struct run *run, double h) {
    struct topology *t = &run->w->topology;
    const double motion = part_loads_relative_motion(&t->contact, run->w->tasks, t->workspace.now.x,
                                                     t->workspace.now.v, h, CONTACT_SCALE_MOTION,
                                                     t->part_motions);
    return contact_scale_parts(motion, run->division_limit);
}

static void commit(struct run *run) {
    struct scene *scene = &run->w->scene;
    if (scene->settings.contact_distance == 0.0) {
        scene->last_contact_distance = run->w->topology.contact_scale.distance;
    }
    contact_stiffness_commit(run);
}

static void write_counters(const struct barrier_contact *contact, pbs_stats *stats) {
    const struct contact_counters *counters = &contact->counters;
    stats->contact.searches = counters->searches;
    stats->contact.sweeps = counters->sweeps;
    stats->contact.candidates = candidates_count(&contact->candidates);
    stats->contact.least_gap = barrier_contact_least_gap(contact);
    stats->time.contact_search = counters->seconds_search;
    stats->time.contact_sweep = counters->seconds_sweep;
    stats->time.contact = counters->seconds_evaluate + counters->seconds_linearize;
}

static void write_stats(const struct run *run, pbs_stats *stats) {
    const struct barrier_contact *contact = &run->w->topology.contact;
    write_counters(contact, stats);
    stats->contact.distance = contact->settings.barrier.reach;
    stats->contact.slip_velocity = contact->settings.slip_velocity;
    stats->newton.velocity_tolerance = run->problem.options.velocity_tolerance;
    stats->step.parts = run->motion_parts;
    contact_stiffness_report(run->w, stats);
}

const struct contact_run contact_run_barrier = {
    .prepare = prepare,
    .begin = begin,
    .velocity_tolerance = velocity_tolerance,
    .count_parts = count_parts,
    .begin_step = contact_stiffness_begin_step,
    .commit = commit,
    .write_stats = write_stats,
};
