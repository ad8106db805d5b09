// Obstacles: shapes that follow a script, and the smooth surfaces that their boundaries are made
// of.
#ifndef PBS_CONTACT_SURFACES_OBSTACLE_H
#define PBS_CONTACT_SURFACES_OBSTACLE_H

#include "contact/surfaces/closest_point.h"

/// A collider at the end of the step.
struct obstacle {
    struct shape shape;
    struct pose pose;
    bool is_penalty;    ///< a penalty of `stiffness`, and no constraint: projections leave it out
    double stiffness;   ///< Pa; 0: that of what is inside
    double friction;    ///< Coulomb coefficient
    double velocity[3]; ///< m/s, of the pose's origin
    double angular_velocity[3];                            ///< rad/s, about the pose's origin
    double velocity_before[3], angular_velocity_before[3]; ///< in the step before
};

/// Inner edges of a room and of a hollow cylinder cut them into several surfaces, 6 at most; a
/// penalty has none. Writes shape and pose of each; returns how many.
size_t obstacle_surfaces(const struct obstacle *obstacle, struct contact_surface *out);
size_t obstacle_surface_count(const struct obstacle *obstacle);

/// The velocity of the obstacle's surface at x, m/s.
void obstacle_velocity(const struct obstacle *obstacle, const double x[3], double v[3]);

/// The mean of the surface's velocities at x in this step and the one before, m/s. steady: it was
/// the same before.
void obstacle_mean_velocity(const struct obstacle *obstacle, bool steady, const double x[3],
                            double v[3]);

#endif
