// Which pressure a body may have.
#include <math.h>

#include "geometry/meshes/mass_properties.h"
#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/objects/vertices.h"

// Pa, m^3: products and powers up to the largest exponent stay finite.
static const double PRESSURE_LIMIT = 1e20, VOLUME_LIMIT = 1e20;
static const double EXPONENT_LIMIT = 10.0;

static pbs_status check_range(double value, double low, double high, const char *name) {
    return value >= low && value <= high
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be between %g and %g", name, value,
                             low, high);
}

pbs_status body_check_pressure(const struct pressure_law *law) {
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

pbs_status body_check_pressure_scheme(const struct body *body, const struct scheme_table *scheme) {
    return !body->has_pressure || body->pressure.kind != PRESSURE_HELD ||
                   scheme_meets_constraints(scheme)
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s does not support PBS_PRESSURE_VOLUME, which needs a scheme with "
                             "implicit stages and without blending",
                             scheme->name);
}

pbs_status body_check_closed(const struct body *body, const struct nodes *nodes,
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
