// What worlds of league.h are made of: bodies, colliders, joints. After a failure, which the world
// records, all functions do nothing.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LEAGUE_PARTS_H
#define PBS_BENCH_LEAGUE_PARTS_H

#include "scenes/league/league.h"
#include "scenes/league/league_random.h"

static const double LEAGUE_GRAVITY = 9.81; // m/s^2

/// Records the first failure; returns whether all is well.
bool league_note(struct league *league, pbs_status status);
/// Likewise, of memory or a shape that could not be made.
bool league_made(struct league *league, bool made);

/// Adds one body of a random kind and size above what is there already.
void league_add_body(struct league *league, struct league_random *random);
/// Pins a part of a body where it may, or fills it, or does neither.
void league_constrain_body(struct league *league, struct league_random *random, size_t index,
                           bool may_pin);

/// Adds what everything falls on, or nothing.
void league_add_floor(struct league *league, struct league_random *random);
/// Adds one more collider of a random shape, which may move.
void league_add_collider(struct league *league, struct league_random *random);

/// Joins two bodies, or one to space (b = -1), by a joint of a random kind.
void league_add_joint(struct league *league, struct league_random *random, int32_t a, int32_t b);

/// Finds a place for a box of that size: how far to move it so that it is above all that is below
/// it, at a random gap.
void league_find_place(struct league *league, struct league_random *random, double lower[3],
                       double upper[3], double move[3]);

/// The energy of one spring of a custom body; user: struct league_springs.
int32_t league_spring_energy(void *user, size_t stencil, const double *x, int32_t project,
                             double *value, double *gradient, double *hessian);

#endif
