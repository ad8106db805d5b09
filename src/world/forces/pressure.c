// Pressure in the closed surfaces of single bodies: what hosts set and read, the term of it,
// volumes that are held, and how it is saved.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "energy/pressure/pressure.h"
#include "geometry/meshes/mass_properties.h"
#include "world/features/feature.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "world/objects/vertices.h"
#include "world/world.h"

// --- checks ---

// Pa, m^3: products and powers up to the largest exponent stay finite.
static const double PRESSURE_LIMIT = 1e20, VOLUME_LIMIT = 1e20;
static const double EXPONENT_LIMIT = 10.0;

static pbs_status check_range(double value, double low, double high, const char *name) {
    return value >= low && value <= high
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be between %g and %g", name, value,
                             low, high);
}

static pbs_status check_law(const struct pressure_law *law) {
    RETURN_IF_FAILED(check_range(law->pressure, -PRESSURE_LIMIT, PRESSURE_LIMIT, "pressure"));
    RETURN_IF_FAILED(check_range(law->outside, -PRESSURE_LIMIT, PRESSURE_LIMIT, "outside"));
    if (law->kind == PRESSURE_CONSTANT) {
        return check_range(law->volume, -VOLUME_LIMIT, VOLUME_LIMIT, "volume");
    }
    if (law->kind == PRESSURE_HELD) {
        return check_range(law->volume, 1.0 / VOLUME_LIMIT, VOLUME_LIMIT, "prescribed volume");
    }
    RETURN_IF_FAILED(check_range(law->exponent, 1.0, EXPONENT_LIMIT, "exponent"));
    RETURN_IF_FAILED(
        check_range(law->pressure, 1.0 / PRESSURE_LIMIT, PRESSURE_LIMIT, "pressure of a gas"));
    return check_range(law->volume, 1.0 / VOLUME_LIMIT, VOLUME_LIMIT, "volume of a gas");
}

/// A volume is held by constraints.
static pbs_status check_scheme(const struct body *body, const struct scheme_table *scheme) {
    return !body->has_pressure || body->pressure.kind != PRESSURE_HELD ||
                   scheme_meets_constraints(scheme)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s does not support PBS_PRESSURE_VOLUME, which needs a scheme with "
                             "implicit stages and without blending",
                             scheme->name);
}

/// PBS_ERROR_ARGUMENT where the body is no solid or shell, PBS_ERROR_MESH where its surface is not
/// closed.
static pbs_status check_closed(const struct body *body, const struct nodes *nodes,
                               struct memory *memory) {
    if (body->table != &body_table_solid && body->table != &body_table_shell) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is no solid or shell, only these have pressure");
    }
    const struct surface_view surface = {.vertex_count = body->vertex_count,
                                         .positions = vertices_positions(nodes, body),
                                         .triangle_count = body->triangle_count,
                                         .triangles = body->triangles};
    return surface_check_closed(&surface, memory);
}

// --- terms ---

static void gather_pressure(const struct scene *scene, uint32_t *triangles, size_t *start,
                            struct pressure_law *laws) {
    size_t surface = 0, count = 0;
    start[0] = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (!body->has_pressure) {
            continue;
        }
        for (size_t k = 0; k < 3 * body->triangle_count; k++) {
            triangles[3 * count + k] = (uint32_t)body->node_start + body->triangles[k];
        }
        count += body->triangle_count;
        laws[surface] = body->pressure;
        surface++;
        start[surface] = count;
    }
}

static pbs_status make_pressure(const struct scene *scene, struct memory *memory,
                                struct pressure_input *input, struct pressure **out) {
    uint32_t *triangles = memory_allocate(memory, 3 * input->triangle_count, sizeof *triangles);
    size_t *start = memory_allocate(memory, input->surface_count + 1, sizeof *start);
    struct pressure_law *laws = memory_allocate(memory, input->surface_count, sizeof *laws);
    pbs_status status = PBS_ERROR_MEMORY;
    if (triangles != NULL && start != NULL && laws != NULL) {
        gather_pressure(scene, triangles, start, laws);
        input->triangles = triangles;
        input->triangle_start = start;
        input->laws = laws;
        status = pressure_create(memory, input, out);
    }
    memory_release(memory, triangles);
    memory_release(memory, start);
    memory_release(memory, laws);
    return status;
}

static pbs_status add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *terms, void **out) {
    struct pressure_input input = {.node_count = scene->nodes.count};
    struct pressure *pressure = NULL;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        input.surface_count += body->has_pressure;
        input.triangle_count += body->has_pressure ? body->triangle_count : 0;
    }
    if (input.surface_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(make_pressure(scene, memory, &input, &pressure));
    RETURN_IF_FAILED(body_terms_add(terms, pressure_term(pressure)));
    *out = pressure;
    return PBS_OK;
}

/// A body that has pressure has another law of it.
static void change(struct pressure *pressure, const struct scene *scene, const struct body *body) {
    size_t surface = 0;
    for (size_t i = 0; scene_body(scene, i) != body; i++) {
        surface += scene_body(scene, i)->has_pressure;
    }
    pressure_set_law(pressure, surface, &body->pressure);
}

static double reference(const void *pressure, const struct scene *scene) {
    double sum = 0.0;
    for (size_t s = 0; s < pressure_surface_count(pressure); s++) {
        sum = hypot(sum, pressure_forces_of(pressure, s, scene->nodes.x).scale);
    }
    return sum;
}

static void add_body_forces(const void *pressure, const struct scene *scene,
                            const struct feature_forces *out) {
    for (size_t s = 0; s < pressure_surface_count(pressure); s++) {
        const struct pressure_forces forces = pressure_forces_of(pressure, s, scene->nodes.x);
        const uint32_t b = out->node_parts[forces.node];
        out->nominal[b] = hypot(out->nominal[b], forces.scale);
        out->host[b] = hypot(out->host[b], forces.excess);
    }
}

// --- hosts ---

pbs_status pbs_pressure_desc_init(pbs_pressure_desc *d, size_t struct_size) {
    const pbs_pressure_desc defaults = {.struct_size = sizeof defaults, .exponent = 1.4};
    return settings_init(&settings_pressure, d, struct_size, &defaults);
}

static double volume_of(const pbs_world *w, const struct body *body) {
    return pressure_volume(body->triangles, body->triangle_count, body->node_start,
                           w->scene.nodes.x);
}

/// What holds a volume follows from the steps: at first nothing does, and a new volume is reached
/// with the pressure that held the last one.
static pbs_status begin_holding(const struct body *body, const pbs_pressure_desc *d,
                                struct pressure_law *law) {
    if (d->pressure != 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "pressure is %g, must be 0 with PBS_PRESSURE_VOLUME, where it follows "
                           "from the forces on the body",
                           d->pressure);
    }
    const bool is_held = body->has_pressure && body->pressure.kind == PRESSURE_HELD;
    law->pressure = is_held ? body->pressure.pressure - body->pressure.outside + law->outside
                            : law->outside;
    return PBS_OK;
}

static pbs_status read_law(const pbs_world *w, const struct body *body, const pbs_pressure_desc *d,
                           struct pressure_law *law) {
    pbs_pressure_desc own = {.struct_size = sizeof own, .exponent = 1.4};
    RETURN_IF_FAILED(settings_read(&settings_pressure, d, &own));
    RETURN_IF_FAILED(check_choice(own.kind, PBS_PRESSURE_CONSTANT, PBS_PRESSURE_VOLUME, "kind"));
    *law = (struct pressure_law){.kind = (enum pressure_kind)own.kind,
                                 .pressure = own.pressure,
                                 .outside = own.outside,
                                 .exponent = own.exponent,
                                 .volume = own.volume != 0.0 ? own.volume : volume_of(w, body)};
    RETURN_IF_FAILED(check_law(law));
    if (law->kind == PRESSURE_HELD) {
        const struct body held = {.has_pressure = true, .pressure = *law};
        RETURN_IF_FAILED(check_scheme(&held, w->scene.integrator.scheme));
        RETURN_IF_FAILED(begin_holding(body, &own, law));
    }
    const double volume = volume_of(w, body);
    return law->kind == PRESSURE_CONSTANT || volume > 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "the surface encloses %g m^3, must be positive: its triangles must "
                             "point outward",
                             volume);
}

static void remove_pressure(pbs_world *w, struct body *body) {
    if (body->has_pressure) {
        body->has_pressure = false;
        body->pressure = (struct pressure_law){0};
        w->solver.is_current = false;
        w->scene.history.memory.has_acceleration = false;
    }
}

pbs_status pbs_body_set_pressure(pbs_world *w, pbs_body b, const pbs_pressure_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (d == NULL) {
        remove_pressure(w, body);
        return PBS_OK;
    }
    struct pressure_law law;
    RETURN_IF_FAILED(check_closed(body, &w->scene.nodes, &w->memory));
    RETURN_IF_FAILED(read_law(w, body, d, &law));
    const bool is_held = law.kind == PRESSURE_HELD;
    const bool was_held = body->has_pressure && body->pressure.kind == PRESSURE_HELD;
    body->pressure = law;
    if (!body->has_pressure || is_held != was_held) {
        body->has_pressure = true;
        w->solver.is_current = false;
    } else if (w->solver.is_current) {
        change(w->solver.model.features[FEATURE_PRESSURE], &w->scene, body);
    }
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

static pbs_status check_has_pressure(const struct body *body) {
    return body->has_pressure ? PBS_OK
                              : status_fail(PBS_ERROR_ARGUMENT, "the body has no pressure");
}

pbs_status pbs_body_pressure_settings(const pbs_world *w, pbs_body b, pbs_pressure_desc *out) {
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_has_pressure(body));
    const struct pressure_law *law = &body->pressure;
    const pbs_pressure_desc own = {.struct_size = sizeof own,
                                   .kind = (int32_t)law->kind,
                                   // What holds a volume is a result.
                                   .pressure = law->kind == PRESSURE_HELD ? 0.0 : law->pressure,
                                   .outside = law->outside,
                                   .exponent = law->exponent,
                                   .volume = law->volume};
    return results_write(&settings_pressure, &own, out);
}

pbs_status pbs_body_pressure(const pbs_world *w, pbs_body b, double *pressure, double *volume) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_has_pressure(body));
    const double now = volume_of(w, body);
    if (pressure != NULL) {
        *pressure = pressure_law_inside(&body->pressure, now);
    }
    if (volume != NULL) {
        *volume = now;
    }
    return PBS_OK;
}

// --- the life of a world ---

static const struct field FIELDS[] = {
    FIELD_VALUE(struct body, has_pressure, FIELD_ANY),
    FIELD_VALUE(struct body, pressure.kind, FIELD_ANY),
    FIELD_VALUE(struct body, pressure.pressure, FIELD_ANY),
    FIELD_VALUE(struct body, pressure.outside, FIELD_ANY),
    FIELD_VALUE(struct body, pressure.exponent, FIELD_ANY),
    FIELD_VALUE(struct body, pressure.volume, FIELD_ANY),
};
static const struct field_list fields = FIELD_LIST(struct body, FIELDS);

static pbs_status check_restored(const struct scene *scene, struct memory *memory,
                                 struct body *body) {
    if (!body->has_pressure) {
        return PBS_OK;
    }
    if ((unsigned)body->pressure.kind > PRESSURE_HELD) {
        return status_fail(PBS_ERROR_FORMAT, "a pressure is of the unknown kind %u",
                           (unsigned)body->pressure.kind);
    }
    RETURN_IF_FAILED(check_law(&body->pressure));
    RETURN_IF_FAILED(check_scheme(body, scene->integrator.scheme));
    return check_closed(body, &scene->nodes, memory);
}

/// Exchanges the pressures that hold volumes, in the order of bodies with pressure.
static void exchange_held(pbs_world *w, bool to_bodies) {
    struct pressure *const pressure = w->solver.model.features[FEATURE_PRESSURE];
    size_t surface = 0;
    for (size_t i = 0; i < w->scene.bodies.count && pressure != NULL; i++) {
        struct body *const body = scene_body(&w->scene, i);
        if (body->has_pressure && body->pressure.kind == PRESSURE_HELD && to_bodies) {
            body->pressure = pressure_law_of(pressure, surface);
        } else if (body->has_pressure && body->pressure.kind == PRESSURE_HELD) {
            pressure_set_law(pressure, surface, &body->pressure);
        }
        surface += body->has_pressure;
    }
}

static void commit(pbs_world *w) {
    exchange_held(w, true);
}

static void reload(pbs_world *w) {
    exchange_held(w, false);
}

const struct feature feature_pressure = {
    .body_fields = &fields,
    .check_body = check_restored,
    .check_scheme = check_scheme,
    .add_terms = add_terms,
    .reference = reference,
    .add_body_forces = add_body_forces,
    .commit = commit,
    .reload = reload,
};
