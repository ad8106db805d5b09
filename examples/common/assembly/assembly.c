// See assembly.h.
// SPDX-License-Identifier: MIT

#include "common/assembly/assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool assembly_check(struct assembly *a, pbs_status status) {
    return assembly_require(a, status >= 0, pbs_last_error());
}

bool assembly_require(struct assembly *a, bool done, const char *what) {
    if (!done && !a->failed) {
        a->failed = true;
        message_fail(&a->message, "%s", what);
    }
    return !a->failed;
}

void assembly_begin(struct assembly *a, int64_t threads) {
    pbs_world_desc d;
    *a = (struct assembly){0};
    if (assembly_check(a, pbs_world_desc_init(&d, sizeof d))) {
        d.gravity[1] = -9.81;
        d.threads = (int32_t)threads;
        assembly_check(a, pbs_world_create(&d, &a->world));
    }
}

void assembly_end(struct assembly *a) {
    stage_free(&a->stage);
    pbs_world_destroy(a->world);
    a->world = NULL;
}

void assembly_solve_exactly(struct assembly *a) {
    pbs_world_desc d = {.struct_size = sizeof d};
    if (!a->failed && assembly_check(a, pbs_world_settings(a->world, &d))) {
        d.velocity_tolerance = 0.0;
        assembly_check(a, pbs_world_set_settings(a->world, &d));
    }
}

// --- colliders ---

pbs_collider assembly_add_ground(struct assembly *a, double friction) {
    pbs_collider_desc d;
    pbs_collider out = {0};
    if (!a->failed && assembly_check(a, pbs_collider_desc_init(&d, sizeof d))) {
        d.friction = friction;
        assembly_check(a, pbs_collider_create(a->world, &d, &out));
        a->stage.has_ground = true;
    }
    return out;
}

pbs_collider assembly_add_obstacle(struct assembly *a, const struct surface_mesh *mesh,
                                   double friction) {
    pbs_collider_desc d;
    pbs_collider out = {0};
    if (!a->failed && assembly_check(a, pbs_collider_desc_init(&d, sizeof d))) {
        d.shape = PBS_SHAPE_MESH;
        d.friction = friction;
        d.vertex_count = mesh->vertex_count;
        d.vertices = mesh->positions;
        d.triangle_count = mesh->triangle_count;
        d.triangles = mesh->triangles;
        assembly_check(a, pbs_collider_create(a->world, &d, &out));
        struct message why = {{0}};
        assembly_require(a, stage_add_obstacle(&a->stage, mesh, &why), why.text);
    }
    return out;
}

// --- bodies ---

static void set_contact(struct assembly *a, pbs_body body, const struct matter *of) {
    pbs_contact_desc d;
    if (assembly_check(a, pbs_contact_desc_init(&d, sizeof d))) {
        d.friction = of->friction;
        d.group = of->group != 0 ? of->group : d.group;
        d.mask = of->untouched ? 0 : of->mask != 0 ? of->mask : d.mask;
        assembly_check(a, pbs_body_set_contact(a->world, body, &d));
    }
}

static void finish_body(struct assembly *a, pbs_status status, pbs_body body,
                        const struct matter *of) {
    if (assembly_check(a, status)) {
        set_contact(a, body, of);
    }
    if (!a->failed && !of->hidden) {
        struct message why = {{0}};
        assembly_require(a, stage_add_body(&a->stage, a->world, body, &why), why.text);
    }
}

pbs_body assembly_add_soft(struct assembly *a, struct tet_mesh *mesh, const struct matter *of) {
    pbs_body out = {0};
    pbs_solid_desc d;
    if (assembly_require(a, mesh->vertex_count > 0, "no mesh") &&
        assembly_check(a, pbs_solid_desc_init(&d, sizeof d))) {
        d.positions = mesh->positions;
        d.vertex_count = mesh->vertex_count;
        d.tets = mesh->tets;
        d.tet_count = mesh->tet_count;
        d.density = of->density;
        d.young = of->young;
        d.yield_stress = of->yield;
        d.damping = of->damping;
        finish_body(a, pbs_body_create_solid(a->world, &d, &out), out, of);
    }
    tet_mesh_free(mesh);
    return out;
}

pbs_body assembly_add_stiff(struct assembly *a, struct surface_mesh *mesh, const struct matter *of,
                            const double at[3]) {
    pbs_body out = {0};
    pbs_affine_desc d;
    if (assembly_require(a, mesh->vertex_count > 0, "no mesh") &&
        assembly_check(a, pbs_affine_desc_init(&d, sizeof d))) {
        d.positions = mesh->positions;
        d.vertex_count = mesh->vertex_count;
        d.triangles = mesh->triangles;
        d.triangle_count = mesh->triangle_count;
        d.density = of->density;
        d.damping = of->damping;
        if (at != NULL) {
            memcpy(d.position, at, sizeof d.position);
        }
        finish_body(a, pbs_body_create_affine(a->world, &d, &out), out, of);
    }
    surface_mesh_free(mesh);
    return out;
}

pbs_body assembly_add_cloth(struct assembly *a, struct surface_mesh *mesh, const struct matter *of,
                            double thickness) {
    pbs_body out = {0};
    pbs_shell_desc d;
    if (assembly_require(a, mesh->vertex_count > 0, "no mesh") &&
        assembly_check(a, pbs_shell_desc_init(&d, sizeof d))) {
        d.positions = mesh->positions;
        d.vertex_count = mesh->vertex_count;
        d.triangles = mesh->triangles;
        d.triangle_count = mesh->triangle_count;
        d.thickness = thickness;
        d.density = of->density;
        d.young = of->young;
        d.damping = of->damping;
        finish_body(a, pbs_body_create_shell(a->world, &d, &out), out, of);
    }
    surface_mesh_free(mesh);
    return out;
}

// --- points ---

pbs_point assembly_point(struct assembly *a, pbs_body body, const double place[3]) {
    pbs_point out = {.struct_size = sizeof out};
    if (body.id == 0) {
        memcpy(out.place, place, sizeof out.place);
    } else if (!a->failed) {
        assembly_check(a, pbs_world_locate(a->world, body, place, 1, &out, sizeof out, NULL));
    }
    return out;
}

pbs_point assembly_vertex(pbs_body body, uint32_t index) {
    return (pbs_point){
        .struct_size = sizeof(pbs_point), .kind = PBS_POINT_VERTEX, .body = body, .index = index};
}

void assembly_place(struct assembly *a, pbs_point point, double place[3]) {
    if (!a->failed) {
        assembly_check(a, pbs_world_point_position(a->world, &point, place));
    }
}

// --- joints ---

pbs_joint_desc joint_between(int32_t kind, pbs_point a, pbs_point b) {
    pbs_joint_desc d;
    pbs_joint_desc_init(&d, sizeof d);
    d.kind = kind;
    d.a = a;
    d.b = b;
    return d;
}

pbs_joint_desc assembly_joint_at(struct assembly *a, int32_t kind, pbs_body first, pbs_body second,
                                 const double place[3]) {
    const pbs_point on_first = assembly_point(a, first, place);
    return joint_between(kind, on_first, assembly_point(a, second, place));
}

pbs_joint assembly_join(struct assembly *a, const pbs_joint_desc *d) {
    pbs_joint out = {0};
    if (!a->failed) {
        assembly_check(a, pbs_joint_create(a->world, d, &out));
    }
    return out;
}

size_t assembly_attach(struct assembly *a, pbs_body soft, pbs_body stiff, attach_fn takes,
                       const void *user) {
    size_t attached = 0;
    const size_t count = a->failed ? 0 : pbs_body_vertex_count(a->world, soft);
    for (size_t v = 0; v < count && !a->failed; v++) {
        const double *place = pbs_body_positions(a->world, soft) + 3 * v;
        if (takes(user, place)) {
            const pbs_joint_desc d = joint_between(PBS_JOINT_BALL, assembly_point(a, stiff, place),
                                                   assembly_vertex(soft, (uint32_t)v));
            assembly_join(a, &d);
            attached++;
        }
    }
    return attached;
}

// --- what is measured ---

pbs_joint_state assembly_state(struct assembly *a, pbs_joint joint) {
    pbs_joint_state out = {.struct_size = sizeof out};
    if (!a->failed) {
        assembly_check(a, pbs_joint_get_state(a->world, joint, &out));
    }
    return out;
}

double assembly_mass(const struct assembly *a, pbs_body body) {
    const double *masses = pbs_body_masses(a->world, body);
    double sum = 0.0;
    for (size_t v = 0; masses != NULL && v < pbs_body_vertex_count(a->world, body); v++) {
        sum += masses[v];
    }
    return sum;
}

void assembly_add_momentum(struct assembly *a, pbs_body body, double sum[3]) {
    pbs_motion motion = {.struct_size = sizeof motion};
    if (!a->failed && assembly_check(a, pbs_body_motion(a->world, body, &motion))) {
        for (int k = 0; k < 3; k++) {
            sum[k] += motion.momentum[k];
        }
    }
}

double assembly_gap(struct assembly *a) {
    double gap = 0.0;
    for (size_t i = 0; i < pbs_world_joint_count(a->world); i++) {
        const pbs_joint_state state = assembly_state(a, pbs_world_joint_at(a->world, i));
        gap = state.broken ? gap : fmax(gap, state.gap);
    }
    return gap;
}

size_t assembly_overlaps(struct assembly *a) {
    pbs_overlap_desc d;
    pbs_overlap *rows = NULL;
    size_t count = 0, overlaps = 0;
    if (a->failed || !assembly_check(a, pbs_overlap_desc_init(&d, sizeof d)) ||
        !assembly_check(a, pbs_world_overlaps(a->world, &d, NULL, sizeof *rows, &count))) {
        return 0;
    }
    rows = calloc(count + 1, sizeof *rows);
    if (assembly_require(a, rows != NULL, "out of memory") && rows != NULL) {
        assembly_check(a, pbs_world_overlaps(a->world, &d, rows, sizeof *rows, &count));
    }
    for (size_t i = 0; rows != NULL && i < count && !a->failed; i++) {
        overlaps += rows[i].kind != PBS_OVERLAP_INSIDE;
    }
    free(rows);
    return overlaps;
}
