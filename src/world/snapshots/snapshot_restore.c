// Restoring a world: bytes become descriptions, which go through the same checks as a host's; the
// scene is made aside and takes the old one's place when it is whole. Every count is compared with
// the bytes left before it is used.
#include <math.h>
#include <string.h>

#include "base/runtime/arithmetic.h"
#include "world/contact_scenes/contact_scale.h"
#include "world/snapshots/byte_stream.h"
#include "world/bodies/bonded.h"
#include "world/bodies/body_bonds.h"
#include "world/bodies/peridynamic.h"
#include "world/interface/check.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/objects/integrator.h"
#include "world/objects/collider.h"
#include "world/snapshots/snapshot.h"
#include "world/world.h"

/// A refusal of restored values is one of the bytes; a failure to get memory stays what it is.
static pbs_status as_format(pbs_status status, const char *what, size_t index) {
    if (status >= 0 || status == PBS_ERROR_MEMORY) {
        return status;
    }
    return status_fail(PBS_ERROR_FORMAT, "%s %zu: %s", what, index, pbs_last_error());
}

static void read_doubles(struct byte_reader *in, double *out, size_t count) {
    read_bytes(in, out, count * sizeof *out);
}

// --- settings and totals ---

/// Limits of work are the host's: a saved world may only stay below.
static uint32_t lower(uint32_t saved, uint32_t present) {
    return saved < present ? saved : present;
}

/// PBS_AUTOMATIC counts as what it comes to at most.
static uint32_t lower_divisions(uint32_t saved, uint32_t present) {
    const uint32_t unset = (uint32_t)PBS_AUTOMATIC, most = CONTACT_SCALE_DIVISIONS;
    const uint32_t limit = present == unset ? most : present;
    return saved == unset && most <= limit ? unset : lower(saved, limit);
}

static pbs_status read_settings(struct byte_reader *in, const struct scene *present,
                                struct scene *scene) {
    scene->settings = present->settings;
    scene->expert = present->expert;
    pbs_world_desc *const d = &scene->settings;
    pbs_expert_desc *const expert = &scene->expert;
    read_doubles(in, d->gravity, 3);
    int32_t *const choices[] = {&expert->method,
                                &expert->line_search,
                                &expert->project_hessian,
                                &expert->initial_guess,
                                &expert->preconditioner,
                                &expert->preconditioner_order,
                                &expert->allow_unconverged,
                                &d->contact,
                                &expert->barrier,
                                &expert->velocity_rule,
                                &expert->adaptive_stiffness,
                                &d->processor_independent,
                                &expert->assembly,
                                &expert->alignment,
                                &d->body_contact};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        read_bytes(in, choices[i], sizeof *choices[i]);
    }
    d->newton_limit = lower(read_u32(in), present->settings.newton_limit);
    expert->linear_limit = lower(read_u32(in), present->expert.linear_limit);
    d->divisions = lower_divisions(read_u32(in), present->settings.divisions);
    d->friction_iterations = read_u32(in);
    d->fracture_passes = read_u32(in);
    d->fracture_limit = read_u32(in);
    d->tolerance = read_f64(in);
    d->relative_tolerance = read_f64(in);
    expert->forcing = read_f64(in);
    expert->step_length_limit = read_f64(in);
    d->contact_distance = read_f64(in);
    d->contact_stiffness = read_f64(in);
    d->slip_velocity = read_f64(in);
    d->velocity_tolerance = read_f64(in);
    return as_format(world_check_settings(d, expert), "settings of version", SNAPSHOT_VERSION);
}

static bool are_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static pbs_status read_integrator(struct byte_reader *in, struct scheme_choice *out) {
    pbs_integrator_desc d = {.struct_size = sizeof d};
    int32_t *const choices[] = {&d.scheme,
                                &d.start,
                                &d.energy_control.alpha_choice,
                                &d.energy_control.by_island,
                                &d.linearized,
                                &d.step_control.kind,
                                &d.step_control.rule};
    double *const numbers[] = {
        &d.energy_control.alpha,    &d.energy_control.alpha_min,  &d.energy_control.alpha_max,
        &d.energy_control.fraction, &d.energy_control.ground,     &d.energy_control.decay_time,
        &d.step_control.tolerance,  &d.step_control.initial,      &d.step_control.min,
        &d.step_control.max,        &d.step_control.exponent,     &d.step_control.safety,
        &d.step_control.growth,     &d.step_control.fracture_step};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        read_bytes(in, choices[i], sizeof *choices[i]);
    }
    read_doubles(in, d.parameters, SCHEME_PARAMETERS);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = read_f64(in);
    }
    d.step_control.fracture_quiet_steps = read_u32(in);
    RETURN_IF_FAILED(as_format(integrator_check(&d), "integrator of version", SNAPSHOT_VERSION));
    *out = integrator_choice(&d);
    return PBS_OK;
}

static pbs_status read_barrier(struct byte_reader *in, struct adaptive_barrier *out) {
    out->stiffness = read_f64(in);
    out->least_gap = read_f64(in);
    out->diagonal = read_f64(in);
    return isfinite(out->stiffness) && out->stiffness >= 0.0 && out->least_gap >= 0.0 &&
                   isfinite(out->diagonal) && out->diagonal >= 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "adaptive stiffness %g, least gap %g, diagonal %g",
                             out->stiffness, out->least_gap, out->diagonal);
}

static pbs_status read_totals(struct byte_reader *in, struct scene *scene) {
    RETURN_IF_FAILED(read_integrator(in, &scene->integrator));
    scene->stamp = read_u32(in);
    scene->time = read_f64(in);
    scene->dissipated = read_f64(in);
    scene->free_reference = read_f64(in);
    scene->counters.step_count = read_u64(in);
    scene->counters.failed_step_count = read_u64(in);
    scene->counters.newton_total = read_u64(in);
    scene->counters.linear_total = read_u64(in);
    RETURN_IF_FAILED(read_barrier(in, &scene->barrier));
    scene->contact_reach = read_f64(in);
    if (!isfinite(scene->contact_reach) || scene->contact_reach < 0.0) {
        return status_fail(PBS_ERROR_FORMAT, "the automatic contact distance is %g m",
                           scene->contact_reach);
    }
    const double numbers[] = {scene->time, scene->dissipated, scene->free_reference};
    if (!are_finite(numbers, 3) || scene->free_reference < 0.0) {
        return status_fail(PBS_ERROR_FORMAT, "time %g, dissipated %g, reference %g: must be finite",
                           scene->time, scene->dissipated, scene->free_reference);
    }
    if (scene->stamp == 0 || scene->stamp >> HANDLE_STAMP_BITS != 0) {
        return status_fail(PBS_ERROR_FORMAT, "world stamp %#x, must be 1 to %#x",
                           (unsigned)scene->stamp, (1u << HANDLE_STAMP_BITS) - 1);
    }
    return PBS_OK;
}

// --- handles ---

static pbs_status read_slots(struct byte_reader *in, struct memory *memory,
                             struct handle_table *table, const char *name, size_t *count) {
    size_t slot_count = 0;
    RETURN_IF_FAILED(read_count(in, name, sizeof(uint32_t), &slot_count));
    RETURN_IF_FAILED(handle_reserve_slots(table, memory, slot_count));
    for (size_t i = 0; i < slot_count; i++) {
        const uint32_t generation = read_u32(in);
        if (generation == 0 || generation > HANDLE_GENERATION_LAST) {
            return status_fail(PBS_ERROR_FORMAT, "%s %zu: generation %u, must be 1 to %d", name, i,
                               (unsigned)generation, HANDLE_GENERATION_LAST);
        }
        table->slots[i].generation = generation;
    }
    RETURN_IF_FAILED(read_count(in, name, sizeof(uint32_t), count));
    if (*count > slot_count) {
        return status_fail(PBS_ERROR_FORMAT, "%zu objects in %zu %s", *count, slot_count, name);
    }
    return PBS_OK;
}

static pbs_status read_slot(struct byte_reader *in, const struct handle_table *table,
                            uint32_t *slot) {
    *slot = read_u32(in);
    if (in->ended || *slot >= table->slot_count || table->slots[*slot].object != NULL) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: slot %u is taken or beyond %zu",
                           in->position, (unsigned)*slot, table->slot_count);
    }
    return PBS_OK;
}

// --- colliders ---

/// What was read so far is the collider's, and freed with it.
static pbs_status read_load(struct byte_reader *in, struct contact_load *load) {
    double *const sums[] = {load->force, load->friction, load->torque, load->impulse,
                            load->angular_impulse};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        read_doubles(in, sums[i], 3);
        if (!are_finite(sums[i], 3)) {
            return status_fail(PBS_ERROR_FORMAT, "a contact force is not finite");
        }
    }
    return PBS_OK;
}

static pbs_status read_collider_mesh(struct byte_reader *in, struct memory *memory,
                                     pbs_collider_desc *d) {
    double *vertices = NULL;
    uint32_t *indices = NULL;
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &d->vertex_count));
    RETURN_IF_FAILED(read_block(in, memory, d->vertex_count, 3 * sizeof(double), &vertices));
    d->vertices = vertices;
    RETURN_IF_FAILED(read_count(in, "triangles", 3 * sizeof(uint32_t), &d->triangle_count));
    RETURN_IF_FAILED(read_block(in, memory, d->triangle_count, 3 * sizeof(uint32_t), &indices));
    d->triangles = indices;
    indices = NULL;
    RETURN_IF_FAILED(read_count(in, "edges", 2 * sizeof(uint32_t), &d->edge_count));
    RETURN_IF_FAILED(read_block(in, memory, d->edge_count, 2 * sizeof(uint32_t), &indices));
    d->edges = indices;
    return PBS_OK;
}

static pbs_status read_grid(struct byte_reader *in, struct memory *memory, pbs_collider_desc *d) {
    float *samples = NULL;
    size_t count = 0;
    if (d->shape != PBS_SHAPE_GRID) {
        return PBS_OK;
    }
    d->grid_interpolation = (int32_t)read_u32(in);
    read_doubles(in, d->grid_origin, 3);
    d->grid_cell = read_f64(in);
    for (int k = 0; k < 3; k++) {
        d->grid_counts[k] = read_u32(in);
    }
    RETURN_IF_FAILED(read_count(in, "samples", sizeof *samples, &count));
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof *samples, &samples));
    d->grid_samples = samples;
    double product = 1.0;
    for (int k = 0; k < 3; k++) {
        product *= d->grid_counts[k];
    }
    return product == (double)count
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "%zu samples, must be %u x %u x %u", count,
                             (unsigned)d->grid_counts[0], (unsigned)d->grid_counts[1],
                             (unsigned)d->grid_counts[2]);
}

static pbs_status read_collider(struct byte_reader *in, struct memory *memory,
                                const pbs_world_desc *settings, struct collider *collider) {
    pbs_collider_desc *d = &collider->desc;
    d->struct_size = sizeof *d;
    d->shape = (int32_t)read_u32(in);
    d->hollow = (int32_t)read_u32(in);
    read_doubles(in, d->size, 3);
    read_doubles(in, d->position, 3);
    read_doubles(in, d->orientation, 4);
    d->friction = read_f64(in);
    d->surface_material = read_u32(in);
    d->group = read_u32(in);
    d->mask = read_u32(in);
    RETURN_IF_FAILED(read_collider_mesh(in, memory, d));
    d->collision = (int32_t)read_u32(in);
    d->penalty_stiffness = read_f64(in);
    RETURN_IF_FAILED(read_grid(in, memory, d));
    const uint32_t moving = read_u32(in);
    collider->moving = moving != 0;
    read_doubles(in, collider->target_position, 3);
    read_doubles(in, collider->target_orientation, 4);
    RETURN_IF_FAILED(read_load(in, &collider->load));
    read_doubles(in, collider->velocity, 3);
    read_doubles(in, collider->angular_velocity, 3);
    // Orientations are kept as they were: normalising once more could change their last bits.
    double unit[4];
    RETURN_IF_FAILED(contact_kind_check_collider(settings, d));
    RETURN_IF_FAILED(collider_check(d, unit));
    collider->grid = collider_grid(d);
    RETURN_IF_FAILED(check_place(collider->target_position, "target position"));
    if (moving > 1 || !are_finite(collider->velocity, 3) ||
        !are_finite(collider->angular_velocity, 3)) {
        return status_fail(PBS_ERROR_FORMAT, "motion is not finite");
    }
    return moving != 0 ? check_quaternion(collider->target_orientation, "target", unit) : PBS_OK;
}

static pbs_status read_colliders(struct byte_reader *in, struct memory *memory,
                                 struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_slots(in, memory, &scene->colliders, "collider slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        RETURN_IF_FAILED(read_slot(in, &scene->colliders, &slot));
        struct collider *collider = memory_allocate(memory, 1, sizeof *collider);
        if (collider == NULL) {
            return PBS_ERROR_MEMORY;
        }
        collider->slot = slot;
        handle_insert_at(&scene->colliders, slot, collider);
        RETURN_IF_FAILED(
            as_format(read_collider(in, memory, &scene->settings, collider), "collider", i));
    }
    return PBS_OK;
}

// --- bodies ---

/// Arrays of one body as they come from the bytes; released when its description has been copied.
struct body_arrays {
    double *positions, *masses, *radii, *contact_radii, *vertices, *values[5];
    uint32_t *indices, *edges, *tets;
};
enum { VALUE_ARRAYS = 5 };

static void release_arrays(struct memory *memory, struct body_arrays *arrays) {
    memory_release(memory, arrays->positions);
    memory_release(memory, arrays->masses);
    memory_release(memory, arrays->radii);
    memory_release(memory, arrays->contact_radii);
    memory_release(memory, arrays->indices);
    memory_release(memory, arrays->edges);
    memory_release(memory, arrays->vertices);
    memory_release(memory, arrays->tets);
    for (int i = 0; i < VALUE_ARRAYS; i++) {
        memory_release(memory, arrays->values[i]);
    }
}

static pbs_status read_values(struct byte_reader *in, struct memory *memory, size_t count,
                              double *value, double **per_tet) {
    *value = read_f64(in);
    const uint32_t present = read_u32(in);
    if (present > 1) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: a flag is %u", in->position,
                           (unsigned)present);
    }
    return present != 0 ? read_block(in, memory, count, sizeof **per_tet, per_tet) : PBS_OK;
}

static pbs_status read_solid(struct byte_reader *in, struct memory *memory, struct scene *scene,
                             struct body_arrays *arrays, struct body **out) {
    pbs_solid_desc d = {.struct_size = sizeof d};
    d.material = (int32_t)read_u32(in);
    d.damping = read_f64(in);
    d.drag = read_f64(in);
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &d.vertex_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.vertex_count, 3 * sizeof(double), &arrays->positions));
    RETURN_IF_FAILED(read_count(in, "tetrahedra", 4 * sizeof(uint32_t), &d.tet_count));
    RETURN_IF_FAILED(read_block(in, memory, d.tet_count, 4 * sizeof(uint32_t), &arrays->indices));
    double *const values[] = {&d.density, &d.young, &d.poisson};
    for (int i = 0; i < 3; i++) {
        RETURN_IF_FAILED(read_values(in, memory, d.tet_count, values[i], &arrays->values[i]));
    }
    d.positions = arrays->positions;
    d.tets = arrays->indices;
    d.tet_density = arrays->values[0];
    d.tet_young = arrays->values[1];
    d.tet_poisson = arrays->values[2];
    return solid_body_create(scene, memory, &d, out);
}

static pbs_status read_shell_edges(struct byte_reader *in, struct memory *memory,
                                   struct body_arrays *arrays, pbs_shell_desc *d) {
    d->bending = (int32_t)read_u32(in);
    const uint32_t present = read_u32(in);
    if (present > 1) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: a flag is %u", in->position,
                           (unsigned)present);
    }
    if (present == 1) {
        RETURN_IF_FAILED(
            read_block(in, memory, d->triangle_count, 3 * sizeof(double), &arrays->values[0]));
    }
    const size_t size = 2 * sizeof(uint32_t) + 3 * sizeof(double);
    RETURN_IF_FAILED(read_count(in, "clamped edges", size, &d->clamped_edge_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d->clamped_edge_count, 2 * sizeof(uint32_t), &arrays->edges));
    RETURN_IF_FAILED(
        read_block(in, memory, d->clamped_edge_count, 3 * sizeof(double), &arrays->values[1]));
    d->rest_angles = arrays->values[0];
    d->clamped_edges = arrays->edges;
    d->clamped_directions = arrays->values[1];
    return PBS_OK;
}

static pbs_status read_shell(struct byte_reader *in, struct memory *memory, struct scene *scene,
                             struct body_arrays *arrays, struct body **out) {
    pbs_shell_desc d = {.struct_size = sizeof d};
    double *const numbers[] = {&d.thickness,     &d.density, &d.young, &d.poisson,
                               &d.bending_young, &d.damping, &d.drag};
    d.flat_rest = (int32_t)read_u32(in);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = read_f64(in);
    }
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &d.vertex_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.vertex_count, 3 * sizeof(double), &arrays->positions));
    RETURN_IF_FAILED(read_count(in, "triangles", 3 * sizeof(uint32_t), &d.triangle_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.triangle_count, 3 * sizeof(uint32_t), &arrays->indices));
    RETURN_IF_FAILED(read_shell_edges(in, memory, arrays, &d));
    d.positions = arrays->positions;
    d.triangles = arrays->indices;
    return shell_body_create(scene, memory, &d, out);
}

static pbs_status read_custom(struct byte_reader *in, struct memory *memory, struct scene *scene,
                              struct body_arrays *arrays, struct body **out) {
    pbs_custom_desc d = {.struct_size = sizeof d};
    d.tag = read_u64(in);
    d.concurrent = (int32_t)read_u32(in);
    d.is_linear = (int32_t)read_u32(in);
    d.no_gravity = (int32_t)read_u32(in);
    d.damping = read_f64(in);
    RETURN_IF_FAILED(read_count(in, "vertices", sizeof(double), &d.vertex_count));
    RETURN_IF_FAILED(read_block(in, memory, d.vertex_count, sizeof(double), &arrays->masses));
    d.width = read_u32(in);
    RETURN_IF_FAILED(check_choice(d.width, 1, 8, "width"));
    const size_t size = d.width * sizeof *d.stencils;
    RETURN_IF_FAILED(read_count(in, "stencils", size, &d.stencil_count));
    RETURN_IF_FAILED(read_block(in, memory, d.stencil_count, size, &arrays->indices));
    // Positions follow with the nodes of all bodies.
    arrays->positions = memory_allocate(memory, d.vertex_count, 3 * sizeof(double));
    if (arrays->positions == NULL) {
        return PBS_ERROR_MEMORY;
    }
    d.positions = arrays->positions;
    d.masses = arrays->masses;
    d.stencils = arrays->indices;
    return custom_body_create(scene, memory, &d, out);
}

static pbs_status read_springs(struct byte_reader *in, struct memory *memory, struct scene *scene,
                               struct body_arrays *arrays, struct body **out) {
    pbs_springs_desc d = {.struct_size = sizeof d, .stiffness = 1.0};
    d.no_gravity = (int32_t)read_u32(in);
    d.damping = read_f64(in);
    d.drag = read_f64(in);
    RETURN_IF_FAILED(read_count(in, "vertices", sizeof(double), &d.vertex_count));
    RETURN_IF_FAILED(read_block(in, memory, d.vertex_count, sizeof(double), &arrays->masses));
    const size_t size = 2 * sizeof *d.springs;
    RETURN_IF_FAILED(read_count(in, "springs", size, &d.spring_count));
    RETURN_IF_FAILED(read_block(in, memory, d.spring_count, size, &arrays->indices));
    for (int i = 0; i < 2; i++) {
        RETURN_IF_FAILED(
            read_block(in, memory, d.spring_count, sizeof(double), &arrays->values[i]));
    }
    // Positions follow with the nodes of all bodies.
    arrays->positions = memory_allocate(memory, d.vertex_count, 3 * sizeof(double));
    if (arrays->positions == NULL) {
        return PBS_ERROR_MEMORY;
    }
    d.positions = arrays->positions;
    d.masses = arrays->masses;
    d.springs = arrays->indices;
    d.spring_stiffness = arrays->values[0];
    d.rest_lengths = arrays->values[1];
    return springs_body_create(scene, memory, &d, out);
}

static pbs_status read_affine(struct byte_reader *in, struct memory *memory, struct scene *scene,
                              struct body_arrays *arrays, struct body **out) {
    pbs_affine_desc d = {.struct_size = sizeof d, .orientation = {0.0, 0.0, 0.0, 1.0}};
    d.no_gravity = (int32_t)read_u32(in);
    d.damping = read_f64(in);
    d.drag = read_f64(in);
    d.density = read_f64(in);
    d.stiffness = read_f64(in);
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &d.vertex_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.vertex_count, 3 * sizeof(double), &arrays->positions));
    const size_t size = 3 * sizeof *d.triangles;
    RETURN_IF_FAILED(read_count(in, "triangles", size, &d.triangle_count));
    RETURN_IF_FAILED(read_block(in, memory, d.triangle_count, size, &arrays->indices));
    d.positions = arrays->positions;
    d.triangles = arrays->indices;
    return affine_body_create(scene, memory, &d, out);
}

/// Of bonds that never break strengths are infinite, for which a description says 0.
static pbs_status read_strengths(struct byte_reader *in, struct memory *memory, size_t count,
                                 double **out) {
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof **out, out));
    for (size_t i = 0; i < count; i++) {
        if ((*out)[i] == 0.0) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: a strength of 0", i);
        }
        (*out)[i] = isinf((*out)[i]) && (*out)[i] > 0.0 ? 0.0 : (*out)[i];
    }
    return PBS_OK;
}

/// After the body: which of its bonds are broken.
static pbs_status read_broken(struct byte_reader *in, struct body *body) {
    uint8_t *broken = body->bonds.broken;
    read_bytes(in, broken, body->bonds.count);
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (broken[i] > BOND_CUT) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: a flag is %u", i, (unsigned)broken[i]);
        }
    }
    double *release = body->bonds.release;
    read_doubles(in, release, body->bonds.count);
    for (size_t i = 0; i < body->bonds.count; i++) {
        if (!(release[i] >= 0.0 && isfinite(release[i]))) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: particles that touch at %g m", i,
                               release[i]);
        }
    }
    return PBS_OK;
}

/// The fragments, and the surface that the broken bonds make.
static pbs_status read_fragments(struct byte_reader *in, struct memory *memory, struct body *body) {
    const struct bond_list bonds = body_bond_list(body);
    uint32_t *arrays[2] = {NULL, NULL};
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "fragments", sizeof(uint32_t), &count));
    pbs_status status = read_block(in, memory, count, sizeof(uint32_t), &arrays[0]);
    if (status >= 0) {
        status = read_block(in, memory, body->vertex_count, sizeof(uint32_t), &arrays[1]);
    }
    if (status >= 0 &&
        !fragments_restore(&body->bonds.fragments, &bonds, arrays[1], arrays[0], count)) {
        status = status_fail(PBS_ERROR_FORMAT, "fragments that its bonds do not make");
    }
    if (status >= 0) {
        body->bonds.came_apart = true;
        body_come_apart(body);
    }
    memory_release(memory, arrays[0]);
    memory_release(memory, arrays[1]);
    return status;
}

/// The tetrahedra that particles were made of, if any.
static pbs_status read_mesh(struct byte_reader *in, struct memory *memory,
                            struct body_arrays *arrays, size_t particle_count,
                            struct tet_mesh_view *mesh) {
    const size_t size = 4 * sizeof(uint32_t);
    RETURN_IF_FAILED(read_count(in, "vertices", 3 * sizeof(double), &mesh->vertex_count));
    RETURN_IF_FAILED(
        read_block(in, memory, mesh->vertex_count, 3 * sizeof(double), &arrays->vertices));
    RETURN_IF_FAILED(read_count(in, "tetrahedra", size, &mesh->tet_count));
    RETURN_IF_FAILED(read_block(in, memory, mesh->tet_count, size, &arrays->tets));
    mesh->positions = arrays->vertices;
    mesh->tets = arrays->tets;
    if (mesh->tet_count == 0 && mesh->vertex_count == 0) {
        return PBS_OK;
    }
    return mesh->tet_count == particle_count
               ? tet_mesh_check(mesh, memory)
               : status_fail(PBS_ERROR_FORMAT, "%zu particles of %zu tetrahedra", particle_count,
                             mesh->tet_count);
}

static pbs_status read_bonded(struct byte_reader *in, struct memory *memory, struct scene *scene,
                              struct body_arrays *arrays, struct body **out) {
    pbs_bonded_desc d = {
        .struct_size = sizeof d, .density = 1.0, .young = 1.0, .shear_modulus = 1.0};
    d.no_gravity = (int32_t)read_u32(in);
    d.shear = (int32_t)read_u32(in);
    d.drag = read_f64(in);
    d.shear_factor = read_f64(in);
    RETURN_IF_FAILED(read_count(in, "particles", 10 * sizeof(double), &d.particle_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.particle_count, 3 * sizeof(double), &arrays->positions));
    RETURN_IF_FAILED(read_block(in, memory, d.particle_count, sizeof(double), &arrays->radii));
    RETURN_IF_FAILED(
        read_block(in, memory, d.particle_count, sizeof(double), &arrays->contact_radii));
    const double space = read_f64(in);
    RETURN_IF_FAILED(check_not_negative(space, "space of contact"));
    RETURN_IF_FAILED(read_block(in, memory, d.particle_count, sizeof(double), &arrays->masses));
    const size_t size = 2 * sizeof *d.bonds;
    RETURN_IF_FAILED(read_count(in, "bonds", size + 6 * sizeof(double) + 1, &d.bond_count));
    RETURN_IF_FAILED(read_block(in, memory, d.bond_count, size, &arrays->indices));
    for (int i = 0; i < 3; i++) {
        RETURN_IF_FAILED(read_block(in, memory, d.bond_count, sizeof(double), &arrays->values[i]));
    }
    d.positions = arrays->positions;
    d.radii = arrays->radii;
    d.contact_radii = arrays->contact_radii;
    d.masses = arrays->masses;
    d.bonds = arrays->indices;
    d.bond_radii = arrays->values[0];
    d.bond_young = arrays->values[1];
    d.bond_shear_moduli = arrays->values[2];
    for (int i = 3; i < 5; i++) {
        RETURN_IF_FAILED(read_strengths(in, memory, d.bond_count, &arrays->values[i]));
    }
    d.bond_tensile_strengths = arrays->values[3];
    d.bond_shear_strengths = arrays->values[4];
    struct tet_mesh_view mesh = {0};
    RETURN_IF_FAILED(read_mesh(in, memory, arrays, d.particle_count, &mesh));
    RETURN_IF_FAILED(bonded_body_make(scene, memory, &d, &mesh, out));
    (*out)->bonds.contact_space = space;
    return PBS_OK;
}

/// Rounding included, where there is one line.
static bool is_shape(const struct softening_shape *shape) {
    return shape->stress > 0.0 && shape->opening > 0.0 &&
           shape->stress + shape->opening < 1.0 + 1e-12;
}

/// How the bonds soften, where they do, and what remains of them.
static pbs_status read_softening(struct byte_reader *in, struct memory *memory, struct body *body) {
    const size_t count = body->bonds.count;
    const uint32_t softens = read_u32(in);
    if (softens > 1) {
        return status_fail(PBS_ERROR_FORMAT, "a flag is %u", (unsigned)softens);
    }
    if (softens == 0) {
        return PBS_OK;
    }
    struct softening_shape shape;
    shape.stress = read_f64(in);
    shape.opening = read_f64(in);
    if (!is_shape(&shape)) {
        return status_fail(PBS_ERROR_FORMAT, "bonds that soften to %g of their strength at %g",
                           shape.stress, shape.opening);
    }
    RETURN_IF_FAILED(peridynamic_reserve_softening(body, memory, &shape));
    struct peridynamic_body *own = &body->peridynamic;
    read_doubles(in, own->onset, count);
    read_doubles(in, own->remaining, count);
    for (size_t i = 0; i < count; i++) {
        if (!(own->onset[i] > 0.0 && isfinite(own->onset[i])) ||
            !(own->remaining[i] >= 0.0 && own->remaining[i] <= 1.0)) {
            return status_fail(PBS_ERROR_FORMAT,
                               "bond %zu: softens from a strain of %g on, and %g of it remains", i,
                               own->onset[i], own->remaining[i]);
        }
    }
    return PBS_OK;
}

/// Strains at which the bonds break that the particles made.
static pbs_status read_stretches(struct byte_reader *in, struct memory *memory, struct body *body,
                                 double **stretches) {
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "bonds", 2 * sizeof(double) + 1, &count));
    if (count != body->bonds.count) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bonds, but its particles make %zu", count,
                           body->bonds.count);
    }
    RETURN_IF_FAILED(read_softening(in, memory, body));
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof(double), stretches));
    RETURN_IF_FAILED(peridynamic_check_stretches(body, *stretches));
    peridynamic_set_stretches(body, *stretches);
    return PBS_OK;
}

static pbs_status read_peridynamic(struct byte_reader *in, struct memory *memory,
                                   struct scene *scene, struct body_arrays *arrays,
                                   struct body **out) {
    pbs_peridynamic_desc d = {.struct_size = sizeof d, .density = 1.0, .young = 1.0};
    d.no_gravity = (int32_t)read_u32(in);
    d.dimension = (int32_t)read_u32(in);
    d.whole_volumes = (int32_t)read_u32(in);
    d.no_calibration = (int32_t)read_u32(in);
    d.no_surface_correction = (int32_t)read_u32(in);
    d.drag = read_f64(in);
    d.damping = read_f64(in);
    d.spacing = read_f64(in);
    d.horizon = read_f64(in);
    d.section = read_f64(in);
    d.section = d.dimension == PBS_PERIDYNAMIC_SOLID && d.section == 1.0 ? 0.0 : d.section;
    RETURN_IF_FAILED(read_count(in, "particles", 7 * sizeof(double), &d.particle_count));
    RETURN_IF_FAILED(
        read_block(in, memory, d.particle_count, 3 * sizeof(double), &arrays->positions));
    double **const blocks[] = {&arrays->values[0], &arrays->values[1], &arrays->contact_radii,
                               &arrays->masses};
    for (int i = 0; i < 4; i++) {
        RETURN_IF_FAILED(read_block(in, memory, d.particle_count, sizeof(double), blocks[i]));
    }
    d.positions = arrays->positions;
    d.volumes = arrays->values[0];
    d.particle_young = arrays->values[1];
    d.contact_radii = arrays->contact_radii;
    RETURN_IF_FAILED(check_masses(arrays->masses, d.particle_count));
    RETURN_IF_FAILED(peridynamic_body_make(scene, memory, &d, arrays->masses, out));
    const pbs_status status = read_stretches(in, memory, *out, &arrays->values[2]);
    if (status < 0) {
        body_free(*out, memory);
        *out = NULL;
    }
    return status;
}

static pbs_status read_contact(struct byte_reader *in, pbs_contact_desc *d) {
    *d = (pbs_contact_desc){.struct_size = sizeof *d};
    d->touches_itself = (int32_t)read_u32(in);
    d->friction = read_f64(in);
    d->offset = read_f64(in);
    d->surface_material = read_u32(in);
    d->group = read_u32(in);
    d->mask = read_u32(in);
    d->rolling_friction = read_f64(in);
    d->spinning_friction = read_f64(in);
    d->penalty_stiffness = read_f64(in);
    return body_check_contact(d);
}

static pbs_status read_body_barrier(struct byte_reader *in, struct body_barrier *out) {
    out->stiffness = read_f64(in);
    out->least = read_f64(in);
    return isfinite(out->stiffness) && out->stiffness >= 0.0 && isfinite(out->least) &&
                   out->least >= 0.0
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "barriers of %g N/m, %g N/m for the next step",
                             out->stiffness, out->least);
}

static pbs_status read_body(struct byte_reader *in, struct memory *memory, struct scene *scene,
                            struct body **out) {
    struct body_arrays arrays = {0};
    const uint32_t kind = read_u32(in);
    pbs_contact_desc contact;
    struct contact_load load = {.force = {0.0}};
    struct body_barrier barrier = {0.0, 0.0};
    RETURN_IF_FAILED(read_contact(in, &contact));
    RETURN_IF_FAILED(read_load(in, &load));
    RETURN_IF_FAILED(read_body_barrier(in, &barrier));
    pbs_status status;
    if (kind == BODY_SOLID) {
        status = read_solid(in, memory, scene, &arrays, out);
    } else if (kind == BODY_SHELL) {
        status = read_shell(in, memory, scene, &arrays, out);
    } else if (kind == BODY_CUSTOM) {
        status = read_custom(in, memory, scene, &arrays, out);
    } else if (kind == BODY_SPRINGS) {
        status = read_springs(in, memory, scene, &arrays, out);
    } else if (kind == BODY_AFFINE) {
        status = read_affine(in, memory, scene, &arrays, out);
    } else if (kind == BODY_BONDED) {
        status = read_bonded(in, memory, scene, &arrays, out);
    } else if (kind == BODY_PERIDYNAMIC) {
        status = read_peridynamic(in, memory, scene, &arrays, out);
    } else {
        status = status_fail(PBS_ERROR_FORMAT, "kind %u is not known", (unsigned)kind);
    }
    release_arrays(memory, &arrays);
    if (status >= 0 && *out != NULL) {
        (*out)->contact = contact;
        (*out)->load = load;
        (*out)->barrier = barrier;
    }
    return status;
}

/// Of vertices that are no nodes; those of nodes are part of the state.
static pbs_status read_vertex_forces(struct byte_reader *in, const struct body *body) {
    if (vertices_are_nodes(body)) {
        return PBS_OK;
    }
    read_doubles(in, body->vertices.contact_force, 3 * body->vertex_count);
    return check_vectors(body->vertices.contact_force, body->vertex_count, "contact force");
}

/// As they are, not normalised anew: a world goes on to the bit.
static pbs_status read_orientations(struct byte_reader *in, const struct body *body) {
    read_doubles(in, body->bonded.orientations, 4 * body->vertex_count);
    for (size_t i = 0; i < body->vertex_count; i++) {
        double unit[4];
        RETURN_IF_FAILED(check_quaternion(body->bonded.orientations + 4 * i, "orientation", unit));
    }
    return PBS_OK;
}

/// What particles that bonds join have besides a description.
static pbs_status read_particles(struct byte_reader *in, struct memory *memory, struct body *body) {
    if (body->bonds.fragments.fragment == NULL) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(read_broken(in, body));
    if (body->kind == BODY_BONDED) {
        RETURN_IF_FAILED(read_orientations(in, body));
    }
    return read_fragments(in, memory, body);
}

static pbs_status read_bodies(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    size_t count = 0;
    RETURN_IF_FAILED(read_slots(in, memory, &scene->bodies, "body slots", &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = 0;
        struct body *body = NULL;
        RETURN_IF_FAILED(read_slot(in, &scene->bodies, &slot));
        const pbs_status status = as_format(read_body(in, memory, scene, &body), "body", i);
        if (status < 0 || body == NULL) {
            return status;
        }
        body->slot = slot;
        handle_insert_at(&scene->bodies, slot, body);
        RETURN_IF_FAILED(as_format(read_vertex_forces(in, body), "body", i));
        RETURN_IF_FAILED(as_format(read_particles(in, memory, body), "body", i));
    }
    return PBS_OK;
}

// --- state ---

static pbs_status read_nodes(struct byte_reader *in, struct nodes *nodes) {
    const uint64_t count = read_u64(in);
    if (count != nodes->count) {
        return status_fail(PBS_ERROR_FORMAT, "the state of %llu vertices for bodies of %zu",
                           (unsigned long long)count, nodes->count);
    }
    double *const columns[] = {
        nodes->x, nodes->v, nodes->initial, nodes->target, nodes->contact_force, nodes->force};
    static const char *const names[] = {"position", "velocity",      "initial position",
                                        "target",   "contact force", "force"};
    static const bool is_place[] = {true, false, true, true, false, false};
    for (int i = 0; i < 6 && nodes->count > 0; i++) {
        read_doubles(in, columns[i], 3 * nodes->count);
        const pbs_status status = is_place[i] ? check_places(columns[i], nodes->count, names[i])
                                              : check_vectors(columns[i], nodes->count, names[i]);
        RETURN_IF_FAILED(as_format(status, "state", 0));
    }
    if (nodes->count > 0) {
        read_bytes(in, nodes->held, nodes->count);
    }
    for (size_t i = 0; i < nodes->count; i++) {
        const double *x = nodes->x + 3 * i;
        const bool turned = x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
        const bool partly = nodes->held[i] != 0 && nodes->held[i] != PBS_AXIS_ALL;
        if (nodes->kind[i] == NODE_ROTATION && (turned || partly)) {
            return status_fail(PBS_ERROR_FORMAT,
                               "rotation %zu is not at the start of its chart, or held in part", i);
        }
        if (nodes->held[i] > PBS_AXIS_ALL) {
            return status_fail(PBS_ERROR_FORMAT, "vertex %zu: held axes %#x", i,
                               (unsigned)nodes->held[i]);
        }
    }
    return PBS_OK;
}

/// Bodies in a plane are held there.
static pbs_status check_planes(const struct scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const struct body *body = scene_body(scene, b);
        for (size_t i = 0; i < body->node_count; i++) {
            if ((scene->nodes.held[body->node_start + i] & body->flat) != body->flat) {
                return status_fail(PBS_ERROR_FORMAT,
                                   "body %zu, vertex %zu is not held in its plane", b, i);
            }
        }
    }
    return PBS_OK;
}

/// Present exactly where the scheme keeps such an array.
static pbs_status read_optional(struct byte_reader *in, struct memory *memory, size_t count,
                                bool wanted, double **out) {
    const uint32_t present = read_u32(in);
    if (present > 1 || (present == 1 && !wanted)) {
        return status_fail(PBS_ERROR_FORMAT, "byte %zu: history that the scheme does not keep",
                           in->position);
    }
    if (present == 0) {
        return PBS_OK;
    }
    RETURN_IF_FAILED(read_block(in, memory, count, sizeof **out, out));
    return are_finite(*out, count)
               ? PBS_OK
               : status_fail(PBS_ERROR_FORMAT, "a state of the history is not finite");
}

/// None before the first step; else one for each body.
static pbs_status read_accounts(struct byte_reader *in, struct memory *memory,
                                const struct scene *scene, struct history *history) {
    size_t count = 0;
    RETURN_IF_FAILED(read_count(in, "accounts", 3 * sizeof(uint32_t) + 4 * sizeof(double), &count));
    if (count != 0 && count != scene_account_count(scene)) {
        return status_fail(PBS_ERROR_FORMAT, "energy targets of %zu bodies, must be %u", count,
                           (unsigned)scene_account_count(scene));
    }
    if (count == 0) {
        return PBS_OK;
    }
    history->accounts = memory_allocate(memory, count, sizeof *history->accounts);
    if (history->accounts == NULL) {
        return PBS_ERROR_MEMORY;
    }
    history->account_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct energy_account *account = &history->accounts[i];
        const uint32_t is_known = read_u32(in);
        account->is_known = is_known != 0;
        account->errors = (int32_t)read_u32(in);
        account->target = read_f64(in);
        account->potential = read_f64(in);
        const uint32_t in_contact = read_u32(in);
        account->in_contact = in_contact != 0;
        account->shift = read_f64(in);
        account->step = read_f64(in);
        const double numbers[] = {account->target, account->potential, account->shift,
                                  account->step};
        if (is_known > 1 || in_contact > 1 || account->step < 0.0 || account->errors < -2 ||
            account->errors > 2 || !are_finite(numbers, 4)) {
            return status_fail(PBS_ERROR_FORMAT, "the energy target of body %zu is damaged", i);
        }
    }
    return PBS_OK;
}

static pbs_status read_history(struct byte_reader *in, struct memory *memory, struct scene *scene) {
    struct history *history = &scene->history;
    struct scheme_memory *kept = &history->memory;
    kept->known = read_u32(in);
    const uint32_t has_acceleration = read_u32(in);
    kept->has_acceleration = has_acceleration != 0;
    kept->h_before = read_f64(in);
    kept->stable_step = read_f64(in);
    kept->steps_since = read_u32(in);
    kept->power = read_f64(in);
    kept->lost_before = (struct scalar_state){.x = read_f64(in)};
    kept->lost_before.v = read_f64(in);
    const struct scheme_table *scheme = scene->integrator.scheme;
    const bool two = scheme->history > 1;
    const size_t count = 3 * scene->nodes.count;
    history->node_count = scene->nodes.count;
    RETURN_IF_FAILED(read_optional(in, memory, count, two, &history->x_before));
    RETURN_IF_FAILED(read_optional(in, memory, count, two, &history->v_before));
    RETURN_IF_FAILED(read_optional(in, memory, count, scheme_stores_acceleration(scheme),
                                   &history->acceleration));
    if (history->x_before != NULL) {
        RETURN_IF_FAILED(as_format(
            check_places(history->x_before, scene->nodes.count, "previous position"), "state", 0));
    }
    RETURN_IF_FAILED(read_accounts(in, memory, scene, history));
    const bool known = kept->known == 1 || (kept->known == 2 && kept->h_before > 0.0 &&
                                            history->x_before != NULL && history->v_before != NULL);
    const double lost[] = {kept->power, kept->lost_before.x, kept->lost_before.v};
    if (!known || has_acceleration > 1 ||
        (kept->has_acceleration && history->acceleration == NULL && count > 0 &&
         scheme_stores_acceleration(scheme)) ||
        !isfinite(kept->h_before) || kept->h_before < 0.0 || !(kept->stable_step >= 0.0) ||
        !are_finite(lost, 3)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "history of %u states, previous step %g s, does not fit the scheme",
                           (unsigned)kept->known, kept->h_before);
    }
    return PBS_OK;
}

// --- all together ---

static pbs_status read_frictions(struct byte_reader *in, struct friction_table *out) {
    int64_t last = -1;
    for (uint32_t a = read_u32(in); a != PBS_SURFACE_MATERIALS; a = read_u32(in)) {
        const uint32_t b = read_u32(in);
        const double friction = read_f64(in);
        const int64_t place = (int64_t)a * PBS_SURFACE_MATERIALS + b;
        if (in->ended || a > b || b >= PBS_SURFACE_MATERIALS || place <= last ||
            !(friction >= 0.0) || !isfinite(friction)) {
            return status_fail(PBS_ERROR_FORMAT, "friction %g of surface materials %u and %u",
                               friction, (unsigned)a, (unsigned)b);
        }
        friction_table_set(out, a, b, friction);
        last = place;
    }
    return PBS_OK;
}

static bool is_count(double value) {
    return value >= 0.0 && isfinite(value);
}

static pbs_status read_solver_memory(struct byte_reader *in, struct selection_history *memory) {
    double *const numbers[] = {&memory->rows,
                               &memory->blocks,
                               &memory->flops,
                               &memory->entries,
                               &memory->more_flops,
                               &memory->more_entries,
                               &memory->pattern_reuse_rate};
    bool possible = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = read_f64(in);
        possible = possible && is_count(*numbers[i]);
    }
    possible = possible && memory->pattern_reuse_rate <= 1.0;
    memory->contact_pattern = read_u64(in);
    memory->refusal_wait = read_u32(in);
    memory->refusal_interval = read_u32(in);
    for (uint32_t d = 0; d < SELECTION_DECADES; d++) {
        struct selection_decade *record = &memory->decades[d];
        read_doubles(in, record->iterations, SOLVER_KINDS);
        for (uint32_t i = 0; i < SOLVER_KINDS; i++) {
            possible = possible && is_count(record->iterations[i]);
        }
        record->wait = read_u32(in);
        record->interval = read_u32(in);
    }
    return possible ? PBS_OK
                    : status_fail(PBS_ERROR_FORMAT, "what is remembered of linear solves is "
                                                    "negative, more than a whole or not finite");
}

static pbs_status read_scene(struct byte_reader *in, struct memory *memory,
                             const struct scene *present, struct scene *scene) {
    RETURN_IF_FAILED(read_settings(in, present, scene));
    RETURN_IF_FAILED(read_totals(in, scene));
    RETURN_IF_FAILED(read_frictions(in, &scene->frictions));
    RETURN_IF_FAILED(read_colliders(in, memory, scene));
    RETURN_IF_FAILED(read_bodies(in, memory, scene));
    RETURN_IF_FAILED(read_nodes(in, &scene->nodes));
    RETURN_IF_FAILED(check_planes(scene));
    scene_place_vertices(scene, NULL);
    bonded_measure_spins(scene);
    RETURN_IF_FAILED(read_history(in, memory, scene));
    RETURN_IF_FAILED(snapshot_read_step_memory(in, &scene->step_memory));
    RETURN_IF_FAILED(read_solver_memory(in, &scene->solver_memory));
    RETURN_IF_FAILED(as_format(contact_kind_check_scheme(scene, scene->integrator.scheme),
                               "integrator of version", SNAPSHOT_VERSION));
    if (in->ended || in->position != in->size) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bytes are left over or missing after byte %zu",
                           in->size - in->position, in->position);
    }
    return PBS_OK;
}

pbs_status pbs_world_restore(pbs_world *w, const void *buffer, size_t size) {
    ARITHMETIC_SCOPE();
    RETURN_IF_FAILED(world_enter(w));
    RETURN_IF_FAILED(check_pointer(buffer, "buffer"));
    RETURN_IF_FAILED(snapshot_check(buffer, size, SNAPSHOT_MAGIC, "a saved world"));
    struct byte_reader in = {
        .bytes = buffer, .size = size, .position = sizeof(struct snapshot_header)};
    struct scene scene = {0};
    const pbs_status status = read_scene(&in, &w->memory, &w->scene, &scene);
    if (status < 0) {
        scene_free(&scene, &w->memory);
        return status;
    }
    topology_free(&w->topology, &w->memory);
    scene_free(&w->scene, &w->memory);
    w->scene = scene;
    w->stats = (pbs_stats){0};
    w->readback.count = 0;
    w->broken.count = 0;
    query_index_forget_parts(w->query);
    world_attach_callbacks(w);
    return PBS_OK;
}
