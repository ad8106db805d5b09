// The seam between what moves and what is seen. A body has nodes, its degrees of freedom, and
// vertices, which are given, drawn, read back and collide. Of most bodies the vertices are the
// nodes; of others each vertex is a weighted sum of the body's four nodes. Who reads or sets
// vertices goes through here and needs not know which.
#ifndef PBS_WORLD_OBJECTS_VERTICES_H
#define PBS_WORLD_OBJECTS_VERTICES_H

#include "base/point.h"
#include "world/objects/body.h"
#include "world/objects/nodes.h"

bool vertices_are_nodes(const struct body *body);

/// The vertex as a sum over nodes of the world.
struct point vertices_at(const struct body *body, size_t index);

/// Positions and velocities from those of the nodes; nothing to do where the vertices are nodes.
void vertices_update(const struct nodes *nodes, const struct body *body);

/// Nodes such that the vertices are at these positions, vertex_count x 3, or move so. Where the
/// vertices are not nodes they come as close as they can (least squares); PBS_ERROR_ARGUMENT, and
/// nothing has changed, where they do not come close.
pbs_status vertices_set_positions(struct nodes *nodes, const struct body *body, const double *xyz);
pbs_status vertices_set_velocities(struct nodes *nodes, const struct body *body, const double *xyz);

/// Forces on the nodes that do the same work as these on the vertices, vertex_count x 3. Answers
/// whether they are others than before.
bool vertices_set_forces(struct nodes *nodes, const struct body *body, const double *xyz);

/// m: where a vertex is at rest; of bodies without a rest shape, where it was at first.
void vertices_rest(const struct nodes *nodes, const struct body *body, size_t vertex,
                   double out[3]);

/// The body's arrays, vertex_count entries each.
const double *vertices_positions(const struct nodes *nodes, const struct body *body);
const double *vertices_velocities(const struct nodes *nodes, const struct body *body);
const double *vertices_masses(const struct nodes *nodes, const struct body *body);
const double *vertices_contact_forces(const struct nodes *nodes, const struct body *body);

#endif
