// Saves and restores the state of a system, with the scheme's history. Matrices, callbacks and
// tolerances are not saved: the system that is restored into keeps its own.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/byte_stream.h"
#include "world/interface/check.h"
#include "world/integrators/integrator.h"
#include "world/snapshots/saved_step_memory.h"
#include "world/snapshots/snapshot.h"
#include "world/systems/system.h"

static void write_kinematics(struct byte_writer *out, const struct kinematics *k, size_t size) {
    write_doubles(out, k->x, size);
    write_doubles(out, k->v, size);
    write_doubles(out, k->a, size);
}

static void write_system(struct byte_writer *out, const void *saved) {
    const pbs_system *s = saved;
    const pbs_integrator_desc *choice = &s->choice.settings;
    const struct scheme_memory *memory = &s->state.memory;
    write_u64(out, s->size);
    write_f64(out, s->state.time);
    write_kinematics(out, &s->state.now, s->size);
    write_kinematics(out, &s->state.before, s->size);
    write_u32(out, s->choice.scheme != NULL);
    write_u32(out, (uint32_t)choice->scheme);
    write_u32(out, (uint32_t)choice->start);
    write_u32(out, (uint32_t)choice->linearized);
    write_u32(out, memory->known);
    write_u32(out, memory->has_acceleration);
    write_f64(out, memory->h_before);
    write_doubles(out, choice->parameters, SCHEME_PARAMETERS);
    saved_step_memory_write(out, &s->step_memory);
}

pbs_status pbs_system_save(const pbs_system *s, void *buffer, size_t *size) {
    RETURN_IF_FAILED(system_enter(s));
    return snapshot_save(write_system, s, SNAPSHOT_SYSTEM_MAGIC, buffer, size);
}

static bool read_numbers(struct byte_reader *in, double *out, size_t count) {
    read_bytes(in, out, count * sizeof *out);
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        finite = finite && isfinite(out[i]);
    }
    return finite;
}

static bool read_kinematics(struct byte_reader *in, struct kinematics *k, size_t size) {
    const bool x = read_numbers(in, k->x, size);
    const bool v = read_numbers(in, k->v, size);
    const bool a = read_numbers(in, k->a, size);
    return x && v && a;
}

/// Reads the scheme to which the history belongs. *out stays empty if there is no history.
static pbs_status read_choice(struct byte_reader *in, struct scheme_memory *memory,
                              struct scheme_choice *out) {
    bool has_choice = false, linearized = false, has_acceleration = false;
    RETURN_IF_FAILED(read_flag(in, &has_choice));
    const int32_t scheme = (int32_t)read_u32(in), start = (int32_t)read_u32(in);
    RETURN_IF_FAILED(read_flag(in, &linearized));
    const uint32_t known = read_u32(in);
    RETURN_IF_FAILED(read_flag(in, &has_acceleration));
    const double h_before = read_f64(in);
    double parameters[SCHEME_PARAMETERS];
    read_numbers(in, parameters, SCHEME_PARAMETERS);
    *memory = (struct scheme_memory){
        .known = known, .has_acceleration = has_acceleration, .h_before = h_before};
    if (known < 1 || known > 2 || !isfinite(h_before) || h_before < 0.0 ||
        (known == 2 && h_before == 0.0) || (!has_choice && (known > 1 || has_acceleration))) {
        return status_fail(PBS_ERROR_FORMAT,
                           "a history of %u states with a previous step of %g fits no scheme",
                           (unsigned)known, h_before);
    }
    if (!has_choice) {
        return PBS_OK;
    }
    if (scheme_find(scheme) == NULL) {
        return status_fail(PBS_ERROR_FORMAT, "scheme %d is unknown", (int)scheme);
    }
    pbs_integrator_desc settings = integrator_defaults(scheme);
    settings.start = start;
    settings.linearized = linearized;
    memcpy(settings.parameters, parameters, sizeof parameters);
    *out = integrator_choice(&settings);
    const bool keeps = scheme_stores_acceleration(out->scheme);
    if (known > out->scheme->history || (has_acceleration && !keeps)) {
        return status_fail(PBS_ERROR_FORMAT, "history of %u states does not fit the scheme %s",
                           (unsigned)known, out->scheme->name);
    }
    return PBS_OK;
}

/// Reads the state into the workspace, whose state is unused between steps.
static pbs_status read_system(struct byte_reader *in, pbs_system *s, struct scheme_choice *choice,
                              struct step_memory *step_memory) {
    struct dense_state *state = &s->workspace.state;
    const uint64_t size = read_u64(in);
    if (size != s->size) {
        return status_fail(PBS_ERROR_FORMAT, "a system of size %llu was saved, this one has %zu",
                           (unsigned long long)size, s->size);
    }
    state->time = read_f64(in);
    const bool now = read_kinematics(in, &state->now, s->size);
    const bool before = read_kinematics(in, &state->before, s->size);
    if (!now || !before || !isfinite(state->time)) {
        return status_fail(PBS_ERROR_FORMAT, "the saved state is not finite");
    }
    RETURN_IF_FAILED(read_choice(in, &state->memory, choice));
    RETURN_IF_FAILED(saved_step_memory_read(in, step_memory));
    return in->ended || in->position != in->size
               ? status_fail(PBS_ERROR_FORMAT, "%zu bytes are left over or missing after byte %zu",
                             in->size - in->position, in->position)
               : PBS_OK;
}

pbs_status pbs_system_restore(pbs_system *s, const void *buffer, size_t size) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(system_enter(s));
    RETURN_IF_FAILED(check_pointer(buffer, "buffer"));
    RETURN_IF_FAILED(snapshot_check(buffer, size, SNAPSHOT_SYSTEM_MAGIC, "a saved system"));
    struct byte_reader in = {
        .bytes = buffer, .size = size, .position = sizeof(struct snapshot_header)};
    struct scheme_choice choice = {0};
    struct step_memory step_memory = {0};
    RETURN_IF_FAILED(read_system(&in, s, &choice, &step_memory));
    dense_state_copy(s->size, &s->workspace.state, &s->state);
    s->choice = choice;
    s->step_memory = step_memory;
    s->stats = (pbs_dense_stats){0};
    return PBS_OK;
}
