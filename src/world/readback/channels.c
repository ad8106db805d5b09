// The table of channels, and how values are computed that no array holds.
// SPDX-License-Identifier: MIT
#include "world/readback/channels.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "energy/materials/solid_plasticity.h"
#include "world/bodies/element_stress.h"
#include "world/breaking/breaking.h"
#include "world/objects/vertices.h"

// --- whose the rows are ---

static struct channel_items items_if(bool any, int32_t of, size_t count) {
    return any ? (struct channel_items){of, count} : (struct channel_items){NO_ITEM, 0};
}

static struct channel_items vertices(const struct body *body) {
    return items_if(true, PBS_ITEM_VERTEX, body->vertex_count);
}

static struct channel_items oriented_particles(const struct body *body) {
    return items_if(body_has_orientations(body), PBS_ITEM_VERTEX, body->vertex_count);
}

static struct channel_items particles(const struct body *body) {
    return items_if(body->bonds.fragments.damage != NULL, PBS_ITEM_VERTEX, body->vertex_count);
}

static struct channel_items stressed_elements(const struct body *body) {
    const struct element_stress *stress = body->table->stress;
    return stress != NULL ? items_if(true, stress->item, stress->count(body))
                          : items_if(false, NO_ITEM, 0);
}

static struct channel_items solid_tets(const struct body *body) {
    return items_if(body->solid.tet_count > 0, PBS_ITEM_TET, body->solid.tet_count);
}

static struct channel_items springs(const struct body *body) {
    const bool any = body->table->list_springs != NULL;
    return items_if(any, PBS_ITEM_SPRING, any ? body->table->list_springs(body).count : 0);
}

static struct channel_items bonds(const struct body *body) {
    return items_if(body->bonds.fragments.damage != NULL, PBS_ITEM_BOND, body->bonds.count);
}

static struct channel_items beams(const struct body *body) {
    return items_if(body_has_orientations(body), PBS_ITEM_BOND, body->bonds.count);
}

static struct channel_items peridynamic_bonds(const struct body *body) {
    return items_if(body->peridynamic.critical != NULL, PBS_ITEM_BOND, body->bonds.count);
}

// --- particles ---

static const double *orientations(const struct nodes *nodes, const struct body *body) {
    (void)nodes;
    return body->bonded.orientations;
}

static const double *angular_velocities(const struct nodes *nodes, const struct body *body) {
    (void)nodes;
    return body->bonded.angular_velocities;
}

static void read_damage(const void *context, size_t first, size_t count, double *values) {
    const struct channel_source *source = context;
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)source->body->bonds.fragments.damage[first + i];
    }
}

// --- tetrahedra and triangles ---

static void read_stress(const void *context, size_t first, size_t count, double *values) {
    const struct channel_source *source = context;
    const double *x = source->nodes->x + 3 * source->body->node_start;
    for (size_t i = 0; i < count; i++) {
        source->body->table->stress->measure(source->body, x, first + i, values + 9 * i);
    }
}

/// sqrt(3/2 s : s), s the deviator.
static double von_mises(const double stress[9]) {
    const double mean = (stress[0] + stress[4] + stress[8]) / 3.0;
    double square = 0.0;
    for (int i = 0; i < 9; i++) {
        const double deviator = i % 4 == 0 ? stress[i] - mean : stress[i];
        square += deviator * deviator;
    }
    return sqrt(1.5 * square);
}

static void read_von_mises(const void *context, size_t first, size_t count, double *values) {
    for (size_t i = 0; i < count; i++) {
        double stress[9];
        read_stress(context, first + i, 1, stress);
        values[i] = von_mises(stress);
    }
}

static void read_plastic_strain(const void *context, size_t first, size_t count, double *values) {
    const struct channel_source *source = context;
    const double *plastic = source->body->solid.plastic;
    for (size_t i = 0; i < count; i++) {
        values[i] = plastic != NULL ? plastic[PLASTIC_VALUES * (first + i) + PLASTIC_STRAIN] : 0.0;
    }
}

// --- springs ---

/// Of a spring without a length at rest: infinite, unless it has none now.
static double spring_strain(const double *x, const uint32_t ends[2], double rest) {
    double along[3];
    subtract3(x + 3 * (size_t)ends[1], x + 3 * (size_t)ends[0], along);
    const double extension = norm3(along) - rest;
    return extension == 0.0 ? 0.0 : extension / rest;
}

static void read_spring_strain(const void *context, size_t first, size_t count, double *values) {
    const struct channel_source *source = context;
    const double *x = source->nodes->x + 3 * source->body->node_start;
    const struct body_springs list = source->body->table->list_springs(source->body);
    for (size_t i = 0; i < count; i++) {
        values[i] = spring_strain(x, list.ends + 2 * (first + i), list.rest_lengths[first + i]);
    }
}

// --- bonds ---

_Static_assert((int)ROW_BATCH <= (int)BOND_BATCH, "loads of a batch of rows are read at once");

static void read_loads(const void *context, size_t first, size_t count,
                       pbs_bond_load loads[ROW_BATCH]) {
    const struct channel_source *source = context;
    breaking_read_loads(source->nodes, source->body, first, count, loads);
}

static void read_bond_load(const void *context, size_t first, size_t count, double *values) {
    pbs_bond_load loads[ROW_BATCH];
    read_loads(context, first, count, loads);
    for (size_t i = 0; i < count; i++) {
        values[4 * i] = loads[i].normal;
        values[4 * i + 1] = loads[i].shear;
        values[4 * i + 2] = loads[i].torsion;
        values[4 * i + 3] = loads[i].bending;
    }
}

static void read_bond_stress(const void *context, size_t first, size_t count, double *values) {
    pbs_bond_load loads[ROW_BATCH];
    read_loads(context, first, count, loads);
    for (size_t i = 0; i < count; i++) {
        values[2 * i] = loads[i].normal_stress;
        values[2 * i + 1] = loads[i].shear_stress;
    }
}

static void read_bond_stretch(const void *context, size_t first, size_t count, double *values) {
    pbs_bond_load loads[ROW_BATCH];
    read_loads(context, first, count, loads);
    for (size_t i = 0; i < count; i++) {
        values[i] = loads[i].stretch;
    }
}

static void read_bond_broken(const void *context, size_t first, size_t count, double *values) {
    const struct channel_source *source = context;
    for (size_t i = 0; i < count; i++) {
        values[i] = source->body->bonds.broken[first + i];
    }
}

static void read_bond_strength(const void *context, size_t first, size_t count, double *values) {
    const struct channel_source *source = context;
    for (size_t i = 0; i < count; i++) {
        values[2 * i] = source->body->bonded.tensile[first + i];
        values[2 * i + 1] = source->body->bonded.shearing[first + i];
    }
}

static const double *critical_stretches(const struct nodes *nodes, const struct body *body) {
    (void)nodes;
    return body->peridynamic.critical;
}

// --- the table ---

static const char ALL[] = "all bodies", BONDED[] = "bonded bodies";
static const char ANY_BONDS[] = "bonded and peridynamic bodies", STRESSED[] = "solids and shells";

const struct channel body_channels[] = {
    [PBS_CHANNEL_POSITION] = {"position", ALL, 3, vertices, vertices_positions, NULL},
    [PBS_CHANNEL_VELOCITY] = {"velocity", ALL, 3, vertices, vertices_velocities, NULL},
    [PBS_CHANNEL_NORMAL] = {"normal", ALL, 3, vertices, NULL, NULL},
    [PBS_CHANNEL_CONTACT_FORCE] = {"contact force", ALL, 3, vertices, vertices_contact_forces,
                                   NULL},
    [PBS_CHANNEL_ORIENTATION] = {"orientation", BONDED, 4, oriented_particles, orientations, NULL},
    [PBS_CHANNEL_ANGULAR_VELOCITY] = {"angular velocity", BONDED, 3, oriented_particles,
                                      angular_velocities, NULL},
    [PBS_CHANNEL_DAMAGE] = {"damage", ANY_BONDS, 1, particles, NULL, read_damage},
    [PBS_CHANNEL_STRESS] = {"stress", STRESSED, 9, stressed_elements, NULL, read_stress},
    [PBS_CHANNEL_VON_MISES] = {"von Mises stress", STRESSED, 1, stressed_elements, NULL,
                               read_von_mises},
    [PBS_CHANNEL_PLASTIC_STRAIN] = {"plastic strain", "solids", 1, solid_tets, NULL,
                                    read_plastic_strain},
    [PBS_CHANNEL_SPRING_STRAIN] = {"spring strain", "springs", 1, springs, NULL,
                                   read_spring_strain},
    [PBS_CHANNEL_BOND_LOAD] = {"bond load", ANY_BONDS, 4, bonds, NULL, read_bond_load},
    [PBS_CHANNEL_BOND_STRESS] = {"bond stress", ANY_BONDS, 2, bonds, NULL, read_bond_stress},
    [PBS_CHANNEL_BOND_STRETCH] = {"bond stretch", ANY_BONDS, 1, bonds, NULL, read_bond_stretch},
    [PBS_CHANNEL_BOND_BROKEN] = {"broken bonds", ANY_BONDS, 1, bonds, NULL, read_bond_broken},
    [PBS_CHANNEL_BOND_STRENGTH] = {"bond strength", BONDED, 2, beams, NULL, read_bond_strength},
    [PBS_CHANNEL_CRITICAL_STRETCH] = {"critical stretch", "peridynamic bodies", 1,
                                      peridynamic_bonds, critical_stretches, NULL},
};

const int32_t body_channel_last = (int32_t)(sizeof body_channels / sizeof *body_channels) - 1;

const char *item_words(int32_t item) {
    static const char *const words[] = {[PBS_ITEM_VERTEX] = "vertices",
                                        [PBS_ITEM_TET] = "tetrahedra",
                                        [PBS_ITEM_TRIANGLE] = "triangles",
                                        [PBS_ITEM_SPRING] = "springs",
                                        [PBS_ITEM_BOND] = "bonds"};
    return words[item];
}

// --- writing ---

static void vertex_position(const void *context, size_t vertex, double out[3]) {
    copy3((const double *)context + 3 * vertex, out);
}

static void write_normals(const struct channel_source *source, const struct number_rows *rows) {
    const struct drawn_surface surface = {
        .triangle_count = source->body->triangle_count,
        .triangles = source->body->triangles,
        .position = vertex_position,
        .context = vertices_positions(source->nodes, source->body)};
    number_rows_write_normals(rows, &surface);
}

void channel_write(const struct channel *channel, const struct channel_source *source,
                   const struct number_rows *rows) {
    if (channel->array != NULL) {
        number_rows_copy(rows, channel->array(source->nodes, source->body));
    } else if (channel->read != NULL) {
        number_rows_write(rows, channel->read, source);
    } else {
        write_normals(source, rows);
    }
}
