// Orientations and angular velocities of bonded bodies: reads, sets, pins and prescribes them, and
// reads what is pinned and prescribed.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "base/matrix3/math3.h"
#include "base/matrix3/quaternion.h"
#include "pbs/bonded.h"
#include "world/features/feature.h"
#include "world/particles/bonded.h"
#include "world/interface/check.h"
#include "world/world.h"

/// Returns the body of a function for bonded bodies only. For others *status is PBS_ERROR_ARGUMENT;
/// lack: what they lack, for the message.
static struct body *enter_bonded(const pbs_world *w, pbs_body b, const char *lack,
                                 pbs_status *status) {
    struct body *body = world_enter_body(w, b, status);
    if (*status >= 0 && !body_has_orientations(body)) {
        *status = status_fail(PBS_ERROR_ARGUMENT, "the body is not bonded: %s", lack);
    }
    return body;
}

const double *pbs_body_orientations(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->bonded.orientations : NULL;
}

const double *pbs_body_angular_velocities(const pbs_world *w, pbs_body b) {
    const struct body *body = world_body(w, b);
    return body != NULL ? body->bonded.angular_velocities : NULL;
}

static pbs_status enter_with_count(pbs_world *w, pbs_body b, size_t count, struct body **out) {
    pbs_status status = PBS_OK;
    *out = enter_bonded(w, b, "its vertices have no orientations", &status);
    RETURN_IF_FAILED(status);
    return count == (*out)->vertex_count
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "particle_count is %zu, but the body has %zu particles", count,
                             (*out)->vertex_count);
}

static pbs_status check_orientations(const double *xyzw, size_t count, const char *name) {
    if (count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(xyzw, name));
    for (size_t i = 0; i < count; i++) {
        double unit[4];
        RETURN_IF_FAILED(check_quaternion(xyzw + 4 * i, name, unit));
    }
    return PBS_OK;
}

pbs_status pbs_body_set_orientations(pbs_world *w, pbs_body b, const double *xyzw,
                                     size_t particle_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, particle_count, &body));
    RETURN_IF_FAILED(check_orientations(xyzw, particle_count, "orientations"));
    RETURN_IF_FAILED(bonded_set_orientations(body, &w->memory, xyzw));
    bonded_reset_targets(&w->scene.nodes, body);
    if (w->solver.is_current) {
        bonded_load_orientations(&w->scene, &w->solver.model.rotations);
    }
    world_moved_body(w, body, "placed by pbs_body_set_orientations");
    return PBS_OK;
}

pbs_status pbs_body_set_angular_velocities(pbs_world *w, pbs_body b, const double *xyz,
                                           size_t particle_count) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_count(w, b, particle_count, &body));
    RETURN_IF_FAILED(check_vectors(xyz, particle_count, "angular velocities"));
    for (size_t i = 0; i < 3 * particle_count; i++) {
        const double radius = bonded_radius_of_gyration(body->bonded.radii[i / 3]);
        if (!isfinite(radius * xyz[i])) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "angular velocity %zu times the particle's radius is not finite",
                               i / 3);
        }
    }
    for (size_t i = 0; i < 3 * particle_count; i++) {
        const double radius = bonded_radius_of_gyration(body->bonded.radii[i / 3]);
        w->scene.nodes.v[3 * (body->node_start + particle_count) + i] = radius * xyz[i];
    }
    bonded_update_angular_velocities(body, &w->scene.nodes);
    scene_forget_body(&w->scene, body);
    return PBS_OK;
}

// --- pins and targets ---

static pbs_status enter_with_particles(pbs_world *w, pbs_body b, const uint32_t *particles,
                                       size_t count, struct body **out) {
    pbs_status status = PBS_OK;
    *out = enter_bonded(w, b, "its vertices have no orientations", &status);
    RETURN_IF_FAILED(status);
    return check_indices(particles, count, (*out)->vertex_count, "particles", "particles");
}

static pbs_status set_constrained(pbs_world *w, pbs_body b, const uint32_t *particles, size_t count,
                                  uint8_t axes) {
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_particles(w, b, particles, count, &body));
    for (size_t i = 0; i < count; i++) {
        const size_t node = body->node_start + body->vertex_count + particles[i];
        scene_constrain_node(&w->scene, node, axes);
        memset(w->scene.nodes.target + 3 * node, 0, 3 * sizeof(double));
    }
    return PBS_OK;
}

pbs_status pbs_body_pin_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                     size_t count) {
    return set_constrained(w, b, particles, count, PBS_AXIS_ALL);
}

pbs_status pbs_body_unpin_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                       size_t count) {
    return set_constrained(w, b, particles, count, 0);
}

pbs_status pbs_body_set_target_orientations(pbs_world *w, pbs_body b, const uint32_t *particles,
                                            size_t count, const double *xyzw) {
    ARITHMETIC_SCOPE();
    struct body *body = NULL;
    RETURN_IF_FAILED(enter_with_particles(w, b, particles, count, &body));
    RETURN_IF_FAILED(check_orientations(xyzw, count, "orientations"));
    for (size_t i = 0; i < count; i++) {
        const size_t particle = particles[i];
        const size_t node = body->node_start + body->vertex_count + particle;
        double unit[4];
        double rotation[3];
        check_quaternion(xyzw + 4 * i, "orientation", unit);
        rotation_between(body->bonded.orientations + 4 * particle, unit, rotation);
        scene_constrain_node(&w->scene, node, PBS_AXIS_ALL);
        scale3(bonded_radius_of_gyration(body->bonded.radii[particle]), rotation,
               w->scene.nodes.target + 3 * node);
    }
    return PBS_OK;
}

// --- reading pins and targets ---

static pbs_status enter_to_read(const pbs_world *w, pbs_body b, const void *dst, size_t capacity,
                                const char *name, const struct body **out) {
    pbs_status status = PBS_OK;
    *out = enter_bonded(w, b, "its vertices have no orientations", &status);
    RETURN_IF_FAILED(status);
    RETURN_IF_FAILED(check_pointer(dst, name));
    return capacity >= (*out)->vertex_count
               ? PBS_OK
               : status_fail(PBS_ERROR_CAPACITY, "capacity is %zu particles, but the body has %zu",
                             capacity, (*out)->vertex_count);
}

/// The first rotation node is that of the first particle.
static bool is_pinned(const pbs_world *w, const struct body *body, size_t particle) {
    const size_t node = body->node_start + body->vertex_count + particle;
    return w->scene.nodes.constrained_axes[node] == PBS_AXIS_ALL;
}

pbs_status pbs_body_pinned_orientations(const pbs_world *w, pbs_body b, uint8_t *pinned,
                                        size_t capacity) {
    const struct body *body = NULL;
    RETURN_IF_FAILED(enter_to_read(w, b, pinned, capacity, "pinned", &body));
    for (size_t i = 0; i < body->vertex_count; i++) {
        pinned[i] = is_pinned(w, body, i);
    }
    return PBS_OK;
}

/// A target is stored as the turn from the present orientation, times a length.
pbs_status pbs_body_target_orientations(const pbs_world *w, pbs_body b, double *xyzw,
                                        size_t capacity) {
    ARITHMETIC_SCOPE();
    const struct body *body = NULL;
    RETURN_IF_FAILED(enter_to_read(w, b, xyzw, capacity, "xyzw", &body));
    for (size_t i = 0; i < body->vertex_count; i++) {
        const size_t node = body->node_start + body->vertex_count + i;
        const double *const now = body->bonded.orientations + 4 * i;
        double turn[3] = {0.0, 0.0, 0.0};
        if (is_pinned(w, body, i)) {
            scale3(1.0 / bonded_radius_of_gyration(body->bonded.radii[i]),
                   w->scene.nodes.target + 3 * node, turn);
        }
        rotate_by(turn, 1.0, now, xyzw + 4 * i);
    }
    return PBS_OK;
}

// --- the life of a world ---

static void commit(pbs_world *w) {
    bonded_commit_orientations(&w->scene, &w->solver.model.rotations);
}

static void reload(pbs_world *w) {
    bonded_load_orientations(&w->scene, &w->solver.model.rotations);
}

/// Orientations were read with their bodies; angular velocities follow from the nodes' velocities.
static pbs_status read_state(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    (void)in;
    (void)memory;
    scene_update_angular_velocities(scene);
    return PBS_OK;
}

const struct feature feature_orientations = {
    .read_state = read_state, .commit = commit, .reload = reload};
