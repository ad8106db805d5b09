// What the contacts of each part of a collision mesh come to, for choosing how stiff its barriers
// are to be; and how fast parts are about to fly through each other, for choosing the step.
#ifndef PBS_CONTACT_BARRIER_PART_LOADS_H
#define PBS_CONTACT_BARRIER_PART_LOADS_H

#include "contact/barrier/barrier_contact.h"

struct part_load {
    double force; ///< N: the largest of a single contact
    double gap;   ///< the smallest, over the reach; infinity: nothing is within it
};

/// loads: one for each part of the mesh, at the state evaluated last.
void part_loads_measure(const struct barrier_contact *contact, struct part_load *loads);

/// A part on its way through a step.
struct part_motion {
    uint32_t part;
    double low[3], high[3];        ///< m: the box that it moves through
    double slowest[3], fastest[3]; ///< m/s: bounds of the velocities of its points
    double size;                   ///< m: the diagonal of its own box over sqrt(3)
};

/// How far two parts move relative to each other in h seconds, over the smaller one's size: the
/// most of all pairs that may touch and whose boxes meet on the way; 0 where that is `enough` or
/// less. Obstacles are no such parts. x, v: node order. flights: scratch, one for each part of the
/// mesh.
double part_loads_relative_motion(struct barrier_contact *contact, struct tasks *tasks,
                                  const double *x, const double *v, double h, double enough,
                                  struct part_motion *motions);

#endif
