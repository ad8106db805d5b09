// Saves a world: the descriptions as the host gave them, and then the state (saved_state.c). Data
// that follow from these (masses, surfaces, matrices) are computed again by the restore.
// SPDX-License-Identifier: MIT
#include "world/snapshots/saved_collider.h"
#include "world/snapshots/saved_state.h"
#include "world/snapshots/saved_step_memory.h"
#include "world/snapshots/snapshot.h"

#include "world/interface/byte_stream.h"
#include "world/interface/saved_handles.h"
#include "world/integrators/integrator.h"
#include "world/objects/body_fields.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/world.h"

static const struct field_list *const OTHER_LISTS[] = {&world_fields,
                                                       &expert_fields,
                                                       &integrator_fields,

                                                       &body_description_fields,
                                                       &body_state_fields,
                                                       &contact_load_fields,
                                                       &saved_step_memory_fields,
                                                       NULL};

static void visit_one(const struct field_list *list, snapshot_visit_fn *visit, void *context) {
    if (list != NULL) {
        visit(context, list);
    }
}

static void visit_all(const struct field_list *const *lists, snapshot_visit_fn *visit,
                      void *context) {
    for (; *lists != NULL; lists++) {
        visit(context, *lists);
    }
}

void snapshot_visit_lists(snapshot_visit_fn *visit, void *context) {
    visit_all(OTHER_LISTS, visit, context);
    visit_all(saved_collider_lists, visit, context);
    visit_all(saved_state_lists, visit, context);
    for (int i = 0; i < FEATURE_COUNT; i++) {
        visit_one(features[i]->body_fields, visit, context);
        visit_one(features[i]->body_state, visit, context);
        if (features[i]->lists != NULL) {
            visit_all(features[i]->lists, visit, context);
        }
    }
    for (size_t i = 0; body_tables[i] != NULL; i++) {
        visit_one(body_tables[i]->description, visit, context);
        visit_one(body_tables[i]->state, visit, context);
    }
}

static void write_bodies(struct byte_writer *out, const struct scene *scene) {
    saved_handles_write(out, &scene->bodies);
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        write_u32(out, body->slot);
        write_u32(out, body->table->id);
        body->table->write(out, body, &scene->nodes);
        fields_write(out, &body_description_fields, body);
        features_write_body(out, body);
    }
}

/// Writes the coefficients that the host has set.
static void write_frictions(struct byte_writer *out, const struct friction_table *table) {
    for (uint32_t a = 0; a < PBS_SURFACE_MATERIALS; a++) {
        for (uint32_t b = a; b < PBS_SURFACE_MATERIALS; b++) {
            if (table->is_set[a][b]) {
                write_u32(out, a);
                write_u32(out, b);
                write_f64(out, table->friction[a][b]);
            }
        }
    }
    write_u32(out, PBS_SURFACE_MATERIALS);
}

void snapshot_write_descriptions(struct byte_writer *out, const struct scene *scene) {
    fields_write(out, &world_fields, &scene->settings);
    fields_write(out, &expert_fields, &scene->expert);
    fields_write(out, &integrator_fields, &scene->integrator.settings);
    write_u32(out, scene->stamp);
    write_frictions(out, &scene->frictions);
    saved_handles_write(out, &scene->colliders);
    for (size_t i = 0; i < scene->colliders.count; i++) {
        saved_collider_write(out, scene_collider(scene, i));
    }
    write_bodies(out, scene);
    features_write(out, scene);
}

static void write_scene(struct byte_writer *out, const void *saved) {
    snapshot_write_descriptions(out, saved);
    saved_state_write(out, saved);
}

pbs_status pbs_world_save(const pbs_world *w, void *buffer, size_t *size) {
    RETURN_IF_FAILED(world_enter(w));
    world_compact_nodes(w);
    return snapshot_save(write_scene, &w->scene, SNAPSHOT_MAGIC, buffer, size);
}
