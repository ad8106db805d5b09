// Contacts, resultants and impulses of the last step. Parts of the report are bodies, then
// colliders, in order of creation.
// SPDX-License-Identifier: MIT
#include "world/readback/contact_readback.h"

#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/contact_scenes/contact_names.h"
#include "world/interface/settings.h"

// --- from the report ---

/// Reserves both buffers, as they are swapped.
static pbs_status reserve_rows(pbs_world *w, size_t count) {
    struct readback *r = &w->readback;
    RETURN_IF_FAILED(
        memory_reserve(&w->memory, &r->contacts, &r->capacity, count, sizeof *r->contacts));
    return memory_reserve(&w->memory, &r->next, &r->next_capacity, count, sizeof *r->next);
}

/// Estimates the number of contacts with PBS_CONTACT_PROJECTION: the number of vertices on
/// surfaces. Buffers are reserved for as many, because contacts appear within steps, which should
/// not call the allocator. A closed surface has half as many vertices as triangles.
static size_t expected_contacts(const struct scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count && scene->colliders.count > 0; i++) {
        const struct body *body = scene_body(scene, i);
        const bool is_inside = body->triangle_count > 0 &&
                               body->triangle_count < body->vertex_count;
        count += is_inside ? body->triangle_count : body->vertex_count;
    }
    return contact_kind_of(scene)->has_constraints ? count : 0;
}

pbs_status contact_readback_start(pbs_world *w) {
    struct solver *t = &w->solver;
    const struct scene *scene = &w->scene;
    t->report.node_parts = t->node_parts;
    t->report.first_obstacle = (uint32_t)scene->bodies.count;
    const struct collision_mesh *mesh = contact_set_mesh(&t->contacts);
    const struct contact_report_size size = {.parts = scene->bodies.count + scene->colliders.count,
                                             .points = mesh != NULL ? mesh->point_count : 0,
                                             .contacts = expected_contacts(scene)};
    RETURN_IF_FAILED(reserve_rows(w, size.contacts));
    return contact_report_start(&w->memory, &size, &t->report);
}

/// Returns the vertex of the body that a point of a contact is.
static uint32_t vertex_of(const pbs_world *w, const struct contact_geometry *shape, uint32_t part,
                          int point) {
    return shape->has_nodes
               ? shape->vertex[point] - (uint32_t)scene_body(&w->scene, part)->node_start
               : shape->vertex[point];
}

static void describe(const pbs_world *w, const struct contact_record *record, pbs_contact *out) {
    const struct solver *t = &w->solver;
    struct contact_geometry shape;
    contact_set_geometry(&t->contacts, &t->report, record, t->workspace.now.x, &shape);
    *out = (pbs_contact){.gap = shape.gap};
    pbs_contact_side *const sides[2] = {&out->first, &out->second};
    int point = 0;
    for (int s = 0; s < 2; s++) {
        contact_name_part(&w->scene, shape.part[s], sides[s]);
        copy3(shape.point[s], sides[s]->point);
        const bool named = contact_has_vertices(&w->scene, shape.part[s]);
        sides[s]->vertex_count = named ? (uint32_t)shape.count[s] : 0;
        for (int k = 0; k < shape.count[s]; k++, point++) {
            if (named) {
                sides[s]->vertices[k] = vertex_of(w, &shape, shape.part[s], point);
                sides[s]->weights[k] = shape.weight[point];
            }
        }
    }
    copy3(shape.normal, out->normal);
    copy3(record->force, out->force);
    copy3(record->friction, out->friction);
    out->normal_force = dot3(out->force, out->normal);
}

pbs_status contact_readback_prepare(pbs_world *w) {
    struct readback *r = &w->readback;
    const struct contact_report *report = &w->solver.report;
    RETURN_IF_FAILED(reserve_rows(w, report->record_count));
    for (size_t i = 0; i < report->record_count; i++) {
        describe(w, &report->records[i], &r->next[i]);
    }
    r->next_count = report->record_count;
    return PBS_OK;
}

/// Stores the contact forces of vertices that are not nodes.
static void store_vertex_forces(pbs_world *w) {
    const struct collision_mesh *mesh = contact_set_mesh(&w->solver.contacts);
    const double *forces = w->solver.report.point_forces;
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        const struct body *body = scene_body(&w->scene, b);
        if (!vertices_are_nodes(body)) {
            memset(body->vertices.contact_force, 0, 3 * body->vertex_count * sizeof(double));
        }
    }
    for (size_t i = 0; i < mesh->point_count && mesh->part[i] < w->scene.bodies.count; i++) {
        const struct body *body = scene_body(&w->scene, mesh->part[i]);
        if (!vertices_are_nodes(body)) {
            copy3(forces + 3 * i, body->vertices.contact_force + 3 * (size_t)mesh->vertex[i]);
        }
    }
}

// --- events ---

/// Returns the ids of both sides, in ascending order. Ids of bodies are less than those of
/// colliders.
static struct id_pair sides_of(const pbs_contact *contact) {
    const pbs_contact_side *const sides[2] = {&contact->first, &contact->second};
    uint64_t id[2];
    for (int s = 0; s < 2; s++) {
        id[s] = sides[s]->body.id != 0 ? sides[s]->body.id : sides[s]->collider.id;
    }
    return id[0] < id[1] ? (struct id_pair){id[0], id[1]} : (struct id_pair){id[1], id[0]};
}

pbs_status contact_events_prepare(pbs_world *w) {
    struct pair_list *next = &w->contact_events.next;
    // As many as there can be contacts, so that these lists grow only when those do.
    RETURN_IF_FAILED(pair_events_reserve(&w->memory, w->readback.next_capacity, &w->scene.touching,
                                         &w->contact_events));
    next->count = 0;
    for (size_t i = 0; i < w->readback.next_count; i++) {
        const struct id_pair pair = sides_of(&w->readback.next[i]);
        if (pair.first != pair.second) {
            next->pairs[next->count++] = pair;
        }
    }
    return PBS_OK;
}

// --- commit ---

void contact_readback_commit(pbs_world *w) {
    struct readback *r = &w->readback;
    const struct readback before = *r;
    r->contacts = before.next;
    r->count = before.next_count;
    r->capacity = before.next_capacity;
    r->next = before.contacts;
    r->next_capacity = before.capacity;
    const struct contact_load *loads = w->solver.report.loads;
    const size_t bodies = w->scene.bodies.count;
    for (size_t i = 0; i < bodies; i++) {
        scene_body(&w->scene, i)->load = loads[i];
    }
    for (size_t i = 0; i < w->scene.colliders.count; i++) {
        scene_collider(&w->scene, i)->load = loads[bodies + i];
    }
    if (contact_set_mesh(&w->solver.contacts) != NULL) {
        store_vertex_forces(w);
    }
    pair_events_commit(&w->scene.touching, &w->contact_events);
}

// --- to the host ---

pbs_status pbs_world_contacts(const pbs_world *w, pbs_contact *dst, size_t struct_size,
                              size_t *count) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(
        rows_begin(&settings_contact_row, struct_size, dst, count, w->readback.count, "contacts"));
    for (size_t i = 0; dst != NULL && i < w->readback.count; i++) {
        row_write(&settings_contact_row, &w->readback.contacts[i], struct_size,
                  (char *)dst + struct_size * i);
    }
    return PBS_OK;
}

/// Sets the id of a side of an event.
static void name_side(uint64_t id, int side, pbs_contact_event *out) {
    if (handle_kind_of(id) == HANDLE_BODY) {
        out->bodies[side].id = id;
    } else {
        out->colliders[side].id = id;
    }
}

pbs_status pbs_world_contact_events(const pbs_world *w, pbs_contact_event *dst, size_t struct_size,
                                    size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    const struct pair_events *events = &w->contact_events;
    RETURN_IF_FAILED(rows_begin(&settings_contact_event, struct_size, dst, count, events->count,
                                "contact events"));
    for (size_t i = 0; dst != NULL && i < events->count; i++) {
        pbs_contact_event row = {.kind = events->rows[i].kind};
        name_side(events->rows[i].pair.first, 0, &row);
        name_side(events->rows[i].pair.second, 1, &row);
        row_write(&settings_contact_event, &row, struct_size, (char *)dst + struct_size * i);
    }
    return PBS_OK;
}

static pbs_status write_load(const struct contact_load *load, const double about[3],
                             pbs_contact_force *out) {
    pbs_contact_force own = {.struct_size = sizeof own};
    double moved[3];
    add3(load->force, load->friction, own.force);
    copy3(load->friction, own.friction);
    cross3(about, own.force, moved);
    subtract3(load->torque, moved, own.torque);
    copy3(load->impulse, own.impulse);
    cross3(about, own.impulse, moved);
    subtract3(load->angular_impulse, moved, own.angular_impulse);
    return results_write(&settings_contact_force, &own, out);
}

/// Computes the current centre of mass of a body.
static void centre_of_mass(const struct nodes *nodes, const struct body *body, double centre[3]) {
    const size_t count = nodes_count_positions(nodes, body->node_start, body->node_count);
    if (count == 1) {
        copy3(nodes->x + 3 * body->node_start, centre);
        return;
    }
    double mass = 0.0;
    scale3(0.0, nodes->x, centre);
    for (size_t i = body->node_start; i < body->node_start + count; i++) {
        add_scaled3(centre, nodes->mass[i], nodes->x + 3 * i, centre);
        mass += nodes->mass[i];
    }
    scale3(1.0 / mass, centre, centre);
}

pbs_status pbs_body_contact_force(const pbs_world *w, pbs_body b, const double about[3],
                                  pbs_contact_force *out) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(results_check(&settings_contact_force, out));
    double centre[3];
    if (about == NULL) {
        centre_of_mass(&w->scene.nodes, body, centre);
    } else {
        RETURN_IF_FAILED(check_vector(about, "about"));
        copy3(about, centre);
    }
    return write_load(&body->load, centre, out);
}

pbs_status pbs_collider_contact_force(const pbs_world *w, pbs_collider c, const double about[3],
                                      pbs_contact_force *out) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct collider *collider = world_enter_collider(w, c, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(results_check(&settings_contact_force, out));
    if (about != NULL) {
        RETURN_IF_FAILED(check_vector(about, "about"));
    }
    return write_load(&collider->load, about != NULL ? about : collider->desc.position, out);
}
