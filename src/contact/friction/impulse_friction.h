// Coulomb friction after the solve (OPT section 5.3; docs/theory/contact.md section 8.4). It
// applies impulses to velocities, one contact after another, each at most as large as the one that
// stops the slip. Contacts are points inside solids and points at obstacles, which have infinite
// mass. Positions do not change. Stateless.
// SPDX-License-Identifier: MIT
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

/// One contact. The velocity of its first side relative to the second is sum weight_i v_i over the
/// nodes, minus `moving`. Nodes of the second side have negative weights; for an obstacle `moving`
/// is its velocity.
struct friction_contact {
    int count;
    uint32_t node[CONTACT_STENCIL_LIMIT];
    double weight[CONTACT_STENCIL_LIMIT];
    double normal[3];  ///< unit, of either sign
    double force;      ///< N, along the normal
    double friction;   ///< Coulomb coefficient
    double moving[3];  ///< m/s: velocity of the obstacle at the contact; 0 between bodies
    double impulse[3]; ///< out, N s, on the first side; node i gets weight_i times it
};

/// Sets the nodes and weights of a contact from those of its points. A node that several points
/// share is listed once.
void friction_contact_set_nodes(const struct collision_mesh *mesh, const uint32_t *points,
                                const double *weights, int point_count,
                                struct friction_contact *out);

/// Applies the friction of all contacts, in order, in a step of h seconds. Constrained axes retain
/// their velocities. Returns the dissipated energy, J, relative to obstacles and to constrained
/// nodes.
double impulse_friction(const struct friction_motion *motion, struct friction_contact *contacts,
                        size_t count);

/// Returns the impulse against a motion, N s: at most `limit`, and at most what stops the motion.
/// mobility, 1/kg: change of speed per unit impulse. *heat += the energy that the impulse
/// dissipates.
static inline double friction_impulse(double speed, double limit, double mobility, double *heat) {
    const double stop = speed / mobility;
    const double impulse = fmin(limit, stop);
    *heat += impulse * (speed - 0.5 * impulse * mobility);
    return impulse;
}

#endif
