// A host sets the wind on a body.
#include "base/matrix3/math3.h"
#include "base/runtime/arithmetic.h"
#include "world/bodies/body_wind.h"
#include "world/interface/settings.h"
#include "world/model/wind_terms.h"
#include "world/world.h"

static const pbs_wind_desc defaults = {.struct_size = sizeof defaults,
                                       .density = 1.2,
                                       .normal_coefficient = 1.2,
                                       .tangential_coefficient = 0.01};

pbs_status pbs_wind_desc_init(pbs_wind_desc *d, size_t struct_size) {
    return settings_init(&settings_wind, d, struct_size, &defaults);
}

static void remove_wind(pbs_world *w, struct body *body) {
    if (body->has_wind) {
        body->has_wind = false;
        body->wind = (pbs_wind_desc){0};
        w->topology.is_current = false;
        w->scene.history.memory.has_acceleration = false;
    }
}

pbs_status pbs_body_set_wind(pbs_world *w, pbs_body b, const pbs_wind_desc *d) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (d == NULL) {
        remove_wind(w, body);
        return PBS_OK;
    }
    pbs_wind_desc own = defaults;
    RETURN_IF_FAILED(settings_read(&settings_wind, d, &own));
    RETURN_IF_FAILED(body_check_wind(body, &own));
    body->wind = own;
    if (!body->has_wind) {
        body->has_wind = true;
        w->topology.is_current = false;
    } else if (w->topology.is_current) {
        model_set_wind(&w->topology.model, &w->scene, body);
    }
    w->scene.history.memory.has_acceleration = false;
    return PBS_OK;
}

pbs_status pbs_body_wind(const pbs_world *w, pbs_body b, pbs_wind_desc *d, double *force) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = world_enter_body(w, b, &status);
    RETURN_IF_FAILED(status);
    if (!body->has_wind) {
        return status_fail(PBS_ERROR_ARGUMENT, "no wind acts on the body");
    }
    RETURN_IF_FAILED(d != NULL ? results_write(&settings_wind, &body->wind, d) : PBS_OK);
    if (force != NULL) {
        body_wind_force(&w->scene.nodes, body, 1.0, NULL, force);
    }
    return PBS_OK;
}
