// Small dense systems: the input is settings (matrices, forces that fail now and then), the bytes
// of a saved system (taken as they are, and under a header that fits them), and calls: integrators,
// steps, advances, saved bytes that were changed. A call that fails must leave the system as it
// was; a copy made by save and restore must have the same future; steps ask for no memory, and at
// the end all of it is back.
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "forge.h"
#include "support/host/allocator.h"
#include "target.h"

enum { SIZE_MOST = 4, CALL_LIMIT = 24, SAVED_MOST = 512 };

/// What the forces are; they depend on nothing else, so that copies have the same future.
struct host {
    size_t size;
    uint8_t kind;
    double stiffness, limit;
};

struct saved {
    uint8_t bytes[SAVED_MOST];
    size_t size;
};

struct session {
    struct choices in;
    struct test_allocator allocator;
    struct host host;
    double matrices[3][SIZE_MOST * SIZE_MOST], states[2][SIZE_MOST];
    pbs_system_desc desc;
    pbs_system *system;
    pbs_integrator *integrator;
};

// --- the host's forces ---

/// A hardening spring and drag for each unknown, and what pushes them to and fro.
static int32_t force(void *user, double time, const double *x, const double *v, double *out) {
    const struct host *host = user;
    for (size_t i = 0; i < host->size; i++) {
        out[i] = -host->stiffness * x[i] * x[i] * x[i] - v[i] * fabs(v[i]) + sin(7.0 * time);
        if (x[i] > host->limit && host->kind & 1) {
            return 1;
        }
        if (x[i] > host->limit && host->kind & 2) {
            return -1;
        }
        if (x[i] > host->limit && host->kind & 4) {
            out[i] = NAN;
        }
    }
    return 0;
}

/// Right, or of the wrong sign, or not a number far out.
static int32_t jacobian(void *user, double time, const double *x, const double *v, double *dx,
                        double *dv) {
    const struct host *host = user;
    (void)time;
    const double sign = host->kind & 8 ? 1.0 : -1.0;
    for (size_t i = 0; i < host->size; i++) {
        const size_t at = i * host->size + i;
        dx[at] = sign * 3.0 * host->stiffness * x[i] * x[i];
        dv[at] = host->kind & 4 && x[i] > host->limit ? NAN : -2.0 * fabs(v[i]);
    }
    return host->kind & 16 && x[0] < -host->limit ? 1 : 0;
}

// --- the system ---

/// A diagonal that is not 0, unless the input wants otherwise.
static const double *take_matrix(struct session *s, double *matrix, double diagonal) {
    const uint8_t choice = take(&s->in);
    if (choice % 2 == 0) {
        return NULL;
    }
    take_numbers(&s->in, matrix, s->host.size * s->host.size);
    for (size_t i = 0; i < s->host.size && choice % 4 == 1; i++) {
        matrix[i * s->host.size + i] += diagonal;
    }
    return matrix;
}

static void take_system(struct session *s) {
    pbs_system_desc *d = &s->desc;
    require(pbs_system_desc_init(d, sizeof *d) == PBS_OK);
    s->host.kind = take(&s->in);
    s->host.stiffness = take_number(&s->in);
    s->host.limit = take_number(&s->in);
    d->size = s->host.size;
    d->mass = take_matrix(s, s->matrices[0], 5.0);
    d->damping = take_matrix(s, s->matrices[1], 1.0);
    d->stiffness = take_matrix(s, s->matrices[2], 20.0);
    const uint8_t choice = take(&s->in);
    if (choice & 1) {
        take_numbers(&s->in, s->states[0], s->host.size);
        take_numbers(&s->in, s->states[1], s->host.size);
        d->positions = s->states[0];
        d->velocities = s->states[1];
    }
    if (choice & 2) {
        d->time = take_number(&s->in);
        d->tolerance = take_number(&s->in);
        d->relative_tolerance = take_number(&s->in);
    }
    d->force = choice & 4 ? force : NULL;
    d->jacobian = choice & 8 ? jacobian : NULL;
    d->user = &s->host;
    d->unknown = take(&s->in) % 4;
    d->newton_limit = take(&s->in) % 16;
    d->divisions = take(&s->in) % 6;
    d->allocator = test_allocator_hooks(&s->allocator);
}

static struct saved save(const pbs_system *system) {
    struct saved saved = {.size = SAVED_MOST};
    require(pbs_system_save(system, saved.bytes, &saved.size) == PBS_OK);
    return saved;
}

static bool is_same(const struct saved *a, const struct saved *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// --- calls ---

/// What does not matter without a scheme is not kept, so only what was saved here comes back.
static pbs_status restore(struct session *s, const struct saved *from) {
    const pbs_status status = pbs_system_restore(s->system, from->bytes, from->size);
    if (status >= 0) {
        const struct saved once = save(s->system);
        require(pbs_system_restore(s->system, once.bytes, once.size) == PBS_OK);
        const struct saved twice = save(s->system);
        require(is_same(&once, &twice));
    }
    return status;
}

/// What was saved with some bytes changed, behind a header that mostly fits.
static pbs_status restore_changed(struct session *s) {
    struct saved saved = save(s->system);
    const uint8_t choice = take(&s->in);
    for (int i = choice % 8; i > 0; i--) {
        const size_t at = sizeof(struct snapshot_header) + 2 * (size_t)take(&s->in);
        saved.bytes[(at + choice / 128) % saved.size] = take(&s->in);
    }
    if (choice % 128 < 120) {
        forge_header(saved.bytes, saved.size, SNAPSHOT_SYSTEM_MAGIC);
    }
    return restore(s, &saved);
}

static pbs_status set_integrator(struct session *s) {
    pbs_integrator_desc d;
    pbs_integrator *integrator = NULL;
    take_integrator(&s->in, &d);
    d.allocator = test_allocator_hooks(&s->allocator);
    const pbs_status status = pbs_integrator_create(&d, &integrator);
    if (status >= 0) {
        pbs_integrator_destroy(s->integrator);
        s->integrator = integrator;
    }
    return status;
}

static pbs_status move(struct session *s, pbs_system *system, bool whole, double h) {
    const uint64_t calls = s->allocator.allocate_count;
    const pbs_status status = whole ? pbs_system_advance(system, s->integrator, bound_duration(h))
                                    : pbs_system_step(system, s->integrator, h);
    require(s->allocator.allocate_count == calls);
    require(status >= 0 || pbs_last_error()[0] != '\0');
    return status;
}

/// The system, and a copy of it that was restored, do the same.
static pbs_status move_both(struct session *s, bool whole, double h) {
    const struct saved before = save(s->system);
    pbs_system *copy = NULL;
    require(pbs_system_create(&s->desc, &copy) == PBS_OK);
    require(pbs_system_restore(copy, before.bytes, before.size) == PBS_OK);
    const pbs_status status = move(s, s->system, whole, h);
    require(move(s, copy, whole, h) == status);
    const struct saved one = save(s->system), other = save(copy);
    require(is_same(&one, &other));
    pbs_system_destroy(copy);
    return status;
}

static pbs_status set_state(struct session *s) {
    const uint8_t choice = take(&s->in);
    const double time = take_number(&s->in);
    double x[SIZE_MOST], v[SIZE_MOST];
    take_numbers(&s->in, x, s->host.size);
    take_numbers(&s->in, v, s->host.size);
    return pbs_system_set_state(s->system, time, choice & 1 ? x : NULL, choice & 2 ? v : NULL,
                                choice < 250 ? s->host.size : choice);
}

static pbs_status look(struct session *s) {
    pbs_dense_stats stats = {.struct_size = take(&s->in) % (sizeof stats + 1)};
    double condition = 0.0;
    require(pbs_system_condition_number(s->system, &condition) == PBS_OK && condition >= 0.0);
    return pbs_system_stats(s->system, &stats);
}

static pbs_status call(struct session *s) {
    switch (take(&s->in) % 8) {
    case 0: return set_integrator(s);
    case 1: return move(s, s->system, true, take_number(&s->in));
    case 2: return move_both(s, true, take_number(&s->in));
    case 3: return move_both(s, false, take_number(&s->in));
    case 4: return set_state(s);
    case 5: return look(s);
    case 6: return restore_changed(s);
    default: return move(s, s->system, false, take_number(&s->in));
    }
}

static void restore_or_not(struct session *s, const struct saved *from) {
    const struct saved before = save(s->system);
    if (restore(s, from) < 0) {
        const struct saved after = save(s->system);
        require(is_same(&before, &after));
    }
}

/// The bytes that a system of this size saves come first; a short input ends in zeros.
static void run(struct session *s) {
    struct saved input = {.size = 0};
    require(pbs_system_save(s->system, NULL, &input.size) == PBS_OK);
    require(input.size <= SAVED_MOST);
    for (size_t i = 0; i < input.size; i++) {
        input.bytes[i] = take(&s->in);
    }
    restore_or_not(s, &input);
    forge_header(input.bytes, input.size, SNAPSHOT_SYSTEM_MAGIC);
    restore_or_not(s, &input);
    for (int i = 0; i < CALL_LIMIT && s->in.position < s->in.size; i++) {
        const struct saved before = save(s->system);
        if (call(s) < 0) {
            const struct saved after = save(s->system);
            require(is_same(&before, &after));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session s = {.in = {.data = data, .size = size}};
    test_allocator_init(&s.allocator);
    s.host.size = 1 + take(&s.in) % SIZE_MOST;
    take_system(&s);
    if (take(&s.in) >= 240) {
        test_allocator_fail_after(&s.allocator, take(&s.in));
    }
    const pbs_status status = pbs_system_create(&s.desc, &s.system);
    test_allocator_fail_after(&s.allocator, ALLOCATOR_NEVER);
    require((status >= 0) == (s.system != NULL));
    if (s.system != NULL) {
        run(&s);
    }
    pbs_integrator_destroy(s.integrator);
    pbs_system_destroy(s.system);
    require(s.allocator.blocks_in_use == 0 && !s.allocator.was_misused);
    return 0;
}
