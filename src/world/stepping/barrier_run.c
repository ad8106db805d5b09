// PBS_CONTACT_BARRIER in a run; see contact_run.h.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "world/contact_scenes/close_pairs.h"
#include "world/contact_scenes/contact_scene.h"
#include "world/stepping/contact_run.h"
#include "world/stepping/contact_stiffness.h"
#include "world/stepping/failure.h"

static pbs_status prepare(pbs_world *w) {
    struct solver *t = &w->solver;
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

/// How far a node would move in a step of length h along an axis without contact and inner forces,
/// m.
static double free_motion(const struct run *run, size_t node, size_t axis, double h) {
    const struct nodes *nodes = &run->w->scene.nodes;
    const struct model *model = &run->w->solver.model;
    const size_t k = 3 * node + axis;
    if ((nodes->constrained_axes[node] >> axis & 1) != 0) {
        return nodes->kind[node] == NODE_ROTATION ? 0.0 : nodes->target[k] - nodes->x[k];
    }
    const double weight = model->gravity.weight != NULL ? model->gravity.weight[k] : 0.0;
    const double force = model->gravity.mass[node] * model->gravity.acceleration[axis] + weight +
                         model->loads.force[k];
    const double falls = nodes->mass[node] > 0.0 ? h * h * force / nodes->mass[node] : 0.0;
    return h * nodes->v[k] + falls;
}

/// Whether pairs that have just been placed close meet in the first step, as far as velocities,
/// weights, loads and prescribed motion tell.
static bool meet_soon(struct run *run) {
    struct solver *t = &run->w->solver;
    double *const motion = t->workspace.predictor; // free until the step begins
    for (size_t k = 0; k < 3 * run->w->scene.nodes.count; k++) {
        motion[k] = free_motion(run, k / 3, k % 3, run->first_step);
    }
    return close_pairs_meet(&run->w->scene, &t->contact, motion);
}

/// Checks that the scene that the host has made has no overlaps.
static pbs_status check_overlaps(struct run *run) {
    struct solver *t = &run->w->solver;
    const struct scene *scene = &run->w->scene;
    struct contact_pair pair = {0};
    size_t close = 0;
    close_pairs_forget_moved(scene, &t->contact);
    const pbs_status status = barrier_contact_check(&t->contact, run->w->tasks, scene->nodes.x,
                                                    &pair);
    if (status < 0) {
        return pair.is_known ? failure_overlap(run, &pair) : status;
    }
    RETURN_IF_FAILED(close_pairs_form(scene, &t->contact, &close));
    t->close_pairs_meet = close > 0 && meet_soon(run);
    return PBS_OK;
}

static pbs_status begin(struct run *run) {
    struct solver *t = &run->w->solver;
    const bool adaptive = run->w->scene.expert.adaptive_stiffness != 0;
    if (adaptive || !t->contact_is_checked || t->contact.mesh.close_count > 0) {
        contact_run_set_obstacles(run, 0.0, 0.0);
    }
    if (!t->contact_is_checked) {
        RETURN_IF_FAILED(check_overlaps(run));
    }
    RETURN_IF_FAILED(close_pairs_grow(&t->contact, run->w->tasks, run->w->scene.nodes.x));
    RETURN_IF_FAILED(close_pairs_reserve(&t->contact.mesh, &run->w->memory, &run->w->scene));
    t->contact.settings.slip_velocity = contact_scale_slip_velocity(&run->w->scene,
                                                                    &t->contact_scale, run->h);
    return contact_stiffness_begin(run);
}

static double velocity_tolerance(const pbs_world *w) {
    return contact_scale_velocity_tolerance(&w->scene, &w->solver.contact_scale);
}

/// An impact that passes through several bodies costs as much in several parts as in one step, and
/// the steps succeed more often. What has been placed close to something touches it for the first
/// time, without friction, which is that of the contacts where a part begins.
static uint32_t count_parts(struct run *run, double h) {
    struct solver *t = &run->w->solver;
    const double motion = part_loads_relative_motion(&t->contact, run->w->tasks, t->workspace.now.x,
                                                     t->workspace.now.v, h, CONTACT_SCALE_MOTION,
                                                     t->part_motions);
    const bool comes_close = t->close_pairs_meet && run->elapsed == 0.0;
    return contact_scale_parts(comes_close ? INFINITY : motion, run->division_limit);
}

static void commit(struct run *run) {
    close_pairs_commit(&run->w->solver.contact.mesh, &run->w->scene);
    run->w->solver.close_pairs_meet = false;
    // Not before, so that a call after one that failed finds the same as if that had not been.
    run->w->solver.contact_is_checked = true;
    run->w->scene.has_freed_pair = false;
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
    const struct barrier_contact *contact = &run->w->solver.contact;
    write_counters(contact, stats);
    stats->contact.distance = run->w->solver.contact_scale.distance;
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
    .relieve = contact_stiffness_raise,
    .commit = commit,
    .write_stats = write_stats,
};
