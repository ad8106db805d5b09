// The state of a world in its saved bytes: what steps change. See saved_state.h.
#include "world/snapshots/saved_state.h"

#include <math.h>
#include <string.h>

#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/objects/collider.h"
#include "world/particles/bonded.h"
#include "world/snapshots/saved_collider.h"
#include "world/snapshots/saved_joint.h"
#include "world/snapshots/saved_step_memory.h"

pbs_status saved_as_format(pbs_status status, const char *what, size_t index) {
    if (status >= 0 || status == PBS_ERROR_MEMORY) {
        return status;
    }
    return status_fail(PBS_ERROR_FORMAT, "%s %zu: %s", what, index, pbs_last_error());
}

// --- writing ---

static void write_totals(struct byte_writer *out, const struct scene *scene) {
    write_f64(out, scene->time);
    write_f64(out, scene->dissipated);
    write_f64(out, scene->free_reference);
    write_u64(out, scene->counters.step_count);
    write_u64(out, scene->counters.failed_step_count);
    write_u64(out, scene->counters.newton_total);
    write_u64(out, scene->counters.linear_total);
    write_f64(out, scene->barrier.stiffness);
    write_f64(out, scene->barrier.least_gap);
    write_f64(out, scene->barrier.diagonal);
    write_f64(out, scene->contact_time);
    write_u32(out, scene->has_freed_pair);
    write_f64(out, scene->waves.until);
    write_f64(out, scene->waves.step);
}

static void write_colliders(struct byte_writer *out, const struct scene *scene) {
    for (size_t i = 0; i < scene->colliders.count; i++) {
        saved_collider_write_state(out, scene_collider(scene, i));
    }
}

static void write_bodies(struct byte_writer *out, const struct scene *scene) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *const body = scene_body(scene, i);
        write_u64(out, body->user_data);
        saved_load_write(out, &body->load);
        write_doubles(out, body->torque, 3);
        write_doubles(out, body->torque_once, 3);
        write_u32(out, body->has_forces_once);
        write_f64(out, body->barrier.stiffness);
        write_f64(out, body->barrier.load);
        write_f64(out, body->barrier.next_load);
        saved_move_write(out, body->moved_by);
        if (body->table->write_state != NULL) {
            body->table->write_state(out, body);
        }
    }
}

static void write_joints(struct byte_writer *out, const struct scene *scene) {
    for (size_t i = 0; i < scene->joints.count; i++) {
        saved_joint_write_state(out, scene_joint(scene, i));
    }
}

static void write_nodes(struct byte_writer *out, const struct nodes *nodes) {
    write_u64(out, nodes->count);
    write_doubles(out, nodes->x, 3 * nodes->count);
    write_doubles(out, nodes->v, 3 * nodes->count);
    write_doubles(out, nodes->initial, 3 * nodes->count);
    write_doubles(out, nodes->target, 3 * nodes->count);
    write_doubles(out, nodes->contact_force, 3 * nodes->count);
    write_doubles(out, nodes->force, 3 * nodes->count);
    write_doubles(out, nodes->force_once, 3 * nodes->count);
    write_bytes(out, nodes->constrained_axes, nodes->count);
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
    write_u32(out, memory->known);
    write_u32(out, memory->has_acceleration);
    write_f64(out, memory->h_before);
    write_f64(out, memory->stable_step);
    write_u32(out, memory->steps_since);
    write_f64(out, memory->power);
    write_f64(out, memory->lost_before.x);
    write_f64(out, memory->lost_before.v);
    write_optional(out, history->x_before, 3 * scene->nodes.count);
    write_optional(out, history->v_before, 3 * scene->nodes.count);
    write_optional(out, history->acceleration, 3 * scene->nodes.count);
    write_struck(out, scene);
    const uint32_t account_count = history->has_targets ? scene_account_count(scene) : 0;
    write_u64(out, account_count);
    for (uint32_t i = 0; i < account_count; i++) {
        const struct energy_account *account = &scene_body(scene, i)->account;
        write_u32(out, account->is_known);
        write_u32(out, (uint32_t)account->errors);
        write_f64(out, account->target);
        write_f64(out, account->potential);
        write_u32(out, account->in_contact);
        write_f64(out, account->shift);
        write_f64(out, account->step);
    }
}

static void write_solver_memory(struct byte_writer *out, const struct selection_history *memory) {
    write_f64(out, memory->rows);
    write_f64(out, memory->blocks);
    write_f64(out, memory->flops);
    write_f64(out, memory->entries);
    write_f64(out, memory->more_flops);
    write_f64(out, memory->more_entries);
    write_f64(out, memory->pattern_reuse_rate);
    write_u64(out, memory->contact_pattern);
    write_u32(out, memory->refusal_wait);
    write_u32(out, memory->refusal_interval);
    for (uint32_t d = 0; d < SELECTION_DECADES; d++) {
        write_doubles(out, memory->decades[d].iterations, SOLVER_KINDS);
        write_u32(out, memory->decades[d].wait);
        write_u32(out, memory->decades[d].interval);
    }
}

static void write_pairs(struct byte_writer *out, const struct pair_list *list) {
    write_u64(out, list->count);
    for (size_t i = 0; i < list->count; i++) {
        write_u64(out, list->pairs[i].first);
        write_u64(out, list->pairs[i].second);
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
    write_totals(out, scene);
    write_colliders(out, scene);
    write_bodies(out, scene);
    write_joints(out, scene);
    write_nodes(out, &scene->nodes);
    write_history(out, scene);
    saved_step_memory_write(out, &scene->step_memory);
    write_solver_memory(out, &scene->solver_memory);
    write_close_pairs(out, &scene->close);
    write_pairs(out, &scene->touching);
    write_pairs(out, &scene->sensed);
}

// --- reading ---

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
    RETURN_IF_FAILED(read_flag(in, &scene->has_freed_pair));
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
    return PBS_OK;
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

/// Whether the bytes are the initial positions that there are: those of bodies without a shape at
/// rest say how far contact reaches.
static bool has_initial(const struct byte_reader *in, const struct nodes *nodes) {
    const size_t size = 3 * nodes->count * sizeof *nodes->initial;
    return in->size - in->position >= size &&
           (size == 0 || memcmp(in->bytes + in->position, nodes->initial, size) == 0);
}

static pbs_status read_nodes(struct byte_reader *in, bool in_place, struct nodes *nodes) {
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
        if (in_place && columns[i] == nodes->initial && !has_initial(in, nodes)) {
            return status_fail(PBS_ERROR_FORMAT, "contact has to be built for other positions");
        }
        read_doubles(in, columns[i], 3 * nodes->count);
        const pbs_status status = is_position[i]
                                      ? check_points(columns[i], nodes->count, names[i])
                                      : check_vectors(columns[i], nodes->count, names[i]);
        RETURN_IF_FAILED(saved_as_format(status, "state", 0));
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

static pbs_status read_history(struct byte_reader *in, struct memory *memory, bool in_place,
                               struct scene *scene) {
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

static pbs_status read_colliders(struct byte_reader *in, struct scene *scene) {
    for (size_t i = 0; i < scene->colliders.count; i++) {
        RETURN_IF_FAILED(saved_as_format(saved_collider_read_state(in, scene_collider(scene, i)),
                                         "collider", i));
    }
    return PBS_OK;
}

/// What bodies of all kinds have.
static pbs_status read_common(struct byte_reader *in, struct body *out) {
    out->user_data = read_u64(in);
    RETURN_IF_FAILED(saved_load_read(in, &out->load));
    read_doubles(in, out->torque, 3);
    read_doubles(in, out->torque_once, 3);
    RETURN_IF_FAILED(read_flag(in, &out->has_forces_once));
    RETURN_IF_FAILED(check_vector(out->torque, "torque"));
    RETURN_IF_FAILED(check_vector(out->torque_once, "torque"));
    RETURN_IF_FAILED(read_body_barrier(in, &out->barrier));
    return saved_move_read(in, &out->moved_by);
}

/// Whether the bytes are the state that the body has; they are read then.
static bool has_state(const struct body *body, struct byte_reader *in) {
    struct byte_writer present = {
        .compared = in->bytes, .capacity = in->size, .size = in->position};
    body->table->write_state(&present, body);
    in->position = present.differs ? in->position : present.size;
    return !present.differs;
}

static pbs_status read_body(struct byte_reader *in, struct memory *memory, bool in_place,
                            struct body *body) {
    RETURN_IF_FAILED(read_common(in, body));
    if (body->table->write_state == NULL || (in_place && has_state(body, in))) {
        return PBS_OK;
    }
    return in_place && !body->table->resumes_in_place
               ? status_fail(PBS_ERROR_FORMAT, "elements have to be built for another state")
               : body->table->resume(in, memory, body);
}

static pbs_status read_bodies(struct byte_reader *in, struct memory *memory, bool in_place,
                              struct scene *scene) {
    for (size_t i = 0; i < scene->bodies.count; i++) {
        RETURN_IF_FAILED(
            saved_as_format(read_body(in, memory, in_place, scene_body(scene, i)), "body", i));
    }
    return PBS_OK;
}

static pbs_status read_joints(struct byte_reader *in, struct scene *scene) {
    for (size_t i = 0; i < scene->joints.count; i++) {
        RETURN_IF_FAILED(
            saved_as_format(saved_joint_read_state(in, scene_joint(scene, i)), "joint", i));
    }
    return PBS_OK;
}

static pbs_status read_state(struct byte_reader *in, struct memory *memory, bool in_place,
                             struct scene *scene) {
    RETURN_IF_FAILED(read_totals(in, scene));
    RETURN_IF_FAILED(read_colliders(in, scene));
    RETURN_IF_FAILED(read_bodies(in, memory, in_place, scene));
    RETURN_IF_FAILED(read_joints(in, scene));
    RETURN_IF_FAILED(read_nodes(in, in_place, &scene->nodes));
    RETURN_IF_FAILED(check_placement(scene));
    scene_update_vertices(scene, NULL);
    scene_update_angular_velocities(scene);
    RETURN_IF_FAILED(read_history(in, memory, in_place, scene));
    RETURN_IF_FAILED(saved_step_memory_read(in, &scene->step_memory));
    RETURN_IF_FAILED(read_solver_memory(in, &scene->solver_memory));
    RETURN_IF_FAILED(read_close_pairs(in, memory, &scene->close));
    RETURN_IF_FAILED(read_pairs(in, memory, &scene->touching));
    RETURN_IF_FAILED(read_pairs(in, memory, &scene->sensed));
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
