// The lengths and speeds of contact that a host leaves to the library (members of pbs_world_desc
// that are 0 or PBS_AUTOMATIC). docs/numbers.md says where each comes from.
#ifndef PBS_WORLD_CONTACT_SCENES_CONTACT_SCALE_H
#define PBS_WORLD_CONTACT_SCENES_CONTACT_SCALE_H

#include "world/objects/scene.h"

/// What follows from the bodies; good until bodies or their offsets change.
struct contact_scale {
    double size;     ///< m: of the smallest body
    double distance; ///< m: contact_distance, the host's where that has set it; else never more
                     ///< than scene->last_contact_distance, that of the steps before
};

struct contact_scale contact_scale_of(const struct scene *scene);

/// m/s: the host's, or what follows from the smallest body and gravity; without inertia from that
/// body and the h seconds of a call that moves the world.
double contact_scale_slip_velocity(const struct scene *scene, const struct contact_scale *scale,
                                   double h);
double contact_scale_velocity_tolerance(const struct scene *scene,
                                        const struct contact_scale *scale);

/// N/m: the least stiffness of barriers at a body's surface, in steps of h seconds.
double contact_scale_stiffness(const struct scene *scene, const struct body *body, double distance,
                               double h);

/// N/m: that at which a single contact carries a force at a tenth of the distance.
double contact_scale_stiffness_for_force(double force, double distance);

/// A gap of so much of the distance needs no stiffness that was raised for it.
#define CONTACT_SCALE_WIDE 0.5

/// Halvings of a failed step, where there are barriers and the host leaves that to the library.
enum { CONTACT_SCALE_DIVISIONS = 3 };

/// Into how many equal parts, a power of two, a step is divided in which bodies move `flight` times
/// the size of what they meet.
uint32_t contact_scale_parts(double motion, uint32_t divisions);
/// Flights up to this divide no step.
#define CONTACT_SCALE_MOTION 0.5

#endif
