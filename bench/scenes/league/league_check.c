// Checks of random worlds; see league_check.h.
// SPDX-License-Identifier: MIT
#include "scenes/league/league_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "geometry/distances/distance.h"
#include "geometry/meshes/solid_angle.h"
#include "geometry/shape.h"

// A sphere may reach into another one by what rounding leaves of a gap: a part of the coordinates.
static const double ROUNDING = 1e-12;

void league_checker_init(struct league_checker *checker) {
    surface_check_init(&checker->surfaces);
}

void league_checker_free(struct league_checker *checker) {
    surface_check_free(&checker->surfaces);
}

// --- what touches what ---

static bool are_joined(const struct league *l, size_t a, size_t b) {
    for (size_t j = 0; j < l->joint_count; j++) {
        const int32_t *const body = l->joints[j].body;
        const bool same = ((size_t)body[0] == a && body[1] == (int32_t)b) ||
                          ((size_t)body[0] == b && body[1] == (int32_t)a);
        if (same && !l->joints[j].touching) {
            return true;
        }
    }
    return false;
}

/// The points of a body that touch: the corners of its triangles, or its particles. What is inside
/// of a solid whose elements may invert touches nothing. Particles' spheres have radii of the
/// library's own, so that their centres are tested.
struct points {
    size_t count;
    const double *x;
    const uint32_t *corners; ///< null: all are
};

static struct points points_of(const struct league *l, size_t body) {
    const pbs_body id = l->bodies[body].id;
    struct points out = {.x = pbs_body_positions(l->world, id)};
    size_t triangles = 0;
    pbs_body_surface(l->world, id, &out.corners, &triangles);
    out.count = triangles > 0 ? 3 * triangles : pbs_body_vertex_count(l->world, id);
    return out;
}

static const double *point_at(const struct points *points, size_t i) {
    return points->x + 3 * (points->corners != NULL ? points->corners[i] : i);
}

// --- surfaces ---

static struct pose pose_of(const struct league *l, size_t collider) {
    struct pose pose;
    double q[4];
    pbs_collider_pose(l->world, l->colliders[collider].id, pose.translation, q);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    memcpy(pose.rotation, rotation, sizeof rotation);
    return pose;
}

static pbs_collider_desc description_of(const struct league *l, size_t collider) {
    pbs_collider_desc d;
    pbs_collider_desc_init(&d, sizeof d);
    pbs_collider_description(l->world, l->colliders[collider].id, &d);
    return d;
}

static struct shape shape_of(const pbs_collider_desc *d) {
    return (struct shape){.kind = d->shape, .size = {d->size[0], d->size[1], d->size[2]}};
}

/// Adds boxes and cylinders as the surfaces that contact has of them, and meshes.
static pbs_status add_obstacles(struct surface_check *check, const struct league *l) {
    for (size_t c = 0; c < l->collider_count; c++) {
        const pbs_collider_desc d = description_of(l, c);
        const struct pose pose = pose_of(l, c);
        struct surface_mesh mesh = l->colliders[c].surface;
        struct shape_surface surface = {0};
        if (d.shape == PBS_SHAPE_BOX || d.shape == PBS_SHAPE_CYLINDER) {
            const struct shape shape = shape_of(&d);
            RETURN_IF_FAILED(shape_surface_make(&check->memory, &shape, &surface));
            mesh = (struct surface_mesh){.vertex_count = surface.point_count,
                                         .positions = surface.points,
                                         .triangle_count = surface.triangle_count,
                                         .triangles = surface.triangles};
        } else if (d.shape != PBS_SHAPE_MESH) {
            continue;
        }
        const pbs_status status = surface_check_add_obstacle(check, &mesh, pose.rotation,
                                                             pose.translation);
        shape_surface_free(&check->memory, &surface);
        RETURN_IF_FAILED(status);
    }
    return PBS_OK;
}

static bool may_overlap(const void *context, uint32_t a, uint32_t b) {
    return are_joined(context, a, b);
}

static pbs_status count_surfaces(struct surface_check *check, const struct league *l,
                                 size_t *count) {
    surface_check_begin(check);
    for (size_t b = 0; b < l->body_count; b++) {
        RETURN_IF_FAILED(surface_check_add_body(check, l->world, l->bodies[b].id));
    }
    RETURN_IF_FAILED(add_obstacles(check, l));
    check->may_overlap = may_overlap;
    check->context = l;
    return surface_check_count(check, count);
}

// --- colliders ---

/// How many vertices of a body are inside of an analytic collider, and triangles in a round one.
static size_t count_inside_collider(const struct league *l, size_t body, size_t collider) {
    const pbs_collider_desc d = description_of(l, collider);
    const struct pose pose = pose_of(l, collider);
    const struct shape shape = shape_of(&d);
    const struct points points = points_of(l, body);
    // The prism of a cylinder lies inside of it, by 1 - cos(pi / 64) of the radius.
    const double least = d.shape == PBS_SHAPE_CYLINDER ? -1.21e-3 * d.size[0] : 0.0;
    size_t count = 0;
    for (size_t v = 0; v < points.count; v++) {
        const double *const x = point_at(&points, v);
        count += shape_distance(&shape, &pose, x, NULL, NULL) <
                 least - ROUNDING * (norm3(x) + norm3(pose.translation));
    }
    return count;
}

/// How many triangles of a body are closer to a sphere's centre, or a capsule's axis, than its
/// radius.
static size_t count_in_round(const struct league *l, size_t body, size_t collider) {
    const pbs_collider_desc d = description_of(l, collider);
    const struct pose pose = pose_of(l, collider);
    const double *const x = pbs_body_positions(l->world, l->bodies[body].id);
    const double half = d.shape == PBS_SHAPE_CAPSULE ? d.size[1] : 0.0;
    double ends[2][3];
    const uint32_t *triangles = NULL;
    size_t triangle_count = 0, count = 0;
    pbs_body_surface(l->world, l->bodies[body].id, &triangles, &triangle_count);
    for (size_t k = 0; k < 3; k++) {
        ends[0][k] = pose.translation[k] - half * pose.rotation[3 * k + 1];
        ends[1][k] = pose.translation[k] + half * pose.rotation[3 * k + 1];
    }
    for (size_t t = 0; t < triangle_count; t++) {
        const double *const c[3] = {x + 3 * (size_t)triangles[3 * t],
                                    x + 3 * (size_t)triangles[3 * t + 1],
                                    x + 3 * (size_t)triangles[3 * t + 2]};
        double squared = fmin(
            closest_squared(PAIR_POINT_TRIANGLE, (const double *[]){ends[0], c[0], c[1], c[2]}),
            closest_squared(PAIR_POINT_TRIANGLE, (const double *[]){ends[1], c[0], c[1], c[2]}));
        for (size_t e = 0; half > 0.0 && e < 3; e++) {
            const double *const pair[4] = {ends[0], ends[1], c[e], c[(e + 1) % 3]};
            squared = fmin(squared, closest_squared(PAIR_EDGE_EDGE, pair));
        }
        count += sqrt(squared) < d.size[0] - ROUNDING * (norm3(c[0]) + norm3(ends[0]));
    }
    return count;
}

// --- insides ---

/// How many points of `body` are in the volume that a closed body encloses.
static size_t count_inside_body(const struct league *l, size_t body, size_t closed) {
    const struct points points = points_of(l, body);
    const pbs_body wall = l->bodies[closed].id;
    const double *const corners = pbs_body_positions(l->world, wall);
    const uint32_t *triangles = NULL;
    size_t triangle_count = 0, count = 0;
    double lower[3], upper[3];
    pbs_body_surface(l->world, wall, &triangles, &triangle_count);
    positions_bounds(corners, pbs_body_vertex_count(l->world, wall), lower, upper);
    for (size_t v = 0; v < points.count; v++) {
        const double *const x = point_at(&points, v);
        const bool near = x[0] > lower[0] && x[0] < upper[0] && x[1] > lower[1] &&
                          x[1] < upper[1] && x[2] > lower[2] && x[2] < upper[2];
        count += near && solid_angle_turns(corners, triangles, triangle_count, x) > 0.5;
    }
    return count;
}

static bool all_finite(const struct league *l) {
    for (size_t b = 0; b < l->body_count; b++) {
        const pbs_body id = l->bodies[b].id;
        const double *const x = pbs_body_positions(l->world, id);
        const double *const v = pbs_body_velocities(l->world, id);
        for (size_t k = 0; k < 3 * pbs_body_vertex_count(l->world, id); k++) {
            if (!isfinite(x[k]) || !isfinite(v[k])) {
                return false;
            }
        }
    }
    return true;
}

/// Adds crossings of one kind.
static void note(struct league_findings *out, size_t count, const char *what, size_t a, size_t b) {
    if (out->crossings == 0 && count > 0) {
        snprintf(out->first, sizeof out->first, "%s_%zu_%zu", what, a, b);
    }
    out->crossings += count;
}

static void count_points(const struct league *l, struct league_findings *out) {
    for (size_t b = 0; b < l->body_count; b++) {
        for (size_t c = 0; c < l->collider_count; c++) {
            const int32_t shape = l->colliders[c].shape;
            if (shape != PBS_SHAPE_MESH) {
                note(out, count_inside_collider(l, b, c), "vertex_in_collider", b, c);
            }
            if (shape == PBS_SHAPE_SPHERE || shape == PBS_SHAPE_CAPSULE) {
                note(out, count_in_round(l, b, c), "triangle_in_collider", b, c);
            }
        }
        for (size_t other = 0; other < l->body_count; other++) {
            if (other != b && l->bodies[other].closed && !are_joined(l, b, other)) {
                note(out, count_inside_body(l, b, other), "vertex_in_body", b, other);
            }
        }
    }
}

/// Edges that meet triangles; owners beyond the bodies are colliders.
static pbs_status count_edges(struct surface_check *check, const struct league *l,
                              struct league_findings *out) {
    size_t count = 0;
    RETURN_IF_FAILED(count_surfaces(check, l, &count));
    if (count > 0) {
        const struct box_pair *const pair = check->search.found.pairs;
        note(out, count, "edge_meets_triangle", check->owners[pair->query / 3],
             check->owners[pair->primitive]);
    }
    return PBS_OK;
}

pbs_status league_check(struct league_checker *checker, const struct league *l,
                        struct league_findings *out) {
    *out = (struct league_findings){.finite = all_finite(l)};
    if (!out->finite || l->contact != PBS_CONTACT_BARRIER) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(count_edges(&checker->surfaces, l, out));
    count_points(l, out);
    return PBS_OK;
}
