// Automatic values of contact: lengths, speeds and stiffnesses that the host leaves to the library
// (members of pbs_world_desc that are 0 or PBS_AUTOMATIC). docs/numbers.md says where each value
// comes from.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_SCALE_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_SCALE_H

#include "world/objects/scene.h"

/// Lengths that follow from the bodies; valid until bodies or their offsets change.
struct contact_scale {
    double size;     ///< m: size of the smallest body
    double distance; ///< m: contact_distance of the host, if set; otherwise the least of all bodies
};

struct contact_scale contact_scale_of(const struct scene *scene);

/// Returns the distance at which one body touches what touches no earlier, m.
double contact_scale_distance(const struct scene *scene, const struct body *body);

/// Returns the slip velocity, m/s: the host's, or one chosen by the smallest body and gravity. For
/// static schemes it is chosen by the smallest body and h, the duration of the call in seconds.
double contact_scale_slip_velocity(const struct scene *scene, const struct contact_scale *scale,
                                   double h);
double contact_scale_velocity_tolerance(const struct scene *scene,
                                        const struct contact_scale *scale);

/// Returns the smallest stiffness of the barriers at a body's surface, N/m, for steps of h seconds.
double contact_scale_stiffness(const struct scene *scene, const struct body *body, double distance,
                               double h);

/// Return stiffness times distance, N, with which one contact carries the body's weight at a gap of
/// a quarter of the distance, or a force at a tenth.
double contact_scale_weight(const struct scene *scene, const struct body *body);
double contact_scale_load_of(double force);

/// If the smallest gap is above this fraction of the distance, the stiffness may decrease.
#define CONTACT_SCALE_WIDE 0.5

/// Returns into how many equal parts, a power of two, a step is divided. motion: the largest motion
/// of a body in the step relative to one that it may meet, divided by their size.
uint32_t contact_scale_parts(double motion, uint32_t divisions);
/// A step with relative motions up to this is not divided.
#define CONTACT_SCALE_MOTION 0.5

#endif
