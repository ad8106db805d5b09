// Points bound to a body, and two states of what carries them. Nothing here belongs to a world.
// SPDX-License-Identifier: MIT
#ifndef PBS_WORLD_EMBEDDING_EMBEDDING_H
#define PBS_WORLD_EMBEDDING_EMBEDDING_H

#include "geometry/embedding/deformation_gradients.h"
#include "geometry/embedding/embedded_points.h"
#include "pbs/embedding.h"
#include "world/embedding/carriers.h"

/// Rows as embedded_points.h wants them.
struct embedding_state {
    double *places;    ///< control_count rows
    double *gradients; ///< likewise; null where no point needs them
    double time;       ///< s, of the world
};

struct pbs_embedding {
    struct memory memory;
    pbs_body body;
    // By these a body is like the one that the points were bound to:
    enum carrier_kind kind;
    size_t control_count, carrier_count;

    struct embedded_points points;
    uint32_t *carriers; ///< per point: its tetrahedron, triangle or particle; null of CARRIER_FRAME
    double *local;      ///< count x 3, m: of CARRIER_FRAME alone, the points' own coordinates
    struct deformation_gradients gradients; ///< of CARRIER_TETS and CARRIER_TRIANGLES
    struct embedding_state states[2];
    int current; ///< which of the two
};

/// Writes the present state of the body, which is like that of the embedding.
void embedding_take(struct pbs_embedding *e, const struct scene *scene, const struct body *body,
                    struct embedding_state *state);

#endif
