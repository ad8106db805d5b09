// Coulomb friction after the solve: impulses on velocities, one contact after another, none larger
// than what ends the sliding (OPT section 5.3; docs/theory/contact.md section 8.4). Of points
// inside solids, and of points at obstacles, which are a side of infinite mass. Positions are not
// touched. Keeps nothing.
#ifndef PBS_CONTACT_FRICTION_IMPULSE_FRICTION_H
#define PBS_CONTACT_FRICTION_IMPULSE_FRICTION_H

#include <math.h>

#include "contact/contact_blocks.h"

/// Masses and velocities of all nodes.
struct friction_motion {
    const double *mass;              ///< per node, kg
    const uint8_t *constrained_axes; ///< per node, PBS_AXIS_* bits
    double h;                        ///< s
    double *velocity;                ///< per node, 3
};

/// One contact. Its first side moves at sum share_i v_i over nodes less what its second side does:
/// nodes of that have negative shares, and an obstacle has `moving`.
struct friction_contact {
    int count;
    uint32_t node[CONTACT_STENCIL_LIMIT];
    double weight[CONTACT_STENCIL_LIMIT];
    double normal[3];  ///< unit, of either direction
    double force;      ///< N, along the normal
    double friction;   ///< Coulomb coefficient
    double moving[3];  ///< m/s, of an obstacle at the contact; else 0
    double impulse[3]; ///< out, N s, on the first side; node i has share_i of it
};

/// The nodes and shares of points with these weights; those that share a node have one entry.
void friction_contact_set_nodes(const struct collision_mesh *mesh, const uint32_t *points,
                                const double *weights, int point_count,
                                struct friction_contact *out);

/// Friction of contacts in their order, in a step of h seconds. Held axes keep their velocities.
/// Returns what the impulses take out, J, relative to obstacles and to what is held.
double impulse_friction(const struct friction_motion *motion, struct friction_contact *contacts,
                        size_t count);

/// The impulse against a motion, N s, no larger than `limit` and than what ends it. mobility, 1/kg:
/// by how much an impulse of 1 changes the speed. *heat += the energy that it takes.
static inline double friction_impulse(double speed, double limit, double mobility, double *heat) {
    const double stop = speed / mobility;
    const double impulse = fmin(limit, stop);
    *heat += impulse * (speed - 0.5 * impulse * mobility);
    return impulse;
}

#endif
