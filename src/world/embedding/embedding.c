// The life of embeddings after they were made: states of the body come in, and point after point
// is where it is bound.
// SPDX-License-Identifier: MIT
#include "world/embedding/embedding.h"

#include <string.h>

#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/world.h"

// --- states ---

static void put_columns(double columns[3][3], double *out) {
    for (int j = 0; j < 3; j++) {
        copy3(columns[j], out + PLACE_ROW * j);
    }
}

/// Each particle's rotation is the gradient of what it takes along.
static void take_rotations(const struct body *body, double *gradients) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        double rotation[9], columns[3][3];
        rotation_of(body->bonded.orientations + 4 * i, rotation);
        for (int k = 0; k < 9; k++) {
            columns[k % 3][k / 3] = rotation[k];
        }
        put_columns(columns, gradients + GRADIENT_ROW * i);
    }
}

/// The first control point, whose weight is 1 everywhere, has the gradient of all places; that of
/// the others stays 0.
static void take_frame(const struct body *body, const double *x, double *gradients) {
    double origin[3], columns[3][3];
    carriers_frame(body, x, origin, columns);
    put_columns(columns, gradients);
}

static void take_gradients(struct pbs_embedding *e, const struct scene *scene,
                           const struct body *body, const struct embedding_state *state) {
    switch (e->kind) {
    case CARRIER_FRAME: take_frame(body, scene->nodes.x, state->gradients); break;
    case CARRIER_PARTICLES: take_rotations(body, state->gradients); break;
    default: deformation_gradients_update(&e->gradients, state->places, state->gradients); break;
    }
}

void embedding_take(struct pbs_embedding *e, const struct scene *scene, const struct body *body,
                    struct embedding_state *state) {
    const double *x = carriers_control_places(&scene->nodes, body);
    for (size_t i = 0; i < e->control_count; i++) {
        copy3(x + 3 * i, state->places + PLACE_ROW * i);
    }
    if (state->gradients != NULL) {
        take_gradients(e, scene, body, state);
    }
    state->time = scene->time;
}

static bool is_alike(const struct pbs_embedding *e, const struct body *body) {
    return carriers_of(body) == e->kind && carriers_control_count(body) == e->control_count &&
           carriers_count(body) == e->carrier_count;
}

pbs_status pbs_embedding_update(pbs_embedding *e, const pbs_world *w) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(check_pointer(e, "the embedding"));
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, e->body, &status);
    RETURN_IF_FAILED(status);
    if (!is_alike(e, body)) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body has %zu vertices; its kind or its counts differ from those of "
                           "the body that the points were bound to",
                           body->vertex_count);
    }
    embedding_take(e, &w->scene, body, &e->states[1 - e->current]);
    e->current = 1 - e->current;
    return PBS_OK;
}

void pbs_embedding_destroy(pbs_embedding *e) {
    if (e == NULL) {
        return;
    }
    struct memory memory = e->memory;
    for (int i = 0; i < 2; i++) {
        memory_release(&memory, e->states[i].places);
        memory_release(&memory, e->states[i].gradients);
    }
    deformation_gradients_free(&memory, &e->gradients);
    embedded_points_free(&memory, &e->points);
    memory_release(&memory, e->carriers);
    memory_release(&memory, e->local);
    memory_release(&memory, e);
}

// --- points ---

size_t pbs_embedding_point_count(const pbs_embedding *e) {
    return e == NULL ? 0 : e->points.count;
}

pbs_status pbs_embedding_point(const pbs_embedding *e, size_t index, pbs_point *out) {
    RETURN_IF_FAILED(check_pointer(e, "the embedding"));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    if (index >= e->points.count) {
        return status_fail(PBS_ERROR_ARGUMENT, "index is %zu, but there are %zu points", index,
                           e->points.count);
    }
    pbs_point point = {.struct_size = sizeof point, .kind = PBS_POINT_LOCAL, .body = e->body};
    if (e->kind == CARRIER_FRAME) {
        copy3(e->local + 3 * index, point.place);
    } else {
        point = carriers_point(e->kind, e->body, e->carriers[index],
                               e->points.bindings[index].weight);
    }
    return results_write(&settings_point, &point, out);
}

// --- reading ---

static pbs_status check_read(const struct pbs_embedding *e, int32_t channel, double fraction,
                             size_t first, size_t count) {
    RETURN_IF_FAILED(check_choice(channel, PBS_CHANNEL_POSITION, PBS_CHANNEL_NORMAL, "channel"));
    if (channel == PBS_CHANNEL_NORMAL && e->points.normals == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the embedding was given neither normals_f32 nor triangles");
    }
    if (!(fraction >= 0.0 && fraction <= 1.0)) {
        return status_fail(PBS_ERROR_ARGUMENT, "fraction is %g, must be 0 to 1", fraction);
    }
    if (first > e->points.count || count > e->points.count - first) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "%zu points from point %zu on, but there are %zu points", count, first,
                           e->points.count);
    }
    return PBS_OK;
}

static struct control_state shared_state(const struct pbs_embedding *e, int which, double share) {
    const struct embedding_state *state = &e->states[which];
    return (struct control_state){state->places, state->gradients, share};
}

/// One state where the fraction asks for no other.
static int states_at(const struct pbs_embedding *e, double fraction,
                     struct control_state states[2]) {
    if (fraction == 0.0 || fraction == 1.0) {
        states[0] = shared_state(e, fraction == 1.0 ? e->current : 1 - e->current, 1.0);
        return 1;
    }
    states[0] = shared_state(e, 1 - e->current, 1.0 - fraction);
    states[1] = shared_state(e, e->current, fraction);
    return 2;
}

static int states_of_velocity(const struct pbs_embedding *e, struct control_state states[2]) {
    const double passed = e->states[e->current].time - e->states[1 - e->current].time;
    const double rate = passed > 0.0 ? 1.0 / passed : 0.0;
    states[0] = shared_state(e, 1 - e->current, -rate);
    states[1] = shared_state(e, e->current, rate);
    return 2;
}

static pbs_status read_rows(const struct pbs_embedding *e, int32_t channel, double fraction,
                            size_t first, size_t count, const struct point_rows *rows) {
    RETURN_IF_FAILED(check_pointer(e, "the embedding"));
    RETURN_IF_FAILED(check_read(e, channel, fraction, first, count));
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_rows(rows->dst, rows->stride, 3, rows->doubles));
    struct control_state states[2];
    if (channel == PBS_CHANNEL_NORMAL) {
        const int state_count = states_at(e, fraction, states);
        embedded_points_normals(&e->points, states, state_count, first, count, rows);
        return PBS_OK;
    }
    const int state_count = channel == PBS_CHANNEL_POSITION ? states_at(e, fraction, states)
                                                            : states_of_velocity(e, states);
    embedded_points_combine(&e->points, states, state_count, first, count, rows);
    return PBS_OK;
}

pbs_status pbs_embedding_read_f32(const pbs_embedding *e, int32_t channel, double fraction,
                                  size_t first, size_t count, float *dst, size_t stride_bytes) {
    ARITHMETIC_SCOPE();
    const struct point_rows rows = {dst, stride_bytes, false};
    return read_rows(e, channel, fraction, first, count, &rows);
}

pbs_status pbs_embedding_read_f64(const pbs_embedding *e, int32_t channel, double fraction,
                                  size_t first, size_t count, double *dst, size_t stride_bytes) {
    ARITHMETIC_SCOPE();
    const struct point_rows rows = {dst, stride_bytes, true};
    return read_rows(e, channel, fraction, first, count, &rows);
}
