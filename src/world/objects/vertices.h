// The interface between nodes and vertices. Nodes are a body's degrees of freedom; vertices are the
// points that the host gives, draws and reads back, and that collide. In most bodies the vertices
// are the nodes; in affine bodies each vertex is a weighted sum of the four nodes. Code that reads
// or sets vertices calls these functions and does not distinguish the two cases.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_OBJECTS_VERTICES_H
#define PBS_WORLD_OBJECTS_VERTICES_H

#include "base/matrix3/point.h"
#include "world/objects/body.h"
#include "world/nodes/nodes.h"

bool vertices_are_nodes(const struct body *body);

/// Returns the vertex as a weighted sum of nodes of the world.
struct point vertices_at(const struct body *body, size_t index);

/// Computes positions and velocities of the vertices from those of the nodes. No-op if the vertices
/// are the nodes.
void vertices_update(const struct nodes *nodes, const struct body *body);

/// Computes the positions of vertices that are not nodes from all nodes' positions x.
void vertices_at_nodes(const struct body *body, const double *x, double *out);

/// Set the nodes such that the vertices have these positions or velocities, vertex_count x 3. If
/// the vertices are not the nodes, the nodes are fitted by least squares. PBS_ERROR_ARGUMENT, and
/// nothing has changed, if the fit leaves more than rounding errors.
pbs_status vertices_set_positions(struct nodes *nodes, const struct body *body, const double *xyz);
pbs_status vertices_set_velocities(struct nodes *nodes, const struct body *body, const double *xyz);

/// Sets forces on the nodes that do the same work as these forces on the vertices, vertex_count x
/// 3. Returns whether they have changed.
bool vertices_set_forces(struct nodes *nodes, const struct body *body, const double *xyz);

/// Returns the rest position of a vertex, m; its initial position if the body has no rest shape.
void vertices_rest(const struct nodes *nodes, const struct body *body, size_t vertex,
                   double out[3]);

/// Return arrays of the body with vertex_count rows.
const double *vertices_positions(const struct nodes *nodes, const struct body *body);
const double *vertices_velocities(const struct nodes *nodes, const struct body *body);
const double *vertices_masses(const struct nodes *nodes, const struct body *body);
const double *vertices_contact_forces(const struct nodes *nodes, const struct body *body);

#endif
