// What a call that moves the world does about its contact, by kinds of contact (contact_kind.h) as
// rows: before its first step, between steps, and where it lands. What contact does in a step is
// struct contact_table's (src/contact).
#ifndef PBS_WORLD_STEPPING_CONTACT_RUN_H
#define PBS_WORLD_STEPPING_CONTACT_RUN_H

#include "world/stepping/run.h"

/// Functions may be null where there is nothing to do.
struct run_contact {
    int32_t id; ///< PBS_CONTACT_*
    /// Builds what has changed since it was built, and lists it (topology.contacts).
    pbs_status (*prepare)(pbs_world *w);
    /// What hosts may have changed since the step before; run->problem is filled.
    pbs_status (*begin)(struct run *run);
    /// m/s: of velocities, where the host leaves that to the library; null: none.
    double (*velocity_tolerance)(const pbs_world *w);
    /// Into how many equal parts a step of h seconds is divided beforehand.
    uint32_t (*count_parts)(struct run *run, double h);
    /// The run has landed: what the next one is to know.
    void (*commit)(struct run *run);
    void (*write_stats)(const struct run *run, pbs_stats *stats);
};

extern const struct run_contact run_contact_projection, run_contact_barrier, run_contact_penalty;

const struct run_contact *run_contact_of(const struct scene *scene);

/// Colliders on their way between two fractions of the run, for all contacts.
void run_contact_set_obstacles(struct run *run, double now, double target);

// As the row has them.
void run_contact_commit(struct run *run);
void run_contact_write_stats(const struct run *run, pbs_stats *stats);

#endif
