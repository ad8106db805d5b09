// What bodies that were struck would gain if a scheme went on with what it remembers of the hit,
// and the past that they take in place of it (docs/theory/schemes.md section 2.2).
// SPDX-License-Identifier: MIT
#ifndef PBS_INTEGRATE_IMPACTS_STRUCK_MEMORY_H
#define PBS_INTEGRATE_IMPACTS_STRUCK_MEMORY_H

#include "integrate/impacts/struck_bodies.h"
#include "integrate/states/combination.h"
#include "integrate/states/rotations.h"

/// What an island would have more than before if it did not forget, J.
struct struck_gain {
    double since_now;    ///< than what z_n promised
    double since_before; ///< than at z_{n-1}
    double force[3];     ///< N, of obstacles on it
    double power;        ///< W, what these supply as they move
    double velocity[3];  ///< m/s, along the force: of the obstacles, from which energies are seen
};

/// What an island remembers together, per axis.
struct struck_momentum {
    double mass[3]; ///< kg
    double sum[3];  ///< kg m/s
};

/// Zero-initialised: valid and empty. Arrays of nodes.
struct struck_memory {
    struct struck_gain *gains;         ///< per body: of the first of an island
    struct struck_momentum *momentums; ///< likewise
    double *promised, *promised_now;   ///< m/s, 3: see struct struck_motion
    struct kinematics past;            ///< of those that forget, others' as they are
};

pbs_status struck_memory_reserve(struct struck_memory *memory, struct memory *allocator,
                                 size_t node_count);
void struck_memory_free(struct struck_memory *memory, struct memory *allocator);

/// A stage and the states that it goes on from.
struct struck_motion {
    const struct kinematics *next;   ///< its solution
    const struct kinematics *now;    ///< z_n
    const struct kinematics *before; ///< z_{n-1}; null: the scheme goes on from z_n alone
    const double *promised;          ///< m/s: what the scheme makes of `next` in uniform motion
    const double *promised_now;      ///< m/s: what it made of z_n so
    const double *contact_force;     ///< N, of barriers, at next
    const double *contact_force_now; ///< N, likewise at z_n, where accelerations are known; null:
                                     ///< not known
    double since, since_before;      ///< s, from z_n to next, from z_{n-1} to z_n
    double length;                   ///< s, b of the stage
};

/// Those islands that go on with no more energy than they came with are not struck: what the scheme
/// remembers of the hit they lost in it.
void struck_memory_spare(struct struck_memory *memory, struct struck_bodies *struck,
                         const struct objective *objective, const struct struck_motion *motion);

/// Writes the past of those that are struck: they were where uniform motion was that ends in `next`
/// with what the island remembers but for the forces of barriers in this stage. So momentum is
/// conserved. Others' past is that of z_n, with the accelerations of `next`.
void struck_memory_replace(struct struck_memory *memory, const struct struck_bodies *struck,
                           const struct objective *objective, const struct struck_motion *motion);

/// Puts the past of those that are struck in place of the state before z_n. Rotations, whose chart
/// has moved on to z_n since, have turned uniformly for h seconds. rotations: null: there are none.
void struck_memory_accept(const struct struck_memory *memory, const struct struck_bodies *struck,
                          const struct rotations *rotations, const struct kinematics *now, double h,
                          const struct kinematics *before);

#endif
