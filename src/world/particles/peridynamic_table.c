// Peridynamic bodies as a kind of body, and how they are saved.
// SPDX-License-Identifier: MIT
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

/// A description of particles, which the bonds follow from, and what else bonds are given.
struct saved_peridynamic {
    pbs_peridynamic_desc desc;
    const double *masses;
    size_t bond_count;
    const double *critical, *onset;
    struct softening_shape softening; ///< all 0: they do not soften
};

static const struct field DESCRIPTION_FIELDS[] = {
    FIELD_VALUE(struct saved_peridynamic, desc.dimension, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.whole_volumes, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.no_calibration, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.no_surface_correction, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.drag, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.damping, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.spacing, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.horizon, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, desc.section, FIELD_ANY),
    FIELD_COUNT(struct saved_peridynamic, desc.particle_count),
    FIELD_ARRAY(struct saved_peridynamic, desc.positions, desc.particle_count, 3, FIELD_ANY),
    FIELD_ARRAY(struct saved_peridynamic, desc.volumes, desc.particle_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_peridynamic, desc.particle_young, desc.particle_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_peridynamic, desc.contact_radii, desc.particle_count, 1, FIELD_ANY),
    FIELD_ARRAY(struct saved_peridynamic, masses, desc.particle_count, 1, FIELD_ANY),
    FIELD_COUNT(struct saved_peridynamic, bond_count),
    FIELD_ARRAY(struct saved_peridynamic, critical, bond_count, 1, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, softening.stress, FIELD_ANY),
    FIELD_VALUE(struct saved_peridynamic, softening.opening, FIELD_ANY),
    FIELD_ARRAY(struct saved_peridynamic, onset, bond_count, 1, FIELD_POSITIVE),
};
static const struct field_list description_fields = FIELD_LIST(struct saved_peridynamic,
                                                               DESCRIPTION_FIELDS);

static const struct field STATE_FIELDS[] = {
    FIELD_ARRAY(struct body, bonds.broken, bonds.count, 1, FIELD_ANY),
    FIELD_ARRAY(struct body, bonds.release, bonds.count, 1, FIELD_NOT_NEGATIVE),
    FIELD_ARRAY(struct body, peridynamic.remaining, bonds.count, 1, FIELD_NOT_NEGATIVE),
};
static const struct field_list state_fields = FIELD_LIST(struct body, STATE_FIELDS);

static void write(struct byte_writer *out, const struct body *body, const struct nodes *nodes) {
    const struct peridynamic_body *own = &body->peridynamic;
    const struct saved_peridynamic saved = {
        .desc = {.dimension = own->dimension,
                 .whole_volumes = own->whole_volumes,
                 .no_calibration = own->no_calibration,
                 .no_surface_correction = own->no_surface_correction,
                 .drag = body->drag,
                 .damping = body->damping,
                 .spacing = own->spacing,
                 .horizon = own->horizon,
                 .section = own->section,
                 .particle_count = body->vertex_count,
                 .positions = body->bonds.rest,
                 .volumes = own->volumes,
                 .particle_young = own->young,
                 .contact_radii = body->bonds.contact_radii},
        .masses = nodes->mass + body->node_start,
        .bond_count = body->bonds.count,
        .critical = own->critical,
        .onset = own->onset,
        .softening = own->softening};
    fields_write(out, &description_fields, &saved);
}

/// Checks a softening shape. A shape that is a single line may exceed 1 by rounding.
static bool is_shape(const struct softening_shape *shape) {
    return shape->stress > 0.0 && shape->opening > 0.0 &&
           shape->stress + shape->opening < 1.0 + 1e-12;
}

/// Sets the softening law of the bonds, if they soften.
static pbs_status set_softening(const struct saved_peridynamic *saved, struct memory *memory,
                                struct body *body) {
    if (saved->softening.stress == 0.0) {
        return PBS_OK;
    }
    if (!is_shape(&saved->softening) || (saved->onset == NULL && saved->bond_count > 0)) {
        return status_fail(PBS_ERROR_FORMAT,
                           "the softening law, with its knee at %g of the strength and %g of the "
                           "opening at failure, is not valid",
                           saved->softening.stress, saved->softening.opening);
    }
    RETURN_IF_FAILED(peridynamic_reserve_softening(body, memory, &saved->softening));
    for (size_t i = 0; i < saved->bond_count; i++) {
        body->peridynamic.onset[i] = saved->onset[i];
    }
    return PBS_OK;
}

/// Sets what bonds, which have been computed from the particles in the same order, were given.
static pbs_status set_bonds(const struct saved_peridynamic *saved, struct memory *memory,
                            struct body *body) {
    if (saved->bond_count != body->bonds.count ||
        (saved->critical == NULL && saved->bond_count > 0)) {
        return status_fail(PBS_ERROR_FORMAT, "%zu bonds, but its particles make %zu",
                           saved->bond_count, body->bonds.count);
    }
    RETURN_IF_FAILED(set_softening(saved, memory, body));
    RETURN_IF_FAILED(peridynamic_check_stretches(body, saved->critical));
    peridynamic_set_stretches(body, saved->critical);
    return PBS_OK;
}

static pbs_status create_saved(struct scene *scene, struct memory *memory,
                               struct saved_peridynamic *saved, struct body **out) {
    pbs_peridynamic_desc *const d = &saved->desc;
    d->section = d->dimension == PBS_PERIDYNAMIC_SOLID && d->section == 1.0 ? 0.0 : d->section;
    RETURN_IF_FAILED(check_pointer(saved->masses, "masses"));
    RETURN_IF_FAILED(check_masses(saved->masses, d->particle_count));
    RETURN_IF_FAILED(peridynamic_body_make(scene, memory, d, saved->masses, out));
    const pbs_status status = set_bonds(saved, memory, *out);
    if (status < 0) {
        body_free(*out, memory);
        *out = NULL;
    }
    return status;
}

static pbs_status read(struct byte_reader *in, struct memory *memory, struct scene *scene,
                       struct body **out) {
    // Its scale of gravity is with what all bodies have.
    struct saved_peridynamic saved = {
        .desc = {.struct_size = sizeof saved.desc, .no_gravity = 1, .density = 1.0, .young = 1.0}};
    pbs_status status = fields_read(in, memory, &description_fields, &saved);
    status = status < 0 ? status : create_saved(scene, memory, &saved, out);
    fields_release(memory, &description_fields, &saved);
    return status;
}

static pbs_status resume(struct byte_reader *in, struct memory *memory, struct body *body) {
    const double *const remaining = body->peridynamic.remaining;
    for (size_t i = 0; remaining != NULL && i < body->bonds.count; i++) {
        if (remaining[i] > 1.0) {
            return status_fail(PBS_ERROR_FORMAT, "bond %zu: softening leaves the fraction %g", i,
                               remaining[i]);
        }
    }
    RETURN_IF_FAILED(saved_bonds_check_broken(body));
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
    .description = &description_fields,
    .state = &state_fields,
    .write_more = saved_bonds_write_fragments,
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
