// The state of a world in its saved bytes: what steps change. See saved_state.h.
// SPDX-License-Identifier: MIT
#include "world/snapshots/saved_state.h"

#include <math.h>
#include <string.h>

#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/objects/body_fields.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/snapshots/saved_collider.h"
#include "world/snapshots/saved_step_memory.h"

// --- writing ---

static const struct field TOTAL_FIELDS[] = {
    FIELD_VALUE(struct scene, time, FIELD_FINITE),
    FIELD_VALUE(struct scene, dissipated, FIELD_FINITE),
    FIELD_VALUE(struct scene, free_reference, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct scene, counters.step_count, FIELD_ANY),
    FIELD_VALUE(struct scene, counters.failed_step_count, FIELD_ANY),
    FIELD_VALUE(struct scene, counters.newton_total, FIELD_ANY),
    FIELD_VALUE(struct scene, counters.linear_total, FIELD_ANY),
    FIELD_VALUE(struct scene, barrier.stiffness, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct scene, barrier.least_gap, FIELD_ANY),
    FIELD_VALUE(struct scene, barrier.diagonal, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct scene, contact_time, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct scene, has_freed_pair, FIELD_ANY),
    FIELD_VALUE(struct scene, waves.until, FIELD_FINITE),
    FIELD_VALUE(struct scene, waves.step, FIELD_ANY),
};
static const struct field_list totals = FIELD_LIST(struct scene, TOTAL_FIELDS);

static const struct field MEMORY_FIELDS[] = {
    FIELD_VALUE(struct scheme_memory, known, FIELD_ANY),
    FIELD_VALUE(struct scheme_memory, has_acceleration, FIELD_ANY),
    FIELD_VALUE(struct scheme_memory, h_before, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct scheme_memory, stable_step, FIELD_ANY),
    FIELD_VALUE(struct scheme_memory, steps_since, FIELD_ANY),
    FIELD_VALUE(struct scheme_memory, power, FIELD_FINITE),
    FIELD_VALUE(struct scheme_memory, lost_before.x, FIELD_FINITE),
    FIELD_VALUE(struct scheme_memory, lost_before.v, FIELD_FINITE),
};
static const struct field_list scheme_memory = FIELD_LIST(struct scheme_memory, MEMORY_FIELDS);

static const struct field ACCOUNT_FIELDS[] = {
    FIELD_VALUE(struct energy_account, is_known, FIELD_ANY),
    FIELD_VALUE(struct energy_account, errors, FIELD_ANY),
    FIELD_VALUE(struct energy_account, target, FIELD_FINITE),
    FIELD_VALUE(struct energy_account, potential, FIELD_FINITE),
    FIELD_VALUE(struct energy_account, in_contact, FIELD_ANY),
    FIELD_VALUE(struct energy_account, shift, FIELD_FINITE),
    FIELD_VALUE(struct energy_account, step, FIELD_NOT_NEGATIVE),
};
static const struct field_list account_fields = FIELD_LIST(struct energy_account, ACCOUNT_FIELDS);

static const struct field SELECTION_FIELDS[] = {
    FIELD_VALUE(struct selection_history, rows, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, blocks, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, flops, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, entries, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, more_flops, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, more_entries, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, pattern_reuse_rate, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_history, contact_pattern, FIELD_ANY),
    FIELD_VALUE(struct selection_history, refusal_wait, FIELD_ANY),
    FIELD_VALUE(struct selection_history, refusal_interval, FIELD_ANY),
};
static const struct field_list selection_fields = FIELD_LIST(struct selection_history,
                                                             SELECTION_FIELDS);

static const struct field DECADE_FIELDS[] = {
    FIELD_VALUES(struct selection_decade, iterations, FIELD_NOT_NEGATIVE),
    FIELD_VALUE(struct selection_decade, wait, FIELD_ANY),
    FIELD_VALUE(struct selection_decade, interval, FIELD_ANY),
};
static const struct field_list decade_fields = FIELD_LIST(struct selection_decade, DECADE_FIELDS);

static const struct field NODE_FIELDS[] = {
    FIELD_ARRAY(struct nodes, initial, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, x, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, v, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, target, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, contact_force, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, force, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, force_once, count, 3, FIELD_ANY),
    FIELD_ARRAY(struct nodes, constrained_axes, count, 1, FIELD_ANY),
};
static const struct field_list node_fields = FIELD_LIST(struct nodes, NODE_FIELDS);

const struct field_list *const saved_state_lists[] = {
    &totals, &scheme_memory, &account_fields, &selection_fields, &decade_fields, &node_fields,
    NULL};

static void write_colliders(struct byte_writer *out, const struct scene *scene) {
    for (size_t i = 0; i < scene->colliders.count; i++) {
        saved_collider_write_state(out, scene_collider(scene, i));
    }
}

static void write_bodies(struct byte_writer *out, const struct scene *scene) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *const body = scene_body(scene, i);
        fields_write(out, &body_state_fields, body);
        features_write_body_state(out, body);
        fields_write(out, &contact_load_fields, &body->load);
        saved_move_write(out, body->moved_by);
        body_write_state(out, body);
    }
}

static void write_optional(struct byte_writer *out, const double *values, size_t count) {
    write_u32(out, values != NULL);
    if (values != NULL) {
        write_doubles(out, values, count);
    }
}

/// Whether the history belongs to the current bodies and scheme.
static bool is_of_use(const struct history *history, const struct scene *scene) {
    const struct scheme_table *scheme = scene->integrator.scheme;
    return history->node_count >= scene->nodes.count &&
           (history->x_before == NULL || scheme->history > 1) &&
           (history->acceleration == NULL || scheme_stores_acceleration(scheme));
}

bool saved_state_has_history(const struct scene *scene) {
    const struct history *const history = &scene->history;
    const bool has_none = history->x_before == NULL && history->v_before == NULL &&
                          history->acceleration == NULL;
    return has_none || is_of_use(history, scene);
}

/// Which bodies were struck in the last step, by which two-step schemes go on: all bodies or none.
static void write_struck(struct byte_writer *out, const struct scene *scene) {
    const size_t count = scene->history.memory.known > 1 ? scene->bodies.count : 0;
    write_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        write_u32(out, scene_body(scene, i)->was_struck);
    }
}

static void write_history(struct byte_writer *out, const struct scene *scene) {
    const struct history nothing = {.memory = scene->history.memory,
                                    .has_targets = scene->history.has_targets};
    const struct history *history = is_of_use(&scene->history, scene) ? &scene->history : &nothing;
    const struct scheme_memory *memory = &history->memory;
    fields_write(out, &scheme_memory, memory);
    write_optional(out, history->x_before, 3 * scene->nodes.count);
    write_optional(out, history->v_before, 3 * scene->nodes.count);
    write_optional(out, history->acceleration, 3 * scene->nodes.count);
    write_struck(out, scene);
    const uint32_t account_count = history->has_targets ? scene_account_count(scene) : 0;
    write_u64(out, account_count);
    for (uint32_t i = 0; i < account_count; i++) {
        fields_write(out, &account_fields, &scene_body(scene, i)->account);
    }
}

static void write_solver_memory(struct byte_writer *out, const struct selection_history *memory) {
    fields_write(out, &selection_fields, memory);
    for (uint32_t d = 0; d < SELECTION_DECADES; d++) {
        fields_write(out, &decade_fields, &memory->decades[d]);
    }
}

static void write_close_pairs(struct byte_writer *out, const struct close_pair_list *list) {
    write_u64(out, list->count);
    for (size_t i = 0; i < list->count; i++) {
        write_u64(out, list->pairs[i].first);
        write_u64(out, list->pairs[i].second);
        write_f64(out, list->pairs[i].reach);
    }
}

void saved_state_write(struct byte_writer *out, const struct scene *scene) {
    fields_write(out, &totals, scene);
    write_colliders(out, scene);
    write_bodies(out, scene);
    write_u64(out, scene->nodes.count);
    fields_write(out, &node_fields, &scene->nodes);
    write_history(out, scene);
    saved_step_memory_write(out, &scene->step_memory);
    write_solver_memory(out, &scene->solver_memory);
    write_close_pairs(out, &scene->close);
    pair_list_write(out, &scene->touching);
    features_write_state(out, scene);
}

// --- reading ---

static pbs_status read_totals(struct byte_reader *in, struct scene *scene) {
    RETURN_IF_FAILED(fields_read_in_place(in, &totals, scene));
    return scene->barrier.least_gap >= 0.0 && scene->waves.step >= 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT,
                             "the least gap is %g m and the longest step of waves %g s, must not "
                             "be negative",
                             scene->barrier.least_gap, scene->waves.step);
}

/// Whether the bytes go on with the initial positions that there are: those of bodies without a
/// shape at rest say how far contact reaches.
static bool has_initial(const struct byte_reader *in, const struct nodes *nodes) {
    static const struct field_list initial = {"nodes", NODE_FIELDS, 1};
    struct byte_writer present = {
        .compared = in->bytes, .capacity = in->size, .size = in->position};
    fields_write(&present, &initial, nodes);
    return !present.differs;
}

static pbs_status check_vectors_of_nodes(const struct nodes *nodes) {
    const size_t count = nodes->count;
    RETURN_IF_FAILED(check_points(nodes->initial, count, "initial position"));
    RETURN_IF_FAILED(check_points(nodes->x, count, "position"));
    RETURN_IF_FAILED(check_points(nodes->target, count, "target"));
    RETURN_IF_FAILED(check_vectors(nodes->v, count, "velocity"));
    RETURN_IF_FAILED(check_vectors(nodes->contact_force, count, "contact force"));
    RETURN_IF_FAILED(check_vectors(nodes->force, count, "force"));
    return check_vectors(nodes->force_once, count, "force");
}

static pbs_status read_nodes(struct byte_reader *in, bool in_place, struct nodes *nodes) {
    const uint64_t count = read_u64(in);
    if (count != nodes->count) {
        return status_fail(PBS_ERROR_FORMAT, "the state of %llu vertices for bodies of %zu",
                           (unsigned long long)count, nodes->count);
    }
    if (in_place && !has_initial(in, nodes)) {
        return status_fail(PBS_ERROR_FORMAT, "contact has to be built for other positions");
    }
    RETURN_IF_FAILED(fields_read_in_place(in, &node_fields, nodes));
    RETURN_IF_FAILED(saved_as_format(check_vectors_of_nodes(nodes), "state", 0));
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
            RETURN_IF_FAILED(saved_as_format(body->table->check_positions(body, x), "body", b));
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
/// in_place: such arrays are there already or not, and stay so.
static pbs_status read_optional(struct byte_reader *in, struct memory *memory, size_t count,
                                bool is_used, bool in_place, double **out) {
    bool present = false;
    RETURN_IF_FAILED(read_flag(in, &present));
    if (in_place ? present != (*out != NULL) : present && !is_used) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: a history that the scheme does not use",
                           in->position);
    }
    if (!present) {
        return PBS_OK;
    }
    if (in_place) {
        read_doubles(in, *out, count);
    } else {
        RETURN_IF_FAILED(read_block(in, memory, count, sizeof **out, out));
    }
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
    scene->history.has_targets = count > 0;
    for (size_t i = 0; i < count; i++) {
        struct energy_account *account = &scene_body(scene, i)->account;
        RETURN_IF_FAILED(fields_read_in_place(in, &account_fields, account));
        if (account->errors < -2 || account->errors > 2) {
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

static pbs_status read_history(struct byte_reader *in, struct memory *memory, bool in_place,
                               struct scene *scene) {
    struct history *history = &scene->history;
    struct scheme_memory *past = &history->memory;
    RETURN_IF_FAILED(fields_read_in_place(in, &scheme_memory, past));
    const struct scheme_table *scheme = scene->integrator.scheme;
    const bool two = scheme->history > 1;
    const size_t count = 3 * scene->nodes.count;
    history->node_count = in_place ? history->node_count : scene->nodes.count;
    RETURN_IF_FAILED(read_optional(in, memory, count, two, in_place, &history->x_before));
    RETURN_IF_FAILED(read_optional(in, memory, count, two, in_place, &history->v_before));
    RETURN_IF_FAILED(read_optional(in, memory, count, scheme_stores_acceleration(scheme), in_place,
                                   &history->acceleration));
    if (history->x_before != NULL) {
        RETURN_IF_FAILED(saved_as_format(
            check_points(history->x_before, scene->nodes.count, "previous position"), "state", 0));
    }
    RETURN_IF_FAILED(read_struck(in, scene));
    RETURN_IF_FAILED(read_accounts(in, scene));
    const bool known = past->known == 1 || (past->known == 2 && past->h_before > 0.0 &&
                                            history->x_before != NULL && history->v_before != NULL);
    if (!known ||
        (past->has_acceleration && history->acceleration == NULL && count > 0 &&
         scheme_stores_acceleration(scheme)) ||
        !(past->stable_step >= 0.0)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "history of %u states, previous step %g s, does not fit the scheme",
                           (unsigned)past->known, past->h_before);
    }
    return PBS_OK;
}

static pbs_status read_solver_memory(struct byte_reader *in, struct selection_history *memory) {
    RETURN_IF_FAILED(fields_read_in_place(in, &selection_fields, memory));
    for (uint32_t d = 0; d < SELECTION_DECADES; d++) {
        RETURN_IF_FAILED(fields_read_in_place(in, &decade_fields, &memory->decades[d]));
    }
    return memory->pattern_reuse_rate <= 1.0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "pattern_reuse_rate is %g, must be 1 at most",
                             memory->pattern_reuse_rate);
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

static pbs_status read_colliders(struct byte_reader *in, struct scene *scene) {
    for (size_t i = 0; i < scene->colliders.count; i++) {
        RETURN_IF_FAILED(saved_as_format(saved_collider_read_state(in, scene_collider(scene, i)),
                                         "collider", i));
    }
    return PBS_OK;
}

/// What bodies of all kinds have.
static pbs_status read_common(struct byte_reader *in, struct body *out) {
    RETURN_IF_FAILED(fields_read_in_place(in, &body_state_fields, out));
    RETURN_IF_FAILED(features_read_body_state(in, out));
    RETURN_IF_FAILED(fields_read_in_place(in, &contact_load_fields, &out->load));
    return saved_move_read(in, &out->moved_by);
}

/// Whether the bytes are the state that the body has; they are read then.
static bool has_state(const struct body *body, struct byte_reader *in) {
    struct byte_writer present = {
        .compared = in->bytes, .capacity = in->size, .size = in->position};
    body_write_state(&present, body);
    in->position = present.differs ? in->position : present.size;
    return !present.differs;
}

static pbs_status read_body(struct byte_reader *in, struct memory *memory, bool in_place,
                            struct body *body) {
    RETURN_IF_FAILED(read_common(in, body));
    if (in_place && has_state(body, in)) {
        return PBS_OK;
    }
    return in_place && !body->table->resumes_in_place
               ? status_fail(PBS_ERROR_FORMAT, "elements have to be built for another state")
               : body_read_state(in, memory, body);
}

static pbs_status read_bodies(struct byte_reader *in, struct memory *memory, bool in_place,
                              struct scene *scene) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        RETURN_IF_FAILED(
            saved_as_format(read_body(in, memory, in_place, scene_body(scene, i)), "body", i));
    }
    return PBS_OK;
}

static pbs_status read_state(struct byte_reader *in, struct memory *memory, bool in_place,
                             struct scene *scene) {
    RETURN_IF_FAILED(read_totals(in, scene));
    RETURN_IF_FAILED(read_colliders(in, scene));
    RETURN_IF_FAILED(read_bodies(in, memory, in_place, scene));
    RETURN_IF_FAILED(read_nodes(in, in_place, &scene->nodes));
    RETURN_IF_FAILED(check_placement(scene));
    scene_update_vertices(scene, NULL);
    RETURN_IF_FAILED(read_history(in, memory, in_place, scene));
    RETURN_IF_FAILED(saved_step_memory_read(in, &scene->step_memory));
    RETURN_IF_FAILED(read_solver_memory(in, &scene->solver_memory));
    RETURN_IF_FAILED(read_close_pairs(in, memory, &scene->close));
    RETURN_IF_FAILED(pair_list_read(in, memory, &scene->touching));
    RETURN_IF_FAILED(features_read_state(in, memory, scene));
    if (in->ended || in->position != in->size) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bytes are left over or missing after byte %zu",
                           in->size - in->position, in->position);
    }
    return PBS_OK;
}

pbs_status saved_state_read(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    return read_state(in, memory, false, scene);
}

pbs_status saved_state_read_in_place(struct byte_reader *in, struct memory *memory,
                                     struct scene *scene) {
    return read_state(in, memory, true, scene);
}
