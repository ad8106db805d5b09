// The contact work of pbs_world_step and pbs_world_advance: one struct of functions per kind of
// contact (contact_kind.h), called before the first step, between steps, and when the call is
// committed. Functions used within a step are in struct contact_table (src/contact).
#ifndef PBS_WORLD_STEPPING_CONTACT_RUN_H
#define PBS_WORLD_STEPPING_CONTACT_RUN_H

#include "world/stepping/run.h"

/// Functions may be null if there is nothing to do.
struct run_contact {
    int32_t id; ///< PBS_CONTACT_*
    /// Rebuilds the contacts that are out of date, and lists all in topology.contacts.
    pbs_status (*prepare)(pbs_world *w);
    /// Reads what the host may have changed since the last call. run->problem is filled.
    pbs_status (*begin)(struct run *run);
    /// The automatic velocity_tolerance, m/s; null: there is none.
    double (*velocity_tolerance)(const pbs_world *w);
    /// Returns into how many equal parts a step of h seconds is divided before it is solved; null:
    /// 1.
    uint32_t (*count_parts)(struct run *run, double h);
    /// Stores what the next call uses, when this one is committed.
    void (*commit)(struct run *run);
    void (*write_stats)(const struct run *run, pbs_stats *stats);
};

extern const struct run_contact run_contact_projection, run_contact_barrier, run_contact_penalty;

const struct run_contact *run_contact_of(const struct scene *scene);

/// Sets the obstacles of all contacts to move from their poses at the fraction `now` of the call to
/// those at the fraction `target`.
void run_contact_set_obstacles(struct run *run, double now, double target);

// Call the functions of the world's kind of contact.
void run_contact_commit(struct run *run);
void run_contact_write_stats(const struct run *run, pbs_stats *stats);

#endif
