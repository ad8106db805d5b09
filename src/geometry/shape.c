// The list of shape tables, and what all shapes have in common: poses, hollow shapes, checks.
// SPDX-License-Identifier: MIT
#include "geometry/shape.h"

#include "base/config.h"
#include "base/matrix3/math3.h"
#include "geometry/shape_table.h"
#include "pbs/collider.h"

static const struct shape_table *const tables[] = {[PBS_SHAPE_HALF_SPACE] = &half_space_shape,
                                                   [PBS_SHAPE_SPHERE] = &sphere_shape,
                                                   [PBS_SHAPE_BOX] = &box_shape,
                                                   [PBS_SHAPE_CAPSULE] = &capsule_shape,
                                                   [PBS_SHAPE_CYLINDER] = &cylinder_shape,
                                                   [PBS_SHAPE_TORUS] = &torus_shape,
                                                   [PBS_SHAPE_GRID] = &grid_shape};
enum { TABLES = (int)(sizeof tables / sizeof tables[0]) };

const struct shape_table *shape_table_of(const struct shape *shape) {
    return tables[shape->kind];
}

const struct shape_table *shape_table_find(int32_t kind) {
    return kind >= 0 && kind < TABLES ? tables[kind] : NULL;
}

static double side_of(const struct shape *shape) {
    return shape->hollow ? -1.0 : 1.0;
}

// --- helpers for tables ---

void pose_to_frame(const struct pose *pose, const double x[3], double p[3]) {
    double offset[3];
    subtract3(x, pose->translation, offset);
    multiply_transposed3(pose->rotation, offset, p);
}

void rotate_hessian(const double rotation[9], double s, const double h[9], double out[9]) {
    double rh[9];
    multiply33(rotation, h, rh);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            out[3 * i + j] = s * dot3(rh + 3 * i, rotation + 3 * j);
            out[3 * j + i] = out[3 * i + j];
        }
    }
}

void shape_hit_record(struct shape_hit *hit, double distance, const double normal[3]) {
    // A ray that is parallel to a plane but for rounding meets it nowhere that could be named.
    if (distance >= 0.0 && distance <= hit->limit && isfinite(distance)) {
        hit->found = true;
        hit->limit = hit->distance = distance;
        copy3(normal, hit->normal);
    }
}

// --- distances ---

double shape_distance(const struct shape *shape, const struct pose *pose, const double x[3],
                      double gradient[3], double hessian[9]) {
    const struct shape_table *table = shape_table_of(shape);
    const double side = side_of(shape);
    if (table->distance != NULL) {
        return table->distance(shape, pose, side, x, gradient, hessian);
    }
    struct shape_point at = {.shape = shape, .pose = pose, .x = x};
    struct local_distance local = {0.0, {0.0}, {0.0}};
    pose_to_frame(pose, x, at.p);
    table->local(&at, &local);
    if (gradient) {
        multiply3(pose->rotation, local.gradient, gradient);
        scale3(side, gradient, gradient);
    }
    if (hessian) {
        rotate_hessian(pose->rotation, side, local.hessian, hessian);
    }
    return side * local.value;
}

int shape_faces(const struct shape *shape, const struct pose *pose, const double x[3],
                double tolerance, double gradients[3][3], double hessians[3][9]) {
    const struct shape_table *table = shape_table_of(shape);
    struct local_distance faces[3] = {{0.0, {0.0}, {0.0}}};
    double p[3];
    pose_to_frame(pose, x, p);
    const int count = table->faces != NULL ? table->faces(shape->size, p, tolerance, faces) : 0;
    if (count < 2) {
        shape_distance(shape, pose, x, gradients[0], hessians[0]);
        return 1;
    }
    const double side = side_of(shape);
    for (int i = 0; i < count; i++) {
        multiply3(pose->rotation, faces[i].gradient, gradients[i]);
        scale3(side, gradients[i], gradients[i]);
        rotate_hessian(pose->rotation, side, faces[i].hessian, hessians[i]);
    }
    return count;
}

/// Finds the closest point by the table's own function, in the shape's frame.
static bool closest_in_frame(const struct shape *shape, const struct pose *pose, const double x[3],
                             double closest[3], double *distance, double normal[3]) {
    double p[3];
    double own[3];
    double gradient[3];
    double offset[3];
    pose_to_frame(pose, x, p);
    if (!shape_table_of(shape)->closest(shape, p, own, gradient)) {
        return false;
    }
    subtract3(own, p, offset);
    *distance = norm3(offset);
    multiply3(pose->rotation, gradient, normal);
    scale3(side_of(shape) / norm3(normal), normal, normal);
    multiply3(pose->rotation, own, closest);
    add3(closest, pose->translation, closest);
    return true;
}

bool shape_closest(const struct shape *shape, const struct pose *pose, const double x[3],
                   double closest[3], double *distance, double normal[3]) {
    if (shape_table_of(shape)->closest != NULL) {
        return closest_in_frame(shape, pose, x, closest, distance, normal);
    }
    const double phi = shape_distance(shape, pose, x, normal, NULL);
    *distance = fabs(phi);
    add_scaled3(x, -phi, normal, closest);
    return isfinite(phi);
}

// --- bounds and pieces ---

void shape_bounds(const struct shape *shape, const struct pose *pose, double margin, double low[3],
                  double high[3]) {
    const struct shape_table *table = shape_table_of(shape);
    // For margin < 0 the set is inside the solid, whose bounds are used.
    const double outset = fmax(margin, 0.0);
    if (table->bounds != NULL) {
        table->bounds(shape, pose, outset, low, high);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double half = shape->hollow
                                ? INFINITY
                                : table->half_extent(shape->size, pose->rotation + 3 * i) + outset;
        low[i] = pose->translation[i] - half;
        high[i] = pose->translation[i] + half;
    }
}

bool shape_is_flat(const struct shape *shape) {
    return shape_table_of(shape)->is_flat;
}

bool shape_is_convex(const struct shape *shape) {
    const struct shape_table *table = shape_table_of(shape);
    return table->is_flat || (table->is_convex && !shape->hollow);
}

size_t shape_pieces(const struct shape *shape, const struct pose *pose,
                    struct shape_piece pieces[SHAPE_PIECES]) {
    const struct shape_table *table = shape_table_of(shape);
    if (shape->hollow && table->hollow_pieces != NULL) {
        return table->hollow_pieces(shape, pose, pieces);
    }
    pieces[0] = (struct shape_piece){*shape, *pose};
    return 1;
}

// --- contact by barriers ---

enum shape_contact shape_contact_of(const struct shape *shape) {
    return shape_table_of(shape)->contact[shape->hollow];
}

bool shape_is_enclosed(const struct shape *shape) {
    return !shape->hollow && shape_contact_of(shape) == SHAPE_SURFACE &&
           shape_table_of(shape)->triangle_count > 0;
}

pbs_status shape_surface_make(struct memory *memory, const struct shape *shape,
                              struct shape_surface *out) {
    const struct shape_table *table = shape_table_of(shape);
    *out = (struct shape_surface){.point_count = table->point_count,
                                  .edge_count = table->edge_count,
                                  .triangle_count = table->triangle_count};
    out->points = memory_allocate(memory, out->point_count, 3 * sizeof *out->points);
    out->edges = memory_allocate(memory, out->edge_count, 2 * sizeof *out->edges);
    out->triangles = memory_allocate(memory, out->triangle_count, 3 * sizeof *out->triangles);
    if (out->points == NULL || out->edges == NULL || out->triangles == NULL) {
        shape_surface_free(memory, out);
        return PBS_ERROR_MEMORY;
    }
    table->surface(shape->size, out);
    return PBS_OK;
}

void shape_surface_free(struct memory *memory, struct shape_surface *surface) {
    memory_release(memory, surface->points);
    memory_release(memory, surface->edges);
    memory_release(memory, surface->triangles);
    *surface = (struct shape_surface){0};
}

// --- checks ---

pbs_status shape_check(const struct shape *shape) {
    const struct shape_table *table = shape_table_find(shape->kind);
    if (table == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "shape %d is unknown, must be from 0 to %d",
                           shape->kind, TABLES - 1);
    }
    for (int i = 0; i < table->size_count; i++) {
        if (!(shape->size[i] > 0.0) || isinf(shape->size[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s: size[%d] is %g m, must be positive and finite", table->name, i,
                               shape->size[i]);
        }
        if (shape->size[i] > COORDINATE_LIMIT) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s: size[%d] is %g m, must be at most %g",
                               table->name, i, shape->size[i], COORDINATE_LIMIT);
        }
    }
    return table->check != NULL ? table->check(shape) : PBS_OK;
}
