// What the queries of surfaces have in common: filters by group, and the point that is answered.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_QUERIES_SURFACE_QUERY_H
#define PBS_WORLD_QUERIES_SURFACE_QUERY_H

#include "geometry/ray.h"
#include "pbs/query.h"
#include "world/objects/motion.h"
#include "world/world.h"

#define QUERY_NO_TRIANGLE UINT32_MAX

/// The groups of a query, and the surfaces that it searches. Parts are bodies, then colliders.
struct query_scope {
    const pbs_world *world;
    const struct query_index *index;
    uint32_t group, mask;
};

/// A point of a surface.
struct query_point {
    size_t part;                   ///< SIZE_MAX: none
    uint32_t triangle;             ///< in the index; QUERY_NO_TRIANGLE: of a shape
    double weights[3];             ///< of the triangle
    double distance;               ///< m
    double normal[3], position[3]; ///< of a shape
};

/// Checks what all queries check, and updates the index. The query is of no group until
/// query_set_groups.
pbs_status query_begin(const pbs_world *w, int32_t reserved, double distance,
                       struct query_scope *out);
void query_set_groups(uint32_t group, uint32_t mask, struct query_scope *scope);

/// Checks that a direction is finite and not zero.
pbs_status query_check_direction(const double direction[3]);

/// Reads and checks a ray, except for its distance.
pbs_status query_read_ray(const pbs_ray_desc *d, pbs_ray_desc *out, struct ray *ray);

/// Whether the query may find this part.
bool query_may_find(const struct query_scope *scope, size_t part);

/// Whether the query may find the index-th collider, and its surface is no mesh. Writes its shape
/// and pose.
bool query_shape(const struct query_scope *scope, size_t index, struct obstacle *out);

/// Sets the corners of a triangle of the index.
void query_corners(const struct query_index *index, uint32_t triangle, const double *corners[3]);

/// Whether a point is inside the surface of a part, if that is closed; see pbs_surface_point.
bool query_is_inside(const struct query_scope *scope, size_t part, const double point[3]);

/// Writes a point with public ids; struct_size is left as it is.
void query_describe(const struct query_scope *scope, const struct query_point *at,
                    pbs_surface_point *out);

#endif
