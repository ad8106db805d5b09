// Restores a world. The bytes are read as descriptions, which pass the same checks as those of a
// host. A new scene is built, and replaces the old one when it is complete. Every count is compared
// with the number of bytes left before it is used.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/byte_stream.h"
#include "world/interface/check.h"
#include "world/interface/saved_handles.h"
#include "world/contact_scenes/close_pairs.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/integrators/integrator.h"
#include "world/objects/body_fields.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/snapshots/saved_collider.h"
#include "world/snapshots/saved_state.h"
#include "world/snapshots/snapshot.h"
#include "world/world.h"

// --- settings and totals ---

/// A saved world may lower the host's limits of work, but not raise them.
static uint32_t lower(uint32_t saved, uint32_t present) {
    return saved < present ? saved : present;
}

/// PBS_AUTOMATIC is compared by the largest value that it stands for.
static uint32_t lower_divisions(uint32_t saved, uint32_t present) {
    const uint32_t unset = (uint32_t)PBS_AUTOMATIC, most = AUTOMATIC_DIVISIONS;
    const uint32_t limit = present == unset ? most : present;
    return saved == unset && most <= limit ? unset : lower(saved, limit);
}

static pbs_status read_settings(struct byte_reader *in, const struct scene *present,
                                struct scene *scene) {
    scene->settings = present->settings;
    scene->expert = present->expert;
    pbs_world_desc *const d = &scene->settings;
    pbs_expert_desc *const expert = &scene->expert;
    RETURN_IF_FAILED(fields_read_in_place(in, &world_fields, d));
    RETURN_IF_FAILED(fields_read_in_place(in, &expert_fields, expert));
    d->newton_limit = lower(d->newton_limit, present->settings.newton_limit);
    d->divisions = lower_divisions(d->divisions, present->settings.divisions);
    expert->linear_limit = lower(expert->linear_limit, present->expert.linear_limit);
    return saved_as_format(world_check_settings(d, expert), "settings of version",
                           SNAPSHOT_VERSION);
}

static pbs_status read_integrator(struct byte_reader *in, struct scheme_choice *out) {
    pbs_integrator_desc d = {.struct_size = sizeof d};
    RETURN_IF_FAILED(fields_read_in_place(in, &integrator_fields, &d));
    RETURN_IF_FAILED(
        saved_as_format(integrator_check(&d), "integrator of version", SNAPSHOT_VERSION));
    *out = integrator_choice(&d);
    return PBS_OK;
}

// --- handles ---

static pbs_status read_stamp(struct byte_reader *in, struct scene *scene) {
    scene->stamp = read_u32(in);
    if (scene->stamp == 0 || scene->stamp >> HANDLE_STAMP_BITS != 0) {
        return status_fail(PBS_ERROR_FORMAT, "world stamp %#x, must be 1 to %#x",
                           (unsigned)scene->stamp, (1u << HANDLE_STAMP_BITS) - 1);
    }
    return PBS_OK;
}

// --- colliders ---

static pbs_status read_colliders(struct byte_reader *in, struct memory *memory,
                                 struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(saved_handles_read(in, memory, &scene->colliders, "collider slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(saved_handles_read_slot(in, &scene->colliders, &slot));
        struct collider *collider = memory_allocate(memory, 1, sizeof *collider);
        if (collider == NULL) {
            return PBS_ERROR_MEMORY;
        }
        collider->slot = slot;
        handle_insert_at(&scene->colliders, slot, collider);
        RETURN_IF_FAILED(saved_as_format(
            saved_collider_read(in, memory, &scene->settings, collider), "collider", i));
    }
    return PBS_OK;
}

// --- bodies ---

static pbs_status read_body(struct byte_reader *in, struct memory *memory, struct scene *scene,
                            struct body **out) {
    const uint32_t kind = read_u32(in);
    const struct body_table *const table = body_table_find(kind);
    if (table == NULL) {
        return status_fail(PBS_ERROR_FORMAT, "kind %u is not known", (unsigned)kind);
    }
    return table->read(in, memory, scene, out);
}

static pbs_status check_inset(const struct body *body) {
    return body->contact_inset == 0.0 || !vertices_are_nodes(body)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT,
                             "the contact inset is %g m, must be 0 of a body that is not affine",
                             body->contact_inset);
}

/// Reads what bodies of all kinds have.
static pbs_status read_common(struct byte_reader *in, const struct scene *scene,
                              struct memory *memory, struct body *body) {
    RETURN_IF_FAILED(fields_read_in_place(in, &body_description_fields, body));
    body->contact.struct_size = sizeof body->contact;
    RETURN_IF_FAILED(body_check_contact(&body->contact));
    RETURN_IF_FAILED(check_inset(body));
    return features_read_body(in, scene, memory, body);
}

static pbs_status read_bodies(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(saved_handles_read(in, memory, &scene->bodies, "body slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        struct body *body = NULL;
        RETURN_IF_FAILED(saved_handles_read_slot(in, &scene->bodies, &slot));
        const pbs_status status = saved_as_format(read_body(in, memory, scene, &body), "body", i);
        if (status < 0 || body == NULL) {
            return status;
        }
        body->slot = slot;
        handle_insert_at(&scene->bodies, slot, body);
        RETURN_IF_FAILED(saved_as_format(read_common(in, scene, memory, body), "body", i));
    }
    return PBS_OK;
}

// --- the world ---

static pbs_status read_frictions(struct byte_reader *in, struct friction_table *out) {
    int64_t last = -1;
    for (uint32_t a = read_u32(in); a != PBS_SURFACE_MATERIALS; a = read_u32(in)) {
        const uint32_t b = read_u32(in);
        const double friction = read_f64(in);
        const int64_t place = (int64_t)a * PBS_SURFACE_MATERIALS + b;
        if (in->ended || a > b || b >= PBS_SURFACE_MATERIALS || place <= last ||
            !(friction >= 0.0) || !isfinite(friction)) {
            return status_fail(PBS_ERROR_FORMAT, "friction %g of surface materials %u and %u",
                               friction, (unsigned)a, (unsigned)b);
        }
        friction_table_set(out, a, b, friction);
        last = place;
    }
    return PBS_OK;
}

static pbs_status read_descriptions(struct byte_reader *in, struct memory *memory,
                                    const struct scene *present, struct scene *scene) {
    RETURN_IF_FAILED(read_settings(in, present, scene));
    RETURN_IF_FAILED(read_integrator(in, &scene->integrator));
    RETURN_IF_FAILED(read_stamp(in, scene));
    RETURN_IF_FAILED(read_frictions(in, &scene->frictions));
    RETURN_IF_FAILED(read_colliders(in, memory, scene));
    RETURN_IF_FAILED(read_bodies(in, memory, scene));
    RETURN_IF_FAILED(features_read(in, memory, scene));
    return saved_as_format(contact_kind_check_scheme(scene, scene->integrator.scheme),
                           "integrator of version", SNAPSHOT_VERSION);
}

/// Replaces the scene by one that is built from the descriptions.
static pbs_status restore_all(pbs_world *w, struct byte_reader in) {
    struct scene scene = {0};
    pbs_status status = features_create(scene.features, &w->memory);
    status = status < 0 ? status : read_descriptions(&in, &w->memory, &w->scene, &scene);
    status = status < 0 ? status : saved_state_read(&in, &w->memory, &scene);
    if (status < 0) {
        scene_free(&scene, &w->memory);
        return status;
    }
    solver_free(&w->solver, &w->memory);
    scene_free(&w->scene, &w->memory);
    w->scene = scene;
    query_index_invalidate_parts(w->query);
    world_attach_callbacks(w);
    return PBS_OK;
}

// --- into the same world ---

/// Whether the descriptions are those of the present scene, byte by byte. Then *in is after them.
static bool describes_present(const struct scene *scene, struct byte_reader *in) {
    struct byte_writer present = {
        .compared = in->bytes, .capacity = in->size, .size = in->position};
    snapshot_write_descriptions(&present, scene);
    in->position = present.size;
    return !present.differs;
}

/// Whether the host may have made bodies overlap since contact was checked last.
static bool was_moved(const struct scene *scene) {
    bool moved = scene->has_freed_pair;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        moved = moved || scene_body(scene, i)->moved_by != NULL;
    }
    for (size_t i = 0; i < scene->colliders.count; i++) {
        moved = moved || scene_collider(scene, i)->moved_by != NULL;
    }
    return moved;
}

/// Which parts collide follows from what joints were broken, and obstacles that are constraints or
/// penalties from where colliders are: such contact is built anew.
static pbs_status keep_contact(struct solver *t, const struct scene *scene, struct memory *memory) {
    t->contact_energy = (double)NAN;
    t->close_pairs_meet = false;
    t->contact_is_current = t->contact_is_current &&
                            scene->settings.contact == PBS_CONTACT_BARRIER &&
                            scene->joints.count == 0;
    if (!t->contact_is_current) {
        return PBS_OK;
    }
    t->contact.mesh.close_count = 0;
    RETURN_IF_FAILED(close_pairs_load(scene, memory, &t->contact.mesh));
    barrier_contact_forget_reaches(&t->contact);
    t->contact_is_checked = !was_moved(scene);
    return PBS_OK;
}

/// Gives the solver what it has copied from the state.
static pbs_status keep_solver(pbs_world *w) {
    struct solver *const t = &w->solver;
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        const struct body *const body = scene_body(&w->scene, i);
        if (body->table->resumes_in_place) {
            world_followed_forces(w, body);
        }
    }
    features_reload(w);
    return keep_contact(t, &w->scene, &w->memory);
}

/// Reads the state alone, and puts back what was there before where that fails.
static pbs_status replace_state(pbs_world *w, struct byte_reader *in) {
    struct memory *const memory = &w->memory;
    struct byte_writer before = {.bytes = NULL};
    saved_state_write(&before, &w->scene);
    const size_t size = before.size;
    unsigned char *const bytes = memory_allocate(memory, size, 1);
    if (bytes == NULL) {
        return PBS_ERROR_MEMORY;
    }
    before = (struct byte_writer){.bytes = bytes, .capacity = size};
    saved_state_write(&before, &w->scene);
    pbs_status status = saved_state_read_in_place(in, memory, &w->scene);
    status = status < 0 ? status : keep_solver(w);
    if (status < 0) {
        struct byte_reader back = {.bytes = bytes, .size = size};
        (void)saved_state_read_in_place(&back, memory, &w->scene);
        w->solver.is_current = false;
    }
    memory_release(memory, bytes);
    return status;
}

/// Keeps what was built from the descriptions, if they are the present ones, as where a host goes
/// back by some frames. *done: false if the whole scene has to be read.
static pbs_status restore_state(pbs_world *w, struct byte_reader in, bool *done) {
    *done = false;
    scene_compact_nodes(&w->scene);
    // The forces of explicit schemes' penalties are those of the last step.
    if (!w->solver.is_current || w->scene.settings.contact == PBS_CONTACT_PENALTY ||
        !saved_state_has_history(&w->scene) || !describes_present(&w->scene, &in)) {
        return PBS_OK;
    }
    struct status_message message;
    status_save(&message);
    const pbs_status status = replace_state(w, &in);
    *done = status >= 0;
    if (status < 0 && status != PBS_ERROR_MEMORY) {
        status_restore(&message);
        return PBS_OK;
    }
    return status;
}

pbs_status pbs_world_restore(pbs_world *w, const void *buffer, size_t size) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(buffer, "buffer"));
    RETURN_IF_FAILED(snapshot_check(buffer, size, SNAPSHOT_MAGIC, "a saved world"));
    struct byte_reader in = {
        .bytes = buffer, .size = size, .position = sizeof(struct snapshot_header)};
    bool done = false;
    RETURN_IF_FAILED(restore_state(w, in, &done));
    if (!done) {
        RETURN_IF_FAILED(restore_all(w, in));
    }
    w->stats = (pbs_stats){0};
    w->readback.count = 0;
    w->broken.count = 0;
    w->contact_events.count = 0;
    features_forget(w);
    query_index_invalidate_positions(w->query);
    return PBS_OK;
}
