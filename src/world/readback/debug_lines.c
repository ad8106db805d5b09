// Lines that show a world, as pairs of points in the host's array.
// SPDX-License-Identifier: MIT
#include "world/readback/debug_lines.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "geometry/shape_outline.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/motion.h"
#include "world/world.h"

pbs_status pbs_debug_desc_init(pbs_debug_desc *d, size_t struct_size) {
    const pbs_debug_desc defaults = {.flags = PBS_DEBUG_ALL, .length = 0.1};
    return settings_init(&settings_debug, d, struct_size, &defaults);
}

void debug_lines_color(struct debug_lines *lines, uint8_t red, uint8_t green, uint8_t blue) {
    const uint8_t color[4] = {red, green, blue, 255};
    memcpy(lines->color, color, sizeof color);
}

static void add_point(struct debug_lines *lines, const double x[3]) {
    const size_t place = lines->count++;
    if (lines->dst == NULL || place >= lines->capacity) {
        return;
    }
    pbs_debug_point row;
    for (int k = 0; k < 3; k++) {
        row.position[k] = (float)x[k];
    }
    memcpy(row.rgba, lines->color, sizeof row.rgba);
    row_write(&settings_debug_point, &row, lines->row_size, lines->dst + place * lines->row_size);
}

void debug_lines_add(void *lines, const double a[3], const double b[3]) {
    add_point(lines, a);
    add_point(lines, b);
}

void debug_lines_add_arrow(struct debug_lines *lines, const double from[3],
                           const double direction[3]) {
    double to[3];
    add_scaled3(from, lines->length, direction, to);
    debug_lines_add(lines, from, to);
}

// --- bodies ---

/// Of closed surfaces every side occurs once in each direction.
static void add_sides(struct debug_lines *lines, const double *x, const uint32_t *triangles,
                      size_t count, bool is_closed) {
    for (size_t k = 0; k < 3 * count; k++) {
        const uint32_t a = triangles[k];
        const uint32_t b = triangles[k % 3 == 2 ? k - 2 : k + 1];
        if (!is_closed || a < b) {
            debug_lines_add(lines, x + 3 * (size_t)a, x + 3 * (size_t)b);
        }
    }
}

static void add_springs(struct debug_lines *lines, const struct body *body, const double *x) {
    if (body->table->list_springs != NULL) {
        const struct body_springs springs = body->table->list_springs(body);
        for (size_t i = 0; i < springs.count; i++) {
            debug_lines_add(lines, x + 3 * (size_t)springs.ends[2 * i],
                            x + 3 * (size_t)springs.ends[2 * i + 1]);
        }
        return;
    }
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (body->bonds.broken[i] == BOND_INTACT) {
            debug_lines_add(lines, x + 3 * (size_t)body->bonds.pairs[2 * i],
                            x + 3 * (size_t)body->bonds.pairs[2 * i + 1]);
        }
    }
}

static void add_surfaces(struct debug_lines *lines) {
    const struct scene *scene = &lines->world->scene;
    debug_lines_color(lines, 255, 255, 255);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double *x = vertices_positions(&scene->nodes, body);
        if (body->triangle_count > 0) {
            add_sides(lines, x, body->triangles, body->triangle_count,
                      body->table->encloses_volume);
        } else {
            add_springs(lines, body, x);
        }
    }
}

static void add_normal(struct debug_lines *lines, const double *x, const uint32_t *v) {
    double sides[2][3], normal[3], centre[3];
    const double *const corners[3] = {x + 3 * (size_t)v[0], x + 3 * (size_t)v[1],
                                      x + 3 * (size_t)v[2]};
    subtract3(corners[1], corners[0], sides[0]);
    subtract3(corners[2], corners[0], sides[1]);
    cross3(sides[0], sides[1], normal);
    const double area = norm3(normal);
    scale3(area > 0.0 ? 1.0 / area : 0.0, normal, normal);
    for (int k = 0; k < 3; k++) {
        centre[k] = (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0;
    }
    debug_lines_add_arrow(lines, centre, normal);
}

static void add_normals(struct debug_lines *lines) {
    const struct scene *scene = &lines->world->scene;
    debug_lines_color(lines, 0, 255, 255);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        const double *x = vertices_positions(&scene->nodes, body);
        for (size_t t = 0; t < body->triangle_count; t++) {
            add_normal(lines, x, body->triangles + 3 * t);
        }
    }
}

/// One vertex, or the centre of a body whose vertices are not its nodes.
static void add_pin(struct debug_lines *lines, const double x[3], uint32_t axes) {
    for (int k = 0; k < 3; k++) {
        if ((axes >> k & 1U) != 0) {
            double ends[2][3];
            copy3(x, ends[0]);
            copy3(x, ends[1]);
            ends[0][k] -= 0.25 * lines->length;
            ends[1][k] += 0.25 * lines->length;
            debug_lines_add(lines, ends[0], ends[1]);
        }
    }
}

static void add_pins(struct debug_lines *lines) {
    const struct nodes *nodes = &lines->world->scene.nodes;
    debug_lines_color(lines, 255, 128, 0);
    for (size_t i = 0; i < lines->world->scene.bodies.count; i++) {
        const struct body *body = scene_body(&lines->world->scene, i);
        const size_t count = vertices_are_nodes(body) ? body->vertex_count : 1;
        for (size_t k = body->node_start; k < body->node_start + count; k++) {
            add_pin(lines, nodes->x + 3 * k, nodes->constrained_axes[k] & ~(uint32_t)body->flat);
        }
    }
}

// --- colliders ---

/// Side by side, as the vertices in world axes are in no array.
static void add_mesh(struct debug_lines *lines, const pbs_collider_desc *d,
                     const struct pose *pose) {
    for (size_t k = 0; k < 3 * d->triangle_count + d->edge_count; k++) {
        const bool is_edge = k >= 3 * d->triangle_count;
        const uint32_t *edge = d->edges + 2 * (is_edge ? k - 3 * d->triangle_count : 0);
        const uint32_t a = is_edge ? edge[0] : d->triangles[k];
        const uint32_t b = is_edge ? edge[1] : d->triangles[k % 3 == 2 ? k - 2 : k + 1];
        double ends[2][3];
        multiply3(pose->rotation, d->vertices + 3 * (size_t)a, ends[0]);
        multiply3(pose->rotation, d->vertices + 3 * (size_t)b, ends[1]);
        add3(ends[0], pose->translation, ends[0]);
        add3(ends[1], pose->translation, ends[1]);
        debug_lines_add(lines, ends[0], ends[1]);
    }
}

static void add_colliders(struct debug_lines *lines) {
    const struct scene *scene = &lines->world->scene;
    debug_lines_color(lines, 128, 128, 128);
    for (size_t i = 0; i < scene->colliders.count; i++) {
        const struct collider *collider = scene_collider(scene, i);
        struct obstacle now;
        motion_obstacle_at(collider, 0.0, 1.0, &now);
        if (collider->desc.shape == PBS_SHAPE_MESH) {
            add_mesh(lines, &collider->desc, &now.pose);
        } else {
            shape_outline(&now.shape, &now.pose, 10.0 * lines->length, debug_lines_add, lines);
        }
    }
}

// --- contacts ---

static void add_contacts(struct debug_lines *lines) {
    const struct readback *readback = &lines->world->readback;
    debug_lines_color(lines, 255, 255, 0);
    for (size_t i = 0; i < readback->count; i++) {
        const pbs_contact *contact = &readback->contacts[i];
        debug_lines_add(lines, contact->second.point, contact->first.point);
        debug_lines_add_arrow(lines, contact->second.point, contact->normal);
    }
}

// --- all together ---

static void add_all(struct debug_lines *lines, uint32_t flags) {
    static const struct {
        uint32_t flag;
        void (*add)(struct debug_lines *lines);
    } parts[] = {{PBS_DEBUG_SURFACES, add_surfaces},
                 {PBS_DEBUG_COLLIDERS, add_colliders},
                 {PBS_DEBUG_NORMALS, add_normals},
                 {PBS_DEBUG_CONTACTS, add_contacts},
                 {PBS_DEBUG_PINS, add_pins}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if ((flags & parts[i].flag) != 0) {
            parts[i].add(lines);
        }
    }
    features_draw(lines, flags);
}

static pbs_status read_description(const pbs_debug_desc *d, pbs_debug_desc *out) {
    *out = (pbs_debug_desc){.struct_size = sizeof *out, .flags = PBS_DEBUG_ALL, .length = 0.1};
    if (d != NULL) {
        RETURN_IF_FAILED(settings_read(&settings_debug, d, out));
    }
    RETURN_IF_FAILED(check_choice(out->flags, 0, PBS_DEBUG_ALL, "flags"));
    return check_length(out->length, "length");
}

pbs_status pbs_world_debug_lines(const pbs_world *w, const pbs_debug_desc *d, pbs_debug_point *dst,
                                 size_t struct_size, size_t *count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_debug_desc own;
    struct debug_lines lines = {.world = w, .dst = (unsigned char *)dst, .row_size = struct_size};
    RETURN_IF_FAILED(check_pointer(count, "count"));
    RETURN_IF_FAILED(row_size_check(&settings_debug_point, struct_size));
    RETURN_IF_FAILED(read_description(d, &own));
    lines.length = own.length;
    lines.capacity = *count;
    add_all(&lines, own.flags);
    return rows_begin(&settings_debug_point, struct_size, dst, count, lines.count, "points");
}
