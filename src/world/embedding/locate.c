// Points of a body at places in space.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/embedding/carriers.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/world.h"

/// Where answers go, row by row.
struct answers {
    const double *places;
    size_t count;
    pbs_point *dst;
    size_t struct_size;
    double *distances; ///< may be null
};

static void answer(const struct answers *a, size_t index, const pbs_point *point, double distance) {
    pbs_point row = *point;
    row.struct_size = (uint32_t)a->struct_size;
    row_write(&settings_point, &row, a->struct_size, (char *)a->dst + a->struct_size * index);
    if (a->distances != NULL) {
        a->distances[index] = distance;
    }
}

/// X = matrix^-1 (x - origin).
static pbs_status locate_in_frame(const pbs_world *w, const struct body *body, pbs_body id,
                                  const struct answers *a) {
    double origin[3], columns[3][3], matrix[9], inverse[9];
    carriers_frame(body, w->scene.nodes.x, origin, columns);
    for (int k = 0; k < 9; k++) {
        matrix[k] = columns[k % 3][k / 3];
    }
    if (invert33(matrix, inverse) == 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is flat, so that positions have no coordinates in it");
    }
    for (size_t i = 0; i < a->count; i++) {
        pbs_point point = {.kind = PBS_POINT_LOCAL, .body = id};
        double arm[3];
        subtract3(a->places + 3 * i, origin, arm);
        multiply3(inverse, arm, point.place);
        answer(a, i, &point, 0.0);
    }
    return PBS_OK;
}

static pbs_status locate_in_mesh(const pbs_world *w, const struct body *body, pbs_body id,
                                 const struct answers *a) {
    struct memory memory;
    struct simplex_search search;
    const struct simplex_mesh mesh = carriers_mesh(body, vertices_positions(&w->scene.nodes, body));
    // An account of its own, as several threads may ask.
    memory_init(&memory, &w->memory.allocator);
    RETURN_IF_FAILED(simplex_search_build(&memory, &mesh, &search));
    for (size_t i = 0; i < a->count; i++) {
        struct simplex_hit hit;
        simplex_search_nearest(&search, a->places + 3 * i, &hit);
        const pbs_point point = carriers_point(carriers_of(body), id, hit.index, hit.weight);
        answer(a, i, &point, sqrt(hit.squared));
    }
    simplex_search_free(&memory, &search);
    return PBS_OK;
}

pbs_status pbs_world_locate(const pbs_world *w, pbs_body body, const double *places, size_t count,
                            pbs_point *dst, size_t struct_size, double *distances) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *found = world_enter_body(w, body, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(row_size_check(&settings_point, struct_size));
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_points(places, count, "places"));
    RETURN_IF_FAILED(check_pointer(dst, "dst"));
    const struct answers answers = {places, count, dst, struct_size, distances};
    return carriers_of(found) == CARRIER_FRAME ? locate_in_frame(w, found, body, &answers)
                                               : locate_in_mesh(w, found, body, &answers);
}
