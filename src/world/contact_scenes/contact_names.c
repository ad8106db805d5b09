// See contact_names.h.
// SPDX-License-Identifier: MIT
#include "world/contact_scenes/contact_names.h"

#include <stdio.h>

void contact_name_part(const struct scene *scene, uint32_t part, pbs_contact_side *out) {
    const size_t bodies = scene->bodies.count;
    if (part < bodies) {
        out->body = scene_body_id(scene, part);
    } else {
        out->collider = scene_collider_id(scene, part - bodies);
    }
}

bool contact_has_vertices(const struct scene *scene, uint32_t part) {
    const size_t bodies = scene->bodies.count;
    // A part after all others is a surface of pbs_overlap_desc.
    return part < bodies || part - bodies >= scene->colliders.count ||
           scene_collider(scene, part - bodies)->desc.shape == PBS_SHAPE_MESH;
}

void contact_name_side(const struct scene *scene, const struct collision_mesh *mesh, uint32_t part,
                       int count, const uint32_t *points, pbs_contact_side *out) {
    contact_name_part(scene, part, out);
    out->vertex_count = contact_has_vertices(scene, part) ? (uint32_t)count : 0;
    for (uint32_t k = 0; k < out->vertex_count; k++) {
        out->vertices[k] = mesh->vertex[points[k]];
    }
}

void contact_side_words(const struct scene *scene, uint32_t part, const pbs_contact_side *side,
                        char words[CONTACT_WORDS]) {
    const size_t bodies = scene->bodies.count;
    const char *const kind = part < bodies ? "body" : "collider";
    const size_t index = part < bodies ? part : part - bodies;
    const uint32_t *const v = side->vertices;
    switch (side->vertex_count) {
    case 1: snprintf(words, CONTACT_WORDS, "vertex %u of %s %zu", v[0], kind, index); break;
    case 2: snprintf(words, CONTACT_WORDS, "edge %u %u of %s %zu", v[0], v[1], kind, index); break;
    case 3:
        snprintf(words, CONTACT_WORDS, "triangle %u %u %u of %s %zu", v[0], v[1], v[2], kind,
                 index);
        break;
    default: snprintf(words, CONTACT_WORDS, "%s %zu", kind, index); break;
    }
}
