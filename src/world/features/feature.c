// The rows of all features; see feature.h.
// SPDX-License-Identifier: MIT
#include "world/features/feature.h"

extern const struct feature feature_pressure, feature_wind, feature_gravity, feature_orientations,
    feature_torques, feature_loads, feature_joints, feature_impacts, feature_sensors;

const struct feature *const features[FEATURE_COUNT] = {
    [FEATURE_PRESSURE] = &feature_pressure, [FEATURE_WIND] = &feature_wind,
    [FEATURE_GRAVITY] = &feature_gravity,   [FEATURE_ORIENTATIONS] = &feature_orientations,
    [FEATURE_TORQUES] = &feature_torques,   [FEATURE_LOADS] = &feature_loads,
    [FEATURE_JOINTS] = &feature_joints,     [FEATURE_IMPACTS] = &feature_impacts,
    [FEATURE_SENSORS] = &feature_sensors,
};

/// Calls a function of all rows that have it.
#define CALL_ALL(function, ...)                                                                    \
    do {                                                                                           \
        for (int row = 0; row < FEATURE_COUNT; row++) {                                            \
            if (features[row]->function != NULL) {                                                 \
                features[row]->function(__VA_ARGS__);                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/// Likewise, up to the first that fails: the function in which this stands returns its status.
#define TRY_ALL(function, ...)                                                                     \
    do {                                                                                           \
        for (int row = 0; row < FEATURE_COUNT; row++) {                                            \
            if (features[row]->function != NULL) {                                                 \
                RETURN_IF_FAILED(features[row]->function(__VA_ARGS__));                            \
            }                                                                                      \
        }                                                                                          \
    } while (0)

pbs_status features_create(void *data[FEATURE_COUNT], struct memory *memory) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        data[i] = features[i]->size > 0 ? memory_allocate(memory, 1, features[i]->size) : NULL;
        if (features[i]->size > 0 && data[i] == NULL) {
            return PBS_ERROR_MEMORY;
        }
    }
    return PBS_OK;
}

void features_free(void *data[FEATURE_COUNT], struct memory *memory) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (data[i] != NULL && features[i]->free != NULL) {
            features[i]->free(data[i], memory);
        }
        memory_release(memory, data[i]);
        data[i] = NULL;
    }
}

// --- saving ---

void features_write(struct byte_writer *out, const struct scene *scene) {
    CALL_ALL(write, out, scene);
}

pbs_status features_read(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    TRY_ALL(read, in, memory, scene);
    return PBS_OK;
}

void features_write_body(struct byte_writer *out, const struct body *body) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->body_fields != NULL) {
            fields_write(out, features[i]->body_fields, body);
        }
    }
}

pbs_status features_read_body(struct byte_reader *in, const struct scene *scene,
                              struct memory *memory, struct body *body) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->body_fields != NULL) {
            RETURN_IF_FAILED(fields_read_in_place(in, features[i]->body_fields, body));
        }
        if (features[i]->check_body != NULL) {
            RETURN_IF_FAILED(features[i]->check_body(scene, memory, body));
        }
    }
    return PBS_OK;
}

void features_write_body_state(struct byte_writer *out, const struct body *body) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->body_state != NULL) {
            fields_write(out, features[i]->body_state, body);
        }
    }
}

pbs_status features_read_body_state(struct byte_reader *in, struct body *body) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->body_state != NULL) {
            RETURN_IF_FAILED(fields_read_in_place(in, features[i]->body_state, body));
        }
        if (features[i]->check_body_state != NULL) {
            RETURN_IF_FAILED(features[i]->check_body_state(body));
        }
    }
    return PBS_OK;
}

void features_write_state(struct byte_writer *out, const struct scene *scene) {
    CALL_ALL(write_state, out, scene);
}

pbs_status features_read_state(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    TRY_ALL(read_state, in, memory, scene);
    return PBS_OK;
}

void features_forget(pbs_world *w) {
    CALL_ALL(forget, w);
}

void features_body_destroyed(pbs_world *w, const struct body *body) {
    CALL_ALL(body_destroyed, w, body);
}

pbs_status features_check_scheme(const struct body *body, const struct scheme_table *scheme) {
    TRY_ALL(check_scheme, body, scheme);
    return PBS_OK;
}

// --- forces ---

bool features_lag_on(const struct body *body) {
    bool any = false;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        any = any || (features[i]->lags_on != NULL && features[i]->lags_on(body));
    }
    return any;
}

void features_add_reaction(const struct nodes *nodes, const struct body *body, double *gradient) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->lags_on != NULL && features[i]->lags_on(body)) {
            features[i]->add_reaction(nodes, body, gradient);
        }
    }
}

// --- steps ---

pbs_status features_prepare(pbs_world *w) {
    TRY_ALL(prepare, w);
    return PBS_OK;
}

void features_begin(pbs_world *w) {
    CALL_ALL(begin, w);
}

pbs_status features_finish(pbs_world *w, const double *x) {
    TRY_ALL(finish, w, x);
    return PBS_OK;
}

void features_commit(pbs_world *w) {
    CALL_ALL(commit, w);
}

void features_landed(pbs_world *w) {
    CALL_ALL(landed, w);
}

void features_reload(pbs_world *w) {
    CALL_ALL(reload, w);
}

// --- reading back ---

void features_draw(struct debug_lines *lines, uint32_t flags) {
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (features[i]->draw != NULL && (features[i]->debug_flag & flags) != 0) {
            features[i]->draw(lines);
        }
    }
}
