// Automatic values of contact: docs/numbers.md, "Automatic values".
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/contact_scale.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/objects/vertices.h"

// A body's contact distance, relative to its size, and to the mean edge of its mesh. The latter
// keeps vertices that are adjacent to a triangle out of its contact distance.
static const double DISTANCE_OVER_SIZE = 5e-3;
static const double DISTANCE_OVER_EDGE = 0.05;

// For spheres of bonded bodies, relative to their mean radius and to the smallest radius. Bonded
// spheres leave a gap of 0.22 of a radius (bonded_body.c), so that there is no contact force at
// rest. When fragments move by fractions of a radius per step, this distance needs a fifth of the
// Newton iterations of a hundredth of the radius.
static const double DISTANCE_OVER_RADIUS = 0.1;
static const double DISTANCE_OVER_LEAST_RADIUS = 0.2;

// Relative to sqrt(g size), the speed after a fall from half the size; without gravity relative to
// FALLS_PER_SECOND sizes per second.
static const double SLIP_OVER_FALL = 3e-3;
static const double TOLERANCE_OVER_FALL = 1e-2;
// For static schemes, the sliding distance per call, whatever its duration.
static const double STATIC_SLIP_OVER_SIZE = 1e-4;
// Energy control adds the residual of a solve as an impulse (docs/integrators.md, "Energy
// control"), so its stages need a smaller tolerance. With a tenth, A-search still loses 1e-3 of the
// angular momentum of a brick that rotates by 5 degrees per step, in two seconds.
static const double TOLERANCE_OF_ENERGY_CONTROL = 1e-2;
static const double FALLS_PER_SECOND = 3.0;

// The stiffness as a multiple of mass / h^2 (docs/theory/contact.md section 2.4). The value is in
// the middle of the two decades in which Newton's method needs fewest iterations. For a deformable
// body the mass of this many vertices counts.
static const double STIFFNESS_OVER_INERTIA = 30.0;
static const double VERTICES_THAT_COUNT = 30.0;

// For static schemes: a contact at a quarter of the distance carries the force that strains the
// material of an average node by this much.
static const double STATIC_STRAIN = 1e-3;

// A contact at a gap of y r, r the contact distance, carries the force k r f(y) with f(y) = (1 - y)
// (-2 ln y + (1 - y) / y). These are f(1/4) and f(1/10).
static const double LOAD_AT_A_QUARTER = 4.33;
static const double LOAD_AT_A_TENTH = 12.2;

// Used if no body has a size.
static const double SIZE_OF_NOTHING = 1.0;

// --- sizes ---

/// The extent of the initial positions, for bodies without a rest shape.
static double initial_extent(const struct scene *scene, const struct body *body) {
    return body_extent(nodes_count_positions(&scene->nodes, body->node_start, body->node_count),
                       scene->nodes.initial + 3 * body->node_start);
}

/// The mean distance, m, of the contact surface from the particles of a body.
static double radius_of(const struct body *body) {
    double sum = 0.0;
    for (size_t i = 0; body_has_spheres(body) && i < body->vertex_count; i++) {
        sum += body->bonds.contact_radii[i];
    }
    return body->contact.offset + sum / (double)body->vertex_count;
}

/// The edge of a cube with the body's diagonal, or the contact diameter of particles. 0 for a
/// point.
static double size_of(const struct scene *scene, const struct body *body) {
    if (body->triangle_count == 0 && radius_of(body) > 0.0) {
        return 2.0 * radius_of(body);
    }
    const double extent = body->extent > 0.0 ? body->extent : initial_extent(scene, body);
    return extent / sqrt(3.0);
}

/// The mean edge length of the body's triangles, m; infinite if there are none.
static double mean_side(const struct scene *scene, const struct body *body) {
    double sum = 0.0;
    for (size_t k = 0; k < 3 * body->triangle_count; k++) {
        double a[3], b[3], side[3];
        vertices_rest(&scene->nodes, body, body->triangles[k], a);
        vertices_rest(&scene->nodes, body, body->triangles[k % 3 == 2 ? k - 2 : k + 1], b);
        subtract3(b, a, side);
        sum += norm3(side);
    }
    return body->triangle_count > 0 ? sum / (3.0 * (double)body->triangle_count) : INFINITY;
}

/// The contact distance that suits one body; infinite or 0 if it has no size.
static double distance_of(const struct scene *scene, const struct body *body, double size) {
    if (!body_has_spheres(body)) {
        return fmin(DISTANCE_OVER_SIZE * size, DISTANCE_OVER_EDGE * mean_side(scene, body));
    }
    if (body->bonds.rest_gap > 0.0) {
        return fmin(DISTANCE_OVER_RADIUS * radius_of(body), body->bonds.rest_gap);
    }
    double least = INFINITY;
    for (size_t i = 0; i < body->vertex_count; i++) {
        least = fmin(least, body->contact.offset + body->bonds.contact_radii[i]);
    }
    return least > 0.0
               ? fmin(DISTANCE_OVER_RADIUS * radius_of(body), DISTANCE_OVER_LEAST_RADIUS * least)
               : DISTANCE_OVER_SIZE * size;
}

// --- lengths and speeds ---

struct smallest {
    double size, distance; ///< m; infinite where no body has a size
};

static struct smallest smallest_of(const struct scene *scene) {
    struct smallest least = {INFINITY, INFINITY};
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double size = size_of(scene, body);
        const double distance = distance_of(scene, body, size);
        if (isnormal(distance)) {
            least.size = fmin(least.size, size);
            least.distance = fmin(least.distance, distance);
        }
    }
    return least;
}

struct contact_scale contact_scale_of(const struct scene *scene) {
    const pbs_world_desc *s = &scene->settings;
    const struct smallest least = smallest_of(scene);
    const double size = isfinite(least.size) ? least.size : SIZE_OF_NOTHING;
    const double distance = isfinite(least.distance) ? least.distance : DISTANCE_OVER_SIZE * size;
    return (struct contact_scale){
        .size = size, .distance = s->contact_distance > 0.0 ? s->contact_distance : distance};
}

double contact_scale_distance(const struct scene *scene, const struct body *body) {
    const double chosen = distance_of(scene, body, size_of(scene, body));
    if (scene->settings.contact_distance > 0.0) {
        return scene->settings.contact_distance;
    }
    return isnormal(chosen) ? chosen : DISTANCE_OVER_SIZE * SIZE_OF_NOTHING;
}

/// The speed, m/s, after a fall from half the size.
static double fall_of(const pbs_world_desc *settings, double size) {
    const double g = norm3(settings->gravity);
    return g > 0.0 ? sqrt(g * size) : FALLS_PER_SECOND * size;
}

double contact_scale_slip_velocity(const struct scene *scene, const struct contact_scale *scale,
                                   double h) {
    const pbs_world_desc *settings = &scene->settings;
    if (settings->slip_velocity > 0.0) {
        return settings->slip_velocity;
    }
    return scene->integrator.scheme->is_static ? STATIC_SLIP_OVER_SIZE * scale->size / h
                                               : SLIP_OVER_FALL * fall_of(settings, scale->size);
}

double contact_scale_velocity_tolerance(const struct scene *scene,
                                        const struct contact_scale *scale) {
    const pbs_world_desc *settings = &scene->settings;
    const bool controlled = scene->integrator.scheme->control != CONTROL_NONE;
    const double chosen = TOLERANCE_OVER_FALL * fall_of(settings, scale->size) *
                          (controlled ? TOLERANCE_OF_ENERGY_CONTROL : 1.0);
    return settings->velocity_tolerance >= 0.0 ? settings->velocity_tolerance : chosen;
}

// --- stiffness ---

/// The mean elastic force scale of the body's nodes, N.
static double elastic_force(const struct scene *scene, const struct body *body) {
    double sum = 0.0;
    for (size_t i = 0; i < body->node_count; i++) {
        sum += scene->nodes.stiffness[body->node_start + i];
    }
    return sum / (double)body->node_count;
}

double contact_scale_weight(const struct scene *scene, const struct body *body) {
    double gravity[3];
    body_gravity(body, scene->settings.gravity, gravity);
    return body_mass(&scene->nodes, body) * norm3(gravity) / LOAD_AT_A_QUARTER;
}

double contact_scale_stiffness(const struct scene *scene, const struct body *body, double distance,
                               double h) {
    const double mass = body_mass(&scene->nodes, body);
    const double share = !vertices_are_nodes(body)
                             ? 1.0
                             : fmin(1.0, VERTICES_THAT_COUNT / (double)body->vertex_count);
    const double resisting = scene->integrator.scheme->is_static
                                 ? STATIC_STRAIN * elastic_force(scene, body) /
                                       (LOAD_AT_A_QUARTER * distance)
                                 : STIFFNESS_OVER_INERTIA * share * mass / (h * h);
    return fmax(resisting, contact_scale_weight(scene, body) / distance);
}

double contact_scale_load_of(double force) {
    return force / LOAD_AT_A_TENTH;
}

// --- division of steps ---

uint32_t contact_scale_parts(double motion, uint32_t divisions) {
    enum { MOST = 3 };
    uint32_t parts = 1;
    for (uint32_t i = 0; i < divisions && i < MOST && motion > CONTACT_SCALE_MOTION * parts; i++) {
        parts *= 2;
    }
    return parts;
}
