// What pbs_world_step and pbs_world_advance do for contact before the first step, between steps,
// and when the call is committed: functions of each kind of contact, in `run` of its row
// (contact_kind.h). Functions used within a step are in struct contact_table (src/contact).
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_STEPPING_CONTACT_RUN_H
#define PBS_WORLD_STEPPING_CONTACT_RUN_H

#include "world/contact_scenes/contact_kind.h"
#include "world/stepping/run.h"

/// Functions may be null if there is nothing to do.
struct contact_run {
    /// Rebuilds the contacts that are out of date, and lists all in solver.contacts.
    pbs_status (*prepare)(pbs_world *w);
    /// Reads what the host may have changed since the last call. run->problem is filled.
    pbs_status (*begin)(struct run *run);
    /// The automatic velocity_tolerance, m/s; null: there is none.
    double (*velocity_tolerance)(const pbs_world *w);
    /// Returns into how many equal parts a step of h seconds is divided before it is solved; null:
    /// 1.
    uint32_t (*count_parts)(struct run *run, double h);
    /// Called before each attempt at a step or a part of one; null: there is nothing to do.
    void (*begin_step)(struct run *run);
    /// Called after a part has been solved or has failed, before it is accepted. Returns whether it
    /// has changed anything for which the part is to be taken again; null: no.
    bool (*relieve)(struct run *run, const struct step_span *span, bool has_landed);
    /// Stores what the next call uses, when this one is committed.
    void (*commit)(struct run *run);
    void (*write_stats)(const struct run *run, pbs_stats *stats);
};

const struct contact_run *contact_run_of(const struct scene *scene);

/// Sets the obstacles of all contacts to move from their poses at the fraction `now` of the call to
/// those at the fraction `target`.
void contact_run_set_obstacles(struct run *run, double now, double target);

// Call the functions of the world's kind of contact.
void contact_run_begin_step(struct run *run);
bool contact_run_relieve(struct run *run, const struct step_span *span, bool has_landed);
void contact_run_commit(struct run *run);
void contact_run_write_stats(const struct run *run, pbs_stats *stats);

#endif
