// Obstacles: shapes with prescribed motion, and the smooth surfaces that make up their boundaries.
// SPDX-License-Identifier: MIT
#ifndef PBS_CONTACT_SURFACES_OBSTACLE_H
#define PBS_CONTACT_SURFACES_OBSTACLE_H

#include "contact/surfaces/closest_point.h"

/// A collider, posed at one time, with its velocities.
struct obstacle {
    struct shape shape;
    struct pose pose;
    bool is_penalty;            ///< it acts as a penalty with `stiffness`; projections ignore it
    double stiffness;           ///< Pa; 0: use the stiffness of the penetrating part
    double friction;            ///< Coulomb coefficient
    double velocity[3];         ///< m/s, of the pose's origin
    double angular_velocity[3]; ///< rad/s, about the pose's origin
    double velocity_before[3], angular_velocity_before[3]; ///< in the previous step
};

/// Writes shape and pose of each smooth piece of the boundary (shape_pieces), unless out is null;
/// returns their number. None for a penalty.
size_t obstacle_surfaces(const struct obstacle *obstacle, struct contact_surface *out);
size_t obstacle_surface_count(const struct obstacle *obstacle);

/// v = the velocity of the obstacle's surface at x, m/s.
void obstacle_velocity(const struct obstacle *obstacle, const double x[3], double v[3]);

/// v = the mean of the surface's velocities at x in this step and in the previous one, m/s. steady:
/// the previous velocity is taken to be the same.
void obstacle_mean_velocity(const struct obstacle *obstacle, bool steady, const double x[3],
                            double v[3]);

#endif
