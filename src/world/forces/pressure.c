// A host sets the pressure in closed bodies.
#include "base/runtime/arithmetic.h"
#include "energy/pressure/pressure.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/world.h"

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
    RETURN_IF_FAILED(body_check_pressure(law));
    if (law->kind == PRESSURE_HELD) {
        const struct body held = {.has_pressure = true, .pressure = *law};
        RETURN_IF_FAILED(body_check_pressure_scheme(&held, w->scene.integrator.scheme));
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
        w->topology.is_current = false;
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
    RETURN_IF_FAILED(body_check_closed(body, &w->scene.nodes, &w->memory));
    RETURN_IF_FAILED(read_law(w, body, d, &law));
    const bool is_held = law.kind == PRESSURE_HELD;
    const bool was_held = body->has_pressure && body->pressure.kind == PRESSURE_HELD;
    body->pressure = law;
    if (!body->has_pressure || is_held != was_held) {
        body->has_pressure = true;
        w->topology.is_current = false;
    } else if (w->topology.is_current) {
        model_set_pressure(&w->topology.model, &w->scene, body);
    }
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

pbs_status pbs_body_pressure(const pbs_world *w, pbs_body b, double *pressure, double *volume) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (!body->has_pressure) {
        return status_fail(PBS_ERROR_ARGUMENT, "the body has no pressure");
    }
    const double now = volume_of(w, body);
    if (pressure != NULL) {
        *pressure = pressure_law_inside(&body->pressure, now);
    }
    if (volume != NULL) {
        *volume = now;
    }
    return PBS_OK;
}
