// See body.h.
// SPDX-License-Identifier: MIT
#include "world/objects/body.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/interface/check.h"
#include "world/interface/settings.h"
#include "world/nodes/nodes.h"

bool body_has_spheres(const struct body *body) {
    return body->bonds.contact_radii != NULL;
}

bool body_has_orientations(const struct body *body) {
    return body->bonded.orientations != NULL;
}

void body_gravity(const struct body *body, const double world[3], double out[3]) {
    add_scaled3(body->gravity.added, body->gravity.scale, world, out);
}

double body_mass(const struct nodes *nodes, const struct body *body) {
    const size_t count = nodes_count_positions(nodes, body->node_start, body->node_count);
    double mass = 0.0;
    for (size_t i = body->node_start; i < body->node_start + count; i++) {
        mass += nodes->mass[i];
    }
    return mass;
}

double body_extent(size_t vertex_count, const double *positions) {
    double square = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY;
        double high = -INFINITY;
        for (size_t i = 0; i < vertex_count; i++) {
            low = fmin(low, positions[3 * i + k]);
            high = fmax(high, positions[3 * i + k]);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

// --- contact ---

pbs_contact_desc body_default_contact(void) {
    return (pbs_contact_desc){.struct_size = sizeof(pbs_contact_desc),
                              .touches_itself = 1,
                              .group = 1,
                              .mask = UINT32_MAX};
}

pbs_status pbs_contact_desc_init(pbs_contact_desc *d, size_t struct_size) {
    const pbs_contact_desc defaults = body_default_contact();
    return settings_init(&settings_contact, d, struct_size, &defaults);
}

pbs_status body_check_contact(const pbs_contact_desc *d) {
    RETURN_IF_FAILED(check_choice(d->touches_itself, 0, 1, "touches_itself"));
    RETURN_IF_FAILED(check_not_negative(d->friction, "friction"));
    RETURN_IF_FAILED(check_not_negative(d->penalty_stiffness, "penalty_stiffness"));
    RETURN_IF_FAILED(check_not_negative(d->rolling_friction, "rolling_friction"));
    RETURN_IF_FAILED(check_not_negative(d->spinning_friction, "spinning_friction"));
    RETURN_IF_FAILED(
        check_choice(d->surface_material, 0, PBS_SURFACE_MATERIALS - 1, "surface_material"));
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_not_negative(d->offset, "offset"));
    return d->offset == 0.0 ? PBS_OK : check_length(d->offset, "offset");
}

pbs_status body_check_plane(const struct body *body, const double vector[3], const double plane[3],
                            size_t vertex, const char *name) {
    for (int k = 0; body->flat != 0 && k < 3; k++) {
        if ((body->flat >> k & 1) != 0 && vector[k] != plane[k]) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of vertex %zu: %c is %g, but the body is in a plane where it "
                               "is %g",
                               name, vertex, "xyz"[k], vector[k], plane[k]);
        }
    }
    return PBS_OK;
}
