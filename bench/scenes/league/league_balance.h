// Balances momentum and energy of a random world over its steps, from what a host can read back.
//
// Momentum. With implicit Euler a step is M (v' - v) = h f(x'), f all forces where it ends. So the
// change of a body's momentum is h m g plus the impulse of its contacts (pbs_body_contact_force,
// friction included, the total of a call) plus that of its joints and pins. Bodies that joints
// connect are one group, within which the forces of joints cancel; forces of joints to space
// (pbs_joint_state) and of pins (pbs_body_constraint_forces) are those at the end of the call, so
// groups that have any are balanced only over steps that were not divided, and with pins only while
// friction is 0, which constraint forces leave out. What elasticity, pressure on a closed surface
// and contact of a body with itself exert adds up to 0.
//
// What is left is the residual of the minimisation, summed over the group's n nodes: no more than
// sqrt(n) times its norm, which pbs_stats tells (`excess`: how much more it is). A stage is solved
// when that is a small part of the forces that act on the group, so it is compared with
// these: of each step the weight, the normal forces of contacts with others and the change of
// momentum, each times h. The library's tolerance is 1e-6 of a reference force, or a step of Newton
// that changes no velocity by 1e-2 sqrt(g size): an error of the sum over steps above 1 % of the
// sum of these is a fault, not a tolerance.
//
// Energy. Implicit Euler dissipates. The total of pbs_energy plus what was dissipated, less the
// work of moving colliders (impulse times velocity, and angular impulse times angular velocity,
// both exact where forces are those at the end of the step), must not grow. Worlds with motors or
// springs of joints, which are not in pbs_energy, are left out, and so are those that held or
// pressed volumes move to another volume. The gain is the largest rise above the least value
// before, over the largest kinetic energy so far, and at least that of a fall of each body by its
// size.
// SPDX-License-Identifier: MIT
#ifndef PBS_BENCH_LEAGUE_BALANCE_H
#define PBS_BENCH_LEAGUE_BALANCE_H

#include "scenes/league/league.h"

struct league_balance {
    int32_t group[LEAGUE_BODIES];      ///< the least index of a body in its group
    bool held[LEAGUE_BODIES];          ///< of a group: joints or pins connect it to space
    double momentum[LEAGUE_BODIES][3]; ///< kg m/s, of bodies, where the last step ended
    double residual[LEAGUE_BODIES][3]; ///< N s, of groups: what no force accounts for, in all steps
    double scale[LEAGUE_BODIES];       ///< N s, of groups: the sum of what acts
    double excess;                     ///< the largest residual of an undivided step over what the
                   ///< norm of the gradient and rounding allow; above 1 momentum
                   ///< is lost or made where no statistics say so
    double worst_step; ///< the largest residual of a step over what acted in it
    size_t worst_at;   ///< steps balanced before that one
    size_t steps;
    bool closed;                          ///< nothing that is not accounted for does work
    double work;                          ///< J, of moving colliders
    double least_energy, gain, reference; ///< J
    double before_place[LEAGUE_COLLIDERS][3], before_turn[LEAGUE_COLLIDERS][4];
    size_t contact_capacity;
    pbs_contact *contacts;
};

void league_balance_begin(struct league_balance *balance, const struct league *league);
void league_balance_free(struct league_balance *balance);
/// Before a step: notes where colliders are.
void league_balance_before(struct league_balance *balance, const struct league *league);
/// After a step that landed.
void league_balance_after(struct league_balance *balance, const struct league *league);

/// The largest error of a group's momentum over what acted on it; *group becomes which one.
double league_momentum_error(const struct league_balance *balance, const struct league *league,
                             size_t *group);
/// The gain over the reference; not a number where the world is not closed.
double league_energy_gain(const struct league_balance *balance);

#endif
