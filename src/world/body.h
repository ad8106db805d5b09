// A body: a range of the world's nodes, and what its kind keeps besides. Descriptions are kept as
// they were given, so that a saved world is made again through the same door, with the same checks
// and the same bits.
#ifndef PBS_WORLD_BODY_H
#define PBS_WORLD_BODY_H

#include "base/memory.h"
#include "pbs/body.h"

enum body_kind { BODY_SOLID, BODY_CUSTOM };

/// A value for all tetrahedra, or one for each.
struct tet_values {
    double value;
    double *per_tet; ///< null: value serves all
};

struct solid_body {
    int32_t material;
    size_t tet_count;
    uint32_t *tets; ///< tet_count x 4, the body's own vertex indices
    double *rest;   ///< node_count x 3
    double extent;  ///< metres: the diagonal of the rest shape's bounding box
    struct tet_values density, young, poisson;
    double damping, drag;
    uint32_t *triangles; ///< triangle_count x 3: the boundary
    size_t triangle_count;
};

struct custom_body {
    uint32_t width;
    size_t stencil_count;
    uint32_t *stencils;     ///< stencil_count x width, the body's own vertex indices
    pbs_custom_fn evaluate; ///< null after a restore until the host registers it again
    void *user;
    bool concurrent, no_gravity;
    double damping; ///< s
    uint64_t tag;
};

struct body {
    enum body_kind kind;
    uint32_t slot;
    size_t node_start, node_count; ///< in the world's nodes
    struct solid_body solid;
    struct custom_body custom;
};

struct scene;

/// Checks everything, makes the body and appends its nodes; the caller gives it a slot. On failure
/// the scene is as it was.
pbs_status solid_body_create(struct scene *scene, struct memory *memory, const pbs_solid_desc *d,
                             struct body **out);

/// As above. A null evaluate is taken: the public call refuses it, a restore does not know it yet.
pbs_status custom_body_create(struct scene *scene, struct memory *memory, const pbs_custom_desc *d,
                              struct body **out);

/// The body's memory; its nodes are the scene's.
void body_free(struct body *body, struct memory *memory);

double tet_value(const struct tet_values *values, size_t tet);

#endif
