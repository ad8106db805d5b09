// Bonded bodies as a kind of body, and how they are saved.
// SPDX-License-Identifier: MIT
#include <math.h>

#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/particles/body_bonds.h"
#include "world/particles/bonded.h"
#include "world/particles/saved_bonds.h"

static pbs_status warn(const struct scene *scene, const struct body *body) {
    return bonded_check_weight(&scene->nodes, body, scene->settings.gravity);
}

static void free_own(struct body *body, struct memory *memory) {
    body_bonds_free(body, memory);
    fracture_surface_free(&body->bonded.surface, memory);
    memory_release(memory, body->bonded.radii);
    memory_release(memory, body->bonded.bond_radii);
    memory_release(memory, body->bonded.young);
    memory_release(memory, body->bonded.shear_moduli);
    memory_release(memory, body->bonded.tensile);
    memory_release(memory, body->bonded.shearing);
    memory_release(memory, body->bonded.orientations);
    memory_release(memory, body->bonded.angular_velocities);
}

static double largest(const double *values, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

static double stiffest(const struct body *body) {
    return largest(body->bonded.young, body->bonds.count);
}

static int32_t bond_form(const struct body *body) {
    return body->bonded.shear;
}

static double bond_young(const struct body *body, size_t bond) {
    return body->bonded.young[bond];
}

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    (void)nodes;
    return body_find_damping(body, id, out) || body_find_drag(body, id, out);
}

// --- saving ---

/// A description of particles and bonds, with the tetrahedra that they were made from, if any.
struct saved_bonded {
    pbs_bonded_desc desc;
    double *tensile, *shearing; ///< bond_count, Pa: infinite where a bond never breaks
    double rest_gap;
    struct tet_mesh_view mesh;
};

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(struct saved_bonded, desc.shear, FIELD_ANY),
    FIELD_VALUE(struct saved_bonded, desc.drag, FIELD_ANY),
    FIELD_VALUE(struct saved_bonded, desc.damping, FIELD_ANY),
    FIELD_VALUE(struct saved_bonded, desc.shear_factor, FIELD_ANY),
    FIELD_COUNT(struct saved_bonded, desc.particle_count),
    FIELD_ARRAY(struct saved_bonded, desc.positions, desc.particle_count, 3, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, desc.radii, desc.particle_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, desc.contact_radii, desc.particle_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, desc.masses, desc.particle_count, 1, FIELD_ANY),
    FIELD_VALUE(struct saved_bonded, rest_gap, FIELD_NOT_NEGATIVE),
    FIELD_COUNT(struct saved_bonded, desc.bond_count),
    FIELD_ARRAY(struct saved_bonded, desc.bonds, desc.bond_count, 2, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, desc.bond_radii, desc.bond_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, desc.bond_young, desc.bond_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, desc.bond_shear_moduli, desc.bond_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, tensile, desc.bond_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_bonded, shearing, desc.bond_count, 1, FIELD_ANY),
    FIELD_COUNT(struct saved_bonded, mesh.vertex_count),
    FIELD_ARRAY(struct saved_bonded, mesh.positions, mesh.vertex_count, 3, FIELD_ANY),
    FIELD_COUNT(struct saved_bonded, mesh.tet_count),
    FIELD_ARRAY(struct saved_bonded, mesh.tets, mesh.tet_count, 4, FIELD_ANY),
};
static const struct field_list description_fields = FIELD_LIST(struct saved_bonded,
                                                               DESCRIPTION_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_ARRAY(struct body, bonds.broken, bonds.count, 1, FIELD_ANY),
    FIELD_ARRAY(struct body, bonds.release, bonds.count, 1, FIELD_NOT_NEGATIVE),
    FIELD_ARRAY_USED(struct body, bonded.orientations, vertex_count, 4, FIELD_ANY, FIELD_HASHED),
};
static const struct field_list state_fields = FIELD_LIST(struct body, STATE_FIELDS);

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    const struct bonded_body *bonded = &body->bonded;
    const struct saved_bonded saved = {
        .desc = {.shear = bonded->shear,
                 .drag = body->drag,
                 .damping = body->damping,
                 .shear_factor = bonded->shear_factor,
                 .particle_count = body->vertex_count,
                 .positions = body->bonds.rest,
                 .radii = bonded->radii,
                 .contact_radii = body->bonds.contact_radii,
                 .masses = nodes->mass + body->node_start,
                 .bond_count = body->bonds.count,
                 .bonds = body->bonds.pairs,
                 .bond_radii = bonded->bond_radii,
                 .bond_young = bonded->young,
                 .bond_shear_moduli = bonded->shear_moduli},
        .tensile = bonded->tensile,
        .shearing = bonded->shearing,
        .rest_gap = body->bonds.rest_gap,
        .mesh = {bonded->surface.mesh.vertex_count, bonded->surface.mesh.positions,
                 bonded->surface.mesh.tet_count, bonded->surface.mesh.tets}};
    fields_write(out, &description_fields, &saved);
}

/// Bonds that never break have infinite strengths, which a description gives as 0.
static pbs_status describe_strengths(double *strengths, size_t count) {
    RETURN_IF_FAILED(count > 0 ? check_pointer(strengths, "strengths") : PBS_OK);
    for (size_t i = 0; i < count; i++) {
        if (strengths[i] == 0.0) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: a strength of 0", i);
        }
        strengths[i] = isinf(strengths[i]) && strengths[i] > 0.0 ? 0.0 : strengths[i];
    }
    return PBS_OK;
}

/// Checks the tetrahedra from which the particles were made, if any.
static pbs_status check_mesh(const struct tet_mesh_view *mesh, size_t particle_count,
                             struct memory *memory) {
    if (mesh->tet_count == 0 && mesh->vertex_count == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(check_pointer(mesh->positions, "vertices"));
    RETURN_IF_FAILED(check_pointer(mesh->tets, "tets"));
    return mesh->tet_count == particle_count
               ? tet_mesh_check(mesh, memory)
               : status_fail(PBS_ERROR_FORMAT, "%zu particles of %zu tetrahedra", particle_count,
                             mesh->tet_count);
}

static pbs_status create_saved(struct scene *scene, struct memory *memory,
                               struct saved_bonded *saved, struct body **out) {
    pbs_bonded_desc *const d = &saved->desc;
    RETURN_IF_FAILED(describe_strengths(saved->tensile, d->bond_count));
    RETURN_IF_FAILED(describe_strengths(saved->shearing, d->bond_count));
    d->bond_tensile_strengths = saved->tensile;
    d->bond_shear_strengths = saved->shearing;
    RETURN_IF_FAILED(check_mesh(&saved->mesh, d->particle_count, memory));
    RETURN_IF_FAILED(bonded_body_make(scene, memory, d, &saved->mesh, out));
    (*out)->bonds.rest_gap = saved->rest_gap;
    return PBS_OK;
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    // Its scale of gravity is with what all bodies have.
    struct saved_bonded saved = {.desc = {.struct_size = sizeof saved.desc,
                                          .no_gravity = 1,
                                          .density = 1.0,
                                          .young = 1.0,
                                          .shear_modulus = 1.0}};
    pbs_status status = fields_read(in, memory, &description_fields, &saved);
    status = status < 0 ? status : create_saved(scene, memory, &saved, out);
    fields_release(memory, &description_fields, &saved);
    return status;
}

/// Orientations are not normalised, so that a restored world continues with bit-identical results.
static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    for (size_t i = 0; i < body->vertex_count; i++) {
        double unit[4];
        RETURN_IF_FAILED(check_quaternion(body->bonded.orientations + 4 * i, "orientation", unit));
    }
    RETURN_IF_FAILED(saved_bonds_check_broken(body));
    return saved_bonds_read_fragments(in, memory, body);
}

const struct body_table body_table_bonded = {
    .id = BODY_BONDED,
    .kind = PBS_BODY_BONDED,
    .settings = &settings_bonded,
    .create = bonded_body_create,
    .warn = warn,
    .free = free_own,
    .write = write,
    .read = read,
    .description = &description_fields,
    .state = &state_fields,
    .write_more = saved_bonds_write_fragments,
    .resume = resume,
    .check_scheme = bonded_check_scheme,
    .add_terms = bonded_add_terms,
    .find_parameter = find_parameter,
    .stiffest = stiffest,
    .bond_form = bond_form,
    .bond_young = bond_young,
    .read_loads = bonded_read_loads,
    .measure_excess = bonded_measure_excess,
    .damped = &bonded_damped,
    .crack_step = bonded_crack_step,
    .measure_waves = bonded_measure_waves,
};
