// Deformable solids: checks of the description, lumped masses, boundary, the force scale of each
// node, and saving.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/matrix3/math3.h"
#include "energy/material.h"
#include "geometry/meshes/tet_mesh.h"
#include "world/bodies/element_stress.h"
#include "world/interface/check.h"
#include "world/objects/scene.h"
#include "world/bodies/solid_terms.h"
#include "world/interface/settings.h"
#include "world/objects/body_table.h"
#include "energy/materials/solid.h"

pbs_status pbs_solid_desc_init(pbs_solid_desc *d, size_t struct_size) {
    const pbs_solid_desc defaults = {.material = PBS_MATERIAL_STABLE_NEO_HOOKEAN,
                                     .density = 1000.0,
                                     .young = 1e5,
                                     .poisson = 0.3};
    return settings_init(&settings_solid, d, struct_size, &defaults);
}

double tet_value(const struct tet_values *values, size_t tet) {
    return values->per_tet != NULL ? values->per_tet[tet] : values->value;
}

// --- checks ---

/// One of the three per-element arrays, with its bounds.
struct range {
    const char *name;
    double low;  ///< excluded
    double high; ///< included if `includes_high`
    bool includes_high;
};

static pbs_status check_tet_values(const double *values, size_t count, const struct range *range) {
    for (size_t t = 0; values != NULL && t < count; t++) {
        const bool is_below = values[t] < range->high ||
                              (range->includes_high && values[t] == range->high);
        if (!(values[t] > range->low && is_below)) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s of tetrahedron %zu is %g, must be above %g and %s %g",
                               range->name, t, values[t], range->low,
                               range->includes_high ? "at most" : "below", range->high);
        }
    }
    return PBS_OK;
}

static pbs_status refuse_unbounded(const struct material_table *material, const char *name,
                                   double poisson) {
    return status_fail(
        PBS_ERROR_ARGUMENT,
        "%s is %g, must not be negative: the energy of material %s would have no "
        "lower bound %s; stable Neo-Hookean and St. Venant-Kirchhoff solids have one",
        name, poisson, material->name, material->unbounded);
}

/// With a negative Poisson's ratio lambda is negative, and some energies have no lower bound
/// (docs/theory/materials.md section 4.2).
static pbs_status check_bounded(const pbs_solid_desc *d) {
    const struct material_table *material = material_find(d->material);
    if (material->unbounded == NULL) {
        return PBS_OK;
    }
    if (d->tet_poisson == NULL && d->poisson < 0.0) {
        return refuse_unbounded(material, "poisson", d->poisson);
    }
    for (size_t t = 0; d->tet_poisson != NULL && t < d->tet_count; t++) {
        if (d->tet_poisson[t] < 0.0) {
            char name[64];
            snprintf(name, sizeof name, "tet_poisson of tetrahedron %zu", t);
            return refuse_unbounded(material, name, d->tet_poisson[t]);
        }
    }
    return PBS_OK;
}

static pbs_status check_plasticity(const pbs_solid_desc *d) {
    const double values[] = {d->yield_stress, d->hardening, d->plastic_viscosity, d->plastic_limit};
    static const char *const names[] = {"yield_stress", "hardening", "plastic_viscosity",
                                        "plastic_limit"};
    for (int i = 0; i < 4; i++) {
        RETURN_IF_FAILED(check_not_negative(values[i], names[i]));
        if (values[i] > 0.0 && d->yield_stress == 0.0) {
            return status_fail(PBS_ERROR_ARGUMENT,
                               "%s is %g, must be 0 where yield_stress is 0: nothing flows",
                               names[i], values[i]);
        }
    }
    return PBS_OK;
}

static pbs_status check_material(const pbs_solid_desc *d) {
    if (material_find(d->material) == NULL) {
        return status_fail(PBS_ERROR_ARGUMENT, "material is %d, which is no PBS_MATERIAL_*",
                           (int)d->material);
    }
    RETURN_IF_FAILED(check_value(d->density, "density"));
    RETURN_IF_FAILED(check_value(d->young, "young"));
    RETURN_IF_FAILED(check_between(d->poisson, -1.0, 0.5, "poisson"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    RETURN_IF_FAILED(check_value_or_zero(d->drag, "drag"));
    RETURN_IF_FAILED(check_plasticity(d));
    const struct range density = {"tet_density", 0.0, VALUE_LIMIT, true};
    const struct range young = {"tet_young", 0.0, VALUE_LIMIT, true};
    const struct range poisson = {"tet_poisson", -1.0, 0.5, false};
    RETURN_IF_FAILED(check_tet_values(d->tet_density, d->tet_count, &density));
    RETURN_IF_FAILED(check_tet_values(d->tet_young, d->tet_count, &young));
    RETURN_IF_FAILED(check_tet_values(d->tet_poisson, d->tet_count, &poisson));
    return check_bounded(d);
}

static pbs_status check_description(const pbs_solid_desc *d, struct memory *memory) {
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_count(d->tet_count, "tet_count"));
    RETURN_IF_FAILED(check_pointer(d->tets, "tets"));
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    RETURN_IF_FAILED(check_material(d));
    if (d->initial_positions != NULL) {
        RETURN_IF_FAILED(check_points(d->initial_positions, d->vertex_count, "initial_positions"));
    }
    if (d->initial_velocities != NULL) {
        RETURN_IF_FAILED(
            check_vectors(d->initial_velocities, d->vertex_count, "initial_velocities"));
    }
    const struct tet_mesh_view mesh = {d->vertex_count, d->positions, d->tet_count, d->tets};
    return tet_mesh_check(&mesh, memory);
}

// --- creation ---

static bool copy_values(struct memory *memory, double value, const double *per_tet, size_t count,
                        struct tet_values *out) {
    out->value = value;
    out->per_tet = per_tet == NULL ? NULL : memory_copy(memory, per_tet, count, sizeof *per_tet);
    return per_tet == NULL || out->per_tet != NULL;
}

/// Allocates the plastic history of a body that may flow. At first nothing has flowed.
static pbs_status add_plasticity(struct solid_body *solid, struct memory *memory,
                                 const pbs_solid_desc *d) {
    solid->yield = (struct solid_yield){d->yield_stress, d->hardening, d->plastic_viscosity,
                                        d->plastic_limit};
    if (d->yield_stress == 0.0) {
        return PBS_OK;
    }
    solid->plastic = memory_allocate(memory, d->tet_count, PLASTIC_VALUES * sizeof(double));
    for (size_t t = 0; solid->plastic != NULL && t < d->tet_count; t++) {
        memcpy(solid->plastic + PLASTIC_VALUES * t, plastic_undeformed, sizeof plastic_undeformed);
    }
    return solid->plastic != NULL ? PBS_OK : PBS_ERROR_MEMORY;
}

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_solid_desc *d) {
    struct solid_body *solid = &body->solid;
    solid->material = d->material;
    solid->tet_count = d->tet_count;
    body->damping = d->damping;
    body->drag = d->drag;
    solid->tets = memory_copy(memory, d->tets, d->tet_count, 4 * sizeof *d->tets);
    solid->rest = memory_copy(memory, d->positions, d->vertex_count, 3 * sizeof *d->positions);
    body->rest = solid->rest;
    if (solid->tets == NULL || solid->rest == NULL ||
        !copy_values(memory, d->density, d->tet_density, d->tet_count, &solid->density) ||
        !copy_values(memory, d->young, d->tet_young, d->tet_count, &solid->young) ||
        !copy_values(memory, d->poisson, d->tet_poisson, d->tet_count, &solid->poisson)) {
        return PBS_ERROR_MEMORY;
    }
    RETURN_IF_FAILED(add_plasticity(solid, memory, d));
    const struct tet_mesh_view mesh = {d->vertex_count, d->positions, d->tet_count, d->tets};
    return tet_boundary(&mesh, memory, &body->triangles, &body->triangle_count);
}

/// Computes the force scale of each node: Young's modulus, averaged by volume, times nodal
/// volume^(2/3), the force at a strain of 1.
static void measure_nodal_stiffness(const struct body *body, struct nodes *nodes, double *volume) {
    const struct solid_body *solid = &body->solid;
    const struct tet_mesh_view mesh = {body->node_count, solid->rest, solid->tet_count,
                                       solid->tets};
    double *stiffness = nodes->stiffness + body->node_start;
    for (size_t t = 0; t < solid->tet_count; t++) {
        const double share = tet_signed_volume(&mesh, t) / 4.0;
        for (int a = 0; a < 4; a++) {
            volume[solid->tets[4 * t + (size_t)a]] += share;
            stiffness[solid->tets[4 * t + (size_t)a]] += share * tet_value(&solid->young, t);
        }
    }
    for (size_t i = 0; i < body->node_count; i++) {
        stiffness[i] *= cbrt(volume[i] * volume[i]) / volume[i];
    }
}

/// E / (density length^2), length being the edge of a cube made of six such tetrahedra.
static double tet_stiffness(const struct solid_body *solid, const struct tet_mesh_view *mesh,
                            size_t tet) {
    const double length = cbrt(6.0 * tet_signed_volume(mesh, tet));
    return tet_value(&solid->young, tet) / (tet_value(&solid->density, tet) * length * length);
}

static double find_least_stiffness(const struct body *body) {
    const struct solid_body *solid = &body->solid;
    const struct tet_mesh_view mesh = {body->node_count, solid->rest, solid->tet_count,
                                       solid->tets};
    double least = INFINITY;
    for (size_t t = 0; t < solid->tet_count; t++) {
        least = fmin(least, tet_stiffness(solid, &mesh, t));
    }
    return least;
}

/// Computes masses, force scales and the least stiffness of a tetrahedron.
static pbs_status measure(struct body *body, struct nodes *nodes, double *scratch) {
    const struct solid_body *solid = &body->solid;
    const struct tet_mesh_view mesh = {body->node_count, solid->rest, solid->tet_count,
                                       solid->tets};
    const size_t bytes = body->node_count * sizeof(double);
    const bool per_tet = solid->density.per_tet != NULL;
    memset(nodes->mass + body->node_start, 0, bytes);
    memset(nodes->stiffness + body->node_start, 0, bytes);
    memset(scratch, 0, bytes);
    tet_mesh_add_lumped_mass(&mesh, per_tet ? solid->density.per_tet : &solid->density.value,
                             per_tet, nodes->mass + body->node_start);
    measure_nodal_stiffness(body, nodes, scratch);
    body->least_stiffness = find_least_stiffness(body);
    return nodes_check(nodes, body->node_start, body->node_count, "modulus times area");
}

static void fill_nodes(const struct body *body, const pbs_solid_desc *d, struct nodes *nodes) {
    nodes_set(nodes, body->node_start, body->node_count,
              d->initial_positions != NULL ? d->initial_positions : d->positions,
              d->initial_velocities);
    // Colliders also act on inner vertices, as in OPT section 5.1. In a hard impact these would
    // otherwise pass through the surface and into an obstacle, if the material permits inversion.
}

static pbs_status add_nodes(struct body *body, struct nodes *nodes, struct memory *memory,
                            const pbs_solid_desc *d) {
    RETURN_IF_FAILED(nodes_reserve(nodes, memory, body->node_count));
    double *volume = memory_allocate(memory, body->node_count, sizeof *volume);
    if (volume == NULL) {
        return PBS_ERROR_MEMORY;
    }
    body->node_start = nodes_append(nodes, body->node_count);
    fill_nodes(body, d, nodes);
    const pbs_status status = measure(body, nodes, volume);
    memory_release(memory, volume);
    if (status < 0) {
        nodes_remove(nodes, body->node_start, body->node_count);
    }
    return status;
}

static pbs_status create(struct scene *scene, struct memory *memory, const void *description,
                         struct body **out) {
    const pbs_solid_desc *d = description;
    RETURN_IF_FAILED(check_description(d, memory));
    struct body *body = body_allocate(&body_table_solid, memory, d->vertex_count, d->vertex_count);
    if (body == NULL) {
        return PBS_ERROR_MEMORY;
    }
    pbs_status status = copy_description(body, memory, d);
    if (status >= 0) {
        body->extent = body_extent(body->vertex_count, d->positions);
        status = add_nodes(body, &scene->nodes, memory, d);
    }
    return body_finish(body, memory, status, out);
}

static void free_own(struct body *body, struct memory *memory) {
    memory_release(memory, body->solid.tets);
    memory_release(memory, body->solid.rest);
    memory_release(memory, body->solid.density.per_tet);
    memory_release(memory, body->solid.young.per_tet);
    memory_release(memory, body->solid.poisson.per_tet);
    memory_release(memory, body->solid.plastic);
}

// --- values that change ---

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    struct solid_body *solid = &body->solid;
    const bool is_bounded = material_find(solid->material)->unbounded == NULL;
    (void)nodes;
    struct tet_values *values = NULL;
    switch (id) {
    case PBS_PARAMETER_DENSITY:
        *out = (struct body_parameter){.name = "density", .range = RANGE_POSITIVE};
        values = &solid->density;
        break;
    case PBS_PARAMETER_YOUNG:
        *out = (struct body_parameter){.name = "young", .range = RANGE_POSITIVE};
        values = &solid->young;
        break;
    case PBS_PARAMETER_POISSON:
        *out = (struct body_parameter){.name = "poisson",
                                       .range = is_bounded ? RANGE_POISSON : RANGE_POISSON_FROM_0};
        values = &solid->poisson;
        break;
    default: return body_find_damping(body, id, out) || body_find_drag(body, id, out);
    }
    out->count = solid->tet_count;
    out->value = &values->value;
    out->values = values->per_tet;
    out->made = &values->per_tet;
    return true;
}

// --- properties ---

static double largest(const double *values, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

static double stiffest(const struct body *body) {
    const struct solid_body *solid = &body->solid;
    return solid->young.per_tet != NULL ? largest(solid->young.per_tet, solid->tet_count)
                                        : solid->young.value;
}

static size_t count_elements(const struct body *body) {
    return body->solid.tet_count;
}

static struct body_simplices list_tets(const struct body *body) {
    return (struct body_simplices){
        .width = 4, .count = body->solid.tet_count, .corners = body->solid.tets};
}

static struct body_simplices list_simplices(const struct body *body) {
    const bool forbids = material_find(body->solid.material)->inversion_is_infinite;
    return forbids ? list_tets(body) : (struct body_simplices){.width = 4};
}

// --- saving ---

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(pbs_solid_desc, material, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, damping, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, drag, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, density, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, young, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, poisson, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, yield_stress, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, hardening, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, plastic_viscosity, FIELD_ANY),
    FIELD_VALUE(pbs_solid_desc, plastic_limit, FIELD_ANY),
    FIELD_COUNT(pbs_solid_desc, vertex_count),
    FIELD_ARRAY(pbs_solid_desc, positions, vertex_count, 3, FIELD_ANY),
    FIELD_COUNT(pbs_solid_desc, tet_count),
    FIELD_ARRAY(pbs_solid_desc, tets, tet_count, 4, FIELD_ANY),
    FIELD_ARRAY(pbs_solid_desc, tet_density, tet_count, 1, FIELD_ANY),
    FIELD_ARRAY(pbs_solid_desc, tet_young, tet_count, 1, FIELD_ANY),
    FIELD_ARRAY(pbs_solid_desc, tet_poisson, tet_count, 1, FIELD_ANY),
};
static const struct field_list description_fields = FIELD_LIST(pbs_solid_desc, DESCRIPTION_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_ARRAY_USED(struct body, solid.plastic, solid.tet_count, PLASTIC_VALUES, FIELD_FINITE,
                     FIELD_HASHED),
};
static const struct field_list state_fields = FIELD_LIST(struct body, STATE_FIELDS);

static void describe(const struct body *body, const struct nodes *nodes, void *out) {
    const struct solid_body *const solid = &body->solid;
    *(pbs_solid_desc *)out = (pbs_solid_desc){.struct_size = sizeof(pbs_solid_desc),
                                              .material = solid->material,
                                              .damping = body->damping,
                                              .drag = body->drag,
                                              .density = solid->density.value,
                                              .young = solid->young.value,
                                              .poisson = solid->poisson.value,
                                              .yield_stress = solid->yield.stress,
                                              .hardening = solid->yield.hardening,
                                              .plastic_viscosity = solid->yield.viscosity,
                                              .plastic_limit = solid->yield.limit,
                                              .vertex_count = body->node_count,
                                              .positions = solid->rest,
                                              .tet_count = solid->tet_count,
                                              .tets = solid->tets,
                                              .tet_density = solid->density.per_tet,
                                              .tet_young = solid->young.per_tet,
                                              .tet_poisson = solid->poisson.per_tet,
                                              .initial_positions = nodes->x + 3 * body->node_start,
                                              .initial_velocities = nodes->v +
                                                                    3 * body->node_start};
}

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    pbs_solid_desc d;
    describe(body, nodes, &d);
    fields_write(out, &description_fields, &d);
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    pbs_solid_desc d = {.struct_size = sizeof d};
    pbs_status status = fields_read(in, memory, &description_fields, &d);
    status = status < 0 ? status : create(scene, memory, &d, out);
    fields_release(memory, &description_fields, &d);
    return status;
}

/// Checks what has flowed.
static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    const struct solid_body *const solid = &body->solid;
    (void)in;
    (void)memory;
    for (size_t t = 0; solid->plastic != NULL && t < solid->tet_count; t++) {
        const double *plastic = solid->plastic + PLASTIC_VALUES * t;
        if (!(fabs(determinant3(plastic) - 1.0) < 1e-9) || !(plastic[PLASTIC_STRAIN] >= 0.0)) {
            return status_fail(PBS_ERROR_FORMAT,
                               "tetrahedron %zu: a plastic strain of %g, and a plastic deformation "
                               "that changes the volume by the factor %g",
                               t, plastic[PLASTIC_STRAIN], 1.0 / determinant3(plastic));
        }
    }
    return PBS_OK;
}

/// Of the mean of density and modulus over tetrahedra of their own.
static struct body_waves measure_waves(const struct nodes *nodes, const struct body *body) {
    const struct solid_body *solid = &body->solid;
    double density = 0.0, young = 0.0;
    (void)nodes;
    for (size_t t = 0; t < solid->tet_count; t++) {
        density += tet_value(&solid->density, t) / (double)solid->tet_count;
        young += tet_value(&solid->young, t) / (double)solid->tet_count;
    }
    return (struct body_waves){sqrt(density * young), sqrt(young / density), INFINITY};
}

const struct body_table body_table_solid = {
    .id = BODY_SOLID,
    .kind = PBS_BODY_SOLID,
    .settings = &settings_solid,
    .create = create,
    .free = free_own,
    .describe = describe,
    .write = write,
    .read = read,
    .description = &description_fields,
    .state = &state_fields,
    .resume = resume,
    .add_terms = solid_add_terms,
    .damped = &solid_damped,
    .find_parameter = find_parameter,
    .measure = measure,
    .write_values = solid_write_values,
    .encloses_volume = true,
    .stiffest = stiffest,
    .measure_waves = measure_waves,
    .count_elements = count_elements,
    .list_simplices = list_simplices,
    .list_tets = list_tets,
    .stress = &solid_stress,
};
