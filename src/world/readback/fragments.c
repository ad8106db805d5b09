// Read-back of fracture (docs/theory/bonds.md section 5): fragments and their motion, damage, and
// the fracture surface in single precision.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "world/particles/bonded.h"
#include "world/breaking/breaking.h"
#include "world/interface/check.h"
#include "world/readback/number_rows.h"
#include "world/interface/settings.h"
#include "world/world.h"

// --- fragments ---

/// The particles of a fragment.
struct members {
    const struct body *body;
    const struct nodes *nodes;
    const uint32_t *particles;
    size_t count;
};

static struct members members_of(const pbs_world *w, const struct body *body, size_t fragment) {
    const struct fragments *fragments = &body->bonds.fragments;
    const uint32_t first = fragments->first[fragment];
    return (struct members){.body = body,
                            .nodes = &w->scene.nodes,
                            .particles = fragments->members + first,
                            .count = fragments->first[fragment + 1] - first};
}

static void measure_centre(const struct members *m, pbs_fragment *out) {
    for (size_t i = 0; i < m->count; i++) {
        const size_t node = m->body->node_start + m->particles[i];
        const double mass = m->nodes->mass[node];
        out->mass += mass;
        add_scaled3(out->center, mass, m->nodes->x + 3 * node, out->center);
        add_scaled3(out->velocity, mass, m->nodes->v + 3 * node, out->velocity);
    }
    scale3(1.0 / out->mass, out->center, out->center);
    scale3(1.0 / out->mass, out->velocity, out->velocity);
}

/// Returns the radius of gyration of a particle; 0 if it does not rotate.
static double gyration_of(const struct body *body, size_t particle) {
    return body_has_orientations(body) ? bonded_radius_of_gyration(body->bonded.radii[particle])
                                       : 0.0;
}

/// Adds a particle's inertia and angular momentum about the centre, including those of its own
/// rotation.
static void add_angular_momentum(const struct members *m, size_t particle, pbs_fragment *out,
                                 double momentum[3]) {
    const size_t node = m->body->node_start + particle;
    const double mass = m->nodes->mass[node];
    const double gyration = gyration_of(m->body, particle);
    const double own = mass * gyration * gyration;
    double arm[3], motion[3], moment[3];
    subtract3(m->nodes->x + 3 * node, out->center, arm);
    subtract3(m->nodes->v + 3 * node, out->velocity, motion);
    cross3(arm, motion, moment);
    add_scaled3(momentum, mass, moment, momentum);
    if (body_has_orientations(m->body)) {
        add_scaled3(momentum, own, m->body->bonded.angular_velocities + 3 * particle, momentum);
    }
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            out->inertia[3 * i + k] -= mass * arm[i] * arm[k];
        }
        out->inertia[4 * i] += own + mass * dot3(arm, arm);
    }
}

/// Inverts the inertia of particles without orientations. It is singular if they lie on a line or
/// if there is only one; then a small multiple of the identity is added.
static void invert_of_points(const double inertia[9], double inverse[9]) {
    const double thickness = 1e-12 * (inertia[0] + inertia[4] + inertia[8]);
    double thick[9];
    for (size_t i = 0; i < 9; i++) {
        thick[i] = inertia[i] + (i % 4 == 0 ? thickness : 0.0);
        inverse[i] = 0.0;
    }
    invert33(thick, inverse);
}

static pbs_fragment describe(const struct members *m, uint32_t parent) {
    pbs_fragment out = {.parent = parent, .particle_count = m->count};
    double momentum[3] = {0.0, 0.0, 0.0};
    double inverse[9] = {0.0};
    measure_centre(m, &out);
    for (size_t i = 0; i < m->count; i++) {
        add_angular_momentum(m, m->particles[i], &out, momentum);
    }
    if (body_has_orientations(m->body)) {
        invert33(out.inertia, inverse);
    } else {
        invert_of_points(out.inertia, inverse);
    }
    multiply3(inverse, momentum, out.angular_velocity);
    return out;
}

pbs_status pbs_body_fragments(const pbs_world *w, pbs_body b, pbs_fragment *dst, size_t struct_size,
                              size_t *count) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "it has no fragments", &status);
    RETURN_IF_FAILED(status);
    const struct fragments *fragments = &body->bonds.fragments;
    RETURN_IF_FAILED(
        rows_begin(&settings_fragment, struct_size, dst, count, fragments->count, "fragments"));
    for (size_t i = 0; dst != NULL && i < fragments->count; i++) {
        const struct members members = members_of(w, body, i);
        const pbs_fragment row = describe(&members, fragments->parent[i]);
        row_write(&settings_fragment, &row, struct_size, (char *)dst + i * struct_size);
    }
    return PBS_OK;
}

const uint32_t *pbs_body_particle_fragments(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->bonds.fragments.fragment : NULL;
}

const float *pbs_body_damage(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->bonds.fragments.damage : NULL;
}

// --- fracture surface ---

pbs_status pbs_body_fracture_surface(const pbs_world *w, pbs_body b, pbs_fracture_surface *out) {
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "it has no fragments", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(out, "out"));
    const struct fracture_surface *surface = &body->bonded.surface;
    const bool any = surface->triangle_count > 0;
    const pbs_fracture_surface own = {.struct_size = sizeof own,
                                      .vertex_count = surface->vertex_count,
                                      .triangle_count = surface->triangle_count,
                                      .triangles = any ? surface->triangles : NULL,
                                      .origins = any ? surface->origins : NULL,
                                      .particles = any ? surface->tets : NULL,
                                      .cracked = any ? surface->cracked : NULL};
    return results_write(&settings_fracture_surface, &own, out);
}

struct surface_view {
    const struct fracture_surface *surface;
    struct particle_frames frames;
    const double *velocities, *spins; ///< of the particles
};

static void vertex_position(const void *context, size_t vertex, double x[3]) {
    const struct surface_view *view = context;
    fracture_surface_position(view->surface, &view->frames, vertex, x);
}

static void read_positions(const void *context, size_t first, size_t count, double *x) {
    for (size_t i = 0; i < count; i++) {
        vertex_position(context, first + i, x + 3 * i);
    }
}

static void read_velocities(const void *context, size_t first, size_t count, double *v) {
    const struct surface_view *view = context;
    for (size_t i = 0; i < count; i++) {
        fracture_surface_velocity(view->surface, &view->frames, view->velocities, view->spins,
                                  first + i, v + 3 * i);
    }
}

pbs_status pbs_body_read_fracture_surface(const pbs_world *w, pbs_body b, int32_t channel,
                                          float *dst, size_t stride_bytes, size_t capacity) {
    ARITHMETIC_SCOPE();
    pbs_status status = PBS_OK;
    const struct body *body = breaking_enter(w, b, "it has no fragments", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_choice(channel, PBS_CHANNEL_POSITION, PBS_CHANNEL_NORMAL, "channel"));
    const struct fracture_surface *surface = &body->bonded.surface;
    const struct number_rows rows = {dst, stride_bytes, 3, surface->vertex_count, false};
    RETURN_IF_FAILED(check_rows(dst, stride_bytes, rows.width, rows.doubles));
    RETURN_IF_FAILED(number_rows_check(&rows, capacity, "vertices"));
    const struct surface_view view = {.surface = surface,
                                      .frames = {body->bonds.rest,
                                                 vertices_positions(&w->scene.nodes, body),
                                                 body->bonded.orientations},
                                      .velocities = vertices_velocities(&w->scene.nodes, body),
                                      .spins = body->bonded.angular_velocities};
    if (channel == PBS_CHANNEL_NORMAL) {
        const struct drawn_surface drawn = {.triangle_count = surface->triangle_count,
                                            .triangles = surface->triangles,
                                            .position = vertex_position,
                                            .context = &view};
        number_rows_write_normals(&rows, &drawn);
    } else {
        number_rows_write(&rows, channel == PBS_CHANNEL_POSITION ? read_positions : read_velocities,
                          &view);
    }
    return PBS_OK;
}
