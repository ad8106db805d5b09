// Sensors come, change and go; which bodies are in them after a step.
// SPDX-License-Identifier: MIT
#include "world/regions/sensor.h"

#include <string.h>

#include "base/runtime/arithmetic.h"
#include "geometry/shape_outline.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/interface/saved_handles.h"
#include "world/interface/settings.h"
#include "world/readback/debug_lines.h"
#include "world/regions/body_region.h"

struct sensor {
    uint32_t slot;
    pbs_region_desc desc;
};

struct sensors {
    struct handle_table table;
    struct pair_list inside; ///< bodies, and sensors that they were in after the last step
    struct pair_events events;
    double *vertices; ///< scratch: positions of vertices that are not nodes
    size_t vertex_capacity;
};

static struct sensors *sensors_in(const struct scene *scene) {
    return scene->features[FEATURE_SENSORS];
}

static struct sensors *sensors_of(const pbs_world *w) {
    return sensors_in(&w->scene);
}

static struct sensor *sensor_at(const struct scene *scene, size_t index) {
    return handle_at(&sensors_in(scene)->table, index);
}

static const struct sensor *enter(const pbs_world *w, pbs_sensor s, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    const struct sensor *sensor = handle_find(&sensors_of(w)->table, s.id, HANDLE_SENSOR,
                                              w->scene.stamp);
    *status = sensor != NULL ? PBS_OK : PBS_ERROR_HANDLE;
    return sensor;
}

pbs_status pbs_sensor_create(pbs_world *w, const pbs_region_desc *d, pbs_sensor *out) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(out, "out"));
    pbs_region_desc own;
    RETURN_IF_FAILED(region_read(d, &own));
    RETURN_IF_FAILED(handle_reserve(&sensors_of(w)->table, &w->memory, 1));
    struct sensor *sensor = memory_allocate(&w->memory, 1, sizeof *sensor);
    if (sensor == NULL) {
        return PBS_ERROR_MEMORY;
    }
    sensor->desc = own;
    sensor->slot = handle_insert(&sensors_of(w)->table, sensor);
    *out = pbs_world_sensor_at(w, sensors_of(w)->table.count - 1);
    return PBS_OK;
}

pbs_status pbs_sensor_destroy(pbs_world *w, pbs_sensor s) {
    RETURN_IF_FAILED(world_enter(w));
    if (s.id == 0) {
        return PBS_OK;
    }
    struct sensor *sensor = handle_find(&sensors_of(w)->table, s.id, HANDLE_SENSOR, w->scene.stamp);
    if (sensor == NULL) {
        return PBS_ERROR_HANDLE;
    }
    handle_remove(&sensors_of(w)->table, sensor->slot);
    memory_release(&w->memory, sensor);
    return PBS_OK;
}

bool pbs_sensor_is_valid(const pbs_world *w, pbs_sensor s) {
    return w != NULL &&
           handle_peek(&sensors_of(w)->table, s.id, HANDLE_SENSOR, w->scene.stamp) != NULL;
}

pbs_status pbs_sensor_set_region(pbs_world *w, pbs_sensor s, const pbs_region_desc *d) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_region_desc own;
    struct sensor *sensor = handle_find(&sensors_of(w)->table, s.id, HANDLE_SENSOR, w->scene.stamp);
    if (sensor == NULL) {
        return PBS_ERROR_HANDLE;
    }
    RETURN_IF_FAILED(region_read(d, &own));
    sensor->desc = own;
    return PBS_OK;
}

pbs_status pbs_sensor_region(const pbs_world *w, pbs_sensor s, pbs_region_desc *out) {
    pbs_status status = PBS_OK;
    const struct sensor *sensor = enter(w, s, &status);
    RETURN_IF_FAILED(status);
    return results_write(&settings_region, &sensor->desc, out);
}

size_t pbs_world_sensor_count(const pbs_world *w) {
    return w != NULL ? sensors_of(w)->table.count : 0;
}

pbs_sensor pbs_world_sensor_at(const pbs_world *w, size_t index) {
    if (w == NULL || index >= sensors_of(w)->table.count) {
        return (pbs_sensor){0};
    }
    return (pbs_sensor){handle_id(&sensors_of(w)->table,
                                  handle_slot_at(&sensors_of(w)->table, index), HANDLE_SENSOR,
                                  w->scene.stamp)};
}

// --- events ---

/// Vertices that are not nodes are computed in a scratch array.
static pbs_status vertices_of(pbs_world *w, const struct body *body, const double *node_x,
                              const double **out) {
    *out = node_x + 3 * body->node_start;
    if (vertices_are_nodes(body)) {
        return PBS_OK;
    }
    struct sensors *const own = sensors_of(w);
    RETURN_IF_FAILED(memory_reserve(&w->memory, &own->vertices, &own->vertex_capacity,
                                    3 * body->vertex_count, sizeof *own->vertices));
    vertices_at_nodes(body, node_x, own->vertices);
    *out = own->vertices;
    return PBS_OK;
}

static pbs_status add_pair(pbs_world *w, size_t body, size_t sensor) {
    struct pair_list *next = &sensors_of(w)->events.next;
    RETURN_IF_FAILED(pair_list_reserve(&w->memory, next->count + 1, next));
    next->pairs[next->count++] = (struct id_pair){pbs_world_body_at(w, body).id,
                                                  pbs_world_sensor_at(w, sensor).id};
    return PBS_OK;
}

static pbs_status sense_body(pbs_world *w, size_t index, const double *node_x) {
    const struct body *body = scene_body(&w->scene, index);
    const double *x = NULL;
    double low[3], high[3];
    RETURN_IF_FAILED(vertices_of(w, body, node_x, &x));
    body_box(body, x, low, high);
    for (size_t i = 0; i < sensors_of(w)->table.count; i++) {
        const pbs_region_desc *d = &sensor_at(&w->scene, i)->desc;
        if ((body->contact.group & d->mask) == 0 || (d->group & body->contact.mask) == 0) {
            continue;
        }
        const struct region region = region_of(d);
        if (region_meets_box(&region, low, high) && region_touches_body(&region, body, x)) {
            RETURN_IF_FAILED(add_pair(w, index, i));
        }
    }
    return PBS_OK;
}

static pbs_status finish(pbs_world *w, const double *x) {
    struct pair_events *events = &sensors_of(w)->events;
    events->next.count = 0;
    if (sensors_of(w)->table.count == 0 && sensors_of(w)->inside.count == 0) {
        return PBS_OK;
    }
    for (size_t b = 0; sensors_of(w)->table.count > 0 && b < w->scene.bodies.count; b++) {
        RETURN_IF_FAILED(sense_body(w, b, x));
    }
    return pair_events_reserve(&w->memory, events->next.capacity, &sensors_of(w)->inside, events);
}

pbs_status pbs_world_sensor_events(const pbs_world *w, pbs_sensor_event *dst, size_t struct_size,
                                   size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    const struct pair_events *events = &sensors_of(w)->events;
    RETURN_IF_FAILED(rows_begin(&settings_sensor_event, struct_size, dst, count, events->count,
                                "sensor events"));
    for (size_t i = 0; dst != NULL && i < events->count; i++) {
        const pbs_sensor_event row = {.body = {events->rows[i].pair.first},
                                      .sensor = {events->rows[i].pair.second},
                                      .kind = events->rows[i].kind};
        row_write(&settings_sensor_event, &row, struct_size, (char *)dst + struct_size * i);
    }
    return PBS_OK;
}

// --- the life of a world ---

static void commit(pbs_world *w) {
    pair_events_commit(&sensors_of(w)->inside, &sensors_of(w)->events);
}

static void forget(pbs_world *w) {
    sensors_of(w)->events.count = 0;
}

static void draw(struct debug_lines *lines) {
    const struct scene *const scene = &lines->world->scene;
    debug_lines_color(lines, 0, 255, 0);
    for (size_t i = 0; i < sensors_in(scene)->table.count; i++) {
        const struct region region = region_of(&sensor_at(scene, i)->desc);
        shape_outline(&region.shape, &region.pose, 0.0, debug_lines_add, lines);
    }
}

static void write(struct byte_writer *out, const struct scene *scene) {
    const struct handle_table *const table = &sensors_in(scene)->table;
    saved_handles_write(out, table);
    for (size_t i = 0; i < table->count; i++) {
        write_u32(out, sensor_at(scene, i)->slot);
        fields_write(out, &region_fields, &sensor_at(scene, i)->desc);
    }
}

/// Orientations are not normalised again, which could change their last bits.
static pbs_status read_sensor(struct byte_reader *in, struct sensor *sensor) {
    double unit[4];
    sensor->desc.struct_size = sizeof sensor->desc;
    RETURN_IF_FAILED(fields_read_in_place(in, &region_fields, &sensor->desc));
    return region_check(&sensor->desc, unit);
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    struct handle_table *const table = &sensors_in(scene)->table;
    size_t count = 0;
    RETURN_IF_FAILED(saved_handles_read(in, memory, table, "sensor slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(saved_handles_read_slot(in, table, &slot));
        struct sensor *sensor = memory_allocate(memory, 1, sizeof *sensor);
        if (sensor == NULL) {
            return PBS_ERROR_MEMORY;
        }
        sensor->slot = slot;
        handle_insert_at(table, slot, sensor);
        RETURN_IF_FAILED(saved_as_format(read_sensor(in, sensor), "sensor", i));
    }
    return PBS_OK;
}

static void write_state(struct byte_writer *out, const struct scene *scene) {
    pair_list_write(out, &sensors_in(scene)->inside);
}

static pbs_status read_state(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    return pair_list_read(in, memory, &sensors_in(scene)->inside);
}

static void free_sensors(void *data, struct memory *memory) {
    struct sensors *const own = data;
    for (size_t i = 0; i < own->table.count; i++) {
        memory_release(memory, handle_at(&own->table, i));
    }
    handle_free(&own->table, memory);
    pair_list_free(memory, &own->inside);
    pair_events_free(memory, &own->events);
    memory_release(memory, own->vertices);
}

static const struct field_list *const lists[] = {&region_fields, NULL};

const struct feature feature_sensors = {
    .size = sizeof(struct sensors),
    .free = free_sensors,
    .lists = lists,
    .write = write,
    .read = read,
    .write_state = write_state,
    .read_state = read_state,
    .forget = forget,
    .finish = finish,
    .commit = commit,
    .debug_flag = PBS_DEBUG_SENSORS,
    .draw = draw,
};
