// The terms of bonded bodies: one term per form of shear, with the beams of all bodies.
// SPDX-License-Identifier: MIT
#include "energy/bonds/bonds.h"
#include "world/objects/body_table.h"
#include "world/objects/body_terms.h"
#include "world/particles/bonded.h"

// --- breaking ---

static bool has_limits(const void *self) {
    return bonds_have_limits(self);
}

static void mark_overloaded(void *self, struct tasks *tasks, size_t domain_count, const double *x,
                            const double *orientations) {
    bonds_mark_overloaded(self, tasks, domain_count, x, orientations);
}

static const uint8_t *overloaded(void *self) {
    return bonds_overloaded(self);
}

static bool is_broken(const void *self, size_t bond) {
    return bonds_is_broken(self, bond);
}

static void set_broken(void *self, size_t bond, bool broken) {
    bonds_set_broken(self, bond, broken);
}

static const struct bond_term_table BEAMS = {
    .has_limits = has_limits,
    .mark_overloaded = mark_overloaded,
    .overloaded = overloaded,
    .is_broken = is_broken,
    .set_broken = set_broken,
};

// --- the terms ---

static size_t count_bonds(const struct scene *scene, int32_t shear) {
    size_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        count += body->table == &body_table_bonded && body->bonded.shear == shear
                     ? body->bonds.count
                     : 0;
    }
    return count;
}

/// Arrays of all bonds of one form of shear, in the order of bodies.
struct gathered_bonds {
    uint32_t *nodes, *rotations;
    double *radii, *rest, *damping;
    uint8_t *broken;
    struct bond_stiffness *stiffness;
    struct bond_limit *limits;
    bool breaks; ///< some bond can break
};

/// first: index of the body's first rotation in the list of all.
static void gather_bonds_of(const struct body *body, uint32_t first, size_t at,
                            const struct gathered_bonds *out) {
    const struct bonded_body *own = &body->bonded;
    for (size_t b = 0; b < body->bonds.count; b++, at++) {
        for (size_t end = 0; end < 2; end++) {
            const uint32_t particle = body->bonds.pairs[2 * b + end];
            const uint32_t node = (uint32_t)body->node_start + particle;
            out->nodes[4 * at + 2 * end] = node;
            out->nodes[4 * at + 2 * end + 1] = node + (uint32_t)body->vertex_count;
            out->rotations[2 * at + end] = first + particle;
            out->radii[2 * at + end] = bonded_radius_of_gyration(own->radii[particle]);
        }
        out->stiffness[at] = bonded_stiffness(body, b, out->rest + 3 * at);
        out->broken[at] = body->bonds.broken[b];
        out->damping[at] = 0.0;
        out->limits[at] = bond_limit_of(own->tensile[b], own->shearing[b], own->bond_radii[b]);
    }
}

static void gather_bonds(const struct scene *scene, int32_t shear, struct gathered_bonds *out) {
    size_t at = 0;
    size_t first = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        if (!body_has_orientations(body)) {
            continue;
        }
        if (body->table == &body_table_bonded && body->bonded.shear == shear) {
            gather_bonds_of(body, (uint32_t)first, at, out);
            out->breaks |= body->bonds.breaks;
            at += body->bonds.count;
        }
        first += body->vertex_count;
    }
}

static pbs_status make_bonds(const struct scene *scene, struct memory *memory, size_t count,
                             int32_t shear, struct gathered_bonds *g, struct body_terms *out) {
    gather_bonds(scene, shear, g);
    const struct bonds_input input = {.count = count,
                                      .nodes = g->nodes,
                                      .rotations = g->rotations,
                                      .radii = g->radii,
                                      .rest = g->rest,
                                      .stiffness = g->stiffness,
                                      .damping = g->damping,
                                      .broken = g->broken,
                                      .limits = g->breaks ? g->limits : NULL,
                                      .shear = shear == PBS_BOND_SHEAR_ANGLE ? BOND_SHEAR_ANGLE
                                                                             : BOND_SHEAR_CHORD,
                                      .orientations = out->rotations.orientation};
    struct bonds *bonds = NULL;
    RETURN_IF_FAILED(bonds_create(memory, &input, &bonds));
    RETURN_IF_FAILED(body_terms_add(out, bonds_term(bonds)));
    out->bonds[out->bond_count++] = (struct bond_term){
        .table = &BEAMS, .self = bonds, .kind = &body_table_bonded, .form = shear};
    return PBS_OK;
}

static pbs_status add_bonds_of(const struct scene *scene, struct memory *memory, int32_t shear,
                               struct body_terms *out) {
    const size_t count = count_bonds(scene, shear);
    if (count == 0) {
        return PBS_OK;
    }
    struct gathered_bonds g = {.nodes = memory_allocate(memory, count, 4 * sizeof(uint32_t)),
                               .rotations = memory_allocate(memory, count, 2 * sizeof(uint32_t)),
                               .radii = memory_allocate(memory, count, 2 * sizeof(double)),
                               .rest = memory_allocate(memory, count, 3 * sizeof(double)),
                               .damping = memory_allocate(memory, count, sizeof(double)),
                               .broken = memory_allocate(memory, count, sizeof *g.broken),
                               .stiffness = memory_allocate(memory, count, sizeof *g.stiffness),
                               .limits = memory_allocate(memory, count, sizeof *g.limits)};
    pbs_status status = PBS_ERROR_MEMORY;
    if (g.limits != NULL && g.nodes != NULL && g.rotations != NULL && g.radii != NULL &&
        g.rest != NULL && g.damping != NULL && g.broken != NULL && g.stiffness != NULL) {
        status = make_bonds(scene, memory, count, shear, &g, out);
    }
    memory_release(memory, g.nodes);
    memory_release(memory, g.rotations);
    memory_release(memory, g.radii);
    memory_release(memory, g.rest);
    memory_release(memory, g.broken);
    memory_release(memory, g.damping);
    memory_release(memory, g.stiffness);
    memory_release(memory, g.limits);
    return status;
}

pbs_status bonded_add_terms(const struct scene *scene, struct memory *memory,
                            struct body_terms *out) {
    RETURN_IF_FAILED(bonded_list_rotations(scene, memory, &out->rotation_arrays, &out->rotations));
    RETURN_IF_FAILED(add_bonds_of(scene, memory, PBS_BOND_SHEAR_CHORD, out));
    return add_bonds_of(scene, memory, PBS_BOND_SHEAR_ANGLE, out);
}

// --- damping ---

/// A dashpot along the bond, of its stiffness in stretching.
static void gather_bond(const struct body *body, size_t b, size_t at, const struct damped *out) {
    double rest[3];
    damped_put_nodes(body, body->bonds.pairs + 2 * b, at, out);
    out->mu[at] = bonded_stiffness(body, b, rest).stretch * body->damping;
    out->broken[at] = body->bonds.broken[b];
}

static size_t count_damped(const struct body *body) {
    return body->bonds.count;
}

const struct damped_elements bonded_damped = {
    .shape = STRAIN_LINE, .width = 2, .count = count_damped, .gather = gather_bond};
