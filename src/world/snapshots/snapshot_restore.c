// Restores a world. The bytes are read as descriptions, which pass the same checks as those of a
// host. A new scene is built, and replaces the old one when it is complete. Every count is compared
// with the number of bytes left before it is used.
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/byte_stream.h"
#include "world/particles/bonded.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/integrators/integrator.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/snapshots/saved_collider.h"
#include "world/snapshots/saved_joint.h"
#include "world/snapshots/snapshot.h"
#include "world/world.h"
#include "world/regions/sensor.h"

/// Errors in restored values become PBS_ERROR_FORMAT; PBS_ERROR_MEMORY stays.
static pbs_status as_format(pbs_status status, const char *what, size_t index) {
    if (status >= 0 || status == PBS_ERROR_MEMORY) {
        return status;
    }
    return status_fail(PBS_ERROR_FORMAT, "%s %zu: %s", what, index, pbs_last_error());
}

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
    read_doubles(in, d->gravity, 3);
    int32_t *const choices[] = {&expert->method,
                                &expert->line_search,
                                &expert->project_hessian,
                                &expert->initial_guess,
                                &expert->preconditioner,
                                &expert->preconditioner_order,
                                &expert->allow_unconverged,
                                &d->contact,
                                &expert->barrier,
                                &expert->velocity_rule,
                                &expert->adaptive_stiffness,
                                &d->processor_independent,
                                &expert->assembly,
                                &expert->alignment,
                                &d->body_contact};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        read_bytes(in, choices[i], sizeof *choices[i]);
    }
    d->newton_limit = lower(read_u32(in), present->settings.newton_limit);
    expert->linear_limit = lower(read_u32(in), present->expert.linear_limit);
    d->divisions = lower_divisions(read_u32(in), present->settings.divisions);
    d->friction_iterations = read_u32(in);
    d->fracture_passes = read_u32(in);
    d->fracture_limit = read_u32(in);
    d->impact_steps = read_u32(in);
    d->tolerance = read_f64(in);
    d->relative_tolerance = read_f64(in);
    expert->forcing = read_f64(in);
    expert->step_length_limit = read_f64(in);
    d->contact_distance = read_f64(in);
    d->contact_stiffness = read_f64(in);
    d->slip_velocity = read_f64(in);
    d->velocity_tolerance = read_f64(in);
    return as_format(world_check_settings(d, expert), "settings of version", SNAPSHOT_VERSION);
}

static pbs_status read_integrator(struct byte_reader *in, struct scheme_choice *out) {
    pbs_integrator_desc d = {.struct_size = sizeof d};
    int32_t *const choices[] = {&d.scheme,
                                &d.start,
                                &d.energy_control.alpha_choice,
                                &d.energy_control.by_island,
                                &d.linearized,
                                &d.step_control.kind,
                                &d.step_control.rule};
    double *const numbers[] = {
        &d.energy_control.alpha,    &d.energy_control.alpha_min,  &d.energy_control.alpha_max,
        &d.energy_control.fraction, &d.energy_control.ground,     &d.energy_control.decay_time,
        &d.step_control.tolerance,  &d.step_control.initial,      &d.step_control.min,
        &d.step_control.max,        &d.step_control.exponent,     &d.step_control.safety,
        &d.step_control.growth,     &d.step_control.fracture_step};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        read_bytes(in, choices[i], sizeof *choices[i]);
    }
    read_doubles(in, d.parameters, SCHEME_PARAMETERS);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = read_f64(in);
    }
    d.step_control.fracture_quiet_steps = read_u32(in);
    RETURN_IF_FAILED(as_format(integrator_check(&d), "integrator of version", SNAPSHOT_VERSION));
    *out = integrator_choice(&d);
    return PBS_OK;
}

static pbs_status read_barrier(struct byte_reader *in, struct adaptive_barrier *out) {
    out->stiffness = read_f64(in);
    out->least_gap = read_f64(in);
    out->diagonal = read_f64(in);
    return isfinite(out->stiffness) && out->stiffness >= 0.0 && out->least_gap >= 0.0 &&
                   isfinite(out->diagonal) && out->diagonal >= 0.0
               ? PBS_OK
               : status_fail(
                     PBS_ERROR_FORMAT,
                     "adaptive stiffness %g, least gap %g, diagonal %g: must not be negative",
                     out->stiffness, out->least_gap, out->diagonal);
}

static pbs_status read_totals(struct byte_reader *in, struct scene *scene) {
    RETURN_IF_FAILED(read_integrator(in, &scene->integrator));
    scene->stamp = read_u32(in);
    scene->time = read_f64(in);
    scene->dissipated = read_f64(in);
    scene->free_reference = read_f64(in);
    scene->counters.step_count = read_u64(in);
    scene->counters.failed_step_count = read_u64(in);
    scene->counters.newton_total = read_u64(in);
    scene->counters.linear_total = read_u64(in);
    RETURN_IF_FAILED(read_barrier(in, &scene->barrier));
    scene->contact_time = read_f64(in);
    if (!isfinite(scene->contact_time) || scene->contact_time < 0.0) {
        return status_fail(PBS_ERROR_FORMAT,
                           "contact is as stiff as for steps of %g s, must be finite and not "
                           "negative",
                           scene->contact_time);
    }
    scene->waves.until = read_f64(in);
    scene->waves.step = read_f64(in);
    if (!isfinite(scene->waves.until) || !(scene->waves.step >= 0.0)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "steps of %g s until %g s, must be finite and not negative",
                           scene->waves.step, scene->waves.until);
    }
    const double numbers[] = {scene->time, scene->dissipated, scene->free_reference};
    if (!read_are_finite(numbers, 3) || scene->free_reference < 0.0) {
        return status_fail(PBS_ERROR_FORMAT, "time %g, dissipated %g, reference %g: must be finite",
                           scene->time, scene->dissipated, scene->free_reference);
    }
    if (scene->stamp == 0 || scene->stamp >> HANDLE_STAMP_BITS != 0) {
        return status_fail(PBS_ERROR_FORMAT, "world stamp %#x, must be 1 to %#x",
                           (unsigned)scene->stamp, (1u << HANDLE_STAMP_BITS) - 1);
    }
    return PBS_OK;
}

// --- handles ---

static pbs_status read_slots(struct byte_reader *in, struct memory *memory,
                             struct handle_table *table, const char *name, size_t *count) {
    size_t slot_count = 0;
    RETURN_IF_FAILED(read_count(in, name, sizeof(uint32_t), &slot_count));
    RETURN_IF_FAILED(handle_reserve_slots(table, memory, slot_count));
    for (size_t i = 0; i < slot_count; i++) {
        const uint32_t generation = read_u32(in);
        if (generation == 0 || generation > HANDLE_GENERATION_LAST) {
            return status_fail(PBS_ERROR_FORMAT, "%s %zu: generation %u, must be 1 to %d", name, i,
                               (unsigned)generation, HANDLE_GENERATION_LAST);
        }
        table->slots[i].generation = generation;
    }
    RETURN_IF_FAILED(read_count(in, name, sizeof(uint32_t), count));
    if (*count > slot_count) {
        return status_fail(PBS_ERROR_FORMAT, "%zu objects, but only %zu %s", *count, slot_count,
                           name);
    }
    return PBS_OK;
}

static pbs_status read_slot(struct byte_reader *in, const struct handle_table *table,
                            uint32_t *slot) {
    *slot = read_u32(in);
    if (in->ended || *slot >= table->slot_count || table->slots[*slot].object != NULL) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: slot %u is taken or beyond %zu",
                           in->position, (unsigned)*slot, table->slot_count);
    }
    return PBS_OK;
}

// --- colliders ---

static pbs_status read_colliders(struct byte_reader *in, struct memory *memory,
                                 struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_slots(in, memory, &scene->colliders, "collider slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(read_slot(in, &scene->colliders, &slot));
        struct collider *collider = memory_allocate(memory, 1, sizeof *collider);
        if (collider == NULL) {
            return PBS_ERROR_MEMORY;
        }
        collider->slot = slot;
        handle_insert_at(&scene->colliders, slot, collider);
        RETURN_IF_FAILED(
            as_format(saved_collider_read(in, memory, &scene->settings, collider), "collider", i));
    }
    return PBS_OK;
}

// --- bodies ---

static void release_arrays(struct memory *memory, struct saved_arrays *arrays) {
    memory_release(memory, arrays->positions);
    memory_release(memory, arrays->masses);
    memory_release(memory, arrays->radii);
    memory_release(memory, arrays->contact_radii);
    memory_release(memory, arrays->indices);
    memory_release(memory, arrays->edges);
    memory_release(memory, arrays->vertices);
    memory_release(memory, arrays->tets);
    for (int i = 0; i < SAVED_VALUES; i++) {
        memory_release(memory, arrays->values[i]);
    }
}

static pbs_status read_contact(struct byte_reader *in, pbs_contact_desc *d) {
    *d = (pbs_contact_desc){.struct_size = sizeof *d};
    d->touches_itself = (int32_t)read_u32(in);
    d->friction = read_f64(in);
    d->offset = read_f64(in);
    d->surface_material = read_u32(in);
    d->group = read_u32(in);
    d->mask = read_u32(in);
    d->rolling_friction = read_f64(in);
    d->spinning_friction = read_f64(in);
    d->penalty_stiffness = read_f64(in);
    return body_check_contact(d);
}

static pbs_status read_body_barrier(struct byte_reader *in, struct body_barrier *out) {
    out->stiffness = read_f64(in);
    out->load = read_f64(in);
    out->next_load = read_f64(in);
    return isfinite(out->stiffness) && out->stiffness >= 0.0 && isfinite(out->load) &&
                   out->load >= 0.0 && isfinite(out->next_load) && out->next_load >= 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT,
                             "barriers have the stiffness %g N/m and the loads %g N and %g N, must "
                             "be finite and not negative",
                             out->stiffness, out->load, out->next_load);
}

static pbs_status read_forces(struct byte_reader *in, struct body *out) {
    out->gravity.scale = read_f64(in);
    read_doubles(in, out->gravity.added, 3);
    read_doubles(in, out->torque, 3);
    read_doubles(in, out->torque_once, 3);
    RETURN_IF_FAILED(read_flag(in, &out->has_forces_once));
    RETURN_IF_FAILED(check_finite(out->gravity.scale, "scale of gravity"));
    RETURN_IF_FAILED(check_vector(out->gravity.added, "acceleration"));
    RETURN_IF_FAILED(check_vector(out->torque, "torque"));
    return check_vector(out->torque_once, "torque");
}

static pbs_status read_pressure(struct byte_reader *in, struct body *out) {
    struct pressure_law *law = &out->pressure;
    RETURN_IF_FAILED(read_flag(in, &out->has_pressure));
    const uint32_t kind = read_u32(in);
    if (kind > PRESSURE_HELD) {
        return status_fail(PBS_ERROR_FORMAT, "a pressure is of the unknown kind %u",
                           (unsigned)kind);
    }
    law->kind = (enum pressure_kind)kind;
    law->pressure = read_f64(in);
    law->outside = read_f64(in);
    law->exponent = read_f64(in);
    law->volume = read_f64(in);
    return PBS_OK;
}

static pbs_status read_wind(struct byte_reader *in, struct body *out) {
    pbs_wind_desc *d = &out->wind;
    RETURN_IF_FAILED(read_flag(in, &out->has_wind));
    d->struct_size = out->has_wind ? sizeof *d : 0;
    d->sides = (int32_t)read_u32(in);
    read_doubles(in, d->velocity, 3);
    d->density = read_f64(in);
    d->normal_coefficient = read_f64(in);
    d->tangential_coefficient = read_f64(in);
    return PBS_OK;
}

/// What bodies of all kinds have; the rest of *out is not touched.
static pbs_status read_common(struct byte_reader *in, struct body *out) {
    RETURN_IF_FAILED(read_contact(in, &out->contact));
    out->contact_inset = read_f64(in);
    RETURN_IF_FAILED(check_not_negative(out->contact_inset, "inset"));
    RETURN_IF_FAILED(saved_load_read(in, &out->load));
    RETURN_IF_FAILED(read_pressure(in, out));
    RETURN_IF_FAILED(read_wind(in, out));
    RETURN_IF_FAILED(read_forces(in, out));
    RETURN_IF_FAILED(read_body_barrier(in, &out->barrier));
    return saved_move_read(in, &out->moved_by);
}

static void copy_common(const struct body *from, struct body *out) {
    out->user_data = from->user_data;
    out->contact = from->contact;
    out->contact_inset = from->contact_inset;
    out->load = from->load;
    out->has_pressure = from->has_pressure;
    out->pressure = from->pressure;
    out->has_wind = from->has_wind;
    out->wind = from->wind;
    out->gravity = from->gravity;
    copy3(from->torque, out->torque);
    copy3(from->torque_once, out->torque_once);
    out->has_forces_once = from->has_forces_once;
    out->barrier = from->barrier;
    out->moved_by = from->moved_by;
}

static pbs_status read_body(struct byte_reader *in, struct memory *memory, struct scene *scene,
                            struct body **out) {
    struct saved_arrays arrays = {0};
    const uint32_t kind = read_u32(in);
    struct body common = {.table = body_table_find(kind), .user_data = read_u64(in)};
    RETURN_IF_FAILED(read_common(in, &common));
    if (common.table == NULL) {
        return status_fail(PBS_ERROR_FORMAT, "kind %u is not known", (unsigned)kind);
    }
    const pbs_status status = common.table->read(in, memory, scene, &arrays, out);
    release_arrays(memory, &arrays);
    if (status < 0 || *out == NULL) {
        return status;
    }
    copy_common(&common, *out);
    return PBS_OK;
}

static pbs_status check_pressure_of(const struct scene *scene, struct memory *memory,
                                    const struct body *body) {
    if (!body->has_pressure) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(body_check_pressure(&body->pressure));
    RETURN_IF_FAILED(body_check_pressure_scheme(body, scene->integrator.scheme));
    return body_check_closed(body, &scene->nodes, memory);
}

static pbs_status check_wind_of(const struct body *body) {
    return body->has_wind ? body_check_wind(body, &body->wind) : PBS_OK;
}

static pbs_status check_inset(const struct body *body) {
    return body->contact_inset == 0.0 || !vertices_are_nodes(body)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT,
                             "the contact inset is %g m, must be 0 of a body that is not affine",
                             body->contact_inset);
}

static pbs_status read_bodies(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_slots(in, memory, &scene->bodies, "body slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        struct body *body = NULL;
        RETURN_IF_FAILED(read_slot(in, &scene->bodies, &slot));
        const pbs_status status = as_format(read_body(in, memory, scene, &body), "body", i);
        if (status < 0 || body == NULL) {
            return status;
        }
        body->slot = slot;
        handle_insert_at(&scene->bodies, slot, body);
        RETURN_IF_FAILED(as_format(check_inset(body), "body", i));
        RETURN_IF_FAILED(as_format(check_pressure_of(scene, memory, body), "body", i));
        RETURN_IF_FAILED(as_format(check_wind_of(body), "body", i));
        if (body->table->resume != NULL) {
            RETURN_IF_FAILED(as_format(body->table->resume(in, memory, body), "body", i));
        }
    }
    return PBS_OK;
}

// --- state ---

static pbs_status read_nodes(struct byte_reader *in, struct nodes *nodes) {
    const uint64_t count = read_u64(in);
    if (count != nodes->count) {
        return status_fail(PBS_ERROR_FORMAT, "the state of %llu vertices for bodies of %zu",
                           (unsigned long long)count, nodes->count);
    }
    double *const columns[] = {
        nodes->x,     nodes->v,         nodes->initial, nodes->target, nodes->contact_force,
        nodes->force, nodes->force_once};
    static const char *const names[] = {
        "position", "velocity", "initial position", "target", "contact force", "force", "force"};
    static const bool is_position[] = {true, false, true, true, false, false, false};
    for (int i = 0; i < 7 && nodes->count > 0; i++) {
        read_doubles(in, columns[i], 3 * nodes->count);
        const pbs_status status = is_position[i]
                                      ? check_points(columns[i], nodes->count, names[i])
                                      : check_vectors(columns[i], nodes->count, names[i]);
        RETURN_IF_FAILED(as_format(status, "state", 0));
    }
    if (nodes->count > 0) {
        read_bytes(in, nodes->constrained_axes, nodes->count);
    }
    for (size_t i = 0; i < nodes->count; i++) {
        const double *x = nodes->x + 3 * i;
        const bool is_rotated = x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
        const bool partly = nodes->constrained_axes[i] != 0 &&
                            nodes->constrained_axes[i] != PBS_AXIS_ALL;
        if (nodes->kind[i] == NODE_ROTATION && (is_rotated || partly)) {
            return status_fail(
                PBS_ERROR_FORMAT,
                "rotation %zu: its coordinates are not 0, or only some of its axes are constrained",
                i);
        }
        if (nodes->constrained_axes[i] > PBS_AXIS_ALL) {
            return status_fail(PBS_ERROR_FORMAT,
                               "vertex %zu: constrained axes %#x, must be bits of PBS_AXIS_ALL", i,
                               (unsigned)nodes->constrained_axes[i]);
        }
    }
    return PBS_OK;
}

/// Checks that bodies are within their limits, and those in a plane constrained to it.
static pbs_status check_placement(const struct scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        if (body->table->check_positions != NULL) {
            const double *x = scene->nodes.x + 3 * body->node_start;
            RETURN_IF_FAILED(as_format(body->table->check_positions(body, x), "body", b));
        }
        for (size_t i = 0; i < body->node_count; i++) {
            if ((scene->nodes.constrained_axes[body->node_start + i] & body->flat) != body->flat) {
                return status_fail(PBS_ERROR_FORMAT,
                                   "body %zu, vertex %zu is not constrained to the body's plane", b,
                                   i);
            }
        }
    }
    return PBS_OK;
}

/// Reads an array of the history, if it was saved. is_used: the scheme uses such an array.
static pbs_status read_optional(struct byte_reader *in, struct memory *memory, size_t count,
                                bool is_used, double **out) {
    bool present = false;
    RETURN_IF_FAILED(read_flag(in, &present));
    if (present && !is_used) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: a history that the scheme does not use",
                           in->position);
    }
    if (!present) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof **out, out));
    return read_are_finite(*out, count)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "a state of the history is not finite");
}

/// Reads the accounts of energy control: none before the first step, otherwise one per body.
static pbs_status read_accounts(struct byte_reader *in, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "accounts", 3 * sizeof(uint32_t) + 4 * sizeof(double), &count));
    if (count != 0 && count != scene_account_count(scene)) {
        return status_fail(PBS_ERROR_FORMAT, "energy targets of %zu bodies, must be %u", count,
                           (unsigned)scene_account_count(scene));
    }
    if (count == 0) {
        return PBS_OK;
    }
    scene->history.has_targets = true;
    for (size_t i = 0; i < count; i++) {
        struct energy_account *account = &scene_body(scene, i)->account;
        RETURN_IF_FAILED(read_flag(in, &account->is_known));
        account->errors = (int32_t)read_u32(in);
        account->target = read_f64(in);
        account->potential = read_f64(in);
        RETURN_IF_FAILED(read_flag(in, &account->in_contact));
        account->shift = read_f64(in);
        account->step = read_f64(in);
        const double numbers[] = {account->target, account->potential, account->shift,
                                  account->step};
        if (account->step < 0.0 || account->errors < -2 || account->errors > 2 ||
            !read_are_finite(numbers, 4)) {
            return status_fail(PBS_ERROR_FORMAT, "the energy target of body %zu is damaged", i);
        }
    }
    return PBS_OK;
}

/// Reads which bodies were struck in the last step, if two states are known.
static pbs_status read_struck(struct byte_reader *in, struct scene *scene) {
    const size_t expected = scene->history.memory.known > 1 ? scene->bodies.count : 0;
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "struck bodies", sizeof(uint32_t), &count));
    if (count != expected) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bodies are struck or not, must be %zu", count,
                           expected);
    }
    for (size_t i = 0; i < count; i++) {
        RETURN_IF_FAILED(read_flag(in, &scene_body(scene, i)->was_struck));
    }
    return PBS_OK;
}

static pbs_status read_history(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    struct history *history = &scene->history;
    struct scheme_memory *past = &history->memory;
    past->known = read_u32(in);
    RETURN_IF_FAILED(read_flag(in, &past->has_acceleration));
    past->h_before = read_f64(in);
    past->stable_step = read_f64(in);
    past->steps_since = read_u32(in);
    past->power = read_f64(in);
    past->lost_before = (struct scalar_state){.x = read_f64(in)};
    past->lost_before.v = read_f64(in);
    const struct scheme_table *scheme = scene->integrator.scheme;
    const bool two = scheme->history > 1;
    const size_t count = 3 * scene->nodes.count;
    history->node_count = scene->nodes.count;
    RETURN_IF_FAILED(read_optional(in, memory, count, two, &history->x_before));
    RETURN_IF_FAILED(read_optional(in, memory, count, two, &history->v_before));
    RETURN_IF_FAILED(read_optional(in, memory, count, scheme_stores_acceleration(scheme),
                                   &history->acceleration));
    if (history->x_before != NULL) {
        RETURN_IF_FAILED(as_format(
            check_points(history->x_before, scene->nodes.count, "previous position"), "state", 0));
    }
    RETURN_IF_FAILED(read_struck(in, scene));
    RETURN_IF_FAILED(read_accounts(in, scene));
    const bool known = past->known == 1 || (past->known == 2 && past->h_before > 0.0 &&
                                            history->x_before != NULL && history->v_before != NULL);
    const double lost[] = {past->power, past->lost_before.x, past->lost_before.v};
    if (!known ||
        (past->has_acceleration && history->acceleration == NULL && count > 0 &&
         scheme_stores_acceleration(scheme)) ||
        !isfinite(past->h_before) || past->h_before < 0.0 || !(past->stable_step >= 0.0) ||
        !read_are_finite(lost, 3)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "history of %u states, previous step %g s, does not fit the scheme",
                           (unsigned)past->known, past->h_before);
    }
    return PBS_OK;
}

// --- joints ---

static pbs_status read_joints(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_slots(in, memory, &scene->joints, "joint slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(read_slot(in, &scene->joints, &slot));
        struct world_joint *joint = memory_allocate(memory, 1, sizeof *joint);
        if (joint == NULL) {
            return PBS_ERROR_MEMORY;
        }
        joint->slot = slot;
        handle_insert_at(&scene->joints, slot, joint);
        RETURN_IF_FAILED(as_format(saved_joint_read(in, scene, joint), "joint", i));
        for (int s = 0; s < 2; s++) {
            if (joint->sides[s].body != NULL) {
                joint->sides[s].body->joint_count++;
            }
        }
    }
    if (count > 0) {
        RETURN_IF_FAILED(as_format(world_joint_check_scheme(scene->integrator.scheme), "joint", 0));
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

static bool is_count(double value) {
    return value >= 0.0 && isfinite(value);
}

static pbs_status read_solver_memory(struct byte_reader *in, struct selection_history *memory) {
    double *const numbers[] = {&memory->rows,
                               &memory->blocks,
                               &memory->flops,
                               &memory->entries,
                               &memory->more_flops,
                               &memory->more_entries,
                               &memory->pattern_reuse_rate};
    bool possible = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = read_f64(in);
        possible = possible && is_count(*numbers[i]);
    }
    possible = possible && memory->pattern_reuse_rate <= 1.0;
    memory->contact_pattern = read_u64(in);
    memory->refusal_wait = read_u32(in);
    memory->refusal_interval = read_u32(in);
    for (uint32_t d = 0; d < SELECTION_DECADES; d++) {
        struct selection_decade *record = &memory->decades[d];
        read_doubles(in, record->iterations, SOLVER_KINDS);
        for (uint32_t i = 0; i < SOLVER_KINDS; i++) {
            possible = possible && is_count(record->iterations[i]);
        }
        record->wait = read_u32(in);
        record->interval = read_u32(in);
    }
    return possible ? PBS_OK
                    : status_fail(PBS_ERROR_FORMAT, "the record of linear solves has a number that "
                                                    "is negative, too large or not finite");
}

/// The ids are only compared with others and given to the host, so they need not be valid.
static pbs_status read_pairs(struct byte_reader *in, struct memory *memory,
                             struct pair_list *list) {
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "pairs", 2 * sizeof(uint64_t), &count));
    RETURN_IF_FAILED(pair_list_reserve(memory, count, list));
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        list->pairs[i].first = read_u64(in);
        list->pairs[i].second = read_u64(in);
    }
    return pair_list_is_sorted(list)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "pairs that touch are not in order");
}

/// The ids need not be valid: pairs of what no longer exists are left out where they are used.
static pbs_status read_close_pairs(struct byte_reader *in, struct memory *memory,
                                   struct close_pair_list *list) {
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "close pairs", 3 * sizeof(uint64_t), &count));
    RETURN_IF_FAILED(
        memory_reserve(memory, &list->pairs, &list->capacity, count, sizeof *list->pairs));
    list->count = count;
    for (size_t i = 0; i < count; i++) {
        struct close_pair *pair = &list->pairs[i];
        pair->first = read_u64(in);
        pair->second = read_u64(in);
        pair->reach = read_f64(in);
        if (!(pair->reach > 0.0) || !isfinite(pair->reach)) {
            return status_fail(PBS_ERROR_FORMAT, "close pair %zu: distance %g m, must be positive",
                               i, pair->reach);
        }
    }
    return PBS_OK;
}

/// Orientations are not normalised again, which could change their last bits.
static pbs_status read_sensor(struct byte_reader *in, struct sensor *sensor) {
    pbs_region_desc *d = &sensor->desc;
    double unit[4];
    d->struct_size = sizeof *d;
    d->shape = (int32_t)read_u32(in);
    read_doubles(in, d->size, 3);
    read_doubles(in, d->position, 3);
    read_doubles(in, d->orientation, 4);
    d->group = read_u32(in);
    d->mask = read_u32(in);
    return region_check(d, unit);
}

static pbs_status read_sensors(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_slots(in, memory, &scene->sensors, "sensor slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(read_slot(in, &scene->sensors, &slot));
        struct sensor *sensor = memory_allocate(memory, 1, sizeof *sensor);
        if (sensor == NULL) {
            return PBS_ERROR_MEMORY;
        }
        sensor->slot = slot;
        handle_insert_at(&scene->sensors, slot, sensor);
        RETURN_IF_FAILED(as_format(read_sensor(in, sensor), "sensor", i));
    }
    return PBS_OK;
}

static pbs_status read_scene(struct byte_reader *in, struct memory *memory,
                             const struct scene *present, struct scene *scene) {
    RETURN_IF_FAILED(read_settings(in, present, scene));
    RETURN_IF_FAILED(read_totals(in, scene));
    RETURN_IF_FAILED(read_frictions(in, &scene->frictions));
    RETURN_IF_FAILED(read_colliders(in, memory, scene));
    RETURN_IF_FAILED(read_bodies(in, memory, scene));
    RETURN_IF_FAILED(read_nodes(in, &scene->nodes));
    RETURN_IF_FAILED(check_placement(scene));
    RETURN_IF_FAILED(read_joints(in, memory, scene));
    scene_update_vertices(scene, NULL);
    scene_update_angular_velocities(scene);
    RETURN_IF_FAILED(read_history(in, memory, scene));
    RETURN_IF_FAILED(snapshot_read_step_memory(in, &scene->step_memory));
    RETURN_IF_FAILED(read_solver_memory(in, &scene->solver_memory));
    RETURN_IF_FAILED(read_close_pairs(in, memory, &scene->close));
    RETURN_IF_FAILED(read_pairs(in, memory, &scene->touching));
    RETURN_IF_FAILED(read_sensors(in, memory, scene));
    RETURN_IF_FAILED(read_pairs(in, memory, &scene->sensed));
    RETURN_IF_FAILED(as_format(contact_kind_check_scheme(scene, scene->integrator.scheme),
                               "integrator of version", SNAPSHOT_VERSION));
    if (in->ended || in->position != in->size) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bytes are left over or missing after byte %zu",
                           in->size - in->position, in->position);
    }
    return PBS_OK;
}

pbs_status pbs_world_restore(pbs_world *w, const void *buffer, size_t size) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(buffer, "buffer"));
    RETURN_IF_FAILED(snapshot_check(buffer, size, SNAPSHOT_MAGIC, "a saved world"));
    struct byte_reader in = {
        .bytes = buffer, .size = size, .position = sizeof(struct snapshot_header)};
    struct scene scene = {0};
    const pbs_status status = read_scene(&in, &w->memory, &w->scene, &scene);
    if (status < 0) {
        scene_free(&scene, &w->memory);
        return status;
    }
    topology_free(&w->topology, &w->memory);
    scene_free(&w->scene, &w->memory);
    w->scene = scene;
    w->stats = (pbs_stats){0};
    w->readback.count = 0;
    w->broken.count = 0;
    w->broken_joints.count = 0;
    w->contact_events.count = 0;
    w->sensor_events.count = 0;
    query_index_invalidate_parts(w->query);
    world_attach_callbacks(w);
    return PBS_OK;
}
