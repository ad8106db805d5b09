// What carries points along in a body of any kind: its tetrahedra, the triangles of its surface,
// its own frame, or its particles. Who binds points to bodies asks here, and no kind of body.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_EMBEDDING_CARRIERS_H
#define PBS_WORLD_EMBEDDING_CARRIERS_H

#include "geometry/embedding/simplex_search.h"
#include "world/objects/scene.h"

enum carrier_kind {
    CARRIER_FRAME,     ///< one affine map for all places: the sums that body_table.locate gives
    CARRIER_TETS,      ///< of a solid
    CARRIER_TRIANGLES, ///< of the surface of a body without tetrahedra
    CARRIER_PARTICLES, ///< that turn: each takes along what is around it, as a rigid body
    CARRIER_VERTICES   ///< that do not turn, so that nothing says how what is around them moves
};

enum carrier_kind carriers_of(const struct body *body);

/// Tetrahedra, triangles, or vertices (particles), with their places x, vertex_count x 3. Not of
/// CARRIER_FRAME.
struct simplex_mesh carriers_mesh(const struct body *body, const double *x);

/// The rest shape in which places are looked for: likewise; of particles that were made of
/// tetrahedra these, each of which is a particle.
struct simplex_mesh carriers_rest_mesh(const struct nodes *nodes, const struct body *body);

/// The affine map of a body's own coordinates, x = matrix place + origin, nodes at x; columns of
/// the matrix. Of CARRIER_FRAME.
void carriers_frame(const struct body *body, const double *x, double origin[3],
                    double columns[3][3]);

/// A place in a tetrahedron, on a triangle or at a vertex, as hosts say it. Not of CARRIER_FRAME.
pbs_point carriers_point(enum carrier_kind kind, pbs_body body, uint32_t index,
                         const double weights[SIMPLEX_CORNERS]);

/// How many tetrahedra, triangles or vertices there are; 1 of CARRIER_FRAME.
size_t carriers_count(const struct body *body);

/// Control points of embedded points (geometry/embedding): vertices; of CARRIER_FRAME nodes.
size_t carriers_control_count(const struct body *body);
const double *carriers_control_places(const struct nodes *nodes, const struct body *body);

#endif
