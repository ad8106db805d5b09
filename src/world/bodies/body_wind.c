// See body_wind.h.
#include "world/bodies/body_wind.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/objects/vertices.h"

// m/s, and for the density and the coefficients: next to areas their products stay finite.
static const double LIMIT = 1e10;

pbs_status body_check_wind(const struct body *body, const pbs_wind_desc *d) {
    const double numbers[6] = {d->velocity[0], d->velocity[1],        d->velocity[2],
                               d->density,     d->normal_coefficient, d->tangential_coefficient};
    static const char *const names[6] = {"velocity",           "velocity",
                                         "velocity",           "density",
                                         "normal_coefficient", "tangential_coefficient"};
    if (body->table != &body_table_shell && body->table != &body_table_solid &&
        body->table != &body_table_affine) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "the body is no shell, solid or affine body, only these have wind");
    }
    RETURN_IF_FAILED(check_choice(d->sides, PBS_WIND_SIDES_OF_BODY, PBS_WIND_SIDES_OUTER, "sides"));
    for (int i = 0; i < 6; i++) {
        const double least = i < 3 ? -LIMIT : 0.0;
        if (!(numbers[i] >= least && numbers[i] <= LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT, "%s is %g, must be between %g and %g", names[i],
                               numbers[i], least, LIMIT);
        }
    }
    return PBS_OK;
}

static bool meets_both_sides(const struct body *body) {
    return body->wind.sides == PBS_WIND_SIDES_OF_BODY ? body->table == &body_table_shell
                                                      : body->wind.sides == PBS_WIND_SIDES_BOTH;
}

struct wind_law body_wind_law(const struct body *body) {
    const pbs_wind_desc *d = &body->wind;
    const bool both = meets_both_sides(body);
    struct wind_law law = {.normal = 0.5 * d->density * d->normal_coefficient,
                           .tangential = 0.5 * d->density * d->tangential_coefficient *
                                         (both ? 2.0 : 1.0),
                           .is_one_sided = !both};
    copy3(d->velocity, law.velocity);
    return law;
}

/// The area vector, and the velocity of the centre.
static void find_triangle(const double *x, const double *v, const uint32_t *corners, double area[3],
                          double velocity[3]) {
    double first[3], second[3];
    const double *origin = x + 3 * (size_t)corners[0];
    subtract3(x + 3 * (size_t)corners[1], origin, first);
    subtract3(x + 3 * (size_t)corners[2], origin, second);
    cross3(first, second, area);
    scale3(0.5, area, area);
    add3(v + 3 * (size_t)corners[0], v + 3 * (size_t)corners[1], velocity);
    add3(velocity, v + 3 * (size_t)corners[2], velocity);
    scale3(1.0 / 3.0, velocity, velocity);
}

void body_wind_force(const struct nodes *nodes, const struct body *body, double factor,
                     double *vertex_forces, double force[3]) {
    const struct wind_law law = body_wind_law(body);
    const double *x = vertices_positions(nodes, body), *v = vertices_velocities(nodes, body);
    force[0] = force[1] = force[2] = 0.0;
    for (size_t t = 0; t < body->triangle_count; t++) {
        const uint32_t *corners = body->triangles + 3 * t;
        double area[3], relative[3], own[3];
        find_triangle(x, v, corners, area, relative);
        subtract3(law.velocity, relative, relative);
        wind_law_force(&law, area, relative, own, NULL);
        add3(force, own, force);
        for (size_t a = 0; a < 3 && vertex_forces != NULL; a++) {
            double *to = vertex_forces + 3 * (size_t)corners[a];
            add_scaled3(to, factor / 3.0, own, to);
        }
    }
}
