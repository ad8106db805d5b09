// See penalty_scene.h. Parts are the bodies in order; bodies without particles have no spheres.
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/penalty_scene.h"

#include <math.h>

#include "base/matrix3/math3.h"
#include "world/particles/bonded.h"
#include "world/contact_scenes/contact_kind.h"
#include "world/objects/body_table.h"
#include "world/objects/motion.h"

// Contact stiffness relative to Young's modulus times the mean length of a body's bonds (BDEM
// section 5).
#define STIFFNESS_OVER_YOUNG 0.1

// --- stiffness ---

/// Returns STIFFNESS_OVER_YOUNG times the mean of E l over a body's bonds, N/m; 0 if there are no
/// bonds.
static double mean_stiffness(const struct body *body) {
    double sum = 0.0;
    for (size_t i = 0; i < body->bonds.count; i++) {
        double offset[3];
        subtract3(body->bonds.rest + 3 * (size_t)body->bonds.pairs[2 * i + 1],
                  body->bonds.rest + 3 * (size_t)body->bonds.pairs[2 * i], offset);
        sum += body->table->bond_young(body, i) * norm3(offset);
    }
    return body->bonds.count > 0 ? STIFFNESS_OVER_YOUNG * sum / (double)body->bonds.count : 0.0;
}

/// Bodies without bonds get the largest stiffness of the others.
static pbs_status choose_stiffness(const struct scene *scene, struct penalty_contact *c) {
    const double given = scene->settings.contact_stiffness;
    double largest = given;
    for (size_t i = 0; i < c->part_count && given == 0.0; i++) {
        const struct body *body = scene_body(scene, i);
        c->parts[i].stiffness = mean_stiffness(body);
        largest = fmax(largest, c->parts[i].stiffness);
    }
    for (size_t i = 0; i < c->part_count; i++) {
        const bool own = given == 0.0 && c->parts[i].stiffness > 0.0;
        c->parts[i].stiffness = own ? c->parts[i].stiffness : largest;
    }
    return largest > 0.0 || c->sphere_count == 0
               ? PBS_OK
               : status_fail(PBS_ERROR_ARGUMENT,
                             "contact_stiffness is 0, and without bonds PBS_CONTACT_PENALTY has no "
                             "default for it: set contact_stiffness");
}

// --- spheres ---

static struct penalty_size size_of(const struct scene *scene) {
    struct penalty_size size = {.nodes = scene->nodes.count, .parts = scene->bodies.count};
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        size.spheres += body_has_spheres(body) ? body->vertex_count : 0;
        size.bonds += body->bonds.count;
    }
    return size;
}

static void fill_spheres(const struct body *body, uint32_t index, struct penalty_contact *c) {
    const bool rotates = body_has_orientations(body);
    struct penalty_part *part = &c->parts[index];
    part->rest = body->bonds.rest;
    for (size_t i = 0; i < body->vertex_count; i++) {
        const size_t at = part->first_sphere + i;
        c->node[at] = (uint32_t)(body->node_start + i);
        c->rotation[at] = rotates ? (uint32_t)(body->node_start + body->vertex_count + i)
                                  : PENALTY_NO_ROTATION;
        c->part[at] = index;
        c->length[at] = rotates ? bonded_radius_of_gyration(body->bonded.radii[i]) : 1.0;
        c->radius[at] = body->bonds.contact_radii[i] + body->contact.offset;
    }
    for (size_t i = 0; i < 2 * body->bonds.count; i++) {
        c->bonds[2 * part->first_bond + i] = (uint32_t)part->first_sphere + body->bonds.pairs[i];
    }
}

pbs_status penalty_scene_build(const struct scene *scene, struct memory *memory,
                               struct penalty_contact *c) {
    const struct penalty_size size = size_of(scene);
    RETURN_IF_FAILED(penalty_contact_create(memory, &size, c));
    c->frictions = &scene->frictions;
    size_t sphere = 0;
    size_t bond = 0;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const struct body *body = scene_body(scene, i);
        c->parts[i] = (struct penalty_part){.first_sphere = sphere, .first_bond = bond};
        if (body_has_spheres(body)) {
            fill_spheres(body, (uint32_t)i, c);
            sphere += body->vertex_count;
            bond += body->bonds.count;
        }
    }
    penalty_contact_join(c);
    return PBS_OK;
}

// --- updates ---

static void renew_part(const struct body *body, struct penalty_part *part,
                       struct penalty_contact *c) {
    const pbs_contact_desc *d = &body->contact;
    const bool itself = d->touches_itself != 0;
    if (part->group != d->group || part->mask != d->mask || part->touches_itself != itself) {
        c->is_listed = false;
        c->releases_are_listed = false;
    }
    part->surface = (struct surface){d->friction, d->surface_material, d->rolling_friction,
                                     d->spinning_friction};
    part->group = d->group;
    part->mask = d->mask;
    part->touches_itself = itself;
    for (size_t i = 0; body_has_spheres(body) && i < body->vertex_count; i++) {
        const double radius = body->bonds.contact_radii[i] + d->offset;
        if (c->radius[part->first_sphere + i] != radius) {
            c->radius[part->first_sphere + i] = radius;
            c->is_listed = false;
            c->releases_are_listed = false;
        }
    }
    for (size_t i = 0; i < body->bonds.count; i++) {
        const double release = body->bonds.broken[i] == BOND_INTACT ? -1.0 : body->bonds.release[i];
        if (c->release[part->first_bond + i] != release) {
            penalty_contact_release(c, part->first_bond + i, release);
        }
    }
}

static pbs_status renew_colliders(const struct scene *scene, struct penalty_contact *c) {
    RETURN_IF_FAILED(penalty_contact_reserve_obstacles(c, scene->colliders.count));
    for (size_t i = 0; i < scene->colliders.count; i++) {
        const pbs_collider_desc *d = &scene_collider(scene, i)->desc;
        struct penalty_obstacle *own = &c->obstacles[i];
        if (own->group != d->group || own->mask != d->mask) {
            c->is_listed = false;
        }
        own->surface = (struct surface){.friction = d->friction, .material = d->surface_material};
        own->group = d->group;
        own->mask = d->mask;
    }
    return PBS_OK;
}

pbs_status penalty_scene_begin(const struct scene *scene, struct penalty_contact *c) {
    for (size_t i = 0; i < c->part_count; i++) {
        renew_part(scene_body(scene, i), &c->parts[i], c);
    }
    RETURN_IF_FAILED(renew_colliders(scene, c));
    return choose_stiffness(scene, c);
}

void penalty_scene_update_obstacles(const struct scene *scene, struct penalty_contact *c) {
    for (size_t i = 0; i < c->obstacle_count; i++) {
        motion_obstacle_at(scene_collider(scene, i), 0.0, 1.0, &c->obstacles[i].obstacle);
    }
    penalty_contact_update_obstacles(c);
}

// --- struct contact_kind ---

static pbs_status check_scheme(const struct scene *scene, const struct scheme_table *scheme) {
    (void)scene;
    return scheme->kicks ? PBS_OK
                         : status_fail(PBS_ERROR_ARGUMENT,
                                       "%s does not support PBS_CONTACT_PENALTY, whose forces have "
                                       "no Hessian: use PBS_SCHEME_VELOCITY_VERLET",
                                       scheme->name);
}

static pbs_status evaluate_term(const struct scene *scene, struct memory *memory, double *out) {
    struct penalty_contact penalty;
    RETURN_IF_FAILED(penalty_scene_build(scene, memory, &penalty));
    pbs_status status = penalty_scene_begin(scene, &penalty);
    if (status >= 0) {
        penalty_scene_update_obstacles(scene, &penalty);
        status = penalty_contact_find_touches(&penalty, NULL, scene->nodes.x);
    }
    *out = penalty.value;
    penalty_contact_free(&penalty);
    return status;
}

static bool touches(const struct scene *scene, const struct body *body) {
    (void)scene;
    return body_has_spheres(body);
}

const struct contact_kind contact_kind_penalty = {
    .id = PBS_CONTACT_PENALTY,
    .run = &contact_run_penalty,
    .scheme = PBS_SCHEME_VELOCITY_VERLET,
    .has_bodies = true,
    .check_scheme = check_scheme,
    .touches = touches,
    .build_term = penalty_scene_build,
    .evaluate_term = evaluate_term,
};
