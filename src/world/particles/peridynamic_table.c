// Peridynamic bodies as a kind of body, and how they are saved.
#include <math.h>

#include "world/interface/check.h"
#include "world/objects/body_table.h"
#include "world/particles/body_bonds.h"
#include "world/particles/peridynamic.h"
#include "world/particles/saved_bonds.h"

static pbs_status warn(const struct scene *scene, const struct body *body) {
    return peridynamic_check_weight(&scene->nodes, body, scene->settings.gravity);
}

static void free_own(struct body *body, struct memory *memory) {
    body_bonds_free(body, memory);
    memory_release(memory, body->peridynamic.volumes);
    memory_release(memory, body->peridynamic.young);
    memory_release(memory, body->peridynamic.lengths);
    memory_release(memory, body->peridynamic.stiffness);
    memory_release(memory, body->peridynamic.critical);
    memory_release(memory, body->peridynamic.onset);
    memory_release(memory, body->peridynamic.remaining);
}

static double stiffest(const struct body *body) {
    double most = 0.0;
    for (size_t i = 0; i < body->vertex_count; i++) {
        most = fmax(most, body->peridynamic.young[i]);
    }
    return most;
}

static int32_t bond_form(const struct body *body) {
    return peridynamic_softens(body);
}

static double bond_young(const struct body *body, size_t bond) {
    return peridynamic_young(&body->peridynamic, body->bonds.pairs + 2 * bond);
}

static bool find_parameter(struct body *body, struct nodes *nodes, int32_t id,
                           struct body_parameter *out) {
    (void)nodes;
    return body_find_damping(body, id, out) || body_find_drag(body, id, out);
}

// --- saving ---

static void write_softening(struct byte_writer *out, const struct body *body) {
    const struct peridynamic_body *own = &body->peridynamic;
    write_u32(out, peridynamic_softens(body));
    if (peridynamic_softens(body)) {
        write_f64(out, own->softening.stress);
        write_f64(out, own->softening.opening);
        write_doubles(out, own->onset, body->bonds.count);
        write_doubles(out, own->remaining, body->bonds.count);
    }
}

/// The bonds are not saved: the restore computes them from the particles, in the same order.
static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    const struct peridynamic_body *own = &body->peridynamic;
    write_u32(out, (uint32_t)own->dimension);
    write_u32(out, own->whole_volumes);
    write_u32(out, own->no_calibration);
    write_u32(out, own->no_surface_correction);
    write_f64(out, body->drag);
    write_f64(out, body->damping);
    write_f64(out, own->spacing);
    write_f64(out, own->horizon);
    write_f64(out, own->section);
    write_u64(out, body->vertex_count);
    write_doubles(out, body->bonds.rest, 3 * body->vertex_count);
    write_doubles(out, own->volumes, body->vertex_count);
    write_doubles(out, own->young, body->vertex_count);
    write_doubles(out, body->bonds.contact_radii, body->vertex_count);
    write_doubles(out, nodes->mass + body->node_start, body->vertex_count);
    write_u64(out, body->bonds.count);
    write_softening(out, body);
    write_doubles(out, own->critical, body->bonds.count);
}

static void write_state(struct byte_writer *out, const struct body *body) {
    saved_bonds_write_broken(out, body);
    saved_bonds_write_fragments(out, body);
}

/// Checks a softening shape. A shape that is a single line may exceed 1 by rounding.
static bool is_shape(const struct softening_shape *shape) {
    return shape->stress > 0.0 && shape->opening > 0.0 &&
           shape->stress + shape->opening < 1.0 + 1e-12;
}

/// Reads the softening law of the bonds, if they soften, and their remaining stiffness.
static pbs_status read_softening(struct byte_reader *in, struct memory *memory, struct body *body) {
    const size_t count = body->bonds.count;
    bool softens = false;
    RETURN_IF_FAILED(read_flag(in, &softens));
    if (!softens) {
        return PBS_OK;
    }
    struct softening_shape shape;
    shape.stress = read_f64(in);
    shape.opening = read_f64(in);
    if (!is_shape(&shape)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "the softening law, with its knee at %g of the strength and %g of the "
                           "opening at failure, is not valid",
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
                               "bond %zu: its softening begins at the strain %g and leaves the "
                               "fraction %g, must be positive and within 0 to 1",
                               i, own->onset[i], own->remaining[i]);
        }
    }
    return PBS_OK;
}

/// Reads the strains at which bonds break. The bonds have been computed from the particles.
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

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct saved_arrays *arrays, struct body **out) {
    pbs_peridynamic_desc d = {.struct_size = sizeof d, .density = 1.0, .young = 1.0};
    d.no_gravity = 1; // its scale of gravity is with what all bodies have
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

static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    RETURN_IF_FAILED(saved_bonds_read_broken(in, body));
    return saved_bonds_read_fragments(in, memory, body);
}

const struct body_table body_table_peridynamic = {
    .id = BODY_PERIDYNAMIC,
    .kind = PBS_BODY_PERIDYNAMIC,
    .settings = &settings_peridynamic,
    .create = peridynamic_body_create,
    .warn = warn,
    .free = free_own,
    .write = write,
    .read = read,
    .write_state = write_state,
    .resume = resume,
    .add_terms = peridynamic_add_terms,
    .find_parameter = find_parameter,
    .damped = &peridynamic_damped,
    .stiffest = stiffest,
    .bond_form = bond_form,
    .bond_young = bond_young,
    .read_loads = peridynamic_read_loads,
    .measure_excess = peridynamic_measure_excess,
    .crack_step = peridynamic_crack_step,
    .measure_waves = peridynamic_measure_waves,
};
