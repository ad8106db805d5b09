// See carriers.h.
// SPDX-License-Identifier: MIT
#include "world/embedding/carriers.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "world/objects/body_table.h"

enum carrier_kind carriers_of(const struct body *body) {
    if (body->table->locate != NULL) {
        return CARRIER_FRAME;
    }
    if (body->table->list_tets != NULL) {
        return CARRIER_TETS;
    }
    if (body->triangle_count > 0) {
        return CARRIER_TRIANGLES;
    }
    return body_has_orientations(body) ? CARRIER_PARTICLES : CARRIER_VERTICES;
}

struct simplex_mesh carriers_mesh(const struct body *body, const double *x) {
    struct simplex_mesh mesh = {
        .vertex_count = body->vertex_count, .x = x, .width = 1, .count = body->vertex_count};
    const enum carrier_kind kind = carriers_of(body);
    if (kind == CARRIER_TETS) {
        const struct body_simplices tets = body->table->list_tets(body);
        mesh.width = tets.width;
        mesh.count = tets.count;
        mesh.corners = tets.corners;
    } else if (kind == CARRIER_TRIANGLES) {
        mesh.width = 3;
        mesh.count = body->triangle_count;
        mesh.corners = body->triangles;
    }
    return mesh;
}

struct simplex_mesh carriers_rest_mesh(const struct nodes *nodes, const struct body *body) {
    const struct tet_mesh_view *whole = &body->bonded.surface.mesh;
    if (carriers_of(body) == CARRIER_PARTICLES && whole->tet_count > 0) {
        return (struct simplex_mesh){.vertex_count = whole->vertex_count,
                                     .x = whole->positions,
                                     .width = 4,
                                     .count = whole->tet_count,
                                     .corners = whole->tets};
    }
    return carriers_mesh(body,
                         body->rest != NULL ? body->rest : nodes->initial + 3 * body->node_start);
}

void carriers_frame(const struct body *body, const double *x, double origin[3],
                    double columns[3][3]) {
    static const double units[4][3] = {{0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    struct point zero = body->table->locate(body, units[0]);
    point_combine(&zero, x, origin);
    for (int j = 0; j < 3; j++) {
        // Differences of weights, not of places, which may lie far from the origin.
        struct point unit = body->table->locate(body, units[j + 1]);
        for (uint32_t k = 0; k < unit.count; k++) {
            unit.weight[k] -= zero.weight[k];
        }
        point_combine(&unit, x, columns[j]);
    }
}

pbs_point carriers_point(enum carrier_kind kind, pbs_body body, uint32_t index,
                         const double weights[SIMPLEX_CORNERS]) {
    pbs_point point = {.struct_size = sizeof point,
                       .kind = kind == CARRIER_TETS        ? PBS_POINT_TET
                               : kind == CARRIER_TRIANGLES ? PBS_POINT_TRIANGLE
                                                           : PBS_POINT_VERTEX,
                       .body = body,
                       .index = index};
    if (point.kind != PBS_POINT_VERTEX) {
        memcpy(point.weights, weights, sizeof point.weights);
    }
    return point;
}

size_t carriers_control_count(const struct body *body) {
    return carriers_of(body) == CARRIER_FRAME ? body->node_count : body->vertex_count;
}

const double *carriers_control_places(const struct nodes *nodes, const struct body *body) {
    return carriers_of(body) == CARRIER_FRAME ? nodes->x + 3 * body->node_start
                                              : vertices_positions(nodes, body);
}

size_t carriers_count(const struct body *body) {
    return carriers_of(body) == CARRIER_FRAME ? 1 : carriers_mesh(body, NULL).count;
}
