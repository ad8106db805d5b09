// See told.h. Ids are left out, because they differ from run to run.
// SPDX-License-Identifier: MIT
#include "hashes/told.h"

#include <stdlib.h>

static pbs_status tell_energy(struct hash_lines *lines, const pbs_world *world) {
    pbs_energy e = {.struct_size = sizeof e};
    const pbs_status status = pbs_world_energy(world, &e);
    if (status >= 0) {
        const double all[] = {e.kinetic, e.elastic,    e.gravity, e.contact,
                              e.host,    e.dissipated, e.total,   e.external};
        hash_more(lines, all, sizeof all / sizeof *all);
    }
    return status;
}

static pbs_status tell_contacts(struct hash_lines *lines, const pbs_world *world) {
    size_t count = 0;
    pbs_status status = pbs_world_contacts(world, NULL, sizeof(pbs_contact), &count);
    pbs_contact *contacts = calloc(count + 1, sizeof *contacts);
    status = contacts == NULL ? PBS_ERROR_MEMORY : status;
    status = status < 0 ? status : pbs_world_contacts(world, contacts, sizeof *contacts, &count);
    for (size_t i = 0; i < count && status >= 0; i++) {
        const pbs_contact *c = &contacts[i];
        hash_more(lines, c->first.point, 3);
        hash_more(lines, c->second.point, 3);
        hash_more(lines, c->normal, 3);
        hash_more(lines, (const double[]){c->gap, c->normal_force}, 2);
        hash_more(lines, c->force, 3);
        hash_more(lines, c->friction, 3);
    }
    free(contacts);
    return status;
}

static pbs_status tell_broken(struct hash_lines *lines, const pbs_world *world) {
    size_t count = 0;
    pbs_status status = pbs_world_broken_bonds(world, NULL, sizeof(pbs_broken_bond), &count);
    pbs_broken_bond *bonds = calloc(count + 1, sizeof *bonds);
    status = bonds == NULL ? PBS_ERROR_MEMORY : status;
    status = status < 0 ? status : pbs_world_broken_bonds(world, bonds, sizeof *bonds, &count);
    for (size_t i = 0; i < count && status >= 0; i++) {
        const double all[] = {bonds[i].bond,         bonds[i].time,   bonds[i].normal_stress,
                              bonds[i].shear_stress, bonds[i].energy, bonds[i].stretch};
        hash_more(lines, all, sizeof all / sizeof *all);
    }
    free(bonds);
    return status;
}

/// Affine bodies are held as a whole, and answer that no force belongs to a vertex.
static pbs_status tell_held(struct hash_lines *lines, const pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_vertex_count(world, body);
    double *forces = calloc(6 * count + 1, sizeof *forces);
    if (forces == NULL) {
        return PBS_ERROR_MEMORY;
    }
    const pbs_status status = pbs_body_constraint_forces(world, body, forces, forces + 3 * count,
                                                         count);
    if (status >= 0) {
        hash_more(lines, forces, 6 * count);
    }
    free(forces);
    return status == PBS_ERROR_ARGUMENT ? PBS_OK : status;
}

static pbs_status tell_stress(struct hash_lines *lines, const pbs_world *world, pbs_body body) {
    const size_t count = pbs_body_tet_count(world, body);
    double *stress = calloc(9 * count + 1, sizeof *stress);
    pbs_status status = stress == NULL ? PBS_ERROR_MEMORY : PBS_OK;
    status = status < 0 ? status : pbs_body_element_stress(world, body, stress, count);
    if (status >= 0) {
        hash_more(lines, stress, 9 * count);
    }
    free(stress);
    return status;
}

/// Of bodies that have bonds.
static pbs_status tell_bonds(struct hash_lines *lines, const pbs_world *world, pbs_body body) {
    const float *damage = pbs_body_damage(world, body);
    const uint32_t *fragments = pbs_body_particle_fragments(world, body);
    if (damage == NULL || fragments == NULL) {
        return PBS_OK;
    }
    for (size_t i = 0; i < pbs_body_vertex_count(world, body); i++) {
        hash_more(lines, (const double[]){damage[i], fragments[i]}, 2);
    }
    size_t count = 0;
    pbs_status status = pbs_body_bond_loads(world, body, NULL, sizeof(pbs_bond_load), &count);
    pbs_bond_load *loads = calloc(count + 1, sizeof *loads);
    status = loads == NULL ? PBS_ERROR_MEMORY : status;
    status = status < 0 ? status : pbs_body_bond_loads(world, body, loads, sizeof *loads, &count);
    for (size_t i = 0; i < count && status >= 0; i++) {
        const pbs_bond_load *l = &loads[i];
        const double all[] = {l->normal,        l->shear,        l->torsion, l->bending,
                              l->normal_stress, l->shear_stress, l->stretch};
        hash_more(lines, all, sizeof all / sizeof *all);
    }
    free(loads);
    return status;
}

static pbs_status tell_body(struct hash_lines *lines, const pbs_world *world, pbs_body body) {
    pbs_contact_force sum = {.struct_size = sizeof sum};
    pbs_status status = pbs_body_contact_force(world, body, NULL, &sum);
    if (status >= 0) {
        hash_more(lines, sum.force, 3);
        hash_more(lines, sum.friction, 3);
        hash_more(lines, sum.torque, 3);
        hash_more(lines, sum.impulse, 3);
        hash_more(lines, sum.angular_impulse, 3);
    }
    status = status < 0 ? status : tell_held(lines, world, body);
    status = status < 0 ? status : tell_stress(lines, world, body);
    return status < 0 ? status : tell_bonds(lines, world, body);
}

/// Down from above, on a grid, and what is closest to where each ray begins.
static pbs_status tell_queries(struct hash_lines *lines, const pbs_world *world) {
    pbs_ray_desc ray;
    pbs_closest_desc closest;
    pbs_status status = pbs_ray_desc_init(&ray, sizeof ray);
    status = status < 0 ? status : pbs_closest_desc_init(&closest, sizeof closest);
    for (int i = 0; i < 25 && status >= 0; i++) {
        pbs_surface_point met = {.struct_size = sizeof met};
        ray.origin[0] = closest.point[0] = 0.1 * (i % 5) - 0.21;
        ray.origin[2] = closest.point[2] = 0.1 * (i / 5) - 0.19;
        ray.origin[1] = closest.point[1] = 1.5;
        status = pbs_world_ray(world, &ray, &met);
        if (status >= 0) {
            hash_more(lines, met.normal, 3);
            hash_more(lines, &met.distance, 1);
            status = pbs_world_closest(world, &closest, &met);
        }
        if (status >= 0) {
            hash_more(lines, met.point, 3);
            hash_more(lines, &met.distance, 1);
        }
    }
    return status;
}

/// What is closer than 20 mm.
static pbs_status tell_overlaps(struct hash_lines *lines, const pbs_world *world) {
    enum { LIMIT = 64 };
    pbs_overlap_desc d;
    pbs_overlap overlaps[LIMIT];
    size_t count = LIMIT;
    pbs_status status = pbs_overlap_desc_init(&d, sizeof d);
    d.distance = 0.02;
    status = status < 0 ? status
                        : pbs_world_overlaps(world, &d, overlaps, sizeof *overlaps, &count);
    for (size_t i = 0; i < count && status >= 0; i++) {
        hash_more(lines, (const double[]){overlaps[i].kind, overlaps[i].gap}, 2);
        hash_more(lines, overlaps[i].normal, 3);
    }
    return status;
}

pbs_status hash_told(struct hash_lines *lines, const pbs_world *world) {
    pbs_status status = tell_energy(lines, world);
    status = status < 0 ? status : tell_contacts(lines, world);
    status = status < 0 ? status : tell_broken(lines, world);
    status = status < 0 ? status : tell_queries(lines, world);
    status = status < 0 ? status : tell_overlaps(lines, world);
    for (size_t i = 0; i < pbs_world_body_count(world) && status >= 0; i++) {
        status = tell_body(lines, world, pbs_world_body_at(world, i));
    }
    return status;
}
