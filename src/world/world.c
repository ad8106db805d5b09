// Worlds: creation, destruction, settings, and functions that other files of src/world share.
// SPDX-License-Identifier: MIT
#include "world/joints/joint.h"
#include "world/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "linear/preconditioner.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/integrators/integrator.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"

enum { THREAD_LIMIT = 1024 };

// --- settings ---

static const struct field WORLD_FIELDS[] = {
    FIELD_VALUES_USED(pbs_world_desc, gravity, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_world_desc, contact, FIELD_ANY),
    FIELD_VALUE(pbs_world_desc, body_contact, FIELD_ANY),
    FIELD_VALUE(pbs_world_desc, processor_independent, FIELD_ANY),
    FIELD_VALUE_USED(pbs_world_desc, newton_limit, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE_USED(pbs_world_desc, divisions, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE_USED(pbs_world_desc, friction_iterations, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_world_desc, fracture_passes, FIELD_ANY),
    FIELD_VALUE(pbs_world_desc, fracture_limit, FIELD_ANY),
    FIELD_VALUE_USED(pbs_world_desc, impact_steps, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE_USED(pbs_world_desc, tolerance, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE_USED(pbs_world_desc, relative_tolerance, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_world_desc, contact_distance, FIELD_ANY),
    FIELD_VALUE(pbs_world_desc, contact_stiffness, FIELD_ANY),
    FIELD_VALUE(pbs_world_desc, slip_velocity, FIELD_ANY),
    FIELD_VALUE_USED(pbs_world_desc, velocity_tolerance, FIELD_ANY, FIELD_BY_STEP),
};
const struct field_list world_fields = FIELD_LIST(pbs_world_desc, WORLD_FIELDS);

static const struct field EXPERT_FIELDS[] = {
    FIELD_VALUE(pbs_expert_desc, method, FIELD_ANY),
    FIELD_VALUE_USED(pbs_expert_desc, line_search, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_expert_desc, project_hessian, FIELD_ANY),
    FIELD_VALUE_USED(pbs_expert_desc, initial_guess, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_expert_desc, preconditioner, FIELD_ANY),
    FIELD_VALUE(pbs_expert_desc, preconditioner_order, FIELD_ANY),
    FIELD_VALUE_USED(pbs_expert_desc, allow_unconverged, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_expert_desc, barrier, FIELD_ANY),
    FIELD_VALUE_USED(pbs_expert_desc, velocity_rule, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE(pbs_expert_desc, adaptive_stiffness, FIELD_ANY),
    FIELD_VALUE(pbs_expert_desc, assembly, FIELD_ANY),
    FIELD_VALUE(pbs_expert_desc, alignment, FIELD_ANY),
    FIELD_VALUE_USED(pbs_expert_desc, linear_limit, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE_USED(pbs_expert_desc, forcing, FIELD_ANY, FIELD_BY_STEP),
    FIELD_VALUE_USED(pbs_expert_desc, step_length_limit, FIELD_ANY, FIELD_BY_STEP),
};
const struct field_list expert_fields = FIELD_LIST(pbs_expert_desc, EXPERT_FIELDS);

void world_default_settings(pbs_world_desc *d, pbs_expert_desc *expert) {
    *d = (pbs_world_desc){
        .struct_size = sizeof *d,
        .threads = 1,
        .contact = PBS_CONTACT_BARRIER,
        .friction_iterations = 1,
        .newton_limit = 500,
        .divisions = (uint32_t)PBS_AUTOMATIC,
        .relative_tolerance = 1e-6,
        .velocity_tolerance = PBS_AUTOMATIC,
    };
    *expert = (pbs_expert_desc){
        .struct_size = sizeof *expert,
        .method = PBS_METHOD_STABILIZED_NEWTON,
        .line_search = PBS_LINE_SEARCH_WOLFE,
        .project_hessian = PBS_HESSIAN_AUTOMATIC,
        .initial_guess = PBS_GUESS_BEST,
        .alignment = PBS_ALIGNMENT_FREE_BODIES,
        .preconditioner = PBS_PRECONDITIONER_AUTOMATIC,
        .preconditioner_order = PBS_ORDER_NATURAL,
        .assembly = PBS_ASSEMBLY_AUTOMATIC,
        .linear_limit = 10000,
        .barrier = PBS_BARRIER_DISTANCE,
        .velocity_rule = PBS_VELOCITY_STEP_AND_GAIN,
    };
}

pbs_status pbs_world_desc_init(pbs_world_desc *d, size_t struct_size) {
    pbs_world_desc defaults;
    pbs_expert_desc expert;
    world_default_settings(&defaults, &expert);
    return settings_init(&settings_world, d, struct_size, &defaults);
}

pbs_status pbs_expert_desc_init(pbs_expert_desc *d, size_t struct_size) {
    pbs_world_desc settings;
    pbs_expert_desc defaults;
    world_default_settings(&settings, &defaults);
    return settings_init(&settings_expert, d, struct_size, &defaults);
}

static pbs_status check_choices(const pbs_expert_desc *d) {
    RETURN_IF_FAILED(
        check_choice(d->method, PBS_METHOD_STABILIZED_NEWTON, PBS_METHOD_PLAIN_NEWTON, "method"));
    RETURN_IF_FAILED(check_choice(d->line_search, PBS_LINE_SEARCH_WOLFE,
                                  PBS_LINE_SEARCH_BACKTRACKING, "line_search"));
    RETURN_IF_FAILED(check_choice(d->project_hessian, PBS_HESSIAN_EXACT, PBS_HESSIAN_AUTOMATIC,
                                  "project_hessian"));
    RETURN_IF_FAILED(
        check_choice(d->initial_guess, PBS_GUESS_BEST, PBS_GUESS_OPT, "initial_guess"));
    RETURN_IF_FAILED(
        check_choice(d->alignment, PBS_ALIGNMENT_FREE_BODIES, PBS_ALIGNMENT_NEVER, "alignment"));
    if (preconditioner_find(d->preconditioner) == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "preconditioner is %d, which is no PBS_PRECONDITIONER_*",
                           (int)d->preconditioner);
    }
    RETURN_IF_FAILED(check_choice(d->preconditioner_order, PBS_ORDER_NATURAL,
                                  PBS_ORDER_NESTED_DISSECTION, "preconditioner_order"));
    RETURN_IF_FAILED(
        check_choice(d->assembly, PBS_ASSEMBLY_AUTOMATIC, PBS_ASSEMBLY_MATRIX_FREE, "assembly"));
    RETURN_IF_FAILED(
        check_choice(d->barrier, PBS_BARRIER_DISTANCE, PBS_BARRIER_SQUARED, "barrier"));
    return check_choice(d->velocity_rule, PBS_VELOCITY_STEP_AND_GAIN, PBS_VELOCITY_STEP,
                        "velocity_rule");
}

static pbs_status check_expert(const pbs_expert_desc *d) {
    RETURN_IF_FAILED(check_choices(d));
    RETURN_IF_FAILED(check_choice(d->linear_limit, 1, 100000000, "linear_limit"));
    RETURN_IF_FAILED(check_not_negative(d->forcing, "forcing"));
    RETURN_IF_FAILED(check_not_negative(d->step_length_limit, "step_length_limit"));
    RETURN_IF_FAILED(check_choice(d->allow_unconverged, 0, 1, "allow_unconverged"));
    return check_choice(d->adaptive_stiffness, 0, 1, "adaptive_stiffness");
}

static pbs_status check_hooks(const pbs_world_desc *d) {
    RETURN_IF_FAILED(check_allocator(&d->allocator));
    return check_choice(d->threads, 0, THREAD_LIMIT, "threads");
}

static pbs_status check_contact(const pbs_world_desc *d) {
    RETURN_IF_FAILED(check_choice(d->body_contact, PBS_BODY_CONTACT_NONE, PBS_BODY_CONTACT_PENALTY,
                                  "body_contact"));
    RETURN_IF_FAILED(contact_kind_check_settings(d));
    if (d->contact_distance != 0.0) {
        RETURN_IF_FAILED(check_length(d->contact_distance, "contact_distance"));
    }
    RETURN_IF_FAILED(check_not_negative(d->contact_stiffness, "contact_stiffness"));
    RETURN_IF_FAILED(check_not_negative(d->slip_velocity, "slip_velocity"));
    return check_choice(d->friction_iterations, 1, 100, "friction_iterations");
}

static pbs_status check_solving(const pbs_world_desc *d) {
    RETURN_IF_FAILED(check_choice(d->newton_limit, 1, 1000000, "newton_limit"));
    if (d->divisions != (uint32_t)PBS_AUTOMATIC) {
        RETURN_IF_FAILED(check_choice(d->divisions, 0, 20, "divisions"));
    }
    RETURN_IF_FAILED(check_choice(d->processor_independent, 0, 1, "processor_independent"));
    RETURN_IF_FAILED(check_not_negative(d->tolerance, "tolerance"));
    RETURN_IF_FAILED(check_not_negative(d->relative_tolerance, "relative_tolerance"));
    if (d->tolerance == 0.0 && d->relative_tolerance == 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "tolerance and relative_tolerance are both 0, one must be positive");
    }
    return d->velocity_tolerance == PBS_AUTOMATIC
               ? PBS_OK
               : check_not_negative(d->velocity_tolerance, "velocity_tolerance");
}

pbs_status world_check_settings(const pbs_world_desc *d, const pbs_expert_desc *expert) {
    RETURN_IF_FAILED(check_vector(d->gravity, "gravity"));
    RETURN_IF_FAILED(check_contact(d));
    RETURN_IF_FAILED(check_solving(d));
    RETURN_IF_FAILED(check_choice(d->fracture_passes, 0, 1000, "fracture_passes"));
    RETURN_IF_FAILED(check_choice(d->impact_steps, 0, 1000, "impact_steps"));
    RETURN_IF_FAILED(check_expert(expert));
    RETURN_IF_FAILED(contact_kind_check_method(d, expert->method));
    return check_hooks(d);
}

/// Copies a host's settings over *settings and *expert. A null pointer to expert settings leaves
/// *expert unchanged.
static pbs_status read_settings(const pbs_world_desc *d, pbs_world_desc *settings,
                                pbs_expert_desc *expert) {
    RETURN_IF_FAILED(settings_read(&settings_world, d, settings));
    if (settings->expert != NULL) {
        RETURN_IF_FAILED(settings_read(&settings_expert, settings->expert, expert));
        settings->expert = NULL;
    }
    return PBS_OK;
}

// --- creation ---

static void destroy(pbs_world *w) {
    solver_free(&w->solver, &w->memory);
    scene_free(&w->scene, &w->memory);
    memory_release(&w->memory, w->callbacks);
    memory_release(&w->memory, w->readback.contacts);
    memory_release(&w->memory, w->broken.rows);
    memory_release(&w->memory, w->broken_joints.rows);
    memory_release(&w->memory, w->scratch);
    memory_release(&w->memory, w->readback.next);
    pair_events_free(&w->memory, &w->contact_events);
    if (w->query != NULL) {
        query_index_free(w->query);
        memory_release(&w->memory, w->query);
    }
    tasks_destroy(&w->memory, w->tasks);
    struct memory memory = w->memory;
    memory_release(&memory, w);
}

static pbs_status create(struct memory *memory, const pbs_world_desc *d,
                         const pbs_expert_desc *expert, pbs_world **out) {
    pbs_world *w = memory_allocate(memory, 1, sizeof *w);
    if (w == NULL) {
        return PBS_ERROR_MEMORY;
    }
    w->memory = *memory;
    w->log = d->log;
    w->scene.settings = *d;
    w->scene.settings.allocator = (pbs_allocator){0};
    w->scene.settings.log = (pbs_log){0};
    w->scene.settings.tasks = (pbs_tasks){0};
    w->scene.expert = *expert;
    const pbs_integrator_desc integrator = integrator_defaults(contact_kind_of(&w->scene)->scheme);
    w->scene.integrator = integrator_choice(&integrator);
    w->scene.stamp = handle_new_stamp(w);
    scene_forget_history(&w->scene);
    w->query = memory_allocate(&w->memory, 1, sizeof *w->query);
    pbs_status status = PBS_ERROR_MEMORY;
    if (w->query != NULL) {
        query_index_init(w->query, &d->allocator);
        status = features_create(w->scene.features, &w->memory);
    }
    if (status >= 0) {
        status = tasks_create(&w->memory, &d->tasks, d->threads, &w->tasks);
    }
    if (status < 0) {
        destroy(w);
        return status;
    }
    *out = w;
    return PBS_OK;
}

pbs_status pbs_world_create(const pbs_world_desc *d, pbs_world **out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_world_desc settings;
    pbs_expert_desc expert;
    world_default_settings(&settings, &expert);
    RETURN_IF_FAILED(read_settings(d, &settings, &expert));
    RETURN_IF_FAILED(world_check_settings(&settings, &expert));
    struct memory memory;
    memory_init(&memory, &settings.allocator);
    return create(&memory, &settings, &expert, out);
}

// The thread's message stays, as a host may destroy the world after a failure and read the message
// then.
void pbs_world_destroy(pbs_world *w) {
    if (w != NULL) {
        destroy(w);
    }
}

// --- entering ---

pbs_status world_enter(const pbs_world *w) {
    return check_pointer(w, "the world");
}

struct body *world_body(const pbs_world *w, pbs_body b) {
    return w == NULL ? NULL : handle_peek(&w->scene.bodies, b.id, HANDLE_BODY, w->scene.stamp);
}

struct body *world_enter_body(const pbs_world *w, pbs_body b, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    struct body *body = handle_find(&w->scene.bodies, b.id, HANDLE_BODY, w->scene.stamp);
    *status = body != NULL ? PBS_OK : PBS_ERROR_HANDLE;
    return body;
}

pbs_status world_check_vertex_count(const struct body *body, size_t vertex_count) {
    return vertex_count == body->vertex_count
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "vertex_count is %zu, but the body has %zu vertices", vertex_count,
                             body->vertex_count);
}

struct collider *world_enter_collider(const pbs_world *w, pbs_collider c, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    struct collider *collider = handle_find(&w->scene.colliders, c.id, HANDLE_COLLIDER,
                                            w->scene.stamp);
    *status = collider != NULL ? PBS_OK : PBS_ERROR_HANDLE;
    return collider;
}

void world_compact_nodes(const pbs_world *w) {
    // The cast is safe: no world is a const object, as all are allocated by pbs_world_create.
    pbs_world *const own = (pbs_world *)w;
    scene_compact_nodes(&own->scene);
}

void world_moved_body(pbs_world *w, struct body *body, const char *by) {
    body->moved_by = by;
    w->solver.contact_is_checked = false;
    query_index_invalidate_positions(w->query);
    scene_forget_body(&w->scene, body);
}

void world_changed_surface(pbs_world *w, size_t part, const struct surface *surface) {
    const struct contact_kind *kind = contact_kind_of(&w->scene);
    struct solver *t = &w->solver;
    if (kind->set_surface == NULL || !t->is_current || !t->contact_is_current) {
        t->contact_is_current = false;
        return;
    }
    kind->set_surface(&t->contact, part, surface);
}

bool world_follow_forces(pbs_world *w, struct body *body, double seconds) {
    struct scene *scene = &w->scene;
    if (body->table->follow_forces == NULL ||
        !body->table->follow_forces(body, scene->nodes.x, scene->settings.gravity, seconds)) {
        return false;
    }
    world_followed_forces(w, body);
    scene->history.memory.stable_step = 0.0;
    return true;
}

void world_followed_forces(pbs_world *w, const struct body *body) {
    if (w->solver.is_current) {
        model_write_values(&w->solver.model, &w->scene.nodes, body);
    }
    if (w->scene.settings.contact == PBS_CONTACT_PROJECTION) {
        w->solver.contact_is_current = false; // penalties are as stiff as what touches
    }
}

void world_log(const pbs_world *w, int32_t level, const char *format, ...) {
    if (w->log.write == NULL) {
        return;
    }
    char message[STATUS_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    w->log.write(w->log.user, level, message);
}

// --- callbacks by tag ---

static struct callback *find_callback(const pbs_world *w, uint64_t tag) {
    for (size_t i = 0; i < w->callback_count; i++) {
        if (w->callbacks[i].tag == tag) {
            return &w->callbacks[i];
        }
    }
    return NULL;
}

void world_attach_callbacks(pbs_world *w) {
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body *body = scene_body(&w->scene, i);
        if (body->table->calls_host && body->custom.evaluate == NULL) {
            const struct callback *callback = find_callback(w, body->custom.tag);
            body->custom.evaluate = callback != NULL ? callback->evaluate : NULL;
            body->custom.user = callback != NULL ? callback->user : NULL;
        }
    }
}

pbs_status world_check_callbacks(const pbs_world *w) {
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        const struct body *body = scene_body(&w->scene, i);
        if (body->table->calls_host && body->custom.evaluate == NULL) {
            return status_fail(
                PBS_ERROR_MISSING_CALLBACK,
                "no callback is registered under tag %llu, which restored body %zu needs",
                (unsigned long long)body->custom.tag, i);
        }
    }
    return PBS_OK;
}

pbs_status pbs_world_register_callback(pbs_world *w, uint64_t tag, pbs_custom_fn evaluate,
                                       void *user) {
    RETURN_IF_FAILED(world_enter(w));
    if (tag == 0) {
        return status_fail(PBS_ERROR_ARGUMENT, "tag is 0, which names no callback");
    }
    if (evaluate == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "evaluate is null");
    }
    struct callback *callback = find_callback(w, tag);
    if (callback == NULL) {
        RETURN_IF_FAILED(memory_reserve(&w->memory, &w->callbacks, &w->callback_capacity,
                                        w->callback_count + 1, sizeof *w->callbacks));
        callback = &w->callbacks[w->callback_count];
        w->callback_count++;
    }
    *callback = (struct callback){tag, evaluate, user};
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        struct body *body = scene_body(&w->scene, i);
        if (body->table->calls_host && body->custom.tag == tag) {
            body->custom.evaluate = evaluate;
            body->custom.user = user;
            w->solver.is_current = false;
        }
    }
    return PBS_OK;
}

pbs_status pbs_world_callback(const pbs_world *w, uint64_t tag, pbs_custom_fn *evaluate,
                              void **user) {
    RETURN_IF_FAILED(world_enter(w));
    const struct callback *callback = find_callback(w, tag);
    if (callback == NULL) {
        return status_fail(PBS_ERROR_MISSING_CALLBACK, "no callback is registered under tag %llu",
                           (unsigned long long)tag);
    }
    if (evaluate != NULL) {
        *evaluate = callback->evaluate;
    }
    if (user != NULL) {
        *user = callback->user;
    }
    return PBS_OK;
}

// --- time, gravity and counts ---

double pbs_world_time(const pbs_world *w) {
    return w != NULL ? w->scene.time : 0.0;
}

static void set_gravity(pbs_world *w, const double gravity[3]) {
    const double *const before = w->scene.settings.gravity;
    if (gravity[0] != before[0] || gravity[1] != before[1] || gravity[2] != before[2]) {
        w->scene.history.memory.has_acceleration = false;
    }
    memcpy(w->scene.settings.gravity, gravity, sizeof w->scene.settings.gravity);
    memcpy(w->solver.model.gravity.acceleration, gravity, sizeof w->scene.settings.gravity);
    for (size_t i = 0; i < w->scene.bodies.count; i++) {
        (void)world_follow_forces(w, scene_body(&w->scene, i), 0.0);
    }
}

pbs_status pbs_world_set_gravity(pbs_world *w, const double gravity[3]) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(gravity, "gravity"));
    RETURN_IF_FAILED(check_vector(gravity, "gravity"));
    set_gravity(w, gravity);
    return PBS_OK;
}

pbs_status pbs_world_gravity(const pbs_world *w, double gravity[3]) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(gravity, "gravity"));
    memcpy(gravity, w->scene.settings.gravity, sizeof w->scene.settings.gravity);
    return PBS_OK;
}

// --- settings at run time ---

static bool has_same_barrier(const pbs_world_desc *a, const pbs_world_desc *b) {
    return a->contact_distance == b->contact_distance &&
           a->contact_stiffness == b->contact_stiffness && a->slip_velocity == b->slip_velocity;
}

/// Whether the solver can be used with the next settings. Contact is built with it.
static bool keeps_solver(const struct scene *now, const pbs_world_desc *next,
                         const pbs_expert_desc *next_expert) {
    return fields_are_equal(&world_fields, FIELD_BY_STEP, &now->settings, next) &&
           fields_are_equal(&expert_fields, FIELD_BY_STEP, &now->expert, next_expert);
}

static void apply_settings(pbs_world *w, const pbs_world_desc *next,
                           const pbs_expert_desc *next_expert) {
    const pbs_world_desc now = w->scene.settings;
    const pbs_expert_desc expert = w->scene.expert;
    if (!keeps_solver(&w->scene, next, next_expert)) {
        w->solver.is_current = false;
    }
    set_gravity(w, next->gravity);
    w->scene.settings = *next;
    w->scene.expert = *next_expert;
    if (!has_same_barrier(&now, next) || expert.barrier != next_expert->barrier ||
        expert.adaptive_stiffness != next_expert->adaptive_stiffness) {
        w->scene.barrier = (struct adaptive_barrier){0};
        scene_forget_history(&w->scene);
    }
}

pbs_status pbs_world_settings(const pbs_world *w, pbs_world_desc *out) {
    RETURN_IF_FAILED(world_enter(w));
    return results_write(&settings_world, &w->scene.settings, out);
}

pbs_status pbs_world_expert_settings(const pbs_world *w, pbs_expert_desc *out) {
    RETURN_IF_FAILED(world_enter(w));
    return results_write(&settings_expert, &w->scene.expert, out);
}

pbs_status pbs_world_set_settings(pbs_world *w, const pbs_world_desc *d) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    const pbs_world_desc *const now = &w->scene.settings;
    pbs_world_desc next = *now;
    pbs_expert_desc next_expert = w->scene.expert;
    RETURN_IF_FAILED(read_settings(d, &next, &next_expert));
    next.threads = now->threads;
    next.allocator = now->allocator;
    next.log = now->log;
    next.tasks = now->tasks;
    RETURN_IF_FAILED(world_check_settings(&next, &next_expert));
    if (next.contact != now->contact) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "contact is %d, must stay %d: another kind needs another world",
                           (int)next.contact, (int)now->contact);
    }
    if (next.body_contact != now->body_contact) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "body_contact is %d, must stay %d: another kind needs another world",
                           (int)next.body_contact, (int)now->body_contact);
    }
    apply_settings(w, &next, &next_expert);
    return PBS_OK;
}

pbs_status pbs_world_set_friction(pbs_world *w, uint32_t a, uint32_t b, double friction) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_choice(a, 0, PBS_SURFACE_MATERIALS - 1, "surface material a"));
    RETURN_IF_FAILED(check_choice(b, 0, PBS_SURFACE_MATERIALS - 1, "surface material b"));
    RETURN_IF_FAILED(check_not_negative(friction, "friction"));
    friction_table_set(&w->scene.frictions, a, b, friction);
    return PBS_OK;
}

pbs_status pbs_world_friction(const pbs_world *w, uint32_t a, uint32_t b, double *friction) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_choice(a, 0, PBS_SURFACE_MATERIALS - 1, "surface material a"));
    RETURN_IF_FAILED(check_choice(b, 0, PBS_SURFACE_MATERIALS - 1, "surface material b"));
    RETURN_IF_FAILED(check_pointer(friction, "friction"));
    const struct friction_table *table = &w->scene.frictions;
    *friction = table->is_set[a][b] ? table->friction[a][b] : -1.0;
    return PBS_OK;
}

pbs_status pbs_world_set_threads(pbs_world *w, int32_t threads) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_choice(threads, 0, THREAD_LIMIT, "threads"));
    const pbs_tasks host = tasks_host(w->tasks);
    struct tasks *tasks = NULL;
    RETURN_IF_FAILED(tasks_create(&w->memory, &host, threads, &tasks));
    tasks_set_fusing(tasks, tasks_may_fuse(w->tasks));
    tasks_destroy(&w->memory, w->tasks);
    w->tasks = tasks;
    w->scene.settings.threads = threads;
    return PBS_OK;
}

int32_t pbs_world_threads(const pbs_world *w) {
    return w != NULL ? tasks_thread_count(w->tasks) : 0;
}

static pbs_status set_choice(pbs_world *w, const struct scheme_choice *choice) {
    RETURN_IF_FAILED(contact_kind_check_scheme(&w->scene, choice->scheme));
    for (size_t b = 0; b < w->scene.bodies.count; b++) {
        const struct body *body = scene_body(&w->scene, b);
        if (body->table->check_scheme != NULL) {
            RETURN_IF_FAILED(body->table->check_scheme(choice->scheme));
        }
        RETURN_IF_FAILED(features_check_scheme(body, choice->scheme));
    }
    if (choice->scheme != w->scene.integrator.scheme ||
        choice->settings.energy_control.by_island !=
            w->scene.integrator.settings.energy_control.by_island) {
        w->solver.is_current = false;
    }
    w->scene.integrator = *choice;
    scene_forget_history(&w->scene);
    w->scene.step_memory = (struct step_memory){0};
    return PBS_OK;
}

pbs_status pbs_world_set_integrator(pbs_world *w, pbs_integrator *i) {
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(i, "the integrator"));
    return set_choice(w, &i->choice);
}

pbs_status pbs_world_set_scheme(pbs_world *w, int32_t scheme) {
    RETURN_IF_FAILED(world_enter(w));
    pbs_integrator_desc d;
    RETURN_IF_FAILED(pbs_integrator_desc_init(&d, sizeof d, scheme));
    const struct scheme_choice choice = integrator_choice(&d);
    return set_choice(w, &choice);
}

int32_t pbs_world_scheme(const pbs_world *w) {
    return w != NULL ? w->scene.integrator.settings.scheme : -1;
}

pbs_status pbs_world_integrator_settings(const pbs_world *w, pbs_integrator_desc *out) {
    RETURN_IF_FAILED(world_enter(w));
    return results_write(&settings_integrator, &w->scene.integrator.settings, out);
}

size_t pbs_world_body_count(const pbs_world *w) {
    return w != NULL ? w->scene.bodies.count : 0;
}

pbs_body pbs_world_body_at(const pbs_world *w, size_t index) {
    return w != NULL ? scene_body_id(&w->scene, index) : (pbs_body){0};
}

size_t pbs_world_collider_count(const pbs_world *w) {
    return w != NULL ? w->scene.colliders.count : 0;
}

pbs_collider pbs_world_collider_at(const pbs_world *w, size_t index) {
    return w != NULL ? scene_collider_id(&w->scene, index) : (pbs_collider){0};
}
