// Finds the bonds of a body in the terms and contacts of its world, and updates these when a bond
// breaks or is restored.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_BREAKING_BOND_PLACE_H
#define PBS_WORLD_BREAKING_BOND_PLACE_H

#include "world/world.h"

/// Where a body's bonds, dashpots and rotations begin among those of all.
struct bond_place {
    const struct bond_term *term;   ///< null: none
    struct spring_damping *damping; ///< of the bonds; null: none
    size_t first_bond, first_rotation, first_dashpot;
};

/// Of the index-th body, which has bonds, in the present solver.
struct bond_place bond_place_of(const pbs_world *w, size_t index);

/// The term of a body's bonds; null: none.
const struct bond_term *bond_term_of(const struct model *model, const struct body *body);
int32_t bond_form_of(const struct body *body);

bool bond_is_broken(const struct bond_place *place, size_t bond);
/// Nothing happens where there is no term.
void bond_mark_broken(const struct bond_place *place, size_t bond, bool broken);

/// m: from how far apart on the particles of the index-th body touch each other; the first: in the
/// contacts of a run, 0 if they have no barriers.
double bond_contact_reach(const pbs_world *w, size_t index);
double bond_contact_distance(const pbs_world *w, size_t index);

/// The index-th body's particles of a bond begin to touch. x: the body's positions; reach: the
/// contact distance.
struct bond_release bond_let_touch(pbs_world *w, size_t index, size_t bond, const double *x,
                                   double reach);
void bond_keep_apart(pbs_world *w, size_t index, size_t bond, const struct bond_release *was);

#endif
