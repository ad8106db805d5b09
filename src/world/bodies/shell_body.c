// Thin shells: checks of the description, lumped masses, hinges, and the force scale of each node.
// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "geometry/meshes/sheet.h"
#include "world/interface/check.h"
#include "world/objects/scene.h"
#include "world/interface/settings.h"
#include "world/bodies/element_stress.h"
#include "world/bodies/shell_edges.h"
#include "world/bodies/shell_stretch.h"
#include "world/objects/body_table.h"
#include "world/bodies/shell_terms.h"

pbs_status pbs_shell_desc_init(pbs_shell_desc *d, size_t struct_size) {
    const pbs_shell_desc defaults = {
        .thickness = 1e-3, .density = 1000.0, .young = 1e5, .poisson = 0.3};
    return settings_init(&settings_shell, d, struct_size, &defaults);
}

double shell_rigidity(const struct shell_body *shell) {
    const double young = shell->bending_young > 0.0 ? shell->bending_young : shell->young;
    const double cube = shell->thickness * shell->thickness * shell->thickness;
    return young * cube / (12.0 * (1.0 - shell->poisson * shell->poisson));
}

// --- checks ---

/// Below zero the membrane's energy would have no lower bound: lambda is then negative and
/// multiplies the square of ln J, whereas mu multiplies ln J.
static pbs_status check_poisson(double poisson) {
    if (poisson < 0.0) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "poisson is %g, must be 0 to 0.5: the membrane's energy would have no "
                           "lower bound in compression",
                           poisson);
    }
    return poisson >= 0.0 && poisson <= 0.5
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT, "poisson is %g, must be 0 to 0.5", poisson);
}

static pbs_status check_material(const pbs_shell_desc *d) {
    RETURN_IF_FAILED(check_choice(d->flat_rest, 0, 1, "flat_rest"));
    RETURN_IF_FAILED(check_choice(d->bending, PBS_BENDING_PLATE, PBS_BENDING_HINGE, "bending"));
    RETURN_IF_FAILED(check_choice(d->reserved, 0, 0, "reserved"));
    RETURN_IF_FAILED(check_value(d->thickness, "thickness"));
    RETURN_IF_FAILED(check_value(d->density, "density"));
    RETURN_IF_FAILED(check_value(d->young, "young"));
    RETURN_IF_FAILED(check_poisson(d->poisson));
    RETURN_IF_FAILED(check_value_or_zero(d->bending_young, "bending_young"));
    RETURN_IF_FAILED(check_value_or_zero(d->damping, "damping"));
    RETURN_IF_FAILED(check_not_negative(d->yield_curvature, "yield_curvature"));
    if (d->yield_curvature > 0.0 && d->bending != PBS_BENDING_HINGE) {
        return status_fail(PBS_ERROR_ARGUMENT,
                           "yield_curvature is %g, must be 0 unless bending is PBS_BENDING_HINGE",
                           d->yield_curvature);
    }
    RETURN_IF_FAILED(shell_check_stretch_limit(d->stretch_limit));
    return check_value_or_zero(d->drag, "drag");
}

static pbs_status check_description(const pbs_shell_desc *d, struct memory *memory) {
    RETURN_IF_FAILED(check_count(d->vertex_count, "vertex_count"));
    RETURN_IF_FAILED(check_count(d->triangle_count, "triangle_count"));
    RETURN_IF_FAILED(check_pointer(d->triangles, "triangles"));
    RETURN_IF_FAILED(check_points(d->positions, d->vertex_count, "positions"));
    RETURN_IF_FAILED(check_material(d));
    if (d->initial_positions != NULL) {
        RETURN_IF_FAILED(check_points(d->initial_positions, d->vertex_count, "initial_positions"));
    }
    if (d->initial_velocities != NULL) {
        RETURN_IF_FAILED(
            check_vectors(d->initial_velocities, d->vertex_count, "initial_velocities"));
    }
    const struct surface_view sheet = {d->vertex_count, d->positions, d->triangle_count,
                                       d->triangles};
    return sheet_check(&sheet, memory);
}

// --- creation ---

static pbs_status copy_description(struct body *body, struct memory *memory,
                                   const pbs_shell_desc *d) {
    struct shell_body *shell = &body->shell;
    shell->flat_rest = d->flat_rest != 0;
    shell->bending = d->bending;
    shell->thickness = d->thickness;
    shell->density = d->density;
    shell->young = d->young;
    shell->poisson = d->poisson;
    shell->bending_young = d->bending_young;
    shell->yield_curvature = d->yield_curvature;
    shell->stretch_limit = d->stretch_limit;
    body->damping = d->damping;
    body->drag = d->drag;
    body->triangle_count = d->triangle_count;
    body->triangles = memory_copy(memory, d->triangles, d->triangle_count,
                                  3 * sizeof *body->triangles);
    shell->rest = memory_copy(memory, d->positions, d->vertex_count, 3 * sizeof *shell->rest);
    body->rest = shell->rest;
    if (body->triangles == NULL || shell->rest == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const struct surface_view sheet = {d->vertex_count, d->positions, d->triangle_count,
                                       d->triangles};
    RETURN_IF_FAILED(sheet_inner_edges(&sheet, memory, &shell->sides, &shell->hinge_count));
    RETURN_IF_FAILED(shell_set_rest_angles(body, memory, d->rest_angles));
    return shell_set_clamps(body, memory, d);
}

/// Computes masses and the force scale of each node: the rigidity over the square root of the nodal
/// area, which is the force that bends the sheet around a vertex by 1 rad. Stretching forces are
/// larger by (length / thickness)^2. A tolerance relative to them would accept a sheet before it
/// has bent.
static pbs_status measure(struct body *body, struct nodes *nodes, double *scratch) {
    const struct shell_body *shell = &body->shell;
    (void)scratch;
    const struct surface_view sheet = {body->node_count, shell->rest, body->triangle_count,
                                       body->triangles};
    double *mass = nodes->mass + body->node_start;
    const double areal = shell->density * shell->thickness;
    memset(mass, 0, body->node_count * sizeof *mass);
    for (size_t t = 0; t < body->triangle_count; t++) {
        const double share = areal * sheet_triangle_area(&sheet, t) / 3.0;
        for (size_t a = 0; a < 3; a++) {
            mass[body->triangles[3 * t + a]] += share;
        }
    }
    const double rigidity = shell_rigidity(shell);
    for (size_t i = 0; i < body->node_count; i++) {
        nodes->stiffness[body->node_start + i] = rigidity / sqrt(mass[i] / areal);
    }
    return nodes_check(nodes, body->node_start, body->node_count, "rigidity over length");
}

static void fill_nodes(const struct body *body, const pbs_shell_desc *d, struct nodes *nodes) {
    const size_t start = body->node_start;
    nodes_set(nodes, start, body->node_count,
              d->initial_positions != NULL ? d->initial_positions : d->positions,
              d->initial_velocities);
}

static pbs_status add_nodes(struct body *body, struct nodes *nodes, struct memory *memory,
                            const pbs_shell_desc *d) {
    RETURN_IF_FAILED(nodes_reserve(nodes, memory, body->node_count));
    body->node_start = nodes_append(nodes, body->node_count);
    fill_nodes(body, d, nodes);
    pbs_status status = measure(body, nodes, NULL);
    if (status >= 0) {
        status = shell_check_stretch(body, nodes->x + 3 * body->node_start);
    }
    if (status < 0) {
        nodes_remove(nodes, body->node_start, body->node_count);
    }
    return status;
}

static pbs_status create(struct scene *scene, struct memory *memory, const void *description,
                         struct body **out) {
    const pbs_shell_desc *d = description;
    RETURN_IF_FAILED(check_description(d, memory));
    struct body *body = body_allocate(&body_table_shell, memory, d->vertex_count, d->vertex_count);
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
    memory_release(memory, body->shell.rest);
    memory_release(memory, body->shell.sides);
    memory_release(memory, body->shell.rest_angles);
    memory_release(memory, body->shell.clamp_sides);
    memory_release(memory, body->shell.clamp_edges);
    memory_release(memory, body->shell.clamps);
}

// --- values that change ---

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    struct shell_body *shell = &body->shell;
    (void)nodes;
    *out = (struct body_parameter){.range = RANGE_POSITIVE, .count = 1};
    switch (id) {
    case PBS_PARAMETER_DENSITY:
        out->name = "density";
        out->value = &shell->density;
        return true;
    case PBS_PARAMETER_YOUNG:
        out->name = "young";
        out->value = &shell->young;
        return true;
    case PBS_PARAMETER_POISSON:
        out->name = "poisson";
        out->value = &shell->poisson;
        out->range = RANGE_POISSON_SHELL;
        return true;
    case PBS_PARAMETER_BENDING_YOUNG:
        out->name = "bending_young";
        out->value = &shell->bending_young;
        out->range = RANGE_NOT_NEGATIVE;
        return true;
    case PBS_PARAMETER_THICKNESS:
        out->name = "thickness";
        out->value = &shell->thickness;
        return true;
    case PBS_PARAMETER_STRETCH_LIMIT:
        out->name = "stretch_limit";
        out->value = &shell->stretch_limit;
        out->range = RANGE_STRETCH_LIMIT;
        return true;
    default: return body_find_damping(body, id, out) || body_find_drag(body, id, out);
    }
}

// --- properties ---

static double stiffest(const struct body *body) {
    return body->shell.young;
}

static size_t count_elements(const struct body *body) {
    return body->triangle_count + body->shell.hinge_count;
}

static struct body_simplices list_simplices(const struct body *body) {
    return (struct body_simplices){
        .width = 3, .count = body->triangle_count, .corners = body->triangles};
}

// --- saving ---

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(pbs_shell_desc, flat_rest, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, bending, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, thickness, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, density, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, young, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, poisson, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, bending_young, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, damping, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, drag, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, yield_curvature, FIELD_ANY),
    FIELD_VALUE(pbs_shell_desc, stretch_limit, FIELD_ANY),
    FIELD_COUNT(pbs_shell_desc, vertex_count),
    FIELD_ARRAY(pbs_shell_desc, positions, vertex_count, 3, FIELD_ANY),
    FIELD_COUNT(pbs_shell_desc, triangle_count),
    FIELD_ARRAY(pbs_shell_desc, triangles, triangle_count, 3, FIELD_ANY),
    FIELD_ARRAY(pbs_shell_desc, rest_angles, triangle_count, 3, FIELD_ANY),
    FIELD_COUNT(pbs_shell_desc, clamped_edge_count),
    FIELD_ARRAY(pbs_shell_desc, clamped_edges, clamped_edge_count, 2, FIELD_ANY),
    FIELD_ARRAY(pbs_shell_desc, clamped_directions, clamped_edge_count, 3, FIELD_ANY),
};
static const struct field_list description_fields = FIELD_LIST(pbs_shell_desc, DESCRIPTION_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_ARRAY_USED(struct body, shell.creases, triangle_count, 3, FIELD_FINITE, FIELD_HASHED),
};
static const struct field_list state_fields = FIELD_LIST(struct body, STATE_FIELDS);

static void describe(const struct body *body, const struct nodes *nodes, void *out) {
    const struct shell_body *const shell = &body->shell;
    *(pbs_shell_desc *)out = (pbs_shell_desc){
        .struct_size = sizeof(pbs_shell_desc),
        .flat_rest = shell->flat_rest,
        .bending = shell->bending,
        .thickness = shell->thickness,
        .density = shell->density,
        .young = shell->young,
        .poisson = shell->poisson,
        .bending_young = shell->bending_young,
        .damping = body->damping,
        .drag = body->drag,
        .yield_curvature = shell->yield_curvature,
        .stretch_limit = shell->stretch_limit,
        .vertex_count = body->node_count,
        .positions = shell->rest,
        .triangle_count = body->triangle_count,
        .triangles = body->triangles,
        .rest_angles = shell->creases == NULL ? shell->rest_angles : NULL,
        .clamped_edge_count = shell->clamp_count,
        .clamped_edges = shell->clamp_edges,
        .clamped_directions = shell->clamps,
        .initial_positions = nodes->x + 3 * body->node_start,
        .initial_velocities = nodes->v + 3 * body->node_start};
}

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    pbs_shell_desc d;
    describe(body, nodes, &d);
    fields_write(out, &description_fields, &d);
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    pbs_shell_desc d = {.struct_size = sizeof d};
    pbs_status status = fields_read(in, memory, &description_fields, &d);
    status = status < 0 ? status : create(scene, memory, &d, out);
    fields_release(memory, &description_fields, &d);
    return status;
}

static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    (void)in;
    (void)memory;
    return body->shell.creases == NULL ? PBS_OK
                                       : shell_check_rest_angles(body, body->shell.creases);
}

static struct body_waves measure_waves(const struct nodes *nodes, const struct body *body) {
    const struct shell_body *shell = &body->shell;
    (void)nodes;
    return (struct body_waves){sqrt(shell->density * shell->young),
                               sqrt(shell->young / shell->density), INFINITY};
}

const struct body_table body_table_shell = {
    .id = BODY_SHELL,
    .kind = PBS_BODY_SHELL,
    .settings = &settings_shell,
    .create = create,
    .free = free_own,
    .describe = describe,
    .write = write,
    .read = read,
    .description = &description_fields,
    .state = &state_fields,
    .resume = resume,
    .add_terms = shell_add_terms,
    .damped = &shell_damped,
    .find_parameter = find_parameter,
    .measure = measure,
    .write_values = shell_write_values,
    .has_rayleigh_damping = true,
    .check_positions = shell_check_stretch,
    .stiffest = stiffest,
    .measure_waves = measure_waves,
    .count_elements = count_elements,
    .list_simplices = list_simplices,
    .stress = &shell_stress,
};
