// Bonded bodies: checks of the description, masses and moments of inertia, contact radii, and the
// force scale of each node. Nodes are the particles' positions, then their rotations.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/bonds/bonds.h"
#include "world/particles/bonded.h"
#include "world/particles/body_bonds.h"
#include "world/interface/check.h"
#include "world/objects/scene.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"

pbs_status pbs_bonded_desc_init(pbs_bonded_desc *d, size_t struct_size) {
    const pbs_bonded_desc defaults = {
        .density = 1000.0, .young = 1e7, .shear_modulus = 4e6, .shear_factor = 1.0};
    return settings_init(&settings_bonded, d, struct_size, &defaults);
}

// --- checks ---

pbs_status bonded_check_scheme(const struct scheme_table *scheme) {
    return scheme->control != CONTROL_STATE
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "%s blends states linearly, which the orientations of bonded bodies "
                             "do not allow: choose another scheme",
                             scheme->name);
}

static pbs_status check_values(const double *values, size_t count, const char *name,
                               const char *thing) {
    for (size_t i = 0; values != NULL && i < count; i++) {
        if (!(values[i] > 0.0 && values[i] <= VALUE_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of %s %zu is %g, must be positive and finite, at most %g", name,
                               thing, i, values[i], VALUE_LIMIT);
        }
    }
    return PBS_OK;
}

static pbs_status check_bond(const pbs_bonded_desc *d, size_t bond) {
    const uint32_t *end = d->bonds + 2 * bond;
    for (int i = 0; i < 2; i++) {
        if (end[i] >= d->particle_count) {
            return status_fail(PBS_ERROR_MESH,
                               "bond %zu: particle %u, but there are only %zu particles", bond,
                               (unsigned)end[i], d->particle_count);
        }
    }
    if (end[0] == end[1]) {
        return status_fail(PBS_ERROR_MESH, "bond %zu: particle %u twice, must be distinct", bond,
                           (unsigned)end[0]);
    }
    double offset[3];
    subtract3(d->positions + 3 * (size_t)end[1], d->positions + 3 * (size_t)end[0], offset);
    if (!isnormal(norm3(offset))) {
        return status_fail(PBS_ERROR_MESH,
                           "bond %zu: particles %u and %u are %g m apart, so it has no direction",
                           bond, (unsigned)end[0], (unsigned)end[1], norm3(offset));
    }
    return PBS_OK;
}

static pbs_status check_bonds(const pbs_bonded_desc *d) {
    RETURN_IF_FAILED(check_value(d->young, "young"));
    RETURN_IF_FAILED(check_value(d->shear_modulus, "shear_modulus"));
    RETURN_IF_FAILED(check_positive(d->shear_factor, "shear_factor"));
    RETURN_IF_FAILED(check_choice(d->shear, PBS_BOND_SHEAR_CHORD, PBS_BOND_SHEAR_ANGLE, "shear"));
    if (d->bond_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_count(d->bond_count, "bond_count"));
    RETURN_IF_FAILED(check_pointer(d->bonds, "bonds"));
    if (d->bond_radii == NULL) {
        RETURN_IF_FAILED(check_positive(d->bond_radius, "bond_radius, that of the sections,"));
    }
    RETURN_IF_FAILED(check_values(d->bond_radii, d->bond_count, "bond_radii", "bond"));
    RETURN_IF_FAILED(check_values(d->bond_young, d->bond_count, "bond_young", "bond"));
    RETURN_IF_FAILED(
        check_values(d->bond_shear_moduli, d->bond_count, "bond_shear_moduli", "bond"));
    for (size_t i = 0; i < d->bond_count; i++) {
        RETURN_IF_FAILED(check_bond(d, i));
    }
    return PBS_OK;
}

static pbs_status check_contact_radii(const pbs_bonded_desc *d) {
    RETURN_IF_FAILED(check_not_negative(d->contact_scale, "contact_scale"));
    for (size_t i = 0; i < d->particle_count; i++) {
        const double radius = d->contact_radii != NULL ? d->contact_radii[i]
                                                       : d->contact_scale * d->radii[i];
        if (!(radius >= 0.0 && radius <= COORDINATE_LIMIT)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "the contact radius of particle %zu is %g m, must be between 0 and "
                               "%g",
                               i, radius, COORDINATE_LIMIT);
        }
    }
    return PBS_OK;
}

static pbs_status check_particles(const pbs_bonded_desc *d) {
    RETURN_IF_FAILED(check_count(d->particle_count, "particle_count"));
    RETURN_IF_FAILED(check_points(d->positions, d->particle_count, "positions"));
    if (d->velocities != NULL) {
        RETURN_IF_FAILED(check_vectors(d->velocities, d->particle_count, "velocities"));
    }
    if (d->angular_velocities != NULL) {
        RETURN_IF_FAILED(
            check_vectors(d->angular_velocities, d->particle_count, "angular_velocities"));
    }
    RETURN_IF_FAILED(check_pointer(d->radii, "radii"));
    RETURN_IF_FAILED(check_values(d->radii, d->particle_count, "radii", "particle"));
    RETURN_IF_FAILED(check_contact_radii(d));
    return d->masses != NULL ? check_masses(d->masses, d->particle_count)
                             : check_value(d->density, "density");
}

static pbs_status check_description(const pbs_bonded_desc *d) {
    RETURN_IF_FAILED(check_choice(d->no_gravity, 0, 1, "no_gravity"));
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_value_or_zero(d->drag, "drag"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    RETURN_IF_FAILED(check_particles(d));
    RETURN_IF_FAILED(bonded_check_strengths(d));
    return check_bonds(d);
}

// --- creation ---

double bonded_radius_of_gyration(double radius) {
    return sqrt(0.4) * radius;
}

struct bond_stiffness bonded_stiffness(const struct body *body, size_t bond, double rest[3]) {
    const uint32_t *end = body->bonds.pairs + 2 * bond;
    subtract3(body->bonds.rest + 3 * (size_t)end[1], body->bonds.rest + 3 * (size_t)end[0], rest);
    const struct bonded_body *own = &body->bonded;
    return bond_stiffness_of_beam(own->young[bond], own->shear_moduli[bond], own->shear_factor,
                                  own->bond_radii[bond], norm3(rest));
}

/// Checks the stiffnesses of bonds: moduli, sections and lengths that are each permitted may
/// together overflow or underflow.
static pbs_status check_stiffnesses(const struct body *body) {
    for (size_t i = 0; i < body->bonds.count; i++) {
        double rest[3];
        const struct bond_stiffness k = bonded_stiffness(body, i, rest);
        const double square = dot3(rest, rest);
        if (!isnormal(k.stretch) || !isnormal(k.shear * square) || !isnormal(k.bending) ||
            !isnormal(k.twisting)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "bond %zu: stiffnesses %g N/m, %g N/m, %g N m and %g N m, must be "
                               "positive and finite",
                               i, k.stretch, k.shear, k.bending, k.twisting);
        }
    }
    return PBS_OK;
}

// Largest contact radius, relative to the distance of two particles that are joined by bonds. The
// gap that is left avoids contact forces at rest, and when a bond under compression breaks.
static const double CONTACT_SHARE = 0.45;

static void limit_pair(const double *positions, size_t a, size_t b, double *radii) {
    double offset[3];
    subtract3(positions + 3 * b, positions + 3 * a, offset);
    const double limit = CONTACT_SHARE * norm3(offset);
    radii[a] = fmin(radii[a], limit);
    radii[b] = fmin(radii[b], limit);
}

/// Lists the neighbours of each particle. start: particle_count + 1, initially zero; neighbour: 2
/// bond_count.
static void list_neighbours(const pbs_bonded_desc *d, uint32_t *start, uint32_t *neighbour) {
    for (size_t k = 0; k < 2 * d->bond_count; k++) {
        start[d->bonds[k] + 1]++;
    }
    for (size_t i = 0; i < d->particle_count; i++) {
        start[i + 1] += start[i];
    }
    for (size_t k = 2 * d->bond_count; k-- > 0;) {
        // Each list is filled from its end, so start[i + 1] decreases to the beginning of list i.
        neighbour[--start[d->bonds[k] + 1]] = d->bonds[k ^ 1];
    }
    memmove(start, start + 1, d->particle_count * sizeof *start);
    start[d->particle_count] = (uint32_t)(2 * d->bond_count);
}

/// Limits the contact radii such that particles that are joined by one bond or by two do not touch
/// at rest.
static pbs_status limit_contact_radii(struct memory *memory, const pbs_bonded_desc *d,
                                      double *radii) {
    uint32_t *start = memory_allocate(memory, d->particle_count + 1, sizeof *start);
    uint32_t *neighbour = memory_allocate(memory, 2 * d->bond_count, sizeof *neighbour);
    pbs_status status = PBS_ERROR_MEMORY;
    if (start != NULL && neighbour != NULL) {
        list_neighbours(d, start, neighbour);
        for (size_t i = 0; i < d->particle_count; i++) {
            for (uint32_t k = start[i]; k < start[i + 1]; k++) {
                limit_pair(d->positions, i, neighbour[k], radii);
                for (uint32_t l = start[i]; l < k; l++) {
                    if (neighbour[l] != neighbour[k]) {
                        limit_pair(d->positions, neighbour[l], neighbour[k], radii);
                    }
                }
            }
        }
        status = PBS_OK;
    }
    memory_release(memory, start);
    memory_release(memory, neighbour);
    return status;
}

static pbs_status make_contact_radii(struct memory *memory, const pbs_bonded_desc *d,
                                     double **out) {
    const double *values = d->contact_radii != NULL ? d->contact_radii : d->radii;
    const bool is_automatic = d->contact_radii == NULL && d->contact_scale == 0.0;
    *out = memory_copy(memory, values, d->particle_count, sizeof(double));
    if (*out == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < d->particle_count && d->contact_radii == NULL && !is_automatic; i++) {
        (*out)[i] *= d->contact_scale;
    }
    return is_automatic && d->bond_count > 0 ? limit_contact_radii(memory, d, *out) : PBS_OK;
}

static double *copy_or_fill(struct memory *memory, const double *values, double value,
                            size_t count) {
    double *out = memory_allocate(memory, count, sizeof *out);
    for (size_t i = 0; out != NULL && i < count; i++) {
        out[i] = values != NULL ? values[i] : value;
    }
    return out;
}

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_bonded_desc *d, const struct tet_mesh_view *mesh) {
    struct bonded_body *own = &body->bonded;
    body->gravity.scale = d->no_gravity != 0 ? 0.0 : 1.0;
    body->drag = d->drag;
    body->damping = d->damping;
    body->extent = body_extent(d->particle_count, d->positions);
    own->shear = d->shear;
    own->shear_factor = d->shear_factor;
    body->bonds.count = d->bond_count;
    body->bonds.rest = memory_copy(memory, d->positions, d->particle_count, 3 * sizeof(double));
    body->rest = body->bonds.rest;
    own->radii = memory_copy(memory, d->radii, d->particle_count, sizeof(double));
    body->bonds.pairs = memory_copy(memory, d->bonds, d->bond_count, 2 * sizeof *body->bonds.pairs);
    own->bond_radii = copy_or_fill(memory, d->bond_radii, d->bond_radius, d->bond_count);
    own->young = copy_or_fill(memory, d->bond_young, d->young, d->bond_count);
    own->shear_moduli = copy_or_fill(memory, d->bond_shear_moduli, d->shear_modulus, d->bond_count);
    own->tensile = memory_allocate(memory, d->bond_count, sizeof(double));
    own->shearing = memory_allocate(memory, d->bond_count, sizeof(double));
    body->bonds.broken = memory_allocate(memory, d->bond_count, sizeof *body->bonds.broken);
    body->bonds.release = memory_allocate(memory, d->bond_count, sizeof *body->bonds.release);
    own->orientations = memory_allocate(memory, d->particle_count, 4 * sizeof(double));
    own->angular_velocities = memory_allocate(memory, d->particle_count, 3 * sizeof(double));
    if (body->bonds.rest == NULL || own->radii == NULL || body->bonds.pairs == NULL ||
        own->bond_radii == NULL || own->young == NULL || own->shear_moduli == NULL ||
        own->tensile == NULL || own->shearing == NULL || body->bonds.broken == NULL ||
        body->bonds.release == NULL || own->orientations == NULL ||
        own->angular_velocities == NULL) {
        return PBS_ERROR_MEMORY;
    }
    for (size_t i = 0; i < d->particle_count; i++) {
        own->orientations[4 * i + 3] = 1.0;
    }
    RETURN_IF_FAILED(make_contact_radii(memory, d, &body->bonds.contact_radii));
    RETURN_IF_FAILED(check_stiffnesses(body));
    RETURN_IF_FAILED(bonded_fill_strengths(d, body));
    const struct bond_list bonds = body_bond_list(body);
    RETURN_IF_FAILED(fragments_begin(&body->bonds.fragments, memory, d->particle_count, &bonds));
    return mesh->tet_count > 0 ? fracture_surface_begin(&own->surface, memory, mesh, &bonds)
                               : PBS_OK;
}

/// Computes the force scale of each node. For positions it is the force at a strain of 1 of the
/// stiffest bond of the particle; for rotations the moment per radian divided by the radius of
/// gyration.
static void measure_stiffness(const struct body *body, double *stiffness) {
    const struct bonded_body *own = &body->bonded;
    for (size_t i = 0; i < body->bonds.count; i++) {
        double rest[3];
        const struct bond_stiffness k = bonded_stiffness(body, i, rest);
        const double length = norm3(rest);
        const double moment = fmax(k.shear * length * length, fmax(k.bending, k.twisting));
        for (size_t end = 0; end < 2; end++) {
            const size_t particle = body->bonds.pairs[2 * i + end];
            double *rotational = stiffness + body->vertex_count + particle;
            const double radius = bonded_radius_of_gyration(own->radii[particle]);
            stiffness[particle] = fmax(stiffness[particle], k.stretch * length);
            *rotational = fmax(*rotational, moment / radius);
        }
    }
}

static void fill_nodes(const struct body *body, const pbs_bonded_desc *d, struct nodes *nodes) {
    const size_t count = body->vertex_count;
    const size_t start = body->node_start;
    const double volume = 4.0 / 3.0 * 3.14159265358979323846;
    nodes_set(nodes, start, count, d->positions, d->velocities);
    for (size_t i = 0; i < count; i++) {
        const double r = d->radii[i];
        const double mass = d->masses != NULL ? d->masses[i] : volume * r * r * r * d->density;
        nodes->mass[start + i] = mass;
        // The coordinates are rotations times the radius of gyration, so the inertia is the mass.
        nodes->mass[start + count + i] = mass;
        nodes->kind[start + count + i] = NODE_ROTATION;
        for (size_t k = 0; k < 3 && d->angular_velocities != NULL; k++) {
            nodes->v[3 * (start + count + i) + k] = bonded_radius_of_gyration(r) *
                                                    d->angular_velocities[3 * i + k];
        }
    }
    measure_stiffness(body, nodes->stiffness + start);
}

/// Checks masses and velocities: densities and radii that are each permitted may together overflow
/// or underflow.
static pbs_status check_state(const struct body *body, const struct nodes *nodes) {
    const size_t rotations = body->node_start + body->vertex_count;
    RETURN_IF_FAILED(check_masses(nodes->mass + body->node_start, body->vertex_count));
    return check_vectors(nodes->v + 3 * rotations, body->vertex_count,
                         "angular velocity times radius");
}

static pbs_status fill(struct body *body, struct nodes *nodes, struct memory *memory,
                       const pbs_bonded_desc *d, const struct tet_mesh_view *mesh) {
    RETURN_IF_FAILED(copy_description(body, memory, d, mesh));
    RETURN_IF_FAILED(nodes_reserve(nodes, memory, body->node_count));
    body->node_start = nodes_append(nodes, body->node_count);
    fill_nodes(body, d, nodes);
    const pbs_status status = check_state(body, nodes);
    if (status < 0) {
        nodes_remove(nodes, body->node_start, body->node_count);
        return status;
    }
    bonded_update_angular_velocities(body, nodes);
    return PBS_OK;
}

pbs_status bonded_body_make(struct scene *scene, struct memory *memory, const pbs_bonded_desc *d,
                            const struct tet_mesh_view *mesh, struct body **out) {
    RETURN_IF_FAILED(check_description(d));
    RETURN_IF_FAILED(bonded_check_scheme(scene->integrator.scheme));
    struct body *body = body_allocate(&body_table_bonded, memory, 2 * d->particle_count,
                                      d->particle_count);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = fill(body, &scene->nodes, memory, d, mesh);
    return body_finish(body, memory, status, out);
}

static pbs_status check_whole(const pbs_bonded_desc *d) {
    return d->tets == NULL && (d->vertices != NULL || d->macro_young != 0.0)
               ? status_fail(PBS_ERROR_ARGUMENT, "%s is given, but tets is null",
                             d->vertices != NULL ? "vertices" : "macro_young")
               : PBS_OK;
}

pbs_status bonded_body_create(struct scene *scene, struct memory *memory, const void *description,
                              struct body **out) {
    const pbs_bonded_desc *d = description;
    pbs_bonded_desc made = *d;
    struct bonded_arrays arrays = {0};
    RETURN_IF_FAILED(check_whole(d));
    pbs_status status = d->tets != NULL ? bonded_from_tets(memory, &made, &arrays) : PBS_OK;
    if (status >= 0) {
        const struct tet_mesh_view whole = {d->vertex_count, d->vertices, d->tet_count, d->tets};
        const struct tet_mesh_view mesh = d->tets != NULL ? whole : (struct tet_mesh_view){0};
        status = bonded_body_make(scene, memory, &made, &mesh, out);
        if (status >= 0) {
            (*out)->bonds.rest_gap = arrays.rest_gap;
        }
    }
    bonded_arrays_free(&arrays, memory);
    return status;
}
