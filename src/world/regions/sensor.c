// Sensors come, change and go; which bodies are in them after a step.
#include "world/regions/sensor.h"

#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/regions/body_region.h"

static const struct sensor *enter(const pbs_world *w, pbs_sensor s, pbs_status *status) {
    *status = world_enter(w);
    if (*status < 0) {
        return NULL;
    }
    const struct sensor *sensor = handle_find(&w->scene.sensors, s.id, HANDLE_SENSOR,
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
    RETURN_IF_FAILED(handle_reserve(&w->scene.sensors, &w->memory, 1));
    struct sensor *sensor = memory_allocate(&w->memory, 1, sizeof *sensor);
    if (sensor == NULL) {
        return PBS_ERROR_MEMORY;
    }
    sensor->desc = own;
    sensor->slot = handle_insert(&w->scene.sensors, sensor);
    *out = pbs_world_sensor_at(w, w->scene.sensors.count - 1);
    return PBS_OK;
}

pbs_status pbs_sensor_destroy(pbs_world *w, pbs_sensor s) {
    RETURN_IF_FAILED(world_enter(w));
    if (s.id == 0) {
        return PBS_OK;
    }
    struct sensor *sensor = handle_find(&w->scene.sensors, s.id, HANDLE_SENSOR, w->scene.stamp);
    if (sensor == NULL) {
        return PBS_ERROR_HANDLE;
    }
    handle_remove(&w->scene.sensors, sensor->slot);
    memory_release(&w->memory, sensor);
    return PBS_OK;
}

bool pbs_sensor_is_valid(const pbs_world *w, pbs_sensor s) {
    return w != NULL && handle_peek(&w->scene.sensors, s.id, HANDLE_SENSOR, w->scene.stamp) != NULL;
}

pbs_status pbs_sensor_set_region(pbs_world *w, pbs_sensor s, const pbs_region_desc *d) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    pbs_region_desc own;
    struct sensor *sensor = handle_find(&w->scene.sensors, s.id, HANDLE_SENSOR, w->scene.stamp);
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
    return w != NULL ? w->scene.sensors.count : 0;
}

pbs_sensor pbs_world_sensor_at(const pbs_world *w, size_t index) {
    if (w == NULL || index >= w->scene.sensors.count) {
        return (pbs_sensor){0};
    }
    return (pbs_sensor){handle_id(&w->scene.sensors, handle_slot_at(&w->scene.sensors, index),
                                  HANDLE_SENSOR, w->scene.stamp)};
}

// --- events ---

/// Vertices that are not nodes are computed in the world's scratch array.
static pbs_status vertices_of(pbs_world *w, const struct body *body, const double *node_x,
                              const double **out) {
    *out = node_x + 3 * body->node_start;
    if (vertices_are_nodes(body)) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(memory_reserve(&w->memory, &w->sensed_vertices, &w->sensed_capacity,
                                    3 * body->vertex_count, sizeof *w->sensed_vertices));
    vertices_at_nodes(body, node_x, w->sensed_vertices);
    *out = w->sensed_vertices;
    return PBS_OK;
}

static pbs_status add_pair(pbs_world *w, size_t body, size_t sensor) {
    struct pair_list *next = &w->sensor_events.next;
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
    for (size_t i = 0; i < w->scene.sensors.count; i++) {
        const pbs_region_desc *d = &scene_sensor(&w->scene, i)->desc;
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

pbs_status sensor_events_prepare(pbs_world *w, const double *x) {
    struct pair_events *events = &w->sensor_events;
    events->next.count = 0;
    if (w->scene.sensors.count == 0 && w->scene.sensed.count == 0) {
        return PBS_OK;
    }
    for (size_t b = 0; w->scene.sensors.count > 0 && b < w->scene.bodies.count; b++) {
        RETURN_IF_FAILED(sense_body(w, b, x));
    }
    return pair_events_reserve(&w->memory, events->next.capacity, &w->scene.sensed, events);
}

pbs_status pbs_world_sensor_events(const pbs_world *w, pbs_sensor_event *dst, size_t struct_size,
                                   size_t *count) {
    RETURN_IF_FAILED(world_enter(w));
    const struct pair_events *events = &w->sensor_events;
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
