// Measures the contacts of each part of a collision mesh: the largest force and the smallest gap,
// from which the stiffness of its barriers is chosen; and how far parts move relative to each other
// in a step, from which the step size is chosen.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_STIFFNESS_PART_LOADS_H
#define PBS_CONTACT_STIFFNESS_PART_LOADS_H

#include "contact/barrier/barrier_contact.h"

struct part_load {
    double force;  ///< N: the largest force of a single contact
    double gap;    ///< the smallest gap over the reach; infinity without contacts
    double raised; ///< N: the largest force that has been too much for its barriers in this run
    double acting; ///< N: what acts on the part besides contact; infinite: not known
    double asked;  ///< scratch, N
    uint32_t next; ///< a part that it touches, towards the one that stands for all of them
};

/// forces = for each part the largest force of its contacts found last whose gap is below `share`
/// of their reach. Returns whether there are any.
bool part_loads_find_close(const struct barrier_contact *contact, double share,
                           struct part_load *loads);

/// Limits those forces to what acts on all parts that touch each other, directly or through others:
/// no contact of theirs can bear more, whatever an unfinished search has found. Where that is not
/// known, to many times what their barriers carry. Fill in `acting`.
void part_loads_limit(const struct barrier_contact *contact, struct part_load *loads);

/// Raises the `raised` of parts to those forces, or so far that no contact found last, now at the
/// start of the step, pushes with more than `share` of them: what is pressed would be thrown.
/// Returns whether any rose.
bool part_loads_raise(const struct barrier_contact *contact, double share, struct part_load *loads);

/// Fills loads, one for each part of the mesh, from the state evaluated last.
void part_loads_measure(const struct barrier_contact *contact, struct part_load *loads);

/// Bounds of a part's motion in a step.
struct part_motion {
    uint32_t part;
    double low[3], high[3];        ///< m: bounding box of its whole motion
    double slowest[3], fastest[3]; ///< m/s: per axis, the least and the largest velocity of its
                                   ///< points
    double size;                   ///< m: the diagonal of its bounding box over sqrt(3)
};

/// Returns the largest relative displacement of two parts in h seconds over the size of the larger
/// part, among all pairs that may touch and whose swept boxes overlap; 0 if it is not above
/// `enough`. Obstacles and single points are not considered. x, v: node order. motions: scratch,
/// one for each part of the mesh.
double part_loads_relative_motion(struct barrier_contact *contact, struct tasks *tasks,
                                  const double *x, const double *v, double h, double enough,
                                  struct part_motion *motions);

#endif
