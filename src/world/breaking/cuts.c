// Bonds as hosts see them: their strengths, which are broken, and cutting them by number or where
// they meet planes and triangles.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "geometry/exact/intersection.h"
#include "world/breaking/bond_place.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/particles/body_bonds.h"

struct body *breaking_enter(const pbs_world *w, pbs_body b, const char *lack, pbs_status *status) {
    struct body *body = world_enter_body(w, b, status);
    if (*status >= 0 && body->bonds.fragments.fragment == NULL) {
        *status = status_fail(PBS_ERROR_ARGUMENT, "the body has no bonds: %s", lack);
    }
    return body;
}

const double *pbs_body_tensile_strengths(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->bonded.tensile : NULL;
}

const double *pbs_body_shear_strengths(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->bonded.shearing : NULL;
}

const uint8_t *pbs_body_broken(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL && body->bonds.count > 0 ? body->bonds.broken : NULL;
}

static size_t index_of(const struct scene *scene, const struct body *body) {
    size_t index = 0;
    while (scene_body(scene, index) != body) {
        index++;
    }
    return index;
}

/// The bonds of a body that the host breaks one by one.
struct cut {
    pbs_world *world;
    struct body *body;
    struct bond_place place; ///< where the world's terms know them already
    size_t index;            ///< of the body
    const double *x;         ///< of its particles
    double reach;            ///< m: the contact distance
    size_t count;
};

static struct cut begin_cut(pbs_world *w, struct body *body) {
    struct cut cut = {.world = w,
                      .body = body,
                      .index = index_of(&w->scene, body),
                      .x = w->scene.nodes.x + 3 * body->node_start,
                      .reach = bond_contact_distance(w, index_of(&w->scene, body))};
    if (w->solver.is_current) {
        cut.place = bond_place_of(w, cut.index);
    }
    return cut;
}

static void cut_bond(struct cut *cut, size_t bond) {
    if (cut->body->bonds.broken[bond] != BOND_INTACT) {
        return;
    }
    cut->body->bonds.broken[bond] = BOND_CUT;
    cut->body->bonds
        .release[bond] = bond_let_touch(cut->world, cut->index, bond, cut->x, cut->reach).distance;
    cut->body->bonds.fragments_outdated = true;
    cut->count++;
    bond_mark_broken(&cut->place, bond, true);
}

static void end_cut(struct cut *cut, size_t *count) {
    body_update_fragments(cut->body);
    if (cut->count > 0) {
        // The stored acceleration includes the forces of the cut bonds. Previous states stay valid.
        cut->world->scene.history.memory.has_acceleration = false;
    }
    if (count != NULL) {
        *count = cut->count;
    }
}

pbs_status pbs_body_break_bonds(pbs_world *w, pbs_body b, const uint32_t *bonds, size_t count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = breaking_enter(w, b, "nothing of it breaks", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_indices(bonds, count, body->bonds.count, "bonds", "bonds"));
    struct cut cut = begin_cut(w, body);
    for (size_t i = 0; i < count; i++) {
        cut_bond(&cut, bonds[i]);
    }
    end_cut(&cut, NULL);
    return PBS_OK;
}

pbs_status pbs_body_cut_plane(pbs_world *w, pbs_body b, const double point[3],
                              const double normal[3], size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = breaking_enter(w, b, "nothing of it breaks", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(point, "point"));
    RETURN_IF_FAILED(check_pointer(normal, "normal"));
    RETURN_IF_FAILED(check_vectors(point, 1, "point"));
    RETURN_IF_FAILED(check_vectors(normal, 1, "normal"));
    const double scale = fmax(fabs(normal[0]), fmax(fabs(normal[1]), fabs(normal[2])));
    if (scale == 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT, "normal is zero, so the plane has no direction");
    }
    const double *x = vertices_positions(&w->scene.nodes, body);
    struct cut cut = begin_cut(w, body);
    for (size_t i = 0; i < body->bonds.count; i++) {
        bool above[2];
        for (size_t end = 0; end < 2; end++) {
            double offset[3];
            subtract3(x + 3 * (size_t)body->bonds.pairs[2 * i + end], point, offset);
            above[end] = (normal[0] / scale) * offset[0] + (normal[1] / scale) * offset[1] +
                             (normal[2] / scale) * offset[2] >=
                         0.0;
        }
        if (above[0] != above[1]) {
            cut_bond(&cut, i);
        }
    }
    end_cut(&cut, count);
    return PBS_OK;
}

/// Whether a bond may cross a triangle, by their bounding boxes.
static bool boxes_meet(const double *a, const double *b, const double *corners) {
    bool meet = true;
    for (size_t k = 0; k < 3; k++) {
        const double low = fmin(corners[k], fmin(corners[3 + k], corners[6 + k]));
        const double high = fmax(corners[k], fmax(corners[3 + k], corners[6 + k]));
        meet = meet && fmin(a[k], b[k]) <= high && low <= fmax(a[k], b[k]);
    }
    return meet;
}

pbs_status pbs_body_cut_triangles(pbs_world *w, pbs_body b, const double *corners,
                                  size_t triangle_count, size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = breaking_enter(w, b, "nothing of it breaks", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_size(triangle_count, 0, CHECK_COUNT_LIMIT, "triangle_count"));
    if (triangle_count > 0) {
        RETURN_IF_FAILED(check_pointer(corners, "corners"));
        RETURN_IF_FAILED(check_vectors(corners, 3 * triangle_count, "corners"));
    }
    const double *x = vertices_positions(&w->scene.nodes, body);
    struct cut cut = begin_cut(w, body);
    for (size_t i = 0; i < body->bonds.count; i++) {
        const double *start = x + 3 * (size_t)body->bonds.pairs[2 * i];
        const double *end = x + 3 * (size_t)body->bonds.pairs[2 * i + 1];
        bool meets = false;
        for (size_t t = 0; t < triangle_count && !meets; t++) {
            const double *c = corners + 9 * t;
            const double *const triangle[3] = {c, c + 3, c + 6};
            meets = boxes_meet(start, end, c) && segment_intersects_triangle(start, end, triangle);
        }
        if (meets) {
            cut_bond(&cut, i);
        }
    }
    end_cut(&cut, count);
    return PBS_OK;
}

pbs_status pbs_world_broken_bonds(const pbs_world *w, pbs_broken_bond *dst, size_t struct_size,
                                  size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(rows_begin(&settings_broken_bond, struct_size, dst, count, w->broken.count,
                                "broken bonds"));
    for (size_t i = 0; dst != NULL && i < w->broken.count; i++) {
        row_write(&settings_broken_bond, &w->broken.rows[i], struct_size,
                  (char *)dst + i * struct_size);
    }
    return PBS_OK;
}
